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

use super::channel::Challenge;
use super::kept::Products;
use super::{Strength, push_run};
use tacit_ring::matrix::Packed;
use tacit_ring::{Buffer, Word};
use tacit_sharing::arrays::MatrixShape;
use tacit_sharing::growing::Growing;
use tacit_sharing::shares::Runs;

/// Words of matrices that are kept for one coin, one component of each.
pub(super) const MOST_WORDS: usize = 1 << 20;
/// All sums of a wrong matrix are right with a chance of two to the minus this, below what the parameter asks for: what
/// proves the sums is passed as often as before, all but.
const SPARE_BITS: u32 = 8;

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

    fn mix(self, strength: Strength) -> Mix {
        let bits = f64::from(strength.bits() + SPARE_BITS);
        Mix { sides: self, sums: (bits / -self.chance().log2()).ceil() as usize }
    }
}

impl Mix {
    /// The one with the fewest products, for words of `bits` bits: none where proving every result takes less than twice as
    /// many, or where an element is one bit.
    pub fn of(bits: u32, strength: Strength, shape: MatrixShape) -> Option<Mix> {
        let entries = shape.rows * shape.columns;
        let mixes = Sides::ALL.map(|sides| sides.mix(strength));
        let best = mixes.into_iter().min_by_key(|mix| mix.results(shape))?;
        (bits > 1 && shape.inner > 0 && 2 * best.results(shape) <= entries).then_some(best)
    }

    /// How many results, each a sum of as many products as the matrices' own.
    pub fn results(self, MatrixShape { rows, columns, .. }: MatrixShape) -> usize {
        match self.sides {
            Sides::Rows => self.sums * columns,
            Sides::Columns => rows * self.sums,
            Sides::Both => self.sums,
        }
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

/// A product that is kept, component by component.
pub(super) struct Matrix<W> {
    pub mix: Mix,
    shape: MatrixShape,
    x: [Buffer<W>; 2],
    y: [Buffer<W>; 2],
    z: [Buffer<W>; 2],
}

impl<W: Word> Matrix<W> {
    pub fn new(mix: Mix, shape: MatrixShape, [x, y]: [Runs<'_, W>; 2], z: Runs<'_, W>) -> Self {
        let copy = |runs: Runs<'_, W>| [0, 1].map(|c| Buffer::from_slice(runs[c]));
        Matrix { mix, shape, x: copy(x), y: copy(y), z: copy(z) }
    }

    /// The results that are proven.
    pub fn results(&self) -> usize {
        self.mix.results(self.shape)
    }

    pub fn terms(&self) -> usize {
        self.results() * self.shape.inner
    }

    pub fn words(&self) -> usize {
        words(self.shape)
    }

    /// Adds the sums that the coin draws, and the factors of each.
    pub fn sum_up(&self, coin: &mut Challenge, to: &mut Sums<W>) {
        let MatrixShape { rows, inner, columns } = self.shape;
        let sums = self.mix.sums;
        let (of_rows, of_columns) = match self.mix.sides {
            Sides::Rows => (Some(bits::<W>(coin, sums * rows)), None),
            Sides::Columns => (None, Some(bits::<W>(coin, columns * sums))),
            Sides::Both => {
                (Some(bits::<W>(coin, sums * rows)), Some(bits::<W>(coin, columns * sums)))
            }
        };
        for c in 0..2 {
            let [mut x, mut y, mut z] =
                [&self.x[c], &self.y[c], &self.z[c]].map(|it| Buffer::from_slice(it));
            if let Some(picked) = &of_rows {
                x = product([sums, rows, inner], picked, &x);
                z = product([sums, rows, columns], picked, &z);
            }
            if let Some(picked) = &of_columns {
                y = product([inner, columns, sums], &y, picked);
            }
            let z = match (self.mix.sides, &of_columns) {
                (Sides::Both, Some(picked)) => diagonal(columns, &z, picked),
                (_, Some(picked)) => product([rows, columns, sums], &z, picked),
                (_, None) => z,
            };
            let (x_rows, y_columns) = (x.chunks_exact(inner), transposed(&y, inner));
            match self.mix.sides {
                Sides::Both => {
                    to.x[c].extend(&x);
                    to.y[c].extend(&y_columns);
                }
                Sides::Rows | Sides::Columns => {
                    for row in x_rows {
                        let times = y_columns.len() / inner;
                        (0..times).for_each(|_| to.x[c].extend(row));
                        to.y[c].extend(&y_columns);
                    }
                }
            }
            to.z[c].extend(&z);
        }
        push_run(&mut to.runs, self.results(), inner);
    }
}

/// Sums that are proven, component by component.
pub(super) struct Sums<W> {
    pub x: [Growing<W>; 2],
    pub y: [Growing<W>; 2],
    pub z: [Growing<W>; 2],
    /// Results, and the terms of each.
    pub runs: Vec<(usize, usize)>,
}

impl<W> Default for Sums<W> {
    fn default() -> Self {
        Sums {
            x: Default::default(),
            y: Default::default(),
            z: Default::default(),
            runs: Vec::new(),
        }
    }
}

impl<W: Word> Sums<W> {
    /// Puts these before the products that are kept.
    pub fn put_before(mut self, kept: &mut Products<W>) {
        let columns = self.x.iter_mut().chain(&mut self.y).chain(&mut self.z);
        let before = kept.x.iter_mut().chain(&mut kept.y).chain(&mut kept.z);
        for (sums, kept) in columns.zip(before) {
            sums.extend(&kept.buffer[..kept.len]);
            std::mem::swap(sums, kept);
        }
        for (results, terms) in std::mem::take(&mut kept.runs) {
            push_run(&mut self.runs, results, terms);
        }
        kept.runs = self.runs;
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

/// The entries of a product on its diagonal.
fn diagonal<W: Word>(inner: usize, left: &[W], right: &[W]) -> Buffer<W> {
    let count = left.len() / inner;
    let mut out = Buffer::zeros(count);
    for (t, (out, row)) in out.iter_mut().zip(left.chunks_exact(inner)).enumerate() {
        let column = right.iter().skip(t).step_by(count);
        *out = row.iter().zip(column).fold(W::ZERO, |sum, (a, b)| sum.add(a.mul(*b)));
    }
    out
}

/// The columns of a matrix of so many rows, one after the other.
pub(super) fn transposed<W: Word>(words: &[W], rows: usize) -> Buffer<W> {
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
        assert_eq!(of(1000, 0, 1000), None);
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
        let (mut sums, none) = (Sums::default(), &zeros[..]);
        let runs = [[&x[..], &none[..x.len()], &[]], [&y, &none[..y.len()], &[]]];
        let matrix = Matrix::new(mix, shape, runs, [&z, &none[..z.len()], &[]]);
        matrix.sum_up(&mut Challenge::of_test(seed), &mut sums);
        assert_eq!(sums.runs, [(matrix.results(), inner)]);
        assert_eq!((sums.x[0].len, sums.y[0].len), (matrix.terms(), matrix.terms()));
        let entry = |i: usize| {
            let terms =
                (i * inner..(i + 1) * inner).map(|k| sums.x[0].buffer[k].mul(sums.y[0].buffer[k]));
            sums.z[0].buffer[i].sub(terms.fold(W::ZERO, W::add))
        };
        (0..matrix.results()).map(entry).collect()
    }

    #[test]
    fn sums_of_a_right_matrix_are_right() {
        for sides in Sides::ALL {
            let mix = Mix { sides, sums: 7 };
            for shape in [shape(5, 3, 4), shape(1, 1, 9), shape(9, 20, 1)] {
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
