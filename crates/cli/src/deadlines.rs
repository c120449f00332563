//! How long a party waits.

use clap::Args;
use std::time::Duration;
use tacit::runtime::with_deadlines;
use tacit_net::SessionConfig;

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
    pub fn of(self, config: SessionConfig) -> SessionConfig {
        let [progress, connect] = [self.timeout, self.connect_timeout].map(Duration::from_secs);
        with_deadlines(config, progress, connect)
    }
}
