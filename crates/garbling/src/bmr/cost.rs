//! What BMR sends, byte for byte.

use crate::Ports;
use tacit_ot::KAPPA;
use tacit_sharing::bmr::Opening;
use tacit_sharing::cost::Traffic;
use tacit_sharing::gmw::{FAN, silent_bytes as silent_transfers};

/// Bytes of whole words of bits.
pub(crate) fn words(bits: usize) -> u64 {
    8 * bits.div_ceil(64) as u64
}

/// Bytes between `parties` for one instance, wire-authenticated.
#[must_use]
pub fn bytes(ports: Ports<'_>, parties: usize, opening: Opening) -> Traffic {
    with_choices(ports, parties, opening, FAN.message_bits())
}

/// Bytes between `parties` for so many instances of one worker, wire-authenticated, with silent transfers.
#[must_use]
pub fn silent_bytes(
    ports: Ports<'_>,
    parties: usize,
    opening: Opening,
    instances: usize,
) -> Traffic {
    let mut sum = with_choices(ports, parties, opening, 1) * instances as u64;
    let made = |role| silent_transfers(instances * (ports.given_by(role) + 2 * ports.ands()));
    for (from, to) in pairs(parties) {
        sum.def[from][to] += made(from)[0] + made(to)[1];
    }
    sum
}

/// Online bytes from a role to another for one instance, where the first `keepers` roles have labels.
pub(super) fn online(
    ports: Ports<'_>,
    (keepers, opening): (usize, Opening),
    [from, to]: [usize; 2],
) -> u64 {
    let labels =
        if from < keepers && opening.evaluates(to) { ports.schedule.inputs().len() } else { 0 };
    let tells = opening.evaluates(from) && !opening.evaluates(to);
    let told = if tells { ports.learned_by(to) } else { 0 };
    words(ports.given_by(from)) + (labels * KAPPA / 8) as u64 + words(told)
}

fn pairs(parties: usize) -> impl Iterator<Item = (usize, usize)> {
    let all = (0..parties).flat_map(move |from| (0..parties).map(move |to| (from, to)));
    all.filter(|(from, to)| from != to)
}

/// With so many bits per choice.
fn with_choices(ports: Ports<'_>, parties: usize, opening: Opening, bits: usize) -> Traffic {
    let ands = ports.ands();
    let chosen = |count: usize| words(count) * bits as u64;
    let blocks = |count: usize| (count * KAPPA / 8) as u64;
    let mut sum = Traffic::default();
    for (from, to) in pairs(parties) {
        let given = ports.given_by(from);
        sum.pre[from][to] += words(ports.learned_by(to));
        let opened = blocks(ands * opening.blocks(parties, [from, to]));
        let chosen = chosen(given + ands) + chosen(ands);
        sum.def[from][to] += chosen + words(ands) + opened;
        sum.on[from][to] += online(ports, (parties, opening), [from, to]);
    }
    sum
}
