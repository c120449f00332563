//! What every party with numbers in rings does alike: inputs, products, openings.

use super::party_bits::{PartyBits, input_words};
use super::ring_keys::{Held, NumberKeys, RingContext, RingKeys};
use super::secret::{Element, packed, typed, unpacked};
use super::{Bits, Data, Kind, Planes, Result, Ring, Secret, Values, wrong};
use crate::convert::BitPlanes;
use tacit_ring::Buffer;
use tacit_sharing::arrays::{self, Cut, MatrixShape, SharedVec};
use tacit_sharing::party::Party;
use tacit_sharing::role::{Role, RoleId};

/// A party of a protocol in role `P`, with keys for bits and for all rings.
pub(super) struct Numbers<'m, P> {
    pub(super) bits: PartyBits<'m, P>,
    numbers: NumberKeys,
}

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

pub(super) fn ring_of(secret: &Secret) -> Result<Ring> {
    secret.ring().ok_or_else(|| wrong("bits in place of ring elements"))
}

pub(super) fn bits_in(secret: &Secret) -> Result<&BitPlanes> {
    match &secret.data {
        Data::Bits(bits) => Ok(bits),
        _ => Err(wrong("ring elements in place of bits")),
    }
}

pub(super) use by_ring;

/// The methods of [`Bits`](super::Bits), those of a field.
macro_rules! delegate_bits {
    ($($to:ident).+) => {
        fn input_planes(
            &mut self,
            owner: RoleId,
            values: Option<&[Z2]>,
            planes: usize,
            lanes: usize,
        ) -> Result<Planes> {
            self.$($to).+.input_planes(owner, values, planes, lanes)
        }

        fn public_planes(&mut self, values: &[Z2], planes: usize, lanes: usize) -> Planes {
            self.$($to).+.public_planes(values, planes, lanes)
        }

        fn open_planes(
            &mut self,
            planes: &Planes,
            receivers: &[RoleId],
        ) -> Result<Option<Buffer<Z2>>> {
            self.$($to).+.open_planes(planes, receivers)
        }

        fn circuit(&mut self, circuit: &Arc<Layered>, inputs: &[&Planes]) -> Result<Vec<Planes>> {
            self.$($to).+.circuit(circuit, inputs)
        }

        fn circuits(&mut self) -> &mut Circuits {
            self.$($to).+.circuits()
        }

        fn take_journal(&mut self) -> Result<Journal> {
            self.$($to).+.take_journal()
        }

        fn end_epoch(
            &mut self,
            verifier: Option<&mut Verifier>,
            journals: Vec<Journal>,
        ) -> Result<()> {
            self.$($to).+.end_epoch(verifier, journals)
        }

        fn settle_epoch(
            &mut self,
            verifier: Option<&mut Verifier>,
            journals: Vec<Journal>,
        ) -> Result<()> {
            self.$($to).+.settle_epoch(verifier, journals)
        }

        fn opens_at_once(&self) -> bool {
            self.$($to).+.opens_at_once()
        }

        fn announce(&mut self, needs: &tacit_proof::Needs) {
            self.$($to).+.announce(needs);
        }

        fn make_triples(&mut self) -> Result<()> {
            self.$($to).+.make_triples()
        }

        fn put_off(&mut self) -> Result<$crate::PutOff> {
            self.$($to).+.put_off()
        }

        fn resume(&mut self, put_off: $crate::PutOff) -> Result<()> {
            self.$($to).+.resume(put_off)
        }

        fn check_used_up(&mut self) -> Result<()> {
            self.$($to).+.check_used_up()
        }

        fn at_line(&mut self, line: u32) {
            self.$($to).+.at_line(line);
        }

        fn rounds(&mut self) -> $crate::cost::Rounds {
            self.$($to).+.rounds()
        }

        fn now(&mut self) -> std::time::Duration {
            self.$($to).+.now()
        }

        fn begin_at(&mut self, at: std::time::Duration) {
            self.$($to).+.begin_at(at);
        }

        fn flush(&mut self) -> Result<()> {
            self.$($to).+.flush()
        }

        fn abort(&mut self, kind: tacit_net::AbortKind, reason: &str) {
            self.$($to).+.abort(kind, reason);
        }
    };
}
pub(super) use delegate_bits;

/// What [`Backend`](super::Backend) wants of inputs and openings: those of a [`Numbers`].
macro_rules! delegate_transfers {
    ($to:ident) => {
        fn input(
            &mut self,
            kind: Kind,
            owner: RoleId,
            values: Option<&[i128]>,
            len: usize,
        ) -> Result<Secret> {
            self.$to.input(kind, owner, values, len)
        }

        fn open(&mut self, secret: &Secret, receivers: &[RoleId]) -> Result<Option<Values>> {
            self.$to.open(secret, receivers)
        }
    };
}
pub(super) use delegate_transfers;

/// What it wants of public numbers and products: those of a [`Numbers`].
macro_rules! delegate_products {
    ($to:ident) => {
        fn public(&mut self, kind: Kind, values: &[i128], len: usize) -> Secret {
            self.$to.public(kind, values, len)
        }

        fn multiply(&mut self, a: &Secret, b: &Secret, _bits: [u32; 2]) -> Result<Secret> {
            self.$to.multiply(a, b)
        }

        fn matrix_products(
            &mut self,
            of: (usize, MatrixShape),
            a: &Secret,
            b: &Secret,
            _bits: [u32; 2],
        ) -> Result<Secret> {
            self.$to.matrix_products(of, a, b)
        }
    };
}
pub(super) use delegate_products;

impl<'m, P: Role> Numbers<'m, P> {
    /// A party with fresh keys.
    pub fn new(party: Party<'m>, keys: RingKeys) -> Self {
        let (bits, numbers) = keys.split();
        Numbers { bits: PartyBits::new(party, bits), numbers }
    }

    /// What is needed to compute in ring `W`, in a new step. It will want checks before openings.
    pub(super) fn step<W: Held>(&mut self) -> (&mut Party<'m>, &mut RingContext<W>) {
        let (party, bits) = self.bits.step();
        (party, W::bench(bits, &mut self.numbers))
    }

    /// What is needed to compute in ring `W`, in the step that has begun; [`Numbers::step`] begins a new one.
    pub(super) fn same_step<W: Held>(&mut self) -> (&mut Party<'m>, &mut RingContext<W>) {
        let (party, bits) = self.bits.same_step();
        (party, W::bench(bits, &mut self.numbers))
    }

    fn input_ring<W: Held + Element>(
        &mut self,
        owner: RoleId,
        values: Option<&[i128]>,
        len: usize,
    ) -> Result<Secret> {
        let mut words = Buffer::zeros(0);
        if P::ROLE == owner && self.bits.party().is_only_ahead() {
            words = Buffer::zeros(len);
        } else if P::ROLE == owner {
            let values = values.ok_or_else(|| wrong("an input without values"))?;
            words = Buffer::zeros(values.len());
            words.iter_mut().zip(values).for_each(|(w, v): (&mut W, _)| {
                *w = W::from_u128(*v as u128);
            });
        }
        let (party, bench) = self.step::<W>();
        Ok(Secret::of(input_words::<P, W>(party, &mut bench.keys, owner, &words, len)?))
    }

    pub(super) fn public_ring<W: Element>(&self, values: &[i128], len: usize) -> Secret {
        let mut shares = SharedVec::<W>::zeros_of::<P>(len);
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
        let mut out = SharedVec::zeros_of::<P>(a.len());
        let (party, RingContext { keys, scratch }) = self.step::<W>();
        let mut draws = keys.streams().draws()?;
        arrays::multiply::<P, W>(party, &mut draws, scratch, Cut::default(), [a, b], &mut out)?;
        Ok(out)
    }

    fn multiply_ring<W: Held + Element>(&mut self, a: &Secret, b: &Secret) -> Result<Secret> {
        Ok(Secret::of(self.multiply_words::<W>(typed::<W>(a), typed::<W>(b))?))
    }

    pub(super) fn product_words<W: Held>(
        &mut self,
        (batches, shape): (usize, MatrixShape),
        a: &SharedVec<W>,
        b: &SharedVec<W>,
    ) -> Result<SharedVec<W>> {
        let mut out = SharedVec::zeros_of::<P>(batches * shape.rows * shape.columns);
        let (party, RingContext { keys, scratch }) = self.step::<W>();
        let mut draws = keys.streams().draws()?;
        let cut = Cut::default();
        let factors = [a, b];
        if shape.columns == 1 && shape.rows == 1 {
            arrays::dot::<P, W>(party, &mut draws, scratch, cut, factors, &mut out)?;
        } else {
            let (of, out) = ((batches, shape), &mut out);
            arrays::matrix_products::<P, W>(party, &mut draws, scratch, cut, of, factors, out)?;
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
        let mut out = SharedVec::zeros_of::<P>(rows);
        let (party, RingContext { keys, scratch }) = self.step::<W>();
        let mut draws = keys.streams().draws()?;
        arrays::dot::<P, W>(party, &mut draws, scratch, Cut::default(), [a, b], &mut out)?;
        Ok(out)
    }

    fn product_ring<W: Held + Element>(
        &mut self,
        of: (usize, MatrixShape),
        a: &Secret,
        b: &Secret,
    ) -> Result<Secret> {
        Ok(Secret::of(self.product_words::<W>(of, typed::<W>(a), typed::<W>(b))?))
    }

    /// Shares values of `owner`.
    pub fn input(
        &mut self,
        kind: Kind,
        owner: RoleId,
        values: Option<&[i128]>,
        len: usize,
    ) -> Result<Secret> {
        let Kind::Ring(ring) = kind else {
            let words = values.filter(|_| P::ROLE == owner).map(|values| packed(values, len));
            return Ok(self.bits.input_planes(owner, words.as_deref(), 1, len)?.plane(0));
        };
        by_ring!(ring, self.input_ring(owner, values, len))
    }

    /// Shares of public values.
    pub fn public(&mut self, kind: Kind, values: &[i128], len: usize) -> Secret {
        match kind {
            Kind::Bits => self.bits.public_planes(&packed(values, len), 1, len).plane(0),
            Kind::Ring(Ring::W32) => self.public_ring::<u32>(values, len),
            Kind::Ring(Ring::W64) => self.public_ring::<u64>(values, len),
            Kind::Ring(_) => self.public_ring::<u128>(values, len),
        }
    }

    /// Opens an array.
    pub fn open(&mut self, secret: &Secret, receivers: &[RoleId]) -> Result<Option<Values>> {
        let Kind::Ring(ring) = secret.kind else {
            let opened = self.bits.open_planes(&Planes::of_secret(secret), receivers)?;
            return Ok(opened.map(|words| unpacked(&words, secret.len)));
        };
        by_ring!(ring, self.open_ring(secret, receivers))
    }

    /// Products, element by element.
    pub fn multiply(&mut self, a: &Secret, b: &Secret) -> Result<Secret> {
        if a.kind != b.kind || a.len != b.len {
            return Err(wrong("factors of a product"));
        }
        let Kind::Ring(ring) = a.kind else {
            let product = self.multiply_words(&bits_in(a)?.shares, &bits_in(b)?.shares)?;
            return Ok(Secret::bits(BitPlanes::shared(product, a.len)));
        };
        by_ring!(ring, self.multiply_ring(a, b))
    }

    /// Matrix products.
    pub fn matrix_products(
        &mut self,
        of: (usize, MatrixShape),
        a: &Secret,
        b: &Secret,
    ) -> Result<Secret> {
        if a.kind != b.kind {
            return Err(wrong("factors of a matrix product"));
        }
        by_ring!(ring_of(a)?, self.product_ring(of, a, b))
    }
}
