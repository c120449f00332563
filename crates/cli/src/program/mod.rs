//! Programs over arrays: `tacit program`, and `tacit run` of a `.tacit` file.

mod args;
mod bench;
mod check;
mod choice;
mod costs;
mod eval;
mod inputs;
mod results;
mod run;
mod sample;
mod show;

pub use args::{NamedValue, TableArgs};
pub use bench::random_inputs;
pub use choice::{ByArg, ChunkArg};
pub use costs::MAX_ANDS;
pub use inputs::public as public_inputs;
pub use run::{
    Names, WHO_LEARNS, bytes, is_program, job, local_names, refuse_circuit_arguments, run_program,
};
pub use sample::samples;
pub use show::rows;

use crate::error::CliError;
use crate::output::Output;
use clap::{Args, Subcommand};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use tacit_engine::protocols::PLAIN;
use tacit_program::{Program, text};
use tacit_sharing::Protocol;

/// Arguments of `tacit program`.
#[derive(Args, Debug)]
pub struct ProgramArgs {
    #[command(subcommand)]
    command: ProgramCommand,
}

#[derive(Subcommand, Debug)]
enum ProgramCommand {
    /// Say what a program takes from whom, what it reveals to whom, and what it costs
    Show(show::ShowArgs),
    /// Check a program and print its canonical form
    Check {
        /// The program
        #[arg(value_name = "PROGRAM")]
        path: PathBuf,
    },
    /// Measure how fast a program is here, on random inputs
    Bench(bench::ProgramBenchArgs),
    /// Evaluate a program in the clear, on everybody's inputs: for tests with made-up data
    Eval(eval::EvalArgs),
}

/// Runs the command.
pub fn run(args: ProgramArgs, output: Output) -> Result<ExitCode, CliError> {
    match args.command {
        ProgramCommand::Show(args) => show::run(&args, output)?,
        ProgramCommand::Check { path } => show::check(&path, output)?,
        ProgramCommand::Bench(args) => return bench::run(&args.checked()?, output),
        ProgramCommand::Eval(args) => eval::run(&args, output)?,
    }
    Ok(ExitCode::SUCCESS)
}

/// Checks that all of the program's parties can play a role.
pub fn check_parties(program: &Program, protocol: Protocol) -> Result<(), CliError> {
    let (has, computing) = (program.parties.len(), protocol.parties());
    if has <= computing {
        return Ok(());
    }
    Err(CliError::input(format!(
        "the program has {has} parties; {computing} compute under {protocol}, and more are supported in `tacit run` \
         only, under protocols by shares"
    )))
}

/// Whether parties may give inputs and learn results that play no role.
pub fn takes_outside(protocol: Protocol) -> bool {
    !protocol.garbles() && protocol != PLAIN
}

/// Reads a program file.
pub fn load(path: &Path) -> Result<Program, CliError> {
    let source = std::fs::read_to_string(path).map_err(|e| CliError::file(path, &e))?;
    let name = path.display().to_string();
    let program = text::parse(&name, &source).map_err(|e| CliError::input(e.to_string()))?;
    if program.reveals.is_empty() {
        return Err(CliError::input(format!(
            "{name}: the program reveals nothing to anybody: is the file whole? A result is given \
             with `reveal VALUE to PARTY as \"NAME\"`"
        )));
    }
    Ok(program)
}
