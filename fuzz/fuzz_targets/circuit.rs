//! Circuit files, text and binary: any bytes are a circuit or an error, and a circuit survives
//! being written and read again.
#![no_main]

use libfuzzer_sys::fuzz_target;
use tacit_circuit::Circuit;
use tacit_circuit::formats::{
    Dialect, PortOrder, ReadOptions, TextOptions, binary, parse, write_text,
};

const DIALECTS: [Dialect; 4] = [Dialect::Auto, Dialect::Fashion, Dialect::Old, Dialect::Extended];

/// Ports that allow as many bits for a short file are not worth their evaluation.
const MAX_BITS: usize = 1 << 12;

fuzz_target!(|data: &[u8]| {
    let Some((&choice, file)) = data.split_first() else { return };
    let order = PortOrder { reverse_bits: choice & 4 != 0, reverse_bytes: choice & 8 != 0 };
    let options = ReadOptions {
        dialect: DIALECTS[usize::from(choice & 3)],
        inputs: if choice & 16 != 0 { vec![order] } else { Vec::new() },
        outputs: if choice & 32 != 0 { vec![order] } else { Vec::new() },
    };
    match parse("file", file, &options) {
        Err(e) => assert!(!e.to_string().is_empty()),
        Ok(circuit) => round_trips(&circuit),
    }
});

fn round_trips(circuit: &Circuit) {
    let again = parse("binary", &binary::write(circuit), &ReadOptions::default());
    assert_eq!(again.expect("own binary form").digest(), circuit.digest());
    if circuit.input_bits() > MAX_BITS || circuit.wire_count() > MAX_BITS {
        return;
    }
    let input: Vec<u64> = (1..)
        .map(|i: u64| i.wrapping_mul(0x9e37_79b9_7f4a_7c15))
        .take(circuit.input_bits())
        .collect();
    let expected = circuit.eval_lanes(&input);
    for dialect in DIALECTS {
        let Ok(text) = write_text(circuit, TextOptions { dialect, no_eqw: false }) else {
            continue;
        };
        let options = ReadOptions { dialect, ..ReadOptions::default() };
        let again = parse("text", &text, &options).expect("own text form");
        assert_eq!(again.eval_lanes(&input), expected);
    }
}
