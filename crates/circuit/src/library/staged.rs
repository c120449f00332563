//! Carry-save multipliers in stages of full adders, as usually drawn: a sum bit made
//! in a stage is used in the next one only. Kept beside
//! [`carry_save`](super::multiplier::carry_save), which is never deeper, to show what
//! counting levels instead of stages gains (`docs/spec/circuits.md` section 5.3).

use super::adder;
use super::bits::FanIn;
use super::carry_save::Columns;
use super::counter::full_adder;
use super::multiplier::{Fusion, partial_products};
use crate::{Builder, Wire};

/// How eagerly a stage reduces.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Staging {
    /// Full adders on every three bits of a column (Wallace).
    Wallace,
    /// Only as many adders as reach the next of the heights 2, 3, 4, 6, 9, 13, ... (Dadda).
    Dadda,
}

/// The low `width` bits of `x * y`, two-input gates only: stages of adders down to
/// two rows, then the generate/propagate adder.
///
/// # Panics
/// If an operand is empty or `width` exceeds the sum of the operands' widths.
pub fn staged(
    b: &mut Builder,
    x: &[Wire],
    y: &[Wire],
    width: usize,
    staging: Staging,
) -> Vec<Wire> {
    let mut columns = partial_products(b, x, y, width, FanIn::TWO, Fusion::Off);
    while let Some(target) = next_height(&columns) {
        columns = stage(b, &columns, target, staging);
    }
    let zero = b.constant(false);
    let split = columns.iter().take_while(|c| c.len() < 2).count();
    let bit = |c: &Vec<Wire>, k: usize| c.get(k).copied().unwrap_or(zero);
    let mut product: Vec<Wire> = columns[..split].iter().map(|c| bit(c, 0)).collect();
    if split < width {
        let rows = [0, 1].map(|k| columns[split..].iter().map(|c| bit(c, k)).collect::<Vec<_>>());
        product.extend(adder::prefix(b, &rows[0], &rows[1], None, false, FanIn::TWO));
    }
    product
}

/// The largest Dadda height below the columns', or `None` when two rows are left.
fn next_height(columns: &Columns) -> Option<usize> {
    let height = columns.iter().map(Vec::len).max().filter(|&h| h > 2)?;
    std::iter::successors(Some(2), |h| Some(h * 3 / 2)).take_while(|&h| h < height).last()
}

fn stage(b: &mut Builder, columns: &Columns, target: usize, staging: Staging) -> Columns {
    let mut next: Columns = vec![Vec::new(); columns.len() + 1];
    let mut low_rows_done = true;
    for (j, column) in columns.iter().enumerate() {
        let mut left = column.as_slice();
        while let Some(take) = adder_size(left.len(), next[j].len(), target, staging, low_rows_done)
        {
            let (bits, rest) = left.split_at(take);
            let (sum, carry) = add(b, bits);
            next[j].push(sum);
            next[j + 1].push(carry);
            left = rest;
        }
        next[j].extend(left);
        low_rows_done &= column.len() <= 1;
    }
    next.truncate(columns.len());
    next
}

/// How many bits the column's next adder takes: 3, 2, or none when it is done.
fn adder_size(
    left: usize,
    placed: usize,
    target: usize,
    staging: Staging,
    low_rows_done: bool,
) -> Option<usize> {
    match (staging, left) {
        (Staging::Wallace, 3..) => Some(3),
        (Staging::Wallace, 2) => (low_rows_done || placed + 2 > target).then_some(2),
        (Staging::Dadda, 2..) if left + placed > target => {
            Some(if left + placed == target + 1 || left == 2 { 2 } else { 3 })
        }
        _ => None,
    }
}

/// Sum and carry of two or three bits.
fn add(b: &mut Builder, bits: &[Wire]) -> (Wire, Wire) {
    match *bits {
        [x, y] => (b.xor(x, y), b.and2(x, y)),
        [x, y, z] => {
            let (sum, carry) = full_adder(b, x, y, z);
            (sum, carry.wire(b))
        }
        _ => unreachable!("adders of two or three bits"),
    }
}
