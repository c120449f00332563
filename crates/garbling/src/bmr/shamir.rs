//! BMR over Shamir's sharing, for parties of which fewer than half pool what they see.
//!
//! What garbled gates are made of ([`super`]) is shared by polynomials over the field of 2^8 elements, byte by
//! byte, of degree `t`, less than half of the parties: a mask is a byte, an offset `R^j` sixteen. Products
//! of shares are shares of products by polynomials of twice the degree, which is all that opening needs.
//! Of any `t + 1` parties one is honest, so that the labels of `t + 1` parties, the *keepers*, hide the rows
//! well enough: tables have `t + 1` columns, and evaluation takes `(t + 1)^2` blocks per gate.
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

use super::columns::Opening;
use super::common::{Common, Garbled, Ready, drawn_by};
use super::field::{Multiples, shares, times, weights};
use super::wires::{Gate, walk};
use crate::links::{GateNumbers, Links};
use crate::prf::combine;
use crate::{Bits, Ports, ports};
use std::ops::Range;
use tacit_net::{Mesh, PartyId, Phase, Stream};
use tacit_ring::{Buffer, Entropy, Key, Prg, Seed, StreamIds, hash, word};
use tacit_sharing::SharingError;
use tacit_sharing::cost::Traffic;
use zeroize::Zeroizing;

/// The largest number of parties that may pool what they see, of so many.
#[must_use]
pub fn corruptions(parties: usize) -> usize {
    parties.div_ceil(2).saturating_sub(1)
}

/// Bytes of a block.
const BYTES: usize = 16;

/// What parties have agreed on for a session: every party once.
pub struct ShamirKeys {
    /// With every other party, by role.
    pairs: Vec<Option<Seed>>,
    own: Seed,
    /// `R` of this party, if it is a keeper.
    offset: Zeroizing<u128>,
    /// This party's shares of the keepers' `R`.
    offsets: Zeroizing<Vec<u128>>,
    given: u64,
}

/// What one worker has of them.
pub struct WorkerKeys {
    number: u64,
    own: Prg,
    ids: StreamIds,
    zeros: Vec<Prg>,
    zero_ids: StreamIds,
    offset: Zeroizing<u128>,
    offsets: Zeroizing<Vec<u128>>,
}

impl ShamirKeys {
    /// Seeds of all pairs, and shares of offsets: one round, 32 or 48 bytes per directed link. `session`
    /// must be fresh.
    ///
    /// # Errors
    /// When the network fails, this party plays no role, there are fewer than three, or there is no entropy.
    pub fn exchange(
        mesh: &mut Mesh,
        session: &[u8],
        places: &[PartyId],
        entropy: &mut Entropy,
    ) -> Result<Self, SharingError> {
        if places.len() < 3 {
            return Err(SharingError::Shape("fewer than three parties have no majority".into()));
        }
        mesh.set_phase(Phase::Setup);
        let mut links = Links::new(mesh, places)?;
        let (n, me, t) = (places.len(), links.me, corruptions(places.len()));
        let own = entropy.seed()?;
        let mut secrets = Zeroizing::new(vec![0u128; 1 + t]);
        Prg::new(&own.derive_key("tacit 2026 offset of a keeper", &[])).fill(
            0,
            0,
            word::bytes_mut(&mut secrets),
        );
        let offset = Zeroizing::new(if me <= t { secrets[0] | 1 } else { 0 });
        let dealt = shares(&[*offset], &secrets[1..], n);
        let mut seeds: Vec<Option<Seed>> = Vec::new();
        for (peer, share) in dealt.iter().enumerate() {
            seeds.push(match peer == me {
                true => None,
                false => {
                    let seed = entropy.seed()?;
                    links.send(peer, Stream::On, seed.expose())?;
                    if me <= t {
                        links.send(peer, Stream::On, share)?;
                    }
                    Some(seed)
                }
            });
        }
        let mut offsets = Zeroizing::new(vec![0u128; t + 1]);
        let mut pairs = Vec::new();
        for (peer, mine) in seeds.iter().enumerate() {
            let Some(mine) = mine else {
                pairs.push(None);
                if me <= t {
                    offsets[me] = dealt[me][0];
                }
                continue;
            };
            let mut theirs = Seed::from_bytes([0; Seed::LEN]);
            links.recv_into(peer, Stream::On, theirs.expose_mut())?;
            if peer <= t {
                links.recv_into(peer, Stream::On, &mut offsets[peer..=peer])?;
            }
            let (first, second) = if me < peer { (mine, &theirs) } else { (&theirs, mine) };
            let roles = [me.min(peer) as u8, me.max(peer) as u8];
            let parts: [&[u8]; 4] = [session, &roles, first.expose(), second.expose()];
            let seed = hash::derive_key("tacit 2026 seed of two parties of BMR", &parts);
            pairs.push(Some(Seed::from_bytes(seed)));
        }
        links.mesh.flush()?;
        Ok(ShamirKeys { pairs, own, offset, offsets, given: 0 })
    }

    /// What the next worker needs. All parties ask for as many workers, in the same order.
    #[must_use]
    pub fn worker(&mut self) -> WorkerKeys {
        self.given += 1;
        let number = self.given.to_le_bytes();
        let own: Key = self.own.derive_key("tacit 2026 labels and masks of a worker", &[&number]);
        let zero = |seed: &Seed| {
            Prg::new(&seed.derive_key("tacit 2026 BMR zeros of a worker", &[&number]))
        };
        WorkerKeys {
            number: self.given,
            own: Prg::new(&own),
            ids: StreamIds::new(),
            zeros: self.pairs.iter().flatten().map(zero).collect(),
            zero_ids: StreamIds::new(),
            offset: self.offset.clone(),
            offsets: self.offsets.clone(),
        }
    }
}

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
    /// Of all inputs, then of all outputs of ANDs: this party's zero label, and its share of the mask, with
    /// the part of the mask that it drew itself above.
    sources: Zeroizing<Vec<u128>>,
    /// Shares of products of the masks of ANDs' inputs.
    products: Zeroizing<Vec<u8>>,
}

/// The place of what a party drew itself, above its share.
const DRAWN: u32 = 8;

/// Bytes in blocks, zeros behind them.
fn packed(bytes: impl ExactSizeIterator<Item = u8>) -> Buffer<u128> {
    let mut blocks = Buffer::<u128>::zeros(bytes.len().div_ceil(BYTES));
    word::bytes_mut(&mut blocks).iter_mut().zip(bytes).for_each(|(to, byte)| *to = byte);
    blocks
}

impl<'m> BmrShamir<'m> {
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
        let (n, me, t) = (places.len(), links.me, corruptions(places.len()));
        let common = Common::new([n, t + 1], me, keys.offset.clone(), session);
        let gates = GateNumbers::new(keys.number)?;
        let weight = weights(2 * t + 1).get(me).copied().unwrap_or(0);
        let offsets = keys.offsets.iter().map(|share| Multiples::new(*share)).collect();
        let offsets = Zeroizing::new(offsets);
        Ok(BmrShamir { links, keys, common, gates, corruptions: t, weight, offsets })
    }

    fn random(&mut self, blocks: usize) -> Result<Buffer<u128>, SharingError> {
        let mut random = Buffer::zeros(blocks);
        let id = self.keys.ids.step()?.single();
        self.keys.own.stream(id).fill(&mut random);
        Ok(random)
    }

    /// Shares of zero.
    fn zeros(&mut self, bytes: &mut [u8]) -> Result<(), SharingError> {
        let number = self.keys.zero_ids.step()?.single().number();
        let mut part = Buffer::<u8>::zeros(bytes.len());
        for prg in &self.keys.zeros {
            prg.fill(number, 0, &mut part);
            bytes.iter_mut().zip(&*part).for_each(|(byte, part)| *byte ^= part);
        }
        Ok(())
    }

    /// Sends every peer its shares of secrets, and keeps this party's own.
    fn deal(&mut self, secrets: &[u128]) -> Result<Buffer<u128>, SharingError> {
        let random = self.random(self.corruptions * secrets.len())?;
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
    fn begin(&mut self, ports: Ports<'_>) -> Result<Instance, SharingError> {
        let ands = ports.ands();
        let count = ports.schedule.inputs().len() + ands;
        let first_gate = self.gates.take(ands)?;
        let random = self.random(count)?;
        let drawn = drawn_by(ports, self.common.me);
        let mut sources = Zeroizing::new(vec![0; 2 * count]);
        if self.common.is_keeper() {
            let labels = sources.iter_mut().step_by(2);
            labels.zip(&*random).for_each(|(label, random)| *label = random & !1);
        }
        for at in &drawn {
            sources[2 * at + 1] = (random[*at] & 1) << DRAWN;
        }
        let mut it = Instance { first_gate, sources, products: Zeroizing::new(vec![0; ands]) };
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
        walk(ports.schedule, 2, &it.sources, |Gate { number, u, v }| {
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
    ) -> Result<Opening, SharingError> {
        let me = self.common.me;
        for peer in self.multipliers().filter(|peer| *peer != me) {
            let blocks = it.products.len().div_ceil(BYTES);
            it.add_products(&self.links.recv(peer, Stream::Def, blocks)?);
        }
        let mut columns: Vec<Buffer<u128>> = Vec::new();
        for _ in 0..self.common.columns {
            let mut column = Buffer::zeros(4 * it.products.len());
            self.zeros(word::bytes_mut(&mut column))?;
            columns.push(column);
        }
        let mut masks = Vec::new();
        for role in 0..self.common.parties {
            let mut zero = Bits::zeros(ports.learned_by(role));
            self.zeros(word::bytes_mut(&mut zero.words))?;
            masks.push(zero);
        }
        let inputs = ports.schedule.inputs().len();
        let mut hidden = Buffer::zeros(4 * self.common.columns);
        let wires = walk(ports.schedule, 2, &it.sources, |gate| {
            let w = &it.sources[2 * (inputs + gate.number)..][..2];
            let (number, product) = (gate.number, it.products[gate.number]);
            self.rows(it.first_gate, &gate, (w, product), &mut hidden);
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
        Opening::send(&mut self.links, columns, masks)
    }

    /// This party's part of the four rows of a gate but for shares of zero, row after row a block for every
    /// column.
    fn rows(
        &self,
        first_gate: u64,
        gate: &Gate<'_>,
        (w, product): (&[u128], u8),
        out: &mut [u128],
    ) {
        let Common { columns, me, .. } = self.common;
        let Gate { number, u: (u, flag_u), v: (v, flag_v) } = *gate;
        out.fill(0);
        if self.common.is_keeper() {
            let r = *self.common.offset;
            let labels = |a: u128, b: u128| combine(u[0] ^ (a * r), v[0] ^ (b * r));
            let pairs = [labels(0, 0), labels(0, 1), labels(1, 0), labels(1, 1)];
            self.common.prf.gate(first_gate + number as u64, &pairs, columns, out);
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

    fn finish(
        &mut self,
        ports: Ports<'_>,
        it: &Instance,
        opening: Opening,
    ) -> Result<Garbled, SharingError> {
        let (table, masks) = opening.finish(&mut self.links, &self.common, it.products.len())?;
        let inputs = it.sources.chunks_exact(2).take(ports.schedule.inputs().len());
        let (labels, lambdas): (Vec<u128>, Vec<u128>) =
            inputs.map(|wire| (wire[0], wire[1] >> DRAWN & 1)).unzip();
        Ok(Garbled {
            first_gate: it.first_gate,
            table,
            labels: Zeroizing::new(labels),
            lambdas: Zeroizing::new(lambdas),
            masks,
        })
    }
}

impl Instance {
    /// Adds shares of what some role drew.
    fn add_masks(&mut self, drawn: &[usize], theirs: &[u128]) {
        for (at, byte) in drawn.iter().zip(word::bytes(theirs)) {
            self.sources[2 * at + 1] ^= u128::from(*byte);
        }
    }

    fn add_products(&mut self, theirs: &[u128]) {
        self.products.iter_mut().zip(word::bytes(theirs)).for_each(|(sum, byte)| *sum ^= byte);
    }
}

impl ports::Garbling for BmrShamir<'_> {
    type Ready = Ready;

    fn mesh(&mut self) -> &mut Mesh {
        self.links.mesh
    }

    fn prepare(&mut self, ports: Ports<'_>, instances: usize) -> Result<Ready, SharingError> {
        self.links.mesh.set_phase(Phase::Offline);
        let all = (0..instances).map(|_| self.begin(ports));
        let mut all = all.collect::<Result<Vec<_>, _>>()?;
        for it in &mut all {
            self.take_masks(ports, it)?;
        }
        let mut openings = Vec::with_capacity(instances);
        for it in &mut all {
            openings.push(self.take_products(ports, it)?);
        }
        for opening in &mut openings {
            opening.take_parts(&mut self.links, &self.common, ports)?;
        }
        let both = all.iter().zip(openings);
        let garbled = both.map(|(it, opening)| self.finish(ports, it, opening));
        let garbled = garbled.collect::<Result<_, _>>()?;
        self.links.mesh.flush()?;
        Ok(self.common.ready(garbled))
    }
}

/// Bytes between `parties` for one instance.
#[must_use]
pub fn bytes(ports: Ports<'_>, parties: usize) -> Traffic {
    let (ands, inputs) = (ports.ands(), ports.schedule.inputs().len());
    let t = corruptions(parties);
    let blocks = |count: usize| (count * BYTES) as u64;
    let packed = |bytes: usize| blocks(bytes.div_ceil(BYTES));
    let mut sum = Traffic::default();
    let pairs = (0..parties).flat_map(|from| (0..parties).map(move |to| (from, to)));
    for (from, to) in pairs.filter(|(from, to)| from != to) {
        let given = ports.given_by(from);
        sum.pre[from][to] += super::cost::words(ports.learned_by(to));
        let column = |role: usize| if role <= t { blocks(4 * ands) } else { 0 };
        let product = if from <= 2 * t { packed(ands) } else { 0 };
        sum.def[from][to] += packed(given + ands) + product + column(from) + column(to);
        let labels = if from <= t { blocks(inputs) } else { 0 };
        sum.on[from][to] += super::cost::words(given) + labels;
    }
    sum
}
