//! Silent transfers of bits with every other party: made ahead of products, many at a time.
//!
//! The first of them begin with ordinary correlated OTs: one message in either direction. From there on
//! a message of a few blocks gives thousands of transfers, of random choices; products
//! exchange those for their own.

use super::exchange::malformed;
use super::method::Method;
use super::products::Peer;
use crate::party::SharingError;
use crate::role::RoleId;
use std::sync::Arc;
use tacit_net::{Mesh, PartyId, Stream};
use tacit_ot::cot;
use tacit_ot::silent::{Receiver, Schedule, Sender, Setting};
use tacit_ot::transfer::{BitChoice, BitOffer};
use tacit_ring::prg::Permutation;
use tacit_ring::{Buffer, Seed, word};

/// Bytes of transfers that wait to be used, at most: what stays in the caches. And of each word of them with
/// one peer.
const STOCK_BYTES: usize = 2 << 20;
const WORD_BYTES: usize = 4 * size_of::<u64>();

/// What a worker's silent transfers with the other parties start from.
pub struct SilentStart {
    setting: Arc<Setting>,
    seed: Seed,
}

impl SilentStart {
    /// For a session, with a seed that only this worker has.
    pub(super) fn new(setting: &Arc<Setting>, seed: Seed) -> Self {
        SilentStart { setting: setting.clone(), seed }
    }

    fn seed(&self, role: RoleId, side: u8) -> Seed {
        self.seed.derive("tacit 2026 GMW silent OT with a party", &[&[role as u8, side]])
    }

    /// The end that chooses, from ordinary transfers, of which it tells the peer.
    ///
    /// # Errors
    /// When the network fails, or streams are used up.
    pub fn receiver(
        &self,
        mesh: &mut Mesh,
        (role, at): (RoleId, PartyId),
        base: &mut cot::Receiver,
    ) -> Result<Receiver, SharingError> {
        let made = Receiver::new(&self.setting, base, &self.seed(role, 0));
        let (receiver, message) = made.map_err(|error| malformed(mesh, at, error))?;
        mesh.send(at, Stream::Def, word::bytes(&message))?;
        Ok(receiver)
    }

    /// The end that offers, from what the peer tells of ordinary transfers.
    ///
    /// # Errors
    /// When the network fails, or streams are used up.
    pub fn sender(
        &self,
        mesh: &mut Mesh,
        (role, at): (RoleId, PartyId),
        base: &mut cot::Sender,
    ) -> Result<Sender, SharingError> {
        let mut message = vec![0u64; base.message_words(self.setting.set().start_words())];
        mesh.recv(at, Stream::Def, word::bytes_mut(&mut message))?;
        let sender = Sender::new(&self.setting, base, &message, &self.seed(role, 1));
        sender.map_err(|error| malformed(mesh, at, error))
    }
}

/// Bytes that who chooses sends to start, and bytes of trees of who offers, where a worker makes so many silent
/// transfers in one direction in all. What corrects choices is not among them.
#[must_use]
pub fn silent_bytes(transfers: usize) -> [u64; 2] {
    if transfers == 0 {
        return [0; 2];
    }
    let set = Method::SILENT;
    let start = set.start_words() * super::FAN.message_bits() * size_of::<u64>();
    let trees = Schedule::new(set).take(transfers) * size_of::<u128>();
    [start as u64, trees as u64]
}

/// What a worker has for silent transfers.
pub(super) struct Silent {
    pub start: SilentStart,
    pi: Arc<Permutation>,
    /// By peer, once there was a product.
    ends: Vec<(Receiver, Sender)>,
}

/// Random transfers with one peer that wait to be used: each once, in order.
#[derive(Default)]
pub(super) struct Stock {
    choices: Buffer<u64>,
    pads: Buffer<u64>,
    offered: [Buffer<u64>; 2],
    /// Words that were chosen with, and those that were offered with.
    used: [usize; 2],
}

impl Stock {
    fn new(choice: BitChoice, offer: BitOffer) -> Self {
        let (choices, pads) = choice.random();
        Stock { choices, pads, offered: offer.random(), used: [0; 2] }
    }

    /// Words to choose with.
    pub fn left(&self) -> usize {
        self.choices.len() - self.used[0]
    }

    /// The next of them.
    pub fn choice(&mut self, words: usize) -> BitChoice {
        let at = self.used[0]..self.used[0] + words;
        self.used[0] = at.end;
        let [choices, pads] =
            [&self.choices, &self.pads].map(|run| Buffer::from_slice(&run[at.clone()]));
        BitChoice::new(choices, pads)
    }

    /// The next to offer with.
    pub fn offer(&mut self, words: usize) -> BitOffer {
        let at = self.used[1]..self.used[1] + words;
        self.used[1] = at.end;
        BitOffer::new(self.offered.each_ref().map(|run| Buffer::from_slice(&run[at.clone()])))
    }
}

impl Silent {
    /// From a start that only this worker has.
    pub fn new(start: SilentStart, pi: &Arc<Permutation>) -> Self {
        Silent { start, pi: pi.clone(), ends: Vec::new() }
    }

    /// The setting of a session.
    pub fn setting(session: &[u8]) -> Arc<Setting> {
        Setting::new(Method::SILENT, session)
    }

    /// Words of transfers that are made together at most, in whole tiles.
    pub fn bound(peers: usize, tile: usize) -> usize {
        (STOCK_BYTES / WORD_BYTES / peers.max(1) / tile).max(1) * tile
    }

    /// Makes so many words of transfers with every peer. All parties do so at the same place.
    pub fn restock(
        &mut self,
        mesh: &mut Mesh,
        peers: &mut [Peer],
        words: usize,
    ) -> Result<(), SharingError> {
        if self.ends.is_empty() {
            self.begin(mesh, peers)?;
        }
        let mut offers = Vec::with_capacity(peers.len());
        for ((_, sender), peer) in self.ends.iter_mut().zip(&*peers) {
            let made = sender.bits(&self.pi, words);
            let (offer, message) = made.map_err(|error| malformed(mesh, peer.at, error))?;
            mesh.send(peer.at, Stream::Def, word::bytes(&message))?;
            offers.push(offer);
        }
        for (((receiver, _), peer), offer) in self.ends.iter_mut().zip(peers).zip(offers) {
            let mut message = vec![0u128; receiver.message_blocks(64 * words)];
            mesh.recv(peer.at, Stream::Def, word::bytes_mut(&mut message))?;
            let choice = receiver.bits(&self.pi, words, &message);
            let choice = choice.map_err(|error| malformed(mesh, peer.at, error))?;
            peer.stock = Stock::new(choice, offer);
        }
        Ok(())
    }

    /// Ends with every peer, from ordinary transfers.
    fn begin(&mut self, mesh: &mut Mesh, peers: &mut [Peer]) -> Result<(), SharingError> {
        let mut receivers = Vec::with_capacity(peers.len());
        for peer in &mut *peers {
            receivers.push(self.start.receiver(mesh, (peer.role, peer.at), &mut peer.chooses)?);
        }
        let mut ends = Vec::with_capacity(peers.len());
        for (peer, receiver) in peers.iter_mut().zip(receivers) {
            let sender = self.start.sender(mesh, (peer.role, peer.at), &mut peer.offers)?;
            ends.push((receiver, sender));
        }
        self.ends = ends;
        Ok(())
    }
}
