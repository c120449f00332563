//! The position of a number's leading one, and constants that depend on it.

use crate::{Planes, Secret};
use tacit_circuit::library::{FanIn, bits, comparator};
use tacit_circuit::{Builder, Wire};

/// A circuit that finds the leading one of a number.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct LeadingOne {
    /// Bits of the number, without a sign.
    pub bits: u32,
    /// Whether a sign bit follows them. Of negative numbers the inverted bits count: the leading one may then be one place
    /// lower than that of the absolute value.
    pub signed: bool,
    /// The lowest place where the leading one may be. With 0, the number may be zero.
    pub lowest: u32,
}

impl LeadingOne {
    /// Places where the leading one may be.
    pub(crate) fn places(&self) -> u32 {
        self.bits - self.lowest
    }

    /// One input. Outputs: bit `j` says that the leading one is at place `bits - 1 - j`, where it is taken to be at the lowest
    /// place of numbers that have none, of -1 and of zero; and whether the number is not zero.
    pub(crate) fn build(self, b: &mut Builder, fan_in: FanIn) {
        let mut word = b.input(self.bits + u32::from(self.signed));
        let sign = if self.signed { word.pop() } else { None };
        for wire in &mut word {
            *wire = sign.map_or(*wire, |sign| b.xor(*wire, sign));
        }
        let mut reached = reaches(b, &word, fan_in);
        let nonzero = sign.map_or(reached[0], |sign| b.or(reached[0], sign));
        reached[self.lowest as usize] = b.constant(true);
        let above = |i: usize| reached.get(i + 1).copied();
        let places = self.lowest as usize..self.bits as usize;
        let lines: Vec<Wire> = places
            .rev()
            .map(|i| above(i).map_or(reached[i], |above| b.xor(reached[i], above)))
            .collect();
        b.output(&lines);
        b.output(&[nonzero]);
    }
}

/// For each place, whether a one is there or above.
fn reaches(b: &mut Builder, word: &[Wire], fan_in: FanIn) -> Vec<Wire> {
    let down: Vec<Wire> = word.iter().rev().copied().collect();
    let zeros = bits::not(b, &down);
    let none = comparator::prefix_products(b, &zeros, fan_in);
    let mut some = bits::not(b, &none);
    some.reverse();
    some
}

/// One value for each line, that of the line that is set, as bits; zero if none is.
pub(crate) fn looked_up(lines: &[Secret], values: &[i128], width: u32) -> Planes {
    let plane = |bit: u32| {
        let set = lines.iter().zip(values).filter(|(_, value)| *value >> bit & 1 == 1);
        set.map(|(line, _)| line)
            .fold(lines[0].zeros_like(lines[0].len), |sum, line| sum.sum(line, false))
    };
    let planes: Vec<Secret> = (0..width).map(plane).collect();
    Planes::of(&planes.iter().collect::<Vec<_>>())
}
