//! The protocol of a program or a circuit, chosen by the parties together for the links and processors that they measure.

use crate::candidate::{Candidate, Choice};
use crate::error::{Error, Result};
use crate::job::program_job;
use crate::names::{Names, takes_outside};
use crate::options::Options;
use crate::roles::measured;
use crate::wanted::{MEMORY_BYTES, Wanted};
use crate::wire::Wire;
use std::collections::BTreeMap;
use std::sync::OnceLock;
use std::time::Instant;
use tacit_circuit::Circuit;
use tacit_engine::circuit::{Assignment, EvaluateError, Job};
use tacit_engine::program::ProgramJob;
use tacit_net::Session;
use tacit_net::probe::{Effort, probe};
use tacit_planner::{Calibration, Estimate, Free, Line, Network, Objective, Setting, Threat};
use tacit_program::Program;
use tacit_protocol::Protocol;

/// Chooses the protocol of a program, with its roles, what numbers are computed with, and how many rows at a time.
pub fn for_program(
    session: &mut Session,
    program: &Program,
    names: &Names,
    rows: &[u64],
    (options, wanted): (&Options, Wanted),
) -> Result<(ProgramJob, Choice)> {
    let (best, job, choice) = choose(session, wanted, |setting, protocol| {
        of_program(setting, program, names, rows, &Options { protocol, ..options.clone() })
    })?;
    Ok((fitted(&best, job)?, choice))
}

/// What a program takes under a protocol, with what is free as it fits the network best.
pub fn of_program(
    setting: &Setting<'_>,
    program: &Program,
    names: &Names,
    rows: &[u64],
    options: &Options,
) -> std::result::Result<(Estimate, ProgramJob), String> {
    let protocol = options.protocol;
    runs(program, names, protocol)?;
    let options = Options { roles: None, ..options.clone() };
    let job = program_job(&options, program, names, rows.to_vec()).map_err(|e| e.to_string())?;
    let free = Free { roles: true, split: false, by: true, chunk: !protocol.garbles() };
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
        of_program(setting, program, &names, rows, &Options::new(protocol))
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
    let found = of_program(&setting, program, &names, rows, &options);
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

/// Chooses the protocol of a circuit's job, with its roles.
pub fn for_circuit(
    session: &mut Session,
    circuit: &Circuit,
    job: &Job,
    wanted: Wanted,
) -> Result<(Job, Choice)> {
    let (best, job, choice) =
        choose(session, wanted, |setting, protocol| of_circuit(setting, circuit, job, protocol))?;
    Ok((Job { assignments: best.assignments, ..job }, choice))
}

/// What a circuit's job takes under a protocol, with the roles that fit the network best.
pub fn of_circuit(
    setting: &Setting<'_>,
    circuit: &Circuit,
    job: &Job,
    protocol: Protocol,
) -> std::result::Result<(Estimate, Job), String> {
    let job = Job { assignments: vec![Assignment::in_order(protocol)], ..job.clone() };
    let job = job.check(circuit).map(|()| job).map_err(|e| e.to_string())?;
    let estimate =
        setting.circuit(circuit, &job, tacit_planner::Wanted::Single).map_err(|e| e.to_string())?;
    Ok((estimate, job))
}

/// Measures the links and this machine, exchanges the figures, and takes the protocol whose `estimate` is the shortest:
/// all parties compute it from the same figures, and compare it.
fn choose<J>(
    session: &mut Session,
    wanted: Wanted,
    estimate: impl Fn(&Setting<'_>, Protocol) -> std::result::Result<(Estimate, J), String>,
) -> Result<(Estimate, J, Choice)> {
    let start = Instant::now();
    let parties = session.parties();
    let protocols = wanted.protocols(parties)?;
    let calibration = slowest(session)?;
    let probes = probe(session, Effort::Brief)?;
    let measuring_seconds = start.elapsed().as_secs_f64();

    let network = Network::measured(parties, &probes);
    let memory_bytes = wanted.memory_bytes;
    let setting = Setting { network: &network, calibration: &calibration, memory_bytes };
    let (best, job, choice) = rank(&setting, wanted, protocols, estimate)?;
    let choice = Choice { links: measured(&probes), measuring_seconds, ..choice };
    let Candidate { protocol, by, roles, .. } = &choice.candidates[0];
    let chunk = best.chunk_rows.map(|rows| format!(", {rows} rows at a time")).unwrap_or_default();
    let says = format!("{protocol} by {by} with roles {roles:?}{chunk}");
    session.agree(&[("the choice of a protocol", says)])?;
    Ok((best, job, choice))
}

/// The protocol whose estimate is the shortest, and why.
pub fn rank<J>(
    setting: &Setting<'_>,
    wanted: Wanted,
    protocols: Vec<Protocol>,
    estimate: impl Fn(&Setting<'_>, Protocol) -> std::result::Result<(Estimate, J), String>,
) -> Result<(Estimate, J, Choice)> {
    let start = Instant::now();
    let (mut known, mut left_out) = (Vec::new(), Vec::new());
    for protocol in protocols {
        match estimate(setting, protocol) {
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

/// How fast the slowest party's processor is.
fn slowest(session: &mut Session) -> Result<Calibration> {
    let own = Calibration::measured()?.to_seconds();
    let bytes: Vec<u8> = own.iter().flat_map(|seconds| seconds.to_le_bytes()).collect();
    let mut slowest = Calibration::FREE;
    for (party, theirs) in session.publish(&bytes)?.iter().enumerate() {
        let Some(one) = decoded(theirs) else {
            let what = "its figures of a processor are malformed".into();
            return Err(EvaluateError::Misbehaviour { party, what }.into());
        };
        slowest = slowest.slower(Calibration::from_seconds(one));
    }
    Ok(slowest)
}

/// The figures of a processor, if they are seconds.
fn decoded(bytes: &[u8]) -> Option<[f64; 6]> {
    let (words, []) = bytes.as_chunks::<8>() else { return None };
    let seconds: [f64; 6] =
        words.iter().map(|it| f64::from_le_bytes(*it)).collect::<Vec<_>>().try_into().ok()?;
    seconds.iter().all(|it| (0.0..1e3).contains(it)).then_some(seconds)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_of_processors_are_seconds() {
        let bytes = |seconds: [f64; 6]| seconds.map(f64::to_le_bytes).concat();
        assert_eq!(decoded(&bytes([1.0; 6])), Some([1.0; 6]));
        for odd in [f64::NAN, f64::INFINITY, -1.0, 1e9] {
            assert_eq!(decoded(&bytes([0.0, 0.0, odd, 0.0, 0.0, 0.0])), None, "{odd}");
        }
        assert_eq!(decoded(&[0; 47]), None);
        assert_eq!(decoded(&[0; 56]), None);
    }
}
