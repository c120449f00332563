//! Ends of epochs: all workers of all parties compare what everybody did.

use super::context::Backends;
use crate::circuit::EvaluateError;
use crate::workers::on_each;
use tacit_sharing::verify::{Journal, Verifier};
use tracing::info;

/// Compares what all workers of all parties did, under protocols with checks.
pub(super) fn end_epoch(
    backends: Backends<'_, '_>,
    verifier: Option<&mut Verifier>,
) -> Result<(), EvaluateError> {
    let journals = journals(backends, verifier.is_some())?;
    Ok(backends[0].end_epoch(verifier, journals)?)
}

/// Compares it before something opens, with which the run goes on or which is compared itself before it leaves: never the last time.
pub(super) fn settle(
    backends: Backends<'_, '_>,
    verifier: Option<&mut Verifier>,
) -> Result<(), EvaluateError> {
    let journals = journals(backends, verifier.is_some())?;
    Ok(backends[0].settle_epoch(verifier, journals)?)
}

/// Compares bits that opened to everybody, unless they opened at once.
pub(super) fn settle_opened(
    backends: Backends<'_, '_>,
    verifier: Option<&mut Verifier>,
) -> Result<(), EvaluateError> {
    if backends[0].opens_at_once() { Ok(()) } else { settle(backends, verifier) }
}

/// What all workers did, proven.
fn journals(backends: Backends<'_, '_>, compared: bool) -> Result<Vec<Journal>, EvaluateError> {
    if compared {
        info!("comparing what everybody did");
    }
    // Workers prove what they did with those of the other parties: all at once.
    let ends = backends.iter_mut().map(|backend| &mut **backend);
    on_each(ends, 0.., |backend, _| Ok(backend.take_journal()?))
}
