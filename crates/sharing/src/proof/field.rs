//! The fields that proofs compute in: elements are words.

use tacit_ring::gf64::{self, Multiplier};
use tacit_ring::prime::Prime;

/// A field of at least 2^60 elements.
pub(super) trait Field: Copy + Send + Sync {
    /// A sum of products that is not reduced yet.
    type Sum: Copy;
    /// Products that such a sum may have.
    const TERMS: usize;
    /// No products.
    const NONE: Self::Sum;

    /// An element as good as uniform, from uniform bits.
    fn random(self, bits: u128) -> u64;
    /// Whether a word is an element.
    fn has(self, word: u64) -> bool;
    /// A sum.
    fn add(self, a: u64, b: u64) -> u64;
    /// A difference.
    fn sub(self, a: u64, b: u64) -> u64;
    /// A product.
    fn mul(self, a: u64, b: u64) -> u64;
    /// A sum and one product more.
    fn plus(self, sum: Self::Sum, a: u64, b: u64) -> Self::Sum;
    /// The value of a sum.
    fn total(self, sum: Self::Sum) -> u64;
    /// An element in the form for [`Field::weighted`].
    fn weight(self, a: u64) -> u64;
    /// The value of a sum of at most eight products with weights.
    fn weighted(self, sum: Self::Sum) -> u64;
}

/// A field of numbers modulo a prime.
pub(super) trait Residues: Field {
    /// The remainder of a number.
    fn remainder(self, number: u128) -> u64;
}

impl Residues for Prime {
    fn remainder(self, number: u128) -> u64 {
        self.reduce(number)
    }
}

impl Field for Prime {
    type Sum = u128;
    const TERMS: usize = 32;
    const NONE: u128 = 0;

    fn random(self, bits: u128) -> u64 {
        self.reduce(bits)
    }

    fn has(self, word: u64) -> bool {
        word < self.modulus()
    }

    #[inline(always)]
    fn add(self, a: u64, b: u64) -> u64 {
        Prime::add(self, a, b)
    }

    #[inline(always)]
    fn sub(self, a: u64, b: u64) -> u64 {
        Prime::sub(self, a, b)
    }

    #[inline(always)]
    fn mul(self, a: u64, b: u64) -> u64 {
        Prime::mul(self, a, b)
    }

    #[inline(always)]
    fn plus(self, sum: u128, a: u64, b: u64) -> u128 {
        sum + u128::from(a) * u128::from(b)
    }

    #[inline(always)]
    fn total(self, sum: u128) -> u64 {
        self.reduce(sum)
    }

    #[inline(always)]
    fn weight(self, a: u64) -> u64 {
        self.shifted_up(a)
    }

    #[inline(always)]
    fn weighted(self, sum: u128) -> u64 {
        // Eight products are less than 2^64 p: p is less than 2^61.
        self.shifted_down(sum)
    }
}

/// [`gf64`], with one of its ways to multiply.
#[derive(Clone, Copy)]
pub(super) struct Gf64<M>(pub M);

impl<M: Multiplier> Field for Gf64<M> {
    type Sum = u128;
    const TERMS: usize = usize::MAX;
    const NONE: u128 = 0;

    fn random(self, bits: u128) -> u64 {
        bits as u64
    }

    fn has(self, _: u64) -> bool {
        true
    }

    #[inline(always)]
    fn add(self, a: u64, b: u64) -> u64 {
        a ^ b
    }

    #[inline(always)]
    fn sub(self, a: u64, b: u64) -> u64 {
        a ^ b
    }

    #[inline(always)]
    fn mul(self, a: u64, b: u64) -> u64 {
        self.0.multiply(a, b)
    }

    #[inline(always)]
    fn plus(self, sum: u128, a: u64, b: u64) -> u128 {
        sum ^ self.0.multiply_wide(a, b)
    }

    #[inline(always)]
    fn total(self, sum: u128) -> u64 {
        gf64::reduce(sum)
    }

    #[inline(always)]
    fn weight(self, a: u64) -> u64 {
        a
    }

    #[inline(always)]
    fn weighted(self, sum: u128) -> u64 {
        gf64::reduce(sum)
    }
}
