//! Telling the others that a session will not come about, and why: a party whose input is wrong,
//! say, ends at once, and nobody is to wait for it.

use super::SessionConfig;
use super::dial::say_farewell;
use super::hello::{MAX_REFUSAL_BYTES, Purpose};
use super::listen::Listening;
use super::setup::{Event, Setup, spawn};
use super::sockets::open_listener;
use super::wire::Wire;
use crate::error::{AbortKind, NetError};
use crate::frame::{self, Kind};
use crate::session::abort_words;
use crate::session_state::POLL_INTERVAL;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::sync::mpsc::Receiver;
use std::time::{Duration, Instant};

const PARTING: Duration = Duration::from_secs(10);
/// Peers try to connect once a second at least.
const BRIEFLY: Duration = Duration::from_millis(1200);

/// What the others still have to hear. Dropping it closes this party's port.
pub struct Farewell {
    /// None if nobody can be told.
    open: Option<Box<Open>>,
    untold: Vec<usize>,
}

struct Open {
    setup: Arc<Setup>,
    events: Receiver<Event>,
    dialing: bool,
    /// The others hear of it without this party: from who ended the session, or as keys do not fit.
    known: bool,
}

impl Farewell {
    /// Makes the farewell of a party that ends a session before it has begun to set it up. `reason` goes to the peers
    /// and must hold nothing secret.
    #[must_use]
    pub fn new(config: &SessionConfig, kind: AbortKind, reason: &str) -> Farewell {
        let Ok((setup, events)) = Setup::new(config) else { return Farewell::nobody() };
        setup.end(farewell_payload(kind, reason));
        if let Ok(listener) = open_listener(config) {
            // Those that this party dials hear of it all the same.
            let _ = Listening::start(&setup, listener);
        }
        let others = (0..setup.peers.len()).filter(|peer| *peer != config.me.index()).collect();
        Farewell::of(setup, events, others, false)
    }

    /// Nobody is to be told, or can be.
    pub(crate) fn nobody() -> Farewell {
        Farewell { open: None, untold: Vec::new() }
    }

    /// After a set-up that has ended.
    pub(crate) fn of(
        setup: Arc<Setup>,
        events: Receiver<Event>,
        untold: Vec<usize>,
        known: bool,
    ) -> Farewell {
        let open = Open { setup, events, dialing: false, known };
        Farewell { open: Some(Box::new(open)), untold }
    }

    /// How long it is worth to go on telling: others that have not been started yet are to hear it when they come, unless
    /// they hear it without this party.
    #[must_use]
    pub fn patience(&self) -> Duration {
        let known = self.open.as_ref().is_some_and(|open| open.known);
        if known { BRIEFLY } else { PARTING }
    }

    /// Gives the names of the parties that have not heard yet.
    #[must_use]
    pub fn untold(&self) -> Vec<String> {
        let Some(open) = &self.open else { return Vec::new() };
        self.untold.iter().map(|peer| open.setup.peers[*peer].name.clone()).collect()
    }

    /// Tells whoever can be reached, until all know or `patience` is over. May be called again.
    pub fn tell(&mut self, patience: Duration) {
        let until = Instant::now() + patience;
        let Some(open) = &mut self.open else { return };
        if !std::mem::replace(&mut open.dialing, true) {
            open.dial(&self.untold);
        }
        while !self.untold.is_empty() {
            let left = until.saturating_duration_since(Instant::now());
            let Ok(event) = open.events.recv_timeout(left) else { return };
            let told = match event {
                Event::Told(peer) => peer,
                Event::Ready { peer, purpose: Purpose::Control, mut wire } => {
                    send_abort(&mut wire, open.setup.ended());
                    peer
                }
                // What ended an attempt with a peer, that peer knows.
                Event::Failed(error) => match knows(&error) {
                    Some(peer) => peer,
                    None => continue,
                },
                Event::Ready { .. } => continue,
            };
            self.untold.retain(|peer| *peer != told);
        }
    }
}

impl Open {
    fn dial(&self, untold: &[usize]) {
        let me = self.setup.config.me.index();
        for &peer in untold.iter().filter(|peer| **peer < me) {
            let setup = self.setup.clone();
            // Without a thread it cannot be told, and waits for its own deadline.
            let _ = spawn("tacit-farewell", move || say_farewell(&setup, peer));
        }
    }
}

impl Drop for Open {
    fn drop(&mut self) {
        self.setup.over.store(true, Ordering::Release);
    }
}

/// The payload of an abort that fits a hello's answer.
pub(crate) fn farewell_payload(kind: AbortKind, reason: &str) -> Vec<u8> {
    let mut payload = abort_words(kind, reason);
    payload.truncate(MAX_REFUSAL_BYTES);
    payload
}

/// The last words on a control connection.
pub(crate) fn send_abort(wire: &mut Wire, payload: &[u8]) {
    // A peer that is gone needs no goodbye.
    let _ = wire.write_all(&frame::encode(Kind::Abort, payload), Instant::now() + POLL_INTERVAL);
    wire.end();
}

/// Whom this party need not tell about an error: the peer it is about knows, or cannot be told.
pub(crate) fn knows(error: &NetError) -> Option<usize> {
    match error {
        NetError::PeerAborted { peer, .. }
        | NetError::Disagreement { peer, .. }
        | NetError::Unauthorised { peer, .. }
        | NetError::Misbehaviour { peer, .. }
        | NetError::Network { peer, .. } => Some(peer.id.index()),
        _ => None,
    }
}
