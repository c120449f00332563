//! Chooses roles for a network: from the links between the parties and what each assignment of
//! roles asks of them, the assignment, or the mix of assignments side by side, that takes the
//! least time (Split-Roles); for one assignment, the weights of the ways to make products (gate-level
//! balancing); for a program, also whether its numbers are computed with in rings or by
//! circuits.
//!
//! Also chooses the protocol: [`Setting`] predicts the seconds of every phase of a job under each protocol that
//! protects against a [`Threat`], from its exact costs, the links, and how fast processors are ([`Calibration`]).
//!
//! Every party computes the choice for itself from the same numbers; what was chosen is compared
//! with the other facts of a job before any share is sent.

mod assign;
mod balance;
mod calibrate;
mod costs;
mod estimate;
mod network;
mod programs;
mod roles;
mod time;
mod work;

pub use assign::{Chosen, Wanted, for_circuit, for_products};
pub use balance::{Balanced, Weights, balance_circuit, balance_products};
pub use costs::{Costs, latencies, of_circuit, of_program, product};
pub use estimate::{Estimate, LeftOut, Objective, Setting, Threat, rank};
pub use network::{Network, Waits};
pub use programs::{Choice, Free, for_program, split_program};
pub use roles::{Demand, NoPlan, Plan, orders, plan, single, split};
pub use tacit_sharing::work::Work;
pub use time::{Bound, Phase, Seconds};
pub use work::Calibration;
