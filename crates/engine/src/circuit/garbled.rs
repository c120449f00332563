//! Workers of protocols that garble: chunks of instances, each garbled and then evaluated.
//!
//! Garbling takes five rounds and evaluation two, for a whole chunk. What is kept of a chunk is bounded,
//! unless all preprocessing is to come first.

use super::compile::{Compiled, Seating};
use super::evaluate::Done;
use super::opening::Opened;
use super::worker::Computed;
use super::{Assignment, EvaluateError, Preprocessing};
use crate::values::Lanes;
use crate::workers::on_each;
use std::collections::VecDeque;
use std::ops::Range;
use tacit_circuit::schedule::Schedule;
use tacit_garbling::authenticated::{self, Authenticated};
use tacit_garbling::bmr::{self, Bmr};
use tacit_garbling::yao::{self, Yao};
use tacit_garbling::{Bits, Garbling, Ports};
use tacit_net::{PartyId, Session};
use tacit_ring::{Entropy, Z2};
use tacit_sharing::cost::Traffic;
use tacit_sharing::gmw::{Correlations, Delta, WorkerKeys};
use tacit_sharing::verify::Journal;
use tacit_sharing::{Protocol, RoleId, SharingError};

/// Garbled circuits, and what they are made from, per worker.
const CHUNK_BYTES: usize = 256 << 20;

/// ANDs of an instance, at most, where all parties send each other something for every one of them
/// before they take it: it has to be kept.
const MAX_ANDS: usize = 1 << 24;

/// Refuses circuits whose garbled form is too large to be kept.
pub(super) fn check_size(protocol: Protocol, schedule: &Schedule) -> Result<(), EvaluateError> {
    let ands: usize = (0..schedule.depth()).map(|l| schedule.products(l).len()).sum();
    let kept = matches!(protocol, Protocol::Bmr(_) | Protocol::Authenticated(_));
    match kept && ands >= MAX_ANDS {
        true => Err(EvaluateError::Job(format!(
            "the circuit has {ands} ANDs; {protocol} keeps a garbled circuit in memory and takes fewer \
             than {MAX_ANDS}: use gmw, or split the circuit"
        ))),
        false => Ok(()),
    }
}

/// Input and output ports as those protocols know them.
struct Shape {
    inputs: Vec<(RoleId, usize)>,
    outputs: Vec<Vec<RoleId>>,
}

impl Shape {
    fn of(seating: &Seating) -> Self {
        let inputs = seating.inputs.iter().map(|port| (port.owner, port.slots.len()));
        let outputs = seating.outputs.iter().map(|port| port.receivers.clone());
        Shape { inputs: inputs.collect(), outputs: outputs.collect() }
    }

    fn ports<'p>(&'p self, compiled: &'p Compiled) -> Ports<'p> {
        Ports { schedule: compiled.schedule(), inputs: &self.inputs, outputs: &self.outputs }
    }
}

/// Bytes between parties that a job sends.
pub(super) fn bytes(compiled: &Compiled) -> Traffic {
    let seating = &compiled.seatings[0];
    let places = &seating.assignment.places;
    let shape = Shape::of(seating);
    let ports = shape.ports(compiled);
    let instances = compiled.job().instances as u64;
    let all = match seating.assignment.protocol {
        Protocol::Yao => yao::bytes(ports) * instances,
        Protocol::Authenticated(_) => {
            let workers = 0..compiled.job().threads();
            workers.fold(Traffic::default(), |sum, worker| {
                let chunks = chunks(compiled, worker).map(|at| at.len());
                sum + authenticated::bytes(ports, places.len(), chunks)
            })
        }
        _ => bmr::bytes(ports, places.len()) * instances,
    };
    all.placed(places)
}

/// Rounds that a party waits for online.
pub(super) fn rounds(compiled: &Compiled, party: PartyId) -> u64 {
    let seating = &compiled.seatings[0];
    let Ok(me) = seating.assignment.role_of(party) else { return 0 };
    let used = || seating.inputs.iter().filter(|port| !port.slots.is_empty());
    let inputs = u64::from(used().count() > 0);
    let others_give = u64::from(used().any(|port| port.owner != me));
    let learns = |role| {
        let mut ports = seating.outputs.iter().filter(|port| !port.slots.is_empty());
        u64::from(ports.any(|port| port.receivers.contains(&role)))
    };
    match (seating.assignment.protocol, me) {
        // What role 1 chooses, and what it has evaluated.
        (Protocol::Yao, 0) => others_give + learns(0),
        // Labels.
        (Protocol::Yao, _) => inputs,
        // Public values of inputs, what others heard of them, labels, sums of MACs.
        (Protocol::Authenticated(parties), 0) => others_give + u64::from(parties > 2) + inputs + 1,
        // The same but for labels; public values; masks of outputs from garblers and the evaluator.
        (Protocol::Authenticated(parties), me) => {
            let many = u64::from(parties > 2);
            others_give + many + 1 + learns(me) * (many + 1)
        }
        // Public values of inputs, and labels.
        _ => others_give + inputs,
    }
}

/// Exchanges what correlations are made of, and evaluates with every worker.
pub(super) fn compute(
    session: &mut Session,
    compiled: &Compiled,
    values: &[Option<Lanes>],
    id: &[u8],
    entropy: &mut Entropy,
    progress: &(dyn Fn(u64) + Sync),
) -> Result<Done, EvaluateError> {
    let Assignment { protocol, places, .. } = &compiled.seatings[0].assignment;
    let mesh = &mut session.meshes[0];
    let (delta, authenticates) = match protocol {
        Protocol::Authenticated(_) => (Delta::Authenticating, true),
        _ => (Delta::Common, false),
    };
    let mut all = Correlations::exchange(mesh, id, places, delta, entropy)?;
    let sid = match authenticates {
        true => authenticated::set_up(mesh, places, all.worker(), id)?,
        false => [0; 32],
    };
    let keys: Vec<WorkerKeys> = (0..compiled.job().threads()).map(|_| all.worker()).collect();
    let ready = session.meshes[0].now();
    let workers = keys.into_iter().enumerate();
    let computed = on_each(&mut session.meshes, workers, |mesh, (worker, keys)| {
        let task = Task { compiled, values, worker, progress };
        Ok(match protocol {
            Protocol::Yao => task.run(Yao::new(mesh, places, keys, id)?)?,
            Protocol::Authenticated(_) => {
                task.run(Authenticated::new(mesh, places, keys, &sid)?)?
            }
            _ => task.run(Bmr::new(mesh, places, keys, id)?)?,
        })
    })?;
    Ok((ready, computed))
}

/// One worker's part of a job.
struct Task<'a> {
    compiled: &'a Compiled,
    values: &'a [Option<Lanes>],
    worker: usize,
    progress: &'a (dyn Fn(u64) + Sync),
}

impl Task<'_> {
    fn run<G: Garbling>(&self, mut party: G) -> Result<Computed, SharingError> {
        let compiled = self.compiled;
        let at = compiled.share_of(self.worker);
        let seating = compiled.seating_of(self.worker);
        let mut opened = Opened::new(seating, party.role(), at);
        let shape = Shape::of(seating);
        let ports = shape.ports(compiled);
        let mut chunks = chunks(compiled, self.worker);
        let mut began = None;
        match compiled.job().preprocessing {
            Preprocessing::Interleaved => chunks.try_for_each(|at| {
                let ready = party.prepare(ports, at.len())?;
                self.evaluate(&mut party, ports, at, ready, &mut opened)
            })?,
            Preprocessing::Separate => {
                let prepare = |at: Range<usize>| Ok((party.prepare(ports, at.len())?, at));
                let all = chunks.map(prepare).collect::<Result<Vec<_>, SharingError>>()?;
                began = Some(party.mesh().now());
                for (ready, at) in all {
                    self.evaluate(&mut party, ports, at, ready, &mut opened)?;
                }
            }
        }
        party.mesh().flush()?;
        Ok(Computed { opened, kept: VecDeque::new(), journal: Journal::default(), began })
    }

    fn evaluate<G: Garbling>(
        &self,
        party: &mut G,
        ports: Ports<'_>,
        at: Range<usize>,
        ready: G::Garbled,
        opened: &mut Opened,
    ) -> Result<(), SharingError> {
        let seating = self.compiled.seating_of(self.worker);
        let role = party.role();
        let given: Vec<Bits> = at.clone().map(|i| given(seating, self.values, role, i)).collect();
        let learned = party.run(ports, ready, &given)?;
        for (instance, bits) in at.clone().zip(&learned) {
            put(seating, opened, role, instance, bits);
        }
        // Told in words of 64 instances.
        (self.progress)((at.end.div_ceil(64) - at.start.div_ceil(64)) as u64);
        Ok(())
    }
}

/// A worker's instances, in chunks that are prepared together.
fn chunks(compiled: &Compiled, worker: usize) -> impl Iterator<Item = Range<usize>> {
    let at = compiled.share_of(worker);
    let start = 64 * at.start;
    let end = (64 * at.end).min(compiled.job().instances).max(start);
    let size = chunk(compiled);
    (start..end).step_by(size).map(move |i| i..(i + size).min(end))
}

/// Instances of a chunk.
fn chunk(compiled: &Compiled) -> usize {
    let schedule = compiled.schedule();
    let ands: usize = (0..schedule.depth()).map(|l| schedule.products(l).len()).sum();
    let outputs: usize = schedule.outputs().iter().map(Vec::len).sum();
    let ports = schedule.inputs().len() + outputs;
    let protocol = compiled.job().protocol();
    let parties = protocol.parties();
    let blocks = match protocol {
        // Sharings of both inputs, the output, a triple and what opens it; of five leaky triples three
        // sharings each, and what they are made from; tables of garblers and at the evaluator.
        Protocol::Authenticated(_) => ands * (50 * parties + 3 * parties * parties),
        // Tables, columns under way, and what a wire is authenticated by.
        _ => ands * 16 * parties,
    };
    let bytes = 16 * (blocks + ports * 16 * parties) + 512;
    (CHUNK_BYTES / bytes).max(1)
}

/// This party's bits of an instance, port after port.
fn given(seating: &Seating, values: &[Option<Lanes>], role: RoleId, instance: usize) -> Bits {
    let mine = || seating.inputs.iter().zip(values).filter(|(port, _)| port.owner == role);
    let mut bits = Bits::zeros(mine().map(|(port, _)| port.slots.len()).sum());
    let all = mine().filter_map(|(_, lanes)| lanes.as_ref()).flat_map(Lanes::bits);
    for (i, words) in all.enumerate() {
        bits.flip_if(i, words[instance / 64] >> (instance % 64) & 1 == 1);
    }
    bits
}

/// Keeps what this party learned of an instance.
fn put(seating: &Seating, opened: &mut Opened, role: RoleId, instance: usize, bits: &Bits) {
    let mut next = 0;
    for (index, port) in seating.outputs.iter().enumerate() {
        if !port.receivers.contains(&role) {
            continue;
        }
        let count = port.slots.len();
        let values: Vec<Z2> = (next..next + count).map(|i| Z2(u64::from(bits.get(i)))).collect();
        opened.add_lane(index, instance, &values);
        next += count;
    }
}
