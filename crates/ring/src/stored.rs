//! How secrets are written to a party's own store: words as the bytes that they are, whatever their values.
//! They have no form that people could read: formats such as JSON refuse them.

use crate::{Buffer, Seed, Word, word};
use serde::de::{Error, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt;
use std::marker::PhantomData;
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
        deserializer.deserialize_bytes(Words(PhantomData))
    }
}

struct Words<W>(PhantomData<W>);

impl<W: Word> Visitor<'_> for Words<W> {
    type Value = Buffer<W>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("words as bytes")
    }

    fn visit_bytes<E: Error>(self, bytes: &[u8]) -> Result<Buffer<W>, E> {
        if !bytes.len().is_multiple_of(size_of::<W>()) {
            return Err(E::invalid_length(bytes.len(), &self));
        }
        let mut words = Buffer::zeros(bytes.len() / size_of::<W>());
        word::bytes_mut(&mut words).copy_from_slice(bytes);
        Ok(words)
    }
}

/// Lists of words: `#[serde(with = "tacit_ring::stored::list")]`.
pub mod list {
    use super::*;
    use std::ops::Deref;

    /// As bytes.
    ///
    /// # Errors
    /// Those of the serializer.
    pub fn serialize<W, L, S>(list: &L, serializer: S) -> Result<S::Ok, S::Error>
    where
        W: Word,
        L: Deref<Target = Vec<W>>,
        S: Serializer,
    {
        put(word::bytes(list), serializer)
    }

    /// From bytes.
    ///
    /// # Errors
    /// When they are not whole words.
    pub fn deserialize<'de, W, D>(deserializer: D) -> Result<Zeroizing<Vec<W>>, D::Error>
    where
        W: Word + zeroize::Zeroize,
        D: Deserializer<'de>,
    {
        Ok(Zeroizing::new(Buffer::<W>::deserialize(deserializer)?.to_vec()))
    }
}

/// Single blocks: `#[serde(with = "tacit_ring::stored::block")]`.
pub mod block {
    use super::*;

    /// As sixteen bytes.
    ///
    /// # Errors
    /// Those of the serializer.
    pub fn serialize<S: Serializer>(
        block: &Zeroizing<u128>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        put(&*Zeroizing::new(block.to_le_bytes()), serializer)
    }

    /// From bytes.
    ///
    /// # Errors
    /// When there are not so many.
    pub fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Zeroizing<u128>, D::Error> {
        match *Buffer::<u128>::deserialize(deserializer)? {
            [block] => Ok(Zeroizing::new(block)),
            _ => Err(D::Error::custom("a block of another length")),
        }
    }
}

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
