//! Latencies: how often a phase waits for messages that cross the network, one wait after the other. Links' delays
//! times these are what a run takes where bandwidth and processors have no limit.
//!
//! [`cost`] counts the rounds in which one party waits; these are of all parties together, from one's first message to
//! another's last. Tests compare them with virtual time.

use crate::bmr::{Opening, Products, Rounds};
use crate::cost::{self, CHECK_ROUNDS};
use crate::gmw::Method;
use crate::proof;
use crate::registry::Protocol;

/// Until parties have compared what they are about to do, and have their keys.
#[must_use]
pub fn set_up(protocol: Protocol) -> u64 {
    match protocol {
        // Offsets are compared, too.
        Protocol::Authenticated(2) | Protocol::Wrk17(2) => 6,
        _ if protocol.authenticates() => 14,
        _ if protocol.has_transfers() => 4,
        _ => 3,
    }
}

/// Of preprocessing, where all of it comes first.
#[must_use]
pub fn ahead(protocol: Protocol, opening: Opening) -> u64 {
    // Tables are opened by everybody to everybody, or by way of those who add up columns.
    let opened = if opening == Opening::Collector { 2 } else { 1 };
    match protocol {
        Protocol::Bmr(_) | Protocol::BmrOt(Products::Offset, _) => 3 + opened,
        Protocol::BmrOt(..) => 4 + opened,
        Protocol::BmrSilent(_) => 5 + opened,
        Protocol::BmrShamir(_) | Protocol::BmrBlocks(Rounds::Three, _) => 2 + opened,
        Protocol::BmrBlocks(Rounds::Four, _) => 3 + opened,
        Protocol::BmrBlocks(Rounds::Two, _) | Protocol::BmrReplicated => 1 + opened,
        // Choices of masks; the table.
        Protocol::Yao | Protocol::YaoSilent => 2,
        Protocol::Authenticated(2) | Protocol::Wrk17(2) => 12,
        _ if protocol.authenticates() => 13,
        _ if makes_triples(protocol) => TRIPLES,
        _ => match protocol.gmw() {
            Some(Method::Masked | Method::Star | Method::Triples) => 2,
            Some(Method::Silent) => 5,
            Some(Method::Wide) => 4,
            Some(Method::Transfers) => 1,
            // What roles send ahead nobody answers.
            None => 0,
        },
    }
}

/// From inputs to outputs, through so many levels of products; without [`checks`].
#[must_use]
pub fn online(protocol: Protocol, opening: Opening, depth: u64) -> u64 {
    match protocol {
        // The one who evaluates tells the others.
        _ if protocol.opens_tables() => 2 + 2 * u64::from(opening == Opening::Single),
        // Choices, or tables; labels; results.
        Protocol::Yao | Protocol::YaoSilent | Protocol::YaoThree => 3,
        Protocol::Authenticated(2) | Protocol::Wrk17(2) => 6,
        _ if protocol.authenticates() => 7,
        Protocol::Plain => 2,
        _ => depth * levels(protocol) + if protocol.has_roles() { 2 } else { 1 },
    }
}

/// Of a level of products.
#[must_use]
pub fn levels(protocol: Protocol) -> u64 {
    cost::rounds(protocol) * cost::latencies(protocol)
}

/// Of comparing transcripts before and after results open, and of so many rounds of proofs before that, or of checks
/// of triples.
#[must_use]
pub fn checks(protocol: Protocol, proofs: u64) -> u64 {
    let compared = 2 * (CHECK_ROUNDS + 1);
    // Two rounds pass beside others, and those that make triples come ahead.
    let beside = match protocol.proving() {
        Some(_) => 2 + if makes_triples(protocol) { TRIPLES } else { 0 },
        None => 0,
    };
    if protocol.is_checked() { (compared + proofs).saturating_sub(beside) } else { 0 }
}

/// Until triples are made.
const TRIPLES: u64 = 3;

fn makes_triples(protocol: Protocol) -> bool {
    matches!(protocol.method(), Some(proof::Method::Brain(_)))
}
