//! Runs a job over an open session.

use super::compile::Compiled;
use super::links::all_links;
use super::predict::{ahead_words, predict};
use super::report::Report;
use super::worker::{Opened, Worker};
use super::{EvaluateError, Job, Preprocessing};
use crate::values::{Instances, Lanes};
use crate::workers::on_each;
use std::time::Duration;
use tacit_circuit::Circuit;
use tacit_net::{Mesh, Session};
use tacit_ring::Entropy;
use tacit_sharing::party::Keys;
use tacit_sharing::setup::Secrets;
use tacit_sharing::{Party, Role, RoleVisitor, SharingError};

/// What a party has at the end of a job.
pub struct Evaluation {
    /// The output ports that it learns.
    pub outputs: Vec<Option<Lanes>>,
    /// What the job cost.
    pub report: Report,
}

/// Finds the number of instances: what all parties' inputs offer together. First the parties
/// compare everything else about the job.
///
/// # Errors
/// When parties offer different numbers, or the network fails.
pub fn agree_instances(
    session: &mut Session,
    circuit: &Circuit,
    job: &Job,
    mine: Instances,
) -> Result<usize, EvaluateError> {
    let mut facts = job.facts(circuit);
    facts.retain(|(name, _)| *name != "instances");
    session.agree(&facts)?;
    let offered = session.publish(&(mine.count() as u64).to_le_bytes())?;
    let mut all = mine;
    for (party, bytes) in offered.iter().enumerate() {
        let count = <[u8; 8]>::try_from(&bytes[..])
            .ok()
            .and_then(|bytes| usize::try_from(u64::from_le_bytes(bytes)).ok())
            .filter(|count| *count > 0)
            .ok_or_else(|| EvaluateError::Misbehaviour {
                party,
                what: "it offers a number of instances that no input has".into(),
            })?;
        all = all.join(Instances::of(count)).map_err(|_| {
            EvaluateError::Job(format!(
                "party {party} offers {count} instances, but this party or another one {}; \
                 every input needs the same number, or just one for all",
                all.count()
            ))
        })?;
    }
    Ok(all.count())
}

/// Runs a job. `values[p]` are this party's values for input port `p`, with the job's number of
/// instances (or one, for all). `progress` is told how many 64-lane words are done.
///
/// Before any share is sent, all parties compare the job's facts.
///
/// # Errors
/// When the job does not fit, the parties disagree, or the network fails. Nothing is returned
/// then, and the session is over for all parties.
pub fn evaluate(
    session: &mut Session,
    compiled: &Compiled,
    values: Vec<Option<Lanes>>,
    progress: &(dyn Fn(u64) + Sync),
) -> Result<Evaluation, EvaluateError> {
    evaluate_with(session, compiled, values, &mut Entropy::system(), progress)
}

/// As [`evaluate`], with fresh secrets from `entropy`: a seeded one makes a test's run repeatable.
///
/// # Errors
/// As [`evaluate`].
pub fn evaluate_with(
    session: &mut Session,
    compiled: &Compiled,
    values: Vec<Option<Lanes>>,
    entropy: &mut Entropy,
    progress: &(dyn Fn(u64) + Sync),
) -> Result<Evaluation, EvaluateError> {
    let result = run(session, compiled, values, entropy, progress);
    if let Err(error) = &result {
        session.abort(&error.to_string());
    }
    result
}

fn run(
    session: &mut Session,
    compiled: &Compiled,
    values: Vec<Option<Lanes>>,
    entropy: &mut Entropy,
    progress: &(dyn Fn(u64) + Sync),
) -> Result<Evaluation, EvaluateError> {
    let job = compiled.job();
    if session.meshes.len() != job.workers {
        return Err(EvaluateError::Bug(format!(
            "the session has {} threads, the job {}",
            session.meshes.len(),
            job.workers
        )));
    }
    let started = session.meshes[0].now();
    session.meshes.iter_mut().for_each(Mesh::reset_meter);
    session.agree(compiled.facts())?;
    let role = job.role_of(session.me())?;
    let values = fit_values(compiled, role, values)?;
    let mut keys = worker_keys(session, job, entropy)?;
    let times = Times { started, ready: session.meshes[0].now() };
    let visitor =
        RunRole { session: &mut *session, compiled, values: &values, keys: &mut keys, progress };
    let (opened, offline) = job.protocol.visit(role, visitor)?;
    let finished = session.meshes[0].now();
    let outputs = assemble(compiled, opened);
    let report = report(session, compiled, &times, offline, finished)?;
    Ok(Evaluation { outputs, report })
}

struct Times {
    started: Duration,
    ready: Duration,
}

/// Fresh keys of all workers, for a session identifier to which every party contributes.
fn worker_keys(
    session: &mut Session,
    job: &Job,
    entropy: &mut Entropy,
) -> Result<Vec<Keys>, EvaluateError> {
    let mine = entropy.seed().map_err(SharingError::from)?;
    let id = session.publish(mine.expose())?.concat();
    let mesh = &mut session.meshes[0];
    let mut secrets = Secrets::exchange(mesh, &id, job.protocol, job.places, entropy)?;
    Ok(secrets.keys("circuit", 1, job.workers))
}

/// Values of the ports that this role owns, with the job's number of instances.
fn fit_values(
    compiled: &Compiled,
    role: usize,
    values: Vec<Option<Lanes>>,
) -> Result<Vec<Option<Lanes>>, EvaluateError> {
    let mut values = values.into_iter();
    let fit = |(index, port): (usize, &super::compile::InputPort)| {
        let given = values.next().flatten();
        if port.owner != role {
            return Ok(None);
        }
        let lanes = given.ok_or_else(|| {
            EvaluateError::Job(format!("this party has no values for input {index}"))
        })?;
        if lanes.width() as usize != port.slots.len() {
            return Err(EvaluateError::Job(format!(
                "input {index} has {} bits, but its values have {}",
                port.slots.len(),
                lanes.width()
            )));
        }
        let instances = compiled.job().instances;
        lanes.broadcast(instances).map(Some).map_err(|e| EvaluateError::Job(e.to_string()))
    };
    compiled.inputs.iter().enumerate().map(fit).collect()
}

struct RunRole<'a> {
    session: &'a mut Session,
    compiled: &'a Compiled,
    values: &'a [Option<Lanes>],
    keys: &'a mut [Keys],
    progress: &'a (dyn Fn(u64) + Sync),
}

impl RoleVisitor for RunRole<'_> {
    type Out = Result<(Vec<Opened>, Option<Duration>), EvaluateError>;

    /// Runs all workers; also says when the online phase began.
    fn visit<P: Role>(self) -> Self::Out {
        let RunRole { session, compiled, values, keys, progress } = self;
        let places = compiled.job().places;
        let separate = compiled.job().preprocessing == Preprocessing::Separate;
        let ahead = ahead_words(compiled, P::ROLE);
        let workers = keys.iter_mut().enumerate();
        let results = on_each(&mut session.meshes, workers, |mesh, (worker, keys)| {
            let party = Party::new(mesh, places)?;
            let streams = keys.streams();
            let task = Worker::<P>::new(compiled, party, streams, values, worker, progress);
            let words = compiled.share_of(worker).len() as u64;
            let expected = ahead.map(|per_word| (per_word * words * 8) as usize);
            Ok(if separate { task.separate(expected) } else { task.interleaved() }?)
        })?;
        let began = results.iter().filter_map(|(_, began)| *began).max();
        Ok((results.into_iter().map(|(opened, _)| opened).collect(), began))
    }
}

fn assemble(compiled: &Compiled, parts: Vec<Opened>) -> Vec<Option<Lanes>> {
    let words = compiled.total_words();
    let port = |index: usize| {
        let width = parts.first()?.ports[index].as_ref()?.len();
        let mut bits = vec![vec![0u64; words]; width];
        for part in &parts {
            let values = part.ports[index].as_ref()?;
            for (bit, value) in bits.iter_mut().zip(values) {
                bit[part.at.clone()].copy_from_slice(value);
            }
        }
        Some(Lanes::from_bits(bits, compiled.job().instances))
    };
    (0..compiled.outputs.len()).map(port).collect()
}

/// Gathers all parties' meters.
fn report(
    session: &mut Session,
    compiled: &Compiled,
    times: &Times,
    online_began: Option<Duration>,
    finished: Duration,
) -> Result<Report, EvaluateError> {
    let me = session.me();
    let meter = session.meter();
    let prediction = predict(compiled);
    let links = all_links(session, compiled.job().places, &(prediction.words * 8))?;
    let job = compiled.job();
    let began = online_began.unwrap_or(times.ready);
    let role = job.role_of(me)?;
    let schedule = compiled.schedule();
    let levels = 0..schedule.depth();
    Ok(Report {
        protocol: job.protocol.to_string(),
        roles: job.places.iter().map(|p| p.0).collect(),
        party: me.0,
        instances: job.instances as u64,
        threads: job.workers as u64,
        depth: schedule.depth() as u64,
        products: levels.clone().map(|l| schedule.products(l).len() as u64).sum(),
        wide_gates: levels.map(|l| schedule.wide(l).len() as u64).sum(),
        block_words: compiled.block_words as u64,
        blocks: compiled.blocks as u64,
        setup_seconds: (times.ready - times.started).as_secs_f64(),
        offline_seconds: online_began.map_or(0.0, |began| (began - times.ready).as_secs_f64()),
        online_seconds: finished.saturating_sub(began).as_secs_f64(),
        rounds: meter.rounds(),
        predicted_rounds: prediction.rounds[role],
        links,
    })
}
