//! Random bits of every party, authenticated towards every other.

use super::channel::{CheckedChannel, Digest, correlations};
use super::rows::{Layout, mask};
use super::turns::{Turn, Turns};
use serde::{Deserialize, Serialize};
use tacit_net::Stream;
use tacit_ot::check::{BLOCK, Coefficients, expected};
use tacit_ot::cot::TILE;
use tacit_ring::{Buffer, hash, stored, word};
use tacit_sharing::{RoleId, SharingError};
use zeroize::Zeroizing;

/// Words of choices of a party with so many bits: whole blocks, and one of random ones at the end.
pub(super) fn choice_words(bits: usize) -> usize {
    2 * (bits.div_ceil(BLOCK) + 1)
}

/// Tiles of choices that a party sends ahead of those that it takes, at most, 8 MiB for each peer: so much may be on
/// the way on a long link.
const AHEAD: usize = 128;

/// This party's bits, their MACs, and its keys for the others' bits. All of it is checked.
#[derive(Serialize, Deserialize)]
pub(super) struct AuthBits {
    layout: Layout,
    #[serde(with = "stored::list")]
    own: Zeroizing<Vec<u64>>,
    peers: Vec<Peer>,
}

/// What a party shares with one other.
#[derive(Serialize, Deserialize)]
struct Peer {
    role: RoleId,
    /// Places in a row.
    mac: usize,
    key: usize,
    /// MACs of this party's bits, and keys for the peer's.
    macs: Buffer<u128>,
    keys: Buffer<u128>,
}

impl AuthBits {
    /// This party's bit `i`.
    pub fn bit(&self, i: usize) -> u128 {
        u128::from(self.own[i / 64] >> (i % 64) & 1)
    }

    fn peer(&self, role: RoleId) -> &Peer {
        &self.peers[role - usize::from(role > self.layout.me)]
    }

    /// `len` bits of every party, from bit `start` on.
    pub fn part(&self, start: usize, len: usize) -> AuthBits {
        let mut part = AuthBits::zeros(self.layout, len);
        part.copy_from(0, self, start, len);
        part
    }

    /// Whether every party of `layout` has `len` bits here.
    pub fn are(&self, layout: Layout, len: usize) -> bool {
        let roles = (0..layout.parties).filter(|role| *role != layout.me);
        let fits = |(peer, role): (&Peer, usize)| {
            [peer.role, peer.mac, peer.key] == [role, layout.mac(role), layout.key(role)]
                && [peer.macs.len(), peer.keys.len()] == [len; 2]
        };
        (self.layout.parties, self.layout.me) == (layout.parties, layout.me)
            && self.own.len() == len.div_ceil(64)
            && self.peers.len() + 1 == layout.parties
            && self.peers.iter().zip(roles).all(fits)
    }

    /// How many bits every party has.
    pub fn len(&self) -> usize {
        self.peers.first().map_or(0, |peer| peer.macs.len())
    }

    /// `len` zeros of every party, to be written over.
    pub fn zeros(layout: Layout, len: usize) -> AuthBits {
        let lengths = vec![len; layout.parties];
        AuthBits::of_lengths(layout, vec![0; len.div_ceil(64)], &lengths)
    }

    /// Zeros: as many of each role as it has words of choices.
    fn of_words(layout: Layout, words: &[usize]) -> AuthBits {
        let lengths: Vec<usize> = words.iter().map(|words| 64 * words).collect();
        AuthBits::of_lengths(layout, vec![0; words[layout.me]], &lengths)
    }

    fn of_lengths(layout: Layout, own: Vec<u64>, lengths: &[usize]) -> AuthBits {
        let roles = (0..layout.parties).filter(|role| *role != layout.me);
        let peers = roles.map(|role| Peer {
            role,
            mac: layout.mac(role),
            key: layout.key(role),
            macs: Buffer::zeros(lengths[layout.me]),
            keys: Buffer::zeros(lengths[role]),
        });
        AuthBits { layout, own: Zeroizing::new(own), peers: peers.collect() }
    }

    /// Writes bits of another list, from its bit `start` on, over zeros at `to`.
    pub fn copy_from(&mut self, to: usize, other: &AuthBits, start: usize, len: usize) {
        for i in (0..len).step_by(64) {
            let word = other.word(start + i) & (u64::MAX >> (64 - (len - i).min(64)));
            let (at, shift) = ((to + i) / 64, (to + i) % 64);
            self.own[at] |= word << shift;
            if let Some(next) = self.own.get_mut(at + 1) {
                *next |= (word >> 1) >> (63 - shift);
            }
        }
        for (peer, other) in self.peers.iter_mut().zip(&other.peers) {
            peer.macs[to..to + len].copy_from_slice(&other.macs[start..start + len]);
            peer.keys[to..to + len].copy_from_slice(&other.keys[start..start + len]);
        }
    }

    /// 64 of this party's bits from bit `i` on; zeros behind the last.
    pub fn word(&self, i: usize) -> u64 {
        word_at(&self.own, i)
    }

    /// MACs and keys by peer, each with its place in a row.
    pub fn columns(&self) -> impl Iterator<Item = (usize, &[u128])> {
        self.peers.iter().flat_map(|peer| [(peer.mac, &*peer.macs), (peer.key, &*peer.keys)])
    }

    /// MACs of this party's bits under a peer's key.
    pub fn macs(&self, peer: RoleId) -> &[u128] {
        &self.peer(peer).macs
    }

    /// This party's keys for a peer's bits.
    pub fn keys(&self, peer: RoleId) -> &[u128] {
        &self.peer(peer).keys
    }

    /// The sharing of which bit `i` of every party is the share, added to a row.
    #[inline]
    pub fn add_to(&self, i: usize, row: &mut [u128]) {
        row[0] ^= self.bit(i);
        for peer in &self.peers {
            row[peer.mac] ^= peer.macs[i];
            row[peer.key] ^= peer.keys[i];
        }
    }

    /// The sharing of bit `i` of party `owner`, which alone knows it, as a row.
    pub fn put_owned(&self, owner: RoleId, i: usize, row: &mut [u128]) {
        let layout = self.layout;
        row.fill(0);
        if owner != layout.me {
            row[layout.key(owner)] = self.keys(owner)[i];
            return;
        }
        row[0] = self.bit(i);
        for peer in &self.peers {
            row[peer.mac] = peer.macs[i];
        }
    }

    /// Adds what this party's share, MACs and keys of the sharings from `start` on add up to: together with
    /// the others' it is the shared bit times the sum of all Deltas.
    pub fn add_scaled(&self, start: usize, delta: u128, sums: &mut [u128]) {
        for (chunk, sums) in sums.chunks_mut(64).enumerate() {
            let word = self.word(start + 64 * chunk);
            (0..).zip(sums).for_each(|(i, sum)| *sum ^= mask(u128::from(word >> i)) & delta);
        }
        for peer in &self.peers {
            let both = peer.macs[start..].iter().zip(&peer.keys[start..]);
            sums.iter_mut().zip(both).for_each(|(sum, (mac, key))| *sum ^= mac ^ key);
        }
    }
}

/// 64 bits from bit `i` on; zeros behind the last word.
pub(super) fn word_at(words: &[u64], i: usize) -> u64 {
    let (at, shift) = (i / 64, i % 64);
    let above = words.get(at + 1).copied().unwrap_or(0);
    words[at] >> shift | (above << 1) << (63 - shift)
}

/// Makes `counts[r]` bits of role `r`, for all roles at once, and checks them.
pub(super) fn extend(
    channel: &mut CheckedChannel<'_>,
    counts: &[usize],
) -> Result<AuthBits, SharingError> {
    let layout = Layout { parties: counts.len(), me: channel.links.me };
    let coin = channel.commit_coin("coin:cot")?;
    let words: Vec<usize> = counts.iter().map(|count| choice_words(*count)).collect();
    let mut bits = AuthBits::of_words(layout, &words);
    channel.random(&mut bits.own)?;
    let tiles = words.iter().max().map_or(0, |words| words.div_ceil(TILE));
    let mut message = Buffer::default();
    let mut turns = Turns::new(tiles, AHEAD);
    let (mut sent, mut heard) = (Some(coin), None);
    while let Some(turn) = turns.next(channel.links.mesh) {
        match turn {
            Turn::Send(tile) => choose(channel, &mut bits, tile, &mut message)?,
            Turn::Take(tile) => {
                if let Some(coin) = sent.take() {
                    heard = Some(channel.hear(coin)?);
                }
                take(channel, &mut bits, tile, &mut message)?;
            }
        }
    }
    // Everybody's choices are fixed from here on.
    let coin =
        channel.toss(heard.expect("there are always choices, if only those that hide others"))?;
    check(channel, &coin, &bits)?;
    Ok(bits)
}

/// Sends all peers a tile of choices, if there are so many.
fn choose(
    channel: &mut CheckedChannel<'_>,
    bits: &mut AuthBits,
    tile: usize,
    message: &mut Buffer<u64>,
) -> Result<(), SharingError> {
    let AuthBits { own, peers, .. } = bits;
    let Some(words) = own.chunks(TILE).nth(tile) else { return Ok(()) };
    for Peer { role, macs, .. } in peers {
        #[cfg(test)]
        let words = &{
            let mut words = words.to_vec();
            channel.say(&format!("choices for {role}"), word::bytes_mut(&mut words));
            words
        };
        let macs = macs.chunks_mut(64 * TILE).nth(tile).expect("a MAC for each choice");
        let (receiver, _) = correlations(&mut channel.keys)?.ends(*role)?;
        let message = message.sized(receiver.message_words(words.len()));
        let done = receiver.correlate_into(words, message, macs);
        channel.links.checked(*role, done)?;
        channel.links.send(*role, Stream::Def, message)?;
    }
    Ok(())
}

/// Takes a tile of choices from all peers that have so many.
fn take(
    channel: &mut CheckedChannel<'_>,
    bits: &mut AuthBits,
    tile: usize,
    message: &mut Buffer<u64>,
) -> Result<(), SharingError> {
    for Peer { role, keys, .. } in &mut bits.peers {
        let Some(keys) = keys.chunks_mut(64 * TILE).nth(tile) else { continue };
        let (_, sender) = correlations(&mut channel.keys)?.ends(*role)?;
        let message = message.sized(sender.message_words(keys.len() / 64));
        channel.links.recv_into(*role, Stream::Def, message)?;
        let done = sender.correlate_into(message, keys);
        channel.links.checked(*role, done)?;
    }
    Ok(())
}

/// Every party used the same choices everywhere.
fn check(
    channel: &mut CheckedChannel<'_>,
    coin: &Digest,
    bits: &AuthBits,
) -> Result<(), SharingError> {
    let (me, delta) = (channel.links.me, delta(channel)?);
    let lengths = bits.peers.iter().flat_map(|peer| [&peer.macs, &peer.keys]);
    let lengths = lengths.map(|blocks| blocks.len() / BLOCK);
    let coefficients = Coefficients::new(coin, lengths.max().unwrap_or(0));
    let mut shown = coefficients.of_choices(&bits.own).to_le_bytes();
    channel.say("uhat", &mut shown);
    let shown = u128::from_le_bytes(shown);
    for peer in channel.links.peers() {
        let hashes = Zeroizing::new(coefficients.of_columns(bits.macs(peer)));
        let digest = channel.voice.columns(coin, [me, peer], &hashes);
        channel.links.send(peer, Stream::Def, &[shown])?;
        channel.links.send(peer, Stream::Def, &digest)?;
    }
    let mut heard = vec![Vec::new(); bits.layout.parties];
    heard[me] = word::bytes(&[shown]).to_vec();
    let mut wrong = None;
    for peer in channel.links.peers() {
        let (mut shown, mut theirs) = ([0u128], [0; 32]);
        channel.links.recv_into(peer, Stream::Def, &mut shown)?;
        channel.links.recv_into(peer, Stream::Def, &mut theirs)?;
        let hashes = Zeroizing::new(coefficients.of_columns(bits.keys(peer)));
        let hashes = Zeroizing::new(expected(&hashes, *delta, shown[0]));
        let digest = channel.voice.columns(coin, [peer, me], &hashes);
        if !hash::equal(&digest, &theirs) {
            wrong = Some(peer);
        }
        heard[peer] = word::bytes(&shown).to_vec();
    }
    channel.ensure(wrong.is_none(), "cot-consistency", wrong)?;
    channel.echo("uhat", &heard)
}

/// This party's Delta.
pub(super) fn delta(channel: &CheckedChannel<'_>) -> Result<Zeroizing<u128>, SharingError> {
    let delta = channel.keys.as_ref().and_then(|keys| keys.delta.clone());
    delta.ok_or_else(|| SharingError::Shape("authenticated bits need a common Delta".into()))
}

/// Every party uses the same Delta towards everybody: a test of 128 sharings that are given up. For three
/// and more parties.
pub(super) fn check_deltas(channel: &mut CheckedChannel<'_>) -> Result<(), SharingError> {
    let (parties, me) = (channel.links.parties(), channel.links.me);
    let (bits, delta) = (extend(channel, &vec![BLOCK; parties])?, delta(channel)?);
    let pack = |block: &dyn Fn(usize) -> u128| {
        (0..BLOCK).rev().fold(0, |sum, k| tacit_ring::gf128::times_x(sum) ^ block(k))
    };
    let x = pack(&|k| bits.bit(k));
    let mut y = [x];
    channel.add_zero(&mut y)?;
    let mut heard = vec![Vec::new(); parties];
    for peer in channel.links.peers() {
        channel.links.send(peer, Stream::Def, &y)?;
    }
    for peer in channel.links.peers() {
        let mut theirs = [0u128];
        channel.links.recv_into(peer, Stream::Def, &mut theirs)?;
        heard[peer] = word::bytes(&theirs).to_vec();
    }
    heard[me] = word::bytes(&y).to_vec();
    channel.echo("keyy", &heard)?;
    let y = heard.iter().fold(0, |sum, bytes| sum ^ block(bytes));
    let mut z = Zeroizing::new(vec![0u128; parties]);
    z[me] = tacit_ring::gf128::inner_product(&[y ^ x], &[*delta]);
    for peer in channel.links.peers() {
        z[me] ^= pack(&|k| bits.keys(peer)[k]);
        z[peer] = pack(&|k| bits.macs(peer)[k]);
    }
    let sent = channel.commit("keyz", word::bytes(&z))?;
    let heard = channel.hear(sent)?;
    let opened = channel.open(heard)?;
    let sums = (0..parties)
        .map(|j| opened.iter().fold(0, |sum, bytes| sum ^ block(&bytes[16 * j..16 * (j + 1)])));
    let sum = sums.fold(0, |all, sum| all | sum);
    channel.ensure(sum == 0, "key-consistency", None)
}

fn block(bytes: &[u8]) -> u128 {
    u128::from_le_bytes(*bytes.first_chunk().expect("sixteen bytes"))
}
