//! One party's session as a whole: still going, or ended and why.

use crate::error::{AbortKind, NetError};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// How often a waiting thread looks whether the session has ended.
pub(crate) const GLANCE: Duration = Duration::from_millis(50);

/// Shared by all threads of one party: the first cause that ended its session.
#[derive(Default)]
pub(crate) struct Fate {
    ended: AtomicBool,
    cause: Mutex<Option<NetError>>,
}

impl Fate {
    /// Ends the session for every thread of this party. The first cause stays; says whether this was it.
    pub(crate) fn end(&self, cause: NetError) -> bool {
        let mut slot = self.cause.lock().unwrap_or_else(PoisonError::into_inner);
        let first = slot.is_none();
        if first {
            *slot = Some(cause);
        }
        self.ended.store(true, Ordering::Release);
        first
    }

    /// The cause, once the session has ended.
    pub(crate) fn check(&self) -> Result<(), NetError> {
        if !self.ended.load(Ordering::Acquire) {
            return Ok(());
        }
        let slot = self.cause.lock().unwrap_or_else(PoisonError::into_inner);
        Err(slot.clone().unwrap_or_else(|| NetError::Stopped {
            kind: AbortKind::Failure,
            reason: "the session has ended".into(),
        }))
    }
}
