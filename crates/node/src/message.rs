//! What nodes tell each other. All messages may be lost, doubled and out of order: each says all that it is about.

use crate::policy::Code;
use crate::session::{Beginning, End, Frozen, Outcome};
use crate::study::{Document, Mark};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Largest message between nodes, in bytes of JSON.
pub const MAX_MESSAGE_BYTES: usize = 1 << 20;

/// A message from one node to another.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum Message {
    /// All that the sender knows of a study.
    Study {
        /// What is signed.
        document: Box<Document>,
        /// Who has approved it.
        approvals: BTreeMap<String, String>,
        /// Who withdrew it.
        withdrawn: Option<Mark>,
        /// Who closed it.
        closed: Option<Mark>,
    },
    /// What the sender now knows of a study has this digest.
    StudyKnown {
        /// The study.
        study: String,
        /// The digest.
        digest: String,
    },
    /// Home asks for an attempt.
    Propose {
        /// The study.
        study: String,
        /// The session.
        session: String,
        /// The attempt's number.
        attempt: u32,
        /// The sender's engine.
        engine: String,
    },
    /// The sender takes part, for a few seconds.
    Accept {
        /// The session.
        session: String,
        /// The attempt's number.
        attempt: u32,
        /// Its nonce.
        nonce: String,
        /// Its table.
        frozen: Option<Frozen>,
    },
    /// The sender does not take part.
    Refuse {
        /// The session.
        session: String,
        /// The attempt's number.
        attempt: u32,
        /// Why.
        code: Code,
    },
    /// Home lets an attempt go that has not begun.
    Release {
        /// The session.
        session: String,
        /// The attempt's number.
        attempt: u32,
    },
    /// Home begins an attempt that all have accepted.
    Start {
        /// What all brought.
        beginning: Beginning,
    },
    /// How an attempt ended, as far as the sender knows.
    Outcomes {
        /// What all brought.
        beginning: Beginning,
        /// What parties say.
        outcomes: Vec<Outcome>,
    },
    /// The sender has the outcomes of these parties.
    OutcomesKnown {
        /// The session.
        session: String,
        /// The attempt's number.
        attempt: u32,
        /// Of whom.
        parties: Vec<String>,
    },
    /// Somebody at the sender does not want a session any more.
    Cancel {
        /// The session.
        session: String,
    },
    /// Home says what became of a session.
    Ended {
        /// The session.
        session: String,
        /// The study.
        study: String,
        /// What became of it.
        end: End,
    },
    /// The sender knows what became of it.
    EndKnown {
        /// The session.
        session: String,
    },
}
