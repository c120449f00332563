//! Quantiles: values in ascending order, of which one or two count.
//!
//! Each row knows its place among the values of its group, and how many there are. What is asked for is a sum in which all other rows
//! have the weight zero: so that no division and no row's place in the table is needed to find it.

use super::frame::{Cell, Frame};
use super::total::Counted;
use super::{Bits, Lowering};
use crate::kind::Kind;
use crate::plan::Quantile;
use tacit_program::build::Value;
use tacit_program::{Element, Fold, Interval};

/// Values that are in ascending order, by groups or all together. Several quantiles of a column need them once.
pub(super) struct Ranked {
    value: Value,
    /// Which of them are there. None: all.
    pub known: Bits,
    /// The places of values, from zero on: those of a group that are not there come last.
    place: Value,
    /// How many values there are: for each row, or once.
    count: Value,
    /// The last rows of groups. None: there is one group.
    ends: Bits,
}

impl Lowering<'_> {
    /// All values that count, in ascending order.
    pub fn ranked(&mut self, counted: &Counted, count: Value, frame: &Frame) -> Ranked {
        let cell = Cell { value: counted.value, known: None };
        let words = self.key_words(counted.counts, &[cell], None);
        let (values, _) = self.sorted_values(&[counted.value], &words);
        let value = values.first().copied().unwrap_or(counted.value);
        let place = self.b.positions(frame.rows.clone());
        let count = self.per_row(count, &frame.rows);
        Ranked { value, known: counted.counts, place, count, ends: None }
    }

    /// The values of each group in ascending order: rows are sorted by the keys and these values, nulls last. Groups lie where they
    /// lie among rows sorted by the keys alone, where `starts` says that they begin.
    pub fn ranked_in_groups(
        &mut self,
        keys: &[Cell],
        cell: Cell,
        frame: &Frame,
        starts: Value,
    ) -> Ranked {
        let all: Vec<Cell> = keys.iter().copied().chain([cell]).collect();
        let words = self.key_words(frame.valid, &all, Some(false));
        let values: Vec<Value> = [cell.value].into_iter().chain(cell.known).collect();
        let (values, _) = self.sorted_values(&values, &words);
        let known = values.get(1).copied();
        let ones = self.bits(true, &frame.rows);
        let counted: Vec<Value> = [ones].into_iter().chain(known).collect();
        let counted: Vec<Value> =
            counted.into_iter().map(|bits| self.b.cast(bits, Element::uint(8))).collect();
        let counts = self.b.segments(Fold::Sum, starts, &counted);
        let numbers = counts.first().copied().unwrap_or(starts);
        let place = self.b.sub(numbers, 1);
        let ends = self.b.shift(starts, 0, -1, 1);
        let so_far = counts.last().copied().unwrap_or(numbers);
        let count = self.filled_back(ends, &[so_far])[0];
        let value = values.first().copied().unwrap_or(cell.value);
        Ranked { value, known, place, count, ends: Some(ends) }
    }

    /// Values that add up to a quantile by group; where it lies between values, to its denominator times the quantile. Sums so far lie
    /// where results do, or between there and zero.
    pub fn weighed(&mut self, at: Quantile, of: &Ranked) -> Value {
        let (part, whole) = (i128::from(at.numerator), i128::from(at.denominator));
        let places = self.b.mul(of.place, whole);
        if at.between {
            // One less the distance to `(count - 1) q`, in parts of the denominator.
            let last = self.b.sub(of.count, 1);
            let way = self.b.mul(last, part);
            let distance = self.b.sub(way, places);
            let distance = self.b.abs(distance);
            let weight = self.b.sub(whole, distance);
            let weight = self.b.max(weight, 0);
            let value = self.integer(of.value);
            return self.b.mul(value, weight);
        }
        let chosen = match part {
            0 => self.b.eq(of.place, 0),
            _ => {
                // The last place that is less than `count q`.
                let way = self.b.mul(of.count, part);
                let before = self.b.lt(places, way);
                let next = self.b.shift(before, 0, -1, 0);
                let mut last = self.b.not(next);
                if let Some(ends) = of.ends {
                    last = self.b.or(last, ends);
                }
                self.b.and(before, last)
            }
        };
        let value = self.numbers(of.value);
        self.b.select(chosen, value, 0)
    }

    /// A quantile of values in an interval, from such a sum.
    pub fn quantile_of(
        &mut self,
        at: Quantile,
        sum: Value,
        kind: &Kind,
        of: Interval,
        fraction: u8,
    ) -> Value {
        let zero = Interval::point(0);
        if !at.between {
            let value = self.known_within(sum, of.join(zero));
            return self.of_kind(value, kind);
        }
        let whole = i128::from(at.denominator);
        let reach = Interval { low: of.low * whole, high: of.high * whole };
        let sum = self.known_within(sum, reach.join(zero));
        if let Kind::Fixed { fraction } = kind {
            let raw = self.b.div(sum, whole);
            let raised = self.b.to_fixed(raw, *fraction);
            return self.b.shift_right(raised, *fraction);
        }
        let whole = self.raw(Element::uint(32), whole);
        self.mean(sum, whole, kind, of, fraction)
    }
}
