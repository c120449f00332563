//! How far results under a protocol may be from those in the clear.
//!
//! Integers and bits are exact; so are quotients and roots. In fixed point a protocol may round
//! a product or a cast up where [`clear`](crate::clear) rounds down, and it approximates `exp`,
//! `log` and `sigmoid`. A bound is the greatest distance of raw values, in units of the last
//! place, from what evaluation in the clear gives for the same inputs. It holds for every input
//! within its declared range and every row count up to its maximum, as long as no promised range
//! is broken.
//!
//! A comparison of inexact values may come out the other way where they are close to each other.
//! Its bound is then 1, and what is selected by it may be any value of either side. So a bound
//! of a value that inexact comparisons decide says little; the value itself is usually close.

use crate::infer::shape::most;
use crate::ir::{Block, Dim, Fold, Loop, MOST_BITS, Op, Program};
use crate::types::{Extent, Interval, Type, Visibility};
use std::cell::Cell;

/// Iterations of loops that are followed one by one, all together; after that, carried values
/// whose bounds still grow are taken to be unbounded.
const MAX_TRIPS: u64 = 1 << 16;

/// For each node of the outermost block, a bound for each of its results. `u128::MAX` where
/// nothing is known.
#[must_use]
pub fn error_bounds(program: &Program) -> Vec<Vec<u128>> {
    let context = Context { dims: &program.dims, trips: Cell::new(MAX_TRIPS) };
    block(&program.body, &[], &context)
}

/// A bound for each revealed value, with its name, in the program's order.
#[must_use]
pub fn reveal_bounds(program: &Program) -> Vec<(&str, u128)> {
    let bounds = error_bounds(program);
    let bound = |value: crate::ValueId| bounds[value.node as usize][value.index as usize];
    program.reveals.iter().map(|reveal| (reveal.name.as_str(), bound(reveal.value))).collect()
}

/// What `exp`, `log`, `sigmoid` and quotients with a stated number of bits of a secret value may be off by, in units of the last place:
/// the error that [`lower`](crate::lower) states, and one unit for rounding in the clear.
#[must_use]
pub fn approximation(op: &Op, result: &Type) -> u128 {
    let whole = match op {
        Op::Exp { .. } | Op::Div { .. } => magnitude(result.interval),
        _ => power(result.element.fraction().into()),
    };
    let bits = match op {
        Op::Exp { bits } | Op::Log { bits } | Op::Sigmoid { bits } => *bits,
        Op::Div { bits: Some(bits) } => *bits,
        _ => MOST_BITS,
    };
    3 + whole.div_ceil(power(bits.into()))
}

struct Context<'a> {
    dims: &'a [Dim],
    /// Iterations that may still be followed.
    trips: Cell<u64>,
}

impl Context<'_> {
    /// Whether another iteration may be followed.
    fn another(&self) -> bool {
        let left = self.trips.get();
        self.trips.set(left.saturating_sub(1));
        left > 0
    }
}

/// An operand: its type and how far it may be off.
#[derive(Clone, Copy)]
struct In<'a> {
    ty: &'a Type,
    error: u128,
}

impl In<'_> {
    /// Where its values lie under a protocol.
    fn reach(self) -> Interval {
        let error = i128::try_from(self.error).unwrap_or(i128::MAX);
        let Interval { low, high } = self.ty.interval;
        Interval { low: low.saturating_sub(error), high: high.saturating_add(error) }
    }
}

fn block(block: &Block, parameters: &[u128], context: &Context<'_>) -> Vec<Vec<u128>> {
    let mut bounds: Vec<Vec<u128>> = Vec::with_capacity(block.nodes.len());
    for node in &block.nodes {
        let operand = |&value: &crate::ValueId| In {
            ty: block.type_of(value),
            error: bounds[value.node as usize][value.index as usize],
        };
        let operands: Vec<In<'_>> = node.operands.iter().map(operand).collect();
        bounds.push(match &node.op {
            Op::Parameter(number) => {
                vec![parameters.get(*number as usize).copied().unwrap_or(u128::MAX)]
            }
            Op::Loop(inner) => repeat(inner, &operands, context),
            op => results(op, &operands, &node.types, context.dims),
        });
    }
    bounds
}

fn repeat(inner: &Loop, operands: &[In<'_>], context: &Context<'_>) -> Vec<u128> {
    let errors: Vec<u128> = operands.iter().map(|operand| operand.error).collect();
    let (carried, outside) = errors.split_at(inner.carried);
    let mut carried = carried.to_vec();
    let trips = most(&inner.trips, context.dims).unwrap_or(u64::MAX);
    let step = |carried: &[u128]| -> Vec<u128> {
        let parameters = [carried, &[0], outside].concat();
        let bounds = block(&inner.body, &parameters, context);
        let next = inner.body.results.iter().map(|v| bounds[v.node as usize][v.index as usize]);
        next.zip(carried).map(|(next, now)| next.max(*now)).collect()
    };
    for _ in 0..trips {
        let next = step(&carried);
        if next == carried {
            return carried;
        }
        carried = next;
        if !context.another() {
            return unbounded(carried, step);
        }
    }
    carried
}

/// Gives up on the values that still grow, and on those that they reach.
fn unbounded(mut carried: Vec<u128>, step: impl Fn(&[u128]) -> Vec<u128>) -> Vec<u128> {
    loop {
        let next = step(&carried);
        if next == carried {
            return carried;
        }
        for (now, next) in carried.iter_mut().zip(next) {
            *now = if next > *now { u128::MAX } else { *now };
        }
    }
}

fn results(op: &Op, operands: &[In<'_>], types: &[Type], dims: &[Dim]) -> Vec<u128> {
    let exact = operands.iter().all(|operand| operand.error == 0);
    match op {
        Op::Sort { .. } => sorted(operands),
        Op::Segment { fold } => segments(*fold, operands, dims),
        Op::Circuit { .. } if exact => vec![0; types.len()],
        Op::Circuit { .. } => types.iter().map(|ty| width(ty.element.interval())).collect(),
        _ => vec![result(op, operands, &types[0], dims)],
    }
}

/// Sorted keys are as close as the keys; other columns may come in another order.
fn sorted(operands: &[In<'_>]) -> Vec<u128> {
    let keys = operands[0].error;
    let moved = |operand: &In<'_>| match keys {
        0 => operand.error,
        _ => operand.error.saturating_add(width(operand.ty.interval)),
    };
    std::iter::once(keys).chain(operands[1..].iter().map(moved)).collect()
}

/// As far off as their columns, or as sums of them; anything of the column, where it is not sure where segments begin.
fn segments(fold: Fold, operands: &[In<'_>], dims: &[Dim]) -> Vec<u128> {
    let rows = operands[0].ty.shape.first().map_or(0, |rows| length(rows, dims));
    let times = if fold == Fold::Sum { rows } else { 1 };
    let unsure = operands[0].error > 0;
    let column = |column: &In<'_>| {
        let off = if unsure { width(column.ty.interval.join(Interval::point(0))) } else { 0 };
        column.error.saturating_add(off).saturating_mul(times)
    };
    operands[1..].iter().map(column).collect()
}

fn result(op: &Op, operands: &[In<'_>], ty: &Type, dims: &[Dim]) -> u128 {
    let exact = operands.iter().all(|operand| operand.error == 0);
    if exact && ty.visibility != Visibility::Secret {
        return 0;
    }
    match (op, operands) {
        (Op::Constant(_) | Op::Input { .. }, _) => 0,
        (
            Op::Add { wrap: true }
            | Op::Sub { wrap: true }
            | Op::Neg { wrap: true }
            | Op::Mul { wrap: true }
            | Op::Wrap(_),
            _,
        ) => {
            if exact {
                0
            } else {
                width(ty.element.interval())
            }
        }
        (Op::Select, &[bit, a, b]) => select(bit, a, b),
        (Op::GroupSum { .. } | Op::GroupCount { .. }, operands) => grouped(op, operands, dims),
        (_, &[a]) => unary(op, a, ty, dims),
        (_, &[a, b]) => binary(op, a, b, ty, dims),
        (_, operands) => operands.iter().map(|operand| operand.error).max().unwrap_or(0),
    }
}

/// Operations of one operand; those that move values or keep distances add nothing.
fn unary(op: &Op, a: In<'_>, ty: &Type, dims: &[Dim]) -> u128 {
    let length = |axis: u32| length(&a.ty.shape[axis as usize], dims);
    match op {
        Op::ShiftLeft { by } => a.error.saturating_mul(power(u32::from(*by))),
        Op::ShiftRight { by } => over(a.error, power(u32::from(*by))),
        Op::Cast(_) => cast(a, ty),
        Op::Sqrt => root(a, ty),
        Op::Exp { .. } => exp(op, a, ty),
        Op::Log { .. } => log(op, a, ty),
        Op::Sigmoid { .. } => over(a.error, 4).saturating_add(approximation(op, ty)),
        Op::Sum { axis } | Op::CumSum { axis, .. } => a.error.saturating_mul(length(*axis)),
        Op::Product { axis } => product(a, ty, length(*axis)),
        _ => a.error,
    }
}

fn binary(op: &Op, a: In<'_>, b: In<'_>, ty: &Type, dims: &[Dim]) -> u128 {
    let either = a.error.max(b.error);
    match op {
        Op::Add { .. } | Op::Sub { .. } => a.error.saturating_add(b.error),
        Op::Mul { .. } => rounded(of_product(a, b), places(a.ty, b.ty, ty)),
        Op::MatMul => {
            let terms = a.ty.shape.last().map_or(0, |inner| length(inner, dims));
            rounded(of_product(a, b).saturating_mul(terms), places(a.ty, b.ty, ty))
        }
        Op::Div { bits } => {
            let rounded = bits.map_or(0, |_| approximation(op, ty));
            quotient(a, b, ty).saturating_add(rounded)
        }
        Op::Rem if either > 0 => 2u128.saturating_mul(magnitude(b.reach())),
        Op::Less | Op::Equal => flips(op, a, b),
        _ => either,
    }
}

/// Of the exact product of raw values.
fn of_product(a: In<'_>, b: In<'_>) -> u128 {
    let left = magnitude(a.ty.interval).saturating_mul(b.error);
    let right = b.error.saturating_add(magnitude(b.ty.interval)).saturating_mul(a.error);
    left.saturating_add(right)
}

/// Of a value that was off by `error` and loses `places` places, to within a unit.
fn rounded(error: u128, places: u32) -> u128 {
    if places == 0 { error } else { over(error, power(places)).saturating_add(1) }
}

/// Fractional places that a product loses.
fn places(a: &Type, b: &Type, result: &Type) -> u32 {
    let places = u32::from(a.element.fraction()) + u32::from(b.element.fraction());
    places.saturating_sub(result.element.fraction().into())
}

fn cast(a: In<'_>, ty: &Type) -> u128 {
    let (from, to) = (u32::from(a.ty.element.fraction()), u32::from(ty.element.fraction()));
    if to >= from { a.error.saturating_mul(power(to - from)) } else { rounded(a.error, from - to) }
}

/// `|a'/b' - a/b| <= (|da| + |a/b| |db|) / |b'|`. Where divisors may come close to zero, all that
/// is known is how large both quotients can be.
fn quotient(a: In<'_>, b: In<'_>, ty: &Type) -> u128 {
    let scale = power(u32::from(ty.element.fraction()));
    if a.error == 0 && b.error == 0 {
        return 0;
    }
    let least = least_magnitude(b.reach());
    if least == 0 && b.error == 0 {
        // The divisor is exact: zero in both, or at least one unit in both.
        return a.error.saturating_mul(scale).saturating_add(1);
    }
    if least == 0 {
        let other = magnitude(a.reach()).saturating_mul(scale);
        return other.saturating_add(magnitude(ty.interval)).saturating_add(1);
    }
    let by_divisor = magnitude(ty.interval).saturating_add(1).saturating_mul(b.error);
    let by_dividend = a.error.saturating_mul(scale);
    over(by_dividend.saturating_add(by_divisor), least).saturating_add(1)
}

/// `|sqrt(a') - sqrt(a)|` is at most the root of the distance, and at most the distance divided
/// by the lesser root.
fn root(a: In<'_>, ty: &Type) -> u128 {
    if a.error == 0 {
        return 0;
    }
    let scale = power(u32::from(ty.element.fraction()));
    let distance = a.error.saturating_mul(scale);
    let least = a.reach().low.max(0).unsigned_abs().saturating_mul(scale).isqrt();
    let by_root = if distance == u128::MAX { distance } else { distance.isqrt() + 1 };
    let by_slope = if least > 0 { over(distance, least) } else { u128::MAX };
    by_root.min(by_slope).saturating_add(1)
}

/// `|e^x' - e^x| <= |x' - x| e^max(x, x')`. Both results lie in the result's interval.
fn exp(op: &Op, a: In<'_>, ty: &Type) -> u128 {
    let scale = 2f64.powi(ty.element.fraction().into());
    let highest = (a.reach().high as f64 / scale).exp() * (1.0 + 1e-9);
    let moved = if a.error == 0 { 0.0 } else { (highest * a.error as f64).ceil() };
    let bound = (moved as u128).saturating_add(approximation(op, ty));
    bound.min(width(ty.interval))
}

/// `|ln x' - ln x| <= |x' - x| / min(x, x')`. Both results lie in the result's interval.
fn log(op: &Op, a: In<'_>, ty: &Type) -> u128 {
    let scale = power(u32::from(ty.element.fraction()));
    let moved = match (a.error, a.reach().low) {
        (0, _) => 0,
        (_, ..=0) => u128::MAX,
        (error, low) => over(error.saturating_mul(scale), low.unsigned_abs()),
    };
    moved.saturating_add(approximation(op, ty)).min(width(ty.interval))
}

/// By a balanced tree: the bounds of one level are those of the next level's operands.
fn product(a: In<'_>, ty: &Type, mut length: u128) -> u128 {
    let places = u32::from(ty.element.fraction());
    let (mut size, mut error) = (magnitude(a.ty.interval), a.error);
    while length > 1 {
        let sum = size.saturating_mul(2).saturating_add(error);
        error = error.max(rounded(sum.saturating_mul(error), places));
        size = size.max(over(size.saturating_mul(size), power(places)).saturating_add(1));
        length = length.div_ceil(2);
    }
    error
}

fn select(bit: In<'_>, a: In<'_>, b: In<'_>) -> u128 {
    let either = a.error.max(b.error);
    if bit.error == 0 {
        return either;
    }
    let (a, b) = (a.ty.interval, b.ty.interval);
    let apart = a.high.saturating_sub(b.low).max(b.high.saturating_sub(a.low));
    apart.max(0).unsigned_abs().saturating_add(either)
}

/// Whether a comparison of inexact values may come out the other way: 0 or 1.
fn flips(op: &Op, a: In<'_>, b: In<'_>) -> u128 {
    let (left, right) = (a.reach(), b.reach());
    let less = left.high < right.low;
    let not_less =
        if matches!(op, Op::Less) { left.low >= right.high } else { left.low > right.high };
    u128::from(a.error.max(b.error) > 0 && !less && !not_less)
}

/// Rows may move between groups where the group or the bit is inexact.
fn grouped(op: &Op, operands: &[In<'_>], dims: &[Dim]) -> u128 {
    let rows = length(&operands[0].ty.shape[0], dims);
    let (values, others) = match op {
        Op::GroupSum { .. } => (Some(operands[1]), operands.get(2)),
        _ => (None, operands.get(1)),
    };
    let same_rows = operands[0].error == 0 && others.is_none_or(|bit| bit.error == 0);
    let per_row = match (same_rows, values) {
        (true, values) => values.map_or(0, |values| values.error),
        (false, None) => 1,
        (false, Some(values)) => values.error.saturating_add(magnitude(values.ty.interval)),
    };
    rows.saturating_mul(per_row)
}

fn length(extent: &Extent, dims: &[Dim]) -> u128 {
    most(extent, dims).map_or(u128::MAX, u128::from)
}

fn power(places: u32) -> u128 {
    1u128.checked_shl(places).unwrap_or(u128::MAX)
}

/// A quotient, rounded up; what is unbounded stays so.
fn over(error: u128, divisor: u128) -> u128 {
    if error == u128::MAX { error } else { error.div_ceil(divisor) }
}

fn width(interval: Interval) -> u128 {
    interval.high.saturating_sub(interval.low).unsigned_abs()
}

fn magnitude(interval: Interval) -> u128 {
    interval.low.unsigned_abs().max(interval.high.unsigned_abs())
}

/// The least distance from zero.
fn least_magnitude(interval: Interval) -> u128 {
    if interval.low > 0 || interval.high < 0 {
        interval.low.unsigned_abs().min(interval.high.unsigned_abs())
    } else {
        0
    }
}

#[cfg(test)]
mod tests;
