//! How secrets are written to a party's own store: words as the bytes that they are, whatever their values.
//! There is no form that people could read: formats such as JSON refuse these types.

use crate::{Buffer, Seed, Word, word};
use serde::de::{Error, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt;
use std::marker::PhantomData;
use std::ops::DerefMut;
use zeroize::Zeroizing;

fn put<S: Serializer>(bytes: &[u8], serializer: S) -> Result<S::Ok, S::Error> {
    match serializer.is_human_readable() {
        true => Err(serde::ser::Error::custom("secrets have no readable form")),
        false => serializer.serialize_bytes(bytes),
    }
}

impl<W: Word> Serialize for Buffer<W> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        put(word::bytes(self), serializer)
    }
}

impl<'de, W: Word> Deserialize<'de> for Buffer<W> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_bytes(Words(PhantomData, PhantomData))
    }
}

/// Makes lists of zero words that are read into.
trait Zeros<W>: DerefMut<Target = [W]> {
    fn zeros(len: usize) -> Self;
}

impl<W: Word> Zeros<W> for Buffer<W> {
    fn zeros(len: usize) -> Self {
        Buffer::zeros(len)
    }
}

impl<W: Word> Zeros<W> for Vec<W> {
    fn zeros(len: usize) -> Self {
        vec![W::ZERO; len]
    }
}

struct Words<W, L>(PhantomData<W>, PhantomData<L>);

impl<W: Word, L: Zeros<W>> Visitor<'_> for Words<W, L> {
    type Value = L;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("words as bytes")
    }

    fn visit_bytes<E: Error>(self, bytes: &[u8]) -> Result<L, E> {
        if !bytes.len().is_multiple_of(size_of::<W>()) {
            return Err(E::invalid_length(bytes.len(), &self));
        }
        let mut words = L::zeros(bytes.len() / size_of::<W>());
        word::bytes_mut(&mut words).copy_from_slice(bytes);
        Ok(words)
    }
}

/// The serde form of lists of words, for `#[serde(with = "tacit_ring::stored::list")]`.
pub mod list {
    use super::*;

    /// Writes the words as bytes.
    ///
    /// # Errors
    /// Those of the serializer.
    pub fn serialize<W, L, S>(list: &L, serializer: S) -> Result<S::Ok, S::Error>
    where
        W: Word,
        L: AsRef<[W]>,
        S: Serializer,
    {
        put(word::bytes(list.as_ref()), serializer)
    }

    /// Reads words from bytes, into a list that may be one that is wiped when it is dropped.
    ///
    /// # Errors
    /// When the bytes are not a whole number of words.
    pub fn deserialize<'de, W, L, D>(deserializer: D) -> Result<L, D::Error>
    where
        W: Word,
        L: From<Vec<W>>,
        D: Deserializer<'de>,
    {
        Ok(L::from(deserializer.deserialize_bytes(Words(PhantomData, PhantomData))?))
    }
}

/// The serde form of single blocks, for `#[serde(with = "tacit_ring::stored::block")]`.
pub mod block {
    use super::*;

    /// Writes the block as sixteen bytes.
    ///
    /// # Errors
    /// Those of the serializer.
    pub fn serialize<S: Serializer>(
        block: &Zeroizing<u128>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        put(&*Zeroizing::new(block.to_le_bytes()), serializer)
    }

    /// Reads the block from its bytes.
    ///
    /// # Errors
    /// When there are not sixteen bytes.
    pub fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Zeroizing<u128>, D::Error> {
        match *Buffer::<u128>::deserialize(deserializer)? {
            [block] => Ok(Zeroizing::new(block)),
            _ => Err(D::Error::custom("a block of another length")),
        }
    }
}

/// A single secret block, which is stored as sixteen bytes and wiped when it is dropped.
#[derive(Serialize, Deserialize)]
pub struct Block(#[serde(with = "block")] pub Zeroizing<u128>);

impl Serialize for Seed {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        put(self.expose(), serializer)
    }
}

impl<'de> Deserialize<'de> for Seed {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Seed, D::Error> {
        let bytes = Buffer::<u8>::deserialize(deserializer)?;
        let bytes = <[u8; Seed::LEN]>::try_from(&*bytes);
        bytes.map(Seed::from_bytes).map_err(|_| D::Error::custom("a seed of another length"))
    }
}
