//! Garbled circuits: evaluation in a constant number of rounds, however deep the circuit.
//!
//! | module | what |
//! | --- | --- |
//! | [`bmr`] | any number of parties, all but one corrupted, semi-honest |
//! | [`yao`] | two parties, semi-honest: half gates |
//! | [`prf`] | the pseudorandom function under two labels |

mod bits;
pub mod bmr;
mod cot;
mod ports;
pub mod prf;
pub mod yao;

pub use bits::Bits;
pub use ports::{Garbling, Ports};
