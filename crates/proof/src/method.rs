//! The ways in which three parties make sure of products, though one of them may cheat.

use super::{
    Proving, buckets, galois, integers, lift, polynomials, post, single, tagged, triples, wires,
};
use serde::{Deserialize, Serialize};
use tacit_protocol::{
    BatchSize, CheckFacts, Descriptor, Family, Parties, Protocol, RoleFacts, Security, Soundness,
    Status, Strength,
};
use tacit_sharing::replicated;
use tacit_sharing::work::Work;

/// What is done about products.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Method {
    /// Products are computed as among honest parties and proven later: of rings through integers, of
    /// bits in a field.
    Lift,
    /// Products are computed as among honest parties and proven later: of rings in an extension of the ring, of bits in
    /// a field.
    Galois,
    /// Products are computed over the integers, under masks, and proven later; those of bits in a field.
    Integers,
    /// Products are computed on redundant shares, and checked later by a sacrifice each; of bits, by
    /// cut and choose.
    Post,
    /// Products are computed and checked as by [`Method::Post`], except for numbers of programs: each of those comes
    /// with its product with a secret key, and products are computed of both.
    Tagged,
    /// Products are made from checked random ones ("triples"), which came first.
    Brain(Source),
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
    /// All of them.
    pub const ALL: [Method; 11] = [
        Method::Lift,
        Method::Galois,
        Method::Integers,
        Method::Post,
        Method::Tagged,
        Method::Brain(Source::Single),
        Method::Brain(Source::Polynomials),
        Method::Brain(Source::Batch),
        Method::Brain(Source::Integers),
        Method::Brain(Source::Buckets),
        Method::Brain(Source::Sacrifice),
    ];

    /// Whether products are those of replicated sharing, which are kept and proven later.
    #[must_use]
    pub fn proves_later(self) -> bool {
        matches!(self, Method::Lift | Method::Galois)
    }

    /// The protocol.
    #[must_use]
    pub const fn protocol(self) -> Protocol {
        match self {
            Method::Lift => lift::LIFT,
            Method::Galois => galois::GALOIS,
            Method::Integers => wires::INTEGERS,
            Method::Post => post::POST,
            Method::Tagged => tagged::TAGGED,
            Method::Brain(Source::Single) => single::BRAIN_SINGLE,
            Method::Brain(Source::Polynomials) => polynomials::BRAIN_POLYNOMIALS,
            Method::Brain(Source::Batch) => integers::BRAIN_BATCH,
            Method::Brain(Source::Integers) => integers::BRAIN_INTEGERS,
            Method::Brain(Source::Buckets) => buckets::BRAIN_BUCKETS,
            Method::Brain(Source::Sacrifice) => triples::BRAIN_SACRIFICE,
        }
    }

    /// What is done about products under a protocol, if anything.
    #[must_use]
    pub fn of(protocol: Protocol) -> Option<Method> {
        let checks = protocol.proves_products();
        let all = Method::ALL.into_iter().filter(|_| checks);
        all.into_iter().find(|method| method.protocol().is(protocol))
    }

    /// Per bit of a product, ahead and online: products without proof that take as long (measured).
    #[must_use]
    pub fn work(self) -> [Work; 2] {
        let [made, computed] = match self {
            Method::Lift => [0.0, 25.0],
            Method::Galois => [0.0, 40.0],
            Method::Integers => [0.0, 30.0],
            Method::Post | Method::Tagged => [0.0, 120.0],
            Method::Brain(Source::Sacrifice | Source::Buckets) => [130.0, 2.0],
            Method::Brain(Source::Integers) => [40.0, 2.0],
            Method::Brain(Source::Single | Source::Polynomials | Source::Batch) => [100.0, 2.0],
        };
        [made, computed].map(Work::bits)
    }
}

impl Soundness for Method {
    fn bits(&self, strength: Strength, batch: Option<BatchSize>) -> f64 {
        Proving { method: *self, strength, batch }.soundness()
    }

    fn least_batch(&self, strength: Strength, batch: BatchSize) -> Option<BatchSize> {
        Proving { method: *self, strength, batch: Some(batch) }.least_batch()
    }
}

/// A protocol on replicated shares of three parties, one of which may cheat: it is noticed before anything opens.
/// `strong` is its name with the larger statistical parameter, where that is offered; `own_bits` says whether products of
/// bits are made in a way of its own.
pub(super) const fn proven(
    name: &'static str,
    method: &'static Method,
    (strong, own_bits): (Option<&'static str>, bool),
    status: Status,
) -> Descriptor {
    Descriptor {
        name,
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
            checks: Some(CheckFacts {
                strong,
                buckets: matches!(method, Method::Brain(Source::Buckets)),
                own_bits,
                soundness: method,
            }),
        }),
    }
}
