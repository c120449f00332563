//! Garbled circuits: evaluation in a constant number of rounds, however deep the circuit.
//!
//! | module | what |
//! | --- | --- |
//! | [`bmr`] | any number of parties, all but one corrupted, semi-honest; over shares: fewer than half, or one of three |
//! | [`authenticated`] | any number of parties, all but one corrupted, malicious |
//! | [`yao`] | two parties, semi-honest: half gates; [`yao::three`]: three parties, one corrupted |
//! | [`garbler`] | what anybody may ask of each of them |
//! | [`protocols`] | the list of them |
//! | [`chain`] | circuits that go on from each other |
//! | [`prf`] | the pseudorandom function under two labels |

pub mod authenticated;
mod bits;
pub mod bmr;
pub mod chain;
mod cot;
mod garbler;
mod linear;
mod links;
mod ports;
pub mod prf;
pub mod protocols;
mod silent;
pub mod yao;

pub use bits::Bits;
pub use chain::Chain;
pub use garbler::{
    AnyReady, AnyWorker, Counter, Evaluated, Garbler, Kept, Parties, Seat, Streaming, Terms,
    garbler,
};
pub use ports::{Evaluate, Garbling, KEPT, Ports};
