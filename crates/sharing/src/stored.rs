//! How what is used once is written for another session: as bytes, in place of the thing itself.
//!
//! Preprocessing that is used twice shows inputs. So none of it can be serialised as it is, and nothing that is still
//! there: it is given up for its bytes, and the bytes are given up for it. Who keeps them in
//! between gives them out once (the engine's `Store`).

use crate::SharingError;
use serde::Serialize;
use serde::de::DeserializeOwned;
use tacit_ring::Buffer;

/// The bytes of something secret, which are nowhere else.
///
/// # Errors
/// When it has no form as bytes.
pub fn encode<T: Serialize + ?Sized>(value: &T) -> Result<Buffer<u8>, SharingError> {
    use postcard::ser_flavors::Size;
    let failed = |e: postcard::Error| SharingError::System(format!("cannot be stored: {e}"));
    let size = postcard::serialize_with_flavor(value, Size::default()).map_err(failed)?;
    let mut bytes = Buffer::zeros(size);
    postcard::to_slice(value, &mut bytes).map_err(failed)?;
    Ok(bytes)
}

/// What bytes are of.
///
/// # Errors
/// When they have another form.
pub fn decode<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, SharingError> {
    match postcard::take_from_bytes(bytes) {
        Ok((value, [])) => Ok(value),
        _ => {
            Err(SharingError::System("stored preprocessing has not the form that it should".into()))
        }
    }
}
