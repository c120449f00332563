//! BMR over oblivious transfer, wire-authenticated: garbling by all parties together, evaluation by each
//! alone. Secure against all parties but one, if they follow the protocol and pool what they see.
//!
//! Each party j has an offset `R^j` and for every wire a label `k^j_0`, with `k^j_1 = k^j_0 + R^j`; the wire
//! has a mask `l`, shared by XOR. The lowest bit of every label is the wire's *public value*, its value plus
//! its mask. The garbled gate has for each row (a, b) of public values and each column j
//!
//! ```text
//! g^j_ab = sum_i F(k^i_u,a , k^i_v,b ; gate, j) + k^j_w,0 + R^j s_ab
//! s_ab   = (l_u + a)(l_v + b) + l_w
//! ```
//!
//! Correlated OT with `Delta = R^j` is linear in the choices, so products with masks of wires are made once
//! per wire (`K` at j, `M = K + [l]_i R^j` at i) and reused by all gates. Messages of preprocessing:
//!
//! | round | from every party to every other | bits per AND and link |
//! | --- | --- | --- |
//! | 1 | choices: shares of masks of AND outputs (and own inputs) | 32 |
//! | 2 | cross terms of `l_u l_v`, under pads hashed from `K` and `M` | 1 |
//! | 3 | choices: shares of `l_u l_v` | 32 |
//! | 4 | its share of four rows of the receiver's column | 512 |
//! | 5 | the sum of four rows of its column | 512 |
//!
//! With silent transfers (`bmr-silent`), which are made before round 1, choices take 1 bit each, and there is a round more.
//!
//! Online two rounds: owners send public values of inputs, everybody sends the labels for them.
//!
//! Shares of `l_u l_v`, and of masks that open, get fresh shares of zero: opened rows show a column's
//! owner the bits `[s]_i`, which may otherwise be functions of single parties' inputs.
//!
//! Sources: D. Beaver, S. Micali, P. Rogaway (STOC 1990); A. Ben-Efraim, Y. Lindell, E. Omri (CCS 2016); the
//! data structure of C. Hazay, P. Scholl, E. Soria-Vazquez (Asiacrypt 2017) and X. Wang, S. Ranellucci,
//! J. Katz (CCS 2017), cut down to parties that follow the protocol.

#[cfg(test)]
mod attacks;
mod blocks;
mod chain;
mod columns;
mod common;
mod cost;
#[cfg(test)]
mod definition;
mod evaluate;
mod field;
mod form;
mod garble;
mod keys;
mod online;
mod over_ot;
mod pairs;
mod party;
mod replicated;
mod rows;
mod seat;
mod shamir;
#[cfg(test)]
mod timing;
mod transfer;
#[cfg(test)]
mod uniform;
mod variant;
mod wide;
mod wires;

pub(crate) use blocks::{BMR_SHAMIR_S2, BMR_SHAMIR_S3, BMR_SHAMIR_S4};
pub use chain::{AnyBmr, Worker};
pub use common::Ready;
pub(crate) use common::{Common, add_zeros};
pub(crate) use garble::Garbling;
pub(crate) use over_ot::{BMR_BASIC, BMR_CORRELATED, BMR_OFFSET, BMR_REDUCED};
#[cfg(test)]
pub(crate) use party::Bmr;
pub(crate) use party::{BMR, BMR_SILENT};
pub(crate) use replicated::BMR_REPLICATED;
pub(crate) use seat::Seat;
pub(crate) use shamir::BMR_SHAMIR;
pub use variant::{EVALUATOR, LabelFunction, Opening, Products, Rounds};
pub(crate) use wires::Wires;
