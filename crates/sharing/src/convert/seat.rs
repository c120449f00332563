//! Which role sits where in masked coordinates.

use crate::Protocol;
use crate::role::{Role, RoleId};
use tacit_net::Stream;

/// A role's place in masked coordinates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Seat {
    /// Of three: knows the masks.
    Dealer,
    /// Of the pair, the one that knows `x1`.
    First,
    /// Of the pair, the one that knows `x2`, and gets deals.
    Second,
    /// Of four: knows the masks, deals, and receives nothing before the checks.
    Ahead,
    /// Of four: knows the masks, is told upper values under masks, and checks.
    Behind,
}

/// The role that deals.
#[must_use]
pub fn dealer(protocol: Protocol) -> RoleId {
    protocol.ahead().unwrap_or(0)
}

/// The stream of a protocol's deals: online where no role works ahead.
#[must_use]
pub fn deal_stream(protocol: Protocol) -> Stream {
    if protocol.ahead().is_some() { Stream::Pre } else { Stream::On }
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

/// The seats of a protocol.
#[derive(Clone, Copy)]
pub(super) struct Seats {
    protocol: Protocol,
}

impl Seats {
    pub fn of(protocol: Protocol) -> Self {
        Seats { protocol }
    }

    pub fn are_four(self) -> bool {
        self.protocol.parties() == 4
    }

    pub fn dealer(self) -> RoleId {
        dealer(self.protocol)
    }

    pub fn deals(self) -> Stream {
        deal_stream(self.protocol)
    }

    pub fn role(self, seat: Seat) -> RoleId {
        let after_dealer = |step| (self.dealer() + step) % 3;
        match (self.are_four(), seat) {
            (true, Seat::Behind) => 0,
            (true, Seat::First) => 1,
            (true, Seat::Second) => 2,
            (false, Seat::First) => after_dealer(1),
            (false, Seat::Second) => after_dealer(2),
            _ => self.dealer(),
        }
    }
}
