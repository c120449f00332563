//! Products that are kept to be proven later.

use super::channel::ProofChannel;
use super::{Class, Method, Pending, Proving, Scratch, bits, galois, lift};
use std::any::Any;
use std::ops::Range;
use tacit_ring::{Word, word};
use tacit_sharing::SharingError;
use tacit_sharing::growing::Growing;

/// Factors and results of products, component by component: the party's own, and the next role's.
pub(super) struct Products<W> {
    pub class: Class,
    pub proving: Proving,
    pub x: [Growing<W>; 2],
    pub y: [Growing<W>; 2],
    pub z: [Growing<W>; 2],
    /// Results, and the terms of each.
    pub runs: Vec<(usize, usize)>,
}

impl<W: Word> Products<W> {
    pub fn new(class: Class, proving: Proving) -> Self {
        Products {
            class,
            proving,
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

    fn is_of(&self, class: Class) -> bool {
        self.class == class
    }

    fn terms(&self) -> usize {
        self.x[0].len
    }

    fn limit(&self) -> usize {
        self.class.limit(self.proving)
    }

    fn prove(
        &mut self,
        channel: &mut ProofChannel<'_, '_, '_>,
        scratch: &mut Scratch,
    ) -> Result<(), SharingError> {
        let limit = self.limit();
        let runs = first_batch(&mut self.runs, limit);
        let results = runs.iter().map(|(results, _)| results).sum();
        let terms = runs.iter().map(|(results, terms)| results * terms).sum();
        let [x, y] = [&self.x, &self.y].map(|columns| first(columns, terms));
        let z = first(&self.z, results);
        let Proving { method, strength, .. } = self.proving;
        match self.class {
            Class { bits: 1, sums } => {
                let (factors, z) = ([x, y].map(|xs| xs.map(word::as_u64)), z.map(word::as_u64));
                for _ in 0..super::proofs(strength) {
                    match sums {
                        false => bits::prove(channel, scratch, factors, z)?,
                        true => bits::prove_sums(channel, factors, z, &runs)?,
                    }
                }
            }
            _ if method == Method::Galois => {
                let batch = Batch { x, y, z, runs };
                for _ in 0..super::proofs(strength) {
                    galois::prove(channel, &batch)?;
                }
            }
            _ => lift::prove(channel, scratch, strength, &Batch { x, y, z, runs })?,
        }
        for column in self.x.iter_mut().chain(&mut self.y) {
            column.forget(terms);
        }
        self.z.iter_mut().for_each(|column| column.forget(results));
        Ok(())
    }
}

/// Takes the runs of the first results whose terms are `limit` or more, or of all.
pub(super) fn first_batch(runs: &mut Vec<(usize, usize)>, limit: usize) -> Vec<(usize, usize)> {
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

pub(super) fn first<W: Word>(columns: &[Growing<W>; 2], len: usize) -> [&[W]; 2] {
    columns.each_ref().map(|column| &column.buffer[..len])
}

/// Products that are proven together.
pub(super) struct Batch<'a, W> {
    pub x: [&'a [W]; 2],
    pub y: [&'a [W]; 2],
    pub z: [&'a [W]; 2],
    pub runs: Vec<(usize, usize)>,
}

impl<W: Word> Batch<'_, W> {
    pub fn terms(&self) -> usize {
        self.x[0].len()
    }

    pub fn results(&self) -> usize {
        self.z[0].len()
    }

    /// Whether every result is one product.
    pub fn is_single(&self) -> bool {
        self.runs.iter().all(|(_, terms)| *terms == 1)
    }

    /// The terms of each result.
    #[inline(always)]
    pub fn each_terms(&self) -> impl Iterator<Item = Range<usize>> {
        let runs = self.runs.iter().flat_map(|(results, terms)| (0..*results).map(|_| *terms));
        runs.scan(0, |start, terms| {
            *start += terms;
            Some(*start - terms..*start)
        })
    }

    /// Both factors of a term.
    #[inline(always)]
    pub fn term(&self, at: usize) -> [[W; 2]; 2] {
        [[self.x[0][at], self.x[1][at]], [self.y[0][at], self.y[1][at]]]
    }

    #[inline(always)]
    pub fn result(&self, at: usize) -> [W; 2] {
        [self.z[0][at], self.z[1][at]]
    }
}
