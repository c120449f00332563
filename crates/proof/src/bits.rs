//! Proof of products of bits, in the field of 2^64 elements (`docs/spec/malicious-3pc-rings.md` section 9.1).
//!
//! A word of 64 products is an element: product `j` counts for `X^j`. The words are cut into
//! `2^V` blocks; word `k` of every block counts for a random `rho_k`. Over each point of the grid
//! of [`fold`](super::fold) the sum of the products is then a sum of whole words, so that the first
//! level works on bits, 64 at a time. The values at 0 and 1 follow from the products that the
//! proof is about; only the others are shared. Where this level leaves what is not folded any more, the masks' products with the
//! second factors are shared with them.
//!
//! A wrong batch passes with less than `2^-58`. With a statistical parameter of 64 it is proven twice, with
//! coins and masks of their own.

use super::Scratch;
use super::channel::{Challenge, ProofChannel};
use super::field::{Field, Gf64};
use super::fold::{
    self, Column, Cost, Hiding, IN_FEW_ROUNDS, OPENING, Point, Runs, Source, Steps, points, sources,
};
use std::collections::BTreeMap;
use tacit_ring::Buffer;
use tacit_ring::gf64::{self, Hardware, Multiplier, Portable};
use tacit_ring::simd::{self, Kernel};
use tacit_sharing::SharingError;

/// Variables of the first level.
const V: usize = 5;
const POINTS: usize = points(V);
const BLOCKS: usize = 1 << V;
/// Words that a loop takes at once.
const LANES: usize = 4;

/// Words of products that are proven without a level: every product is an element of the vectors that open.
const FEW: usize = 4;

/// The same where rounds are what counts.
const FEW_IN_FEW_ROUNDS: usize = IN_FEW_ROUNDS.short / 64;

/// What is folded at once of so many words of products.
fn steps_of(words: usize) -> Steps {
    Steps::of_batch(1, 64 * words)
}

/// What the proof of `words` words of products sends.
pub(super) fn cost(words: usize) -> Cost {
    match words <= FEW {
        true => cost_of_sums(words),
        false => cost_of_blocks(steps_of(words), blocks(words)),
    }
}

/// What the proof of so many words of products in each block sends.
fn cost_of_blocks(steps: Steps, words: usize) -> Cost {
    let len = 64 * words;
    let mut cost = match steps.level(len) {
        0 => {
            let mut cost = OPENING;
            cost.elements += (BLOCKS + len) as u64;
            cost
        }
        _ => steps.cost(len),
    };
    cost.elements += (POINTS - BLOCKS) as u64;
    cost.coins += 2;
    cost.rounds += 3;
    // Of what words count for, and of the first point.
    cost.roots += 1 + 2 * V as u64;
    cost
}

/// What the proof of sums of `words` words of products sends.
pub(super) fn cost_of_sums(words: usize) -> Cost {
    cost_of_elements(steps_of(words), words)
}

/// What the proof of so many words of products sends where every product is an element.
fn cost_of_elements(steps: Steps, words: usize) -> Cost {
    let mut cost = steps.cost(64 * words);
    // The coin that opens what is not folded gives what results count for, too.
    if steps.level(64 * words) > 0 {
        cost.coins += 1;
        cost.rounds += 1;
    }
    cost.roots += 1;
    cost
}

/// What the proof of sums sends that are [laid out](Layout) in blocks of so many words, where they have so many words of
/// products in all.
pub(super) fn cost_of_groups(words: usize, laid_out: usize) -> Cost {
    match words <= FEW_IN_FEW_ROUNDS {
        true => cost_of_elements(IN_FEW_ROUNDS, words),
        false => cost_of_blocks(IN_FEW_ROUNDS, laid_out),
    }
}

/// The chance that a wrong batch passes a proof that costs so much.
pub(super) fn chance(cost: Cost) -> f64 {
    cost.roots as f64 * (-64f64).exp2()
}

/// Words of a block.
fn blocks(words: usize) -> usize {
    words.div_ceil(BLOCKS)
}

/// Proves that all bits of `z` are products of those of `x` and `y`.
///
/// # Errors
/// When the network fails or a peer sends what no honest party does.
pub(super) fn prove(
    channel: &mut ProofChannel<'_, '_, '_>,
    scratch: &mut Scratch,
    factors: [Runs<'_>; 2],
    z: Runs<'_>,
) -> Result<(), SharingError> {
    let words = z[0].len();
    if words <= FEW {
        return prove_sums(channel, factors, z, &[(words, 1)]);
    }
    let blocks = blocks(words);
    let weights = |coin: &mut Challenge| coin.words(blocks);
    prove_blocks(channel, scratch, factors, z, (steps_of(words), &weights))
}

/// Where results and their terms stand, so that sums of products are proven a word at a time. A *group* is the terms of one
/// result, side by side; all blocks have the same groups, by numbers of terms, and so the same weights: those of groups, each
/// as often as the group has terms. The result stands at the first place of its group, with zeros behind it, so that a
/// block's results, weighted, are the sum of its products, weighted. Groups that are left over are zeros.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Layout {
    /// By number of terms: results, groups per block, and where those begin in a block.
    kinds: BTreeMap<usize, Kind>,
    /// Words of a block.
    pub words: usize,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Kind {
    results: usize,
    groups: usize,
    start: usize,
}

impl Layout {
    /// The layout of results, and of the terms of each, in order.
    pub fn of(runs: &[(usize, usize)]) -> Self {
        let mut kinds: BTreeMap<usize, Kind> = BTreeMap::new();
        for (results, terms) in runs {
            kinds.entry(*terms).or_default().results += results;
        }
        let mut words = 0;
        for (terms, kind) in &mut kinds {
            (kind.groups, kind.start) = (kind.results.div_ceil(BLOCKS), words);
            words += kind.groups * terms;
        }
        Layout { kinds, words }
    }

    /// Where the group of each result begins, in order, and its terms.
    fn places(&self, runs: &[(usize, usize)]) -> impl Iterator<Item = (usize, usize)> {
        let mut seen: BTreeMap<usize, usize> = BTreeMap::new();
        let each = runs.iter().flat_map(|(results, terms)| std::iter::repeat_n(*terms, *results));
        each.map(move |terms| {
            let Kind { groups, start, .. } = self.kinds[&terms];
            let number = seen.entry(terms).or_default();
            let (block, group) = (*number / groups, *number % groups);
            *number += 1;
            (block * self.words + start + group * terms, terms)
        })
    }

    /// What the words of a block count for: random elements, one per group.
    fn weights(&self, coin: &mut Challenge) -> Vec<u64> {
        let groups =
            || self.kinds.iter().flat_map(|(terms, kind)| std::iter::repeat_n(*terms, kind.groups));
        let drawn = coin.words::<u64>(groups().count());
        let each = drawn.iter().zip(groups());
        each.flat_map(|(weight, terms)| std::iter::repeat_n(*weight, terms)).collect()
    }
}

/// Words of a block at most, where so many words of products are laid out: as if every number of terms took groups that nobody
/// needs.
pub(super) fn most_laid_out(words: usize) -> usize {
    blocks(words) + words
}

/// Proves that all bits of `z` are sums of so many products of bits of `x` and `y` each, word by word.
///
/// # Errors
/// When the network fails or a peer sends what no honest party does.
pub(super) fn prove_groups(
    channel: &mut ProofChannel<'_, '_, '_>,
    scratch: &mut Scratch,
    factors: [Runs<'_>; 2],
    z: Runs<'_>,
    runs: &[(usize, usize)],
) -> Result<(), SharingError> {
    let steps = IN_FEW_ROUNDS;
    if factors[0][0].len() <= FEW_IN_FEW_ROUNDS {
        return prove_elements(channel, steps, factors, z, runs);
    }
    let layout = Layout::of(runs);
    let blank = || Buffer::<u64>::zeros(BLOCKS * layout.words);
    let of_terms = |run: &[u64]| {
        let (mut laid_out, mut rest) = (blank(), run);
        for (at, terms) in layout.places(runs) {
            let (group, others) = rest.split_at(terms);
            laid_out[at..at + terms].copy_from_slice(group);
            rest = others;
        }
        laid_out
    };
    let of_results = |run: &[u64]| {
        let mut laid_out = blank();
        for ((at, _), result) in layout.places(runs).zip(run) {
            laid_out[at] = *result;
        }
        laid_out
    };
    let factors = factors.map(|runs| runs.map(of_terms));
    let z = z.map(of_results);
    let factors = factors.each_ref().map(|runs| runs.each_ref().map(|run| &run[..]));
    let weights = |coin: &mut Challenge| layout.weights(coin);
    let z = z.each_ref().map(|run| &run[..]);
    prove_blocks(channel, scratch, factors, z, (steps, &weights))
}

/// What the words of a block count for, from a coin.
type Weights<'w> = &'w dyn Fn(&mut Challenge) -> Vec<u64>;

/// Proves that in each block the results, weighted, are the sum of the products, weighted.
fn prove_blocks(
    channel: &mut ProofChannel<'_, '_, '_>,
    scratch: &mut Scratch,
    factors: [Runs<'_>; 2],
    z: Runs<'_>,
    weights: (Steps, Weights<'_>),
) -> Result<(), SharingError> {
    match Hardware::detect() {
        Some(hardware) => prove_in(hardware, channel, scratch, factors, z, weights),
        None => prove_in(Portable, channel, scratch, factors, z, weights),
    }
}

fn prove_in<M: Multiplier>(
    multiplier: M,
    channel: &mut ProofChannel<'_, '_, '_>,
    scratch: &mut Scratch,
    [x, y]: [Runs<'_>; 2],
    z: Runs<'_>,
    (steps, weights): (Steps, Weights<'_>),
) -> Result<(), SharingError> {
    let field = Gf64(multiplier);
    let rho = weights(&mut channel.coin()?);
    let blocks = rho.len();
    let grid = grid(multiplier, [x, y], &rho);
    let sources = sources::<V, POINTS>();
    let is_block = |point: &usize| sources[*point].block().is_some();
    let len = 64 * blocks;
    let masks = (steps.level(len) == 0).then(|| channel.random(field, len));
    let products = masks.as_ref().map_or(Vec::new(), |masks| masked(masks, y, blocks));
    let mut others = Buffer::zeros(POINTS - BLOCKS + products.len());
    let points = (0..POINTS).filter(|point| !is_block(point)).map(|point| grid[point]);
    others.iter_mut().zip(points.chain(products)).for_each(|(to, value)| *to = value);
    let shared = channel.share(field, &others)?;
    let values = [0, 1].map(|c| {
        let results = results(multiplier, z[c], &rho);
        let mut shared = shared[c].iter();
        let mut values = Buffer::zeros(POINTS);
        for (value, source) in values.iter_mut().zip(&sources) {
            *value = match source.block() {
                Some(block) => results[block],
                None => *shared.next().expect("one per point that is no block"),
            };
        }
        values
    });
    let mut challenge = channel.coin()?;
    let point = Point::new(field, &mut challenge, V);
    let claim = point.claim(field, &values);
    let weights = &point.blocks[..];
    let [f, g] = scratch.columns(steps.padded(len));
    let spread = |run: &[u64], rho: Option<&[u64]>, to: &mut [u64]| {
        let (spread, rest) = to.split_at_mut(len);
        self::spread(multiplier, run, weights, rho, spread);
        rest.fill(0);
    };
    for c in 0..2 {
        spread(x[c], Some(&rho), &mut *f[c]);
        spread(y[c], None, &mut *g[c]);
    }
    let vectors = [f, g].map(|runs| runs.map(|run| &*run));
    let Some(masks) = masks else {
        return fold::prove_in(channel, (field, steps), vectors, len, claim);
    };
    let products = shared.map(|run| Buffer::from_slice(&run[POINTS - BLOCKS..]));
    let product = point.of_blocks(field, &products);
    let t = challenge.elements(field, 1)[0];
    let vectors = vectors.map(|runs| runs.map(|run| &run[..len]));
    fold::open(channel, field, vectors, claim, (Hiding { masks, product }, t))
}

/// A role's summands of the inner products of masks with the bits of the second factors, block by block.
fn masked(masks: &Column, y: Runs<'_>, blocks: usize) -> Vec<u64> {
    let block = |block: usize| {
        let mut sum = 0;
        for k in 0..blocks {
            let [y0, y1] = y.map(|run| word(run, blocks, block, k));
            for bit in 0..64 {
                let [both, first] = [y0 ^ y1, y0].map(|word| (word >> bit & 1).wrapping_neg());
                sum ^= both & masks[0][64 * k + bit] ^ first & masks[1][64 * k + bit];
            }
        }
        sum
    };
    (0..BLOCKS).map(block).collect()
}

/// Proves that all bits of `z` are sums of so many products of bits of `x` and `y` each. Every
/// product is an element: slow, for few.
///
/// # Errors
/// When the network fails or a peer sends what no honest party does.
pub(super) fn prove_sums(
    channel: &mut ProofChannel<'_, '_, '_>,
    factors: [Runs<'_>; 2],
    z: Runs<'_>,
    runs: &[(usize, usize)],
) -> Result<(), SharingError> {
    prove_elements(channel, steps_of(factors[0][0].len()), factors, z, runs)
}

/// The same, folded in these steps.
fn prove_elements(
    channel: &mut ProofChannel<'_, '_, '_>,
    steps: Steps,
    [x, y]: [Runs<'_>; 2],
    z: Runs<'_>,
    runs: &[(usize, usize)],
) -> Result<(), SharingError> {
    let field = Gf64(Portable);
    let len = 64 * x[0].len();
    let elements = |run: &[u64], weight: &dyn Fn(usize) -> u64, times: fn(u64) -> u64| {
        let mut elements = Buffer::zeros(steps.padded(len));
        for ((k, word), to) in run.iter().enumerate().zip(elements.chunks_exact_mut(64)) {
            let mut weight = weight(k);
            for (bit, element) in to.iter_mut().enumerate() {
                *element = (word >> bit & 1).wrapping_neg() & weight;
                weight = times(weight);
            }
        }
        elements
    };
    let g = y.map(|run| elements(run, &|_| 1, |one| one));
    let g = g.each_ref().map(|run| &run[..]);
    // What hides vectors that are not folded needs no coin: the second one has none.
    let hiding = match steps.level(len) {
        0 => Some(Hiding::of(channel, field, g.map(|run| &run[..len]))?),
        _ => None,
    };
    let mut challenge = channel.coin()?;
    let rho = challenge.words::<u64>(z[0].len());
    let claim = z.map(|z| {
        let sum = z.iter().zip(&rho).fold(0, |sum, (z, rho)| field.plus(sum, *z, *rho));
        field.total(sum)
    });
    let terms = runs.iter().flat_map(|(results, terms)| std::iter::repeat_n(*terms, *results));
    let weights: Vec<u64> =
        rho.iter().zip(terms).flat_map(|(rho, terms)| std::iter::repeat_n(*rho, terms)).collect();
    let f = x.map(|run| elements(run, &|k| weights[k], gf64::times_x));
    let vectors = [f.each_ref().map(|run| &run[..]), g];
    let Some(hiding) = hiding else {
        return fold::prove_in(channel, (field, steps), vectors, len, claim);
    };
    let t = challenge.elements(field, 1)[0];
    let vectors = vectors.map(|runs| runs.map(|run| &run[..len]));
    fold::open(channel, field, vectors, claim, (hiding, t))
}

/// Word `k` of a block; zero behind the end.
#[inline(always)]
fn word(run: &[u64], blocks: usize, block: usize, k: usize) -> u64 {
    run.get(block * blocks + k).copied().unwrap_or(0)
}

const _: () = assert!(BLOCKS == gf64::BLOCKS && POINTS == gf64::GRID);

/// A role's summands of the values at all points of the first level.
fn grid<M: Multiplier>(multiplier: M, [x, y]: [Runs<'_>; 2], rho: &[u64]) -> [u64; POINTS] {
    match multiplier.wide() {
        Some(wide) => wide.grid(x, y, rho).map(gf64::reduce),
        None => simd::run(Grid { multiplier, factors: [x, y], rho }),
    }
}

/// [`grid`], one by one.
struct Grid<'a, M> {
    multiplier: M,
    factors: [Runs<'a>; 2],
    rho: &'a [u64],
}

type Group = [u64; LANES];

#[inline(always)]
fn zip(a: Group, b: Group, f: impl Fn(u64, u64) -> u64) -> Group {
    std::array::from_fn(|i| f(a[i], b[i]))
}

impl<M: Multiplier> Kernel for Grid<'_, M> {
    type Output = [u64; POINTS];

    #[inline(always)]
    fn run(self) -> [u64; POINTS] {
        let Grid { multiplier, factors: [x, y], rho } = self;
        let (blocks, sources) = (rho.len(), const { sources::<V, POINTS>() });
        let mut sums = [0u128; POINTS];
        let mut values = [[[0; LANES]; 4]; POINTS];
        for (group, rho) in rho.chunks(LANES).enumerate() {
            let at = |run: &[u64], block: usize| -> Group {
                let start = block * blocks + group * LANES;
                let inside = group * LANES + LANES <= blocks;
                match run.get(start..start + LANES).filter(|_| inside) {
                    Some(words) => [words[0], words[1], words[2], words[3]],
                    None => std::array::from_fn(|i| match group * LANES + i < blocks {
                        true => word(run, blocks, block, group * LANES + i),
                        false => 0,
                    }),
                }
            };
            for point in 0..POINTS {
                values[point] = match sources[point] {
                    Source::Block(block) => {
                        let [x0, x1] = [at(x[0], block), at(x[1], block)];
                        let [y0, y1] = [at(y[0], block), at(y[1], block)];
                        [x0, x1, y0, zip(y0, y1, |a, b| a ^ b)]
                    }
                    Source::Difference(one, zero) => {
                        let (one, zero) = (values[one], values[zero]);
                        std::array::from_fn(|i| zip(one[i], zero[i], |a, b| a ^ b))
                    }
                };
                if sources[point].is_difference() {
                    let [x0, x1, y0, both] = values[point];
                    let products =
                        zip(zip(x0, both, |a, b| a & b), zip(x1, y0, |a, b| a & b), |a, b| a ^ b);
                    for (product, rho) in products.iter().zip(rho) {
                        sums[point] ^= multiplier.multiply_wide(*product, *rho);
                    }
                }
            }
        }
        sums.map(gf64::reduce)
    }
}

/// A component of the sums of every block's results.
fn results<M: Multiplier>(multiplier: M, z: &[u64], rho: &[u64]) -> [u64; BLOCKS] {
    let Some(wide) = multiplier.wide() else {
        return simd::run(Results { multiplier, z, rho });
    };
    let mut sums = [0; BLOCKS];
    for (sum, block) in sums.iter_mut().zip(z.chunks(rho.len())) {
        *sum = gf64::reduce(wide.dot(block, &rho[..block.len()]));
    }
    sums
}

/// [`results`], one by one.
struct Results<'a, M> {
    multiplier: M,
    z: &'a [u64],
    rho: &'a [u64],
}

impl<M: Multiplier> Kernel for Results<'_, M> {
    type Output = [u64; BLOCKS];

    #[inline(always)]
    fn run(self) -> [u64; BLOCKS] {
        let mut sums = [0u128; BLOCKS];
        for (sum, block) in sums.iter_mut().zip(self.z.chunks(self.rho.len())) {
            for (word, rho) in block.iter().zip(self.rho) {
                *sum ^= self.multiplier.multiply_wide(*word, *rho);
            }
        }
        sums.map(gf64::reduce)
    }
}

/// The folded vector: an element per bit of a block. With `rho`, times what the product counts for.
fn spread<M: Multiplier>(
    multiplier: M,
    run: &[u64],
    weights: &[u64],
    rho: Option<&[u64]>,
    spread: &mut [u64],
) {
    match (multiplier.wide(), weights.try_into()) {
        (Some(wide), Ok(weights)) => wide.spread(run, weights, rho, spread),
        _ => simd::run(Spread { multiplier, run, weights, rho, spread }),
    }
}

/// [`spread`], one by one.
struct Spread<'a, M> {
    multiplier: M,
    run: &'a [u64],
    weights: &'a [u64],
    rho: Option<&'a [u64]>,
    spread: &'a mut [u64],
}

impl<M: Multiplier> Kernel for Spread<'_, M> {
    type Output = ();
    // A half faster: eight masks at a time.
    const AVX512: bool = true;

    #[inline(always)]
    fn run(self) {
        let Spread { multiplier, run, weights, rho, spread } = self;
        let blocks = spread.len() / 64;
        for (k, spread) in spread.chunks_exact_mut(64).enumerate() {
            let mut sums = [0u64; 64];
            for (block, weight) in weights.iter().enumerate() {
                let word = word(run, blocks, block, k);
                // Masks, not tables: memory is not read at places that depend on shares.
                for (bit, sum) in sums.iter_mut().enumerate() {
                    *sum ^= ((word << (63 - bit)).cast_signed() >> 63).cast_unsigned() & weight;
                }
            }
            spread.copy_from_slice(&sums);
            if let Some(rho) = rho {
                let mut weight = rho[k];
                for element in spread {
                    *element = multiplier.multiply(*element, weight);
                    weight = gf64::times_x(weight);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tacit_ring::entropy::{Rng, test_seed};

    fn of<M: Multiplier>(multiplier: M, runs: &[Vec<u64>; 4], rho: &[u64]) -> Vec<Vec<u64>> {
        let [x0, x1, y0, y1] = runs.each_ref().map(|run| &run[..]);
        let weights = Rng(7).words(BLOCKS);
        let spread = |rho: Option<&[u64]>, len: usize| {
            let mut out = vec![0; 64 * len];
            super::spread(multiplier, x0, &weights, rho, &mut out);
            out
        };
        vec![
            grid(multiplier, [[x0, x1], [y0, y1]], rho).to_vec(),
            results(multiplier, x0, rho).to_vec(),
            spread(Some(rho), rho.len()),
            spread(None, rho.len()),
        ]
    }

    #[test]
    fn bits_cost_what_the_docs_say() {
        // A masked product, a coin, and 256 elements that open; a level before it; then levels of the fold.
        assert_eq!((cost(4).elements, cost(4).rounds), (257, 3));
        assert_eq!(cost((1 << 15) / 64).elements, 211 + 32 + 1024);
        let rounds =
            [(6, 3), (8, 3), (9, 4), (15, 4), (16, 6), (17, 6), (18, 8), (20, 10), (23, 10)];
        for (log, rounds) in rounds {
            assert_eq!(cost((1 << log) / 64).rounds, rounds, "2^{log}");
        }
    }

    #[test]
    fn every_way_to_multiply_gives_the_same() {
        let mut rng = Rng(test_seed());
        for words in [1, 5, 32, 33, 250, 256, 500] {
            let rho = rng.words(blocks(words));
            let runs = std::array::from_fn(|_| rng.words(words));
            let expected = of(Portable, &runs, &rho);
            if let Some(hardware) = Hardware::detect() {
                assert_eq!(of(hardware, &runs, &rho), expected, "{words} words");
                assert_eq!(of(hardware.one_by_one(), &runs, &rho), expected, "{words} words");
            }
        }
    }
}
