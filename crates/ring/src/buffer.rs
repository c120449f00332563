//! Buffers placed for the memory system.
//!
//! Large allocations all begin at the same place within a page. Loops that read one buffer and
//! write another then touch addresses that differ by a multiple of 4096, which current CPUs take
//! for the same for a while: loads wait for stores that have nothing to do with them, and copies
//! become many times slower. A [`Buffer`] begins at a multiple of 64 bytes, and each at another
//! place within a page.
//!
//! Buffers are wiped when dropped, so their memory is zero then: a thread keeps some of it for its
//! next buffers, which need neither zeroing nor new pages.

use crate::Word;
use std::cell::RefCell;
use std::marker::PhantomData;
use std::ops::{Deref, DerefMut};
use std::sync::atomic::{AtomicUsize, Ordering};

const PAGE_BYTES: usize = 4096;
const LINE_BYTES: usize = 64;
/// Distance of consecutive buffers' places: odd in lines, so that all places come up.
const STEP_BYTES: usize = 11 * LINE_BYTES;

static PLACE: AtomicUsize = AtomicUsize::new(0);

/// A slice of words on the heap that begins at a cache line.
///
/// A buffer often holds shares: it has no `Debug`, and it is wiped when it is dropped.
///
/// ```
/// use tacit_ring::Buffer;
///
/// let mut shares = Buffer::from_slice(&[1u64, 2, 3]);
/// shares[0] = 7;
/// assert_eq!(shares[..], [7, 2, 3]);
/// assert_eq!(shares.sized(4096).len(), 4096); // a larger buffer is a new one, of zeros
/// ```
pub struct Buffer<W> {
    /// The allocation, in the widest word, so that it is aligned for every word.
    memory: Vec<u128>,
    /// Where the slice begins in the allocation, in words of `W`.
    start: usize,
    len: usize,
    word: PhantomData<W>,
}

impl<W: Word> Buffer<W> {
    /// Makes a buffer of `len` zero words.
    #[must_use]
    pub fn zeros(len: usize) -> Self {
        if len == 0 {
            return Buffer::default();
        }
        let bytes = len * size_of::<W>() + PAGE_BYTES + LINE_BYTES;
        let memory = pool::take(bytes.div_ceil(size_of::<u128>()));
        let place = PLACE.fetch_add(STEP_BYTES, Ordering::Relaxed) % PAGE_BYTES;
        let address = memory.as_ptr() as usize;
        let skip = (place + PAGE_BYTES - address % PAGE_BYTES) % PAGE_BYTES;
        Buffer { memory, start: skip / size_of::<W>(), len, word: PhantomData }
    }

    /// Makes a buffer that holds a copy of `words`.
    #[must_use]
    pub fn from_slice(words: &[W]) -> Self {
        let mut buffer = Buffer::zeros(words.len());
        buffer.copy_from_slice(words);
        buffer
    }

    /// Gives the first `len` words, with what they hold. If the buffer is shorter than that, it becomes a new one of
    /// zeros.
    pub fn sized(&mut self, len: usize) -> &mut [W] {
        if self.len < len {
            *self = Buffer::zeros(len);
        }
        &mut self[..len]
    }
}

impl<W> Default for Buffer<W> {
    fn default() -> Self {
        Buffer { memory: Vec::new(), start: 0, len: 0, word: PhantomData }
    }
}

impl<W: Word> Clone for Buffer<W> {
    fn clone(&self) -> Self {
        Buffer::from_slice(self)
    }
}

impl<W> Drop for Buffer<W> {
    fn drop(&mut self) {
        if self.memory.is_empty() {
            return;
        }
        // The words lie in these units; the others are still zero.
        let (start, end) = (self.start * size_of::<W>(), (self.start + self.len) * size_of::<W>());
        let unit = size_of::<u128>();
        wipe(&mut self.memory[start / unit..end.div_ceil(unit)]);
        pool::give(std::mem::take(&mut self.memory));
    }
}

/// Writes zeros that the compiler does not leave out, at the speed of filling memory.
fn wipe(words: &mut [u128]) {
    words.fill(0);
    zeroize::optimization_barrier(words);
}

impl<W: Word> Deref for Buffer<W> {
    type Target = [W];
    #[inline(always)]
    fn deref(&self) -> &[W] {
        &bytemuck::cast_slice(&self.memory)[self.start..self.start + self.len]
    }
}

impl<W: Word> DerefMut for Buffer<W> {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut [W] {
        &mut bytemuck::cast_slice_mut(&mut self.memory)[self.start..self.start + self.len]
    }
}

/// Zeroed memory of dropped buffers, kept by each thread for its next ones.
mod pool {
    use super::RefCell;
    use std::sync::Mutex;

    /// A thread keeps at most so many units: 256 MiB.
    const MOST: usize = 16 << 20;
    /// Buffers below so many units are not kept, because they are no burden for the allocator.
    const LEAST: usize = 1 << 10;

    struct Pool {
        /// Free memory, by size class.
        free: Vec<Vec<Vec<u128>>>,
        units: usize,
    }

    impl Pool {
        const fn empty() -> Self {
            Pool { free: Vec::new(), units: 0 }
        }

        fn pop(&mut self, class: usize) -> Option<Vec<u128>> {
            let memory = self.free.get_mut(class)?.pop()?;
            self.units -= memory.len();
            Some(memory)
        }

        /// Keeps memory of a class, if there is room.
        fn push(&mut self, class: usize, memory: Vec<u128>) {
            if self.units + memory.len() > MOST {
                return;
            }
            if self.free.len() <= class {
                self.free.resize_with(class + 1, Vec::new);
            }
            self.units += memory.len();
            self.free[class].push(memory);
        }
    }

    impl Drop for Pool {
        fn drop(&mut self) {
            // Threads that work together come and go: the next ones take it.
            let Ok(mut left) = LEFT.lock() else { return };
            for (class, free) in self.free.drain(..).enumerate() {
                free.into_iter().for_each(|memory| left.push(class, memory));
            }
        }
    }

    thread_local! {
        static POOL: RefCell<Pool> = const { RefCell::new(Pool::empty()) };
    }

    /// The memory that threads left which have ended.
    static LEFT: Mutex<Pool> = Mutex::new(Pool::empty());

    /// Gives the size class that has at least `units`, and its size. There are eight classes to each power of two.
    fn class(units: usize) -> (usize, usize) {
        let units = units.max(LEAST);
        let log = units.ilog2() as usize;
        let step = 1 << (log - 3);
        let steps = units.div_ceil(step);
        ((log << 3) + (steps - 8), steps * step)
    }

    /// Gives zeros, at least `units` of them.
    pub fn take(units: usize) -> Vec<u128> {
        let (class, size) = class(units);
        let own = POOL.try_with(|pool| pool.try_borrow_mut().ok()?.pop(class)).ok().flatten();
        let kept = own.or_else(|| LEFT.lock().ok()?.pop(class));
        kept.unwrap_or_else(|| vec![0; size])
    }

    /// Keeps zeroed memory, if there is room.
    pub fn give(memory: Vec<u128>) {
        let (class, size) = class(memory.len());
        // A thread that ends keeps nothing.
        let _ = POOL.try_with(|pool| {
            if let (Ok(mut pool), true) = (pool.try_borrow_mut(), size == memory.len()) {
                pool.push(class, memory);
            }
        });
    }

    #[cfg(test)]
    mod tests {
        use super::*;

        #[test]
        fn classes_hold_what_they_are_for_and_waste_little() {
            for units in (1..5000).chain([1 << 20, (1 << 20) + 1, 12_345_678]) {
                let (number, size) = class(units);
                assert!(size >= units && (units < LEAST || size <= units + units / 7), "{units}");
                assert_eq!(class(size), (number, size), "{units}");
            }
        }

        #[test]
        fn memory_comes_back() {
            let memory = take(5000);
            let address = memory.as_ptr();
            give(memory);
            let again = take(5000);
            assert_eq!(again.as_ptr(), address);
        }

        #[test]
        fn memory_of_a_thread_that_ended_comes_back() {
            // Of a size that no other test takes.
            let units = 3_333_333;
            let used = move || {
                let memory = take(units);
                let address = memory.as_ptr() as usize;
                give(memory);
                address
            };
            let first = std::thread::spawn(used).join().unwrap();
            assert_eq!(std::thread::spawn(used).join().unwrap(), first);
        }
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
    fn dropped_buffers_are_zero_all_over() {
        for round in 0..40 {
            for len in [1, 77, 4096, 5000] {
                let mut buffer = Buffer::<u16>::zeros(len);
                assert!(buffer.iter().all(|word| *word == 0), "round {round}");
                buffer.fill(0xabcd);
            }
        }
        let memory = pool::take(1 << 10);
        assert!(memory.iter().all(|unit| *unit == 0));
    }

    #[test]
    fn words_stay_when_a_buffer_is_long_enough() {
        let mut buffer = Buffer::from_slice(&[1u8, 2, 3]);
        assert_eq!(buffer.sized(2), [1, 2]);
        assert_eq!(buffer.sized(3), [1, 2, 3]);
        assert_eq!(buffer.sized(5), [0; 5]);
    }
}
