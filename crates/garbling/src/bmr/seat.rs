//! What a worker over oblivious transfer has, however products are made.

use super::common::{Common, add_zeros};
use crate::bmr::Opening;
use crate::links::{GateNumbers, Links};
use crate::silent::Transfers;
use crate::{Bits, Ports};
use tacit_gmw::WorkerKeys;
use tacit_net::{Mesh, PartyId};
use tacit_ring::{Buffer, word};
use tacit_sharing::SharingError;

/// A worker of a party, with correlations with all others.
pub(crate) struct Seat<'m> {
    pub links: Links<'m>,
    pub keys: WorkerKeys,
    pub common: Common,
    pub gates: GateNumbers,
    pub transfers: Transfers,
}

impl<'m> Seat<'m> {
    /// `places[r]` plays role `r`. The keys' Delta has its lowest bit set and is the same towards
    /// everybody.
    pub fn new(
        mesh: &'m mut Mesh,
        places: &[PartyId],
        mut keys: WorkerKeys,
        session: &[u8],
        opening: Opening,
    ) -> Result<Self, SharingError> {
        let wrong = |what: &str| SharingError::Shape(what.into());
        let links = Links::new(mesh, places)?;
        let me = links.me;
        let offset = keys.delta.clone().filter(|delta| **delta & 1 == 1);
        let offset = offset.ok_or_else(|| wrong("an offset that is no offset of labels"))?;
        let common = Common::new([places.len(); 2], me, (offset, opening), session);
        // Workers have gates of their own, as they have the same offset.
        let gates = GateNumbers::new(keys.number)?;
        let transfers = Transfers::of(&mut keys, places.len());
        Ok(Seat { links, keys, common, gates, transfers })
    }

    /// Random blocks of this party's own.
    pub fn random(&mut self, blocks: usize) -> Result<Buffer<u128>, SharingError> {
        let mut random = Buffer::zeros(blocks);
        let id = self.keys.ids.step()?.single();
        self.keys.own.stream(id).fill(&mut random);
        Ok(random)
    }

    /// Adds a share of zero.
    pub fn add_zeros(&mut self, words: &mut [u64]) -> Result<(), SharingError> {
        add_zeros(&self.keys.zeros, &mut self.keys.zero_ids, word::bytes_mut(words))
    }

    /// Shares of zero for the masks that each role learns.
    pub fn zero_masks(&mut self, ports: Ports<'_>) -> Result<Vec<Bits>, SharingError> {
        let learned = (0..self.common.parties).map(|role| ports.learned_by(role));
        let mut masks: Vec<Bits> = learned.map(Bits::zeros).collect();
        for zero in &mut masks {
            self.add_zeros(&mut zero.words)?;
        }
        Ok(masks)
    }
}
