//! Virtual clocks and the occupation of directed links, in picoseconds.

use super::Compute;
use crate::link::LinkProfile;
use rustix::time::{ClockId, clock_gettime};
use std::collections::BTreeMap;
use std::ops::Bound::{Excluded, Unbounded};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::ThreadId;
use std::time::Duration;

/// The virtual clock of one mesh; its session can read it too.
#[derive(Clone, Default)]
pub(crate) struct Clock(Arc<AtomicU64>);

impl Clock {
    #[inline]
    pub(crate) fn ps(&self) -> u64 {
        self.0.load(Relaxed)
    }

    /// Moves the clock forward to `ps`; returns by how much.
    #[inline]
    pub(crate) fn advance_to(&self, ps: u64) -> u64 {
        let now = self.ps();
        if ps > now {
            self.0.store(ps, Relaxed);
        }
        ps.saturating_sub(now)
    }

    pub(crate) fn duration(&self) -> Duration {
        Duration::from_nanos(self.ps().div_ceil(1000))
    }
}

/// A directed link as its sender's streams and workers share it.
pub(crate) struct DirectedLink {
    pub(crate) byte_ps: u64,
    pub(crate) delay_ps: u64,
    busy: Mutex<Busy>,
}

/// When a link is taken. Threads use it in another order than that of their clocks: one whose clock is behind takes what others
/// have left free before.
#[derive(Default)]
struct Busy {
    /// Ends of spans by their beginnings. They do not touch each other.
    spans: BTreeMap<u64, u64>,
    /// Nothing is free before.
    forgotten_ps: u64,
}

/// Spans of a link that are told apart.
const SPANS: usize = 1 << 12;

impl Busy {
    /// Takes what is free from `now_ps` on, so long in all; returns when that ends.
    fn take(&mut self, now_ps: u64, takes: u64) -> u64 {
        let (mut at, mut left) = (now_ps.max(self.forgotten_ps), takes);
        loop {
            // The span that goes on then, or has just ended.
            let last = self.spans.range(..=at).next_back().map(|(begin, end)| (*begin, *end));
            let last = last.filter(|(_, end)| *end >= at);
            at = last.map_or(at, |(_, end)| end);
            if left == 0 {
                return at;
            }
            let next = self.spans.range((Excluded(at), Unbounded)).next();
            let next = next.map(|(begin, end)| (*begin, *end));
            let until = next.map_or(u64::MAX, |(begin, _)| begin).min(at.saturating_add(left));
            let begin = last.map_or(at, |(begin, _)| begin);
            let end = match next {
                Some((next, end)) if next == until => {
                    self.spans.remove(&next);
                    end
                }
                _ => until,
            };
            self.spans.insert(begin, end);
            left -= until - at;
            at = until;
            if left == 0 || until == u64::MAX {
                break;
            }
        }
        if self.spans.len() > SPANS
            && let Some((_, end)) = self.spans.pop_first()
        {
            self.forgotten_ps = end;
        }
        at
    }
}

impl DirectedLink {
    pub(crate) fn new(profile: &LinkProfile) -> DirectedLink {
        DirectedLink {
            byte_ps: profile.byte_ps(),
            delay_ps: profile.delay_ps(),
            busy: Mutex::default(),
        }
    }

    /// Occupies the link for `bytes` from `now_ps` on, while it is free; returns the departure, as if it were free from then on
    /// until they have left.
    #[inline]
    pub(crate) fn depart(&self, now_ps: u64, bytes: usize) -> u64 {
        if self.byte_ps == 0 {
            return now_ps;
        }
        let takes = self.byte_ps.saturating_mul(bytes as u64);
        let mut busy = self.busy.lock().unwrap_or_else(PoisonError::into_inner);
        busy.take(now_ps, takes) - takes
    }
}

/// Charges a thread's computing to a clock.
pub(crate) struct Charger {
    factor: Option<f64>,
    mark: Option<(ThreadId, u64)>,
}

impl Charger {
    pub(crate) fn new(compute: Compute) -> Charger {
        Charger {
            factor: match compute {
                Compute::Nothing => None,
                Compute::ThreadCpuTime(factor) => Some(factor.max(0.0)),
            },
            mark: None,
        }
    }

    /// Charges what this thread computed since [`Charger::resume`].
    #[inline]
    pub(crate) fn charge(&mut self, clock: &Clock) {
        if let Some(factor) = self.factor {
            let now = thread_cpu_ns();
            if let Some((thread, since)) = self.mark
                && thread == std::thread::current().id()
            {
                let ps = now.saturating_sub(since) as f64 * 1000.0 * factor;
                clock.advance_to(clock.ps().saturating_add(ps as u64));
            }
            self.mark = None;
        }
    }

    /// Computing counts from here.
    #[inline]
    pub(crate) fn resume(&mut self) {
        if self.factor.is_some() {
            self.mark = Some((std::thread::current().id(), thread_cpu_ns()));
        }
    }
}

fn thread_cpu_ns() -> u64 {
    let t = clock_gettime(ClockId::ThreadCPUTime);
    t.tv_sec as u64 * 1_000_000_000 + t.tv_nsec as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_comes_later_with_an_earlier_clock_takes_what_is_free() {
        let mut busy = Busy::default();
        // In the order of their clocks, each leaves when the one before has left.
        assert_eq!([busy.take(0, 10), busy.take(5, 10), busy.take(50, 10)], [10, 20, 60]);
        // Between them thirty are free.
        assert_eq!(busy.take(0, 10), 30);
        assert_eq!(busy.take(35, 5), 40);
        // Nine before the last one: five, and then ten.
        assert_eq!(busy.take(22, 25), 70);
        assert_eq!(busy.spans.into_iter().collect::<Vec<_>>(), [(0, 70)]);
        let mut busy = Busy::default();
        assert_eq!([busy.take(7, 0), busy.take(0, 5), busy.take(3, 0)], [7, 5, 5]);
    }

    #[test]
    fn as_much_leaves_as_the_link_carries_whatever_the_order() {
        // So close that many wait for others, and so few that all spans are kept.
        let mut busy = Busy::default();
        for clock in (0..3000u64).map(|i| i * 7919 % 3001 * 12) {
            assert!(busy.take(clock, 10) >= clock + 10);
        }
        let taken: u64 = busy.spans.iter().map(|(begin, end)| end - begin).sum();
        assert_eq!((taken, busy.forgotten_ps), (30_000, 0), "nothing leaves at the same time");
        let mut ordered = busy.spans.iter().zip(busy.spans.iter().skip(1));
        assert!(ordered.all(|((_, end), (begin, _))| end < begin));
        // Of more spans the first are forgotten, and what was free between them is not given away.
        let mut busy = Busy::default();
        (0..2 * SPANS as u64).for_each(|i| assert_eq!(busy.take(20 * i, 10), 20 * i + 10));
        assert!(busy.spans.len() == SPANS && busy.take(0, 10) > 20 * SPANS as u64 - 20);
    }
}
