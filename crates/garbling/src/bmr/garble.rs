//! Preprocessing of one instance, message by message.

#[cfg(test)]
mod attack;
#[cfg(test)]
mod shares;

use super::chain::{Blocks, go_on};
use super::common::{Common, Garbled, Hider, drawn_by};
use super::wires::{Gate, walk};
use crate::cot::{Chooser, Offerer, lowest, pads, tweak};
use crate::{Bits, Ports};
use tacit_ot::OtError;
use tacit_ring::Buffer;
use tacit_ring::prg::Permutation;
use tacit_ring::secret::if_set;
use zeroize::Zeroizing;

/// One instance that is being garbled.
pub(crate) struct Garbling<'p> {
    ports: Ports<'p>,
    /// The number of its first AND in the session.
    pub first_gate: u64,
    ands: usize,
    /// All inputs, then all outputs of ANDs, in the layout of [`Wires`].
    sources: Zeroizing<Vec<u128>>,
    /// Products of the masks of ANDs' inputs, in the layout of [`Wires`].
    crossed: Zeroizing<Vec<u128>>,
    /// This party's shares of those products.
    shares: Bits,
    /// By role, pads that this party's masks chose.
    pads: Vec<Bits>,
    /// This party's masks of the first inputs of ANDs.
    lambda_u: Bits,
    /// As `sources`, of outputs that nobody learns, once there are rows.
    kept: Blocks,
}

impl<'p> Garbling<'p> {
    /// Draws labels and masks; what a circuit before kept goes on as it is.
    pub fn new(
        common: &Common,
        ports: Ports<'p>,
        first_gate: u64,
        (random, from): (&[u128], &[u128]),
    ) -> Self {
        let (ands, width, me) = (ports.ands(), width(common), common.me);
        let inputs = ports.schedule.inputs().len();
        let mut sources = Zeroizing::new(vec![0; (inputs + ands) * width]);
        let owners: Vec<usize> = ports.owners().collect();
        for (index, (wire, random)) in sources.chunks_exact_mut(width).zip(random).enumerate() {
            wire[me] = random & !1;
            let mine = owners.get(index).is_none_or(|owner| *owner == me);
            wire[common.parties + me] = if mine { random & 1 } else { 0 };
        }
        go_on(ports, width, &mut sources, from);
        Garbling {
            ports,
            first_gate,
            ands,
            sources,
            crossed: Zeroizing::new(vec![0; ands * width]),
            shares: Bits::zeros(ands),
            pads: (0..common.parties).map(|_| Bits::zeros(ands)).collect(),
            lambda_u: Bits::zeros(ands),
            kept: Zeroizing::default(),
        }
    }

    /// ANDs of the circuit.
    pub fn ands(&self) -> usize {
        self.ands
    }

    /// Blocks that [`Garbling::new`] takes.
    pub fn random_blocks(ports: Ports<'_>) -> usize {
        ports.schedule.inputs().len() + ports.ands()
    }

    /// Round 1: this party's masks, chosen towards `peer`.
    pub fn choose_masks(
        &mut self,
        common: &Common,
        peer: usize,
        chooser: Chooser<'_>,
    ) -> Result<Vec<u64>, OtError> {
        let (width, n, me) = (width(common), common.parties, common.me);
        let chosen = drawn_by(self.ports, me);
        let mut bits = Bits::zeros(chosen.len());
        for (i, source) in chosen.iter().enumerate() {
            bits.flip_if(i, self.sources[source * width + n + me] == 1);
        }
        let sources = &mut self.sources;
        chooser.choose(&bits, |i, block| sources[chosen[i] * width + n + peer] = block)
    }

    /// What `peer` chose in round 1, so many words.
    pub fn masks_message(&self, peer: usize, receiver_words: impl Fn(usize) -> usize) -> usize {
        receiver_words(drawn_by(self.ports, peer).len().div_ceil(64))
    }

    /// Takes what `peer` chose in round 1.
    pub fn take_masks(
        &mut self,
        common: &Common,
        peer: usize,
        offerer: Offerer<'_>,
        message: &[u64],
    ) -> Result<(), OtError> {
        let width = width(common);
        let chosen = drawn_by(self.ports, peer);
        let sources = &mut self.sources;
        offerer.take(chosen.len(), message, |i, block| sources[chosen[i] * width + peer] = block)
    }

    /// Round 2: the cross terms towards every peer, by role.
    pub fn cross(&mut self, common: &Common, pi: &Permutation) -> Vec<Bits> {
        let (n, me, r) = (common.parties, common.me, *common.offset);
        let ands = self.ands;
        let mut keys: Vec<Zeroizing<Vec<u128>>> =
            (0..2 * n).map(|_| Zeroizing::new(Vec::with_capacity(ands))).collect();
        let mut lambda_v = Bits::zeros(ands);
        let (lambda_u, shares) = (&mut self.lambda_u, &mut self.shares);
        walk(self.ports.schedule, width(common), &self.sources, |Gate { number, u, v }| {
            let (mine_u, mine_v) = (u.0[n + me] == 1, v.0[n + me] == 1);
            lambda_u.flip_if(number, mine_u);
            lambda_v.flip_if(number, mine_v);
            shares.flip_if(number, mine_u & mine_v);
            for (keys, block) in keys.iter_mut().zip(u.0) {
                keys.push(*block);
            }
        });
        let hashed = |blocks: &[u128], offset: u128, roles: [usize; 2]| {
            lowest(&pads(pi, tweak(0, self.first_gate, roles), blocks, offset))
        };
        let mut messages: Vec<Bits> = (0..n).map(|_| Bits::zeros(0)).collect();
        for peer in (0..n).filter(|peer| *peer != me) {
            let zeros = hashed(&keys[peer], 0, [me, peer]);
            let mut message = hashed(&keys[peer], r, [me, peer]);
            for (i, word) in message.words.iter_mut().enumerate() {
                *word ^= zeros.words[i] ^ lambda_v.words[i];
                self.shares.words[i] ^= zeros.words[i];
            }
            messages[peer] = message;
            self.pads[peer] = hashed(&keys[n + peer], 0, [peer, me]);
        }
        messages
    }

    /// Takes the cross terms of `peer`.
    pub fn take_cross(&mut self, peer: usize, message: &[u64]) {
        for (i, z) in message.iter().enumerate() {
            self.shares.words[i] ^= self.pads[peer].words[i] ^ (self.lambda_u.words[i] & z);
        }
    }

    /// Adds a share of zero to every product, of which this party's shares are fixed then.
    pub fn fix_products(&mut self, common: &Common, zero: &[u64]) {
        let (width, at) = (width(common), common.parties + common.me);
        self.shares.words.iter_mut().zip(zero).for_each(|(share, zero)| *share ^= zero);
        for (i, product) in self.crossed.chunks_exact_mut(width).enumerate() {
            product[at] = u128::from(self.shares.get(i));
        }
    }

    /// Round 3: this party's shares of products, chosen towards `peer`.
    pub fn choose_products(
        &mut self,
        common: &Common,
        peer: usize,
        chooser: Chooser<'_>,
    ) -> Result<Vec<u64>, OtError> {
        let (width, n) = (width(common), common.parties);
        let crossed = &mut self.crossed;
        chooser.choose(&self.shares, |i, block| crossed[i * width + n + peer] = block)
    }

    /// Takes what `peer` chose in round 3.
    pub fn take_products(
        &mut self,
        common: &Common,
        peer: usize,
        offerer: Offerer<'_>,
        message: &[u64],
    ) -> Result<(), OtError> {
        let width = width(common);
        let crossed = &mut self.crossed;
        offerer.take(self.ands, message, |i, block| crossed[i * width + peer] = block)
    }

    /// Round 4: this party's part of every column, by role. Adds shares of the masks that each role learns
    /// to `masks`, shares of zero.
    pub fn rows(&mut self, common: &Common, masks: &mut [Bits]) -> Vec<Buffer<u128>> {
        let (n, width) = (common.parties, width(common));
        let inputs = self.ports.schedule.inputs().len();
        let mut columns: Vec<Buffer<u128>> = (0..n).map(|_| Buffer::zeros(4 * self.ands)).collect();
        let (sources, crossed) = (&self.sources, &self.crossed);
        let (mut hider, mut hidden) = (common.hider(), Buffer::zeros(4 * n));
        let wires = walk(self.ports.schedule, width, sources, |gate| {
            let number = gate.number;
            let w = &sources[(inputs + number) * width..][..width];
            let product = &crossed[number * width..][..width];
            common.rows(&mut hider, self.first_gate, &gate, [w, product], &mut hidden);
            for (j, column) in columns.iter_mut().enumerate() {
                for row in 0..4 {
                    column[4 * number + row] = hidden[row * n + j];
                }
            }
        });
        for (role, masks) in masks.iter_mut().enumerate() {
            for (i, slot) in self.ports.slots_learned_by(role).enumerate() {
                masks.flip_if(i, wires.get(slot).0[n + common.me] == 1);
            }
        }
        let (at, change) = common.negation();
        self.kept = wires.kept(self.ports, |wire| wire[at] ^= change);
        columns
    }

    /// All inputs, then all outputs of ANDs, and products of the masks of ANDs' inputs, in the layout of [`super::wires::Wires`].
    pub fn wires(&self) -> [&[u128]; 2] {
        [&self.sources, &self.crossed]
    }

    /// What further circuits go on from, once there are rows.
    pub fn take_kept(&mut self) -> Blocks {
        std::mem::take(&mut self.kept)
    }

    /// The garbled circuit, from the table and the masks that this party learns.
    pub fn finish(self, common: &Common, opened: (Vec<u128>, Bits)) -> Garbled {
        let (n, me, width) = (common.parties, common.me, width(common));
        let inputs = self.sources.chunks_exact(width).take(self.ports.schedule.inputs().len());
        Garbled::new(self.first_gate, opened, inputs.map(|wire| (wire[me], wire[n + me])))
    }
}

/// Blocks of a wire.
fn width(common: &Common) -> usize {
    2 * common.parties
}

impl Common {
    /// What the one that negates a mask changes of a wire, and by how much: role 0's share is another, and what the others
    /// have for it changes by their offsets.
    pub fn negation(&self) -> (usize, u128) {
        if self.me == 0 { (self.parties, 1) } else { (0, *self.offset) }
    }

    /// This party's part of the four rows of a gate, row after row a block for every column.
    fn rows(
        &self,
        hider: &mut Hider<'_>,
        first_gate: u64,
        gate: &Gate<'_>,
        [w, product]: [&[u128]; 2],
        out: &mut [u128],
    ) {
        let (n, me, r) = (self.parties, self.me, *self.offset);
        let Gate { number, u: (u, flag_u), v: (v, flag_v) } = *gate;
        hider.hide(first_gate + number as u64, [u[me], v[me]], out);
        for (row, out) in out.chunks_exact_mut(n).enumerate() {
            let (a, b) = (row >> 1 == 1, row & 1 == 1);
            let (a, b) = (u128::from(a ^ flag_u), u128::from(b ^ flag_v));
            let at = |i: usize| product[i] ^ w[i] ^ (a * v[i]) ^ (b * u[i]);
            let mut own = w[me];
            for j in (0..n).filter(|j| *j != me) {
                out[j] ^= at(n + j);
                own ^= at(j);
            }
            let bit = (at(n + me) ^ (a * b)) & 1 == 1;
            out[me] ^= own ^ if_set(bit, r);
        }
    }
}
