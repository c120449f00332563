//! How rarely a cheat passes: the statistical parameter.

use super::{BatchSize, Method};
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

    /// Bits by which masks of integers are wider than what they hide: `2^24` of them hide it still.
    pub(super) const fn mask_bits(self) -> u32 {
        self.bits() + 24
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
    /// Words of a ring that are checked together: the usual ones, unless others are asked for.
    pub(super) fn batch_or(self, bits: u32, usual: usize) -> usize {
        self.batch.map_or(usual, |batch| batch.words(bits))
    }
}
