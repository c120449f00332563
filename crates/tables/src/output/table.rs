//! What a program reveals, as results beside each other.

use crate::error::TableError;
use std::collections::HashSet;
use std::path::Path;
use std::sync::Arc;
use tacit_program::{Domain, Element, Meaning};
use zeroize::Zeroizing;

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

    pub(super) fn name(self) -> &'static str {
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
    /// Of each value whether it is there; others are missing, and written as nothing. None: all are there.
    pub known: Option<Vec<bool>>,
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
            known: None,
        }
    }

    /// Whether a value, by its place among all, is there.
    pub(super) fn is_known(&self, at: usize) -> bool {
        self.known.as_ref().is_none_or(|known| known.get(at).copied().unwrap_or(false))
    }

    /// The labels of an axis.
    pub(super) fn axis(&self, at: usize) -> &[Arc<Domain>] {
        self.labels.get(at).map_or(&[], Vec::as_slice)
    }
}

/// All results that one party learns.
#[derive(Clone)]
pub struct OutputTable {
    pub(super) columns: Vec<OutputColumn>,
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
}

/// Whether domains label an axis of this length.
fn fits(by: &[Arc<Domain>], length: u64) -> bool {
    let labelled = by.iter().try_fold(1_u64, |all, domain| all.checked_mul(domain.len()));
    by.is_empty() || labelled == Some(length)
}
