//! What a program needs from a protocol: one object per party and worker, whatever the setting.
//!
//! Every protocol has [`Bits`]: shared bits, and circuits on them. A [`Backend`] has numbers, too:
//! [`in_rings`] shares them in rings, [`by_circuits`] holds them as bits and needs no more than
//! [`Bits`]. [`Tally`] only counts what either costs, and [`Drawing`] draws a circuit of the whole
//! program, or [`InBlocks`] several, for protocols that garble. All walk the same program, so predictions
//! follow every decision of a real run.

mod bits;
mod blocks;
mod boolean;
mod components;
pub mod convert;
pub mod cost;
mod drawing;
mod forms;
mod gmw;
pub mod latencies;
mod masked;
mod network;
mod numbers;
mod operations;
mod party_bits;
mod planes;
pub mod protocols;
mod proven;
mod put_off;
mod ring_keys;
mod rings;
mod secret;
mod sort;
mod start;
mod tags;
mod tally;
pub mod visit;
pub mod work;

pub use bits::{Circuits, Name};
pub use blocks::{Block, Blocks, InBlocks};
pub use boolean::{Arithmetic, Boolean};
pub use drawing::{Drawing, Drawn, FlatBits, Replay};
pub use gmw::GmwBits;
pub use operations::{Backend, Bits, Term, Values};
pub use planes::Planes;
pub use put_off::PutOff;
pub use ring_keys::RingKeys;
pub use secret::{Data, Kind, Ring, Secret};
pub use sort::{Column, Shuffles};
pub use start::{by_circuits, in_rings, on_masked_values};
pub use tally::Tally;
pub use visit::visit;

use operations::{Result, wrong};
