//! The lists of facts that parties compare before anything else, and their wire form.

use crate::error::{NetError, clean_text};
use crate::frame::MAX_CONTROL_BYTES;
use crate::types::Peer;
use std::sync::Arc;

const MAX_FACTS: usize = 4096;
const MAX_SHOWN_BYTES: usize = 200;

/// Each fact is two strings, each a 32-bit little-endian length and the bytes.
pub(crate) fn encode(facts: &[(&str, String)]) -> Result<Vec<u8>, NetError> {
    let mut bytes = Vec::new();
    for (name, value) in facts {
        for text in [*name, value.as_str()] {
            bytes.extend_from_slice(&(text.len() as u32).to_le_bytes());
            bytes.extend_from_slice(text.as_bytes());
        }
    }
    if bytes.len() > MAX_CONTROL_BYTES || facts.len() > MAX_FACTS {
        return Err(NetError::Configuration(format!(
            "{} facts of {} bytes are too many to compare (at most {MAX_FACTS} of \
             {MAX_CONTROL_BYTES} bytes); compare a digest instead",
            facts.len(),
            bytes.len()
        )));
    }
    Ok(bytes)
}

/// Splits a list of facts; `None` if it is not one.
pub(crate) fn decode(mut bytes: &[u8]) -> Option<Vec<(&[u8], &[u8])>> {
    let mut facts = Vec::new();
    while !bytes.is_empty() {
        if facts.len() == MAX_FACTS {
            return None;
        }
        let (name, rest) = text(bytes)?;
        let (value, rest) = text(rest)?;
        facts.push((name, value));
        bytes = rest;
    }
    Some(facts)
}

fn text(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let (len, rest) = bytes.split_first_chunk::<4>()?;
    rest.split_at_checked(u32::from_le_bytes(*len) as usize)
}

/// Compares the own list with the bytes of a peer's and names the first difference.
pub(crate) fn compare(
    mine: &[(&str, String)],
    theirs: &[u8],
    peer: &Arc<Peer>,
) -> Result<(), NetError> {
    let theirs = decode(theirs).ok_or_else(|| NetError::Misbehaviour {
        peer: peer.clone(),
        what: "its list of facts is malformed".into(),
    })?;
    for i in 0..mine.len().max(theirs.len()) {
        let here = mine.get(i).map(|(n, v)| (n.as_bytes(), v.as_bytes()));
        let there = theirs.get(i).copied();
        if here != there {
            return Err(difference(here, there, peer));
        }
    }
    Ok(())
}

type Fact<'a> = Option<(&'a [u8], &'a [u8])>;

fn difference(here: Fact<'_>, there: Fact<'_>, peer: &Arc<Peer>) -> NetError {
    let shown = |bytes: &[u8]| clean_text(bytes, MAX_SHOWN_BYTES);
    let named = |fact: Fact<'_>| match fact {
        Some((name, value)) => format!("{} = {}", shown(name), shown(value)),
        None => "nothing".to_owned(),
    };
    let (what, mine, theirs) = match (here, there) {
        (Some((n, a)), Some((m, b))) if n == m => (shown(n), shown(a), shown(b)),
        _ => ("what is compared".to_owned(), named(here), named(there)),
    };
    NetError::Disagreement { peer: peer.clone(), what, mine, theirs, setting: true }
}
