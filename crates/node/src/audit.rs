//! The audit log: a chain of entries, each with the digest of the one before.

use crate::study::canonical;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// One entry. It never has a value of a table, a share or an address.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Entry {
    /// Its number, from 1.
    pub seq: u64,
    /// Milliseconds of Unix time.
    pub time_ms: u64,
    /// The digest of the entry before.
    pub prev: String,
    /// What happened.
    pub kind: String,
    /// To what.
    pub body: Value,
    /// The digest of all that.
    pub hash: String,
}

/// The end of the chain.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Head {
    /// The number of the last entry.
    pub seq: u64,
    /// Its digest.
    pub hash: String,
}

impl Entry {
    /// The entry behind `head`.
    #[must_use]
    pub fn after(head: &Head, time_ms: u64, kind: &str, body: Value) -> Entry {
        let mut entry = Entry {
            seq: head.seq + 1,
            time_ms,
            prev: head.hash.clone(),
            kind: kind.to_owned(),
            body,
            hash: String::new(),
        };
        entry.hash = entry.digest();
        entry
    }

    fn digest(&self) -> String {
        let Entry { seq, time_ms, prev, kind, body, .. } = self;
        let all = json!([seq, time_ms, prev, kind, body]);
        let mut hasher = blake3::Hasher::new_derive_key("tacit 2027 audit entry");
        hasher.update(canonical(&all).as_bytes());
        hasher.finalize().to_hex().to_string()
    }

    /// The chain's head with this as its last entry.
    #[must_use]
    pub fn head(&self) -> Head {
        Head { seq: self.seq, hash: self.hash.clone() }
    }
}

/// Checks that entries are a chain from the first one on, and gives its head.
///
/// # Errors
/// Says which entry does not follow from the one before.
pub fn verify<'e>(entries: impl IntoIterator<Item = &'e Entry>) -> Result<Head, String> {
    let mut head = Head::default();
    for entry in entries {
        if entry.seq != head.seq + 1 {
            return Err(format!("entry {} is missing", head.seq + 1));
        }
        if entry.prev != head.hash || entry.hash != entry.digest() {
            return Err(format!("entry {} was changed, or the one before it", entry.seq));
        }
        head = entry.head();
    }
    Ok(head)
}
