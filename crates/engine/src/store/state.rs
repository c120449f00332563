//! What a party keeps outside its stores: the ledger of runs that are spent, and the key of each run that is not.
//!
//! A directory of the user's own, for all stores of that user. A store that is copied, or put back from a
//! backup, does not bring it along: so what is spent stays spent, and what was copied to another machine or
//! user cannot be read there.
//!
//! The ledger is a file of lines, which are only ever appended, under a lock, and are on the disk before
//! anything that they name is used. A key is a file of 32 bytes. It is overwritten and removed when its run is
//! spent; what disks and backups then still hold of the run's file tells nothing.

use super::private::{self, system};
use crate::circuit::EvaluateError;
use std::collections::HashSet;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use tacit_ring::Seed;
use zeroize::Zeroizing;

/// The environment's word for where the directory is, before any other.
pub const VARIABLE: &str = "TACIT_STATE";

/// Names one run's preprocessing at one party: parties on one machine may have one state directory.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(super) struct RunId {
    pub preparation: String,
    pub number: u64,
    pub party: u8,
}

impl RunId {
    /// Its line in the ledger.
    fn line(&self) -> String {
        format!("{} {} {}\n", self.preparation, self.number, self.party)
    }

    /// What a line says; `None` for one that a crash cut short: what it would have named was not used.
    fn parse(line: &str) -> Option<RunId> {
        let mut parts = line.split(' ');
        let (preparation, number, party) = (parts.next()?, parts.next()?, parts.next()?);
        let id = RunId {
            preparation: preparation.to_string(),
            number: number.parse().ok()?,
            party: party.parse().ok()?,
        };
        (preparation.len() == 32 && parts.next().is_none()).then_some(id)
    }
}

/// A user's directory for what must not be in a store.
#[derive(Clone, Debug)]
pub struct State {
    directory: PathBuf,
}

impl State {
    /// The user's: `$TACIT_STATE`, else `$XDG_STATE_HOME/tacit`, else `~/.local/state/tacit`. It is made if
    /// need be.
    ///
    /// # Errors
    /// When there is none, others can enter it, or it cannot be written: nothing stored is used or made then.
    pub fn of_user() -> Result<State, EvaluateError> {
        let given = |name: &str| std::env::var_os(name).filter(|path| !path.is_empty());
        let own = given(VARIABLE).map(PathBuf::from);
        let xdg = || given("XDG_STATE_HOME").map(PathBuf::from).filter(|path| path.is_absolute());
        let home = || std::env::home_dir().map(|home| home.join(".local").join("state"));
        let directory = own.or_else(|| Some(xdg().or_else(home)?.join("tacit")));
        let directory = directory.ok_or_else(|| {
            EvaluateError::System(format!(
                "there is no home directory for the ledger of spent preprocessing: set {VARIABLE} to a \
                 directory of your own that lasts"
            ))
        })?;
        State::at(&directory)
    }

    /// The state in a directory, which is created if it does not exist.
    ///
    /// # Errors
    /// When [`State::of_user`] fails.
    pub fn at(directory: &Path) -> Result<State, EvaluateError> {
        let state = State { directory: directory.to_path_buf() };
        private::make(directory).map_err(|e| state.unusable(&e))?;
        private::make(&state.keys()).map_err(|e| state.unusable(&e))?;
        private::check(directory)?;
        state.ledger().map_err(|e| state.unusable(&e))?;
        Ok(state)
    }

    /// Where it is.
    #[must_use]
    pub fn directory(&self) -> &Path {
        &self.directory
    }

    fn unusable(&self, error: &io::Error) -> EvaluateError {
        EvaluateError::System(format!(
            "cannot write the ledger of spent preprocessing in {}: {error}; without it, nothing keeps stored \
             preprocessing from being used twice: set {VARIABLE} to a directory of your own that lasts",
            self.directory.display()
        ))
    }

    fn keys(&self) -> PathBuf {
        self.directory.join("keys")
    }

    fn key_file(&self, id: &RunId) -> PathBuf {
        let RunId { preparation, number, party } = id;
        self.keys().join(format!("{preparation}-{number:06}-{party}.key"))
    }

    fn ledger(&self) -> io::Result<File> {
        let path = self.directory.join("spent");
        let new = !path.exists();
        let file = private::options().read(true).append(true).create(true).open(&path)?;
        if new {
            private::sync_directory(&self.directory)?;
        }
        Ok(file)
    }

    /// All runs that are spent.
    pub(super) fn spent(&self) -> Result<HashSet<RunId>, EvaluateError> {
        let read = || {
            let mut file = self.ledger()?;
            file.lock_shared()?;
            all(&mut file)
        };
        read().map_err(|e| self.unusable(&e))
    }

    /// Marks a run as spent; whether it was not before. Waits until the disk has that.
    pub(super) fn spend(&self, id: &RunId) -> Result<bool, EvaluateError> {
        let record = || {
            let mut file = self.ledger()?;
            file.lock()?;
            if all(&mut file)?.contains(id) {
                return Ok(false);
            }
            let mut line = String::new();
            if !ends_whole(&mut file)? {
                line.push('\n');
            }
            line.push_str(&id.line());
            file.write_all(line.as_bytes())?;
            file.sync_all()?;
            Ok(true)
        };
        record().map_err(|e: io::Error| self.unusable(&e))
    }

    /// Keeps the key of a run that is not spent, durably.
    pub(super) fn keep(&self, id: &RunId, key: &Seed) -> Result<(), EvaluateError> {
        let path = self.key_file(id);
        let write = || {
            let mut file = private::options().write(true).create_new(true).open(&path)?;
            file.write_all(key.expose())?;
            file.sync_all()?;
            private::sync_directory(&self.keys())
        };
        write().map_err(|e: io::Error| system("write", &path, &e))
    }

    /// Whether the key of a run is here.
    pub(super) fn has_key(&self, id: &RunId) -> bool {
        self.key_file(id).exists()
    }

    /// The key of a run.
    pub(super) fn key(&self, id: &RunId) -> Result<Seed, EvaluateError> {
        let path = self.key_file(id);
        let mut bytes = Zeroizing::new([0; Seed::LEN]);
        let read = File::open(&path).and_then(|mut file| file.read_exact(&mut *bytes));
        read.map_err(|e| system("read", &path, &e))?;
        Ok(Seed::from_bytes(*bytes))
    }

    /// Overwrites and removes the key of a run that is spent, if it is still there, and waits until the disk has
    /// that.
    pub(super) fn destroy(&self, id: &RunId) -> Result<(), EvaluateError> {
        let path = self.key_file(id);
        let destroy = || {
            let mut file = match OpenOptions::new().write(true).open(&path) {
                Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(()),
                file => file?,
            };
            file.write_all(&[0; Seed::LEN])?;
            file.sync_all()?;
            match fs::remove_file(&path) {
                Err(e) if e.kind() != io::ErrorKind::NotFound => return Err(e),
                _ => private::sync_directory(&self.keys())?,
            }
            Ok(())
        };
        destroy().map_err(|e: io::Error| system("destroy the key", &path, &e))
    }
}

/// All that a ledger has.
fn all(file: &mut File) -> io::Result<HashSet<RunId>> {
    let mut bytes = Vec::new();
    file.seek(SeekFrom::Start(0))?;
    file.read_to_end(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).lines().filter_map(RunId::parse).collect())
}

/// Whether the last line is whole: a crash may have cut it short.
fn ends_whole(file: &mut File) -> io::Result<bool> {
    if file.metadata()?.len() == 0 {
        return Ok(true);
    }
    let mut last = [0];
    file.seek(SeekFrom::End(-1))?;
    file.read_exact(&mut last)?;
    Ok(last == *b"\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(number: u64) -> RunId {
        RunId { preparation: "0".repeat(32), number, party: 1 }
    }

    fn state(parent: &tempfile::TempDir) -> State {
        State::at(&parent.path().join("state")).unwrap()
    }

    #[test]
    fn a_run_is_spent_once_whoever_asks() {
        let parent = tempfile::tempdir().unwrap();
        let state = state(&parent);
        let first = std::thread::scope(|scope| {
            let ask = || (1..=20).filter(|i| state.spend(&id(*i)).unwrap()).count();
            let threads: Vec<_> = (0..4).map(|_| scope.spawn(ask)).collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).sum::<usize>()
        });
        assert_eq!(first, 20);
        let again = State::at(state.directory()).unwrap();
        assert_eq!(again.spent().unwrap().len(), 20);
        assert!(!again.spend(&id(7)).unwrap());
        assert!(again.spend(&RunId { party: 0, ..id(7) }).unwrap());
    }

    /// A crash while a line is written: it names nothing that was used, and hides nothing that comes after it.
    #[test]
    fn a_line_that_is_cut_short_hides_no_other() {
        let parent = tempfile::tempdir().unwrap();
        let state = state(&parent);
        assert!(state.spend(&id(1)).unwrap());
        let path = state.directory().join("spent");
        let whole = fs::read(&path).unwrap();
        fs::write(&path, [&whole[..], &whole[..20]].concat()).unwrap();
        assert!(state.spend(&id(2)).unwrap());
        assert!(!state.spend(&id(1)).unwrap() && !state.spend(&id(2)).unwrap());
        assert_eq!(state.spent().unwrap().len(), 2);
    }

    #[test]
    fn keys_are_kept_and_destroyed() {
        let parent = tempfile::tempdir().unwrap();
        let (state, key) = (state(&parent), Seed::from_bytes([7; 32]));
        state.keep(&id(1), &key).unwrap();
        assert!(state.has_key(&id(1)) && state.key(&id(1)).unwrap() == key);
        assert!(state.keep(&id(1), &key).is_err(), "a key is never replaced");
        // As a backup that links to it sees it.
        let copy = parent.path().join("copy");
        fs::hard_link(state.key_file(&id(1)), &copy).unwrap();
        state.destroy(&id(1)).unwrap();
        assert!(!state.has_key(&id(1)) && state.key(&id(1)).is_err());
        assert_eq!(fs::read(copy).unwrap(), [0; 32]);
        state.destroy(&id(1)).unwrap();
    }

    #[cfg(unix)]
    #[test]
    fn what_others_can_enter_or_nobody_can_write_is_refused() {
        use std::os::unix::fs::PermissionsExt;
        let parent = tempfile::tempdir().unwrap();
        let state = state(&parent);
        let mode = |mode| fs::set_permissions(state.directory(), fs::Permissions::from_mode(mode));
        mode(0o755).unwrap();
        let error = State::at(state.directory()).unwrap_err().to_string();
        assert!(error.contains("chmod 700"), "{error}");
        mode(0o700).unwrap();
        // A ledger that cannot be opened to be written, whoever asks.
        fs::create_dir(parent.path().join("other")).unwrap();
        fs::set_permissions(parent.path().join("other"), fs::Permissions::from_mode(0o700))
            .unwrap();
        fs::create_dir(parent.path().join("other/spent")).unwrap();
        let error = State::at(&parent.path().join("other")).unwrap_err();
        assert!(matches!(error, EvaluateError::System(_)));
        assert!(error.to_string().contains("set TACIT_STATE"), "{error}");
    }
}
