//! What a program needs from a protocol on shares: one object per party and worker, whatever the setting.
//!
//! Every protocol has [`Bits`]: shared bits, and circuits on them. A [`Backend`] has numbers, too:
//! [`in_rings`] shares them in rings, [`by_circuits`] holds them as bits and needs no more than
//! [`Bits`]. [`Tally`] only counts what either costs, and [`Drawing`] draws a circuit of the whole
//! program, or [`InBlocks`] several, for protocols that garble. All walk the same program, so predictions
//! follow every decision of a real run.
//!
//! | module | what it holds |
//! | --- | --- |
//! | this one | [`Backend`] and [`Bits`], who has them, and the values that they work on: [`Secret`] and [`Planes`] |
//! | [`convert`] | conversions between rings and bits, truncation, shuffles |
//! | [`divide`], [`approximate`] | division, square roots and elementary functions of numbers in rings |
//! | [`protocols`], [`mod@visit`] | the list of protocols on shares, and how a protocol becomes a type |
//! | [`cost`], [`latencies`], [`work`] | what operations send, how often they wait, and what they compute |
//!
//! What a protocol costs is known before it runs:
//!
//! ```
//! use tacit_backend::protocols::{GMW_OT, TRIO};
//! use tacit_backend::{cost, latencies};
//!
//! // Ring elements that all roles of Trio send for one product, and its online rounds.
//! assert_eq!(cost::product(TRIO).total(), 3);
//! assert_eq!(cost::rounds(TRIO), 1);
//! // Link delays from inputs to outputs, for a circuit with ten levels of products.
//! assert_eq!(latencies::of(TRIO, 10).online, 12);
//! assert_eq!(latencies::of(GMW_OT, 10).online, 21);
//! ```
//!
//! This crate knows all protocols on shares. It knows no garbled circuits, no files, no command line and no plans.

pub mod approximate;
pub mod awaited;
mod bits;
mod blocks;
mod boolean;
mod components;
pub mod convert;
pub mod cost;
pub mod divide;
mod drawing;
mod forms;
mod gmw;
pub mod latencies;
mod machine;
mod masked;
mod moving;
mod network;
mod numbers;
mod operations;
pub mod own;
mod party_bits;
mod planes;
mod polynomial;
pub mod prefix;
pub mod protocols;
mod proven;
mod put_off;
mod result;
mod ring_keys;
mod rings;
mod secret;
pub mod segments;
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
pub use operations::{Backend, Bits, Term};
pub use planes::Planes;
pub use put_off::PutOff;
pub use result::Values;
pub use ring_keys::RingKeys;
pub use secret::{Data, Kind, Ring, Secret};
pub use sort::{AT_ONCE, Column, Shuffles, shuffled};
pub use start::{by_circuits, in_rings, on_masked_values};
pub use tally::{ALL_LINES, LINE_OF_CHECKS, LineCost, Tally};
pub use visit::visit;

use result::{Result, wrong};
