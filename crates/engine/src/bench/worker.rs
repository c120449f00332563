//! One worker's arrays and passes.

use super::{Operation, Plan, square};
use std::marker::PhantomData;
use tacit_ring::{Buffer, Word};
use tacit_sharing::arrays::{self, Cut, SharedVec};
use tacit_sharing::balance::Balance;
use tacit_sharing::party::Streams;
use tacit_sharing::products::Scratch;
use tacit_sharing::transfer::{self, Input, Output, TransferScratch};
use tacit_sharing::verify::Pass;
use tacit_sharing::{Draws, Party, Role, Shares, SharingError, Timing};

/// Who gives the inputs and checks the result.
pub(super) const OWNER: usize = 1;

pub(super) struct Worker<'k, P, W> {
    streams: Streams<'k>,
    operation: Operation,
    cut: Cut,
    balance: &'k Balance,
    factors: [SharedVec<W>; 2],
    out: SharedVec<W>,
    scratch: Scratch<W>,
    /// At the owner, the factors in the clear.
    clear: [Vec<W>; 2],
    role: PhantomData<P>,
}

/// What a worker does, whatever its role and ring.
pub(super) trait Work: Send {
    /// Shares the owner's factors.
    fn prepare(&mut self, party: &mut Party<'_>) -> Result<(), SharingError>;
    /// Computes the result once.
    fn pass(&mut self, party: &mut Party<'_>) -> Result<(), SharingError>;
    /// Opens the result to the owner, who compares it with the product in the clear.
    fn check(&mut self, party: &mut Party<'_>, pass: &Pass) -> Result<(), SharingError>;
}

impl<'k, P: Role, W: Word> Worker<'k, P, W> {
    pub fn new(streams: Streams<'k>, (plan, balance): (&Plan, &'k Balance), words: usize) -> Self {
        let factor = match plan.operation {
            Operation::Product | Operation::Matrix { .. } => words,
            Operation::Dot { length } => words * length,
        };
        Worker {
            streams,
            operation: plan.operation,
            cut: plan.cut,
            balance,
            factors: [SharedVec::zeros_of::<P>(factor), SharedVec::zeros_of::<P>(factor)],
            out: SharedVec::zeros_of::<P>(words),
            scratch: Scratch::default(),
            clear: [Vec::new(), Vec::new()],
            role: PhantomData,
        }
    }

    fn draws(&mut self) -> Result<Draws<'k>, SharingError> {
        Ok(self.streams.draws()?)
    }

    fn expected(&self, i: usize) -> W {
        let [a, b] = &self.clear;
        match self.operation {
            Operation::Product => a[i].mul(b[i]),
            Operation::Dot { length } => {
                let at = i * length..(i + 1) * length;
                a[at.clone()].iter().zip(&b[at]).fold(W::ZERO, |s, (a, b)| s.add(a.mul(*b)))
            }
            Operation::Matrix { size } => {
                let (start, entry) = (i - i % (size * size), i % (size * size));
                let (row, column) = (entry / size, entry % size);
                (0..size).fold(W::ZERO, |s, k| {
                    s.add(a[start + row * size + k].mul(b[start + k * size + column]))
                })
            }
        }
    }
}

impl<P: Role, W: Word> Work for Worker<'_, P, W> {
    fn prepare(&mut self, party: &mut Party<'_>) -> Result<(), SharingError> {
        let mut scratch = TransferScratch::default();
        for index in 0..2 {
            let words = self.factors[index].len();
            let values: Vec<W> = (0..words as u128).map(|i| value(i * 2 + index as u128)).collect();
            let mut shares = Shares::of::<P>(1, words.max(1));
            let input = Input {
                owner: OWNER,
                timing: Timing::Early,
                slots: if words == 0 { &[] } else { &[0] },
                values: &values,
            };
            let mut draws = self.draws()?;
            transfer::input_begin::<P, W>(party, &mut draws, &mut scratch, &mut shares, input)?;
            transfer::input_finish::<P, W>(party, &mut scratch, &mut shares, input)?;
            let runs = shares.runs(0).into_iter().zip(self.factors[index].components_mut());
            runs.for_each(|(run, to)| to.copy_from_slice(&run[..to.len()]));
            if P::ROLE == OWNER {
                self.clear[index] = values;
            }
        }
        Ok(())
    }

    fn pass(&mut self, party: &mut Party<'_>) -> Result<(), SharingError> {
        let mut draws = self.draws()?;
        tacit_proof::expect_products::<W>(party, self.out.len() * self.operation.terms());
        let [a, b] = &self.factors;
        let (scratch, cut, out) = (&mut self.scratch, self.cut, &mut self.out);
        match self.operation {
            Operation::Product if !self.balance.is_none() => {
                let cut = (cut, self.balance);
                arrays::multiply_in_ways::<P, W>(party, &mut draws, scratch, cut, [a, b], out)
            }
            Operation::Product => {
                arrays::multiply::<P, W>(party, &mut draws, scratch, cut, [a, b], out)
            }
            Operation::Dot { .. } => {
                arrays::dot::<P, W>(party, &mut draws, scratch, cut, [a, b], out)
            }
            Operation::Matrix { size } => {
                let entries = size * size;
                for start in (0..out.len()).step_by(entries) {
                    let part = |of: &SharedVec<W>| {
                        of.map(|run| Buffer::from_slice(&run[start..start + entries]))
                    };
                    let mut product = SharedVec::zeros_of::<P>(entries);
                    let factors = [&part(a), &part(b)];
                    arrays::matrix_product::<P, W>(
                        party,
                        &mut draws,
                        scratch,
                        cut,
                        square(size),
                        factors,
                        &mut product,
                    )?;
                    out.copy_in(start, &product);
                }
                Ok(())
            }
        }
    }

    fn check(&mut self, party: &mut Party<'_>, pass: &Pass) -> Result<(), SharingError> {
        let words = self.out.len();
        if words == 0 {
            return Ok(());
        }
        let mut shares = Shares::of::<P>(1, words);
        let runs = shares.runs_mut(0).into_iter().zip(self.out.components());
        runs.for_each(|(to, run)| to.copy_from_slice(run));
        let output = Output { receivers: &[OWNER], slots: &[0] };
        let mut scratch = TransferScratch::default();
        transfer::output_begin::<P, W>(party, pass, &mut scratch, &shares, output)?;
        let (scratch, mut opened) = (&mut scratch, Buffer::zeros(words));
        transfer::output_finish::<P, W>(party, pass, scratch, &shares, output, &mut opened)?;
        if P::ROLE == OWNER && (0..words).any(|i| opened[i] != self.expected(i)) {
            return Err(SharingError::Shape("the first result is wrong".into()));
        }
        Ok(())
    }
}

/// A value that fills the ring.
fn value<W: Word>(i: u128) -> W {
    W::from_u128((i + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835))
}
