//! Measuring protocols on arrays: products, inner products, matrix products over any ring.
//!
//! Every party runs [`run`] over an open session. Inputs are shared by the protocol itself, the
//! result of the first pass is opened and checked, then passes are repeated for the wanted time.

mod usage;
mod worker;

pub use usage::Usage;

use crate::circuit::EvaluateError;
use std::time::{Duration, Instant};
use tacit_net::{Mesh, PartyId, Session};
use tacit_ring::{Seed, Word, Z2};
use tacit_sharing::arrays::{Cut, MatrixShape};
use tacit_sharing::cost::{self, Traffic};
use tacit_sharing::setup::Secrets;
use tacit_sharing::{Party, Protocol, Role, RoleVisitor, SharingError};
use worker::Worker;

/// What is computed per output element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    /// One product.
    Product,
    /// An inner product of this length.
    Dot {
        /// Number of terms.
        length: usize,
    },
    /// An entry of a product of square matrices.
    Matrix {
        /// Rows and columns.
        size: usize,
    },
}

/// A measurement that all parties agree on.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The protocol.
    pub protocol: Protocol,
    /// `places[r]` plays role `r`.
    pub places: [PartyId; 3],
    /// Ring of 32- or 64-bit words; 1 is Z_2, 64 lanes to a word.
    pub ring_bits: u32,
    /// What is computed.
    pub operation: Operation,
    /// Output elements per pass: lanes for Z_2. For matrices, entries; rounded up to whole ones.
    pub elements: usize,
    /// How long to measure.
    pub duration: Duration,
    /// How work is cut.
    pub cut: Cut,
}

impl Plan {
    fn words(&self) -> usize {
        let words = if self.ring_bits == 1 { self.elements.div_ceil(64) } else { self.elements };
        match self.operation {
            Operation::Matrix { size } => words.div_ceil(size * size).max(1) * size * size,
            _ => words.max(1),
        }
    }

    fn facts(&self, threads: usize) -> Vec<(&'static str, String)> {
        vec![
            ("tacit version", env!("CARGO_PKG_VERSION").to_string()),
            ("protocol", self.protocol.to_string()),
            ("roles", format!("{:?}", self.places.map(|p| p.0))),
            ("ring", self.ring_bits.to_string()),
            ("operation", format!("{:?}", self.operation)),
            ("elements", self.elements.to_string()),
            ("threads", threads.to_string()),
            ("cut", format!("{:?}", self.cut)),
        ]
    }
}

/// What a party measured.
#[derive(Clone, Debug)]
pub struct Measured {
    /// Passes in the measured time.
    pub passes: u64,
    /// Output elements of one pass (lanes for Z_2).
    pub elements: u64,
    /// Seconds from start to end of all passes.
    pub seconds: f64,
    /// CPU time and memory of this process, CPU time within the measured passes.
    pub usage: Usage,
    /// Bytes between roles of one pass, by the cost functions; the meter was checked to agree.
    pub bytes: Traffic,
    /// Size of a ring element in bits.
    pub ring_bits: u32,
}

/// Measures.
///
/// # Errors
/// When the parties disagree, the network fails, or the first result is wrong.
pub fn run(session: &mut Session, plan: &Plan) -> Result<Measured, EvaluateError> {
    let result = match plan.ring_bits {
        1 => run_in::<Z2>(session, plan),
        32 => run_in::<u32>(session, plan),
        64 => run_in::<u64>(session, plan),
        other => Err(EvaluateError::Job(format!(
            "rings of {other}-bit words are not measured: choose 1, 32 or 64"
        ))),
    };
    if let Err(error) = &result {
        session.abort(&error.to_string());
    }
    result
}

fn run_in<W: Word>(session: &mut Session, plan: &Plan) -> Result<Measured, EvaluateError> {
    let threads = session.meshes.len();
    session.agree(&plan.facts(threads))?;
    let id = session.publish(random_id()?.expose())?.concat();
    let me = session.me();
    let role = plan
        .places
        .iter()
        .position(|p| *p == me)
        .ok_or_else(|| EvaluateError::Job(format!("party {} plays no role", me.0)))?;
    let secrets = Secrets::exchange(&mut session.meshes[0], &id, plan.protocol, plan.places)?;
    let keys: Vec<_> = (0..threads).map(|w| secrets.keys("bench", W::BITS, w)).collect();
    plan.protocol
        .visit(role, Measure::<W> { session, plan, keys: &keys, word: std::marker::PhantomData })
}

fn random_id() -> Result<Seed, EvaluateError> {
    Seed::random().map_err(|e| EvaluateError::Job(format!("the system gives no randomness: {e}")))
}

struct Measure<'a, W> {
    session: &'a mut Session,
    plan: &'a Plan,
    keys: &'a [tacit_sharing::party::Keys],
    word: std::marker::PhantomData<W>,
}

impl<W: Word> RoleVisitor for Measure<'_, W> {
    type Out = Result<Measured, EvaluateError>;

    fn visit<P: Role>(self) -> Self::Out {
        let Measure { session, plan, keys, .. } = self;
        let shares = split(plan.words(), plan.operation, keys.len());
        let mut workers: Vec<Worker<'_, P, W>> =
            keys.iter().zip(&shares).map(|(keys, words)| Worker::new(keys, plan, *words)).collect();
        each(session, plan, &mut workers, |worker, party| worker.prepare(party))?;
        let before = session.meter();
        each(session, plan, &mut workers, |worker, party| worker.pass(party))?;
        let bytes = check_meter::<P>(
            session,
            plan,
            &before,
            shares.iter().sum::<usize>() * size_of::<W>(),
        )?;
        each(session, plan, &mut workers, |worker, party| worker.check(party))?;
        let passes = agree_passes(session, plan, &mut workers)?;
        session.barrier()?;
        let (usage, start) = (Usage::now(), Instant::now());
        each(session, plan, &mut workers, |worker, party| {
            (0..passes).try_for_each(|_| worker.pass(party))?;
            party.flush()
        })?;
        session.barrier()?;
        let seconds = start.elapsed().as_secs_f64();
        let words = shares.iter().sum::<usize>() as u64;
        let elements = words * W::LANES as u64;
        let usage = Usage::now().since(&usage);
        Ok(Measured { passes, elements, seconds, usage, bytes, ring_bits: W::BITS })
    }
}

/// Output words per worker.
fn split(words: usize, operation: Operation, workers: usize) -> Vec<usize> {
    let unit = match operation {
        Operation::Matrix { size } => size * size,
        _ => 1,
    };
    let units = words / unit;
    (0..workers).map(|w| (units * (w + 1) / workers - units * w / workers) * unit).collect()
}

/// Runs `work` on every worker, each in its thread.
fn each<P: Role, W: Word>(
    session: &mut Session,
    plan: &Plan,
    workers: &mut [Worker<'_, P, W>],
    work: impl Fn(&mut Worker<'_, P, W>, &mut Party<'_>) -> Result<(), SharingError> + Sync,
) -> Result<(), EvaluateError> {
    let run = |worker: &mut Worker<'_, P, W>, mesh: &mut Mesh| {
        let mut party = Party::new(mesh, plan.places)?;
        let result = work(worker, &mut party).and_then(|()| party.flush());
        result.inspect_err(|error| mesh.abort(&error.to_string()))
    };
    let mut pairs = workers.iter_mut().zip(session.meshes.iter_mut());
    let first = pairs.next();
    std::thread::scope(|scope| {
        let others: Vec<_> = pairs
            .map(|(worker, mesh)| {
                scope.spawn({
                    let run = &run;
                    move || run(worker, mesh)
                })
            })
            .collect();
        let mut result = first.map_or(Ok(()), |(worker, mesh)| run(worker, mesh));
        for thread in others {
            let other = thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
            result = result.and(other);
        }
        result
    })?;
    Ok(())
}

/// Compares one pass's traffic with the cost function.
fn check_meter<P: Role>(
    session: &Session,
    plan: &Plan,
    before: &tacit_net::Meter,
    bytes: usize,
) -> Result<Traffic, EvaluateError> {
    let expected = cost::product(plan.protocol) * bytes as u64;
    let after = session.meter();
    let sent = |meter: &tacit_net::Meter| meter.total(|_, _, _| true).bytes_sent;
    let (mine, predicted) =
        (sent(&after) - sent(before), (0..3).map(|to| expected.link(P::ROLE, to)).sum::<u64>());
    if mine == predicted {
        Ok(expected)
    } else {
        Err(EvaluateError::Job(format!(
            "a pass sent {mine} bytes, the cost function says {predicted}"
        )))
    }
}

/// Times warm-up passes; all parties settle on the same number of passes.
fn agree_passes<P: Role, W: Word>(
    session: &mut Session,
    plan: &Plan,
    workers: &mut [Worker<'_, P, W>],
) -> Result<u64, EvaluateError> {
    const WARM_UP: u32 = 3;
    session.barrier()?;
    let start = Instant::now();
    each(session, plan, workers, |worker, party| {
        (0..WARM_UP).try_for_each(|_| worker.pass(party))
    })?;
    session.barrier()?;
    let took = start.elapsed().as_nanos() as u64 / u64::from(WARM_UP);
    let all = session.publish(&took.to_le_bytes())?;
    let slowest = all
        .iter()
        .filter_map(|bytes| <[u8; 8]>::try_from(&bytes[..]).ok())
        .map(u64::from_le_bytes)
        .max()
        .unwrap_or(took);
    Ok((plan.duration.as_nanos() as u64 / slowest.max(1)).max(1))
}

/// The matrix shape of an operation.
fn square(size: usize) -> MatrixShape {
    MatrixShape { rows: size, inner: size, columns: size }
}
