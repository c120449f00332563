//! Packed bits.

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use tacit_ring::{Buffer, Prg, StreamIds};
use tacit_sharing::SharingError;
use zeroize::Zeroize;

/// Bytes of whole words of bits.
pub(crate) fn words(bits: usize) -> u64 {
    8 * bits.div_ceil(64) as u64
}

/// Bits, packed in words, the last one padded with zeros. Wiped when dropped.
pub struct Bits {
    /// 64 bits to a word.
    pub words: Vec<u64>,
    /// The number of bits.
    pub len: usize,
}

impl Bits {
    /// `len` zeros.
    #[must_use]
    pub fn zeros(len: usize) -> Self {
        Bits { words: vec![0; len.div_ceil(64)], len }
    }

    /// `len` bits of a stream that is not used yet.
    ///
    /// # Errors
    /// When there is none left.
    pub(crate) fn random(len: usize, prg: &Prg, ids: &mut StreamIds) -> Result<Self, SharingError> {
        let mut bits = Bits::zeros(len);
        prg.stream(ids.step()?.single()).fill(&mut bits.words);
        if let Some(last) = bits.words.last_mut() {
            *last &= u64::MAX >> ((64 - len % 64) % 64);
        }
        Ok(bits)
    }

    /// Adds other bits, as many.
    pub(crate) fn add(&mut self, words: &[u64]) {
        self.words.iter_mut().zip(words).for_each(|(word, other)| *word ^= other);
    }

    /// Bit `i`.
    #[must_use]
    pub fn get(&self, i: usize) -> bool {
        self.words[i / 64] >> (i % 64) & 1 == 1
    }

    /// Adds `bit` to bit `i`.
    pub fn flip_if(&mut self, i: usize, bit: bool) {
        self.words[i / 64] ^= u64::from(bit) << (i % 64);
    }
}

impl Drop for Bits {
    fn drop(&mut self) {
        self.words.zeroize();
    }
}

impl Serialize for Bits {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        (self.len, Buffer::from_slice(&self.words)).serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Bits {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let (len, words) = <(usize, Buffer<u64>)>::deserialize(deserializer)?;
        match words.len() == len.div_ceil(64) {
            true => Ok(Bits { words: words.to_vec(), len }),
            false => Err(serde::de::Error::custom("bits of another length")),
        }
    }
}
