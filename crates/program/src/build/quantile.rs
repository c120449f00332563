//! Quantiles and medians: values at a position of a sorted column.
//!
//! Of c values that count, in ascending order from position 0, the quantile q is the value at
//! position `floor(q (c - 1))`: one of the values, the lower one where q lies between two, as
//! NumPy's `method="lower"` but for an exact q. Where nothing counts it is zero.
//!
//! Values that do not count are sorted behind the others, by taking the greatest value that the
//! column may have. How many count is a secret if the mask is one; then so is the position, and
//! every row is compared with it.

use super::{Along, Builder, POISON, Value};
use crate::infer::{element, range, shape};
use crate::types::{Extent, Interval, Shape, Type};

/// The greatest denominator of a [`Quantile`].
const MAX_DENOMINATOR: u64 = 1_000_000;

/// An exact fraction from 0 to 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Quantile {
    numerator: u64,
    denominator: u64,
}

impl Quantile {
    /// Half of the values are not above it.
    pub const MEDIAN: Quantile = Quantile { numerator: 1, denominator: 2 };

    /// `numerator / denominator`; `None` unless it is from 0 to 1 and, in lowest terms, the
    /// denominator is at most a million.
    #[must_use]
    pub fn new(numerator: u64, denominator: u64) -> Option<Self> {
        if numerator > denominator || denominator == 0 {
            return None;
        }
        let by = shape::gcd(numerator, denominator);
        let (numerator, denominator) = (numerator / by, denominator / by);
        (denominator <= MAX_DENOMINATOR).then_some(Quantile { numerator, denominator })
    }

    /// The position of the quantile of so many values, at least one.
    fn position(self, count: u64) -> u64 {
        let Quantile { numerator, denominator } = self;
        let scaled = u128::from(numerator) * u128::from(count - 1);
        (scaled / u128::from(denominator)) as u64
    }
}

impl Builder {
    /// The median of a column: of an even number of values the lower of the two in the middle, of
    /// none zero.
    #[track_caller]
    pub fn median(&mut self, a: Value, along: Along) -> Value {
        self.quantile(a, along, Quantile::MEDIAN)
    }

    /// A quantile of a column: the value at position `floor(q (c - 1))` of the c values that
    /// count, in ascending order from 0. Of none it is zero.
    #[track_caller]
    pub fn quantile(&mut self, a: Value, along: Along, q: Quantile) -> Value {
        let one = self.quantiles(a, along, &[q]);
        self.reshape(one, Shape::new())
    }

    /// Several quantiles of a column, which is sorted once.
    #[track_caller]
    pub fn quantiles(&mut self, a: Value, along: Along, at: &[Quantile]) -> Value {
        let a = self.number(a);
        let (Some(extent), Some(ty)) = (self.length(a, along.axis), self.ty(a)) else {
            return POISON;
        };
        if ty.shape.len() != 1 {
            return self.fail("a quantile is of a column: an array of one axis");
        }
        if at.is_empty() {
            return self.fail("a quantile needs a fraction from 0 to 1");
        }
        match (along.mask, extent.known()) {
            (None, Some(count)) => self.quantiles_of(a, count, &ty, at),
            _ => self.quantiles_of_some(a, along, &ty, at),
        }
    }

    /// Where all values count and the program says how many there are, positions are known.
    #[track_caller]
    fn quantiles_of(&mut self, a: Value, count: u64, ty: &Type, at: &[Quantile]) -> Value {
        if count == 0 {
            return self.raw_constant(ty.element, vec![(at.len() as u64).into()], vec![0]);
        }
        let sorted = self.sort(&[a], false)[0];
        let positions: Vec<u64> = at.iter().map(|q| q.position(count)).collect();
        self.gather(sorted, 0, &positions)
    }

    #[track_caller]
    fn quantiles_of_some(&mut self, a: Value, along: Along, ty: &Type, at: &[Quantile]) -> Value {
        let extent = ty.shape[0].clone();
        if let Err(message) = self.fits_sum(ty) {
            return self.fail(message);
        }
        let (kept, count) = match along.mask {
            None => (a, self.count(a, 0)),
            Some(mask) => {
                let mask = self.broadcast_to(mask, ty.shape.clone());
                let last = self.raw_constant(ty.element, Shape::new(), vec![ty.interval.high]);
                (self.select(mask, a, last), self.sum(mask, 0))
            }
        };
        let sorted = self.sort(&[kept], false)[0];
        let mut found = Vec::with_capacity(at.len());
        for q in at {
            let rank = self.rank(count, *q);
            let one = self.at_rank(sorted, rank, &extent, ty);
            found.push(self.reshape(one, vec![Extent::fixed(1)]));
        }
        if found.len() == 1 { found[0] } else { self.concat(&found, 0) }
    }

    /// The position of a quantile of `count` values and one, or zero of no values.
    #[track_caller]
    fn rank(&mut self, count: Value, q: Quantile) -> Value {
        let (p, r) = (i128::from(q.numerator), i128::from(q.denominator));
        if p == 0 {
            return self.min(count, 1);
        }
        if p == r {
            return count;
        }
        // floor(p (c - 1) / r) + 1
        let scaled = self.mul(count, p);
        let scaled = self.add(scaled, r - p);
        let rank = match q.denominator.is_power_of_two() {
            true => self.shift_right(scaled, q.denominator.trailing_zeros() as u8),
            false => self.div(scaled, r),
        };
        let narrow = self.ty(rank).and_then(|ty| element::smallest(ty.interval));
        narrow.map_or(rank, |narrow| self.cast(rank, narrow))
    }

    /// The element at position `rank - 1`; zero if there is none.
    #[track_caller]
    fn at_rank(&mut self, sorted: Value, rank: Value, extent: &Extent, ty: &Type) -> Value {
        let positions = self.positions(extent.clone());
        let ranks = self.add(positions, 1);
        let here = self.eq(ranks, rank);
        let kept = self.select(here, sorted, 0);
        let sum = self.sum(kept, 0);
        let one = self.assume_raw(sum, ty.interval.join(Interval::point(0)));
        self.cast(one, ty.element)
    }

    /// Whether the sum over a column, all of whose values but one are zero, is known to fit.
    fn fits_sum(&self, ty: &Type) -> Result<(), String> {
        let most = shape::most(&ty.shape[0], &self.program.dims).unwrap_or(u64::MAX);
        let sum = range::sum(ty.interval.join(Interval::point(0)), 0, most);
        if sum.is_some_and(|sum| element::grow(ty.element, sum).is_ok()) {
            return Ok(());
        }
        let bits = 63 - (64 - most.leading_zeros()).min(62);
        Err(format!(
            "a quantile of up to {most} values in {}: declare a narrower range for them (2^{bits} \
             fits), promise one with `assume`, or lower the row count's maximum",
            element::describe(ty.element, ty.interval),
        ))
    }

    /// The positions 0, 1, ... of an axis of this length, as a public column.
    #[track_caller]
    pub fn positions(&mut self, length: impl Into<Extent>) -> Value {
        match crate::infer::positions_of(&length.into(), &self.program.dims) {
            Ok(ty) => self.push(crate::ir::Op::Positions, &[], Some(&[ty])),
            Err(message) => self.fail(message),
        }
    }
}
