//! `tacit circuit` as a user runs it: real processes, real files.

#[path = "common/program.rs"]
mod program;

use program::program;
use std::path::Path;
use std::process::{Command, Output};

/// Runs `tacit` in `folder` with blank-separated arguments.
fn tacit(folder: &Path, arguments: &str) -> Output {
    Command::new(program())
        .args(arguments.split_whitespace())
        .current_dir(folder)
        .output()
        .expect("the program starts")
}

/// Standard output of a run that must succeed.
fn ok(folder: &Path, arguments: &str) -> String {
    let run = tacit(folder, arguments);
    let errors = String::from_utf8_lossy(&run.stderr);
    assert!(run.status.success(), "tacit {arguments}: {errors}");
    String::from_utf8(run.stdout).expect("text")
}

/// Exit code and standard error of a run that must fail.
fn fails(folder: &Path, arguments: &str) -> (i32, String) {
    let run = tacit(folder, arguments);
    assert!(!run.status.success(), "tacit {arguments} must fail");
    assert!(run.stdout.is_empty(), "tacit {arguments} prints no result");
    let code = run.status.code().expect("an exit code, not a signal");
    (code, String::from_utf8_lossy(&run.stderr).into_owned())
}

fn folder() -> tempfile::TempDir {
    tempfile::tempdir().expect("temporary folder")
}

fn write(folder: &Path, name: &str, text: &str) {
    std::fs::write(folder.join(name), text).expect("writes");
}

fn read(folder: &Path, name: &str) -> String {
    std::fs::read_to_string(folder.join(name)).expect("reads")
}

/// The vectors of NIST SP 800-38A, F.1.1: key, plaintext blocks, ciphertext blocks.
const KEY: &str = "2b7e151628aed2a6abf7158809cf4f3c";
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

#[test]
fn aes_is_built_in_every_form_and_agrees_with_the_published_vectors() {
    let folder = folder();
    let dir = folder.path();
    write(dir, "key.hex", KEY);
    write(dir, "plain.hex", PLAIN);
    write(dir, "cipher.hex", CIPHER);
    for sbox in ["d6", "d4", "d3", "d2", "d2p", "d1"] {
        ok(dir, &format!("circuit build aes --sbox {sbox} --output aes.txt"));
        let eval = "circuit eval aes.txt --bits bytes --input 0=key.hex --input 1=plain.hex";
        assert_eq!(ok(dir, eval), CIPHER, "{sbox}");
    }
    ok(dir, "circuit build aes-decrypt --output inverse.tbc");
    let eval = "circuit eval inverse.tbc --bits bytes --input 0=key.hex --input 1=cipher.hex";
    ok(dir, &format!("{eval} --output 0=again.hex"));
    assert_eq!(read(dir, "again.hex"), PLAIN);
}

#[test]
fn sha256_of_abc() {
    let folder = folder();
    let dir = folder.path();
    let block = format!("61626380{}18", "0".repeat(118));
    let state = "6a09e667bb67ae853c6ef372a54ff53a510e527f9b05688c1f83d9ab5be0cd19";
    write(dir, "both.csv", &format!("in1,in0\n0x{state},0x{block}\n"));
    ok(dir, "circuit build sha256 --form ripple --output sha.txt");
    let digest = ok(dir, "circuit eval sha.txt --bits words --input 0,1=both.csv --format csv");
    let expected = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
    assert_eq!(digest, format!("out0\n0x{expected}\n"));
}

#[test]
fn signed_division_of_many_instances() {
    let folder = folder();
    let dir = folder.path();
    write(dir, "x.dec", "100\n-100\n7\n-32768\n5\n");
    write(dir, "y.dec", "7\n7\n-2\n-1\n0\n");
    ok(dir, "circuit build divide --width 16 --signed --output div.txt");
    let eval = "circuit eval div.txt --signed --input 0=x.dec --input 1=y.dec";
    ok(dir, &format!("{eval} --output 0,1=q.csv"));
    let expected = "out0,out1\n14,2\n-14,-2\n-3,1\n-32768,0\n-1,5\n";
    assert_eq!(read(dir, "q.csv"), expected);
    let report = ok(dir, &format!("--json {eval} --format decimal"));
    let report: serde_json::Value = serde_json::from_str(&report).expect("one JSON object");
    assert_eq!(report["instances"], 5);
    assert_eq!(report["outputs"][1]["values"][1], "-2");
}

#[test]
fn conversion_keeps_the_function_and_lowers_for_other_tools() {
    let folder = folder();
    let dir = folder.path();
    write(dir, "x.csv", "in0,in1\n1000000007,998244353\n4294967295,4294967295\n");
    ok(dir, "circuit build multiply --width 32 --fan-in 8 --output mul.txt");
    let expected = "998244359987710471\n18446744065119617025\n";
    for (file, to) in [
        ("a.tbc", ""),
        ("b.txt", "--to fashion"),
        ("c.txt", "--to old"),
        ("d.txt", "--to extended"),
    ] {
        ok(dir, &format!("circuit convert mul.txt {to} --output {file}"));
        let eval = format!("circuit eval {file} --input 0,1=x.csv --output 0=z.dec");
        ok(dir, &eval);
        assert_eq!(read(dir, "z.dec"), expected, "{file}");
    }
    let info = |file: &str| -> serde_json::Value {
        serde_json::from_str(&ok(dir, &format!("circuit info {file} --json"))).expect("JSON")
    };
    assert_eq!(info("a.tbc")["digest"], info("mul.txt")["digest"]);
    assert!(info("a.tbc")["and_gates_by_fan_in"]["4"].as_u64() > Some(0));
    let plain = info("b.txt");
    assert_eq!(plain["and_gates"], plain["and_gates_by_fan_in"]["2"]);
}

#[test]
fn optimising_reaches_its_goal_and_keeps_the_function() {
    let folder = folder();
    let dir = folder.path();
    write(dir, "x.csv", "in0,in1\n1000,41\n65535,65535\n41,1000\n");
    ok(dir, "circuit build compare --width 16 --form prefix --fan-in 2 --output gt.txt");
    for (options, better) in [
        ("--goal size", "multi_fan_in_bits"),
        ("--goal depth --fan-in 8", "and_depth"),
        ("--level-cost 100 --fan-in 4 --polynomial", "and_depth"),
    ] {
        let report = ok(dir, &format!("circuit optimise gt.txt {options} --output o.txt --json"));
        let report: serde_json::Value = serde_json::from_str(&report).expect("JSON");
        let value = |when: &str| {
            let value = &report[when][better];
            value.as_u64().or(value["symmetric"].as_u64()).expect("a number")
        };
        assert!(value("after") <= value("before"), "{options}: {report}");
        if options.contains("depth") {
            assert!(value("after") < value("before"), "{options}: {report}");
        }
        assert_eq!(ok(dir, "circuit eval o.txt --input 0,1=x.csv"), "1\n0\n0\n");
        ok(dir, "circuit eval o.txt --input 1,0=x.csv --output 0=z.bin");
        assert_eq!(read(dir, "z.bin"), "1\n0\n0\n", "columns are found by name");
    }
}

#[test]
fn tables_are_counted_in_built_circuits() {
    let folder = folder();
    let text = ok(folder.path(), "circuit table adders");
    assert!(text.contains("4/329 (683)"), "{text}");
    let table = ok(folder.path(), "circuit table s-boxes --json");
    let table: serde_json::Value = serde_json::from_str(&table).expect("JSON");
    assert_eq!(table["tables"][0]["name"], "s-boxes");
    let (code, message) = fails(folder.path(), "circuit table chairs");
    assert_eq!(code, 2);
    assert!(message.contains("s-boxes"), "{message}");
}

#[test]
fn errors_say_where_and_have_their_exit_code() {
    let folder = folder();
    let dir = folder.path();
    write(dir, "good.hex", "00\n01\n02\n");
    write(dir, "other.hex", "00\n01\n");
    write(dir, "bad.hex", "00\n5e\n7secret\n");
    write(dir, "bad.txt", "1 3\n2 1 1\n1 1\n\n2 1 0 1 2 NAND\n");
    ok(dir, "circuit build add --width 8 --output add.txt");
    for (arguments, expected) in [
        ("circuit info none.txt", "none.txt: No such file"),
        ("circuit info bad.txt", "bad.txt:5: unknown gate"),
        ("circuit build add --width 129 --output x.txt", "1 to 128"),
        ("circuit build add --relation lt --output x.txt", "--relation"),
        ("circuit build nothing --output x.txt", "nothing"),
        ("circuit eval add.txt --input 0=good.hex", "input port 1 (8 bits) has no values"),
        ("circuit eval add.txt --input 0=good.hex --input 2=good.hex", "no input port 2"),
        ("circuit eval add.txt --input 0=good.hex --input 0=good.hex", "given twice"),
        ("circuit eval add.txt --input 0=good.hex --input 1=bad.hex", "bad.hex:3:2: not a hex"),
        ("circuit eval add.txt --input 0=good.hex --input 1=other.hex", "other.hex: 2 instances"),
        ("circuit eval add.txt --input 0=good.hex --input 1=good.txt", "use .hex, .bin"),
        ("circuit eval add.txt --input 0,1=good.hex", "good.hex:1: expected 2 value(s)"),
        ("circuit eval add.txt --bits in2=bytes --input 0=good.hex", "no port `in2`"),
        ("circuit eval add.txt --bits first --input 0=good.hex", "the orders are"),
        ("circuit eval add.txt --input good.hex", "PORT=FILE"),
    ] {
        let (code, message) = fails(dir, arguments);
        assert_eq!(code, 2, "{arguments}: {message}");
        assert!(message.contains(expected), "{arguments}: {message}");
        assert!(!message.contains("secret"), "{arguments}: {message}");
        let (code, message) = fails(dir, &format!("{arguments} --json"));
        assert_eq!(code, 2, "{arguments}: {message}");
        let error: serde_json::Value = serde_json::from_str(&message).expect("one JSON object");
        assert_eq!(error["error"]["kind"], "input");
    }
    assert!(!dir.join("x.txt").exists());
}

#[test]
fn a_reader_that_closes_early_is_no_error() {
    let folder = folder();
    let dir = folder.path();
    let values: String = (0..20_000).map(|i| format!("{}\n", i % 256)).collect();
    write(dir, "x.dec", &values);
    ok(dir, "circuit build add --width 8 --output add.txt");
    let mut run = Command::new(program())
        .args("circuit eval add.txt --input 0=x.dec --input 1=x.dec".split_whitespace())
        .current_dir(dir)
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .expect("the program starts");
    drop(run.stdout.take());
    let run = run.wait_with_output().expect("ends");
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
}
