//! Exponential and logarithm within `2^-48` of their value, the same bits on every machine: made
//! of additions, products and divisions only, which IEEE 754 rounds in one way.

/// `ln 2`, in two parts: the first has 32 bits, so that its multiples by small integers are exact.
const LN_2_HIGH: f64 = 0.693_147_180_369_123_8;
const LN_2_LOW: f64 = 1.908_214_929_270_587_7e-10;

/// `2^n`, `n` in -1022..=1023.
pub fn power_of_two(n: i32) -> f64 {
    f64::from_bits(((n + 1023) as u64) << 52)
}

/// `e^x` as `m 2^n`, `m` in about `[0.7, 1.42]`, for `|x| < 2^20`.
fn exp_parts(x: f64) -> (f64, i32) {
    let n = (x / (LN_2_HIGH + LN_2_LOW)).round();
    let rest = (x - n * LN_2_HIGH) - n * LN_2_LOW;
    let terms = (1..=18).rev().fold(1.0, |sum, k| 1.0 + sum * rest / f64::from(k));
    (terms, n as i32)
}

/// `e^x` as `m 2^n` with `m` in `[1, 2)`.
pub fn exp_normal(x: f64) -> (f64, i32) {
    match exp_parts(x) {
        (m, n) if m < 1.0 => (2.0 * m, n - 1),
        parts => parts,
    }
}

/// `e^x`, for `|x| < 700`.
pub fn exp(x: f64) -> f64 {
    let (m, n) = exp_parts(x);
    m * power_of_two(n)
}

/// The natural logarithm of a positive, normal number.
pub fn ln(x: f64) -> f64 {
    let exponent = ((x.to_bits() >> 52) & 0x7ff) as i32 - 1023;
    let mantissa = x / power_of_two(exponent);
    let z = (mantissa - 1.0) / (mantissa + 1.0);
    let series = (0..=18).rev().fold(0.0, |sum, k| sum * z * z + 1.0 / f64::from(2 * k + 1));
    let n = f64::from(exponent);
    n * LN_2_HIGH + (n * LN_2_LOW + 2.0 * z * series)
}

#[cfg(test)]
mod tests {
    #[test]
    fn agrees_with_the_library() {
        for i in -4400..=4400 {
            let x = f64::from(i) / 100.0;
            assert!((super::exp(x) / x.exp() - 1.0).abs() < 1e-14, "{x}");
            let y = x.exp();
            assert!((super::ln(y) - y.ln()).abs() < 1e-14 * (1.0 + x.abs()), "{y}");
        }
    }
}
