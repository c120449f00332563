//! Operations on each element by itself.

use super::array::{Array, holds, wrap};
use super::error::OpError;
use super::observe::Sink;
use super::scalar::{divide, remainder, shift_left, shift_right, square_root};
use crate::types::{Element, Interval};

/// Applies `f` to each value.
pub(super) fn map(a: &Array, out: &mut Sink, f: impl Fn(i128) -> i128) -> Result<(), OpError> {
    same_length(&[a], out)?;
    out.extend(a.values().map(f));
    Ok(())
}

/// The values, if all of them lie in an interval.
pub(super) fn checked(a: &Array, within: Interval, out: &mut Sink) -> Result<(), OpError> {
    let outside = a.values().filter(|value| !holds(within, *value)).count();
    if outside > 0 {
        return Err(OpError::Check { outside: outside as u64 });
    }
    map(a, out, |value| value)
}

/// Applies `f` to each pair of values.
pub(super) fn zip(
    a: &Array,
    b: &Array,
    out: &mut Sink,
    f: impl Fn(i128, i128) -> i128,
) -> Result<(), OpError> {
    same_length(&[a, b], out)?;
    out.extend(a.values().zip(b.values()).map(|(a, b)| f(a, b)));
    Ok(())
}

/// `a` where the bit is one, else `b`.
pub(super) fn select(bit: &Array, a: &Array, b: &Array, out: &mut Sink) -> Result<(), OpError> {
    same_length(&[bit, a, b], out)?;
    let pairs = a.values().zip(b.values());
    out.extend(bit.values().zip(pairs).map(|(bit, (a, b))| if bit == 1 { a } else { b }));
    Ok(())
}

/// `f`, modulo `2^bits` of the result if `wrapped`.
pub(super) fn add_like(
    [a, b]: [&Array; 2],
    wrapped: bool,
    out: &mut Sink,
    f: impl Fn(i128, i128) -> i128,
) -> Result<(), OpError> {
    let element = out.element();
    if wrapped { zip(a, b, out, |a, b| wrap(element, f(a, b))) } else { zip(a, b, out, f) }
}

/// `-a`.
pub(super) fn negate(a: &Array, wrapped: bool, out: &mut Sink) -> Result<(), OpError> {
    let element = out.element();
    if wrapped { map(a, out, |a| wrap(element, -a)) } else { map(a, out, |a| -a) }
}

/// `a * b`, rounded down to the result's unit of the last place.
pub(super) fn multiply(a: &Array, b: &Array, wrapped: bool, out: &mut Sink) -> Result<(), OpError> {
    let places = product_places(a.element(), b.element(), out.element());
    let element = out.element();
    match (wrapped, places) {
        (true, _) => zip(a, b, out, |a, b| wrap(element, a.wrapping_mul(b))),
        (false, 0) => zip(a, b, out, i128::saturating_mul),
        (false, _) => zip(a, b, out, |a, b| shift_right(a.saturating_mul(b), places)),
    }
}

/// Places by which a product of raw values is longer than the raw result.
pub(super) fn product_places(a: Element, b: Element, result: Element) -> i32 {
    i32::from(a.fraction()) + i32::from(b.fraction()) - i32::from(result.fraction())
}

/// `floor(a / b)`, to a unit of the last place.
pub(super) fn quotient(a: &Array, b: &Array, out: &mut Sink) -> Result<(), OpError> {
    let fraction = |element: Element| i32::from(element.fraction());
    let places = fraction(out.element()) + fraction(b.element()) - fraction(a.element());
    let (up, down) = (places.max(0).unsigned_abs(), places.min(0).unsigned_abs());
    zip(a, b, out, |a, b| divide(shift_left(a, up), shift_left(b, down)))
}

/// `floor(a 2^shift / b)` of raw values.
pub(super) fn raw_quotient(a: &Array, b: &Array, shift: u8, out: &mut Sink) -> Result<(), OpError> {
    zip(a, b, out, |a, b| divide(shift_left(a, u32::from(shift)), b))
}

/// `a - b * floor(a / b)`.
pub(super) fn modulo(a: &Array, b: &Array, out: &mut Sink) -> Result<(), OpError> {
    zip(a, b, out, remainder)
}

/// Square root, rounded down to a unit of the last place.
pub(super) fn root(a: &Array, out: &mut Sink) -> Result<(), OpError> {
    let places = i32::from(a.element().fraction()) - 2 * i32::from(out.element().fraction());
    map(a, out, |a| square_root(shift_right(a, places)))
}

/// Casts numbers to another element type, rounded down.
pub(super) fn cast(a: &Array, out: &mut Sink) -> Result<(), OpError> {
    let places = i32::from(a.element().fraction()) - i32::from(out.element().fraction());
    map(a, out, |a| shift_right(a, places))
}

/// The low bits, read as the result's element.
pub(super) fn low_bits(a: &Array, out: &mut Sink) -> Result<(), OpError> {
    let element = out.element();
    map(a, out, |a| wrap(element, a))
}

/// Public raw values; a single one fills the result.
pub(super) fn constant(values: &[i128], out: &mut Sink) -> Result<(), OpError> {
    match values {
        [value] => out.extend(std::iter::repeat_n(*value, out.len())),
        _ => out.extend(values.iter().copied()),
    }
    Ok(())
}

fn same_length(operands: &[&Array], out: &Sink) -> Result<(), OpError> {
    let fits = operands.iter().all(|a| a.len() == out.len());
    fits.then_some(()).ok_or(OpError::Malformed("operands must have the result's shape"))
}
