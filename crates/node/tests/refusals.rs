//! Each reason for which a node refuses, and what operators hear.

mod common;

use common::Signer;
use serde_json::Value;
use std::collections::BTreeMap;
use tacit_node::{
    Code, Command, Config, Effect, Ending, Failure, Input, Limits, Node, Now, Policy, Problem,
    TableTerms, Terms, Version, WorkerEvent,
};

/// Two nodes whose messages arrive at once, and whose workers do as they are told.
struct Pair {
    nodes: Vec<Node<Signer>>,
    now: u64,
    drawn: u64,
    answers: BTreeMap<u64, Result<Value, Problem>>,
    ticket: u64,
    /// How workers end; they ask at their gates first if they compute.
    ending: Ending,
    denied: Vec<String>,
}

const NAMES: [&str; 2] = ["alice", "bob"];

impl Pair {
    fn new(policy: &Policy, engines: [&str; 2]) -> Pair {
        let mut pair = Pair {
            nodes: Vec::new(),
            now: 1_000_000,
            drawn: 0,
            answers: BTreeMap::new(),
            ticket: 0,
            ending: Ending::Computed,
            denied: Vec::new(),
        };
        let mut steps = Vec::new();
        for (me, engine) in NAMES.iter().zip(engines) {
            let config = Config {
                me: (*me).to_owned(),
                fingerprints: NAMES.map(|it| (it.to_owned(), it.to_owned())).into(),
                policy: policy.clone(),
                limits: Limits { running: 1, threads: 2 },
                engine: engine.to_owned(),
            };
            let now = Now { wall_ms: pair.now, mono_ms: pair.now };
            let loaded =
                Node::load(config, Signer((*me).into()), [], (now, [0; 32]), &|_, _| false);
            let (node, step) = loaded.expect("an empty store");
            pair.nodes.push(node);
            steps.push(step);
        }
        for step in steps {
            assert_eq!(step.commit(|_| Ok::<(), ()>(())), Ok(Vec::new()));
        }
        for (node, peer) in [(0, "bob"), (1, "alice")] {
            let statements = format!("key {peer}");
            pair.give(node, Input::Linked { peer: peer.to_owned(), statements });
        }
        pair
    }

    fn give(&mut self, node: usize, input: Input) {
        self.drawn += 1;
        let mut random = [0; 32];
        random[..8].copy_from_slice(&self.drawn.to_le_bytes());
        let now = Now { wall_ms: self.now, mono_ms: self.now };
        let step = self.nodes[node].handle(now, random, input);
        let mut effects = step.commit(|_| Ok::<(), ()>(())).expect("no error");
        // Processes start when all parties have heard that they do.
        effects.sort_by_key(|effect| matches!(effect, Effect::Launch(_)));
        for effect in effects {
            let worker = |session: &str, attempt, event| {
                let session = session.to_owned();
                Input::Worker { session, attempt, event }
            };
            match effect {
                Effect::Send { to, message } => {
                    let to = NAMES.iter().position(|name| *name == to).expect("a peer");
                    self.give(to, Input::Message { from: NAMES[node].to_owned(), message });
                }
                Effect::Answer { ticket, answer } => drop(self.answers.insert(ticket, answer)),
                Effect::Launch(it) => {
                    let event = match self.ending {
                        Ending::Computed => WorkerEvent::GateAsked,
                        ending => WorkerEvent::Ended(ending),
                    };
                    self.give(node, worker(&it.session, it.attempt, event));
                }
                Effect::Grant { session, attempt } => {
                    let event = WorkerEvent::Ended(self.ending);
                    self.give(node, worker(&session, attempt, event));
                }
                Effect::Deny { session, attempt, why } => {
                    self.denied.push(why);
                    let event = WorkerEvent::Ended(Ending::Failed(Failure::Denied));
                    self.give(node, worker(&session, attempt, event));
                }
                Effect::Kill { .. }
                | Effect::Forget { .. }
                | Effect::Discard { .. }
                | Effect::Sweep => {}
            }
        }
    }

    /// Lets seconds go by.
    fn wait(&mut self, seconds: u64) {
        for _ in 0..seconds.min(200) {
            self.now += 1000 * seconds.div_ceil(200).max(1);
            (0..2).for_each(|node| self.give(node, Input::Tick));
        }
    }

    fn ask(&mut self, node: usize, command: Command) -> Result<Value, Problem> {
        self.ticket += 1;
        let (ticket, operator) = (self.ticket, "ops".to_owned());
        self.give(node, Input::Command { ticket, operator, command });
        self.answers.remove(&self.ticket).expect("an answer")
    }

    /// A study that is approved by so many.
    fn study(&mut self, name: &str, change: impl Fn(&mut Terms), approvals: usize) -> String {
        let document = common::document(name, &NAMES, |terms| {
            terms.tables = BTreeMap::from([("bob".to_owned(), TableTerms { min_rows: 5 })]);
            (terms.min_change, terms.limit_seconds, terms.attempts) = (3, 60, 2);
            change(terms);
        });
        let id = document.id();
        self.ask(0, Command::ProposeStudy(Box::new(document))).expect("a study");
        for node in 0..approvals {
            self.ask(node, Command::ApproveStudy(id.clone())).expect("approved");
        }
        id
    }

    /// A new version of bob's table, which differs from the others by so many rows.
    fn table(&mut self, version: &str, rows: u64, differences: &[(&str, u64, u64)]) {
        let differences =
            differences.iter().map(|(it, new, gone)| ((*it).to_owned(), (*new, *gone)));
        let version = Version {
            version: version.into(),
            digest: String::new(),
            rows,
            at_ms: 0,
            differences: differences.collect(),
        };
        self.ask(1, Command::AddDataset { dataset: "table".into(), version }).expect("added");
    }

    fn bind(&mut self, study: &str) {
        let (study, dataset) = (study.to_owned(), "table".to_owned());
        self.ask(1, Command::BindStudy { study, dataset }).expect("bound");
    }

    /// The state in which a session ends, and the code.
    fn session(&mut self, study: &str) -> (String, String) {
        let started = self.ask(0, Command::StartSession { study: study.into(), key: None });
        let session = match started {
            Ok(session) => session["session"].as_str().expect("an id").to_owned(),
            Err(problem) => return ("not started".into(), problem.code),
        };
        self.wait(30);
        let home = self.ask(0, Command::ShowSession(session.clone())).expect("a session");
        let other = self.ask(1, Command::ShowSession(session));
        let text = |value: &Value, key: &str| value[key].as_str().unwrap_or_default().to_owned();
        // Of a session for which it has never voted a node keeps nothing.
        if let (true, Ok(other)) = (home["ended"] == true, other) {
            assert_eq!(home["state"], other["state"], "{home} {other}");
        }
        (text(&home, "state"), text(&home, "code"))
    }
}

fn ready(policy: &Policy, change: impl Fn(&mut Terms)) -> (Pair, String) {
    let mut pair = Pair::new(policy, ["1", "1"]);
    pair.table("v1", 10, &[]);
    let study = pair.study("study", change, 2);
    pair.bind(&study);
    (pair, study)
}

fn refused(code: Code) -> (String, String) {
    ("refused".to_owned(), code.name().to_owned())
}

fn succeeded() -> (String, String) {
    ("succeeded".to_owned(), String::new())
}

#[test]
fn a_study_needs_all_approvals_and_tables() {
    let mut pair = Pair::new(&Policy::default(), ["1", "1"]);
    let study = pair.study("study", |_| {}, 1);
    assert_eq!(pair.session(&study).1, "not_approved");
    pair.ask(1, Command::ApproveStudy(study.clone())).expect("approved");
    // Home does not see what bob has bound.
    assert_eq!(pair.session(&study), refused(Code::NotOpen));
    pair.table("v1", 10, &[]);
    pair.bind(&study);
    assert_eq!(pair.session(&study), succeeded());
    pair.ask(1, Command::WithdrawStudy(study.clone())).expect("withdrawn");
    assert_eq!(pair.session(&study).1, "not_open");
    assert_eq!(pair.session("nothing").1, "unknown_study");
}

#[test]
fn budgets_count_releases_of_studies_and_of_labels() {
    let (mut pair, study) = ready(&Policy::default(), |_| {});
    assert_eq!(pair.session(&study), succeeded());
    assert_eq!(pair.session(&study), succeeded());
    assert_eq!(pair.session(&study), refused(Code::BudgetReleases));
    let more = pair.study("more", |terms| terms.releases = 9, 2);
    pair.bind(&more);
    for _ in 0..3 {
        assert_eq!(pair.session(&more), succeeded());
    }
    assert_eq!(pair.session(&more), refused(Code::BudgetLabel));
    pair.wait(31 * 24 * 3600);
    assert_eq!(pair.session(&more), succeeded());
}

#[test]
fn tables_differ_by_nothing_or_by_enough() {
    let policy = Policy { max_releases: 50, ..Policy::default() };
    let (mut pair, study) = ready(&policy, |terms| terms.releases = 20);
    assert_eq!(pair.session(&study), succeeded());
    for (version, differences, may) in [
        ("v2", [("v1", 1, 0)], false),
        ("v3", [("v1", 3, 2)], false),
        ("v4", [("v1", 4, 0)], true),
        ("v5", [("v1", 9, 9)], false),
    ] {
        pair.table(version, 10, &differences);
        let expected = if may { succeeded() } else { refused(Code::MinChange) };
        // The last one is not known to differ from v4.
        assert_eq!(pair.session(&study), expected, "{version}");
    }
    pair.table("v6", 4, &[]);
    assert_eq!(pair.session(&study), refused(Code::TooFewRows));
}

#[test]
fn a_policy_and_an_engine_are_each_partys_own() {
    let mut pair = Pair::new(&Policy::default(), ["1", "2"]);
    pair.table("v1", 10, &[]);
    let study = pair.study("study", |_| {}, 2);
    pair.bind(&study);
    assert_eq!(pair.session(&study), refused(Code::EngineDiffers));
    let (mut pair, study) = ready(&Policy::default(), |terms| terms.threads = 3);
    assert_eq!(pair.session(&study), refused(Code::TooManyThreads));
    let mut pair = Pair::new(&Policy::default(), ["1", "1"]);
    let study = pair.study("study", |terms| terms.protocol = "trio".into(), 0);
    let problem = pair.ask(0, Command::ApproveStudy(study)).expect_err("a refusal");
    assert_eq!(problem.code, "protocol_not_allowed");
    let two = Policy { approvals: 2, ..Policy::default() };
    let mut pair = Pair::new(&two, ["1", "1"]);
    let study = pair.study("study", |_| {}, 2);
    assert_eq!(pair.session(&study).1, "not_approved", "one operator is not two");
}

#[test]
fn who_drains_takes_nothing_on_and_a_cheat_stops_the_study() {
    let (mut pair, study) = ready(&Policy::default(), |_| {});
    pair.ask(1, Command::Drain).expect("draining");
    assert_eq!(pair.session(&study), refused(Code::Draining));
    let (mut pair, study) = ready(&Policy::default(), |_| {});
    pair.ending = Ending::Cheated;
    assert_eq!(pair.session(&study), ("cheated".into(), String::new()));
    pair.ending = Ending::Computed;
    assert_eq!(pair.session(&study), refused(Code::Quarantined));
    for node in 0..2 {
        pair.ask(node, Command::ClearStudy(study.clone())).expect("cleared");
    }
    assert_eq!(pair.session(&study), succeeded());
}

#[test]
fn failures_are_tried_again_as_far_as_they_may_pass() {
    for (failure, attempts) in [(Failure::Network, 2), (Failure::Input, 1), (Failure::Check, 1)] {
        let (mut pair, study) = ready(&Policy::default(), |_| {});
        pair.ending = Ending::Failed(failure);
        assert_eq!(pair.session(&study), ("failed".into(), String::new()), "{failure:?}");
        let all = pair.ask(0, Command::ListSessions).expect("a list");
        assert_eq!(all[0]["attempts"].as_array().map(Vec::len), Some(attempts), "{failure:?}");
        assert_eq!(all[0]["charged"], false);
    }
}

#[test]
fn names_of_codes_are_those_of_the_documentation() {
    let page = include_str!("../../../docs/operations.md");
    for code in Code::ALL {
        assert!(page.contains(&format!("| `{code}` |")), "{code}");
        assert_eq!(serde_json::to_value(code).expect("a name"), code.name());
    }
}
