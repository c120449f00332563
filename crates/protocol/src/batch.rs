//! How many products are checked together, where that is asked for.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// The largest bucket: numbers that are compared with each other.
pub const LARGEST_BUCKET: u8 = 64;

/// How many products are checked together, or made from which others are: at most, but for what is left over and
/// for sums, which are not cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct BatchSize {
    products: u32,
    bucket: Option<u8>,
}

impl BatchSize {
    /// Products of a batch at most.
    pub const MOST: u32 = 1 << 24;

    /// So many products, of buckets of any size; nothing if they are none, or too many.
    #[must_use]
    pub fn new(products: u32) -> Option<Self> {
        let fits = (1..=Self::MOST).contains(&products);
        fits.then_some(BatchSize { products, bucket: None })
    }

    /// The same in buckets of so many; nothing for what is no bucket.
    #[must_use]
    pub fn in_buckets(self, bucket: u8) -> Option<Self> {
        let fits = (2..=LARGEST_BUCKET).contains(&bucket);
        fits.then_some(BatchSize { bucket: Some(bucket), ..self })
    }

    /// The products.
    #[must_use]
    pub fn products(self) -> u32 {
        self.products
    }

    /// How many products are compared with each other, where that was asked for.
    #[must_use]
    pub fn bucket(self) -> Option<u8> {
        self.bucket
    }
}

/// That is no size of batches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "a batch has 1 to {most} products; 4096x5 are 4096 in buckets of five, and buckets have 2 to \
     {largest}",
    most = BatchSize::MOST,
    largest = LARGEST_BUCKET
)]
pub struct UnknownBatch;

impl FromStr for BatchSize {
    type Err = UnknownBatch;

    fn from_str(text: &str) -> Result<Self, UnknownBatch> {
        let (products, bucket) = match text.split_once('x') {
            Some((products, bucket)) => (products, Some(bucket)),
            None => (text, None),
        };
        let batch = products.parse().ok().and_then(BatchSize::new).ok_or(UnknownBatch)?;
        match bucket {
            None => Ok(batch),
            Some(bucket) => {
                bucket.parse().ok().and_then(|size| batch.in_buckets(size)).ok_or(UnknownBatch)
            }
        }
    }
}

impl TryFrom<String> for BatchSize {
    type Error = UnknownBatch;

    fn try_from(text: String) -> Result<Self, UnknownBatch> {
        text.parse()
    }
}

impl From<BatchSize> for String {
    fn from(batch: BatchSize) -> String {
        batch.to_string()
    }
}

impl fmt::Display for BatchSize {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.products)?;
        self.bucket.map_or(Ok(()), |bucket| write!(f, "x{bucket}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_read_as_they_are_written() {
        for text in ["1", "4096", "16777216", "4688x4", "1x64", "7x2"] {
            let batch: BatchSize = text.parse().unwrap();
            assert_eq!(batch.to_string(), text);
        }
        for text in ["", "0", "16777217", "-1", "x3", "4096x", "4096x1", "4096x65", "4096:3", "1e3"]
        {
            assert_eq!(text.parse::<BatchSize>(), Err(UnknownBatch), "{text}");
        }
    }
}
