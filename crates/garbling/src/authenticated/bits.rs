//! Random bits of every party, authenticated towards every other.

use super::rows::Layout;
use super::talk::{Digest, Talk};
use tacit_net::Stream;
use tacit_ot::check::{BLOCK, Coefficients, expected};
use tacit_ot::cot::TILE;
use tacit_ring::{Buffer, hash, word};
use tacit_sharing::{RoleId, SharingError};
use zeroize::Zeroizing;

/// Words of choices of a party with so many bits: whole blocks, and one of random ones at the end.
pub(super) fn choice_words(bits: usize) -> usize {
    2 * (bits.div_ceil(BLOCK) + 1)
}

/// This party's bits, their MACs, and its keys for the others' bits. All of it is checked.
pub(super) struct AuthBits {
    layout: Layout,
    own: Zeroizing<Vec<u64>>,
    /// By role.
    macs: Vec<Buffer<u128>>,
    keys: Vec<Buffer<u128>>,
}

impl AuthBits {
    /// This party's bit `i`.
    pub fn bit(&self, i: usize) -> u128 {
        u128::from(self.own[i / 64] >> (i % 64) & 1)
    }

    /// The MAC of this party's bit `i` under a peer's key.
    pub fn mac(&self, peer: RoleId, i: usize) -> u128 {
        self.macs[peer][i]
    }

    /// This party's key for bit `i` of a peer.
    pub fn key(&self, peer: RoleId, i: usize) -> u128 {
        self.keys[peer][i]
    }

    /// MACs of consecutive bits.
    pub fn macs(&self, peer: RoleId) -> &[u128] {
        &self.macs[peer]
    }

    /// Keys of consecutive bits.
    pub fn keys(&self, peer: RoleId) -> &[u128] {
        &self.keys[peer]
    }

    /// The sharing of which bit `i` of every party is the share, added to a row.
    pub fn add_to(&self, i: usize, row: &mut [u128]) {
        let layout = self.layout;
        row[0] ^= self.bit(i);
        for peer in (0..layout.parties).filter(|peer| *peer != layout.me) {
            row[layout.mac(peer)] ^= self.mac(peer, i);
            row[layout.key(peer)] ^= self.key(peer, i);
        }
    }

    /// The sharing of bit `i` of party `owner`, which alone knows it, as a row.
    pub fn put_owned(&self, owner: RoleId, i: usize, row: &mut [u128]) {
        let layout = self.layout;
        row.fill(0);
        if owner != layout.me {
            row[layout.key(owner)] = self.key(owner, i);
            return;
        }
        row[0] = self.bit(i);
        for peer in (0..layout.parties).filter(|peer| *peer != layout.me) {
            row[layout.mac(peer)] = self.mac(peer, i);
        }
    }

    /// What this party's share, MACs and keys of sharing `i` add up to: together with the others' it is
    /// the shared bit times the sum of all Deltas.
    pub fn scaled(&self, i: usize, delta: u128) -> u128 {
        let layout = self.layout;
        let peers = (0..layout.parties).filter(|peer| *peer != layout.me);
        peers.fold(self.bit(i) * delta, |sum, peer| sum ^ self.mac(peer, i) ^ self.key(peer, i))
    }
}

/// Makes `counts[r]` bits of role `r`, for all roles at once, and checks them.
pub(super) fn extend(talk: &mut Talk<'_>, counts: &[usize]) -> Result<AuthBits, SharingError> {
    let me = talk.links.me;
    let layout = Layout { parties: counts.len(), me };
    let coin = talk.commit_coin("coin:cot")?;
    let mut own = Zeroizing::new(vec![0u64; choice_words(counts[me])]);
    talk.random(&mut own)?;
    let mut macs: Vec<Buffer<u128>> = counts.iter().map(|_| Buffer::default()).collect();
    for peer in talk.links.peers() {
        macs[peer] = choose(talk, peer, &own)?;
    }
    let coin = talk.hear(coin)?;
    let mut keys: Vec<Buffer<u128>> = counts.iter().map(|_| Buffer::default()).collect();
    for peer in talk.links.peers() {
        keys[peer] = take(talk, peer, choice_words(counts[peer]))?;
    }
    // Everybody's choices are fixed from here on.
    let coin = talk.toss(coin)?;
    let bits = AuthBits { layout, own, macs, keys };
    check(talk, &coin, &bits)?;
    Ok(bits)
}

fn choose(talk: &mut Talk<'_>, peer: RoleId, own: &[u64]) -> Result<Buffer<u128>, SharingError> {
    let mut macs = Buffer::zeros(64 * own.len());
    let (receiver, _) = talk.keys.ends(peer)?;
    let mut message = vec![0; receiver.message_words(TILE)];
    for (words, macs) in own.chunks(TILE).zip(macs.chunks_mut(64 * TILE)) {
        let message = &mut message[..receiver.message_words(words.len())];
        let blocks = receiver.correlate(words, message);
        macs.copy_from_slice(talk.links.checked(peer, blocks)?);
        talk.links.send(peer, Stream::Def, message)?;
    }
    Ok(macs)
}

fn take(talk: &mut Talk<'_>, peer: RoleId, words: usize) -> Result<Buffer<u128>, SharingError> {
    let mut keys = Buffer::zeros(64 * words);
    let (_, sender) = talk.keys.ends(peer)?;
    let mut message = vec![0; sender.message_words(TILE)];
    for keys in keys.chunks_mut(64 * TILE) {
        let words = keys.len() / 64;
        let message = &mut message[..sender.message_words(words)];
        talk.links.recv_into(peer, Stream::Def, message)?;
        let blocks = sender.correlate(words, message);
        keys.copy_from_slice(talk.links.checked(peer, blocks)?);
    }
    Ok(keys)
}

/// Every party used the same choices everywhere.
fn check(talk: &mut Talk<'_>, coin: &Digest, bits: &AuthBits) -> Result<(), SharingError> {
    let (me, delta) = (talk.links.me, delta(talk)?);
    let lengths = bits.macs.iter().chain(&bits.keys).map(|blocks| blocks.len() / BLOCK);
    let coefficients = Coefficients::new(coin, lengths.max().unwrap_or(0));
    let shown = coefficients.of_choices(&bits.own);
    for peer in talk.links.peers() {
        let hashes = Zeroizing::new(coefficients.of_columns(&bits.macs[peer]));
        let digest = talk.column_digest(coin, [me, peer], &hashes);
        talk.links.send(peer, Stream::Def, &[shown])?;
        talk.links.send(peer, Stream::Def, &digest)?;
    }
    let mut heard = vec![Vec::new(); bits.layout.parties];
    heard[me] = word::bytes(&[shown]).to_vec();
    let mut wrong = None;
    for peer in talk.links.peers() {
        let (mut shown, mut theirs) = ([0u128], [0; 32]);
        talk.links.recv_into(peer, Stream::Def, &mut shown)?;
        talk.links.recv_into(peer, Stream::Def, &mut theirs)?;
        let hashes = Zeroizing::new(coefficients.of_columns(&bits.keys[peer]));
        let hashes = Zeroizing::new(expected(&hashes, *delta, shown[0]));
        let digest = talk.column_digest(coin, [peer, me], &hashes);
        if !hash::equal(&digest, &theirs) {
            wrong = Some(peer);
        }
        heard[peer] = word::bytes(&shown).to_vec();
    }
    if wrong.is_some() {
        return Err(talk.failed("cot-consistency", wrong));
    }
    talk.echo("uhat", &heard)
}

/// This party's Delta.
pub(super) fn delta(talk: &Talk<'_>) -> Result<Zeroizing<u128>, SharingError> {
    let delta = talk.keys.delta.clone();
    delta.ok_or_else(|| SharingError::Shape("authenticated bits need a common Delta".into()))
}

/// Every party uses the same Delta towards everybody: a test of 128 sharings that are given up. For three
/// and more parties.
pub(super) fn check_deltas(talk: &mut Talk<'_>) -> Result<(), SharingError> {
    let (parties, me) = (talk.links.parties(), talk.links.me);
    let (bits, delta) = (extend(talk, &vec![BLOCK; parties])?, delta(talk)?);
    let pack = |block: &dyn Fn(usize) -> u128| {
        (0..BLOCK).rev().fold(0, |sum, k| tacit_ring::gf128::times_x(sum) ^ block(k))
    };
    let x = pack(&|k| bits.bit(k));
    let mut y = [x];
    talk.add_zero(&mut y)?;
    let mut heard = vec![Vec::new(); parties];
    for peer in talk.links.peers() {
        talk.links.send(peer, Stream::Def, &y)?;
    }
    for peer in talk.links.peers() {
        let mut theirs = [0u128];
        talk.links.recv_into(peer, Stream::Def, &mut theirs)?;
        heard[peer] = word::bytes(&theirs).to_vec();
    }
    heard[me] = word::bytes(&y).to_vec();
    talk.echo("keyy", &heard)?;
    let y = heard.iter().fold(0, |sum, bytes| sum ^ block(bytes));
    let mut z = Zeroizing::new(vec![0u128; parties]);
    z[me] = tacit_ring::gf128::inner_product(&[y ^ x], &[*delta]);
    for peer in talk.links.peers() {
        z[me] ^= pack(&|k| bits.key(peer, k));
        z[peer] = pack(&|k| bits.mac(peer, k));
    }
    let sent = talk.commit("keyz", word::bytes(&z))?;
    let heard = talk.hear(sent)?;
    let opened = talk.open(heard)?;
    let sums = (0..parties)
        .map(|j| opened.iter().fold(0, |sum, bytes| sum ^ block(&bytes[16 * j..16 * (j + 1)])));
    match sums.fold(0, |all, sum| all | sum) {
        0 => Ok(()),
        _ => Err(talk.failed("key-consistency", None)),
    }
}

fn block(bytes: &[u8]) -> u128 {
    u128::from_le_bytes(*bytes.first_chunk().expect("sixteen bytes"))
}
