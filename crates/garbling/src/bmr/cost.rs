//! What BMR sends, byte for byte, and what all its forms have in common for who asks.

use crate::garbler::{Counter, Kept, MAX_ANDS, Terms};
use crate::links::pairs;
use crate::ports::{KEPT, Ports};
use tacit_ot::KAPPA;
use tacit_sharing::RoleId;
use tacit_sharing::bmr::Opening;
use tacit_sharing::cost::Traffic;
use tacit_sharing::gmw::{FAN, silent_bytes as silent_transfers};
use tacit_sharing::latencies::Latencies;
use tacit_sharing::work::Work;

/// Bytes of whole words of bits.
pub(crate) fn words(bits: usize) -> u64 {
    8 * bits.div_ceil(64) as u64
}

/// What circuits cost, one after the other, wire-authenticated.
pub(super) struct CostOfBmr {
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

/// Bits of a table of so many columns that one role sends another.
pub(super) fn table_bits(columns: usize, opening: Opening, link: [RoleId; 2]) -> u64 {
    (KAPPA * opening.blocks(columns, link)) as u64
}

/// Rounds that a role waits for: for public values of inputs, then for labels, or, if it does not evaluate, for public
/// values of outputs.
pub(super) fn rounds(terms: &Terms, ports: Ports<'_>, me: RoleId) -> u64 {
    let evaluates = terms.opening.evaluates(me);
    ports.others_give(me) + if evaluates { ports.somebody_gives() } else { ports.learns(me) }
}

/// With so many latencies ahead until tables open.
pub(super) fn latencies(terms: &Terms, set_up: u64, ahead: u64) -> Latencies {
    let (opened, told) = match terms.opening {
        // By everybody to everybody.
        Opening::All => (1, 0),
        // By way of those who add up columns.
        Opening::Collector => (2, 0),
        // The one who evaluates tells the others.
        Opening::Single => (1, 2),
    };
    Latencies { set_up, ahead: ahead + opened, online: 2 + told }
}

/// What a party keeps for so many columns, with so many blocks of its own per AND; and columns under way: from everybody
/// all of them, perhaps.
pub(super) fn kept(terms: &Terms, columns: usize, blocks: usize) -> Kept {
    let under_way = match terms.opening {
        Opening::All => 4 * terms.parties * terms.parties,
        Opening::Collector | Opening::Single => 0,
    };
    Kept { blocks: blocks + under_way, table_bytes: 64 * columns, most_ands: Some(MAX_ANDS) }
}

/// Per AND, beside what products take ahead, where all parties have labels: `4 n` blocks ahead, and `n^2` online. Handling
/// a gate takes what it does by measurement.
pub(super) fn work(parties: usize, products: Work) -> [Work; 2] {
    let n = parties as f64;
    [products + Work::blocks(4.0 * n) + Work::gates(2.0 * n), Work::blocks(n * n) + HANDLED]
}

/// What a gate takes online beside its blocks.
pub(super) const HANDLED: Work = Work { gates: 2.0, ..Work::NONE };

/// ANDs of all parties' circuits together, where a program is garbled circuit by circuit: with few, what is drawn and
/// garbled stays in caches; with many, it takes fewer rounds.
pub(super) const BLOCK_ANDS: usize = 1 << 18;

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
