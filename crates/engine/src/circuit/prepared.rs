//! Preprocessing that is kept for another session.

use super::EvaluateError;
use serde::de::DeserializeOwned;
use tacit_proof::Method;
use tacit_ring::{Buffer, hash};
pub(crate) use tacit_sharing::stored::encode;
use tacit_sharing::{Protocol, SharingError, stored};

/// Which phases of a job run in a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Phases {
    /// All phases.
    All,
    /// The phases that do not depend on inputs. The online phase runs in another session.
    Ahead,
    /// The phases that do not depend on inputs, with triples that a third session made.
    FromTriples,
    /// The online phase, on preprocessing of another session.
    Online,
}

impl Phases {
    /// Whether the online phase is left for another session.
    pub fn puts_off(self) -> bool {
        matches!(self, Phases::Ahead | Phases::FromTriples)
    }

    /// What parties compare.
    pub fn name(self) -> &'static str {
        match self {
            Phases::All => "all",
            Phases::Ahead => "preprocessing alone (tacit prepare)",
            Phases::FromTriples => "preprocessing alone, with stored triples",
            Phases::Online => "online alone (tacit run --prepared)",
        }
    }
}

/// One party's preprocessing of a job, for one run in another session: secret. It is used once: by giving it
/// up, to a run or to a [`Store`](crate::store::Store), which gives it back once.
pub struct StoredPreprocessing {
    /// Whose it is.
    pub(crate) party: u8,
    /// A digest of what parties agreed on for it.
    pub(crate) job: [u8; 32],
    /// What all workers have in common.
    pub(crate) common: Buffer<u8>,
    /// By worker.
    pub(crate) workers: Vec<Buffer<u8>>,
}

impl StoredPreprocessing {
    /// The form in which a store keeps it, in place of it.
    ///
    /// # Errors
    /// When there is no memory for it.
    pub(crate) fn into_bytes(self) -> Result<Buffer<u8>, EvaluateError> {
        self.bytes()
    }

    /// From the form in which a store keeps it, which has given it up. Nobody else decodes it: what is decoded
    /// twice is used twice.
    ///
    /// # Errors
    /// When it is not that.
    pub(crate) fn from_bytes(bytes: &[u8]) -> Result<Self, EvaluateError> {
        let (party, job, common, workers) = decode(bytes)?;
        Ok(StoredPreprocessing { party, job, common, workers })
    }

    fn bytes(&self) -> Result<Buffer<u8>, EvaluateError> {
        let StoredPreprocessing { party, job, common, workers } = self;
        Ok(encode(&(party, job, common, workers))?)
    }
}

#[cfg(feature = "testing")]
impl StoredPreprocessing {
    /// **Not for use**: its bytes, and it is still there.
    ///
    /// # Errors
    /// When there is no memory for it.
    pub fn insecure_bytes(&self) -> Result<Buffer<u8>, EvaluateError> {
        self.bytes()
    }

    /// **Not for use**: from bytes that may have been used before.
    ///
    /// # Errors
    /// When they are of another form.
    pub fn insecure_from_bytes(bytes: &[u8]) -> Result<Self, EvaluateError> {
        StoredPreprocessing::from_bytes(bytes)
    }
}

/// Takes pieces of what is prepared, with the workers that they are of, in order. They are secret.
pub type Keep<'k> = &'k (dyn Fn(usize, Buffer<u8>) -> Result<(), EvaluateError> + Sync);

/// Gives each worker its pieces, in the order in which they were kept.
pub type Give<'g> = &'g (dyn Fn(usize) -> Result<Option<Buffer<u8>>, EvaluateError> + Sync);

/// Whether preprocessing makes random products, which are checked before they are stored.
pub(crate) fn makes_triples(protocol: Protocol) -> bool {
    matches!(Method::of(protocol), Some(Method::Brain(..)))
}

/// A digest of what parties agree on.
pub(crate) fn digest<N: AsRef<str>>(facts: &[(N, String)]) -> [u8; 32] {
    let parts: Vec<&[u8]> = facts
        .iter()
        .flat_map(|(name, value)| [name.as_ref().as_bytes(), value.as_bytes()])
        .collect();
    hash::digest(&parts)
}

pub(crate) fn decode<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, EvaluateError> {
    decoded(stored::decode(bytes))
}

/// What was made of stored bytes.
pub(crate) fn decoded<T>(made: Result<T, SharingError>) -> Result<T, EvaluateError> {
    made.map_err(|_| {
        EvaluateError::Job("stored preprocessing has not the form that it should".into())
    })
}
