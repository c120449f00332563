//! Pseudorandom functions under two labels, which rows of a garbled gate are hidden by: for a gate `g`, labels `A` and
//! `B`, and a column `j`,
//!
//! ```text
//! k_g = AES_S(g)      X = 2 A + 4 B in GF(2^128)      Y = AES_{k_g}(X)
//!
//! dk-mmo   F = AES_{k_g}(X + j) + X
//! dk-tmmo  F = AES_{k_g}(Y + j + 1) + Y
//! aes256   F = AES-256_{A, B}(2^64 g + j)
//! ```
//!
//! `S` is public and drawn jointly for one session; with a key for each gate nothing that is computed for
//! one gate, or one session, helps against another. Doubling is in the field, so that no bit of a label is
//! lost, and rows whose labels differ by a common offset have inputs that differ by 2, 4 or 6 times that.
//!
//! Assumption: for random labels the function is pseudorandom also where labels are related by such an
//! offset. For one label it is a theorem for the first two in the ideal-cipher model (Guo, Katz, Wang, Yu, S&P 2020;
//! Guo, Katz, Wang, Weng, Yu, CRYPTO 2020); for two it is the usual argument for dual keys. For the last one it is
//! that AES-256 is a pseudorandom function under related keys.

mod sums;

pub use sums::Sums;

use tacit_ring::prg::{Permutation, combine, encrypt_under};
use tacit_sharing::bmr::LabelFunction;

/// One of the functions, for one session.
pub struct LabelPrf {
    function: LabelFunction,
    pi: Permutation,
}

impl LabelPrf {
    /// Under the session's public key.
    #[must_use]
    pub fn new(function: LabelFunction, key: [u8; 16]) -> Self {
        LabelPrf { function, pi: Permutation::new(key) }
    }

    /// For each pair of labels, the function at columns `0..columns`, one after the other. Gate numbers do not
    /// repeat.
    ///
    /// # Panics
    /// When there is not room for exactly that.
    pub fn gate<const PAIRS: usize>(
        &self,
        gate: u64,
        pairs: [[u128; 2]; PAIRS],
        columns: usize,
        out: &mut [u128],
    ) {
        assert_eq!(out.len(), PAIRS * columns, "a block for each pair and column");
        if self.function == LabelFunction::Aes256 {
            let lists = out.chunks_exact_mut(columns).zip(pairs);
            return lists.for_each(|(out, pair)| under_labels(pair, gate, out));
        }
        let mut key = [u128::from(gate)];
        self.pi.apply(&mut key);
        let pi = Permutation::new(key[0].to_le_bytes());
        let mut inputs = pairs.map(combine);
        let mut first = 0;
        if self.function == LabelFunction::DkTmmo {
            pi.apply(&mut inputs);
            first = 1;
        }
        for (out, x) in out.chunks_exact_mut(columns).zip(inputs) {
            (first..).zip(out).for_each(|(j, out)| *out = x ^ j);
        }
        pi.apply(out);
        for (out, x) in out.chunks_exact_mut(columns).zip(inputs) {
            out.iter_mut().for_each(|out| *out ^= x);
        }
    }
}

/// The function whose key are both labels, at all columns.
fn under_labels(pair: [u128; 2], gate: u64, out: &mut [u128]) {
    (u128::from(gate) << 64..).zip(&mut *out).for_each(|(block, out)| *out = block);
    encrypt_under(pair, out);
}

#[cfg(test)]
mod tests {
    use super::*;

    const LABELS: [u128; 2] = [(1 << 127) + 0x1234, 0xDEAD_BEEF];

    fn prf(function: LabelFunction) -> LabelPrf {
        LabelPrf::new(function, std::array::from_fn(|i| i as u8))
    }

    #[test]
    fn known_answers() {
        for (function, column, want) in [
            (LabelFunction::DkMmo, 0, "ddd97cca740768f59b8175e6aef0b230"),
            (LabelFunction::DkMmo, 3, "cb8e76674792ee23b0be1c6e48b94784"),
            (LabelFunction::DkTmmo, 3, "3c2f5a61c16283179561e575991f5414"),
            (LabelFunction::Aes256, 3, "7ef2eb6b67185f66ce7c3fedaabf86ba"),
        ] {
            let mut out = [0; 8];
            prf(function).gate(5, [[1, 2], LABELS], 4, &mut out);
            assert_eq!(hex::encode(out[4 + column].to_le_bytes()), want, "{function}");
        }
    }

    #[test]
    fn gates_and_pairs_have_values_of_their_own() {
        for function in LabelFunction::ALL {
            let (mut one, mut other) = ([0; 2], [0; 2]);
            prf(function).gate(1, [[5, 6], [6, 5]], 1, &mut one);
            prf(function).gate(2, [[5, 6], [6, 5]], 1, &mut other);
            assert!(one[0] != one[1] && one[0] != other[0], "{function}");
        }
    }
}
