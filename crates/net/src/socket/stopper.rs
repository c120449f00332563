//! Ending a session from a thread that has nothing to do with it.

use crate::error::AbortKind;
use crate::types::Phase;
use std::fmt;
use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

type End = Box<dyn Fn(AbortKind, &str) + Send>;

/// Ends a session, or its set-up, from any thread: for signals. Goes into
/// [`SessionConfig::stopper`](super::SessionConfig), or into a [`MemoryNetwork`](crate::memory::MemoryNetwork), where it ends
/// the sessions of all parties; copies stop the same session.
#[derive(Clone, Default)]
pub struct Stopper {
    inner: Arc<Inner>,
}

#[derive(Default)]
struct Inner {
    state: Mutex<State>,
    /// The phase that a mesh entered last, counted from 1.
    phase: AtomicU8,
}

#[derive(Default)]
struct State {
    stopped: Option<(AbortKind, String)>,
    end: Option<End>,
}

impl fmt::Debug for Stopper {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Stopper").finish_non_exhaustive()
    }
}

impl Stopper {
    /// Ends the session for everybody, now or as soon as its set-up begins. `reason` goes to the
    /// peers and must hold nothing secret. This party's calls fail with
    /// [`NetError::Stopped`](crate::NetError::Stopped); peers are told while the session is dropped.
    pub fn stop(&self, kind: AbortKind, reason: &str) {
        let mut state = self.inner.state.lock().unwrap_or_else(PoisonError::into_inner);
        if state.stopped.is_none() {
            state.stopped = Some((kind, reason.to_owned()));
            if let Some(end) = &state.end {
                end(kind, reason);
            }
        }
    }

    /// Gives the phase that the session has come to; none before it is set up.
    #[must_use]
    pub fn phase(&self) -> Option<Phase> {
        let phase = self.inner.phase.load(Ordering::Relaxed);
        phase.checked_sub(1).and_then(|phase| Phase::ALL.get(usize::from(phase)).copied())
    }

    pub(crate) fn enter(&self, phase: Phase) {
        self.inner.phase.store(phase as u8 + 1, Ordering::Relaxed);
    }

    /// From here on `end` is what ends the session.
    pub(crate) fn attach(&self, end: impl Fn(AbortKind, &str) + Send + 'static) {
        let mut state = self.inner.state.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((kind, reason)) = &state.stopped {
            end(*kind, reason);
        }
        state.end = Some(Box::new(end));
    }
}
