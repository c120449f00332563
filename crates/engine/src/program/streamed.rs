//! Parties of programs that are garbled as they run: gate by gate, or circuit by circuit.

use super::parties::Worker;
use super::prepare::Prepared;
use crate::circuit::EvaluateError;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tacit_garbling::Chain;
use tacit_garbling::authenticated::{self, Authenticated, Sizes};
use tacit_garbling::bmr::{self, BmrChain};
use tacit_garbling::chain::{ChainCost, Chained};
use tacit_garbling::yao::Yao;
use tacit_garbling::yao::three::{ThreeKeys, YaoThree};
use tacit_net::{Mesh, Phase, Session};
use tacit_ring::Entropy;
use tacit_sharing::backend::InBlocks;
use tacit_sharing::gmw::{Correlations, Delta};
use tacit_sharing::{Protocol, SharingError};

/// Workers, and when they had their keys.
type Parties<'s> = Result<(Vec<Worker<'s>>, Duration), EvaluateError>;

/// Under fresh keys, gate by gate.
pub(super) fn by_gates<'s>(
    session: &'s mut Session,
    prepared: &Prepared,
    id: &[u8],
    entropy: &mut Entropy,
) -> Parties<'s> {
    let (protocol, places) = (prepared.job.protocol, &prepared.job.places);
    let first = &mut session.meshes[0];
    if protocol == Protocol::YaoThree {
        let mut all = ThreeKeys::exchange(first, id, places, entropy)?;
        return on_meshes(session, |mesh| {
            Ok(Box::new(YaoThree::new(mesh, places, all.worker(), id)?.streamed()))
        });
    }
    let all = Correlations::exchange(first, id, places, Delta::Common, entropy)?;
    let mut all = if protocol.is_silent() { all.silent(id) } else { all };
    on_meshes(session, |mesh| Ok(Box::new(Yao::new(mesh, places, all.worker(), id)?.streamed())))
}

fn on_meshes<'s>(
    session: &'s mut Session,
    mut worker: impl FnMut(&'s mut Mesh) -> Result<Worker<'s>, SharingError>,
) -> Parties<'s> {
    let ready = session.meshes[0].now();
    let workers = session.meshes.iter_mut().map(|mesh| {
        mesh.set_phase(Phase::Online);
        worker(mesh)
    });
    Ok((workers.collect::<Result<_, _>>()?, ready))
}

/// Under fresh keys, circuit by circuit: one worker, whatever the number of threads. Adds up what the circuits cost.
pub(super) fn by_circuits<'s>(
    session: &'s mut Session,
    prepared: &Prepared,
    id: &[u8],
    cost: Arc<Mutex<ChainCost>>,
    entropy: &mut Entropy,
) -> Parties<'s> {
    let job = &prepared.job;
    let (protocol, places) = (job.protocol, &job.places);
    let mesh = &mut session.meshes[0];
    if protocol.authenticates() {
        let kind = Delta::Authenticating;
        let mut all = Correlations::exchange(mesh, id, places, kind, entropy)?;
        let ready = mesh.now();
        let sid = authenticated::set_up(mesh, places, all.worker(), id)?;
        let party = Authenticated::new(mesh, places, all.worker(), &sid, Sizes::of(1))?;
        return Ok((vec![chained(prepared, party.chain(places), cost)], ready));
    }
    let keys = bmr::Keys::exchange(protocol, mesh, id, places, entropy)?.worker();
    let ready = mesh.now();
    let how = (protocol, job.opening.unwrap_or(protocol.opening()));
    let mut party = bmr::worker(how, mesh, places, keys, id)?;
    party.set_label_function(job.label_function.unwrap_or_default());
    Ok((vec![chained(prepared, BmrChain::new(party, places)?, cost)], ready))
}

fn chained<'s>(
    prepared: &Prepared,
    chain: impl Chain + Send + 's,
    cost: Arc<Mutex<ChainCost>>,
) -> Worker<'s> {
    let (protocol, most) = (prepared.job.protocol, prepared.job.most_ands());
    Box::new(InBlocks::new(protocol, most, Chained::new(chain, cost)))
}
