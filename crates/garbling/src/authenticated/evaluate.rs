//! The evaluator's part: active labels of all garblers, public values, and what they are checked by.

use super::garble::place;
use super::masks::Masks;
use super::rows::{Layout, Rows, mask};
use crate::garbler::Form;
use crate::tweak::{Hash, Use};
use crate::{Bits, Ports};
use tacit_circuit::schedule::Slot;
use tacit_ring::Buffer;
use zeroize::Zeroizing;

/// One instance, as the evaluator has it.
pub(super) struct Evaluator<'a> {
    pub form: Form,
    pub layout: Layout,
    pub hash: Hash,
    pub delta: u128,
    pub masks: &'a Masks,
    pub first: u64,
    pub start: usize,
    /// Garblers' blocks of this instance, by role; none at the evaluator's.
    pub tables: &'a [&'a [u128]],
    /// Lowest bits of the first garbler's zero labels, of all instances.
    pub lowest: &'a Bits,
}

/// What evaluation gives of the ANDs of one instance.
pub(super) struct Gates<'a> {
    /// Public values of both inputs.
    pub inputs: &'a mut [[u128; 2]],
    /// Public values of the output.
    pub outputs: &'a mut [u128],
    /// Active labels of the output, garbler after garbler.
    pub labels: &'a mut [u128],
}

/// What else evaluation gives.
pub(super) struct Evaluated {
    /// Public values and labels by slot, at the end.
    pub ends: Rows,
    /// Not zero where a MAC is wrong, in the form of four rows.
    pub wrong: u64,
}

impl Evaluated {
    /// Public values by slot, at the end.
    pub fn slots(&self) -> Vec<bool> {
        (0..self.ends.len()).map(|slot| self.ends.get(slot)[0] == 1).collect()
    }
}

impl Evaluator<'_> {
    /// Evaluates, from public values and active labels of inputs: for every input the value, then labels by
    /// garbler.
    pub fn evaluate(&self, ports: Ports<'_>, inputs: &Rows, gates: Gates<'_>) -> Evaluated {
        let (schedule, parties) = (ports.schedule, self.layout.parties);
        let mut wires = Rows::zeros(schedule.slots(), parties);
        for (i, input) in schedule.inputs().iter().enumerate() {
            wires.set(input.slot as usize, inputs.get(i));
        }
        let (mut gate, mut wrong) = (0, 0);
        for level in 0..=schedule.depth() {
            wires.linear_of_values(schedule.linear(level));
            if level == schedule.depth() {
                break;
            }
            let products = schedule.products(level);
            let mut level = Level {
                it: self,
                gate,
                public: Vec::with_capacity(products.len()),
                rows: Rows::zeros(products.len(), parties),
                words: Zeroizing::new(vec![0; products.len()]),
            };
            let row = |slot: Slot| wires.get(slot as usize);
            level.public.extend(products.iter().map(|p| [row(p.a)[0], row(p.b)[0]]));
            level.own_macs();
            for garbler in 1..parties {
                let list = |pick: fn(&tacit_circuit::schedule::Product) -> Slot| {
                    let labels = products.iter().map(|p| row(pick(p))[garbler]);
                    Zeroizing::new(labels.collect::<Vec<u128>>())
                };
                let inputs = [&list(|p| p.a)[..], &list(|p| p.b)];
                match self.form {
                    Form::HalfGates => level.garbler(garbler, inputs),
                    Form::FourRows => level.take_rows(garbler, inputs),
                }
            }
            match self.form {
                Form::HalfGates => level.values(),
                Form::FourRows => wrong |= level.values_of_rows(),
            }
            for (i, (product, row)) in products.iter().zip(level.rows.iter()).enumerate() {
                wires.set(product.dst as usize, row);
                gates.outputs[gate + i] = row[0];
                let labels = (gate + i) * (parties - 1);
                gates.labels[labels..labels + parties - 1].copy_from_slice(&row[1..]);
            }
            gates.inputs[gate..gate + products.len()].copy_from_slice(&level.public);
            gate += products.len();
        }
        Evaluated { ends: wires, wrong }
    }
}

/// The ANDs of a level.
pub(super) struct Level<'e, 'a> {
    pub it: &'e Evaluator<'a>,
    pub gate: usize,
    pub public: Vec<[u128; 2]>,
    /// The rows of outputs: the value, and labels by garbler, added up.
    pub rows: Rows,
    /// Garblers' shares of the value and MACs, added up, in the form of four rows.
    pub words: Zeroizing<Vec<u64>>,
}

impl Level<'_, '_> {
    /// Starts every garbler's labels with the evaluator's own MACs under that garbler's key.
    fn own_macs(&mut self) {
        let it = self.it;
        let [first, second, third] =
            it.masks.gates().map(|rows| rows.iter().skip(it.start + self.gate));
        let masks = third.zip(second.zip(first));
        let rows = self.rows.iter_mut().zip(&self.public);
        for ((row, [u, v]), (third, (second, first))) in rows.zip(masks) {
            for (garbler, label) in row.iter_mut().enumerate().skip(1) {
                let mac = it.layout.mac(garbler);
                *label = third[mac] ^ mask(*u) & second[mac] ^ mask(*v) & first[mac];
            }
        }
    }

    /// Adds what one garbler's active labels of both inputs give, for every target.
    fn garbler(&mut self, garbler: usize, inputs: [&[u128]; 2]) {
        let it = self.it;
        let (size, number) = (it.form.blocks(it.layout.parties), it.first + self.gate as u64);
        let table = &it.tables[garbler][size * self.gate..];
        for target in 1..it.layout.parties {
            let [a, b] = Use::of_inputs(inputs, |use_, labels| {
                let mut keys = vec![0; labels.len()];
                it.hash.keys(use_, [garbler, target], number, &mut keys);
                let mut labels = Zeroizing::new(labels.to_vec());
                Hash::hash(&keys, [&mut labels]);
                labels
            });
            let hashes = a.iter().zip(b.iter()).zip(inputs[0]);
            let gates = table.chunks_exact(size).zip(&self.public);
            for ((row, (table, [u, v])), ((a, b), input)) in
                self.rows.iter_mut().zip(gates).zip(hashes)
            {
                let (u, v) = (mask(*u), mask(*v));
                row[target] ^= a
                    ^ b
                    ^ match garbler == target {
                        true => u & table[0] ^ v & (table[1] ^ input),
                        false => {
                            let at = place(garbler, target);
                            table[at + 2] ^ u & table[at] ^ v & table[at + 1]
                        }
                    };
            }
        }
    }

    /// Public values of outputs: by the first garbler's labels.
    fn values(&mut self) {
        let first = self.it.start + self.gate;
        for (row, i) in self.rows.iter_mut().zip(first..) {
            row[0] = u128::from(self.it.lowest.get(i)) ^ row[1] & 1;
        }
    }
}

/// The evaluator's part of the sum by which it checks the garblers, gate by gate.
pub(super) fn authenticated(
    layout: Layout,
    masks: [&Rows; 3],
    inputs: &[[u128; 2]],
    outputs: &[u128],
    delta: u128,
) -> Buffer<u128> {
    let mut all = super::masks::authenticated(masks, layout.keys(), inputs);
    let shares = super::masks::authenticated(masks, 0, inputs);
    for (i, (out, [u, v])) in all.iter_mut().zip(inputs).enumerate() {
        *out ^= mask(shares[i] ^ u & v ^ outputs[i]) & delta;
    }
    all
}
