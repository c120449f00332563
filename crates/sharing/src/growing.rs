//! Words of which more come.

use tacit_ring::{Buffer, Word};

/// Words that are added one run after the other; wiped like a [`Buffer`].
pub struct Growing<W> {
    /// Room, with the words at its beginning.
    pub buffer: Buffer<W>,
    /// How many words there are.
    pub len: usize,
}

impl<W> Default for Growing<W> {
    fn default() -> Self {
        Growing { buffer: Buffer::default(), len: 0 }
    }
}

impl<W: Word> Growing<W> {
    /// Adds words at the end.
    pub fn extend(&mut self, words: &[W]) {
        let end = self.len + words.len();
        if end > self.buffer.len() {
            let mut larger = Buffer::zeros(end.next_power_of_two());
            larger[..self.len].copy_from_slice(&self.buffer[..self.len]);
            self.buffer = larger;
        }
        self.buffer[self.len..end].copy_from_slice(words);
        self.len = end;
    }

    /// All words.
    #[must_use]
    pub fn into_buffer(self) -> Buffer<W> {
        Buffer::from_slice(&self.buffer[..self.len])
    }

    /// Takes away the first words.
    pub fn forget(&mut self, first: usize) {
        self.buffer.copy_within(first..self.len, 0);
        self.len -= first;
    }
}
