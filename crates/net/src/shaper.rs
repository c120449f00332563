//! The shaper: delay and bandwidth on the directed links of real sockets.
//!
//! A shaped connection writes into a local socket pair; one thread per directed link takes the
//! bytes out, gives each piece the time at which the link has carried it, and passes it on to
//! the network when that time has come, or so much sooner as it takes to wake up who waits for it. All streams and workers to one peer share the link. What
//! is on the link is bounded, so writers feel it as they would feel a real one. It works below
//! TLS: what is shaped is what would be on the wire.

use crate::copy::Buffer;
use crate::error::NetError;
use crate::link::LinkProfile;
use crate::socket::wire::{Wire, timespec};
use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::Errno;
use rustix::net::{
    AddressFamily, RecvFlags, SendFlags, Shutdown, SocketFlags, SocketType, recv, send, shutdown,
    socketpair, sockopt,
};
use std::collections::VecDeque;
use std::num::NonZeroU64;
use std::os::fd::{AsFd, OwnedFd};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

/// Most bytes taken from a writer at a time, and the time that they may take on the link.
const PIECE_BYTES: usize = 128 << 10;
const PIECE_TIME: Duration = Duration::from_millis(1);
/// Bytes that arrive together on any link, however slow: those of a packet.
const PACKET_BYTES: usize = 1448;
/// Pieces below this size are moved to memory of their own size.
const SMALL_BYTES: usize = PIECE_BYTES / 8;
/// Bytes on the link beyond bandwidth times delay, of all connections.
const QUEUE_BYTES: u64 = 4 << 20;
/// About what it takes to wake up a thread: what is due so soon is passed on at once, and waited for as much less.
const WAKING: Duration = Duration::from_micros(30);
/// Room of the socket pair.
const PAIR_BYTES: usize = 512 << 10;

/// One directed link of this process.
pub(crate) struct Pacer {
    byte_ps: u64,
    delay: Duration,
    /// Bytes that the link holds on their way: bandwidth times delay.
    in_flight_bytes: u64,
    /// Bytes beyond, of all connections.
    queue_bytes: u64,
    piece_bytes: usize,
    lanes: Vec<Lane>,
    /// Time at which the link is free.
    free: Instant,
    /// The part of a nanosecond that `free` cannot hold.
    free_ps: u64,
    spare: Vec<Buffer>,
}

/// Bytes on their way.
struct Piece {
    due: Instant,
    bytes: Buffer,
}

/// A pacer at work.
pub(crate) struct Pacing {
    /// Closes when the pacer ends; nothing is ever sent.
    ended: Receiver<()>,
    delay: Duration,
}

impl Pacing {
    /// Waits, within bounds, until what was written to ended connections is on its way: a process
    /// that exits would take it along.
    pub(crate) fn linger(&self, time: Duration) {
        let _ = self.ended.recv_timeout(self.delay + time);
    }
}

/// One connection on the link.
struct Lane {
    from: OwnedFd,
    to: OwnedFd,
    queue: VecDeque<Piece>,
    /// Bytes in the queue. Each connection has room of its own: one whose reader waits for something
    /// else must not keep the others from going on.
    queued_bytes: u64,
    /// The writer ended.
    ended: bool,
    closed: bool,
    blocked: bool,
}

impl Pacer {
    pub(crate) fn new(profile: &LinkProfile) -> Pacer {
        let bits = u128::from(profile.bits_per_second.unwrap_or(0));
        let in_flight = bits * profile.delay.as_nanos() / 8_000_000_000;
        let unlimited = match profile.bits_per_second {
            Some(_) => 0,
            None => 1 << 28,
        };
        let per_piece = PIECE_TIME.as_nanos() as u64 * 1000 / profile.byte_ps().max(1);
        Pacer {
            piece_bytes: usize::try_from(per_piece)
                .unwrap_or(PIECE_BYTES)
                .clamp(PACKET_BYTES, PIECE_BYTES),
            byte_ps: profile.byte_ps(),
            delay: profile.delay,
            in_flight_bytes: u64::try_from(in_flight).unwrap_or(u64::MAX / 2),
            queue_bytes: QUEUE_BYTES + unlimited,
            lanes: Vec::new(),
            free: Instant::now(),
            free_ps: 0,
            spare: Vec::new(),
        }
    }

    /// Puts a connection on this link: what it writes from now on is paced.
    pub(crate) fn adopt(&mut self, wire: &mut Wire) -> Result<(), NetError> {
        let wrong = |e: Errno| {
            NetError::Configuration(format!(
                "cannot shape a connection: {}",
                std::io::Error::from(e)
            ))
        };
        let flags = SocketFlags::CLOEXEC | SocketFlags::NONBLOCK;
        let (ours, theirs) =
            socketpair(AddressFamily::UNIX, SocketType::STREAM, flags, None).map_err(wrong)?;
        sockopt::set_socket_send_buffer_size(&theirs, PAIR_BYTES).map_err(wrong)?;
        let to = rustix::io::fcntl_dupfd_cloexec(&wire.socket.stream, 0).map_err(wrong)?;
        wire.socket.pacer = Some(theirs);
        self.lanes.push(Lane {
            from: ours,
            to,
            queue: VecDeque::new(),
            queued_bytes: 0,
            ended: false,
            closed: false,
            blocked: false,
        });
        Ok(())
    }

    /// Starts pacing, in a thread that ends when all connections of the link have ended.
    pub(crate) fn start(self) -> Result<Pacing, NetError> {
        let (end, ended) = channel();
        let delay = self.delay;
        crate::socket::spawn("tacit-pacer", move || {
            self.run();
            drop(end);
        })?;
        Ok(Pacing { ended, delay })
    }

    fn run(mut self) {
        // Without it timers are up to 50 us late. Fails only where the kernel has none.
        let _ = rustix::thread::set_current_timer_slack(NonZeroU64::new(1));
        while self.lanes.iter().any(|l| !l.closed) {
            for i in 0..self.lanes.len() {
                self.deliver(i);
            }
            for i in self.wait() {
                while self.take(i) {}
            }
        }
    }

    /// Bytes of one connection on the link, at most.
    fn room_bytes(&self) -> u64 {
        self.in_flight_bytes + self.queue_bytes / self.lanes.len().max(1) as u64
    }

    /// Takes one piece from a writer and gives it its time of arrival; true if there may be more.
    fn take(&mut self, i: usize) -> bool {
        let room_bytes = self.room_bytes();
        let lane = &mut self.lanes[i];
        if lane.ended || lane.queued_bytes >= room_bytes {
            return false;
        }
        let mut bytes = self.spare.pop().unwrap_or_else(|| Buffer::new(PIECE_BYTES));
        let room = &mut bytes.room()[..self.piece_bytes];
        match recv(&lane.from, room, RecvFlags::DONTWAIT) {
            Ok((0, _)) => lane.ended = true,
            Ok((n, _)) => {
                bytes.fill(n);
                let due = self.occupy(n) + self.delay;
                self.lanes[i].queued_bytes += n as u64;
                let piece = match n < SMALL_BYTES {
                    false => bytes,
                    true => self.small(bytes),
                };
                self.lanes[i].queue.push_back(Piece { due, bytes: piece });
                return n == self.piece_bytes;
            }
            Err(Errno::AGAIN | Errno::INTR) => {}
            Err(_) => lane.ended = true,
        }
        self.spare.push(bytes);
        false
    }

    /// Moves few bytes out of a large buffer, so that many small pieces take little memory.
    fn small(&mut self, mut bytes: Buffer) -> Buffer {
        let mut small = Buffer::new(bytes.len());
        small.room().copy_from_slice(bytes.filled());
        small.fill(bytes.len());
        bytes.consume(bytes.len());
        self.spare.push(bytes);
        small
    }

    /// Occupies the link for `bytes`; returns when the last one has left.
    fn occupy(&mut self, bytes: usize) -> Instant {
        let now = Instant::now();
        if self.free < now {
            (self.free, self.free_ps) = (now, 0);
        }
        let ps = self.free_ps + self.byte_ps.saturating_mul(bytes as u64);
        self.free += Duration::from_nanos(ps / 1000);
        self.free_ps = ps % 1000;
        self.free
    }

    /// Passes on what is due on one connection.
    fn deliver(&mut self, i: usize) {
        let lane = &mut self.lanes[i];
        let now = Instant::now();
        lane.blocked = false;
        while let Some(piece) = lane.queue.front_mut() {
            if piece.due > now + WAKING {
                return;
            }
            let flags = SendFlags::NOSIGNAL | SendFlags::DONTWAIT;
            match send(&lane.to, piece.bytes.filled(), flags) {
                Ok(n) => {
                    piece.bytes.consume(n);
                    lane.queued_bytes -= n as u64;
                }
                Err(Errno::AGAIN | Errno::INTR) => {
                    lane.blocked = true;
                    return;
                }
                Err(_) => return self.break_off(i),
            }
            if piece.bytes.is_empty()
                && let Some(piece) = lane.queue.pop_front()
                && piece.bytes.capacity() == PIECE_BYTES
            {
                self.spare.push(piece.bytes);
            }
        }
        if lane.ended && !lane.closed {
            lane.closed = true;
            // Fails only if the connection is gone.
            let _ = shutdown(&lane.to, Shutdown::Write);
        }
    }

    /// The network side broke: the writer gets an error, and sees on its reading side why.
    fn break_off(&mut self, i: usize) {
        let lane = &mut self.lanes[i];
        lane.queue.clear();
        lane.queued_bytes = 0;
        (lane.ended, lane.closed) = (true, true);
        let _ = shutdown(&lane.from, Shutdown::Both);
    }

    /// Waits until a writer wrote, something is due, or a blocked connection takes bytes again;
    /// returns the connections whose writers wrote.
    fn wait(&self) -> Vec<usize> {
        let mut fds = Vec::new();
        let mut readers = Vec::new();
        let room_bytes = self.room_bytes();
        let mut next: Option<Instant> = None;
        for (i, lane) in self.lanes.iter().enumerate().filter(|(_, l)| !l.closed) {
            if lane.queued_bytes < room_bytes && !lane.ended {
                readers.push((fds.len(), i));
                fds.push(PollFd::from_borrowed_fd(lane.from.as_fd(), PollFlags::IN));
            }
            match lane.queue.front() {
                Some(_) if lane.blocked => {
                    fds.push(PollFd::from_borrowed_fd(lane.to.as_fd(), PollFlags::OUT));
                }
                Some(piece) => next = Some(next.map_or(piece.due, |n| n.min(piece.due))),
                // It only remains to be closed.
                None if lane.ended => return Vec::new(),
                None => {}
            }
        }
        if fds.is_empty() && next.is_none() {
            return Vec::new();
        }
        let timeout =
            next.map(|due| timespec(due.saturating_duration_since(Instant::now() + WAKING)));
        // An interrupted poll is one that found nothing.
        if !matches!(poll(&mut fds, timeout.as_ref()), Ok(1..)) {
            return Vec::new();
        }
        readers.retain(|&(at, _)| !fds[at].revents().is_empty());
        readers.into_iter().map(|(_, i)| i).collect()
    }
}
