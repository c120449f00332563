//! Joins.
//!
//! The rows of the right side are put above those of the left side, and all are sorted by the key, stably: a row of the right side
//! comes first among those of its key. Then every row takes, from the last row of the right side up to it, the key and what is
//! wanted of it: where the key is its own, the rows match. Rows of the right side stay, as rows that are not valid.

use super::frame::{Cell, Frame};
use super::{Bits, Lowering};
use crate::error::Result;
use crate::plan::Plan;
use tacit_program::build::Value;
use tacit_program::{Element, Fold, Span};

/// What a join keeps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Keep {
    /// The columns of both sides; with `outer` also rows of the left side without a match.
    Both {
        /// A left join.
        outer: bool,
    },
    /// The columns of the left side, of rows with a match; with `anti` of those without.
    Left {
        /// An anti join.
        anti: bool,
    },
}

impl Lowering<'_> {
    /// A join of two plans.
    pub fn join(
        &mut self,
        [left, right]: [&Plan; 2],
        on: &[(usize, usize)],
        keep: Keep,
        wanted: &[bool],
        span: &Span,
    ) -> Result<Frame> {
        let mut of_left = wanted[..left.fields.len()].to_vec();
        let mut of_right = match keep {
            Keep::Both { .. } => wanted[left.fields.len()..].to_vec(),
            Keep::Left { .. } => vec![false; right.fields.len()],
        };
        let shown = of_right.clone();
        for (a, b) in on {
            of_left[*a] = true;
            of_right[*b] = true;
        }
        let frames = [self.plan(left, &of_left, None)?, self.plan(right, &of_right, None)?];
        self.at(span);
        let stacked = self.stack(&frames, on, &shown, span)?;
        let rows = stacked.rows.clone();
        let (keys, stacked) = (stacked.keys.clone(), self.in_order(stacked));
        // What the last row of the right side up to each row has.
        let lifted: Vec<Cell> = stacked.right.iter().flatten().copied().collect();
        let lows: Vec<i128> = lifted.iter().map(|cell| self.low(cell.value)).collect();
        let mut columns = vec![stacked.marked];
        columns.extend(&stacked.keys);
        for (cell, low) in lifted.iter().zip(&lows) {
            // Before the first row of the right side there is zero, which lies where all else does.
            columns.push(if *low == 0 { cell.value } else { self.b.sub(cell.value, *low) });
            columns.extend(cell.known);
        }
        let filled = self.b.segments(Fold::First, stacked.marked, &columns);
        let (seen, filled) =
            filled.split_first().map_or((stacked.marked, &[][..]), |(seen, rest)| (*seen, rest));
        let (last_keys, filled) = filled.split_at(keys.len().min(filled.len()));
        let same = self.equal_words(&stacked.keys, last_keys);
        let found = self.b.and(seen, same);
        let matches = self.b.and(found, stacked.asks);
        if let Keep::Both { .. } = keep
            && !right.has_key(&on.iter().map(|(_, column)| *column).collect::<Vec<_>>(), None)
        {
            self.check_once(&stacked, seen, last_keys);
        }
        let valid = match keep {
            Keep::Both { outer: true } => stacked.valid,
            Keep::Both { outer: false } => matches,
            Keep::Left { anti: false } => matches,
            Keep::Left { anti: true } => {
                let none = self.b.not(matches);
                self.b.and(stacked.valid, none)
            }
        };
        let outer = keep == Keep::Both { outer: true };
        let mut filled = filled.iter().copied();
        let mut lows = lows.into_iter();
        let mut all = stacked.left.clone();
        if let Keep::Both { .. } = keep {
            for (number, cell) in stacked.right.iter().enumerate() {
                let mut known: Bits = None;
                let value = match cell {
                    Some(cell) => {
                        let (value, low) =
                            (filled.next().unwrap_or(cell.value), lows.next().unwrap_or(0));
                        known = cell.known.and_then(|_| filled.next());
                        Some(if low == 0 { value } else { self.b.add(value, low) })
                    }
                    // Where rows match, keys are equal.
                    None if shown[number] => {
                        let key = on.iter().find(|(_, column)| *column == number);
                        key.and_then(|(column, _)| stacked.left[*column]).map(|cell| cell.value)
                    }
                    None => None,
                };
                let known = if outer { self.and(known, Some(matches)) } else { known };
                all.push(value.map(|value| Cell { value, known }));
            }
        }
        for (column, wanted) in all.iter_mut().zip(wanted) {
            *column = column.filter(|_| *wanted);
        }
        let at_most = frames[0].at_most;
        self.checked(Frame { valid: Some(valid), at_most, gaps: true, ..Frame::of(all, rows) })
    }

    /// Both sides in one table, the right one above.
    fn stack(
        &mut self,
        frames: &[Frame; 2],
        on: &[(usize, usize)],
        shown: &[bool],
        span: &Span,
    ) -> Result<Stacked> {
        let [left, right] = frames;
        let mut known: [Bits; 2] = [left.valid, right.valid];
        let mut cells = Vec::new();
        for (a, b) in on {
            let (a, b) = (left.column(*a, span)?, right.column(*b, span)?);
            known = [self.and(known[0], a.known), self.and(known[1], b.known)];
            cells.push(Cell { value: self.b.concat(&[b.value, a.value], 0), known: None });
        }
        let words = self.key_words(None, &cells, None);
        let [asks, answers] = [(known[0], left), (known[1], right)]
            .map(|(bits, frame)| self.or_ones(bits, &frame.rows));
        let valid = self.or_ones(left.valid, &left.rows);
        let [no_right, no_left] = [right, left].map(|frame| self.bits(false, &frame.rows));
        let mut of_left = Vec::new();
        for cell in &left.columns {
            of_left.push(cell.map(|cell| self.beside(cell, &right.rows, true)));
        }
        let mut of_right = Vec::new();
        for (number, cell) in right.columns.iter().enumerate() {
            let is_key = on.iter().any(|(_, column)| *column == number);
            let carried = cell.filter(|_| shown[number] && !is_key);
            of_right.push(carried.map(|cell| self.beside(cell, &left.rows, false)));
        }
        Ok(Stacked {
            rows: right.rows.clone() + left.rows.clone(),
            keys: words.iter().map(|word| word.value).collect(),
            bits: words.iter().map(|word| word.bits).collect(),
            marked: self.b.concat(&[answers, no_left], 0),
            asks: self.b.concat(&[no_right, asks], 0),
            valid: self.b.concat(&[no_right, valid], 0),
            left: of_left,
            right: of_right,
        })
    }

    /// A column with other rows above or below, whose values are anything.
    fn beside(&mut self, cell: Cell, rows: &tacit_program::Extent, above: bool) -> Cell {
        let mut with = |value: Value| {
            let other = self.filling(value, rows);
            let both = if above { [other, value] } else { [value, other] };
            self.b.concat(&both, 0)
        };
        Cell { value: with(cell.value), known: cell.known.map(with) }
    }

    /// All rows in the order of the keys.
    fn in_order(&mut self, stacked: Stacked) -> Stacked {
        let pairs = stacked.keys.iter().zip(&stacked.bits);
        let words: Vec<_> =
            pairs.map(|(value, bits)| super::keys::Word { value: *value, bits: *bits }).collect();
        let frame = Frame {
            columns: stacked.left.iter().chain(&stacked.right).copied().collect(),
            ..Frame::of(Vec::new(), stacked.rows.clone())
        };
        let mut values = vec![stacked.marked, stacked.asks, stacked.valid];
        values.extend(frame.values());
        let (sorted, words) = self.sorted_values(&values, &words);
        let [marked, asks, valid, cells @ ..] = sorted.as_slice() else { return stacked };
        let mut columns = frame.with(cells).columns;
        let right = columns.split_off(stacked.left.len());
        let keys = words.iter().map(|word| word.value).collect();
        Stacked {
            keys,
            marked: *marked,
            asks: *asks,
            valid: *valid,
            left: columns,
            right,
            ..stacked
        }
    }

    /// Checks in the run that no two rows of the right side have one key: everybody learns whether that holds.
    fn check_once(&mut self, stacked: &Stacked, seen: Value, last_keys: &[Value]) {
        let before: Vec<Value> = last_keys.iter().map(|key| self.b.shift(*key, 0, 1, 0)).collect();
        let seen = self.b.shift(seen, 0, 1, 0);
        let same = self.equal_words(&stacked.keys, &before);
        let again = self.b.and(seen, same);
        let again = self.b.and(stacked.marked, again);
        let count = self.b.sum(again, 0);
        self.b.check(count, 0..=0);
    }

    /// The least raw value, of numbers; zero of bits.
    fn low(&self, value: Value) -> i128 {
        match self.b.type_of(value) {
            Some(ty) if matches!(ty.element, Element::Int { .. }) => ty.interval.low,
            _ => 0,
        }
    }
}

/// The rows of both sides of a join.
struct Stacked {
    rows: tacit_program::Extent,
    keys: Vec<Value>,
    /// Bits of the keys.
    bits: Vec<u32>,
    /// Rows of the right side that can match.
    marked: Value,
    /// Rows of the left side that can match.
    asks: Value,
    /// Rows of the left side.
    valid: Value,
    left: Vec<Option<Cell>>,
    /// Columns of the right side that are wanted, but for keys.
    right: Vec<Option<Cell>>,
}
