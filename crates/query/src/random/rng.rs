//! Random choices that follow from a seed.

use std::ops::RangeInclusive;

/// Random numbers by SplitMix64 (Steele, Lea and Flood 2014): they say nothing about security.
pub(super) struct Rng(u64);

impl Rng {
    /// The numbers of a seed.
    pub(super) fn new(seed: u64) -> Self {
        Rng(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut word = self.0;
        word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        word ^ (word >> 31)
    }

    /// A number below another one, which is not zero.
    pub(super) fn below(&mut self, end: usize) -> usize {
        (self.next() % end as u64) as usize
    }

    /// A number of a range.
    pub(super) fn of(&mut self, range: RangeInclusive<i128>) -> i128 {
        let size = (range.end() - range.start() + 1) as usize;
        range.start() + self.below(size) as i128
    }

    /// True in so many cases of 100.
    pub(super) fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    /// One of several things, of which there is at least one.
    pub(super) fn pick<'t, T>(&mut self, things: &'t [T]) -> &'t T {
        &things[self.below(things.len())]
    }
}
