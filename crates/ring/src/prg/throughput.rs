//! How fast this CPU makes randomness.

use super::Prg;
use crate::secret::Key;
use std::hint::black_box;
use std::time::{Duration, Instant};

/// A buffer of so many bytes fits the first-level cache of every current CPU.
const BUFFER: usize = 16 << 10;

/// So many fills make a timed run, which stays well below a scheduler's slice.
const FILLS: usize = 64;

/// Measures the bytes per second of [`Prg::fill`] on one thread into a buffer in the first-level cache, with
/// the fastest backend. It takes the best of many short runs within about `duration`, so that other load
/// on the machine does not count.
#[must_use]
pub fn throughput(duration: Duration) -> f64 {
    let prg = Prg::new(&Key::from_bytes([0; Key::LEN]));
    let mut buffer = vec![0; BUFFER];
    let mut position = 0;
    let mut best = Duration::MAX;
    let start = Instant::now();
    while start.elapsed() < duration {
        let run = Instant::now();
        for _ in 0..FILLS {
            prg.fill(0, position, black_box(&mut buffer));
            position += (BUFFER / super::BLOCK) as u64;
        }
        best = best.min(run.elapsed());
    }
    (FILLS * BUFFER) as f64 / best.as_secs_f64()
}
