//! How long a job takes under a protocol, before it runs, and which protocol takes least.

use crate::assign::{Wanted, for_circuit};
use crate::costs::{Costs, MAX_DRAWN, of_circuit, of_counted};
use crate::counter::Counter;
use crate::network::Network;
use crate::programs::{Free, choose_with, has_choice, least};
use crate::time::{Bound, Seconds};
use crate::work::Calibration;
use std::fmt;
use tacit_circuit::Circuit;
use tacit_engine::circuit::{Assignment, Compiled, EvaluateError, Job};
use tacit_engine::program::{By, ProgramJob};
use tacit_program::Program;
use tacit_sharing::Protocol;

/// What must be protected against.
///
/// ```
/// use tacit_planner::Threat;
///
/// assert_eq!(Threat::malicious(1).to_string(), "one malicious party");
/// assert_eq!(Threat::semi_honest(2).to_string(), "2 semi-honest parties");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Threat {
    /// Parties that may be corrupted, together.
    pub corruptions: usize,
    /// Whether they may do whatever they like; if not, they follow the protocol and look at what they see.
    pub malicious: bool,
}

/// What is to take little time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Objective {
    /// All of a run.
    #[default]
    Total,
    /// What comes after the inputs: preprocessing is free.
    Online,
}

/// The machines and links that a job is to run on.
#[derive(Clone, Copy, Debug)]
pub struct Setting<'s> {
    /// Links between all parties, of whom the first compute where a protocol has fewer roles.
    pub network: &'s Network,
    /// How fast processors are.
    pub calibration: &'s Calibration,
    /// Bytes that a party may keep.
    pub memory_bytes: f64,
}

/// What a job will take under a protocol.
#[derive(Clone, Debug, PartialEq)]
pub struct Estimate {
    /// The protocol.
    pub protocol: Protocol,
    /// Who plays which role.
    pub assignments: Vec<Assignment>,
    /// What a program's numbers are computed with.
    pub by: Option<By>,
    /// How many rows of a program are computed together.
    pub chunk_rows: Option<usize>,
    /// Threads of each party, for each assignment of roles.
    pub threads: usize,
    /// What it asks for.
    pub costs: Costs,
    /// Seconds of set-up, of what comes ahead, and online.
    pub seconds: [Seconds; 3],
}

/// Why a protocol is left out.
#[derive(Debug, thiserror::Error)]
pub enum LeftOut {
    /// It needs more memory than there is.
    #[error("keeps about {} MB at a party, and {} MB are allowed", megabytes(*.needed), megabytes(*.allowed))]
    Memory {
        /// Bytes.
        needed: f64,
        /// Bytes.
        allowed: f64,
    },
    /// The job does not run under it.
    #[error(transparent)]
    Job(#[from] EvaluateError),
}

fn megabytes(bytes: f64) -> u64 {
    (bytes / 1e6).ceil() as u64
}

impl Threat {
    /// So many corrupted parties that follow the protocol, and pool what they see.
    #[must_use]
    pub const fn semi_honest(corruptions: usize) -> Threat {
        Threat { corruptions, malicious: false }
    }

    /// So many corrupted parties that do together whatever they like.
    #[must_use]
    pub const fn malicious(corruptions: usize) -> Threat {
        Threat { corruptions, malicious: true }
    }

    /// Whether a protocol protects against it.
    #[must_use]
    pub fn is_met_by(self, protocol: Protocol) -> bool {
        let security = protocol.security();
        let enough = security.corruptions(protocol.parties()) >= self.corruptions;
        enough && (security.is_malicious() || !self.malicious)
    }

    /// Whether what protects against this protects against another threat, too.
    #[must_use]
    pub const fn covers(self, other: Threat) -> bool {
        self.corruptions >= other.corruptions && (self.malicious || !other.malicious)
    }

    /// Protocols of some for so many parties that protect against it, or for `fewer` too.
    pub fn protocols(
        self,
        all: impl Iterator<Item = Protocol>,
        parties: usize,
        fewer: bool,
    ) -> Vec<Protocol> {
        let fitting = all.filter(|p| !p.for_comparison()).map(|p| p.fitting(parties));
        let sized = |p: &Protocol| p.parties() == parties || (fewer && p.parties() < parties);
        fitting.filter(sized).filter(|p| self.is_met_by(*p)).collect()
    }
}

impl fmt::Display for Threat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let how = if self.malicious { "malicious" } else { "semi-honest" };
        match self.corruptions {
            1 => write!(f, "one {how} party"),
            many => write!(f, "{many} {how} parties"),
        }
    }
}

impl Setting<'_> {
    /// A circuit under the protocol of a job, with the `wanted` assignments of roles that fit the network best.
    ///
    /// # Errors
    /// When the job does not fit the circuit, or needs too much memory.
    pub fn circuit(
        &self,
        circuit: &Circuit,
        job: &Job,
        wanted: Wanted,
    ) -> Result<Estimate, LeftOut> {
        let (protocol, threads) = (job.protocol(), job.options.workers);
        let network = self.network.among(protocol.parties());
        let chosen = for_circuit(&network, circuit, job, &[protocol], wanted)?;
        let job = job.clone().with(|it| it.assignments = chosen.assignments);
        let assignments = job.options.assignments.clone();
        let costs = of_circuit(&Compiled::new(circuit, job)?);
        self.fits(&costs)?;
        let seconds = self.seconds(&network, &costs, threads);
        Ok(Estimate { protocol, assignments, by: None, chunk_rows: None, threads, costs, seconds })
    }

    /// A program under the protocol of a job, with what is `free` as it fits the network best.
    ///
    /// # Errors
    /// When the job does not fit the program, or needs too much memory.
    pub fn program(
        &self,
        program: &Program,
        job: &ProgramJob,
        free: Free,
    ) -> Result<Estimate, LeftOut> {
        let seconds = |estimate: &Estimate| estimate.counted(Objective::Total).total();
        let counter = &Counter::new(program);
        let mut best = self.program_with(counter, job, free)?;
        let fixed = Free { by: false, ..free };
        if let Some(by) = other_form(job, best.by).filter(|_| free.by) {
            // Rings or circuits were chosen by what links carry. What processors take is known only now.
            let other = ProgramJob { by, ..job.clone() };
            let plain = Free { split: false, chunk: false, ..fixed };
            let may_be_shorter = least(self.network, counter, &other, plain) < seconds(&best);
            let found = may_be_shorter.then(|| self.program_with(counter, &other, plain));
            if found.is_some_and(|found| found.is_ok_and(|it| seconds(&it) < seconds(&best))) {
                best = self.program_with(counter, &other, fixed)?;
            }
        }
        if best.assignments.len() == 1 || job.options.assignments.len() > 1 {
            return Ok(best);
        }
        // Roles are split by what links carry, too.
        let job = ProgramJob { by: best.by.unwrap_or(job.by), ..job.clone() };
        let single = self.program_with(counter, &job, Free { split: false, ..fixed })?;
        Ok(if seconds(&single) <= seconds(&best) { single } else { best })
    }

    fn program_with(
        &self,
        counter: &Counter<'_>,
        job: &ProgramJob,
        free: Free,
    ) -> Result<Estimate, LeftOut> {
        let (protocol, mut job) = (job.protocol(), job.clone());
        // Circuits that are large are not drawn to choose roles for them, and none where there is no choice.
        if has_choice(&job, free) && !(job.protocol().garbles() && is_large(counter, &job)?) {
            let choice = choose_with(self.network, counter, &job, free, &[])?;
            job.assign(choice.assignments)?;
            (job.by, job.chunk_rows) = (choice.by, choice.chunk_rows);
        }
        let costs = of_counted(&*counter.count(&job)?)?;
        self.fits(&costs)?;
        let (by, chunk_rows) = (Some(job.by), Some(job.chunk_rows));
        let tacit_engine::Options { assignments, workers: threads, .. } = job.options;
        let seconds = self.seconds(self.network, &costs, threads);
        Ok(Estimate { protocol, assignments, by, chunk_rows, threads, costs, seconds })
    }

    fn fits(&self, costs: &Costs) -> Result<(), LeftOut> {
        let (needed, allowed) = (costs.memory_bytes, self.memory_bytes);
        if needed <= allowed { Ok(()) } else { Err(LeftOut::Memory { needed, allowed }) }
    }

    fn seconds(&self, network: &Network, costs: &Costs, threads: usize) -> [Seconds; 3] {
        costs.phases().map(|phase| phase.seconds(network, self.calibration, threads))
    }
}

/// Circuits for rings, and rings for circuits, where a protocol has both.
fn other_form(job: &ProgramJob, by: Option<By>) -> Option<By> {
    let both = job.protocol().has_rings() && !job.protocol().is_trusted_party();
    by.filter(|_| both).map(|by| if by == By::Rings { By::Circuits } else { By::Rings })
}

impl Estimate {
    /// With so many seconds more, in which the parties connect once more before they begin.
    #[must_use]
    pub fn connecting_again(mut self, seconds: f64) -> Estimate {
        self.seconds[0].latency += seconds;
        self
    }

    /// What counts for an objective.
    #[must_use]
    pub fn counted(&self, objective: Objective) -> Seconds {
        let [set_up, ahead, online] = self.seconds;
        match objective {
            Objective::Total => set_up + ahead + online,
            Objective::Online => online,
        }
    }

    /// What most of that is.
    #[must_use]
    pub fn bound(&self, objective: Objective) -> Bound {
        self.counted(objective).bound()
    }

    /// Steps in which somebody waits, of what counts.
    #[must_use]
    pub fn steps(&self, objective: Objective) -> u64 {
        let steps = self.costs.phases().map(|phase| phase.steps());
        match objective {
            Objective::Total => steps.iter().sum(),
            Objective::Online => steps[2],
        }
    }

    /// Bytes that all parties send, of what counts.
    #[must_use]
    pub fn total_bytes(&self, objective: Objective) -> f64 {
        let bytes = self.costs.phases().map(|phase| phase.total_bytes());
        match objective {
            Objective::Total => bytes.iter().sum(),
            Objective::Online => bytes[2],
        }
    }
}

/// Whether the circuit of a program is too large to be drawn for its cost alone.
fn is_large(counter: &Counter<'_>, job: &ProgramJob) -> Result<bool, EvaluateError> {
    let ands = counter.count(job)?.compiled.circuit_ands()?;
    Ok(ands.is_some_and(|ands| ands > MAX_DRAWN))
}

/// Estimates so close to the shortest, as a part of it, are as good: no prediction is more exact.
const ALIKE: f64 = 0.01;

/// Sorts what takes so many seconds, shortest first; but of what takes about as long as the shortest, the first stays the first,
/// so that the last digits of figures decide nothing.
pub fn rank<T>(estimates: &mut [T], seconds: impl Fn(&T) -> f64) {
    let least = estimates.iter().map(&seconds).fold(f64::INFINITY, f64::min);
    let alike = |estimate: &T| seconds(estimate) <= least * (1.0 + ALIKE);
    let Some(first) = estimates.iter().position(alike) else { return };
    estimates[..=first].rotate_right(1);
    estimates[1..].sort_by(|a, b| seconds(a).total_cmp(&seconds(b)));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_what_takes_about_as_long_the_first_is_taken() {
        let ranked = |seconds: &[f64]| {
            let mut all = seconds.to_vec();
            rank(&mut all, |it| *it);
            all
        };
        assert_eq!(ranked(&[3.0, 2.0, 1.005, 1.0, 4.0]), [1.005, 1.0, 2.0, 3.0, 4.0]);
        assert_eq!(ranked(&[1.02, 1.0]), [1.0, 1.02]);
        assert_eq!(ranked(&[1.0, 0.995]), [1.0, 0.995]);
        assert!(ranked(&[]).is_empty());
    }
}
