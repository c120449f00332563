//! Plain numbers whose truncation rounds as a test says.

use super::Machine;
use crate::{Result, Ring};
use tacit_ring::entropy::Rng;

/// How truncations round.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Rounding {
    Down,
    Up,
    InTurn,
    Random,
}

pub(crate) const ROUNDINGS: [Rounding; 4] =
    [Rounding::Down, Rounding::Up, Rounding::InTurn, Rounding::Random];

/// Numbers of a ring; what is truncated must be below a quarter of it.
pub(crate) struct Rounded {
    bits: u32,
    rounding: Rounding,
    random: Rng,
    turn: bool,
    /// How many products there were.
    pub products: u32,
}

impl Rounded {
    pub fn new(ring: Ring, rounding: Rounding) -> Self {
        Rounded { bits: ring.bits(), rounding, random: Rng(7), turn: false, products: 0 }
    }

    /// The number modulo the ring, with a sign.
    fn signed(&self, number: i128) -> i128 {
        number << (128 - self.bits) >> (128 - self.bits)
    }

    fn up(&mut self) -> bool {
        self.turn = !self.turn;
        match self.rounding {
            Rounding::Down => false,
            Rounding::Up => true,
            Rounding::InTurn => self.turn,
            Rounding::Random => self.random.word() & 1 == 1,
        }
    }
}

impl Machine for Rounded {
    type Number = i128;

    fn products(&mut self, pairs: &[[&i128; 2]]) -> Result<Vec<i128>> {
        self.products += pairs.len() as u32;
        Ok(pairs.iter().map(|[a, b]| self.signed(a.wrapping_mul(**b))).collect())
    }

    fn linear(&mut self, constant: i128, terms: &[(i128, &i128)]) -> Result<i128> {
        let sum = terms.iter().fold(constant, |sum, (factor, number)| {
            sum.wrapping_add(factor.wrapping_mul(**number))
        });
        Ok(self.signed(sum))
    }

    fn truncate(&mut self, numbers: &[&i128], by: u32) -> Result<Vec<i128>> {
        let limit = 1i128 << (self.bits - 2);
        let mut one = |number: i128| {
            assert!(number.abs() < limit, "{number} of {} bits is truncated", self.bits);
            (number >> by) + i128::from(self.up())
        };
        Ok(numbers.iter().map(|number| one(**number)).collect())
    }
}
