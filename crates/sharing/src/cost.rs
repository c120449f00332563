//! What operations cost: elements per directed link and stream, rounds per role.
//!
//! One element is one ring word of every lane block, so bits per instance for Z_2.

use crate::role::RoleId;
use std::fmt;
use std::ops::{Add, AddAssign, Div, Index, IndexMut, Mul, SubAssign};
use tacit_net::{PartyId, Stream};

/// Roles at most.
pub const MAX_ROLES: usize = 64;

/// Rounds by role.
pub type Rounds = [u64; MAX_ROLES];

/// Rounds of one role, none of the others.
#[must_use]
pub fn rounds_of(role: RoleId, rounds: u64) -> Rounds {
    let mut all = [0; MAX_ROLES];
    all[role] = rounds;
    all
}

/// Elements per directed link of one stream: `links[from][to]`.
#[derive(Clone, Default)]
pub struct Links(Vec<[u64; MAX_ROLES]>);

const NONE: [u64; MAX_ROLES] = [0; MAX_ROLES];

impl Links {
    /// What each role sends, up to the last that sends anything.
    pub fn iter(&self) -> impl Iterator<Item = &[u64; MAX_ROLES]> {
        self.0.iter()
    }
}

impl Index<RoleId> for Links {
    type Output = [u64; MAX_ROLES];
    fn index(&self, from: RoleId) -> &Self::Output {
        self.0.get(from).unwrap_or(&NONE)
    }
}

impl IndexMut<RoleId> for Links {
    fn index_mut(&mut self, from: RoleId) -> &mut Self::Output {
        if self.0.len() <= from {
            self.0.resize(from + 1, NONE);
        }
        &mut self.0[from]
    }
}

impl PartialEq for Links {
    fn eq(&self, other: &Self) -> bool {
        (0..self.0.len().max(other.0.len())).all(|from| self[from] == other[from])
    }
}

impl Eq for Links {}

impl fmt::Debug for Links {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let used = links().filter(|(from, to)| self[*from][*to] > 0);
        f.debug_map().entries(used.map(|(from, to)| ((from, to), self[from][to]))).finish()
    }
}

impl AddAssign<&Links> for Links {
    fn add_assign(&mut self, other: &Links) {
        for (from, row) in other.0.iter().enumerate() {
            self[from].iter_mut().zip(row).for_each(|(sum, more)| *sum += more);
        }
    }
}

impl SubAssign<&Links> for Links {
    fn sub_assign(&mut self, part: &Links) {
        for (from, row) in part.0.iter().enumerate() {
            self[from].iter_mut().zip(row).for_each(|(rest, part)| *rest -= part);
        }
    }
}

/// Elements sent between roles.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Traffic {
    /// Ahead of the online roles.
    pub pre: Links,
    /// Online.
    pub on: Links,
    /// Deferred, to a role that nobody waits for.
    pub def: Links,
}

impl Traffic {
    /// With so many elements more from a role to another.
    #[must_use]
    pub fn sent(mut self, from: RoleId, to: RoleId, stream: Stream, elements: u64) -> Self {
        self.count(from, to, stream, elements);
        self
    }

    fn count(&mut self, from: RoleId, to: RoleId, stream: Stream, elements: u64) {
        let links = match stream {
            Stream::Pre => &mut self.pre,
            Stream::On => &mut self.on,
            Stream::Def => &mut self.def,
        };
        links[from][to] += elements;
    }

    /// What goes over a stream.
    #[must_use]
    pub fn stream(&self, stream: Stream) -> &Links {
        match stream {
            Stream::Pre => &self.pre,
            Stream::On => &self.on,
            Stream::Def => &self.def,
        }
    }

    /// Traffic between parties instead of roles, where party `places[r]` plays role `r`.
    #[must_use]
    pub fn placed(&self, places: &[PartyId]) -> Self {
        let mut out = Traffic::default();
        for stream in Stream::ALL {
            for (from, sent) in self.stream(stream).iter().enumerate().take(places.len()) {
                for (to, elements) in sent.iter().enumerate().filter(|(_, n)| **n > 0) {
                    out.count(places[from].index(), places[to].index(), stream, *elements);
                }
            }
        }
        out
    }

    /// The rest, without a part of it.
    #[must_use]
    pub fn without(&self, part: &Traffic) -> Self {
        let mut rest = self.clone();
        rest.pre -= &part.pre;
        rest.on -= &part.on;
        rest.def -= &part.def;
        rest
    }

    /// All elements, all links.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.pre.iter().chain(self.on.iter()).chain(self.def.iter()).flatten().sum()
    }

    /// Elements from `from` to `to` on all streams.
    #[must_use]
    pub fn link(&self, from: RoleId, to: RoleId) -> u64 {
        self.pre[from][to] + self.on[from][to] + self.def[from][to]
    }

    /// Elements on the busiest directed link: what bounds throughput on equal links.
    #[must_use]
    pub fn busiest(&self) -> u64 {
        let rows = self.pre.0.len().max(self.on.0.len()).max(self.def.0.len());
        let links = (0..rows).flat_map(|from| (0..MAX_ROLES).map(move |to| (from, to)));
        links.map(|(from, to)| self.link(from, to)).max().unwrap_or(0)
    }

    /// Whether `role` waits for anything online.
    #[must_use]
    pub fn is_awaited_by(&self, role: RoleId) -> bool {
        self.on.iter().any(|to| to[role] > 0)
    }
}

/// All pairs of roles.
pub fn links() -> impl Iterator<Item = (RoleId, RoleId)> {
    (0..MAX_ROLES).flat_map(|from| (0..MAX_ROLES).map(move |to| (from, to)))
}

/// All pairs of different roles of `parties`.
pub fn pairs(parties: usize) -> impl Iterator<Item = (RoleId, RoleId)> {
    let all = move |from| (0..parties).map(move |to| (from, to));
    (0..parties).flat_map(all).filter(|(from, to)| from != to)
}

impl Add for Traffic {
    type Output = Self;
    fn add(mut self, other: Self) -> Self {
        self += other;
        self
    }
}

impl AddAssign for Traffic {
    fn add_assign(&mut self, other: Self) {
        *self += &other;
    }
}

impl AddAssign<&Traffic> for Traffic {
    fn add_assign(&mut self, other: &Self) {
        self.pre += &other.pre;
        self.on += &other.on;
        self.def += &other.def;
    }
}

impl SubAssign for Traffic {
    fn sub_assign(&mut self, part: Self) {
        self.pre -= &part.pre;
        self.on -= &part.on;
        self.def -= &part.def;
    }
}

impl Mul<u64> for Traffic {
    type Output = Self;
    fn mul(mut self, times: u64) -> Self {
        let links = [&mut self.pre, &mut self.on, &mut self.def];
        links.into_iter().flat_map(|links| &mut links.0).flatten().for_each(|n| *n *= times);
        self
    }
}

impl Div<u64> for Traffic {
    type Output = Self;
    fn div(mut self, by: u64) -> Self {
        let links = [&mut self.pre, &mut self.on, &mut self.def];
        links.into_iter().flat_map(|links| &mut links.0).flatten().for_each(|n| *n /= by);
        self
    }
}

/// Products of bits, or ANDs: what parties compute.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Products {
    /// Ahead, or for what is garbled ahead.
    pub preprocessed: u64,
    /// Online.
    pub online: u64,
}

impl Products {
    /// As many ahead as online.
    #[must_use]
    pub fn of(count: u64) -> Self {
        Products { preprocessed: count, online: count }
    }
}

impl AddAssign for Products {
    fn add_assign(&mut self, other: Self) {
        self.preprocessed += other.preprocessed;
        self.online += other.online;
    }
}

/// Rounds of one comparison of transcripts.
pub const CHECK_ROUNDS: u64 = 3;

/// Rounds of one that is not the last of a run, where [that takes fewer](crate::verify::Verifier::settle).
pub const SETTLE_ROUNDS: u64 = 2;
