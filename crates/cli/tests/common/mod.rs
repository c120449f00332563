//! Running parties of `tacit` on their own.

use std::net::TcpListener;
use std::path::Path;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

mod commands;

pub use commands::{command, fails, ok};

/// Three configured parties on free ports of loopback.
pub fn configure(dir: &Path) {
    configure_parties(dir, &["alice", "bob", "carol"]);
}

/// Configured parties on free ports of loopback.
pub fn configure_parties(dir: &Path, names: &[&str]) {
    let bind = |_| TcpListener::bind("127.0.0.1:0").expect("binds");
    let sockets: Vec<TcpListener> = names.iter().map(bind).collect();
    let ports: Vec<u16> = sockets.iter().map(|s| s.local_addr().expect("address").port()).collect();
    drop(sockets);
    let parties: Vec<String> =
        names.iter().zip(ports).map(|(name, port)| format!("{name}=127.0.0.1:{port}")).collect();
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
    assert!(start.elapsed() < limit, "a party hung");
    results
}
