//! A circuit: its masks ahead, its public values level by level; and shares in place of both, level by level.

use super::method::Method;
use super::party::Gmw;
use crate::convert::BitPlanes;
use crate::party::SharingError;
use crate::shares::Shares;
use serde::{Deserialize, Serialize};
use std::ops::Range;
use tacit_circuit::schedule::{Product, Schedule};
use tacit_net::Stream;
use tacit_ring::{Buffer, Word, Z2, simd, word};

/// What a circuit's products on so many lanes take, used once: by taking it.
#[derive(Serialize, Deserialize)]
pub struct Tape {
    method: Method,
    /// Words, block after block, product after product. On masked values: shares of the masks of results,
    /// and of the products of the factors' masks. Triples: the factors and their product. Transfers: five
    /// runs for every peer ([`super::baselines`]).
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
    fn ranges(self, words: usize) -> Vec<Range<usize>> {
        let block = self.block.max(1);
        (0..words).step_by(block).map(|at| at..(at + block).min(words)).collect()
    }
}

/// Components of a masked value: this party's share of the mask, and the public value.
const MASKED: usize = 2;

/// A block under way online.
pub(super) struct Block<'t> {
    pub at: Range<usize>,
    pub shares: Shares<Z2>,
    /// What is left of the tape for it.
    left: Vec<&'t [Z2]>,
    /// The part of it for the level under way.
    pub level: Vec<&'t [Z2]>,
}

impl Block<'_> {
    /// The next words of all runs are a level's.
    fn turn(&mut self, words: usize) {
        for (level, left) in self.level.iter_mut().zip(&mut self.left) {
            (*level, *left) = left.split_at(words);
        }
    }
}

/// A circuit's products.
pub(super) fn products_of(schedule: &Schedule) -> usize {
    (0..schedule.depth()).map(|level| schedule.products(level).len()).sum()
}

/// The masks of input ports, in the order of a schedule's inputs.
fn inputs<'p>(
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
    /// Begins preprocessing of products of so many words.
    pub fn start(&mut self, schedule: &Schedule, words: usize) {
        self.products.start(products_of(schedule) * words);
    }

    /// Takes the masks of input ports through a circuit: fresh masks for all products, whose own
    /// products are made from here on. Gives the masks of the output ports.
    ///
    /// # Errors
    /// When the network fails.
    pub fn mask(
        &mut self,
        schedule: &Schedule,
        cut: Cut,
        ports: &[&BitPlanes],
        lanes: usize,
    ) -> Result<(Buffer<Z2>, Vec<BitPlanes>), SharingError> {
        let (count, words) = (products_of(schedule), lanes.div_ceil(64));
        let mut masks = Buffer::zeros(count * words);
        self.fresh(&mut masks)?;
        let mut outputs = blank(schedule, lanes);
        for at in cut.ranges(words) {
            let mut slots: Shares<Z2> = Shares::with(1, schedule.slots(), at.len());
            for (slot, [mask, _]) in inputs(schedule, ports, words) {
                slots.runs_mut(slot)[0].copy_from_slice(&mask[at.clone()]);
            }
            let mut fresh = masks[count * at.start..count * at.end].chunks_exact(at.len());
            for level in 0..=schedule.depth() {
                // A negation changes the public value alone.
                slots.linear_with(schedule.linear(level), &[Z2::ZERO]);
                if level == schedule.depth() {
                    break;
                }
                for Product { dst, a, b } in schedule.products(level) {
                    let (mesh, products) = (&mut *self.mesh, &mut self.products);
                    products.push(mesh, slots.runs(*a)[0], slots.runs(*b)[0])?;
                    let mask = fresh.next().ok_or_else(|| {
                        SharingError::Shape("a circuit has more products than it says".into())
                    })?;
                    slots.runs_mut(*dst)[0].copy_from_slice(mask);
                }
            }
            store(schedule, &slots, &at, words, &mut outputs);
        }
        Ok((masks, outputs))
    }

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
        let count = products_of(schedule);
        let mut outputs = blank(schedule, lanes);
        for group in cut.ranges(words).chunks(cut.blocks.max(1)) {
            let block = |at: &Range<usize>| {
                let mut shares = Shares::with(MASKED, schedule.slots(), at.len());
                for (slot, runs) in inputs(schedule, ports, words) {
                    for (to, run) in shares.runs_mut(slot).into_iter().zip(runs) {
                        to.copy_from_slice(&run[at.clone()]);
                    }
                }
                let part = count * at.start..count * at.end;
                let left: Vec<&[Z2]> = tape.runs.iter().map(|run| &run[part.clone()]).collect();
                Block { at: at.clone(), shares, level: vec![&[]; left.len()], left }
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
                for block in &mut group {
                    if let Some(last) = level.checked_sub(1) {
                        self.finish(schedule.products(last), block)?;
                    }
                    block.shares.linear_with(schedule.linear(level), &[Z2::ZERO, Z2::ONE]);
                    if level < schedule.depth() {
                        self.begin(schedule.products(level), block)?;
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
    fn begin(&mut self, gates: &[Product], block: &mut Block<'_>) -> Result<(), SharingError> {
        block.turn(gates.len() * block.at.len());
        match self.method {
            Method::Masked | Method::Silent | Method::Star => self.begin_masked(gates, block),
            Method::Triples => self.begin_triples(gates, block),
            Method::Transfers => self.begin_transfers(gates, block),
        }
    }

    /// Takes a level's last messages.
    fn finish(&mut self, gates: &[Product], block: &mut Block<'_>) -> Result<(), SharingError> {
        match self.method {
            Method::Masked | Method::Silent | Method::Star => self.finish_masked(gates, block),
            Method::Triples => self.finish_triples(gates, block),
            Method::Transfers => self.finish_transfers(gates, block),
        }
    }

    /// Computes and sends a level's `z`.
    fn begin_masked(
        &mut self,
        gates: &[Product],
        block: &mut Block<'_>,
    ) -> Result<(), SharingError> {
        let words = block.at.len();
        let message = self.message.sized(gates.len() * words);
        let (masks, products) = (block.level[0], block.level[1]);
        let shares = &mut block.shares;
        simd::vectorize(
            #[inline(always)]
            || {
                let runs = message.chunks_exact_mut(words).zip(masks.chunks_exact(words));
                for ((gate, (z, masks)), products) in
                    gates.iter().zip(runs).zip(products.chunks_exact(words))
                {
                    let (dst, a, b) = shares.three(gate.dst, gate.a, gate.b);
                    masked_product(dst, [a, b], [masks, products], z);
                }
            },
        );
        let (me, star) = (self.mesh.me(), self.method == Method::Star);
        let adds_up = if star { 1 } else { self.places.len() };
        for peer in self.places[..adds_up].iter().filter(|peer| **peer != me) {
            self.mesh.send(*peer, Stream::On, word::bytes(message))?;
        }
        Ok(())
    }

    /// Adds the peers' `z` of a level; around role 0 it does so alone, and tells the others.
    fn finish_masked(
        &mut self,
        gates: &[Product],
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
    fn tell(&mut self, gates: &[Product], block: &Block<'_>) -> Result<(), SharingError> {
        let words = block.at.len();
        let message = self.message.sized(gates.len() * words);
        for (gate, told) in gates.iter().zip(message.chunks_exact_mut(words)) {
            told.copy_from_slice(block.shares.runs(gate.dst)[1]);
        }
        for peer in &self.places[1..] {
            self.mesh.send(*peer, Stream::On, word::bytes(message))?;
        }
        Ok(())
    }

    /// The others take them.
    fn hear(&mut self, gates: &[Product], block: &mut Block<'_>) -> Result<(), SharingError> {
        let words = block.at.len();
        let received = self.received.sized(gates.len() * words);
        self.mesh.recv(self.places[0], Stream::On, word::bytes_mut(received))?;
        for (gate, told) in gates.iter().zip(received.chunks_exact(words)) {
            block.shares.runs_mut(gate.dst)[1].copy_from_slice(told);
        }
        Ok(())
    }

    fn add_up(&mut self, gates: &[Product], block: &mut Block<'_>) -> Result<(), SharingError> {
        let words = block.at.len();
        let received = self.received.sized(gates.len() * words);
        let me = self.mesh.me();
        for peer in self.places.iter().filter(|peer| **peer != me) {
            self.mesh.recv(*peer, Stream::On, word::bytes_mut(received))?;
            for (gate, z) in gates.iter().zip(received.chunks_exact(words)) {
                let [_, public, _] = block.shares.runs_mut(gate.dst);
                public.iter_mut().zip(z).for_each(|(public, z)| *public = public.add(*z));
            }
        }
        Ok(())
    }
}

impl Tape {
    pub(super) fn new(method: Method, runs: Vec<Buffer<Z2>>) -> Self {
        Tape { method, runs }
    }

    /// How the products are to be made.
    pub(super) fn method(&self) -> Method {
        self.method
    }

    /// Whether it is for a circuit on so many words of lanes of so many parties.
    pub(super) fn fits(&self, schedule: &Schedule, words: usize, parties: usize) -> bool {
        let wanted = products_of(schedule) * words;
        self.runs.len() == self.method.tape_words(parties)
            && self.runs.iter().all(|run| run.len() == wanted)
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

fn blank(schedule: &Schedule, lanes: usize) -> Vec<BitPlanes> {
    schedule.outputs().iter().map(|port| BitPlanes::zeros(port.len(), lanes)).collect()
}

/// Copies the output slots of a block to the ports.
fn store(
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
