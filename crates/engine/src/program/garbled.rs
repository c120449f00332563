//! Programs under protocols that garble: one circuit of everything, evaluated once.

use super::prepare::{CompiledProgram, Cost, Opened};
use super::report::{Outcome, ProgramReport, Times, named};

use crate::circuit::{
    self, Assignment, Compiled, EvaluateError, Garbling, Guard, Job, Preprocessing,
};
use crate::values::Lanes;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;
use tacit_backend::cost::{Links, Traffic};
use tacit_backend::{Backend, Boolean, Drawing, Drawn, FlatBits, Replay};
use tacit_net::{PartyId, Session};
use tacit_program::clear::Array;
use tacit_ring::Entropy;

type Inputs = BTreeMap<String, Arc<Array>>;

/// Walks over one backend.
fn walk<B: Backend + Send>(
    prepared: &CompiledProgram,
    inputs: &Inputs,
    progress: &(dyn Fn(u64) + Sync),
    mut backend: B,
) -> Result<(B, Opened), EvaluateError> {
    let context = prepared.context(0, inputs, progress);
    let opened = prepared.walk(&context, &mut [&mut backend])?;
    Ok((backend, opened))
}

/// ANDs of a drawing, at most.
const MAX_ANDS: u64 = 1 << 26;

/// About how many ANDs the circuit of the program has: at most so many, unless public inputs matter.
pub(super) fn ands(prepared: &CompiledProgram) -> Result<u64, EvaluateError> {
    if let Some(ands) = prepared.ands.get() {
        return Ok(*ands);
    }
    let ands = counted(prepared)?.ands;
    Ok(*prepared.ands.get_or_init(|| ands))
}

/// About how many ANDs each line of the program has, from 1 on.
pub(super) fn ands_by_line(
    prepared: &CompiledProgram,
) -> Result<BTreeMap<u32, u64>, EvaluateError> {
    Ok(counted(prepared)?.by_line)
}

fn counted(prepared: &CompiledProgram) -> Result<Replay, EvaluateError> {
    let replay = Replay::new(prepared.job.protocol, Vec::new());
    Ok(walk(prepared, &BTreeMap::new(), &|_| {}, replay)?.0.bits)
}

/// The circuit of the program, and what its first output says if that is to open first. It depends on public inputs,
/// not on those of parties.
fn draw(prepared: &CompiledProgram, inputs: &Inputs) -> Result<(Drawn, Guard), EvaluateError> {
    let (ands, protocol) = (ands(prepared)?, prepared.job.protocol);
    if ands > MAX_ANDS {
        return Err(EvaluateError::Job(format!(
            "under {protocol} the program is one circuit, of some {ands} ANDs here; it may have {MAX_ANDS}: \
             use gmw, or fewer rows"
        )));
    }
    let drawing = Drawing::new(protocol);
    let (Boolean { bits }, opened) = walk(prepared, inputs, &|_| {}, drawing)?;
    Ok((bits.finish(), opened.guard))
}

/// The circuit, laid out for parties that play roles.
fn compile(
    prepared: &CompiledProgram,
    (drawn, guard): &(Drawn, Guard),
    places: &[PartyId],
    preprocessing: Preprocessing,
) -> Result<Compiled, EvaluateError> {
    let at = |role: &usize| places[*role];
    let owners = drawn.owners.iter().map(at).collect();
    let receivers = drawn.receivers.iter().map(|to| to.iter().map(at).collect()).collect();
    let mut job = Job::new(prepared.job.protocol, owners, receivers);
    job.preprocessing = preprocessing;
    job.opening = prepared.job.opening;
    job.label_function = prepared.job.label_function;
    job.garbling = Garbling::Whole;
    job.guard = guard.clone();
    job.assignments = vec![Assignment::new(prepared.job.protocol, places.to_vec())];
    Compiled::new(&drawn.circuit, job)
}

/// What a run costs.
pub(super) fn cost(prepared: &CompiledProgram) -> Result<Cost, EvaluateError> {
    cost_of(prepared, &draw(prepared, &BTreeMap::new())?)
}

fn cost_of(prepared: &CompiledProgram, drawn: &(Drawn, Guard)) -> Result<Cost, EvaluateError> {
    let roles: Vec<PartyId> = PartyId::all(prepared.job.protocol.parties()).collect();
    let prediction = circuit::predict(&compile(prepared, drawn, &roles, Preprocessing::default())?);
    let ahead = Traffic { on: Links::default(), ..prediction.bytes.clone() };
    let (rounds, products) = (prediction.rounds, prediction.products);
    Ok(Cost { ahead, rounds, products, ..Cost::of(prediction.bytes) })
}

/// Where the preprocessing of a run comes from.
pub(super) enum Source<'s> {
    /// It is made, with secrets from here.
    Made(&'s mut Entropy),
    /// It was made, and has a name.
    Stored(&'s str, circuit::StoredPreprocessing),
}

/// The program's circuit, laid out for phases in two sessions.
pub(super) fn compiled(
    prepared: &CompiledProgram,
    inputs: &Inputs,
) -> Result<Compiled, EvaluateError> {
    let drawn = draw(prepared, inputs)?;
    compile(prepared, &drawn, &prepared.job.places, Preprocessing::Separate)
}

/// Runs a program: its circuit, on what its inputs are.
pub(super) fn run(
    session: &mut Session,
    prepared: &CompiledProgram,
    inputs: &Inputs,
    source: Source<'_>,
    progress: &(dyn Fn(u64) + Sync),
) -> Result<Outcome, EvaluateError> {
    let (protocol, started) = (prepared.job.protocol, session.meshes[0].now());
    let drawn = draw(prepared, inputs)?;
    let preprocessing = match source {
        Source::Made(_) => prepared.job.preprocessing,
        Source::Stored(..) => Preprocessing::Separate,
    };
    let compiled = compile(prepared, &drawn, &prepared.job.places, preprocessing)?;
    let (given, _) = walk(prepared, inputs, &|_| {}, Replay::new(protocol, Vec::new()))?;
    let me = session.me();
    let owned = compiled.job().owners.iter().map(|owner| *owner == me);
    let values = given.bits.given.iter().zip(owned);
    let values = values.map(|(flat, mine)| flat.as_ref().filter(|_| mine).map(lanes)).collect();
    let stored = matches!(source, Source::Stored(..));
    let done = match source {
        Source::Made(entropy) => {
            circuit::evaluate_with(session, &compiled, values, entropy, &|_| {})
        }
        Source::Stored(name, ready) => {
            circuit::evaluate_prepared(session, &compiled, values, (name, ready), &|_| {})
        }
    }?;
    let learned = done.outputs.iter().map(|port| port.as_ref().map(flat)).collect();
    let (_, opened) = walk(prepared, inputs, progress, Replay::new(protocol, learned))?;
    let ready = started + Duration::from_secs_f64(done.report.setup_seconds);
    let began = ready + Duration::from_secs_f64(done.report.offline_seconds);
    let times = Times { started, ready, began, finished: session.meshes[0].now() };
    let revealed = named(prepared, me, opened);
    let cost = cost_of(prepared, &drawn)?;
    let cost = if stored { Cost { bytes: cost.online(), ..cost } } else { cost };
    let rounds = session.meter().rounds();
    let report = ProgramReport::gather(session, prepared, &cost, rounds, times)?;
    Ok(Outcome { revealed, report, warnings: Vec::new() })
}

/// A port of a single instance.
fn lanes(flat: &FlatBits) -> Lanes {
    Lanes::from_bits(flat.iter().map(|bit| vec![u64::from(*bit)]).collect(), 1)
}

fn flat(port: &Lanes) -> FlatBits {
    FlatBits::new(port.bits().iter().map(|words| (words[0] & 1) as u8).collect())
}
