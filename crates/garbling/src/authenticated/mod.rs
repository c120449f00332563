//! Authenticated garbling: any number of parties, of which all but one may do whatever they like; a constant
//! number of rounds. Whoever deviates is caught before anything opens, and nobody gets a result.
//!
//! Role 0 evaluates, all others garble. Party i has `Delta_i`. A bit `x` that it knows is *authenticated*:
//! towards every j it has the MAC `M_j[x] = K_j[x] + x Delta_j`, j has the key. A *sharing* `<x>` is one such
//! bit of every party, whose sum is `x`. Every wire has a mask `l`, shared so, and the public value
//! `v = x + l`. Garbler i has a label `L_v = L_0 + v Delta_i`.
//!
//! | phase | what | checks |
//! | --- | --- | --- |
//! | any function | authenticated bits by correlated OT; leaky triples, buckets of them combined | `cot-consistency`, `echo:uhat`, `key-consistency`, `leaky-and`, `open-mac:bucket`, `commit:..` |
//! | this function | products of masks of every AND's inputs, opened under triples; half gates | `open-mac:beaver` |
//! | online | public values of inputs, labels, evaluation; labels authenticate public values to the garblers, MACs authenticate gates to the evaluator; masks of outputs | `echo:masked`, `label-check`, `z-check`, `open-mac:output` |
//!
//! With `s_i(x) = x^i Delta_i + sum_j K_i[x^j]`, garbler i's half gates of an AND of wires a and b to c are
//!
//! ```text
//! G_0 = H(A_0) + H(A_1) + s_i(l_b)            G_1 = H'(B_0) + H'(B_1) + s_i(l_a) + A_0
//! C_0 = H(A_0) + H'(B_0) + s_i(l_a l_b) + s_i(l_c)
//! ```
//!
//! and three blocks of the same form carry its MACs under every other garbler's key to the evaluator.
//!
//! A failed check ends the session, and everything made for it is gone: checks may tell whoever cheats one
//! bit of a Delta, once.
//!
//! Sources: X. Wang, S. Ranellucci, J. Katz (CCS 2017); J. Katz, S. Ranellucci, M. Rosulek, X. Wang (CRYPTO
//! 2018); K. Yang, X. Wang, J. Zhang, "More Efficient MPC from Improved Triple Generation and Authenticated
//! Garbling" (CCS 2020), with three blocks instead of four for the transport of MACs, buckets by rotation, and
//! the check of correlated OT by columns.

mod bits;
mod buckets;
mod chain;
#[cfg(test)]
mod chains;
mod channel;
#[cfg(test)]
mod cheats;
mod check;
mod cost;
mod evaluate;
mod four_rows;
mod garble;
mod garbles;
#[cfg(test)]
mod input_masks;
mod kept;
mod masks;
mod online;
mod outputs;
mod packed;
mod party;
#[cfg(test)]
mod relations;
mod rows;
mod stock;
mod triples;
mod turns;

pub use chain::AuthenticatedChain;
pub use cost::{bits_per_triple, bytes_of_stock, bytes_with_stock};
pub(crate) use garbles::{AUTHENTICATED, WRK17};
pub use kept::{Active, Kept};
pub use online::Ready;
pub use outputs::{Unopened, open, open_first};
pub use party::{Authenticated, Stocking, set_up};
pub use stock::{PIECE, Piece, Pieces, Stock, needs};
pub use triples::Sizes;

use tacit_sharing::RoleId;

/// Who evaluates.
const EVALUATOR: RoleId = 0;
/// Who sends the lowest bits of its labels.
const FIRST_GARBLER: RoleId = 1;
