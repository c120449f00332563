//! Chooses how to run a job on a network: the protocol, who plays which role, and how products are made.
//!
//! | items | what they choose or hold |
//! | --- | --- |
//! | [`Setting`], [`Estimate`], [`Threat`], [`rank`] | the protocol, by the predicted seconds of each |
//! | [`for_circuit`], [`for_program`], [`split_program`] | one assignment of roles, or several (Split-Roles) |
//! | [`balance_circuit`], [`balance_products`] | weights of the ways to make products (gate-level balancing) |
//! | [`Costs`], [`Phase`], [`Seconds`] | what a job asks of links, processors and memory, and how long that takes |
//! | [`Network`] | rates and delays of the links, measured or described |
//! | [`Calibration`] | how fast this machine computes |
//! | [`Demand`], [`plan`] | what assignments ask of links, and the mix of them that takes the least time |
//!
//! [`Setting`] predicts the seconds of set-up, preprocessing and the online phase. Every prediction comes from the
//! exact costs of a protocol. Every party computes the choice for itself from the same numbers, and compares it with
//! the others, as one of the facts of the job, before any share is sent.
//!
//! ```
//! use tacit_engine::protocols;
//! use tacit_planner::{Network, Threat};
//!
//! // Which protocols of three parties protect against one party that may do whatever it likes?
//! let threat = Threat { corruptions: 1, malicious: true };
//! let meets = threat.protocols(protocols::all(), 3, false);
//! assert!(meets.contains(&protocols::LIFT) && !meets.contains(&protocols::TRIO));
//!
//! // A megabyte from party 0 to party 1, over links of ten megabytes per second.
//! let network = Network::new(3, |_, _| (1e7, 0.05));
//! assert!((network.sending(&[(0, 1, 1e6)]) - 0.1).abs() < 1e-9);
//! ```
//!
//! This crate opens no connections and runs no job, except for the small circuits that [`Calibration::measured`] times
//! in this process.

mod assign;
mod balance;
mod calibrate;
mod costs;
mod counter;
mod estimate;
mod lines;
mod network;
mod programs;
mod roles;
mod time;
mod work;

pub use assign::{Chosen, Wanted, for_circuit, for_products};
pub use balance::{Balanced, Weights, balance_circuit, balance_products};
pub use costs::{Costs, latencies, of_circuit, of_program, product};
pub use estimate::{Estimate, LeftOut, Objective, Setting, Threat, rank};
pub use lines::Line;
pub use network::{Crowd, Network, Waits};
pub use programs::{Choice, Free, for_program, split_program};
pub use roles::{Demand, NoPlan, Plan, orders, plan, single, split};
pub use tacit_backend::work::Work;
pub use time::{Bound, Phase, Seconds, Serial};
pub use work::{Calibration, UNITS};
