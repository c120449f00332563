//! The field of 2^128 elements: polynomials over the bits modulo `X^128 + X^7 + X^2 + X + 1`.
//!
//! Bit `i` of a block is the coefficient of `X^i`. Addition is exclusive or. Inner products are added
//! up as polynomials and reduced once.
//!
//! ```
//! use tacit_ring::gf128::{inner_product, times_x};
//!
//! let (a, b) = (1u128 << 127 | 1, 6);
//! assert_eq!(inner_product(&[2], &[a]), times_x(a)); // 2 is the element X
//! assert_eq!(inner_product(&[2, 4], &[a, b]), times_x(a) ^ times_x(times_x(b)));
//! ```

#[cfg(target_arch = "x86_64")]
mod x86;

use crate::gf64::{Hardware, Multiplier, Portable};
use crate::simd::{self, Kernel};

/// Multiplies an element by `X`.
#[inline(always)]
#[must_use]
pub fn times_x(a: u128) -> u128 {
    a << 1 ^ ((a >> 127).wrapping_neg() & 0x87)
}

/// A sum of products that is not reduced yet: its low, middle and high parts, at multiples of 64 bits.
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

    #[cfg(target_arch = "x86_64")]
    fn add(&mut self, other: Wide) {
        self.0.iter_mut().zip(other.0).for_each(|(part, other)| *part ^= other);
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
    type Output = Wide;

    #[inline(always)]
    fn run(self) -> Wide {
        let Inner(m, a, b) = self;
        let mut sum = Wide::default();
        for (a, b) in a.iter().zip(b) {
            sum.add_product(m, *a, *b);
        }
        sum
    }
}

/// Computes `sum a_i b_i`. The time depends on the number of elements alone.
///
/// # Panics
/// When there are not as many of both.
#[must_use]
pub fn inner_product(a: &[u128], b: &[u128]) -> u128 {
    assert_eq!(a.len(), b.len(), "as many factors on both sides");
    #[cfg(target_arch = "x86_64")]
    if let Some(found) = x86::Found::detect() {
        let (mut sum, done) = found.inner_product(a, b);
        match Hardware::detect() {
            Some(hardware) => sum.add(simd::run(Inner(hardware, &a[done..], &b[done..]))),
            None => sum.add(Inner(Portable, &a[done..], &b[done..]).run()),
        }
        return sum.reduce();
    }
    match Hardware::detect() {
        Some(hardware) => simd::run(Inner(hardware, a, b)),
        None => simd::run(Inner(Portable, a, b)),
    }
    .reduce()
}

struct Scaled<'a, M> {
    multiplier: M,
    by: &'a [u128],
    blocks: &'a [u128],
    sums: &'a mut [Vec<u128>; 3],
    /// The kernel before this one has added everything below this index.
    from: usize,
}

impl<M: Multiplier> Kernel for Scaled<'_, M> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let Scaled { multiplier, by, blocks, sums, from } = self;
        let count = sums[0].len();
        for (by, list) in by.iter().zip(blocks.chunks_exact(count.max(1))) {
            for i in from..count {
                let mut wide = Wide([0, 1, 2].map(|part| sums[part][i]));
                wide.add_product(multiplier, *by, list[i]);
                [0, 1, 2].into_iter().for_each(|part| sums[part][i] = wide.0[part]);
            }
        }
    }
}

/// Sums of products that have their factors on one side in common: each factor multiplies one block of every sum.
pub struct Sums([Vec<u128>; 3]);

impl Sums {
    /// Makes `count` sums that are zero.
    #[must_use]
    pub fn new(count: usize) -> Self {
        Sums([(); 3].map(|()| vec![0; count]))
    }

    /// Adds to every sum `j` the products of the factors `by[i]` with block `j` of list `i`. The lists lie one behind
    /// the other in `blocks`, each with one block for each sum.
    ///
    /// # Panics
    /// When there is not a list for each factor, with a block for each sum.
    pub fn add(&mut self, by: &[u128], blocks: &[u128]) {
        assert_eq!(blocks.len(), by.len() * self.0[0].len(), "blocks for each factor and sum");
        let sums = &mut self.0;
        #[cfg(target_arch = "x86_64")]
        let from = x86::Found::detect().map_or(0, |found| found.add(by, blocks, sums));
        #[cfg(not(target_arch = "x86_64"))]
        let from = 0;
        match Hardware::detect() {
            Some(multiplier) => simd::run(Scaled { multiplier, by, blocks, sums, from }),
            None => simd::run(Scaled { multiplier: Portable, by, blocks, sums, from }),
        }
    }

    /// Gives the sums as elements of the field.
    #[must_use]
    pub fn reduce(&self) -> Vec<u128> {
        let [low, middle, high] = &self.0;
        let parts = low.iter().zip(middle).zip(high);
        parts.map(|((low, middle), high)| Wide([*low, *middle, *high]).reduce()).collect()
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
        let (a, b) = ((1 << 127) + 0x1234, 0xdead_beef);
        let product = inner_product(&[a], &[b]).to_le_bytes();
        assert_eq!(hex::encode(product), "69418662740c00000000000000000080");
    }

    #[test]
    fn products_are_those_of_cryprot() {
        // `Block::gf_mul` of cryprot-core 0.3.2.
        for [a, b, want] in [
            [
                0xdadaad9c63c3e748069e5cbb98f45f9f,
                0x9b7fb0d64289c21a5caa4445f8dc112a,
                0x374bdcc5799f5b8e1f6cfc6012fcb67b,
            ],
            [
                0xf4a514e1b0f680415a9467ed46ae7da1,
                0x6b4d94e0bed2dd924d1b8555cc7413b4,
                0x46eb66d5bbc3595c28749c4301c2f10c,
            ],
            [
                0x08ab2233cb87c6d62bf161231d0fc8d3,
                0x3ef655e06939e5c5bf2d9d9e0cc7642e,
                0xbc4e001e341cbe26bf4d67291f42339f,
            ],
        ] {
            assert_eq!(inner_product(&[a], &[b]), want);
        }
    }

    proptest! {
        #[test]
        fn sums_are_those_bit_by_bit(pairs in prop::collection::vec((any::<u128>(), any::<u128>()), 0..23)) {
            let (a, b): (Vec<u128>, Vec<u128>) = pairs.into_iter().unzip();
            let want = a.iter().zip(&b).fold(0, |sum, (a, b)| sum ^ slowly(*a, *b));
            prop_assert_eq!(inner_product(&a, &b), want);
            prop_assert_eq!(simd::run(Inner(Portable, &a, &b)).reduce(), want);
            let mut sums = Sums::new(1);
            a.iter().zip(&b).for_each(|(a, b)| sums.add(&[*a], &[*b]));
            prop_assert_eq!(sums.reduce(), vec![want]);
        }

        #[test]
        fn many_sums_are_those_one_by_one(
            by in prop::collection::vec(any::<u128>(), 0..4),
            count in 0usize..10,
            seed: u64,
        ) {
            let words = crate::entropy::Rng(seed).words(2 * count * by.len());
            let blocks: Vec<u128> =
                words.as_chunks::<2>().0.iter().map(|[a, b]| u128::from(*a) << 64 | u128::from(*b)).collect();
            let mut sums = Sums::new(count);
            // Twice the same is nothing.
            for _ in 0..3 {
                sums.add(&by, &blocks);
            }
            let column = |i: usize| by.iter().enumerate().map(move |(k, by)| (*by, k * count + i));
            let want: Vec<u128> = (0..count)
                .map(|i| column(i).fold(0, |sum, (by, at)| sum ^ slowly(by, blocks[at])))
                .collect();
            prop_assert_eq!(sums.reduce(), want);
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
