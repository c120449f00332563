//! What is proven in the same way.

use super::strength::Proving;

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
}
