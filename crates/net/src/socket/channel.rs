//! One stream to and from one peer: what is staged to be sent, and what came early. Nothing
//! here blocks.

use super::wire::{Stall, Wire};
use crate::copy::{Buffer, append};
use std::collections::VecDeque;

/// Staged bytes are sent once there are this many.
pub(crate) const STAGE_BYTES: usize = 128 << 10;
/// From this size on a message goes from the caller's memory straight to the connection.
pub(crate) const DIRECT_SEND_BYTES: usize = 64 << 10;
/// From this size on a request is read straight into the caller's memory.
const DIRECT_RECV_BYTES: usize = 16 << 10;
/// Size of the buffers that bytes are read into otherwise.
const CHUNK_BYTES: usize = 128 << 10;

pub(crate) struct Channel {
    pub(crate) wire: Wire,
    /// Bytes to send; those before `staged_done` are sent.
    pub(crate) staged: Vec<u8>,
    staged_done: usize,
    early: VecDeque<Buffer>,
    early_bytes: usize,
    spare: Option<Buffer>,
    /// The peer takes nothing just now: what is sent to it stays here without waiting.
    pub(crate) stuck: bool,
    /// Why nothing more will come.
    pub(crate) ended: Option<Stall>,
}

impl Channel {
    pub(crate) fn new(wire: Wire) -> Channel {
        Channel {
            wire,
            staged: Vec::new(),
            staged_done: 0,
            early: VecDeque::new(),
            early_bytes: 0,
            spare: None,
            stuck: false,
            ended: None,
        }
    }

    pub(crate) fn stage(&mut self, bytes: &[u8]) {
        append(&mut self.staged, bytes);
    }

    pub(crate) fn has_staged(&self) -> bool {
        !self.staged.is_empty() || self.wire.has_backlog()
    }

    pub(crate) fn unsent_bytes(&self) -> usize {
        self.staged.len() - self.staged_done
    }

    pub(crate) fn kept_bytes(&self) -> usize {
        self.staged.len() + self.early_bytes
    }

    /// Sends staged bytes; `Ok` when all are with the kernel.
    pub(crate) fn send_staged(&mut self) -> Result<(), Stall> {
        while self.staged_done < self.staged.len() {
            match self.wire.write(&self.staged[self.staged_done..]) {
                Ok(n) => {
                    self.staged_done += n;
                    self.stuck = false;
                }
                Err(e) => {
                    self.drop_sent();
                    return Err(e);
                }
            }
        }
        self.staged.clear();
        self.staged_done = 0;
        self.wire.push()
    }

    /// Forgets sent bytes, unless moving the rest would cost more than keeping them.
    fn drop_sent(&mut self) {
        if self.staged_done > self.staged.len() / 2 {
            self.staged.drain(..self.staged_done);
            self.staged_done = 0;
        }
    }

    /// Reads at least one byte into `buf`: first what came early, then from the connection.
    /// `well_placed` tells about the whole request, of which `buf` may be the rest.
    pub(crate) fn read(&mut self, buf: &mut [u8], well_placed: bool) -> Result<usize, Stall> {
        if self.early_bytes > 0 {
            return Ok(self.read_early(buf));
        }
        if let Some(ended) = &self.ended {
            return Err(ended.clone());
        }
        // TLS has a buffer of its own.
        let large = buf.len() >= DIRECT_RECV_BYTES && well_placed;
        if large || self.wire.tls.is_some() {
            return self.wire.read(buf);
        }
        self.drain()?;
        Ok(self.read_early(buf))
    }

    /// Reads what is there into memory of this channel.
    pub(crate) fn drain(&mut self) -> Result<(), Stall> {
        let full = self.early.back_mut().is_none_or(|b| b.room().is_empty());
        if full {
            let buffer = self.spare.take();
            self.early.push_back(buffer.unwrap_or_else(|| Buffer::new(CHUNK_BYTES)));
        }
        let Some(buffer) = self.early.back_mut() else {
            return Err(Stall::Block);
        };
        let result = self.wire.read(buffer.room());
        match &result {
            Ok(n) => {
                buffer.fill(*n);
                self.early_bytes += n;
            }
            Err(Stall::Block) => {}
            Err(e) => self.ended = Some(e.clone()),
        }
        result.map(drop)
    }

    fn read_early(&mut self, buf: &mut [u8]) -> usize {
        let mut done = 0;
        while done < buf.len() {
            let Some(front) = self.early.front_mut() else {
                break;
            };
            done += front.read(&mut buf[done..]);
            if front.is_empty() {
                match self.early.len() {
                    1 => break,
                    _ => self.spare = self.early.pop_front(),
                }
            }
        }
        self.early_bytes -= done;
        done
    }
}
