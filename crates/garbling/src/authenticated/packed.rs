//! Triples as they wait to be used: shares are single bits.

use super::rows::{Layout, Rows};
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;
use tacit_ring::{Buffer, stored};
use zeroize::Zeroizing;

/// Some triples.
#[derive(Serialize, Deserialize)]
pub(super) struct Packed {
    /// This party's shares: those of all `a`, of all `b`, and of their products.
    #[serde(with = "stored::list")]
    shares: Zeroizing<Vec<u64>>,
    /// MACs and keys: of `a`, `b` and their product beside each other.
    pub blocks: Rows,
}

impl Packed {
    pub fn zeros(layout: Layout, count: usize) -> Self {
        Packed {
            shares: Zeroizing::new(vec![0; (3 * count).div_ceil(64)]),
            blocks: Rows::zeros(count, 3 * (layout.width() - 1)),
        }
    }

    pub fn len(&self) -> usize {
        self.blocks.len()
    }

    /// Whether they are of this layout, however many they are.
    pub fn are_whole(&self, layout: Layout) -> bool {
        self.blocks.are_whole(3 * (layout.width() - 1))
            && self.shares.len() == (3 * self.len()).div_ceil(64)
    }

    /// Adds up to 64 shares of one factor, from triple `i` on. Bits behind the last are zero.
    pub fn add_shares(&mut self, factor: usize, i: usize, shares: u64) {
        let at = factor * self.len() + i;
        self.shares[at / 64] ^= shares << (at % 64);
        if let Some(next) = self.shares.get_mut(at / 64 + 1) {
            *next ^= (shares >> 1) >> (63 - at % 64);
        }
    }

    /// Writes a triple as a row: `a`, `b` and their product, share first.
    fn unpack(&self, i: usize, row: &mut [u128]) {
        let (width, len) = (row.len() / 3, self.len());
        let blocks = self.blocks.get(i).chunks_exact(width - 1);
        for (factor, (row, blocks)) in row.chunks_exact_mut(width).zip(blocks).enumerate() {
            let at = factor * len + i;
            row[0] = u128::from(self.shares[at / 64] >> (at % 64) & 1);
            row[1..].copy_from_slice(blocks);
        }
    }

    /// All of them.
    #[cfg(test)]
    pub fn rows(&self, layout: Layout) -> Rows {
        let mut rows = Rows::zeros(self.len(), 3 * layout.width());
        (0..rows.len()).for_each(|i| self.unpack(i, rows.get_mut(i)));
        rows
    }
}

/// Triples piece after piece, as they were made.
pub(super) struct Triples {
    pieces: VecDeque<Packed>,
    /// How many triples of the first piece are used.
    used: usize,
    left: usize,
    width: usize,
    /// The last one given.
    row: Buffer<u128>,
}

impl Triples {
    pub fn none(layout: Layout) -> Self {
        let width = layout.width();
        Triples { pieces: VecDeque::new(), used: 0, left: 0, width, row: Buffer::zeros(3 * width) }
    }

    /// How many triples are left.
    pub fn left(&self) -> usize {
        self.left
    }

    /// The next triple: `a`, `b` and their product. It is not given again.
    pub fn next(&mut self) -> Option<[&[u128]; 3]> {
        while self.pieces.front().is_some_and(|piece| self.used == piece.len()) {
            self.pieces.pop_front();
            self.used = 0;
        }
        self.pieces.front()?.unpack(self.used, &mut self.row);
        self.used += 1;
        self.left -= 1;
        let (a, rest) = self.row.split_at(self.width);
        let (b, c) = rest.split_at(self.width);
        Some([a, b, c])
    }

    /// Adds others behind those left.
    pub fn add(&mut self, piece: Packed) {
        self.left += piece.len();
        self.pieces.push_back(piece);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn triples_come_out_in_order_as_they_went_in() {
        let layout = Layout { parties: 3, me: 1 };
        let mut triples = Triples::none(layout);
        let share = |k: usize, factor: usize| (k * (factor + 3) / 2) as u64 & 1;
        let mut next = 0;
        for count in [0, 1, 63, 64, 65, 200] {
            let mut piece = Packed::zeros(layout, count);
            for i in (0..count).step_by(64) {
                for factor in 0..3 {
                    let bits = (i..count.min(i + 64)).map(|k| share(next + k, factor) << (k - i));
                    piece.add_shares(factor, i, bits.sum());
                }
            }
            for i in 0..count {
                let blocks = piece.blocks.get_mut(i).iter_mut().enumerate();
                blocks.for_each(|(place, block)| *block = (100 * (next + i) + place) as u128);
            }
            assert!(piece.are_whole(layout));
            triples.add(piece);
            next += count;
        }
        assert_eq!(triples.left(), next);
        for k in 0..next {
            let triple = triples.next().unwrap();
            for (factor, row) in triple.into_iter().enumerate() {
                assert_eq!(row[0], u128::from(share(k, factor)), "triple {k}");
                let first = (100 * k + 4 * factor) as u128;
                assert!(row[1..].iter().copied().eq(first..first + 4));
            }
        }
        assert!(triples.next().is_none() && triples.left() == 0);
    }
}
