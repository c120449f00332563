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
//! sender      z_i = w_i ^ sum of ten q_a, a < k, that i names
//! receiver    y_i = v_i ^ the same sum of t_a = z_i ^ x_i Delta,   x_i = e_i ^ the same sum of choices
//! ```
//!
//! As many trees as the next round takes are kept back for it, where there is one. All messages go from
//! the sender to the receiver: `h` blocks of 16 bytes per tree. Trees are made one by one, when they are
//! asked for: memory is that of `k + t h` blocks at each side, twice that while a round begins.
//!
//! Secure against parties that follow the protocol, if learning parity with regular noise over this
//! code is hard for the parameters of a [`Set`]. They are meant for 128 bits against published attacks:
//! to find `k` rows without noise takes about 2^92 tries, each with a system of `k` equations to solve.
//! No estimator has been run on them here.
//!
//! Sources: K. Yang, C. Weng, X. Lan, J. Zhang, X. Wang, "Ferret" (CCS 2020), for the protocol; X. Guo,
//! K. Yang, X. Wang, W. Zhang, X. Xie, J. Zhang, Z. Liu, "Half-Tree" (Eurocrypt 2023), for correlated
//! trees.

mod bits;
mod code;
mod ends;
mod schedule;
mod supply;
mod tree;

pub use ends::{Receiver, Sender};
pub use schedule::Schedule;

use crate::KAPPA;
use code::Code;
use std::sync::Arc;
use tacit_ring::hash;
use tacit_ring::prg::Permutation;

/// Bytes of a block.
const BLOCK: usize = KAPPA / 8;

/// Parameters of a round, named by the depth of trees: larger ones make messages shorter, and take more
/// to start with and more memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Set {
    /// 850 trees of 1,024 leaves, 2^16 secrets: 1.37 bits per transfer.
    B10,
    /// 1,170 trees of 2,048 leaves, 2^17 secrets: 0.73 bits per transfer.
    B11,
    /// 1,520 trees of 4,096 leaves, 2^18 secrets: 0.39 bits per transfer.
    B12,
    /// 1,900 trees of 8,192 leaves, 2^19 secrets: 0.21 bits per transfer.
    B13,
}

impl Set {
    /// All.
    pub const ALL: [Set; 4] = [Set::B10, Set::B11, Set::B12, Set::B13];

    /// Levels of a tree.
    #[must_use]
    pub const fn depth(self) -> usize {
        10 + self as usize
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
            Set::B10 => 850,
            Set::B11 => 1170,
            Set::B12 => 1520,
            Set::B13 => 1900,
        }
    }

    /// Correlated OTs that the code takes sums of: a power of two.
    #[must_use]
    pub const fn secrets(self) -> usize {
        1 << (16 + self as usize)
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

    /// Words of choices that the first round starts from.
    #[must_use]
    pub const fn start_words(self) -> usize {
        self.base().div_ceil(64)
    }
}

/// What is public and the same for both sides: parameters, the permutation of trees, the code.
pub struct Setting {
    set: Set,
    pi: Permutation,
    code: Code,
}

impl Setting {
    /// For a session whose name was unpredictable before the run: hashes are keyed by it.
    #[must_use]
    pub fn new(set: Set, session: &[u8]) -> Arc<Self> {
        let key = |context| -> [u8; BLOCK] {
            let key = hash::derive_key(context, &[session]);
            *key.first_chunk().expect("sixteen of thirty-two bytes")
        };
        let pi = Permutation::new(key("tacit 2026 silent OT trees"));
        let code = Code::new(key("tacit 2026 silent OT code"), set);
        Arc::new(Setting { set, pi, code })
    }

    /// The parameters.
    #[must_use]
    pub fn set(&self) -> Set {
        self.set
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_are_those_published() {
        let of = |set: Set| (set.trees() << set.depth(), set.secrets(), set.base());
        assert_eq!(of(Set::B10), (870_400, 1 << 16, 74_036));
        assert_eq!(of(Set::B11), (2_396_160, 1 << 17, 143_942));
        assert_eq!(of(Set::B12), (6_225_920, 1 << 18, 280_384));
        assert_eq!(of(Set::B13), (15_564_800, 1 << 19, 548_988));
    }

    #[test]
    fn bits_per_transfer_are_those_stated() {
        let stated = [1.37, 0.73, 0.39, 0.21];
        for (set, stated) in Set::ALL.into_iter().zip(stated) {
            let bits = KAPPA * set.trees() * set.depth();
            let each = bits as f64 / (set.given() * set.leaves()) as f64;
            assert!((each - stated).abs() < 0.005, "{set:?}: {each}");
        }
    }
}
