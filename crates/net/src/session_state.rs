//! Whether one party's session is still going, or has ended and why.

use crate::error::{AbortKind, NetError};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// How often a waiting thread looks whether the session has ended.
pub(crate) const POLL_INTERVAL: Duration = Duration::from_millis(50);

/// The first cause that ended one party's session. All threads of the party share it.
#[derive(Default)]
pub(crate) struct SessionState {
    ended: AtomicBool,
    cause: Mutex<Option<NetError>>,
}

impl SessionState {
    /// Ends the session for every thread of this party. The first cause stays; says whether this was the first.
    pub(crate) fn end(&self, cause: NetError) -> bool {
        let mut slot = self.cause.lock().unwrap_or_else(PoisonError::into_inner);
        let first = slot.is_none();
        if first {
            *slot = Some(cause);
        }
        self.ended.store(true, Ordering::Release);
        first
    }

    /// Gives the cause as an error, once the session has ended.
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
