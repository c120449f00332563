//! Proofs that products among three parties are right, though one of them may cheat (spec 8.3, 9.1).
//!
//! Products are those of [`replicated`](crate::replicated) sharing: each party sends one word, and
//! all that a cheat can do is to add something that it chooses, without knowing the values, to a
//! result. A [`Party`](crate::party::Party) keeps factors and results of all products. When there
//! are many, and before anything is given out, the parties prove them together: bits in a field of
//! 2^64 elements ([`bits`]), words of a ring through integers ([`lift`]). Both end in an inner
//! product that is proven with messages of logarithmic size ([`fold`]).
//!
//! A proof itself opens nothing but masked values. What it finds goes into the transcripts that
//! [`verify`](crate::verify) compares, which tells one bit: whether all is well.

mod bits;
mod field;
mod fold;
mod lift;
mod talk;
#[cfg(test)]
mod tests;
mod wide;

use crate::party::{Keys, Party, SharingError};
use crate::shares::Runs;
use std::any::Any;
use std::collections::BTreeMap;
use std::ops::Range;
use tacit_net::Phase;
use tacit_ring::{Buffer, Word, word};
use talk::Talk;

/// Products of bits that are proven together, in words.
const BIT_WORDS: usize = 1 << 17;
/// Products of a ring that are proven together.
const TERMS: usize = 1 << 18;

/// Products of bits that are summed up, proven together, in words: each bit is an element then.
const SUM_WORDS: usize = 1 << 12;

/// What is proven in the same way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Class {
    /// Bits of a ring element.
    bits: u32,
    /// Whether products of bits are summed up.
    sums: bool,
}

impl Class {
    fn new(bits: u32, terms: usize) -> Self {
        Class { bits, sums: bits == 1 && terms != 1 }
    }

    /// Words of factors that are proven together: as few results as reach this.
    fn limit(self) -> usize {
        match self {
            Class { bits: 1, sums: false } => BIT_WORDS,
            Class { bits: 1, sums: true } => SUM_WORDS,
            _ => TERMS,
        }
    }

    /// Terms of a sum at most: integers of sums have room for no more, and sums of bits are proven
    /// element by element.
    fn most_terms(self) -> usize {
        if self.sums { 1 << 16 } else { 1 << 28 }
    }

    /// Bytes back and forth and rounds of one proof of so many words of factors.
    fn cost(self, terms: usize) -> (u64, u64, u64) {
        let (cost, more) = match self {
            Class { bits: 1, sums: false } => (bits::cost(terms), 0),
            Class { bits: 1, sums: true } => (bits::cost_of_sums(terms), 0),
            Class { bits, .. } => lift::cost(bits, terms),
        };
        (8 * cost.words + more + 32 * cost.coins, 32 * cost.coins, cost.rounds)
    }
}

/// A party's products that are not proven yet, and its keys for proofs.
pub struct Proofs {
    keys: Keys,
    /// One per class.
    pending: Vec<Box<dyn Pending>>,
    scratch: Scratch,
}

/// Room for vectors of elements, used again from proof to proof.
#[derive(Default)]
struct Scratch {
    columns: [[Buffer<u64>; 2]; 2],
}

impl Scratch {
    /// Two vectors of `len` elements with any content.
    fn columns(&mut self, len: usize) -> [[&mut [u64]; 2]; 2] {
        self.columns.each_mut().map(|column| column.each_mut().map(|run| run.sized(len)))
    }
}

impl Proofs {
    /// Keys must be fresh.
    pub(crate) fn new(keys: Keys) -> Self {
        Proofs { keys, pending: Vec::new(), scratch: Scratch::default() }
    }

    /// Whether all products are proven.
    pub(crate) fn is_done(&self) -> bool {
        self.pending.iter().all(|products| products.terms() == 0)
    }

    /// Whether there are so many products that they should be proven now.
    pub(crate) fn is_full(&self) -> bool {
        self.pending.iter().any(|products| products.terms() >= products.class().limit())
    }

    /// The products of words of `W`.
    fn products<W: Word>(&mut self, class: Class) -> &mut Products<W> {
        let known = self.pending.iter().position(|products| products.class() == class);
        let at = known.unwrap_or_else(|| {
            self.pending.push(Box::new(Products::<W>::new(class)));
            self.pending.len() - 1
        });
        self.pending[at].as_any_mut().downcast_mut().expect("of this type")
    }

    /// Keeps results, each the sum of the products of `terms` factors.
    pub(crate) fn keep<W: Word>(
        &mut self,
        [x, y]: [Runs<'_, W>; 2],
        z: Runs<'_, W>,
        terms: usize,
    ) -> Result<(), SharingError> {
        if x[0].len() != z[0].len() * terms || y[0].len() != x[0].len() {
            return Err(SharingError::Shape("a proof of products that do not fit".into()));
        }
        let class = Class::new(W::BITS, terms);
        let most = class.most_terms();
        if terms > most {
            return Err(SharingError::Shape(format!(
                "a sum of {terms} products is proven as a whole, and that is more than {most}"
            )));
        }
        if terms == 0 {
            // A sum of no products is one of zeros: its result was sent like any other.
            let zeros = vec![W::ZERO; z[0].len()];
            let zeros: Runs<'_, W> = [&zeros, &zeros, &[]];
            return self.keep([zeros, zeros], z, 1);
        }
        let products = self.products::<W>(class);
        for c in 0..2 {
            products.x[c].extend(x[c]);
            products.y[c].extend(y[c]);
            products.z[c].extend(z[c]);
        }
        push_run(&mut products.runs, z[0].len(), terms);
        Ok(())
    }

    /// Proves all whole batches of products, and what is left over if `all` is set.
    pub(crate) fn prove(&mut self, party: &mut Party<'_>, all: bool) -> Result<(), SharingError> {
        let place = party.mesh().place();
        party.mesh().set_phase(Phase::Verify);
        for products in &mut self.pending {
            while products.terms() >= products.class().limit() || (all && products.terms() > 0) {
                let draws = self.keys.streams().draws()?;
                products.prove(&mut Talk::new(party, draws), &mut self.scratch)?;
            }
        }
        party.mesh().set_phase(place.phase);
        Ok(())
    }
}

/// Adds results to runs of such with equal numbers of terms.
fn push_run(runs: &mut Vec<(usize, usize)>, results: usize, terms: usize) {
    match runs.last_mut() {
        Some((before, each)) if *each == terms => *before += results,
        _ => runs.push((results, terms)),
    }
}

/// Products of some ring.
trait Pending: Send {
    fn as_any_mut(&mut self) -> &mut dyn Any;
    fn class(&self) -> Class;
    /// Words of factors.
    fn terms(&self) -> usize;
    /// Proves and forgets a batch.
    fn prove(
        &mut self,
        talk: &mut Talk<'_, '_, '_>,
        scratch: &mut Scratch,
    ) -> Result<(), SharingError>;
}

/// Factors and results of products, component by component: the party's own, and the next role's.
struct Products<W> {
    class: Class,
    x: [Growing<W>; 2],
    y: [Growing<W>; 2],
    z: [Growing<W>; 2],
    /// Results, and the terms of each.
    runs: Vec<(usize, usize)>,
}

impl<W: Word> Products<W> {
    fn new(class: Class) -> Self {
        Products {
            class,
            x: Default::default(),
            y: Default::default(),
            z: Default::default(),
            runs: Vec::new(),
        }
    }
}

impl<W: Word> Pending for Products<W> {
    fn as_any_mut(&mut self) -> &mut dyn Any {
        self
    }

    fn class(&self) -> Class {
        self.class
    }

    fn terms(&self) -> usize {
        self.x[0].len
    }

    fn prove(
        &mut self,
        talk: &mut Talk<'_, '_, '_>,
        scratch: &mut Scratch,
    ) -> Result<(), SharingError> {
        let runs = first_batch(&mut self.runs, self.class.limit());
        let results = runs.iter().map(|(results, _)| results).sum();
        let terms = runs.iter().map(|(results, terms)| results * terms).sum();
        let [x, y] = [&self.x, &self.y].map(|columns| first(columns, terms));
        let z = first(&self.z, results);
        match self.class {
            Class { bits: 1, sums } => {
                let (factors, z) = ([x, y].map(|xs| xs.map(word::as_u64)), z.map(word::as_u64));
                match sums {
                    false => bits::prove(talk, scratch, factors, z)?,
                    true => bits::prove_sums(talk, factors, z, &runs)?,
                }
            }
            _ => lift::prove(talk, scratch, &Batch { x, y, z, runs })?,
        }
        for column in self.x.iter_mut().chain(&mut self.y) {
            column.forget(terms);
        }
        self.z.iter_mut().for_each(|column| column.forget(results));
        Ok(())
    }
}

/// Takes the runs of the first results whose terms are `limit` or more, or of all.
fn first_batch(runs: &mut Vec<(usize, usize)>, limit: usize) -> Vec<(usize, usize)> {
    let (mut batch, mut rest, mut left) = (Vec::new(), Vec::new(), limit);
    for (results, terms) in runs.drain(..) {
        let take = if terms == 0 { results } else { results.min(left.div_ceil(terms)) };
        left = left.saturating_sub(take * terms);
        if take > 0 {
            batch.push((take, terms));
        }
        if take < results {
            rest.push((results - take, terms));
        }
    }
    *runs = rest;
    batch
}

fn first<W: Word>(columns: &[Growing<W>; 2], len: usize) -> [&[W]; 2] {
    columns.each_ref().map(|column| &column.buffer[..len])
}

/// Products that are proven together.
struct Batch<'a, W> {
    x: [&'a [W]; 2],
    y: [&'a [W]; 2],
    z: [&'a [W]; 2],
    runs: Vec<(usize, usize)>,
}

impl<W: Word> Batch<'_, W> {
    fn terms(&self) -> usize {
        self.x[0].len()
    }

    fn results(&self) -> usize {
        self.z[0].len()
    }

    /// Whether every result is one product.
    fn is_single(&self) -> bool {
        self.runs.iter().all(|(_, terms)| *terms == 1)
    }

    /// The terms of each result.
    #[inline(always)]
    fn each_terms(&self) -> impl Iterator<Item = Range<usize>> {
        let runs = self.runs.iter().flat_map(|(results, terms)| (0..*results).map(|_| *terms));
        runs.scan(0, |start, terms| {
            *start += terms;
            Some(*start - terms..*start)
        })
    }

    /// Both factors of a term.
    #[inline(always)]
    fn term(&self, at: usize) -> [[W; 2]; 2] {
        [[self.x[0][at], self.x[1][at]], [self.y[0][at], self.y[1][at]]]
    }

    #[inline(always)]
    fn result(&self, at: usize) -> [W; 2] {
        [self.z[0][at], self.z[1][at]]
    }
}

/// Words that are added one run after the other; wiped like a [`Buffer`].
struct Growing<W> {
    buffer: Buffer<W>,
    len: usize,
}

impl<W> Default for Growing<W> {
    fn default() -> Self {
        Growing { buffer: Buffer::default(), len: 0 }
    }
}

impl<W: Word> Growing<W> {
    fn extend(&mut self, words: &[W]) {
        let end = self.len + words.len();
        if end > self.buffer.len() {
            let mut larger = Buffer::zeros(end.next_power_of_two());
            larger[..self.len].copy_from_slice(&self.buffer[..self.len]);
            self.buffer = larger;
        }
        self.buffer[self.len..end].copy_from_slice(words);
        self.len = end;
    }

    fn forget(&mut self, first: usize) {
        self.buffer.copy_within(first..self.len, 0);
        self.len -= first;
    }
}

/// What proofs cost one role, for products added in order. All roles pay the same.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Bill {
    /// Products that are not proven yet.
    pending: BTreeMap<Class, Vec<(usize, usize)>>,
    /// Bytes from each role to the previous one.
    pub backward: u64,
    /// Bytes from each role to the next one.
    pub forward: u64,
    /// Rounds.
    pub rounds: u64,
}

impl Bill {
    /// Adds results over words of `bits` bits, each a sum of so many products, in words.
    pub fn add(&mut self, bits: u32, results: usize, terms: usize) {
        let terms = terms.max(1);
        let class = Class::new(bits, terms);
        let mut runs = self.pending.remove(&class).unwrap_or_default();
        push_run(&mut runs, results, terms);
        while total(&runs) >= class.limit() {
            self.pay(class, &first_batch(&mut runs, class.limit()));
        }
        self.pending.insert(class, runs);
    }

    fn pay(&mut self, class: Class, batch: &[(usize, usize)]) {
        let (backward, forward, rounds) = class.cost(total(batch));
        self.backward += backward;
        self.forward += forward;
        self.rounds += rounds;
    }

    /// Proves what is left.
    pub fn finish(&mut self) {
        for (class, runs) in std::mem::take(&mut self.pending) {
            if total(&runs) > 0 {
                self.pay(class, &runs);
            }
        }
    }
}

fn total(runs: &[(usize, usize)]) -> usize {
    runs.iter().map(|(results, terms)| results * terms).sum()
}
