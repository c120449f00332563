//! What the blocks cost: elements per directed link (`docs/spec/honest-majority-rings.md` section 7.3).

use super::seat::{Seat, Seats};
use crate::cost::Traffic;
use tacit_net::Stream;
use tacit_sharing::Protocol;

/// One element dealt.
#[must_use]
pub fn deal(protocol: Protocol) -> Traffic {
    let seats = Seats::of(protocol);
    Traffic::default().sent(seats.dealer(), seats.role(Seat::Second), seats.deals(), 1)
}

/// One element raised.
#[must_use]
pub fn raise(protocol: Protocol) -> Traffic {
    let seats = Seats::of(protocol);
    let none = Traffic::default();
    if !seats.are_four() {
        return none;
    }
    none.sent(seats.role(Seat::Second), seats.role(Seat::Behind), Stream::Def, 1)
}

/// One element out of a gadget.
#[must_use]
pub fn gadget(protocol: Protocol) -> Traffic {
    let seats = Seats::of(protocol);
    let [first, second] = [Seat::First, Seat::Second].map(|seat| seats.role(seat));
    let pair =
        Traffic::default().sent(first, second, Stream::On, 1).sent(second, first, Stream::On, 1);
    if !seats.are_four() {
        return pair;
    }
    let behind = seats.role(Seat::Behind);
    match seats.result_is_sent() {
        true => pair.sent(second, behind, Stream::Def, 1),
        false => pair.sent(seats.role(Seat::Ahead), behind, seats.deals(), 1),
    }
}
