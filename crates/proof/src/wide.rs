//! Integers of up to 448 bits, as little-endian words: sums of products of words, and their masks.

use super::field::Residues;

/// Words of a [`Wide`].
pub(super) const WORDS: usize = 7;

/// An integer modulo `2^448`.
pub(super) type Wide = [u64; WORDS];

pub(super) const ZERO: Wide = [0; WORDS];

/// Adds a number of two words.
#[inline(always)]
pub(super) fn add_small(sum: &mut Wide, b: u128) {
    let mut carry = false;
    let words = [b as u64, (b >> 64) as u64];
    for (i, word) in sum.iter_mut().enumerate() {
        let b = words.get(i).copied().unwrap_or(0);
        let (partial, first) = word.overflowing_add(b);
        let (full, second) = partial.overflowing_add(u64::from(carry));
        (*word, carry) = (full, first | second);
    }
}

/// Adds `times b`.
#[inline(always)]
pub(super) fn add_times(sum: &mut Wide, b: &Wide, times: u64) {
    let mut carry = 0u128;
    for (word, b) in sum.iter_mut().zip(b) {
        carry += u128::from(*word) + u128::from(*b) * u128::from(times);
        *word = carry as u64;
        carry >>= 64;
    }
}

/// Adds `b 2^shift`.
pub(super) fn add_shifted(sum: &mut Wide, b: u64, shift: u32) {
    let mut shifted = ZERO;
    let (word, bit) = ((shift / 64) as usize, shift % 64);
    let pair = u128::from(b) << bit;
    shifted[word] = pair as u64;
    if word + 1 < WORDS {
        shifted[word + 1] = (pair >> 64) as u64;
    }
    add_times(sum, &shifted, 1);
}

/// The sum.
pub(super) fn sum(a: &Wide, b: &Wide) -> Wide {
    let mut sum = *a;
    add_times(&mut sum, b, 1);
    sum
}

/// The difference, in two's complement.
pub(super) fn difference(a: &Wide, b: &Wide) -> Wide {
    let mut minus = b.map(|word| !word);
    add_small(&mut minus, 1);
    sum(a, &minus)
}

/// The product of two words of 128 bits.
#[inline(always)]
pub(super) fn product(a: u128, b: u128) -> Wide {
    let halves = |x: u128| [u128::from(x as u64), x >> 64];
    let ([a0, a1], [b0, b1]) = (halves(a), halves(b));
    let (low, high) = (a0 * b0, a1 * b1);
    let mut product = [low as u64, (low >> 64) as u64, high as u64, (high >> 64) as u64, 0, 0, 0];
    for middle in [a0 * b1, a1 * b0] {
        add_times(&mut product, &[0, middle as u64, (middle >> 64) as u64, 0, 0, 0, 0], 1);
    }
    product
}

/// `2^bits`.
pub(super) fn power(bits: u32) -> Wide {
    let mut power = ZERO;
    add_shifted(&mut power, 1, bits);
    power
}

/// `a - 1`.
pub(super) fn less_one(a: &Wide) -> Wide {
    difference(a, &power(0))
}

/// Bits of the number.
pub(super) fn bits(a: &Wide) -> u32 {
    let top = a.iter().rposition(|word| *word != 0);
    top.map_or(0, |top| 64 * top as u32 + 64 - a[top].leading_zeros())
}

/// Whether `a < b`, as numbers without sign. Not in constant time.
pub(super) fn is_less(a: &Wide, b: &Wide) -> bool {
    a.iter().rev().lt(b.iter().rev())
}

/// The 64 bits from bit `shift`.
#[inline(always)]
pub(super) fn piece(a: &Wide, shift: u32) -> u64 {
    let (word, bit) = ((shift / 64) as usize, shift % 64);
    let next = a.get(word + 1).copied().unwrap_or(0);
    ((u128::from(a[word]) | u128::from(next) << 64) >> bit) as u64
}

/// The low two words.
#[inline(always)]
pub(super) fn low(a: &Wide) -> u128 {
    u128::from(a[0]) | u128::from(a[1]) << 64
}

/// The low `bits` bits of the first words.
pub(super) fn cut(words: &[u64], bits: u32) -> Wide {
    std::array::from_fn(|i| match bits.saturating_sub(64 * i as u32) {
        0 => 0,
        left if left >= 64 => words[i],
        left => words[i] & ((1 << left) - 1),
    })
}

/// Writes the low bytes, as many as there is room for.
pub(super) fn write(a: &Wide, to: &mut [u8]) {
    let bytes = a.map(u64::to_le_bytes);
    to.copy_from_slice(&bytes.as_flattened()[..to.len()]);
}

/// The number with these low bytes.
pub(super) fn from_bytes(bytes: &[u8]) -> Wide {
    let mut words = [[0u8; 8]; WORDS];
    words.as_flattened_mut()[..bytes.len()].copy_from_slice(bytes);
    words.map(u64::from_le_bytes)
}

/// The remainder of a number in two's complement.
pub(super) fn signed_modulo<F: Residues>(field: F, a: &Wide) -> u64 {
    let word = |word: u64| field.remainder(u128::from(word));
    let shift = field.remainder(1 << 64);
    let unsigned = a.iter().rev().fold(0, |sum, w| field.add(field.mul(sum, shift), word(*w)));
    let wrapped = (0..WORDS).fold(1, |power, _| field.mul(power, shift));
    let is_negative = (a[WORDS - 1] >> 63).wrapping_neg();
    field.sub(unsigned, wrapped & is_negative)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use tacit_ring::prime::Prime;

    #[test]
    fn numbers_of_two_words_agree_with_the_machine_s() {
        let wide = |x: u128| [x as u64, (x >> 64) as u64, 0, 0, 0, 0, 0];
        let narrow = |x: Wide| u128::from(x[0]) | u128::from(x[1]) << 64;
        proptest!(|(a: u128, b: u64, c: u128, shift in 0u32..64)| {
            prop_assert_eq!(narrow(sum(&wide(a), &wide(c))), a.wrapping_add(c));
            prop_assert_eq!(narrow(difference(&wide(a), &wide(c))), a.wrapping_sub(c));
            prop_assert_eq!(narrow(product(a, c)), a.wrapping_mul(c));
            prop_assert_eq!(product(a, c), product(c, a));
            let mut times = ZERO;
            add_times(&mut times, &wide(a), b);
            prop_assert_eq!(times, product(a, u128::from(b)));
            let mut small = wide(a);
            add_small(&mut small, c);
            prop_assert_eq!(small, sum(&wide(a), &wide(c)));
            prop_assert_eq!(piece(&wide(a), shift), (a >> shift) as u64);
            prop_assert_eq!(is_less(&wide(a), &wide(c)), a < c);
            prop_assert_eq!(bits(&wide(a)), 128 - a.leading_zeros());
            let mut bytes = [0; 16];
            write(&wide(a), &mut bytes);
            prop_assert_eq!(from_bytes(&bytes), wide(a));
        });
    }

    #[test]
    fn remainders_of_negative_numbers_are_those_of_integers() {
        let mut candidate = u64::MAX;
        let field = Prime::random(|| {
            candidate -= 1 << 4;
            candidate
        });
        let five = power(0).map(|word| 5 * word);
        let minus_five = difference(&ZERO, &five);
        assert_eq!(signed_modulo(field, &five), 5);
        assert_eq!(signed_modulo(field, &minus_five), field.modulus() - 5);
        assert_eq!(bits(&power(300)), 301);
        assert_eq!(cut(&minus_five, 70), [u64::MAX - 4, 63, 0, 0, 0, 0, 0]);
    }
}
