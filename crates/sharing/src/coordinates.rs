//! Masked coordinates `a = m - x1 - x2` of a protocol's shares: what programs in rings compute on.

use crate::role::{COMPONENTS, Canonical, Role, Share};
use crate::seat::Seat;
use tacit_ring::Word;

/// A role whose shares have masked coordinates: what programs in rings compute on. A third component
/// is zero, and ignored, where there is none.
pub trait Coordinates: Role {
    /// The masked form of a share, by the role's [`Seat`]: `x1` of the dealer, `m` in the pair, `m + u` behind, `u` ahead; then
    /// `x2` of the dealer and the second, `x1` of the first, `x1 + x2` ahead and behind; and where shares have three
    /// components, `u` in the pair, `x1` ahead and behind.
    fn to_masked<W: Word>(share: [W; COMPONENTS]) -> [W; COMPONENTS];
    /// The inverse of [`Coordinates::to_masked`].
    fn from_masked<W: Word>(masked: [W; COMPONENTS]) -> [W; COMPONENTS];
}

impl<P: Canonical> Coordinates for P {
    #[inline(always)]
    fn to_masked<W: Word>([first, second, _]: [W; COMPONENTS]) -> [W; COMPONENTS] {
        let [first, second] = masked_of(Seat::of::<P>(), P::to_replicated([first, second]));
        [first, second, W::ZERO]
    }

    #[inline(always)]
    fn from_masked<W: Word>([first, second, _]: [W; COMPONENTS]) -> [W; COMPONENTS] {
        let [own, next] = P::from_replicated(replicated_of(Seat::of::<P>(), [first, second]));
        [own, next, W::ZERO]
    }
}

/// A share of replicated sharing among three parties in masked coordinates. Counted from the dealer, `s_0 = -x2`, `s_1 = -x1`,
/// `s_2 = m`.
#[inline(always)]
#[must_use]
pub fn masked_of<W: Word>(seat: Seat, [own, next]: Share<W>) -> Share<W> {
    match seat {
        Seat::First => [next, own.neg()],
        Seat::Second => [own, next.neg()],
        _ => [next.neg(), own.neg()],
    }
}

/// The inverse of [`masked_of`].
#[inline(always)]
#[must_use]
pub fn replicated_of<W: Word>(seat: Seat, [first, second]: Share<W>) -> Share<W> {
    match seat {
        Seat::First => [second.neg(), first],
        Seat::Second => [first, second.neg()],
        _ => [second.neg(), first.neg()],
    }
}

/// Something to do with the type of a role whose shares have masked coordinates.
pub trait CoordinatesVisitor {
    /// The result.
    type Out;
    /// Does it for the type `P` of the role.
    fn visit<P: Coordinates>(self) -> Self::Out;
}
