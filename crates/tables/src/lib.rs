//! Tables in and out of programs.
//!
//! A party's input is a CSV or Parquet file. A [`Schema`] says which column of the file is which
//! input of the program, of which type and range, and what to do where a value is missing;
//! [`read()`] checks every cell against it and gives a [`Table`] of raw values. [`pad()`] hides how
//! many rows there are. What a program reveals goes out through an [`OutputTable`].
//!
//! ```text
//! file ──► read (with a Schema) ──► Table ──► pad ──► inputs of the program
//! results of the program ──► OutputTable ──► screen, CSV, JSON, Parquet
//! ```
//!
//! ```
//! use tacit_program::Element;
//! use tacit_tables::{Field, Format, OutputColumn, OutputTable, Schema, read};
//!
//! let folder = tempfile::tempdir()?;
//! let path = folder.path().join("people.csv");
//! std::fs::write(&path, "age,name\n37,Ada\n41,Max\n")?;
//!
//! let mut schema = Schema::for_inputs(&[Field::new("years", Element::uint(8)).within(0, 120)]);
//! schema.set_column("years=age")?;
//! let table = read(&path, &schema)?;
//! assert_eq!((table.rows, table.columns[0].raw[..].to_vec()), (2, vec![37, 41]));
//!
//! let total = OutputColumn::new("total", Element::uint(8), vec![], vec![78].into());
//! let mut csv = Vec::new();
//! OutputTable::new(vec![total])?.write_to(&mut csv, Format::Csv, 10)?;
//! assert_eq!(csv, b"total\n78\n");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Cells are secret: no error, `Debug` or log says what is in one, and columns are erased when
//! they are dropped. The crate knows no network, no share and no protocol. See `docs/tables.md`.

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
mod problem;
mod read;
mod render;
mod schema;
mod schema_file;

pub use column::{Column, Field, Table, check_same_schema};
pub use error::{CellError, TableError};
pub use number::{decimal, decimal_of};
pub use output::{Format, OutputColumn, OutputTable, check_shapes, check_writable};
pub use pad::{Padded, pad};
pub use problem::Problem;
pub use read::read;
pub use render::widen;
pub use schema::{ColumnSpec, CsvOptions, Missing, Schema};
pub use schema_file::Sharing;
