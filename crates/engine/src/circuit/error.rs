//! Why an evaluation stopped.

use tacit_net::NetError;
use tacit_sharing::SharingError;

/// Why an evaluation stopped.
#[derive(Debug, thiserror::Error)]
pub enum EvaluateError {
    /// The network or a peer failed.
    #[error(transparent)]
    Net(NetError),
    /// A protocol stopped.
    #[error(transparent)]
    Sharing(SharingError),
    /// The job or an input does not fit the circuit.
    #[error("{0}")]
    Job(String),
}

impl From<NetError> for EvaluateError {
    fn from(error: NetError) -> Self {
        EvaluateError::Net(error)
    }
}

impl From<SharingError> for EvaluateError {
    fn from(error: SharingError) -> Self {
        match error {
            SharingError::Net(error) => EvaluateError::Net(error),
            other => EvaluateError::Sharing(other),
        }
    }
}
