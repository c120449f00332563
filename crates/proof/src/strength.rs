//! What is done about products, and how rarely a cheat passes it.

use super::method::Method;
use serde::{Deserialize, Serialize};
use tacit_protocol::{BatchSize, Protocol, Strength};

/// Bits by which masks of integers are wider than what they hide: [`Proving::MOST_MASKED`] of them hide it still.
pub(super) const fn mask_bits(strength: Strength) -> u32 {
    strength.bits() + Proving::MOST_MASKED.ilog2()
}

/// How often a claim is proven in a field of one word, where a wrong one passes with `2^-48` at most.
pub(super) const fn proofs(strength: Strength) -> u64 {
    match strength {
        Strength::Usual => 1,
        Strength::Strong => 2,
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
    /// What a protocol does about products, if anything.
    #[must_use]
    pub fn of(protocol: Protocol) -> Option<Self> {
        let (strength, batch) = (protocol.strength(), protocol.batch());
        Method::of(protocol).map(|method| Proving { method, strength, batch })
    }

    /// Integers that may be sent under masks in a run: each shows something with a chance so small that those of
    /// so many add up to two to the minus the statistical parameter.
    pub const MOST_MASKED: u64 = 1 << 24;

    /// Words of a ring that are checked together: the usual ones, unless others are asked for.
    pub(super) fn batch_or(self, bits: u32, usual: usize) -> usize {
        self.batch.map_or(usual, |batch| words_of(batch, bits))
    }
}

/// Words of a ring in a batch: 64 products of bits are one.
fn words_of(batch: BatchSize, bits: u32) -> usize {
    let products = batch.products() as usize;
    if bits == 1 { products.div_ceil(64) } else { products }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_of_a_batch_has_64_products_of_bits() {
        let batch: BatchSize = "65x3".parse().unwrap();
        assert_eq!([1, 8, 64].map(|bits| words_of(batch, bits)), [2, 65, 65]);
    }
}
