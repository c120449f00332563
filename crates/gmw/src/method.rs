//! The ways to make products.

use super::FAN;
use super::dense::{WORD, dense_words};
use super::exchange::Delta;
use super::silent::silent_bytes;
use super::{baselines, party, products, silent, wide};
use serde::{Deserialize, Serialize};
use std::ops::Range;
use tacit_circuit::schedule::Schedule;
use tacit_net::Stream;
use tacit_ot::silent::{Chain, Set};
use tacit_protocol::Protocol;
use tacit_sharing::cost::{Traffic, pairs};
use tacit_sharing::work::{SILENT, Work};

/// How products of bits are made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Method {
    /// On masked values: one bit online, in one round.
    Masked,
    /// On masked values from silent oblivious transfers: one bit online, in one round.
    Silent,
    /// On shares, from random oblivious transfers: three bits online, in two rounds.
    Transfers,
    /// On shares, from random triples: two bits online, in one round.
    Triples,
    /// On masked values: role 0 adds up what the others send, and tells them. Two latencies.
    Star,
    /// On masked values: products of up to four factors, all of one bit online, in one round.
    Wide,
}

impl Method {
    /// Parameters of silent transfers, and how many rounds of them follow on one start.
    pub const SILENT: Chain = Chain::new(Set::L21);

    /// All of them.
    pub const ALL: [Method; 6] = [
        Method::Masked,
        Method::Silent,
        Method::Star,
        Method::Wide,
        Method::Transfers,
        Method::Triples,
    ];

    /// The protocol, for two parties.
    #[must_use]
    pub const fn protocol(self) -> Protocol {
        match self {
            Method::Masked => party::GMW,
            Method::Silent => silent::GMW_SILENT,
            Method::Star => products::GMW_STAR,
            Method::Wide => wide::GMW_WIDE,
            Method::Transfers => baselines::GMW_OT,
            Method::Triples => baselines::GMW_TRIPLES,
        }
    }

    /// How products of bits are made under a protocol, where it is a form of GMW.
    #[must_use]
    pub fn of(protocol: Protocol) -> Option<Method> {
        let all = Method::ALL.into_iter().filter(|_| protocol.is_gmw());
        all.into_iter().find(|method| method.protocol().is(protocol))
    }

    /// Whether parties hold masks and public values, not shares.
    #[must_use]
    pub fn is_masked(self) -> bool {
        !matches!(self, Method::Transfers | Method::Triples)
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

    /// The number of lanes, where it leaves gaps in words that messages do not have.
    #[must_use]
    pub(super) fn packed(self, lanes: usize) -> Option<usize> {
        (self.is_masked() && (1..WORD).contains(&lanes)).then_some(lanes)
    }

    /// Words that preprocessing makes for so many products on so many lanes.
    #[must_use]
    pub fn made_words(self, products: usize, lanes: usize) -> usize {
        match self.packed(lanes) {
            Some(lanes) => dense_words(products, lanes),
            None => products * lanes.div_ceil(WORD),
        }
    }

    /// Words that a party keeps for every word of lanes until some levels of a circuit need them, by what they are.
    #[must_use]
    pub fn tape_words(
        self,
        schedule: &Schedule,
        levels: Range<usize>,
        parties: usize,
    ) -> Vec<usize> {
        let products = || levels.clone().map(|level| schedule.products(level).len()).sum();
        match self {
            Method::Triples => vec![products(); 3],
            Method::Transfers => vec![products(); baselines::KEPT * (parties - 1)],
            _ => wide::tape_words(schedule, levels).to_vec(),
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

    /// A product: what chooses, and corrections ahead, then online; silent transfers also what
    /// [`Method::start_bytes`] says.
    #[must_use]
    pub fn product(self, parties: usize) -> Traffic {
        let chooses = FAN.message_bits() as u64;
        let [ahead, online] = match self {
            Method::Masked | Method::Star | Method::Wide => [chooses + 1, 1],
            Method::Silent => [1 + 1, 1],
            Method::Transfers => [chooses, 1 + 2],
            Method::Triples => [chooses + 1, 2],
        };
        pairs(parties).fold(Traffic::default(), |sum, (i, j)| {
            // A star is between role 0 and the others.
            let sent = self != Method::Star || i == 0 || j == 0;
            sum.sent(i, j, Stream::Def, ahead).sent(i, j, Stream::On, online * u64::from(sent))
        })
    }

    /// Per bit of a product, ahead and online: `2 (n - 1)` transfers ahead.
    #[must_use]
    pub fn work(self, parties: usize) -> [Work; 2] {
        let n = parties as f64;
        let chosen = 2.0 * (n - 1.0);
        match self {
            Method::Silent => [Work::transfers(SILENT * chosen), Work::bits(n)],
            // Factors under pads in both directions.
            Method::Transfers => [Work::transfers(chosen), Work::bits(10.0 * n)],
            Method::Masked | Method::Triples | Method::Star | Method::Wide => {
                [Work::transfers(chosen), Work::bits(n)]
            }
        }
    }
}
