//! Division with remainder.
//!
//! Division by zero is defined as in RISC-V: the quotient is all ones and the remainder
//! the dividend, which unsigned division gives by itself. Signed division truncates towards zero, the
//! remainder has the dividend's sign, and the one overflow (least value by -1) gives
//! the least value and remainder 0.
//!
//! | form | depth, unsigned | size |
//! |---|---|---|
//! | [`DividerForm::Ripple`] | about `n (n + 1)` | `n (n + 1)` ANDs: least traffic |
//! | [`DividerForm::Scan`] | `n ceil(log_F (n + 1))` | `n` select adders |
//! | [`DividerForm::Digits`]`(k)` | about `n / k (1 + ceil(log_F (n + k + 1)))` | `n / k (2^k - 1)` select adders |

use super::adder::{self, AdderForm};
use super::and_tree;
use super::bits::{self, FanIn};
use super::carry_save::sum_words;
use crate::{Builder, Wire};

/// How a division is done.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum DividerForm {
    /// Non-restoring, one ripple adder per quotient bit.
    Ripple,
    /// Non-restoring, one select adder per quotient bit.
    Scan,
    /// Quotient digits of 1 to 4 bits: all multiples of the divisor are tried at once,
    /// and the largest that fits is kept (restoring).
    Digits(usize),
}

/// Most bits of a quotient digit.
pub const MAX_DIGIT_BITS: usize = 4;

/// Result of a division.
pub struct Division {
    /// Quotient, of the operands' width.
    pub quotient: Vec<Wire>,
    /// Remainder, of the operands' width.
    pub remainder: Vec<Wire>,
}

/// Unsigned division of two words of one width.
///
/// # Panics
/// If the operands are empty or differ in width, or a digit has not 1 to 4 bits.
pub fn divide(
    b: &mut Builder,
    form: DividerForm,
    x: &[Wire],
    y: &[Wire],
    fan_in: FanIn,
) -> Division {
    assert!(!x.is_empty() && x.len() == y.len(), "operands of one width");
    match form {
        DividerForm::Ripple => non_restoring(b, AdderForm::Ripple, x, y, fan_in),
        DividerForm::Scan => non_restoring(b, AdderForm::Select, x, y, fan_in),
        DividerForm::Digits(bits) => digit_by_digit(b, bits, x, y, fan_in),
    }
}

/// Signed division: magnitudes are divided, and the signs put back.
pub fn divide_signed(
    b: &mut Builder,
    form: DividerForm,
    x: &[Wire],
    y: &[Wire],
    fan_in: FanIn,
) -> Division {
    assert!(!x.is_empty() && x.len() == y.len(), "operands of one width");
    let (sign_x, sign_y) = (x[x.len() - 1], y[y.len() - 1]);
    let (abs_x, abs_y) =
        (bits::negate_if(b, sign_x, x, fan_in), bits::negate_if(b, sign_y, y, fan_in));
    let d = divide(b, form, &abs_x, &abs_y, fan_in);
    let zeroes = bits::not(b, y);
    let by_zero = and_tree::cheapest(b, &zeroes, fan_in);
    let by_nonzero = b.not(by_zero);
    let signs_differ = b.xor(sign_x, sign_y);
    let negative = b.and2(signs_differ, by_nonzero);
    Division {
        quotient: bits::negate_if(b, negative, &d.quotient, fan_in),
        remainder: bits::negate_if(b, sign_x, &d.remainder, fan_in),
    }
}

/// Non-restoring division. The partial remainder stays in `[-y, y)`: it is doubled,
/// takes the next dividend bit, and `y` is subtracted if it was not negative, else
/// added. Complementing `y` by that sign is free, so a step costs one addition
/// modulo `2^(n+1)`. A quotient bit is 1 iff the new remainder is not negative.
fn non_restoring(
    b: &mut Builder,
    form: AdderForm,
    x: &[Wire],
    y: &[Wire],
    fan_in: FanIn,
) -> Division {
    let width = x.len() + 1;
    let divisor = bits::shifted(b, y, 0, width);
    let mut remainder = bits::zeros(b, width);
    let mut subtracts = b.constant(true);
    let mut quotient = Vec::with_capacity(x.len());
    for &bit in x.iter().rev() {
        remainder.pop();
        remainder.insert(0, bit);
        let operand: Vec<Wire> = divisor.iter().map(|&d| b.xor(d, subtracts)).collect();
        remainder = adder::add(b, form, &remainder, &operand, Some(subtracts), false, fan_in);
        subtracts = b.not(remainder[width - 1]);
        quotient.push(subtracts);
    }
    quotient.reverse();
    let negative = remainder[width - 1];
    let back = bits::mask(b, negative, y);
    remainder.pop();
    Division { quotient, remainder: adder::add(b, form, &remainder, &back, None, false, fan_in) }
}

/// Restoring division by digits of `digit` bits. With `R` the shifted remainder, all
/// `T_j = R - j y` are computed at once; `c_j = (R >= j y)` falls with `j`, so
/// `T_0 + sum of c_j (T_j + T_j-1)` (XORs) is the remainder to keep, one level, and bit
/// `t` of the digit is the parity of the `c_j` with `2^t | j`: free.
fn digit_by_digit(
    b: &mut Builder,
    digit: usize,
    x: &[Wire],
    y: &[Wire],
    fan_in: FanIn,
) -> Division {
    assert!((1..=MAX_DIGIT_BITS).contains(&digit), "a digit has 1 to {MAX_DIGIT_BITS} bits");
    let width = x.len();
    let multiples = multiples(b, y, digit, fan_in);
    let mut remainder: Vec<Wire> = Vec::new();
    let mut quotient = vec![b.constant(false); width];
    let mut left = width;
    while left > 0 {
        // The odd digit comes first: one of a single bit needs no multiples yet.
        let size = (left - 1) % digit + 1;
        left -= size;
        let shifted = [&x[left..left + size], &remainder].concat();
        let (kept, bits) = divide_step(b, &shifted, &multiples[..1 << size], width + size, fan_in);
        quotient[left..left + size].copy_from_slice(&bits);
        remainder = kept;
        remainder.truncate(width.min(width - left));
    }
    Division { quotient, remainder: bits::shifted(b, &remainder, 0, width) }
}

/// `0 y, 1 y, ..., (2^digit - 1) y`, each of `y.len() + digit` bits.
fn multiples(b: &mut Builder, y: &[Wire], digit: usize, fan_in: FanIn) -> Vec<Vec<Wire>> {
    let width = y.len() + digit;
    let mut multiples = vec![bits::zeros(b, width), bits::shifted(b, y, 0, width)];
    for j in 2..1usize << digit {
        let next = if j % 2 == 0 {
            bits::shifted(b, &multiples[j / 2], 1, width)
        } else if (j + 1).is_power_of_two() {
            let above = bits::shifted(b, y, (j + 1).trailing_zeros() as usize, width);
            adder::subtract(b, AdderForm::Select, &above, &multiples[1], false, fan_in)
        } else {
            let rows: Vec<_> = (0..digit)
                .filter(|t| j >> t & 1 == 1)
                .map(|t| bits::shifted(b, y, t, width))
                .collect();
            sum_words(b, &rows, fan_in)
        };
        multiples.push(next);
    }
    multiples
}

/// One digit: what is left of `value`, and the number of the largest multiple that
/// fits. The multiples are cut to `width` bits, which hold them.
fn divide_step(
    b: &mut Builder,
    value: &[Wire],
    multiples: &[Vec<Wire>],
    width: usize,
    fan_in: FanIn,
) -> (Vec<Wire>, Vec<Wire>) {
    let mut kept = value.to_vec();
    let mut previous = value.to_vec();
    let mut digit = vec![b.constant(false); multiples.len().trailing_zeros() as usize];
    for (j, multiple) in multiples.iter().enumerate().skip(1) {
        let (trial, fits) = try_multiple(b, value, &multiple[..width], fan_in);
        let change = bits::xor(b, &trial, &previous);
        let change = bits::mask(b, fits, &change);
        kept = bits::xor(b, &kept, &change);
        for bit in digit.iter_mut().take(j.trailing_zeros() as usize + 1) {
            *bit = b.xor(*bit, fits);
        }
        previous = trial;
    }
    (kept, digit)
}

/// `value - multiple` and whether it is not negative. Where the multiple is longer,
/// its upper bits enter the subtraction as one bit: whether any of them is set. That is
/// known early, so the first digits, on short remainders, take few levels.
fn try_multiple(
    b: &mut Builder,
    value: &[Wire],
    multiple: &[Wire],
    fan_in: FanIn,
) -> (Vec<Wire>, Wire) {
    let (low, high) = multiple.split_at(value.len());
    let (mut x, mut y) = (value.to_vec(), low.to_vec());
    if !high.is_empty() {
        let clear = bits::not(b, high);
        let slack = bits::arrival(b, value).saturating_sub(bits::arrival(b, high));
        let all_clear = and_tree::cheapest_in(b, &clear, fan_in, slack);
        x.push(b.constant(false));
        y.push(b.not(all_clear));
    }
    let mut trial = adder::subtract(b, AdderForm::Select, &x, &y, true, fan_in);
    let fits = trial.pop().expect("the carry out was asked for");
    trial.truncate(value.len());
    (trial, fits)
}
