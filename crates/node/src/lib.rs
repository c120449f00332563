//! What a party's daemon decides: studies, sessions, budgets, and what it tells the other parties.
//!
//! A [`Node`] is a state machine without input, output, clock, randomness or threads of its own: [`Node::handle`] takes one
//! [`Input`], the time and fresh random bytes, and gives a [`Step`]: changes of the store, and [effects](Effect) that the shell
//! carries out once the changes are durable. There is no way to the effects but through [`Step::commit`]. So a daemon that is
//! killed at any moment forgets nothing that it acted on, and all of this can be simulated.
//!
//! Every attempt needs all parties of its study. Nobody is trusted to lead: the study's *home* party proposes, every party checks
//! the proposal against what it signed, its own policy and its own ledger, and every party's nonce is in the attempt's id.
//! Before any result opens, every party charges the release to its own budget ([`WorkerEvent::GateAsked`]). How an attempt ended
//! follows from signed outcomes of all parties, by [`class`] alone, so all who know them agree.
//!
//! The crate knows no protocol, no network and no database. It protects against messages that are lost, doubled, late, out of
//! order or forged by peers; keeping connections to the right peers is the shell's part, by TLS with pinned keys.

mod audit;
mod command;
mod commands;
mod effect;
mod message;
mod node;
mod policy;
mod recover;
mod safeguard;
mod session;
mod sessions;
mod settle;
mod sign;
mod state;
mod studies;
mod study;
mod witness;

pub use audit::{Entry, Head, verify};
pub use command::{Answer, Command, Dataset, Measures, Problem, Version};
pub use effect::{Batch, Change, Effect, Launch, Step, Stored, Table};
pub use message::{MAX_MESSAGE_BYTES, Message, Past};
pub use node::{Config, Input, Node, Now, WorkerEvent};
pub use policy::{Code, Limits, Policy};
pub use recover::put_back;
pub use safeguard::Safeguard;
pub use session::{
    Attempt, Beginning, Charge, Class, End, Ending, Failure, Final, Frozen, Outcome, Session,
    Stage, class,
};
pub use sign::{Domain, Statements};
pub use state::{Witness, group};
pub use study::{
    Document, MAX_NAME_BYTES, MAX_PROGRAM_BYTES, Mark, Member, Study, StudyState, TableTerms,
    Terms, canonical, check_name,
};
