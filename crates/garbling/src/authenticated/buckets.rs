//! Buckets of leaky triples, combined to triples of which nobody knows more than the shares it has.

use super::bits::{AuthBits, word_at};
use super::channel::{CheckedChannel, Opening};
use super::packed::Packed;
use super::rows::{Layout, mask};
use crate::Bits;
use std::iter::zip;
use std::ops::Range;
use tacit_ring::simd;
use tacit_sharing::SharingError;
use zeroize::{Zeroize, Zeroizing};

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

    /// Which leaky triples all buckets have in place `row`, in order: a row is a circle, so there are two parts.
    fn parts(&self, row: usize, rotation: usize) -> [Range<usize>; 2] {
        let at = row * self.count;
        [at + rotation..at + self.count, at..at + rotation]
    }

    /// What is opened, computed on blocks: for every row but the first, how its `b` differ from those of the first row.
    fn differences<'a>(
        &'a self,
        rotations: &'a [usize],
        blocks: &'a [u128],
    ) -> impl Iterator<Item = u128> + 'a {
        let b = &blocks[self.len()..2 * self.len()];
        rotations
            .iter()
            .enumerate()
            .skip(1)
            .flat_map(move |(row, rotation)| {
                let [start, end] = self.parts(row, *rotation);
                let (first, rest) = b[..self.count].split_at(start.len());
                [(first, &b[start]), (rest, &b[end])]
            })
            .flat_map(|(first, other)| zip(first, other).map(|(first, other)| first ^ other))
    }

    /// What is opened, computed on this party's bits.
    fn own_differences(&self, rotations: &[usize]) -> Bits {
        let mut all = Bits::zeros(self.len() - self.count);
        let b = |k: usize| self.bits.bit(self.len() + k) == 1;
        for (row, rotation) in rotations.iter().enumerate().skip(1) {
            let [start, end] = self.parts(row, *rotation);
            for (first, k) in start.chain(end).enumerate() {
                all.flip_if((row - 1) * self.count + first, b(first) ^ b(k));
            }
        }
        all
    }

    /// Opens how the `b` of a bucket differ, to all.
    fn open(
        &self,
        channel: &mut CheckedChannel<'_>,
        rotations: &[usize],
    ) -> Result<Bits, SharingError> {
        let mut sum = self.own_differences(rotations);
        let number = channel.agreed_number();
        for peer in channel.links.peers() {
            let macs = self.differences(rotations, self.bits.macs(peer));
            channel.send_shares("bucket", number, peer, &sum, macs)?;
        }
        for peer in channel.links.peers() {
            let keys = self.differences(rotations, self.bits.keys(peer));
            let (label, len, delta) = ("bucket", sum.len, *self.delta);
            let theirs = channel.recv_shares(peer, Opening { label, number, len, keys, delta })?;
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
        channel: &mut CheckedChannel<'_>,
        leaky: Leaky,
        rotations: Vec<usize>,
    ) -> Result<Self, SharingError> {
        let differences = leaky.open(channel, &rotations)?;
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

    /// Gives up the triples for their bits, in the order of [`Buckets::bits`].
    pub fn into_bits(self) -> AuthBits {
        self.leaky.bits
    }

    /// How many bits triples are made of.
    pub fn spent(&self) -> usize {
        3 * self.leaky.len()
    }

    /// Some triples.
    pub fn packed(&self, buckets: Range<usize>) -> Packed {
        let mut packed = Packed::zeros(self.leaky.layout, buckets.len());
        let mut room = Room::new(self.rotations.len());
        let mut first = buckets.start;
        while first < buckets.end {
            let len = self.find(first, TILE.min(buckets.end - first), &mut room.places);
            self.add_shares(first..first + len, first - buckets.start, &mut packed, &mut room);
            self.add_blocks(first - buckets.start, &mut packed, &mut room, len);
            first += len;
        }
        packed
    }

    /// Where the leaky triples of a bucket lie, row by row, and for how many buckets from there on, up to `most`,
    /// they lie one after the other.
    fn find(&self, bucket: usize, most: usize, places: &mut [usize]) -> usize {
        let count = self.leaky.count;
        let mut len = most;
        for (row, (place, rotation)) in zip(places, &self.rotations).enumerate() {
            let in_row = (bucket + rotation) % count;
            *place = row * count + in_row;
            len = len.min(count - in_row);
        }
        len
    }

    /// Adds this party's shares for some buckets to the triples from `at` on, and keeps what blocks are chosen by.
    fn add_shares(&self, buckets: Range<usize>, at: usize, packed: &mut Packed, room: &mut Room) {
        let Leaky { layout, bits, corrections, count, .. } = &self.leaky;
        let leaky = self.leaky.len();
        for i in (0..buckets.len()).step_by(64) {
            let len = (buckets.len() - i).min(64);
            let (mut a, mut product, mut corrected) = (0, 0, 0);
            for (row, place) in room.places.iter().enumerate() {
                let k = place + i;
                let chosen = match row {
                    0 => 0,
                    _ => word_at(&self.differences.words, (row - 1) * count + buckets.start + i),
                };
                let share = bits.word(k);
                a ^= share;
                product ^= bits.word(2 * leaky + k) ^ share & chosen;
                corrected ^= word_at(&corrections.words, k);
                for (bit, chosen_block) in room.chosen[row][i..i + len].iter_mut().enumerate() {
                    *chosen_block = mask(u128::from(chosen >> bit));
                }
            }
            for (bit, correction) in room.corrected[i..i + len].iter_mut().enumerate() {
                *correction = mask(u128::from(corrected >> bit));
            }
            // A public bit is added to role 0's share.
            product ^= if layout.me == 0 { corrected } else { 0 };
            let b = bits.word(leaky + room.places[0] + i);
            for (factor, shares) in [a, b, product].into_iter().enumerate() {
                packed.add_shares(factor, at + i, shares & (u64::MAX >> (64 - len)));
            }
        }
    }

    /// Writes MACs and keys of so many triples from `at` on.
    fn add_blocks(&self, at: usize, packed: &mut Packed, room: &mut Room, len: usize) {
        let Leaky { layout, bits, delta, .. } = &self.leaky;
        let (width, leaky) = (layout.width() - 1, self.leaky.len());
        let Room { places, chosen, corrected, a: sum, product } = room;
        let (sum, product) = (&mut sum[..len], &mut product[..len]);
        let rows = &mut packed.blocks.blocks[3 * width * at..3 * width * (at + len)];
        for (place, blocks) in bits.columns() {
            sum.fill(0);
            product.fill(0);
            // A public bit is added to the others' keys for role 0's share.
            if layout.me != 0 && place == layout.key(0) {
                zip(&mut *product, &*corrected).for_each(|(sum, mask)| *sum = mask & **delta);
            }
            for (place, chosen) in zip(&*places, &*chosen) {
                let lists =
                    [&blocks[*place..][..len], &blocks[2 * leaky + place..][..len], &chosen[..len]];
                add_products(sum, product, lists);
            }
            let b = &blocks[leaky + places[0]..][..len];
            let rows = rows.chunks_exact_mut(3 * width);
            for (row, ((a, b), product)) in zip(rows, zip(zip(&*sum, b), &*product)) {
                row[place - 1] = *a;
                row[width + place - 1] = *b;
                row[2 * width + place - 1] = *product;
            }
        }
    }
}

/// Room for a tile of buckets.
struct Room {
    /// Where the first bucket has its leaky triples, row by row.
    places: Vec<usize>,
    /// By row: all ones where `b` differs from the first row's.
    chosen: Vec<[u128; TILE]>,
    /// All ones where corrections add up to one.
    corrected: [u128; TILE],
    /// Sums of blocks of `a`, and of products.
    a: [u128; TILE],
    product: [u128; TILE],
}

impl Room {
    fn new(rows: usize) -> Zeroizing<Self> {
        let empty = [0; TILE];
        let (places, chosen) = (vec![0; rows], vec![empty; rows]);
        Zeroizing::new(Room { places, chosen, corrected: empty, a: empty, product: empty })
    }
}

/// What was chosen is public.
impl Zeroize for Room {
    fn zeroize(&mut self) {
        [&mut self.a, &mut self.product].into_iter().for_each(Zeroize::zeroize);
    }
}

/// Adds `a`, and `r` plus `a` where it is chosen.
fn add_products(sum: &mut [u128], product: &mut [u128], [a, r, chosen]: [&[u128]; 3]) {
    let (sum, product) = (
        bytemuck::cast_slice_mut::<u128, u64>(sum),
        bytemuck::cast_slice_mut::<u128, u64>(product),
    );
    let [a, r, chosen] = [a, r, chosen].map(bytemuck::cast_slice::<u128, u64>);
    simd::vectorize(
        #[inline(always)]
        || {
            let inputs = zip(zip(a, r), chosen);
            for ((sum, product), ((a, r), chosen)) in zip(zip(sum, product), inputs) {
                *sum ^= a;
                *product ^= r ^ a & chosen;
            }
        },
    );
}
