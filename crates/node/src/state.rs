//! How far a node's state is, and what it has to learn again if it was put back to an older one.

use crate::study::canonical;
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::collections::{BTreeMap, BTreeSet};

/// The key of the record of what has to be learned again.
pub(crate) const RECOVERY: &str = "recovery";

/// How far a node's state was, as it says itself.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Witness {
    /// Whose state.
    pub party: String,
    /// How often it has recovered from an older state. What was said before the last recovery does not count any more.
    pub era: u32,
    /// The digest of the audit entry that the node wrote when it was started.
    pub life: String,
    /// How often its store was changed.
    pub commits: u64,
    /// The number of the last entry of its audit log.
    pub seq: u64,
    /// That entry's digest.
    pub hash: String,
    /// Releases that it has charged, as far as it knows.
    pub charges: u64,
    /// Its signature.
    pub signature: String,
}

impl Witness {
    /// What is signed, among the parties of a [`group`]: a party may be one of another, too.
    #[must_use]
    pub fn statement(&self, group: &str) -> Vec<u8> {
        let Witness { party, era, life, commits, seq, hash, charges, .. } = self;
        format!("{group} {party} {era} {life} {commits} {seq} {hash} {charges}").into_bytes()
    }

    /// What grows as the state goes on.
    pub(crate) fn age(&self) -> (u32, u64) {
        (self.era, self.commits)
    }
}

/// A digest of the keys of all parties, by their names.
#[must_use]
pub fn group(fingerprints: &BTreeMap<String, String>) -> String {
    blake3::hash(canonical(&json!(fingerprints)).as_bytes()).to_hex().to_string()
}

/// What is kept of an audit entry's digest.
pub(crate) fn begins(hash: &str) -> u64 {
    hash.get(..16).and_then(|it| u64::from_str_radix(it, 16).ok()).unwrap_or(0)
}

/// A start of the node, in its audit log.
pub(crate) struct Life {
    /// The change of the store that it was.
    pub commit: u64,
    /// The entry's digest.
    pub hash: String,
}

/// What a node has to learn again. While there is such a record it takes part in no attempt.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Recovery {
    /// Since when, in milliseconds of Unix time.
    pub since_ms: u64,
    /// The latest state of its own that it was shown.
    pub shown: Option<Witness>,
    /// The most releases of which a state that it was shown knows.
    pub charges: u64,
    /// Peers that have said all that they know.
    pub answered: BTreeSet<String>,
}
