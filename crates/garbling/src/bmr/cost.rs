//! What BMR sends, byte for byte.

use crate::bits::words;
use crate::bmr::Opening;
use crate::garbler::Counter;
use crate::links::pairs;
use crate::ports::Ports;
use tacit_gmw::{FAN, silent_bytes as silent_transfers};
use tacit_ot::KAPPA;
use tacit_sharing::cost::Traffic;

/// What circuits cost, one after the other, wire-authenticated.
pub(crate) struct CostOfBmr {
    opening: Opening,
    silent: bool,
    /// Without what silent transfers take.
    sum: Traffic,
    /// By role, transfers in which it chose.
    chosen: Vec<usize>,
}

impl CostOfBmr {
    /// Nothing yet, between so many parties, with silent transfers or others.
    pub fn new(parties: usize, opening: Opening, silent: bool) -> Self {
        CostOfBmr { opening, silent, sum: Traffic::default(), chosen: vec![0; parties] }
    }
}

impl Counter for CostOfBmr {
    fn add(&mut self, ports: Ports<'_>, instances: usize) {
        let bits = if self.silent { 1 } else { FAN.message_bits() };
        let one = with_choices(ports, self.chosen.len(), self.opening, bits);
        self.sum += one * instances as u64;
        for (role, chosen) in self.chosen.iter_mut().enumerate() {
            *chosen += instances * (ports.given_by(role) + 2 * ports.ands());
        }
    }

    fn bytes(&self) -> Traffic {
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
pub(crate) fn online(
    ports: Ports<'_>,
    (keepers, opening): (usize, Opening),
    [from, to]: [usize; 2],
) -> u64 {
    let shown = ports.shown();
    let labels = if from < keepers && opening.evaluates(to) { shown } else { 0 };
    let tells = opening.evaluates(from) && !opening.evaluates(to);
    let told = if tells { ports.learned_by(to) } else { 0 };
    words(ports.given_by(from)) + (labels * KAPPA / 8) as u64 + words(told)
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
