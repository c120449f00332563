//! Values that the program checks to lie in ranges, under every protocol.
//!
//! One bit says whether some value left its range: a disjunction over all elements of all checks, in all iterations of
//! loops. It opens to everybody in an epoch of its own, after the [tests of inputs](super::ranges) and before anything
//! else. Where it is one the run ends, and nobody learns more than that.
//!
//! What is compared has the width that inference knows of. That suffices: up to the first value that leaves its range all
//! values are within those that were inferred, so the first one is always noticed. What is computed from it may be
//! anything, and is never opened.
//!
//! Comparisons of whole arrays are put off until there are many, or the program ends: those of a loop then take rounds
//! once, and not in each iteration. Those of rows are made with their chunk, as memory does not hold the rows after it.

use super::exec::{Backends, Context};
use super::layout::is_secret;
use super::prepare::{CompiledProgram, end_epoch};
use super::ranges::{either, joined};
use super::team::Team;
use crate::circuit::EvaluateError;
use std::sync::{Arc, PoisonError};
use tacit_backend::{Backend, Kind, Ring, Secret, Term};
use tacit_program::{Interval, Op, Program};
use tacit_sharing::verify::Verifier;
use tacit_sharing::{RoleId, SharingError};

type Result<T> = std::result::Result<T, SharingError>;

/// Values that are to be compared with the ends of a range.
pub(super) struct Checked {
    pub values: Arc<Secret>,
    /// Where they lie as long as no check failed.
    pub known: Interval,
    /// Where they have to lie.
    pub range: Interval,
}

/// What a run still has to compare, and what it found.
#[derive(Default)]
pub(super) struct Checks {
    pending: Vec<Checked>,
    /// Arrays of bits: one where a value left its range.
    violations: Vec<Secret>,
}

/// Values that wait to be compared, at most.
const MOST_PENDING: usize = 1 << 16;

/// Bits that wait to be put together, at most.
const MOST_VIOLATIONS: usize = 1 << 22;

/// Whether a program checks anything that is secret.
pub(super) fn has_any(program: &Program) -> bool {
    let checks = |node: &tacit_program::Node| {
        matches!(node.op, Op::Check(_)) && node.types.iter().any(is_secret)
    };
    program.body.any_node(&checks)
}

/// The bits that hold all distances from the ends of a range that a value may pass: what is below the least, and what is
/// above the greatest value of the range. A distance is negative where a value left the range.
pub(super) fn widths(known: Interval, range: Interval) -> [Option<u32>; 2] {
    let bits = |low: i128, high: i128| Interval { low, high }.signed_bits();
    let below = known.low < range.low;
    let above = known.high > range.high;
    [
        below.then(|| bits(known.low - range.low, known.high - range.low)),
        above.then(|| bits(range.high - known.high, range.high - known.low)),
    ]
}

/// For each of some values, or twice for each, a bit that is one if it left its range.
pub(super) fn compare(backend: &mut dyn Backend, checked: &[Checked]) -> Result<Vec<Secret>> {
    let mut words: Vec<(Ring, u32, Vec<Secret>)> = Vec::new();
    let mut violations = Vec::new();
    for (values, known, range) in alike(checked) {
        let [below, above] = widths(known, range);
        let (Some(ring), true) = (values.ring(), values.len > 0) else { continue };
        if matches!(ring, Ring::Bits(_)) {
            violations.extend(compare_bits(backend, values, range, [below, above])?);
            continue;
        }
        let distances = distances(backend, &values, range, [below, above])?;
        let bits = below.into_iter().chain(above).max().unwrap_or(1);
        match words.iter_mut().find(|(other, ..)| *other == ring) {
            Some((_, most, all)) => {
                *most = bits.max(*most);
                all.extend(distances);
            }
            None => words.push((ring, bits, distances)),
        }
    }
    for (_, bits, distances) in words.iter().filter(|(.., distances)| !distances.is_empty()) {
        let all = Term::Array(Arc::new(joined(&distances.iter().collect::<Vec<_>>())));
        violations.push(backend.less([&all, &Term::Constant(0)], *bits)?);
    }
    Ok(violations)
}

/// Values of one kind that are compared with the same ends, put together.
fn alike(checked: &[Checked]) -> Vec<(Arc<Secret>, Interval, Interval)> {
    let mut groups: Vec<(Kind, Interval, Interval, Vec<&Secret>)> = Vec::new();
    for Checked { values, known, range } in checked {
        let same = |group: &&mut (Kind, Interval, Interval, Vec<&Secret>)| {
            (group.0, group.1, group.2) == (values.kind, *known, *range)
        };
        match groups.iter_mut().find(same) {
            Some((.., all)) => all.push(values),
            None => groups.push((values.kind, *known, *range, vec![values])),
        }
    }
    let joined = |all: Vec<&Secret>| Arc::new(joined(&all));
    groups.into_iter().map(|(_, known, range, all)| (joined(all), known, range)).collect()
}

/// Distances of words from the ends that they may pass.
fn distances(
    backend: &mut dyn Backend,
    values: &Secret,
    range: Interval,
    [below, above]: [Option<u32>; 2],
) -> Result<Vec<Secret>> {
    let mut all = Vec::new();
    if below.is_some() {
        all.push(backend.plus(values, -range.low)?);
    }
    if above.is_some() {
        let negative = backend.times(values, -1)?;
        all.push(backend.plus(&negative, range.high)?);
    }
    Ok(all)
}

/// Numbers that are held as bits are compared with the ends themselves: a distance would be an addition.
fn compare_bits(
    backend: &mut dyn Backend,
    values: Arc<Secret>,
    range: Interval,
    [below, above]: [Option<u32>; 2],
) -> Result<Vec<Secret>> {
    let (values, mut all) = (Term::Array(values), Vec::new());
    if let Some(bits) = below {
        all.push(backend.less([&values, &Term::Constant(range.low)], bits)?);
    }
    if let Some(bits) = above {
        all.push(backend.less([&Term::Constant(range.high), &values], bits)?);
    }
    Ok(all)
}

/// One bit: whether one of them is one.
pub(super) fn any(backend: &mut dyn Backend, bits: &[Secret]) -> Result<Option<Secret>> {
    let bits: Vec<&Secret> = bits.iter().filter(|bits| bits.len > 0).collect();
    if bits.is_empty() {
        return Ok(None);
    }
    let mut all = joined(&bits);
    while all.len > 1 {
        let half = all.len.div_ceil(2);
        // Whole words, so that bits are cut without moving them.
        let half = if half > 64 { half.next_multiple_of(64) } else { half };
        let (start, end) = (all.slice(0..half), all.slice(half..all.len));
        all = either(backend, start, end)?;
    }
    Ok(Some(all))
}

impl Context<'_> {
    /// Keeps values of whole arrays that are to be compared, and compares all when there are many.
    pub fn keep_checked(&self, backends: Backends<'_, '_>, checked: Vec<Checked>) -> Result<()> {
        if checked.is_empty() {
            return Ok(());
        }
        let mut checks = self.checks.lock().unwrap_or_else(PoisonError::into_inner);
        checks.pending.extend(checked);
        let pending: usize = checks.pending.iter().map(|checked| checked.values.len).sum();
        if pending > MOST_PENDING { self.compare_all(backends, &mut checks) } else { Ok(()) }
    }

    /// Keeps what comparisons of rows found.
    pub fn keep_violations(
        &self,
        backends: Backends<'_, '_>,
        violations: Vec<Secret>,
    ) -> Result<()> {
        let mut checks = self.checks.lock().unwrap_or_else(PoisonError::into_inner);
        checks.violations.extend(violations);
        self.shorten(backends, &mut checks)
    }

    fn compare_all(&self, backends: Backends<'_, '_>, checks: &mut Checks) -> Result<()> {
        let pending = std::mem::take(&mut checks.pending);
        let violations = compare(&mut Team::new(backends, self), &pending)?;
        checks.violations.extend(violations);
        self.shorten(backends, checks)
    }

    /// Puts bits together when there are many.
    fn shorten(&self, backends: Backends<'_, '_>, checks: &mut Checks) -> Result<()> {
        if checks.violations.iter().map(|bits| bits.len).sum::<usize>() > MOST_VIOLATIONS {
            let any = any(&mut Team::new(backends, self), &checks.violations)?;
            checks.violations = any.into_iter().collect();
        }
        Ok(())
    }

    /// Compares what is left. One bit, if there were checks: whether some value left its range.
    pub fn violated(&self, backends: Backends<'_, '_>) -> Result<Option<Secret>> {
        let mut checks = self.checks.lock().unwrap_or_else(PoisonError::into_inner);
        self.compare_all(backends, &mut checks)?;
        let violations = std::mem::take(&mut checks.violations);
        any(&mut Team::new(backends, self), &violations)
    }
}

/// Opens whether some value left its range, and ends the run if one did: before any result opens. Tests of inputs have
/// passed.
pub(super) fn open(
    prepared: &CompiledProgram,
    backends: Backends<'_, '_>,
    violated: Option<&Secret>,
    verifier: Option<&mut Verifier>,
) -> std::result::Result<(), EvaluateError> {
    let Some(violated) = violated else { return Ok(()) };
    let everybody: Vec<RoleId> = (0..prepared.job().places.len()).collect();
    let opened = backends[0].open(violated, &everybody)?;
    // That all opened the same is compared first.
    end_epoch(backends, verifier)?;
    match opened.is_some_and(|bits| bits.iter().any(|bit| *bit != 0)) {
        true => Err(EvaluateError::Check(None)),
        false => Ok(()),
    }
}
