//! Numbers to raw values: exact, or rounded to the nearest, ties to even.

use crate::problem::Problem;

/// A raw value, and whether nothing was rounded.
#[derive(Clone, Copy)]
pub(crate) struct Exact {
    pub raw: i128,
    pub exact: bool,
}

/// Most digits of a `u64` mantissa, and of powers of ten that `u128` holds.
const SHORT: u32 = 19;
const MAX_SCALE: u32 = 38;

/// `true` and `false` as the usual programs write them.
pub(crate) fn truth(bytes: &[u8]) -> Option<bool> {
    match bytes {
        b"true" | b"True" | b"TRUE" => Some(true),
        b"false" | b"False" | b"FALSE" => Some(false),
        _ => None,
    }
}

/// What raw values count: units of `2^-fraction 10^-decimals`. One of the two is zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Unit {
    pub fraction: u8,
    pub decimals: u8,
}

impl Unit {
    /// Units of `2^-fraction`.
    pub(crate) fn binary(fraction: u8) -> Self {
        Unit { fraction, decimals: 0 }
    }

    /// Ones, times a power of ten.
    fn ten(self) -> u128 {
        10_u128.pow(u32::from(self.decimals))
    }
}

/// A decimal number, `-12`, `+0.5`, `1.` or `2.5e-3`, in units.
pub(crate) fn from_text(bytes: &[u8], unit: Unit) -> Result<Exact, Problem> {
    let (negative, unsigned) = match bytes {
        [b'-', rest @ ..] => (true, rest),
        [b'+', rest @ ..] => (false, rest),
        rest => (false, rest),
    };
    match short(unsigned) {
        Some((mantissa, scale)) => from_decimal(negative, mantissa, scale, unit),
        None => {
            let number = Long::parse(unsigned)?;
            let point = number.point + i64::from(unit.decimals);
            Long { point, ..number }.to_raw(negative, unit.fraction)
        }
    }
}

/// `(mantissa, scale)` of a plain number of few digits.
fn short(bytes: &[u8]) -> Option<(u64, u32)> {
    let (mut mantissa, mut digits, mut scale) = (0, 0, None);
    for byte in bytes {
        match byte {
            b'0'..=b'9' if digits < SHORT => {
                mantissa = mantissa * 10 + u64::from(byte - b'0');
                digits += 1;
                scale = scale.map(|scale| scale + 1);
            }
            b'.' if scale.is_none() => scale = Some(0),
            _ => return None,
        }
    }
    (digits > 0).then_some((mantissa, scale.unwrap_or(0)))
}

/// `mantissa / 10^scale`, for scales up to 38, in units.
fn from_decimal(negative: bool, mantissa: u64, scale: u32, unit: Unit) -> Result<Exact, Problem> {
    let divisor = 10_u128.pow(scale);
    let (rounded, exact) = divide((u128::from(mantissa) * unit.ten()) << unit.fraction, divisor);
    signed(negative, rounded, exact)
}

/// An Arrow decimal, `mantissa / 10^scale`, in units.
pub(crate) fn from_scaled(mantissa: i128, scale: i8, unit: Unit) -> Result<Exact, Problem> {
    let size = u64::try_from(mantissa.unsigned_abs());
    match (size, u32::try_from(scale)) {
        (Ok(size), Ok(scale)) if scale <= MAX_SCALE => {
            from_decimal(mantissa < 0, size, scale, unit)
        }
        _ => from_text(format!("{mantissa}e{}", -i32::from(scale)).as_bytes(), unit),
    }
}

/// A floating-point number in units.
pub(crate) fn from_f64(value: f64, unit: Unit) -> Result<Exact, Problem> {
    if !value.is_finite() {
        return Err(Problem::NotFinite);
    }
    let bits = value.to_bits();
    let exponent = i32::try_from(bits >> 52 & 0x7ff).expect("11 bits");
    let hidden = u128::from(exponent > 0) << 52;
    // At most 53 bits, and 60 of the power of ten.
    let mantissa = (hidden | u128::from(bits & ((1 << 52) - 1))) * unit.ten();
    let shift = exponent.max(1) - 1075 + i32::from(unit.fraction);
    let (rounded, exact) = match shift {
        _ if mantissa == 0 => (0, true),
        0.. if shift.unsigned_abs() < mantissa.leading_zeros() => (mantissa << shift, true),
        0.. => return Err(Problem::Outside),
        -127..0 => divide(mantissa, 1 << -shift),
        _ => (0, false),
    };
    signed(value < 0.0, rounded, exact)
}

/// A decimal number with so many digits behind the point, as tables read it: further digits are rounded to the nearest, half to even.
/// Nothing if it is no number.
#[must_use]
pub fn decimal(text: &str, digits: u8) -> Option<i128> {
    let unit = Unit { fraction: 0, decimals: digits };
    from_text(text.trim().as_bytes(), unit).ok().map(|number| number.raw)
}

/// A floating-point number with so many decimal digits behind the point, rounded as [`decimal`] does. Nothing if it is not finite.
#[must_use]
pub fn decimal_of(value: f64, digits: u8) -> Option<i128> {
    from_f64(value, Unit { fraction: 0, decimals: digits }).ok().map(|number| number.raw)
}

/// The quotient rounded to the nearest, ties to even, and whether it is exact.
pub(crate) fn divide(number: u128, divisor: u128) -> (u128, bool) {
    let rest = number % divisor;
    (half_even(number / divisor, rest.cmp(&(divisor - rest))), rest == 0)
}

/// The quotient, rounded by how its remainder compares to half the divisor.
fn half_even(quotient: u128, remainder: std::cmp::Ordering) -> u128 {
    match remainder {
        std::cmp::Ordering::Less => quotient,
        std::cmp::Ordering::Equal => quotient + (quotient & 1),
        std::cmp::Ordering::Greater => quotient + 1,
    }
}

fn signed(negative: bool, size: u128, exact: bool) -> Result<Exact, Problem> {
    let size = i128::try_from(size).map_err(|_| Problem::Outside)?;
    Ok(Exact { raw: if negative { -size } else { size }, exact })
}

/// `0.d1 d2 d3... * 10^point`, for numbers of any length.
struct Long {
    digits: Vec<u8>,
    point: i64,
}

/// Exponents beyond are as good as infinite.
const MAX_EXPONENT: i64 = 1 << 40;

impl Long {
    fn parse(bytes: &[u8]) -> Result<Self, Problem> {
        if is_special(bytes) {
            return Err(Problem::NotFinite);
        }
        let (number, exponent) = match bytes.iter().position(|b| matches!(b, b'e' | b'E')) {
            Some(at) => (&bytes[..at], parse_exponent(&bytes[at + 1..])?),
            None => (bytes, 0),
        };
        let whole = number.iter().position(|b| *b == b'.').unwrap_or(number.len());
        let fraction = number.get(whole + 1..).unwrap_or_default();
        let mut digits = [&number[..whole], fraction].concat();
        if digits.is_empty() || !digits.iter().all(u8::is_ascii_digit) {
            return Err(Problem::NotNumber);
        }
        digits.iter_mut().for_each(|d| *d -= b'0');
        let zeros = digits.iter().take_while(|d| **d == 0).count();
        digits.drain(..zeros);
        let point = i64::try_from(whole).expect("a slice") - i64::try_from(zeros).expect("a slice");
        Ok(Long { digits, point: point + exponent })
    }

    fn to_raw(&self, negative: bool, fraction: u8) -> Result<Exact, Problem> {
        match self.point {
            _ if self.digits.is_empty() => signed(negative, 0, true),
            21.. => Err(Problem::Outside),
            // Less than half a unit of the last place, however many fractional bits.
            ..-40 => signed(negative, 0, false),
            point => self.round(point, negative, fraction),
        }
    }

    /// For points from -40 to 20.
    fn round(&self, point: i64, negative: bool, fraction: u8) -> Result<Exact, Problem> {
        let digit = |i| self.digits.get(i).copied().unwrap_or(0);
        let whole = usize::try_from(point).unwrap_or(0);
        let mut raw = (0..whole).fold(0, |sum, i| sum * 10 + u128::from(digit(i)));
        if raw > u128::from(u64::MAX) {
            return Err(Problem::Outside);
        }
        let zeros = usize::try_from(-point).unwrap_or(0);
        let mut part = vec![0; zeros];
        part.extend_from_slice(self.digits.get(whole..).unwrap_or_default());
        for _ in 0..fraction {
            raw = raw << 1 | u128::from(double(&mut part));
        }
        let exact = part.iter().all(|d| *d == 0);
        let above = part.iter().skip(1).any(|d| *d > 0);
        let half = part.first().copied().unwrap_or(0).cmp(&5);
        let remainder = if above { half.then(std::cmp::Ordering::Greater) } else { half };
        signed(negative, half_even(raw, remainder), exact)
    }
}

/// Doubles `0.d1 d2 d3...` and gives its integer part.
fn double(digits: &mut [u8]) -> u8 {
    digits.iter_mut().rev().fold(0, |carry, digit| {
        let sum = *digit * 2 + carry;
        *digit = sum % 10;
        sum / 10
    })
}

fn is_special(bytes: &[u8]) -> bool {
    ["inf", "infinity", "nan"].iter().any(|s| bytes.eq_ignore_ascii_case(s.as_bytes()))
}

fn parse_exponent(bytes: &[u8]) -> Result<i64, Problem> {
    let (sign, digits) = match bytes {
        [b'-', rest @ ..] => (-1, rest),
        [b'+', rest @ ..] => (1, rest),
        rest => (1, rest),
    };
    if digits.is_empty() || !digits.iter().all(u8::is_ascii_digit) {
        return Err(Problem::NotNumber);
    }
    let size = digits
        .iter()
        .fold(0_i64, |sum, d| (sum.saturating_mul(10) + i64::from(d - b'0')).min(MAX_EXPONENT));
    Ok(sign * size)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn raw(text: &str, fraction: u8) -> i128 {
        from_text(text.as_bytes(), Unit::binary(fraction)).expect(text).raw
    }

    #[test]
    fn text_rounds_to_nearest_ties_to_even() {
        let cases = [("0.5", 0), ("1.5", 2), ("2.5", 2), ("-0.5", 0), ("-1.5", -2), ("0.51", 1)];
        cases.iter().for_each(|(text, want)| assert_eq!(raw(text, 0), *want, "{text}"));
        assert_eq!(raw("0.125", 2), 0, "a tie, down to even");
        assert_eq!(raw("0.375", 2), 2, "a tie, up to even");
        assert_eq!(raw("0.37500000000000000000000000000000000000000001", 2), 2);
        assert_eq!(raw("0.12500000000000000000000000000000000000000001", 2), 1);
        assert_eq!(raw("0.12499999999999999999999999999999999999999999", 2), 0);
    }

    #[test]
    fn forms_of_numbers() {
        let cases = [("7", 7), ("+7", 7), ("-007", -7), ("7.", 7), ("7.000", 7), (".0", 0)];
        cases.iter().for_each(|(text, want)| assert_eq!(raw(text, 0), *want, "{text}"));
        let cases = [
            ("7e2", 700),
            ("700E-2", 7),
            ("0e999999999999999999999", 0),
            ("1e19", 10_i128.pow(19)),
        ];
        cases.iter().for_each(|(text, want)| assert_eq!(raw(text, 0), *want, "{text}"));
        assert_eq!(raw("18446744073709551615", 0), i128::from(u64::MAX));
        assert_eq!(raw("-9223372036854775808", 0), i128::from(i64::MIN));
        assert_eq!(raw("0000000000000000000000000000001", 0), 1);
        assert_eq!(raw("1e-99999999999999999999", 63), 0);
    }

    #[test]
    fn what_is_no_number() {
        for text in
            ["", "-", ".", "e5", "1e", "1e+", "1,5", "1 000", "0x10", "--1", "1.2.3", "1e5e5", "½"]
        {
            let problem = from_text(text.as_bytes(), Unit::binary(8)).err();
            assert_eq!(problem, Some(Problem::NotNumber), "{text}");
        }
        for text in ["inf", "-Infinity", "NaN"] {
            assert_eq!(
                from_text(text.as_bytes(), Unit::binary(8)).err(),
                Some(Problem::NotFinite),
                "{text}"
            );
        }
        for text in ["1e400", "100000000000000000000", "1e99999999999999999999"] {
            assert_eq!(
                from_text(text.as_bytes(), Unit::binary(63)).err(),
                Some(Problem::Outside),
                "{text}"
            );
        }
    }

    /// Both ways through the code, for the same numbers.
    #[test]
    fn long_and_short_numbers_agree() {
        for text in ["0.1", "12345.678", "0.0000152587890625", "999999999.9999999999", "0.5", "3"] {
            for fraction in [0, 1, 16, 32, 63] {
                let long = Long::parse(text.as_bytes()).expect(text);
                let long = long.to_raw(false, fraction).expect(text);
                let short = from_text(text.as_bytes(), Unit::binary(fraction)).expect(text);
                assert_eq!((long.raw, long.exact), (short.raw, short.exact), "{text} {fraction}");
            }
        }
    }

    #[test]
    fn floats_are_exact_or_rounded() {
        let of = |value, fraction| {
            from_f64(value, Unit::binary(fraction)).ok().map(|e| (e.raw, e.exact))
        };
        assert_eq!(of(0.5, 16), Some((1 << 15, true)));
        assert_eq!(of(-2.5, 0), Some((-2, false)));
        assert_eq!(of(3.5, 0), Some((4, false)));
        assert_eq!(of(f64::MIN_POSITIVE, 63), Some((0, false)));
        assert_eq!(of(-0.0, 63), Some((0, true)));
        assert_eq!(of(2_f64.powi(62), 0), Some((1 << 62, true)));
        assert_eq!(of(f64::MAX, 0), None);
        assert_eq!(from_f64(f64::NAN, Unit::binary(0)).err(), Some(Problem::NotFinite));
    }

    #[test]
    fn arrow_decimals() {
        let of = |mantissa, scale, fraction| {
            from_scaled(mantissa, scale, Unit::binary(fraction)).ok().map(|e| e.raw)
        };
        assert_eq!(of(125, 2, 2), Some(5));
        assert_eq!(of(-5, -3, 0), Some(-5000));
        assert_eq!(of(10_i128.pow(37), 37, 63), Some(1 << 63));
        assert_eq!(of(i128::MAX, 0, 0), None);
        assert_eq!(of(15, 1, 0), Some(2));
    }

    #[test]
    fn decimal_units_are_exact_or_rounded_to_nearest() {
        let cents = Unit { fraction: 0, decimals: 2 };
        let text = |text: &str| from_text(text.as_bytes(), cents).ok().map(|it| (it.raw, it.exact));
        assert_eq!(text("12.34"), Some((1234, true)));
        assert_eq!(text("-0.5"), Some((-50, true)));
        assert_eq!(text("1e1"), Some((1000, true)));
        assert_eq!([text("0.125"), text("0.135")], [Some((12, false)), Some((14, false))]);
        assert_eq!(text("0.12500000000000000000001"), Some((13, false)));
        let real = |value| from_f64(value, cents).ok().map(|it| it.raw);
        assert_eq!([real(0.29), real(1.005), real(-2.675)], [Some(29), Some(100), Some(-267)]);
        assert_eq!([real(1e17), real(1e40), real(1e-300)], [Some(10i128.pow(19)), None, Some(0)]);
        assert_eq!(
            [decimal("", 2), decimal("-", 2), decimal(".", 2), decimal("1e1", 2)],
            [None, None, None, Some(1000)]
        );
        assert_eq!(from_scaled(12345, 3, cents).ok().map(|it| it.raw), Some(1234));
    }
}
