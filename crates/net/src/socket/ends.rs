//! What all threads of one party share in a session over sockets.

use super::kept::Kept;
use super::wire::Wire;
use super::{Limits, Stopper};
use crate::error::NetError;
use crate::frame;
use crate::session::{Kind, abort_payload};
use crate::session_state::SessionState;
use crate::types::{PartyId, Peer, Peers, Place, Stream};
use rustix::event::{EventfdFlags, eventfd};
use std::collections::VecDeque;
use std::os::fd::OwnedFd;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// How long a thread whose data connection broke waits for the control connections to say why.
const REASON_PATIENCE: Duration = Duration::from_millis(500);

/// Control messages received and not taken yet, by peer.
pub(crate) type Inbox = Vec<VecDeque<(Kind, Vec<u8>)>>;

pub(crate) struct Ends {
    pub(crate) me: PartyId,
    pub(crate) peers: Peers,
    pub(crate) limits: Limits,
    pub(crate) stopper: Stopper,
    /// What all meshes keep for later.
    pub(crate) kept: Kept,
    pub(crate) started: Instant,
    pub(crate) state: SessionState,
    pub(crate) inbox: Mutex<Inbox>,
    pub(crate) arrived: Condvar,
    /// Frames for the control thread to send, with their receiver.
    pub(crate) outbox: Mutex<Vec<(usize, Vec<u8>)>>,
    pub(crate) wake: OwnedFd,
    /// The control thread is to send what there is and end.
    pub(crate) closing: AtomicBool,
    /// Connections of meshes that ended; they close with the session.
    parked: Mutex<Vec<Wire>>,
}

impl Ends {
    pub(crate) fn new(
        me: PartyId,
        peers: Peers,
        limits: Limits,
        stopper: Stopper,
        workers: usize,
    ) -> Result<Ends, NetError> {
        let wake = eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK).map_err(|e| {
            NetError::Configuration(format!(
                "cannot open an event descriptor: {}",
                std::io::Error::from(e)
            ))
        })?;
        Ok(Ends {
            inbox: Mutex::new(peers.iter().map(|_| VecDeque::new()).collect()),
            me,
            peers,
            kept: Kept::new(limits.kept_bytes, workers),
            limits,
            stopper,
            started: Instant::now(),
            state: SessionState::default(),
            arrived: Condvar::new(),
            outbox: Mutex::default(),
            wake,
            closing: AtomicBool::new(false),
            parked: Mutex::default(),
        })
    }

    pub(crate) fn peer(&self, index: usize) -> Arc<Peer> {
        self.peers[index].clone()
    }

    pub(crate) fn lock_inbox(&self) -> MutexGuard<'_, Inbox> {
        self.inbox.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Gives a frame for each peer to the control thread.
    pub(crate) fn tell_all(&self, kind: Kind, payload: &[u8]) {
        let frame = frame::encode(kind, payload);
        let mut outbox = self.outbox.lock().unwrap_or_else(PoisonError::into_inner);
        for peer in self.peers.iter().filter(|p| p.id != self.me) {
            outbox.push((peer.id.index(), frame.clone()));
        }
        drop(outbox);
        self.wake();
    }

    /// Makes the control thread look around.
    pub(crate) fn wake(&self) {
        // Fails only when the counter is full: then it is awake.
        let _ = rustix::io::write(&self.wake, &1u64.to_ne_bytes());
    }

    /// Ends the session for all threads of this party, and tells the peers if nothing had ended it
    /// before. A peer's own abort is not passed on: that peer told everybody.
    pub(crate) fn stop(&self, reason: &str, cause: NetError) {
        let cause_is_here = !matches!(cause, NetError::PeerAborted { .. });
        let payload = abort_payload(reason, &cause);
        let first = self.state.end(cause);
        self.arrived.notify_all();
        if first && cause_is_here {
            self.tell_all(Kind::Abort, &payload);
        }
    }

    /// Keeps connections open until the session is over.
    pub(crate) fn park(&self, wires: impl Iterator<Item = Wire>) {
        self.parked.lock().unwrap_or_else(PoisonError::into_inner).extend(wires);
    }

    pub(crate) fn close_parked(&self) {
        self.parked.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }

    /// The error of a data connection that ended: what the control connections say about it, or
    /// else what the connection itself showed.
    pub(crate) fn lost(
        &self,
        peer: usize,
        stream: Stream,
        at: Place,
        broke: Option<String>,
    ) -> NetError {
        let since = Instant::now();
        while since.elapsed() < REASON_PATIENCE {
            if let Err(cause) = self.state.check() {
                return cause;
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        match broke {
            None => NetError::Closed { peer: self.peer(peer), stream, place: at },
            Some(why) => NetError::Network {
                peer: self.peer(peer),
                hint: format!("{why} (stream {stream}, {at})"),
            },
        }
    }
}
