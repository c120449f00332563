//! The protocol of a program or a circuit, chosen by the parties together for the links and processors that they measure.

use crate::candidate::{Candidate, Choice};
use crate::error::{Error, Result};
use crate::job::program_job;
use crate::names::{Names, takes_outside};
use crate::options::Options;
use crate::roles::measured;
use crate::wanted::{MEMORY_BYTES, Wanted};
use crate::wire::{Rounds, Wire};
use rayon::prelude::*;
use std::collections::BTreeMap;
use std::sync::OnceLock;
use std::time::Instant;
use tacit_circuit::Circuit;
use tacit_engine::circuit::{Assignment, EvaluateError, Job};
use tacit_engine::program::ProgramJob;
use tacit_net::Session;
use tacit_net::probe::{Effort, probe};
use tacit_planner::{
    Calibration, Estimate, Free, Line, Network, Objective, Setting, Threat, UNITS,
};
use tacit_program::Program;
use tacit_protocol::Protocol;

/// Chooses the protocol of a program, with its roles, what numbers are computed with, and how many rows at a time; and, on
/// up to `most` threads, several assignments of roles and threads.
pub fn for_program(
    session: &mut Session,
    program: &Program,
    names: &Names,
    rows: &[u64],
    (options, wanted, most): (&Options, Wanted, Option<usize>),
) -> Result<(ProgramJob, Choice)> {
    let (best, job, choice) = choose(session, wanted, most, |setting, protocol, beside| {
        let options = Options { protocol, ..options.clone() };
        of_program(setting, program, names, rows, (&options, beside))
    })?;
    Ok((fitted(&best, job)?, choice))
}

/// What a program takes under a protocol, with what is free as it fits the network best.
pub fn of_program(
    setting: &Setting<'_>,
    program: &Program,
    names: &Names,
    rows: &[u64],
    (options, beside): (&Options, Beside),
) -> std::result::Result<(Estimate, ProgramJob), String> {
    let (protocol, threads) = (options.protocol, options.threads * beside.threads);
    runs(program, names, protocol)?;
    let options = Options { roles: None, threads, ..options.clone() };
    let job = program_job(&options, program, names, rows.to_vec()).map_err(|e| e.to_string())?;
    let chunk = !protocol.garbles();
    let free = Free { roles: true, split: beside.split, by: true, chunk };
    let estimate = setting.program(program, &job, free).map_err(|e| e.to_string())?;
    Ok((estimate, job))
}

/// What a program with so many rows would take on a network that is described, under every protocol that protects against a
/// threat, the fastest first. This machine is measured, and stands for those of all parties.
pub fn plan(
    program: &Program,
    network: &crate::Network,
    threat: Threat,
    rows: &[u64],
) -> Result<Choice> {
    let parties = program.parties.len();
    let wanted = Wanted::against(threat);
    let protocols = wanted.protocols(parties)?;
    let start = Instant::now();
    let calibration = this_machine()?;
    let measuring_seconds = start.elapsed().as_secs_f64();
    let network = Wire::measured()?.on(network.planned(parties)?);
    let setting =
        Setting { network: &network, calibration: &calibration, memory_bytes: MEMORY_BYTES };
    let session = program.parties.clone();
    let own = tacit_net::PartyId::all(parties).collect();
    let names = Names { session, parties: own };
    let (_, _, choice) = rank(&setting, wanted, protocols, |setting, protocol| {
        let options = Options::new(protocol);
        of_program(setting, program, &names, rows, (&options, Beside::NOTHING))
    })?;
    Ok(Choice { measuring_seconds, ..choice })
}

/// What a program with so many rows would take on a network that is described, under a protocol with the roles that fit it
/// best, and what each of its lines takes of that.
pub fn lines(
    program: &Program,
    network: &crate::Network,
    protocol: Protocol,
    rows: &[u64],
) -> Result<(Candidate, BTreeMap<u32, Line>)> {
    let calibration = this_machine()?;
    let names = Names::local(program, protocol)?;
    let network = Wire::measured()?.on(network.planned(names.session.len())?);
    let setting =
        Setting { network: &network, calibration: &calibration, memory_bytes: MEMORY_BYTES };
    let options = Options::new(protocol);
    let found = of_program(&setting, program, &names, rows, (&options, Beside::NOTHING));
    let (estimate, job) =
        found.map_err(|why| Error::input(format!("{protocol} does not run here: {why}")))?;
    let job = fitted(&estimate, job)?;
    let lines = setting.lines(program, &job, &estimate)?;
    Ok((Candidate::of(&estimate), lines))
}

/// A job as an estimate says that it fits best.
fn fitted(best: &Estimate, job: ProgramJob) -> Result<ProgramJob> {
    let (by, chunk_rows) = (best.by.unwrap_or(job.by), best.chunk_rows.unwrap_or(job.chunk_rows));
    let mut job = ProgramJob { by, chunk_rows, ..job };
    job.assign(best.assignments.clone())?;
    Ok(job)
}

/// Chooses the protocol of a circuit's job, with its roles; and, on up to `most` threads, several assignments of roles and
/// threads.
pub fn for_circuit(
    session: &mut Session,
    circuit: &Circuit,
    job: &Job,
    (wanted, most): (Wanted, Option<usize>),
) -> Result<(Job, Choice)> {
    let (best, job, choice) = choose(session, wanted, most, |setting, protocol, beside| {
        of_circuit(setting, circuit, job, protocol, beside)
    })?;
    Ok((job.with(|it| it.assignments = best.assignments), choice))
}

/// What a circuit's job takes under a protocol, with the roles that fit the network best.
pub fn of_circuit(
    setting: &Setting<'_>,
    circuit: &Circuit,
    job: &Job,
    protocol: Protocol,
    beside: Beside,
) -> std::result::Result<(Estimate, Job), String> {
    let assignments = vec![Assignment::in_order(protocol)];
    let workers = job.options.workers * beside.threads;
    let job = job.clone().with(|it| (it.assignments, it.workers) = (assignments, workers));
    let job = job.check(circuit).map(|()| job).map_err(|e| e.to_string())?;
    let wanted = match beside.split {
        true => tacit_planner::Wanted::Best,
        false => tacit_planner::Wanted::Single,
    };
    let estimate = setting.circuit(circuit, &job, wanted).map_err(|e| e.to_string())?;
    Ok((estimate, job))
}

/// What a job may take beside what its connection has.
#[derive(Clone, Copy, Debug)]
pub struct Beside {
    /// Times as many threads.
    pub threads: usize,
    /// Several assignments of roles.
    pub split: bool,
}

impl Beside {
    /// Nothing.
    pub const NOTHING: Beside = Beside { threads: 1, split: false };
}

/// What a job takes over the connection that there is, or over a second one with up to so many threads, or with several
/// assignments of roles, if it takes less so although parties take `again` seconds to connect as many threads again.
fn widest<J>(
    most: usize,
    again: impl Fn(usize) -> f64,
    estimate: impl Fn(Beside) -> std::result::Result<(Estimate, J), String>,
) -> std::result::Result<(Estimate, J), String> {
    let seconds = |of: &(Estimate, J)| of.0.counted(Objective::Total);
    let narrow = estimate(Beside::NOTHING)?;
    let parts = seconds(&narrow);
    // Waiting gets no shorter.
    if most == 0 || parts.computing + parts.bandwidth <= again(1) {
        return Ok(narrow);
    }
    let mut ways = vec![Beside { threads: 1, split: true }];
    if most > 1 {
        ways.extend([false, true].map(|split| Beside { threads: most, split }));
    }
    let wide = ways.into_iter().filter_map(|beside| estimate(beside).ok());
    let wide = wide.map(|(estimate, job)| {
        let threads = estimate.threads * estimate.assignments.len();
        (estimate.connecting_again(again(threads)), job)
    });
    Ok(wide.fold(
        narrow,
        |best, next| {
            if seconds(&next).total() < seconds(&best).total() { next } else { best }
        },
    ))
}

/// Round trips until parties are connected: TCP, TLS, their hellos, and good-byes to the first connection.
const CONNECTING: f64 = 5.0;
/// Seconds that processors take for it, for every thread and peer.
const SHAKING_HANDS: f64 = 0.003;

/// Measures the links and this machine, exchanges the figures, and takes the protocol whose `estimate` is the shortest:
/// all parties compute it from the same figures, and compare it.
fn choose<J: Send>(
    session: &mut Session,
    wanted: Wanted,
    most: Option<usize>,
    estimate: impl Fn(&Setting<'_>, Protocol, Beside) -> std::result::Result<(Estimate, J), String>
    + Sync,
) -> Result<(Estimate, J, Choice)> {
    let start = Instant::now();
    let parties = session.parties();
    let protocols = wanted.protocols(parties)?;
    let (calibration, most) = slowest(session, most.unwrap_or(0))?;
    let probes = probe(session, Effort::Brief)?;
    let network = Network::measured(parties, &probes);
    let network = crowded(session, network)?;
    let measuring_seconds = start.elapsed().as_secs_f64();

    let memory_bytes = wanted.memory_bytes;
    let setting = Setting { network: &network, calibration: &calibration, memory_bytes };
    let again = |threads: usize| {
        let hands = threads * (parties - 1);
        CONNECTING * 2.0 * network.longest_delay() + SHAKING_HANDS * hands as f64
    };
    let (best, job, choice) = rank(&setting, wanted, protocols, |setting, protocol| {
        widest(most, again, |beside| estimate(setting, protocol, beside))
    })?;
    let choice = Choice { links: measured(&probes), measuring_seconds, ..choice };
    let Candidate { protocol, by, roles, threads, assignments, .. } = &choice.candidates[0];
    let chunk = best.chunk_rows.map(|rows| format!(", {rows} rows at a time")).unwrap_or_default();
    let beside = format!(", {threads} threads, {assignments} assignments of roles");
    let says = format!("{protocol} by {by} with roles {roles:?}{chunk}{beside}");
    session.agree(&[("the choice of a protocol", says)])?;
    Ok((best, job, choice))
}

/// The protocol whose estimate is the shortest, and why.
pub fn rank<J: Send>(
    setting: &Setting<'_>,
    wanted: Wanted,
    protocols: Vec<Protocol>,
    estimate: impl Fn(&Setting<'_>, Protocol) -> std::result::Result<(Estimate, J), String> + Sync,
) -> Result<(Estimate, J, Choice)> {
    let start = Instant::now();
    let (mut known, mut left_out) = (Vec::new(), Vec::new());
    // Those that garble come last, and take longest to count: they begin.
    let backwards = protocols.par_iter().rev().with_max_len(1);
    let all: Vec<_> = backwards.map(|protocol| estimate(setting, *protocol)).collect();
    for (protocol, estimate) in protocols.into_iter().zip(all.into_iter().rev()) {
        match estimate {
            Ok(found) => known.push(found),
            Err(why) => left_out.push((protocol.to_string(), why)),
        }
    }
    // All parties have the same order.
    tacit_planner::rank(&mut known, |(estimate, _)| estimate.counted(Objective::Total).total());
    let choice = Choice {
        against: wanted.threat.to_string(),
        candidates: known.iter().map(|(estimate, _)| Candidate::of(estimate)).collect(),
        left_out,
        links: Vec::new(),
        measuring_seconds: 0.0,
        planning_seconds: start.elapsed().as_secs_f64(),
    };
    let Some((best, job)) = known.into_iter().next() else {
        let reasons: Vec<String> =
            choice.left_out.iter().map(|(protocol, why)| format!("{protocol} {why}")).collect();
        return Err(Error::input(format!(
            "no protocol that protects against {} runs here: {}",
            wanted.threat,
            reasons.join("; ")
        )));
    };
    Ok((best, job, choice))
}

/// How fast this machine is, measured once in a process.
pub fn this_machine() -> Result<Calibration> {
    static MEASURED: OnceLock<Calibration> = OnceLock::new();
    if let Some(known) = MEASURED.get() {
        return Ok(*known);
    }
    let measured = Calibration::measured()?;
    Ok(*MEASURED.get_or_init(|| measured))
}

/// Whether all who give something compute under a protocol, or need not.
fn runs(program: &Program, names: &Names, protocol: Protocol) -> std::result::Result<(), String> {
    let computing = names.parties.iter().all(|party| party.index() < protocol.parties());
    match computing || takes_outside(protocol) {
        true => Ok(()),
        false => Err(format!("{} parties give inputs", program.parties.len())),
    }
}

/// How fast the slowest party's processor is, and how many threads all parties have: none if one says so.
fn slowest(session: &mut Session, threads: usize) -> Result<(Calibration, usize)> {
    let own = Calibration::measured()?.to_seconds().into_iter().chain([threads as f64]);
    let bytes: Vec<u8> = own.flat_map(f64::to_le_bytes).collect();
    let (mut slowest, mut fewest) = (Calibration::FREE, threads);
    for (party, theirs) in session.publish(&bytes)?.iter().enumerate() {
        let Some((seconds, threads)) = decoded(theirs) else {
            let what = "its figures of a processor are malformed".into();
            return Err(EvaluateError::Misbehaviour { party, what }.into());
        };
        slowest = slowest.slower(Calibration::from_seconds(seconds));
        fewest = fewest.min(threads);
    }
    Ok((slowest, fewest))
}

/// Links with delays above this, in seconds, are what rounds take, whatever parties have to handle at once.
const NEAR: f64 = 0.005;

/// A network with what parties take that handle several messages at once, as the slowest of them sees it, if all are near each other:
/// those on one machine share its cores.
fn crowded(session: &mut Session, network: Network) -> Result<Network> {
    let (delay, parties) = (network.longest_delay(), session.parties());
    if delay > NEAR {
        return Ok(network);
    }
    let own = Rounds::measured(session).map_err(EvaluateError::from)?.to_seconds();
    let said = session.publish(&own.map(f64::to_le_bytes).concat())?;
    let mut slowest = [0.0; 2];
    for (party, theirs) in said.iter().enumerate() {
        let Some(seconds) = seconds_of::<2>(theirs) else {
            let what = "its figures of rounds are malformed".into();
            return Err(EvaluateError::Misbehaviour { party, what }.into());
        };
        slowest = std::array::from_fn(|at| seconds[at].max(slowest[at]));
    }
    Ok(network.crowded(Rounds::from_seconds(slowest).beside(delay, parties)))
}

/// So many figures that are seconds or numbers, none of them odd.
fn seconds_of<const N: usize>(bytes: &[u8]) -> Option<[f64; N]> {
    let (words, []) = bytes.as_chunks::<8>() else { return None };
    let figures: [f64; N] =
        words.iter().map(|it| f64::from_le_bytes(*it)).collect::<Vec<_>>().try_into().ok()?;
    figures.iter().all(|it| (0.0..1e3).contains(it)).then_some(figures)
}

/// The figures of a processor: seconds, and threads.
fn decoded(bytes: &[u8]) -> Option<([f64; UNITS], usize)> {
    let [seconds @ .., threads] = seconds_of::<{ UNITS + 1 }>(bytes)?;
    Some((seconds, threads as usize))
}

#[cfg(test)]
mod tests {
    use super::*;
    use tacit_planner::Seconds;

    /// What a job takes that waits, sends and computes for so long on one thread, and halves the latter by three assignments
    /// side by side.
    fn taking(
        [latency, bandwidth, computing]: [f64; 3],
        beside: Beside,
    ) -> std::result::Result<(Estimate, ()), String> {
        let sent = if beside.split { 0.5 } else { 1.0 };
        let online = Seconds {
            latency,
            bandwidth: bandwidth * sent,
            computing: computing / beside.threads as f64,
        };
        let assignment = Assignment::in_order(tacit_engine::protocols::TRIO);
        let estimate = Estimate {
            protocol: assignment.protocol,
            assignments: vec![assignment; if beside.split { 3 } else { 1 }],
            by: None,
            chunk_rows: None,
            threads: beside.threads,
            costs: tacit_planner::Costs::default(),
            seconds: [Seconds::default(), Seconds::default(), online],
        };
        Ok((estimate, ()))
    }

    #[test]
    fn what_takes_long_is_spread_and_connecting_again_counts() {
        let chosen = |most: usize, again: f64, parts: [f64; 3]| {
            let (found, ()) =
                widest(most, |_| again, |beside| taking(parts, beside)).expect("an estimate");
            let total = found.counted(Objective::Total).total();
            (found.assignments.len(), found.threads, total)
        };
        // What the first connection has, where somebody says how many threads, or little can be saved.
        assert_eq!(chosen(0, 1.0, [1.0, 40.0, 40.0]), (1, 1, 81.0));
        assert_eq!(chosen(4, 1.0, [9.0, 0.5, 0.5]), (1, 1, 10.0));
        assert_eq!(chosen(1, 1.0, [1.0, 1.0, 8.0]), (1, 1, 10.0));
        // Else what saves more than it takes to connect again.
        assert_eq!(chosen(1, 1.0, [1.0, 40.0, 40.0]), (3, 1, 62.0));
        assert_eq!(chosen(4, 1.0, [1.0, 40.0, 40.0]), (3, 4, 32.0));
        assert_eq!(chosen(4, 1.0, [1.0, 0.0, 40.0]), (1, 4, 12.0));
    }

    #[test]
    fn figures_of_processors_are_seconds() {
        let bytes = |figures: [f64; UNITS + 1]| figures.map(f64::to_le_bytes).concat();
        assert_eq!(decoded(&bytes([1.0; UNITS + 1])), Some(([1.0; UNITS], 1)));
        for odd in [f64::NAN, f64::INFINITY, -1.0, 1e9] {
            for at in [2, UNITS] {
                let mut figures = [1.0; UNITS + 1];
                figures[at] = odd;
                assert_eq!(decoded(&bytes(figures)), None, "{odd}");
            }
        }
        assert_eq!(decoded(&[0; 8 * UNITS + 7]), None);
        assert_eq!(decoded(&[0; 8 * UNITS + 16]), None);
    }
}
