//! Polynomials of numbers below one (`docs/spec/approximations.md` section 6).

use crate::machine::Machine;
use crate::{Result, Ring};

/// A polynomial, evaluated by powers: in two rounds up to the fourth degree, if the square is there, and in four up to the
/// eighth.
pub(crate) struct Polynomial {
    /// From the constant on, three at least, with so many fractional bits.
    pub coefficients: &'static [i128],
    /// Fractional bits of the number, and of the value.
    pub fraction: u32,
    /// The ring that it is computed in.
    pub ring: Ring,
}

impl Polynomial {
    /// The value at `z`, of which the square is there.
    pub fn value<M: Machine>(&self, machine: &mut M, powers: [&M::Number; 2]) -> Result<M::Number> {
        let (raw, places) = self.raw(machine, powers)?;
        machine.cut(&raw, places - self.fraction)
    }

    /// The value before it is truncated, and how many fractional bits it has.
    pub fn raw<M: Machine>(
        &self,
        machine: &mut M,
        [z, z2]: [&M::Number; 2],
    ) -> Result<(M::Number, u32)> {
        let (c, fraction) = (self.coefficients, self.fraction);
        let one = 1i128 << fraction;
        if c.len() == 3 {
            let raw = machine.linear(c[0] * one, &[(c[1], z), (c[2], z2)])?;
            return Ok((raw, 2 * fraction));
        }
        // Whether a product of three factors below one has room.
        let lazy = 3 * fraction + 3 <= self.ring.bits() - 2;
        let higher = match c.len() {
            ..=5 => None,
            _ => {
                let powers = machine.products(&[[z, z2], [z2, z2]])?;
                Some(machine.truncate(&[&powers[0], &powers[1]], fraction)?)
            }
        };
        let powers: Vec<&M::Number> = [z, z2].into_iter().chain(higher.iter().flatten()).collect();
        // The highest power that is there, times a polynomial in all of them, and the rest.
        let first = powers.len();
        let sum = |from: usize| {
            let factors = c[from..].iter().copied();
            factors.zip(&powers).map(|(factor, power)| (factor, *power)).collect::<Vec<_>>()
        };
        let mut bracket = machine.linear(c[first] * one, &sum(first + 1))?;
        if !lazy {
            bracket = machine.cut(&bracket, fraction)?;
        }
        let product = machine.products(&[[powers[first - 1], &bracket]])?;
        let (more, places) = if lazy { (one, 3 * fraction) } else { (1, 2 * fraction) };
        let mut terms: Vec<(i128, &M::Number)> =
            sum(1).into_iter().take(first - 1).map(|(c, power)| (c * more, power)).collect();
        terms.push((1, &product[0]));
        Ok((machine.linear(c[0] * one * more, &terms)?, places))
    }
}
