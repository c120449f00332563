//! Tacit computes a function of several parties' private data and reveals the result, and nothing else.
//!
//! Each party keeps its data on its own machine. The parties exchange *shares*, or *garbled tables*: numbers that say nothing
//! by themselves. At the end, each party learns the results that all have agreed to reveal to it, and public sizes such as
//! row counts. This crate is Tacit for programs that embed it; the program `tacit` does the same from the command line,
//! and parties of both meet each other.
//!
//! **Nobody outside the project has audited Tacit. Do not trust it yet with what must stay secret.**
//!
//! # An example
//!
//! A [`Program`] says what it takes from whom, what it computes, and what it reveals to whom. Here two hospitals learn how many
//! patients they have together who are over 64, and a third party helps:
//!
//! ```
//! use tacit::{LocalParties, Network, Program, protocols};
//!
//! let program = Program::parse("older", r#"
//!     program older
//!     parties alice, bob, carol
//!     rows a in 2..100000
//!     rows b in 2..100000
//!     input "alice.age" as x: u8[a] from alice in 0..120
//!     input "bob.age" as y: u8[b] from bob in 0..120
//!     let age = concat(x, y, axis 0)
//!     reveal sum(age >= 65, axis 0) to alice, bob as "older"
//! "#)?;
//!
//! // All parties in this process, as if they were on three continents.
//! let lab = LocalParties::new(&program, protocols::LIFT).network(Network::GLOBAL);
//! let outcome = lab.input("alice.age", &[70, 80, 30]).input("bob.age", &[50, 66]).run()?;
//! assert_eq!(outcome["older"], 3);
//! println!("it would take {:.1} s", outcome.report().cost.online_seconds);
//! # Ok::<(), tacit::Error>(())
//! ```
//!
//! For the real run, each hospital has a file with its private key and the fingerprints of the others, made by
//! `tacit party new` and `tacit party add`, and runs on its own machine:
//!
//! ```no_run
//! use tacit::{Party, Program, protocols};
//!
//! let program = Program::read("older.tacit")?;
//! let outcome = Party::from_file("alice.toml")?.run(&program).table("alice.csv").start()?;
//! println!("{}", outcome["older"]);
//! # Ok::<(), tacit::Error>(())
//! ```
//!
//! # Who is protected from whom
//!
//! * **From everybody else on the network**: by TLS 1.3 with pinned keys, whatever the protocol.
//! * **From the other parties**: by the [`Protocol`] that the run names. *Semi-honest* ones (`trio`, `gmw:N`, `yao`, `bmr:N`)
//!   keep inputs secret from parties that follow the protocol; one that deviates can make results wrong or learn inputs.
//!   *Malicious* ones (`lift`, `quad`, `authenticated:N`) do so whatever corrupted parties send: an honest party gets the
//!   right result or none, and an [`Error`]. How many parties may be corrupted together differs as well:
//!   one of three under `trio` and `lift`, one of four under `quad`, all but one under the others. A run takes a malicious
//!   one unless it is told otherwise ([`Party::usual_protocol`]), and `protocol.security().trust(n)` says all this in a
//!   sentence.
//! * **From the results**: by nothing but the program. A sum over one person is that person's value. Read
//!   [`Program::summary`] before you run what somebody else wrote, and bound rows by [`Run::rows_within`].
//! * **From false inputs**: a party may give whatever lies in the ranges that the program declares. Under malicious protocols
//!   the ranges are enforced.
//! * **From whoever runs the process**: by nothing. [`LocalParties`] have one owner, who sees everything.
//!
//! Anybody can make a run end without a result, by leaving it.
//!
//! # What is where
//!
//! [`Program`] and [`Circuit`] are what is computed. [`Party`] is one party on its own machine; its [`Run`] ends in an
//! [`Outcome`] or a [`CircuitOutcome`]. [`LocalParties`] are all parties in one process, on a [`Network`] that is played.
//! [`Values`] and [`Bits`] go in, and every function that can fail gives an [`Error`], whose [`ErrorKind`] says whose fault it
//! was. [`Program::plan`] and [`Program::explain`] say what a run would take, and [`plot`] draws it. [`protocols`] has Tacit's
//! protocols, and [`own`] is for those of your own. The small programs in
//! `examples` show all that in use.

mod answer;
mod auto;
mod balance;
mod candidate;
mod choice;
mod circuit;
mod connection;
mod error;
mod explain;
mod inputs;
mod job;
mod local;
mod loopback;
mod meeting;
mod names;
mod network;
mod options;
mod outcome;
pub mod own;
mod party;
pub mod plot;
mod policy;
mod prepare;
mod profile;
mod program;
mod progress;
mod roles;
mod run;
mod run_circuit;
mod run_ports;
mod run_program;
mod run_tables;
mod sealed;
mod store;
mod values;
mod wanted;
mod wire;

pub use answer::Answer;
pub use candidate::{Candidate, Choice};
pub use choice::{ByChoice, ChunkChoice};
pub use circuit::{Bits, Circuit, CircuitOutcome, CircuitReport, Word};
pub use connection::Connection;
pub use error::{Error, ErrorKind, Result};
pub use explain::{Explained, Operation};
pub use local::LocalParties;
pub use network::Network;
pub use outcome::{Outcome, Report, Value};
pub use party::Party;
pub use prepare::Prepared;
pub use program::Program;
pub use progress::Watch;
pub use roles::Measured;
pub use run::{Connecting, Run, Stopper};
pub use run_ports::Ports;
pub use run_tables::Inputs;
pub use tacit_circuit::Builder as CircuitBuilder;
pub use tacit_engine::program::By;
pub use tacit_engine::protocols;
pub use tacit_planner::Threat;
pub use tacit_program::build::Builder as ProgramBuilder;
pub use tacit_protocol::{Protocol, Security};
pub use values::{Scalar, Values};

/// What the program `tacit` needs beyond what embedders do. It changes without notice.
#[doc(hidden)]
pub mod runtime {
    pub use crate::answer::SHOWN_ROWS;
    pub use crate::balance::Balancing;
    pub use crate::choice::ProgramChoice;
    pub use crate::error::Remedy;
    pub use crate::inputs::{Given, Padding, Sources, TableSource, is_rows, short};
    pub use crate::job::program_job;
    pub use crate::meeting::{ForPeers, Meeting, in_session, session_named, with_deadlines};
    pub use crate::names::{Names, Parties, check_parties, local_names, takes_outside};
    pub use crate::options::Options;
    pub use crate::policy::Demands;
    pub use crate::prepare::{Preparer, agreed};
    pub use crate::profile::{Profile, bandwidth};
    pub use crate::progress::Progress;
    pub use crate::roles::Roles;
    pub use crate::run_circuit::{CircuitDone, CircuitRun, circuit_job, consent, in_turn};
    pub use crate::run_program::{ProgramDone, ProgramRun, least_rows};
    pub use crate::store::{among, check_store, open_store, store_of};
    pub use crate::wanted::Wanted;
    pub use crate::wire::Wire;

    /// Which protocol is the fastest.
    pub mod auto {
        pub use crate::auto::*;
    }

    /// How products are divided.
    pub mod balance {
        pub use crate::balance::*;
    }

    /// Who plays which role.
    pub mod roles {
        pub use crate::roles::*;
    }
}
