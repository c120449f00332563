//! What the blocks cost: elements per directed link (spec 7.3).

use super::desk::{Seat, deal_stream, dealer};
use crate::Protocol;
use crate::cost::Traffic;
use tacit_net::Stream;

fn role(protocol: Protocol, seat: Seat) -> usize {
    (dealer(protocol) + seat as usize) % 3
}

/// One element dealt.
#[must_use]
pub fn deal(protocol: Protocol) -> Traffic {
    let [from, to] = [Seat::Dealer, Seat::Second].map(|seat| role(protocol, seat));
    Traffic::default().sent(from, to, deal_stream(protocol), 1)
}

/// One element out of a gadget.
#[must_use]
pub fn gadget(protocol: Protocol) -> Traffic {
    let [first, second] = [Seat::First, Seat::Second].map(|seat| role(protocol, seat));
    Traffic::default().sent(first, second, Stream::On, 1).sent(second, first, Stream::On, 1)
}
