//! This party's datasets: tables as files, each version by itself, and by how many rows versions differ.

use crate::core::random;
use crate::error::Error;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fs::{self, DirBuilder, File};
use std::io::{self, Write};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};
use tacit_node::{Version, check_name};
use tracing::warn;

/// The folder of all datasets.
pub struct Data(PathBuf);

/// How often each row is there, by its digest under a key of the moment.
type Rows = HashMap<[u8; 32], u64>;

/// A table's digest, as the store keeps it.
#[must_use]
pub fn digest(bytes: &[u8]) -> String {
    blake3::hash(bytes).to_hex().to_string()
}

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

    /// Stores a table in CSV as a new version, durably, and compares it with all others. `known` are digests by version.
    ///
    /// Columns are compared by name, in any order, whether programs read them or not, and numbers by value. Where columns are in
    /// one of the two tables only, the others are.
    ///
    /// # Errors
    /// It is no CSV with a line of names, or cannot be written, or the file of a version is not what was added.
    pub fn add(
        &self,
        dataset: &str,
        bytes: &[u8],
        known: &BTreeMap<String, String>,
    ) -> Result<Version, Error> {
        check_name(dataset).map_err(Error::input)?;
        let key = random()?;
        let columns = names(bytes)?;
        let mut by_columns = BTreeMap::from([(columns.clone(), rows(bytes, &key, &columns)?)]);
        let count = by_columns[&columns].values().sum();
        let mut differences = BTreeMap::new();
        for path in self.all()? {
            let version = path.file_stem().map(|name| name.to_string_lossy().into_owned());
            // What the store does not know was never used.
            let Some((version, expected)) = version.and_then(|it| known.get_key_value(&it)) else {
                continue;
            };
            let old = match fs::read(&path) {
                Ok(old) => old,
                Err(e) if e.kind() == io::ErrorKind::NotFound => continue,
                Err(e) => return Err(Error::file(&path, &e)),
            };
            if digest(&old) != *expected {
                return Err(changed(&path));
            }
            let theirs = names(&old)?;
            let both: BTreeSet<String> = columns.intersection(&theirs).cloned().collect();
            let same_columns = columns == theirs;
            let both =
                if both.is_empty() { columns.union(&theirs).cloned().collect() } else { both };
            let old = rows(&old, &key, &both)?;
            if !by_columns.contains_key(&both) {
                by_columns.insert(both.clone(), rows(bytes, &key, &both)?);
            }
            let new = &by_columns[&both];
            // What is in one of them only may differ by little: they never count as the same.
            let least = u64::from(!same_columns);
            let found = (more(new, &old).max(least), more(&old, new).max(least));
            differences.insert(version.clone(), found);
        }
        let missing = known.keys().filter(|it| !differences.contains_key(*it)).count();
        if missing > 0 {
            warn!(
                missing,
                "tables of older versions are gone: this one cannot be compared with them"
            );
        }
        let version = hex::encode(&random()?[..16]);
        write_durably(&self.path(dataset, &version), bytes)?;
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let at_ms = now.as_millis() as u64;
        Ok(Version { version, digest: digest(bytes), rows: count, at_ms, differences })
    }

    /// Files of all versions of all datasets.
    fn all(&self) -> Result<Vec<PathBuf>, Error> {
        let mut files = Vec::new();
        if !self.0.exists() {
            return Ok(files);
        }
        for folder in entries(&self.0)?.into_iter().filter(|path| path.is_dir()) {
            let versions = entries(&folder)?.into_iter();
            files.extend(versions.filter(|path| path.extension().is_some_and(|it| it == "csv")));
        }
        Ok(files)
    }

    /// Looks for what the store does not know: tables that were being added when the node ended.
    ///
    /// # Errors
    /// A folder cannot be read.
    pub fn look(&self, known: &BTreeMap<String, String>, left: &mut Left) -> Result<(), Error> {
        if !self.0.exists() {
            return Ok(());
        }
        for folder in entries(&self.0)?.into_iter().filter(|path| path.is_dir()) {
            left.look(&folder, &|name| {
                name.strip_suffix(".csv").is_some_and(|version| known.contains_key(version))
            })?;
        }
        Ok(())
    }
}

/// Files that were there when the node was started, and that its store does not want.
#[derive(Default)]
pub struct Left(Vec<PathBuf>);

impl Left {
    /// Looks for tables, results and unfinished files of a folder, but those that are wanted. Nothing else counts.
    ///
    /// # Errors
    /// It cannot be read.
    pub fn look(&mut self, folder: &Path, wanted: &dyn Fn(&str) -> bool) -> Result<(), Error> {
        for path in entries(folder)?.into_iter().filter(|path| path.is_file()) {
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            let ours =
                [".csv", ".json"].iter().any(|it| name.ends_with(it)) || name.starts_with(".tmp");
            if ours && !wanted(&name) {
                self.0.push(path);
            }
        }
        Ok(())
    }

    /// Deletes them, once it is certain that the store is the newest.
    pub fn delete(&mut self) {
        for path in self.0.drain(..) {
            warn!(file = %path.display(), "deleting what was left of an earlier time");
            if let Err(error) = fs::remove_file(&path) {
                warn!(file = %path.display(), %error, "it cannot be deleted");
            }
        }
    }
}

/// What is said of a table's file that is not what was added.
fn changed(path: &Path) -> Error {
    Error::input(format!(
        "{} is not the table that was added: it was changed or damaged since; restore the file, or remove it and add the table as a new version",
        path.display()
    ))
}

/// Looks whether a file is the table that was added.
///
/// # Errors
/// It is another one, or cannot be read.
pub fn check(path: &Path, expected: &str) -> Result<(), Error> {
    let wrong = |e: io::Error| Error::file(path, &e);
    let mut hasher = blake3::Hasher::new();
    io::copy(&mut File::open(path).map_err(wrong)?, &mut hasher).map_err(wrong)?;
    match hasher.finalize().to_hex().as_str() == expected {
        true => Ok(()),
        false => Err(changed(path)),
    }
}

fn entries(folder: &Path) -> Result<Vec<PathBuf>, Error> {
    let wrong = |e: std::io::Error| Error::file(folder, &e);
    let entries = fs::read_dir(folder).map_err(wrong)?;
    entries.map(|entry| Ok(entry.map_err(wrong)?.path())).collect()
}

/// What is said of a table that is none. It does not show what is in it.
fn no_table(e: &csv::Error) -> Error {
    let place = match e.position() {
        Some(at) => format!("line {} of the table is no CSV like the lines before", at.line()),
        None => "the table is no CSV with a line of names in front, in UTF-8".to_owned(),
    };
    Error::input(format!("{place}; only CSV is supported here"))
}

fn reader(bytes: &[u8]) -> csv::Reader<&[u8]> {
    csv::ReaderBuilder::new().has_headers(true).from_reader(bytes)
}

/// Names of the columns.
///
/// # Errors
/// It is no CSV with a line of names.
pub fn names(bytes: &[u8]) -> Result<BTreeSet<String>, Error> {
    let mut reader = reader(bytes);
    let names = reader.headers().map_err(|e| no_table(&e))?;
    if names.is_empty() {
        return Err(Error::input(
            "the table is empty: its first line has the names of the columns",
        ));
    }
    Ok(names.iter().map(|name| name.trim().to_owned()).collect())
}

/// Rows of a table, of these columns. Errors do not show what is in it.
fn rows(bytes: &[u8], key: &[u8; 32], columns: &BTreeSet<String>) -> Result<Rows, Error> {
    let mut reader = reader(bytes);
    let names = reader.headers().map_err(|e| no_table(&e))?.clone();
    let mut order: Vec<(&str, usize)> =
        (0..).zip(names.iter()).map(|(at, name)| (name.trim(), at)).collect();
    order.retain(|(name, _)| columns.contains(*name));
    order.sort_unstable();
    let mut rows = Rows::new();
    for row in reader.records() {
        let row = row.map_err(|e| no_table(&e))?;
        let mut hasher = blake3::Hasher::new_keyed(key);
        for (name, at) in &order {
            let cell = row.get(*at).unwrap_or_default().trim();
            let number = number(cell);
            for part in [name, number.as_deref().unwrap_or(cell)] {
                hasher.update(&(part.len() as u64).to_le_bytes());
                hasher.update(part.as_bytes());
            }
        }
        *rows.entry(*hasher.finalize().as_bytes()).or_default() += 1;
    }
    Ok(rows)
}

/// A decimal number as it is written nowhere else: two texts of one number give the same one.
fn number(text: &str) -> Option<String> {
    let (mantissa, exponent) = match text.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, exponent.parse::<i32>().ok()?),
        None => (text, 0),
    };
    let (sign, digits) = match mantissa.strip_prefix(['-', '+']) {
        Some(rest) if mantissa.starts_with('-') => ("-", rest),
        Some(rest) => ("", rest),
        None => ("", mantissa),
    };
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let all = [whole, fraction].concat();
    if all.is_empty() || !all.bytes().all(|c| c.is_ascii_digit()) {
        return None;
    }
    let exponent = i64::from(exponent) - fraction.len() as i64;
    let all = all.trim_start_matches('0');
    let digits = all.trim_end_matches('0');
    match digits.is_empty() {
        true => Some("0".to_owned()),
        false => Some(format!("{sign}{digits}e{}", exponent + (all.len() - digits.len()) as i64)),
    }
}

/// How many rows are in one and not in the other.
fn more(one: &Rows, other: &Rows) -> u64 {
    let left = |(row, count): (&[u8; 32], &u64)| {
        count.saturating_sub(other.get(row).copied().unwrap_or(0))
    };
    one.iter().map(left).sum()
}

/// Makes a folder that only its owner can open, and those above it, unless it is there.
///
/// # Errors
/// It cannot be made.
pub fn make(folder: &Path) -> Result<(), Error> {
    let made = DirBuilder::new().recursive(true).mode(0o700).create(folder);
    made.map_err(|e| Error::file(folder, &e))
}

/// Writes a file that is there whole, and durably, or not at all. Only its owner can read it.
///
/// # Errors
/// It cannot be written.
pub fn write_durably(path: &Path, bytes: &[u8]) -> Result<(), Error> {
    let folder = path.parent().unwrap_or(Path::new("."));
    let wrong = |e: std::io::Error| Error::file(path, &e);
    if !folder.exists() {
        make(folder)?;
        // The name of a new folder has to last as well.
        let above = folder.parent().filter(|it| !it.as_os_str().is_empty());
        let above = above.unwrap_or(Path::new("."));
        File::open(above).and_then(|above| above.sync_all()).map_err(wrong)?;
    }
    let mut file = tempfile::NamedTempFile::new_in(folder).map_err(wrong)?;
    file.write_all(bytes).map_err(wrong)?;
    file.as_file().sync_all().map_err(wrong)?;
    file.persist(path).map_err(|e| wrong(e.error))?;
    File::open(folder).and_then(|folder| folder.sync_all()).map_err(wrong)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn data() -> (tempfile::TempDir, Data) {
        let folder = tempfile::tempdir().expect("a folder");
        let data = Data::new(folder.path().join("datasets"));
        (folder, data)
    }

    /// What the store has of versions.
    fn known(all: &[&Version]) -> BTreeMap<String, String> {
        all.iter().map(|it| (it.version.clone(), it.digest.clone())).collect()
    }

    #[test]
    fn versions_are_compared_row_by_row() {
        let (_folder, data) = data();
        let none = BTreeMap::new();
        let first = data.add("pay", b"x,y\n1,2\n1,2\n3,4\n", &none).expect("a version");
        let all = known(&[&first]);
        let second = data.add("pay", b"x,y\n3,4\n1,2\n5,6\n7,8\n", &all).expect("a version");
        assert_eq!((first.rows, second.rows), (3, 4));
        assert_eq!(second.differences[&first.version], (2, 1));
        for (table, secret) in
            [(&b"x,y\n1,2\nsecret\n"[..], "secret"), (b"", "x"), (b"x\n\xff\n", "x\n")]
        {
            let error = data.add("pay", table, &all).expect_err("no table").message;
            assert!(!error.contains(secret), "{error}");
        }
        assert!(data.add("../pay", b"x\n1\n", &all).is_err());
        // What the store does not know is compared with nothing.
        assert!(data.add("pay", b"x\n1\n", &none).expect("a version").differences.is_empty());
    }

    #[test]
    fn columns_are_compared_by_name_and_numbers_by_value() {
        let (_folder, data) = data();
        let first = data.add("pay", b"x,y\n1,2\n30,a\n", &BTreeMap::new()).expect("a version");
        let all = known(&[&first]);
        for (table, differences) in [
            (&b"y,x\n2.0, 1\na,3e1\n"[..], (0, 0)),
            (b"y,x\n2.0,+01\na,-30\n", (1, 1)),
            (b"x,y,note\n1,2,k\n30,a,l\n", (1, 1)),
            (b"x,y,note\n1,2,k\n31,a,l\n", (1, 1)),
            (b"x,y,note\n1,2,k\n30,a,l\n5,6,m\n", (1, 1)),
            (b"other\n1\n2\n3\n", (3, 2)),
        ] {
            let added = data.add("pay", table, &all).expect("a version");
            assert_eq!(added.differences[&first.version], differences);
        }
        for same in [["0", "-0.00"], ["12", "1.2e1"], ["-.5", "-0.50"], ["1e400", "10e399"]] {
            assert_eq!(number(same[0]), number(same[1]), "{same:?}");
        }
        for other in ["", ".", "-", "1x", "0x1", "1e", "e1", "nan", "1_0"] {
            assert_eq!(number(other), None, "{other}");
        }
    }

    #[test]
    fn a_table_that_was_changed_is_refused() {
        let (_folder, data) = data();
        let first = data.add("pay", b"x\n1\n", &BTreeMap::new()).expect("a version");
        let path = data.path("pay", &first.version);
        check(&path, &first.digest).expect("the same");
        fs::write(&path, b"x\n2\n").expect("a file");
        let error = check(&path, &first.digest).expect_err("another one").message;
        assert!(error.contains("is not the table that was added"), "{error}");
        let error = data.add("pay", b"x\n1\n", &known(&[&first])).expect_err("another one");
        assert!(error.message.contains("is not the table that was added"), "{error}");
    }

    #[test]
    fn what_the_store_does_not_know_is_swept() {
        let (_folder, data) = data();
        let none = BTreeMap::new();
        let [kept, lost] = [0, 1].map(|_| data.add("pay", b"x\n1\n", &none).expect("a version"));
        let folder = data.0.join("pay");
        fs::write(folder.join(".tmp123"), "").expect("a file");
        fs::write(folder.join("notes.txt"), "").expect("a file");
        let mut left = Left::default();
        data.look(&known(&[&kept]), &mut left).expect("it can be read");
        left.delete();
        assert!(data.path("pay", &kept.version).exists() && folder.join("notes.txt").exists());
        assert!(!data.path("pay", &lost.version).exists() && !folder.join(".tmp123").exists());
    }
}
