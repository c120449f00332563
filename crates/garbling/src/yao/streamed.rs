//! Garbling as a program runs: tables are sent gate by gate and evaluated when they come, so that no party
//! keeps more than the labels of values that are still needed, however large the program.
//!
//! Everything depends on inputs from the start, so that less is sent than ahead of time: of two parties, an input of
//! role 1 is a correlated OT with `Delta = R` on its bits themselves, whose blocks are the labels. Of three, role 1
//! sends labels of inputs alone.
//!
//! | | two parties | three |
//! | --- | --- | --- |
//! | AND | 256 bits, 0 to 1 | 256 bits, 0 to 2 |
//! | input of role 0 | 128 bits, 0 to 1 | 128 bits, 0 to 2 |
//! | input of role 1 | 32 bits, 1 to 0 | 128 bits, 1 to 2 |
//! | input of role 2 | | 1 bit, 2 to 0; 128 bits from 0 and from 1 |
//! | output | 1 bit, from the other | 1 bit, from role 0 and from role 2, but for its own |
//!
//! Outputs are in words of 64. What is public has labels that all know, zero at who evaluates.

use super::gates::{GARBLER, Gates, Hash, HashKey, Labels, Level, SIDE, walk};
use crate::links::{GateNumbers, Links};
use crate::ports::check_values;
use crate::{Bits, Ports};
use std::sync::Arc;
use std::time::Duration;
use tacit_backend::convert::{BitPlanes, Layered, Wires};
use tacit_backend::{Boolean, Circuits, Planes};
use tacit_circuit::schedule::Schedule;
use tacit_gmw::{FAN, silent_bytes};
use tacit_net::{AbortKind, Mesh, Stream};
use tacit_ot::KAPPA;
use tacit_ring::{Buffer, Z2, word};
use tacit_sharing::cost::{MAX_ROLES, Rounds, Traffic};
use tacit_sharing::{Protocol, RoleId, SharingError};
use zeroize::Zeroizing;

/// The role that garbles nothing among three parties; it knows the labels of inputs.
pub(super) const HELPER: RoleId = 1;

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
    /// By instance, the lowest bits of what each of so many roles learns. Gives the room back.
    fn outputs(
        self,
        (ports, roles): (Ports<'_>, usize),
        ends: &mut Vec<Vec<Bits>>,
    ) -> Buffer<u128> {
        let of = |k: usize| (0..roles).map(|role| self.lowest(ports, role, k)).collect();
        ends.extend((0..N).map(of));
        self.into_room()
    }
}

/// How labels of inputs come to who evaluates.
pub(super) trait Inputs: Send {
    /// Labels of `count` bits that a role gives, of which this party has its own: zero labels at who garbles, zeros at
    /// who only helps. One step.
    fn labels(
        &mut self,
        links: &mut Links<'_>,
        owner: RoleId,
        bits: &Bits,
        count: usize,
    ) -> Result<Buffer<u128>>;
}

/// A worker of a party that garbles, or evaluates, or helps with inputs, as a program runs.
pub struct Streamed<'m> {
    links: Links<'m>,
    offset: Zeroizing<u128>,
    gates: GateNumbers,
    hash: Hash,
    inputs: Box<dyn Inputs>,
    circuits: Circuits,
    room: Level,
    /// Blocks of a level's ANDs.
    table: Buffer<u128>,
    /// For labels of some instances.
    labels: Buffer<u128>,
    step: u32,
}

impl<'m> Streamed<'m> {
    /// The last role evaluates. Who garbles has an offset.
    pub(super) fn new(
        links: Links<'m>,
        (key, gates): (HashKey, GateNumbers),
        offset: Zeroizing<u128>,
        (protocol, inputs): (Protocol, Box<dyn Inputs>),
    ) -> Boolean<Self> {
        let [table, labels] = [(); 2].map(|()| Buffer::default());
        Boolean::new(Streamed {
            links,
            offset,
            gates,
            hash: Hash::new(key),
            inputs,
            circuits: Circuits::new(protocol),
            room: Level::default(),
            table,
            labels,
            step: 0,
        })
    }

    fn garbles(&self) -> bool {
        self.links.me == GARBLER
    }

    /// Who evaluates.
    fn evaluator(&self) -> RoleId {
        self.links.parties() - 1
    }

    /// What is waited for until the next step is one round.
    fn next_step(&mut self) {
        self.step += 1;
        self.links.mesh.set_step(self.step);
    }

    /// Takes some instances through a circuit, on labels by input and instance.
    fn walk<const N: usize>(
        &mut self,
        schedule: &Schedule,
        input: impl Fn(usize, usize) -> u128,
    ) -> Result<Labels<N>> {
        let (garbles, evaluator) = (self.garbles(), self.evaluator());
        let labels = std::mem::take(&mut self.labels);
        if !garbles && self.links.me != evaluator {
            // Who helps with inputs has no part in circuits.
            return Ok(Labels::of_inputs(schedule, labels, |_, _| 0));
        }
        let Streamed { links, hash, room, table, gates, .. } = self;
        let (r, one) = (*self.offset, if garbles { *self.offset } else { 0 });
        let mut first = [0; N];
        for first in &mut first {
            *first = gates.take(ands(schedule))?;
        }
        let labels = Labels::of_inputs(schedule, labels, input);
        walk(schedule, labels, one, |number, products, labels| {
            let gates = Gates { hash, first, number };
            let table = table.sized(2 * N * products.len());
            if garbles {
                gates.garble(room, r, products, labels, table);
                return links.send(evaluator, Stream::Def, table);
            }
            links.recv_into(GARBLER, Stream::Def, table)?;
            gates.evaluate(room, products, labels, table);
            Ok(())
        })
    }

    /// The underlying channels.
    pub fn mesh(&mut self) -> &mut Mesh {
        self.links.mesh
    }

    /// Labels of bits of a role, of which this party has its own.
    fn input(&mut self, owner: RoleId, bits: &Bits, count: usize) -> Result<Buffer<u128>> {
        match count {
            0 => Ok(Buffer::default()),
            _ => self.inputs.labels(&mut self.links, owner, bits, count),
        }
    }

    /// Evaluates a circuit on some instances: on this party's bits of its own inputs, instance by instance in the
    /// order of the schedule's inputs. What this party learns is instance by instance, bit by bit, port after port.
    ///
    /// # Errors
    /// When the network fails, or values do not fit.
    pub fn evaluate(&mut self, ports: Ports<'_>, values: &[Bits]) -> Result<Vec<Bits>> {
        let (me, roles) = (self.links.me, self.links.parties());
        check_values(ports, me, values.len(), values)?;
        self.mesh().set_step(0);
        let mut labels = Vec::with_capacity(roles);
        for owner in 0..roles {
            let given = ports.given_by(owner);
            let mut bits = Bits::zeros(if owner == me { given * values.len() } else { 0 });
            for i in 0..bits.len {
                bits.flip_if(i, values[i / given].get(i % given));
            }
            labels.push(self.input(owner, &bits, given * values.len())?);
        }
        let mut next = vec![0; roles];
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
                    self.labels = labels.outputs((ports, roles), &mut ends);
                }
                SIDE => {
                    let labels = self.walk::<SIDE>(ports.schedule, input)?;
                    self.labels = labels.outputs((ports, roles), &mut ends);
                }
                _ => {
                    let labels = self.walk::<1>(ports.schedule, input)?;
                    self.labels = labels.outputs((ports, roles), &mut ends);
                }
            }
        }
        self.exchange(ends)
    }

    /// Opens outputs from their lowest bits: by instance those that each role learns.
    fn exchange(&mut self, ends: Vec<Vec<Bits>>) -> Result<Vec<Bits>> {
        self.mesh().set_step(1);
        for bits in &ends {
            for (role, bits) in bits.iter().enumerate() {
                self.tell(role, &bits.words)?;
            }
        }
        self.mesh().flush()?;
        let me = self.links.me;
        let open = |mut bits: Vec<Bits>| {
            let mut mine = bits.swap_remove(me);
            self.hear(&mut mine.words)?;
            Ok(mine)
        };
        ends.into_iter().map(open).collect()
    }

    /// Sends a role the lowest bits of what it learns, if it needs them of this party.
    fn tell(&mut self, role: RoleId, words: &[u64]) -> Result<()> {
        let (me, evaluator) = (self.links.me, self.evaluator());
        match role != me && (me == GARBLER || me == evaluator) && !words.is_empty() {
            true => self.links.send(role, Stream::On, words),
            false => Ok(()),
        }
    }

    /// Adds the lowest bits that others have for what this party learns.
    fn hear(&mut self, words: &mut [u64]) -> Result<()> {
        let (me, ends) = (self.links.me, [GARBLER, self.evaluator()]);
        if words.is_empty() {
            return Ok(());
        }
        for end in ends.into_iter().filter(|end| *end != me) {
            let theirs = self.links.recv::<u64>(end, Stream::On, words.len())?;
            words.iter_mut().zip(&*theirs).for_each(|(mine, theirs)| *mine ^= theirs);
        }
        Ok(())
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

impl tacit_backend::Bits for Streamed<'_> {
    fn input_planes(
        &mut self,
        owner: RoleId,
        values: Option<&[Z2]>,
        planes: usize,
        lanes: usize,
    ) -> Result<Planes> {
        self.next_step();
        let (count, mine) = (planes * lanes, owner == self.links.me);
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
                *label = u128::from(bits.get(i)) * *self.offset;
            }
        }
        planes_of(labels, planes, lanes)
    }

    fn open_planes(&mut self, planes: &Planes, receivers: &[RoleId]) -> Result<Option<Buffer<Z2>>> {
        self.next_step();
        let mut bits = Self::lowest(labels_of(planes)?, planes.planes, planes.lanes);
        for role in receivers {
            self.tell(*role, word::lanes(&bits))?;
        }
        if !receivers.contains(&self.links.me) {
            self.mesh().flush()?;
            return Ok(None);
        }
        self.hear(word::lanes_mut(&mut bits))?;
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
        rounds[self.links.me] = self.links.mesh.rounds();
        rounds
    }

    fn now(&mut self) -> Duration {
        self.links.mesh.begin_work_at(Duration::ZERO);
        self.links.mesh.now()
    }

    fn begin_at(&mut self, at: Duration) {
        self.links.mesh.begin_work_at(at);
    }

    fn flush(&mut self) -> Result<()> {
        Ok(self.links.mesh.flush()?)
    }

    fn abort(&mut self, kind: AbortKind, reason: &str) {
        self.links.mesh.abort(kind, reason);
    }
}

/// Bytes between the parties for a worker's chunks of so many instances of a circuit.
#[must_use]
pub fn bytes(protocol: Protocol, ports: Ports<'_>, chunks: impl Iterator<Item = usize>) -> Traffic {
    let mut counted = Counted::new(protocol).bits;
    for instances in chunks {
        for role in 0..counted.parties {
            counted.input(role, ports.given_by(role) * instances);
            counted.output(role, 8 * ports.learned_by(role).div_ceil(64) * instances);
        }
        counted.tables(ports.ands() * instances);
    }
    counted.total_bytes()
}

/// How often a role waits for a chunk of instances of a circuit: for inputs, and for what it learns.
#[must_use]
pub fn rounds(protocol: Protocol, ports: Ports<'_>, me: RoleId) -> u64 {
    let evaluator = protocol.parties() - 1;
    let gives = |role| ports.given_by(role) > 0;
    let mut givers = (0..=evaluator).filter(|role| gives(*role));
    let waits = match me {
        GARBLER => gives(evaluator),
        // Of two parties, who evaluates waits for no labels of its own inputs.
        me if me == evaluator => givers.any(|role| role != me || evaluator > 1),
        _ => false,
    };
    u64::from(waits) + u64::from(ports.learned_by(me) > 0)
}

/// What a worker's part of a program costs, by the same calls.
pub struct Counted {
    circuits: Circuits,
    parties: usize,
    silent: bool,
    /// Without what silent transfers take.
    bytes: Traffic,
    /// Bits of role 1.
    chosen: usize,
    ands: u64,
    rounds: Rounds,
}

impl Counted {
    /// Nothing yet, under a protocol where one party garbles.
    #[must_use]
    pub fn new(protocol: Protocol) -> Boolean<Self> {
        let circuits = Circuits::new(protocol);
        let (bytes, rounds) = (Traffic::default(), [0; MAX_ROLES]);
        let (silent, parties) = (protocol.is_silent(), protocol.parties());
        Boolean::new(Counted { circuits, parties, silent, bytes, chosen: 0, ands: 0, rounds })
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

    /// ANDs that are garbled.
    #[must_use]
    pub fn ands(&self) -> u64 {
        self.ands
    }

    /// Bits of a role, in a step.
    fn input(&mut self, owner: RoleId, bits: usize) {
        let (evaluator, labels, words) =
            (self.parties - 1, bits * KAPPA / 8, 8 * bits.div_ceil(64));
        match (owner == evaluator, self.parties) {
            (false, _) => self.wait(evaluator, &[owner], labels),
            (true, 2) => {
                self.chosen += bits;
                let words = words * if self.silent { 1 } else { FAN.message_bits() };
                self.wait(GARBLER, &[evaluator], words);
            }
            (true, _) => {
                self.wait(GARBLER, &[evaluator], words);
                self.wait(evaluator, &[GARBLER, HELPER], labels);
            }
        }
    }

    fn tables(&mut self, ands: usize) {
        self.ands += ands as u64;
        self.bytes.def[GARBLER][self.parties - 1] += (2 * ands * KAPPA / 8) as u64;
    }

    /// Counts what a role learns in one step, in bytes.
    fn output(&mut self, to: RoleId, bytes: usize) {
        let ends = [GARBLER, self.parties - 1];
        let ends: Vec<RoleId> = ends.into_iter().filter(|end| *end != to).collect();
        self.wait(to, &ends, bytes);
    }

    /// Counts `bytes` bytes from each role of `from`, which `to` waits for in one round.
    fn wait(&mut self, to: RoleId, from: &[RoleId], bytes: usize) {
        if bytes > 0 {
            from.iter().for_each(|from| self.bytes.on[*from][to] += bytes as u64);
            self.rounds[to] += 1;
        }
    }
}

impl tacit_backend::Bits for Counted {
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
        receivers.iter().for_each(|to| self.output(*to, bytes));
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

    fn abort(&mut self, _: AbortKind, _: &str) {}
}
