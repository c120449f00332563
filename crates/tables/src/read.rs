//! Reading a file of either format.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use crate::column::Table;
use crate::error::TableError;
use crate::schema::Schema;
use crate::{csv_file, parquet_file};

/// What Parquet files begin with.
const PARQUET_MAGIC: &[u8; 4] = b"PAR1";

/// Reads the columns of a schema from a CSV or Parquet file, row by row: memory is 8 bytes per
/// value kept, and some megabytes. A file that begins as Parquet files do, or is called `.parquet` or
/// `.pq`, is Parquet; every other file is CSV.
///
/// # Errors
/// [`TableError::Schema`] if the schema contradicts itself; [`TableError::Io`] or
/// [`TableError::File`] if the file cannot be read, is damaged, or lacks a column;
/// [`TableError::Cells`] with the first ten cells that do not fit.
pub fn read(path: &Path, schema: &Schema) -> Result<Table, TableError> {
    schema.check()?;
    let file = path.display().to_string();
    if path.is_dir() {
        return Err(TableError::file(&file, "is a folder; name a CSV or Parquet file"));
    }
    if is_parquet(path).map_err(|e| TableError::read(&file, e))? {
        parquet_file::read(path, &file, schema)
    } else {
        csv_file::read(path, &file, schema)
    }
}

fn is_parquet(path: &Path) -> std::io::Result<bool> {
    let named = |end: &str| path.extension().is_some_and(|ext| ext.eq_ignore_ascii_case(end));
    if named("parquet") || named("pq") {
        return Ok(true);
    }
    // A pipe can be read only once, and Parquet not at all from one.
    if !path.is_file() && path.exists() {
        return Ok(false);
    }
    let mut start = Vec::new();
    File::open(path)?.take(PARQUET_MAGIC.len() as u64).read_to_end(&mut start)?;
    Ok(start == PARQUET_MAGIC)
}
