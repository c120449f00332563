//! What a program leaves to be chosen for the links: roles, what numbers are computed with, chunks of rows.

use crate::error::Result;
use crate::options::Options;
use crate::roles::{Measured, Roles, measured};
use serde::{Deserialize, Serialize};
use std::str::FromStr;
use tacit_engine::program::{By, CHUNK_ROWS, ProgramJob};
use tacit_net::Session;
use tacit_net::probe::{Effort, probe};
use tacit_planner::{Free, Network, for_program};
use tacit_program::Program;
use tacit_sharing::Protocol;

/// What a program's numbers are computed with, given or chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ByChoice {
    /// What takes less time on the links between the parties, which are measured first.
    Auto,
    /// Given.
    Given(By),
}

impl FromStr for ByChoice {
    type Err = String;

    fn from_str(text: &str) -> std::result::Result<ByChoice, String> {
        let given = || text.parse().map(ByChoice::Given);
        match text {
            "auto" => Ok(ByChoice::Auto),
            _ => given().map_err(|known: String| format!("{known}; `auto` chooses")),
        }
    }
}

impl ByChoice {
    /// What is meant until links are measured.
    pub fn or_usual(by: Option<ByChoice>, protocol: Protocol) -> By {
        match by {
            Some(ByChoice::Given(by)) => by,
            _ => By::of(protocol),
        }
    }
}

/// Rows that are computed together, given or chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChunkChoice {
    /// As many as make rounds cheap on the links between the parties, which are measured first.
    Auto,
    /// Given.
    Given(usize),
}

impl FromStr for ChunkChoice {
    type Err = String;

    fn from_str(text: &str) -> std::result::Result<ChunkChoice, String> {
        if text == "auto" {
            return Ok(ChunkChoice::Auto);
        }
        text.parse().map(ChunkChoice::Given).map_err(|e| format!("{e}; `auto` chooses"))
    }
}

impl ChunkChoice {
    /// What is meant until links are measured.
    pub fn or_usual(rows: Option<ChunkChoice>) -> usize {
        match rows {
            Some(ChunkChoice::Given(rows)) => rows,
            _ => CHUNK_ROWS,
        }
    }
}

/// What was chosen, and why.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ProgramChoice {
    /// Rows of large arrays that are computed together.
    pub chunk_rows: usize,
    /// Seconds that the links take at least.
    pub seconds: f64,
    /// Seconds that the links take at least with parties in their order and the usual form, if that is possible.
    pub given_seconds: Option<f64>,
    /// Measured links.
    pub links: Vec<Measured>,
}

/// What options leave to be chosen: where links are measured anyway, chunks too.
fn free(options: &Options) -> Free {
    let (roles, by) = (options.roles == Some(Roles::Auto), options.by == Some(ByChoice::Auto));
    let chunk = match options.chunk_rows {
        None => roles || by,
        Some(chunk) => chunk == ChunkChoice::Auto,
    };
    Free { roles, split: roles, by, chunk }
}

/// Measures the links, and puts into the job what takes least time on them.
pub fn for_links(
    session: &mut Session,
    program: &Program,
    job: &mut ProgramJob,
    options: &Options,
) -> Result<Option<ProgramChoice>> {
    let free = free(options);
    if !(free.roles || free.by || free.chunk) {
        return Ok(None);
    }
    let probes = probe(session, Effort::Brief)?;
    let network = Network::measured(session.parties(), &probes);
    let choice = for_program(&network, program, job, free, &options.mix)?;
    job.assign(choice.assignments)?;
    (job.by, job.chunk_rows) = (choice.by, choice.chunk_rows);
    Ok(Some(ProgramChoice {
        chunk_rows: choice.chunk_rows,
        seconds: choice.seconds,
        given_seconds: choice.given_seconds,
        links: measured(&probes),
    }))
}
