//! Garbling and evaluating a circuit gate by gate.

use crate::Ports;
use tacit_circuit::schedule::{Linear, Product, Slot};
use tacit_ring::Buffer;
use tacit_ring::prg::Permutation;

/// `H`, for one session.
pub(super) struct Hash(Permutation);

fn orthomorphism(x: u128) -> u128 {
    let (high, low) = (x >> 64, x & u128::from(u64::MAX));
    (high ^ low) << 64 | high
}

impl Hash {
    /// Under the session's public key.
    pub fn new(key: [u8; 16]) -> Self {
        Hash(Permutation::new(key))
    }

    /// `H(x, tweak)` of every block. No tweak serves two gates.
    fn all<const N: usize>(&self, tweak: u128, blocks: [u128; N]) -> [u128; N] {
        let mut key = [tweak];
        self.0.apply(&mut key);
        let inputs = blocks.map(orthomorphism);
        let mut hashed = inputs;
        Permutation::new(key[0].to_le_bytes()).apply(&mut hashed);
        std::array::from_fn(|i| hashed[i] ^ inputs[i])
    }
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

/// Takes labels of inputs through a circuit; `and` gives the label of each AND by its number.
fn walk(
    ports: Ports<'_>,
    inputs: &[u128],
    one: u128,
    mut and: impl FnMut(usize, u128, u128) -> u128,
) -> Labels {
    let schedule = ports.schedule;
    let mut labels = Labels(Buffer::zeros(schedule.slots()));
    for (input, label) in schedule.inputs().iter().zip(inputs) {
        labels.0[input.slot as usize] = *label;
    }
    let mut number = 0;
    for level in 0..=schedule.depth() {
        labels.linear(schedule.linear(level), one);
        if level == schedule.depth() {
            break;
        }
        for Product { dst, a, b } in schedule.products(level) {
            labels.0[*dst as usize] = and(number, labels.get(*a), labels.get(*b));
            number += 1;
        }
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
    let labels = walk(ports, inputs, r, |number, a, b| {
        let tweak = 2 * (u128::from(first_gate) + number as u128);
        let [a0, a1] = hash.all(tweak, [a, a ^ r]);
        let [b0, b1] = hash.all(tweak + 1, [b, b ^ r]);
        let t = a0 ^ a1 ^ (mask(b) & r);
        let u = b0 ^ b1 ^ a;
        [table[2 * number], table[2 * number + 1]] = [t, u];
        a0 ^ (mask(a) & t) ^ b0 ^ (mask(b) & (u ^ a))
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
    walk(ports, inputs, 0, |number, a, b| {
        let tweak = 2 * (u128::from(first_gate) + number as u128);
        let ([ha], [hb]) = (hash.all(tweak, [a]), hash.all(tweak + 1, [b]));
        let (t, u) = (table[2 * number], table[2 * number + 1]);
        ha ^ (mask(a) & t) ^ hb ^ (mask(b) & (u ^ a))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hash_gives_the_known_answer() {
        let hash = Hash::new(std::array::from_fn(|i| i as u8));
        let [block] = hash.all(9, [(1 << 127) + 0x1234]);
        assert_eq!(hex::encode(block.to_le_bytes()), "c431dacc3f4ba867f4ca7a2e8bcb5aac");
    }
}
