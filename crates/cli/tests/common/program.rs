//! The program that is tested.

use std::path::PathBuf;

/// The one that was built with the tests; or another that `TACIT_COMMAND` names, such as that of an installed wheel.
pub fn program() -> PathBuf {
    let other = std::env::var_os("TACIT_COMMAND");
    other.unwrap_or_else(|| env!("CARGO_BIN_EXE_tacit").into()).into()
}
