//! What a run has cost: times, rounds, and who sent how much to whom.

use serde::{Deserialize, Serialize};
use std::time::Duration;
use tracing::info;

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

/// Moments of a run.
#[derive(Clone, Copy)]
pub(crate) struct Times {
    pub started: Duration,
    /// Keys were there.
    pub ready: Duration,
    /// So was preprocessing, where that comes first.
    pub began: Duration,
    pub finished: Duration,
}

impl Times {
    /// Preprocessing comes as it is needed.
    pub fn interleaved([started, ready]: [Duration; 2]) -> Self {
        Times { started, ready, began: ready, finished: ready }
    }
}

/// What a run has cost, as its parties metered it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct RunCost {
    /// Seconds in set-up: agreement and keys.
    pub setup_seconds: f64,
    /// Seconds of separate preprocessing in the same run; zero when it is interleaved.
    pub offline_seconds: f64,
    /// Seconds from the first share to the last opened value.
    pub online_seconds: f64,
    /// Steps in which this party waited for an online message; of threads that take rows side by side, those
    /// of the one that has most.
    pub rounds: u64,
    /// What the cost functions predicted for it.
    pub predicted_rounds: u64,
    /// All links, as their senders metered them.
    pub links: Vec<LinkUse>,
}

impl RunCost {
    /// The cost of a run with these moments, rounds, and rounds that were predicted.
    pub(crate) fn new(
        times: Times,
        [rounds, predicted_rounds]: [u64; 2],
        links: Vec<LinkUse>,
    ) -> Self {
        RunCost {
            setup_seconds: (times.ready - times.started).as_secs_f64(),
            offline_seconds: (times.began - times.ready).as_secs_f64(),
            online_seconds: times.finished.saturating_sub(times.began).as_secs_f64(),
            rounds,
            predicted_rounds,
            links,
        }
    }

    /// Says in the log what it is.
    pub(crate) fn log(&self) {
        let [set_up, offline, online] = self.seconds();
        info!(set_up, offline, online, bytes = self.total_bytes(), "computed, in seconds");
    }

    /// Seconds by phase: set-up, offline, online.
    #[must_use]
    pub fn seconds(&self) -> [f64; 3] {
        [self.setup_seconds, self.offline_seconds, self.online_seconds]
    }

    /// Seconds of all phases.
    #[must_use]
    pub fn total_seconds(&self) -> f64 {
        self.setup_seconds + self.offline_seconds + self.online_seconds
    }

    /// Bytes that all parties sent.
    #[must_use]
    pub fn total_bytes(&self) -> u64 {
        self.links.iter().fold(0, |sum, link| sum.saturating_add(link.bytes))
    }
}
