//! What a job cost.

use serde::{Deserialize, Serialize};

/// Use of one directed link and stream.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LinkUse {
    /// Sending party.
    pub from: u8,
    /// Receiving party.
    pub to: u8,
    /// `ahead`, `online` or `deferred`.
    pub stream: String,
    /// Bytes sent, without transport framing and encryption.
    pub bytes: u64,
    /// Messages handed to the network.
    pub messages: u64,
    /// Bytes the cost functions predicted.
    pub predicted_bytes: u64,
    /// Seconds that the receiver waited for this stream, all threads added.
    pub waited_seconds: f64,
}

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
    /// Seconds in set-up: agreement and keys.
    pub setup_seconds: f64,
    /// Seconds in separate preprocessing; zero when it is interleaved.
    pub offline_seconds: f64,
    /// Seconds from the first input share to the last output.
    pub online_seconds: f64,
    /// Steps in which this party waited for an online message.
    pub rounds: u64,
    /// What the cost functions predicted for it.
    pub predicted_rounds: u64,
    /// All links, as their senders metered them.
    pub links: Vec<LinkUse>,
}

impl Report {
    /// Bytes that all parties sent.
    #[must_use]
    pub fn total_bytes(&self) -> u64 {
        self.links.iter().fold(0, |sum, link| sum.saturating_add(link.bytes))
    }

    /// Instances per second of the offline and online phases together.
    #[must_use]
    pub fn instances_per_second(&self) -> f64 {
        self.instances as f64 / (self.offline_seconds + self.online_seconds)
    }
}
