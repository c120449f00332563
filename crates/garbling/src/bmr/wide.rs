//! Shamir's sharing over the field of 2^128 elements. Points are small, so that polynomials are evaluated with
//! shifts. No step depends on values.

use super::field::point;
use tacit_ring::Buffer;
use tacit_ring::gf128::inner_product;

/// A product.
pub(super) fn times(a: u128, b: u128) -> u128 {
    inner_product(&[a], &[b])
}

/// An element times a public one of degree below seven.
#[inline(always)]
fn times_small(a: u128, point: u8) -> u128 {
    let (mut low, mut high) = (0, 0);
    for bit in (0..7).filter(|bit| point >> bit & 1 == 1) {
        low ^= a << bit;
        high ^= (a >> 1) >> (127 - bit);
    }
    low ^ high ^ high << 1 ^ high << 2 ^ high << 7
}

/// The inverse; zero's is zero.
fn inverse(a: u128) -> u128 {
    // a^(2^128 - 2).
    let squares = std::iter::successors(Some(times(a, a)), |square| Some(times(*square, *square)));
    squares.take(127).fold(1, times)
}

/// What the share of every one of `count` roles counts for in the value at zero.
pub(super) fn weights(count: usize) -> Vec<u128> {
    let weight = |role: usize| {
        let others = (0..count).filter(|other| *other != role).map(point);
        let factor = |other: u8| times(u128::from(other), inverse(u128::from(other ^ point(role))));
        others.map(factor).fold(1, times)
    };
    (0..count).map(weight).collect()
}

/// Shares for every role: the values at its point of polynomials that are the secrets at zero and have `random`
/// as their other coefficients, run after run.
pub(super) fn shares(secrets: &[u128], random: &[u128], roles: usize) -> Vec<Buffer<u128>> {
    let share = |role: usize| {
        let mut share = Buffer::<u128>::zeros(secrets.len());
        for coefficients in random.chunks_exact(secrets.len().max(1)) {
            for (sum, coefficient) in share.iter_mut().zip(coefficients) {
                *sum = times_small(*sum ^ coefficient, point(role));
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

    proptest! {
        #[test]
        fn small_products_are_products(a: u128, small in 0u8..128) {
            prop_assert_eq!(times_small(a, small), times(a, u128::from(small)));
        }

        #[test]
        fn enough_shares_give_secrets_and_products(
            secrets: [u128; 2],
            random: [u128; 4],
            n in 3usize..64,
        ) {
            let one = shares(&secrets[..1], &random[..1], n);
            let other = shares(&secrets[1..], &random[1..2], n);
            let sum = |count: usize, value: &dyn Fn(usize) -> u128| {
                let weighted = weights(count).into_iter().enumerate();
                weighted.fold(0, |sum, (role, weight)| sum ^ times(weight, value(role)))
            };
            prop_assert_eq!(sum(2, &|role| one[role][0]), secrets[0]);
            let product = sum(3, &|role| times(one[role][0], other[role][0]));
            prop_assert_eq!(product, times(secrets[0], secrets[1]));
        }

        #[test]
        fn inverses_are(a in 1u128..) {
            prop_assert_eq!(times(a, inverse(a)), 1);
        }
    }
}
