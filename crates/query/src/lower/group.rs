//! Groups.
//!
//! Where all keys are of small public domains and what is asked for are counts, sums and means, every group that there may be has
//! a place, and rows are added to the places of their keys. Else rows are sorted by their keys: the rows of a group lie together,
//! what is asked of it has been folded in its last row, and that row stands for it.

use super::frame::{Cell, Frame};
use super::spread::Of;
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
            .flat_map(|(aggregate, _)| aggregate.columns())
            .for_each(|column| needed[column] = true);
        let frame = self.plan(input, &needed)?;
        self.at(&plan.span);
        let cells = keys.iter().map(|key| frame.column(*key, &plan.span));
        let cells = cells.collect::<Result<Vec<_>>>()?;
        let digits: Vec<Digit> = cells.iter().map(|cell| self.places_of(cell)).collect();
        let places = digits.iter().map(Digit::places).fold(1i128, i128::saturating_mul);
        let additive = |it: &Aggregate| !it.distinct && it.function.is_additive();
        let asked = aggregates.iter().zip(&used).filter(|(_, used)| **used).map(|(it, _)| it);
        // Columns that are added up: of each aggregate a sum, and how many rows count where that is another number than others have.
        let columns: u128 = asked.clone().map(|it| sums_of(it, &frame)).sum();
        let work = 1 + columns;
        let rows = u128::from(self.most(&frame.rows));
        let placed = asked.clone().all(additive) && places_pay(places.unsigned_abs(), rows, work);
        let of = aggregates.iter().map(|aggregate| {
            let column = aggregate.column.unwrap_or_default();
            [column, aggregate.other.unwrap_or(column)].map(|column| {
                let cell = frame.columns.get(column).copied().flatten();
                cell.map_or(Interval::point(0), |cell| self.interval(cell.value))
            })
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
                self.by_order(&groups, frame, (keys, &cells), most, &plan.span)?
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
            let (cell, other) = of.cells(number, column, frame)?;
            let known = self.and(cell.known, other.and_then(|other| other.known));
            let counts = self.and(frame.valid, known);
            let count = match known {
                Some(_) => self.b.group_count(by(counts)),
                None => members,
            };
            let some = known.map(|_| self.b.gt(count, 0));
            columns.push(Some(match aggregate.function {
                Function::Count => Cell { value: count, known: None },
                Function::Sum | Function::Mean => {
                    let sum = self.b.group_sum(cell.value, by(counts));
                    let value = match aggregate.function {
                        Function::Mean => self.group_mean(of, number, sum, count),
                        _ => sum,
                    };
                    Cell { value, known: some }
                }
                function => {
                    let cells = [cell.value, other.unwrap_or(cell).value];
                    let own = of.several(number);
                    let parts = self.several(function, cells, &own, &aggregate.span)?;
                    let sums: Vec<Value> = parts
                        .into_iter()
                        .map(|(_, value, _)| self.b.group_sum(value, by(counts)))
                        .collect();
                    let made = self.of_several(function, &sums, count, &own);
                    Cell { known: self.and(some, made.known), ..made }
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
        (keys, cells): (&[usize], &[Cell]),
        most: u64,
        span: &Span,
    ) -> Result<Frame> {
        let rows = frame.rows.clone();
        let keyed = match self.in_runs(of, &frame, (keys, cells))? {
            Some(keyed) => keyed,
            None => self.in_key_order(of, &frame, cells, span)?,
        };
        let mut folds = Folds::default();
        let members = folds.count(self, keyed.valid, &rows);
        let planned = self.planned(of, (&frame, cells), &keyed, (&mut folds, members))?;
        let folded = folds.run(self, keyed.starts);
        let last = self.last_of_groups(of, &keyed, folded.sums[members]);
        // What is folded is cut before means are computed. Where other columns have a bit that says what is known, these have the
        // number of rows that count.
        let mut columns: Vec<Option<Cell>> = keyed.keys.iter().copied().map(Some).collect();
        for planned in planned.iter().flatten() {
            let known = Some(folded.sums[planned.count]);
            let values = planned.folds.iter().map(|(fold, at)| folded.of(*fold)[*at]);
            let mut values: Vec<Value> = values.collect();
            if values.is_empty() {
                values.push(folded.sums[planned.count]);
            }
            columns.extend(values.into_iter().map(|value| Some(Cell { value, known })));
        }
        let frame = Frame {
            valid: Some(last),
            at_most: Some(most),
            grouped: true,
            order: Some(keyed.order),
            gaps: true,
            ..Frame::of(columns, rows)
        };
        let frame = match most <= self.most(&frame.rows) / WORTHWHILE {
            true => self.compact(frame, most),
            false => frame,
        };
        Ok(self.finished(of, frame, keys.len()))
    }

    /// Rows that lie together already, as a join has left them.
    fn in_runs(
        &mut self,
        of: &GroupsOf<'_>,
        frame: &Frame,
        (keys, cells): (&[usize], &[Cell]),
    ) -> Result<Option<Keyed>> {
        let Some(runs) = &frame.runs else { return Ok(None) };
        let Some(order) = runs.groups(keys).filter(|_| !of.used().any(is_apart)) else {
            return Ok(None);
        };
        let mut carried = HashMap::new();
        for column in of.used().flat_map(Aggregate::columns) {
            carried.insert(column, frame.column(column, &Span::default())?);
        }
        let starts = self.starts(&runs.words, &frame.rows);
        let (keys, valid) = (cells.to_vec(), frame.valid);
        Ok(Some(Keyed { keys, valid, mixed: true, carried, starts, order }))
    }

    /// Rows sorted by their keys, those that are not valid behind all others.
    fn in_key_order(
        &mut self,
        of: &GroupsOf<'_>,
        frame: &Frame,
        cells: &[Cell],
        span: &Span,
    ) -> Result<Keyed> {
        // Columns that are counted apart are sorted apart, too.
        let mut carried: Vec<usize> = Vec::new();
        for column in of.used().filter(|it| !is_apart(it)).flat_map(Aggregate::columns) {
            if !carried.contains(&column) {
                carried.push(column);
            }
        }
        let others = carried.iter().map(|column| frame.column(*column, span));
        let others = others.collect::<Result<Vec<_>>>()?;
        let all = cells.iter().chain(&others);
        let mut values: Vec<Value> =
            all.flat_map(|cell| [Some(cell.value), cell.known]).flatten().collect();
        values.extend(frame.valid);
        let words = self.key_words(frame.valid, cells, Some(false));
        let (sorted, words) = self.sorted_values(&values, &words);
        let mut sorted = sorted.into_iter();
        let mut next = |like: Cell| Cell {
            value: sorted.next().unwrap_or(like.value),
            known: like.known.map(|known| sorted.next().unwrap_or(known)),
        };
        let keys: Vec<Cell> = cells.iter().map(|cell| next(*cell)).collect();
        let carried = carried.into_iter().zip(others.into_iter().map(&mut next)).collect();
        let valid = frame.valid.map(|valid| next(Cell { value: valid, known: None }).value);
        let starts = self.starts(&words, &frame.rows);
        let order = (0..keys.len()).collect();
        Ok(Keyed { keys, valid, mixed: false, carried, starts, order })
    }

    /// What is folded for each aggregate.
    fn planned(
        &mut self,
        of: &GroupsOf<'_>,
        (frame, cells): (&Frame, &[Cell]),
        keyed: &Keyed,
        (folds, members): (&mut Folds, usize),
    ) -> Result<Vec<Option<Planned>>> {
        let mut planned = Vec::new();
        let mut ranked = HashMap::new();
        // Rows that are not valid lie apart, unless they are mixed with others.
        let valid = keyed.valid.filter(|_| keyed.mixed);
        for (number, aggregate) in of.aggregates.iter().enumerate() {
            self.at(&aggregate.span);
            let column = aggregate.column.filter(|_| of.used[number]);
            planned.push(match column {
                None if !of.used[number] => None,
                None => Some(Planned { count: members, folds: Vec::new() }),
                Some(column) if let Function::Quantile(at) = aggregate.function => {
                    let cell = frame.column(column, &aggregate.span)?;
                    if let Entry::Vacant(place) = ranked.entry(column) {
                        place.insert(self.ranked_in_groups(cells, cell, frame, keyed.starts));
                    }
                    let known = &ranked[&column];
                    let count = match known.known {
                        Some(known) => folds.count(self, Some(known), &frame.rows),
                        None => members,
                    };
                    let weighed = self.weighed(at, known);
                    let folds = vec![(Fold::Sum, folds.add(Fold::Sum, weighed))];
                    Some(Planned { count, folds })
                }
                Some(column) if aggregate.distinct => {
                    let cell = frame.column(column, &aggregate.span)?;
                    Some(self.each_once_in_groups(folds, aggregate, cells, cell, frame))
                }
                Some(column) if aggregate.function.is_ranged() => {
                    let cell = (keyed.carried[&column], valid);
                    Some(self.folded(folds, aggregate.function, cell, members, &frame.rows))
                }
                Some(column) => {
                    let both = [column, aggregate.other.unwrap_or(column)];
                    let cells = both.map(|column| keyed.carried[&column]);
                    Some(self.several_folded(
                        of,
                        number,
                        (cells, valid),
                        (folds, members),
                        frame,
                    )?)
                }
            });
        }
        Ok(planned)
    }

    /// What is folded for an aggregate of several columns.
    fn several_folded(
        &mut self,
        of: &GroupsOf<'_>,
        number: usize,
        (cells, valid): ([Cell; 2], Bits),
        (folds, members): (&mut Folds, usize),
        frame: &Frame,
    ) -> Result<Planned> {
        let aggregate = &of.aggregates[number];
        let known = match aggregate.other {
            Some(_) => self.and(cells[0].known, cells[1].known),
            None => cells[0].known,
        };
        let counts = self.and(valid, known);
        let count = match known {
            Some(_) => folds.count(self, counts, &frame.rows),
            None => members,
        };
        let own = of.several(number);
        let values = cells.map(|cell| cell.value);
        let mut planned = Planned { count, folds: Vec::new() };
        for (fold, value, other) in
            self.several(aggregate.function, values, &own, &aggregate.span)?
        {
            let kept = self.unless_counted(&Counted { value, counts }, other);
            planned.folds.push((fold, folds.add(fold, kept)));
        }
        Ok(planned)
    }

    /// The bit of the last row of each group that is there, and large enough.
    fn last_of_groups(&mut self, of: &GroupsOf<'_>, keyed: &Keyed, members: Value) -> Value {
        // A row is the last one of its group if the next one begins another.
        let ends = self.b.shift(keyed.starts, 0, -1, 1);
        let least = i128::from(of.suppress.unwrap_or(1).max(1));
        let valid = keyed.valid.filter(|_| !keyed.mixed);
        let last = self.and(Some(ends), valid).unwrap_or(ends);
        // Where rows that are not valid are mixed with others, there may be no others.
        if least == 1 && !(keyed.mixed && keyed.valid.is_some()) {
            return last;
        }
        let enough = self.b.ge(members, least);
        self.b.and(last, enough)
    }

    /// Aggregates out of folds and counts, which stand in their columns.
    fn finished(&mut self, of: &GroupsOf<'_>, frame: Frame, keys: usize) -> Frame {
        let mut folded = frame.columns[keys..].iter().copied().flatten();
        let mut columns = frame.columns[..keys].to_vec();
        for (number, aggregate) in of.aggregates.iter().enumerate() {
            let parts = if of.used[number] { Self::folded_columns(aggregate.function) } else { 0 };
            let cells: Vec<Cell> = folded.by_ref().take(parts).collect();
            self.at(&aggregate.span);
            let cell = cells.first().map(|cell| self.aggregate_of(of, number, *cell, &cells));
            columns.push(cell);
        }
        Frame { columns, ..frame }
    }

    /// An aggregate out of its folds, the first of which stands beside the number of rows that count.
    fn aggregate_of(
        &mut self,
        of: &GroupsOf<'_>,
        number: usize,
        Cell { value, known: count }: Cell,
        folded: &[Cell],
    ) -> Cell {
        let aggregate = &of.aggregates[number];
        let nullable = aggregate.columns().iter().any(|column| of.input.fields[*column].nullable);
        let (Some(column), Some(count)) = (aggregate.column, count) else {
            return Cell { value, known: None };
        };
        let field = &of.input.fields[column];
        if aggregate.function == Function::Count {
            return Cell { value, known: None };
        }
        let known = nullable.then(|| self.b.gt(count, 0));
        let value = match aggregate.function {
            Function::Mean => self.group_mean(of, number, value, count),
            Function::Min | Function::Max => self.of_kind(value, &field.kind),
            Function::Sum | Function::Count => value,
            Function::Quantile(at) => {
                let fraction = fraction_of(&of.fields[number]);
                self.quantile_of(at, value, &field.kind, of.intervals[number][0], fraction)
            }
            function => {
                let folded: Vec<Value> = folded.iter().map(|cell| cell.value).collect();
                let made = self.of_several(function, &folded, count, &of.several(number));
                return Cell { known: self.and(known, made.known), ..made };
            }
        };
        Cell { value, known }
    }

    /// The mean that an aggregate is, of a group's sum and count.
    fn group_mean(&mut self, of: &GroupsOf<'_>, number: usize, sum: Value, count: Value) -> Value {
        let column = of.aggregates[number].column.unwrap_or_default();
        let (kind, fraction) = (&of.input.fields[column].kind, fraction_of(&of.fields[number]));
        self.mean(sum, count, kind, of.intervals[number][0], fraction)
    }

    /// What is folded of a column in rows ordered by the keys, and of those of them that are valid, where others are among them.
    pub fn folded(
        &mut self,
        folds: &mut Folds,
        function: Function,
        (cell, valid): (Cell, Bits),
        members: usize,
        rows: &Extent,
    ) -> Planned {
        let counts = self.and(valid, cell.known);
        let count = match cell.known {
            Some(_) => folds.count(self, counts, rows),
            None => members,
        };
        let counted = Counted { value: cell.value, counts };
        let Interval { low, high } = self.interval(cell.value);
        let (fold, other) = match function {
            Function::Sum | Function::Mean => (Fold::Sum, 0),
            Function::Min => (Fold::Min, high),
            Function::Max => (Fold::Max, low),
            // Others are computed apart.
            _ => return Planned { count, folds: Vec::new() },
        };
        let kept = self.unless_counted(&counted, other);
        Planned { count, folds: vec![(fold, folds.add(fold, kept))] }
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
            return Planned { count, folds: Vec::new() };
        }
        let value = values.first().copied().unwrap_or(cell.value);
        let kept = self.unless_counted(&Counted { value, counts: Some(counts) }, 0);
        Planned { count, folds: vec![(Fold::Sum, folds.add(Fold::Sum, kept))] }
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
    let counted = cell.is_some_and(|cell| cell.known.is_some());
    let sums = match aggregate.function {
        Function::Count => 0,
        function => Lowering::folded_columns(function),
    };
    sums as u128 + u128::from(counted)
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
    intervals: Vec<[Interval; 2]>,
    suppress: Option<u64>,
}

impl GroupsOf<'_> {
    /// The aggregates that are asked for.
    fn used(&self) -> impl Iterator<Item = &Aggregate> {
        self.aggregates.iter().zip(self.used).filter(|(_, used)| **used).map(|(it, _)| it)
    }

    /// The columns that an aggregate is of, the first of which has this number.
    fn cells(&self, number: usize, column: usize, frame: &Frame) -> Result<(Cell, Option<Cell>)> {
        let Aggregate { other, span, .. } = &self.aggregates[number];
        let other = other.map(|other| frame.column(other, span)).transpose()?;
        Ok((frame.column(column, span)?, other))
    }

    /// What an aggregate of several folds is of.
    fn several(&self, number: usize) -> Of<'_> {
        let column = self.aggregates[number].column.unwrap_or_default();
        let both = [column, self.aggregates[number].other.unwrap_or(column)];
        let kinds = both.map(|column| &self.input.fields[column].kind);
        Of { kinds, within: self.intervals[number], fraction: fraction_of(&self.fields[number]) }
    }
}

/// Rows of groups that lie together.
struct Keyed {
    keys: Vec<Cell>,
    valid: Bits,
    /// Whether rows that are not valid lie among others.
    mixed: bool,
    /// Columns that are folded, by their numbers.
    carried: HashMap<usize, Cell>,
    /// Whether a row is the first of its group.
    starts: Value,
    /// By which keys groups are in ascending order, strictly.
    order: Vec<usize>,
}

/// Whether an aggregate needs rows in an order of its own.
fn is_apart(aggregate: &Aggregate) -> bool {
    aggregate.distinct || matches!(aggregate.function, Function::Quantile(_))
}

/// How an aggregate is computed: from the count of the rows that count for it, and from what is folded.
pub(super) struct Planned {
    /// A sum of [`Folds`].
    pub count: usize,
    pub folds: Vec<(Fold, usize)>,
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
