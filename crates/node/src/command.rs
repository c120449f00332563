//! What operators ask of a node, and what it answers.

use crate::study::Document;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;

/// What an operator asks.
#[derive(Clone, Debug, PartialEq)]
pub enum Command {
    /// Propose a study, whose program the shell has read.
    ProposeStudy(Box<Document>),
    /// Approve a study.
    ApproveStudy(String),
    /// Withdraw a study: nothing runs any more.
    WithdrawStudy(String),
    /// Close a study: no session begins any more.
    CloseStudy(String),
    /// Let sessions run again after somebody cheated.
    ClearStudy(String),
    /// Say which dataset is this party's table.
    BindStudy {
        /// The study.
        study: String,
        /// The dataset.
        dataset: String,
    },
    /// All studies.
    ListStudies,
    /// One study, with its document.
    ShowStudy(String),
    /// A new version of a dataset, which the shell has stored.
    AddDataset {
        /// Its name.
        dataset: String,
        /// The new version.
        version: Version,
    },
    /// All datasets.
    ListDatasets,
    /// Start a session.
    StartSession {
        /// The study.
        study: String,
        /// The same key gives the same session for 7 days.
        key: Option<String>,
    },
    /// All sessions.
    ListSessions,
    /// One session.
    ShowSession(String),
    /// Cancel a session.
    CancelSession(String),
    /// End a session as partial whose peers have been silent for a day.
    SettleSession(String),
    /// Which attempt's results of a session may be shown.
    Results(String),
    /// How the node is.
    Status,
    /// Numbers to watch a node by.
    Measures,
    /// Take on nothing more.
    Drain,
    /// Go on with a state that was put back, and charge releases that nobody else knows of, by study.
    Recover(BTreeMap<String, u32>),
    /// The audit log's head.
    AuditHead,
}

/// A version of a dataset.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Version {
    /// What others hear of it: random.
    pub version: String,
    /// BLAKE3 of the table's bytes, as hex digits. It stays here: it is neither sent nor shown, as whoever guesses a table could
    /// compare it.
    #[serde(default)]
    pub digest: String,
    /// Rows.
    pub rows: u64,
    /// When it was added, in milliseconds of Unix time.
    pub at_ms: u64,
    /// How many rows are in it and not in an older version, and the other way round, by that version.
    pub differences: BTreeMap<String, (u64, u64)>,
}

/// A dataset of this party, whose content the shell keeps.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Dataset {
    /// Its versions, the newest last.
    pub versions: Vec<Version>,
}

/// Numbers to watch a node by.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Measures {
    /// Whether each peer is connected.
    pub peers: BTreeMap<String, bool>,
    /// Sessions, by state.
    pub sessions: BTreeMap<String, u64>,
    /// How long ago the oldest session became known that has not ended, in milliseconds.
    pub oldest_ms: u64,
    /// Attempts of which all is known, by study and by what became of them.
    pub attempts: BTreeMap<String, BTreeMap<String, u64>>,
    /// Releases that are left, by open study.
    pub releases_left: BTreeMap<String, u64>,
    /// Studies in whose sessions somebody cheated.
    pub quarantined: u64,
    /// Entries of the audit log.
    pub audit_entries: u64,
    /// The state was put back to an older one.
    pub rolled_back: bool,
    /// The node takes on nothing more.
    pub draining: bool,
}

/// Why an operator's request is not done.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Problem {
    /// The status by which HTTP says it.
    pub status: u16,
    /// Its stable name.
    pub code: String,
    /// What is wrong, and what to do.
    pub detail: String,
}

impl Problem {
    /// A problem of this status, name and text.
    #[must_use]
    pub fn new(status: u16, code: &str, detail: impl Into<String>) -> Problem {
        Problem { status, code: code.to_owned(), detail: detail.into() }
    }
}

/// What a node answers.
pub type Answer = Result<Value, Problem>;
