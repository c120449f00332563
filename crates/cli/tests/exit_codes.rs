//! Every exit code of the table in `--help`, by real processes over TLS; and that everybody hears why a run
//! ends, whoever is the cause.

mod common;

use common::{command, configure, fails, finish, ok, start};
use std::collections::BTreeMap;
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use tacit_circuit::formats::{ReadOptions, read_file};
use tacit_engine::circuit::{self as engine, Compiled, Consent, Job};
use tacit_engine::values::Lanes;
use tacit_net::config::PartyConfig;
use tacit_net::testing::{Tamper, Verdict};
use tacit_net::{PartyId, Phase, SessionId, Stream};

/// More than anything here takes on a busy machine, and less than any deadline that would end a wait.
const SOON: Duration = Duration::from_secs(25);

type End = (Option<i32>, String, String);

/// A folder with the example of the README, and its three parties.
fn stay() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("temporary folder");
    let example = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/stay");
    for file in ["stay.tacit", "alice.csv", "bob.csv", "carol.csv"] {
        std::fs::copy(example.join(file), folder.path().join(file)).expect("copies");
    }
    configure(folder.path());
    folder
}

fn party(name: &str) -> String {
    format!("run stay.tacit --protocol trio --party {name}.toml --table {name}.csv")
}

/// Runs all three, of which alice does something else than usual, and comes first or last.
fn with_alice(dir: &Path, alice: &str, first: bool) -> [End; 3] {
    let mut ends = Vec::new();
    let mut children: Vec<Child> = Vec::new();
    let late = Duration::from_millis(300);
    let others = |children: &mut Vec<Child>| {
        children.extend(["bob", "carol"].map(|name| start(dir, &party(name))));
    };
    if first {
        children.push(start(dir, alice));
        std::thread::sleep(late);
        others(&mut children);
    } else {
        others(&mut children);
        std::thread::sleep(late);
        children.insert(0, start(dir, alice));
    }
    ends.extend(finish(children, SOON));
    ends.try_into().unwrap_or_else(|_| panic!("three ends"))
}

/// Alice ends with `code` and a sentence with `says`; the others are told, and hear nothing that is hers.
fn everybody_hears(ends: &[End; 3], code: i32, says: &str) {
    let [(own, printed, error), others @ ..] = ends;
    assert_eq!((*own, printed.as_str()), (Some(code), ""), "{error}");
    assert!(error.contains(says), "{error}");
    for (code, printed, error) in others {
        assert_eq!((*code, printed.as_str()), (Some(6), ""), "{error}");
        assert!(error.contains("alice") && error.contains("nothing is wrong here"), "{error}");
        assert!(!error.contains("alice.csv") && !error.contains("nowhere"), "{error}");
    }
}

#[test]
fn a_party_whose_input_is_wrong_ends_at_once_and_the_others_hear_of_it() {
    for (first, cell, says) in [(true, "70,x", "row 2"), (false, "150,4", "row 2")] {
        let folder = stay();
        let dir = folder.path();
        std::fs::write(dir.join("alice.csv"), format!("age,days\n70,3\n{cell}\n")).expect("writes");
        everybody_hears(&with_alice(dir, &party("alice"), first), 2, says);
    }
}

#[test]
fn a_table_with_fewer_rows_than_the_program_asks_for_is_its_owners_error() {
    let folder = stay();
    let dir = folder.path();
    std::fs::write(dir.join("alice.csv"), "age,days\n70,3\n").expect("writes");
    for first in [true, false] {
        let ends = with_alice(dir, &party("alice"), first);
        everybody_hears(&ends, 2, "`a` has 1 rows, the program asks for at least 10");
    }
}

#[test]
fn a_missing_table_program_folder_or_flag_is_told_too() {
    let folder = stay();
    let dir = folder.path();
    let table = party("alice").replace("alice.csv", "nowhere.csv");
    everybody_hears(&with_alice(dir, &table, true), 2, "nowhere.csv");
    let result = format!("{} --result nowhere/mean.json", party("alice"));
    everybody_hears(&with_alice(dir, &result, false), 2, "no folder nowhere");
    let program = party("alice").replace("stay.tacit", "nowhere.tacit");
    everybody_hears(&with_alice(dir, &program, true), 2, "nowhere.tacit");
    let device = format!("{} --result /dev/full", party("alice"));
    everybody_hears(&with_alice(dir, &device, false), 2, "not a plain file");
    let flag = format!("{} --bits bytes", party("alice"));
    everybody_hears(&with_alice(dir, &flag, true), 2, "for circuits");
    for (flags, says) in [
        ("--security malicious", "--protocol auto"),
        ("--threads 0", "--threads"),
        ("--session default --no-such-flag", "--no-such-flag"),
        ("--log-file nowhere/log", "nowhere/log"),
    ] {
        let flags = format!("{} {flags}", party("alice"));
        everybody_hears(&with_alice(dir, &flags, false), 2, says);
    }
    // The name of the run may be what is misspelt: nobody is told then, who may be of another one.
    let since = Instant::now();
    let (code, error) = fails(dir, &format!("{} --sesion weekly", party("alice")));
    assert!(code == 2 && !error.contains("telling"), "{error}");
    assert!(since.elapsed() < SOON);
}

/// On a machine with nothing else to do: the others have ended two seconds after the last party was started. Who is the cause may go on
/// telling one that heard it from the third.
#[test]
#[ignore = "times of processes, which other work on the machine makes longer"]
fn the_others_have_ended_within_two_seconds() {
    let folder = stay();
    let dir = folder.path();
    std::fs::write(dir.join("wrong.csv"), "age,days\n70,x\n").expect("writes");
    for alice in [
        party("alice").replace("alice.csv", "wrong.csv"),
        party("alice").replace("alice.csv", "nowhere.csv"),
        party("alice").replace("stay.tacit", "nowhere.tacit"),
        format!("{} --result nowhere/mean.json", party("alice")),
        format!("{} --result /dev/full", party("alice")),
        format!("{} --threads 2", party("alice")),
        format!("{} --session other", party("alice")),
        format!("{} --session default --no-such-flag", party("alice")),
    ] {
        let others = ["bob", "carol"].map(|name| start(dir, &party(name)));
        std::thread::sleep(Duration::from_millis(300));
        let cause = start(dir, &alice);
        let since = Instant::now();
        let ends = finish(others.into(), SOON);
        assert!(since.elapsed() < Duration::from_secs(2), "{alice}: {ends:?}");
        assert!(ends.iter().all(|(code, ..)| *code != Some(0)), "{alice}: {ends:?}");
        finish(vec![cause], SOON);
    }
}

#[test]
fn parties_of_other_sessions_threads_or_options_all_hear_what_differs() {
    let folder = stay();
    let dir = folder.path();
    for (other, says) in [
        ("--session other", "the same --session"),
        ("--threads 2", "the number of workers"),
        ("--by circuits", "numbers by"),
    ] {
        for first in [true, false] {
            let ends = with_alice(dir, &format!("{} {other}", party("alice")), first);
            for (code, printed, error) in ends {
                assert_eq!((code, printed.as_str()), (Some(3), ""), "{other}: {error}");
                let heard = error.contains(says) || error.contains("the session");
                assert!(heard, "{other}: {error}");
            }
        }
    }
}

#[test]
fn a_party_that_nobody_waits_for_says_what_is_wrong_at_once() {
    let folder = stay();
    let dir = folder.path();
    let wrong = party("alice").replace("alice.csv", "nowhere.csv");
    let (code, error) = fails(dir, &format!("{wrong} --connect-timeout 1"));
    assert_eq!(code, 2, "{error}");
    let lines: Vec<&str> = error
        .lines()
        .skip_while(|line| line.contains("trusted:") || line.contains("discloses:"))
        .collect();
    assert!(lines[0].contains("nowhere.csv"), "{error}");
    assert!(lines[1].contains("telling bob, carol") && lines[1].contains("Ctrl-C"), "{error}");
    assert!(lines[2].contains("bob, carol cannot be told"), "{error}");
}

#[test]
fn preparation_and_the_check_of_links_tell_the_others() {
    let folder = stay();
    let dir = folder.path();
    ok(dir, "circuit build compare --width 8 --output compare.txt");
    std::fs::write(dir.join("file"), "no folder").expect("writes");
    let prepare = |name: &str, into: &str| {
        let what = "prepare compare.txt --protocol bmr:3";
        start(dir, &format!("{what} --party {name}.toml --into {into}"))
    };
    let children =
        vec![prepare("alice", "file"), prepare("bob", "store"), prepare("carol", "store")];
    let ends = finish(children, SOON);
    assert_ne!(ends[0].0, Some(0), "{}", ends[0].2);
    for (code, _, error) in &ends[1..] {
        assert_eq!(*code, Some(6), "{error}");
        assert!(error.contains("alice"), "{error}");
    }
}

/// Waits until a party listens: it has read what is its own by then, and waits for others.
fn is_up(dir: &Path, name: &str) {
    let file = PartyConfig::load(&dir.join(format!("{name}.toml"))).expect("loads");
    let since = Instant::now();
    while TcpStream::connect(&file.listen).is_err() {
        assert!(since.elapsed() < SOON, "{name} does not come up");
        std::thread::sleep(Duration::from_millis(20));
    }
}

fn signal(child: &Child, name: &str) {
    let sent = Command::new("kill").arg(format!("-{name}")).arg(child.id().to_string()).status();
    assert!(sent.expect("sends").success());
}

#[test]
fn ctrl_c_while_others_are_missing_is_told_to_those_that_are_there() {
    let folder = stay();
    let dir = folder.path();
    for (name, code) in [("INT", 130), ("TERM", 143)] {
        let alice = start(dir, &party("alice"));
        let bob = start(dir, &party("bob"));
        is_up(dir, "alice");
        is_up(dir, "bob");
        signal(&alice, name);
        let ends = finish(vec![alice, bob], SOON);
        let (own, _, error) = &ends[0];
        assert_eq!(*own, Some(code), "{error}");
        assert!(error.contains(name) && error.contains("before the parties began"), "{error}");
        let (told, _, error) = &ends[1];
        assert_eq!(*told, Some(6), "{error}");
        assert!(error.contains("alice") && error.contains("stopped it"), "{error}");
    }
}

#[test]
fn sigterm_in_the_middle_of_a_run_ends_it_for_everybody() {
    let folder = stay();
    let dir = folder.path();
    let slow = |name: &str| start(dir, &format!("{} --network global --timeout 20", party(name)));
    let alice = slow("alice");
    is_up(dir, "alice");
    let others = [slow("bob"), slow("carol")];
    // The slow network keeps them busy for seconds.
    std::thread::sleep(Duration::from_millis(1000));
    signal(&alice, "TERM");
    let ends = finish(std::iter::once(alice).chain(others).collect(), SOON);
    let (code, printed, error) = &ends[0];
    assert_eq!((*code, printed.as_str()), (Some(143), ""), "{error}");
    assert!(error.contains("stopped by SIGTERM"), "{error}");
    for (code, printed, error) in &ends[1..] {
        assert_eq!((*code, printed.as_str()), (Some(6), ""), "{error}");
        assert!(error.contains("alice") && error.contains("stopped it"), "{error}");
    }
}

#[test]
fn ctrl_c_of_local_parties_leaves_no_process() {
    let folder = stay();
    let dir = folder.path();
    let tables = "--table alice=alice.csv --table bob=bob.csv --table carol=carol.csv";
    let run =
        start(dir, &format!("run stay.tacit --protocol trio --local --network global {tables}"));
    let children = || {
        let file = format!("/proc/{0}/task/{0}/children", run.id());
        let text = std::fs::read_to_string(file).unwrap_or_default();
        text.split_whitespace().map(str::to_owned).collect::<Vec<_>>()
    };
    let since = Instant::now();
    while children().len() < 3 && since.elapsed() < SOON {
        std::thread::sleep(Duration::from_millis(20));
    }
    let started = children();
    assert_eq!(started.len(), 3);
    std::thread::sleep(Duration::from_millis(500));
    signal(&run, "INT");
    let ends = finish(vec![run], SOON);
    let (code, printed, error) = &ends[0];
    assert_eq!((*code, printed.as_str()), (Some(130), ""), "{error}");
    // What is trusted and disclosed is said first.
    assert_eq!(error.lines().count(), 3, "{error}");
    let lives = |id: &String| {
        let state = std::fs::read_to_string(format!("/proc/{id}/stat")).unwrap_or_default();
        state.contains("tacit") && !state.contains(") Z ")
    };
    while started.iter().any(lives) {
        assert!(since.elapsed() < SOON, "a party goes on without its launcher");
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn a_result_whose_folder_is_gone_is_printed_and_the_others_end_well() {
    let folder = stay();
    let dir = folder.path();
    std::fs::create_dir(dir.join("results")).expect("makes");
    let alice = start(dir, &format!("{} --result results/mean.json", party("alice")));
    is_up(dir, "alice");
    std::fs::remove_dir(dir.join("results")).expect("removes");
    let others = ["bob", "carol"].map(|name| start(dir, &party(name)));
    let children = std::iter::once(alice).chain(others).collect();
    result_is_printed(&finish(children, SOON), "results/mean.json");
}

fn result_is_printed(ends: &[End], says: &str) {
    let (code, printed, error) = &ends[0];
    assert_eq!(*code, Some(71), "{error}");
    assert!(printed.contains("mean stay"), "{printed}");
    assert!(error.contains(says) && error.contains("printed instead"), "{error}");
    for (code, printed, error) in &ends[1..] {
        assert_eq!(*code, Some(0), "{error}");
        assert!(printed.contains("mean stay"), "{printed}");
    }
}

/// Through a shell that does `how` with a command, whose words are `"$@"`.
fn through_shell(dir: &Path, how: &str, arguments: &str) -> Child {
    let tacit = command(dir, arguments);
    let mut shell = Command::new("sh");
    shell.args(["-c", how, "sh"]).arg(tacit.get_program()).args(tacit.get_args()).current_dir(dir);
    shell.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("a shell starts")
}

/// Alice runs through a shell.
fn alice_through(dir: &Path, how: &str, rest: &str) -> Vec<End> {
    let alice = through_shell(dir, how, &format!("{} {rest}", party("alice")));
    let mut children = vec![alice];
    children.extend(["bob", "carol"].map(|name| start(dir, &party(name))));
    finish(children, SOON)
}

#[test]
fn a_result_that_no_disk_takes_is_printed() {
    let folder = stay();
    // No file may grow beyond nothing: the temporary one can be made, and not written.
    let how = "trap '' XFSZ; ulimit -f 0; exec \"$@\"";
    let ends = alice_through(folder.path(), how, "--result mean.json");
    result_is_printed(&ends, "mean.json");
    assert!(!folder.path().join("mean.json").exists());
}

#[test]
fn results_that_cannot_be_printed_are_kept() {
    for how in ["\"$@\" >/dev/full; echo code $? >&2", "{ \"$@\"; echo code $? >&2; } | true"] {
        let folder = stay();
        let dir = folder.path();
        let ends = alice_through(dir, how, "");
        let error = &ends[0].2;
        assert!(error.contains("code 71"), "{error}");
        assert!(error.contains("standard output cannot be written"), "{error}");
        let kept = kept(dir);
        let text = std::fs::read_to_string(&kept).expect("reads");
        assert!(text.contains("mean stay"), "{text}");
        let mean = text.split_whitespace().find(|word| word.parse::<f64>().is_ok());
        let mean = mean.expect("a number");
        assert!(!error.contains(mean), "results are in no log: {error}");
        use std::os::unix::fs::PermissionsExt;
        let mode = kept.metadata().expect("is there").permissions().mode();
        assert_eq!(mode & 0o077, 0, "others may read it");
        assert!(ends[1..].iter().all(|end| end.0 == Some(0)), "{ends:?}");
    }
}

fn kept(dir: &Path) -> PathBuf {
    let files = std::fs::read_dir(dir).expect("lists").map(|file| file.expect("a file").path());
    let results = |file: &PathBuf| file.display().to_string().contains("tacit-results-");
    files.into_iter().find(results).expect("results are kept")
}

/// Alice and carol compare numbers under `protocol`; bob is this process, which changes a bit of what he
/// sends online.
fn with_a_cheat(dir: &Path) -> Vec<End> {
    configure(dir);
    ok(dir, "circuit build compare --width 8 --output compare.txt");
    std::fs::write(dir.join("a.dec"), "17\n").expect("writes");
    let run = "run compare.txt --protocol lift --owner 1=carol";
    let children = vec![
        start(dir, &format!("{run} --party alice.toml --input 0=a.dec")),
        start(dir, &format!("{run} --party carol.toml --input 1=a.dec")),
    ];
    let file = PartyConfig::load(&dir.join("bob.toml")).expect("loads");
    let config = file.session(SessionId::named("tacit run default"));
    let circuit = read_file(dir.join("compare.txt"), &ReadOptions::default()).expect("a circuit");
    let all: Vec<PartyId> = PartyId::all(3).collect();
    let protocol = tacit_engine::protocols::LIFT;
    let mut job = Job::new(protocol, vec![PartyId(0), PartyId(2)], vec![all]);
    let mut session = tacit_net::connect(&config).expect("connects");
    job.instances = engine::agree_instances(&mut session, &circuit, &job, Consent::Exactly(1))
        .expect("all parties want the same");
    let mut left = 1;
    session.meshes[0].set_tamper(Tamper::new(move |message| {
        if left == 0 || message.place.phase != Phase::Online || message.stream != Stream::On {
            return Verdict::Keep;
        }
        left -= 1;
        let mut bytes = message.bytes.to_vec();
        bytes[0] ^= 1;
        Verdict::Replace(bytes)
    }));
    let compiled = Compiled::new(&circuit, job).expect("compiles");
    let values = vec![None::<Lanes>; 2];
    assert!(engine::evaluate(&mut session, &compiled, values, &|_| ()).is_err());
    drop(session);
    finish(children, SOON)
}

#[test]
fn every_exit_code_of_the_table_is_what_a_real_process_ends_with() {
    type End = fn(&Path) -> Option<i32>;
    let codes: Vec<(u8, End)> = vec![
        (0, |dir| Some(if ok(dir, "--version").is_empty() { 1 } else { 0 })),
        (2, |dir| Some(fails(dir, "program check nowhere.tacit").0)),
        (3, |dir| Some(fails(dir, "network check --party nowhere.toml").0)),
        (4, |dir| {
            configure(dir);
            let (code, error) = fails(dir, "network check --party alice.toml --wait 1");
            assert!(error.contains("--connect-timeout SECONDS"), "{error}");
            Some(code)
        }),
        (5, |dir| {
            let ends = with_a_cheat(dir);
            assert_eq!(ends[0].0, ends[1].0, "{ends:?}");
            assert!(ends.iter().all(|(_, printed, _)| printed.is_empty()), "{ends:?}");
            ends[0].0
        }),
        (6, |_| {
            let folder = stay();
            let wrong = party("alice").replace("alice.csv", "nowhere.csv");
            with_alice(folder.path(), &wrong, false)[1].0
        }),
        (7, |dir| {
            let source = "program checked\nparties alice, bob, carol\ninput x: u8 from alice\n\
                reveal check(x, in 0..9) to bob as \"x\"\n";
            std::fs::write(dir.join("checked.tacit"), source).expect("writes");
            ok(dir, "run checked.tacit --local --protocol lift --value x=9");
            let (code, error) =
                fails(dir, "run checked.tacit --local --protocol lift --value x=211");
            assert!(!error.contains("211"), "{error}");
            Some(code)
        }),
        (70, |dir| {
            // A party that is no party: the launcher expects its own program.
            let hosts: String = (1..=3)
                .map(|i| format!("[[host]]\nname = \"h{i}\"\naddress = \"127.0.0.{i}\"\n"))
                .collect();
            let start = "start = [\"sh\", \"-c\", \"echo '{}' # {command}\"]\n";
            std::fs::write(dir.join("hosts.toml"), format!("{start}{hosts}")).expect("writes");
            Some(fails(dir, "bench and --protocol trio --hosts hosts.toml").0)
        }),
        (71, |dir| {
            let child =
                through_shell(dir, "exec \"$@\" >/dev/full", "network init --parties a=h:1,b=h:2");
            finish(vec![child], SOON)[0].0
        }),
        (130, |dir| interrupted(dir, "INT")),
        (143, |dir| interrupted(dir, "TERM")),
    ];
    let folder = tempfile::tempdir().expect("temporary folder");
    let help = ok(folder.path(), "--help");
    let (_, table) = help.split_once("Exit codes:").expect("the table");
    let number = |line: &str| line.split_whitespace().next().and_then(|word| word.parse().ok());
    let documented: Vec<u8> = table.lines().filter_map(number).collect();
    let produced: Vec<u8> = codes.iter().map(|(code, _)| *code).collect();
    assert_eq!(documented, produced, "the table and its tests");
    let got: BTreeMap<u8, Option<i32>> = std::thread::scope(|scope| {
        let run = |how: fn(&Path) -> Option<i32>| {
            let folder = tempfile::tempdir().expect("temporary folder");
            how(folder.path())
        };
        let threads: Vec<_> =
            codes.iter().map(|(code, how)| (*code, scope.spawn(move || run(*how)))).collect();
        threads.into_iter().map(|(code, run)| (code, run.join().expect("runs"))).collect()
    });
    for (code, got) in got {
        assert_eq!(got, Some(i32::from(code)));
    }
}

/// A party that waits for others, and is stopped.
fn interrupted(dir: &Path, name: &str) -> Option<i32> {
    configure(dir);
    let alice = start(dir, "network check --party alice.toml");
    is_up(dir, "alice");
    signal(&alice, name);
    finish(vec![alice], SOON)[0].0
}

#[test]
fn errors_are_json_too_when_a_party_tells_the_others() {
    let folder = stay();
    let dir = folder.path();
    let wrong = party("alice").replace("alice.csv", "nowhere.csv");
    let others = ["bob", "carol"].map(|name| start(dir, &format!("{} --json", party(name))));
    let children = std::iter::once(start(dir, &format!("{wrong} --json"))).chain(others);
    let ends = finish(children.collect(), SOON);
    // Among remarks, which are JSON too: about trust, or about a peer that came too late.
    let error = |end: &End| -> serde_json::Value {
        let line = end.2.lines().find(|line| line.starts_with(r#"{"error""#));
        serde_json::from_str(line.expect("an error")).expect("JSON")
    };
    assert_eq!(error(&ends[0])["error"]["exit_code"], 2);
    assert_eq!(error(&ends[1])["error"]["kind"], "peer");
}
