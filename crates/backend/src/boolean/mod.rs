//! Numbers held as bits: programs under any protocol that has [`Bits`], by circuits alone.
//!
//! A number of a ring `Z_{2^k}` is `k` planes of bits, in two's complement. Moving, cutting,
//! extending and shifting bits is local; sums, products, comparisons and selections are circuits,
//! evaluated on all lanes at once. The same code over a [`Tally`](super::Tally) counts what it
//! costs.

mod arithmetic;
mod sums;

pub use arithmetic::Arithmetic;

use super::numbers::delegate_bits;
use super::secret::{packed, unpacked};
use super::{
    Backend, Bits, Circuits, Kind, Name, Planes, Result, Ring, Secret, Term, Values, prefix, wrong,
};
use crate::convert::{Layered, to_planes};
use std::sync::Arc;
use tacit_ring::{Buffer, Z2, transpose, word};
use tacit_sharing::arrays::MatrixShape;
use tacit_sharing::role::RoleId;
use tacit_sharing::verify::{Journal, Verifier};
use zeroize::Zeroizing;

/// A backend out of circuits.
pub struct Boolean<B> {
    /// Bits and circuits.
    pub bits: B,
}

/// Planes of an array of a kind.
fn packed_numbers(kind: Kind, values: &[i128], len: usize) -> Buffer<Z2> {
    if kind == Kind::Bits {
        return packed(values, len);
    }
    let number = |i| values[if values.len() == 1 { 0 } else { i }] as u128;
    let numbers: Zeroizing<Vec<u128>> = Zeroizing::new((0..len).map(number).collect());
    to_planes(&numbers, kind.planes())
}

/// Signed numbers out of their planes.
fn unpacked_numbers(kind: Kind, words: &[Z2], len: usize) -> Values {
    if kind == Kind::Bits {
        return unpacked(words, len);
    }
    let mut numbers = Zeroizing::new(vec![0u128; len]);
    if len > 0 {
        transpose::unpack(word::lanes(words), kind.planes(), &mut numbers);
    }
    let shift = 128 - kind.planes();
    let signed = |number: &u128| (number << shift) as i128 >> shift;
    Values::new(numbers.iter().map(signed).collect())
}

fn array_of(planes: Planes, kind: Kind) -> Secret {
    match kind {
        Kind::Bits => planes.plane(0),
        Kind::Ring(ring) => planes.into_number(ring, true),
    }
}

fn ring_of(secret: &Secret) -> Result<Ring> {
    match secret.kind {
        Kind::Ring(ring @ Ring::Bits(_)) => Ok(ring),
        _ => Err(wrong("an array that is no numbers held as bits")),
    }
}

impl<B: Bits> Boolean<B> {
    /// Numbers over bits.
    pub fn new(bits: B) -> Self {
        Boolean { bits }
    }

    /// Evaluates a circuit of arithmetic.
    fn arithmetic(&mut self, circuit: Arithmetic, inputs: &[&Planes]) -> Result<Vec<Planes>> {
        let circuit = self.bits.circuits().get(Name::Arithmetic(circuit));
        self.bits.circuit(&circuit, inputs)
    }

    /// Evaluates a circuit of arithmetic whose only result is one number of a ring per lane.
    fn number(&mut self, circuit: Arithmetic, inputs: &[&Planes], ring: Ring) -> Result<Secret> {
        let result = self.arithmetic(circuit, inputs)?.remove(0);
        Ok(result.into_number(ring, true))
    }

    /// A comparison of the low bits, which is that of the numbers modulo a power of two.
    fn compare(&mut self, pair: [&Term; 2], bits: u32, equal: bool) -> Result<Secret> {
        let mut inputs = Vec::new();
        for term in pair {
            if let Term::Array(array) = term {
                inputs.push(self.low_bits(array, bits)?);
            }
        }
        let constants = pair.map(|term| match term {
            Term::Array(_) => None,
            Term::Constant(number) => Some(*number),
        });
        let circuit = Arithmetic::Compare { bits, constants, equal };
        let inputs: Vec<&Planes> = inputs.iter().collect();
        Ok(self.arithmetic(circuit, &inputs)?.remove(0).plane(0))
    }
}

/// Two arrays that an operation takes element by element.
fn check_pair(a: &Secret, b: &Secret) -> Result<()> {
    if a.kind == b.kind && a.len == b.len {
        return Ok(());
    }
    Err(wrong("operands of different kinds or lengths"))
}

impl<B: Bits> Bits for Boolean<B> {
    delegate_bits!(bits);
}

impl<B: Bits> Backend for Boolean<B> {
    fn input(
        &mut self,
        kind: Kind,
        owner: RoleId,
        values: Option<&[i128]>,
        len: usize,
    ) -> Result<Secret> {
        if values.is_some_and(|values| values.len() != len) {
            return Err(wrong("an input's values"));
        }
        let words = values.map(|values| packed_numbers(kind, values, len));
        let planes = self.bits.input_planes(owner, words.as_deref(), kind.planes(), len)?;
        Ok(array_of(planes, kind))
    }

    fn public(&mut self, kind: Kind, values: &[i128], len: usize) -> Secret {
        let words = packed_numbers(kind, values, len);
        array_of(self.bits.public_planes(&words, kind.planes(), len), kind)
    }

    fn open(&mut self, secret: &Secret, receivers: &[RoleId]) -> Result<Option<Values>> {
        let opened = self.bits.open_planes(&Planes::of_secret(secret), receivers)?;
        Ok(opened.map(|words| unpacked_numbers(secret.kind, &words, secret.len)))
    }

    fn open_all(&mut self, all: &[(&Secret, Vec<RoleId>)]) -> Result<Vec<Option<Values>>> {
        let planes = all.iter().map(|(secret, to)| (Planes::of_secret(secret), &to[..]));
        let opened = self.bits.open_all_planes(&planes.collect::<Vec<_>>())?;
        let values = opened.into_iter().zip(all).map(|(words, (secret, _))| {
            words.map(|words| unpacked_numbers(secret.kind, &words, secret.len))
        });
        Ok(values.collect())
    }

    fn sum(&mut self, a: &Secret, b: &Secret, subtract: bool) -> Result<Secret> {
        check_pair(a, b)?;
        if a.kind == Kind::Bits {
            return Ok(a.xor(b));
        }
        let ring = ring_of(a)?;
        let circuit = Arithmetic::Sum { bits: ring.bits(), subtract };
        self.number(circuit, &[&Planes::of_secret(a), &Planes::of_secret(b)], ring)
    }

    fn plus(&mut self, a: &Secret, number: i128) -> Result<Secret> {
        if a.kind == Kind::Bits {
            let constant = self.public(a.kind, &[number], a.len);
            return Ok(a.xor(&constant));
        }
        let ring = ring_of(a)?;
        let circuit = Arithmetic::Plus { bits: ring.bits(), number };
        self.number(circuit, &[&Planes::of_secret(a)], ring)
    }

    fn times(&mut self, a: &Secret, factor: i128) -> Result<Secret> {
        let ring = ring_of(a)?;
        let circuit = Arithmetic::Times { bits: ring.bits(), factor };
        self.number(circuit, &[&Planes::of_secret(a)], ring)
    }

    fn times_each(&mut self, a: &Secret, factors: &[i128], bits: u32) -> Result<Secret> {
        let factors = self.public(a.kind, factors, a.len);
        self.multiply(a, &factors, [a.kind.planes() as u32, bits])
    }

    fn prefix_sums(&mut self, a: &Secret, shape: [usize; 3], reverse: bool) -> Result<Secret> {
        prefix::sums(self, a, shape, reverse)
    }

    fn sum_axis(&mut self, a: &Secret, shape: [usize; 3], bits: u32) -> Result<Secret> {
        sums::sum_axis(self, a, shape, bits)
    }

    fn multiply(&mut self, a: &Secret, b: &Secret, bits: [u32; 2]) -> Result<Secret> {
        check_pair(a, b)?;
        if a.kind == Kind::Bits {
            let (a, b) = (Planes::of_secret(a), Planes::of_secret(b));
            return Ok(self.arithmetic(Arithmetic::Mask(1), &[&a, &b])?.remove(0).plane(0));
        }
        let ring = ring_of(a)?;
        let factors = bits.map(|bits| bits.min(ring.bits()));
        let (a, b) = (self.low_bits(a, factors[0])?, self.low_bits(b, factors[1])?);
        self.number(Arithmetic::Product { factors, bits: ring.bits() }, &[&a, &b], ring)
    }

    fn matrix_products(
        &mut self,
        of: (usize, MatrixShape),
        a: &Secret,
        b: &Secret,
        bits: [u32; 2],
    ) -> Result<Secret> {
        sums::matrix_products(self, of, [a, b], bits)
    }

    fn truncate(&mut self, a: &Secret, by: u32) -> Result<Secret> {
        self.floor_shift(a, by)
    }

    fn widen(&mut self, a: &Secret, ring: Ring) -> Result<Secret> {
        self.compose(&Planes::of_secret(a), true, ring)
    }

    fn compose(&mut self, planes: &Planes, signed: bool, ring: Ring) -> Result<Secret> {
        Ok(planes.range(0..planes.planes).into_number(ring, signed))
    }

    fn bit_to_ring(&mut self, bits: &Secret, ring: Ring) -> Result<Secret> {
        self.compose(&Planes::of_secret(bits), false, ring)
    }

    fn inject(&mut self, bits: &Secret, a: &Secret) -> Result<Secret> {
        let ring = ring_of(a)?;
        let inputs = [&Planes::of_secret(bits), &Planes::of_secret(a)];
        self.number(Arithmetic::Mask(ring.bits()), &inputs, ring)
    }

    fn select(&mut self, bits: &Secret, a: &Secret, b: &Secret) -> Result<Secret> {
        check_pair(a, b)?;
        let circuit = Arithmetic::Select(a.kind.planes() as u32);
        let inputs = [bits, a, b].map(Planes::of_secret);
        let chosen = self.arithmetic(circuit, &inputs.each_ref())?.remove(0);
        Ok(array_of(chosen, a.kind))
    }

    fn floor_shift(&mut self, a: &Secret, by: u32) -> Result<Secret> {
        let ring = ring_of(a)?;
        // The sign stays.
        let by = by.min(ring.bits() - 1) as usize;
        Ok(Planes::of_secret(a).range(by..a.kind.planes()).into_number(ring, true))
    }

    fn group_sums(
        &mut self,
        groups: &[&Secret],
        a: Option<(&Secret, u32)>,
        ring: Ring,
    ) -> Result<Secret> {
        sums::group_sums(self, groups, a, ring)
    }

    fn less(&mut self, pair: [&Term; 2], bits: u32) -> Result<Secret> {
        self.compare(pair, bits, false)
    }

    fn equal(&mut self, pair: [&Term; 2], bits: u32) -> Result<Secret> {
        self.compare(pair, bits, true)
    }

    fn low_bits(&mut self, a: &Secret, bits: u32) -> Result<Planes> {
        if bits > ring_of(a)?.bits() {
            return Err(wrong("more bits than a number has"));
        }
        Ok(Planes::low_of(a, bits as usize))
    }
}
