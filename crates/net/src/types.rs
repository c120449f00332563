//! The small words of the crate: parties, streams, phases, and where a mesh stands.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::sync::Arc;

/// A computing party, counted from 0.
#[derive(
    Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default, Serialize, Deserialize,
)]
#[serde(transparent)]
pub struct PartyId(pub u8);

impl PartyId {
    /// Gives the party's number, for indexing.
    #[must_use]
    pub fn index(self) -> usize {
        usize::from(self.0)
    }

    /// Gives the ids of `parties` parties, in order.
    pub fn all(parties: usize) -> impl Iterator<Item = PartyId> {
        (0..=u8::MAX).take(parties).map(PartyId)
    }
}

impl fmt::Display for PartyId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "party {}", self.0)
    }
}

/// The ordered byte streams of a directed link; each progresses on its own.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Stream {
    /// Preprocessing: its sender may run far ahead and is held back by the receiver's window.
    Pre = 0,
    /// Online: what the receiver waits for, layer by layer.
    On = 1,
    /// Deferred: what somebody catches up with later (helpers, verification, opening).
    Def = 2,
}

impl Stream {
    /// Number of streams of a link.
    pub const COUNT: usize = 3;
    /// Every stream.
    pub const ALL: [Stream; Stream::COUNT] = [Stream::Pre, Stream::On, Stream::Def];

    /// Gives the stream's number, for indexing.
    #[must_use]
    pub fn index(self) -> usize {
        self as usize
    }

    pub(crate) fn from_index(index: u8) -> Option<Stream> {
        Stream::ALL.get(usize::from(index)).copied()
    }
}

impl fmt::Display for Stream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Stream::Pre => "pre",
            Stream::On => "on",
            Stream::Def => "def",
        })
    }
}

/// What a session is doing. It labels the meter and the errors.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Phase {
    /// Keys and anything that is done once.
    Setup = 0,
    /// Preprocessing.
    Offline = 1,
    /// Input and evaluation.
    Online = 2,
    /// Checks before opening.
    Verify = 3,
    /// What opens shared values: results, and what protocols open on the way to them.
    Open = 4,
}

impl Phase {
    /// Number of phases.
    pub const COUNT: usize = 5;
    /// Every phase, in order.
    pub const ALL: [Phase; Phase::COUNT] =
        [Phase::Setup, Phase::Offline, Phase::Online, Phase::Verify, Phase::Open];

    /// Gives the phase's number, for indexing.
    #[must_use]
    pub fn index(self) -> usize {
        self as usize
    }
}

impl fmt::Display for Phase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Phase::Setup => "setup",
            Phase::Offline => "offline",
            Phase::Online => "online",
            Phase::Verify => "verify",
            Phase::Open => "open",
        })
    }
}

/// Where a mesh stands in its program: the labels that errors and the meter carry.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Place {
    /// The phase set last.
    pub phase: Phase,
    /// The step set last.
    pub step: u32,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "phase {}, step {}", self.phase, self.step)
    }
}

/// How errors name a party: its id, its name and where it is reached.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Peer {
    /// Its id.
    pub id: PartyId,
    /// Its name from the configuration.
    pub name: String,
    /// `host:port`, or `memory`.
    pub address: String,
}

impl fmt::Display for Peer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "party {} ({} at {})", self.id.0, self.name, self.address)
    }
}

/// The parties of a session by id, shared by everything that may have to name one.
pub(crate) type Peers = Arc<[Arc<Peer>]>;
