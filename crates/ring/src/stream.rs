//! Stream numbers that are handed out once.
//!
//! A [`StreamId`] names one stream of a [`Prg`](crate::Prg). It cannot be copied, and the
//! cursor over a stream takes it by value: whoever holds a [`StreamIds`] cannot use
//! randomness twice under one key. All members of a key make one [`StreamIds`] for it and
//! ask it for the same steps in the same order. Inside a step the lane blocks have ids by
//! index, so that threads, and parties with different numbers of threads, stay in step:
//!
//! ```
//! # use tacit_ring::{Key, Prg, StreamIds};
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let prg = Prg::new(&Key::random()?);
//! let mut ids = StreamIds::new();
//! let blocks = ids.step()?.blocks(3)?; // one id per lane block, for any thread to use
//! for id in blocks {
//!     let mut words = [0u64; 8];
//!     prg.stream(id).fill(&mut words);
//! }
//! # Ok(())
//! # }
//! ```

use thiserror::Error;

/// Bits of a stream number that hold the block index.
const BLOCK_BITS: u32 = 24;

/// One step has at most so many lane blocks: 2^24.
pub const MAX_BLOCKS: u32 = 1 << BLOCK_BITS;

/// One [`StreamIds`] has at most so many steps before it is split: 2^40.
pub const MAX_STEPS: u64 = 1 << (64 - BLOCK_BITS);

/// A counter of stream numbers is at its limit; go on under a new key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum StreamsExhausted {
    /// The source has no steps left.
    #[error("all steps of this key's random streams are used: start a new session")]
    Steps,
    /// More lane blocks were asked for than one step has.
    #[error("a step has at most {MAX_BLOCKS} lane blocks, {0} were asked for")]
    Blocks(u32),
}

/// The number of one stream, to be used once. It is neither `Copy` nor `Clone`.
#[derive(Debug, PartialEq, Eq)]
pub struct StreamId(u64);

impl StreamId {
    /// Gives the stream number in the address of a block.
    #[must_use]
    pub fn number(&self) -> u64 {
        self.0
    }
}

/// A source of stream numbers under one key.
#[derive(Debug)]
pub struct StreamIds {
    next: u64,
    end: u64,
}

impl Default for StreamIds {
    fn default() -> Self {
        StreamIds::new()
    }
}

impl StreamIds {
    /// Makes a source of all [`MAX_STEPS`] steps. Make one per key: two would give the same numbers.
    #[must_use]
    pub fn new() -> StreamIds {
        StreamIds { next: 0, end: MAX_STEPS }
    }

    /// Gives the next step.
    ///
    /// # Errors
    /// When all steps are used.
    pub fn step(&mut self) -> Result<Step, StreamsExhausted> {
        if self.next == self.end {
            return Err(StreamsExhausted::Steps);
        }
        self.next += 1;
        Ok(Step(self.next - 1))
    }

    /// Gives the single stream of the next step.
    ///
    /// # Panics
    /// When all steps are used; [`step`](StreamIds::step) returns an error instead.
    #[allow(clippy::should_implement_trait)] // an iterator would end in silence at the limit
    pub fn next(&mut self) -> StreamId {
        self.step().expect("the steps of a key's random streams are used up").single()
    }

    /// Cuts the steps that are left into `workers` disjoint sources of equal size.
    ///
    /// All members of the key must split at the same point into the same number. A source
    /// that gets no steps fails at its first [`step`](StreamIds::step).
    #[must_use]
    pub fn split(self, workers: usize) -> Vec<StreamIds> {
        let size = (self.end - self.next).checked_div(workers as u64).unwrap_or(0);
        let start = |w: usize| self.next + w as u64 * size;
        (0..workers).map(|w| StreamIds { next: start(w), end: start(w + 1) }).collect()
    }

    /// Gives the number of steps that are left.
    #[must_use]
    pub fn remaining(&self) -> u64 {
        self.end - self.next
    }
}

/// One step: up to [`MAX_BLOCKS`] streams, one for each lane block. It is used once, by taking it.
#[derive(Debug)]
pub struct Step(u64);

impl Step {
    /// Gives the number of the step.
    #[must_use]
    pub fn number(&self) -> u64 {
        self.0
    }

    /// Gives the only stream of a step that has one block.
    #[must_use]
    pub fn single(self) -> StreamId {
        StreamId(self.0 << BLOCK_BITS)
    }

    /// Gives the streams of blocks `0..n`, in order.
    ///
    /// # Errors
    /// When `n` is more than [`MAX_BLOCKS`].
    pub fn blocks(self, n: u32) -> Result<Blocks, StreamsExhausted> {
        if n > MAX_BLOCKS {
            return Err(StreamsExhausted::Blocks(n));
        }
        let base = self.0 << BLOCK_BITS;
        Ok(Blocks { base, range: 0..n })
    }
}

/// The streams of one step's blocks: each is handed out once.
#[derive(Debug)]
pub struct Blocks {
    base: u64,
    range: std::ops::Range<u32>,
}

impl Iterator for Blocks {
    type Item = StreamId;

    fn next(&mut self) -> Option<StreamId> {
        let block = self.range.next()?;
        Some(StreamId(self.base | u64::from(block)))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.range.size_hint()
    }
}

impl ExactSizeIterator for Blocks {}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn no_number_comes_twice() {
        let mut ids = StreamIds::new();
        let mut seen = HashSet::new();
        assert!(seen.insert(ids.next().number()));
        for id in ids.step().unwrap().blocks(100).unwrap() {
            assert!(seen.insert(id.number()));
        }
        for mut worker in ids.split(7) {
            for _ in 0..3 {
                for id in worker.step().unwrap().blocks(5).unwrap() {
                    assert!(seen.insert(id.number()));
                }
            }
        }
        assert_eq!(seen.len(), 1 + 100 + 7 * 15);
    }

    #[test]
    fn workers_are_disjoint_to_their_ends() {
        let workers = StreamIds::new().split(3);
        for pair in workers.windows(2) {
            assert_eq!(pair[0].end, pair[1].next);
        }
        assert!(workers[2].end <= MAX_STEPS);
        let last = Step(MAX_STEPS - 1).blocks(MAX_BLOCKS).unwrap();
        assert_eq!(last.last(), Some(StreamId(u64::MAX)));
    }

    #[test]
    fn limits_are_errors() {
        let mut ids = StreamIds { next: MAX_STEPS - 1, end: MAX_STEPS };
        assert_eq!(ids.remaining(), 1);
        ids.step().unwrap();
        assert_eq!(ids.step().unwrap_err(), StreamsExhausted::Steps);
        for mut empty in ids.split(2) {
            assert_eq!(empty.step().unwrap_err(), StreamsExhausted::Steps);
        }
        assert!(StreamIds::new().split(0).is_empty());
        let step = StreamIds::new().step().unwrap();
        assert_eq!(
            step.blocks(MAX_BLOCKS + 1).unwrap_err(),
            StreamsExhausted::Blocks(MAX_BLOCKS + 1)
        );
    }

    #[test]
    #[should_panic(expected = "used up")]
    fn next_fails_loudly_at_the_limit() {
        let _ = StreamIds { next: MAX_STEPS, end: MAX_STEPS }.next();
    }
}
