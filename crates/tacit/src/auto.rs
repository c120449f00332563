//! The protocol of a program or a circuit, chosen by the parties together for the links and processors that they measure.

use crate::error::{Error, Result};
use crate::names::{Names, takes_outside};
use crate::options::Options;
use crate::roles::{Measured, checked, measured};
use crate::run_program::program_job;
use crate::wire::Wire;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::sync::OnceLock;
use std::time::Instant;
use tacit_circuit::Circuit;
use tacit_engine::circuit::{Assignment, EvaluateError, FormChoice, Garbling, Job};
use tacit_engine::program::ProgramJob;
use tacit_engine::protocols;
use tacit_net::Session;
use tacit_net::probe::{Effort, probe};
use tacit_planner::{Calibration, Estimate, Free, Line, Network, Objective, Setting, Threat};
use tacit_program::Program;
use tacit_protocol::{BatchSize, Protocol, Strength};

/// Bytes that a party may keep, unless it is said.
const MEMORY_BYTES: f64 = 8e9;

/// What the chosen protocol must do.
#[derive(Clone, Copy, Debug)]
pub struct Wanted {
    /// What it protects against.
    pub threat: Threat,
    /// How rarely a cheat may pass checks of products, if not as usual.
    pub strength: Option<Strength>,
    /// How many products are checked together, if not as usual.
    pub batch: Option<BatchSize>,
    /// Bytes that a party may keep.
    pub memory_bytes: f64,
}

/// The choice of a protocol, and what it was chosen by. It follows from measured links and public sizes.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Choice {
    /// What it protects against.
    pub against: String,
    /// Protocols that protect against it, the fastest first: the chosen one.
    pub candidates: Vec<Candidate>,
    /// Protocols that do not run here, and why not.
    pub left_out: Vec<(String, String)>,
    /// Measured links.
    pub links: Vec<Measured>,
    /// How long the parties measured.
    pub measuring_seconds: f64,
    /// How long this party planned.
    pub planning_seconds: f64,
}

/// What a protocol would take.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Candidate {
    /// Its name.
    pub protocol: String,
    /// What numbers are computed with.
    pub by: String,
    /// The party that plays each role.
    pub roles: Vec<u8>,
    /// Predicted seconds in all: set-up, preprocessing and the online phase.
    pub seconds: f64,
    /// Of these, waiting for messages that are on their way.
    pub waiting_seconds: f64,
    /// Of these, sending.
    pub sending_seconds: f64,
    /// Of these, computing.
    pub computing_seconds: f64,
    /// What most of them are: processors, rounds or bytes.
    pub bound: String,
    /// Steps in which somebody waits for a message.
    pub steps: u64,
    /// Bytes that all parties send.
    pub bytes: f64,
}

impl Wanted {
    /// Protection against a threat, with the usual parameters.
    #[must_use]
    pub fn against(threat: Threat) -> Wanted {
        Wanted { threat, strength: None, batch: None, memory_bytes: MEMORY_BYTES }
    }

    /// How parties call it among themselves: all must want the same.
    #[must_use]
    pub fn fact(&self) -> String {
        let Wanted { threat, strength, batch, memory_bytes } = self;
        let strength = strength.map(|it| format!(", 2^-{}", it.bits())).unwrap_or_default();
        let batch = batch.map(|it| format!(", batches of {it}")).unwrap_or_default();
        let memory = match *memory_bytes {
            MEMORY_BYTES => String::new(),
            bytes => format!(", {:.0} MB", bytes * 1e-6),
        };
        format!("auto against {threat}{strength}{batch}{memory}")
    }

    /// Protocols for so many parties that protect well enough.
    ///
    /// # Errors
    /// [`ErrorKind::Input`](crate::ErrorKind::Input) where there is none.
    pub fn protocols(&self, parties: usize) -> Result<Vec<Protocol>> {
        let all = protocols::all().filter_map(|it| checked(it, self.strength, self.batch).ok());
        let found = self.threat.protocols(all, parties, false);
        if !found.is_empty() {
            return Ok(found);
        }
        let most = parties.saturating_sub(1);
        let why = match self.threat.corruptions {
            0 => "somebody may be corrupted: say how many".to_owned(),
            many if many > most => format!("of {parties} parties {most} may be corrupted at most"),
            _ => "ask for less, or let other parties take part".to_owned(),
        };
        let threat = self.threat;
        Err(Error::input(format!(
            "no protocol of {parties} parties protects against {threat}: {why}"
        )))
    }

    /// Refuses options that say what the parties choose, or what single protocols have.
    pub fn check(&self, options: &Options) -> Result<()> {
        let form = !matches!(options.form, FormChoice::Dealer);
        let said = [
            (options.by.is_some(), "what numbers are computed with (--by)"),
            (options.roles.is_some(), "who plays which role (--roles)"),
            (!options.mix.is_empty(), "protocols to mix (--mix)"),
            (!options.balance.is_none(), "how products are divided (--balance)"),
            (options.chunk_rows.is_some(), "how many rows go together (--chunk-rows)"),
            (
                options.stored.is_some(),
                "stored preprocessing, which is for one protocol (--prepared)",
            ),
            (form, "the form of wide products (--form)"),
            (options.garbling != Garbling::Auto, "how circuits are garbled (--garbling)"),
            (options.opening.is_some(), "how garbled tables open (--opening)"),
            (
                options.label_function.is_some(),
                "what hides rows of garbled tables (--label-function)",
            ),
            (options.block_ands.is_some(), "sizes of garbled circuits (--block-ands)"),
        ];
        match said.into_iter().find(|(given, _)| *given) {
            Some((_, what)) => Err(Error::input(format!(
                "{what} cannot be said where the parties choose the protocol: leave it out, or name a protocol"
            ))),
            None => Ok(()),
        }
    }
}

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
    // Of equals the first stays the first: all parties have the same order.
    known.sort_by(|(a, _), (b, _)| total_seconds(a).total_cmp(&total_seconds(b)));
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

fn total_seconds(estimate: &Estimate) -> f64 {
    estimate.counted(Objective::Total).total()
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

impl Candidate {
    fn of(estimate: &Estimate) -> Candidate {
        let roles = estimate.assignments.first().map(|it| &it.places[..]).unwrap_or_default();
        let parts = estimate.counted(Objective::Total);
        Candidate {
            protocol: estimate.protocol.to_string(),
            by: estimate.by.map(|by| by.to_string()).unwrap_or_default(),
            roles: roles.iter().map(|party| party.0).collect(),
            seconds: parts.total(),
            waiting_seconds: parts.latency,
            sending_seconds: parts.bandwidth,
            computing_seconds: parts.computing,
            bound: estimate.bound(Objective::Total).to_string(),
            steps: estimate.steps(Objective::Total),
            bytes: estimate.total_bytes(Objective::Total),
        }
    }
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
