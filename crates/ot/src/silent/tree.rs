//! Correlated trees: every level adds up to Delta.
//!
//! The children of a node `v` are `h(v)` and `v ^ h(v)`, with `h(v) = pi(s(v)) ^ s(v)` and `s` swapping
//! halves and adding one of them to the other. Left children go to the first half of a level and
//! right ones to the second, so that bit `i` of a leaf's place is its side at level `i`.
//!
//! The receiver does not know the nodes on its path. It computes with any value in their place, and adds
//! to the sibling what the sum of its side then lacks: no step depends on the path but by masks.

use tacit_ring::prg::Permutation;
use tacit_ring::simd;

/// `s`: it and its sum with the identity are permutations.
#[inline(always)]
fn orthomorphism(x: u128) -> u128 {
    let high = x >> 64;
    (x ^ high) << 64 | high
}

/// All bits where the numbers are the same, none elsewhere.
#[inline(always)]
fn same(a: u64, b: u64) -> u128 {
    let differ = a ^ b;
    let mask = ((differ | differ.wrapping_neg()) >> 63).wrapping_sub(1);
    u128::from(mask) << 64 | u128::from(mask)
}

#[inline(always)]
fn sum(nodes: &[u128]) -> u128 {
    nodes.iter().fold(0, |sum, node| sum ^ node)
}

/// From the nodes of a level, the first half of `nodes`, those of the next.
fn split(pi: &Permutation, nodes: &mut [u128]) {
    let (left, right) = nodes.split_at_mut(nodes.len() / 2);
    simd::vectorize(
        #[inline(always)]
        || {
            for (left, right) in left.iter_mut().zip(&mut *right) {
                *right = *left;
                *left = orthomorphism(*left);
            }
        },
    );
    pi.apply(left);
    simd::vectorize(
        #[inline(always)]
        || {
            for (left, right) in left.iter_mut().zip(right) {
                *left ^= orthomorphism(*right);
                *right ^= *left;
            }
        },
    );
}

/// The sender's tree from its first node: the leaves, their lowest bits clear, and the message under the
/// blocks `q`, one for each level.
pub(super) fn grow(
    pi: &Permutation,
    (root, delta): (u128, u128),
    q: &[u128],
    leaves: &mut [u128],
    message: &mut [u128],
) {
    assert!(leaves.len() == 1 << q.len() && message.len() == q.len(), "a tree of its depth");
    [leaves[0], leaves[1]] = [root, root ^ delta];
    for (level, (message, q)) in message.iter_mut().zip(q).enumerate() {
        if level > 0 {
            split(pi, &mut leaves[..2 << level]);
        }
        *message = q ^ sum(&leaves[..1 << level]);
    }
    leaves.iter_mut().for_each(|leaf| *leaf &= !1);
}

/// The receiver's tree, from the message and its blocks `t`, whose lowest bits lead away from the path: the
/// sender's leaves, but that at the path's end Delta is added, with its lowest bit.
pub(super) fn follow(pi: &Permutation, message: &[u128], t: &[u128], leaves: &mut [u128]) {
    assert!(leaves.len() == 1 << t.len() && message.len() == t.len(), "a tree of its depth");
    leaves[..2].fill(0);
    let mut path = 0;
    for (level, (message, t)) in message.iter().zip(t).enumerate() {
        let nodes = &mut leaves[..2 << level];
        if level > 0 {
            split(pi, nodes);
        }
        let (left, right) = nodes.split_at_mut(1 << level);
        let choice = *t as u64 & 1;
        let in_right = same(choice, 1);
        simd::vectorize(
            #[inline(always)]
            || {
                let [of_left, of_right] = [sum(left), sum(right)];
                let lacks = message ^ t ^ of_left ^ (of_left ^ of_right) & in_right;
                for (at, (left, right)) in (0..).zip(left.iter_mut().zip(right)) {
                    let here = lacks & same(at, path);
                    *left ^= here & !in_right;
                    *right ^= here & in_right;
                }
            },
        );
        path |= (choice ^ 1) << level;
    }
    simd::vectorize(
        #[inline(always)]
        || {
            let all = sum(leaves);
            for (at, leaf) in (0..).zip(leaves.iter_mut()) {
                let here = same(at, path);
                *leaf = (*leaf ^ all & here) & !1 | here & 1;
            }
        },
    );
}

#[cfg(test)]
mod tests {
    use super::*;
    use tacit_ring::entropy::{Rng, test_seed};

    fn block(rng: &mut Rng) -> u128 {
        u128::from(rng.word()) << 64 | u128::from(rng.word())
    }

    #[test]
    fn trees_differ_by_delta_at_the_path_alone() {
        let mut rng = Rng(test_seed());
        let pi = Permutation::new([5; 16]);
        for delta in [1, u128::MAX, block(&mut rng) | 1] {
            for depth in [1, 2, 5, 10] {
                let q: Vec<u128> = (0..depth).map(|_| block(&mut rng) & !1).collect();
                let choices = rng.word() as usize & ((1 << depth) - 1);
                let chosen = |i: usize| (choices >> i & 1) as u128;
                let t: Vec<u128> =
                    q.iter().enumerate().map(|(i, q)| q ^ (chosen(i) * delta)).collect();
                let [mut w, mut v] = [(); 2].map(|()| vec![0; 1 << depth]);
                let mut message = vec![0; depth];
                grow(&pi, (block(&mut rng), delta), &q, &mut w, &mut message);
                follow(&pi, &message, &t, &mut v);
                let path = choices ^ ((1 << depth) - 1);
                for (i, (w, v)) in w.iter().zip(&v).enumerate() {
                    assert_eq!(w ^ v, if i == path { delta } else { 0 }, "depth {depth}, {i}");
                    assert_eq!([w & 1, v & 1], [0, u128::from(i == path)]);
                }
            }
        }
    }

    #[test]
    fn levels_add_up_to_delta_and_nodes_differ() {
        let pi = Permutation::new([5; 16]);
        let mut nodes = vec![0; 1 << 8];
        [nodes[0], nodes[1]] = [77, 77 ^ 0xabcd];
        for level in 1..8 {
            split(&pi, &mut nodes[..2 << level]);
            assert_eq!(sum(&nodes), 0xabcd);
        }
        nodes.sort_unstable();
        nodes.dedup();
        assert_eq!(nodes.len(), 1 << 8);
    }
}
