//! What a protocol says of itself.

use crate::{Baseline, BatchSize, OwnRoles, Security, Strength};
use serde::{Deserialize, Serialize};
use std::fmt;

/// A number of a place in a protocol, from 0.
pub type RoleId = usize;

/// With how many parties protocols for any number of them run at most.
pub const MAX_PARTIES: u8 = 64;

/// What a protocol says of itself. Every protocol has one, a static value at the end of its own module.
#[derive(Clone, Copy, Debug)]
pub struct Descriptor {
    /// The name on command lines, in reports and in what parties agree on, without the number of parties.
    pub name: &'static str,
    /// Its page, in the folder `docs/protocols`; empty where it is in no list.
    pub page: &'static str,
    /// Where it is the best choice, as a part of a sentence; of a [baseline](Status::Baseline), what it is there for.
    pub best_for: &'static str,
    /// How many parties compute.
    pub parties: Parties,
    /// What one party, or some of them, can learn or do.
    pub security: Security,
    /// Whether it is offered to users.
    pub status: Status,
    /// The largest number of factors of a product of bits that takes one round.
    pub fan_in: usize,
    /// What parties compute on.
    pub family: Family,
}

impl Descriptor {
    /// The name with a statistical parameter; none if it is not offered with that one.
    #[must_use]
    pub fn name_with(&self, strength: Strength) -> Option<&'static str> {
        match (strength, self.checks()) {
            (Strength::Usual, _) => Some(self.name),
            (Strength::Strong, checks) => checks?.strong,
        }
    }

    /// Whether this build has it.
    #[must_use]
    pub fn is_built(&self) -> bool {
        self.status == Status::Product || Baseline::HERE.is_some()
    }

    /// What is particular to it, if its parties have roles.
    #[must_use]
    pub fn roles(&self) -> Option<&RoleFacts> {
        match &self.family {
            Family::Roles(facts) | Family::OwnRoles(facts, _) => Some(facts),
            Family::Gmw(_) | Family::Garbled(_) | Family::TrustedParty => None,
        }
    }

    /// What is done about products, if anything.
    #[must_use]
    pub fn checks(&self) -> Option<&CheckFacts> {
        self.roles()?.checks.as_ref()
    }
}

/// How many parties compute.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Parties {
    /// So many.
    Exactly(u8),
    /// So many, or more, up to [`MAX_PARTIES`].
    AtLeast(u8),
}

impl fmt::Display for Parties {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Parties::Exactly(parties) => write!(f, "{parties}"),
            Parties::AtLeast(least) => write!(f, "{least} to {MAX_PARTIES}"),
        }
    }
}

impl Parties {
    /// The number that is nearest to so many.
    #[must_use]
    pub fn fitting(self, parties: usize) -> u8 {
        match self {
            Parties::Exactly(parties) => parties,
            Parties::AtLeast(least) => {
                parties.clamp(usize::from(least), usize::from(MAX_PARTIES)) as u8
            }
        }
    }
}

/// Whether a protocol is offered to users.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// It is: somewhere it is the best choice.
    Product,
    /// It is there to be compared with: as a published variant, or because another protocol does the same for less. It runs
    /// where it is named, and nothing proposes it.
    Baseline,
}

/// What parties compute on.
#[derive(Clone, Copy, Debug)]
pub enum Family {
    /// Shares of three or four parties, each of which plays a role of its own.
    Roles(RoleFacts),
    /// The same, of a protocol that is in no list: it brings along what runs its roles.
    OwnRoles(RoleFacts, OwnRoles),
    /// Shares of bits, of any number of parties that are all alike. Products are made of oblivious transfers.
    Gmw(Transfers),
    /// Labels of garbled circuits.
    Garbled(GarbledFacts),
    /// Values in the clear: one party computes alone.
    TrustedParty,
}

/// A sum of components of a shared value, with factors -1, 0 and 1: component `j` is the one that role `j` lacks.
pub type Form = [i8; 4];

/// What is particular to protocols with roles.
///
/// A value is the sum of as many components as there are roles, and role `j` lacks component `j`: replicated sharing in
/// some coordinates.
#[derive(Clone, Copy, Debug)]
pub struct RoleFacts {
    /// What the words of every role's share are made of, by role.
    pub shares: &'static [&'static [Form]],
    /// The role that works ahead of the others and waits for nobody before outputs, if there is one.
    pub offline_role: Option<RoleId>,
    /// The role that deals masks where numbers are converted between rings and bits.
    pub dealer: RoleId,
    /// Of four parties, where numbers are converted: whether role 2 sends role 0 the result, which role 0 then checks.
    /// Elsewhere it gets a correction from role 3, and compares the result.
    pub sends_result: bool,
    /// Whether programs compute on shares in rings. Under all protocols they can compute by circuits.
    pub rings: bool,
    /// What is done about products, where they are proven or checked before anything opens.
    pub checks: Option<CheckFacts>,
}

/// What is particular to protocols that prove or check products, or make them from checked ones.
#[derive(Clone, Copy, Debug)]
pub struct CheckFacts {
    /// The name with [`Strength::Strong`], where that is offered.
    pub strong: Option<&'static str>,
    /// Whether products are compared in buckets, whose size can be chosen.
    pub buckets: bool,
    /// Whether products of bits are made and checked in a way of its own, not in another protocol's.
    pub own_bits: bool,
    /// How rarely a cheat passes.
    pub soundness: &'static dyn Soundness,
}

/// How rarely a cheat passes the checks of products.
pub trait Soundness: fmt::Debug + Sync {
    /// Bits of soundness of a batch: a cheat passes with probability two to the minus this at most.
    fn bits(&self, strength: Strength, batch: Option<BatchSize>) -> f64;

    /// The least batch that is sound in buckets of the size of this one, if any is.
    fn least_batch(&self, strength: Strength, batch: BatchSize) -> Option<BatchSize>;
}

/// Which oblivious transfers a protocol is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Transfers {
    /// None.
    None,
    /// Those of an extension: each costs some bits of traffic.
    Ordinary,
    /// Silent ones: traffic to start with, and hardly any for each.
    Silent,
}

/// What is particular to protocols that garble.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GarbledFacts {
    /// Who garbles.
    pub garbling: Garbling,
    /// What masks and products of bits are made of.
    pub transfers: Transfers,
}

/// Who garbles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Garbling {
    /// One party, or two that know the same: gates can be sent as they are garbled, and one evaluates.
    OneSide,
    /// All parties together: every one adds its part of the tables, which open in this way unless another is asked for.
    Together(Opening),
    /// All parties together, with tables that are authenticated: a party that deviates is noticed.
    Authenticated,
    /// All parties but role 0 together, for role 0, which evaluates.
    ForEvaluator,
}

/// Who evaluates where one party does.
pub const EVALUATOR: RoleId = 0;

/// How parts of garbled tables are brought together: an agreed fact of a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Opening {
    /// Every party sends every other its part of all columns: one round.
    All,
    /// Every party sends its part of a column to the column's owner, who tells all the sum: two rounds, and
    /// for `n` columns about `2 / n` of the bytes.
    Collector,
    /// As with [`Opening::Collector`], but owners tell role 0 alone: it evaluates, and tells the others of outputs. About
    /// half the bytes, and one round more online.
    Single,
}

impl Opening {
    /// All.
    pub const ALL: [Opening; 3] = [Opening::All, Opening::Collector, Opening::Single];

    /// The name on command lines.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Opening::All => "all",
            Opening::Collector => "collector",
            Opening::Single => "single",
        }
    }

    /// Whether a role has the table in the end, and evaluates.
    #[must_use]
    pub fn evaluates(self, role: RoleId) -> bool {
        self != Opening::Single || role == EVALUATOR
    }

    /// Blocks of a table that one of `parties` sends another, of `columns` columns, which the first roles own.
    #[must_use]
    pub fn blocks(self, columns: usize, [from, to]: [RoleId; 2]) -> usize {
        match self {
            Opening::All => 4 * columns,
            Opening::Collector | Opening::Single => {
                let sum = from < columns && self.evaluates(to);
                4 * (usize::from(sum) + usize::from(to < columns))
            }
        }
    }
}
