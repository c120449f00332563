//! Cut and choose: products are compared with others that were made alike, in random order
//! (`docs/spec/malicious-3pc-rings.md` sections 4.5 and 9.2). For any ring; the way to check single bits without a
//! field.
//!
//! A cheat passes where all products that are compared with each other are wrong in the same way, and
//! none of those that are opened is wrong. Whoever makes products wrong does not know yet which ones
//! will meet.

use super::channel::{Challenge, ProofChannel};
use super::method::{Method, OfBaseline, Source, proven};
use super::redundant::{open, reshare, summands};
use super::{BatchSize, Charge, Proving, Strength, Triples, Two};
use std::ops::Range;
use tacit_protocol::{Protocol, Status};
use tacit_ring::{Buffer, Word, transpose, word};
use tacit_sharing::SharingError;

/// Products of a bucket at most.
pub(super) const LARGEST: usize = tacit_protocol::LARGEST_BUCKET as usize;
/// Words of products at most that a batch is enlarged to.
const MOST: usize = 1 << 40;

/// How products are grouped, in words: of bits, each word is 64.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Sizes {
    /// Products that are right in the end.
    pub kept: usize,
    /// Products that are made for each of them, themselves included.
    pub bucket: usize,
    /// Products that are opened.
    pub opened: usize,
}

/// The binary logarithm of the ways to choose a few of `n`.
fn choices(n: usize, few: usize) -> f64 {
    (0..few).map(|i| ((n - i) as f64 / (i + 1) as f64).log2()).sum()
}

impl Sizes {
    /// Groups that keep `kept` words of a ring of `bits` bits; where words are bits, one whole word opens.
    pub fn new(bits: u32, kept: usize, bucket: usize) -> Self {
        Sizes { kept, bucket, opened: if bits == 1 { 1 } else { bucket } }
    }

    /// Products of a word.
    fn lanes(bits: u32) -> usize {
        if bits == 1 { 64 } else { 1 }
    }

    /// The logarithm of the chance of a cheat that spoils one bucket, or all of them, in triples to be
    /// prepared: the extremes are where it is greatest.
    fn security_of_triples(self, bits: u32) -> f64 {
        let [kept, opened] = [self.kept, self.opened].map(|words| words * Self::lanes(bits));
        let all = kept * self.bucket + opened;
        let one = choices(all, self.bucket) - (kept as f64).log2();
        one.min(choices(all, opened))
    }

    /// Bits of security against a cheat where given products are compared with triples.
    fn security_of_products(self, bits: u32) -> f64 {
        let [kept, opened] = [self.kept, self.opened].map(|words| words * Self::lanes(bits));
        let all = kept * (self.bucket - 1) + opened;
        choices(all, self.bucket - 1).min(choices(all, opened))
    }

    /// The least number of words from `wanted` on with that security, if there are not too many.
    fn least(
        (bits, strength): (u32, Strength),
        bucket: usize,
        wanted: usize,
        security: fn(Sizes, u32) -> f64,
    ) -> Option<Self> {
        let target = f64::from(strength.bits());
        let enough = |kept: usize| security(Sizes::new(bits, kept, bucket), bits) >= target;
        let (mut few, mut many) = (wanted.max(1), wanted.max(1));
        if !enough(many) {
            while !enough(many) {
                few = many;
                many = many.checked_mul(2).filter(|many| *many <= MOST)?;
            }
            while many - few > 1 {
                let middle = few.midpoint(many);
                if enough(middle) { many = middle } else { few = middle }
            }
        }
        Some(Sizes::new(bits, many, bucket))
    }

    /// The least number of triples in buckets of a size, `wanted` words of them or more, if there are not too many.
    pub fn in_buckets(what: (u32, Strength), bucket: usize, wanted: usize) -> Option<Self> {
        Self::least(what, bucket, wanted, Self::security_of_triples)
    }

    /// For triples, `wanted` words of them or more, with as little to send as can be.
    pub fn for_triples(bits: u32, proving: Proving, wanted: usize) -> Self {
        let of = |bucket| Self::in_buckets((bits, proving.strength), bucket, wanted);
        let chosen = proving.batch.and_then(BatchSize::bucket).and_then(|bucket| of(bucket.into()));
        chosen.unwrap_or_else(|| Self::cheapest(of, wanted))
    }

    /// Chooses the bucket size that sends least, among the least sizes for each.
    fn cheapest(of: impl Fn(usize) -> Option<Self>, wanted: usize) -> Self {
        let mut best: Option<Self> = None;
        for sizes in (2..=LARGEST).filter_map(of) {
            let sent = sizes.sent_for_triples();
            if best.is_none_or(|best| sent < best.sent_for_triples()) {
                best = Some(sizes);
            }
            // Larger buckets hold as many, and send more.
            if sizes.kept <= wanted {
                break;
            }
        }
        best.expect("the largest buckets are secure, even for one triple")
    }

    /// For so many given words of products: the smallest buckets that are secure.
    pub fn for_products(bits: u32, strength: Strength, given: usize) -> Self {
        let target = f64::from(strength.bits());
        let all = (2..=LARGEST).map(|bucket| Sizes::new(bits, given, bucket));
        let mut secure = all.filter(|sizes| sizes.security_of_products(bits) >= target);
        secure.next().expect("the largest buckets are secure, even for one product")
    }

    /// The chance of a cheat where triples are prepared.
    pub fn chance_of_triples(self, bits: u32) -> f64 {
        (-self.security_of_triples(bits)).exp2()
    }

    /// The chance of a cheat where given products are compared with triples.
    pub fn chance_of_products(self, bits: u32) -> f64 {
        (-self.security_of_products(bits)).exp2()
    }

    /// Words that a role sends to prepare triples.
    fn sent_for_triples(self) -> usize {
        self.made_for_triples() + self.sent_to_compare()
    }

    fn made_for_triples(self) -> usize {
        self.kept * self.bucket + self.opened
    }

    fn made_for_products(self) -> usize {
        self.kept * (self.bucket - 1) + self.opened
    }

    /// Words that open where products are compared.
    fn sent_to_compare(self) -> usize {
        2 * self.kept * (self.bucket - 1) + 3 * self.opened
    }
}

/// What triples cost.
pub(super) fn cost_of_triples(bits: u32, sizes: Sizes) -> Charge {
    charge(bits, sizes.sent_for_triples())
}

/// What a check of given products costs.
pub(super) fn cost_of_products(bits: u32, strength: Strength, given: usize) -> Charge {
    let sizes = Sizes::for_products(bits, strength, given);
    charge(bits, sizes.made_for_products() + sizes.sent_to_compare())
}

fn charge(bits: u32, words: usize) -> Charge {
    let each = if bits == 1 { 8 } else { u64::from(bits / 8) };
    Charge { bytes: words as u64 * each, coins: 1, rounds: 3 }
}

/// Triples, checked but for what is compared later.
///
/// # Errors
/// When the network fails or a peer sends what no honest party does.
pub(super) fn triples<W: Word>(
    channel: &mut ProofChannel<'_, '_, '_>,
    sizes: Sizes,
) -> Result<Triples<W>, SharingError> {
    let (triples, opened_right) = triples_in(channel, sizes)?;
    if opened_right { Ok(triples) } else { Err(channel.wrong_products()) }
}

/// Triples in groups of such sizes, and whether those that were opened are right.
pub(super) fn triples_in<W: Word>(
    channel: &mut ProofChannel<'_, '_, '_>,
    sizes: Sizes,
) -> Result<(Triples<W>, bool), SharingError> {
    let made = random_triples::<W>(channel, sizes.made_for_triples())?;
    let made = shuffled(&mut channel.coin()?, made);
    let head = part(&made, 0..sizes.kept);
    let opened_right = compare(channel, sizes, head, &made, sizes.kept)?;
    Ok((head.map(|pair| pair.map(Buffer::from_slice)), opened_right))
}

/// Checks given products `x y = z`.
///
/// # Errors
/// When the network fails or a peer sends what no honest party does.
pub(super) fn products<W: Word>(
    channel: &mut ProofChannel<'_, '_, '_>,
    strength: Strength,
    given: [Two<'_, W>; 3],
) -> Result<(), SharingError> {
    let sizes = Sizes::for_products(W::BITS, strength, given[0][0].len());
    let made = random_triples::<W>(channel, sizes.made_for_products())?;
    let made = shuffled(&mut channel.coin()?, made);
    if compare(channel, sizes, given, &made, 0)? { Ok(()) } else { Err(channel.wrong_products()) }
}

fn random_triples<W: Word>(
    channel: &mut ProofChannel<'_, '_, '_>,
    words: usize,
) -> Result<Triples<W>, SharingError> {
    let [a, b] = [channel.shared::<W>(words), channel.shared::<W>(words)];
    let c = reshare(channel, size_of::<W>(), &summands(&a, &b))?;
    Ok([a, b, c])
}

fn part<W: Word>(triples: &Triples<W>, at: Range<usize>) -> [Two<'_, W>; 3] {
    triples.each_ref().map(|pair| pair.each_ref().map(|run| &run[at.clone()]))
}

/// Compares products with as many triples as a bucket has more, from word `first` of `made` on; opens those
/// behind them, and says whether they are right.
fn compare<W: Word>(
    channel: &mut ProofChannel<'_, '_, '_>,
    sizes: Sizes,
    [x, y, z]: [Two<'_, W>; 3],
    made: &Triples<W>,
    first: usize,
) -> Result<bool, SharingError> {
    let Sizes { kept, bucket, opened } = sizes;
    let rows = bucket - 1;
    let shares = [0, 1].map(|c| {
        let mut shares = Buffer::zeros(sizes.sent_to_compare());
        let (differences, whole) = shares.split_at_mut(2 * kept * rows);
        for (row, to) in differences.chunks_exact_mut(2 * kept).enumerate() {
            let [f, g, _] = part(made, first + row * kept..first + (row + 1) * kept);
            for i in 0..kept {
                to[i] = x[c][i].sub(f[c][i]);
                to[kept + i] = y[c][i].sub(g[c][i]);
            }
        }
        let end = first + rows * kept;
        for (to, from) in whole.chunks_exact_mut(opened).zip(part(made, end..end + opened)) {
            to.copy_from_slice(from[c]);
        }
        shares
    });
    let public = open(channel, size_of::<W>(), [&shares[0], &shares[1]])?;
    let (differences, whole) = public.split_at(2 * kept * rows);
    let (factors, products) = whole.split_at(2 * opened);
    let right = (0..opened).all(|i| factors[i].mul(factors[opened + i]) == products[i]);
    let zeros = [0, 1].map(|c| {
        let mut zeros = Buffer::zeros(kept * rows);
        for (row, to) in zeros.chunks_exact_mut(kept).enumerate() {
            let [f, _, h] = part(made, first + row * kept..first + (row + 1) * kept);
            let (rho, sigma) = differences[2 * kept * row..2 * kept * (row + 1)].split_at(kept);
            for (i, to) in to.iter_mut().enumerate() {
                let products = rho[i].mul(y[c][i]).add(sigma[i].mul(f[c][i]));
                *to = z[c][i].sub(h[c][i]).sub(products);
            }
        }
        zeros
    });
    channel.claim_zeros(size_of::<W>(), [&zeros[0], &zeros[1]]);
    Ok(right)
}

/// The triples in random order.
fn shuffled<W: Word>(challenge: &mut Challenge, triples: Triples<W>) -> Triples<W> {
    if W::BITS == 1 {
        return shuffled_bits(challenge, triples);
    }
    let n = triples[0][0].len();
    let mut records = Buffer::zeros(6 * n);
    for (i, record) in records.chunks_exact_mut(6).enumerate() {
        let [a, b, c] = triples.each_ref().map(|pair| [pair[0][i], pair[1][i]]);
        record.copy_from_slice(&[a[0], a[1], b[0], b[1], c[0], c[1]]);
    }
    shuffle(challenge, bytemuck::cast_slice_mut::<W, [W; 6]>(&mut records));
    std::array::from_fn(|value| {
        std::array::from_fn(|c| {
            let mut run = Buffer::zeros(n);
            let from = records.iter().skip(2 * value + c).step_by(6);
            run.iter_mut().zip(from).for_each(|(to, from)| *to = *from);
            run
        })
    })
}

/// Shuffles triples of bits. Every lane moves on its own: a byte holds the six bits of a triple.
fn shuffled_bits<W: Word>(challenge: &mut Challenge, triples: Triples<W>) -> Triples<W> {
    let words = triples[0][0].len();
    let mut planes = Buffer::<u64>::zeros(6 * words);
    let runs = triples.iter().flatten();
    for (plane, run) in planes.chunks_exact_mut(words).zip(runs) {
        plane.copy_from_slice(bytemuck::cast_slice(run));
    }
    let mut records = Buffer::<u8>::zeros(64 * words);
    transpose::unpack(&planes, 6, &mut records);
    shuffle(challenge, &mut records);
    transpose::pack(&records, 6, &mut planes);
    std::array::from_fn(|value| {
        std::array::from_fn(|c| {
            let at = (2 * value + c) * words;
            let mut run = Buffer::<W>::zeros(words);
            word::bytes_mut(&mut run).copy_from_slice(word::bytes(&planes[at..at + words]));
            run
        })
    })
}

/// A uniform order but for a factor of 1 + 2^-20 on the chance of any.
fn shuffle<T>(challenge: &mut Challenge, items: &mut [T]) {
    const TOGETHER: usize = 4096;
    let mut left = items.len();
    while left > 1 {
        for random in challenge.words::<u64>(TOGETHER.min(left - 1)) {
            let other = (u128::from(random) * left as u128) >> 64;
            items.swap(left - 1, other as usize);
            left -= 1;
        }
    }
}

/// Brain with triples by cut and choose.
pub const BRAIN_BUCKETS: Protocol = Protocol::new(&proven(
    "brain-buckets",
    ["brain.md", "to compare: triples checked by cut and choose; a short online phase"],
    &OfBaseline(|it| Method::Brain(Source::Buckets, it)),
    (Some("brain-buckets@64"), [true, true]),
    Status::Baseline,
));

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Method, Source};
    use tacit_protocol::Baseline;

    const HERE: Baseline = Baseline::HERE.unwrap();

    fn proving(strength: Strength, batch: Option<BatchSize>) -> Proving {
        Proving { method: Method::Brain(Source::Buckets, HERE), strength, batch }
    }

    #[test]
    fn buckets_of_the_size_that_is_asked_for_hold_as_many_triples_as_that_takes() {
        let batch = "494303x3".parse().ok();
        for (wanted, kept) in [(1, 494_303), (494_303, 494_303), (800_000, 800_000)] {
            let sizes = Sizes::for_triples(64, proving(Strength::Usual, batch), wanted);
            assert_eq!(sizes, Sizes { kept, bucket: 3, opened: 3 });
        }
        let any = "494303".parse().ok();
        assert_eq!(Sizes::for_triples(64, proving(Strength::Usual, any), 453).bucket, 5);
        // No batch that can be asked for is sound with two; then larger buckets are made.
        let two = "16777216x2".parse().ok();
        assert!(Sizes::for_triples(64, proving(Strength::Strong, two), 453).bucket > 2);
    }

    #[test]
    fn no_buckets_send_less_than_those_that_are_taken() {
        for strength in [Strength::Usual, Strength::Strong] {
            for bits in [1, 64] {
                for wanted in [0, 1, 2, 5, 70, 110, 400, 452, 3_000, 4_600, 16_384, 490_000] {
                    let of = |bucket| Sizes::in_buckets((bits, strength), bucket, wanted);
                    let least = (2..=LARGEST).filter_map(of).map(Sizes::sent_for_triples).min();
                    let taken = Sizes::for_triples(bits, proving(strength, None), wanted);
                    assert_eq!(Some(taken.sent_for_triples()), least, "{bits} {wanted}");
                }
            }
        }
    }

    #[test]
    fn the_least_sizes_are_those_of_the_specification() {
        let (usual, strong) = (Strength::Usual, Strength::Strong);
        for (strength, bucket, triples, products) in [
            (usual, 3, 494_303, 741_454),
            (usual, 4, 4_688, 6_251),
            (usual, 5, 453, 566),
            (usual, 6, 111, 133),
            (strong, 4, 1_200_320, 1_600_426),
            (strong, 5, 29_011, 36_263),
            (strong, 6, 3_096, 3_715),
        ] {
            let least = |security| {
                Sizes::least((64, strength), bucket, 1, security).map(|sizes| sizes.kept)
            };
            assert_eq!(least(Sizes::security_of_triples), Some(triples));
            assert_eq!(least(Sizes::security_of_products), Some(products));
        }
    }

    #[test]
    fn buckets_are_large_enough_and_no_larger() {
        for strength in [Strength::Usual, Strength::Strong] {
            let target = f64::from(strength.bits());
            for bits in [1, 64] {
                for wanted in [1, 7, 100, 5_000, 1 << 20] {
                    let triples = Sizes::for_triples(bits, proving(strength, None), wanted);
                    assert!(triples.kept >= wanted && triples.security_of_triples(bits) >= target);
                    let products = Sizes::for_products(bits, strength, wanted);
                    assert!(products.security_of_products(bits) >= target, "{bits} {wanted}");
                    let fewer = Sizes::new(bits, wanted, products.bucket - 1);
                    let is_least =
                        products.bucket == 2 || fewer.security_of_products(bits) < target;
                    assert!(is_least, "{bits} {wanted}");
                }
            }
        }
        let bucket =
            |strength, words, bits| Sizes::for_triples(bits, proving(strength, None), words).bucket;
        assert_eq!(bucket(Strength::Usual, 1 << 20, 64), 3);
        assert_eq!(bucket(Strength::Usual, 1 << 14, 1), 3);
        assert_eq!([1 << 19, 1 << 21].map(|words| bucket(Strength::Strong, words, 64)), [5, 4]);
        // With some to spare, that sends less.
        assert_eq!(bucket(Strength::Strong, 1 << 14, 1), 4);
    }

    #[test]
    fn a_cheat_does_best_with_one_bucket_or_all_of_them() {
        // Of `all` products some are wrong in whole buckets, and none of those that open is.
        let chance = |sizes: Sizes, all: usize, each: usize| {
            let one = |spoilt: usize| choices(all, spoilt * each) - choices(sizes.kept, spoilt);
            (1..=sizes.kept).map(one).fold(f64::INFINITY, f64::min)
        };
        for strength in [Strength::Usual, Strength::Strong] {
            for kept in [1, 2, 3, 10, 111, 400, 1000] {
                let triples = Sizes::for_triples(64, proving(strength, None), kept);
                let least = chance(triples, triples.made_for_triples(), triples.bucket);
                assert!((least - triples.security_of_triples(64)).abs() < 1e-6, "{triples:?}");
            }
            for given in [1, 2, 3, 10, 133, 1000] {
                let sizes = Sizes::for_products(64, strength, given);
                let (all, each) = (sizes.made_for_products(), sizes.bucket - 1);
                // Given products are not shuffled: the cheat says which ones are wrong.
                let one = |spoilt: usize| choices(all, spoilt * each);
                let least = (1..=given).map(one).fold(f64::INFINITY, f64::min);
                assert!((least - sizes.security_of_products(64)).abs() < 1e-6, "{sizes:?}");
            }
        }
    }
}
