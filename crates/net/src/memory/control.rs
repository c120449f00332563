//! Control operations between the sessions of one process.

use super::MemoryNetwork;
use super::clock::{Clock, DirectedLink};
use crate::error::{AbortKind, NetError};
use crate::frame::Kind;
use crate::session::{Control, abort_payload, aborted, out_of_step};
use crate::session_state::{POLL_INTERVAL, SessionState};
use crate::types::{PartyId, Peer, Peers};
use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

struct Message {
    kind: Kind,
    payload: Vec<u8>,
    sent_ps: u64,
}

/// Where all parties of the process meet.
pub(crate) struct Hub {
    peers: Peers,
    pub(crate) deadline: Duration,
    meeting_deadline: Duration,
    states: Vec<Arc<SessionState>>,
    /// Held while a party's end becomes everybody's.
    telling: Mutex<()>,
    /// By receiver and sender.
    inboxes: Mutex<Vec<VecDeque<Message>>>,
    arrived: Condvar,
}

impl Hub {
    pub(crate) fn new(peers: Peers, network: &MemoryNetwork) -> Hub {
        let n = peers.len();
        Hub {
            peers,
            deadline: network.deadline,
            meeting_deadline: network.meeting_deadline,
            states: (0..n).map(|_| Arc::default()).collect(),
            telling: Mutex::default(),
            inboxes: Mutex::new((0..n * n).map(|_| VecDeque::new()).collect()),
            arrived: Condvar::new(),
        }
    }

    pub(crate) fn parties(&self) -> usize {
        self.peers.len()
    }

    pub(crate) fn peer(&self, index: usize) -> Arc<Peer> {
        self.peers[index].clone()
    }

    pub(crate) fn state(&self, party: PartyId) -> Arc<SessionState> {
        self.states[party.index()].clone()
    }

    /// Why the session of `party` has ended, now that a peer is gone: who ended the peer's has ended this one too,
    /// or is about to.
    pub(crate) fn why_ended(&self, party: PartyId) -> Result<(), NetError> {
        let _told = self.telling.lock().unwrap_or_else(PoisonError::into_inner);
        self.states[party.index()].check()
    }

    /// Ends the sessions of all parties alike.
    pub(crate) fn stop_all(&self, kind: AbortKind, reason: &str) {
        let _telling = self.telling.lock().unwrap_or_else(PoisonError::into_inner);
        for state in &self.states {
            state.end(NetError::Stopped { kind, reason: reason.to_owned() });
        }
        self.arrived.notify_all();
    }

    /// Ends the session of `party` and, if it had not ended before, that of everyone else.
    pub(crate) fn stop(&self, party: PartyId, reason: &str, cause: NetError) {
        let payload = abort_payload(reason, &cause);
        let _telling = self.telling.lock().unwrap_or_else(PoisonError::into_inner);
        if self.states[party.index()].end(cause) {
            for (i, state) in self.states.iter().enumerate() {
                if i != party.index() {
                    state.end(aborted(&self.peers[party.index()], &payload));
                }
            }
        }
        self.arrived.notify_all();
    }
}

pub(crate) struct MemoryControl {
    me: PartyId,
    hub: Arc<Hub>,
    clocks: Vec<Clock>,
    /// Delays of the links to this party, by sender.
    delays_ps: Vec<u64>,
}

impl MemoryControl {
    pub(crate) fn new(
        me: PartyId,
        hub: Arc<Hub>,
        clocks: Vec<Clock>,
        links: &[Arc<DirectedLink>],
    ) -> MemoryControl {
        let n = hub.parties();
        let delays_ps = (0..n).map(|from| links[from * n + me.index()].delay_ps).collect();
        MemoryControl { me, hub, clocks, delays_ps }
    }

    fn receive(&self, from: usize, doing: Kind) -> Result<Message, NetError> {
        let index = self.me.index() * self.hub.parties() + from;
        let since = Instant::now();
        let mut inboxes = self.hub.inboxes.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            if let Some(message) = inboxes[index].pop_front() {
                return Ok(message);
            }
            self.hub.states[self.me.index()].check()?;
            if since.elapsed() >= self.hub.meeting_deadline {
                return Err(NetError::ControlTimeout {
                    peer: self.hub.peer(from),
                    doing: doing.name().into(),
                    waited: since.elapsed(),
                });
            }
            inboxes = self
                .hub
                .arrived
                .wait_timeout(inboxes, POLL_INTERVAL)
                .unwrap_or_else(PoisonError::into_inner)
                .0;
        }
    }
}

impl Control for MemoryControl {
    fn exchange(&mut self, kind: Kind, payload: &[u8]) -> Result<Vec<Vec<u8>>, NetError> {
        let (n, me) = (self.hub.parties(), self.me.index());
        self.hub.states[me].check()?;
        let mut latest_ps = self.clocks.iter().map(Clock::ps).max().unwrap_or(0);
        {
            let mut inboxes = self.hub.inboxes.lock().unwrap_or_else(PoisonError::into_inner);
            for to in (0..n).filter(|&to| to != me) {
                inboxes[to * n + me].push_back(Message {
                    kind,
                    payload: payload.to_vec(),
                    sent_ps: latest_ps,
                });
            }
            self.hub.arrived.notify_all();
        }
        let mut all = Vec::with_capacity(n);
        for from in 0..n {
            if from == me {
                all.push(payload.to_vec());
                continue;
            }
            let message = self.receive(from, kind)?;
            if message.kind != kind {
                return Err(out_of_step(&self.hub.peers[from], kind, message.kind));
            }
            latest_ps = latest_ps.max(message.sent_ps.saturating_add(self.delays_ps[from]));
            all.push(message.payload);
        }
        for clock in &self.clocks {
            clock.advance_to(latest_ps);
        }
        Ok(all)
    }

    fn stop(&mut self, reason: &str, cause: NetError) {
        self.hub.stop(self.me, reason, cause);
    }

    fn close(&mut self) {}
}
