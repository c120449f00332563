//! What known attacks on the noise of silent transfers cost, in log2 of bit operations.
//!
//! A round shows `N = t b` samples in `t` blocks (trees) of `b` (leaves), each a sum of `d` of `k` secrets plus
//! noise, of which there is one in every block. The code is public and random. Who solves this learns all choices of
//! the round, and of all later ones of its chain.
//!
//! Published estimators take rows to be dense. Rows of `d` names let an attacker look at a set `S` of secrets alone:
//! only rows inside it count, and as many of them as it has secrets are enough. [`sparse`] knows this, and the other
//! modules what is published for dense codes.
//!
//! Not modelled: memory and its latency, nearest neighbours inside `S`, quantum search, attacks on several rounds at
//! once.

mod algebra;
mod decoding;
mod sparse;
mod tests;

use libm::lgamma;
use std::f64::consts::LOG2_E;

/// Exponent of dense linear algebra.
const DENSE: f64 = 2.8;

/// The shape of a round.
#[derive(Clone, Copy, Debug)]
struct Shape {
    /// `N`.
    samples: f64,
    /// `k`.
    secrets: f64,
    /// `t`.
    blocks: f64,
}

impl Shape {
    fn new(samples: usize, secrets: usize, blocks: usize) -> Self {
        Shape { samples: samples as f64, secrets: secrets as f64, blocks: blocks as f64 }
    }

    /// Samples beyond blocks of the same length are dropped, with as many secrets.
    fn cut(self) -> Self {
        let samples = (self.samples / self.blocks).floor() * self.blocks;
        Shape { samples, secrets: self.secrets - (self.samples - samples), ..self }
    }

    /// Samples of a block.
    fn block(self) -> f64 {
        (self.samples / self.blocks).floor()
    }

    /// Gives the shape where the sum of every block is known: for attacks on noise that is not regular.
    fn without_sums(self) -> Self {
        let Shape { samples, secrets, blocks } = self;
        Shape { samples: samples - blocks, secrets: secrets - blocks, blocks }
    }
}

/// An attack, by its name in the literature or here, and its cost.
type Attack = (&'static str, f64);

/// All attacks on a local code with rows of so many names.
fn attacks(shape: Shape, names: usize) -> Vec<Attack> {
    let exact = shape.without_sums();
    let names = names as f64;
    let [random, peeled, least] = [
        sparse::random_part(shape, names),
        sparse::peeled_part(shape, names),
        sparse::least_part(shape, names),
    ];
    vec![
        ("gauss", decoding::gauss(exact)),
        ("sd", decoding::statistical(exact)),
        ("sd2", decoding::statistical_2(exact)),
        ("sd_isd", decoding::stern_dumer(exact)),
        ("perm", decoding::permutation(shape)),
        ("enum", decoding::enumeration(shape)),
        ("rep", decoding::representations(shape)),
        ("ccj", decoding::collisions_in_halves(shape)),
        ("rp", decoding::staged(shape)),
        ("agb", algebra::guessed(shape)),
        ("agb2", algebra::guessed_twice(shape)),
        ("hybrid", algebra::hybrid(shape)),
        ("stern", sparse::stern_on_all(shape)),
        ("sub_rand", sparse::subset(shape, names, random)),
        ("subset", sparse::subset(shape, names, peeled)),
        ("sub_stern", sparse::subset_stern(shape, names, peeled)),
        ("sub_floor", sparse::subset_stern(shape, names, least)),
        ("sparse_alg", algebra::sparse(shape, names)),
    ]
}

/// The cheapest attack.
fn level(shape: Shape, names: usize) -> Attack {
    let all = attacks(shape, names).into_iter();
    all.min_by(|a, b| a.1.total_cmp(&b.1)).expect("some attacks")
}

/// log2 of a binomial coefficient.
fn choose(n: f64, r: f64) -> f64 {
    if r < 0.0 || r > n {
        return f64::NEG_INFINITY;
    }
    (lgamma(n + 1.0) - lgamma(r + 1.0) - lgamma(n - r + 1.0)) * LOG2_E
}

/// log2 of the sum of what these are logarithms of.
fn sum<const N: usize>(logs: [f64; N]) -> f64 {
    let most = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    if most == f64::NEG_INFINITY {
        return most;
    }
    most + logs.iter().map(|log| (log - most).exp2()).sum::<f64>().log2()
}

/// The least of some costs; infinite if there are none.
fn least(costs: impl IntoIterator<Item = f64>) -> f64 {
    costs.into_iter().fold(f64::INFINITY, f64::min)
}
