//! What BMR sends, byte for byte.

use crate::Ports;
use tacit_ot::KAPPA;
use tacit_sharing::bmr::Opening;
use tacit_sharing::cost::Traffic;
use tacit_sharing::gmw::FAN;

/// Bytes of whole words of bits.
pub(crate) fn words(bits: usize) -> u64 {
    8 * bits.div_ceil(64) as u64
}

/// Bytes between `parties` for one instance, wire-authenticated.
#[must_use]
pub fn bytes(ports: Ports<'_>, parties: usize, opening: Opening) -> Traffic {
    let (ands, inputs) = (ports.ands(), ports.schedule.inputs().len());
    let chosen = |bits: usize| words(bits) * FAN.message_bits() as u64;
    let blocks = |count: usize| (count * KAPPA / 8) as u64;
    let mut sum = Traffic::default();
    let pairs = (0..parties).flat_map(|from| (0..parties).map(move |to| (from, to)));
    for (from, to) in pairs.filter(|(from, to)| from != to) {
        let given = ports.given_by(from);
        sum.pre[from][to] += words(ports.learned_by(to));
        let opened = blocks(ands * opening.blocks(parties, [from, to]));
        let chosen = chosen(given + ands) + chosen(ands);
        sum.def[from][to] += chosen + words(ands) + opened;
        sum.on[from][to] += words(given) + blocks(inputs);
    }
    sum
}
