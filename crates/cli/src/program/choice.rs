//! `--roles auto` and `--by auto` of programs: what fits the links.

use crate::roles::{Measured, Roles, measured};
use crate::run::{RunArgs, seconds};
use serde::{Deserialize, Serialize};
use std::io::{self, Write};
use std::str::FromStr;
use tacit_engine::circuit::EvaluateError;
use tacit_engine::program::{By, ProgramJob};
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

/// What was chosen, and why.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ProgramChoice {
    /// Seconds that the links take at least.
    pub seconds: f64,
    /// The same with parties in their order and the usual form, if that is possible.
    pub given_seconds: Option<f64>,
    /// Measured links.
    pub links: Vec<Measured>,
}

/// What arguments leave to be chosen.
pub fn free(args: &RunArgs) -> Free {
    Free { roles: args.roles == Some(Roles::Auto), by: args.by == Some(ByArg::Auto) }
}

/// Measures the links, and puts into the job what takes least time on them.
pub fn for_links(
    session: &mut Session,
    program: &Program,
    job: &mut ProgramJob,
    free: Free,
) -> Result<Option<ProgramChoice>, EvaluateError> {
    if !(free.roles || free.by) {
        return Ok(None);
    }
    let probes = probe(session, Effort::Brief)?;
    let network = Network::measured(session.parties(), &probes);
    let choice = for_program(&network, program, job, free)?;
    (job.places, job.by) = (choice.places, choice.by);
    let (seconds, given_seconds) = (choice.seconds, choice.given_seconds);
    Ok(Some(ProgramChoice { seconds, given_seconds, links: measured(&probes) }))
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
                writeln!(out, "; with the usual roles and form {}", seconds(given))
            }
            Some(_) => writeln!(out, ", as with the usual roles and form"),
            None => writeln!(out, "; the usual form is not possible"),
        }
    }
}
