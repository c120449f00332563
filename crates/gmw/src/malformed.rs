//! Errors of oblivious transfers.

use tacit_net::{Mesh, PartyId};
use tacit_ot::OtError;
use tacit_sharing::SharingError;

/// What an OT's error means here. `peer` sent what it is about.
pub fn malformed(mesh: &mut Mesh, peer: PartyId, error: OtError) -> SharingError {
    match error {
        OtError::Malformed(what) => {
            let what = format!("party {}'s oblivious transfer is malformed: {what}", peer.0);
            mesh.check_failed(what).into()
        }
        OtError::Entropy(error) => error.into(),
        OtError::Streams(error) => error.into(),
    }
}
