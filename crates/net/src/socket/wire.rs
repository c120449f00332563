//! One connection, plain or TLS 1.3, over a non-blocking socket: bytes in, bytes out.

use super::tls::Tls;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::net::{RecvFlags, SendFlags, Shutdown, recv, send, shutdown};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::time::{Duration, Instant};

/// Why a call moved no bytes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Stall {
    /// Nothing to read, or no room to write, just now.
    Block,
    /// The peer closed its sending side.
    Eof,
    /// The connection broke.
    Broken(String),
    /// The peer's key is not the pinned one.
    WrongKey,
    /// The peer refused this party's key, without proof of who says so.
    Refused,
}

impl Stall {
    pub(crate) fn describe(self) -> String {
        match self {
            Stall::Block => "no progress".into(),
            Stall::Eof => "the connection was closed".into(),
            Stall::WrongKey => "its key is not the expected one".into(),
            Stall::Refused => "it refused this party's key".into(),
            Stall::Broken(why) => why,
        }
    }
}

/// The socket of a connection. A shaped connection writes elsewhere: to its pacer.
pub(crate) struct Socket {
    pub(crate) stream: OwnedFd,
    pub(crate) pacer: Option<OwnedFd>,
}

impl Socket {
    pub(crate) fn read_fd(&self) -> BorrowedFd<'_> {
        self.stream.as_fd()
    }

    pub(crate) fn write_fd(&self) -> BorrowedFd<'_> {
        self.pacer.as_ref().unwrap_or(&self.stream).as_fd()
    }

    pub(crate) fn write(&self, bytes: &[u8]) -> Result<usize, Stall> {
        loop {
            match send(self.write_fd(), bytes, SendFlags::NOSIGNAL | SendFlags::DONTWAIT) {
                Ok(n) => return Ok(n),
                Err(Errno::INTR) => {}
                Err(e) => return Err(stall(e)),
            }
        }
    }

    pub(crate) fn read(&self, buf: &mut [u8]) -> Result<usize, Stall> {
        loop {
            match recv(self.read_fd(), &mut *buf, RecvFlags::DONTWAIT) {
                Ok((0, _)) => return Err(Stall::Eof),
                Ok((n, _)) => return Ok(n),
                Err(Errno::INTR) => {}
                Err(e) => return Err(stall(e)),
            }
        }
    }
}

fn stall(e: Errno) -> Stall {
    match e {
        Errno::AGAIN | Errno::NOBUFS => Stall::Block,
        Errno::PIPE | Errno::CONNRESET | Errno::CONNABORTED => {
            Stall::Broken("the connection was reset".into())
        }
        e => Stall::Broken(std::io::Error::from(e).to_string()),
    }
}

/// One connection.
pub(crate) struct Wire {
    pub(crate) socket: Socket,
    pub(crate) tls: Option<Box<Tls>>,
}

impl Wire {
    pub(crate) fn new(stream: OwnedFd, tls: Option<Tls>) -> Wire {
        Wire { socket: Socket { stream, pacer: None }, tls: tls.map(Box::new) }
    }

    /// Takes a first part of `bytes`; returns its length. With TLS, part of what was taken may
    /// still wait to be [pushed](Wire::push).
    pub(crate) fn write(&mut self, bytes: &[u8]) -> Result<usize, Stall> {
        match &mut self.tls {
            None => self.socket.write(bytes),
            Some(tls) => tls.write(&self.socket, bytes),
        }
    }

    /// Pushes out what was taken before; done when it returns `Ok`.
    pub(crate) fn push(&mut self) -> Result<(), Stall> {
        match &mut self.tls {
            None => Ok(()),
            Some(tls) => tls.push(&self.socket),
        }
    }

    /// Reads at least one byte.
    pub(crate) fn read(&mut self, buf: &mut [u8]) -> Result<usize, Stall> {
        match &mut self.tls {
            None => self.socket.read(buf),
            Some(tls) => tls.read(&self.socket, buf),
        }
    }

    /// True if bytes that were taken wait to be [pushed](Wire::push).
    pub(crate) fn has_backlog(&self) -> bool {
        self.tls.as_ref().is_some_and(|tls| tls.has_backlog())
    }

    /// Nothing more will be written.
    pub(crate) fn end(&mut self) {
        if let Some(tls) = &mut self.tls {
            tls.end(&self.socket);
        }
        // Fails only if the connection is gone already.
        let _ = shutdown(self.socket.write_fd(), Shutdown::Write);
    }

    /// Writes all of `bytes` before `deadline`.
    pub(crate) fn write_all(&mut self, mut bytes: &[u8], deadline: Instant) -> Result<(), Stall> {
        while !bytes.is_empty() {
            match self.write(bytes) {
                Ok(n) => bytes = &bytes[n..],
                Err(Stall::Block) => self.wait(PollFlags::OUT, deadline)?,
                Err(e) => return Err(e),
            }
        }
        loop {
            match self.push() {
                Err(Stall::Block) => self.wait(PollFlags::OUT, deadline)?,
                other => return other,
            }
        }
    }

    /// Fills `buf` before `deadline`.
    pub(crate) fn read_all(&mut self, buf: &mut [u8], deadline: Instant) -> Result<(), Stall> {
        let mut done = 0;
        while done < buf.len() {
            match self.read(&mut buf[done..]) {
                Ok(n) => done += n,
                Err(Stall::Block) => self.wait(PollFlags::IN, deadline)?,
                Err(e) => return Err(e),
            }
        }
        Ok(())
    }

    /// Finishes the TLS handshake before `deadline`.
    pub(crate) fn handshake(&mut self, deadline: Instant) -> Result<(), Stall> {
        while let Some(flags) = self.advance_handshake()? {
            self.wait(flags, deadline)?;
        }
        Ok(())
    }

    /// Advances the TLS handshake without waiting; `None` when it is done, else what to poll for.
    pub(crate) fn advance_handshake(&mut self) -> Result<Option<PollFlags>, Stall> {
        match &mut self.tls {
            None => Ok(None),
            Some(tls) => tls.handshake(&self.socket),
        }
    }

    fn wait(&self, flags: PollFlags, deadline: Instant) -> Result<(), Stall> {
        let left = deadline.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(Stall::Broken("it did not answer in time".into()));
        }
        let fd = match flags.contains(PollFlags::OUT) {
            true => self.socket.write_fd(),
            false => self.socket.read_fd(),
        };
        let mut fds = [PollFd::from_borrowed_fd(fd, flags)];
        match poll(&mut fds, Some(&timespec(left))) {
            Ok(_) | Err(Errno::INTR) => Ok(()),
            Err(e) => Err(Stall::Broken(std::io::Error::from(e).to_string())),
        }
    }
}

/// A duration as `poll` takes it.
pub(crate) fn timespec(d: Duration) -> Timespec {
    Timespec {
        tv_sec: i64::try_from(d.as_secs()).unwrap_or(i64::MAX),
        tv_nsec: i64::from(d.subsec_nanos()),
    }
}
