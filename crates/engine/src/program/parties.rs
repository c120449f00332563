//! One party of a program's protocol for every worker.

use super::job::By;
use super::prepare::Prepared;
use crate::circuit::{Assignment, EvaluateError};
use std::sync::{Arc, Mutex};
use tacit_garbling::authenticated::{self, Authenticated};
use tacit_garbling::bmr::Bmr;
use tacit_garbling::chain::{ChainCost, Chained};
use tacit_garbling::yao::Yao;
use tacit_net::{Mesh, Phase, Session};
use tacit_sharing::backend::{self, Backend, InBlocks, RingKeys};
use tacit_sharing::gmw::{Correlations, GmwBits, WorkerKeys};
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
    prepared: &Prepared,
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
            By::Rings => backend::in_rings(*protocol, party, keys),
            By::Circuits => backend::by_circuits(*protocol, party, keys),
        };
        parties.push(
            party.ok_or_else(|| EvaluateError::Job(format!("{protocol} does not run programs")))?,
        );
    }
    for (party, needs) in parties.iter_mut().zip(&needs) {
        party.announce(needs);
    }
    Ok(parties)
}

/// Parties that garble, or evaluate, as the program runs.
pub(super) fn garbling<'s>(
    session: &'s mut Session,
    prepared: &'s Prepared,
    id: &[u8],
    mut keys: impl FnMut() -> WorkerKeys,
) -> Result<Vec<Worker<'s>>, EvaluateError> {
    let parties = session.meshes.iter_mut().map(|mesh| {
        mesh.set_phase(Phase::Online);
        let party = Yao::new(mesh, &prepared.job.places, keys(), id)?;
        Ok(Box::new(party.streamed()) as Worker<'s>)
    });
    parties.collect()
}

/// The party that garbles circuit by circuit with the others: one, whatever the number of workers. With what its
/// circuits cost so far.
pub(super) fn in_blocks<'s>(
    session: &'s mut Session,
    prepared: &Prepared,
    id: &[u8],
    all: &mut Correlations,
) -> Result<(Worker<'s>, Arc<Mutex<ChainCost>>), EvaluateError> {
    let job = &prepared.job;
    let (protocol, places, most) = (job.protocol, &job.places, job.most_ands());
    let opening = job.opening.unwrap_or(protocol.opening());
    let cost = Arc::new(Mutex::new(prepared.no_blocks()?));
    let mesh = &mut session.meshes[0];
    if protocol.authenticates() {
        let sid = authenticated::set_up(mesh, places, all.worker(), id)?;
        let party = Authenticated::new(mesh, places, all.worker(), &sid)?;
        let chained = Chained::new(party.chain(places), cost.clone());
        return Ok((Box::new(InBlocks::new(protocol, most, chained)), cost));
    }
    let party = Bmr::new(mesh, places, all.worker(), id, opening)?;
    let chained = Chained::new(party.chain(), cost.clone());
    Ok((Box::new(InBlocks::new(protocol, most, chained)), cost))
}

/// Parties of GMW.
pub(super) fn on_masked_values<'s>(
    session: &'s mut Session,
    phase: Phase,
    mut party: impl FnMut(&'s mut Mesh) -> Result<GmwBits<'s>, SharingError>,
) -> Result<Vec<Worker<'s>>, EvaluateError> {
    let parties = session.meshes.iter_mut().map(|mesh| {
        mesh.set_phase(phase);
        Ok(backend::on_masked_values(party(mesh)?))
    });
    parties.collect()
}
