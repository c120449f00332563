//! Running `tacit` as users do.

#[path = "program.rs"]
mod program;

use program::program;
use std::path::Path;
use std::process::{Command, Output};

/// The program in a folder, with blank-separated arguments.
pub fn command(folder: &Path, arguments: &str) -> Command {
    let mut command = Command::new(program());
    command.args(arguments.split_whitespace()).current_dir(folder);
    // What is spent is not entered in the ledger of who runs the tests.
    command.env("TACIT_STATE", folder.join("state"));
    command
}

fn tacit(folder: &Path, arguments: &str) -> Output {
    command(folder, arguments).output().expect("the program starts")
}

/// Standard output of a run that must succeed.
pub fn ok(folder: &Path, arguments: &str) -> String {
    let run = tacit(folder, arguments);
    let errors = String::from_utf8_lossy(&run.stderr);
    assert!(run.status.success(), "tacit {arguments}: {errors}");
    String::from_utf8(run.stdout).expect("text")
}

/// Exit code and standard error of a run that must fail without a result.
pub fn fails(folder: &Path, arguments: &str) -> (i32, String) {
    let run = tacit(folder, arguments);
    assert!(!run.status.success(), "tacit {arguments} must fail");
    assert!(run.stdout.is_empty(), "tacit {arguments} prints no result");
    (run.status.code().expect("an exit code"), String::from_utf8_lossy(&run.stderr).into_owned())
}
