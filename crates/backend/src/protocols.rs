//! The protocols on shares.

pub use tacit_gmw::{GMW, GMW_OT, GMW_SILENT, GMW_STAR, GMW_TRIPLES, GMW_WIDE};
pub use tacit_proof::{
    BRAIN_BATCH, BRAIN_BUCKETS, BRAIN_INTEGERS, BRAIN_POLYNOMIALS, BRAIN_SACRIFICE, BRAIN_SINGLE,
    GALOIS, INTEGERS, LIFT, POST, TAGGED, WIDE_LIFT,
};
pub use tacit_sharing::astra::ASTRA;
pub use tacit_sharing::fantastic_four::FANTASTIC_FOUR;
pub use tacit_sharing::multi_fan_in::MULTI_FAN_IN;
pub use tacit_sharing::plain::PLAIN;
pub use tacit_sharing::quad::{QUAD, QUAD_A, QUAD_HET};
pub use tacit_sharing::replicated::REPLICATED;
pub use tacit_sharing::tetrad::TETRAD;
pub use tacit_sharing::trio::TRIO;

use tacit_protocol::{Descriptor, Protocol, Strength, UnknownProtocol};

/// All protocols on shares, those too that this build does not have: a line each.
pub static ALL: [&Descriptor; 28] = [
    TRIO.descriptor(),
    ASTRA.descriptor(),
    REPLICATED.descriptor(),
    LIFT.descriptor(),
    WIDE_LIFT.descriptor(),
    GALOIS.descriptor(),
    INTEGERS.descriptor(),
    POST.descriptor(),
    TAGGED.descriptor(),
    BRAIN_SACRIFICE.descriptor(),
    BRAIN_BUCKETS.descriptor(),
    BRAIN_INTEGERS.descriptor(),
    BRAIN_BATCH.descriptor(),
    BRAIN_POLYNOMIALS.descriptor(),
    BRAIN_SINGLE.descriptor(),
    MULTI_FAN_IN.descriptor(),
    QUAD.descriptor(),
    QUAD_A.descriptor(),
    QUAD_HET.descriptor(),
    TETRAD.descriptor(),
    FANTASTIC_FOUR.descriptor(),
    GMW.descriptor(),
    GMW_SILENT.descriptor(),
    GMW_STAR.descriptor(),
    GMW_WIDE.descriptor(),
    GMW_OT.descriptor(),
    GMW_TRIPLES.descriptor(),
    PLAIN.descriptor(),
];

/// All protocols on shares that this build has; those for any number of parties with three, or as few as they run with.
pub fn all() -> impl Iterator<Item = Protocol> + Clone {
    ALL.iter().filter(|of| of.is_built()).map(|of| Protocol::new(of).fitting(3))
}

/// Protocols on shares with a statistical parameter of 64, which run only where they are named.
pub fn strong() -> impl Iterator<Item = Protocol> {
    Protocol::with_strengths(&ALL).filter(|protocol| protocol.strength() == Strength::Strong)
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
