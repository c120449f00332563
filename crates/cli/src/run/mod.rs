//! `tacit run`: parties compute a program, or evaluate a circuit, on their private inputs.

mod args;
mod instances;
mod party;
mod report;

pub use args::{Misplaced, Parties, PreprocessingArg, RunArgs, opening, refuse};
pub use party::{in_turn, job};
pub use report::{seconds, write_links};

use crate::circuit::file;
use crate::error::CliError;
use crate::local::{self, Child};
use crate::output::Output;
use crate::program;
use report::RunReport;
use std::process::ExitCode;

/// Runs the command.
pub fn run(args: &RunArgs, output: Output) -> Result<ExitCode, CliError> {
    if program::is_program(&args.path) {
        return program::run_program(args, output);
    }
    if let Some(child) = local::from_environment() {
        let result = child.and_then(|child| {
            let circuit = file::read(&args.path, &args.read)?;
            let parties = Parties::numbered(args.protocol.parties());
            let config = args.limited(child.config);
            party::evaluate(args, &circuit, &parties, child.me, config)
        });
        return Ok(Child::report(result));
    }
    let by = Misplaced::new(args.by.is_some(), "--by", "");
    let block = Misplaced::new(args.garbling.block_ands.is_some(), "--block-ands", "");
    refuse("programs", args.program.flags().into_iter().chain([by, block]))?;
    let circuit = file::read(&args.path, &args.read)?;
    let results = match args.party_file()? {
        None => {
            // Wrong arguments are better told here, once.
            let parties = args.protocol.parties();
            party::check(args, &circuit, &Parties::numbered(parties), None)?;
            local::launch(parties, args.transport)?.results()?
        }
        Some(path) => {
            let (config, parties) = args.configured(path, false)?;
            vec![party::evaluate(args, &circuit, &parties, config.me, config)?]
        }
    };
    output.print(&RunReport::new(results))?;
    Ok(ExitCode::SUCCESS)
}
