//! Boolean circuits: the form, the builder, the library, passes and text formats.
//!
//! A [`Circuit`] is a DAG of XOR, NOT, AND of two to eight inputs, and polynomial gates.
//! XOR and NOT are free in every protocol; AND depth is rounds, AND size is traffic.
//! [`Builder`] makes circuits, [`library`] has ready ones, [`formats`] reads and writes them,
//! [`passes`] makes them cheaper, and [`Circuit::eval_lanes`] runs them in the clear.

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
