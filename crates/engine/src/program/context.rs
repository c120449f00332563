//! What a whole walk over a program knows, and the values that it computes.

use super::checks::Checks;
use super::compiled::CompiledProgram;
use super::outside::{Dealt, Inputs};
use super::ranges::{ByBits, Test};
use super::seats::{Seat, Seating};
use crate::gate::Door;
use std::collections::BTreeMap;
use std::iter::repeat_n;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use tacit_backend::cost::{MAX_ROLES, Rounds};
use tacit_backend::{Backend, Secret};
use tacit_program::clear::Array;
use tacit_sharing::RoleId;
use tacit_sharing::verify::Verifier;

/// A value of a block.
#[derive(Clone)]
pub(super) enum Value {
    /// In the clear; nothing where this party may not see it, and in dry runs.
    Clear(Option<Arc<Array>>),
    /// Shared.
    Secret(Arc<Secret>),
}

/// What a whole run knows.
pub(super) struct Context<'c> {
    /// Row counts by dim.
    pub rows: &'c [u64],
    /// What this party knows of its roles, by worker.
    pub seats: Vec<Seat<'c>>,
    /// The assignments of roles, each with as many workers as any other one.
    pub seatings: &'c [Seating],
    /// In proportion to which rows are divided among workers.
    pub weights: Vec<u64>,
    /// This party's own inputs and the public ones, by name.
    pub inputs: &'c BTreeMap<String, Arc<Array>>,
    /// Rows of a chunk.
    pub chunk: usize,
    /// Nothing but what goes ahead is exchanged: no inputs, and no results.
    pub only_ahead: bool,
    /// Told of every row that went through a stream, and of every iteration of a loop.
    pub progress: &'c (dyn Fn(u64) + Sync),
    /// Rounds in which the first worker waited for another of this party, which had more chunks.
    pub beside: Beside,
    /// What this role has of what came from outside, until it has entered.
    pub dealt: Mutex<Option<Dealt>>,
    /// The inputs from outside.
    pub entered: OnceLock<Inputs>,
    /// Whether what parties do is compared before anything opens.
    pub checked: bool,
    /// What compares it; nothing in dry runs.
    pub verifier: Mutex<Option<Verifier>>,
    /// Whether inputs are tested to lie in their ranges.
    pub tested: bool,
    /// Inputs that are shared by bits.
    pub by_bits: &'c ByBits,
    /// What the tests said so far.
    pub tests: Mutex<Vec<Test>>,
    /// What the program checks.
    pub checks: Mutex<Checks>,
    /// What is passed before results open; nothing in dry runs, and where it was passed before.
    pub door: Option<&'c Door>,
}

/// Rounds that workers make beside the first one: in every stream as many as the slowest has more.
pub(super) struct Beside(Mutex<Rounds>);

impl Beside {
    pub fn none() -> Self {
        Beside(Mutex::new([0; MAX_ROLES]))
    }

    /// Adds a stream, of whose rounds each worker made so many.
    pub fn stream(&self, workers: &[Rounds]) {
        let mut more = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        for (role, more) in more.iter_mut().enumerate() {
            let most = workers.iter().map(|rounds| rounds[role]).max().unwrap_or(0);
            *more += most - workers.first().map_or(0, |rounds| rounds[role]);
        }
    }

    /// Rounds of a whole walk, whose first worker made so many.
    pub fn with(&self, first: Rounds) -> Rounds {
        let more = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        std::array::from_fn(|role| first[role] + more[role])
    }
}

/// All workers of a party, to walk over.
pub(super) type Backends<'b, 'm> = &'b mut [&'m mut (dyn Backend + Send)];

impl Context<'_> {
    /// What the program checks, so far.
    pub fn checks(&self) -> MutexGuard<'_, Checks> {
        self.checks.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What compares what parties did.
    pub fn verifier(&self) -> MutexGuard<'_, Option<Verifier>> {
        self.verifier.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Workers of the first assignment of roles.
    pub fn of_first(&self) -> usize {
        self.seats.len() / self.seatings.len()
    }

    /// What rows are divided in among workers: chunks, or where roles change from worker to worker as few as can
    /// be, so that links are as busy as weights say.
    pub fn unit(&self) -> usize {
        if self.seatings.len() == 1 { self.chunk } else { 1 }
    }

    /// Keeps what tests of inputs said, until it opens.
    pub fn keep_tests(&self, tests: impl IntoIterator<Item = Test>) {
        self.tests.lock().unwrap_or_else(PoisonError::into_inner).extend(tests);
    }

    /// Rounds so far, by worker, as those of the first assignment's roles.
    pub fn rounds_of(&self, backends: Backends<'_, '_>) -> Vec<Rounds> {
        let seatings = self.seatings.iter();
        let seatings = seatings.flat_map(|seating| repeat_n(seating, self.of_first()));
        let pairs = backends.iter_mut().zip(seatings);
        pairs.map(|(backend, seating)| seating.rounds(&backend.rounds())).collect()
    }
}

impl CompiledProgram {
    /// For the party that plays `role` in the first assignment, or one outside.
    pub(super) fn context<'c>(
        &'c self,
        role: RoleId,
        inputs: &'c BTreeMap<String, Arc<Array>>,
        progress: &'c (dyn Fn(u64) + Sync),
    ) -> Context<'c> {
        let workers = 0..self.job.threads();
        let weight = |worker| u64::from(self.seating_of(worker).assignment.weight);
        Context {
            rows: &self.job.rows,
            seats: workers.clone().map(|worker| self.seating_of(worker).of_role(role)).collect(),
            seatings: &self.seatings,
            weights: workers.map(weight).collect(),
            inputs,
            chunk: self.chunk_rows(),
            only_ahead: false,
            progress,
            beside: Beside::none(),
            dealt: Mutex::new(None),
            entered: OnceLock::new(),
            checked: self.job.protocol().is_checked(),
            verifier: Mutex::new(None),
            tested: self.job.tests_ranges(),
            by_bits: &self.by_bits,
            tests: Mutex::new(Vec::new()),
            checks: Mutex::new(Checks::default()),
            door: None,
        }
    }
}
