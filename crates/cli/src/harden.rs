//! What keeps the memory of this process to itself: it holds inputs, shares and keys.

use crate::error::CliError;
use std::io;

/// Switches off core dumps, and, on Linux, reading by other processes of the same user (`ptrace`, `/proc/PID/mem`):
/// the administrator's can still. Child processes do the same for themselves. Memory may still be
/// swapped out: that is the machine's matter.
pub fn harden() -> Result<(), CliError> {
    close().map_err(|e| CliError::system(format!("cannot switch off core dumps: {e}")))
}

#[cfg(unix)]
fn close() -> io::Result<()> {
    use rustix::process::{Resource, Rlimit, setrlimit};
    setrlimit(Resource::Core, Rlimit { current: Some(0), maximum: Some(0) })?;
    #[cfg(target_os = "linux")]
    rustix::process::set_dumpable_behavior(rustix::process::DumpableBehavior::NotDumpable)?;
    Ok(())
}

#[cfg(not(unix))]
fn close() -> io::Result<()> {
    Ok(())
}
