//! What is wrong with a cell or row, and what its owner can do about it.

use std::fmt;

/// What is wrong with a cell or row, without what is in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Problem {
    /// The cell is empty, in a column that needs a value.
    Missing,
    /// The cell is not a number.
    NotNumber,
    /// The cell is a number with a fraction, in a column of integers.
    Fraction,
    /// The cell of a column of bits is not 0, 1, true or false.
    NotBit,
    /// The cell is infinite, or not a number in the sense of IEEE 754.
    NotFinite,
    /// The cell is a number outside the range of the column.
    Outside,
    /// The cell is a text that is no category of the column.
    NotCategory,
    /// The cell is not a date.
    NotDate,
    /// The cell is a number, in a column of texts.
    NotText,
    /// The cell has bytes that are not UTF-8.
    NotUtf8,
    /// The row has more or fewer cells than the file has columns.
    Count {
        /// The number of cells in the row.
        found: usize,
        /// The number of columns of the file.
        expected: usize,
    },
}

impl Problem {
    pub(crate) fn describe(self, allowed: &str, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Problem::Missing => f.write_str("no value"),
            Problem::NotNumber => f.write_str("not a number"),
            Problem::Fraction => f.write_str("not an integer"),
            Problem::NotBit => f.write_str("not 0, 1, true or false"),
            Problem::NotFinite => f.write_str("not a finite number"),
            Problem::Outside => write!(f, "outside {allowed}"),
            Problem::NotCategory => write!(f, "none of the categories {allowed}"),
            Problem::NotDate => f.write_str("not a date"),
            Problem::NotText => f.write_str("not a text"),
            Problem::NotUtf8 => f.write_str("not UTF-8 text"),
            Problem::Count { found, expected } => {
                write!(f, "{found} cells where the file has {expected} columns")
            }
        }
    }

    /// What the user can do.
    pub(crate) fn remedy(self) -> &'static str {
        match self {
            Problem::Missing | Problem::NotFinite => {
                "fill in missing values, or set `missing` for the column to \"drop\" or to a fill \
                 value"
            }
            Problem::NotNumber => {
                "write numbers as digits with `.` before the fraction and nothing between \
                 thousands, or give the column `categories`"
            }
            Problem::Fraction => "round the numbers, or give the column a fixed-point type",
            Problem::NotBit => "write bits as 0 and 1",
            Problem::Outside => {
                "correct the values, or widen the column's type and range in the program and the \
                 schema"
            }
            Problem::NotCategory => {
                "correct the spelling, or add it to the categories, in the schema or the program's \
                 `domain`"
            }
            Problem::NotDate => "write dates as year, month and day: 2024-01-31",
            Problem::NotText => "make texts of the numbers where the file comes from",
            Problem::NotUtf8 => "save the file as UTF-8",
            Problem::Count { .. } => {
                "check the delimiter, and put cells that hold it between quotes"
            }
        }
    }
}
