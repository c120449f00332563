//! What a program reveals, on screen and in files.

mod arrow;
mod csv;
mod file;
mod flat;
mod json;
mod parquet;
mod screen;
mod table;

use crate::error::TableError;
use arrow_array::{RecordBatchIterator, RecordBatchReader};
use std::io::Write;
use std::path::Path;

pub use table::{Format, OutputColumn, OutputTable};

impl OutputTable {
    /// Gives the table as Arrow data, with the columns that a Parquet file has. Nothing in it is
    /// erased.
    ///
    /// # Errors
    /// [`TableError::Output`] if the results do not have equally many rows, or more than two axes, or
    /// take decimals of more than 38 digits.
    pub fn arrow(&self) -> Result<impl RecordBatchReader + Send + use<>, TableError> {
        let shapes = self.columns.iter().map(|c| (c.name.as_str(), c.shape.as_slice()));
        check_rows(&shapes.collect::<Vec<_>>())
            .map_err(|what| TableError::Output(format!("these results are no table: {what}")))?;
        if let Some(wide) = self.columns.iter().find(|column| arrow::is_wide(column.element)) {
            let (name, element) = (&wide.name, wide.element);
            let what = format!(
                "\"{name}\" is {element}, which takes decimals of more than 38 digits, and most readers know none"
            );
            return Err(TableError::Output(format!("these results are no table: {what}")));
        }
        let (schema, batches) = arrow::batches(self);
        Ok(RecordBatchIterator::new(batches.collect::<Vec<_>>(), schema))
    }

    /// Writes to a file, all of it or nothing: it is written beside, with access for its owner
    /// only, and then renamed. `-` is standard output. Without a format the file's name says it;
    /// standard output gets a table.
    ///
    /// # Errors
    /// [`TableError::Output`] if the format is not clear or cannot hold the results (see
    /// [`check_shapes`]), or the path is a folder or a device; [`TableError::Io`].
    pub fn write(&self, path: &Path, format: Option<Format>) -> Result<(), TableError> {
        file::write(self, path, format)
    }

    /// Writes in a format. A table shows at most `max_rows` rows of each result; the others are
    /// whole.
    ///
    /// # Errors
    /// [`TableError::Output`] if the format cannot hold the results; [`TableError::Io`].
    pub fn write_to(
        &self,
        writer: &mut (dyn Write + Send),
        format: Format,
        max_rows: usize,
    ) -> Result<(), TableError> {
        let shapes = self.columns.iter().map(|c| (c.name.as_str(), c.shape.as_slice()));
        check_shapes(format, &shapes.collect::<Vec<_>>())?;
        let written = match format {
            Format::Table => screen::write(self, writer, max_rows),
            Format::Csv => csv::write(self, writer),
            Format::Json => json::write(self, writer),
            Format::Parquet => parquet::write(self, writer),
        };
        written.map_err(|e| TableError::write("the results", e))
    }
}

/// Checks, before anything is computed, that a file can be written: it is no folder or device, and
/// its folder takes files.
///
/// # Errors
/// What [`OutputTable::write`] would say.
pub fn check_writable(path: &Path) -> Result<(), TableError> {
    file::check(path)
}

/// Checks, before anything is computed, that a format can hold results of these names and
/// shapes: CSV and Parquet hold columns and matrices with equally many rows, or single values;
/// the others hold everything.
///
/// # Errors
/// [`TableError::Output`] says which results do not fit, and which format holds them.
pub fn check_shapes(format: Format, results: &[(&str, &[u64])]) -> Result<(), TableError> {
    if matches!(format, Format::Table | Format::Json) {
        return Ok(());
    }
    check_rows(results).map_err(|what| {
        let format = format.name();
        TableError::Output(format!("{format} cannot hold the results: {what}; write JSON"))
    })
}

/// Checks that results are columns and matrices with equally many rows, or single values; or says
/// which are not.
fn check_rows(results: &[(&str, &[u64])]) -> Result<(), String> {
    let Some(((first, shape), others)) = results.split_first() else {
        return Err("there are none".to_owned());
    };
    for (name, other) in results {
        if other.len() > 2 {
            return Err(format!("\"{name}\" has {} axes", other.len()));
        }
    }
    for (name, other) in others {
        if other.first() != shape.first() {
            let [a, b] = [shape, other].map(|shape| rows_in_words(shape));
            return Err(format!("\"{first}\" has {a}, \"{name}\" {b}"));
        }
    }
    Ok(())
}

fn rows_in_words(shape: &[u64]) -> String {
    match shape.first() {
        None => "a single value".to_owned(),
        Some(1) => "1 row".to_owned(),
        Some(rows) => format!("{rows} rows"),
    }
}
