//! The list of the methods: their protocols, and what is known of them before a run.

use super::method::{Method, Source};
use super::strength::Proving;
use super::{
    buckets, galois, integers, lift, polynomials, post, single, tagged, triples, wide_lift, wires,
};
use tacit_protocol::{BatchSize, Protocol, Soundness, Strength};
use tacit_sharing::work::Work;

impl Method {
    /// All of them.
    pub const ALL: [Method; 12] = [
        Method::Lift,
        Method::Galois,
        Method::WideLift,
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

    /// The protocol.
    #[must_use]
    pub const fn protocol(self) -> Protocol {
        match self {
            Method::Lift => lift::LIFT,
            Method::Galois => galois::GALOIS,
            Method::WideLift => wide_lift::WIDE_LIFT,
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
            Method::WideLift => [0.0, 60.0],
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
