//! How far numbers lie apart, how they go together, and values of rows in which others are extreme.

use super::number::{self, floor, product, quotient};
use super::wrong::{malformed, too_large};
use crate::error::Result;
use crate::kind::Kind;
use crate::plan::{Aggregate, Field, Function, Spread, Together};
use crate::rows::Cell;

/// Such an aggregate, of a kind, of the rows of a group.
pub(super) fn value(
    aggregate: &Aggregate,
    (rows, column): (&[&[Cell]], usize),
    fields: &[Field],
    kind: &Kind,
) -> Result<Cell> {
    let other = aggregate.other.unwrap_or(column);
    let pairs = rows.iter().filter_map(|row| row[column].zip(row[other]));
    let pairs: Vec<(i128, i128)> = pairs.collect();
    let kinds = [&fields[column].kind, &fields[other].kind];
    let large = || too_large(&aggregate.span);
    let fraction = match kind {
        Kind::Fixed { fraction } => *fraction,
        _ => 0,
    };
    match aggregate.function {
        Function::Best { greatest } => Ok(best(&pairs, greatest)),
        Function::Spread(Spread { sample, root }) => {
            if pairs.len() <= usize::from(sample) {
                return Ok(None);
            }
            let variance = moment(&pairs, kinds, sample, fraction).ok_or_else(large)?.max(0);
            let deviation = if root { number::root(kind, variance) } else { Some(variance) };
            deviation.ok_or_else(large).map(Some)
        }
        Function::Together(Together::Covariance { sample }) => {
            if pairs.len() <= usize::from(sample) {
                return Ok(None);
            }
            moment(&pairs, kinds, sample, fraction).ok_or_else(large).map(Some)
        }
        Function::Together(Together::Correlation) => {
            if pairs.is_empty() {
                return Ok(None);
            }
            correlation(&pairs, kinds, kind, fraction).ok_or_else(large)
        }
        _ => Err(malformed(&aggregate.span, "this is of one column")),
    }
}

/// The value of the pair in which the other one is extreme.
fn best(pairs: &[(i128, i128)], greatest: bool) -> Cell {
    let order = |(value, by): &(i128, i128)| (if greatest { -by } else { *by }, *value);
    pairs.iter().copied().min_by_key(order).map(|(value, _)| value)
}

/// A covariance, as a raw value in fixed point.
fn moment(pairs: &[(i128, i128)], kinds: [&Kind; 2], sample: bool, fraction: u8) -> Option<i128> {
    let count = pairs.len() as i128;
    let divisor = count - i128::from(sample);
    let sums =
        [pairs.iter().map(|pair| pair.0).sum::<i128>(), pairs.iter().map(|pair| pair.1).sum()];
    let fixed = match kinds[0] {
        Kind::Fixed { fraction } => Some(*fraction),
        _ => None,
    };
    let mut about = [0, 0];
    if fixed.is_none() {
        about = [floor(sums[0], count)?, floor(sums[1], count)?];
    }
    let [a, b] = about;
    let products = pairs.iter().try_fold(0i128, |sum, (x, y)| {
        let of = match fixed {
            Some(fraction) => product(*x, *y, fraction)?,
            None => (x - a).checked_mul(y - b)?,
        };
        sum.checked_add(of)
    })?;
    let squared = match kinds {
        [Kind::Decimal { scale: x }, Kind::Decimal { scale: y }] => {
            Kind::Decimal { scale: x.checked_add(*y)? }
        }
        [kind, _] => kind.clone(),
    };
    let first = number::mean(&squared, products, divisor, fraction)?;
    let second = number::mean(kinds[0], sums[0] - count * a, count, fraction)?;
    let third = number::mean(kinds[1], sums[1] - count * b, divisor, fraction)?;
    Some(first - product(second, third, fraction)?)
}

fn correlation(
    pairs: &[(i128, i128)],
    kinds: [&Kind; 2],
    kind: &Kind,
    fraction: u8,
) -> Option<Cell> {
    let deviation = |of: &dyn Fn(&(i128, i128)) -> i128, own: &Kind| {
        let same: Vec<_> = pairs.iter().map(|pair| (of(pair), of(pair))).collect();
        number::root(kind, moment(&same, [own, own], false, fraction)?.max(0))
    };
    let [a, b] = [deviation(&|pair| pair.0, kinds[0])?, deviation(&|pair| pair.1, kinds[1])?];
    let both = product(a, b, fraction)?;
    if both == 0 {
        return Some(None);
    }
    let covariance = moment(pairs, kinds, false, fraction)?.clamp(-both, both);
    Some(Some(quotient(covariance, both, fraction)?))
}
