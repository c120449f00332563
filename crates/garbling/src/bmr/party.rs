//! One worker of one party of BMR: many instances at a time, message by message.

use super::chain::{Blocks, Worker, agreed};
use super::columns::{Columns, open};
use super::common::{Ready, drawn_by};
use super::cost::CostOfBmr;
use super::form::Form;
use super::garble::Garbling;
use super::seat::Seat;
use crate::Ports;
use crate::bmr::{LabelFunction, Opening};
use crate::garbler::{self, Counter, Garbler, MAX_ANDS, Parties, Terms, correlations, seats};
use tacit_gmw::{FAN, WorkerKeys};
use tacit_net::{Mesh, PartyId, Phase, Stream};
use tacit_ring::{Buffer, Entropy};
use tacit_sharing::work::{SILENT, Work};
use tacit_sharing::{RoleId, SharingError};

/// A worker of a party.
pub struct Bmr<'m>(Seat<'m>);

impl<'m> Bmr<'m> {
    /// `places[r]` plays role `r`. The keys' Delta has its lowest bit set and is the same towards
    /// everybody. All parties open tables in the same way.
    ///
    /// # Errors
    /// When this mesh's party plays no role, or Delta is not so.
    pub fn new(
        mesh: &'m mut Mesh,
        places: &[PartyId],
        keys: WorkerKeys,
        session: &[u8],
        opening: Opening,
    ) -> Result<Self, SharingError> {
        Ok(Bmr(Seat::new(mesh, places, keys, session, opening)?))
    }
}

impl Seat<'_> {
    fn garble_on(
        &mut self,
        ports: Ports<'_>,
        from: &[Blocks],
    ) -> Result<(Ready, Vec<Blocks>), SharingError> {
        self.links.mesh.set_phase(Phase::Offline);
        self.make_transfers(ports, from.len())?;
        let mut all = Vec::with_capacity(from.len());
        for from in from {
            all.push(self.begin(ports, from)?);
        }
        for it in &mut all {
            self.take_masks(it)?;
        }
        for it in &mut all {
            self.take_cross(it)?;
        }
        let mut opened = Vec::with_capacity(all.len());
        for it in &mut all {
            self.take_products(it)?;
            opened.push(self.open(ports, it)?);
        }
        let kept = all.iter_mut().map(Garbling::take_kept).collect();
        let Seat { links, common, .. } = self;
        let finish = |it: Garbling<'_>, opened| it.finish(common, opened);
        Ok((open(links, common, (all, opened), ports.ands(), finish)?, kept))
    }

    /// Makes the transfers of masks and products of so many instances, where they are silent.
    pub(crate) fn make_transfers(
        &mut self,
        ports: Ports<'_>,
        instances: usize,
    ) -> Result<(), SharingError> {
        let Seat { links, keys, common, transfers, .. } = self;
        let chosen = |role| instances * (drawn_by(ports, role).len() + ports.ands());
        transfers.make(links, keys, |peer| [chosen(common.me), chosen(peer)])
    }

    /// Draws labels and masks, and sends the choices of masks.
    pub(crate) fn begin<'p>(
        &mut self,
        ports: Ports<'p>,
        from: &[u128],
    ) -> Result<Garbling<'p>, SharingError> {
        let random = self.random(Garbling::random_blocks(ports))?;
        let first = self.gates.take(ports.ands())?;
        let mut it = Garbling::new(&self.common, ports, first, (&random, from));
        for peer in self.links.peers() {
            let chooser = self.transfers.chooser(&mut self.keys, peer)?;
            let message = it.choose_masks(&self.common, peer, chooser);
            let message = self.links.checked(peer, message)?;
            self.links.send(peer, Stream::Def, &message)?;
        }
        Ok(it)
    }

    /// Takes the peers' choices of masks, and sends the cross terms.
    pub(crate) fn take_masks(&mut self, it: &mut Garbling<'_>) -> Result<(), SharingError> {
        for peer in self.links.peers() {
            let words = it.masks_message(peer, |words| self.transfers.message_words(words));
            let message = self.links.recv::<u64>(peer, Stream::Def, words)?;
            let offset = *self.common.offset;
            let offerer = self.transfers.offerer(&mut self.keys, (peer, offset))?;
            let taken = it.take_masks(&self.common, peer, offerer, &message);
            self.links.checked(peer, taken)?;
        }
        let crossed = it.cross(&self.common, &self.keys.pi);
        for peer in self.links.peers() {
            self.links.send(peer, Stream::Def, &crossed[peer].words)?;
        }
        Ok(())
    }

    /// Takes the peers' cross terms, and sends the choices of products.
    pub(crate) fn take_cross(&mut self, it: &mut Garbling<'_>) -> Result<(), SharingError> {
        let words = it.ands().div_ceil(64);
        for peer in self.links.peers() {
            let message = self.links.recv::<u64>(peer, Stream::Def, words)?;
            it.take_cross(peer, &message);
        }
        let mut zero = Buffer::<u64>::zeros(words);
        self.add_zeros(&mut zero)?;
        it.fix_products(&self.common, &zero);
        for peer in self.links.peers() {
            let chooser = self.transfers.chooser(&mut self.keys, peer)?;
            let message = it.choose_products(&self.common, peer, chooser);
            let message = self.links.checked(peer, message)?;
            self.links.send(peer, Stream::Def, &message)?;
        }
        Ok(())
    }

    /// Takes the peers' choices of products.
    pub(crate) fn take_products(&mut self, it: &mut Garbling<'_>) -> Result<(), SharingError> {
        let words = self.transfers.message_words(it.ands().div_ceil(64));
        for peer in self.links.peers() {
            let message = self.links.recv::<u64>(peer, Stream::Def, words)?;
            let offset = *self.common.offset;
            let offerer = self.transfers.offerer(&mut self.keys, (peer, offset))?;
            let taken = it.take_products(&self.common, peer, offerer, &message);
            self.links.checked(peer, taken)?;
        }
        Ok(())
    }

    /// Opens rows and masks.
    pub(super) fn open(
        &mut self,
        ports: Ports<'_>,
        it: &mut Garbling<'_>,
    ) -> Result<Columns, SharingError> {
        let mut masks = self.zero_masks(ports)?;
        let columns = it.rows(&self.common, &mut masks);
        Columns::send(&mut self.links, self.common.opening, columns, masks)
    }
}

impl Worker for Bmr<'_> {
    fn width(&self) -> usize {
        2 * self.0.common.parties
    }

    fn mesh(&mut self) -> &mut Mesh {
        self.0.links.mesh
    }

    fn set_label_function(&mut self, function: LabelFunction) {
        self.0.common.set_label_function(function);
    }

    fn garble_on(
        &mut self,
        ports: Ports<'_>,
        from: &[Blocks],
    ) -> Result<(Ready, Vec<Blocks>), SharingError> {
        self.0.garble_on(ports, from)
    }
}

/// BMR, wire-authenticated.
struct OverTransfers {
    silent: bool,
}

/// With ordinary transfers.
pub(crate) static BMR: &dyn Garbler = &OverTransfers { silent: false };

/// With silent ones.
pub(crate) static BMR_SILENT: &dyn Garbler = &OverTransfers { silent: true };

impl Form for OverTransfers {
    fn columns(&self, parties: usize) -> usize {
        parties
    }

    // Choices of masks and products, cross terms; silent transfers are made before.
    fn and_bits(&self, _: usize, _: [RoleId; 2]) -> u64 {
        2 * if self.silent { 1 } else { FAN.message_bits() as u64 } + 1
    }

    fn counter(&self, terms: &Terms) -> Box<dyn Counter> {
        Box::new(CostOfBmr::new(terms.parties, terms.opening, self.silent))
    }

    fn latencies(&self) -> [u64; 2] {
        [4, if self.silent { 5 } else { 3 }]
    }

    fn work(&self, parties: usize) -> Work {
        let (n, each) = (parties as f64, if self.silent { SILENT } else { 1.0 });
        Work::transfers(4.0 * each * (n - 1.0)) + Work::gates(2.0 * n)
    }

    fn blocks(&self, parties: usize) -> usize {
        // Tables, and what a wire is authenticated by; silent transfers wait to be used.
        parties * if self.silent { 20 } else { 16 }
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
        let mut all = correlations(mesh, parties, self.silent, entropy)?;
        Ok(seats(
            parties.terms.workers,
            || all.worker(),
            |mesh, at, keys| {
                let party = Bmr::new(mesh, at.places, keys, at.session, at.terms.opening)?;
                Ok(agreed(party, &at.terms))
            },
        ))
    }
}
