//! What the system lets others do to a process of `tacit`.

#![cfg(target_os = "linux")]

use std::fs;
use std::io::{BufRead, BufReader};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};

/// A user without rights, for tests that the administrator runs.
const NOBODY: u32 = 65_534;

/// No core dump is written, and other processes of the same user cannot look into it. The kernel gives
/// the files in `/proc` of a process that may be dumped to its user, and others' to the administrator.
#[test]
fn memory_is_neither_dumped_nor_read_by_others() {
    let administrator = fs::metadata("/proc/self").expect("a process").uid() == 0;
    let folder = tempfile::tempdir().expect("temporary folder");
    fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o755)).expect("opens");
    let program = folder.path().join("tacit");
    fs::copy(env!("CARGO_BIN_EXE_tacit"), &program).expect("copies");
    let mut command = Command::new(program);
    // A party on this machine, which waits to hear from who started it.
    command.args(["run", "none.txt", "--local"]).env("TACIT_LOCAL_PARTY", "0").current_dir("/");
    command.stdin(Stdio::piped()).stdout(Stdio::piped());
    if administrator {
        command.uid(NOBODY).gid(NOBODY);
    }
    let mut child = command.spawn().expect("starts");
    let mut line = String::new();
    let output = child.stdout.take().expect("a pipe");
    BufReader::new(output).read_line(&mut line).expect("it is up");
    let process = format!("/proc/{}", child.id());
    let limits = fs::read_to_string(format!("{process}/limits"));
    let owner = fs::metadata(format!("{process}/status")).map(|about| about.uid());
    child.kill().expect("ends");
    child.wait().expect("ended");
    assert!(line.contains("port"), "{line}");
    let limits = limits.expect("limits");
    let core = limits.lines().find(|line| line.starts_with("Max core file size")).expect("a row");
    let core: Vec<&str> = core.split_whitespace().skip(4).take(2).collect();
    assert_eq!(core, ["0", "0"]);
    assert_eq!(owner.expect("a process"), 0, "it may be dumped");
}
