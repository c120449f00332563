//! How many rows there are: facts that every party consents to before any input is offered.

use crate::circuit::EvaluateError;
use std::collections::BTreeMap;
use std::ops::RangeInclusive;
use tacit_net::{PartyId, Session};
use tacit_program::{Program, clear, text};

/// What a party says about row counts, by their names.
#[derive(Clone, Debug, Default)]
pub struct RowTerms {
    /// Rows of its own inputs.
    pub own: BTreeMap<String, u64>,
    /// Fewest and most rows with which it computes, where the program allows others too.
    pub bounds: BTreeMap<String, RangeInclusive<u64>>,
}

/// Finds the row counts: every party says those of its own inputs. First the parties compare their programs. Nothing is
/// allocated for rows before all have consented to their number.
///
/// # Errors
/// When parties have different counts for the same rows or nobody has one, where the program does not allow a count,
/// or the network fails. [`NetError::Disagreement`](tacit_net::NetError::Disagreement), which ends the session for
/// everybody, when a count is outside of this party's bounds.
pub fn agree_rows(
    session: &mut Session,
    program: &Program,
    terms: &RowTerms,
) -> Result<Vec<u64>, EvaluateError> {
    session.agree(&[
        ("command", "run".to_string()),
        ("tacit version", env!("CARGO_PKG_VERSION").to_string()),
        ("program", hex::encode(text::digest(program))),
    ])?;
    let offer: Vec<Option<u64>> =
        program.dims.iter().map(|dim| terms.own.get(&dim.name).copied()).collect();
    let mine = serde_json::to_vec(&offer)
        .map_err(|e| EvaluateError::Bug(format!("cannot write row counts: {e}")))?;
    let offers = session.publish(&mine)?;
    let (rows, owners): (Vec<u64>, Vec<PartyId>) = join(program, &offers)?.into_iter().unzip();
    clear::check_rows(program, &rows).map_err(|e| EvaluateError::Job(e.to_string()))?;
    for ((dim, rows), owner) in program.dims.iter().zip(&rows).zip(owners) {
        let Some(wanted) = terms.bounds.get(&dim.name).filter(|wanted| !wanted.contains(rows))
        else {
            continue;
        };
        let what = format!("the number of rows `{}`", dim.name);
        let (least, most) = (wanted.start(), wanted.end());
        let here = match *most {
            u64::MAX => format!("at least {least}"),
            most => format!("from {least} to {most}"),
        };
        return Err(session.disagree(owner, &what, here, rows.to_string()).into());
    }
    Ok(rows)
}

/// The row counts, and a party that has each.
fn join(program: &Program, offers: &[Vec<u8>]) -> Result<Vec<(u64, PartyId)>, EvaluateError> {
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
                    return Err(EvaluateError::Job(format!(
                        "party {} has {rows} rows of `{}`, party {} has {other}; tables \
                         that are joined row by row need as many rows",
                        first.0, dim.name, party.0
                    )));
                }
                (None, Some(offer)) => *known = Some((offer, party)),
                _ => {}
            }
        }
    }
    let named = rows.into_iter().zip(&program.dims);
    named
        .map(|(rows, dim)| {
            rows.ok_or_else(|| {
                EvaluateError::Job(format!("no party has an input with rows `{}`", dim.name))
            })
        })
        .collect()
}
