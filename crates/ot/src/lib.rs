//! Oblivious transfer: base OT from group assumptions, and correlated OT from it by the million.
//!
//! In an oblivious transfer the receiver gets one of the sender's two messages, the sender does not learn which one,
//! and the receiver learns nothing of the other. In a *correlated* OT the sender holds one secret block Delta, and for
//! every transfer a block `q`; the receiver, for its choice bit `x`, the block `t = q ^ x Delta`.
//!
//! ```text
//! base OT (128) ──► seeds ──► cot: Sender, Receiver ──► transfer: pads, chosen choices and messages
//!                                    └──► silent: Sender, Receiver ──┘
//! ```
//!
//! Nothing here touches a network: every step takes what the peer sent and gives what is to be
//! sent. The crate knows no party, no circuit and no protocol that uses it. Everything is secure against parties that
//! follow the protocol; with [`check`], correlated OT is secure against parties that do not, from seeds with
//! [`Evidence`] unless it is of [`FieldBits::One`].
//!
//! ```
//! use std::sync::Arc;
//! use tacit_ot::{FieldBits, Receiving, Sending};
//! use tacit_ring::{Entropy, prg::Permutation};
//! use zeroize::Zeroizing;
//!
//! // Set-up: `sid` names the session, the pair of parties and the direction.
//! let (sid, delta, mut entropy) = ([7; 32], 0x1357_9bdf, Entropy::system());
//! let receiving = Receiving::new(sid, FieldBits::Two, &mut entropy)?;
//! let sending = Sending::new(sid, FieldBits::Two, Zeroizing::new(delta), &mut entropy)?;
//! let first = *receiving.message();
//! let (mut all_seeds, second) = receiving.finish(sending.message(), &mut entropy)?;
//! let mut some_seeds = sending.finish(&first, &second)?;
//!
//! // 64 correlated OTs by one message of the receiver.
//! let pi = Arc::new(Permutation::new([9; 16]));
//! let (mut receiver, mut sender) = (all_seeds.receiver(&pi), some_seeds.sender(&pi));
//! let choices = [0b101];
//! let mut message = vec![0; receiver.message_words(1)];
//! let t = receiver.correlate(&choices, &mut message)?.to_vec();
//! let q = sender.correlate(1, &message)?;
//! assert_eq!([t[0] ^ q[0], t[1] ^ q[1], t[2] ^ q[2]], [delta, 0, delta]);
//! # Ok::<(), tacit_ot::OtError>(())
//! ```
//!
//! | module | what it holds |
//! | --- | --- |
//! | [`base`] | one-round OT on ristretto255: 128 to start with |
//! | [`seeds`] | all-but-one seeds from base OTs |
//! | [`cot`] | correlated OT by SoftSpoken and IKNP, and pads of one bit made of it |
//! | [`silent`] | correlated OT from few messages, by the hardness of learning parity with noise |
//! | [`transfer`] | random transfers, chosen choices and messages, of blocks and of bits |
//! | [`check`] | the check that a receiver's choices are the same everywhere |

pub mod base;
pub mod check;
pub mod cot;
pub mod seeds;
pub mod silent;
pub mod transfer;

pub use cot::{FieldBits, Receiver, Sender};
pub use seeds::{BASE_OTS, Evidence, Receiving, Sending};

use tacit_ring::{NoEntropy, StreamsExhausted};

/// The reason why an oblivious transfer stopped.
#[derive(Debug, thiserror::Error)]
pub enum OtError {
    /// The peer sent something that no honest party sends.
    #[error("the peer's oblivious transfer is malformed: {0}")]
    Malformed(&'static str),
    /// This machine gives no randomness.
    #[error(transparent)]
    Entropy(#[from] NoEntropy),
    /// The streams of a seed are used up.
    #[error(transparent)]
    Streams(#[from] StreamsExhausted),
}

/// The security parameter in bits, and the width of a correlated block.
pub const KAPPA: usize = 128;
