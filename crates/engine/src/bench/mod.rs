//! Measuring protocols on arrays: products, inner products, matrix products over any ring.
//!
//! Every party runs [`run`] over an open session. Inputs are shared by the protocol itself, the
//! result of the first pass is opened and checked, then passes are repeated for the wanted time.

mod usage;
mod worker;

pub use usage::Usage;

use crate::circuit::EvaluateError;
use crate::workers::on_each;
use std::time::{Duration, Instant};
use tacit_net::{Meter, PartyId, Session};
use tacit_ring::{Entropy, Word, Z2};
use tacit_sharing::arrays::{Cut, MatrixShape};
use tacit_sharing::cost::{self, Traffic};
use tacit_sharing::setup::Secrets;
use tacit_sharing::verify::{Pass, Verifier};
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
    pub places: Vec<PartyId>,
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

/// Bytes of one factor's shares at a party, at most.
const MAX_FACTOR_BYTES: usize = 4 << 30;

impl Plan {
    /// Refuses rings that are not measured, and factors that no machine should have to hold.
    ///
    /// # Errors
    /// Says what to choose instead.
    pub fn check(&self) -> Result<(), EvaluateError> {
        if ![1, 8, 16, 32, 64, 128].contains(&self.ring_bits) {
            return Err(EvaluateError::Job(format!(
                "rings of {}-bit words are not measured: choose 1, 8, 16, 32, 64 or 128",
                self.ring_bits
            )));
        }
        let unit = match self.operation {
            Operation::Product => 1,
            Operation::Dot { length } => length,
            Operation::Matrix { size } => size.saturating_mul(size),
        };
        // Matrices are rounded up to whole ones.
        let words = self.elements.max(1).checked_next_multiple_of(match self.operation {
            Operation::Matrix { .. } => unit.max(1),
            _ => 1,
        });
        let terms = if matches!(self.operation, Operation::Dot { .. }) { unit } else { 1 };
        let bits = self.protocol.components() * self.ring_bits as usize;
        let bits = words.and_then(|words| words.checked_mul(terms)?.checked_mul(bits));
        if bits.is_some_and(|bits| bits / 8 <= MAX_FACTOR_BYTES) {
            return Ok(());
        }
        Err(EvaluateError::Job(format!(
            "{} results of {:?} in a ring of {} bits need more than {} GiB for a factor: ask for \
             fewer or smaller ones",
            self.elements,
            self.operation,
            self.ring_bits,
            MAX_FACTOR_BYTES >> 30
        )))
    }

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
            ("roles", format!("{:?}", self.places.iter().map(|p| p.0).collect::<Vec<_>>())),
            ("ring", self.ring_bits.to_string()),
            ("operation", format!("{:?}", self.operation)),
            ("elements", self.elements.to_string()),
            ("threads", threads.to_string()),
            ("cut", format!("{:?}", self.cut)),
            ("duration", format!("{:?}", self.duration)),
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
    /// Seconds of agreement and keys.
    pub setup_seconds: f64,
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
    let result = plan.check().and_then(|()| match plan.ring_bits {
        1 => run_in::<Z2>(session, plan),
        8 => run_in::<u8>(session, plan),
        16 => run_in::<u16>(session, plan),
        32 => run_in::<u32>(session, plan),
        64 => run_in::<u64>(session, plan),
        _ => run_in::<u128>(session, plan),
    });
    if let Err(error) = &result {
        session.abort(&error.to_string());
    }
    result
}

fn run_in<W: Word>(session: &mut Session, plan: &Plan) -> Result<Measured, EvaluateError> {
    let started = Instant::now();
    let threads = session.meshes.len();
    session.agree(&plan.facts(threads))?;
    let mut entropy = Entropy::system();
    let mine = entropy.seed().map_err(SharingError::from)?;
    let id = session.publish(mine.expose())?.concat();
    let me = session.me();
    let role = plan
        .places
        .iter()
        .position(|p| *p == me)
        .ok_or_else(|| EvaluateError::Job(format!("party {} plays no role", me.0)))?;
    let mesh = &mut session.meshes[0];
    let mut secrets = Secrets::exchange(mesh, &id, plan.protocol, &plan.places, &mut entropy)?;
    let mut keys = secrets.keys("bench", W::BITS, threads);
    let setup_seconds = started.elapsed().as_secs_f64();
    let word = std::marker::PhantomData;
    let checks = Verifier::new(plan.protocol, &plan.places, id, secrets.take_pairs());
    let run = Run { session, plan, checks };
    let measured = plan.protocol.visit(role, Measure::<W> { run, keys: &mut keys, word })?;
    Ok(Measured { setup_seconds, ..measured })
}

struct Measure<'a, W> {
    run: Run<'a>,
    keys: &'a mut [tacit_sharing::party::Keys],
    word: std::marker::PhantomData<W>,
}

impl<W: Word> RoleVisitor for Measure<'_, W> {
    type Out = Result<Measured, EvaluateError>;

    fn visit<P: Role>(self) -> Self::Out {
        let Measure { mut run, keys, .. } = self;
        let plan = run.plan;
        let shares = split(plan.words(), plan.operation, keys.len());
        let mut workers: Vec<Worker<'_, P, W>> = keys
            .iter_mut()
            .zip(&shares)
            .map(|(keys, words)| Worker::new(keys.streams(), plan, *words))
            .collect();
        run.each(&mut workers, |worker, party| worker.prepare(party))?;
        let before = run.session.meter();
        let pass = run.each(&mut workers, |worker, party| worker.pass(party))?;
        let words = shares.iter().sum::<usize>();
        let bytes = run.check_meter::<P>(&before, words * size_of::<W>())?;
        run.each(&mut workers, |worker, party| worker.check(party, &pass))?;
        let passes = run.agree_passes(&mut workers)?;
        run.session.barrier()?;
        let (usage, start) = (Usage::now(), Instant::now());
        run.each(&mut workers, |worker, party| {
            (0..passes).try_for_each(|_| worker.pass(party))?;
            party.flush()
        })?;
        run.session.barrier()?;
        let seconds = start.elapsed().as_secs_f64();
        let elements = (words * W::LANES) as u64;
        let usage = Usage::now().since(&usage);
        let setup_seconds = 0.0;
        Ok(Measured { passes, elements, setup_seconds, seconds, usage, bytes, ring_bits: W::BITS })
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

/// One measurement under way.
struct Run<'a> {
    session: &'a mut Session,
    plan: &'a Plan,
    checks: Verifier,
}

impl Run<'_> {
    /// Runs `work` on every worker, each in its thread; then all parties compare what they did.
    fn each<P: Role, W: Word>(
        &mut self,
        workers: &mut [Worker<'_, P, W>],
        work: impl Fn(&mut Worker<'_, P, W>, &mut Party<'_>) -> Result<(), SharingError> + Sync,
    ) -> Result<Pass, EvaluateError> {
        let places = &self.plan.places;
        let journals = on_each(&mut self.session.meshes, workers, |mesh, worker| {
            let mut party = Party::new(mesh, places)?;
            work(worker, &mut party)?;
            party.flush()?;
            Ok(party.take_journal())
        })?;
        Ok(self.checks.end_epoch(&mut self.session.meshes[0], journals)?)
    }

    /// Compares one pass's traffic with the cost function.
    fn check_meter<P: Role>(&self, before: &Meter, bytes: usize) -> Result<Traffic, EvaluateError> {
        let protocol = self.plan.protocol;
        let expected = cost::product(protocol) * bytes as u64;
        let sent = |meter: &Meter| meter.total(|_, _, _| true).bytes_sent;
        let mine = sent(&self.session.meter()) - sent(before);
        let with_checks = expected + cost::checks(protocol);
        let predicted: u64 = (0..protocol.parties()).map(|to| with_checks.link(P::ROLE, to)).sum();
        if mine == predicted {
            return Ok(expected);
        }
        Err(EvaluateError::Bug(format!(
            "a pass sent {mine} bytes, the cost function says {predicted}"
        )))
    }

    /// Times warm-up passes; all parties settle on the same number of passes.
    fn agree_passes<P: Role, W: Word>(
        &mut self,
        workers: &mut [Worker<'_, P, W>],
    ) -> Result<u64, EvaluateError> {
        const WARM_UP: u32 = 3;
        self.session.barrier()?;
        let start = Instant::now();
        self.each(workers, |worker, party| (0..WARM_UP).try_for_each(|_| worker.pass(party)))?;
        self.session.barrier()?;
        let took = start.elapsed().as_nanos() as u64 / u64::from(WARM_UP);
        let all = self.session.publish(&took.to_le_bytes())?;
        let slowest = all
            .iter()
            .filter_map(|bytes| <[u8; 8]>::try_from(&bytes[..]).ok())
            .map(u64::from_le_bytes)
            .max()
            .unwrap_or(took);
        Ok((self.plan.duration.as_nanos() as u64 / slowest.max(1)).max(1))
    }
}

/// The matrix shape of an operation.
fn square(size: usize) -> MatrixShape {
    MatrixShape { rows: size, inner: size, columns: size }
}
