//! Aggregates of all rows, and what is made of sums and counts.

use super::frame::{Cell, Frame};
use super::quantile::Ranked;
use super::spread::Of;
use super::{Bits, Lowering, expr};
use crate::error::Result;
use crate::kind::Kind;
use crate::plan::{Aggregate, Field, Function, Plan};
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use tacit_program::build::Value;
use tacit_program::{Extent, Fold, Interval};

/// A column that is aggregated, with the rows of it that count.
pub(super) struct Counted {
    pub value: Value,
    /// The rows that are valid, and where the column is known. None: all.
    pub counts: Bits,
}

impl Lowering<'_> {
    /// One row with aggregates of all rows.
    pub fn total(
        &mut self,
        input: &Plan,
        aggregates: &[Aggregate],
        fields: &[Field],
        wanted: &[bool],
    ) -> Result<Frame> {
        let mut needed = vec![false; input.fields.len()];
        let pairs = aggregates.iter().zip(wanted).filter(|(_, wanted)| **wanted);
        pairs
            .flat_map(|(aggregate, _)| aggregate.columns())
            .for_each(|column| needed[column] = true);
        let frame = self.plan(input, &needed)?;
        let mut columns = Vec::new();
        let mut ranked = HashMap::new();
        for ((aggregate, field), wanted) in aggregates.iter().zip(fields).zip(wanted) {
            if !wanted {
                columns.push(None);
                continue;
            }
            self.at(&aggregate.span);
            let cell = match aggregate.column {
                None => Cell { value: self.count_of(frame.valid, &frame.rows), known: None },
                Some(column) => {
                    let both = [column, aggregate.other.unwrap_or(column)];
                    let kinds = both.map(|column| &input.fields[column].kind);
                    let [a, b] = both.map(|column| frame.column(column, &aggregate.span));
                    self.total_of((aggregate, field), kinds, [a?, b?], (&frame, &mut ranked))?
                }
            };
            let one = vec![Extent::fixed(1)];
            columns.push(Some(Cell {
                value: self.b.reshape(cell.value, one.clone()),
                known: cell.known.map(|known| self.b.reshape(known, one)),
            }));
        }
        self.checked(Frame {
            order: Some(Vec::new()),
            grouped: true,
            placed: true,
            ..Frame::of(columns, Extent::fixed(1))
        })
    }

    /// An aggregate of all rows that are valid and known. Columns that are in ascending order already are `ranked`.
    pub fn total_of(
        &mut self,
        (aggregate, field): (&Aggregate, &Field),
        kinds: [&Kind; 2],
        cells: [Cell; 2],
        (frame, ranked): (&Frame, &mut HashMap<usize, Ranked>),
    ) -> Result<Cell> {
        if !aggregate.function.is_ranged() && !matches!(aggregate.function, Function::Quantile(_)) {
            return self.total_of_several((aggregate, field), kinds, cells, frame);
        }
        let ([cell, _], [kind, _]) = (cells, kinds);
        let counts = self.and(frame.valid, cell.known);
        let counted = match aggregate.distinct {
            true => self.each_once(cell.value, counts, frame),
            false => Counted { value: cell.value, counts },
        };
        let count = self.count_of(counted.counts, &frame.rows);
        let of = self.interval(counted.value);
        if aggregate.function == Function::Count {
            return Ok(Cell { value: count, known: None });
        }
        let known = match counted.counts.is_none() && self.least(&frame.rows) > 0 {
            true => None,
            false => Some(self.b.gt(count, 0)),
        };
        let value = match aggregate.function {
            Function::Quantile(at) => {
                let column = aggregate.column.unwrap_or_default();
                if let Entry::Vacant(place) = ranked.entry(column) {
                    place.insert(self.ranked(&counted, count, frame));
                }
                let weighed = self.weighed(at, &ranked[&column]);
                let sum = self.b.sum(weighed, 0);
                self.quantile_of(at, sum, kind, of, fraction_of(field))
            }
            // Of no rows, as LIMIT 0 leaves them, nothing is least: the value is not known.
            Function::Min | Function::Max if frame.rows.known() == Some(0) => {
                let nothing = self.filling(counted.value, &Extent::fixed(1));
                self.b.reshape(nothing, Vec::new())
            }
            Function::Min | Function::Max => {
                let greatest = aggregate.function == Function::Max;
                let kept = self.unless_counted(&counted, if greatest { of.low } else { of.high });
                let extreme =
                    if greatest { self.b.max_over(kept, 0) } else { self.b.min_over(kept, 0) };
                self.of_kind(extreme, kind)
            }
            _ => {
                let kept = self.unless_counted(&counted, 0);
                let sum = self.b.sum(kept, 0);
                match aggregate.function {
                    Function::Mean => self.mean(sum, count, kind, of, fraction_of(field)),
                    _ => sum,
                }
            }
        };
        Ok(Cell { value, known })
    }

    /// An aggregate of which several columns are folded.
    fn total_of_several(
        &mut self,
        (aggregate, field): (&Aggregate, &Field),
        kinds: [&Kind; 2],
        cells: [Cell; 2],
        frame: &Frame,
    ) -> Result<Cell> {
        let both = match aggregate.other {
            Some(_) => self.and(cells[0].known, cells[1].known),
            None => cells[0].known,
        };
        let counts = self.and(frame.valid, both);
        let count = self.count_of(counts, &frame.rows);
        let within = cells.map(|cell| self.interval(cell.value));
        let of = Of { kinds, within, fraction: fraction_of(field) };
        let cells = cells.map(|cell| cell.value);
        let none = frame.rows.known() == Some(0);
        let mut folded = Vec::new();
        for (fold, value, other) in self.several(aggregate.function, cells, &of, &aggregate.span)? {
            let kept = self.unless_counted(&Counted { value, counts }, other);
            folded.push(match fold {
                // Of no rows, as LIMIT 0 leaves them, nothing is least.
                Fold::Min | Fold::Max if none => {
                    let nothing = self.filling(kept, &Extent::fixed(1));
                    self.b.reshape(nothing, Vec::new())
                }
                Fold::Min => self.b.min_over(kept, 0),
                Fold::Max => self.b.max_over(kept, 0),
                _ => self.b.sum(kept, 0),
            });
        }
        let cell = self.of_several(aggregate.function, &folded, count, &of);
        let some = self.b.gt(count, 0);
        Ok(Cell { known: self.and(Some(some), cell.known), ..cell })
    }

    /// How many rows count.
    pub fn count_of(&mut self, counts: Bits, rows: &Extent) -> Value {
        match counts {
            Some(counts) => self.b.sum(counts, 0),
            None => self.b.row_count(rows.clone()),
        }
    }

    /// A column as numbers, with another raw value where it does not count.
    pub fn unless_counted(&mut self, counted: &Counted, other: i128) -> Value {
        let value = self.numbers(counted.value);
        let Some(counts) = counted.counts else { return value };
        let Some(ty) = self.b.type_of(value).cloned() else { return value };
        let other = self.raw(ty.element, other);
        self.b.select(counts, value, other)
    }

    /// Bits as numbers.
    pub fn numbers(&mut self, value: Value) -> Value {
        match self.b.type_of(value).map(|ty| ty.element) {
            Some(tacit_program::Element::Bit) => {
                self.b.cast(value, tacit_program::Element::uint(8))
            }
            _ => value,
        }
    }

    /// The least or greatest of numbers, as bits if that is what they are.
    pub fn of_kind(&mut self, value: Value, kind: &Kind) -> Value {
        if *kind == Kind::Bit { self.b.gt(value, 0) } else { value }
    }

    /// A column in its own order, with the bits of the rows that count and have no equal above them.
    fn each_once(&mut self, value: Value, counts: Bits, frame: &Frame) -> Counted {
        let cell = Cell { value, known: None };
        let words = self.key_words(counts, &[cell], None);
        let values: Vec<Value> = [value].into_iter().chain(counts).collect();
        let (values, words) = self.sorted_values(&values, &words);
        let starts = self.starts(&words, &frame.rows);
        let counts = self.and(Some(starts), values.get(1).copied());
        Counted { value: values.first().copied().unwrap_or(value), counts }
    }

    /// `sum / count`, rounded down, of values in an interval.
    pub fn mean(
        &mut self,
        sum: Value,
        count: Value,
        kind: &Kind,
        of: Interval,
        fraction: u8,
    ) -> Value {
        let scale = if let Kind::Decimal { scale } = kind { *scale } else { 0 };
        let unit = expr::ten(scale);
        let count = self.b.max(count, 1);
        let count = if scale == 0 { count } else { self.b.mul(count, unit) };
        let bound = Interval { low: of.low.div_euclid(unit), high: -(-of.high).div_euclid(unit) };
        self.b.over_count(sum, count, bound, fraction)
    }
}

/// The bits behind the point of a mean.
pub(super) fn fraction_of(field: &Field) -> u8 {
    if let Kind::Fixed { fraction } = field.kind { fraction } else { 0 }
}
