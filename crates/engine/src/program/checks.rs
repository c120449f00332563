//! Values that the program checks to lie in ranges, under every protocol.
//!
//! One bit says whether some value left its range: a disjunction over all elements of all checks, in all iterations of
//! loops. It opens to everybody in an epoch of its own, after the [tests of inputs](super::ranges) and before any
//! result. Where it is one the run ends, and nobody learns more than that.
//!
//! What is compared has the width that inference knows of. That suffices: up to the first value that leaves its range all
//! values are within those that were inferred, so the first one is always noticed. What is computed from it may be
//! anything, and is never opened.
//!
//! Comparisons of whole arrays are put off until there are many, or the program ends: those of a loop then take rounds
//! once, and not in each iteration. Those of rows are made with their chunk, as memory does not hold the rows after it.

use super::layout::is_secret;
use std::sync::Arc;
use tacit_backend::{Backend, Kind, LINE_OF_CHECKS, Ring, Secret, Term};
use tacit_program::{Interval, Op, Program};
use tacit_sharing::SharingError;

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
    backend.at_line(LINE_OF_CHECKS);
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

/// Arrays of one kind one after the other.
pub(super) fn joined(parts: &[&Secret]) -> Secret {
    let mut all = parts[0].zeros_like(parts.iter().map(|part| part.len).sum());
    let mut at = 0;
    for part in parts {
        all.copy_in(at, part);
        at += part.len;
    }
    all
}

/// Bits of which each is one if one of the bits in its place is, in either array.
pub(super) fn either(backend: &mut dyn Backend, a: Secret, b: Secret) -> Result<Secret> {
    let (mut long, short) = if a.len < b.len { (b, a) } else { (a, b) };
    let start = long.slice(0..short.len);
    let both = backend.multiply(&start, &short, [1, 1])?;
    long.copy_in(0, &start.xor(&short).xor(&both));
    Ok(long)
}

impl Checks {
    /// Keeps values of whole arrays that are to be compared, and compares all when there are many.
    pub fn keep(&mut self, backend: &mut dyn Backend, checked: Vec<Checked>) -> Result<()> {
        self.pending.extend(checked);
        let pending: usize = self.pending.iter().map(|checked| checked.values.len).sum();
        if pending > MOST_PENDING { self.compare_all(backend) } else { Ok(()) }
    }

    /// Keeps what comparisons of rows found.
    pub fn found(&mut self, backend: &mut dyn Backend, violations: Vec<Secret>) -> Result<()> {
        self.violations.extend(violations);
        self.shorten(backend)
    }

    /// Compares what is left. One bit, if there were checks: whether some value left its range.
    pub fn violated(&mut self, backend: &mut dyn Backend) -> Result<Option<Secret>> {
        self.compare_all(backend)?;
        any(backend, &std::mem::take(&mut self.violations))
    }

    fn compare_all(&mut self, backend: &mut dyn Backend) -> Result<()> {
        let violations = compare(backend, &std::mem::take(&mut self.pending))?;
        self.found(backend, violations)
    }

    /// Puts bits together when there are many.
    fn shorten(&mut self, backend: &mut dyn Backend) -> Result<()> {
        if self.violations.iter().map(|bits| bits.len).sum::<usize>() > MOST_VIOLATIONS {
            self.violations = any(backend, &self.violations)?.into_iter().collect();
        }
        Ok(())
    }
}
