//! Redundant shares: words of `m` bits computed on modulo `2^(m + s)`, for the statistical parameter `s`,
//! and the sacrifice that checks their products (`docs/spec/malicious-3pc-rings.md` sections 3.5 and 4.1).
//!
//! A product that is wrong by `e`, not zero modulo `2^m`, is wrong by `r e` after a challenge `r` of `s`
//! bits, and `r e` takes a different value modulo `2^(m + s)` for each `r`. So another product, made
//! before `r` was known, has made up for it with probability `2^-s` at most. With `s = 64`, words of 64
//! bits fill 128, and those of 128 bits 192: no bit is left over.

use super::channel::ProofChannel;
use super::{Charge, Strength, Two};
use bytemuck::{Pod, Zeroable};
use tacit_ring::{Buffer, Word, word};
use tacit_sharing::SharingError;

/// An integer modulo `2^192`, for redundant words of 128 bits. The last word does not count: it is there
/// because buffers hold whole units of 16 bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
#[repr(transparent)]
pub(super) struct U192([u64; 4]);

impl zeroize::DefaultIsZeroes for U192 {}

impl Word for U192 {
    const BITS: u32 = 192;
    const LANES: usize = 1;
    const ZERO: Self = U192([0; 4]);
    const ONE: Self = U192([1, 0, 0, 0]);

    #[inline(always)]
    fn add(self, o: Self) -> Self {
        let (low, first) = self.low().overflowing_add(o.low());
        let high = self.0[2].wrapping_add(o.0[2]).wrapping_add(u64::from(first));
        U192([low as u64, (low >> 64) as u64, high, 0])
    }

    #[inline(always)]
    fn sub(self, o: Self) -> Self {
        self.add(o.neg())
    }

    #[inline(always)]
    fn mul(self, o: Self) -> Self {
        let [a, b] = [self.0, o.0].map(|words| words.map(u128::from));
        let low = a[0] * b[0];
        // What overflows is beyond the last word.
        let middle = (a[0] * b[1]).wrapping_add(a[1] * b[0]).wrapping_add(low >> 64);
        let high = (a[0] * b[2]).wrapping_add(a[1] * b[1]).wrapping_add(a[2] * b[0]);
        U192([low as u64, middle as u64, high.wrapping_add(middle >> 64) as u64, 0])
    }

    #[inline(always)]
    fn neg(self) -> Self {
        U192(self.0.map(|word| !word)).add(Self::ONE)
    }

    #[inline(always)]
    fn from_u128(v: u128) -> Self {
        U192([v as u64, (v >> 64) as u64, 0, 0])
    }

    #[inline(always)]
    fn to_u128(self) -> u128 {
        self.low()
    }
}

impl U192 {
    #[inline(always)]
    fn low(self) -> u128 {
        u128::from(self.0[0]) | u128::from(self.0[1]) << 64
    }
}

/// Bytes of a redundant word of `bits` bits.
#[must_use]
pub const fn bytes(bits: u32, strength: Strength) -> usize {
    (bits + strength.bits()).div_ceil(8) as usize
}

/// The low bytes of each word.
pub(super) fn narrowed<E: Word>(words: &[E], each: usize) -> Buffer<u8> {
    let mut narrow = Buffer::zeros(words.len() * each);
    let whole = word::bytes(words).chunks_exact(size_of::<E>());
    for (start, from) in (0..).step_by(each).zip(whole) {
        // Whole words are fast to copy; what is too much is written over by the next one.
        match narrow.get_mut(start..start + size_of::<E>()) {
            Some(to) => to.copy_from_slice(from),
            None => narrow[start..start + each].copy_from_slice(&from[..each]),
        }
    }
    narrow
}

/// The words with these low bytes.
pub(super) fn widened<E: Word>(bytes: &[u8], each: usize) -> Buffer<E> {
    let mut words = Buffer::zeros(bytes.len() / each);
    let mut keep = [E::ZERO];
    word::bytes_mut(&mut keep)[..each].fill(!0);
    let keep = word::bytes(&keep);
    let whole = word::bytes_mut(&mut words).chunks_exact_mut(size_of::<E>());
    for (start, to) in (0..).step_by(each).zip(whole) {
        match bytes.get(start..start + size_of::<E>()) {
            Some(from) => {
                to.iter_mut().zip(from).zip(keep).for_each(|((to, from), keep)| *to = from & keep);
            }
            None => to[..each].copy_from_slice(&bytes[start..start + each]),
        }
    }
    words
}

/// Extends components to wider words, with zeros above.
pub(super) fn extended<W: Word, E: Word>(run: &[W]) -> Buffer<E> {
    let mut wide = Buffer::zeros(run.len());
    wide.iter_mut().zip(run).for_each(|(to, from)| *to = E::from_u128(from.to_u128()));
    wide
}

/// A role's summand of a product of two shared values.
#[inline(always)]
pub(super) fn summand<E: Word>(x: [E; 2], y: [E; 2]) -> E {
    x[0].mul(y[0].add(y[1])).add(x[1].mul(y[0]))
}

/// The summands of all products.
pub(super) fn summands<E: Word>(x: &[Buffer<E>; 2], y: &[Buffer<E>; 2]) -> Buffer<E> {
    let mut summands = Buffer::zeros(x[0].len());
    for (i, to) in summands.iter_mut().enumerate() {
        *to = summand([x[0][i], x[1][i]], [y[0][i], y[1][i]]);
    }
    summands
}

/// The words modulo `2^m`.
pub(super) fn reduced<W: Word, E: Word>(run: &[E]) -> Buffer<W> {
    let mut words = Buffer::zeros(run.len());
    words.iter_mut().zip(run).for_each(|(to, from)| *to = W::from_u128(from.to_u128()));
    words
}

/// What a sacrifice costs for results of so many products in all.
pub(super) fn cost(bits: u32, strength: Strength, results: usize, terms: usize) -> Charge {
    Charge { bytes: (bytes(bits, strength) * (results + terms)) as u64, coins: 1, rounds: 3 }
}

/// Shares results of which this role has summands, in words of `each` bytes: its own component, and
/// that of the next role, which comes from there.
pub(super) fn reshare<E: Word>(
    channel: &mut ProofChannel<'_, '_, '_>,
    each: usize,
    summands: &[E],
) -> Result<[Buffer<E>; 2], SharingError> {
    let [next, previous] = channel.masks::<E>(summands.len());
    let mut own = Buffer::zeros(summands.len());
    for ((own, summand), (next, previous)) in
        own.iter_mut().zip(summands).zip(next.iter().zip(previous.iter()))
    {
        *own = summand.add(*next).sub(*previous);
    }
    let theirs = channel.pass(&narrowed(&own, each))?;
    Ok([own, widened(&theirs, each)])
}

/// Opens words of `each` bytes to all. That all have the same is compared later.
pub(super) fn open<E: Word>(
    channel: &mut ProofChannel<'_, '_, '_>,
    each: usize,
    [own, next]: [&[E]; 2],
) -> Result<Buffer<E>, SharingError> {
    let missing = channel.pass(&narrowed(next, each))?;
    let mut opened = widened::<E>(&missing, each);
    for ((opened, own), next) in opened.iter_mut().zip(own).zip(next) {
        *opened = opened.add(*own).add(*next);
    }
    // As it is sent: what is above does not count.
    let opened = narrowed(&opened, each);
    channel.agree(&opened);
    Ok(widened(&opened, each))
}

/// Sums of so many neighbouring words each.
pub(super) fn totals<E: Word>(words: Buffer<E>, runs: &[(usize, usize)]) -> Buffer<E> {
    if runs.iter().all(|(_, terms)| *terms == 1) {
        return words;
    }
    let mut sums = Buffer::zeros(runs.iter().map(|(results, _)| results).sum());
    let terms = runs.iter().flat_map(|(results, terms)| std::iter::repeat_n(*terms, *results));
    let mut rest = &words[..];
    for (sum, terms) in sums.iter_mut().zip(terms) {
        let (these, others) = rest.split_at(terms);
        *sum = these.iter().fold(E::ZERO, |sum, term| sum.add(*term));
        rest = others;
    }
    sums
}

/// Results, each claimed to be a sum of products of factors, over redundant words.
pub(super) struct Claims<'a, E> {
    /// Bytes of a word that count.
    pub each: usize,
    pub x: Two<'a, E>,
    pub y: Two<'a, E>,
    pub z: Two<'a, E>,
    /// Results, and the terms of each.
    pub runs: &'a [(usize, usize)],
}

/// Checks results, which must be right modulo the ring's power of two: what it finds to be zero is compared later.
///
/// # Errors
/// When the network fails or a peer sends what no honest party does.
pub(super) fn sacrifice<E: Word>(
    channel: &mut ProofChannel<'_, '_, '_>,
    strength: Strength,
    claims: &Claims<'_, E>,
) -> Result<(), SharingError> {
    match strength {
        Strength::Usual => sacrifice_with::<E, { Strength::Usual.bits() }>(channel, claims),
        Strength::Strong => sacrifice_with::<E, { Strength::Strong.bits() }>(channel, claims),
    }
}

/// With a challenge of so many bits: fewer for tests of what passes by chance.
pub(super) fn sacrifice_with<E: Word, const CHALLENGE: u32>(
    channel: &mut ProofChannel<'_, '_, '_>,
    claims: &Claims<'_, E>,
) -> Result<(), SharingError> {
    let Claims { each, x, y, z, runs } = claims;
    let (each, terms) = (*each, x[0].len());
    // A second factor that nobody knows, and its product, before the challenge.
    let a = channel.shared::<E>(terms);
    let mut products = Buffer::zeros(terms);
    for (i, product) in products.iter_mut().enumerate() {
        *product = summand([a[0][i], a[1][i]], [y[0][i], y[1][i]]);
    }
    let c = reshare(channel, each, &totals(products, runs))?;
    let r = E::from_u128(channel.coin()?.words::<u128>(1)[0] & ((1 << CHALLENGE) - 1));
    let masked = [0, 1].map(|i| {
        let mut masked = Buffer::zeros(terms);
        for ((masked, x), a) in masked.iter_mut().zip(x[i]).zip(a[i].iter()) {
            *masked = r.mul(*x).add(*a);
        }
        masked
    });
    let e = open(channel, each, [&masked[0], &masked[1]])?;
    let zeros = [0, 1].map(|i| {
        let mut products = Buffer::zeros(terms);
        for ((product, e), y) in products.iter_mut().zip(e.iter()).zip(y[i]) {
            *product = e.mul(*y);
        }
        let mut zeros = totals(products, runs);
        for ((zero, z), c) in zeros.iter_mut().zip(z[i]).zip(c[i].iter()) {
            *zero = r.mul(*z).add(*c).sub(*zero);
        }
        zeros
    });
    channel.claim_zeros(each, [&zeros[0], &zeros[1]]);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn numbers_of_three_words_agree_with_the_machine_s() {
        let wide = |x: u128| U192::from_u128(x);
        proptest!(|(a: u128, b: u128, c: u64)| {
            prop_assert_eq!(wide(a).add(wide(b)).to_u128(), a.wrapping_add(b));
            prop_assert_eq!(wide(a).sub(wide(b)).to_u128(), a.wrapping_sub(b));
            prop_assert_eq!(wide(a).mul(wide(b)).to_u128(), a.wrapping_mul(b));
            prop_assert_eq!(wide(a).sub(wide(b)).add(wide(b)), wide(a));
            // (2^64 a) c = 2^64 (a c): the high words.
            let shifted = |x: u128| U192([0, x as u64, (x >> 64) as u64, 0]);
            prop_assert_eq!(shifted(a).mul(wide(c.into())), shifted(a.wrapping_mul(c.into())));
            prop_assert_eq!(wide(a).mul(shifted(b)), wide(b).mul(shifted(1)).mul(wide(a)));
        });
    }

    #[test]
    fn words_keep_their_low_bytes() {
        let words = [u128::MAX, 1, 0x0102_0304_0506_0708_090a_0b0c_0d0e_0f10];
        let narrow = narrowed(&words, 13);
        assert_eq!(narrow.len(), 39);
        let back: Buffer<u128> = widened(&narrow, 13);
        assert_eq!(&*back, &words.map(|word| word & ((1 << 104) - 1)));
    }
}
