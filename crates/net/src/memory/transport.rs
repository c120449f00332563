//! The mesh side of the memory transport.

use super::channel::{CHUNK_BYTES, Channel, Chunk, Empty};
use super::clock::{Charger, Clock, DirectedLink};
use super::control::Hub;
use super::{Compute, PartyId};
use crate::copy::copy;
use crate::error::NetError;
use crate::mesh::Transport;
use crate::session_state::SessionState;
use crate::types::{Place, Stream};
use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

/// The sending end of one stream.
struct Outlet {
    channel: Arc<Channel>,
    chunk: Chunk,
}

/// The receiving end of one stream: chunks taken from the channel and how far they are read.
struct Inlet {
    channel: Arc<Channel>,
    chunks: VecDeque<Chunk>,
    used: Vec<Chunk>,
    position: usize,
    span: usize,
    arrival_ps: u64,
}

pub(crate) struct MemoryTransport {
    me: PartyId,
    hub: Arc<Hub>,
    state: Arc<SessionState>,
    clock: Clock,
    charger: Charger,
    /// By peer.
    links_out: Vec<Arc<DirectedLink>>,
    links_in: Vec<Arc<DirectedLink>>,
    /// By peer and stream.
    outlets: Vec<Outlet>,
    inlets: Vec<Inlet>,
    pending: bool,
}

impl MemoryTransport {
    pub(crate) fn new(
        me: PartyId,
        hub: &Arc<Hub>,
        clock: Clock,
        links: &[Arc<DirectedLink>],
        channels: &[Arc<Channel>],
        compute: Compute,
    ) -> MemoryTransport {
        let (n, i) = (hub.parties(), me.index());
        let streams = |pair: usize| &channels[pair * Stream::COUNT..(pair + 1) * Stream::COUNT];
        MemoryTransport {
            me,
            hub: hub.clone(),
            state: hub.state(me),
            clock,
            charger: Charger::new(compute),
            links_out: (0..n).map(|p| links[i * n + p].clone()).collect(),
            links_in: (0..n).map(|p| links[p * n + i].clone()).collect(),
            outlets: (0..n).flat_map(|p| streams(i * n + p)).map(Outlet::new).collect(),
            inlets: (0..n).flat_map(|p| streams(p * n + i)).map(Inlet::new).collect(),
            pending: false,
        }
    }

    fn hand_over(&mut self) -> Result<(), NetError> {
        if std::mem::take(&mut self.pending) {
            for outlet in &mut self.outlets {
                outlet.hand_over(&self.state)?;
            }
        }
        Ok(())
    }

    fn refill(&mut self, from: usize, s: Stream, at: Place) -> Result<(), NetError> {
        self.state.check()?;
        self.hand_over()?;
        let deadline = self.hub.deadline;
        let inlet = &mut self.inlets[from * Stream::COUNT + s.index()];
        let taken = inlet.channel.take(&mut inlet.chunks, &mut inlet.used, &self.state, deadline);
        taken.map_err(|why| {
            let peer = self.hub.peer(from);
            match why {
                Empty::Ended(cause) => cause,
                Empty::SenderGone => match self.hub.why_ended(self.me) {
                    Err(cause) => cause,
                    Ok(()) => NetError::Closed { peer, stream: s, place: at },
                },
                Empty::Deadline(waited) => NetError::Timeout { peer, stream: s, place: at, waited },
            }
        })
    }
}

impl Outlet {
    fn new(channel: &Arc<Channel>) -> Outlet {
        Outlet { channel: channel.clone(), chunk: Chunk::default() }
    }

    fn hand_over(&mut self, state: &SessionState) -> Result<(), NetError> {
        if !self.chunk.data.is_empty() {
            self.chunk = self.channel.push(std::mem::take(&mut self.chunk), state)?;
        }
        Ok(())
    }
}

impl Inlet {
    fn new(channel: &Arc<Channel>) -> Inlet {
        Inlet {
            channel: channel.clone(),
            chunks: VecDeque::new(),
            used: Vec::new(),
            position: 0,
            span: 0,
            arrival_ps: 0,
        }
    }

    /// Copies what is here into `buf`; returns how many bytes, and notes when the last arrived.
    #[inline]
    fn read(&mut self, buf: &mut [u8], link: &DirectedLink) -> usize {
        let mut done = 0;
        while done < buf.len() {
            let Some(chunk) = self.chunks.front() else {
                break;
            };
            let n = (chunk.data.len() - self.position).min(buf.len() - done);
            let end = self.position + n;
            copy(&mut buf[done..done + n], &chunk.data[self.position..end]);
            done += n;
            self.position = end;
            while chunk.spans[self.span].end < end {
                self.span += 1;
            }
            let span = chunk.spans[self.span];
            let on_wire = ((end - span.start) as u64).saturating_mul(link.byte_ps);
            self.arrival_ps = span.depart_ps.saturating_add(on_wire).saturating_add(link.delay_ps);
            if end == chunk.data.len() {
                self.used.extend(self.chunks.pop_front());
                (self.position, self.span) = (0, 0);
            }
        }
        done
    }
}

impl Transport for MemoryTransport {
    fn send(&mut self, to: usize, s: Stream, bytes: &[u8], _at: Place) -> Result<u64, NetError> {
        self.charger.charge(&self.clock);
        let link = &self.links_out[to];
        let mut depart = link.depart(self.clock.ps(), bytes.len());
        let outlet = &mut self.outlets[to * Stream::COUNT + s.index()];
        let mut rest = bytes;
        while !rest.is_empty() {
            let room = CHUNK_BYTES - outlet.chunk.data.len();
            let (piece, later) = rest.split_at(room.min(rest.len()));
            outlet.chunk.append(piece, depart, link.byte_ps);
            depart = depart.saturating_add(link.byte_ps.saturating_mul(piece.len() as u64));
            rest = later;
            if outlet.chunk.data.len() >= CHUNK_BYTES {
                outlet.hand_over(&self.state)?;
            }
        }
        self.pending = true;
        self.charger.resume();
        Ok(0)
    }

    fn recv(&mut self, from: usize, s: Stream, buf: &mut [u8], at: Place) -> Result<u64, NetError> {
        self.charger.charge(&self.clock);
        let index = from * Stream::COUNT + s.index();
        let mut done = 0;
        loop {
            done += self.inlets[index].read(&mut buf[done..], &self.links_in[from]);
            if done == buf.len() {
                break;
            }
            self.refill(from, s, at)?;
        }
        let waited = self.clock.advance_to(self.inlets[index].arrival_ps);
        self.charger.resume();
        Ok(waited / 1000)
    }

    fn flush(&mut self, _at: Place) -> Result<(), NetError> {
        self.charger.charge(&self.clock);
        self.state.check()?;
        self.hand_over()?;
        self.charger.resume();
        Ok(())
    }

    fn now(&self) -> Duration {
        self.clock.duration()
    }

    fn begin_work(&mut self) {
        self.charger.charge(&self.clock);
        self.charger.resume();
    }

    fn not_before(&mut self, at: Duration) {
        self.clock.advance_to(at.as_nanos() as u64 * 1000);
    }

    fn stop(&mut self, reason: &str, cause: &NetError) {
        self.hub.stop(self.me, reason, cause.clone());
    }

    fn close(&mut self, _at: Place) {
        // A failed session has nobody left to hand over to.
        let _ = self.hand_over();
        for outlet in &self.outlets {
            outlet.channel.sender_leaves();
        }
        for inlet in &self.inlets {
            inlet.channel.receiver_leaves();
        }
    }
}
