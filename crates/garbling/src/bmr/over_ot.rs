//! BMR over oblivious transfer as published: every row of every gate is multiplied by the offsets.
//!
//! For every AND, every two parties multiply shares of masks, as a bit, and the sender's offset with the
//! receiver's shares of three or four rows' bits, as strings. Messages of preprocessing, from every party to
//! every other, of `r` bits per choice ([`FAN`](tacit_gmw::FAN)):
//!
//! | round | what | bits per AND and link: basic, reduced, correlated, offset |
//! | --- | --- | --- |
//! | 1 | choices: shares of masks of second inputs | r |
//! | 2 | answers: both bits, or what they differ by | 2, 2, 1, 1 |
//! | 3 | choices: shares of rows' bits | 4 r, 3 r, 3 r, 3 r |
//! | 4 | answers: both strings, what they differ by, or none | 1024, 768, 384, 0 |
//! | then | opening ([`Opening`]) | |
//!
//! The bits of the four rows of a gate add up to one: with three products the fourth follows. Every product is
//! made anew, so that every two honest parties' shares are uniform. Shares of masks that open get fresh shares
//! of zero, as in the parent module; published is that they open as they are, which would show single parties'
//! masks of inputs where an output is a sum of inputs.
//!
//! Sources: A. Ben-Efraim, Y. Lindell, E. Omri (CCS 2016), after J. Nielsen et al. (Crypto 2012) for products of
//! bits; with correlated transfers after G. Asharov, Y. Lindell, T. Schneider, M. Zohner (CCS 2013).
//! `Offset` is ours: transfers with one offset are products with it.

use super::chain::{Blocks, Worker, agreed};
use super::columns::{Columns, open};
use super::common::Ready;
use super::cost::online;
use super::form::Form;
use super::rows::{Rows, WIDTH};
use super::seat::Seat;
use crate::Ports;
use crate::bits::words;
use crate::bmr::{LabelFunction, Opening, Products};
use crate::garbler::{self, Counter, Each, Garbler, MAX_ANDS, Parties, Terms, correlations, seats};
use crate::links::pairs;
use tacit_gmw::{FAN, WorkerKeys};
use tacit_net::{Mesh, PartyId, Phase, Stream};
use tacit_ot::{FieldBits, KAPPA};
use tacit_ring::{Buffer, Entropy};
use tacit_sharing::cost::Traffic;
use tacit_sharing::work::Work;
use tacit_sharing::{RoleId, SharingError};

/// A worker of a party.
pub struct BmrOt<'m> {
    seat: Seat<'m>,
    products: Products,
}

impl<'m> BmrOt<'m> {
    /// `places[r]` plays role `r`. The keys' Delta has its lowest bit set and is the same towards
    /// everybody. All parties make products and open tables in the same way.
    ///
    /// # Errors
    /// When this mesh's party plays no role, or Delta is not so.
    pub fn new(
        mesh: &'m mut Mesh,
        places: &[PartyId],
        keys: WorkerKeys,
        session: &[u8],
        products: Products,
        opening: Opening,
    ) -> Result<Self, SharingError> {
        Ok(BmrOt { seat: Seat::new(mesh, places, keys, session, opening)?, products })
    }

    /// Draws labels and masks, and sends the choices of masks.
    fn begin<'p>(&mut self, ports: Ports<'p>, from: &[u128]) -> Result<Rows<'p>, SharingError> {
        let seat = &mut self.seat;
        let random = seat.random(Rows::random_blocks(ports))?;
        let first = seat.gates.take(ports.ands())?;
        let mut it = Rows::new(&seat.common, ports, self.products, first, (&random, from));
        let pi = seat.keys.pi.clone();
        for peer in seat.links.peers() {
            let (receiver, _) = seat.keys.ends(peer)?;
            let message = it.choose_masks([seat.common.me, peer], &pi, receiver);
            let message = seat.links.checked(peer, message)?;
            seat.links.send(peer, Stream::Def, &message)?;
        }
        Ok(it)
    }

    /// Random shares for so many answers of both values, else nothing.
    fn shares(&mut self, blocks: usize) -> Result<Buffer<u128>, SharingError> {
        self.seat.random(if self.products.bits() == 2 { blocks } else { 0 })
    }

    /// Takes the peers' choices of masks, and answers.
    fn answer_masks(&mut self, it: &mut Rows<'_>) -> Result<(), SharingError> {
        let (words, pi) = (it.mask_words(), self.seat.keys.pi.clone());
        for peer in self.seat.links.peers() {
            let random = self.shares(words.div_ceil(2))?;
            let random: &[u64] = bytemuck::cast_slice(&random);
            let seat = &mut self.seat;
            let count = seat.keys.message_words(words);
            let message = seat.links.recv::<u64>(peer, Stream::Def, count)?;
            let (_, sender) = seat.keys.ends(peer)?;
            let answer = it.answer_masks(&seat.common, peer, (&pi, sender), &message, random);
            let answer = seat.links.checked(peer, answer)?;
            seat.links.send(peer, Stream::Def, &answer)?;
        }
        Ok(())
    }

    /// Takes the peers' answers, and sends the choices of rows.
    fn choose_rows(&mut self, it: &mut Rows<'_>) -> Result<(), SharingError> {
        let (seat, words) = (&mut self.seat, self.products.bits() * it.mask_words());
        for peer in seat.links.peers() {
            let message = seat.links.recv::<u64>(peer, Stream::Def, words)?;
            it.take_masks(peer, &message);
        }
        it.fix_bits(&seat.common);
        let pi = seat.keys.pi.clone();
        for peer in seat.links.peers() {
            let (receiver, _) = seat.keys.ends(peer)?;
            let message = it.choose_rows([seat.common.me, peer], &pi, receiver);
            let message = seat.links.checked(peer, message)?;
            seat.links.send(peer, Stream::Def, &message)?;
        }
        Ok(())
    }

    /// Takes the peers' choices of rows, and answers.
    fn answer_rows(&mut self, ports: Ports<'_>, it: &mut Rows<'_>) -> Result<(), SharingError> {
        let (products, pi) = (self.products.rows() * ports.ands(), self.seat.keys.pi.clone());
        for peer in self.seat.links.peers() {
            let random = self.shares(products)?;
            let seat = &mut self.seat;
            let count = seat.keys.message_words(it.row_words());
            let message = seat.links.recv::<u64>(peer, Stream::Def, count)?;
            let (_, sender) = seat.keys.ends(peer)?;
            let answer = it.answer_rows(&seat.common, peer, (&pi, sender), &message, &random);
            let answer = seat.links.checked(peer, answer)?;
            if self.products.blocks() > 0 {
                seat.links.send(peer, Stream::Def, &answer)?;
            }
        }
        Ok(())
    }

    /// Takes the peers' answers, if there are any, and opens rows and masks.
    fn open(&mut self, ports: Ports<'_>, it: &mut Rows<'_>) -> Result<Columns, SharingError> {
        let seat = &mut self.seat;
        let blocks = self.products.blocks() * self.products.rows() * ports.ands();
        for peer in seat.links.peers().filter(|_| self.products.blocks() > 0) {
            let message = seat.links.recv::<u128>(peer, Stream::Def, blocks)?;
            it.take_rows(peer, &message);
        }
        let mut masks = seat.zero_masks(ports)?;
        let columns = it.columns(&seat.common, &mut masks);
        Columns::send(&mut seat.links, seat.common.opening, columns, masks)
    }
}

impl Worker for BmrOt<'_> {
    fn width(&self) -> usize {
        WIDTH
    }

    fn mesh(&mut self) -> &mut Mesh {
        self.seat.links.mesh
    }

    fn set_label_function(&mut self, function: LabelFunction) {
        self.seat.common.set_label_function(function);
    }

    fn garble_on(
        &mut self,
        ports: Ports<'_>,
        from: &[Blocks],
    ) -> Result<(Ready, Vec<Blocks>), SharingError> {
        self.seat.links.mesh.set_phase(Phase::Offline);
        let all = from.iter().map(|from| self.begin(ports, from));
        let mut all = all.collect::<Result<Vec<_>, _>>()?;
        for it in &mut all {
            self.answer_masks(it)?;
        }
        for it in &mut all {
            self.choose_rows(it)?;
        }
        for it in &mut all {
            self.answer_rows(ports, it)?;
        }
        let opened = all.iter_mut().map(|it| self.open(ports, it));
        let opened = opened.collect::<Result<Vec<_>, _>>()?;
        let kept = all.iter_mut().map(Rows::take_kept).collect();
        let Seat { links, common, .. } = &mut self.seat;
        Ok((open(links, common, (all, opened), ports.ands(), Rows::finish)?, kept))
    }
}

/// Bytes between `parties` for one instance, with choices of `fan`'s bits each.
fn bytes(
    ports: Ports<'_>,
    parties: usize,
    (products, opening): (Products, Opening),
    fan: FieldBits,
) -> Traffic {
    let ands = ports.ands();
    let rows = products.rows() * ands;
    let chosen = |bits: usize| words(bits) * fan.message_bits() as u64;
    let blocks = |count: usize| (count * KAPPA / 8) as u64;
    let mut sum = Traffic::default();
    for (from, to) in pairs(parties) {
        let answers = products.bits() as u64 * words(ands) + blocks(products.blocks() * rows);
        let opened = blocks(ands * opening.blocks(parties, [from, to]));
        sum.pre[from][to] += words(ports.learned_by(to));
        sum.def[from][to] += chosen(ands) + chosen(rows) + answers + opened;
        sum.on[from][to] += online(ports, (parties, opening), [from, to]);
    }
    sum
}

/// BMR over transfers as published.
struct ByRows(Products);

/// BMR that sends both strings of every transfer, for all four rows.
pub(crate) static BMR_BASIC: &dyn Garbler = &ByRows(Products::Basic);

/// BMR that sends both strings of every transfer, for three rows.
pub(crate) static BMR_REDUCED: &dyn Garbler = &ByRows(Products::Reduced);

/// BMR that sends one string per transfer.
pub(crate) static BMR_CORRELATED: &dyn Garbler = &ByRows(Products::Correlated);

/// BMR that sends no string.
pub(crate) static BMR_OFFSET: &dyn Garbler = &ByRows(Products::Offset);

impl Form for ByRows {
    fn columns(&self, parties: usize) -> usize {
        parties
    }

    // Choices of masks and of every row, and what the sender answers.
    fn and_bits(&self, _: usize, _: [RoleId; 2]) -> u64 {
        let products = self.0;
        let chooses = (1 + products.rows()) * FAN.message_bits();
        let answers = products.bits() + KAPPA * products.blocks() * products.rows();
        (chooses + answers) as u64
    }

    fn counter(&self, terms: &Terms) -> Box<dyn Counter> {
        let (Terms { parties, opening, .. }, products) = (*terms, self.0);
        Each::counter(move |ports| bytes(ports, parties, (products, opening), FAN))
    }

    fn latencies(&self) -> [u64; 2] {
        match self.0 {
            Products::Basic | Products::Reduced | Products::Correlated => [4, 4],
            // Strings are not answered.
            Products::Offset => [4, 3],
        }
    }

    fn work(&self, parties: usize) -> Work {
        let (n, products) = (parties as f64, 1.0 + self.0.rows() as f64);
        Work::transfers(2.0 * products * (n - 1.0)) + Work::gates(2.0 * n)
    }

    fn blocks(&self, parties: usize) -> usize {
        // Shares of every row, and tables.
        24 * parties
    }

    fn most_ands(&self, _: usize) -> usize {
        MAX_ANDS
    }

    fn exchange(
        &self,
        mesh: &mut Mesh,
        parties: Parties<'_>,
        entropy: &mut Entropy,
    ) -> Result<Vec<garbler::Seat>, SharingError> {
        let mut all = correlations(mesh, parties, false, entropy)?;
        let products = self.0;
        Ok(seats(
            parties.terms.workers,
            || all.worker(),
            move |mesh, at, keys| {
                let opening = at.terms.opening;
                let party = BmrOt::new(mesh, at.places, keys, at.session, products, opening)?;
                Ok(agreed(party, &at.terms))
            },
        ))
    }
}
