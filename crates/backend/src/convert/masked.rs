//! The local maps between a protocol's shares and masked coordinates.

use tacit_ring::simd;
use tacit_ring::{Buffer, Word};
use tacit_sharing::arrays::SharedVec;
use tacit_sharing::coordinates::Coordinates;
use tacit_sharing::role::{COMPONENTS, Few};
use tacit_sharing::seat::Seat;

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
