//! Reductions over an axis, and inner products.

use super::array::{Array, count};
use super::elementwise::product_places;
use super::error::OpError;
use super::observe::Sink;
use super::scalar::shift_right;
use zeroize::Zeroizing;

/// An array seen as `[outer, len, inner]`, `len` the length of an axis.
pub(super) struct Axis {
    pub outer: usize,
    pub len: usize,
    pub inner: usize,
}

impl Axis {
    pub fn of(shape: &[usize], axis: u32) -> Result<Self, OpError> {
        let at = axis as usize;
        let &len = shape.get(at).ok_or(OpError::Malformed("there is no such axis"))?;
        let product = |lengths| count(lengths).ok_or(OpError::TooLarge);
        Ok(Axis { outer: product(&shape[..at])?, len, inner: product(&shape[at + 1..])? })
    }
}

/// Folds an axis from its first element on; `empty` is the result for none.
pub(super) fn fold(
    a: &Array,
    axis: u32,
    empty: i128,
    out: &mut Sink,
    f: impl Fn(i128, i128) -> i128,
) -> Result<(), OpError> {
    let Axis { outer, len, inner } = Axis::of(a.shape(), axis)?;
    if len == 0 {
        out.extend(std::iter::repeat_n(empty, outer * inner));
        return Ok(());
    }
    let mut values = a.values();
    let mut state = Zeroizing::new(Vec::with_capacity(inner));
    for _ in 0..outer {
        state.clear();
        state.extend(values.by_ref().take(inner));
        for _ in 1..len {
            state.iter_mut().zip(values.by_ref()).for_each(|(s, v)| *s = f(*s, v));
        }
        out.extend(state.iter().copied());
    }
    Ok(())
}

/// Sums of the elements up to each one along an axis, or from each one on.
pub(super) fn prefix_sums(
    a: &Array,
    axis: u32,
    reverse: bool,
    out: &mut Sink,
) -> Result<(), OpError> {
    let Axis { outer, len, inner } = Axis::of(a.shape(), axis)?;
    let mut sums: Zeroizing<Vec<i128>> = Zeroizing::new(a.values().collect());
    for block in sums.chunks_exact_mut((len * inner).max(1)).take(outer) {
        for step in 1..len {
            let (to, from) = match reverse {
                false => (step, step - 1),
                true => (len - 1 - step, len - step),
            };
            for i in 0..inner {
                block[to * inner + i] =
                    block[to * inner + i].saturating_add(block[from * inner + i]);
            }
        }
    }
    out.extend(sums.iter().copied());
    Ok(())
}

/// Products over an axis by a balanced tree: the first half is multiplied by the second, element by
/// element, and rounded; an odd one out stays last; until one is left. One for an empty axis.
pub(super) fn product(a: &Array, axis: u32, out: &mut Sink) -> Result<(), OpError> {
    let Axis { outer, len, inner } = Axis::of(a.shape(), axis)?;
    let places = i32::from(a.element().fraction());
    if len == 0 {
        let one = 1 << out.element().fraction();
        out.extend(std::iter::repeat_n(one, outer * inner));
        return Ok(());
    }
    let mut column = Zeroizing::new(Vec::with_capacity(len));
    for (o, i) in (0..outer).flat_map(|o| (0..inner).map(move |i| (o, i))) {
        column.clear();
        column.extend((0..len).map(|j| a.get((o * len + j) * inner + i)));
        out.push(tree(&mut column, |a, b| shift_right(a.saturating_mul(b), places)));
    }
    Ok(())
}

fn tree(column: &mut [i128], f: impl Fn(i128, i128) -> i128) -> i128 {
    let mut len = column.len();
    while len > 1 {
        let half = len / 2;
        for i in 0..half {
            column[i] = f(column[i], column[half + i]);
        }
        if len % 2 == 1 {
            column[half] = column[len - 1];
        }
        len = len.div_ceil(2);
    }
    column[0]
}

/// Inner products as NumPy's `@`, each sum rounded down once.
pub(super) fn matmul(a: &Array, b: &Array, out: &mut Sink) -> Result<(), OpError> {
    let malformed = OpError::Malformed("a matrix product needs equal inner lengths");
    let &inner = a.shape().last().ok_or(malformed.clone())?;
    let outer = &a.shape()[..a.shape().len() - 1];
    let (batches, outer, rows, columns) = match *b.shape() {
        [k] if k == inner => (&[][..], outer, k, 1),
        [k, n] if k == inner => (&[][..], outer, k, n),
        [ref batches @ .., k, n] if k == inner => match outer {
            [own @ .., _] if own == batches => (own, &outer[own.len()..], k, n),
            _ => return Err(malformed),
        },
        _ => return Err(malformed),
    };
    let [batches, outer] = [batches, outer].map(|axes| count(axes).ok_or(OpError::TooLarge));
    let size = Size { outer: outer?, inner: rows, columns };
    let places = product_places(a.element(), b.element(), out.element());
    let fits = fits_word(a, b, rows);
    for batch in 0..batches? {
        if fits {
            let (a, b) =
                (&a.raw()[batch * size.outer * rows..], &b.raw()[batch * rows * columns..]);
            narrow(size, a, b, |sum| out.push(shift_right(i128::from(sum), places)));
        } else {
            wide(size, batch, [a, b], |sum| out.push(shift_right(sum, places)));
        }
    }
    Ok(())
}

#[derive(Clone, Copy)]
struct Size {
    outer: usize,
    inner: usize,
    columns: usize,
}

/// Whether every sum of `terms` products fits in 64 bits.
fn fits_word(a: &Array, b: &Array, terms: usize) -> bool {
    let bound = |a: &Array| a.values().map(i128::unsigned_abs).max().unwrap_or(0);
    let product = bound(a).checked_mul(bound(b)).and_then(|m| m.checked_mul(terms as u128));
    product.is_some_and(|sum| sum <= i64::MAX as u128)
}

fn narrow(size: Size, a: &[i64], b: &[i64], mut push: impl FnMut(i64)) {
    let mut sums = Zeroizing::new(vec![0i64; size.columns]);
    for i in 0..size.outer {
        sums.fill(0);
        for (x, row) in a[i * size.inner..].iter().take(size.inner).zip(rows(b, size.columns)) {
            sums.iter_mut().zip(row).for_each(|(sum, y)| *sum += x * y);
        }
        sums.iter().for_each(|&sum| push(sum));
    }
}

/// Rows of a matrix, also of one without columns.
fn rows(b: &[i64], columns: usize) -> std::slice::ChunksExact<'_, i64> {
    b.chunks_exact(columns.max(1))
}

fn wide(size: Size, batch: usize, [a, b]: [&Array; 2], mut push: impl FnMut(i128)) {
    let mut sums = Zeroizing::new(vec![0i128; size.columns]);
    for i in 0..size.outer {
        sums.fill(0);
        let mut right = b.values().skip(batch * size.inner * size.columns);
        for j in 0..size.inner {
            let x = a.get((batch * size.outer + i) * size.inner + j);
            let row = right.by_ref().take(size.columns);
            for (sum, y) in sums.iter_mut().zip(row) {
                *sum = sum.saturating_add(x.saturating_mul(y));
            }
        }
        sums.iter().for_each(|&sum| push(sum));
    }
}
