//! Takes the rows of a stream through its operations, on every worker.

use super::checks::{self, Checked};
use super::context::{Backends, Context, Value};
use super::frame::{Frame, at};
use super::layout::{Place, Stream};
use super::operand::Cache;
use super::ranges::Test;
use super::seats::Seat;
use super::team::Team;
use crate::circuit::{EvaluateError, cut};
use crate::workers::on_each;
use std::collections::{BTreeMap, HashMap};
use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;
use tacit_backend::cost::Rounds;
use tacit_backend::{ALL_LINES, Backend, Secret};
use tacit_program::{Block, NodeId, ValueId};

/// What one worker makes of its chunks: sums by node, kept rows by value, and what tests of inputs said.
#[derive(Default)]
struct Part {
    sums: HashMap<NodeId, Secret>,
    rows: HashMap<ValueId, Vec<Secret>>,
    /// Tests of inputs over all chunks together, place by place.
    tests: BTreeMap<NodeId, Secret>,
    /// What the program checks, over all chunks together, place by place.
    violations: Option<Secret>,
}

/// Takes all rows of a stream through its nodes, in chunks, on all workers.
pub(super) fn run_stream(
    context: &Context<'_>,
    backends: Backends<'_, '_>,
    frame: &mut Frame<'_>,
    stream: &Stream,
) -> Result<(), EvaluateError> {
    // A program that is garbled is drawn by one, however many threads garble it.
    let weights = &context.weights[..backends.len()];
    let shares = split(stream.rows, [context.chunk, context.unit()], weights);
    let before = context.rounds_of(backends);
    let start = backends[0].now();
    let ends = backends.iter_mut().map(|backend| &mut **backend);
    let parts = {
        let frame = &*frame;
        on_each(ends, shares.into_iter().zip(&context.seats), |backend, (chunks, seat)| {
            backend.begin_at(start);
            let part = run_chunks(context, (backend, *seat), frame, stream, chunks)?;
            Ok((part.back(*seat), backend.now()))
        })
    }?;
    let (mut parts, ends): (Vec<Part>, Vec<Duration>) = parts.into_iter().unzip();
    backends[0].begin_at(ends.into_iter().max().unwrap_or(start));
    let made = context.rounds_of(backends).into_iter().zip(before);
    let made: Vec<Rounds> = made
        .map(|(after, before)| std::array::from_fn(|role| after[role] - before[role]))
        .collect();
    context.beside.stream(&made);
    let tests = parts.iter_mut().flat_map(|part| std::mem::take(&mut part.tests));
    context.keep_tests(tests.map(|(input, beyond)| Test { input, beyond }));
    let violations = parts.iter_mut().filter_map(|part| part.violations.take()).collect();
    context.checks().found(&mut Team::new(backends, context), violations)?;
    merge(backends, frame, stream, parts)
}

impl Part {
    /// Compares values of a chunk with the ranges that the program checks.
    fn check(
        &mut self,
        backend: &mut (dyn Backend + Send),
        checked: &[Checked],
    ) -> Result<(), EvaluateError> {
        for found in checks::compare(backend, checked)? {
            let all = match self.violations.take() {
                Some(others) => checks::either(backend, others, found)?,
                None => found,
            };
            self.violations = Some(all);
        }
        Ok(())
    }

    /// Converts everything to shares of the first assignment's roles.
    fn back(self, seat: Seat<'_>) -> Self {
        let sums = self.sums.into_iter().map(|(id, sum)| (id, seat.back(sum)));
        let rows = self.rows.into_iter().map(|(value, rows)| (value, seat.back(rows)));
        let tests = self.tests.into_iter().map(|(input, beyond)| (input, seat.back(beyond)));
        let violations = self.violations.map(|violations| seat.back(violations));
        Part { sums: sums.collect(), rows: rows.collect(), tests: tests.collect(), violations }
    }
}

/// The chunks of each worker: so many units of rows each, in proportion to weights. There is one even if
/// there are no rows.
fn split(rows: usize, sizes: [usize; 2], weights: &[u64]) -> Vec<Vec<Range<usize>>> {
    // Whole words of bits, so that rows of bits are cut without moving them.
    let [chunk, unit] = sizes.map(|size| size.min(rows).max(1).next_multiple_of(64));
    let ends = cut(rows.div_ceil(unit).max(1), weights.iter().copied());
    let starts = std::iter::once(0).chain(ends.clone());
    let rows_of = |(start, end): (usize, usize)| {
        let (from, to) = (start * unit, (end * unit).min(rows));
        let none = (from == to && start < end).then_some(from..to);
        let some = (from..to).step_by(chunk).map(|from| from..(from + chunk).min(to));
        none.into_iter().chain(some).collect()
    };
    starts.zip(ends).map(rows_of).collect()
}

fn run_chunks(
    context: &Context<'_>,
    (backend, seat): (&mut (dyn Backend + Send), Seat<'_>),
    frame: &Frame<'_>,
    stream: &Stream,
    chunks: Vec<Range<usize>>,
) -> Result<Part, EvaluateError> {
    let mut part = Part::default();
    for rows in chunks {
        let mut cache = Cache::default();
        let mut local: HashMap<ValueId, Arc<Secret>> = HashMap::new();
        let last = last_in(frame.block, stream);
        for (position, id) in stream.nodes.iter().enumerate() {
            let node = &frame.block.nodes[*id as usize];
            let reduce = frame.layout.places[*id as usize] == Place::Reduce;
            let ty = if reduce { frame.block.type_of(node.operands[0]) } else { &node.types[0] };
            let extent = &ty.shape[0];
            backend.at_line(node.span.line);
            let mut task = context.task(
                frame,
                *id,
                (&mut *backend, seat),
                &mut cache,
                &local,
                Some((extent, rows.clone())),
            )?;
            if reduce {
                let sum = task.partial().map_err(|error| at(node, error))?;
                let sum = match part.sums.get(id) {
                    Some(total) => backend.sum(total, &sum, false)?,
                    None => sum,
                };
                part.sums.insert(*id, sum);
            } else {
                let results = task.run().map_err(|error| at(node, error))?;
                for (index, secret) in (0..).zip(results) {
                    local.insert(ValueId { node: *id, index }, Arc::new(secret));
                }
            }
            local.retain(|value, _| last.get(value).is_some_and(|last| *last > position));
        }
        backend.at_line(ALL_LINES);
        for Test { input, beyond } in cache.take_tests() {
            let beyond = match part.tests.remove(&input) {
                Some(others) => checks::either(backend, others, beyond)?,
                None => beyond,
            };
            part.tests.insert(input, beyond);
        }
        part.check(backend, &cache.take_checked())?;
        for value in &stream.kept {
            let rows = local.get(value).map(|secret| secret.slice(0..secret.len));
            part.rows.entry(*value).or_default().extend(rows);
        }
        (context.progress)(rows.len() as u64);
    }
    // This worker waits for the others next, or is done: peers need its last messages.
    backend.flush()?;
    Ok(part)
}

/// For each value of a stream the last place of it that reads the value; beyond the end if it is
/// kept.
fn last_in(block: &Block, stream: &Stream) -> HashMap<ValueId, usize> {
    let mut last = HashMap::new();
    for (position, id) in stream.nodes.iter().enumerate() {
        for operand in &block.nodes[*id as usize].operands {
            last.insert(*operand, position);
        }
    }
    last.extend(stream.kept.iter().map(|value| (*value, usize::MAX)));
    last
}

/// Adds up the workers' sums, and puts their rows one after the other.
fn merge(
    backends: Backends<'_, '_>,
    frame: &mut Frame<'_>,
    stream: &Stream,
    mut parts: Vec<Part>,
) -> Result<(), EvaluateError> {
    for id in &stream.nodes {
        let node = &frame.block.nodes[*id as usize];
        if frame.layout.places[*id as usize] != Place::Reduce {
            frame.values[*id as usize] = Vec::new();
            continue;
        }
        let mut sums = parts.iter_mut().filter_map(|part| part.sums.remove(id));
        backends.iter_mut().for_each(|backend| backend.at_line(node.span.line));
        let Some(mut total) = sums.next() else {
            return Err(EvaluateError::Bug("a sum without parts".into()));
        };
        for sum in sums {
            total = backends[0].sum(&total, &sum, false)?;
        }
        let total = super::ops::finish(&mut *backends[0], frame.block, node, total);
        let total = total.map_err(|error| at(node, error))?;
        frame.values[*id as usize] = vec![Value::Secret(Arc::new(total))];
    }
    for value in &stream.kept {
        let pieces: Vec<Secret> =
            parts.iter_mut().filter_map(|part| part.rows.remove(value)).flatten().collect();
        let length = pieces.iter().map(|piece| piece.len).sum();
        let Some(first) = pieces.first() else { continue };
        let mut whole = first.zeros_like(length);
        let mut start = 0;
        for piece in &pieces {
            whole.copy_in(start, piece);
            start += piece.len;
        }
        let slots = &mut frame.values[value.node as usize];
        while slots.len() <= value.index as usize {
            slots.push(Value::Clear(None));
        }
        slots[value.index as usize] = Value::Secret(Arc::new(whole));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chunks_are_shared_out_however_large_they_are_asked_for() {
        let ends = |rows, chunk, workers| -> Vec<Vec<usize>> {
            let shares = split(rows, [chunk; 2], &vec![1; workers]).into_iter();
            shares.map(|chunks| chunks.iter().map(|rows| rows.end).collect()).collect()
        };
        assert_eq!(ends(130, 1, 2), [vec![64], vec![128, 130]]);
        assert_eq!(ends(130, usize::MAX, 2), [vec![], vec![130]]);
        assert_eq!(ends(0, usize::MAX, 1), [[0]]);
        let uneven = split(1000, [1 << 20, 1], &[499, 501]);
        assert_eq!(uneven.concat(), [0..448, 448..1000]);
        assert_eq!(uneven.len(), 2);
        let nothing = split(0, [64, 1], &[1, 1]).concat();
        assert_eq!((nothing.len(), nothing[0].clone()), (1, 0..0));
    }
}
