//! Results as CSV.

use std::io::{self, Write};

use super::flat;
use super::table::OutputTable;

pub(super) fn write(table: &OutputTable, writer: &mut dyn Write) -> io::Result<()> {
    let (columns, rows) = flat::table(table);
    let mut csv = csv::Writer::from_writer(writer);
    csv.write_record(columns.iter().map(|column| &column.name))?;
    for row in 0..rows {
        csv.write_record(columns.iter().map(|column| column.exact(row)))?;
    }
    csv.flush()
}
