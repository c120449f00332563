//! Circuits that were stored between both phases.

use tacit_garbling::Evaluate;

/// What is left of prepared circuits in a store.
pub fn stored<E: Evaluate>(ready: E) -> E {
    E::from_bytes(ready.into_bytes().unwrap()).unwrap()
}
