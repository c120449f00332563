//! Boolean circuits: the form, the builder, the library, passes and text formats.
//!
//! A [`Circuit`] is a directed acyclic graph of XOR, NOT, AND of two to eight inputs, and polynomial gates.
//! XOR and NOT are free in every protocol; AND depth is rounds, AND size is traffic.
//!
//! ```text
//! Builder ───┐                          ┌──► eval_lanes     values in the clear
//! library ───┼──► Circuit ──► passes ───┼──► schedule       levels and slots, for protocols
//! formats ───┘                          └──► formats        Bristol, binary
//! ```
//!
//! A circuit that says whether two numbers of four bits are equal, evaluated in the clear:
//!
//! ```
//! use tacit_circuit::{Builder, passes};
//!
//! let mut b = Builder::new();
//! let (x, y) = (b.input(4), b.input(4));
//! let same: Vec<_> = x.iter().zip(&y).map(|(x, y)| { let differ = b.xor(*x, *y); b.not(differ) }).collect();
//! let equal = b.and(&same);
//! b.output(&[equal]);
//! let circuit = b.finish();
//! assert_eq!(circuit.stats().and_depth, 1); // one AND of four inputs
//!
//! let bits = |n: u32| (0..4).map(|i| n >> i & 1 == 1).collect::<Vec<bool>>();
//! assert_eq!(circuit.eval(&[bits(9), bits(9)]), [[true]]);
//!
//! let lowered = passes::lower(&circuit, 2); // for protocols that have ANDs of two inputs only
//! assert_eq!(lowered.stats().and_depth, 2);
//! assert_eq!(lowered.eval(&[bits(9), bits(8)]), [[false]]);
//! ```
//!
//! The crate knows no party, no share and no protocol. What an AND costs comes to it as a [`Form`](passes::cost::Form)
//! or a [`CostModel`](passes::cost::CostModel).
//!
//! | module | what it holds |
//! | --- | --- |
//! | [`library`] | ready circuits: adders, comparators, dividers, AES, SHA-256 and others |
//! | [`formats`] | Bristol Fashion, the old Bristol format, an extension, and a binary form |
//! | [`passes`] | transformations that keep the function and lower the cost |
//! | [`schedule`] | the levels and slots by which protocols evaluate a circuit |
//! | [`table`] | sizes of the library's designs beside published figures |
//! | [`spelling`] | hints for names that are spelled almost like known ones |

mod builder;
mod compact;
mod digest;
mod eval;
mod form;
mod intern;
mod live;
mod poly;
mod polyfold;
mod raw;
mod stats;

pub mod formats;
pub mod library;
pub mod passes;
pub mod schedule;
pub mod spelling;
pub mod table;

pub use builder::Builder;
pub use form::{Circuit, Gate, MAX_FAN_IN, MAX_WIRES, Wire};
pub use poly::{MAX_POLY_INPUTS, Poly, PolyError};
pub use stats::{Stats, gate_bits};
