//! Sorting by Batcher's odd-even merge network (AFIPS 1968): which rows are compared depends on
//! their number only, so nothing needs to be shuffled or opened.
//!
//! A row is its key, its number and its columns. Numbers make keys differ, so that the order is
//! stable. Every step compares rows a distance apart and exchanges them whole.

use super::planes::Rows;
use super::{Arithmetic, Backend, Kind, Name, Planes, Result, Secret, wrong};
use crate::convert::to_planes;

/// Sorts rows by their key. Columns of ring elements travel as bits.
pub(super) fn sort<B: Backend + ?Sized>(
    backend: &mut B,
    key: &Planes,
    columns: &[&Secret],
) -> Result<Vec<Secret>> {
    let n = key.lanes;
    if n > u32::MAX as usize || columns.iter().any(|column| column.len != n) {
        return Err(wrong("rows of a sort"));
    }
    let number_bits = n.next_power_of_two().ilog2();
    let mut parts = Vec::new();
    if number_bits > 0 {
        let numbers: Vec<u32> = (0..n as u32).collect();
        let planes = number_bits as usize;
        parts.push(backend.public_planes(&to_planes(&numbers, planes), planes, n));
    }
    parts.push(key.range(0..key.planes));
    let key_bits = key.planes as u32 + number_bits;
    for column in columns {
        parts.push(bits_of(backend, column)?);
    }
    // Unsorted rows are not held any longer.
    let whole = Planes::stack(&parts);
    drop(parts);
    let (mut rows, bits) = (Rows::new(&whole), whole.planes as u32);
    drop(whole);
    let exchange = Arithmetic::Exchange { key: key_bits, bits };
    for [low, high] in Steps::new(n) {
        let circuit = backend.circuits().get(Name::Arithmetic(exchange.clone()));
        let pair = [rows.gather(&low), rows.gather(&high)];
        let ordered = backend.circuit(&circuit, &pair.each_ref())?;
        rows.scatter(&low, &ordered[0]);
        rows.scatter(&high, &ordered[1]);
    }
    let sorted = rows.planes();
    let mut at = key_bits as usize;
    let mut moved = Vec::new();
    for column in columns {
        let planes = at..at + column.kind.planes();
        at = planes.end;
        moved.push(array_of(backend, &sorted.range(planes), column.kind)?);
    }
    Ok(moved)
}

fn bits_of<B: Backend + ?Sized>(backend: &mut B, column: &Secret) -> Result<Planes> {
    match column.kind {
        Kind::Bits => Ok(Planes::of_secret(column)),
        Kind::Ring(ring) => backend.low_bits(column, ring.bits()),
    }
}

fn array_of<B: Backend + ?Sized>(backend: &mut B, bits: &Planes, kind: Kind) -> Result<Secret> {
    match kind {
        Kind::Bits => Ok(bits.plane(0)),
        Kind::Ring(ring) => backend.compose(bits, false, ring),
    }
}

/// The network for `n` rows: per step the rows that are compared, the lower and the higher ones.
struct Steps {
    n: usize,
    /// Rows of the sorted runs that are being merged.
    run: usize,
    /// How far apart rows are compared.
    distance: usize,
}

impl Steps {
    fn new(n: usize) -> Self {
        Steps { n, run: 1, distance: 1 }
    }
}

impl Iterator for Steps {
    type Item = [Vec<u32>; 2];

    fn next(&mut self) -> Option<Self::Item> {
        let Steps { n, run, distance } = *self;
        if run >= n {
            return None;
        }
        (self.run, self.distance) =
            if distance > 1 { (run, distance / 2) } else { (2 * run, 2 * run) };
        let start = distance % run;
        // Rows beyond the last would stay where they are: they count as greatest.
        let lower = (start..n.saturating_sub(distance)).filter(|row| {
            (row - start) / distance % 2 == 0 && row / (2 * run) == (row + distance) / (2 * run)
        });
        let (low, high) = lower.map(|row| (row as u32, (row + distance) as u32)).unzip();
        Some([low, high])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By the 0-1 principle a network that sorts all zeros and ones sorts everything.
    #[test]
    fn the_network_sorts_every_number_of_rows() {
        for n in 0..=13 {
            let steps: Vec<_> = Steps::new(n).collect();
            for bits in 0u32..1 << n {
                let mut rows: Vec<u32> = (0..n).map(|i| bits >> i & 1).collect();
                for [low, high] in &steps {
                    for (a, b) in low.iter().zip(high) {
                        if rows[*a as usize] > rows[*b as usize] {
                            rows.swap(*a as usize, *b as usize);
                        }
                    }
                }
                assert!(rows.is_sorted(), "{n} rows, {bits:b}");
            }
        }
    }
}
