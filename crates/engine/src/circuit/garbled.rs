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
use super::{Assignment, EvaluateError, Preprocessing};
use crate::values::Lanes;
use crate::workers::on_each;
use std::ops::Range;
use tacit_circuit::schedule::Schedule;
use tacit_garbling::authenticated::{self, Authenticated, Form, Piece, Sizes, Stock, Unopened};
use tacit_garbling::bmr;
use tacit_garbling::yao::streamed::{self, Streamed};
use tacit_garbling::yao::three::{self, ThreeKeys, YaoThree};
use tacit_garbling::yao::{self, Yao};
use tacit_garbling::{Bits, Evaluate, Garbling, Ports};
use tacit_net::{Mesh, PartyId, Phase, Session};
use tacit_ring::{Buffer, Entropy, Z2};
use tacit_sharing::backend::Boolean;
use tacit_sharing::bmr::Opening;
use tacit_sharing::cost::Traffic;
use tacit_sharing::gmw::{Correlations, Delta, WorkerKeys};
use tacit_sharing::{Protocol, RoleId, SharingError};

/// Garbled circuits, and what they are made from, per worker.
const CHUNK_BYTES: usize = 256 << 20;

/// ANDs of an instance, at most, where all parties send each other something for every one of them
/// before they take it: it has to be kept.
const MAX_ANDS: usize = 1 << 24;

/// ANDs of a circuit.
pub(super) fn ands(schedule: &Schedule) -> usize {
    (0..schedule.depth()).map(|level| schedule.products(level).len()).sum()
}

/// Refuses circuits whose garbled form is too large to be kept.
pub(super) fn check_size(protocol: Protocol, schedule: &Schedule) -> Result<(), EvaluateError> {
    let ands = ands(schedule);
    let kept = protocol.opens_tables() || protocol.authenticates();
    let most = match protocol {
        // From every party four blocks for every party.
        Protocol::BmrBlocks(_, parties) => MAX_ANDS / usize::from(parties),
        _ => MAX_ANDS,
    };
    match kept && ands >= most {
        true => Err(EvaluateError::Job(format!(
            "the circuit has {ands} ANDs; {protocol} keeps a garbled circuit in memory and takes fewer \
             than {most}: use gmw, or split the circuit"
        ))),
        false => Ok(()),
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
fn form(protocol: Protocol) -> Form {
    match protocol {
        Protocol::Wrk17(_) => Form::FourRows,
        _ => Form::HalfGates,
    }
}

/// Bytes between parties that a job sends.
pub(super) fn bytes(compiled: &Compiled) -> Traffic {
    let seating = &compiled.seatings[0];
    let places = &seating.assignment.places;
    let shape = Shape::of(seating);
    let ports = ports(&shape, compiled);
    let (instances, opening) = (compiled.job().instances as u64, compiled.job().opening());
    let all = match seating.assignment.protocol {
        protocol if compiled.streams => {
            let workers = 0..compiled.job().threads();
            workers.fold(Traffic::default(), |sum, worker| {
                let chunks = chunks(compiled, worker).map(|at| at.len());
                sum + streamed::bytes(protocol, ports, chunks)
            })
        }
        Protocol::Yao => yao::bytes(ports) * instances,
        Protocol::YaoSilent => by_worker(compiled, |at| yao::silent_bytes(ports, at)),
        Protocol::YaoThree => three::bytes(ports) * instances,
        protocol if protocol.authenticates() => {
            let workers = 0..compiled.job().threads();
            workers.fold(Traffic::default(), |sum, worker| {
                let chunks = chunks(compiled, worker).map(|at| at.len());
                let parties = (places.len(), Sizes::of(compiled.job().threads()));
                sum + authenticated::bytes(form(protocol), ports, parties, chunks)
            })
        }
        protocol => match bmr::bytes_of(protocol, opening, ports) {
            Some(one) => one * instances,
            None => by_worker(compiled, |at| bmr::silent_bytes(ports, places.len(), opening, at)),
        },
    };
    all.placed(places)
}

/// The sum of what every worker sends for so many instances.
fn by_worker(compiled: &Compiled, bytes: impl Fn(usize) -> Traffic) -> Traffic {
    let workers = 0..compiled.job().threads();
    workers.fold(Traffic::default(), |sum, worker| {
        sum + bytes(chunks(compiled, worker).map(|at| at.len()).sum())
    })
}

/// Bytes between parties for a job with stored triples.
pub(super) fn bytes_from_triples(compiled: &Compiled) -> Traffic {
    let seating = &compiled.seatings[0];
    let places = &seating.assignment.places;
    let shape = Shape::of(seating);
    let (ports, form) = (ports(&shape, compiled), form(seating.assignment.protocol));
    let workers = 0..compiled.job().threads();
    let all = workers.fold(Traffic::default(), |sum, worker| {
        let chunks = chunks(compiled, worker).map(|at| at.len());
        sum + authenticated::bytes_with_stock(form, ports, places.len(), chunks)
    });
    all.placed(places)
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
        let party = party.in_form(form(*protocol));
        Ok(task.run(party, |_, _, _| {})?)
    })
}

/// Rounds that a party waits for online.
pub(super) fn rounds(compiled: &Compiled, party: PartyId) -> u64 {
    let seating = &compiled.seatings[0];
    let Ok(me) = seating.assignment.role_of(party) else { return 0 };
    let shape = Shape::of(seating);
    let ports = ports(&shape, compiled);
    if compiled.streams {
        return streamed::rounds(seating.assignment.protocol, ports, me);
    }
    tacit_garbling::rounds(seating.assignment.protocol, compiled.job().opening(), ports, me)
}

/// Exchanges what correlations are made of, and evaluates with every worker, or prepares for that.
pub(super) fn compute(
    session: &mut Session,
    run: Run<'_>,
    id: &[u8],
    entropy: &mut Entropy,
) -> Result<Done, EvaluateError> {
    let Assignment { protocol, places, .. } = &run.compiled.seatings[0].assignment;
    let (threads, opening) = (run.compiled.job().threads(), run.compiled.job().opening());
    let mesh = &mut session.meshes[0];
    let task = |worker| Task { run, worker };
    match protocol {
        _ if protocol.opens_tables() => {
            let mut all = bmr::Keys::exchange(*protocol, mesh, id, places, entropy)?;
            let keys = (0..threads).map(|_| all.worker()).collect();
            return on_workers(session, keys, |mesh, worker, keys| {
                let mut party = bmr::worker((*protocol, opening), mesh, places, keys, id)?;
                party.set_label_function(run.compiled.job().label_function.unwrap_or_default());
                task(worker).learn(party)
            });
        }
        Protocol::YaoThree => {
            let mut all = ThreeKeys::exchange(mesh, id, places, entropy)?;
            let keys = (0..threads).map(|_| all.worker()).collect();
            return on_workers(session, keys, |mesh, worker, keys| {
                let party = YaoThree::new(mesh, places, keys, id)?;
                match run.compiled.streams {
                    true => task(worker).stream(party.streamed()),
                    false => task(worker).learn(party),
                }
            });
        }
        _ => {}
    }
    let authenticates = protocol.authenticates();
    let delta = if authenticates { Delta::Authenticating } else { Delta::Common };
    let all = Correlations::exchange(mesh, id, places, delta, entropy)?;
    let mut all = if protocol.is_silent() { all.silent(id) } else { all };
    let sid = match authenticates {
        true => authenticated::set_up(mesh, places, all.worker(), id)?,
        false => [0; 32],
    };
    let keys: Vec<WorkerKeys> = (0..threads).map(|_| all.worker()).collect();
    let ready = session.meshes[0].now();
    let workers = keys.into_iter().enumerate();
    let computed = on_each(&mut session.meshes, workers, |mesh, (worker, keys)| {
        let (task, mut unopened) = (task(worker), Vec::new());
        let computed = match protocol {
            _ if run.compiled.streams => task.stream(Yao::new(mesh, places, keys, id)?.streamed()),
            protocol if protocol.is_yao() => task.learn(Yao::new(mesh, places, keys, id)?),
            _ => {
                let party = Authenticated::new(mesh, places, keys, &sid, Sizes::of(threads))?;
                let party = party.in_form(form(*protocol));
                task.run(party, |_, at, outputs| unopened.push((at, outputs)))
            }
        }?;
        Ok((computed, unopened))
    })?;
    Ok((ready, open(session, run, computed)?))
}

/// Evaluates what was prepared in another session.
pub(super) fn resume(
    session: &mut Session,
    run: Run<'_>,
    stored: Vec<Buffer<u8>>,
) -> Result<Vec<Computed>, EvaluateError> {
    let protocol = run.compiled.seatings[0].assignment.protocol;
    let workers = stored.into_iter().enumerate();
    let computed = on_each(&mut session.meshes, workers, |mesh, (worker, stored)| {
        let (task, mut unopened) = (Task { run, worker }, Vec::new());
        let computed = match protocol {
            protocol if protocol.is_yao() => task.resume::<yao::Ready>(mesh, &stored, Task::put),
            Protocol::YaoThree => task.resume::<three::Ready>(mesh, &stored, Task::put),
            protocol if protocol.authenticates() => {
                let keep = |_: &Task<'_>, _: &mut Opened, at, done| unopened.push((at, done));
                task.resume::<authenticated::Ready>(mesh, &stored, keep)
            }
            _ => task.resume::<bmr::Ready>(mesh, &stored, Task::put),
        }?;
        Ok((computed, unopened))
    })?;
    open(session, run, computed)
}

/// What a worker has evaluated, and what of it is still to be opened.
type Evaluated = (Computed, Vec<(Range<usize>, Unopened)>);

/// Opens what all workers have evaluated: all of it has passed this party's checks. What opens first is looked at
/// before any worker opens the rest.
fn open(
    session: &mut Session,
    run: Run<'_>,
    parts: Vec<Evaluated>,
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
    parts: Vec<Evaluated>,
) -> Result<Vec<Evaluated>, EvaluateError> {
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

/// Evaluates with every worker, where nothing is checked.
fn on_workers<K: Send>(
    session: &mut Session,
    keys: Vec<K>,
    work: impl Fn(&mut Mesh, usize, K) -> Result<Computed, SharingError> + Sync,
) -> Result<Done, EvaluateError> {
    let ready = session.meshes[0].now();
    let workers = keys.into_iter().enumerate();
    let work = |mesh: &mut Mesh, (worker, keys)| Ok(work(mesh, worker, keys)?);
    Ok((ready, on_each(&mut session.meshes, workers, work)?))
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

    /// Prepares and evaluates, and keeps what this party learns.
    fn learn<G>(&self, party: G) -> Result<Computed, SharingError>
    where
        G: Garbling<Ready: Evaluate<Done = Vec<Bits>>>,
    {
        self.run(party, |opened, at, bits| self.put(opened, at, bits))
    }

    /// Garbles or evaluates gate by gate, and keeps what this party learns.
    fn stream(&self, party: Boolean<Streamed<'_>>) -> Result<Computed, SharingError> {
        let shape = Shape::of(self.seating());
        let ports = ports(&shape, self.run.compiled);
        let mut party = party.bits;
        let mut computed = self.nothing_yet(party.mesh())?;
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

    /// Prepares and evaluates; `done` takes what comes of each chunk.
    fn run<G: Garbling>(
        &self,
        mut party: G,
        mut done: impl FnMut(&mut Opened, Range<usize>, <G::Ready as Evaluate>::Done),
    ) -> Result<Computed, SharingError> {
        let shape = Shape::of(self.seating());
        let ports = ports(&shape, self.run.compiled);
        let mut chunks = self.chunks();
        let mut computed = self.nothing_yet(party.mesh())?;
        match self.run.compiled.job().preprocessing {
            Preprocessing::Interleaved => chunks.try_for_each(|at| {
                let ready = party.prepare(ports, at.len())?;
                let result = self.evaluate(party.mesh(), ports, &at, ready)?;
                done(&mut computed.opened, at, result);
                Ok::<(), SharingError>(())
            })?,
            Preprocessing::Separate => {
                let prepare = |at: Range<usize>| Ok((at.clone(), party.prepare(ports, at.len())?));
                let mut all = chunks.map(prepare).collect::<Result<Vec<_>, SharingError>>()?;
                if self.run.phases.puts_off() {
                    let kept = all.drain(..).map(|(at, ready)| Ok((at, ready.into_bytes()?)));
                    let kept = kept.collect::<Result<Vec<_>, SharingError>>()?;
                    computed.stored = encode(&kept)?;
                }
                computed.began = Some(party.mesh().now());
                for (at, ready) in all {
                    let result = self.evaluate(party.mesh(), ports, &at, ready)?;
                    done(&mut computed.opened, at, result);
                }
            }
        }
        party.mesh().flush()?;
        Ok(computed)
    }

    /// Evaluates what was prepared in another session.
    fn resume<E: Evaluate>(
        &self,
        mesh: &mut Mesh,
        stored: &[u8],
        mut done: impl FnMut(&Self, &mut Opened, Range<usize>, E::Done),
    ) -> Result<Computed, EvaluateError> {
        let all: Vec<(Range<usize>, Buffer<u8>)> = decode(stored)?;
        if !all.iter().map(|(at, _)| at.clone()).eq(self.chunks()) {
            return Err(EvaluateError::Job("preprocessing that was cut otherwise".into()));
        }
        let all = all.into_iter().map(|(at, bytes)| Ok((at, decoded(E::from_bytes(bytes))?)));
        let all = all.collect::<Result<Vec<_>, EvaluateError>>()?;
        let shape = Shape::of(self.seating());
        let ports = ports(&shape, self.run.compiled);
        let mut computed = self.nothing_yet(mesh)?;
        computed.began = Some(mesh.now());
        for (at, ready) in all {
            let result = self.evaluate(mesh, ports, &at, ready)?;
            done(self, &mut computed.opened, at, result);
        }
        mesh.flush()?;
        Ok(computed)
    }

    fn evaluate<E: Evaluate>(
        &self,
        mesh: &mut Mesh,
        ports: Ports<'_>,
        at: &Range<usize>,
        ready: E,
    ) -> Result<E::Done, SharingError> {
        let given = self.given(mesh, at)?;
        let done = ready.run(mesh, &self.seating().assignment.places, ports, &given)?;
        self.tell(at);
        Ok(done)
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
    let protocol = compiled.job().protocol();
    let parties = protocol.parties();
    let under_way = match compiled.job().opening() {
        Opening::All => 4 * parties * parties,
        Opening::Collector | Opening::Single => 0,
    };
    let blocks = match protocol {
        // Sharings of both inputs, the output, a triple and what opens it; of five leaky triples three
        // sharings each, and what they are made from; tables of garblers and at the evaluator.
        Protocol::Wrk17(_) => ands * (50 * parties + 4 * parties * parties),
        protocol if protocol.authenticates() => ands * (50 * parties + 3 * parties * parties),
        // Hidden labels from everybody, and their shares, as much again for products; tables.
        Protocol::BmrBlocks(..) => ands * (16 * parties + 8 * parties * parties + under_way),
        // Shares of every row, tables, and columns under way: from everybody all of them, perhaps.
        Protocol::BmrOt(..) => ands * (24 * parties + under_way),
        // As below, and transfers that wait to be used.
        Protocol::BmrSilent(_) => ands * (20 * parties + under_way),
        // Tables, columns under way, and what a wire is authenticated by.
        _ => ands * (16 * parties + under_way),
    };
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
