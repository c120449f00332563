//! Files of values: any bytes are values or an error, and values survive being written and
//! read again.
#![no_main]

use libfuzzer_sys::fuzz_target;
use tacit_engine::values::{BitOrder, Format, PortSpec, format_outputs, parse_inputs};

fuzz_target!(|data: &[u8]| {
    let [format, ports, width, order, file @ ..] = data else { return };
    let format = Format::ALL[usize::from(*format) % Format::ALL.len()];
    let order = BitOrder::ALL[usize::from(*order) % BitOrder::ALL.len()];
    let width = u32::from(*width).next_multiple_of(order.unit());
    let ports: Vec<PortSpec> = (0..u32::from(*ports % 4))
        .map(|i| PortSpec::new(format!("in{i}"), width * i).with_order(order).with_sign(i == 1))
        .collect();
    let Ok(values) = parse_inputs(&mut &file[..], "file", format, &ports) else { return };
    for format in Format::ALL {
        let mut written = Vec::new();
        if format_outputs(&mut written, format, &ports, &values).is_ok() {
            let again = parse_inputs(&mut &written[..], "again", format, &ports);
            assert_eq!(again.as_ref(), Ok(&values));
        }
    }
});
