//! Elements of an axis that go to other places: by a distance, or from and to a place that the program computes.

use super::context::Context;
use super::element;
use super::shape::{self, describe};
use crate::types::{Element, Interval, Type, Visibility};

/// Elements that many places on, and a public value in place of those that there are none of.
pub fn shift(context: &Context<'_>, axis: u32, by: i64, fill: i128) -> Result<Type, String> {
    let ty = context.operands[0];
    shape::axis(&ty.shape, axis)?;
    let fill = Interval::point(fill);
    if !ty.element.interval().contains(fill) {
        let value = element::describe(ty.element, fill);
        return Err(format!("{} has no value {value} to fill up with", ty.element));
    }
    let interval = if by == 0 { ty.interval } else { ty.interval.join(fill) };
    Ok(Type { interval, ..ty.clone() })
}

/// The elements of an axis from the last to the first.
pub fn flip(context: &Context<'_>, axis: u32) -> Result<Type, String> {
    let ty = context.operands[0];
    shape::axis(&ty.shape, axis)?;
    Ok(ty.clone())
}

/// Whether `length` elements from `start` on lie in an axis of `array`, whatever `start` and the row counts are.
fn fits(
    context: &Context<'_>,
    (array, axis): (&Type, u32),
    start: &Type,
    length: u64,
) -> Result<(), String> {
    let extent = shape::axis(&array.shape, axis)?;
    if !start.shape.is_empty() || !matches!(start.element, Element::Int { .. }) {
        return Err("the place along the axis is one integer".into());
    }
    if start.visibility != Visibility::Public {
        return Err(
            "the place along the axis must be public: which elements are used would tell it".into(),
        );
    }
    let least = shape::least(extent, context.dims).unwrap_or(0);
    let Interval { low, high } = start.interval;
    let last = i128::from(least) - i128::from(length);
    if low >= 0 && high <= last {
        return Ok(());
    }
    let some = if extent.known().is_none() { ", the fewest that there may be" } else { "" };
    Err(format!(
        "{length} elements from {} on leave an axis of {least} elements{some}: the place must lie in [0, {}]",
        element::describe(start.element, start.interval),
        last.max(0)
    ))
}

/// Part of an axis, from a place that the program computes.
pub fn slice_at(context: &Context<'_>, axis: u32, length: u64) -> Result<Type, String> {
    let [array, start] = [context.operands[0], context.operands[1]];
    fits(context, (array, axis), start, length)?;
    Ok(Type { shape: shape::with(&array.shape, axis, length.into()), ..array.clone() })
}

/// An array with another part, from a place that the program computes.
pub fn update_at(context: &Context<'_>, axis: u32) -> Result<Type, String> {
    let [array, part, start] = [context.operands[0], context.operands[1], context.operands[2]];
    let length = shape::axis(&part.shape, axis)?.known();
    let length = length.ok_or("the part that is replaced has a known length")?;
    if array.element != part.element {
        return Err(format!(
            "a part of {} in an array of {}: cast one to the other",
            part.element, array.element
        ));
    }
    shape::axis(&array.shape, axis)?;
    if shape::with(&array.shape, axis, length.into()) != part.shape {
        return Err(format!(
            "a part of shape {} in an array of shape {}: they differ in more than axis {axis}",
            describe(&part.shape, context.dims),
            describe(&array.shape, context.dims)
        ));
    }
    fits(context, (array, axis), start, length)?;
    let interval = array.interval.join(part.interval);
    Ok(context.result(array.element, array.shape.clone(), interval))
}
