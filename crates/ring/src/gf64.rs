//! The field of 2^64 elements: polynomials over the bits modulo `X^64 + X^4 + X^3 + X + 1`.
//!
//! Bit `i` of a word is the coefficient of `X^i`. Addition is exclusive or.
//!
//! ```
//! use tacit_ring::gf64::{Multiplier, Portable, times_x};
//!
//! let a = 1 << 63 | 5;
//! assert_eq!(Portable.multiply(2, a), times_x(a)); // 2 is the element X
//! ```
#![allow(unsafe_code)]

#[cfg(not(target_arch = "x86_64"))]
#[path = "gf64/absent.rs"]
mod wide;
#[cfg(target_arch = "x86_64")]
mod wide;

pub use wide::Wide;

/// Blocks of bits that [`Wide::spread`] and [`Wide::grid`] take: the values at 0 and 1 of a polynomial in five variables.
pub const BLOCKS: usize = 32;
/// Points where each of five variables is 0, 1 or "infinity".
pub const GRID: usize = 243;

/// The modulus without its leading term.
const TAIL: u64 = 0b1_1011;

/// A way to multiply polynomials. Every way takes the same time for all values.
pub trait Multiplier: Copy + Send + Sync {
    /// Gives the product of two polynomials, not reduced.
    #[must_use]
    fn multiply_wide(self, a: u64, b: u64) -> u128;

    /// Gives what computes on many elements at once, if this way has it.
    #[must_use]
    fn wide(self) -> Option<Wide> {
        None
    }

    /// Gives the product of two elements of the field.
    #[inline(always)]
    #[must_use]
    fn multiply(self, a: u64, b: u64) -> u64 {
        reduce(self.multiply_wide(a, b))
    }
}

/// Multiplies with ordinary products, on every CPU.
#[derive(Clone, Copy, Debug)]
pub struct Portable;

impl Multiplier for Portable {
    #[inline(always)]
    fn multiply_wide(self, a: u64, b: u64) -> u128 {
        portable(a, b)
    }
}

/// Multiplies with the CPU's own instruction. A value of this type exists only where the CPU has the instruction.
/// Code that this is inlined into should be compiled for such a CPU, which [`simd`](crate::simd) does.
#[derive(Clone, Copy, Debug)]
pub struct Hardware {
    wide: Option<Wide>,
}

impl Hardware {
    /// Gives the multiplier if this CPU has the instruction.
    #[must_use]
    pub fn detect() -> Option<Self> {
        #[cfg(target_arch = "x86_64")]
        return std::arch::is_x86_feature_detected!("pclmulqdq")
            .then(|| Hardware { wide: Wide::detect() });
        #[cfg(not(target_arch = "x86_64"))]
        None
    }

    /// Gives the same without what computes on many elements at once: its twin.
    #[must_use]
    pub fn one_by_one(self) -> Self {
        Hardware { wide: None }
    }
}

impl Multiplier for Hardware {
    fn wide(self) -> Option<Wide> {
        self.wide
    }

    #[cfg(target_arch = "x86_64")]
    #[inline(always)]
    fn multiply_wide(self, a: u64, b: u64) -> u128 {
        // SAFETY: where there is a `Hardware`, this CPU has the instruction.
        unsafe { x86::multiply(a, b) }
    }

    #[cfg(not(target_arch = "x86_64"))]
    fn multiply_wide(self, a: u64, b: u64) -> u128 {
        portable(a, b)
    }
}

/// Reduces a polynomial, or a sum of products, to an element of the field.
#[inline(always)]
#[must_use]
pub fn reduce(product: u128) -> u64 {
    let (low, high) = (product as u64, (product >> 64) as u64);
    // X^64 = X^4 + X^3 + X + 1, twice: the first time up to four bits stand out.
    let out = (high >> 63) ^ (high >> 61) ^ (high >> 60);
    let high = high ^ out;
    low ^ high ^ (high << 1) ^ (high << 3) ^ (high << 4)
}

/// Multiplies an element by `X`.
#[inline(always)]
#[must_use]
pub fn times_x(a: u64) -> u64 {
    (a << 1) ^ ((a >> 63).wrapping_neg() & TAIL)
}

/// Multiplies with ordinary products of numbers whose bits are far enough apart that carries stay between them. It
/// computes the low half, and the high half as the low half of the factors read backwards.
fn portable(a: u64, b: u64) -> u128 {
    let low = low_half(a, b);
    let high = low_half(a.reverse_bits(), b.reverse_bits()).reverse_bits() >> 1;
    u128::from(high) << 64 | u128::from(low)
}

fn low_half(a: u64, b: u64) -> u64 {
    const HOLES: u64 = 0x1111_1111_1111_1111;
    let a: [u64; 4] = std::array::from_fn(|i| a & HOLES << i);
    let b: [u64; 4] = std::array::from_fn(|i| b & HOLES << i);
    let class = |c: usize| {
        let terms = (0..4).map(|i| a[i].wrapping_mul(b[(c + 4 - i) % 4]));
        terms.fold(0, |sum, term| sum ^ term) & HOLES << c
    };
    class(0) | class(1) | class(2) | class(3)
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use std::arch::x86_64::{
        _mm_clmulepi64_si128, _mm_cvtsi64_si128, _mm_cvtsi128_si64, _mm_unpackhi_epi64,
    };

    /// # Safety
    /// This CPU has `pclmulqdq`.
    #[inline(always)]
    pub(super) unsafe fn multiply(a: u64, b: u64) -> u128 {
        // SAFETY: the caller promises the feature; SSE2 is in the baseline.
        unsafe {
            let (a, b) = (_mm_cvtsi64_si128(a as i64), _mm_cvtsi64_si128(b as i64));
            let product = _mm_clmulepi64_si128::<0>(a, b);
            let low = _mm_cvtsi128_si64(product) as u64;
            let high = _mm_cvtsi128_si64(_mm_unpackhi_epi64(product, product)) as u64;
            u128::from(high) << 64 | u128::from(low)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn bit_by_bit(a: u64, b: u64) -> u128 {
        let terms = (0..64).filter(|i| b >> i & 1 == 1).map(|i| u128::from(a) << i);
        terms.fold(0, |sum, term| sum ^ term)
    }

    fn slowly(a: u64, b: u64) -> u64 {
        let (mut a, mut product) = (a, 0);
        for i in 0..64 {
            product ^= (b >> i & 1).wrapping_neg() & a;
            a = times_x(a);
        }
        product
    }

    proptest! {
        #[test]
        fn products_are_those_bit_by_bit(a: u64, b: u64) {
            prop_assert_eq!(portable(a, b), bit_by_bit(a, b));
            prop_assert_eq!(Portable.multiply(a, b), slowly(a, b));
            if let Some(hardware) = Hardware::detect() {
                prop_assert_eq!(hardware.multiply_wide(a, b), bit_by_bit(a, b));
            }
        }

        #[test]
        fn it_is_a_ring(a: u64, b: u64, c: u64) {
            let times = |a, b| Portable.multiply(a, b);
            prop_assert_eq!(times(times(a, b), c), times(a, times(b, c)));
            prop_assert_eq!(times(a, b ^ c), times(a, b) ^ times(a, c));
        }
    }

    /// Many elements at once, beside one by one.
    #[test]
    fn wide_kernels_compute_what_single_products_do() {
        let Some(wide) = Wide::detect() else { return };
        let mut rng = crate::entropy::Rng(crate::entropy::test_seed());
        let sum = |a: &[u64], b: &[u64]| {
            a.iter().zip(b).fold(0, |sum, (a, b)| sum ^ Portable.multiply_wide(*a, *b))
        };
        for len in [0, 1, 7, 8, 9, 31, 32, 33, 100] {
            let runs: Vec<Vec<u64>> = (0..16).map(|_| rng.words(len)).collect();
            assert_eq!(wide.dot(&runs[0], &runs[1]), sum(&runs[0], &runs[1]));
            let (weights, before) = (rng.words(4), rng.words(len));
            let mut out = before.clone();
            let four: [&[u64]; 4] = std::array::from_fn(|i| &runs[i][..]);
            wide.add_weighted(four, std::array::from_fn(|i| weights[i]), &mut out);
            for (k, out) in out.iter().enumerate() {
                let all: Vec<u64> = four.iter().map(|run| run[k]).collect();
                assert_eq!(*out, before[k] ^ reduce(sum(&all, &weights)));
            }
            let fours = |c: usize| std::array::from_fn(|i| &runs[4 * c + i][..]);
            let found = wide.squares([fours(0), fours(1)], [fours(2), fours(3)]);
            let value = |c: usize, point: usize, k: usize| {
                let along = |digit: usize, zero: u64, one: u64| [zero, one, zero ^ one][digit];
                let at = |b: usize| runs[4 * c + b][k];
                let low = along(point % 3, at(0), at(1));
                along(point / 3, low, along(point % 3, at(2), at(3)))
            };
            for (point, found) in found.into_iter().enumerate() {
                let term = |k: usize| {
                    let [x0, x1, y0, y1] = [0, 1, 2, 3].map(|c| value(c, point, k));
                    Portable.multiply_wide(x0, y0 ^ y1) ^ Portable.multiply_wide(x1, y0)
                };
                assert_eq!(found, (0..len).map(term).fold(0, |sum, term| sum ^ term));
            }
        }
    }

    #[test]
    fn wide_kernels_of_bits_compute_what_their_definitions_say() {
        let Some(wide) = Wide::detect() else { return };
        let mut rng = crate::entropy::Rng(crate::entropy::test_seed());
        for words in [1usize, 2, 7, 8, 9, 17] {
            // The last block may be short, or lacking.
            let len = (BLOCKS * words).saturating_sub(words + words / 2);
            let runs: Vec<Vec<u64>> = (0..4).map(|_| rng.words(len)).collect();
            let factors = rng.words(words);
            let word = |run: &[u64], block: usize, k: usize| {
                run.get(block * words + k).copied().unwrap_or(0)
            };
            let weights: [u64; BLOCKS] = std::array::from_fn(|_| rng.words(1)[0]);
            let mut out = [vec![0; 64 * words], vec![0; 64 * words]];
            wide.spread(&runs[0], &weights, None, &mut out[0]);
            wide.spread(&runs[0], &weights, Some(&factors), &mut out[1]);
            for (k, factor) in factors.iter().enumerate() {
                let mut factor = *factor;
                for bit in 0..64 {
                    let has = |block: usize| word(&runs[0], block, k) >> bit & 1 == 1;
                    let sum = (0..BLOCKS).filter(|b| has(*b)).fold(0, |sum, b| sum ^ weights[b]);
                    assert_eq!(out[0][64 * k + bit], sum, "word {k}, bit {bit}");
                    assert_eq!(out[1][64 * k + bit], Portable.multiply(sum, factor));
                    factor = times_x(factor);
                }
            }
            let [x0, x1, y0, y1] = [0, 1, 2, 3].map(|c: usize| &runs[c][..]);
            let found = wide.grid([x0, x1], [y0, y1], &factors);
            for (point, found) in found.iter().enumerate() {
                let digits: [usize; 5] = std::array::from_fn(|i| point / 3usize.pow(i as u32) % 3);
                let value = |run: &[u64], k: usize| {
                    let takes = |block: &usize| {
                        (0..5).all(|i| digits[i] == 2 || block >> i & 1 == digits[i])
                    };
                    (0..BLOCKS).filter(takes).fold(0, |sum, block| sum ^ word(run, block, k))
                };
                let term = |k: usize| {
                    let [x0, x1, y0, y1] = [x0, x1, y0, y1].map(|run| value(run, k));
                    Portable.multiply_wide(x0 & (y0 ^ y1) ^ x1 & y0, factors[k])
                };
                let sum = (0..words).map(term).fold(0, |sum, term| sum ^ term);
                let differ = digits.contains(&2);
                assert_eq!(*found, if differ { sum } else { 0 }, "point {point}");
            }
        }
    }

    #[test]
    fn the_modulus_is_irreducible() {
        let power = |a: u64, e: u32| (0..e).fold(a, |a, _| Portable.multiply(a, a));
        // X^(2^64) = X, and X^(2^32) - X has an inverse: its (2^64 - 1)th power is 1.
        let x = 2;
        assert_eq!(power(x, 64), x);
        let d = power(x, 32) ^ x;
        let inverse = (1..64).map(|i| power(d, i)).fold(1, |a, b| Portable.multiply(a, b));
        assert_eq!(Portable.multiply(d, inverse), 1);
    }
}
