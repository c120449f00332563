//! Programs on numbers shared in rings, under every protocol whose shares have masked coordinates.

use super::masked::{self, MaskedBits};
use super::numbers::{
    Numbers, bits_in, by_ring, delegate_bits, delegate_products, delegate_transfers, ring_of,
};
use super::party_bits::planes_in;
use super::ring_keys::{Held, RingKeys};
use super::secret::{Element, bits_of, typed};
use super::{
    Backend, Bits, Circuits, Kind, Name, Planes, Result, Ring, Secret, Term, Values, wrong,
};
use crate::arrays::MatrixShape;
use crate::convert::{self, BitPlanes, Coordinates, Desk, Layered, Masked, Seat};
use crate::party::{Draws, Party};
use crate::role::RoleId;
use crate::verify::{Journal, Verifier};
use std::sync::Arc;
use tacit_ring::{Buffer, Word, Z2};

/// A party of a protocol in role `P`, with numbers in rings and bits.
pub(super) struct Rings<'m, P> {
    pub(super) numbers: Numbers<'m, P>,
    sorting: Sorting<'m, P>,
}

/// How rows are sorted by a key, columns in their order.
pub(super) type Sorting<'m, P> = fn(&mut Rings<'m, P>, &Planes, &[&Secret]) -> Result<Vec<Secret>>;

impl<'m, P: Coordinates> Rings<'m, P> {
    /// A party with fresh keys.
    pub fn new(party: Party<'m>, keys: RingKeys, sorting: Sorting<'m, P>) -> Self {
        Rings { numbers: Numbers::new(party, keys), sorting }
    }

    /// A conversion under the next draws of ring `W`.
    fn convert<W: Held, T>(
        &mut self,
        f: impl FnOnce(&mut Desk<'_, 'm>, &mut Draws<'_>) -> Result<T>,
    ) -> Result<T> {
        let (party, bench) = self.numbers.step::<W>();
        let mut draws = bench.keys.streams().draws()?;
        f(&mut Desk::new::<P>(party), &mut draws)
    }

    fn converted<W: Held + Element>(
        &mut self,
        f: impl FnOnce(&mut Desk<'_, 'm>, &mut Draws<'_>) -> Result<Masked<W>>,
    ) -> Result<Secret> {
        let masked = self.convert::<W, _>(f)?;
        Ok(Secret::of(convert::from_masked::<P, W>(masked)))
    }

    fn truncate_ring<W: Held + Element>(&mut self, a: &Secret, by: u32) -> Result<Secret> {
        let masked = convert::to_masked::<P, W>(typed::<W>(a));
        self.converted::<W>(|desk, draws| convert::truncate(desk, draws, &masked, by))
    }

    fn widen_ring<W: Held + Element>(&mut self, a: &Secret) -> Result<Secret> {
        match ring_of(a)? {
            Ring::W32 => self.widen_from::<u32, W>(a),
            Ring::W64 => self.widen_from::<u64, W>(a),
            _ => Err(wrong("widening from the widest ring")),
        }
    }

    fn widen_from<N: Element, W: Held + Element>(&mut self, a: &Secret) -> Result<Secret> {
        if N::BITS >= W::BITS {
            return Err(wrong("widening to a ring that is not wider"));
        }
        let masked = convert::to_masked::<P, N>(typed::<N>(a));
        self.converted::<W>(|desk, draws| convert::widen(desk, draws, &masked))
    }

    fn compose_ring<W: Held + Element>(&mut self, planes: &Planes, signed: bool) -> Result<Secret> {
        let mut bits = planes_in(planes)?.shares.map(Buffer::clone);
        let offset = signed && planes.planes > 0;
        if offset {
            // A signed number is that with the top bit inverted, minus 2^(bits - 1).
            let one = P::constant(Z2::ONE);
            let words = planes.lanes.div_ceil(64);
            let top = (planes.planes - 1) * words..planes.planes * words;
            bits.first[top.clone()].iter_mut().for_each(|w| *w = w.add(one[0]));
            bits.second[top].iter_mut().for_each(|w| *w = w.add(one[1]));
        }
        let masked = convert::to_masked::<P, Z2>(&bits);
        let lanes = planes.lanes;
        let sum =
            self.converted::<W>(|desk, draws| convert::bits_to_ring(desk, draws, &masked, lanes))?;
        if !offset {
            return Ok(sum);
        }
        let low = self.numbers.public_ring::<W>(&[-(1 << (planes.planes - 1))], lanes);
        Ok(sum.sum(&low, false))
    }

    fn bit_to_ring_in<W: Held + Element>(&mut self, bits: &Secret) -> Result<Secret> {
        let masked = convert::to_masked::<P, Z2>(&bits_in(bits)?.shares);
        self.converted::<W>(|desk, draws| convert::bit_to_ring(desk, draws, &masked, bits.len))
    }

    fn inject_ring<W: Held + Element>(&mut self, bits: &Secret, a: &Secret) -> Result<Secret> {
        let b = convert::to_masked::<P, Z2>(&bits_in(bits)?.shares);
        let a = convert::to_masked::<P, W>(typed::<W>(a));
        self.converted::<W>(|desk, draws| convert::inject(desk, draws, &b, &a))
    }

    fn floor_shift_ring<W: Held + Element>(&mut self, a: &Secret, by: u32) -> Result<Secret> {
        let masked = convert::to_masked::<P, W>(typed::<W>(a));
        // m + 2^(BITS-1) in place of m: all values become unsigned.
        let mut unsigned = convert::to_masked::<P, W>(typed::<W>(a));
        if Seat::of::<P>().is_pair() {
            let offset = W::from_u128(1 << (W::BITS - 1));
            unsigned.first.iter_mut().for_each(|m| *m = m.add(offset));
        }
        let pair = self.bits_of_masked(&unsigned, W::BITS)?;
        let circuit = self.circuits().get(Name::Borrows { low: by, high: W::BITS });
        let borrows = self.circuit(&circuit, &[&pair[0], &pair[1]])?.remove(0);
        let bits = |j| convert::to_masked::<P, Z2>(&bits_of(&borrows.plane(j)).shares);
        let (low, high) = (bits(0), bits(1));
        let borrows = [&low, &high];
        self.converted::<W>(|desk, draws| convert::floor_shift(desk, draws, &masked, by, borrows))
    }

    fn group_sums_ring<W: Held + Element>(
        &mut self,
        groups: &[&Secret],
        a: Option<&Secret>,
    ) -> Result<Secret> {
        let masked = |bits: &&Secret| Ok(convert::to_masked::<P, Z2>(&bits_in(bits)?.shares));
        let masked = groups.iter().map(masked).collect::<Result<Vec<_>>>()?;
        let lanes = groups.first().map_or(0, |bits| bits.len);
        let a = a.map(|a| convert::to_masked::<P, W>(typed::<W>(a)));
        self.converted::<W>(|desk, draws| {
            convert::group_sums(desk, draws, &masked, lanes, a.as_ref())
        })
    }

    fn masked_bits_ring<W: Held + Element>(
        &mut self,
        a: &Secret,
        bits: u32,
    ) -> Result<[Planes; 2]> {
        self.bits_of_masked(&convert::to_masked::<P, W>(typed::<W>(a)), bits)
    }

    fn bits_of_masked<W: Word>(&mut self, masked: &Masked<W>, bits: u32) -> Result<[Planes; 2]> {
        let (bits, n) = (bits as usize, masked.first.len());
        let (m, lambda) = (&masked.first, masked.lambda(Seat::of::<P>()));
        let pair = self.convert::<Z2, _>(|desk, draws| {
            // What is dealt waits for nothing, not even for what is raised.
            let lower = convert::lower_bits(desk, draws, &lambda, n, bits)?;
            Ok([convert::upper_bits(desk, draws, m, bits)?, lower])
        })?;
        Ok(pair.map(|masked| {
            let shares = convert::from_masked::<P, Z2>(masked);
            Planes::new(BitPlanes::shared(shares, n), bits)
        }))
    }
}

impl<P: Coordinates> Bits for Rings<'_, P> {
    delegate_bits!(numbers.bits);
}

impl<P: Coordinates> MaskedBits for Rings<'_, P> {
    fn masked_bits(&mut self, a: &Secret, bits: u32) -> Result<[Planes; 2]> {
        by_ring!(ring_of(a)?, self.masked_bits_ring(a, bits))
    }
}

impl<P: Coordinates> Backend for Rings<'_, P> {
    delegate_transfers!(numbers);
    delegate_products!(numbers);

    fn truncate(&mut self, a: &Secret, by: u32) -> Result<Secret> {
        by_ring!(ring_of(a)?, self.truncate_ring(a, by))
    }

    fn widen(&mut self, a: &Secret, ring: Ring) -> Result<Secret> {
        by_ring!(ring, self.widen_ring(a))
    }

    fn compose(&mut self, planes: &Planes, signed: bool, ring: Ring) -> Result<Secret> {
        by_ring!(ring, self.compose_ring(planes, signed))
    }

    fn bit_to_ring(&mut self, bits: &Secret, ring: Ring) -> Result<Secret> {
        by_ring!(ring, self.bit_to_ring_in(bits))
    }

    fn inject(&mut self, bits: &Secret, a: &Secret) -> Result<Secret> {
        by_ring!(ring_of(a)?, self.inject_ring(bits, a))
    }

    fn floor_shift(&mut self, a: &Secret, by: u32) -> Result<Secret> {
        by_ring!(ring_of(a)?, self.floor_shift_ring(a, by))
    }

    fn group_sums(
        &mut self,
        groups: &[&Secret],
        a: Option<(&Secret, u32)>,
        ring: Ring,
    ) -> Result<Secret> {
        by_ring!(ring, self.group_sums_ring(groups, a.map(|(a, _)| a)))
    }

    masked::comparisons!();

    fn sort(&mut self, planes: &Planes, columns: &[&Secret]) -> Result<Vec<Secret>> {
        (self.sorting)(self, planes, columns)
    }
}
