//! Why an evaluation stopped. Each variant is one kind, with its own remedy.

use tacit_net::{AbortKind, NetError};
use tacit_sharing::SharingError;

/// Why an evaluation stopped.
#[derive(Debug, thiserror::Error)]
pub enum EvaluateError {
    /// The network failed, parties disagree, or what else a [`NetError`] says.
    #[error(transparent)]
    Net(NetError),
    /// A party runs another program: where they differ, line by line.
    #[error("{cause}{difference}")]
    OtherProgram {
        /// Who runs another one.
        cause: NetError,
        /// Lines of both, in a form that may be printed.
        difference: String,
    },
    /// The job or an input does not fit the circuit, or is too large.
    #[error("{0}")]
    Job(String),
    /// A peer sent what no party that follows the protocol sends.
    #[error("misbehaviour of party {party}: {what}")]
    Misbehaviour {
        /// The peer.
        party: usize,
        /// What it did.
        what: String,
    },
    /// A value left a range that the program checks. In the clear, where: places and counts, no values.
    #[error(
        "a value that the program checks left its range: no result was revealed. That is all that the run disclosed, \
         one bit, to everybody{}",
        .0.as_ref().map_or(String::new(), |place| format!(" ({place})"))
    )]
    Check(Option<String>),
    /// This party's [gate](crate::Gate) did not let the run pass: no result was opened.
    #[error("the release of results was refused: {0}")]
    Refused(String),
    /// This machine has no more of something: randomness, threads, memory.
    #[error("system: {0}")]
    System(String),
    /// A run failed that had spent its stored preprocessing.
    #[error("{cause}{}", EvaluateError::lost(run))]
    Lost {
        /// Names the preprocessing.
        run: String,
        /// Why the run failed.
        cause: Box<EvaluateError>,
    },
    /// An invariant does not hold, or a worker panicked.
    #[error("this is a bug in Tacit, please report it: {0}")]
    Bug(String),
}

impl EvaluateError {
    /// What peers are told of the kind of an error that ends the session.
    #[must_use]
    pub fn abort_kind(&self) -> AbortKind {
        match self {
            EvaluateError::Net(error) | EvaluateError::OtherProgram { cause: error, .. } => {
                AbortKind::of(error)
            }
            EvaluateError::Job(_) => AbortKind::Input,
            EvaluateError::Misbehaviour { .. } => AbortKind::Misbehaviour,
            EvaluateError::Check(_) => AbortKind::Check,
            EvaluateError::Refused(_) => AbortKind::Interrupted,
            EvaluateError::System(_) => AbortKind::System,
            EvaluateError::Lost { cause, .. } => cause.abort_kind(),
            EvaluateError::Bug(_) => AbortKind::Bug,
        }
    }

    /// What peers are told: of a failed check not where it is.
    pub(crate) fn for_peers(&self) -> String {
        match self {
            EvaluateError::Check(_) => EvaluateError::Check(None).to_string(),
            EvaluateError::Refused(_) => "it refused to release results".to_owned(),
            error => error.to_string(),
        }
    }

    /// What [`EvaluateError::Lost`] adds to its cause.
    #[must_use]
    pub fn lost(run: &str) -> String {
        format!(
            "; the stored preprocessing of this run ({run}) is spent and lost: start again for the next one"
        )
    }

    /// Whether this only says that another thread of this party had stopped.
    pub(crate) fn is_echo(&self) -> bool {
        match self {
            EvaluateError::Lost { cause, .. } => cause.is_echo(),
            error => matches!(error, EvaluateError::Net(NetError::Stopped { .. })),
        }
    }
}

impl From<NetError> for EvaluateError {
    fn from(error: NetError) -> Self {
        EvaluateError::Net(error)
    }
}

impl From<SharingError> for EvaluateError {
    /// Jobs are checked before any protocol runs, so shapes that do not fit then are a bug.
    fn from(error: SharingError) -> Self {
        match error {
            SharingError::Net(error) => EvaluateError::Net(error),
            SharingError::Streams(error) => {
                EvaluateError::Job(format!("{error}; split the instances over several runs"))
            }
            SharingError::System(what) => EvaluateError::System(what),
            SharingError::Shape(what) => EvaluateError::Bug(what),
        }
    }
}

/// Says with an error that stored preprocessing is spent.
pub(crate) fn lost<T>(run: &str, result: Result<T, EvaluateError>) -> Result<T, EvaluateError> {
    result.map_err(|error| match error {
        EvaluateError::Lost { .. } => error,
        cause => EvaluateError::Lost { run: run.to_string(), cause: Box::new(cause) },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_of_protocols_keep_their_kind() {
        let of = EvaluateError::from;
        assert!(matches!(of(SharingError::Shape("x".into())), EvaluateError::Bug(_)));
        assert!(matches!(of(SharingError::System("x".into())), EvaluateError::System(_)));
        let (kind, reason) = (AbortKind::Failure, "x".into());
        let stopped = NetError::Stopped { kind, reason };
        assert!(of(SharingError::Net(stopped)).is_echo());
        assert!(!EvaluateError::Bug("x".into()).is_echo());
    }
}
