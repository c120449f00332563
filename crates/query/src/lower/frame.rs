//! Tables under way.

use super::{Bits, Lowering, keys};
use crate::error::{QueryError, Result};
use crate::plan::Plan;
use tacit_program::build::Value;
use tacit_program::{Element, Extent, Interval, Span};

/// A column, or a value that is computed for every row. Where it is null, its value is anything.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cell {
    pub value: Value,
    /// A bit that is one where it is not null. None: it never is.
    pub known: Bits,
}

/// A table under way.
#[derive(Clone, Debug)]
pub(super) struct Frame {
    /// Its columns, those that are wanted of it.
    pub columns: Vec<Option<Cell>>,
    /// How many rows there are, with those that are not valid.
    pub rows: Extent,
    /// A bit that is one for the rows that belong to the table. None: all do.
    pub valid: Bits,
    /// The most rows that are valid, where that is less than `rows`.
    pub at_most: Option<u64>,
    /// Whether its rows are groups, of which so many are shown as there can be, if these are not many.
    pub grouped: bool,
    /// Columns by whose values valid rows are in order, strictly: nulls last. The place of a row among the valid ones says no more
    /// than these values.
    pub order: Option<Vec<usize>>,
    /// Where rows lie that have something in common, if they lie together.
    pub runs: Option<Runs>,
    /// Whether the place of each row is public, as a function of the columns of `order`.
    pub placed: bool,
    /// Whether rows that are not valid stand among others for reasons that nobody may know.
    pub gaps: bool,
}

impl Frame {
    /// All rows of some columns.
    pub fn of(columns: Vec<Option<Cell>>, rows: Extent) -> Self {
        let (valid, at_most, order) = (None, None, None);
        Frame {
            columns,
            rows,
            valid,
            at_most,
            grouped: false,
            order,
            runs: None,
            placed: false,
            gaps: false,
        }
    }

    /// The column of a number. Only columns that were wanted are asked for.
    pub fn column(&self, number: usize, span: &Span) -> Result<Cell> {
        let column = self.columns.get(number).copied().flatten();
        column.ok_or_else(|| QueryError::new(span, "a column that its operator does not have"))
    }

    /// All values: of columns, of what is known of them, and which rows are valid.
    pub fn values(&self) -> Vec<Value> {
        let cells = self.columns.iter().flatten();
        let columns = cells.flat_map(|cell| std::iter::once(cell.value).chain(cell.known));
        columns.chain(self.valid).collect()
    }

    /// The same table with other values, in the order of [`Frame::values`].
    pub fn with(&self, values: &[Value]) -> Self {
        let mut values = values.iter().copied();
        let mut next = |like: Value| values.next().unwrap_or(like);
        let mut frame = self.clone();
        for cell in frame.columns.iter_mut().flatten() {
            cell.value = next(cell.value);
            cell.known = cell.known.map(&mut next);
        }
        frame.valid = frame.valid.map(&mut next);
        frame.runs = None;
        frame
    }
}

/// Rows that lie one after the other where they have the same words, as a join leaves them. Some of them may not be valid.
#[derive(Clone, Debug)]
pub(super) struct Runs {
    /// In ascending order.
    pub words: Vec<keys::Word>,
    /// Columns from which the words are made, each by the numbers under which it is there: never null in valid rows.
    pub keys: Vec<Vec<usize>>,
    /// Further columns that have one value in all valid rows of a run, which the last row of the run has, too.
    pub alike: Vec<usize>,
}

impl Runs {
    /// Whether the rows of each run are a group by some columns: then where among these the columns are that words are made from.
    pub fn groups(&self, keys: &[usize]) -> Option<Vec<usize>> {
        let known =
            |key: &usize| self.alike.contains(key) || self.keys.iter().any(|of| of.contains(key));
        let place = |of: &Vec<usize>| keys.iter().position(|key| of.contains(key));
        let places = self.keys.iter().map(place).collect::<Option<Vec<usize>>>();
        places.filter(|_| keys.iter().all(known))
    }

    /// The same where each column has other numbers, perhaps none.
    pub fn moved(&self, places: impl Fn(usize) -> Vec<usize>) -> Runs {
        let all = |of: &Vec<usize>| of.iter().flat_map(|column| places(*column)).collect();
        let (words, keys) = (self.words.clone(), self.keys.iter().map(all).collect());
        Runs { words, keys, alike: all(&self.alike) }
    }
}

impl Lowering<'_> {
    /// The interval of a value's raw values.
    pub fn interval(&self, value: Value) -> Interval {
        self.b.type_of(value).map_or(Interval::point(0), |ty| ty.interval)
    }

    /// The most rows of a length.
    pub fn most(&self, rows: &Extent) -> u64 {
        self.b.row_bounds(rows).1.unwrap_or(u64::MAX)
    }

    /// The most rows of a table that are valid.
    pub fn most_valid(&self, frame: &Frame) -> u64 {
        let most = self.most(&frame.rows);
        frame.at_most.map_or(most, |valid| valid.min(most))
    }

    /// The least rows of a length.
    pub fn least(&self, rows: &Extent) -> u64 {
        self.b.row_bounds(rows).0.unwrap_or(0)
    }

    /// A value for every row.
    pub fn per_row(&mut self, value: Value, rows: &Extent) -> Value {
        let whole = self.b.type_of(value).is_some_and(|ty| !ty.shape.is_empty());
        if whole { value } else { self.b.broadcast_to(value, vec![rows.clone()]) }
    }

    /// A bit in every row.
    pub fn bits(&mut self, bit: bool, rows: &Extent) -> Value {
        let bit = self.b.constant(Element::Bit, i32::from(bit));
        self.b.broadcast_to(bit, vec![rows.clone()])
    }

    /// Both.
    pub fn and(&mut self, a: Bits, b: Bits) -> Bits {
        match (a, b) {
            (Some(a), Some(b)) => Some(self.b.and(a, b)),
            (one, other) => one.or(other),
        }
    }

    /// The bit itself, where there is none a column of ones.
    pub fn or_ones(&mut self, bits: Bits, rows: &Extent) -> Value {
        bits.unwrap_or_else(|| self.bits(true, rows))
    }

    /// Rows of several plans with as many columns, one after the other.
    pub fn union(&mut self, inputs: &[Plan], wanted: &[bool]) -> Result<Frame> {
        let frames = inputs.iter().map(|input| self.plan(input, wanted));
        let frames = frames.collect::<Result<Vec<_>>>()?;
        let rows = frames.iter().fold(Extent::fixed(0), |rows, frame| rows + frame.rows.clone());
        let mut columns = Vec::new();
        for (number, wanted) in wanted.iter().enumerate() {
            if !wanted {
                columns.push(None);
                continue;
            }
            let cells =
                frames.iter().zip(inputs).map(|(frame, input)| frame.column(number, &input.span));
            let cells = cells.collect::<Result<Vec<_>>>()?;
            let values: Vec<Value> = cells.iter().map(|cell| cell.value).collect();
            let known: Vec<Bits> = cells.iter().map(|cell| cell.known).collect();
            let value = self.b.concat(&values, 0);
            columns.push(Some(Cell { value, known: self.stacked(&known, &frames) }));
        }
        let valid: Vec<Bits> = frames.iter().map(|frame| frame.valid).collect();
        let valid = self.stacked(&valid, &frames);
        let most = frames.iter().map(|frame| self.most_valid(frame));
        let at_most = Some(most.fold(0, u64::saturating_add));
        let grouped = frames.iter().all(|frame| frame.grouped);
        self.checked(Frame { valid, at_most, grouped, ..Frame::of(columns, rows) })
    }

    /// Bits of several tables, one after the other.
    fn stacked(&mut self, bits: &[Bits], frames: &[Frame]) -> Bits {
        if bits.iter().all(Option::is_none) {
            return None;
        }
        let pairs = bits.iter().zip(frames);
        let all: Vec<Value> = pairs.map(|(bits, frame)| self.or_ones(*bits, &frame.rows)).collect();
        Some(self.b.concat(&all, 0))
    }

    /// A value where a bit is one, else another raw one; of bits, zero.
    pub fn only_where(&mut self, bit: Value, value: Value, other: i128) -> Value {
        let Some(element) = self.b.type_of(value).map(|ty| ty.element) else { return value };
        if element == Element::Bit {
            return self.b.and(value, bit);
        }
        let other = self.raw(element, other);
        self.b.select(bit, value, other)
    }

    /// With rows that are not valid at the end, so many that there are at least `rows`.
    pub fn padded(&mut self, frame: Frame, rows: u64) -> Frame {
        let more = Extent::fixed(rows.saturating_sub(self.least(&frame.rows)));
        if more.constant == 0 {
            return frame;
        }
        let valid = self.or_ones(frame.valid, &frame.rows);
        let frame = Frame { valid: Some(valid), ..frame };
        let values = frame.values();
        let padded: Vec<Value> = values
            .iter()
            .map(|value| {
                let fill = self.filling(*value, &more);
                self.b.concat(&[*value, fill], 0)
            })
            .collect();
        // The last of the values says which rows are valid: for bits the filling is zero.
        let rows = frame.rows.clone() + more;
        Frame { rows, placed: false, gaps: true, ..frame.with(&padded) }
    }

    /// The value nearest to zero that another one may have, in so many rows: for rows that are not valid. Of bits it is zero, also where all
    /// of them are one, as bits are that say which rows are valid.
    pub fn filling(&mut self, value: Value, rows: &Extent) -> Value {
        let Some(ty) = self.b.type_of(value).cloned() else { return value };
        let nearest = match ty.element {
            Element::Bit => 0,
            _ => 0.clamp(ty.interval.low, ty.interval.high),
        };
        let fill = self.raw(ty.element, nearest);
        self.b.broadcast_to(fill, vec![rows.clone()])
    }

    /// A public number of an element, by its raw value.
    pub fn raw(&mut self, element: Element, raw: i128) -> Value {
        match element {
            Element::Fixed { fraction, .. } => {
                self.b.constant(element, raw as f64 / 2f64.powi(i32::from(fraction)))
            }
            _ => self.b.constant(element, raw),
        }
    }

    /// The first rows.
    pub fn cut(&mut self, frame: &Frame, rows: u64) -> Frame {
        let values = frame.values();
        let cut: Vec<Value> =
            values.iter().map(|value| self.b.slice(*value, 0, 0, rows, 1)).collect();
        let at_most = frame.at_most.filter(|most| *most < rows);
        Frame { rows: Extent::fixed(rows), at_most, ..frame.with(&cut) }
    }

    /// Valid rows first, in the order in which they are; not more than so many, which must hold all of them.
    pub fn compact(&mut self, frame: Frame, most: u64) -> Frame {
        let frame = self.padded(frame, most);
        let frame = self.brought_forward(frame);
        self.cut(&frame, most)
    }

    /// Valid rows first, in the order in which they are.
    pub fn brought_forward(&mut self, frame: Frame) -> Frame {
        let Some(valid) = frame.valid else { return frame };
        let last = self.b.not(valid);
        let frame = self.sorted_by(&frame, &[keys::Word { value: last, bits: 1 }]);
        Frame { gaps: false, placed: false, ..frame }
    }
}
