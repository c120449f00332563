//! Programs: typed dataflow over arrays of public, private and secret values.
//!
//! A [`Program`] is what a user writes once, by the [`Builder`](build::Builder) or as text
//! ([`text`]), and what all parties hash, compare and can read: what it takes from whom, and
//! exactly what it reveals to whom. [`clear`] evaluates it in the clear: the oracle for every
//! protocol, and how a party computes on values that it holds alone.
//!
//! Integers never overflow silently: the interval of every value is inferred from the declared
//! ranges of the inputs, and element types grow to hold it. See `docs/semantics.md`.

pub mod bounds;
pub mod build;
pub mod clear;
pub mod domain;
pub mod error;
pub mod infer;
pub mod ir;
pub mod lower;
pub mod seal;
pub mod summary;
pub mod text;
pub mod types;

pub use domain::{Domain, Meaning};
pub use error::ProgramError;
pub use ir::{Block, Loop, Node, NodeId, Op, Program, Reveal, Span, ValueId};
pub use types::{DimId, Element, Extent, Interval, PartyId, Shape, Type, Visibility};
