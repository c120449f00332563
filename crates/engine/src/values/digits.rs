//! One value as digits: text to little-endian limbs and back. Digits are decoded without
//! tables or branches on their value; the length of a decimal number shows its magnitude.

use super::{PortSpec, Problem};

/// A value that breaks a rule: the offset in its text, and the rule.
pub(super) type Fault = (usize, Problem);

/// Decimal integers of more bits than this are refused.
const DECIMAL_BITS: u32 = 128;

/// Reads exactly `ceil(width / 4)` hexadecimal digits, after an optional `0x`.
pub(super) fn parse_hex(text: &[u8], port: &PortSpec, limbs: &mut [u64]) -> Result<(), Fault> {
    let skip = prefix(text, b'x');
    parse_power_of_two(&text[skip..], port, 4, limbs).map_err(|(at, p)| (at + skip, p))
}

/// Reads exactly `width` binary digits, after an optional `0b`.
pub(super) fn parse_binary(text: &[u8], port: &PortSpec, limbs: &mut [u64]) -> Result<(), Fault> {
    let skip = prefix(text, b'b');
    parse_power_of_two(&text[skip..], port, 1, limbs).map_err(|(at, p)| (at + skip, p))
}

/// Reads a decimal integer, or digits of the base that a prefix `0x` or `0b` names.
pub(super) fn parse_any(text: &[u8], port: &PortSpec, limbs: &mut [u64]) -> Result<(), Fault> {
    if prefix(text, b'x') == 2 {
        parse_hex(text, port, limbs)
    } else if prefix(text, b'b') == 2 {
        parse_binary(text, port, limbs)
    } else {
        parse_decimal(text, port, limbs)
    }
}

/// Length of a prefix `0x` or `0b` in either case.
fn prefix(text: &[u8], letter: u8) -> usize {
    match text {
        [b'0', l, ..] if l.eq_ignore_ascii_case(&letter) => 2,
        _ => 0,
    }
}

fn base_name(bits: u32) -> &'static str {
    if bits == 4 { "hexadecimal" } else { "binary" }
}

fn parse_power_of_two(
    text: &[u8],
    port: &PortSpec,
    bits: u32,
    limbs: &mut [u64],
) -> Result<(), Fault> {
    let base = base_name(bits);
    let expected = port.width.div_ceil(bits) as usize;
    if let Some(at) = text.iter().position(|&c| digit(c) >> bits != 0) {
        let port = port.name.clone();
        return Err((at, Problem::NotADigit { port, base }));
    }
    if text.len() != expected {
        let (port, width, found) = (port.name.clone(), port.width, text.len());
        return Err((0, Problem::DigitCount { port, width, base, expected, found }));
    }
    limbs.fill(0);
    let per_limb = 64 / bits as usize;
    for (i, &c) in text.iter().rev().enumerate() {
        limbs[i / per_limb] |= u64::from(digit(c)) << (bits as usize * (i % per_limb));
    }
    let spare = limbs.last().copied().unwrap_or(0) >> ((port.width - 1) % 64) >> 1;
    if spare != 0 {
        return Err((0, out_of_range(port, false)));
    }
    Ok(())
}

/// The value of a hexadecimal digit; 255 for any other byte.
fn digit(c: u8) -> u8 {
    let decimal = c.wrapping_sub(b'0');
    let letter = (c | 0x20).wrapping_sub(b'a');
    let is_decimal = 0u8.wrapping_sub(u8::from(decimal < 10));
    let is_letter = 0u8.wrapping_sub(u8::from(letter < 6));
    (decimal & is_decimal) | (letter.wrapping_add(10) & is_letter) | !(is_decimal | is_letter)
}

/// Reads a decimal integer in the range of the port.
pub(super) fn parse_decimal(text: &[u8], port: &PortSpec, limbs: &mut [u64]) -> Result<(), Fault> {
    if port.width > DECIMAL_BITS {
        let (port, width) = (port.name.clone(), port.width);
        return Err((0, Problem::TooWideForDecimal { port, width }));
    }
    let sign = usize::from(matches!(text.first(), Some(b'-' | b'+')));
    let negative = text.first() == Some(&b'-');
    let digits = &text[sign..];
    if digits.is_empty() {
        let port = port.name.clone();
        return Err((0, Problem::NoDigits { port }));
    }
    let mut magnitude = Some(0u128);
    for (i, &c) in digits.iter().enumerate() {
        let d = c.wrapping_sub(b'0');
        if d > 9 {
            let (port, base) = (port.name.clone(), "decimal");
            return Err((sign + i, Problem::NotADigit { port, base }));
        }
        magnitude =
            magnitude.and_then(|m| m.checked_mul(10)).and_then(|m| m.checked_add(u128::from(d)));
    }
    let value = magnitude.and_then(|m| in_range(m, negative, port));
    let value = value.ok_or_else(|| (0, out_of_range(port, port.signed)))?;
    for (l, limb) in limbs.iter_mut().enumerate() {
        *limb = (value >> (64 * l)) as u64;
    }
    Ok(())
}

/// The value as a number of the port's width, if it is in the port's range.
fn in_range(magnitude: u128, negative: bool, port: &PortSpec) -> Option<u128> {
    let ones = u128::MAX >> (128 - port.width);
    let limit = match (port.signed, negative) {
        (false, false) => ones,
        (false, true) => 0,
        (true, false) => ones >> 1,
        (true, true) => (ones >> 1) + 1,
    };
    let value = if negative { magnitude.wrapping_neg() } else { magnitude };
    (magnitude <= limit).then_some(value & ones)
}

fn out_of_range(port: &PortSpec, signed: bool) -> Problem {
    let w = port.width;
    Problem::OutOfRange {
        port: port.name.clone(),
        width: w,
        range: match signed {
            false => format!("0 to 2^{w} - 1"),
            true => format!("-2^{n} to 2^{n} - 1", n = w - 1),
        },
    }
}

/// Appends `ceil(width / bits)` digits of `bits` bits each, most significant first.
pub(super) fn write_power_of_two(limbs: &[u64], width: u32, bits: u32, out: &mut Vec<u8>) {
    let per_limb = 64 / bits;
    for i in (0..width.div_ceil(bits)).rev() {
        let limb = limbs[(i / per_limb) as usize];
        let value = (limb >> (bits * (i % per_limb))) as u8 & ((1 << bits) - 1);
        let is_letter = 0u8.wrapping_sub(u8::from(value > 9));
        out.push(b'0' + value + (is_letter & (b'a' - b'0' - 10)));
    }
}

/// Appends a decimal integer; the width must be at most 128.
pub(super) fn write_decimal(limbs: &[u64], port: &PortSpec, out: &mut Vec<u8>) {
    let low = u128::from(limbs.first().copied().unwrap_or(0));
    let high = u128::from(limbs.get(1).copied().unwrap_or(0));
    let value = low | high << 64;
    let text = if port.signed {
        let unused = 128 - port.width;
        (((value << unused) as i128) >> unused).to_string()
    } else {
        value.to_string()
    };
    out.extend_from_slice(text.as_bytes());
}

/// Whether the port's values can be written as decimal integers.
pub(super) fn check_decimal(port: &PortSpec) -> Result<(), Problem> {
    if port.width > DECIMAL_BITS {
        let (port, width) = (port.name.clone(), port.width);
        return Err(Problem::TooWideForDecimal { port, width });
    }
    Ok(())
}
