//! Operations along axes and on tables.

use super::context::Context;
use super::number::{expect_bits, expect_number};
use super::shape::{self, describe};
use super::{element, range};
use crate::ir::{Dim, Fold};
use crate::types::{Element, Extent, Interval, Type, Visibility};

/// The lengths that an axis may have: least and most.
fn lengths(extent: &Extent, context: &Context<'_>) -> Result<(u64, u64), String> {
    let ends = shape::least(extent, context.dims).zip(shape::most(extent, context.dims));
    ends.ok_or_else(|| "an axis is too long".into())
}

/// The positions along an axis, as declared.
pub fn positions(context: &Context<'_>) -> Result<Type, String> {
    match context.declaration("positions")?.shape.as_slice() {
        [length] => positions_of(length, context.dims),
        _ => Err("positions are a column: an array of one axis".into()),
    }
}

/// The type of the positions along an axis: the smallest that holds the last of the longest.
pub fn positions_of(length: &Extent, dims: &[Dim]) -> Result<Type, String> {
    let most = shape::most(length, dims).ok_or("an axis is too long")?;
    let interval = Interval { low: 0, high: most.saturating_sub(1).into() };
    let element = element::smallest(interval).ok_or_else(element::beyond)?;
    Ok(Type { element, shape: vec![length.clone()], visibility: Visibility::Public, interval })
}

/// Sums over an axis.
pub fn sum(context: &Context<'_>, axis: u32) -> Result<Type, String> {
    let ty = context.operands[0];
    expect_number(ty)?;
    let (least, most) = lengths(shape::axis(&ty.shape, axis)?, context)?;
    let interval = range::sum(ty.interval, least, most);
    context.numbers(&[ty.element], shape::without(&ty.shape, axis), interval)
}

/// Sums of the elements up to each one: of one element at least, of all at most.
pub fn prefix_sums(context: &Context<'_>, axis: u32) -> Result<Type, String> {
    let ty = context.operands[0];
    expect_number(ty)?;
    let (_, most) = lengths(shape::axis(&ty.shape, axis)?, context)?;
    context.numbers(&[ty.element], ty.shape.clone(), range::sum(ty.interval, 1, most.max(1)))
}

/// The length of an axis that a tree of operations reduces.
fn tree_length(context: &Context<'_>, axis: u32) -> Result<u64, String> {
    let length = shape::axis(&context.operands[0].shape, axis)?.known().ok_or(
        "the product over an axis of symbolic length is not supported; the least and the greatest \
         value are, of a column only",
    )?;
    if length == 0 {
        return Err("the axis has no elements".into());
    }
    Ok(length)
}

/// Products over an axis.
pub fn product(context: &Context<'_>, axis: u32) -> Result<Type, String> {
    let ty = context.operands[0];
    expect_number(ty)?;
    let length = tree_length(context, axis)?;
    let interval = range::product(ty.interval, length, ty.element.fraction());
    context.numbers(&[ty.element], shape::without(&ty.shape, axis), interval)
}

/// Least or greatest over an axis: of known length but in a column.
pub fn extreme(context: &Context<'_>, axis: u32) -> Result<Type, String> {
    let ty = context.operands[0];
    expect_number(ty)?;
    let symbolic = shape::axis(&ty.shape, axis)?.known().is_none();
    if !symbolic || ty.shape.len() > 1 {
        tree_length(context, axis)?;
    }
    Ok(Type { shape: shape::without(&ty.shape, axis), ..ty.clone() })
}

/// Inner products.
pub fn matmul(context: &Context<'_>) -> Result<Type, String> {
    let [a, b] = [context.operands[0], context.operands[1]];
    expect_number(a)?;
    expect_number(b)?;
    let (out, inner) = shape::matmul(&a.shape, &b.shape).ok_or_else(|| {
        format!(
            "a matrix product of shapes {} and {}: the last axis of the first must be as long \
             as the first of the second, which has one or two axes; or both are as many matrices, \
             with equal axes before the last two",
            describe(&a.shape, context.dims),
            describe(&b.shape, context.dims)
        )
    })?;
    let fraction = element::common(&[a.element, b.element])?.fraction();
    let (least, most) = lengths(&inner, context)?;
    let sums = range::mul(a.interval, b.interval).and_then(|p| range::sum(p, least, most));
    let interval = sums.and_then(|s| range::rounded(s, fraction));
    context.numbers(&[a.element, b.element], out, interval)
}

/// Another shape of as many elements.
pub fn reshape(context: &Context<'_>) -> Result<Type, String> {
    let ty = context.operands[0];
    let to = &context.declaration("a reshape")?.shape;
    if !shape::same_count(&ty.shape, to) {
        return Err(format!(
            "shape {} has not as many elements as {}",
            describe(to, context.dims),
            describe(&ty.shape, context.dims)
        ));
    }
    Ok(Type { shape: to.clone(), ..ty.clone() })
}

/// Repetition.
pub fn broadcast(context: &Context<'_>) -> Result<Type, String> {
    let ty = context.operands[0];
    let to = &context.declaration("a broadcast")?.shape;
    if !shape::broadcasts(&ty.shape, to) {
        return Err(format!(
            "shape {} does not broadcast to {}: axes, from the last, must be equal or 1",
            describe(&ty.shape, context.dims),
            describe(to, context.dims)
        ));
    }
    Ok(Type { shape: to.clone(), ..ty.clone() })
}

/// Part of an axis.
pub fn slice(context: &Context<'_>, axis: u32, start: u64, step: u64) -> Result<Type, String> {
    let ty = context.operands[0];
    let extent = shape::axis(&ty.shape, axis)?;
    let to = &context.declaration("a slice")?.shape;
    let length = to.get(axis as usize).ok_or("a slice has as many axes as its operand")?;
    if step == 0 {
        return Err("the step of a slice is at least 1".into());
    }
    if !shape::slice_fits(extent, start, step, length, context.dims) {
        return Err(format!(
            "a slice of {} elements from {start} by {step} leaves the axis of {} elements{}",
            describe(std::slice::from_ref(length), context.dims),
            describe(std::slice::from_ref(extent), context.dims),
            if extent.known().is_none() { " for some row counts" } else { "" }
        ));
    }
    Ok(Type { shape: shape::with(&ty.shape, axis, length.clone()), ..ty.clone() })
}

/// One after the other.
pub fn concat(context: &Context<'_>, axis: u32) -> Result<Type, String> {
    let first = context.operands[0];
    shape::axis(&first.shape, axis)?;
    let mut length = Extent::fixed(0);
    let mut interval = first.interval;
    for ty in context.operands {
        let extent = shape::axis(&ty.shape, axis)?;
        if shape::with(&ty.shape, axis, Extent::fixed(0))
            != shape::with(&first.shape, axis, Extent::fixed(0))
        {
            return Err(format!(
                "shapes {} and {} differ in more than axis {axis}",
                describe(&first.shape, context.dims),
                describe(&ty.shape, context.dims)
            ));
        }
        length = length + extent.clone();
        shape::valid(std::slice::from_ref(&length), context.dims)?;
        interval = interval.join(ty.interval);
    }
    let elements: Vec<Element> = context.operands.iter().map(|t| t.element).collect();
    context.numbers(&elements, shape::with(&first.shape, axis, length), Some(interval))
}

/// Axes in another order.
pub fn transpose(context: &Context<'_>, order: &[u32]) -> Result<Type, String> {
    let ty = context.operands[0];
    let mut sorted = order.to_vec();
    sorted.sort_unstable();
    if sorted.iter().copied().ne(0..ty.shape.len() as u32) {
        return Err(format!("{order:?} does not name each of {} axes once", ty.shape.len()));
    }
    let shape = order.iter().map(|&axis| ty.shape[axis as usize].clone()).collect();
    Ok(Type { shape, ..ty.clone() })
}

/// Elements at public positions.
pub fn gather(context: &Context<'_>, axis: u32, indices: &[u64]) -> Result<Type, String> {
    let ty = context.operands[0];
    let extent = shape::axis(&ty.shape, axis)?;
    if let Some(index) = indices.iter().find(|&&i| i >= extent.constant) {
        return Err(format!(
            "position {index} is not within an axis of {} elements{}",
            describe(std::slice::from_ref(extent), context.dims),
            if extent.known().is_none() { " for some row counts" } else { "" }
        ));
    }
    let length = Extent::fixed(indices.len() as u64);
    Ok(Type { shape: shape::with(&ty.shape, axis, length), ..ty.clone() })
}

/// Most groups.
const MAX_GROUPS: u64 = 1 << 24;

/// The rows of a group column, least and most, and the shape of a result by group.
fn grouped(
    context: &Context<'_>,
    first: i64,
    groups: u64,
) -> Result<((u64, u64), Vec<Extent>), String> {
    let key = context.operands[0];
    if !matches!(key.element, Element::Int { .. }) {
        return Err(format!("groups are integers, not {}: cast the column", key.element));
    }
    let shape = context.shape()?;
    let [rows] = shape.as_slice() else {
        return Err("groups and values are columns: arrays of one axis".into());
    };
    if !(1..=MAX_GROUPS).contains(&groups) || first.checked_add_unsigned(groups - 1).is_none() {
        return Err(format!("{groups} groups from {first}: 1 to 2^24 groups within i64"));
    }
    Ok((lengths(rows, context)?, vec![Extent::fixed(groups)]))
}

/// Sums by group: each of none to all of the rows.
pub fn group_sum(context: &Context<'_>, first: i64, groups: u64) -> Result<Type, String> {
    let ((_, rows), shape) = grouped(context, first, groups)?;
    let values = context.operands[1];
    expect_number(values)?;
    context.operands.get(2).map_or(Ok(()), |bits| expect_bits(bits))?;
    context.numbers(&[values.element], shape, range::sum(values.interval, 0, rows))
}

/// Counts by group.
pub fn group_count(context: &Context<'_>, first: i64, groups: u64) -> Result<Type, String> {
    let ((_, rows), shape) = grouped(context, first, groups)?;
    context.operands.get(1).map_or(Ok(()), |bits| expect_bits(bits))?;
    let interval = Interval { low: 0, high: rows.into() };
    let element = element::smallest(interval).ok_or_else(element::beyond)?;
    Ok(context.result(element, shape, interval))
}

/// Rows in the order of the first column.
pub fn sort(context: &Context<'_>) -> Result<Vec<Type>, String> {
    let key = context.operands[0];
    expect_number(key)?;
    if context.shape()?.len() != 1 {
        return Err("what is sorted are columns: arrays of one axis".into());
    }
    let moved =
        |ty: &&Type| Type { visibility: key.visibility.join(ty.visibility), ..(*ty).clone() };
    Ok(context.operands.iter().map(moved).collect())
}

/// What is folded of each column since a segment began.
pub fn segment(context: &Context<'_>, fold: Fold) -> Result<Vec<Type>, String> {
    expect_bits(context.operands[0])?;
    let shape = context.shape()?;
    let [rows] = shape.as_slice() else {
        return Err("what is folded by segments are columns: arrays of one axis".into());
    };
    let (_, most) = lengths(rows, context)?;
    let columns = context.operands[1..].iter();
    columns
        .map(|ty| {
            if fold == Fold::First && ty.element == Element::Bit {
                return Ok(context.result(
                    ty.element,
                    shape.clone(),
                    ty.interval.join(Interval::point(0)),
                ));
            }
            expect_number(ty)?;
            let interval = match fold {
                Fold::First => Some(ty.interval.join(Interval::point(0))),
                Fold::Sum => range::sum(ty.interval, 1, most.max(1)),
                Fold::Min | Fold::Max => Some(ty.interval),
            };
            context.numbers(&[ty.element], shape.clone(), interval)
        })
        .collect()
}
