//! The `tacit` program.

use std::process::ExitCode;
use tacit_cli::Invocation;

fn main() -> ExitCode {
    ExitCode::from(tacit_cli::main(Invocation::of_this_process()))
}
