//! Exponentials, logarithms and sigmoids of numbers in rings, with a stated number of right bits
//! (`docs/spec/approximations.md` sections 6 to 8).
//!
//! A sigmoid is a polynomial on each of a few pieces: comparisons with all cuts, side by side, choose one. An exponential is a
//! power of two, chosen in the same way, and a polynomial; so is a logarithm, whose power of two is where the leading one of
//! the number is. Rounds are those of one comparison and a few products, whatever the number of pieces.
//!
//! With `R` for the real value and `u` for a unit of the last place, results are within `2^-bits |R| + 2 u` (exponential) or
//! `2^-bits + 2 u` (the others), however truncations are rounded, for every number within the declared range.
//!
//! Nothing is opened, and what is computed depends on the declared range alone. Under protocols that notice cheats,
//! products, truncations and comparisons are checked as all others are.

mod coefficients;
mod exponential;
mod logarithm;
mod piecewise;
#[cfg(test)]
mod tests;

use crate::divide::in_parts;
use crate::machine::OnShares;
use crate::{Backend, Result, Ring, Secret, Term};
use exponential::Exponential;
use logarithm::Logarithm;
use piecewise::Piecewise;
use std::sync::Arc;

/// What is approximated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Function {
    /// `e^x`.
    Exp,
    /// The natural logarithm; of what is not positive, the least value that is given.
    Log {
        /// That value, raw.
        least: i128,
    },
    /// `1 / (1 + e^-x)`.
    Sigmoid,
}

/// A function of numbers of a declared range, and how precisely it is wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Approximation {
    /// The function.
    pub function: Function,
    /// How many bits are right, as the module says.
    pub bits: u32,
    /// The least argument, raw.
    pub low: i128,
    /// The greatest argument, raw.
    pub high: i128,
    /// Fractional bits of arguments and results.
    pub fraction: u32,
}

/// How an approximation is computed.
enum Method {
    Exp(Exponential),
    Log(Logarithm),
    Sigmoid(Piecewise),
}

/// Lanes that are computed together: there is a number for each piece and lane.
const TOGETHER: usize = 1 << 15;

impl Approximation {
    /// The ring that it is computed in; `None` if rings have no way for it.
    #[must_use]
    pub fn ring(&self) -> Option<Ring> {
        Some(match self.method()? {
            Method::Exp(method) => method.ring,
            Method::Log(method) => method.ring,
            Method::Sigmoid(method) => method.ring,
        })
    }

    fn method(&self) -> Option<Method> {
        Some(match self.function {
            Function::Exp => Method::Exp(Exponential::of(self)?),
            Function::Log { least } => Method::Log(Logarithm::of(self, least)?),
            Function::Sigmoid => Method::Sigmoid(Piecewise::sigmoid(self)?),
        })
    }

    /// Approximates the function of numbers of the ring that [`Approximation::ring`] says.
    ///
    /// # Errors
    /// When the network fails, or where rings have no way for it.
    pub fn run(&self, backend: &mut dyn Backend, x: &Secret) -> Result<Secret> {
        let method = self.method().ok_or_else(|| crate::result::wrong("an approximation"))?;
        in_parts([x], TOGETHER, |[part]| match &method {
            Method::Exp(method) => method.run(backend, part),
            Method::Log(method) => method.run(backend, part),
            Method::Sigmoid(method) => method.run(backend, part),
        })
    }
}

/// The entry of a table for at least so many right bits; half a unit of the last place is as good.
fn precise<T: Copy>(table: &[(u32, T)], bits: u32, places: u32) -> Option<T> {
    let bits = bits.min(places + 1);
    table.iter().find(|(right, _)| *right >= bits).map(|(_, entry)| *entry)
}

/// `2^exponent`.
fn power(exponent: u32) -> i128 {
    1 << exponent
}

/// Bits of a signed number.
fn signed_bits(number: i128) -> u32 {
    129 - (number ^ (number >> 127)).leading_zeros()
}

impl OnShares<'_> {
    /// For each of these numbers whether `x` is less, side by side. `x` is from `low` to `high`.
    fn below(&mut self, x: &Secret, cuts: &[i128], (low, high): (i128, i128)) -> Result<Secret> {
        use crate::machine::Machine;
        let differences = cuts.iter().map(|cut| self.linear(-cut, &[(1, x)]));
        let differences = differences.collect::<Result<Vec<_>>>()?;
        let joined = Secret::side_by_side(&differences.iter().collect::<Vec<_>>());
        let bits = cuts.iter().map(|cut| signed_bits(low - cut).max(signed_bits(high - cut))).max();
        let pair = [&Term::Array(Arc::new(joined)), &Term::Constant(0)];
        self.backend.less(pair, bits.unwrap_or(1))
    }

    /// The sum of bits times numbers, of which both are side by side.
    fn chosen(&mut self, bits: &Secret, numbers: &[Secret]) -> Result<Secret> {
        use crate::machine::{Machine, apart};
        let joined = Secret::side_by_side(&numbers.iter().collect::<Vec<_>>());
        let products = self.backend.inject(bits, &joined)?;
        let products = apart(&products, numbers.len());
        self.linear(0, &products.iter().map(|product| (1, product)).collect::<Vec<_>>())
    }
}
