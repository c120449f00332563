//! Queries over the tables of several parties.
//!
//! ```text
//! SQL ────► sql ──┐              ┌──► lower    a program, which protocols run
//!                 ├──► Query ────┤
//! frames ─────────┘              └──► clear    rows in the clear, one by one: what is right
//! ```
//!
//! | module | what it holds |
//! | --- | --- |
//! | [`catalog`], [`kind`] | the tables of the parties, and what their values are |
//! | [`plan`] | what a query computes |
//! | [`rows`] | rows, their order, and answers |
//! | [`rewrite`] | plans as others that compute the same, faster |
//! | [`show`] | plans as texts, for people |
//! | [`sql`] | SQL, bound to a catalog |
//! | [`lower`] | queries as programs |
//! | [`explain`](mod@explain) | what a query does and discloses, for people |
//! | [`lint`](mod@lint) | what looks unwise |
//! | [`clear`] | queries evaluated row by row in the clear: the oracle for all else |
//!
//! The crate knows no protocol and no network.

pub mod catalog;
pub mod clear;
pub mod error;
pub mod explain;
pub mod kind;
pub mod lint;
pub mod lower;
pub mod plan;
#[cfg(any(test, feature = "random"))]
pub mod random;
pub mod rewrite;
pub mod rows;
pub mod show;
pub mod sql;

pub use catalog::{Catalog, Column, Table};
pub use error::QueryError;
pub use kind::Kind;
pub use plan::Query;
pub use rows::{Answer, Cell, Rows};
