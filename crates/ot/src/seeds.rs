//! Seeds of correlated OT: the receiver of the extension holds all `2^k` seeds of each of `128 / k`
//! blocks, the sender all but the one at its `k` bits of Delta.
//!
//! They come from 128 base OTs, with the roles exchanged, by a tree of depth `k` per block: the
//! receiver sends, level by level, the sum of all left and the sum of all right children, each under
//! one key of a base OT; the sender can open the one that it does not know from its own path.
//!
//! The sender numbers everything relative to its path, so that no memory access depends on Delta.

mod evidence;

pub use evidence::Evidence;

use crate::base::{BaseReceiver, BaseSender, PAIR, POINT};
use crate::cot::FieldBits;
use crate::{KAPPA, OtError};
use subtle::{Choice, ConditionallySelectable};
use tacit_ring::{Entropy, Seed, hash};
use zeroize::Zeroizing;

/// The number of base OTs that correlated OT starts from.
pub const BASE_OTS: usize = KAPPA;

/// Bytes of a node.
const NODE: usize = 16;
type Node = [u8; NODE];
/// The sums of one level of a tree, of left and of right nodes, each under a key of a base OT.
pub type Level = [Node; 2];

fn child(node: &Node, side: u8) -> Node {
    cut(&hash::derive_key("tacit 2026 OT tree", &[node, &[side]]))
}

fn cut(key: &[u8; 32]) -> Node {
    *key.first_chunk().expect("sixteen of thirty-two bytes")
}

fn pad(key: &Seed) -> Node {
    cut(&hash::derive_key("tacit 2026 OT tree level", &[key.expose()]))
}

fn xor(a: &Node, b: &Node) -> Node {
    (u128::from_le_bytes(*a) ^ u128::from_le_bytes(*b)).to_le_bytes()
}

/// Computes the sum of the nodes whose number has the lowest bit `side`.
fn sum(nodes: &[Node], side: usize) -> Node {
    nodes.iter().skip(side).step_by(2).fold([0; NODE], |sum, node| xor(&sum, node))
}

/// The set-up of the extension's receiver, which is the sender of the base OTs.
pub struct Receiving {
    base: BaseSender,
    sid: [u8; 32],
    fan: FieldBits,
}

impl Receiving {
    /// Starts the set-up for the pair and direction that `sid` names.
    ///
    /// # Errors
    /// When there is no randomness.
    pub fn new(sid: [u8; 32], fan: FieldBits, entropy: &mut Entropy) -> Result<Self, OtError> {
        Ok(Receiving { base: BaseSender::new(entropy)?, sid, fan })
    }

    /// Gives the first message, which needs none of the sender's.
    #[must_use]
    pub fn message(&self) -> &[u8; POINT] {
        self.base.message()
    }

    /// Takes the sender's message, and gives the seeds and the second message.
    ///
    /// # Errors
    /// When the sender's message is malformed, or there is no randomness.
    pub fn finish(
        self,
        received: &[[u8; PAIR]],
        entropy: &mut Entropy,
    ) -> Result<(AllSeeds, Vec<Level>), OtError> {
        if received.len() != BASE_OTS {
            return Err(OtError::Malformed("number of base transfers"));
        }
        let keys = self.base.keys(&self.sid, received)?;
        Ok(grow(self.fan, &entropy.seed()?, &keys))
    }

    /// Takes the sender's message, and gives the seeds, the second message, and evidence for senders that do not trust
    /// this party to follow the protocol.
    ///
    /// # Errors
    /// When the sender's message is malformed, or there is no randomness.
    pub fn finish_with_evidence(
        self,
        received: &[[u8; PAIR]],
        entropy: &mut Entropy,
    ) -> Result<(AllSeeds, Vec<Level>, Evidence), OtError> {
        let sid = self.sid;
        let (seeds, message) = self.finish(received, entropy)?;
        let evidence = Evidence::new(&sid, &seeds);
        Ok((seeds, message, evidence))
    }
}

/// Grows the trees of all blocks, and their levels' sums under both keys of every base transfer.
fn grow(fan: FieldBits, root: &Seed, keys: &[[Seed; 2]]) -> (AllSeeds, Vec<Level>) {
    let mut message = Vec::with_capacity(BASE_OTS);
    let mut leaves = Vec::new();
    for (block, keys) in (0u32..).zip(keys.chunks(fan.bits())) {
        let start = root.derive_key("tacit 2026 OT tree root", &[&block.to_le_bytes()]);
        let mut nodes = Zeroizing::new(vec![*start.expose()]);
        for keys in keys {
            let next = nodes.iter().flat_map(|node| [child(node, 0), child(node, 1)]).collect();
            nodes = Zeroizing::new(next);
            message.push([0, 1].map(|side| xor(&sum(&nodes, side), &pad(&keys[side]))));
        }
        leaves.push(nodes);
    }
    (AllSeeds { fan, leaves, given: 0 }, message)
}

/// All seeds of the receiver, block after block.
pub struct AllSeeds {
    pub(crate) fan: FieldBits,
    pub(crate) leaves: Vec<Zeroizing<Vec<Node>>>,
    /// The number of workers that have their streams.
    given: u64,
}

impl AllSeeds {
    pub(crate) fn next_number(&mut self) -> u64 {
        self.given += 1;
        self.given
    }
}

/// The set-up of the extension's sender, which is the receiver of the base OTs.
pub struct Sending {
    base: BaseReceiver,
    sid: [u8; 32],
    fan: FieldBits,
    /// Delta at a place of its own: where the set-up is moved, no copy stays behind.
    delta: Box<Zeroizing<u128>>,
}

impl Sending {
    /// Starts the set-up for the pair and direction that `sid` names, and for this Delta.
    ///
    /// # Errors
    /// When there is no randomness.
    pub fn new(
        sid: [u8; 32],
        fan: FieldBits,
        delta: Zeroizing<u128>,
        entropy: &mut Entropy,
    ) -> Result<Self, OtError> {
        let base = BaseReceiver::new(&sid, &choices(fan, *delta), entropy)?;
        Ok(Sending { base, sid, fan, delta: Box::new(delta) })
    }

    /// Gives the message, which needs none of the receiver's.
    #[must_use]
    pub fn message(&self) -> &[[u8; PAIR]] {
        self.base.message()
    }

    /// Takes the receiver's two messages, and gives all seeds but those at Delta.
    ///
    /// # Errors
    /// When they are malformed.
    pub fn finish(self, first: &[u8; POINT], second: &[Level]) -> Result<SomeSeeds, OtError> {
        if second.len() != BASE_OTS {
            return Err(OtError::Malformed("levels of seeds"));
        }
        let keys = self.base.keys(&self.sid, first)?;
        Ok(open(self.fan, self.delta, &keys, second))
    }

    /// Takes the receiver's two messages and its evidence that it followed the protocol. If it did not, this fails; or
    /// else the seeds are the same as without that, and the receiver has guessed something about Delta.
    ///
    /// # Errors
    /// When they are malformed, or seeds are not what they are shown to be; then Delta must not be used again.
    pub fn finish_with_evidence(
        self,
        first: &[u8; POINT],
        second: &[Level],
        evidence: &Evidence,
    ) -> Result<SomeSeeds, OtError> {
        let sid = self.sid;
        let seeds = self.finish(first, second)?;
        evidence.check(&sid, &seeds)?;
        Ok(seeds)
    }
}

/// Gives the side that the path leaves at each level; the highest bit comes first.
fn choices(fan: FieldBits, delta: u128) -> Zeroizing<Vec<u8>> {
    let depth = fan.bits();
    let choice = |j: usize| 1 ^ path_bit(delta, j / depth * depth, depth - 1 - j % depth);
    Zeroizing::new((0..BASE_OTS).map(choice).collect())
}

/// Opens all seeds but those at Delta, from the sum of the chosen side of each level.
fn open(fan: FieldBits, delta: Box<Zeroizing<u128>>, keys: &[Seed], levels: &[Level]) -> SomeSeeds {
    let depth = fan.bits();
    let mut leaves = Vec::new();
    for (block, (keys, levels)) in keys.chunks(depth).zip(levels.chunks(depth)).enumerate() {
        // Number 0 is on the path, and unknown.
        let mut nodes = Zeroizing::new(vec![[0; NODE]]);
        for (level, (key, sums)) in keys.iter().zip(levels).enumerate() {
            let path = path_bit(**delta, block * depth, depth - 1 - level);
            let left = Choice::from(path);
            let mut sibling: Node =
                std::array::from_fn(|i| u8::conditional_select(&sums[1][i], &sums[0][i], left));
            sibling = xor(&sibling, &pad(key));
            let known = nodes.iter().skip(1);
            let mut next = vec![[0; NODE]; 2];
            next.extend(known.flat_map(|node| [child(node, path), child(node, 1 ^ path)]));
            next[1] = xor(&sibling, &sum(&next, 1));
            nodes = Zeroizing::new(next);
        }
        leaves.push(nodes);
    }
    SomeSeeds { fan, delta, leaves, given: 0 }
}

/// Gives bit `bit` of the block of Delta that starts at `start`.
fn path_bit(delta: u128, start: usize, bit: usize) -> u8 {
    (delta >> (start + bit)) as u8 & 1
}

/// The sender's seeds, block after block, each at its number XOR the bits of Delta. Number 0 holds nothing.
pub struct SomeSeeds {
    pub(crate) fan: FieldBits,
    pub(crate) delta: Box<Zeroizing<u128>>,
    pub(crate) leaves: Vec<Zeroizing<Vec<Node>>>,
    given: u64,
}

impl SomeSeeds {
    pub(crate) fn next_number(&mut self) -> u64 {
        self.given += 1;
        self.given
    }
}

#[cfg(test)]
pub(crate) fn pair(fan: FieldBits, delta: u128, seed: u64) -> (AllSeeds, SomeSeeds) {
    let sid = [3; 32];
    let mut entropies = [0, 1].map(|party| Entropy::insecure_seeded(seed, party));
    let receiving = Receiving::new(sid, fan, &mut entropies[0]).unwrap();
    let sending = Sending::new(sid, fan, Zeroizing::new(delta), &mut entropies[1]).unwrap();
    let first = *receiving.message();
    let (all, second) = receiving.finish(sending.message(), &mut entropies[0]).unwrap();
    let some = sending.finish(&first, &second).unwrap();
    (all, some)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is moved on the way into and out of growing lists leaves its Delta and its scalar where they are, to be
    /// wiped.
    #[test]
    fn secrets_stay_where_they_are_when_their_holders_move() {
        let mut entropy = Entropy::insecure_seeded(tacit_ring::entropy::test_seed(), 0);
        let mut all = Vec::new();
        for _ in 0..2 {
            let receiving = Receiving::new([1; 32], FieldBits::Four, &mut entropy).unwrap();
            let sending =
                Sending::new([1; 32], FieldBits::Four, Zeroizing::new(5), &mut entropy).unwrap();
            let places = [&raw const **receiving.base.secret() as usize, place(&sending.delta)];
            all.push((places, receiving, sending));
            all.shrink_to_fit();
        }
        for (places, receiving, sending) in all {
            let now = [&raw const **receiving.base.secret() as usize, place(&sending.delta)];
            assert_eq!(places, now);
            let first = *receiving.message();
            let (_, second) = receiving.finish(sending.message(), &mut entropy).unwrap();
            let some = sending.finish(&first, &second).unwrap();
            assert_eq!((place(&some.delta), **some.delta), (places[1], 5));
        }
    }

    fn place(delta: &Zeroizing<u128>) -> usize {
        &raw const **delta as usize
    }

    #[test]
    fn the_sender_has_all_seeds_but_those_at_delta() {
        let delta = 0x0123_4567_89ab_cdef_0f1e_2d3c_4b5a_6978;
        for fan in FieldBits::ALL {
            let (all, some) = pair(fan, delta, tacit_ring::entropy::test_seed());
            let k = fan.bits();
            assert_eq!([all.leaves.len(), some.leaves.len()], [BASE_OTS / k; 2]);
            for (block, (all, some)) in all.leaves.iter().zip(&some.leaves).enumerate() {
                let at = (delta >> (block * k)) as usize & ((1 << k) - 1);
                for number in 0..1 << k {
                    assert_eq!(all[number] == some[number ^ at], number != at);
                }
            }
        }
    }

    #[test]
    fn seeds_with_evidence_are_those_without() {
        let delta = 0x0123_4567_89ab_cdef_0f1e_2d3c_4b5a_6978;
        for spoiled in [false, true] {
            let mut entropies = [0, 1].map(|party| Entropy::insecure_seeded(1, party));
            let receiving = Receiving::new([3; 32], FieldBits::Four, &mut entropies[0]).unwrap();
            let delta = Zeroizing::new(delta);
            let sending = Sending::new([3; 32], FieldBits::Four, delta, &mut entropies[1]).unwrap();
            let first = *receiving.message();
            let grown = receiving.finish_with_evidence(sending.message(), &mut entropies[0]);
            let (all, mut second, evidence) = grown.unwrap();
            // Both sums, of which the sender opens one.
            second[9].iter_mut().for_each(|sum| sum[0] ^= u8::from(spoiled));
            match sending.finish_with_evidence(&first, &second, &evidence) {
                Ok(some) => assert!(!spoiled && all.leaves[0][0] == some.leaves[0][8]),
                Err(error) => assert!(spoiled && matches!(error, OtError::Malformed(_))),
            }
        }
    }

    #[test]
    fn a_message_of_another_length_is_refused() {
        let mut entropy = Entropy::insecure_seeded(1, 0);
        let receiving = Receiving::new([1; 32], FieldBits::Four, &mut entropy).unwrap();
        let first = *receiving.message();
        assert!(receiving.finish(&[[0; PAIR]; 3], &mut entropy).is_err());
        let delta = Zeroizing::new(5);
        let sending = Sending::new([1; 32], FieldBits::Four, delta, &mut entropy).unwrap();
        assert!(sending.finish(&first, &[[[0; NODE]; 2]; 5]).is_err());
    }
}
