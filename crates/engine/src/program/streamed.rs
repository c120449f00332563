//! Parties of programs that are garbled as they run: gate by gate, or circuit by circuit.

use super::compiled::CompiledProgram;
use super::parties::Worker;
use crate::circuit::EvaluateError;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tacit_backend::InBlocks;
use tacit_garbling::blocks::{ChainCost, Chained};
use tacit_garbling::{Garbler, Parties, Streaming, Terms, garbler};
use tacit_net::{Phase, Session};
use tacit_ring::Entropy;

/// Workers, and when they had their keys.
type Workers<'s> = Result<(Vec<Worker<'s>>, Duration), EvaluateError>;

/// Workers under fresh keys: one for each thread where they garble gate by gate, and a single one where they do circuit by
/// circuit, which adds up in `cost` what those cost.
pub(super) fn streaming<'s>(
    session: &'s mut Session,
    prepared: &CompiledProgram,
    id: &[u8],
    cost: Option<&Arc<Mutex<ChainCost>>>,
    entropy: &mut Entropy,
) -> Workers<'s> {
    let job = &prepared.job;
    let workers = if cost.is_some() { 1 } else { session.meshes.len() };
    let terms = Terms { workers, ..job.options.terms() };
    let parties = Parties { terms, places: job.places(), session: id };
    let wrong = || EvaluateError::Bug(format!("{} does not garble as it runs", job.protocol()));
    let garbler: &dyn Garbler = garbler(job.protocol()).ok_or_else(wrong)?;
    let seats = garbler.exchange(&mut session.meshes[0], parties, entropy)?;
    let ready = session.meshes[0].now();
    let seated = session.meshes.iter_mut().zip(seats).map(|(mesh, seat)| {
        let party = seat(mesh, parties)?.streaming(job.places())?;
        Ok(match (party, cost) {
            (Streaming::ByGates(mut party), None) => {
                party.bits.mesh().set_phase(Phase::Online);
                party as Worker<'s>
            }
            (Streaming::ByCircuits(chain), Some(cost)) => {
                let chained = Chained::new(chain, cost.clone());
                Box::new(InBlocks::new(job.protocol(), job.most_ands(), chained))
            }
            _ => return Err(wrong()),
        })
    });
    Ok((seated.collect::<Result<_, _>>()?, ready))
}
