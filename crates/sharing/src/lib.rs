//! Secret-sharing protocols: shares of secret values, products of shared values, and the checks before results open.
//!
//! A protocol of three or four parties is a [`Role`] for each of its places: a page of equations on ring words. All of
//! these protocols use the rest of this crate.
//!
//! | module | what it holds |
//! | --- | --- |
//! | [`trio`], [`astra`], [`replicated`], [`multi_fan_in`] | three parties, one of them curious |
//! | [`quad`], [`tetrad`], [`fantastic_four`] | four parties, one of them malicious |
//! | [`plain`] | a trusted party that computes in the clear, to compare with |
//! | [`role`], [`coordinates`], [`seat`] | what a role computes, and its shares in masked coordinates |
//! | [`setup`], [`keys`], [`party`] | keys of a session, what is drawn under them, and one worker of one party |
//! | [`shares`], [`planes`], [`wires`], [`growing`] | shares, shared bits, wires in place of shares, words of which more come |
//! | [`products`], [`level`], [`arrays`], [`balance`] | products over circuits and arrays, in one way or in several |
//! | [`transfer`], [`verify`] | inputs and outputs, and the comparison of transcripts before anything opens |
//! | [`reseat`], [`stored`] | shares that move to other roles, and bytes for another session |
//! | [`cost`], [`latencies`], [`work`] | in what units costs are counted: elements and rounds, delays, and what is computed |
//!
//! What a role does is a function of its shares. Two parties' summands of a product under replicated sharing, with those
//! of the third, add up to the product:
//!
//! ```
//! use tacit_sharing::Role;
//! use tacit_sharing::replicated::Replicated;
//!
//! // x = 1 + 2 + 3 and y = 4 + 5 + 6; role i holds the components i and i + 1.
//! let summands = [
//!     Replicated::<0>::cross([1u64, 2], [4, 5])[0],
//!     Replicated::<1>::cross([2u64, 3], [5, 6])[0],
//!     Replicated::<2>::cross([3u64, 1], [6, 4])[0],
//! ];
//! assert_eq!(summands.iter().sum::<u64>(), 6 * 15);
//! ```
//!
//! This crate knows circuits and meshes of links. It knows no protocol without roles, no proofs of products (a party holds
//! them as a [`ProductCheck`](party::ProductCheck)), no programs, no files and no plans.

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
mod matrix_shape;
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
