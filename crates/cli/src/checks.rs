//! `--statistical` and `--batch`: how rarely a cheat passes checks of products, and how many are checked together.

use crate::error::CliError;
use clap::Args;
use std::io::{self, Write};
use tacit::Threat;
use tacit::runtime::{Wanted, roles};
use tacit_proof::{BatchSize, Strength};
use tacit_sharing::Protocol;

/// How products are checked, where that was asked for.
#[derive(Args, Clone, Copy, Debug, Default)]
pub struct Checks {
    /// How rarely a cheat may pass checks of products: with two to the minus 40 or 64. 64 under those that `--protocol`
    /// also takes with `@64` behind their names, which says the same, and under protocols of four parties, which notice
    /// every cheat [default: 40]
    #[arg(long, value_name = "40|64")]
    statistical: Option<Strength>,

    /// How many products are checked together, or made ahead, under protocols of three parties of which one may cheat
    /// (`--protocol post/4096` says the same): fewer take less memory, and more bytes and rounds per product. Where triples
    /// are checked in buckets, `4688x4` makes buckets of four, and is refused where they are too few for that
    /// [default: 65536 to 8388608, by protocol]
    #[arg(long, value_name = "N|NxBUCKET")]
    batch: Option<BatchSize>,
}

impl Checks {
    /// A protocol with such checks.
    pub fn apply(self, protocol: Protocol) -> Result<Protocol, CliError> {
        Ok(roles::checked(protocol, self.statistical, self.batch)?)
    }

    /// A protocol with such checks that the parties choose.
    pub fn wanted(self, threat: Threat) -> Wanted {
        Wanted { strength: self.statistical, batch: self.batch, ..Wanted::against(threat) }
    }
}

/// Writes how sound checks of products are, where there are any.
pub fn write_soundness(out: &mut dyn Write, bits: Option<f64>) -> io::Result<()> {
    // Never more than it is.
    let bits = bits.map(|bits| (10.0 * bits).floor() / 10.0);
    bits.map_or(Ok(()), |bits| {
        writeln!(out, "a cheat passes the checks of products with 2^-{bits:.1} at most")
    })
}
