//! Numbers: what is computed of raw values. None stands for a number of more than 128 bits.

use crate::kind::Kind;
use crate::plan::Operator;
use crate::rows::Cell;

/// A power of ten.
fn ten(digits: u8) -> Option<i128> {
    10i128.checked_pow(u32::from(digits))
}

/// A power of two.
fn two(bits: u8) -> Option<i128> {
    2i128.checked_pow(u32::from(bits))
}

/// The quotient, rounded down. The divisor is not zero.
pub(super) fn floor(a: i128, b: i128) -> Option<i128> {
    let quotient = a.checked_div(b)?;
    let remainder = a.checked_rem(b)?;
    let is_above = remainder != 0 && (remainder < 0) != (b < 0);
    Some(if is_above { quotient - 1 } else { quotient })
}

/// The quotient, rounded to the nearest integer, half away from zero. The divisor is positive.
fn nearest(a: i128, b: i128) -> Option<i128> {
    let size = a.checked_abs()?.checked_mul(2)?.checked_add(b)?;
    let quotient = size.checked_div(b.checked_mul(2)?)?;
    Some(if a < 0 { -quotient } else { quotient })
}

/// Whether values of a kind can become values of another one.
pub(super) fn converts(from: &Kind, to: &Kind) -> bool {
    from == to || ((from.is_number() || *from == Kind::Bit) && to.is_number())
}

/// A raw value of a kind, as a raw value of another kind that it converts to.
pub(super) fn convert(from: &Kind, to: &Kind, raw: i128) -> Option<i128> {
    match (from, to) {
        (Kind::Bit, Kind::Decimal { scale }) => raw.checked_mul(ten(*scale)?),
        (Kind::Bit, Kind::Fixed { fraction }) => raw.checked_mul(two(*fraction)?),
        (Kind::Decimal { scale: old }, Kind::Decimal { scale: new }) if new >= old => {
            raw.checked_mul(ten(new - old)?)
        }
        (Kind::Decimal { scale: old }, Kind::Decimal { scale: new }) => {
            nearest(raw, ten(old - new)?)
        }
        (Kind::Decimal { scale }, Kind::Fixed { fraction }) => {
            floor(raw.checked_mul(two(*fraction)?)?, ten(*scale)?)
        }
        (Kind::Fixed { fraction }, Kind::Decimal { scale }) => {
            nearest(raw.checked_mul(ten(*scale)?)?, two(*fraction)?)
        }
        (Kind::Fixed { fraction: old }, Kind::Fixed { fraction: new }) if new >= old => {
            raw.checked_mul(two(new - old)?)
        }
        (Kind::Fixed { fraction: old }, Kind::Fixed { fraction: new }) => {
            floor(raw, two(old - new)?)
        }
        // Plans were checked: the kinds are equal.
        _ => Some(raw),
    }
}

/// The result of an operation on two values that are not null; `kind` is the result's.
pub(super) fn binary(operator: Operator, kind: &Kind, a: i128, b: i128) -> Option<Cell> {
    let unit = match kind {
        Kind::Fixed { fraction } => two(*fraction)?,
        _ => 1,
    };
    let result = match operator {
        // Dates are numbers of days.
        Operator::Add => a.checked_add(b)?,
        Operator::Subtract => a.checked_sub(b)?,
        Operator::Multiply => floor(a.checked_mul(b)?, unit)?,
        Operator::Divide | Operator::IntegerDivide | Operator::Remainder if b == 0 => {
            return Some(None);
        }
        Operator::Divide => floor(a.checked_mul(unit)?, b)?,
        Operator::IntegerDivide => a.checked_div(b)?,
        Operator::Remainder => a.checked_rem(b)?,
        Operator::Equal => i128::from(a == b),
        Operator::Less => i128::from(a < b),
        Operator::LessOrEqual => i128::from(a <= b),
        Operator::And => a & b,
        Operator::Or => a | b,
    };
    Some(Some(result))
}

/// The root of a raw value in fixed point, which is not negative, rounded down.
pub(super) fn root(kind: &Kind, raw: i128) -> Option<i128> {
    let Kind::Fixed { fraction } = kind else { return None };
    raw.checked_mul(two(*fraction)?).map(i128::isqrt)
}

/// The product of raw values in fixed point, rounded down.
pub(super) fn product(a: i128, b: i128, fraction: u8) -> Option<i128> {
    floor(a.checked_mul(b)?, two(fraction)?)
}

/// The quotient of raw values in fixed point, rounded down. The divisor is not zero.
pub(super) fn quotient(a: i128, b: i128, fraction: u8) -> Option<i128> {
    floor(a.checked_mul(two(fraction)?)?, b)
}

/// The mean of raw values of a kind with this sum, with so many bits behind the point. The count is not zero.
pub(super) fn mean(kind: &Kind, sum: i128, count: i128, fraction: u8) -> Option<i128> {
    let unit = match kind {
        Kind::Decimal { scale } => ten(*scale)?,
        Kind::Fixed { fraction } => two(*fraction)?,
        _ => 1,
    };
    floor(sum.checked_mul(two(fraction)?)?, unit.checked_mul(count)?)
}
