//! Runs a job over an open session.

use super::assignment::Assignment;
use super::compile::{Compiled, InputPort, Seating};
use super::garbled;
use super::masked;
use super::opening::Opened;
use super::predict::predict;
use super::prepared::{
    Give, Phases, StoredPreprocessing, decode, decoded, digest, encode, makes_triples,
};
use super::report::{AssignmentUse, Report};
use super::roles::{self, Compute, Open};
use super::task::{Computed, Run};
use super::{EvaluateError, Preprocessing, lost};
use crate::gate::Door;
use crate::links::all_links;
use crate::options::Options;
use crate::run_cost::{RunCost, Times};
use crate::setup::{SetUp, fresh_id};
use crate::values::Lanes;
use crate::workers::{guarded, on_each};
use std::time::Duration;
use tacit_net::{Mesh, PartyId, Phase, Session};
use tacit_ring::{Buffer, Entropy};
use tacit_sharing::Party;
use tacit_sharing::party::Keys;
use tacit_sharing::setup::Secrets;
use tacit_sharing::verify::{Journal, Pass, Verifier};
use tracing::info;

/// What a party has at the end of a job.
pub struct Evaluation {
    /// The output ports that it learns.
    pub outputs: Vec<Option<Lanes>>,
    /// What the job cost.
    pub report: Report,
}

/// Runs a job. `values[p]` are this party's values for input port `p`, as many as the job has instances: where one is
/// to be used in all, its owner [repeats](Lanes::broadcast) it. `progress` is told how many 64-lane words are done.
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

/// Evaluates a circuit as [`evaluate`] does, with fresh secrets from `entropy`: a seeded one makes a test's run
/// repeatable.
///
/// # Errors
/// When [`evaluate`] fails.
pub fn evaluate_with(
    session: &mut Session,
    compiled: &Compiled,
    values: Vec<Option<Lanes>>,
    entropy: &mut Entropy,
    progress: &(dyn Fn(u64) + Sync),
) -> Result<Evaluation, EvaluateError> {
    evaluate_gated(session, compiled, values, entropy, (None, progress))
}

/// Evaluates a circuit as [`evaluate_with`] does, and passes a door before anything opens, where the protocol garbles.
pub(crate) fn evaluate_gated(
    session: &mut Session,
    compiled: &Compiled,
    values: Vec<Option<Lanes>>,
    entropy: &mut Entropy,
    (door, progress): (Option<&Door>, &(dyn Fn(u64) + Sync)),
) -> Result<Evaluation, EvaluateError> {
    guarded(session, |session| {
        let times = begin(session, compiled, Phases::All)?;
        let values = fit_values(compiled, session.me(), values)?;
        let run = Run { compiled, values: &values, progress, phases: Phases::All, door };
        let (ready, computed, _) = set_out(session, run, entropy)?;
        finish(session, run, Times { ready, ..times }, computed)
    })
}

/// Runs the preprocessing of a job alone, for one run in another session: all parties do. The job's
/// preprocessing is [`Preprocessing::Separate`].
///
/// # Errors
/// When [`evaluate`] fails, or the protocol's preprocessing cannot be stored.
pub fn prepare(
    session: &mut Session,
    compiled: &Compiled,
    entropy: &mut Entropy,
) -> Result<(StoredPreprocessing, Report), EvaluateError> {
    guarded(session, |session| {
        check_storable(compiled)?;
        let times = begin(session, compiled, Phases::Ahead)?;
        let run = Run::ahead(compiled, Phases::Ahead);
        let (ready, computed, common) = set_out(session, run, entropy)?;
        stored(session, run, Times { ready, ..times }, (common, computed))
    })
}

/// Prepares a circuit under authenticated garbling, as [`prepare`] does, with triples that
/// [`prepare_triples`](super::prepare_triples) made in another session. Parties then only open products and exchange
/// garbled circuits. `name` names the triples, and parties compare it; `give` returns what was kept of them.
///
/// # Errors
/// When [`prepare`] fails, there are too few triples, or they are for other parties.
pub fn prepare_from_triples(
    session: &mut Session,
    compiled: &Compiled,
    (name, give): (&str, Give<'_>),
) -> Result<(StoredPreprocessing, Report), EvaluateError> {
    let result = guarded(session, |session| {
        check_storable(compiled)?;
        let times = begin(session, compiled, Phases::FromTriples)?;
        session.agree(&[("stored triples", name.to_string())])?;
        let run = Run::ahead(compiled, Phases::FromTriples);
        let computed = garbled::from_triples(session, run, give)?;
        stored(session, run, times, (Buffer::default(), computed))
    });
    lost(name, result)
}

/// Takes what workers have prepared.
fn stored(
    session: &mut Session,
    run: Run<'_>,
    times: Times,
    (common, mut computed): (Buffer<u8>, Vec<Computed>),
) -> Result<(StoredPreprocessing, Report), EvaluateError> {
    let workers = computed.iter_mut().map(|part| std::mem::take(&mut part.stored)).collect();
    let report = report(session, run, times, &computed)?;
    let (party, job) = (session.me().0, digest(run.compiled.facts()));
    Ok((StoredPreprocessing { party, job, common, workers }, report))
}

/// Runs a job on what was prepared for it, here and at all other parties, by [`prepare`]. All of it must be
/// of one preparation: `name` names it, and is what parties compare.
///
/// # Errors
/// When [`evaluate`] fails, or this was prepared for another job. What was prepared is lost then.
pub fn evaluate_prepared(
    session: &mut Session,
    compiled: &Compiled,
    values: Vec<Option<Lanes>>,
    stored: (&str, StoredPreprocessing),
    progress: &(dyn Fn(u64) + Sync),
) -> Result<Evaluation, EvaluateError> {
    evaluate_prepared_gated(session, compiled, values, stored, (None, progress))
}

/// Runs a job as [`evaluate_prepared`] does, and passes a door before anything opens, where the protocol garbles.
pub(crate) fn evaluate_prepared_gated(
    session: &mut Session,
    compiled: &Compiled,
    values: Vec<Option<Lanes>>,
    (name, prepared): (&str, StoredPreprocessing),
    (door, progress): (Option<&Door>, &(dyn Fn(u64) + Sync)),
) -> Result<Evaluation, EvaluateError> {
    let result = guarded(session, |session| {
        check_storable(compiled)?;
        let times = begin(session, compiled, Phases::Online)?;
        // Nobody sends anything before all others have spent theirs.
        session.agree(&[("stored preprocessing", name.to_string())])?;
        let values = fit_values(compiled, session.me(), values)?;
        let run = Run { compiled, values: &values, progress, phases: Phases::Online, door };
        let StoredPreprocessing { party, job, common, workers } = prepared;
        let right = party == session.me().0 && job == digest(compiled.facts());
        if !(right && workers.len() == compiled.job().threads()) {
            let what = "stored preprocessing of another job or party";
            return Err(EvaluateError::Job(what.into()));
        }
        let computed = if compiled.job().protocol().has_roles() {
            resume_in_roles(session, run, &common, workers)?
        } else if compiled.job().protocol().garbles() {
            garbled::resume(session, run, workers)?
        } else {
            masked::resume(session, run, workers)?
        };
        finish(session, run, times, computed)
    });
    lost(name, result)
}

/// Refuses jobs whose preprocessing is not of a kind that can be stored.
///
/// # Errors
/// Says why.
pub fn check_storable(compiled: &Compiled) -> Result<(), EvaluateError> {
    let (job, protocol) = (compiled.job(), compiled.job().protocol());
    let fail = |text: String| Err(EvaluateError::Job(text));
    if protocol.is_trusted_party() {
        return fail("plain has no preprocessing that could be stored".into());
    }
    let mut triples = job.options.assignments.iter().map(|it| makes_triples(it.protocol));
    if triples.any(|made| made != makes_triples(protocol)) {
        return fail(
            "not supported: brain's stored preprocessing beside that of other protocols".into(),
        );
    }
    match job.options.preprocessing {
        Preprocessing::Separate => Ok(()),
        Preprocessing::Interleaved => {
            fail("what is stored is separate preprocessing, not interleaved".into())
        }
    }
}

/// Compares what the parties are about to do.
fn begin(
    session: &mut Session,
    compiled: &Compiled,
    phases: Phases,
) -> Result<Times, EvaluateError> {
    let threads = compiled.job().threads();
    if session.meshes.len() < threads {
        return Err(EvaluateError::Bug(format!(
            "the session has {} threads, the job {threads}",
            session.meshes.len(),
        )));
    }
    let (protocol, instances) = (compiled.job().protocol(), compiled.job().instances);
    info!(%protocol, instances, threads, phases = phases.name(), "comparing what is to be run");
    let started = session.meshes[0].now();
    session.meshes.iter_mut().for_each(Mesh::reset_meter);
    let mut facts = compiled.facts().to_vec();
    facts.push(("phases", phases.name().to_string()));
    session.agree(&facts)?;
    Ok(Times::interleaved([started, session.meshes[0].now()]))
}

/// When keys were there, what each worker has in the end, and what is common to what is stored.
type SetOut = (Duration, Vec<Computed>, Buffer<u8>);

/// Exchanges keys, and computes with them.
fn set_out(
    session: &mut Session,
    run: Run<'_>,
    entropy: &mut Entropy,
) -> Result<SetOut, EvaluateError> {
    let (id, protocol) = (fresh_id(session, entropy)?, run.compiled.job().protocol());
    info!("exchanging keys, and computing");
    if protocol.has_roles() {
        return in_roles(session, run, id, entropy);
    }
    let (ready, computed) = match protocol.garbles() {
        true => garbled::compute(session, run, &id, entropy)?,
        false => masked::compute(session, run, &id, entropy)?,
    };
    Ok((ready, computed, Buffer::default()))
}

/// Puts together what workers have opened.
fn finish(
    session: &mut Session,
    run: Run<'_>,
    times: Times,
    computed: Vec<Computed>,
) -> Result<Evaluation, EvaluateError> {
    let report = report(session, run, times, &computed)?;
    report.cost.log();
    let outputs = assemble(run.compiled, computed.into_iter().map(|part| part.opened).collect());
    Ok(Evaluation { outputs, report })
}

fn in_roles(
    session: &mut Session,
    run: Run<'_>,
    id: Vec<u8>,
    entropy: &mut Entropy,
) -> Result<SetOut, EvaluateError> {
    let Options { assignments, workers, .. } = &run.compiled.job().options;
    let mut secrets = SetUp::exchange(session, assignments, *workers, &id, entropy)?;
    let common = match run.phases {
        Phases::Ahead => {
            let stored = secrets.iter_mut().map(|own| own.as_mut().map(Secrets::store).transpose());
            encode(&(&id, stored.collect::<Result<Vec<_>, _>>()?))?
        }
        _ => Buffer::default(),
    };
    let set_up = SetUp::new(secrets, assignments, *workers, id)?;
    info!("computing");
    let ready = session.meshes[0].now();
    Ok((ready, with_roles(session, run, set_up, None)?, common))
}

/// Computes with what was prepared in another session.
fn resume_in_roles(
    session: &mut Session,
    run: Run<'_>,
    common: &[u8],
    workers: Vec<Buffer<u8>>,
) -> Result<Vec<Computed>, EvaluateError> {
    let options = &run.compiled.job().options;
    let (id, stored): (Vec<u8>, Vec<Option<Buffer<u8>>>) = decode(common)?;
    let secrets = stored.into_iter().map(|own| own.map(Secrets::from_bytes).transpose());
    let secrets: Vec<Option<Secrets>> = decoded(secrets.collect())?;
    if secrets.len() != options.assignments.len() {
        return Err(EvaluateError::Job("preprocessing for other assignments of roles".into()));
    }
    let me = session.me();
    for (secrets, assignment) in secrets.iter().zip(&options.assignments) {
        let role = assignment.places.iter().position(|place| *place == me);
        let fit = match (secrets, role) {
            (Some(secrets), Some(role)) => secrets.fit(assignment.protocol, role),
            (secrets, role) => secrets.is_none() && role.is_none(),
        };
        if !fit {
            return Err(EvaluateError::Job("stored keys of another role or protocol".into()));
        }
    }
    // What is compared is another session's.
    let id = [&id, &b"online"[..]].concat();
    let set_up = SetUp::new(secrets, &options.assignments, options.workers, id)?;
    with_roles(session, run, set_up, Some(workers))
}

fn with_roles(
    session: &mut Session,
    run: Run<'_>,
    mut set_up: SetUp,
    stored: Option<Vec<Buffer<u8>>>,
) -> Result<Vec<Computed>, EvaluateError> {
    // Triples are made with keys of their own. Whatever else is put off is drawn again from the same keys,
    // and what was sent ahead is not sent again.
    let triples = run.phases == Phases::Ahead && makes_triples(run.compiled.job().protocol());
    let mut keys = set_up.keys(if triples { "triples" } else { "circuit" }, 1);
    let mut roles = Roles { session, run, checks: set_up.checks };
    let mut computed = roles.compute(&mut keys, stored)?;
    let protocol = run.compiled.job().protocol();
    match run.phases {
        Phases::All | Phases::Online if protocol.is_checked() => roles.open(computed),
        Phases::Ahead if makes_triples(protocol) => {
            roles.compare(&mut computed)?;
            Ok(computed)
        }
        _ => Ok(computed),
    }
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
        match lanes.instances() == job.instances {
            true => Ok(Some(lanes)),
            false => Err(EvaluateError::Job(format!(
                "input {index} has values for {} instances, and the job {}",
                lanes.instances(),
                job.instances
            ))),
        }
    };
    job.owners.iter().zip(&compiled.seatings[0].inputs).enumerate().map(fit).collect()
}

/// A run whose keys are exchanged.
struct Roles<'a> {
    session: &'a mut Session,
    run: Run<'a>,
    checks: Verifier,
}

/// The transcripts of all workers.
fn journals(parts: &mut [Computed]) -> Vec<Journal> {
    parts.iter_mut().map(|part| std::mem::take(&mut part.journal)).collect()
}

impl Roles<'_> {
    /// Evaluates, every worker in the role that this party plays there: with what was `stored` of another
    /// session, if anything.
    fn compute(
        &mut self,
        keys: &mut [Option<Keys>],
        stored: Option<Vec<Buffer<u8>>>,
    ) -> Result<Vec<Computed>, EvaluateError> {
        let (run, meshes) = (self.run, &mut self.session.meshes);
        let mut stored = stored.map(Vec::into_iter);
        let workers = keys.iter_mut().enumerate();
        let workers = workers.map(|item| (item, stored.as_mut().and_then(Iterator::next)));
        on_each(meshes, workers, |mesh, ((worker, keys), stored)| {
            let seating = run.compiled.seating_of(worker);
            let Assignment { protocol, places, .. } = &seating.assignment;
            let party = Party::new(mesh, places)?;
            let keys = keys.as_mut().ok_or_else(|| EvaluateError::Bug("no keys".into()))?;
            roles::compute(*protocol, Compute { run, party, keys, worker, stored })
        })
    }

    /// Compares what everybody did.
    fn compare(&mut self, computed: &mut [Computed]) -> Result<Pass, EvaluateError> {
        info!("comparing what everybody did");
        Ok(self.checks.end_epoch(&mut self.session.meshes[0], journals(computed))?)
    }

    /// Compares what everybody did, opens the outputs, and compares what opened them.
    fn open(&mut self, mut computed: Vec<Computed>) -> Result<Vec<Computed>, EvaluateError> {
        let compiled = self.run.compiled;
        let step = compiled.schedule().depth() as u32 + 1;
        let pass = self.compare(&mut computed)?;
        let parts = computed.into_iter().enumerate();
        let mut opened = on_each(&mut self.session.meshes, parts, |mesh, (worker, part)| {
            mesh.set_phase(Phase::Online);
            mesh.set_step(step);
            let seating = compiled.seating_of(worker);
            let Assignment { protocol, places, .. } = &seating.assignment;
            let party = Party::new(mesh, places)?;
            roles::open(*protocol, Open { compiled, seating, party, pass: &pass, part })
        })?;
        self.compare(&mut opened)?;
        Ok(opened)
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
    run: Run<'_>,
    times: Times,
    computed: &[Computed],
) -> Result<Report, EvaluateError> {
    let (me, compiled) = (session.me(), run.compiled);
    // On virtual clocks workers end at times of their own.
    let finished = session.meshes.iter().map(Mesh::now).max().unwrap_or_default();
    // When the online phase began.
    let online_began = match run.phases {
        Phases::All => computed.iter().filter_map(|part| part.began).max(),
        Phases::Ahead | Phases::FromTriples => Some(finished),
        Phases::Online => Some(times.ready),
    };
    let meter = session.meter();
    let prediction = predict(compiled).of(compiled, run.phases);
    let links = all_links(session, &prediction.bytes)?;
    let job = compiled.job();
    let began = online_began.unwrap_or(times.ready);
    let times = Times { began, finished, ..times };
    let schedule = compiled.schedule();
    let levels = 0..schedule.depth();
    Ok(Report {
        protocol: job.protocol().to_string(),
        assignments: compiled.words_by_seating().map(assignment_use).collect(),
        party: me.0,
        instances: job.instances as u64,
        threads: job.options.workers as u64,
        depth: schedule.depth() as u64,
        products: levels.clone().map(|l| schedule.products(l).len() as u64).sum(),
        wide_gates: levels.map(|l| schedule.wide(l).len() as u64).sum(),
        block_words: compiled.block_words as u64,
        blocks: compiled.blocks as u64,
        cost: RunCost::new(times, [meter.rounds(), prediction.rounds[me.index()]], links),
    })
}

fn assignment_use((seating, words): (&Seating, u64)) -> AssignmentUse {
    let Assignment { protocol, places, balance, .. } = &seating.assignment;
    let roles = places.iter().map(|p| p.0).collect();
    let balance = (!balance.is_none()).then(|| balance.to_string());
    let soundness_bits = protocol.soundness();
    AssignmentUse { protocol: protocol.to_string(), roles, words, soundness_bits, balance }
}
