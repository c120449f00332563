//! Truncation and change of ring (`docs/spec/honest-majority-rings.md` section 5.6).

use super::form::Form;
use super::inject::known_bits;
use super::{Masked, MaskedParty};
use tacit_ring::{Buffer, Word, Z2};
use tacit_sharing::SharingError;
use tacit_sharing::party::Draws;

/// Calls `f` on raw words; `u128` arithmetic is inlined away for narrower rings.
#[inline(always)]
fn raw<W: Word>(x: W, f: impl Fn(u128) -> u128) -> W {
    W::from_u128(f(x.to_u128()))
}

/// `a / 2^by`, rounded down or up by one unit: up with probability the fraction that is cut off.
/// Right for every `a` with `|a| < 2^(BITS-2)`, never wrong by more (TS_1; Escudero et al., CRYPTO
/// 2020). Two deals, two raises and one gadget each. The rounding is a function of masks that the
/// dealer knows.
///
/// # Errors
/// When the network fails.
///
/// # Panics
/// If `by` is zero or not below `BITS - 1`.
pub fn truncate<W: Word>(
    masked_party: &mut MaskedParty<'_, '_>,
    draws: &mut Draws<'_>,
    a: &Masked<W>,
    by: u32,
) -> Result<Masked<W>, SharingError> {
    assert!(by > 0 && by < W::BITS - 1, "truncation by {by} of {} bits", W::BITS);
    let n = a.first.len();
    let top = W::BITS - 1;
    let low = W::from_u128((1 << top) - 1).to_u128();
    let offset = W::from_u128(1 << (W::BITS - 2));
    let back = W::from_u128(1 << (W::BITS - 2 - by));
    let scale = W::from_u128(1 << (top - by));
    let mut room = Buffer::default();
    let form = Form::new(
        [a.known(masked_party.seat(), &mut room)],
        [],
        #[inline(always)]
        move |[m]: [W; 1]| {
            let m = m.add(offset);
            let beta = raw(m, |m| m >> top);
            [raw(m, |m| (m & low) >> by).add(scale.mul(beta)).sub(back), beta]
        },
        #[inline(always)]
        move |[lambda]: [W; 1]| {
            // -2 s gamma, and s gamma - (lambda' >> t)
            let gamma = scale.mul(raw(lambda, |x| x >> top));
            [gamma.add(gamma).neg(), gamma.sub(raw(lambda, |x| (x & low) >> by))]
        },
        #[inline(always)]
        |[], [_, beta]: [W; 2], [factor, _]: [W; 2], [_, rest]: [W; 2]| beta.mul(factor).add(rest),
    );
    form.share(masked_party, draws, n)
}

/// `a / 2^by`, rounded down, for every signed `a` (TE; after Truncation Untangled, 2024). `low` and
/// `high` are shares of `[m' mod 2^by < lambda mod 2^by]` and `[m' < lambda]`, where
/// `m' = m + 2^(BITS-1)`. Three deals, three raises and one gadget each.
///
/// # Errors
/// When the network fails.
///
/// # Panics
/// If `by` is zero or not below `BITS`.
pub fn floor_shift<W: Word>(
    masked_party: &mut MaskedParty<'_, '_>,
    draws: &mut Draws<'_>,
    a: &Masked<W>,
    by: u32,
    [low, high]: [&Masked<Z2>; 2],
) -> Result<Masked<W>, SharingError> {
    assert!(by > 0 && by < W::BITS, "shift by {by} of {} bits", W::BITS);
    let n = a.first.len();
    let top = W::from_u128(1 << (W::BITS - by));
    let double = |x: W| x.add(x);
    let (low, high) =
        (known_bits::<W>(masked_party, low, n), known_bits::<W>(masked_party, high, n));
    let mut room = Buffer::default();
    let offset = W::from_u128(1 << (W::BITS - 1));
    let back = W::from_u128(1 << (W::BITS - 1 - by));
    let form = Form::new(
        [a.known(masked_party.seat(), &mut room), &low, &high],
        [],
        #[inline(always)]
        move |[m, low, high]: [W; 3]| {
            let shifted = raw(m.add(offset), |m| m >> by);
            [shifted.sub(back).sub(low).add(top.mul(high)), low, high]
        },
        // - (lambda >> by), a lower value with coefficient one.
        #[inline(always)]
        move |[lambda, low, high]: [W; 3]| [raw(lambda, |x| x >> by).neg(), low, high],
        #[inline(always)]
        move |[], b: [W; 3], y: [W; 3], plain: [W; 3]| {
            // b = b0 + (1 - 2 b0) y0 for both bits.
            let [low, high] = [1, 2].map(|j| plain[j].sub(double(b[j].mul(y[j]))));
            plain[0].sub(low).add(top.mul(high))
        },
    );
    form.share(masked_party, draws, n)
}

/// Extends signed numbers to a wider ring, for `-2^(BITS-2) <= a < 2^(BITS-2)` of the narrow one. Each costs two deals,
/// two raises and one gadget of the wide ring.
///
/// With `a' = a + 2^(k-2)` below `2^(k-1)`, `m - lambda` wraps iff the top bit of `lambda` is
/// set and that of `m` is not.
///
/// # Errors
/// When the network fails.
pub fn widen<N: Word, W: Word>(
    masked_party: &mut MaskedParty<'_, '_>,
    draws: &mut Draws<'_>,
    a: &Masked<N>,
) -> Result<Masked<W>, SharingError> {
    let n = a.first.len();
    let top = N::BITS - 1;
    let wide = |x: N| W::from_u128(x.to_u128());
    let offset = N::from_u128(1 << (N::BITS - 2));
    let mut room = Buffer::default();
    let form = Form::new(
        [a.known(masked_party.seat(), &mut room)],
        [],
        #[inline(always)]
        move |[m]: [N; 1]| {
            let m = m.add(offset);
            let no_top = W::ONE.sub(W::from_u128(m.to_u128() >> top));
            [wide(m).sub(wide(offset)), no_top]
        },
        #[inline(always)]
        move |[lambda]: [N; 1]| {
            let carry = W::from_u128((lambda.to_u128() >> top) << N::BITS);
            [carry, wide(lambda).neg()]
        },
        #[inline(always)]
        |[], [_, no_top]: [W; 2], [carry, _]: [W; 2], [_, rest]: [W; 2]| {
            no_top.mul(carry).add(rest)
        },
    );
    form.share(masked_party, draws, n)
}
