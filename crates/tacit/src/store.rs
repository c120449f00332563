//! A party's store of preprocessing, for a run that uses it.

use crate::error::{Error, Result};
use std::path::{Path, PathBuf};
use tacit_engine::circuit::{EvaluateError, StoredPreprocessing};
use tacit_engine::store::{State, Store, check_is_there};
use tacit_net::{Session, SessionConfig};

/// What peers are told when a party cannot use its store.
const UNUSABLE: &str =
    "a party cannot use its stored preprocessing of this run; start again for the next one";

/// A party's store in a directory of stores.
#[must_use]
pub fn store_of(directory: &Path, party: &str) -> PathBuf {
    directory.join(party)
}

/// Refuses a directory of stores that is not there, and a user without a ledger of what is spent: before any party
/// connects.
pub fn check_store(directory: &Path) -> Result<()> {
    check_is_there(directory)?;
    State::of_user()?;
    Ok(())
}

/// Opens a party's store in a directory of stores, for these parties: by their keys, if these `last` longer than the
/// session.
pub fn open_store(
    (directory, party): (&Path, &str),
    config: &SessionConfig,
    last: bool,
) -> Result<Store> {
    let store = Store::open(&store_of(directory, party), State::of_user()?)?;
    Ok(among(store, config, last))
}

/// Binds a store to the parties that are configured, by their pinned keys. Keys that are thrown away after each session
/// bind nothing: the parties have one owner, and their stores are for none but each other.
#[must_use]
pub fn among(store: Store, config: &SessionConfig, last: bool) -> Store {
    if !last {
        return store;
    }
    let pinned: Option<Vec<_>> = config.parties.iter().map(|party| party.fingerprint).collect();
    match pinned {
        Some(pinned) => store.among(&pinned),
        None => store,
    }
}

/// Takes what is stored for a job with these facts.
pub(crate) fn take(
    store: &Store,
    session: &mut Session,
    facts: &[(&str, String)],
) -> Result<(String, StoredPreprocessing)> {
    let taken = store.take(session, facts);
    taken.map_err(|e: EvaluateError| {
        let kind = e.abort_kind();
        Error::from(e).telling(kind, UNUSABLE)
    })
}
