//! The list of all protocols.

pub use tacit_garbling::protocols::{
    AUTHENTICATED, BMR, BMR_BASIC, BMR_CORRELATED, BMR_OFFSET, BMR_REDUCED, BMR_REPLICATED,
    BMR_SHAMIR, BMR_SHAMIR_S2, BMR_SHAMIR_S3, BMR_SHAMIR_S4, BMR_SILENT, WRK17, YAO, YAO_SILENT,
    YAO_THREE,
};
pub use tacit_sharing::protocols::{
    ASTRA, BRAIN_BATCH, BRAIN_BUCKETS, BRAIN_INTEGERS, BRAIN_POLYNOMIALS, BRAIN_SACRIFICE,
    BRAIN_SINGLE, FANTASTIC_FOUR, GALOIS, GMW, GMW_OT, GMW_SILENT, GMW_STAR, GMW_TRIPLES, GMW_WIDE,
    INTEGERS, LIFT, MULTI_FAN_IN, PLAIN, POST, QUAD, QUAD_A, QUAD_HET, REPLICATED, TAGGED, TETRAD,
    TRIO,
};

use std::sync::LazyLock;
use tacit_protocol::{Descriptor, Protocol, UnknownProtocol};

/// All protocols, crate by crate: each crate has a line for each of its own.
pub static ALL: LazyLock<Vec<&'static Descriptor>> = LazyLock::new(|| {
    let shares = tacit_sharing::protocols::ALL.into_iter();
    shares.chain(tacit_garbling::protocols::all()).collect()
});

/// All protocols; those for any number of parties with three, or as few as they run with.
pub fn all() -> impl Iterator<Item = Protocol> + Clone {
    ALL.iter().map(|of| Protocol::new(of).fitting(3))
}

/// Protocols with a statistical parameter of 64, which run only where they are named.
pub fn strong() -> impl Iterator<Item = Protocol> {
    Protocol::with_strengths(&ALL).skip(ALL.len())
}

/// Protocols that each make products of bits in a way of their own. Every other protocol differs from one of these on
/// numbers alone.
pub fn on_bits() -> impl Iterator<Item = Protocol> {
    all().filter(|protocol| protocol.has_own_bits())
}

/// The protocol of a name: `trio`, `gmw:5`, `lift@64`, `post/4096`.
///
/// # Errors
/// If none has this name, or not so many parties, or no such batch; the error says what could be written.
pub fn named(name: &str) -> Result<Protocol, UnknownProtocol> {
    Protocol::named(name, &ALL)
}

/// The names that [`named`] takes, and what may stand behind them.
#[must_use]
pub fn names() -> String {
    Protocol::names(&ALL)
}
