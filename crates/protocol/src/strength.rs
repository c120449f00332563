//! How rarely a cheat passes: the statistical parameter.

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
