//! The local maps between a protocol's shares and masked coordinates.

use super::Seat;
use crate::arrays::SharedVec;
use crate::role::{Canonical, Share};
use tacit_ring::simd;
use tacit_ring::{Buffer, Word};

/// Shares in masked coordinates: see the [module](super).
pub struct Masked<W> {
    /// Dealer: `x1`; pair: `m`.
    pub first: Buffer<W>,
    /// Dealer: `x2`; first: `x1`; second: `x2`.
    pub second: Buffer<W>,
}

impl<W: Word> Masked<W> {
    /// The dealer's lower part `lambda = x1 + x2`.
    #[must_use]
    pub fn lambda(&self) -> Buffer<W> {
        let mut lambda = self.first.clone();
        let second = &self.second;
        simd::vectorize(
            #[inline(always)]
            || {
                for (sum, x2) in lambda.iter_mut().zip(second.iter()) {
                    *sum = sum.add(*x2);
                }
            },
        );
        lambda
    }
}

#[inline(always)]
fn share_to_masked<P: Canonical, W: Word>(share: Share<W>) -> Share<W> {
    // Replicated sharing, counted from the dealer: s0 = -x2, s1 = -x1, s2 = m.
    let [own, next] = P::to_replicated(share);
    match Seat::of::<P>() {
        Seat::Dealer => [next.neg(), own.neg()],
        Seat::First => [next, own.neg()],
        Seat::Second => [own, next.neg()],
    }
}

#[inline(always)]
fn share_from_masked<P: Canonical, W: Word>([first, second]: Share<W>) -> Share<W> {
    P::from_replicated(match Seat::of::<P>() {
        Seat::Dealer => [second.neg(), first.neg()],
        Seat::First => [second.neg(), first],
        Seat::Second => [first, second.neg()],
    })
}

#[inline(always)]
fn map<W: Word>(first: &mut [W], second: &mut [W], f: impl Fn(Share<W>) -> Share<W>) {
    for (a, b) in first.iter_mut().zip(second) {
        [*a, *b] = f([*a, *b]);
    }
}

/// The masked form of shares. Local.
#[must_use]
pub fn to_masked<P: Canonical, W: Word>(shares: &SharedVec<W>) -> Masked<W> {
    let mut masked = Masked { first: shares.first.clone(), second: shares.second.clone() };
    let (first, second) = (&mut masked.first, &mut masked.second);
    simd::vectorize(
        #[inline(always)]
        || map(first, second, share_to_masked::<P, W>),
    );
    masked
}

/// The inverse of [`to_masked`]. Local.
#[must_use]
pub fn from_masked<P: Canonical, W: Word>(masked: Masked<W>) -> SharedVec<W> {
    let Masked { mut first, mut second } = masked;
    let (a, b) = (&mut first, &mut second);
    simd::vectorize(
        #[inline(always)]
        || map(a, b, share_from_masked::<P, W>),
    );
    SharedVec::pair(first, second)
}
