//! Products that are kept to be proven later.

use super::batch::{Batch, first, first_batch};
use super::channel::ProofChannel;
use super::matrices::{self, KeptMatrix, Matrix};
use super::pending::push_run;
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
    pub matrices: Vec<KeptMatrix<W>>,
    /// Sums of matrices are being proven. It stays so where that fails: then nothing opens.
    summing: bool,
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
            summing: false,
        }
    }

    /// Adds the sums that prove the matrices that are kept, and one that is not, before the products; proves whole batches of
    /// them. Whether there was any.
    fn sum_up(
        &mut self,
        channel: &mut ProofChannel<'_, '_, '_>,
        scratch: &mut Scratch,
        one_more: Option<Matrix<'_, W>>,
    ) -> Result<bool, SharingError> {
        if self.matrices.is_empty() && one_more.is_none() {
            return Ok(false);
        }
        self.summing = true;
        self.wait_for_all(channel)?;
        let kept = std::mem::take(&mut self.matrices);
        let (mut coin, mut proven) = (channel.coin()?, false);
        let mut sums = Products::new(self.class, self.proving);
        for matrix in kept.iter().map(KeptMatrix::matrix).chain(one_more) {
            matrix.sum_up(&mut coin, |some| {
                sums.extend([&some.x, &some.y, &some.z], some.run);
                while sums.terms() >= sums.limit() {
                    sums.prove_batch(channel, scratch)?;
                    proven = true;
                }
                Ok(())
            })?;
        }
        for (results, terms) in std::mem::take(&mut self.runs) {
            push_run(&mut sums.runs, results, terms);
        }
        for (sums, products) in sums.columns().zip(self.columns()) {
            sums.extend(&products.buffer[..products.len]);
            std::mem::swap(sums, products);
        }
        self.runs = sums.runs;
        self.summing = false;
        Ok(proven)
    }

    fn columns(&mut self) -> impl Iterator<Item = &mut Growing<W>> {
        self.x.iter_mut().chain(&mut self.y).chain(&mut self.z)
    }

    fn extend(&mut self, from: [&[Growing<W>; 2]; 3], (results, terms): (usize, usize)) {
        for (to, from) in self.columns().zip(from.into_iter().flatten()) {
            to.extend(&from.buffer[..from.len]);
        }
        push_run(&mut self.runs, results, terms);
    }

    /// Proves a matrix with what is kept, without keeping it: one that is large enough for that.
    ///
    /// # Errors
    /// When the network fails or a peer sends what no honest party does.
    pub fn prove_matrix(
        &mut self,
        channel: &mut ProofChannel<'_, '_, '_>,
        scratch: &mut Scratch,
        matrix: Matrix<'_, W>,
    ) -> Result<(), SharingError> {
        let proven = self.sum_up(channel, scratch, Some(matrix))?;
        if proven { Ok(()) } else { self.prove_batch(channel, scratch) }
    }

    /// Waits until all roles have all that proofs from here on cover, where a coin does not show it. What is proven is fixed by
    /// then: nothing joins it.
    fn wait_for_all(&self, channel: &mut ProofChannel<'_, '_, '_>) -> Result<(), SharingError> {
        match self.proving.method.sends_both_ways() {
            true => channel.arrived(),
            false => Ok(()),
        }
    }

    /// Proves and forgets a batch of products.
    fn prove_batch(
        &mut self,
        channel: &mut ProofChannel<'_, '_, '_>,
        scratch: &mut Scratch,
    ) -> Result<(), SharingError> {
        self.wait_for_all(channel)?;
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
                        true if method == Method::WideLift => {
                            bits::prove_groups(channel, scratch, factors, z, &runs)?;
                        }
                        true => bits::prove_sums(channel, factors, z, &runs)?,
                    }
                }
            }
            _ if matches!(method, Method::Galois(_)) => {
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

impl<W: Word> Pending for Products<W> {
    fn as_any_mut(&mut self) -> &mut dyn Any {
        self
    }

    fn is_of(&self, class: Class) -> bool {
        self.class == class
    }

    fn terms(&self) -> usize {
        let of_matrices: usize = self.matrices.iter().map(KeptMatrix::terms).sum();
        self.x[0].len + of_matrices + usize::from(self.summing)
    }

    fn limit(&self) -> usize {
        self.class.limit(self.proving)
    }

    fn is_settled(&self) -> bool {
        !self.summing
    }

    fn is_full(&self) -> bool {
        self.terms() >= self.limit()
            || self.matrices.iter().map(KeptMatrix::words).sum::<usize>() >= matrices::MOST_WORDS
    }

    fn prove(
        &mut self,
        channel: &mut ProofChannel<'_, '_, '_>,
        scratch: &mut Scratch,
    ) -> Result<(), SharingError> {
        if self.summing {
            return Err(SharingError::Shape("a proof of matrices that failed".into()));
        }
        match self.sum_up(channel, scratch, None)? && self.terms() < self.limit() {
            true => Ok(()),
            false => self.prove_batch(channel, scratch),
        }
    }
}
