//! The list of the forms: their protocols, and what they cost.

use super::exchange::Delta;
use super::method::Method;
use super::silent::silent_bytes;
use super::{FAN, baselines, party, products, silent, wide};
use std::ops::Range;
use tacit_circuit::schedule::Schedule;
use tacit_net::Stream;
use tacit_protocol::{Baseline, Protocol};
use tacit_sharing::cost::{Traffic, pairs};
use tacit_sharing::work::{SILENT, Work};

impl Method {
    /// All of them that this build has.
    pub fn all() -> impl Iterator<Item = Method> {
        let offered = [Method::Masked, Method::Silent, Method::Star, Method::Wide];
        let baselines = |here| [Method::Transfers(here), Method::Triples(here)];
        offered.into_iter().chain(Baseline::HERE.into_iter().flat_map(baselines))
    }

    /// The protocol, for two parties.
    #[must_use]
    pub const fn protocol(self) -> Protocol {
        match self {
            Method::Masked => party::GMW,
            Method::Silent => silent::GMW_SILENT,
            Method::Star => products::GMW_STAR,
            Method::Wide => wide::GMW_WIDE,
            Method::Transfers(_) => baselines::GMW_OT,
            Method::Triples(_) => baselines::GMW_TRIPLES,
        }
    }

    /// How products of bits are made under a protocol, where it is a form of GMW.
    #[must_use]
    pub fn of(protocol: Protocol) -> Option<Method> {
        let mut all = Method::all().filter(|_| protocol.is_gmw());
        all.find(|method| method.protocol().is(protocol))
    }

    /// The offsets of its correlations.
    #[must_use]
    pub fn delta(self) -> Delta {
        if self == Method::Silent { Delta::Odd } else { Delta::Each }
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
            Method::Triples(_) => vec![products(); 3],
            Method::Transfers(_) => vec![products(); products::KEPT * (parties - 1)],
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
            Method::Transfers(_) => [chooses, 1 + 2],
            Method::Triples(_) => [chooses + 1, 2],
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
            Method::Transfers(_) => [Work::transfers(chosen), Work::bits(10.0 * n)],
            Method::Masked | Method::Triples(_) | Method::Star | Method::Wide => {
                [Work::transfers(chosen), Work::bits(n)]
            }
        }
    }
}
