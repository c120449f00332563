//! How long a party waits, and which flag says so.

use clap::Args;
use std::time::Duration;
use tacit_net::{NetError, SessionConfig};

/// A peer that is alive may be busy with something else for so many times the deadline.
const BUSY: u64 = 120;

/// How long a party waits for others.
#[derive(Args, Clone, Copy, Debug)]
pub struct Deadlines {
    /// Seconds without progress after which a wait for data fails; a peer that shows no sign of life is given up
    /// after twice as long, and one that is alive but busy with something else after 120 times as long
    #[arg(long, value_name = "SECONDS", default_value_t = 30)]
    #[arg(value_parser = clap::value_parser!(u64).range(1..=86_400))]
    timeout: u64,

    /// Seconds to wait for the other parties to come up
    #[arg(long, value_name = "SECONDS", default_value_t = 60, alias = "wait")]
    #[arg(value_parser = clap::value_parser!(u64).range(1..=86_400))]
    connect_timeout: u64,
}

impl Deadlines {
    /// A session's configuration with these deadlines.
    pub fn of(self, mut config: SessionConfig) -> SessionConfig {
        config.limits.progress = Duration::from_secs(self.timeout);
        config.limits.meeting = Duration::from_secs(self.timeout.saturating_mul(BUSY));
        config.limits.connect = Duration::from_secs(self.connect_timeout);
        config
    }
}

/// For an error that a deadline caused: the flag that sets it.
pub fn flag(error: &NetError) -> Option<&'static str> {
    match error {
        NetError::Timeout { .. } | NetError::ControlTimeout { .. } | NetError::Silent { .. } => {
            Some("--timeout")
        }
        NetError::NotConnected { .. } => Some("--connect-timeout"),
        _ => None,
    }
}
