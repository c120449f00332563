//! Garbling and evaluating a circuit gate by gate, of some instances side by side.

use crate::linear::linear;
use crate::{Bits, Ports};
use tacit_circuit::schedule::{Linear, Product, Schedule, Slot};
use tacit_ring::prg::{HalfGate, HalfGates, INSTANCES, Permutation, hash_under};
use tacit_ring::{Buffer, hash};
use tacit_sharing::{RoleId, SharingError};

/// Who garbles.
pub(super) const GARBLER: RoleId = 0;

/// The key of `H`: public, the session's own.
pub(super) type HashKey = [u8; 16];

/// The key for a session.
pub(super) fn hash_key(session: &[u8]) -> HashKey {
    let key = hash::derive_key("tacit 2026 half gates", &[session]);
    *key.first_chunk().expect("sixteen of thirty-two bytes")
}

/// `H`, for one session, and half gates of it.
pub(super) struct Hash {
    pi: Permutation,
    gates: HalfGates,
}

impl Hash {
    pub fn new(key: HashKey) -> Self {
        Hash { pi: Permutation::new(key), gates: HalfGates::new(key) }
    }

    /// `H` of block `i` of each list, under key `i`, which is a tweak first.
    fn all<const N: usize>(&self, tweaks: &mut [u128], blocks: [&mut [u128]; N]) {
        self.pi.apply(tweaks);
        hash_under(tweaks, blocks);
    }
}

/// Instances that go through a circuit side by side, if there are as many.
pub(super) const SIDE: usize = INSTANCES;

/// Room for the ANDs of a level. Of one instance: both inputs' labels, hashes of both labels each, and keys.
#[derive(Default)]
pub(super) struct Level {
    inputs: [Buffer<u128>; 2],
    hashes: [[Buffer<u128>; 2]; 2],
    keys: Buffer<u128>,
    /// Places of labels, for several instances.
    places: Vec<HalfGate>,
}

/// All ones if the lowest bit is set.
fn mask(x: u128) -> u128 {
    (x & 1).wrapping_neg()
}

/// One block per slot of each of some instances: zero labels at role 0, labels of the values at role 1.
pub(super) struct Labels<const N: usize>(Buffer<u128>);

impl<const N: usize> Labels<N> {
    /// The labels of a circuit's inputs: input after input, instance after instance.
    /// They lie in `room`, whatever was there.
    pub fn of_inputs(
        schedule: &Schedule,
        mut room: Buffer<u128>,
        input: impl Fn(usize, usize) -> u128,
    ) -> Self {
        room.sized(schedule.slots() * N);
        let mut labels = Labels(room);
        for (i, wire) in schedule.inputs().iter().enumerate() {
            labels.rows()[wire.slot as usize] = std::array::from_fn(|k| input(i, k));
        }
        labels
    }

    /// The room, for others.
    pub fn into_room(self) -> Buffer<u128> {
        self.0
    }

    /// The label of a slot, of an instance.
    pub fn at(&self, slot: Slot, instance: usize) -> u128 {
        self.0[slot as usize * N + instance]
    }

    fn rows(&mut self) -> &mut [[u128; N]] {
        self.0.as_chunks_mut().0
    }

    /// The lowest bits of the labels of outputs that a role learns, of an instance.
    pub fn lowest(&self, ports: Ports<'_>, role: RoleId, instance: usize) -> Bits {
        let mut bits = Bits::zeros(ports.learned_by(role));
        for (i, slot) in ports.slots_learned_by(role).enumerate() {
            bits.flip_if(i, self.at(slot, instance) & 1 == 1);
        }
        bits
    }

    /// `one` is what negation adds: `R` at role 0, nothing at role 1.
    fn linear(&mut self, gates: &[Linear], one: u128) {
        linear(gates, &mut self.0, &[one; N]);
    }
}

/// Takes labels of inputs through a circuit; `and` sets the labels of results of a level's ANDs, from a number on.
pub(super) fn walk<const N: usize>(
    schedule: &Schedule,
    mut labels: Labels<N>,
    one: u128,
    mut and: impl FnMut(usize, &[Product], &mut Labels<N>) -> Result<(), SharingError>,
) -> Result<Labels<N>, SharingError> {
    let mut number = 0;
    for level in 0..=schedule.depth() {
        labels.linear(schedule.linear(level), one);
        if level == schedule.depth() {
            break;
        }
        let products = schedule.products(level);
        and(number, products, &mut labels)?;
        number += products.len();
    }
    Ok(labels)
}

/// Tweaks of the ANDs of an instance from one on, for one side: no tweak serves two gates.
fn tweaks(first: u64, number: usize, side: u128, keys: &mut [u128]) {
    let start = tweak(first, number) + side;
    keys.iter_mut().zip(0..).for_each(|(key, i)| *key = start + 2 * i);
}

fn tweak(first: u64, number: usize) -> u128 {
    2 * (u128::from(first) + number as u128)
}

/// What both parties know of the ANDs of a level: their numbers from `number` on, counted from the first gates
/// of the instances.
#[derive(Clone, Copy)]
pub(super) struct Gates<'h, const N: usize> {
    pub hash: &'h Hash,
    pub first: [u64; N],
    pub number: usize,
}

impl<const N: usize> Gates<'_, N> {
    /// Garbles a level's ANDs of zero labels. The table gets both blocks of each: AND after AND, the first ones of all
    /// instances and then the second ones.
    pub fn garble(
        self,
        room: &mut Level,
        r: u128,
        products: &[Product],
        labels: &mut Labels<N>,
        table: &mut [u128],
    ) {
        if N == 1 {
            return self.garble_one(room, r, products, labels, table);
        }
        let tweaks = self.several(products, &mut room.places);
        self.hash.gates.garble(&tweaks, &room.places, r, &mut labels.0, table);
    }

    /// Evaluates a level's ANDs of labels, from a table like that.
    pub fn evaluate(
        self,
        room: &mut Level,
        products: &[Product],
        labels: &mut Labels<N>,
        table: &[u128],
    ) {
        if N == 1 {
            return self.evaluate_one(room, products, labels, table);
        }
        let tweaks = self.several(products, &mut room.places);
        self.hash.gates.evaluate(&tweaks, &room.places, &mut labels.0, table);
    }

    /// The tweaks of the first AND of each instance; `places` gets the places of all labels. For several instances.
    fn several(self, products: &[Product], places: &mut Vec<HalfGate>) -> [u128; N] {
        let place = |slot: Slot| slot as usize * N;
        places.clear();
        places.extend(products.iter().map(|Product { a, b, dst }| HalfGate {
            inputs: [place(*a), place(*b)],
            to: place(*dst),
        }));
        self.first.map(|first| tweak(first, self.number))
    }

    /// Garbles the ANDs of a level of one instance, side by side.
    fn garble_one(
        self,
        room: &mut Level,
        r: u128,
        products: &[Product],
        labels: &mut Labels<N>,
        table: &mut [u128],
    ) {
        let (first, count) = (self.first[0], products.len());
        let [a, b] = room.inputs.each_mut().map(|list| list.sized(count));
        gather(products, &labels.0, [a, b]);
        let keys = room.keys.sized(count);
        for (side, (zeros, hashes)) in [&*a, &*b].into_iter().zip(&mut room.hashes).enumerate() {
            let [zero, one] = hashes.each_mut().map(|list| list.sized(count));
            zero.copy_from_slice(zeros);
            one.iter_mut().zip(zeros).for_each(|(one, zero)| *one = zero ^ r);
            tweaks(first, self.number, side as u128, keys);
            self.hash.all(keys, [zero, one]);
        }
        let [[a_zero, a_one], [b_zero, b_one]] = &room.hashes;
        let table = table.as_chunks_mut::<2>().0;
        for (i, (product, both)) in products.iter().zip(table).enumerate() {
            let (in_a, in_b) = (mask(a[i]), mask(b[i]));
            let t = a_zero[i] ^ a_one[i] ^ (in_b & r);
            let u = b_zero[i] ^ b_one[i] ^ a[i];
            *both = [t, u];
            labels.0[product.dst as usize] =
                a_zero[i] ^ (in_a & t) ^ b_zero[i] ^ (in_b & (u ^ a[i]));
        }
    }

    /// Evaluates the ANDs of a level of one instance, side by side.
    fn evaluate_one(
        self,
        room: &mut Level,
        products: &[Product],
        labels: &mut Labels<N>,
        table: &[u128],
    ) {
        let (first, count) = (self.first[0], products.len());
        let [a, b] = room.inputs.each_mut().map(|list| list.sized(count));
        gather(products, &labels.0, [a, b]);
        let keys = room.keys.sized(count);
        let [[of_a, _], [of_b, _]] = &mut room.hashes;
        let [of_a, of_b] = [of_a, of_b].map(|list| list.sized(count));
        for (side, (of, labels)) in [(&mut *of_a, &*a), (&mut *of_b, &*b)].into_iter().enumerate() {
            of.copy_from_slice(labels);
            tweaks(first, self.number, side as u128, keys);
            self.hash.all(keys, [of]);
        }
        let table = table.as_chunks::<2>().0;
        for (i, (product, [t, u])) in products.iter().zip(table).enumerate() {
            let of_b = of_b[i] ^ (mask(b[i]) & (u ^ a[i]));
            labels.0[product.dst as usize] = of_a[i] ^ (mask(a[i]) & t) ^ of_b;
        }
    }
}

/// Labels of ANDs' inputs, of one instance.
fn gather(products: &[Product], labels: &[u128], [a, b]: [&mut [u128]; 2]) {
    for ((product, a), b) in products.iter().zip(a).zip(b) {
        (*a, *b) = (labels[product.a as usize], labels[product.b as usize]);
    }
}

/// Garbles some instances: the two blocks of every AND of each, and the zero labels at the end. `first` are
/// the numbers of their first gates.
pub(super) fn garble<const N: usize>(
    hash: &Hash,
    ports: Ports<'_>,
    first: [u64; N],
    r: u128,
    inputs: [&[u128]; N],
) -> Result<([Buffer<u128>; N], Labels<N>), SharingError> {
    let mut tables = [(); N].map(|()| Buffer::<u128>::zeros(2 * ports.ands()));
    let (mut room, mut table) = (Level::default(), Buffer::<u128>::default());
    let labels = Labels::of_inputs(ports.schedule, Buffer::default(), |i, k| inputs[k][i]);
    let labels = walk(ports.schedule, labels, r, |number, products, labels| {
        let table = table.sized(2 * N * products.len());
        Gates { hash, first, number }.garble(&mut room, r, products, labels, table);
        for (i, blocks) in table.chunks_exact(2 * N).enumerate() {
            for (k, to) in tables.iter_mut().enumerate() {
                to[2 * (number + i)..][..2].copy_from_slice(&[blocks[k], blocks[N + k]]);
            }
        }
        Ok(())
    })?;
    Ok((tables, labels))
}

/// Evaluates some instances: the labels at the end.
pub(super) fn evaluate<const N: usize>(
    hash: &Hash,
    ports: Ports<'_>,
    first: [u64; N],
    tables: [&[u128]; N],
    inputs: [&[u128]; N],
) -> Result<Labels<N>, SharingError> {
    let (mut room, mut table) = (Level::default(), Buffer::<u128>::default());
    let labels = Labels::of_inputs(ports.schedule, Buffer::default(), |i, k| inputs[k][i]);
    walk(ports.schedule, labels, 0, |number, products, labels| {
        let table = table.sized(2 * N * products.len());
        for (i, blocks) in table.chunks_exact_mut(2 * N).enumerate() {
            for (k, from) in tables.iter().enumerate() {
                let at = 2 * (number + i);
                (blocks[k], blocks[N + k]) = (from[at], from[at + 1]);
            }
        }
        Gates { hash, first, number }.evaluate(&mut room, products, labels, table);
        Ok(())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hash_gives_the_known_answer() {
        let hash = Hash::new(std::array::from_fn(|i| i as u8));
        let mut block = [(1 << 127) + 0x1234];
        hash.all(&mut [9], [&mut block]);
        assert_eq!(hex::encode(block[0].to_le_bytes()), "c431dacc3f4ba867f4ca7a2e8bcb5aac");
    }
}
