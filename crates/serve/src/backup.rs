//! Copies of a node's state, and how one is put back.

use crate::config::NodeConfig;
use crate::core::now;
use crate::daemon::own;
use crate::data::{Data, make};
use crate::error::Error;
use crate::sign::Ed25519Statements;
use crate::store::Store;
use serde::{Deserialize, Serialize};
use std::fs::{self, File, OpenOptions};
use std::io;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt, PermissionsExt};
use std::path::Path;
use std::time::Instant;
use tacit_net::config::PartyConfig;
use tacit_node::{Dataset, Statements, Table, put_back};

/// What says that a copy is whole, and whose it is.
const ABOUT: &str = "backup.json";
const DATABASE: &str = "state.redb";

/// Whose state a copy is of, and when it was made.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct About {
    /// The party.
    pub party: String,
    /// The public half of its statement key.
    pub statements: String,
    /// The version of Tacit.
    pub engine: String,
    /// When it was made, in milliseconds of Unix time.
    pub at_ms: u64,
    /// Records of the store.
    pub records: usize,
    /// Files of tables and results.
    pub files: usize,
}

fn create(path: &Path) -> io::Result<File> {
    OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(path)
}

fn synced(path: &Path) -> Result<(), Error> {
    File::open(path).and_then(|it| it.sync_all()).map_err(|e| Error::file(path, &e))
}

/// Copies a file durably; gives whether it was there.
fn copy(from: &Path, to: &Path) -> Result<bool, Error> {
    let mut source = match File::open(from) {
        Ok(source) => source,
        Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(false),
        Err(e) => return Err(Error::file(from, &e)),
    };
    let wrong = |e: io::Error| Error::file(to, &e);
    let mut target = create(to).map_err(wrong)?;
    io::copy(&mut source, &mut target).and_then(|_| target.sync_all()).map_err(wrong)?;
    Ok(true)
}

/// Copies the files of a folder; gives how many there were.
fn copy_all(from: &Path, to: &Path) -> Result<usize, Error> {
    make(to)?;
    let mut count = 0;
    for entry in fs::read_dir(from).map_err(|e| Error::file(from, &e))? {
        let entry = entry.map_err(|e| Error::file(from, &e))?;
        let (source, target) = (entry.path(), to.join(entry.file_name()));
        if source.is_dir() {
            count += copy_all(&source, &target)?;
        } else {
            count += usize::from(copy(&source, &target)?);
        }
    }
    synced(to)?;
    Ok(count)
}

/// Copies the state of a node that runs into a folder that is not there yet: its store as it is at one moment, its tables, and
/// its results. The party's file is not in it: whoever has both is the party.
///
/// # Errors
/// The folder is there already, or something cannot be read or written.
pub fn write(
    (state, store): (&Path, &Store),
    (party, statements): (&str, &str),
    to: &Path,
) -> Result<About, Error> {
    let parent = to.parent().unwrap_or(to);
    let within = |folder: &Path| {
        Ok::<_, io::Error>(fs::canonicalize(folder)?.starts_with(fs::canonicalize(state)?))
    };
    if within(parent).map_err(|e| Error::file(parent, &e))? {
        return Err(Error::input(format!(
            "{} is in the state itself: name another folder",
            to.display()
        )));
    }
    let folder = fs::DirBuilder::new().mode(0o700).create(to);
    folder.map_err(|e| match e.kind() {
        io::ErrorKind::AlreadyExists => Error::input(format!(
            "{} is there already: name a folder that the node can make",
            to.display()
        )),
        _ => Error::file(to, &e),
    })?;
    let records = store.copy(&to.join(DATABASE))?;
    let owner = fs::Permissions::from_mode(0o600);
    let secret = fs::set_permissions(to.join(DATABASE), owner);
    secret.map_err(|e| Error::file(to, &e))?;
    // Names come from the copy, so that what is added meanwhile is not missed.
    let (from, into) = (Data::new(state.join("datasets")), Data::new(to.join("datasets")));
    let mut files = 0;
    for record in records.iter().filter(|record| record.table == Table::Datasets) {
        let dataset: Dataset = serde_json::from_slice(&record.value)
            .map_err(|e| Error::system(format!("the record {} is damaged: {e}", record.key)))?;
        let name = &record.key;
        make(&to.join("datasets"))?;
        make(&to.join("datasets").join(name))?;
        for version in dataset.versions {
            let [source, target] = [&from, &into].map(|it| it.path(name, &version.version));
            files += usize::from(copy(&source, &target)?);
        }
        synced(&to.join("datasets").join(name))?;
        synced(&to.join("datasets"))?;
    }
    files += copy_all(&state.join("results"), &to.join("results"))?;
    let about = About {
        party: party.to_owned(),
        statements: statements.to_owned(),
        engine: crate::ENGINE.to_owned(),
        at_ms: now(Instant::now()).wall_ms,
        records: records.len(),
        files,
    };
    let path = to.join(ABOUT);
    let text = serde_json::to_string_pretty(&about).unwrap_or_default();
    let written = create(&path).and_then(|mut file| {
        io::Write::write_all(&mut file, text.as_bytes())?;
        file.sync_all()
    });
    written.map_err(|e| Error::file(&path, &e))?;
    synced(to)?;
    synced(parent)?;
    Ok(about)
}

/// Puts a copy back where a node has no state. The node that is started with it takes part in nothing until it has learned again
/// what it had released since.
///
/// # Errors
/// The copy is not whole or another party's, there is a state already, or something cannot be read or written.
pub fn restore(config: &NodeConfig, party: &PartyConfig, from: &Path) -> Result<About, Error> {
    let path = from.join(ABOUT);
    let text = fs::read(&path).map_err(|e| match e.kind() {
        io::ErrorKind::NotFound => Error::input(format!(
            "{} is no whole backup: it has no {ABOUT}, which `tacit node backup` writes last",
            from.display()
        )),
        _ => Error::file(&path, &e),
    })?;
    let about: About = serde_json::from_slice(&text)
        .map_err(|e| Error::input(format!("{}: {e}", path.display())))?;
    let statements = Ed25519Statements::of(&party.identity)?.public();
    if (&about.party, &about.statements) != (&party.name, &statements) {
        return Err(Error::input(format!(
            "{} is a backup of {}, with another key than the one of {} in {}",
            from.display(),
            about.party,
            party.name,
            config.party.display()
        )));
    }
    let _lock = own(&config.state)?;
    let database = config.state.join(DATABASE);
    if database.exists() {
        return Err(Error::input(format!(
            "{} has a state already, which may know of more releases than the backup: if it is damaged, move it away first",
            config.state.display()
        )));
    }
    let mut files = 0;
    for folder in ["datasets", "results"] {
        if from.join(folder).exists() {
            files += copy_all(&from.join(folder), &config.state.join(folder))?;
        }
    }
    let new = config.state.join("state.redb.new");
    let whole = copy(&from.join(DATABASE), &new)? && files == about.files;
    // Without a file this would make one.
    let store = if whole { Some(Store::open(&new)?) } else { None };
    let records = store.as_ref().map(Store::load).transpose()?.map(|it| it.len());
    if records != Some(about.records) {
        return Err(Error::input(format!(
            "{} is no whole backup: {ABOUT} tells of {} records and {} files, and {} and {files} are there",
            from.display(),
            about.records,
            about.files,
            records.unwrap_or(0)
        )));
    }
    if let Some(store) = store {
        store.add(&put_back(now(Instant::now()).wall_ms))?;
    }
    fs::rename(&new, &database).map_err(|e| Error::file(&database, &e))?;
    synced(&config.state)?;
    Ok(about)
}
