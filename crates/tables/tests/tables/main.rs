//! Tables in and out, from real files.

mod csv;
mod meaning;
mod output;
mod padding;
mod parquet;
mod properties;
mod schema;

use std::path::{Path, PathBuf};

use tacit_program::Element;
use tacit_tables::{Field, Schema, Table, TableError};
use tempfile::TempDir;

const FIXED: Element = Element::Fixed { bits: 32, fraction: 16 };

/// A folder with one file in it.
struct Input {
    folder: TempDir,
    path: PathBuf,
}

fn file(name: &str, bytes: impl AsRef<[u8]>) -> Input {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    std::fs::write(&path, bytes).unwrap();
    Input { folder, path }
}

fn read(path: &Path, schema: &Schema) -> Result<Table, TableError> {
    tacit_tables::read(path, schema)
}

fn read_csv(text: impl AsRef<[u8]>, schema: &Schema) -> Result<Table, TableError> {
    read(&file("t.csv", text).path, schema)
}

/// The error of a file that does not fit, without its folder.
fn csv_error(text: impl AsRef<[u8]>, schema: &Schema) -> String {
    let input = file("t.csv", text);
    let error = read(&input.path, schema).unwrap_err().to_string();
    error.replace(&format!("{}/", input.folder.path().display()), "")
}

fn wanted(fields: &[(&str, Element)]) -> Schema {
    let fields: Vec<Field> = fields.iter().map(|(name, e)| Field::new(*name, *e)).collect();
    Schema::for_inputs(&fields)
}

fn parsed(toml: &str) -> Schema {
    Schema::parse(toml, "s.toml", &[]).unwrap()
}

#[track_caller]
fn raw<'a>(table: &'a Table, name: &str) -> &'a [i64] {
    &table.column(name).unwrap().raw
}
