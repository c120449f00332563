//! Buffers placed for the memory system.
//!
//! Large allocations all begin at the same place within a page. Loops that read one buffer and
//! write another then touch addresses that differ by a multiple of 4096, which current CPUs take
//! for the same for a while: loads wait for stores that have nothing to do with them, and copies
//! become many times slower. A [`Buffer`] begins at a multiple of 64 bytes, and each at another
//! place within a page.

use crate::Word;
use std::ops::{Deref, DerefMut};
use std::sync::atomic::{AtomicUsize, Ordering};

const PAGE_BYTES: usize = 4096;
const LINE_BYTES: usize = 64;
/// Distance of consecutive buffers' places: odd in lines, so that all places come up.
const STEP_BYTES: usize = 11 * LINE_BYTES;

static PLACE: AtomicUsize = AtomicUsize::new(0);

/// A slice of words on the heap that begins at a cache line. It often holds shares: it has no
/// `Debug`, and is wiped when dropped.
pub struct Buffer<W> {
    words: Vec<W>,
    start: usize,
    len: usize,
    /// Known where `W` is known to be a word; `Drop` cannot ask for that.
    wipe: fn(&mut [W]),
}

/// Zeros that the compiler keeps, at the speed of filling memory.
fn wipe<W: Word>(words: &mut [W]) {
    words.fill(W::ZERO);
    zeroize::optimization_barrier(words);
}

impl<W: Word> Buffer<W> {
    /// `len` zero words.
    #[must_use]
    pub fn zeros(len: usize) -> Self {
        let spare = (PAGE_BYTES + LINE_BYTES) / size_of::<W>();
        let words = vec![W::ZERO; len + spare];
        let place = PLACE.fetch_add(STEP_BYTES, Ordering::Relaxed) % PAGE_BYTES;
        let address = words.as_ptr() as usize;
        let skip = (place + PAGE_BYTES - address % PAGE_BYTES) % PAGE_BYTES;
        Buffer { words, start: skip / size_of::<W>(), len, wipe }
    }

    /// A copy of `words`.
    #[must_use]
    pub fn from_slice(words: &[W]) -> Self {
        let mut buffer = Buffer::zeros(words.len());
        buffer.copy_from_slice(words);
        buffer
    }

    /// The first `len` words. A longer buffer than so far is a new one of zeros.
    pub fn sized(&mut self, len: usize) -> &mut [W] {
        if self.len < len {
            *self = Buffer::zeros(len);
        }
        &mut self[..len]
    }
}

impl<W: Word> Default for Buffer<W> {
    fn default() -> Self {
        Buffer { words: Vec::new(), start: 0, len: 0, wipe }
    }
}

impl<W: Word> Clone for Buffer<W> {
    fn clone(&self) -> Self {
        Buffer::from_slice(self)
    }
}

impl<W> Drop for Buffer<W> {
    fn drop(&mut self) {
        (self.wipe)(&mut self.words);
    }
}

impl<W> Deref for Buffer<W> {
    type Target = [W];
    #[inline(always)]
    fn deref(&self) -> &[W] {
        &self.words[self.start..self.start + self.len]
    }
}

impl<W> DerefMut for Buffer<W> {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut [W] {
        &mut self.words[self.start..self.start + self.len]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buffers_begin_at_lines_in_different_places() {
        let buffers: Vec<Buffer<u64>> = (0..8).map(|_| Buffer::zeros(1000)).collect();
        let places: std::collections::BTreeSet<usize> =
            buffers.iter().map(|b| b.as_ptr() as usize % PAGE_BYTES).collect();
        assert!(places.len() >= 4, "{places:?}");
        assert!(places.iter().all(|place| place % LINE_BYTES == 0), "{places:?}");
    }

    #[test]
    fn wiping_leaves_zeros() {
        let mut buffer = Buffer::from_slice(&[1u16, 2, 3]);
        (buffer.wipe)(&mut buffer.words);
        assert_eq!(buffer[..], [0; 3]);
    }

    #[test]
    fn words_stay_when_a_buffer_is_long_enough() {
        let mut buffer = Buffer::from_slice(&[1u8, 2, 3]);
        assert_eq!(buffer.sized(2), [1, 2]);
        assert_eq!(buffer.clone()[..], [1, 2, 3]);
        assert_eq!(buffer.sized(5), [0; 5]);
        assert!(Buffer::<u128>::default().is_empty());
    }
}
