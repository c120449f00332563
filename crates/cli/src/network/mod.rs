//! `tacit network`: who the parties are, and the links between them.

mod check;
mod init;

use crate::meeting::Failure;
use crate::output::Output;
use clap::{Args, Subcommand};

/// Arguments of `tacit network`.
#[derive(Args, Debug)]
pub struct NetworkArgs {
    #[command(subcommand)]
    command: NetworkCommand,
}

#[derive(Subcommand, Debug)]
enum NetworkCommand {
    /// Make the keys of all parties at once, for trials on one machine
    Init(init::InitArgs),
    /// Test all links with the other parties: round-trip time and bandwidth
    Check(check::CheckArgs),
}

/// Runs a `tacit network` command.
pub fn run(args: NetworkArgs, output: Output) -> Result<(), Failure> {
    match args.command {
        NetworkCommand::Init(args) => Ok(init::run(&args, output)?),
        NetworkCommand::Check(args) => check::run(&args, output),
    }
}
