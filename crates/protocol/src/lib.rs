//! What anybody may ask of a protocol before it runs: its name, how many parties compute, what it protects against, and
//! which abilities it has.
//!
//! A protocol says this of itself in a [`Descriptor`], a static value at the end of its own module. There is no list of
//! protocols in this crate, no default and no wildcard: a field that a new protocol forgets does not compile, and what a
//! protocol protects against is never guessed.
//!
//! ```
//! use tacit_protocol::{Descriptor, Family, Parties, Protocol, Security, Status, Transfers};
//!
//! /// A protocol for any number of parties, of which all but one may be curious.
//! const MINE: Protocol = Protocol::new(&Descriptor {
//!     name: "mine",
//!     page: "mine.md",
//!     best_for: "examples",
//!     parties: Parties::AtLeast(2),
//!     security: Security::DishonestMajority,
//!     status: Status::Baseline,
//!     fan_in: 2,
//!     family: Family::Gmw(Transfers::Ordinary),
//! });
//! let five = MINE.fitting(5);
//! assert_eq!(five.to_string(), "mine:5");
//! assert_eq!(five.security().among(5), "semi-honest, four of five");
//! assert_eq!(Protocol::named("mine:5", &[MINE.descriptor()]), Ok(five));
//! assert!(!five.is_malicious() && five.has_transfers());
//! ```

mod baseline;
mod batch;
mod descriptor;
mod names;
mod own;
mod protocol;
mod security;
mod strength;

pub use baseline::Baseline;
pub use batch::{BatchSize, LARGEST_BUCKET, UnknownBatch};
pub use descriptor::{
    CheckFacts, Descriptor, EVALUATOR, Family, Form, GarbledFacts, Garbling, MAX_PARTIES, Opening,
    Parties, RoleFacts, RoleId, Soundness, Status, Transfers,
};
pub use names::{NotBuilt, OtherBatch, OtherStrength, UnknownProtocol};
pub use own::OwnRoles;
pub use protocol::Protocol;
pub use security::Security;
pub use strength::{Strength, UnknownStrength};
