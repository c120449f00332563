//! Raw bytes: for each instance and port `ceil(width / 8)` bytes, most significant first.

use super::parse::Rows;
use super::{PortSpec, Problem, ValueError};
use std::io::{BufRead, ErrorKind};
use zeroize::Zeroizing;

/// Bytes of one value.
pub(super) fn value_bytes(port: &PortSpec) -> usize {
    port.width.div_ceil(8) as usize
}

/// Reads `source` to its end.
pub(super) fn parse(
    source: &mut dyn BufRead,
    name: &str,
    rows: &mut Rows<'_>,
) -> Result<(), ValueError> {
    let ports = rows.wide();
    let instance_bytes = rows.ports.iter().map(value_bytes).sum();
    let mut buffer = Zeroizing::new(vec![0u8; instance_bytes]);
    loop {
        let left = fill(source, &mut buffer)
            .map_err(|e| ValueError::in_file(name, Problem::Io(e.kind())))?;
        if left == 0 {
            return Ok(());
        }
        if left < instance_bytes {
            let instances = rows.instances;
            let problem = Problem::PartialInstance { instance_bytes, left, instances };
            return Err(ValueError::in_file(name, problem));
        }
        let instance = rows.instances + 1;
        let mut rest: &[u8] = &buffer;
        for &port in &ports {
            let (value, after) = rest.split_at(value_bytes(&rows.ports[port]));
            rest = after;
            rows.value(port, |spec, limbs| unpack(value, spec, limbs, instance))
                .map_err(|problem| ValueError::in_file(name, problem))?;
        }
        rows.end();
    }
}

/// Reads until the buffer is full or the file ends; returns the bytes read.
fn fill(source: &mut dyn BufRead, buffer: &mut [u8]) -> std::io::Result<usize> {
    let mut filled = 0;
    while filled < buffer.len() {
        match source.read(&mut buffer[filled..]) {
            Ok(0) => break,
            Ok(n) => filled += n,
            Err(e) if e.kind() == ErrorKind::Interrupted => {}
            Err(e) => return Err(e),
        }
    }
    Ok(filled)
}

fn unpack(
    bytes: &[u8],
    port: &PortSpec,
    limbs: &mut [u64],
    instance: usize,
) -> Result<(), Problem> {
    limbs.fill(0);
    for (i, &byte) in bytes.iter().rev().enumerate() {
        limbs[i / 8] |= u64::from(byte) << (8 * (i % 8));
    }
    let spare = limbs.last().copied().unwrap_or(0) >> ((port.width - 1) % 64) >> 1;
    if spare != 0 {
        let (port, width) = (port.name.clone(), port.width);
        return Err(Problem::RawPadding { instance, port, width });
    }
    Ok(())
}

/// Appends a value's bytes.
pub(super) fn write(limbs: &[u64], port: &PortSpec, out: &mut Vec<u8>) {
    for i in (0..value_bytes(port)).rev() {
        out.push((limbs[i / 8] >> (8 * (i % 8))) as u8);
    }
}
