//! Arrays of values in the clear.

use super::error::OpError;
use crate::types::{Element, Interval};
use std::fmt;
use zeroize::{Zeroize, Zeroizing};

/// An array of values, row-major. It may hold secrets: it is wiped when dropped, and `Debug`
/// shows its type only.
#[derive(Clone, PartialEq, Eq)]
pub struct Array {
    element: Element,
    shape: Vec<usize>,
    /// Raw values; those of `u64` in two's complement.
    raw: Vec<i64>,
}

impl Array {
    /// An array of raw values as [`Array::raw`] gives them.
    ///
    /// # Errors
    /// If there are not as many values as the shape says, or one is none of the element's.
    pub fn new(element: Element, shape: Vec<usize>, raw: Vec<i64>) -> Result<Self, OpError> {
        let array = Array { element, shape, raw };
        if count(&array.shape) != Some(array.raw.len()) {
            return Err(OpError::Malformed("an array has as many values as its shape says"));
        }
        let all = element.interval();
        let outside = array.values().position(|value| !holds(all, value));
        outside.map_or(Ok(array), |index| Err(OpError::Value { index, element }))
    }

    /// An array of the values, which are raw in fixed point.
    ///
    /// # Errors
    /// If there are not as many values as the shape says, or one is none of the element's.
    pub fn from_values(
        element: Element,
        shape: Vec<usize>,
        values: impl IntoIterator<Item = i128>,
    ) -> Result<Self, OpError> {
        let all = element.interval();
        let mut raw = Zeroizing::new(Vec::new());
        raw.try_reserve_exact(count(&shape).unwrap_or(0)).map_err(|_| OpError::TooLarge)?;
        for (index, value) in values.into_iter().enumerate() {
            if !holds(all, value) {
                return Err(OpError::Value { index, element });
            }
            raw.push(value as i64);
        }
        Array::new(element, shape, std::mem::take(&mut *raw))
    }

    /// One element, without axes.
    ///
    /// # Errors
    /// If the value is none of the element's.
    pub fn scalar(element: Element, value: i128) -> Result<Self, OpError> {
        Array::from_values(element, Vec::new(), [value])
    }

    /// An array whose raw values are known to be the element's.
    pub(super) fn trusted(element: Element, shape: Vec<usize>, raw: Vec<i64>) -> Self {
        debug_assert_eq!(count(&shape), Some(raw.len()), "as many values as the shape says");
        Array { element, shape, raw }
    }

    /// What each value is.
    #[must_use]
    pub fn element(&self) -> Element {
        self.element
    }

    /// Lengths of the axes, outermost first.
    #[must_use]
    pub fn shape(&self) -> &[usize] {
        &self.shape
    }

    /// Number of values.
    #[must_use]
    pub fn len(&self) -> usize {
        self.raw.len()
    }

    /// Whether there are no values.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.raw.is_empty()
    }

    /// Value `index` in row-major order: raw in fixed point, 0 or 1 for a bit.
    ///
    /// # Panics
    /// If there is no such value.
    #[must_use]
    pub fn get(&self, index: usize) -> i128 {
        widen(self.raw[index], self.is_unsigned())
    }

    /// All values in row-major order, as [`Array::get`] gives them.
    pub fn values(&self) -> impl ExactSizeIterator<Item = i128> + Clone + '_ {
        let unsigned = self.is_unsigned();
        self.raw.iter().map(move |&raw| widen(raw, unsigned))
    }

    /// The values of a range of positions.
    pub(super) fn part(&self, range: std::ops::Range<usize>) -> impl Iterator<Item = i128> + '_ {
        let unsigned = self.is_unsigned();
        self.raw[range].iter().map(move |&raw| widen(raw, unsigned))
    }

    /// All values in row-major order, those of `u64` reinterpreted as `i64`.
    #[must_use]
    pub fn raw(&self) -> &[i64] {
        &self.raw
    }

    /// Whether raw values are `u64` in two's complement.
    pub(super) fn is_unsigned(&self) -> bool {
        matches!(self.element, Element::Int { signed: false, .. })
    }
}

impl Drop for Array {
    fn drop(&mut self) {
        self.raw.zeroize();
    }
}

impl fmt::Debug for Array {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Array({}{:?})", self.element, self.shape)
    }
}

/// The product of the lengths; `None` on overflow.
pub(super) fn count(shape: &[usize]) -> Option<usize> {
    if shape.contains(&0) {
        return Some(0);
    }
    shape.iter().try_fold(1usize, |n, &len| n.checked_mul(len))
}

/// Whether the value lies in the interval.
pub(super) fn holds(interval: Interval, value: i128) -> bool {
    interval.low <= value && value <= interval.high
}

/// Bits of a raw value.
pub(super) fn width(element: Element) -> u32 {
    match element {
        Element::Bit => 1,
        Element::Int { bits, .. } | Element::Fixed { bits, .. } => u32::from(bits),
    }
}

/// The value whose low bits are those of `value`, modulo `2^width`.
pub(super) fn wrap(element: Element, value: i128) -> i128 {
    let spare = 128 - width(element);
    match element {
        Element::Bit | Element::Int { signed: false, .. } => {
            (((value as u128) << spare) >> spare) as i128
        }
        Element::Int { .. } | Element::Fixed { .. } => (value << spare) >> spare,
    }
}

#[inline(always)]
fn widen(raw: i64, unsigned: bool) -> i128 {
    if unsigned { i128::from(raw as u64) } else { i128::from(raw) }
}
