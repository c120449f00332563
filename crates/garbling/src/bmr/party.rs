//! One worker of one party of BMR: many instances at a time, message by message.

use super::columns::Opening;
use super::common::{Common, Ready};
use super::garble::Garbling;
use crate::links::{GateNumbers, Links};
use crate::{Bits, Ports, ports};
use tacit_net::{Mesh, PartyId, Phase, Stream};
use tacit_ring::{Buffer, word};
use tacit_sharing::SharingError;
use tacit_sharing::gmw::WorkerKeys;

/// A worker of a party.
pub struct Bmr<'m> {
    links: Links<'m>,
    keys: WorkerKeys,
    common: Common,
    gates: GateNumbers,
}

impl<'m> Bmr<'m> {
    /// `places[r]` plays role `r`. The keys' Delta has its lowest bit set and is the same towards
    /// everybody.
    ///
    /// # Errors
    /// When this mesh's party plays no role, or Delta is not so.
    pub fn new(
        mesh: &'m mut Mesh,
        places: &[PartyId],
        keys: WorkerKeys,
        session: &[u8],
    ) -> Result<Self, SharingError> {
        let wrong = |what: &str| SharingError::Shape(what.into());
        let links = Links::new(mesh, places)?;
        let me = links.me;
        let offset = keys.delta.clone().filter(|delta| **delta & 1 == 1);
        let offset = offset.ok_or_else(|| wrong("an offset that is no offset of labels"))?;
        let common = Common::new([places.len(); 2], me, offset, session);
        // Workers have gates of their own, as they have the same offset.
        let gates = GateNumbers::new(keys.number)?;
        Ok(Bmr { links, keys, common, gates })
    }

    /// A share of zero.
    fn zero(&mut self, words: &mut [u64]) -> Result<(), SharingError> {
        let number = self.keys.zero_ids.step()?.single().number();
        let mut part = Buffer::<u64>::zeros(words.len());
        for prg in &self.keys.zeros {
            prg.fill(number, 0, word::bytes_mut(&mut part));
            words.iter_mut().zip(&*part).for_each(|(word, part)| *word ^= part);
        }
        Ok(())
    }

    /// Draws labels and masks, and sends the choices of masks.
    fn begin<'p>(&mut self, ports: Ports<'p>) -> Result<Garbling<'p>, SharingError> {
        let mut random = Buffer::<u128>::zeros(Garbling::random_blocks(ports));
        let id = self.keys.ids.step()?.single();
        self.keys.own.stream(id).fill(&mut random);
        let first = self.gates.take(ports.ands())?;
        let mut it = Garbling::new(&self.common, ports, first, &random);
        for peer in self.links.peers() {
            let (receiver, _) = self.keys.ends(peer)?;
            let message = it.choose_masks(&self.common, peer, receiver);
            let message = self.links.checked(peer, message)?;
            self.links.send(peer, Stream::Def, &message)?;
        }
        Ok(it)
    }

    /// Takes the peers' choices of masks, and sends the cross terms.
    fn take_masks(&mut self, it: &mut Garbling<'_>) -> Result<(), SharingError> {
        for peer in self.links.peers() {
            let words = it.masks_message(peer, |words| self.keys.message_words(words));
            let message = self.links.recv::<u64>(peer, Stream::Def, words)?;
            let (_, sender) = self.keys.ends(peer)?;
            let taken = it.take_masks(&self.common, peer, sender, &message);
            self.links.checked(peer, taken)?;
        }
        let crossed = it.cross(&self.common, &self.keys.pi);
        for peer in self.links.peers() {
            self.links.send(peer, Stream::Def, &crossed[peer].words)?;
        }
        Ok(())
    }

    /// Takes the peers' cross terms, and sends the choices of products.
    fn take_cross(&mut self, it: &mut Garbling<'_>) -> Result<(), SharingError> {
        let words = it.ands().div_ceil(64);
        for peer in self.links.peers() {
            let message = self.links.recv::<u64>(peer, Stream::Def, words)?;
            it.take_cross(peer, &message);
        }
        let mut zero = Buffer::<u64>::zeros(words);
        self.zero(&mut zero)?;
        it.fix_products(&self.common, &zero);
        for peer in self.links.peers() {
            let (receiver, _) = self.keys.ends(peer)?;
            let message = it.choose_products(&self.common, peer, receiver);
            let message = self.links.checked(peer, message)?;
            self.links.send(peer, Stream::Def, &message)?;
        }
        Ok(())
    }

    /// Takes the peers' choices of products, and opens rows and masks.
    fn take_products(
        &mut self,
        ports: Ports<'_>,
        it: &mut Garbling<'_>,
    ) -> Result<Opening, SharingError> {
        let words = self.keys.message_words(it.ands().div_ceil(64));
        for peer in self.links.peers() {
            let message = self.links.recv::<u64>(peer, Stream::Def, words)?;
            let (_, sender) = self.keys.ends(peer)?;
            let taken = it.take_products(&self.common, peer, sender, &message);
            self.links.checked(peer, taken)?;
        }
        let learned = (0..self.common.parties).map(|role| ports.learned_by(role));
        let mut masks: Vec<Bits> = learned.map(Bits::zeros).collect();
        for zero in &mut masks {
            self.zero(&mut zero.words)?;
        }
        let columns = it.rows(&self.common, &mut masks);
        Opening::send(&mut self.links, columns, masks)
    }
}

impl ports::Garbling for Bmr<'_> {
    type Ready = Ready;

    fn mesh(&mut self) -> &mut Mesh {
        self.links.mesh
    }

    fn prepare(&mut self, ports: Ports<'_>, instances: usize) -> Result<Ready, SharingError> {
        self.links.mesh.set_phase(Phase::Offline);
        let mut all = Vec::with_capacity(instances);
        for _ in 0..instances {
            all.push(self.begin(ports)?);
        }
        for it in &mut all {
            self.take_masks(it)?;
        }
        for it in &mut all {
            self.take_cross(it)?;
        }
        let mut openings = Vec::with_capacity(instances);
        for it in &mut all {
            openings.push(self.take_products(ports, it)?);
        }
        for opening in &mut openings {
            opening.take_parts(&mut self.links, &self.common, ports)?;
        }
        let mut garbled = Vec::with_capacity(instances);
        for (it, opening) in all.into_iter().zip(openings) {
            let opened = opening.finish(&mut self.links, &self.common, it.ands())?;
            garbled.push(it.finish(&self.common, opened));
        }
        self.links.mesh.flush()?;
        Ok(self.common.ready(garbled))
    }
}
