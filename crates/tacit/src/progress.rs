//! Who watches a run.

use crate::auto::Choice;

/// Is told how far a run has come: for people to look at. It must not slow the run down.
pub trait Progress: Sync {
    /// The parties, which have these names, have chosen a protocol.
    fn chosen(&self, choice: &Choice, names: &[String]);
    /// From now on so much is counted: rows of a program's streams, or words of a circuit's lanes.
    fn total(&self, all: u64);
    /// So much more is done.
    fn done(&self, more: u64);
}

/// Nobody watches.
pub struct Unwatched;

impl Progress for Unwatched {
    fn chosen(&self, _: &Choice, _: &[String]) {}
    fn total(&self, _: u64) {}
    fn done(&self, _: u64) {}
}
