//! Garbled circuits: evaluation in a constant number of rounds, however deep the circuit.
//!
//! | module | what |
//! | --- | --- |
//! | [`bmr`] | any number of parties, all but one corrupted, semi-honest; over shares: fewer than half, or one of three |
//! | [`authenticated`] | any number of parties, all but one corrupted, malicious |
//! | [`yao`] | two parties, semi-honest: half gates; [`yao::three`]: three parties, one corrupted |
//! | [`Garbler`] | what anybody may ask of each of them |
//! | [`protocols`] | the list of them |
//! | [`Chain`], [`blocks`] | circuits that go on from each other: programs that are garbled circuit by circuit |
//! | [`prf`] | the pseudorandom function under two labels |

pub mod authenticated;
mod bits;
pub mod blocks;
pub mod bmr;
mod chain;
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
    AnyReady, AnyWorker, Counter, Evaluated, Form, Garbler, Kept, Parties, Seat, Streaming, Terms,
};
pub use ports::{Evaluate, Garbling, KEPT, Ports};
pub use protocols::garbler;
