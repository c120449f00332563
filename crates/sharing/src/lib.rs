//! Secret-sharing protocols: shares of secret values, products of shared values, and the checks before results open.
//!
//! A protocol of three or four parties is a [`Role`] for each of its places: a page of equations on ring words. All of
//! these protocols use the rest of this crate. [`gmw`] is for any number of equal parties. It has no roles, and
//! evaluates circuits by itself.
//!
//! | module | what it holds |
//! | --- | --- |
//! | [`protocols`] | the list of the protocols of this crate |
//! | [`trio`], [`astra`], [`replicated`], [`multi_fan_in`] | three parties, one of them curious |
//! | [`proof`] | three parties, one of them malicious: products that are proven, or made from checked triples |
//! | [`quad`], [`tetrad`], [`fantastic_four`] | four parties, one of them malicious |
//! | [`gmw`] | two or more parties, all but one of them curious |
//! | [`role`], [`visit`] | what a role computes, and how a protocol becomes a type |
//! | [`setup`], [`party`] | keys of a session, and one worker of one party |
//! | [`products`], [`level`], [`arrays`], [`balance`] | products over circuits and arrays, in one way or in several |
//! | [`transfer`], [`verify`] | inputs and outputs, and the comparison of transcripts before anything opens |
//! | [`convert`], [`backend`] | conversions between rings and bits, and all that a program needs of shares |
//! | [`cost`], [`latencies`], [`work`] | what operations send, how often they wait, and what they compute |
//!
//! What a protocol costs is known before it runs:
//!
//! ```
//! use tacit_sharing::protocols::{GMW_OT, TRIO};
//! use tacit_sharing::{cost, latencies};
//!
//! // Ring elements that all roles of Trio send for one product, and its online rounds.
//! assert_eq!(cost::product(TRIO).total(), 3);
//! assert_eq!(cost::rounds(TRIO), 1);
//! // Link delays from inputs to outputs, for a circuit with ten levels of products.
//! assert_eq!(latencies::of(TRIO, 10).online, 12);
//! assert_eq!(latencies::of(GMW_OT, 10).online, 21);
//! ```
//!
//! This crate knows circuits, meshes of links and oblivious transfer. It knows no garbled circuits, no files, no
//! command line and no plans.

pub mod arrays;
pub mod astra;
pub mod balance;
pub mod coordinates;
pub mod cost;
mod error;
pub mod fantastic_four;
pub mod growing;
pub mod keys;
pub mod latencies;
pub mod level;
mod made;
pub mod multi_fan_in;
pub mod party;
pub mod plain;
pub mod planes;
pub mod products;
pub mod quad;
pub mod replicated;
pub mod reseat;
pub mod role;
mod runs;
pub mod seat;
pub mod setup;
mod shared_vec;
pub mod shares;
pub mod stored;
pub mod tetrad;
pub mod transfer;
pub mod trio;
pub mod verify;
pub mod wires;
pub mod work;

pub use coordinates::CoordinatesVisitor;
pub use error::SharingError;
pub use keys::Draws;
pub use party::Party;
pub use role::{Canonical, CanonicalVisitor, Role, RoleId, RoleVisitor, Share, Timing};
pub use shares::Shares;
pub use tacit_protocol::Protocol;
