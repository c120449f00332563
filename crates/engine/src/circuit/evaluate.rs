//! Runs a job over an open session.

use super::assignment::Assignment;
use super::compile::{Compiled, InputPort, Seating};
use super::garbled;
use super::links::all_links;
use super::masked;
use super::opening::{Opened, Opener};
use super::predict::{ahead_words, predict};
use super::report::{AssignmentUse, Report};
use super::worker::{Computed, Worker};
use super::{EvaluateError, Job, Preprocessing};
use crate::setup::SetUp;
use crate::values::{Instances, Lanes};
use crate::workers::on_each;
use std::collections::VecDeque;
use std::time::Duration;
use tacit_circuit::Circuit;
use tacit_net::{Mesh, PartyId, Phase, Session};
use tacit_ring::{Entropy, Z2};
use tacit_sharing::party::Keys;
use tacit_sharing::verify::{Journal, Pass, Verifier};
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
    if session.meshes.len() < job.threads() {
        return Err(EvaluateError::Bug(format!(
            "the session has {} threads, the job {}",
            session.meshes.len(),
            job.threads()
        )));
    }
    let started = session.meshes[0].now();
    session.meshes.iter_mut().for_each(Mesh::reset_meter);
    session.agree(compiled.facts())?;
    let values = fit_values(compiled, session.me(), values)?;
    let id = fresh_id(session, entropy)?;
    let (ready, computed) = if job.protocol().has_roles() {
        in_roles(session, compiled, &values, id, entropy, progress)?
    } else if job.protocol().garbles() {
        garbled::compute(session, compiled, &values, &id, entropy, progress)?
    } else {
        masked::compute(session, compiled, &values, &id, entropy, progress)?
    };
    let times = Times { started, ready };
    // When the online phase began.
    let offline = computed.iter().filter_map(|part| part.began).max();
    let finished = session.meshes[0].now();
    let outputs = assemble(compiled, computed.into_iter().map(|part| part.opened).collect());
    let report = report(session, compiled, &times, offline, finished)?;
    Ok(Evaluation { outputs, report })
}

/// When keys were there, and what each worker has in the end.
pub(super) type Done = (Duration, Vec<Computed>);

fn in_roles(
    session: &mut Session,
    compiled: &Compiled,
    values: &[Option<Lanes>],
    id: Vec<u8>,
    entropy: &mut Entropy,
    progress: &(dyn Fn(u64) + Sync),
) -> Result<Done, EvaluateError> {
    let job = compiled.job();
    let mut set_up = SetUp::exchange(session, &job.assignments, job.workers, id, entropy)?;
    let mut keys = set_up.keys("circuit", 1);
    let (checks, ready) = (set_up.checks, session.meshes[0].now());
    let mut run = Run { session, compiled, values, progress, checks };
    let computed = run.compute(&mut keys)?;
    Ok((ready, if job.protocol().is_checked() { run.open(computed)? } else { computed }))
}

struct Times {
    started: Duration,
    ready: Duration,
}

/// A session identifier to which every party contributes.
pub(crate) fn fresh_id(
    session: &mut Session,
    entropy: &mut Entropy,
) -> Result<Vec<u8>, EvaluateError> {
    let mine = entropy.seed().map_err(SharingError::from)?;
    Ok(session.publish(mine.expose())?.concat())
}

/// Values of the ports that this party owns, with the job's number of instances.
fn fit_values(
    compiled: &Compiled,
    me: PartyId,
    values: Vec<Option<Lanes>>,
) -> Result<Vec<Option<Lanes>>, EvaluateError> {
    let job = compiled.job();
    let mut values = values.into_iter();
    let fit = |(index, (owner, port)): (usize, (&PartyId, &InputPort))| {
        let given = values.next().flatten();
        if *owner != me {
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
        lanes.broadcast(job.instances).map(Some).map_err(|e| EvaluateError::Job(e.to_string()))
    };
    job.owners.iter().zip(&compiled.seatings[0].inputs).enumerate().map(fit).collect()
}

/// A run whose keys are exchanged.
struct Run<'a> {
    session: &'a mut Session,
    compiled: &'a Compiled,
    values: &'a [Option<Lanes>],
    progress: &'a (dyn Fn(u64) + Sync),
    checks: Verifier,
}

/// The transcripts of all workers.
fn journals(parts: &mut [Computed]) -> Vec<Journal> {
    parts.iter_mut().map(|part| std::mem::take(&mut part.journal)).collect()
}

impl Run<'_> {
    /// Evaluates, every worker in the role that this party plays there.
    fn compute(&mut self, keys: &mut [Option<Keys>]) -> Result<Vec<Computed>, EvaluateError> {
        let Run { session, compiled, values, progress, .. } = self;
        let workers = keys.iter_mut().enumerate();
        on_each(&mut session.meshes, workers, |mesh, (worker, keys)| {
            let Assignment { protocol, places, .. } = &compiled.seating_of(worker).assignment;
            let party = Party::new(mesh, places)?;
            let keys = keys.as_mut().ok_or_else(|| EvaluateError::Bug("no keys".into()))?;
            let (role, progress) = (party.role(), *progress);
            protocol.visit(role, Compute { compiled, party, keys, values, worker, progress })
        })
    }

    /// Compares what everybody did, opens the outputs, and compares what opened them.
    fn open(&mut self, mut computed: Vec<Computed>) -> Result<Vec<Computed>, EvaluateError> {
        let compiled = self.compiled;
        let step = compiled.schedule().depth() as u32 + 1;
        let pass = self.checks.end_epoch(&mut self.session.meshes[0], journals(&mut computed))?;
        let parts = computed.into_iter().enumerate();
        let mut opened = on_each(&mut self.session.meshes, parts, |mesh, (worker, part)| {
            mesh.set_phase(Phase::Online);
            mesh.set_step(step);
            let seating = compiled.seating_of(worker);
            let Assignment { protocol, places, .. } = &seating.assignment;
            let party = Party::new(mesh, places)?;
            let pass = &pass;
            protocol.visit(party.role(), Open { compiled, seating, party, pass, part })
        })?;
        self.checks.end_epoch(&mut self.session.meshes[0], journals(&mut opened))?;
        Ok(opened)
    }
}

/// One worker evaluates.
struct Compute<'a, 'm> {
    compiled: &'a Compiled,
    party: Party<'m>,
    keys: &'a mut Keys,
    values: &'a [Option<Lanes>],
    worker: usize,
    progress: &'a (dyn Fn(u64) + Sync),
}

impl RoleVisitor for Compute<'_, '_> {
    type Out = Result<Computed, EvaluateError>;

    fn visit<P: Role>(self) -> Self::Out {
        let Compute { compiled, party, keys, values, worker, progress } = self;
        let seating = compiled.seating_of(worker);
        let words = compiled.share_of(worker).len() as u64;
        let mut party = party.proving(keys.proofs());
        let streams = keys.streams();
        party.expect_products::<Z2>(compiled.products() * words as usize);
        if compiled.job().preprocessing == Preprocessing::Separate {
            party.prepare_products()?;
        }
        let task = Worker::<P>::new(compiled, party, streams, values, worker, progress);
        Ok(match compiled.job().preprocessing {
            Preprocessing::Separate => {
                let ahead = ahead_words(compiled, seating, P::ROLE);
                let expected = ahead.map(|per_word| (per_word * words * 8) as usize);
                task.separate(&expected[..P::PROTOCOL.parties()])
            }
            Preprocessing::Interleaved => task.interleaved(),
        }?)
    }
}

/// One worker opens its outputs.
struct Open<'a, 'm> {
    compiled: &'a Compiled,
    seating: &'a Seating,
    party: Party<'m>,
    pass: &'a Pass,
    part: Computed,
}

impl RoleVisitor for Open<'_, '_> {
    type Out = Result<Computed, EvaluateError>;

    fn visit<P: Role>(self) -> Self::Out {
        let Open { compiled, seating, mut party, pass, part } = self;
        let mut opener = Opener::new(compiled, seating, part.opened);
        opener.open_all::<P>(seating, &mut party, pass, part.kept)?;
        let journal = party.take_journal()?;
        Ok(Computed { opened: opener.opened, kept: VecDeque::new(), journal, ..part })
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
    (0..compiled.job().receivers.len()).map(port).collect()
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
    let links = all_links(session, &prediction.bytes)?;
    let job = compiled.job();
    let began = online_began.unwrap_or(times.ready);
    let schedule = compiled.schedule();
    let levels = 0..schedule.depth();
    Ok(Report {
        protocol: job.protocol().to_string(),
        assignments: compiled.words_by_seating().map(assignment_use).collect(),
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
        predicted_rounds: prediction.rounds[me.index()],
        links,
    })
}

fn assignment_use((seating, words): (&Seating, u64)) -> AssignmentUse {
    let Assignment { protocol, places, .. } = &seating.assignment;
    let roles = places.iter().map(|p| p.0).collect();
    AssignmentUse { protocol: protocol.to_string(), roles, words }
}
