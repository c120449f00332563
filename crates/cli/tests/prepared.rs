//! `tacit prepare`, `run --prepared` and `prepared list` as users run them: real processes, stores on disk, a
//! party that is killed, and what is refused.

mod common;

use common::{command, configure, finish, ok, start};
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::Path;
use std::time::Duration;

/// FIPS 197, appendix B.
const KEY: &str = "2b7e151628aed2a6abf7158809cf4f3c\n";
const PLAIN: &str = "3243f6a8885a308d313198a2e0370734\n";
const CIPHER: &str = "3925841d02dc09fbdc118597196a0b32\n";

fn aes_folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("temporary folder");
    let dir = folder.path();
    ok(dir, "circuit build aes --sbox d4 --output aes.txt");
    std::fs::write(dir.join("key.hex"), KEY).expect("writes");
    std::fs::write(dir.join("block.hex"), PLAIN).expect("writes");
    folder
}

/// Wrong input: says what.
fn refused(dir: &Path, arguments: &str) -> String {
    let (code, told) = common::fails(dir, arguments);
    assert_eq!(code, 2, "{told}");
    told
}

const INPUTS: &str = "--bits bytes --input 0=key.hex --input 1=block.hex";

/// Ready and spent runs, store by store.
fn left(dir: &Path) -> Vec<[u64; 2]> {
    let text = ok(dir, "prepared list store --json");
    let report: Value = serde_json::from_str(&text).expect("JSON");
    let stores = report["stores"].as_array().expect("stores");
    let count = |it: &Value, what: &str| it["preparations"][0][what].as_u64().expect("a count");
    stores.iter().map(|it| [count(it, "ready"), count(it, "spent")]).collect()
}

#[test]
fn runs_use_what_was_prepared_once() {
    let folder = aes_folder();
    let dir = folder.path();
    let balanced = "quad --balance a=2,b=1,het-crossed=1";
    for protocol in ["trio", "quad", "brain-buckets", "gmw:2", "bmr:3", "authenticated:2", balanced]
    {
        let job = format!("aes.txt --local --protocol {protocol}");
        let told = ok(dir, &format!("prepare {job} --runs 2 --into store"));
        assert!(told.contains("preprocessing of 2 run(s)"), "{told}");
        let text = ok(dir, "prepared list store");
        let name = protocol.split(' ').next().unwrap_or_default();
        assert!(text.contains(name) && text.contains("aes"), "{text}");
        for spent in 0..2 {
            assert!(left(dir).iter().all(|it| *it == [2 - spent, spent]), "{:?}", left(dir));
            let printed = ok(dir, &format!("run {job} --prepared store {INPUTS}"));
            assert!(printed.starts_with(CIPHER), "{protocol}: {printed}");
            assert!(printed.contains(&format!("run {}\n", spent + 1)), "{printed}");
        }
        let told = refused(dir, &format!("run {job} --prepared store {INPUTS}"));
        assert!(told.contains("tacit prepare"), "{told}");
        assert!(left(dir).iter().all(|it| *it == [0, 2]));
        std::fs::remove_dir_all(dir.join("store")).expect("removes");
    }
}

#[test]
fn programs_run_on_what_was_prepared() {
    let folder = tempfile::tempdir().expect("temporary folder");
    let dir = folder.path();
    let program = "program match\nparties a, b\nrows n <= 10\n\
        input x: u8[n] from a\ninput y: u8[n] from b\n\
        let hits = sum(x == y, axis 0)\nreveal hits to a, b\n";
    std::fs::write(dir.join("match.tacit"), program).expect("writes");
    std::fs::write(dir.join("a.csv"), "x\n1\n2\n3\n").expect("writes");
    std::fs::write(dir.join("b.csv"), "y\n1\n5\n3\n").expect("writes");
    let tables = "--table a=a.csv --table b=b.csv";
    for protocol in ["yao", "gmw:2", "trio", "quad --by circuits --threads 2", "brain-buckets"] {
        let job = format!("match.tacit --local --protocol {protocol}");
        ok(dir, &format!("prepare {job} --rows n=3 --into store"));
        let printed = ok(dir, &format!("run {job} --prepared store {tables}"));
        assert!(printed.contains('2'), "{protocol}: {printed}");
        assert!(printed.contains("with stored preprocessing"), "{protocol}: {printed}");
        // Other rows than those prepared.
        ok(dir, &format!("prepare {job} --rows n=4 --into store"));
        let told = refused(dir, &format!("run {job} --prepared store {tables}"));
        assert!(told.contains("rows `n=4` where this run has `n=3`"), "{protocol}: {told}");
        std::fs::remove_dir_all(dir.join("store")).expect("removes");
    }
    let told = refused(dir, "prepare match.tacit --local --protocol plain --rows n=3 --into store");
    assert!(told.contains("no preprocessing"), "{told}");
    let job = "match.tacit --local --protocol tetrad --preprocessing separate";
    let printed = ok(dir, &format!("run {job} {tables}"));
    assert!(printed.contains("preprocessing, "), "{printed}");
}

#[test]
fn triples_are_prepared_before_the_circuit_is_known() {
    let folder = aes_folder();
    let dir = folder.path();
    let who = "--protocol authenticated:3 --local";
    let told = ok(dir, &format!("prepare triples {who} --count 7000 --into triples"));
    assert!(told.contains("triples"), "{told}");
    ok(dir, &format!("prepare aes.txt {who} --triples triples --into store"));
    let printed = ok(dir, &format!("run aes.txt {who} --prepared store {INPUTS}"));
    assert!(printed.starts_with(CIPHER), "{printed}");
    let told = refused(dir, &format!("prepare aes.txt {who} --triples triples --into store"));
    assert!(told.contains("--count 6800"), "{told}");
}

#[test]
fn what_makes_no_sense_is_refused() {
    let folder = aes_folder();
    let dir = folder.path();
    for (arguments, says) in [
        ("prepare aes.txt --protocol trio --local --into store --input 0=key.hex", "--input"),
        ("prepare aes.txt --local --into store --protocol plain", "no preprocessing"),
        ("prepare aes.txt --protocol trio --local --into store --roles auto", "--roles"),
        ("prepare aes.txt --protocol trio --local --into store --runs 0", "--runs"),
        ("prepare aes.txt --protocol trio --local --into store --rows n=3", "--rows"),
        ("prepare triples --protocol trio --local --into store --count 9", "not supported"),
        ("prepare triples --local --into store --protocol authenticated:2", "--count"),
        ("prepare aes.txt --protocol trio --local --into store --count 9", "--count"),
        ("prepare aes.txt --protocol trio --local --into store --triples store", "--triples"),
        ("prepare aes.txt --protocol trio --into store", "--local"),
        ("prepare aes.txt --protocol trio --local", "--into"),
        ("prepared list nowhere", "nowhere"),
    ] {
        let told = refused(dir, arguments);
        assert!(told.contains(says), "{arguments}: {told}");
    }
    let told =
        refused(dir, &format!("run aes.txt --protocol trio --local --prepared nowhere {INPUTS}"));
    assert!(told.contains("tacit prepare"), "{told}");
}

/// Copies, restored directories, ones that others can enter, and users without a ledger: nothing is used.
#[test]
fn stores_that_are_not_as_they_were_are_refused() {
    let folder = aes_folder();
    let dir = folder.path();
    let job = "aes.txt --local --protocol gmw:2";
    ok(dir, &format!("prepare {job} --runs 2 --into store"));
    let mut copy = std::process::Command::new("cp");
    let copied = copy.args(["-a", "store", "copy"]).current_dir(dir).status();
    assert!(copied.expect("copies").success());
    let run = |store: &str| format!("run {job} --prepared {store} {INPUTS}");
    ok(dir, &run("store"));
    ok(dir, &run("store"));
    let told = refused(dir, &run("copy"));
    assert!(told.contains("2 are damaged or were put back after they were spent"), "{told}");
    std::fs::rename(dir.join("store"), dir.join("old")).expect("moves");
    std::fs::rename(dir.join("copy"), dir.join("store")).expect("restores");
    let told = refused(dir, &run("store"));
    assert!(told.contains("put back after they were spent"), "{told}");
    // Another user's ledger, and none.
    let with_state = |state: &str| {
        let run = command(dir, &run("store")).env("TACIT_STATE", state).output().expect("starts");
        (run.status.code(), String::from_utf8_lossy(&run.stderr).into_owned())
    };
    let other = dir.join("other");
    let (code, told) = with_state(&other.to_string_lossy());
    assert!(code == Some(2) && told.contains("the keys of 2 are not in"), "{told}");
    let (code, told) = with_state("/dev/null/state");
    assert!(code == Some(71) && told.contains("set TACIT_STATE"), "{told}");
    let open = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    std::fs::set_permissions(dir.join("store").join("party1"), open).expect("opens");
    let told = refused(dir, &run("store"));
    assert!(told.contains("mode 0755") && told.contains("chmod 700"), "{told}");
}

/// What alice, bob and carol prepared is not for three others of the same names.
#[test]
fn stores_are_for_the_parties_that_made_them() {
    let (folder, others) = (aes_folder(), aes_folder());
    let common = "aes.txt --protocol gmw:3";
    let all = |dir: &Path, command: &str, rest: &str| -> Vec<_> {
        let parties = ["alice", "bob", "carol"].into_iter().enumerate();
        let start_one = |(i, name)| {
            let files = ["--input 0=key.hex", "--input 1=block.hex", ""];
            let inputs = if command == "run" { files[i] } else { "" };
            let bits = if command == "run" { "--bits bytes" } else { "" };
            start(dir, &format!("{command} {common} --party {name}.toml {bits} {inputs} {rest}"))
        };
        finish(parties.map(start_one).collect(), Duration::from_secs(60))
    };
    configure(folder.path());
    configure(others.path());
    for (code, _, errors) in all(folder.path(), "prepare", "--into store") {
        assert_eq!(code, Some(0), "{errors}");
    }
    // The others get at the directory, and at what is kept outside it.
    for name in ["store", "state"] {
        let mut copy = std::process::Command::new("cp");
        let copied = copy.arg("-a").arg(folder.path().join(name)).arg(others.path()).status();
        assert!(copied.expect("copies").success());
    }
    // All find it, unless they hear from one that was faster.
    let ended = all(others.path(), "run", "--prepared store");
    assert!(ended.iter().any(|(code, ..)| *code == Some(2)), "{ended:?}");
    for (code, _, errors) in ended {
        let told = match code {
            Some(2) => "made by parties with other keys",
            Some(6) => "a party cannot use its stored preprocessing",
            _ => panic!("{code:?}: {errors}"),
        };
        assert!(errors.contains(told), "{errors}");
    }
    for (code, printed, errors) in all(folder.path(), "run", "--prepared store") {
        assert_eq!(code, Some(0), "{errors}");
        assert!(printed.contains("run 1"), "{printed}");
    }
}

/// Parties on this machine end with the process that started them.
#[test]
fn parties_end_when_the_launcher_is_killed() {
    let folder = aes_folder();
    let dir = folder.path();
    let mut launcher =
        start(dir, "prepare aes.txt --local --protocol bmr:2 --runs 100000 --into store");
    let files = || {
        let stores = ["party0", "party1"].map(|name| dir.join("store").join(name));
        let count = |path: &std::path::PathBuf| std::fs::read_dir(path).map_or(0, Iterator::count);
        stores.each_ref().map(count)
    };
    while files().iter().any(|count| *count < 2) {
        assert!(launcher.try_wait().expect("asks").is_none(), "it goes on");
        std::thread::sleep(Duration::from_millis(50));
    }
    launcher.kill().expect("kills");
    launcher.wait().expect("ends");
    std::thread::sleep(Duration::from_secs(1));
    let before = files();
    std::thread::sleep(Duration::from_secs(2));
    assert_eq!(files(), before, "nobody prepares any more");
}

/// The runs that a party has spent, as reports name them.
fn spent(dir: &Path, party: &str) -> Vec<String> {
    let entries = std::fs::read_dir(dir.join("store").join(party)).expect("a store");
    let paths = entries.map(|entry| entry.expect("an entry").path());
    let spent = paths.filter(|path| path.extension().is_some_and(|kind| kind == "spent"));
    let name = |path: std::path::PathBuf| {
        let stem = path.file_stem().expect("a name").to_string_lossy().into_owned();
        let (preparation, number) = stem.split_once('-').expect("a number");
        format!("{preparation}, run {}", number.trim_start_matches('0'))
    };
    spent.map(name).collect()
}

/// A party is killed at any time, again and again: no run's preprocessing is used twice, and in the end the
/// parties still agree on one.
#[test]
fn killed_parties_use_nothing_twice() {
    let folder = aes_folder();
    let dir = folder.path();
    configure(dir);
    let names = ["alice", "bob", "carol"];
    let common = "aes.txt --protocol gmw:3";
    let all = |command: &str, inputs: bool, rest: &str| -> Vec<_> {
        let start_one = |(i, name): (usize, &&str)| {
            let files = ["--input 0=key.hex", "--input 1=block.hex", ""];
            let input = if inputs { format!("--bits bytes {}", files[i]) } else { String::new() };
            start(dir, &format!("{command} {common} --party {name}.toml {input} {rest}"))
        };
        names.iter().enumerate().map(start_one).collect()
    };
    for (code, _, errors) in
        finish(all("prepare", false, "--runs 8 --into store"), Duration::from_secs(60))
    {
        assert_eq!(code, Some(0), "{errors}");
    }
    let mut used = BTreeSet::new();
    for round in 0..6 {
        // Whatever any party has spent so far.
        let before: BTreeSet<String> = names.iter().flat_map(|name| spent(dir, name)).collect();
        let mut children =
            all("run", true, "--prepared store --json --timeout 5 --connect-timeout 5");
        if round < 5 {
            std::thread::sleep(Duration::from_millis(60 + 45 * round));
            children[round as usize % 3].kill().expect("kills");
        }
        let mut names = BTreeSet::new();
        for (code, printed, errors) in finish(children, Duration::from_secs(30)) {
            if code == Some(0) {
                let report: Value = serde_json::from_str(&printed).expect("JSON");
                let name = report["parties"][0]["stored"].as_str().expect("a name");
                names.insert(name.to_string());
            } else {
                assert!(round < 5, "{errors}");
            }
        }
        // All that finished used the same, and nobody used it before.
        assert!(names.len() <= 1, "{names:?}");
        for name in names {
            assert!(used.insert(name.clone()), "{name} is used twice");
            assert!(!before.contains(&name), "{name} was spent before");
        }
    }
    assert!(!used.is_empty());
}
