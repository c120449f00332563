//! Padding: it hides how many rows a table has.

use tacit_program::{Element, Interval, Meaning};

use crate::builder::reserve;
use crate::column::{Column, Table};
use crate::error::TableError;

/// A table whose row count says nothing.
#[derive(Clone, Debug)]
pub struct Padded {
    /// The table with as many rows as was asked for, the real ones first.
    pub table: Table,
    real_rows: usize,
}

impl Padded {
    /// Gives the number of real rows. It is private to the owner of the table.
    #[must_use]
    pub fn real_rows(&self) -> usize {
        self.real_rows
    }
}

/// Appends rows until there are `max_rows`, and a column of bits called `validity` that is one
/// for the real rows. A padding value is the one closest to zero in its column's range.
///
/// # Errors
/// [`TableError::Schema`] if there are more rows, or the name is taken. It does not say how many
/// rows there are.
pub fn pad(mut table: Table, max_rows: usize, validity: &str) -> Result<Padded, TableError> {
    let real_rows = table.rows;
    let Some(padding) = max_rows.checked_sub(real_rows) else {
        return Err(TableError::Schema(format!(
            "there are more rows than the declared maximum of {max_rows}; declare a larger one"
        )));
    };
    if table.column(validity).is_some() {
        let what = format!("\"{validity}\" is a column already; name the validity otherwise");
        return Err(TableError::Schema(what));
    }
    if Vec::<i64>::new().try_reserve_exact(max_rows).is_err() {
        let what = format!("the declared maximum of {max_rows} rows does not fit in memory");
        return Err(TableError::Schema(what));
    }
    for column in &mut table.columns {
        reserve(&mut column.raw, padding);
        column.raw.resize(max_rows, closest_to_zero(column.interval));
    }
    let mut raw = vec![0; max_rows];
    raw[..real_rows].fill(1);
    table.columns.push(Column {
        name: validity.to_owned(),
        element: Element::Bit,
        interval: Element::Bit.interval(),
        meaning: Meaning::Number,
        raw: raw.into(),
    });
    table.rows = max_rows;
    Ok(Padded { table, real_rows })
}

#[expect(clippy::cast_possible_truncation, reason = "intervals fit 64 bits")]
fn closest_to_zero(interval: Interval) -> i64 {
    0.clamp(interval.low, interval.high) as i64
}
