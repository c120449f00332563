//! The node: its state, how it is loaded, and how it takes inputs.

use crate::audit::{Entry, Head};
use crate::command::{Answer, Command, Dataset};
use crate::effect::{Batch, Change, Effect, Step, Stored, Table};
use crate::message::{MAX_TEXT_BYTES, Message};
use crate::policy::{Code, Limits, Policy};
use crate::safeguard::Safeguard;
use crate::session::{Charge, Ending, Frozen, Session, Word};
use crate::sign::Statements;
use crate::state::{Life, RECOVERY, Recovery, Witness, begins, group};
use crate::studies::digest;
use crate::study::{Document, Study};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// Longest wait before something is said again, in milliseconds.
const MOST_WAIT_MS: u64 = 60_000;
/// How long keys of requests are known, in milliseconds.
const REQUESTS_MS: u64 = 7 * 24 * 3600 * 1000;
/// By how much the clock may be set forward, in milliseconds.
const JUMP_MS: u64 = 24 * 3600 * 1000;
/// How often a refusal of the same study for the same reason is put into the audit log, in milliseconds.
pub(crate) const REFUSED_MS: u64 = 60_000;
/// Keys of a peer that are not the known one, of which the audit log tells at most.
const MOST_ODD_KEYS: usize = 16;
/// The record of how often the store was changed.
const COMMITS: &str = "commits";
/// How often old things are looked for, in milliseconds.
const SWEEP_MS: u64 = 60_000;

/// The time of an input.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Now {
    /// Milliseconds of Unix time. It may jump.
    pub wall_ms: u64,
    /// Milliseconds of a clock that never goes back, from any start.
    pub mono_ms: u64,
}

/// Who this party is, and what its operator allows.
#[derive(Clone, Debug)]
pub struct Config {
    /// This party's name.
    pub me: String,
    /// Fingerprints of the TLS keys of all parties, this one included, by name.
    pub fingerprints: BTreeMap<String, String>,
    /// What the operator allows.
    pub policy: Policy,
    /// What the node takes on at a time.
    pub limits: Limits,
    /// The engine, which has to be the same at all parties of an attempt.
    pub engine: String,
}

/// Something that happened.
#[derive(Clone, Debug, PartialEq)]
pub enum Input {
    /// Time went by: several times a second.
    Tick,
    /// A peer is connected, and has proved its TLS key.
    Linked {
        /// Which one.
        peer: String,
        /// Its statement key, as it says.
        statements: String,
    },
    /// A peer is not connected any more.
    Unlinked {
        /// Which one.
        peer: String,
    },
    /// A connected peer says something.
    Message {
        /// Who.
        from: String,
        /// What.
        message: Box<Message>,
    },
    /// An operator asks for something.
    Command {
        /// Names the answer.
        ticket: u64,
        /// Who asks, as the shell knows them.
        operator: String,
        /// What.
        command: Command,
    },
    /// The worker of an attempt asks or ended.
    Worker {
        /// The session.
        session: String,
        /// The attempt's number.
        attempt: u32,
        /// What it says.
        event: WorkerEvent,
    },
}

/// What a worker says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WorkerEvent {
    /// It stands before its gate.
    GateAsked,
    /// It ended.
    Ended(Ending),
}

/// A promise to take part in an attempt, for a few seconds. It is not stored: a restart forgets it.
pub(crate) struct Reservation {
    pub nonce: String,
    pub until_ms: u64,
    pub label: String,
}

/// An attempt that home has proposed.
pub(crate) struct Proposal {
    pub attempt: u32,
    pub votes: BTreeMap<String, (String, Option<Frozen>)>,
    pub until_ms: u64,
}

/// What a peer has heard of an attempt's end.
#[derive(Default)]
pub(crate) struct Known {
    pub words: BTreeMap<String, Word>,
    pub proof: bool,
}

/// A request that has an answer.
#[derive(Clone, Serialize, Deserialize)]
pub(crate) struct Request {
    pub study: String,
    pub session: String,
    pub at_ms: u64,
}

/// One party's node. See the [crate](crate).
pub struct Node<S> {
    pub(crate) config: Config,
    /// A digest of all parties' keys.
    pub(crate) group: String,
    pub(crate) signer: S,
    pub(crate) studies: BTreeMap<String, Study>,
    pub(crate) sessions: BTreeMap<String, Session>,
    pub(crate) ledger: BTreeMap<String, Charge>,
    pub(crate) datasets: BTreeMap<String, Dataset>,
    pub(crate) requests: BTreeMap<String, Request>,
    /// Statement keys of peers, as they were first said.
    pub(crate) keys: BTreeMap<String, String>,
    pub(crate) head: Head,
    /// The beginnings of the digests of all entries of the audit log.
    pub(crate) entries: Vec<u64>,
    /// When the node was started, in the audit log.
    pub(crate) lives: Vec<Life>,
    /// How often the state was put back and recovered.
    pub(crate) era: u32,
    /// How often the store was changed, but for what peers say of theirs.
    commits: u64,
    /// The latest known states of the peers.
    pub(crate) witnesses: BTreeMap<String, Witness>,
    /// How far this node's state is, as connected peers have shown that they know.
    pub(crate) confirmed: BTreeMap<String, (u32, u64)>,
    /// What has to be learned again.
    pub(crate) recovery: Option<Recovery>,
    /// How far peers have said what has to be learned again.
    pub(crate) recalled_to: BTreeMap<String, (String, u32)>,
    /// Attempts that each peer told of which this party has not signed anything.
    pub(crate) claimed: BTreeMap<String, usize>,
    /// Attempts that ran when the node stopped, and how they ended.
    pub(crate) stopped: BTreeMap<(String, u32), Ending>,
    /// Workers that stand before their gates while not all peers are there.
    pub(crate) at_gate: BTreeSet<(String, u32)>,
    /// What was left of an earlier time is deleted.
    pub(crate) swept: bool,
    /// Peers that are connected.
    pub(crate) links: BTreeSet<String>,
    pub(crate) reservations: BTreeMap<(String, u32), Reservation>,
    pub(crate) proposals: BTreeMap<String, Proposal>,
    /// When workers were started, on the clock that never goes back.
    pub(crate) started: BTreeMap<(String, u32), u64>,
    /// Sessions about which something is left to be done or said.
    pub(crate) open: BTreeSet<String>,
    /// What a peer has heard of an attempt's end.
    pub(crate) known: BTreeMap<(String, u32, String), Known>,
    /// Sessions that peers have ended of which this party knew nothing, the last ones of each: a late proposal does not begin them.
    pub(crate) gone: BTreeMap<String, VecDeque<(String, Session)>>,
    /// When a study of a peer took the place of another one, on the clock that never goes back.
    pub(crate) replaced: BTreeMap<String, u64>,
    /// When refusals were put into the audit log, by study and code.
    pub(crate) refusals: BTreeMap<(String, Code), u64>,
    /// Statement keys of peers that are not the known ones.
    odd_keys: BTreeSet<(String, String)>,
    /// What a peer knows of a study, as a digest.
    pub(crate) studies_known: BTreeMap<(String, String), String>,
    /// Digests of what is known of studies here.
    pub(crate) digests: BTreeMap<String, String>,
    /// What was said when, and how long it waits to be said again.
    said: BTreeMap<(String, String), (u64, u64)>,
    pub(crate) draining: bool,
    swept_ms: u64,
    /// When the node was loaded.
    loaded: Now,
    pub(crate) now: Now,
    random: [u8; 32],
    drawn: u64,
    batch: Batch,
    then: Vec<Effect>,
    #[cfg(feature = "simulation")]
    off: Option<Safeguard>,
}

impl<S: Statements> Node<S> {
    /// A node with what its store holds. Attempts that ran when the node stopped have ended; `has_results` says whether the
    /// results of one are on the disk. Gives the first step, too.
    ///
    /// # Errors
    /// A record cannot be read: the store is damaged, or of a later version.
    pub fn load(
        config: Config,
        signer: S,
        stored: impl IntoIterator<Item = Stored>,
        (now, random): (Now, [u8; 32]),
        has_results: &dyn Fn(&str, u32) -> bool,
    ) -> Result<(Node<S>, Step), String> {
        let mut node = Node::read_all(config, signer, stored, (now, random))?;
        node.restarted(has_results);
        let step = node.step();
        Ok((node, step))
    }

    /// Loads a node without a safeguard.
    ///
    /// # Errors
    /// When [`Node::load`] fails.
    #[cfg(feature = "simulation")]
    pub fn load_without(
        config: Config,
        signer: S,
        stored: impl IntoIterator<Item = Stored>,
        (now, random): (Now, [u8; 32]),
        has_results: &dyn Fn(&str, u32) -> bool,
        without: Option<Safeguard>,
    ) -> Result<(Node<S>, Step), String> {
        let mut node = Node::read_all(config, signer, stored, (now, random))?;
        node.off = without;
        node.restarted(has_results);
        let step = node.step();
        Ok((node, step))
    }

    fn read_all(
        config: Config,
        signer: S,
        stored: impl IntoIterator<Item = Stored>,
        (now, random): (Now, [u8; 32]),
    ) -> Result<Node<S>, String> {
        let mut node = Node {
            group: group(&config.fingerprints),
            config,
            signer,
            studies: BTreeMap::new(),
            sessions: BTreeMap::new(),
            ledger: BTreeMap::new(),
            datasets: BTreeMap::new(),
            requests: BTreeMap::new(),
            keys: BTreeMap::new(),
            head: Head::default(),
            entries: Vec::new(),
            lives: Vec::new(),
            era: 0,
            commits: 0,
            witnesses: BTreeMap::new(),
            confirmed: BTreeMap::new(),
            recovery: None,
            recalled_to: BTreeMap::new(),
            claimed: BTreeMap::new(),
            stopped: BTreeMap::new(),
            at_gate: BTreeSet::new(),
            swept: false,
            links: BTreeSet::new(),
            reservations: BTreeMap::new(),
            proposals: BTreeMap::new(),
            started: BTreeMap::new(),
            open: BTreeSet::new(),
            known: BTreeMap::new(),
            gone: BTreeMap::new(),
            replaced: BTreeMap::new(),
            refusals: BTreeMap::new(),
            odd_keys: BTreeSet::new(),
            studies_known: BTreeMap::new(),
            digests: BTreeMap::new(),
            said: BTreeMap::new(),
            draining: false,
            swept_ms: now.mono_ms,
            loaded: now,
            now,
            random,
            drawn: 0,
            batch: Batch::default(),
            then: Vec::new(),
            #[cfg(feature = "simulation")]
            off: None,
        };
        for Stored { table, key, value } in stored {
            node.read(table, key, &value)?;
        }
        node.open = node.sessions.keys().cloned().collect();
        node.digests = node.studies.iter().map(|(id, it)| (id.clone(), digest(it))).collect();
        let commit = node.commits + 1;
        node.audit("started", json!({ "engine": node.config.engine, "commit": commit }));
        node.lives.push(Life { commit, hash: node.head.hash.clone() });
        Ok(node)
    }

    /// The document of a study that is known here.
    #[must_use]
    pub fn document(&self, study: &str) -> Option<&Document> {
        self.studies.get(study).map(|study| &study.document)
    }

    fn read(&mut self, table: Table, key: String, value: &[u8]) -> Result<(), String> {
        fn of<T: DeserializeOwned>(key: &str, value: &[u8]) -> Result<T, String> {
            serde_json::from_slice(value).map_err(|e| format!("the record {key} is damaged: {e}"))
        }
        match table {
            Table::Studies => drop(self.studies.insert(key.clone(), of(&key, value)?)),
            Table::Sessions => drop(self.sessions.insert(key.clone(), of(&key, value)?)),
            Table::Ledger => drop(self.ledger.insert(key.clone(), of(&key, value)?)),
            Table::Datasets => drop(self.datasets.insert(key.clone(), of(&key, value)?)),
            Table::Idempotency => drop(self.requests.insert(key.clone(), of(&key, value)?)),
            Table::Keys => drop(self.keys.insert(key.clone(), of(&key, value)?)),
            Table::Witnesses => drop(self.witnesses.insert(key.clone(), of(&key, value)?)),
            Table::State if key == COMMITS => self.commits = of(&key, value)?,
            Table::State if key == RECOVERY => self.recovery = Some(of(&key, value)?),
            Table::State => return Err(format!("the record {key} is of a later version")),
            Table::Audit => {
                let entry: Entry = of(&key, value)?;
                match &entry.kind[..] {
                    "started" => {
                        let commit = entry.body["commit"].as_u64().unwrap_or(0);
                        self.lives.push(Life { commit, hash: entry.hash.clone() });
                    }
                    "recovered" => {
                        let era = entry.body["era"].as_u64().unwrap_or(0);
                        self.era = u32::try_from(era).unwrap_or(u32::MAX);
                    }
                    _ => {}
                }
                self.entries.push(begins(&entry.hash));
                if entry.seq > self.head.seq {
                    self.head = entry.head();
                }
            }
        }
        Ok(())
    }

    /// Takes an input. `random` are 32 fresh bytes, which are used once.
    pub fn handle(&mut self, now: Now, random: [u8; 32], input: Input) -> Step {
        (self.now, self.random, self.drawn) = (now, random, 0);
        match input {
            Input::Tick => self.tick(),
            Input::Linked { peer, statements } => self.linked(&peer, &statements),
            Input::Unlinked { peer } => self.unlinked(&peer),
            Input::Message { from, message } => self.heard(&from, *message),
            Input::Command { ticket, operator, command } => {
                let answer = self.command(&operator, command);
                self.answer(ticket, answer);
            }
            Input::Worker { session, attempt, event: WorkerEvent::GateAsked } => {
                self.gate(&session, attempt);
            }
            Input::Worker { session, attempt, event: WorkerEvent::Ended(ending) } => {
                self.worker_ended(&session, attempt, ending);
            }
        }
        self.step()
    }

    /// How often the store will have been changed after this step.
    pub(crate) fn commits_now(&self) -> u64 {
        let own = |change: &Change| change.table != Table::Witnesses;
        self.commits + u64::from(self.batch.0.iter().any(own))
    }

    fn step(&mut self) -> Step {
        let commits = self.commits_now();
        if commits > self.commits {
            self.put(Table::State, COMMITS, &commits);
            self.commits = commits;
        }
        Step { batch: std::mem::take(&mut self.batch), then: std::mem::take(&mut self.then) }
    }

    fn tick(&mut self) {
        let mono = self.now.mono_ms;
        if self.holds(Safeguard::Lapse) {
            self.reservations.retain(|_, reservation| reservation.until_ms > mono);
        }
        self.say_witnesses();
        self.say_recalls();
        self.say_studies();
        self.settle_restarted();
        for (id, number) in std::mem::take(&mut self.at_gate) {
            self.gate(&id, number);
        }
        self.tick_sessions();
        if mono.saturating_sub(self.swept_ms) >= SWEEP_MS {
            self.swept_ms = mono;
            self.sweep();
        }
    }

    /// Forgets what is old.
    fn sweep(&mut self) {
        let (wall, mono) = (self.steady_ms(), self.now.mono_ms);
        // What would be said again at once in any case.
        self.said.retain(|_, (at, _)| mono.saturating_sub(*at) <= 2 * MOST_WAIT_MS);
        self.refusals.retain(|_, at| mono.saturating_sub(*at) <= REFUSED_MS);
        let old: Vec<String> = self
            .requests
            .iter()
            .filter(|(_, request)| wall.saturating_sub(request.at_ms) > REQUESTS_MS)
            .map(|(key, _)| key.clone())
            .collect();
        for key in old {
            self.requests.remove(&key);
            self.remove(Table::Idempotency, &key);
        }
        self.sweep_results();
    }

    fn linked(&mut self, peer: &str, statements: &str) {
        let known = self.config.fingerprints.contains_key(peer);
        if !known || *peer == self.config.me || statements.len() > MAX_TEXT_BYTES {
            return;
        }
        match self.keys.get(peer) {
            Some(known) if known != statements => {
                // Its TLS key is the same, so this is a mistake or worse; studies are signed with the old one.
                let key = (peer.to_owned(), statements.to_owned());
                let all = self.odd_keys.iter().filter(|(it, _)| it == peer).count();
                if all < MOST_ODD_KEYS && self.odd_keys.insert(key) {
                    self.audit("key_changed", json!({ "peer": peer }));
                }
                return;
            }
            Some(_) => {}
            None => {
                self.keys.insert(peer.to_owned(), statements.to_owned());
                self.put(Table::Keys, peer, &statements);
                self.audit("key_known", json!({ "peer": peer, "statements": statements }));
            }
        }
        self.links.insert(peer.to_owned());
        self.said.retain(|(to, _), _| to != peer);
        self.confirmed.remove(peer);
        self.say_witness(peer);
    }

    fn unlinked(&mut self, peer: &str) {
        self.links.remove(peer);
        self.confirmed.remove(peer);
        self.recalled_to.remove(peer);
    }

    fn heard(&mut self, from: &str, message: Message) {
        if !self.links.contains(from) || !message.fits() {
            return;
        }
        match message {
            Message::Study { document, approvals, withdrawn, closed } => {
                self.study_heard(from, *document, approvals, (withdrawn, closed));
            }
            Message::StudyKnown { study, digest } => {
                if self.studies.contains_key(&study) {
                    self.studies_known.insert((study, from.to_owned()), digest);
                }
            }
            Message::Propose { study, session, attempt, engine } => {
                self.proposed(from, &study, &session, attempt, &engine);
            }
            Message::Accept { session, attempt, nonce, frozen } => {
                self.accepted(from, &session, attempt, nonce, frozen);
            }
            Message::Refuse { session, attempt, code } => {
                self.refused(from, &session, attempt, code)
            }
            Message::Release { session, attempt } => self.released_by(from, &session, attempt),
            Message::Start { beginning } => self.start(from, beginning),
            Message::Outcomes { beginning, outcomes } => self.outcomes(from, beginning, outcomes),
            Message::OutcomesKnown { session, attempt, words, proof } => {
                self.outcomes_known(from, &session, attempt, Known { words, proof });
            }
            Message::Cancel { session } => self.cancel_heard(from, &session),
            Message::Ended { session, study, end } => self.ended_heard(from, &session, &study, end),
            Message::EndKnown { session } => self.end_known(from, &session),
            Message::Witness { mine, yours, heard } => {
                self.witness_heard(from, mine, (yours, heard));
            }
            Message::Recall { after } => self.recall(from, after),
            Message::Recalled { after, past, next } => self.recalled(from, after, past, next),
        }
    }

    /// The time by which old things are forgotten: a clock that is set forward by more than a day does not count until the node
    /// is started anew.
    pub(crate) fn steady_ms(&self) -> u64 {
        let ran = self.now.mono_ms.saturating_sub(self.loaded.mono_ms);
        let most = self.loaded.wall_ms.saturating_add(ran).saturating_add(JUMP_MS);
        self.now.wall_ms.min(most)
    }

    /// This party's name.
    pub(crate) fn me(&self) -> String {
        self.config.me.clone()
    }

    /// Whether a safeguard holds: always, outside of simulations that test whether they notice.
    pub(crate) fn holds(&self, safeguard: Safeguard) -> bool {
        #[cfg(feature = "simulation")]
        return self.off != Some(safeguard);
        #[cfg(not(feature = "simulation"))]
        {
            let _ = safeguard;
            true
        }
    }

    /// Fresh random bytes in hex, which no other call gives.
    pub(crate) fn draw(&mut self) -> String {
        self.drawn += 1;
        let mut hasher = blake3::Hasher::new_derive_key("tacit 2027 node randomness");
        hasher.update(&self.random);
        hasher.update(&self.drawn.to_le_bytes());
        hasher.finalize().to_hex().to_string()
    }

    /// Whether something may be said to a peer now: at once the first time, and then ever more rarely.
    pub(crate) fn may_say(&mut self, to: &str, what: String) -> bool {
        let now = self.now.mono_ms;
        let key = (to.to_owned(), what);
        let (at, wait) = self.said.get(&key).copied().unwrap_or((0, 0));
        if wait > 0 && now < at.saturating_add(wait) {
            return false;
        }
        self.said.insert(key, (now, (wait * 2).clamp(1000, MOST_WAIT_MS)));
        true
    }

    /// From here on something is said to a peer at once.
    pub(crate) fn say_anew(&mut self, to: &str, what: &str) {
        self.said.remove(&(to.to_owned(), what.to_owned()));
    }

    pub(crate) fn send(&mut self, to: &str, message: Message) {
        if self.links.contains(to) {
            let message = Box::new(message);
            self.effect(Effect::Send { to: to.to_owned(), message });
        }
    }

    pub(crate) fn effect(&mut self, effect: Effect) {
        self.then.push(effect);
    }

    fn answer(&mut self, ticket: u64, answer: Answer) {
        self.effect(Effect::Answer { ticket, answer });
    }

    pub(crate) fn put(&mut self, table: Table, key: &str, value: &impl Serialize) {
        // What is stored has text for keys and no numbers that JSON lacks.
        let value = serde_json::to_vec(value).unwrap_or_default();
        self.change(Change { table, key: key.to_owned(), value: Some(value) });
    }

    pub(crate) fn remove(&mut self, table: Table, key: &str) {
        self.change(Change { table, key: key.to_owned(), value: None });
    }

    fn change(&mut self, change: Change) {
        let same = |other: &Change| other.table == change.table && other.key == change.key;
        self.batch.0.retain(|other| !same(other));
        self.batch.0.push(change);
    }

    pub(crate) fn save_study(&mut self, id: &str) {
        if let Some(study) = self.studies.get(id) {
            self.digests.insert(id.to_owned(), digest(study));
            let value = serde_json::to_vec(study).unwrap_or_default();
            self.change(Change { table: Table::Studies, key: id.to_owned(), value: Some(value) });
        }
    }

    pub(crate) fn save_session(&mut self, id: &str) {
        self.open.insert(id.to_owned());
        if let Some(session) = self.sessions.get(id) {
            let value = serde_json::to_vec(session).unwrap_or_default();
            self.change(Change { table: Table::Sessions, key: id.to_owned(), value: Some(value) });
        }
    }

    pub(crate) fn audit(&mut self, kind: &str, body: Value) {
        let entry = Entry::after(&self.head, self.now.wall_ms, kind, body);
        self.head = entry.head();
        self.entries.push(begins(&entry.hash));
        self.put(Table::Audit, &format!("{:020}", entry.seq), &entry);
    }
}
