//! Tables in and out of programs.
//!
//! A party's input is a CSV or Parquet file. A [`Schema`] says which column of the file is which
//! input of the program, of which type and range, and what to do where a value is missing;
//! [`read`] checks every cell against it and gives a [`Table`] of raw values. [`pad`] hides how
//! many rows there are. What a program reveals goes out through an [`OutputTable`].
//!
//! Cells are secret: no error, `Debug` or log says what is in one, and columns are erased when
//! they are dropped. See `docs/tables.md`.

mod arrow;
mod builder;
mod cell;
mod column;
mod csv_file;
mod error;
mod number;
mod output;
mod pad;
mod parquet_file;
mod read;
mod render;
mod schema;
mod schema_file;

pub use cell::Problem;
pub use column::{Column, Field, Table, check_same_schema, widen};
pub use error::{CellError, TableError};
pub use output::{Format, OutputColumn, OutputTable, check_shapes, check_writable};
pub use pad::{Padded, pad};
pub use read::read;
pub use schema::{ColumnSpec, CsvOptions, Missing, Schema};
pub use schema_file::Sharing;
