//! Latencies: how often a phase waits for messages that cross the network, one wait after the other.

/// How many one-way link delays each phase of a run takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Latencies {
    /// Delays until parties have compared what they are about to do, and have their keys.
    pub set_up: u64,
    /// Delays of preprocessing, where all of it comes before the inputs.
    pub ahead: u64,
    /// Delays from inputs to outputs, without those of checks.
    pub online: u64,
}
