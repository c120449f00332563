//! What is proven in the same way, and what a proof costs.

use super::{Method, Proving, bits, galois, lift};
use std::ops::{Add, AddAssign};

/// Products of bits that are proven together, in words.
pub(super) const BIT_WORDS: usize = 1 << 17;
/// Products of a ring that are proven together.
const TERMS: usize = 1 << 18;

/// Products of bits that are summed up, proven together, in words: each bit is an element then.
const SUM_WORDS: usize = 1 << 12;

/// What is proven in the same way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Class {
    /// Bits of a ring element.
    pub bits: u32,
    /// Whether products of bits are summed up.
    pub sums: bool,
}

impl Class {
    pub fn new(bits: u32, terms: usize) -> Self {
        Class { bits, sums: bits == 1 && terms != 1 }
    }

    /// Words of factors that are proven together: as few results as reach this.
    pub fn limit(self, proving: Proving) -> usize {
        let usual = match self {
            Class { bits: 1, sums: false } => BIT_WORDS,
            Class { bits: 1, sums: true } => SUM_WORDS,
            _ => TERMS,
        };
        proving.batch_or(self.bits, usual)
    }

    /// Terms of a sum at most: integers of sums have room for no more, and sums of bits are proven
    /// element by element.
    pub fn most_terms(self, method: Method) -> usize {
        match (self.sums, method) {
            (true, _) => 1 << 16,
            (_, Method::Galois) if self.bits > 1 => galois::MOST_TERMS,
            _ => 1 << 28,
        }
    }

    /// What one proof of so many words of factors costs.
    pub fn cost(self, Proving { method, strength, .. }: Proving, terms: usize) -> Charge {
        let each = match self {
            Class { bits: 1, sums: false } => bits::cost(terms).charge(),
            Class { bits: 1, sums: true } => bits::cost_of_sums(terms).charge(),
            Class { bits, .. } if method == Method::Galois => galois::cost(bits, terms),
            Class { bits, .. } => return lift::cost(bits, strength, terms),
        };
        each.times(super::proofs(strength))
    }
}

/// What each role pays, and the rounds that it takes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Charge {
    /// Bytes to the previous role, without coins.
    pub bytes: u64,
    /// Coins, of 32 bytes to each other role.
    pub coins: u64,
    pub rounds: u64,
}

impl Charge {
    /// The charge for doing this `times` times.
    pub fn times(self, times: u64) -> Charge {
        let Charge { bytes, coins, rounds } = self;
        Charge { bytes: bytes * times, coins: coins * times, rounds: rounds * times }
    }
}

impl Add for Charge {
    type Output = Charge;
    fn add(self, other: Charge) -> Charge {
        let Charge { bytes, coins, rounds } = other;
        Charge {
            bytes: self.bytes + bytes,
            coins: self.coins + coins,
            rounds: self.rounds + rounds,
        }
    }
}

impl AddAssign for Charge {
    fn add_assign(&mut self, other: Charge) {
        *self = *self + other;
    }
}
