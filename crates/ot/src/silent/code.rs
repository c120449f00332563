//! The public code: every row is the sum of ten secrets.

use super::{BLOCK, Set};
use tacit_ring::{Key, Prg};

/// Random words that name the secrets of a row: three for each of the first three words, and one.
const WORDS: usize = 4;
const PER_WORD: usize = 3;
/// Bits of a word that name a secret: at least those of the largest set.
const NAME: usize = 21;
/// Rows whose names are drawn together.
const TILE: usize = 64;

/// The code of a session.
pub(super) struct Code {
    prg: Prg,
    set: Set,
}

impl Code {
    pub fn new(key: [u8; BLOCK], set: Set) -> Self {
        Code { prg: Prg::new(&Key::from_bytes(key)), set }
    }

    /// Adds to the rows of a tree of a round the secrets that they name.
    pub fn add(&self, (round, tree): (u64, usize), secrets: &[u128], rows: &mut [u128]) {
        let mask = self.set.secrets() - 1;
        assert_eq!(secrets.len(), mask + 1, "all secrets");
        let mut names = [[0u64; WORDS]; TILE];
        let blocks_per_row = (8 * WORDS / BLOCK) as u64;
        let mut at = (tree * self.set.leaves()) as u64 * blocks_per_row;
        for rows in rows.chunks_mut(TILE) {
            let names = &mut names[..rows.len()];
            self.prg.fill(round, at, bytemuck::cast_slice_mut(names));
            at += rows.len() as u64 * blocks_per_row;
            for (row, [words @ .., last]) in rows.iter_mut().zip(names) {
                let mut sum = *row ^ secrets[*last as usize & mask];
                for word in words {
                    for place in 0..PER_WORD {
                        sum ^= secrets[(*word >> (NAME * place)) as usize & mask];
                    }
                }
                *row = sum;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ROWS: usize = 1 << 10;

    fn rows(round: u64, tree: usize, secrets: &[u128]) -> Vec<u128> {
        let mut rows = vec![0; ROWS];
        Code::new([3; 16], Set::B10).add((round, tree), secrets, &mut rows);
        rows
    }

    #[test]
    fn a_row_is_the_sum_of_ten_secrets_all_over_the_place() {
        let count = Set::B10.secrets();
        let bits: Vec<u128> = (0..count as u128).map(|i| i | 1 << 100).collect();
        let ones = rows(0, 0, &vec![1; count]);
        assert!(ones.iter().all(|sum| *sum == 0), "an even number of secrets");
        for bit in 0..16 {
            let set = rows(0, 0, &bits).iter().filter(|sum| *sum >> bit & 1 == 1).count();
            // Five standard deviations of fair coins.
            assert!(set.abs_diff(ROWS / 2) < 80, "bit {bit}: {set}");
        }
        // Of a sixteenth of the secrets a row names an odd number as often as of ten independent ones.
        let mut one = vec![0; count];
        one[..count / 16].fill(1);
        let odd = rows(0, 0, &one).iter().filter(|sum| **sum == 1).count() as f64;
        let expected = 0.5 * (1.0 - 0.875f64.powi(10)) * ROWS as f64;
        assert!((odd - expected).abs() < 80.0, "{odd}, expected {expected}");
    }

    #[test]
    fn rounds_and_trees_have_rows_of_their_own() {
        let secrets: Vec<u128> = (0..Set::B10.secrets() as u128).map(|i| i * i).collect();
        let first = rows(0, 0, &secrets);
        assert!(first != rows(1, 0, &secrets) && first != rows(0, 1, &secrets));
        assert_eq!(first, rows(0, 0, &secrets));
        // Adding twice is adding nothing.
        let mut twice = first;
        Code::new([3; 16], Set::B10).add((0, 0), &secrets, &mut twice);
        assert!(twice.iter().all(|row| *row == 0));
    }
}
