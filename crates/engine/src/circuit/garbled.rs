//! Workers of protocols that garble: chunks of instances, each garbled and then evaluated.
//!
//! What is kept of a chunk is bounded, unless all preprocessing is to come first. Where parties may deviate
//! nothing opens before all chunks of all workers have passed this party's checks: until then what opens
//! their outputs is kept.

pub(super) mod cost;

use super::compile::{Seating, Shape};
use super::opening::Opened;
use super::prepared::{Give, decode, decoded, encode};
use super::task::{Computed, Done, Run};
use super::{Assignment, EvaluateError, Preprocessing};
use crate::gate::pass;
use crate::values::Lanes;
use crate::workers::on_each;
use cost::{chunks, form, ports};
use std::ops::Range;
use tacit_backend::Boolean;
use tacit_garbling::authenticated::{self, Authenticated, Piece, Stock, Unopened};
use tacit_garbling::yao::streamed::Streamed;
use tacit_garbling::{AnyReady, AnyWorker, Bits, Evaluated, Garbler, Streaming};
use tacit_garbling::{Parties, Ports, garbler};
use tacit_net::{Mesh, Phase, Session};
use tacit_ring::{Buffer, Entropy, Z2};
use tacit_sharing::{Protocol, RoleId, SharingError};

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

/// How a protocol that garbles does.
fn garbler_of(protocol: Protocol) -> Result<&'static dyn Garbler, EvaluateError> {
    garbler(protocol).ok_or_else(|| EvaluateError::Bug(format!("{protocol} does not garble")))
}

/// Exchanges keys, and evaluates with every worker, or prepares for that.
pub(super) fn compute(
    session: &mut Session,
    run: Run<'_>,
    id: &[u8],
    entropy: &mut Entropy,
) -> Result<Done, EvaluateError> {
    let Assignment { protocol, places, .. } = &run.compiled.seatings[0].assignment;
    let parties = Parties { terms: run.compiled.job().options.terms(), places, session: id };
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
        match self.run.compiled.job().options.preprocessing {
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
