//! All parties as processes on this machine, or on hosts that it starts them on.
//!
//! The launcher starts this program again, once per party, with the same arguments and an
//! environment variable that names the party. Every child opens a port of its own on loopback
//! and prints it; the launcher answers on the child's standard input with everybody's address and
//! a throw-away identity. What the child prints next is its result.

mod child;
mod hosts;
mod launcher;

pub use child::{Child, from_environment, is_child, own_number};
pub use hosts::Hosts;
pub use launcher::{launch, launch_on};

use serde::{Deserialize, Serialize};

/// Tells a child which party it is.
const PARTY_VARIABLE: &str = "TACIT_LOCAL_PARTY";

/// Tells a child what to listen on, if that is not loopback.
const LISTEN_VARIABLE: &str = "TACIT_LOCAL_LISTEN";

/// How local parties are connected.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, clap::ValueEnum)]
#[serde(rename_all = "lowercase")]
pub enum Transport {
    /// TLS 1.3 with throw-away identities
    #[default]
    Tls,
    /// Plain TCP on loopback
    Tcp,
}

/// The first line of a child.
#[derive(Serialize, Deserialize)]
struct Ready {
    port: u16,
}

/// The launcher's answer.
#[derive(Serialize, Deserialize)]
struct Launch {
    session: String,
    transport: Transport,
    /// Where parties wait for each other.
    addresses: Vec<String>,
    fingerprints: Vec<String>,
    certificate: String,
    key: String,
}

/// The last line of a child.
#[derive(Serialize, Deserialize)]
enum Outcome<T> {
    /// The result.
    Done(T),
    /// Exit code and message.
    Failed(u8, String),
}
