//! Running `tacit` as users do, and parties on their own.

use std::net::TcpListener;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

/// The program in a folder, with blank-separated arguments.
pub fn command(folder: &Path, arguments: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tacit"));
    command.args(arguments.split_whitespace()).current_dir(folder);
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
