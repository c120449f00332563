//! What a party has at the end of a run of a program: what it learned, and what that cost.

use super::compiled::CompiledProgram;
use super::cost::Cost;
use super::layout::lengths;
use crate::circuit::{Assignment, EvaluateError};
use crate::links::all_links;
use crate::run_cost::{RunCost, Times};
use serde::{Deserialize, Serialize};
use tacit_backend::Values;
use tacit_net::{PartyId, Session};
use tacit_program::clear::Array;

/// Revealed values, by name.
pub type Revealed = Vec<(String, Array)>;

/// What a party has at the end of a run.
pub struct Outcome {
    /// The revealed values that it learns, by name, in the program's order. An error where one is
    /// none of its type; only this party knows of it, so that the session ends well for all.
    pub revealed: Result<Revealed, EvaluateError>,
    /// What the run cost.
    pub report: ProgramReport,
    /// Under `plain`, at the trusted party: where values left their ranges, so that a protocol
    /// would give wrong results. Places and counts, no values.
    pub warnings: Vec<String>,
}

/// An assignment of roles, and how much of the rows it took.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct RolesUse {
    /// Protocol name.
    pub protocol: String,
    /// Party that plays each role.
    pub roles: Vec<u8>,
    /// Rows are in proportion to the weights of all.
    pub weight: u32,
    /// Bits of soundness of its checks of products, if it has any: a cheat passes them with two to the minus this.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub soundness_bits: Option<f64>,
}

impl RolesUse {
    fn of(assignment: &Assignment) -> Self {
        let Assignment { protocol, places, weight, .. } = assignment;
        RolesUse {
            protocol: protocol.to_string(),
            roles: numbers(places),
            weight: *weight,
            soundness_bits: protocol.soundness(),
        }
    }
}

fn numbers(places: &[PartyId]) -> Vec<u8> {
    places.iter().map(|party| party.0).collect()
}

/// One party's view of a finished run.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ProgramReport {
    /// Protocol name.
    pub protocol: String,
    /// What numbers were computed with.
    pub by: String,
    /// Party that plays each role.
    pub roles: Vec<u8>,
    /// All assignments of roles, with their weights.
    pub assignments: Vec<RolesUse>,
    /// This party.
    pub party: u8,
    /// Whether private inputs were tested to lie in their declared ranges; nothing under protocols that take every
    /// party's word for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ranges_checked: Option<bool>,
    /// Row counts by dim.
    pub rows: Vec<(String, u64)>,
    /// Worker threads.
    pub threads: u64,
    /// What it took.
    #[serde(flatten)]
    pub cost: RunCost,
}

impl ProgramReport {
    /// Gathers all parties' meters.
    pub(super) fn gather(
        session: &mut Session,
        prepared: &CompiledProgram,
        cost: &Cost,
        rounds: u64,
        times: Times,
    ) -> Result<Self, EvaluateError> {
        let job = prepared.job();
        let links = all_links(session, &cost.bytes.placed(&job.everyone()))?;
        let dims = prepared.program().dims.iter().zip(&job.rows);
        let me = session.me();
        Ok(ProgramReport {
            protocol: job.protocol().to_string(),
            by: job.by.to_string(),
            roles: numbers(job.places()),
            assignments: job.options.assignments.iter().map(RolesUse::of).collect(),
            party: me.0,
            ranges_checked: job.protocol().is_malicious().then(|| job.tests_ranges()),
            rows: dims.map(|(dim, rows)| (dim.name.clone(), *rows)).collect(),
            threads: job.threads() as u64,
            cost: RunCost::new(times, [rounds, cost.rounds[job.seat_of(me)?]], links),
        })
    }
}

/// The opened values that this party learns, as arrays of their types.
pub(super) fn named(
    prepared: &CompiledProgram,
    me: PartyId,
    values: Vec<Option<Values>>,
) -> Result<Revealed, EvaluateError> {
    let program = &prepared.program;
    let mut all = Vec::new();
    for (reveal, values) in program.reveals.iter().zip(values) {
        let learns = reveal.to.iter().any(|p| prepared.job.parties[usize::from(p.0)] == me);
        let (true, Some(values)) = (learns, values) else { continue };
        let ty = program.body.type_of(reveal.value);
        let shape = lengths(&ty.shape, &prepared.job.rows)?;
        let array = Array::from_values(ty.element, shape, values.iter().copied()).map_err(|_| {
            EvaluateError::Job(format!(
                "the result `{}` has a value that its type does not have: an input or a promise \
                 (assume) left its range; run the program with --protocol plain to see where",
                reveal.name
            ))
        })?;
        all.push((reveal.name.clone(), array));
    }
    Ok(all)
}
