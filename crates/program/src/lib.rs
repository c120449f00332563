//! Programs: typed dataflow over arrays of public, private and secret values.
//!
//! A [`Program`] is what a user writes once, by the [`Builder`](build::Builder) or as text
//! ([`text`]), and what all parties hash, compare and can read: what it takes from whom, and
//! exactly what it reveals to whom. [`clear`] evaluates it in the clear: the oracle for every
//! protocol, and how a party computes on values that it holds alone.
//!
//! ```text
//! text ─────┐                    ┌──► clear              values without protection
//! build ────┼──► Program ────────┼──► summary, digest    what parties agree to
//! Python ───┘  (infer, check)    └──► lower              core operations and circuits, for protocols
//! ```
//!
//! Integers never overflow silently: the interval of every value is inferred from the declared
//! ranges of the inputs, and element types grow to hold it. See `docs/semantics.md`.
//!
//! ```
//! use tacit_program::clear::{self, Array};
//! use tacit_program::{Element, build, text};
//!
//! let mut b = build::Builder::new("total");
//! let (alice, bob) = (b.party("alice"), b.party("bob"));
//! let price = b.input("price", alice, build::Array::of(Element::uint(16)).range(0..=9999));
//! let count = b.input("count", bob, build::Array::of(Element::uint(8)));
//! let total = b.mul(price, count);
//! b.reveal("total", total, &[bob]);
//! let program = b.finish()?;
//!
//! // The text form is what parties compare; it reads back as the same program.
//! let written = text::print(&program);
//! assert_eq!(text::digest(&text::parse("total.tacit", &written)?), text::digest(&program));
//!
//! let value = |element, value| Array::scalar(element, value);
//! let inputs = [
//!     ("price".to_string(), value(Element::uint(16), 250)?),
//!     ("count".to_string(), value(Element::uint(8), 4)?),
//! ];
//! let outputs = clear::evaluate(&program, &[], inputs.into())?;
//! assert_eq!((outputs[0].0.as_str(), outputs[0].1.get(0)), ("total", 1000));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! The crate knows no protocol, no share and no network.
//!
//! | module | what it holds |
//! | --- | --- |
//! | [`ir`], [`types`], [`domain`] | the form of programs, the types of values, and what integers stand for |
//! | [`derived`] | what owners of texts compute of them |
//! | [`build`], [`text`] | programs written in Rust, and as text |
//! | [`infer`], [`bounds`] | types and intervals of results, and how far they may be off under a protocol |
//! | [`clear`] | evaluation in the clear |
//! | [`lower`], [`seal`] | programs in core operations; programs whose parties may cheat |
//! | [`summary`](mod@summary) | what a program takes, reveals and computes, for people to read |
//! | [`error`] | the error of a program, with its place |

pub mod bounds;
pub mod build;
pub mod clear;
pub mod derived;
pub mod domain;
pub mod error;
pub mod hoist;
pub mod infer;
pub mod ir;
pub mod lower;
pub mod once;
pub mod seal;
pub mod summary;
pub mod text;
pub mod together;
pub mod types;

pub use derived::{Derived, TextFunction};
pub use domain::{Domain, Meaning};
pub use error::ProgramError;
pub use ir::{
    Block, Fold, LEAST_BITS, Loop, MOST_BITS, Node, NodeId, Op, Program, Reveal, Span, ValueId,
};
pub use types::{DimId, Element, Extent, Interval, PartyId, Shape, Type, Visibility};
