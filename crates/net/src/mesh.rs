//! The mesh: all channels of one worker thread of one party.

use crate::error::{AbortKind, NetError};
use crate::meter::Meter;
#[cfg(feature = "testing")]
use crate::testing::{Tamper, Verdict};
use crate::types::{PartyId, Peers, Phase, Place, Stream};
use std::time::Duration;

/// Peers are told this when a check fails.
const SOME_CHECK: &str = "a check of the protocol failed";

/// What carries the bytes of a mesh: memory with virtual time, or sockets.
///
/// The durations returned are the time that the call waited for the peer.
pub(crate) trait Transport: Send {
    fn send(&mut self, to: usize, s: Stream, bytes: &[u8], at: Place) -> Result<u64, NetError>;
    fn recv(&mut self, from: usize, s: Stream, buf: &mut [u8], at: Place) -> Result<u64, NetError>;
    fn flush(&mut self, at: Place) -> Result<(), NetError>;
    fn now(&self) -> Duration;
    /// Tells the transport that what comes next belongs to `phase`, for whoever stops the session.
    fn enter(&mut self, _phase: Phase) {}
    /// Hands over what a step sent online, where that pays, and as far as it takes no waiting.
    fn end_step(&mut self) {}
    /// Starts to count work of this thread from here (memory transport with charged CPU time).
    fn begin_work(&mut self);
    /// Lets a virtual clock go on from `at`, if that is later.
    fn not_before(&mut self, at: Duration);
    /// Ends the session for this party's other threads and tells the peers why.
    fn stop(&mut self, reason: &str, cause: &NetError);
    /// Closes the sending side: what was sent still arrives.
    fn close(&mut self, at: Place);
}

/// All channels of one worker thread of one party: to and from every peer, three ordered byte
/// streams ([`Stream`]) that progress independently.
///
/// Streams carry bytes, not messages: a `recv` may take half of what a `send` gave, or the
/// bytes of several. `send` may keep small messages back; `recv` and `flush` hand them over, and
/// so does dropping the mesh. Two parties may send each other messages of any size at the same
/// time. Any error ends the session: the other threads of this party and all peers learn of it.
pub struct Mesh {
    transport: Box<dyn Transport>,
    me: PartyId,
    peers: Peers,
    place: Place,
    first_step: u32,
    meter: Meter,
    failed: bool,
    /// Whether a send or a receive has waited.
    waited: bool,
    /// Why nothing more may go over this mesh.
    retired: Option<&'static str>,
    #[cfg(feature = "testing")]
    tamper: Option<Tamper>,
}

impl Mesh {
    pub(crate) fn new(me: PartyId, peers: Peers, transport: Box<dyn Transport>) -> Mesh {
        Mesh {
            transport,
            me,
            place: Place { phase: Phase::Setup, step: 0 },
            first_step: 0,
            meter: Meter::new(peers.len()),
            peers,
            failed: false,
            waited: false,
            retired: None,
            #[cfg(feature = "testing")]
            tamper: None,
        }
    }

    /// Gives the id of this party.
    #[must_use]
    pub fn me(&self) -> PartyId {
        self.me
    }

    /// Gives the number of parties of the session.
    #[must_use]
    pub fn parties(&self) -> usize {
        self.peers.len()
    }

    /// Sends `bytes` to party `to` on stream `s`, behind what was sent there before.
    ///
    /// # Errors
    /// The session ended, the peer is gone, or it takes nothing within the deadline.
    #[inline]
    pub fn send(&mut self, to: PartyId, s: Stream, bytes: &[u8]) -> Result<(), NetError> {
        #[cfg(feature = "testing")]
        if self.tamper.is_some() {
            return self.send_tampered(to, s, bytes);
        }
        self.send_plain(to, s, bytes)
    }

    #[inline]
    fn send_plain(&mut self, to: PartyId, s: Stream, bytes: &[u8]) -> Result<(), NetError> {
        self.check_in_use()?;
        let peer = self.index(to)?;
        if bytes.is_empty() {
            return Ok(());
        }
        let ns = match self.transport.send(peer, s, bytes, self.place) {
            Ok(ns) => ns,
            Err(e) => return Err(self.fail(e)),
        };
        self.waited |= ns > 0;
        self.meter.sent(peer, s, self.place, bytes.len(), ns);
        Ok(())
    }

    /// Receives exactly `buf.len()` bytes from party `from` on stream `s`. Hands over all pending
    /// sends before it blocks. Large requests are fastest into memory that starts at a multiple of
    /// 64 bytes: they are read in place.
    ///
    /// # Errors
    /// The session ended, the peer is gone, or nothing arrives within the deadline.
    #[inline]
    pub fn recv(&mut self, from: PartyId, s: Stream, buf: &mut [u8]) -> Result<(), NetError> {
        self.check_in_use()?;
        let peer = self.index(from)?;
        if buf.is_empty() {
            return Ok(());
        }
        let ns = match self.transport.recv(peer, s, buf, self.place) {
            Ok(ns) => ns,
            Err(e) => return Err(self.fail(e)),
        };
        self.waited |= ns > 0;
        self.meter.received(peer, s, self.place, buf.len(), ns);
        Ok(())
    }

    /// Hands over everything that `send` kept back, also what peers read only later: it waits as
    /// long as they get on with it. A thread that will not use this mesh next, or waits on something
    /// else than it, must flush.
    ///
    /// # Errors
    /// The session ended, a peer is gone, or a peer takes nothing within the deadline.
    pub fn flush(&mut self) -> Result<(), NetError> {
        self.check_in_use()?;
        self.transport.flush(self.place).map_err(|e| self.fail(e))
    }

    /// Says whether a send or a receive had to wait for its peer since this was last asked: a send where
    /// there is no room on the way, a receive where nothing had come.
    pub fn has_waited(&mut self) -> bool {
        std::mem::take(&mut self.waited)
    }

    /// Labels what follows with a phase.
    pub fn set_phase(&mut self, phase: Phase) {
        self.place.phase = phase;
        self.transport.enter(phase);
        self.transport.begin_work();
    }

    /// Starts to count work of this thread from here, and lets a virtual clock go on from `at` if that is later: for
    /// work that could not begin before. What this thread worked until now is charged first.
    pub fn begin_work_at(&mut self, at: Duration) {
        self.transport.begin_work();
        self.transport.not_before(at);
    }

    /// Labels what follows with a step (for instance the layer of a circuit). Where parties wait long for each other, what the step
    /// before sent online goes now: a party that is late, and so need not wait, would else send several steps at once. They arrive at
    /// once, and make the next party late.
    pub fn set_step(&mut self, step: u32) {
        let step = self.first_step.saturating_add(step);
        if step != self.place.step && !self.failed {
            self.transport.end_step();
        }
        self.place.step = step;
    }

    /// Sets the number that steps are counted from, for what is done several times, each time in steps from 0.
    pub fn set_first_step(&mut self, step: u32) {
        self.first_step = step;
    }

    /// Gives the phase and step set last.
    #[must_use]
    pub fn place(&self) -> Place {
        self.place
    }

    /// Gives what this mesh sent, received and waited for so far.
    #[must_use]
    pub fn meter(&self) -> Meter {
        self.meter.clone()
    }

    /// Gives the rounds so far, as the meter counts them.
    #[must_use]
    pub fn rounds(&self) -> u64 {
        self.meter.rounds()
    }

    /// Sets all counters back to zero, and counts steps from there.
    pub fn reset_meter(&mut self) {
        self.meter.reset();
        self.first_step = 0;
    }

    pub(crate) fn restore_meter(&mut self, meter: Meter) {
        self.meter = meter;
    }

    /// Switches on, or off, that the meter counts by phase and step too, from here on.
    pub fn meter_steps(&mut self, on: bool) {
        self.meter.keep_steps(on);
    }

    /// Gives the time since the session started: virtual on the memory transport, else wall time.
    #[must_use]
    pub fn now(&self) -> Duration {
        self.transport.now()
    }

    /// Ends the session, for instance because a check failed: the other threads of this party
    /// fail at their next wait with [`NetError::Stopped`], all peers with [`NetError::PeerAborted`].
    /// `reason` goes to the peers and must hold nothing secret.
    pub fn abort(&mut self, kind: AbortKind, reason: &str) {
        let cause = NetError::Stopped { kind, reason: reason.to_owned() };
        self.failed = true;
        self.transport.stop(reason, &cause);
    }

    /// Lets nothing more go over this mesh: whoever uses it next gets `reason`, and ends the session
    /// with it.
    pub fn retire(&mut self, reason: &'static str) {
        self.retired = Some(reason);
    }

    #[inline]
    fn check_in_use(&mut self) -> Result<(), NetError> {
        match self.retired {
            Some(reason) => {
                let (kind, reason) = (AbortKind::Failure, reason.to_owned());
                Err(self.fail(NetError::Stopped { kind, reason }))
            }
            None => Ok(()),
        }
    }

    /// Ends the session because a check of a protocol failed, and gives the error to return. Peers are told that some
    /// check failed, and not `what`: which one it was would tell whoever cheats more.
    #[must_use]
    pub fn check_failed(&mut self, what: String) -> NetError {
        let error = NetError::Check(what);
        if !self.failed {
            self.failed = true;
            self.transport.stop(SOME_CHECK, &error);
        }
        error
    }

    #[inline]
    fn index(&self, party: PartyId) -> Result<usize, NetError> {
        if party == self.me || party.index() >= self.peers.len() {
            return Err(NetError::Configuration(format!(
                "{} has no link to {party} in a session of {} parties",
                self.me,
                self.peers.len()
            )));
        }
        Ok(party.index())
    }

    #[cold]
    fn fail(&mut self, error: NetError) -> NetError {
        if !self.failed {
            self.failed = true;
            self.transport.stop(&error.to_string(), &error);
        }
        error
    }
}

#[cfg(feature = "testing")]
impl Mesh {
    /// Lets `tamper` change, drop, repeat or cut the messages that this mesh sends. The meter
    /// counts what really leaves.
    pub fn set_tamper(&mut self, tamper: Tamper) {
        self.tamper = Some(tamper);
    }

    fn send_tampered(&mut self, to: PartyId, s: Stream, bytes: &[u8]) -> Result<(), NetError> {
        let place = self.place;
        let verdict = match &mut self.tamper {
            Some(tamper) => tamper.judge(to, s, place, bytes),
            None => Verdict::Keep,
        };
        match verdict {
            Verdict::Keep => self.send_plain(to, s, bytes),
            Verdict::Drop => Ok(()),
            Verdict::Repeat => {
                self.send_plain(to, s, bytes)?;
                self.send_plain(to, s, bytes)
            }
            Verdict::Truncate(len) => self.send_plain(to, s, &bytes[..len.min(bytes.len())]),
            Verdict::Replace(other) => self.send_plain(to, s, &other),
        }
    }
}

impl Drop for Mesh {
    fn drop(&mut self) {
        if std::thread::panicking() {
            let reason = "a thread of this party panicked";
            let (kind, reason) = (AbortKind::Bug, reason.to_owned());
            self.transport.stop(&reason.clone(), &NetError::Stopped { kind, reason });
        }
        self.transport.close(self.place);
    }
}
