//! The ways in which three parties make sure of products, though one of them may cheat.

use serde::{Deserialize, Serialize};
use tacit_protocol::{
    Baseline, BatchSize, CheckFacts, Descriptor, Family, Parties, RoleFacts, Security, Soundness,
    Status, Strength,
};
use tacit_sharing::replicated;

/// What is done about products.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Method {
    /// Products are computed as among honest parties and proven later: of rings through integers, of
    /// bits in a field.
    Lift,
    /// Products are computed as among honest parties and proven later: of rings in an extension of the ring, of bits in
    /// a field.
    Galois(Baseline),
    /// Products of up to eight factors take one round; what was sent for them is proven later, as products are by
    /// [`Method::Lift`].
    WideLift,
    /// Products are computed over the integers, under masks, and proven later; those of bits in a field.
    Integers(Baseline),
    /// Products are computed on redundant shares, and checked later by a sacrifice each; of bits, by
    /// cut and choose.
    Post,
    /// Products are computed and checked as by [`Method::Post`], except for numbers of programs: each of those comes
    /// with its product with a secret key, and products are computed of both.
    Tagged,
    /// Products are made from checked random ones ("triples"), which came first.
    Brain(Source, Baseline),
}

/// How triples are made and checked. Those of bits are always made by [`Source::Buckets`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Source {
    /// Over the integers, dealt, checked one by one modulo a large prime.
    Single,
    /// Over the integers, dealt, checked in blocks modulo a large prime, as values of polynomials.
    Polynomials,
    /// Over the integers, dealt, proven together.
    Batch,
    /// Over the integers, without dealing, proven together.
    Integers,
    /// By cut and choose.
    Buckets,
    /// On redundant shares, by a sacrifice each.
    Sacrifice,
}

impl Method {
    /// Whether products are those of replicated sharing, which are kept and proven later.
    #[must_use]
    pub fn proves_later(self) -> bool {
        matches!(self, Method::Lift | Method::Galois(_) | Method::WideLift)
    }

    /// Whether messages that proofs cover go to the next role, too, not to the previous one alone. A proof's first coin then comes
    /// after a word from everybody to everybody that all of them have arrived: the coin by itself shows that only of messages
    /// to the previous role.
    #[must_use]
    pub fn sends_both_ways(self) -> bool {
        self == Method::WideLift
    }
}

/// How rarely a cheat passes the check of a method that is there to be compared with. In a build without it nothing is
/// promised.
#[derive(Debug)]
pub(super) struct OfBaseline(pub fn(Baseline) -> Method);

impl Soundness for OfBaseline {
    fn bits(&self, strength: Strength, batch: Option<BatchSize>) -> f64 {
        Baseline::HERE.map_or(0.0, |here| self.0(here).bits(strength, batch))
    }

    fn least_batch(&self, strength: Strength, batch: BatchSize) -> Option<BatchSize> {
        self.0(Baseline::HERE?).least_batch(strength, batch)
    }
}

/// A protocol on replicated shares of three parties, one of which may cheat: it is noticed before anything opens.
/// `strong` is its name with the larger statistical parameter, where that is offered; `own_bits` says whether products of
/// bits are made in a way of its own, `buckets` whether products are compared in buckets.
pub(super) const fn proven(
    name: &'static str,
    [page, best_for]: [&'static str; 2],
    soundness: &'static dyn Soundness,
    (strong, [own_bits, buckets]): (Option<&'static str>, [bool; 2]),
    status: Status,
) -> Descriptor {
    Descriptor {
        name,
        page,
        best_for,
        parties: Parties::Exactly(3),
        security: Security::MaliciousWithAbort,
        status,
        fan_in: 2,
        family: Family::Roles(RoleFacts {
            shares: &replicated::SHARES,
            offline_role: None,
            dealer: 0,
            sends_result: false,
            rings: true,
            checks: Some(CheckFacts { strong, buckets, own_bits, soundness }),
        }),
    }
}
