//! Oblivious transfer: base OT from group assumptions, and correlated OT from it by the million.
//!
//! Nothing here touches a network: every step takes what the peer sent and gives what is to be
//! sent. Everything is secure against parties that follow the protocol; with [`check`], correlated OT is
//! secure against parties that do not, from seeds with [`Evidence`] unless it is of [`Fan::One`].
//!
//! | module | what |
//! | --- | --- |
//! | [`base`] | one-round OT on ristretto255: 128 to start with |
//! | [`seeds`] | all-but-one seeds from base OTs |
//! | [`cot`] | correlated OT by SoftSpoken and IKNP, and pads of one bit made of it |
//! | [`silent`] | correlated OT from few messages, by the hardness of learning parity with noise |
//! | [`transfer`] | random transfers, chosen choices and messages, of blocks and of bits |
//! | [`check`] | that a receiver's choices are the same everywhere |

pub mod base;
pub mod check;
pub mod cot;
pub mod seeds;
pub mod silent;
pub mod transfer;

pub use cot::{Fan, Receiver, Sender};
pub use seeds::{BASE_OTS, Evidence, Receiving, Sending};

use tacit_ring::{NoEntropy, StreamsExhausted};

/// Why an oblivious transfer stopped.
#[derive(Debug, thiserror::Error)]
pub enum OtError {
    /// The peer sent what no honest party does.
    #[error("the peer's oblivious transfer is malformed: {0}")]
    Malformed(&'static str),
    /// This machine gives no randomness.
    #[error(transparent)]
    Entropy(#[from] NoEntropy),
    /// A seed's streams are used up.
    #[error(transparent)]
    Streams(#[from] StreamsExhausted),
}

/// Bits of the security parameter, and of a correlation.
pub const KAPPA: usize = 128;
