//! Sums of many numbers, in carry-save form until one addition is left, and what is made of them:
//! sums over an axis or by group, and matrix products.

use super::super::planes::Rows;
use super::{Arithmetic, Boolean, ring_of};
use crate::{Backend, Bits, Kind, Planes, Result, Ring, Secret, wrong};
use tacit_sharing::arrays::MatrixShape;

/// Numbers that one circuit adds up.
const OPERANDS: usize = 32;
/// Products, or numbers by group, that are held at once.
const LANES: usize = 1 << 17;

/// Numbers to be summed, none of them signed: rows of `inner` lanes, one after the other.
struct Addends {
    numbers: Planes,
    inner: usize,
    /// What every total is too great by.
    excess: i128,
}

impl Addends {
    fn rows(&self) -> usize {
        self.numbers.lanes.checked_div(self.inner).unwrap_or(0)
    }

    /// Signed numbers: narrower than the ring, they get an offset that makes them unsigned.
    fn signed<B: Bits>(
        boolean: &mut Boolean<B>,
        numbers: Planes,
        inner: usize,
        ring: Ring,
    ) -> Self {
        let (bits, lanes) = (numbers.planes, numbers.lanes);
        if bits == 0 || bits >= ring.bits() as usize {
            return Addends { numbers, inner, excess: 0 };
        }
        let ones = boolean.public(Kind::Bits, &[1], lanes);
        let top = Planes::of(&[&numbers.plane(bits - 1).xor(&ones)]);
        let numbers = Planes::stack(&[numbers.range(0..bits - 1), top]);
        let rows = lanes.checked_div(inner).unwrap_or(0) as i128;
        Addends { numbers, inner, excess: rows << (bits - 1) }
    }

    /// At most two rows with the same sums.
    fn reduce<B: Bits>(mut self, boolean: &mut Boolean<B>, ring: Ring) -> Result<Self> {
        while self.rows() > 2 {
            let parts = self.rows().div_ceil(OPERANDS);
            let rows = self.rows().div_ceil(parts);
            let step = parts * self.inner;
            let ports: Vec<Planes> =
                (0..rows).map(|row| self.numbers.lanes(row * step..(row + 1) * step)).collect();
            let from = self.numbers.planes as u32;
            let to = (from + rows.next_power_of_two().ilog2()).min(ring.bits());
            let circuit = Arithmetic::Rows { rows: rows as u32, from, to };
            self.numbers =
                Planes::join(&boolean.arithmetic(circuit, &ports.iter().collect::<Vec<_>>())?);
        }
        Ok(self)
    }

    /// The sums.
    fn total<B: Bits>(self, boolean: &mut Boolean<B>, ring: Ring) -> Result<Secret> {
        let reduced = self.reduce(boolean, ring)?;
        let (rows, inner) = (reduced.rows(), reduced.inner);
        if rows == 0 {
            return Ok(boolean.public(Kind::Ring(ring), &[0], inner));
        }
        let from = reduced.numbers.planes as u32;
        if rows == 1 && reduced.excess == 0 {
            return Ok(reduced.numbers.into_number(ring, false));
        }
        let ports: Vec<Planes> =
            (0..rows).map(|row| reduced.numbers.lanes(row * inner..(row + 1) * inner)).collect();
        let plus = reduced.excess.wrapping_neg();
        let circuit = Arithmetic::Total { rows: rows as u32, from, to: ring.bits(), plus };
        boolean.number(circuit, &ports.iter().collect::<Vec<_>>(), ring)
    }
}

pub(super) fn sum_axis<B: Bits>(
    boolean: &mut Boolean<B>,
    a: &Secret,
    [outer, axis, inner]: [usize; 3],
    bits: u32,
) -> Result<Secret> {
    let ring = ring_of(a)?;
    if outer * axis * inner != a.len {
        return Err(wrong("shape of a sum"));
    }
    let mut numbers = boolean.low_bits(a, bits.min(ring.bits()))?;
    if outer > 1 {
        // The axis that is summed comes first.
        let row =
            |k| (0..outer).flat_map(move |o| (0..inner).map(move |i| (o * axis + k) * inner + i));
        let places = || (0..axis).flat_map(row).map(|place| place as u32);
        numbers = Rows::new(&numbers).gather(a.len, places);
    }
    Addends::signed(boolean, numbers, outer * inner, ring).total(boolean, ring)
}

pub(super) fn group_sums<B: Bits>(
    boolean: &mut Boolean<B>,
    groups: &[&Secret],
    a: Option<(&Secret, u32)>,
    ring: Ring,
) -> Result<Secret> {
    let n = groups.first().map_or(0, |bits| bits.len);
    if groups.iter().any(|bits| bits.kind != Kind::Bits || bits.len != n) {
        return Err(wrong("bits of groups"));
    }
    let numbers = match a {
        Some((a, _)) if a.len != n => return Err(wrong("numbers of groups")),
        Some((a, bits)) => Some(Rows::new(&boolean.low_bits(a, bits.min(ring.bits()))?)),
        None => None,
    };
    let mut sums = boolean.public(Kind::Ring(ring), &[0], groups.len());
    let tile = (LANES / n.max(1)).max(1);
    for (start, groups) in (0..).step_by(tile).zip(groups.chunks(tile)) {
        let wide = groups.len() as u32;
        // Row after row the bits of all groups.
        let places: Vec<(u32, u32)> =
            (0..n as u32).flat_map(|row| (0..wide).map(move |group| (group, row))).collect();
        let bits = groups[0].gather_from(groups, places.iter().copied());
        let mut addends = Addends { numbers: Planes::of(&[&bits]), inner: groups.len(), excess: 0 };
        if let Some(numbers) = &numbers {
            let rows = || places.iter().map(|(_, row)| *row);
            let repeated = numbers.gather(places.len(), rows);
            let circuit = Arithmetic::Mask(repeated.planes as u32);
            let masked = boolean.arithmetic(circuit, &[&addends.numbers, &repeated])?.remove(0);
            addends = Addends::signed(boolean, masked, groups.len(), ring);
        }
        sums.copy_in(start, &addends.total(boolean, ring)?);
    }
    Ok(sums)
}

/// One product after the other stays in carry-save form until all of an output's are added up.
pub(super) fn matrix_products<B: Bits>(
    boolean: &mut Boolean<B>,
    (batches, shape): (usize, MatrixShape),
    [a, b]: [&Secret; 2],
    bits: [u32; 2],
) -> Result<Secret> {
    let MatrixShape { rows, inner, columns } = shape;
    let ring = ring_of(a)?;
    let sizes = [rows.checked_mul(inner), inner.checked_mul(columns)];
    let sizes = sizes.map(|size| size.and_then(|size| size.checked_mul(batches)));
    let all = batches * rows * columns;
    if sizes != [Some(a.len), Some(b.len)] || a.kind != b.kind {
        return Err(wrong("factors of a matrix product"));
    }
    let factors = bits.map(|bits| bits.min(ring.bits()));
    let (left, right) = (boolean.low_bits(a, factors[0])?, boolean.low_bits(b, factors[1])?);
    let (left, right) = (Rows::new(&left), Rows::new(&right));
    let mut product = boolean.public(Kind::Ring(ring), &[0], all);
    for start in (0..all).step_by(LANES) {
        let outputs = start..(start + LANES).min(all);
        let terms = (LANES / outputs.len()).max(1);
        let (zero, wide) = (product.slice(0..0), outputs.len());
        let mut sum = Addends { numbers: Planes::of_secret(&zero), inner: wide, excess: 0 };
        for first in (0..inner).step_by(terms) {
            let terms = first..(first + terms).min(inner);
            let pairs = || terms.clone().flat_map(|k| outputs.clone().map(move |out| (k, out)));
            let at_left = || pairs().map(|(k, out)| (out / columns * inner + k) as u32);
            let matrix = |out: usize| out / (rows * columns) * inner;
            let at_right =
                || pairs().map(|(k, out)| ((matrix(out) + k) * columns + out % columns) as u32);
            let circuit = Arithmetic::ProductRows { factors, bits: ring.bits() };
            let lanes = terms.len() * wide;
            let (left, right) = (left.gather(lanes, at_left), right.gather(lanes, at_right));
            let mut parts = vec![sum.numbers];
            parts.extend(boolean.arithmetic(circuit, &[&left, &right])?);
            let numbers = Planes::join(&parts);
            sum = Addends { numbers, inner: wide, excess: 0 }.reduce(boolean, ring)?;
        }
        product.copy_in(start, &sum.total(boolean, ring)?);
    }
    Ok(product)
}
