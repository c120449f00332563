//! Functions that are a polynomial on each piece of their range.

use super::coefficients::{Pieces, SIGMOID};
use super::{Approximation, power, precise, signed_bits};
use crate::machine::{Machine, OnShares};
use crate::{Backend, Result, Ring, Secret};

/// Polynomials, of which comparisons choose one.
pub(super) struct Piecewise {
    /// The ring that it is computed in.
    pub ring: Ring,
    /// Fractional bits of arguments and results.
    fraction: u32,
    /// Fractional bits of coefficients.
    places: u32,
    /// Where pieces end, raw, ascending.
    pub(super) cuts: Vec<i128>,
    /// The coefficients of the topmost piece.
    top: Row,
    /// What those of a piece are more than those of the next one, for each cut.
    differences: Vec<Row>,
    /// What is taken off the topmost piece before it is truncated: where that rounds up, a constant of one stays one.
    less: i128,
    range: (i128, i128),
}

/// Coefficients, from the constant on; of degree two or four.
type Row = [i128; 5];

impl Piecewise {
    pub fn sigmoid(wanted: &Approximation) -> Option<Piecewise> {
        Piecewise::of(precise(&SIGMOID, wanted.bits, wanted.fraction)?, wanted)
    }

    fn of(pieces: &'static Pieces, wanted: &Approximation) -> Option<Piecewise> {
        let Approximation { low, high, fraction, .. } = *wanted;
        let degree = pieces.degree();
        // The least raw number that is not below a cut.
        let raw = |cut: i64| -(-i128::from(cut) * power(fraction)).div_euclid(power(6));
        let cuts = pieces.cuts.iter().map(|cut| raw(*cut));
        let within: Vec<(usize, i128)> =
            cuts.enumerate().filter(|(_, cut)| low < *cut && *cut <= high).collect();
        let room = pieces.fraction + degree as u32 * fraction + 5;
        let differences = within.iter().flat_map(|(_, cut)| [low - cut, high - cut]);
        let bits = differences.map(signed_bits).max().unwrap_or(1);
        let ring = [Ring::W64, Ring::W128]
            .into_iter()
            .find(|ring| room <= ring.bits() - 2 && bits <= ring.bits())?;
        let row = |piece: usize| pieces.row(piece);
        let topmost = pieces.cuts.iter().filter(|cut| raw(**cut) <= high).count();
        let differences = within.iter().map(|(i, _)| {
            let (below, above) = (row(*i), row(i + 1));
            std::array::from_fn(|power| below[power] - above[power])
        });
        Some(Piecewise {
            ring,
            fraction,
            places: pieces.fraction,
            top: row(topmost),
            differences: differences.collect(),
            less: i128::from(topmost == pieces.cuts.len()),
            cuts: within.iter().map(|(_, cut)| *cut).collect(),
            range: (low, high),
        })
    }

    fn degree(&self) -> usize {
        let rows = self.differences.iter().chain([&self.top]);
        rows.filter_map(|row| (1..5).rev().find(|power| row[*power] != 0)).max().unwrap_or(1)
    }

    /// The powers of `x` that are needed, from the first on.
    pub(super) fn powers<M: Machine>(
        &self,
        machine: &mut M,
        x: &M::Number,
    ) -> Result<Vec<M::Number>> {
        let mut powers = Vec::new();
        if self.degree() > 1 {
            powers.extend(machine.products(&[[x, x]])?);
        }
        if self.degree() > 2 {
            let higher = machine.products(&[[x, &powers[0]], [&powers[0], &powers[0]]])?;
            powers.extend(higher);
        }
        powers.insert(0, machine.linear(0, &[(1, x)])?);
        Ok(powers)
    }

    /// The places of values before they are truncated.
    fn scale(&self) -> u32 {
        self.places + self.degree() as u32 * self.fraction
    }

    /// A polynomial, and so many units more, before it is truncated.
    fn value<M: Machine>(
        &self,
        machine: &mut M,
        row: &Row,
        more: i128,
        powers: &[M::Number],
    ) -> Result<M::Number> {
        let degree = self.degree() as u32;
        let up = |exponent: u32| power((degree - exponent) * self.fraction);
        let terms: Vec<(i128, &M::Number)> =
            (1..).zip(powers).map(|(i, power)| (row[i as usize] * up(i), power)).collect();
        machine.linear(row[0] * up(0) + more, &terms)
    }

    /// For each cut what is added where the argument is below it.
    pub(super) fn changes<M: Machine>(
        &self,
        machine: &mut M,
        powers: &[M::Number],
    ) -> Result<Vec<M::Number>> {
        let count = self.differences.len();
        let more = |i: usize| if i + 1 == count { self.less } else { 0 };
        let differences = self.differences.iter().enumerate();
        differences.map(|(i, row)| self.value(machine, row, more(i), powers)).collect()
    }

    /// The value, of what is added and the topmost piece.
    pub(super) fn finish<M: Machine>(
        &self,
        machine: &mut M,
        powers: &[M::Number],
        added: Option<&M::Number>,
    ) -> Result<M::Number> {
        let top = self.value(machine, &self.top, -self.less, powers)?;
        let terms: Vec<(i128, &M::Number)> =
            std::iter::once(&top).chain(added).map(|number| (1, number)).collect();
        let raw = machine.linear(0, &terms)?;
        machine.cut(&raw, self.scale() - self.fraction)
    }

    pub fn run(&self, backend: &mut dyn Backend, x: &Secret) -> Result<Secret> {
        let mut machine = OnShares { backend, ring: self.ring };
        let powers = self.powers(&mut machine, x)?;
        let added = match self.cuts.is_empty() {
            true => None,
            false => {
                let below = machine.below(x, &self.cuts, self.range)?;
                let changes = self.changes(&mut machine, &powers)?;
                Some(machine.chosen(&below, &changes)?)
            }
        };
        self.finish(&mut machine, &powers, added.as_ref())
    }
}
