//! Runs a job over an open session.

use super::compile::Compiled;
use super::predict::{ahead_words, predict, stream_name};
use super::report::{LinkUse, Report};
use super::worker::{Opened, Worker};
use super::{EvaluateError, Job, Preprocessing};
use crate::values::{Instances, Lanes};
use std::time::Duration;
use tacit_circuit::Circuit;
use tacit_net::{Mesh, Meter, NetError, PartyId, Phase, Session, Stream};
use tacit_ring::Seed;
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
            .ok_or_else(|| EvaluateError::Job(format!("party {party} offers no instances")))?;
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
    let result = run(session, compiled, values, progress);
    if let Err(error) = &result {
        session.abort(&error.to_string());
    }
    result
}

fn run(
    session: &mut Session,
    compiled: &Compiled,
    values: Vec<Option<Lanes>>,
    progress: &(dyn Fn(u64) + Sync),
) -> Result<Evaluation, EvaluateError> {
    let job = compiled.job();
    if session.meshes.len() != job.workers {
        return Err(EvaluateError::Job(format!(
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
    let id = session_id(session)?;
    let secrets = Secrets::exchange(&mut session.meshes[0], &id, job.protocol, job.places)?;
    let keys: Vec<Keys> = (0..job.workers).map(|w| secrets.keys("circuit", 1, w)).collect();
    let times = Times { started, ready: session.meshes[0].now() };
    let visitor =
        RunRole { session: &mut *session, compiled, values: &values, keys: &keys, progress };
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

/// A session identifier to which every party contributes.
fn session_id(session: &mut Session) -> Result<Vec<u8>, EvaluateError> {
    let mine = Seed::random()
        .map_err(|e| EvaluateError::Job(format!("the system gives no randomness: {e}")))?;
    Ok(session.publish(mine.expose())?.concat())
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
    keys: &'a [Keys],
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
        let work = |mesh: &mut Mesh, worker: usize| {
            let party = Party::new(&mut *mesh, places)?;
            let task = Worker::<P>::new(compiled, party, &keys[worker], values, worker, progress);
            let words = compiled.share_of(worker).len() as u64;
            let expected = ahead.map(|per_word| (per_word * words * 8) as usize);
            let result = if separate { task.separate(expected) } else { task.interleaved() };
            result.inspect_err(|error| mesh.abort(&error.to_string()))
        };
        let results: Vec<Result<_, SharingError>> = std::thread::scope(|scope| {
            let mut meshes = session.meshes.iter_mut().enumerate();
            let first = meshes.next();
            let others: Vec<_> = meshes
                .map(|(worker, mesh)| {
                    scope.spawn({
                        let work = &work;
                        move || work(mesh, worker)
                    })
                })
                .collect();
            let mine = first.map(|(worker, mesh)| work(mesh, worker));
            let others = others.into_iter().map(|thread| {
                thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
            });
            mine.into_iter().chain(others).collect()
        });
        collect(results)
    }
}

/// The workers' results, or the error that tells most: not that another thread had stopped.
fn collect(
    results: Vec<Result<(Opened, Option<Duration>), SharingError>>,
) -> Result<(Vec<Opened>, Option<Duration>), EvaluateError> {
    let mut opened = Vec::new();
    let mut began = None;
    let mut failure: Option<SharingError> = None;
    for result in results {
        match result {
            Ok((part, time)) => {
                opened.push(part);
                began = began.max(time);
            }
            Err(error) => {
                let dull = matches!(failure, None | Some(SharingError::Net(NetError::Stopped(_))));
                if dull {
                    failure = Some(error);
                }
            }
        }
    }
    failure.map_or(Ok((opened, began)), |error| Err(error.into()))
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
    let mine = serde_json::to_vec(&metered(&meter, me))
        .map_err(|e| EvaluateError::Job(format!("cannot write the meter: {e}")))?;
    let mut links: Vec<LinkUse> = Vec::new();
    for (party, bytes) in session.publish(&mine)?.iter().enumerate() {
        let theirs: Vec<LinkUse> = serde_json::from_slice(bytes).map_err(|_| {
            EvaluateError::Job(format!("party {party} sent a meter that cannot be read"))
        })?;
        links.extend(theirs.into_iter().map(|part| own_words(part, party)));
    }
    let prediction = predict(compiled);
    let links = merge_links(compiled, &prediction.words, links);
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

/// What `party` may tell: what it sent, and how long it waited.
fn own_words(part: LinkUse, party: usize) -> LinkUse {
    let (sent, waited) = (usize::from(part.from) == party, usize::from(part.to) == party);
    LinkUse {
        bytes: if sent { part.bytes } else { 0 },
        messages: if sent { part.messages } else { 0 },
        waited_seconds: if waited { part.waited_seconds.clamp(0.0, 1e9) } else { 0.0 },
        ..part
    }
}

/// What this party sent (and how long it waited for what it got), set-up left out.
fn metered(meter: &Meter, me: PartyId) -> Vec<LinkUse> {
    let mut links = Vec::new();
    for (peer, stream, phase, count) in meter.entries() {
        if phase == Phase::Setup || peer == me {
            continue;
        }
        let entry = |from: PartyId, to: PartyId| LinkUse {
            from: from.0,
            to: to.0,
            stream: stream_name(stream).into(),
            bytes: 0,
            messages: 0,
            predicted_bytes: 0,
            waited_seconds: 0.0,
        };
        if count.bytes_sent > 0 {
            let sent = LinkUse {
                bytes: count.bytes_sent,
                messages: count.messages_sent,
                ..entry(me, peer)
            };
            links.push(sent);
        }
        if count.bytes_received > 0 {
            let waited_seconds = count.waited_ns as f64 * 1e-9;
            links.push(LinkUse { waited_seconds, ..entry(peer, me) });
        }
    }
    links
}

/// One entry per link and stream that is used or predicted, ordered.
fn merge_links(
    compiled: &Compiled,
    words: &tacit_sharing::cost::Traffic,
    parts: Vec<LinkUse>,
) -> Vec<LinkUse> {
    let places = compiled.job().places;
    let mut links = Vec::new();
    for (from, to) in (0..3).flat_map(|from| (0..3).map(move |to| (from, to))) {
        for (stream, words) in
            [(Stream::Pre, words.pre[from][to]), (Stream::On, words.on[from][to])]
        {
            let (sender, receiver) = (places[from].0, places[to].0);
            let name = stream_name(stream);
            let mine =
                parts.iter().filter(|p| (p.from, p.to) == (sender, receiver) && p.stream == name);
            let mut link = LinkUse {
                from: sender,
                to: receiver,
                stream: name.into(),
                bytes: 0,
                messages: 0,
                predicted_bytes: words * 8,
                waited_seconds: 0.0,
            };
            for part in mine {
                link.bytes = link.bytes.saturating_add(part.bytes);
                link.messages = link.messages.saturating_add(part.messages);
                link.waited_seconds += part.waited_seconds;
            }
            if link.bytes > 0 || link.predicted_bytes > 0 {
                links.push(link);
            }
        }
    }
    links
}
