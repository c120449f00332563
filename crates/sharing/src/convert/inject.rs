//! Bits into a ring: Bit2A, bit injection, sums of selected values, B2A (spec 5.5).
//!
//! A shared bit is `b = b0 + y0 - 2 b0 y0` over the integers, `b0` upper and `y0` lower.

use super::desk::{Split, check};
use super::{Desk, Masked, Seat};
use crate::party::{Draws, SharingError};
use tacit_ring::simd;
use tacit_ring::{Buffer, Word, Z2, transpose, word};

/// What this party knows of bits as ring elements 0 and 1: `y0` at the dealer, `b0` in the pair.
pub(super) fn known_bits<W: Word>(
    desk: &Desk<'_, '_>,
    bits: &Masked<Z2>,
    lanes: usize,
) -> Buffer<W> {
    let mut out = Buffer::zeros(lanes);
    if lanes == 0 {
        return out;
    }
    let mut plane = bits.first.clone();
    if desk.seat() == Seat::Dealer {
        for (plane, x2) in plane.iter_mut().zip(bits.second.iter()) {
            *plane = plane.add(*x2);
        }
    }
    transpose::unpack(word::lanes(&plane), 1, &mut out[..]);
    out
}

fn double<W: Word>(x: W) -> W {
    x.add(x)
}

/// Each bit as 0 or 1 of the ring. One deal and one gadget per bit.
///
/// # Errors
/// When the network fails.
pub fn bit_to_ring<W: Word>(
    desk: &mut Desk<'_, '_>,
    draws: &mut Draws<'_>,
    bits: &Masked<Z2>,
    lanes: usize,
) -> Result<Masked<W>, SharingError> {
    let known = known_bits::<W>(desk, bits, lanes);
    let split = desk.deal(draws, &known, lanes)?;
    let mut sum = Buffer::zeros(lanes);
    if desk.seat() != Seat::Dealer {
        // (1 - 2 b0) q
        let q = split.half(desk.seat());
        for ((sum, b), q) in sum.iter_mut().zip(known.iter()).zip(q) {
            *sum = q.sub(double(b.mul(*q)));
        }
    }
    desk.gadget(draws, sum, Some(&known))
}

/// The terms of `b a = b0 a0 + (a0 - 2 b0 a0) y0 + b0 (2p - x0) - p`, `p = x0 y0`.
struct Terms<W> {
    /// The bits that this party knows.
    bits: Buffer<W>,
    y: Split<W>,
    p: Split<W>,
}

fn deal_terms<W: Word>(
    desk: &mut Desk<'_, '_>,
    draws: &mut Draws<'_>,
    bits: &Masked<Z2>,
    a: &Masked<W>,
) -> Result<Terms<W>, SharingError> {
    let n = a.first.len();
    let bits = known_bits::<W>(desk, bits, n);
    let y = desk.deal(draws, &bits, n)?;
    let mut p = Buffer::default();
    if desk.seat() == Seat::Dealer {
        p = a.lambda();
        for (p, y) in p.iter_mut().zip(bits.iter()) {
            *p = p.mul(*y);
        }
    }
    let p = desk.deal(draws, &p, n)?;
    Ok(Terms { bits, y, p })
}

/// Calls `each(index, g, c)` with a pair party's local term and upper term of every product.
#[inline(always)]
fn pair_terms<W: Word>(
    seat: Seat,
    terms: &Terms<W>,
    a: &Masked<W>,
    mut each: impl FnMut(usize, W, W),
) {
    let (y, p) = (terms.y.half(seat), terms.p.half(seat));
    let known = terms.bits.iter().zip(a.first.iter()).zip(a.second.iter());
    for (i, (((b, m), x), (y, p))) in known.zip(y.iter().zip(p)).enumerate() {
        let selected = b.mul(*m);
        let g = m.sub(double(selected)).mul(*y).add(b.mul(double(*p).sub(*x))).sub(*p);
        each(i, g, selected);
    }
}

/// Bit times ring element. Two deals and one gadget each.
///
/// # Errors
/// When the network fails or lengths differ.
pub fn inject<W: Word>(
    desk: &mut Desk<'_, '_>,
    draws: &mut Draws<'_>,
    bits: &Masked<Z2>,
    a: &Masked<W>,
) -> Result<Masked<W>, SharingError> {
    let n = a.first.len();
    check(bits.first.len() == n.div_ceil(64), "bits and elements")?;
    let terms = deal_terms(desk, draws, bits, a)?;
    let (mut sum, mut c) = (Buffer::zeros(n), Buffer::zeros(n));
    if desk.seat() != Seat::Dealer {
        let (seat, sum, c) = (desk.seat(), &mut sum, &mut c);
        simd::vectorize(
            #[inline(always)]
            || {
                pair_terms(seat, &terms, a, |i, g, upper| {
                    sum[i] = g;
                    c[i] = upper;
                });
            },
        );
    }
    desk.gadget(draws, sum, Some(&c))
}

/// For each plane of `groups` the sum of all `bit * element`, or without elements the number of
/// ones. Two deals per bit and element, or one per bit; one gadget per plane.
///
/// # Errors
/// When the network fails or lengths differ.
pub fn group_sums<W: Word>(
    desk: &mut Desk<'_, '_>,
    draws: &mut Draws<'_>,
    groups: &[Masked<Z2>],
    lanes: usize,
    a: Option<&Masked<W>>,
) -> Result<Masked<W>, SharingError> {
    let fits = groups.iter().all(|bits| bits.first.len() == lanes.div_ceil(64));
    check(fits && a.is_none_or(|a| a.first.len() == lanes), "bits and elements")?;
    let (mut sum, mut c) = (Buffer::zeros(groups.len()), Buffer::zeros(groups.len()));
    for (i, bits) in groups.iter().enumerate() {
        (sum[i], c[i]) = match a {
            Some(a) => selected_sum(desk, draws, bits, a)?,
            None => ones(desk, draws, bits, lanes)?,
        };
    }
    desk.gadget(draws, sum, Some(&c))
}

/// A pair party's local sum and upper sum of `bit * element`.
fn selected_sum<W: Word>(
    desk: &mut Desk<'_, '_>,
    draws: &mut Draws<'_>,
    bits: &Masked<Z2>,
    a: &Masked<W>,
) -> Result<(W, W), SharingError> {
    let terms = deal_terms(desk, draws, bits, a)?;
    let (mut g, mut c) = (W::ZERO, W::ZERO);
    if desk.seat() != Seat::Dealer {
        let (seat, g, c) = (desk.seat(), &mut g, &mut c);
        simd::vectorize(
            #[inline(always)]
            || {
                pair_terms(seat, &terms, a, |_, term, upper| {
                    *g = g.add(term);
                    *c = c.add(upper);
                });
            },
        );
    }
    Ok((g, c))
}

/// A pair party's local sum and upper sum of bits.
fn ones<W: Word>(
    desk: &mut Desk<'_, '_>,
    draws: &mut Draws<'_>,
    bits: &Masked<Z2>,
    lanes: usize,
) -> Result<(W, W), SharingError> {
    let known = known_bits::<W>(desk, bits, lanes);
    let split = desk.deal(draws, &known, lanes)?;
    let (mut g, mut c) = (W::ZERO, W::ZERO);
    if desk.seat() != Seat::Dealer {
        for (b, q) in known.iter().zip(split.half(desk.seat())) {
            g = g.add(q.sub(double(b.mul(*q))));
            c = c.add(*b);
        }
    }
    Ok((g, c))
}

/// B2A: the number with the given bits, plane `i` having weight `2^i`; at most as many planes
/// as the ring has bits. Deals of `BITS + sum of (BITS - 1 - i)` bits, one gadget.
///
/// # Errors
/// When the network fails.
pub fn bits_to_ring<W: Word>(
    desk: &mut Desk<'_, '_>,
    draws: &mut Draws<'_>,
    bits: &Masked<Z2>,
    lanes: usize,
) -> Result<Masked<W>, SharingError> {
    let words = lanes.div_ceil(64).max(1);
    let planes = bits.first.len() / words;
    check(planes <= W::BITS as usize, "bits of a number")?;
    let plane = |i: usize| {
        let at = i * words..(i + 1) * words;
        Masked {
            first: Buffer::from_slice(&bits.first[at.clone()]),
            second: Buffer::from_slice(&bits.second[at]),
        }
    };
    let pair = desk.seat() != Seat::Dealer;
    let (mut sum, mut c) = (Buffer::<W>::zeros(lanes), Buffer::<W>::zeros(lanes));
    for i in 0..if lanes == 0 { 0 } else { planes } {
        let known = known_bits::<W>(desk, &plane(i), lanes);
        let weight = W::from_u128(1 << i);
        for (c, b) in c.iter_mut().zip(known.iter()) {
            *c = c.add(weight.mul(*b));
        }
        let width = W::BITS - 1 - i as u32;
        if width == 0 {
            continue;
        }
        // - 2^(i+1) b0 y0: y0 counts modulo 2^(BITS - 1 - i).
        let split = desk.deal_bits(draws, &known, lanes, width)?;
        if pair {
            let q = split.half(desk.seat());
            for ((sum, b), q) in sum.iter_mut().zip(known.iter()).zip(q) {
                *sum = sum.sub(double(weight).mul(b.mul(*q)));
            }
        }
    }
    // The dealer's `c` is the sum of 2^i y0, a lower value with coefficient one.
    let split = desk.deal(draws, &c, lanes)?;
    if pair {
        for (sum, q) in sum.iter_mut().zip(split.half(desk.seat())) {
            *sum = sum.add(*q);
        }
    }
    desk.gadget(draws, sum, Some(&c))
}
