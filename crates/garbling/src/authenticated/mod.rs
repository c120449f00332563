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
#[cfg(test)]
mod chains;
#[cfg(test)]
mod cheats;
mod check;
mod cost;
mod evaluate;
mod four_rows;
mod garble;
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
mod talk;
mod triples;
mod turns;
mod tweak;

pub use cost::{bits_per_triple, bytes_of_stock, bytes_with_stock};
pub use four_rows::Form;
pub use kept::{Active, Kept};
pub use online::Ready;
pub use outputs::{Unopened, open, open_first};
pub use party::{Authenticated, Stocking, set_up};
pub use stock::{PIECE, Piece, Pieces, Stock, needs};
pub use triples::Sizes;

use crate::garbler::{self, AnyReady, Counter, Garbler, MAX_ANDS, Parties, Seat, Terms, seats};
use crate::links::pairs;
use crate::{Evaluate, Ports};
use cost::CostOfChain;
use tacit_net::{Mesh, Stream};
use tacit_ring::{Buffer, Entropy};
use tacit_sharing::cost::Traffic;
use tacit_sharing::gmw::{Correlations, Delta};
use tacit_sharing::latencies::Latencies;
use tacit_sharing::work::Work;
use tacit_sharing::{RoleId, SharingError};

/// Who evaluates.
const EVALUATOR: RoleId = 0;
/// Who sends the lowest bits of its labels.
const FIRST_GARBLER: RoleId = 1;

/// Authenticated garbling.
struct Garbles(Form);

/// With half gates.
pub(crate) static AUTHENTICATED: &dyn Garbler = &Garbles(Form::HalfGates);

/// With gates of four rows.
pub(crate) static WRK17: &dyn Garbler = &Garbles(Form::FourRows);

/// ANDs of all parties' circuits together, where a program is garbled circuit by circuit: buckets of triples are smaller in
/// large batches.
const BLOCK_ANDS: usize = 1 << 21;

/// Transfers per AND and peer that take as long as a checked triple, in buckets of three, and what is made of it (measured).
const TRANSFERS: f64 = 60.0;

impl Garbler for Garbles {
    // Authenticated bits, products and openings of buckets of three; garbled gates; public values.
    fn and_bits(&self, terms: &Terms) -> Traffic {
        let (n, buckets) = (terms.parties as u64, 3);
        let ahead = 128 * (4 * buckets + 1) + 2 * buckets + 1;
        pairs(terms.parties).fold(Traffic::default(), |sum, (i, j)| {
            let [table, shown] = match self.0 {
                Form::HalfGates => [128 * (2 + 3 * (n - 2)) + u64::from(i == FIRST_GARBLER), 1],
                Form::FourRows => [4 * (128 * (n - 1) + 64), 0],
            };
            let table = if j == EVALUATOR { table } else { 0 };
            let shown = if i == EVALUATOR { shown } else { 0 };
            sum.sent(i, j, Stream::Def, ahead + table).sent(i, j, Stream::On, shown)
        })
    }

    fn counter(&self, terms: &Terms) -> Box<dyn Counter> {
        Box::new(CostOfChain::new(self.0, terms.parties, Sizes::of(terms.workers)))
    }

    fn rounds(&self, terms: &Terms, ports: Ports<'_>, me: RoleId) -> u64 {
        let many = u64::from(terms.parties > 2);
        // What opens first, and what opens after it in steps of its own.
        let first = u64::from(ports.opens_to(me, ports.guards > 0));
        let later = u64::from(ports.guards > 0 && ports.opens_to(me, false));
        // Public values of inputs, and what others heard of them.
        let inputs = ports.others_give(me) + many;
        inputs
            + match (self.0, me) {
                // Labels, sums of MACs.
                (Form::HalfGates, EVALUATOR) => ports.somebody_gives() + 1 + later,
                // Public values; masks of outputs from garblers and the evaluator.
                (Form::HalfGates, _) => 1 + (first + later) * (many + 1),
                // Labels; masks of outputs, if it learns any.
                (Form::FourRows, EVALUATOR) => ports.somebody_gives() + first + later,
                // Public values come to who learns something.
                (Form::FourRows, _) => ports.learns(me) + (first + later) * (many + 1),
            }
    }

    fn latencies(&self, terms: &Terms) -> Latencies {
        match terms.parties {
            2 => Latencies { set_up: 6, ahead: 12, online: 6 },
            // Offsets are compared, too, and what was heard.
            _ => Latencies { set_up: 14, ahead: 13, online: 7 },
        }
    }

    fn work(&self, parties: usize) -> [Work; 2] {
        let n = parties as f64;
        let ahead = Work::transfers(TRANSFERS * (n - 1.0)) + Work::blocks(4.0 * n);
        [ahead, Work::blocks(4.0 * n)]
    }

    fn kept(&self, terms: &Terms) -> garbler::Kept {
        let n = terms.parties;
        // Sharings of both inputs, the output, a triple and what opens it; of five leaky triples three
        // sharings each, and what they are made from; tables of garblers and at the evaluator.
        let tables = match self.0 {
            Form::HalfGates => 3 * n * n,
            Form::FourRows => 4 * n * n,
        };
        garbler::Kept { blocks: 50 * n + tables, table_bytes: 64 * n, most_ands: Some(MAX_ANDS) }
    }

    fn goes_on(&self) -> Option<usize> {
        match self.0 {
            Form::HalfGates => Some(BLOCK_ANDS),
            Form::FourRows => None,
        }
    }

    fn authenticated(&self) -> Option<Form> {
        Some(self.0)
    }

    fn exchange(
        &self,
        mesh: &mut Mesh,
        parties: Parties<'_>,
        entropy: &mut Entropy,
    ) -> Result<Vec<Seat>, SharingError> {
        let Parties { terms, places, session } = parties;
        let kind = Delta::Authenticating;
        let mut all = Correlations::exchange(mesh, session, places, kind, entropy)?;
        let sid = set_up(mesh, places, all.worker(), session)?;
        let (form, sizes) = (self.0, Sizes::of(terms.workers));
        Ok(seats(
            terms.workers,
            || all.worker(),
            move |mesh, at, keys| {
                let party = Authenticated::new(mesh, at.places, keys, &sid, sizes)?;
                Ok(Box::new(party.in_form(form)))
            },
        ))
    }

    fn ready(&self, bytes: Buffer<u8>) -> Result<Box<dyn AnyReady>, SharingError> {
        Ok(Box::new(Ready::from_bytes(bytes)?))
    }
}
