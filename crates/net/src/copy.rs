//! Copying and buffers that are fast wherever their bytes happen to lie.
//!
//! Some processors (Zen 3 among them) run the string instructions that `memcpy` and the kernel's
//! copies use for large blocks twenty times slower when the destination lies 1 to 31 bytes
//! behind the source modulo the page size. Large heap blocks start 16 bytes into a page, socket
//! buffers at the start of one: the slow case is the usual one. So large copies here go in
//! pieces that are copied with vector loads, and buffers for the kernel start at a page.

/// Below this size `memcpy` does not use string instructions.
const PIECE_BYTES: usize = 2048;
const PAGE_BYTES: usize = 4096;

/// Copies `from` over `to`, which has the same length.
#[inline]
pub(crate) fn copy(to: &mut [u8], from: &[u8]) {
    if from.len() <= PIECE_BYTES {
        to.copy_from_slice(from);
        return;
    }
    for (to, from) in to.chunks_mut(PIECE_BYTES).zip(from.chunks(PIECE_BYTES)) {
        to.copy_from_slice(from);
    }
}

/// Appends `from` to `to`.
#[inline]
pub(crate) fn append(to: &mut Vec<u8>, from: &[u8]) {
    if from.len() <= PIECE_BYTES {
        to.extend_from_slice(from);
        return;
    }
    to.reserve(from.len());
    for piece in from.chunks(PIECE_BYTES) {
        to.extend_from_slice(piece);
    }
}

/// True if the kernel may fill `buf` in place at full speed.
#[inline]
pub(crate) fn is_well_placed(buf: &[u8]) -> bool {
    buf.as_ptr().align_offset(64) == 0
}

/// A buffer that starts at a page, with a filled part `start..end`.
#[derive(Default)]
pub(crate) struct Buffer {
    bytes: Vec<u8>,
    base: usize,
    capacity: usize,
    start: usize,
    end: usize,
}

impl Buffer {
    pub(crate) fn new(capacity: usize) -> Buffer {
        // Placing does not matter for small ones.
        let spare = match capacity > PIECE_BYTES {
            true => PAGE_BYTES,
            false => 0,
        };
        let bytes = vec![0; capacity + spare];
        let base = bytes.as_ptr().align_offset(PAGE_BYTES).min(spare);
        Buffer { bytes, base, capacity, start: 0, end: 0 }
    }

    pub(crate) fn filled(&self) -> &[u8] {
        &self.bytes[self.base + self.start..self.base + self.end]
    }

    pub(crate) fn filled_mut(&mut self) -> &mut [u8] {
        &mut self.bytes[self.base + self.start..self.base + self.end]
    }

    pub(crate) fn len(&self) -> usize {
        self.end - self.start
    }

    pub(crate) fn capacity(&self) -> usize {
        self.capacity
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.start == self.end
    }

    /// The free part behind the filled one.
    pub(crate) fn room(&mut self) -> &mut [u8] {
        if self.start == self.end {
            (self.start, self.end) = (0, 0);
        }
        &mut self.bytes[self.base + self.end..self.base + self.capacity]
    }

    /// Counts `n` bytes of the room as filled.
    pub(crate) fn fill(&mut self, n: usize) {
        self.end = (self.end + n).min(self.capacity);
    }

    /// Drops `n` bytes from the front.
    pub(crate) fn consume(&mut self, n: usize) {
        self.start = (self.start + n).min(self.end);
    }

    /// Moves the filled part to the front.
    pub(crate) fn compact(&mut self) {
        let (start, end) = (self.base + self.start, self.base + self.end);
        self.bytes.copy_within(start..end, self.base);
        self.end -= self.start;
        self.start = 0;
    }

    /// Makes the buffer at least this large, keeping what is filled.
    pub(crate) fn grow(&mut self, capacity: usize) {
        if capacity > self.capacity {
            let mut larger = Buffer::new(capacity);
            larger.room()[..self.len()].copy_from_slice(self.filled());
            larger.end = self.len();
            *self = larger;
        }
    }

    /// Copies filled bytes into `out` and consumes them; returns how many.
    pub(crate) fn read(&mut self, out: &mut [u8]) -> usize {
        let n = self.len().min(out.len());
        copy(&mut out[..n], &self.filled()[..n]);
        self.consume(n);
        n
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn copies_and_buffers_keep_their_bytes() {
        let from: Vec<u8> = (0..10_000u32).map(|i| (i % 251) as u8).collect();
        let mut to = vec![0; from.len()];
        copy(&mut to, &from);
        assert_eq!(to, from);
        let mut grown = vec![1];
        append(&mut grown, &from);
        assert_eq!(&grown[1..], &from[..]);

        let mut buffer = Buffer::new(6000);
        buffer.room()[..6000].copy_from_slice(&from[..6000]);
        buffer.fill(6000);
        let mut out = vec![0; 2500];
        assert_eq!(buffer.read(&mut out), 2500);
        assert_eq!(out, &from[..2500]);
        assert!(buffer.room().is_empty());
        buffer.compact();
        assert_eq!(buffer.room().len(), 2500);
        buffer.grow(9000);
        assert_eq!(buffer.filled(), &from[2500..6000]);
        assert_eq!(buffer.room().len(), 5500);
    }
}
