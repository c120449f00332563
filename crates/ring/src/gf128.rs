//! The field of 2^128 elements: polynomials over the bits modulo `X^128 + X^7 + X^2 + X + 1`.
//!
//! Bit `i` of a block is the coefficient of `X^i`. Addition is exclusive or. Inner products are added
//! up as polynomials and reduced once.

use crate::gf64::{Hardware, Multiplier, Portable};
use crate::simd::{self, Kernel};

/// `X` times an element.
#[inline(always)]
#[must_use]
pub fn times_x(a: u128) -> u128 {
    a << 1 ^ ((a >> 127).wrapping_neg() & 0x87)
}

/// A sum of products, not reduced: low, middle and high parts, at multiples of 64 bits.
#[derive(Clone, Copy, Default)]
struct Wide([u128; 3]);

impl Wide {
    #[inline(always)]
    fn add_product<M: Multiplier>(&mut self, m: M, a: u128, b: u128) {
        let [a0, a1, b0, b1] = [a as u64, (a >> 64) as u64, b as u64, (b >> 64) as u64];
        self.0[0] ^= m.multiply_wide(a0, b0);
        self.0[1] ^= m.multiply_wide(a0, b1) ^ m.multiply_wide(a1, b0);
        self.0[2] ^= m.multiply_wide(a1, b1);
    }

    #[inline(always)]
    fn reduce(self) -> u128 {
        let [low, middle, high] = self.0;
        let (low, high) = (low ^ middle << 64, high ^ middle >> 64);
        // X^128 = X^7 + X^2 + X + 1, twice: the first time up to seven bits stand out.
        let out = high >> 127 ^ high >> 126 ^ high >> 121;
        let high = high ^ out;
        low ^ high ^ high << 1 ^ high << 2 ^ high << 7
    }
}

struct Inner<'a, M>(M, &'a [u128], &'a [u128]);

impl<M: Multiplier> Kernel for Inner<'_, M> {
    type Output = u128;

    #[inline(always)]
    fn run(self) -> u128 {
        let Inner(m, a, b) = self;
        let mut sum = Wide::default();
        for (a, b) in a.iter().zip(b) {
            sum.add_product(m, *a, *b);
        }
        sum.reduce()
    }
}

/// `sum a_i b_i`. All elements take the same time.
///
/// # Panics
/// When there are not as many of both.
#[must_use]
pub fn inner_product(a: &[u128], b: &[u128]) -> u128 {
    assert_eq!(a.len(), b.len(), "as many factors on both sides");
    match Hardware::detect() {
        Some(hardware) => simd::run(Inner(hardware, a, b)),
        None => simd::run(Inner(Portable, a, b)),
    }
}

struct Scaled<'a, M>(M, u128, &'a [u128], &'a mut [[u128; 3]]);

impl<M: Multiplier> Kernel for Scaled<'_, M> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let Scaled(m, by, blocks, sums) = self;
        for (sum, block) in sums.iter_mut().zip(blocks) {
            let mut wide = Wide(*sum);
            wide.add_product(m, by, *block);
            *sum = wide.0;
        }
    }
}

/// Sums of products with the same factor on one side, many beside each other.
pub struct Sums(Vec<[u128; 3]>);

impl Sums {
    /// So many empty ones.
    #[must_use]
    pub fn new(count: usize) -> Self {
        Sums(vec![[0; 3]; count])
    }

    /// Adds `by` times block `i` to sum `i`.
    ///
    /// # Panics
    /// When there is not a block for each sum.
    pub fn add(&mut self, by: u128, blocks: &[u128]) {
        assert_eq!(blocks.len(), self.0.len(), "a block for each sum");
        match Hardware::detect() {
            Some(hardware) => simd::run(Scaled(hardware, by, blocks, &mut self.0)),
            None => simd::run(Scaled(Portable, by, blocks, &mut self.0)),
        }
    }

    /// The sums.
    #[must_use]
    pub fn reduce(&self) -> Vec<u128> {
        self.0.iter().map(|sum| Wide(*sum).reduce()).collect()
    }
}

impl Drop for Sums {
    fn drop(&mut self) {
        zeroize::Zeroize::zeroize(&mut self.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn slowly(mut a: u128, b: u128) -> u128 {
        let mut product = 0;
        for i in 0..128 {
            product ^= (b >> i & 1).wrapping_neg() & a;
            a = times_x(a);
        }
        product
    }

    #[test]
    fn known_answers() {
        let (a, b) = (0x0123456789abcdeffedcba9876543210, 0xdeadbeefcafebabe0011223344556677);
        assert_eq!(inner_product(&[a], &[b]), 0xfa990997bd53944d1a1576f80d93b1dd);
        assert_eq!(times_x(1 << 127), 0x87);
    }

    proptest! {
        #[test]
        fn sums_are_those_bit_by_bit(pairs in prop::collection::vec((any::<u128>(), any::<u128>()), 0..9)) {
            let (a, b): (Vec<u128>, Vec<u128>) = pairs.into_iter().unzip();
            let want = a.iter().zip(&b).fold(0, |sum, (a, b)| sum ^ slowly(*a, *b));
            prop_assert_eq!(inner_product(&a, &b), want);
            prop_assert_eq!(simd::run(Inner(Portable, &a, &b)), want);
            let mut sums = Sums::new(1);
            a.iter().zip(&b).for_each(|(a, b)| sums.add(*a, &[*b]));
            prop_assert_eq!(sums.reduce(), vec![want]);
        }
    }

    #[test]
    fn the_modulus_is_irreducible() {
        let power = |a: u128, e: u32| (0..e).fold(a, |a, _| inner_product(&[a], &[a]));
        // X^(2^128) = X, and X^(2^64) - X has an inverse: its (2^128 - 1)th power is 1.
        let x = 2;
        assert_eq!(power(x, 128), x);
        let d = power(x, 64) ^ x;
        let inverse = (1..128).map(|i| power(d, i)).fold(1, |a, b| inner_product(&[a], &[b]));
        assert_eq!(inner_product(&[d], &[inverse]), 1);
    }
}
