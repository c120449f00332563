//! What anybody may ask of a protocol before it runs: its name, how many parties compute, what it protects against, and
//! which abilities it has.
//!
//! A protocol says this of itself in a [`Descriptor`], a static value at the end of its own module. There is no list of
//! protocols in this crate, no default and no wildcard: a field that a new protocol forgets does not compile, and what a
//! protocol protects against is never guessed.
//!
//! ```
//! use tacit_protocol::{Descriptor, Family, Parties, RoleFacts, Security, Status};
//!
//! /// A protocol for three parties, one of which may be curious.
//! static MINE: Descriptor = Descriptor {
//!     name: "mine",
//!     parties: Parties::Exactly(3),
//!     security: Security::SemiHonest,
//!     status: Status::Baseline,
//!     fan_in: 2,
//!     family: Family::Roles(RoleFacts { offline_role: Some(0), components: 2, rings: true }),
//! };
//! assert_eq!(MINE.security.among(3), "semi-honest, one of three");
//! assert!(!MINE.security.is_malicious());
//! assert_eq!(MINE.parties.fitting(7), 3);
//! ```

mod descriptor;
mod security;

pub use descriptor::{
    Descriptor, EVALUATOR, Family, GarbledFacts, Garbling, MAX_PARTIES, Opening, Parties,
    RoleFacts, RoleId, Status, Transfers,
};
pub use security::Security;
