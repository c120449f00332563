//! `ln x = (i + 1) ln 2 + ln b`, where the leading one of `x` is at place `i` and `b` is between a half and one.

use super::coefficients::{LN_2, LOG};
use super::{Approximation, power, precise, signed_bits};
use crate::divide::{LeadingOne, looked_up};
use crate::machine::{Machine, OnShares, apart};
use crate::polynomial::Polynomial;
use crate::{Backend, Name, Planes, Result, Ring, Secret};

/// How logarithms of numbers of a range are computed.
pub(super) struct Logarithm {
    /// The ring that it is computed in.
    pub ring: Ring,
    polynomial: Polynomial,
    /// Fractional bits of arguments and results.
    fraction: u32,
    number: LeadingOne,
    /// What is given for numbers that are not positive, if there may be any.
    least: Option<i128>,
}

impl Logarithm {
    pub fn of(wanted: &Approximation, least: i128) -> Option<Logarithm> {
        let Approximation { low, high, fraction, bits, .. } = *wanted;
        let (places, coefficients) = precise(&LOG, bits, fraction)?;
        if high <= 0 {
            return None;
        }
        let lowest = if low > 0 { low.ilog2() } else { 0 };
        let width = signed_bits(low).max(signed_bits(high)) - 1;
        let number = LeadingOne { bits: width, signed: low < 0, lowest };
        // A number that is not positive is between -2 and 0 when it is scaled, where polynomials are below 2^8; a logarithm is
        // as large as that of an end.
        let ends = [lowest, width - 1].map(|place| (place + 1).abs_diff(fraction));
        let whole = 33 - ends[0].max(ends[1]).leading_zeros();
        let whole = if low > 0 { whole } else { whole.max(10) };
        let values = 2 * places.max(fraction.div_ceil(2)) + whole + 2;
        let room = values.max(width.max(places) + 4);
        let ring = [Ring::W64, Ring::W128].into_iter().find(|ring| room <= ring.bits() - 2)?;
        let polynomial = Polynomial { coefficients, fraction: places, ring };
        let least = (low <= 0).then_some(least);
        Some(Logarithm { ring, polynomial, fraction, number, least })
    }

    /// What takes a number with its leading one at a place between half of `2^width` and all of it.
    pub(super) fn up(&self, place: u32) -> i128 {
        power(self.number.bits - 1 - place)
    }

    /// `(place + 1 - fraction) ln 2`.
    fn constant(&self, place: u32) -> i128 {
        let places = 100 - self.polynomial.fraction;
        let times = i128::from(place) + 1 - i128::from(self.fraction);
        (times * LN_2 + power(places - 1)) >> places
    }

    /// The least of these constants: others are so much more.
    fn least_constant(&self) -> i128 {
        self.constant(self.number.lowest)
    }

    /// What the constant of a place is more than the least.
    pub(super) fn more(&self, place: u32) -> i128 {
        self.constant(place) - self.least_constant()
    }

    /// The logarithm of a positive number.
    pub(super) fn approximate<M: Machine>(
        &self,
        machine: &mut M,
        [x, scale, more]: [&M::Number; 3],
    ) -> Result<M::Number> {
        let places = self.polynomial.fraction;
        let scaled = machine.products(&[[x, scale]])?;
        let by = i64::from(self.number.bits) - i64::from(places);
        let b = machine.truncated(&[(&scaled[0], by)])?;
        let z = machine.linear(-(3i128 << (places - 2)), &[(1, &b[0])])?;
        let square = machine.products(&[[&z, &z]])?;
        let square = machine.cut(&square[0], places)?;
        let (raw, at) = self.polynomial.raw(machine, [&z, &square])?;
        let up = power(at - places);
        let raw = machine.linear(self.least_constant() * up, &[(1, &raw), (up, more)])?;
        let by = i64::from(at) - i64::from(self.fraction);
        let mut all = machine.truncated(&[(&raw, by)])?;
        Ok(all.swap_remove(0))
    }

    pub fn run(&self, backend: &mut dyn Backend, x: &Secret) -> Result<Secret> {
        let LeadingOne { bits, signed, lowest } = self.number;
        let planes = backend.low_bits(x, bits + u32::from(signed))?;
        let circuit = backend.circuits().get(Name::LeadingOne(self.number));
        let outputs = backend.circuit(&circuit, &[&planes])?;
        // From the highest place down.
        let lines: Vec<Secret> =
            (0..self.number.places() as usize).map(|i| outputs[0].plane(i)).collect();
        let places = (lowest..bits).rev();
        let tables: [Vec<i128>; 2] = [
            places.clone().map(|place| self.up(place)).collect(),
            places.map(|place| self.more(place)).collect(),
        ];
        let width = tables.iter().flatten().map(|value| 128 - value.leading_zeros()).max();
        let width = width.unwrap_or(1).max(1);
        let planes_of = tables.iter().map(|table| looked_up(&lines, table, width));
        let composed =
            backend.compose(&Planes::join(&planes_of.collect::<Vec<_>>()), false, self.ring)?;
        let parts = apart(&composed, 2);

        let mut machine = OnShares { backend, ring: self.ring };
        let value = self.approximate(&mut machine, [x, &parts[0], &parts[1]])?;
        let Some(least) = self.least else { return Ok(value) };
        let mut positive = outputs[1].plane(0);
        if signed {
            let unsigned = machine.backend.plus(&planes.plane(bits as usize), 1)?;
            positive = machine.backend.multiply(&positive, &unsigned, [1, 1])?;
        }
        let above = machine.linear(-least, &[(1, &value)])?;
        let above = machine.backend.inject(&positive, &above)?;
        machine.linear(least, &[(1, &above)])
    }
}
