//! Results to a file, or standard output.

use std::io::{self, BufWriter, IsTerminal, Write};
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

use super::table::{Format, OutputTable};
use crate::error::TableError;

/// Rows shown on standard output.
const SCREEN_ROWS: usize = 50;

pub(super) fn write(
    table: &OutputTable,
    path: &Path,
    format: Option<Format>,
) -> Result<(), TableError> {
    if path == Path::new("-") {
        return write_stdout(table, format.unwrap_or(Format::Table));
    }
    let file = path.display().to_string();
    let format = format.or_else(|| Format::from_path(path)).ok_or_else(|| {
        TableError::Output(format!(
            "{file}: which format? end the name with .csv, .json, .parquet or .txt, or say it"
        ))
    })?;
    write_file(table, &target(path, &file)?, &file, format)
}

fn write_stdout(table: &OutputTable, format: Format) -> Result<(), TableError> {
    if format == Format::Parquet && io::stdout().is_terminal() {
        let what = "Parquet is not for a terminal; name a file, or choose another format";
        return Err(TableError::Output(what.to_owned()));
    }
    let mut writer = BufWriter::new(io::stdout());
    table.write_to(&mut writer, format, SCREEN_ROWS)?;
    writer.flush().map_err(|e| TableError::write("standard output", e))
}

/// Whether [`write`] can write a file, before there is anything to write.
pub(super) fn check(path: &Path) -> Result<(), TableError> {
    let file = path.display().to_string();
    begin(&target(path, &file)?, &file).map(drop)
}

/// Where the file really is: a link stays a link.
fn target(path: &Path, file: &str) -> Result<PathBuf, TableError> {
    let Ok(found) = std::fs::metadata(path) else { return Ok(path.to_owned()) };
    if found.is_dir() {
        return Err(TableError::Output(format!("{file} is a folder; name a file in it")));
    }
    if !found.is_file() {
        let what = format!("{file} is not a plain file; use - for standard output");
        return Err(TableError::Output(what));
    }
    std::fs::canonicalize(path).map_err(|e| TableError::write(file, e))
}

fn write_file(
    table: &OutputTable,
    target: &Path,
    file: &str,
    format: Format,
) -> Result<(), TableError> {
    let failed = |e| TableError::write(file, e);
    let mut writer = BufWriter::new(begin(target, file)?);
    table.write_to(&mut writer, format, usize::MAX).map_err(|e| match e {
        TableError::Io { source, .. } => failed(source),
        other => other,
    })?;
    let temporary = writer.into_inner().map_err(|e| failed(e.into_error()))?;
    temporary.as_file().sync_all().map_err(failed)?;
    temporary.persist(target).map_err(|e| failed(e.error))?;
    Ok(())
}

/// A file under a temporary name beside `target`; it vanishes unless it is given that name.
fn begin(target: &Path, file: &str) -> Result<NamedTempFile, TableError> {
    let folder = target.parent().filter(|folder| !folder.as_os_str().is_empty());
    NamedTempFile::new_in(folder.unwrap_or(Path::new("."))).map_err(|e| TableError::write(file, e))
}
