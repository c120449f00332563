//! The protocols that parties chose from, and what each would take.

use crate::roles::Measured;
use serde::{Deserialize, Serialize};
use tacit_planner::{Estimate, Objective};

/// The choice of a protocol, and what it was chosen by. It follows from measured links and public sizes.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Choice {
    /// What it protects against.
    pub against: String,
    /// Protocols that protect against it: the chosen one, then the fastest first. Of those within 1 % of the fastest the most usual is chosen.
    pub candidates: Vec<Candidate>,
    /// Protocols that do not run here, and why not.
    pub left_out: Vec<(String, String)>,
    /// Measured links.
    pub links: Vec<Measured>,
    /// How long the parties measured.
    pub measuring_seconds: f64,
    /// How long this party planned.
    pub planning_seconds: f64,
}

/// What a protocol would take.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Candidate {
    /// Its name.
    pub protocol: String,
    /// What numbers are computed with.
    pub by: String,
    /// The party that plays each role, in the first assignment of roles.
    pub roles: Vec<u8>,
    /// How many assignments of roles there are, side by side.
    pub assignments: usize,
    /// Threads of each party, for each of them.
    pub threads: usize,
    /// Predicted seconds in all: set-up, preprocessing and the online phase.
    pub seconds: f64,
    /// Of these, waiting for messages that are on their way.
    pub waiting_seconds: f64,
    /// Of these, sending.
    pub sending_seconds: f64,
    /// Of these, computing.
    pub computing_seconds: f64,
    /// What most of them are: processors, rounds or bytes.
    pub bound: String,
    /// Steps in which somebody waits for a message.
    pub steps: u64,
    /// Bytes that all parties send.
    pub bytes: f64,
}

impl Candidate {
    /// What an estimate says.
    #[must_use]
    pub fn of(estimate: &Estimate) -> Candidate {
        let roles = estimate.assignments.first().map(|it| &it.places[..]).unwrap_or_default();
        let parts = estimate.counted(Objective::Total);
        Candidate {
            protocol: estimate.protocol.to_string(),
            by: estimate.by.map(|by| by.to_string()).unwrap_or_default(),
            roles: roles.iter().map(|party| party.0).collect(),
            assignments: estimate.assignments.len(),
            threads: estimate.threads,
            seconds: parts.total(),
            waiting_seconds: parts.latency,
            sending_seconds: parts.bandwidth,
            computing_seconds: parts.computing,
            bound: estimate.bound(Objective::Total).to_string(),
            steps: estimate.steps(Objective::Total),
            bytes: estimate.total_bytes(Objective::Total),
        }
    }
}
