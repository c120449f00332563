//! Windows: what is computed of the rows of partitions, for each of them.
//!
//! Rows are sorted by the columns that make partitions, then by the order in these. What is computed of the rows up to each one is folded
//! by segments that begin with partitions, or with sets of peers; what is computed of rows behind it too is taken from the last of
//! them, by a fold from the end. The rows stay in that order: it has no meaning.

use super::Lowering;
use super::frame::{Cell, Frame};
use super::group::{Folds, Planned};
use super::keys::with_ties;
use super::total::fraction_of;
use crate::error::Result;
use crate::kind::Kind;
use crate::plan::{self, Aggregate, Call, Field, Function, OrderKey, Plan, Ranged};
use std::collections::HashMap;
use tacit_program::build::Value;
use tacit_program::{Element, Extent, Fold, Interval};

impl Lowering<'_> {
    /// All rows of a plan, with what is computed of their partitions.
    pub fn window(
        &mut self,
        input: &Plan,
        (partition, by): (&[usize], &[OrderKey]),
        calls: &[Call],
        plan: &Plan,
        wanted: &[bool],
    ) -> Result<Frame> {
        let width = input.fields.len();
        let asked: Vec<bool> = wanted[width..].to_vec();
        let used = || calls.iter().zip(&asked).filter(|(_, used)| **used).map(|(call, _)| call);
        let order = OrderKey { column: 0, descending: false, nulls_first: false };
        let partition = partition.iter().map(|column| OrderKey { column: *column, ..order });
        let partition: Vec<OrderKey> = partition.collect();
        let mut keys: Vec<OrderKey> = partition.iter().chain(by).copied().collect();
        let peers = keys.len();
        if used().any(|call| call.function.tells_peers_apart()) {
            keys = with_ties(&keys, width);
        }
        let mut needed = wanted[..width].to_vec();
        let columns = used().filter_map(|call| call.column);
        if used().next().is_some() {
            keys.iter().map(|key| key.column).chain(columns).for_each(|it| needed[it] = true);
        }
        let mut frame = self.plan(input, &needed)?;
        self.at(&plan.span);
        let whole = |call: &Call| matches!(call.function, Ranged::Aggregate(_, plan::Frame::Whole));
        let fields = &plan.fields;
        let none = used().next().is_none();
        let made = if none || partition.is_empty() && used().all(whole) {
            self.of_all(calls, &asked, &frame, fields.split_at(width))?
        } else {
            let sorted = self.in_partitions(frame, [&partition, &keys[..peers], &keys])?;
            let made = self.calls(calls, &asked, &sorted, fields.split_at(width))?;
            frame = Frame { order: None, placed: false, gaps: false, ..sorted.frame };
            made
        };
        for (column, wanted) in frame.columns.iter_mut().zip(wanted) {
            *column = column.filter(|_| *wanted);
        }
        frame.columns.extend(made);
        self.checked(frame)
    }

    /// What is computed of all rows, which stay where they are.
    fn of_all(
        &mut self,
        calls: &[Call],
        asked: &[bool],
        frame: &Frame,
        (fields, made): (&[Field], &[Field]),
    ) -> Result<Vec<Option<Cell>>> {
        let mut cells = Vec::new();
        for ((call, field), asked) in calls.iter().zip(made).zip(asked) {
            let Ranged::Aggregate(function, _) = call.function else {
                cells.push(None);
                continue;
            };
            if !asked {
                cells.push(None);
                continue;
            }
            self.at(&call.span);
            let cell = match call.column {
                None => Cell { value: self.count_of(frame.valid, &frame.rows), known: None },
                Some(column) => {
                    let cell = frame.column(column, &call.span)?;
                    let (column, span) = (call.column, call.span.clone());
                    let aggregate =
                        Aggregate { function, column, other: None, distinct: false, span };
                    let kinds = [&fields[column.unwrap_or_default()].kind; 2];
                    let of = (frame, &mut HashMap::new());
                    self.total_of((&aggregate, field), kinds, [cell; 2], of)?
                }
            };
            let known = cell.known.filter(|_| field.nullable);
            cells.push(Some(Cell {
                value: self.per_row(cell.value, &frame.rows),
                known: known.map(|known| self.per_row(known, &frame.rows)),
            }));
        }
        Ok(cells)
    }

    /// Rows sorted by the last of three orders, each of which continues the one before: rows that are equal by the first are of one
    /// partition, and by the second they are peers.
    fn in_partitions(&mut self, frame: Frame, orders: [&[OrderKey]; 3]) -> Result<Sorted> {
        let words = self.order_words(&frame, orders[2])?;
        let (values, words) = self.sorted_values(&frame.values(), &words);
        let frame = frame.with(&values);
        let rows = frame.rows.clone();
        let [of_partition, of_peers, whole] = orders;
        let mut begins = |order: &[OrderKey]| -> Result<Value> {
            match order.len() == whole.len() {
                true => Ok(self.starts(&words, &rows)),
                false => {
                    let words = self.order_words(&frame, order)?;
                    Ok(self.starts(&words, &rows))
                }
            }
        };
        let starts = begins(of_partition)?;
        let peers = if of_peers.len() == of_partition.len() { starts } else { begins(of_peers)? };
        let [ends, peers_end] = [starts, peers].map(|begin| self.b.shift(begin, 0, -1, 1));
        Ok(Sorted { frame, rows, starts, ends, peers, peers_end })
    }

    /// What is computed of sorted rows.
    fn calls(
        &mut self,
        calls: &[Call],
        asked: &[bool],
        sorted: &Sorted,
        (fields, made): (&[Field], &[Field]),
    ) -> Result<Vec<Option<Cell>>> {
        let mut folds = Folds::default();
        let used = calls.iter().zip(asked).filter(|(_, asked)| **asked);
        let numbered = used.into_iter().any(|(call, _)| self.needs_numbers(call, &sorted.frame));
        let number = if numbered { folds.count(self, None, &sorted.rows) } else { 0 };
        let mut planned = Vec::new();
        for (call, asked) in calls.iter().zip(asked) {
            self.at(&call.span);
            let cell = call.column.map(|column| sorted.frame.column(column, &call.span));
            let cell = if *asked { cell.transpose()? } else { None };
            planned.push(match (call.function, cell) {
                _ if !asked => None,
                (Ranged::DenseRank, _) => {
                    let count = folds.count(self, Some(sorted.peers), &sorted.rows);
                    Some((Planned { count, folds: Vec::new() }, cell))
                }
                (Ranged::Aggregate(function, _), Some(of)) => Some((
                    self.folded(&mut folds, function, (of, None), number, &sorted.rows),
                    cell,
                )),
                _ => Some((Planned { count: number, folds: Vec::new() }, cell)),
            });
        }
        let folded = folds.run(self, sorted.starts);
        let mut columns = Vec::new();
        for ((call, planned), field) in calls.iter().zip(planned).zip(made) {
            self.at(&call.span);
            columns.push(match planned {
                None => None,
                Some((planned, cell)) => {
                    let kind = call.column.map(|column| &fields[column].kind);
                    let fold =
                        planned.folds.first().map(|(fold, at)| (*fold, folded.of(*fold)[*at]));
                    // Where there is no such sum nobody needs it.
                    let sums = folded.of(Fold::Sum);
                    let [numbers, count] = [number, planned.count]
                        .map(|at| sums.get(at).copied().unwrap_or(sorted.starts));
                    let of = Of { numbers, count, fold, cell, kind };
                    Some(self.call(call, field, sorted, &of))
                }
            });
        }
        Ok(columns)
    }

    /// Whether something is computed from the numbers of rows in their partitions.
    fn needs_numbers(&self, call: &Call, frame: &Frame) -> bool {
        let cell = call.column.and_then(|column| frame.columns[column]);
        let counts_rows = cell.is_none_or(|cell| cell.known.is_none());
        match call.function {
            Ranged::Number | Ranged::Rank | Ranged::Aggregate(_, plan::Frame::Last(_)) => true,
            Ranged::Shift(by) => by.abs() > 1,
            Ranged::Aggregate(Function::Count | Function::Mean, _) => counts_rows,
            _ => false,
        }
    }

    fn call(&mut self, call: &Call, field: &Field, sorted: &Sorted, of: &Of<'_>) -> Cell {
        let plain = |value| Cell { value, known: None };
        let column = of.cell.unwrap_or(plain(of.numbers));
        match call.function {
            Ranged::Number => plain(of.numbers),
            Ranged::DenseRank => plain(of.count),
            Ranged::Rank => plain(self.filled(sorted.peers, &[of.numbers])[0]),
            Ranged::Shift(by) => self.shifted(by, sorted, of),
            Ranged::First => self.filled_cell(sorted.starts, column, false),
            Ranged::Last(frame) => match frame {
                plan::Frame::Whole => self.filled_cell(sorted.ends, column, true),
                plan::Frame::Peers => self.filled_cell(sorted.peers_end, column, true),
                _ => column,
            },
            Ranged::Aggregate(function, frame) => {
                self.aggregate((function, frame), field, sorted, of)
            }
        }
    }

    /// An aggregate of frames, from what is folded since the partition began.
    fn aggregate(
        &mut self,
        (function, frame): (Function, plan::Frame),
        field: &Field,
        sorted: &Sorted,
        of: &Of<'_>,
    ) -> Cell {
        let may_be_null = field.nullable && of.cell.is_some_and(|cell| cell.known.is_some());
        let counted = function == Function::Mean || may_be_null || of.fold.is_none();
        let mut values: Vec<Value> = of.fold.iter().map(|(_, value)| *value).collect();
        if counted {
            values.push(of.count);
        }
        let marks = match frame {
            plan::Frame::Whole => Some(sorted.ends),
            plan::Frame::Peers => Some(sorted.peers_end),
            plan::Frame::Rows | plan::Frame::Last(_) => None,
        };
        if let Some(marks) = marks {
            values = self.filled_back(marks, &values);
        }
        if let plan::Frame::Last(before) = frame {
            let within = of.cell.map(|cell| self.interval(cell.value));
            let one = Interval { low: 0, high: 1 };
            let mut of_frame = Vec::new();
            for (number, value) in values.iter().enumerate() {
                let is_count = number + 1 == values.len() && counted;
                let each = within.filter(|_| !is_count).unwrap_or(one);
                of_frame.push(self.since(*value, before, each, of.numbers));
            }
            values = of_frame;
        }
        let count = if counted { values.pop() } else { None };
        let Some(value) = values.pop() else {
            return Cell { value: count.unwrap_or(of.count), known: None };
        };
        let known = count.filter(|_| may_be_null).map(|count| self.b.gt(count, 0));
        let kind = of.kind.cloned().unwrap_or(Kind::Bit);
        let within = of.cell.map_or(Interval::point(0), |cell| self.interval(cell.value));
        let value = match (function, count) {
            (Function::Mean, Some(count)) => {
                self.mean(value, count, &kind, within, fraction_of(field))
            }
            (Function::Min | Function::Max, _) => self.of_kind(value, &kind),
            _ => value,
        };
        Cell { value, known }
    }

    /// Of sums since the partition began, those of a row and so many before it, each of which adds a number of an interval.
    fn since(&mut self, sums: Value, before: u64, each: Interval, numbers: Value) -> Value {
        let far = i64::try_from(before).unwrap_or(i64::MAX).saturating_add(1);
        let there = self.b.gt(numbers, far);
        let earlier = self.b.shift(sums, 0, far, 0);
        let earlier = self.b.select(there, earlier, 0);
        let sum = self.b.sub(sums, earlier);
        let Interval { low, high } = each;
        let (low, high) = (low.min(0) * i128::from(far), high.max(0) * i128::from(far));
        let known = self.interval(sum);
        let within = Interval { low: low.max(known.low), high: high.min(known.high) };
        self.b.assume_raw(sum, within)
    }

    /// What a row so many places away has, or whether there is one in the partition.
    fn shifted(&mut self, by: i64, sorted: &Sorted, of: &Of<'_>) -> Cell {
        let there = match by {
            0 => self.bits(true, &sorted.rows),
            -1 => self.b.not(sorted.starts),
            1 => self.b.not(sorted.ends),
            // Rows of another partition that are so near begin it.
            _ if by > 0 => {
                let numbers = self.b.shift(of.numbers, 0, -by, 0);
                self.b.gt(numbers, by)
            }
            _ => self.b.gt(of.numbers, -by),
        };
        let Some(cell) = of.cell else { return Cell { value: there, known: None } };
        let mut moved = |value: Value| {
            let fill =
                self.b.type_of(value).map_or(0, |ty| 0.clamp(ty.interval.low, ty.interval.high));
            self.moved(value, -by, fill)
        };
        let (value, known) = (moved(cell.value), cell.known.map(&mut moved));
        Cell { value, known: self.and(Some(there), known) }
    }

    /// A column moved by so many places, filled up with a raw value.
    fn moved(&mut self, value: Value, by: i64, fill: i128) -> Value {
        match self.b.type_of(value).map(|ty| ty.element) {
            Some(Element::Fixed { fraction, .. }) => {
                self.b.shift(value, 0, by, fill as f64 / 2f64.powi(i32::from(fraction)))
            }
            _ => self.b.shift(value, 0, by, fill),
        }
    }

    /// A column as it is in the last marked row up to each one, or from each one on. There is always one.
    fn filled_cell(&mut self, marks: Value, cell: Cell, back: bool) -> Cell {
        let values: Vec<Value> = [cell.value].into_iter().chain(cell.known).collect();
        let filled =
            if back { self.filled_back(marks, &values) } else { self.filled(marks, &values) };
        let mut filled = filled.into_iter();
        let value = filled.next().unwrap_or(cell.value);
        Cell { value, known: cell.known.and_then(|_| filled.next()) }
    }

    /// Columns as they are in the last marked row up to each one; the first row is marked.
    fn filled(&mut self, marks: Value, columns: &[Value]) -> Vec<Value> {
        let intervals: Vec<Interval> = columns.iter().map(|it| self.interval(*it)).collect();
        let filled = self.b.segments(Fold::First, marks, columns);
        let pairs = filled.into_iter().zip(intervals);
        pairs.map(|(value, within)| self.known_within(value, within)).collect()
    }

    /// Columns as they are in the first marked row from each one on; the last row is marked.
    pub fn filled_back(&mut self, marks: Value, columns: &[Value]) -> Vec<Value> {
        let marks = self.b.flip(marks, 0);
        let columns: Vec<Value> = columns.iter().map(|column| self.b.flip(*column, 0)).collect();
        let filled = self.filled(marks, &columns);
        filled.into_iter().map(|column| self.b.flip(column, 0)).collect()
    }

    /// A number that is known to lie in an interval.
    pub fn known_within(&mut self, value: Value, within: Interval) -> Value {
        match self.b.type_of(value) {
            Some(ty) if ty.element != Element::Bit && ty.interval != within => {
                self.b.assume_raw(value, within)
            }
            _ => value,
        }
    }
}

/// Rows in the order of their partitions.
struct Sorted {
    frame: Frame,
    rows: Extent,
    /// Whether a row is the first of its partition, or the last.
    starts: Value,
    ends: Value,
    /// Whether it is the first of its peers, or the last.
    peers: Value,
    peers_end: Value,
}

/// What a call is of.
struct Of<'k> {
    /// The numbers of rows in their partitions.
    numbers: Value,
    /// How many values have counted since the partition began, and what has been folded of them.
    count: Value,
    fold: Option<(Fold, Value)>,
    /// The column, and its kind.
    cell: Option<Cell>,
    kind: Option<&'k Kind>,
}
