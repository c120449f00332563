//! Which program is computed, by whom, on how many rows.

use crate::circuit::{EvaluateError, check_places};
use tacit_net::PartyId;
use tacit_program::{Program, text};
use tacit_sharing::{Protocol, RoleId};

/// Rows of a large array that are computed together, unless the job says otherwise: their values
/// stay in the outer caches.
pub const CHUNK_ROWS: usize = 1 << 15;

/// A program for named parties that all of them agree on before any share is sent.
#[derive(Clone, Debug)]
pub struct ProgramJob {
    /// The protocol.
    pub protocol: Protocol,
    /// `places[r]` plays role `r`.
    pub places: Vec<PartyId>,
    /// `parties[p]` is the party that the program calls its party `p`.
    pub parties: Vec<PartyId>,
    /// Row counts, by dim.
    pub rows: Vec<u64>,
    /// Worker threads per party.
    pub workers: usize,
    /// Rows of large arrays that are computed together. Fewer take less memory and more rounds.
    pub chunk_rows: usize,
}

impl ProgramJob {
    /// A job with defaults: roles in party order, one worker.
    #[must_use]
    pub fn new(protocol: Protocol, parties: Vec<PartyId>, rows: Vec<u64>) -> Self {
        ProgramJob {
            protocol,
            places: PartyId::all(protocol.parties()).collect(),
            parties,
            rows,
            workers: 1,
            chunk_rows: CHUNK_ROWS,
        }
    }

    /// The facts that parties compare before they start.
    #[must_use]
    pub fn facts(&self, program: &Program) -> Vec<(&'static str, String)> {
        let list = |parties: &[PartyId]| {
            parties.iter().map(|p| p.0.to_string()).collect::<Vec<_>>().join(",")
        };
        let dims = program.dims.iter().zip(&self.rows);
        let rows: Vec<String> = dims.map(|(dim, rows)| format!("{}={rows}", dim.name)).collect();
        vec![
            ("tacit version", env!("CARGO_PKG_VERSION").to_string()),
            ("program", hex::encode(text::digest(program))),
            ("parties of the program", list(&self.parties)),
            ("rows", rows.join(" ")),
            ("protocol", self.protocol.to_string()),
            ("roles", list(&self.places)),
            ("threads", self.workers.to_string()),
            ("rows per chunk", self.chunk_rows.to_string()),
        ]
    }

    /// Checks the job against the program.
    ///
    /// # Errors
    /// Says what does not fit.
    pub fn check(&self, program: &Program) -> Result<(), EvaluateError> {
        let fail = |text: String| Err(EvaluateError::Job(text));
        if !self.protocol.runs_programs() {
            return fail(format!(
                "not supported: {} evaluates circuits, but no programs yet; choose another protocol",
                self.protocol
            ));
        }
        if self.parties.len() != program.parties.len() {
            let (wanted, given) = (program.parties.len(), self.parties.len());
            return fail(format!("the program has {wanted} parties, but {given} are named"));
        }
        if self.workers == 0 || self.chunk_rows == 0 {
            return fail("a job needs at least one thread and one row per chunk".into());
        }
        check_places(self.protocol, &self.places)?;
        for party in &self.parties {
            self.role_of(*party)?;
        }
        tacit_program::clear::check_rows(program, &self.rows)
            .map_err(|e| EvaluateError::Job(e.to_string()))
    }

    /// The role that a party of the session plays.
    ///
    /// # Errors
    /// When it plays none.
    pub fn role_of(&self, party: PartyId) -> Result<RoleId, EvaluateError> {
        let role = self.places.iter().position(|p| *p == party);
        role.ok_or_else(|| EvaluateError::Job(format!("party {} plays no role", party.0)))
    }
}
