//! What a party knows of the wires of a circuit that is being garbled.

use super::chain::Blocks;
use crate::Ports;
use crate::linear::{linear, linear_bits};
use tacit_circuit::schedule::{Linear, Product, Schedule, Slot};
use zeroize::Zeroizing;

/// What every AND reads: its wires' blocks and flags.
pub(crate) struct Gate<'w> {
    pub number: usize,
    pub u: (&'w [u128], bool),
    pub v: (&'w [u128], bool),
}

/// Blocks by slot, all of them linear. Over OT: one block per party for its `K` (this party's own place holds
/// its zero label), then one per party for its `M` (this party's own place holds its share of the mask). Over
/// Shamir's sharing: the zero label, then the share of the mask.
pub(crate) struct Wires {
    width: usize,
    blocks: Zeroizing<Vec<u128>>,
    zero: Vec<u128>,
    /// Public: whether the value is the mask plus the public value plus one.
    flags: Vec<bool>,
}

impl Wires {
    pub fn new(slots: usize, width: usize) -> Self {
        Wires {
            width,
            blocks: Zeroizing::new(vec![0; slots * width]),
            zero: vec![0; width],
            flags: vec![false; slots],
        }
    }

    pub fn get(&self, slot: Slot) -> (&[u128], bool) {
        let start = slot as usize * self.width;
        (&self.blocks[start..start + self.width], self.flags[slot as usize])
    }

    pub fn set(&mut self, slot: Slot, wire: &[u128]) {
        let start = slot as usize * self.width;
        self.blocks[start..start + self.width].copy_from_slice(wire);
        self.flags[slot as usize] = false;
    }

    /// The wires that nobody learns, to go on from. The value of one is its mask plus its public value then: where it
    /// was that plus one, `negate` takes the one into the mask.
    pub fn kept(&self, ports: Ports<'_>, negate: impl Fn(&mut [u128])) -> Blocks {
        let mut all = Zeroizing::new(vec![0; ports.slots_kept().count() * self.width]);
        for (to, slot) in all.chunks_exact_mut(self.width).zip(ports.slots_kept()) {
            let (wire, flag) = self.get(slot);
            to.copy_from_slice(wire);
            if flag {
                negate(to);
            }
        }
        all
    }

    /// Negation and constants change flags alone.
    pub fn linear(&mut self, gates: &[Linear]) {
        linear(gates, &mut self.blocks, &self.zero);
        linear_bits(gates, &mut self.flags);
    }
}

impl Drop for Wires {
    fn drop(&mut self) {
        zeroize::Zeroize::zeroize(&mut self.blocks);
    }
}

/// Takes the wires of a circuit through it, and shows every AND. Gives the wires at the end.
pub(crate) fn walk(
    schedule: &Schedule,
    width: usize,
    sources: &[u128],
    mut each: impl FnMut(Gate<'_>),
) -> Wires {
    let mut wires = Wires::new(schedule.slots(), width);
    let mut sources = sources.chunks_exact(width);
    for input in schedule.inputs() {
        wires.set(input.slot, sources.next().unwrap_or_default());
    }
    let mut number = 0;
    for level in 0..=schedule.depth() {
        wires.linear(schedule.linear(level));
        if level == schedule.depth() {
            break;
        }
        for Product { dst, a, b } in schedule.products(level) {
            each(Gate { number, u: wires.get(*a), v: wires.get(*b) });
            wires.set(*dst, sources.next().unwrap_or_default());
            number += 1;
        }
    }
    wires
}
