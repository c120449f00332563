//! Means, variances and standard deviations, of an axis or by group.
//!
//! With count `c`, sum `s` and sum of squares `t`, all empty results being zero:
//!
//! - mean `floor(s / c)` in the last place;
//! - variance of integers: `q = floor(s / c)`, `r = s - q c`, then
//!   `(t - q (s + r)) / c - (r / c)^2`, which is `sum (x - mean)^2 / c` without cancellation:
//!   within four units of the last place;
//! - variance of fixed point: `t / c - mean^2`, or zero if that is negative: within
//!   `2 |mean| + 4` units of the last place;
//! - standard deviation: the variance's square root, rounded down.
//!
//! These are of the whole population: sums of squares are divided by `c`.

use super::{Builder, POISON, Value};
use crate::infer::range;
use crate::ir::Op;
use crate::types::{Element, Extent, Interval, Shape, Type};
use std::ops::Range;

/// A column that says which group each row is in.
#[derive(Clone, Copy, Debug)]
pub struct Groups {
    key: Value,
    first: i64,
    groups: u64,
    mask: Option<Value>,
}

impl Groups {
    /// Groups numbered by an integer column; rows outside `range` count nowhere.
    #[must_use]
    pub fn by(key: Value, range: Range<i64>) -> Self {
        let groups = range.end.abs_diff(range.start) * u64::from(range.start < range.end);
        Groups { key, first: range.start, groups, mask: None }
    }

    /// Of the rows only where the bit is one.
    #[must_use]
    pub fn only(mut self, mask: Value) -> Self {
        self.mask = Some(mask);
        self
    }
}

/// The values along an axis.
#[derive(Clone, Copy, Debug)]
pub struct Along {
    pub(super) axis: u32,
    pub(super) mask: Option<Value>,
}

impl Along {
    /// All values along an axis.
    #[must_use]
    pub fn axis(axis: u32) -> Self {
        Along { axis, mask: None }
    }

    /// Of the values only those where the bit is one.
    #[must_use]
    pub fn only(mut self, mask: Value) -> Self {
        self.mask = Some(mask);
        self
    }
}

/// Count, sum and sum of squares, and the interval of what was summed.
struct Moments {
    count: Value,
    sum: Value,
    squares: Value,
    of: Type,
}

impl Builder {
    /// Sums by group.
    #[track_caller]
    pub fn group_sum(&mut self, a: Value, by: Groups) -> Value {
        let a = self.number(a);
        let op = Op::GroupSum { first: by.first, groups: by.groups };
        let operands: Vec<Value> = [by.key, a].into_iter().chain(by.mask).collect();
        self.push(op, &operands, None)
    }

    /// Rows by group.
    #[track_caller]
    pub fn group_count(&mut self, by: Groups) -> Value {
        let op = Op::GroupCount { first: by.first, groups: by.groups };
        let operands: Vec<Value> = [by.key].into_iter().chain(by.mask).collect();
        self.push(op, &operands, None)
    }

    /// Means by group, in fixed point with `fraction` fractional bits.
    #[track_caller]
    pub fn group_mean(&mut self, a: Value, by: Groups, fraction: u8) -> Value {
        let (sum, count) = (self.group_sum(a, by), self.group_count(by));
        self.ratio(a, sum, count, fraction)
    }

    /// Variances by group, in fixed point with `fraction` fractional bits.
    #[track_caller]
    pub fn group_variance(&mut self, a: Value, by: Groups, fraction: u8) -> Value {
        let a = self.number(a);
        let Some(of) = self.ty(a) else { return POISON };
        let axis = of.shape.first().cloned();
        let spread = self.group_spread(a, of.clone(), by, fraction);
        self.advise(&of, axis, fraction);
        spread
    }

    #[track_caller]
    fn group_spread(&mut self, a: Value, of: Type, by: Groups, fraction: u8) -> Value {
        let square = self.mul(a, a);
        let (sum, squares) = (self.group_sum(a, by), self.group_sum(square, by));
        let count = self.group_count(by);
        self.spread(&Moments { count, sum, squares, of }, fraction)
    }

    /// Standard deviations by group, in fixed point with `fraction` fractional bits.
    #[track_caller]
    pub fn group_std(&mut self, a: Value, by: Groups, fraction: u8) -> Value {
        let variance = self.group_variance(a, by, fraction);
        self.sqrt(variance)
    }

    /// Means along an axis, in fixed point with `fraction` fractional bits.
    #[track_caller]
    pub fn mean(&mut self, a: Value, along: Along, fraction: u8) -> Value {
        let [kept, count] = self.kept(a, along);
        let sum = self.sum(kept, along.axis);
        self.ratio(a, sum, count, fraction)
    }

    /// Variances along an axis, in fixed point with `fraction` fractional bits.
    #[track_caller]
    pub fn variance(&mut self, a: Value, along: Along, fraction: u8) -> Value {
        let a = self.number(a);
        let Some(of) = self.ty(a) else { return POISON };
        let axis = of.shape.get(along.axis as usize).cloned();
        let spread = self.spread_along(a, of.clone(), along, fraction);
        self.advise(&of, axis, fraction);
        spread
    }

    #[track_caller]
    pub(super) fn spread_along(&mut self, a: Value, of: Type, along: Along, fraction: u8) -> Value {
        let [kept, count] = self.kept(a, along);
        let square = self.mul(kept, kept);
        let (sum, squares) = (self.sum(kept, along.axis), self.sum(square, along.axis));
        self.spread(&Moments { count, sum, squares, of }, fraction)
    }

    /// Standard deviations along an axis, in fixed point with `fraction` fractional bits.
    #[track_caller]
    pub fn std(&mut self, a: Value, along: Along, fraction: u8) -> Value {
        let variance = self.variance(a, along, fraction);
        self.sqrt(variance)
    }

    /// The values, zero where they do not count, and how many count.
    #[track_caller]
    fn kept(&mut self, a: Value, along: Along) -> [Value; 2] {
        let Some(mask) = along.mask else { return [a, self.count(a, along.axis)] };
        let Some(ty) = self.ty(a) else { return [POISON; 2] };
        let mask = self.broadcast_to(mask, ty.shape);
        [self.select(mask, a, 0), self.sum(mask, along.axis)]
    }

    /// The length of an axis, as a public value.
    #[track_caller]
    pub fn count(&mut self, a: Value, axis: u32) -> Value {
        let Some(extent) = self.length(a, axis) else { return POISON };
        self.row_count(extent)
    }

    /// A length, such as a row count, as a public value.
    #[track_caller]
    pub fn row_count(&mut self, length: impl Into<Extent>) -> Value {
        let ones = self.raw_constant(Element::Bit, vec![length.into()], vec![1]);
        self.sum(ones, 0)
    }

    /// `sum / count`, between the least and greatest of the values that were summed.
    #[track_caller]
    fn ratio(&mut self, of: Value, sum: Value, count: Value, fraction: u8) -> Value {
        let of = self.number(of);
        let Some(ty) = self.ty(of) else { return POISON };
        self.over_count(sum, count, ty.interval, fraction)
    }

    /// `floor(a / max(count, 1))` in fixed point with `fraction` fractional bits, for means. The caller must know that `bound`
    /// holds the quotient, in units of the last place of `a`, or that this is zero: results would be wrong else.
    #[track_caller]
    pub fn over_count(&mut self, a: Value, count: Value, bound: Interval, fraction: u8) -> Value {
        let Some(ty) = self.ty(a) else { return POISON };
        let bound = bound.join(Interval::point(0));
        let count = self.max(count, 1);
        let wide = range::shift_left(ty.interval, fraction.saturating_sub(ty.element.fraction()));
        if matches!(ty.element, Element::Int { .. }) && wide.is_none_or(|i| i.signed_bits() > 64) {
            return self.over_count_in_steps(a, count, bound, fraction);
        }
        let numerator = self.to_fixed(a, fraction);
        let divisor = self.to_fixed(count, fraction);
        let quotient = self.div(numerator, divisor);
        let bound = rescale(bound, ty.element.fraction(), fraction);
        bound.map_or(quotient, |bound| self.assume_raw(quotient, bound))
    }

    /// Divides `a` by `count` where `a` has no room for fractional bits: quotient and remainder one by one.
    #[track_caller]
    fn over_count_in_steps(
        &mut self,
        a: Value,
        count: Value,
        bound: Interval,
        fraction: u8,
    ) -> Value {
        let whole = self.div(a, count);
        let whole = self.assume_raw(whole, bound);
        let rest = self.rest(a, whole, count);
        let whole = self.to_fixed(whole, fraction);
        let unit = Interval { low: 0, high: 1 };
        let part = self.over_count(rest, count, unit, fraction);
        let quotient = self.add(whole, part);
        let bound = rescale(bound, 0, fraction);
        bound.map_or(quotient, |bound| self.assume_raw(quotient, bound))
    }

    /// `a - quotient count`, which lies in `0..count`, or is zero.
    #[track_caller]
    fn rest(&mut self, a: Value, quotient: Value, count: Value) -> Value {
        let Some(ty) = self.ty(count) else { return POISON };
        let multiple = self.mul(quotient, count);
        let rest = self.sub(a, multiple);
        self.assume_raw(rest, Interval { low: 0, high: (ty.interval.high - 1).max(0) })
    }

    #[track_caller]
    fn spread(&mut self, of: &Moments, fraction: u8) -> Value {
        match of.of.element {
            Element::Int { .. } => self.spread_of_integers(of, fraction),
            _ => self.spread_of_fixed(of, fraction),
        }
    }

    #[track_caller]
    fn spread_of_integers(&mut self, of: &Moments, fraction: u8) -> Value {
        let Some(count) = self.ty(of.count) else { return POISON };
        let quotient = self.div(of.sum, of.count);
        let quotient = self.assume_raw(quotient, of.of.interval.join(Interval::point(0)));
        let rest = self.rest(of.sum, quotient, of.count);
        let more = self.add(of.sum, rest);
        let product = self.mul(quotient, more);
        let squares = self.sub(of.squares, product);
        // sum (x - q)^2 <= sum (x - mean)^2 + c, and the first is at most c (width / 2)^2.
        let width = of.of.interval.high - of.of.interval.low;
        let bound = Interval { low: 0, high: quarter_square(width) };
        let most = bound.high.saturating_mul(count.interval.high);
        let squares = self.assume_raw(squares, Interval { low: 0, high: most });
        let mean_square = self.over_count(squares, of.count, bound, fraction);
        let unit = Interval { low: 0, high: 1 };
        let offset = self.over_count(rest, of.count, unit, fraction);
        let offset_square = self.mul(offset, offset);
        self.difference(mean_square, offset_square, width, fraction)
    }

    #[track_caller]
    fn spread_of_fixed(&mut self, of: &Moments, fraction: u8) -> Value {
        let (values, by) = (of.of.interval, of.of.element.fraction());
        let Some(squares) = range::mul(values, values) else { return POISON };
        let bound = Interval { low: -1, high: (squares.high >> by) + 1 };
        let mean = self.over_count(of.sum, of.count, values, fraction);
        let mean_square = self.over_count(of.squares, of.count, bound, fraction);
        let square = self.mul(mean, mean);
        let width = ((values.high - values.low) >> by) + 1;
        self.difference(mean_square, square, width, fraction)
    }

    /// `a - b`, or zero, of values at most `width` apart: a variance is at most `width^2 / 4`.
    #[track_caller]
    fn difference(&mut self, a: Value, b: Value, width: i128, fraction: u8) -> Value {
        let variance = self.sub(a, b);
        let variance = self.max(variance, 0);
        let most = quarter_square(width).saturating_mul(1 << fraction);
        let bound = Interval { low: 0, high: most };
        self.assume_raw(variance, bound)
    }

    /// A public array of one number, of a value's shape.
    #[track_caller]
    pub fn full_like(&mut self, a: Value, number: impl Into<super::Number>) -> Value {
        let Some(ty) = self.ty(a) else { return POISON };
        let shape: Shape = ty.shape;
        self.filled(ty.element, shape, number.into())
    }
}

/// A bound on the variance of values at most `width` apart, with room for rounding.
fn quarter_square(width: i128) -> i128 {
    width.saturating_mul(width) / 4 + 2
}

/// An interval of raw values with other fractional bits, rounded down.
fn rescale(interval: Interval, old: u8, new: u8) -> Option<Interval> {
    match new.checked_sub(old) {
        Some(up) => range::shift_left(interval, up),
        None => Some(range::shift_right(interval, old - new)),
    }
}
