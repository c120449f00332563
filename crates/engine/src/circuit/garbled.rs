//! Workers of protocols that garble: chunks of instances, each garbled and then evaluated.
//!
//! What is kept of a chunk is bounded, unless all preprocessing is to come first. Where parties may deviate
//! nothing opens before all chunks of all workers have passed this party's checks: until then what opens
//! their outputs is kept.

use super::compile::{Compiled, Seating, Shape};
use super::evaluate::{Done, Run};
use super::opening::Opened;
use super::prepared::{decode, decoded, encode};
use super::triples::Give;
use super::worker::Computed;
use super::{Assignment, EvaluateError, Job, Preprocessing};
use crate::gate::pass;
use crate::values::Lanes;
use crate::workers::on_each;
use std::ops::Range;
use tacit_backend::Boolean;
use tacit_backend::cost::Traffic;
use tacit_circuit::schedule::Schedule;
use tacit_garbling::Form;
use tacit_garbling::authenticated::{self, Authenticated, Piece, Stock, Unopened};
use tacit_garbling::yao::streamed::{self, Streamed};
use tacit_garbling::{AnyReady, AnyWorker, Bits, Evaluated, Garbler, Streaming};
use tacit_garbling::{Parties, Ports, Terms, garbler};
use tacit_net::{Mesh, PartyId, Phase, Session};
use tacit_ring::{Buffer, Entropy, Z2};
use tacit_sharing::{Protocol, RoleId, SharingError};

/// Garbled circuits, and what they are made from, per worker.
const CHUNK_BYTES: usize = 256 << 20;

/// ANDs of a circuit.
pub(super) fn ands(schedule: &Schedule) -> usize {
    (0..schedule.depth()).map(|level| schedule.products(level).len()).sum()
}

/// How a protocol that garbles does.
pub(super) fn garbler_of(protocol: Protocol) -> Result<&'static dyn Garbler, EvaluateError> {
    garbler(protocol).ok_or_else(|| EvaluateError::Bug(format!("{protocol} does not garble")))
}

/// What the parties of a job have agreed on.
pub(super) fn terms(job: &Job) -> Terms {
    let label_function = job.label_function.unwrap_or_default();
    let (opening, workers) = (job.opening(), job.threads());
    Terms { parties: job.protocol().parties(), opening, label_function, workers }
}

/// Refuses circuits whose garbled form is too large to be kept.
pub(super) fn check_size(job: &Job, schedule: &Schedule) -> Result<(), EvaluateError> {
    let (ands, protocol) = (ands(schedule), job.protocol());
    let most = garbler(protocol).and_then(|garbler| garbler.kept(&terms(job)).most_ands);
    match most.filter(|most| ands >= *most) {
        Some(most) => Err(EvaluateError::Job(format!(
            "the circuit has {ands} ANDs; {protocol} keeps a garbled circuit in memory and takes fewer \
             than {most}: use gmw, or split the circuit"
        ))),
        None => Ok(()),
    }
}

fn ports<'p>(shape: &'p Shape, compiled: &'p Compiled) -> Ports<'p> {
    Ports {
        schedule: compiled.schedule(),
        inputs: &shape.inputs,
        outputs: &shape.outputs,
        guards: usize::from(!compiled.job().guard.is_empty()),
    }
}

/// How authenticated garbling garbles.
fn form(protocol: Protocol) -> Result<Form, EvaluateError> {
    let form = garbler(protocol).and_then(|garbler| garbler.authenticated());
    form.ok_or_else(|| EvaluateError::Job(format!("not supported: triples for {protocol}")))
}

/// Bytes between parties that a job sends.
pub(super) fn bytes(garbler: &dyn Garbler, compiled: &Compiled) -> Traffic {
    let seating = &compiled.seatings[0];
    let protocol = seating.assignment.protocol;
    by_worker(compiled, |ports, chunks| match compiled.streams {
        true => streamed::bytes(protocol, ports, chunks.into_iter()),
        false => {
            let mut counter = garbler.counter(&terms(compiled.job()));
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
pub(super) fn bytes_from_triples(compiled: &Compiled) -> Traffic {
    let protocol = compiled.job().protocol();
    // Nothing runs on triples under other protocols.
    let Ok(form) = form(protocol) else { return Traffic::default() };
    by_worker(compiled, |ports, chunks| {
        authenticated::bytes_with_stock(form, ports, protocol.parties(), chunks.into_iter())
    })
}

/// Triples, and bits of every party, that a worker needs at most.
pub(super) fn needs(compiled: &Compiled) -> [usize; 2] {
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

/// Garbles with stored triples.
pub(super) fn from_triples(
    session: &mut Session,
    run: Run<'_>,
    give: Give<'_>,
) -> Result<Vec<Computed>, EvaluateError> {
    on_each(&mut session.meshes, 0..run.compiled.job().threads(), |mesh, worker| {
        let stock = give(worker)?;
        let missing = || EvaluateError::Job("triples for other threads".into());
        let stock = decoded(Stock::from_bytes(stock.ok_or_else(missing)?))?;
        let pieces = Box::new(move || {
            let piece = give(worker).map_err(|error| SharingError::System(error.to_string()))?;
            piece.map(Piece::from_bytes).transpose()
        });
        let task = Task { run, worker };
        let Assignment { places, protocol, .. } = &task.seating().assignment;
        let party = Authenticated::with_stock(mesh, places, stock, pieces)?;
        let (computed, _) = task.run(&mut party.in_form(form(*protocol)?))?;
        Ok(computed)
    })
}

/// Rounds that a party waits for online.
pub(super) fn rounds(garbler: &dyn Garbler, compiled: &Compiled, party: PartyId) -> u64 {
    let seating = &compiled.seatings[0];
    let Ok(me) = seating.assignment.role_of(party) else { return 0 };
    let shape = Shape::of(seating);
    let ports = ports(&shape, compiled);
    match compiled.streams {
        true => streamed::rounds(seating.assignment.protocol, ports, me),
        false => garbler.rounds(&terms(compiled.job()), ports, me),
    }
}

/// Exchanges keys, and evaluates with every worker, or prepares for that.
pub(super) fn compute(
    session: &mut Session,
    run: Run<'_>,
    id: &[u8],
    entropy: &mut Entropy,
) -> Result<Done, EvaluateError> {
    let Assignment { protocol, places, .. } = &run.compiled.seatings[0].assignment;
    let parties = Parties { terms: terms(run.compiled.job()), places, session: id };
    let seats = garbler_of(*protocol)?.exchange(&mut session.meshes[0], parties, entropy)?;
    let ready = session.meshes[0].now();
    let workers = seats.into_iter().enumerate();
    let computed = on_each(&mut session.meshes, workers, |mesh, (worker, seat)| {
        let (task, mut party) = (Task { run, worker }, seat(mesh, parties)?);
        if !run.compiled.streams {
            return task.run(&mut *party);
        }
        match party.streaming(places)? {
            Streaming::ByGates(party) => Ok((task.stream(*party)?, Vec::new())),
            Streaming::ByCircuits(_) | Streaming::Never => {
                Err(EvaluateError::Bug(format!("{protocol} does not garble gate by gate")))
            }
        }
    })?;
    Ok((ready, open(session, run, computed)?))
}

/// Evaluates what was prepared in another session.
pub(super) fn resume(
    session: &mut Session,
    run: Run<'_>,
    stored: Vec<Buffer<u8>>,
) -> Result<Vec<Computed>, EvaluateError> {
    let garbler = garbler_of(run.compiled.job().protocol())?;
    let workers = stored.into_iter().enumerate();
    let computed = on_each(&mut session.meshes, workers, |mesh, (worker, stored)| {
        Task { run, worker }.resume(mesh, garbler, &stored)
    })?;
    open(session, run, computed)
}

/// What a worker has evaluated, and what of it is still to be opened.
type Worked = (Computed, Vec<(Range<usize>, Unopened)>);

/// Opens what all workers have evaluated: all of it has passed this party's checks. What opens first is looked at
/// before any worker opens the rest.
fn open(
    session: &mut Session,
    run: Run<'_>,
    parts: Vec<Worked>,
) -> Result<Vec<Computed>, EvaluateError> {
    let parts = match run.compiled.job().guard.is_empty() {
        true => parts,
        false => open_first(session, run, parts)?,
    };
    let parts = parts.into_iter().enumerate();
    on_each(&mut session.meshes, parts, |mesh, (worker, (mut computed, unopened))| {
        Task { run, worker }.open(mesh, &mut computed.opened, unopened)?;
        Ok(computed)
    })
}

/// Opens what opens first, and ends the run unless all of it is zero.
fn open_first(
    session: &mut Session,
    run: Run<'_>,
    parts: Vec<Worked>,
) -> Result<Vec<Worked>, EvaluateError> {
    let parts = parts.into_iter().enumerate();
    let parts = on_each(&mut session.meshes, parts, |mesh, (worker, (computed, unopened))| {
        let (chunks, mut outputs): (Vec<_>, Vec<_>) = unopened.into_iter().unzip();
        let places = &Task { run, worker }.seating().assignment.places;
        let opened = match outputs.is_empty() {
            true => Vec::new(),
            false => authenticated::open_first(mesh, places, &mut outputs)?,
        };
        Ok((opened, (computed, chunks.into_iter().zip(outputs).collect())))
    })?;
    for bits in parts.iter().flat_map(|(opened, _)| opened.iter().flatten()) {
        run.compiled.job().guard.check((0..bits.len).map(|i| bits.get(i)))?;
    }
    Ok(parts.into_iter().map(|(_, part)| part).collect())
}

/// One worker's part of a job.
struct Task<'a> {
    run: Run<'a>,
    worker: usize,
}

impl<'a> Task<'a> {
    fn seating(&self) -> &'a Seating {
        self.run.compiled.seating_of(self.worker)
    }

    fn nothing_yet(&self, mesh: &Mesh) -> Result<Computed, SharingError> {
        let (seating, at) = (self.seating(), self.run.compiled.share_of(self.worker));
        Ok(Computed::unchecked(Opened::new(seating, seating.role(mesh.me())?, at)))
    }

    fn chunks(&self) -> impl Iterator<Item = Range<usize>> + use<> {
        chunks(self.run.compiled, self.worker)
    }

    /// Garbles or evaluates gate by gate, and keeps what this party learns.
    fn stream(&self, party: Boolean<Streamed<'_>>) -> Result<Computed, EvaluateError> {
        let shape = Shape::of(self.seating());
        let ports = ports(&shape, self.run.compiled);
        let mut party = party.bits;
        let mut computed = self.nothing_yet(party.mesh())?;
        self.pass(party.mesh())?;
        party.mesh().set_phase(Phase::Online);
        for at in self.chunks() {
            let given = self.given(party.mesh(), &at)?;
            let learned = party.evaluate(ports, &given)?;
            self.tell(&at);
            self.put(&mut computed.opened, at, learned);
        }
        party.mesh().flush()?;
        Ok(computed)
    }

    /// Passes the gate of the run, if it has one: what comes next shows results.
    fn pass(&self, mesh: &mut Mesh) -> Result<(), EvaluateError> {
        if self.run.door.is_some() && !self.run.phases.puts_off() {
            mesh.flush()?;
            pass(self.run.door)?;
        }
        Ok(())
    }

    /// This party's bits of instances.
    fn given(&self, mesh: &Mesh, at: &Range<usize>) -> Result<Vec<Bits>, SharingError> {
        let (seating, values) = (self.seating(), self.run.values);
        let role = seating.role(mesh.me())?;
        Ok(at.clone().map(|i| given(seating, values, role, i)).collect())
    }

    /// Tells how far it is, in words of 64 instances.
    fn tell(&self, at: &Range<usize>) {
        (self.run.progress)((at.end.div_ceil(64) - at.start.div_ceil(64)) as u64);
    }

    /// Prepares and evaluates.
    fn run<'m>(&self, party: &mut (dyn AnyWorker<'m> + 'm)) -> Result<Worked, EvaluateError> {
        let shape = Shape::of(self.seating());
        let ports = ports(&shape, self.run.compiled);
        let mut chunks = self.chunks();
        let mut worked = (self.nothing_yet(party.mesh())?, Vec::new());
        match self.run.compiled.job().preprocessing {
            Preprocessing::Interleaved => chunks.try_for_each(|at| {
                let ready = party.prepare(ports, at.len())?;
                self.pass(party.mesh())?;
                self.evaluate(party.mesh(), ports, (at, ready), &mut worked)
            })?,
            Preprocessing::Separate => {
                let prepare = |at: Range<usize>| Ok((at.clone(), party.prepare(ports, at.len())?));
                let mut all = chunks.map(prepare).collect::<Result<Vec<_>, SharingError>>()?;
                if self.run.phases.puts_off() {
                    let kept = all.drain(..).map(|(at, ready)| Ok((at, ready.into_bytes()?)));
                    let kept = kept.collect::<Result<Vec<_>, SharingError>>()?;
                    worked.0.stored = encode(&kept)?;
                }
                worked.0.began = Some(party.mesh().now());
                for chunk in all {
                    self.pass(party.mesh())?;
                    self.evaluate(party.mesh(), ports, chunk, &mut worked)?;
                }
            }
        }
        party.mesh().flush()?;
        Ok(worked)
    }

    /// Evaluates what was prepared in another session.
    fn resume(
        &self,
        mesh: &mut Mesh,
        garbler: &dyn Garbler,
        stored: &[u8],
    ) -> Result<Worked, EvaluateError> {
        let all: Vec<(Range<usize>, Buffer<u8>)> = decode(stored)?;
        if !all.iter().map(|(at, _)| at.clone()).eq(self.chunks()) {
            return Err(EvaluateError::Job("preprocessing that was cut otherwise".into()));
        }
        let all = all.into_iter().map(|(at, bytes)| Ok((at, decoded(garbler.ready(bytes))?)));
        let all = all.collect::<Result<Vec<_>, EvaluateError>>()?;
        let shape = Shape::of(self.seating());
        let ports = ports(&shape, self.run.compiled);
        let mut worked = (self.nothing_yet(mesh)?, Vec::new());
        worked.0.began = Some(mesh.now());
        for chunk in all {
            self.pass(mesh)?;
            self.evaluate(mesh, ports, chunk, &mut worked)?;
        }
        mesh.flush()?;
        Ok(worked)
    }

    /// Evaluates a chunk, and keeps what this party learns or what is still to be opened.
    fn evaluate(
        &self,
        mesh: &mut Mesh,
        ports: Ports<'_>,
        (at, ready): (Range<usize>, Box<dyn AnyReady>),
        (computed, unopened): &mut Worked,
    ) -> Result<(), EvaluateError> {
        let given = self.given(mesh, &at)?;
        let done = ready.run(mesh, &self.seating().assignment.places, ports, &given)?;
        self.tell(&at);
        match done {
            Evaluated::Learned(bits) => self.put(&mut computed.opened, at, bits),
            Evaluated::Unopened(outputs) => unopened.push((at, *outputs)),
        }
        Ok(())
    }

    /// Opens what this worker has evaluated.
    fn open(
        &self,
        mesh: &mut Mesh,
        opened: &mut Opened,
        unopened: Vec<(Range<usize>, Unopened)>,
    ) -> Result<(), SharingError> {
        if unopened.is_empty() {
            return Ok(());
        }
        let places = &self.seating().assignment.places;
        let (chunks, outputs): (Vec<_>, Vec<_>) = unopened.into_iter().unzip();
        for (at, bits) in chunks.into_iter().zip(authenticated::open(mesh, places, outputs)?) {
            self.put(opened, at, bits);
        }
        Ok(())
    }

    /// Keeps what this party learned of instances.
    fn put(&self, opened: &mut Opened, at: Range<usize>, learned: Vec<Bits>) {
        for (instance, bits) in at.zip(&learned) {
            put(self.seating(), opened, instance, bits);
        }
    }
}

/// A worker's instances, in chunks that are prepared together.
fn chunks(compiled: &Compiled, worker: usize) -> impl Iterator<Item = Range<usize>> + use<> {
    let at = compiled.share_of(worker);
    let start = 64 * at.start;
    let end = (64 * at.end).min(compiled.job().instances).max(start);
    let size = chunk(compiled);
    (start..end).step_by(size).map(move |i| i..(i + size).min(end))
}

/// Instances of a chunk.
pub(super) fn chunk(compiled: &Compiled) -> usize {
    (CHUNK_BYTES / instance_bytes(compiled).max(1)).max(1)
}

/// Bytes that a party keeps of an instance while it is garbled.
pub(super) fn instance_bytes(compiled: &Compiled) -> usize {
    let schedule = compiled.schedule();
    let ands = ands(schedule);
    let outputs: usize = schedule.outputs().iter().map(Vec::len).sum();
    let ports = schedule.inputs().len() + outputs;
    if compiled.streams {
        // Labels of inputs, and their messages; no tables.
        return 64 * ports;
    }
    let (protocol, terms) = (compiled.job().protocol(), terms(compiled.job()));
    let parties = protocol.parties();
    let blocks = ands * garbler(protocol).map_or(0, |garbler| garbler.kept(&terms).blocks);
    // Two buffers of 16 kB at least are kept of each.
    16 * (blocks + ports * 16 * parties) + (2 << 14)
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
fn put(seating: &Seating, opened: &mut Opened, instance: usize, bits: &Bits) {
    let mut next = 0;
    for (index, port) in seating.outputs.iter().enumerate() {
        if opened.ports[index].is_none() {
            continue;
        }
        let count = port.slots.len();
        let values: Vec<Z2> = (next..next + count).map(|i| Z2(u64::from(bits.get(i)))).collect();
        opened.add_lane(index, instance, &values);
        next += count;
    }
}
