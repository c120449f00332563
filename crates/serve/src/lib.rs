//! A party's daemon: the shell around [`tacit_node`].
//!
//! [`daemon::run`] opens the state, connects with the other parties' nodes, serves the operator's API on a Unix socket, and starts
//! a process for each attempt. Everything that is decided is decided by the [`tacit_node::Node`], on one thread; this crate
//! carries out what it says once that is durable. Protocols run in child processes ([`worker`]), never in the daemon: what
//! they hold of inputs and keys ends with them.
//!
//! | module | what it holds |
//! | --- | --- |
//! | [`config`] | `node.toml` |
//! | [`daemon`] | the daemon: the thread that decides, and what carries out its effects |
//! | [`worker`] | what runs in the process of an attempt |
//! | [`backup`] | copies of a node's state, and how one is put back |
//! | [`study`] | study files, and what operators are told before they approve |
//! | [`client`] | requests to a node's API |

mod api;
pub mod backup;
pub mod client;
pub mod config;
mod core;
pub mod daemon;
mod data;
pub mod error;
mod guests;
mod links;
mod metrics;
mod sign;
mod store;
pub mod study;
pub mod worker;
mod workers;

pub use error::Error;
pub use tacit_node::{Entry, verify};

/// The engine, which has to be the same at all parties of an attempt: until releases have revisions, the version.
pub const ENGINE: &str = concat!("tacit ", env!("CARGO_PKG_VERSION"));
