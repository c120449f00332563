//! Parties that make their own keys and exchange cards, as processes.

#[path = "common/commands.rs"]
mod commands;
#[path = "common/ports.rs"]
mod ports;

use commands::{command, fails, ok};
use ports::free_address;
use serde_json::Value;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};

const NAMES: [&str; 3] = ["carol", "alice", "bob"];

/// Each party makes a key in a folder of its own, and writes its card.
fn make(dir: &Path) -> Vec<PathBuf> {
    let own = |name: &str| {
        let folder = dir.join(name);
        fs::create_dir(&folder).expect("a new folder");
        let address = free_address();
        ok(&folder, &format!("party new {name} --address {address}"));
        folder
    };
    NAMES.into_iter().map(own).collect()
}

/// Everybody takes the cards of the others, in whatever order.
fn exchange(folders: &[PathBuf]) {
    for (i, folder) in folders.iter().enumerate() {
        let cards: Vec<String> =
            (0..3).filter(|k| *k != i).map(|k| format!("../{0}/{0}.card.toml", NAMES[k])).collect();
        ok(folder, &format!("party add {}", cards.join(" ")));
    }
}

/// All parties test their links: exit code, standard output and error of each.
fn check(folders: &[PathBuf]) -> Vec<(Option<i32>, String, String)> {
    let start = |(folder, name): (&PathBuf, &str)| {
        let arguments = format!("network check --json --wait 50 --party {name}.toml");
        let mut command = command(folder, &arguments);
        command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("starts")
    };
    let children: Vec<Child> = folders.iter().zip(NAMES).map(start).collect();
    let end = |child: Child| {
        let output = child.wait_with_output().expect("ends");
        let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
        (output.status.code(), text(output.stdout), text(output.stderr))
    };
    children.into_iter().map(end).collect()
}

#[test]
fn parties_with_own_keys_meet_and_agree_on_their_order() {
    let dir = tempfile::tempdir().expect("a folder");
    let folders = make(dir.path());
    let mode = |file: &str| {
        fs::metadata(dir.path().join(file)).expect("there").permissions().mode() & 0o777
    };
    assert_eq!(mode("alice/alice.toml"), 0o600);
    let card = fs::read_to_string(dir.path().join("alice/alice.card.toml")).expect("reads");
    assert!(!card.contains("PRIVATE"), "{card}");
    exchange(&folders);
    assert_eq!(mode("alice/alice.toml"), 0o600, "also after cards were added");
    for (code, out, err) in check(&folders) {
        assert_eq!(code, Some(0), "{err}");
        let report: Value = serde_json::from_str(&out).expect("JSON");
        assert_eq!(report["links"].as_array().map(Vec::len), Some(6));
    }
    // Everybody shows the same parties, keys and words, in the same order.
    let shown: Vec<Value> = folders
        .iter()
        .map(|folder| serde_json::from_str(&ok(folder, "party show --json")).expect("JSON"))
        .collect();
    assert_eq!(shown[0]["members"], shown[1]["members"]);
    assert_eq!(shown[1]["members"], shown[2]["members"]);
    assert_eq!(shown[0]["members"][2]["name"], "carol");
    assert_eq!(shown[0]["members"][2]["dials"], serde_json::json!(["alice", "bob"]));
    let words = shown[0]["members"][0]["words"].as_str().expect("text");
    assert_eq!(words.split(' ').count(), 12, "{words}");
}

#[test]
fn a_swapped_card_is_a_configuration_error_at_everybody() {
    let dir = tempfile::tempdir().expect("a folder");
    let folders = make(dir.path());
    exchange(&folders);
    // Alice was given a card in Bob's name with another key.
    let bob = fs::read_to_string(folders[2].join("bob.card.toml")).expect("reads");
    let (address, _) = bob.split_once("fingerprint =").expect("a card");
    ok(dir.path(), "party new mallory --address 127.0.0.1:7000");
    let mallory = fs::read_to_string(dir.path().join("mallory.card.toml")).expect("reads");
    let (_, key) = mallory.split_once("fingerprint =").expect("a card");
    let swapped = folders[1].join("swapped.card.toml");
    fs::write(&swapped, format!("{address}fingerprint = {key}")).expect("writes");
    let (code, why) = fails(&folders[1], "party add swapped.card.toml");
    assert_eq!(code, 3, "{why}");
    assert!(why.contains("by telephone") && why.contains("--replace"), "{why}");
    ok(&folders[1], "party add swapped.card.toml --replace");
    let key = key.trim().trim_matches('"');
    for ((code, out, err), name) in check(&folders).into_iter().zip(NAMES) {
        // Carol has nothing to do with it, and hears of it.
        assert_eq!(code, Some(if name == "carol" { 6 } else { 3 }), "{name}: {err}");
        assert!(out.is_empty(), "{out}");
        assert!(err.contains("bob"), "{name}: {err}");
        if name == "alice" {
            assert!(err.contains(key) && err.contains("telephone"), "{err}");
        }
    }
}

#[test]
fn the_configuration_file_is_found_or_asked_for() {
    let dir = tempfile::tempdir().expect("a folder");
    let (code, why) = fails(dir.path(), "party show");
    assert_eq!(code, 2, "{why}");
    assert!(why.contains("party new"), "{why}");
    ok(dir.path(), "party new alice --address localhost:7001");
    assert!(ok(dir.path(), "party show").contains("No other party"), "one party, no others");
    let card = fs::read_to_string(dir.path().join("alice.card.toml")).expect("reads");
    assert_eq!(ok(dir.path(), "party show --card"), card);
    let (code, why) = fails(dir.path(), "network check --party alice.toml");
    assert_eq!(code, 3, "{why}");
    assert!(why.contains("party add"), "{why}");
    ok(dir.path(), "party new bob --address localhost:7002");
    let (code, why) = fails(dir.path(), "party add bob.card.toml");
    assert_eq!(code, 2, "{why}");
    assert!(why.contains("alice.toml, bob.toml"), "{why}");
    ok(dir.path(), "party add bob.card.toml --party alice.toml");
    let (code, why) = fails(dir.path(), "party add alice.toml --party bob.toml");
    assert_eq!(code, 3, "{why}");
    assert!(why.contains("card"), "{why}");
    let (code, why) = fails(dir.path(), "party new alice --address localhost:7001");
    assert!([2, 3].contains(&code) && why.contains("exists already"), "{why}");
}
