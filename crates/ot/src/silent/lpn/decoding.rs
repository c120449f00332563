//! Published attacks by decoding: codes are taken as random and dense.
//!
//! Sources: H. Liu, X. Wang, K. Yang, Y. Yu (EUROCRYPT 2024, ePrint 2022/712) for noise that is not regular; A. Esser,
//! P. Santini (CRYPTO 2024, ePrint 2023/1568) for information sets of regular noise; E. Carozza, G. Couteau, A. Joux
//! (EUROCRYPT 2023) for collisions in halves; a public script of 2026 for eliminations shared between guesses.

use super::{DENSE, Shape, choose, least, sum};

/// Secrets from as many samples without noise: pooled Gauss.
pub(super) fn gauss(Shape { samples: n, secrets: k, blocks: t }: Shape) -> f64 {
    DENSE * k.min(n - k).log2() - (choose(n - k, t) - choose(n, t))
}

/// Statistical decoding.
pub(super) fn statistical(Shape { samples: n, secrets: k, blocks: t }: Shape) -> f64 {
    if n - k - t <= 0.0 {
        return f64::INFINITY;
    }
    (k + 1.0).log2() + 2.0 * t * ((n - t + 1.0) / (n - k - t)).log2()
}

/// Statistical decoding with a Fourier transform that costs nothing.
pub(super) fn statistical_2(shape: Shape) -> f64 {
    let secrets = (shape.secrets - gauss(shape).floor()).max(1.0);
    statistical(Shape { secrets, ..shape })
}

/// Information sets, by Stern and Dumer.
pub(super) fn stern_dumer(Shape { samples: n, secrets: k, blocks: t }: Shape) -> f64 {
    let mut best = f64::INFINITY;
    for p in (0..(t as usize).min(60)).step_by(2) {
        let p = p as f64;
        let start = (choose((k + 2.0) / 2.0, p / 2.0).floor() as i64).max(2);
        let top = (n - k - 8.0).min((start + 60) as f64) as i64;
        let at = least(((start - 40).max(2)..top).step_by(2).map(|l| {
            let l = l as f64;
            let lists = choose((k + l) / 2.0, p / 2.0);
            let left = n - k - l;
            let work = sum([(left * n / left.log2()).log2(), 1.0 + lists, 1.0 + 2.0 * lists - l]);
            let chance = 2.0 * lists + choose(left, t - p) - choose(n, t);
            n.log2() + work - chance.min(0.0)
        }));
        best = best.min(at);
        if at > best + 30.0 {
            break;
        }
    }
    best
}

/// Information sets of regular noise, without lists.
pub(super) fn permutation(shape: Shape) -> f64 {
    let Shape { samples: n, secrets: k, blocks: t } = shape.cut();
    2.0 * (n - k + t).log2() + n.log2() - t * (1.0 - (k - t) / n).log2()
}

/// log2 of the probability that `p` errors, half of them in each half of the blocks, are among so many samples, and of
/// the length of a list of such halves.
pub(super) fn halves(blocks: f64, samples: f64, block: f64, p: f64) -> [f64; 2] {
    let each = samples / blocks;
    if each >= block || p > blocks {
        return [f64::NEG_INFINITY, f64::INFINITY];
    }
    let [first, second] = [(blocks / 2.0).floor(), (blocks / 2.0).ceil()];
    let places = choose(first, p / 2.0) + choose(second, p / 2.0);
    let part = each / block;
    let chance = places + p * part.log2() + (blocks - p) * (1.0 - part).log2();
    // No errors: one way, even where there are no samples.
    let list = choose(blocks / 2.0, p / 2.0) + if p > 0.0 { p / 2.0 * each.log2() } else { 0.0 };
    [chance, list]
}

/// Information sets of regular noise, with lists of enumerated halves.
pub(super) fn enumeration(shape: Shape) -> f64 {
    let Shape { samples: n, secrets: k, blocks: t } = shape.cut();
    let (inside, block) = (k - t, n / t);
    least((0..30).step_by(2).flat_map(|p| {
        let p = f64::from(p);
        let middle = halves(t, inside, block, p)[1].max(2.0);
        let checks =
            (middle / 2.0).ceil() as i64..((1.5 * middle).round_ties_even()).min(n - inside) as i64;
        checks.map(move |l| {
            let l = l as f64;
            let [chance, list] = halves(t, inside + l, block, p);
            n.log2() + (2.0 * (n - inside).log2()).max(1.0 + list).max(2.0 * list - l) - chance
        })
    }))
}

/// Information sets of regular noise, with representations of depth two.
pub(super) fn representations(shape: Shape) -> f64 {
    let Shape { samples: n, secrets: k, blocks: t } = shape.cut();
    let (inside, block) = (k - t, n / t);
    let mut best = f64::INFINITY;
    for (p, e) in (0..40).step_by(4).flat_map(|p| (0..32).step_by(2).map(move |e| (p, e))) {
        let [p, e] = [p, e].map(f64::from);
        if p / 2.0 + e > t || t / 2.0 - p / 2.0 < e / 2.0 {
            continue;
        }
        let half = p / 4.0 + e / 2.0;
        let middle = 2.0 * (choose(t / 2.0, half) + half * (inside / t).max(1.0).log2());
        let checks = (middle / 2.0).floor() as i64..(1.5 * middle).floor() as i64;
        for l in checks.step_by(((middle / 60.0) as usize).max(1)) {
            let l = l as f64;
            let each = (inside + l) / t;
            if each >= block {
                break;
            }
            let ways = choose(p / 2.0, p / 4.0) + choose(t / 2.0 - p / 2.0, e / 2.0);
            let known = (2.0 * ways).floor();
            let first = choose(t / 2.0, half) + half * each.log2();
            let merged = 2.0 * first - known;
            let last = 2.0 * merged - (l - known);
            let work = (2.0 * (n - inside).log2()).max(2.0 + first).max(1.0 + merged).max(last);
            best = best.min(n.log2() + work - halves(t, inside + l, block, p)[0]);
        }
    }
    best
}

/// Collisions between halves of the blocks.
pub(super) fn collisions_in_halves(Shape { samples: n, secrets: k, blocks: t }: Shape) -> f64 {
    let without = 2.0 * (n - k).log2() + n.log2() + t * (1.0 - t / n) * ((n - t) / (n - k)).log2();
    let middle = (n / t).log2() * t * k / (2.0 * n);
    let some = (75..150).map(|i| {
        let l = middle * f64::from(i) / 100.0;
        let inside = k - (1.0 - (l + k) / n) / (1.0 - t / n) * t;
        if l <= 0.0 || l >= n - inside {
            return f64::INFINITY;
        }
        let list = t * (inside + l) / (2.0 * n) * (n / t).log2();
        sum([2.0 * (n - inside).log2(), 1.0 + list, 2.0 * list - l])
    });
    least(some).min(without)
}

/// Pooled guesses in stages, which share eliminations; a pool of four times as many samples as secrets.
pub(super) fn staged(Shape { samples: n, secrets: k, blocks: t }: Shape) -> f64 {
    let pool = n.min(4.0 * k);
    let chance = |x: f64| t * (1.0 - (x / n).min(1.0 - 1e-12)).log2();
    let inside = k - t;
    let work = |m: f64, x: f64, last: bool| {
        let more = if last { m * x } else { x * x * (m - x) + x * (m - x) * (m - x) };
        (x.powf(DENSE) + more).log2()
    };
    least((1..40).map(|step| {
        let limit = f64::from(step) * DENSE * inside.log2() / 40.0 - chance(inside);
        let (mut at, mut parts) = (0.0, Vec::new());
        while at < inside && parts.len() < 400 {
            let (mut low, mut high) = (0i64, (inside - at) as i64);
            while low < high {
                let x = (low + high + 1) / 2;
                let cost = work(pool - at, x as f64, false) - chance(at + x as f64);
                (low, high) = if cost < limit { (x, high) } else { (low, x - 1) };
            }
            if low == 0 {
                break;
            }
            parts.push(low as f64);
            at += low as f64;
        }
        if at < inside {
            parts.push(inside - at);
        }
        let (mut at, mut total, mut chances) = (0.0, f64::NEG_INFINITY, Vec::new());
        for (i, x) in parts.iter().enumerate() {
            let cost = work(pool - at, *x, i + 1 == parts.len());
            total = sum([total, cost - chance(at + x)]);
            chances.push((chance(at + x) - chance(at)).exp2());
            at += x;
        }
        let good = chances.iter().rev().fold(1.0, |good: f64, p| {
            if p * good < 1.0 { -((-p * good).ln_1p() / p).exp_m1() } else { 1.0 }
        });
        total - good.log2()
    }))
}
