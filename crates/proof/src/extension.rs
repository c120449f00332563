//! Extensions of the integers modulo `2^m` in which proofs of their products work (`docs/spec/malicious-3pc-rings.md`
//! section 4.4): polynomials modulo `X^D + X^TAP + 1`, which is irreducible modulo two (Galois rings).
//!
//! The difference of two polynomials whose coefficients are zeros and ones is not zero modulo two, so it has an
//! inverse: challenges are such polynomials, and a non-zero element times a random one of them is zero
//! with probability `2^-D`. In the integers modulo `2^m` themselves it would be a half.

use super::field::Algebra;
use super::fold::{Runs, all_ones, points, sources};
use bytemuck::{Pod, Zeroable};
use tacit_ring::simd::{self, Kernel};
use tacit_ring::{Buffer, Word, word};
use zeroize::{Zeroize, Zeroizing};

/// Coefficients that there is room for: sizes of what buffers hold are powers of two.
const ROOM: usize = 64;
/// Coefficients that are computed with.
const USED: usize = 48;
/// Variables that are folded at once: elements are long, so few points are worth a round more.
const VARIABLES: usize = 2;
/// The least degree that is good for more than tests.
const LEAST_DEGREE: usize = 40;
/// Length of vectors that are not folded any more: two levels take as many elements as they save, and four rounds.
const SHORT: usize = 16;
/// Points of such a level.
const POINTS: usize = points(VARIABLES);

/// A polynomial of low degree; what is above is zero.
#[derive(Clone, Copy, PartialEq, Eq, Pod, Zeroable)]
#[repr(transparent)]
pub(super) struct Element<W>([W; ROOM]);

/// Words add and multiply coefficient by coefficient: products of elements are those of their [`Extension`].
impl<W: Word> Word for Element<W> {
    const BITS: u32 = W::BITS * ROOM as u32;
    const LANES: usize = ROOM;
    const ZERO: Self = Element([W::ZERO; ROOM]);
    const ONE: Self = {
        let mut one = [W::ZERO; ROOM];
        one[0] = W::ONE;
        Element(one)
    };

    #[inline(always)]
    fn add(self, o: Self) -> Self {
        self.with(&o, W::add)
    }

    #[inline(always)]
    fn sub(self, o: Self) -> Self {
        self.with(&o, W::sub)
    }

    #[inline(always)]
    fn mul(self, o: Self) -> Self {
        self.with(&o, W::mul)
    }

    #[inline(always)]
    fn neg(self) -> Self {
        Self::ZERO.sub(self)
    }

    fn from_u128(v: u128) -> Self {
        let mut element = Self::ZERO;
        element.0[0] = W::from_u128(v);
        element
    }

    fn to_u128(self) -> u128 {
        self.0[0].to_u128()
    }
}

impl<W: Word> Element<W> {
    #[inline(always)]
    fn with(mut self, other: &Self, f: impl Fn(W, W) -> W) -> Self {
        for (to, from) in self.0[..USED].iter_mut().zip(&other.0) {
            *to = f(*to, *from);
        }
        self
    }

    /// Adds another one times a number.
    #[inline(always)]
    pub fn add_times(&mut self, other: &Self, by: W) {
        for (to, from) in self.0[..USED].iter_mut().zip(&other.0) {
            *to = to.add(from.mul(by));
        }
    }

    /// Adds another one.
    #[inline(always)]
    pub fn add_up(&mut self, other: &Self) {
        for (to, from) in self.0[..USED].iter_mut().zip(&other.0) {
            *to = to.add(*from);
        }
    }

    /// Adds two others, each times its number.
    #[inline(always)]
    pub fn add_both(&mut self, [a, b]: [&Self; 2], [by, also]: [W; 2]) {
        for ((to, a), b) in self.0[..USED].iter_mut().zip(&a.0).zip(&b.0) {
            *to = to.add(a.mul(by)).add(b.mul(also));
        }
    }
}

/// A sum of products that is not reduced yet.
#[derive(Clone)]
struct Sum<W>([W; 2 * USED]);

impl<W: Word> Zeroize for Sum<W> {
    fn zeroize(&mut self) {
        word::bytes_mut(&mut self.0).zeroize();
    }
}

impl<W: Word> Sum<W> {
    const NONE: Self = Sum([W::ZERO; 2 * USED]);

    /// Adds a product of elements of degree below `degree`.
    #[inline(always)]
    fn add(&mut self, a: &Element<W>, b: &Element<W>, degree: usize) {
        for (i, a) in a.0[..degree].iter().enumerate() {
            for (to, b) in self.0[i..i + USED].iter_mut().zip(&b.0) {
                *to = to.add(a.mul(*b));
            }
        }
    }
}

/// The extension of the ring of `W` by polynomials modulo `X^D + X^TAP + 1`.
pub(super) struct Extension<W, const D: usize = 47, const TAP: usize = 5>(
    std::marker::PhantomData<fn() -> W>,
);

impl<W, const D: usize, const TAP: usize> Clone for Extension<W, D, TAP> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<W, const D: usize, const TAP: usize> Copy for Extension<W, D, TAP> {}

impl<W: Word, const D: usize, const TAP: usize> Extension<W, D, TAP> {
    pub const NEW: Self = {
        assert!(D < USED && TAP < D);
        Extension(std::marker::PhantomData)
    };

    /// The element with the low bits as coefficients: zeros and ones.
    pub fn choice(bits: u64) -> Element<W> {
        let bit = |i: usize| u128::from(i < D && bits >> i & 1 == 1);
        Element(std::array::from_fn(|i| W::from_u128(bit(i))))
    }

    /// `X` times an element.
    pub fn shifted(element: &Element<W>) -> Element<W> {
        let mut shifted = Element::ZERO;
        shifted.0[1..D].copy_from_slice(&element.0[..D - 1]);
        // X^D is -(X^TAP + 1).
        let top = element.0[D - 1];
        shifted.0[0] = shifted.0[0].sub(top);
        shifted.0[TAP] = shifted.0[TAP].sub(top);
        shifted
    }

    #[inline(always)]
    fn reduced(mut sum: Sum<W>) -> Element<W> {
        for i in (D..2 * D - 1).rev() {
            let top = sum.0[i];
            sum.0[i - D] = sum.0[i - D].sub(top);
            sum.0[i - D + TAP] = sum.0[i - D + TAP].sub(top);
        }
        let mut element = Element::ZERO;
        element.0[..D].copy_from_slice(&sum.0[..D]);
        element
    }
}

impl<W: Word, const D: usize, const TAP: usize> Algebra for Extension<W, D, TAP> {
    type Element = Element<W>;
    type Drawn = Element<W>;
    const VARIABLES: usize = VARIABLES;
    // Draws of bits are uniform.
    const DRAWS: usize = 1;
    // Low degrees are there for tests of what passes by chance, also in levels.
    const SHORT: usize = if D < LEAST_DEGREE { 1 } else { SHORT };

    fn drawn(self, mut bits: Element<W>) -> Element<W> {
        bits.0[D..].fill(W::ZERO);
        bits
    }

    fn challenge(self, bits: u128) -> Element<W> {
        Self::choice(bits as u64)
    }

    fn packed(self, elements: &[Element<W>]) -> Buffer<u8> {
        let each = D * size_of::<W>();
        let mut packed = Buffer::zeros(elements.len() * each);
        for (to, from) in packed.chunks_exact_mut(each).zip(elements) {
            to.copy_from_slice(word::bytes(&from.0[..D]));
        }
        packed
    }

    fn unpacked(self, bytes: &[u8]) -> Option<Buffer<Element<W>>> {
        let each = D * size_of::<W>();
        let mut elements = Buffer::<Element<W>>::zeros(bytes.len() / each);
        for (to, from) in elements.iter_mut().zip(bytes.chunks_exact(each)) {
            word::bytes_mut(&mut to.0[..D]).copy_from_slice(from);
        }
        Some(elements)
    }

    fn sum(self, a: Element<W>, b: Element<W>) -> Element<W> {
        a.add(b)
    }

    fn difference(self, a: Element<W>, b: Element<W>) -> Element<W> {
        a.sub(b)
    }

    fn product(self, a: Element<W>, b: Element<W>) -> Element<W> {
        let mut sum = Sum::NONE;
        sum.add(&a, &b, D);
        Self::reduced(sum)
    }

    fn grid(
        self,
        vectors: [Runs<'_, Element<W>>; 2],
        variables: usize,
        blocks: usize,
    ) -> Buffer<Element<W>> {
        let sums = simd::run(Grid { vectors, variables, blocks, degree: D });
        let mut reduced = Buffer::zeros(sums.len());
        reduced.iter_mut().zip(sums.iter()).for_each(|(to, sum)| *to = Self::reduced(sum.clone()));
        reduced
    }

    fn folded(self, weights: &[Element<W>], run: &[Element<W>], folded: &mut [Element<W>]) {
        simd::run(Fold::<W, D, TAP> { weights, run, folded });
    }
}

/// A role's summands of the values at all points but (1, ..., 1), which nobody asks for.
struct Grid<'a, W> {
    vectors: [Runs<'a, Element<W>>; 2],
    variables: usize,
    blocks: usize,
    degree: usize,
}

impl<W: Word> Kernel for Grid<'_, W> {
    type Output = Zeroizing<Vec<Sum<W>>>;
    const AVX512: bool = true;

    #[inline(always)]
    fn run(self) -> Zeroizing<Vec<Sum<W>>> {
        let Grid { vectors: [f, g], variables, blocks, degree } = self;
        let (sources, points) = (const { sources::<VARIABLES, POINTS>() }, points(variables));
        let mut sums = Zeroizing::new(vec![Sum::NONE; points]);
        // Both components of the first factor; one of the second, and the sum of both.
        let mut values = Buffer::<Element<W>>::zeros(4 * points);
        for k in 0..blocks {
            for (point, source) in sources.iter().enumerate().take(points) {
                let new = match source.parts() {
                    Ok(block) => {
                        let at = block * blocks + k;
                        [f[0][at], f[1][at], g[0][at], g[0][at].add(g[1][at])]
                    }
                    Err([one, zero]) => {
                        std::array::from_fn(|i| values[4 * one + i].sub(values[4 * zero + i]))
                    }
                };
                let [x0, x1, y0, both] = &new;
                if point != all_ones(variables) {
                    sums[point].add(x0, both, degree);
                    sums[point].add(x1, y0, degree);
                }
                values[4 * point..4 * point + 4].copy_from_slice(&new);
            }
        }
        sums
    }
}

struct Fold<'a, W, const D: usize, const TAP: usize> {
    weights: &'a [Element<W>],
    run: &'a [Element<W>],
    folded: &'a mut [Element<W>],
}

impl<W: Word, const D: usize, const TAP: usize> Kernel for Fold<'_, W, D, TAP> {
    type Output = ();
    const AVX512: bool = true;

    #[inline(always)]
    fn run(self) {
        let Fold { weights, run, folded } = self;
        let blocks = folded.len();
        for (k, to) in folded.iter_mut().enumerate() {
            let mut sum = Sum::NONE;
            for (block, weight) in weights.iter().enumerate() {
                sum.add(weight, &run[block * blocks + k], D);
            }
            *to = Extension::<W, D, TAP>::reduced(sum);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    type Galois = Extension<u64>;

    fn element(words: &[u64]) -> Element<u64> {
        let mut element = Element::ZERO;
        element.0[..47].copy_from_slice(&words[..47]);
        element
    }

    #[test]
    fn elements_are_those_of_a_ring() {
        let ring = Galois::NEW;
        let elements = proptest::collection::vec(any::<u64>(), 47);
        proptest!(|(a in elements.clone(), b in elements.clone(), c in elements)| {
            let [a, b, c] = [a, b, c].map(|words| element(&words));
            let times = |a, b| ring.product(a, b);
            prop_assert!(times(a, b) == times(b, a));
            prop_assert!(times(times(a, b), c) == times(a, times(b, c)));
            prop_assert!(times(a, b.add(c)) == times(a, b).add(times(a, c)));
            prop_assert!(times(a, Element::ONE) == a);
            prop_assert!(times(a, Galois::choice(2)) == Galois::shifted(&a));
            let sent = ring.packed(&[a, b]);
            prop_assert_eq!(sent.len(), 2 * 47 * 8);
            prop_assert!(ring.unpacked(&sent).unwrap()[..] == [a, b]);
        });
    }

    /// Its degree is prime and it has no root, so it is irreducible if it divides `X^(2^47) - X`.
    #[test]
    fn the_modulus_is_irreducible_modulo_two() {
        let odd = |a: Element<u64>| Element(a.0.map(|coefficient| coefficient & 1));
        let x = Galois::choice(2);
        let power = (0..47).fold(x, |power, _| odd(Galois::NEW.product(power, power)));
        assert!(power == x);
    }

    /// What a challenge is multiplied with does not vanish, unless the challenge is zero.
    #[test]
    fn challenges_do_not_divide_zero() {
        let top = Element::<u64>::from_u128(1 << 63);
        proptest!(|(bits in 1u64..1 << 47)| {
            let product = Galois::NEW.product(Galois::choice(bits), top);
            prop_assert!(product != Element::ZERO);
        });
    }
}
