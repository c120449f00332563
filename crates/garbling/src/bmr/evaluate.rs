//! The online phase of one instance.

use super::common::{Common, Garbled};
use crate::ports::KEPT;
use crate::prf::combine;
use crate::{Bits, Ports};
use tacit_circuit::schedule::{Linear, Product, Slot};
use tacit_ring::Buffer;
use tacit_sharing::RoleId;

/// Labels of all parties by slot, for the public value that each wire has.
struct Labels {
    parties: usize,
    blocks: Buffer<u128>,
    flags: Vec<bool>,
}

impl Labels {
    fn range(&self, slot: Slot) -> std::ops::Range<usize> {
        let start = slot as usize * self.parties;
        start..start + self.parties
    }

    fn get(&self, slot: Slot) -> &[u128] {
        &self.blocks[self.range(slot)]
    }

    fn set(&mut self, slot: Slot, labels: &[u128]) {
        let range = self.range(slot);
        self.blocks[range].copy_from_slice(labels);
        self.flags[slot as usize] = false;
    }

    fn linear(&mut self, gates: &[Linear]) {
        for gate in gates {
            match *gate {
                Linear::Xor { dst, a, b } => {
                    let [to, a_at, b_at] = [dst, a, b].map(|slot| slot as usize * self.parties);
                    for i in 0..self.parties {
                        self.blocks[to + i] = self.blocks[a_at + i] ^ self.blocks[b_at + i];
                    }
                    self.flags[dst as usize] = self.flags[a as usize] ^ self.flags[b as usize];
                }
                Linear::Not { dst, a } => {
                    let (from, to) = (self.range(a), self.range(dst).start);
                    self.blocks.copy_within(from, to);
                    self.flags[dst as usize] = !self.flags[a as usize];
                }
                Linear::Const { dst, value } => {
                    let range = self.range(dst);
                    self.blocks[range].fill(0);
                    self.flags[dst as usize] = value;
                }
            }
        }
    }
}

/// The public value of a wire, if all parties' labels show the same.
fn public(labels: &[u128]) -> Option<bool> {
    let first = labels.first()? & 1;
    labels.iter().all(|label| label & 1 == first).then_some(first == 1)
}

/// Evaluates, from the labels of all inputs, keeper after keeper, and of what the circuit goes on from, wire after wire.
/// Gives the public values of the outputs that each role of `learners` learns, port after port, and the labels of what
/// nobody learns. `None` when labels of one wire show different public values: some party
/// did not follow the protocol.
pub(super) fn evaluate(
    common: &Common,
    ports: Ports<'_>,
    garbled: &Garbled,
    (inputs, from): (&[Buffer<u128>], &[u128]),
    learners: &[RoleId],
) -> Option<(Vec<Bits>, Buffer<u128>)> {
    let (schedule, n) = (ports.schedule, common.columns);
    let blocks = Buffer::zeros(schedule.slots() * n);
    let mut wires = Labels { parties: n, blocks, flags: vec![false; schedule.slots()] };
    let (mut labels, mut combined) = (Buffer::zeros(n), Buffer::zeros(n));
    let (mut given, mut from) = (0.., from.chunks_exact(n));
    for (input, owner) in schedule.inputs().iter().zip(ports.owners()) {
        if owner == KEPT {
            labels.copy_from_slice(from.next()?);
        } else {
            let i = given.next()?;
            labels.iter_mut().zip(inputs).for_each(|(label, of_party)| *label = of_party[i]);
        }
        public(&labels)?;
        wires.set(input.slot, &labels);
    }
    let mut hidden = Buffer::zeros(n * n);
    let mut gates = garbled.table.chunks_exact(4 * n).zip(garbled.first_gate..);
    for level in 0..=schedule.depth() {
        wires.linear(schedule.linear(level));
        if level == schedule.depth() {
            break;
        }
        for Product { dst, a, b } in schedule.products(level) {
            let (table, number) = gates.next()?;
            let (u, v) = (wires.get(*a), wires.get(*b));
            let row = 2 * usize::from(public(u)?) + usize::from(public(v)?);
            combined.iter_mut().zip(u).zip(v).for_each(|((x, u), v)| *x = combine(*u, *v));
            common.prf.gate(number, &combined, n, &mut hidden);
            labels.copy_from_slice(&table[row * n..(row + 1) * n]);
            for hidden in hidden.chunks_exact(n) {
                labels.iter_mut().zip(hidden).for_each(|(label, hidden)| *label ^= hidden);
            }
            public(&labels)?;
            wires.set(*dst, &labels);
        }
    }
    let outputs = |role: &RoleId| {
        let mut values = Bits::zeros(ports.learned_by(*role));
        for (i, slot) in ports.slots_learned_by(*role).enumerate() {
            values.flip_if(i, public(wires.get(slot))? ^ wires.flags[slot as usize]);
        }
        Some(values)
    };
    let outputs = learners.iter().map(outputs).collect::<Option<_>>()?;
    let mut kept = Buffer::zeros(ports.slots_kept().count() * n);
    for (to, slot) in kept.chunks_exact_mut(n).zip(ports.slots_kept()) {
        public(wires.get(slot))?;
        to.copy_from_slice(wires.get(slot));
    }
    Some((outputs, kept))
}
