//! Products among three parties that are right though one of the parties may cheat
//! (`docs/spec/malicious-3pc-rings.md` sections 4 to 9).
//!
//! All begins with products of [`replicated`](tacit_sharing::replicated) sharing: each party sends one word, and
//! all that a cheat can do is to add something that it chooses, without knowing the values, to a
//! result. What is done about it is a [`Method`]:
//!
//! - [`Method::Lift`]: a [`Party`](tacit_sharing::Party) keeps factors and results of all products. When
//!   there are many, and before anything is given out, the parties prove them together: bits in a field
//!   of 2^64 elements (`bits`), words of a ring through integers (`lift`). Both end in an inner
//!   product that is proven with messages of logarithmic size (`fold`).
//! - [`Method::Galois`]: the same, but words of a ring in an extension of it (`galois`).
//! - [`Method::WideLift`]: products of up to eight factors in one round (`wide_lift`); what was sent for them is proven as under
//!   `Lift`.
//! - [`Method::Integers`]: products are computed over the integers, under masks (`wires`), and proven together;
//!   those of bits as under `Lift`.
//! - [`Method::Post`]: the same with products of redundant words (`redundant`), checked one by one
//!   (`post`); of bits, by cut and choose (`buckets`).
//! - [`Method::Tagged`]: as `Post`; in programs, numbers go with their products with a secret key
//!   (`tagged`), which checks all products of numbers at once.
//! - [`Method::Brain`]: random products come first (`triples`), made and checked in one of six ways; those of
//!   the program open masked factors (`beaver`).
//!
//! Products of matrices with many entries are proven by random sums of their rows and columns (`matrices`), where products are proven later.
//! Shuffled rows are proven to be the rows that they were, under [`Method::Lift`] ([`Moves`]).
//!
//! A check itself opens nothing but masked values. What it finds goes into the transcripts that
//! [`verify`](tacit_sharing::verify) compares, which tells one bit: whether all is well.
//!
//! | item | what it is |
//! | --- | --- |
//! | [`LIFT`], [`POST`], [`TAGGED`] and others | the protocols |
//! | [`Method`], [`Proving`] | what is done about products, and how rarely a cheat passes |
//! | [`check_of`] | what a party needs for it, from its keys |
//! | [`expect_products`], [`prepare_products`], [`store_products`], [`hold_products`] | triples, before and between sessions |
//! | [`Bill`] | what proofs cost |
//! | [`visit()`] | roles by type |
//!
//! ```
//! use tacit_proof::{Bill, LIFT, Method, Proving};
//!
//! let proving = Proving::of(LIFT).unwrap();
//! assert_eq!(proving.method, Method::Lift);
//! // A wrong product passes with a chance of at most two to the minus forty.
//! assert!(proving.soundness() >= 40.0);
//! // Nothing is proven, so nothing is sent.
//! assert_eq!(Bill::of(LIFT).forward, 0);
//! ```

mod batch;
mod beaver;
mod bill;
mod bits;
mod buckets;
mod channel;
mod charge;
mod checks;
mod class;
mod columns;
mod cost;
mod extension;
mod field;
mod fold;
mod galois;
mod integers;
mod kept;
mod level;
mod lift;
mod list;
mod matrices;
mod method;
mod modular;
mod moves;
mod party;
mod pending;
mod polynomials;
mod post;
mod prover;
mod redundant;
mod single;
mod soundness;
mod strength;
mod tagged;
#[cfg(test)]
mod tests;
mod triples;
mod visit;
mod wide;
mod wide_lift;
mod wires;

pub use bill::{Bill, Needs};
pub use buckets::BRAIN_BUCKETS;
pub use checks::{Made, ProvenLater};
pub use galois::GALOIS;
pub use integers::{BRAIN_BATCH, BRAIN_INTEGERS};
pub use lift::LIFT;
pub use method::{Method, Source};
pub use moves::{Move, Moves};
#[cfg(feature = "testing")]
pub use party::streams_left;
pub use party::{check_of, expect_products, hold_products, prepare_products, store_products};
pub use party::{proves_moves, tag_key, with_proofs};
pub use polynomials::BRAIN_POLYNOMIALS;
pub use post::POST;
pub use prover::{Proofs, Stock};
pub use redundant::bytes as redundant_bytes;
pub use single::BRAIN_SINGLE;
pub use strength::Proving;
use strength::{mask_bits, proofs};
pub use tacit_protocol::{BatchSize, Strength, UnknownBatch, UnknownStrength};
pub use tagged::{Factors, TAGGED};
pub use triples::BRAIN_SACRIFICE;
pub use visit::{visit, visit_canonical};
pub use wide_lift::WIDE_LIFT;
pub use wires::INTEGERS;
pub use wires::bytes as integer_bytes;

use batch::{Batch, first, first_batch};
use charge::Charge;
use class::{BIT_WORDS, Class};
use columns::{Scratch, Triples, Two};
use pending::{Pending, push_run};
use prover::MOST_TERMS;
