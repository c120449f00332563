//! Numbers that depend on row counts.

use crate::ir::Dim;
use crate::types::{DimId, Extent};
use std::collections::BTreeMap;

/// Most terms that are kept apart.
const MAX_TERMS: usize = 64;

/// A sum of products of row counts, each with a factor: `3 n m + 2 n + 5`.
///
/// Saturates at `u128::MAX`. What would have more than 64 terms is replaced by its value at the
/// largest row counts, so that counting is fast for any program.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Count {
    /// Factors by product; each product's row counts are in ascending order.
    terms: BTreeMap<Vec<DimId>, u128>,
}

impl From<u64> for Count {
    fn from(n: u64) -> Self {
        let term = (n > 0).then(|| (Vec::new(), n.into()));
        Count { terms: term.into_iter().collect() }
    }
}

impl From<&Extent> for Count {
    fn from(extent: &Extent) -> Self {
        let rows = extent
            .terms
            .iter()
            .map(|&(dim, factor)| Count { terms: BTreeMap::from([(vec![dim], factor.into())]) });
        rows.fold(Count::from(extent.constant), |sum, term| sum.plus(&term))
    }
}

impl Count {
    /// The elements of an array.
    #[must_use]
    pub fn of_shape(shape: &[Extent], dims: &[Dim]) -> Self {
        shape.iter().fold(Count::from(1), |product, e| product.times(&Count::from(e), dims))
    }

    /// The products of row counts and their factors.
    pub fn terms(&self) -> impl Iterator<Item = (&[DimId], u128)> {
        self.terms.iter().map(|(dims, factor)| (dims.as_slice(), *factor))
    }

    /// The sum.
    #[must_use]
    pub fn plus(&self, other: &Count) -> Count {
        let mut sum = self.clone();
        for (dims, factor) in &other.terms {
            let term = sum.terms.entry(dims.clone()).or_default();
            *term = term.saturating_add(*factor);
        }
        sum
    }

    /// The product.
    #[must_use]
    pub fn times(&self, other: &Count, dims: &[Dim]) -> Count {
        if self.terms.len() * other.terms.len() > MAX_TERMS {
            let most: Vec<u64> = dims.iter().map(|dim| dim.max).collect();
            let product = self.at(&most).saturating_mul(other.at(&most));
            return Count { terms: BTreeMap::from([(Vec::new(), product)]) };
        }
        let mut product = Count::default();
        for (a, x) in &self.terms {
            for (b, y) in &other.terms {
                let mut both = [a.as_slice(), b].concat();
                both.sort_unstable();
                let term = product.terms.entry(both).or_default();
                *term = term.saturating_add(x.saturating_mul(*y));
            }
        }
        product
    }

    /// The number when dim `d` has `rows[d]` rows.
    ///
    /// # Panics
    /// If there is no row count for a dim.
    #[must_use]
    pub fn at(&self, rows: &[u64]) -> u128 {
        let term = |(dims, factor): (&Vec<DimId>, &u128)| {
            let rows = dims.iter().map(|dim| u128::from(rows[dim.0 as usize]));
            rows.fold(*factor, u128::saturating_mul)
        };
        self.terms.iter().map(term).fold(0, u128::saturating_add)
    }

    /// As people write it, with the names of the row counts.
    #[must_use]
    pub fn text(&self, name: impl Fn(DimId) -> String) -> String {
        if self.terms.is_empty() {
            return "0".into();
        }
        let term = |(dims, factor): (&Vec<DimId>, &u128)| {
            let names = dims.iter().map(|&dim| name(dim));
            let number = (*factor != 1 || dims.is_empty()).then(|| factor.to_string());
            number.into_iter().chain(names).collect::<Vec<_>>().join("*")
        };
        self.terms.iter().rev().map(term).collect::<Vec<_>>().join(" + ")
    }
}
