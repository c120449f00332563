//! The ranges that values really take.

use super::array::{Array, count, holds, wrap};
use super::error::OpError;
use crate::ir::{NodeId, Span};
use crate::types::{Element, Interval, Type};
use std::collections::BTreeMap;
use std::fmt;
use zeroize::Zeroizing;

/// Values of a [`Violation`] that are kept.
pub const EXAMPLES: usize = 16;

/// Which node: its position in the outermost block, then in the body of that loop, and so on.
pub type NodePath = Vec<NodeId>;

/// What values a program computed.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Observed {
    /// For each node and each of its results, the least interval that holds all its values in
    /// all iterations; `None` if there was none.
    pub intervals: BTreeMap<NodePath, Vec<Option<Interval>>>,
    /// Values outside the interval of their type: in order of node and result.
    pub violations: BTreeMap<(NodePath, u32), Violation>,
}

/// Values of one result that left the interval of its type. All that follows from them may be
/// wrong under a protocol.
#[derive(Clone, PartialEq, Eq)]
pub struct Violation {
    /// The node.
    pub node: NodePath,
    /// Which of its results.
    pub result: u32,
    /// Where the user asked for it.
    pub span: Span,
    /// Where its raw values should lie.
    pub declared: Interval,
    /// How many do not, over all iterations.
    pub count: u64,
    /// The first of them.
    pub examples: Vec<Outside>,
}

/// A value outside the interval of its type.
#[derive(Clone, PartialEq, Eq)]
pub struct Outside {
    /// Iterations of the loops around the node, outermost first.
    pub trips: Vec<u64>,
    /// Position in the array, row-major.
    pub index: usize,
    /// The raw value.
    pub value: i128,
}

impl Violation {
    /// Where values left their interval and how many did, without any value.
    #[must_use]
    pub fn place_and_count(&self) -> String {
        let Interval { low, high } = self.declared;
        format!("{}{} values leave {low} to {high}", self.span.prefix(), self.count)
    }
}

impl fmt::Display for Violation {
    /// For the `plain` protocol's report only: it shows a value.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.place_and_count())?;
        let Some(first) = self.examples.first() else { return Ok(()) };
        write!(f, ": the first is {} at index {}", first.value, first.index)?;
        if first.trips.is_empty() { Ok(()) } else { write!(f, " of iteration {:?}", first.trips) }
    }
}

impl fmt::Debug for Violation {
    /// Shows no values.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Violation { node, result, span, declared, count, .. } = self;
        write!(f, "{}{count} values of result {result} of node {node:?} ", span.prefix())?;
        write!(f, "leave {} to {}", declared.low, declared.high)
    }
}

impl Observed {
    /// Adds what one evaluation of a result saw.
    pub(super) fn record(&mut self, place: Place<'_>, result: u32, seen: Seen, declared: Interval) {
        let results = self.intervals.entry(place.node.to_vec()).or_default();
        let result_index = result as usize;
        if results.len() <= result_index {
            results.resize(result_index + 1, None);
        }
        let slot = &mut results[result_index];
        *slot = match (*slot, seen.interval()) {
            (Some(a), Some(b)) => Some(a.join(b)),
            (a, b) => a.or(b),
        };
        if seen.outside > 0 {
            self.violate(place, result, seen, declared);
        }
    }

    fn violate(&mut self, place: Place<'_>, result: u32, seen: Seen, declared: Interval) {
        let entry = self.violations.entry((place.node.to_vec(), result)).or_insert_with(|| {
            let (node, span) = (place.node.to_vec(), place.span.clone());
            Violation { node, result, span, declared, count: 0, examples: Vec::new() }
        });
        entry.count += seen.outside;
        let room = EXAMPLES.saturating_sub(entry.examples.len());
        entry.examples.extend(seen.examples.into_iter().take(room).map(|(index, value)| Outside {
            trips: place.trips.to_vec(),
            index,
            value,
        }));
    }
}

/// Where a value is computed.
#[derive(Clone, Copy)]
pub(super) struct Place<'a> {
    pub node: &'a [NodeId],
    pub trips: &'a [u64],
    pub span: &'a Span,
}

/// What values went into a [`Sink`].
pub(super) struct Seen {
    low: i128,
    high: i128,
    outside: u64,
    examples: Vec<(usize, i128)>,
}

impl Seen {
    /// The range of the array's values.
    pub fn of(array: &Array) -> Self {
        let mut seen = Seen::default();
        array.values().for_each(|value| seen.note(value));
        seen
    }

    #[inline]
    fn note(&mut self, value: i128) {
        self.low = self.low.min(value);
        self.high = self.high.max(value);
    }

    #[cold]
    fn note_outside(&mut self, index: usize, value: i128) {
        if self.examples.len() < EXAMPLES {
            self.examples.push((index, value));
        }
        self.outside += 1;
    }

    fn interval(&self) -> Option<Interval> {
        (self.low <= self.high).then_some(Interval { low: self.low, high: self.high })
    }
}

impl Default for Seen {
    fn default() -> Self {
        Seen { low: i128::MAX, high: i128::MIN, outside: 0, examples: Vec::new() }
    }
}

/// Takes the values of a result in row-major order, and watches them.
pub(super) struct Sink {
    element: Element,
    shape: Vec<usize>,
    declared: Interval,
    raw: Zeroizing<Vec<i64>>,
    seen: Seen,
}

impl Sink {
    /// For a result of the type, with these row counts.
    pub fn new(ty: &Type, rows: &[u64]) -> Result<Self, OpError> {
        let shape = bind(&ty.shape, rows)?;
        let len = count(&shape).ok_or(OpError::TooLarge)?;
        let mut raw = Zeroizing::new(Vec::new());
        raw.try_reserve_exact(len).map_err(|_| OpError::TooLarge)?;
        let (element, declared) = (ty.element, ty.interval);
        Ok(Sink { element, shape, declared, raw, seen: Seen::default() })
    }

    /// Lengths of the result's axes.
    pub fn shape(&self) -> &[usize] {
        &self.shape
    }

    /// Number of values that the result has.
    pub fn len(&self) -> usize {
        count(&self.shape).unwrap_or(0)
    }

    /// Where the result's values should lie.
    pub fn declared(&self) -> Interval {
        self.declared
    }

    /// The result's element.
    pub fn element(&self) -> Element {
        self.element
    }

    /// The next value. One outside the element's interval is taken modulo its width.
    #[inline]
    pub fn push(&mut self, value: i128) {
        self.seen.note(value);
        if holds(self.declared, value) {
            self.raw.push(value as i64);
        } else {
            self.push_outside(value);
        }
    }

    #[cold]
    fn push_outside(&mut self, value: i128) {
        self.seen.note_outside(self.raw.len(), value);
        self.raw.push(wrap(self.element, value) as i64);
    }

    /// All values at once.
    pub fn extend(&mut self, values: impl Iterator<Item = i128>) {
        values.for_each(|value| self.push(value));
    }

    /// The array, and what went into it.
    pub fn finish(mut self) -> Result<(Array, Seen), OpError> {
        if self.raw.len() != self.len() {
            return Err(OpError::Malformed("operands have not the shapes that the result needs"));
        }
        let raw = std::mem::take(&mut *self.raw);
        Ok((Array::trusted(self.element, self.shape, raw), self.seen))
    }
}

/// A shape with these row counts.
pub(super) fn bind(shape: &[crate::Extent], rows: &[u64]) -> Result<Vec<usize>, OpError> {
    let length = |extent: &crate::Extent| {
        extent.bound(rows).and_then(|n| usize::try_from(n).ok()).ok_or(OpError::TooLarge)
    };
    shape.iter().map(length).collect()
}
