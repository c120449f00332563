//! What BMR sends, byte for byte.

use super::{blocks, over_ot, replicated, shamir};
use crate::Ports;
use crate::ports::KEPT;
use tacit_ot::KAPPA;
use tacit_sharing::Protocol;
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

/// Bytes between the parties for one instance under any form of BMR whose instances cost the same each: all but with
/// silent transfers.
#[must_use]
pub fn bytes_of(protocol: Protocol, opening: Opening, ports: Ports<'_>) -> Option<Traffic> {
    let parties = protocol.parties();
    Some(match protocol {
        Protocol::Bmr(_) => bytes(ports, parties, opening),
        Protocol::BmrOt(products, _) => over_ot::bytes(ports, parties, (products, opening), FAN),
        Protocol::BmrShamir(_) => shamir::bytes(ports, parties, opening),
        Protocol::BmrBlocks(rounds, _) => blocks::bytes(ports, parties, (rounds, opening)),
        Protocol::BmrReplicated => replicated::bytes(ports, opening),
        _ => return None,
    })
}

/// Bytes between `parties` for so many instances of one worker, wire-authenticated, with silent transfers.
#[must_use]
pub fn silent_bytes(
    ports: Ports<'_>,
    parties: usize,
    opening: Opening,
    instances: usize,
) -> Traffic {
    let mut cost = CostOfBmr::new(parties, opening, true);
    cost.add(ports, instances);
    cost.bytes()
}

/// What circuits cost, one after the other, wire-authenticated.
pub struct CostOfBmr {
    opening: Opening,
    silent: bool,
    /// Without what silent transfers take.
    sum: Traffic,
    /// By role, transfers in which it chose.
    chosen: Vec<usize>,
}

impl CostOfBmr {
    /// Nothing yet, between so many parties, with silent transfers or others.
    #[must_use]
    pub fn new(parties: usize, opening: Opening, silent: bool) -> Self {
        CostOfBmr { opening, silent, sum: Traffic::default(), chosen: vec![0; parties] }
    }

    /// Adds so many instances of a circuit.
    pub fn add(&mut self, ports: Ports<'_>, instances: usize) {
        let bits = if self.silent { 1 } else { FAN.message_bits() };
        let one = with_choices(ports, self.chosen.len(), self.opening, bits);
        self.sum += one * instances as u64;
        for (role, chosen) in self.chosen.iter_mut().enumerate() {
            *chosen += instances * (ports.given_by(role) + 2 * ports.ands());
        }
    }

    /// Bytes per directed link.
    #[must_use]
    pub fn bytes(&self) -> Traffic {
        let mut sum = self.sum.clone();
        if self.silent {
            let made: Vec<_> = self.chosen.iter().map(|count| silent_transfers(*count)).collect();
            for (from, to) in pairs(made.len()) {
                sum.def[from][to] += made[from][0] + made[to][1];
            }
        }
        sum
    }
}

/// Online bytes from a role to another for one instance, where the first `keepers` roles have labels.
pub(super) fn online(
    ports: Ports<'_>,
    (keepers, opening): (usize, Opening),
    [from, to]: [usize; 2],
) -> u64 {
    let shown = ports.schedule.inputs().len() - ports.given_by(KEPT);
    let labels = if from < keepers && opening.evaluates(to) { shown } else { 0 };
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
