//! The order of rows.

use super::rows::Cell;
use crate::plan::OrderKey;
use std::cmp::Ordering;

/// Compares rows by an order, then by all columns from the first one on, ascending with nulls last.
pub(super) fn compare(by: &[OrderKey], a: &[Cell], b: &[Cell]) -> Ordering {
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
