//! Runs jobs: circuits and programs over private inputs, under any protocol of the [list](protocols), with a report of
//! what each run cost.
//!
//! | module | what it holds |
//! | --- | --- |
//! | [`circuit`] | a circuit's job, its compiled form, its cost before it runs, its evaluation, its report |
//! | [`program`] | the same steps for programs over arrays, with agreement on numbers of rows and tests of ranges |
//! | [`protocols`] | the list of all protocols |
//! | [`own`] | protocols of whoever uses this crate, which are in no list |
//! | [`store`] | preprocessing that is kept for a later session and used once |
//! | [`values`] | files of values: hexadecimal, binary, decimal, CSV, raw bytes |
//! | [`bench`](mod@bench) | measurements of products on arrays |
//!
//! Three parties compute the AND of two private bits, in four instances side by side. They are threads of this
//! process:
//!
//! ```
//! use tacit_circuit::Builder;
//! use tacit_engine::circuit::{Compiled, EvaluateError, Job, evaluate};
//! use tacit_engine::{protocols, values::Lanes};
//! use tacit_net::PartyId;
//! use tacit_net::memory::{self, MemoryNetwork};
//!
//! let mut builder = Builder::new();
//! let (x, y) = (builder.input(1)[0], builder.input(1)[0]);
//! let and = builder.and2(x, y);
//! builder.output(&[and]);
//! let circuit = builder.finish();
//!
//! // Parties 0 and 1 give a bit each, and party 2 learns the result.
//! let owners = vec![PartyId(0), PartyId(1)];
//! let job = Job { instances: 4, ..Job::new(protocols::TRIO, owners, vec![vec![PartyId(2)]]) };
//! let inputs = [0b1100, 0b1010];
//! let outputs = memory::run(3, job.threads(), &MemoryNetwork::default(), |mut session| {
//!     let compiled = Compiled::new(&circuit, job.clone())?;
//!     let mine = |port: usize| job.owners[port] == session.me();
//!     let lanes = |port: usize| Lanes::from_bits(vec![vec![inputs[port]]], job.instances);
//!     let values = (0..2).map(|port| mine(port).then(|| lanes(port))).collect();
//!     let evaluation = evaluate(&mut session, &compiled, values, &|_| {})?;
//!     session.finish()?;
//!     Ok::<_, EvaluateError>(evaluation.outputs)
//! });
//! let learned: Vec<_> = outputs.into_iter().collect::<Result<_, _>>()?;
//! assert!(learned[0][0].is_none());
//! assert_eq!(learned[2][0].as_ref().map(|lanes| lanes.bit(0)), Some(&[0b1000][..]));
//! # Ok::<(), EvaluateError>(())
//! ```
//!
//! Before any share leaves a party, all parties compare what they are about to run. This crate does not choose a
//! protocol or roles, does not know how parties reach each other, and knows no command line.

pub mod bench;
pub mod circuit;
mod gate;
mod links;
mod options;
pub mod own;
pub mod program;
pub mod protocols;
mod run_cost;
mod setup;
pub mod store;
pub mod values;
mod workers;

pub use gate::Gate;
pub use options::Options;
pub use run_cost::{LinkUse, RunCost};
