//! `tacit run`, `lab` and `bench` as users run them: real processes over TLS, wrong inputs, lost
//! and disagreeing parties.

mod common;

use common::{configure, configure_parties, fails, finish, ok, start};
use std::path::Path;
use std::time::Duration;
use tacit_engine::protocols::{self, AUTHENTICATED, BMR, GMW, LIFT, QUAD, TRIO, YAO};
use tacit_sharing::Protocol;

fn write(folder: &Path, name: &str, text: &str) {
    std::fs::write(folder.join(name), text).expect("writes");
}

fn read(folder: &Path, name: &str) -> String {
    std::fs::read_to_string(folder.join(name)).expect("reads")
}

/// NIST SP 800-38A, F.1.1.
const KEY: &str = "2b7e151628aed2a6abf7158809cf4f3c\n";
const PLAIN: &str = "6bc1bee22e409f96e93d7e117393172a
ae2d8a571e03ac9c9eb76fac45af8e51
30c81c46a35ce411e5fbc1191a0a52ef
f69f2445df4f9b17ad2b417be66c3710
";
const CIPHER: &str = "3ad77bb40d7a3660a89ecaf32466ef97
f5d3d58503b9699de785895a96fdbaaf
43b1cd7f598ece23881b00e3ed030688
7b0c785e27e8ad3f8223207104725dd4
";

/// A folder with an AES circuit, a key and blocks.
fn aes_folder(sbox: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("temporary folder");
    let dir = folder.path();
    ok(dir, &format!("circuit build aes --sbox {sbox} --output aes.txt"));
    write(dir, "key.hex", KEY);
    write(dir, "blocks.hex", PLAIN);
    folder
}

const INPUTS: &str = "--bits bytes --input 0=key.hex --repeat 0 --input 1=blocks.hex";

/// All protocols are in [`processes_over_tls_encrypt_under_every_protocol`], and as threads of one process in
/// `crates/engine/tests/conformance.rs`.
#[test]
fn processes_over_tls_encrypt_under_one_protocol_of_each_family() {
    let of_each_family = [TRIO, LIFT, QUAD, GMW, BMR, YAO, AUTHENTICATED];
    processes_encrypt(of_each_family.map(|protocol| protocol.fitting(3)).into_iter());
}

#[test]
#[ignore = "a minute: hundreds of processes"]
fn processes_over_tls_encrypt_under_every_protocol() {
    processes_encrypt(protocols::on_bits());
}

fn processes_encrypt(protocols: impl Iterator<Item = Protocol>) {
    let folder = aes_folder("d4");
    let dir = folder.path();
    for protocol in protocols {
        let roles = match protocol.parties() {
            2 => "1,0",
            3 => "2,0,1",
            _ => "2,0,3,1",
        };
        let other = format!("--preprocessing separate --threads 2 --roles {roles}");
        for rest in ["", &other] {
            ok(
                dir,
                &format!(
                    "run aes.txt --local --protocol {protocol} {INPUTS} --output 0=out.hex {rest}"
                ),
            );
            assert_eq!(read(dir, "out.hex"), CIPHER, "{protocol} {rest}");
            std::fs::remove_file(dir.join("out.hex")).expect("removes");
        }
    }
}

#[test]
#[ignore = "minutes: every process has its own copy of everything, and base OTs with all others"]
fn thirty_three_processes_over_tls_encrypt() {
    let folder = aes_folder("d4");
    let dir = folder.path();
    for protocol in ["gmw:33", "bmr:33", "bmr-shamir:33"] {
        let rest = format!("--protocol {protocol} --timeout 120 {INPUTS} --output 0=out.hex");
        ok(dir, &format!("run aes.txt --local {rest}"));
        assert_eq!(read(dir, "out.hex"), CIPHER, "{protocol}");
        std::fs::remove_file(dir.join("out.hex")).expect("removes");
    }
}

#[test]
fn four_configured_parties_meet_and_a_killed_one_ends_the_run() {
    let folder = aes_folder("d4");
    let dir = folder.path();
    configure_parties(dir, &["alice", "bob", "carol", "dave"]);
    let quad = COMMON.replace("--protocol trio", "--protocol quad");
    let all = |rest: &str| {
        vec![
            start(dir, &format!("{quad} {rest} --party alice.toml --input 0=key.hex --repeat")),
            start(dir, &format!("{quad} {rest} --party bob.toml --input 1=blocks.hex")),
            start(dir, &format!("{quad} {rest} --party carol.toml")),
        ]
    };
    let mut children = all("");
    children.push(start(dir, &format!("{quad} --party dave.toml")));
    for (code, _, errors) in finish(children, Duration::from_secs(60)) {
        assert_eq!(code, Some(0), "{errors}");
    }
    // A slow network keeps the run going for long.
    let slow = "--network ccs16 --timeout 20";
    let children = all(slow);
    let mut victim = start(dir, &format!("{quad} {slow} --party dave.toml"));
    std::thread::sleep(Duration::from_millis(1500));
    victim.kill().expect("kills");
    victim.wait().expect("ends");
    for (code, output, errors) in finish(children, Duration::from_secs(15)) {
        assert_eq!((code, output.as_str()), (Some(4), ""), "{errors}");
        assert!(errors.contains("dave"), "{errors}");
    }
}

#[test]
fn wide_gates_run_in_both_forms_and_plain_tcp_must_be_asked_for() {
    let folder = aes_folder("d1");
    let dir = folder.path();
    for form in ["dealer", "symmetric", "2.5"] {
        let run = format!(
            "run aes.txt --local --transport tcp --protocol multi-fan-in --form {form} {INPUTS}"
        );
        let printed = ok(dir, &run);
        assert!(printed.starts_with(CIPHER), "{printed}");
        assert!(printed.contains("AND depth 10"), "{printed}");
    }
}

#[test]
fn the_report_holds_predictions_that_came_true() {
    let folder = aes_folder("d4");
    let text = ok(folder.path(), &format!("run aes.txt --protocol trio --local {INPUTS} --json"));
    let report: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    let parties = report["parties"].as_array().expect("parties");
    assert_eq!(parties.len(), 3);
    for party in parties {
        let report = &party["report"];
        assert_eq!(report["rounds"], report["predicted_rounds"]);
        for link in report["links"].as_array().expect("links") {
            assert_eq!(link["bytes"], link["predicted_bytes"], "{link}");
        }
    }
}

/// The statistical parameter is the protocol's: it is in reports, and parties and stores tell it apart.
#[test]
fn a_statistical_parameter_of_64_can_be_asked_for() {
    let folder = aes_folder("d4");
    let dir = folder.path();
    let strong = "--local --protocol post --statistical 64";
    let report = ok(dir, &format!("run aes.txt {strong} {INPUTS} --json"));
    assert!(report.contains("\"post@64\""), "{report}");
    ok(dir, "prepare aes.txt --local --protocol brain-buckets@64 --instances 4 --into store");
    let stored = format!("run aes.txt --local --protocol brain-buckets --prepared store {INPUTS}");
    let (code, told) = fails(dir, &stored);
    assert!(code == 2 && told.contains("brain-buckets@64"), "{told}");
    ok(dir, &format!("{stored} --statistical 64"));
    let mul = "bench mul --instances 1000 --seconds 0.1 --json --protocol";
    let speed = ok(dir, &format!("{mul} lift --statistical 64"));
    assert!(speed.contains("\"lift@64\""), "{speed}");
    ok(dir, &format!("{mul} quad --statistical 64"));
    let lab = ok(dir, "lab aes.txt --network global --network-only --statistical 64 --json");
    assert!(lab.contains("\"post@64\"") && lab.contains("\"quad\""), "{lab}");
    assert!(!lab.contains("\"post\"") && !lab.contains("\"trio\""), "{lab}");
    for (arguments, says) in [
        ("--protocol trio --statistical 64", "notices no cheats"),
        ("--protocol brain-single --statistical 64", "not supported"),
        ("--protocol brain-polynomials --statistical 64", "not supported"),
        ("--protocol authenticated:3 --statistical 64", "not supported"),
        ("--protocol post@64 --statistical 40", "not of 40"),
        ("--protocol post --statistical 3", "40 or 64"),
        ("--protocol brain-single@64", "unknown protocol"),
    ] {
        let (code, told) = fails(dir, &format!("run aes.txt --local {arguments} {INPUTS}"));
        assert!(code == 2 && told.contains(says), "{arguments}: {told}");
    }
}

/// So is the size of batches, wherever the statistical parameter is.
#[test]
fn a_size_of_batches_can_be_asked_for() {
    let folder = aes_folder("d4");
    let dir = folder.path();
    let small = "--local --protocol post --batch 4096";
    let report = ok(dir, &format!("run aes.txt {small} {INPUTS} --json"));
    assert!(report.contains("\"post/4096\"") && report.contains("\"soundness_bits\""), "{report}");
    let told = ok(dir, &format!("run aes.txt {small} --statistical 64 {INPUTS}"));
    assert!(told.contains("post@64/4096 with roles") && told.contains("2^-64.0"), "{told}");
    ok(
        dir,
        "prepare aes.txt --local --protocol brain-buckets --batch 8192 --instances 4 --into store",
    );
    let stored = format!("run aes.txt --local --protocol brain-buckets --prepared store {INPUTS}");
    let (code, told) = fails(dir, &stored);
    assert!(code == 2 && told.contains("brain-buckets/8192"), "{told}");
    ok(dir, &format!("{stored} --batch 8192"));
    let mul = "bench mul --instances 1000 --seconds 0.1 --json --protocol";
    let speed = ok(dir, &format!("{mul} lift --batch 500"));
    assert!(speed.contains("\"lift/500\""), "{speed}");
    let lab = ok(dir, "lab aes.txt --network global --network-only --batch 4096 --json");
    assert!(lab.contains("\"post/4096\"") && !lab.contains("\"quad\""), "{lab}");
    for (arguments, says) in [
        ("--protocol trio --batch 4096", "notices no cheats"),
        ("--protocol quad --batch 4096", "not supported: quad has no batches"),
        ("--protocol lift --batch 4096x3", "not supported: lift compares no numbers in buckets"),
        ("--protocol post/64 --batch 4096", "has batches of 64, not of 4096"),
        ("--protocol post --batch 0", "a batch has 1 to 16777216 products"),
        (
            "--protocol brain-buckets --batch 4096x3",
            "2^-26.2, and brain-buckets promises 2^-40: 494303 or more",
        ),
        (
            "--protocol brain-buckets --batch 4688x4 --statistical 64",
            "promises 2^-64: 1200320 or more",
        ),
    ] {
        let (code, told) = fails(dir, &format!("run aes.txt --local {arguments} {INPUTS}"));
        assert!(code == 2 && told.contains(says), "{arguments}: {told}");
    }
}

#[test]
fn products_without_the_protocols_tags_are_not_measured() {
    let folder = tempfile::tempdir().expect("temporary folder");
    for operation in ["mul", "dot", "matmul"] {
        let (code, error) = fails(folder.path(), &format!("bench {operation} --protocol tagged"));
        assert!(code == 2 && error.contains("not supported"), "{operation}: {error}");
    }
}

#[test]
fn assignments_of_roles_run_side_by_side() {
    let folder = aes_folder("d4");
    let dir = folder.path();
    // Enough blocks for every assignment.
    write(dir, "blocks.hex", &PLAIN.repeat(500));
    for (protocol, roles, least) in [
        ("trio", "split", 2),
        ("trio", "0,1,2;2,1,0", 2),
        ("quad", "split", 4),
        ("quad", "auto", 1),
        ("replicated", "auto", 1),
    ] {
        let run = format!(
            "run aes.txt --local --protocol {protocol} --roles {roles} {INPUTS} --output 0=out.hex"
        );
        let text = ok(dir, &format!("{run} --json"));
        assert_eq!(read(dir, "out.hex"), CIPHER.repeat(500), "{protocol} {roles}");
        let report: serde_json::Value = serde_json::from_str(&text).expect("JSON");
        for party in report["parties"].as_array().expect("parties") {
            let assignments = party["report"]["assignments"].as_array().expect("assignments");
            assert!(assignments.len() >= least, "{protocol} {roles}: {assignments:?}");
            assert_eq!(party["choice"].is_null(), roles != "auto", "{protocol} {roles}");
            for link in party["report"]["links"].as_array().expect("links") {
                assert_eq!(link["bytes"], link["predicted_bytes"], "{protocol} {roles}: {link}");
            }
        }
        assert!(ok(dir, &run).contains("with roles"));
    }
    let lab = "lab aes.txt --network 1gbit --network-only --instances 65536 --protocol trio --json";
    let seconds = |roles: &str| {
        let text = ok(dir, &format!("{lab} --roles {roles}"));
        let report: serde_json::Value = serde_json::from_str(&text).expect("JSON");
        report["runs"][0]["seconds"].as_f64().expect("seconds")
    };
    let [one, split, auto] = ["0,1,2", "split", "auto"].map(seconds);
    // Virtual time: nothing but the links counts.
    assert!(split < 0.75 * one, "{split} against {one}");
    assert!(auto < 0.75 * one, "{auto} against {one}");
}

#[test]
fn products_of_one_assignment_are_balanced() {
    let folder = aes_folder("d4");
    let dir = folder.path();
    for (protocol, rest) in [
        ("quad", "--balance a=2,het=1"),
        ("quad", "--balance b=1,b-crossed=1 --roles 2,0,3,1 --threads 2"),
        ("quad-het", "--balance auto"),
        ("trio", "--balance straight=1,crossed=1 --preprocessing separate"),
        ("astra", "--balance auto --roles auto"),
    ] {
        let run = format!("run aes.txt --local --protocol {protocol} {rest} {INPUTS}");
        let text = ok(dir, &format!("{run} --output 0=out.hex --json"));
        assert_eq!(read(dir, "out.hex"), CIPHER, "{protocol} {rest}");
        let report: serde_json::Value = serde_json::from_str(&text).expect("JSON");
        for party in report["parties"].as_array().expect("parties") {
            let assignment = &party["report"]["assignments"][0];
            match assignment["balance"].as_str() {
                Some(balance) => assert!(rest.contains("auto") || rest.contains(balance)),
                None => assert!(rest.contains("auto"), "{rest}: {assignment}"),
            }
            assert_eq!(party["choice"].is_null(), !rest.contains("auto"), "{protocol} {rest}");
            for link in party["report"]["links"].as_array().expect("links") {
                assert_eq!(link["bytes"], link["predicted_bytes"], "{protocol} {rest}: {link}");
            }
        }
    }
    let told =
        ok(dir, &format!("run aes.txt --local --protocol quad --balance a=2,het=1 {INPUTS}"));
    assert!(told.contains("quad-a with roles") && told.contains("by weight: a=2,het=1"), "{told}");
}

/// Two good links, one of half their rate, three bad ones: the example of `docs/spec/honest-majority-rings.md`
/// section 6.4, in virtual time.
const UNEVEN: &str = "name = \"uneven\"
links = [
    { between = [0, 2], mbit_per_s = 100 },
    { between = [1, 2], mbit_per_s = 100 },
    { between = [0, 3], mbit_per_s = 50 },
    { between = [0, 1], mbit_per_s = 10 },
    { between = [1, 3], mbit_per_s = 10 },
    { between = [2, 3], mbit_per_s = 10 },
]
";

#[test]
fn weights_that_fit_the_links_are_faster_there() {
    let folder = aes_folder("d4");
    let dir = folder.path();
    write(dir, "uneven.toml", UNEVEN);
    let lab = "lab aes.txt --network uneven.toml --network-only --instances 4096 --protocol quad-het \
               --roles 0,1,2,3 --reveal 1 --json";
    let run = |balance: &str| {
        let text = ok(dir, &format!("{lab} --balance {balance}"));
        let report: serde_json::Value = serde_json::from_str(&text).expect("JSON");
        let run = report["runs"][0].clone();
        (run["seconds"].as_f64().expect("seconds"), run["balance"].clone())
    };
    let [(none, _), (auto, weights), (given, _)] = ["none", "auto", "a=2,het=1"].map(run);
    // 3/4 against 1/2 of the rate for products; inputs go over bad links, too.
    assert!(auto < 0.8 * none && given < 0.8 * none, "{auto}, {given} against {none}");
    let weights = weights.as_str().expect("weights");
    assert!(weights.contains("a=") && weights.contains("het="), "{weights}");
    let bench = "bench and --protocol quad-het --network uneven.toml --seconds 0.2 --instances 1048576 --json";
    let text = ok(dir, &format!("{bench} --balance a=2,het=1 --vs-limit"));
    let report: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    assert_eq!(report["balance"], "a=2,het=1");
    let limit = report["limit"]["per_second"].as_f64().expect("a limit");
    assert!((limit / 75e6 - 1.0).abs() < 1e-6, "{limit}");
}

#[test]
fn products_that_cannot_be_balanced_are_refused() {
    let folder = aes_folder("d4");
    let refused = |rest: &str, says: &str| {
        let (code, error) = fails(folder.path(), rest);
        assert_eq!(code, 2, "{rest}: {error}");
        assert!(error.contains(says), "{rest}: {error}");
    };
    let run = |rest: &str| format!("run aes.txt --local {INPUTS} {rest}");
    refused(&run("--protocol trio --balance half"), "whole weights");
    refused(&run("--protocol trio --balance a=1,het=1"), "choose of straight, crossed");
    refused(&run("--protocol quad --balance a=1,het=x"), "whole weights");
    refused(&run("--protocol quad --balance a=1,a=1"), "two weights");
    refused(&run("--protocol quad --balance a=0"), "not all of them zero");
    refused(&run("--protocol tetrad --balance auto"), "not supported");
    refused(&run("--protocol trio --balance auto --roles split"), "not supported");
    refused(&run("--protocol trio --balance auto --roles 0,1,2;2,1,0"), "not supported");
    refused(
        "prepare aes.txt --protocol trio --local --balance auto --into store",
        "weights that are given",
    );
    refused("lab aes.txt --balance auto", "one protocol");
    refused("bench and --balance auto --transport memory", "--network");
    refused("bench dot --balance straight=1,crossed=1 --transport memory", "not supported");
    refused("bench triples --protocol authenticated:2 --balance auto", "not supported");
}

#[test]
fn roles_that_do_not_fit_are_refused() {
    let folder = aes_folder("d4");
    let refused = |rest: &str, says: &str| {
        let (code, error) = fails(folder.path(), rest);
        assert_eq!(code, 2, "{rest}: {error}");
        assert!(error.contains(says), "{rest}: {error}");
    };
    refused(
        &format!("run aes.txt --protocol trio --local {INPUTS} --roles 0,1,2;0,1"),
        "3 roles, not 2",
    );
    refused(&format!("run aes.txt --protocol trio --local {INPUTS} --roles dave"), "choose from");
    refused("bench and --roles auto --transport memory", "--network");
    refused("bench and --protocol quad --parties 3", "4 roles");
    refused("bench aes --parties 4", "--parties");
}

#[test]
fn results_go_to_the_named_parties_only() {
    let folder = aes_folder("d4");
    let dir = folder.path();
    let text = ok(dir, &format!("run aes.txt --protocol trio --local {INPUTS} --reveal 2 --json"));
    let report: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    let printed: Vec<bool> = (0..3).map(|p| !report["parties"][p]["outputs"].is_null()).collect();
    assert_eq!(printed, [false, false, true]);
    let port = &report["parties"][2]["outputs"][0];
    let blocks: Vec<&str> = CIPHER.lines().collect();
    assert_eq!((&port["port"], &port["width"]), (&"out0".into(), &128.into()));
    assert_eq!(port["values"], serde_json::json!(blocks));
    let (code, error) = fails(
        dir,
        &format!("run aes.txt --protocol trio --local {INPUTS} --reveal none --output 0=o.hex"),
    );
    assert_eq!(code, 2);
    assert!(error.contains("not revealed"), "{error}");
    ok(dir, &format!("run aes.txt --local --protocol quad {INPUTS} --reveal 3 --output 0=o.hex"));
    assert_eq!(read(dir, "o.hex"), CIPHER);
}

/// A circuit with two output ports: `x AND y`, and `x XOR y`, of four bits.
const TWO_OUTPUTS: &str = "8 16\n2 4 4\n2 4 4\n\n\
    2 1 0 4 8 AND\n2 1 1 5 9 AND\n2 1 2 6 10 AND\n2 1 3 7 11 AND\n\
    2 1 0 4 12 XOR\n2 1 1 5 13 XOR\n2 1 2 6 14 XOR\n2 1 3 7 15 XOR\n";

#[test]
fn every_local_party_that_learns_gives_its_own_output() {
    let folder = tempfile::tempdir().expect("temporary folder");
    let dir = folder.path();
    write(dir, "two.txt", TWO_OUTPUTS);
    write(dir, "x.hex", "c\n");
    write(dir, "y.hex", "a\n");
    let run = "run two.txt --protocol trio --local --transport tcp --input 0=x.hex --input 1=y.hex";
    let apart = format!("{run} --reveal 0=0 --reveal 1=1");
    ok(dir, &format!("{apart} --output 0=and.hex --output 1=xor.hex"));
    assert_eq!((read(dir, "and.hex"), read(dir, "xor.hex")), ("8\n".into(), "6\n".into()));
    let text = ok(dir, &apart);
    assert!(text.starts_with("# party0\n8\n# party1\n6\n"), "{text}");
    // What all learn alike is printed once.
    let text = ok(dir, run);
    assert!(text.starts_with("8 6\n\n"), "{text}");
    // Nobody learns both.
    let (code, error) = fails(dir, &format!("{apart} --output 0,1=both.csv"));
    assert_eq!(code, 2, "{error}");
    assert!(error.contains("--reveal"), "{error}");
}

#[test]
fn what_cannot_be_read_or_written_is_told_before_anything_runs() {
    let folder = tempfile::tempdir().expect("temporary folder");
    let dir = folder.path();
    write(dir, "two.txt", TWO_OUTPUTS);
    write(dir, "x.hex", "c\n");
    let run = "run two.txt --protocol trio --local --input 1=x.hex";
    for (rest, wanted) in [
        ("--input 0=- --format hex", "standard input"),
        ("--input 0=x.hex --output 0=- --format hex", "leave it out"),
        ("--input 0=x.hex --output 0=out.txt", ".hex"),
        ("--input 0=x.hex --output 0=missing/out.hex", "missing/out.hex"),
        ("--input 0=x.hex --output 0=. --format hex", ".:"),
    ] {
        let (code, error) = fails(dir, &format!("{run} {rest}"));
        assert_eq!(code, 2, "{rest}: {error}");
        assert!(error.contains(wanted), "{rest}: {error}");
    }
    assert_eq!(std::fs::read_dir(dir).expect("folder").count(), 2);
}

#[test]
fn absurd_arguments_of_benchmarks_are_refused() {
    let folder = tempfile::tempdir().expect("temporary folder");
    for arguments in [
        "and --instances 99999999999999",
        "dot --instances 1000000000 --length 4000000000",
        "matmul --size 60000",
        "mul --width 7",
        "aes --instances 60000000000",
        "and --threads 100000",
        "and --pieces 0",
        "paper",
        "and ccs16",
        "triples --protocol trio",
        "triples --protocol authenticated:2 --instances 99999999999",
    ] {
        let (code, error) = fails(folder.path(), &format!("bench {arguments} --transport memory"));
        assert_eq!(code, 2, "{arguments}: {error}");
    }
}

#[test]
fn wrong_arguments_and_inputs_say_what_to_do() {
    let folder = aes_folder("d4");
    let dir = folder.path();
    write(dir, "short.hex", "2b7e\n");
    write(dir, "three.hex", &PLAIN[..99]);
    write(dir, "two.hex", &KEY.repeat(2));
    let cases = [
        ("run aes.txt", "--local"),
        ("run missing.txt --protocol trio --local", "missing.txt"),
        ("run aes.txt --protocol trio --local --bits bytes --input 0=key.hex", "--input 1=FILE"),
        (
            "run aes.txt --protocol trio --local --bits bytes --input 0=short.hex --input 1=blocks.hex",
            "short.hex",
        ),
        (
            "run aes.txt --protocol trio --local --bits bytes --input 0=two.hex --input 1=three.hex --instances 3",
            "2 instances here",
        ),
        (
            "run aes.txt --protocol trio --local --bits bytes --input 0=key.hex --instances 0",
            "--instances",
        ),
        (
            "run aes.txt --protocol trio --local --bits bytes --input 0=key.hex --repeat 2",
            "no input port 2",
        ),
        (
            "run aes.txt --protocol trio --local --bits bytes --input 0=key.hex --repeat x",
            "ports are numbers",
        ),
        (
            "run aes.txt --protocol trio --local --owner 5=0 --bits bytes --input 0=key.hex",
            "no input port 5",
        ),
        (
            "run aes.txt --protocol trio --local --roles 0,0,1 --bits bytes --input 0=key.hex --input 1=blocks.hex",
            "role",
        ),
        (
            "run aes.txt --protocol trio --local --reveal carol --bits bytes --input 0=key.hex --input 1=blocks.hex",
            "carol",
        ),
        ("run aes.txt --local --protocol best", "unknown protocol"),
        ("run aes.txt --local --protocol bmr-shamir-s2:3", "N from 4 to 64"),
        ("run aes.txt --local --protocol bmr:2 --block-ands 9", "--block-ands"),
        (
            "run aes.txt --protocol trio --local --opening all --bits bytes --input 0=key.hex --input 1=blocks.hex",
            "opens no garbled tables",
        ),
        (
            "run aes.txt --protocol trio --local --network mars --bits bytes --input 0=key.hex --input 1=blocks.hex",
            "mars",
        ),
    ];
    for (arguments, wanted) in cases {
        let (code, error) = fails(dir, arguments);
        assert_eq!(code, 2, "{arguments}: {error}");
        assert!(error.contains(wanted), "{arguments}: {error}");
        assert!(!error.contains("2b7e"), "a value is in the error: {error}");
    }
}

/// Two numbers are compared, and bob brings thousands for alice's one: a run would tell him hers. Nobody computes that
/// without her consent, and her helper says how often it helps.
#[test]
fn one_value_is_used_in_many_instances_by_its_owners_consent_only() {
    let folder = tempfile::tempdir().expect("temporary folder");
    let dir = folder.path();
    ok(dir, "circuit build compare --width 16 --output larger.txt");
    write(dir, "a.dec", "3141\n");
    let thresholds: Vec<String> = (0..4096).map(|threshold| threshold.to_string()).collect();
    write(dir, "b.dec", &(thresholds.join("\n") + "\n"));
    configure(dir);
    let run = |alice: &str, bob: &str, carol: &str| {
        let party = |name: &str, rest: &str| {
            start(dir, &format!("run larger.txt --protocol lift --party {name}.toml {rest}"))
        };
        let children = vec![
            party("alice", &format!("--input 0=a.dec {alice}")),
            party("bob", &format!("--input 1=b.dec --output 0=out.dec {bob}")),
            party("carol", carol),
        ];
        finish(children, Duration::from_secs(60))
    };
    for (alice, bob, carol, told) in [
        ("", "", "", "4096"),
        // Nor does it help to say how many there are, or of another party's input that it is repeated.
        ("", "--instances 4096", "--instances 4096", "4096"),
        ("--instances 64", "", "", "64"),
        ("--repeat", "", "--instances 100", "100"),
    ] {
        let ended = run(alice, bob, carol);
        for (code, output, errors) in &ended {
            assert_eq!((*code, output.as_str()), (Some(3), ""), "{alice} {bob}: {errors}");
            assert!(errors.contains("number of instances"), "{errors}");
            assert!(errors.contains("--repeat") && errors.contains(told), "{errors}");
        }
        // Bob's farewell may come before the comparison of alice's own.
        let counts = ["here 1, there 4096", "here 4096, there 1"];
        let counted = counts.iter().any(|counts| ended[0].2.contains(counts));
        assert!(!alice.is_empty() || counted, "{}", ended[0].2);
        assert!(!alice.is_empty() || ended[0].2.contains("bob"), "{}", ended[0].2);
        assert!(!dir.join("out.dec").exists());
    }
    for (alice, bob, carol) in [
        ("--repeat", "", ""),
        ("--repeat 0", "--instances 4096", "--instances 4096"),
        ("--instances 4096", "", ""),
    ] {
        for (code, _, errors) in run(alice, bob, carol) {
            assert_eq!(code, Some(0), "{alice} {bob} {carol}: {errors}");
        }
        assert_eq!(read(dir, "out.dec").lines().count(), 4096);
        std::fs::remove_file(dir.join("out.dec")).expect("removes");
    }
    let bob = "run larger.txt --protocol lift --party bob.toml --input 1=b.dec --repeat 0 --connect-timeout 1";
    let (code, told) = fails(dir, bob);
    assert!(code == 2 && told.contains("another party gives input port 0"), "{told}");
}

const COMMON: &str =
    "run aes.txt --protocol trio --bits bytes --owner 0=alice --owner 1=bob --reveal bob";

#[test]
fn three_configured_parties_meet_and_only_the_receiver_learns() {
    let folder = aes_folder("d4");
    let dir = folder.path();
    configure(dir);
    let children = vec![
        start(dir, &format!("{COMMON} --party alice.toml --input 0=key.hex --repeat")),
        start(dir, &format!("{COMMON} --party bob.toml --input 1=blocks.hex --output 0=out.hex")),
        start(dir, &format!("{COMMON} --party carol.toml")),
    ];
    for (code, _, errors) in finish(children, Duration::from_secs(60)) {
        assert_eq!(code, Some(0), "{errors}");
    }
    assert_eq!(read(dir, "out.hex"), CIPHER);
}

#[test]
fn parties_that_disagree_are_told_what_differs() {
    let folder = aes_folder("d4");
    let dir = folder.path();
    configure(dir);
    let children = vec![
        start(dir, &format!("{COMMON} --party alice.toml --input 0=key.hex --repeat")),
        start(
            dir,
            &format!("{} --party bob.toml --input 1=blocks.hex", COMMON.replace("trio", "astra")),
        ),
        start(dir, &format!("{COMMON} --party carol.toml")),
    ];
    for (code, output, errors) in finish(children, Duration::from_secs(60)) {
        assert_eq!(code, Some(3), "{errors}");
        assert!(errors.contains("protocol"), "{errors}");
        assert_eq!(output, "");
    }
}

#[test]
fn a_killed_party_ends_the_run_of_the_others_within_seconds() {
    let folder = aes_folder("d4");
    let dir = folder.path();
    configure(dir);
    // A slow network keeps the run going for long.
    let slow = "--network ccs16 --timeout 20";
    let children = vec![
        start(dir, &format!("{COMMON} {slow} --party alice.toml --input 0=key.hex --repeat")),
        start(
            dir,
            &format!("{COMMON} {slow} --party bob.toml --input 1=blocks.hex --output 0=out.hex"),
        ),
    ];
    let mut victim = start(dir, &format!("{COMMON} {slow} --party carol.toml"));
    std::thread::sleep(Duration::from_millis(1500));
    victim.kill().expect("kills");
    victim.wait().expect("ends");
    for (code, output, errors) in finish(children, Duration::from_secs(15)) {
        assert_eq!(code, Some(4), "{errors}");
        assert!(errors.contains("carol"), "names the lost party: {errors}");
        assert_eq!(output, "", "no partial output");
    }
    assert!(!dir.join("out.hex").exists());
}

#[test]
fn a_party_with_a_foreign_certificate_is_refused() {
    let folder = aes_folder("d4");
    let dir = folder.path();
    configure(dir);
    let other = tempfile::tempdir().expect("temporary folder");
    ok(other.path(), "network init --parties alice=127.0.0.1:1,bob=127.0.0.1:2,carol=127.0.0.1:3");
    // Carol's addresses with another carol's key.
    let take = |text: &str, key: &str| {
        let start = text.find(key).expect("a key");
        let end = start + text[start..].find("\"\"\"").expect("opens") + 3;
        end + text[end..].find("\"\"\"").expect("closes") + 3 - start
    };
    let (mut mine, theirs) = (read(dir, "carol.toml"), read(other.path(), "carol.toml"));
    for key in ["certificate =", "key ="] {
        let from = theirs.find(key).map(|at| &theirs[at..at + take(&theirs, key)]).expect("found");
        let at = mine.find(key).expect("found");
        let length = take(&mine, key);
        mine.replace_range(at..at + length, from);
    }
    std::fs::write(dir.join("carol.toml"), mine).expect("writes");
    let wait = "--connect-timeout 20";
    let children = vec![
        start(dir, &format!("{COMMON} {wait} --party alice.toml --input 0=key.hex --repeat")),
        start(dir, &format!("{COMMON} {wait} --party bob.toml --input 1=blocks.hex")),
        start(dir, &format!("{COMMON} {wait} --party carol.toml")),
    ];
    let ends = finish(children, Duration::from_secs(40));
    assert_eq!(ends[2].0, Some(3), "{}", ends[2].2);
    for (code, output, errors) in ends {
        // Who neither has the wrong key nor sees it hears of it from another party: code 6.
        assert!(matches!(code, Some(3 | 6)), "{code:?} {errors}");
        assert!(errors.contains("certificate") || errors.contains("carol"), "{errors}");
        assert_eq!(output, "");
    }
}

#[test]
fn the_lab_compares_protocols_on_a_network_that_is_not_here() {
    let folder = aes_folder("d4");
    let dir = folder.path();
    let text = ok(dir, "lab aes.txt --network global --network-only --json");
    let report: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    let runs = report["runs"].as_array().expect("runs");
    let unasked = |protocol: &tacit_sharing::Protocol| !protocol.for_comparison();
    assert_eq!(runs.len(), tacit_engine::protocols::on_bits().filter(unasked).count());
    let seconds = |protocol: &str| {
        let run = runs.iter().find(|run| run["protocol"] == protocol).expect("a run");
        run["seconds"].as_f64().expect("a number")
    };
    // What protects against more comes first, the faster of the same, set-up included; `plain` is last.
    assert_eq!(runs.last().expect("a run")["protocol"], "plain");
    let order = |run: &serde_json::Value| {
        let name = run["protocol"].as_str().expect("a name");
        let protocol = protocols::named(name).expect("a protocol");
        let seconds = |part: &str| run[part].as_f64().expect("seconds");
        let all = seconds("setup_seconds") + seconds("offline_seconds") + seconds("seconds");
        assert!((all - seconds("total_seconds")).abs() < 1e-9);
        let (security, parties) = (protocol.security(), protocol.parties());
        assert_eq!(run["protects_against"], security.among(parties).as_str());
        (security, all)
    };
    assert!(runs.iter().map(order).is_sorted_by(|a, b| a <= b), "{text}");
    assert_eq!(runs[0]["protects_against"], "malicious with abort, one of two");
    // 40 levels: 25 ms each between the closest parties, the ring's mean of 50 ms in replicated.
    assert!((1.0..1.3).contains(&seconds("trio")), "{}", seconds("trio"));
    assert!((1.9..2.3).contains(&seconds("replicated")), "{}", seconds("replicated"));
    assert_eq!(text, ok(dir, "lab aes.txt --network global --network-only --json"));
}

#[test]
fn benchmarks_print_one_json_object_with_the_bound() {
    let folder = tempfile::tempdir().expect("temporary folder");
    let dir = folder.path();
    for (operation, rest) in [
        ("and", "--transport tcp --instances 100000"),
        ("mul", "--transport tls --width 64 --instances 1000"),
        ("dot", "--transport memory --length 100 --instances 50"),
        ("matmul", "--protocol replicated --width 64 --size 20"),
        ("compare", "--protocol multi-fan-in --width 16 --instances 500"),
        ("triples", "--protocol authenticated:3 --instances 500"),
    ] {
        let run = format!("bench {operation} --seconds 0.05 --vs-limit --json {rest}");
        let result: serde_json::Value = serde_json::from_str(&ok(dir, &run)).expect("JSON");
        assert!(result["per_second"].as_f64().expect("a number") > 0.0);
        assert_eq!(result["seconds_asked"], 0.05);
        let seconds = |phase: &str| result["seconds"][phase].as_f64().expect("a number");
        let sum = seconds("setup") + seconds("offline") + seconds("online") + seconds("verify");
        assert!(seconds("setup") > 0.0 && (seconds("total") - sum).abs() < 1e-9, "{operation}");
        assert!(result["bytes_sent"].as_object().expect("links").len() >= 3);
        if operation == "triples" {
            let bytes = |how: &str| result["bytes_per_triple"][how].as_f64().expect("a number");
            assert_eq!(bytes("counted"), bytes("predicted"));
            // Buckets of five, with what is not per triple beside it.
            assert!((321.0..370.0).contains(&bytes("counted")), "{}", bytes("counted"));
            assert_eq!(bytes("published"), 321.125);
        }
        if operation != "dot" {
            assert!(result["limit"]["ratio"].as_f64().expect("a ratio") > 0.0, "{operation}");
        }
    }
}

/// A file of hosts, all of them this machine: what starts their parties, and which program each has.
fn hosts(dir: &Path, start: &str, programs: [&str; 3]) {
    let mut text = format!("start = {start}\nstart_seconds = 10\n");
    for (i, program) in programs.iter().enumerate() {
        let number = i + 1;
        text += &format!(
            "[[host]]\nname = \"host {number}\"\naddress = \"127.0.0.{number}\"\ntacit = \"{program}\"\n"
        );
    }
    write(dir, "hosts.toml", &text);
}

#[test]
fn a_benchmark_runs_on_several_hosts_and_names_the_one_that_fails() {
    let folder = tempfile::tempdir().expect("temporary folder");
    let dir = folder.path();
    let (here, shell) = (env!("CARGO_BIN_EXE_tacit"), "[\"sh\", \"-c\", \"{command}\"]");
    let bench = "bench and --protocol trio --seconds 0.2 --instances 65536 --hosts hosts.toml";
    hosts(dir, shell, [here; 3]);
    let text = ok(dir, &format!("{bench} --json"));
    let result: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    assert_eq!((&result["parties"], &result["transport"]), (&3.into(), &"tls".into()));
    assert!(result["per_second"].as_f64().expect("a number") > 0.0);

    hosts(dir, shell, [here, "/nowhere/tacit", here]);
    let (code, told) = fails(dir, bench);
    assert_eq!(code, 4, "{told}");
    assert!(told.contains("host 2") && told.contains("/nowhere/tacit"), "{told}");

    hosts(dir, "[\"no-such-program\", \"{command}\"]", [here; 3]);
    let (code, told) = fails(dir, bench);
    assert_eq!(code, 71, "{told}");
    assert!(told.contains("host 1") && told.contains("no-such-program"), "{told}");

    // One that hangs.
    hosts(dir, "[\"sh\", \"-c\", \"sleep 60 # {command}\"]", [here; 3]);
    let text = read(dir, "hosts.toml").replace("start_seconds = 10", "start_seconds = 1");
    write(dir, "hosts.toml", &text);
    let (code, told) = fails(dir, bench);
    assert_eq!(code, 4, "{told}");
    assert!(told.contains("host 1 was not started within 1 seconds (start_seconds"), "{told}");

    let (code, told) = fails(dir, &bench.replace("trio", "quad"));
    assert_eq!(code, 3, "{told}");
    assert!(told.contains("3 hosts for 4 parties"), "{told}");
}
