//! This party's datasets: tables as files, each version by itself, and by how many rows versions differ.

use crate::core::random;
use crate::error::Error;
use std::collections::{BTreeMap, HashMap};
use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};
use tacit_node::{Version, check_name};

/// The folder of all datasets.
pub struct Data(PathBuf);

/// How often each row is there, by its digest under a key of the moment.
type Rows = HashMap<[u8; 32], u64>;

impl Data {
    /// Datasets in this folder.
    #[must_use]
    pub fn new(folder: PathBuf) -> Data {
        Data(folder)
    }

    /// The file of a version.
    #[must_use]
    pub fn path(&self, dataset: &str, version: &str) -> PathBuf {
        self.0.join(dataset).join(format!("{version}.csv"))
    }

    /// Stores a table in CSV as a new version, durably, and compares it with all others.
    ///
    /// # Errors
    /// It is no CSV with a line of names, or cannot be written.
    pub fn add(&self, dataset: &str, bytes: &[u8]) -> Result<Version, Error> {
        check_name(dataset).map_err(Error::input)?;
        let key = random()?;
        let new = rows(bytes, &key)?;
        let mut differences = BTreeMap::new();
        for path in self.all()? {
            let known = fs::read(&path).map_err(|e| Error::file(&path, &e))?;
            let version = path.file_stem().map(|name| name.to_string_lossy().into_owned());
            let old = rows(&known, &key)?;
            differences.insert(version.unwrap_or_default(), (more(&new, &old), more(&old, &new)));
        }
        let version = hex::encode(&random()?[..16]);
        write_durably(&self.path(dataset, &version), bytes)?;
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let rows = new.values().sum();
        Ok(Version { version, rows, at_ms: now.as_millis() as u64, differences })
    }

    /// Files of all versions of all datasets.
    fn all(&self) -> Result<Vec<PathBuf>, Error> {
        let mut files = Vec::new();
        if !self.0.exists() {
            return Ok(files);
        }
        for folder in entries(&self.0)? {
            let versions = entries(&folder)?.into_iter();
            files.extend(versions.filter(|path| path.extension().is_some_and(|it| it == "csv")));
        }
        Ok(files)
    }
}

fn entries(folder: &Path) -> Result<Vec<PathBuf>, Error> {
    let wrong = |e: std::io::Error| Error::file(folder, &e);
    let entries = fs::read_dir(folder).map_err(wrong)?;
    entries.map(|entry| Ok(entry.map_err(wrong)?.path())).collect()
}

/// Rows of a table. Errors do not show what is in it.
fn rows(bytes: &[u8], key: &[u8; 32]) -> Result<Rows, Error> {
    let mut reader = csv::ReaderBuilder::new().has_headers(true).from_reader(bytes);
    let place = |e: &csv::Error| match e.position() {
        Some(at) => format!("line {} of the table is no CSV like the lines before", at.line()),
        None => "the table is no CSV with a line of names in front, in UTF-8".to_owned(),
    };
    let wrong = |e: csv::Error| Error::input(format!("{}; only CSV is supported here", place(&e)));
    let names = reader.headers().map_err(wrong)?.clone();
    if names.is_empty() {
        return Err(Error::input(
            "the table is empty: its first line has the names of the columns",
        ));
    }
    let mut rows = Rows::new();
    for row in reader.records() {
        let row = row.map_err(wrong)?;
        let mut hasher = blake3::Hasher::new_keyed(key);
        for (name, cell) in names.iter().zip(row.iter()) {
            for part in [name, cell] {
                hasher.update(&(part.len() as u64).to_le_bytes());
                hasher.update(part.as_bytes());
            }
        }
        *rows.entry(*hasher.finalize().as_bytes()).or_default() += 1;
    }
    Ok(rows)
}

/// How many rows are in one and not in the other.
fn more(one: &Rows, other: &Rows) -> u64 {
    let left = |(row, count): (&[u8; 32], &u64)| {
        count.saturating_sub(other.get(row).copied().unwrap_or(0))
    };
    one.iter().map(left).sum()
}

/// Writes a file that is there whole, and durably, or not at all. Only its owner can read it.
///
/// # Errors
/// It cannot be written.
pub fn write_durably(path: &Path, bytes: &[u8]) -> Result<(), Error> {
    let folder = path.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(folder).map_err(|e| Error::file(folder, &e))?;
    let wrong = |e: std::io::Error| Error::file(path, &e);
    let mut file = tempfile::NamedTempFile::new_in(folder).map_err(wrong)?;
    file.write_all(bytes).map_err(wrong)?;
    file.as_file().sync_all().map_err(wrong)?;
    file.persist(path).map_err(|e| wrong(e.error))?;
    File::open(folder).and_then(|folder| folder.sync_all()).map_err(wrong)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_compared_row_by_row() {
        let folder = tempfile::tempdir().expect("a folder");
        let data = Data::new(folder.path().join("datasets"));
        let first = data.add("pay", b"x,y\n1,2\n1,2\n3,4\n").expect("a version");
        let second = data.add("pay", b"x,y\n3,4\n1,2\n5,6\n7,8\n").expect("a version");
        assert_eq!((first.rows, second.rows), (3, 4));
        assert_eq!(second.differences[&first.version], (2, 1));
        for (table, secret) in
            [(&b"x,y\n1,2\nsecret\n"[..], "secret"), (b"", "x"), (b"x\n\xff\n", "x\n")]
        {
            let error = data.add("pay", table).expect_err("no table").message;
            assert!(!error.contains(secret), "{error}");
        }
        assert!(data.add("../pay", b"x\n1\n").is_err());
    }
}
