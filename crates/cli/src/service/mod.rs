//! The daemon, and the commands by which operators talk to it.

mod audit;
mod dataset;
mod node;
mod serve;
mod session;
mod study;
mod worker;

pub use audit::{AuditArgs, run as audit};
pub use dataset::{DatasetArgs, run as dataset};
pub use node::{NodeArgs, run as node};
pub use serve::{ServeArgs, run as serve};
pub use session::{SessionArgs, run as session};
pub use study::{StudyArgs, run as study};
pub use worker::run as worker;

use crate::error::CliError;
use crate::output::Report;
use chrono::DateTime;
use clap::Args;
use serde::Serialize;
use serde_json::Value;
use std::io::{self, Write};
use std::path::PathBuf;
use tacit_serve::client::Client;

/// Where a node's socket is unless somebody says so.
const SOCKET: &str = "/run/tacit/api.sock";

/// Which node a command is for.
#[derive(Args, Clone, Debug)]
pub struct At {
    /// The node's socket, or the state directory that it is in; the variable TACIT_NODE says so, too [default: /run/tacit/api.sock]
    #[arg(long, global = true, value_name = "PATH")]
    node: Option<PathBuf>,
}

impl At {
    fn client(&self) -> Client {
        let named = self.node.clone().or_else(|| std::env::var_os("TACIT_NODE").map(PathBuf::from));
        let path = named.unwrap_or_else(|| PathBuf::from(SOCKET));
        Client::new(if path.is_dir() { path.join("api.sock") } else { path })
    }
}

impl From<tacit_serve::Error> for CliError {
    fn from(error: tacit_serve::Error) -> CliError {
        CliError { kind: error.kind, message: error.message }
    }
}

/// Writes an answer for people.
type Print = fn(&Value, &mut dyn Write) -> io::Result<()>;

/// An answer of a node, and how people read it.
#[derive(Serialize)]
#[serde(transparent)]
struct Shown {
    answer: Value,
    #[serde(skip)]
    text: Print,
}

impl Report for Shown {
    fn text(&self, out: &mut dyn Write) -> io::Result<()> {
        (self.text)(&self.answer, out)
    }
}

/// A text of an answer.
fn text<'v>(value: &'v Value, key: &str) -> &'v str {
    value[key].as_str().unwrap_or("-")
}

/// A time of an answer, in UTC.
fn time(value: &Value, key: &str) -> String {
    let at = value[key].as_i64().and_then(DateTime::from_timestamp_millis);
    at.map_or_else(|| "-".to_owned(), |at| at.format("%Y-%m-%d %H:%M:%SZ").to_string())
}

/// A number of rows.
fn rows(value: &Value) -> String {
    format!("{value} row{}", if *value == 1 { "" } else { "s" })
}

/// Names in an answer, one after the other.
fn names(value: &Value) -> String {
    let names: Vec<&str> =
        value.as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    names.join(", ")
}
