//! Conversions between rings and bits where every component of a replicated sharing is known to two
//! of three parties, and products are proven.
//!
//! A component is a sharing of itself, in which the others are zero: in any ring, and of any function
//! of it. So nothing is dealt; what takes messages are products alone, and those are proven like all
//! others. Predictions walk through the same functions.

use super::numbers::ring_of;
use super::{Backend, Kind, Name, Planes, Result, Ring, Secret, wrong};
use tacit_sharing::arrays::MatrixShape;

/// The parties.
const PARTIES: usize = 3;

/// What a backend can say of a sharing's components. All of it is local.
pub(super) trait Components: Backend {
    /// The low `bits` bits of component `j` of numbers, plus a public one.
    fn component_bits(&mut self, a: &Secret, j: usize, plus: u128, bits: u32) -> Planes;

    /// Component `j` of numbers plus a public one, shifted down, in a ring that is no narrower.
    fn component_shifted(&mut self, a: &Secret, j: usize, shift: Shift) -> Secret;

    /// Component `j` of bits, as 0 and 1 of a ring.
    fn component_of_bits(&mut self, bits: &Secret, j: usize, ring: Ring) -> Secret;
}

/// What is done to a component, as a number without sign.
#[derive(Clone, Copy)]
pub(super) struct Shift {
    /// Added first.
    pub plus: u128,
    /// Bits that are cut off.
    pub by: u32,
    /// The ring of the result.
    pub ring: Ring,
}

/// The low bits of all components, a public number added to their sum.
fn component_bits<B: Components>(b: &mut B, a: &Secret, plus: u128, bits: u32) -> [Planes; 3] {
    [plus, 0, 0].map({
        let mut j = 0;
        move |plus| {
            j += 1;
            b.component_bits(a, j - 1, plus, bits)
        }
    })
}

/// The low bits of `m` and `lambda` with `a = m - lambda`.
pub(super) fn masked_bits<B: Components>(b: &mut B, a: &Secret, bits: u32) -> Result<[Planes; 2]> {
    let [x, y, z] = component_bits(b, a, u128::MAX, bits);
    let circuit = b.circuits().get(Name::Split(bits));
    let mut pair = b.circuit(&circuit, &[&x, &y, &z])?.into_iter();
    match (pair.next(), pair.next()) {
        (Some(m), Some(lambda)) => Ok([m, lambda]),
        _ => Err(wrong("a circuit's outputs")),
    }
}

/// How often the sum of the components' low bits exceeds `2^low`, and that of all `2^high`: two bits
/// each, which count equally.
fn carries<B: Components>(
    b: &mut B,
    a: &Secret,
    plus: u128,
    [low, high]: [u32; 2],
) -> Result<[Secret; 4]> {
    let [x, y, z] = component_bits(b, a, plus, high);
    let circuit = b.circuits().get(Name::Carries { low, high });
    let bits = b.circuit(&circuit, &[&x, &y, &z])?;
    let bits: Vec<Secret> = bits.iter().map(|bit| bit.plane(0)).collect();
    bits.try_into().map_err(|_| wrong("a circuit's outputs"))
}

/// Bits as 0 and 1 of a ring: the components' exclusive or. Two products.
pub(super) fn bit_to_ring<B: Components>(b: &mut B, bits: &Secret, ring: Ring) -> Result<Secret> {
    let mut sum = b.component_of_bits(bits, 0, ring);
    for j in 1..PARTIES {
        let next = b.component_of_bits(bits, j, ring);
        let both = b.multiply(&sum, &next, [1, 1])?;
        sum = sum.sum(&next, false).sum(&both.scale(&[2]), true);
    }
    Ok(sum)
}

/// Several arrays of bits at once.
fn bits_to_ring<B: Components>(b: &mut B, bits: &[Secret], ring: Ring) -> Result<Vec<Secret>> {
    let len = bits[0].len;
    let step = len.next_multiple_of(64);
    let all = bit_to_ring(b, &Secret::side_by_side(bits), ring)?;
    Ok((0..bits.len()).map(|i| all.slice(i * step..i * step + len)).collect())
}

/// `a / 2^by`, rounded down, for every signed `a`: the components' quotients, what their remainders
/// carry, less what their sum exceeds the ring by.
pub(super) fn floor_shift<B: Components>(b: &mut B, a: &Secret, by: u32) -> Result<Secret> {
    let ring = ring_of(a)?;
    let bits = ring.bits();
    if by == 0 || by >= bits {
        return Err(wrong("a shift by no bits, or by all"));
    }
    // All values become unsigned.
    let plus = 1u128 << (bits - 1);
    let carries = carries(b, a, plus, [by, bits])?;
    let carries = bits_to_ring(b, &carries, ring)?;
    let mut quotient = carries[0].sum(&carries[1], false);
    let excess = carries[2].sum(&carries[3], false);
    for j in 0..PARTIES {
        let shift = Shift { plus: if j == 0 { plus } else { 0 }, by, ring };
        quotient = quotient.sum(&b.component_shifted(a, j, shift), false);
    }
    let quotient = quotient.sum(&excess.scale(&[power(bits - by)]), true);
    b.plus(&quotient, power(bits - 1 - by).wrapping_neg())
}

/// `2^bits` as a number that is cut to a ring.
fn power(bits: u32) -> i128 {
    1i128.checked_shl(bits).unwrap_or(0)
}

/// Extends signed numbers to a wider ring.
pub(super) fn widen<B: Components>(b: &mut B, a: &Secret, ring: Ring) -> Result<Secret> {
    let bits = ring_of(a)?.bits();
    if bits >= ring.bits() {
        return Err(wrong("widening to a ring that is not wider"));
    }
    let plus = 1u128 << (bits - 1);
    let [_, _, h0, h1] = carries(b, a, plus, [1, bits])?;
    let excess = bits_to_ring(b, &[h0, h1], ring)?;
    let mut sum = excess[0].sum(&excess[1], false).scale(&[power(bits).wrapping_neg()]);
    for j in 0..PARTIES {
        let shift = Shift { plus: if j == 0 { plus } else { 0 }, by: 0, ring };
        sum = sum.sum(&b.component_shifted(a, j, shift), false);
    }
    b.plus(&sum, power(bits - 1).wrapping_neg())
}

/// The bits in planes as signed numbers of a ring: each bit times what it counts for.
pub(super) fn compose<B: Components>(
    b: &mut B,
    planes: &Planes,
    signed: bool,
    ring: Ring,
) -> Result<Secret> {
    if planes.planes == 0 {
        return Ok(b.public(Kind::Ring(ring), &[0], planes.lanes));
    }
    let bits: Vec<Secret> = (0..planes.planes).map(|j| planes.plane(j)).collect();
    let numbers = bits_to_ring(b, &bits, ring)?;
    let last = planes.planes - 1;
    let weighted = numbers.iter().enumerate().map(|(j, bit)| {
        let weight = power(j as u32);
        bit.scale(&[if signed && j == last { weight.wrapping_neg() } else { weight }])
    });
    weighted.reduce(|a, b| a.sum(&b, false)).ok_or_else(|| wrong("no bits"))
}

/// Bits times elements. Three products.
pub(super) fn inject<B: Components>(b: &mut B, bits: &Secret, a: &Secret) -> Result<Secret> {
    let numbers = bit_to_ring(b, bits, ring_of(a)?)?;
    b.multiply(&numbers, a, [1, ring_of(a)?.bits()])
}

/// For each array of bits the sum of all its bits times elements; without elements, of its bits.
pub(super) fn group_sums<B: Components>(
    b: &mut B,
    groups: &[&Secret],
    a: Option<&Secret>,
    ring: Ring,
) -> Result<Secret> {
    let len = groups.first().map_or(0, |bits| bits.len);
    if len == 0 {
        return Ok(b.public(Kind::Ring(ring), &[0], groups.len()));
    }
    let bits: Vec<Secret> = groups.iter().map(|bits| bits.slice(0..len)).collect();
    let numbers = bits_to_ring(b, &bits, ring)?;
    let mut all = numbers[0].zeros_like(len * groups.len());
    for (i, numbers) in numbers.iter().enumerate() {
        all.copy_in(i * len, numbers);
    }
    match a {
        None => Ok(all.sum_axis(groups.len(), len, 1)),
        Some(a) => {
            let shape = MatrixShape { rows: groups.len(), inner: len, columns: 1 };
            b.matrix_product(shape, &all, a, [1, ring.bits()])
        }
    }
}

/// The operations that [`Backend`] wants of numbers, for a backend with components.
macro_rules! conversions {
    () => {
        fn truncate(&mut self, a: &Secret, by: u32) -> Result<Secret> {
            components::floor_shift(self, a, by)
        }

        fn widen(&mut self, a: &Secret, ring: Ring) -> Result<Secret> {
            components::widen(self, a, ring)
        }

        fn compose(&mut self, planes: &Planes, signed: bool, ring: Ring) -> Result<Secret> {
            components::compose(self, planes, signed, ring)
        }

        fn bit_to_ring(&mut self, bits: &Secret, ring: Ring) -> Result<Secret> {
            components::bit_to_ring(self, bits, ring)
        }

        fn inject(&mut self, bits: &Secret, a: &Secret) -> Result<Secret> {
            components::inject(self, bits, a)
        }

        fn floor_shift(&mut self, a: &Secret, by: u32) -> Result<Secret> {
            components::floor_shift(self, a, by)
        }

        fn group_sums(
            &mut self,
            groups: &[&Secret],
            a: Option<(&Secret, u32)>,
            ring: Ring,
        ) -> Result<Secret> {
            components::group_sums(self, groups, a.map(|(a, _)| a), ring)
        }
    };
}
pub(super) use conversions;
