//! What the workers of a job are given, and what each of them has in the end.

use super::compile::Compiled;
use super::opening::{Kept, Opened};
use super::prepared::Phases;
use crate::gate::Door;
use crate::values::Lanes;
use std::collections::VecDeque;
use std::time::Duration;
use tacit_ring::Buffer;
use tacit_sharing::verify::Journal;

/// What all workers of a job need.
#[derive(Clone, Copy)]
pub(super) struct Run<'a> {
    pub compiled: &'a Compiled,
    pub values: &'a [Option<Lanes>],
    pub progress: &'a (dyn Fn(u64) + Sync),
    pub phases: Phases,
    /// What is passed before anything opens; for protocols that garble.
    pub door: Option<&'a Door>,
}

impl<'a> Run<'a> {
    /// Without inputs.
    pub fn ahead(compiled: &'a Compiled, phases: Phases) -> Self {
        Run { compiled, values: &[], progress: &|_| {}, phases, door: None }
    }
}

/// What a worker has at the end: all outputs under a protocol that checks nothing, else shares of
/// them, and what must be compared before they open.
pub(super) struct Computed {
    pub opened: Opened,
    pub kept: VecDeque<Vec<Kept>>,
    pub journal: Journal,
    /// When the online phase began, if preprocessing was stored.
    pub began: Option<Duration>,
    /// Preprocessing to be kept for another session.
    pub stored: Buffer<u8>,
}

impl Computed {
    /// Where nothing is checked, or outputs are opened elsewhere.
    pub fn unchecked(opened: Opened) -> Self {
        Computed {
            opened,
            kept: VecDeque::new(),
            journal: Journal::default(),
            began: None,
            stored: Buffer::default(),
        }
    }
}

/// When keys were there, and what each worker has in the end.
pub(super) type Done = (Duration, Vec<Computed>);
