//! Products that are kept to be proven later.

use super::batch::{Batch, first, first_batch};
use super::channel::ProofChannel;
use super::matrices::{self, Matrix, Sums};
use super::{Class, Method, Pending, Proving, Scratch, bits, galois, lift};
use std::any::Any;
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
    /// Products of matrices, whose sums are proven.
    pub matrices: Vec<Matrix<W>>,
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
            matrices: Vec::new(),
        }
    }

    /// Adds the sums that prove matrices.
    fn sum_up(&mut self, channel: &mut ProofChannel<'_, '_, '_>) -> Result<(), SharingError> {
        if self.matrices.is_empty() {
            return Ok(());
        }
        let (mut coin, mut sums) = (channel.coin()?, Sums::default());
        for matrix in self.matrices.drain(..) {
            matrix.sum_up(&mut coin, &mut sums);
        }
        sums.put_before(self);
        Ok(())
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
        self.x[0].len + self.matrices.iter().map(Matrix::terms).sum::<usize>()
    }

    fn limit(&self) -> usize {
        self.class.limit(self.proving)
    }

    fn is_full(&self) -> bool {
        self.terms() >= self.limit()
            || self.matrices.iter().map(Matrix::words).sum::<usize>() >= matrices::MOST_WORDS
    }

    fn prove(
        &mut self,
        channel: &mut ProofChannel<'_, '_, '_>,
        scratch: &mut Scratch,
    ) -> Result<(), SharingError> {
        self.sum_up(channel)?;
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
