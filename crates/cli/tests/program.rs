//! Programs as users run them: `tacit program`, `tacit run` over TLS, tables in and results out,
//! wrong inputs, parties that disagree or are killed.

mod common;

use common::{configure, fails, finish, ok, start};
use std::path::{Path, PathBuf};
use std::time::Duration;
use tacit_engine::protocols::{self, AUTHENTICATED, BMR, GMW, LIFT, QUAD, TRIO, YAO_THREE};
use tacit_sharing::Protocol;

fn example(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples").join(name)
}

/// A folder with the example of the README.
fn stay() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("temporary folder");
    for file in ["stay.tacit", "alice.csv", "bob.csv", "carol.csv"] {
        std::fs::copy(example("stay").join(file), folder.path().join(file)).expect("copies");
    }
    folder
}

const TABLES: &str = "--table alice=alice.csv --table bob=bob.csv --table carol=carol.csv";

/// The mean as the program states it, computed from the tables.
fn mean(folder: &Path) -> f64 {
    let (mut days, mut old) = (0, 0);
    for name in ["alice", "bob", "carol"] {
        let text = std::fs::read_to_string(folder.join(format!("{name}.csv"))).expect("reads");
        for line in text.lines().skip(1) {
            let (age, stay) = line.split_once(',').expect("two columns");
            if age.parse::<u32>().expect("a number") >= 65 {
                old += 1;
                days += stay.parse::<u32>().expect("a number");
            }
        }
    }
    f64::from(days * 256 / old) / 256.0
}

/// The mean in a JSON result.
fn printed_mean(results: &serde_json::Value) -> f64 {
    results["mean stay"].as_f64().unwrap_or_else(|| panic!("{results}"))
}

/// All protocols are in [`processes_compute_the_mean_under_every_protocol`], and as threads of one process in
/// `crates/engine/tests/programs`.
#[test]
fn processes_compute_the_mean_under_one_protocol_of_each_family() {
    let of_each_family = [TRIO, LIFT, QUAD, GMW, BMR, YAO_THREE, AUTHENTICATED];
    processes_compute_the_mean(of_each_family.map(|protocol| protocol.fitting(3)).into_iter());
}

#[test]
#[ignore = "a minute: hundreds of processes"]
fn processes_compute_the_mean_under_every_protocol() {
    processes_compute_the_mean(protocols::all());
}

fn processes_compute_the_mean(protocols: impl Iterator<Item = Protocol>) {
    let folder = stay();
    let dir = folder.path();
    let want = mean(dir);
    let by_circuits = ["trio --by circuits", "quad --by circuits"];
    let runs = protocols.filter(|protocol| protocol.parties() > 2);
    let by_circuits = by_circuits.map(String::from);
    for protocol in runs.map(|protocol| protocol.to_string()).chain(by_circuits) {
        let text = ok(
            dir,
            &format!("run stay.tacit --local --protocol {protocol} {TABLES} --threads 2 --json"),
        );
        let report: serde_json::Value = serde_json::from_str(&text).expect("JSON");
        // A fourth party computes, but is none of the program's: it learns nothing.
        let parties = report["parties"].as_array().expect("parties");
        assert!(parties.iter().skip(3).all(|party| !party["results"].to_string().contains("mean")));
        for party in &parties[..3] {
            let got = printed_mean(&party["results"]);
            assert!((got - want).abs() <= 1.0 / 256.0, "{protocol}: {got} for {want}");
            for link in party["report"]["links"].as_array().expect("links") {
                assert_eq!(link["bytes"], link["predicted_bytes"], "{protocol} {link}");
            }
        }
    }
}

#[test]
fn roles_and_form_are_chosen_for_the_links() {
    let folder = stay();
    let dir = folder.path();
    let want = mean(dir);
    for (protocol, choose, links) in [
        ("trio", "--roles auto", 6),
        ("quad-het", "--roles auto --by auto", 12),
        ("gmw:3", "--by auto", 6),
        ("trio", "--chunk-rows auto", 6),
    ] {
        let run = format!("run stay.tacit --local --protocol {protocol} {choose} {TABLES}");
        let text = ok(dir, &format!("{run} --json"));
        let report: serde_json::Value = serde_json::from_str(&text).expect("JSON");
        for party in report["parties"].as_array().expect("parties").iter().take(3) {
            let got = printed_mean(&party["results"]);
            assert!((got - want).abs() <= 1.0 / 256.0, "{protocol}: {got} for {want}");
            let choice = &party["choice"];
            assert_eq!(choice["links"].as_array().expect("links").len(), links, "{protocol}");
            assert!(choice["seconds"].as_f64() <= choice["given_seconds"].as_f64(), "{choice}");
        }
        assert!(ok(dir, &run).contains("chosen for the measured links"), "{protocol}");
    }
    for refused in [
        "--roles 0,1,2;2,1,3",
        "--roles split --preprocessing separate",
        "--by rounds",
        "--by auto --prepared here",
        "--chunk-rows many",
        "--chunk-rows auto --prepared here",
    ] {
        let rest = format!("run stay.tacit --local --protocol trio {refused} {TABLES}");
        assert_eq!(fails(dir, &rest).0, 2, "{refused}");
    }
}

#[test]
fn assignments_of_roles_run_side_by_side() {
    let folder = stay();
    let dir = folder.path();
    let want = mean(dir);
    for (protocol, roles) in [
        ("trio", "--roles split"),
        ("lift", "--roles 0,1,2;2,0,1;1,2,0 --threads 2"),
        ("quad", "--roles split --mix quad-het"),
        ("fantastic-four", "--roles split --by circuits"),
    ] {
        let run = format!("run stay.tacit --local --protocol {protocol} {roles} {TABLES}");
        let report: serde_json::Value =
            serde_json::from_str(&ok(dir, &format!("{run} --json"))).expect("JSON");
        for party in report["parties"].as_array().expect("parties").iter().take(3) {
            let got = printed_mean(&party["results"]);
            assert!((got - want).abs() <= 1.0 / 256.0, "{protocol}: {got} for {want}");
            let many = party["report"]["assignments"].as_array().expect("assignments").len();
            assert!(many > 1, "{protocol} {roles}");
            for link in party["report"]["links"].as_array().expect("links") {
                assert_eq!(link["bytes"], link["predicted_bytes"], "{protocol} {link}");
            }
        }
    }
    let told =
        ok(dir, &format!("run stay.tacit --protocol trio --local --roles 0,1,2;2,1,0 {TABLES}"));
    assert!(told.contains("2 assignments of roles side by side"), "{told}");
    for protocol in ["gmw:3", "plain", "yao"] {
        let run = format!("run stay.tacit --local --protocol {protocol} --roles split {TABLES}");
        assert_eq!(fails(dir, &run).0, 2, "{protocol}");
    }
    let lab = ok(dir, "lab stay.tacit --protocol trio --network continental --roles split --json");
    let lab: serde_json::Value = serde_json::from_str(&lab).expect("JSON");
    assert!(lab["runs"][0]["assignments"].as_u64() > Some(1), "{lab}");
    let bench = "program bench stay.tacit --protocol quad --roles split --runs 1";
    assert!(ok(dir, bench).contains("side by side"));
}

/// On a slow network four parties choose several assignments of roles, which use the links that one leaves idle, and connect once
/// more for them.
#[test]
fn what_sends_much_is_spread_over_assignments_of_roles() {
    const PROGRAM: &str = "program above\nparties alice, bob, carol, dave\nrows n <= 100000\n\
        input x: i32[n] from alice in -1000..1000\ninput y: i32[n] from bob in -1000..1000\n\
        reveal sum(select(x * y > 5000, x, 0), axis 0) to all as \"sum\"\n";
    let folder = tempfile::tempdir().expect("temporary folder");
    let dir = folder.path();
    let (x, y) = ((0..30_000).map(|i| i % 2001 - 1000), (0..30_000).map(|i| i * 7 % 2001 - 1000));
    let column = |name: &str, values: &mut dyn Iterator<Item = i64>| {
        name.to_owned() + &values.map(|value| format!("\n{value}")).collect::<String>() + "\n"
    };
    let write = |name: &str, text: String| std::fs::write(dir.join(name), text).expect("writes");
    write("x.csv", column("x", &mut x.clone()));
    write("y.csv", column("y", &mut y.clone()));
    write("above.tacit", PROGRAM.into());
    let want: i64 = x.zip(y).filter(|(x, y)| x * y > 5000).map(|(x, _)| x).sum();
    let run = "run above.tacit --local --security malicious --network 10mbit --table alice=x.csv --table bob=y.csv";
    for (threads, several) in [("", true), ("--threads 1", false)] {
        let text = ok(dir, &format!("{run} {threads} --json"));
        let report: serde_json::Value = serde_json::from_str(&text).expect("JSON");
        for party in report["parties"].as_array().expect("parties") {
            assert_eq!(party["results"]["sum"], want);
            let assignments = party["report"]["assignments"].as_array().expect("assignments").len();
            assert_eq!(assignments > 1, several, "{threads}");
            assert_eq!(party["auto"]["candidates"][0]["assignments"], assignments);
        }
    }
    let told = ok(dir, run);
    assert!(told.contains("assignments"), "{told}");
}

#[test]
fn garbled_tables_open_to_all_or_to_one() {
    let folder = stay();
    let dir = folder.path();
    let want = mean(dir);
    for opening in ["all", "collector", "single"] {
        let run =
            format!("run stay.tacit --local --protocol bmr-shamir:3 --opening {opening} {TABLES}");
        let report: serde_json::Value =
            serde_json::from_str(&ok(dir, &format!("{run} --json"))).expect("JSON");
        for party in report["parties"].as_array().expect("parties") {
            let got = printed_mean(&party["results"]);
            assert!((got - want).abs() <= 1.0 / 256.0, "{opening}: {got} for {want}");
        }
    }
    let how = "--protocol bmr:3 --label-function aes256";
    let text = ok(dir, &format!("run stay.tacit --local {how} {TABLES} --json"));
    let report: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    let got = printed_mean(&report["parties"][0]["results"]);
    assert!((got - want).abs() <= 1.0 / 256.0, "{got} for {want}");
    let wrong =
        format!("run stay.tacit --local --protocol gmw:3 --label-function dk-tmmo {TABLES}");
    let (code, text) = fails(dir, &wrong);
    assert!(code == 2 && text.contains("not supported"), "{code}: {text}");
    let wrong = format!("run stay.tacit --local --protocol gmw:3 --opening single {TABLES}");
    let (code, text) = fails(dir, &wrong);
    assert!(code == 2 && text.contains("opens no garbled tables"), "{code}: {text}");
}

#[test]
fn programs_are_garbled_circuit_by_circuit() {
    let folder = stay();
    let dir = folder.path();
    let want = mean(dir);
    for protocol in ["bmr:3", "bmr-shamir:3", "authenticated:3"] {
        let how = "--garbling streamed --block-ands 2000 --threads 2";
        let run = format!("run stay.tacit --local --protocol {protocol} {how} {TABLES} --json");
        let report: serde_json::Value = serde_json::from_str(&ok(dir, &run)).expect("JSON");
        for party in report["parties"].as_array().expect("parties") {
            let got = printed_mean(&party["results"]);
            assert!((got - want).abs() <= 1.0 / 256.0, "{protocol}: {got} for {want}");
            for link in party["report"]["links"].as_array().expect("links") {
                assert_eq!(link["bytes"], link["predicted_bytes"], "{protocol} {link}");
            }
        }
    }
    let wrong = format!("run stay.tacit --local --protocol wrk17:3 --garbling streamed {TABLES}");
    let (code, text) = fails(dir, &wrong);
    assert!(code == 2 && text.contains("not supported"), "{code}: {text}");
}

#[test]
fn results_are_written_and_evaluation_in_the_clear_agrees() {
    let folder = stay();
    let dir = folder.path();
    ok(dir, &format!("run stay.tacit --protocol trio --local {TABLES} --result alice=mean.json"));
    let written = std::fs::read_to_string(dir.join("mean.json")).expect("reads");
    assert!(written.contains("mean stay"), "{written}");
    let clear = ok(dir, &format!("program eval stay.tacit {TABLES}"));
    assert!(clear.contains("mean stay"), "{clear}");
    assert!(!clear.contains("warning"), "{clear}");
}

/// The demonstration's program, on its data: the answer in the clear, under protocols of three and four
/// parties, and of any number.
#[test]
fn the_pay_gap_is_what_it_is_in_the_clear() {
    let folder = tempfile::tempdir().expect("temporary folder");
    let dir = folder.path();
    let data = Path::new(env!("CARGO_BIN_EXE_tacit")).with_file_name("examples/pay-gap-data");
    let made = std::process::Command::new(data).arg(dir).status().expect("it runs");
    assert!(made.success());
    std::fs::copy(example("pay-gap/pay-gap.tacit"), dir.join("pay-gap.tacit")).expect("copies");
    let clear = ok(dir, &format!("program eval pay-gap.tacit {TABLES} --json"));
    let clear: serde_json::Value = serde_json::from_str(&clear).expect("JSON");
    for protocol in ["trio", "lift", "quad", "quad-het", "fantastic-four"] {
        let run = format!("run pay-gap.tacit --local --protocol {protocol} {TABLES} --json");
        let report: serde_json::Value = serde_json::from_str(&ok(dir, &run)).expect("JSON");
        for party in report["parties"].as_array().expect("parties").iter().take(3) {
            near(&party["results"], &clear["results"], protocol);
        }
    }
}

/// `make demo`, but for compiling.
#[test]
fn the_demonstration_ends_well() {
    let built = Path::new(env!("CARGO_BIN_EXE_tacit")).parent().expect("a folder");
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scripts/demo.sh");
    let ran = std::process::Command::new(script).env("BUILT", built).output().expect("it runs");
    let [out, error] = [ran.stdout, ran.stderr].map(|it| String::from_utf8_lossy(&it).into_owned());
    assert!(ran.status.success(), "{out}{error}");
    assert!(out.contains("== The answer in the clear") && out.contains("mean pay"), "{out}");
}

/// The printed table of the demonstration can be read: it has the names of levels and groups.
#[test]
fn the_pay_gap_is_printed_with_its_labels() {
    let folder = tempfile::tempdir().expect("temporary folder");
    let dir = folder.path();
    let rows = |group: &str| format!("lead,{group},100\n").repeat(10);
    for name in ["alice", "bob", "carol"] {
        let text = format!("level,group,salary\n{}{}", rows("women"), rows("men"));
        std::fs::write(dir.join(format!("{name}.csv")), text).expect("writes");
    }
    std::fs::copy(example("pay-gap/pay-gap.tacit"), dir.join("pay-gap.tacit")).expect("copies");
    let printed = ok(dir, &format!("run pay-gap.tacit --protocol trio --local {TABLES}"));
    let rows: Vec<Vec<&str>> =
        printed.lines().map(|line| line.split_whitespace().collect()).collect();
    assert!(rows.contains(&vec!["lead", "women", "30", "100.0", "0.0"]), "{printed}");
    assert!(rows.contains(&vec!["lead", "0.0"]), "{printed}");
    let json = ok(dir, &format!("program eval pay-gap.tacit {TABLES} --json"));
    let json: serde_json::Value = serde_json::from_str(&json).expect("JSON");
    assert_eq!(json["results"]["people"]["lead"]["men"], 30);
    std::fs::write(dir.join("alice.csv"), "level,group,salary\nboss,men,100\n").expect("writes");
    let (code, error) = fails(dir, &format!("run pay-gap.tacit --protocol trio --local {TABLES}"));
    assert_eq!(code, 2);
    assert!(
        error.contains("line 2, row 1, column \"level\"") && !error.contains("boss"),
        "{error}"
    );
}

/// Dates, a median, the number of rows, and one schema for both parties' tables.
#[test]
fn one_schema_serves_all_parties_and_dates_are_read_and_printed() {
    let folder = tempfile::tempdir().expect("temporary folder");
    let dir = folder.path();
    let program = "program visits\nparties alice, bob\nrows a <= 50\nrows b <= 50\n\
        input \"alice.day\" as x: date[a] from alice in date(\"2020-01-01\")..date(\"2024-12-31\")\n\
        input \"bob.day\" as y: date[b] from bob in date(\"2020-01-01\")..date(\"2024-12-31\")\n\
        input since: date from bob in date(\"2020-01-01\")..date(\"2024-12-31\")\n\
        let day = concat(x, y, axis 0)\n\
        reveal median(day, day >= since) to all of date as \"middle\"\n\
        reveal a + b to all as \"visits\"\n";
    std::fs::write(dir.join("p.tacit"), program).expect("writes");
    std::fs::write(dir.join("a.csv"), "Tag\n2024-02-29\n2020-01-01\n2024-03-01\n").expect("writes");
    std::fs::write(dir.join("b.csv"), "Tag\n2024-02-28\n2024-12-31\n").expect("writes");
    let schema = "[[column]]\ninput = \"day\"\nname = \"Tag\"\n";
    std::fs::write(dir.join("s.toml"), schema).expect("writes");
    let given = "--table alice=a.csv --table bob=b.csv --value since=2021-01-01";
    let run = format!("run p.tacit --local --protocol gmw:2 {given}");
    let text = ok(dir, &format!("{run} --schema s.toml --json"));
    let report: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    for party in report["parties"].as_array().expect("parties") {
        assert_eq!(party["results"]["middle"], "2024-02-29");
        assert_eq!(party["results"]["visits"], 5);
    }
    let clear = ok(dir, &format!("program eval p.tacit {given} --column day=Tag"));
    assert!(clear.contains("2024-02-29"), "{clear}");
    let (code, error) = fails(dir, &format!("{run} --column dya=Tag"));
    assert_eq!((code, error.contains("did you mean `day`?")), (2, true), "{error}");
    let (code, error) = fails(dir, &format!("{run} --schema s.toml --schema s.toml"));
    assert_eq!((code, error.contains("--schema is given twice")), (2, true), "{error}");
    std::fs::write(dir.join("p.tacit"), program.split("reveal").next().expect("it"))
        .expect("writes");
    let (code, error) = fails(dir, &run);
    assert_eq!((code, error.contains("reveals nothing")), (2, true), "{error}");
}

/// Fixed point may be off by little.
fn near(got: &serde_json::Value, want: &serde_json::Value, what: &str) {
    use serde_json::Value::{Array, Number, Object};
    match (got, want) {
        (Number(a), Number(b)) => {
            let (a, b) = (a.as_f64().expect("a number"), b.as_f64().expect("a number"));
            assert!((a - b).abs() <= 0.02 + 1e-4 * b.abs(), "{what}: {a} for {b}");
        }
        (Array(a), Array(b)) => {
            assert_eq!(a.len(), b.len(), "{what}");
            a.iter().zip(b).for_each(|(a, b)| near(a, b, what));
        }
        (Object(a), Object(b)) => {
            assert!(!b.is_empty() && a.keys().eq(b.keys()), "{what}: {got} for {want}");
            b.iter().for_each(|(key, b)| near(&a[key], b, what));
        }
        _ => assert_eq!(got, want, "{what}"),
    }
}

/// A sum over a table whose length stays private, plus a number.
const PADDED: &str = "program padded
parties alice, bob, carol
rows n <= 50
input \"alice.x\" as x: u16[n] from alice in 10..1000
input real: bit[n] from alice
input y: u16 from bob in 0..100
reveal sum(select(real, x, 0), axis 0) + y to bob, carol as \"total\"
";

#[test]
fn row_counts_stay_private_by_padding_and_numbers_come_from_the_command_line() {
    let folder = tempfile::tempdir().expect("temporary folder");
    let dir = folder.path();
    std::fs::write(dir.join("p.tacit"), PADDED).expect("writes");
    std::fs::write(dir.join("a.csv"), "x\n100\n200\n300\n").expect("writes");
    let run = "run p.tacit --protocol trio --local --table alice=a.csv --value y=7 --json";
    let text = ok(dir, &format!("{run} --pad n=real"));
    let report: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    let party = |p: usize| &report["parties"][p];
    assert_eq!(party(0)["report"]["rows"][0][1], 50, "everybody sees the maximum");
    assert!(party(0)["results"].is_null(), "alice learns nothing");
    for p in [1, 2] {
        assert_eq!(party(p)["results"]["total"], 607);
    }
    for (wrong, part) in [("n=x", "no input `bit[n]`"), ("m=real", "no row count `m`")] {
        let (code, error) = fails(dir, &format!("{run} --pad {wrong}"));
        assert_eq!((code, error.contains(part)), (2, true), "{error}");
    }
    let (code, error) = fails(dir, run);
    assert_eq!((code, error.contains("real")), (2, true), "{error}");
}

/// A hospital with too few rows, or other rows than a party wants, is told before anybody's rows leave.
#[test]
fn row_counts_are_bounded_by_the_program_and_by_each_party() {
    let folder = stay();
    let dir = folder.path();
    std::fs::write(dir.join("few.csv"), "age,days\n70,3\n").expect("writes");
    let few = TABLES.replace("bob=bob.csv", "bob=few.csv");
    let (code, told) = fails(dir, &format!("run stay.tacit --protocol trio --local {few}"));
    assert!(code == 2 && told.contains("`b` has 1 rows") && told.contains("at least 10"), "{told}");
    let (code, told) = fails(dir, &format!("program eval stay.tacit {few}"));
    assert!(code == 2 && told.contains("at least 10"), "{told}");
    configure(dir);
    for (bounds, says) in [
        ("--rows-at-least b=1000", "at least 1000"),
        ("--rows-at-least b=10 --rows-at-most b=11", "from 10 to 11"),
    ] {
        let run = "run stay.tacit --protocol lift --party";
        let children = vec![
            start(dir, &format!("{run} alice.toml --table alice.csv {bounds}")),
            start(dir, &format!("{run} bob.toml --table bob.csv")),
            start(dir, &format!("{run} carol.toml --table carol.csv --rows-at-most c=1_000")),
        ];
        for (code, output, errors) in finish(children, Duration::from_secs(60)) {
            assert_eq!((code, output.as_str()), (Some(3), ""), "{errors}");
            assert!(errors.contains("number of rows `b`") && errors.contains(says), "{errors}");
        }
    }
    ok(
        dir,
        &format!(
            "run stay.tacit --protocol trio --local {TABLES} --rows-at-least b=20 --rows-at-most c=99"
        ),
    );
    for (bounds, says) in [
        ("--rows-at-least d=1", "no row count `d`"),
        ("--rows-at-least b=9 --rows-at-most b=8", "more than"),
        ("--rows-at-most b", "ROWS=NUMBER"),
        ("--instances 4", "--rows-at-most"),
        ("--repeat", "for circuits only"),
    ] {
        let (code, told) =
            fails(dir, &format!("run stay.tacit --protocol trio --local {TABLES} {bounds}"));
        assert!(code == 2 && told.contains(says), "{bounds}: {told}");
    }
}

/// Who leaves out the check of declared ranges is told what that means, and so is who reads the report.
#[test]
fn leaving_out_the_check_of_ranges_is_loud() {
    let folder = tempfile::tempdir().expect("temporary folder");
    let dir = folder.path();
    let program = "program two\nparties alice, bob, carol\ninput x: u8 from alice in 0..100\n\
        input y: u8 from bob in 0..100\nreveal x < y to carol as \"less\"\n";
    std::fs::write(dir.join("two.tacit"), program).expect("writes");
    let run = "run two.tacit --local --transport tcp --value x=1 --value y=2 --protocol";
    let said = |arguments: &str| {
        let runs = finish(vec![start(dir, &format!("{run} {arguments}"))], Duration::from_secs(60));
        let [(code, out, error)] = &runs[..] else { panic!("one run") };
        assert_eq!(*code, Some(0), "{error}");
        [out, error].map(|text| text.contains("--no-range-check"))
    };
    assert_eq!(said("lift --no-range-check"), [true, true]);
    assert_eq!(said("lift"), [false, false]);
    // It changes nothing there, and that is said.
    assert_eq!(said("trio --no-range-check"), [false, true]);
    let json = |arguments: &str| {
        let report = ok(dir, &format!("{run} {arguments} --json"));
        let report: serde_json::Value = serde_json::from_str(&report).expect("JSON");
        report["parties"][0]["report"]["ranges_checked"].clone()
    };
    assert_eq!(json("lift --no-range-check"), false);
    assert_eq!(json("lift"), true);
    assert!(json("trio").is_null());
}

#[test]
fn a_program_is_shown_and_checked() {
    let folder = stay();
    let dir = folder.path();
    let shown = ok(dir, "program show stay.tacit --rows a=10");
    for part in ["alice learns", "mean stay", "from bob", "replicated", "circuits", "a = 10"] {
        assert!(shown.contains(part), "{part} in\n{shown}");
    }
    let canonical = ok(dir, "program check stay.tacit");
    std::fs::write(dir.join("again.tacit"), &canonical).expect("writes");
    assert_eq!(ok(dir, "program check again.tacit"), canonical);
}

#[test]
fn wrong_inputs_say_what_to_do() {
    let folder = stay();
    let dir = folder.path();
    let run =
        |tables: &str| fails(dir, &format!("run stay.tacit --protocol trio --local {tables}"));
    let (code, error) = run("--table alice=alice.csv --table bob=bob.csv");
    assert_eq!(code, 2);
    assert!(error.contains("--table carol=FILE"), "{error}");
    let (code, error) = run(&format!("{TABLES} --table dave=x.csv"));
    assert_eq!((code, error.contains("no party `dave`")), (2, true), "{error}");
    let (_, error) = run(&format!("{TABLES} --schema bbo=x.toml"));
    assert!(error.contains("did you mean `bob`?"), "{error}");
    let (code, error) = run(&format!("{TABLES} --input 0=x.hex"));
    assert_eq!((code, error.contains("--table")), (2, true), "{error}");
    let plain = format!("run stay.tacit --protocol plain --local {TABLES} --by circuits");
    let (code, error) = fails(dir, &plain);
    assert_eq!((code, error.contains("in the clear")), (2, true), "{error}");
    let (code, error) = run(&format!("{TABLES} --by gates"));
    assert_eq!((code, error.contains("circuits")), (2, true), "{error}");
    let (code, error) = run(&format!("{TABLES} --value age=3"));
    assert_eq!((code, error.contains("inputs are")), (2, true), "{error}");
    let (code, error) = run(&format!("{TABLES} --result alice=nowhere/o.json"));
    assert_eq!((code, error.contains("no folder nowhere")), (2, true), "{error}");
    std::fs::write(dir.join("alice.csv"), "age,days\n70,3\n150,4\n").expect("writes");
    let (code, error) = run(TABLES);
    assert_eq!(code, 2);
    assert!(error.contains("alice.csv") && error.contains("row 2"), "{error}");
    assert!(!error.contains("150"), "no cell is shown: {error}");
    std::fs::write(dir.join("alice.csv"), "age,stay\n70,3\n").expect("writes");
    let (code, error) = run(TABLES);
    assert_eq!((code, error.contains("--column alice.days=COLUMN")), (2, true), "{error}");
    std::fs::write(dir.join("stay.tacit"), "program p\nparties a\nlet x = y\n").expect("writes");
    let (code, error) = run(TABLES);
    assert_eq!(code, 2);
    assert!(error.contains("stay.tacit:3:9"), "{error}");
}

#[test]
fn flags_for_circuits_are_refused_for_programs_and_the_other_way_round() {
    let folder = stay();
    let dir = folder.path();
    ok(dir, "circuit build compare --width 8 --output compare.txt");
    let refused = |run: &str, flag: &str, part: &str| {
        let (code, error) = fails(dir, &format!("{run} {flag}"));
        assert!(code == 2 && error.contains(part), "{run} {flag}: {error}");
    };
    let lab = "lab stay.tacit --network lan --network-only --protocol replicated --rows a=30";
    refused(lab, "--reveal 0", "who learns what");
    refused(lab, "--instances 5", "--rows ROWS=NUMBER");
    refused(lab, "--from old", "for circuits only");
    refused(lab, "--roles dave,alice,bob", "choose from alice, bob, carol");
    refused("lab compare.txt", "--rows a=3", "--instances");
    refused("lab compare.txt", "--by circuits", "for programs");
    refused("lab compare.txt", "--reveal 7", "choose from");
    let roles = ok(dir, &format!("{lab} --roles carol,alice,bob --json"));
    let roles: serde_json::Value = serde_json::from_str(&roles).expect("JSON");
    assert_eq!(roles["runs"][0]["roles"], serde_json::json!([2, 0, 1]));
    refused(lab, "--threads 0", "--threads");
    let trio = lab.replace("replicated", "trio");
    let two = ok(dir, &format!("{trio} --preprocessing separate --json"));
    let two: serde_json::Value = serde_json::from_str(&two).expect("JSON");
    assert!(two["runs"][0]["offline_seconds"].as_f64() > Some(0.0), "{two}");
    let bytes = |threads: &str| {
        let lab = ok(dir, &format!("{lab} --roles carol,alice,bob --json --threads {threads}"));
        let lab: serde_json::Value = serde_json::from_str(&lab).expect("JSON");
        lab["runs"][0]["total_bytes"].clone()
    };
    assert_eq!(bytes("3"), roles["runs"][0]["total_bytes"], "no thread sends more");
    let run = format!("run stay.tacit --protocol trio --local {TABLES}");
    for flag in ["--bits bytes", "--window 9", "--form symmetric"] {
        refused(&run, flag, "for circuits");
    }
    refused(&run, "--balance a=1,het=1", "for circuits");
    refused(lab, "--balance auto", "for circuits");
    let others = ["--table alice=alice.csv", "--value x=1", "--chunk-rows 9", "--by rings"];
    for flag in others.into_iter().chain(["--result-format csv"]) {
        refused("run compare.txt --protocol trio --local", flag, "for programs");
    }
}

#[test]
fn parties_on_their_own_agree_or_say_what_differs() {
    let folder = stay();
    let dir = folder.path();
    configure(dir);
    let run = |name: &str, program: &str| {
        start(
            dir,
            &format!(
                "run {program} --protocol trio --party {name}.toml --table {name}.csv --timeout 10"
            ),
        )
    };
    let children = ["alice", "bob", "carol"].map(|name| run(name, "stay.tacit"));
    for (code, printed, error) in finish(children.into(), Duration::from_secs(60)) {
        assert_eq!(code, Some(0), "{error}");
        assert!(printed.contains("mean stay"), "{printed}");
    }
    let other = std::fs::read_to_string(dir.join("stay.tacit")).expect("reads");
    std::fs::write(dir.join("other.tacit"), other.replace("age >= 65", "age >= 64")).expect("ok");
    let programs = [("alice", "stay.tacit"), ("bob", "other.tacit"), ("carol", "stay.tacit")];
    let children = programs.map(|(name, program)| run(name, program));
    let ends = finish(children.into(), Duration::from_secs(60));
    for (code, printed, error) in &ends {
        assert_eq!(*code, Some(3), "{error}");
        assert!(error.contains("about program") && printed.is_empty(), "{error}");
    }
    let hint = "`tacit program check FILE`";
    assert!(ends.iter().any(|(_, _, error)| error.contains(hint)), "{ends:?}");
    // Some party sees both lines, before the others have left.
    let has = |error: &str, sign: char, age: &str| {
        error.lines().any(|line| line.starts_with(sign) && line.contains(age))
    };
    let differs = |error: &str, here, there| has(error, '-', here) && has(error, '+', there);
    let seen = |error: &str| differs(error, "65", "64") || differs(error, "64", "65");
    assert!(ends.iter().any(|(_, _, error)| seen(error)), "{ends:?}");
    let ways = [("alice", "rings"), ("bob", "circuits"), ("carol", "rings")];
    let children = ways.map(|(name, by)| run(name, &format!("stay.tacit --by {by}")));
    for (code, printed, error) in &finish(children.into(), Duration::from_secs(60)) {
        assert_eq!(*code, Some(3), "{error}");
        assert!(error.contains("numbers by") && printed.is_empty(), "{error}");
    }
}

#[test]
fn a_killed_party_ends_the_others_without_results() {
    let folder = stay();
    let dir = folder.path();
    configure(dir);
    std::fs::copy(example("bench/compare.tacit"), dir.join("long.tacit")).expect("copies");
    let numbers: String = (0..200_000).map(|i| format!("{i}\n")).collect();
    std::fs::write(dir.join("alice.csv"), format!("x\n{numbers}")).expect("writes");
    std::fs::write(dir.join("bob.csv"), format!("y\n{numbers}")).expect("writes");
    let shape = "--network global --timeout 5 --connect-timeout 20";
    let mut children = vec![
        start(
            dir,
            &format!("run long.tacit --protocol trio --party alice.toml --table alice.csv {shape}"),
        ),
        start(
            dir,
            &format!("run long.tacit --protocol trio --party bob.toml --table bob.csv {shape}"),
        ),
        start(dir, &format!("run long.tacit --protocol trio --party carol.toml {shape}")),
    ];
    std::thread::sleep(Duration::from_secs(3));
    let mut killed = children.remove(1);
    killed.kill().expect("kills");
    killed.wait().expect("ends");
    for (code, printed, error) in finish(children, Duration::from_secs(30)) {
        assert_eq!(code, Some(4), "{error}");
        assert!(printed.is_empty() && error.contains("bob"), "{error}");
    }
}

const OUTSIDE: &str = "program outside\nparties alice, bob, carol, dave, erin\nrows n <= 100\n\
    input x: u16[n] from dave in 0..1000\ninput y: u16[n] from erin in 0..1000\n\
    reveal x @ y to dave as \"product\"\nreveal max(x @ y, 7) to bob as \"more\"\n";

/// Two of five parties give tables, one of them learns, and neither computes.
#[test]
fn parties_that_do_not_compute_give_tables_and_learn() {
    let folder = tempfile::tempdir().expect("temporary folder");
    let dir = folder.path();
    std::fs::write(dir.join("outside.tacit"), OUTSIDE).expect("writes");
    std::fs::write(dir.join("dave.csv"), "x\n3\n500\n").expect("writes");
    std::fs::write(dir.join("erin.csv"), "y\n7\n11\n").expect("writes");
    let tables = "--table dave=dave.csv --table erin=erin.csv";
    for how in ["trio", "lift --roles bob,carol,alice", "quad-het", "gmw:3", "trio --by circuits"] {
        let text = ok(dir, &format!("run outside.tacit --local --protocol {how} {tables} --json"));
        let report: serde_json::Value = serde_json::from_str(&text).expect("JSON");
        let parties = report["parties"].as_array().expect("parties");
        let learned = |party: &serde_json::Value| party["results"].clone();
        let named = |name| parties.iter().find(|party| party["name"] == name).expect("a party");
        assert_eq!(learned(named("dave"))["product"], 5521, "{how}: {text}");
        assert_eq!(learned(named("bob"))["more"], 5521, "{how}: {text}");
        assert!(learned(named("erin")).is_null(), "{how}: {text}");
    }
    let (code, text) = fails(dir, &format!("run outside.tacit --local --protocol bmr:3 {tables}"));
    assert!(code == 2 && text.contains("5 parties"), "{code}: {text}");

    let (code, text) = fails(dir, "lab outside.tacit --protocol trio");
    assert!(code == 2 && text.contains("5 parties"), "{code}: {text}");
    let bench = ok(dir, "program bench outside.tacit --rows n=9 --runs 1 --protocol lift --json");
    let report: serde_json::Value = serde_json::from_str(&bench).expect("JSON");
    assert_eq!((&report["parties"], &report["protocol"]), (&5.into(), &"lift".into()), "{bench}");

    common::configure_parties(dir, &["alice", "bob", "carol", "dave", "erin"]);
    let party = |name: &str, table: &str| {
        start(dir, &format!("run outside.tacit --protocol lift --party {name}.toml {table} --json"))
    };
    let children = vec![
        party("alice", ""),
        party("bob", ""),
        party("carol", ""),
        party("dave", "--table dave.csv"),
        party("erin", "--table erin.csv"),
    ];
    let ended = finish(children, Duration::from_secs(60));
    for (code, out, err) in &ended {
        assert_eq!(*code, Some(0), "{out}{err}");
    }
    assert!(ended[3].1.contains("5521"), "{}", ended[3].1);
}

/// Most memory that a party of `group-by` takes with so many rows, in bytes.
fn peak_memory(rows: u64) -> u64 {
    let program = example("bench/group-by.tacit");
    let folder = tempfile::tempdir().expect("temporary folder");
    let bench = format!("program bench {} --rows n={rows} --runs 1 --json", program.display());
    let text = ok(folder.path(), &bench);
    let result: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    result["peak_rss_bytes"].as_u64().unwrap_or_else(|| panic!("{result}"))
}

/// Of a row a party keeps its own columns and a mask's bit, no more.
#[test]
fn rows_stream_through() {
    const MORE: u64 = 1_000_000;
    let (few, many) = (peak_memory(300_000), peak_memory(300_000 + MORE));
    let each = many.saturating_sub(few) / MORE;
    assert!(each < 40, "{each} bytes a row: {few} and {many}");
}

#[test]
#[ignore = "a minute, optimised"]
fn ten_million_rows_in_two_gigabytes() {
    let peak = peak_memory(10_000_000);
    assert!(peak < 2_000_000_000, "{peak} bytes");
}
