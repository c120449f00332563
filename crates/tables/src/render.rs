//! Raw values as numbers for people and files.

use std::fmt::Write as _;

use tacit_program::{Element, Interval};

use crate::number::divide;

/// Gives the number that a raw value stands for: `u64` raw values are read as unsigned.
#[must_use]
pub fn widen(element: Element, raw: i64) -> i128 {
    match element {
        Element::Int { signed: false, .. } => i128::from(raw.cast_unsigned()),
        _ => i128::from(raw),
    }
}

/// The number in decimal, exactly. Fixed point has at least one digit after the point, if it has
/// fractional bits at all.
pub(crate) fn exact(element: Element, raw: i64) -> String {
    decimal(widen(element, raw), element.fraction())
}

/// Gives the number in decimal, in fixed point with just as many digits as tell it from its
/// neighbours.
pub(crate) fn shortest(element: Element, raw: i64) -> String {
    match element.fraction() {
        0 => exact(element, raw),
        fraction => shortest_fixed(raw, fraction),
    }
}

/// A range as `low..high`, both included.
pub(crate) fn interval(element: Element, interval: Interval) -> String {
    let show = |raw| decimal(raw, element.fraction());
    format!("{}..{}", show(interval.low), show(interval.high))
}

fn decimal(raw: i128, fraction: u8) -> String {
    let size = raw.unsigned_abs();
    let sign = if raw < 0 { "-" } else { "" };
    let mut text = format!("{sign}{}", size >> fraction);
    if fraction == 0 {
        return text;
    }
    text.push('.');
    let mask = (1_u128 << fraction) - 1;
    let mut rest = size & mask;
    loop {
        rest *= 10;
        let _ = write!(text, "{}", rest >> fraction);
        rest &= mask;
        if rest == 0 {
            return text;
        }
    }
}

/// Digits after the point that tell apart neighbours of 63 fractional bits.
const MAX_DIGITS: u32 = 19;

fn shortest_fixed(raw: i64, fraction: u8) -> String {
    let size = u128::from(raw.unsigned_abs());
    for digits in 1..=MAX_DIGITS {
        let unit = 10_u128.pow(digits);
        let (scaled, _) = divide(size * unit, 1 << fraction);
        if divide(scaled << fraction, unit).0 == size {
            let sign = if raw < 0 { "-" } else { "" };
            let width = digits as usize;
            return format!("{sign}{}.{:0width$}", scaled / unit, scaled % unit);
        }
    }
    decimal(i128::from(raw), fraction)
}

#[cfg(test)]
mod tests {
    use super::*;

    const FIXED: Element = Element::Fixed { bits: 64, fraction: 32 };

    #[test]
    fn exact_decimals() {
        let tenth = 429_496_730;
        assert_eq!(exact(FIXED, tenth), "0.1000000000931322574615478515625");
        assert_eq!(exact(FIXED, -(3 << 31)), "-1.5");
        assert_eq!(exact(FIXED, i64::MIN), "-2147483648.0");
        assert_eq!(exact(Element::uint(64), -1), "18446744073709551615");
        assert_eq!(exact(Element::int(64), i64::MIN), "-9223372036854775808");
        let fine = Element::Fixed { bits: 64, fraction: 63 };
        assert_eq!(exact(fine, 1).len(), 2 + 63);
        assert_eq!(exact(Element::Fixed { bits: 8, fraction: 0 }, 7), "7");
    }

    #[test]
    fn shortest_decimals() {
        assert_eq!(shortest(FIXED, 429_496_730), "0.1");
        assert_eq!(shortest(FIXED, -(3 << 31)), "-1.5");
        assert_eq!(shortest(FIXED, 1), "0.0000000002");
        assert_eq!(shortest(FIXED, 0), "0.0");
        assert_eq!(shortest(FIXED, i64::MIN), "-2147483648.0");
        assert_eq!(shortest(Element::Fixed { bits: 16, fraction: 8 }, 255), "0.996");
    }

    #[test]
    fn ranges() {
        assert_eq!(interval(Element::int(8), Element::int(8).interval()), "-128..127");
        let fixed = Element::Fixed { bits: 8, fraction: 4 };
        assert_eq!(interval(fixed, fixed.interval()), "-8.0..7.9375");
    }
}
