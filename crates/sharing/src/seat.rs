//! Which role sits where in masked coordinates.

use crate::Protocol;
use crate::role::{Role, RoleId};

/// A role's place in masked coordinates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Seat {
    /// Among three parties, the role that knows the masks and deals.
    Dealer,
    /// The role of the pair that knows `x1`.
    First,
    /// The role of the pair that knows `x2`, and receives deals.
    Second,
    /// Among four parties, the role that knows the masks and receives nothing of these blocks.
    Ahead,
    /// Among four parties, the role that knows the masks, receives upper values under other masks, and checks.
    Behind,
}

/// The role that deals. Among four parties this is the role ahead, or the role behind where the one ahead has slow
/// links.
#[must_use]
pub fn dealer(protocol: Protocol) -> RoleId {
    protocol.roles().map_or(0, |facts| facts.dealer)
}

impl Seat {
    /// The seat of a role.
    #[must_use]
    #[inline(always)]
    pub fn of<P: Role>() -> Self {
        if P::PROTOCOL.parties() == 4 {
            return [Seat::Behind, Seat::First, Seat::Second, Seat::Ahead][P::ROLE];
        }
        match (P::ROLE + 3 - dealer(P::PROTOCOL)) % 3 {
            0 => Seat::Dealer,
            1 => Seat::First,
            _ => Seat::Second,
        }
    }

    /// Whether it knows upper values; the others know lower ones.
    #[must_use]
    #[inline(always)]
    pub fn is_pair(self) -> bool {
        matches!(self, Seat::First | Seat::Second)
    }
}
