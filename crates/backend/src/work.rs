//! What parties compute for products of bits.

use tacit_sharing::Protocol;
pub use tacit_sharing::work::{SILENT, Work};

/// Per bit of a product of shares, of the party that has most: ahead and online.
#[must_use]
pub fn of_a_product(protocol: Protocol) -> [Work; 2] {
    match (tacit_gmw::Method::of(protocol), tacit_proof::Method::of(protocol)) {
        (Some(method), _) => method.work(protocol.parties()),
        (None, Some(method)) => method.work(),
        // Shares, and what is compared of them.
        (None, None) if protocol.is_malicious() => [Work::NONE, Work::bits(2.0)],
        (None, None) => [Work::NONE, Work::bits(1.0)],
    }
}
