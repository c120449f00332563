//! Circuits that were stored between both phases.

use tacit_garbling::Evaluate;

/// What is left of prepared circuits in a store.
pub fn stored<E: Evaluate>(ready: E) -> E {
    postcard::from_bytes(&postcard::to_allocvec(&ready).unwrap()).unwrap()
}
