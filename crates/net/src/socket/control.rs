//! The control connections: one thread per session reads them, sends what there is to send,
//! keeps them alive, and ends the session when a peer aborts or disappears.

use super::ends::Ends;
use super::lobby::{Early, MAX_AHEAD, lost};
use super::wire::{Stall, Wire, timespec};
use crate::error::NetError;
use crate::frame::{Frames, Kind, encode};
use crate::session::{Control, aborted, out_of_step};
use crate::session_state::POLL_INTERVAL;
use crate::shaper::Pacing;
use rustix::event::{PollFd, PollFlags, poll};
use std::os::fd::AsFd;
use std::sync::atomic::Ordering;
use std::sync::{Arc, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// Time to get the last frames out when a session ends.
const LINGER: Duration = Duration::from_secs(1);
/// A peer that leaves because another one told it to may be faster than that one's word: how long
/// a broken connection waits for it. Shorter than the patience of the data connections.
const HEARSAY: Duration = Duration::from_millis(250);
/// Longest time between heartbeats.
const HEARTBEAT: Duration = Duration::from_secs(2);
/// A peer that sends nothing at all for this long, or for twice the deadline, is gone.
const LEAST_SILENCE: Duration = Duration::from_secs(10);

/// The control connection to one peer, as the thread keeps it.
struct Line {
    peer: usize,
    wire: Wire,
    frames: Frames,
    unsent: Vec<u8>,
    heard: Instant,
    /// The peer finished: its connection may close.
    done: bool,
    open: bool,
}

struct Thread {
    ends: Arc<Ends>,
    lines: Vec<Line>,
    last_beat: Instant,
    /// The first connection that broke without a word, and when.
    broke: Option<(Instant, NetError)>,
}

/// The session's side.
pub(crate) struct SocketControl {
    ends: Arc<Ends>,
    thread: Option<JoinHandle<()>>,
    pacings: Vec<Pacing>,
}

impl SocketControl {
    pub(crate) fn start(
        ends: Arc<Ends>,
        wires: Vec<(usize, Wire, Early)>,
        pacings: Vec<Pacing>,
    ) -> Result<SocketControl, NetError> {
        let line = |(peer, wire, early): (usize, Wire, Early)| {
            let done = early.messages.iter().any(|(kind, _)| *kind == Kind::Done);
            ends.lock_inbox()[peer].extend(early.messages);
            let (frames, unsent, heard) = (early.frames, Vec::new(), Instant::now());
            Line { peer, wire, frames, unsent, heard, done, open: true }
        };
        let mut worker = Thread {
            ends: ends.clone(),
            lines: wires.into_iter().map(line).collect(),
            last_beat: Instant::now(),
            broke: None,
        };
        let thread = std::thread::Builder::new()
            .name("tacit-control".into())
            .spawn(move || worker.run())
            .map_err(|e| NetError::Configuration(format!("cannot start a thread: {e}")))?;
        Ok(SocketControl { ends, thread: Some(thread), pacings })
    }

    fn receive(&self, from: usize, doing: Kind) -> Result<(Kind, Vec<u8>), NetError> {
        let since = Instant::now();
        let mut inbox = self.ends.lock_inbox();
        loop {
            if let Some(message) = inbox[from].pop_front() {
                return Ok(message);
            }
            self.ends.state.check()?;
            if since.elapsed() >= self.ends.limits.meeting {
                return Err(NetError::ControlTimeout {
                    peer: self.ends.peer(from),
                    doing: doing.name().into(),
                    waited: since.elapsed(),
                });
            }
            inbox = self
                .ends
                .arrived
                .wait_timeout(inbox, POLL_INTERVAL)
                .unwrap_or_else(PoisonError::into_inner)
                .0;
        }
    }

    fn end_thread(&mut self) {
        self.ends.closing.store(true, Ordering::Release);
        self.ends.wake();
        if let Some(thread) = self.thread.take() {
            // A panic of the thread was printed by itself; there is nothing left to save.
            let _ = thread.join();
        }
        self.ends.close_parked();
        for pacing in self.pacings.drain(..) {
            pacing.linger(LINGER);
        }
    }
}

impl Control for SocketControl {
    fn exchange(&mut self, kind: Kind, payload: &[u8]) -> Result<Vec<Vec<u8>>, NetError> {
        self.ends.state.check()?;
        self.ends.tell_all(kind, payload);
        let me = self.ends.me.index();
        let mut all = Vec::with_capacity(self.ends.peers.len());
        for from in 0..self.ends.peers.len() {
            if from == me {
                all.push(payload.to_vec());
                continue;
            }
            let (got, theirs) = self.receive(from, kind)?;
            if got != kind {
                return Err(out_of_step(&self.ends.peers[from], kind, got));
            }
            all.push(theirs);
        }
        Ok(all)
    }

    fn stop(&mut self, reason: &str, cause: NetError) {
        self.ends.stop(reason, cause);
    }

    fn close(&mut self) {
        self.end_thread();
    }
}

impl Drop for SocketControl {
    fn drop(&mut self) {
        self.end_thread();
    }
}

impl Thread {
    fn run(&mut self) {
        while !self.ends.closing.load(Ordering::Acquire) {
            self.turn();
        }
        let since = Instant::now();
        self.take_outbox();
        while since.elapsed() < LINGER && self.lines.iter().any(|l| l.open && l.has_unsent()) {
            self.turn();
        }
        for line in &mut self.lines {
            line.wire.end();
        }
    }

    /// Waits for something to do, and does it.
    fn turn(&mut self) {
        let beat = self.beat_interval();
        let timeout = beat.saturating_sub(self.last_beat.elapsed()).min(beat);
        let timeout = match self.broke {
            Some(_) => timeout.min(POLL_INTERVAL),
            None => timeout,
        };
        let timeout = match self.ends.closing.load(Ordering::Acquire) {
            true => timeout.min(POLL_INTERVAL),
            false => timeout,
        };
        self.poll(timeout);
        // Clears the event; without one it would block, and that is fine.
        let _ = rustix::io::read(&self.ends.wake, &mut [0u8; 8]);
        self.take_outbox();
        self.keep_alive();
        for i in 0..self.lines.len() {
            if self.lines[i].open
                && let Err(cause) = self.serve(i)
            {
                self.lines[i].open = false;
                match cause {
                    _ if self.lines[i].done => {}
                    NetError::Network { .. } => {
                        self.broke.get_or_insert_with(|| (Instant::now(), cause));
                    }
                    cause => self.stop(cause),
                }
            }
        }
        if let Some((_, cause)) = self.broke.take_if(|(since, _)| since.elapsed() >= HEARSAY) {
            self.stop(cause);
        }
    }

    fn stop(&mut self, cause: NetError) {
        self.ends.stop(&cause.to_string(), cause);
        self.take_outbox();
    }

    fn beat_interval(&self) -> Duration {
        (self.ends.limits.progress / 6).clamp(Duration::from_millis(10), HEARTBEAT)
    }

    fn poll(&self, timeout: Duration) {
        let mut fds = vec![PollFd::from_borrowed_fd(self.ends.wake.as_fd(), PollFlags::IN)];
        for line in self.lines.iter().filter(|l| l.open) {
            fds.push(PollFd::from_borrowed_fd(line.wire.socket.read_fd(), PollFlags::IN));
            if line.has_unsent() {
                fds.push(PollFd::from_borrowed_fd(line.wire.socket.write_fd(), PollFlags::OUT));
            }
        }
        // Whatever poll says, every line is tried after it.
        let _ = poll(&mut fds, Some(&timespec(timeout)));
    }

    fn take_outbox(&mut self) {
        for (to, frame) in self.ends.lock_outbox().drain(..) {
            for line in self.lines.iter_mut().filter(|l| l.peer == to) {
                line.unsent.extend_from_slice(&frame);
            }
        }
    }

    /// Sends heartbeats, and notices peers that send none.
    fn keep_alive(&mut self) {
        let beat = self.beat_interval();
        if self.last_beat.elapsed() < beat {
            return;
        }
        self.last_beat = Instant::now();
        let limit = self.ends.limits.progress.saturating_mul(2).max(LEAST_SILENCE);
        for line in self.lines.iter_mut().filter(|l| l.open) {
            if line.unsent.is_empty() {
                line.unsent.extend(encode(Kind::Heartbeat, &[]));
            }
            let silent = line.heard.elapsed();
            if silent > limit && !line.done {
                let cause = NetError::Silent { peer: self.ends.peer(line.peer), waited: silent };
                self.ends.stop(&cause.to_string(), cause);
            }
        }
    }

    /// Writes, then reads and handles what came on a line: what a peer said before it left
    /// counts more than that it left.
    fn serve(&mut self, i: usize) -> Result<(), NetError> {
        let written = self.lines[i].write();
        loop {
            let read = self.lines[i].read();
            self.take_frames(i)?;
            match read {
                Ok(()) => {}
                Err(Stall::Block) => break,
                Err(stall) => return Err(self.lost(i, stall)),
            }
        }
        written.map_err(|stall| self.lost(i, stall))
    }

    fn lost(&self, i: usize, stall: Stall) -> NetError {
        lost(&self.ends.peers[self.lines[i].peer], stall)
    }

    fn take_frames(&mut self, i: usize) -> Result<(), NetError> {
        loop {
            let line = &mut self.lines[i];
            let frame = line.frames.next().map_err(|e| NetError::Misbehaviour {
                peer: self.ends.peer(line.peer),
                what: e.to_string(),
            })?;
            match frame {
                None => return Ok(()),
                Some((kind, payload)) => self.take(i, kind, payload)?,
            }
        }
    }

    fn take(&mut self, i: usize, kind: Kind, payload: Vec<u8>) -> Result<(), NetError> {
        let line = &mut self.lines[i];
        match kind {
            Kind::Heartbeat => return Ok(()),
            Kind::Abort => return Err(aborted(&self.ends.peers[line.peer], &payload)),
            Kind::Done => line.done = true,
            Kind::Facts | Kind::Barrier | Kind::Publish => {}
        }
        let mut inbox = self.ends.lock_inbox();
        if inbox[line.peer].len() >= MAX_AHEAD {
            return Err(NetError::Misbehaviour {
                peer: self.ends.peer(line.peer),
                what: "it sent more control messages than the program has".into(),
            });
        }
        inbox[line.peer].push_back((kind, payload));
        self.ends.arrived.notify_all();
        Ok(())
    }
}

impl Line {
    fn has_unsent(&self) -> bool {
        !self.unsent.is_empty() || self.wire.has_backlog()
    }

    fn write(&mut self) -> Result<(), Stall> {
        let mut done = 0;
        let result = loop {
            if done == self.unsent.len() {
                break self.wire.push();
            }
            match self.wire.write(&self.unsent[done..]) {
                Ok(n) => done += n,
                Err(e) => break Err(e),
            }
        };
        self.unsent.drain(..done);
        match result {
            Err(Stall::Block) => Ok(()),
            other => other,
        }
    }

    /// Reads a bounded piece.
    fn read(&mut self) -> Result<(), Stall> {
        let mut buf = [0; 16 << 10];
        let n = self.wire.read(&mut buf)?;
        self.heard = Instant::now();
        self.frames.push(&buf[..n]);
        Ok(())
    }
}
