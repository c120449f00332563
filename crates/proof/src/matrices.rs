//! Products of matrices, proven by random sums of their rows and columns (Freivalds).
//!
//! Let `X Y = Z`, with `n` rows, `l` columns, and sums of `k` products. A coin draws vectors of bits `b` and `c`; then
//!
//! ```text
//!   (b X) (Y c)  =  b Z c
//! ```
//!
//! is one sum of `k` products, and parties compute its factors and its result from theirs by themselves. If `Z` is wrong, modulo
//! `2^m`, some row of what it is off by is not zero, so `b` misses it with a chance of one half at most, and then `c` as well: the
//! sum is wrong with a chance of one quarter at least. Many such sums take the place of the `n l` results of the product, and are
//! proven like any other. Where one side is short, only the other one is summed up: a wrong result is then missed by one half.
//!
//! Nobody can make a matrix pass by what it sends later: coins are tossed when all results are there, and nothing is sent for
//! the sums.

use super::Strength;
use super::channel::Challenge;
use std::ops::Range;
use tacit_ring::matrix::Packed;
use tacit_ring::{Buffer, Word};
use tacit_sharing::SharingError;
use tacit_sharing::arrays::MatrixShape;
use tacit_sharing::growing::Growing;

/// Words of matrices that are kept for one coin, one component of each. A matrix of so many words is at least `2^18` products, as
/// many as a usual batch: [`Proving::must_count_masked`](super::Proving::must_count_masked) relies on that.
pub(super) const MOST_WORDS: usize = 1 << 20;
/// Products of sums that are computed together, unless one sum has more.
const TOGETHER: usize = 1 << 21;

/// Which sides of a product are summed up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sides {
    Rows,
    Columns,
    Both,
}

/// How a product of matrices is proven: by so many sums of some of its sides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Mix {
    pub sides: Sides,
    pub sums: usize,
}

impl Sides {
    const ALL: [Sides; 3] = [Sides::Rows, Sides::Columns, Sides::Both];

    /// The chance that a sum of a wrong matrix is right.
    fn chance(self) -> f64 {
        match self {
            Sides::Rows | Sides::Columns => 0.5,
            Sides::Both => 0.75,
        }
    }

    /// So many sums that all of a wrong matrix are right with a chance of at most two to the minus the statistical parameter and
    /// eight: what proves the sums is passed as often as before, all but.
    fn mix(self, strength: Strength) -> Mix {
        let sums = match (self, strength) {
            (Sides::Rows | Sides::Columns, Strength::Usual) => 48,
            (Sides::Rows | Sides::Columns, Strength::Strong) => 72,
            (Sides::Both, Strength::Usual) => 116,
            (Sides::Both, Strength::Strong) => 174,
        };
        Mix { sides: self, sums }
    }

    /// Results for every sum.
    fn results(self, MatrixShape { rows, columns, .. }: MatrixShape) -> usize {
        match self {
            Sides::Rows => columns,
            Sides::Columns => rows,
            Sides::Both => 1,
        }
    }
}

impl Mix {
    /// The one with the fewest products, for words of `bits` bits: none where proving every result takes less than twice as
    /// many, where an element is one bit, or where there is nothing to prove.
    pub fn of(bits: u32, strength: Strength, shape: MatrixShape) -> Option<Mix> {
        let entries = shape.rows * shape.columns;
        let mixes = Sides::ALL.map(|sides| sides.mix(strength));
        let best = mixes.into_iter().min_by_key(|mix| mix.results(shape))?;
        let is_less = 2 * best.results(shape) <= entries;
        (bits > 1 && entries > 0 && shape.inner > 0 && is_less).then_some(best)
    }

    /// How many results, each a sum of as many products as the matrices' own.
    pub fn results(self, shape: MatrixShape) -> usize {
        self.sums * self.sides.results(shape)
    }
}

/// The words of both factors and of the product.
pub(super) fn words(MatrixShape { rows, inner, columns }: MatrixShape) -> usize {
    rows * inner + inner * columns + rows * columns
}

/// The chance that all sums of a wrong matrix are right.
pub(super) fn chance(strength: Strength) -> f64 {
    let all = Sides::ALL.map(|sides| sides.chance().powf(sides.mix(strength).sums as f64));
    all.into_iter().fold(0.0, f64::max)
}

/// A product to be proven, component by component.
#[derive(Clone, Copy)]
pub(super) struct Matrix<'a, W> {
    pub mix: Mix,
    pub shape: MatrixShape,
    pub x: [&'a [W]; 2],
    pub y: [&'a [W]; 2],
    pub z: [&'a [W]; 2],
}

/// A product that is kept.
pub(super) struct KeptMatrix<W> {
    mix: Mix,
    shape: MatrixShape,
    x: [Buffer<W>; 2],
    y: [Buffer<W>; 2],
    z: [Buffer<W>; 2],
}

impl<W: Word> KeptMatrix<W> {
    pub fn new(matrix: Matrix<'_, W>) -> Self {
        let Matrix { mix, shape, x, y, z } = matrix;
        let copy = |runs: [&[W]; 2]| runs.map(Buffer::from_slice);
        KeptMatrix { mix, shape, x: copy(x), y: copy(y), z: copy(z) }
    }

    pub fn matrix(&self) -> Matrix<'_, W> {
        let KeptMatrix { mix, shape, x, y, z } = self;
        let [x, y, z] = [x, y, z].map(|columns| columns.each_ref().map(|column| &column[..]));
        Matrix { mix: *mix, shape: *shape, x, y, z }
    }

    /// Products of the sums that prove it.
    pub fn terms(&self) -> usize {
        self.mix.results(self.shape) * self.shape.inner
    }

    pub fn words(&self) -> usize {
        words(self.shape)
    }
}

/// The vectors of zeros and ones that a coin draws, one for each sum.
struct Picked<W> {
    rows: Vec<W>,
    columns: Vec<W>,
}

impl<W: Word> Matrix<'_, W> {
    /// Computes the sums that the coin draws with the factors of each, and hands them over some at a time.
    ///
    /// # Errors
    /// Those of `each`.
    pub fn sum_up(
        &self,
        coin: &mut Challenge,
        mut each: impl FnMut(&Derived<W>) -> Result<(), SharingError>,
    ) -> Result<(), SharingError> {
        let Matrix { mix: Mix { sides, sums }, shape, .. } = *self;
        let mut draw = |length: usize| bits::<W>(coin, sums * length);
        let rows = if sides == Sides::Columns { Vec::new() } else { draw(shape.rows) };
        let columns = if sides == Sides::Rows { Vec::new() } else { draw(shape.columns) };
        let picked = Picked { rows, columns };
        let together = (TOGETHER / (sides.results(shape) * shape.inner)).max(1);
        for start in (0..sums).step_by(together) {
            each(&self.derived(&picked, start..sums.min(start + together)))?;
        }
        Ok(())
    }

    /// Some of the sums: of each all results.
    fn derived(&self, picked: &Picked<W>, sums: Range<usize>) -> Derived<W> {
        let Matrix { mix, shape: MatrixShape { rows, inner, columns }, .. } = *self;
        let mut derived = Derived { run: (0, inner), ..Derived::default() };
        derived.run.0 = sums.len() * mix.sides.results(self.shape);
        let of = |picked: &'_ [W], length: usize| -> Vec<W> {
            picked[sums.start * length..sums.end * length].to_vec()
        };
        for c in 0..2 {
            let (x, y, z) = (self.x[c], self.y[c], self.z[c]);
            let (to_x, to_y, to_z) = (&mut derived.x[c], &mut derived.y[c], &mut derived.z[c]);
            match mix.sides {
                Sides::Rows => {
                    let picked = of(&picked.rows, rows);
                    let y = transposed(y, inner);
                    for row in product([sums.len(), rows, inner], &picked, x).chunks_exact(inner) {
                        (0..columns).for_each(|_| to_x.extend(row));
                        to_y.extend(&y);
                    }
                    to_z.extend(&product([sums.len(), rows, columns], &picked, z));
                }
                Sides::Columns => {
                    let picked = transposed(&of(&picked.columns, columns), sums.len());
                    let y = transposed(&product([inner, columns, sums.len()], y, &picked), inner);
                    for column in y.chunks_exact(inner) {
                        (0..rows).for_each(|_| to_y.extend(column));
                        to_x.extend(x);
                    }
                    let z = product([rows, columns, sums.len()], z, &picked);
                    to_z.extend(&transposed(&z, rows));
                }
                Sides::Both => {
                    let by_rows = of(&picked.rows, rows);
                    let of_columns = of(&picked.columns, columns);
                    let by_columns = transposed(&of_columns, sums.len());
                    to_x.extend(&product([sums.len(), rows, inner], &by_rows, x));
                    let y = product([inner, columns, sums.len()], y, &by_columns);
                    to_y.extend(&transposed(&y, inner));
                    let z = product([sums.len(), rows, columns], &by_rows, z);
                    let mut both = Buffer::zeros(sums.len());
                    let pairs = z.chunks_exact(columns).zip(of_columns.chunks_exact(columns));
                    for (sum, (z, picked)) in both.iter_mut().zip(pairs) {
                        let terms = z.iter().zip(picked);
                        *sum = terms.fold(W::ZERO, |sum, (z, bit)| sum.add(z.mul(*bit)));
                    }
                    to_z.extend(&both);
                }
            }
        }
        derived
    }
}

/// Sums with their factors, component by component.
pub(super) struct Derived<W> {
    pub x: [Growing<W>; 2],
    pub y: [Growing<W>; 2],
    pub z: [Growing<W>; 2],
    /// Results, and the terms of each.
    pub run: (usize, usize),
}

impl<W> Default for Derived<W> {
    fn default() -> Self {
        Derived { x: Default::default(), y: Default::default(), z: Default::default(), run: (0, 0) }
    }
}

/// Random zeros and ones.
fn bits<W: Word>(coin: &mut Challenge, count: usize) -> Vec<W> {
    let drawn = coin.words::<u64>(count.div_ceil(64));
    let bit = |i: usize| if drawn[i / 64] >> (i % 64) & 1 == 1 { W::ONE } else { W::ZERO };
    (0..count).map(bit).collect()
}

fn product<W: Word>([rows, inner, columns]: [usize; 3], left: &[W], right: &[W]) -> Buffer<W> {
    let mut out = Buffer::zeros(rows * columns);
    Packed::of_sum(inner, columns, &[(W::ONE, right)]).add_product(left, &mut out);
    out
}

/// The columns of a matrix of so many rows, one after the other.
fn transposed<W: Word>(words: &[W], rows: usize) -> Buffer<W> {
    let columns = words.len() / rows.max(1);
    let mut out = Buffer::zeros(words.len());
    for (column, to) in out.chunks_exact_mut(rows.max(1)).enumerate() {
        let from = words.iter().skip(column).step_by(columns);
        to.iter_mut().zip(from).for_each(|(to, from)| *to = *from);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use tacit_ring::entropy::{Rng, test_seed};

    const USUAL: Strength = Strength::Usual;

    fn shape(rows: usize, inner: usize, columns: usize) -> MatrixShape {
        MatrixShape { rows, inner, columns }
    }

    #[test]
    fn matrices_are_summed_up_where_that_is_less() {
        let of = |rows, inner, columns| {
            Mix::of(64, USUAL, shape(rows, inner, columns)).map(|mix| (mix.sides, mix.sums))
        };
        assert_eq!(of(1000, 1000, 1000), Some((Sides::Both, 116)));
        assert_eq!(of(100, 1, 100), Some((Sides::Both, 116)));
        assert_eq!(of(569, 30, 1), Some((Sides::Rows, 48)));
        assert_eq!(of(2, 30, 96), Some((Sides::Columns, 48)));
        assert_eq!(of(30, 569, 1), None);
        assert_eq!(of(15, 10, 15), None);
        for empty in [[1000, 0, 1000], [0, 3, 2], [1000, 3, 0], [0, 1024, 1024]] {
            assert_eq!(of(empty[0], empty[1], empty[2]), None);
        }
        assert_eq!(Mix::of(1, USUAL, shape(1000, 1000, 1000)), None);
        let strong = Mix::of(32, Strength::Strong, shape(100, 100, 100));
        assert_eq!(strong, Some(Mix { sides: Sides::Both, sums: 174 }));
        assert!(chance(USUAL) <= (-48f64).exp2() && chance(Strength::Strong) <= (-72f64).exp2());
    }

    /// Sums with the errors of a matrix: of values of which one component is zero, what each is off by.
    fn errors<W: Word>(mix: Mix, shape: MatrixShape, error: &[(usize, W)], seed: u64) -> Vec<W> {
        let mut rng = Rng(seed);
        let mut values = |n: usize| -> Vec<W> {
            rng.words(n).into_iter().map(|word| W::from_u128(word.into())).collect()
        };
        let MatrixShape { rows, inner, columns } = shape;
        let (x, y) = (values(rows * inner), values(inner * columns));
        let mut z = product([rows, inner, columns], &x, &y);
        error.iter().for_each(|(at, error)| z[*at] = z[*at].add(*error));
        let zeros = vec![W::ZERO; words(shape)];
        let [none_x, none_y, none_z] = [&x[..], &y, &z].map(|run| &zeros[..run.len()]);
        let matrix = Matrix { mix, shape, x: [&x, none_x], y: [&y, none_y], z: [&z, none_z] };
        let mut errors = Vec::new();
        let take = |sums: &Derived<W>| {
            let (results, terms) = sums.run;
            let lengths = [&sums.x, &sums.y, &sums.z].map(|columns| columns[1].len);
            assert_eq!((lengths, terms), ([results * inner, results * inner, results], inner));
            for i in 0..results {
                let terms = i * inner..(i + 1) * inner;
                let term = |k: usize| sums.x[0].buffer[k].mul(sums.y[0].buffer[k]);
                errors.push(sums.z[0].buffer[i].sub(terms.map(term).fold(W::ZERO, W::add)));
            }
            Ok(())
        };
        matrix.sum_up(&mut Challenge::of_test(seed), take).unwrap();
        assert_eq!(errors.len(), mix.results(shape));
        errors
    }

    #[test]
    fn sums_of_a_right_matrix_are_right() {
        for sides in Sides::ALL {
            let mix = Mix { sides, sums: 7 };
            for shape in
                [shape(5, 3, 4), shape(1, 1, 9), shape(9, 20, 1), shape(2, TOGETHER / 3, 2)]
            {
                assert!(errors::<u64>(mix, shape, &[], test_seed()).iter().all(|e| *e == 0));
                assert!(errors::<u32>(mix, shape, &[], test_seed()).iter().all(|e| *e == 0));
            }
        }
    }

    /// The largest power of two is what passes most often.
    #[test]
    fn a_wrong_matrix_passes_one_sum_as_often_as_the_bound_says() {
        const TRIALS: u64 = 4000;
        let (wrong, shape) = ([(5, 1u64 << 63)], shape(3, 2, 4));
        for sides in Sides::ALL {
            let mix = Mix { sides, sums: 1 };
            let right = |seed| errors(mix, shape, &wrong, seed).iter().all(|error| *error == 0);
            let first = test_seed();
            let passed = (0..TRIALS).filter(|i| right(first.wrapping_add(*i))).count() as f64;
            let (mean, chance) = (TRIALS as f64 * sides.chance(), sides.chance());
            let deviation = (TRIALS as f64 * chance * (1.0 - chance)).sqrt();
            assert!((passed - mean).abs() <= 4.5 * deviation, "{sides:?}: {passed}, not {mean}");
        }
    }

    /// Errors in several places cannot make up for each other more often than that.
    #[test]
    fn errors_in_many_places_pass_no_more_often() {
        const TRIALS: u64 = 2000;
        let half = 1u64 << 63;
        let all: Vec<(usize, u64)> = (0..12).map(|at| (at, half)).collect();
        let diagonal = [(0, half), (5, half), (10, 1)];
        for wrong in [&all[..], &diagonal] {
            let mix = Mix { sides: Sides::Both, sums: 1 };
            let right = |seed| errors(mix, shape(3, 2, 4), wrong, seed) == [0];
            let passed = (0..TRIALS).filter(|i| right(test_seed().wrapping_add(*i))).count() as f64;
            let deviation = (TRIALS as f64 * 0.75 * 0.25).sqrt();
            assert!(passed <= TRIALS as f64 * 0.75 + 4.5 * deviation, "{passed}");
        }
    }
}
