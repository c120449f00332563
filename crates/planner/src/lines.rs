//! What each line of a program takes of what was predicted for it.

use crate::costs::{comes_first, cost_of_program, product};
use crate::estimate::{Estimate, Setting};
use crate::time::{Phase, Seconds};
use crate::work::of_an_and;
use std::collections::BTreeMap;
use tacit_backend::cost::{Links, MAX_ROLES, Products};
use tacit_backend::work::Work;
use tacit_engine::circuit::EvaluateError;
use tacit_engine::program::{ALL_LINES, CompiledProgram, Cost, LineCost, ProgramJob};
use tacit_program::Program;

/// What a line of a program takes.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Line {
    /// Seconds of the whole run.
    pub seconds: Seconds,
    /// Bytes that all parties send.
    pub bytes: f64,
    /// Steps in which somebody waits.
    pub steps: f64,
}

impl Setting<'_> {
    /// What each line of a program takes, as its spans number them: together what the estimate says, whose roles, form and
    /// chunks the `job` has. What is of no line is at [`ALL_LINES`]: set-up, results, and checks of what parties sent. Bytes that
    /// a phase sends take their part of its seconds, whichever links they go over.
    ///
    /// # Errors
    /// Where the protocol computes in the clear, or the job has several workers.
    pub fn lines(
        &self,
        program: &Program,
        job: &ProgramJob,
        estimate: &Estimate,
    ) -> Result<BTreeMap<u32, Line>, EvaluateError> {
        let protocol = job.protocol();
        let prepared = CompiledProgram::new(program, job.clone())?;
        let (costs, all) = (prepared.cost_by_line()?, cost_of_program(&prepared)?);
        let [_, ahead, online] = estimate.costs.phases();
        let [_, ahead_takes, online_takes] = estimate.seconds;
        let (ahead_bytes, online_bytes) = (ahead.total_bytes(), online.total_bytes());
        let first = comes_first(protocol, job.options.preprocessing);
        // ANDs alone are known where circuits are garbled, before what circuits have in common is found: they are parts of
        // those that there are, and the rest of the bytes is of inputs, keys and results.
        let garbles = protocol.garbles();
        let counted: u64 = costs.values().map(|cost| cost.products.online).sum();
        let ands = product(protocol) * all.products.online / 8;
        let of_ands = (ands.total() - links(&ands.on)) as f64;
        let ands_ahead = of_ands.min(ahead_bytes);
        let ands_online = (ands.total() as f64 - ands_ahead).min(online_bytes);
        let (role, rounds) = waits_most(costs.values(), &all);
        // The last two waits are for ends and checks.
        let levels = &online.waits[..online.waits.len().saturating_sub(2)];
        let of_levels = self.network.waiting(levels).min(online_takes.latency);
        let [work_ahead, work_online] = of_an_and(protocol);
        let computing = |work: Work, phase: &Phase, takes: Seconds| {
            let part = self.calibration.seconds(&work) / self.calibration.seconds(&phase.work);
            takes.computing * if part.is_finite() { part.min(1.0) } else { 0.0 }
        };
        let levels = levels.iter().map(|waits| waits.steps).sum::<u64>() as f64;
        let line = |cost: &LineCost| {
            let part = ratio(cost.products.online as f64, counted as f64);
            let [sent_ahead, sent_online] = match (garbles, first) {
                (true, _) => [part * ands_ahead, part * ands_online],
                (false, true) => [cost.ahead as f64, (cost.bytes - cost.ahead) as f64],
                (false, false) => [0.0, cost.bytes as f64],
            };
            let rounds = ratio(cost.rounds[role] as f64, rounds as f64);
            let Products { preprocessed, online: made } =
                if garbles { all.products } else { cost.products };
            let part = if garbles { part } else { 1.0 };
            let [made_ahead, made_online] = [part * preprocessed as f64, part * made as f64];
            Line {
                seconds: Seconds {
                    latency: rounds * of_levels,
                    bandwidth: ratio(sent_ahead, ahead_bytes) * ahead_takes.bandwidth
                        + ratio(sent_online, online_bytes) * online_takes.bandwidth,
                    computing: computing(work_ahead * made_ahead, ahead, ahead_takes)
                        + computing(work_online * made_online, online, online_takes),
                },
                bytes: sent_ahead + sent_online,
                steps: rounds * levels,
            }
        };
        let mut lines: BTreeMap<u32, Line> = costs
            .iter()
            .filter(|(at, _)| **at != ALL_LINES)
            .map(|(at, it)| (*at, line(it)))
            .collect();
        let mut rest = Line {
            seconds: estimate.seconds.into_iter().fold(Seconds::default(), |all, one| all + one),
            bytes: estimate.costs.phases().iter().map(|phase| phase.total_bytes()).sum(),
            steps: estimate.costs.phases().iter().map(|phase| phase.steps()).sum::<u64>() as f64,
        };
        for line in lines.values() {
            rest.seconds.latency -= line.seconds.latency;
            rest.seconds.bandwidth -= line.seconds.bandwidth;
            rest.seconds.computing -= line.seconds.computing;
            rest.bytes -= line.bytes;
            rest.steps -= line.steps;
        }
        lines.insert(ALL_LINES, rest);
        Ok(lines)
    }
}

/// The role that waits most in all lines together, and the rounds of the party that does.
fn waits_most<'c>(costs: impl Iterator<Item = &'c LineCost> + Clone, all: &Cost) -> (usize, u64) {
    let rounds = |role: &usize| costs.clone().map(|cost| cost.rounds[*role]).sum::<u64>();
    let role = (0..MAX_ROLES).max_by_key(rounds).unwrap_or(0);
    (role, all.rounds.into_iter().max().unwrap_or(0))
}

/// All that goes over some links.
fn links(links: &Links) -> u64 {
    links.iter().flatten().sum()
}

fn ratio(part: f64, all: f64) -> f64 {
    if all > 0.0 { part / all } else { 0.0 }
}
