//! Triples and bits for masks, made before the function is known.

use super::bits::AuthBits;
use super::talk::Voice;
use super::triples::Triples;
use super::tweak::Hash;
use serde::{Deserialize, Serialize};
use tacit_ring::{Seed, stored};
use zeroize::Zeroizing;

/// What one worker of a party made for functions to come: it is used once, by
/// [`Authenticated::with_stock`](super::Authenticated::with_stock). It may be stored in between, as the secret
/// that it is.
#[derive(Serialize, Deserialize)]
pub struct Stock {
    /// Names what is made of it.
    pub(super) voice: Voice,
    pub(super) hash: Hash,
    #[serde(with = "stored::block")]
    pub(super) delta: Zeroizing<u128>,
    /// Of this party's further randomness.
    pub(super) seed: Seed,
    pub(super) triples: Triples,
    /// Bits of every party for masks, and how many.
    pub(super) bits: AuthBits,
    pub(super) count: usize,
}

impl Stock {
    /// Triples, and bits of every party.
    #[must_use]
    pub fn size(&self) -> [usize; 2] {
        [self.triples.left(), self.count]
    }
}

/// Triples, and bits of every party, that instances of a circuit take.
#[must_use]
pub fn needs(ports: crate::Ports<'_>, parties: usize, instances: usize) -> [usize; 2] {
    let bits = super::masks::extra_bits(ports, parties, instances);
    [instances * ports.ands(), bits.into_iter().max().unwrap_or(0)]
}
