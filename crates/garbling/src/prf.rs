//! The pseudorandom function under two labels that rows of a garbled gate are hidden by:
//!
//! ```text
//! k_g = AES_S(g)      X = 2 A + 4 B in GF(2^128)      F(A, B, g, j) = AES_{k_g}(X + j) + X
//! ```
//!
//! `S` is public and drawn jointly for one session; with a key for each gate nothing that is computed for
//! one gate, or one session, helps against another. Doubling is in the field, so that no bit of a label is
//! lost, and rows whose labels differ by a common offset have inputs that differ by 2, 4 or 6 times that.
//!
//! Assumption: for random labels the function is pseudorandom also where labels are related by such an
//! offset. For one label it is a theorem in the ideal-cipher model (Guo, Katz, Wang, Yu, S&P 2020;
//! Guo, Katz, Wang, Weng, Yu, CRYPTO 2020); for two it is the usual argument for dual keys.

use tacit_ring::prg::Permutation;

/// Twice a field element, of GF(2^128) modulo x^128 + x^7 + x^2 + x + 1.
#[inline(always)]
#[must_use]
pub fn double(a: u128) -> u128 {
    let carry = (a >> 127).wrapping_neg() & 0x87;
    a << 1 ^ carry
}

/// What two labels are combined to.
#[inline(always)]
#[must_use]
pub fn combine(a: u128, b: u128) -> u128 {
    double(a) ^ double(double(b))
}

/// The function, for one session.
pub struct LabelPrf(Permutation);

impl LabelPrf {
    /// Under the session's public key.
    #[must_use]
    pub fn new(key: [u8; 16]) -> Self {
        LabelPrf(Permutation::new(key))
    }

    /// For each pair of labels in `combined`, the function at columns `0..columns`, one after the
    /// other. Gate numbers do not repeat.
    ///
    /// # Panics
    /// When there is not room for exactly that.
    pub fn gate(&self, gate: u64, combined: &[u128], columns: usize, out: &mut [u128]) {
        assert_eq!(out.len(), combined.len() * columns, "a block for each pair and column");
        let mut key = [u128::from(gate)];
        self.0.apply(&mut key);
        for (out, x) in out.chunks_exact_mut(columns).zip(combined) {
            (0..).zip(out).for_each(|(j, out)| *out = x ^ j);
        }
        Permutation::new(key[0].to_le_bytes()).apply(out);
        for (out, x) in out.chunks_exact_mut(columns).zip(combined) {
            out.iter_mut().for_each(|out| *out ^= x);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_answers() {
        let prf = LabelPrf::new(std::array::from_fn(|i| i as u8));
        let (a, b) = ((1 << 127) + 0x1234, 0xDEAD_BEEF);
        let mut out = [0; 4];
        prf.gate(5, &[combine(a, b)], 4, &mut out);
        assert_eq!(hex::encode(out[0].to_le_bytes()), "ddd97cca740768f59b8175e6aef0b230");
        assert_eq!(hex::encode(out[3].to_le_bytes()), "cb8e76674792ee23b0be1c6e48b94784");
        assert_eq!(hex::encode(double(a).to_le_bytes()), "ef240000000000000000000000000000");
    }

    #[test]
    fn gates_and_pairs_have_values_of_their_own() {
        let prf = LabelPrf::new([3; 16]);
        let (mut one, mut other) = ([0; 2], [0; 2]);
        prf.gate(1, &[combine(5, 6), combine(6, 5)], 1, &mut one);
        prf.gate(2, &[combine(5, 6), combine(6, 5)], 1, &mut other);
        assert!(one[0] != one[1] && one[0] != other[0]);
    }
}
