//! Fields of a prime that is drawn at random, of 61 bits.
//!
//! A number that is wrong by a non-zero integer of `b` bits is right modulo at most `b / 60` such
//! primes, out of more than 2^51: whoever fixes the number before the prime is drawn is found out.
//! So one word-size prime checks integers of any width.
//!
//! ```
//! use tacit_ring::prime::Prime;
//!
//! let mut state = 1u64;
//! let p = Prime::random(|| {
//!     state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407); // a jointly tossed coin
//!     state
//! });
//! let (a, b) = (123_456_789, p.modulus() - 5);
//! assert_eq!(u128::from(p.mul(a, b)), u128::from(a) * u128::from(b) % u128::from(p.modulus()));
//! assert_eq!(p.add(b, 7), 2);
//! ```

/// Primes are below this power of two.
const BITS: u32 = 61;
/// The least prime allowed: `15/16` of the greatest, so that quotients are easy to guess.
const LEAST: u64 = 15 << (BITS - 4);

/// Arithmetic modulo a prime of 61 bits. Elements are `u64` less than the prime; no operation branches on them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Prime {
    p: u64,
    /// `-1 / p` modulo 2^64.
    minus_inverse: u64,
    /// `2^64` modulo `p`.
    shift: u64,
    /// `2^128` modulo `p`.
    shift_twice: u64,
}

impl Prime {
    /// Draws a prime. Every number that `random` may give is as likely to lead to one prime as to any other.
    pub fn random(mut random: impl FnMut() -> u64) -> Prime {
        loop {
            let candidate = (random() >> (64 - BITS)) | 1;
            if candidate >= LEAST && is_prime(candidate) {
                return Prime::new(candidate);
            }
        }
    }

    fn new(p: u64) -> Prime {
        // Newton: each step doubles the bits that are right.
        let inverse = (0..6).fold(p, |x, _| x.wrapping_mul(2u64.wrapping_sub(p.wrapping_mul(x))));
        let shift = ((1u128 << 64) % u128::from(p)) as u64;
        let shift_twice = (u128::from(shift) * u128::from(shift) % u128::from(p)) as u64;
        Prime { p, minus_inverse: inverse.wrapping_neg(), shift, shift_twice }
    }

    /// Gives the prime itself.
    #[must_use]
    pub fn modulus(self) -> u64 {
        self.p
    }

    /// Computes `t / 2^64` modulo the prime, for `t < 2^64 p`.
    #[inline(always)]
    #[must_use]
    pub fn shifted_down(self, t: u128) -> u64 {
        let m = (t as u64).wrapping_mul(self.minus_inverse);
        let sum = (t >> 64) as u64 + ((u128::from(m) * u128::from(self.p)) >> 64) as u64;
        // The low halves cancel, with a carry unless both are zero.
        self.once(sum + u64::from(t as u64 != 0))
    }

    /// Computes `2^64 a` modulo the prime: [`Prime::shifted_down`] of a product with it gives the product with `a`.
    #[inline(always)]
    #[must_use]
    pub fn shifted_up(self, a: u64) -> u64 {
        self.shifted_down(u128::from(a) * u128::from(self.shift_twice))
    }

    /// Gives the remainder of a word.
    #[inline(always)]
    #[must_use]
    pub fn reduce_word(self, a: u64) -> u64 {
        self.shifted_down(u128::from(a) * u128::from(self.shift))
    }

    /// Gives the remainder of any number of 128 bits.
    #[inline(always)]
    #[must_use]
    pub fn reduce(self, t: u128) -> u64 {
        let [low, high] = [t as u64, (t >> 64) as u64];
        self.add(
            self.reduce_word(low),
            self.shifted_down(u128::from(high) * u128::from(self.shift_twice)),
        )
    }

    #[inline(always)]
    fn once(self, a: u64) -> u64 {
        a.min(a.wrapping_sub(self.p))
    }

    /// Gives the remainder of a sum of at most eight elements.
    #[inline(always)]
    #[must_use]
    pub fn reduce_sum(self, a: u64) -> u64 {
        self.once(a - (a >> BITS) * self.p)
    }

    /// Gives the sum of two elements.
    #[inline(always)]
    #[must_use]
    pub fn add(self, a: u64, b: u64) -> u64 {
        self.once(a + b)
    }

    /// Gives the difference of two elements.
    #[inline(always)]
    #[must_use]
    pub fn sub(self, a: u64, b: u64) -> u64 {
        self.once(a + (self.p - b))
    }

    /// Gives the product of two elements.
    #[inline(always)]
    #[must_use]
    pub fn mul(self, a: u64, b: u64) -> u64 {
        self.shifted_down(u128::from(a) * u128::from(self.shifted_up(b)))
    }
}

/// Tests whether `n` is prime, by Miller and Rabin's test with bases that are right for all numbers of 64 bits.
fn is_prime(n: u64) -> bool {
    const BASES: [u64; 12] = [2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37];
    if BASES.iter().any(|prime| n.is_multiple_of(*prime)) {
        return BASES.contains(&n);
    }
    let times = |a: u64, b: u64| (u128::from(a) * u128::from(b) % u128::from(n)) as u64;
    let twos = (n - 1).trailing_zeros();
    let odd = (n - 1) >> twos;
    BASES.iter().all(|base| {
        let (mut power, mut square, mut exponent) = (1, *base, odd);
        while exponent > 0 {
            if exponent & 1 == 1 {
                power = times(power, square);
            }
            square = times(square, square);
            exponent >>= 1;
        }
        power == 1
            || (0..twos).any(|_| {
                let found = power == n - 1;
                power = times(power, power);
                found
            })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn prime(seed: u64) -> Prime {
        let mut state = seed;
        Prime::random(|| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            state ^ state >> 29
        })
    }

    #[test]
    fn small_numbers_are_prime_if_nothing_divides_them() {
        for n in 2..2000u64 {
            assert_eq!(is_prime(n), (2..n).all(|d| n % d != 0), "{n}");
        }
        assert!(is_prime((1 << 61) - 1) && !is_prime((1 << 61) - 3));
        // A product of two primes that passes for the first eleven bases.
        assert!(!is_prime(3_825_123_056_546_413_051));
        assert!(is_prime(u64::MAX - 58));
    }

    proptest! {
        #[test]
        fn arithmetic_is_modulo_the_prime(seed: u64, a: u64, b: u64, wide: u128) {
            let field = prime(seed);
            let p = u128::from(field.modulus());
            prop_assert!(field.modulus() >= LEAST && field.modulus() < 1 << BITS);
            prop_assert_eq!(u128::from(field.reduce(wide)), wide % p);
            let [a, b] = [a, b].map(|x| field.reduce(u128::from(x)));
            prop_assert_eq!(u128::from(field.mul(a, b)), u128::from(a) * u128::from(b) % p);
            prop_assert_eq!(u128::from(field.add(a, b)), (u128::from(a) + u128::from(b)) % p);
            prop_assert_eq!(field.add(field.sub(a, b), b), a);
            let sum = a + b + 6 * (field.modulus() - 1);
            prop_assert_eq!(u128::from(field.reduce_sum(sum)), u128::from(sum) % p);
            prop_assert_eq!(u128::from(field.reduce_word(wide as u64)), wide % (1 << 64) % p);
            // A factor of 64 bits is fine where the other is an element.
            let raw = wide as u64;
            let product = u128::from(raw) * u128::from(field.shifted_up(b));
            prop_assert_eq!(
                u128::from(field.shifted_down(product)),
                u128::from(raw) % p * u128::from(b) % p
            );
        }
    }
}
