//! `e^x = 2^i e^r`, where `r` is at most half of `ln 2` away from zero.

use super::coefficients::{EXP, LN_2};
use super::{Approximation, power, precise};
use crate::machine::{Machine, OnShares, apart};
use crate::polynomial::Polynomial;
use crate::{Backend, Kind, Result, Ring, Secret};

/// How exponentials of numbers of a range are computed.
pub(super) struct Exponential {
    /// The ring that it is computed in.
    pub ring: Ring,
    polynomial: Polynomial,
    /// Fractional bits of arguments and results.
    fraction: u32,
    range: (i128, i128),
    /// The power of two of the lowest octave.
    pub(super) first: i128,
    /// Where octaves begin, raw: the lowest one, if arguments may be below it, and all others that arguments reach.
    pub(super) cuts: Vec<i128>,
    /// Whether arguments may be below the lowest octave, where the result is zero.
    pub(super) vanishes: bool,
}

/// `i ln 2` with so many fractional bits, rounded to the nearest.
fn multiple(i: i128, fraction: u32) -> i128 {
    let places = 100 - fraction;
    (i * LN_2 + power(places - 1)) >> places
}

impl Exponential {
    pub fn of(wanted: &Approximation) -> Option<Exponential> {
        let Approximation { low, high, fraction, bits, .. } = *wanted;
        // The first raw number of an octave: `(i - 1/2) ln 2` or more.
        let begin = |i: i128| -(-(2 * i - 1) * LN_2).div_euclid(power(101 - fraction));
        // Below a quarter of a unit nothing is left.
        let lowest = -i128::from(fraction) - 2;
        let octave = |x: i128| (x * power(101 - fraction) + LN_2).div_euclid(2 * LN_2);
        // Elsewhere values are cut off.
        if fraction > 60
            || low > high
            || high >= power(fraction) * 60
            || low <= -power(fraction) * 60
        {
            return None;
        }
        let (first, last) = (octave(low).max(lowest), octave(high).max(lowest));
        // Results are below 2^(last + 1).
        let above = u32::try_from(i128::from(fraction) + last + 1).unwrap_or(0);
        let (places, coefficients) = precise(&EXP, bits, above)?;
        let vanishes = low < begin(first);
        let from = if vanishes { first } else { first + 1 };
        let octaves = u32::try_from(last - first).ok()? + 1;
        // By how many places products are truncated, or by how many they are too short.
        let by = i128::from(places) - i128::from(fraction) - first;
        let up = u32::try_from(-by).unwrap_or(0);
        let rest = places.max(fraction);
        let room = (2 * places + 5).max(rest + 8).max(places + 2 + octaves + up);
        let ring = [Ring::W64, Ring::W128].into_iter().find(|ring| room <= ring.bits() - 2)?;
        let polynomial = Polynomial { coefficients, fraction: places, ring };
        let cuts = (from..=last).map(begin).collect();
        Some(Exponential { ring, polynomial, fraction, range: (low, high), first, cuts, vanishes })
    }

    /// Fractional bits of the rest.
    fn places(&self) -> u32 {
        self.polynomial.fraction
    }

    /// Places that the rest has while it is put together.
    fn rest_places(&self) -> u32 {
        self.places().max(self.fraction)
    }

    /// The octave that begins at a cut.
    fn octave(&self, cut: usize) -> i128 {
        self.first + cut as i128 + i128::from(!self.vanishes)
    }

    /// The rest of `x` and the power of two, where `below[j]` says whether `x` is below a cut, and `vanished` is `x` where it
    /// is below all octaves, and else zero.
    pub(super) fn split<M: Machine>(
        &self,
        machine: &mut M,
        x: &M::Number,
        below: &[M::Number],
        vanished: Option<&M::Number>,
    ) -> Result<[M::Number; 2]> {
        let rest_places = self.rest_places();
        let up = power(rest_places - self.fraction);
        let last = self.first + below.len() as i128 - i128::from(self.vanishes);
        // From the topmost octave down; below the lowest all is zero.
        let mut rest = vec![(up, x)];
        let mut scale = Vec::new();
        for (j, bit) in below.iter().enumerate() {
            let octave = self.octave(j);
            let (offset, size) =
                (multiple(octave, rest_places), power((octave - self.first) as u32));
            let next = if j == 0 && self.vanishes {
                (0, 0)
            } else {
                (multiple(octave - 1, rest_places), power((octave - 1 - self.first) as u32))
            };
            rest.push((offset - next.0, bit));
            scale.push((next.1 - size, bit));
        }
        rest.extend(vanished.map(|x| (-up, x)));
        let rest = machine.linear(-multiple(last, rest_places), &rest)?;
        let scale = match scale.is_empty() {
            true => machine.linear(power((last - self.first) as u32), &[(0, x)])?,
            false => machine.linear(power((last - self.first) as u32), &scale)?,
        };
        let rest = machine.cut(&rest, rest_places - self.places())?;
        Ok([rest, scale])
    }

    /// The value.
    pub(super) fn finish<M: Machine>(
        &self,
        machine: &mut M,
        [rest, scale]: [&M::Number; 2],
    ) -> Result<M::Number> {
        let square = machine.products(&[[rest, rest]])?;
        let square = machine.cut(&square[0], self.places())?;
        let value = self.polynomial.value(machine, [rest, &square])?;
        let product = machine.products(&[[&value, scale]])?;
        let by = i64::from(self.places()) - i64::from(self.fraction) - self.first as i64;
        let mut all = machine.truncated(&[(&product[0], by)])?;
        Ok(all.swap_remove(0))
    }

    pub fn run(&self, backend: &mut dyn Backend, x: &Secret) -> Result<Secret> {
        let mut machine = OnShares { backend, ring: self.ring };
        let mut below = Vec::new();
        let mut vanished = None;
        if !self.cuts.is_empty() {
            let bits = machine.below(x, &self.cuts, self.range)?;
            if self.vanishes {
                // All bits as numbers, and the argument where it is below all octaves, at once.
                let one = machine.backend.public(Kind::Ring(self.ring), &[1], x.len);
                let mut numbers: Vec<&Secret> = self.cuts.iter().map(|_| &one).collect();
                numbers.push(x);
                let mut all = bits.zeros_like(x.len * numbers.len());
                all.copy_in(0, &bits);
                all.copy_in(bits.len, &bits.slice(0..x.len));
                let joined = Secret::side_by_side(&numbers);
                let products = machine.backend.inject(&all, &joined)?;
                below = apart(&products, numbers.len());
                vanished = below.pop();
            } else {
                let numbers = machine.backend.bit_to_ring(&bits, self.ring)?;
                below = apart(&numbers, self.cuts.len());
            }
        }
        let [rest, scale] = self.split(&mut machine, x, &below, vanished.as_ref())?;
        self.finish(&mut machine, [&rest, &scale])
    }
}
