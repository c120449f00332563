//! Proof that an inner product of shared vectors is what a shared value claims, with messages that
//! grow with the logarithm of the length (spec 4.4; sum-check over a grid, without divisions).
//!
//! A level reads the vectors as `K` pairs of multilinear polynomials in `v` variables, given by
//! their values at 0 and 1. The sum of their products has degree 2 in each variable; the parties
//! share its values where every variable is 0, 1 or "infinity" (the leading coefficient). The value
//! at (1, ..., 1) follows from the claim. A random point then makes a claim on vectors of length
//! `K`. A wrong claim becomes a right one with probability at most `2 v / |field|` per level.

use super::Charge;
use super::field::Field;
use super::talk::{Challenge, Pair, Talk};
use crate::party::SharingError;
use tacit_ring::Buffer;
use tacit_ring::simd::{self, Kernel};

/// Variables of a level at most.
const MOST: usize = 4;
/// Points of the largest grid.
pub(super) const POINTS: usize = 3usize.pow(MOST as u32);
/// Longer vectors are folded by fewer variables: what that costs in rounds it saves in work.
const LONG: usize = 1 << 13;

/// A vector of shared elements, component by component.
pub(super) type Column = [Buffer<u64>; 2];

/// Variables of the level for vectors of length `len`.
fn variables(len: usize) -> usize {
    if len > LONG { 2 } else { (len.next_power_of_two().ilog2() as usize).min(MOST) }
}

/// Points of a grid.
pub(super) const fn points(variables: usize) -> usize {
    3usize.pow(variables as u32)
}

/// The number of the point (1, ..., 1), the last one that is a block.
pub(super) const fn all_ones(variables: usize) -> usize {
    (points(variables) - 1) / 2
}

/// Where the value at a point of a grid comes from: a block of the vector, or the difference of two
/// earlier points.
#[derive(Clone, Copy)]
pub(super) enum Source {
    Block(usize),
    Difference(usize, usize),
}

/// The sources of all points, in order: digit `i` of a point's number, to base three, is its place
/// in variable `i`; bit `i` of a block's number likewise. Those behind the last are not used.
pub(super) const fn sources<const V: usize, const POINTS: usize>() -> [Source; POINTS] {
    let variables = V;
    let mut sources = [Source::Block(0); POINTS];
    let mut point = 0;
    while point < points(variables) {
        let (mut rest, mut digit, mut block, mut stride) = (point, 0, 0, 1);
        let mut found = false;
        while digit < variables && !found {
            match rest % 3 {
                2 => {
                    sources[point] = Source::Difference(point - stride, point - 2 * stride);
                    found = true;
                }
                one => block |= one << digit,
            }
            rest /= 3;
            digit += 1;
            stride *= 3;
        }
        if !found {
            sources[point] = Source::Block(block);
        }
        point += 1;
    }
    sources
}

/// Bytes that each role sends to the previous one, and rounds, to prove a claim on vectors of
/// length `len`.
pub(super) fn cost(mut len: usize) -> Cost {
    // The product with a random element, and what opens.
    let mut cost = Cost { words: 2, coins: 1, rounds: 3 };
    while len > 1 {
        let variables = variables(len);
        cost.words += points(variables) as u64 - 1;
        cost.coins += 1;
        cost.rounds += 2;
        len = len.div_ceil(1 << variables);
    }
    cost
}

/// What a proof sends.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Cost {
    /// Words from each role to the previous one.
    pub words: u64,
    /// Coins tossed.
    pub coins: u64,
    /// Rounds.
    pub rounds: u64,
}

impl Cost {
    /// The same in bytes.
    pub fn charge(self) -> Charge {
        Charge { bytes: 8 * self.words, coins: self.coins, rounds: self.rounds }
    }
}

/// Length of a vector of `len` elements with the zeros that its blocks end in.
pub(super) fn padded(len: usize) -> usize {
    if len <= 1 { 1 } else { blocks(len) << variables(len) }
}

/// Elements of a block, for vectors of length `len`.
fn blocks(len: usize) -> usize {
    len.div_ceil(1 << variables(len))
}

/// Components of a vector.
pub(super) type Runs<'a> = [&'a [u64]; 2];

/// Proves that the inner product of two vectors of `len` elements is `claim`. They are
/// [padded] with zeros.
///
/// # Errors
/// When the network fails or a peer sends what no honest party does.
pub(super) fn prove<F: Field>(
    talk: &mut Talk<'_, '_, '_>,
    field: F,
    vectors: [Runs<'_>; 2],
    len: usize,
    mut claim: Pair,
) -> Result<(), SharingError> {
    if len <= 1 {
        return last(talk, field, vectors.map(|[own, next]| [own[0], next[0]]), claim);
    }
    let mut folded = level(talk, field, vectors, len, &mut claim)?;
    let mut len = blocks(len);
    while len > 1 {
        let vectors = folded.each_ref().map(|column| column.each_ref().map(|run| &run[..]));
        folded = level(talk, field, vectors, len, &mut claim)?;
        len = blocks(len);
    }
    last(talk, field, folded.map(|[own, next]| [own[0], next[0]]), claim)
}

/// One level: shorter vectors, and a claim on them.
fn level<F: Field>(
    talk: &mut Talk<'_, '_, '_>,
    field: F,
    vectors: [Runs<'_>; 2],
    len: usize,
    claim: &mut Pair,
) -> Result<[Column; 2], SharingError> {
    let (variables, blocks) = (variables(len), blocks(len));
    let summands = match variables {
        1 => simd::run(Summands::<F, 1> { field, vectors, blocks }),
        2 => simd::run(Squares { field, vectors, blocks }),
        3 => simd::run(Summands::<F, 3> { field, vectors, blocks }),
        _ => simd::run(Summands::<F, MOST> { field, vectors, blocks }),
    };
    let ones = all_ones(variables);
    let others = [&summands[..ones], &summands[ones + 1..points(variables)]].concat();
    let mut values = talk.share(field, &others)?;
    values.insert(ones, last_value(field, *claim, &values, variables));
    let point = Point::new(field, &mut talk.coin()?, variables);
    *claim = point.claim(field, &values);
    Ok(vectors.map(|column| column.map(|run| fold(field, &point, run, blocks))))
}

impl Source {
    /// The block, if it is one.
    #[inline(always)]
    pub fn block(self) -> Option<usize> {
        match self {
            Source::Block(block) => Some(block),
            Source::Difference(..) => None,
        }
    }

    /// Whether it is none.
    #[inline(always)]
    pub fn is_difference(self) -> bool {
        matches!(self, Source::Difference(..))
    }
}

/// What the claim says of the point (1, ..., 1): the claim less the other blocks. `values` lack it.
fn last_value<F: Field>(field: F, claim: Pair, values: &[Pair], variables: usize) -> Pair {
    // Points are numbered alike whatever the number of variables.
    let sources = sources::<MOST, POINTS>();
    let blocks = (0..all_ones(variables)).filter(|point| sources[*point].block().is_some());
    blocks.fold(claim, |sum, point| sub(field, sum, values[point]))
}

fn sub<F: Field>(field: F, a: Pair, b: Pair) -> Pair {
    [field.sub(a[0], b[0]), field.sub(a[1], b[1])]
}

/// A claim on single elements: masked by a random product, and opened.
fn last<F: Field>(
    talk: &mut Talk<'_, '_, '_>,
    field: F,
    [f, g]: [Pair; 2],
    claim: Pair,
) -> Result<(), SharingError> {
    let mask = talk.random(field);
    let summand = product(field, mask, g);
    let masked = talk.share(field, &[summand])?[0];
    let t = talk.coin()?.elements(field, 1)[0];
    let along = |a: Pair, b: Pair| [0, 1].map(|c| field.add(field.mul(t, a[c]), b[c]));
    let opened = talk.open(field, along(f, mask))?;
    let [claimed, found] = [along(claim, masked), g.map(|g| field.mul(opened, g))];
    talk.claim_zero(&[sub(field, claimed, found)], |a, b| field.sub(a, b));
    Ok(())
}

/// A role's summand of a product.
#[inline(always)]
fn product<F: Field>(field: F, a: Pair, b: Pair) -> u64 {
    let sum = field.plus(F::NONE, a[0], field.add(b[0], b[1]));
    field.total(field.plus(sum, a[1], b[0]))
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

/// A random point: what each block, and each point of the grid, counts for there.
pub(super) struct Point {
    pub blocks: Vec<u64>,
    pub points: Vec<u64>,
}

impl Point {
    pub fn new<F: Field>(field: F, challenge: &mut Challenge, variables: usize) -> Self {
        let one = field.random(1);
        let (mut blocks, mut points) = (vec![one], vec![one]);
        for r in challenge.elements(field, variables) {
            let rest = field.sub(one, r);
            let infinity = field.mul(r, field.sub(r, one));
            let times = |weights: &[u64], by: &[u64]| -> Vec<u64> {
                let each = |by: &u64| weights.iter().map(|w| field.mul(*w, *by)).collect();
                by.iter().flat_map::<Vec<u64>, _>(each).collect()
            };
            blocks = times(&blocks, &[rest, r]);
            points = times(&points, &[rest, r, infinity]);
        }
        Point { blocks, points }
    }

    /// The value there of what has these values on the grid.
    pub fn claim<F: Field>(&self, field: F, values: &[Pair]) -> Pair {
        let mut claim = [0; 2];
        for (value, weight) in values.iter().zip(&self.points) {
            claim = [0, 1].map(|c| field.add(claim[c], field.mul(value[c], *weight)));
        }
        claim
    }
}

/// The blocks of a vector, each as much as it counts for; padded for the next level.
fn fold<F: Field>(field: F, point: &Point, run: &[u64], blocks: usize) -> Buffer<u64> {
    let mut folded = Buffer::zeros(padded(blocks));
    let weights: Vec<u64> = point.blocks.iter().map(|weight| field.weight(*weight)).collect();
    let to = &mut folded[..blocks];
    match weights.len() {
        2 => simd::run(Fold::<F, 2> { field, weights: &weights, run, folded: to }),
        _ => simd::run(Fold::<F, 4> { field, weights: &weights, run, folded: to }),
    }
    folded
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
