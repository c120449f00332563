//! Authenticated garbling of circuits that go on from each other.

use super::{Active, Authenticated, Kept};
use crate::{Bits, Chain, Ports};
use tacit_net::{Mesh, PartyId};
use tacit_sharing::{RoleId, SharingError};

type Result<T> = std::result::Result<T, SharingError>;

/// Authenticated garbling of circuits that go on from each other.
pub struct AuthenticatedChain<'m> {
    party: Authenticated<'m>,
    places: Vec<PartyId>,
    kept: Kept,
    active: Active,
}

impl<'m> Authenticated<'m> {
    /// This worker, for circuits that go on from each other. `places[r]` plays role `r`, as before.
    #[must_use]
    pub fn chain(self, places: &[PartyId]) -> AuthenticatedChain<'m> {
        let (kept, active) = (Kept::none(), Active::none());
        AuthenticatedChain { party: self, places: places.to_vec(), kept, active }
    }
}

impl Chain for AuthenticatedChain<'_> {
    fn mesh(&mut self) -> &mut Mesh {
        crate::Garbling::mesh(&mut self.party)
    }

    fn me(&self) -> RoleId {
        self.party.me()
    }

    fn evaluate_next(&mut self, ports: Ports<'_>, values: Bits) -> Result<Bits> {
        let (ready, kept) = self.party.prepare_on(ports, 1, &self.kept)?;
        let mesh = crate::Garbling::mesh(&mut self.party);
        let (done, active) = ready.run_on(mesh, &self.places, ports, &[values], &self.active)?;
        (self.kept, self.active) = (kept, active);
        let mut learned = super::open(mesh, &self.places, vec![done])?;
        Ok(learned.pop().and_then(|mut all| all.pop()).unwrap_or_else(|| Bits::zeros(0)))
    }
}
