//! Why protocols stop.

use tacit_net::NetError;
use tacit_ring::{NoEntropy, StreamsExhausted};

/// Why a protocol stopped.
#[derive(Debug, thiserror::Error)]
pub enum SharingError {
    /// The network or a peer failed.
    #[error(transparent)]
    Net(#[from] NetError),
    /// A key's streams are used up.
    #[error(transparent)]
    Streams(#[from] StreamsExhausted),
    /// Shapes do not fit.
    #[error("{0}")]
    Shape(String),
    /// This machine has no more of something, such as randomness.
    #[error("{0}")]
    System(String),
}

impl From<NoEntropy> for SharingError {
    fn from(error: NoEntropy) -> Self {
        SharingError::System(error.to_string())
    }
}
