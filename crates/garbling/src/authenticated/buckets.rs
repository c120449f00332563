//! Buckets of leaky triples, combined to triples of which nobody knows more than the shares it has.

use super::bits::AuthBits;
use super::rows::{Layout, Rows, mask};
use super::talk::{Opening, Talk};
use crate::Bits;
use std::iter::zip;
use std::ops::{BitXor, Range};
use tacit_sharing::SharingError;
use zeroize::Zeroizing;

/// Triples that are combined in one go: they stay in the first-level cache.
const TILE: usize = 128;

/// Products whose check has passed, as rows of `count`: of the bits, the first are `a`, then `b`, then masks of
/// products, which differ from these by the corrections.
pub(super) struct Leaky {
    pub layout: Layout,
    pub count: usize,
    pub bits: AuthBits,
    pub delta: Zeroizing<u128>,
    pub corrections: Bits,
}

/// A batch of triples, as the leaky ones that each is the sum of.
pub(super) struct Buckets {
    leaky: Leaky,
    /// How far each row is rotated.
    rotations: Vec<usize>,
    /// In every row but the first, the differences of its `b` and the first row's.
    differences: Bits,
}

impl Leaky {
    /// All of them.
    fn len(&self) -> usize {
        self.corrections.len
    }

    /// From which leaky triple on so many buckets, from `first` on, have those in place `row` that lie one after
    /// the other: a row is a circle, so there are two such parts.
    fn parts(&self, row: usize, rotation: usize, buckets: Range<usize>) -> [Range<usize>; 2] {
        let (start, len) = ((buckets.start + rotation) % self.count, buckets.len());
        let first = len.min(self.count - start);
        let at = row * self.count;
        [at + start..at + start + first, at..at + len - first]
    }

    /// What is opened, of this party's bits, MACs or keys.
    fn differences<T: BitXor<Output = T>>(
        &self,
        rotations: &[usize],
        of: impl Fn(usize) -> T + Copy,
    ) -> impl Iterator<Item = T> {
        let b = move |k: usize| of(self.len() + k);
        rotations.iter().enumerate().skip(1).flat_map(move |(row, rotation)| {
            let [start, end] = self.parts(row, *rotation, 0..self.count);
            zip(0..self.count, start.chain(end)).map(move |(first, k)| b(first) ^ b(k))
        })
    }

    /// Opens how the `b` of a bucket differ, to all.
    fn open(&self, talk: &mut Talk<'_>, rotations: &[usize]) -> Result<Bits, SharingError> {
        let mut sum = Bits::zeros(self.len() - self.count);
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
            zip(&mut sum.words, &theirs.words).for_each(|(sum, theirs)| *sum ^= theirs);
        }
        Ok(sum)
    }
}

impl Buckets {
    /// No triples, and bits for masks.
    pub fn none(layout: Layout, bits: AuthBits) -> Self {
        let (delta, empty) = (Zeroizing::new(0), || Bits::zeros(0));
        let leaky = Leaky { layout, count: 0, bits, delta, corrections: empty() };
        Buckets { leaky, rotations: Vec::new(), differences: empty() }
    }

    /// Opens how the `b` of a bucket differ, to all parties. The rotations were drawn when all leaky triples were
    /// there.
    pub fn open(
        talk: &mut Talk<'_>,
        leaky: Leaky,
        rotations: Vec<usize>,
    ) -> Result<Self, SharingError> {
        let differences = leaky.open(talk, &rotations)?;
        Ok(Buckets { leaky, rotations, differences })
    }

    /// How many triples.
    pub fn len(&self) -> usize {
        self.leaky.count
    }

    /// The bits that triples are made of, and behind them those for masks.
    pub fn bits(&self) -> &AuthBits {
        &self.leaky.bits
    }

    /// The same.
    pub fn into_bits(self) -> AuthBits {
        self.leaky.bits
    }

    /// How many bits triples are made of.
    pub fn spent(&self) -> usize {
        3 * self.leaky.len()
    }

    /// Some triples, as rows: `a`, `b` and their product.
    pub fn rows(&self, buckets: Range<usize>) -> Rows {
        let width = 3 * self.leaky.layout.width();
        let mut rows = Rows::zeros(buckets.len(), width);
        for (first, rows) in zip(buckets.step_by(TILE), rows.blocks.chunks_mut(TILE * width)) {
            for (row, rotation) in self.rotations.iter().enumerate() {
                let parts = self.leaky.parts(row, *rotation, first..first + rows.len() / width);
                let (start, end) = rows.split_at_mut(width * parts[0].len());
                self.add(row, first, parts[0].start, start);
                self.add(row, first + parts[0].len(), parts[1].start, end);
            }
        }
        rows
    }

    /// Adds the leaky triples from `k` on, in place `row` of buckets from `first` on.
    fn add(&self, row: usize, first: usize, k: usize, rows: &mut [u128]) {
        let Leaky { layout, bits, corrections, .. } = &self.leaky;
        let (width, leaky) = (layout.width(), self.leaky.len());
        let mut chosen = [0u128; TILE];
        let chosen = &mut chosen[..rows.len() / (3 * width)];
        for (i, chosen) in chosen.iter_mut().enumerate().filter(|_| row > 0) {
            let at = (row - 1) * self.leaky.count + first + i;
            *chosen = mask(u128::from(self.differences.get(at)));
        }
        for (i, rows) in rows.chunks_exact_mut(3 * width).enumerate() {
            let [a, b, r] = [0, leaky, 2 * leaky].map(|start| bits.bit(start + k + i));
            rows[0] ^= a;
            rows[2 * width] ^= r ^ (a & chosen[i]);
            if row == 0 {
                rows[width] = b;
            }
            let correction = u128::from(corrections.get(k + i));
            layout.add_public(&mut rows[2 * width..], correction, *self.leaky.delta);
        }
        for (place, blocks) in bits.columns() {
            let [a, b, r] = [0, leaky, 2 * leaky].map(|start| &blocks[start + k..][..chosen.len()]);
            let products = zip(zip(a, r), &*chosen);
            for (rows, ((a, r), chosen)) in zip(rows.chunks_exact_mut(3 * width), products) {
                rows[place] ^= a;
                rows[2 * width + place] ^= r ^ (a & chosen);
            }
            if row == 0 {
                let rows = rows.chunks_exact_mut(3 * width);
                zip(rows, b).for_each(|(rows, b)| rows[width + place] = *b);
            }
        }
    }
}
