//! Workers of protocols on masked values: chunks of lanes, each prepared and then run.
//!
//! Preprocessing needs two rounds for a whole chunk; online every level is a round. What is kept of a
//! chunk in between is bounded, unless all preprocessing is to come first.

use super::compile::{Compiled, Shape};
use super::evaluate::Done;
use super::opening::Opened;
use super::worker::Computed;
use super::{EvaluateError, Preprocessing};
use crate::values::Lanes;
use crate::workers::on_each;
use std::collections::VecDeque;
use std::ops::Range;
use tacit_net::{Mesh, Session};
use tacit_ring::{Buffer, Entropy, Z2};
use tacit_sharing::SharingError;
use tacit_sharing::gmw::{Correlations, Cut, Delta, Gmw, Ports, WorkerKeys};
use tacit_sharing::verify::Journal;

/// Preprocessing of a chunk, per worker: two words for each product, and as much for ports.
const CHUNK_BYTES: usize = 128 << 20;

/// Exchanges what correlations are made of, and evaluates with every worker.
pub(super) fn compute(
    session: &mut Session,
    compiled: &Compiled,
    values: &[Option<Lanes>],
    id: &[u8],
    entropy: &mut Entropy,
    progress: &(dyn Fn(u64) + Sync),
) -> Result<Done, EvaluateError> {
    let places = &compiled.seatings[0].assignment.places;
    let mut all = Correlations::exchange(&mut session.meshes[0], id, places, Delta::Each, entropy)?;
    let keys: Vec<WorkerKeys> = (0..compiled.job().threads()).map(|_| all.worker()).collect();
    let ready = session.meshes[0].now();
    let computed = on_each(&mut session.meshes, keys.into_iter().enumerate(), |mesh, item| {
        Ok(work(mesh, compiled, values, item, progress)?)
    })?;
    Ok((ready, computed))
}

fn work(
    mesh: &mut Mesh,
    compiled: &Compiled,
    values: &[Option<Lanes>],
    (worker, keys): (usize, WorkerKeys),
    progress: &(dyn Fn(u64) + Sync),
) -> Result<Computed, SharingError> {
    let (seating, at) = (compiled.seating_of(worker), compiled.share_of(worker));
    let mut party = Gmw::new(mesh, &seating.assignment.places, keys)?;
    let mut opened = Opened::new(seating, party.role(), at.clone());
    let shape = Shape::of(seating);
    let schedule = compiled.schedule();
    let cut = Cut { block: compiled.block_words, blocks: compiled.blocks };
    let ports = Ports { schedule, inputs: &shape.inputs, outputs: &shape.outputs, cut };
    let chunks = chunks(compiled, at);
    let mut run = |party: &mut Gmw<'_>, at: Range<usize>, ready| {
        let given: Vec<Option<Buffer<Z2>>> =
            values.iter().map(|lanes| lanes.as_ref().map(|lanes| words(lanes, &at))).collect();
        let learned = party.run(ports, ready, &given)?;
        for (port, words) in learned.iter().enumerate() {
            if let Some(words) = words {
                opened.put(port, &at, words);
            }
        }
        progress(at.len() as u64);
        Ok::<(), SharingError>(())
    };
    let mut began = None;
    match compiled.job().preprocessing {
        Preprocessing::Interleaved => {
            for at in chunks {
                let ready = party.prepare(ports, at.len() * 64)?;
                run(&mut party, at, ready)?;
            }
        }
        Preprocessing::Separate => {
            let mut all = Vec::new();
            for at in chunks {
                let ready = party.prepare(ports, at.len() * 64)?;
                all.push((at, ready));
            }
            began = Some(party.mesh().now());
            for (at, ready) in all {
                run(&mut party, at, ready)?;
            }
        }
    }
    party.mesh().flush()?;
    Ok(Computed { opened, kept: VecDeque::new(), journal: Journal::default(), began })
}

/// A worker's words, cut in chunks of whole blocks.
fn chunks(compiled: &Compiled, at: Range<usize>) -> Vec<Range<usize>> {
    let schedule = compiled.schedule();
    let products: usize = (0..schedule.depth()).map(|l| schedule.products(l).len()).sum();
    let outputs: usize = schedule.outputs().iter().map(Vec::len).sum();
    let bytes = 16 * (products + schedule.inputs().len() + outputs).max(1);
    let block = compiled.block_words.max(1);
    let words = (CHUNK_BYTES / bytes).max(1).next_multiple_of(block);
    at.clone().step_by(words).map(|start| start..(start + words).min(at.end)).collect()
}

/// The values of a port on the words `at`, one run of words per bit.
fn words(lanes: &Lanes, at: &Range<usize>) -> Buffer<Z2> {
    let mut all = Buffer::zeros(lanes.width() as usize * at.len());
    for (to, bit) in all.chunks_exact_mut(at.len().max(1)).zip(lanes.bits()) {
        to.iter_mut().zip(&bit[at.clone()]).for_each(|(to, word)| *to = Z2(*word));
    }
    all
}
