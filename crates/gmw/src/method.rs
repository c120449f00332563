//! The ways to make products.

use super::dense::{WORD, dense_words};
use serde::{Deserialize, Serialize};
use tacit_ot::silent::{Chain, Set};
use tacit_protocol::Baseline;

/// How products of bits are made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Method {
    /// On masked values: one bit online, in one round.
    Masked,
    /// On masked values from silent oblivious transfers: one bit online, in one round.
    Silent,
    /// On shares, from random oblivious transfers: three bits online, in two rounds.
    Transfers(Baseline),
    /// On shares, from random triples: two bits online, in one round.
    Triples(Baseline),
    /// On masked values: role 0 adds up what the others send, and tells them. Two latencies.
    Star,
    /// On masked values: products of up to four factors, all of one bit online, in one round.
    Wide,
}

impl Method {
    /// Parameters of silent transfers, and how many rounds of them follow on one start.
    pub const SILENT: Chain = Chain::new(Set::L21);

    /// Whether parties hold masks and public values, not shares.
    #[must_use]
    pub fn is_masked(self) -> bool {
        !matches!(self, Method::Transfers(_) | Method::Triples(_))
    }

    /// Online rounds of a product.
    #[must_use]
    pub fn rounds(self) -> usize {
        if let Method::Transfers(_) = self { 2 } else { 1 }
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
}
