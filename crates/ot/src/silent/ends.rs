//! The two sides of silent correlated OT.

use super::supply::{Grow, Kept, Supply};
use super::{BLOCK, Setting, tree};
use crate::OtError;
use crate::cot::{self, TILE};
use std::sync::Arc;
use tacit_ring::{Buffer, Prg, Seed, StreamIds, word};
use zeroize::Zeroizing;

/// The sender of silent correlated OT: it holds Delta.
pub struct Sender {
    supply: Supply,
    roots: Roots,
}

/// The blocks that the sender's trees grow from.
struct Roots {
    delta: Box<Zeroizing<u128>>,
    prg: Prg,
    ids: StreamIds,
}

/// The sender's trees, and the messages about them.
struct Growing<'a> {
    roots: &'a mut Roots,
    message: &'a mut [u128],
}

impl Grow for Growing<'_> {
    fn grow(
        &mut self,
        setting: &Setting,
        levels: &[u128],
        leaves: &mut [u128],
    ) -> Result<(), OtError> {
        let Roots { delta, prg, ids } = &mut *self.roots;
        let mut root = Zeroizing::new([0; BLOCK]);
        prg.fill(ids.step()?.single().number(), 0, &mut *root);
        let message = self.message.split_off_mut(..levels.len()).expect("room for all trees");
        tree::grow(&setting.pi, (u128::from_le_bytes(*root), ***delta), levels, leaves, message);
        Ok(())
    }
}

impl Sender {
    /// Makes the sender from transfers of `base`, the receiver's message about them, and a fresh seed.
    ///
    /// # Errors
    /// When the message has another length, or streams are used up.
    ///
    /// # Panics
    /// When the lowest bit of Delta is not set.
    pub fn new(
        setting: &Arc<Setting>,
        base: &mut cot::Sender,
        message: &[u64],
        seed: &Seed,
    ) -> Result<Self, OtError> {
        let delta = base.delta();
        assert!(**delta & 1 == 1, "the lowest bit of a silent Delta is set");
        let words = setting.chain.set.start_words();
        if message.len() != base.message_words(words) {
            return Err(OtError::Malformed("choices to start from"));
        }
        let mut blocks = Buffer::zeros(64 * words);
        let parts = message.chunks(base.message_words(TILE));
        for (rows, message) in blocks.chunks_mut(64 * TILE).zip(parts) {
            base.correlate_into(message, rows)?;
        }
        blocks.iter_mut().for_each(|block| *block &= !1);
        let prg = Prg::new(&seed.derive_key("tacit 2026 silent OT roots", &[]));
        let supply = Supply::new(setting.clone(), Kept::new(setting, blocks));
        Ok(Sender { supply, roots: Roots { delta, prg, ids: StreamIds::new() } })
    }

    /// Gives Delta.
    #[must_use]
    pub fn delta(&self) -> &Zeroizing<u128> {
        &self.roots.delta
    }

    /// Gives the number of transfers that are left of the chain. After those the ends start anew, from other seeds.
    #[must_use]
    pub fn rest(&self) -> usize {
        self.supply.rest()
    }

    /// Gives the blocks of the message for `transfers` transfers.
    ///
    /// # Panics
    /// When there are fewer left.
    #[must_use]
    pub fn message_blocks(&self, transfers: usize) -> usize {
        self.supply.message_blocks(transfers)
    }

    /// Makes the next transfers: writes the blocks `q` into `out`, and the message for the receiver.
    ///
    /// # Errors
    /// When streams are used up.
    ///
    /// # Panics
    /// When the message is not of [`Sender::message_blocks`], or fewer transfers are left.
    pub fn correlate(&mut self, message: &mut [u128], out: &mut [u128]) -> Result<(), OtError> {
        assert_eq!(message.len(), self.message_blocks(out.len()), "a message of its length");
        self.supply.take(&mut Growing { roots: &mut self.roots, message }, out)
    }
}

/// The receiver of silent correlated OT. Its choices come out of the protocol: they are random.
pub struct Receiver {
    supply: Supply,
}

/// The blocks that the receiver's trees follow.
struct Following<'a>(&'a [u128]);

impl Grow for Following<'_> {
    fn grow(
        &mut self,
        setting: &Setting,
        levels: &[u128],
        leaves: &mut [u128],
    ) -> Result<(), OtError> {
        let message = self.0.split_off(..levels.len());
        let message = message.ok_or(OtError::Malformed("messages of trees"))?;
        tree::follow(&setting.pi, message, levels, leaves);
        Ok(())
    }
}

impl Receiver {
    /// Makes the receiver from transfers of `base` with choices from a fresh seed, and the message that the
    /// sender starts from.
    ///
    /// # Errors
    /// When streams are used up.
    pub fn new(
        setting: &Arc<Setting>,
        base: &mut cot::Receiver,
        seed: &Seed,
    ) -> Result<(Self, Vec<u64>), OtError> {
        let words = setting.chain.set.start_words();
        let mut choices: Buffer<u64> = Buffer::zeros(words);
        let prg = Prg::new(&seed.derive_key("tacit 2026 silent OT choices", &[]));
        prg.fill(0, 0, word::bytes_mut(&mut choices));
        let mut message = vec![0; base.message_words(words)];
        let mut blocks = Buffer::zeros(64 * words);
        let parts = message.chunks_mut(base.message_words(TILE)).zip(choices.chunks(TILE));
        for (rows, (message, choices)) in blocks.chunks_mut(64 * TILE).zip(parts) {
            base.correlate_into(choices, message, rows)?;
            for (rows, choices) in rows.as_chunks_mut::<64>().0.iter_mut().zip(choices) {
                for (i, row) in rows.iter_mut().enumerate() {
                    *row = *row & !1 | u128::from(choices >> i & 1);
                }
            }
        }
        let supply = Supply::new(setting.clone(), Kept::new(setting, blocks));
        Ok((Receiver { supply }, message))
    }

    /// Gives the number of transfers that are left of the chain. After those the ends start anew, from other seeds.
    #[must_use]
    pub fn rest(&self) -> usize {
        self.supply.rest()
    }

    /// Gives the blocks of the message for `transfers` transfers.
    ///
    /// # Panics
    /// When there are fewer left.
    #[must_use]
    pub fn message_blocks(&self, transfers: usize) -> usize {
        self.supply.message_blocks(transfers)
    }

    /// Takes the sender's message and writes the blocks `t = q ^ x Delta` of the next transfers into `out`. The lowest
    /// bit of each is its choice `x`.
    ///
    /// # Errors
    /// When the message has another length; nothing is taken then.
    ///
    /// # Panics
    /// When fewer transfers are left.
    pub fn correlate(&mut self, message: &[u128], out: &mut [u128]) -> Result<(), OtError> {
        if message.len() != self.message_blocks(out.len()) {
            return Err(OtError::Malformed("messages of trees"));
        }
        self.supply.take(&mut Following(message), out)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cot::FieldBits;
    use crate::seeds;
    use crate::silent::{Chain, Set};
    use tacit_ring::entropy::{Rng, test_seed};
    use tacit_ring::prg::Permutation;

    const DELTA: u128 = 0xfedc_ba98_7654_3210_8796_a5b4_c3d2_e1f1;

    fn pair(set: Set, delta: u128) -> (Receiver, Sender) {
        started(Chain::new(set), delta, [1, 2])
    }

    fn started(chain: Chain, delta: u128, seeds: [u8; 2]) -> (Receiver, Sender) {
        let set = chain.set;
        let (mut all, mut some) = seeds::pair(FieldBits::Four, delta, test_seed());
        let pi = Arc::new(Permutation::new([9; 16]));
        let (mut below, mut above) = (all.receiver(&pi), some.sender(&pi));
        let setting = Setting::new(chain, b"session");
        let seeds = seeds.map(|byte| Seed::from_bytes([byte; 32]));
        let (receiver, start) = Receiver::new(&setting, &mut below, &seeds[0]).unwrap();
        assert_eq!(64 * start.len(), set.start_words() * 64 * 32, "32 bits per transfer");
        let sender = Sender::new(&setting, &mut above, &start, &seeds[1]).unwrap();
        (receiver, sender)
    }

    /// The next transfers of both sides, and the blocks that were sent.
    fn next((receiver, sender): &mut (Receiver, Sender), count: usize) -> ([Vec<u128>; 2], usize) {
        let mut message = vec![0; sender.message_blocks(count)];
        assert_eq!(message.len(), receiver.message_blocks(count));
        let [mut t, mut q] = [(); 2].map(|()| vec![0; count]);
        sender.correlate(&mut message, &mut q).unwrap();
        receiver.correlate(&message, &mut t).unwrap();
        ([t, q], message.len())
    }

    /// Checks the correlation, and counts set choices.
    fn check(delta: u128, [t, q]: &[Vec<u128>; 2]) -> usize {
        for (t, q) in t.iter().zip(q) {
            assert!(*t == q ^ ((t & 1) * delta) && q & 1 == 0);
        }
        t.iter().filter(|t| **t & 1 == 1).count()
    }

    #[test]
    fn blocks_differ_by_delta_where_the_choice_is_one_round_after_round() {
        for delta in [DELTA, u128::MAX, 1] {
            let mut pair = pair(Set::S16, delta);
            let (mut ones, mut all, mut blocks) = (0, 0, 0);
            // Into the second or third round, in pieces of all sizes, also none.
            let last = if delta == DELTA { 1 << 18 } else { 1 << 10 };
            for count in [1, 1 << 18, 0, 255, 256, 5000, last] {
                let (both, sent) = next(&mut pair, count);
                ones += check(delta, &both);
                (all, blocks) = (all + count, blocks + sent);
            }
            // Five standard deviations.
            assert!(ones.abs_diff(all / 2) < 5 * all.isqrt() / 2, "{ones} of {all}");
            let set = Set::S16;
            let trees = all.div_ceil(set.leaves());
            let rounds = (trees - 1) / set.given();
            assert!(rounds >= 1 && (rounds == 2) == (delta == DELTA));
            assert_eq!(blocks, set.depth() * (trees + rounds * set.kept()));
        }
    }

    /// They begin with a round of a smaller set, whose trees are in the first message.
    #[test]
    fn larger_sets_start_from_smaller_ones() {
        for set in [Set::L19, Set::L21, Set::L23] {
            let mut pair = pair(set, DELTA);
            let count = 3 * set.leaves() + 7;
            let (both, sent) = next(&mut pair, count);
            assert!(check(DELTA, &both).abs_diff(count / 2) < 5 * count.isqrt());
            assert_eq!(sent, set.start_blocks() + 4 * set.depth());
            assert_eq!(next(&mut pair, set.leaves()).1, set.depth());
            // What the last round started from came from the set before: noise in its places is hidden, and random.
            let places: Vec<usize> = both[0]
                .chunks_exact(set.leaves())
                .enumerate()
                .map(|(tree, t)| pair.0.supply.noise(tree, t)[0])
                .collect();
            assert!(places[0] != places[1] || places[1] != places[2], "{places:?}");
        }
    }

    #[test]
    fn a_chain_ends_and_the_next_one_has_nothing_of_it() {
        let chain = Chain { set: Set::S16, rounds: 2 };
        let mut all = Vec::new();
        for seeds in [[1, 2], [3, 4]] {
            let mut pair = started(chain, DELTA, seeds);
            for count in [chain.transfers() - 700, 700] {
                let ([t, q], _) = next(&mut pair, count);
                check(DELTA, &[t, q.clone()]);
                all.extend(q);
                let left = if count == 700 { 0 } else { 700 };
                assert_eq!([pair.0.rest(), pair.1.rest()], [left; 2]);
            }
        }
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), 2 * chain.transfers());
    }

    /// Which is why parties compare their parameters before a run.
    #[test]
    fn ends_of_other_sets_have_nothing_in_common() {
        let (mut receiver, _) = pair(Set::L19, DELTA);
        let (_, mut sender) = pair(Set::S16, DELTA);
        let mut message = vec![0; sender.message_blocks(10)];
        sender.correlate(&mut message, &mut [0; 10]).unwrap();
        assert!(receiver.correlate(&message, &mut [0; 10]).is_err());
    }

    #[test]
    fn noise_is_at_one_place_of_each_tree_and_at_others_in_each_round() {
        let set = Set::S16;
        let mut pair = pair(set, DELTA);
        let mut places = Vec::new();
        for _ in 0..2 {
            let ([t, q], _) = next(&mut pair, set.given() * set.leaves());
            for (tree, (t, q)) in t.chunks(set.leaves()).zip(q.chunks(set.leaves())).enumerate() {
                let noise = pair.0.supply.noise(tree, t);
                assert_eq!(noise.len(), 1);
                places.push(noise[0]);
                assert!(pair.1.supply.noise(tree, q).is_empty());
            }
        }
        let (first, second) = places.split_at(set.given());
        let again = first.iter().zip(second).filter(|(first, second)| first == second).count();
        // 3.7 of 937 are expected by chance.
        assert!(again < 15, "{again} of {} places again", set.given());
        let low = places.iter().filter(|place| **place < set.leaves() / 2).count();
        assert!(low.abs_diff(set.given()) < 100, "{low} of {} in the first half", places.len());
    }

    #[test]
    fn nothing_comes_twice() {
        let mut pair = pair(Set::S16, DELTA);
        let (both, _) = next(&mut pair, 1 << 18);
        let [_, mut q] = both;
        q.sort_unstable();
        q.dedup();
        assert_eq!(q.len(), 1 << 18);
    }

    #[test]
    fn bits_are_those_chosen_and_balanced() {
        let (mut receiver, mut sender) = pair(Set::S16, DELTA);
        let pi = Permutation::new([8; 16]);
        for words in [1, 0, 150, 40] {
            let (offer, message) = sender.bits(&pi, words).unwrap();
            assert!(receiver.bits(&pi, words + 17, &message).is_err());
            let (choices, pads) = receiver.bits(&pi, words, &message).unwrap().random();
            let [zeros, ones] = offer.random();
            for (i, choice) in choices.iter().enumerate() {
                assert_eq!(pads[i], zeros[i] & !choice | ones[i] & choice);
            }
            let counts =
                [&zeros, &ones, &choices].map(|words| words.iter().map(|w| w.count_ones()).sum());
            let fair =
                |count: u32| count.abs_diff(32 * words as u32) <= 5 * (16 * words as u32).isqrt();
            assert!(counts.into_iter().all(fair), "{counts:?} of {}", 64 * words);
        }
    }

    #[test]
    fn messages_of_another_length_are_refused_and_others_give_other_blocks() {
        let (mut receiver, mut sender) = pair(Set::S16, DELTA);
        let mut message = vec![0; sender.message_blocks(3000)];
        let [mut t, mut q] = [(); 2].map(|()| vec![0; 3000]);
        sender.correlate(&mut message, &mut q).unwrap();
        for wrong in [0, 1, message.len() - 1] {
            let refused = receiver.correlate(&message[..wrong], &mut t);
            assert!(matches!(refused, Err(OtError::Malformed(_))));
        }
        let longer = [&message[..], &[0]].concat();
        assert!(receiver.correlate(&longer, &mut t).is_err());
        let mut rng = Rng(test_seed());
        message.iter_mut().for_each(|block| *block ^= u128::from(rng.word()));
        receiver.correlate(&message, &mut t).unwrap();
        assert!(t.iter().zip(&q).any(|(t, q)| *t != q ^ ((t & 1) * DELTA)));
        // To start with, too.
        let (_, mut some) = seeds::pair(FieldBits::Four, DELTA, test_seed());
        let mut above = some.sender(&Arc::new(Permutation::new([9; 16])));
        let setting = Setting::new(Chain::new(Set::S16), b"session");
        let seed = Seed::from_bytes([1; 32]);
        for words in [0, 5, 32 * Set::S16.start_words() + 1] {
            let started = Sender::new(&setting, &mut above, &vec![0; words], &seed);
            assert!(matches!(started, Err(OtError::Malformed(_))));
        }
    }

    #[test]
    #[should_panic(expected = "the lowest bit")]
    fn a_delta_without_its_lowest_bit_is_refused() {
        let _ = pair(Set::S16, 2);
    }
}
