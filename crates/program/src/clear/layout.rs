//! Operations that move elements and compute nothing.

use super::array::Array;
use super::error::OpError;
use super::observe::Sink;
use super::reduce::Axis;

/// Elements of an array in an order given by a start and one stride per axis of the result.
struct View {
    start: usize,
    strides: Vec<usize>,
}

impl View {
    /// All elements in row-major order.
    fn whole(shape: &[usize]) -> Self {
        let mut strides = vec![1; shape.len()];
        for axis in (1..shape.len()).rev() {
            strides[axis - 1] = strides[axis] * shape[axis].max(1);
        }
        View { start: 0, strides }
    }

    /// Copies the viewed elements in row-major order of the result.
    fn copy(&self, a: &Array, out: &mut Sink) -> Result<(), OpError> {
        let shape = out.shape().to_vec();
        if shape.len() != self.strides.len() {
            return Err(OpError::Malformed("the result has another number of axes"));
        }
        if out.len() == 0 {
            return Ok(());
        }
        let reach = |at: usize, (len, stride): (&usize, &usize)| {
            (len - 1).checked_mul(*stride).and_then(|far| at.checked_add(far))
        };
        let last = shape.iter().zip(&self.strides).try_fold(self.start, reach);
        if last.is_none_or(|last| last >= a.len()) {
            return Err(OpError::Malformed("elements beyond the operand's end"));
        }
        walk(&shape, &self.strides, self.start, &mut |at| out.push(a.get(at)));
        Ok(())
    }
}

fn walk(shape: &[usize], strides: &[usize], start: usize, visit: &mut impl FnMut(usize)) {
    match (shape, strides) {
        ([len], [stride]) => (0..*len).for_each(|i| visit(start + i * stride)),
        ([len, shape @ ..], [stride, strides @ ..]) => {
            (0..*len).for_each(|i| walk(shape, strides, start + i * stride, visit));
        }
        _ => visit(start),
    }
}

/// Elements `start, start + step, ...` of an axis.
pub(super) fn slice(
    a: &Array,
    axis: u32,
    [start, step]: [u64; 2],
    out: &mut Sink,
) -> Result<(), OpError> {
    let outside = || OpError::Malformed("a slice beyond the operand's end");
    let at = axis as usize;
    let index = |n: u64| usize::try_from(n).map_err(|_| outside());
    let (start, step) = (index(start)?, index(step)?);
    let (Some(&len), Some(&taken)) = (a.shape().get(at), out.shape().get(at)) else {
        return Err(outside());
    };
    let last = step.checked_mul(taken.saturating_sub(1)).and_then(|far| far.checked_add(start));
    if taken > 0 && last.is_none_or(|last| last >= len) {
        return Err(outside());
    }
    let mut view = View::whole(a.shape());
    view.start = start.saturating_mul(view.strides[at]);
    view.strides[at] = step.saturating_mul(view.strides[at]);
    view.copy(a, out)
}

/// Axis `i` of the result is axis `order[i]` of the operand.
pub(super) fn transpose(a: &Array, order: &[u32], out: &mut Sink) -> Result<(), OpError> {
    let whole = View::whole(a.shape());
    let malformed = OpError::Malformed("a transposition names every axis once");
    let axis = |&axis: &u32| Some((*whole.strides.get(axis as usize)?, a.shape()[axis as usize]));
    let axes: Option<Vec<_>> = order.iter().map(axis).collect();
    let (strides, shape): (Vec<_>, Vec<_>) = axes.ok_or(malformed.clone())?.into_iter().unzip();
    if shape != out.shape() || shape.len() != a.shape().len() {
        return Err(malformed);
    }
    View { start: 0, strides }.copy(a, out)
}

/// Repeats along new leading axes and axes of length one.
pub(super) fn broadcast(a: &Array, out: &mut Sink) -> Result<(), OpError> {
    let malformed = OpError::Malformed("shapes do not broadcast");
    let whole = View::whole(a.shape());
    let new_axes = out.shape().len().checked_sub(a.shape().len()).ok_or(malformed.clone())?;
    let mut strides = vec![0; new_axes];
    for ((&len, &stride), &wanted) in
        a.shape().iter().zip(&whole.strides).zip(&out.shape()[new_axes..])
    {
        strides.push(match len {
            _ if len == wanted => stride,
            1 => 0,
            _ => return Err(malformed),
        });
    }
    View { start: 0, strides }.copy(a, out)
}

/// Elements of an axis at positions.
pub(super) fn gather(a: &Array, axis: u32, indices: &[u64], out: &mut Sink) -> Result<(), OpError> {
    let Axis { outer, len, inner } = Axis::of(a.shape(), axis)?;
    if indices.iter().any(|&i| i >= len as u64) {
        return Err(OpError::Malformed("a position beyond the end of the axis"));
    }
    for o in 0..outer {
        for &at in indices {
            let first = (o * len + at as usize) * inner;
            out.extend(a.part(first..first + inner));
        }
    }
    Ok(())
}

/// Elements that many places on, `fill` where there are none.
pub(super) fn shift(
    a: &Array,
    axis: u32,
    (by, fill): (i64, i128),
    out: &mut Sink,
) -> Result<(), OpError> {
    let Axis { outer, len, inner } = Axis::of(a.shape(), axis)?;
    let from = |i: usize| {
        let from = (i as i64).checked_sub(by).and_then(|from| usize::try_from(from).ok());
        from.filter(|from| *from < len)
    };
    for o in 0..outer {
        for i in 0..len {
            match from(i).map(|from| (o * len + from) * inner) {
                Some(first) => out.extend(a.part(first..first + inner)),
                None => out.extend(std::iter::repeat_n(fill, inner)),
            }
        }
    }
    Ok(())
}

/// The elements of an axis from the last to the first.
pub(super) fn flip(a: &Array, axis: u32, out: &mut Sink) -> Result<(), OpError> {
    let Axis { outer, len, inner } = Axis::of(a.shape(), axis)?;
    for o in 0..outer {
        for i in (0..len).rev() {
            let first = (o * len + i) * inner;
            out.extend(a.part(first..first + inner));
        }
    }
    Ok(())
}

/// The place along an axis where `length` elements begin.
fn place(at: &Array, len: usize, length: usize) -> Result<usize, OpError> {
    let place = at.values().next().and_then(|place| usize::try_from(place).ok());
    let ends = |place: &usize| place.checked_add(length).is_some_and(|end| end <= len);
    place.filter(ends).ok_or(OpError::Malformed("a place beyond the end of the axis"))
}

/// `length` elements of an axis from a place on.
pub(super) fn slice_at(
    a: &Array,
    at: &Array,
    (axis, length): (u32, u64),
    out: &mut Sink,
) -> Result<(), OpError> {
    let Axis { outer, len, inner } = Axis::of(a.shape(), axis)?;
    let length = usize::try_from(length).map_err(|_| OpError::TooLarge)?;
    let first = place(at, len, length)?;
    for o in 0..outer {
        let from = (o * len + first) * inner;
        out.extend(a.part(from..from + length * inner));
    }
    Ok(())
}

/// The array with a part in place of its own elements, from a place on.
pub(super) fn update_at(
    a: &Array,
    (part, at): (&Array, &Array),
    axis: u32,
    out: &mut Sink,
) -> Result<(), OpError> {
    let Axis { outer, len, inner } = Axis::of(a.shape(), axis)?;
    let Axis { outer: same, len: length, inner: alike } = Axis::of(part.shape(), axis)?;
    if (outer, inner) != (same, alike) {
        return Err(OpError::Malformed("a part that differs in more than one axis"));
    }
    let first = place(at, len, length)?;
    for o in 0..outer {
        let (start, end) = (o * len * inner, (o + 1) * len * inner);
        let [from, to] = [first, first + length].map(|at| start + at * inner);
        out.extend(a.part(start..from));
        out.extend(part.part(o * length * inner..(o + 1) * length * inner));
        out.extend(a.part(to..end));
    }
    Ok(())
}

/// Operands one after the other along an axis.
pub(super) fn concat(operands: &[&Array], axis: u32, out: &mut Sink) -> Result<(), OpError> {
    let axes: Result<Vec<_>, _> = operands.iter().map(|a| Axis::of(a.shape(), axis)).collect();
    let axes = axes?;
    let Some(outer) = axes.first().map(|first| first.outer) else { return Ok(()) };
    if axes.iter().any(|axis| axis.outer != outer) {
        return Err(OpError::Malformed("concatenated arrays must agree in the other axes"));
    }
    for o in 0..outer {
        for (a, axis) in operands.iter().zip(&axes) {
            let piece = axis.len * axis.inner;
            out.extend(a.part(o * piece..(o + 1) * piece));
        }
    }
    Ok(())
}
