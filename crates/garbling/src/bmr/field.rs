//! The field of 2^8 elements, modulo x^8 + x^4 + x^3 + x + 1, on sixteen bytes at a time: what strings and
//! bits are shared in. No step depends on values.

use std::hint::black_box;
use tacit_ring::Buffer;

/// The lowest bit of every byte.
const LOWEST: u128 = u128::from_le_bytes([1; 16]);

/// Every byte times x.
#[inline(always)]
fn times_x(block: u128) -> u128 {
    let high = (block >> 7) & LOWEST;
    ((block & (LOWEST * 0x7f)) << 1) ^ (high * 0x1b)
}

/// A block times every power of x below the eighth.
#[derive(Clone, Copy, Default)]
pub(super) struct Multiples([u128; 8]);

impl zeroize::DefaultIsZeroes for Multiples {}

impl Multiples {
    /// The multiples of a block.
    #[inline(always)]
    pub fn new(block: u128) -> Self {
        let mut next = block;
        Multiples(std::array::from_fn(|_| {
            let this = next;
            next = times_x(next);
            this
        }))
    }

    /// Every byte of the block times the same one.
    #[inline(always)]
    pub fn times(&self, byte: u8) -> u128 {
        let masked =
            |(block, mask): (&u128, u64)| block & (u128::from(mask) << 64 | u128::from(mask));
        self.0.iter().zip(masks(byte)).map(masked).fold(0, |sum, block| sum ^ block)
    }
}

/// All ones for every bit that is one, else zeros. The compiler does not learn that they are nothing else: it would
/// branch on them.
#[inline(always)]
fn masks(byte: u8) -> [u64; 8] {
    black_box(std::array::from_fn(|i| u64::from(byte >> i & 1).wrapping_neg()))
}

/// A product.
#[inline(always)]
pub(super) fn times(a: u8, b: u8) -> u8 {
    Multiples::new(u128::from(a)).times(b) as u8
}

/// The inverse; zero's is zero.
pub(super) fn inverse(a: u8) -> u8 {
    // a^254.
    (0..7)
        .fold((1, a), |(power, square), _| {
            let square = times(square, square);
            (times(power, square), square)
        })
        .0
}

/// The point at which a role's shares are taken.
pub(super) fn point(role: usize) -> u8 {
    role as u8 + 1
}

/// What the share of every one of `count` roles counts for in the value at zero.
pub(super) fn weights(count: usize) -> Vec<u8> {
    let weight = |role: usize| {
        let others = (0..count).filter(|other| *other != role).map(point);
        let factor = |other: u8| times(other, inverse(other ^ point(role)));
        others.map(factor).fold(1, times)
    };
    (0..count).map(weight).collect()
}

/// Shares of bytes for every role: the values at its point of polynomials that are the secrets at zero and
/// have `random` as their other coefficients, run after run.
pub(super) fn shares(secrets: &[u128], random: &[u128], roles: usize) -> Vec<Buffer<u128>> {
    let share = |role: usize| {
        let mut share = Buffer::<u128>::zeros(secrets.len());
        for coefficients in random.chunks_exact(secrets.len().max(1)) {
            for (sum, coefficient) in share.iter_mut().zip(coefficients) {
                *sum = Multiples::new(*sum ^ coefficient).times(point(role));
            }
        }
        share.iter_mut().zip(secrets).for_each(|(sum, secret)| *sum ^= secret);
        share
    };
    (0..roles).map(share).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn products_are_those_of_the_standard_field() {
        // FIPS 197, 4.2.
        assert_eq!(times(0x57, 0x83), 0xc1);
        assert_eq!(times(0x57, 0x13), 0xfe);
        for a in 1..=255 {
            assert_eq!(times(a, inverse(a)), 1);
        }
    }

    /// A product, bit by bit.
    fn slowly(a: u8, b: u8) -> u8 {
        let product =
            (0..8).fold(0, |sum, i| sum ^ if b >> i & 1 == 1 { u32::from(a) << i } else { 0 });
        (8..16)
            .rev()
            .fold(product, |rest, i| rest ^ if rest >> i & 1 == 1 { 0x11b << (i - 8) } else { 0 })
            as u8
    }

    #[test]
    fn all_products_are_those_bit_by_bit() {
        for b in 0..=255 {
            for first in (0..=255).step_by(16) {
                let bytes: [u8; 16] = std::array::from_fn(|i| first + i as u8);
                let all = Multiples::new(u128::from_le_bytes(bytes)).times(b).to_le_bytes();
                assert_eq!(all, bytes.map(|a| slowly(a, b)), "times {b}");
                assert_eq!(bytes.map(|a| times(a, b)), all);
            }
        }
    }

    #[test]
    fn enough_shares_of_any_number_of_roles_give_secrets() {
        for n in 3usize..=64 {
            let t = n.div_ceil(2) - 1;
            let random: Vec<u128> = (1..=t as u128)
                .map(|i| i.wrapping_mul(0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835))
                .collect();
            let dealt = shares(&[0x1234_5678], &random, n);
            for count in [t + 1, 2 * t + 1] {
                let weighted = weights(count).into_iter().zip(&dealt);
                let sum = weighted
                    .fold(0, |sum, (weight, share)| sum ^ Multiples::new(share[0]).times(weight));
                assert_eq!(sum, 0x1234_5678, "{count} of {n}");
            }
        }
    }

    #[test]
    fn enough_shares_give_secrets_and_products_of_them() {
        proptest!(|(secrets: [u128; 2], random: [[u128; 2]; 6], byte: u8)| {
            let n = 7;
            let t = 3;
            let one = shares(&secrets, random[..t].as_flattened(), n);
            let many = weights(n);
            for block in 0..2 {
                let sum = (0..n).fold(0, |sum, role| {
                    sum ^ Multiples::new(one[role][block]).times(many[role])
                });
                prop_assert_eq!(sum, secrets[block]);
                let few = weights(t + 1);
                let sum = (0..=t).fold(0, |sum, role| {
                    sum ^ Multiples::new(one[role][block]).times(few[role])
                });
                prop_assert_eq!(sum, secrets[block]);
            }
            // A product of shares has twice the degree: 2t + 1 = n of them give it.
            let other = shares(&[u128::from(byte)], &random[t..].iter().map(|r| r[0]).collect::<Vec<_>>(), n);
            let sum = (0..n).fold(0, |sum, role| {
                let factor = times(many[role], other[role][0] as u8);
                sum ^ Multiples::new(one[role][0]).times(factor)
            });
            prop_assert_eq!(sum, Multiples::new(secrets[0]).times(byte));
        });
    }
}
