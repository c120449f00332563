//! One party of a program's protocol for every worker.

use super::compiled::CompiledProgram;
use super::job::By;
use crate::circuit::{Assignment, EvaluateError};
use tacit_backend::GmwBits;
use tacit_backend::{Backend, RingKeys};
use tacit_net::{Mesh, Phase, Session};
use tacit_sharing::{Party, SharingError};

/// One worker of a party.
pub(super) type Worker<'s> = Box<dyn Backend + Send + 's>;

/// All workers, to walk over.
pub(super) fn backends<'p, 's>(parties: &'p mut [Worker<'s>]) -> Vec<&'p mut (dyn Backend + Send)> {
    let mut backends: Vec<&mut (dyn Backend + Send)> = Vec::new();
    for party in parties {
        backends.push(&mut **party);
    }
    backends
}

/// Parties on shares, under fresh keys; `with` makes of each what it should be.
pub(super) fn on_shares<'s>(
    session: &'s mut Session,
    prepared: &CompiledProgram,
    keys: Vec<RingKeys>,
    phase: Phase,
    with: impl Fn(Party<'s>) -> Party<'s>,
) -> Result<Vec<Worker<'s>>, EvaluateError> {
    let needs = prepared.needs()?;
    let mut parties = Vec::new();
    for ((worker, mesh), keys) in session.meshes.iter_mut().enumerate().zip(keys) {
        mesh.set_phase(phase);
        let Assignment { protocol, places, .. } = &prepared.seating_of(worker).assignment;
        let party = with(Party::new(mesh, places)?);
        let party = match prepared.job.by {
            By::Rings => tacit_backend::in_rings(*protocol, party, keys),
            By::Circuits => tacit_backend::by_circuits(*protocol, party, keys),
        };
        parties.push(
            party.ok_or_else(|| EvaluateError::Job(format!("{protocol} does not run programs")))?,
        );
    }
    for party in &mut parties {
        party.circuits().widen(prepared.wider());
    }
    for (party, needs) in parties.iter_mut().zip(&needs) {
        party.announce(needs);
    }
    Ok(parties)
}

/// Parties of GMW.
pub(super) fn on_masked_values<'s>(
    session: &'s mut Session,
    prepared: &CompiledProgram,
    phase: Phase,
    mut party: impl FnMut(&'s mut Mesh) -> Result<GmwBits<'s>, SharingError>,
) -> Result<Vec<Worker<'s>>, EvaluateError> {
    let parties = session.meshes.iter_mut().map(|mesh| {
        mesh.set_phase(phase);
        let mut party = tacit_backend::on_masked_values(party(mesh)?);
        party.circuits().widen(prepared.wider());
        Ok(party)
    });
    parties.collect()
}
