//! A circuit online: its public values level by level; and shares in their place, level by level.

use super::dense::{dense_words, pack, unpack};
use super::method::Method;
use super::party::Gmw;
use super::wide;
use serde::{Deserialize, Serialize};
use std::ops::Range;
use tacit_circuit::schedule::{Product, Schedule, Slot};
use tacit_net::{PartyId, Stream};
use tacit_ring::{Buffer, Word, Z2, simd, word};
use tacit_sharing::SharingError;
use tacit_sharing::planes::BitPlanes;
use tacit_sharing::shares::Shares;

/// What a circuit's products on so many lanes take, used once: by taking it.
#[derive(Serialize, Deserialize)]
pub struct Tape {
    pub(super) method: Method,
    /// How many lanes the tape is for. Products are made of these lanes alone.
    lanes: usize,
    /// Words, block after block, product after product. On masked values: shares of the masks of results,
    /// of the products of two factors' masks, and of the products of more. Triples: the factors and their
    /// product. Transfers: five runs for every peer ([`super::baselines`]).
    runs: Vec<Buffer<Z2>>,
}

/// How a circuit's lanes are cut: words of a block, and blocks under way together.
#[derive(Clone, Copy)]
pub struct Cut {
    /// Words of a block.
    pub block: usize,
    /// Blocks under way together.
    pub blocks: usize,
}

impl Cut {
    pub(super) fn ranges(self, words: usize) -> Vec<Range<usize>> {
        let block = self.block.max(1);
        (0..words).step_by(block).map(|at| at..(at + block).min(words)).collect()
    }
}

/// Components of a masked value: this party's share of the mask, and the public value.
const MASKED: usize = 2;

/// A block under way online.
pub(super) struct Block<'t> {
    pub at: Range<usize>,
    /// Lanes that messages have, where words would have gaps.
    lanes: Option<usize>,
    pub shares: Shares<Z2>,
    /// What is left of the tape for it.
    left: Vec<&'t [Z2]>,
    /// The part of it for the level under way.
    pub level: Vec<&'t [Z2]>,
}

impl Block<'_> {
    /// The next words of all runs are a level's: so many of each for every word of lanes.
    fn turn(&mut self, words: &[usize]) {
        for ((level, left), words) in self.level.iter_mut().zip(&mut self.left).zip(words) {
            (*level, *left) = left.split_at(words * self.at.len());
        }
    }
}

/// The products of a level.
#[derive(Clone, Copy)]
pub(super) struct Gates<'s> {
    pub schedule: &'s Schedule,
    pub level: usize,
}

impl<'s> Gates<'s> {
    /// The products of two factors.
    pub fn products(self) -> &'s [Product] {
        self.schedule.products(self.level)
    }

    /// The factors and the result of each product of more than two factors.
    pub fn wide(self) -> impl Iterator<Item = (&'s [Slot], Slot)> {
        let schedule = self.schedule;
        let wide = schedule.wide(self.level).iter();
        wide.map(|gate| (schedule.wide_inputs(gate), schedule.wide_outputs(gate)[0]))
    }

    /// The results of all, in the order of a tape.
    pub fn results(self) -> impl Iterator<Item = Slot> {
        let two = self.products().iter().map(|product| product.dst);
        two.chain(self.wide().map(|(_, result)| result))
    }

    fn count(self) -> usize {
        self.products().len() + self.schedule.wide(self.level).len()
    }
}

/// A circuit's products of two factors.
pub(super) fn products_of(schedule: &Schedule) -> usize {
    (0..schedule.depth()).map(|level| schedule.products(level).len()).sum()
}

/// The masks of input ports, in the order of a schedule's inputs.
pub(super) fn inputs<'p>(
    schedule: &'p Schedule,
    ports: &'p [&BitPlanes],
    words: usize,
) -> impl Iterator<Item = (u32, [&'p [Z2]; MASKED])> {
    schedule.inputs().iter().map(move |input| {
        let at = input.bit as usize * words..(input.bit as usize + 1) * words;
        let [mask, public, _] = ports[input.port as usize].shares.components();
        (input.slot, [&mask[at.clone()], &public[at]])
    })
}

impl Gmw<'_> {
    /// The public values of a circuit, from those of its input ports.
    ///
    /// # Errors
    /// When the network fails.
    pub fn evaluate(
        &mut self,
        schedule: &Schedule,
        cut: Cut,
        tape: Tape,
        ports: &[&BitPlanes],
        lanes: usize,
        next_step: &mut dyn FnMut(&mut Self, usize),
    ) -> Result<Vec<BitPlanes>, SharingError> {
        let words = lanes.div_ceil(64);
        let counts = self.method.tape_words(schedule, 0..schedule.depth(), self.places.len());
        let mut outputs = blank(schedule, lanes);
        for group in cut.ranges(words).chunks(cut.blocks.max(1)) {
            let block = |at: &Range<usize>| {
                let mut shares = Shares::with(MASKED, schedule.slots(), at.len());
                for (slot, runs) in inputs(schedule, ports, words) {
                    for (to, run) in shares.runs_mut(slot).into_iter().zip(runs) {
                        to.copy_from_slice(&run[at.clone()]);
                    }
                }
                let runs = tape.runs.iter().zip(&counts);
                let left: Vec<&[Z2]> =
                    runs.map(|(run, count)| &run[count * at.start..count * at.end]).collect();
                let lanes = self.method.packed(lanes);
                Block { at: at.clone(), lanes, shares, level: vec![&[]; left.len()], left }
            };
            let mut group: Vec<Block<'_>> = group.iter().map(block).collect();
            let rounds = self.method.rounds();
            for level in 0..=schedule.depth() {
                if level > 0 && rounds > 1 {
                    next_step(self, rounds * level - 1);
                    for block in &mut group {
                        self.answer_transfers(schedule.products(level - 1), block)?;
                    }
                }
                next_step(self, rounds * level);
                let levels = level..schedule.depth().min(level + 1);
                let words = self.method.tape_words(schedule, levels, self.places.len());
                for block in &mut group {
                    if let Some(last) = level.checked_sub(1) {
                        self.finish(Gates { schedule, level: last }, block)?;
                    }
                    block.shares.linear_with(schedule.linear(level), &[Z2::ZERO, Z2::ONE]);
                    if level < schedule.depth() {
                        block.turn(&words);
                        self.begin(Gates { schedule, level }, block)?;
                    }
                }
            }
            for Block { at, shares, .. } in &group {
                store(schedule, shares, at, words, &mut outputs);
            }
        }
        if self.method == Method::Star {
            // The others wait for what role 0 told last.
            self.mesh.flush()?;
        }
        Ok(outputs)
    }

    /// Computes and sends a level's first messages.
    fn begin(&mut self, gates: Gates<'_>, block: &mut Block<'_>) -> Result<(), SharingError> {
        match self.method {
            Method::Triples(_) => self.begin_triples(gates.products(), block),
            Method::Transfers(_) => self.begin_transfers(gates.products(), block),
            _ => self.begin_masked(gates, block),
        }
    }

    /// Takes a level's last messages.
    fn finish(&mut self, gates: Gates<'_>, block: &mut Block<'_>) -> Result<(), SharingError> {
        match self.method {
            Method::Triples(_) => self.finish_triples(gates.products(), block),
            Method::Transfers(_) => self.finish_transfers(gates.products(), block),
            _ => self.finish_masked(gates, block),
        }
    }

    /// Computes and sends a level's `z`.
    fn begin_masked(
        &mut self,
        gates: Gates<'_>,
        block: &mut Block<'_>,
    ) -> Result<(), SharingError> {
        let words = block.at.len();
        let message = self.message.sized(gates.count() * words);
        let known = self.received.sized(words);
        let products = gates.products();
        let split = products.len() * words;
        let (masks, wide_masks) = block.level[0].split_at(split);
        let (pairs, wide_pairs) = block.level[1].split_at(split);
        let wide_tape = [wide_masks, wide_pairs, block.level[2]];
        let shares = &mut block.shares;
        simd::vectorize(
            #[inline(always)]
            || {
                let (z, wide_z) = message.split_at_mut(split);
                let runs = z.chunks_exact_mut(words).zip(masks.chunks_exact(words));
                for ((gate, (z, masks)), pairs) in
                    products.iter().zip(runs).zip(pairs.chunks_exact(words))
                {
                    let (dst, a, b) = shares.three(gate.dst, gate.a, gate.b);
                    masked_product(dst, [a, b], [masks, pairs], z);
                }
                wide::begin(gates, shares, wide_tape, wide_z, known);
            },
        );
        let adds_up = if self.method == Method::Star { 1 } else { self.places.len() };
        self.send_level(gates, block, 0..adds_up)
    }

    /// Sends the message to some roles, without gaps.
    fn send_level(
        &mut self,
        gates: Gates<'_>,
        block: &Block<'_>,
        to: Range<usize>,
    ) -> Result<(), SharingError> {
        let mut message = &self.message[..gates.count() * block.at.len()];
        if let Some(lanes) = block.lanes {
            let dense = self.received.sized(dense_words(gates.count(), lanes));
            pack(message, lanes, dense);
            message = dense;
        }
        let me = self.mesh.me();
        for peer in self.places[to].iter().filter(|peer| **peer != me) {
            self.mesh.send(*peer, Stream::On, word::bytes(message))?;
        }
        Ok(())
    }

    /// Takes the message of a role, into what is received.
    fn receive_level(
        &mut self,
        gates: Gates<'_>,
        block: &Block<'_>,
        from: PartyId,
    ) -> Result<(), SharingError> {
        let words = gates.count() * block.at.len();
        let Some(lanes) = block.lanes else {
            let received = word::bytes_mut(self.received.sized(words));
            return Ok(self.mesh.recv(from, Stream::On, received)?);
        };
        let dense = self.message.sized(dense_words(gates.count(), lanes));
        self.mesh.recv(from, Stream::On, word::bytes_mut(dense))?;
        unpack(dense, lanes, self.received.sized(words));
        Ok(())
    }

    /// Adds the peers' `z` of a level; around role 0 it does so alone, and tells the others.
    fn finish_masked(
        &mut self,
        gates: Gates<'_>,
        block: &mut Block<'_>,
    ) -> Result<(), SharingError> {
        match (self.method, self.role()) {
            (Method::Star, 0) => {
                self.add_up(gates, block)?;
                self.tell(gates, block)
            }
            (Method::Star, _) => self.hear(gates, block),
            _ => self.add_up(gates, block),
        }
    }

    /// Role 0 tells all others the public values of a level.
    fn tell(&mut self, gates: Gates<'_>, block: &Block<'_>) -> Result<(), SharingError> {
        let words = block.at.len();
        let message = self.message.sized(gates.count() * words);
        for (result, told) in gates.results().zip(message.chunks_exact_mut(words)) {
            told.copy_from_slice(block.shares.runs(result)[1]);
        }
        self.send_level(gates, block, 1..self.places.len())
    }

    /// The others take them.
    fn hear(&mut self, gates: Gates<'_>, block: &mut Block<'_>) -> Result<(), SharingError> {
        let words = block.at.len();
        self.receive_level(gates, block, self.places[0])?;
        for (result, told) in gates.results().zip(self.received.chunks_exact(words)) {
            block.shares.runs_mut(result)[1].copy_from_slice(told);
        }
        Ok(())
    }

    fn add_up(&mut self, gates: Gates<'_>, block: &mut Block<'_>) -> Result<(), SharingError> {
        let words = block.at.len();
        let me = self.mesh.me();
        for at in 0..self.places.len() {
            let peer = self.places[at];
            if peer == me {
                continue;
            }
            self.receive_level(gates, block, peer)?;
            for (result, z) in gates.results().zip(self.received.chunks_exact(words)) {
                let [_, public, _] = block.shares.runs_mut(result);
                public.iter_mut().zip(z).for_each(|(public, z)| *public = public.add(*z));
            }
        }
        Ok(())
    }
}

impl Tape {
    pub(super) fn new(method: Method, lanes: usize, runs: Vec<Buffer<Z2>>) -> Self {
        Tape { method, lanes, runs }
    }

    /// How the products are to be made.
    pub(super) fn method(&self) -> Method {
        self.method
    }

    /// Whether it is for a circuit on so many lanes of so many parties.
    pub(super) fn fits(&self, schedule: &Schedule, lanes: usize, parties: usize) -> bool {
        let wanted = self.method.tape_words(schedule, 0..schedule.depth(), parties);
        let wanted = wanted.into_iter().map(|each| each * lanes.div_ceil(64));
        self.lanes == lanes && self.runs.iter().map(|run| run.len()).eq(wanted)
    }
}

/// A party's `z`, and the result as far as it knows it.
#[inline(always)]
fn masked_product(dst: &mut [Z2], [a, b]: [&[Z2]; 2], [masks, products]: [&[Z2]; 2], z: &mut [Z2]) {
    let words = z.len();
    let (mask, public) = dst.split_at_mut(words);
    let ((a, a_public), (b, b_public)) = (a.split_at(words), b.split_at(words));
    let (masks, products) = (&masks[..words], &products[..words]);
    let (public, a_public, b_public) =
        (&mut public[..words], &a_public[..words], &b_public[..words]);
    for i in 0..words {
        let (u, v) = (a_public[i], b_public[i]);
        let own = products[i].add(masks[i]).add(u.mul(b[i])).add(v.mul(a[i]));
        z[i] = own;
        mask[i] = masks[i];
        public[i] = own.add(u.mul(v));
    }
}

/// Output ports of zeros.
pub(super) fn blank(schedule: &Schedule, lanes: usize) -> Vec<BitPlanes> {
    schedule.outputs().iter().map(|port| BitPlanes::zeros(port.len(), lanes)).collect()
}

/// Copies the output slots of a block to the ports.
pub(super) fn store(
    schedule: &Schedule,
    shares: &Shares<Z2>,
    at: &Range<usize>,
    words: usize,
    ports: &mut [BitPlanes],
) {
    for (slots, port) in schedule.outputs().iter().zip(ports) {
        for (bit, slot) in slots.iter().enumerate() {
            let at = bit * words + at.start..bit * words + at.end;
            let runs = port.shares.components_mut().into_iter().zip(shares.runs(*slot));
            runs.filter(|(_, run)| !run.is_empty())
                .for_each(|(port, run)| port[at.clone()].copy_from_slice(run));
        }
    }
}
