//! Yao's garbled circuits for two parties, with half gates. Role 0 garbles, role 1 evaluates. Secure
//! against either of them, if it follows the protocol.
//!
//! Role 0 has an offset `R` whose lowest bit is set, and for every wire a zero label; the other label is
//! `R` more. XOR adds labels; negation adds `R` to the zero label. An AND of wires `a` and `b` with zero
//! labels `A`, `B` and lowest bits `p`, `q` has two blocks:
//!
//! ```text
//! T = H(A, 2g) + H(A + R, 2g) + q R             U = H(B, 2g+1) + H(B + R, 2g+1) + A
//! zero label  H(A, 2g) + p T + H(B, 2g+1) + q (U + A)
//! evaluated   H(A', 2g) + s T + H(B', 2g+1) + t (U + A')     for labels A', B' with lowest bits s, t
//! H(x, i) = AES_{k_i}(f(x)) + f(x),   k_i = AES_S(i),   f(h, l) = (h + l, h) on halves
//! ```
//!
//! Labels of role 1's inputs come by correlated OT with `Delta = R`, on random choices ahead of time: online
//! role 1 sends its bit plus the random one, role 0 answers with a block that turns the OT's block into the
//! label.
//!
//! | | ahead | online |
//! | --- | --- | --- |
//! | AND | 256 bits, 0 to 1 | 0 |
//! | input of role 0 | 0 | 128 bits, 0 to 1 |
//! | input of role 1 | 32 bits, 1 to 0 | 1 bit, 1 to 0, then 128 bits, 0 to 1 |
//! | output to role 1 | 1 bit, 0 to 1 | 0 |
//! | output to role 0 | 0 | 1 bit, 1 to 0 |
//! | rounds | 2 | 2, and 1 if role 0 learns anything |
//!
//! With silent transfers (`yao-silent`) random choices come out of trees, of which role 0 sends 0.78 bits per input;
//! role 1 sends 166 kB at the start, and role 0 138 kB.
//!
//! Sources: A. Yao (FOCS 1986); S. Zahur, M. Rosulek, D. Evans, "Two Halves Make a Whole" (Eurocrypt 2015);
//! C. Guo, J. Katz, X. Wang, C. Weng, Y. Yu, "Better Concrete Security for Half-Gates Garbling" (CRYPTO
//! 2020) for the hash.

mod gates;
mod party;
pub mod streamed;
pub mod three;
#[cfg(test)]
mod timing;
mod two;

pub use party::{Ready, Yao, bytes, silent_bytes};
