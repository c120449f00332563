//! Garbled circuits: evaluation in a constant number of rounds, however deep the circuit.
//!
//! | module | what |
//! | --- | --- |
//! | [`bmr`] | any number of parties, all but one corrupted, semi-honest |
//! | [`prf`] | the pseudorandom function under two labels |

pub mod bmr;
pub mod prf;
