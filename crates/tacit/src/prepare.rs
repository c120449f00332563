//! Preprocessing of runs to come, into this party's store.

use crate::error::{Error, Result};
use crate::meeting::{Meeting, in_session};
use crate::store::{among, store_of};
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use tacit_engine::circuit::EvaluateError;
use tacit_engine::store::{Facts, Preparation, State, Store};
use tacit_net::Session;

/// What a party stored for runs to come.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Prepared {
    /// The party.
    pub party: String,
    /// What all parties call it.
    pub preparation: String,
    /// For how many runs it is.
    pub runs: u64,
    /// Bytes of its files.
    pub bytes: u64,
    /// Seconds that it took.
    pub seconds: f64,
    /// Bytes that all parties sent each other.
    pub bytes_sent: u64,
    /// Where it is.
    pub store: PathBuf,
}

/// One party that prepares runs with the others.
pub struct Preparer<'a> {
    /// The directory of stores: the party's is a folder in it, of the party's name.
    pub into: &'a Path,
    /// The party.
    pub party: &'a str,
    /// What the preparation is of, for people.
    pub label: &'a str,
    /// How many runs are prepared.
    pub runs: u64,
    /// What a run must agree with to use it.
    pub facts: Facts,
    /// What else the parties agree on, beside how many runs there are.
    pub agreed: [(&'static str, &'static str); 2],
    /// Whether the parties' keys last longer than the session.
    pub last: bool,
}

/// What parties agree on that prepare a circuit or a program, with stored triples or without.
#[must_use]
pub fn agreed(triples: bool) -> [(&'static str, &'static str); 2] {
    let triples = if triples { "used" } else { "not used" };
    [("command", "prepare"), ("stored triples", triples)]
}

impl Preparer<'_> {
    /// Prepares all runs, one after the other, each in keys of its own. `one` prepares one and keeps it: it gives the bytes
    /// of its file, and those that were sent for it. `progress` is told of each.
    pub fn all(
        self,
        meeting: &mut Meeting,
        progress: &dyn Fn(u64),
        mut one: impl FnMut(
            &mut Session,
            &mut Preparation<'_>,
        ) -> std::result::Result<[u64; 2], EvaluateError>,
    ) -> Result<Prepared> {
        let Preparer { into, party, label, runs, facts, agreed, last } = self;
        let directory = store_of(into, party);
        let store = Store::create(&directory, State::of_user()?)?;
        let store = among(store, &meeting.config, last);
        let mut session = meeting.connect()?;
        let started = session.meshes[0].now();
        let (preparation, [bytes, bytes_sent]) = in_session(&mut session, |session| {
            let [command, triples] = agreed.map(|(name, value)| (name, value.to_owned()));
            session.agree(&[command, ("runs to prepare", runs.to_string()), triples])?;
            let mut preparation = store.begin(session, label, facts)?;
            let (mut bytes, mut bytes_sent) = (0, 0);
            for done in 0..runs {
                let made = one(session, &mut preparation);
                let made = made.inspect_err(|e| session.abort(e.abort_kind(), &e.to_string()));
                let [kept, sent] = made.map_err(|error| match done {
                    0 => Error::from(error),
                    _ => Error::from(error).and(format!(" ({done} of {runs} runs are stored)")),
                })?;
                bytes += kept;
                bytes_sent += sent;
                progress(1);
            }
            Ok::<_, Error>((preparation.preparation().to_owned(), [bytes, bytes_sent]))
        })?;
        let seconds = (session.meshes[0].now() - started).as_secs_f64();
        session.finish()?;
        let (party, store) = (party.to_owned(), directory);
        Ok(Prepared { party, preparation, runs, bytes, seconds, bytes_sent, store })
    }
}
