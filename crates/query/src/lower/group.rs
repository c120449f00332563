//! Groups.
//!
//! Where all keys are of small public domains and what is asked for are counts, sums and means, every group that there may be has
//! a place, and rows are added to the places of their keys. Else rows are sorted by their keys: the rows of a group lie together,
//! what is asked of it has been folded in its last row, and that row stands for it.

use super::frame::{Cell, Frame};
use super::total::{Counted, fraction_of};
use super::{Bits, Lowering};
use crate::error::Result;
use crate::plan::{Aggregate, Field, Function, Plan};
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use tacit_program::build::{Groups, Number, Value};
use tacit_program::{Element, Extent, Fold, Interval, Span};

/// The most groups that have places of their own.
const MOST_PLACES: u128 = 512;
/// In so many places rows are looked up for a column at the cost of sorting them, at three parties that follow the protocol: measured with
/// 330,000 rows. Under other protocols sorts cost more.
const LIKE_A_SORT: u128 = 256;
/// So many lookups are made in a second or two, and in fewer rounds than a sort.
const FEW_LOOKUPS: u128 = 1 << 24;
/// Rows are brought to the front where they are so many times fewer.
const WORTHWHILE: u64 = 2;

/// A key of groups that have places.
struct Digit {
    low: i128,
    values: i128,
    nullable: bool,
}

impl Lowering<'_> {
    /// A row for each group.
    pub fn group(
        &mut self,
        input: &Plan,
        (keys, aggregates): (&[usize], &[Aggregate]),
        plan: &Plan,
        wanted: &[bool],
    ) -> Result<Frame> {
        let mut needed = vec![false; input.fields.len()];
        keys.iter().for_each(|key| needed[*key] = true);
        let used: Vec<bool> = wanted[keys.len()..].to_vec();
        let pairs = aggregates.iter().zip(&used).filter(|(_, used)| **used);
        pairs
            .filter_map(|(aggregate, _)| aggregate.column)
            .for_each(|column| needed[column] = true);
        let frame = self.plan(input, &needed)?;
        self.at(&plan.span);
        let cells = keys.iter().map(|key| frame.column(*key, &plan.span));
        let cells = cells.collect::<Result<Vec<_>>>()?;
        let digits: Vec<Digit> = cells.iter().map(|cell| self.places_of(cell)).collect();
        let places = digits.iter().map(Digit::places).fold(1i128, i128::saturating_mul);
        let additive = |aggregate: &Aggregate| {
            !aggregate.distinct
                && matches!(aggregate.function, Function::Count | Function::Sum | Function::Mean)
        };
        let asked = aggregates.iter().zip(&used).filter(|(_, used)| **used).map(|(it, _)| it);
        // Columns that are added up: of each aggregate a sum, and how many rows count where that is another number than others have.
        let columns: u128 = asked.clone().map(|it| sums_of(it, &frame)).sum();
        let work = 1 + columns;
        let rows = u128::from(self.most(&frame.rows));
        let placed = asked.clone().all(additive) && places_pay(places.unsigned_abs(), rows, work);
        let of = aggregates.iter().map(|aggregate| {
            let column = aggregate.column.and_then(|column| frame.columns[column]);
            column.map_or(Interval::point(0), |cell| self.interval(cell.value))
        });
        let intervals = of.collect();
        let suppress = self.hidden.get(&std::ptr::from_ref(plan)).copied();
        let fields = &plan.fields[keys.len()..];
        let groups = GroupsOf { input, aggregates, fields, used: &used, intervals, suppress };
        let grouped = match placed {
            true => self.by_places(&groups, &frame, &cells, &digits, places as u64)?,
            false => {
                // Each group has a row, and keys of its own.
                let places = u64::try_from(places).unwrap_or(u64::MAX);
                let most = self.most_valid(&frame).min(places);
                self.by_order(&groups, frame, &cells, most, &plan.span)?
            }
        };
        self.checked(grouped)
    }

    /// The places that a key takes.
    fn places_of(&mut self, cell: &Cell) -> Digit {
        let Interval { low, high } = self.interval(cell.value);
        Digit { low, values: high - low + 1, nullable: cell.known.is_some() }
    }

    /// Every group that there may be, in its place.
    fn by_places(
        &mut self,
        of: &GroupsOf<'_>,
        frame: &Frame,
        cells: &[Cell],
        digits: &[Digit],
        places: u64,
    ) -> Result<Frame> {
        let mut place = None;
        for (cell, digit) in cells.iter().zip(digits) {
            let number = self.integer(cell.value);
            let number = if digit.low == 0 { number } else { self.b.sub(number, digit.low) };
            let number = match cell.known {
                Some(known) => self.b.select(known, number, digit.values),
                None => number,
            };
            place = Some(match place {
                Some(before) => {
                    let before = self.b.mul(before, digit.places());
                    self.b.add(before, number)
                }
                None => number,
            });
        }
        let place = place.unwrap_or_else(|| self.b.constant(Element::uint(8), 0));
        let by = |mask: Bits| {
            let by = Groups::by(place, 0..places as i64);
            mask.map_or(by, |mask| by.only(mask))
        };
        let rows = Extent::fixed(places);
        let members = self.b.group_count(by(frame.valid));
        let mut columns = self.keys_in_places(cells, digits, places);
        for (number, aggregate) in of.aggregates.iter().enumerate() {
            if !of.used[number] {
                columns.push(None);
                continue;
            }
            self.at(&aggregate.span);
            let Some(column) = aggregate.column else {
                columns.push(Some(Cell { value: members, known: None }));
                continue;
            };
            let cell = frame.column(column, &aggregate.span)?;
            let counts = self.and(frame.valid, cell.known);
            let count = match cell.known {
                Some(_) => self.b.group_count(by(counts)),
                None => members,
            };
            let known = cell.known.map(|_| self.b.gt(count, 0));
            columns.push(Some(match aggregate.function {
                Function::Count => Cell { value: count, known: None },
                function => {
                    let sum = self.b.group_sum(cell.value, by(counts));
                    let value = match function {
                        Function::Mean => self.group_mean(of, number, sum, count),
                        _ => sum,
                    };
                    Cell { value, known }
                }
            }));
        }
        let least = i128::from(of.suppress.unwrap_or(1).max(1));
        let valid = Some(self.b.ge(members, least));
        let order = Some((0..cells.len()).collect());
        Ok(Frame { valid, grouped: true, order, placed: true, ..Frame::of(columns, rows) })
    }

    /// The keys of groups in their places, which are public.
    fn keys_in_places(
        &mut self,
        cells: &[Cell],
        digits: &[Digit],
        places: u64,
    ) -> Vec<Option<Cell>> {
        let mut columns = Vec::new();
        for (at, (cell, digit)) in cells.iter().zip(digits).enumerate() {
            let Some(ty) = self.b.type_of(cell.value).cloned() else { return columns };
            let inner: i128 = digits[at + 1..].iter().map(Digit::places).product();
            let digit_of = |place: u64| i128::from(place) / inner % digit.places();
            let null = |place: u64| digit.nullable && digit_of(place) == digit.values;
            let raw = |place| if null(place) { digit.low } else { digit.low + digit_of(place) };
            let values: Vec<Number> =
                (0..places).map(|place| number(ty.element, raw(place))).collect();
            let value = self.b.constants(ty.element, &[places], &values);
            let known = digit.nullable.then(|| {
                let bits: Vec<i32> = (0..places).map(|place| i32::from(!null(place))).collect();
                self.b.constants(Element::Bit, &[places], &bits)
            });
            columns.push(Some(Cell { value, known }));
        }
        columns
    }

    /// Rows in the order of their keys; the last one of each group stands for it.
    fn by_order(
        &mut self,
        of: &GroupsOf<'_>,
        frame: Frame,
        cells: &[Cell],
        most: u64,
        span: &Span,
    ) -> Result<Frame> {
        let rows = frame.rows.clone();
        // Columns that are counted, in the order of the keys, one after the other.
        let mut values: Vec<Value> =
            cells.iter().flat_map(|cell| [Some(cell.value), cell.known]).flatten().collect();
        values.extend(frame.valid);
        let mut carried = Vec::new();
        for (aggregate, used) in of.aggregates.iter().zip(of.used) {
            let apart = aggregate.distinct || matches!(aggregate.function, Function::Quantile(_));
            let column = aggregate.column.filter(|_| *used && !apart);
            if let Some(column) = column.filter(|column| !carried.contains(column)) {
                let cell = frame.column(column, span)?;
                values.push(cell.value);
                values.extend(cell.known);
                carried.push(column);
            }
        }
        let words = self.key_words(frame.valid, cells, Some(false));
        let (sorted, words) = self.sorted_values(&values, &words);
        let mut sorted = sorted.into_iter();
        let mut next = |like: Cell| Cell {
            value: sorted.next().unwrap_or(like.value),
            known: like.known.map(|known| sorted.next().unwrap_or(known)),
        };
        let mut columns: Vec<Option<Cell>> = cells.iter().map(|cell| Some(next(*cell))).collect();
        let valid = frame.valid.map(|valid| next(Cell { value: valid, known: None }).value);
        let carried: Vec<(usize, Cell)> = carried
            .into_iter()
            .map(|column| Ok((column, next(frame.column(column, span)?))))
            .collect::<Result<_>>()?;
        let starts = self.starts(&words, &rows);
        let mut folds = Folds::default();
        let members = folds.count(self, valid, &rows);
        let mut planned = Vec::new();
        let mut ranked = HashMap::new();
        for (aggregate, used) in of.aggregates.iter().zip(of.used) {
            self.at(&aggregate.span);
            planned.push(match (used, aggregate.column) {
                (false, _) => None,
                (true, None) => Some(Planned { count: members, fold: None }),
                (true, Some(column)) if let Function::Quantile(at) = aggregate.function => {
                    let cell = frame.column(column, span)?;
                    if let Entry::Vacant(place) = ranked.entry(column) {
                        place.insert(self.ranked_in_groups(cells, cell, &frame, starts));
                    }
                    let known = &ranked[&column];
                    let count = match known.known {
                        Some(known) => folds.count(self, Some(known), &rows),
                        None => members,
                    };
                    let weighed = self.weighed(at, known);
                    Some(Planned { count, fold: Some((Fold::Sum, folds.add(Fold::Sum, weighed))) })
                }
                (true, Some(column)) if aggregate.distinct => {
                    let cell = frame.column(column, span)?;
                    Some(self.each_once_in_groups(&mut folds, aggregate, cells, cell, &frame))
                }
                (true, Some(column)) => {
                    let cell =
                        carried.iter().find(|(number, _)| *number == column).map(|(_, cell)| *cell);
                    cell.map(|cell| {
                        self.folded(&mut folds, aggregate.function, cell, members, &rows)
                    })
                }
            });
        }
        let folded = folds.run(self, starts);
        // A row is the last one of its group if the next one begins another.
        let ends = self.b.shift(starts, 0, -1, 1);
        let mut last = self.and(Some(ends), valid).unwrap_or(ends);
        if let Some(least) = of.suppress.filter(|least| *least > 1) {
            let enough = self.b.ge(folded.sums[members], i128::from(least));
            last = self.b.and(last, enough);
        }
        // What is folded is cut before means are computed. Where other columns have a bit that says what is known, these have the
        // number of rows that count.
        let keys = columns.len();
        for planned in planned.iter().flatten() {
            let value = match planned.fold {
                Some((fold, at)) => folded.of(fold)[at],
                None => folded.sums[planned.count],
            };
            columns.push(Some(Cell { value, known: Some(folded.sums[planned.count]) }));
        }
        let order = Some((0..keys).collect());
        let frame = Frame {
            valid: Some(last),
            at_most: Some(most),
            grouped: true,
            order,
            gaps: true,
            ..Frame::of(columns, rows)
        };
        let frame = match most <= self.most(&frame.rows) / WORTHWHILE {
            true => self.compact(frame, most),
            false => frame,
        };
        Ok(self.finished(of, frame, keys))
    }

    /// Aggregates out of folds and counts, which stand in their columns.
    fn finished(&mut self, of: &GroupsOf<'_>, frame: Frame, keys: usize) -> Frame {
        let mut folded = frame.columns[keys..].iter().copied().flatten();
        let mut columns = frame.columns[..keys].to_vec();
        for (number, aggregate) in of.aggregates.iter().enumerate() {
            let cell = if of.used[number] { folded.next() } else { None };
            columns.push(cell.map(|Cell { value, known: count }| {
                self.at(&aggregate.span);
                let column = aggregate.column.map(|column| &of.input.fields[column]);
                let (Some(field), Some(count)) = (column, count) else {
                    return Cell { value, known: None };
                };
                let known = field.nullable.then(|| self.b.gt(count, 0));
                match aggregate.function {
                    Function::Count => Cell { value, known: None },
                    Function::Mean => {
                        Cell { value: self.group_mean(of, number, value, count), known }
                    }
                    Function::Min | Function::Max => {
                        Cell { value: self.of_kind(value, &field.kind), known }
                    }
                    Function::Sum => Cell { value, known },
                    Function::Quantile(at) => {
                        let (kind, fraction) = (&field.kind, fraction_of(&of.fields[number]));
                        let value =
                            self.quantile_of(at, value, kind, of.intervals[number], fraction);
                        Cell { value, known }
                    }
                }
            }));
        }
        Frame { columns, ..frame }
    }

    /// The mean that an aggregate is, of a group's sum and count.
    fn group_mean(&mut self, of: &GroupsOf<'_>, number: usize, sum: Value, count: Value) -> Value {
        let column = of.aggregates[number].column.unwrap_or_default();
        let (kind, fraction) = (&of.input.fields[column].kind, fraction_of(&of.fields[number]));
        self.mean(sum, count, kind, of.intervals[number], fraction)
    }

    /// What is folded of a column in rows ordered by the keys.
    pub fn folded(
        &mut self,
        folds: &mut Folds,
        function: Function,
        cell: Cell,
        members: usize,
        rows: &Extent,
    ) -> Planned {
        let count = match cell.known {
            Some(known) => folds.count(self, Some(known), rows),
            None => members,
        };
        let counted = Counted { value: cell.value, counts: cell.known };
        let Interval { low, high } = self.interval(cell.value);
        let (fold, other) = match function {
            // Quantiles are computed apart.
            Function::Count | Function::Quantile(_) => return Planned { count, fold: None },
            Function::Sum | Function::Mean => (Fold::Sum, 0),
            Function::Min => (Fold::Min, high),
            Function::Max => (Fold::Max, low),
        };
        let kept = self.unless_counted(&counted, other);
        Planned { count, fold: Some((fold, folds.add(fold, kept))) }
    }

    /// Counts, or sums, of values of which equal ones count once: rows are sorted by the keys and these values. Groups lie where they
    /// lie among rows sorted by the keys alone.
    fn each_once_in_groups(
        &mut self,
        folds: &mut Folds,
        aggregate: &Aggregate,
        keys: &[Cell],
        cell: Cell,
        frame: &Frame,
    ) -> Planned {
        let all: Vec<Cell> = keys.iter().copied().chain([cell]).collect();
        let words = self.key_words(frame.valid, &all, Some(false));
        let values: Vec<Value> = [cell.value].into_iter().chain(cell.known).collect();
        let (values, words) = self.sorted_values(&values, &words);
        let new = self.starts(&words, &frame.rows);
        let counts = self.and(Some(new), values.get(1).copied()).unwrap_or(new);
        let count = folds.count(self, Some(counts), &frame.rows);
        if aggregate.function == Function::Count {
            return Planned { count, fold: None };
        }
        let value = values.first().copied().unwrap_or(cell.value);
        let kept = self.unless_counted(&Counted { value, counts: Some(counts) }, 0);
        Planned { count, fold: Some((Fold::Sum, folds.add(Fold::Sum, kept))) }
    }
}

/// Whether rows are better added to the places of their groups than sorted, in so many columns.
fn places_pay(places: u128, rows: u128, columns: u128) -> bool {
    let lookups = places.saturating_mul(columns);
    let few = lookups <= LIKE_A_SORT || lookups.saturating_mul(rows) <= FEW_LOOKUPS;
    places <= MOST_PLACES && few
}

/// How many columns are added up for an aggregate, beside the count of all rows.
fn sums_of(aggregate: &Aggregate, frame: &Frame) -> u128 {
    let cell = aggregate.column.and_then(|column| frame.columns[column]);
    let summed = aggregate.function != Function::Count;
    let counted = cell.is_some_and(|cell| cell.known.is_some());
    u128::from(summed && cell.is_some()) + u128::from(counted)
}

impl Digit {
    /// Values, and null if there may be some.
    fn places(&self) -> i128 {
        self.values + i128::from(self.nullable)
    }
}

/// What is computed of groups.
struct GroupsOf<'p> {
    input: &'p Plan,
    aggregates: &'p [Aggregate],
    /// What the aggregates are.
    fields: &'p [Field],
    used: &'p [bool],
    /// Where the values that are aggregated lie.
    intervals: Vec<Interval>,
    suppress: Option<u64>,
}

/// How an aggregate is computed: from the count of the rows that count for it, and from a fold.
pub(super) struct Planned {
    /// A sum of [`Folds`].
    pub count: usize,
    pub fold: Option<(Fold, usize)>,
}

/// Columns that are folded by the segments of groups: all of one kind together.
#[derive(Default)]
pub(super) struct Folds {
    sums: Vec<Value>,
    least: Vec<Value>,
    greatest: Vec<Value>,
}

impl Folds {
    pub fn of(&self, fold: Fold) -> &[Value] {
        match fold {
            Fold::Min => &self.least,
            Fold::Max => &self.greatest,
            _ => &self.sums,
        }
    }

    pub fn add(&mut self, fold: Fold, column: Value) -> usize {
        let all = match fold {
            Fold::Min => &mut self.least,
            Fold::Max => &mut self.greatest,
            _ => &mut self.sums,
        };
        all.push(column);
        all.len() - 1
    }

    /// The number of rows whose bit is one.
    pub fn count(&mut self, lowering: &mut Lowering<'_>, bits: Bits, rows: &Extent) -> usize {
        let ones = lowering.or_ones(bits, rows);
        let ones = lowering.b.cast(ones, Element::uint(8));
        self.add(Fold::Sum, ones)
    }

    pub fn run(&self, lowering: &mut Lowering<'_>, starts: Value) -> Folds {
        let mut run = |fold, columns: &[Value]| match columns {
            [] => Vec::new(),
            columns => lowering.b.segments(fold, starts, columns),
        };
        Folds {
            sums: run(Fold::Sum, &self.sums),
            least: run(Fold::Min, &self.least),
            greatest: run(Fold::Max, &self.greatest),
        }
    }
}

/// A raw value of an element, as a number.
fn number(element: Element, raw: i128) -> Number {
    match element {
        Element::Fixed { fraction, .. } => {
            Number::Float(raw as f64 / 2f64.powi(i32::from(fraction)))
        }
        _ => Number::Int(raw),
    }
}

#[cfg(test)]
mod tests {
    use super::places_pay;

    #[test]
    fn places_cost_a_lookup_for_each_row_and_column() {
        // Twenty cells of means, of however many rows.
        assert!(places_pay(20, 10_000_000, 2));
        assert!(places_pay(512, 5000, 3));
        // As slow as a sort, or slower.
        assert!(!places_pay(90, 330_000, 3));
        assert!(!places_pay(513, 10, 1));
    }
}
