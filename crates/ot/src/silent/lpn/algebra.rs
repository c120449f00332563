//! Attacks by equations: the product of two noise bits of a block is zero.
//!
//! Sources: P. Briaud, M. Øygarden (EUROCRYPT 2023, ePrint 2023/176) for Macaulay matrices; ePrint 2025/1476 for
//! eliminations that guesses share, and 2025/1284 for the hybrid attack, both by the formulas of their authors' public
//! scripts. [`sparse`] is derived here: equations of rows inside a set of secrets stay sparse.

use super::sparse::random_part;
use super::{DENSE, Shape, choose, least, sum};

/// The highest degree of equations.
const MOST: usize = 4;

/// Coefficients up to the degree of the product of `(1 + size z)^count` over blocks, over `(1 + z)^equations`.
fn series(blocks: &[[f64; 2]], equations: f64, degree: usize) -> [f64; MOST + 1] {
    let mut out = [1.0, 0.0, 0.0, 0.0, 0.0];
    let times = |out: [f64; MOST + 1], by: [f64; MOST + 1]| {
        std::array::from_fn(|j| (0..=j).map(|i| out[i] * by[j - i]).sum())
    };
    for [size, count] in blocks {
        let mut by = [1.0, 0.0, 0.0, 0.0, 0.0];
        for j in 1..=degree {
            by[j] = by[j - 1] * (count - j as f64 + 1.0).max(0.0) / j as f64 * size;
        }
        out = times(out, by);
    }
    let mut by = [1.0, 0.0, 0.0, 0.0, 0.0];
    for j in 1..=degree {
        by[j] = by[j - 1] * -(equations + j as f64 - 1.0) / j as f64;
    }
    out = times(out, by);
    out[degree + 1..].fill(0.0);
    out
}

/// Monomials of degrees from one on, where `zeros` places are guessed in `guessed` blocks, and what equations leave of
/// them.
fn sizes(shape: Shape, [guessed, zeros]: [f64; 2], degree: usize) -> [f64; 2] {
    let Shape { samples: n, secrets: k, blocks: t } = shape;
    let b = shape.block();
    let blocks = [[b - zeros - 1.0, guessed], [b - 1.0, t - guessed]];
    [0.0, n - k - 1.0].map(|equations| series(&blocks, equations, degree)[1..].iter().sum())
}

/// Guesses that reach a degree, the fewest places for each number of blocks and some more.
fn guesses(shape: Shape, degree: usize) -> Vec<[f64; 2]> {
    let Shape { secrets: k, blocks: t, .. } = shape;
    let b = shape.block();
    let solved =
        |guessed: usize, zeros: i64| sizes(shape, [guessed as f64, zeros as f64], degree)[1] < 1.0;
    if solved(0, 0) {
        return vec![[0.0, 0.0]];
    }
    let blocks = t as usize;
    let some = (1..=60).map(|i| (t * f64::from(i) / 60.0).round_ties_even() as usize);
    let mut some: Vec<usize> =
        some.chain(blocks.saturating_sub(4).max(1)..=blocks).filter(|f| *f > 0).collect();
    some.sort_unstable();
    some.dedup();
    let mut out = Vec::new();
    for guessed in some {
        // Beyond that the series that was cut off grows again.
        let most = ((k + 1.0 - t) / guessed as f64).floor().max(0.0).min(b - 1.0) as i64;
        let top = (most + 1).min(b as i64 - 1);
        let mut high = if solved(guessed, most) { most } else { top };
        if high < 1 || !solved(guessed, high) {
            continue;
        }
        let mut low = 0;
        while high - low > 1 {
            let middle = (low + high) / 2;
            (low, high) = if solved(guessed, middle) { (low, middle) } else { (middle, high) };
        }
        let scaled = |by: f64| (by * high as f64).round_ties_even() as i64;
        for zeros in [high, high + 1, high + 2, scaled(1.1), scaled(1.25)] {
            let zeros = zeros.min(top) as f64;
            if guessed as f64 * zeros < k + 1.0 {
                out.push([guessed as f64, zeros]);
            }
        }
    }
    out
}

/// log2 of the probability that guesses are right.
fn right(shape: Shape, [guessed, zeros]: [f64; 2]) -> f64 {
    guessed * (1.0 - zeros / shape.block()).log2()
}

/// Equations of a degree, after guesses of places without noise.
pub(super) fn guessed(shape: Shape) -> f64 {
    least((2..=MOST).flat_map(|degree| {
        guesses(shape, degree).into_iter().map(move |at| {
            let monomials = sizes(shape, at, degree)[0];
            let each = (3.0 * (shape.secrets + 1.0 - at[0] * at[1])).log2();
            2.0 * monomials.log2() + each - right(shape, at)
        })
    }))
}

/// Equations of a degree after two steps of guesses, the second of which share what the first eliminates.
pub(super) fn guessed_twice(shape: Shape) -> f64 {
    let Shape { secrets: k, blocks: t, .. } = shape;
    let b = shape.block();
    let mut best = f64::INFINITY;
    for degree in 2..=MOST {
        let all = guesses(shape, degree);
        if let [[0.0, 0.0]] = all[..] {
            let monomials = sizes(shape, [0.0, 0.0], degree)[0];
            best = best.min(2.0 * monomials.log2() + (3.0 * (k + 1.0)).log2());
            continue;
        }
        let blocks = (1..=24).map(|i| (t * f64::from(i) / 24.0).round_ties_even().max(2.0));
        let places = || (0..60).map(|i| (f64::from(i) / 3.0).exp2().round_ties_even());
        let first: Vec<_> = blocks
            .flat_map(|f| places().map(move |m| [f, m]))
            .filter(|[f, m]| *m < b && f * m <= k)
            .map(|at| {
                let [monomials, left] = sizes(shape, at, degree);
                let left = left.max(1.0);
                let gone = (monomials - left).max(2.0);
                let dense = |of: f64| 5.64f64.log2() + DENSE * of.log2();
                let sparse = monomials.log2() + 2.0 * gone.log2() - gone.log2().log2();
                (at, dense(monomials).min(sparse) - right(shape, at), dense(left.min(gone)))
            })
            .collect();
        for at in all {
            let chance = right(shape, at);
            let before = first.iter().filter(|([f, m], ..)| *f <= at[0] && *m <= at[1]);
            best = best.min(least(before.map(|(_, once, each)| sum([*once, each - chance]))));
        }
    }
    best
}

/// Guessed zeros, then quadratic equations by linearisation.
pub(super) fn hybrid(shape: Shape) -> f64 {
    let shape = shape.cut();
    let [n, k, t] = [shape.samples, shape.secrets, shape.blocks].map(|x| x as i64);
    let hybrid = Hybrid { n, k, t, b: n / t };
    least((0..(t - 1).min(64)).map(|q| hybrid.best(q)))
}

struct Hybrid {
    n: i64,
    k: i64,
    t: i64,
    b: i64,
}

impl Hybrid {
    /// With `q` blocks tried out: the best number of guesses, by a grid that gets finer.
    fn best(&self, q: i64) -> f64 {
        let Hybrid { k, t, b, .. } = *self;
        let top = (k - t + 1).min((b - 3) * (t - q));
        let cheapest = |places: &mut dyn Iterator<Item = i64>| {
            let costs = places.map(|g| (g, self.cost(q, g)));
            costs.min_by(|a, b| a.1.total_cmp(&b.1)).map_or(0, |(g, _)| g)
        };
        let grid = |i: i64| (top as f64 * i as f64 / 150.0).round_ties_even() as i64;
        let mut at = cheapest(&mut (0..=150).map(grid));
        let mut step = (top / 150).max(1);
        loop {
            let near = (at - 2 * step).max(0)..=(at + 2 * step).min(top);
            at = cheapest(&mut near.step_by((step / 4).max(1) as usize));
            if step == 1 {
                break;
            }
            step = (step / 4).max(1);
        }
        // Nothing left but the blocks that are tried out.
        let edge = k - t - (b - 1) * q;
        let last = ((edge - 40).max(0)..=top.min(edge)).map(|g| self.cost(q, g));
        least(last).min(self.cost(q, at))
    }

    fn cost(&self, q: i64, guessed: i64) -> f64 {
        let Hybrid { n, k, t, b } = *self;
        let (each, more) = (guessed / (t - q), guessed % (t - q));
        if each >= b - 2 || n - t - more - (t - q) * each <= 0 {
            return f64::INFINITY;
        }
        let plain = (t - q - more) as f64;
        let [each_f, more_f, b_f] = [each, more, b].map(|x| x as f64);
        let chance =
            more_f * (1.0 - (each_f + 1.0) / b_f).log2() + plain * (1.0 - each_f / b_f).log2();
        let left = (k - t - guessed) as f64;
        let equations = n - k;
        let rest = (equations - equations / (b - 1) * (b - each - 2)) as f64;
        let once = (rest * equations as f64 * (rest + left)).max(1.0).log2();
        if left <= 0.0 {
            return once - chance;
        }
        let pairs = |free: f64| free * (free + 1.0) / 2.0;
        let quadratic = plain * pairs(b_f - each_f - 2.0) + more_f * pairs(b_f - each_f - 3.0);
        let tried = ((b - 1) * q) as f64;
        let v = left - tried;
        if v < 0.0 || v > (2.0 * quadratic).sqrt() - 2.0 {
            return f64::INFINITY;
        }
        let trials = q as f64 * b_f.log2();
        if v == 0.0 {
            return sum([once, 0.0, trials]) - chance;
        }
        let linear = (v.powi(4) * left * left / 8.0 / (v * v / 2.0).max(2.0).log2()).log2();
        let each_trial = 1.25 * (2.0 * v * v * tried + v * tried * tried)
            + (2.5 * v).powi(3) / (2.5 * v).max(2.0).log2();
        sum([once, linear.max(0.0), each_trial.max(1.0).log2() + trials]) - chance
    }
}

/// Equations in the secrets of a set `S`, which stay sparse there: over sizes of `S`, its rows taken at random.
pub(super) fn sparse(shape: Shape, names: f64) -> f64 {
    let Shape { samples: n, secrets: k, blocks: t } = shape;
    let (b, low) = (n / t, random_part(shape, names));
    let mut best = f64::INFINITY;
    for (i, degree) in (0..=40).flat_map(|i| (2..=MOST).map(move |degree| (i, degree))) {
        let part = low + (1.0 - low) * f64::from(i) / 40.0;
        // Secrets of the set, and rows of a block inside it.
        let (inside, rows) = (part * k, b * part.powf(names));
        let solved = |zeros: f64| {
            let all = series(&[[rows - zeros, t]], t * rows - inside, degree);
            all[1..].iter().sum::<f64>() < 1.0
        };
        if !solved(rows * 0.999) {
            continue;
        }
        let [mut from, mut zeros] = [0.0, rows * 0.999];
        for _ in 0..40 {
            let middle = (from + zeros) / 2.0;
            [from, zeros] = if solved(middle) { [from, middle] } else { [middle, zeros] };
        }
        if solved(0.0) {
            zeros = 0.0;
        }
        let (zeros, degree) = (zeros.min(inside / t), degree as f64);
        let wiedemann = (2.0 * names).log2() + 2.0 * choose(inside + degree, degree);
        let left = (inside - zeros * t).max(1.0);
        let dense = (DENSE * choose(left + degree, degree)).max(2.0 * inside.log2());
        best = best.min(wiedemann.min(dense) - t * (1.0 - zeros / b).log2());
    }
    best
}
