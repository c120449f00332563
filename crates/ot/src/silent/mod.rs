//! Silent correlated OT: correlated OTs by the million from a few messages of the sender, after a start
//! from ordinary ones under the same Delta.
//!
//! The receiver's choices are pseudorandom and come out of the protocol; they are the lowest bits of its
//! blocks. Therefore the lowest bit of Delta is set, and that of every block of the sender is clear.
//!
//! A round takes `k + t h` correlated OTs and makes `t` trees of `2^h` leaves each. A tree gives both
//! sides the same leaves but for one, at a place that only the receiver knows, where they differ by
//! Delta: `v = w ^ e Delta`, with one bit set in every `2^h` bits of `e`. A public sparse code then hides
//! the places:
//!
//! ```text
//! sender      z_i = w_i ^ sum of twelve q_a, a < k, that i names
//! receiver    y_i = v_i ^ the same sum of t_a = z_i ^ x_i Delta,   x_i = e_i ^ the same sum of choices
//! ```
//!
//! As many trees as the next round takes are kept back for it, where there is one. The first round takes its own from
//! one of a smaller set, which takes less to start with. All messages but the first go from the sender to the
//! receiver: `h` blocks of 16 bytes per tree. Trees are made one by one, when they are asked for: memory is that of
//! `k + t h` blocks at each side, twice that while a round begins. A [`Chain`] of rounds ends after so many, and the next
//! starts anew: who solves a round knows all later ones of its chain, and no others.
//!
//! Secure against parties that follow the protocol, if learning parity with regular noise over this
//! code is hard for the parameters of a [`Set`]. The estimator in `lpn`, which is among the tests, knows the attacks
//! that are published and those that use that rows are sparse; the cheapest takes 2^155 bit operations for
//! [`Set::L21`], and 2^146 or more for the others.
//!
//! Sources: K. Yang, C. Weng, X. Lan, J. Zhang, X. Wang, "Ferret" (CCS 2020), for the protocol; X. Guo,
//! K. Yang, X. Wang, W. Zhang, X. Xie, J. Zhang, Z. Liu, "Half-Tree" (Eurocrypt 2023), for correlated
//! trees.

mod bits;
mod code;
mod ends;
#[cfg(test)]
mod lpn;
mod schedule;
mod supply;
mod tree;

pub use ends::{Receiver, Sender};
pub use schedule::{Chain, Schedule};

use crate::KAPPA;
use code::Code;
use std::sync::Arc;
use tacit_ring::hash;
use tacit_ring::prg::Permutation;

/// Bytes of a block.
const BLOCK: usize = KAPPA / 8;

/// Secrets that every row names: independent and uniform, so that a few rows name one twice.
pub const NAMES: usize = 12;

/// Parameters of a round: larger ones make messages shorter, and take more to start with and more memory. The digits
/// say how many transfers a round makes, in powers of two. All have `k = 128 * 2^h`, which is what security comes
/// from. The file `sets.txt` says what the cheapest known attack on each takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Set {
    /// 1,100 trees of 256 leaves, 2^15 secrets: what others start from. 4.70 bits per transfer.
    S16,
    /// 650 trees of 1,024 leaves, 2^17 secrets: 1.58 bits per transfer.
    L19,
    /// 1,170 trees of 2,048 leaves, 2^18 secrets: 0.78 bits per transfer.
    L21,
    /// 2,190 trees of 4,096 leaves, 2^19 secrets: 0.40 bits per transfer.
    L23,
}

impl Set {
    /// All.
    pub const ALL: [Set; 4] = [Set::S16, Set::L19, Set::L21, Set::L23];

    /// Levels of a tree.
    #[must_use]
    pub const fn depth(self) -> usize {
        match self {
            Set::S16 => 8,
            Set::L19 => 10,
            Set::L21 => 11,
            Set::L23 => 12,
        }
    }

    /// Leaves of a tree.
    #[must_use]
    pub const fn leaves(self) -> usize {
        1 << self.depth()
    }

    /// Trees of a round: as many bits of noise.
    #[must_use]
    pub const fn trees(self) -> usize {
        match self {
            Set::S16 => 1100,
            Set::L19 => 650,
            Set::L21 => 1170,
            Set::L23 => 2190,
        }
    }

    /// Correlated OTs that the code takes sums of: a power of two.
    #[must_use]
    pub const fn secrets(self) -> usize {
        128 * self.leaves()
    }

    /// Correlated OTs that a round takes.
    #[must_use]
    pub const fn base(self) -> usize {
        self.secrets() + self.trees() * self.depth()
    }

    /// Trees of a round that are kept back where another one follows.
    #[must_use]
    pub const fn kept(self) -> usize {
        self.base().div_ceil(self.leaves())
    }

    /// Trees of a round that are handed out.
    #[must_use]
    pub const fn given(self) -> usize {
        self.trees() - self.kept()
    }

    /// The set that makes what the first round takes, in one round; ordinary transfers do for the smallest.
    #[must_use]
    pub const fn starts_from(self) -> Option<Set> {
        match self {
            Set::S16 => None,
            Set::L19 | Set::L21 => Some(Set::S16),
            Set::L23 => Some(Set::L19),
        }
    }

    /// Words of choices of ordinary transfers that all starts from.
    #[must_use]
    pub const fn start_words(self) -> usize {
        match self.starts_from() {
            Some(smaller) => smaller.start_words(),
            None => self.base().div_ceil(64),
        }
    }

    /// Blocks of messages about trees of smaller sets, that the first round takes.
    #[must_use]
    pub const fn start_blocks(self) -> usize {
        match self.starts_from() {
            Some(smaller) => {
                let trees = self.base().div_ceil(smaller.leaves());
                trees * smaller.depth() + smaller.start_blocks()
            }
            None => 0,
        }
    }

    /// This set, after those that it starts from.
    fn steps(self) -> Vec<Set> {
        let mut steps: Vec<Set> =
            std::iter::successors(Some(self), |set| set.starts_from()).collect();
        steps.reverse();
        steps
    }
}

/// What is public and the same for both sides: parameters, the permutation of trees, the code.
pub struct Setting {
    chain: Chain,
    pi: Permutation,
    /// Of the sets that a first round starts from, then of its own.
    codes: Vec<Code>,
}

impl Setting {
    /// For a session whose name was unpredictable before the run: hashes are keyed by it.
    #[must_use]
    pub fn new(chain: Chain, session: &[u8]) -> Arc<Self> {
        let key = |context, parts: &[&[u8]]| -> [u8; BLOCK] {
            let key = hash::derive_key(context, parts);
            *key.first_chunk().expect("sixteen of thirty-two bytes")
        };
        let code = |set: Set| {
            let name = [set.depth() as u8];
            Code::new(key("tacit 2026 silent OT code of a set", &[session, &name]), set)
        };
        let pi = Permutation::new(key("tacit 2026 silent OT trees", &[session]));
        let codes = chain.set.steps().into_iter().map(code).collect();
        Arc::new(Setting { chain, pi, codes })
    }

    /// The parameters, and how many rounds there are.
    #[must_use]
    pub fn chain(&self) -> Chain {
        self.chain
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn costs_of_sets_are_those_stated() {
        // Transfers of a round, ordinary ones to start from, and bits each.
        let of = |set: Set| {
            let transfers = set.given() * set.leaves();
            (transfers, set.base(), (KAPPA * set.trees() * set.depth()) as f64 / transfers as f64)
        };
        let stated = [
            (239_872, 41_568, 4.696),
            (527_360, 137_572, 1.578),
            (2_119_680, 275_014, 0.777),
            (8_417_280, 550_568, 0.400),
        ];
        for (set, (transfers, base, bits)) in Set::ALL.into_iter().zip(stated) {
            let found = of(set);
            assert_eq!((found.0, found.1), (transfers, base), "{set:?}");
            assert!((found.2 - bits).abs() < 0.0005, "{set:?}: {}", found.2);
        }
    }

    #[test]
    fn a_round_makes_what_the_next_set_starts_from() {
        for set in Set::ALL {
            if let Some(smaller) = set.starts_from() {
                assert!(set.base() <= smaller.trees() * smaller.leaves(), "{set:?}");
            }
            assert_eq!(set.steps().last(), Some(&set));
            assert_eq!(set.steps()[0], Set::S16);
        }
        let set = Set::L21;
        assert_eq!((4 * 64 * set.start_words(), 16 * set.start_blocks()), (166_400, 137_600));
    }
}
