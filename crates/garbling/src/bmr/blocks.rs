//! BMR over Shamir's sharing as published, over the field of 2^128 elements, in four, three or two rounds of
//! preprocessing.
//!
//! Everything is shared by polynomials: offsets, masks as elements zero and one, and the values of the
//! pseudorandom function with the labels that rows hide, `4 n` elements per gate and party. Degrees are `t`
//! ([`Rounds::corruptions`]) but for those values, which are dealt in the degree `D` in which rows open:
//!
//! | round | what | elements per AND and link |
//! | --- | --- | --- |
//! | set-up | shares of `R^j` | |
//! | 1 | shares of masks; of hidden labels, in degree `D` = t, 2t, 3t | 1 + 4 n |
//! | 2 | (four, three rounds) shares of a share of `l_u l_v`, from the first `2t + 1` parties | 1 |
//! | 3 | (four rounds) shares of shares of rows' bits times offsets, from the same | 4 n |
//! | last | opening ([`Opening`]): shares of rows, times what they count for | 4 n with `all` |
//!
//! The polynomials that open are the sum of products and of fresh ones of the same degree, so that they show
//! their values at zero alone. Masks of outputs open as they are: every honest party's polynomial among them is random, and
//! at most t points of the sum are known to those who pool what they see. In two rounds fewer than a third may pool what they see.
//!
//! Source: A. Ben-Efraim, Y. Lindell, E. Omri (CCS 2016), after M. Ben-Or, S. Goldwasser, A. Wigderson (STOC
//! 1988) and, for degrees, R. Gennaro, M. Rabin, T. Rabin (PODC 1998).

use super::chain::{self, Worker, agreed, go_on};
use super::columns::{Columns, open};
use super::common::{Common, Garbled, Ready, drawn_by};
use super::cost::online;
use super::form::Form;
use super::keys::{ShamirKeys, WorkerKeys};
use super::wide::{shares, times, weights};
use super::wires::{Gate, walk};
use crate::bmr::{LabelFunction, Opening, Rounds};
use crate::garbler::{Counter, Each, Garbler, MAX_ANDS, Parties, Seat, Terms, seats};
use crate::links::{GateNumbers, Links, pairs};
use crate::{Bits, Ports};
use tacit_net::{Mesh, PartyId, Phase, Stream};
use tacit_ot::KAPPA;
use tacit_ring::{Buffer, Entropy};
use tacit_sharing::cost::Traffic;
use tacit_sharing::work::Work;
use tacit_sharing::{RoleId, SharingError};
use zeroize::Zeroizing;

/// Elements that are dealt in one message.
const DEALT: usize = 1 << 14;

/// What parties agree on: seeds of all pairs, and shares of offsets over the field of 2^128 elements: one round,
/// 48 bytes per directed link. `session` must be fresh.
///
/// # Errors
/// When the network fails, this party plays no role, there are too few, or there is no entropy.
pub fn exchange(
    mesh: &mut Mesh,
    session: &[u8],
    places: &[PartyId],
    rounds: Rounds,
    entropy: &mut Entropy,
) -> Result<ShamirKeys, SharingError> {
    check_parties(rounds, places.len())?;
    let dealing = (rounds.corruptions(places.len()), places.len(), shares as _);
    ShamirKeys::deal(mesh, session, places, dealing, entropy)
}

fn check_parties(rounds: Rounds, parties: usize) -> Result<(), SharingError> {
    match parties >= rounds.least().into() {
        true => Ok(()),
        false => Err(SharingError::Shape(format!(
            "{} is for {} and more parties",
            rounds.name(),
            rounds.least()
        ))),
    }
}

/// A worker of a party.
pub struct BmrBlocks<'m> {
    links: Links<'m>,
    keys: WorkerKeys,
    common: Common,
    gates: GateNumbers,
    rounds: Rounds,
    /// What this party's shares count for in values of degree `t`, of twice that, and of rows; zero if they
    /// are not needed.
    weights: [u128; 3],
}

/// One instance that is being garbled.
struct Instance {
    first_gate: u64,
    /// Sources of wires: for every input, then every output of an AND, this party's zero label and its share of the
    /// mask.
    sources: Zeroizing<Vec<u128>>,
    /// What this party drew of the masks of all inputs.
    lambdas: Bits,
    /// Shares of products of the masks of ANDs' inputs.
    products: Zeroizing<Vec<u128>>,
    /// Gate after gate and row after row, for every column: shares of hidden labels, then of rows.
    rows: Zeroizing<Vec<u128>>,
    /// As `sources`, of outputs that nobody learns, once rows open.
    kept: chain::Blocks,
}

/// Blocks of a wire.
const WIDTH: usize = 2;

impl<'m> BmrBlocks<'m> {
    /// `places[r]` plays role `r`. All parties take as many rounds, and open tables in the same way.
    ///
    /// # Errors
    /// When this mesh's party plays no role, or there are too few.
    pub fn new(
        mesh: &'m mut Mesh,
        places: &[PartyId],
        keys: WorkerKeys,
        session: &[u8],
        (rounds, opening): (Rounds, Opening),
    ) -> Result<Self, SharingError> {
        let n = places.len();
        check_parties(rounds, n)?;
        let links = Links::new(mesh, places)?;
        let (me, t) = (links.me, rounds.corruptions(n));
        let common = Common::new([n; 2], me, (keys.offset.clone(), opening), session);
        let gates = GateNumbers::new(keys.number)?;
        let weight = |degree: usize| weights(degree + 1).get(me).copied().unwrap_or(0);
        let weights = [t, 2 * t, rounds.opens(n)].map(weight);
        Ok(BmrBlocks { links, keys, common, gates, rounds, weights })
    }

    /// The degree of sharings.
    fn degree(&self) -> usize {
        self.rounds.corruptions(self.common.parties)
    }

    /// Whether shares of a role make values of twice the degree.
    fn multiplies(&self, role: usize) -> bool {
        role <= 2 * self.degree()
    }

    /// Sends every peer its shares of secrets, and adds this party's own.
    fn deal(
        &mut self,
        secrets: &[u128],
        degree: usize,
        sums: &mut [u128],
    ) -> Result<(), SharingError> {
        for (secrets, sums) in secrets.chunks(DEALT).zip(sums.chunks_mut(DEALT)) {
            let random = self.keys.random(degree * secrets.len())?;
            let dealt = shares(secrets, &random, self.common.parties);
            for peer in self.links.peers() {
                self.links.send(peer, Stream::Def, &dealt[peer])?;
            }
            add(sums, &dealt[self.common.me]);
        }
        Ok(())
    }

    /// Adds shares of what a peer dealt.
    fn take(&mut self, peer: usize, sums: &mut [u128]) -> Result<(), SharingError> {
        for sums in sums.chunks_mut(DEALT) {
            add(sums, &self.links.recv::<u128>(peer, Stream::Def, sums.len())?);
        }
        Ok(())
    }

    /// Draws labels and masks; deals masks and hidden labels.
    fn begin(&mut self, ports: Ports<'_>, from: &[u128]) -> Result<Instance, SharingError> {
        let (n, me, ands) = (self.common.parties, self.common.me, ports.ands());
        let inputs = ports.schedule.inputs().len();
        let first_gate = self.gates.take(ands)?;
        let random = self.keys.random(inputs + ands)?;
        let mut sources = Zeroizing::new(vec![0; WIDTH * (inputs + ands)]);
        let labels = sources.iter_mut().step_by(WIDTH).zip(&*random);
        labels.for_each(|(label, random)| *label = random & !1);
        go_on(ports, WIDTH, &mut sources, from);
        let drawn = drawn_by(ports, me);
        let mut lambdas = Bits::zeros(inputs);
        for at in drawn.iter().filter(|at| **at < inputs) {
            lambdas.flip_if(*at, random[*at] & 1 == 1);
        }
        let masks: Zeroizing<Vec<u128>> =
            Zeroizing::new(drawn.iter().map(|at| random[*at] & 1).collect());
        let mut mine = Zeroizing::new(vec![0; masks.len()]);
        self.deal(&masks, self.degree(), &mut mine)?;
        let mut hidden = Zeroizing::new(vec![0; 4 * n * ands]);
        let mut hider = self.common.hider();
        walk(ports.schedule, WIDTH, &sources, |Gate { number, u, v }| {
            let out = &mut hidden[4 * n * number..][..4 * n];
            hider.hide(first_gate + number as u64, [u.0[0], v.0[0]], out);
            let label = sources[WIDTH * (inputs + number)];
            out.iter_mut().skip(me).step_by(n).for_each(|entry| *entry ^= label);
        });
        let mut rows = Zeroizing::new(vec![0; hidden.len()]);
        self.deal(&hidden, self.rounds.opens(n), &mut rows)?;
        let products = Zeroizing::new(vec![0; ands]);
        let kept = chain::Blocks::default();
        let mut it = Instance { first_gate, sources, lambdas, products, rows, kept };
        it.add_masks(&drawn, &mine);
        Ok(it)
    }

    /// Takes what the peers dealt, and multiplies masks.
    fn take_masks(&mut self, ports: Ports<'_>, it: &mut Instance) -> Result<(), SharingError> {
        for peer in self.links.peers() {
            let drawn = drawn_by(ports, peer);
            let mut theirs = Zeroizing::new(vec![0; drawn.len()]);
            self.take(peer, &mut theirs)?;
            it.add_masks(&drawn, &theirs);
            self.take(peer, &mut it.rows)?;
        }
        let mut products = Zeroizing::new(vec![0; it.products.len()]);
        walk(ports.schedule, WIDTH, &it.sources, |Gate { number, u, v }| {
            products[number] = times(u.0[1], v.0[1]);
        });
        match self.rounds {
            Rounds::Two => it.products = products,
            _ => self.reduce(&mut products, &mut it.products)?,
        }
        Ok(())
    }

    /// Deals shares of twice the degree, which makes them shares of the degree again, of those that are needed.
    fn reduce(&mut self, shares: &mut [u128], sums: &mut [u128]) -> Result<(), SharingError> {
        if !self.multiplies(self.common.me) {
            return Ok(());
        }
        shares.iter_mut().for_each(|share| *share = times(*share, self.weights[1]));
        self.deal(shares, self.degree(), sums)
    }

    /// Takes what peers dealt of shares of twice the degree.
    fn take_reduced(&mut self, sums: &mut [u128]) -> Result<(), SharingError> {
        let peers: Vec<usize> = self.links.peers().filter(|peer| self.multiplies(*peer)).collect();
        peers.into_iter().try_for_each(|peer| self.take(peer, sums))
    }

    /// Takes products of masks, and multiplies rows' bits by offsets.
    fn multiply_rows(&mut self, ports: Ports<'_>, it: &mut Instance) -> Result<(), SharingError> {
        if self.rounds != Rounds::Two {
            self.take_reduced(&mut it.products)?;
        }
        let n = self.common.parties;
        let inputs = ports.schedule.inputs().len();
        let mut rows = Zeroizing::new(vec![0; it.rows.len()]);
        walk(ports.schedule, WIDTH, &it.sources, |Gate { number, u, v }| {
            let base = it.products[number] ^ it.sources[WIDTH * (inputs + number) + 1];
            for (row, out) in rows[4 * n * number..][..4 * n].chunks_exact_mut(n).enumerate() {
                let (a, b) = ((row >> 1 == 1) ^ u.1, (row & 1 == 1) ^ v.1);
                let [a, b] = [a, b].map(u128::from);
                let bit = base ^ (a * v.0[1]) ^ (b * u.0[1]) ^ (a & b);
                for (out, offset) in out.iter_mut().zip(self.keys.offsets.iter()) {
                    *out = times(bit, *offset);
                }
            }
        });
        match self.rounds {
            Rounds::Four => self.reduce(&mut rows, &mut it.rows),
            _ => {
                add(&mut it.rows, &rows);
                Ok(())
            }
        }
    }

    /// Opens rows and masks.
    fn open(&mut self, ports: Ports<'_>, it: &mut Instance) -> Result<Columns, SharingError> {
        if self.rounds == Rounds::Four {
            self.take_reduced(&mut it.rows)?;
        }
        let [of_masks, _, of_rows] = self.weights;
        let column = |j: usize| {
            let entries = it.rows.iter().skip(j).step_by(self.common.parties);
            let weighted: Zeroizing<Vec<u128>> =
                Zeroizing::new(entries.map(|entry| times(*entry, of_rows)).collect());
            Buffer::from_slice(&weighted)
        };
        let columns = (0..self.common.parties).map(column).collect();
        let wires = walk(ports.schedule, WIDTH, &it.sources, |_| {});
        let masks = |role: usize| {
            let mut masks = Bits::zeros(ports.learned_by(role) * KAPPA);
            let pairs = masks.words.chunks_exact_mut(2).zip(ports.slots_learned_by(role));
            for (pair, slot) in pairs {
                let weighted = times(wires.get(slot).0[1], of_masks);
                (pair[0], pair[1]) = (weighted as u64, (weighted >> 64) as u64);
            }
            masks
        };
        let masks = (0..self.common.parties).map(masks).collect();
        // A constant is its own share.
        it.kept = wires.kept(ports, |wire| wire[1] ^= 1);
        Columns::send(&mut self.links, self.common.opening, columns, masks)
    }
}

/// Adds blocks.
fn add(sums: &mut [u128], blocks: &[u128]) {
    sums.iter_mut().zip(blocks).for_each(|(sum, block)| *sum ^= block);
}

impl Instance {
    /// Adds shares of what some role drew.
    fn add_masks(&mut self, drawn: &[usize], theirs: &[u128]) {
        for (at, share) in drawn.iter().zip(theirs) {
            self.sources[WIDTH * at + 1] ^= share;
        }
    }

    /// The garbled circuit, from the table and the elements that are masks.
    fn finish(self, ports: Ports<'_>, (table, elements): (Vec<u128>, Bits)) -> Garbled {
        let mut masks = Bits::zeros(elements.len / KAPPA);
        (0..masks.len).for_each(|i| masks.flip_if(i, elements.get(i * KAPPA)));
        let labels = self.sources.iter().step_by(WIDTH).take(ports.schedule.inputs().len());
        let mask = |i: usize| u128::from(self.lambdas.get(i));
        let inputs = labels.enumerate().map(|(i, label)| (*label, mask(i)));
        Garbled::new(self.first_gate, (table, masks), inputs)
    }
}

impl Worker for BmrBlocks<'_> {
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
        from: &[chain::Blocks],
    ) -> Result<(Ready, Vec<chain::Blocks>), SharingError> {
        self.links.mesh.set_phase(Phase::Offline);
        let all = from.iter().map(|from| self.begin(ports, from));
        let mut all = all.collect::<Result<Vec<_>, _>>()?;
        for it in &mut all {
            self.take_masks(ports, it)?;
        }
        for it in &mut all {
            self.multiply_rows(ports, it)?;
        }
        let opened = all.iter_mut().map(|it| self.open(ports, it));
        let opened = opened.collect::<Result<Vec<_>, _>>()?;
        let kept = all.iter_mut().map(|it| std::mem::take(&mut it.kept)).collect();
        let finish = |it: Instance, opened| it.finish(ports, opened);
        let ready = open(&mut self.links, &self.common, (all, opened), ports.ands(), finish)?;
        Ok((ready, kept))
    }
}

/// Bytes between `parties` for one instance.
fn bytes(ports: Ports<'_>, parties: usize, (rounds, opening): (Rounds, Opening)) -> Traffic {
    let (n, ands) = (parties, ports.ands());
    let blocks = |count: usize| (count * KAPPA / 8) as u64;
    let mut sum = Traffic::default();
    for (from, to) in pairs(n) {
        let given = ports.given_by(from);
        let reduced = ands * rounds.reduced(n, from);
        let opened = ands * opening.blocks(n, [from, to]);
        sum.pre[from][to] += blocks(ports.learned_by(to));
        sum.def[from][to] += blocks(given + ands + 4 * n * ands + reduced + opened);
        sum.on[from][to] += online(ports, (n, opening), [from, to]);
    }
    sum
}

/// BMR over Shamir's sharing of whole blocks.
struct ByBlocks(Rounds);

/// In four rounds.
pub(crate) static BMR_SHAMIR_S4: &dyn Garbler = &ByBlocks(Rounds::Four);

/// In three.
pub(crate) static BMR_SHAMIR_S3: &dyn Garbler = &ByBlocks(Rounds::Three);

/// In two.
pub(crate) static BMR_SHAMIR_S2: &dyn Garbler = &ByBlocks(Rounds::Two);

impl Form for ByBlocks {
    fn columns(&self, parties: usize) -> usize {
        parties
    }

    // Blocks of masks, of hidden labels and what reduces degrees.
    fn and_bits(&self, parties: usize, [from, _]: [RoleId; 2]) -> u64 {
        (KAPPA * (1 + 4 * parties + self.0.reduced(parties, from))) as u64
    }

    fn counter(&self, terms: &Terms) -> Box<dyn Counter> {
        let (Terms { parties, opening, .. }, rounds) = (*terms, self.0);
        Each::counter(move |ports| bytes(ports, parties, (rounds, opening)))
    }

    fn latencies(&self) -> [u64; 2] {
        match self.0 {
            Rounds::Four => [3, 3],
            Rounds::Three => [3, 2],
            Rounds::Two => [3, 1],
        }
    }

    // Products of whole blocks for sharings of every row.
    fn work(&self, parties: usize) -> Work {
        let (n, products) = (parties as f64, 4 * parties * parties * parties.div_ceil(2));
        Work::blocks(products as f64) + Work::gates(2.0 * n)
    }

    fn blocks(&self, parties: usize) -> usize {
        // Hidden labels from everybody, four blocks for every party, and their shares, as much again for products; tables.
        16 * parties + 8 * parties * parties
    }

    fn most_ands(&self, parties: usize) -> usize {
        MAX_ANDS / parties
    }

    fn exchange(
        &self,
        mesh: &mut Mesh,
        parties: Parties<'_>,
        entropy: &mut Entropy,
    ) -> Result<Vec<Seat>, SharingError> {
        let rounds = self.0;
        let mut all = exchange(mesh, parties.session, parties.places, rounds, entropy)?;
        Ok(seats(
            parties.terms.workers,
            || all.worker(),
            move |mesh, at, keys| {
                let how = (rounds, at.terms.opening);
                Ok(agreed(BmrBlocks::new(mesh, at.places, keys, at.session, how)?, &at.terms))
            },
        ))
    }
}
