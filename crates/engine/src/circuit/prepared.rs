//! Preprocessing that is kept for another session.

use super::EvaluateError;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use tacit_ring::{Buffer, hash};
use tacit_sharing::SharingError;

/// Which phases of a job run in a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Phases {
    /// All.
    All,
    /// What does not depend on inputs; the rest in another session.
    Ahead,
    /// The same, with triples of yet another session.
    FromTriples,
    /// That rest.
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
/// up.
#[derive(Serialize, Deserialize)]
pub struct Prepared {
    /// Whose it is.
    pub(crate) party: u8,
    /// A digest of what parties agreed on for it.
    pub(crate) job: [u8; 32],
    /// What all workers have in common.
    pub(crate) common: Buffer<u8>,
    /// By worker.
    pub(crate) workers: Vec<Buffer<u8>>,
}

impl Prepared {
    /// The form in which a store keeps it.
    ///
    /// # Errors
    /// When there is no memory for it.
    pub fn encode(&self) -> Result<Buffer<u8>, EvaluateError> {
        Ok(encode(self)?)
    }

    /// From the form in which a store keeps it.
    ///
    /// # Errors
    /// When it is not that.
    pub fn decode(bytes: &[u8]) -> Result<Self, EvaluateError> {
        decode(bytes)
    }
}

/// A digest of what parties agree on.
pub(crate) fn digest<N: AsRef<str>>(facts: &[(N, String)]) -> [u8; 32] {
    let parts: Vec<&[u8]> = facts
        .iter()
        .flat_map(|(name, value)| [name.as_ref().as_bytes(), value.as_bytes()])
        .collect();
    hash::digest(&parts)
}

/// The bytes of something secret, which are nowhere else.
pub(crate) fn encode<T: Serialize>(value: &T) -> Result<Buffer<u8>, SharingError> {
    use postcard::ser_flavors::Size;
    let failed = |e: postcard::Error| SharingError::System(format!("cannot be stored: {e}"));
    let size = postcard::serialize_with_flavor(value, Size::default()).map_err(failed)?;
    let mut bytes = Buffer::zeros(size);
    postcard::to_slice(value, &mut bytes).map_err(failed)?;
    Ok(bytes)
}

pub(crate) fn decode<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, EvaluateError> {
    match postcard::take_from_bytes(bytes) {
        Ok((value, [])) => Ok(value),
        _ => Err(EvaluateError::Job("stored preprocessing has not the form that it should".into())),
    }
}
