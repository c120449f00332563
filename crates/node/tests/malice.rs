//! One honest node among peers that say whatever they like: what it believes, stores and passes on.

mod common;

use common::{Signer, signed};
use serde_json::Value;
use std::collections::BTreeMap;
use tacit_node::{
    Beginning, Charge, Class, Code, Command, Config, Document, Domain, Effect, End, Ending, Entry,
    Failure, Final, Frozen, Input, Launch, Limits, MAX_MESSAGE_BYTES, Message, Node, Now, Outcome,
    Past, Policy, Problem, Session, Statements, Step, Stored, Study, Table, TableTerms, Terms,
    Version, Witness, WorkerEvent, group, put_back,
};

const NAMES: [&str; 3] = ["alice", "bob", "carol"];
const HOUR: u64 = 3_600_000;

/// Bob's node; alice and carol are the test.
struct Bob {
    node: Node<Signer>,
    now: Now,
    drawn: u64,
    disk: BTreeMap<(Table, String), Vec<u8>>,
    said: Vec<(String, Message)>,
    launched: Vec<Launch>,
    granted: usize,
    denied: Vec<String>,
    answered: Option<Result<Value, Problem>>,
}

impl Bob {
    fn new() -> Bob {
        Bob::with(&Policy::default())
    }

    fn with(policy: &Policy) -> Bob {
        let mut bob = Bob::load(policy, BTreeMap::new(), 1_000 * HOUR);
        for peer in ["alice", "carol"] {
            bob.link(peer, None);
        }
        bob.add("table", "v1", &[]);
        bob
    }

    /// Bob's node with what is on a disk, before anybody is connected.
    fn load(policy: &Policy, disk: BTreeMap<(Table, String), Vec<u8>>, wall_ms: u64) -> Bob {
        let config = Config {
            me: "bob".into(),
            fingerprints: keys(),
            policy: policy.clone(),
            limits: Limits { running: 3, threads: 2 },
            engine: "engine".into(),
        };
        let now = Now { wall_ms, mono_ms: 5_000 };
        let stored = disk.iter().map(|((table, key), value)| Stored {
            table: *table,
            key: key.clone(),
            value: value.clone(),
        });
        let stored: Vec<Stored> = stored.collect();
        let signer = Signer("bob".into());
        let loaded = Node::load(config, signer, stored, (now, [0; 32]), &|_, _| false);
        let (node, step) = loaded.expect("a store");
        let mut bob = Bob {
            node,
            now,
            drawn: 0,
            disk,
            said: Vec::new(),
            launched: Vec::new(),
            granted: 0,
            denied: Vec::new(),
            answered: None,
        };
        bob.carry_out(step);
        bob
    }

    /// A peer is connected, and shows what it keeps of bob's state.
    fn link(&mut self, peer: &str, yours: Option<Witness>) {
        let statements = format!("key {peer}");
        self.give(Input::Linked { peer: peer.into(), statements });
        let mine = witness(peer, (0, 1), 0);
        self.hear(peer, Message::Witness { mine, yours, heard: true });
    }

    fn give(&mut self, input: Input) {
        self.drawn += 1;
        let mut random = [0; 32];
        random[..8].copy_from_slice(&self.drawn.to_le_bytes());
        let step = self.node.handle(self.now, random, input);
        self.carry_out(step);
    }

    fn carry_out(&mut self, step: Step) {
        let disk = &mut self.disk;
        let effects = step.commit(|batch| {
            for change in batch.changes() {
                let key = (change.table, change.key.clone());
                match &change.value {
                    Some(value) => drop(disk.insert(key, value.clone())),
                    None => drop(disk.remove(&key)),
                }
            }
            Ok::<(), ()>(())
        });
        for effect in effects.expect("no error") {
            match effect {
                Effect::Send { to, message } => self.said.push((to, *message)),
                Effect::Launch(launch) => self.launched.push(*launch),
                Effect::Grant { .. } => self.granted += 1,
                Effect::Deny { why, .. } => self.denied.push(why),
                Effect::Answer { answer, .. } => self.answered = Some(answer),
                Effect::Kill { .. }
                | Effect::Forget { .. }
                | Effect::Discard { .. }
                | Effect::Sweep => {}
            }
        }
    }

    /// What a peer says, and what bob says because of it.
    fn hear(&mut self, from: &str, message: Message) -> Vec<(String, Message)> {
        self.said.clear();
        self.give(Input::Message { from: from.into(), message: Box::new(message) });
        std::mem::take(&mut self.said)
    }

    fn tick(&mut self, ms: u64) -> Vec<(String, Message)> {
        self.now = Now { wall_ms: self.now.wall_ms + ms, mono_ms: self.now.mono_ms + ms };
        self.said.clear();
        self.give(Input::Tick);
        std::mem::take(&mut self.said)
    }

    fn ask(&mut self, command: Command) {
        self.answer(command);
    }

    fn answer(&mut self, command: Command) -> Value {
        self.try_to(command).expect("no problem")
    }

    fn try_to(&mut self, command: Command) -> Result<Value, Problem> {
        self.give(Input::Command { ticket: 1, operator: "ops".into(), command });
        self.answered.take().expect("an answer")
    }

    /// How far bob's state is, as he says when alice comes back.
    fn witnessed_now(&mut self) -> Witness {
        self.said.clear();
        let statements = "key alice".to_owned();
        self.give(Input::Linked { peer: "alice".into(), statements });
        self.witnessed()
    }

    /// How far bob's state is, as he last said to alice.
    fn witnessed(&self) -> Witness {
        let said = self.said.iter().rev().find_map(|(to, message)| match message {
            Message::Witness { mine, .. } if to == "alice" => Some(mine.clone()),
            _ => None,
        });
        said.expect("a witness")
    }

    fn add(&mut self, dataset: &str, version: &str, differences: &[(&str, u64, u64)]) {
        let differences = differences.iter().map(|(it, a, b)| ((*it).to_owned(), (*a, *b)));
        let version = Version {
            version: version.into(),
            digest: String::new(),
            rows: 10,
            at_ms: 0,
            differences: differences.collect(),
        };
        self.ask(Command::AddDataset { dataset: dataset.into(), version });
    }

    /// A study that all have approved.
    fn study(&mut self, document: Document) -> String {
        let id = document.id();
        let home = document.terms.home.clone();
        let approve =
            |party: &str| (party.to_owned(), signed(party, Domain::Approval, id.as_bytes()));
        let from = if home == "bob" { "alice" } else { &home };
        let approvals = BTreeMap::from([approve("alice"), approve("carol")]);
        self.hear(from, study(document, approvals));
        self.ask(Command::ApproveStudy(id.clone()));
        let (study, dataset) = (id.clone(), "table".to_owned());
        self.ask(Command::BindStudy { study, dataset });
        id
    }

    fn session(&self, id: &str) -> Session {
        let value = &self.disk[&(Table::Sessions, id.to_owned())];
        serde_json::from_slice(value).expect("a session")
    }

    fn sessions(&self) -> usize {
        self.disk.keys().filter(|(table, _)| *table == Table::Sessions).count()
    }

    fn charges(&self) -> usize {
        self.disk.keys().filter(|(table, _)| *table == Table::Ledger).count()
    }

    fn audited(&self, kind: &str) -> usize {
        let entries = self.disk.iter().filter(|((table, _), _)| *table == Table::Audit);
        let entries = entries.map(|(_, it)| serde_json::from_slice(it).expect("an entry"));
        entries.filter(|it: &Entry| it.kind == kind).count()
    }

    fn vote(&mut self, study: &str, id: &str, attempt: u32) -> Result<Beginning, Code> {
        let (study, session) = (study.to_owned(), id.to_owned());
        let engine = "engine".to_owned();
        let propose = Message::Propose { study: study.clone(), session, attempt, engine };
        let said = self.hear("alice", propose);
        match said.into_iter().map(|(_, message)| message).next() {
            Some(Message::Accept { nonce, frozen, .. }) => {
                let inputs = frozen.map(|frozen| ("bob".to_owned(), frozen));
                let mut beginning = made_up(&study, id, attempt, inputs.into_iter().collect());
                beginning.nonces.insert("bob".into(), nonce);
                Ok(beginning)
            }
            Some(Message::Refuse { code, .. }) => Err(code),
            other => panic!("neither a vote nor a refusal: {other:?}"),
        }
    }

    fn start(&mut self, beginning: &Beginning) {
        self.hear("alice", Message::Start { beginning: beginning.clone() });
    }

    fn worker(&mut self, beginning: &Beginning, event: WorkerEvent) {
        let (session, attempt) = (beginning.session.clone(), beginning.attempt);
        self.give(Input::Worker { session, attempt, event });
    }

    /// All say how an attempt ended.
    fn end(&mut self, beginning: &Beginning, ending: Ending) {
        self.worker(beginning, WorkerEvent::Ended(ending));
        let released = ending == Ending::Computed;
        for party in ["alice", "carol"] {
            let outcomes = vec![outcome(beginning, party, ending, released)];
            self.hear(party, Message::Outcomes { beginning: beginning.clone(), outcomes });
        }
    }

    /// An attempt that all have computed.
    fn succeed(&mut self, study: &str, id: &str, attempt: u32) -> Beginning {
        let beginning = self.vote(study, id, attempt).expect("a vote");
        self.start(&beginning);
        self.worker(&beginning, WorkerEvent::GateAsked);
        self.end(&beginning, Ending::Computed);
        beginning
    }
}

/// How far a party's state is, as it signs it.
fn witness(party: &str, (era, commits): (u32, u64), charges: u64) -> Witness {
    let (party, hash) = (party.to_owned(), format!("{commits:064x}"));
    let (life, signature) = ("1".repeat(64), String::new());
    let mut witness = Witness { party, era, life, commits, seq: 0, hash, charges, signature };
    witness.signature =
        signed(&witness.party, Domain::Witness, &witness.statement(&group(&keys())));
    witness
}

/// The fingerprints of all parties.
fn keys() -> BTreeMap<String, String> {
    NAMES.map(|it| (it.to_owned(), it.to_owned())).into()
}

fn document(name: &str, change: impl Fn(&mut Terms)) -> Document {
    common::document(name, &NAMES, change)
}

fn study(document: Document, approvals: BTreeMap<String, String>) -> Message {
    Message::Study { document: Box::new(document), approvals, withdrawn: None, closed: None }
}

/// The beginning of an attempt for which bob has not given a nonce.
fn made_up(study: &str, id: &str, attempt: u32, inputs: BTreeMap<String, Frozen>) -> Beginning {
    let nonces = NAMES.map(|it| (it.to_owned(), format!("{:064x}", it.len()))).into();
    Beginning { study: study.into(), session: id.into(), attempt, nonces, inputs }
}

fn outcome(beginning: &Beginning, party: &str, ending: Ending, released: bool) -> Outcome {
    let (party, id) = (party.to_owned(), beginning.id());
    let mut outcome = Outcome { party, id, ending, released, signature: String::new() };
    outcome.signature = signed(&outcome.party, Domain::Outcome, &outcome.statement());
    outcome
}

fn id(number: u64) -> String {
    format!("{number:032x}")
}

const NETWORK: Ending = Ending::Failed(Failure::Network);

#[test]
fn every_node_counts_attempts_and_looks_at_its_clock() {
    let mut bob = Bob::new();
    let study = bob.study(document("study", |terms| terms.attempts = 2));
    for attempt in 1..=2 {
        let beginning = bob.vote(&study, &id(1), attempt).expect("a vote");
        bob.start(&beginning);
        bob.end(&beginning, NETWORK);
    }
    assert_eq!(bob.launched.len(), 2);
    assert_eq!(bob.vote(&study, &id(1), 3), Err(Code::SessionOver));
    // Time passes between the vote and the start.
    let first = bob.vote(&study, &id(2), 1).expect("a vote");
    bob.start(&first);
    bob.end(&first, NETWORK);
    bob.now.wall_ms += 900_000;
    bob.now.mono_ms += 900_000;
    let late = bob.vote(&study, &id(2), 2).expect("a vote in the last second");
    bob.now.wall_ms += 1;
    bob.start(&late);
    assert_eq!(bob.launched.len(), 3);
    assert_eq!(bob.vote(&study, &id(2), 3), Err(Code::Busy), "the late one has not settled");
    bob.end(&late, NETWORK);
    assert_eq!(bob.vote(&study, &id(2), 3), Err(Code::SessionOver));
}

#[test]
fn a_further_attempt_has_the_same_tables_of_all() {
    let mut bob = Bob::new();
    let tables = |terms: &mut Terms| {
        terms.tables.insert("carol".into(), TableTerms { min_rows: 1 });
    };
    let study = bob.study(document("study", tables));
    let start = |bob: &mut Bob, attempt, version: &str| {
        let mut beginning = bob.vote(&study, &id(1), attempt).expect("a vote");
        beginning.inputs.insert("carol".into(), Frozen { version: version.into(), rows: 7 });
        bob.start(&beginning);
        bob.end(&beginning, NETWORK);
    };
    start(&mut bob, 1, "c1");
    start(&mut bob, 2, "c2");
    assert_eq!(bob.launched.len(), 1, "carol's table changed");
}

#[test]
fn every_opening_is_charged() {
    let mut bob = Bob::new();
    let once = bob.study(document("once", |terms| terms.releases = 1));
    let beginning = bob.vote(&once, &id(1), 1).expect("a vote");
    bob.start(&beginning);
    bob.worker(&beginning, WorkerEvent::GateAsked);
    bob.worker(&beginning, WorkerEvent::GateAsked);
    assert_eq!((bob.granted, bob.charges()), (2, 1), "asked again, the same attempt is free");
    bob.end(&beginning, NETWORK);
    assert_eq!(bob.vote(&once, &id(1), 2), Err(Code::BudgetReleases));
    let twice = bob.study(document("twice", |terms| terms.releases = 2));
    for attempt in 1..=2 {
        let beginning = bob.vote(&twice, &id(2), attempt).expect("a vote");
        bob.start(&beginning);
        bob.worker(&beginning, WorkerEvent::GateAsked);
        bob.end(&beginning, NETWORK);
    }
    assert_eq!(bob.charges(), 3);
    assert_eq!(bob.vote(&twice, &id(2), 3), Err(Code::BudgetReleases));
}

#[test]
fn attempts_that_were_made_up_do_nothing() {
    let mut bob = Bob::new();
    let study = bob.study(document("study", |_| {}));
    let beginning = bob.succeed(&study, &id(1), 1);
    assert_eq!(bob.session(&id(1)).end.expect("an end").state, Final::Succeeded);
    let before = bob.disk.clone();
    for (session, attempt) in [(1, 2), (1, 1), (1, u32::MAX), (2, 1), (2, u32::MAX)] {
        let forged = made_up(&study, &id(session), attempt, beginning.inputs.clone());
        let outcomes = vec![outcome(&forged, "alice", Ending::Cheated, true)];
        let said = bob.hear("alice", Message::Outcomes { beginning: forged.clone(), outcomes });
        assert_eq!(said, [], "{session} {attempt}");
        bob.start(&forged);
    }
    assert!(bob.disk == before, "nothing is stored");
    // An attempt for which bob has voted counts even if he never heard of its beginning.
    let voted = bob.vote(&study, &id(3), 1).expect("a vote");
    let outcomes = vec![outcome(&voted, "carol", NETWORK, false)];
    // Carol could know the nonce, and make up the rest; home tells of it in any case.
    let message = Message::Outcomes { beginning: voted, outcomes };
    assert_eq!(bob.hear("carol", message.clone()), []);
    let said = bob.hear("alice", message);
    assert!(said.iter().any(|(_, it)| matches!(it, Message::OutcomesKnown { .. })));
    assert_eq!(bob.session(&id(3)).attempts.len(), 1);
}

#[test]
fn home_hears_of_no_attempt_that_it_did_not_begin() {
    let mut bob = Bob::new();
    let study = bob.study(document("study", |terms| terms.home = "bob".into()));
    bob.said.clear();
    bob.ask(Command::StartSession { study: study.clone(), key: None });
    let said = std::mem::take(&mut bob.said);
    let mut proposals = said.iter().filter(|(_, it)| matches!(it, Message::Propose { .. }));
    let Some((_, Message::Propose { session, attempt, .. })) = proposals.next() else {
        panic!("no proposal: {said:?}")
    };
    let before = bob.disk.clone();
    for (id, number) in [(session, *attempt), (session, u32::MAX), (&id(9), 1)] {
        let inputs = BTreeMap::from([("bob".into(), Frozen { version: "v1".into(), rows: 10 })]);
        let beginning = made_up(&study, id, number, inputs);
        let outcomes = vec![outcome(&beginning, "alice", Ending::Cheated, true)];
        assert_eq!(bob.hear("alice", Message::Outcomes { beginning, outcomes }), []);
    }
    assert!(bob.disk == before, "nothing is stored");
    // Nonces that are none do not get into an attempt.
    for nonce in ["", "not hex", &"f".repeat(65)] {
        for peer in ["alice", "carol"] {
            let (session, nonce) = (session.clone(), nonce.to_owned());
            bob.hear(peer, Message::Accept { session, attempt: *attempt, nonce, frozen: None });
        }
    }
    assert!(bob.launched.is_empty());
    for peer in ["alice", "carol"] {
        let (session, nonce) = (session.clone(), "f".repeat(64));
        bob.hear(peer, Message::Accept { session, attempt: *attempt, nonce, frozen: None });
    }
    assert_eq!(bob.launched.len(), 1);
}

#[test]
fn two_words_of_one_party_reach_everybody() {
    let mut bob = Bob::new();
    let study = bob.study(document("study", |_| {}));
    let beginning = bob.succeed(&study, &id(1), 1);
    let ack = |words: &[(&str, Ending, bool)], proof| {
        let words = words.iter().map(|(it, a, b)| ((*it).to_owned(), (*a, *b))).collect();
        Message::OutcomesKnown { session: id(1), attempt: 1, words, proof }
    };
    let computed = NAMES.map(|it| (it, Ending::Computed, true));
    // Carol has heard another word of alice, so she is told again.
    let other = [("alice", NETWORK, false), computed[1], computed[2]];
    bob.hear("alice", ack(&computed, false));
    bob.hear("carol", ack(&other, false));
    assert!(!bob.session(&id(1)).attempts[&1].settled);
    bob.hear("carol", ack(&computed, false));
    assert!(bob.session(&id(1)).attempts[&1].settled);
    // Long after, alice says something else to bob alone.
    bob.tick(3 * 60_000);
    let outcomes = vec![outcome(&beginning, "alice", NETWORK, true)];
    let said = bob.hear("alice", Message::Outcomes { beginning: beginning.clone(), outcomes });
    let both = |message: &Message| match message {
        Message::Outcomes { outcomes, .. } => {
            outcomes.iter().filter(|it| it.party == "alice").count() == 2
        }
        _ => false,
    };
    let to_carol =
        |said: &[(String, Message)]| said.iter().any(|(to, it)| to == "carol" && both(it));
    assert!(to_carol(&said), "{said:?}");
    let session = bob.session(&id(1));
    assert_eq!(session.attempts[&1].class(), Some(Class::Cheated));
    assert_eq!(session.end.expect("an end").state, Final::Cheated);
    assert!(to_carol(&bob.tick(60_000)), "it is said until she knows");
    bob.hear("carol", ack(&computed, false));
    assert!(to_carol(&bob.tick(60_000)), "the words alone are not enough");
    bob.hear("carol", ack(&computed, true));
    bob.hear("alice", ack(&computed, true));
    assert!(bob.session(&id(1)).attempts[&1].settled);
    assert!(!to_carol(&bob.tick(60_000)));
}

#[test]
fn a_proof_that_is_passed_on_counts() {
    let mut bob = Bob::new();
    let study = bob.study(document("study", |_| {}));
    let beginning = bob.succeed(&study, &id(1), 1);
    let lie = outcome(&beginning, "alice", NETWORK, true);
    let mut forged = lie.clone();
    forged.signature = "forged".into();
    let truth = |party| outcome(&beginning, party, Ending::Computed, true);
    let outcomes = |last| vec![truth("alice"), truth("carol"), truth("bob"), last];
    let message = |last| {
        let (beginning, outcomes) = (beginning.clone(), outcomes(last));
        Message::Outcomes { beginning, outcomes }
    };
    bob.hear("carol", message(forged));
    assert_eq!(bob.session(&id(1)).end.expect("an end").state, Final::Succeeded);
    let said = bob.hear("carol", message(lie));
    assert_eq!(bob.session(&id(1)).end.expect("an end").state, Final::Cheated);
    let knows = |message: &Message| matches!(message, Message::OutcomesKnown { proof: true, .. });
    assert!(said.iter().any(|(to, it)| to == "carol" && knows(it)), "{said:?}");
}

#[test]
fn what_has_not_the_shape_of_an_id_is_not_looked_at() {
    let mut bob = Bob::new();
    let study = bob.study(document("study", |_| {}));
    let before = bob.disk.clone();
    for session in ["", "1", &"F".repeat(32), &"f".repeat(33), &"\0".repeat(32)] {
        let (study, session) = (study.clone(), session.to_owned());
        let engine = "engine".to_owned();
        let propose = Message::Propose { study, session, attempt: 1, engine };
        assert_eq!(bob.hear("alice", propose), []);
    }
    let end = End { state: Final::Failed, code: None, party: Some("x".repeat(65)) };
    let (session, study) = (id(1), study.clone());
    assert_eq!(bob.hear("alice", Message::Ended { session, study, end }), []);
    assert!(bob.disk == before, "nothing is stored");
}

#[test]
fn an_end_of_an_unknown_session_stores_nothing() {
    let mut bob = Bob::new();
    let study = bob.study(document("study", |_| {}));
    let before = bob.disk.clone();
    for number in 0..1000 {
        let end = End { state: Final::Cancelled, code: None, party: None };
        let (session, study) = (id(number), study.clone());
        let said = bob.hear("alice", Message::Ended { session, study, end });
        assert!(matches!(said[..], [(_, Message::EndKnown { .. })]), "{said:?}");
    }
    assert!(bob.disk == before, "nothing is stored");
    // A late proposal does not begin it.
    let (study, engine) = (study.clone(), "engine".to_owned());
    let propose = Message::Propose { study, session: id(999), attempt: 1, engine };
    assert_eq!(bob.hear("alice", propose), []);
    assert_eq!(bob.sessions(), 0);
}

#[test]
fn peers_fill_neither_the_audit_log_nor_the_sessions() {
    let mut bob = Bob::new();
    let open = document("unapproved", |_| {});
    let unapproved = open.id();
    bob.hear("alice", study(open, BTreeMap::new()));
    let once = bob.study(document("once", |terms| terms.releases = 1));
    bob.succeed(&once, &id(1), 1);
    for number in 10..100 {
        let nothing = bob.vote(&format!("{:064x}", 1), &id(number), 1);
        assert_eq!(nothing, Err(Code::UnknownStudy));
        assert_eq!(bob.vote(&unapproved, &id(number), 1), Err(Code::NotApproved));
        assert_eq!(bob.vote(&once, &id(number), 1), Err(Code::BudgetReleases));
    }
    assert_eq!((bob.audited("refused"), bob.sessions()), (1, 1));
    bob.tick(HOUR);
    assert_eq!(bob.vote(&once, &id(100), 1), Err(Code::BudgetReleases));
    assert_eq!(bob.audited("refused"), 2);
    // Sessions that are proposed and let go.
    let more = bob.study(document("more", |terms| terms.expires_seconds = 30_000_000));
    for number in 1000..1100 {
        let voted = bob.vote(&more, &id(number), 1);
        assert_eq!(voted.is_ok(), number < 1064, "{number}");
        bob.hear("alice", Message::Release { session: id(number), attempt: 1 });
    }
    assert_eq!(bob.sessions(), 65);
    for _ in 0..3 {
        bob.give(Input::Linked { peer: "carol".into(), statements: "another".into() });
    }
    assert_eq!(bob.audited("key_changed"), 1);
    for number in 0..100 {
        let statements = format!("another {number}");
        bob.give(Input::Linked { peer: "carol".into(), statements });
    }
    assert_eq!(bob.audited("key_changed"), 16);
}

/// Home proposes and ends as often as it likes: what never began here leaves nothing, but is shown.
#[test]
fn sessions_that_never_began_leave_nothing() {
    let mut bob = Bob::new();
    let of = bob.study(document("ended", |terms| terms.expires_seconds = 30_000_000));
    for number in 0..400 {
        bob.vote(&of, &id(number), 1).expect("a vote");
        let end =
            End { state: Final::Refused, code: Some(Code::MinChange), party: Some("carol".into()) };
        let ended = Message::Ended { session: id(number), study: of.clone(), end };
        let said = bob.hear("alice", ended);
        assert!(matches!(said[..], [(_, Message::EndKnown { .. })]), "{said:?}");
        // A late copy of the proposal does not begin it again.
        let late = Message::Propose {
            study: of.clone(),
            session: id(number),
            attempt: 1,
            engine: "engine".into(),
        };
        assert_eq!(bob.hear("alice", late), []);
    }
    assert_eq!((bob.sessions(), bob.audited("session_ended")), (0, 0));
    let shown = bob.answer(Command::ShowSession(id(399)));
    assert_eq!((&shown["state"], &shown["code"]), (&"refused".into(), &"min_change".into()));
    assert_eq!(bob.answer(Command::ListSessions).as_array().map(Vec::len), Some(256));
}

/// A proof ends a session while its home, which does not know it yet, begins another attempt: all hear what became of that.
#[test]
fn an_attempt_after_a_proof_has_an_end_here() {
    let mut bob = Bob::new();
    let of = bob.study(document("late", |terms| terms.releases = 5));
    let first = bob.vote(&of, &id(1), 1).expect("a vote");
    bob.start(&first);
    bob.end(&first, Ending::Failed(Failure::Network));
    bob.tick(HOUR / 60);
    let second = bob.vote(&of, &id(1), 2).expect("a vote");
    let lie = vec![outcome(&first, "carol", Ending::Computed, true)];
    bob.hear("carol", Message::Outcomes { beginning: first, outcomes: lie });
    assert_eq!(bob.session(&id(1)).end.map(|end| end.state), Some(Final::Cheated));
    bob.hear("alice", Message::Start { beginning: second.clone() });
    let attempts = bob.session(&id(1)).attempts;
    assert_eq!(attempts[&2].ended_here("bob"), Some(Ending::Failed(Failure::NotStarted)));
    let said = bob.tick(1000);
    let of_bob = |message: &Message| match message {
        Message::Outcomes { beginning, outcomes } if *beginning == second => outcomes
            .iter()
            .any(|it| it.party == "bob" && it.ending == Ending::Failed(Failure::NotStarted)),
        _ => false,
    };
    assert!(said.iter().any(|(to, message)| to == "alice" && of_bob(message)), "{said:?}");
}

/// What an operator reads before approving is what is there.
#[test]
fn what_is_read_before_it_is_approved_hides_nothing() {
    let good = document("plain", |terms| terms.purpose = "Löhne & 給料: sums".into());
    assert_eq!(good.check(), Ok(()));
    for hidden in
        ["a\nid 1234", "\u{1b}[8m", "a\u{202e}b", "a\u{200b}b", "\r", "\u{7f}", "a\u{e0041}"]
    {
        for change in
            [(|terms, text| terms.purpose = text) as fn(&mut Terms, String), |terms, text| {
                terms.protocol = text
            }]
        {
            let document = document("hidden", |terms| change(terms, hidden.into()));
            assert!(document.check().is_err(), "{hidden:?}");
        }
    }
    let mut bob = Bob::new();
    let of = bob.study(document("names", |_| {}));
    let end =
        End { state: Final::Refused, code: Some(Code::Busy), party: Some("\u{1b}[8m".into()) };
    let ended = Message::Ended { session: id(1), study: of, end };
    assert_eq!(bob.hear("alice", ended), []);
}

#[test]
fn a_peer_takes_no_other_peers_place_for_studies() {
    let mut bob = Bob::new();
    let propose = |bob: &mut Bob, peer: &str, number: u32| {
        let document = document(&format!("{peer}-{number}"), |_| {});
        let id = document.id();
        let said = bob.hear(peer, study(document, BTreeMap::new()));
        assert!(!said.iter().any(|(_, it)| matches!(it, Message::Study { .. })), "passed on");
        (bob.disk.contains_key(&(Table::Studies, id.clone())), id)
    };
    let mut first = None;
    for number in 0..100 {
        let (known, id) = propose(&mut bob, "alice", number);
        assert_eq!(known, number < 64);
        first.get_or_insert(id);
    }
    let told = |said: Vec<(String, Message)>| {
        said.iter().any(|(_, message)| matches!(message, Message::Study { .. }))
    };
    assert!(!told(bob.tick(1)), "bob has no hand in them, so he tells nobody");
    assert!(propose(&mut bob, "carol", 0).0);
    // One that bob approves does not count any more, and one that alice withdraws makes room.
    let first = first.expect("a study");
    bob.ask(Command::ApproveStudy(first));
    assert!(propose(&mut bob, "alice", 100).0);
    assert!(!propose(&mut bob, "alice", 101).0);
    let document = document("alice-5", |_| {});
    let signature = signed("alice", Domain::Withdrawal, document.id().as_bytes());
    let withdrawn = Some(tacit_node::Mark { party: "alice".into(), signature });
    let (document, approvals) = (Box::new(document), BTreeMap::new());
    bob.hear("alice", Message::Study { document, approvals, withdrawn, closed: None });
    assert!(propose(&mut bob, "alice", 102).0);
    let studies = bob.disk.keys().filter(|(table, _)| *table == Table::Studies).count();
    assert_eq!(studies, 66);
}

#[test]
fn a_study_fits_into_one_message_and_has_a_name_that_is_no_id() {
    let good = document("study", |_| {});
    assert_eq!(good.check(), Ok(()));
    let mut wide = good.clone();
    wide.program = "\u{1}".repeat(200_000);
    assert!(serde_json::to_string(&wide).expect("text").len() > MAX_MESSAGE_BYTES);
    assert!(wide.check().is_err());
    let mut long = good.clone();
    long.program_digest = "d".repeat(1000);
    assert!(long.check().is_err());
    let mut long = good.clone();
    long.terms.protocol = "p".repeat(1000);
    assert!(long.check().is_err());
    let mut long = good;
    long.members.get_mut("bob").expect("a member").statements = "k".repeat(1000);
    assert!(long.check().is_err());
    for (name, fits) in
        [("abcdef", false), ("0123456789", false), ("abcde", true), ("facade-2", true)]
    {
        assert_eq!(document(name, |_| {}).check().is_ok(), fits, "{name}");
    }
}

#[test]
fn a_promise_that_has_lapsed_begins_nothing() {
    let mut bob = Bob::new();
    let study = bob.study(document("study", |_| {}));
    let beginning = bob.vote(&study, &id(1), 1).expect("a vote");
    bob.now.mono_ms += 10_000;
    bob.start(&beginning);
    assert!(bob.launched.is_empty());
    assert_eq!(bob.session(&id(1)).attempts.len(), 1, "the others hear that it did not begin");
    // A vote that is asked for again has the same nonce: home may have heard the first answer alone.
    let first = bob.vote(&study, &id(2), 1).expect("a vote");
    bob.now.mono_ms += 10_000;
    assert_eq!(bob.vote(&study, &id(2), 1), Ok(first));
}

#[test]
fn budgets_and_changes_count_for_a_table_whatever_the_label() {
    let policy = Policy { max_releases: 3, ..Policy::default() };
    let mut bob = Bob::with(&policy);
    let strict = bob.study(document("strict", |terms| terms.min_change = 3));
    let other = bob.study(document("other", |terms| terms.label = "another".into()));
    bob.succeed(&strict, &id(1), 1);
    bob.add("table", "v2", &[("v1", 1, 0)]);
    assert_eq!(bob.vote(&other, &id(2), 1), Err(Code::MinChange));
    bob.add("table", "v3", &[("v1", 4, 0)]);
    // A session of either study runs; what opens first counts at the gate of the other.
    let late = bob.vote(&other, &id(3), 1).expect("a vote");
    bob.start(&late);
    bob.add("table", "v4", &[("v1", 4, 0), ("v3", 1, 0)]);
    bob.succeed(&strict, &id(4), 1);
    bob.worker(&late, WorkerEvent::GateAsked);
    assert_eq!(bob.denied, ["min_change"]);
    bob.end(&late, Ending::Failed(Failure::Denied));
    // Two releases are spent; the third is the last of the table, whatever its label.
    bob.add("table", "v5", &[("v1", 9, 9), ("v3", 9, 9), ("v4", 9, 9)]);
    bob.succeed(&other, &id(5), 1);
    assert_eq!(bob.vote(&other, &id(6), 1), Err(Code::BudgetLabel));
}

#[test]
fn a_clock_that_jumps_ahead_frees_no_budget_and_deletes_nothing() {
    let policy = Policy { max_releases: 1, ..Policy::default() };
    let mut bob = Bob::with(&policy);
    let study = bob.study(document("study", |_| {}));
    bob.succeed(&study, &id(1), 1);
    bob.now.wall_ms += 40 * 24 * HOUR;
    assert_eq!(bob.vote(&study, &id(2), 1), Err(Code::BudgetLabel));
    bob.now.mono_ms += 40 * 24 * HOUR;
    bob.now.wall_ms += 1;
    assert!(bob.vote(&study, &id(3), 1).is_ok());
}

#[test]
fn who_has_approved_counts_and_not_by_which_signature() {
    let mut bob = Bob::new();
    let document = document("study", |_| {});
    let id = document.id();
    let approvals = |mark: &str| {
        let signature = signed("alice", Domain::Approval, id.as_bytes());
        BTreeMap::from([("alice".to_owned(), format!("{signature}{mark}"))])
    };
    let first = bob.hear("alice", study(document.clone(), approvals("")));
    let mut other = Bob::new();
    assert_eq!(other.hear("alice", study(document, approvals("!"))), first);
    let stored: Study =
        serde_json::from_slice(&other.disk[&(Table::Studies, id.clone())]).expect("a study");
    assert!(stored.approvals["alice"].ends_with('!'));
}

/// What alice and carol keep of bob, and bob's disk before it.
struct Kept {
    before: BTreeMap<(Table, String), Vec<u8>>,
    shown: Witness,
    past: Vec<Past>,
    study: String,
    document: Document,
}

/// Bob releases results of a study with two releases once; a copy of his disk is older.
fn released_once() -> Kept {
    let mut bob = Bob::new();
    let document = document("study", |terms| terms.min_change = 3);
    let study = bob.study(document.clone());
    let before = bob.disk.clone();
    let beginning = bob.vote(&study, &id(1), 1).expect("a vote");
    bob.start(&beginning);
    bob.worker(&beginning, WorkerEvent::GateAsked);
    let shown = bob.witnessed();
    bob.worker(&beginning, WorkerEvent::Ended(Ending::Computed));
    let mine = bob.session(&id(1)).attempts[&1].outcomes["bob"].clone();
    let mut outcomes = vec![mine];
    outcomes.extend(["alice", "carol"].map(|it| outcome(&beginning, it, Ending::Computed, true)));
    Kept { before, shown, past: vec![Past { beginning, outcomes }], study, document }
}

impl Kept {
    /// Bob's node with the older state, and all peers connected.
    fn put_back(&self) -> Bob {
        let mut bob = Bob::load(&Policy::default(), self.before.clone(), 1_001 * HOUR);
        bob.link("alice", Some(self.shown.clone()));
        bob.link("carol", None);
        bob
    }

    fn tell(&self, bob: &mut Bob, from: &str, past: Vec<Past>) {
        bob.tick(2000);
        bob.hear(from, Message::Recalled { after: None, past, next: None });
    }
}

fn recover(bob: &mut Bob, charges: &[(&str, u32)]) -> Result<Value, String> {
    let charges = charges.iter().map(|(study, count)| ((*study).to_owned(), *count)).collect();
    bob.try_to(Command::Recover(charges)).map_err(|problem| problem.code)
}

#[test]
fn a_state_that_was_put_back_is_noticed_and_takes_part_in_nothing() {
    let kept = released_once();
    assert_eq!(kept.shown.charges, 1);
    let mut bob = kept.put_back();
    assert_eq!(bob.audited("rolled_back"), 1);
    assert_eq!(bob.vote(&kept.study, &id(2), 1), Err(Code::RolledBack));
    let status = bob.answer(Command::Status);
    assert_eq!(status["recovery"]["missing"], 1);
    // It asks for what it has forgotten, and another start does not help.
    let recalls = |said: Vec<(String, Message)>| {
        said.into_iter().filter(|(_, it)| matches!(it, Message::Recall { after: None })).count()
    };
    assert_eq!(recalls(bob.tick(2000)), 2);
    let mut again = Bob::load(&Policy::default(), bob.disk.clone(), 1_002 * HOUR);
    again.link("alice", None);
    again.link("carol", None);
    assert_eq!(again.vote(&kept.study, &id(2), 1), Err(Code::RolledBack));
    assert_eq!(recover(&mut again, &[]), Err("recovering".into()));
}

#[test]
fn what_was_released_is_charged_again_before_a_node_goes_on() {
    let kept = released_once();
    let mut bob = kept.put_back();
    kept.tell(&mut bob, "alice", Vec::new());
    assert_eq!(recover(&mut bob, &[]), Err("recovering".into()));
    // Who answers twice says nothing more.
    kept.tell(&mut bob, "alice", kept.past.clone());
    assert_eq!(bob.charges(), 0);
    kept.tell(&mut bob, "carol", kept.past.clone());
    assert_eq!(bob.charges(), 1);
    assert_eq!(recover(&mut bob, &[]).expect("recovered")["recovery"], Value::Null);
    assert!(bob.witnessed().era > kept.shown.era);
    assert_eq!(recover(&mut bob, &[]), Err("not_rolled_back".into()));
    // The session ended as it had; of two releases one is left, and not with a table that hardly differs.
    let known = bob.session(&id(1));
    assert_eq!(known.end.map(|end| end.state), Some(Final::Succeeded));
    bob.add("table", "v2", &[("v1", 1, 1)]);
    assert_eq!(bob.vote(&kept.study, &id(2), 1), Err(Code::MinChange));
    bob.add("table", "v3", &[("v1", 9, 9)]);
    bob.succeed(&kept.study, &id(3), 1);
    assert_eq!(bob.charges(), 2);
    assert_eq!(bob.vote(&kept.study, &id(4), 1), Err(Code::BudgetReleases));
    // What was shown before counts no more, and what is said now is later than that.
    let (mine, yours) = (witness("carol", (0, 2), 0), Some(kept.shown.clone()));
    bob.hear("carol", Message::Witness { mine, yours, heard: true });
    assert_eq!(bob.audited("rolled_back"), 1);
}

#[test]
fn releases_that_nobody_tells_of_are_charged_by_hand() {
    let kept = released_once();
    let mut bob = kept.put_back();
    for peer in ["alice", "carol"] {
        kept.tell(&mut bob, peer, Vec::new());
    }
    assert_eq!(recover(&mut bob, &[]), Err("releases_missing".into()));
    assert_eq!(recover(&mut bob, &[("nothing", 1)]), Err("unknown_study".into()));
    assert_eq!(bob.charges(), 0);
    assert!(recover(&mut bob, &[("study", 1)]).is_ok());
    // What table it was nobody knows, so none differs from it by enough.
    assert_eq!(bob.vote(&kept.study, &id(2), 1), Err(Code::MinChange));
}

#[test]
fn peers_cannot_make_up_what_was_forgotten() {
    let kept = released_once();
    // A state of bob that bob has not signed, or a later one of somebody else.
    let mut bob = Bob::load(&Policy::default(), kept.before.clone(), 1_001 * HOUR);
    let forged = Witness { commits: 1_000_000, ..kept.shown.clone() };
    bob.link("alice", Some(forged));
    bob.link("carol", Some(witness("carol", (7, 1_000_000), 9)));
    assert_eq!(bob.audited("rolled_back"), 0);
    assert!(bob.vote(&kept.study, &id(2), 1).is_ok());
    // A forged word of bob, or one of another attempt, is none; an attempt that was made up gives way to the one that he signed.
    let mut bob = kept.put_back();
    let mut past = kept.past.clone();
    past[0].outcomes[0].released = false;
    past[0].outcomes.truncate(1);
    let nonces = &mut past[0].beginning.nonces;
    nonces.insert("alice".into(), "f".repeat(64));
    kept.tell(&mut bob, "alice", past);
    assert_eq!(bob.charges(), 0);
    kept.tell(&mut bob, "carol", kept.past.clone());
    assert_eq!(bob.charges(), 1);
    assert!(recover(&mut bob, &[]).is_ok());
    let known = bob.session(&id(1));
    assert_eq!(known.attempts[&1].id, kept.past[0].beginning.id());
    assert_eq!(known.attempts[&1].ended_here("bob"), Some(Ending::Computed));
}

#[test]
fn an_attempt_of_which_nobody_knows_bobs_word_counts_as_released() {
    let kept = released_once();
    let mut bob = kept.put_back();
    let mut past = kept.past.clone();
    past[0].outcomes.retain(|it| it.party == "alice");
    kept.tell(&mut bob, "alice", past.clone());
    assert_eq!(bob.charges(), 1);
    // Nothing is said of it while carol may know better.
    assert!(!bob.session(&id(1)).attempts[&1].outcomes.contains_key("bob"));
    kept.tell(&mut bob, "carol", past);
    // It counts; but that it is the one that is missing nobody can prove.
    assert_eq!(recover(&mut bob, &[]), Err("releases_missing".into()));
    assert!(recover(&mut bob, &[("study", 1)]).is_ok());
    assert_eq!(bob.charges(), 2);
    let word = bob.session(&id(1)).attempts[&1].outcomes["bob"].word();
    assert_eq!(word, (Ending::Failed(tacit_node::Failure::Restarted), true));
}

#[test]
fn forgotten_studies_are_told_before_their_attempts() {
    let early = Bob::new().disk;
    let kept = released_once();
    let mut bob = Kept { before: early, ..released_once() }.put_back();
    kept.tell(&mut bob, "carol", kept.past.clone());
    kept.tell(&mut bob, "alice", kept.past.clone());
    assert_eq!(recover(&mut bob, &[]), Err("recovering".into()));
    bob.hear("alice", study(kept.document.clone(), BTreeMap::new()));
    bob.tick(60_000);
    kept.tell(&mut bob, "alice", kept.past.clone());
    kept.tell(&mut bob, "carol", kept.past.clone());
    assert!(recover(&mut bob, &[]).is_ok());
    assert_eq!(bob.charges(), 1);
}

#[test]
fn a_restored_backup_recovers_even_if_nobody_has_seen_more() {
    let kept = released_once();
    let Stored { table, key, value } = put_back(1_000 * HOUR);
    let mut disk = kept.before.clone();
    disk.insert((table, key), value);
    let mut bob = Bob::load(&Policy::default(), disk, 1_001 * HOUR);
    bob.link("alice", None);
    bob.link("carol", None);
    assert_eq!(bob.vote(&kept.study, &id(2), 1), Err(Code::RolledBack));
    for peer in ["alice", "carol"] {
        kept.tell(&mut bob, peer, kept.past.clone());
    }
    assert!(recover(&mut bob, &[]).is_ok());
    assert_eq!(bob.charges(), 1);
}

#[test]
fn a_copy_that_has_written_more_since_is_noticed_too() {
    let kept = released_once();
    let mut bob = Bob::load(&Policy::default(), kept.before.clone(), 1_001 * HOUR);
    for number in 0..20 {
        bob.add("other", &format!("w{number}"), &[]);
    }
    bob.link("alice", Some(kept.shown.clone()));
    bob.link("carol", None);
    assert_eq!(bob.audited("rolled_back"), 1);
}

#[test]
fn nothing_begins_before_all_peers_have_shown_what_they_keep() {
    let kept = released_once();
    let mut bob = Bob::load(&Policy::default(), kept.before.clone(), 1_001 * HOUR);
    bob.link("alice", None);
    let statements = "key carol".to_owned();
    bob.give(Input::Linked { peer: "carol".into(), statements });
    assert_eq!(bob.vote(&kept.study, &id(2), 1), Err(Code::Busy));
    let mine = witness("carol", (0, 1), 0);
    bob.hear("carol", Message::Witness { mine, yours: None, heard: true });
    assert!(bob.vote(&kept.study, &id(2), 1).is_ok());
}

#[test]
fn bob_tells_a_peer_that_was_put_back_what_it_signed() {
    let mut bob = Bob::with(&Policy { max_releases: 50, ..Policy::default() });
    let study = bob.study(document("study", |terms| terms.releases = 50));
    for number in 1..=20 {
        bob.succeed(&study, &id(number), 1);
    }
    let mut after = None;
    let mut told = Vec::new();
    let pages = loop {
        let said = bob.hear("alice", Message::Recall { after: after.clone() });
        let Some((to, Message::Recalled { past, next, after: of })) = said.into_iter().next()
        else {
            panic!("no answer");
        };
        assert_eq!((&to[..], &of), ("alice", &after));
        told.extend(past);
        match next {
            Some(_) => after = next,
            None => break told.len().div_ceil(16),
        }
    };
    assert_eq!((told.len(), pages), (20, 2));
    let signed = |it: &Past| it.outcomes.iter().any(|it| it.party == "alice" && it.released);
    assert!(told.iter().all(signed));
    let key = Signer("bob".into());
    let alice = |it: &tacit_node::Outcome| {
        it.party == "alice"
            && key.verify("key alice", Domain::Outcome, &it.statement(), &it.signature)
    };
    assert!(told.iter().all(|it| it.outcomes.iter().any(alice)));
}

#[test]
fn what_bob_signed_counts_whatever_was_told_before() {
    let kept = released_once();
    // Alice says first that the session was another study's, or had another table.
    let other = document("other", |terms| terms.home = "alice".into());
    for (study_of_lie, version) in [(other.id(), "v1"), (kept.study.clone(), "v0")] {
        let mut bob = kept.put_back();
        let approved = signed("alice", Domain::Approval, other.id().as_bytes());
        bob.hear("alice", study(other.clone(), BTreeMap::from([("alice".into(), approved)])));
        let mut lie = kept.past[0].beginning.clone();
        lie.study.clone_from(&study_of_lie);
        lie.nonces.insert("alice".into(), "f".repeat(64));
        lie.inputs.insert("bob".into(), Frozen { version: version.into(), rows: 10 });
        let outcomes = vec![outcome(&lie, "alice", Ending::Computed, true)];
        kept.tell(&mut bob, "alice", vec![Past { beginning: lie, outcomes }]);
        assert_eq!(bob.charges(), 1, "what alice says counts for now");
        assert_eq!(recover(&mut bob, &[]), Err("recovering".into()));
        kept.tell(&mut bob, "carol", kept.past.clone());
        assert!(recover(&mut bob, &[]).is_ok());
        let charge = &bob.disk[&(Table::Ledger, format!("{}/1", id(1)))];
        let charge: Charge = serde_json::from_slice(charge).expect("a charge");
        assert_eq!(charge.study, kept.study);
        assert_eq!(charge.table.map(|(_, frozen)| frozen.version), Some("v1".into()));
        assert_eq!(bob.charges(), 1, "what alice made up gives way");
    }
}

#[test]
fn made_up_attempts_do_not_stand_for_releases_that_are_missing() {
    let kept = released_once();
    let mut bob = kept.put_back();
    let mut lie = kept.past[0].beginning.clone();
    lie.session = id(7);
    let outcomes = vec![outcome(&lie, "alice", Ending::Computed, true)];
    kept.tell(&mut bob, "alice", vec![Past { beginning: lie, outcomes }]);
    kept.tell(&mut bob, "carol", Vec::new());
    assert_eq!(recover(&mut bob, &[]), Err("releases_missing".into()));
}

#[test]
fn a_forgotten_word_of_bob_is_noticed_wherever_it_turns_up() {
    let kept = released_once();
    let mut bob = Bob::load(&Policy::default(), kept.before.clone(), 1_001 * HOUR);
    bob.link("alice", None);
    bob.link("carol", None);
    let Past { beginning, outcomes } = kept.past[0].clone();
    bob.hear("carol", Message::Outcomes { beginning, outcomes });
    assert_eq!((bob.audited("rolled_back"), bob.charges()), (1, 1));
    assert_eq!(bob.vote(&kept.study, &id(2), 1), Err(Code::RolledBack));
    assert_eq!(bob.audited("two_outcomes"), 0);
}

#[test]
fn a_copy_in_the_same_life_is_noticed_by_its_entries() {
    let kept = released_once();
    let mut bob = Bob::new();
    let shown = Witness { hash: "9".repeat(64), commits: 1, ..bob.witnessed_now() };
    let statement = shown.statement(&group(&keys()));
    let shown = Witness { signature: signed("bob", Domain::Witness, &statement), ..shown };
    let mine = witness("carol", (0, 2), 0);
    bob.hear("carol", Message::Witness { mine, yours: Some(shown), heard: true });
    assert_eq!(bob.audited("rolled_back"), 1);
    drop(kept);
}

#[test]
fn a_table_that_is_lost_counts_for_all_datasets() {
    let kept = released_once();
    let mut bob = kept.put_back();
    let mut past = kept.past.clone();
    past[0].outcomes.retain(|it| it.party == "bob");
    kept.tell(&mut bob, "alice", past.clone());
    kept.tell(&mut bob, "carol", past);
    assert!(recover(&mut bob, &[]).is_ok());
    let charge = bob.disk.iter().find(|((table, _), _)| *table == Table::Ledger);
    assert!(charge.is_some());
    // As if the version had been added after the copy.
    let mut disk = kept.before.clone();
    disk.retain(|(table, _), _| *table != Table::Datasets);
    let mut bob = Kept { before: disk, ..released_once() }.put_back();
    for peer in ["alice", "carol"] {
        kept.tell(&mut bob, peer, kept.past.clone());
    }
    assert!(recover(&mut bob, &[]).is_ok());
    bob.add("other", "w1", &[]);
    // The same name, and nothing that is known of the lost one.
    bob.add("table", "w1", &[]);
    let other = document("other", |terms| {
        (terms.label, terms.min_change) = ("another".into(), 3);
    });
    let study = bob.study(other);
    bob.ask(Command::BindStudy { study: study.clone(), dataset: "other".into() });
    assert_eq!(bob.vote(&study, &id(5), 1), Err(Code::MinChange));
}

#[test]
fn a_gate_waits_until_somebody_hears_of_it() {
    let mut bob = Bob::new();
    let study = bob.study(document("study", |_| ()));
    let beginning = bob.vote(&study, &id(1), 1).expect("a vote");
    bob.start(&beginning);
    bob.give(Input::Unlinked { peer: "carol".into() });
    bob.worker(&beginning, WorkerEvent::GateAsked);
    bob.tick(1000);
    assert_eq!((bob.granted, bob.charges()), (0, 0));
    bob.link("carol", None);
    bob.tick(1000);
    assert_eq!((bob.granted, bob.charges()), (1, 1));
}
