//! Evaluation: active labels of all garblers.

use super::column_blocks;
use super::garble::batch;
use super::online::Evaluator as Garbled;
use crate::linear::linear;
use crate::ports::KEPT;
use crate::tweak::{Hash, Use};
use crate::{Bits, Ports};
use tacit_circuit::schedule::{Product, Slot};
use tacit_ring::Buffer;

/// All ones if the lowest bit is set.
fn mask(label: u128) -> u128 {
    (label & 1).wrapping_neg()
}

/// What comes of an instance.
pub(super) struct Ends {
    /// Public values of the outputs that each role learns.
    pub public: Vec<Bits>,
    /// Labels of what nobody learns, wire after wire.
    pub kept: Buffer<u128>,
}

/// Labels by slot, garbler after garbler, and room for some ANDs.
struct Evaluator<'a> {
    garblers: usize,
    hash: Hash,
    garbled: &'a Garbled,
    labels: Buffer<u128>,
    keys: Buffer<u128>,
    hashes: Buffer<u128>,
    sums: Buffer<u128>,
}

/// Evaluates an instance, from the labels of its inputs, garbler after garbler, and of what it goes on from, wire after wire.
pub(super) fn evaluate(
    hash: Hash,
    ports: Ports<'_>,
    garbled: &Garbled,
    (inputs, from): (&[Buffer<u128>], &[u128]),
) -> Ends {
    let (schedule, n) = (ports.schedule, inputs.len());
    let mut it = Evaluator {
        garblers: n,
        hash,
        garbled,
        labels: Buffer::zeros(schedule.slots() * n),
        keys: Buffer::default(),
        hashes: Buffer::default(),
        sums: Buffer::default(),
    };
    let (mut given, mut from) = (0.., from.chunks_exact(n));
    for (input, owner) in schedule.inputs().iter().zip(ports.owners()) {
        let row = &mut it.labels[input.slot as usize * n..][..n];
        match owner {
            KEPT => row.copy_from_slice(from.next().expect("as many wires as were kept")),
            _ => {
                let i = given.next().expect("no end");
                row.iter_mut().zip(inputs).for_each(|(label, of_garbler)| *label = of_garbler[i]);
            }
        }
    }
    let (zero, mut number) = (vec![0; n], 0);
    for level in 0..=schedule.depth() {
        // Negation and constants change masks alone.
        linear(schedule.linear(level), &mut it.labels, &zero);
        if level == schedule.depth() {
            break;
        }
        for products in schedule.products(level).chunks(batch(2 * n * n)) {
            it.products(number, products);
            number += products.len();
        }
    }
    let public = |role| {
        let mut bits = Bits::zeros(ports.learned_by(role));
        let slots = ports.slots_learned_by(role).enumerate();
        slots.for_each(|(i, slot)| bits.flip_if(i, it.row(slot)[0] & 1 == 1));
        bits
    };
    let public = (0..=n).map(public).collect();
    let mut kept = Buffer::zeros(ports.slots_kept().count() * n);
    for (to, slot) in kept.chunks_exact_mut(n).zip(ports.slots_kept()) {
        to.copy_from_slice(it.row(slot));
    }
    Ends { public, kept }
}

impl Evaluator<'_> {
    fn row(&self, slot: Slot) -> &[u128] {
        &self.labels[slot as usize * self.garblers..][..self.garblers]
    }

    /// Hashes the labels of both inputs of some ANDs: AND after AND, the first inputs first, owner after owner, for all targets.
    fn hash(&mut self, number: usize, products: &[Product]) {
        let n = self.garblers;
        let count = 2 * n * n * products.len();
        let (mut keys, mut hashes) =
            (std::mem::take(&mut self.keys), std::mem::take(&mut self.hashes));
        let (all_keys, all) = (keys.sized(count), hashes.sized(count));
        let gates = (self.garbled.first_gate + number as u64..).zip(products);
        let inputs = gates.flat_map(|(gate, Product { a, b, .. })| [(gate, 0, *a), (gate, 1, *b)]);
        for (i, (gate, side, slot)) in inputs.enumerate() {
            for (owner, label) in self.row(slot).iter().enumerate() {
                for target in 0..n {
                    let at = (i * n + owner) * n + target;
                    let pair = [1 + owner, 1 + target];
                    all_keys[at] = self.hash.key(Use::Summed(side), pair, gate);
                    all[at] = *label;
                }
            }
        }
        Hash::hash(all_keys, [all]);
        (self.keys, self.hashes) = (keys, hashes);
    }

    /// Evaluates ANDs of a level from one on.
    fn products(&mut self, number: usize, products: &[Product]) {
        self.hash(number, products);
        let (n, size) = (self.garblers, column_blocks(self.garblers));
        let mut sums = std::mem::take(&mut self.sums);
        let all = sums.sized(n * products.len());
        all.fill(0);
        let hashes = self.hashes.chunks_exact(2 * n * n);
        for (i, (product, hashes)) in products.iter().zip(hashes).enumerate() {
            let (a, b) = (self.row(product.a), self.row(product.b));
            let (u, v) = (mask(a[0]), mask(b[0]));
            let out = &mut all[n * i..][..n];
            for hashes in hashes.chunks_exact(n) {
                out.iter_mut().zip(hashes).for_each(|(out, hash)| *out ^= hash);
            }
            for (j, (out, column)) in out.iter_mut().zip(&self.garbled.columns).enumerate() {
                let column = &column[size * (number + i)..][..size];
                *out ^= u & column[0] ^ v & (column[1] ^ a[j]);
                *out ^= column.get(2).copied().unwrap_or(0);
            }
        }
        for (product, out) in products.iter().zip(all.chunks_exact(n)) {
            self.labels[product.dst as usize * n..][..n].copy_from_slice(out);
        }
        self.sums = sums;
    }
}
