//! Any form of BMR, by its protocol.

use super::blocks::{self, BmrBlocks};
use super::chain::AnyBmr;
use super::keys;
use super::over_ot::BmrOt;
use super::party::Bmr;
use super::replicated::{self, BmrReplicated, ReplicatedKeys};
use super::shamir::{BmrShamir, ShamirKeys};
use tacit_net::{Mesh, PartyId};
use tacit_ring::Entropy;
use tacit_sharing::bmr::Opening;
use tacit_sharing::gmw::{self, Correlations, Delta};
use tacit_sharing::{Protocol, SharingError};

/// What parties have agreed on for a session: every party once.
pub enum Keys {
    /// Correlated transfers between all.
    Pairs(Correlations),
    /// Shares by polynomials.
    Shamir(ShamirKeys),
    /// Seeds of neighbours.
    Replicated(ReplicatedKeys),
}

/// What one worker has of them.
pub enum WorkerKeys {
    /// Correlated transfers.
    Pairs(Box<gmw::WorkerKeys>),
    /// Shares by polynomials.
    Shamir(Box<keys::WorkerKeys>),
    /// Seeds of neighbours.
    Replicated(Box<replicated::WorkerKeys>),
}

fn no_form(protocol: Protocol) -> SharingError {
    SharingError::Shape(format!("{protocol} is no form of BMR"))
}

impl Keys {
    /// What a form of BMR needs. `session` must be fresh.
    ///
    /// # Errors
    /// When the network fails, this party plays no role, there are too few, there is no entropy, or `protocol` is no form
    /// of BMR.
    pub fn exchange(
        protocol: Protocol,
        mesh: &mut Mesh,
        session: &[u8],
        places: &[PartyId],
        entropy: &mut Entropy,
    ) -> Result<Self, SharingError> {
        Ok(match protocol {
            Protocol::BmrShamir(_) => {
                Keys::Shamir(ShamirKeys::exchange(mesh, session, places, entropy)?)
            }
            Protocol::BmrBlocks(rounds, _) => {
                Keys::Shamir(blocks::exchange(mesh, session, places, rounds, entropy)?)
            }
            Protocol::BmrReplicated => {
                Keys::Replicated(ReplicatedKeys::exchange(mesh, session, places, entropy)?)
            }
            _ if protocol.opens_tables() => {
                let all = Correlations::exchange(mesh, session, places, Delta::Common, entropy)?;
                let all = if protocol.is_silent() { all.silent(session) } else { all };
                Keys::Pairs(all)
            }
            _ => return Err(no_form(protocol)),
        })
    }

    /// What the next worker needs. All parties ask for as many workers, in the same order.
    #[must_use]
    pub fn worker(&mut self) -> WorkerKeys {
        match self {
            Keys::Pairs(all) => WorkerKeys::Pairs(Box::new(all.worker())),
            Keys::Shamir(all) => WorkerKeys::Shamir(Box::new(all.worker())),
            Keys::Replicated(all) => WorkerKeys::Replicated(Box::new(all.worker())),
        }
    }
}

/// A worker of a party. `places[r]` plays role `r`. All parties open tables in the same way.
///
/// # Errors
/// When this mesh's party plays no role, or keys are another protocol's.
pub fn worker<'m>(
    (protocol, opening): (Protocol, Opening),
    mesh: &'m mut Mesh,
    places: &[PartyId],
    keys: WorkerKeys,
    session: &[u8],
) -> Result<AnyBmr<'m>, SharingError> {
    Ok(match (keys, protocol) {
        (WorkerKeys::Pairs(keys), Protocol::BmrOt(products, _)) => {
            Box::new(BmrOt::new(mesh, places, *keys, session, products, opening)?)
        }
        (WorkerKeys::Pairs(keys), Protocol::Bmr(_) | Protocol::BmrSilent(_)) => {
            Box::new(Bmr::new(mesh, places, *keys, session, opening)?)
        }
        (WorkerKeys::Shamir(keys), Protocol::BmrShamir(_)) => {
            Box::new(BmrShamir::new(mesh, places, *keys, session, opening)?)
        }
        (WorkerKeys::Shamir(keys), Protocol::BmrBlocks(rounds, _)) => {
            Box::new(BmrBlocks::new(mesh, places, *keys, session, (rounds, opening))?)
        }
        (WorkerKeys::Replicated(keys), Protocol::BmrReplicated) => {
            Box::new(BmrReplicated::new(mesh, places, *keys, session, opening)?)
        }
        _ => return Err(no_form(protocol)),
    })
}
