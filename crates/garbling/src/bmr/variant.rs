//! What the variants of BMR are called, and in what they differ: how bits are multiplied by offsets of labels, how
//! garbled tables open, and what hides their rows.
//!
//! Source: A. Ben-Efraim, Y. Lindell, E. Omri, *Optimizing Semi-Honest Secure Multiparty Computation for the
//! Internet*, CCS 2016. [`Products::Offset`], [`Opening::Collector`] and [`Opening::Single`] are ours.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;
pub use tacit_protocol::{EVALUATOR, Opening};

/// How shares of row bits times offsets are made over oblivious transfer. Secure against all parties but one
/// that follow the protocol and pool what they see.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Products {
    /// Both strings of every transfer are sent, for all four rows.
    Basic,
    /// Both strings of every transfer are sent, for three rows; the fourth follows from them.
    Reduced,
    /// Three rows, and one string per transfer: what both differ by is corrected.
    Correlated,
    /// Three rows, and no string: transfers are correlated by the sender's offset of labels itself.
    Offset,
}

impl Products {
    /// All ways to make the products.
    pub const ALL: [Products; 4] =
        [Products::Basic, Products::Reduced, Products::Correlated, Products::Offset];

    /// The name on command lines.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Products::Basic => "bmr-basic",
            Products::Reduced => "bmr-reduced",
            Products::Correlated => "bmr-correlated",
            Products::Offset => "bmr-offset",
        }
    }

    /// Rows whose bits are multiplied.
    #[must_use]
    pub const fn rows(self) -> usize {
        if matches!(self, Products::Basic) { 4 } else { 3 }
    }

    /// Bits that the sender answers per transfer of a bit.
    #[must_use]
    pub const fn bits(self) -> usize {
        if matches!(self, Products::Basic | Products::Reduced) { 2 } else { 1 }
    }

    /// Blocks that the sender answers per transfer of a string.
    #[must_use]
    pub const fn blocks(self) -> usize {
        if matches!(self, Products::Offset) { 0 } else { self.bits() }
    }
}

/// Rounds of preprocessing where all is shared over the field of 2^128 elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Rounds {
    /// Four: degrees are reduced after both products. Fewer than half may pool what they see.
    Four,
    /// Three: degrees are reduced after the first product. Fewer than half may pool what they see.
    Three,
    /// Two: degrees are not reduced. Fewer than a third may pool what they see.
    Two,
}

impl Rounds {
    /// All numbers of rounds.
    pub const ALL: [Rounds; 3] = [Rounds::Four, Rounds::Three, Rounds::Two];

    /// The name on command lines.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Rounds::Four => "bmr-shamir-s4",
            Rounds::Three => "bmr-shamir-s3",
            Rounds::Two => "bmr-shamir-s2",
        }
    }

    /// The largest number of parties that may pool what they see, of so many: the degree of sharings.
    #[must_use]
    pub const fn corruptions(self, parties: usize) -> usize {
        let part = if matches!(self, Rounds::Two) { 3 } else { 2 };
        parties.div_ceil(part).saturating_sub(1)
    }

    /// The degree in which rows open.
    #[must_use]
    pub const fn opens(self, parties: usize) -> usize {
        let times = match self {
            Rounds::Four => 1,
            Rounds::Three => 2,
            Rounds::Two => 3,
        };
        times * self.corruptions(parties)
    }

    /// Elements per AND that a role of so many sends every other to reduce degrees.
    #[must_use]
    pub const fn reduced(self, parties: usize, role: usize) -> usize {
        match self {
            _ if role > 2 * self.corruptions(parties) => 0,
            Rounds::Four => 1 + 4 * parties,
            Rounds::Three => 1,
            Rounds::Two => 0,
        }
    }

    /// The fewest parties.
    #[must_use]
    pub const fn least(self) -> u8 {
        if matches!(self, Rounds::Two) { 4 } else { 3 }
    }
}

/// The pseudorandom function under two labels that rows of gates are hidden by: an agreed fact of a session.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
pub enum LabelFunction {
    /// AES under a key for each gate, of both labels combined and the column, plus both labels combined.
    #[default]
    DkMmo,
    /// AES under a key for each gate, in the mode of `DkMmo`, applied to what AES under that key makes of both labels
    /// combined. That takes a block more for each pair.
    DkTmmo,
    /// AES-256 under both labels, of the gate and the column: a key schedule for each pair. AES is not taken for an
    /// ideal cipher, but for a pseudorandom function also under related keys.
    Aes256,
}

impl LabelFunction {
    /// All label functions.
    pub const ALL: [LabelFunction; 3] =
        [LabelFunction::DkMmo, LabelFunction::DkTmmo, LabelFunction::Aes256];

    /// The name on command lines.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            LabelFunction::DkMmo => "dk-mmo",
            LabelFunction::DkTmmo => "dk-tmmo",
            LabelFunction::Aes256 => "aes256",
        }
    }
}

impl fmt::Display for LabelFunction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for LabelFunction {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        let found = Self::ALL.into_iter().find(|function| function.name() == name);
        found.ok_or_else(|| format!("no function of labels is called '{name}'"))
    }
}
