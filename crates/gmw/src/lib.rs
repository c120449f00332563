//! GMW for two and more parties, on masked values. Secure against all parties but one, if they
//! follow the protocol and pool what they see.
//!
//! Every wire `w` has a mask `l_w` that nobody knows: it is the sum of one random bit of each party.
//! All hold the public value `x_w + l_w`, and a party its share of the mask, `[l_w]_i`. XOR adds both;
//! negation flips the public value.
//!
//! ```text
//! offline   [l_u l_v] for every AND of u and v: each party's own product, and for every ordered pair
//!           (S, R) a product of S's bit and R's bit by oblivious transfer
//! online    z_i = [l_u l_v]_i + u' [l_v]_i + v' [l_u]_i + [l_w]_i      to everybody
//!           w' = u' v' + sum z_i                                       with u', v', w' the public values
//! inputs    the owner alone knows the mask, and sends the public value to everybody
//! outputs   everybody's share of the mask goes to the receivers, ahead, plus a fresh share of zero
//! ```
//!
//! The shares of zero matter: the mask of `x + y`, for inputs of two parties, has the masks of `x` and
//! `y` as its shares.
//!
//! | per directed link | ahead | online | rounds |
//! | --- | --- | --- | --- |
//! | AND | 32 + 1 bits | 1 bit | 1 |
//! | input of a party | | 1 bit, from it | 1 |
//! | output | 1 bit, to its receivers | | 0 |
//!
//! Preprocessing takes two rounds, and more only for what is too much to be under way at once: tens of
//! megabytes. The 32 bits are those of correlated OT
//! ([`tacit_ot::cot`]) with four columns to a block.
//!
//! Where a circuit has fewer lanes than a word, what is sent for ANDs is of those lanes alone: words of a level's ANDs,
//! one after the other. Inputs and outputs are whole words.
//!
//! Around role 0 ([`Method::Star`]) all send `z` to it alone, and it answers with the result's public value: one bit
//! from each of the others and one to it, in two latencies.
//!
//! ANDs of three and four inputs ([`Method::Wide`]) take shares of the products of all their masks, pairs first
//! and then those of more: one bit and one round online, four or eleven products ahead.
//!
//! Other forms ([`Method`]) make products from silent transfers, from random transfers or from triples.
//!
//! Sources: O. Goldreich, S. Micali, A. Wigderson (STOC 1987) and A. Ben-Efraim, Y. Lindell, E. Omri
//! (CCS 2016) for products by OT; masked public values are folklore, used for example by X. Wang,
//! S. Ranellucci, J. Katz (CCS 2017).

//!
//! | item | what it is |
//! | --- | --- |
//! | [`GMW`], [`GMW_SILENT`], [`GMW_OT`] and others | the protocols |
//! | [`Method`] | how products are made, and what that costs |
//! | [`Correlations`], [`WorkerKeys`] | what oblivious transfers start from, for a party and for each of its workers |
//! | [`Gmw`] | a worker of a party, for whole circuits |
//! | [`OnPlanes`] | the same for a program, operation after operation |
//!
//! ```
//! use tacit_gmw::{GMW, Method};
//!
//! let method = Method::of(GMW).unwrap();
//! // Between two parties a product takes 33 bits ahead and one online, in each direction.
//! assert_eq!(method.product(2).total(), 2 * (33 + 1));
//! assert_eq!(method.rounds(), 1);
//! ```

mod baselines;
mod dense;
mod exchange;
mod layers;
mod list;
mod malformed;
mod masks;
mod method;
mod party;
mod planes;
mod products;
mod silent;
mod wide;

pub use baselines::{GMW_OT, GMW_TRIPLES};
pub use exchange::{Correlations, Delta, KeysWithFirst, WorkerKeys};
pub use layers::Cut;
pub use malformed::malformed;
pub use method::Method;
pub use party::{GMW, Gmw, Ports, Ready};
pub use planes::{CircuitOn, OnPlanes, Pieces};
pub use products::GMW_STAR;
pub use silent::{GMW_SILENT, SilentStart, silent_bytes, silent_bytes_by};
pub use wide::{GMW_WIDE, WIDEST, tape_words as masked_words};

use tacit_ot::FieldBits;

/// Columns per block of correlated OT.
pub const FAN: FieldBits = FieldBits::Four;
