//! Half gates of many instances side by side. Labels of all ANDs are in one list, and each AND has two keys of its own.
//! With `p(x)` the lowest bit of `x`, zero labels `a` and `b`, and a tweak `i`,
//!
//! ```text
//! T = H(a, i) ^ H(a ^ R, i) ^ p(b) R        U = H(b, i+1) ^ H(b ^ R, i+1) ^ a
//! to = H(a, i) ^ p(a) T ^ H(b, i+1) ^ p(b) (U ^ a)
//! H(x, i) = AES_k(f(x)) ^ f(x)  for  k = AES_S(i)  and  f(h, l) = (h ^ l, h)  on halves
//! ```
//!
//! `to` is the zero label of the result; of labels of values, the last line gives the result's. Sources: S. Zahur, M.
//! Rosulek, D. Evans, "Two Halves Make a Whole" (Eurocrypt 2015), and, for the hash, C. Guo, J. Katz, X. Wang, C. Weng,
//! Y. Yu, "Better Concrete Security for Half-Gates Garbling" (CRYPTO 2020).

#[cfg(target_arch = "x86_64")]
use super::x86;
use super::{BLOCK, Backend, Permutation, rekeyed};

/// The number of instances is a multiple of this.
pub const INSTANCES: usize = 8;

/// One AND: where the labels of its first instance are in their list. Those of the other instances follow them.
#[derive(Clone, Copy, Debug)]
pub struct HalfGate {
    /// The places of both inputs.
    pub inputs: [usize; 2],
    /// The place of the result.
    pub to: usize,
}

/// Garbles and evaluates ANDs as half gates, under the public key of one session.
///
/// ```
/// use tacit_ring::prg::{HalfGate, HalfGates, INSTANCES};
///
/// let delta = 0x1234_5679_u128; // the offset between the labels of zero and one; it is odd
/// let gate = HalfGate { inputs: [0, INSTANCES], to: 2 * INSTANCES };
/// let mut zero: Vec<u128> = (0..3 * INSTANCES as u128).map(|i| i * 0x9e37_79b9_7f4a).collect();
/// let mut table = vec![0; 2 * INSTANCES];
/// let halves = HalfGates::new([7; 16]);
/// halves.garble(&[0; INSTANCES], &[gate], delta, &mut zero, &mut table);
///
/// // The evaluator has the labels of one and one, and gets that of their AND.
/// let mut labels: Vec<u128> = zero.iter().map(|zero| zero ^ delta).collect();
/// halves.evaluate(&[0; INSTANCES], &[gate], &mut labels, &table);
/// assert_eq!(labels[gate.to], zero[gate.to] ^ delta);
/// ```
pub struct HalfGates {
    pi: Permutation,
    backend: Backend,
    #[cfg(target_arch = "x86_64")]
    kernel: Option<(x86::Kernel, x86::RoundKeys)>,
}

impl HalfGates {
    /// Takes the session's public key `S`, for the fastest backend of this CPU.
    #[must_use]
    pub fn new(key: [u8; BLOCK]) -> Self {
        Self::with_backend(key, Backend::best())
    }

    fn with_backend(key: [u8; BLOCK], backend: Backend) -> Self {
        HalfGates {
            pi: Permutation::with_backend(key, backend).unwrap_or_else(|| Permutation::new(key)),
            backend,
            #[cfg(target_arch = "x86_64")]
            kernel: x86::Kernel::detect(backend)
                .map(|kernel| (kernel, kernel.expand(&crate::secret::Key::from_bytes(key)))),
        }
    }

    /// Garbles ANDs, none of which reads the result of another, in all instances. `labels` has zero labels, of which
    /// those of results are written. `table` gets, AND after AND, the blocks `T` of all instances and then their
    /// blocks `U`. `tweaks` are those of the first AND, one for each instance; each next AND takes tweaks that are two
    /// more. Tweaks are used once, by this or another call under the same key.
    ///
    /// # Panics
    /// When instances are not a multiple of [`INSTANCES`], places are not in their list, `table` has not two blocks
    /// for each AND and instance, or tweaks count beyond 64 bits.
    pub fn garble(
        &self,
        tweaks: &[u128],
        gates: &[HalfGate],
        offset: u128,
        labels: &mut [u128],
        table: &mut [u128],
    ) {
        if !check(tweaks, gates, labels.len(), table.len()) {
            return;
        }
        #[cfg(target_arch = "x86_64")]
        if let Some((kernel, keys)) = &self.kernel {
            return x86::garble(*kernel, keys, (tweaks, gates), offset, labels, table);
        }
        self.each(tweaks, gates, |at, k, gate, keys| {
            let n = tweaks.len();
            let [a, b] = gate.inputs.map(|at| labels[at + k]);
            let [of_a, of_a_one] = self.hash(keys[0], [a, a ^ offset]);
            let [of_b, of_b_one] = self.hash(keys[1], [b, b ^ offset]);
            let t = of_a ^ of_a_one ^ mask(b) & offset;
            let u = of_b ^ of_b_one ^ a;
            (table[at + k], table[at + n + k]) = (t, u);
            labels[gate.to + k] = of_a ^ mask(a) & t ^ of_b ^ mask(b) & (u ^ a);
        });
    }

    /// Evaluates ANDs that were garbled, with the same tweaks, from one label of each input.
    ///
    /// # Panics
    /// When instances are not a multiple of [`INSTANCES`], places are not in their list, `table` has not two blocks
    /// for each AND and instance, or tweaks count beyond 64 bits.
    pub fn evaluate(
        &self,
        tweaks: &[u128],
        gates: &[HalfGate],
        labels: &mut [u128],
        table: &[u128],
    ) {
        if !check(tweaks, gates, labels.len(), table.len()) {
            return;
        }
        #[cfg(target_arch = "x86_64")]
        if let Some((kernel, keys)) = &self.kernel {
            return x86::evaluate(*kernel, keys, (tweaks, gates), labels, table);
        }
        self.each(tweaks, gates, |at, k, gate, keys| {
            let (t, u) = (table[at + k], table[at + tweaks.len() + k]);
            let [a, b] = gate.inputs.map(|at| labels[at + k]);
            let [of_a] = self.hash(keys[0], [a]);
            let [of_b] = self.hash(keys[1], [b]);
            labels[gate.to + k] = of_a ^ mask(a) & t ^ of_b ^ mask(b) & (u ^ a);
        });
    }

    /// Each AND in each instance: where its part of the table begins, its instance, and both keys.
    fn each(
        &self,
        tweaks: &[u128],
        gates: &[HalfGate],
        mut run: impl FnMut(usize, usize, &HalfGate, [u128; 2]),
    ) {
        for (i, gate) in gates.iter().enumerate() {
            for (k, tweak) in tweaks.iter().enumerate() {
                let mut keys = [0, 1].map(|side| tweak + 2 * i as u128 + side);
                self.pi.apply(&mut keys);
                run(2 * tweaks.len() * i, k, gate, keys);
            }
        }
    }

    fn hash<const N: usize>(&self, key: u128, blocks: [u128; N]) -> [u128; N] {
        let mut lists = blocks.map(|block| [block]);
        rekeyed::hash_with(self.backend, &[key], lists.each_mut().map(|list| &mut list[..]));
        lists.map(|[block]| block)
    }
}

/// Whether there is anything to do.
fn check(tweaks: &[u128], gates: &[HalfGate], labels: usize, table: usize) -> bool {
    let instances = tweaks.len();
    assert!(instances.is_multiple_of(INSTANCES), "instances by the eight");
    assert_eq!(table, 2 * instances * gates.len(), "two blocks for each AND and instance");
    let last = labels.checked_sub(instances);
    let fits = |gate: &HalfGate| Some(gate.inputs[0].max(gate.inputs[1]).max(gate.to)) <= last;
    assert!(gates.iter().all(fits), "a place out of range");
    let room = u64::MAX - 2 * gates.len() as u64;
    assert!(tweaks.iter().all(|tweak| (*tweak as u64) < room), "tweaks count within 64 bits");
    !tweaks.is_empty() && !gates.is_empty()
}

/// Gives all ones if the lowest bit is set, else zeros.
fn mask(x: u128) -> u128 {
    (x & 1).wrapping_neg()
}

#[cfg(test)]
mod tests {
    use super::*;

    const KEY: [u8; BLOCK] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15];
    const OFFSET: u128 = 0x1357_9bdf_0246_8ace_1122_3344_5566_7789;

    /// Numbers without a pattern.
    fn blocks(count: usize, salt: u128) -> Vec<u128> {
        let odd = 0x9E37_79B9_7F4A_7C15_F39C_C060_5CED_C835;
        (1..=count as u128).map(|i| (i + (salt << 64)).wrapping_mul(odd)).collect()
    }

    /// Some gates that share inputs, in an order without a pattern; results after all inputs.
    fn gates(count: usize, instances: usize) -> Vec<HalfGate> {
        let place = |wire: usize| wire * instances;
        let gate = |i: usize| HalfGate {
            inputs: [place(7 * i % (count + 2)), place((3 * i + 1) % (count + 2))],
            to: place(2 * count + 1 - i),
        };
        (0..count).map(gate).collect()
    }

    fn tweaks(instances: usize) -> Vec<u128> {
        (0..instances as u128).map(|k| 1 << 64 | k << 20 | 6).collect()
    }

    fn garbled(backend: Backend, count: usize, instances: usize) -> (Vec<u128>, Vec<u128>) {
        let mut labels = blocks((2 * count + 2) * instances, 1);
        let mut table = vec![9; 2 * count * instances];
        let (tweaks, gates) = (tweaks(instances), gates(count, instances));
        HalfGates::with_backend(KEY, backend).garble(
            &tweaks,
            &gates,
            OFFSET,
            &mut labels,
            &mut table,
        );
        (labels, table)
    }

    #[test]
    fn all_backends_garble_alike_and_evaluate_to_the_right_labels() {
        for (count, instances) in [(0, 8), (3, 0), (1, 8), (5, 8), (3, 16), (2, 64), (4, 24)] {
            let (zeros, table) = garbled(Backend::Portable, count, instances);
            let gates = gates(count, instances);
            for backend in Backend::available() {
                assert!(garbled(backend, count, instances) == (zeros.clone(), table.clone()));
                for values in 0..4 {
                    // Each wire has a value by its number and the instance.
                    let value = |at: usize| (at / instances + at % instances) >> values & 1 == 1;
                    let mut labels = zeros.clone();
                    let inputs = (count + 2) * instances;
                    (0..inputs).filter(|at| value(*at)).for_each(|at| labels[at] ^= OFFSET);
                    labels[inputs..].fill(0);
                    let halves = HalfGates::with_backend(KEY, backend);
                    halves.evaluate(&tweaks(instances), &gates, &mut labels, &table);
                    for (gate, k) in gates.iter().flat_map(|g| (0..instances).map(move |k| (g, k)))
                    {
                        let and = gate.inputs.iter().all(|at| value(at + k));
                        let want = zeros[gate.to + k] ^ if and { OFFSET } else { 0 };
                        assert_eq!(labels[gate.to + k], want, "{backend:?} {count} {instances}");
                    }
                }
            }
        }
    }

    /// By definition, from the hash under many keys.
    #[test]
    fn blocks_are_those_of_the_definition() {
        let before = blocks(6 * 8, 1);
        let (labels, table) = garbled(Backend::best(), 2, 8);
        let pi = Permutation::new(KEY);
        for (i, gate) in gates(2, 8).iter().enumerate() {
            for k in 0..8 {
                let hash = |x: u128, side: u128| {
                    let mut key = [tweaks(8)[k] + 2 * i as u128 + side];
                    pi.apply(&mut key);
                    let mut block = [x];
                    rekeyed::hash_under(&key, [&mut block]);
                    block[0]
                };
                let [a, b] = gate.inputs.map(|at| before[at + k]);
                let t = hash(a, 0) ^ hash(a ^ OFFSET, 0) ^ mask(b) & OFFSET;
                let u = hash(b, 1) ^ hash(b ^ OFFSET, 1) ^ a;
                assert_eq!([table[16 * i + k], table[16 * i + 8 + k]], [t, u]);
                let to = hash(a, 0) ^ mask(a) & t ^ hash(b, 1) ^ mask(b) & (u ^ a);
                assert_eq!(labels[gate.to + k], to);
            }
        }
    }

    #[test]
    #[should_panic(expected = "out of range")]
    fn places_outside_the_list_are_refused() {
        let gate = HalfGate { inputs: [0, 8], to: 17 };
        HalfGates::new(KEY).garble(&tweaks(8), &[gate], 1, &mut [0; 24], &mut [0; 16]);
    }

    #[test]
    #[should_panic(expected = "within 64 bits")]
    fn tweaks_that_would_carry_are_refused() {
        let gate = HalfGate { inputs: [0, 8], to: 16 };
        let tweaks = [u128::from(u64::MAX - 1); 8];
        HalfGates::new(KEY).garble(&tweaks, &[gate], 1, &mut [0; 24], &mut [0; 16]);
    }
}
