//! Circuits, lane by lane.

use super::array::{Array, width};
use super::error::OpError;
use super::observe::Sink;
use tacit_circuit::Circuit;
use zeroize::Zeroizing;

/// Lanes that are evaluated at once: bits of a word.
const BLOCK: usize = 64;

/// Evaluates the circuit for each lane. A port of `w` bits takes `w / bits` elements of each
/// lane, the first in its lowest bits.
pub(super) fn run(circuit: &Circuit, operands: &[&Array], out: &mut [Sink]) -> Result<(), OpError> {
    let inputs: Vec<usize> = circuit.input_widths().iter().map(|&width| width as usize).collect();
    let outputs: Vec<usize> = circuit.output_ports().iter().map(Vec::len).collect();
    let given: Vec<_> = operands.iter().map(|a| (width(a.element()), a.len())).collect();
    let wanted: Vec<_> = out.iter().map(|sink| (width(sink.element()), sink.len())).collect();
    let lanes = match (lanes(&inputs, &given)?, lanes(&outputs, &wanted)?) {
        (Some(a), Some(b)) if a != b => return Err(mismatch()),
        (a, b) => a.or(b).unwrap_or(0),
    };
    for start in (0..lanes).step_by(BLOCK) {
        let block = start..(start + BLOCK).min(lanes);
        let mut words = Zeroizing::new(Vec::with_capacity(circuit.input_bits()));
        for (a, &port) in operands.iter().zip(&inputs) {
            take_port(a, port, block.clone(), &mut words);
        }
        let results = Zeroizing::new(circuit.eval_lanes(&words));
        let mut rest = &results[..];
        for (sink, &port) in out.iter_mut().zip(&outputs) {
            let (words, after) = rest.split_at(port);
            give_port(words, block.len(), sink);
            rest = after;
        }
    }
    Ok(())
}

/// The number of lanes that all ports agree on; `None` without ports.
fn lanes(ports: &[usize], arrays: &[(u32, usize)]) -> Result<Option<usize>, OpError> {
    if ports.len() != arrays.len() {
        return Err(mismatch());
    }
    let mut found = None;
    for (&port, &(bits, len)) in ports.iter().zip(arrays) {
        let bits = bits as usize;
        if port == 0 || port % bits != 0 || len % (port / bits) != 0 {
            return Err(mismatch());
        }
        let lanes = len / (port / bits);
        if *found.get_or_insert(lanes) != lanes {
            return Err(mismatch());
        }
    }
    Ok(found)
}

/// Appends a word for each bit of the port; bit `j` is of lane `j` of the block.
fn take_port(a: &Array, port: usize, block: std::ops::Range<usize>, words: &mut Vec<u64>) {
    let bits = width(a.element()) as usize;
    let first = words.len();
    words.resize(first + port, 0);
    let elements = a.raw()[block.start * (port / bits)..].chunks_exact(port / bits);
    for (lane, elements) in elements.take(block.len()).enumerate() {
        for (words, &raw) in words[first..].chunks_exact_mut(bits).zip(elements) {
            for (i, word) in words.iter_mut().enumerate() {
                *word |= ((raw >> i & 1) as u64) << lane;
            }
        }
    }
}

/// Appends the elements of `lanes` lanes, a word for each bit.
fn give_port(words: &[u64], lanes: usize, sink: &mut Sink) {
    let element = sink.element();
    let bits = width(element) as usize;
    for lane in 0..lanes {
        for words in words.chunks_exact(bits) {
            let raw = words.iter().rev().fold(0, |raw: u64, word| raw << 1 | (word >> lane & 1));
            sink.push(super::array::wrap(element, i128::from(raw)));
        }
    }
}

fn mismatch() -> OpError {
    OpError::Malformed("operands and results must fit the circuit's ports")
}
