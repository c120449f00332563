//! Half gates of instances that are lanes: schedules of keys are computed round by round beside the blocks that they
//! encrypt, and nothing goes through memory but labels and the table.
// Iterators over arrays of vectors would do the same, but are not always unrolled.
#![allow(clippy::needless_range_loop)]

use super::lanes::Lanes;
use super::sums::{Task, run};
use super::{Kernel, RCON, RoundKeys};
use crate::prg::halves::HalfGate;

/// What tweaks of the first AND are, by instance, and the ANDs; see [`HalfGates`](crate::prg::HalfGates), which has
/// checked all lengths and places.
type Ands<'l> = (&'l [u128], &'l [HalfGate]);

pub(in crate::prg) fn garble(
    kernel: Kernel,
    keys: &RoundKeys,
    (tweaks, gates): Ands<'_>,
    offset: u128,
    labels: &mut [u128],
    table: &mut [u128],
) {
    run(kernel, (Walk { keys, tweaks, gates }, Garble { offset, labels, table }));
}

pub(in crate::prg) fn evaluate(
    kernel: Kernel,
    keys: &RoundKeys,
    (tweaks, gates): Ands<'_>,
    labels: &mut [u128],
    table: &[u128],
) {
    run(kernel, (Walk { keys, tweaks, gates }, Evaluate { labels, table }));
}

/// ANDs in some instances that fill `P` vectors, one after the other, and the keys of the next ones.
///
/// Keys are made from tweaks while the blocks before them are encrypted, as both wait for their own last round most of
/// the time.
struct Walk<'l> {
    keys: &'l RoundKeys,
    tweaks: &'l [u128],
    gates: &'l [HalfGate],
}

/// The number of an AND, the AND, and the first of some instances.
type At<'l> = (usize, &'l HalfGate, usize);

impl<'l> Walk<'l> {
    /// Every AND in all instances, `step` of them at a time.
    #[inline(always)]
    fn all(&self, step: usize) -> impl Iterator<Item = At<'l>> + use<'l> {
        let instances = self.tweaks.len();
        let gates = self.gates.iter().enumerate();
        gates.flat_map(move |(i, gate)| (0..instances).step_by(step).map(move |k| (i, gate, k)))
    }

    /// What keys after those of some instances of an AND are made from.
    #[inline(always)]
    unsafe fn after<V: Lanes, const P: usize>(&self, (i, _, k): At<'_>) -> Keys<V, P> {
        let next = k + P * V::COUNT;
        // SAFETY: the caller found the features.
        unsafe {
            match next < self.tweaks.len() {
                true => self.begin(i, next),
                false => self.begin(i + 1, 0),
            }
        }
    }

    #[inline(always)]
    unsafe fn begin<V: Lanes, const P: usize>(&self, i: usize, k: usize) -> Keys<V, P> {
        // SAFETY: the caller found the features.
        unsafe {
            let tweaks = load::<V, P>(self.tweaks, k);
            let whitening = V::broadcast(&self.keys.0[0]);
            let mut keys = [tweaks; 2];
            for side in 0..2 {
                let add = V::splat((2 * i + side) as u128);
                for p in 0..P {
                    keys[side][p] = tweaks[p].add_words(add).xor(whitening);
                }
            }
            keys
        }
    }

    /// The first keys.
    #[inline(always)]
    unsafe fn first<V: Lanes, const P: usize>(&self) -> Keys<V, P> {
        // SAFETY: the caller found the features.
        unsafe {
            let mut keys = self.begin(0, 0);
            for round in 1..11 {
                self.go_on(&mut keys, round);
            }
            keys
        }
    }

    /// A round of making keys.
    #[inline(always)]
    unsafe fn go_on<V: Lanes, const P: usize>(&self, keys: &mut Keys<V, P>, round: usize) {
        // SAFETY: the caller found the features.
        unsafe {
            let key = V::broadcast(&self.keys.0[round]);
            for side in 0..2 {
                for p in 0..P {
                    let block = keys[side][p];
                    keys[side][p] =
                        if round < 10 { block.round(key) } else { block.last_round(key) };
                }
            }
        }
    }

    /// Hashes of some lists under each of two keys, from what was mixed; and the next keys in place of these, from what
    /// they are made from.
    ///
    /// Loops are over arrays, one within the other: those over flat slices would keep vectors in memory.
    #[inline(always)]
    unsafe fn hash<V: Lanes, const P: usize, const L: usize>(
        &self,
        keys: &mut Keys<V, P>,
        mut next: Keys<V, P>,
        mixed: [[[V; P]; L]; 2],
    ) -> [[[V; P]; L]; 2] {
        let mut state = mixed;
        // SAFETY: the caller found the features.
        unsafe {
            for side in 0..2 {
                for list in 0..L {
                    for p in 0..P {
                        state[side][list][p] = state[side][list][p].xor(keys[side][p]);
                    }
                }
            }
            for round in 1..10 {
                for side in 0..2 {
                    for p in 0..P {
                        keys[side][p] = keys[side][p].next_key(RCON[round - 1]);
                        for list in 0..L {
                            state[side][list][p] = state[side][list][p].round(keys[side][p]);
                        }
                    }
                }
                self.go_on(&mut next, round);
            }
            for side in 0..2 {
                for p in 0..P {
                    let last = keys[side][p].next_key(RCON[9]);
                    for list in 0..L {
                        let block = state[side][list][p].last_round(last);
                        state[side][list][p] = block.xor(mixed[side][list][p]);
                    }
                }
            }
            self.go_on(&mut next, 10);
        }
        *keys = next;
        state
    }
}

/// For both inputs.
type Keys<V, const P: usize> = [[V; P]; 2];

/// What is done with an AND in some instances.
trait Gates {
    /// Takes its keys, and leaves the next ones.
    ///
    /// # Safety
    /// The CPU has the features of the vectors.
    unsafe fn gate<V: Lanes, const P: usize>(
        &mut self,
        walk: &Walk<'_>,
        keys: &mut Keys<V, P>,
        at: At<'_>,
    );
}

impl<G: Gates> Task for (Walk<'_>, G) {
    type Out = ();

    #[inline(always)]
    unsafe fn run<V: Lanes>(mut self) {
        // SAFETY: the caller found the features.
        unsafe {
            match V::COUNT {
                4 => walk::<V, G, 2>(&self.0, &mut self.1),
                _ => walk::<V, G, 1>(&self.0, &mut self.1),
            }
        }
    }
}

#[inline(always)]
unsafe fn walk<V: Lanes, G: Gates, const P: usize>(walk: &Walk<'_>, gates: &mut G) {
    // SAFETY: the caller found the features.
    unsafe {
        let mut keys = walk.first::<V, P>();
        for at in walk.all(P * V::COUNT) {
            gates.gate(walk, &mut keys, at);
        }
    }
}

struct Garble<'l> {
    offset: u128,
    labels: &'l mut [u128],
    table: &'l mut [u128],
}

impl Gates for Garble<'_> {
    #[inline(always)]
    unsafe fn gate<V: Lanes, const P: usize>(
        &mut self,
        walk: &Walk<'_>,
        keys: &mut Keys<V, P>,
        at @ (i, gate, k): At<'_>,
    ) {
        let n = walk.tweaks.len();
        // SAFETY: the caller found the features.
        unsafe {
            let r = V::splat(self.offset);
            let a = load::<V, P>(self.labels, gate.inputs[0] + k);
            let b = load::<V, P>(self.labels, gate.inputs[1] + k);
            let (mut of_a, mut of_b) = ([a; 2], [b; 2]);
            for p in 0..P {
                of_a[0][p] = a[p].orthomorphism();
                of_b[0][p] = b[p].orthomorphism();
                of_a[1][p] = a[p].xor(r).orthomorphism();
                of_b[1][p] = b[p].xor(r).orthomorphism();
            }
            let next = walk.after(at);
            let [of_a, of_b] = walk.hash(keys, next, [of_a, of_b]);
            let (mut t, mut u, mut to) = (a, a, a);
            for p in 0..P {
                let (in_a, in_b) = (a[p].mask(), b[p].mask());
                t[p] = of_a[0][p].xor(of_a[1][p]).xor(in_b.and(r));
                let both = of_b[0][p].xor(of_b[1][p]);
                u[p] = both.xor(a[p]);
                let sum = of_a[0][p].xor(of_b[0][p]);
                to[p] = sum.xor(in_a.and(t[p])).xor(in_b.and(both));
            }
            let row = 2 * n * i + k;
            store(t, self.table, row);
            store(u, self.table, row + n);
            store(to, self.labels, gate.to + k);
        }
    }
}

struct Evaluate<'l> {
    labels: &'l mut [u128],
    table: &'l [u128],
}

impl Gates for Evaluate<'_> {
    #[inline(always)]
    unsafe fn gate<V: Lanes, const P: usize>(
        &mut self,
        walk: &Walk<'_>,
        keys: &mut Keys<V, P>,
        at @ (i, gate, k): At<'_>,
    ) {
        let n = walk.tweaks.len();
        // SAFETY: the caller found the features.
        unsafe {
            let a = load::<V, P>(self.labels, gate.inputs[0] + k);
            let b = load::<V, P>(self.labels, gate.inputs[1] + k);
            let (mut of_a, mut of_b) = (a, b);
            for p in 0..P {
                of_a[p] = a[p].orthomorphism();
                of_b[p] = b[p].orthomorphism();
            }
            let next = walk.after(at);
            let [[of_a], [of_b]] = walk.hash(keys, next, [[of_a], [of_b]]);
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
