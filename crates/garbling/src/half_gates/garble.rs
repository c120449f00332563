//! A garbler's part of all columns of an instance, and its zero labels.

use super::column_blocks;
use crate::Bits;
use crate::Ports;
use crate::bmr::{Common, Garbling, Wires};
use crate::chain::Blocks;
use crate::tweak::{Hash, Use};
use tacit_circuit::schedule::Product;
use tacit_ring::Buffer;
use tacit_ring::secret::if_set;
use zeroize::Zeroizing;

/// What a garbler makes of an instance.
pub(super) struct Made {
    /// Its part of its own column, gate after gate.
    pub own: Buffer<u128>,
    /// By garbler, its part of that one's column; none for itself.
    pub others: Vec<Buffer<u128>>,
    /// By role, its shares of the masks that the role learns.
    pub masks: Vec<Bits>,
    /// Wires that nobody learns, for further circuits.
    pub kept: Blocks,
}

/// Labels that are hashed in one go, about.
const HASHED: usize = 1 << 11;

/// ANDs that are garbled, or evaluated, in one go, where each takes so many hashes.
pub(super) fn batch(hashes: usize) -> usize {
    (HASHED / hashes).max(1)
}

/// Garbles an instance whose masks are multiplied.
pub(super) fn garble(common: &Common, hash: Hash, (ports, it): (Ports<'_>, &Garbling<'_>)) -> Made {
    let (n, size) = (common.parties, column_blocks(common.parties));
    let [sources, crossed] = it.wires();
    let (inputs, fresh) = sources.split_at(ports.schedule.inputs().len() * 2 * n);
    let column = |of: bool| Buffer::zeros(if of { size * ports.ands() } else { 0 });
    let mut garbler = Garbler {
        common,
        hash,
        first_gate: it.first_gate,
        wires: Wires::new(ports.schedule.slots(), 2 * n),
        fresh,
        crossed,
        room: Room::default(),
        own: column(true),
        others: (0..n).map(|target| column(target != common.me)).collect(),
    };
    for (input, wire) in ports.schedule.inputs().iter().zip(inputs.chunks_exact(2 * n)) {
        garbler.wires.set(input.slot, wire);
    }
    let (schedule, mut number) = (ports.schedule, 0);
    for level in 0..=schedule.depth() {
        garbler.wires.linear(schedule.linear(level));
        if level == schedule.depth() {
            break;
        }
        for products in schedule.products(level).chunks(batch(2 * n)) {
            garbler.products(number, products);
            number += products.len();
        }
    }
    let Garbler { wires, own, others, .. } = garbler;
    let share = |slot| {
        let (wire, negated) = wires.get(slot);
        (wire[n + common.me] & 1 == 1) ^ (negated & (common.me == 0))
    };
    let masks = (0..=n).map(|role| {
        let mut masks = Bits::zeros(ports.learned_by(role));
        ports
            .slots_learned_by(role)
            .enumerate()
            .for_each(|(i, slot)| masks.flip_if(i, share(slot)));
        masks
    });
    let masks = masks.collect();
    let (at, change) = common.negation();
    let kept = wires.kept(ports, |wire| wire[at] ^= change);
    Made { own, others, masks, kept }
}

/// Room for some ANDs. Of each both inputs, and of each input all targets: keys, and hashes of both labels.
#[derive(Default)]
struct Room {
    keys: Buffer<u128>,
    zeros: Buffer<u128>,
    ones: Buffer<u128>,
}

/// One garbler, at an instance.
struct Garbler<'a> {
    common: &'a Common,
    hash: Hash,
    first_gate: u64,
    /// In the layout of BMR's wires: negation changes flags, which are added to masks here.
    wires: Wires,
    /// Masks of ANDs, and products of the masks of their inputs.
    fresh: &'a [u128],
    crossed: &'a [u128],
    room: Room,
    own: Buffer<u128>,
    others: Vec<Buffer<u128>>,
}

/// A sharing, and a public bit that is added to it.
type Shared<'w> = (&'w [u128], bool);

impl Garbler<'_> {
    /// Hashes both labels of both inputs of some ANDs for all targets: AND after AND, the first inputs first, target after
    /// target.
    fn hash(&mut self, number: usize, products: &[Product]) {
        let Common { parties: n, me, .. } = *self.common;
        let r = *self.common.offset;
        let count = 2 * n * products.len();
        let Room { keys, zeros, ones } = &mut self.room;
        let (keys, zeros, ones) = (keys.sized(count), zeros.sized(count), ones.sized(count));
        let gates = (self.first_gate + number as u64..).zip(products);
        let inputs = gates.flat_map(|(gate, Product { a, b, .. })| [(gate, 0, *a), (gate, 1, *b)]);
        for (i, (gate, side, slot)) in inputs.enumerate() {
            let label = self.wires.get(slot).0[me];
            for target in 0..n {
                let at = i * n + target;
                keys[at] = self.hash.key(Use::Summed(side), [1 + me, 1 + target], gate);
                (zeros[at], ones[at]) = (label, label ^ r);
            }
        }
        Hash::hash(keys, [zeros, ones]);
    }

    /// Garbles ANDs of a level from one on.
    fn products(&mut self, number: usize, products: &[Product]) {
        self.hash(number, products);
        let Common { parties: n, me, .. } = *self.common;
        let size = column_blocks(n);
        let mut outputs = Zeroizing::new(vec![0; 2 * n * products.len()]);
        let mut third = Zeroizing::new(vec![0; 2 * n]);
        for (i, product) in products.iter().enumerate() {
            let gate = number + i;
            let [a, b] = [product.a, product.b].map(|slot| self.wires.get(slot));
            let label_a = a.0[me];
            let negated = self.third(gate, [a, b], &mut third);
            let out = &mut outputs[2 * n * i..][..2 * n];
            for target in 0..n {
                let [h_a, h_b] = [0, 1].map(|side| (2 * i + side) * n + target);
                let Room { zeros, ones, .. } = &self.room;
                let part = |shared| self.common.scaled(shared, target);
                let blocks = [
                    zeros[h_a] ^ ones[h_a] ^ part(b),
                    zeros[h_b] ^ ones[h_b] ^ part(a),
                    zeros[h_a] ^ zeros[h_b] ^ part((&third, negated)),
                ];
                if target == me {
                    let last = self.output(gate, blocks[2], out);
                    let column = [blocks[0], blocks[1] ^ label_a, last];
                    self.own[size * gate..][..size].copy_from_slice(&column[..size]);
                } else {
                    self.others[target][size * gate..][..size].copy_from_slice(&blocks);
                }
            }
        }
        for (product, out) in products.iter().zip(outputs.chunks_exact(2 * n)) {
            self.wires.set(product.dst, out);
        }
    }

    /// The sharing of the product of the masks of an AND's inputs plus the mask of its output; its public bit is returned.
    /// With one garbler, the product alone.
    fn third(&self, gate: usize, [a, b]: [Shared<'_>; 2], third: &mut [u128]) -> bool {
        let ((a, not_a), (b, not_b)) = (a, b);
        let width = third.len();
        if self.common.parties == 1 {
            third[1] = a[1] & b[1];
        } else {
            let both = self.crossed[width * gate..].iter().zip(&self.fresh[width * gate..]);
            third.iter_mut().zip(both).for_each(|(sum, (product, fresh))| *sum = product ^ fresh);
        }
        for (sum, (a, b)) in third.iter_mut().zip(a.iter().zip(b)) {
            *sum ^= if_set(not_a, *b) ^ if_set(not_b, *a);
        }
        not_a & not_b
    }

    /// The wire of an AND's output, from the block that is its zero label but for the lowest bit of role 1. Gives what this party
    /// adds to the third block of its column.
    fn output(&self, gate: usize, label: u128, out: &mut [u128]) -> u128 {
        let Common { parties: n, me, .. } = *self.common;
        let lowest = label & 1;
        if n == 1 {
            // The mask of the output, so that the zero label is even; there is no third block.
            out.copy_from_slice(&[label ^ if_set(lowest == 1, *self.common.offset), lowest]);
            return 0;
        }
        out.copy_from_slice(&self.fresh[2 * n * gate..][..2 * n]);
        let change = if me == 0 { lowest } else { 0 };
        out[me] = label ^ change;
        change
    }
}

impl Common {
    /// This party's part of a shared mask, plus a public bit, times the offset of a target.
    fn scaled(&self, (wire, bit): Shared<'_>, target: usize) -> u128 {
        let (n, me) = (self.parties, self.me);
        if target != me {
            return wire[n + target];
        }
        let keys = (0..n).filter(|peer| *peer != me).fold(0, |sum, peer| sum ^ wire[peer]);
        keys ^ if_set((wire[n + me] & 1 == 1) ^ bit, *self.offset)
    }
}
