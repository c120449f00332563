//! Absolute values, least and greatest, and trees over an axis.

use super::emit::{Emitter, select};
use crate::infer::range;
use crate::ir::{Op, ValueId};
use crate::types::{Element, Interval};

/// `|a|`.
pub fn abs(emitter: &mut Emitter<'_>, a: ValueId) -> ValueId {
    let ty = emitter.ty(a).clone();
    if ty.interval.low >= 0 {
        return a;
    }
    let interval = range::abs(ty.interval).expect("inferred");
    let zero = emitter.constant(ty.element, 0, a);
    let negative = emitter.push(Op::Less, &[a, zero], None);
    if ty.interval.low == i64::MIN.into() {
        // Its negation has no signed type: the wrapped bits, read as unsigned, are right.
        let minus = emitter.push(Op::Neg { wrap: true }, &[a], None);
        let value = select(emitter, negative, minus, a);
        let value = emitter.wrap(value, Element::uint(64));
        return emitter.assume(value, interval);
    }
    let minus = emitter.push(Op::Neg { wrap: false }, &[a], None);
    let value = select(emitter, negative, minus, a);
    emitter.assume(value, interval)
}

/// The lesser of two.
pub fn lesser(emitter: &mut Emitter<'_>, a: ValueId, b: ValueId) -> ValueId {
    extreme(emitter, a, b, false)
}

/// The greater of two.
pub fn greater(emitter: &mut Emitter<'_>, a: ValueId, b: ValueId) -> ValueId {
    extreme(emitter, a, b, true)
}

/// The greater or lesser of two. Both are first read as the result's type: the one that is not
/// chosen need not fit it.
pub fn extreme(emitter: &mut Emitter<'_>, a: ValueId, b: ValueId, greatest: bool) -> ValueId {
    let (x, y) = (emitter.interval(a), emitter.interval(b));
    let interval = if greatest { range::max(x, y) } else { range::min(x, y) };
    let less = emitter.push(Op::Less, &[a, b], None);
    let to = result_element(emitter, a, b, interval);
    let (a, b) = (emitter.wrap(a, to), emitter.wrap(b, to));
    let (on, off) = if greatest { (b, a) } else { (a, b) };
    let value = select(emitter, less, on, off);
    emitter.assume(value, interval)
}

fn result_element(emitter: &Emitter<'_>, a: ValueId, b: ValueId, interval: Interval) -> Element {
    let common = crate::infer::element::common(&[emitter.ty(a).element, emitter.ty(b).element]);
    crate::infer::element::grow(common.expect("inferred"), interval).expect("inferred")
}

/// Combines all elements of an axis, by halves.
pub fn tree(
    emitter: &mut Emitter<'_>,
    value: ValueId,
    axis: u32,
    combine: fn(&mut Emitter<'_>, ValueId, ValueId) -> ValueId,
) -> ValueId {
    let mut value = value;
    let mut left = emitter.ty(value).shape[axis as usize].known().expect("inferred");
    while left > 1 {
        let half = left / 2;
        let first = emitter.slice(value, axis, 0, half);
        let second = emitter.slice(value, axis, half, half);
        let mut pairs = combine(emitter, first, second);
        if left % 2 == 1 {
            let odd = emitter.slice(value, axis, left - 1, 1);
            pairs = emitter.push(Op::Concat { axis }, &[pairs, odd], None);
        }
        (value, left) = (pairs, left.div_ceil(2));
    }
    let shape = crate::infer::shape::without(&emitter.ty(value).shape, axis);
    emitter.reshape(value, shape)
}
