//! Attacks that know that rows are sparse. A set `S` of secrets is a part `f` of all; only rows inside it are used,
//! and as many of them as it has secrets. Costs of a try are those of block Wiedemann. Derived here, and tested on
//! instances that are solved.

use super::decoding::halves;
use super::{DENSE, Shape, least, sum};
use std::collections::BTreeSet;
use std::f64::consts::LOG2_E;
use tacit_ring::entropy::Rng;

/// The best number of errors among so many samples, found by collision of lists: the cost where a try takes `solve`.
fn stern(shape: Shape, inside: f64, solve: f64) -> f64 {
    let (t, block) = (shape.blocks, shape.samples / shape.blocks);
    least((0..26).step_by(2).map(|p| {
        let p = f64::from(p);
        let checks = 4.0 + halves(t, inside, block, p)[1].ceil();
        let [chance, list] = halves(t, inside + checks, block, p);
        let lists = match p > 0.0 {
            true => (2.0 * checks.max(1.0)).log2() + sum([list, 2.0 * list - checks]),
            false => 0.0,
        };
        sum([solve, lists]) - chance
    }))
}

/// On a code that is taken as dense: a try takes only as many samples as there are secrets.
pub(super) fn stern_on_all(shape: Shape) -> f64 {
    let inside = shape.secrets - shape.blocks;
    stern(shape, inside, DENSE * inside.log2())
}

/// A set of this part of the secrets, without errors among its rows.
pub(super) fn subset(shape: Shape, names: f64, part: f64) -> f64 {
    let inside = part * shape.secrets;
    let tries = -shape.blocks * (1.0 - inside / shape.samples).log2();
    (2.0 * names).log2() + 2.0 * inside.log2() + tries
}

/// A set of this part of the secrets, with a few errors among its rows, found by collision.
pub(super) fn subset_stern(shape: Shape, names: f64, part: f64) -> f64 {
    let inside = part * shape.secrets;
    stern(shape, inside, (3.0 * names).log2() + 2.0 * inside.log2())
}

/// The part of the secrets that a random set takes to have as many rows inside.
pub(super) fn random_part(Shape { samples, secrets, .. }: Shape, names: f64) -> f64 {
    (secrets / samples).powf(1.0 / (names - 1.0)).min(1.0)
}

/// The part that the smallest set takes that can exist, but for codes of probability 2^-40: a bound over all sets.
pub(super) fn least_part(shape: Shape, names: f64) -> f64 {
    let Shape { samples: n, secrets: k, .. } = shape;
    let possible = |f: f64| {
        let (rows, one) = (f * k / n, f.powf(names));
        if rows <= one {
            return true;
        }
        let more = rows * (rows / one).ln() + (1.0 - rows) * ((1.0 - rows) / (1.0 - one)).ln();
        let sets = k * (-f * f.log2() - (1.0 - f) * (1.0 - f).log2());
        sets + 40.0 >= n * more * LOG2_E
    };
    let top = random_part(shape, names);
    // Sets of fewer than eight secrets are left out.
    let at = |i: u32| top * f64::from(i) / 400.0;
    let first = (1..=400).find(|i| possible(at(*i).max(8.0 / k))).unwrap_or(400);
    let [mut low, mut high] = [at(first - 1), at(first)];
    for _ in 0..40 {
        let middle = (low + high) / 2.0;
        [low, high] = if possible(middle) { [low, middle] } else { [middle, high] };
    }
    high
}

/// The part that is left when the secret in the fewest rows is dropped again and again, until as many rows as secrets
/// are left: simulated on a small code, as it depends on samples per secret alone.
pub(super) fn peeled_part(shape: Shape, names: f64) -> f64 {
    let ratio = (10.0 * shape.samples / shape.secrets).round() / 10.0;
    peeled(2500, ratio, names as usize)
}

pub(super) fn peeled(secrets: usize, ratio: f64, names: usize) -> f64 {
    let mut rng = Rng(1);
    let count = (ratio * secrets as f64).round() as usize;
    let rows: Vec<BTreeSet<usize>> = (0..count).map(|_| some(&mut rng, secrets, names)).collect();
    let mut of = vec![Vec::new(); secrets];
    for (i, row) in rows.iter().enumerate() {
        row.iter().for_each(|secret| of[*secret].push(i));
    }
    let mut degrees: Vec<usize> = of.iter().map(Vec::len).collect();
    let mut order: BTreeSet<(usize, usize)> = degrees.iter().copied().zip(0..).collect();
    let (mut alive, mut inside) = (vec![true; count], count);
    while inside > order.len() {
        let (_, secret) = order.pop_first().expect("some secrets");
        for row in &of[secret] {
            if !std::mem::take(&mut alive[*row]) {
                continue;
            }
            inside -= 1;
            for other in &rows[*row] {
                if order.remove(&(degrees[*other], *other)) {
                    degrees[*other] -= 1;
                    order.insert((degrees[*other], *other));
                }
            }
        }
    }
    order.len() as f64 / secrets as f64
}

/// So many different numbers below a bound.
pub(super) fn some(rng: &mut Rng, below: usize, count: usize) -> BTreeSet<usize> {
    let mut set = BTreeSet::new();
    while set.len() < count {
        set.insert(rng.word() as usize % below);
    }
    set
}
