//! Half gates of instances that are lanes: schedules of keys are computed round by round beside the blocks that they
//! encrypt, and nothing goes through memory but labels and the table.

use super::lanes::Lanes;
use super::sums::{Task, run};
use super::{Kernel, RCON, RoundKeys};
use crate::prg::halves::HalfGate;

/// What tweaks of the first AND are, by instance, and the ANDs; see [`HalfGates`](crate::prg::HalfGates), which has checked
/// all lengths and places.
type Ands<'l> = (&'l [u128], &'l [HalfGate]);

pub(in crate::prg) fn garble(
    kernel: Kernel,
    keys: &RoundKeys,
    (tweaks, gates): Ands<'_>,
    offset: u128,
    labels: &mut [u128],
    table: &mut [u128],
) {
    run(kernel, Garble { keys, tweaks, gates, offset, labels, table });
}

pub(in crate::prg) fn evaluate(
    kernel: Kernel,
    keys: &RoundKeys,
    (tweaks, gates): Ands<'_>,
    labels: &mut [u128],
    table: &[u128],
) {
    run(kernel, Evaluate { keys, tweaks, gates, labels, table });
}

struct Garble<'l> {
    keys: &'l RoundKeys,
    tweaks: &'l [u128],
    gates: &'l [HalfGate],
    offset: u128,
    labels: &'l mut [u128],
    table: &'l mut [u128],
}

impl Task for Garble<'_> {
    type Out = ();

    #[inline(always)]
    unsafe fn run<V: Lanes>(mut self) {
        // SAFETY: the caller found the features.
        unsafe {
            match V::COUNT {
                4 => self.all::<V, 2>(),
                _ => self.all::<V, 1>(),
            }
        }
    }
}

impl Garble<'_> {
    #[inline(always)]
    unsafe fn all<V: Lanes, const P: usize>(&mut self) {
        let (gates, n) = (self.gates, self.tweaks.len());
        // SAFETY: the caller found the features.
        unsafe {
            let r = V::splat(self.offset);
            for (i, gate) in gates.iter().enumerate() {
                for k in (0..n).step_by(P * V::COUNT) {
                    let keys = keys::<V, P>(self.keys, &self.tweaks[k..], i);
                    let a = load::<V, P>(self.labels, gate.inputs[0] + k);
                    let b = load::<V, P>(self.labels, gate.inputs[1] + k);
                    let mut zeros_a = a;
                    let mut zeros_b = b;
                    let mut ones_a = a;
                    let mut ones_b = b;
                    for p in 0..P {
                        zeros_a[p] = a[p].orthomorphism();
                        zeros_b[p] = b[p].orthomorphism();
                        ones_a[p] = a[p].xor(r).orthomorphism();
                        ones_b[p] = b[p].xor(r).orthomorphism();
                    }
                    let [[a_zero, a_one], [b_zero, b_one]] =
                        hash(keys, [[zeros_a, ones_a], [zeros_b, ones_b]]);
                    let (mut t, mut u, mut to) = (a, a, a);
                    for p in 0..P {
                        let (in_a, in_b) = (a[p].mask(), b[p].mask());
                        t[p] = a_zero[p].xor(a_one[p]).xor(in_b.and(r));
                        let both = b_zero[p].xor(b_one[p]);
                        u[p] = both.xor(a[p]);
                        let sum = a_zero[p].xor(b_zero[p]);
                        to[p] = sum.xor(in_a.and(t[p])).xor(in_b.and(both));
                    }
                    let row = 2 * n * i + k;
                    store(t, self.table, row);
                    store(u, self.table, row + n);
                    store(to, self.labels, gate.to + k);
                }
            }
        }
    }
}

struct Evaluate<'l> {
    keys: &'l RoundKeys,
    tweaks: &'l [u128],
    gates: &'l [HalfGate],
    labels: &'l mut [u128],
    table: &'l [u128],
}

impl Task for Evaluate<'_> {
    type Out = ();

    #[inline(always)]
    unsafe fn run<V: Lanes>(mut self) {
        // SAFETY: the caller found the features.
        unsafe {
            match V::COUNT {
                4 => self.all::<V, 2>(),
                _ => self.all::<V, 1>(),
            }
        }
    }
}

impl Evaluate<'_> {
    #[inline(always)]
    unsafe fn all<V: Lanes, const P: usize>(&mut self) {
        let (gates, n) = (self.gates, self.tweaks.len());
        // SAFETY: the caller found the features.
        unsafe {
            for (i, gate) in gates.iter().enumerate() {
                for k in (0..n).step_by(P * V::COUNT) {
                    let keys = keys::<V, P>(self.keys, &self.tweaks[k..], i);
                    let a = load::<V, P>(self.labels, gate.inputs[0] + k);
                    let b = load::<V, P>(self.labels, gate.inputs[1] + k);
                    let (mut in_a, mut in_b) = (a, b);
                    for p in 0..P {
                        in_a[p] = a[p].orthomorphism();
                        in_b[p] = b[p].orthomorphism();
                    }
                    let [[of_a], [of_b]] = hash(keys, [[in_a], [in_b]]);
                    let row = 2 * n * i + k;
                    let t = load::<V, P>(self.table, row);
                    let u = load::<V, P>(self.table, row + n);
                    let mut to = a;
                    for p in 0..P {
                        let sum = of_a[p].xor(of_b[p]).xor(a[p].mask().and(t[p]));
                        to[p] = sum.xor(b[p].mask().and(u[p].xor(a[p])));
                    }
                    store(to, self.labels, gate.to + k);
                }
            }
        }
    }
}

#[inline(always)]
unsafe fn load<V: Lanes, const P: usize>(from: &[u128], at: usize) -> [V; P] {
    let from = &from[at..at + P * V::COUNT];
    // SAFETY: the caller found the features.
    unsafe {
        let mut vectors = [V::splat(0); P];
        for (p, vector) in vectors.iter_mut().enumerate() {
            *vector = V::load(&from[p * V::COUNT..][..V::COUNT]);
        }
        vectors
    }
}

#[inline(always)]
unsafe fn store<V: Lanes, const P: usize>(vectors: [V; P], to: &mut [u128], at: usize) {
    let to = &mut to[at..at + P * V::COUNT];
    for (p, vector) in vectors.into_iter().enumerate() {
        // SAFETY: the caller found the features.
        unsafe { vector.store(&mut to[p * V::COUNT..][..V::COUNT]) };
    }
}

/// Both keys of AND `i` in some instances.
#[inline(always)]
unsafe fn keys<V: Lanes, const P: usize>(pi: &RoundKeys, tweaks: &[u128], i: usize) -> [[V; P]; 2] {
    // SAFETY: the caller found the features.
    unsafe {
        let first = load::<V, P>(tweaks, 0);
        let mut keys = [first; 2];
        let whitening = V::broadcast(&pi.0[0]);
        for (side, keys) in keys.iter_mut().enumerate() {
            let add = V::splat((2 * i + side) as u128);
            for key in keys {
                *key = key.add_words(add).xor(whitening);
            }
        }
        for round in &pi.0[1..10] {
            let round = V::broadcast(round);
            for key in keys.as_flattened_mut() {
                *key = key.round(round);
            }
        }
        let last = V::broadcast(&pi.0[10]);
        for key in keys.as_flattened_mut() {
            *key = key.last_round(last);
        }
        keys
    }
}

/// Hashes of some lists under each of two keys, from what was mixed.
#[inline(always)]
unsafe fn hash<V: Lanes, const P: usize, const L: usize>(
    mut keys: [[V; P]; 2],
    mixed: [[[V; P]; L]; 2],
) -> [[[V; P]; L]; 2] {
    let mut state = mixed;
    // SAFETY: the caller found the features.
    unsafe {
        for (lists, keys) in state.iter_mut().zip(&keys) {
            for list in lists {
                for (x, key) in list.iter_mut().zip(keys) {
                    *x = x.xor(*key);
                }
            }
        }
        for (r, rcon) in RCON.into_iter().enumerate() {
            for key in keys.as_flattened_mut() {
                *key = key.next_key(rcon);
            }
            for (lists, keys) in state.iter_mut().zip(&keys) {
                for list in lists {
                    for (x, key) in list.iter_mut().zip(keys) {
                        *x = if r < 9 { x.round(*key) } else { x.last_round(*key) };
                    }
                }
            }
        }
        for (lists, mixed) in state.iter_mut().zip(&mixed) {
            for (list, mixed) in lists.iter_mut().zip(mixed) {
                for (x, mixed) in list.iter_mut().zip(mixed) {
                    *x = x.xor(*mixed);
                }
            }
        }
    }
    state
}
