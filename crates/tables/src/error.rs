//! Why a table cannot be read or written. No message says what is in a cell.

use std::fmt;

use crate::problem::Problem;

/// Errors of cells are collected up to this many before reading stops.
pub(crate) const MAX_CELL_ERRORS: usize = 10;

/// A cell or a row that does not fit its schema. It says where, and never what is in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CellError {
    /// The row of data, from 1; the header is none.
    pub row: u64,
    /// The line of the file where the row begins, from 1, where the format has lines.
    pub line: Option<u64>,
    /// The column's name in the file; `None` if the whole row is wrong.
    pub column: Option<String>,
    /// What is wrong.
    pub problem: Problem,
    /// The range or the categories that the cell should be among, in words.
    pub allowed: String,
}

impl fmt::Display for CellError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(line) = self.line {
            write!(f, "line {line}, ")?;
        }
        write!(f, "row {}", self.row)?;
        if let Some(column) = &self.column {
            write!(f, ", column \"{column}\"")?;
        }
        f.write_str(": ")?;
        self.problem.describe(&self.allowed, f)
    }
}

/// Why a table cannot be read or written.
#[derive(Debug, thiserror::Error)]
pub enum TableError {
    /// The operating system refused.
    #[error("cannot {action} {file}: {source}")]
    Io {
        /// `"read"` or `"write"`.
        action: &'static str,
        /// The file.
        file: String,
        /// The operating system's error.
        source: std::io::Error,
    },
    /// The file is damaged or not of its format.
    #[error("{file}: {what}")]
    File {
        /// The file.
        file: String,
        /// What is wrong, and what to do.
        what: String,
    },
    /// Cells that do not fit, by row; at most ten of them.
    #[error("{file}: {}", list(errors, *more))]
    Cells {
        /// The file.
        file: String,
        /// The first errors.
        errors: Vec<CellError>,
        /// Whether reading stopped with rows left.
        more: bool,
    },
    /// The schema contradicts itself, the program, or another table's.
    #[error("{0}")]
    Schema(String),
    /// The results cannot be written in this format, or to this place.
    #[error("{0}")]
    Output(String),
}

impl TableError {
    pub(crate) fn file(file: &str, what: impl Into<String>) -> Self {
        TableError::File { file: file.to_owned(), what: what.into() }
    }

    pub(crate) fn read(file: &str, source: std::io::Error) -> Self {
        TableError::Io { action: "read", file: file.to_owned(), source }
    }

    pub(crate) fn write(file: &str, source: std::io::Error) -> Self {
        TableError::Io { action: "write", file: file.to_owned(), source }
    }
}

/// One error on the same line, several on lines of their own, each kind's remedy once.
fn list(errors: &[CellError], more: bool) -> String {
    let mut text = match errors {
        [one] => one.to_string(),
        _ => format!("{} cells do not fit the schema", errors.len()),
    };
    if errors.len() > 1 {
        errors.iter().for_each(|error| text += &format!("\n  {error}"));
    }
    if more {
        text += "\n  and maybe more: the rest of the file was not read";
    }
    let mut remedies: Vec<&str> = errors.iter().map(|error| error.problem.remedy()).collect();
    remedies.sort_unstable();
    remedies.dedup();
    let separator = if errors.len() > 1 || more { "\n  " } else { "; " };
    remedies.iter().for_each(|remedy| text = format!("{text}{separator}{remedy}"));
    text
}
