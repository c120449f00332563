//! Three daemons as real processes: studies that all approve, sessions, budgets, and a daemon that is killed.

#[path = "common/commands.rs"]
mod commands;
#[path = "common/ports.rs"]
mod ports;

use commands::{command, ok};
use ports::free_address;
use std::fs;
use std::io::{ErrorKind, Read, Write};
use std::net::TcpStream;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Child, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

const PARTIES: [&str; 3] = ["alice", "bob", "carol"];

const PROGRAM: &str = "program pay\nparties alice, bob, carol\n\
    rows a in 1..100\nrows b in 1..100\nrows c in 1..100\n\
    input \"alice.pay\" as x: u16[a] from alice in 0..10000\n\
    input \"bob.pay\" as y: u16[b] from bob in 0..10000\n\
    input \"carol.pay\" as z: u16[c] from carol in 0..10000\n\
    let pays = concat(x, y, z, axis 0)\n\
    reveal sum(pays, axis 0) to all as \"total\"\nreveal max(pays, axis 0) to bob as \"most\"\n";

fn study(name: &str, releases: u32) -> String {
    let tables: String =
        PARTIES.iter().map(|it| format!("[tables.{it}]\nmin_rows = 2\n")).collect();
    format!(
        "study = \"{name}\"\npurpose = \"The total.\"\nprogram = \"pay.tacit\"\nprotocol = \"lift\"\n\
         parties = [\"alice\", \"bob\", \"carol\"]\nhome = \"alice\"\ndataset = \"pay\"\n{tables}\
         [budget]\nreleases = {releases}\n[run]\nlimit = \"60s\"\nexpires = \"10m\"\nattempts = 5\n"
    )
}

/// Standard error of a command that must fail with this exit code.
fn fails(folder: &Path, arguments: &str, code: i32) -> String {
    let (failed, text) = commands::fails(folder, arguments);
    assert_eq!(failed, code, "tacit {arguments}: {text}");
    text
}

/// Daemons of all parties; they end with the test.
struct Nodes {
    folder: tempfile::TempDir,
    /// Where the nodes listen for each other.
    links: Vec<String>,
    /// Where Prometheus reads how they are.
    metrics: Vec<String>,
    children: Vec<Option<Child>>,
}

impl Nodes {
    fn start(max_releases: u32) -> Nodes {
        let folder = tempfile::tempdir().expect("a folder");
        let dir = folder.path();
        let all: Vec<String> =
            PARTIES.iter().map(|it| format!("{it}={}", free_address())).collect();
        ok(dir, &format!("network init --parties {}", all.join(",")));
        let links: Vec<String> = PARTIES.iter().map(|_| free_address()).collect();
        let metrics: Vec<String> = PARTIES.iter().map(|_| free_address()).collect();
        for ((party, link), watched) in PARTIES.iter().zip(&links).zip(&metrics) {
            let mut text = format!(
                "party = \"{party}.toml\"\nstate = \"{party}\"\n[policy]\nmax_releases = {max_releases}\n\
                 [metrics]\nlisten = \"{watched}\"\n\
                 [peer]\nlisten = \"{link}\"\n[peer.addresses]\n"
            );
            for (peer, address) in PARTIES.iter().zip(&links).filter(|(peer, _)| *peer != party) {
                text += &format!("{peer} = \"{address}\"\n");
            }
            fs::write(dir.join(format!("{party}.node.toml")), text).expect("a file");
        }
        fs::write(dir.join("pay.tacit"), PROGRAM).expect("a file");
        let mut nodes = Nodes { folder, links, metrics, children: vec![None, None, None] };
        (0..3).for_each(|party| nodes.up(party));
        for party in PARTIES {
            nodes.until(&format!("node status --node {party}"), |text| {
                !text.contains("not connected")
            });
        }
        nodes
    }

    fn dir(&self) -> &Path {
        self.folder.path()
    }

    fn up(&mut self, party: usize) {
        let mut serve =
            command(self.dir(), &format!("serve --config {}.node.toml", PARTIES[party]));
        let mut log = fs::OpenOptions::new();
        let log = log
            .create(true)
            .append(true)
            .open(self.dir().join(format!("{}.log", PARTIES[party])))
            .expect("a log");
        let child = serve.stdin(Stdio::null()).stdout(Stdio::null()).stderr(log).spawn();
        self.children[party] = Some(child.expect("the daemon starts"));
    }

    /// As if the machine had lost power.
    fn kill(&mut self, party: usize) {
        if let Some(mut child) = self.children[party].take() {
            child.kill().expect("SIGKILL");
            child.wait().expect("it ends");
        }
    }

    /// Repeats a command until its text is as wanted.
    fn until(&self, arguments: &str, wanted: impl Fn(&str) -> bool) -> String {
        let since = Instant::now();
        loop {
            let output = command(self.dir(), arguments).output().expect("the command runs");
            let text = String::from_utf8_lossy(&output.stdout).into_owned();
            if output.status.success() && wanted(&text) {
                return text;
            }
            if since.elapsed() > Duration::from_secs(60) {
                let error = String::from_utf8_lossy(&output.stderr).into_owned();
                panic!("tacit {arguments}: {text}{error}\n{}", self.logs());
            }
            sleep(Duration::from_millis(100));
        }
    }

    fn logs(&self) -> String {
        let log = |party: &&str| {
            let text = fs::read_to_string(self.dir().join(format!("{party}.log")));
            format!("--- {party}\n{}\n", text.unwrap_or_default())
        };
        PARTIES.iter().map(log).collect()
    }

    /// A study that all have approved, with a table of each.
    fn study(&self, name: &str, releases: u32) {
        fs::write(self.dir().join(format!("{name}.toml")), study(name, releases)).expect("a file");
        let lint = ok(self.dir(), &format!("study lint {name}.toml --node alice"));
        assert!(lint.contains("carol gives a table of at least 2 rows"), "{lint}");
        ok(self.dir(), &format!("study propose {name}.toml --node bob"));
        for (party, rows) in PARTIES.iter().zip(["1\n2\n", "30\n40\n", "500\n600\n700\n"]) {
            self.until(&format!("study list --node {party}"), |text| text.contains(name));
            let approved = ok(self.dir(), &format!("study approve {name} --node {party}"));
            let id = lint.lines().find(|line| line.starts_with("id ")).expect("an id");
            assert!(approved.contains(id), "{approved}");
            fs::write(self.dir().join(format!("{party}.csv")), format!("pay\n{rows}"))
                .expect("a file");
            ok(self.dir(), &format!("dataset add pay {party}.csv --node {party}"));
            ok(self.dir(), &format!("study bind {name} --table pay --node {party}"));
        }
        for party in PARTIES {
            self.until(&format!("study list --node {party}"), |text| text.contains("open"));
        }
    }

    fn start_session(&self, more: &str) -> String {
        let started = ok(self.dir(), &format!("session start {more} --node alice --json"));
        let started: serde_json::Value = serde_json::from_str(&started).expect("JSON");
        started["session"].as_str().expect("an id").to_owned()
    }

    fn shown(&self, party: &str, session: &str) -> serde_json::Value {
        let text = ok(self.dir(), &format!("session show {session} --node {party} --json"));
        serde_json::from_str(&text).expect("JSON")
    }

    /// The state in which a session ends, the same at all nodes.
    fn end(&self, session: &str) -> String {
        let ended = |text: &str| text.contains("\"ended\":true");
        let mut states = Vec::new();
        for party in PARTIES {
            self.until(&format!("session show {session} --node {party} --json"), ended);
            let shown = self.shown(party, session);
            states.push((
                shown["state"].as_str().expect("a state").to_owned(),
                shown["charged"].clone(),
            ));
        }
        let first = states[0].clone();
        assert!(states.iter().all(|state| *state == first), "{states:?}\n{}", self.logs());
        first.0
    }
}

impl Drop for Nodes {
    fn drop(&mut self) {
        (0..3).for_each(|party| self.kill(party));
    }
}

#[test]
fn three_nodes_run_what_all_have_approved_and_no_more() {
    let nodes = Nodes::start(5);
    nodes.study("pay", 1);
    let session = nodes.start_session("pay --idempotency-key k1");
    assert_eq!(session, nodes.start_session("pay --idempotency-key k1"), "one key, one session");
    assert_eq!(nodes.end(&session), "succeeded", "{}", nodes.logs());
    for party in PARTIES {
        let results = ok(nodes.dir(), &format!("session results {session} --node {party}"));
        let results: serde_json::Value = serde_json::from_str(&results).expect("JSON");
        let text = results.to_string();
        assert!(text.contains("1873"), "{party}: {text}");
        assert_eq!(text.contains("most"), party == "bob", "{party}: {text}");
    }
    let status = nodes.shown("bob", &session);
    assert_eq!(status["charged"], true);
    let read = |path: &str| {
        let mut stream = TcpStream::connect(&nodes.metrics[1]).expect("a connection");
        let request = format!("GET {path} HTTP/1.1\r\nhost: bob\r\nconnection: close\r\n\r\n");
        stream.write_all(request.as_bytes()).expect("sent");
        let mut answer = String::new();
        stream.read_to_string(&mut answer).expect("an answer");
        answer
    };
    let found = read("/metrics");
    for line in [
        "tacit_peer_up{peer=\"alice\"} 1",
        "tacit_sessions{state=\"succeeded\"} 1",
        "tacit_attempts_total{study=\"pay\",class=\"succeeded\"} 1",
        "tacit_budget_left{study=\"pay\"} 0",
    ] {
        assert!(found.lines().any(|it| it == line), "{line}: {found}");
    }
    assert!(read("/readyz").starts_with("HTTP/1.1 200"));
    assert!(read("/v1/status").starts_with("HTTP/1.1 404"), "operators have their socket");
    // The budget is one release.
    let second = nodes.start_session("pay");
    let refused = fails(nodes.dir(), &format!("session watch {second} --node alice"), 6);
    assert!(refused.contains("budget_releases"), "{refused}");
    // All hear why, though it never began.
    for party in PARTIES {
        nodes.until(&format!("session list --node {party}"), |text| {
            text.contains("refused by alice: budget_releases")
        });
    }
    fails(nodes.dir(), &format!("session results {second} --node alice"), 2);
    // What the log says of that.
    let audit = ok(nodes.dir(), "audit show --node carol");
    for kind in ["study_approved", "charged", "released", "attempt_ended", "session_ended"] {
        assert!(audit.contains(kind), "{kind}: {audit}");
    }
    ok(nodes.dir(), "audit verify --node carol");
    let other = "0".repeat(64);
    let broken = fails(nodes.dir(), &format!("audit verify --node carol --head {other}"), 3);
    assert!(broken.contains("no entry 00"), "{broken}");
    fails(nodes.dir(), "audit verify --node carol --head 00", 2);
    // Values are in no log.
    assert!(!nodes.logs().contains("1873"));
    // Sessions are started at home, and not of what is closed.
    let elsewhere = fails(nodes.dir(), "session start pay --node bob", 2);
    assert!(elsewhere.contains("not_home"), "{elsewhere}");
    ok(nodes.dir(), "study close pay --node carol");
    nodes.until("study list --node alice", |text| text.contains("closed"));
    let closed = fails(nodes.dir(), "session start pay --node alice", 2);
    assert!(closed.contains("not_open"), "{closed}");
}

#[test]
fn a_node_that_is_killed_loses_nothing() {
    let mut nodes = Nodes::start(50);
    nodes.study("pay", 50);
    // Early, while it runs, around its gate, and behind it; the home, too.
    for (victim, wait_ms) in [(1, 0), (2, 150), (1, 300), (0, 450), (2, 700)] {
        let session = nodes.start_session("pay");
        sleep(Duration::from_millis(wait_ms));
        nodes.kill(victim);
        sleep(Duration::from_millis(300));
        nodes.up(victim);
        let end = nodes.end(&session);
        assert!(["succeeded", "partial"].contains(&end.as_str()), "{end}\n{}", nodes.logs());
        for party in PARTIES {
            nodes.until(&format!("node status --node {party}"), |text| {
                text.contains(" 0 running, 0 not ended")
            });
        }
    }
    for party in PARTIES {
        ok(nodes.dir(), &format!("audit verify --node {party}"));
    }
}

/// Processes that this one has started.
fn children_of(parent: u32) -> Vec<u32> {
    let processes = fs::read_dir("/proc").expect("processes").flatten();
    let number = |it: fs::DirEntry| it.file_name().to_string_lossy().parse::<u32>().ok();
    let of = |pid: &u32| {
        let about = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
        let rest = about.rsplit_once(')').map_or("", |(_, rest)| rest);
        rest.split_whitespace().nth(1).and_then(|it| it.parse::<u32>().ok()) == Some(parent)
    };
    processes.filter_map(number).filter(of).collect()
}

/// Workers and daemons are killed at any moment. Everybody says the same of each session, every release is charged, and no process
/// or file is left.
#[test]
#[ignore = "takes minutes: CHAOS_CYCLES=60 (make chaos)"]
fn whatever_is_killed_nothing_is_forgotten() {
    let cycles = std::env::var("CHAOS_CYCLES").ok().and_then(|it| it.parse().ok()).unwrap_or(60);
    let mut nodes = Nodes::start(10_000);
    nodes.study("pay", 10_000);
    let mut ends = std::collections::BTreeMap::new();
    for cycle in 0..cycles {
        // Points over the second that a session takes, at each party in turn, a worker and a daemon in turn.
        let (victim, wait_ms) = (cycle % 3, cycle as u64 * 37 % 1000);
        let session = nodes.start_session("pay");
        sleep(Duration::from_millis(wait_ms));
        let daemon = nodes.children[victim].as_ref().expect("a daemon").id();
        let workers = children_of(daemon);
        if cycle % 2 == 0 {
            for worker in &workers {
                let pid = rustix::process::Pid::from_raw(*worker as i32).expect("a process");
                // It may have ended by itself.
                let _ = rustix::process::kill_process(pid, rustix::process::Signal::KILL);
            }
        } else {
            nodes.kill(victim);
            sleep(Duration::from_millis(300));
            for worker in &workers {
                let gone = || !Path::new(&format!("/proc/{worker}")).exists();
                let since = Instant::now();
                while !gone() && since.elapsed() < Duration::from_secs(5) {
                    sleep(Duration::from_millis(20));
                }
                assert!(gone(), "the worker {worker} outlives its daemon");
            }
            nodes.up(victim);
        }
        let end = nodes.end(&session);
        assert!(["succeeded", "partial"].contains(&end.as_str()), "{end}\n{}", nodes.logs());
        *ends.entry(end).or_insert(0) += 1;
        for party in PARTIES {
            nodes.until(&format!("node status --node {party}"), |text| {
                text.contains(" 0 running, 0 not ended") && !text.contains("not connected")
            });
        }
    }
    println!("{cycles} cycles: {ends:?}");
    for party in PARTIES {
        ok(nodes.dir(), &format!("audit verify --node {party}"));
        let json = |arguments: &str| {
            let text = ok(nodes.dir(), &format!("{arguments} --node {party} --json"));
            serde_json::from_str::<serde_json::Value>(&text).expect("JSON")
        };
        let sessions = json("session list");
        let sessions = sessions.as_array().expect("a list");
        assert_eq!(sessions.len(), cycles);
        let attempts = sessions.iter().flat_map(|it| it["attempts"].as_array().expect("attempts"));
        let own = attempts.flat_map(|it| it["outcomes"].as_array().expect("outcomes"));
        let own = own.filter(|it| it["party"] == party);
        let released = own.clone().filter(|it| it["released"] == true).count();
        let study = json("study show pay");
        assert_eq!(study["releases"]["spent"], released, "{party}");
        let results = fs::read_dir(nodes.dir().join(party).join("results")).expect("results");
        let computed = own.filter(|it| it["ending"] == "computed").count();
        assert_eq!(results.count(), 2 * computed, "results and reports of {party}");
        let work = nodes.dir().join(party).join("work");
        assert!(!work.exists() || fs::read_dir(work).expect("a folder").next().is_none());
    }
}

#[test]
fn a_state_that_is_put_back_learns_what_it_released() {
    let mut nodes = Nodes::start(50);
    nodes.study("pay", 3);
    let dir = nodes.dir().to_owned();
    ok(&dir, "node backup --to copy --node bob");
    let again = fails(&dir, "node backup --to copy --node bob", 2);
    assert!(again.contains("is there already"), "{again}");
    let mode = fs::metadata(dir.join("copy")).expect("a folder").permissions().mode();
    assert_eq!(mode & 0o777, 0o700);
    let healthy = fails(&dir, "node recover --node bob", 2);
    assert!(healthy.contains("not_rolled_back"), "{healthy}");
    let session = nodes.start_session("pay");
    assert_eq!(nodes.end(&session), "succeeded", "{}", nodes.logs());
    nodes.kill(1);
    let restore = "node restore --config bob.node.toml --from copy";
    assert!(fails(&dir, restore, 2).contains("has a state already"));
    assert!(fails(&dir, &restore.replace("bob", "carol"), 2).contains("is a backup of bob"));
    assert!(fails(&dir, &restore.replace("copy", "alice"), 2).contains("no whole backup"));
    fs::rename(dir.join("bob"), dir.join("lost")).expect("renamed");
    for cut in ["state.redb", "datasets/pay"] {
        fs::rename(dir.join("copy").join(cut), dir.join("cut")).expect("renamed");
        assert!(fails(&dir, restore, 2).contains("no whole backup"), "{cut}");
        fs::rename(dir.join("cut"), dir.join("copy").join(cut)).expect("renamed");
    }
    let within = fails(&dir, "node backup --to alice/results/copy --node alice", 2);
    assert!(within.contains("is in the state itself"), "{within}");
    ok(&dir, restore);
    nodes.up(1);
    let waits = |text: &str| text.contains("has all that the others know");
    nodes.until("node status --node bob", waits);
    let refused = nodes.start_session("pay");
    let refused = fails(&dir, &format!("session watch {refused} --node alice"), 6);
    assert!(refused.contains("rolled_back"), "{refused}");
    let spent = |text: &str| {
        let study: serde_json::Value = serde_json::from_str(text).expect("JSON");
        study["releases"]["spent"].clone()
    };
    ok(&dir, "node recover --node bob");
    assert_eq!(spent(&ok(&dir, "study show pay --node bob --json")), 1);
    let gone = fails(&dir, &format!("session results {session} --node bob"), 2);
    assert!(gone.contains("gone"), "{gone}");
    let session = nodes.start_session("pay");
    assert_eq!(nodes.end(&session), "succeeded", "{}", nodes.logs());
    // An old file that is just copied back is noticed, as the peers have seen more.
    nodes.kill(1);
    fs::copy(dir.join("copy/state.redb"), dir.join("bob/state.redb")).expect("copied");
    nodes.up(1);
    nodes.until("node status --node bob", waits);
    ok(&dir, "node recover --node bob");
    assert_eq!(spent(&ok(&dir, "study show pay --node bob --json")), 2);
    let session = nodes.start_session("pay");
    assert_eq!(nodes.end(&session), "succeeded", "{}", nodes.logs());
    let over = nodes.start_session("pay");
    assert!(
        fails(&dir, &format!("session watch {over} --node alice"), 6).contains("budget_releases")
    );
    for party in PARTIES {
        ok(&dir, &format!("audit verify --node {party}"));
    }
}

#[test]
fn strangers_disturb_nobody() {
    let mut nodes = Nodes::start(5);
    nodes.study("pay", 3);
    // More than may call, some of whom say nothing and some nonsense.
    let call = |link: &String| {
        let stranger = TcpStream::connect(link).expect("the node listens");
        stranger.set_read_timeout(Some(Duration::from_secs(20))).expect("a limit");
        stranger
    };
    let mut strangers: Vec<TcpStream> =
        nodes.links.iter().flat_map(|link| (0..20).map(move |_| call(link))).collect();
    for stranger in strangers.iter_mut().step_by(2) {
        // It may have hung up already.
        let _ = stranger.write_all(&[b'x'; 100]);
    }
    let session = nodes.start_session("pay");
    assert_eq!(nodes.end(&session), "succeeded", "{}", nodes.logs());
    for mut stranger in strangers {
        let heard = stranger.read_to_end(&mut Vec::new());
        let timeout = heard.is_err_and(|e| e.kind() == ErrorKind::WouldBlock);
        assert!(!timeout, "the node does not hang up");
    }
    // Nor do they fill the log.
    let said = nodes.logs().matches("called").count();
    assert!((1..=PARTIES.len()).contains(&said), "{said}: {}", nodes.logs());
    // A node that comes back while strangers call is found by the others.
    nodes.kill(1);
    let _strangers: Vec<TcpStream> = (0..20).map(|_| call(&nodes.links[0])).collect();
    nodes.up(1);
    nodes.until("node status --node bob", |text| !text.contains("not connected"));
}

#[test]
fn tables_that_were_changed_and_open_folders_are_refused() {
    let mut nodes = Nodes::start(5);
    nodes.study("pay", 3);
    let folder = nodes.dir().join("bob/datasets/pay");
    let table = fs::read_dir(&folder).expect("a folder").next().expect("a table").expect("one");
    let before = fs::read_to_string(table.path()).expect("a table");
    ok(nodes.dir(), "dataset add pay bob.csv --node bob");
    let mut tables = fs::read_dir(&folder).expect("a folder").map(|it| it.expect("a table").path());
    let newest = tables.find(|it| *it != table.path()).expect("a table");
    fs::write(&newest, before.replace("30", "31")).expect("a file");
    let session = nodes.start_session("pay");
    assert_ne!(nodes.end(&session), "succeeded", "{}", nodes.logs());
    assert_eq!(nodes.shown("bob", &session)["charged"], false);
    assert!(nodes.logs().contains("is not the table that was added"), "{}", nodes.logs());
    for party in PARTIES {
        let shown = ok(nodes.dir(), &format!("session show {session} --node {party}"));
        assert!(shown.contains("failed: bob could not use its own table"), "{party}: {shown}");
    }
    let refused = fails(nodes.dir(), "dataset add pay bob.csv --node bob", 2);
    assert!(refused.contains("is not the table that was added"), "{refused}");
    fs::write(&newest, &before).expect("a file");
    // Workers of the others may take some seconds to end. If the next one meets them, its attempt is made again.
    let session = nodes.start_session("pay");
    assert_eq!(nodes.end(&session), "succeeded", "{}", nodes.logs());
    // Digests are shown to nobody.
    let all = ok(nodes.dir(), "dataset list --node bob --json");
    assert!(all.contains("differences") && !all.contains("digest"), "{all}");
    // What an earlier time left is deleted, and results are kept.
    nodes.kill(1);
    let stray = nodes.dir().join(format!("bob/results/{}-1.json", "0".repeat(32)));
    let unknown = folder.join("unknown.csv");
    [&stray, &unknown].into_iter().for_each(|it| fs::write(it, "x").expect("a file"));
    let state = nodes.dir().join("bob");
    fs::set_permissions(&state, fs::Permissions::from_mode(0o755)).expect("a mode");
    let refused = fails(nodes.dir(), "node check --config bob.node.toml", 3);
    assert!(refused.contains("is open to others than its owner"), "{refused}");
    fs::set_permissions(&state, fs::Permissions::from_mode(0o700)).expect("a mode");
    nodes.up(1);
    nodes.until("node status --node bob", |text| !text.contains("not connected"));
    assert!(!stray.exists() && !unknown.exists() && newest.exists());
    ok(nodes.dir(), &format!("session results {session} --node bob"));
}

/// As docs/operations.md has it.
#[test]
fn the_example_runs() {
    let nodes = Nodes::start(5);
    let example = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/pay-study");
    for file in ["pay.tacit", "pay.study.toml", "alice.csv", "bob.csv"] {
        fs::copy(example.join(file), nodes.dir().join(file)).expect("a file");
    }
    let lint = ok(nodes.dir(), "study lint pay.study.toml --node alice");
    assert!(lint.contains("results may open in at most 2 attempts"), "{lint}");
    ok(nodes.dir(), "study propose pay.study.toml --node alice");
    for party in PARTIES {
        nodes.until(&format!("study list --node {party}"), |text| text.contains("pay"));
        ok(nodes.dir(), &format!("study lint pay --node {party}"));
        ok(nodes.dir(), &format!("study approve pay --node {party}"));
    }
    for party in ["alice", "bob"] {
        let added = ok(nodes.dir(), &format!("dataset add pays {party}.csv --node {party}"));
        assert!(added.contains("columns pay"), "{added}");
        ok(nodes.dir(), &format!("study bind pay --table pays --node {party}"));
    }
    for party in PARTIES {
        nodes.until(&format!("study list --node {party}"), |text| text.contains("open"));
    }
    let session = nodes.start_session("pay");
    assert_eq!(nodes.end(&session), "succeeded", "{}", nodes.logs());
    let results = ok(nodes.dir(), &format!("session results {session} --node bob"));
    assert!(results.contains("4228"), "{results}");
    // Who gives no table, and a file that is not there.
    let shown = ok(nodes.dir(), "study show pay --node carol");
    assert!(shown.contains("none is asked"), "{shown}");
    let missing = fails(nodes.dir(), "study lint other.toml --node alice", 2);
    assert!(missing.contains("other.toml") && !missing.contains("unknown_study"), "{missing}");
    // A study that a node would refuse is said to be refused.
    let study = fs::read_to_string(nodes.dir().join("pay.study.toml")).expect("a file");
    fs::write(nodes.dir().join("wide.toml"), study + "[run]\nthreads = 99\n").expect("a file");
    let refused = ok(nodes.dir(), "study lint wide.toml --node alice");
    assert!(
        refused.contains("REFUSED here: [limits] allows 8 threads, and the study wants 99"),
        "{refused}"
    );
}

#[test]
fn a_second_daemon_does_not_take_the_state_of_a_first() {
    let nodes = Nodes::start(5);
    let error = fails(nodes.dir(), "serve --config alice.node.toml", 3);
    assert!(error.contains("another daemon"), "{error}");
    let error = fails(nodes.dir(), "node status --node nowhere", 4);
    assert!(error.contains("no node answers"), "{error}");
}
