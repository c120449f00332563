//! `tacit run`: parties compute a program, or evaluate a circuit, on their private inputs.

mod args;
mod instances;
mod party;
mod report;
mod stored;
mod trust;

pub use args::{
    AUTO, Asked, DEFAULT_SESSION, Misplaced, PreprocessingArg, RunArgs, opening, refuse,
};
pub use party::job;
pub use report::{all_written, write_links, write_waits};
pub use stored::{open_store, open_store_in, refuse_choice};
pub use tacit::runtime::{Parties, in_turn};
pub use trust::{announce_run, sentence};

use crate::circuit::file;
use crate::error::CliError;
use crate::local::{self, Child};
use crate::meeting::{self, Failure, hold};
use crate::output::Output;
use crate::program;
use report::RunReport;
use tacit_circuit::Circuit;
use tacit_protocol::MAX_PARTIES;

/// Runs the command.
pub fn run(args: &RunArgs, output: Output) -> Result<u8, Failure> {
    if program::is_program(&args.path) {
        return program::run_program(args, output);
    }
    if let Some(child) = local::from_environment() {
        let result = child.and_then(|child| {
            let circuit = file::read(&args.path, &args.read)?;
            let args = &args.among(local_parties(&circuit))?;
            let parties = Parties::numbered(args.protocol.parties());
            let mut meeting = meeting::of(args.deadlines.of(child.config));
            party::evaluate(args, &circuit, &parties, &mut meeting, output.is_json())
        });
        return Ok(Child::report(result));
    }
    let results = match args.party_file()? {
        None => {
            refuse_program_arguments(args)?;
            let circuit = file::read(&args.path, &args.read)?;
            let args = &args.among(local_parties(&circuit))?;
            // Wrong arguments are better told here, once.
            let parties = Parties::numbered(args.protocol.parties());
            let job = party::check(args, &circuit, &parties, None)?;
            let giving = job.owners.iter().map(|owner| owner.index() + 1).max().unwrap_or(0);
            announce_run(args, &parties, true, giving);
            local::launch(parties.0.len(), args.transport)?.results()?
        }
        Some(path) => {
            let (config, args) = args.session(path)?;
            hold(config, |meeting| {
                refuse_program_arguments(&args)?;
                let circuit = file::read(&args.path, &args.read)?;
                let args = &args.among(meeting.config.parties.len())?;
                let parties = args.named(&meeting.config, path, false)?;
                announce_run(args, &parties, false, 0);
                Ok(vec![party::evaluate(args, &circuit, &parties, meeting, output.is_json())?])
            })?
        }
    };
    let report = RunReport::new(args, results);
    output.print_results(&report)?;
    report.all_written()?;
    Ok(0)
}

/// How many parties there are when all are local, and choose the protocol: those that give inputs, or two.
fn local_parties(circuit: &Circuit) -> usize {
    circuit.input_widths().len().clamp(2, MAX_PARTIES.into())
}

fn refuse_program_arguments(args: &RunArgs) -> Result<(), CliError> {
    let by = Misplaced::new(args.by.is_some(), "--by", "");
    let block = Misplaced::new(args.garbling.block_ands.is_some(), "--block-ands", "");
    let ranges = Misplaced::new(args.ranges.no_range_check, "--no-range-check", "");
    refuse("programs", args.program.flags().into_iter().chain([by, block, ranges]))
}
