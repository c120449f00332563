//! The local maps between a protocol's shares and masked coordinates.

use super::Seat;
use crate::arrays::SharedVec;
use crate::fantastic_four::FantasticFour;
use crate::quad::{Quad, Variant};
use crate::role::{COMPONENTS, Canonical, Few, Role};
use crate::tetrad::Tetrad;
use tacit_ring::simd;
use tacit_ring::{Buffer, Word};

/// A role whose shares have masked coordinates: what programs in rings compute on. A third component
/// is zero, and ignored, where there is none.
pub trait Coordinates: Role {
    /// The masked form of a share: see [`Masked`].
    fn to_masked<W: Word>(share: [W; COMPONENTS]) -> [W; COMPONENTS];
    /// The inverse of [`Coordinates::to_masked`].
    fn from_masked<W: Word>(masked: [W; COMPONENTS]) -> [W; COMPONENTS];
}

impl<P: Canonical> Coordinates for P {
    #[inline(always)]
    fn to_masked<W: Word>([first, second, _]: [W; COMPONENTS]) -> [W; COMPONENTS] {
        // Replicated sharing, counted from the dealer: s0 = -x2, s1 = -x1, s2 = m.
        let [own, next] = P::to_replicated([first, second]);
        match Seat::of::<P>() {
            Seat::First => [next, own.neg(), W::ZERO],
            Seat::Second => [own, next.neg(), W::ZERO],
            _ => [next.neg(), own.neg(), W::ZERO],
        }
    }

    #[inline(always)]
    fn from_masked<W: Word>([first, second, _]: [W; COMPONENTS]) -> [W; COMPONENTS] {
        let [own, next] = P::from_replicated(match Seat::of::<P>() {
            Seat::First => [second.neg(), first],
            Seat::Second => [first, second.neg()],
            _ => [second.neg(), first.neg()],
        });
        [own, next, W::ZERO]
    }
}

impl<const V: Variant, const R: usize> Coordinates for Quad<V, R> {
    #[inline(always)]
    fn to_masked<W: Word>([first, second, _]: [W; COMPONENTS]) -> [W; COMPONENTS] {
        // The role behind holds a + u; raised, m is a + u + x0.
        [if R == 0 { first.add(second) } else { first }, second, W::ZERO]
    }

    #[inline(always)]
    fn from_masked<W: Word>([first, second, _]: [W; COMPONENTS]) -> [W; COMPONENTS] {
        [if R == 0 { first.sub(second) } else { first }, second, W::ZERO]
    }
}

impl<const R: usize> Coordinates for Tetrad<R> {
    #[inline(always)]
    fn to_masked<W: Word>([first, second, third]: [W; COMPONENTS]) -> [W; COMPONENTS] {
        // M = m + u, with the masks l1 = x1, l2 = x2, l3 = u.
        match R {
            0 => [first, second.add(third), second],
            3 => [third, first.add(second), first],
            _ => [first.sub(third), second, third],
        }
    }

    #[inline(always)]
    fn from_masked<W: Word>([first, second, third]: [W; COMPONENTS]) -> [W; COMPONENTS] {
        match R {
            0 => [first, third, second.sub(third)],
            3 => [third, second.sub(third), first],
            _ => [first.add(third), second, third],
        }
    }
}

impl<const R: usize> Coordinates for FantasticFour<R> {
    #[inline(always)]
    fn to_masked<W: Word>([first, second, third]: [W; COMPONENTS]) -> [W; COMPONENTS] {
        // Tetrad's M = s3, l1 = -s2, l2 = -s1, l3 = -s0.
        Tetrad::<R>::to_masked(match R {
            // (s3, s1, s2); (s0, s1, s2)
            0 => [first, third.neg(), second.neg()],
            3 => [third.neg(), second.neg(), first.neg()],
            // (s3, s0, s2), (s3, s0, s1)
            _ => [first, third.neg(), second.neg()],
        })
    }

    #[inline(always)]
    fn from_masked<W: Word>(masked: [W; COMPONENTS]) -> [W; COMPONENTS] {
        let [first, second, third] = Tetrad::<R>::from_masked(masked);
        match R {
            3 => [third.neg(), second.neg(), first.neg()],
            _ => [first, third.neg(), second.neg()],
        }
    }
}

/// Shares in masked coordinates: see the [module](super).
pub struct Masked<W> {
    /// Dealer: `x1`; pair: `m`; behind: `m + u`; ahead: `u`.
    pub first: Buffer<W>,
    /// Dealer and second: `x2`; first: `x1`; ahead and behind: `x1 + x2`.
    pub second: Buffer<W>,
    /// Where shares have three components, pair: `u`; ahead and behind: `x1`. Else empty.
    pub third: Buffer<W>,
}

impl<W: Word> Masked<W> {
    /// A masked array whose shares have two components.
    #[must_use]
    pub fn pair(first: Buffer<W>, second: Buffer<W>) -> Self {
        Masked { first, second, third: Buffer::default() }
    }

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

/// Maps shares of a role, component by component.
fn map<P: Coordinates, W: Word>(
    mut words: [Buffer<W>; COMPONENTS],
    f: impl Fn([W; COMPONENTS]) -> [W; COMPONENTS],
) -> [Buffer<W>; COMPONENTS] {
    let [first, second, third] = words.each_mut().map(|run| &mut run[..]);
    simd::vectorize(
        #[inline(always)]
        move || {
            let pairs = first.iter_mut().zip(second);
            if P::Share::<W>::COUNT > 2 {
                for ((a, b), c) in pairs.zip(third) {
                    [*a, *b, *c] = f([*a, *b, *c]);
                }
            } else {
                pairs.for_each(|(a, b)| [*a, *b, _] = f([*a, *b, W::ZERO]));
            }
        },
    );
    words
}

/// The masked form of shares. Local.
#[must_use]
pub fn to_masked<P: Coordinates, W: Word>(shares: &SharedVec<W>) -> Masked<W> {
    let words = shares.components().map(Buffer::from_slice);
    let [first, second, third] = map::<P, W>(words, P::to_masked::<W>);
    Masked { first, second, third }
}

/// The inverse of [`to_masked`]. Local.
#[must_use]
pub fn from_masked<P: Coordinates, W: Word>(masked: Masked<W>) -> SharedVec<W> {
    let words = [masked.first, masked.second, masked.third];
    let [first, second, third] = map::<P, W>(words, P::from_masked::<W>);
    SharedVec { first, second, third }
}
