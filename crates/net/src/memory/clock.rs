//! Virtual clocks and the occupation of directed links, in picoseconds.

use super::Compute;
use crate::link::LinkProfile;
use rustix::time::{ClockId, clock_gettime};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
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
    free_ps: AtomicU64,
}

impl DirectedLink {
    pub(crate) fn new(profile: &LinkProfile) -> DirectedLink {
        DirectedLink {
            byte_ps: profile.byte_ps(),
            delay_ps: profile.delay_ps(),
            free_ps: AtomicU64::new(0),
        }
    }

    /// Occupies the link for `bytes` from `now_ps` or when it is free; returns the departure.
    #[inline]
    pub(crate) fn depart(&self, now_ps: u64, bytes: usize) -> u64 {
        if self.byte_ps == 0 {
            return now_ps;
        }
        let takes = self.byte_ps.saturating_mul(bytes as u64);
        let mut free = self.free_ps.load(Relaxed);
        loop {
            let departure = free.max(now_ps);
            let until = departure.saturating_add(takes);
            match self.free_ps.compare_exchange_weak(free, until, Relaxed, Relaxed) {
                Ok(_) => return departure,
                Err(now) => free = now,
            }
        }
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
