//! Programs on numbers shared in rings, under every protocol whose shares have masked coordinates.

use super::masked::{self, MaskedBits};
use super::moving::delegate_shuffles;
use super::numbers::{
    Numbers, bits_in, by_ring, delegate_bits, delegate_products, delegate_transfers, ring_of,
};
use super::party_bits::planes_in;
use super::ring_keys::{Held, RingKeys};
use super::secret::{Element, bits_of, typed};
use super::sort::{Column, Shuffles, with_column};
use super::{
    Backend, Bits, Circuits, Kind, Name, Planes, Result, Ring, Secret, Term, Values, wrong,
};
use crate::convert::shuffle::{self, Hop};
use crate::convert::{self, BitPlanes, Coordinates, Layered, Masked, MaskedParty, Seat};
use tacit_sharing::arrays::MatrixShape;
use tacit_sharing::party::{Draws, Party};
use tacit_sharing::role::RoleId;

use std::ops::Range;
use std::sync::Arc;
use tacit_ring::{Buffer, Word, Z2};
use tacit_sharing::verify::{Journal, Verifier};

/// A party of a protocol in role `P`, with numbers in rings and bits.
pub(super) struct Rings<'m, P> {
    pub(super) numbers: Numbers<'m, P>,
}

impl<'m, P: Coordinates> Rings<'m, P> {
    /// A party with fresh keys.
    pub fn new(party: Party<'m>, keys: RingKeys) -> Self {
        Rings { numbers: Numbers::new(party, keys) }
    }

    /// A conversion under the next draws of ring `W`.
    fn convert<W: Held, T>(
        &mut self,
        f: impl FnOnce(&mut MaskedParty<'_, 'm>, &mut Draws<'_>) -> Result<T>,
    ) -> Result<T> {
        let (party, bench) = self.numbers.step::<W>();
        let mut draws = bench.keys.streams().draws()?;
        f(&mut MaskedParty::new::<P>(party), &mut draws)
    }

    fn converted<W: Held + Element>(
        &mut self,
        f: impl FnOnce(&mut MaskedParty<'_, 'm>, &mut Draws<'_>) -> Result<Masked<W>>,
    ) -> Result<Secret> {
        let masked = self.convert::<W, _>(f)?;
        Ok(Secret::of(convert::from_masked::<P, W>(masked)))
    }

    fn truncate_ring<W: Held + Element>(&mut self, a: &Secret, by: u32) -> Result<Secret> {
        let masked = convert::to_masked::<P, W>(typed::<W>(a));
        self.converted::<W>(|masked_party, draws| {
            convert::truncate(masked_party, draws, &masked, by)
        })
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
        self.converted::<W>(|masked_party, draws| convert::widen(masked_party, draws, &masked))
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
        let sum = self.converted::<W>(|masked_party, draws| {
            convert::bits_to_ring(masked_party, draws, &masked, lanes)
        })?;
        if !offset {
            return Ok(sum);
        }
        let low = self.numbers.public_ring::<W>(&[-(1 << (planes.planes - 1))], lanes);
        Ok(sum.sum(&low, false))
    }

    fn bit_to_ring_in<W: Held + Element>(&mut self, bits: &Secret) -> Result<Secret> {
        let masked = convert::to_masked::<P, Z2>(&bits_in(bits)?.shares);
        self.converted::<W>(|masked_party, draws| {
            convert::bit_to_ring(masked_party, draws, &masked, bits.len)
        })
    }

    fn inject_ring<W: Held + Element>(&mut self, bits: &Secret, a: &Secret) -> Result<Secret> {
        let b = convert::to_masked::<P, Z2>(&bits_in(bits)?.shares);
        let a = convert::to_masked::<P, W>(typed::<W>(a));
        self.converted::<W>(|masked_party, draws| convert::inject(masked_party, draws, &b, &a))
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
        self.converted::<W>(|masked_party, draws| {
            convert::floor_shift(masked_party, draws, &masked, by, borrows)
        })
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
        self.converted::<W>(|masked_party, draws| {
            convert::group_sums(masked_party, draws, &masked, lanes, a.as_ref())
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
        let pair = self.convert::<Z2, _>(|masked_party, draws| {
            // What is dealt waits for nothing, not even for what is raised.
            let lower = convert::lower_bits(masked_party, draws, &lambda, n, bits)?;
            Ok([convert::upper_bits(masked_party, draws, m, bits)?, lower])
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

    fn shuffles(&mut self) -> Option<&mut dyn Shuffles> {
        // Places that a shuffle opens decide which masks later products have: no preprocessing for those.
        let separate = P::PROTOCOL.ahead().is_some() && self.numbers.bits.party().is_separate();
        if separate || !shuffle::has_shuffles(P::PROTOCOL) { None } else { Some(self) }
    }
}

impl<P: Coordinates> Shuffles for Rings<'_, P> {
    delegate_shuffles!(numbers);

    fn draw(&mut self, hop: RoleId, n: usize) -> Result<Hop> {
        self.numbers.draw_hop(hop, n)
    }

    fn proves(&mut self) -> bool {
        false
    }

    fn prove(&mut self, _: &[(Hop, Vec<Column>)], _: &[Column]) -> Result<()> {
        Ok(())
    }
}
