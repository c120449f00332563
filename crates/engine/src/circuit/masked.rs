//! Workers of protocols on masked values: chunks of lanes, each prepared and then run.
//!
//! Preprocessing needs two rounds for a whole chunk; online every level is a round. What is kept of a
//! chunk in between is bounded, unless all preprocessing is to come first.

use super::compile::{Compiled, Seating, Shape};
use super::opening::Opened;
use super::prepared::{decode, decoded, encode};
use super::task::{Computed, Done, Run};
use super::{EvaluateError, Preprocessing};
use crate::values::Lanes;
use crate::workers::on_each;
use std::ops::Range;
use tacit_gmw::{Correlations, Cut, Gmw, Ports, Ready, WorkerKeys};
use tacit_net::{Mesh, Session};
use tacit_ring::{Buffer, Entropy, Z2};
use tacit_sharing::SharingError;

/// Preprocessing of a chunk, per worker: some words for each product, and as much for ports.
const CHUNK_BYTES: usize = 128 << 20;

/// Exchanges what correlations are made of, and evaluates with every worker, or prepares for that.
pub(super) fn compute(
    session: &mut Session,
    run: Run<'_>,
    id: &[u8],
    entropy: &mut Entropy,
) -> Result<Done, EvaluateError> {
    let places = &run.compiled.seatings[0].assignment.places;
    let method = tacit_gmw::Method::of(run.compiled.job().protocol());
    let method = method.ok_or_else(|| EvaluateError::Bug("products of another protocol".into()))?;
    let mesh = &mut session.meshes[0];
    let mut all = Correlations::for_products(mesh, id, places, method, entropy)?;
    let keys: Vec<WorkerKeys> = (0..run.compiled.job().threads()).map(|_| all.worker()).collect();
    let ready = session.meshes[0].now();
    let computed = on_each(&mut session.meshes, keys.into_iter().enumerate(), |mesh, item| {
        Ok(work(mesh, run, item)?)
    })?;
    Ok((ready, computed))
}

/// Evaluates what was prepared in another session.
pub(super) fn resume(
    session: &mut Session,
    run: Run<'_>,
    stored: Vec<Buffer<u8>>,
) -> Result<Vec<Computed>, EvaluateError> {
    on_each(&mut session.meshes, stored.into_iter().enumerate(), |mesh, (worker, stored)| {
        let task = Task::new(run, worker);
        let all: Vec<(Range<usize>, Buffer<u8>)> = decode(&stored)?;
        if !all.iter().map(|(at, _)| at).eq(&task.chunks()) {
            return Err(EvaluateError::Job("preprocessing that was cut otherwise".into()));
        }
        let all = all.into_iter().map(|(at, bytes)| Ok((at, decoded(Ready::from_bytes(bytes))?)));
        let all = all.collect::<Result<Vec<_>, EvaluateError>>()?;
        let mut computed = task.nothing_yet(mesh)?;
        computed.began = Some(mesh.now());
        for (at, ready) in all {
            task.evaluate(mesh, &mut computed.opened, at, ready)?;
        }
        mesh.flush()?;
        Ok(computed)
    })
}

fn work(
    mesh: &mut Mesh,
    run: Run<'_>,
    (worker, keys): (usize, WorkerKeys),
) -> Result<Computed, SharingError> {
    let task = Task::new(run, worker);
    let mut party = Gmw::new(mesh, &task.seating.assignment.places, keys)?;
    let mut computed = task.nothing_yet(party.mesh())?;
    let prepare =
        |party: &mut Gmw<'_>, at: &Range<usize>| party.prepare(task.ports(), task.lanes(at));
    match run.compiled.job().options.preprocessing {
        Preprocessing::Interleaved => {
            for at in task.chunks() {
                let ready = prepare(&mut party, &at)?;
                task.evaluate(party.mesh(), &mut computed.opened, at, ready)?;
            }
        }
        Preprocessing::Separate => {
            let mut all = Vec::new();
            for at in task.chunks() {
                let ready = prepare(&mut party, &at)?;
                all.push((at, ready));
            }
            if run.phases.puts_off() {
                let kept = all.drain(..).map(|(at, ready)| Ok((at, ready.into_bytes()?)));
                let kept = kept.collect::<Result<Vec<_>, SharingError>>()?;
                computed.stored = encode(&kept)?;
            }
            computed.began = Some(party.mesh().now());
            for (at, ready) in all {
                task.evaluate(party.mesh(), &mut computed.opened, at, ready)?;
            }
        }
    }
    party.mesh().flush()?;
    Ok(computed)
}

/// One worker's part of a job.
struct Task<'a> {
    run: Run<'a>,
    seating: &'a Seating,
    at: Range<usize>,
    shape: Shape,
}

impl<'a> Task<'a> {
    fn new(run: Run<'a>, worker: usize) -> Self {
        let (seating, at) = (run.compiled.seating_of(worker), run.compiled.share_of(worker));
        Task { run, seating, at, shape: Shape::of(seating) }
    }

    fn nothing_yet(&self, mesh: &Mesh) -> Result<Computed, SharingError> {
        let role = self.seating.role(mesh.me())?;
        Ok(Computed::unchecked(Opened::new(self.seating, role, self.at.clone())))
    }

    fn ports(&self) -> Ports<'_> {
        let compiled = self.run.compiled;
        let cut = Cut { block: compiled.block_words, blocks: compiled.blocks };
        let Shape { inputs, outputs } = &self.shape;
        Ports { schedule: compiled.schedule(), inputs, outputs, cut }
    }

    /// Lanes of so many words: whole ones, or all instances where they do not fill one.
    fn lanes(&self, at: &Range<usize>) -> usize {
        match self.run.compiled.job().instances {
            instances @ 1..64 => instances,
            _ => 64 * at.len(),
        }
    }

    /// This worker's words, cut in chunks of whole blocks.
    fn chunks(&self) -> Vec<Range<usize>> {
        chunks(self.run.compiled, self.at.clone())
    }

    fn evaluate(
        &self,
        mesh: &mut Mesh,
        opened: &mut Opened,
        at: Range<usize>,
        ready: Ready,
    ) -> Result<(), SharingError> {
        let values = self.run.values.iter();
        let given: Vec<Option<Buffer<Z2>>> =
            values.map(|lanes| lanes.as_ref().map(|lanes| words(lanes, &at))).collect();
        let (places, lanes) = (&self.seating.assignment.places, self.lanes(&at));
        let learned = ready.run(mesh, places, (self.ports(), lanes), &given)?;
        for (port, words) in learned.iter().enumerate() {
            if let Some(words) = words {
                opened.put(port, &at, words);
            }
        }
        (self.run.progress)(at.len() as u64);
        Ok(())
    }
}

/// A worker's words, cut in chunks of whole blocks.
fn chunks(compiled: &Compiled, at: Range<usize>) -> Vec<Range<usize>> {
    let schedule = compiled.schedule();
    let outputs: usize = schedule.outputs().iter().map(Vec::len).sum();
    let protocol = compiled.job().protocol();
    let tape = tacit_gmw::Method::of(protocol)
        .map(|method| method.tape_words(schedule, 0..schedule.depth(), protocol.parties()));
    let tape: usize = tape.iter().flatten().sum();
    let bytes = 8 * (tape + 2 * (schedule.inputs().len() + outputs)).max(1);
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
