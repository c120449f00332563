//! Decimal numbers and raw values, exactly in both directions.

/// Most digits behind the point that are read.
const MAX_DIGITS: usize = 256;

/// The raw value of `text`, an unsigned decimal number with or without a point and with `_`
/// between digits, at `fraction` fractional bits; rounded to nearest, halves up. `None` if it
/// does not fit in 127 bits or has too many digits.
pub(super) fn to_raw(text: &str, fraction: u8) -> Option<i128> {
    let (whole, rest) = text.split_once('.').unwrap_or((text, ""));
    let whole = digits(whole)
        .try_fold(0i128, |sum, digit| sum.checked_mul(10)?.checked_add(i128::from(digit)))?;
    let mut rest: Vec<u8> = digits(rest).collect();
    if rest.len() > MAX_DIGITS {
        return None;
    }
    let mut raw = whole;
    for _ in 0..fraction {
        raw = raw.checked_mul(2)?.checked_add(i128::from(double(&mut rest)))?;
    }
    raw.checked_add(i128::from(double(&mut rest)))
}

/// An unsigned decimal number as numerator and denominator, a power of ten. `None` if either
/// needs more than 64 bits.
pub(super) fn to_ratio(text: &str) -> Option<(u64, u64)> {
    let (whole, rest) = text.split_once('.').unwrap_or((text, ""));
    let denominator = digits(rest).try_fold(1u64, |unit, _| unit.checked_mul(10))?;
    let numerator = digits(whole)
        .chain(digits(rest))
        .try_fold(0u64, |sum, digit| sum.checked_mul(10)?.checked_add(digit.into()))?;
    Some((numerator, denominator))
}

fn digits(text: &str) -> impl Iterator<Item = u8> + '_ {
    text.bytes().filter(u8::is_ascii_digit).map(|b| b - b'0')
}

/// Doubles `0.digits`; what comes out before the point is returned.
fn double(digits: &mut [u8]) -> u8 {
    digits.iter_mut().rev().fold(0, |carry, digit| {
        let twice = 2 * *digit + carry;
        *digit = twice % 10;
        twice / 10
    })
}

/// `raw / 2^fraction`, exactly.
pub(crate) fn show(raw: i128, fraction: u8) -> String {
    let magnitude = raw.unsigned_abs();
    let mask = (1u128 << fraction) - 1;
    let mut text = format!("{}{}", if raw < 0 { "-" } else { "" }, magnitude >> fraction);
    let mut rest = magnitude & mask;
    if rest > 0 {
        text.push('.');
    }
    while rest > 0 {
        rest *= 10;
        text.push(char::from(b'0' + (rest >> fraction) as u8));
        rest &= mask;
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn numbers_are_rounded_to_nearest() {
        assert_eq!(to_raw("1_000", 0), Some(1000));
        assert_eq!(to_raw("2.5", 0), Some(3));
        assert_eq!(to_raw("2.49999", 0), Some(2));
        assert_eq!(to_raw("0.1", 16), Some(6554));
        assert_eq!(to_raw("0.00000762939453125", 16), Some(1));
        assert_eq!(to_raw("0.00000762939453124", 16), Some(0));
        assert_eq!(to_raw("1.5", 63), Some(3 << 62));
        assert_eq!(to_raw("99999999999999999999", 63), None);
        assert_eq!(to_raw(&"9".repeat(1000), 0), None);
        assert_eq!(to_raw(&format!("0.{}", "9".repeat(1000)), 0), None);
    }

    #[test]
    fn shown_as_short_as_exact_allows() {
        assert_eq!(show(-6, 2), "-1.5");
        assert_eq!(show(-1, 2), "-0.25");
        assert_eq!(show(i128::from(u64::MAX), 0), "18446744073709551615");
        assert_eq!(show(3 << 16, 16), "3");
    }

    proptest! {
        #[test]
        fn shown_numbers_are_read_back(raw: u64, fraction in 0u8..64) {
            prop_assert_eq!(to_raw(&show(i128::from(raw), fraction), fraction), Some(raw.into()));
        }
    }
}
