//! Results as text for people.

use std::io::{self, Write};
use std::sync::Arc;

use comfy_table::{CellAlignment, Table, presets};

use tacit_program::Domain;

use super::flat::{self, Flat};
use super::table::{OutputColumn, OutputTable};
use crate::render;

/// Columns of one result that are shown.
const MAX_COLUMNS: usize = 12;

/// Results of one kind stand in one table: whether they are single values, how many rows they have,
/// and what labels those.
type Kind = (bool, usize, Vec<Arc<Domain>>);

/// A table for the single values, and one for the results of each number of rows and each labels.
pub(super) fn write(
    table: &OutputTable,
    writer: &mut dyn Write,
    max_rows: usize,
) -> io::Result<()> {
    let kind = |column: &OutputColumn| {
        (column.shape.is_empty(), flat::rows(column), flat::row_labels(column))
    };
    let mut groups: Vec<(Kind, Vec<&OutputColumn>)> = Vec::new();
    for column in &table.columns {
        match groups.iter_mut().find(|(key, _)| *key == kind(column)) {
            Some((_, group)) => group.push(column),
            None => groups.push((kind(column), vec![column])),
        }
    }
    for (i, ((_, rows, by), group)) in groups.iter().enumerate() {
        if i > 0 {
            writeln!(writer)?;
        }
        write_group(group, (*rows, by), writer, max_rows)?;
    }
    Ok(())
}

fn write_group(
    group: &[&OutputColumn],
    (rows, by): (usize, &[Arc<Domain>]),
    writer: &mut dyn Write,
    max_rows: usize,
) -> io::Result<()> {
    let columns =
        group.iter().flat_map(|column| flat::columns(column).into_iter().take(MAX_COLUMNS));
    let columns: Vec<Flat<'_>> = flat::labels(by).into_iter().chain(columns).collect();
    let mut text = Table::new();
    text.load_style(presets::UTF8_HORIZONTAL_ONLY);
    text.set_header(columns.iter().map(|column| column.name.as_str()));
    for row in 0..rows.min(max_rows) {
        text.add_row(columns.iter().map(|column| column.text(row, render::shortest)));
    }
    for (cells, column) in text.column_iter_mut().zip(&columns) {
        let alignment = if column.is_text() { CellAlignment::Left } else { CellAlignment::Right };
        cells.set_cell_alignment(alignment);
    }
    writeln!(writer, "{text}")?;
    if rows > max_rows {
        let hidden = rows - max_rows;
        writeln!(writer, "and {hidden} more rows: write CSV, JSON or Parquet to have all")?;
    }
    for column in group {
        let width = if column.shape.len() > 1 { column.shape[column.shape.len() - 1] } else { 0 };
        if width > MAX_COLUMNS as u64 {
            let hidden = width - MAX_COLUMNS as u64;
            writeln!(writer, "{}: {hidden} more columns, not shown", column.name)?;
        }
    }
    Ok(())
}
