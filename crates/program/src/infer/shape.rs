//! Shapes of results. Extents are compared as polynomials: equal for all row counts or not.

use crate::ir::Dim;
use crate::types::{DimId, Extent, Shape};
use std::collections::BTreeSet;

/// Most elements of an array, at the largest row counts.
const MAX_ELEMENTS: u64 = 1 << 48;

/// A shape for messages: `[n, 2 m + 3]`.
#[must_use]
pub fn describe(shape: &[Extent], dims: &[Dim]) -> String {
    let axes: Vec<String> = shape.iter().map(|e| describe_extent(e, dims)).collect();
    format!("[{}]", axes.join(", "))
}

fn describe_extent(extent: &Extent, dims: &[Dim]) -> String {
    let name = |dim: DimId| dims.get(dim.0 as usize).map_or("?", |d| d.name.as_str());
    let mut parts: Vec<String> = extent
        .terms
        .iter()
        .map(|&(dim, f)| if f == 1 { name(dim).to_string() } else { format!("{f} {}", name(dim)) })
        .collect();
    if extent.constant > 0 || parts.is_empty() {
        parts.push(extent.constant.to_string());
    }
    parts.join(" + ")
}

/// Whether the shape is well-formed and not absurdly large.
pub fn valid(shape: &[Extent], dims: &[Dim]) -> Result<(), String> {
    for extent in shape {
        let ascending = extent.terms.windows(2).all(|w| w[0].0 < w[1].0);
        if !ascending || extent.terms.iter().any(|t| t.1 == 0) {
            return Err("an axis names its row counts out of order or with factor zero".into());
        }
        if extent.terms.iter().any(|t| t.0.0 as usize >= dims.len()) {
            return Err("an axis names a row count that the program has not declared".into());
        }
        // Also where another axis or a row count is zero, so that sums of lengths stay exact.
        if extent.terms.iter().map(|t| t.1).chain([extent.constant]).any(|n| n > MAX_ELEMENTS) {
            return Err(format!("an axis of {}: at most 2^48", describe_extent(extent, dims)));
        }
    }
    let parts = shape.iter().flat_map(|e| e.terms.iter().map(|t| t.1).chain([e.constant]));
    if parts.max().is_some_and(|n| n > MAX_ELEMENTS) {
        return Err("an axis has more than 2^48 elements".into());
    }
    let all = shape.iter().try_fold(1u64, |n, e| n.checked_mul(most(e, dims)?));
    match all {
        Some(n) if n <= MAX_ELEMENTS => Ok(()),
        _ => Err(format!("{} has more than 2^48 elements", describe(shape, dims))),
    }
}

/// The least length; `None` on overflow.
#[must_use]
pub fn least(extent: &Extent, dims: &[Dim]) -> Option<u64> {
    length(extent, |dim| dims[dim.0 as usize].min)
}

/// The greatest length; `None` on overflow.
#[must_use]
pub fn most(extent: &Extent, dims: &[Dim]) -> Option<u64> {
    length(extent, |dim| dims[dim.0 as usize].max)
}

fn length(extent: &Extent, rows: impl Fn(DimId) -> u64) -> Option<u64> {
    extent.terms.iter().try_fold(extent.constant, |sum, (dim, factor)| {
        sum.checked_add(rows(*dim).checked_mul(*factor)?)
    })
}

/// The axis of an operand.
pub fn axis(shape: &[Extent], axis: u32) -> Result<&Extent, String> {
    shape.get(axis as usize).ok_or_else(|| {
        format!("axis {axis} of an array of {} axes (they count from 0)", shape.len())
    })
}

/// The shape without an axis.
#[must_use]
pub fn without(shape: &[Extent], axis: u32) -> Shape {
    let mut shape = shape.to_vec();
    shape.remove(axis as usize);
    shape
}

/// The shape with an axis of another length.
#[must_use]
pub fn with(shape: &[Extent], axis: u32, length: Extent) -> Shape {
    let mut shape = shape.to_vec();
    shape[axis as usize] = length;
    shape
}

/// The number of elements, as a constant and the primitive factors that depend on row counts.
fn count(shape: &[Extent]) -> Option<(u64, Vec<Extent>)> {
    let mut constant = 1u64;
    let mut factors = Vec::new();
    for extent in shape {
        let divisor = extent.terms.iter().fold(extent.constant, |d, t| gcd(d, t.1));
        constant = constant.checked_mul(divisor)?;
        if extent.known().is_none() {
            let terms = extent.terms.iter().map(|t| (t.0, t.1 / divisor)).collect();
            factors.push(Extent { constant: extent.constant / divisor, terms });
        }
    }
    if constant == 0 {
        factors.clear();
    }
    factors.sort_by(|a, b| (a.constant, &a.terms).cmp(&(b.constant, &b.terms)));
    Some((constant, factors))
}

/// The greatest common divisor.
#[must_use]
pub fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

/// Whether both shapes have as many elements, whatever the row counts.
#[must_use]
pub fn same_count(a: &[Extent], b: &[Extent]) -> bool {
    matches!((count(a), count(b)), (Some(a), Some(b)) if a == b)
}

/// Whether `from` can be broadcast to `to` as NumPy does.
#[must_use]
pub fn broadcasts(from: &[Extent], to: &[Extent]) -> bool {
    from.len() <= to.len()
        && from.iter().rev().zip(to.iter().rev()).all(|(a, b)| a == b || a.known() == Some(1))
}

/// The shape that NumPy broadcasts both to.
#[must_use]
pub fn joint(a: &[Extent], b: &[Extent]) -> Option<Shape> {
    let axes = a.len().max(b.len());
    let at = |shape: &[Extent], i: usize| {
        (i + shape.len()).checked_sub(axes).map_or(Extent::fixed(1), |i| shape[i].clone())
    };
    (0..axes)
        .map(|i| match (at(a, i), at(b, i)) {
            (x, y) if x == y => Some(x),
            (x, y) if x.known() == Some(1) => Some(y),
            (x, y) if y.known() == Some(1) => Some(x),
            _ => None,
        })
        .collect()
}

/// Whether `length` elements from `start` at distance `step` lie in an axis, whatever the row
/// counts: `start + step (length - 1) < axis`, as many times of each row count at most, with the
/// fewest rows of what is over.
#[must_use]
pub fn slice_fits(axis: &Extent, start: u64, step: u64, length: &Extent, dims: &[Dim]) -> bool {
    if length.known() == Some(0) {
        return true;
    }
    let scaled = |n: u64| i128::from(step).saturating_mul(n.into());
    let end = scaled(length.constant).saturating_add(i128::from(start) - i128::from(step) + 1);
    let factor = |of: &Extent, wanted: DimId| {
        of.terms.iter().find(|(dim, _)| *dim == wanted).map_or(0, |(_, factor)| *factor)
    };
    let all = axis.terms.iter().chain(&length.terms).map(|(dim, _)| *dim);
    let all: BTreeSet<DimId> = all.collect();
    let mut room = i128::from(axis.constant);
    for dim in all {
        let over = i128::from(factor(axis, dim)) - scaled(factor(length, dim));
        if over < 0 {
            return false;
        }
        let least = dims.get(dim.0 as usize).map_or(0, |dim| dim.min);
        room = room.saturating_add(over.saturating_mul(least.into()));
    }
    end <= room
}

/// The shape of a matrix product, and the length of the inner products. A right factor of more than two axes is a batch of matrices, and
/// the left one as many.
pub fn matmul(a: &[Extent], b: &[Extent]) -> Option<(Shape, Extent)> {
    let (inner, outer) = a.split_last()?;
    if let [batches @ .., rows, columns] = b
        && !batches.is_empty()
    {
        let (_, own) = outer.split_last()?;
        let fits = own == batches && inner == rows;
        return fits.then(|| ([outer, std::slice::from_ref(columns)].concat(), inner.clone()));
    }
    let (rows, columns) = match b {
        [k] => (k, &[][..]),
        [k, n] => (k, std::slice::from_ref(n)),
        _ => return None,
    };
    (inner == rows).then(|| ([outer, columns].concat(), inner.clone()))
}
