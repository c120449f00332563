//! What proofs compute in: fields whose elements are words, and extensions of rings
//! ([`Extension`](super::extension::Extension)).

use super::{fold, level};
use tacit_ring::gf64::{self, Multiplier, Wide};
use tacit_ring::prime::Prime;
use tacit_ring::{Buffer, Word, word};

/// A ring with many elements whose differences have inverses: what is not zero, times a random one of them, is
/// zero for one of them alone.
pub(super) trait Algebra: Copy + Send + Sync {
    /// An element. What the type computes by itself need not be what this ring does.
    type Element: Word;
    /// What a uniform element is drawn as.
    type Drawn: Word;
    /// Variables that are folded at once, at most.
    const VARIABLES: usize;
    /// Length of vectors that are not folded any more.
    const SHORT: usize;
    /// How many draws are added up to one that masks an element. The distance of such a sum from a uniform element is twice the product of the
    /// draws' distances at most.
    const DRAWS: usize;

    /// An element as good as uniform, from uniform bits.
    fn drawn(self, bits: Self::Drawn) -> Self::Element;
    /// One of the elements whose differences have inverses, from uniform bits.
    fn challenge(self, bits: u128) -> Self::Element;
    /// Elements as they are sent.
    fn packed(self, elements: &[Self::Element]) -> Buffer<u8>;
    /// Elements as they were sent, if they are such.
    fn unpacked(self, bytes: &[u8]) -> Option<Buffer<Self::Element>>;
    /// A sum.
    fn sum(self, a: Self::Element, b: Self::Element) -> Self::Element;
    /// A difference.
    fn difference(self, a: Self::Element, b: Self::Element) -> Self::Element;
    /// A product.
    fn product(self, a: Self::Element, b: Self::Element) -> Self::Element;
    /// A role's summands of the values at the points of a grid, of vectors cut into blocks of so many elements.
    fn grid(
        self,
        vectors: [fold::Runs<'_, Self::Element>; 2],
        variables: usize,
        blocks: usize,
    ) -> Buffer<Self::Element>;
    /// Adds up the blocks of a vector, as many as there are weights, each times its weight.
    fn folded(self, weights: &[Self::Element], run: &[Self::Element], folded: &mut [Self::Element]);
}

impl<F: Field> Algebra for F {
    type Element = u64;
    type Drawn = u128;
    const VARIABLES: usize = fold::MOST;
    const SHORT: usize = F::SHORT;
    const DRAWS: usize = F::DRAWS;

    fn drawn(self, bits: u128) -> u64 {
        self.random(bits)
    }

    fn challenge(self, bits: u128) -> u64 {
        self.random(bits)
    }

    fn packed(self, elements: &[u64]) -> Buffer<u8> {
        Buffer::from_slice(word::bytes(elements))
    }

    fn unpacked(self, bytes: &[u8]) -> Option<Buffer<u64>> {
        let mut elements = Buffer::zeros(bytes.len() / 8);
        word::bytes_mut(&mut elements).copy_from_slice(bytes);
        elements.iter().all(|element| self.has(*element)).then_some(elements)
    }

    #[inline(always)]
    fn sum(self, a: u64, b: u64) -> u64 {
        self.add(a, b)
    }

    #[inline(always)]
    fn difference(self, a: u64, b: u64) -> u64 {
        self.sub(a, b)
    }

    #[inline(always)]
    fn product(self, a: u64, b: u64) -> u64 {
        self.mul(a, b)
    }

    fn grid(self, vectors: [fold::Runs<'_>; 2], variables: usize, blocks: usize) -> Buffer<u64> {
        level::grid(self, vectors, variables, blocks)
    }

    fn folded(self, weights: &[u64], run: &[u64], folded: &mut [u64]) {
        level::folded(self, weights, run, folded);
    }
}

/// A field of at least 2^60 elements, which are words.
pub(super) trait Field: Copy + Send + Sync {
    /// A sum of products that is not reduced yet.
    type Sum: Copy;
    /// Products that such a sum may have.
    const TERMS: usize;
    /// Length of vectors that a proof does not fold any more.
    const SHORT: usize = fold::SHORT;
    /// How many draws mask an element: see [`Algebra::DRAWS`].
    const DRAWS: usize = 1;
    /// No products.
    const NONE: Self::Sum;

    /// What computes on many elements at once, where this field has it.
    fn wide(self) -> Option<Wide> {
        None
    }
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
    // 128 bits modulo a prime are off by up to 2^-69, and thousands of elements are masked by such in a proof.
    const DRAWS: usize = 2;
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

    fn wide(self) -> Option<Wide> {
        self.0.wide()
    }

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
