//! What this party's operator allows, whatever a study says, and the codes by which nodes refuse.

use serde::{Deserialize, Serialize};
use std::fmt;

/// What the operator of a node allows.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Policy {
    /// Protocols that studies may name.
    pub protocols: Vec<String>,
    /// Fewest rows of this party's own tables.
    pub min_rows: u64,
    /// Releases for each label in 30 days, over all studies, and for each of this party's own tables.
    pub max_releases: u32,
    /// Different operators that have to approve a study: 1 or 2.
    pub approvals: u32,
}

impl Default for Policy {
    /// Only protocols that notice cheats.
    fn default() -> Policy {
        let protocols = ["lift", "quad"].map(str::to_owned).to_vec();
        Policy { protocols, min_rows: 1, max_releases: 5, approvals: 1 }
    }
}

impl Policy {
    /// Whether a study may name this protocol. A name with a number of parties, such as `gmw:3`, is allowed by `gmw`, too.
    #[must_use]
    pub fn allows(&self, protocol: &str) -> bool {
        let family = protocol.split_once(':').map_or(protocol, |(family, _)| family);
        self.protocols.iter().any(|allowed| allowed == protocol || allowed == family)
    }
}

/// What a node takes on at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Limits {
    /// Attempts at a time.
    pub running: usize,
    /// Worker threads of an attempt, at most.
    pub threads: u32,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits { running: 1, threads: 8 }
    }
}

/// Why a node does not take part in an attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Code {
    /// It does not know the study.
    UnknownStudy,
    /// Not all parties have approved it.
    NotApproved,
    /// It is closed or withdrawn.
    NotOpen,
    /// This party has not bound its table.
    NotBound,
    /// The node's policy does not allow the protocol.
    ProtocolNotAllowed,
    /// The parties run different engines.
    EngineDiffers,
    /// It wants more threads than the node gives at all.
    TooManyThreads,
    /// This party's table has too few rows.
    TooFewRows,
    /// The study's releases are spent.
    BudgetReleases,
    /// The label's releases of 30 days are spent, by the node's policy.
    BudgetLabel,
    /// The table differs from an earlier released one by too few rows.
    MinChange,
    /// The parties speak of different inputs.
    InputsDiffer,
    /// The session has had all its attempts, or its time is over.
    SessionOver,
    /// Somebody cheated in a session of the study.
    Quarantined,
    /// The node's state was put back to an older one.
    RolledBack,
    /// The node is about to stop.
    Draining,
    /// It has no slot, or another session of the label is under way: the only one that is tried again without a person.
    Busy,
}

impl Code {
    /// All of them, in the order in which they are checked.
    pub const ALL: [Code; 17] = [
        Code::UnknownStudy,
        Code::NotApproved,
        Code::NotOpen,
        Code::NotBound,
        Code::ProtocolNotAllowed,
        Code::EngineDiffers,
        Code::TooManyThreads,
        Code::TooFewRows,
        Code::BudgetReleases,
        Code::BudgetLabel,
        Code::MinChange,
        Code::InputsDiffer,
        Code::SessionOver,
        Code::Quarantined,
        Code::RolledBack,
        Code::Draining,
        Code::Busy,
    ];

    /// Its stable name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Code::UnknownStudy => "unknown_study",
            Code::NotApproved => "not_approved",
            Code::NotOpen => "not_open",
            Code::NotBound => "not_bound",
            Code::ProtocolNotAllowed => "protocol_not_allowed",
            Code::EngineDiffers => "engine_differs",
            Code::TooManyThreads => "too_many_threads",
            Code::TooFewRows => "too_few_rows",
            Code::BudgetReleases => "budget_releases",
            Code::BudgetLabel => "budget_label",
            Code::MinChange => "min_change",
            Code::InputsDiffer => "inputs_differ",
            Code::SessionOver => "session_over",
            Code::Quarantined => "quarantined",
            Code::RolledBack => "rolled_back",
            Code::Draining => "draining",
            Code::Busy => "busy",
        }
    }

    /// What it means, and what to do.
    #[must_use]
    pub fn advice(self) -> &'static str {
        match self {
            Code::UnknownStudy => {
                "the node does not know the study: propose it again while all nodes are up"
            }
            Code::NotApproved => {
                "not all parties have approved the study: run `tacit study approve` at those that `tacit study show` names"
            }
            Code::NotOpen => {
                "the study is closed or withdrawn, which `tacit study show` says by whom: more is a new study"
            }
            Code::NotBound => {
                "the party has not bound its table to the study: run `tacit study bind` there"
            }
            Code::ProtocolNotAllowed => {
                "[policy] in the party's node.toml does not allow the protocol: allow it there, or make a new study"
            }
            Code::EngineDiffers => {
                "the parties run different versions of Tacit: install the same one"
            }
            Code::TooManyThreads => {
                "the study wants more threads than [limits] in the party's node.toml gives: raise that, or make a new study"
            }
            Code::TooFewRows => {
                "the party's table has fewer rows than the study or the party's policy wants"
            }
            Code::BudgetReleases => {
                "results of the study have opened as often as all parties have agreed to; more is a new study"
            }
            Code::BudgetLabel => {
                "the party's policy allows no more releases for this label, or of its table, in 30 days"
            }
            Code::MinChange => {
                "the party's table differs from an earlier released one by so few rows that the difference would show them"
            }
            Code::InputsDiffer => {
                "the parties speak of different versions of a table: start another session"
            }
            Code::SessionOver => {
                "the session has had all its attempts, or its time is over: start another one"
            }
            Code::Quarantined => {
                "somebody cheated in a session of this study: find out who, then run `tacit study clear` there"
            }
            Code::RolledBack => {
                "the node's state was put back to an older one, which knows less of its releases: run `tacit node recover` there"
            }
            Code::Draining => "the node is about to stop: start a session when it is back",
            Code::Busy => {
                "the node has no free slot, or another session of the label is under way; this is tried again"
            }
        }
    }
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
