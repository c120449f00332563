//! Reading Parquet, batch by batch.

use std::fs::File;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use arrow_array::RecordBatch;
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{ParquetRecordBatchReader, ParquetRecordBatchReaderBuilder};

use crate::arrow;
use crate::builder::Builder;
use crate::column::Table;
use crate::error::TableError;
use crate::schema::{ColumnSpec, Schema};

const BATCH_ROWS: usize = 1 << 13;

/// Reads the columns of a schema, which has been checked.
pub(crate) fn read(path: &Path, file: &str, schema: &Schema) -> Result<Table, TableError> {
    let mut reader = contain(file, || open(path, file, schema))?;
    let mut next = || contain(file, || reader.next().transpose().map_err(|e| damaged(file, &e)));
    let mut builder = Builder::new(file, schema);
    while let Some(batch) = next()? {
        if !take(&batch, schema, &mut builder) {
            break;
        }
    }
    builder.finish(|offsets| vec![None; offsets.len()])
}

/// The decoder panics on some damaged files: an error as well. It is not used again after one.
fn contain<T>(file: &str, decode: impl FnOnce() -> Result<T, TableError>) -> Result<T, TableError> {
    catch_unwind(AssertUnwindSafe(decode))
        .unwrap_or_else(|_| Err(damaged(file, &"the decoder cannot go on")))
}

/// False when there were enough errors.
fn take(batch: &RecordBatch, schema: &Schema, builder: &mut Builder<'_>) -> bool {
    let columns = schema.columns.iter().zip(&builder.targets).map(|(spec, target)| {
        let array = batch.column_by_name(&spec.column).expect("was found when opening");
        arrow::cells(array.as_ref(), target)
    });
    let columns: Vec<_> = columns.collect();
    (0..batch.num_rows()).all(|row| builder.row(0, |i, _| columns[i][row]))
}

fn open(path: &Path, file: &str, schema: &Schema) -> Result<ParquetRecordBatchReader, TableError> {
    let opened = File::open(path).map_err(|e| TableError::read(file, e))?;
    let builder =
        ParquetRecordBatchReaderBuilder::try_new(opened).map_err(|e| damaged(file, &e))?;
    let places = schema.columns.iter().map(|spec| place(spec, builder.schema()));
    let places = places.collect::<Result<Vec<_>, _>>();
    let places = places.map_err(|what| TableError::file(file, what))?;
    let mask = ProjectionMask::roots(builder.parquet_schema(), places);
    let reader = builder.with_projection(mask).with_batch_size(BATCH_ROWS).build();
    reader.map_err(|e| damaged(file, &e))
}

fn damaged(file: &str, error: &dyn std::fmt::Display) -> TableError {
    TableError::file(file, format!("not a Parquet file, or damaged: {error}"))
}

/// Which column of the file it is, if its type can be an input.
fn place(spec: &ColumnSpec, file: &arrow_schema::Schema) -> Result<usize, String> {
    let name = &spec.column;
    let mut found = file.fields().iter().enumerate().filter(|(_, field)| field.name() == name);
    let (at, field) = found.next().ok_or_else(|| {
        let names: Vec<&str> = file.fields().iter().map(|field| field.name().as_str()).collect();
        let advice = spec.advice(names.iter().copied());
        format!("no column \"{name}\"; the file has: {}; {advice}", names.join(", "))
    })?;
    if found.next().is_some() {
        return Err(format!("two columns are called \"{name}\"; rename one"));
    }
    let data = field.data_type();
    match arrow::holds_text(data) {
        None => Err(format!(
            "column \"{name}\" holds {data}, which cannot be {}; store it as a number, a date, a \
             boolean or text",
            spec.element
        )),
        Some(false) if !spec.categories.is_empty() => Err(format!(
            "column \"{name}\" holds {data}, but its categories are texts; leave them out, or \
             store the texts"
        )),
        Some(_) => Ok(at),
    }
}
