//! Half gates that all parties but one garble together, and that one evaluates: a constant number of rounds. Secure
//! against all parties but one, the evaluator or not, if they follow the protocol and pool what they see.
//!
//! Role 0 evaluates, all others garble. Garbler `j` has an offset `D_j` and for every wire a zero label, `D_j` less than
//! the other one. A wire has a mask `l`, shared by XOR among the garblers, and the public value `v = value + l`, which is
//! the lowest bit of role 1's label for it. Garbler `i` has the share `l^i`, a block `M_j[l^i] = K_j[l^i] + l^i D_j` towards every other
//! garbler `j`, and keys for the others' shares. With `s_j(l) = l^j D_j + sum_i K_j[l^i]`, all garblers' `M_j` and `s_j(l)`
//! add up to `l D_j`. The AND of wires a and b to c has three blocks for each garbler `j`, its *column*:
//!
//! ```text
//! garbler j        G_0 = H(A_0) + H(A_1) + s_j(l_b)       G_1 = H'(B_0) + H'(B_1) + s_j(l_a) + A_0
//! its zero label   C_0 = H(A_0) + H'(B_0) + s_j(l_a l_b + l_c)
//! garbler i for j  S_0 = H(A_0) + H(A_1) + M_j[l_b^i]     S_1 = H'(B_0) + H'(B_1) + M_j[l_a^i]
//!                  S_2 = H(A_0) + H'(B_0) + M_j[(l_a l_b + l_c)^i]
//! column           X_0 = G_0 + sum_i S_0      X_1 = G_1 + sum_i S_1      X_2 = sum_i S_2
//! evaluated        C = v_a X_0 + v_b (X_1 + A) + X_2 + sum over all garblers of H(A) + H'(B)
//! ```
//!
//! where `H` and `H'` have tweaks for the gate, the side, the owner of the label and the target `j`. The owner of a column adds it
//! up: what the evaluator receives is linear in the number of parties. Role 1 adds the lowest bit of its zero label to it, and
//! to the third block. With one garbler no blocks move, and its mask of an output is the lowest bit of the
//! label: that is Yao with half gates, two blocks for an AND.
//!
//! | round ahead | from every garbler to every other | bits per AND and link |
//! | --- | --- | --- |
//! | 1 | choices: shares of masks of AND outputs, and of its inputs | 32 |
//! | 2 | cross terms of products of masks | 1 |
//! | 3 | choices: shares of products | 32 |
//! | 4 | its blocks for the receiver's column | 384 |
//! | 5 | to role 0: its column | 384 |
//!
//! Shares of masks and of products are made as [`bmr`](crate::bmr) makes them. The evaluator has no share of any mask: its inputs have none,
//! and their labels come by correlated transfers on random choices. Online, owners among the garblers tell each other public values of
//! inputs, and role 0 tells them its bits plus the choices; garblers send labels; role 0 tells who learns
//! something.
//!
//! Masks of outputs open under fresh shares of zero: among the garblers for what role 0 learns, among all parties for what a
//! garbler learns, who hears neither the mask nor the public value, but their sum. Masks of inputs are their owners' alone, or
//! zero, so that either of them would tell summands of a sum of inputs.
//!
//! Nothing is checked: whoever deviates may change results, and learn what it should not.
//!
//! Sources: S. Zahur, M. Rosulek, D. Evans (Eurocrypt 2015); X. Wang, S. Ranellucci, J. Katz (CCS 2017); J. Katz, S. Ranellucci,
//! M. Rosulek, X. Wang (CRYPTO 2018); K. Yang, X. Wang, J. Zhang (CCS 2020) for shares of masks inside half gates, cut down to
//! parties that follow the protocol; C. Guo, J. Katz, X. Wang, C. Weng, Y. Yu (CRYPTO 2020) for the hash. That columns are added up by their owners,
//! and that the evaluator shares no masks, is ours.

#[cfg(test)]
mod attacks;
mod cost;
mod evaluate;
mod evaluator;
mod garble;
mod garbler;
mod online;
mod party;

pub use online::Ready;
pub(crate) use party::HALF_GATES;
pub use party::HalfGates;

pub(crate) use tacit_protocol::EVALUATOR;

/// Who adds the lowest bits of its zero labels to them, so that its labels show public values.
const FIRST_GARBLER: tacit_sharing::RoleId = 1;

/// Blocks of a column for an AND, of so many garblers.
fn column_blocks(garblers: usize) -> usize {
    if garblers > 1 { 3 } else { 2 }
}
