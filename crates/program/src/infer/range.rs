//! Interval arithmetic on raw values. `None`: beyond 128 bits.

use crate::types::Interval;

/// Of sums.
pub fn add(a: Interval, b: Interval) -> Option<Interval> {
    Some(Interval { low: a.low.checked_add(b.low)?, high: a.high.checked_add(b.high)? })
}

/// Of differences.
pub fn sub(a: Interval, b: Interval) -> Option<Interval> {
    Some(Interval { low: a.low.checked_sub(b.high)?, high: a.high.checked_sub(b.low)? })
}

/// Of negations.
pub fn neg(a: Interval) -> Option<Interval> {
    sub(Interval::point(0), a)
}

/// Of products.
pub fn mul(a: Interval, b: Interval) -> Option<Interval> {
    hull([
        a.low.checked_mul(b.low)?,
        a.low.checked_mul(b.high)?,
        a.high.checked_mul(b.low)?,
        a.high.checked_mul(b.high)?,
    ])
}

/// Of raw values with `fraction` more fractional bits than wanted, rounded to within one unit.
pub fn rounded(a: Interval, fraction: u8) -> Option<Interval> {
    if fraction == 0 {
        return Some(a);
    }
    let low = (a.low >> fraction).checked_sub(1)?;
    Some(Interval { low, high: (a.high >> fraction).checked_add(1)? })
}

/// Of absolute values.
pub fn abs(a: Interval) -> Option<Interval> {
    let (low, high) = (a.low.checked_abs()?, a.high.checked_abs()?);
    let least = if a.low <= 0 && a.high >= 0 { 0 } else { low.min(high) };
    Some(Interval { low: least, high: low.max(high) })
}

/// Of lesser ones.
pub fn min(a: Interval, b: Interval) -> Interval {
    Interval { low: a.low.min(b.low), high: a.high.min(b.high) }
}

/// Of greater ones.
pub fn max(a: Interval, b: Interval) -> Interval {
    Interval { low: a.low.max(b.low), high: a.high.max(b.high) }
}

/// Times `2^by`.
pub fn shift_left(a: Interval, by: u8) -> Option<Interval> {
    mul(a, Interval::point(1i128.checked_shl(by.into()).filter(|&f| f > 0)?))
}

/// Over `2^by`, rounded down.
pub fn shift_right(a: Interval, by: u8) -> Interval {
    let by = u32::from(by).min(127);
    Interval { low: a.low >> by, high: a.high >> by }
}

/// Of sums of `least..=most` values.
pub fn sum(a: Interval, least: u64, most: u64) -> Option<Interval> {
    let times = |n: u64| mul(a, Interval::point(n.into()));
    Some(times(least)?.join(times(most)?))
}

/// Of products of `n` values by [`tree`](crate::lower): rounds of pairs, an odd one left over.
pub fn product(a: Interval, n: u64, fraction: u8) -> Option<Interval> {
    let (mut all, mut left) = (a, n);
    while left > 1 {
        let pairs = rounded(mul(all, all)?, fraction)?;
        all = if left % 2 == 1 { pairs.join(all) } else { pairs };
        left = left.div_ceil(2);
    }
    Some(all)
}

/// `floor(a / b)`.
///
/// # Panics
/// If `b` is zero.
pub fn floor_div(a: i128, b: i128) -> i128 {
    let quotient = a / b;
    if a % b != 0 && (a < 0) != (b < 0) { quotient - 1 } else { quotient }
}

/// Of quotients rounded down, zero where the divisor is zero.
pub fn div(a: Interval, b: Interval) -> Option<Interval> {
    let mut all = (b.low <= 0 && b.high >= 0).then_some(Interval::point(0));
    for part in [
        Interval { low: b.low, high: b.high.min(-1) },
        Interval { low: b.low.max(1), high: b.high },
    ] {
        if part.low > part.high {
            continue;
        }
        let corners =
            [(a.low, part.low), (a.low, part.high), (a.high, part.low), (a.high, part.high)];
        // The one quotient that overflows: the least value by -1.
        if corners.iter().any(|&(x, y)| x == i128::MIN && y == -1) {
            return None;
        }
        let quotients = hull(corners.map(|(x, y)| floor_div(x, y)))?;
        all = Some(all.map_or(quotients, |all| all.join(quotients)));
    }
    all
}

/// Of `a - b floor(a / b)`, zero where the divisor is zero.
pub fn rem(a: Interval, b: Interval) -> Interval {
    let low = if b.low < 0 { b.low + 1 } else { 0 };
    let high = if b.high > 0 { b.high - 1 } else { 0 };
    let zero = Interval::point(0);
    match (a.low >= 0, b.low >= 0) {
        (true, true) => Interval { low: 0, high: high.min(a.high) },
        _ => Interval { low, high }.join(zero),
    }
}

/// The square root, rounded down; zero for negative values.
pub fn isqrt(a: i128) -> i128 {
    a.max(0).isqrt()
}

/// Of square roots of raw values with `fraction` fractional bits.
pub fn sqrt(a: Interval, fraction: u8) -> Option<Interval> {
    let scaled = shift_left(a, fraction)?;
    Some(Interval { low: isqrt(scaled.low), high: isqrt(scaled.high) })
}

/// The least interval of these values; `None` of none.
pub fn hull(values: impl IntoIterator<Item = i128>) -> Option<Interval> {
    values.into_iter().map(Interval::point).reduce(Interval::join)
}
