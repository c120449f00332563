//! Products that are proven together.

use super::bits::Layout;
use std::ops::Range;
use tacit_ring::Word;
use tacit_sharing::growing::Growing;

/// Takes the runs of the first results whose terms are `limit` or more, or of all.
pub(super) fn first_batch(runs: &mut Vec<(usize, usize)>, limit: usize) -> Vec<(usize, usize)> {
    let (mut whole, mut left) = (0, limit);
    for (results, terms) in &*runs {
        let take = if *terms == 0 { *results } else { (*results).min(left.div_ceil(*terms)) };
        left = left.saturating_sub(take * terms);
        if take < *results {
            let mut batch: Vec<(usize, usize)> = runs.drain(..whole).collect();
            if take > 0 {
                let (results, terms) = &mut runs[0];
                *results -= take;
                batch.push((take, *terms));
            }
            return batch;
        }
        whole += 1;
    }
    std::mem::take(runs)
}

/// How large a batch is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Size {
    pub results: usize,
    pub terms: usize,
    /// Words of a block where [groups](super::bits::prove_groups) of terms are laid out.
    pub laid_out: usize,
}

impl Size {
    /// Of results with so many terms each.
    pub fn of(runs: &[(usize, usize)]) -> Size {
        let results = runs.iter().map(|(results, _)| results).sum();
        Size { results, terms: terms_of(runs), laid_out: Layout::of(runs).words }
    }
}

/// The terms of all results.
pub(super) fn terms_of(runs: &[(usize, usize)]) -> usize {
    runs.iter().map(|(results, terms)| results * terms).sum()
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
