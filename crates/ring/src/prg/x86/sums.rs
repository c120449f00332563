//! Hashes of pairs under keys of their own: each lane of a vector is another key, or another pair of one key.

use super::lanes::{LANES, Lanes};
use super::{Kernel, RCON, Width};
use crate::prg::sums::{Feed, Four, MAX_COLUMNS, PAIRS, Place, ROWS, SIDE_BY_SIDE};
use std::arch::x86_64::*;

/// Blocks that are encrypted side by side, to hide the latency of rounds.
const CHAINS: usize = 4;

/// Keys whose schedules are computed side by side, in vectors, for the same reason.
const VECTORS: usize = 4;

/// Blocks of a line of the cache, and how far ahead rows are fetched, which come from memory.
const LINE: usize = 4;
const AHEAD: usize = 512;

/// A key: its place among four.
pub(in crate::prg) type Key<'s> = (&'s Four, usize);

/// What has a width of vectors.
pub(super) trait Task {
    type Out;
    /// # Safety
    /// The CPU has the features of the vectors.
    unsafe fn run<V: Lanes>(self) -> Self::Out;
}

#[target_feature(enable = "aes,sse4.1")]
fn run128<T: Task>(task: T) -> T::Out {
    // SAFETY: this function has the features.
    unsafe { task.run::<__m128i>() }
}

#[target_feature(enable = "aes,vaes,avx2")]
fn run256<T: Task>(task: T) -> T::Out {
    // SAFETY: this function has the features.
    unsafe { task.run::<__m256i>() }
}

#[target_feature(enable = "aes,vaes,avx512f,avx512bw")]
fn run512<T: Task>(task: T) -> T::Out {
    // SAFETY: this function has the features.
    unsafe { task.run::<__m512i>() }
}

#[inline(always)]
pub(super) fn run<T: Task>(kernel: Kernel, task: T) -> T::Out {
    // SAFETY: `Kernel::detect` found the features of the kernel it names.
    unsafe {
        match kernel.0 {
            Width::W128 => run128(task),
            Width::W256 => run256(task),
            Width::W512 => run512(task),
        }
    }
}

/// Sets all round keys but the first ones, which are there.
pub(in crate::prg) fn expand_fours(kernel: Kernel, fours: &mut [Four]) {
    run(kernel, Expand(fours));
}

struct Expand<'s>(&'s mut [Four]);

impl Task for Expand<'_> {
    type Out = ();

    #[inline(always)]
    unsafe fn run<V: Lanes>(self) {
        // SAFETY: the caller found the features.
        unsafe {
            for fours in self.0.chunks_mut(V::COUNT) {
                // So many fours fill as many vectors as there are lanes in four.
                let mut last = [V::splat(0); VECTORS];
                let place = |i: usize| (V::COUNT * i / SIDE_BY_SIDE, V::COUNT * i % SIDE_BY_SIDE);
                let used = fours.len() * SIDE_BY_SIDE / V::COUNT;
                for (i, last) in last.iter_mut().enumerate().take(used) {
                    let (four, lane) = place(i);
                    *last = V::load(&fours[four][0][lane..][..V::COUNT]);
                }
                for (r, rcon) in RCON.into_iter().enumerate() {
                    for last in &mut last {
                        *last = last.next_key(rcon);
                    }
                    for (i, last) in last.iter().enumerate().take(used) {
                        let (four, lane) = place(i);
                        last.store(&mut fours[four][r + 1][lane..][..V::COUNT]);
                    }
                }
            }
        }
    }
}

/// Encrypts what the first round keys were added to.
#[inline(always)]
unsafe fn encrypt<V: Lanes, const N: usize>(keys: &[V; 11], mut blocks: [V; N]) -> [V; N] {
    // SAFETY: the caller found the features.
    unsafe {
        for key in &keys[1..10] {
            for block in &mut blocks {
                *block = block.round(*key);
            }
        }
        for block in &mut blocks {
            *block = block.last_round(keys[10]);
        }
    }
    blocks
}

/// What is hashed of labels.
#[inline(always)]
unsafe fn fed<V: Lanes>(feed: Feed, keys: &[V; 11], [a, b]: [V; 2]) -> V {
    // SAFETY: the caller found the features.
    unsafe {
        let x = a.xor(b.double()).double();
        match feed {
            Feed::Once => x,
            Feed::Twice => encrypt(keys, [x.xor(keys[0])])[0],
        }
    }
}

/// See [`Schedules::hash`](crate::prg::Schedules::hash); there are not too many columns.
#[inline]
pub(in crate::prg) fn hash_columns(
    kernel: Kernel,
    feed: Feed,
    key: Key<'_>,
    pairs: [&[u128; PAIRS]; 2],
    out: &mut [u128],
) {
    run(kernel, Hash { feed, key, pairs, out });
}

struct Hash<'l> {
    feed: Feed,
    key: Key<'l>,
    pairs: [&'l [u128; PAIRS]; 2],
    out: &'l mut [u128],
}

impl Task for Hash<'_> {
    type Out = ();

    #[inline(always)]
    unsafe fn run<V: Lanes>(self) {
        let Hash { feed, key: (four, lane), pairs: [first, second], out } = self;
        let columns = out.len() / PAIRS;
        // SAFETY: the caller found the features. Columns of all pairs are in their list.
        unsafe {
            let mut keys = [V::splat(0); 11];
            for (key, four) in keys.iter_mut().zip(four) {
                *key = V::splat(four[lane]);
            }
            let mut inputs = [V::splat(0); PAIRS];
            for (input, at) in inputs.iter_mut().zip((0..PAIRS).step_by(V::COUNT)) {
                let labels =
                    [V::load(&first[at..][..V::COUNT]), V::load(&second[at..][..V::COUNT])];
                *input = fed(feed, &keys, labels);
            }
            let mut column = 0;
            while column < columns {
                let to = (column, &mut *out);
                column += match columns - column {
                    1 => hash::<V, 1>(feed, &keys, &inputs, to),
                    2 => hash::<V, 2>(feed, &keys, &inputs, to),
                    3 => hash::<V, 3>(feed, &keys, &inputs, to),
                    _ => hash::<V, 4>(feed, &keys, &inputs, to),
                };
            }
        }
    }
}

/// Hashes all pairs in some columns, which there are; says how many.
#[inline(always)]
unsafe fn hash<V: Lanes, const C: usize>(
    feed: Feed,
    keys: &[V; 11],
    inputs: &[V; PAIRS],
    (column, out): (usize, &mut [u128]),
) -> usize {
    let (columns, vectors) = (out.len() / PAIRS, PAIRS / V::COUNT);
    // SAFETY: the caller found the features. Columns of all pairs are in their list.
    unsafe {
        let mut blocks = [[V::splat(0); PAIRS]; C];
        for (blocks, j) in blocks.iter_mut().zip(column as u64..) {
            let number = V::splat((feed.first() as u64 + j).into()).xor(keys[0]);
            for (block, input) in blocks[..vectors].iter_mut().zip(inputs) {
                *block = input.xor(number);
            }
        }
        for key in &keys[1..10] {
            for blocks in &mut blocks {
                for block in &mut blocks[..vectors] {
                    *block = block.round(*key);
                }
            }
        }
        for (blocks, j) in blocks.into_iter().zip(column..) {
            for (i, (block, input)) in blocks[..vectors].iter().zip(inputs).enumerate() {
                let mut to = [0; LANES];
                for (lane, to) in to.iter_mut().enumerate().take(V::COUNT) {
                    *to = (i * V::COUNT + lane) * columns + j;
                }
                block.last_round(keys[10]).xor(*input).scatter(out.as_mut_ptr(), &to);
            }
        }
    }
    C
}

/// See [`Schedules::add_sums`](crate::prg::Schedules::add_sums); there are keys enough, and not too many columns.
pub(in crate::prg) fn add_sums(
    kernel: Kernel,
    feed: Feed,
    keys: &[Four],
    (columns, places): (usize, &[Place]),
    rows: &[u128],
    labels: &mut [u128],
) -> bool {
    run(kernel, Sums { feed, keys, columns, places, rows, labels })
}

struct Sums<'l> {
    feed: Feed,
    keys: &'l [Four],
    columns: usize,
    places: &'l [Place],
    rows: &'l [u128],
    labels: &'l mut [u128],
}

impl Task for Sums<'_> {
    type Out = bool;

    #[inline(always)]
    unsafe fn run<V: Lanes>(self) -> bool {
        let Sums { feed, keys, columns, places, rows, labels } = self;
        // SAFETY: the caller found the features. Places are in their lists.
        unsafe {
            let mut round_keys = [V::splat(0); 11];
            let mut inputs = [V::splat(0); MAX_COLUMNS];
            let (inputs, mut agree) = (&mut inputs[..columns], true);
            for (at, places) in (0..).step_by(V::COUNT).zip(places.chunks(V::COUNT)) {
                for (key, four) in round_keys.iter_mut().zip(&keys[at / SIDE_BY_SIDE]) {
                    *key = V::load(&four[at % SIDE_BY_SIDE..][..V::COUNT]);
                }
                let ahead = rows.as_ptr().wrapping_add(ROWS * columns * at + AHEAD);
                let gates = Gates::new(places, (at, columns), [rows.len(), labels.len()]);
                let (rows, labels) = (rows.as_ptr(), labels.as_mut_ptr());
                let differ = gates.sum(feed, &round_keys, inputs, [rows, ahead], labels).lowest();
                agree &= differ & ((1 << places.len()) - 1) == 0;
            }
            agree
        }
    }
}

/// Places of gates, each of them a lane: they are in their lists. The last gate is in all lanes that are left, under
/// keys that do not matter: what its own lane has stays.
struct Gates {
    labels: [[usize; LANES]; 2],
    row: [usize; LANES],
    to: [usize; LANES],
}

/// The places of a column.
#[inline(always)]
fn column(mut places: [usize; LANES], j: usize) -> [usize; LANES] {
    for place in &mut places {
        *place += j;
    }
    places
}

impl Gates {
    #[inline(always)]
    fn new(places: &[Place], (first, columns): (usize, usize), lengths: [usize; 2]) -> Self {
        let [rows, labels] = lengths.map(|blocks| blocks.checked_sub(columns));
        let fits = |at: usize, last: Option<usize>| last.is_some_and(|last| at <= last);
        let last = places.len() - 1;
        let mut gates = Gates { labels: [[0; LANES]; 2], row: [0; LANES], to: [0; LANES] };
        for lane in 0..LANES {
            let gate = lane.min(last);
            let Place { labels: [a, b], row, to } = places[gate];
            let row = (ROWS * (first + gate) + row) * columns;
            assert!(fits(a.max(b).max(to), labels) && fits(row, rows), "a place out of range");
            gates.labels[0][lane] = a;
            gates.labels[1][lane] = b;
            gates.row[lane] = row;
            gates.to[lane] = to;
        }
        gates
    }

    /// Gives the bits in which results differ between columns.
    ///
    /// # Safety
    /// The CPU has the features of the vectors; places are in their lists, with as many columns as there are inputs.
    #[inline(always)]
    unsafe fn sum<V: Lanes>(
        &self,
        feed: Feed,
        keys: &[V; 11],
        inputs: &mut [V],
        rows: [*const u128; 2],
        labels: *mut u128,
    ) -> V {
        // SAFETY: of the caller.
        unsafe {
            let mut all = V::splat(0);
            for (i, input) in inputs.iter_mut().enumerate() {
                let [a, b] = self.labels;
                let pair = [column(a, i), column(b, i)];
                let pair = [V::gather(labels, &pair[0]), V::gather(labels, &pair[1])];
                let x = fed(feed, keys, pair);
                all = all.xor(x);
                *input = x.xor(keys[0]);
            }
            let (n, first) = (inputs.len(), feed.first() as u64);
            let zero = V::splat(0);
            let mut columns = Columns { keys, inputs, all, first, results: [zero; 2] };
            let mut j = 0;
            if n == 3 {
                self.columns::<V, 3>(&mut columns, j, rows, labels);
                return columns.results[1];
            }
            while j + 2 <= n {
                self.columns::<V, 2>(&mut columns, j, rows, labels);
                j += 2;
            }
            if j < n {
                self.columns::<V, 1>(&mut columns, j, rows, labels);
            }
            columns.results[1]
        }
    }

    #[inline(always)]
    unsafe fn columns<V: Lanes, const C: usize>(
        &self,
        columns: &mut Columns<'_, V>,
        first: usize,
        [rows, ahead]: [*const u128; 2],
        labels: *mut u128,
    ) {
        // SAFETY: of the caller.
        unsafe {
            // As many lines as gates have in these columns: more at a time would not fit the buffers of misses.
            for line in V::COUNT * first..V::COUNT * (first + C) {
                _mm_prefetch::<_MM_HINT_T0>(ahead.wrapping_add(LINE * line).cast());
            }
            let mut sums = [V::splat(0); C];
            for (sum, j) in sums.iter_mut().zip(first..) {
                *sum = V::gather(rows, &column(self.row, j));
            }
            columns.add(&mut sums);
            if first == 0 {
                columns.results[0] = sums[0];
            }
            for (sum, j) in sums.into_iter().zip(first..) {
                let [head, differ] = columns.results;
                columns.results[1] = differ.or(sum.xor(head));
                sum.scatter(labels, &column(self.to, j));
            }
        }
    }
}

/// Inputs of some gates, with the first round keys added, and their sum; and the column that comes next.
struct Columns<'l, V> {
    keys: &'l [V; 11],
    inputs: &'l [V],
    all: V,
    first: u64,
    /// The first result, and all bits in which others differ from it.
    results: [V; 2],
}

impl<V: Lanes> Columns<'_, V> {
    /// Adds the next columns to their rows.
    #[inline(always)]
    unsafe fn add<const C: usize>(&mut self, sums: &mut [V; C]) {
        let (keys, mut numbers) = (self.keys, [self.all; C]);
        // SAFETY: the caller found the features.
        unsafe {
            for (sum, number) in sums.iter_mut().zip(&mut numbers) {
                *sum = sum.xor(self.all);
                *number = V::splat(self.first.into());
                self.first += 1;
            }
            let (chains, others) = self.inputs.as_chunks::<CHAINS>();
            for inputs in chains {
                add(keys, *inputs, numbers, sums);
            }
            match *others {
                [a, b, c] => add(keys, [a, b, c], numbers, sums),
                [a, b] => add(keys, [a, b], numbers, sums),
                [a] => add(keys, [a], numbers, sums),
                _ => (),
            }
        }
    }
}

/// Adds the hashes of some inputs in some columns.
#[inline(always)]
unsafe fn add<V: Lanes, const N: usize, const C: usize>(
    keys: &[V; 11],
    inputs: [V; N],
    numbers: [V; C],
    sums: &mut [V; C],
) {
    // SAFETY: the caller found the features.
    unsafe {
        let mut blocks = [inputs; C];
        for (blocks, number) in blocks.iter_mut().zip(numbers) {
            for block in blocks {
                *block = block.xor(number);
            }
        }
        for key in &keys[1..10] {
            for block in blocks.as_flattened_mut() {
                *block = block.round(*key);
            }
        }
        for (sum, blocks) in sums.iter_mut().zip(blocks) {
            for block in blocks {
                *sum = sum.xor(block.last_round(keys[10]));
            }
        }
    }
}
