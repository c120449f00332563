//! Garbled circuits among three parties, of which any one is curious: without oblivious transfer.
//!
//! Roles 0 and 1 have a seed in common, from which both know all labels of inputs; role 0 garbles with half
//! gates as in [`yao`](super), role 2 evaluates. A bit of role 2 is shared among the garblers by XOR: role 1
//! draws its share under a key that it has with role 2, role 0 is sent the other, and each sends the label
//! of its share; the wire's label is the sum of both.
//!
//! | | ahead | online |
//! | --- | --- | --- |
//! | AND | 256 bits, 0 to 2 | 0 |
//! | input of role 0 or 1 | 0 | 128 bits to 2 |
//! | input of role 2 | 0 | 1 bit, 2 to 0, then 128 bits from 0 and from 1 |
//! | output to role 2, to role 1 | 1 bit from 0 | 0, or 1 bit from 2 |
//! | output to role 0 | 0 | 1 bit from 2 |
//! | rounds | 1 | 2, and 1 if a garbler learns anything |
//!
//! Source: P. Mohassel, M. Rosulek, Y. Zhang, "Fast and Secure Three-party Computation" (CCS 2015), for
//! parties that follow the protocol.

use super::gates::{GARBLER, Hash, HashKey, SIDE, evaluate, garble, hash_key};
use super::streamed::{HELPER, Inputs, Streamed};
use crate::bits::words;
use crate::garbler::Form;
use crate::garbler::{AnyReady, Counter, Each, Garbler, Kept, Parties, Seat, Terms, seats};
use crate::links::{GateNumbers, Links};
use crate::ports::{check_fit, check_values};
use crate::protocols;
use crate::worker::{self, Evaluate};
use crate::{Bits, Ports, Streaming};
use serde::{Deserialize, Serialize};
use tacit_backend::Boolean;
use tacit_net::{Mesh, PartyId, Phase, Stream};
use tacit_ot::KAPPA;
use tacit_ring::secret::if_set;
use tacit_ring::stored::Block;
use tacit_ring::{Buffer, Entropy, Key, Prg, Seed, StreamIds, hash, word};
use tacit_sharing::cost::Traffic;
use tacit_sharing::latencies::Latencies;
use tacit_sharing::work::Work;
use tacit_sharing::{RoleId, SharingError, stored};
use zeroize::Zeroizing;

/// Who evaluates.
const EVALUATOR: RoleId = 2;

/// Who has a seed with whom: the garblers, for labels; role 1 and the evaluator, for shares of inputs.
const PAIRS: [[RoleId; 2]; 2] = [[0, 1], [1, 2]];

/// What parties have agreed on for a session: every party once.
pub struct ThreeKeys {
    /// The seeds of [`PAIRS`] that this party has.
    seeds: [Option<Seed>; 2],
    given: u64,
}

/// What one worker has of them.
pub struct WorkerKeys {
    number: u64,
    prgs: [Option<Prg>; 2],
    ids: StreamIds,
    /// `R`, at garblers.
    offset: Zeroizing<u128>,
}

impl ThreeKeys {
    /// The seeds of two pairs: one round, 32 bytes each way. `session` must be fresh.
    ///
    /// # Errors
    /// When the network fails, this party plays no role, there are not three, or there is no entropy.
    pub fn exchange(
        mesh: &mut Mesh,
        session: &[u8],
        places: &[PartyId],
        entropy: &mut Entropy,
    ) -> Result<Self, SharingError> {
        mesh.set_phase(Phase::Setup);
        let mut links = Links::new(mesh, places)?;
        if links.parties() != 3 {
            return Err(SharingError::Shape("two garblers and one that evaluates".into()));
        }
        let me = links.me;
        let peer = |pair: [RoleId; 2]| pair.contains(&me).then(|| pair[0] + pair[1] - me);
        let mut mine = [None, None];
        for (mine, pair) in mine.iter_mut().zip(PAIRS) {
            if let Some(peer) = peer(pair) {
                let seed = entropy.seed()?;
                links.send(peer, Stream::On, seed.expose())?;
                *mine = Some(seed);
            }
        }
        let mut seeds = [None, None];
        for ((seed, mine), pair) in seeds.iter_mut().zip(&mine).zip(PAIRS) {
            if let (Some(mine), Some(peer)) = (mine, peer(pair)) {
                let mut theirs = Seed::from_bytes([0; Seed::LEN]);
                links.recv_into(peer, Stream::On, theirs.expose_mut())?;
                let (first, second) = if me < peer { (mine, &theirs) } else { (&theirs, mine) };
                let parts: [&[u8]; 4] =
                    [session, &[pair[0] as u8], first.expose(), second.expose()];
                let common = hash::derive_key("tacit 2026 seed of two of three with Yao", &parts);
                *seed = Some(Seed::from_bytes(common));
            }
        }
        links.mesh.flush()?;
        Ok(ThreeKeys { seeds, given: 0 })
    }

    /// What the next worker needs. All parties ask for as many workers, in the same order.
    #[must_use]
    pub fn worker(&mut self) -> WorkerKeys {
        self.given += 1;
        let number = self.given.to_le_bytes();
        let key = |seed: &Seed| -> Key {
            seed.derive_key("tacit 2026 worker of Yao among three", &[&number])
        };
        let prgs = self.seeds.each_ref().map(|seed| seed.as_ref().map(|seed| Prg::new(&key(seed))));
        let mut offset = Zeroizing::new([0u128]);
        if let Some(seed) = &self.seeds[0] {
            let key: Key = seed.derive_key("tacit 2026 offset of Yao among three", &[]);
            Prg::new(&key).fill(0, 0, word::bytes_mut(&mut *offset));
            offset[0] |= 1;
        }
        let offset = Zeroizing::new(offset[0]);
        WorkerKeys { number: self.given, prgs, ids: StreamIds::new(), offset }
    }
}

/// Garbled circuits at any role. They are used once: by giving them up.
pub struct Ready {
    key: HashKey,
    /// `R`, at garblers.
    offset: Zeroizing<u128>,
    circuits: Vec<Garbled>,
}

/// One of them.
#[derive(Serialize, Deserialize)]
struct Garbled {
    first_gate: u64,
    /// At the evaluator: two blocks per AND.
    table: Buffer<u128>,
    /// At garblers: zero labels of all inputs; of those of the evaluator, the halves one after the other.
    labels: Buffer<u128>,
    /// At role 1 and the evaluator: role 1's shares of the evaluator's inputs.
    shares: Bits,
    /// Lowest bits of the zero labels of the outputs that this party learns.
    decode: Bits,
}

/// A worker of a party.
pub struct YaoThree<'m> {
    links: Links<'m>,
    keys: WorkerKeys,
    key: HashKey,
    gates: GateNumbers,
}

/// A party online.
struct Online<'m> {
    links: Links<'m>,
    hash: Hash,
    offset: Zeroizing<u128>,
}

/// Bytes between the parties for one instance.
fn bytes(ports: Ports<'_>) -> Traffic {
    let blocks = |count: usize| (count * KAPPA / 8) as u64;
    let [given, learned] =
        [[0, 1, 2].map(|role| ports.given_by(role)), [0, 1, 2].map(|role| ports.learned_by(role))];
    let mut sum = Traffic::default();
    sum.def[0][2] += blocks(2 * ports.ands()) + words(learned[2]);
    sum.def[0][1] += words(learned[1]);
    sum.on[2][0] += words(given[2]) + words(learned[0]);
    sum.on[2][1] += words(learned[1]);
    sum.on[0][2] += blocks(given[0] + given[2]);
    sum.on[1][2] += blocks(given[1] + given[2]);
    sum
}

impl WorkerKeys {
    /// Draws what is common: so many labels among garblers, and shares of so many bits of who evaluates, which that one
    /// and role 1 have.
    fn draw(&mut self, labels: usize, given: usize) -> Result<(Buffer<u128>, Bits), SharingError> {
        let id = self.ids.step()?.single();
        let mut drawn = Buffer::zeros(0);
        if let Some(prg) = &self.prgs[0] {
            drawn = Buffer::zeros(labels);
            prg.fill(id.number(), 0, word::bytes_mut(&mut drawn));
        }
        let mut shares = Bits::zeros(given);
        if let Some(prg) = &self.prgs[1] {
            prg.fill(id.number(), 0, word::bytes_mut(&mut shares.words));
            if let Some(last) = shares.words.last_mut() {
                *last &= u64::MAX >> ((64 - given % 64) % 64);
            }
        }
        Ok((drawn, shares))
    }

    /// Sends labels of bits to who evaluates, of zero labels.
    fn show(
        &self,
        links: &mut Links<'_>,
        zeros: &[u128],
        bits: &[u64],
    ) -> Result<(), SharingError> {
        let mut message = Buffer::from_slice(zeros);
        for (i, label) in message.iter_mut().enumerate() {
            *label ^= if_set(bits[i / 64] >> (i % 64) & 1 == 1, *self.offset);
        }
        links.send(EVALUATOR, Stream::On, &message)?;
        // Who evaluates waits for them, and this role perhaps for nothing before many tables.
        Ok(links.mesh.flush()?)
    }

    /// Labels of bits of who evaluates: the sums of those that the garblers send.
    fn labels_of_evaluator(
        &mut self,
        links: &mut Links<'_>,
        bits: &Bits,
        count: usize,
    ) -> Result<Buffer<u128>, SharingError> {
        let (halves, shares) = self.draw(2 * count, count)?;
        if links.me == EVALUATOR {
            let both = shares.words.iter().zip(&bits.words);
            let other: Vec<u64> = both.map(|(share, bits)| share ^ bits).collect();
            links.send(GARBLER, Stream::On, &other)?;
            let mut labels = links.recv::<u128>(GARBLER, Stream::On, count)?;
            let more = links.recv::<u128>(HELPER, Stream::On, count)?;
            labels.iter_mut().zip(&*more).for_each(|(label, more)| *label ^= more);
            return Ok(labels);
        }
        let (first, second) = halves.split_at(count);
        if links.me == HELPER {
            self.show(links, second, &shares.words)?;
            return Ok(Buffer::zeros(count));
        }
        let theirs = links.recv::<u64>(EVALUATOR, Stream::On, count.div_ceil(64))?;
        self.show(links, first, &theirs)?;
        let mut labels = Buffer::from_slice(first);
        labels.iter_mut().zip(second).for_each(|(label, second)| *label ^= second);
        Ok(labels)
    }
}

impl Inputs for WorkerKeys {
    fn labels(
        &mut self,
        links: &mut Links<'_>,
        owner: RoleId,
        bits: &Bits,
        count: usize,
    ) -> Result<Buffer<u128>, SharingError> {
        if owner == EVALUATOR {
            return self.labels_of_evaluator(links, bits, count);
        }
        let (zeros, _) = self.draw(count, 0)?;
        if links.me == owner {
            self.show(links, &zeros, &bits.words)?;
        }
        match links.me {
            EVALUATOR => links.recv(owner, Stream::On, count),
            HELPER => Ok(Buffer::zeros(count)),
            _ => Ok(zeros),
        }
    }
}

impl<'m> YaoThree<'m> {
    /// `places[r]` plays role `r`.
    ///
    /// # Errors
    /// When this mesh's party plays no role.
    pub fn new(
        mesh: &'m mut Mesh,
        places: &[PartyId],
        keys: WorkerKeys,
        session: &[u8],
    ) -> Result<Self, SharingError> {
        let links = Links::new(mesh, places)?;
        // Workers have gates of their own, as they have the same offset.
        let gates = GateNumbers::new(keys.number)?;
        Ok(YaoThree { links, keys, key: hash_key(session), gates })
    }

    /// This worker, for a program, or circuits, whose gates are sent as they are garbled.
    #[must_use]
    pub fn streamed(self) -> Boolean<Streamed<'m>> {
        let YaoThree { links, keys, key, gates } = self;
        let offset = keys.offset.clone();
        Streamed::new(links, (key, gates), offset, (protocols::YAO_THREE, Box::new(keys)))
    }

    /// Draws what is common: labels among garblers, shares of inputs with the evaluator.
    fn begin(&mut self, ports: Ports<'_>) -> Result<Garbled, SharingError> {
        let first_gate = self.gates.take(ports.ands())?;
        let (inputs, given) = (ports.schedule.inputs().len(), ports.given_by(EVALUATOR));
        let (labels, shares) = self.keys.draw(inputs + given, given)?;
        let (table, decode) = (Buffer::default(), Bits::zeros(0));
        Ok(Garbled { first_gate, table, labels, shares, decode })
    }

    /// Role 0 garbles some instances, and sends tables and what decodes outputs.
    fn garble<const N: usize>(
        &mut self,
        ports: Ports<'_>,
        begun: &mut [Garbled; N],
    ) -> Result<(), SharingError> {
        let zeros = begun.each_ref().map(|it| {
            let zero = inputs(ports, &it.labels).map(|halves| halves[0] ^ halves[1]);
            Zeroizing::new(zero.collect::<Vec<u128>>())
        });
        let first = begun.each_ref().map(|it| it.first_gate);
        let hash = Hash::new(self.key);
        let zeros = zeros.each_ref().map(|zero| &zero[..]);
        let (tables, ends) = garble::<N>(&hash, ports, first, *self.keys.offset, zeros)?;
        for (k, (it, table)) in begun.iter_mut().zip(&tables).enumerate() {
            self.links.send(EVALUATOR, Stream::Def, table)?;
            for role in [1, EVALUATOR] {
                self.links.send(role, Stream::Def, &ends.lowest(ports, role, k).words)?;
            }
            it.decode = ends.lowest(ports, GARBLER, k);
        }
        Ok(())
    }

    /// The others take them.
    fn fetch(&mut self, ports: Ports<'_>, it: &mut Garbled) -> Result<(), SharingError> {
        let me = self.links.me;
        if me == EVALUATOR {
            it.table = self.links.recv(GARBLER, Stream::Def, 2 * ports.ands())?;
        }
        it.decode = Bits::zeros(ports.learned_by(me));
        self.links.recv_into(GARBLER, Stream::Def, &mut it.decode.words)
    }
}

impl Online<'_> {
    /// A garbler: sends the labels of its inputs, and of its shares of the evaluator's.
    fn give(&mut self, ports: Ports<'_>, it: &Garbled, values: &Bits) -> Result<(), SharingError> {
        let (me, given) = (self.links.me, ports.given_by(EVALUATOR));
        let theirs = match me {
            GARBLER => self.links.recv::<u64>(EVALUATOR, Stream::On, given.div_ceil(64))?,
            _ => Buffer::from_slice(&it.shares.words),
        };
        let mut message = Buffer::<u128>::zeros(ports.given_by(me) + given);
        let mut out = message.iter_mut();
        let (mut mine, mut shared) = (0, 0);
        for (owner, halves) in ports.owners().zip(inputs(ports, &it.labels)) {
            let (label, bit) = match owner {
                EVALUATOR => {
                    shared += 1;
                    let at = shared - 1;
                    (halves[me], theirs[at / 64] >> (at % 64) & 1 == 1)
                }
                owner if owner == me => {
                    mine += 1;
                    (halves[0] ^ halves[1], values.get(mine - 1))
                }
                _ => continue,
            };
            if let Some(out) = out.next() {
                *out = label ^ if_set(bit, *self.offset);
            }
        }
        self.links.send(EVALUATOR, Stream::On, &message)
    }

    /// The evaluator: takes labels of some instances, evaluates, and tells garblers what they learn, still
    /// masked.
    fn evaluate<const N: usize>(
        &mut self,
        ports: Ports<'_>,
        group: &[Garbled; N],
        learned: &mut Vec<Bits>,
    ) -> Result<(), SharingError> {
        let mut labels = Vec::with_capacity(N);
        for _ in 0..N {
            labels.push(self.labels(ports)?);
        }
        let first = group.each_ref().map(|it| it.first_gate);
        let tables = group.each_ref().map(|it| &it.table[..]);
        let labels = std::array::from_fn(|k| &labels[k][..]);
        let ends = evaluate::<N>(&self.hash, ports, first, tables, labels)?;
        for (k, it) in group.iter().enumerate() {
            for role in [0, 1] {
                self.links.send(role, Stream::On, &ends.lowest(ports, role, k).words)?;
            }
            let mut mine = ends.lowest(ports, EVALUATOR, k);
            mine.words.iter_mut().zip(&it.decode.words).for_each(|(bits, decode)| *bits ^= decode);
            learned.push(mine);
        }
        Ok(())
    }

    /// The labels of all inputs of an instance.
    fn labels(&mut self, ports: Ports<'_>) -> Result<Zeroizing<Vec<u128>>, SharingError> {
        let given = ports.given_by(EVALUATOR);
        let mut messages = Vec::new();
        for role in [0, 1] {
            let count = ports.given_by(role) + given;
            messages.push(self.links.recv::<u128>(role, Stream::On, count)?);
        }
        let mut next = [0, 0];
        let mut take = |role: usize| {
            next[role] += 1;
            messages[role][next[role] - 1]
        };
        let label = |owner| match owner {
            EVALUATOR => take(0) ^ take(1),
            owner => take(owner),
        };
        Ok(Zeroizing::new(ports.owners().map(label).collect()))
    }

    fn give_all(
        &mut self,
        ports: Ports<'_>,
        circuits: Vec<Garbled>,
        values: &[Bits],
    ) -> Result<Vec<Bits>, SharingError> {
        for (it, values) in circuits.iter().zip(values) {
            self.give(ports, it, values)?;
        }
        self.links.mesh.set_step(2);
        let mut learned = Vec::with_capacity(circuits.len());
        for mut bits in circuits.into_iter().map(|it| it.decode) {
            let words = self.links.recv::<u64>(EVALUATOR, Stream::On, bits.words.len())?;
            bits.words.iter_mut().zip(&*words).for_each(|(bit, word)| *bit ^= word);
            learned.push(bits);
        }
        Ok(learned)
    }

    fn evaluate_all(
        &mut self,
        ports: Ports<'_>,
        circuits: Vec<Garbled>,
        values: &[Bits],
    ) -> Result<Vec<Bits>, SharingError> {
        for (it, values) in circuits.iter().zip(values) {
            let both = it.shares.words.iter().zip(&values.words);
            let other: Vec<u64> = both.map(|(share, value)| share ^ value).collect();
            self.links.send(GARBLER, Stream::On, &other)?;
        }
        self.links.mesh.set_step(1);
        let mut learned = Vec::with_capacity(circuits.len());
        for group in circuits.chunks(SIDE) {
            match <&[Garbled; SIDE]>::try_from(group) {
                Ok(group) => self.evaluate(ports, group, &mut learned)?,
                Err(_) => group.iter().try_for_each(|one| {
                    self.evaluate(ports, std::array::from_ref(one), &mut learned)
                })?,
            }
        }
        Ok(learned)
    }
}

/// The zero labels of inputs, each as two halves; the second is nothing but for the evaluator's.
fn inputs<'p>(ports: Ports<'p>, labels: &'p [u128]) -> impl Iterator<Item = [u128; 2]> + 'p {
    let mut rest = labels.iter().copied();
    let owners: Vec<RoleId> = ports.owners().collect();
    owners.into_iter().map(move |owner| {
        let first = rest.next().unwrap_or_default();
        let second = if owner == EVALUATOR { rest.next().unwrap_or_default() } else { 0 };
        [first, second]
    })
}

impl worker::Garbling for YaoThree<'_> {
    type Ready = Ready;

    fn mesh(&mut self) -> &mut Mesh {
        self.links.mesh
    }

    fn prepare(&mut self, ports: Ports<'_>, instances: usize) -> Result<Ready, SharingError> {
        self.links.mesh.set_phase(Phase::Offline);
        let mut circuits = Vec::with_capacity(instances);
        for _ in 0..instances {
            circuits.push(self.begin(ports)?);
        }
        for group in circuits.chunks_mut(SIDE) {
            match (self.links.me, <&mut [Garbled; SIDE]>::try_from(&mut *group)) {
                (GARBLER, Ok(group)) => self.garble(ports, group)?,
                (GARBLER, Err(_)) => group
                    .iter_mut()
                    .try_for_each(|one| self.garble(ports, std::array::from_mut(one)))?,
                _ => group.iter_mut().try_for_each(|it| self.fetch(ports, it))?,
            }
        }
        self.links.mesh.flush()?;
        Ok(Ready { key: self.key, offset: self.keys.offset.clone(), circuits })
    }

    fn streaming<'m>(self, _: &[PartyId]) -> Result<Streaming<'m>, SharingError>
    where
        Self: 'm,
    {
        Ok(Streaming::ByGates(Box::new(self.streamed())))
    }
}

impl Garbled {
    fn fits(&self, ports: Ports<'_>, role: RoleId) -> bool {
        let (inputs, ands) = (ports.schedule.inputs().len(), ports.ands());
        let given = ports.given_by(EVALUATOR);
        let [table, labels] = match role {
            EVALUATOR => [2 * ands, 0],
            _ => [0, inputs + given],
        };
        self.first_gate < 1 << 63
            && [self.table.len(), self.labels.len()] == [table, labels]
            && self.shares.len == given
            && self.decode.len == ports.learned_by(role)
    }
}

impl Evaluate for Ready {
    type Done = Vec<Bits>;

    fn into_bytes(self) -> Result<Buffer<u8>, SharingError> {
        let Ready { key, offset, circuits } = self;
        stored::encode(&(key, Block(offset), circuits))
    }

    fn from_bytes(bytes: Buffer<u8>) -> Result<Self, SharingError> {
        let (key, Block(offset), circuits) = stored::decode(&bytes)?;
        Ok(Ready { key, offset, circuits })
    }

    fn run(
        self,
        mesh: &mut Mesh,
        places: &[PartyId],
        ports: Ports<'_>,
        values: &[Bits],
    ) -> Result<Vec<Bits>, SharingError> {
        let Ready { key, offset, circuits } = self;
        let links = Links::new(mesh, places)?;
        let me = links.me;
        check_fit(places.len() == 3 && circuits.iter().all(|it| it.fits(ports, me)))?;
        check_values(ports, me, circuits.len(), values)?;
        let mut online = Online { links, hash: Hash::new(key), offset };
        online.links.mesh.set_phase(Phase::Online);
        online.links.mesh.set_step(0);
        let learned = match me {
            EVALUATOR => online.evaluate_all(ports, circuits, values),
            _ => online.give_all(ports, circuits, values),
        }?;
        online.links.mesh.flush()?;
        Ok(learned)
    }
}

/// Yao among three parties.
struct AmongThree;

/// The only form.
pub(crate) static YAO_THREE: &dyn Garbler = &AmongThree;

impl Garbler for AmongThree {
    // The table of the half gates.
    fn and_bits(&self, _: &Terms) -> Traffic {
        Traffic::default().sent(GARBLER, EVALUATOR, Stream::Def, 256)
    }

    fn counter(&self, _: &Terms) -> Box<dyn Counter> {
        Each::counter(bytes)
    }

    fn rounds(&self, _: &Terms, ports: Ports<'_>, me: RoleId) -> u64 {
        match me {
            // Shares of role 2's inputs, and what it has evaluated.
            GARBLER => ports.gives(EVALUATOR) + ports.learns(GARBLER),
            HELPER => ports.learns(HELPER),
            // Labels.
            _ => ports.somebody_gives(),
        }
    }

    fn latencies(&self, _: &Terms) -> Latencies {
        // Tables, which nobody answers; shares of inputs, labels, results.
        Latencies { set_up: 3, ahead: 0, online: 3 }
    }

    fn work(&self, _: usize) -> [Work; 2] {
        [Work::blocks(4.0), Work::blocks(2.0)]
    }

    fn kept(&self, _: &Terms) -> Kept {
        Kept { blocks: 48, table_bytes: 32, most_ands: None }
    }

    fn goes_on(&self) -> Option<usize> {
        None
    }

    fn authenticated(&self) -> Option<Form> {
        None
    }

    fn exchange(
        &self,
        mesh: &mut Mesh,
        parties: Parties<'_>,
        entropy: &mut Entropy,
    ) -> Result<Vec<Seat>, SharingError> {
        let mut all = ThreeKeys::exchange(mesh, parties.session, parties.places, entropy)?;
        Ok(seats(
            parties.terms.workers,
            || all.worker(),
            |mesh, at, keys| Ok(Box::new(YaoThree::new(mesh, at.places, keys, at.session)?)),
        ))
    }

    fn ready(&self, bytes: Buffer<u8>) -> Result<Box<dyn AnyReady>, SharingError> {
        Ok(Box::new(Ready::from_bytes(bytes)?))
    }
}
