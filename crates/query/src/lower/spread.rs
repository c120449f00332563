//! Aggregates of which several columns are folded: how far numbers lie apart, how they go together, and values of rows in which others
//! are extreme.
//!
//! Numbers are counted from the middle of their range before they are multiplied, so that products stay small: that changes nothing of
//! what is computed.

use super::frame::Cell;
use super::{Bits, Lowering};
use crate::error::{QueryError, Result};
use crate::kind::Kind;
use crate::plan::{Function, Spread, Together};
use tacit_program::build::Value;
use tacit_program::{Fold, Interval, Span};

/// Bits of a value and of what it is found by, together.
const MOST_BITS: u32 = 62;

/// What an aggregate is of: kinds and intervals of its columns, and the bits behind its point.
#[derive(Clone)]
pub(super) struct Of<'k> {
    pub kinds: [&'k Kind; 2],
    pub within: [Interval; 2],
    pub fraction: u8,
}

/// Sums from which a covariance is computed: of both numbers, and of their products.
#[derive(Clone, Copy)]
struct Sums {
    first: Value,
    second: Value,
    products: Value,
}

impl Lowering<'_> {
    /// The columns that are folded, each with what stands for nothing.
    pub fn several(
        &mut self,
        function: Function,
        cells: [Value; 2],
        of: &Of<'_>,
        span: &Span,
    ) -> Result<Vec<(Fold, Value, i128)>> {
        if let Function::Best { greatest } = function {
            let (word, high) = self.found_by(greatest, cells, of, span)?;
            return Ok(vec![match greatest {
                true => (Fold::Max, word, 0),
                false => (Fold::Min, word, high),
            }]);
        }
        let [x, y] = [0, 1].map(|side| self.centred(cells[side], of.kinds[side], of.within[side]));
        let pairs: &[[Value; 2]] = match function {
            Function::Spread(_) => &[[x, x]],
            Function::Together(Together::Correlation) => &[[x, y], [x, x], [y, y]],
            _ => &[[x, y]],
        };
        let mut columns = vec![x];
        if !matches!(function, Function::Spread(_)) {
            columns.push(y);
        }
        columns.extend(pairs.iter().map(|[a, b]| self.b.mul(*a, *b)));
        Ok(columns.into_iter().map(|column| (Fold::Sum, column, 0)).collect())
    }

    /// How many columns are folded for an aggregate.
    pub fn folded_columns(function: Function) -> usize {
        match function {
            Function::Spread(_) => 2,
            Function::Together(Together::Covariance { .. }) => 3,
            Function::Together(Together::Correlation) => 5,
            _ => 1,
        }
    }

    /// The aggregate, from what was folded and from how many rows count. It may be null where these are some, too.
    pub fn of_several(
        &mut self,
        function: Function,
        folded: &[Value],
        count: Value,
        of: &Of<'_>,
    ) -> Cell {
        match (function, folded) {
            (Function::Spread(Spread { sample, root }), [sum, squares]) => {
                let sums = Sums { first: *sum, second: *sum, products: *squares };
                let of = Of { kinds: [of.kinds[0]; 2], within: [of.within[0]; 2], ..of.clone() };
                let variance = self.moment(sums, count, sample, &of);
                let value = self.not_negative(variance);
                let value = if root { self.b.sqrt(value) } else { value };
                Cell { value, known: self.sampled(sample, count) }
            }
            (Function::Together(Together::Covariance { sample }), [x, y, xy]) => {
                let sums = Sums { first: *x, second: *y, products: *xy };
                let value = self.moment(sums, count, sample, of);
                Cell { value, known: self.sampled(sample, count) }
            }
            (Function::Together(Together::Correlation), [x, y, xy, xx, yy]) => {
                let mut deviation = |side: usize, sum: Value, squares: Value| {
                    let own = Of {
                        kinds: [of.kinds[side]; 2],
                        within: [of.within[side]; 2],
                        ..of.clone()
                    };
                    let sums = Sums { first: sum, second: sum, products: squares };
                    let variance = self.moment(sums, count, false, &own);
                    let variance = self.not_negative(variance);
                    self.b.sqrt(variance)
                };
                let deviations = [deviation(0, *x, *xx), deviation(1, *y, *yy)];
                let sums = Sums { first: *x, second: *y, products: *xy };
                let covariance = self.moment(sums, count, false, of);
                self.correlated(covariance, deviations, of.fraction)
            }
            (Function::Best { greatest }, [word]) => {
                Cell { value: self.best(greatest, *word, of), known: None }
            }
            _ => Cell { value: count, known: None },
        }
    }

    /// A number as an integer from the middle of its range on; in fixed point as it is.
    fn centred(&mut self, value: Value, kind: &Kind, within: Interval) -> Value {
        let value = self.numbers(value);
        match kind {
            Kind::Fixed { .. } => value,
            _ => self.b.sub(value, middle(within)),
        }
    }

    /// A covariance, from sums.
    fn moment(&mut self, sums: Sums, count: Value, sample: bool, of: &Of<'_>) -> Value {
        let fixed = matches!(of.kinds[0], Kind::Fixed { .. });
        let divisor = match sample {
            true => {
                let less = self.b.sub(count, 1);
                self.b.max(less, 1)
            }
            false => count,
        };
        // Where there are two numbers, there are at most twice as many as the divisor.
        let times = 1 + i128::from(sample);
        let [x, y] = of.within;
        let (products, rests, square, rest) = match fixed {
            true => {
                let square = products_of(x, y, of.kinds[0]);
                (sums.products, [sums.first, sums.second], square, [x, y])
            }
            false => {
                let (products, rests) = self.about_the_mean(sums, count, of);
                let square = if sums.first == sums.second {
                    Interval { low: 0, high: reach(x, y) }
                } else {
                    Interval { low: -reach(x, y), high: reach(x, y) }
                };
                (products, rests, square, [Interval { low: 0, high: 1 }; 2])
            }
        };
        let squared = match of.kinds {
            [Kind::Decimal { scale: a }, Kind::Decimal { scale: b }] => {
                Kind::Decimal { scale: a + b }
            }
            [kind, _] => kind.clone(),
        };
        let first = self.mean(products, divisor, &squared, wider(square, times), of.fraction);
        let second = self.mean(rests[0], count, of.kinds[0], rest[0], of.fraction);
        let third = self.mean(rests[1], divisor, of.kinds[1], wider(rest[1], times), of.fraction);
        let product = self.b.mul(second, third);
        self.b.sub(first, product)
    }

    /// The sum of the products of integers less their means, which are rounded down, and what remains of the sums of both.
    fn about_the_mean(&mut self, sums: Sums, count: Value, of: &Of<'_>) -> (Value, [Value; 2]) {
        let some = self.b.max(count, 1);
        let most = self.interval(some).high;
        let mut split = |sum: Value, within: Interval| {
            let from = middle(within);
            let within = Interval { low: within.low - from, high: within.high - from };
            let mean = self.b.div(sum, some);
            let mean = self.known_within(mean, within.join(Interval::point(0)));
            let whole = self.b.mul(mean, some);
            let rest = self.b.sub(sum, whole);
            let rest = self.known_within(rest, Interval { low: 0, high: (most - 1).max(0) });
            (mean, rest)
        };
        let (a, first) = split(sums.first, of.within[0]);
        let same = sums.first == sums.second;
        let (b, second) = if same { (a, first) } else { split(sums.second, of.within[1]) };
        let less = self.b.mul(a, sums.second);
        let more = self.b.mul(b, first);
        let products = self.b.sub(sums.products, less);
        let products = self.b.sub(products, more);
        let far = reach(of.within[0], of.within[1]).saturating_mul(most);
        let low = if same { 0 } else { -far };
        let products = self.known_within(products, Interval { low, high: far });
        (products, [first, second])
    }

    fn not_negative(&mut self, value: Value) -> Value {
        if self.interval(value).low >= 0 { value } else { self.b.max(value, 0) }
    }

    /// Whether there are enough numbers for a sample.
    fn sampled(&mut self, sample: bool, count: Value) -> Bits {
        sample.then(|| self.b.gt(count, 1))
    }

    /// A covariance as a part of the product of deviations.
    fn correlated(&mut self, covariance: Value, deviations: [Value; 2], fraction: u8) -> Cell {
        let both = self.b.mul(deviations[0], deviations[1]);
        let known = self.b.gt(both, 0);
        let least = self.b.neg(both);
        let covariance = self.b.min(covariance, both);
        let covariance = self.b.max(covariance, least);
        let element = self.b.type_of(both).map(|ty| ty.element);
        let divisor = match element {
            Some(element) => {
                let unit = self.raw(element, 1);
                self.b.max(both, unit)
            }
            None => both,
        };
        let part = self.b.div(covariance, divisor);
        let one = 1i128 << fraction;
        let value = self.known_within(part, Interval { low: -one, high: one });
        Cell { value, known: Some(known) }
    }

    /// A number that is extreme where the second of two values is, and where several rows are alike in that the first is least; and the
    /// greatest such number.
    fn found_by(
        &mut self,
        greatest: bool,
        cells: [Value; 2],
        of: &Of<'_>,
        span: &Span,
    ) -> Result<(Value, i128)> {
        let [width, by_width] = of.within.map(|Interval { low, high }| high - low + 1);
        let words = width.saturating_mul(by_width);
        if 128 - words.leading_zeros() > MOST_BITS {
            let what = "the ranges of these two columns are too wide together, of more than 62 bits: give them narrower ones by CHECK";
            return Err(QueryError::new(span, what));
        }
        let [value, by] = cells.map(|value| self.integer(value));
        let value = match greatest {
            true => self.b.sub(of.within[0].high, value),
            false => self.b.sub(value, of.within[0].low),
        };
        let by = self.b.sub(by, of.within[1].low);
        let raised = self.b.mul(by, width);
        Ok((self.b.add(raised, value), words - 1))
    }

    /// The value that was found by another one.
    fn best(&mut self, greatest: bool, word: Value, of: &Of<'_>) -> Value {
        let Interval { low, high } = of.within[0];
        let rest = self.b.rem(word, high - low + 1);
        let value = match greatest {
            true => self.b.sub(high, rest),
            false => self.b.add(rest, low),
        };
        match of.kinds[0] {
            Kind::Fixed { fraction } => {
                let raised = self.b.to_fixed(value, *fraction);
                self.b.shift_right(raised, *fraction)
            }
            kind => self.of_kind(value, kind),
        }
    }
}

/// An integer about which numbers lie as near as may be.
fn middle(within: Interval) -> i128 {
    within.low + (within.high - within.low) / 2
}

/// What the product of two numbers less their means, rounded down, is at most on average, without its sign.
fn reach(x: Interval, y: Interval) -> i128 {
    let [x, y] = [x, y].map(|Interval { low, high }| high - low + 2);
    x.saturating_mul(y) / 4 + 1
}

/// Where products of numbers in fixed point lie.
fn products_of(x: Interval, y: Interval, kind: &Kind) -> Interval {
    let fraction = if let Kind::Fixed { fraction } = kind { *fraction } else { 0 };
    let all = [x.low * y.low, x.low * y.high, x.high * y.low, x.high * y.high];
    let (low, high) = (all.iter().min().copied(), all.iter().max().copied());
    Interval {
        low: (low.unwrap_or(0) >> fraction).min(0),
        high: (high.unwrap_or(0) >> fraction) + 1,
    }
}

fn wider(of: Interval, times: i128) -> Interval {
    let zero = Interval::point(0);
    Interval { low: of.low.saturating_mul(times), high: of.high.saturating_mul(times) }.join(zero)
}
