//! The local maps between a protocol's shares and masked coordinates.

use super::Seat;
use crate::arrays::SharedVec;
use crate::quad::{self, Quad};
use crate::role::{Canonical, Role, Share};
use tacit_ring::simd;
use tacit_ring::{Buffer, Word};

/// A role whose shares have masked coordinates: what programs in rings compute on.
pub trait Coordinates: Role {
    /// The masked form of a share.
    fn to_masked<W: Word>(share: Share<W>) -> Share<W>;
    /// The inverse of [`Coordinates::to_masked`].
    fn from_masked<W: Word>(masked: Share<W>) -> Share<W>;
}

impl<P: Canonical> Coordinates for P {
    #[inline(always)]
    fn to_masked<W: Word>(share: Share<W>) -> Share<W> {
        // Replicated sharing, counted from the dealer: s0 = -x2, s1 = -x1, s2 = m.
        let [own, next] = P::to_replicated(share);
        match Seat::of::<P>() {
            Seat::First => [next, own.neg()],
            Seat::Second => [own, next.neg()],
            _ => [next.neg(), own.neg()],
        }
    }

    #[inline(always)]
    fn from_masked<W: Word>([first, second]: Share<W>) -> Share<W> {
        P::from_replicated(match Seat::of::<P>() {
            Seat::First => [second.neg(), first],
            Seat::Second => [first, second.neg()],
            _ => [second.neg(), first.neg()],
        })
    }
}

impl<const R: usize> Coordinates for Quad<{ quad::B }, R> {
    #[inline(always)]
    fn to_masked<W: Word>([first, second]: Share<W>) -> Share<W> {
        // The role behind holds a + u; raised, m is a + u + x0.
        if R == 0 { [first.add(second), second] } else { [first, second] }
    }

    #[inline(always)]
    fn from_masked<W: Word>([first, second]: Share<W>) -> Share<W> {
        if R == 0 { [first.sub(second), second] } else { [first, second] }
    }
}

/// Shares in masked coordinates: see the [module](super).
pub struct Masked<W> {
    /// Dealer: `x1`; pair: `m`; behind: `m + u`; ahead: `u`.
    pub first: Buffer<W>,
    /// Dealer and second: `x2`; first: `x1`; ahead and behind: `x1 + x2`.
    pub second: Buffer<W>,
}

impl<W: Word> Masked<W> {
    /// The lower part `lambda = x1 + x2` at a seat that knows it; nothing in the pair.
    #[must_use]
    pub fn lambda(&self, seat: Seat) -> Buffer<W> {
        match seat {
            Seat::First | Seat::Second => Buffer::default(),
            Seat::Ahead | Seat::Behind => self.second.clone(),
            Seat::Dealer => self.sum_of_masks(),
        }
    }

    /// What a seat knows of the value: `m` in the pair, `lambda` elsewhere, in `room` if it must be
    /// computed.
    pub(super) fn known<'a>(&'a self, seat: Seat, room: &'a mut Buffer<W>) -> &'a [W] {
        match seat {
            Seat::First | Seat::Second => &self.first,
            Seat::Ahead | Seat::Behind => &self.second,
            Seat::Dealer => {
                *room = self.sum_of_masks();
                room
            }
        }
    }

    fn sum_of_masks(&self) -> Buffer<W> {
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
fn map<W: Word>(first: &mut [W], second: &mut [W], f: impl Fn(Share<W>) -> Share<W>) {
    for (a, b) in first.iter_mut().zip(second) {
        [*a, *b] = f([*a, *b]);
    }
}

/// The masked form of shares. Local.
#[must_use]
pub fn to_masked<P: Coordinates, W: Word>(shares: &SharedVec<W>) -> Masked<W> {
    let mut masked = Masked { first: shares.first.clone(), second: shares.second.clone() };
    let (first, second) = (&mut masked.first, &mut masked.second);
    simd::vectorize(
        #[inline(always)]
        || map(first, second, P::to_masked::<W>),
    );
    masked
}

/// The inverse of [`to_masked`]. Local.
#[must_use]
pub fn from_masked<P: Coordinates, W: Word>(masked: Masked<W>) -> SharedVec<W> {
    let Masked { mut first, mut second } = masked;
    let (a, b) = (&mut first, &mut second);
    simd::vectorize(
        #[inline(always)]
        || map(a, b, P::from_masked::<W>),
    );
    SharedVec::pair(first, second)
}
