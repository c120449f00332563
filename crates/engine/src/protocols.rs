//! The list of all protocols.

pub use tacit_garbling::protocols::*;
pub use tacit_sharing::protocols::*;

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
