//! Sums of blocks under many keys: with `p` pairs of labels `A_i`, `B_i` and `n` columns to each key,
//!
//! ```text
//! x_i = 2 A_i + 4 B_i in GF(2^128)      s_j = sum_i AES_k(x_i + j) + x_i
//! ```
//!
//! A gate's key may be thrown away after `p n` blocks: its schedule is computed beside those of others, and only sums
//! are written.

#[cfg(target_arch = "x86_64")]
use super::x86;
use super::{BLOCK, Backend, portable};
use crate::gf128::times_x;
use crate::secret::Key;
use zeroize::Zeroizing;

/// Keys whose lists are interleaved: four blocks after each other are of four keys.
pub const SIDE_BY_SIDE: usize = 4;

/// What two labels are combined to.
#[inline(always)]
#[must_use]
pub fn combine([a, b]: [u128; 2]) -> u128 {
    times_x(a ^ times_x(b))
}

/// What is summed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Feed {
    /// `AES_k(x + j) + x`.
    Once,
    /// `AES_k(y + j + 1) + y` for `y = AES_k(x)`.
    Twice,
}

/// Adds to `sums`. Keys come four at a time: for every four there are as many blocks of first and of second labels,
/// those of all four keys' first pairs and so on, and as many of `sums`, column by column. What the last keys lack of four is not
/// looked at. Columns count as integers from zero, and as blocks of few bits.
///
/// # Panics
/// When lists do not fit the number of keys.
pub fn add_sums(feed: Feed, keys: &[u128], labels: [&[u128]; 2], sums: &mut [u128]) {
    add_with(Backend::best(), feed, keys, labels, sums);
}

fn add_with(backend: Backend, feed: Feed, keys: &[u128], labels: [&[u128]; 2], sums: &mut [u128]) {
    let fours = keys.len().div_ceil(SIDE_BY_SIDE);
    if fours == 0 {
        return;
    }
    let [labels_of, others_of, sums_of] =
        [labels[0].len(), labels[1].len(), sums.len()].map(|blocks| {
            assert!(blocks.is_multiple_of(fours * SIDE_BY_SIDE), "as many blocks for all keys");
            blocks / fours
        });
    assert_eq!(labels_of, others_of, "labels come in pairs");
    if labels_of == 0 || sums_of == 0 {
        return;
    }
    #[cfg(target_arch = "x86_64")]
    if let Some(kernel) = x86::Kernel::detect(backend) {
        return x86::add_sums(kernel, feed, keys, (labels, labels_of), (sums, sums_of));
    }
    let _ = backend;
    for (i, key) in keys.iter().enumerate() {
        let (four, lane) = (i / SIDE_BY_SIDE, i % SIDE_BY_SIDE);
        let labels = labels.map(|list| &list[four * labels_of..][..labels_of]);
        add_portable(feed, *key, labels, &mut sums[four * sums_of..][..sums_of], lane);
    }
}

/// For one key, whose blocks are at one place of every four.
fn add_portable(feed: Feed, key: u128, labels: [&[u128]; 2], sums: &mut [u128], lane: usize) {
    let cipher = portable::Cipher::new(&Key::from_bytes(key.to_le_bytes()));
    let columns = sums.len() / SIDE_BY_SIDE;
    let mut hashed = Zeroizing::new(vec![[0; BLOCK]; columns]);
    let [a, b] = labels.map(|list| list.iter().skip(lane).step_by(SIDE_BY_SIDE));
    for (a, b) in a.zip(b) {
        let (mut x, mut first) = (combine([*a, *b]), 0);
        if feed == Feed::Twice {
            let mut once = [x.to_le_bytes()];
            cipher.encrypt(&mut once);
            (x, first) = (u128::from_le_bytes(once[0]), 1);
        }
        for (block, j) in hashed.iter_mut().zip(first..) {
            *block = (x ^ j).to_le_bytes();
        }
        cipher.encrypt(&mut hashed);
        for (sum, block) in sums.iter_mut().skip(lane).step_by(SIDE_BY_SIDE).zip(&*hashed) {
            *sum ^= u128::from_le_bytes(*block) ^ x;
        }
    }
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
    fn sum(feed: Feed, key: u128, inputs: &[u128], column: u128) -> u128 {
        let pi = crate::prg::Permutation::new(key.to_le_bytes());
        let apply = |block| {
            let mut one = [block];
            pi.apply(&mut one);
            one[0]
        };
        let term = |x: &u128| match feed {
            Feed::Once => apply(x ^ column) ^ x,
            Feed::Twice => {
                let y = apply(*x);
                apply(y ^ (column + 1)) ^ y
            }
        };
        inputs.iter().map(term).fold(0, |sum, term| sum ^ term)
    }

    fn check(backend: Backend, feed: Feed, gates: usize, [pairs, columns]: [usize; 2]) {
        let fours = SIDE_BY_SIDE * gates.div_ceil(SIDE_BY_SIDE);
        let (keys, [a, b]) = (blocks(gates, 1), [4, 5].map(|salt| blocks(fours * pairs, salt)));
        let before = blocks(fours * columns, 3);
        let mut sums = before.clone();
        add_with(backend, feed, &keys, [&a, &b], &mut sums);
        for (gate, key) in keys.iter().enumerate() {
            let at = |of: usize, i| (gate / 4 * of + i) * 4 + gate % 4;
            let pair = |i| [&a, &b].map(|list| list[at(pairs, i)]);
            let mine: Vec<u128> = (0..pairs).map(|i| combine(pair(i))).collect();
            for j in 0..columns {
                let want = before[at(columns, j)] ^ sum(feed, *key, &mine, j as u128);
                let what = format!("{backend:?} {feed:?} {gates} gates, {pairs} x {columns}");
                assert_eq!(sums[at(columns, j)], want, "{what}: gate {gate}, column {j}");
            }
        }
    }

    #[test]
    fn all_backends_give_the_sums_of_every_shape() {
        for backend in Backend::available() {
            for feed in [Feed::Once, Feed::Twice] {
                (1..=40).for_each(|n| check(backend, feed, 6, [n, n]));
                (0..=35).for_each(|gates| check(backend, feed, gates, [3, 3]));
                let others = [[1, 5], [17, 2], [4, 1]];
                others.into_iter().for_each(|shape| check(backend, feed, 21, shape));
            }
        }
    }

    #[test]
    fn labels_are_combined_in_the_field() {
        assert_eq!(combine([1, 1 << 126]), 0x87 ^ 2);
    }

    #[test]
    #[should_panic(expected = "as many blocks for all keys")]
    fn lists_that_do_not_fit_are_refused() {
        add_sums(Feed::Once, &[1, 2, 3, 4, 5], [&[0; 8]; 2], &mut [0; 12]);
    }
}
