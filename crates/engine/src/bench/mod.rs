//! Measuring protocols on arrays: products, inner products, matrix products over any ring.
//!
//! Every party runs [`run`] over an open session. Inputs are shared by the protocol itself, the
//! result of the first pass is opened and checked, then passes are repeated for the wanted time.

mod masked;
mod usage;
mod worker;

pub use usage::Usage;

use crate::circuit::{Assignment, EvaluateError, assignment, cut};
use crate::options::silent_fact;
use crate::setup::{SetUp, fresh_id};
use crate::workers::on_each;
use std::time::{Duration, Instant};
use tacit_backend::cost::{self, Traffic};
use tacit_net::{Mesh, Meter, PartyId, Session};
use tacit_proof::Bill;
use tacit_ring::{Entropy, Word, Z2};
use tacit_sharing::arrays::{self, Cut, MatrixShape};
use tacit_sharing::balance::Balance;
use tacit_sharing::party::{ProductCheck, Streams};
use tacit_sharing::verify::{Journal, Pass, Verifier};
use tacit_sharing::{Party, Protocol, Role, RoleVisitor, SharingError};
use worker::{Work, Worker};

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

impl Operation {
    /// Products per output element.
    fn terms(self) -> usize {
        match self {
            Operation::Product => 1,
            Operation::Dot { length } => length,
            Operation::Matrix { size } => size,
        }
    }
}

/// A measurement that all parties agree on.
#[derive(Clone, Debug)]
pub struct Plan {
    /// Who plays which role of which protocol: one assignment, or several side by side. Not all
    /// parties need a role in each.
    pub assignments: Vec<Assignment>,
    /// Threads per assignment.
    pub threads: usize,
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
        assignment::check(&self.assignments)?;
        if self.threads == 0 {
            return Err(EvaluateError::Job("a measurement needs at least one thread".into()));
        }
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
        let mut balanced = self.assignments.iter().map(|assignment| !assignment.balance.is_none());
        if self.operation != Operation::Product && balanced.any(|balanced| balanced) {
            return Err(EvaluateError::Job(
                "not supported: of arrays only `and` and `mul` are measured with balanced products"
                    .into(),
            ));
        }
        if let Some(own) = self.assignments.iter().find(|it| it.protocol.own_roles().is_some()) {
            return Err(EvaluateError::Job(format!(
                "not supported for protocols of one's own: measuring arrays, under {}; measure runs of programs and circuits",
                own.protocol
            )));
        }
        let bits_only = self.ring_bits == 1 && self.operation == Operation::Product;
        if self.protocol().garbles() {
            let protocol = self.protocol();
            return Err(EvaluateError::Job(format!(
                "not supported: {protocol} is measured on circuits"
            )));
        }
        if !self.protocol().has_roles() && !bits_only {
            let protocol = self.protocol();
            return Err(EvaluateError::Job(format!(
                "{protocol} computes on bits alone: only `and` is measured"
            )));
        }
        let bits = self.protocol().components() * self.ring_bits as usize;
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

    /// The protocol, of the first assignment if there are several.
    ///
    /// # Panics
    /// When there is no assignment.
    #[must_use]
    pub fn protocol(&self) -> Protocol {
        self.assignments[0].protocol
    }

    /// Output words per worker, those of the first assignment first.
    fn shares(&self) -> Vec<usize> {
        let unit = match self.operation {
            Operation::Matrix { size } => size * size,
            _ => 1,
        };
        let weights = self.assignments.iter();
        let weights = weights.flat_map(|a| std::iter::repeat_n(u64::from(a.weight), self.threads));
        let ends = cut(self.words() / unit, weights);
        let starts = std::iter::once(0).chain(ends.iter().copied());
        ends.iter().zip(starts).map(|(end, start)| (end - start) * unit).collect()
    }

    fn facts(&self) -> Vec<(&'static str, String)> {
        let assignments: Vec<String> = self.assignments.iter().map(Assignment::to_string).collect();
        let mut facts = vec![
            ("tacit version", env!("CARGO_PKG_VERSION").to_string()),
            ("roles", assignments.join("; ")),
            ("ring", self.ring_bits.to_string()),
            ("operation", format!("{:?}", self.operation)),
            ("elements", self.elements.to_string()),
            ("threads", self.threads.to_string()),
            ("cut", format!("{:?}", self.cut)),
            ("duration", format!("{:?}", self.duration)),
        ];
        facts.extend(silent_fact(self.protocol()));
        facts
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
    /// The same by the session's clock, which is virtual on the memory transport.
    pub session_seconds: f64,
    /// CPU time and memory of this process, CPU time within the measured passes.
    pub usage: Usage,
    /// Bytes between parties of one pass, by the cost functions; the meter was checked to agree.
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
        64 => run_in::<u64>(session, plan),
        // Builds that are compiled often and run little have no others.
        #[cfg(not(debug_assertions))]
        8 => run_in::<u8>(session, plan),
        #[cfg(not(debug_assertions))]
        16 => run_in::<u16>(session, plan),
        #[cfg(not(debug_assertions))]
        32 => run_in::<u32>(session, plan),
        #[cfg(not(debug_assertions))]
        128 => run_in::<u128>(session, plan),
        other => Err(EvaluateError::Job(format!(
            "this build does not measure rings of {other} bits: build it with --release"
        ))),
    });
    if let Err(error) = &result {
        session.abort(error.abort_kind(), &error.to_string());
    }
    result
}

fn run_in<W: Word>(session: &mut Session, plan: &Plan) -> Result<Measured, EvaluateError> {
    let started = Instant::now();
    session.agree(&plan.facts())?;
    let mut entropy = Entropy::system();
    let id = fresh_id(session, &mut entropy)?;
    let (assignments, threads) = (&plan.assignments, plan.threads);
    if !plan.protocol().has_roles() {
        return masked::run(session, plan, &id, &mut entropy, started);
    }
    let secrets = SetUp::exchange(session, assignments, threads, &id, &mut entropy)?;
    let mut set_up = SetUp::new(secrets, assignments, threads, id)?;
    let mut keys = set_up.keys("bench", W::BITS);
    let setup_seconds = started.elapsed().as_secs_f64();
    let shares = plan.shares();
    let mut workers: Vec<Seat<'_>> = Vec::new();
    for (index, (keys, words)) in keys.iter_mut().zip(&shares).enumerate() {
        let Assignment { protocol, places, balance, .. } = &assignments[index / threads];
        let role = places.iter().position(|party| *party == session.me());
        let mut proofs = None;
        let work = role.zip(keys.as_mut()).map(|(role, keys)| {
            proofs = tacit_proof::check_of(keys);
            let (word, streams) = (std::marker::PhantomData, keys.streams());
            tacit_backend::visit::visit(
                *protocol,
                role,
                NewWorker::<W> { streams, plan, balance, words: *words, word },
            )
        });
        workers.push(Seat { work, places, proofs });
    }
    let mut run = Run { session, plan, checks: set_up.checks };
    let measured = run.measure::<W>(&mut workers, &shares)?;
    Ok(Measured { setup_seconds, ..measured })
}

/// A worker, if this party plays a role there.
struct Seat<'a> {
    work: Option<Box<dyn Work + 'a>>,
    places: &'a [PartyId],
    proofs: Option<Box<dyn ProductCheck>>,
}

struct NewWorker<'a, W> {
    streams: Streams<'a>,
    plan: &'a Plan,
    balance: &'a Balance,
    words: usize,
    word: std::marker::PhantomData<W>,
}

impl<'a, W: Word> RoleVisitor for NewWorker<'a, W> {
    type Out = Box<dyn Work + 'a>;

    fn visit<P: Role>(self) -> Self::Out {
        Box::new(Worker::<P, W>::new(self.streams, (self.plan, self.balance), self.words))
    }
}

/// Passes that are timed to settle on a number of passes.
const WARM_UP: u32 = 3;

/// One measurement under way.
struct Run<'a> {
    session: &'a mut Session,
    plan: &'a Plan,
    checks: Verifier,
}

impl Run<'_> {
    fn measure<W: Word>(
        &mut self,
        workers: &mut [Seat<'_>],
        shares: &[usize],
    ) -> Result<Measured, EvaluateError> {
        self.each(workers, |work, party| work.prepare(party))?;
        let before = self.session.meter();
        let pass = self.each(workers, |work, party| work.pass(party))?;
        let bytes = self.check_meter::<W>(&before, shares)?;
        self.each(workers, |work, party| work.check(party, &pass))?;
        let passes = self.agree_passes(workers)?;
        self.session.barrier()?;
        let (usage, start, began) = (Usage::now(), Instant::now(), self.clock());
        self.each(workers, |work, party| (0..passes).try_for_each(|_| work.pass(party)))?;
        self.session.barrier()?;
        let seconds = start.elapsed().as_secs_f64();
        let session_seconds = self.clock().saturating_sub(began).as_secs_f64();
        let bytes = bytes + self.transfers(shares, 1 + WARM_UP as usize, passes as usize);
        let elements = (shares.iter().sum::<usize>() * W::LANES) as u64;
        let usage = Usage::now().since(&usage);
        let setup_seconds = 0.0;
        Ok(Measured {
            passes,
            elements,
            setup_seconds,
            seconds,
            session_seconds,
            usage,
            bytes,
            ring_bits: W::BITS,
        })
    }

    /// The session's clock: that of its latest mesh.
    fn clock(&self) -> Duration {
        self.session.meshes.iter().map(Mesh::now).max().unwrap_or_default()
    }

    /// Runs `work` on every worker, each in its thread; then all parties compare what they did.
    fn each(
        &mut self,
        workers: &mut [Seat<'_>],
        work: impl Fn(&mut dyn Work, &mut Party<'_>) -> Result<(), SharingError> + Sync,
    ) -> Result<Pass, EvaluateError> {
        let journals = on_each(&mut self.session.meshes, workers, |mesh, seat| {
            let Some(worker) = &mut seat.work else { return Ok(Journal::default()) };
            let mut party = Party::new(mesh, seat.places)?.proving(seat.proofs.take());
            work(&mut **worker, &mut party)?;
            party.flush()?;
            let journal = party.take_journal()?;
            seat.proofs = party.take_check();
            Ok(journal)
        })?;
        Ok(self.checks.end_epoch(&mut self.session.meshes[0], journals)?)
    }

    /// What silent transfers take in a pass of the so many that follow on others, on average.
    fn transfers(&self, shares: &[usize], before: usize, passes: usize) -> Traffic {
        let protocol = self.plan.protocol();
        let all = shares
            .iter()
            .map(|words| cost::transfers(protocol, before * words..(before + passes) * words));
        let sum = all.fold(Traffic::default(), |sum, more| sum + more);
        sum.placed(&self.plan.assignments[0].places) / passes.max(1) as u64
    }

    /// Compares the first pass's traffic with the cost function. Gives that of every pass, but for silent
    /// transfers.
    fn check_meter<W: Word>(
        &self,
        before: &Meter,
        shares: &[usize],
    ) -> Result<Traffic, EvaluateError> {
        let mut expected = Traffic::default();
        let first = self.transfers(shares, 0, 1);
        for (assignment, words) in
            self.plan.assignments.iter().zip(shares.chunks(self.plan.threads))
        {
            let terms = self.plan.operation.terms();
            for words in words {
                let sent = match assignment.balance.is_none() {
                    true => cost::results(assignment.protocol, W::BITS, *words, terms),
                    false => balanced::<W>(self.plan.cut, &assignment.balance, *words),
                };
                let mut bill = Bill::of(assignment.protocol);
                bill.announce(W::BITS, words * terms);
                match self.plan.operation {
                    Operation::Matrix { size } => {
                        let products = words.checked_div(size * size).unwrap_or(0);
                        (0..products).for_each(|_| bill.add_matrix(W::BITS, square(size)));
                    }
                    _ => bill.add(W::BITS, *words, terms),
                }
                bill.finish();
                expected += (sent + cost::proofs(&bill)).placed(&assignment.places);
            }
        }
        let sent = |meter: &Meter| meter.total(|_, _, _| true).bytes_sent;
        let mine = sent(&self.session.meter()) - sent(before);
        let with_checks = expected.clone() + first + cost::checks(self.plan.protocol());
        let me = self.session.me().index();
        let predicted: u64 = (0..cost::MAX_ROLES).map(|to| with_checks.link(me, to)).sum();
        if mine == predicted {
            return Ok(expected);
        }
        Err(EvaluateError::Bug(format!(
            "a pass sent {mine} bytes, the cost function says {predicted}"
        )))
    }

    /// Times warm-up passes; all parties settle on the same number of passes.
    fn agree_passes(&mut self, workers: &mut [Seat<'_>]) -> Result<u64, EvaluateError> {
        self.session.barrier()?;
        let start = Instant::now();
        self.each(workers, |work, party| (0..WARM_UP).try_for_each(|_| work.pass(party)))?;
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

/// Bytes of products that are made in several ways.
fn balanced<W: Word>(cut: Cut, balance: &Balance, words: usize) -> Traffic {
    let runs = arrays::words_in_ways((cut, balance), words);
    runs.fold(Traffic::default(), |sum, (way, words)| {
        sum + cost::product_in(way) * (words * size_of::<W>()) as u64
    })
}

/// The matrix shape of an operation.
fn square(size: usize) -> MatrixShape {
    MatrixShape { rows: size, inner: size, columns: size }
}
