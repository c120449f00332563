//! The fingerprint by which parties agree on a circuit.

use crate::form::Circuit;

impl Circuit {
    /// BLAKE3 of the binary form (`formats::binary`), which is canonical: equal circuits, and
    /// only they, have equal digests. Gate order counts, since parties evaluate in order.
    pub fn digest(&self) -> [u8; 32] {
        let mut hash = blake3::Hasher::new_derive_key("tacit circuit v1");
        crate::formats::binary::encode(self, &mut |bytes| {
            hash.update(bytes);
        });
        *hash.finalize().as_bytes()
    }
}
