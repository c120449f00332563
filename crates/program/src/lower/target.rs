//! What a lowered program runs on, and the sizes of operations that it is asked about.

use crate::infer::range;
use crate::ir::Op;
use crate::types::{Interval, Type};
use tacit_circuit::library::adder::AdderForm;

/// What a lowered program runs on.
#[derive(Clone, Copy, Debug)]
pub struct Target {
    /// The form of the adders that circuits for division and roots have: of few levels where a level is a round, of few ANDs where
    /// they are garbled.
    pub adders: AdderForm,
    /// Whether it divides numbers of such sizes by itself, exactly or with so many right bits.
    pub divides: fn(DivisionSizes, Option<u8>) -> bool,
    /// Whether it takes roots of numbers below `2^bits` by itself.
    pub roots: fn(u32) -> bool,
    /// Whether it approximates a function by itself, of values of the first type, with results of the second.
    pub approximates: fn(&Op, [&Type; 2]) -> bool,
}

impl Target {
    /// One that has circuits alone.
    #[must_use]
    pub fn circuits(adders: AdderForm) -> Self {
        Target { adders, divides: |_, _| false, roots: |_| false, approximates: |_, _| false }
    }
}

/// Sizes of a division of integers, or of raw values: `|n| <= 2^dividend`, `|d| <= 2^divisor`, and `|n / d| <= 2^quotient`
/// unless the divisor is zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DivisionSizes {
    /// Bits of the dividend.
    pub dividend: u32,
    /// Bits of the divisor.
    pub divisor: u32,
    /// Bits of the quotient.
    pub quotient: u32,
}

impl DivisionSizes {
    /// Of values `n 2^shift` and `d` of these intervals; `None` if they need more than 126 bits.
    #[must_use]
    pub fn of(n: Interval, shift: u8, d: Interval) -> Option<Self> {
        let magnitude = |i: Interval| i.low.unsigned_abs().max(i.high.unsigned_abs());
        let n = magnitude(range::shift_left(n, shift)?);
        let least = match (d.low, d.high) {
            (low, _) if low > 0 => low.unsigned_abs(),
            (_, high) if high < 0 => high.unsigned_abs(),
            _ => 1,
        };
        let sizes = DivisionSizes {
            dividend: log_up(n),
            divisor: unsigned_bits(d),
            quotient: log_up(n.div_ceil(least)),
        };
        (sizes.dividend.max(sizes.divisor) <= 126).then_some(sizes)
    }
}

/// The least power of two that is not less, by its exponent.
fn log_up(value: u128) -> u32 {
    128 - value.saturating_sub(1).leading_zeros()
}

/// Bits of the values, or of the inverted bits of negative ones; one at least.
fn unsigned_bits(interval: Interval) -> u32 {
    (interval.signed_bits() - 1).max(1)
}

/// Bits of `n 2^shift` beside a sign, for values of an interval.
#[must_use]
pub fn root_bits(n: Interval, shift: u8) -> u32 {
    unsigned_bits(n) + u32::from(shift)
}
