//! Triples by products over the integers (`docs/spec/malicious-3pc-rings.md` sections 3.7, 5.1 to 5.3): factors are
//! numbers below a bound, so that a product that is right modulo a prime larger than any error is right over the
//! integers, and modulo `2^m`.
//!
//! The prime is drawn at random, of one word, when the products are out: a number that is off is right
//! modulo few of them. Then all products together are one inner product, proven like those of
//! [`lift`](super::lift). (The published check is modulo one prime that is larger than all numbers:
//! [`single`](super::single).)

use super::channel::{Challenge, ProofChannel};
use super::field::Residues;
use super::method::{Method, OfBaseline, Source, proven};
use super::wide::{self, Wide};
use super::{Charge, Scratch, Strength, Triples, fold};
use tacit_protocol::{Protocol, Status};
use tacit_ring::{Buffer, Word};
use tacit_sharing::SharingError;
use zeroize::Zeroizing;

/// Words of a factor's component.
pub(super) const FACTOR: usize = 3;
pub(super) type Factor = [u64; FACTOR];

/// Bits by which dealt numbers are wider than what they hide.
const DEALT: u32 = Strength::Usual.bits();

/// Where random factors come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Factors {
    /// Every party deals some, wide enough to hide them over the integers (Damgård, Orlandi, Simkin). Only
    /// of the usual strength: wider ones do not fit into a [`Factor`].
    Dealt,
    /// Components are words that two parties know: uniform modulo `2^m`, which is all that is needed.
    Known,
}

impl Factors {
    /// Bits of a component.
    fn bits(self, ring: u32) -> u32 {
        match self {
            Factors::Dealt => ring + DEALT + 1,
            Factors::Known => ring,
        }
    }

    /// Bytes of what each party deals of a factor.
    fn dealt_bytes(self, ring: u32) -> usize {
        match self {
            Factors::Dealt => (ring + DEALT).div_ceil(8) as usize,
            Factors::Known => 0,
        }
    }

    /// Widths of a masked product.
    pub fn width(self, strength: Strength, ring: u32) -> Width {
        let component = wide::less_one(&wide::power(self.bits(ring)));
        let mut most = wide::ZERO;
        wide::add_times(&mut most, &times(&cut(&component), &cut(&component)), 3);
        Width::new(most, strength)
    }
}

/// Widths of masked integers.
pub(super) struct Width {
    /// Width of a mask, in bits.
    pub mask: u32,
    /// The greatest integer.
    pub most: Wide,
    /// Length of a masked integer, in bytes.
    pub bytes: usize,
}

impl Width {
    /// Widths for integers that are at most `most`.
    pub fn new(most: Wide, strength: Strength) -> Self {
        let mask = wide::bits(&most) + super::mask_bits(strength);
        Width { mask, most, bytes: (mask as usize + 1).div_ceil(8) }
    }

    /// Widths for sums of `terms` products of shared words of `bits` bits, when each role holds a summand of the sum.
    pub fn of_products(bits: u32, strength: Strength, terms: usize) -> Self {
        let greatest = u128::MAX >> (128 - bits);
        let mut most = wide::ZERO;
        wide::add_times(&mut most, &wide::product(greatest, greatest), 3 * terms as u64);
        Width::new(most, strength)
    }
}

/// Sharings over the integers that are under way: what this role has of them.
pub(super) struct Masked {
    width: Width,
    own: Zeroizing<Vec<Wide>>,
    /// Masks of what the next role sends.
    theirs: Buffer<u64>,
}

fn mask(masks: &[u64], width: &Width, at: usize) -> Wide {
    wide::cut(&masks[at * wide::WORDS..], width.mask)
}

impl Masked {
    /// Masks numbers of which each role holds a summand. Also returns the bytes that go to the previous role.
    pub fn new(
        channel: &mut ProofChannel<'_, '_, '_>,
        width: Width,
        summands: &[Wide],
    ) -> (Self, Buffer<u8>) {
        let [with_next, with_previous] = channel.masks::<u64>(summands.len() * wide::WORDS);
        let mut sent = Buffer::zeros(summands.len() * width.bytes);
        let mut own = Zeroizing::new(Vec::with_capacity(summands.len()));
        for (i, (to, summand)) in sent.chunks_exact_mut(width.bytes).zip(summands).enumerate() {
            let masked = wide::sum(summand, &mask(&with_next, &width, i));
            wide::write(&masked, to);
            own.push(wide::difference(&masked, &mask(&with_previous, &width, i)));
        }
        (Masked { width, own, theirs: with_next }, sent)
    }

    /// Bytes that the next role sends.
    pub fn bytes(&self) -> usize {
        self.own.len() * self.width.bytes
    }

    /// Signed components, with what the next role sent; nothing if it is out of range.
    pub fn finished(self, sent: &[u8]) -> Option<Zeroizing<Vec<[Wide; 2]>>> {
        let Masked { width, own, theirs } = self;
        let most = wide::sum(&wide::power(width.mask), &width.most);
        let mut shared = Zeroizing::new(Vec::with_capacity(own.len()));
        for (i, (own, sent)) in own.iter().zip(sent.chunks_exact(width.bytes)).enumerate() {
            let sent = wide::from_bytes(sent);
            if wide::is_less(&most, &sent) {
                return None;
            }
            shared.push([*own, wide::difference(&sent, &mask(&theirs, &width, i))]);
        }
        Some(shared)
    }
}

/// Shared integers: signed components.
pub(super) type Integers = Zeroizing<Vec<[Wide; 2]>>;

/// Sharings over the integers of numbers of which each role has a summand: signed components.
pub(super) fn share(
    channel: &mut ProofChannel<'_, '_, '_>,
    width: Width,
    summands: &[Wide],
) -> Result<Integers, SharingError> {
    let [shared, _] =
        share_both(channel, [(width, summands), (Width::new(wide::ZERO, Strength::Usual), &[])])?;
    Ok(shared)
}

/// The same of numbers of two widths, in one message.
pub(super) fn share_both(
    channel: &mut ProofChannel<'_, '_, '_>,
    numbers: [(Width, &[Wide]); 2],
) -> Result<[Integers; 2], SharingError> {
    let [(first, mut sent), (second, more)] =
        numbers.map(|(width, summands)| Masked::new(channel, width, summands));
    if !more.is_empty() {
        sent = Buffer::from_slice(&[&sent[..], &more[..]].concat());
    }
    let theirs = channel.pass(&sent)?;
    let (of_first, of_second) = theirs.split_at(first.bytes());
    let shared = first.finished(of_first).zip(second.finished(of_second));
    shared.map(|(first, second)| [first, second]).ok_or_else(|| channel.out_of_range())
}

/// Shared factors and their products over the integers, not checked yet.
pub(super) struct Products {
    pub a: [Buffer<u64>; 2],
    pub b: [Buffer<u64>; 2],
    pub c: Zeroizing<Vec<[Wide; 2]>>,
}

/// Component `c` of a factor.
pub(super) fn factor(factors: &[Buffer<u64>; 2], c: usize, at: usize) -> Factor {
    std::array::from_fn(|i| factors[c][at * FACTOR + i])
}

impl Products {
    /// `n` of them.
    ///
    /// # Errors
    /// When the network fails or a peer sends what no honest party does.
    pub fn make(
        channel: &mut ProofChannel<'_, '_, '_>,
        (kind, strength): (Factors, Strength),
        ring: u32,
        n: usize,
    ) -> Result<Self, SharingError> {
        let [a, b] = match kind {
            Factors::Known => [0, 1].map(|_| known(channel, ring, n)),
            Factors::Dealt => dealt(channel, kind.dealt_bytes(ring), n)?,
        };
        let summand = |i| {
            let [x, y] = [&a, &b].map(|factors| [0, 1].map(|c| factor(factors, c, i)));
            let both = plus(&y[0], &y[1]);
            wide::sum(&times(&x[0], &both), &times(&x[1], &y[0]))
        };
        let summands: Zeroizing<Vec<Wide>> = Zeroizing::new((0..n).map(summand).collect());
        let c = share(channel, kind.width(strength, ring), &summands)?;
        Ok(Products { a, b, c })
    }

    /// The triples modulo the ring's power of two.
    pub fn reduced<W: Word>(&self) -> Triples<W> {
        let low = |words: &[u64]| W::from_u128(u128::from(words[0]) | u128::from(words[1]) << 64);
        let factors = |factors: &[Buffer<u64>; 2]| {
            factors.each_ref().map(|run| {
                let mut words = Buffer::zeros(run.len() / FACTOR);
                let from = run.chunks_exact(FACTOR);
                words.iter_mut().zip(from).for_each(|(to, from)| *to = low(from));
                words
            })
        };
        let products = |c: usize| {
            let mut words = Buffer::zeros(self.c.len());
            words.iter_mut().zip(self.c.iter()).for_each(|(to, from)| *to = low(&from[c]));
            words
        };
        [factors(&self.a), factors(&self.b), [products(0), products(1)]]
    }
}

/// Components below `2^ring`, from the keys that their two holders have.
fn known(channel: &mut ProofChannel<'_, '_, '_>, ring: u32, n: usize) -> [Buffer<u64>; 2] {
    channel.shared::<u128>(n).map(|run| {
        let mut words = Buffer::zeros(n * FACTOR);
        for (to, from) in words.chunks_exact_mut(FACTOR).zip(run.iter()) {
            let low = from & (u128::MAX >> (128 - ring));
            (to[0], to[1]) = (low as u64, (low >> 64) as u64);
        }
        words
    })
}

/// Two factors each, the sums of what the three parties deal: of each, one component is drawn under the
/// key that the dealer has with the next role, and one is sent to the previous one.
fn dealt(
    channel: &mut ProofChannel<'_, '_, '_>,
    bytes: usize,
    n: usize,
) -> Result<[[Buffer<u64>; 2]; 2], SharingError> {
    let mine = channel.private::<u8>(2 * n * bytes);
    let [with_next, with_previous] = channel.masks::<u8>(2 * n * bytes);
    let theirs = channel.pass(&mine)?;
    let added = |one: &[u8], other: &[u8]| {
        let mut words = Buffer::zeros(n * FACTOR);
        let both = one.chunks_exact(bytes).zip(other.chunks_exact(bytes));
        for (to, (one, other)) in words.chunks_exact_mut(FACTOR).zip(both) {
            to.copy_from_slice(&plus(&read(one), &read(other)));
        }
        words
    };
    let half = n * bytes;
    Ok([0..half, half..2 * half].map(|at| {
        let own = added(&mine[at.clone()], &with_previous[at.clone()]);
        [own, added(&theirs[at.clone()], &with_next[at])]
    }))
}

fn read(bytes: &[u8]) -> Factor {
    let mut words = [0u64; FACTOR];
    bytes.iter().enumerate().for_each(|(i, b)| words[i / 8] |= u64::from(*b) << (8 * (i % 8)));
    words
}

fn cut(a: &Wide) -> Factor {
    std::array::from_fn(|i| a[i])
}

/// The sum, which fits.
pub(super) fn plus(a: &Factor, b: &Factor) -> Factor {
    let mut carry = 0u128;
    std::array::from_fn(|i| {
        carry = u128::from(a[i]) + u128::from(b[i]) + (carry >> 64);
        carry as u64
    })
}

/// The product.
pub(super) fn times(a: &Factor, b: &Factor) -> Wide {
    let mut product = wide::ZERO;
    for (i, a) in a.iter().enumerate() {
        let mut carry = 0u128;
        for (j, b) in b.iter().enumerate() {
            carry = u128::from(*a) * u128::from(*b) + u128::from(product[i + j]) + (carry >> 64);
            product[i + j] = carry as u64;
        }
        product[i + FACTOR] = (carry >> 64) as u64;
    }
    product
}

/// What triples cost without their check.
pub(super) fn cost_of_products(kind: Factors, strength: Strength, ring: u32, n: usize) -> Charge {
    let dealt = 2 * kind.dealt_bytes(ring);
    let rounds = 1 + u64::from(dealt > 0);
    Charge { bytes: (n * (dealt + kind.width(strength, ring).bytes)) as u64, coins: 0, rounds }
}

/// The logarithm, rounded down, of the number of primes that one is drawn from: those between 15/16 of 2^61 and 2^61.
const PRIMES: f64 = 51.59;
/// Bits of a prime, but for less than a tenth.
const PRIME_BITS: f64 = 60.9;

/// The chance that masked integers of such widths pass though one is wrong, where `terms` products of theirs are
/// proven: the prime divides its error, or the proof misses it; each time anew.
pub(super) fn chance(width: &Width, strength: Strength, terms: usize) -> f64 {
    chance_of(width, strength, fold::cost(terms))
}

/// The same where the proof takes so much.
pub(super) fn chance_of(width: &Width, strength: Strength, proof: fold::Cost) -> f64 {
    let dividing = (f64::from(width.mask + 1) / PRIME_BITS).floor();
    let missed = (1 + proof.roots) as f64;
    let once = dividing * (-PRIMES).exp2() + missed * (-PRIME_BITS).exp2();
    once.powi(super::proofs(strength) as i32)
}

/// What triples cost.
pub(super) fn cost(kind: Factors, strength: Strength, ring: u32, n: usize) -> Charge {
    let coin = Charge { bytes: 0, coins: 1, rounds: 1 };
    cost_of_products(kind, strength, ring, n)
        + coin
        + fold::cost(n).charge().times(super::proofs(strength))
}

/// `n` triples, proven together.
///
/// # Errors
/// When the network fails or a peer sends what no honest party does.
pub(super) fn triples<W: Word>(
    channel: &mut ProofChannel<'_, '_, '_>,
    scratch: &mut Scratch,
    kind: (Factors, Strength),
    n: usize,
) -> Result<Triples<W>, SharingError> {
    let products = Products::make(channel, kind, W::BITS, n)?;
    let mut challenge = channel.coin()?;
    for _ in 0..super::proofs(kind.1) {
        let field = challenge.prime();
        prove_triples(channel, scratch, (field, &mut challenge), &products)?;
    }
    Ok(products.reduced())
}

/// Proves that triples are right modulo a prime, all together, under a challenge that came when they were out.
pub(super) fn prove_triples<F: Residues>(
    channel: &mut ProofChannel<'_, '_, '_>,
    scratch: &mut Scratch,
    (field, challenge): (F, &mut Challenge),
    products: &Products,
) -> Result<(), SharingError> {
    let claims = Claims {
        runs: &[(products.c.len(), 1)],
        factors: |c: usize, at: usize| {
            [&products.a, &products.b].map(|factors| modulo(field, &factor(factors, c, at)))
        },
        result: |c: usize, at: usize| products.c[at][c],
    };
    prove(channel, scratch, (field, challenge), &claims)
}

/// Numbers, each claimed to be a sum of products.
pub(super) struct Claims<'a, F, R> {
    /// Results, and the terms of each.
    pub runs: &'a [(usize, usize)],
    /// A component of both factors of a term, modulo the prime.
    pub factors: F,
    /// A component of a result.
    pub result: R,
}

/// Proves that all claims are right modulo a prime, under a challenge that came when they were out.
pub(super) fn prove<F: Residues>(
    channel: &mut ProofChannel<'_, '_, '_>,
    scratch: &mut Scratch,
    (field, challenge): (F, &mut Challenge),
    claims: &Claims<'_, impl Fn(usize, usize) -> [u64; 2], impl Fn(usize, usize) -> Wide>,
) -> Result<(), SharingError> {
    let runs = || claims.runs.iter();
    let weights = challenge.elements(field, runs().map(|(results, _)| results).sum());
    let mut claim = [0; 2];
    for (at, weight) in weights.iter().enumerate() {
        claim = [0, 1].map(|c| {
            let result = wide::signed_modulo(field, &(claims.result)(c, at));
            field.add(claim[c], field.mul(result, *weight))
        });
    }
    let terms = runs().map(|(results, terms)| results * terms).sum();
    let [f, g] = scratch.columns(fold::padded(terms));
    for c in 0..2 {
        let each = runs().flat_map(|(results, terms)| std::iter::repeat_n(*terms, *results));
        let each =
            each.zip(&weights).flat_map(|(terms, weight)| std::iter::repeat_n(weight, terms));
        for (at, weight) in each.enumerate() {
            let [x, y] = (claims.factors)(c, at);
            (f[c][at], g[c][at]) = (field.mul(x, *weight), y);
        }
        f[c][terms..].fill(0);
        g[c][terms..].fill(0);
    }
    fold::prove(channel, field, [f, g].map(|runs| runs.map(|run| &*run)), terms, claim)
}

fn modulo<F: Residues>(field: F, factor: &Factor) -> u64 {
    let low = u128::from(factor[0]) | u128::from(factor[1]) << 64;
    let shift = field.add(field.remainder(u128::MAX), 1);
    let high = field.remainder(u128::from(factor[2]));
    field.add(field.remainder(low), field.mul(high, shift))
}

/// Brain with dealt triples over the integers, proven together.
pub const BRAIN_BATCH: Protocol = Protocol::new(&proven(
    "brain-batch",
    [
        "brain.md",
        "to compare: dealt triples over the integers, proven together; a short online phase",
    ],
    &OfBaseline(|it| Method::Brain(Source::Batch, it)),
    (None, [false, false]),
    Status::Baseline,
));

/// Brain with triples over the integers, proven together.
pub const BRAIN_INTEGERS: Protocol = Protocol::new(&proven(
    "brain-integers",
    ["brain.md", "to compare: triples over the integers, proven together; a short online phase"],
    &OfBaseline(|it| Method::Brain(Source::Integers, it)),
    (Some("brain-integers@64"), [false, false]),
    Status::Baseline,
));

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn widths_are_those_of_the_specification_with_wider_masks() {
        // sigma = 2m + 2 + 64 of known factors, 2(m + 41) + 2 + 64 of dealt ones.
        let (usual, strong) = (Strength::Usual, Strength::Strong);
        for ring in [8, 16, 32, 64, 128] {
            assert_eq!(Factors::Known.width(usual, ring).mask, 2 * ring + 66);
            assert_eq!(Factors::Known.width(strong, ring).mask, 2 * ring + 90);
            assert_eq!(Factors::Dealt.width(usual, ring).mask, 2 * (ring + 41) + 66);
        }
        assert_eq!(Factors::Known.width(usual, 64).bytes, 195usize.div_ceil(8));
        assert_eq!(Factors::Known.width(strong, 64).bytes, 219usize.div_ceil(8));
    }
}
