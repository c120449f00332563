//! BMR over replicated sharing, for three parties of which one is curious: no oblivious transfer, and no masks
//! that are dealt.
//!
//! What is shared is the sum of three components; party `i` has components `i` and `i + 1` (of three, around).
//! Component `i` comes from a seed of parties `i` and `i - 1`, but those of which their neighbour is to know
//! nothing are zero: the offset `R^j` and the masks of `j`'s inputs have components `j` and `j + 1` alone.
//!
//! | round | what | bits per AND |
//! | --- | --- | --- |
//! | 1 | to the party before: a component of `l_u l_v`; to the one behind: masks of its outputs | 1, 0 |
//! | then | opening ([`Opening`]) of parts of rows, which are products of components | |
//!
//! Parts are masked by shares of zero: without, a row that decrypts would show a party products of components
//! that it does not have with offsets, and so the offsets.
//!
//! Sources: products as in T. Araki, J. Furukawa, Y. Lindell, A. Nof, K. Ohara (CCS 2016); garbling by such
//! products as in M. Keller, A. Yanai (Eurocrypt 2018). That rows open as sums of products, without a product
//! protocol and without sharing values of the pseudorandom function, is ours.

#[cfg(test)]
mod attack;
#[cfg(test)]
mod uniform;

use super::chain::{Blocks, Worker, agreed, go_on};
use super::columns::{Columns, open};
use super::common::{Common, Garbled, Hider, Ready, add_zeros};
use super::cost::online;
use super::form::Form;
use super::pairs::Pairs;
use super::wires::{Gate, walk};
use crate::bits::words;
use crate::bmr::{LabelFunction, Opening};
use crate::garbler::{Counter, Each, Garbler, MAX_ANDS, Parties, Seat, Terms, seats};
use crate::links::{GateNumbers, Links};
use crate::ports::KEPT;
use crate::{Bits, Ports};
use tacit_net::{Mesh, PartyId, Phase, Stream};
use tacit_ot::KAPPA;
use tacit_ring::secret::mask;
use tacit_ring::{Buffer, Entropy, Key, Prg, Seed, StreamIds, word};
use tacit_sharing::cost::Traffic;
use tacit_sharing::work::Work;
use tacit_sharing::{RoleId, SharingError};
use zeroize::Zeroizing;

/// Parties.
const PARTIES: usize = 3;

/// The party behind, and the number of a party's second component.
fn next(role: usize) -> usize {
    (role + 1) % PARTIES
}

/// The party before.
fn before(role: usize) -> usize {
    (role + 2) % PARTIES
}

/// What three parties have agreed on for a session: every party once.
pub struct ReplicatedKeys {
    me: usize,
    /// With the party before, which gives the first component, and with the one behind.
    pairs: [Seed; 2],
    own: Seed,
    given: u64,
}

/// What one worker has of them.
pub struct WorkerKeys {
    number: u64,
    own: Prg,
    ids: StreamIds,
    components: [Prg; 2],
    zeros: Vec<Prg>,
    pair_ids: StreamIds,
    /// Both components of every role's `R`.
    offsets: Zeroizing<[[u128; 2]; PARTIES]>,
}

impl ReplicatedKeys {
    /// Seeds of all pairs: one round, 32 bytes per directed link. `session` must be fresh.
    ///
    /// # Errors
    /// When the network fails, this party plays no role, there are not three, or there is no entropy.
    pub fn exchange(
        mesh: &mut Mesh,
        session: &[u8],
        places: &[PartyId],
        entropy: &mut Entropy,
    ) -> Result<Self, SharingError> {
        if places.len() != PARTIES {
            return Err(SharingError::Shape("replicated sharing is for three parties".into()));
        }
        mesh.set_phase(Phase::Setup);
        let mut links = Links::new(mesh, places)?;
        let me = links.me;
        let sent = Pairs::send(&mut links, entropy)?;
        let first = sent.receive(&mut links, session, before(me))?;
        let second = sent.receive(&mut links, session, next(me))?;
        links.mesh.flush()?;
        Ok(ReplicatedKeys { me, pairs: [first, second], own: entropy.seed()?, given: 0 })
    }

    /// What the next worker needs. All parties ask for as many workers, in the same order.
    #[must_use]
    pub fn worker(&mut self) -> WorkerKeys {
        self.given += 1;
        let number = self.given.to_le_bytes();
        let own: Key = self.own.derive_key("tacit 2026 labels of a worker", &[&number]);
        let of = |seed: &Seed, what: &'static str| Prg::new(&seed.derive_key(what, &[&number]));
        let components = [0, 1].map(|i| of(&self.pairs[i], "tacit 2026 BMR masks of a worker"));
        let zeros = self.pairs.iter().map(|seed| of(seed, "tacit 2026 BMR zeros of a worker"));
        WorkerKeys {
            number: self.given,
            own: Prg::new(&own),
            ids: StreamIds::new(),
            components,
            zeros: zeros.collect(),
            pair_ids: StreamIds::new(),
            offsets: self.offsets(),
        }
    }

    /// This party's components of all offsets, whose lowest bits add up to one.
    fn offsets(&self) -> Zeroizing<[[u128; 2]; PARTIES]> {
        let mut offsets = Zeroizing::new([[0; 2]; PARTIES]);
        for (j, components) in offsets.iter_mut().enumerate() {
            for (which, component) in components.iter_mut().enumerate() {
                let number = (self.me + which) % PARTIES;
                if !has(j, number) {
                    continue;
                }
                let seed = &self.pairs[which];
                let key = seed.derive_key("tacit 2026 BMR offset of a role", &[&[j as u8]]);
                let random = u128::from_le_bytes(*key.expose());
                *component = random & !1 | u128::from(number != j);
            }
        }
        offsets
    }
}

/// Whether what a role alone knows has this component.
fn has(role: usize, component: usize) -> bool {
    component == role || component == next(role)
}

/// Whether the first or the second of a role's components is component zero, where constants are.
fn has_constants(role: usize, which: usize) -> bool {
    (role + which).is_multiple_of(PARTIES)
}

/// A worker of a party.
pub struct BmrReplicated<'m> {
    links: Links<'m>,
    keys: WorkerKeys,
    common: Common,
    gates: GateNumbers,
}

/// One instance that is being garbled.
struct Instance {
    first_gate: u64,
    /// Sources of wires: for every input, then every output of an AND, this party's zero label and its components of
    /// the mask, the second one above the first.
    sources: Zeroizing<Vec<u128>>,
    /// Components of products of the masks of ANDs' inputs.
    products: [Bits; 2],
    /// Masks of outputs that this party learns.
    masks: Bits,
    /// As `sources`, of outputs that nobody learns.
    kept: Blocks,
}

/// Blocks of a wire.
const WIDTH: usize = 2;

/// Both components of a wire.
fn components(wire: &[u128]) -> [bool; 2] {
    [wire[1] & 1 == 1, wire[1] >> 1 & 1 == 1]
}

/// A party's share of a product, from its components of both factors.
fn product<T: Copy + std::ops::BitAnd<Output = T> + std::ops::BitXor<Output = T>>(
    a: [T; 2],
    b: [T; 2],
) -> T {
    (a[0] & b[0]) ^ (a[0] & b[1]) ^ (a[1] & b[0])
}

impl<'m> BmrReplicated<'m> {
    /// `places[r]` plays role `r`. All parties open tables in the same way.
    ///
    /// # Errors
    /// When this mesh's party plays no role, or there are not three.
    pub fn new(
        mesh: &'m mut Mesh,
        places: &[PartyId],
        keys: WorkerKeys,
        session: &[u8],
        opening: Opening,
    ) -> Result<Self, SharingError> {
        if places.len() != PARTIES {
            return Err(SharingError::Shape("replicated sharing is for three parties".into()));
        }
        let links = Links::new(mesh, places)?;
        let [first, second] = keys.offsets[links.me];
        let offset = Zeroizing::new(first ^ second);
        let common = Common::new([PARTIES; 2], links.me, (offset, opening), session);
        let gates = GateNumbers::new(keys.number)?;
        Ok(BmrReplicated { links, keys, common, gates })
    }

    /// Draws labels and masks; sends components of products, and of masks of outputs.
    fn begin(&mut self, ports: Ports<'_>, from: &[u128]) -> Result<Instance, SharingError> {
        let ands = ports.ands();
        let mut sources = self.draw(ports)?;
        go_on(ports, WIDTH, &mut sources, from);
        let first_gate = self.gates.take(ands)?;
        let mut mine = Bits::zeros(ands);
        add_zeros(&self.keys.zeros, &mut self.keys.pair_ids, word::bytes_mut(&mut mine.words))?;
        let wires = walk(ports.schedule, WIDTH, &sources, |Gate { number, u, v }| {
            mine.flip_if(number, product(components(u.0), components(v.0)));
        });
        let masks = |role: usize| {
            let mut masks = [0; 2].map(|_| Bits::zeros(ports.learned_by(role)));
            for (i, slot) in ports.slots_learned_by(role).enumerate() {
                let both = components(wires.get(slot).0);
                masks.iter_mut().zip(both).for_each(|(masks, bit)| masks.flip_if(i, bit));
            }
            masks
        };
        let me = self.common.me;
        let [lacking, _] = masks(next(me));
        self.links.send(before(me), Stream::Def, &mine.words)?;
        self.links.send(next(me), Stream::Pre, &lacking.words)?;
        let [mut own, second] = masks(me);
        own.words.iter_mut().zip(&second.words).for_each(|(own, second)| *own ^= second);
        let one = [0, 1].map(|which| u128::from(has_constants(me, which)) << which);
        let kept = wires.kept(ports, |wire| wire[1] ^= one[0] | one[1]);
        let products = [mine, Bits::zeros(ands)];
        Ok(Instance { first_gate, sources, products, masks: own, kept })
    }

    /// Zero labels, and components of masks, of all inputs and outputs of ANDs.
    fn draw(&mut self, ports: Ports<'_>) -> Result<Zeroizing<Vec<u128>>, SharingError> {
        let count = ports.schedule.inputs().len() + ports.ands();
        let mut sources = Zeroizing::new(vec![0; WIDTH * count]);
        let mut random = Buffer::<u128>::zeros(count);
        let id = self.keys.ids.step()?.single();
        self.keys.own.stream(id).fill(&mut random);
        let labels = sources.iter_mut().step_by(WIDTH).zip(&*random);
        labels.for_each(|(label, random)| *label = random & !1);
        let owners: Vec<usize> = ports.owners().collect();
        let number = self.keys.pair_ids.step()?.single().number();
        for (which, prg) in self.keys.components.iter().enumerate() {
            let mut drawn = Bits::zeros(count);
            prg.fill(number, 0, word::bytes_mut(&mut drawn.words));
            let component = (self.common.me + which) % PARTIES;
            for (i, wire) in sources.chunks_exact_mut(WIDTH).enumerate() {
                if owners.get(i).is_none_or(|owner| *owner != KEPT && has(*owner, component)) {
                    wire[1] |= u128::from(drawn.get(i)) << which;
                }
            }
        }
        Ok(sources)
    }

    /// Takes the components that this party lacks, and opens rows.
    fn take_products(
        &mut self,
        ports: Ports<'_>,
        it: &mut Instance,
    ) -> Result<Columns, SharingError> {
        let (me, ands) = (self.common.me, ports.ands());
        self.links.recv_into(next(me), Stream::Def, &mut it.products[1].words)?;
        let lacked = self.links.recv::<u64>(before(me), Stream::Pre, it.masks.words.len())?;
        it.masks.words.iter_mut().zip(&*lacked).for_each(|(mask, lacked)| *mask ^= lacked);
        let mut columns: Vec<Buffer<u128>> = Vec::new();
        for _ in 0..PARTIES {
            let mut column = Buffer::zeros(4 * ands);
            let bytes = word::bytes_mut(&mut column);
            add_zeros(&self.keys.zeros, &mut self.keys.pair_ids, bytes)?;
            columns.push(column);
        }
        let inputs = ports.schedule.inputs().len();
        let (mut hider, mut hidden) = (self.common.hider(), Buffer::zeros(4 * PARTIES));
        walk(ports.schedule, WIDTH, &it.sources, |gate| {
            let w = &it.sources[WIDTH * (inputs + gate.number)..][..WIDTH];
            let products = [0, 1].map(|which: usize| it.products[which].get(gate.number));
            self.rows(&mut hider, it.first_gate, &gate, (w, products), &mut hidden);
            for (j, column) in columns.iter_mut().enumerate() {
                for row in 0..4 {
                    column[4 * gate.number + row] ^= hidden[row * PARTIES + j];
                }
            }
        });
        let masks = (0..PARTIES).map(|_| Bits::zeros(0)).collect();
        Columns::send(&mut self.links, self.common.opening, columns, masks)
    }

    /// This party's part of the four rows of a gate but for shares of zero, row after row a block for every
    /// column.
    fn rows(
        &self,
        hider: &mut Hider<'_>,
        first_gate: u64,
        gate: &Gate<'_>,
        (w, products): (&[u128], [bool; 2]),
        out: &mut [u128],
    ) {
        let me = self.common.me;
        let Gate { number, u: (u, flag_u), v: (v, flag_v) } = *gate;
        hider.hide(first_gate + number as u64, [u[0], v[0]], out);
        let [u, v, masks] = [components(u), components(v), components(w)];
        for (row, out) in out.chunks_exact_mut(PARTIES).enumerate() {
            let (a, b) = ((row >> 1 == 1) ^ flag_u, (row & 1 == 1) ^ flag_v);
            let bits = [0, 1].map(|which| {
                let constant = a & b & has_constants(me, which);
                let bit = products[which] ^ masks[which] ^ (a & v[which]) ^ (b & u[which]);
                mask((bit ^ constant).into())
            });
            for (out, offset) in out.iter_mut().zip(&*self.keys.offsets) {
                *out ^= product(*offset, bits);
            }
            out[me] ^= w[0];
        }
    }
}

impl Instance {
    /// The garbled circuit, from the table.
    fn finish(self, ports: Ports<'_>, (table, _): (Vec<u128>, Bits)) -> Garbled {
        let inputs = self.sources.chunks_exact(WIDTH).take(ports.schedule.inputs().len());
        let mask = |wire: &[u128]| (wire[1] ^ wire[1] >> 1) & 1;
        Garbled::new(self.first_gate, (table, self.masks), inputs.map(|wire| (wire[0], mask(wire))))
    }
}

impl Worker for BmrReplicated<'_> {
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
        let opened = all.iter_mut().map(|it| self.take_products(ports, it));
        let opened = opened.collect::<Result<Vec<_>, _>>()?;
        let kept = all.iter_mut().map(|it| std::mem::take(&mut it.kept)).collect();
        let finish = |it: Instance, opened| it.finish(ports, opened);
        let ready = open(&mut self.links, &self.common, (all, opened), ports.ands(), finish)?;
        Ok((ready, kept))
    }
}

/// Bytes between the parties for one instance.
fn bytes(ports: Ports<'_>, opening: Opening) -> Traffic {
    let ands = ports.ands();
    let blocks = |count: usize| (count * KAPPA / 8) as u64;
    let mut sum = Traffic::default();
    for from in 0..PARTIES {
        sum.def[from][before(from)] += words(ands);
        sum.pre[from][next(from)] += words(ports.learned_by(next(from)));
        for to in [before(from), next(from)] {
            sum.def[from][to] += blocks(ands * opening.blocks(PARTIES, [from, to]));
            sum.on[from][to] += online(ports, (PARTIES, opening), [from, to]);
        }
    }
    sum
}

/// BMR over replicated sharing.
struct ByComponents;

/// The only form.
pub(crate) static BMR_REPLICATED: &dyn Garbler = &ByComponents;

impl Form for ByComponents {
    fn columns(&self, parties: usize) -> usize {
        parties
    }

    fn and_bits(&self, _: usize, [from, to]: [RoleId; 2]) -> u64 {
        u64::from(to == before(from))
    }

    fn counter(&self, terms: &Terms) -> Box<dyn Counter> {
        let opening = terms.opening;
        Each::counter(move |ports| bytes(ports, opening))
    }

    fn latencies(&self) -> [u64; 2] {
        [3, 1]
    }

    fn work(&self, parties: usize) -> Work {
        Work::gates(2.0 * parties as f64)
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
        let mut all = ReplicatedKeys::exchange(mesh, parties.session, parties.places, entropy)?;
        Ok(seats(
            parties.terms.workers,
            || all.worker(),
            |mesh, at, keys| {
                let party =
                    BmrReplicated::new(mesh, at.places, keys, at.session, at.terms.opening)?;
                Ok(agreed(party, &at.terms))
            },
        ))
    }
}
