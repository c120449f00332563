//! Pseudorandom streams: AES-128-CTR addressed by (key, stream, position).
//!
//! Block `p` of stream `s` under key `K` is `AES_K(le64(p) || le64(s))`, 16 bytes. A stream
//! has 2^64 - 1 blocks; going beyond fails loudly. The counters are two little-endian 64-bit
//! words, so that the kernels step them with one vector addition and no byte shuffle.
//!
//! As a PRG, AES-128-CTR is distinguishable from random after about 2^64 blocks under one
//! key (no output block repeats); derive one key per session and purpose.
//!
//! The module also holds what correlated OT and garbling make of AES: [`Permutation`] and the hashes of [`HalfGates`],
//! [`Schedules`] and [`hash_under`].

mod folds;
mod halves;
mod permutation;
mod portable;
mod rekeyed;
#[cfg(feature = "testing")]
mod script;
mod sums;
mod throughput;
mod wide_key;
#[cfg(target_arch = "x86_64")]
mod x86;

#[cfg(test)]
mod tests;

pub use folds::{FOLD, Folds};
pub use halves::{HalfGate, HalfGates, INSTANCES};
pub use permutation::Permutation;
pub use rekeyed::hash_under;
pub use sums::{Feed, MAX_COLUMNS, PAIRS, Place, ROWS, Schedules, combine, lowest_agree};
pub use throughput::throughput;
pub use wide_key::encrypt_under;

use crate::secret::Key;
use crate::stream::StreamId;
use crate::word::{self, Word};
use std::fmt;

/// The number of bytes in a block.
pub const BLOCK: usize = 16;

/// An implementation of the same function. Later ones are faster.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Backend {
    /// The `aes` crate, which itself uses AES instructions where it finds them. It is the twin of the others.
    Portable,
    /// x86-64 AES-NI: one block per instruction.
    AesNi,
    /// x86-64 VAES with 256-bit registers: two blocks per instruction.
    Vaes256,
    /// x86-64 VAES with AVX-512 registers: four blocks per instruction.
    Vaes512,
}

impl Backend {
    /// Gives all backends that this CPU has, slowest first.
    #[must_use]
    pub fn available() -> Vec<Backend> {
        let all = [Backend::Portable, Backend::AesNi, Backend::Vaes256, Backend::Vaes512];
        all.into_iter().filter(|b| b.is_available()).collect()
    }

    /// Gives the fastest backend of this CPU.
    #[must_use]
    pub fn best() -> Backend {
        let fast = [Backend::Vaes512, Backend::Vaes256, Backend::AesNi];
        fast.into_iter().find(|b| b.is_available()).unwrap_or(Backend::Portable)
    }

    /// Says whether this CPU has what the backend needs.
    #[must_use]
    pub fn is_available(self) -> bool {
        match self {
            Backend::Portable => true,
            #[cfg(target_arch = "x86_64")]
            fast => x86::Kernel::detect(fast).is_some(),
            #[cfg(not(target_arch = "x86_64"))]
            _ => false,
        }
    }

    /// Gives a short name for reports.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Backend::Portable => "portable",
            Backend::AesNi => "aes-ni",
            Backend::Vaes256 => "vaes-256",
            Backend::Vaes512 => "vaes-512",
        }
    }
}

/// A key with its schedule, ready to make streams. The schedule is wiped on drop.
///
/// ```
/// use tacit_ring::{Key, Prg, StreamIds};
///
/// let prg = Prg::new(&Key::from_bytes([7; 16]));
/// let mut ids = StreamIds::new();
/// let (mut a, mut b) = ([0u64; 4], [0u64; 4]);
/// prg.stream(ids.next()).fill(&mut a);
/// prg.stream(ids.next()).fill(&mut b);
/// assert_ne!(a, b); // no stream is given twice
/// ```
pub struct Prg {
    cipher: Cipher,
    backend: Backend,
}

enum Cipher {
    Portable(portable::Cipher),
    #[cfg(target_arch = "x86_64")]
    X86(x86::Cipher),
    #[cfg(feature = "testing")]
    Script(script::Cipher),
}

impl Prg {
    /// Expands `key` for the fastest backend of this CPU.
    #[must_use]
    pub fn new(key: &Key) -> Prg {
        Prg::with_backend(key, Backend::best())
            .unwrap_or_else(|| Prg { cipher: Cipher::portable(key), backend: Backend::Portable })
    }

    /// Expands `key` for `backend`; `None` when this CPU lacks it. For tests and benchmarks.
    #[must_use]
    pub fn with_backend(key: &Key, backend: Backend) -> Option<Prg> {
        let cipher = match backend {
            Backend::Portable => Cipher::portable(key),
            #[cfg(target_arch = "x86_64")]
            fast => Cipher::X86(x86::Cipher::new(key, x86::Kernel::detect(fast)?)),
            #[cfg(not(target_arch = "x86_64"))]
            _ => return None,
        };
        Some(Prg { cipher, backend })
    }

    /// Gives the backend in use.
    #[must_use]
    pub fn backend(&self) -> Backend {
        self.backend
    }

    /// Writes the bytes of blocks `position..` of `stream` into `out`, which may have any
    /// length and alignment. A last block that does not fit is cut.
    ///
    /// This addresses the stream freely: nothing stops its caller from using a block twice.
    /// Protocols use [`stream`](Prg::stream).
    ///
    /// # Panics
    /// When `out` reaches beyond block 2^64 - 2.
    pub fn fill(&self, stream: u64, position: u64, out: &mut [u8]) {
        let _ = end_of(position, out.len());
        match &self.cipher {
            Cipher::Portable(cipher) => cipher.fill(stream, position, out),
            #[cfg(target_arch = "x86_64")]
            Cipher::X86(cipher) => cipher.fill(stream, position, out),
            #[cfg(feature = "testing")]
            Cipher::Script(cipher) => cipher.fill(stream, position, out),
        }
    }

    /// Gives the stream `id`, from its start. Taking `id` by value is what makes each stream be
    /// used once.
    #[must_use]
    pub fn stream(&self, id: StreamId) -> PrgStream<'_> {
        PrgStream { prg: self, stream: id.number(), position: 0 }
    }
}

#[cfg(feature = "testing")]
impl Prg {
    /// Makes a generator that is **not random**: stream 0 gives `bytes`, and there is no other. With it a test goes
    /// through every choice of masks, one per lane.
    #[must_use]
    pub fn insecure_scripted(bytes: Vec<u8>) -> Prg {
        let cipher = Cipher::Script(script::Cipher::new(bytes));
        Prg { cipher, backend: Backend::Portable }
    }
}

impl Cipher {
    fn portable(key: &Key) -> Cipher {
        Cipher::Portable(portable::Cipher::new(key))
    }
}

impl fmt::Debug for Prg {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Prg({})", self.backend.name())
    }
}

/// The block after the last of `len` bytes from block `position`.
#[inline]
fn end_of(position: u64, len: usize) -> u64 {
    position
        .checked_add(len.div_ceil(BLOCK) as u64)
        .expect("a random stream ends after 2^64 - 1 blocks")
}

/// A cursor over one stream. It is not `Clone`, and it only moves forward. The only way to see a word
/// twice is [`PrgStream::for_second_pass`].
#[derive(Debug)]
pub struct PrgStream<'a> {
    prg: &'a Prg,
    stream: u64,
    position: u64,
}

impl PrgStream<'_> {
    /// Fills `out` with the next blocks and advances by whole 16-byte blocks: what is left
    /// of a last, partly used block is dropped.
    ///
    /// # Panics
    /// At the end of the stream, after 2^64 - 1 blocks.
    pub fn fill<W: Word>(&mut self, out: &mut [W]) {
        let out = word::bytes_mut(out);
        let end = end_of(self.position, out.len());
        self.prg.fill(self.stream, self.position, out);
        self.position = end;
    }

    /// Makes another cursor at the same place, for a party that computes one step in two passes, at
    /// different times. Both passes must use each word for the same purpose, as one pass would.
    #[must_use]
    pub fn for_second_pass(&self) -> Self {
        PrgStream { prg: self.prg, stream: self.stream, position: self.position }
    }

    /// Gives the number of the next block.
    #[must_use]
    pub fn position(&self) -> u64 {
        self.position
    }
}
