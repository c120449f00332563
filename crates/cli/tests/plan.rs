//! `tacit plan` as users run it: circuits and programs, text and JSON, wrong inputs.

#[path = "common/commands.rs"]
mod commands;

use commands::{fails, ok};
use serde_json::Value;
use std::path::Path;

const PROGRAM: &str = "program sum\nparties alice, bob, carol\nrows n <= 1000\n\
    input x: i16[n] from alice\ninput y: i16[n] from bob\n\
    reveal sum(select(x < y, x, y), axis 0) to carol as \"s\"\n";

/// A folder with a circuit and a program.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("temporary folder");
    let dir = folder.path();
    ok(dir, "circuit build compare --width 16 --form prefix --fan-in 2 --output compare.txt");
    std::fs::write(dir.join("sum.tacit"), PROGRAM).expect("writes");
    folder
}

fn json(dir: &Path, arguments: &str) -> Value {
    let text = ok(dir, &format!("plan {arguments} --computing none --json"));
    serde_json::from_str(&text).expect("JSON")
}

fn protocols(plan: &Value) -> Vec<&str> {
    let candidates = plan["candidates"].as_array().expect("candidates");
    candidates.iter().map(|it| it["protocol"].as_str().expect("a name")).collect()
}

#[test]
fn circuits_have_a_choice_and_a_reason() {
    let folder = folder();
    let dir = folder.path();
    let plan = json(dir, "compare.txt --parties 3 --network continental --corruptions all-but-one");
    let all = protocols(&plan);
    assert_eq!(plan["chosen"], all[0]);
    for protocol in ["gmw:3", "bmr:3", "authenticated:3"] {
        assert!(all.contains(&protocol), "{all:?}");
    }
    for weaker in ["trio", "yao-three", "bmr-shamir:3", "plain", "yao"] {
        assert!(!all.contains(&weaker), "{weaker}");
    }
    let totals: Vec<f64> = plan["candidates"]
        .as_array()
        .expect("candidates")
        .iter()
        .map(|it| it["seconds"]["total"].as_f64().expect("seconds"))
        .collect();
    assert!(totals.is_sorted(), "{totals:?}");
    let why = plan["why"].as_str().expect("a sentence");
    assert!(why.starts_with(all[0]) && why.contains("rounds take"), "{why}");
    // Deterministic, as nothing is measured.
    assert_eq!(
        plan,
        json(dir, "compare.txt --parties 3 --network continental --corruptions all-but-one")
    );
}

#[test]
fn the_commands_run_the_choice() {
    let folder = folder();
    let dir = folder.path();
    std::fs::write(dir.join("x.dec"), "9").expect("writes");
    std::fs::write(dir.join("y.dec"), "7").expect("writes");
    std::fs::write(dir.join("x.csv"), "x\n1\n5\n3\n").expect("writes");
    std::fs::write(dir.join("y.csv"), "y\n2\n1\n2\n").expect("writes");
    for (arguments, inputs, result) in [
        ("compare.txt --network lan", "--input 0=x.dec --input 1=y.dec", r#""printed":"1\n""#),
        (
            "sum.tacit --network lan --rows n=3",
            "--table alice=x.csv --table bob=y.csv",
            r#""results":{"s":4}"#,
        ),
    ] {
        let plan = json(dir, arguments);
        let [run, lab] = [0, 1].map(|i| plan["commands"][i].as_str().expect("a command"));
        let chosen = plan["chosen"].as_str().expect("a name");
        assert!(run.contains(&format!("--protocol {chosen}")), "{run}");
        let lab = lab.strip_prefix("tacit ").expect("a command");
        let played = ok(dir, &format!("{lab} --network-only --json"));
        let played: Value = serde_json::from_str(&played).expect("JSON");
        assert_eq!(played["runs"][0]["protocol"], chosen);
        // What is predicted is what it takes, but for what overlaps.
        let found = ["seconds", "offline_seconds", "setup_seconds"]
            .map(|part| played["runs"][0][part].as_f64().expect("seconds"));
        let predicted = plan["candidates"][0]["seconds"]["total"].as_f64().expect("seconds");
        let ratio = predicted / found.iter().sum::<f64>();
        assert!((0.7..1.4).contains(&ratio), "{chosen}: {ratio}");
        let run = run.strip_prefix("tacit ").expect("a command");
        let done = ok(dir, &format!("{run} --local {inputs} --json"));
        assert!(done.contains(result), "{run}: {done}");
    }
}

#[test]
fn deep_circuits_take_constant_rounds_and_more_so_online() {
    let folder = folder();
    let dir = folder.path();
    ok(dir, "circuit build multiply --width 16 --form array --output multiply.txt");
    let far = "multiply.txt --parties 5 --network global --corruptions";
    let plan = json(dir, &format!("{far} all-but-one --objective online"));
    let chosen = plan["chosen"].as_str().expect("a name");
    assert!(chosen.starts_with("bmr"), "{chosen}");
    let why = plan["why"].as_str().expect("a sentence");
    assert!(why.contains("online: 2 rounds take") && why.contains("gmw"), "{why}");
    let plan = json(dir, &format!("{far} minority"));
    assert_eq!(plan["corruptions"], 2);
    assert!(protocols(&plan).contains(&"bmr-shamir:5"));
}

#[test]
fn programs_have_one_too() {
    let folder = folder();
    let dir = folder.path();
    let plan = json(dir, "sum.tacit --rows n=100");
    let all = protocols(&plan);
    assert!(all.contains(&"trio") && all.contains(&"yao-three") && !all.contains(&"quad"));
    let plan = json(dir, "sum.tacit --rows n=100 --security malicious --parties 4");
    assert!(protocols(&plan).contains(&"quad") && !protocols(&plan).contains(&"gmw:4"));
    let fewer = json(dir, "sum.tacit --rows n=100 --security malicious --parties 4 --fewer");
    assert!(protocols(&fewer).contains(&"lift"));
    let text = ok(dir, "plan sum.tacit --rows n=100 --parties alice,bob,carol --computing typical");
    assert!(text.contains("tacit run sum.tacit --protocol") && text.contains("rounds"), "{text}");
}

#[test]
fn what_needs_too_much_is_named() {
    let folder = folder();
    let dir = folder.path();
    let plan = json(dir, "compare.txt --parties 3 --instances 20000 --memory 30");
    let left_out = plan["left_out"].to_string();
    assert!(left_out.contains("bmr:3") && left_out.contains("30 MB are allowed"), "{left_out}");
    assert!(protocols(&plan).contains(&"trio"));
}

#[test]
fn wrong_arguments_say_what_to_do() {
    let folder = folder();
    let dir = folder.path();
    for (arguments, hint) in [
        ("plan compare.txt --parties 1", "from 2 to 64"),
        ("plan compare.txt --parties a,a", "different names"),
        ("plan compare.txt --corruptions 2", "1 may be corrupted at most"),
        ("plan compare.txt --corruptions some", "all-but-one"),
        ("plan compare.txt --rows n=3", "--instances NUMBER"),
        ("plan compare.txt --network nowhere", "shipped network"),
        ("plan compare.txt --uplink fast", "such as 1gbit"),
        ("plan compare.txt --memory 0", "--memory"),
        ("plan sum.tacit --parties 2", "--parties 3 or more"),
        ("plan sum.tacit --parties bob,alice,carol", "alice,bob,carol"),
        ("plan sum.tacit --instances 3", "--rows ROWS=NUMBER"),
        ("plan sum.tacit --rows m=3", "m"),
        ("plan missing.txt", "missing.txt"),
        ("plan compare.txt --statistical 64", "protects against this"),
    ] {
        let (code, error) = fails(dir, &format!("{arguments} --computing none"));
        assert!(code == 2 && error.contains(hint), "{arguments}: {code} {error}");
    }
}
