//! Silent transfers of bits with every other party: made ahead of products, many at a time.
//!
//! The first of them begin with ordinary correlated OTs: one message in either direction. From there on
//! a message of a few blocks gives thousands of transfers, of random choices; products
//! exchange those for their own. After two billion transfers they begin anew.

use super::malformed::malformed;
use super::method::Method;
use super::products::Peer;
use std::sync::Arc;
use tacit_net::{Mesh, PartyId, Stream};
use tacit_ot::cot;
use tacit_ot::silent::{Chain, Receiver, Sender, Setting};
use tacit_ot::transfer::{BitChoice, BitOffer};
use tacit_protocol::{Descriptor, Family, Parties, Protocol, Security, Status, Transfers};
use tacit_ring::prg::Permutation;
use tacit_ring::{Buffer, Seed, word};
use tacit_sharing::SharingError;

/// Bytes of transfers that wait to be used, at most: what stays in the caches. And of each word of them with
/// one peer.
const STOCK_BYTES: usize = 2 << 20;
const WORD_BYTES: usize = 4 * size_of::<u64>();

/// What a worker's silent transfers with the other parties start from.
pub struct SilentStart {
    setting: Arc<Setting>,
    seed: Seed,
    /// Ends so far: each has a seed of its own.
    begun: u64,
}

impl SilentStart {
    /// For a session, with a seed that only this worker has.
    pub(super) fn new(setting: &Arc<Setting>, seed: Seed) -> Self {
        SilentStart { setting: setting.clone(), seed, begun: 0 }
    }

    /// The seed of the next end.
    fn next_seed(&mut self) -> Seed {
        self.begun += 1;
        self.seed.derive("tacit 2026 GMW silent OT of an end", &[&self.begun.to_le_bytes()])
    }

    /// The end that chooses, from ordinary transfers, of which it tells the peer.
    ///
    /// # Errors
    /// When the network fails, or streams are used up.
    pub fn receiver(
        &mut self,
        mesh: &mut Mesh,
        at: PartyId,
        base: &mut cot::Receiver,
    ) -> Result<Receiver, SharingError> {
        let seed = self.next_seed();
        let made = Receiver::new(&self.setting, base, &seed);
        let (receiver, message) = made.map_err(|error| malformed(mesh, at, error))?;
        mesh.send(at, Stream::Def, word::bytes(&message))?;
        Ok(receiver)
    }

    /// The end that offers, from what the peer tells of ordinary transfers.
    ///
    /// # Errors
    /// When the network fails, or streams are used up.
    pub fn sender(
        &mut self,
        mesh: &mut Mesh,
        at: PartyId,
        base: &mut cot::Sender,
    ) -> Result<Sender, SharingError> {
        let words = self.setting.chain().set.start_words();
        let mut message = vec![0u64; base.message_words(words)];
        mesh.recv(at, Stream::Def, word::bytes_mut(&mut message))?;
        let seed = self.next_seed();
        let sender = Sender::new(&self.setting, base, &message, &seed);
        sender.map_err(|error| malformed(mesh, at, error))
    }
}

/// Bytes that a worker's silent transfers in one direction take: those that the party that chooses sends to start, and
/// those of trees that the party that offers sends. What corrects choices is not among them.
#[must_use]
pub fn silent_bytes(transfers: usize) -> [u64; 2] {
    silent_bytes_by(Method::SILENT, transfers)
}

/// Bytes as [`silent_bytes`] gives them, for other parameters.
#[must_use]
pub fn silent_bytes_by(chain: Chain, transfers: usize) -> [u64; 2] {
    let [words, blocks] = chain.messages(transfers);
    let start = words * super::FAN.message_bits() * size_of::<u64>();
    [start as u64, (blocks * size_of::<u128>()) as u64]
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
    /// Adds transfers after those that are there.
    fn add(&mut self, choice: BitChoice, offer: BitOffer) {
        let (choices, pads) = choice.random();
        append(&mut self.choices, choices);
        append(&mut self.pads, pads);
        for (offered, more) in self.offered.iter_mut().zip(offer.random()) {
            append(offered, more);
        }
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

fn append(first: &mut Buffer<u64>, more: Buffer<u64>) {
    if first.is_empty() {
        *first = more;
        return;
    }
    let mut both = Buffer::zeros(first.len() + more.len());
    both[..first.len()].copy_from_slice(first);
    both[first.len()..].copy_from_slice(&more);
    *first = both;
}

impl Silent {
    /// From a start that only this worker has.
    pub fn new(start: SilentStart, pi: &Arc<Permutation>) -> Self {
        Silent { start, pi: pi.clone(), ends: Vec::new() }
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
        peers.iter_mut().for_each(|peer| peer.stock = Stock::default());
        let mut missing = words;
        while missing > 0 && !peers.is_empty() {
            // The same with every peer.
            let rest = self.ends.first().map_or(0, |(receiver, _)| receiver.rest() / 64);
            match missing.min(rest) {
                0 => self.begin(mesh, peers)?,
                words => {
                    self.make(mesh, peers, words)?;
                    missing -= words;
                }
            }
        }
        Ok(())
    }

    /// Makes so many words of transfers with every peer, from the chains under way.
    fn make(
        &mut self,
        mesh: &mut Mesh,
        peers: &mut [Peer],
        words: usize,
    ) -> Result<(), SharingError> {
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
            peer.stock.add(choice, offer);
        }
        Ok(())
    }

    /// Ends with every peer, from ordinary transfers.
    fn begin(&mut self, mesh: &mut Mesh, peers: &mut [Peer]) -> Result<(), SharingError> {
        let mut receivers = Vec::with_capacity(peers.len());
        for peer in &mut *peers {
            receivers.push(self.start.receiver(mesh, peer.at, &mut peer.chooses)?);
        }
        let mut ends = Vec::with_capacity(peers.len());
        for (peer, receiver) in peers.iter_mut().zip(receivers) {
            let sender = self.start.sender(mesh, peer.at, &mut peer.offers)?;
            ends.push((receiver, sender));
        }
        self.ends = ends;
        Ok(())
    }
}

/// GMW with silent oblivious transfers.
pub const GMW_SILENT: Protocol = Protocol::new(&Descriptor {
    name: "gmw-silent",
    page: "gmw.md#silent-transfers",
    best_for: "as `gmw`, with slow links and many ANDs: a tenth of the traffic, and more computing; its level, 2^151, is our own estimate",
    parties: Parties::AtLeast(2),
    security: Security::DishonestMajority,
    status: Status::Product,
    fan_in: 2,
    family: Family::Gmw(Transfers::Silent),
});
