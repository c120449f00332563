//! Secret-sharing protocols.
//!
//! A protocol is a [`Role`] for each of its three or four places: pages of equations on ring words.
//! Everything else is written once: key set-up ([`setup`]), products over slots of a circuit
//! ([`products`], [`multi_fan_in::wide`]) and over arrays ([`arrays`]), in several ways side by side
//! ([`balance`]), inputs and outputs ([`transfer`]), checks before openings ([`verify`]), and what they cost ([`cost`], [`latencies`]).
//! [`protocols`] lists them. [`gmw`], for any number of equal parties, has no roles, and its own circuits.

pub mod arrays;
pub mod astra;
pub mod backend;
pub mod balance;
pub mod convert;
pub mod cost;
mod error;
pub mod fantastic_four;
pub mod gmw;
pub mod latencies;
pub mod level;
mod made;
pub mod multi_fan_in;
pub mod party;
pub mod plain;
pub mod products;
pub mod proof;
pub mod protocols;
pub mod quad;
pub mod replicated;
pub mod reseat;
pub mod role;
mod runs;
pub mod setup;
mod shared_vec;
pub mod shares;
pub mod stored;
pub mod tetrad;
pub mod transfer;
pub mod trio;
pub mod verify;
pub mod visit;
pub mod work;

pub use error::SharingError;
pub use party::{Draws, Party};
pub use role::{Canonical, Role, RoleId, Share, Timing};
pub use shares::Shares;
pub use tacit_protocol::Protocol;
pub use visit::{CanonicalVisitor, CoordinatesVisitor, RoleVisitor};
