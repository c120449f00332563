//! Runs a prepared program over an open session.

use super::ahead;
use super::compiled::CompiledProgram;
use super::context::Context;
use super::cost::Cost;
use super::drawn;
use super::facts::{Inputs, agree_public, own_inputs};
use super::garbled::{self, Source};
use super::outside;
use super::parties::{Worker, backends, on_masked_values, on_shares};
use super::plain::{self, Plain};
use super::report::{Outcome, ProgramReport, named};
use super::streamed::streaming;
use super::walk::Opened;
use crate::circuit::{self, Compiled, EvaluateError, Preprocessing, lost};
use crate::gate::{Asking, Door, Gate, pass};
use crate::links::all_links;
use crate::options::Options;
use crate::run_cost::{LinkUse, Times};
use crate::setup::{SetUp, fresh_id};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tacit_backend::GmwBits;
use tacit_gmw::{Correlations, Gmw};
use tacit_net::{AbortKind, Mesh, PartyId, Phase, Session};
use tacit_program::clear::Array;
use tacit_ring::Entropy;
use tracing::info;

/// Runs a program. `inputs` are this party's own inputs and all public ones, by name. `progress`
/// is told how many rows went through each stream.
///
/// Before any share is sent, all parties compare the job's facts.
///
/// # Errors
/// When inputs do not fit, the parties disagree, or the network fails. Nothing is returned then,
/// and the session is over for all parties.
pub fn run(
    session: &mut Session,
    prepared: &CompiledProgram,
    inputs: BTreeMap<String, Array>,
    progress: &(dyn Fn(u64) + Sync),
) -> Result<Outcome, EvaluateError> {
    run_with(session, prepared, inputs, &mut Entropy::system(), progress)
}

/// Runs a program as [`run`] does, with fresh secrets from `entropy`: a seeded one makes a test's run repeatable.
///
/// # Errors
/// When [`run`] fails.
pub fn run_with(
    session: &mut Session,
    prepared: &CompiledProgram,
    inputs: BTreeMap<String, Array>,
    entropy: &mut Entropy,
    progress: &(dyn Fn(u64) + Sync),
) -> Result<Outcome, EvaluateError> {
    with_inputs(session, prepared, inputs, Source::Made(entropy), (None, progress))
}

/// Runs a program as [`run`] does, and passes a [gate](Gate) before anything opens.
///
/// # Errors
/// When [`run`] fails, and [`EvaluateError::Refused`] where the gate refuses.
pub fn run_gated(
    session: &mut Session,
    prepared: &CompiledProgram,
    inputs: BTreeMap<String, Array>,
    gate: Option<Gate>,
    progress: &(dyn Fn(u64) + Sync),
) -> Result<Outcome, EvaluateError> {
    let source = Source::Made(&mut Entropy::system());
    with_inputs(session, prepared, inputs, source, (gate, progress))
}

/// Runs a program as [`run`] does, on preprocessing that [`prepare`] made in another session. `name` names the
/// preprocessing, the same at all parties.
///
/// # Errors
/// When [`run`] fails, when the preprocessing is for another job, and when the job has none that can be stored.
pub fn run_prepared(
    session: &mut Session,
    prepared: &CompiledProgram,
    inputs: BTreeMap<String, Array>,
    stored: (&str, circuit::StoredPreprocessing),
    progress: &(dyn Fn(u64) + Sync),
) -> Result<Outcome, EvaluateError> {
    run_prepared_gated(session, prepared, inputs, stored, (None, progress))
}

/// Runs a program as [`run_prepared`] does, and passes a [gate](Gate) before anything opens.
///
/// # Errors
/// When [`run_prepared`] fails, and [`EvaluateError::Refused`] where the gate refuses.
pub fn run_prepared_gated(
    session: &mut Session,
    prepared: &CompiledProgram,
    inputs: BTreeMap<String, Array>,
    (name, ready): (&str, circuit::StoredPreprocessing),
    (gate, progress): (Option<Gate>, &(dyn Fn(u64) + Sync)),
) -> Result<Outcome, EvaluateError> {
    let storable = check_storable(prepared);
    let storable = storable.inspect_err(|e| session.abort(e.abort_kind(), &e.to_string()));
    let source = Source::Stored(name, ready);
    lost(
        name,
        storable.and_then(|()| with_inputs(session, prepared, inputs, source, (gate, progress))),
    )
}

/// Makes a program's preprocessing, for one run in another session: all parties do. Of the inputs only public
/// ones matter. Gives what is stored, and who sent how much for it.
///
/// Where the protocol garbles, `garble` prepares the program's circuit: by [`circuit::prepare`], or with stored
/// triples.
///
/// # Errors
/// When [`run`] fails, or the preprocessing cannot be stored.
pub fn prepare(
    session: &mut Session,
    prepared: &CompiledProgram,
    public: &BTreeMap<String, Array>,
    garble: impl FnOnce(&mut Session, &Compiled) -> Garbled,
) -> Result<(circuit::StoredPreprocessing, Vec<LinkUse>), EvaluateError> {
    prepare_with(session, prepared, public, &mut Entropy::system(), garble)
}

/// Makes preprocessing as [`prepare`] does, with fresh secrets from `entropy` where the protocol does not garble.
///
/// # Errors
/// When [`prepare`] fails.
pub fn prepare_with(
    session: &mut Session,
    prepared: &CompiledProgram,
    public: &BTreeMap<String, Array>,
    entropy: &mut Entropy,
    garble: impl FnOnce(&mut Session, &Compiled) -> Garbled,
) -> Result<(circuit::StoredPreprocessing, Vec<LinkUse>), EvaluateError> {
    let shared = |(name, array): (&String, &Array)| (name.clone(), Arc::new(array.clone()));
    let public: Inputs = public.iter().map(shared).collect();
    let work = || {
        check_storable(prepared)?;
        session.meshes.iter_mut().for_each(Mesh::reset_meter);
        session.agree(prepared.facts())?;
        agree_public(session, prepared, &public)?;
        if prepared.job.protocol().garbles() {
            let (made, report) = garble(session, &drawn::compiled(prepared, &public)?)?;
            return Ok((made, report.cost.links));
        }
        prepared.check_masks()?;
        let (_, made) = ahead::make(session, prepared, &public, entropy)?;
        let predicted = prepared.cost()?.ahead;
        let links = all_links(session, &predicted.placed(&prepared.job.everyone()))?;
        Ok((made, links))
    };
    let result = work();
    result
        .inspect_err(|error: &EvaluateError| session.abort(error.abort_kind(), &error.to_string()))
}

/// A stored circuit, and what it cost.
type Garbled = Result<(circuit::StoredPreprocessing, circuit::Report), EvaluateError>;

/// Refuses jobs whose preprocessing is not of a kind that can be stored.
///
/// # Errors
/// Says why.
pub fn check_storable(prepared: &CompiledProgram) -> Result<(), EvaluateError> {
    if prepared.streams {
        return Err(EvaluateError::Job(
            "what is stored is garbled whole, before the inputs; this program is garbled as it runs: ask for separate \
             preprocessing"
                .into(),
        ));
    }
    if prepared.job.protocol().garbles() {
        return Ok(());
    }
    prepared.job.check_preprocessing()?;
    match prepared.job.options.preprocessing {
        Preprocessing::Separate => Ok(()),
        Preprocessing::Interleaved => Err(EvaluateError::Job(
            "what is stored is separate preprocessing, not interleaved".into(),
        )),
    }
}

/// Refuses inputs that do not fit a program: before stored preprocessing is spent for them.
///
/// # Errors
/// Says which and why.
pub fn check_inputs(
    prepared: &CompiledProgram,
    me: PartyId,
    inputs: &BTreeMap<String, Array>,
) -> Result<(), EvaluateError> {
    own_inputs(prepared, me, inputs.clone()).map(drop)
}

fn with_inputs(
    session: &mut Session,
    prepared: &CompiledProgram,
    inputs: BTreeMap<String, Array>,
    source: Source<'_>,
    (gate, progress): (Option<Gate>, &(dyn Fn(u64) + Sync)),
) -> Result<Outcome, EvaluateError> {
    let door = Door::of(session, gate);
    // Peers are not told where an input is wrong.
    let inputs = own_inputs(prepared, session.me(), inputs)
        .inspect_err(|_| session.abort(AbortKind::Input, "its inputs do not fit the program"))?;
    with_checked(session, prepared, &inputs, source, (door.as_ref(), progress))
}

/// Runs a program on inputs that are as they have to be.
pub(super) fn with_checked(
    session: &mut Session,
    prepared: &CompiledProgram,
    inputs: &Inputs,
    source: Source<'_>,
    asking: Asking<'_>,
) -> Result<Outcome, EvaluateError> {
    let result = all(session, prepared, inputs, source, asking);
    if let Err(error) = &result {
        session.abort(error.abort_kind(), &error.for_peers());
    }
    result
}

fn all(
    session: &mut Session,
    prepared: &CompiledProgram,
    inputs: &BTreeMap<String, Arc<Array>>,
    source: Source<'_>,
    (door, progress): Asking<'_>,
) -> Result<Outcome, EvaluateError> {
    let job = &prepared.job;
    // Where roles are chosen for the links, there may be more than the choice needs.
    let (has, wants) = (session.meshes.len(), job.threads());
    if has < wants || (has > wants && !job.protocol().has_roles()) {
        return Err(EvaluateError::Bug(format!("the session has {has} threads, the job {wants}")));
    }
    let (program, protocol) = (&prepared.program.name, job.protocol());
    info!(program, %protocol, by = %job.by, threads = wants, "comparing what is to be run");
    let started = session.meshes[0].now();
    session.meshes.iter_mut().for_each(Mesh::reset_meter);
    match door {
        None => session.agree(prepared.facts())?,
        // Whoever has a gate waits for those of the others.
        Some(_) => session.agree(&[prepared.facts(), &[("gate", "yes".into())]].concat())?,
    }
    agree_public(session, prepared, inputs)?;
    prepared.check_masks()?;
    info!("exchanging keys, and preprocessing what comes first");
    let interleaved = |times| Ok::<_, EvaluateError>((prepared.cost()?, Times::interleaved(times)));
    if job.protocol().is_trusted_party() {
        let ready = session.meshes[0].now();
        session.meshes.iter_mut().for_each(|mesh| mesh.set_phase(Phase::Online));
        pass(door)?;
        let Plain { values, warnings } = plain::run(session, prepared, inputs)?;
        let walked = Walked { opened: Opened::of(values), rounds: session.meter().rounds() };
        return outcome(session, prepared, walked, warnings, interleaved([started, ready])?);
    }
    if job.protocol().garbles() && !prepared.streams {
        return garbled::run(session, prepared, inputs, source, (door, progress));
    }
    if job.options.preprocessing == Preprocessing::Separate {
        return in_two_phases(session, prepared, inputs, (source, started), (door, progress));
    }
    let Source::Made(entropy) = source else {
        return Err(EvaluateError::Bug("stored preprocessing of an interleaved run".into()));
    };
    let id = fresh_id(session, entropy)?;
    let mesh = &mut session.meshes[0];
    if job.role_of(mesh.me()).is_err() {
        let ready = mesh.now();
        let values = outside::take_part(mesh, prepared, inputs, entropy, door)?;
        let walked = Walked { opened: Opened::of(values), rounds: session.meter().rounds() };
        return outcome(session, prepared, walked, Vec::new(), interleaved([started, ready])?);
    }
    let role = job.role_of(mesh.me())?;
    if let Some(method) = tacit_gmw::Method::of(job.protocol()) {
        let mut all = Correlations::for_products(mesh, &id, job.places(), method, entropy)?;
        let ready = session.meshes[0].now();
        let dealt = outside::receive(&mut session.meshes[0], prepared)?;
        let party = |mesh| Ok(GmwBits::new(Gmw::new(mesh, job.places(), all.worker())?));
        let parties = on_masked_values(session, prepared, Phase::Online, party)?;
        let context = prepared.context(role, inputs, progress);
        let context = Context { dealt: Mutex::new(Some(dealt)), door, ..context };
        let walked = walk(prepared, &context, parties)?;
        return outcome(session, prepared, walked, Vec::new(), interleaved([started, ready])?);
    }
    if prepared.streams {
        let circuits = match job.in_blocks() {
            true => Some(Arc::new(Mutex::new(prepared.no_blocks()?))),
            false => None,
        };
        let (parties, ready) = streaming(session, prepared, &id, circuits.as_ref(), entropy)?;
        // What is garbled as it runs shows something to whoever evaluates it from here on.
        pass(door)?;
        let context = prepared.context(role, inputs, progress);
        let walked = walk(prepared, &context, parties)?;
        // Of the circuits that there were: public inputs decide over them too.
        let cost = match circuits {
            Some(cost) => Cost::of_circuits(&cost.lock().unwrap_or_else(PoisonError::into_inner)),
            None => prepared.cost()?,
        };
        let times = Times::interleaved([started, ready]);
        return outcome(session, prepared, walked, Vec::new(), (cost, times));
    }
    let Options { assignments, workers, .. } = &job.options;
    let secrets = SetUp::exchange(session, assignments, *workers, &id, entropy)?;
    let mut set_up = SetUp::new(secrets, assignments, *workers, id)?;
    let keys = set_up.ring_keys()?;
    let ready = session.meshes[0].now();
    let dealt = outside::receive(&mut session.meshes[0], prepared)?;
    let context = prepared.context(role, inputs, progress);
    let verifier = Mutex::new(Some(set_up.checks));
    let context = Context { dealt: Mutex::new(Some(dealt)), verifier, door, ..context };
    let parties = on_shares(session, prepared, keys, Phase::Online, |party| party)?;
    let walked = walk(prepared, &context, parties)?;
    outcome(session, prepared, walked, Vec::new(), interleaved([started, ready])?)
}

/// Runs a program on shares: first all preprocessing, unless it is stored, then the rest.
fn in_two_phases(
    session: &mut Session,
    prepared: &CompiledProgram,
    inputs: &Inputs,
    (source, started): (Source<'_>, Duration),
    (door, progress): Asking<'_>,
) -> Result<Outcome, EvaluateError> {
    let (me, job, cost) = (session.me(), &prepared.job, prepared.cost()?);
    let (ready, made, predicted) = match source {
        Source::Made(entropy) => {
            let (ready, made) = ahead::make(session, prepared, inputs, entropy)?;
            (ready, made, cost.bytes.clone())
        }
        Source::Stored(name, made) => {
            // Nobody sends anything before all others have spent theirs.
            session.agree(&[("stored preprocessing", name.to_string())])?;
            (session.meshes[0].now(), made, cost.online())
        }
    };
    if !job.protocol().is_checked() {
        // What opens results has been sent ahead: the last product may show one.
        pass(door)?;
    }
    let began = session.meshes[0].now();
    let (parties, verifier) = ahead::resume(session, prepared, inputs, made)?;
    let context = prepared.context(job.role_of(me)?, inputs, progress);
    let context = Context { verifier: Mutex::new(verifier), door, ..context };
    let walked = walk(prepared, &context, parties)?;
    let times = Times { began, ..Times::interleaved([started, ready]) };
    outcome(session, prepared, walked, Vec::new(), (Cost { bytes: predicted, ..cost }, times))
}

fn outcome(
    session: &mut Session,
    prepared: &CompiledProgram,
    Walked { opened, rounds }: Walked,
    warnings: Vec<String>,
    (cost, times): (Cost, Times),
) -> Result<Outcome, EvaluateError> {
    outside::deliver(&mut session.meshes[0], prepared, &opened.parcels)?;
    let times = Times { finished: session.meshes[0].now(), ..times };
    let revealed = named(prepared, session.me(), opened.values);
    let report = ProgramReport::gather(session, prepared, &cost, rounds, times)?;
    report.cost.log();
    Ok(Outcome { revealed, report, warnings })
}

/// What a walk opened, and in how many rounds.
struct Walked {
    opened: Opened,
    rounds: u64,
}

/// Takes the program through these parties, one per worker.
fn walk(
    prepared: &CompiledProgram,
    context: &Context<'_>,
    mut parties: Vec<Worker<'_>>,
) -> Result<Walked, EvaluateError> {
    info!("computing");
    let mut backends = backends(&mut parties);
    let opened = prepared.walk(context, &mut backends)?;
    let rounds = context.beside.with(backends[0].rounds()).iter().sum();
    for party in &mut parties {
        party.check_used_up()?;
        party.flush()?;
    }
    Ok(Walked { opened, rounds })
}
