//! Garbled circuits: evaluation in a constant number of rounds, however deep the circuit.
//!
//! | module | what it holds |
//! | --- | --- |
//! | [`protocols`] | the list of the protocols of this crate |
//! | [`bmr`] | BMR for any number of parties, all but one curious; over shares: fewer than half, or one of three |
//! | [`authenticated`] | authenticated garbling for any number of parties, all but one of them malicious |
//! | [`half_gates`] | half gates that all parties but one garble together, for that one; all but one curious |
//! | [`yao`] | Yao's protocol for two parties, one of them curious; [`yao::three`] is for three, one of them curious |
//! | [`Garbler`] | what anybody may ask of each of them: costs, rounds, keys, workers |
//! | [`Garbling`], [`Evaluate`] | one worker before and after inputs are known |
//! | [`Chain`], [`blocks`] | circuits that go on from each other: programs that are garbled circuit by circuit |
//! | [`prf`] | the pseudorandom function under two labels |
//!
//! A protocol is found by its name, and its [`Garbler`] by the protocol:
//!
//! ```
//! use tacit_garbling::garbler;
//! use tacit_garbling::protocols::AUTHENTICATED;
//! use tacit_backend::protocols::TRIO;
//!
//! let five = AUTHENTICATED.fitting(5);
//! assert_eq!(five.security().among(5), "malicious with abort, four of five");
//! assert!(garbler(five).is_some());
//! // Trio evaluates on shares.
//! assert!(garbler(TRIO).is_none());
//! ```
//!
//! This crate knows circuits, meshes of links, oblivious transfer, and secret sharing. It knows no files, no command
//! line and no plans.

pub mod authenticated;
mod bits;
pub mod blocks;
pub mod bmr;
mod chain;
mod cot;
#[cfg(test)]
mod freed;
mod garbler;
mod garblers;
pub mod half_gates;
mod inputs;
mod linear;
mod links;
mod ports;
pub mod prf;
pub mod protocols;
mod silent;
mod tweak;
mod worker;
pub mod yao;

pub use bits::Bits;
pub use chain::Chain;
pub use garbler::{
    AnyReady, AnyWorker, Counter, Evaluated, Form, Garbler, Kept, Parties, Seat, Terms,
};
pub use garblers::{descriptors, garbler};
pub use ports::{KEPT, Ports};
pub use worker::{Evaluate, Garbling, Streaming};
