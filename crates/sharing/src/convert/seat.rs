//! Which role sits where in masked coordinates.

use crate::Protocol;
use crate::role::{Role, RoleId};
use crate::verify::{Item, Kind};
use tacit_net::Stream;

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

/// The stream of what is sent ahead: online where no role works ahead.
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

/// `f + z0 + w`, which all but the role ahead compute.
const RESULT: Item = Item::new(Kind::Result, &[0, 1, 2]);
/// `f + z0 + w`, where the second sends it to the role behind: compared by the role behind and the first.
const RESULT_SENT: Item = Item::new(Kind::Result, &[0, 1]);
/// A correction that is not sent: the roles behind and ahead compute it.
pub(super) const CORRECTION: Item = Item::new(Kind::Masks, &[0, 3]);
/// A raised value, sent by the second, compared by the role behind and the first.
pub(super) const RAISE: Item = Item::new(Kind::Raise, &[0, 1]);

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
            (true, _) => 3,
            (false, Seat::First) => after_dealer(1),
            (false, Seat::Second) => after_dealer(2),
            (false, _) => self.dealer(),
        }
    }

    /// The transcript item in which the second compares what was dealt with the other role that could have dealt it
    /// (four parties only).
    pub fn dealt(self) -> Item {
        match self.dealer() {
            0 => Item::new(Kind::Deal, &[2, 3]),
            _ => Item::new(Kind::Deal, &[0, 2]),
        }
    }

    /// Whether the role behind gets a gadget's result from the second, and checks the role ahead's
    /// correction, which is not sent. Elsewhere it gets the correction and checks the result.
    pub fn result_is_sent(self) -> bool {
        self.protocol.roles().is_some_and(|facts| facts.sends_result)
    }

    /// Where `f + z0 + w` goes.
    pub fn result(self) -> Item {
        if self.result_is_sent() { RESULT_SENT } else { RESULT }
    }
}
