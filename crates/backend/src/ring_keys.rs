//! The keys and buffers of every ring that programs compute in.

use tacit_ring::{Word, Z2};
use tacit_sharing::party::Keys;
use tacit_sharing::products::Scratch;
use tacit_sharing::setup::Secrets;

/// The keys and buffers of one ring.
pub(super) struct RingContext<W> {
    pub keys: Keys,
    pub scratch: Scratch<W>,
}

impl<W: Word> RingContext<W> {
    fn all(
        secrets: &mut Secrets,
        purpose: &str,
        workers: usize,
    ) -> impl Iterator<Item = Self> + use<W> {
        let keys = secrets.keys(purpose, W::BITS, workers);
        keys.into_iter().map(|keys| RingContext { keys, scratch: Scratch::default() })
    }
}

/// One worker's keys, for every ring.
pub struct RingKeys {
    bits: RingContext<Z2>,
    numbers: NumberKeys,
}

/// One worker's keys for the rings of machine words.
pub(super) struct NumberKeys {
    w32: RingContext<u32>,
    w64: RingContext<u64>,
    w128: RingContext<u128>,
}

impl RingKeys {
    /// Fresh keys of all workers.
    #[must_use]
    pub fn new(secrets: &mut Secrets, workers: usize) -> Vec<RingKeys> {
        Self::of(secrets, "program", workers)
    }

    /// Fresh keys of all workers, to make triples that are stored. The session that uses the triples draws under other
    /// keys.
    #[must_use]
    pub fn for_triples(secrets: &mut Secrets, workers: usize) -> Vec<RingKeys> {
        Self::of(secrets, "triples of a program", workers)
    }

    fn of(secrets: &mut Secrets, purpose: &str, workers: usize) -> Vec<RingKeys> {
        let bits = RingContext::all(secrets, purpose, workers);
        let w32 = RingContext::all(secrets, purpose, workers);
        let w64 = RingContext::all(secrets, purpose, workers);
        let w128 = RingContext::all(secrets, purpose, workers);
        let rings = bits.zip(w32).zip(w64.zip(w128));
        let keys =
            |((bits, w32), (w64, w128))| RingKeys { bits, numbers: NumberKeys { w32, w64, w128 } };
        rings.map(keys).collect()
    }

    /// Splits off the keys for bits from those for numbers.
    pub(super) fn split(self) -> (RingContext<Z2>, NumberKeys) {
        (self.bits, self.numbers)
    }
}

/// A word that a party has keys for.
pub(super) trait Held: Word {
    /// The keys and buffers of its ring.
    fn bench<'k>(
        bits: &'k mut RingContext<Z2>,
        numbers: &'k mut NumberKeys,
    ) -> &'k mut RingContext<Self>;
}

impl Held for Z2 {
    fn bench<'k>(
        bits: &'k mut RingContext<Z2>,
        _: &'k mut NumberKeys,
    ) -> &'k mut RingContext<Self> {
        bits
    }
}

impl Held for u32 {
    fn bench<'k>(
        _: &'k mut RingContext<Z2>,
        numbers: &'k mut NumberKeys,
    ) -> &'k mut RingContext<Self> {
        &mut numbers.w32
    }
}

impl Held for u64 {
    fn bench<'k>(
        _: &'k mut RingContext<Z2>,
        numbers: &'k mut NumberKeys,
    ) -> &'k mut RingContext<Self> {
        &mut numbers.w64
    }
}

impl Held for u128 {
    fn bench<'k>(
        _: &'k mut RingContext<Z2>,
        numbers: &'k mut NumberKeys,
    ) -> &'k mut RingContext<Self> {
        &mut numbers.w128
    }
}
