//! Dealt triples that are checked one by one or in blocks, modulo a prime that is larger than any error
//! (`docs/spec/malicious-3pc-rings.md` sections 4.2, 4.3, 5.1, 5.2; Damgård, Orlandi, Simkin, CRYPTO 2018): the first
//! protocol of its kind, as the others' measure.

use super::channel::ProofChannel;
use super::integers::{Factor, Factors, Products, cost_of_products, factor};
use super::method::{Method, OfBaseline, Source, proven};
use super::modular::{self, Modular};
use super::polynomials::{self, Blocks};
use super::wide::{self, WORDS, Wide};
use super::{Charge, Strength, Triples};
use tacit_protocol::{Protocol, Status};
use tacit_ring::{Buffer, Word};
use tacit_sharing::SharingError;

/// The field of `2^bits - less` elements, in `L` words.
#[derive(Clone, Copy)]
struct Field<const L: usize> {
    bits: u32,
    less: u64,
}

type Element<const L: usize> = [u64; L];

/// `(bits, less)` for words of so many bits: primes above `2^sigma + 3 (2^(m + 41) - 1)^2`.
const fn prime(ring: u32) -> (u32, u64) {
    match ring {
        8 => (165, 25),
        16 => (181, 165),
        32 => (213, 3),
        64 => (277, 103),
        _ => (405, 235),
    }
}

impl<const L: usize> Field<L> {
    fn new(ring: u32) -> Self {
        let (bits, less) = prime(ring);
        Field { bits, less }
    }

    fn bytes(self) -> usize {
        self.bits.div_ceil(8) as usize
    }

    fn modulus(self) -> Element<L> {
        let mut power = [0; L];
        power[(self.bits / 64) as usize] = 1 << (self.bits % 64);
        subtract(&power, &small(self.less)).0
    }

    /// A number below twice the modulus, reduced.
    #[inline(always)]
    fn once(self, a: Element<L>) -> Element<L> {
        let (reduced, borrowed) = subtract(&a, &self.modulus());
        choose(borrowed, &a, &reduced)
    }

    /// `low + 2^bits high` is `low + less high`.
    fn folded(self, number: &[u64]) -> Element<L> {
        let (word, bit) = ((self.bits / 64) as usize, self.bits % 64);
        let at = |i: usize| number.get(i).copied().unwrap_or(0);
        let mut carry = 0u128;
        let mut sum = [0u64; L];
        for (i, to) in sum.iter_mut().enumerate() {
            let low = if i < word { at(i) } else { at(i) & ((1 << bit) - 1) };
            let high =
                ((u128::from(at(word + i)) | u128::from(at(word + i + 1)) << 64) >> bit) as u64;
            carry += u128::from(low) + u128::from(high) * u128::from(self.less);
            *to = carry as u64;
            carry >>= 64;
        }
        sum
    }

    fn reduce(self, number: &[u64]) -> Element<L> {
        // The first fold leaves few bits above, the second at most one.
        let once = self.folded(number);
        self.once(self.folded(&once))
    }

    /// A number in two's complement.
    fn signed(self, a: &Wide) -> Element<L> {
        let negative = (a[WORDS - 1] >> 63).wrapping_neg();
        let minus = wide::difference(&wide::ZERO, a);
        let size: Wide = std::array::from_fn(|i| (minus[i] & negative) | (a[i] & !negative));
        let positive = self.reduce(&size);
        choose(negative != 0, &self.sub(&[0; L], &positive), &positive)
    }

    fn factor(self, a: &Factor) -> Element<L> {
        self.reduce(a)
    }
}

impl<const L: usize> Modular for Field<L> {
    type Element = Element<L>;
    const DRAWN: usize = L;
    const ZERO: Element<L> = [0; L];

    fn add(self, a: &Element<L>, b: &Element<L>) -> Element<L> {
        self.once(plus(a, b))
    }

    fn sub(self, a: &Element<L>, b: &Element<L>) -> Element<L> {
        let (difference, borrowed) = subtract(a, b);
        choose(borrowed, &plus(&difference, &self.modulus()), &difference)
    }

    fn mul(self, a: &Element<L>, b: &Element<L>) -> Element<L> {
        let mut product = [[0u64; L]; 2];
        let words = product.as_flattened_mut();
        for (i, a) in a.iter().enumerate() {
            let mut carry = 0u128;
            for (j, b) in b.iter().enumerate() {
                carry = u128::from(*a) * u128::from(*b) + u128::from(words[i + j]) + (carry >> 64);
                words[i + j] = carry as u64;
            }
            words[i + L] = (carry >> 64) as u64;
        }
        self.reduce(words)
    }

    fn random(self, words: &[u64]) -> Element<L> {
        let mut element: Element<L> = std::array::from_fn(|i| words[i]);
        element[L - 1] &= u64::MAX >> (64 * L as u32 - self.bits);
        self.once(element)
    }

    fn packed(self, elements: &[Element<L>]) -> Vec<u8> {
        let bytes = self.bytes();
        let mut packed = vec![0; elements.len() * bytes];
        for (to, element) in packed.chunks_exact_mut(bytes).zip(elements) {
            let words = element.map(u64::to_le_bytes);
            to.copy_from_slice(&words.as_flattened()[..bytes]);
        }
        packed
    }

    fn unpacked(self, bytes: &[u8]) -> Option<Vec<Element<L>>> {
        let read = |bytes: &[u8]| {
            let mut element = [0u64; L];
            let each = bytes.iter().enumerate();
            each.for_each(|(i, b)| element[i / 8] |= u64::from(*b) << (8 * (i % 8)));
            element
        };
        let elements: Vec<Element<L>> = bytes.chunks_exact(self.bytes()).map(read).collect();
        let modulus = self.modulus();
        elements.iter().all(|element| subtract(element, &modulus).1).then_some(elements)
    }
}

fn small<const L: usize>(a: u64) -> Element<L> {
    std::array::from_fn(|i| if i == 0 { a } else { 0 })
}

#[inline(always)]
fn plus<const L: usize>(a: &Element<L>, b: &Element<L>) -> Element<L> {
    let mut carry = 0u128;
    std::array::from_fn(|i| {
        carry = u128::from(a[i]) + u128::from(b[i]) + (carry >> 64);
        carry as u64
    })
}

/// The difference, and whether it borrows.
#[inline(always)]
fn subtract<const L: usize>(a: &Element<L>, b: &Element<L>) -> (Element<L>, bool) {
    let mut borrowed = false;
    let difference = std::array::from_fn(|i| {
        let (word, first) = a[i].overflowing_sub(b[i]);
        let (word, second) = word.overflowing_sub(u64::from(borrowed));
        borrowed = first | second;
        word
    });
    (difference, borrowed)
}

#[inline(always)]
fn choose<const L: usize>(first: bool, a: &Element<L>, b: &Element<L>) -> Element<L> {
    let mask = u64::from(first).wrapping_neg();
    std::array::from_fn(|i| (a[i] & mask) | (b[i] & !mask))
}

/// How triples are checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Check {
    OneByOne,
    /// As values of polynomials.
    InBlocks,
}

// The least prime is large enough for blocks.
const _: () =
    assert!(polynomials::is_sound(prime(8).0, polynomials::BLOCK, Strength::Usual.bits()));

/// Brain with triples over the integers, checked one by one.
pub const BRAIN_SINGLE: Protocol = Protocol::new(&proven(
    "brain-single",
    ["brain.md", "to compare: triples over the integers, checked one by one; a short online phase"],
    &OfBaseline(|it| Method::Brain(Source::Single, it)),
    (None, [false, false]),
    Status::Baseline,
));

/// A product that is wrong over the integers is wrong modulo the prime: both are below it.
#[cfg(test)]
#[test]
fn primes_are_beyond_any_product() {
    for ring in [8, 16, 32, 64, 128] {
        let width = Factors::Dealt.width(Strength::Usual, ring);
        let most = wide::sum(&wide::power(width.mask), &width.most);
        let (bits, less) = prime(ring);
        let prime = wide::difference(&wide::power(bits), &wide::product(u128::from(less), 1));
        assert!(wide::is_less(&most, &prime), "{ring} bits");
    }
}

/// The chance that a batch of `n` triples passes though one is wrong: the primes are larger than half of the power
/// of two that is reduced to draw a number.
pub(super) fn chance(check: Check, ring: u32, n: usize) -> f64 {
    let roots = match check {
        Check::OneByOne => 1,
        Check::InBlocks => 2 * Blocks::of(n).len - 1,
    };
    roots as f64 * (1.0 - f64::from(prime(ring).0)).exp2()
}

/// What triples cost.
pub(super) fn cost(check: Check, ring: u32, n: usize) -> Charge {
    let made = cost_of_products(Factors::Dealt, Strength::Usual, ring, n);
    let (elements, coins, rounds) = match check {
        Check::OneByOne => (2 * n, 1, 3),
        Check::InBlocks => {
            let blocks = Blocks::of(n);
            let rounds = polynomials::ROUNDS - u64::from(blocks.len == 1);
            (blocks.elements(), polynomials::COINS, rounds)
        }
    };
    let element = u64::from(prime(ring).0.div_ceil(8));
    made + Charge { bytes: elements as u64 * element, coins, rounds }
}

/// `n` triples.
///
/// # Errors
/// When the network fails or a peer sends what no honest party does.
pub(super) fn triples<W: Word>(
    channel: &mut ProofChannel<'_, '_, '_>,
    check: Check,
    n: usize,
) -> Result<Triples<W>, SharingError> {
    match W::BITS {
        8 | 16 => triples_in::<W, 3>(channel, check, n),
        32 => triples_in::<W, 4>(channel, check, n),
        64 => triples_in::<W, 5>(channel, check, n),
        _ => triples_in::<W, 7>(channel, check, n),
    }
}

fn triples_in<W: Word, const L: usize>(
    channel: &mut ProofChannel<'_, '_, '_>,
    check: Check,
    n: usize,
) -> Result<Triples<W>, SharingError> {
    let field = Field::<L>::new(W::BITS);
    let products = Products::make(channel, (Factors::Dealt, Strength::Usual), W::BITS, n)?;
    let component =
        |factors: &[Buffer<u64>; 2], i: usize| [0, 1].map(|c| field.factor(&factor(factors, c, i)));
    let triple = |i: usize| {
        let product = [0, 1].map(|c| field.signed(&products.c[i][c]));
        [component(&products.a, i), component(&products.b, i), product]
    };
    match check {
        Check::OneByOne => modular::check(channel, field, n, triple)?,
        Check::InBlocks => polynomials::check(channel, field, n, triple)?,
    }
    Ok(products.reduced())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn check<const L: usize>(ring: u32) {
        let field = Field::<L>::new(ring);
        proptest!(|(a: [u64; 7], b: [u64; 7], c: [u64; 7])| {
            let [a, b, c] = [a, b, c].map(|words| field.random(&words));
            prop_assert!(subtract(&a, &field.modulus()).1);
            prop_assert_eq!(field.mul(&a, &b), field.mul(&b, &a));
            let spread = field.add(&field.mul(&a, &c), &field.mul(&b, &c));
            prop_assert_eq!(field.mul(&field.add(&a, &b), &c), spread);
            prop_assert_eq!(field.add(&field.sub(&a, &b), &b), a);
            prop_assert_eq!(field.mul(&a, &small(1)), a);
            let back = field.mul(&field.mul(&a, &b), &c);
            prop_assert_eq!(back, field.mul(&a, &field.mul(&b, &c)));
        });
        let minus_one = field.sub(&[0; L], &small(1));
        assert_eq!(field.mul(&minus_one, &minus_one), small(1));
        let mut five = wide::ZERO;
        five[0] = 5;
        assert_eq!(
            field.signed(&wide::difference(&wide::ZERO, &five)),
            field.sub(&[0; L], &small(5))
        );
        assert_eq!(field.signed(&five), small(5));
        // Fermat: a^(p - 1) = 1.
        let mut power = small(1);
        let exponent = minus_one;
        for bit in (0..64 * L).rev() {
            power = field.mul(&power, &power);
            if exponent[bit / 64] >> (bit % 64) & 1 == 1 {
                power = field.mul(&power, &small(3));
            }
        }
        assert_eq!(power, small(1));
    }

    #[test]
    fn elements_of_all_primes_are_those_of_a_field() {
        check::<3>(8);
        check::<3>(16);
        check::<4>(32);
        check::<5>(64);
        check::<7>(128);
    }
}
