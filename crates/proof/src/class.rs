//! What is proven in the same way.

use super::method::Method;
use super::strength::Proving;

/// Products of bits that are proven together, in words.
pub(super) const BIT_WORDS: usize = 1 << 17;
/// Products of a ring that are proven together.
const TERMS: usize = 1 << 18;

/// Products of bits that are summed up, proven together, in words: each bit is an element then.
const SUM_WORDS: usize = 1 << 12;
/// Products of bits, in words, that are proven together where results are sums of any length: what comes of one large circuit,
/// since every batch before the end takes rounds that it waits for. A little less than 2^19, so that with what fills blocks up there are 2^14
/// words in each, and two folds by four variables end at what opens.
const GROUP_WORDS: usize = (1 << 19) - (1 << 15);

/// What is proven in the same way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Class {
    /// Bits of a ring element.
    pub bits: u32,
    /// Whether results of bits may be sums of products.
    pub sums: bool,
}

impl Class {
    pub fn of(method: Method, bits: u32, terms: usize) -> Self {
        // What is sent for products of many factors is proven together, whether statements are sums or not.
        Class { bits, sums: bits == 1 && (terms != 1 || method == Method::WideLift) }
    }

    /// Words of factors that are proven together: as few results as reach this.
    pub fn limit(self, proving: Proving) -> usize {
        let usual = match self {
            Class { bits: 1, sums: false } => BIT_WORDS,
            Class { bits: 1, sums: true } if proving.method == Method::WideLift => GROUP_WORDS,
            Class { bits: 1, sums: true } => SUM_WORDS,
            _ => TERMS,
        };
        proving.batch_or(self.bits, usual)
    }
}
