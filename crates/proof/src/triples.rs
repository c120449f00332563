//! Triples, made in batches, each used once: what is not taken yet is all there is.
//!
//! What their checks find goes into the transcripts, which are compared before anything opens: until then
//! products are made from triples that may be wrong. That shows nobody anything: whatever a cheat does, one
//! component of both factors of a triple is uniform to it, so what opens under them is; a wrong product is
//! off by what the cheat chose without knowing the values; and nothing ends a run early but what the cheat
//! itself sent, discarded triples, and public values.

use super::channel::ProofChannel;
use super::integers::{self, Factors};
use super::method::{Method, OfBaseline, Source, proven};
use super::redundant::{self, Claims};
use super::single::{self, Check};
use super::{Charge, Proving, Scratch, Strength, Triples, buckets};
use std::ops::Range;
use tacit_protocol::{Protocol, Status};
use tacit_ring::{Buffer, Word};
use tacit_sharing::SharingError;

/// The first batch, where nobody said how many are coming, in words.
const FIRST: usize = 16;

/// How triples are made and checked.
#[derive(Clone, Copy, Debug)]
pub(super) struct How {
    pub source: Source,
    pub proving: Proving,
}

impl How {
    /// How groups of triples are made that are checked by cut and choose.
    fn buckets(self, bits: u32, wanted: usize) -> buckets::Sizes {
        buckets::Sizes::for_triples(bits, self.proving, wanted)
    }
}

/// How many triples of a ring are made next.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Batches {
    /// Words that were said to be coming.
    pub expected: usize,
    /// Words that were made.
    pub made: usize,
}

impl Batches {
    /// The next batch: what is expected, the last one up to twice as large as others; else as much again as
    /// there was.
    fn next(self, how: How, bits: u32) -> usize {
        let most = most(how, bits);
        match self.expected.saturating_sub(self.made) {
            0 => self.made.max(FIRST).min(most),
            left if left < 2 * most => left,
            _ => most,
        }
    }

    /// Makes what is still missing of so many words in all, and adds up what it costs.
    pub fn pay(&mut self, how: How, bits: u32, words: usize) -> Charge {
        let mut charge = Charge::default();
        while self.made < words {
            let batch = self.next(how, bits);
            charge += cost(how, bits, batch);
            self.made += made(how, bits, batch);
        }
        charge
    }
}

/// How triples of words of `bits` bits are made; those of bits are always made by [`Source::Buckets`].
pub(super) fn source_of(source: Source, bits: u32) -> Source {
    if bits == 1 { Source::Buckets } else { source }
}

/// Words of a batch at most.
pub(super) fn most(How { source, proving }: How, bits: u32) -> usize {
    let usual = match (source_of(source, bits), bits) {
        (Source::Buckets, 1) => 1 << 14,
        // Enough for buckets of three.
        (Source::Buckets, _) => 1 << 19,
        _ => 1 << 16,
    };
    proving.batch_or(bits, usual)
}

/// Words that a batch of `wanted` has.
fn made(how: How, bits: u32, wanted: usize) -> usize {
    match source_of(how.source, bits) {
        Source::Buckets => how.buckets(bits, wanted).kept,
        _ => wanted,
    }
}

fn cost(how: How, bits: u32, wanted: usize) -> Charge {
    let How { source, proving: Proving { strength, .. } } = how;
    match source_of(source, bits) {
        Source::Buckets => buckets::cost_of_triples(bits, how.buckets(bits, wanted)),
        Source::Sacrifice => {
            let each = redundant::bytes(bits, strength) as u64;
            redundant::cost(bits, strength, wanted, wanted)
                + Charge { bytes: each * wanted as u64, coins: 0, rounds: 1 }
        }
        Source::Single => single::cost(Check::OneByOne, bits, wanted),
        Source::Polynomials => single::cost(Check::InBlocks, bits, wanted),
        Source::Batch => integers::cost(Factors::Dealt, strength, bits, wanted),
        Source::Integers => integers::cost(Factors::Known, strength, bits, wanted),
    }
}

fn make<W: Word>(
    channel: &mut ProofChannel<'_, '_, '_>,
    scratch: &mut Scratch,
    how: How,
    wanted: usize,
) -> Result<Triples<W>, SharingError> {
    let How { source, proving: Proving { strength, .. } } = how;
    match source_of(source, W::BITS) {
        Source::Buckets => buckets::triples(channel, how.buckets(W::BITS, wanted)),
        Source::Sacrifice if W::BITS == 128 => {
            sacrificed::<W, redundant::U192>(channel, strength, wanted)
        }
        Source::Sacrifice => sacrificed::<W, u128>(channel, strength, wanted),
        Source::Single | Source::Polynomials | Source::Batch if strength != Strength::Usual => {
            Err(SharingError::Shape(
                "triples of dealt integers have the usual statistical parameter only".into(),
            ))
        }
        Source::Single => single::triples(channel, Check::OneByOne, wanted),
        Source::Polynomials => single::triples(channel, Check::InBlocks, wanted),
        Source::Batch => integers::triples(channel, scratch, (Factors::Dealt, strength), wanted),
        Source::Integers => integers::triples(channel, scratch, (Factors::Known, strength), wanted),
    }
}

/// Random products of redundant words (`docs/spec/malicious-3pc-rings.md` section 5.5).
fn sacrificed<W: Word, E: Word>(
    channel: &mut ProofChannel<'_, '_, '_>,
    strength: Strength,
    n: usize,
) -> Result<Triples<W>, SharingError> {
    let [x, y] = [channel.shared::<E>(n), channel.shared::<E>(n)];
    let each = redundant::bytes(W::BITS, strength);
    let z = redundant::reshare(channel, each, &redundant::summands(&x, &y))?;
    fn runs<E: Word>(pair: &[Buffer<E>; 2]) -> super::Two<'_, E> {
        pair.each_ref().map(|run| &run[..])
    }
    let one = [(n, 1)];
    let claims = Claims { each, x: runs(&x), y: runs(&y), z: runs(&z), runs: &one };
    redundant::sacrifice(channel, strength, &claims)?;
    Ok([x, y, z].map(|pair| pair.map(|run| redundant::reduced(&run))))
}

/// The triples of a ring that are not used up.
pub(super) struct Pool<W> {
    triples: Triples<W>,
    /// Where products begin that are not finished.
    finished: usize,
    /// Where triples begin that are not taken.
    begun: usize,
    pub batches: Batches,
}

impl<W: Word> Default for Pool<W> {
    fn default() -> Self {
        let (triples, batches) = (Default::default(), Batches::default());
        Pool { triples, finished: 0, begun: 0, batches }
    }
}

impl<W: Word> Pool<W> {
    fn len(&self) -> usize {
        self.triples[0][0].len()
    }

    /// Whether so many words are there to be taken.
    pub fn has(&self, words: usize) -> bool {
        self.len() - self.begun >= words
    }

    /// Whether every product that begun was finished.
    pub fn is_settled(&self) -> bool {
        self.begun == self.finished
    }

    /// Makes a batch more.
    pub fn grow(
        &mut self,
        channel: &mut ProofChannel<'_, '_, '_>,
        scratch: &mut Scratch,
        how: How,
    ) -> Result<(), SharingError> {
        let batch = make(channel, scratch, how, self.batches.next(how, W::BITS))?;
        self.batches.made += batch[0][0].len();
        if self.finished == self.len() {
            self.triples = batch;
        } else {
            for (old, new) in self.triples.iter_mut().flatten().zip(batch.iter().flatten()) {
                let left = &old[self.finished..];
                let mut joined = Buffer::zeros(left.len() + new.len());
                joined[..left.len()].copy_from_slice(left);
                joined[left.len()..].copy_from_slice(new);
                *old = joined;
            }
        }
        self.begun -= self.finished;
        self.finished = 0;
        Ok(())
    }

    /// Hands out what is not taken.
    pub fn take_all(&mut self) -> Triples<W> {
        let left = self.begun..self.len();
        let all = self
            .triples
            .each_ref()
            .map(|pair| pair.each_ref().map(|run| Buffer::from_slice(&run[left.clone()])));
        *self = Pool::default();
        all
    }

    /// Has these triples and no others.
    pub fn hold(&mut self, triples: Triples<W>) -> Result<(), SharingError> {
        let made = triples[0][0].len();
        if !triples.iter().flatten().all(|run| run.len() == made) {
            return Err(SharingError::Shape("triples of which parts are missing".into()));
        }
        *self = Pool { triples, batches: Batches { made, ..self.batches }, finished: 0, begun: 0 };
        Ok(())
    }

    fn part(&self, at: Range<usize>) -> [super::Two<'_, W>; 3] {
        self.triples.each_ref().map(|pair| pair.each_ref().map(|run| &run[at.clone()]))
    }

    /// The next triples, which no other product gets.
    pub fn begin(&mut self, words: usize) -> [super::Two<'_, W>; 3] {
        self.begun += words;
        self.part(self.begun - words..self.begun)
    }

    /// The triples of the first products that are not finished.
    pub fn finish(&mut self, words: usize) -> [super::Two<'_, W>; 3] {
        self.finished += words;
        self.part(self.finished - words..self.finished)
    }
}

/// Brain with triples on redundant shares, by a sacrifice each.
pub const BRAIN_SACRIFICE: Protocol = Protocol::new(&proven(
    "brain-sacrifice",
    ["brain.md", "to compare: triples checked by a sacrifice each; a short online phase"],
    &OfBaseline(|it| Method::Brain(Source::Sacrifice, it)),
    (Some("brain-sacrifice@64"), [false, false]),
    Status::Baseline,
));

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{BatchSize, Method};
    use tacit_protocol::Baseline;

    const HERE: Baseline = Baseline::HERE.unwrap();

    fn how(source: Source, batch: Option<BatchSize>) -> How {
        let proving =
            Proving { method: Method::Brain(source, HERE), strength: Strength::Usual, batch };
        How { source, proving }
    }

    #[test]
    fn many_triples_cost_what_the_docs_say() {
        for (source, bytes) in [
            (Source::Sacrifice, 39),
            (Source::Buckets, 56),
            (Source::Integers, 25),
            (Source::Batch, 61),
            (Source::Single, 131),
            (Source::Polynomials, 96),
        ] {
            for words in [1 << 19, (1 << 19) + 1, 1 << 20, 3_000_000] {
                let mut batches = Batches { expected: words, made: 0 };
                let how = how(source, None);
                let paid = batches.pay(how, 64, words).bytes;
                let least = bytes * words as u64;
                assert!(paid >= least && paid < least * 102 / 100, "{source:?} {words}: {paid}");
            }
        }
    }
}
