//! Shares of products of shared bits, by oblivious transfer between every two parties.
//!
//! For every ordered pair of parties (S, R): R chooses by its bit of `v` between two pads of S, and S
//! sends the sum of both pads and its bit of `u`. With the pads `p0`, `p1` and R's `p = p0 + v (p0 + p1)`
//!
//! ```text
//! S     z = p0 + p1 + u          keeps p0
//! R                              keeps p + v z = p0 + u v
//! ```
//!
//! Products go through in tiles, one after the other: while a tile's answer is on its way, the next
//! ones are chosen. More and more of them are under way as it goes on, up to a bound on memory: it takes
//! two rounds, and one more for each doubling and then for each such bound. Choices and answers share the
//! stream [`Stream::Def`], which is read ahead: all parties send and take them in the same order.
//! (`Pre` is for those who receive nothing.)

use super::dense::{Packing, dense_words, unpack};
use super::malformed::malformed;
use super::silent::{Silent, Stock};
use std::collections::VecDeque;
use std::ops::Range;
use tacit_net::{Mesh, PartyId, Stream};
use tacit_ot::{Receiver, Sender};
use tacit_protocol::{Descriptor, Family, Parties, Protocol, Security, Status, Transfers};
use tacit_ring::{Buffer, Z2, word};
use tacit_sharing::SharingError;
use tacit_sharing::role::RoleId;

/// Words of a transfer with one peer: choice, pad chosen, both pads offered, and the sender's fresh bit.
pub(super) const KEPT: usize = 5;

/// Words of products that are made together.
const TILE: usize = 512;
/// Tiles under way in each direction, at first.
const WINDOW: usize = 8;
/// Bytes of choices under way from all peers together, at most.
const WINDOW_BYTES: usize = 32 << 20;

pub(super) struct Peer {
    pub role: RoleId,
    pub at: PartyId,
    pub chooses: Receiver,
    pub offers: Sender,
    /// Silent transfers, where they are used.
    pub stock: Stock,
}

/// What waits for the peers' choices, or for their shares of masks, in the order in which all send them.
enum Waiting {
    Tile(Tile),
    /// This party's shares of masks that open to it.
    Masks(Buffer<Z2>),
}

/// A message on the stream that choices and answers share.
enum Sent {
    Choices,
    Answer,
}

struct Tile {
    u: Buffer<u64>,
    v: Buffer<u64>,
    /// By peer, the pads that were chosen.
    pads: Vec<Buffer<u64>>,
    share: Buffer<u64>,
}

/// What was prepared together.
pub(super) struct Made {
    /// Shares of products, in the order of their factors.
    pub products: Buffer<Z2>,
    /// Masks that open to this party, in order.
    pub masks: VecDeque<Buffer<Z2>>,
}

/// The making of products and opening of masks.
pub(super) struct Products {
    me: PartyId,
    peers: Vec<Peer>,
    silent: Option<Silent>,
    /// Where words of products have gaps; and how many there are.
    packing: Option<Packing<2>>,
    words: usize,
    /// Factors that do not fill a tile yet: how many.
    filled: usize,
    u: Buffer<u64>,
    v: Buffer<u64>,
    chosen: VecDeque<Waiting>,
    answered: VecDeque<Tile>,
    /// Tiles chosen so far: how many may be under way follows from it, alike at all parties.
    tiles: usize,
    /// How many of those tiles still wait for the peers' choices.
    under_way: usize,
    /// What this party has sent and the peers, in the same order, send too: still to be taken.
    order: VecDeque<Sent>,
    made: Made,
    /// Words of products whose choices were sent, and words that are done.
    asked: usize,
    done: usize,
    message: Buffer<u64>,
    pads: [Buffer<u64>; 2],
}

impl Products {
    pub fn new(
        me: PartyId,
        places: &[PartyId],
        peers: impl IntoIterator<Item = Option<(Receiver, Sender)>>,
        silent: Option<Silent>,
    ) -> Self {
        let ends = places.iter().zip(peers).enumerate();
        let peers = ends.filter_map(|(role, (at, ends))| {
            let (chooses, offers) = ends?;
            Some(Peer { role, at: *at, chooses, offers, stock: Stock::default() })
        });
        Products {
            me,
            peers: peers.collect(),
            silent,
            asked: 0,
            packing: None,
            words: 0,
            filled: 0,
            u: Buffer::zeros(TILE),
            v: Buffer::zeros(TILE),
            chosen: VecDeque::new(),
            answered: VecDeque::new(),
            tiles: 0,
            under_way: 0,
            order: VecDeque::new(),
            made: Made { products: Buffer::default(), masks: VecDeque::new() },
            done: 0,
            message: Buffer::default(),
            pads: Default::default(),
        }
    }

    /// The ends of the correlations, by role.
    pub fn leave(self, roles: usize) -> (Vec<Option<(Receiver, Sender)>>, Option<Silent>) {
        let mut peers: Vec<Option<(Receiver, Sender)>> = (0..roles).map(|_| None).collect();
        for Peer { role, chooses, offers, .. } in self.peers {
            peers[role] = Some((chooses, offers));
        }
        (peers, self.silent)
    }

    /// The next products are so many words; if so many lanes of each are used, fewer than all, of those alone.
    pub fn start(&mut self, words: usize, lanes: Option<usize>) {
        self.packing = lanes.map(Packing::new);
        self.words = words;
        let dense = lanes.map_or(words, |lanes| dense_words(words, lanes));
        self.made = Made { products: Buffer::zeros(dense), masks: VecDeque::new() };
        (self.asked, self.done) = (0, 0);
        self.tiles = 0;
    }

    /// Tiles that may be under way.
    fn window(&self) -> usize {
        let bits = if self.silent.is_some() { 1 } else { super::FAN.message_bits() };
        let tile = 8 * TILE * bits * self.peers.len();
        (self.tiles / 4).clamp(WINDOW, (WINDOW_BYTES / tile.max(1)).max(WINDOW))
    }

    /// Goes on with these factors.
    pub fn push(&mut self, mesh: &mut Mesh, u: &[Z2], v: &[Z2]) -> Result<(), SharingError> {
        let (u, v) = (word::lanes(u), word::lanes(v));
        if self.packing.is_none() {
            return self.push_words(mesh, u, v);
        }
        for (u, v) in u.iter().zip(v) {
            if let Some([u, v]) = self.packing.as_mut().and_then(|packing| packing.add([*u, *v])) {
                self.push_words(mesh, &[u], &[v])?;
            }
        }
        Ok(())
    }

    fn push_words(
        &mut self,
        mesh: &mut Mesh,
        mut u: &[u64],
        mut v: &[u64],
    ) -> Result<(), SharingError> {
        while !u.is_empty() {
            let take = u.len().min(TILE - self.filled);
            let at = self.filled..self.filled + take;
            self.u[at.clone()].copy_from_slice(&u[..take]);
            self.v[at].copy_from_slice(&v[..take]);
            (u, v) = (&u[take..], &v[take..]);
            self.filled += take;
            if self.filled == TILE {
                self.choose(mesh)?;
            }
        }
        Ok(())
    }

    /// Sends this party's shares of masks to those who learn them.
    pub fn open(
        &mut self,
        mesh: &mut Mesh,
        masks: &[Z2],
        places: &[PartyId],
        receivers: &[RoleId],
    ) -> Result<(), SharingError> {
        for to in receivers.iter().map(|role| places[*role]).filter(|to| *to != self.me) {
            mesh.send(to, Stream::Pre, word::bytes(masks))?;
        }
        if receivers.iter().any(|role| places[*role] == self.me) {
            self.chosen.push_back(Waiting::Masks(Buffer::from_slice(masks)));
        }
        Ok(())
    }

    /// Everything that was asked for since the start.
    pub fn finish(&mut self, mesh: &mut Mesh) -> Result<Made, SharingError> {
        if let Some([u, v]) = self.packing.as_mut().and_then(Packing::last) {
            self.push_words(mesh, &[u], &[v])?;
        }
        if self.filled > 0 {
            self.choose(mesh)?;
        }
        self.drain(mesh)?;
        mesh.flush()?;
        if self.done != self.made.products.len() {
            return Err(SharingError::Shape("fewer products than were to be made".into()));
        }
        if let Some(packing) = self.packing.take() {
            let mut products = Buffer::zeros(self.words);
            unpack(&self.made.products, packing.lanes, &mut products);
            self.made.products = products;
        }
        let none = Made { products: Buffer::default(), masks: VecDeque::new() };
        Ok(std::mem::replace(&mut self.made, none))
    }

    /// Random transfers with every peer, five runs for each: from the first, the choices, to the second, the
    /// pads chosen, and to the next two, both pads offered. One round: no message waits for another.
    pub fn transfers(
        &mut self,
        mesh: &mut Mesh,
        runs: &mut [Buffer<Z2>],
    ) -> Result<(), SharingError> {
        let words = runs.first().map_or(0, |run| run.len());
        let tiles = words.div_ceil(TILE);
        let window = self.window();
        let range = |tile: usize| tile * TILE..words.min((tile + 1) * TILE);
        for tile in 0..tiles + window {
            if tile < tiles {
                self.choose_at_random(mesh, runs, range(tile))?;
            }
            if tile >= window {
                self.offer_at_random(mesh, runs, range(tile - window))?;
            }
        }
        Ok(mesh.flush()?)
    }

    fn choose_at_random(
        &mut self,
        mesh: &mut Mesh,
        runs: &mut [Buffer<Z2>],
        at: Range<usize>,
    ) -> Result<(), SharingError> {
        for (peer, runs) in self.peers.iter_mut().zip(runs.chunks_exact_mut(KEPT)) {
            let [choices, pads, ..] = runs else { continue };
            let message = self.message.sized(peer.chooses.message_words(at.len()));
            let (choices, pads) =
                (word::lanes(&choices[at.clone()]), word::lanes_mut(&mut pads[at.clone()]));
            let chosen = peer.chooses.bits(choices, message, pads);
            chosen.map_err(|error| malformed(mesh, peer.at, error))?;
            mesh.send(peer.at, Stream::Def, word::bytes(message))?;
        }
        Ok(())
    }

    fn offer_at_random(
        &mut self,
        mesh: &mut Mesh,
        runs: &mut [Buffer<Z2>],
        at: Range<usize>,
    ) -> Result<(), SharingError> {
        for (peer, runs) in self.peers.iter_mut().zip(runs.chunks_exact_mut(KEPT)) {
            let [_, _, zeros, ones, _] = runs else { continue };
            let message = self.message.sized(peer.offers.message_words(at.len()));
            mesh.recv(peer.at, Stream::Def, word::bytes_mut(message))?;
            let pads = [zeros, ones].map(|run| word::lanes_mut(&mut run[at.clone()]));
            let offered = peer.offers.bits(message, pads);
            offered.map_err(|error| malformed(mesh, peer.at, error))?;
        }
        Ok(())
    }

    /// Completes what is under way.
    fn drain(&mut self, mesh: &mut Mesh) -> Result<(), SharingError> {
        while !self.chosen.is_empty() {
            self.answer(mesh)?;
        }
        while !self.answered.is_empty() {
            self.settle(mesh)?;
        }
        Ok(())
    }

    /// Sees to it that there are silent transfers for so many words, if they are used.
    fn restock(&mut self, mesh: &mut Mesh, words: usize) -> Result<(), SharingError> {
        let short = self.peers.iter().any(|peer| peer.stock.left() < words);
        if self.silent.is_none() || !short {
            return Ok(());
        }
        // Nothing else is under way on the stream then.
        self.drain(mesh)?;
        let left = self.made.products.len().saturating_sub(self.asked);
        let words = left.min(Silent::bound(self.peers.len(), TILE)).max(words);
        match &mut self.silent {
            Some(silent) => silent.restock(mesh, &mut self.peers, words),
            None => Ok(()),
        }
    }

    /// Sends the choices of a tile.
    fn choose(&mut self, mesh: &mut Mesh) -> Result<(), SharingError> {
        let words = std::mem::take(&mut self.filled);
        let [u, v] = [&self.u, &self.v].map(|run| Buffer::from_slice(&run[..words]));
        let mut share = Buffer::zeros(words);
        for ((share, u), v) in share.iter_mut().zip(&*u).zip(&*v) {
            *share = u & v;
        }
        self.restock(mesh, words)?;
        self.asked += words;
        let mut all = Vec::with_capacity(self.peers.len());
        for peer in &mut self.peers {
            if self.silent.is_some() {
                let (choice, message) = peer.stock.choice(words).exchange(&v);
                mesh.send(peer.at, Stream::Def, word::bytes(&message))?;
                all.push(choice.random().1);
                continue;
            }
            let message = self.message.sized(peer.chooses.message_words(words));
            let mut pads = Buffer::zeros(words);
            let chosen = peer.chooses.bits(&v, message, &mut pads);
            chosen.map_err(|error| malformed(mesh, peer.at, error))?;
            mesh.send(peer.at, Stream::Def, word::bytes(message))?;
            all.push(pads);
        }
        self.chosen.push_back(Waiting::Tile(Tile { u, v, pads: all, share }));
        self.tiles += 1;
        self.under_way += 1;
        self.order.push_back(Sent::Choices);
        // Masks in between, which only some parties wait for, do not count.
        while self.under_way > self.window() {
            self.answer(mesh)?;
        }
        Ok(())
    }

    /// Takes what the peers chose, or their shares of masks.
    fn answer(&mut self, mesh: &mut Mesh) -> Result<(), SharingError> {
        let mut tile = match self.chosen.pop_front() {
            Some(Waiting::Tile(tile)) => tile,
            Some(Waiting::Masks(mut masks)) => {
                for peer in &self.peers {
                    let theirs = self.message.sized(masks.len());
                    mesh.recv(peer.at, Stream::Pre, word::bytes_mut(theirs))?;
                    xor(word::lanes_mut(&mut masks), theirs);
                }
                self.made.masks.push_back(masks);
                return Ok(());
            }
            None => return Ok(()),
        };
        while let Some(Sent::Answer) = self.order.front() {
            self.settle(mesh)?;
        }
        self.order.pop_front();
        self.under_way -= 1;
        let words = tile.u.len();
        for peer in &mut self.peers {
            let bits = if self.silent.is_some() { words } else { peer.offers.message_words(words) };
            let message = self.message.sized(bits);
            mesh.recv(peer.at, Stream::Def, word::bytes_mut(message))?;
            let [zeros, ones] = &mut self.pads;
            let offered = if self.silent.is_some() {
                let offer = peer.stock.offer(words).exchanged(message);
                offer.map(|offer| [*zeros, *ones] = offer.random())
            } else {
                peer.offers.bits(message, [zeros.sized(words), ones.sized(words)])
            };
            offered.map_err(|error| malformed(mesh, peer.at, error))?;
            let (zeros, ones) = (&mut zeros[..words], &mut ones[..words]);
            xor(&mut tile.share, zeros);
            xor(ones, zeros);
            xor(ones, &tile.u);
            mesh.send(peer.at, Stream::Def, word::bytes(ones))?;
        }
        self.order.push_back(Sent::Answer);
        self.answered.push_back(tile);
        Ok(())
    }

    /// Takes the peers' answers to a tile.
    fn settle(&mut self, mesh: &mut Mesh) -> Result<(), SharingError> {
        let Some(Tile { v, pads, mut share, .. }) = self.answered.pop_front() else {
            return Ok(());
        };
        self.order.pop_front();
        for (peer, pads) in self.peers.iter().zip(&pads) {
            let z = self.message.sized(v.len());
            mesh.recv(peer.at, Stream::Def, word::bytes_mut(z))?;
            for (((share, z), v), pad) in share.iter_mut().zip(z).zip(&*v).zip(&**pads) {
                *share ^= pad ^ (v & *z);
            }
        }
        let end = self.done + share.len();
        let room = self
            .made
            .products
            .get_mut(self.done..end)
            .ok_or_else(|| SharingError::Shape("more products than were to be made".into()))?;
        word::lanes_mut(room).copy_from_slice(&share);
        self.done = end;
        Ok(())
    }
}

fn xor(to: &mut [u64], from: &[u64]) {
    to.iter_mut().zip(from).for_each(|(to, from)| *to ^= from);
}

/// GMW around one party.
pub const GMW_STAR: Protocol = Protocol::new(&Descriptor {
    name: "gmw-star",
    page: "gmw.md#around-one-party",
    best_for: "many parties on a fast network: two bits per AND and party online, not N - 1",
    parties: Parties::AtLeast(2),
    security: Security::DishonestMajority,
    status: Status::Product,
    fan_in: 2,
    family: Family::Gmw(Transfers::Ordinary),
});
