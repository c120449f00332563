//! Running parties of `tacit` on their own.

use std::path::Path;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

mod commands;
mod ports;

pub use commands::{command, fails, ok};
use ports::free_address;

/// Three configured parties on free ports of loopback.
pub fn configure(dir: &Path) {
    configure_parties(dir, &["alice", "bob", "carol"]);
}

/// Configured parties on free ports of loopback.
pub fn configure_parties(dir: &Path, names: &[&str]) {
    let parties: Vec<String> =
        names.iter().map(|name| format!("{name}={}", free_address())).collect();
    ok(dir, &format!("network init --parties {}", parties.join(",")));
}

/// Starts a party.
pub fn start(dir: &Path, arguments: &str) -> Child {
    let mut command = command(dir, arguments);
    command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the program starts")
}

/// Waits for all; none may take longer than `limit`.
pub fn finish(children: Vec<Child>, limit: Duration) -> Vec<(Option<i32>, String, String)> {
    let start = Instant::now();
    let results: Vec<_> = children
        .into_iter()
        .map(|child| {
            let output = child.wait_with_output().expect("ends");
            let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
            (output.status.code(), text(output.stdout), text(output.stderr))
        })
        .collect();
    assert!(start.elapsed() < limit, "a party hung: {results:#?}");
    results
}
