//! Triples checked in blocks as values of polynomials modulo a prime (`docs/spec/malicious-3pc-rings.md` section 4.3;
//! Ben-Sasson, Fehr, Ostrovsky, CRYPTO 2012), as in the published form of the triples of Damgård, Orlandi and Simkin.
//!
//! The first factors of `l` triples are the values of a polynomial `f` of degree `l - 1` at 0 to `l - 1`, the second
//! ones those of `g`, the products those of `h = f g`, which has degree `2 l - 2`: its values at `l - 1` more points
//! are shared like any products. At a random point `f g = h` must hold, which is one triple and is
//! [checked](modular::check) as such. If anything is wrong, `h - f g` is not zero, and so is at all but
//! `2 l - 2` points: a wrong batch passes with probability `(2 l - 2) / p + 1 / p` at most. One point serves all
//! blocks, as one wrong block is enough.

use super::channel::ProofChannel;
use super::method::{Method, OfBaseline, Source, proven};
use super::modular::{self, Modular, Pair};
use tacit_protocol::{Protocol, Status};
use tacit_sharing::SharingError;
use zeroize::Zeroizing;

/// Triples of a block at most.
pub(super) const BLOCK: usize = 64;

/// Whether a wrong batch passes with probability `2^-strength` at most, modulo a prime of so many bits.
pub(super) const fn is_sound(prime_bits: u32, block: usize, strength: u32) -> bool {
    // (2 l - 1) / p, where p is more than half of 2^bits.
    let of_points = (2 * block as u64 - 1).next_power_of_two().ilog2();
    prime_bits > strength + of_points
}

/// How triples are cut: blocks, and triples of each, where the last ones may be zeros.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Blocks {
    pub count: usize,
    pub len: usize,
}

impl Blocks {
    pub fn of(n: usize) -> Self {
        let count = n.div_ceil(BLOCK);
        Blocks { count, len: n.div_ceil(count.max(1)) }
    }

    /// Elements that each role sends to the previous one: values of `h`, and two for each last triple.
    pub fn elements(self) -> usize {
        self.count * (self.len + 1)
    }
}

/// Coins and rounds of a check.
pub(super) const COINS: u64 = 2;
pub(super) const ROUNDS: u64 = 5;

/// Checks `n` triples, of which `triple` gives the shares.
///
/// # Errors
/// When the network fails or a peer sends what no honest party does.
pub(super) fn check<F: Modular>(
    channel: &mut ProofChannel<'_, '_, '_>,
    field: F,
    n: usize,
    triple: impl Fn(usize) -> [Pair<F>; 3],
) -> Result<(), SharingError> {
    if n == 0 {
        return Ok(());
    }
    let blocks @ Blocks { count, len } = Blocks::of(n);
    let none = [[F::ZERO; 2]; 3];
    let at = |block: usize, k: usize| match block * len + k {
        at if at < n => triple(at),
        _ => none,
    };
    let mut summands = Zeroizing::new(Vec::with_capacity(count * (len - 1)));
    for block in 0..count {
        let [f, g] = [0, 1].map(|factor| {
            [0, 1].map(|c| extended(field, (0..len).map(|k| at(block, k)[factor][c])))
        });
        summands.extend((0..len - 1).map(|k| {
            let both = field.add(&g[0][k], &g[1][k]);
            field.add(&field.mul(&f[0][k], &both), &field.mul(&f[1][k], &g[0][k]))
        }));
    }
    let more = match summands.is_empty() {
        true => Zeroizing::new(Vec::new()),
        false => modular::share(channel, field, &summands)?,
    };
    let point = field.random(&channel.coin()?.words::<u64>(F::DRAWN));
    let weights = Weights::new(field, &point, blocks);
    let ends: Zeroizing<Vec<[Pair<F>; 3]>> = Zeroizing::new(
        (0..count)
            .map(|block| {
                let values = (0..len).map(|k| at(block, k));
                weights.ends(field, values, &more[block * (len - 1)..(block + 1) * (len - 1)])
            })
            .collect(),
    );
    modular::check(channel, field, count, |block| ends[block])
}

/// The values at the points that follow of the polynomial of lowest degree with these values: one fewer.
fn extended<F: Modular>(
    field: F,
    values: impl ExactSizeIterator<Item = F::Element>,
) -> Zeroizing<Vec<F::Element>> {
    // Differences of all orders at the last point.
    let mut ends: Zeroizing<Vec<F::Element>> = Zeroizing::new(Vec::with_capacity(values.len()));
    for value in values {
        let mut difference = value;
        for end in ends.iter_mut() {
            let before = std::mem::replace(end, difference);
            difference = field.sub(&difference, &before);
        }
        ends.push(difference);
    }
    let mut next = Zeroizing::new(Vec::with_capacity(ends.len()));
    for _ in 1..ends.len() {
        for order in (1..ends.len()).rev() {
            ends[order - 1] = field.add(&ends[order - 1], &ends[order]);
        }
        next.push(ends[0]);
    }
    next
}

/// What values count for at a point. Nothing is divided: with `d` and `e` for the factorials of `l - 1` and `2 l - 2`,
/// which are not zero, the weights give `d e f`, `d g` and `d^2 e h`.
struct Weights<F: Modular> {
    first: Vec<F::Element>,
    second: Vec<F::Element>,
    product: Vec<F::Element>,
}

impl<F: Modular> Weights<F> {
    fn new(field: F, point: &F::Element, Blocks { len, .. }: Blocks) -> Self {
        let times = |weights: &[F::Element], by: &F::Element| -> Vec<F::Element> {
            weights.iter().map(|weight| field.mul(weight, by)).collect()
        };
        let factorial =
            |n: usize| (1..=n).fold(field.small(1), |f, i| field.mul(&f, &field.small(i as u64)));
        let (few, many) = (len, 2 * len - 1);
        let second = lagrange(field, point, few);
        let first = times(&second, &factorial(many - 1));
        let square = field.mul(&factorial(few - 1), &factorial(few - 1));
        let product = times(&lagrange(field, point, many), &square);
        Weights { first, second, product }
    }

    /// The triple at the point.
    fn ends(
        &self,
        field: F,
        values: impl Iterator<Item = [Pair<F>; 3]>,
        more: &[Pair<F>],
    ) -> [Pair<F>; 3] {
        let mut ends = [[F::ZERO; 2]; 3];
        let add = |sum: &mut Pair<F>, value: &Pair<F>, weight: &F::Element| {
            *sum = [0, 1].map(|c| field.add(&sum[c], &field.mul(&value[c], weight)));
        };
        let (known, others) = self.product.split_at(self.second.len());
        for (k, [a, b, c]) in values.enumerate() {
            add(&mut ends[0], &a, &self.first[k]);
            add(&mut ends[1], &b, &self.second[k]);
            add(&mut ends[2], &c, &known[k]);
        }
        more.iter().zip(others).for_each(|(value, weight)| add(&mut ends[2], value, weight));
        ends
    }
}

/// What the values at 0 to `n - 1` of a polynomial of degree `n - 1` count for at a point, times the factorial
/// of `n - 1`.
fn lagrange<F: Modular>(field: F, point: &F::Element, n: usize) -> Vec<F::Element> {
    let one = field.small(1);
    let from: Vec<F::Element> = (0..n).map(|k| field.sub(point, &field.small(k as u64))).collect();
    let products = |factors: &mut dyn Iterator<Item = &F::Element>| -> Vec<F::Element> {
        let mut so_far = one;
        let step = |factor: &F::Element| {
            let before = so_far;
            so_far = field.mul(&so_far, factor);
            before
        };
        factors.map(step).collect()
    };
    let (before, behind) = (products(&mut from.iter()), products(&mut from.iter().rev()));
    let binomials = (1..n).fold(vec![one], |row, _| {
        let inner = row.windows(2).map(|pair| field.add(&pair[0], &pair[1]));
        std::iter::once(one).chain(inner).chain([one]).collect()
    });
    let weight = |k: usize| {
        let size = field.mul(&field.mul(&before[k], &behind[n - 1 - k]), &binomials[k]);
        if (n - 1 - k).is_multiple_of(2) { size } else { field.sub(&F::ZERO, &size) }
    };
    (0..n).map(weight).collect()
}

/// Brain with triples over the integers, checked as values of polynomials.
pub const BRAIN_POLYNOMIALS: Protocol = Protocol::new(&proven(
    "brain-polynomials",
    ["brain.md", "to compare: triples checked as values of polynomials; a short online phase"],
    &OfBaseline(|it| Method::Brain(Source::Polynomials, it)),
    (None, [false, false]),
    Status::Baseline,
));

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_hold_all_triples_and_few_zeros() {
        for n in 1..1000 {
            let Blocks { count, len } = Blocks::of(n);
            assert!(len <= BLOCK && count * len >= n && count * len < n + count);
        }
        assert_eq!(Blocks::of(1 << 16).elements(), (1 << 16) / 64 * 65);
    }

    #[test]
    fn a_prime_must_be_large_for_the_points_of_a_block() {
        // 127 roots: seven bits.
        assert!(is_sound(48, 64, 40) && !is_sound(47, 64, 40));
        assert!(!is_sound(7, 4, 40));
    }
}
