//! What the seats of a protocol send and compare.

use tacit_net::Stream;
use tacit_sharing::Protocol;
use tacit_sharing::role::RoleId;
pub use tacit_sharing::seat::{Seat, dealer};
use tacit_sharing::verify::{Item, Kind};

/// The stream of what is sent ahead: online where no role works ahead.
#[must_use]
pub fn deal_stream(protocol: Protocol) -> Stream {
    if protocol.ahead().is_some() { Stream::Pre } else { Stream::On }
}

/// Whether a role that deals hears first what others deferred, so that it does not work ahead from one operation to the next.
#[must_use]
pub fn hears_before_it_deals(protocol: Protocol) -> bool {
    protocol.ahead().is_some_and(|ahead| ahead != dealer(protocol))
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
