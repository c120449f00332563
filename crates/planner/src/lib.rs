//! Chooses roles for a network: from the links between the parties and what each assignment of
//! roles asks of them, the assignment, or the mix of assignments side by side, that takes the
//! least time (Split-Roles); for one assignment, the weights of the ways to make products (gate-level
//! balancing); for a program, also whether its numbers are computed with in rings or by
//! circuits.
//!
//! Every party computes the choice for itself from the same numbers; what was chosen is compared
//! with the other facts of a job before any share is sent.

mod assign;
mod balance;
mod network;
mod programs;
mod roles;

pub use assign::{Chosen, Wanted, for_circuit, for_products};
pub use balance::{Balanced, Weights, balance_circuit, balance_products};
pub use network::Network;
pub use programs::{Choice, Free, for_program, split_program};
pub use roles::{Demand, NoPlan, Plan, orders, plan, single, split};
