//! `tacit bench`: how fast a protocol is here, beside the bound of the setting.

mod args;
mod chart;
mod limit;
mod paper;
mod result;
mod sweep;
mod task;

pub use args::BenchArgs;

use crate::error::CliError;
use crate::local::{self, Child, Hosts, Transport};
use crate::output::Output;
use crate::progress::Progress;
use args::{BenchTransport, Operation};
use result::{PartyResult, summary};
use tacit_net::memory::{self, MemoryNetwork};

/// Runs the command.
pub fn run(args: &BenchArgs, output: Output) -> Result<u8, CliError> {
    if !(args.seconds > 0.0 && args.seconds <= 3600.0) {
        return Err(CliError::input("--seconds is more than 0 and at most 3600"));
    }
    match (args.operation, args.paper) {
        (Operation::Paper, Some(paper)) => {
            args.refuse_beside_paper()?;
            paper::run(paper, &args.tables, output)?;
            return Ok(0);
        }
        (_, None) if args.tables.synthetic => {
            return Err(CliError::input("--synthetic is for `tacit bench paper ccs16`"));
        }
        (_, None) => {}
        _ => return Err(CliError::input("a paper is named after `paper` alone")),
    }
    if let Some(child) = local::from_environment() {
        let result = child.and_then(|child| task::run_child(args, child));
        return Ok(Child::report(result));
    }
    if let Some(plot) = &args.sweep.plot {
        output.print(&sweep::sweep(args, plot)?)?;
        return Ok(0);
    }
    task::check(args)?;
    let (parties, profile) = (args.parties(), args.profile()?);
    let progress = Progress::new(true);
    progress.step(&format!("measuring {}", args.protocol));
    let results = match (&args.hosts, args.transport) {
        (Some(_), BenchTransport::Memory) => {
            return Err(CliError::input(
                "--transport memory is one process; --hosts starts several",
            ));
        }
        (Some(path), _) => local::launch_on(Hosts::load(path, parties)?)?.results()?,
        (None, BenchTransport::Memory) if profile.is_some() => {
            return Err(CliError::input(
                "--network needs real sockets; `tacit lab` plays networks in virtual time",
            ));
        }
        (None, BenchTransport::Memory) => in_this_process(args)?,
        (None, BenchTransport::Tcp) => local::launch(parties, Transport::Tcp)?.results()?,
        (None, BenchTransport::Tls) => local::launch(parties, Transport::Tls)?.results()?,
    };
    drop(progress);
    output.print(&summary(args, profile.as_ref(), &results)?)?;
    Ok(0)
}

fn in_this_process(args: &BenchArgs) -> Result<Vec<PartyResult>, CliError> {
    let network = MemoryNetwork { pre_window_bytes: 1 << 20, ..MemoryNetwork::default() };
    let (parties, meshes) = (args.parties(), task::meshes(args)?);
    let results = memory::run(parties, meshes, &network, |session| task::run(args, session));
    results.into_iter().collect()
}
