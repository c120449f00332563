//! Programs over arrays: `tacit program`, and `tacit run` of a `.tacit` file.

mod args;
mod bench;
mod check;
mod costs;
mod disclosed;
mod eval;
mod explain;
mod results;
mod run;
mod sample;
mod show;

pub use args::{NamedValue, TableArgs};
pub use bench::random_inputs;
pub use costs::MAX_ANDS;
pub use run::{WHO_LEARNS, is_program, refuse_circuit_arguments, run_program};
pub use sample::samples;
pub use show::rows;
pub use tacit::runtime::{Names, check_parties, local_names, takes_outside};
pub use tacit::{ByChoice, ChunkChoice};

use crate::error::CliError;
use crate::output::Output;
use clap::{Args, Subcommand};
use std::path::PathBuf;

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
    /// Say what each operation of a program or a query takes under a protocol, on a network: seconds, rounds and bytes
    Explain(explain::ExplainArgs),
    /// Measure how fast a program is here, on random inputs
    Bench(bench::ProgramBenchArgs),
    /// Evaluate a program in the clear, on everybody's inputs: for tests with made-up data
    Eval(eval::EvalArgs),
}

/// Runs the command.
pub fn run(args: ProgramArgs, output: Output) -> Result<u8, CliError> {
    match args.command {
        ProgramCommand::Show(args) => show::run(&args, output)?,
        ProgramCommand::Check { path } => show::check(&path, output)?,
        ProgramCommand::Explain(args) => explain::run(&args, output)?,
        ProgramCommand::Bench(args) => return bench::run(&args.checked()?, output),
        ProgramCommand::Eval(args) => eval::run(&args, output)?,
    }
    Ok(0)
}
