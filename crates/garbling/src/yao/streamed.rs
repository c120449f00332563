//! Garbling as a program runs: tables are sent gate by gate and evaluated when they come, so that neither party
//! keeps more than the labels of values that are still needed, however large the program.
//!
//! Everything depends on inputs from the start, so that less is sent than ahead of time: an input of role 1 is a
//! correlated OT with `Delta = R` on its bits themselves, whose blocks are the labels.
//!
//! | | |
//! | --- | --- |
//! | AND | 256 bits, 0 to 1 |
//! | input of role 0 | 128 bits, 0 to 1 |
//! | input of role 1 | 32 bits, 1 to 0 |
//! | output to role 1 | 1 bit, 0 to 1 |
//! | output to role 0 | 1 bit, 1 to 0 |
//!
//! Outputs are in words of 64. What is public has labels that both know, zero at role 1.

use super::gates::{Gates, Hash, Labels, Level, SIDE, walk};
use super::party::{GARBLER, Yao};
use crate::ports::check_values;
use crate::{Bits, Ports};
use std::sync::Arc;
use std::time::Duration;
use tacit_circuit::schedule::Schedule;
use tacit_net::{Mesh, Stream};
use tacit_ot::KAPPA;
use tacit_ring::{Buffer, Z2, word};
use tacit_sharing::backend::{self, Boolean, Circuits, Planes};
use tacit_sharing::convert::{BitPlanes, Layered, Wires};
use tacit_sharing::cost::{MAX_ROLES, Rounds, Traffic};
use tacit_sharing::gmw::{FAN, silent_bytes};
use tacit_sharing::{Protocol, RoleId, SharingError};

type Result<T> = std::result::Result<T, SharingError>;

fn wrong(what: &str) -> SharingError {
    SharingError::Shape(what.into())
}

fn labels_of(planes: &Planes) -> Result<&[u128]> {
    match planes.data.as_ref().and_then(|data| data.wires.as_ref()) {
        Some(Wires::Labels(labels)) => Ok(labels),
        _ => Err(wrong("bits without labels")),
    }
}

fn planes_of(labels: Buffer<u128>, planes: usize, lanes: usize) -> Planes {
    let data = Some(BitPlanes::of_wires(Wires::Labels(labels), lanes));
    Planes { planes, lanes, data }
}

/// Bits of planes, padded to words, one after the other without padding.
fn flat(words: &[Z2], planes: usize, lanes: usize) -> Bits {
    let mut bits = Bits::zeros(planes * lanes);
    for (i, (plane, lane)) in places(planes, lanes).enumerate() {
        bits.flip_if(i, words[plane * lanes.div_ceil(64) + lane / 64].0 >> (lane % 64) & 1 == 1);
    }
    bits
}

fn places(planes: usize, lanes: usize) -> impl Iterator<Item = (usize, usize)> {
    (0..planes).flat_map(move |plane| (0..lanes).map(move |lane| (plane, lane)))
}

fn ands(schedule: &Schedule) -> usize {
    (0..schedule.depth()).map(|level| schedule.products(level).len()).sum()
}

/// Instances that go side by side through a circuit whose levels have few ANDs, if there are as many.
const NARROW: usize = 64;

/// Instances that go through a circuit side by side, of some that are left.
fn side(schedule: &Schedule, left: usize) -> usize {
    // Enough hashes of a level to fill what computes them side by side.
    let narrow = ands(schedule) < schedule.depth() * NARROW / 4;
    match left {
        NARROW.. if narrow => NARROW,
        SIDE.. => SIDE,
        _ => 1,
    }
}

impl<const N: usize> Labels<N> {
    /// By instance, the lowest bits of what either role learns. Gives the room back.
    fn outputs(self, ports: Ports<'_>, ends: &mut Vec<[Bits; 2]>) -> Buffer<u128> {
        ends.extend((0..N).map(|k| [0, 1].map(|role| self.lowest(ports, role, k))));
        self.into_room()
    }
}

/// A worker of a party that garbles, or evaluates, as a program runs.
pub struct Streamed<'m> {
    party: Yao<'m>,
    hash: Hash,
    circuits: Circuits,
    room: Level,
    /// Blocks of a level's ANDs.
    table: Buffer<u128>,
    /// For labels of some instances.
    labels: Buffer<u128>,
    step: u32,
}

impl<'m> Yao<'m> {
    /// This worker, for a program.
    #[must_use]
    pub fn streamed(self) -> Boolean<Streamed<'m>> {
        let (hash, circuits) = (Hash::new(self.key), Circuits::new(Protocol::Yao));
        let [table, labels] = [(); 2].map(|()| Buffer::default());
        let room = Level::default();
        Boolean::new(Streamed { party: self, hash, circuits, room, table, labels, step: 0 })
    }
}

impl Streamed<'_> {
    fn garbles(&self) -> bool {
        self.party.links.me == GARBLER
    }

    /// What is waited for until the next step is one round.
    fn next_step(&mut self) {
        self.step += 1;
        self.party.links.mesh.set_step(self.step);
    }

    /// Labels of bits of the garbler.
    fn give(&mut self, bits: &Bits) -> Result<Buffer<u128>> {
        let party = &mut self.party;
        let mut labels = Buffer::zeros(bits.len);
        let id = party.keys.ids.step()?.single();
        party.keys.own.stream(id).fill(&mut labels);
        let mut message = labels.clone();
        for (i, label) in message.iter_mut().enumerate() {
            *label ^= u128::from(bits.get(i)) * *party.offset;
        }
        party.send(Stream::On, &message)?;
        // Role 1 waits for them, and this role perhaps for nothing before many tables.
        party.links.mesh.flush()?;
        Ok(labels)
    }

    /// Labels of bits of the evaluator.
    fn choose(&mut self, bits: &Bits) -> Result<Buffer<u128>> {
        let party = &mut self.party;
        party.transfers.make(&mut party.links, &mut party.keys, |_| [bits.len, 0])?;
        let mut labels = Buffer::zeros(bits.len);
        let chooser = party.transfers.chooser(&mut party.keys, GARBLER)?;
        let message = chooser.choose(bits, |i, block| labels[i] = block);
        let message = party.links.checked(GARBLER, message)?;
        party.send(Stream::On, &message)?;
        Ok(labels)
    }

    /// At the garbler, zero labels of `count` bits of the evaluator.
    fn offer(&mut self, count: usize) -> Result<Buffer<u128>> {
        let (party, peer) = (&mut self.party, 1 - GARBLER);
        party.transfers.make(&mut party.links, &mut party.keys, |_| [0, count])?;
        let words = party.transfers.message_words(count.div_ceil(64));
        let message = party.recv::<u64>(Stream::On, words)?;
        let mut labels = Buffer::zeros(count);
        let offerer = party.transfers.offerer(&mut party.keys, (peer, *party.offset))?;
        let taken = offerer.take(count, &message, |i, block| labels[i] = block);
        party.links.checked(peer, taken)?;
        Ok(labels)
    }

    /// Takes some instances through a circuit, on labels by input and instance.
    fn walk<const N: usize>(
        &mut self,
        schedule: &Schedule,
        input: impl Fn(usize, usize) -> u128,
    ) -> Result<Labels<N>> {
        let (garbles, count) = (self.garbles(), ands(schedule));
        let labels = std::mem::take(&mut self.labels);
        let Streamed { party, hash, room, table, .. } = self;
        let (r, one) = (*party.offset, if garbles { *party.offset } else { 0 });
        let mut first = [0; N];
        for first in &mut first {
            *first = party.gates.take(count)?;
        }
        let labels = Labels::of_inputs(schedule, labels, input);
        walk(schedule, labels, one, |number, a, b| {
            let gates = Gates { hash, first, number };
            let table = table.sized(2 * a.len());
            if garbles {
                let (blocks, _) = table.as_chunks_mut::<2>();
                gates.garble(room, r, a, b, |i, k, both| blocks[i * N + k] = both);
                return party.send(Stream::Def, table);
            }
            party.links.recv_into(GARBLER, Stream::Def, table)?;
            let (blocks, _) = table.as_chunks::<2>();
            gates.evaluate(room, a, b, |i, k| blocks[i * N + k]);
            Ok(())
        })
    }

    /// The underlying channels.
    pub fn mesh(&mut self) -> &mut Mesh {
        self.party.links.mesh
    }

    /// Labels of bits of a role, of which this party has its own.
    fn input(&mut self, owner: RoleId, bits: &Bits, count: usize) -> Result<Buffer<u128>> {
        match (owner == GARBLER, owner == self.party.links.me) {
            _ if count == 0 => Ok(Buffer::default()),
            (true, true) => self.give(bits),
            (true, false) => self.party.recv(Stream::On, count),
            (false, true) => self.choose(bits),
            (false, false) => self.offer(count),
        }
    }

    /// Evaluates a circuit on some instances: on this party's bits of its own inputs, instance by instance in the
    /// order of the schedule's inputs. What this party learns is instance by instance, bit by bit, port after port.
    ///
    /// # Errors
    /// When the network fails, or values do not fit.
    pub fn evaluate(&mut self, ports: Ports<'_>, values: &[Bits]) -> Result<Vec<Bits>> {
        let me = self.party.links.me;
        check_values(ports, me, values.len(), values)?;
        self.mesh().set_step(0);
        let mut labels = Vec::with_capacity(2);
        for owner in [GARBLER, 1 - GARBLER] {
            let given = ports.given_by(owner);
            let mut bits = Bits::zeros(if owner == me { given * values.len() } else { 0 });
            for i in 0..bits.len {
                bits.flip_if(i, values[i / given].get(i % given));
            }
            labels.push(self.input(owner, &bits, given * values.len())?);
        }
        let mut next = [0; 2];
        let place = |owner: RoleId| {
            next[owner] += 1;
            (owner, next[owner] - 1)
        };
        let places: Vec<(RoleId, usize)> = ports.owners().map(place).collect();
        let input = |i: usize, instance: usize| {
            let (owner, place) = places[i];
            labels[owner][instance * next[owner] + place]
        };
        let mut ends = Vec::with_capacity(values.len());
        while ends.len() < values.len() {
            let start = ends.len();
            let input = |i: usize, k: usize| input(i, start + k);
            match side(ports.schedule, values.len() - start) {
                NARROW => {
                    let labels = self.walk::<NARROW>(ports.schedule, input)?;
                    self.labels = labels.outputs(ports, &mut ends);
                }
                SIDE => {
                    let labels = self.walk::<SIDE>(ports.schedule, input)?;
                    self.labels = labels.outputs(ports, &mut ends);
                }
                _ => {
                    let labels = self.walk::<1>(ports.schedule, input)?;
                    self.labels = labels.outputs(ports, &mut ends);
                }
            }
        }
        self.exchange(ends)
    }

    /// Opens outputs from their lowest bits: by instance those that roles 0 and 1 learn.
    fn exchange(&mut self, ends: Vec<[Bits; 2]>) -> Result<Vec<Bits>> {
        self.mesh().set_step(1);
        let (me, peer) = (self.party.links.me, self.party.peer());
        for bits in &ends {
            self.party.send(Stream::On, &bits[peer].words)?;
        }
        self.mesh().flush()?;
        let open = |mut bits: [Bits; 2]| {
            let theirs = self.party.recv::<u64>(Stream::On, bits[me].words.len())?;
            bits[me].words.iter_mut().zip(&*theirs).for_each(|(mine, theirs)| *mine ^= theirs);
            Ok(std::mem::replace(&mut bits[me], Bits::zeros(0)))
        };
        ends.into_iter().map(open).collect()
    }

    /// The lowest bits of labels, in planes padded to words.
    fn lowest(labels: &[u128], planes: usize, lanes: usize) -> Buffer<Z2> {
        let words = lanes.div_ceil(64);
        let mut bits = Buffer::<Z2>::zeros(planes * words);
        for (label, (plane, lane)) in labels.iter().zip(places(planes, lanes)) {
            bits[plane * words + lane / 64].0 |= (*label as u64 & 1) << (lane % 64);
        }
        bits
    }
}

impl backend::Bits for Streamed<'_> {
    fn input_planes(
        &mut self,
        owner: RoleId,
        values: Option<&[Z2]>,
        planes: usize,
        lanes: usize,
    ) -> Result<Planes> {
        self.next_step();
        let (count, mine) = (planes * lanes, owner == self.party.links.me);
        let bits = match values.filter(|values| values.len() == planes * lanes.div_ceil(64)) {
            Some(values) if mine => flat(values, planes, lanes),
            _ if mine => return Err(wrong("an input's values")),
            _ => Bits::zeros(0),
        };
        Ok(planes_of(self.input(owner, &bits, count)?, planes, lanes))
    }

    fn public_planes(&mut self, values: &[Z2], planes: usize, lanes: usize) -> Planes {
        let mut labels = Buffer::zeros(planes * lanes);
        if self.garbles() {
            let bits = flat(values, planes, lanes);
            for (i, label) in labels.iter_mut().enumerate() {
                *label = u128::from(bits.get(i)) * *self.party.offset;
            }
        }
        planes_of(labels, planes, lanes)
    }

    fn open_planes(&mut self, planes: &Planes, receivers: &[RoleId]) -> Result<Option<Buffer<Z2>>> {
        self.next_step();
        let mut bits = Self::lowest(labels_of(planes)?, planes.planes, planes.lanes);
        let (me, peer) = (self.party.links.me, self.party.peer());
        if receivers.contains(&peer) && !bits.is_empty() {
            self.party.send(Stream::On, word::lanes(&bits))?;
        }
        if !receivers.contains(&me) {
            self.mesh().flush()?;
            return Ok(None);
        }
        let theirs = self.party.recv::<u64>(Stream::On, bits.len())?;
        bits.iter_mut().zip(&*theirs).for_each(|(mine, theirs)| mine.0 ^= theirs);
        Ok(Some(bits))
    }

    fn circuit(&mut self, circuit: &Arc<Layered>, inputs: &[&Planes]) -> Result<Vec<Planes>> {
        let lanes = inputs.first().map_or(0, |planes| planes.lanes);
        circuit.check_inputs(&inputs.iter().filter_map(|p| p.data.as_ref()).collect::<Vec<_>>())?;
        let ports = inputs.iter().map(|planes| labels_of(planes)).collect::<Result<Vec<_>>>()?;
        let schedule = circuit.schedule();
        let mut outputs: Vec<Buffer<u128>> =
            circuit.outputs().iter().map(|width| Buffer::zeros(width * lanes)).collect();
        let mut put = |start: usize, count: usize, at: &dyn Fn(u32, usize) -> u128| {
            for (slots, output) in schedule.outputs().iter().zip(&mut outputs) {
                for (bit, slot) in slots.iter().enumerate() {
                    let to = &mut output[bit * lanes + start..][..count];
                    to.iter_mut().enumerate().for_each(|(k, label)| *label = at(*slot, k));
                }
            }
        };
        let wires = schedule.inputs();
        let input = |i: usize, lane: usize| {
            ports[wires[i].port as usize][wires[i].bit as usize * lanes + lane]
        };
        let mut start = 0;
        while start < lanes {
            let input = |i: usize, k: usize| input(i, start + k);
            let side = side(schedule, lanes - start);
            match side {
                NARROW => {
                    let ends = self.walk::<NARROW>(schedule, input)?;
                    put(start, side, &|slot, k| ends.at(slot, k));
                    self.labels = ends.into_room();
                }
                SIDE => {
                    let ends = self.walk::<SIDE>(schedule, input)?;
                    put(start, side, &|slot, k| ends.at(slot, k));
                    self.labels = ends.into_room();
                }
                _ => {
                    let ends = self.walk::<1>(schedule, input)?;
                    put(start, side, &|slot, k| ends.at(slot, k));
                    self.labels = ends.into_room();
                }
            }
            start += side;
        }
        let outputs = outputs.into_iter().zip(circuit.outputs());
        Ok(outputs.map(|(labels, width)| planes_of(labels, *width, lanes)).collect())
    }

    fn circuits(&mut self) -> &mut Circuits {
        &mut self.circuits
    }

    fn rounds(&mut self) -> Rounds {
        let mut rounds = [0; MAX_ROLES];
        rounds[self.party.links.me] = self.party.links.mesh.rounds();
        rounds
    }

    fn now(&mut self) -> Duration {
        self.party.links.mesh.begin_work_at(Duration::ZERO);
        self.party.links.mesh.now()
    }

    fn begin_at(&mut self, at: Duration) {
        self.party.links.mesh.begin_work_at(at);
    }

    fn flush(&mut self) -> Result<()> {
        Ok(self.party.links.mesh.flush()?)
    }

    fn abort(&mut self, reason: &str) {
        self.party.links.mesh.abort(reason);
    }
}

/// Bytes between the two parties for a worker's chunks of so many instances of a circuit.
#[must_use]
pub fn bytes(protocol: Protocol, ports: Ports<'_>, chunks: impl Iterator<Item = usize>) -> Traffic {
    let [given, learned] =
        [Ports::given_by, Ports::learned_by].map(|f| [0, 1].map(|r| f(&ports, r)));
    let mut counted = Counted::new(protocol).bits;
    for instances in chunks {
        [0, 1].into_iter().for_each(|owner| counted.input(owner, given[owner] * instances));
        counted.tables(ports.ands() * instances);
        for (role, learned) in learned.iter().enumerate() {
            counted.message(role, 8 * learned.div_ceil(64) * instances);
        }
    }
    counted.total_bytes()
}

/// What a worker's part of a program costs, by the same calls.
pub struct Counted {
    circuits: Circuits,
    silent: bool,
    /// Without what silent transfers take.
    bytes: Traffic,
    /// Bits of role 1.
    chosen: usize,
    rounds: Rounds,
}

impl Counted {
    /// Nothing yet, under a protocol of two that garble.
    #[must_use]
    pub fn new(protocol: Protocol) -> Boolean<Self> {
        let circuits = Circuits::new(protocol);
        let (bytes, rounds) = (Traffic::default(), [0; MAX_ROLES]);
        let silent = protocol == Protocol::YaoSilent;
        Boolean::new(Counted { circuits, silent, bytes, chosen: 0, rounds })
    }

    /// Bytes per directed link.
    #[must_use]
    pub fn total_bytes(&self) -> Traffic {
        let mut bytes = self.bytes.clone();
        if self.silent {
            let [start, trees] = silent_bytes(self.chosen);
            bytes.def[1][0] += start;
            bytes.def[0][1] += trees;
        }
        bytes
    }

    /// Bits of a role.
    fn input(&mut self, owner: RoleId, bits: usize) {
        if owner == GARBLER {
            return self.message(1, bits * KAPPA / 8);
        }
        self.chosen += bits;
        let words = if self.silent { 1 } else { FAN.message_bits() };
        self.message(0, 8 * bits.div_ceil(64) * words);
    }

    fn tables(&mut self, ands: usize) {
        self.bytes.def[0][1] += (2 * ands * KAPPA / 8) as u64;
    }

    /// A message that is waited for.
    fn message(&mut self, to: RoleId, bytes: usize) {
        if bytes > 0 {
            self.bytes.on[1 - to][to] += bytes as u64;
            self.rounds[to] += 1;
        }
    }
}

impl backend::Bits for Counted {
    fn input_planes(
        &mut self,
        owner: RoleId,
        _: Option<&[Z2]>,
        planes: usize,
        lanes: usize,
    ) -> Result<Planes> {
        self.input(owner, planes * lanes);
        Ok(Planes::dry(planes, lanes))
    }

    fn public_planes(&mut self, _: &[Z2], planes: usize, lanes: usize) -> Planes {
        Planes::dry(planes, lanes)
    }

    fn open_planes(&mut self, planes: &Planes, receivers: &[RoleId]) -> Result<Option<Buffer<Z2>>> {
        let bytes = 8 * planes.planes * planes.lanes.div_ceil(64);
        receivers.iter().for_each(|to| self.message(*to, bytes));
        Ok(None)
    }

    fn circuit(&mut self, circuit: &Arc<Layered>, inputs: &[&Planes]) -> Result<Vec<Planes>> {
        let lanes = inputs.first().map_or(0, |planes| planes.lanes);
        self.tables(ands(circuit.schedule()) * lanes);
        Ok(circuit.outputs().iter().map(|width| Planes::dry(*width, lanes)).collect())
    }

    fn circuits(&mut self) -> &mut Circuits {
        &mut self.circuits
    }

    fn rounds(&mut self) -> Rounds {
        self.rounds
    }

    fn flush(&mut self) -> Result<()> {
        Ok(())
    }

    fn abort(&mut self, _: &str) {}
}
