//! The work of a level of [`fold`](super::fold) in a field, whose elements are words.

use super::field::Field;
use super::fold::{MOST, POINTS, Runs, Source, points, sources};
use tacit_ring::Buffer;
use tacit_ring::gf64;
use tacit_ring::simd::{self, Kernel};

/// A role's summands of the values at all points, in a field.
pub(super) fn grid<F: Field>(
    field: F,
    vectors: [Runs<'_>; 2],
    variables: usize,
    blocks: usize,
) -> Buffer<u64> {
    if let (2, Some(wide)) = (variables, field.wide()) {
        let [f, g] = vectors.map(|runs| runs.map(|run| quarters(run, blocks)));
        return Buffer::from_slice(&wide.squares(f, g).map(gf64::reduce));
    }
    match variables {
        1 => Buffer::from_slice(&simd::run(Summands::<F, 1> { field, vectors, blocks })),
        2 => Buffer::from_slice(&simd::run(Squares { field, vectors, blocks })),
        3 => Buffer::from_slice(&simd::run(Summands::<F, 3> { field, vectors, blocks })),
        _ => Buffer::from_slice(&simd::run(Summands::<F, MOST> { field, vectors, blocks })),
    }
}

/// A role's summands of the values at all points. Blocks are parts of the vectors that lie one after
/// the other, so that loops go along them.
struct Summands<'a, F, const V: usize> {
    field: F,
    vectors: [Runs<'a>; 2],
    blocks: usize,
}

impl<F: Field, const V: usize> Kernel for Summands<'_, F, V> {
    type Output = [u64; POINTS];

    #[inline(always)]
    fn run(self) -> [u64; POINTS] {
        let Summands { field, vectors: [f, g], blocks } = self;
        let sources = const { sources::<V, POINTS>() };
        let ([f0, f1], [g0, g1]) =
            (f.map(|run| cut::<V>(run, blocks)), g.map(|run| cut::<V>(run, blocks)));
        let mut totals = [0; POINTS];
        let mut sums = [F::NONE; POINTS];
        let mut values = [[0; 4]; POINTS];
        let mut terms = 0;
        for k in 0..blocks {
            for point in 0..const { points(V) } {
                values[point] = match sources[point] {
                    Source::Block(b) => {
                        let (g0, g1) = (g0[b][k], g1[b][k]);
                        [f0[b][k], f1[b][k], g0, field.add(g0, g1)]
                    }
                    Source::Difference(one, zero) => {
                        let (one, zero) = (values[one], values[zero]);
                        [0, 1, 2, 3].map(|i| field.sub(one[i], zero[i]))
                    }
                };
                let [f0, f1, g0, sum] = values[point];
                sums[point] = field.plus(field.plus(sums[point], f0, sum), f1, g0);
            }
            terms += 2;
            if terms + 2 > F::TERMS || k + 1 == blocks {
                terms = 0;
                for point in 0..const { points(V) } {
                    totals[point] = field.add(totals[point], field.total(sums[point]));
                    sums[point] = F::NONE;
                }
            }
        }
        totals
    }
}

/// [`Summands`] in two variables, for long vectors: nothing is looked up.
struct Squares<'a, F> {
    field: F,
    vectors: [Runs<'a>; 2],
    blocks: usize,
}

impl<F: Field> Kernel for Squares<'_, F> {
    type Output = [u64; POINTS];

    #[inline(always)]
    fn run(self) -> [u64; POINTS] {
        let Squares { field, vectors: [f, g], blocks: n } = self;
        let [[f0, f1], [g0, g1]] = [f, g].map(|runs| runs.map(|run| quarters(run, n)));
        let mut totals = [0; POINTS];
        let mut sums = [F::NONE; 9];
        let mut terms = 0;
        for k in 0..n {
            let at = |run: [&[u64]; 4]| [run[0][k], run[1][k], run[2][k], run[3][k]];
            let (y0, y1) = (at(g0), at(g1));
            let both = [0, 1, 2, 3].map(|b| field.add(y0[b], y1[b]));
            let (x0, x1) = (square(field, at(f0)), square(field, at(f1)));
            let (y0, both) = (square(field, y0), square(field, both));
            for point in 0..9 {
                let sum = field.plus(sums[point], x0[point], both[point]);
                sums[point] = field.plus(sum, x1[point], y0[point]);
            }
            terms += 2;
            if terms + 2 > F::TERMS || k + 1 == n {
                terms = 0;
                for point in 0..9 {
                    totals[point] = field.add(totals[point], field.total(sums[point]));
                    sums[point] = F::NONE;
                }
            }
        }
        totals
    }
}

/// The values of a polynomial in two variables at all points, from those at 0 and 1.
#[inline(always)]
fn square<F: Field>(field: F, [a, b, c, d]: [u64; 4]) -> [u64; 9] {
    let (low, high) = (field.sub(b, a), field.sub(d, c));
    [a, b, low, c, d, high, field.sub(c, a), field.sub(d, b), field.sub(high, low)]
}

/// Four blocks of one length.
#[inline(always)]
fn quarters(run: &[u64], n: usize) -> [&[u64]; 4] {
    let (first, rest) = run.split_at(n);
    let (second, rest) = rest.split_at(n);
    let (third, rest) = rest.split_at(n);
    [first, second, third, &rest[..n]]
}

/// The `2^V` blocks of a vector.
#[inline(always)]
fn cut<const V: usize>(run: &[u64], blocks: usize) -> [&[u64]; 1 << MOST] {
    std::array::from_fn(|b| match b < 1 << V {
        true => &run[b * blocks..(b + 1) * blocks],
        false => &[],
    })
}

/// The first `N` blocks of a vector.
fn cut_in<const N: usize>(run: &[u64], blocks: usize) -> [&[u64]; N] {
    std::array::from_fn(|i| &run[i * blocks..(i + 1) * blocks])
}

/// The blocks of a vector of a field, each as much as it counts for.
pub(super) fn folded<F: Field>(field: F, weights: &[u64], run: &[u64], folded: &mut [u64]) {
    if let Some(wide) = field.wide() {
        let blocks = folded.len();
        return match *weights {
            [low, high] => wide.add_weighted(cut_in(run, blocks), [low, high], folded),
            _ => {
                let groups = weights.as_chunks::<4>().0.iter().zip(run.chunks(4 * blocks));
                groups.for_each(|(weights, run)| {
                    wide.add_weighted(cut_in(run, blocks), *weights, folded);
                });
            }
        };
    }
    let weights: Vec<u64> = weights.iter().map(|weight| field.weight(*weight)).collect();
    match weights.len() {
        2 => simd::run(Fold::<F, 2> { field, weights: &weights, run, folded }),
        _ => simd::run(Fold::<F, 4> { field, weights: &weights, run, folded }),
    }
}

struct Fold<'a, F, const TOGETHER: usize> {
    field: F,
    weights: &'a [u64],
    run: &'a [u64],
    folded: &'a mut [u64],
}

impl<F: Field, const TOGETHER: usize> Kernel for Fold<'_, F, TOGETHER> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let Fold { field, weights, run, folded } = self;
        let blocks = folded.len();
        let groups = weights.chunks_exact(TOGETHER).zip(run.chunks(TOGETHER * blocks));
        for (weights, run) in groups {
            let weights: [u64; TOGETHER] = std::array::from_fn(|i| weights[i]);
            let run: [&[u64]; TOGETHER] =
                std::array::from_fn(|i| &run[i * blocks..(i + 1) * blocks]);
            for k in 0..blocks {
                let mut sum = F::NONE;
                for i in 0..TOGETHER {
                    sum = field.plus(sum, run[i][k], weights[i]);
                }
                folded[k] = field.add(folded[k], field.weighted(sum));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::field::Gf64;
    use tacit_ring::entropy::{Rng, test_seed};
    use tacit_ring::gf64::{Hardware, Portable};

    fn of<F: Field>(field: F, vectors: &[Vec<u64>; 4], variables: usize) -> Vec<Vec<u64>> {
        let [f0, f1, g0, g1] = vectors.each_ref().map(|run| &run[..]);
        let (count, blocks) = (1 << variables, f0.len() >> variables);
        let mut sums = vec![0; blocks];
        folded(field, &Rng(7).words(count), f0, &mut sums);
        let values = grid(field, [[f0, f1], [g0, g1]], variables, blocks);
        vec![values[..points(variables)].to_vec(), sums]
    }

    #[test]
    fn every_way_to_multiply_gives_the_same() {
        let mut rng = Rng(test_seed());
        for (variables, blocks) in (1..=MOST).flat_map(|v| [1, 7, 8, 33].map(|blocks| (v, blocks)))
        {
            let vectors = std::array::from_fn(|_| rng.words(blocks << variables));
            let expected = of(Gf64(Portable), &vectors, variables);
            if let Some(hardware) = Hardware::detect() {
                assert_eq!(of(Gf64(hardware), &vectors, variables), expected);
                assert_eq!(of(Gf64(hardware.one_by_one()), &vectors, variables), expected);
            }
        }
    }
}
