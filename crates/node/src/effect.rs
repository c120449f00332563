//! What a node wants done, and the one way to get at it: through the store.

use crate::command::Answer;
use crate::message::Message;
use serde::{Deserialize, Serialize};

/// A kind of record in the store.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Table {
    /// Studies, by id.
    Studies,
    /// Sessions with their attempts and outcomes, by id.
    Sessions,
    /// Releases that were charged, by session and attempt.
    Ledger,
    /// This party's datasets, by name.
    Datasets,
    /// Keys of requests, for which the answer is known.
    Idempotency,
    /// Statement keys of the other parties, by name.
    Keys,
    /// What is kept of the other parties' states, by name.
    Witnesses,
    /// How often the store was changed, and what has to be learned again, if this state is not the newest one.
    State,
    /// The audit log, by sequence number.
    Audit,
}

impl Table {
    /// All tables.
    pub const ALL: [Table; 9] = [
        Table::Studies,
        Table::Sessions,
        Table::Ledger,
        Table::Datasets,
        Table::Idempotency,
        Table::Keys,
        Table::Witnesses,
        Table::State,
        Table::Audit,
    ];

    /// Its name in a database.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Table::Studies => "studies",
            Table::Sessions => "sessions",
            Table::Ledger => "ledger",
            Table::Datasets => "datasets",
            Table::Idempotency => "idempotency",
            Table::Keys => "keys",
            Table::Witnesses => "witnesses",
            Table::State => "state",
            Table::Audit => "audit",
        }
    }
}

/// A record of the store, as it is loaded.
#[derive(Clone, Debug)]
pub struct Stored {
    /// Where.
    pub table: Table,
    /// Which.
    pub key: String,
    /// Its content.
    pub value: Vec<u8>,
}

/// One change of the store: a value of a key, or none if the key is to go.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// Where.
    pub table: Table,
    /// Which record.
    pub key: String,
    /// Its new content: JSON.
    pub value: Option<Vec<u8>>,
}

/// Changes that happen together or not at all.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Batch(pub(crate) Vec<Change>);

impl Batch {
    /// The changes, in order.
    #[must_use]
    pub fn changes(&self) -> &[Change] {
        &self.0
    }
}

/// Something to be done in the world.
#[derive(Clone, Debug, PartialEq)]
pub enum Effect {
    /// Tell a peer something. If it is lost, the node says it again.
    Send {
        /// Which peer.
        to: String,
        /// What.
        message: Box<Message>,
    },
    /// Start the worker of an attempt.
    Launch(Box<Launch>),
    /// Let the worker of an attempt pass its gate.
    Grant {
        /// The session.
        session: String,
        /// The attempt's number.
        attempt: u32,
    },
    /// Do not let it pass.
    Deny {
        /// The session.
        session: String,
        /// The attempt's number.
        attempt: u32,
        /// Why: for the operator, without secrets.
        why: String,
    },
    /// End the worker of an attempt, if it is still there.
    Kill {
        /// The session.
        session: String,
        /// The attempt's number.
        attempt: u32,
    },
    /// Delete what an attempt wrote: it was ended before it could say so.
    Discard {
        /// The session.
        session: String,
        /// The attempt's number.
        attempt: u32,
    },
    /// Delete what was left of an earlier time, as the store says what is wanted: it is the newest that anybody knows of.
    Sweep,
    /// Delete the results of a session: their time is over.
    Forget {
        /// The session.
        session: String,
    },
    /// Answer an operator.
    Answer {
        /// Which question.
        ticket: u64,
        /// What to say.
        answer: Answer,
    },
}

/// All that a worker is started with.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Launch {
    /// The session.
    pub session: String,
    /// The attempt's number.
    pub attempt: u32,
    /// What the parties of the attempt call it: nobody can have used it before.
    pub id: String,
    /// The study's id.
    pub study: String,
    /// The dataset and its version that this party gives, if it gives one.
    pub table: Option<(String, String)>,
    /// Seconds that the attempt may take.
    pub limit_seconds: u64,
}

/// What follows from an input: changes of the store, and what is to be done once they are durable.
///
/// There is no way to what is to be done but through [`Step::commit`], so nothing happens in the world that the store
/// could forget.
#[derive(Debug)]
#[must_use = "nothing happens until it is committed"]
pub struct Step {
    pub(crate) batch: Batch,
    pub(crate) then: Vec<Effect>,
}

impl Step {
    /// Stores the changes, if there are any, and gives what is to be done. `store` returns when all of them are durable.
    ///
    /// # Errors
    /// When `store` fails. The node must not be used any more then: what it holds in memory may be ahead of the store.
    pub fn commit<E>(self, store: impl FnOnce(&Batch) -> Result<(), E>) -> Result<Vec<Effect>, E> {
        if !self.batch.0.is_empty() {
            store(&self.batch)?;
        }
        Ok(self.then)
    }

    /// Gives what is to be done without storing anything: only to show that tests notice.
    #[cfg(feature = "simulation")]
    #[must_use]
    pub fn without_commit(self) -> (Batch, Vec<Effect>) {
        (self.batch, self.then)
    }
}
