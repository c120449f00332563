//! Proof of products modulo `2^m`: the lift check (`docs/spec/malicious-3pc-rings.md` section 8.3), with one word-size
//! prime.
//!
//! Components of factors are read as numbers, so that products are known over the integers, too.
//! For each of 41 random sets of results the parties share the sum `S` of the integer products;
//! modulo `2^m` it must be the sum of the results, which a wrong result fails in half of the sets.
//! The sums themselves are then proven modulo a prime that is drawn only after they are fixed: a sum that is off by
//! some `e` passes only where the prime is one of the few that divide `e`.
//! So this needs one inner product in a field of one word, of any width `m`. With a statistical parameter
//! of 64 it is 65 sets, and two inner products, modulo two primes: a wrong sum passes both with `2^-97`.
//!
//! Of few products the first factors, weighted, open under masks without being folded ([`fold`]). Masks are numbers then, and their
//! inner product with the second factors, which are numbers, too, is shared over the integers beside the sums: known modulo any prime,
//! before one is drawn.

use super::channel::{Challenge, Pair, ProofChannel};
use super::field::Algebra;
use super::fold::{self, Hiding, OPENING, Steps};
use super::integers::{self, Integers, Width, share_both};
use super::method::{Method, proven};
use super::wide::{self, Wide};
use super::{Batch, Charge, Scratch, Strength, Two};
use std::ops::Range;
use tacit_protocol::{Protocol, Status};
use tacit_ring::prime::Prime;
use tacit_ring::simd::{self, Kernel};
use tacit_ring::{Buffer, Word};
use tacit_sharing::SharingError;
use zeroize::{Zeroize, Zeroizing};

/// Sets of results: a wrong one is missed by all with probability two to the minus this, a half of what it
/// may.
pub(super) const fn subsets(strength: Strength) -> usize {
    strength.bits() as usize + 1
}
/// Results whose places in the sets are drawn together.
pub(super) const TOGETHER: usize = 8;
/// Bits of sums that a lane keeps between carries.
const LANE_BITS: u32 = 48;
/// Tables whose entries are added before sums are reduced.
const AT_ONCE: usize = 8;
/// Results between carries: a lane then grows by less than `2^15` times.
const CARRY: usize = (1 << 12) * TOGETHER;

/// What the proof of `terms` products of `bits` bits sends.
pub(super) fn cost(bits: u32, strength: Strength, terms: usize) -> Charge {
    let sums = subsets(strength) as u64 * Width::of_products(bits, strength, terms).bytes as u64;
    let proofs = super::proofs(strength);
    let masked = match is_short(bits, terms) {
        true => proofs * of_masks(bits, strength, terms).bytes as u64,
        false => 0,
    };
    fold_cost(bits, terms).charge().times(proofs)
        + Charge { bytes: sums + masked, coins: 2, rounds: 3 }
}

/// What it takes behind the coin that draws a prime.
fn fold_cost(bits: u32, terms: usize) -> fold::Cost {
    match is_short(bits, terms) {
        true => fold::Cost { elements: terms as u64, ..OPENING },
        false => Steps::of_batch(bits, terms).cost(terms),
    }
}

/// Whether products of `bits` bits are so few that their factors are not folded.
fn is_short(bits: u32, terms: usize) -> bool {
    Steps::of_batch(bits, terms).level(terms) == 0
}

/// Draws of 128 bits that are added up to a component of a mask: see [`Algebra::DRAWS`].
const DRAWS: usize = 2;

/// Widths of the sum of the products of `terms` masks with words of `bits` bits.
fn of_masks(bits: u32, strength: Strength, terms: usize) -> Width {
    let mut most = wide::ZERO;
    let each = wide::product(u128::MAX, u128::MAX >> (128 - bits));
    wide::add_times(&mut most, &each, 3 * (DRAWS * terms) as u64);
    Width::new(most, strength)
}

/// Integers that go under masks in one proof, at most: the sums, and of few products those of masks.
pub(super) const fn masked(strength: Strength) -> usize {
    subsets(strength) + super::proofs(strength) as usize
}

/// The chance that a wrong batch of `terms` products passes: by all sets, or with a wrong sum.
pub(super) fn chance(bits: u32, strength: Strength, terms: usize) -> f64 {
    let width = Width::of_products(bits, strength, terms);
    let proof = fold_cost(bits, terms);
    (-(subsets(strength) as f64)).exp2() + integers::chance_of(&width, strength, proof)
}

/// Results, each claimed to be a sum of products of words that are read as numbers.
pub(super) trait Results<W: Word> {
    /// How many.
    fn results(&self) -> usize;

    /// Products in all.
    fn terms(&self) -> usize;

    /// Components of the second factors of all products, in order.
    fn seconds(&self) -> impl Iterator<Item = [W; 2]>;

    /// The sums over all sets.
    fn sums<const LANES: usize, const SUBSETS: usize>(&self, places: &Places<SUBSETS>)
    -> Vec<Sums>;

    /// Writes the factors of all products modulo a prime, the first ones times what their result counts for.
    fn lift<const SUBSETS: usize>(
        &self,
        field: Prime,
        weights: &Weights<'_, SUBSETS>,
        columns: [[&mut [u64]; 2]; 2],
    );
}

/// Proves that every result is the sum of the products of its terms.
///
/// # Errors
/// When the network fails or a peer sends what no honest party does.
pub(super) fn prove<W: Word>(
    channel: &mut ProofChannel<'_, '_, '_>,
    scratch: &mut Scratch,
    strength: Strength,
    products: &impl Results<W>,
) -> Result<(), SharingError> {
    const USUAL: usize = subsets(Strength::Usual);
    const STRONG: usize = subsets(Strength::Strong);
    match strength {
        Strength::Usual => prove_with::<W, USUAL>(channel, scratch, strength, products),
        Strength::Strong => prove_with::<W, STRONG>(channel, scratch, strength, products),
    }
}

/// With so many sets: fewer for tests of what passes by chance.
pub(super) fn prove_with<W: Word, const SUBSETS: usize>(
    channel: &mut ProofChannel<'_, '_, '_>,
    scratch: &mut Scratch,
    strength: Strength,
    products: &impl Results<W>,
) -> Result<(), SharingError> {
    let places = Places::<SUBSETS>::new(&mut channel.coin()?, products.results());
    let sums = Zeroizing::new(match W::BITS {
        128 => products.sums::<12, SUBSETS>(&places),
        64 => products.sums::<5, SUBSETS>(&places),
        _ => products.sums::<4, SUBSETS>(&places),
    });
    let summands = Zeroizing::new(sums.iter().map(|sum| sum.products).collect::<Vec<Wide>>());
    let terms = products.terms();
    let masks: Vec<Masks> = match is_short(W::BITS, terms) {
        true => (0..super::proofs(strength)).map(|_| channel.shared(DRAWS * terms)).collect(),
        false => Vec::new(),
    };
    let of_factors: Vec<Wide> = masks.iter().map(|masks| with_seconds(masks, products)).collect();
    let of_factors = Zeroizing::new(of_factors);
    let widths = (Width::of_products(W::BITS, strength, terms), of_masks(W::BITS, strength, terms));
    let [shared, masked] = share_both(channel, [(widths.0, &summands), (widths.1, &of_factors)])?;
    let differ = |(sums, shared): (&Sums, &[Wide; 2])| -> [W; 2] {
        [0, 1].map(|c| {
            let sum = u128::from(shared[c][0]) | u128::from(shared[c][1]) << 64;
            W::from_u128(sums.results[c]).sub(W::from_u128(sum))
        })
    };
    let differences: Vec<[W; 2]> = sums.iter().zip(shared.iter()).map(differ).collect();
    let mut challenge = channel.coin()?;
    channel.claim_zero(&differences, W::sub);
    let mut hidden = masks.iter().zip(masked.iter());
    for _ in 0..super::proofs(strength) {
        let of = (products, &places, &shared);
        prove_sums(channel, scratch, &mut challenge, of, hidden.next())?;
    }
    Ok(())
}

/// Components of masks that are numbers, each a sum of some draws.
type Masks = [Buffer<u128>; 2];

/// This role's summand of the inner product of masks with the second factors, over the integers.
fn with_seconds<W: Word>(masks: &Masks, products: &impl Results<W>) -> Wide {
    let mut sum = wide::ZERO;
    let draws = masks[0].chunks_exact(DRAWS).zip(masks[1].chunks_exact(DRAWS));
    for (y, (own, next)) in products.seconds().zip(draws) {
        let [y0, y1] = y.map(W::to_u128);
        for (own, next) in own.iter().zip(next) {
            for (mask, y) in [(*own, y0), (*own, y1), (*next, y0)] {
                wide::add_times(&mut sum, &wide::product(mask, y), 1);
            }
        }
    }
    sum
}

/// Masks modulo a prime, and what is shared of their products.
fn modulo(field: Prime, (masks, product): (&Masks, &[Wide; 2])) -> Hiding {
    let masks = masks.each_ref().map(|run| {
        let mut elements = Buffer::zeros(run.len() / DRAWS);
        for (to, draws) in elements.iter_mut().zip(run.chunks_exact(DRAWS)) {
            *to = draws.iter().fold(0, |sum, draw| field.add(sum, field.drawn(*draw)));
        }
        elements
    });
    Hiding { masks, product: product.each_ref().map(|sum| wide::signed_modulo(field, sum)) }
}

/// Proves that sums over the integers are right, modulo a prime.
fn prove_sums<W: Word, const SUBSETS: usize>(
    channel: &mut ProofChannel<'_, '_, '_>,
    scratch: &mut Scratch,
    challenge: &mut Challenge,
    (products, places, sums): (&impl Results<W>, &Places<SUBSETS>, &Integers),
    hidden: Option<(&Masks, &[Wide; 2])>,
) -> Result<(), SharingError> {
    let field = challenge.prime();
    let weights = challenge.elements(field, SUBSETS);
    let mut claim: Pair = [0; 2];
    for (sum, weight) in sums.iter().zip(&weights) {
        let modulo = |c: usize| field.mul(wide::signed_modulo(field, &sum[c]), *weight);
        claim = [0, 1].map(|c| field.add(claim[c], modulo(c)));
    }
    let len = products.terms();
    let steps = Steps::of_batch(W::BITS, len);
    let mut columns = scratch.columns(steps.padded(len));
    columns.iter_mut().flatten().for_each(|run| run[len..].fill(0));
    let cut = columns.each_mut().map(|column| column.each_mut().map(|run| &mut run[..len]));
    products.lift(field, &Weights { places, tables: Tables::new(field, &weights) }, cut);
    let vectors = columns.map(|runs| runs.map(|run| &*run));
    match hidden {
        None => fold::prove_in(channel, (field, steps), vectors, len, claim),
        Some(hidden) => {
            let t = challenge.elements(field, 1)[0];
            let vectors: [Two<'_, u64>; 2] = vectors.map(|runs| runs.map(|run| &run[..len]));
            fold::open(channel, field, vectors, claim, (modulo(field, hidden), t))
        }
    }
}

/// Which sets each result is in: a byte for each set and eight results.
pub(super) struct Places<const SUBSETS: usize> {
    bytes: Vec<u8>,
}

impl<const SUBSETS: usize> Places<SUBSETS> {
    fn new(challenge: &mut Challenge, results: usize) -> Self {
        let groups = results.div_ceil(TOGETHER);
        Places { bytes: challenge.words(groups * SUBSETS) }
    }

    fn groups(&self) -> impl Iterator<Item = &[u8]> {
        self.bytes.chunks_exact(SUBSETS)
    }
}

/// The sums over one set, or what one result adds to them: this role's summand of the integer products, and its components of
/// the results.
#[derive(Clone, Copy)]
pub(super) struct Sums {
    pub products: Wide,
    pub results: [u128; 2],
}

impl Zeroize for Sums {
    fn zeroize(&mut self) {
        self.products.zeroize();
        self.results.zeroize();
    }
}

/// Begins at a cache line.
#[repr(align(64))]
struct Aligned<T>(T);

struct Subsets<'a, W, const LANES: usize, const SUBSETS: usize> {
    products: &'a Batch<'a, W>,
    places: &'a Places<SUBSETS>,
}

/// Lanes of the integer products; those of the results follow.
const fn product_lanes(lanes: usize) -> usize {
    match lanes {
        4 => 2,
        5 => 3,
        _ => 6,
    }
}

impl<W: Word, const LANES: usize, const SUBSETS: usize> Kernel for Subsets<'_, W, LANES, SUBSETS> {
    type Output = Vec<Sums>;

    #[inline(always)]
    fn run(self) -> Vec<Sums> {
        let Subsets { products, places } = self;
        let results = products.z[0].len();
        // Where every result is one product, its number is that of its factors.
        match products.is_single() {
            true => sum_up::<LANES, SUBSETS>(places, results, |result| {
                products.lanes(result, result..result + 1)
            }),
            false => {
                let mut each_terms = products.each_terms();
                sum_up::<LANES, SUBSETS>(places, results, move |result| {
                    products.lanes(result, each_terms.next().unwrap_or(0..0))
                })
            }
        }
    }
}

/// The sums over all sets of what results add to them, in lanes.
#[inline(always)]
pub(super) fn sum_up<const LANES: usize, const SUBSETS: usize>(
    places: &Places<SUBSETS>,
    results: usize,
    mut entry: impl FnMut(usize) -> [u64; LANES],
) -> Vec<Sums> {
    let mut sums = Aligned([[0u64; LANES]; SUBSETS]);
    let mut tables = Aligned([[[0u64; LANES]; 16]; 2]);
    let (sums, tables) = (&mut sums.0, &mut tables.0);
    for (group, bytes) in places.groups().enumerate() {
        for (half, table) in tables.iter_mut().enumerate() {
            for one in 0..4 {
                let result = group * TOGETHER + half * 4 + one;
                let entry = if result < results { entry(result) } else { [0; LANES] };
                for i in 0..1usize << one {
                    let so_far = table[i];
                    table[i | 1 << one] = std::array::from_fn(|l| so_far[l].wrapping_add(entry[l]));
                }
            }
        }
        for (sum, byte) in sums.iter_mut().zip(bytes) {
            let low = &tables[0][usize::from(byte & 15)];
            let high = &tables[1][usize::from(byte >> 4)];
            for lane in 0..LANES {
                sum[lane] = sum[lane].wrapping_add(low[lane].wrapping_add(high[lane]));
            }
        }
        if (group + 1) % (CARRY / TOGETHER) == 0 {
            sums.iter_mut().for_each(carry);
        }
    }
    sums.iter().map(|sum| total::<LANES>(*sum)).collect()
}

/// Passes on what does not fit into lanes. Lanes of single words wrap, as their sums may.
#[inline(always)]
fn carry<const LANES: usize>(sum: &mut [u64; LANES]) {
    let split = product_lanes(LANES);
    let ends: &[(usize, usize)] =
        if LANES == 12 { &[(0, 6), (6, 9), (9, 12)] } else { &[(0, split)] };
    for &(start, end) in ends {
        for lane in start..end - 1 {
            sum[lane + 1] = sum[lane + 1].wrapping_add(sum[lane] >> LANE_BITS);
            sum[lane] &= (1 << LANE_BITS) - 1;
        }
    }
}

/// A result and its integer products, cut into lanes.
#[inline(always)]
pub(super) fn lanes<const LANES: usize>(entry: Sums) -> [u64; LANES] {
    let split = product_lanes(LANES);
    let mut lanes = [0; LANES];
    let last = split - 1;
    for (lane, to) in lanes.iter_mut().enumerate().take(last) {
        *to = wide::piece(&entry.products, lane as u32 * LANE_BITS) & ((1 << LANE_BITS) - 1);
    }
    lanes[last] = wide::piece(&entry.products, last as u32 * LANE_BITS);
    for (c, result) in entry.results.iter().enumerate() {
        if LANES == 12 {
            for piece in 0..3 {
                let cut = (result >> (piece as u32 * LANE_BITS)) as u64;
                lanes[split + 3 * c + piece] = cut & ((1 << LANE_BITS) - 1);
            }
        } else {
            lanes[split + c] = *result as u64;
        }
    }
    lanes
}

fn total<const LANES: usize>(sum: [u64; LANES]) -> Sums {
    let split = product_lanes(LANES);
    let mut products = wide::ZERO;
    for (lane, value) in sum[..split].iter().enumerate() {
        wide::add_shifted(&mut products, *value, lane as u32 * LANE_BITS);
    }
    let result = |c: usize| {
        if LANES == 12 {
            let pieces = &sum[split + 3 * c..split + 3 * c + 3];
            let shifted = |(i, piece): (usize, &u64)| u128::from(*piece) << (i as u32 * LANE_BITS);
            pieces.iter().enumerate().map(shifted).fold(0, u128::wrapping_add)
        } else {
            u128::from(sum[split + c])
        }
    };
    Sums { products, results: [result(0), result(1)] }
}

impl<W: Word> Batch<'_, W> {
    /// This role's summand of a result's integer products, and its components of the result, cut
    /// into lanes.
    #[inline(always)]
    fn lanes<const LANES: usize>(&self, result: usize, terms: Range<usize>) -> [u64; LANES] {
        let results = self.result(result).map(W::to_u128);
        if W::BITS <= 64 && terms.len() == 1 {
            return self.lanes_of_one(terms.start, results);
        }
        let mut products = wide::ZERO;
        for term in terms {
            let [x, y] = self.term(term).map(|pair| pair.map(W::to_u128));
            for (x, y) in [(x[0], y[0]), (x[0], y[1]), (x[1], y[0])] {
                match W::BITS {
                    128 => wide::add_times(&mut products, &wide::product(x, y), 1),
                    _ => wide::add_small(&mut products, x * y),
                }
            }
        }
        lanes(Sums { products, results })
    }

    /// The lanes of a result of one product of words of at most 64 bits; the product fits into 130 bits.
    #[inline(always)]
    fn lanes_of_one<const LANES: usize>(&self, term: usize, results: [u128; 2]) -> [u64; LANES] {
        const MASK: u64 = (1 << LANE_BITS) - 1;
        let [x, y] = self.term(term).map(|pair| pair.map(W::to_u128));
        let mut lanes = [0; LANES];
        let (sum, first) = (x[0] * y[0]).overflowing_add(x[0] * y[1]);
        let (sum, second) = sum.overflowing_add(x[1] * y[0]);
        let split = product_lanes(LANES);
        lanes[0] = sum as u64 & MASK;
        lanes[1] = (sum >> LANE_BITS) as u64;
        if W::BITS > 32 {
            lanes[1] &= MASK;
            let carries = u64::from(first) + u64::from(second);
            lanes[2] = (sum >> (2 * LANE_BITS)) as u64 | carries << 32;
        }
        lanes[split] = results[0] as u64;
        lanes[split + 1] = results[1] as u64;
        lanes
    }
}

impl<W: Word> Results<W> for Batch<'_, W> {
    fn results(&self) -> usize {
        self.z[0].len()
    }

    fn terms(&self) -> usize {
        self.x[0].len()
    }

    fn seconds(&self) -> impl Iterator<Item = [W; 2]> {
        self.y[0].iter().zip(self.y[1]).map(|(own, next)| [*own, *next])
    }

    fn sums<const LANES: usize, const SUBSETS: usize>(
        &self,
        places: &Places<SUBSETS>,
    ) -> Vec<Sums> {
        simd::run(Subsets::<W, LANES, SUBSETS> { products: self, places })
    }

    fn lift<const SUBSETS: usize>(
        &self,
        field: Prime,
        weights: &Weights<'_, SUBSETS>,
        columns: [[&mut [u64]; 2]; 2],
    ) {
        simd::run(Lift { field, products: self, weights, columns });
    }
}

/// What results count for: the sum of the weights of the sets that each is in.
pub(super) struct Weights<'a, const SUBSETS: usize> {
    places: &'a Places<SUBSETS>,
    tables: Tables,
}

impl<const SUBSETS: usize> Weights<'_, SUBSETS> {
    /// Those of all results, eight at a time, as factors for [`times`].
    #[inline(always)]
    pub fn groups(&self, field: Prime) -> impl Iterator<Item = [u64; TOGETHER]> {
        self.places.groups().map(move |bytes| self.tables.of(field, bytes))
    }
}

/// Weights of all choices of eight sets, as factors.
struct Tables(Vec<[u64; 256]>);

impl Tables {
    fn new(field: Prime, weights: &[u64]) -> Self {
        let factors: Vec<u64> = weights.iter().map(|weight| field.shifted_up(*weight)).collect();
        let table = |eight: usize| {
            let mut table = [0u64; 256];
            for bits in 1..256usize {
                let last = bits.trailing_zeros() as usize;
                let factor = factors.get(8 * eight + last).copied().unwrap_or(0);
                table[bits] = field.add(table[bits & (bits - 1)], factor);
            }
            table
        };
        Tables((0..weights.len().div_ceil(8)).map(table).collect())
    }

    /// The weights of eight results: for each, the sum of the weights of the sets that it is in. Which sets those are,
    /// and so the places in the tables, is public.
    #[inline(always)]
    fn of(&self, field: Prime, bytes: &[u8]) -> [u64; TOGETHER] {
        let (first, rest) = self.0.split_at(self.0.len().min(AT_ONCE));
        let (these, others) = bytes.split_at(bytes.len().min(8 * AT_ONCE));
        let sums = Self::sums(field, first, these);
        if rest.is_empty() {
            return sums;
        }
        let more = Self::sums(field, rest, others);
        std::array::from_fn(|i| field.add(sums[i], more[i]))
    }

    /// The weights of eight results over some of the sets, for at most [`AT_ONCE`] tables.
    #[inline(always)]
    fn sums(field: Prime, tables: &[[u64; 256]], bytes: &[u8]) -> [u64; TOGETHER] {
        let mut sums = [0u64; TOGETHER];
        for (table, bytes) in tables.iter().zip(bytes.chunks(8)) {
            let rows = std::array::from_fn(|i| bytes.get(i).copied().unwrap_or(0));
            for (sum, sets) in sums.iter_mut().zip(transpose8(rows).to_le_bytes()) {
                *sum += table[usize::from(sets)];
            }
        }
        sums.map(|sum| field.reduce_sum(sum))
    }
}

struct Lift<'a, W, const SUBSETS: usize> {
    field: Prime,
    products: &'a Batch<'a, W>,
    weights: &'a Weights<'a, SUBSETS>,
    columns: [[&'a mut [u64]; 2]; 2],
}

impl<W: Word, const SUBSETS: usize> Kernel for Lift<'_, W, SUBSETS> {
    type Output = ();

    #[inline(always)]
    fn run(mut self) {
        let (field, all, results) = (self.field, self.weights, self.products.z[0].len());
        let single = self.products.is_single();
        let mut each_terms = self.products.each_terms();
        for (group, weights) in all.groups(field).enumerate() {
            let start = group * TOGETHER;
            for (weight, result) in weights.into_iter().zip(start..results) {
                if single {
                    self.term(result, weight);
                    continue;
                }
                for term in each_terms.next().unwrap_or(0..0) {
                    self.term(term, weight);
                }
            }
        }
    }
}

impl<W: Word, const SUBSETS: usize> Lift<'_, W, SUBSETS> {
    #[inline(always)]
    fn term(&mut self, term: usize, weight: u64) {
        let ([x, y], [f, g]) = (self.products.term(term), &mut self.columns);
        for c in 0..2 {
            f[c][term] = times(self.field, x[c], weight);
            g[c][term] = remainder(self.field, y[c]);
        }
    }
}

/// A word times a factor.
#[inline(always)]
pub(super) fn times<W: Word>(field: Prime, word: W, factor: u64) -> u64 {
    let word = word.to_u128();
    let low = field.shifted_down(u128::from(word as u64) * u128::from(factor));
    if W::BITS <= 64 {
        return low;
    }
    let high = u128::from((word >> 64) as u64) * u128::from(field.shifted_up(factor));
    field.add(low, field.shifted_down(high))
}

#[inline(always)]
pub(super) fn remainder<W: Word>(field: Prime, word: W) -> u64 {
    let word = word.to_u128();
    match W::BITS {
        ..=32 => word as u64,
        64 => field.reduce_word(word as u64),
        _ => field.reduce(word),
    }
}

/// The transpose of eight rows of eight bits: byte `j` has bit `j` of every row.
#[inline(always)]
pub(super) fn transpose8(rows: [u8; 8]) -> u64 {
    let mut m = u64::from_le_bytes(rows);
    for (mask, shift) in
        [(0x00AA_00AA_00AA_00AA, 7), (0x0000_CCCC_0000_CCCC, 14), (0x0000_0000_F0F0_F0F0, 28)]
    {
        let t = (m ^ (m >> shift)) & mask;
        m ^= t ^ (t << shift);
    }
    m
}

/// Lift: products of rings are proven through integers.
pub const LIFT: Protocol = Protocol::new(&proven(
    "lift",
    ["lift.md", "results that must be right, with three parties"],
    &Method::Lift,
    (Some("lift@64"), [true, false]),
    Status::Product,
));

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn products_cost_what_the_docs_say() {
        let of = |terms: usize| {
            let Charge { bytes, coins, rounds } = cost(64, Strength::Usual, terms);
            [bytes, coins, rounds]
        };
        // Sums of 27 bytes over 41 sets, two levels of two variables and one of four, sixteen products, and what opens.
        assert_eq!(of(1 << 18), [41 * 27 + 8 * (2 * 8 + 80 + 16 + 1024), 5, 10]);
        // Sums, one of products of masks, and what opens.
        assert_eq!(of(1024), [41 * 26 + 34 + 8 * 1024, 2, 4]);
        for (most, rounds) in [(1, 4), (1024, 4), (1 << 14, 6), ((1 << 16) - 1, 8), (1 << 17, 10)] {
            assert_eq!(of(most)[2], rounds, "{most}");
        }
    }

    #[test]
    fn bytes_are_transposed() {
        let rows: [u8; 8] = [1, 2, 3, 0x80, 0xFF, 0, 0x55, 0x10];
        let columns = transpose8(rows).to_le_bytes();
        for (i, row) in rows.iter().enumerate() {
            for (j, column) in columns.iter().enumerate() {
                assert_eq!(row >> j & 1, column >> i & 1);
            }
        }
    }
}
