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
//! Guo, Katz, Wang, Weng, Yu, CRYPTO 2020); for two it is argued in docs/protocols/bmr.md. For the last one it is
//! that AES-256 is a pseudorandom function under keys that differ by a secret offset.

mod gates;

pub use gates::{GATES, Gates};

use crate::bmr::LabelFunction;
use tacit_ring::prg::{Permutation, encrypt_under};

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

    /// The function of one pair of labels, at the first columns.
    #[cfg(test)]
    pub fn hide_pair(&self, gate: u64, [a, b]: [u128; 2], out: &mut [u128]) {
        let mut all = vec![0; 4 * out.len()];
        Gates::new(self).hide(gate, [&[a; 4], &[b; 4]], out.len(), &mut all);
        out.copy_from_slice(&all[..out.len()]);
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
            let [mut out, mut again] = [[0; 16], [0; 16]];
            let [a, b] = LABELS;
            Gates::new(&prf(function)).hide(5, [&[1, a, 1, 1], &[2, b, 2, b]], 4, &mut out);
            assert_eq!(hex::encode(out[4 + column].to_le_bytes()), want, "{function}");
            prf(function).hide_pair(5, LABELS, &mut again[..4]);
            assert_eq!(out[4..8], again[..4]);
        }
    }

    #[test]
    fn gates_and_pairs_have_values_of_their_own() {
        for function in LabelFunction::ALL {
            let (mut one, mut other) = ([0; 4], [0; 4]);
            let (prf, labels) = (prf(function), [&[5, 6, 5, 5], &[6, 5, 5, 5]]);
            Gates::new(&prf).hide(1, labels, 1, &mut one);
            Gates::new(&prf).hide(2, labels, 1, &mut other);
            assert!(one[0] != one[1] && one[0] != other[0], "{function}");
        }
    }
}
