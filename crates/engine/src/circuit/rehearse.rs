//! A job on a network that is not there: all parties as threads of this process, in virtual time.

use super::compile::Compiled;
use super::{EvaluateError, Report, evaluate};
use crate::values::Lanes;
use tacit_net::memory::{self, MemoryNetwork};
use tacit_net::{PartyId, Session};

/// Runs a job of a circuit whose input ports have these widths, on zeros. What every party reports.
///
/// # Errors
/// When a party fails.
pub fn rehearse(
    compiled: &Compiled,
    widths: &[u32],
    network: &MemoryNetwork,
) -> Result<Vec<Report>, EvaluateError> {
    let job = compiled.job();
    let party = |mut session: Session| {
        let values = zeros(compiled, widths, session.me());
        let result = evaluate(&mut session, compiled, values, &|_| {})?;
        session.finish()?;
        Ok(result.report)
    };
    memory::run(job.protocol().parties(), job.threads(), network, party).into_iter().collect()
}

/// Zeros for the input ports of a party.
fn zeros(compiled: &Compiled, widths: &[u32], me: PartyId) -> Vec<Option<Lanes>> {
    let (job, words) = (compiled.job(), compiled.total_words());
    let port = |(owner, width): (&PartyId, &u32)| {
        let bits = || vec![vec![0; words]; *width as usize];
        (*owner == me).then(|| Lanes::from_bits(bits(), job.instances))
    };
    job.owners.iter().zip(widths).map(port).collect()
}
