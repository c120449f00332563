//! Sums of streams in registers: four generators at a time make some vectors of their streams, which are added to the
//! sums where they belong and are never written.

use super::lanes::Lanes;
use super::sums::{Task, run};
use super::{Kernel, RoundKeys};

/// Generators that run side by side, with two vectors each: they hide the latency of rounds.
const GROUP: usize = 4;

/// See [`Folds::sums`](crate::prg::Folds::sums): from the round keys of a block's generators, of which number zero may
/// be missing. Lengths were checked.
pub(in crate::prg) fn fold(
    kernel: Kernel,
    (bits, keys): (usize, &[RoundKeys]),
    stream: u64,
    total: &mut [u128],
    sums: &mut [u128],
) {
    let missing = keys.len() < 1 << bits;
    match bits {
        1 => run(kernel, Fold::<1> { keys, missing, stream, total, sums }),
        2 => run(kernel, Fold::<2> { keys, missing, stream, total, sums }),
        4 => run(kernel, Fold::<4> { keys, missing, stream, total, sums }),
        _ => run(kernel, Fold::<8> { keys, missing, stream, total, sums }),
    }
}

struct Fold<'l, const BITS: usize> {
    keys: &'l [RoundKeys],
    missing: bool,
    stream: u64,
    total: &'l mut [u128],
    sums: &'l mut [u128],
}

impl<const BITS: usize> Task for Fold<'_, BITS> {
    type Out = ();

    #[inline(always)]
    unsafe fn run<V: Lanes>(mut self) {
        let (mut at, len) = (0, self.total.len());
        // SAFETY: the caller found the features. There is room for as many vectors.
        unsafe {
            // With few registers, one vector at a time: others start before it is done.
            while V::COUNT == 4 && at + 2 * V::COUNT <= len {
                self.vectors::<V, 2>(at);
                at += 2 * V::COUNT;
            }
            while at + V::COUNT <= len {
                self.vectors::<V, 1>(at);
                at += V::COUNT;
            }
        }
    }
}

/// Some vectors of a stream.
type Run<V, const P: usize> = [V; P];

impl<const BITS: usize> Fold<'_, BITS> {
    /// The vectors from a block on.
    #[inline(always)]
    unsafe fn vectors<V: Lanes, const P: usize>(&mut self, at: usize) {
        // SAFETY: of the caller.
        unsafe {
            let zero = V::splat(0);
            let mut counters = [zero; P];
            for (i, counter) in counters.iter_mut().enumerate() {
                let first = u128::from(self.stream) << 64 | (at + i * V::COUNT) as u128;
                let numbers: [u128; 4] = [first, first + 1, first + 2, first + 3];
                *counter = V::load(&numbers[..V::COUNT]);
            }
            let mut sums = Added { total: [zero; P], bits: [[zero; P]; BITS] };
            let mut keys = self.keys;
            if self.missing {
                // Of the first group, all but the first.
                let first;
                (first, keys) = keys.split_at((1 << BITS.min(2)) - 1);
                match first {
                    [a, b, c] => sums.add(0, numbers([a, b, c], counters), 1),
                    [a] => sums.add_pair(numbers([a], counters), 1),
                    _ => (),
                }
            }
            let first = usize::from(self.missing);
            if BITS == 1
                && let [a, b] = keys
            {
                sums.add_pair(numbers([a, b], counters), 0);
            }
            for (group, keys) in (first..).zip(keys.as_chunks::<GROUP>().0) {
                sums.add(group, numbers(keys.each_ref(), counters), 0);
            }
            for i in 0..P {
                let at = at + i * V::COUNT;
                sums.total[i].store(&mut self.total[at..][..V::COUNT]);
                let lists = self.sums.chunks_exact_mut(self.total.len());
                for (list, bit) in lists.zip(&sums.bits) {
                    bit[i].store(&mut list[at..][..V::COUNT]);
                }
            }
        }
    }
}

/// What some generators give for some counters.
#[inline(always)]
unsafe fn numbers<V: Lanes, const P: usize, const S: usize>(
    keys: [&RoundKeys; S],
    counters: Run<V, P>,
) -> [Run<V, P>; S] {
    let mut runs = [counters; S];
    // SAFETY: the caller found the features.
    unsafe {
        for (run, keys) in runs.iter_mut().zip(keys) {
            let key = V::broadcast(&keys.0[0]);
            for block in run {
                *block = block.xor(key);
            }
        }
        for round in 1..10 {
            for (run, keys) in runs.iter_mut().zip(keys) {
                let key = V::broadcast(&keys.0[round]);
                for block in run {
                    *block = block.round(key);
                }
            }
        }
        for (run, keys) in runs.iter_mut().zip(keys) {
            let key = V::broadcast(&keys.0[10]);
            for block in run {
                *block = block.last_round(key);
            }
        }
    }
    runs
}

/// Sums so far.
struct Added<V, const P: usize, const BITS: usize> {
    total: Run<V, P>,
    bits: [Run<V, P>; BITS],
}

impl<V: Lanes, const P: usize, const BITS: usize> Added<V, P, BITS> {
    /// Adds the streams of a group of four generators, from one of them on.
    #[inline(always)]
    unsafe fn add<const S: usize>(&mut self, group: usize, runs: [Run<V, P>; S], first: usize) {
        // SAFETY: the caller found the features.
        unsafe {
            // No branches: what is computed for the second vectors would be moved behind them, and keys kept for it.
            let mut masks = [V::splat(0); BITS];
            for (bit, mask) in masks.iter_mut().enumerate().skip(2) {
                *mask = V::splat(((group >> (bit - 2) & 1) as u128).wrapping_neg());
            }
            for i in 0..P {
                let mut four = [V::splat(0); GROUP];
                for (to, run) in four[first..].iter_mut().zip(&runs) {
                    *to = run[i];
                }
                let [a, b, c, d] = four;
                let high = c.xor(d);
                let sum = a.xor(b).xor(high);
                self.total[i] = self.total[i].xor(sum);
                for (bit, to) in self.bits.iter_mut().enumerate() {
                    match bit {
                        0 => to[i] = to[i].xor(b).xor(d),
                        1 => to[i] = to[i].xor(high),
                        _ => to[i] = to[i].xor(sum.and(masks[bit])),
                    }
                }
            }
        }
    }

    /// Adds the streams of two generators, from one of them on.
    #[inline(always)]
    unsafe fn add_pair<const S: usize>(&mut self, runs: [Run<V, P>; S], first: usize) {
        // SAFETY: the caller found the features.
        unsafe {
            for i in 0..P {
                for (number, run) in (first..).zip(&runs) {
                    self.total[i] = self.total[i].xor(run[i]);
                    if number == 1 {
                        self.bits[0][i] = self.bits[0][i].xor(run[i]);
                    }
                }
            }
        }
    }
}
