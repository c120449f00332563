//! Tables that parties give, compared with what the catalog says of them.

use crate::catalog::{Catalog, Column, Table};
use crate::error::{QueryError, Result};
use crate::kind::Kind;
use crate::rows::{Cell, Rows};
use std::collections::BTreeMap;
use tacit_program::Span;
use tacit_program::domain::TEXTS;

/// Checks that there are the tables of a catalog, that values are in their ranges, nulls only where they may be, as many rows as
/// there may be, and no two rows with equal values in unique columns. Null is equal to nothing, as in SQL.
pub(super) fn check(catalog: &Catalog, tables: &[Rows]) -> Result<()> {
    if tables.len() != catalog.tables.len() {
        let (wanted, found) = (catalog.tables.len(), tables.len());
        return Err(error(format!("the catalog has {wanted} tables, {found} are given")));
    }
    catalog.tables.iter().zip(tables).try_for_each(|(table, rows)| check_table(table, rows))
}

fn check_table(table: &Table, rows: &Rows) -> Result<()> {
    let name = table.full_name();
    let (found, wanted) = (rows.rows.len() as u64, &table.rows);
    if !wanted.contains(&found) {
        let (least, most) = (wanted.start(), wanted.end());
        return Err(error(format!("{name} has {found} rows, not {least} to {most}")));
    }
    let columns = table.columns.len();
    if rows.columns != columns || rows.rows.iter().any(|row| row.len() != columns) {
        return Err(error(format!("{name} has rows of another number of columns than {columns}")));
    }
    for (number, row) in rows.rows.iter().enumerate() {
        for (column, cell) in table.columns.iter().zip(row) {
            check_cell(column, *cell).map_err(|what| {
                error(format!("{name}: column `{}` of row {} {what}", column.name, number + 1))
            })?;
        }
    }
    table.unique.iter().try_for_each(|columns| check_unique(table, columns, rows))
}

/// Checks one value, or says what is wrong with it.
fn check_cell(column: &Column, cell: Cell) -> std::result::Result<(), &'static str> {
    match cell {
        None if column.nullable => Ok(()),
        None => Err("is null, which the column may not be"),
        Some(raw) if column.range.contains(&raw) && is_of(&column.kind, raw) => Ok(()),
        Some(_) => Err("is outside of its range"),
    }
}

/// Whether a kind has a raw value.
pub(super) fn is_of(kind: &Kind, raw: i128) -> bool {
    match kind {
        Kind::Bit => (0..=1).contains(&raw),
        Kind::Category(domain) => (0..i128::from(domain.len())).contains(&raw),
        Kind::Text => (TEXTS.low..=TEXTS.high).contains(&raw),
        Kind::Decimal { .. } | Kind::Fixed { .. } | Kind::Date => true,
    }
}

fn check_unique(table: &Table, columns: &[usize], rows: &Rows) -> Result<()> {
    let name = table.full_name();
    if columns.iter().any(|column| *column >= table.columns.len()) {
        return Err(error(format!(
            "{name} says of a column that it does not have that it is unique"
        )));
    }
    let mut seen: BTreeMap<Vec<&Cell>, usize> = BTreeMap::new();
    for (number, row) in rows.rows.iter().enumerate() {
        let key: Vec<&Cell> = columns.iter().map(|column| &row[*column]).collect();
        if key.iter().any(|cell| cell.is_none()) {
            continue;
        }
        if let Some(other) = seen.insert(key, number) {
            let columns: Vec<&str> =
                columns.iter().map(|it| table.columns[*it].name.as_str()).collect();
            let (columns, first, second) = (columns.join(", "), other + 1, number + 1);
            return Err(error(format!(
                "{name}: rows {first} and {second} are equal in `{columns}`, which is unique"
            )));
        }
    }
    Ok(())
}

fn error(message: String) -> QueryError {
    QueryError::new(&Span::default(), message)
}
