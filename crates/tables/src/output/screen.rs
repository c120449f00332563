//! Results as text for people.

use std::io::{self, Write};

use comfy_table::{CellAlignment, Table, presets};

use super::flat::{self, Flat};
use super::{OutputColumn, OutputTable};
use crate::render;

/// Columns of one result that are shown.
const MAX_COLUMNS: usize = 12;

/// A table for the single values, and one for the results of each number of rows.
pub(super) fn write(
    table: &OutputTable,
    writer: &mut dyn Write,
    max_rows: usize,
) -> io::Result<()> {
    let kind = |column: &OutputColumn| (column.shape.is_empty(), flat::rows(column));
    let mut groups: Vec<((bool, usize), Vec<&OutputColumn>)> = Vec::new();
    for column in &table.columns {
        match groups.iter_mut().find(|(key, _)| *key == kind(column)) {
            Some((_, group)) => group.push(column),
            None => groups.push((kind(column), vec![column])),
        }
    }
    for (i, ((_, rows), group)) in groups.iter().enumerate() {
        if i > 0 {
            writeln!(writer)?;
        }
        write_group(group, *rows, writer, max_rows)?;
    }
    Ok(())
}

fn write_group(
    group: &[&OutputColumn],
    rows: usize,
    writer: &mut dyn Write,
    max_rows: usize,
) -> io::Result<()> {
    let columns =
        group.iter().flat_map(|column| flat::columns(column).into_iter().take(MAX_COLUMNS));
    let columns: Vec<Flat<'_>> = columns.collect();
    let mut text = Table::new();
    text.load_style(presets::UTF8_HORIZONTAL_ONLY);
    text.set_header(columns.iter().map(|column| column.name.as_str()));
    for row in 0..rows.min(max_rows) {
        text.add_row(columns.iter().map(|c| render::shortest(c.element, c.value(row))));
    }
    for column in text.column_iter_mut() {
        column.set_cell_alignment(CellAlignment::Right);
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
