//! Proof of products modulo `2^m` in an extension of that ring (`docs/spec/malicious-3pc-rings.md` section 8.4;
//! Boneh et al., CRYPTO 2019).
//!
//! Every result counts for a random polynomial of zeros and ones, so a wrong one makes the sum of all wrong but
//! with probability `2^-47`. The sum is an inner product over the extension, whose first level works on
//! words: of both factors only one is long. What is left, a sixteenth, is proven like any inner product
//! ([`fold`]).
//!
//! A wrong batch passes with less than `2^-41`: `2^-47` for the first factors, `2 v 2^-47` for each level of `v`
//! variables (8 for the first one, 4 for each other, of which there are five for `2^18` products and nine
//! at most with [`MOST_TERMS`]) and `2^-47` in the end: less than `2^6 2^-47`. With a statistical parameter of 64 it is
//! proven twice, with coins and masks of their own.
//!
//! Work per product: about 700 products of words for the first level, and 1,500 for what is left.

use super::channel::{Pair, ProofChannel};
use super::extension::{Element, Extension};
use super::field::Algebra;
use super::fold::{self, Cost, Point, Steps, all_ones, points, sources};
use super::method::{Method, OfBaseline, proven};
use super::{Batch, Charge};
use std::marker::PhantomData;
use tacit_protocol::{Protocol, Status};
use tacit_ring::simd::{self, Kernel};
use tacit_ring::{Buffer, Word};
use tacit_sharing::SharingError;

/// Variables of the first level at most.
const V: usize = 4;
const POINTS: usize = points(V);
/// Terms of one result at most: a sixteenth of them are elements of hundreds of bytes.
pub(super) const MOST_TERMS: usize = 1 << 24;
/// Degree of the extension.
const DEGREE: usize = 47;
/// Coefficients whose choices are looked up together.
const TOGETHER: usize = 4;

/// Variables of the first level, and elements of its blocks, for so many terms: no more than make the blocks short.
fn first<A: Algebra>(terms: usize) -> (usize, usize) {
    let needed = terms.div_ceil(A::SHORT).next_power_of_two().ilog2() as usize;
    let variables = needed.min(V);
    (variables, terms.div_ceil(1 << variables))
}

/// What the proof of `terms` products sends, in elements.
fn elements(terms: usize) -> Cost {
    let (variables, blocks) = first::<Extension<u64>>(terms);
    let mut cost = Cost { elements: 0, coins: 1, rounds: 1, roots: 1 };
    if variables > 0 {
        cost += fold::level_cost(variables);
    }
    cost += Steps::of::<Extension<u64>>().cost(blocks);
    cost
}

/// What the proof of `terms` products of `bits` bits sends.
pub(super) fn cost(bits: u32, terms: usize) -> Charge {
    elements(terms).charge_of(DEGREE as u64 * u64::from(bits / 8))
}

/// The chance that a wrong batch of `terms` products passes a proof.
pub(super) fn chance(terms: usize) -> f64 {
    elements(terms).roots as f64 * (-(DEGREE as f64)).exp2()
}

/// Proves that every result is the sum of the products of its terms.
///
/// # Errors
/// When the network fails or a peer sends what no honest party does.
pub(super) fn prove<W: Word>(
    channel: &mut ProofChannel<'_, '_, '_>,
    products: &Batch<'_, W>,
) -> Result<(), SharingError> {
    prove_in::<W, DEGREE, 5>(channel, products)
}

/// In an extension of any degree: a low one for tests of what passes by chance.
pub(super) fn prove_in<W: Word, const D: usize, const TAP: usize>(
    channel: &mut ProofChannel<'_, '_, '_>,
    products: &Batch<'_, W>,
) -> Result<(), SharingError> {
    let algebra = Extension::<W, D, TAP>::NEW;
    let weights = channel.coin()?.words::<u64>(products.results());
    let weights = Weights::<W, D, TAP> { weights, of: results_of(products), word: PhantomData };
    let mut claim = weights.claim(products);
    let (variables, blocks) = first::<Extension<W, D, TAP>>(products.terms());
    let [f, g] = match variables {
        0 => {
            weights.folded(products, blocks, &Point { blocks: vec![Element::ONE], points: vec![] })
        }
        _ => {
            let grid = simd::run(Grid { weights: &weights, products, variables, blocks });
            let point = fold::descend(channel, algebra, &grid, variables, &mut claim)?;
            weights.folded(products, blocks, &point)
        }
    };
    let vectors = [&f, &g].map(|column| column.each_ref().map(|run| &run[..]));
    fold::prove(channel, algebra, vectors, blocks, claim)
}

/// By term, its result; nothing where each has one.
fn results_of<W: Word>(products: &Batch<'_, W>) -> Option<Vec<u32>> {
    let each = |(result, terms): (usize, std::ops::Range<usize>)| terms.map(move |_| result as u32);
    (!products.is_single()).then(|| products.each_terms().enumerate().flat_map(each).collect())
}

/// What the results count for: public.
struct Weights<W, const D: usize, const TAP: usize> {
    weights: Vec<u64>,
    /// By term, its result.
    of: Option<Vec<u32>>,
    word: PhantomData<fn() -> W>,
}

impl<W: Word, const D: usize, const TAP: usize> Weights<W, D, TAP> {
    fn choice(&self, result: usize) -> Element<W> {
        Extension::<W, D, TAP>::choice(self.weights[result])
    }

    #[inline(always)]
    fn result(&self, term: usize) -> usize {
        self.of.as_ref().map_or(term, |of| of[term] as usize)
    }

    /// The sum of all results.
    fn claim(&self, products: &Batch<'_, W>) -> Pair<Element<W>> {
        let mut claim = [Element::ZERO; 2];
        for result in 0..products.results() {
            let (choice, words) = (self.choice(result), products.result(result));
            for (sum, word) in claim.iter_mut().zip(words) {
                sum.add_times(&choice, word);
            }
        }
        claim
    }

    /// Both factors of the blocks, the first ones times what their results count for, at a point.
    fn folded(
        &self,
        products: &Batch<'_, W>,
        blocks: usize,
        point: &Point<Element<W>>,
    ) -> [fold::Column<Element<W>>; 2] {
        let padded = Steps::of::<Extension<W, D, TAP>>().padded(blocks);
        let mut columns = [0, 1].map(|_| [0, 1].map(|_| Buffer::zeros(padded)));
        simd::run(Fold { weights: self, products, point, blocks, columns: &mut columns });
        columns
    }
}

/// A role's summands of the values at all points of the first level but (1, ..., 1), which nobody asks for.
struct Grid<'a, W, const D: usize, const TAP: usize> {
    weights: &'a Weights<W, D, TAP>,
    products: &'a Batch<'a, W>,
    variables: usize,
    blocks: usize,
}

impl<W: Word, const D: usize, const TAP: usize> Kernel for Grid<'_, W, D, TAP> {
    type Output = Buffer<Element<W>>;
    const AVX512: bool = true;

    #[inline(always)]
    fn run(self) -> Buffer<Element<W>> {
        let Grid { weights, products, variables, blocks } = self;
        let (sources, points) = (const { sources::<V, POINTS>() }, points(variables));
        let mut sums = Buffer::<Element<W>>::zeros(points);
        // The components of the first factor; of the second, one and the sum of both.
        let mut firsts = Buffer::<Element<W>>::zeros(2 * points);
        let mut seconds = Buffer::<W>::zeros(2 * points);
        for k in 0..blocks {
            for (point, source) in sources.iter().enumerate().take(points) {
                match source.parts() {
                    Ok(block) => {
                        let term = block * blocks + k;
                        let (choice, [x, y]) = match term < products.terms() {
                            true => (weights.choice(weights.result(term)), products.term(term)),
                            false => (Element::ZERO, [[W::ZERO; 2]; 2]),
                        };
                        for (to, x) in firsts[2 * point..].iter_mut().zip(x) {
                            *to = Element::ZERO;
                            to.add_times(&choice, x);
                        }
                        seconds[2 * point] = y[0];
                        seconds[2 * point + 1] = y[0].add(y[1]);
                    }
                    Err([one, zero]) => {
                        for c in 0..2 {
                            firsts[2 * point + c] = firsts[2 * one + c].sub(firsts[2 * zero + c]);
                            seconds[2 * point + c] =
                                seconds[2 * one + c].sub(seconds[2 * zero + c]);
                        }
                    }
                }
                if point != all_ones(variables) {
                    let (y0, both) = (seconds[2 * point], seconds[2 * point + 1]);
                    let [x0, x1] = [&firsts[2 * point], &firsts[2 * point + 1]];
                    sums[point].add_both([x0, x1], [both, y0]);
                }
            }
        }
        sums
    }
}

struct Fold<'a, W, const D: usize, const TAP: usize> {
    weights: &'a Weights<W, D, TAP>,
    products: &'a Batch<'a, W>,
    point: &'a Point<Element<W>>,
    blocks: usize,
    columns: &'a mut [fold::Column<Element<W>>; 2],
}

impl<W: Word, const D: usize, const TAP: usize> Kernel for Fold<'_, W, D, TAP> {
    type Output = ();
    const AVX512: bool = true;

    #[inline(always)]
    fn run(self) {
        let Fold { weights, products, point, blocks, columns: [f, g] } = self;
        for (block, counts) in point.blocks.iter().enumerate() {
            let start = block * blocks;
            let end = (start + blocks).min(products.terms());
            let tables = Multiples::<W, D, TAP>::new(counts);
            let mut last = None;
            let mut weight = Element::ZERO;
            for (k, term) in (start..end).enumerate() {
                let result = weights.result(term);
                if last != Some(result) {
                    (last, weight) = (Some(result), tables.of(weights.weights[result]));
                }
                let [x, y] = products.term(term);
                for c in 0..2 {
                    f[c][k].add_times(&weight, x[c]);
                    g[c][k].add_times(counts, y[c]);
                }
            }
        }
    }
}

/// The products of an element with all polynomials of zeros and ones, some coefficients at a time.
struct Multiples<W, const D: usize, const TAP: usize>(Vec<[Element<W>; 1 << TOGETHER]>);

impl<W: Word, const D: usize, const TAP: usize> Multiples<W, D, TAP> {
    fn new(element: &Element<W>) -> Self {
        let mut power = *element;
        let table = |_| {
            let mut table = [Element::ZERO; 1 << TOGETHER];
            for bit in 0..TOGETHER {
                for low in 0..1usize << bit {
                    table[1 << bit | low] = table[low].add(power);
                }
                power = Extension::<W, D, TAP>::shifted(&power);
            }
            table
        };
        Multiples((0..D.div_ceil(TOGETHER)).map(table).collect())
    }

    /// The product with the polynomial of these bits, which are public.
    #[inline(always)]
    fn of(&self, bits: u64) -> Element<W> {
        let bits = bits & ((1 << D) - 1);
        let mut product = Element::ZERO;
        for (i, table) in self.0.iter().enumerate() {
            product.add_up(&table[(bits >> (i * TOGETHER)) as usize % (1 << TOGETHER)]);
        }
        product
    }
}

/// Lift in an extension of the ring.
pub const GALOIS: Protocol = Protocol::new(&proven(
    "galois",
    [
        "lift.md#in-an-extension-of-the-ring-galois",
        "to compare: `lift` proves the same, sends less and computes less",
    ],
    &OfBaseline(Method::Galois),
    (Some("galois@64"), [false, false]),
    Status::Baseline,
));

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn multiples_are_products() {
        let ring = Extension::<u64>::NEW;
        let element = ring.drawn(Element::from_u128(0x9e37_79b9_7f4a_7c15).sub(Element::ONE));
        let element = ring.product(element, Extension::<u64>::choice(0x5555_1234_9876));
        let tables = Multiples::<u64, 47, 5>::new(&element);
        for bits in [0, 1, 2, 5, 0x7fff_ffff_ffff, 0x1234_5678_9abc] {
            assert!(tables.of(bits) == ring.product(Extension::<u64>::choice(bits), element));
        }
        // What is above the degree does not count.
        assert!(tables.of(1 << 47) == Element::ZERO);
    }

    #[test]
    fn degrees_add_up_to_what_the_docs_say() {
        // Of weights and the last factor one each, eight of the first level, four of each other one.
        assert_eq!(elements(1 << 18).roots, 1 + 8 + 5 * 4 + 1);
        // A batch that is all but full, and the longest sum.
        let longest = elements((1 << 18) - 1 + MOST_TERMS);
        assert_eq!(longest.roots, 1 + 8 + 8 * 4 + 2 + 1);
        for (terms, bits) in [(1 << 18, 42.0), ((1 << 18) - 1 + MOST_TERMS, 41.5)] {
            let found = -chance(terms).log2();
            assert!((bits..bits + 0.15).contains(&found), "{terms}: {found}");
        }
        assert_eq!(elements(1).roots, 2);
    }

    #[test]
    fn many_products_cost_what_the_docs_say() {
        let Charge { bytes, coins, rounds } = cost(64, 1 << 18);
        // 80 points of the first level, 8 of each of five more, four products, and sixteen elements that open.
        assert_eq!((bytes, coins, rounds), ((80 + 5 * 8 + 20) * 47 * 8, 7, 14));
        assert!(8 * bytes < 2 << 18, "more than two bits per product");
    }
}
