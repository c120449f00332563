//! Hash-consing: a table of wires by what drives them.
//!
//! Open addressing over wire ids; keys are recomputed from the wires themselves, so an
//! entry costs four bytes. The hash is keyed per table: a file cannot choose collisions.

use std::hash::{BuildHasher, RandomState};

use crate::form::Wire;

const EMPTY: u32 = u32::MAX;

/// Mixes words into a 64-bit hash with a secret key.
#[derive(Clone, Copy)]
pub(crate) struct Mixer {
    key: u64,
}

impl Mixer {
    fn new() -> Mixer {
        Mixer { key: RandomState::new().hash_one(0u64) | 1 }
    }

    #[inline]
    fn mix(self, state: u64, word: u64) -> u64 {
        let m = u128::from(state ^ word ^ self.key)
            * u128::from(0x9e37_79b9_7f4a_7c15 ^ self.key.rotate_left(29) | 1);
        (m as u64) ^ (m >> 64) as u64
    }

    /// Hash of a gate: its kind, a table index, and its inputs.
    #[inline]
    pub fn hash(self, kind: u8, table: u32, inputs: &[Wire]) -> u64 {
        let start = self.mix(u64::from(kind), u64::from(table));
        inputs.iter().fold(start, |s, w| self.mix(s, u64::from(w.0)))
    }
}

/// A set of wires.
pub(crate) struct Table {
    slots: Vec<u32>,
    used: usize,
    pub mixer: Mixer,
}

impl Table {
    pub fn new() -> Table {
        Table { slots: vec![EMPTY; 64], used: 0, mixer: Mixer::new() }
    }

    pub fn heap_bytes(&self) -> usize {
        4 * self.slots.capacity()
    }

    /// The wire with this hash for which `same` holds, if any.
    #[inline]
    pub fn find(&self, hash: u64, mut same: impl FnMut(Wire) -> bool) -> Option<Wire> {
        let mask = self.slots.len() - 1;
        let mut at = hash as usize & mask;
        while self.slots[at] != EMPTY {
            let w = Wire(self.slots[at]);
            if same(w) {
                return Some(w);
            }
            at = (at + 1) & mask;
        }
        None
    }

    /// Adds a wire that [`Table::find`] did not find; `rehash` gives the hash of an entry.
    #[inline]
    pub fn insert(&mut self, hash: u64, w: Wire, rehash: impl Fn(Mixer, Wire) -> u64) {
        if self.used * 4 >= self.slots.len() * 3 {
            self.grow(rehash);
        }
        self.place(hash, w);
        self.used += 1;
    }

    fn place(&mut self, hash: u64, w: Wire) {
        let mask = self.slots.len() - 1;
        let mut at = hash as usize & mask;
        while self.slots[at] != EMPTY {
            at = (at + 1) & mask;
        }
        self.slots[at] = w.0;
    }

    fn grow(&mut self, rehash: impl Fn(Mixer, Wire) -> u64) {
        let size = self.slots.len() * 2;
        let old = std::mem::replace(&mut self.slots, vec![EMPTY; size]);
        for id in old.into_iter().filter(|&id| id != EMPTY) {
            self.place(rehash(self.mixer, Wire(id)), Wire(id));
        }
    }
}
