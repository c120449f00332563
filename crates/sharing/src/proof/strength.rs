//! How rarely a cheat passes: the statistical parameter.

use super::{BatchSize, Method, Source, lift};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// The statistical parameter of proofs and checks of products: a cheat passes with probability two to the
/// minus this at most.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
pub enum Strength {
    /// 40: the usual one.
    #[default]
    Usual,
    /// 64: for those who are asked to have it.
    Strong,
}

impl Strength {
    /// The parameter.
    #[must_use]
    pub const fn bits(self) -> u32 {
        match self {
            Strength::Usual => 40,
            Strength::Strong => 64,
        }
    }

    /// Bits by which masks of integers are wider than what they hide: [`Proving::MOST_MASKED`] of them hide it still.
    pub(super) const fn mask_bits(self) -> u32 {
        self.bits() + Proving::MOST_MASKED.ilog2()
    }

    /// How often a claim is proven in a field of one word, where a wrong one passes with `2^-48` at most.
    pub(super) const fn proofs(self) -> u64 {
        match self {
            Strength::Usual => 1,
            Strength::Strong => 2,
        }
    }
}

/// No such statistical parameter is offered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a statistical parameter is 40 or 64")]
pub struct UnknownStrength;

impl FromStr for Strength {
    type Err = UnknownStrength;

    fn from_str(text: &str) -> Result<Self, UnknownStrength> {
        let all = [Strength::Usual, Strength::Strong];
        all.into_iter().find(|strength| strength.to_string() == text).ok_or(UnknownStrength)
    }
}

impl fmt::Display for Strength {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.bits())
    }
}

/// What is done about products, and how rarely it is passed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Proving {
    /// What is done.
    pub method: Method,
    /// How rarely a cheat passes.
    pub strength: Strength,
    /// How many products are checked together, where that was asked for.
    pub batch: Option<BatchSize>,
}

impl Proving {
    /// Integers that may be sent under masks in a run: each shows something with a chance so small that those of
    /// so many add up to two to the minus the statistical parameter.
    pub const MOST_MASKED: u64 = 1 << 24;

    /// Whether there may be so many products that more integers are sent under masks than
    /// [may](Proving::MOST_MASKED) be. Usual batches of [`Method::Lift`] take `2^36` products for that.
    #[must_use]
    pub fn must_count_masked(self) -> bool {
        match self.method {
            Method::Lift => self.batch.is_some(),
            _ => self.masked(64, 1) > 0,
        }
    }

    /// Integers under masks in a batch of so many results over words of so many bits.
    pub(super) fn masked(self, bits: u32, results: usize) -> u64 {
        use Source::{Batch, Integers, Polynomials, Single};
        match self.method {
            _ if bits == 1 => 0,
            Method::Lift => lift::subsets(self.strength) as u64,
            Method::Integers | Method::Brain(Single | Polynomials | Batch | Integers) => {
                results as u64
            }
            _ => 0,
        }
    }

    /// Words of a ring that are checked together: the usual ones, unless others are asked for.
    pub(super) fn batch_or(self, bits: u32, usual: usize) -> usize {
        self.batch.map_or(usual, |batch| batch.words(bits))
    }
}
