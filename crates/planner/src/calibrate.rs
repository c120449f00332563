//! How fast this machine computes: small circuits under the protocols themselves, on links that take no time, with the
//! CPU time of each party.

use crate::work::{Calibration, of_an_and};
use std::time::Instant;
use tacit_backend::work::Work;
use tacit_circuit::Circuit;
use tacit_circuit::library::layered;
use tacit_engine::circuit::{Compiled, EvaluateError, Job, Preprocessing, Report, rehearse};
use tacit_engine::protocols::{BMR_REPLICATED, GMW, REPLICATED, YAO_THREE};
use tacit_net::PartyId;
use tacit_net::memory::{Compute, MemoryNetwork};
use tacit_sharing::Protocol;

/// ANDs that are measured, and their levels where steps are not.
const ANDS: usize = 1 << 13;
const LEVELS: usize = 8;
/// Levels of a few ANDs each, to measure steps.
const STEPS: usize = 256;
/// Instances that are garbled.
const INSTANCES: usize = 8;
/// An AND of a program takes so many times as long as one of the circuit that is measured: programs are walked through twice, to
/// count and to draw, have more XORs, and are walked through again for inputs and results (measured with `examples/stay`).
const DRAWN_TIMES: f64 = 2.0;
/// Lanes of products of bits.
const LANES: usize = 1 << 12;

impl Calibration {
    /// About what [`Calibration::measured`] gives on a machine with VAES, in the release build.
    pub const TYPICAL: Calibration = Calibration {
        peer: 25e-3,
        transfer: 11e-9,
        block: 8e-9,
        gate: 1e-7,
        bit: 2e-10,
        step: 5e-6,
        drawn: 6e-7,
    };

    /// As it is here and now; in some tenths of a second.
    ///
    /// # Errors
    /// When a protocol does not run here.
    pub fn measured() -> Result<Self, EvaluateError> {
        let (wide, deep) = (circuit(ANDS, LEVELS), circuit(4 * STEPS, STEPS));
        let ands = ANDS as f64;
        let block = garbled(&wide, YAO_THREE, |work| work.blocks, |_| 0.0)?;
        let others = |work: &Work| work.blocks * block;
        let gate = garbled(&wide, BMR_REPLICATED, |work| work.gates, others)?;
        let transferred = slowest(&wide, GMW.fitting(2), 64)?;
        let [made, _] = of_an_and(GMW.fitting(2));
        let transfer = transferred.cost.offline_seconds / (64.0 * ands * made.transfers);
        let step = slowest(&deep, REPLICATED, 1)?.cost.online_seconds / STEPS as f64;
        let shared = slowest(&wide, REPLICATED, LANES)?.cost.online_seconds;
        let bit = (shared - LEVELS as f64 * step).max(0.0) / (LANES as f64 * ands);
        let (peer, drawn) = (transferred.cost.setup_seconds, drawing()?);
        Ok(Calibration { peer, transfer, block, gate, bit, step, drawn })
    }
}

/// Seconds in which an AND of a program's circuit is drawn and laid out.
fn drawing() -> Result<f64, EvaluateError> {
    let seconds = || {
        let start = Instant::now();
        compiled(&circuit(ANDS, LEVELS), YAO_THREE, 1).map(|_| start.elapsed().as_secs_f64())
    };
    let least = [seconds()?, seconds()?, seconds()?].into_iter().fold(f64::INFINITY, f64::min);
    Ok(DRAWN_TIMES * least / ANDS as f64)
}

fn circuit(ands: usize, depth: usize) -> Circuit {
    layered::circuit(&layered::Size { ands, depth, inputs: vec![64; 2], outputs: 1 })
}

/// Seconds of a unit of a protocol that garbles without transfers, but for `others`.
fn garbled(
    circuit: &Circuit,
    protocol: Protocol,
    units: impl Fn(&Work) -> f64,
    others: impl Fn(&Work) -> f64,
) -> Result<f64, EvaluateError> {
    let report = slowest(circuit, protocol, INSTANCES)?;
    let [made, opened] = of_an_and(protocol);
    let work = made + opened;
    let each =
        (report.cost.offline_seconds + report.cost.online_seconds) / (INSTANCES * ANDS) as f64;
    Ok((each - others(&work)).max(0.0) / units(&work))
}

fn compiled(
    circuit: &Circuit,
    protocol: Protocol,
    instances: usize,
) -> Result<Compiled, EvaluateError> {
    let parties: Vec<PartyId> = PartyId::all(protocol.parties()).collect();
    let mut job = Job::new(protocol, parties[..2].to_vec(), vec![parties.clone()]);
    (job.instances, job.options.preprocessing) = (instances, Preprocessing::Separate);
    Compiled::new(circuit, job)
}

/// What the party that takes longest reports.
fn slowest(
    circuit: &Circuit,
    protocol: Protocol,
    instances: usize,
) -> Result<Report, EvaluateError> {
    let network = MemoryNetwork::default().with_compute(Compute::ThreadCpuTime(1.0));
    let compiled = compiled(circuit, protocol, instances)?;
    let reports = rehearse(&compiled, circuit.input_widths(), &network)?;
    let seconds = |report: &Report| report.cost.offline_seconds + report.cost.online_seconds;
    let slowest = reports.into_iter().max_by(|a, b| seconds(a).total_cmp(&seconds(b)));
    slowest.ok_or_else(|| EvaluateError::Bug("a protocol without parties".into()))
}
