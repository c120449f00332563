//! Words and lanes, pseudorandom streams, hashing and bit matrices.
//!
//! Everything here is local: no network, no protocol. All `unsafe` and all SIMD of the
//! workspace live in the kernel files of this crate, each with a portable twin that it is
//! tested against. CPU features are found at run time.
//!
//! | module | what |
//! | --- | --- |
//! | [`word`] | [`Word`]: a machine word of ring elements, [`Z2`] as 64 one-bit lanes |
//! | [`simd`] | run a loop compiled for the best CPU features found |
//! | [`entropy`] | [`Entropy`]: where fresh secrets come from |
//! | [`secret`] | [`Key`] and [`Seed`]: zeroized, never printed, compared in constant time |
//! | [`prg`] | [`Prg`]: AES-128-CTR addressed by (key, stream, position) |
//! | [`stream`] | [`StreamIds`]: stream numbers that are handed out once |
//! | [`hash`] | BLAKE3 transcripts, digests and key derivation |
//! | [`gf64`], [`gf128`], [`prime`] | the fields that checks compute in |
//! | [`transpose`] | bit matrices; integers to bit slices and back |
//! | [`columns`] | 128 columns of bits to 128-bit rows |
//! | [`stored`] | the form that a party's store keeps words in |

#[cfg(target_endian = "big")]
compile_error!("Tacit sends words in memory order and supports little-endian targets only");

pub mod buffer;
pub mod columns;
pub mod entropy;
pub mod gf128;
pub mod gf64;
pub mod hash;
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
