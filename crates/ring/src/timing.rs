//! Whether the time of a computation tells anything about its secrets, for tests that measure it.
//!
//! Measurements of two classes of secrets are drawn by lot, so that whatever else happens on the machine falls on
//! both alike, and their means are compared by Welch's t-test, once with all measurements and again without the
//! slowest ones, which others' work has disturbed.
//!
//! Source: O. Reparaz, J. Balasch, I. Verbauwhede, "Dude, is my code constant time?" (DATE 2017).

use crate::entropy::{Rng, test_seed};
use std::hint::black_box;
use std::time::Instant;

/// A larger t than this says that the classes take different time. With the same time, one in 10^20 would be larger.
const SEEN: f64 = 10.0;
/// A difference is taken for real if it is seen this often in a row.
const TRIALS: usize = 3;
/// The shares of the fastest measurements that are compared, in percent.
const KEPT: [usize; 4] = [100, 95, 80, 50];

/// Measures whether `run` takes another time on secrets of one class than of the other, and prints the t-statistic of
/// each trial. `secret` makes a secret of the class that it is given.
///
/// The result means something in optimised builds, on a machine that does not do much else.
pub fn tells<S>(
    measurements: usize,
    mut secret: impl FnMut(bool, &mut Rng) -> S,
    mut run: impl FnMut(&mut S),
) -> bool {
    let mut rng = Rng(test_seed());
    let mut seen = || {
        let mut times = Vec::with_capacity(measurements);
        for _ in 0..measurements {
            let class = rng.word() & 1 == 1;
            let mut secret = black_box(secret(class, &mut rng));
            let start = Instant::now();
            run(black_box(&mut secret));
            times.push((start.elapsed().as_nanos() as f64, class));
        }
        let t = largest(times);
        eprintln!("|t| = {t:.1} of {measurements} measurements");
        t > SEEN
    };
    (0..TRIALS).all(|_| seen())
}

/// The largest |t| of all measurements and of the fastest ones.
fn largest(mut times: Vec<(f64, bool)>) -> f64 {
    times.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
    let kept = KEPT.map(|percent| welch(&times[..times.len() * percent / 100]).abs());
    kept.into_iter().fold(0.0, f64::max)
}

/// Welch's t of two classes.
fn welch(times: &[(f64, bool)]) -> f64 {
    let [zero, one] = [false, true].map(|class| {
        let these = times.iter().filter(|(_, of)| *of == class);
        let (count, sum) =
            these.clone().fold((0.0, 0.0), |(n, sum), (time, _)| (n + 1.0, sum + time));
        let mean: f64 = sum / count;
        let squares: f64 = these.map(|(time, _)| (time - mean).powi(2)).sum();
        (mean, squares / (count - 1.0) / count)
    });
    let deviation = (zero.1 + one.1).sqrt();
    // Too few to compare, or all the same.
    if deviation > 0.0 { (zero.0 - one.0) / deviation } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn means_are_compared_by_what_they_vary() {
        // Means 2 and 4, variances 1 and 4, three each.
        let both =
            [(1.0, false), (2.0, false), (3.0, false), (2.0, true), (4.0, true), (6.0, true)];
        let want = -2.0 / (5.0f64 / 3.0).sqrt();
        assert!((welch(&both) - want).abs() < 1e-9);
        assert_eq!(welch(&[(1.0, false), (1.0, false), (1.0, true), (1.0, true)]), 0.0);
        // One slow measurement hides what the others show.
        let quiet = (0..1000).map(|i| (100.0 + f64::from(i % 7) + f64::from(i % 2), i % 2 == 1));
        let noisy: Vec<_> = quiet.chain([(1e6, false)]).collect();
        assert!(welch(&noisy).abs() < 2.0 && largest(noisy) > 3.0);
    }

    /// Bits of a secret that are one, with or without a branch on each.
    fn ones(words: &[u64; 16], branches: bool) -> u64 {
        let bits = words.iter().flat_map(|word| (0..64).map(move |i| word >> i & 1));
        match branches {
            true => bits.fold(0, |sum, bit| if bit == 1 { black_box(sum) + 1 } else { sum }),
            false => bits.sum(),
        }
    }

    #[test]
    #[ignore = "measures time"]
    fn a_branch_on_a_secret_is_seen() {
        let words = |class: bool, rng: &mut Rng| {
            let mask = u64::from(class).wrapping_neg();
            std::array::from_fn(|_| rng.word() & mask)
        };
        assert!(tells(20_000, words, |words| _ = black_box(ones(words, true))));
        assert!(!tells(20_000, words, |words| _ = black_box(ones(words, false))));
    }
}
