//! `--roles auto`, `--by auto` and `--chunk-rows auto` of programs: what fits the links.

use crate::roles::{Measured, Roles, measured};
use crate::run::{RunArgs, seconds};
use serde::{Deserialize, Serialize};
use std::io::{self, Write};
use std::str::FromStr;
use tacit_engine::circuit::EvaluateError;
use tacit_engine::program::{By, CHUNK_ROWS, ProgramJob};
use tacit_net::Session;
use tacit_net::probe::{Effort, probe};
use tacit_planner::{Free, Network, for_program};
use tacit_program::Program;
use tacit_sharing::Protocol;

/// What a program's numbers are computed with, given or chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ByArg {
    /// What takes less time on the links between the parties, which are measured first.
    Auto,
    /// Given.
    Given(By),
}

impl FromStr for ByArg {
    type Err = String;

    fn from_str(text: &str) -> Result<ByArg, String> {
        let given = || text.parse().map(ByArg::Given);
        match text {
            "auto" => Ok(ByArg::Auto),
            _ => given().map_err(|known: String| format!("{known}; `auto` chooses")),
        }
    }
}

impl ByArg {
    /// What is meant until links are measured.
    pub fn or_usual(by: Option<ByArg>, protocol: Protocol) -> By {
        match by {
            Some(ByArg::Given(by)) => by,
            _ => By::of(protocol),
        }
    }
}

/// Rows that are computed together, given or chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChunkArg {
    /// As many as make rounds cheap on the links between the parties, which are measured first.
    Auto,
    /// Given.
    Given(usize),
}

impl FromStr for ChunkArg {
    type Err = String;

    fn from_str(text: &str) -> Result<ChunkArg, String> {
        if text == "auto" {
            return Ok(ChunkArg::Auto);
        }
        text.parse().map(ChunkArg::Given).map_err(|e| format!("{e}; `auto` chooses"))
    }
}

impl ChunkArg {
    /// What is meant until links are measured.
    pub fn or_usual(rows: Option<ChunkArg>) -> usize {
        match rows {
            Some(ChunkArg::Given(rows)) => rows,
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
    /// The same with parties in their order and the usual form, if that is possible.
    pub given_seconds: Option<f64>,
    /// Measured links.
    pub links: Vec<Measured>,
}

/// What arguments leave to be chosen: where links are measured anyway, chunks too.
fn free(args: &RunArgs) -> Free {
    let (roles, by) = (args.roles == Some(Roles::Auto), args.by == Some(ByArg::Auto));
    let chunk = match args.program.chunk_rows {
        None => roles || by,
        Some(chunk) => chunk == ChunkArg::Auto,
    };
    Free { roles, by, chunk }
}

/// Measures the links, and puts into the job what takes least time on them.
pub fn for_links(
    session: &mut Session,
    program: &Program,
    job: &mut ProgramJob,
    args: &RunArgs,
) -> Result<Option<ProgramChoice>, EvaluateError> {
    let free = free(args);
    if !(free.roles || free.by || free.chunk) {
        return Ok(None);
    }
    let probes = probe(session, Effort::Brief)?;
    let network = Network::measured(session.parties(), &probes);
    let choice = for_program(&network, program, job, free, &args.mix)?;
    job.assign(choice.assignments)?;
    (job.by, job.chunk_rows) = (choice.by, choice.chunk_rows);
    Ok(Some(ProgramChoice {
        chunk_rows: choice.chunk_rows,
        seconds: choice.seconds,
        given_seconds: choice.given_seconds,
        links: measured(&probes),
    }))
}

impl ProgramChoice {
    /// Says why.
    pub fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        write!(
            out,
            "chosen for the measured links, which take at least {}",
            seconds(self.seconds)
        )?;
        match self.given_seconds {
            Some(given) if given > self.seconds * 1.01 => {
                write!(out, "; with the usual roles, form and chunks {}", seconds(given))?;
            }
            Some(_) => write!(out, ", as with the usual roles and form")?,
            None => write!(out, "; the usual form is not possible")?,
        }
        match self.chunk_rows {
            CHUNK_ROWS => writeln!(out),
            rows => writeln!(out, "; {rows} rows at a time"),
        }
    }
}
