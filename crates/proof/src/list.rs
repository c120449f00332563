//! The list of the methods: their protocols, and what is known of them before a run.

use super::method::{Method, Source};
use super::strength::Proving;
use super::{
    buckets, galois, integers, lift, polynomials, post, single, tagged, triples, wide_lift, wires,
};
use tacit_protocol::{Baseline, BatchSize, Protocol, Soundness, Strength};
use tacit_sharing::work::Work;

impl Method {
    /// All of them that this build has.
    pub fn all() -> impl Iterator<Item = Method> {
        let offered = [Method::Lift, Method::WideLift, Method::Post, Method::Tagged];
        offered.into_iter().chain(Baseline::HERE.into_iter().flat_map(Method::baselines))
    }

    /// Those that are there to be compared with.
    fn baselines(here: Baseline) -> [Method; 8] {
        use Source::{Batch, Buckets, Integers, Polynomials, Sacrifice, Single};
        let [single, polynomials, batch, integers, buckets, sacrifice] =
            [Single, Polynomials, Batch, Integers, Buckets, Sacrifice]
                .map(|source| Method::Brain(source, here));
        let (galois, on_wires) = (Method::Galois(here), Method::Integers(here));
        [galois, on_wires, single, polynomials, batch, integers, buckets, sacrifice]
    }

    /// The protocol.
    #[must_use]
    pub const fn protocol(self) -> Protocol {
        match self {
            Method::Lift => lift::LIFT,
            Method::Galois(_) => galois::GALOIS,
            Method::WideLift => wide_lift::WIDE_LIFT,
            Method::Integers(_) => wires::INTEGERS,
            Method::Post => post::POST,
            Method::Tagged => tagged::TAGGED,
            Method::Brain(Source::Single, _) => single::BRAIN_SINGLE,
            Method::Brain(Source::Polynomials, _) => polynomials::BRAIN_POLYNOMIALS,
            Method::Brain(Source::Batch, _) => integers::BRAIN_BATCH,
            Method::Brain(Source::Integers, _) => integers::BRAIN_INTEGERS,
            Method::Brain(Source::Buckets, _) => buckets::BRAIN_BUCKETS,
            Method::Brain(Source::Sacrifice, _) => triples::BRAIN_SACRIFICE,
        }
    }

    /// What is done about products under a protocol, if anything.
    #[must_use]
    pub fn of(protocol: Protocol) -> Option<Method> {
        let checks = protocol.proves_products();
        Method::all().filter(|_| checks).find(|method| method.protocol().is(protocol))
    }

    /// Per bit of a product, ahead and online: products without proof that take as long (measured).
    #[must_use]
    pub fn work(self) -> [Work; 2] {
        let [made, computed] = match self {
            Method::Lift => [0.0, 25.0],
            Method::Galois(_) => [0.0, 40.0],
            Method::WideLift => [0.0, 60.0],
            Method::Integers(_) => [0.0, 30.0],
            Method::Post | Method::Tagged => [0.0, 120.0],
            Method::Brain(Source::Sacrifice | Source::Buckets, _) => [130.0, 2.0],
            Method::Brain(Source::Integers, _) => [40.0, 2.0],
            Method::Brain(Source::Single | Source::Polynomials | Source::Batch, _) => [100.0, 2.0],
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
