//! `tacit network` as a user runs it: three processes over TLS.

#[path = "common/ports.rs"]
mod ports;
#[path = "common/program.rs"]
mod program;

use ports::free_address;
use program::program;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};

fn tacit(folder: &Path, arguments: &str) -> Command {
    let mut command = Command::new(program());
    command.args(arguments.split_whitespace()).current_dir(folder);
    command
}

fn start(folder: &Path, arguments: &str) -> Child {
    tacit(folder, arguments)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts")
}

/// Exit code and standard error of a run that must fail without a result.
fn failed(run: Output) -> (i32, String) {
    assert!(run.stdout.is_empty(), "a failed run prints no result");
    let errors = String::from_utf8_lossy(&run.stderr).into_owned();
    (run.status.code().expect("an exit code, not a signal"), errors)
}

/// `alice=...,bob=...,carol=...` with ports that are free now.
fn parties() -> String {
    ["alice", "bob", "carol"].map(|name| format!("{name}={}", free_address())).join(",")
}

#[test]
fn three_parties_check_their_links() {
    let folder = tempfile::tempdir().expect("temporary folder");
    let dir = folder.path();
    let init = format!("network init --parties {} --json", parties());
    let init = tacit(dir, &init).output().expect("runs");
    assert!(init.status.success(), "{}", String::from_utf8_lossy(&init.stderr));
    let init: serde_json::Value = serde_json::from_slice(&init.stdout).expect("JSON");
    assert_eq!(init["parties"][2]["name"], "carol");
    assert_eq!(init["parties"][2]["id"], 2);

    let runs: Vec<Child> = ["alice", "bob", "carol"]
        .iter()
        .map(|name| start(dir, &format!("--json network check --party {name}.toml")))
        .collect();
    let mut reports = Vec::new();
    for run in runs {
        let run = run.wait_with_output().expect("ends");
        assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
        let report: serde_json::Value = serde_json::from_slice(&run.stdout).expect("JSON");
        reports.push(report);
    }
    assert_eq!(reports[1]["party"], "bob");
    assert_eq!(reports[0]["links"], reports[2]["links"], "all parties get the same numbers");
    let links = reports[0]["links"].as_array().expect("a list");
    assert_eq!(links.len(), 6);
    for link in links {
        assert!(link["rtt_ms"].as_f64() > Some(0.0), "{link}");
        assert!(link["mbit_per_second"].as_f64() > Some(0.0), "{link}");
    }
}

#[test]
fn a_party_with_another_key_is_refused() {
    let folder = tempfile::tempdir().expect("temporary folder");
    let dir = folder.path();
    let parties = parties();
    for sub in ["right", "wrong"] {
        let init = format!("network init --dir {sub} --parties {parties}");
        let init = tacit(dir, &init).output().expect("runs");
        assert!(init.status.success(), "{}", String::from_utf8_lossy(&init.stderr));
    }
    let check = "network check --wait 50 --party";
    let alice = start(dir, &format!("{check} right/alice.toml"));
    let bob = start(dir, &format!("{check} right/bob.toml"));
    let carol = start(dir, &format!("{check} wrong/carol.toml"));
    let [alice, bob, carol] =
        [alice, bob, carol].map(|run| failed(run.wait_with_output().expect("ends")));
    assert_eq!(carol.0, 3, "{}", carol.1);
    for (code, message) in [alice, bob] {
        // Who did not see the wrong key long enough itself hears of it from others.
        assert!([3, 6].contains(&code), "exit code {code}: {message}");
        assert!(message.contains("carol"), "{message}");
    }
}

#[test]
fn mistakes_in_configurations_are_configuration_errors() {
    let folder = tempfile::tempdir().expect("temporary folder");
    let dir = folder.path();
    let run = |arguments: &str| failed(tacit(dir, arguments).output().expect("runs"));
    let init = format!("network init --parties {}", parties());
    assert!(tacit(dir, &init).output().expect("runs").status.success());

    let (code, message) = run(&init);
    assert_eq!(code, 3, "{message}");
    assert!(message.contains("exists already"), "{message}");
    let (code, message) = run("network init --dir x --parties a=h:1,a=h:2");
    assert_eq!(code, 3, "{message}");
    let (code, message) = run("network init --dir x --parties alice");
    assert_eq!(code, 2, "{message}");
    let (code, message) = run("network check --party none.toml");
    assert_eq!(code, 3, "{message}");

    let path = dir.join("alice.toml");
    let text = std::fs::read_to_string(&path).expect("reads");
    std::fs::write(&path, format!("surprise = 1\n{text}")).expect("writes");
    let (code, message) = run("network check --party alice.toml");
    assert_eq!(code, 3, "{message}");
    assert!(message.contains("surprise") && message.contains("alice.toml:1:"), "{message}");
    assert!(!message.contains("PRIVATE KEY"), "{message}");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let open = std::fs::Permissions::from_mode(0o644);
        std::fs::set_permissions(&path, open).expect("chmod");
        let (code, message) = run("network check --party alice.toml");
        assert_eq!(code, 3, "{message}");
        assert!(message.contains("chmod 600"), "{message}");
    }
}
