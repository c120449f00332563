//! One stream of one directed link between two threads: a queue of chunks that are reused.

use crate::copy::append;
use crate::error::NetError;
use crate::session_state::{POLL_INTERVAL, SessionState};
use std::collections::VecDeque;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Bytes after which a chunk is handed over.
pub(crate) const CHUNK_BYTES: usize = 128 << 10;
/// Chunks kept for reuse per channel.
const SPARE_CHUNKS: usize = 32;
/// Real time after which a sender that waits for a window sends beyond it: if two parties fill
/// each other's windows and neither reads, waiting longer would not help.
const WINDOW_PATIENCE: Duration = Duration::from_millis(200);

/// Bytes `start..end` of a chunk left back to back from `depart_ps` on.
#[derive(Copy, Clone)]
pub(crate) struct Span {
    pub(crate) start: usize,
    pub(crate) end: usize,
    pub(crate) depart_ps: u64,
}

#[derive(Default)]
pub(crate) struct Chunk {
    pub(crate) data: Vec<u8>,
    pub(crate) spans: Vec<Span>,
}

impl Chunk {
    /// Appends bytes that leave at `depart_ps`, back to back with the last ones if they follow.
    #[inline]
    pub(crate) fn append(&mut self, bytes: &[u8], depart_ps: u64, byte_ps: u64) {
        let start = self.data.len();
        append(&mut self.data, bytes);
        let end = self.data.len();
        if let Some(last) = self.spans.last_mut()
            && last.depart_ps + (last.end - last.start) as u64 * byte_ps == depart_ps
        {
            last.end = end;
            return;
        }
        self.spans.push(Span { start, end, depart_ps });
    }

    fn clear(&mut self) {
        self.data.clear();
        self.spans.clear();
    }
}

#[derive(Default)]
struct Queue {
    chunks: VecDeque<Chunk>,
    spare: Vec<Chunk>,
    bytes: usize,
    sender_gone: bool,
    receiver_gone: bool,
    receiver_waits: bool,
    sender_waits: bool,
    /// The sender waited for the window in vain, and the receiver took nothing since.
    overrun: bool,
}

pub(crate) struct Channel {
    queue: Mutex<Queue>,
    changed: Condvar,
    window: Option<usize>,
}

/// Why a receiver got nothing.
pub(crate) enum Empty {
    SenderGone,
    Deadline(Duration),
    Ended(NetError),
}

impl Channel {
    pub(crate) fn new(window: Option<usize>) -> Channel {
        Channel { queue: Mutex::default(), changed: Condvar::new(), window }
    }

    fn lock(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Hands over a chunk and returns an empty one.
    pub(crate) fn push(&self, chunk: Chunk, state: &SessionState) -> Result<Chunk, NetError> {
        let mut queue = self.lock();
        if let Some(window) = self.window {
            queue = self.await_window(queue, window, state)?;
        }
        let mut spare = queue.spare.pop().unwrap_or_default();
        if queue.receiver_gone {
            spare.clear();
            return Ok(spare);
        }
        queue.bytes += chunk.data.len();
        queue.chunks.push_back(chunk);
        if std::mem::take(&mut queue.receiver_waits) {
            self.changed.notify_all();
        }
        Ok(spare)
    }

    fn await_window<'a>(
        &self,
        mut queue: MutexGuard<'a, Queue>,
        window: usize,
        state: &SessionState,
    ) -> Result<MutexGuard<'a, Queue>, NetError> {
        let since = Instant::now();
        while queue.bytes >= window && !queue.receiver_gone && !queue.overrun {
            state.check()?;
            queue.overrun = since.elapsed() >= WINDOW_PATIENCE;
            queue.sender_waits = true;
            queue = self
                .changed
                .wait_timeout(queue, POLL_INTERVAL)
                .unwrap_or_else(PoisonError::into_inner)
                .0;
        }
        Ok(queue)
    }

    /// Takes all chunks there are into `into`, or waits for one; gives `used` ones back.
    pub(crate) fn take(
        &self,
        into: &mut VecDeque<Chunk>,
        used: &mut Vec<Chunk>,
        state: &SessionState,
        deadline: Duration,
    ) -> Result<(), Empty> {
        let mut queue = self.lock();
        self.recycle(&mut queue, used);
        let since = Instant::now();
        while queue.chunks.is_empty() {
            state.check().map_err(Empty::Ended)?;
            if queue.sender_gone {
                return Err(Empty::SenderGone);
            }
            if since.elapsed() >= deadline {
                return Err(Empty::Deadline(since.elapsed()));
            }
            queue.receiver_waits = true;
            queue = self
                .changed
                .wait_timeout(queue, POLL_INTERVAL.min(deadline))
                .unwrap_or_else(PoisonError::into_inner)
                .0;
        }
        std::mem::swap(into, &mut queue.chunks);
        queue.bytes = 0;
        queue.overrun = false;
        if std::mem::take(&mut queue.sender_waits) {
            self.changed.notify_all();
        }
        Ok(())
    }

    fn recycle(&self, queue: &mut Queue, used: &mut Vec<Chunk>) {
        for mut chunk in used.drain(..) {
            if queue.spare.len() < SPARE_CHUNKS && chunk.data.capacity() <= 2 * CHUNK_BYTES {
                chunk.clear();
                queue.spare.push(chunk);
            }
        }
    }

    pub(crate) fn sender_leaves(&self) {
        self.lock().sender_gone = true;
        self.changed.notify_all();
    }

    pub(crate) fn receiver_leaves(&self) {
        let mut queue = self.lock();
        queue.receiver_gone = true;
        queue.chunks.clear();
        queue.spare.clear();
        self.changed.notify_all();
    }
}
