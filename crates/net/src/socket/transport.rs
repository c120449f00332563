//! The mesh over sockets: sends and receives that block, without ever blocking the peers.
//!
//! While a party waits for longer than a moment it reads what comes on its other connections into
//! memory, so that two large messages that cross always pass each other. It never does so for `Pre`: a
//! dealer that runs ahead is to feel its receiver's pace. Instead, bytes of `Pre` that a peer
//! does not take for a while stay with the sender, so that nobody waits in a circle.

use super::channel::{Channel, DIRECT_SEND_BYTES, STAGE_BYTES};
use super::ends::Ends;
use super::wire::{Stall, timespec};
use crate::copy::is_well_placed;
use crate::error::NetError;
use crate::mesh::Transport;
use crate::session_state::POLL_INTERVAL;
use crate::types::{Phase, Place, Stream};
use rustix::event::{PollFd, PollFlags, poll};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// A wait this long starts reading other connections too, since their senders may be stuck. Before,
/// bytes are better left with the kernel: reading them into memory of the mesh costs a copy.
const READ_PATIENCE: Duration = Duration::from_millis(5);
const WRITE_PATIENCE: Duration = Duration::from_millis(1);
/// A wait to write `Pre` this long keeps the bytes here instead.
const PRE_PATIENCE: Duration = Duration::from_millis(200);
/// Bytes read ahead from one connection at a time.
const DRAIN_BYTES: usize = 1 << 20;

/// Where the last wait to read took so long, what a step sent goes when it ends: sending it together with the next step's saves
/// little of the processor's time then, and may make others late.
const LONG_WAIT: Duration = Duration::from_micros(100);

pub(crate) struct SocketTransport {
    ends: Arc<Ends>,
    /// By peer and stream; `None` for this party itself.
    channels: Vec<Option<Channel>>,
    staged: bool,
    /// The last read that had to wait took long.
    waits_long: bool,
    /// Kept bytes of this mesh that are charged to what all meshes of the session share.
    charged: usize,
}

/// One blocking call: when it started to wait, and when it last got on.
#[derive(Default)]
struct Wait {
    since: Option<Instant>,
    progress: Option<Instant>,
    /// It took so long once that other connections are read too, from then on.
    helps: bool,
}

impl Wait {
    fn start(&mut self) {
        let now = Instant::now();
        self.since.get_or_insert(now);
        self.progress.get_or_insert(now);
    }

    fn got_on(&mut self) {
        if self.progress.is_some() {
            self.progress = Some(Instant::now());
        }
    }

    fn idle(&self) -> Duration {
        self.progress.map_or(Duration::ZERO, |t| t.elapsed())
    }

    fn total_ns(&self) -> u64 {
        self.since.map_or(0, |t| t.elapsed().as_nanos() as u64)
    }
}

#[derive(Copy, Clone, PartialEq, Eq)]
enum For {
    Reading,
    Writing,
}

impl For {
    fn patience(self) -> Duration {
        match self {
            For::Reading => READ_PATIENCE,
            For::Writing => WRITE_PATIENCE,
        }
    }
}

fn stream_of(index: usize) -> Stream {
    Stream::ALL[index % Stream::COUNT]
}

impl SocketTransport {
    pub(crate) fn new(ends: Arc<Ends>, channels: Vec<Option<Channel>>) -> SocketTransport {
        SocketTransport { ends, channels, staged: false, waits_long: false, charged: 0 }
    }

    fn channel(&mut self, index: usize) -> Result<&mut Channel, NetError> {
        self.channels
            .get_mut(index)
            .and_then(Option::as_mut)
            .ok_or_else(|| NetError::Configuration("there is no such link".into()))
    }

    /// Sends what is staged for one channel, waiting as long as the peer gets on with it. `Pre`
    /// stays staged if the peer does not, unless `all` is asked for.
    fn send_staged(
        &mut self,
        index: usize,
        at: Place,
        all: bool,
        wait: &mut Wait,
    ) -> Result<(), NetError> {
        loop {
            let channel = self.channel(index)?;
            let before = channel.unsent_bytes();
            let result = channel.send_staged();
            if channel.unsent_bytes() < before {
                wait.got_on();
            }
            match result {
                Ok(()) => return Ok(()),
                Err(Stall::Block) => {}
                Err(e) => return Err(self.lost(index, at, e)),
            }
            if !all && self.is_stuck(index, wait)? {
                return Ok(());
            }
            self.wait(index, For::Writing, at, wait)?;
        }
    }

    /// True if bytes for this channel are better kept here than waited for.
    fn is_stuck(&mut self, index: usize, wait: &Wait) -> Result<bool, NetError> {
        if stream_of(index) != Stream::Pre || !self.may_keep() {
            return Ok(false);
        }
        let channel = self.channel(index)?;
        channel.stuck |= wait.idle() >= PRE_PATIENCE;
        Ok(channel.stuck)
    }

    /// Whether the session's budget has room for more that is kept here.
    fn may_keep(&mut self) -> bool {
        let kept = self.charge();
        self.ends.kept.has_room(kept)
    }

    /// Brings the charge up to date; returns how much this mesh keeps.
    fn charge(&mut self) -> usize {
        let kept = self.kept_bytes();
        self.charged = self.ends.kept.recharge(self.charged, kept);
        kept
    }

    fn kept_bytes(&self) -> usize {
        self.channels.iter().flatten().map(Channel::kept_bytes).sum()
    }

    /// Sends everything staged: what peers may be waiting for first. Nothing stays: who flushes may
    /// wait on something else next, and then nobody would send the rest.
    fn send_all_staged(&mut self, at: Place) -> Result<(), NetError> {
        if !self.staged {
            return Ok(());
        }
        for stream in [Stream::On, Stream::Def, Stream::Pre] {
            for index in (stream.index()..self.channels.len()).step_by(Stream::COUNT) {
                if self.channels[index].as_ref().is_some_and(Channel::has_staged) {
                    self.send_staged(index, at, true, &mut Wait::default())?;
                }
            }
        }
        self.staged = false;
        Ok(())
    }

    /// Sends what is staged of a stream, as far as that takes no waiting.
    fn push(&mut self, s: Stream) {
        if !self.staged {
            return;
        }
        let channels = self.channels.iter_mut().skip(s.index()).step_by(Stream::COUNT);
        for channel in channels.flatten().filter(|channel| channel.has_staged()) {
            // Who waits next says what is wrong.
            let _ = channel.send_staged();
        }
    }

    /// Sends staged bytes before this thread waits to read: all of `On` and `Def`, of `Pre` what
    /// goes without waiting.
    fn send_before_reading(&mut self, at: Place) -> Result<(), NetError> {
        if !self.staged {
            return Ok(());
        }
        let mut left = false;
        for index in 0..self.channels.len() {
            let Some(channel) = self.channels[index].as_mut().filter(|c| c.has_staged()) else {
                continue;
            };
            if stream_of(index) != Stream::Pre {
                self.send_staged(index, at, false, &mut Wait::default())?;
                continue;
            }
            match channel.send_staged() {
                Ok(()) => {}
                Err(Stall::Block) => left = true,
                Err(e) => return Err(self.lost(index, at, e)),
            }
        }
        self.staged = left;
        Ok(())
    }

    fn send_direct(
        &mut self,
        index: usize,
        mut bytes: &[u8],
        at: Place,
        wait: &mut Wait,
    ) -> Result<(), NetError> {
        loop {
            let channel = self.channel(index)?;
            let result = match bytes.is_empty() {
                false => channel.wire.write(bytes),
                true => match channel.wire.push() {
                    Ok(()) => return Ok(()),
                    Err(e) => Err(e),
                },
            };
            match result {
                Ok(n) => {
                    bytes = &bytes[n..];
                    wait.got_on();
                }
                Err(Stall::Block) => {
                    if self.is_stuck(index, wait)? {
                        self.channel(index)?.stage(bytes);
                        self.staged = true;
                        return Ok(());
                    }
                    self.wait(index, For::Writing, at, wait)?;
                }
                Err(e) => return Err(self.lost(index, at, e)),
            }
        }
    }

    /// Waits until channel `index` may be ready, or until something else happened that may help.
    fn wait(
        &mut self,
        index: usize,
        what: For,
        at: Place,
        wait: &mut Wait,
    ) -> Result<(), NetError> {
        self.ends.state.check()?;
        wait.start();
        let idle = wait.idle();
        if idle >= self.ends.limits.progress {
            return Err(NetError::Timeout {
                peer: self.ends.peer(index / Stream::COUNT),
                stream: stream_of(index),
                place: at,
                waited: idle,
            });
        }
        wait.helps |= idle >= what.patience();
        let ready = self.poll(index, what, !wait.helps);
        for (k, flags) in ready {
            if k != index && flags.contains(PollFlags::OUT) {
                self.send_kept(k, at)?;
            }
            let readable = flags.intersects(PollFlags::IN | PollFlags::HUP | PollFlags::ERR);
            let here = what == For::Writing || k / Stream::COUNT == index / Stream::COUNT;
            let ahead = k != index || what == For::Writing;
            if readable && ahead && self.may_keep() && self.drain(k) && here {
                wait.got_on();
            }
        }
        Ok(())
    }

    /// Polls channel `index`, and unless `alone` all others that could be stuck; returns who is
    /// ready.
    fn poll(&mut self, index: usize, what: For, alone: bool) -> Vec<(usize, PollFlags)> {
        let may_drain = self.may_keep();
        let mut fds = Vec::with_capacity(self.channels.len() + 2);
        let mut owners = Vec::with_capacity(self.channels.len() + 2);
        for (k, channel) in self.channels.iter().enumerate() {
            let Some(channel) = channel else { continue };
            if alone && k != index {
                continue;
            }
            let awaited = k == index && what == For::Reading;
            let drained = !alone && may_drain && stream_of(k) != Stream::Pre;
            if (awaited || drained) && channel.ended.is_none() {
                fds.push(PollFd::from_borrowed_fd(channel.wire.socket.read_fd(), PollFlags::IN));
                owners.push(k);
            }
            if (k == index && what == For::Writing) || channel.has_staged() {
                fds.push(PollFd::from_borrowed_fd(channel.wire.socket.write_fd(), PollFlags::OUT));
                owners.push(k);
            }
        }
        let timeout = match alone {
            true => what.patience(),
            false => POLL_INTERVAL,
        };
        // An interrupted or failed poll is one that found nobody ready: the caller tries again
        // and sees what is wrong.
        let found = poll(&mut fds, Some(&timespec(timeout)));
        if !matches!(found, Ok(1..)) {
            return Vec::new();
        }
        let ready = |(fd, &k): (&PollFd<'_>, &usize)| (k, fd.revents());
        fds.iter().zip(&owners).map(ready).filter(|(_, flags)| !flags.is_empty()).collect()
    }

    /// Sends more of what was kept for a slow receiver.
    fn send_kept(&mut self, index: usize, at: Place) -> Result<(), NetError> {
        match self.channel(index)?.send_staged() {
            Ok(()) | Err(Stall::Block) => Ok(()),
            Err(e) => Err(self.lost(index, at, e)),
        }
    }

    /// Reads ahead from a channel; true if there was anything.
    fn drain(&mut self, index: usize) -> bool {
        let Ok(channel) = self.channel(index) else {
            return false;
        };
        let before = channel.kept_bytes();
        while channel.kept_bytes() < before + DRAIN_BYTES && channel.drain().is_ok() {}
        channel.kept_bytes() > before
    }

    #[cold]
    fn lost(&self, index: usize, at: Place, stall: Stall) -> NetError {
        let broke = match stall {
            Stall::Eof | Stall::Block => None,
            other => Some(other.describe()),
        };
        self.ends.lost(index / Stream::COUNT, stream_of(index), at, broke)
    }
}

impl Transport for SocketTransport {
    fn send(&mut self, to: usize, s: Stream, bytes: &[u8], at: Place) -> Result<u64, NetError> {
        let index = to * Stream::COUNT + s.index();
        let mut wait = Wait::default();
        let direct = bytes.len() >= DIRECT_SEND_BYTES;
        let channel = self.channel(index)?;
        if !direct {
            channel.stage(bytes);
        }
        let staged = channel.staged.len();
        if direct && staged > 0 || staged >= STAGE_BYTES {
            self.send_staged(index, at, false, &mut wait)?;
        }
        if !direct {
            self.staged = true;
        } else if self.channel(index)?.has_staged() {
            self.channel(index)?.stage(bytes);
        } else {
            // Few bytes that were to go before do not wait behind many, which take the same link.
            self.push(Stream::On);
            self.push(Stream::Def);
            self.send_direct(index, bytes, at, &mut wait)?;
        }
        Ok(wait.total_ns())
    }

    fn recv(&mut self, from: usize, s: Stream, buf: &mut [u8], at: Place) -> Result<u64, NetError> {
        let index = from * Stream::COUNT + s.index();
        let mut wait = Wait::default();
        let well_placed = is_well_placed(buf);
        let mut done = 0;
        while done < buf.len() {
            match self.channel(index)?.read(&mut buf[done..], well_placed) {
                Ok(n) => {
                    done += n;
                    wait.got_on();
                }
                Err(Stall::Block) => {
                    self.send_before_reading(at)?;
                    self.wait(index, For::Reading, at, &mut wait)?;
                }
                Err(e) => return Err(self.lost(index, at, e)),
            }
        }
        if self.charged > 0 {
            self.charge();
        }
        let waited_ns = wait.total_ns();
        if waited_ns > 0 {
            self.waits_long = u128::from(waited_ns) >= LONG_WAIT.as_nanos();
        }
        Ok(waited_ns)
    }

    fn flush(&mut self, at: Place) -> Result<(), NetError> {
        self.ends.state.check()?;
        self.send_all_staged(at)
    }

    fn now(&self) -> Duration {
        self.ends.started.elapsed()
    }

    fn enter(&mut self, phase: Phase) {
        self.ends.stopper.enter(phase);
    }

    fn end_step(&mut self) {
        if self.waits_long {
            self.push(Stream::On);
        }
    }

    fn begin_work(&mut self) {}

    fn not_before(&mut self, _: Duration) {}

    fn stop(&mut self, reason: &str, cause: &NetError) {
        self.ends.stop(reason, cause.clone());
    }

    fn close(&mut self, at: Place) {
        if self.ends.state.check().is_ok()
            && let Err(e) = self.send_all_staged(at)
        {
            self.ends.stop(&e.to_string(), e);
        }
        let mut channels: Vec<Channel> = self.channels.drain(..).flatten().collect();
        for channel in &mut channels {
            channel.wire.end();
        }
        self.charged = self.ends.kept.recharge(self.charged, 0);
        self.ends.park(channels.into_iter().map(|c| c.wire));
    }
}
