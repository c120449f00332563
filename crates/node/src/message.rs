//! What nodes tell each other. All messages may be lost, doubled and out of order: each says all that it is about.

use crate::policy::Code;
use crate::session::{Beginning, End, Frozen, Outcome, Word};
use crate::state::Witness;
use crate::study::{Document, Mark, check_name};
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
        /// What parties say. Of one that lied there may be two.
        outcomes: Vec<Outcome>,
    },
    /// What the sender has heard of an attempt's end.
    OutcomesKnown {
        /// The session.
        session: String,
        /// The attempt's number.
        attempt: u32,
        /// What parties said.
        words: BTreeMap<String, Word>,
        /// It knows that one of them has said two different things.
        proof: bool,
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
    /// How far the sender's state is, and what it keeps of the receiver's.
    Witness {
        /// The sender's.
        mine: Witness,
        /// The receiver's, the latest of which the sender knows.
        yours: Option<Witness>,
        /// The sender has heard as much of the receiver, since they are connected.
        heard: bool,
    },
    /// The sender's state was put back: what does the receiver know of its attempts, behind this one?
    Recall {
        /// A session and an attempt's number, or nothing for the first ones.
        after: Option<(String, u32)>,
    },
    /// What the sender knows of the receiver's attempts.
    Recalled {
        /// Behind which one, as it was asked.
        after: Option<(String, u32)>,
        /// Some of them.
        past: Vec<Past>,
        /// Where there are more, the last of these.
        next: Option<(String, u32)>,
    },
}

/// What is known of an attempt.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Past {
    /// What all brought.
    pub beginning: Beginning,
    /// What parties said of its end.
    pub outcomes: Vec<Outcome>,
}

/// Longest text of a peer that has no shape of its own, such as a signature, in bytes.
pub(crate) const MAX_TEXT_BYTES: usize = 512;
/// Most parties of a study.
const MAX_PARTIES: usize = 64;
/// Most attempts that are told of at once.
const MAX_PAST: usize = 64;

/// Whether a text is a number in hex, of so many digits.
fn is_hex(text: &str, digits: usize) -> bool {
    text.len() == digits && text.bytes().all(|c| matches!(c, b'0'..=b'9' | b'a'..=b'f'))
}

fn is_session(text: &str) -> bool {
    is_hex(text, 32)
}

fn is_digest(text: &str) -> bool {
    is_hex(text, 64)
}

fn is_name(text: &str) -> bool {
    check_name(text).is_ok()
}

fn is_text(text: &str) -> bool {
    text.len() <= MAX_TEXT_BYTES
}

fn are_of(beginning: &Beginning, outcomes: &[Outcome]) -> bool {
    let fits = |it: &Outcome| is_name(&it.party) && is_digest(&it.id) && is_text(&it.signature);
    beginning.fits() && outcomes.len() <= MAX_PARTIES + 1 && outcomes.iter().all(fits)
}

fn is_place(place: &Option<(String, u32)>) -> bool {
    place.as_ref().is_none_or(|(session, _)| is_session(session))
}

impl Witness {
    fn fits(&self) -> bool {
        let Witness { party, life, hash, signature, .. } = self;
        is_name(party) && is_digest(life) && is_digest(hash) && is_text(signature)
    }
}

impl Beginning {
    fn fits(&self) -> bool {
        let Beginning { study, session, nonces, inputs, .. } = self;
        is_digest(study)
            && is_session(session)
            && nonces.len().max(inputs.len()) <= MAX_PARTIES
            && nonces.iter().all(|(party, nonce)| is_name(party) && is_digest(nonce))
            && inputs.iter().all(|(party, it)| is_name(party) && is_name(&it.version))
    }
}

impl Message {
    /// Whether all that it names has the shape and the length that honest nodes give it. What does not is not looked at.
    #[must_use]
    pub fn fits(&self) -> bool {
        let mark = |mark: &Option<Mark>| {
            mark.as_ref().is_none_or(|it| is_name(&it.party) && is_text(&it.signature))
        };
        match self {
            // The document is checked by itself.
            Message::Study { approvals, withdrawn, closed, .. } => {
                let fits = |(party, it): (&String, &String)| is_name(party) && is_text(it);
                approvals.len() <= MAX_PARTIES
                    && approvals.iter().all(fits)
                    && mark(withdrawn)
                    && mark(closed)
            }
            Message::StudyKnown { study, digest } => is_digest(study) && is_digest(digest),
            Message::Propose { study, session, attempt, engine } => {
                is_digest(study) && is_session(session) && *attempt > 0 && is_text(engine)
            }
            Message::Accept { session, nonce, frozen, .. } => {
                let version = frozen.as_ref().is_none_or(|it| is_name(&it.version));
                is_session(session) && is_digest(nonce) && version
            }
            Message::Refuse { session, .. }
            | Message::Release { session, .. }
            | Message::Cancel { session }
            | Message::EndKnown { session } => is_session(session),
            Message::Start { beginning } => beginning.fits(),
            Message::Outcomes { beginning, outcomes } => are_of(beginning, outcomes),
            Message::OutcomesKnown { session, words, .. } => {
                is_session(session)
                    && words.len() <= MAX_PARTIES
                    && words.keys().all(|party| is_name(party))
            }
            Message::Ended { session, study, end } => {
                let party = end.party.as_ref().is_none_or(|party| is_name(party));
                is_session(session) && is_digest(study) && party
            }
            Message::Witness { mine, yours, .. } => {
                mine.fits() && yours.as_ref().is_none_or(Witness::fits)
            }
            Message::Recall { after } => is_place(after),
            Message::Recalled { after, past, next } => {
                let fits = |it: &Past| are_of(&it.beginning, &it.outcomes);
                is_place(after) && is_place(next) && past.len() <= MAX_PAST && past.iter().all(fits)
            }
        }
    }
}
