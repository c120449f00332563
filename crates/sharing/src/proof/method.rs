//! The ways in which three parties make sure of products, though one of them may cheat.

use super::{buckets, galois, integers, lift, polynomials, post, single, tagged, triples, wires};
use serde::{Deserialize, Serialize};
use tacit_protocol::{Descriptor, Family, Parties, RoleFacts, Security, Status};

/// What is done about products.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Method {
    /// Products are computed as among honest parties and proven later: of rings through integers, of
    /// bits in a field.
    Lift,
    /// The same, but those of rings are proven in an extension of the ring.
    Galois,
    /// Products are computed over the integers, under masks, and proven later; those of bits in a field.
    Integers,
    /// Products are computed on redundant shares, and checked later by a sacrifice each; of bits, by
    /// cut and choose.
    Post,
    /// The same, but for numbers of programs: those go with their products with a secret key, and products
    /// are computed of both.
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

    /// Whether it is offered with [`Strength::Strong`](super::Strength::Strong): what is dealt over the integers
    /// would be too wide.
    #[must_use]
    pub fn can_be_strong(self) -> bool {
        !matches!(self, Method::Brain(Source::Single | Source::Polynomials | Source::Batch))
    }

    /// The name of the protocol with [`Strength::Strong`](super::Strength::Strong).
    #[must_use]
    pub fn strong_name(self) -> &'static str {
        match self {
            Method::Lift => "lift@64",
            Method::Galois => "galois@64",
            Method::Integers => "integers@64",
            Method::Post => "post@64",
            Method::Tagged => "tagged@64",
            Method::Brain(Source::Single) => "brain-single@64",
            Method::Brain(Source::Polynomials) => "brain-polynomials@64",
            Method::Brain(Source::Batch) => "brain-batch@64",
            Method::Brain(Source::Integers) => "brain-integers@64",
            Method::Brain(Source::Buckets) => "brain-buckets@64",
            Method::Brain(Source::Sacrifice) => "brain-sacrifice@64",
        }
    }

    /// What the protocol says of itself.
    #[must_use]
    pub fn descriptor(self) -> &'static Descriptor {
        match self {
            Method::Lift => &lift::LIFT,
            Method::Galois => &galois::GALOIS,
            Method::Integers => &wires::INTEGERS,
            Method::Post => &post::POST,
            Method::Tagged => &tagged::TAGGED,
            Method::Brain(Source::Single) => &single::BRAIN_SINGLE,
            Method::Brain(Source::Polynomials) => &polynomials::BRAIN_POLYNOMIALS,
            Method::Brain(Source::Batch) => &integers::BRAIN_BATCH,
            Method::Brain(Source::Integers) => &integers::BRAIN_INTEGERS,
            Method::Brain(Source::Buckets) => &buckets::BRAIN_BUCKETS,
            Method::Brain(Source::Sacrifice) => &triples::BRAIN_SACRIFICE,
        }
    }
}

/// A protocol on replicated shares of three parties, one of which may cheat: it is noticed before anything opens.
pub(super) const fn proven(name: &'static str, status: Status) -> Descriptor {
    Descriptor {
        name,
        parties: Parties::Exactly(3),
        security: Security::MaliciousWithAbort,
        status,
        fan_in: 2,
        family: Family::Roles(RoleFacts { offline_role: None, components: 2, rings: true }),
    }
}
