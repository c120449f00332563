//! `exp`, `log` and `sigmoid` of fixed-point numbers, in integers of 128 bits: the same on every
//! machine, which parties that compute on public values rely on.
//!
//! Inside, numbers have [`FRACTION`] fractional bits and an error below `2^-108` of their value
//! (`log`, `sigmoid`: below `2^-108`). The result is rounded once, to nearest and upwards from
//! the middle; it is correctly rounded unless the true value lies that close to a middle.

use super::array::Array;
use super::elementwise::map;
use super::error::OpError;
use super::observe::Sink;
use crate::infer::exp_limit;

/// Fractional bits inside.
const FRACTION: u32 = 120;
const ONE: u128 = 1 << FRACTION;
/// `floor(ln(2) * 2^120)`.
const LN_2: u128 = 0x00b1_7217_f7d1_cf79_abc9_e3b3_9803_f2f6;
/// `floor(sqrt(2) * 2^120)`.
const SQRT_2: u128 = 0x016a_09e6_67f3_bcc9_08b2_fb13_66ea_957d;
/// `e^x` is zero, or beyond every type, for `x` of this size.
const LARGE: i128 = 64;
/// `1 / n!`.
const INVERSE_FACTORIALS: [u128; 31] = {
    let mut table = [ONE; 31];
    let mut n = 1;
    while n < table.len() {
        table[n] = table[n - 1] / n as u128;
        n += 1;
    }
    table
};
/// `1 / (2 n + 1)`.
const INVERSE_ODDS: [u128; 25] = {
    let mut table = [ONE; 25];
    let mut n = 1;
    while n < table.len() {
        table[n] = ONE / (2 * n as u128 + 1);
        n += 1;
    }
    table
};

/// `e^x`, cut off from [`exp_limit`] on, and brought into the result's interval.
pub(super) fn exp(a: &Array, out: &mut Sink) -> Result<(), OpError> {
    let to = i32::from(out.element().fraction());
    let limit = exp_limit(out.element().fraction());
    real(a, out, |raw, from| match exponential(raw.min(limit << from), from) {
        Exponential::Zero => 0,
        Exponential::Huge => i128::MAX,
        Exponential::Value { mantissa, exponent } => round(mantissa, exponent + to),
    })
}

/// `ln x`, brought into the result's interval; its least value where `x` is not positive.
pub(super) fn log(a: &Array, out: &mut Sink) -> Result<(), OpError> {
    let spare = FRACTION - u32::from(out.element().fraction());
    real(a, out, |raw, from| {
        if raw <= 0 { i128::MIN } else { (logarithm(raw, from) + (1 << (spare - 1))) >> spare }
    })
}

/// `1 / (1 + e^-x)`, brought into the result's interval.
pub(super) fn sigmoid(a: &Array, out: &mut Sink) -> Result<(), OpError> {
    let to = i32::from(out.element().fraction());
    real(a, out, |raw, from| {
        let t = match exponential(-raw.abs(), from) {
            Exponential::Value { mantissa, exponent } => mantissa >> exponent.unsigned_abs(),
            _ => 0,
        };
        round(divide(if raw < 0 { t } else { ONE }, ONE + t), to)
    })
}

/// Applies `f` to raw values and their fractional bits.
fn real(a: &Array, out: &mut Sink, f: impl Fn(i128, u32) -> i128) -> Result<(), OpError> {
    let from = u32::from(a.element().fraction());
    let range = out.declared();
    map(a, out, |raw| f(raw, from).clamp(range.low, range.high))
}

enum Exponential {
    Zero,
    Huge,
    /// `mantissa * 2^exponent`, the mantissa from 1 to 2.
    Value {
        mantissa: u128,
        exponent: i32,
    },
}

/// `e^x` for `x = raw / 2^from`.
fn exponential(raw: i128, from: u32) -> Exponential {
    if raw >= LARGE << from {
        return Exponential::Huge;
    }
    if raw <= -(LARGE << from) {
        return Exponential::Zero;
    }
    let x = raw << (FRACTION - from);
    let exponent = x.div_euclid(LN_2 as i128) as i32;
    let rest = x.rem_euclid(LN_2 as i128) as u128;
    Exponential::Value { mantissa: polynomial(&INVERSE_FACTORIALS, rest), exponent }
}

/// `ln x` for `x = raw / 2^from` above zero.
fn logarithm(raw: i128, from: u32) -> i128 {
    let mut exponent = raw.ilog2();
    let mut mantissa = (raw as u128) << (FRACTION - exponent);
    if mantissa > SQRT_2 {
        mantissa >>= 1;
        exponent += 1;
    }
    let z = divide(mantissa.abs_diff(ONE), mantissa + ONE);
    let artanh = multiply(z, polynomial(&INVERSE_ODDS, multiply(z, z))) as i128;
    let of_mantissa = if mantissa < ONE { -2 * artanh } else { 2 * artanh };
    (i128::from(exponent) - i128::from(from)) * LN_2 as i128 + of_mantissa
}

/// `mantissa * 2^exponent` to the nearest integer.
fn round(mantissa: u128, exponent: i32) -> i128 {
    match FRACTION as i32 - exponent {
        ..=0 => i128::MAX,
        places @ 1..=126 => ((mantissa + (1 << (places - 1))) >> places) as i128,
        _ => 0,
    }
}

/// `c[0] + c[1] x + c[2] x^2 + ...`
fn polynomial(coefficients: &[u128], x: u128) -> u128 {
    coefficients.iter().rev().fold(0, |sum, c| c + multiply(sum, x))
}

/// Product of two numbers below 4.
fn multiply(a: u128, b: u128) -> u128 {
    let split = |v: u128| (v >> 64, u128::from(v as u64));
    let ((a1, a0), (b1, b0)) = (split(a), split(b));
    let middle = a0 * b1 + a1 * b0 + ((a0 * b0) >> 64);
    ((a1 * b1) << (128 - FRACTION)) + (middle >> (FRACTION - 64))
}

/// `floor(a / b)` for `a <= b` and `1 <= b < 4`: a reciprocal of 62 bits, one step of Newton's
/// method, and what the remainder says is missing.
fn divide(a: u128, b: u128) -> u128 {
    let rough = (u128::MAX / (b >> 58)) << 54;
    let reciprocal = multiply(rough, 2 * ONE - multiply(b, rough));
    let mut quotient = multiply(a, reciprocal);
    // The true remainder is short, so its low 128 bits are all of it.
    let mut rest = (a << FRACTION).wrapping_sub(quotient.wrapping_mul(b)) as i128;
    while rest < 0 {
        (quotient, rest) = (quotient - 1, rest + b as i128);
    }
    while rest >= b as i128 {
        (quotient, rest) = (quotient + 1, rest - b as i128);
    }
    quotient
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(e: Exponential) -> f64 {
        match e {
            Exponential::Value { mantissa, exponent } => {
                mantissa as f64 / ONE as f64 * 2f64.powi(exponent)
            }
            _ => 0.0,
        }
    }

    #[test]
    fn agrees_with_floating_point() {
        for i in -400..400 {
            let x = f64::from(i) / 8.0;
            let near = |a: f64, b: f64| assert!((a - b).abs() <= b.abs() * 1e-14, "{x}: {a} {b}");
            near(value(exponential(i.into(), 3)), x.exp());
            if i > 0 {
                near(logarithm(i.into(), 3) as f64 / ONE as f64, x.ln());
            }
        }
    }

    #[test]
    fn divides_exactly() {
        let bit_by_bit = |a: u128, b: u128| {
            let (mut quotient, mut rest) = (a / b, a % b);
            for _ in 0..FRACTION {
                rest <<= 1;
                quotient = quotient << 1 | u128::from(rest >= b);
                rest %= b;
            }
            quotient
        };
        let mut random = 1u128;
        for _ in 0..10_000 {
            random = random.wrapping_mul(0x2360_ed05_1fc6_5da4_4385_df64_9fcc_f645).wrapping_add(1);
            let b = ONE + (random >> 7) % (3 * ONE);
            for (a, b) in [(random % b, b), (b, b), (0, b), (b - 1, b), (ONE, 2 * ONE), (1, ONE)] {
                assert_eq!(divide(a, b), bit_by_bit(a, b), "{a} / {b}");
            }
        }
    }

    #[test]
    fn known_digits() {
        // e = 0x2.b7e151628aed2a6abf7158809cf4f3c762e7160f...
        let Exponential::Value { mantissa, exponent: 1 } = exponential(1, 0) else { panic!() };
        let e = 0x02b7_e151_628a_ed2a_6abf_7158_809c_f4f3u128;
        assert!((mantissa << 1).abs_diff(e) < 1 << 10, "{mantissa:x}");
        // ln 10 = 0x2.4d763776aaa2b05ba95b58ae0b4c28a38a3fb3e7...
        let ln_10 = 0x024d_7637_76aa_a2b0_5ba9_5b58_ae0b_4c28i128;
        assert!(logarithm(10, 0).abs_diff(ln_10) < 1 << 10);
    }

    #[test]
    fn undoes_itself() {
        for raw in [1i128, 3, 1 << 20, (1 << 32) - 1, 1 << 32, (1 << 32) + 1, i64::MAX.into()] {
            let x = logarithm(raw, 32) >> (FRACTION - 57);
            let Exponential::Value { mantissa, exponent } = exponential(x, 57) else { panic!() };
            let back = round(mantissa, exponent + 32);
            assert!(back.abs_diff(raw) <= 1 + (raw.unsigned_abs() >> 56), "{raw} {back}");
        }
    }
}
