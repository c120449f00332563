//! How rarely a cheat passes the check of a batch, for all that is checked in one.
//!
//! One wrong product that is found ends the run, so what counts is the chance at one batch, however many there are.

use super::buckets::Sizes;
use super::integers::{self, Factors, Width};
use super::method::Source;
use super::single::{self, Check};
use super::triples::{self, How};
use super::{BatchSize, Class, MOST_TERMS, Method, Proving, bits, galois, lift, matrices, post};

/// The rings of words, by bits; the first is that of bits.
const RINGS: [u32; 6] = [1, 8, 16, 32, 64, 128];

impl Proving {
    /// Whether there may be so many products that more integers are sent under masks than
    /// [may](Proving::MOST_MASKED) be. Usual batches of [`Method::Lift`] and [`Method::WideLift`] take `2^36` products for that, if they are
    /// full: sorts in loops, which prove a shuffle each and end batches early, must be counted whatever this says.
    #[must_use]
    pub fn must_count_masked(self) -> bool {
        match self.method {
            Method::Lift | Method::WideLift => self.batch.is_some(),
            _ => self.masked(64, 1) > 0,
        }
    }

    /// Integers under masks in a batch of so many results over words of so many bits.
    pub(super) fn masked(self, bits: u32, results: usize) -> u64 {
        use Source::{Batch, Integers, Polynomials, Single};
        match self.method {
            _ if bits == 1 => 0,
            Method::Lift | Method::WideLift => lift::masked(self.strength) as u64,
            Method::Integers(_) | Method::Brain(Single | Polynomials | Batch | Integers, _) => {
                results as u64
            }
            _ => 0,
        }
    }

    /// How many bits of soundness a batch has: a cheat passes with probability two to the minus this at most,
    /// whichever ring it cheats in.
    #[must_use]
    pub fn soundness(self) -> f64 {
        let chances = RINGS.map(|ring| self.chance(ring, self.words(ring)));
        -chances.into_iter().fold(0.0, f64::max).log2()
    }

    /// Whether a batch is as sound as the statistical parameter says.
    #[must_use]
    pub fn is_sound(self) -> bool {
        self.soundness() >= f64::from(self.strength.bits())
    }

    /// The least batch that is sound in buckets of the size that was asked for; none if they were not, or if no batch
    /// is.
    #[must_use]
    pub fn least_batch(self) -> Option<BatchSize> {
        let bucket = self.batch?.bucket()?;
        // Of words, fewer products open.
        let least = Sizes::in_buckets((64, self.strength), bucket.into(), 1)?.kept;
        BatchSize::new(least.try_into().ok()?)?.in_buckets(bucket)
    }

    /// Words of a batch.
    fn words(self, ring: u32) -> usize {
        match self.method {
            Method::Brain(source, _) => triples::most(How { source, proving: self }, ring),
            method if method.proves_later() => Class::of(method, ring, 1).limit(self),
            _ => post::limit(self, ring),
        }
    }

    /// The chance of a cheat at a batch of so many words.
    fn chance(self, ring: u32, words: usize) -> f64 {
        let Proving { method, strength, .. } = self;
        let all = |once: f64| once.powi(super::proofs(strength) as i32);
        let of_redundant = (-f64::from(strength.bits())).exp2();
        match (method, ring) {
            (Method::Lift | Method::Galois(_), 1) => {
                let sums = bits::chance(bits::cost_of_sums(words));
                all(sums.max(bits::chance(bits::cost(words))))
            }
            (Method::WideLift, 1) => {
                let few = bits::cost_of_groups(words.min(64), 1);
                let most = bits::cost_of_groups(words, bits::most_laid_out(words));
                all(bits::chance(few).max(bits::chance(most)))
            }
            (Method::Integers(_), 1) => all(bits::chance(bits::cost(words))),
            (Method::Post | Method::Tagged, 1) => {
                Sizes::for_products(1, strength, words).chance_of_products(1)
            }
            (Method::Brain(source, _), _) => self.chance_of_triples(source, ring, words),
            (Method::Lift | Method::WideLift, _) => {
                lift::chance(ring, strength, words) + matrices::chance(strength)
            }
            (Method::Galois(_), _) => all(galois::chance(words)) + matrices::chance(strength),
            (Method::Integers(_), _) => {
                let width = Width::of_products(ring, strength, words.min(MOST_TERMS));
                integers::chance(&width, strength, words)
            }
            // Those of the widest ring have no tags.
            (Method::Tagged, 8..=64) => of_redundant / 2.0,
            (Method::Post | Method::Tagged, _) => of_redundant,
        }
    }

    fn chance_of_triples(self, source: Source, ring: u32, words: usize) -> f64 {
        let strength = self.strength;
        let of_integers =
            |kind: Factors| integers::chance(&kind.width(strength, ring), strength, words);
        match triples::source_of(source, ring) {
            Source::Buckets => match self.batch.and_then(BatchSize::bucket) {
                // As it was asked for, whether that is sound or not.
                Some(bucket) => Sizes::new(ring, words, bucket.into()),
                None => Sizes::for_triples(ring, self, words),
            }
            .chance_of_triples(ring),
            Source::Sacrifice => (-f64::from(strength.bits())).exp2(),
            Source::Single => single::chance(Check::OneByOne, ring, words),
            Source::Polynomials => single::chance(Check::InBlocks, ring, words),
            Source::Batch => of_integers(Factors::Dealt),
            Source::Integers => of_integers(Factors::Known),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Strength;
    use tacit_protocol::Baseline;

    const HERE: Baseline = Baseline::HERE.unwrap();

    const USUAL: Strength = Strength::Usual;
    const STRONG: Strength = Strength::Strong;

    fn proving(method: Method, strength: Strength, batch: &str) -> Proving {
        Proving { method, strength, batch: batch.parse().ok() }
    }

    /// Against binomials and sums that were computed with whole numbers.
    #[test]
    fn batches_are_as_sound_as_the_formulas_say() {
        use Source::{Batch, Buckets, Integers, Polynomials, Sacrifice, Single};
        for (method, strength, batch, bits) in [
            (Method::Lift, USUAL, "", 40.98408),
            (Method::Lift, USUAL, "4096", 40.98409),
            (Method::Lift, STRONG, "", 64.98877),
            (Method::Galois(HERE), USUAL, "", 42.06926),
            (Method::Galois(HERE), USUAL, "4096", 42.79055),
            (Method::Galois(HERE), USUAL, "16777216", 41.59061),
            (Method::Galois(HERE), STRONG, "", 71.99969),
            (Method::Integers(HERE), USUAL, "", 49.26172),
            (Method::Integers(HERE), STRONG, "16777216", 97.98743),
            (Method::Post, USUAL, "", 40.0),
            (Method::Post, STRONG, "4096", 64.0),
            (Method::Tagged, STRONG, "", 64.0),
            (Method::Brain(Sacrifice, HERE), USUAL, "", 40.0),
            (Method::Brain(Buckets, HERE), USUAL, "1024x5", 44.70697),
            (Method::Brain(Buckets, HERE), USUAL, "1024x3", 22.17274),
            (Method::Brain(Buckets, HERE), USUAL, "4688x4", 40.00007),
            (Method::Brain(Buckets, HERE), STRONG, "29011x5", 64.00014),
        ] {
            let found = proving(method, strength, batch).soundness();
            assert!((found - bits).abs() < 1e-4, "{method:?} {strength} {batch}: {found}");
        }
        // Of words: bits of these come from buckets.
        for (source, batch, bits) in [
            (Integers, "", 49.26172),
            (Integers, "16777216", 49.25450),
            (Batch, "", 48.99974),
            (Batch, "4096", 49.00277),
            (Single, "", 164.0),
            (Polynomials, "", 164.0 - 127f64.log2()),
            (Polynomials, "32", 164.0 - 63f64.log2()),
        ] {
            let proving = proving(Method::Brain(source, HERE), USUAL, batch);
            let chances = RINGS[1..].iter().map(|ring| proving.chance(*ring, proving.words(*ring)));
            let found = -chances.fold(0.0, f64::max).log2();
            assert!((found - bits).abs() < 1e-4, "{source:?} {batch}: {found}");
        }
    }

    #[test]
    fn every_batch_is_sound_but_for_buckets_that_are_too_small() {
        for method in Method::all() {
            let strong = method.protocol().with_strength(STRONG).ok().map(|_| STRONG);
            for strength in std::iter::once(USUAL).chain(strong) {
                for products in [1, 2, 63, 1000, 1 << 16, BatchSize::MOST] {
                    let sized = proving(method, strength, &products.to_string());
                    assert!(sized.is_sound(), "{method:?} {strength} {products}");
                    assert_eq!(sized.least_batch(), None);
                }
                assert!(proving(method, strength, "").is_sound(), "{method:?} {strength}");
            }
        }
        for (strength, bucket, least) in
            [(USUAL, 3, 494_303), (USUAL, 4, 4_688), (USUAL, 5, 453), (STRONG, 4, 1_200_320)]
        {
            let of = |n: u32| {
                proving(Method::Brain(Source::Buckets, HERE), strength, &format!("{n}x{bucket}"))
            };
            assert!(of(least).is_sound() && !of(least - 1).is_sound(), "{bucket}");
            assert_eq!(of(1).least_batch(), of(least).batch);
        }
        assert_eq!(
            proving(Method::Brain(Source::Buckets, HERE), USUAL, "1000x2").least_batch(),
            None
        );
    }

    /// A sum is never cut: it may come when a batch is all but full.
    #[test]
    fn the_longest_sums_leave_a_batch_sound() {
        for (method, longest) in
            [(Method::Lift, 1 << 28), (Method::Galois(HERE), galois::MOST_TERMS)]
        {
            for strength in [USUAL, STRONG] {
                let proving = proving(method, strength, "");
                let words = longest + BatchSize::MOST as usize - 1;
                let target = (-f64::from(strength.bits())).exp2();
                for ring in [8, 64, 128] {
                    assert!(proving.chance(ring, words) < target, "{method:?} {ring}");
                }
            }
        }
    }
}
