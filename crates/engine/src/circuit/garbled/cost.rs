//! What a circuit costs under a protocol that garbles, and the chunks of instances in which it is garbled.

use crate::circuit::EvaluateError;
use crate::circuit::compile::{Compiled, Shape};
use std::ops::Range;
use tacit_backend::cost::Traffic;
use tacit_garbling::Form;
use tacit_garbling::yao::streamed;
use tacit_garbling::{Garbler, Ports, authenticated, garbler};
use tacit_net::PartyId;
use tacit_sharing::Protocol;

/// Garbled circuits, and what they are made from, per worker.
const CHUNK_BYTES: usize = 256 << 20;

/// The ports of a circuit, as protocols that garble take them.
pub(in crate::circuit) fn ports<'p>(shape: &'p Shape, compiled: &'p Compiled) -> Ports<'p> {
    Ports {
        schedule: compiled.schedule(),
        inputs: &shape.inputs,
        outputs: &shape.outputs,
        guards: usize::from(!compiled.job().guard.is_empty()),
    }
}

/// How authenticated garbling garbles.
pub(in crate::circuit) fn form(protocol: Protocol) -> Result<Form, EvaluateError> {
    let form = garbler(protocol).and_then(|garbler| garbler.authenticated());
    form.ok_or_else(|| EvaluateError::Job(format!("not supported: triples for {protocol}")))
}

/// Bytes between parties that a job sends.
pub(in crate::circuit) fn bytes(garbler: &dyn Garbler, compiled: &Compiled) -> Traffic {
    let seating = &compiled.seatings[0];
    let protocol = seating.assignment.protocol;
    by_worker(compiled, |ports, chunks| match compiled.streams {
        true => streamed::bytes(protocol, ports, chunks.into_iter()),
        false => {
            let mut counter = garbler.counter(&compiled.job().options.terms());
            chunks.into_iter().for_each(|instances| counter.add(ports, instances));
            counter.bytes()
        }
    })
}

/// The sum of what workers send for chunks of so many instances each, between parties.
fn by_worker(compiled: &Compiled, bytes: impl Fn(Ports<'_>, Vec<usize>) -> Traffic) -> Traffic {
    let seating = &compiled.seatings[0];
    let shape = Shape::of(seating);
    let ports = ports(&shape, compiled);
    let of = |worker| bytes(ports, chunks(compiled, worker).map(|at| at.len()).collect());
    let all = (0..compiled.job().threads()).map(of);
    all.fold(Traffic::default(), |sum, worker| sum + worker).placed(&seating.assignment.places)
}

/// Bytes between parties for a job with stored triples.
pub(in crate::circuit) fn bytes_from_triples(compiled: &Compiled) -> Traffic {
    let protocol = compiled.job().protocol();
    // Nothing runs on triples under other protocols.
    let Ok(form) = form(protocol) else { return Traffic::default() };
    by_worker(compiled, |ports, chunks| {
        authenticated::bytes_with_stock(form, ports, protocol.parties(), chunks.into_iter())
    })
}

/// Triples, and bits of every party, that a worker needs at most.
pub(in crate::circuit) fn needs(compiled: &Compiled) -> [usize; 2] {
    let seating = &compiled.seatings[0];
    let parties = seating.assignment.places.len();
    let shape = Shape::of(seating);
    let ports = ports(&shape, compiled);
    let of = |worker: usize| {
        let chunks = chunks(compiled, worker);
        chunks.fold([0; 2], |[triples, bits], at| {
            let [more, more_bits] = authenticated::needs(ports, parties, at.len());
            [triples + more, bits + more_bits]
        })
    };
    let workers = (0..compiled.job().threads()).map(of);
    workers.fold([0; 2], |most, needs| [most[0].max(needs[0]), most[1].max(needs[1])])
}

/// Rounds that a party waits for online.
pub(in crate::circuit) fn rounds(
    garbler: &dyn Garbler,
    compiled: &Compiled,
    party: PartyId,
) -> u64 {
    let seating = &compiled.seatings[0];
    let Ok(me) = seating.assignment.role_of(party) else { return 0 };
    let shape = Shape::of(seating);
    let ports = ports(&shape, compiled);
    match compiled.streams {
        true => streamed::rounds(seating.assignment.protocol, ports, me),
        false => garbler.rounds(&compiled.job().options.terms(), ports, me),
    }
}

/// A worker's instances, in chunks that are prepared together.
pub(in crate::circuit) fn chunks(
    compiled: &Compiled,
    worker: usize,
) -> impl Iterator<Item = Range<usize>> + use<> {
    let at = compiled.share_of(worker);
    let start = 64 * at.start;
    let end = (64 * at.end).min(compiled.job().instances).max(start);
    let size = chunk(compiled);
    (start..end).step_by(size).map(move |i| i..(i + size).min(end))
}

/// Instances of a chunk.
pub(in crate::circuit) fn chunk(compiled: &Compiled) -> usize {
    (CHUNK_BYTES / instance_bytes(compiled).max(1)).max(1)
}

/// Bytes that a party keeps of an instance while it is garbled.
pub(in crate::circuit) fn instance_bytes(compiled: &Compiled) -> usize {
    let schedule = compiled.schedule();
    let ands = compiled.products();
    let outputs: usize = schedule.outputs().iter().map(Vec::len).sum();
    let ports = schedule.inputs().len() + outputs;
    if compiled.streams {
        // Labels of inputs, and their messages; no tables.
        return 64 * ports;
    }
    let (protocol, terms) = (compiled.job().protocol(), compiled.job().options.terms());
    let parties = protocol.parties();
    let blocks = ands * garbler(protocol).map_or(0, |garbler| garbler.kept(&terms).blocks);
    // Two buffers of 16 kB at least are kept of each.
    16 * (blocks + ports * 16 * parties) + (2 << 14)
}
