//! The end of epochs: what all workers logged is compared, and leave to open is given.

use crate::circuit::EvaluateError;
use tacit_net::{PartyId, Session};
use tacit_sharing::Protocol;
use tacit_sharing::verify::{Epoch, Journal, Pass, verify};

/// Ends the epochs of one run.
pub(crate) struct Checks<'j> {
    protocol: Protocol,
    places: &'j [PartyId],
    /// Fresh for each run.
    session: Vec<u8>,
    epochs: u64,
}

impl<'j> Checks<'j> {
    /// `session` must be fresh.
    pub fn new(protocol: Protocol, places: &'j [PartyId], session: Vec<u8>) -> Self {
        Checks { protocol, places, session, epochs: 0 }
    }

    /// Compares what the workers logged, in their order, with all peers. Costs nothing under
    /// protocols without checks.
    ///
    /// # Errors
    /// When a check fails, or a peer is gone; the session is over then.
    pub fn end_epoch(
        &mut self,
        session: &mut Session,
        journals: Vec<Journal>,
    ) -> Result<Pass, EvaluateError> {
        if let Some(pass) = Pass::unchecked(self.protocol) {
            return Ok(pass);
        }
        let epoch = Epoch { session: &self.session, number: self.epochs };
        self.epochs += 1;
        let mesh = &mut session.meshes[0];
        Ok(verify(mesh, self.protocol, self.places, &epoch, journals)?)
    }
}
