//! Truncation and change of ring (spec 5.6).

use super::desk::Split;
use super::inject::known_bits;
use super::{Desk, Masked, Seat};
use crate::party::{Draws, SharingError};
use tacit_ring::{Buffer, Word, Z2};

/// Calls `f` on raw words; `u128` arithmetic is inlined away for narrower rings.
#[inline(always)]
fn raw<W: Word>(x: W, f: impl Fn(u128) -> u128) -> W {
    W::from_u128(f(x.to_u128()))
}

/// `a / 2^by`, rounded down or up by one unit: up with probability the fraction that is cut off.
/// Right for every `a` with `|a| < 2^(BITS-2)`, never wrong by more (TS_1; Escudero et al., CRYPTO
/// 2020). Two deals and one gadget each. The rounding is a function of masks that the dealer knows.
///
/// # Errors
/// When the network fails.
///
/// # Panics
/// If `by` is zero or not below `BITS - 1`.
pub fn truncate<W: Word>(
    desk: &mut Desk<'_, '_>,
    draws: &mut Draws<'_>,
    a: &Masked<W>,
    by: u32,
) -> Result<Masked<W>, SharingError> {
    assert!(by > 0 && by < W::BITS - 1, "truncation by {by} of {} bits", W::BITS);
    let n = a.first.len();
    let top = W::BITS - 1;
    let low = W::from_u128((1 << top) - 1).to_u128();
    let offset = W::from_u128(1 << (W::BITS - 2));
    let scale = W::from_u128(1 << (top - by));
    if desk.seat() == Seat::Dealer {
        let lambda = a.lambda();
        // -2 s gamma, and s gamma - (lambda' >> t)
        let gamma = |x: &W| scale.mul(raw(*x, |x| x >> top));
        let factor: Vec<W> = lambda.iter().map(|x| gamma(x).add(gamma(x)).neg()).collect();
        let rest: Vec<W> =
            lambda.iter().map(|x| gamma(x).sub(raw(*x, |x| (x & low) >> by))).collect();
        desk.deal(draws, &factor, n)?;
        desk.deal(draws, &rest, n)?;
        return desk.gadget(draws, Buffer::zeros(n), None);
    }
    let factor = desk.deal(draws, &[], n)?;
    let rest = desk.deal(draws, &[], n)?;
    let (mut sum, mut c) = (Buffer::zeros(n), Buffer::zeros(n));
    let back = W::from_u128(1 << (W::BITS - 2 - by));
    let split = factor.half(desk.seat()).iter().zip(rest.half(desk.seat()));
    for (((sum, c), m), (q, r)) in sum.iter_mut().zip(c.iter_mut()).zip(a.first.iter()).zip(split) {
        let m = m.add(offset);
        let beta = raw(m, |m| m >> top);
        *sum = beta.mul(*q).add(*r);
        *c = raw(m, |m| (m & low) >> by).add(scale.mul(beta)).sub(back);
    }
    desk.gadget(draws, sum, Some(&c))
}

/// `a / 2^by`, rounded down, for every signed `a` (TE; after Truncation Untangled, 2024). `low` and
/// `high` are shares of `[m' mod 2^by < lambda mod 2^by]` and `[m' < lambda]`, where
/// `m' = m + 2^(BITS-1)`. Three deals and one gadget each.
///
/// # Errors
/// When the network fails.
///
/// # Panics
/// If `by` is zero or not below `BITS`.
pub fn floor_shift<W: Word>(
    desk: &mut Desk<'_, '_>,
    draws: &mut Draws<'_>,
    a: &Masked<W>,
    by: u32,
    [low, high]: [&Masked<Z2>; 2],
) -> Result<Masked<W>, SharingError> {
    assert!(by > 0 && by < W::BITS, "shift by {by} of {} bits", W::BITS);
    let n = a.first.len();
    let top = W::from_u128(1 << (W::BITS - by));
    let double = |x: W| x.add(x);
    let (low, high) = (known_bits::<W>(desk, low, n), known_bits::<W>(desk, high, n));
    // - (lambda >> by), a lower value with coefficient one.
    let mut rest = Buffer::<W>::default();
    if desk.seat() == Seat::Dealer {
        rest = a.lambda();
        rest.iter_mut().for_each(|x| *x = raw(*x, |x| x >> by).neg());
    }
    let (rest, y_low, y_high) =
        (desk.deal(draws, &rest, n)?, desk.deal(draws, &low, n)?, desk.deal(draws, &high, n)?);
    let (mut sum, mut c) = (Buffer::<W>::zeros(n), Buffer::<W>::zeros(n));
    if desk.seat() != Seat::Dealer {
        let half = |split| Split::half(split, desk.seat());
        let (rest, y_low, y_high) = (half(&rest), half(&y_low), half(&y_high));
        let offset = W::from_u128(1 << (W::BITS - 1));
        let back = W::from_u128(1 << (W::BITS - 1 - by));
        for i in 0..n {
            // b = b0 + (1 - 2 b0) y0 for both bits.
            let term = |b: W, q: W| q.sub(double(b.mul(q)));
            sum[i] = rest[i].sub(term(low[i], y_low[i])).add(top.mul(term(high[i], y_high[i])));
            let m = raw(a.first[i].add(offset), |m| m >> by);
            c[i] = m.sub(back).sub(low[i]).add(top.mul(high[i]));
        }
    }
    desk.gadget(draws, sum, Some(&c))
}

/// The same signed number in a wider ring, for `-2^(BITS-2) <= a < 2^(BITS-2)` of the narrow one.
/// Two deals and one gadget of the wide ring each.
///
/// With `a' = a + 2^(k-2)` below `2^(k-1)`, `m - lambda` wraps iff the top bit of `lambda` is
/// set and that of `m` is not.
///
/// # Errors
/// When the network fails.
pub fn widen<N: Word, W: Word>(
    desk: &mut Desk<'_, '_>,
    draws: &mut Draws<'_>,
    a: &Masked<N>,
) -> Result<Masked<W>, SharingError> {
    let n = a.first.len();
    let top = N::BITS - 1;
    let wide = |x: N| W::from_u128(x.to_u128());
    let offset = N::from_u128(1 << (N::BITS - 2));
    if desk.seat() == Seat::Dealer {
        let lambda = a.lambda();
        let carry: Vec<W> =
            lambda.iter().map(|x| W::from_u128((x.to_u128() >> top) << N::BITS)).collect();
        let rest: Vec<W> = lambda.iter().map(|x| wide(*x).neg()).collect();
        desk.deal(draws, &carry, n)?;
        desk.deal(draws, &rest, n)?;
        return desk.gadget(draws, Buffer::zeros(n), None);
    }
    let carry = desk.deal(draws, &[], n)?;
    let rest = desk.deal(draws, &[], n)?;
    let (mut sum, mut c) = (Buffer::zeros(n), Buffer::zeros(n));
    let split = carry.half(desk.seat()).iter().zip(rest.half(desk.seat()));
    for (((sum, c), m), (q, r)) in sum.iter_mut().zip(c.iter_mut()).zip(a.first.iter()).zip(split) {
        let m = m.add(offset);
        let no_top = W::ONE.sub(W::from_u128(m.to_u128() >> top));
        *sum = no_top.mul(*q).add(*r);
        *c = wide(m).sub(wide(offset));
    }
    desk.gadget(draws, sum, Some(&c))
}
