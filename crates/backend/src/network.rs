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
    for step in Steps::new(n) {
        let circuit = backend.circuits().get(Name::Arithmetic(exchange.clone()));
        let [low, high] = if rows.are_dry() { Default::default() } else { step.pairs() };
        let pair = [&low, &high].map(|at| rows.gather(step.len(), || at.iter().copied()));
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

/// The steps of the network for `n` rows.
struct Steps(Step);

/// Comparisons that are made side by side.
#[derive(Clone, Copy)]
struct Step {
    n: usize,
    /// Rows of the sorted runs that are being merged.
    run: usize,
    /// How far apart rows are compared.
    distance: usize,
}

impl Steps {
    fn new(n: usize) -> Self {
        Steps(Step { n, run: 1, distance: 1 })
    }
}

impl Iterator for Steps {
    type Item = Step;

    fn next(&mut self) -> Option<Self::Item> {
        let step @ Step { n, run, distance } = self.0;
        if run >= n {
            return None;
        }
        let (run, distance) = if distance > 1 { (run, distance / 2) } else { (2 * run, 2 * run) };
        self.0 = Step { n, run, distance };
        Some(step)
    }
}

impl Step {
    /// The rows that are compared, the lower and the higher ones.
    fn pairs(self) -> [Vec<u32>; 2] {
        let Step { n, run, distance } = self;
        let start = distance % run;
        // Rows beyond the last would stay where they are: they count as greatest.
        let lower = (start..n.saturating_sub(distance)).filter(|row| {
            (row - start) / distance % 2 == 0 && row / (2 * run) == (row + distance) / (2 * run)
        });
        let (low, high) = lower.map(|row| (row as u32, (row + distance) as u32)).unzip();
        [low, high]
    }

    /// How many pairs there are.
    fn len(self) -> usize {
        let Step { n, run, distance } = self;
        let (lower, block) = (n.saturating_sub(distance), 2 * run);
        // Of two runs, the first rows `start..end`: every other stretch of as many as they are apart.
        let (start, end) = (distance % run, if distance == run { run } else { block - distance });
        let within = |rows: usize| {
            let rows = rows.min(end).saturating_sub(start);
            let (whole, rest) = (rows / (2 * distance), rows % (2 * distance));
            whole * distance + rest.min(distance)
        };
        lower / block * within(block) + within(lower % block)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_are_counted_without_being_made() {
        for n in 0..200 {
            for step in Steps::new(n) {
                assert_eq!(
                    step.len(),
                    step.pairs()[0].len(),
                    "{n}: {} {}",
                    step.run,
                    step.distance
                );
            }
        }
    }

    /// By the 0-1 principle a network that sorts all zeros and ones sorts everything.
    #[test]
    fn the_network_sorts_every_number_of_rows() {
        for n in 0..=13 {
            let steps: Vec<_> = Steps::new(n).map(Step::pairs).collect();
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
