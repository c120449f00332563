//! Hashes of pairs of blocks under many keys, each of which is used for a gate and thrown away: for pairs `A_i`, `B_i`
//! and columns `j`,
//!
//! ```text
//! x_i = 2 A_i + 4 B_i in GF(2^128)      f_ij = AES_k(x_i + j) + x_i      s_j = sum_i f_ij
//! ```

#[cfg(target_arch = "x86_64")]
use super::x86;
use super::{BLOCK, Backend, portable};
use crate::gf128::times_x;
use crate::secret::Key;
use zeroize::Zeroizing;

/// A gate has at most so many columns, and so many pairs where they are summed.
pub const MAX_COLUMNS: usize = 64;

/// So many pairs are hashed together.
pub const PAIRS: usize = 4;

/// A gate has so many rows, to one of which the sums are added.
pub const ROWS: usize = 4;

/// The round keys of so many keys are interleaved.
pub(super) const SIDE_BY_SIDE: usize = 4;

/// The round keys of four keys, round after round.
pub(super) type Four = [[u128; SIDE_BY_SIDE]; 11];

/// Combines two labels to the block `x = 2 A + 4 B` that is hashed.
#[inline(always)]
#[must_use]
pub fn combine([a, b]: [u128; 2]) -> u128 {
    times_x(a ^ times_x(b))
}

/// How the combined block is hashed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Feed {
    /// `AES_k(x + j) + x`.
    Once,
    /// `AES_k(y + j + 1) + y` for `y = AES_k(x)`.
    Twice,
}

impl Feed {
    /// What is added to the input in the first column.
    pub(super) fn first(self) -> u128 {
        u128::from(self == Feed::Twice)
    }
}

/// Key schedules of public keys, which are looked up by index.
pub struct Schedules {
    fours: Vec<Four>,
    len: usize,
    #[cfg(target_arch = "x86_64")]
    kernel: Option<x86::Kernel>,
}

impl Default for Schedules {
    fn default() -> Self {
        Schedules::with_backend(Backend::best())
    }
}

/// Where the blocks of a gate are. Those of its columns follow each other.
#[derive(Clone, Copy, Debug)]
pub struct Place {
    /// The places of both input labels in the list.
    pub labels: [usize; 2],
    /// The place of the results in the list.
    pub to: usize,
    /// The row of the gate that the sums are added to.
    pub row: usize,
}

impl Schedules {
    fn with_backend(backend: Backend) -> Self {
        let _ = backend;
        Schedules {
            fours: Vec::new(),
            len: 0,
            #[cfg(target_arch = "x86_64")]
            kernel: x86::Kernel::detect(backend),
        }
    }

    /// Expands `keys`, which replace those before.
    pub fn expand(&mut self, keys: &[u128]) {
        self.len = keys.len();
        self.fours.resize(keys.len().div_ceil(SIDE_BY_SIDE), [[0; SIDE_BY_SIDE]; 11]);
        for (four, keys) in self.fours.iter_mut().zip(keys.chunks(SIDE_BY_SIDE)) {
            four[0][..keys.len()].copy_from_slice(keys);
        }
        #[cfg(target_arch = "x86_64")]
        if let Some(kernel) = self.kernel {
            x86::expand_fours(kernel, &mut self.fours);
        }
    }

    fn cipher(&self, key: usize) -> portable::Cipher {
        let key = self.fours[key / SIDE_BY_SIDE][0][key % SIDE_BY_SIDE];
        portable::Cipher::new(&Key::from_bytes(key.to_le_bytes()))
    }

    /// Computes all `f_ij` of four pairs under one key, pair after pair. Pairs are secret.
    ///
    /// # Panics
    /// When there is no such key, or not a block for each pair and column.
    #[inline]
    pub fn hash(&self, feed: Feed, key: usize, pairs: [&[u128; PAIRS]; 2], out: &mut [u128]) {
        assert!(key < self.len, "a key");
        assert!(out.len().is_multiple_of(PAIRS), "as many columns for all pairs");
        let columns = out.len() / PAIRS;
        assert!(columns <= MAX_COLUMNS, "at most 64 columns");
        #[cfg(target_arch = "x86_64")]
        if let Some(kernel) = self.kernel {
            let four = &self.fours[key / SIDE_BY_SIDE];
            return x86::hash_columns(kernel, feed, (four, key % SIDE_BY_SIDE), pairs, out);
        }
        let cipher = self.cipher(key);
        let lists = out.chunks_exact_mut(columns.max(1)).zip(pairs[0]).zip(pairs[1]);
        lists.for_each(|((out, a), b)| hash_portable(feed, &cipher, [*a, *b], out));
    }

    /// Computes, for gates that each have one of the first keys, the sums `s_j` of as many pairs as there are columns,
    /// and adds them to one of the gate's rows. `rows` has four rows per gate, and may go on with those of later
    /// gates. Labels are read, and results written, in one list; no gate reads the results of another. The result says
    /// whether the lowest bits of each gate's results agree, for all gates.
    ///
    /// # Panics
    /// When places are not in their lists, or are more than keys.
    pub fn add_sums(
        &self,
        feed: Feed,
        columns: usize,
        places: &[Place],
        rows: &[u128],
        labels: &mut [u128],
    ) -> bool {
        assert!(places.len() <= self.len, "a key for each place");
        assert!(columns <= MAX_COLUMNS, "at most 64 columns");
        #[cfg(target_arch = "x86_64")]
        if let Some(kernel) = self.kernel {
            return x86::add_sums(kernel, feed, &self.fours, (columns, places), rows, labels);
        }
        let mut sums = Zeroizing::new(vec![0; columns]);
        let mut hashed = Zeroizing::new(vec![0; columns]);
        let mut agree = true;
        for (key, place) in places.iter().enumerate() {
            let cipher = self.cipher(key);
            sums.copy_from_slice(&rows[(ROWS * key + place.row) * columns..][..columns]);
            for i in 0..columns {
                let pair = place.labels.map(|at| labels[at + i]);
                hash_portable(feed, &cipher, pair, &mut hashed);
                sums.iter_mut().zip(&*hashed).for_each(|(sum, hash)| *sum ^= hash);
            }
            labels[place.to..][..columns].copy_from_slice(&sums);
            agree &= lowest_agree(&sums);
        }
        agree
    }
}

/// Says whether the lowest bits of all blocks are the same.
#[must_use]
pub fn lowest_agree(blocks: &[u128]) -> bool {
    let first = blocks.first().map_or(0, |block| *block as u64);
    blocks.iter().fold(0, |differ, block| differ | (*block as u64 ^ first)) & 1 == 0
}

fn hash_portable(feed: Feed, cipher: &portable::Cipher, pair: [u128; 2], out: &mut [u128]) {
    let mut x = combine(pair);
    if feed == Feed::Twice {
        let mut once: [[u8; BLOCK]; 1] = [x.to_le_bytes()];
        cipher.encrypt(&mut once);
        x = u128::from_le_bytes(once[0]);
    }
    (feed.first()..).zip(&mut *out).for_each(|(j, out)| *out = (x ^ j).to_le());
    cipher.encrypt(bytemuck::cast_slice_mut(out));
    out.iter_mut().for_each(|out| *out = u128::from_le(*out) ^ x);
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers without a pattern.
    fn blocks(count: usize, salt: u128) -> Vec<u128> {
        let odd = 0x9E37_79B9_7F4A_7C15_F39C_C060_5CED_C835;
        (1..=count as u128).map(|i| (i + (salt << 64)).wrapping_mul(odd)).collect()
    }

    /// By definition, one block at a time.
    fn hash(feed: Feed, key: u128, pair: [u128; 2], column: u128) -> u128 {
        let pi = crate::prg::Permutation::new(key.to_le_bytes());
        let apply = |block| {
            let mut one = [block];
            pi.apply(&mut one);
            one[0]
        };
        let x = combine(pair);
        match feed {
            Feed::Once => apply(x ^ column) ^ x,
            Feed::Twice => {
                let y = apply(x);
                apply(y ^ (column + 1)) ^ y
            }
        }
    }

    fn check_sums(backend: Backend, feed: Feed, gates: usize, n: usize) {
        let (keys, rows) = (blocks(gates, 1), blocks(4 * gates * n, 2));
        // Labels of one gate are those of another, too.
        let mut labels = blocks((2 * gates + 1) * n, 3);
        let before = labels.clone();
        let place = |i: usize| Place {
            labels: [i * n, (gates - 1 - i) * n],
            to: (gates + i) * n,
            row: i % ROWS,
        };
        let places: Vec<Place> = (0..gates).map(place).collect();
        let mut schedules = Schedules::with_backend(backend);
        schedules.expand(&keys);
        let agree = schedules.add_sums(feed, n, &places, &rows, &mut labels);
        assert_eq!(agree, places.iter().all(|place| lowest_agree(&labels[place.to..][..n])));
        let (given, end) = (gates * n, 2 * gates * n);
        assert!(labels[..given] == before[..given] && labels[end..] == before[end..]);
        for (gate, (key, place)) in keys.iter().zip(&places).enumerate() {
            for j in 0..n {
                let pair = |i| place.labels.map(|at| before[at + i]);
                let sum = (0..n).map(|i| hash(feed, *key, pair(i), j as u128));
                let row = rows[(ROWS * gate + place.row) * n + j];
                let want = sum.fold(row, |sum, term| sum ^ term);
                let what = format!("{backend:?} {feed:?} {gates} gates of {n}");
                assert_eq!(labels[place.to + j], want, "{what}: {place:?}, column {j}");
            }
        }
    }

    fn check_hash(backend: Backend, feed: Feed, n: usize) {
        let (keys, labels) = (blocks(6, 1), blocks(8, 2));
        let mut schedules = Schedules::with_backend(backend);
        schedules.expand(&keys);
        for (place, key) in keys.iter().enumerate() {
            let (pairs, _) = labels.as_chunks::<PAIRS>();
            let mut out = vec![7; PAIRS * n];
            schedules.hash(feed, place, [&pairs[0], &pairs[1]], &mut out);
            for i in 0..PAIRS {
                for j in 0..n {
                    let want = hash(feed, *key, [pairs[0][i], pairs[1][i]], j as u128);
                    assert_eq!(out[i * n + j], want, "{backend:?} {feed:?} {n}: pair {i}, {j}");
                }
            }
        }
    }

    #[test]
    fn all_backends_give_the_hashes_and_sums_of_every_shape() {
        for backend in Backend::available() {
            for feed in [Feed::Once, Feed::Twice] {
                (0..=20).for_each(|n| check_sums(backend, feed, 6, n));
                [33, 63, 64].into_iter().for_each(|n| check_sums(backend, feed, 2, n));
                (0..=35).for_each(|gates| check_sums(backend, feed, gates, 3));
                (0..=9).chain([33, 64]).for_each(|n| check_hash(backend, feed, n));
            }
        }
    }

    /// In every lane, alone and beside others.
    #[test]
    fn results_that_differ_in_their_lowest_bits_are_found() {
        for (backend, n) in Backend::available().into_iter().zip([2, 3, 7, 4].into_iter().cycle()) {
            for gates in 1..9 {
                let mut schedules = Schedules::with_backend(backend);
                schedules.expand(&blocks(gates, 1));
                let mut labels = blocks((gates + 2) * n, 3);
                let place = |i| Place { labels: [0, n], to: (i + 2) * n, row: 1 };
                let places: Vec<Place> = (0..gates).map(place).collect();
                let mut rows = vec![0; ROWS * gates * n];
                schedules.add_sums(Feed::Once, n, &places, &rows, &mut labels);
                // Rows that make the lowest bits of all results zero.
                for i in 0..gates * n {
                    rows[(ROWS * (i / n) + 1) * n + i % n] = labels[2 * n + i] & 1;
                }
                assert!(schedules.add_sums(Feed::Once, n, &places, &rows, &mut labels));
                for i in 0..gates * n {
                    let row = (ROWS * (i / n) + 1) * n + i % n;
                    rows[row] ^= 1;
                    assert!(!schedules.add_sums(Feed::Once, n, &places, &rows, &mut labels));
                    rows[row] ^= 3;
                    assert!(schedules.add_sums(Feed::Once, n, &places, &rows, &mut labels));
                }
            }
        }
    }

    /// What is left of keys that were there before does not matter.
    #[test]
    fn keys_are_set_anew() {
        let (mut schedules, mut fresh) = (Schedules::default(), Schedules::default());
        schedules.expand(&blocks(9, 1));
        let keys = blocks(6, 2);
        [&mut schedules, &mut fresh].into_iter().for_each(|it| it.expand(&keys));
        for key in 0..keys.len() {
            let [mut one, mut other] = [[0; 20]; 2];
            let pairs = [&[1, 2, 3, 4], &[5, 6, 7, 8]];
            schedules.hash(Feed::Once, key, pairs, &mut one);
            fresh.hash(Feed::Once, key, pairs, &mut other);
            assert_eq!(one, other);
        }
    }

    #[test]
    fn labels_are_combined_in_the_field() {
        assert_eq!(combine([1, 1 << 126]), 0x87 ^ 2);
    }

    #[test]
    #[should_panic(expected = "a key for each place")]
    fn places_without_keys_are_refused() {
        let place = Place { labels: [0, 3], to: 6, row: 0 };
        Schedules::default().add_sums(Feed::Once, 3, &[place], &[0; 3], &mut [0; 9]);
    }

    #[test]
    #[should_panic(expected = "out of range")]
    fn places_outside_their_lists_are_refused() {
        let mut schedules = Schedules::default();
        schedules.expand(&[1]);
        let place = Place { labels: [0, 3], to: 7, row: 0 };
        schedules.add_sums(Feed::Once, 3, &[place], &[0; 3], &mut [0; 9]);
    }
}
