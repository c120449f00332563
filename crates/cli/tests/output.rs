//! What commands print where: data on standard output, all else on standard error; names that nobody knows; flags
//! that mean the same everywhere; logs.

#[path = "common/commands.rs"]
mod commands;
#[path = "common/ports.rs"]
mod ports;

use commands::{command, fails, ok};
use ports::free_address;
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;
use tacit_engine::protocols;

/// Two give inputs; carol is nobody's name here.
const PROGRAM: &str = "program larger\nparties alice, bob\nrows n <= 1000\n\
    input x: u16[n] from alice\ninput y: u16[n] from bob\n\
    reveal select(x < y, y, x) to alice as \"larger\"\n";
const TABLES: &str = "--table alice=x.csv --table bob=y.csv";

/// A folder with a program, a circuit and their inputs.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("temporary folder");
    let dir = folder.path();
    let write = |name: &str, text: &str| std::fs::write(dir.join(name), text).expect("writes");
    write("larger.tacit", PROGRAM);
    write("x.csv", "x\n31415\n2\n");
    write("y.csv", "y\n100\n27182\n");
    write("a.dec", "31415\n2\n");
    write("b.dec", "100\n27182\n");
    ok(dir, "circuit build compare --width 16 --output compare.txt");
    folder
}

/// Standard output and standard error of a run that must succeed.
fn both(dir: &Path, arguments: &str) -> (String, String) {
    let run = command(dir, arguments).output().expect("the program starts");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let (output, errors) = (text(&run.stdout), text(&run.stderr));
    assert!(run.status.success(), "tacit {arguments}: {errors}");
    (output, errors)
}

#[test]
fn results_alone_go_to_standard_output_where_that_is_asked_for() {
    let folder = folder();
    let dir = folder.path();
    let run = format!("run larger.tacit --protocol trio --local {TABLES}");
    let (output, errors) = both(dir, &format!("{run} --result alice=-"));
    assert_eq!(output, "larger\n31415\n27182\n");
    assert!(
        errors.contains("trio by rings with roles") && errors.contains("sent in all"),
        "{errors}"
    );
    let (output, _) = both(dir, &format!("{run} --result alice=- --result-format json"));
    let larger: Value = serde_json::from_str(&output).expect("JSON and nothing else");
    assert_eq!(larger["larger"], serde_json::json!([31415, 27182]));
    // Under --json it is one object, whatever else is asked for.
    let (output, errors) = both(dir, &format!("{run} --result alice=- --json -v"));
    let report: Value = serde_json::from_str(&output).expect("JSON and nothing else");
    assert_eq!(report["parties"][0]["results"]["larger"][0], 31415);
    assert!(report["trust"].as_str().expect("a sentence").starts_with("trio is semi-honest"));
    let notice = errors.lines().find(|line| line.starts_with('{')).expect("a notice");
    let notice: Value = serde_json::from_str(notice).expect("JSON");
    assert!(notice["remark"].as_str().expect("text").starts_with("trusted: trio"), "{notice}");
    for (twice, hint) in [
        ("--result alice=- --result bob=-", "give `-` once"),
        ("--result-format parquet", "Parquet is for files"),
    ] {
        let (code, error) = fails(dir, &format!("{run} {twice}"));
        assert!(code == 2 && error.contains(hint), "{code} {error}");
    }
}

#[test]
fn circuits_give_json_values() {
    let folder = folder();
    let dir = folder.path();
    let inputs = "--input 0=a.dec --input 1=b.dec --format decimal";
    let run = format!("run compare.txt --protocol gmw --local {inputs} --json");
    let (output, _) = both(dir, &run);
    let report: Value = serde_json::from_str(&output).expect("JSON and nothing else");
    let eval = ok(dir, &format!("circuit eval compare.txt {inputs} --json"));
    let eval: Value = serde_json::from_str(&eval).expect("JSON");
    assert_eq!(report["parties"][1]["outputs"], eval["outputs"]);
    assert_eq!(report["parties"][1]["name"], "party1");
    // Digits in quotes: a port may have more bits than numbers of JSON hold everywhere.
    assert_eq!(eval["outputs"][0]["values"], serde_json::json!(["1", "0"]), "{eval}");
}

#[test]
fn what_is_trusted_is_said_before_a_run() {
    let folder = folder();
    let dir = folder.path();
    let (_, errors) = both(dir, &format!("run larger.tacit --protocol trio --local {TABLES}"));
    assert!(errors.starts_with("tacit: trusted:"), "{errors}");
    for said in [
        "trusted: trio is semi-honest, one of three: anyone who deviates can make results wrong",
        "party2: is a party that --local added, as trio has 3 and 2 give inputs",
    ] {
        assert!(errors.contains(said), "{errors}");
    }
    let inputs = "--input 0=a.dec --input 1=b.dec";
    let (_, errors) = both(dir, &format!("run compare.txt --protocol lift --local {inputs}"));
    assert!(errors.contains("lift is malicious with abort, one of three"), "{errors}");
    assert!(errors.contains("party2: is a party that --local added"), "{errors}");
    let (_, errors) = both(dir, &format!("run compare.txt --protocol gmw --local {inputs}"));
    assert!(errors.contains("semi-honest, one of two") && !errors.contains("added"), "{errors}");
    for page in ["--help", "-h"] {
        assert!(ok(dir, page).contains("Nobody has audited it"));
    }
}

#[test]
fn names_that_nobody_knows_are_answered_with_those_that_were_meant() {
    let folder = folder();
    let dir = folder.path();
    let run = format!("run larger.tacit --protocol trio {TABLES} --local");
    let inputs = "--input 0=a.dec --input 1=b.dec";
    let circuit = format!("run compare.txt --protocol trio {inputs} --local");
    for (arguments, hint) in [
        (run.replace("trio", "tro"), "did you mean `trio`?"),
        (run.replace("trio", "gmw:100"), "write gmw:N with N from 2 to 64"),
        ("lab compare.txt --protocol trio,lit".into(), "did you mean `lift`?"),
        (format!("{run} --network globel"), "did you mean `global`?"),
        ("plan compare.txt --network contnental".into(), "did you mean `continental`?"),
        (format!("{run} --result alicia=out.csv"), "did you mean `alice`?"),
        (format!("{run} --value z=1"), "the program's inputs are x, y"),
        (format!("{run} --pad m=x"), "the program has n"),
        ("lab larger.tacit --rows m=3".into(), "the program's row counts are n"),
        (format!("{circuit} --reveal part2"), "did you mean `party2`?"),
        (format!("{circuit} --owner 2=0"), "no input port 2"),
        (format!("{circuit} --bits in2=bytes"), "its input ports are in0 to in1"),
        ("circuit build compre --output x.txt".into(), "'compare'"),
        ("bench compre".into(), "'compare'"),
        (format!("{run} --transport tlss"), "'tls'"),
    ] {
        let (code, error) = fails(dir, &arguments);
        assert!(code == 2 && error.contains(hint), "{arguments}: {code} {error}");
    }
}

#[test]
fn a_circuit_that_was_cut_off_is_called_that() {
    let folder = folder();
    let dir = folder.path();
    let whole = std::fs::read_to_string(dir.join("compare.txt")).expect("reads");
    let gates = whole.split_whitespace().next().expect("a number of gates");
    for (part, what) in [
        (0.99, format!("of the {gates} gates that its first line promises")),
        (0.6, format!("of the {gates} gates that its first line promises")),
        (0.1, "it may have been cut off".into()),
    ] {
        let end = (whole.len() as f64 * part) as usize;
        for end in end..end + 12 {
            std::fs::write(dir.join("part.txt"), &whole[..end]).expect("writes");
            let (code, error) = fails(dir, "circuit info part.txt");
            assert!(code == 2 && error.contains(&what), "{end}: {error}");
            assert!(error.contains("cut off") && error.contains("part.txt"), "{error}");
        }
    }
    ok(dir, "circuit convert compare.txt --output compare.tbc");
    let whole = std::fs::read(dir.join("compare.tbc")).expect("reads");
    std::fs::write(dir.join("part.tbc"), &whole[..whole.len() - 3]).expect("writes");
    let (_, error) = fails(dir, "circuit info part.tbc");
    assert!(error.contains("it may have been cut off"), "{error}");
}

/// The long flags of a command, with their help.
fn flags(dir: &Path, command: &str) -> BTreeMap<String, String> {
    let help = ok(dir, &format!("help {command}"));
    let mut flags: BTreeMap<String, String> = BTreeMap::new();
    let mut last = None;
    for line in help.lines() {
        let words = line.trim_start();
        let flag = words.split_whitespace().find(|word| word.starts_with("--"));
        let starts = words.starts_with('-');
        match (starts, flag, &last) {
            (true, Some(flag), _) => {
                let name = flag.trim_end_matches(',').to_owned();
                let rest = words.split_once(flag).map_or("", |(_, rest)| rest);
                flags.insert(name.clone(), rest.trim().to_owned());
                last = Some(name);
            }
            (false, _, Some(name)) if !words.is_empty() => {
                let text = flags.entry(name.clone()).or_default();
                *text = format!("{text} {words}");
            }
            _ => {}
        }
    }
    flags
}

#[test]
fn flags_mean_the_same_in_all_commands() {
    let folder = tempfile::tempdir().expect("temporary folder");
    let dir = folder.path();
    let commands = ["run", "prepare", "lab", "bench", "program bench", "plan"];
    let all: Vec<_> = commands.iter().map(|command| (*command, flags(dir, command))).collect();
    let has = |flag: &str| {
        let have = all.iter().filter(|(_, flags)| flags.contains_key(flag));
        have.map(|(command, _)| *command).collect::<Vec<_>>()
    };
    for gone in ["--shape", "--lanes", "--protocols"] {
        assert!(has(gone).is_empty(), "{gone}: {:?}", has(gone));
    }
    for flag in ["--network", "--threads", "--statistical", "--batch"] {
        assert_eq!(has(flag), commands, "{flag}");
    }
    for flag in ["--protocol", "--roles"] {
        assert_eq!(has(flag), &commands[..5], "{flag}");
    }
    assert_eq!(has("--rows"), ["prepare", "lab", "program bench", "plan"]);
    assert_eq!(has("--parties"), ["lab", "bench", "plan"]);
    for flag in ["--network", "--threads"] {
        let without_default = |text: &str| text.split(" [default").next().unwrap_or("").to_owned();
        let mut texts: Vec<String> =
            all.iter().map(|(_, flags)| without_default(&flags[flag])).collect();
        texts.dedup();
        assert_eq!(texts.len(), 1, "{flag}: {texts:?}");
    }
    // Protocols come from the one list of them.
    for (command, flags) in &all[..5] {
        for protocol in protocols::all() {
            assert!(flags["--protocol"].contains(protocol.name()), "{command}: {protocol}");
        }
    }
}

#[test]
fn logs_have_times_and_levels_and_no_inputs() {
    let folder = folder();
    let dir = folder.path();
    let run = format!("run larger.tacit --protocol trio --local {TABLES} --result alice=out.csv");
    let (_, quiet) = both(dir, &run);
    assert!(quiet.lines().all(|line| line.starts_with("tacit: ")), "{quiet}");
    let (_, errors) = both(dir, &format!("{run} -v"));
    let logged = |text: &str, level: &str| {
        let is = |line: &&str| line.contains(&format!(" {level} ")) && line.contains("tacit_");
        text.lines().filter(is).count()
    };
    assert!(logged(&errors, "INFO") >= 6 && logged(&errors, "DEBUG") == 0, "{errors}");
    ok(dir, &format!("{run} --log-file run.log -vvv"));
    let log = std::fs::read_to_string(dir.join("run.log")).expect("a log");
    assert!(logged(&log, "DEBUG") > 0, "{log}");
    for (number, line) in log.lines().enumerate() {
        let stamp = line.split_whitespace().next().expect("a time");
        assert!(stamp.len() == 27 && stamp.ends_with('Z') && &stamp[10..11] == "T", "{line}");
        assert!(line.contains("party "), "{number}: {line}");
    }
    for party in 0..3 {
        assert!(log.contains(&format!("party {party}: ")), "{log}");
    }
    for secret in ["31415", "27182"] {
        assert!(!log.contains(secret) && !errors.contains(secret), "{secret}");
    }
    let (code, error) = fails(dir, &format!("{run} --log-file no/such/folder/run.log"));
    assert!(code == 2 && error.contains("no/such/folder"), "{error}");
}

/// What a command shows on a terminal of 120 columns while it runs.
fn on_a_terminal(dir: &Path, arguments: &str) -> String {
    use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
    let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).expect("a terminal");
    grantpt(&master).expect("grants");
    unlockpt(&master).expect("unlocks");
    let size = rustix::termios::Winsize { ws_row: 40, ws_col: 120, ws_xpixel: 0, ws_ypixel: 0 };
    let name = ptsname(&master, Vec::new()).expect("a name").into_string().expect("text");
    let slave = std::fs::OpenOptions::new().read(true).write(true).open(name).expect("opens");
    rustix::termios::tcsetwinsize(&slave, size).expect("has a size");
    let mut command = command(dir, arguments);
    command.env("TERM", "xterm").stdout(std::process::Stdio::null()).stderr(slave);
    let mut child = command.spawn().expect("the program starts");
    drop(command);
    let mut shown = Vec::new();
    // A terminal that nobody has open any more ends with an error.
    let _ = std::io::Read::read_to_end(&mut std::fs::File::from(master), &mut shown);
    child.wait().expect("ends");
    String::from_utf8_lossy(&shown).into_owned()
}

#[test]
fn benchmarks_show_what_they_measure() {
    let folder = folder();
    let dir = folder.path();
    let shown = on_a_terminal(dir, "bench and --protocol trio --instances 4096 --seconds 1");
    assert!(shown.contains("measuring trio"), "{shown}");
    let shown = on_a_terminal(dir, "program bench larger.tacit --rows n=1000 --runs 2");
    assert!(shown.contains("2 runs of larger under trio"), "{shown}");
    let triples = ok(dir, "bench triples --seconds 0.1 --instances 1000 --json");
    assert!(triples.contains("authenticated:3"), "{triples}");
}

#[test]
fn progress_moves_while_nothing_is_counted() {
    let folder = folder();
    let dir = folder.path();
    let parties = ["alice", "bob", "carol"].map(|name| format!("{name}={}", free_address()));
    ok(dir, &format!("network init --parties {}", parties.join(",")));
    // Bob and Carol do not come.
    let run =
        "run larger.tacit --protocol trio --party alice.toml --table x.csv --connect-timeout 2";
    let shown = on_a_terminal(dir, run);
    let seconds = |text: &str| shown.matches(text).count();
    assert!(shown.contains("meeting the other parties"), "{shown}");
    // At least once a second, and with the time that has gone by.
    assert!(
        seconds("00:00") + seconds("0s") > 0 && seconds("00:01") + seconds("1s") > 0,
        "{shown}"
    );
    assert!(seconds("meeting the other parties") >= 4, "{shown}");
}
