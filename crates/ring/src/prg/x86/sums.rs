//! Sums under many keys: each lane of a vector is another key, or, for the last keys, another column.

use super::lanes::Lanes;
use super::{Kernel, RCON, Width};
use crate::prg::sums::{Feed, SIDE_BY_SIDE};
use std::arch::x86_64::*;

/// Inputs that are summed in one go: they stay in registers or the first-level cache.
const TILE: usize = 16;

/// Vectors of keys whose schedules are computed side by side, to hide their latency.
const SCHEDULES: usize = 4;

/// Blocks for every four keys, and their number.
type Fours<T> = (T, usize);

/// Both lists of labels.
type Labels<'l> = [&'l [u128]; 2];

/// The place of a key's blocks among every four, and the blocks of those four.
type Key<'l> = (usize, Labels<'l>, &'l mut [u128]);

/// See [`add_sums`](crate::prg::add_sums); lists fit the keys.
pub(in crate::prg) fn add_sums(
    kernel: Kernel,
    feed: Feed,
    keys: &[u128],
    labels: Fours<Labels<'_>>,
    sums: Fours<&mut [u128]>,
) {
    let lists = Lists { feed, keys, labels, sums };
    // SAFETY: `Kernel::detect` found the features of the kernel it names.
    unsafe {
        match kernel.0 {
            Width::W128 => sums128(lists),
            Width::W256 => sums256(lists),
            Width::W512 => sums512(lists),
        }
    }
}

#[target_feature(enable = "aes,sse4.1")]
fn sums128(mut lists: Lists<'_>) {
    // SAFETY: this function has the features.
    unsafe { lists.add::<__m128i>() }
}

#[target_feature(enable = "aes,vaes,avx2")]
fn sums256(mut lists: Lists<'_>) {
    // SAFETY: this function has the features.
    unsafe { lists.add::<__m256i>() }
}

#[target_feature(enable = "aes,vaes,avx512f,avx512bw")]
fn sums512(mut lists: Lists<'_>) {
    // SAFETY: this function has the features.
    unsafe { lists.add::<__m512i>() }
}

/// Lists of four keys each, cut.
struct Lists<'l> {
    feed: Feed,
    keys: &'l [u128],
    labels: Fours<Labels<'l>>,
    sums: Fours<&'l mut [u128]>,
}

impl Lists<'_> {
    #[inline(always)]
    fn of(&mut self, key: usize) -> Key<'_> {
        let (four, (labels, labels_of)) = (key / SIDE_BY_SIDE, self.labels);
        let (sums, sums_of) = &mut self.sums;
        let labels = labels.map(|list| &list[four * labels_of..][..labels_of]);
        (key % SIDE_BY_SIDE, labels, &mut sums[four * *sums_of..][..*sums_of])
    }

    /// # Safety
    /// The CPU has the features of the vectors.
    #[inline(always)]
    unsafe fn add<V: Lanes>(&mut self) {
        let (mut at, end) = (0, self.keys.len());
        // SAFETY: the caller found the features.
        unsafe {
            let (mut schedules, mut fed) = ([[V::splat(0); 11]; SCHEDULES], Fed::new());
            while at + V::COUNT <= end {
                let count = ((end - at) / V::COUNT).min(SCHEDULES);
                let keys = self.keys[at..].chunks_exact(V::COUNT);
                for (schedule, keys) in schedules.iter_mut().zip(keys) {
                    schedule[0] = V::load(keys);
                }
                expand(&mut schedules);
                for schedule in &schedules[..count] {
                    let feed = self.feed;
                    together(feed, schedule, &mut fed, self.of(at));
                    at += V::COUNT;
                }
            }
            for at in at..end {
                let mut alone = [[V::splat(self.keys[at]); 11]];
                expand(&mut alone);
                let feed = self.feed;
                columns(feed, &alone[0], &mut fed, self.of(at));
            }
        }
    }
}

/// The round keys of every lane.
type Schedule<V> = [V; 11];

/// Goes on from first round keys.
#[inline(always)]
unsafe fn expand<V: Lanes, const N: usize>(schedules: &mut [Schedule<V>; N]) {
    let mut last = schedules.each_ref().map(|schedule| schedule[0]);
    for (r, rcon) in RCON.into_iter().enumerate() {
        for (schedule, last) in schedules.iter_mut().zip(&mut last) {
            // SAFETY: the caller found the features.
            *last = unsafe { last.next_key(rcon) };
            schedule[r + 1] = *last;
        }
    }
}

/// Encrypts what the first round key was added to.
#[inline(always)]
unsafe fn encrypt<V: Lanes>(schedule: &Schedule<V>, mut block: V) -> V {
    // SAFETY: the caller found the features.
    unsafe {
        for key in &schedule[1..10] {
            block = block.round(*key);
        }
        block.last_round(schedule[10])
    }
}

/// Inputs with the first round key added, their sum, and the first column.
struct Fed<V> {
    inputs: [V; TILE],
    count: usize,
    sum: V,
    first: u128,
}

impl<V: Lanes> Fed<V> {
    #[inline(always)]
    unsafe fn new() -> Self {
        // SAFETY: the caller found the features.
        let zero = unsafe { V::splat(0) };
        Fed { inputs: [zero; TILE], count: 0, sum: zero, first: 0 }
    }

    #[inline(always)]
    unsafe fn clear(&mut self) {
        // SAFETY: the caller found the features.
        self.sum = unsafe { V::splat(0) };
        (self.count, self.first) = (0, 0);
    }

    #[inline(always)]
    unsafe fn push(&mut self, feed: Feed, schedule: &Schedule<V>, [a, b]: [V; 2]) {
        // SAFETY: the caller found the features.
        unsafe {
            let mut input = a.xor(b.double()).double();
            if feed == Feed::Twice {
                input = encrypt(schedule, input.xor(schedule[0]));
                self.first = 1;
            }
            self.sum = self.sum.xor(input);
            self.inputs[self.count] = input.xor(schedule[0]);
            self.count += 1;
        }
    }

    /// The sum of a column.
    #[inline(always)]
    unsafe fn column(&self, schedule: &Schedule<V>, column: V) -> V {
        let mut sum = self.sum;
        for input in &self.inputs[..self.count] {
            // SAFETY: the caller found the features.
            sum = unsafe { sum.xor(encrypt(schedule, input.xor(column))) };
        }
        sum
    }
}

/// Four blocks at a time.
#[inline(always)]
fn fours(blocks: &[u128]) -> impl Iterator<Item = &[u128; SIDE_BY_SIDE]> {
    blocks.as_chunks::<SIDE_BY_SIDE>().0.iter()
}

/// Of as many keys as there are lanes, whose blocks begin at a place of every four.
#[inline(always)]
unsafe fn together<V: Lanes>(
    feed: Feed,
    schedule: &Schedule<V>,
    fed: &mut Fed<V>,
    (lane, [first, second], sums): Key<'_>,
) {
    // SAFETY: the caller found the features.
    unsafe {
        for (a, b) in first.chunks(TILE * SIDE_BY_SIDE).zip(second.chunks(TILE * SIDE_BY_SIDE)) {
            fed.clear();
            for (a, b) in fours(a).zip(fours(b)) {
                let labels = [a, b].map(|four| &four[lane..][..V::COUNT]);
                fed.push(feed, schedule, [V::load(labels[0]), V::load(labels[1])]);
            }
            let sums = sums.as_chunks_mut::<SIDE_BY_SIDE>().0;
            for (sum, j) in sums.iter_mut().zip(fed.first..) {
                let to = &mut sum[lane..][..V::COUNT];
                V::load(to).xor(fed.column(schedule, V::splat(j))).store(to);
            }
        }
    }
}

/// Of one key, whose blocks are at a place of every four: lanes are columns.
#[inline(always)]
unsafe fn columns<V: Lanes>(
    feed: Feed,
    schedule: &Schedule<V>,
    fed: &mut Fed<V>,
    (lane, [first, second], sums): Key<'_>,
) {
    // SAFETY: the caller found the features.
    unsafe {
        for (a, b) in first.chunks(TILE * SIDE_BY_SIDE).zip(second.chunks(TILE * SIDE_BY_SIDE)) {
            fed.clear();
            for (a, b) in fours(a).zip(fours(b)) {
                fed.push(feed, schedule, [V::splat(a[lane]), V::splat(b[lane])]);
            }
            let mut first = fed.first;
            for sums in sums.chunks_mut(SIDE_BY_SIDE * V::COUNT) {
                let mut columns = [0; SIDE_BY_SIDE];
                columns.iter_mut().zip(first..).for_each(|(column, j)| *column = j);
                first += V::COUNT as u128;
                let mut sum = [0; SIDE_BY_SIDE];
                let column = V::load(&columns[..V::COUNT]);
                fed.column(schedule, column).store(&mut sum[..V::COUNT]);
                let to = sums.iter_mut().skip(lane).step_by(SIDE_BY_SIDE);
                to.zip(sum).for_each(|(to, sum)| *to ^= sum);
            }
        }
    }
}
