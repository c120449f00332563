//! Leaky triples whose products are shared bit by bit, as in X. Wang, S. Ranellucci, J. Katz (CCS 2017): what the
//! faster ones are compared with. Everything but where the corrections come from is the same.
//!
//! Party i sends j the lowest bits of `H(K_i[a^j]) + s` and `H(K_i[a^j] + Delta_i) + s + b^i`, for a random bit `s`:
//! j, who has the hash of one of them, learns `s + a^j b^i`.

use super::*;
use std::cell::{Cell, RefCell};

thread_local! {
    static CHOSEN: Cell<bool> = const { Cell::new(false) };
    static BOTH: RefCell<Option<[Bits; 2]>> = const { RefCell::new(None) };
}

/// This thread's party makes triples so, or not, from now on: all parties do.
pub fn choose(chosen: bool) {
    CHOSEN.set(chosen);
}

pub fn is_chosen() -> bool {
    CHOSEN.get()
}

/// This party's shares of the last batch's corrections, by the faster construction and by this one.
pub fn both() -> Option<[Bits; 2]> {
    BOTH.take()
}

/// Shares of the corrections in place of those that the faster construction gives.
pub(super) fn instead_of(
    faster: Bits,
    batch: &Batch,
    channel: &mut CheckedChannel<'_>,
) -> Result<Bits, SharingError> {
    let shares = shares(batch, channel)?;
    let copy = Bits { words: shares.words.clone(), len: shares.len };
    BOTH.set(Some([faster, copy]));
    Ok(shares)
}

fn shares(batch: &Batch, channel: &mut CheckedChannel<'_>) -> Result<Bits, SharingError> {
    let (me, words) = (batch.layout.me, batch.leaky.div_ceil(64));
    let bits = |factor: usize, i: usize| batch.bits.word(factor * batch.leaky + 64 * i);
    let mut shares = Bits::zeros(batch.leaky);
    for (i, word) in shares.words.iter_mut().enumerate() {
        *word = bits(0, i) & bits(1, i) ^ bits(2, i);
    }
    let mut random = vec![0u64; words];
    for peer in channel.links.peers() {
        channel.random(&mut random)?;
        let keys = batch.bits.keys(peer);
        for (bit, offset) in [0, *batch.delta].into_iter().enumerate() {
            let mut sent = lowest_bits(batch, [me, peer], keys, offset);
            for (i, word) in sent.iter_mut().enumerate() {
                *word ^= random[i] ^ if bit == 1 { bits(1, i) } else { 0 };
            }
            channel.say(&format!("products for {peer}"), word::bytes_mut(&mut sent));
            channel.links.send(peer, Stream::Def, &sent)?;
        }
        add(&mut shares, &random);
    }
    for peer in channel.links.peers() {
        let mut sent = [vec![0u64; words], vec![0u64; words]];
        for sent in &mut sent {
            channel.links.recv_into(peer, Stream::Def, sent)?;
        }
        let hashed = lowest_bits(batch, [peer, me], batch.bits.macs(peer), 0);
        let learned: Vec<u64> = (0..words)
            .map(|i| hashed[i] ^ sent[0][i] & !bits(0, i) ^ sent[1][i] & bits(0, i))
            .collect();
        add(&mut shares, &learned);
    }
    let padding = (words * 64 - batch.leaky) as u32;
    *shares.words.last_mut().expect("a batch is not empty") &= u64::MAX >> padding;
    Ok(shares)
}

fn add(shares: &mut Bits, words: &[u64]) {
    shares.words.iter_mut().zip(words).for_each(|(share, word)| *share ^= word);
}

/// The lowest bits of the hashes of the first blocks, an offset away, which belong to `[owner, target]`.
fn lowest_bits(batch: &Batch, pair: [RoleId; 2], blocks: &[u128], offset: u128) -> Vec<u64> {
    let mut keys = vec![0; batch.leaky];
    batch.hash.keys(Use::Bit, pair, batch.first, &mut keys);
    let mut hashed: Vec<u128> = blocks[..batch.leaky].iter().map(|x| x ^ offset).collect();
    Hash::hash(&keys, [&mut hashed]);
    let word =
        |blocks: &[u128]| (0..).zip(blocks).fold(0, |word, (i, x)| word | (*x as u64 & 1) << i);
    hashed.chunks(64).map(word).collect()
}
