//! `tacit circuit`: Boolean circuits in files.

mod build;
mod convert;
mod eval;
pub mod file;
mod info;
mod optimise;
mod table;

use crate::error::CliError;
use crate::output::Output;
use clap::{Args, Subcommand};

/// Arguments of `tacit circuit`.
#[derive(Args, Debug)]
pub struct CircuitArgs {
    #[command(subcommand)]
    command: CircuitCommand,
}

#[derive(Subcommand, Debug)]
enum CircuitCommand {
    /// Show a circuit's ports, depth, gates and traffic
    Info(info::InfoArgs),
    /// Build a circuit: arithmetic, comparison, AES, SHA-256
    Build(build::BuildArgs),
    /// Read a circuit in one format and write it in another
    Convert(convert::ConvertArgs),
    /// Make a circuit cheaper: less traffic, or fewer rounds
    Optimise(optimise::OptimiseArgs),
    /// Evaluate a circuit in the clear, on files of values
    Eval(eval::EvalArgs),
    /// Show depth and size of the library's circuits, beside published figures
    Table(table::TableArgs),
}

/// Runs a `tacit circuit` command.
pub fn run(args: CircuitArgs, output: Output) -> Result<(), CliError> {
    match args.command {
        CircuitCommand::Info(args) => info::run(&args, output),
        CircuitCommand::Build(args) => build::run(&args, output),
        CircuitCommand::Convert(args) => convert::run(&args, output),
        CircuitCommand::Optimise(args) => optimise::run(&args, output),
        CircuitCommand::Eval(args) => eval::run(&args, output),
        CircuitCommand::Table(args) => table::run(&args, output),
    }
}
