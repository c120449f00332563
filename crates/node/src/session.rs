//! Sessions, their attempts, and what becomes of them.

use crate::policy::Code;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A version of a party's table that a session uses: its name means nothing to others, and says nothing about what is in it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Frozen {
    /// The version.
    pub version: String,
    /// Rows, which all parties of a run learn anyway.
    pub rows: u64,
}

/// What all parties brought to an attempt: its id follows from it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Beginning {
    /// The study.
    pub study: String,
    /// The session.
    pub session: String,
    /// The attempt's number, from 1.
    pub attempt: u32,
    /// A fresh random number of every party, in hex.
    pub nonces: BTreeMap<String, String>,
    /// The tables, by party.
    pub inputs: BTreeMap<String, Frozen>,
}

impl Beginning {
    /// The attempt's id. Nobody can bring an old one back: every party's own nonce is in it.
    #[must_use]
    pub fn id(&self) -> String {
        let mut hasher = blake3::Hasher::new_derive_key("tacit 2027 attempt id");
        let mut put = |text: &str| {
            hasher.update(&(text.len() as u64).to_le_bytes());
            hasher.update(text.as_bytes());
        };
        put(&self.study);
        put(&self.session);
        put(&self.attempt.to_string());
        for (party, nonce) in &self.nonces {
            put(party);
            put(nonce);
        }
        for (party, frozen) in &self.inputs {
            put(party);
            put(&frozen.version);
            put(&frozen.rows.to_string());
        }
        hasher.finalize().to_hex().to_string()
    }
}

/// How a worker ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Ending {
    /// It has its results, on the disk.
    Computed,
    /// It has none.
    Failed(Failure),
    /// A check of the protocol failed.
    Cheated,
}

/// Why an attempt failed at a party.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Failure {
    /// The network.
    Network,
    /// Another party ended it, or wanted something else.
    Peer,
    /// The node stopped in between.
    Restarted,
    /// The worker crashed.
    Crashed,
    /// The machine had no more of something.
    System,
    /// It took longer than the study allows.
    Limit,
    /// The node never heard that it was to start, or not in time.
    NotStarted,
    /// The party's own input.
    Input,
    /// A value left a range that the program checks.
    Check,
    /// The node did not let it pass the gate.
    Denied,
    /// An operator cancelled it.
    Cancelled,
    /// A bug.
    Bug,
}

impl Failure {
    /// What it means, of a party whose name stands before it.
    #[must_use]
    pub fn meaning(self) -> &'static str {
        match self {
            Failure::Network => "lost the network",
            Failure::Peer => "ended because another party had",
            Failure::Restarted => "was stopped and started again in between",
            Failure::Crashed => "crashed",
            Failure::System => "had no more disk, memory or threads",
            Failure::Limit => "took longer than the study allows",
            Failure::NotStarted => "did not begin",
            Failure::Input => "could not use its own table or file; its log says why",
            Failure::Check => "found a value outside a range that the program checks",
            Failure::Denied => "did not let it pass the gate; its audit log says why",
            Failure::Cancelled => "was told to cancel it",
            Failure::Bug => "met a bug in Tacit; its log says which",
        }
    }

    /// Whether it follows from what another party did.
    pub(crate) fn follows(self) -> bool {
        matches!(self, Failure::Peer | Failure::NotStarted)
    }

    /// Whether another attempt may do better.
    #[must_use]
    pub fn is_retried(self) -> bool {
        use Failure::{Crashed, Limit, Network, NotStarted, Peer, Restarted, System};
        matches!(self, Network | Peer | Restarted | Crashed | System | Limit | NotStarted)
    }
}

/// What an outcome says: how the attempt ended, and whether the gate was passed.
pub type Word = (Ending, bool);

/// How an attempt ended at a party, as it says.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Outcome {
    /// Who says so.
    pub party: String,
    /// The attempt's id.
    pub id: String,
    /// How it ended there.
    pub ending: Ending,
    /// Whether the party's gate was passed: results may have opened.
    pub released: bool,
    /// Its signature.
    pub signature: String,
}

impl Outcome {
    /// What it says.
    #[must_use]
    pub fn word(&self) -> Word {
        (self.ending, self.released)
    }

    /// What is signed.
    #[must_use]
    pub fn statement(&self) -> Vec<u8> {
        let Outcome { party, id, ending, released, .. } = self;
        format!("{party} {id} {ending:?} {released}").into_bytes()
    }
}

/// What became of an attempt, at all parties together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Class {
    /// All have their results.
    Succeeded,
    /// Some have.
    Partial,
    /// None has.
    Failed,
    /// Somebody cheated.
    Cheated,
}

/// What became of an attempt: a function of all parties' outcomes alone, so that all who know them agree.
#[must_use]
pub fn class<'o>(outcomes: impl Iterator<Item = &'o Outcome> + Clone) -> Class {
    let computed = |outcome: &Outcome| outcome.ending == Ending::Computed;
    match () {
        () if outcomes.clone().any(|outcome| outcome.ending == Ending::Cheated) => Class::Cheated,
        () if outcomes.clone().all(computed) => Class::Succeeded,
        () if outcomes.clone().any(computed) => Class::Partial,
        () => Class::Failed,
    }
}

/// How far an attempt is at a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Stage {
    /// A worker was started.
    Running,
    /// It was let through its gate.
    Released,
    /// It ended.
    Over,
}

/// An attempt, as a node keeps it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Attempt {
    /// What the parties brought to it.
    pub beginning: Beginning,
    /// Its id.
    pub id: String,
    /// How far it is.
    pub stage: Stage,
    /// What parties say of its end.
    pub outcomes: BTreeMap<String, Outcome>,
    /// Two different outcomes that one party signed.
    pub proof: Option<Box<[Outcome; 2]>>,
    /// When it began here, in milliseconds of Unix time.
    pub began_ms: u64,
    /// All parties are known to have all outcomes.
    pub settled: bool,
}

impl Attempt {
    /// How it ended at a party, if that has said so.
    #[must_use]
    pub fn ended_here(&self, party: &str) -> Option<Ending> {
        self.outcomes.get(party).map(|outcome| outcome.ending)
    }

    /// What became of it, once all parties have said how it ended, or one has lied.
    #[must_use]
    pub fn class(&self) -> Option<Class> {
        if self.proof.is_some() {
            return Some(Class::Cheated);
        }
        let all = self.beginning.nonces.keys().all(|party| self.outcomes.contains_key(party));
        all.then(|| class(self.outcomes.values()))
    }

    /// Whether some party was let through its gate, as far as is known.
    #[must_use]
    pub fn released(&self) -> bool {
        self.stage == Stage::Released || self.outcomes.values().any(|outcome| outcome.released)
    }
}

/// What became of a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Final {
    /// All parties have their results.
    Succeeded,
    /// Some have.
    Partial,
    /// None has.
    Failed,
    /// Somebody cheated.
    Cheated,
    /// An operator cancelled it before any result was released.
    Cancelled,
    /// A node refused.
    Refused,
    /// It did not come about in time.
    Expired,
}

impl From<Class> for Final {
    fn from(class: Class) -> Final {
        match class {
            Class::Succeeded => Final::Succeeded,
            Class::Partial => Final::Partial,
            Class::Failed => Final::Failed,
            Class::Cheated => Final::Cheated,
        }
    }
}

/// The end of a session.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct End {
    /// What became of it.
    pub state: Final,
    /// Why a node refused.
    pub code: Option<Code>,
    /// Which one.
    pub party: Option<String>,
}

/// A session, as a node keeps it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Session {
    /// The study.
    pub study: String,
    /// When it became known here, in milliseconds of Unix time.
    pub created_ms: u64,
    /// When no attempt begins any more, in milliseconds of Unix time.
    pub expires_ms: u64,
    /// An operator does not want it any more.
    pub cancelled: bool,
    /// The largest number of an attempt that was proposed.
    pub number: u32,
    /// The last attempt for which this party gave its nonce, and that nonce: nobody else can make up an attempt of it.
    #[serde(default)]
    pub vote: Option<(u32, String)>,
    /// This party's table, once it is known: the same in all attempts.
    pub frozen: Option<(String, Frozen)>,
    /// Attempts that began.
    pub attempts: BTreeMap<u32, Attempt>,
    /// At home: not before this, in milliseconds of Unix time.
    pub retry_ms: u64,
    /// At home: how often peers were busy or silent since the last attempt.
    pub waits: u32,
    /// What became of it.
    pub end: Option<End>,
    /// When it ended here.
    pub ended_ms: u64,
    /// The end was not heard from home, which was away for long.
    pub assumed: bool,
    /// At home: the others have heard of the end.
    pub told: Vec<String>,
    /// Its results are deleted.
    pub forgotten: bool,
}

impl Session {
    /// A session that has become known.
    #[must_use]
    pub fn new(study: String, now_ms: u64, expires_seconds: u64) -> Session {
        Session {
            study,
            created_ms: now_ms,
            expires_ms: now_ms.saturating_add(expires_seconds.saturating_mul(1000)),
            cancelled: false,
            number: 0,
            vote: None,
            frozen: None,
            attempts: BTreeMap::new(),
            retry_ms: 0,
            waits: 0,
            end: None,
            ended_ms: 0,
            assumed: false,
            told: Vec::new(),
            forgotten: false,
        }
    }

    /// The attempt that is under way here: one that has not ended, or whose end is not known of all.
    #[must_use]
    pub fn live(&self) -> Option<&Attempt> {
        self.attempts.values().next_back().filter(|attempt| attempt.class().is_none())
    }

    /// Whether this party gave its nonce, `mine`, for this attempt.
    #[must_use]
    pub fn voted(&self, number: u32, mine: Option<&String>) -> bool {
        let vote = self.vote.as_ref();
        vote.is_some_and(|(voted, nonce)| *voted == number && Some(nonce) == mine)
    }

    /// Whether a worker of it runs here.
    #[must_use]
    pub fn is_running(&self) -> bool {
        self.attempts.values().any(|attempt| attempt.stage != Stage::Over)
    }

    /// What its attempts say its end is, if they began: what matters most of their classes.
    #[must_use]
    pub fn class(&self) -> Option<Class> {
        let classes = self.attempts.values().filter_map(Attempt::class);
        let order = [Class::Cheated, Class::Succeeded, Class::Partial, Class::Failed];
        order.into_iter().find(|wanted| classes.clone().any(|class| class == *wanted))
    }

    /// Whether results may have opened.
    #[must_use]
    pub fn released(&self) -> bool {
        self.attempts.values().any(Attempt::released)
    }

    /// The attempt whose results this party has.
    #[must_use]
    pub fn computed(&self, me: &str) -> Option<u32> {
        let mine = |attempt: &Attempt| {
            attempt.outcomes.get(me).is_some_and(|outcome| outcome.ending == Ending::Computed)
        };
        self.attempts.iter().find(|(_, attempt)| mine(attempt)).map(|(number, _)| *number)
    }
}

/// The key of a charge: every attempt that passes its gate is charged by itself.
pub(crate) fn charge_key(session: &str, attempt: u32) -> String {
    format!("{session}/{attempt}")
}

/// A release that was charged, in this party's ledger.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Charge {
    /// The study.
    pub study: String,
    /// Its label.
    pub label: String,
    /// When, in milliseconds of Unix time.
    pub at_ms: u64,
    /// This party's table, if it gave one.
    pub table: Option<(String, Frozen)>,
    /// Others alone say so.
    #[serde(default, skip_serializing_if = "is_false")]
    pub claimed: bool,
}

fn is_false(value: &bool) -> bool {
    !value
}
