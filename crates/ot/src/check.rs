//! The check of correlated OT against parties that deviate: that a receiver used the same choices in all
//! columns of its message, and towards all senders.
//!
//! Columns are hashed one by one, in blocks of 128 transfers, with coefficients drawn after the message
//! was sent; the last block, of random choices, has the coefficient 1 and hides the others. For a list
//! `u` of choices, or a column, `h(u) = sum c_b u_b` in GF(2^128):
//!
//! ```text
//! receiver    shows h(x), the same to all, and a digest of h(t_0) .. h(t_127)
//! sender      compares with the digest of h(q_c) ^ Delta_c h(x)
//! ```
//!
//! A receiver that deviates is caught, or guesses bits of Delta: each guess is right half of the time. One
//! that is caught must not try again against the same Delta. Where blocks have several columns, other choices in a
//! block pass for one value of all its bits of Delta; and seeds must come with
//! [`Evidence`](crate::seeds::Evidence): else columns may differ by bits of Delta, and this checks nothing.
//!
//! Source: L. Roy, "SoftSpokenOT" (CRYPTO 2022), for hashing columns by a universal hash. The check of M.
//! Keller, E. Orsini, P. Scholl (CRYPTO 2015), by rows, has no proof.

use crate::KAPPA;
use tacit_ring::columns;
use tacit_ring::gf128::{Sums, inner_product};
use tacit_ring::secret::mask;
use tacit_ring::{Key, Prg, hash};

/// The number of transfers in a block.
pub const BLOCK: usize = 128;
/// The number of blocks that the kernel transposes at a time.
const PAIR: usize = columns::WORDS / 2;

/// The coefficients of blocks, except for the last block, which has 1.
pub struct Coefficients(Vec<u128>);

impl Coefficients {
    /// Derives coefficients for lists of up to `blocks` blocks, from a coin that was tossed after all messages were
    /// sent.
    #[must_use]
    pub fn new(coin: &[u8; 32], blocks: usize) -> Self {
        let key = hash::derive_key("tacit 2026 OT check", &[coin]);
        let prg = Prg::new(&Key::from_bytes(*key.first_chunk().expect("sixteen of thirty-two")));
        let mut all = vec![0u128; blocks.saturating_sub(1)];
        prg.fill(0, 0, bytemuck::cast_slice_mut(&mut all));
        Coefficients(all)
    }

    fn of(&self, block: usize, blocks: usize) -> u128 {
        if block + 1 == blocks { 1 } else { self.0[block] }
    }

    /// Computes `h` of choices, 64 to a word, of whole blocks.
    ///
    /// # Panics
    /// When there are parts of blocks, or more than there are coefficients for.
    #[must_use]
    pub fn of_choices(&self, choices: &[u64]) -> u128 {
        let (pairs, rest) = choices.as_chunks::<2>();
        assert!(rest.is_empty(), "whole blocks of choices");
        let Some((last, pairs)) = pairs.split_last() else { return 0 };
        let block = |[low, high]: &[u64; 2]| u128::from(*high) << 64 | u128::from(*low);
        let blocks: Vec<u128> = pairs.iter().map(block).collect();
        inner_product(&self.0[..blocks.len()], &blocks) ^ block(last)
    }

    /// Computes `h` of each column of these rows, of whole blocks.
    ///
    /// # Panics
    /// When there are parts of blocks, or more than there are coefficients for.
    #[must_use]
    pub fn of_columns(&self, rows: &[u128]) -> Vec<u128> {
        let (all, rest) = rows.as_chunks::<BLOCK>();
        assert!(rest.is_empty(), "whole blocks of rows");
        let mut sums = Sums::new(KAPPA);
        let mut words = vec![0u64; KAPPA * columns::WORDS];
        let mut turned = vec![0u128; PAIR * BLOCK];
        for (pair, blocks) in all.chunks(PAIR).enumerate() {
            for (i, block) in blocks.iter().enumerate() {
                for (words, row) in words.chunks_exact_mut(columns::WORDS).zip(block) {
                    [words[2 * i], words[2 * i + 1]] = [*row as u64, (row >> 64) as u64];
                }
            }
            columns::to_rows(&words, &mut turned);
            let by = &mut [0; PAIR][..blocks.len()];
            for (i, by) in by.iter_mut().enumerate() {
                *by = self.of(PAIR * pair + i, all.len());
            }
            sums.add(by, &turned[..BLOCK * blocks.len()]);
        }
        zeroize::Zeroize::zeroize(&mut words);
        zeroize::Zeroize::zeroize(&mut turned);
        sums.reduce()
    }
}

/// Computes what an honest receiver's hashes of columns are, from the sender's, if its choices hash to `shown`.
#[must_use]
pub fn expected(of_columns: &[u128], delta: u128, shown: u128) -> Vec<u128> {
    let column = |(c, hash): (usize, &u128)| hash ^ mask((delta >> c) as u8) & shown;
    of_columns.iter().enumerate().map(column).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cot::{FieldBits, TILE};
    use crate::seeds;
    use std::sync::Arc;
    use tacit_ring::entropy::{Rng, test_seed};
    use tacit_ring::prg::Permutation;

    const DELTA: u128 = 0xfedc_ba98_7654_3210_8796_a5b4_c3d2_e1f1;

    /// Blocks of both sides, where the receiver's message was changed.
    fn correlated(fan: FieldBits, words: &[u64], change: impl Fn(&mut [u64])) -> [Vec<u128>; 2] {
        let (mut all, mut some) = seeds::pair(fan, DELTA, test_seed());
        let pi = Arc::new(Permutation::new([9; 16]));
        let (mut receiver, mut sender) = (all.receiver(&pi), some.sender(&pi));
        let mut blocks = [vec![], vec![]];
        for words in words.chunks(TILE) {
            let mut message = vec![0; receiver.message_words(words.len())];
            blocks[0].extend_from_slice(receiver.correlate(words, &mut message).unwrap());
            change(&mut message);
            blocks[1].extend_from_slice(sender.correlate(words.len(), &message).unwrap());
        }
        blocks
    }

    /// Whether what a receiver shows passes: a hash of choices, and of columns.
    fn passes(
        q: &[u128],
        choices: &[u64],
        shown: impl Fn(&Coefficients) -> (u128, Vec<u128>),
    ) -> bool {
        let check = Coefficients::new(&[7; 32], choices.len() / 2);
        let (of_choices, of_columns) = shown(&check);
        expected(&check.of_columns(q), DELTA, of_choices) == of_columns
    }

    fn passes_honestly(choices: &[u64], [t, q]: &[Vec<u128>; 2]) -> bool {
        passes(q, choices, |check| (check.of_choices(choices), check.of_columns(t)))
    }

    #[test]
    fn honest_receivers_pass() {
        for (fan, words) in
            FieldBits::ALL.into_iter().cycle().zip([2, 4, 6, 8, TILE, TILE + 2, 2 * TILE])
        {
            let choices = Rng(test_seed()).words(words);
            let both = correlated(fan, &choices, |_| {});
            assert!(passes_honestly(&choices, &both), "{fan:?}, {words} words");
        }
    }

    /// The bits of Delta in a block of columns.
    fn bits(fan: FieldBits, block: usize) -> u128 {
        DELTA >> (block * fan.bits()) & ((1 << fan.bits()) - 1)
    }

    #[test]
    fn other_choices_in_a_block_where_delta_is_not_zero_are_caught() {
        let choices = Rng(test_seed()).words(6);
        let cases = [
            (FieldBits::One, 0, true),
            (FieldBits::One, 1, false),
            (FieldBits::One, 4, true),
            (FieldBits::One, 127, true),
            (FieldBits::Two, 0, true),
            (FieldBits::Two, 1, false),
            (FieldBits::Two, 63, true),
            (FieldBits::Four, 0, true),
            (FieldBits::Four, 16, false),
            (FieldBits::Eight, 15, true),
        ];
        for ((fan, block, caught), bit) in cases.into_iter().zip([0, 200, 383].into_iter().cycle())
        {
            assert_eq!(bits(fan, block) != 0, caught, "{fan:?}, block {block}");
            let changed = correlated(fan, &choices, |message| {
                message[6 * block + bit / 64] ^= 1 << (bit % 64);
            });
            let passes = passes_honestly(&choices, &changed);
            assert_eq!(!passes, caught, "{fan:?}, block {block}, bit {bit}");
        }
    }

    /// Other choices in a block pass with hashes that fit a guess of Delta there, if all of it is right.
    #[test]
    fn who_guesses_a_block_of_delta_passes_once() {
        let choices = Rng(test_seed()).words(6);
        for (fan, block) in
            [(FieldBits::One, 1), (FieldBits::Two, 5), (FieldBits::Four, 16), (FieldBits::Eight, 3)]
        {
            let [t, q] = correlated(fan, &choices, |message| message[6 * block + 1] ^= 2);
            let mut others = choices.clone();
            others[1] ^= 2;
            let shown = |guess: u128| {
                let (choices, others) = (&choices, &others);
                let t = &t;
                move |check: &Coefficients| {
                    let change = check.of_choices(choices) ^ check.of_choices(others);
                    let mut columns = check.of_columns(t);
                    for (bit, column) in
                        columns[block * fan.bits()..][..fan.bits()].iter_mut().enumerate()
                    {
                        *column ^= (guess >> bit & 1) * change;
                    }
                    (check.of_choices(choices), columns)
                }
            };
            let right = (0..1 << fan.bits()).filter(|guess| passes(&q, &choices, shown(*guess)));
            assert_eq!(right.collect::<Vec<_>>(), [bits(fan, block)], "{fan:?}");
        }
    }

    #[test]
    fn columns_are_hashed_as_choices_are() {
        let choices = Rng(test_seed()).words(10);
        let check = Coefficients::new(&[1; 32], 5);
        // Every column is the list of choices.
        let bit = |i: usize| (choices[i / 64] >> (i % 64) & 1) as u128;
        let rows: Vec<u128> = (0..640).map(|i| bit(i).wrapping_neg()).collect();
        assert_eq!(check.of_columns(&rows), vec![check.of_choices(&choices); KAPPA]);
    }
}
