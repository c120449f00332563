//! Operations on single values. All results are exact while they fit in 128 bits, which every
//! value that keeps its declared range does; beyond that they saturate.

/// `floor(value / 2^places)`, or times `2^-places` where that is negative.
pub(super) fn shift_right(value: i128, places: i32) -> i128 {
    if places >= 0 { value >> places.min(127) } else { shift_left(value, places.unsigned_abs()) }
}

/// `value * 2^places`.
pub(super) fn shift_left(value: i128, places: u32) -> i128 {
    if value == 0 {
        0
    } else if places < 127 {
        value.saturating_mul(1 << places)
    } else {
        if value < 0 { i128::MIN } else { i128::MAX }
    }
}

/// `floor(a / b)`; zero for `b = 0`.
pub(super) fn divide(a: i128, b: i128) -> i128 {
    if b == 0 {
        return 0;
    }
    if let (Ok(a), Ok(b)) = (i64::try_from(a), i64::try_from(b))
        && let Some(quotient) = a.checked_div(b)
    {
        let inexact = a % b != 0;
        return i128::from(quotient) - i128::from(inexact && (a < 0) != (b < 0));
    }
    let Some(quotient) = a.checked_div(b) else { return i128::MAX };
    quotient - i128::from(a % b != 0 && (a < 0) != (b < 0))
}

/// `a - b * floor(a / b)`; zero for `b = 0`.
pub(super) fn remainder(a: i128, b: i128) -> i128 {
    if b == 0 {
        return 0;
    }
    let remainder = a.wrapping_rem(b);
    if remainder != 0 && (remainder < 0) != (b < 0) { remainder + b } else { remainder }
}

/// `floor(sqrt(value))`; zero for negative values.
pub(super) fn square_root(value: i128) -> i128 {
    if value <= 0 { 0 } else { value.isqrt() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn divides_towards_minus_infinity() {
        let cases =
            [(7, 2, 3, 1), (-7, 2, -4, 1), (7, -2, -4, -1), (-7, -2, 3, -1), (6, -2, -3, 0)];
        for (a, b, quotient, rest) in cases {
            assert_eq!((divide(a, b), remainder(a, b)), (quotient, rest), "{a} / {b}");
        }
        assert_eq!((divide(5, 0), remainder(5, 0)), (0, 0));
        assert_eq!(divide(i128::from(i64::MIN), -1), 1 << 63);
        assert_eq!(divide(i128::MIN, -1), i128::MAX);
        assert_eq!(divide(-(1 << 100), 3), -(1 << 100) / 3 - 1);
    }

    #[test]
    fn shifts_and_roots_at_the_edges() {
        assert_eq!(shift_right(-1, 200), -1);
        assert_eq!(shift_right(-5, 1), -3);
        assert_eq!(shift_right(3, -2), 12);
        assert_eq!(shift_left(-1, 200), i128::MIN);
        assert_eq!(shift_left(0, 200), 0);
        assert_eq!(shift_left(-3, 2), -12);
        assert_eq!((square_root(-4), square_root(15), square_root(16)), (0, 3, 4));
        assert_eq!(square_root(i128::MAX), 13_043_817_825_332_782_212);
    }
}
