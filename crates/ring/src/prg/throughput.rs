//! How fast this CPU makes randomness.

use super::Prg;
use crate::secret::Key;
use std::hint::black_box;
use std::time::{Duration, Instant};

/// Fits the first-level cache of every current CPU.
const BUFFER: usize = 16 << 10;

/// Bytes per second of [`Prg::fill`] on one thread into a buffer in the first-level cache,
/// measured for about `duration` with the fastest backend.
#[must_use]
pub fn throughput(duration: Duration) -> f64 {
    let prg = Prg::new(&Key::from_bytes([0; Key::LEN]));
    let mut buffer = vec![0; BUFFER];
    let mut position = 0;
    let start = Instant::now();
    loop {
        for _ in 0..64 {
            prg.fill(0, position, black_box(&mut buffer));
            position += (BUFFER / super::BLOCK) as u64;
        }
        let elapsed = start.elapsed();
        if elapsed >= duration {
            return (position as usize * super::BLOCK) as f64 / elapsed.as_secs_f64();
        }
    }
}
