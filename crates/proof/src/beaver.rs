//! Products from triples (`docs/spec/malicious-3pc-rings.md` section 7.2): factors open under masks that nobody knows.
//! Whether all saw the same is compared before anything opens, with what tells that triples are right; so nothing else
//! can be wrong.

use super::Two;
use super::channel::PROOF;
use super::triples::Pool;
use tacit_net::Stream;
use tacit_ring::simd;
use tacit_ring::{Buffer, Word};
use tacit_sharing::SharingError;
use tacit_sharing::party::Party;

/// Sends what opens the factors of products, less those of triples, to the role that lacks it.
pub(super) fn begin<W: Word>(
    party: &mut Party<'_>,
    pool: &mut Pool<W>,
    [x, y]: [Two<'_, W>; 2],
) -> Result<(), SharingError> {
    let n = x[0].len();
    let [a, b, _] = pool.begin(n);
    let mut message = Buffer::zeros(2 * n);
    let (first, second) = message.split_at_mut(n);
    simd::vectorize(
        #[inline(always)]
        || {
            masked(first, x[1], a[1]);
            masked(second, y[1], b[1]);
        },
    );
    let previous = (party.role() + 2) % 3;
    party.send(previous, Stream::On, &message)
}

#[inline(always)]
fn masked<W: Word>(to: &mut [W], x: &[W], a: &[W]) {
    for ((to, x), a) in to.iter_mut().zip(x).zip(a) {
        *to = x.sub(*a);
    }
}

/// Receives what is missing, and writes the shares of results, each the sum of `terms` products.
pub(super) fn finish<W: Word>(
    party: &mut Party<'_>,
    pool: &mut Pool<W>,
    [x, y]: [Two<'_, W>; 2],
    terms: usize,
    out: [&mut [W]; 2],
) -> Result<(), SharingError> {
    let n = x[0].len();
    let from = (party.role() + 1) % 3;
    let mut opened = Buffer::zeros(2 * n);
    party.recv(from, Stream::On, &mut opened)?;
    let [a, b, c] = pool.finish(n);
    let (eps, del) = opened.split_at_mut(n);
    simd::vectorize(
        #[inline(always)]
        || {
            unmasked(eps, x, a);
            unmasked(del, y, b);
            for (i, out) in out.into_iter().enumerate() {
                products(out, c[i], [eps, y[i]], [del, a[i]], terms);
            }
        },
    );
    party.log(PROOF, &opened);
    Ok(())
}

/// Adds both components of `x - a` to the third.
#[inline(always)]
fn unmasked<W: Word>(opened: &mut [W], x: Two<'_, W>, a: Two<'_, W>) {
    for c in 0..2 {
        for ((opened, x), a) in opened.iter_mut().zip(x[c]).zip(a[c]) {
            *opened = opened.add(*x).sub(*a);
        }
    }
}

/// Sums of `x y = c + eps y + a del`.
#[inline(always)]
fn products<W: Word>(
    out: &mut [W],
    c: &[W],
    [eps, y]: [&[W]; 2],
    [del, a]: [&[W]; 2],
    terms: usize,
) {
    let n = out.len() * terms;
    let (c, eps, y, del, a) = (&c[..n], &eps[..n], &y[..n], &del[..n], &a[..n]);
    let product = |i: usize| c[i].add(eps[i].mul(y[i])).add(del[i].mul(a[i]));
    if terms == 1 {
        out.iter_mut().enumerate().for_each(|(i, out)| *out = product(i));
        return;
    }
    for (result, out) in out.iter_mut().enumerate() {
        let terms = result * terms..(result + 1) * terms;
        *out = terms.map(product).fold(W::ZERO, W::add);
    }
}
