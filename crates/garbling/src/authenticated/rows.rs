//! Authenticated shares as rows of blocks: everything about them is linear.

use crate::linear::linear;
use serde::{Deserialize, Serialize};
use tacit_circuit::schedule::Linear;
use tacit_ring::Buffer;
use tacit_sharing::RoleId;

/// Where things are in a row: the bit, as 0 or 1; a MAC under each peer's key; a key for each peer's
/// share. With keys added up, a row is *closed*: it can be used, but not opened any more.
#[derive(Clone, Copy, Serialize, Deserialize)]
pub(super) struct Layout {
    pub parties: usize,
    pub me: RoleId,
}

impl Layout {
    /// Blocks of a row.
    pub fn width(self) -> usize {
        2 * self.parties - 1
    }

    /// Blocks of a closed row.
    pub fn closed(self) -> usize {
        self.parties + 1
    }

    fn index(self, peer: RoleId) -> usize {
        debug_assert_ne!(peer, self.me, "nobody authenticates a bit to itself");
        peer - usize::from(peer > self.me)
    }

    /// The place of the MAC under a peer's key.
    pub fn mac(self, peer: RoleId) -> usize {
        1 + self.index(peer)
    }

    /// The place of the key for a peer's share.
    pub fn key(self, peer: RoleId) -> usize {
        self.parties + self.index(peer)
    }

    /// The place of all keys' sum in a closed row.
    pub fn keys(self) -> usize {
        self.parties
    }

    /// Adds a public bit to a closed row: role 0 to its share, the others to their keys for it.
    pub fn add_public_closed(self, row: &mut [u128], bit: u128, delta: u128) {
        match self.me {
            0 => row[0] ^= bit,
            _ => row[self.keys()] ^= bit * delta,
        }
    }

    /// Closes a row.
    pub fn close(self, row: &[u128], closed: &mut [u128]) {
        closed.fill(0);
        self.add_closed(row, closed);
    }

    /// Adds a row to a closed one.
    pub fn add_closed(self, row: &[u128], closed: &mut [u128]) {
        let (open, keys) = row.split_at(self.parties);
        let (sum, sum_of_keys) = closed.split_at_mut(self.parties);
        sum.iter_mut().zip(open).for_each(|(sum, block)| *sum ^= block);
        sum_of_keys[0] ^= keys.iter().fold(0, |sum, key| sum ^ key);
    }
}

/// Rows, one after the other.
#[derive(Serialize, Deserialize)]
pub(super) struct Rows {
    width: usize,
    pub blocks: Buffer<u128>,
}

impl Rows {
    pub fn zeros(count: usize, width: usize) -> Self {
        Rows { width, blocks: Buffer::zeros(count * width) }
    }

    /// Whether there are so many of so many blocks each.
    pub fn are(&self, count: usize, width: usize) -> bool {
        self.width == width && self.blocks.len() == count * width
    }

    /// Whether they are of so many blocks each, however many they are.
    pub fn are_whole(&self, width: usize) -> bool {
        self.width == width && self.blocks.len().is_multiple_of(width)
    }

    pub fn len(&self) -> usize {
        self.blocks.len() / self.width.max(1)
    }

    pub fn get(&self, i: usize) -> &[u128] {
        &self.blocks[i * self.width..(i + 1) * self.width]
    }

    pub fn get_mut(&mut self, i: usize) -> &mut [u128] {
        &mut self.blocks[i * self.width..(i + 1) * self.width]
    }

    pub fn set(&mut self, i: usize, row: &[u128]) {
        self.get_mut(i).copy_from_slice(row);
    }

    /// All rows.
    pub fn iter(&self) -> impl Iterator<Item = &[u128]> {
        self.blocks.chunks_exact(self.width.max(1))
    }

    /// All rows, to be changed.
    pub fn iter_mut(&mut self) -> impl Iterator<Item = &mut [u128]> {
        self.blocks.chunks_exact_mut(self.width.max(1))
    }

    /// Takes rows of wires through the gates that need no others. Negation and constants change public
    /// values alone.
    pub fn linear(&mut self, gates: &[Linear]) {
        linear(gates, &mut self.blocks, &vec![0; self.width]);
    }

    /// Takes rows that begin with public values through the gates that need no others. Negation and constants change
    /// the public values alone.
    pub fn linear_of_values(&mut self, gates: &[Linear]) {
        let mut one = vec![0; self.width];
        if let Some(value) = one.first_mut() {
            *value = 1;
        }
        linear(gates, &mut self.blocks, &one);
    }
}

/// Adds `from` to `to`, times 0 or all ones.
pub(super) fn add_masked(to: &mut [u128], from: &[u128], mask: u128) {
    to.iter_mut().zip(from).for_each(|(to, from)| *to ^= from & mask);
}

/// All ones for 1.
pub(super) fn mask(bit: u128) -> u128 {
    (bit & 1).wrapping_neg()
}
