//! A garbler's part: labels, half gates, and the transport of its MACs to the evaluator.

use super::EVALUATOR;
use super::four_rows::labels_of_outputs;
use super::masks::Masks;
use super::rows::{Layout, mask};
use crate::garbler::Form;
use crate::linear::{linear, linear_bits};
use crate::tweak::{Hash, Use};
use crate::{Bits, Ports};
use tacit_circuit::schedule::{Product, Slot};
use tacit_ring::Buffer;
use tacit_sharing::RoleId;
use zeroize::Zeroizing;

/// What a garbler makes of one instance.
pub(super) struct Made {
    /// Blocks of every gate: its own half gates, then three for each other garbler; or four rows.
    pub table: Buffer<u128>,
    /// Zero labels of the outputs of ANDs; of four rows, of what this party learns.
    pub labels: Buffer<u128>,
    /// Zero labels of what nobody learns.
    pub kept: Buffer<u128>,
}

/// A garbler of one instance.
pub(super) struct Garbler<'a> {
    pub form: Form,
    pub layout: Layout,
    pub hash: Hash,
    pub delta: u128,
    pub masks: &'a Masks,
    /// The number of the first gate: among all of this worker, and among the masks.
    pub first: u64,
    pub start: usize,
}

impl Garbler<'_> {
    /// Garbles, from zero labels of the inputs and, of four rows, of the outputs of ANDs.
    pub fn garble(&self, ports: Ports<'_>, inputs: &[u128], drawn: &[u128]) -> Made {
        let schedule = ports.schedule;
        let mut wires = Buffer::<u128>::zeros(schedule.slots());
        for (input, label) in schedule.inputs().iter().zip(inputs) {
            wires[input.slot as usize] = *label;
        }
        let size = self.form.blocks(self.layout.parties);
        let labels = match self.form {
            Form::HalfGates => Buffer::zeros(ports.ands()),
            Form::FourRows => Buffer::from_slice(drawn),
        };
        let table = Buffer::zeros(size * ports.ands());
        let mut made = Made { table, labels, kept: Buffer::zeros(ports.slots_kept().count()) };
        let mut gate = 0;
        for level in 0..=schedule.depth() {
            // The evaluator has the label zero for the constant one.
            linear(schedule.linear(level), &mut wires, &[self.delta]);
            if level == schedule.depth() {
                break;
            }
            let products = schedule.products(level);
            let of = |slot: Slot| wires[slot as usize];
            let [first, second] = [|p: &Product| p.a, |p: &Product| p.b].map(|slot| {
                Zeroizing::new(products.iter().map(|p| of(slot(p))).collect::<Vec<u128>>())
            });
            let after = gate + products.len();
            let (table, labels) =
                (&mut made.table[size * gate..size * after], &mut made.labels[gate..after]);
            match self.form {
                Form::HalfGates => self.half_gates(gate, [&first, &second], table, labels),
                Form::FourRows => self.four_rows(gate, [&first, &second], table, labels),
            }
            for (product, label) in products.iter().zip(&*labels) {
                wires[product.dst as usize] = *label;
            }
            gate = after;
        }
        for (label, slot) in made.kept.iter_mut().zip(ports.slots_kept()) {
            *label = wires[slot as usize];
        }
        if self.form == Form::FourRows {
            made.labels = labels_of_outputs(ports, self.layout, &wires);
        }
        made
    }

    fn half_gates(
        &self,
        gate: usize,
        inputs: [&[u128]; 2],
        table: &mut [u128],
        labels: &mut [u128],
    ) {
        self.own(gate, inputs, table, labels);
        let garblers = 1..self.layout.parties;
        let others = garblers.filter(|target| *target != self.layout.me);
        for (place, target) in others.enumerate() {
            self.transport(gate, target, inputs, 2 + 3 * place, table);
        }
    }

    /// Hashes of both labels of both inputs, for a target.
    fn hashes(
        &self,
        gate: usize,
        target: RoleId,
        inputs: [&[u128]; 2],
    ) -> [[Zeroizing<Vec<u128>>; 2]; 2] {
        Use::of_inputs(inputs, |use_, zeros| {
            let mut keys = vec![0; zeros.len()];
            let pair = [self.layout.me, target];
            self.hash.keys(use_, pair, self.first + gate as u64, &mut keys);
            let ones = zeros.iter().map(|zero| zero ^ self.delta).collect();
            let mut ones: Zeroizing<Vec<u128>> = Zeroizing::new(ones);
            let mut zeros = Zeroizing::new(zeros.to_vec());
            Hash::hash(&keys, [&mut zeros, &mut ones]);
            [zeros, ones]
        })
    }

    /// The share of a mask times Delta, from a closed row.
    pub(super) fn scaled(&self, row: &[u128]) -> u128 {
        (mask(row[0]) & self.delta) ^ row[self.layout.keys()]
    }

    /// The half gates of this party's own labels, and the zero labels of outputs.
    fn own(&self, gate: usize, inputs: [&[u128]; 2], table: &mut [u128], labels: &mut [u128]) {
        let [[a0, a1], [b0, b1]] = self.hashes(gate, self.layout.me, inputs);
        let tables = table.chunks_exact_mut(self.form.blocks(self.layout.parties));
        for (i, (table, label)) in tables.zip(labels).enumerate() {
            let at = self.start + gate + i;
            let (first, second, third) =
                (self.masks.first.get(at), self.masks.second.get(at), self.masks.third.get(at));
            table[0] = a0[i] ^ a1[i] ^ self.scaled(second);
            table[1] = b0[i] ^ b1[i] ^ self.scaled(first) ^ inputs[0][i];
            *label = a0[i] ^ b0[i] ^ self.scaled(third);
        }
    }

    /// This party's MACs under another garbler's key, for the evaluator.
    fn transport(
        &self,
        gate: usize,
        target: RoleId,
        inputs: [&[u128]; 2],
        place: usize,
        table: &mut [u128],
    ) {
        let [[a0, a1], [b0, b1]] = self.hashes(gate, target, inputs);
        let (mac, size) = (self.layout.mac(target), self.form.blocks(self.layout.parties));
        for (i, table) in table.chunks_exact_mut(size).enumerate() {
            let at = self.start + gate + i;
            table[place] = a0[i] ^ a1[i] ^ self.masks.second.get(at)[mac];
            table[place + 1] = b0[i] ^ b1[i] ^ self.masks.first.get(at)[mac];
            table[place + 2] = a0[i] ^ b0[i] ^ self.masks.third.get(at)[mac];
        }
    }
}

/// Takes public values of inputs and of AND outputs, from one on, through the circuit: writes those of both inputs of
/// every AND, and gives those of slots at the end.
pub(super) fn follow(
    ports: Ports<'_>,
    inputs: impl Iterator<Item = bool>,
    (outputs, start): (&Bits, usize),
    pairs: &mut [[u128; 2]],
) -> Vec<bool> {
    let schedule = ports.schedule;
    let mut slots = vec![false; schedule.slots()];
    for (input, value) in schedule.inputs().iter().zip(inputs) {
        slots[input.slot as usize] = value;
    }
    let mut gate = 0;
    for level in 0..=schedule.depth() {
        linear_bits(schedule.linear(level), &mut slots);
        if level == schedule.depth() {
            break;
        }
        for Product { a, b, .. } in schedule.products(level) {
            pairs[gate] = [a, b].map(|slot| u128::from(slots[*slot as usize]));
            gate += 1;
        }
        let first = start + gate - schedule.products(level).len();
        for (i, product) in schedule.products(level).iter().enumerate() {
            slots[product.dst as usize] = outputs.get(first + i);
        }
    }
    slots
}

/// The place of a garbler's blocks for `target`, at `from`.
pub(super) fn place(from: RoleId, target: RoleId) -> usize {
    debug_assert!(from != target && from != EVALUATOR && target != EVALUATOR);
    2 + 3 * (target - 1 - usize::from(target > from))
}

/// The lowest bits of `labels`, for the evaluator.
pub(super) fn lowest_bits(labels: &[u128], at: usize, bits: &mut Bits) {
    labels.iter().enumerate().for_each(|(i, label)| bits.flip_if(at + i, mask(*label) != 0));
}
