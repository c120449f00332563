//! Words of wires, and the two numbers every generator needs: what a gate
//! costs and how many levels a fan-in limit forces.
//!
//! Bit vectors are least significant bit first throughout the library.

use crate::form::MAX_FAN_IN;
use crate::{Builder, Wire};
use std::fmt;

/// The largest number of AND inputs a generator may use: 2 to 8.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct FanIn(u8);

impl FanIn {
    /// Two-input gates only.
    pub const TWO: FanIn = FanIn(2);
    /// Gates of up to four inputs.
    pub const FOUR: FanIn = FanIn(4);
    /// Gates of up to eight inputs.
    pub const EIGHT: FanIn = FanIn(8);

    /// The limit `inputs`, or `None` outside 2 to 8.
    pub fn new(inputs: usize) -> Option<FanIn> {
        (2..=MAX_FAN_IN).contains(&inputs).then_some(FanIn(inputs as u8))
    }

    /// The limit as a number.
    pub fn get(self) -> usize {
        usize::from(self.0)
    }

    /// Levels needed to combine `items` values: `ceil(log_F items)`.
    pub fn levels(self, items: usize) -> u32 {
        let mut levels = 0;
        let mut reach = 1;
        while reach < items {
            reach *= self.get();
            levels += 1;
        }
        levels
    }
}

impl fmt::Display for FanIn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// The `width` low bits of `value` as constants.
pub fn constant(b: &mut Builder, value: u128, width: usize) -> Vec<Wire> {
    (0..width).map(|i| b.constant(i < 128 && value >> i & 1 == 1)).collect()
}

/// `width` zero bits.
pub fn zeros(b: &mut Builder, width: usize) -> Vec<Wire> {
    vec![b.constant(false); width]
}

/// Bitwise XOR of two words of one length.
pub fn xor(b: &mut Builder, x: &[Wire], y: &[Wire]) -> Vec<Wire> {
    assert_eq!(x.len(), y.len(), "operands of one width");
    x.iter().zip(y).map(|(&x, &y)| b.xor(x, y)).collect()
}

/// Bitwise complement.
pub fn not(b: &mut Builder, x: &[Wire]) -> Vec<Wire> {
    x.iter().map(|&x| b.not(x)).collect()
}

/// Every bit of `x` ANDed with `bit`: one level, one gate per bit.
pub fn mask(b: &mut Builder, bit: Wire, x: &[Wire]) -> Vec<Wire> {
    x.iter().map(|&x| b.and2(bit, x)).collect()
}

/// `on` where `bit` is 1, else `off`: one level, one gate per bit.
pub fn choose(b: &mut Builder, bit: Wire, on: &[Wire], off: &[Wire]) -> Vec<Wire> {
    let change = xor(b, on, off);
    let change = mask(b, bit, &change);
    xor(b, off, &change)
}

/// `x` shifted up by `by` places and cut or zero-filled to `width` bits.
pub fn shifted(b: &mut Builder, x: &[Wire], by: usize, width: usize) -> Vec<Wire> {
    let zero = b.constant(false);
    (0..width).map(|i| if i < by { zero } else { x.get(i - by).copied().unwrap_or(zero) }).collect()
}

/// The AND depth at which a word is known.
pub fn arrival(b: &Builder, x: &[Wire]) -> u32 {
    x.iter().map(|&w| b.level(w)).max().unwrap_or(0)
}

/// `x` negated (two's complement) where `sign` is 1: complemented by the sign, which is free,
/// and the sign added. Depth of a scan of `x.len()` positions.
pub fn negate_if(b: &mut Builder, sign: Wire, x: &[Wire], fan_in: FanIn) -> Vec<Wire> {
    let flipped: Vec<Wire> = x.iter().map(|&x| b.xor(x, sign)).collect();
    let zero = zeros(b, x.len());
    super::adder::select(b, &zero, &flipped, Some(sign), false, fan_in)
}
