//! What all threads of one party share in a session over sockets.

use super::kept::Kept;
use super::wire::Wire;
use super::{Limits, Stopper};
use crate::error::NetError;
use crate::frame::{self, Kind};
use crate::session::abort_payload;
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

/// Frames for the control thread to send, with their receivers.
pub(crate) type Outbox = Vec<(usize, Vec<u8>)>;

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
    outbox: Mutex<Outbox>,
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
        self.put(&mut self.lock_outbox(), kind, payload);
        self.wake();
    }

    pub(crate) fn lock_outbox(&self) -> MutexGuard<'_, Outbox> {
        self.outbox.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn put(&self, outbox: &mut Outbox, kind: Kind, payload: &[u8]) {
        let frame = frame::encode(kind, payload);
        for peer in self.peers.iter().filter(|p| p.id != self.me) {
            outbox.push((peer.id.index(), frame.clone()));
        }
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
        // Whoever sees that the session has ended may close it at once. The control thread takes the outbox once more then,
        // and waits here until the peers' frames are in it.
        let mut outbox = self.lock_outbox();
        if self.state.end(cause) && cause_is_here {
            self.put(&mut outbox, Kind::Abort, &payload);
        }
        drop(outbox);
        self.arrived.notify_all();
        self.wake();
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::AbortKind;

    /// Else whoever closes the session on seeing that it has ended may do so before the peers' frames are there, and they
    /// hear of a broken connection instead of the reason.
    #[test]
    fn nobody_sees_an_end_before_the_peers_words_are_on_their_way() {
        let peer = |i: u8| Peer { id: PartyId(i), name: format!("p{i}"), address: String::new() };
        let peers: Peers = (0..3).map(|i| Arc::new(peer(i))).collect();
        let limits = Limits::default();
        let ends = Ends::new(PartyId(0), peers, limits, Stopper::default(), 1).unwrap();
        std::thread::scope(|scope| {
            let held = ends.lock_outbox();
            let stopping = scope.spawn(|| {
                let (kind, reason) = (AbortKind::Interrupted, "enough".to_owned());
                ends.stop("enough", NetError::Stopped { kind, reason });
            });
            std::thread::sleep(Duration::from_millis(30));
            assert!(ends.state.check().is_ok());
            drop(held);
            stopping.join().unwrap();
        });
        assert!(ends.state.check().is_err());
        assert_eq!(ends.lock_outbox().iter().map(|(to, _)| *to).collect::<Vec<_>>(), [1, 2]);
    }
}
