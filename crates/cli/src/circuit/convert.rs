//! `tacit circuit convert`.

use super::file::{self, ReadArgs, WriteArgs};
use super::info::CircuitInfo;
use crate::error::CliError;
use crate::output::Output;
use clap::Args;
use std::path::PathBuf;

/// Arguments of `tacit circuit convert`.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  tacit circuit convert old_aes.txt --reorder in0=reverse-bits --output aes.txt
  tacit circuit convert wide.txt --to fashion --output for_other_tools.txt
  tacit circuit convert sha256.txt --output sha256.tbc")]
pub struct ConvertArgs {
    /// The circuit to read
    #[arg(value_name = "CIRCUIT")]
    path: PathBuf,

    #[command(flatten)]
    read: ReadArgs,

    #[command(flatten)]
    write: WriteArgs,
}

/// Runs the command.
pub fn run(args: &ConvertArgs, output: Output) -> Result<(), CliError> {
    let circuit = file::read(&args.path, &args.read)?;
    args.write.write(&circuit)?;
    output.print(&CircuitInfo::new(&circuit, Some(args.write.path())))
}
