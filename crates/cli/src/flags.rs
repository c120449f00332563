//! What commands share of their flags: the same words for the same things, and the same help.

use clap::builder::RangedU64ValueParser;
use tacit_engine::protocols;

/// Where a network is played, in real time or in virtual time.
pub const NETWORK: &str = "The network to play: lan, continental, global, one of a paper (ccs16, create, \
    wan-100ms, loopback-20gbit, lan-25gbit, lan-10gbit, global-236ms), a bandwidth such as 1gbit, or a TOML file";

/// Who does the work of a party.
pub const THREADS: &str = "Threads per party; with several assignments of roles, per assignment";

/// Rows of programs that get random inputs.
pub const ROWS: &str = "Row counts of a program [default: 1000, or the maximum if it is less]";

/// Threads per party, at most.
const MAX_THREADS: u64 = 1 << 10;

/// Reads `--threads`.
pub fn threads() -> RangedU64ValueParser<usize> {
    RangedU64ValueParser::new().range(1..=MAX_THREADS)
}

/// Says what `--protocol` takes, and `more`.
pub fn protocol(more: &str) -> String {
    format!("{}{more}", protocols::names())
}
