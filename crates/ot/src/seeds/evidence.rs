//! Evidence that the seeds of a tree are the same whatever Delta is, against receivers that deviate.
//!
//! Where sums of a level are wrong, the sender gets other seeds than the receiver has, or the same, by the bits of
//! Delta on its path: what fails later would tell of them. So every seed has an output besides, twice as long as
//! itself, and the receiver shows for each block the sum of all outputs, and of all blocks a digest of the outputs:
//!
//! ```text
//! sender      the output at Delta = the sum + all others;  compares the digest
//! ```
//!
//! What passes fixes all outputs, and so all seeds: the sender has the same ones, whatever Delta is, as long as it
//! passes. A receiver that deviates is caught, or guesses that Delta is among those for which it passes, and is right
//! as often as they are many: a guess of `g` bits once in `2^g`. One that is caught must not try again against the same
//! Delta. The sender learns an output at Delta, which tells nothing of streams from that seed.
//!
//! Under [`FieldBits::One`](crate::FieldBits::One) there is nothing to show: any two sums are those of two seeds.
//!
//! Source: L. Roy, "SoftSpokenOT" (CRYPTO 2022), the consistency check of punctured functions.

use super::{AllSeeds, Node, SomeSeeds, path_bit};
use crate::OtError;
use subtle::{Choice, ConditionallySelectable, ConstantTimeEq};
use tacit_ring::hash;
use zeroize::Zeroizing;

/// The bytes of an output.
const OUTPUT: usize = 32;
type Output = [u8; OUTPUT];
/// The outputs of the seeds of a block, by number.
type Outputs = Zeroizing<Vec<Output>>;

/// The evidence that the receiver shows.
#[derive(Clone, PartialEq, Eq)]
pub struct Evidence {
    /// The sum of all outputs of each block.
    pub sums: Vec<[u8; OUTPUT]>,
    /// The digest of all outputs.
    pub digest: [u8; OUTPUT],
}

fn output(sid: &[u8; 32], block: usize, seed: &Node) -> Output {
    let block = (block as u32).to_le_bytes();
    hash::derive_key("tacit 2026 OT output of a seed", &[sid, &block, seed])
}

fn add(sum: Output, output: &Output) -> Output {
    std::array::from_fn(|i| sum[i] ^ output[i])
}

fn digest(sid: &[u8; 32], blocks: &[Outputs]) -> Output {
    let mut parts: Vec<&[u8]> = vec![sid];
    parts.extend(blocks.iter().map(|outputs| outputs.as_flattened()));
    hash::derive_key("tacit 2026 OT evidence of seeds", &parts)
}

impl Evidence {
    /// Makes the receiver's evidence, from all its seeds.
    pub(super) fn new(sid: &[u8; 32], seeds: &AllSeeds) -> Self {
        let of_block = |(block, seeds): (usize, &Zeroizing<Vec<Node>>)| {
            Zeroizing::new(seeds.iter().map(|seed| output(sid, block, seed)).collect())
        };
        Self::of_outputs(sid, &seeds.leaves.iter().enumerate().map(of_block).collect::<Vec<_>>())
    }

    fn of_outputs(sid: &[u8; 32], blocks: &[Outputs]) -> Self {
        let sums = blocks.iter().map(|outputs| outputs.iter().fold([0; OUTPUT], add)).collect();
        Evidence { sums, digest: digest(sid, blocks) }
    }

    /// Compares the sender's seeds with the evidence.
    pub(super) fn check(&self, sid: &[u8; 32], seeds: &SomeSeeds) -> Result<(), OtError> {
        if self.sums.len() != seeds.leaves.len() {
            return Err(OtError::Malformed("number of sums of seeds"));
        }
        let blocks = seeds.leaves.iter().zip(&self.sums).enumerate();
        let blocks: Vec<Outputs> = blocks
            .map(|(block, (some, sum))| {
                // Number 0 is at Delta.
                let known = some.iter().skip(1).map(|seed| output(sid, block, seed));
                let mut all: Outputs = Zeroizing::new([*sum].into_iter().chain(known).collect());
                all[0] = all.iter().skip(1).fold(*sum, add);
                let k = seeds.fan.bits();
                (0..k).for_each(|bit| {
                    exchange(&mut all, bit, path_bit(**seeds.delta, block * k, bit))
                });
                all
            })
            .collect();
        match bool::from(digest(sid, &blocks).ct_eq(&self.digest)) {
            true => Ok(()),
            false => Err(OtError::Malformed("seeds that are not the same for every choice")),
        }
    }
}

/// Exchanges outputs whose numbers differ in a bit, if `by` is one.
fn exchange(outputs: &mut [Output], bit: usize, by: u8) {
    for pairs in outputs.chunks_exact_mut(2 << bit) {
        let (low, high) = pairs.split_at_mut(1 << bit);
        for (low, high) in low.iter_mut().zip(high) {
            let each = low.iter_mut().zip(high);
            each.for_each(|(low, high)| u8::conditional_swap(low, high, Choice::from(by)));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{BASE_OTS, Level, grow, open};
    use super::*;
    use crate::FieldBits;
    use tacit_ring::entropy::{Rng, test_seed};
    use tacit_ring::{Entropy, Seed};

    const SID: [u8; 32] = [4; 32];
    const TREES: [FieldBits; 3] = [FieldBits::Two, FieldBits::Four, FieldBits::Eight];

    /// Seeds of a receiver, its levels, and keys of base transfers that nobody made.
    struct Grown {
        fan: FieldBits,
        all: AllSeeds,
        levels: Vec<Level>,
        keys: Vec<[Seed; 2]>,
    }

    impl Grown {
        fn new(fan: FieldBits) -> Self {
            let mut entropy = Entropy::insecure_seeded(test_seed(), 0);
            let mut seed = || entropy.seed().unwrap();
            let keys: Vec<[Seed; 2]> = (0..BASE_OTS).map(|_| [seed(), seed()]).collect();
            let (all, levels) = grow(fan, &seed(), &keys);
            Grown { fan, all, levels, keys }
        }

        /// What a sender has of levels.
        fn opened(&self, delta: u128, levels: &[Level]) -> SomeSeeds {
            let choices = super::super::choices(self.fan, delta);
            let keys = self.keys.iter().zip(&*choices);
            let keys: Vec<Seed> =
                keys.map(|(both, choice)| both[usize::from(*choice)].clone()).collect();
            open(self.fan, Box::new(Zeroizing::new(delta)), &keys, levels)
        }

        fn passes(&self, delta: u128, levels: &[Level], evidence: &Evidence) -> bool {
            evidence.check(&SID, &self.opened(delta, levels)).is_ok()
        }
    }

    fn delta(rng: &mut Rng) -> u128 {
        u128::from(rng.word()) << 64 | u128::from(rng.word())
    }

    #[test]
    fn honest_receivers_pass() {
        let mut rng = Rng(test_seed());
        for fan in FieldBits::ALL {
            let it = Grown::new(fan);
            let evidence = Evidence::new(&SID, &it.all);
            for delta in [delta(&mut rng), 0, u128::MAX] {
                assert!(it.passes(delta, &it.levels, &evidence), "{fan:?}");
                let opened = it.opened(delta, &it.levels);
                assert!(evidence.check(&[5; 32], &opened).is_err(), "another session");
                let mut fewer = evidence.clone();
                fewer.sums.pop();
                assert!(fewer.check(&SID, &opened).is_err());
            }
        }
    }

    /// A wrong sum is caught by who opens it: half of all senders.
    #[test]
    fn a_wrong_sum_is_caught_where_it_is_opened() {
        for fan in TREES {
            let (it, k) = (Grown::new(fan), fan.bits());
            let evidence = Evidence::new(&SID, &it.all);
            let block = BASE_OTS / k - 1;
            for (level, side) in (0..k).flat_map(|level| [(level, 0), (level, 1)]) {
                let mut levels = it.levels.clone();
                levels[block * k + level][side][3] ^= 16;
                // Four Deltas, two with either bit at each level.
                for bits in [0, 0x69, 0x96, 0xff].map(|bits| bits & ((1 << k) - 1)) {
                    let delta = bits << (block * k);
                    let opens = usize::from(1 ^ path_bit(delta, block * k, k - 1 - level));
                    let passes = it.passes(delta, &levels, &evidence);
                    assert_eq!(passes, opens != side, "{fan:?}, level {level}, {bits}");
                }
            }
        }
    }

    /// Who shows what fits wrong sums and one Delta passes for no other: it guesses all of a block's bits.
    #[test]
    fn evidence_that_fits_a_guess_fits_nothing_else() {
        let mut rng = Rng(test_seed());
        for fan in TREES {
            let (it, k) = (Grown::new(fan), fan.bits());
            let block = rng.below(BASE_OTS / k);
            let mut levels = it.levels.clone();
            for sums in &mut levels[block * k..][..k] {
                sums.iter_mut().for_each(|sum| sum[0] ^= 1 + rng.below(255) as u8);
            }
            let guess = rng.below(1 << k);
            let at = |bits: usize| (bits as u128) << (block * k);
            let guessed = it.opened(at(guess), &levels);
            let mut outputs: Vec<Outputs> = (0..BASE_OTS / k)
                .map(|block| {
                    let of = |seed: &Node| output(&SID, block, seed);
                    Zeroizing::new(it.all.leaves[block].iter().map(of).collect())
                })
                .collect();
            for (number, seed) in guessed.leaves[block].iter().enumerate().skip(1) {
                outputs[block][number ^ guess] = output(&SID, block, seed);
            }
            let evidence = Evidence::of_outputs(&SID, &outputs);
            // All Deltas of the block, or sixteen.
            let step = (1 << k) / 16;
            let tried = (0..1 << k).filter(|bits| step < 2 || bits % step == guess % step);
            let passed = tried.filter(|bits| it.passes(at(*bits), &levels, &evidence));
            assert_eq!(passed.collect::<Vec<_>>(), [guess], "{fan:?}");
        }
    }

    #[test]
    fn a_changed_sum_or_digest_is_caught() {
        let it = Grown::new(FieldBits::Four);
        let evidence = Evidence::new(&SID, &it.all);
        let delta = delta(&mut Rng(test_seed()));
        for block in 0..evidence.sums.len() {
            let mut changed = evidence.clone();
            changed.sums[block][7] ^= 1;
            assert!(!it.passes(delta, &it.levels, &changed), "block {block}");
        }
        let mut changed = evidence;
        changed.digest[31] ^= 128;
        assert!(!it.passes(delta, &it.levels, &changed));
    }
}
