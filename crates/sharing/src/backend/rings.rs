//! Programs on numbers shared in rings, under every protocol whose shares have masked coordinates.

use super::masked::MaskedBits;
use super::party_bits::{PartyBits, input_words, planes_in};
use super::ring_keys::{Bench, Held, NumberKeys, RingKeys};
use super::secret::{Element, bits_of, packed, typed, unpacked};
use super::{
    Backend, Bits, Circuits, Data, Kind, Name, Planes, Result, Ring, Secret, Term, Values, wrong,
};
use crate::arrays::{self, Cut, MatrixShape, SharedVec};
use crate::convert::{self, BitPlanes, Coordinates, Desk, Layered, Masked, Seat};
use crate::party::{Draws, Party};
use crate::role::RoleId;
use crate::verify::{Journal, Verifier};
use std::sync::Arc;
use tacit_ring::{Buffer, Word, Z2};

/// A party of a protocol in role `P`, with numbers in rings and bits.
pub(super) struct Rings<'m, P> {
    pub(super) bits: PartyBits<'m, P>,
    numbers: NumberKeys,
    sorting: Sorting<'m, P>,
}

/// How rows are sorted by a key, columns in their order.
pub(super) type Sorting<'m, P> = fn(&mut Rings<'m, P>, &Planes, &[&Secret]) -> Result<Vec<Secret>>;

/// Calls a generic method for a ring.
macro_rules! by_ring {
    ($ring:expr, $self:ident . $call:ident ($($arg:expr),*)) => {
        match $ring {
            Ring::W32 => $self.$call::<u32>($($arg),*),
            Ring::W64 => $self.$call::<u64>($($arg),*),
            Ring::W128 => $self.$call::<u128>($($arg),*),
            Ring::Bits(_) => Err(wrong("numbers held as bits")),
        }
    };
}

fn ring_of(secret: &Secret) -> Result<Ring> {
    secret.ring().ok_or_else(|| wrong("bits in place of ring elements"))
}

fn bits_in(secret: &Secret) -> Result<&BitPlanes> {
    match &secret.data {
        Data::Bits(bits) => Ok(bits),
        _ => Err(wrong("ring elements in place of bits")),
    }
}

impl<'m, P: Coordinates> Rings<'m, P> {
    /// A party with fresh keys.
    pub fn new(party: Party<'m>, keys: RingKeys, sorting: Sorting<'m, P>) -> Self {
        let (bits, numbers) = keys.split();
        Rings { bits: PartyBits::new(party, bits), numbers, sorting }
    }

    /// What is needed to compute in ring `W`, in a new step. It will want checks before openings.
    pub(super) fn step<W: Held>(&mut self) -> (&mut Party<'m>, &mut Bench<W>) {
        let (party, bits) = self.bits.step();
        (party, W::bench(bits, &mut self.numbers))
    }

    /// As [`Rings::step`], in the step that has begun.
    pub(super) fn same_step<W: Held>(&mut self) -> (&mut Party<'m>, &mut Bench<W>) {
        let (party, bits) = self.bits.same_step();
        (party, W::bench(bits, &mut self.numbers))
    }

    /// A conversion under the next draws of ring `W`.
    fn convert<W: Held, T>(
        &mut self,
        f: impl FnOnce(&mut Desk<'_, 'm>, &mut Draws<'_>) -> Result<T>,
    ) -> Result<T> {
        let (party, bench) = self.step::<W>();
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

    fn input_ring<W: Held + Element>(
        &mut self,
        owner: RoleId,
        values: Option<&[i128]>,
        len: usize,
    ) -> Result<Secret> {
        let mut words = Buffer::zeros(0);
        if P::ROLE == owner {
            let values = values.ok_or_else(|| wrong("an input without values"))?;
            words = Buffer::zeros(values.len());
            words.iter_mut().zip(values).for_each(|(w, v): (&mut W, _)| {
                *w = W::from_u128(*v as u128);
            });
        }
        let (party, bench) = self.step::<W>();
        Ok(Secret::of(input_words::<P, W>(party, &mut bench.keys, owner, &words, len)?))
    }

    fn public_ring<W: Element>(&self, values: &[i128], len: usize) -> Secret {
        let mut shares = SharedVec::<W>::zeros(len);
        for i in 0..len {
            let value = values[if values.len() == 1 { 0 } else { i }];
            [shares.first[i], shares.second[i]] = P::constant(W::from_u128(value as u128));
        }
        Secret::of(shares)
    }

    fn open_ring<W: Held + Element>(
        &mut self,
        secret: &Secret,
        receivers: &[RoleId],
    ) -> Result<Option<Values>> {
        let opened = self.bits.open_words(typed::<W>(secret), receivers)?;
        let shift = 128 - W::BITS;
        let signed = |w: &W| ((w.to_u128() << shift) as i128) >> shift;
        Ok(receivers.contains(&P::ROLE).then(|| Values::new(opened.iter().map(signed).collect())))
    }

    pub(super) fn multiply_words<W: Held>(
        &mut self,
        a: &SharedVec<W>,
        b: &SharedVec<W>,
    ) -> Result<SharedVec<W>> {
        let mut out = SharedVec::zeros(a.len());
        let (party, Bench { keys, scratch }) = self.step::<W>();
        let mut draws = keys.streams().draws()?;
        arrays::multiply::<P, W>(party, &mut draws, scratch, Cut::default(), [a, b], &mut out)?;
        Ok(out)
    }

    fn multiply_ring<W: Held + Element>(&mut self, a: &Secret, b: &Secret) -> Result<Secret> {
        Ok(Secret::of(self.multiply_words::<W>(typed::<W>(a), typed::<W>(b))?))
    }

    pub(super) fn product_words<W: Held>(
        &mut self,
        shape: MatrixShape,
        a: &SharedVec<W>,
        b: &SharedVec<W>,
    ) -> Result<SharedVec<W>> {
        let mut out = SharedVec::zeros(shape.rows * shape.columns);
        let (party, Bench { keys, scratch }) = self.step::<W>();
        let mut draws = keys.streams().draws()?;
        let cut = Cut::default();
        let factors = [a, b];
        if shape.columns == 1 && shape.rows == 1 {
            arrays::dot::<P, W>(party, &mut draws, scratch, cut, factors, &mut out)?;
        } else {
            let out = &mut out;
            arrays::matrix_product::<P, W>(party, &mut draws, scratch, cut, shape, factors, out)?;
        }
        Ok(out)
    }

    /// Inner products of the rows of two matrices of one shape.
    pub(super) fn row_dots<W: Held>(
        &mut self,
        rows: usize,
        a: &SharedVec<W>,
        b: &SharedVec<W>,
    ) -> Result<SharedVec<W>> {
        let mut out = SharedVec::zeros(rows);
        let (party, Bench { keys, scratch }) = self.step::<W>();
        let mut draws = keys.streams().draws()?;
        arrays::dot::<P, W>(party, &mut draws, scratch, Cut::default(), [a, b], &mut out)?;
        Ok(out)
    }

    fn product_ring<W: Held + Element>(
        &mut self,
        shape: MatrixShape,
        a: &Secret,
        b: &Secret,
    ) -> Result<Secret> {
        Ok(Secret::of(self.product_words::<W>(shape, typed::<W>(a), typed::<W>(b))?))
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
        let low = self.public_ring::<W>(&[-(1 << (planes.planes - 1))], lanes);
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
        let circuit = self.bits.circuits().get(Name::Borrows { low: by, high: W::BITS });
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
            let upper = convert::upper_bits(desk, draws, m, bits)?;
            Ok([upper, convert::lower_bits(desk, draws, &lambda, n, bits)?])
        })?;
        Ok(pair.map(|masked| {
            let shares = convert::from_masked::<P, Z2>(masked);
            Planes::new(BitPlanes { shares, lanes: n }, bits)
        }))
    }
}

impl<P: Coordinates> Bits for Rings<'_, P> {
    fn input_planes(
        &mut self,
        owner: RoleId,
        values: Option<&[Z2]>,
        planes: usize,
        lanes: usize,
    ) -> Result<Planes> {
        self.bits.input_planes(owner, values, planes, lanes)
    }

    fn public_planes(&mut self, values: &[Z2], planes: usize, lanes: usize) -> Planes {
        self.bits.public_planes(values, planes, lanes)
    }

    fn open_planes(&mut self, planes: &Planes, receivers: &[RoleId]) -> Result<Option<Buffer<Z2>>> {
        self.bits.open_planes(planes, receivers)
    }

    fn circuit(&mut self, circuit: &Arc<Layered>, inputs: &[&Planes]) -> Result<Vec<Planes>> {
        self.bits.circuit(circuit, inputs)
    }

    fn circuits(&mut self) -> &mut Circuits {
        self.bits.circuits()
    }

    fn take_journal(&mut self) -> Journal {
        self.bits.take_journal()
    }

    fn end_epoch(&mut self, verifier: Option<&mut Verifier>, journals: Vec<Journal>) -> Result<()> {
        self.bits.end_epoch(verifier, journals)
    }

    fn flush(&mut self) -> Result<()> {
        self.bits.flush()
    }

    fn abort(&mut self, reason: &str) {
        self.bits.abort(reason);
    }
}

impl<P: Coordinates> MaskedBits for Rings<'_, P> {
    fn masked_bits(&mut self, a: &Secret, bits: u32) -> Result<[Planes; 2]> {
        by_ring!(ring_of(a)?, self.masked_bits_ring(a, bits))
    }
}

impl<P: Coordinates> Backend for Rings<'_, P> {
    fn input(
        &mut self,
        kind: Kind,
        owner: RoleId,
        values: Option<&[i128]>,
        len: usize,
    ) -> Result<Secret> {
        let Kind::Ring(ring) = kind else {
            let words = values.filter(|_| P::ROLE == owner).map(|values| packed(values, len));
            return Ok(self.input_planes(owner, words.as_deref(), 1, len)?.plane(0));
        };
        by_ring!(ring, self.input_ring(owner, values, len))
    }

    fn public(&mut self, kind: Kind, values: &[i128], len: usize) -> Secret {
        match kind {
            Kind::Bits => self.public_planes(&packed(values, len), 1, len).plane(0),
            Kind::Ring(Ring::W32) => self.public_ring::<u32>(values, len),
            Kind::Ring(Ring::W64) => self.public_ring::<u64>(values, len),
            Kind::Ring(_) => self.public_ring::<u128>(values, len),
        }
    }

    fn open(&mut self, secret: &Secret, receivers: &[RoleId]) -> Result<Option<Values>> {
        let Kind::Ring(ring) = secret.kind else {
            let opened = self.open_planes(&Planes::of_secret(secret), receivers)?;
            return Ok(opened.map(|words| unpacked(&words, secret.len)));
        };
        by_ring!(ring, self.open_ring(secret, receivers))
    }

    fn multiply(&mut self, a: &Secret, b: &Secret, _bits: [u32; 2]) -> Result<Secret> {
        if a.kind != b.kind || a.len != b.len {
            return Err(wrong("factors of a product"));
        }
        let Kind::Ring(ring) = a.kind else {
            let product = self.multiply_words(&bits_in(a)?.shares, &bits_in(b)?.shares)?;
            return Ok(Secret::bits(BitPlanes { shares: product, lanes: a.len }));
        };
        by_ring!(ring, self.multiply_ring(a, b))
    }

    fn matrix_product(
        &mut self,
        shape: MatrixShape,
        a: &Secret,
        b: &Secret,
        _bits: [u32; 2],
    ) -> Result<Secret> {
        if a.kind != b.kind {
            return Err(wrong("factors of a matrix product"));
        }
        by_ring!(ring_of(a)?, self.product_ring(shape, a, b))
    }

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

    fn less(&mut self, pair: [&Term; 2], bits: u32) -> Result<Secret> {
        self.compare(Name::Sign(bits), pair, bits)
    }

    fn equal(&mut self, pair: [&Term; 2], bits: u32) -> Result<Secret> {
        self.compare(Name::Equal(bits), pair, bits)
    }

    fn low_bits(&mut self, a: &Secret, bits: u32) -> Result<Planes> {
        self.on_masked(Name::Difference(bits), a, bits)
    }

    fn sort(&mut self, planes: &Planes, columns: &[&Secret]) -> Result<Vec<Secret>> {
        (self.sorting)(self, planes, columns)
    }
}
