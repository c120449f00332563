//! Authenticated products of random bits: leaky ones, and buckets of them combined.

use super::bits::{AuthBits, delta, extend};
use super::rows::{Layout, Rows, add_masked, mask};
use super::talk::{Opening, Talk};
use super::tweak::{Hash, Use};
use crate::Bits;
use std::collections::VecDeque;
use tacit_net::Stream;
use tacit_ring::gf128::inner_product;
use tacit_ring::{Buffer, Key, Prg, word};
use tacit_sharing::{RoleId, SharingError};
use zeroize::Zeroizing;

/// The statistical parameter: bucketing fails with probability 2^-40 at most, batch by batch.
const RHO: f64 = 40.0;
/// A batch has at least so many triples: few would need large buckets.
const LEAST: usize = 432;
/// A batch is so large that buckets of three are enough.
pub(super) const LARGE: usize = 370_728;
/// Products that are hashed in one go.
const CHUNK: usize = 1024;

/// Leaky triples per triple, for so many triples at a time: `2^-B N^-(B-1) <= 2^-rho`.
pub(super) fn bucket(triples: usize) -> usize {
    let log = (triples as f64).log2();
    (2..).find(|b| f64::from(*b) + f64::from(b - 1) * log >= RHO).unwrap_or(41) as usize
}

/// The batches in which so many triples are made.
pub(super) fn batches(triples: usize) -> impl Iterator<Item = usize> {
    let count = (triples / LARGE).max(usize::from(triples > 0));
    let size = move |i: usize| triples / count + usize::from(i < triples % count);
    (0..count).map(move |i| size(i).max(LEAST))
}

/// Triples: rows of `a`, `b` and their product beside each other, piece after piece as they were made.
pub(super) struct Triples {
    pieces: VecDeque<Rows>,
    /// Of the first piece.
    used: usize,
    left: usize,
    width: usize,
}

impl Triples {
    pub fn none(layout: Layout) -> Self {
        Triples { pieces: VecDeque::new(), used: 0, left: 0, width: layout.width() }
    }

    /// Those left.
    pub fn left(&self) -> usize {
        self.left
    }

    /// The next triple. It is not given again.
    pub fn next(&mut self) -> Option<[&[u128]; 3]> {
        while self.pieces.front().is_some_and(|piece| self.used == piece.len()) {
            self.pieces.pop_front();
            self.used = 0;
        }
        let row = self.pieces.front()?.get(self.used);
        self.used += 1;
        self.left -= 1;
        let (a, rest) = row.split_at(self.width);
        let (b, c) = rest.split_at(self.width);
        Some([a, b, c])
    }

    /// Adds others behind those left.
    pub fn add(&mut self, piece: Rows) {
        self.left += piece.len();
        self.pieces.push_back(piece);
    }
}

/// Makes a batch of `count` triples, as rows, and with it `extra[r]` further bits of role `r`: those are the last
/// bits of what comes with the triples.
pub(super) fn make(
    talk: &mut Talk<'_>,
    hash: Hash,
    first: u64,
    count: usize,
    extra: &[usize],
) -> Result<(Rows, AuthBits), SharingError> {
    let bucket = bucket(count);
    let leaky = count * bucket;
    let counts: Vec<usize> = extra.iter().map(|extra| 3 * leaky + extra).collect();
    let bits = extend(talk, &counts)?;
    let mut batch = Batch {
        layout: Layout { parties: counts.len(), me: talk.links.me },
        hash,
        first,
        count,
        leaky,
        bits,
        delta: delta(talk)?,
        sums: Buffer::zeros(leaky),
        corrections: Bits::zeros(leaky),
    };
    let offsets = batch.multiply(talk)?;
    let triples = batch.combine(talk, &offsets)?;
    Ok((triples, batch.bits))
}

/// A batch on its way: of the sharings, the first are `a`, then `b`, then masks of products.
struct Batch {
    layout: Layout,
    hash: Hash,
    first: u64,
    count: usize,
    leaky: usize,
    bits: AuthBits,
    delta: Zeroizing<u128>,
    /// `S`: all parties' add up to `(ab + r) D`.
    sums: Buffer<u128>,
    /// `d = ab + r`.
    corrections: Bits,
}

impl Batch {
    fn b(&self, k: usize) -> usize {
        self.leaky + k
    }

    fn r(&self, k: usize) -> usize {
        2 * self.leaky + k
    }

    /// Makes the leaky triples and checks that they are products; gives the rotations of the rows that
    /// buckets are made of.
    fn multiply(&mut self, talk: &mut Talk<'_>) -> Result<Vec<usize>, SharingError> {
        let factors = self.factors(talk)?;
        for peer in talk.links.peers() {
            self.send_products(talk, peer, &factors)?;
        }
        for peer in talk.links.peers() {
            self.take_products(talk, peer)?;
        }
        for (k, sum) in self.sums.iter_mut().enumerate() {
            *sum ^= mask(self.bits.bit(k)) & factors[k];
        }
        self.bits.add_scaled(2 * self.leaky, *self.delta, &mut self.sums);
        let mut shares = Bits::zeros(self.leaky);
        (0..self.leaky).for_each(|k| shares.flip_if(k, self.sums[k] & 1 == 1));
        let sent = talk.commit("d", word::bytes(&shares.words))?;
        let coin = talk.commit_coin("coin:leaky")?;
        let (heard, coin) = (talk.hear(sent)?, talk.hear(coin)?);
        for (party, bytes) in talk.open(heard)?.into_iter().enumerate() {
            self.add_corrections(talk, party, &bytes)?;
        }
        let coin = talk.toss(coin)?;
        self.verify(talk, &coin)
    }

    /// `Phi`: all parties' add up to `b D`.
    fn factors(&self, talk: &mut Talk<'_>) -> Result<Buffer<u128>, SharingError> {
        let mut factors = Buffer::zeros(self.leaky);
        talk.add_zero(&mut factors)?;
        self.bits.add_scaled(self.leaky, *self.delta, &mut factors);
        Ok(factors)
    }

    /// Sends what turns a peer's bit of `a` into its part of the product with this party's factor.
    fn send_products(
        &mut self,
        talk: &mut Talk<'_>,
        peer: RoleId,
        factors: &[u128],
    ) -> Result<(), SharingError> {
        let mut room = Zeroizing::new([[0u128; CHUNK]; 3]);
        let mut at = 0;
        for (factors, sums) in factors.chunks(CHUNK).zip(self.sums.chunks_mut(CHUNK)) {
            let len = factors.len();
            let [tweaks, zeros, ones] = room.each_mut().map(|list| &mut list[..len]);
            self.hash.keys(Use::Triple, [self.layout.me, peer], self.first + at as u64, tweaks);
            zeros.copy_from_slice(&self.bits.keys(peer)[at..at + len]);
            ones.iter_mut().zip(&*zeros).for_each(|(one, zero)| *one = zero ^ *self.delta);
            Hash::hash(tweaks, [zeros, ones]);
            for k in 0..len {
                sums[k] ^= zeros[k];
                ones[k] ^= zeros[k] ^ factors[k];
            }
            talk.links.send(peer, Stream::Def, ones)?;
            at += len;
        }
        Ok(())
    }

    fn take_products(&mut self, talk: &mut Talk<'_>, peer: RoleId) -> Result<(), SharingError> {
        let mut room = Zeroizing::new([[0u128; CHUNK]; 3]);
        let mut at = 0;
        while at < self.leaky {
            let len = CHUNK.min(self.leaky - at);
            let [tweaks, macs, sent] = room.each_mut().map(|list| &mut list[..len]);
            talk.links.recv_into(peer, Stream::Def, sent)?;
            self.hash.keys(Use::Triple, [peer, self.layout.me], self.first + at as u64, tweaks);
            macs.copy_from_slice(&self.bits.macs(peer)[at..at + len]);
            Hash::hash(tweaks, [macs]);
            for k in 0..len {
                let chosen = mask(self.bits.bit(at + k));
                self.sums[at + k] ^= macs[k] ^ (sent[k] & chosen);
            }
            at += len;
        }
        Ok(())
    }

    fn add_corrections(
        &mut self,
        talk: &mut Talk<'_>,
        party: RoleId,
        bytes: &[u8],
    ) -> Result<(), SharingError> {
        for (word, bytes) in self.corrections.words.iter_mut().zip(bytes.as_chunks::<8>().0) {
            *word ^= u64::from_le_bytes(*bytes);
        }
        let tail = self.leaky % 64;
        let padded = self.corrections.words.last().is_some_and(|word| tail > 0 && word >> tail > 0);
        talk.ensure(!padded, "length", Some(party))
    }

    /// Checks that all are products.
    fn verify(&self, talk: &mut Talk<'_>, coin: &[u8; 32]) -> Result<Vec<usize>, SharingError> {
        let prg = stream("tacit 2026 coefficients of leaky triples", coin);
        let mut coefficients = [0u128; CHUNK];
        let mut theta = [0u128];
        talk.add_zero(&mut theta)?;
        for (chunk, sums) in self.sums.chunks(CHUNK).enumerate() {
            let coefficients = &mut coefficients[..sums.len()];
            prg.fill(0, (chunk * CHUNK) as u64, word::bytes_mut(coefficients));
            let correct = |(k, sum): (usize, &u128)| {
                sum ^ (u128::from(self.corrections.get(chunk * CHUNK + k)) * *self.delta)
            };
            let errors: Zeroizing<Vec<u128>> =
                Zeroizing::new(sums.iter().enumerate().map(correct).collect());
            theta[0] ^= inner_product(coefficients, &errors);
        }
        let sent = talk.commit("theta", word::bytes(&theta))?;
        let coin = talk.commit_coin("coin:bucket")?;
        let (heard, coin) = (talk.hear(sent)?, talk.hear(coin)?);
        let opened = talk.open(heard)?;
        // Which triples leak is fixed: buckets may be drawn.
        let coin = talk.toss(coin)?;
        let value = |bytes: &Vec<u8>| u128::from_le_bytes(*bytes.first_chunk().expect("a block"));
        let sum = opened.iter().fold(0, |sum, bytes| sum ^ value(bytes));
        talk.ensure(sum == 0, "leaky-and", None)?;
        Ok(rotations(&coin, self.count, self.leaky / self.count))
    }

    /// The leaky triples in place of row `row`, bucket by bucket.
    fn in_row(&self, row: usize, rotation: usize) -> impl Iterator<Item = usize> + use<> {
        let start = row * self.count;
        (start + rotation..start + self.count).chain(start..start + rotation)
    }

    /// What is opened: in every row but the first, the difference of its `b` and the first's; of this
    /// party's bits, MACs or keys.
    fn differences<T: std::ops::BitXor<Output = T>>(
        &self,
        rotations: &[usize],
        of: impl Fn(usize) -> T + Copy,
    ) -> impl Iterator<Item = T> {
        let rows = rotations.iter().enumerate().skip(1);
        rows.flat_map(move |(row, rotation)| {
            let pairs = self.in_row(0, 0).zip(self.in_row(row, *rotation));
            pairs.map(move |(first, other)| of(self.b(first)) ^ of(self.b(other)))
        })
    }

    /// Combines the leaky triples of every bucket to one.
    fn combine(&self, talk: &mut Talk<'_>, rotations: &[usize]) -> Result<Rows, SharingError> {
        let opened = self.open_differences(talk, rotations)?;
        let width = self.layout.width();
        let mut rows = Rows::zeros(self.count, 3 * width);
        let mut a = vec![0u128; width];
        for (row, rotation) in rotations.iter().enumerate() {
            for (q, k) in self.in_row(row, *rotation).enumerate() {
                let (row_a, rest) = rows.get_mut(q).split_at_mut(width);
                let (row_b, row_c) = rest.split_at_mut(width);
                a.fill(0);
                self.bits.add_to(k, &mut a);
                add_masked(row_a, &a, u128::MAX);
                self.bits.add_to(self.r(k), row_c);
                let correction = u128::from(self.corrections.get(k));
                self.layout.add_public(row_c, correction, *self.delta);
                if row == 0 {
                    self.bits.add_to(self.b(k), row_b);
                } else {
                    let difference = opened.get((row - 1) * self.count + q);
                    add_masked(row_c, &a, mask(u128::from(difference)));
                }
            }
        }
        zeroize::Zeroize::zeroize(&mut a);
        Ok(rows)
    }

    /// Opens how the `b` of a bucket differ, to all.
    fn open_differences(
        &self,
        talk: &mut Talk<'_>,
        rotations: &[usize],
    ) -> Result<Bits, SharingError> {
        let mut sum = Bits::zeros(self.leaky - self.count);
        let own = self.differences(rotations, |k| self.bits.bit(k));
        own.enumerate().for_each(|(i, bit)| sum.flip_if(i, bit == 1));
        let number = talk.agreed_number();
        for peer in talk.links.peers() {
            let macs = self.bits.macs(peer);
            let macs = self.differences(rotations, |k| macs[k]);
            talk.send_shares("bucket", number, peer, &sum, macs)?;
        }
        for peer in talk.links.peers() {
            let keys = self.bits.keys(peer);
            let keys = self.differences(rotations, |k| keys[k]);
            let (label, len, delta) = ("bucket", sum.len, *self.delta);
            let theirs = talk.recv_shares(peer, Opening { label, number, len, keys, delta })?;
            sum.words.iter_mut().zip(&theirs.words).for_each(|(sum, theirs)| *sum ^= theirs);
        }
        Ok(sum)
    }
}

/// How far each row of so many leaky triples is rotated: row 0 stays.
fn rotations(coin: &[u8; 32], count: usize, rows: usize) -> Vec<usize> {
    let prg = stream("tacit 2026 buckets of leaky triples", coin);
    let mut drawn = vec![0u128; rows];
    prg.fill(0, 0, word::bytes_mut(&mut drawn));
    drawn[0] = 0;
    drawn.into_iter().map(|drawn| (drawn % count as u128) as usize).collect()
}

/// A public stream from a coin.
pub(super) fn stream(context: &'static str, coin: &[u8; 32]) -> Prg {
    let key = tacit_ring::hash::derive_key(context, &[coin]);
    Prg::new(&Key::from_bytes(*key.first_chunk().expect("sixteen of thirty-two bytes")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buckets_are_as_large_as_the_bound_asks() {
        let of = [(432, 5), (4095, 5), (4096, 4), (6800, 4), (370_727, 4), (370_728, 3)];
        for (triples, want) in of {
            assert_eq!(bucket(triples), want, "{triples}");
        }
        assert_eq!([bucket(46), bucket(112), bucket(431)], [7, 6, 5]);
    }

    /// How often attacked triples meet in a bucket is what the bound says: `l_0 l_1 l_2 / N^2` buckets of three.
    #[test]
    fn rotations_are_uniform_and_attacked_triples_meet_as_rarely_as_they_should() {
        const N: usize = 16;
        const COINS: u64 = 8192;
        // Of each row, the places attacked; rows are rotated as in `in_row`.
        let attacked = [vec![3, 7, 8, 12], vec![0, 5, 9], vec![1, 2, 11, 13, 15]];
        let (mut offsets, mut met) = ([[0u64; N]; 3], 0);
        for number in 0..COINS {
            let coin = tacit_ring::hash::derive_key("test", &[&number.to_le_bytes()]);
            let drawn = rotations(&coin, N, 3);
            assert_eq!(drawn[0], 0);
            drawn.iter().zip(&mut offsets).for_each(|(drawn, counts)| counts[*drawn] += 1);
            let hit = |q: usize| {
                attacked.iter().zip(&drawn).all(|(row, drawn)| row.contains(&((q + drawn) % N)))
            };
            met += (0..N).filter(|q| hit(*q)).count() as u64;
        }
        for counts in &offsets[1..] {
            let mean = COINS as f64 / N as f64;
            let chi: f64 = counts.iter().map(|n| (*n as f64 - mean).powi(2) / mean).sum();
            // Fifteen degrees of freedom; it is a fixed sequence of coins.
            assert!(chi < 45.0, "{chi}");
        }
        let expected = (4 * 3 * 5) as f64 / (N * N) as f64 * COINS as f64;
        assert!((met as f64 - expected).abs() < 6.0 * expected.sqrt(), "{met}, not {expected}");
    }

    #[test]
    fn batches_are_neither_small_nor_too_large() {
        let of = |count| batches(count).collect::<Vec<_>>();
        assert_eq!(of(0), Vec::<usize>::new());
        assert_eq!(of(1), [LEAST]);
        assert_eq!(of(LARGE + 1), [LARGE + 1]);
        assert_eq!(of(2 * LARGE + 1), [LARGE + 1, LARGE]);
    }
}
