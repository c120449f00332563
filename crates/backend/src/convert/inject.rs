//! Bits into a ring: Bit2A, bit injection, sums of selected values, B2A
//! (`docs/spec/honest-majority-rings.md` section 5.5).
//!
//! A shared bit is `b = b0 + y0 - 2 b0 y0` over the integers, `b0` upper and `y0` lower.

use super::form::{Columns, Form, Sink, Sums};
use super::masked_party::check;
use super::{Masked, MaskedParty, Seat};
use tacit_ring::{Buffer, Word, Z2, transpose, word};
use tacit_sharing::SharingError;
use tacit_sharing::party::Draws;

/// What this party knows of bits as ring elements 0 and 1: `b0` in the pair, `y0` elsewhere.
pub(super) fn known_bits<W: Word>(
    masked_party: &MaskedParty<'_, '_>,
    bits: &Masked<Z2>,
    lanes: usize,
) -> Buffer<W> {
    let mut out = Buffer::zeros(lanes);
    if lanes == 0 {
        return out;
    }
    let mut room = Buffer::default();
    let plane = bits.known(masked_party.seat(), &mut room);
    transpose::unpack(word::lanes(plane), 1, &mut out[..]);
    out
}

#[inline(always)]
fn double<W: Word>(x: W) -> W {
    x.add(x)
}

/// Each bit as 0 or 1 of the ring. One deal, one raise and one gadget per bit.
///
/// # Errors
/// When the network fails.
pub fn bit_to_ring<W: Word>(
    masked_party: &mut MaskedParty<'_, '_>,
    draws: &mut Draws<'_>,
    bits: &Masked<Z2>,
    lanes: usize,
) -> Result<Masked<W>, SharingError> {
    let mut sum = Buffer::zeros(lanes);
    let upper = bit_terms::<W>(
        masked_party,
        draws,
        bits,
        lanes,
        #[inline(always)]
        |i, term, _| sum[i] = term,
    )?;
    masked_party.gadget(draws, sum, Some(&upper))
}

/// Calls `each` with the number, the local terms `(1 - 2 b0) y0` and the upper term of every bit;
/// gives the upper terms.
fn bit_terms<W: Word>(
    masked_party: &mut MaskedParty<'_, '_>,
    draws: &mut Draws<'_>,
    bits: &Masked<Z2>,
    lanes: usize,
    mut each: impl FnMut(usize, W, W),
) -> Result<Buffer<W>, SharingError> {
    let known = known_bits::<W>(masked_party, bits, lanes);
    let y = masked_party.deal(draws, &known, lanes)?;
    let upper = masked_party.raise(draws, known)?;
    if masked_party.seat() != Seat::Dealer {
        let rows = upper.iter().zip(y.part()).zip(y.plain());
        for (i, ((b, q), plain)) in rows.enumerate() {
            each(i, plain.sub(double(b.mul(*q))), *b);
        }
    }
    Ok(upper)
}

/// Gives the local terms and the upper term of every product to a sink:
/// `b a = b0 a0 + (a0 - 2 b0 a0) y0 + b0 (2p - x0) - p`, `p = x0 y0`.
fn selected<W: Word>(
    masked_party: &mut MaskedParty<'_, '_>,
    draws: &mut Draws<'_>,
    bits: &Masked<Z2>,
    a: &Masked<W>,
    sink: impl Sink<W>,
) -> Result<(), SharingError> {
    let n = a.first.len();
    let known = known_bits::<W>(masked_party, bits, n);
    let mut room = Buffer::default();
    let form = Form::new(
        [&known, a.known(masked_party.seat(), &mut room)],
        [&a.first, &a.second],
        #[inline(always)]
        |[b, m]: [W; 2]| [b.mul(m), b],
        #[inline(always)]
        |[y, lambda]: [W; 2]| [y, lambda.mul(y)],
        #[inline(always)]
        |[m, x]: [W; 2], [chosen, b]: [W; 2], [y, p]: [W; 2], plain: [W; 2]| {
            let bilinear = m.sub(double(chosen)).mul(y);
            bilinear.add(b.mul(double(p).sub(x))).sub(plain[1])
        },
    );
    form.rows(masked_party, draws, n, sink)
}

/// Bit times ring element. Two deals, two raises and one gadget each.
///
/// # Errors
/// When the network fails or lengths differ.
pub fn inject<W: Word>(
    masked_party: &mut MaskedParty<'_, '_>,
    draws: &mut Draws<'_>,
    bits: &Masked<Z2>,
    a: &Masked<W>,
) -> Result<Masked<W>, SharingError> {
    let n = a.first.len();
    check(bits.first.len() == n.div_ceil(64), "bits and elements")?;
    let (mut sum, mut c) = (Buffer::zeros(n), Buffer::zeros(n));
    selected(masked_party, draws, bits, a, Columns { terms: &mut sum, upper: &mut c })?;
    masked_party.gadget(draws, sum, Some(&c))
}

/// For each plane of `groups` the sum of all `bit * element`, or without elements the number of
/// ones. Two deals and two raises per bit and element, or one of each per bit; one gadget per plane.
///
/// # Errors
/// When the network fails or lengths differ.
pub fn group_sums<W: Word>(
    masked_party: &mut MaskedParty<'_, '_>,
    draws: &mut Draws<'_>,
    groups: &[Masked<Z2>],
    lanes: usize,
    a: Option<&Masked<W>>,
) -> Result<Masked<W>, SharingError> {
    let fits = groups.iter().all(|bits| bits.first.len() == lanes.div_ceil(64));
    check(fits && a.is_none_or(|a| a.first.len() == lanes), "bits and elements")?;
    let (mut sum, mut c) = (Buffer::zeros(groups.len()), Buffer::zeros(groups.len()));
    for (i, bits) in groups.iter().enumerate() {
        let (mut g, mut upper) = (W::ZERO, W::ZERO);
        match a {
            Some(a) => {
                selected(masked_party, draws, bits, a, Sums { terms: &mut g, upper: &mut upper })?;
            }
            None => {
                let add = |_, term: W, first: W| (g, upper) = (g.add(term), upper.add(first));
                bit_terms::<W>(masked_party, draws, bits, lanes, add)?;
            }
        }
        (sum[i], c[i]) = (g, upper);
    }
    masked_party.gadget(draws, sum, Some(&c))
}

/// Bytes of planes that are dealt before any of them is raised: a role that deals, and hears what is
/// raised, lets nobody wait for each plane.
const GROUP_BYTES: usize = 16 << 20;

/// B2A: the number with the given bits, plane `i` having weight `2^i`; at most as many planes
/// as the ring has bits. Deals of `BITS + sum of (BITS - 1 - i)` bits, as many raises, one gadget.
///
/// # Errors
/// When the network fails.
pub fn bits_to_ring<W: Word>(
    masked_party: &mut MaskedParty<'_, '_>,
    draws: &mut Draws<'_>,
    bits: &Masked<Z2>,
    lanes: usize,
) -> Result<Masked<W>, SharingError> {
    let words = lanes.div_ceil(64).max(1);
    let planes = bits.first.len() / words;
    check(planes <= W::BITS as usize, "bits of a number")?;
    let plane = |i: usize| {
        let at = i * words..(i + 1) * words;
        Masked::pair(
            Buffer::from_slice(&bits.first[at.clone()]),
            Buffer::from_slice(&bits.second[at]),
        )
    };
    let (mut sum, mut c) = (Buffer::<W>::zeros(lanes), Buffer::<W>::zeros(lanes));
    let planes = if lanes == 0 { 0 } else { planes };
    let group = (GROUP_BYTES / (lanes.max(1) * size_of::<W>())).max(1);
    for start in (0..planes).step_by(group) {
        let group = start..(start + group).min(planes);
        let mut dealt = Vec::with_capacity(group.len());
        for i in group.clone() {
            let known = known_bits::<W>(masked_party, &plane(i), lanes);
            let weight = W::from_u128(1 << i);
            for (c, b) in c.iter_mut().zip(known.iter()) {
                *c = c.add(weight.mul(*b));
            }
            // - 2^(i+1) b0 y0: b0 and y0 count modulo 2^(BITS - 1 - i).
            let width = W::BITS - 1 - i as u32;
            if width > 0 {
                let split = masked_party.deal_bits(draws, &known, lanes, width)?;
                dealt.push((double(weight), width, known, split));
            }
        }
        for (weight, width, known, split) in dealt {
            let upper = masked_party.raise_bits(draws, known, width)?;
            if masked_party.seat() != Seat::Dealer {
                for ((sum, b), q) in sum.iter_mut().zip(upper.iter()).zip(split.part()) {
                    *sum = sum.sub(weight.mul(b.mul(*q)));
                }
            }
        }
    }
    // Where lower values are known `c` is the sum of 2^i y0, a lower value with coefficient one.
    let split = masked_party.deal(draws, &c, lanes)?;
    let upper = masked_party.raise(draws, c)?;
    if masked_party.seat() != Seat::Dealer {
        for (sum, q) in sum.iter_mut().zip(split.plain()) {
            *sum = sum.add(*q);
        }
    }
    masked_party.gadget(draws, sum, Some(&upper))
}
