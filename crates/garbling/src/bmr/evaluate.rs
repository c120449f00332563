//! The online phase of one instance.

use super::common::{Common, Garbled};
use crate::linear::{linear, linear_bits};
use crate::ports::KEPT;
use crate::prf::{GATES, Gates};
use crate::{Bits, Ports};
use tacit_circuit::schedule::{Linear, Product, Slot};
use tacit_ring::Buffer;
use tacit_ring::prg::{Place, ROWS, lowest_agree};
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

    fn linear(&mut self, gates: &[Linear], zero: &[u128]) {
        linear(gates, &mut self.blocks, zero);
        linear_bits(gates, &mut self.flags);
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
    let zero = vec![0; n];
    let (mut table, mut number) = (&*garbled.table, garbled.first_gate);
    for level in 0..=schedule.depth() {
        wires.linear(schedule.linear(level), &zero);
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
