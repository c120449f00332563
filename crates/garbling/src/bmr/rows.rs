//! Preprocessing of one instance where every row is multiplied, message by message.

use super::chain::{Blocks, go_on};
use super::common::{Common, Garbled};
use super::transfer::{answer, resolve};
use super::wires::{Gate, walk};
use crate::bmr::Products;
use crate::cot::{choose, lowest, pads, take, tweak};
use crate::{Bits, Ports};
use tacit_ot::{OtError, Receiver, Sender};
use tacit_ring::Buffer;
use tacit_ring::prg::Permutation;
use tacit_ring::secret::{if_set, mask};
use zeroize::Zeroizing;

/// Blocks of a wire: this party's zero label, and its share of the mask.
pub(super) const WIDTH: usize = 2;

/// One instance that is being garbled.
pub(super) struct Rows<'p> {
    ports: Ports<'p>,
    products: Products,
    first_gate: u64,
    ands: usize,
    /// All inputs, then all outputs of ANDs, in the layout of [`super::wires::Wires`].
    sources: Zeroizing<Vec<u128>>,
    /// This party's masks of both inputs of ANDs.
    lambdas: [Bits; 2],
    /// Its shares of their products.
    crossed: Bits,
    /// Its shares of the bits of rows that are multiplied: all gates' first rows, then all second ones, and
    /// so on.
    bits: Bits,
    /// By role, pads that this party's masks chose.
    pads: Vec<Bits>,
    /// By role, this party's shares of those bits times the role's offset.
    parts: Vec<Zeroizing<Vec<u128>>>,
    /// As `sources`, of outputs that nobody learns, once there are rows.
    kept: Blocks,
}

impl<'p> Rows<'p> {
    /// Draws labels and masks.
    pub fn new(
        common: &Common,
        ports: Ports<'p>,
        products: Products,
        first_gate: u64,
        (random, from): (&[u128], &[u128]),
    ) -> Self {
        let ands = ports.ands();
        let count = ports.schedule.inputs().len() + ands;
        let mut sources = Zeroizing::new(vec![0; count * WIDTH]);
        let owners: Vec<usize> = ports.owners().collect();
        for (index, (wire, random)) in sources.chunks_exact_mut(WIDTH).zip(random).enumerate() {
            wire[0] = random & !1;
            let mine = owners.get(index).is_none_or(|owner| *owner == common.me);
            wire[1] = if mine { random & 1 } else { 0 };
        }
        go_on(ports, WIDTH, &mut sources, from);
        let mut lambdas = [Bits::zeros(ands), Bits::zeros(ands)];
        let mut crossed = Bits::zeros(ands);
        walk(ports.schedule, WIDTH, &sources, |Gate { number, u, v }| {
            let [u, v] = [u.0[1] == 1, v.0[1] == 1];
            lambdas[0].flip_if(number, u);
            lambdas[1].flip_if(number, v);
            crossed.flip_if(number, u & v);
        });
        let bits = Bits::zeros(products.rows() * ands);
        let part = || Zeroizing::new(vec![0; bits.len]);
        let parts = (0..common.parties).map(|_| part()).collect();
        let pads = (0..common.parties).map(|_| Bits::zeros(ands)).collect();
        Rows {
            ports,
            products,
            first_gate,
            ands,
            sources,
            lambdas,
            crossed,
            bits,
            pads,
            parts,
            kept: Blocks::default(),
        }
    }

    /// Blocks that [`Rows::new`] takes.
    pub fn random_blocks(ports: Ports<'_>) -> usize {
        ports.schedule.inputs().len() + ports.ands()
    }

    /// Round 1: this party's masks of second inputs, chosen towards `peer`.
    pub fn choose_masks(
        &mut self,
        [me, peer]: [usize; 2],
        pi: &Permutation,
        receiver: &mut Receiver,
    ) -> Result<Vec<u64>, OtError> {
        let mut blocks = Zeroizing::new(vec![0; self.ands]);
        let message = choose(receiver, &self.lambdas[1], |i, block| blocks[i] = block)?;
        self.pads[peer] = lowest(&pads(pi, tweak(0, self.first_gate, [peer, me]), &blocks, 0));
        Ok(message)
    }

    /// Words of masks that are chosen.
    pub fn mask_words(&self) -> usize {
        self.crossed.words.len()
    }

    /// Words of bits of rows that are chosen.
    pub fn row_words(&self) -> usize {
        self.bits.words.len()
    }

    /// Round 2: takes what `peer` chose, and answers with this party's masks of first inputs. `random` are the
    /// shares where both bits are sent, else nothing.
    pub fn answer_masks(
        &mut self,
        common: &Common,
        peer: usize,
        (pi, sender): (&Permutation, &mut Sender),
        message: &[u64],
        random: &[u64],
    ) -> Result<Buffer<u64>, OtError> {
        let mut blocks = Zeroizing::new(vec![0; self.ands]);
        take(sender, self.ands, message, |i, block| blocks[i] = block)?;
        let tweak = tweak(0, self.first_gate, [common.me, peer]);
        let [zeros, ones] =
            [0, *common.offset].map(|offset| lowest(&pads(pi, tweak, &blocks, offset)));
        let (lambda_u, crossed) = (&self.lambdas[0].words, &mut self.crossed.words);
        let both = [&zeros.words[..], &ones.words[..]];
        Ok(answer(both, random, |i| lambda_u[i], |i, share| crossed[i] ^= share))
    }

    /// Takes what `peer` answered.
    pub fn take_masks(&mut self, peer: usize, message: &[u64]) {
        let (lambda_v, pads) = (&self.lambdas[1].words, &mut self.pads[peer].words);
        resolve(pads, message, |i| lambda_v[i]);
        self.crossed.words.iter_mut().zip(&*pads).for_each(|(sum, pad)| *sum ^= pad);
    }

    /// This party's shares of the bits of rows, and its own products with its offset.
    pub fn fix_bits(&mut self, common: &Common) {
        let (ands, first) = (self.ands, common.me == 0);
        let inputs = self.ports.schedule.inputs().len();
        let (bits, crossed, sources) = (&mut self.bits, &self.crossed, &self.sources);
        walk(self.ports.schedule, WIDTH, sources, |Gate { number, u, v }| {
            let base = crossed.get(number) ^ (sources[(inputs + number) * WIDTH + 1] == 1);
            for row in 0..self.products.rows() {
                let (a, b) = ((row >> 1 == 1) ^ u.1, (row & 1 == 1) ^ v.1);
                let bit = base ^ (a & (v.0[1] == 1)) ^ (b & (u.0[1] == 1)) ^ (first & a & b);
                bits.flip_if(row * ands + number, bit);
            }
        });
        for (i, part) in self.parts[common.me].iter_mut().enumerate() {
            *part = if_set(self.bits.get(i), *common.offset);
        }
    }

    /// Round 3: this party's shares of the bits of rows, chosen towards `peer`.
    pub fn choose_rows(
        &mut self,
        [me, peer]: [usize; 2],
        pi: &Permutation,
        receiver: &mut Receiver,
    ) -> Result<Vec<u64>, OtError> {
        let part = &mut self.parts[peer];
        let message = choose(receiver, &self.bits, |i, block| part[i] = block)?;
        if self.products.blocks() > 0 {
            let hashed = self.hashed(pi, [peer, me], &self.parts[peer], 0);
            self.parts[peer] = hashed;
        }
        Ok(message)
    }

    /// Pads for the bits of all rows.
    fn hashed(
        &self,
        pi: &Permutation,
        roles: [usize; 2],
        blocks: &[u128],
        offset: u128,
    ) -> Zeroizing<Vec<u128>> {
        let rows = (1..).zip(blocks.chunks(self.ands.max(1)));
        let row =
            |(purpose, blocks)| pads(pi, tweak(purpose, self.first_gate, roles), blocks, offset);
        let mut all = Zeroizing::new(Vec::with_capacity(blocks.len()));
        rows.map(row).for_each(|row| all.extend_from_slice(&row));
        all
    }

    /// Round 4: takes what `peer` chose, and answers with this party's offset. `random` are the shares where
    /// both strings are sent, else nothing. Where transfers are correlated by the offset there is no answer.
    pub fn answer_rows(
        &mut self,
        common: &Common,
        peer: usize,
        (pi, sender): (&Permutation, &mut Sender),
        message: &[u64],
        random: &[u128],
    ) -> Result<Buffer<u128>, OtError> {
        let (me, r) = (common.me, *common.offset);
        let mut blocks = Zeroizing::new(vec![0; self.bits.len]);
        take(sender, self.bits.len, message, |i, block| blocks[i] = block)?;
        if self.products.blocks() == 0 {
            self.parts[me].iter_mut().zip(&*blocks).for_each(|(part, block)| *part ^= block);
            return Ok(Buffer::default());
        }
        let [zeros, ones] = [0, r].map(|offset| self.hashed(pi, [me, peer], &blocks, offset));
        let part = &mut self.parts[me];
        Ok(answer([&zeros, &ones], random, |_| r, |i, share| part[i] ^= share))
    }

    /// Takes what `peer` answered, if it did.
    pub fn take_rows(&mut self, peer: usize, message: &[u128]) {
        let bits = &self.bits;
        resolve(&mut self.parts[peer], message, |i| mask(bits.get(i).into()));
    }

    /// Round 5: this party's part of every column, by role. Adds shares of the masks that each role learns
    /// to `masks`, shares of zero.
    pub fn columns(&mut self, common: &Common, masks: &mut [Bits]) -> Vec<Buffer<u128>> {
        let (n, me, ands) = (common.parties, common.me, self.ands);
        let inputs = self.ports.schedule.inputs().len();
        let mut columns: Vec<Buffer<u128>> = (0..n).map(|_| Buffer::zeros(4 * ands)).collect();
        let (mut hider, mut hidden) = (common.hider(), Buffer::zeros(4 * n));
        let wires = walk(self.ports.schedule, WIDTH, &self.sources, |Gate { number, u, v }| {
            hider.hide(self.first_gate + number as u64, [u.0[0], v.0[0]], &mut hidden);
            for (j, column) in columns.iter_mut().enumerate() {
                let mut entries = self.entries(common, j, number);
                if j == me {
                    let label = self.sources[(inputs + number) * WIDTH];
                    entries.iter_mut().for_each(|entry| *entry ^= label);
                }
                for (row, entry) in entries.into_iter().enumerate() {
                    column[4 * number + row] = entry ^ hidden[row * n + j];
                }
            }
        });
        for (role, masks) in masks.iter_mut().enumerate() {
            for (i, slot) in self.ports.slots_learned_by(role).enumerate() {
                masks.flip_if(i, wires.get(slot).0[1] == 1);
            }
        }
        self.kept = wires.kept(self.ports, |wire| wire[1] ^= u128::from(me == 0));
        columns
    }

    /// What further circuits go on from, once there are rows.
    pub fn take_kept(&mut self) -> Blocks {
        std::mem::take(&mut self.kept)
    }

    /// This party's shares of the bits of a gate's rows times the offset of `j`. The four bits add up to one.
    fn entries(&self, common: &Common, j: usize, gate: usize) -> [u128; 4] {
        let at = |row: usize| self.parts[j][row * self.ands + gate];
        let [first, second, third] = [at(0), at(1), at(2)];
        let last = match self.products.rows() {
            4 => at(3),
            _ => first ^ second ^ third ^ (u128::from(j == common.me) * *common.offset),
        };
        [first, second, third, last]
    }

    /// The garbled circuit, from the table and the masks that this party learns.
    pub fn finish(self, opened: (Vec<u128>, Bits)) -> Garbled {
        let inputs = self.sources.chunks_exact(WIDTH).take(self.ports.schedule.inputs().len());
        Garbled::new(self.first_gate, opened, inputs.map(|wire| (wire[0], wire[1])))
    }
}
