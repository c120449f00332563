//! Rows in the clear, and what is wrong with plans.

use crate::error::QueryError;
use std::fmt;
use tacit_program::Span;
use zeroize::{Zeroize, ZeroizeOnDrop};

/// A raw value, or null.
pub type Cell = Option<i128>;

/// Rows in the clear. Erased from memory when dropped.
#[derive(Clone, Default, PartialEq, Eq, Zeroize, ZeroizeOnDrop)]
pub struct Rows {
    /// How many cells each row has.
    pub columns: usize,
    /// The rows.
    pub rows: Vec<Vec<Cell>>,
}

impl Rows {
    /// No rows, of so many columns.
    #[must_use]
    pub fn new(columns: usize) -> Self {
        Rows { columns, rows: Vec::new() }
    }

    /// Drops all rows but the first ones, and erases them.
    pub(super) fn truncate(&mut self, rows: usize) {
        if let Some(dropped) = self.rows.get_mut(rows..) {
            dropped.iter_mut().for_each(Zeroize::zeroize);
        }
        self.rows.truncate(rows);
    }
}

/// Says how many rows there are, and nothing of what is in them.
impl fmt::Debug for Rows {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Rows { columns, rows } = self;
        write!(f, "Rows({} rows of {columns} columns)", rows.len())
    }
}

/// The error of a plan that contradicts itself, or is not what it says.
pub(super) fn malformed(span: &Span, what: &str) -> QueryError {
    QueryError::new(span, format!("malformed plan: {what}"))
}

/// The error of a number that is too large.
pub(super) fn too_large(span: &Span) -> QueryError {
    QueryError::new(span, "a number becomes larger than 128 bits here")
}
