//! The ways to make products.

use super::exchange::Delta;
use super::silent::silent_bytes;
use crate::registry::Protocol;
use serde::{Deserialize, Serialize};
use tacit_ot::silent::Set;

/// How products of bits are made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Method {
    /// On masked values: one bit online, in one round.
    Masked,
    /// The same, with silent oblivious transfers.
    Silent,
    /// On shares, from random oblivious transfers: three bits online, in two rounds.
    Transfers,
    /// On shares, from random triples: two bits online, in one round.
    Triples,
    /// On masked values: role 0 adds up what the others send, and tells them. Two latencies.
    Star,
}

impl Method {
    /// Parameters of silent transfers.
    pub const SILENT: Set = Set::B11;

    /// The protocol that so many parties run.
    #[must_use]
    pub fn protocol(self, parties: usize) -> Protocol {
        let parties = parties as u8;
        match self {
            Method::Masked => Protocol::Gmw(parties),
            Method::Silent => Protocol::GmwSilent(parties),
            Method::Star => Protocol::GmwStar(parties),
            Method::Transfers => Protocol::GmwOt(parties),
            Method::Triples => Protocol::GmwTriples(parties),
        }
    }

    /// Whether parties hold masks and public values, not shares.
    #[must_use]
    pub fn is_masked(self) -> bool {
        matches!(self, Method::Masked | Method::Silent | Method::Star)
    }

    /// The offsets of its correlations.
    #[must_use]
    pub fn delta(self) -> Delta {
        if self == Method::Silent { Delta::Odd } else { Delta::Each }
    }

    /// Online rounds of a product.
    #[must_use]
    pub fn rounds(self) -> usize {
        if self == Method::Transfers { 2 } else { 1 }
    }

    /// Words that a party keeps of every word of products until they are needed.
    #[must_use]
    pub fn tape_words(self, parties: usize) -> usize {
        match self {
            Method::Masked | Method::Silent | Method::Star => 2,
            Method::Triples => 3,
            Method::Transfers => super::baselines::KEPT * (parties - 1),
        }
    }

    /// Bytes per directed link, over those of its products one by one, that a worker sends for so many
    /// words of products.
    #[must_use]
    pub fn start_bytes(self, words: usize) -> u64 {
        if self != Method::Silent {
            return 0;
        }
        silent_bytes(64 * words).iter().sum()
    }
}
