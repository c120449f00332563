//! What half gates of many garblers send, byte for byte.

use super::{EVALUATOR, FIRST_GARBLER, column_blocks};
use crate::bits::words;
use crate::links::pairs;
use crate::ports::Ports;
use tacit_gmw::FAN;
use tacit_ot::KAPPA;
use tacit_sharing::cost::Traffic;

/// Bytes between `parties` for one instance.
pub(super) fn bytes(ports: Ports<'_>, parties: usize) -> Traffic {
    let ands = ports.ands();
    let chosen = |count: usize| words(count) * FAN.message_bits() as u64;
    let blocks = |count: usize| (count * KAPPA / 8) as u64;
    let column = blocks(column_blocks(parties - FIRST_GARBLER) * ands);
    let mut sum = Traffic::default();
    for (from, to) in pairs(parties) {
        let (given, learned) = (ports.given_by(from), words(ports.learned_by(to)));
        match (from, to) {
            (EVALUATOR, _) => {
                sum.def[from][to] += chosen(given);
                sum.on[from][to] += words(given) + learned;
            }
            (_, EVALUATOR) => {
                sum.pre[from][to] += learned;
                sum.def[from][to] += column;
                sum.on[from][to] += blocks(ports.shown());
            }
            _ => {
                sum.pre[from][to] += learned;
                // Choices of masks and of products, cross terms, blocks for the other's column.
                sum.def[from][to] += chosen(given + ands) + chosen(ands) + words(ands) + column;
                sum.on[from][to] += words(given);
            }
        }
    }
    sum
}
