//! Masked coordinates `a = m - x1 - x2` of a protocol's shares: what programs in rings compute on.

use crate::role::{COMPONENTS, Canonical, Role};
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

/// Something to do with the type of a role whose shares have masked coordinates.
pub trait CoordinatesVisitor {
    /// The result.
    type Out;
    /// Does it for the type `P` of the role.
    fn visit<P: Coordinates>(self) -> Self::Out;
}
