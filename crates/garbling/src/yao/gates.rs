//! Garbling and evaluating a circuit gate by gate.

use crate::Ports;
use tacit_circuit::schedule::{Linear, Slot};
use tacit_ring::prg::{Permutation, hash_under};
use tacit_ring::{Buffer, hash};

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

    /// `H` of block `i` of each list, with the tweak `first + 2 i`. No tweak serves two gates.
    fn all<const N: usize>(&self, first: u128, keys: &mut [u128], blocks: [&mut [u128]; N]) {
        (0..).zip(&mut *keys).for_each(|(i, key)| *key = first + 2 * i);
        self.0.apply(keys);
        hash_under(keys, blocks);
    }
}

/// Room for the ANDs of a level: both inputs' labels, hashes of both labels each, and keys.
#[derive(Default)]
struct Level {
    inputs: [Buffer<u128>; 2],
    hashes: [[Buffer<u128>; 2]; 2],
    keys: Buffer<u128>,
}

/// All ones if the lowest bit is set.
fn mask(x: u128) -> u128 {
    (x & 1).wrapping_neg()
}

/// One block per slot: zero labels at role 0, labels of the values at role 1.
pub(super) struct Labels(Buffer<u128>);

impl Labels {
    pub fn get(&self, slot: Slot) -> u128 {
        self.0[slot as usize]
    }

    /// `one` is what negation adds: `R` at role 0, nothing at role 1.
    fn linear(&mut self, gates: &[Linear], one: u128) {
        for gate in gates {
            match *gate {
                Linear::Xor { dst, a, b } => self.0[dst as usize] = self.get(a) ^ self.get(b),
                Linear::Not { dst, a } => self.0[dst as usize] = self.get(a) ^ one,
                // Role 1 has the label zero for it.
                Linear::Const { dst, value } => self.0[dst as usize] = if value { one } else { 0 },
            }
        }
    }
}

/// Takes labels of inputs through a circuit; `and` gives the labels of a level's ANDs, from a number on, in
/// place of those of their first inputs.
fn walk(
    ports: Ports<'_>,
    inputs: &[u128],
    one: u128,
    mut and: impl FnMut(usize, &mut [u128], &[u128]),
) -> Labels {
    let schedule = ports.schedule;
    let mut labels = Labels(Buffer::zeros(schedule.slots()));
    for (input, label) in schedule.inputs().iter().zip(inputs) {
        labels.0[input.slot as usize] = *label;
    }
    let [mut first, mut second] = [(); 2].map(|()| Buffer::<u128>::default());
    let mut number = 0;
    for level in 0..=schedule.depth() {
        labels.linear(schedule.linear(level), one);
        if level == schedule.depth() {
            break;
        }
        let products = schedule.products(level);
        let (a, b) = (first.sized(products.len()), second.sized(products.len()));
        for ((a, b), product) in a.iter_mut().zip(&mut *b).zip(products) {
            (*a, *b) = (labels.get(product.a), labels.get(product.b));
        }
        and(number, a, b);
        for (label, product) in a.iter().zip(products) {
            labels.0[product.dst as usize] = *label;
        }
        number += products.len();
    }
    labels
}

/// Garbles: the two blocks of every AND, and the zero labels at the end.
pub(super) fn garble(
    hash: &Hash,
    ports: Ports<'_>,
    first_gate: u64,
    r: u128,
    inputs: &[u128],
) -> (Buffer<u128>, Labels) {
    let mut table = Buffer::zeros(2 * ports.ands());
    let mut room = Level::default();
    let labels = walk(ports, inputs, r, |number, a, b| {
        let tweak = 2 * (u128::from(first_gate) + number as u128);
        let keys = room.keys.sized(a.len());
        let mut hashed = |side: u128, zeros: &[u128], room: &mut [Buffer<u128>; 2]| {
            let [zero, one] = room.each_mut().map(|list| list.sized(zeros.len()));
            zero.copy_from_slice(zeros);
            one.iter_mut().zip(zeros).for_each(|(one, zero)| *one = zero ^ r);
            hash.all(tweak + side, keys, [zero, one]);
        };
        let [of_a, of_b] = &mut room.hashes;
        hashed(0, a, of_a);
        hashed(1, b, of_b);
        let table = table[2 * number..].as_chunks_mut::<2>().0;
        for (i, (a, table)) in a.iter_mut().zip(table).enumerate() {
            let (in_a, in_b) = (mask(*a), mask(b[i]));
            let t = of_a[0][i] ^ of_a[1][i] ^ (in_b & r);
            let u = of_b[0][i] ^ of_b[1][i] ^ *a;
            *table = [t, u];
            *a = of_a[0][i] ^ (in_a & t) ^ of_b[0][i] ^ (in_b & (u ^ *a));
        }
    });
    (table, labels)
}

/// Evaluates: the labels at the end.
pub(super) fn evaluate(
    hash: &Hash,
    ports: Ports<'_>,
    first_gate: u64,
    table: &[u128],
    inputs: &[u128],
) -> Labels {
    let mut room = Level::default();
    walk(ports, inputs, 0, |number, a, b| {
        let tweak = 2 * (u128::from(first_gate) + number as u128);
        let keys = room.keys.sized(a.len());
        let [of_a, of_b] = room.inputs.each_mut().map(|list| list.sized(a.len()));
        of_a.copy_from_slice(a);
        hash.all(tweak, keys, [&mut *of_a]);
        of_b.copy_from_slice(b);
        hash.all(tweak + 1, keys, [&mut *of_b]);
        let table = table[2 * number..].as_chunks::<2>().0;
        for (i, (a, [t, u])) in a.iter_mut().zip(table).enumerate() {
            *a = of_a[i] ^ (mask(*a) & t) ^ of_b[i] ^ (mask(b[i]) & (u ^ *a));
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hash_gives_the_known_answer() {
        let hash = Hash::new(std::array::from_fn(|i| i as u8));
        let mut block = [(1 << 127) + 0x1234];
        hash.all(9, &mut [0], [&mut block]);
        assert_eq!(hex::encode(block[0].to_le_bytes()), "c431dacc3f4ba867f4ca7a2e8bcb5aac");
    }
}
