//! Garbling and evaluating a circuit gate by gate, of some instances side by side.

use crate::{Bits, Ports};
use tacit_circuit::schedule::{Linear, Schedule, Slot};
use tacit_ring::prg::{Permutation, hash_under};
use tacit_ring::{Buffer, hash};
use tacit_sharing::{RoleId, SharingError};

/// The key of `H`: public, the session's own.
pub(super) type HashKey = [u8; 16];

/// The key for a session.
pub(super) fn hash_key(session: &[u8]) -> HashKey {
    let key = hash::derive_key("tacit 2026 half gates", &[session]);
    *key.first_chunk().expect("sixteen of thirty-two bytes")
}

/// `H`, for one session.
pub(super) struct Hash(Permutation);

impl Hash {
    pub fn new(key: HashKey) -> Self {
        Hash(Permutation::new(key))
    }

    /// `H` of block `i` of each list, under key `i`, which is a tweak first.
    fn all<const N: usize>(&self, tweaks: &mut [u128], blocks: [&mut [u128]; N]) {
        self.0.apply(tweaks);
        hash_under(tweaks, blocks);
    }
}

/// Instances that go through a circuit side by side, if there are as many.
pub(super) const SIDE: usize = 8;

/// Room for the ANDs of a level: both inputs' labels, hashes of both labels each, and keys.
#[derive(Default)]
pub(super) struct Level {
    inputs: [Buffer<u128>; 2],
    hashes: [[Buffer<u128>; 2]; 2],
    keys: Buffer<u128>,
}

/// All ones if the lowest bit is set.
fn mask(x: u128) -> u128 {
    (x & 1).wrapping_neg()
}

/// One block per slot of each of some instances: zero labels at role 0, labels of the values at role 1.
pub(super) struct Labels<const N: usize>(Buffer<u128>);

impl<const N: usize> Labels<N> {
    /// Those of a circuit's inputs: input after input, instance after instance.
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
        let rows = self.rows();
        for gate in gates {
            match *gate {
                Linear::Xor { dst, a, b } => {
                    let (a, b) = (rows[a as usize], rows[b as usize]);
                    rows[dst as usize] = std::array::from_fn(|i| a[i] ^ b[i]);
                }
                Linear::Not { dst, a } => rows[dst as usize] = rows[a as usize].map(|a| a ^ one),
                // Role 1 has the label zero for it.
                Linear::Const { dst, value } => {
                    rows[dst as usize] = [if value { one } else { 0 }; N];
                }
            }
        }
    }
}

/// Takes labels of inputs through a circuit; `and` gives the labels of a level's ANDs, from a number on, in
/// place of those of their first inputs: AND after AND, instance after instance.
pub(super) fn walk<const N: usize>(
    schedule: &Schedule,
    mut labels: Labels<N>,
    one: u128,
    mut and: impl FnMut(usize, &mut [u128], &[u128]) -> Result<(), SharingError>,
) -> Result<Labels<N>, SharingError> {
    let [mut first, mut second] = [(); 2].map(|()| Buffer::<u128>::default());
    let mut number = 0;
    for level in 0..=schedule.depth() {
        labels.linear(schedule.linear(level), one);
        if level == schedule.depth() {
            break;
        }
        let products = schedule.products(level);
        let (a, b) = (first.sized(products.len() * N), second.sized(products.len() * N));
        let rows = labels.rows();
        let both = a.as_chunks_mut::<N>().0.iter_mut().zip(b.as_chunks_mut::<N>().0);
        for ((a, b), product) in both.zip(products) {
            (*a, *b) = (rows[product.a as usize], rows[product.b as usize]);
        }
        and(number, a, b)?;
        for (label, product) in a.as_chunks::<N>().0.iter().zip(products) {
            rows[product.dst as usize] = *label;
        }
        number += products.len();
    }
    Ok(labels)
}

/// Tweaks of the ANDs of a level, for one side: no tweak serves two gates.
fn tweaks<const N: usize>(first: [u64; N], number: usize, side: u128, keys: &mut [u128]) {
    let start = first.map(|first| 2 * (u128::from(first) + number as u128) + side);
    for (keys, i) in keys.as_chunks_mut::<N>().0.iter_mut().zip(0..) {
        *keys = start.map(|start| start + 2 * i);
    }
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
    /// Garbles a level's ANDs of zero labels `a` and `b`; `put` takes the two blocks of each, by AND and
    /// instance.
    pub fn garble(
        self,
        room: &mut Level,
        r: u128,
        a: &mut [u128],
        b: &[u128],
        mut put: impl FnMut(usize, usize, [u128; 2]),
    ) {
        let keys = room.keys.sized(a.len());
        let mut hashed = |side: u128, zeros: &[u128], room: &mut [Buffer<u128>; 2]| {
            let [zero, one] = room.each_mut().map(|list| list.sized(zeros.len()));
            zero.copy_from_slice(zeros);
            one.iter_mut().zip(zeros).for_each(|(one, zero)| *one = zero ^ r);
            tweaks(self.first, self.number, side, keys);
            self.hash.all(keys, [zero, one]);
        };
        let [of_a, of_b] = &mut room.hashes;
        hashed(0, a, of_a);
        hashed(1, b, of_b);
        let [a_zero, a_one] = of_a.each_ref().map(|list| list[..a.len()].as_chunks::<N>().0);
        let [b_zero, b_one] = of_b.each_ref().map(|list| list[..a.len()].as_chunks::<N>().0);
        let (a, b) = (a.as_chunks_mut::<N>().0, b.as_chunks::<N>().0);
        for (i, (a, b)) in a.iter_mut().zip(b).enumerate() {
            for k in 0..N {
                let (in_a, in_b) = (mask(a[k]), mask(b[k]));
                let t = a_zero[i][k] ^ a_one[i][k] ^ (in_b & r);
                let u = b_zero[i][k] ^ b_one[i][k] ^ a[k];
                put(i, k, [t, u]);
                a[k] = a_zero[i][k] ^ (in_a & t) ^ b_zero[i][k] ^ (in_b & (u ^ a[k]));
            }
        }
    }

    /// Evaluates a level's ANDs of labels `a` and `b`; `get` gives the two blocks of each.
    pub fn evaluate(
        self,
        room: &mut Level,
        a: &mut [u128],
        b: &[u128],
        get: impl Fn(usize, usize) -> [u128; 2],
    ) {
        let keys = room.keys.sized(a.len());
        let [of_a, of_b] = room.inputs.each_mut().map(|list| list.sized(a.len()));
        for (side, (of, labels)) in [(&mut *of_a, &*a), (&mut *of_b, b)].into_iter().enumerate() {
            of.copy_from_slice(labels);
            tweaks(self.first, self.number, side as u128, keys);
            self.hash.all(keys, [of]);
        }
        let (of_a, of_b) = (of_a.as_chunks::<N>().0, of_b.as_chunks::<N>().0);
        let (a, b) = (a.as_chunks_mut::<N>().0, b.as_chunks::<N>().0);
        for (i, (a, b)) in a.iter_mut().zip(b).enumerate() {
            for k in 0..N {
                let [t, u] = get(i, k);
                let of_b = of_b[i][k] ^ (mask(b[k]) & (u ^ a[k]));
                a[k] = of_a[i][k] ^ (mask(a[k]) & t) ^ of_b;
            }
        }
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
    let mut room = Level::default();
    let labels = Labels::of_inputs(ports.schedule, Buffer::default(), |i, k| inputs[k][i]);
    let labels = walk(ports.schedule, labels, r, |number, a, b| {
        Gates { hash, first, number }.garble(&mut room, r, a, b, |i, k, blocks| {
            tables[k][2 * (number + i)..][..2].copy_from_slice(&blocks);
        });
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
    let mut room = Level::default();
    let labels = Labels::of_inputs(ports.schedule, Buffer::default(), |i, k| inputs[k][i]);
    walk(ports.schedule, labels, 0, |number, a, b| {
        Gates { hash, first, number }.evaluate(&mut room, a, b, |i, k| {
            let at = 2 * (number + i);
            [tables[k][at], tables[k][at + 1]]
        });
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
