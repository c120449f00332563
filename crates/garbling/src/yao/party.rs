//! One worker of one party of Yao's protocol.

use super::gates::{GARBLER, Hash, HashKey, SIDE, evaluate, garble, hash_key};
use crate::bits::words;
use crate::cot::{choose, lowest, take};
use crate::links::{GateNumbers, Links};
use crate::ports::{check_fit, check_values};
use crate::silent::Transfers;
use crate::worker::{self, Evaluate};
use crate::{Bits, Ports, Streaming};
use serde::{Deserialize, Serialize};
use tacit_gmw::WorkerKeys;
use tacit_net::{Mesh, PartyId, Phase, Stream};
use tacit_ot::KAPPA;
use tacit_ring::secret::if_set;
use tacit_ring::stored::Block;
use tacit_ring::{Buffer, Word};
use tacit_sharing::cost::Traffic;
use tacit_sharing::{RoleId, SharingError, stored};
use zeroize::Zeroizing;

/// Garbled circuits at either role. They are used once: by giving them up.
pub struct Ready {
    key: HashKey,
    /// `R` at role 0.
    offset: Zeroizing<u128>,
    circuits: Vec<Garbled>,
}

/// One of them.
#[derive(Serialize, Deserialize)]
struct Garbled {
    first_gate: u64,
    /// At role 1: two blocks per AND.
    table: Buffer<u128>,
    /// At role 0 zero labels of all inputs; at role 1 nothing.
    labels: Buffer<u128>,
    /// Blocks of the OTs for role 1's inputs.
    blocks: Buffer<u128>,
    /// At role 1: the random choices.
    choices: Bits,
    /// Lowest bits of the zero labels of the outputs that this party learns.
    decode: Bits,
}

/// A worker of a party.
pub struct Yao<'m> {
    pub(super) links: Links<'m>,
    /// `R` at role 0.
    pub(super) offset: Zeroizing<u128>,
    pub(super) keys: WorkerKeys,
    pub(super) key: HashKey,
    pub(super) gates: GateNumbers,
    pub(super) transfers: Transfers,
}

/// Bytes between the two parties for one instance, with so many bits per random choice.
pub(super) fn bytes(ports: Ports<'_>, bits: usize) -> Traffic {
    let blocks = |count: usize| (count * KAPPA / 8) as u64;
    let [given_0, given_1] = [0, 1].map(|role| ports.given_by(role));
    let mut sum = Traffic::default();
    sum.def[0][1] += blocks(2 * ports.ands()) + words(ports.learned_by(1));
    sum.def[1][0] += words(given_1) * bits as u64;
    sum.on[0][1] += blocks(given_0 + given_1);
    sum.on[1][0] += words(given_1) + words(ports.learned_by(0));
    sum
}

impl<'m> Yao<'m> {
    /// `places[r]` plays role `r`. The keys' Delta has its lowest bit set.
    ///
    /// # Errors
    /// When this mesh's party plays no role, there are not two, or Delta is not so.
    pub fn new(
        mesh: &'m mut Mesh,
        places: &[PartyId],
        mut keys: WorkerKeys,
        session: &[u8],
    ) -> Result<Self, SharingError> {
        let wrong = |what: &str| SharingError::Shape(what.into());
        let links = Links::new(mesh, places)?;
        if links.parties() != 2 {
            return Err(wrong("two parties garble"));
        }
        let offset = keys.delta.clone().filter(|delta| **delta & 1 == 1);
        let offset = offset.ok_or_else(|| wrong("an offset that is no offset of labels"))?;
        // Workers have gates of their own, as they have the same offset.
        let gates = GateNumbers::new(keys.number)?;
        let transfers = Transfers::of(&mut keys, places.len());
        Ok(Yao { links, offset, keys, key: hash_key(session), gates, transfers })
    }

    pub(super) fn peer(&self) -> RoleId {
        1 - self.links.me
    }

    pub(super) fn send<W: Word>(
        &mut self,
        stream: Stream,
        words: &[W],
    ) -> Result<(), SharingError> {
        self.links.send(self.peer(), stream, words)
    }

    pub(super) fn recv<W: Word>(
        &mut self,
        stream: Stream,
        count: usize,
    ) -> Result<Buffer<W>, SharingError> {
        self.links.recv(self.peer(), stream, count)
    }

    /// Role 0: takes role 1's random choices, and draws labels.
    fn begin(&mut self, ports: Ports<'_>) -> Result<Garbled, SharingError> {
        let (first_gate, chosen) = (self.gates.take(ports.ands())?, ports.given_by(1));
        let blocks = self.take_choices(chosen)?;
        let mut labels = Buffer::zeros(ports.schedule.inputs().len());
        let id = self.keys.ids.step()?.single();
        self.keys.own.stream(id).fill(&mut labels);
        let (table, choices, decode) = (Buffer::default(), Bits::zeros(0), Bits::zeros(0));
        Ok(Garbled { first_gate, table, labels, blocks, choices, decode })
    }

    /// Role 0: blocks for random choices of role 1, which it sends unless they came out before.
    fn take_choices(&mut self, chosen: usize) -> Result<Buffer<u128>, SharingError> {
        let peer = self.peer();
        if let Some(made) = self.transfers.offered(peer) {
            return Ok(Buffer::from_slice(made.next(chosen)));
        }
        let message_words = self.transfers.message_words(chosen.div_ceil(64));
        let message = self.recv::<u64>(Stream::Def, message_words)?;
        let mut blocks = Buffer::zeros(chosen);
        let (_, sender) = self.keys.ends(peer)?;
        let taken = take(sender, chosen, &message, |i, block| blocks[i] = block);
        self.links.checked(peer, taken)?;
        Ok(blocks)
    }

    /// Role 0: garbles some instances, and sends what role 1 needs.
    fn garble<const N: usize>(
        &mut self,
        ports: Ports<'_>,
        all: &mut Vec<Garbled>,
    ) -> Result<(), SharingError> {
        let begun: Vec<Garbled> = (0..N).map(|_| self.begin(ports)).collect::<Result<_, _>>()?;
        let first = std::array::from_fn(|k| begun[k].first_gate);
        let inputs = std::array::from_fn(|k| &begun[k].labels[..]);
        let hash = Hash::new(self.key);
        let (tables, ends) = garble::<N>(&hash, ports, first, *self.offset, inputs)?;
        for (k, (table, garbled)) in tables.iter().zip(begun).enumerate() {
            self.send(Stream::Def, table)?;
            self.send(Stream::Def, &ends.lowest(ports, 1, k).words)?;
            all.push(Garbled { decode: ends.lowest(ports, GARBLER, k), ..garbled });
        }
        Ok(())
    }

    /// Role 1: chooses at random.
    fn choose(&mut self, ports: Ports<'_>) -> Result<Garbled, SharingError> {
        let first_gate = self.gates.take(ports.ands())?;
        let (choices, blocks) = self.random_choices(ports.given_by(1))?;
        let (table, labels, decode) = (Buffer::default(), Buffer::default(), Bits::zeros(0));
        Ok(Garbled { first_gate, table, labels, blocks, choices, decode })
    }

    /// Role 1: random choices, and their blocks. It tells of them, unless they came out before.
    fn random_choices(&mut self, count: usize) -> Result<(Bits, Buffer<u128>), SharingError> {
        let peer = self.peer();
        if let Some(made) = self.transfers.chosen(peer) {
            let blocks = Buffer::from_slice(made.next(count));
            return Ok((lowest(&blocks), blocks));
        }
        let choices = Bits::random(count, &self.keys.own, &mut self.keys.ids)?;
        let mut blocks = Buffer::zeros(choices.len);
        let (receiver, _) = self.keys.ends(peer)?;
        let message = choose(receiver, &choices, |i, block| blocks[i] = block);
        let message = self.links.checked(peer, message)?;
        self.send(Stream::Def, &message)?;
        Ok((choices, blocks))
    }

    /// Role 1: takes the garbled circuit.
    fn take(&mut self, ports: Ports<'_>, garbled: Garbled) -> Result<Garbled, SharingError> {
        let table = self.recv(Stream::Def, 2 * ports.ands())?;
        let mut decode = Bits::zeros(ports.learned_by(1));
        let words = self.recv::<u64>(Stream::Def, decode.words.len())?;
        decode.words.copy_from_slice(&words);
        Ok(Garbled { table, decode, ..garbled })
    }
}

/// A party online.
struct Online<'m> {
    links: Links<'m>,
    hash: Hash,
    offset: Zeroizing<u128>,
}

impl Online<'_> {
    fn send<W: Word>(&mut self, words: &[W]) -> Result<(), SharingError> {
        self.links.send(1 - self.links.me, Stream::On, words)
    }

    fn recv<W: Word>(&mut self, count: usize) -> Result<Buffer<W>, SharingError> {
        self.links.recv(1 - self.links.me, Stream::On, count)
    }

    /// Role 0: sends labels, and takes what it learns.
    fn give(
        &mut self,
        ports: Ports<'_>,
        garbled: Vec<Garbled>,
        values: &[Bits],
    ) -> Result<Vec<Bits>, SharingError> {
        let owners: Vec<RoleId> = ports.owners().collect();
        let chosen = ports.given_by(1);
        for (garbled, values) in garbled.iter().zip(values) {
            let corrections = self.recv::<u64>(chosen.div_ceil(64))?;
            let (mut mine, mut theirs) = (0, 0);
            let mut message = Buffer::<u128>::zeros(owners.len());
            for ((out, owner), label) in message.iter_mut().zip(&owners).zip(&*garbled.labels) {
                if *owner == GARBLER {
                    *out = label ^ if_set(values.get(mine), *self.offset);
                    mine += 1;
                } else {
                    let bit = corrections[theirs / 64] >> (theirs % 64) & 1;
                    let block = garbled.blocks[theirs] ^ (u128::from(bit) * *self.offset);
                    *out = label ^ block;
                    theirs += 1;
                }
            }
            self.send(&message)?;
        }
        self.links.mesh.set_step(2);
        let mut learned = Vec::with_capacity(garbled.len());
        for garbled in garbled {
            let mut bits = garbled.decode;
            let words = self.recv::<u64>(bits.words.len())?;
            bits.words.iter_mut().zip(&*words).for_each(|(bit, word)| *bit ^= word);
            learned.push(bits);
        }
        Ok(learned)
    }

    /// Role 1: takes labels, and evaluates.
    fn evaluate(
        &mut self,
        ports: Ports<'_>,
        garbled: Vec<Garbled>,
        values: &[Bits],
    ) -> Result<Vec<Bits>, SharingError> {
        for (garbled, values) in garbled.iter().zip(values) {
            let both = garbled.choices.words.iter().zip(&values.words);
            let corrections: Vec<u64> = both.map(|(choice, value)| choice ^ value).collect();
            self.send(&corrections)?;
        }
        self.links.mesh.set_step(1);
        let mut learned = Vec::with_capacity(garbled.len());
        for group in garbled.chunks(SIDE) {
            match <&[Garbled; SIDE]>::try_from(group) {
                Ok(group) => self.evaluate_some(ports, group, &mut learned)?,
                Err(_) => group.iter().try_for_each(|one| {
                    self.evaluate_some(ports, std::array::from_ref(one), &mut learned)
                })?,
            }
        }
        Ok(learned)
    }

    fn evaluate_some<const N: usize>(
        &mut self,
        ports: Ports<'_>,
        group: &[Garbled; N],
        learned: &mut Vec<Bits>,
    ) -> Result<(), SharingError> {
        let owners: Vec<RoleId> = ports.owners().collect();
        let mut inputs = Vec::with_capacity(N);
        for garbled in group {
            let mut labels = self.recv::<u128>(owners.len())?;
            let theirs = labels.iter_mut().zip(&owners).filter(|(_, owner)| **owner != GARBLER);
            for ((label, _), block) in theirs.zip(&*garbled.blocks) {
                *label ^= block;
            }
            inputs.push(labels);
        }
        let first = group.each_ref().map(|garbled| garbled.first_gate);
        let tables = group.each_ref().map(|garbled| &garbled.table[..]);
        let inputs = std::array::from_fn(|k| &inputs[k][..]);
        let ends = evaluate::<N>(&self.hash, ports, first, tables, inputs)?;
        for (k, garbled) in group.iter().enumerate() {
            self.send(&ends.lowest(ports, GARBLER, k).words)?;
            let mut mine = ends.lowest(ports, 1, k);
            let decode = mine.words.iter_mut().zip(&garbled.decode.words);
            decode.for_each(|(bits, decode)| *bits ^= decode);
            learned.push(mine);
        }
        Ok(())
    }
}

impl worker::Garbling for Yao<'_> {
    type Ready = Ready;

    fn mesh(&mut self) -> &mut Mesh {
        self.links.mesh
    }

    fn prepare(&mut self, ports: Ports<'_>, instances: usize) -> Result<Ready, SharingError> {
        self.links.mesh.set_phase(Phase::Offline);
        let chosen = instances * ports.given_by(1);
        let counts = if self.links.me == GARBLER { [0, chosen] } else { [chosen, 0] };
        self.transfers.make(&mut self.links, &mut self.keys, |_| counts)?;
        let circuits = if self.links.me == GARBLER {
            let mut all = Vec::with_capacity(instances);
            while all.len() < instances {
                match instances - all.len() {
                    SIDE.. => self.garble::<SIDE>(ports, &mut all)?,
                    _ => self.garble::<1>(ports, &mut all)?,
                }
            }
            all
        } else {
            let chosen: Result<Vec<Garbled>, _> =
                (0..instances).map(|_| self.choose(ports)).collect();
            let taken = chosen?.into_iter().map(|garbled| self.take(ports, garbled));
            taken.collect::<Result<Vec<_>, _>>()?
        };
        self.links.mesh.flush()?;
        Ok(Ready { key: self.key, offset: self.offset.clone(), circuits })
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
        let [labels, table, choices] = match role {
            GARBLER => [inputs, 0, 0],
            _ => [0, 2 * ands, ports.given_by(1)],
        };
        self.first_gate < 1 << 63
            && [self.labels.len(), self.table.len(), self.choices.len] == [labels, table, choices]
            && self.blocks.len() == ports.given_by(1)
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
        check_fit(places.len() == 2 && circuits.iter().all(|it| it.fits(ports, me)))?;
        check_values(ports, me, circuits.len(), values)?;
        let mut online = Online { links, hash: Hash::new(key), offset };
        online.links.mesh.set_phase(Phase::Online);
        online.links.mesh.set_step(0);
        let learned = match me {
            GARBLER => online.give(ports, circuits, values),
            _ => online.evaluate(ports, circuits, values),
        }?;
        online.links.mesh.flush()?;
        Ok(learned)
    }
}
