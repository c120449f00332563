//! Latencies: how often a phase waits for messages that cross the network, one wait after the other. Links' delays
//! times these are what a run takes where bandwidth and processors have no limit.
//!
//! [`cost`] counts the rounds in which one party waits; these are of all parties together, from one's first message to
//! another's last. Tests compare them with virtual time.

pub use tacit_sharing::latencies::Latencies;

use crate::cost::{self, CHECK_ROUNDS};
use tacit_gmw::Method;
use tacit_proof as proof;
use tacit_sharing::Protocol;

/// The latencies of a protocol on shares, for a circuit with `depth` levels of products.
#[must_use]
pub fn of(protocol: Protocol, depth: u64) -> Latencies {
    let levels = depth * levels(protocol);
    match Method::of(protocol) {
        Some(method) => {
            let ahead = match method {
                Method::Masked | Method::Star | Method::Triples(_) => 2,
                Method::Silent => 5,
                Method::Wide => 4,
                Method::Transfers(_) => 1,
            };
            Latencies { set_up: 4, ahead, online: levels + 1 }
        }
        // One who computes in the clear waits for no level.
        None if protocol.is_trusted_party() => Latencies { set_up: 3, ahead: 0, online: 2 },
        // What roles send ahead nobody answers.
        None => {
            let ahead = if makes_triples(protocol) { TRIPLES } else { 0 };
            Latencies { set_up: 3, ahead, online: levels + 2 }
        }
    }
}

/// The latency of what comes ahead of products that are made after others, in one-way link delays.
#[must_use]
pub fn more_ahead(protocol: Protocol) -> u64 {
    match Method::of(protocol) {
        Some(Method::Masked | Method::Star | Method::Triples(_) | Method::Silent) => 2,
        Some(Method::Wide) => 4,
        Some(Method::Transfers(_)) | None => 0,
    }
}

/// The latency of one level of products, in one-way link delays.
#[must_use]
pub fn levels(protocol: Protocol) -> u64 {
    cost::rounds(protocol) * cost::latencies(protocol)
}

/// Rounds in which transcripts are compared before and after the results of a circuit open.
pub const OF_RESULTS: u64 = 2 * CHECK_ROUNDS;

/// The latency that checks add, in one-way link delays: transcripts are compared in so many rounds, [before and after results
/// open](OF_RESULTS) and before and after whatever opens earlier. Before that they take `proofs` rounds for proofs of products, or for
/// checks of triples.
#[must_use]
pub fn checks(protocol: Protocol, compared: u64, proofs: u64) -> u64 {
    let compared = compared + 2;
    // Two rounds pass beside others, and those that make triples come ahead.
    let beside = match proof::Proving::of(protocol) {
        Some(_) => 2 + if makes_triples(protocol) { TRIPLES } else { 0 },
        None => 0,
    };
    if protocol.is_checked() { (compared + proofs).saturating_sub(beside) } else { 0 }
}

/// Until triples are made.
const TRIPLES: u64 = 3;

fn makes_triples(protocol: Protocol) -> bool {
    matches!(proof::Method::of(protocol), Some(proof::Method::Brain(..)))
}
