//! Programs under protocols that garble: one circuit of everything, evaluated once.

use super::compiled::CompiledProgram;
use super::cost::Cost;
use super::drawn::{laid, walk};
use super::facts::Inputs;
use super::report::{Outcome, ProgramReport, named};
use crate::circuit::evaluate::{evaluate_gated, evaluate_prepared_gated};
use crate::circuit::{self, EvaluateError, Preprocessing};
use crate::gate::Asking;
use crate::run_cost::Times;
use crate::values::Lanes;
use std::time::Duration;
use tacit_backend::{FlatBits, Replay};
use tacit_net::Session;
use tacit_ring::Entropy;

/// Where the preprocessing of a run comes from.
pub(super) enum Source<'s> {
    /// It is made, with secrets from here.
    Made(&'s mut Entropy),
    /// It was made, and has a name.
    Stored(&'s str, circuit::StoredPreprocessing),
}

/// Runs a program: its circuit, on what its inputs are.
pub(super) fn run(
    session: &mut Session,
    prepared: &CompiledProgram,
    inputs: &Inputs,
    source: Source<'_>,
    (door, progress): Asking<'_>,
) -> Result<Outcome, EvaluateError> {
    let (protocol, started) = (prepared.job.protocol(), session.meshes[0].now());
    let laid = laid(prepared, inputs)?;
    let preprocessing = match source {
        Source::Made(_) => prepared.job.options.preprocessing,
        Source::Stored(..) => Preprocessing::Separate,
    };
    let compiled = laid.compiled(prepared, prepared.job.places(), preprocessing)?;
    let (given, _) = walk(prepared, inputs, &|_| {}, Replay::new(protocol, Vec::new()))?;
    let me = session.me();
    let owned = compiled.job().owners.iter().map(|owner| *owner == me);
    let values = given.bits.given.iter().zip(owned);
    let values = values.map(|(flat, mine)| flat.as_ref().filter(|_| mine).map(lanes)).collect();
    let stored = matches!(source, Source::Stored(..));
    let done = match source {
        Source::Made(entropy) => {
            evaluate_gated(session, &compiled, values, entropy, (door, &|_| {}))
        }
        Source::Stored(name, ready) => {
            evaluate_prepared_gated(session, &compiled, values, (name, ready), (door, &|_| {}))
        }
    }?;
    let learned = done.outputs.iter().map(|port| port.as_ref().map(flat)).collect();
    let (_, opened) = walk(prepared, inputs, progress, Replay::new(protocol, learned))?;
    let ready = started + Duration::from_secs_f64(done.report.cost.setup_seconds);
    let began = ready + Duration::from_secs_f64(done.report.cost.offline_seconds);
    let times = Times { started, ready, began, finished: session.meshes[0].now() };
    let revealed = named(prepared, me, opened.values);
    let cost = laid.cost(prepared)?;
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
