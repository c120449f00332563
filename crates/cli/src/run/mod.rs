//! `tacit run`: parties compute a program, or evaluate a circuit, on their private inputs.

mod args;
mod instances;
mod party;
mod report;

pub use args::{Misplaced, Parties, PreprocessingArg, RunArgs, opening, refuse};
pub use party::{in_turn, job};
pub use report::{all_written, seconds, write_links};

use crate::circuit::file;
use crate::error::CliError;
use crate::local::{self, Child};
use crate::meeting::{Failure, Meeting, hold};
use crate::output::Output;
use crate::program;
use report::RunReport;
use std::process::ExitCode;

/// Runs the command.
pub fn run(args: &RunArgs, output: Output) -> Result<ExitCode, Failure> {
    if program::is_program(&args.path) {
        return program::run_program(args, output);
    }
    if let Some(child) = local::from_environment() {
        let result = child.and_then(|child| {
            let circuit = file::read(&args.path, &args.read)?;
            let parties = Parties::numbered(args.protocol.parties());
            let mut meeting = Meeting::new(args.deadlines.of(child.config));
            party::evaluate(args, &circuit, &parties, &mut meeting)
        });
        return Ok(Child::report(result));
    }
    let results = match args.party_file()? {
        None => {
            refuse_program_arguments(args)?;
            let circuit = file::read(&args.path, &args.read)?;
            // Wrong arguments are better told here, once.
            let parties = args.protocol.parties();
            party::check(args, &circuit, &Parties::numbered(parties), None)?;
            local::launch(parties, args.transport)?.results()?
        }
        Some(path) => hold(args.session(path)?, |meeting| {
            refuse_program_arguments(args)?;
            let circuit = file::read(&args.path, &args.read)?;
            let parties = args.named(&meeting.config, path, false)?;
            Ok(vec![party::evaluate(args, &circuit, &parties, meeting)?])
        })?,
    };
    let report = RunReport::new(results);
    output.print_results(&report)?;
    report.all_written()?;
    Ok(ExitCode::SUCCESS)
}

fn refuse_program_arguments(args: &RunArgs) -> Result<(), CliError> {
    let by = Misplaced::new(args.by.is_some(), "--by", "");
    let block = Misplaced::new(args.garbling.block_ands.is_some(), "--block-ands", "");
    let ranges = Misplaced::new(args.ranges.no_range_check, "--no-range-check", "");
    refuse("programs", args.program.flags().into_iter().chain([by, block, ranges]))
}
