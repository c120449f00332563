//! Ready circuits: arithmetic, comparison, AES and SHA-256, at chosen depth.
//!
//! Each module has generator functions over a [`Builder`](crate::Builder), for use inside larger circuits. The
//! [`registry`] has every design as a whole circuit, by name and parameters.
//!
//! Bit vectors are least significant bit first. Depth counts AND levels, size counts AND
//! gates; XOR and NOT are free. The source of each design is `docs/spec/circuits.md`.

pub mod adder;
pub mod aes;
pub mod and_tree;
pub mod bits;
pub mod carry_save;
pub mod comparator;
pub mod counter;
mod designs;
pub mod divider;
pub mod layered;
pub mod multiplier;
mod params;
mod scan;
mod select_tree;
pub mod sha256;
pub mod staged;

pub use bits::FanIn;
pub use designs::{Design, build, registry};
pub use params::{BuildError, Param, Params};
pub use scan::Radices;
