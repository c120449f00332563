//! The public code: every row is the sum of twelve secrets.

use super::{BLOCK, NAMES, Set};
use tacit_ring::{Key, Prg};

/// Secrets that a random word names.
const PER_WORD: usize = 3;
/// Random words that name the secrets of a row.
const WORDS: usize = NAMES / PER_WORD;
/// Bits of a word that name a secret: at least those of the largest set.
const NAME: usize = 21;
/// Rows whose names are drawn together.
const TILE: usize = 64;

/// The code of a session for a set.
pub(super) struct Code {
    prg: Prg,
    set: Set,
}

impl Code {
    pub fn new(key: [u8; BLOCK], set: Set) -> Self {
        Code { prg: Prg::new(&Key::from_bytes(key)), set }
    }

    /// The parameters of its rounds.
    pub fn set(&self) -> Set {
        self.set
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
            for (row, words) in rows.iter_mut().zip(names) {
                let mut sum = *row;
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

    const SET: Set = Set::L19;
    const ROWS: usize = 1 << 10;

    fn rows(round: u64, tree: usize, secrets: &[u128]) -> Vec<u128> {
        let mut rows = vec![0; ROWS];
        Code::new([3; 16], SET).add((round, tree), secrets, &mut rows);
        rows
    }

    #[test]
    fn a_row_is_the_sum_of_twelve_secrets_all_over_the_place() {
        let count = SET.secrets();
        let bits: Vec<u128> = (0..count as u128).map(|i| i | 1 << 100).collect();
        let ones = rows(0, 0, &vec![1; count]);
        assert!(ones.iter().all(|sum| *sum == 0), "an even number of secrets");
        for bit in 0..17 {
            let set = rows(0, 0, &bits).iter().filter(|sum| *sum >> bit & 1 == 1).count();
            // Five standard deviations of fair coins.
            assert!(set.abs_diff(ROWS / 2) < 80, "bit {bit}: {set}");
        }
        // Of a sixteenth of the secrets a row names an odd number as often as of twelve independent ones.
        let mut one = vec![0; count];
        one[..count / 16].fill(1);
        let odd = rows(0, 0, &one).iter().filter(|sum| **sum == 1).count() as f64;
        let expected = 0.5 * (1.0 - 0.875f64.powi(12)) * ROWS as f64;
        assert!((odd - expected).abs() < 80.0, "{odd}, expected {expected}");
    }

    /// Every set: so many names in each row, of secrets that are uniform.
    #[test]
    fn names_are_uniform_and_as_many_as_the_estimator_counts() {
        for set in Set::ALL {
            // A secret that is named counts one in a lane of its own sixteenth: sums mod two tell odd ones.
            let (count, code) = (set.secrets(), Code::new([5; 16], set));
            let lane = |i: usize| 1u128 << (8 * (i * 16 / count));
            let secrets: Vec<u128> = (0..count).map(lane).collect();
            let (mut odd, mut all) = ([0usize; 16], 0);
            for tree in 0..16 {
                let mut rows = vec![0; set.leaves()];
                code.add((7, tree), &secrets, &mut rows);
                all += rows.len();
                for (i, odd) in odd.iter_mut().enumerate() {
                    *odd += rows.iter().filter(|row| **row >> (8 * i) & 1 == 1).count();
                }
            }
            // Of twelve names an odd number is in a given sixteenth.
            let chance = 0.5 * (1.0 - 0.875f64.powi(NAMES as i32));
            let deviation = (all as f64 * chance * (1.0 - chance)).sqrt();
            for odd in odd {
                let off = odd as f64 - all as f64 * chance;
                assert!(off.abs() < 5.0 * deviation, "{set:?}: {odd} of {all}");
            }
        }
    }

    #[test]
    fn rounds_and_trees_have_rows_of_their_own() {
        let secrets: Vec<u128> = (0..SET.secrets() as u128).map(|i| i * i).collect();
        let first = rows(0, 0, &secrets);
        assert!(first != rows(1, 0, &secrets) && first != rows(0, 1, &secrets));
        assert_eq!(first, rows(0, 0, &secrets));
        // Adding twice is adding nothing.
        let mut twice = first;
        Code::new([3; 16], SET).add((0, 0), &secrets, &mut twice);
        assert!(twice.iter().all(|row| *row == 0));
    }
}
