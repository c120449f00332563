//! Words and lanes, pseudorandom streams, hashing, fields and bit matrices: what a party computes by itself.
//!
//! Protocols are made of these kernels. The crate knows no network, no party and no protocol. All `unsafe` and
//! all SIMD of the workspace live in its kernel files, each with a portable twin that it is tested against. CPU
//! features are found at run time.
//!
//! Secrets flow one way, and every arrow is a function that cannot be used twice for the same output:
//!
//! ```text
//! Entropy ──seed──► Seed ──derive_key──► Key ──new──► Prg ──stream(StreamId)──► PrgStream ──fill──► words
//! ```
//!
//! Two parties that have a seed in common draw the same masks from it. One of them hides a value under a mask,
//! and the other one takes the mask off:
//!
//! ```
//! use tacit_ring::{Entropy, Prg, StreamIds, Word};
//!
//! let seed = Entropy::system().seed()?;
//! let draw = || {
//!     let prg = Prg::new(&seed.derive_key("an example of masks", &[b"alice", b"bob"]));
//!     let mut mask = [0u64; 3];
//!     prg.stream(StreamIds::new().next()).fill(&mut mask);
//!     mask
//! };
//! let (alice, bob) = (draw(), draw());
//! let hidden = [37, 2, 5].iter().zip(alice).map(|(value, mask)| Word::add(*value, mask));
//! let opened: Vec<u64> = hidden.zip(bob).map(|(word, mask)| Word::sub(word, mask)).collect();
//! assert_eq!(opened, [37, 2, 5]);
//! # Ok::<(), tacit_ring::NoEntropy>(())
//! ```
//!
//! | module | what it holds |
//! | --- | --- |
//! | [`word`] | [`Word`]: a machine word of ring elements, [`Z2`] as 64 one-bit lanes |
//! | [`buffer`] | [`Buffer`]: words on the heap that are wiped when they are dropped |
//! | [`simd`] | how a loop is compiled for the best CPU features found |
//! | [`entropy`] | [`Entropy`]: where fresh secrets come from |
//! | [`secret`] | [`Key`] and [`Seed`]: zeroized, never printed, compared in constant time |
//! | [`prg`] | [`Prg`]: AES-128-CTR addressed by (key, stream, position), and hashes made of AES |
//! | [`stream`] | [`StreamIds`]: stream numbers that are handed out once |
//! | [`hash`] | BLAKE3 transcripts, digests and key derivation |
//! | [`gf64`], [`gf128`], [`prime`] | the fields that checks compute in |
//! | [`transpose`] | bit matrices; integers to bit slices and back |
//! | [`matrix`] | products of plain matrices |
//! | [`columns`] | the transpose of 128 columns of bits to 128-bit rows |
//! | [`stored`] | the form in which a party's store keeps words |

#[cfg(target_endian = "big")]
compile_error!("Tacit sends words in memory order and supports little-endian targets only");

pub mod buffer;
pub mod columns;
pub mod entropy;
pub mod gf128;
pub mod gf64;
pub mod hash;
pub mod matrix;
pub mod prg;
pub mod prime;
pub mod secret;
pub mod simd;
pub mod stored;
pub mod stream;
#[cfg(feature = "testing")]
pub mod timing;
pub mod transpose;
pub mod word;

pub use buffer::Buffer;
pub use entropy::{Entropy, NoEntropy};
pub use prg::{Prg, PrgStream};
pub use secret::{Key, Seed};
pub use stream::{Blocks, Step, StreamId, StreamIds, StreamsExhausted};
pub use word::{Word, Z2};
