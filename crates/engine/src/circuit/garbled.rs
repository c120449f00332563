//! Workers of protocols that garble: chunks of instances, each garbled and then evaluated.
//!
//! Garbling takes five rounds and evaluation two, for a whole chunk. What is kept of a chunk is bounded,
//! unless all preprocessing is to come first.

use super::compile::{Compiled, Seating};
use super::evaluate::Done;
use super::opening::Opened;
use super::worker::Computed;
use super::{EvaluateError, Preprocessing};
use crate::values::Lanes;
use crate::workers::on_each;
use std::collections::VecDeque;
use std::ops::Range;
use tacit_garbling::bmr::{self, Bits, Bmr, Garbled, Ports};
use tacit_net::{Mesh, Session};
use tacit_ring::{Entropy, Z2};
use tacit_sharing::cost::Traffic;
use tacit_sharing::gmw::{Correlations, Delta, WorkerKeys};
use tacit_sharing::verify::Journal;
use tacit_sharing::{RoleId, SharingError};

/// Garbled circuits, and what they are made from, per worker.
const CHUNK_BYTES: usize = 256 << 20;

/// Input and output ports as BMR knows them.
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
    let each = bmr::bytes(shape.ports(compiled), places.len()).placed(places);
    each * compiled.job().instances as u64
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
    let places = &compiled.seatings[0].assignment.places;
    let mesh = &mut session.meshes[0];
    let mut all = Correlations::exchange(mesh, id, places, Delta::Common, entropy)?;
    let keys: Vec<WorkerKeys> = session.meshes.iter().map(|_| all.worker()).collect();
    let ready = session.meshes[0].now();
    let computed = on_each(&mut session.meshes, keys.into_iter().enumerate(), |mesh, item| {
        Ok(work(mesh, compiled, values, id, item, progress)?)
    })?;
    Ok((ready, computed))
}

fn work(
    mesh: &mut Mesh,
    compiled: &Compiled,
    values: &[Option<Lanes>],
    id: &[u8],
    (worker, keys): (usize, WorkerKeys),
    progress: &(dyn Fn(u64) + Sync),
) -> Result<Computed, SharingError> {
    let (seating, at) = (compiled.seating_of(worker), compiled.share_of(worker));
    let mut party = Bmr::new(mesh, &seating.assignment.places, keys, id)?;
    let mut opened = Opened::new(seating, party.role(), at.clone());
    let shape = Shape::of(seating);
    let ports = shape.ports(compiled);
    let end = (64 * at.end).min(compiled.job().instances);
    let size = chunk(compiled, seating.assignment.places.len());
    let instances = 64 * at.start..end.max(64 * at.start);
    let chunks = instances.clone().step_by(size).map(|i| i..(i + size).min(instances.end));
    let mut run = |party: &mut Bmr<'_>, at: Range<usize>, ready: Vec<Garbled>| {
        let given: Vec<Bits> =
            at.clone().map(|i| given(seating, values, party.role(), i)).collect();
        let learned = party.run(ports, ready, &given)?;
        for (instance, bits) in at.clone().zip(&learned) {
            put(seating, &mut opened, party.role(), instance, bits);
        }
        // Told in words of 64 instances.
        progress((at.end.div_ceil(64) - at.start.div_ceil(64)) as u64);
        Ok::<(), SharingError>(())
    };
    let mut began = None;
    match compiled.job().preprocessing {
        Preprocessing::Interleaved => {
            for at in chunks {
                let ready = party.prepare(ports, at.len())?;
                run(&mut party, at, ready)?;
            }
        }
        Preprocessing::Separate => {
            let mut all = Vec::new();
            for at in chunks {
                let ready = party.prepare(ports, at.len())?;
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

/// Instances of a chunk.
fn chunk(compiled: &Compiled, parties: usize) -> usize {
    let wires = bmr::products(compiled.schedule()) + compiled.schedule().inputs().len();
    // Tables, columns under way, and what a wire is authenticated by.
    let bytes = wires * 16 * (4 * parties + 8 * parties + 4 * parties);
    (CHUNK_BYTES / bytes.max(1)).max(1)
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
