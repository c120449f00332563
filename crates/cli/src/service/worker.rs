//! `tacit worker`, which the daemon starts.

use crate::error::CliError;

/// Runs the command.
pub fn run() -> Result<(), CliError> {
    Ok(tacit_serve::worker::run()?)
}
