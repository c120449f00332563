//! Products that are checked afterwards by a sacrifice each (`docs/spec/malicious-3pc-rings.md` sections 6 and 9.2):
//! computed on redundant shares, or on bits. Where products of rings are proven over the integers, those of bits are
//! proven in a field.

use super::channel::ProofChannel;
use super::method::proven;
use super::redundant::{self, Claims};
use super::{
    BIT_WORDS, Charge, Class, Method, Pending, Proving, Scratch, Two, bits, buckets, first,
    first_batch, push_run, wires,
};
use std::any::Any;
use std::collections::VecDeque;
use tacit_net::Stream;
use tacit_protocol::{Protocol, Status};
use tacit_ring::{Buffer, Word, word};
use tacit_sharing::SharingError;
use tacit_sharing::growing::Growing;
use tacit_sharing::party::{Draws, Party};

/// Words of factors that are checked together.
pub(super) fn limit(proving: Proving, bits: u32) -> usize {
    let usual = match (bits, proving.method) {
        (1, Method::Integers(_)) => BIT_WORDS,
        (1, _) => 1 << 14,
        _ => 1 << 16,
    };
    proving.batch_or(bits, usual)
}

/// What a check costs.
pub(super) fn cost(
    Proving { method, strength, .. }: Proving,
    bits: u32,
    results: usize,
    terms: usize,
) -> Charge {
    match (bits, method) {
        (1, Method::Integers(_)) => bits::cost(terms).charge().times(super::proofs(strength)),
        (1, _) => buckets::cost_of_products(1, strength, terms),
        (_, Method::Integers(_)) => wires::cost(strength, terms),
        _ => redundant::cost(bits, strength, results, terms),
    }
}

/// Products of words `W`, computed on words `E`.
pub(super) struct Products<W, E> {
    proving: Proving,
    x: [Growing<W>; 2],
    y: [Growing<W>; 2],
    z: [Growing<E>; 2],
    /// Results, and the terms of each.
    runs: Vec<(usize, usize)>,
    /// This role's components of results that are under way.
    begun: VecDeque<Buffer<E>>,
}

impl<W: Word, E: Word> Products<W, E> {
    pub fn new(proving: Proving) -> Self {
        Products {
            proving,
            x: Default::default(),
            y: Default::default(),
            z: Default::default(),
            runs: Vec::new(),
            begun: VecDeque::new(),
        }
    }

    /// Bytes of a word as it is sent.
    fn bytes(&self) -> usize {
        match W::BITS {
            1 => size_of::<W>(),
            bits => redundant::bytes(bits, self.proving.strength),
        }
    }

    /// Terms of a result that are summed up before they are sent: bits are checked one by one.
    fn summed(terms: usize) -> usize {
        if W::BITS == 1 { 1 } else { terms }
    }

    /// Computes and sends results, each the sum of `terms` products.
    pub fn begin(
        &mut self,
        party: &mut Party<'_>,
        draws: Draws<'_>,
        [x, y]: [Two<'_, W>; 2],
        terms: usize,
    ) -> Result<(), SharingError> {
        let summed = Self::summed(terms);
        let results = x[0].len() / summed;
        let [next, previous] = ProofChannel::new(party, draws).masks::<E>(results);
        let mut own = Buffer::zeros(results);
        for (i, own) in own.iter_mut().enumerate() {
            let mut sum = next[i].sub(previous[i]);
            for at in i * summed..(i + 1) * summed {
                let pair = |run: Two<'_, W>| [0, 1].map(|c| E::from_u128(run[c][at].to_u128()));
                sum = sum.add(redundant::summand(pair(x), pair(y)));
            }
            *own = sum;
        }
        let to = (party.role() + 2) % 3;
        party.send(to, Stream::On, &redundant::narrowed(&own, self.bytes()))?;
        self.begun.push_back(own);
        Ok(())
    }

    /// Receives the other component of the results that began first, and keeps them to be checked.
    pub fn finish(
        &mut self,
        party: &mut Party<'_>,
        [x, y]: [Two<'_, W>; 2],
        terms: usize,
        out: [&mut [W]; 2],
    ) -> Result<(), SharingError> {
        let summed = Self::summed(terms);
        let missing = || SharingError::Shape("a product is finished that did not begin".into());
        let own = self.begun.pop_front().ok_or_else(missing)?;
        let from = (party.role() + 1) % 3;
        let mut theirs = Buffer::<u8>::zeros(own.len() * self.bytes());
        party.recv(from, Stream::On, &mut theirs)?;
        let z = [own, redundant::widened(&theirs, self.bytes())];
        let whole = terms / summed;
        for (out, z) in out.into_iter().zip(&z) {
            for (out, parts) in out.iter_mut().zip(z.chunks_exact(whole)) {
                let reduced = parts.iter().map(|part| W::from_u128(part.to_u128()));
                *out = reduced.fold(W::ZERO, W::add);
            }
        }
        for c in 0..2 {
            self.x[c].extend(x[c]);
            self.y[c].extend(y[c]);
            self.z[c].extend(&z[c]);
        }
        push_run(&mut self.runs, z[0].len(), summed);
        Ok(())
    }
}

impl<W: Word, E: Word> Pending for Products<W, E> {
    fn as_any_mut(&mut self) -> &mut dyn Any {
        self
    }

    fn is_of(&self, class: Class) -> bool {
        W::BITS == class.bits
    }

    fn terms(&self) -> usize {
        self.x[0].len
    }

    fn limit(&self) -> usize {
        limit(self.proving, W::BITS)
    }

    fn is_settled(&self) -> bool {
        self.begun.is_empty()
    }

    fn prove(
        &mut self,
        channel: &mut ProofChannel<'_, '_, '_>,
        scratch: &mut Scratch,
    ) -> Result<(), SharingError> {
        let Proving { method, strength, .. } = self.proving;
        let limit = self.limit();
        let runs = first_batch(&mut self.runs, limit);
        let results = runs.iter().map(|(results, _)| results).sum();
        let terms = runs.iter().map(|(results, terms)| results * terms).sum();
        let (x, y, z) = (first(&self.x, terms), first(&self.y, terms), first(&self.z, results));
        if W::BITS == 1 && matches!(method, Method::Integers(_)) {
            let (factors, z) = ([x, y].map(|xs| xs.map(word::as_u64)), z.map(word::as_u64));
            for _ in 0..super::proofs(strength) {
                bits::prove(channel, scratch, factors, z)?;
            }
        } else if W::BITS == 1 {
            let z = z.map(bytemuck::cast_slice::<E, W>);
            buckets::products(channel, strength, [x, y, z])?;
        } else {
            let [x, y] = [x, y].map(|pair| pair.map(redundant::extended::<W, E>));
            let runs = &runs[..];
            let [x, y] = [&x, &y].map(|pair| pair.each_ref().map(|run| &run[..]));
            let claims = Claims { each: self.bytes(), x, y, z, runs };
            redundant::sacrifice(channel, strength, &claims)?;
        }
        for column in self.x.iter_mut().chain(&mut self.y) {
            column.forget(terms);
        }
        self.z.iter_mut().for_each(|column| column.forget(results));
        Ok(())
    }
}

/// Post-processing: products are checked later, by a sacrifice each.
pub const POST: Protocol = Protocol::new(&proven(
    "post",
    ["brain.md", "results that must be right, with few rounds for each check"],
    &Method::Post,
    (Some("post@64"), [true, false]),
    Status::Product,
));
