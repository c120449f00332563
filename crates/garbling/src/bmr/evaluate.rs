//! The online phase of one instance.

use super::common::{Common, Garbled};
use crate::ports::KEPT;
use crate::prf::{GATES, Gates};
use crate::{Bits, Ports};
use tacit_circuit::schedule::{Linear, Product, Slot};
use tacit_ring::prg::{Place, ROWS, lowest_agree};
use tacit_ring::{Buffer, simd};
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

    /// The public value of a wire: all parties' labels were found to show the same.
    fn public(&self, slot: Slot) -> usize {
        (self.blocks[slot as usize * self.parties] & 1) as usize
    }

    fn set(&mut self, slot: Slot, labels: &[u128]) {
        let range = self.range(slot);
        self.blocks[range].copy_from_slice(labels);
        self.flags[slot as usize] = false;
    }

    #[inline(always)]
    fn linear(&mut self, gates: &[Linear]) {
        for gate in gates {
            match *gate {
                Linear::Xor { dst, a, b } => {
                    let starts = [dst, a, b].map(|slot| self.range(slot).start);
                    add(&mut self.blocks, starts, self.parties);
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

impl Labels {
    /// Evaluates ANDs of a level, whose numbers count up, from their rows, with which the table begins.
    fn products(
        &mut self,
        products: &[Product],
        gates: &mut Gates<'_>,
        places: &mut Vec<Place>,
        (first, rows): (u64, &[u128]),
    ) -> Option<()> {
        let n = self.parties;
        places.clear();
        places.extend(products.iter().map(|Product { dst, a, b }| {
            let row = 2 * self.public(*a) + self.public(*b);
            let [to, a, b] = [dst, a, b].map(|slot| *slot as usize * n);
            Place { labels: [a, b], to, row }
        }));
        let agree = gates.add_sums(first, n, places, rows, &mut self.blocks);
        products.iter().for_each(|product| self.flags[product.dst as usize] = false);
        agree.then_some(())
    }
}

/// Sets so many blocks to sums of others.
#[inline(always)]
fn add(blocks: &mut [u128], starts: [usize; 3], count: usize) {
    let wires = starts.map(|start| start..start + count);
    let Ok([to, a, b]) = blocks.get_disjoint_mut(wires) else {
        // A wire is added to itself, or takes the place of one that is read.
        let [to, a, b] = starts;
        return (0..count).for_each(|i| blocks[to + i] = blocks[a + i] ^ blocks[b + i]);
    };
    let ((to, to_last), (a, a_last), (b, b_last)) =
        (to.as_chunks_mut::<4>(), a.as_chunks::<4>(), b.as_chunks::<4>());
    for ((to, a), b) in to.iter_mut().zip(a).zip(b) {
        *to = std::array::from_fn(|i| a[i] ^ b[i]);
    }
    match (to_last, a_last, b_last) {
        ([x], [a], [b]) => *x = a ^ b,
        ([x, y], [a, c], [b, d]) => (*x, *y) = (a ^ b, c ^ d),
        ([x, y, z], [a, c, e], [b, d, f]) => (*x, *y, *z) = (a ^ b, c ^ d, e ^ f),
        _ => (),
    }
}

/// The public value of a wire, if all parties' labels show the same.
fn public(labels: &[u128]) -> Option<bool> {
    let first = *labels.first()?;
    lowest_agree(labels).then_some(first & 1 == 1)
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
    let mut labels = Buffer::zeros(n);
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
    let (mut gates, mut places) = (Gates::new(&common.prf), Vec::with_capacity(GATES));
    let (mut table, mut number) = (&*garbled.table, garbled.first_gate);
    for level in 0..=schedule.depth() {
        simd::vectorize(
            #[inline(always)]
            || wires.linear(schedule.linear(level)),
        );
        if level == schedule.depth() {
            break;
        }
        for products in schedule.products(level).chunks(GATES) {
            wires.products(products, &mut gates, &mut places, (number, table))?;
            table = table.get(ROWS * n * products.len()..)?;
            number += products.len() as u64;
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wires_of_any_width_are_added_wherever_they_are() {
        for count in 1..20 {
            for [to, a, b] in [[0, 1, 2], [2, 0, 1], [1, 2, 2], [0, 0, 2], [0, 2, 0]] {
                let before: Vec<u128> = (0..3 * count as u128).map(|i| i * i + 1).collect();
                let mut blocks = before.clone();
                add(&mut blocks, [to, a, b].map(|wire| wire * count), count);
                for (at, block) in blocks.iter().enumerate() {
                    let sum = before[a * count + at % count] ^ before[b * count + at % count];
                    let want = if at / count == to { sum } else { before[at] };
                    assert_eq!(*block, want, "{count} blocks, {to} = {a} + {b}, at {at}");
                }
            }
        }
    }
}
