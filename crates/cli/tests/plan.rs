//! `tacit plan` as users run it: circuits and programs, text and JSON, wrong inputs.

#[allow(dead_code, reason = "not all of it is used here")]
mod common;

use common::{fails, ok};
use serde_json::Value;
use std::path::Path;
use std::process::Command;
use std::time::Duration;
use tacit_engine::protocols;

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

/// What a shell makes of a command that is shown.
fn shell(dir: &Path, command: &str) -> String {
    let tacit = Path::new(env!("CARGO_BIN_EXE_tacit")).parent().expect("a folder");
    let paths = std::env::var("PATH").unwrap_or_default();
    let mut shell = Command::new("sh");
    shell.args(["-c", command]).current_dir(dir);
    shell.env("PATH", format!("{}:{paths}", tacit.display()));
    let run = shell.output().expect("a shell");
    let errors = String::from_utf8_lossy(&run.stderr);
    assert!(run.status.success(), "{command}: {errors}");
    String::from_utf8(run.stdout).expect("text")
}

#[test]
fn the_commands_run_the_choice_as_they_are_shown() {
    let folder = folder();
    let dir = folder.path();
    for (file, text) in [("in0.hex", "0009"), ("in1.hex", "0007")] {
        std::fs::write(dir.join(file), text).expect("writes");
    }
    for (file, text) in [("alice.csv", "x\n1\n5\n3\n"), ("bob.csv", "y\n2\n1\n2\n")] {
        std::fs::write(dir.join(file), text).expect("writes");
    }
    for (arguments, outputs) in [
        ("compare.txt --network lan", ["1", "0x1"]),
        ("sum.tacit --network lan --rows n=3", ["4", "carol learned"]),
    ] {
        let plan = json(dir, arguments);
        let command = |name: &str| plan["commands"][name].as_str().expect("a command").to_owned();
        let chosen = plan["chosen"].as_str().expect("a name");
        assert!(command("run").contains(&format!("--protocol {chosen}")), "{plan}");
        let done = shell(dir, &command("run"));
        assert!(outputs.iter().any(|output| done.contains(output)), "{done}");
        let parties = plan["commands"]["parties"].as_array().expect("a command for each");
        let own = parties[1].as_str().expect("a command");
        assert!(own.contains("--party ") && !own.contains("--local"), "{own}");
        assert!(!own.contains("alice.csv") && !own.contains("in0.hex"), "{own}");
        // Every party's own, side by side.
        let names = plan["parties"].as_array().expect("names");
        let names: Vec<&str> = names.iter().map(|name| name.as_str().expect("a name")).collect();
        common::configure_parties(dir, &names);
        let learned = std::thread::scope(|scope| {
            let run = |own| scope.spawn(move || shell(dir, own));
            let own = parties.iter().map(|own| own.as_str().expect("a command"));
            let running: Vec<_> = own.map(run).collect();
            running.into_iter().map(|it| it.join().expect("ends")).collect::<String>()
        });
        assert!(outputs.iter().any(|output| learned.contains(output)), "{learned}");
        // In virtual time without computing, as it was predicted, but for what overlaps.
        let played = shell(dir, &format!("{} --network-only --json", command("lab")));
        let played: Value = serde_json::from_str(&played).expect("JSON");
        assert_eq!(played["runs"][0]["protocol"], chosen);
        let found = played["runs"][0]["total_seconds"].as_f64().expect("seconds");
        let predicted = plan["candidates"][0]["seconds"]["total"].as_f64().expect("seconds");
        let ratio = predicted / found;
        assert!((0.7..1.4).contains(&ratio), "{chosen}: {ratio}");
        // The text shows the same commands, whole.
        let text = ok(dir, &format!("plan {arguments} --computing none"));
        for name in ["run", "lab"] {
            assert!(text.lines().any(|line| line.trim() == command(name)), "{text}");
        }
        assert!(text.contains("with its own file of `tacit party new`"), "{text}");
        assert!(shell(dir, &command("lab")).contains(chosen));
    }
}

/// From the folder of the project, as a reader of its documents would: those with tables of their own run, the others say which
/// tables are to be written first.
#[test]
fn the_commands_of_shipped_examples_run_or_say_what_is_missing() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let plan = |file: &str| json(&root, &format!("examples/{file} --network lan"));
    for file in ["stay/stay.tacit", "survey/survey.sql", "banks/banks.sql"] {
        let plan = plan(file);
        assert_eq!(plan["commands"]["missing"], serde_json::json!([]), "{plan}");
        let done = shell(&root, plan["commands"]["run"].as_str().expect("a command"));
        assert!(done.contains("learned"), "{done}");
    }
    let plan = plan("bench/compare.tacit");
    let missing = ["examples/bench/alice.csv", "examples/bench/bob.csv"];
    assert_eq!(plan["commands"]["missing"], serde_json::json!(missing), "{plan}");
    let text = ok(&root, "plan examples/bench/compare.tacit --network lan --computing none");
    assert!(text.contains(&format!("once you have written {}", missing.join(", "))), "{text}");
}

#[test]
fn the_commands_read_a_circuit_as_it_was_read() {
    let folder = folder();
    let dir = folder.path();
    let flags = "--from fashion --reorder in0=reverse-bits --reorder in1=reverse-bytes";
    let plan = json(dir, &format!("compare.txt --network lan {flags}"));
    for name in ["run", "lab"] {
        assert!(plan["commands"][name].as_str().expect("a command").contains(flags), "{plan}");
    }
    let each = plan["commands"]["parties"].as_array().expect("a command for each");
    assert!(each.iter().all(|own| own.as_str().expect("a command").contains(flags)), "{plan}");
    shell(dir, plan["commands"]["lab"].as_str().expect("a command"));
}

#[test]
fn what_is_there_to_compare_is_never_proposed() {
    let folder = folder();
    let dir = folder.path();
    let malicious = "--security malicious --rows n=3";
    for arguments in [
        "compare.txt --parties 3",
        "compare.txt --parties 3 --corruptions all-but-one",
        "compare.txt --parties 4 --fewer --security malicious",
        &format!("sum.tacit {malicious}"),
        &format!("sum.tacit --parties 4 {malicious} --statistical 64"),
        &format!("sum.tacit --corruptions all-but-one {malicious}"),
    ] {
        let plan = json(dir, arguments);
        for name in protocols(&plan) {
            let protocol = protocols::named(name).expect("a protocol");
            assert!(!protocol.for_comparison(), "{arguments}: {name}");
        }
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

/// Parties on three continents take a protocol of few rounds for what three on one machine compute with many.
#[test]
fn parties_choose_the_protocol_for_their_links() {
    let folder = folder();
    let dir = folder.path();
    let chosen = |arguments: &str| {
        let text = ok(dir, &format!("run {arguments} --local --protocol auto --json"));
        let run: Value = serde_json::from_str(&text).expect("JSON");
        let parties = run["parties"].as_array().expect("parties").clone();
        let choice = |party: &Value| party["auto"]["candidates"][0].clone();
        for party in &parties {
            assert_eq!(choice(party)["protocol"], party["report"]["protocol"]);
            assert_eq!(choice(party)["protocol"], choice(&parties[0])["protocol"]);
        }
        let seconds = |it: &Value| it["seconds"].as_f64().expect("seconds");
        let all = parties[0]["auto"]["candidates"].as_array().expect("candidates").clone();
        // Of two that take about as long, the one that is lighter comes first.
        let in_order = |pair: &[Value]| seconds(&pair[0]) <= 1.01 * seconds(&pair[1]);
        assert!(all.windows(2).all(in_order), "{all:?}");
        let trust = run["trust"].as_str().expect("a sentence").to_owned();
        (choice(&parties[0]), trust, parties)
    };
    let table = "sum.tacit --table alice=x.csv --table bob=y.csv";
    std::fs::write(dir.join("x.csv"), "x\n1\n5\n").expect("writes");
    std::fs::write(dir.join("y.csv"), "y\n2\n-6\n").expect("writes");
    let (far, _, parties) = chosen(&format!("{table} --network global"));
    assert_eq!(parties[2]["results"]["s"], -5);
    assert!(far["steps"].as_u64() < Some(20), "{far}");
    let (_, trust, _) = chosen(&format!("{table} --security malicious"));
    assert!(trust.contains("malicious"), "{trust}");
    std::fs::write(dir.join("one.hex"), "0001\n").expect("writes");
    std::fs::write(dir.join("two.hex"), "0002\n").expect("writes");
    let inputs = "compare.txt --input 0=one.hex --input 1=two.hex";
    let (_, trust, parties) = chosen(&format!("{inputs} --security malicious"));
    assert!(trust.starts_with("authenticated:2"), "{trust}");
    assert_eq!(parties.len(), 2);
}

#[test]
fn what_the_parties_choose_is_not_said_beside() {
    let folder = folder();
    let dir = folder.path();
    common::configure_parties(dir, &["alice", "bob", "carol"]);
    for (arguments, says) in [
        ("run sum.tacit --party alice.toml --protocol auto", "--security malicious"),
        ("run sum.tacit --local --protocol auto --by rings", "computed with (--by) cannot be said"),
        ("run sum.tacit --local --protocol auto --roles 0,1,2", "(--roles) cannot be said"),
        ("run compare.txt --local --protocol auto --prepared store", "(--prepared) cannot be said"),
        ("run sum.tacit --local --protocol auto --corruptions 3", "2 may be corrupted at most"),
        ("run sum.tacit --local --protocol trio --security malicious", "--protocol auto only"),
        ("run sum.tacit --local --protocol lift --explain", "--protocol auto only"),
        ("run sum.tacit --local --protocol auto --garbling whole", "(--garbling) cannot be said"),
        ("run sum.tacit --party alice.toml", "under [policy]"),
        ("run sum.tacit --local --roles split", "or name a protocol"),
        (
            "prepare compare.txt --security malicious --local --into s",
            "needs --protocol and a name",
        ),
        ("prepare compare.txt --protocol auto --local --into s", "tacit plan"),
    ] {
        let (code, error) = fails(dir, arguments);
        assert_eq!(code, 2, "{arguments}: {error}");
        assert!(error.contains(says), "{arguments}: {error}");
    }
}

/// A party's file says what protocols must protect against: weaker ones are refused, and it is what is chosen for.
#[test]
fn a_policy_refuses_what_protects_against_less() {
    let folder = folder();
    let dir = folder.path();
    common::configure_parties(dir, &["alice", "bob", "carol"]);
    let path = dir.join("alice.toml");
    let text = std::fs::read_to_string(&path).expect("reads");
    let policy = "[policy]\nsecurity = \"malicious\"\n\n[[peers]]";
    std::fs::write(&path, text.replacen("[[peers]]", policy, 1)).expect("writes");
    assert!(ok(dir, "party show --party alice.toml").contains("malicious, corruptions: one"));
    std::fs::write(dir.join("x.csv"), "x\n1\n5\n").expect("writes");
    std::fs::write(dir.join("y.csv"), "y\n2\n-6\n").expect("writes");
    let run = |how: [&str; 3]| {
        let party = |(name, how): (&str, &str)| {
            let table = ["--table x.csv", "--table y.csv", ""];
            let table =
                table[["alice", "bob", "carol"].iter().position(|it| *it == name).expect("known")];
            common::start(dir, &format!("run sum.tacit --party {name}.toml {table} {how}"))
        };
        let children = ["alice", "bob", "carol"].into_iter().zip(how).map(party).collect();
        common::finish(children, Duration::from_secs(60))
    };
    for weak in ["--protocol trio", "--security semi-honest"] {
        let [alice, others @ ..] = &run([weak; 3])[..] else { panic!("three parties") };
        assert_eq!(alice.0, Some(3), "{}", alice.2);
        assert!(alice.2.contains("alice.toml") && alice.2.contains("[policy]"), "{}", alice.2);
        for (code, out, error) in others {
            assert_eq!((*code, out.as_str()), (Some(6), ""), "{error}");
            assert!(error.contains("configuration"), "{error}");
        }
    }
    let prepare = "prepare sum.tacit --party alice.toml --into store --rows n=2 --protocol gmw:3";
    let (code, error) = fails(dir, prepare);
    assert!(code == 3 && error.contains("[policy]"), "{error}");
    // What the policy says need not be said again.
    let ends = run(["", "--security malicious", "--security malicious"]);
    assert!(ends.iter().all(|end| end.0 == Some(0)), "{ends:?}");
    let ends = run(["--protocol lift"; 3]);
    assert!(ends.iter().all(|end| end.0 == Some(0)), "{ends:?}");
}

/// The lab plays what the parties would choose there, with what is chosen beside it.
#[test]
fn the_lab_plays_what_would_be_chosen() {
    let folder = folder();
    let dir = folder.path();
    let lab = |task: &str| {
        let text =
            ok(dir, &format!("lab {task} --network global --network-only --protocol auto --json"));
        serde_json::from_str::<Value>(&text).expect("JSON")
    };
    for (task, malicious) in [
        ("sum.tacit --rows n=50", false),
        ("sum.tacit --rows n=50 --security malicious", true),
        ("compare.txt", false),
    ] {
        let report = lab(task);
        let chosen = &report["auto"]["candidates"][0];
        let runs = report["runs"].as_array().expect("runs");
        assert_eq!(runs.len(), 1, "{task}");
        assert_eq!(chosen["protocol"], runs[0]["protocol"], "{task}");
        let protects = runs[0]["protects_against"].as_str().expect("a sentence");
        assert_eq!(protects.contains("malicious"), malicious, "{task}: {protects}");
        let [predicted, played] =
            [&chosen["seconds"], &runs[0]["total_seconds"]].map(|it| it.as_f64().expect("seconds"));
        assert!((predicted / played - 1.0).abs() < 0.25, "{task}: {predicted} and {played}");
    }
    for (arguments, says) in [
        ("--protocol auto --roles 0,1,2", "leave out --roles"),
        ("--protocol trio --security malicious", "--protocol auto"),
        ("--protocol auto --corruptions 3", "2 may be corrupted at most"),
    ] {
        let (code, error) = fails(dir, &format!("lab sum.tacit {arguments}"));
        assert!(code == 2 && error.contains(says), "{arguments}: {error}");
    }
}

/// A benchmark measures what the parties choose there, and says why.
#[test]
fn a_benchmark_of_a_program_measures_what_is_chosen() {
    let folder = folder();
    let dir = folder.path();
    let bench = "program bench sum.tacit --rows n=50 --runs 1";
    for (security, malicious) in [("semi-honest", false), ("malicious", true)] {
        let text = ok(dir, &format!("{bench} --protocol auto --security {security} --json"));
        let report: Value = serde_json::from_str(&text).expect("JSON");
        let candidates = report["choice"]["candidates"].as_array().expect("candidates");
        assert_eq!(candidates[0]["protocol"], report["protocol"], "{text}");
        let trusted = candidates.iter().any(|it| it["protocol"] == "trio");
        assert_ne!(trusted, malicious, "{text}");
        assert!(report["seconds"].as_f64() > Some(0.0), "{text}");
    }
    let told = ok(dir, &format!("{bench} --protocol auto"));
    assert!(told.contains("chosen by the parties, predicted"), "{told}");
    for (arguments, says) in [
        ("--protocol auto --roles 0,1,2", "--roles"),
        ("--protocol auto --by rings", "--by"),
        ("--protocol trio --security malicious", "--protocol auto"),
        ("--protocol trio --roles auto", "--protocol auto"),
    ] {
        let (code, error) = fails(dir, &format!("{bench} {arguments}"));
        assert!(code == 2 && error.contains(says), "{arguments}: {error}");
    }
}
