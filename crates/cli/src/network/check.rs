//! `tacit network check`.

use crate::deadlines::Deadlines;
use crate::error::CliError;
use crate::meeting::{Failure, hold};
use crate::output::{Output, Report, remark};
use clap::Args;
use serde::Serialize;
use std::io::{self, Write};
use std::path::PathBuf;
use std::sync::Arc;
use tacit_net::config::PartyConfig;
use tacit_net::probe::{Effort, LinkProbe, probe};
use tacit_net::{PartyAddress, SessionId};

/// The session in which all parties meet for the test.
const SESSION: &str = "tacit network check";

/// Arguments of `tacit network check`.
#[derive(Args, Debug)]
#[command(after_help = "All parties run it at about the same time, each with its own file:
  tacit network check --party alice.toml
  tacit network check --party bob.toml --json

Links are measured one after the other, over TLS and one connection, as sessions use them;
the numbers are medians.")]
pub struct CheckArgs {
    /// This party's configuration file, from `tacit party new`
    #[arg(long, value_name = "FILE")]
    party: PathBuf,

    #[command(flatten)]
    deadlines: Deadlines,
}

/// What was measured.
#[derive(Serialize)]
struct Checked {
    party: String,
    links: Vec<Link>,
}

/// One directed link.
#[derive(Serialize)]
struct Link {
    from: String,
    to: String,
    rtt_ms: f64,
    mbit_per_second: Option<f64>,
}

impl Link {
    fn new(probe: &LinkProbe, parties: &[PartyAddress]) -> Link {
        let name = |id: tacit_net::PartyId| parties[id.index()].name.clone();
        Link {
            from: name(probe.from),
            to: name(probe.to),
            rtt_ms: probe.rtt_ns as f64 / 1e6,
            mbit_per_second: probe.bits_per_second.map(|b| b as f64 / 1e6),
        }
    }
}

impl Report for Checked {
    fn text(&self, out: &mut dyn Write) -> io::Result<()> {
        let width = self.links.iter().flat_map(|l| [l.from.len(), l.to.len()]).max().unwrap_or(0);
        for link in &self.links {
            let (from, to) = (&link.from, &link.to);
            write!(out, "{from:>width$} -> {to:<width$}  rtt {:>9.3} ms", link.rtt_ms)?;
            match link.mbit_per_second {
                Some(rate) => writeln!(out, "  {rate:>10.1} Mbit/s")?,
                None => writeln!(out)?,
            }
        }
        Ok(())
    }
}

/// Runs the command.
pub fn run(args: &CheckArgs, output: Output) -> Result<(), Failure> {
    let config = PartyConfig::load(&args.party).map_err(CliError::from)?;
    let mut session = args.deadlines.of(config.session(SessionId::named(SESSION)));
    if !output.is_json() {
        session.notice = Some(Arc::new(remark));
    }
    let probes = hold(session, |meeting| {
        let mut session = meeting.connect()?;
        let probes = probe(&mut session, Effort::Thorough)?;
        session.finish()?;
        Ok(probes)
    })?;
    let links = probes.iter().map(|p| Link::new(p, &config.parties)).collect();
    Ok(output.print(&Checked { party: config.name, links })?)
}
