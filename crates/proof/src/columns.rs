//! Shared words, column by column.

use tacit_ring::Buffer;

/// Components of shared words: this role's own, and the next role's.
pub(super) type Two<'a, W> = [&'a [W]; 2];
/// Shared factors and their products.
pub(super) type Triples<W> = [[Buffer<W>; 2]; 3];

/// Room for vectors of elements, used again from proof to proof.
#[derive(Default)]
pub(super) struct Scratch {
    columns: [[Buffer<u64>; 2]; 2],
}

impl Scratch {
    /// Two vectors of `len` elements with any content.
    pub fn columns(&mut self, len: usize) -> [[&mut [u64]; 2]; 2] {
        self.columns.each_mut().map(|column| column.each_mut().map(|run| run.sized(len)))
    }
}
