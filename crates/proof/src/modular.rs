//! Triples checked one by one modulo a prime, each with another product of its second factor
//! (`docs/spec/malicious-3pc-rings.md` section 4.2).
//!
//! With a first factor `f` that nobody knows, `h = f b` and a challenge `t`, the value `t a - f` opens, and
//! `t c - h - (t a - f) b` must be zero. It is `t` times the error of `c`, less that of `h`, which was
//! made before: one `t` of all lets a wrong product pass.

use super::channel::ProofChannel;
use tacit_ring::Buffer;
use tacit_sharing::SharingError;
use zeroize::{Zeroize, Zeroizing};

/// The numbers modulo a prime.
pub(super) trait Modular: Copy {
    /// A number.
    type Element: Copy + Zeroize;
    /// Words that a random number is drawn from.
    const DRAWN: usize;
    /// Zero.
    const ZERO: Self::Element;

    /// A sum.
    fn add(self, a: &Self::Element, b: &Self::Element) -> Self::Element;
    /// A difference.
    fn sub(self, a: &Self::Element, b: &Self::Element) -> Self::Element;
    /// A product.
    fn mul(self, a: &Self::Element, b: &Self::Element) -> Self::Element;
    /// A number as good as uniform, from uniform words.
    fn random(self, words: &[u64]) -> Self::Element;
    /// A small number.
    fn small(self, number: u64) -> Self::Element {
        let mut words = vec![0; Self::DRAWN];
        words[0] = number;
        self.random(&words)
    }
    /// Numbers as they are sent.
    fn packed(self, elements: &[Self::Element]) -> Vec<u8>;
    /// Numbers as they were sent, if they are such.
    fn unpacked(self, bytes: &[u8]) -> Option<Vec<Self::Element>>;
}

/// Components of a shared number.
pub(super) type Pair<F> = [<F as Modular>::Element; 2];

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
    let [next, own] = masks(channel, field, n);
    let f: Zeroizing<Vec<Pair<F>>> =
        Zeroizing::new(own.iter().zip(next.iter()).map(|(own, next)| [*own, *next]).collect());
    let summand = |(i, f): (usize, &Pair<F>)| {
        let [_, b, _] = triple(i);
        field.add(&field.mul(&f[0], &field.add(&b[0], &b[1])), &field.mul(&f[1], &b[0]))
    };
    let summands = Zeroizing::new(f.iter().enumerate().map(summand).collect::<Vec<_>>());
    let h = share(channel, field, &summands)?;
    let t = field.random(&channel.coin()?.words::<u64>(F::DRAWN));
    let masked = |(i, f): (usize, &Pair<F>)| -> Pair<F> {
        let [a, ..] = triple(i);
        [0, 1].map(|c| field.sub(&field.mul(&t, &a[c]), &f[c]))
    };
    let masked: Vec<Pair<F>> = f.iter().enumerate().map(masked).collect();
    let rho = open(channel, field, &masked)?;
    let zero = |(i, rho): (usize, &F::Element)| -> Pair<F> {
        let [_, b, product] = triple(i);
        [0, 1].map(|c| {
            let claimed = field.mul(&t, &product[c]);
            field.sub(&field.sub(&claimed, &h[i][c]), &field.mul(rho, &b[c]))
        })
    };
    let zeros: Vec<Pair<F>> = rho.iter().enumerate().map(zero).collect();
    claim_zero(channel, field, &zeros);
    Ok(())
}

fn claim_zero<F: Modular>(channel: &mut ProofChannel<'_, '_, '_>, field: F, shares: &[Pair<F>]) {
    let minus = |[own, next]: &Pair<F>| field.sub(&field.sub(&F::ZERO, own), next);
    let derived: Vec<F::Element> = shares.iter().map(minus).collect();
    let [own, next] = [0, 1].map(|c| shares.iter().map(|pair| pair[c]).collect::<Vec<_>>());
    channel.claim_all_zero([&own, &next, &derived].map(|run| field.packed(run)));
}

fn masks<F: Modular>(
    channel: &mut ProofChannel<'_, '_, '_>,
    field: F,
    n: usize,
) -> [Zeroizing<Vec<F::Element>>; 2] {
    let elements = |run: Buffer<u64>| -> Vec<F::Element> {
        run.chunks_exact(F::DRAWN).map(|words| field.random(words)).collect()
    };
    channel.masks::<u64>(n * F::DRAWN).map(|run| Zeroizing::new(elements(run)))
}

/// Sharings of values of which each role has a summand.
pub(super) fn share<F: Modular>(
    channel: &mut ProofChannel<'_, '_, '_>,
    field: F,
    summands: &[F::Element],
) -> Result<Zeroizing<Vec<Pair<F>>>, SharingError> {
    let [next, previous] = masks(channel, field, summands.len());
    let masks = next.iter().zip(previous.iter());
    let own = |(summand, (next, previous))| field.sub(&field.add(summand, next), previous);
    let mine: Vec<F::Element> = summands.iter().zip(masks).map(own).collect();
    let theirs = pass(channel, field, &mine)?;
    let pairs = mine.into_iter().zip(theirs).map(|(own, next)| [own, next]);
    Ok(Zeroizing::new(pairs.collect()))
}

/// Shared values, to all. That all have the same is compared later.
fn open<F: Modular>(
    channel: &mut ProofChannel<'_, '_, '_>,
    field: F,
    shares: &[Pair<F>],
) -> Result<Vec<F::Element>, SharingError> {
    let next: Vec<F::Element> = shares.iter().map(|[_, next]| *next).collect();
    let missing = pass(channel, field, &next)?;
    let sum =
        |([own, next], missing): (&Pair<F>, &F::Element)| field.add(&field.add(own, next), missing);
    let opened: Vec<F::Element> = shares.iter().zip(&missing).map(sum).collect();
    channel.agree(&field.packed(&opened));
    Ok(opened)
}

fn pass<F: Modular>(
    channel: &mut ProofChannel<'_, '_, '_>,
    field: F,
    mine: &[F::Element],
) -> Result<Vec<F::Element>, SharingError> {
    let theirs = channel.pass(&field.packed(mine))?;
    field.unpacked(&theirs).ok_or_else(|| channel.out_of_range())
}
