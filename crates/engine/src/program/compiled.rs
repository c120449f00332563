//! A program laid out for a job: what every worker of every party walks through.

use super::job::{CHUNK_ROWS, ProgramJob};
use super::layout::steps_of;
use super::ranges::ByBits;
use super::rings::BlockRings;
use super::seats::Seating;
use std::sync::OnceLock;
use tacit_backend::{Kind, Ring};
use tacit_program::{Element, Program, Type, ValueId};
use tacit_sharing::RoleId;

/// ANDs that a row may well have: so many of a circuit to a row of a chunk.
const ROW_ANDS: usize = 256;

/// How many times as much as usual is under way at most of whole arrays.
const MOST_WIDER: usize = 64;

/// A program in core operations, with a ring for every value.
pub struct CompiledProgram {
    pub(super) job: ProgramJob,
    /// As the user wrote it.
    pub(super) source: Program,
    pub(super) program: Program,
    pub(super) rings: BlockRings,
    pub(super) roles: Vec<RoleId>,
    pub(super) seatings: Vec<Seating>,
    /// Inputs that are shared by bits.
    pub(super) by_bits: ByBits,
    /// Circuits are garbled as the program runs.
    pub(super) streams: bool,
    /// ANDs of its circuits under a protocol that garbles, once they were counted.
    pub(super) ands: OnceLock<u64>,
    pub(super) facts: Vec<(&'static str, String)>,
}

impl CompiledProgram {
    /// The job.
    #[must_use]
    pub fn job(&self) -> &ProgramJob {
        &self.job
    }

    /// The program, in core operations.
    #[must_use]
    pub fn program(&self) -> &Program {
        &self.program
    }

    /// The facts that parties compare before they start.
    #[must_use]
    pub fn facts(&self) -> &[(&'static str, String)] {
        &self.facts
    }

    /// Rows that go through streams, each as often as streams it goes through, and iterations of loops: what progress is
    /// told of.
    #[must_use]
    pub fn counted_steps(&self) -> u64 {
        let wanted: Vec<ValueId> = self.program.reveals.iter().map(|r| r.value).collect();
        steps_of(&self.program.body, &self.job.rows, &wanted)
    }

    /// The assignment of a worker: those of the first come first.
    pub(super) fn seating_of(&self, worker: usize) -> &Seating {
        &self.seatings[worker / self.job.options.workers]
    }

    /// Rows of large arrays that are computed together. Circuit by circuit they are few, as bits that wait to be used
    /// are held from one to the next; chunks take no rounds of their own there.
    pub(super) fn chunk_rows(&self) -> usize {
        let most = match self.streams && self.job.in_blocks() {
            true => (self.job.most_ands() / ROW_ANDS).max(64),
            false => usize::MAX,
        };
        self.job.chunk_rows.min(most)
    }

    /// How many times as many bits of whole arrays are computed together as usually: as many as rows of chunks are.
    pub(super) fn wider(&self) -> usize {
        (self.chunk_rows() / CHUNK_ROWS).min(MOST_WIDER)
    }

    /// What a value is shared as that is revealed as it is.
    pub(super) fn given_kind(&self, ty: &Type) -> Kind {
        let ring = self.job.by.ring(ty.interval.signed_bits()).unwrap_or(Ring::W128);
        if ty.element == Element::Bit { Kind::Bits } else { Kind::Ring(ring) }
    }
}
