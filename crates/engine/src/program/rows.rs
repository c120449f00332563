//! How many rows there are: facts that every party consents to before any input is offered.

use super::difference::between;
use crate::circuit::EvaluateError;
use std::collections::BTreeMap;
use std::ops::RangeInclusive;
use tacit_net::{MAX_CONTROL_BYTES, NetError, PartyId, Session};
use tacit_program::ir::Dim;
use tacit_program::{Program, clear, text};

/// What a party says about row counts, by their names.
#[derive(Clone, Debug, Default)]
pub struct RowTerms {
    /// The protocol, or what it must protect against if the parties choose it: all must say the same.
    pub protocol: String,
    /// Rows of its own inputs.
    pub own: BTreeMap<String, u64>,
    /// Fewest and most rows with which it computes, where the program allows others too.
    pub bounds: BTreeMap<String, RangeInclusive<u64>>,
}

/// Finds the row counts: every party says those of its own inputs. First the parties compare their programs and protocols. Nothing is
/// allocated for rows before all have consented to their number.
///
/// # Errors
/// [`EvaluateError::Job`] if the program does not allow this party's own count, or nobody has one.
/// [`NetError::Disagreement`], which ends the session for everybody, if another party's count is none that the program
/// allows, differs from somebody's for the same rows, or is outside of this party's bounds. When the network fails.
pub fn agree_rows(
    session: &mut Session,
    program: &Program,
    terms: &RowTerms,
) -> Result<Vec<u64>, EvaluateError> {
    let facts = [
        ("command", "run".to_string()),
        ("tacit version", env!("CARGO_PKG_VERSION").to_string()),
        (PROGRAM, hex::encode(text::digest(program))),
        ("protocol", terms.protocol.clone()),
    ];
    if let Some(cause) = session.compare(&facts)? {
        let difference = difference(session, program, &cause);
        session.refuse(&cause);
        return Err(match difference {
            Some(difference) => EvaluateError::OtherProgram { cause, difference },
            None => cause.into(),
        });
    }
    let offer: Vec<Option<u64>> =
        program.dims.iter().map(|dim| terms.own.get(&dim.name).copied()).collect();
    let mine = serde_json::to_vec(&offer)
        .map_err(|e| EvaluateError::Bug(format!("cannot write row counts: {e}")))?;
    let offers = session.publish(&mine)?;
    check_own_rows(program, &terms.own)?;
    let counts = join(session, program, &offers)?;
    for (dim, (rows, owner)) in program.dims.iter().zip(&counts) {
        let allowed = dim.min..=dim.max;
        let wanted = terms.bounds.get(&dim.name);
        for (bounds, whose) in [(Some(&allowed), " (as the program allows)"), (wanted, "")] {
            let Some(bounds) = bounds.filter(|bounds| !bounds.contains(rows)) else { continue };
            let here = match (bounds.start(), *bounds.end()) {
                (least, u64::MAX) => format!("at least {least}{whose}"),
                (least, most) => format!("from {least} to {most}{whose}"),
            };
            return Err(session.disagree(*owner, &named(dim), here, rows.to_string()).into());
        }
    }
    Ok(counts.into_iter().map(|(rows, _)| rows).collect())
}

/// What parties call the program among themselves.
const PROGRAM: &str = "program";

/// Where this party's program differs from another one's, if that is what they disagree about. All parties find that they do:
/// each tells whether it shows its text, and if all do, each shows it.
fn difference(session: &mut Session, program: &Program, cause: &NetError) -> Option<String> {
    let NetError::Disagreement { peer, what, .. } = cause else { return None };
    if what != PROGRAM {
        return None;
    }
    // What goes wrong here is not why the session ends.
    let shares = session.publish(&[u8::from(session.share_program)]).ok()?;
    if shares.iter().any(|says| says != &[1]) {
        return None;
    }
    let fits = |text: &String| text.len() <= MAX_CONTROL_BYTES;
    let mine = Some(text::print_with_places(program)).filter(fits);
    let mine = mine.unwrap_or_else(|| text::print(program));
    let shown = if fits(&mine) { mine.as_bytes() } else { &[] };
    let texts = session.publish(shown).ok()?;
    let theirs = texts.get(peer.id.index()).filter(|text| !text.is_empty())?;
    Some(format!("\n--- here\n+++ {}\n{}", peer.name, between(&mine, theirs)))
}

/// Checks that the program allows a party's own numbers of rows.
///
/// # Errors
/// [`EvaluateError::Job`] if it does not.
pub fn check_own_rows(program: &Program, own: &BTreeMap<String, u64>) -> Result<(), EvaluateError> {
    for dim in &program.dims {
        if let Some(rows) = own.get(&dim.name) {
            clear::check_row_count(dim, *rows).map_err(|e| EvaluateError::Job(e.to_string()))?;
        }
    }
    Ok(())
}

fn named(dim: &Dim) -> String {
    format!("the number of rows `{}`", dim.name)
}

/// Two parties have different numbers of the same rows.
fn differ(
    session: &mut Session,
    dim: &Dim,
    [(first, rows), (second, other)]: [(PartyId, u64); 2],
) -> NetError {
    let what = format!("{}, which tables that are joined row by row share", named(dim));
    match session.me() {
        me if me == second => session.disagree(first, &what, other.to_string(), rows.to_string()),
        me if me == first => session.disagree(second, &what, rows.to_string(), other.to_string()),
        _ => {
            let owner = session.peer(first).map(ToString::to_string).unwrap_or_default();
            let here = format!("{rows} from {owner}");
            session.disagree(second, &what, here, other.to_string())
        }
    }
}

/// The row counts, and the first party that has each.
fn join(
    session: &mut Session,
    program: &Program,
    offers: &[Vec<u8>],
) -> Result<Vec<(u64, PartyId)>, EvaluateError> {
    let mut rows: Vec<Option<(u64, PartyId)>> = vec![None; program.dims.len()];
    for (party, bytes) in PartyId::all(offers.len()).zip(offers) {
        let theirs: Vec<Option<u64>> = serde_json::from_slice(bytes)
            .ok()
            .filter(|theirs: &Vec<_>| theirs.len() == rows.len())
            .ok_or_else(|| EvaluateError::Misbehaviour {
                party: party.index(),
                what: "it sent row counts that cannot be read; do both have the same program?"
                    .into(),
            })?;
        for ((known, offer), dim) in rows.iter_mut().zip(theirs).zip(&program.dims) {
            match (*known, offer) {
                (Some((rows, first)), Some(other)) if rows != other => {
                    return Err(differ(session, dim, [(first, rows), (party, other)]).into());
                }
                (None, Some(offer)) => *known = Some((offer, party)),
                _ => {}
            }
        }
    }
    rows.into_iter()
        .zip(&program.dims)
        .map(|(rows, dim)| {
            rows.ok_or_else(|| {
                EvaluateError::Job(format!("no party has an input with rows `{}`", dim.name))
            })
        })
        .collect()
}
