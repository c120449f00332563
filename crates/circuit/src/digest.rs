//! The fingerprint by which parties agree on a circuit.

use crate::form::Circuit;
use crate::formats::binary;

impl Circuit {
    /// Computes the BLAKE3 digest of the binary form ([`binary`]), which is canonical: equal circuits, and only
    /// they, have equal digests. Gate order counts, since parties evaluate in order.
    pub fn digest(&self) -> [u8; 32] {
        tacit_ring::hash::digest(&[b"tacit circuit", &binary::write(self)])
    }
}
