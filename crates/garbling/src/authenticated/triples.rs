//! Authenticated products of random bits: leaky ones, and buckets of them combined.

#[cfg(test)]
pub(super) mod fallback;

use super::bits::{AuthBits, delta, extend};
use super::buckets::{Buckets, Leaky};
use super::channel::CheckedChannel;
use super::rows::{Layout, mask};
use super::turns::{Turn, Turns};
use crate::Bits;
use crate::tweak::{Hash, Use};
use tacit_net::Stream;
use tacit_ring::gf128::inner_product;
use tacit_ring::{Buffer, Key, Prg, word};
use tacit_sharing::{RoleId, SharingError};
use zeroize::Zeroizing;

/// Triples of a batch at most, to bound its memory.
const MOST: usize = 1 << 20;
/// Products that are hashed in one go.
const CHUNK: usize = 4096;
/// Chunks that a party sends ahead of those that it takes, at most, as [`extend`] does with choices: 8 MiB.
const AHEAD: usize = 128;
/// Products whose errors are added up in one go.
const TILE: usize = 1024;

/// Sizes of buckets and batches where so many workers of a session make triples. Every worker is a try of its own: a cheat
/// can stall those in which it guessed wrong and go on in one where it guessed right, before any honest party
/// knows. So bucketing fails with probability `2^-rho` in each, at most, with `rho = 40 + ceil(log2 workers)`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sizes {
    rho: u32,
}

impl Sizes {
    /// The sizes of a session with `workers` workers, the same at all parties.
    #[must_use]
    pub fn of(workers: usize) -> Self {
        Sizes { rho: 40 + workers.max(1).next_power_of_two().ilog2() }
    }

    /// Bucketing fails in a worker with probability `2^-rho` at most.
    #[must_use]
    pub fn rho(self) -> u32 {
        self.rho
    }

    /// The fewest triples for which buckets of so many are enough.
    fn enough(self, bucket: u32) -> usize {
        (f64::from(self.rho - bucket) / f64::from(bucket - 1)).exp2().ceil() as usize
    }

    /// A batch has at least so many triples: fewer would need larger buckets than of five.
    fn least(self) -> usize {
        self.enough(5).next_multiple_of(16)
    }

    /// The fewest triples of one worker that are made in the smallest buckets that memory allows: of three, with more than four
    /// workers of four.
    #[must_use]
    pub fn large(self) -> usize {
        Some(self.enough(3)).filter(|count| *count < MOST).unwrap_or(self.enough(4))
    }

    /// Leaky triples per triple, for so many triples at a time: `2^-B N^-(B-1) <= 2^-rho`.
    pub(super) fn bucket(self, triples: usize) -> usize {
        let (rho, log) = (f64::from(self.rho), (triples as f64).log2());
        let fits = |b: &u32| f64::from(*b) + f64::from(b - 1) * log >= rho;
        (2..=self.rho).find(fits).unwrap_or(self.rho) as usize
    }

    /// The batches in which so many triples are made.
    pub(super) fn batches(self, triples: usize) -> impl Iterator<Item = usize> {
        let (least, count) = (self.least(), (triples / self.enough(3)).max(triples.div_ceil(MOST)));
        let size = move |i: usize| triples / count + usize::from(i < triples % count);
        (0..count).map(move |i| size(i).max(least))
    }
}

/// Makes a batch of `count` triples in buckets of `bucket`, and with it `extra[r]` further bits of role `r`: those are the last bits of
/// what comes with the triples.
pub(super) fn make(
    channel: &mut CheckedChannel<'_>,
    hash: Hash,
    first: u64,
    (count, bucket): (usize, usize),
    extra: &[usize],
) -> Result<Buckets, SharingError> {
    let leaky = count * bucket;
    let counts: Vec<usize> = extra.iter().map(|extra| 3 * leaky + extra).collect();
    let bits = extend(channel, &counts)?;
    let layout = Layout { parties: counts.len(), me: channel.links.me };
    let delta = delta(channel)?;
    let mut batch = Batch {
        layout,
        hash,
        first,
        leaky,
        bits,
        delta,
        sums: Buffer::zeros(leaky),
        corrections: Bits::zeros(leaky),
    };
    batch.multiply(channel)?;
    let rotations = batch.verify(channel, count)?;
    let Batch { bits, delta, corrections, .. } = batch;
    Buckets::open(channel, Leaky { layout, count, bits, delta, corrections }, rotations)
}

/// A batch on its way: of the sharings, the first are `a`, then `b`, then masks of products.
struct Batch {
    layout: Layout,
    hash: Hash,
    first: u64,
    leaky: usize,
    bits: AuthBits,
    delta: Zeroizing<u128>,
    /// `S`: all parties' add up to `(ab + r) D`.
    sums: Buffer<u128>,
    /// `d = ab + r`.
    corrections: Bits,
}

/// Room for a chunk of products.
struct Room {
    factors: Buffer<u128>,
    tweaks: Buffer<u128>,
    zeros: Buffer<u128>,
    ones: Buffer<u128>,
}

impl Batch {
    /// Computes all parties' sums, chunk by chunk.
    fn multiply(&mut self, channel: &mut CheckedChannel<'_>) -> Result<(), SharingError> {
        let empty = || Buffer::zeros(CHUNK);
        let mut room = Room { factors: empty(), tweaks: empty(), zeros: empty(), ones: empty() };
        let mut turns = Turns::new(self.leaky.div_ceil(CHUNK), AHEAD);
        while let Some(turn) = turns.next(channel.links.mesh) {
            match turn {
                Turn::Send(chunk) => self.send_products(channel, chunk, &mut room)?,
                Turn::Take(chunk) => self.take_products(channel, chunk, &mut room)?,
            }
        }
        Ok(())
    }

    /// Where a chunk begins, and its length.
    fn chunk(&self, chunk: usize) -> (usize, usize) {
        (chunk * CHUNK, CHUNK.min(self.leaky - chunk * CHUNK))
    }

    /// Sends each peer what turns its bits of `a` into its parts of the products with this party's factors
    /// `Phi`: all parties' add up to `b D`.
    fn send_products(
        &mut self,
        channel: &mut CheckedChannel<'_>,
        chunk: usize,
        room: &mut Room,
    ) -> Result<(), SharingError> {
        let (at, len) = self.chunk(chunk);
        let Room { factors, tweaks, zeros, ones } = room;
        let [factors, tweaks, zeros, ones] =
            [factors, tweaks, zeros, ones].map(|list| &mut list[..len]);
        let sums = &mut self.sums[at..at + len];
        factors.fill(0);
        channel.add_zero(factors)?;
        self.bits.add_scaled(self.leaky + at, *self.delta, factors);
        self.bits.add_scaled(2 * self.leaky + at, *self.delta, sums);
        add_chosen(sums, &self.bits, at, factors);
        for peer in channel.links.peers() {
            self.hash.keys(Use::Triple, [self.layout.me, peer], self.first + at as u64, tweaks);
            zeros.copy_from_slice(&self.bits.keys(peer)[at..at + len]);
            ones.iter_mut().zip(&*zeros).for_each(|(one, zero)| *one = zero ^ *self.delta);
            Hash::hash(tweaks, [zeros, ones]);
            sums.iter_mut().zip(&*zeros).for_each(|(sum, zero)| *sum ^= zero);
            let both = zeros.iter().zip(&*factors);
            ones.iter_mut().zip(both).for_each(|(one, (zero, factor))| *one ^= zero ^ factor);
            channel.links.send(peer, Stream::Def, ones)?;
        }
        Ok(())
    }

    fn take_products(
        &mut self,
        channel: &mut CheckedChannel<'_>,
        chunk: usize,
        room: &mut Room,
    ) -> Result<(), SharingError> {
        let (at, len) = self.chunk(chunk);
        let Room { tweaks, zeros, ones, .. } = room;
        let [tweaks, macs, sent] = [tweaks, zeros, ones].map(|list| &mut list[..len]);
        let sums = &mut self.sums[at..at + len];
        for peer in channel.links.peers() {
            channel.links.recv_into(peer, Stream::Def, sent)?;
            self.hash.keys(Use::Triple, [peer, self.layout.me], self.first + at as u64, tweaks);
            macs.copy_from_slice(&self.bits.macs(peer)[at..at + len]);
            Hash::hash(tweaks, [macs]);
            sums.iter_mut().zip(&*macs).for_each(|(sum, mac)| *sum ^= mac);
            add_chosen(sums, &self.bits, at, sent);
        }
        Ok(())
    }

    /// Makes the leaky triples and checks that they are products; gives the rotations of the rows that
    /// buckets are made of.
    fn verify(
        &mut self,
        channel: &mut CheckedChannel<'_>,
        count: usize,
    ) -> Result<Vec<usize>, SharingError> {
        let shares = self.shares(channel)?;
        let sent = channel.commit("d", word::bytes(&shares.words))?;
        let coin = channel.commit_coin("coin:leaky")?;
        let (heard, coin) = (channel.hear(sent)?, channel.hear(coin)?);
        for (party, bytes) in channel.open(heard)?.into_iter().enumerate() {
            self.add_corrections(channel, party, &bytes)?;
        }
        let coin = channel.toss(coin)?;
        let theta = [self.errors(channel, &coin)?];
        let sent = channel.commit("theta", word::bytes(&theta))?;
        let coin = channel.commit_coin("coin:bucket")?;
        let (heard, coin) = (channel.hear(sent)?, channel.hear(coin)?);
        let opened = channel.open(heard)?;
        // Which triples leak is fixed: buckets may be drawn.
        let coin = channel.toss(coin)?;
        let value = |bytes: &Vec<u8>| u128::from_le_bytes(*bytes.first_chunk().expect("a block"));
        let sum = opened.iter().fold(0, |sum, bytes| sum ^ value(bytes));
        channel.ensure(sum == 0, "leaky-and", None)?;
        Ok(rotations(&coin, count, self.leaky / count))
    }

    /// This party's shares of the corrections: the lowest bits of its sums, as that of `D` is one.
    fn shares(&self, channel: &mut CheckedChannel<'_>) -> Result<Bits, SharingError> {
        let mut shares = Bits::zeros(self.leaky);
        for (word, sums) in shares.words.iter_mut().zip(self.sums.chunks(64)) {
            *word = (0..).zip(sums).fold(0, |word, (i, sum)| word | (*sum as u64 & 1) << i);
        }
        #[cfg(test)]
        if fallback::is_chosen() {
            return fallback::instead_of(shares, self, channel);
        }
        let _ = channel;
        Ok(shares)
    }

    fn add_corrections(
        &mut self,
        channel: &mut CheckedChannel<'_>,
        party: RoleId,
        bytes: &[u8],
    ) -> Result<(), SharingError> {
        for (word, bytes) in self.corrections.words.iter_mut().zip(bytes.as_chunks::<8>().0) {
            *word ^= u64::from_le_bytes(*bytes);
        }
        let tail = self.leaky % 64;
        let padded = self.corrections.words.last().is_some_and(|word| tail > 0 && word >> tail > 0);
        channel.ensure(!padded, "length", Some(party))
    }

    /// `theta`: all parties' add up to zero where all are products.
    fn errors(
        &self,
        channel: &mut CheckedChannel<'_>,
        coin: &[u8; 32],
    ) -> Result<u128, SharingError> {
        let prg = stream("tacit 2026 coefficients of leaky triples", coin);
        let mut coefficients = [0u128; TILE];
        let mut errors = Zeroizing::new([0u128; TILE]);
        let mut theta = [0u128];
        channel.add_zero(&mut theta)?;
        for (chunk, sums) in self.sums.chunks(TILE).enumerate() {
            let at = chunk * TILE;
            let coefficients = &mut coefficients[..sums.len()];
            prg.fill(0, at as u64, word::bytes_mut(coefficients));
            for (i, (error, sum)) in errors.iter_mut().zip(sums).enumerate() {
                let correction = mask(u128::from(self.corrections.get(at + i)));
                *error = sum ^ (correction & *self.delta);
            }
            theta[0] ^= inner_product(coefficients, &errors[..sums.len()]);
        }
        Ok(theta[0])
    }
}

/// Adds blocks where this party's bits from `at` on are one.
fn add_chosen(sums: &mut [u128], bits: &AuthBits, at: usize, blocks: &[u128]) {
    for (i, (sums, blocks)) in sums.chunks_mut(64).zip(blocks.chunks(64)).enumerate() {
        let word = bits.word(at + 64 * i);
        for (bit, (sum, block)) in (0..).zip(sums.iter_mut().zip(blocks)) {
            *sum ^= mask(u128::from(word >> bit)) & block;
        }
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
        let alone = Sizes::of(1);
        for (triples, want) in of {
            assert_eq!(alone.bucket(triples), want, "{triples}");
        }
        assert_eq!([46, 112, 431].map(|triples| alone.bucket(triples)), [7, 6, 5]);
        // Two workers, each of which half as often.
        let two = Sizes::of(2);
        assert_eq!([432, 512, 370_728, 524_288].map(|triples| two.bucket(triples)), [6, 5, 4, 3]);
    }

    /// However many workers there are, a cheat that tries in all of them succeeds in one with probability 2^-40.
    #[test]
    fn all_workers_together_fail_as_rarely_as_one() {
        for workers in (1..=70).chain([128, 1000, 65_535]) {
            let sizes = Sizes::of(workers);
            assert_eq!(sizes.batches(1).collect::<Vec<_>>(), [sizes.least()]);
            assert_eq!(sizes.bucket(sizes.least()), 5);
            assert!(sizes.bucket(sizes.large()) <= 4 && sizes.large() <= MOST);
            for triples in [1, 500, 5000, 370_728, 524_288, 741_456, MOST, MOST + 1, 5 * MOST] {
                for batch in sizes.batches(triples) {
                    let (bucket, log) = (sizes.bucket(batch) as f64, (batch as f64).log2());
                    let failure = (workers as f64).log2() - bucket - (bucket - 1.0) * log;
                    assert!(
                        failure <= -40.0,
                        "{workers} workers, {batch} of {triples}: 2^{failure}"
                    );
                }
            }
        }
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
        let of = |workers, count| Sizes::of(workers).batches(count).collect::<Vec<_>>();
        assert_eq!(of(1, 0), Vec::<usize>::new());
        let large = Sizes::of(1).large();
        assert_eq!((large, of(1, 1)), (370_728, vec![432]));
        assert_eq!(of(1, large + 1), [large + 1]);
        assert_eq!(of(1, 2 * large + 1), [large + 1, large]);
        let large = Sizes::of(3).large();
        assert_eq!((large, of(3, 1)), (741_456, vec![624]));
        assert_eq!(of(3, 2 * large), [large; 2]);
        // Buckets of three would take more than there is room for.
        assert_eq!((Sizes::of(16).large(), of(16, MOST + 2)), (10_322, vec![MOST / 2 + 1; 2]));
        for workers in [1, 2, 3, 5, 64] {
            let all = [1, MOST - 1, MOST + 1, 9 * MOST + 7];
            assert!(all.into_iter().all(|count| {
                of(workers, count).into_iter().max().is_some_and(|most| most <= MOST)
                    && of(workers, count).into_iter().sum::<usize>() >= count
            }));
        }
    }
}
