//! One party's view of a finished job of a circuit.

use crate::run_cost::RunCost;
use serde::{Deserialize, Serialize};

/// An assignment of roles, and its part of the instances.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AssignmentUse {
    /// Protocol name.
    pub protocol: String,
    /// Party that plays each role.
    pub roles: Vec<u8>,
    /// 64-lane words of instances.
    pub words: u64,
    /// Bits of soundness of its checks of products, if it has any: a cheat passes them with two to the minus this.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub soundness_bits: Option<f64>,
    /// Weights of the ways in which products were made, if there were several.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub balance: Option<String>,
}

/// One party's view of a finished job.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Report {
    /// Protocol name, of the first assignment.
    pub protocol: String,
    /// Who played which role: one assignment, or several side by side.
    pub assignments: Vec<AssignmentUse>,
    /// This party.
    pub party: u8,
    /// Instances evaluated.
    pub instances: u64,
    /// Worker threads per assignment.
    pub threads: u64,
    /// AND depth of the circuit as evaluated.
    pub depth: u64,
    /// Products of two factors per instance.
    pub products: u64,
    /// Wider products and polynomial gates per instance.
    pub wide_gates: u64,
    /// 64-lane words per block.
    pub block_words: u64,
    /// Blocks under way at once.
    pub blocks: u64,
    /// What it took.
    #[serde(flatten)]
    pub cost: RunCost,
}

impl Report {
    /// Instances per second of the offline and online phases together.
    #[must_use]
    pub fn instances_per_second(&self) -> f64 {
        self.instances as f64 / (self.cost.offline_seconds + self.cost.online_seconds)
    }
}
