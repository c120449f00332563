//! Rows, their order, and the answers that are made of them.

use crate::plan::OrderKey;
use std::cmp::Ordering;
use std::fmt;
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
    pub(crate) fn truncate(&mut self, rows: usize) {
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

/// What the receivers of a query's result see.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// The rows, in canonical order.
    pub rows: Rows,
    /// Whether there were more rows than may be shown.
    pub truncated: bool,
}

/// Compares rows by an order, then by all columns from the first one on, ascending with nulls last.
pub(crate) fn compare(by: &[OrderKey], a: &[Cell], b: &[Cell]) -> Ordering {
    for key in by {
        let ordering = by_key(key, a[key.column], b[key.column]);
        if ordering.is_ne() {
            return ordering;
        }
    }
    for (a, b) in a.iter().zip(b) {
        let ordering = nulls_last(*a, *b);
        if ordering.is_ne() {
            return ordering;
        }
    }
    Ordering::Equal
}

/// Whether rows are equal by an order.
pub(crate) fn equal_by(by: &[OrderKey], a: &[Cell], b: &[Cell]) -> bool {
    by.iter().all(|key| by_key(key, a[key.column], b[key.column]).is_eq())
}

/// Compares by one key. Where nulls are does not depend on whether the order is descending.
fn by_key(key: &OrderKey, a: Cell, b: Cell) -> Ordering {
    match (a, b) {
        (None, None) => Ordering::Equal,
        (None, Some(_)) if key.nulls_first => Ordering::Less,
        (None, Some(_)) => Ordering::Greater,
        (Some(_), None) if key.nulls_first => Ordering::Greater,
        (Some(_), None) => Ordering::Less,
        (Some(a), Some(b)) if key.descending => b.cmp(&a),
        (Some(a), Some(b)) => a.cmp(&b),
    }
}

/// Compares ascending, nulls last.
fn nulls_last(a: Cell, b: Cell) -> Ordering {
    by_key(&OrderKey { column: 0, descending: false, nulls_first: false }, a, b)
}
