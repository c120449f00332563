//! What a program reveals, on screen and in files.

mod arrow;
mod csv;
mod file;
mod flat;
mod json;
mod parquet;
mod screen;

use std::collections::HashSet;
use std::io::Write;
use std::path::Path;
use std::sync::Arc;

use arrow_array::{RecordBatchIterator, RecordBatchReader};
use tacit_program::{Domain, Element, Meaning};
use zeroize::Zeroizing;

use crate::error::TableError;

/// The format in which results are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// An aligned table for people, called `table`; fixed point is shortened without loss.
    Table,
    /// Comma-separated, with a header; numbers are exact, bits are 0 and 1.
    Csv,
    /// One object, an entry per result; arrays are nested, numbers exact, bits true and false.
    Json,
    /// Integers, booleans and dates as such; fixed point as `double` up to 54 bits, where that is
    /// exact, else as decimals.
    Parquet,
}

impl Format {
    /// Gives the format that a file name asks for: `.csv`, `.json`, `.parquet` or `.pq`, `.txt`.
    #[must_use]
    pub fn from_path(path: &Path) -> Option<Self> {
        match path.extension()?.to_str()?.to_ascii_lowercase().as_str() {
            "csv" => Some(Format::Csv),
            "json" => Some(Format::Json),
            "parquet" | "pq" => Some(Format::Parquet),
            "txt" => Some(Format::Table),
            _ => None,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Format::Table => "a table",
            Format::Csv => "CSV",
            Format::Json => "JSON",
            Format::Parquet => "Parquet",
        }
    }
}

impl std::str::FromStr for Format {
    type Err = TableError;

    fn from_str(text: &str) -> Result<Self, TableError> {
        match text {
            "table" => Ok(Format::Table),
            "csv" => Ok(Format::Csv),
            "json" => Ok(Format::Json),
            "parquet" => Ok(Format::Parquet),
            _ => Err(TableError::Output(format!(
                "no format `{text}`; there are table, csv, json and parquet"
            ))),
        }
    }
}

/// One result of a program, with its values and their labels.
#[derive(Clone)]
pub struct OutputColumn {
    /// The name of the result.
    pub name: String,
    /// The type of each value.
    pub element: Element,
    /// Lengths of the axes: none for a single value, one for a column, two for a matrix.
    pub shape: Vec<u64>,
    /// Raw values, row-major, as in [`Column::raw`](crate::Column::raw).
    pub raw: Zeroizing<Vec<i64>>,
    /// The domains that label each axis. Their sizes multiply to its length: labels are all combinations, the last
    /// domain's members fastest. An axis without labels has no domain.
    pub labels: Vec<Vec<Arc<Domain>>>,
    /// What the values stand for.
    pub meaning: Meaning,
}

impl OutputColumn {
    /// Makes a result whose values are numbers, and whose axes have no labels.
    #[must_use]
    pub fn new(name: &str, element: Element, shape: Vec<u64>, raw: Zeroizing<Vec<i64>>) -> Self {
        let labels = vec![Vec::new(); shape.len()];
        OutputColumn {
            name: name.to_owned(),
            element,
            shape,
            raw,
            labels,
            meaning: Meaning::Number,
        }
    }

    /// The labels of an axis.
    fn axis(&self, at: usize) -> &[Arc<Domain>] {
        self.labels.get(at).map_or(&[], Vec::as_slice)
    }
}

/// All results that one party learns.
#[derive(Clone)]
pub struct OutputTable {
    columns: Vec<OutputColumn>,
}

impl OutputTable {
    /// Puts results together.
    ///
    /// # Errors
    /// [`TableError::Output`] if there are two of one name, or a shape and its number of values
    /// do not match.
    pub fn new(columns: Vec<OutputColumn>) -> Result<Self, TableError> {
        let mut names = HashSet::new();
        for column in &columns {
            let values = column.shape.iter().try_fold(1_u64, |n, length| n.checked_mul(*length));
            if values != Some(column.raw.len() as u64) {
                return Err(TableError::Output(format!(
                    "result \"{}\" has {} values, which is not its shape {:?}",
                    column.name,
                    column.raw.len(),
                    column.shape
                )));
            }
            if column.labels.iter().zip(&column.shape).any(|(by, length)| !fits(by, *length)) {
                let what = format!("the labels of result \"{}\" do not fit it", column.name);
                return Err(TableError::Output(what));
            }
            if !names.insert(&column.name) {
                let what = format!("two results are called \"{}\"", column.name);
                return Err(TableError::Output(what));
            }
        }
        Ok(OutputTable { columns })
    }

    /// Gives the results, in the program's order.
    #[must_use]
    pub fn columns(&self) -> &[OutputColumn] {
        &self.columns
    }

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

/// Whether domains label an axis of this length.
fn fits(by: &[Arc<Domain>], length: u64) -> bool {
    let labelled = by.iter().try_fold(1_u64, |all, domain| all.checked_mul(domain.len()));
    by.is_empty() || labelled == Some(length)
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
