//! Studies: what parties agree on before anything is computed.

use crate::message::MAX_MESSAGE_BYTES;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;

/// Longest program text of a study, in bytes.
pub const MAX_PROGRAM_BYTES: usize = 256 << 10;
/// Longest text of any other kind in a document, in bytes.
const MAX_TEXT_BYTES: usize = 256;
/// A study is not called like the beginning of an id of so many digits.
const ID_DIGITS: usize = 6;
/// Longest name of a study, party, dataset or label, in bytes.
pub const MAX_NAME_BYTES: usize = 64;

/// What a study fixes. It is part of the [`Document`] that all parties sign: nothing in it can be changed afterwards.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Terms {
    /// The name, by which operators call it.
    pub study: String,
    /// What it is for, for people.
    pub purpose: String,
    /// The protocol, as `tacit run --protocol` takes it.
    pub protocol: String,
    /// The parties, in the order of the protocol's roles.
    pub parties: Vec<String>,
    /// The party that proposes sessions.
    pub home: String,
    /// The label under which releases of several studies are counted together.
    pub label: String,
    /// The parties that give a table, and what is asked of it.
    pub tables: BTreeMap<String, TableTerms>,
    /// Attempts whose results may open.
    pub releases: u32,
    /// Rows by which tables of two releases of the label differ at least, in each direction in which they differ; 0 where it does not matter.
    pub min_change: u64,
    /// Worker threads of each party.
    pub threads: u32,
    /// Seconds that one attempt may take.
    pub limit_seconds: u64,
    /// Seconds after which a session that has not begun an attempt does not begin one any more.
    pub expires_seconds: u64,
    /// Attempts of a session, at most.
    pub attempts: u32,
    /// Seconds for which results are kept.
    pub results_seconds: u64,
}

/// What is asked of a party's table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TableTerms {
    /// Fewest rows.
    pub min_rows: u64,
}

/// A party of a study, as all know it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Member {
    /// Fingerprint of its TLS key.
    pub fingerprint: String,
    /// Its statement key.
    pub statements: String,
}

/// The whole of a study: what all parties sign.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Document {
    /// 1.
    pub version: u32,
    /// What it fixes.
    pub terms: Terms,
    /// The program, as text.
    pub program: String,
    /// Digest of the program's canonical form, as `tacit program check` shows it.
    pub program_digest: String,
    /// The parties.
    pub members: BTreeMap<String, Member>,
}

impl Document {
    /// The study's id: BLAKE3 of its canonical JSON, in hex.
    #[must_use]
    pub fn id(&self) -> String {
        let value = serde_json::to_value(self).unwrap_or(Value::Null);
        let mut hasher = blake3::Hasher::new_derive_key("tacit 2027 study id");
        hasher.update(canonical(&value).as_bytes());
        hasher.finalize().to_hex().to_string()
    }

    /// Whether it is well formed: what any node refuses to know, whatever its policy.
    ///
    /// # Errors
    /// Says what is wrong.
    pub fn check(&self) -> Result<(), String> {
        let Terms { study, parties, home, label, tables, .. } = &self.terms;
        if self.version != 1 {
            return Err(format!("this version knows studies of version 1, not {}", self.version));
        }
        for name in [study, home, label].into_iter().chain(parties).chain(tables.keys()) {
            check_name(name)?;
        }
        if study.len() >= ID_DIGITS && study.bytes().all(|c| c.is_ascii_hexdigit()) {
            return Err(format!("a study called {study} would look like the beginning of an id"));
        }
        if self.terms.purpose.len() > 4096 || self.program.len() > MAX_PROGRAM_BYTES {
            return Err("the purpose or the program is too long".into());
        }
        if !(2..=64).contains(&parties.len()) {
            return Err("a study has from 2 to 64 parties".into());
        }
        let keys = self.members.values().flat_map(|it| [&it.fingerprint, &it.statements]);
        let texts = [&self.terms.protocol, &self.program_digest].into_iter().chain(keys);
        if let Some(text) = texts.into_iter().find(|text| text.len() > MAX_TEXT_BYTES) {
            return Err(format!("a text of {} bytes, of at most {MAX_TEXT_BYTES}", text.len()));
        }
        let shown = [&self.terms.purpose, &self.terms.protocol, &self.program_digest].into_iter();
        let keys = self.members.values().flat_map(|it| [&it.fingerprint, &it.statements]);
        if let Some(text) = shown.chain(keys).find(|text| !is_plain(text)) {
            return Err(format!(
                "{text:?} has line breaks or characters that nobody sees: what is read before it is approved has none"
            ));
        }
        let mut sorted: Vec<&String> = parties.iter().collect();
        sorted.sort();
        if sorted.windows(2).any(|pair| pair[0] == pair[1]) {
            return Err("a party is named twice".into());
        }
        if !self.members.keys().eq(sorted) {
            return Err("the parties of the study are not those of the party file".into());
        }
        if !parties.contains(home) {
            return Err(format!("home is {home}, which is none of the parties"));
        }
        if let Some(other) = tables.keys().find(|party| !parties.contains(party)) {
            return Err(format!("a table is asked of {other}, which is none of the parties"));
        }
        let Terms { releases, attempts, threads, limit_seconds, expires_seconds, .. } = &self.terms;
        let year = 366 * 24 * 3600;
        if *releases == 0 || *attempts == 0 || *threads == 0 {
            return Err("releases, attempts and threads are at least 1".into());
        }
        if *attempts > 100 || *threads > 1024 {
            return Err("there are at most 100 attempts and 1024 threads".into());
        }
        if !(1..=year).contains(limit_seconds) || !(1..=year).contains(expires_seconds) {
            return Err("limit and expires are from a second to a year".into());
        }
        // What all nodes tell each other of it has to fit into one message, with all signatures.
        let whole = canonical(&serde_json::to_value(self).unwrap_or(Value::Null)).len();
        if whole > MAX_MESSAGE_BYTES / 2 {
            return Err("the study is too long: its program has too many characters that JSON writes as several".into());
        }
        Ok(())
    }
}

/// Whether a text is read as it is: without line breaks and other control characters, and without those that are not seen or turn
/// the direction of what follows.
fn is_plain(text: &str) -> bool {
    let hidden = |c: char| {
        c.is_control()
            || matches!(c, '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{feff}')
            || matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}')
            || matches!(c, '\u{e0000}'..='\u{e0fff}')
    };
    !text.chars().any(hidden)
}

/// Whether a name can stand in paths, logs and messages.
///
/// # Errors
/// Says what a name is.
pub fn check_name(name: &str) -> Result<(), String> {
    let fits = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
    let good = !name.is_empty() && name.len() <= MAX_NAME_BYTES && name.chars().all(fits);
    match good && !name.starts_with(['.', '-']) {
        true => Ok(()),
        false => Err(format!(
            "{name:?} is no name: those have up to {MAX_NAME_BYTES} letters, digits, `-`, `_` and `.`, and begin with a letter, a digit or `_`"
        )),
    }
}

/// JSON with sorted keys and without spaces: the same value has one text.
#[must_use]
pub fn canonical(value: &Value) -> String {
    match value {
        Value::Object(map) => {
            let mut keys: Vec<&String> = map.keys().collect();
            keys.sort();
            let pair =
                |key: &String| format!("{}:{}", Value::from(key.as_str()), canonical(&map[key]));
            format!("{{{}}}", keys.into_iter().map(pair).collect::<Vec<_>>().join(","))
        }
        Value::Array(items) => {
            format!("[{}]", items.iter().map(canonical).collect::<Vec<_>>().join(","))
        }
        other => other.to_string(),
    }
}

/// A statement of a party about a study.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Mark {
    /// Who says so.
    pub party: String,
    /// Its signature of the study's id.
    pub signature: String,
}

/// How far a study is at a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StudyState {
    /// Not all parties have approved it.
    Proposed,
    /// All have; this party has yet to bind its table.
    Approved,
    /// Sessions may run.
    Open,
    /// No session begins any more.
    Closed,
    /// Closed, and all results are deleted.
    Archived,
    /// A party has withdrawn it: nothing runs.
    Withdrawn,
}

/// A study, as a node keeps it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Study {
    /// What is signed.
    pub document: Document,
    /// Who has approved it, with signatures.
    pub approvals: BTreeMap<String, String>,
    /// This party's operators that have approved it.
    pub operators: Vec<String>,
    /// Who withdrew it.
    pub withdrawn: Option<Mark>,
    /// Who closed it.
    pub closed: Option<Mark>,
    /// When it was closed here, in milliseconds of Unix time.
    pub closed_ms: u64,
    /// All results are deleted.
    pub archived: bool,
    /// This party's dataset for it.
    pub bound: Option<String>,
    /// Somebody cheated in a session: nothing runs until an operator clears it.
    pub quarantined: bool,
    /// When it became known here, in milliseconds of Unix time.
    pub known_ms: u64,
    /// The peer from whom this party heard of it, if it was not proposed here.
    #[serde(default)]
    pub from: Option<String>,
}

impl Study {
    /// A study that has become known.
    #[must_use]
    pub fn new(document: Document, known_ms: u64) -> Study {
        Study {
            document,
            approvals: BTreeMap::new(),
            operators: Vec::new(),
            withdrawn: None,
            closed: None,
            closed_ms: 0,
            archived: false,
            bound: None,
            quarantined: false,
            known_ms,
            from: None,
        }
    }

    /// Whether this party had a hand in it: it proposed, approved, withdrew or closed it. Only then it tells others of it.
    #[must_use]
    pub fn is_backed_by(&self, me: &str) -> bool {
        let marked = |mark: &Option<Mark>| mark.as_ref().is_some_and(|mark| mark.party == me);
        let approved = self.approvals.contains_key(me) || !self.operators.is_empty();
        self.from.is_none() || approved || marked(&self.withdrawn) || marked(&self.closed)
    }

    /// Whether this party has to bind a table.
    #[must_use]
    pub fn wants_table_of(&self, party: &str) -> bool {
        self.document.terms.tables.contains_key(party)
    }

    /// How far it is, at this party.
    #[must_use]
    pub fn state(&self, me: &str) -> StudyState {
        let unanimous =
            self.document.members.keys().all(|party| self.approvals.contains_key(party));
        match () {
            () if self.withdrawn.is_some() => StudyState::Withdrawn,
            () if self.archived => StudyState::Archived,
            () if self.closed.is_some() => StudyState::Closed,
            () if !unanimous => StudyState::Proposed,
            () if self.wants_table_of(me) && self.bound.is_none() => StudyState::Approved,
            () => StudyState::Open,
        }
    }

    /// The parties of the study but this one.
    pub fn others<'s>(&'s self, me: &'s str) -> impl Iterator<Item = &'s String> {
        self.document.terms.parties.iter().filter(move |party| *party != me)
    }
}
