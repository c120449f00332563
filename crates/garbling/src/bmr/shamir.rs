//! BMR over Shamir's sharing, for parties of which fewer than half pool what they see.
//!
//! What garbled gates are made of ([`super`]) is shared by polynomials over the field of 2^8 elements, byte by
//! byte, of degree `t`, less than half of the parties: a mask is a byte, an offset `R^j` sixteen. Products
//! of shares are shares of products by polynomials of twice the degree, which is all that opening needs.
//! One of any `t + 1` parties is honest, so the labels of `t + 1` parties, the *keepers*, hide the rows well enough:
//! tables have `t + 1` columns, and evaluation takes `(t + 1)^2` blocks per gate.
//!
//! | round | what | bits per AND and link |
//! | --- | --- | --- |
//! | set-up | shares of `R^j` from every keeper, seeds of pairs | |
//! | 1 | shares of masks of AND outputs (and own inputs) | 8 |
//! | 2 | shares of a share of `l_u l_v`, which makes it one of degree `t` again; from the first `2t + 1` parties | 8 |
//! | 3 | to keepers: a part of four rows | 512 |
//! | 4 | from keepers: the sum of four rows | 512 |
//!
//! Parts are masked by shares of zero: without, rows that decrypt would show products of shares, which have
//! the factors of `R^j`.
//!
//! Sources: A. Ben-Efraim, Y. Lindell, E. Omri (CCS 2016) for BMR by BGW; sharing by bytes, and parts that are
//! added without sharing values of the pseudorandom function, are ours; fewer keepers as in A. Ben-Efraim,
//! E. Omri (Latincrypt 2017).

#[cfg(test)]
mod attack;

use super::chain::{Blocks, Worker, agreed, go_on};
use super::columns::{Columns, open};
use super::common::{Common, Garbled, Hider, Ready, add_zeros, drawn_by};
use super::cost;
use super::field::{Multiples, shares, times, weights};
use super::form::Form;
pub use super::keys::{ShamirKeys, WorkerKeys};
use super::wires::{Gate, walk};
use crate::bits::words;
use crate::bmr::{LabelFunction, Opening};
use crate::garbler::{Counter, Each, Garbler, MAX_ANDS, Parties, Seat, Terms, seats};
use crate::links::{GateNumbers, Links, pairs};
use crate::{Bits, Ports};
use std::ops::Range;
use tacit_net::{Mesh, PartyId, Phase, Stream};
use tacit_ring::{Buffer, Entropy, word};
use tacit_sharing::cost::Traffic;
use tacit_sharing::work::Work;
use tacit_sharing::{RoleId, SharingError};
use zeroize::Zeroizing;

/// The largest number of parties that may pool what they see, of so many.
#[must_use]
pub fn corruptions(parties: usize) -> usize {
    parties.div_ceil(2).saturating_sub(1)
}

/// Bytes of a block.
const BYTES: usize = 16;

/// A worker of a party.
pub struct BmrShamir<'m> {
    links: Links<'m>,
    keys: WorkerKeys,
    common: Common,
    gates: GateNumbers,
    /// The largest number of parties that pool what they see.
    corruptions: usize,
    /// What this party's shares count for in values of twice the degree; zero if they are not needed.
    weight: u8,
    /// This party's shares of offsets, times powers of x.
    offsets: Zeroizing<Vec<Multiples>>,
}

/// One instance that is being garbled.
struct Instance {
    first_gate: u64,
    /// Sources of wires: for every input, then every output of an AND, this party's zero label and its share of the
    /// mask, with the part of the mask that it drew itself above.
    sources: Zeroizing<Vec<u128>>,
    /// Shares of products of the masks of ANDs' inputs.
    products: Zeroizing<Vec<u8>>,
    /// As `sources`, of outputs that nobody learns, once there are rows.
    kept: Blocks,
}

/// Blocks of a wire: the zero label, and what there is of the mask.
const WIDTH: usize = 2;

/// The place of what a party drew itself, above its share.
const DRAWN: u32 = 8;

/// Bytes in blocks, zeros behind them.
fn packed(bytes: impl ExactSizeIterator<Item = u8>) -> Buffer<u128> {
    let mut blocks = Buffer::<u128>::zeros(bytes.len().div_ceil(BYTES));
    word::bytes_mut(&mut blocks).iter_mut().zip(bytes).for_each(|(to, byte)| *to = byte);
    blocks
}

impl<'m> BmrShamir<'m> {
    /// `places[r]` plays role `r`. All parties open tables in the same way.
    ///
    /// # Errors
    /// When this mesh's party plays no role.
    pub fn new(
        mesh: &'m mut Mesh,
        places: &[PartyId],
        keys: WorkerKeys,
        session: &[u8],
        opening: Opening,
    ) -> Result<Self, SharingError> {
        let links = Links::new(mesh, places)?;
        let (n, me, t) = (places.len(), links.me, corruptions(places.len()));
        let common = Common::new([n, t + 1], me, (keys.offset.clone(), opening), session);
        let gates = GateNumbers::new(keys.number)?;
        let weight = weights(2 * t + 1).get(me).copied().unwrap_or(0);
        let offsets = keys.offsets.iter().map(|share| Multiples::new(*share)).collect();
        let offsets = Zeroizing::new(offsets);
        Ok(BmrShamir { links, keys, common, gates, corruptions: t, weight, offsets })
    }

    fn add_zeros(&mut self, bytes: &mut [u8]) -> Result<(), SharingError> {
        add_zeros(&self.keys.zeros, &mut self.keys.zero_ids, bytes)
    }

    /// Sends every peer its shares of secrets, and keeps this party's own.
    fn deal(&mut self, secrets: &[u128]) -> Result<Buffer<u128>, SharingError> {
        let random = self.keys.random(self.corruptions * secrets.len())?;
        let mut dealt = shares(secrets, &random, self.common.parties);
        for peer in self.links.peers() {
            self.links.send(peer, Stream::Def, &dealt[peer])?;
        }
        Ok(dealt.swap_remove(self.common.me))
    }

    /// Roles whose shares make values of twice the degree.
    fn multipliers(&self) -> Range<usize> {
        0..2 * self.corruptions + 1
    }

    /// Draws labels and masks, and deals masks.
    fn begin(&mut self, ports: Ports<'_>, from: &[u128]) -> Result<Instance, SharingError> {
        let ands = ports.ands();
        let count = ports.schedule.inputs().len() + ands;
        let first_gate = self.gates.take(ands)?;
        let random = self.keys.random(count)?;
        let drawn = drawn_by(ports, self.common.me);
        let mut sources = Zeroizing::new(vec![0; WIDTH * count]);
        if self.common.is_keeper() {
            let labels = sources.iter_mut().step_by(WIDTH);
            labels.zip(&*random).for_each(|(label, random)| *label = random & !1);
        }
        for at in &drawn {
            sources[WIDTH * at + 1] = (random[*at] & 1) << DRAWN;
        }
        go_on(ports, WIDTH, &mut sources, from);
        let products = Zeroizing::new(vec![0; ands]);
        let mut it = Instance { first_gate, sources, products, kept: Blocks::default() };
        let mine = self.deal(&packed(drawn.iter().map(|at| (random[*at] & 1) as u8)))?;
        it.add_masks(&drawn, &mine);
        Ok(it)
    }

    /// Takes the peers' shares of masks, and deals shares of products.
    fn take_masks(&mut self, ports: Ports<'_>, it: &mut Instance) -> Result<(), SharingError> {
        for peer in self.links.peers() {
            let drawn = drawn_by(ports, peer);
            let theirs = self.links.recv(peer, Stream::Def, drawn.len().div_ceil(BYTES))?;
            it.add_masks(&drawn, &theirs);
        }
        if !self.multipliers().contains(&self.common.me) {
            return Ok(());
        }
        let mut products = Zeroizing::new(vec![0; it.products.len()]);
        walk(ports.schedule, WIDTH, &it.sources, |Gate { number, u, v }| {
            products[number] = times(self.weight, times(u.0[1] as u8, v.0[1] as u8));
        });
        let mine = self.deal(&packed(products.iter().copied()))?;
        it.add_products(&mine);
        Ok(())
    }

    /// Takes the peers' shares of products, and opens rows and masks.
    fn take_products(
        &mut self,
        ports: Ports<'_>,
        it: &mut Instance,
    ) -> Result<Columns, SharingError> {
        let me = self.common.me;
        for peer in self.multipliers().filter(|peer| *peer != me) {
            let blocks = it.products.len().div_ceil(BYTES);
            it.add_products(&self.links.recv(peer, Stream::Def, blocks)?);
        }
        let mut columns: Vec<Buffer<u128>> = Vec::new();
        for _ in 0..self.common.columns {
            let mut column = Buffer::zeros(4 * it.products.len());
            self.add_zeros(word::bytes_mut(&mut column))?;
            columns.push(column);
        }
        let mut masks = Vec::new();
        for role in 0..self.common.parties {
            let mut zero = Bits::zeros(ports.learned_by(role));
            self.add_zeros(word::bytes_mut(&mut zero.words))?;
            masks.push(zero);
        }
        let inputs = ports.schedule.inputs().len();
        let (mut hider, mut hidden) = (self.common.hider(), Buffer::zeros(4 * self.common.columns));
        let wires = walk(ports.schedule, WIDTH, &it.sources, |gate| {
            let w = &it.sources[WIDTH * (inputs + gate.number)..][..WIDTH];
            let (number, product) = (gate.number, it.products[gate.number]);
            self.rows(&mut hider, it.first_gate, &gate, (w, product), &mut hidden);
            for (j, column) in columns.iter_mut().enumerate() {
                for row in 0..4 {
                    column[4 * number + row] ^= hidden[row * self.common.columns + j];
                }
            }
        });
        for (role, masks) in masks.iter_mut().enumerate() {
            for (i, slot) in ports.slots_learned_by(role).enumerate() {
                masks.flip_if(i, wires.get(slot).0[1] >> DRAWN & 1 == 1);
            }
        }
        let drawn = u128::from(me == 0) << DRAWN;
        // A constant is its own share.
        it.kept = wires.kept(ports, |wire| wire[1] ^= 1 | drawn);
        Columns::send(&mut self.links, self.common.opening, columns, masks)
    }

    /// This party's part of the four rows of a gate but for shares of zero, row after row a block for every
    /// column.
    fn rows(
        &self,
        hider: &mut Hider<'_>,
        first_gate: u64,
        gate: &Gate<'_>,
        (w, product): (&[u128], u8),
        out: &mut [u128],
    ) {
        let Common { columns, me, .. } = self.common;
        let Gate { number, u: (u, flag_u), v: (v, flag_v) } = *gate;
        out.fill(0);
        if self.common.is_keeper() {
            hider.hide(first_gate + number as u64, [u[0], v[0]], out);
        }
        for (row, out) in out.chunks_exact_mut(columns).enumerate() {
            let (a, b) = (u8::from((row >> 1 == 1) ^ flag_u), u8::from((row & 1 == 1) ^ flag_v));
            let share = |wire: &[u128]| wire[1] as u8;
            let bit = product ^ share(w) ^ (a * share(v)) ^ (b * share(u)) ^ (a & b);
            let bit = times(self.weight, bit);
            for (out, offset) in out.iter_mut().zip(&*self.offsets) {
                *out ^= offset.times(bit);
            }
            if self.common.is_keeper() {
                out[me] ^= w[0];
            }
        }
    }
}

impl Instance {
    /// Adds shares of what some role drew.
    fn add_masks(&mut self, drawn: &[usize], theirs: &[u128]) {
        for (at, byte) in drawn.iter().zip(word::bytes(theirs)) {
            self.sources[WIDTH * at + 1] ^= u128::from(*byte);
        }
    }

    /// The garbled circuit, from the table and the masks that this party learns.
    fn finish(self, ports: Ports<'_>, opened: (Vec<u128>, Bits)) -> Garbled {
        let inputs = self.sources.chunks_exact(WIDTH).take(ports.schedule.inputs().len());
        let inputs = inputs.map(|wire| (wire[0], wire[1] >> DRAWN & 1));
        Garbled::new(self.first_gate, opened, inputs)
    }

    fn add_products(&mut self, theirs: &[u128]) {
        self.products.iter_mut().zip(word::bytes(theirs)).for_each(|(sum, byte)| *sum ^= byte);
    }
}

impl Worker for BmrShamir<'_> {
    fn width(&self) -> usize {
        WIDTH
    }

    fn mesh(&mut self) -> &mut Mesh {
        self.links.mesh
    }

    fn set_label_function(&mut self, function: LabelFunction) {
        self.common.set_label_function(function);
    }

    fn garble_on(
        &mut self,
        ports: Ports<'_>,
        from: &[Blocks],
    ) -> Result<(Ready, Vec<Blocks>), SharingError> {
        self.links.mesh.set_phase(Phase::Offline);
        let all = from.iter().map(|from| self.begin(ports, from));
        let mut all = all.collect::<Result<Vec<_>, _>>()?;
        for it in &mut all {
            self.take_masks(ports, it)?;
        }
        let opened = all.iter_mut().map(|it| self.take_products(ports, it));
        let opened = opened.collect::<Result<Vec<_>, _>>()?;
        let kept = all.iter_mut().map(|it| std::mem::take(&mut it.kept)).collect();
        let finish = |it: Instance, opened| it.finish(ports, opened);
        let ready = open(&mut self.links, &self.common, (all, opened), ports.ands(), finish)?;
        Ok((ready, kept))
    }
}

/// Bytes between `parties` for one instance.
fn bytes(ports: Ports<'_>, parties: usize, opening: Opening) -> Traffic {
    let ands = ports.ands();
    let t = corruptions(parties);
    let blocks = |count: usize| (count * BYTES) as u64;
    let packed = |bytes: usize| blocks(bytes.div_ceil(BYTES));
    let mut sum = Traffic::default();
    for (from, to) in pairs(parties) {
        let given = ports.given_by(from);
        sum.pre[from][to] += words(ports.learned_by(to));
        let opened = blocks(ands * opening.blocks(t + 1, [from, to]));
        let product = if from <= 2 * t { packed(ands) } else { 0 };
        sum.def[from][to] += packed(given + ands) + product + opened;
        sum.on[from][to] += cost::online(ports, (t + 1, opening), [from, to]);
    }
    sum
}

/// BMR over Shamir's sharing, by bytes.
struct ByBytes;

/// The only form.
pub(crate) static BMR_SHAMIR: &dyn Garbler = &ByBytes;

impl Form for ByBytes {
    fn columns(&self, parties: usize) -> usize {
        corruptions(parties) + 1
    }

    // Bytes of masks and products.
    fn and_bits(&self, parties: usize, [from, _]: [RoleId; 2]) -> u64 {
        8 + if from <= 2 * corruptions(parties) { 8 } else { 0 }
    }

    fn counter(&self, terms: &Terms) -> Box<dyn Counter> {
        let Terms { parties, opening, .. } = *terms;
        Each::counter(move |ports| bytes(ports, parties, opening))
    }

    fn latencies(&self) -> [u64; 2] {
        [3, 2]
    }

    // Those who have labels share bytes, which takes little.
    fn work(&self, _: usize) -> Work {
        Work::gates(6.0)
    }

    fn blocks(&self, parties: usize) -> usize {
        // Tables, and what a wire is authenticated by.
        16 * parties
    }

    fn most_ands(&self, _: usize) -> usize {
        MAX_ANDS
    }

    fn exchange(
        &self,
        mesh: &mut Mesh,
        parties: Parties<'_>,
        entropy: &mut Entropy,
    ) -> Result<Vec<Seat>, SharingError> {
        let mut all = ShamirKeys::exchange(mesh, parties.session, parties.places, entropy)?;
        Ok(seats(
            parties.terms.workers,
            || all.worker(),
            |mesh, at, keys| {
                let party = BmrShamir::new(mesh, at.places, keys, at.session, at.terms.opening)?;
                Ok(agreed(party, &at.terms))
            },
        ))
    }
}
