//! Products over the integers of the values themselves (`docs/spec/malicious-3pc-rings.md` section 8.5): components
//! are read as numbers, and what is sent is a product of those under a wider mask. It is cut to the ring for further
//! use; the whole numbers are kept, and proven like triples over the integers ([`integers`]). Of bits, products are
//! those of replicated sharing, proven in a field: see [`post`](super::post).
//!
//! A sum of products is one number, as wide as the sum of the greatest products: what is sent hides it by the same
//! margin, and an error of it is bounded in the same way, so a sum needs no other argument than a product.

use super::channel::ProofChannel;
use super::integers::{self, Claims, Masked, Width};
use super::method::{Method, OfBaseline, proven};
use super::wide::{self, WORDS, Wide};
use super::{
    Charge, Class, Pending, Proving, Scratch, Strength, Two, first, first_batch, fold, post,
    push_run,
};
use std::any::Any;
use std::collections::VecDeque;
use tacit_net::Stream;
use tacit_protocol::{Protocol, Status};
use tacit_ring::{Buffer, Word};
use tacit_sharing::SharingError;
use tacit_sharing::growing::Growing;
use tacit_sharing::party::{Draws, Party};
use zeroize::Zeroizing;

/// Bytes of a masked sum of so many products.
#[must_use]
pub fn bytes(bits: u32, strength: Strength, terms: usize) -> usize {
    Width::of_products(bits, strength, terms).bytes
}

/// What a proof costs.
pub(super) fn cost(strength: Strength, terms: usize) -> Charge {
    let coin = Charge { bytes: 0, coins: 1, rounds: 1 };
    coin + fold::cost(terms).charge().times(super::proofs(strength))
}

/// Products of words `W`, and the numbers that they are cut from.
pub(super) struct Products<W> {
    proving: Proving,
    x: [Growing<W>; 2],
    y: [Growing<W>; 2],
    /// Numbers, in two's complement.
    z: [Growing<u64>; 2],
    /// Results, and the terms of each.
    runs: Vec<(usize, usize)>,
    /// Results that are under way.
    begun: VecDeque<Masked>,
}

impl<W: Word> Products<W> {
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

    /// Computes and sends results, each the sum of `terms` products.
    pub fn begin(
        &mut self,
        party: &mut Party<'_>,
        draws: Draws<'_>,
        [x, y]: [Two<'_, W>; 2],
        terms: usize,
    ) -> Result<(), SharingError> {
        if [x, y].iter().flatten().any(|run| run.len() != x[0].len() || run.len() % terms != 0) {
            return Err(SharingError::Shape("factors of sums of products".into()));
        }
        let mut summands = Zeroizing::new(vec![wide::ZERO; x[0].len() / terms]);
        for (sum, start) in summands.iter_mut().zip((0..).step_by(terms)) {
            for at in start..start + terms {
                let [x, y] = [x, y].map(|run| [0, 1].map(|c| run[c][at].to_u128()));
                add_summand(sum, W::BITS, x, y);
            }
        }
        let width = Width::of_products(W::BITS, self.proving.strength, terms);
        let (masked, bytes) = Masked::new(&mut ProofChannel::new(party, draws), width, &summands);
        let to = (party.role() + 2) % 3;
        party.send(to, Stream::On, &bytes)?;
        self.begun.push_back(masked);
        Ok(())
    }

    /// Receives the other component of the results that began first, and keeps them to be proven.
    pub fn finish(
        &mut self,
        party: &mut Party<'_>,
        [x, y]: [Two<'_, W>; 2],
        terms: usize,
        out: [&mut [W]; 2],
    ) -> Result<(), SharingError> {
        let missing = || SharingError::Shape("a product is finished that did not begin".into());
        let masked = self.begun.pop_front().ok_or_else(missing)?;
        let from = (party.role() + 1) % 3;
        let mut theirs = Buffer::<u8>::zeros(masked.bytes());
        party.recv(from, Stream::On, &mut theirs)?;
        let Some(z) = masked.finished(&theirs) else {
            return Err(party.fail(format!("role {from} sent a product that is out of range")));
        };
        let sums = out.iter().all(|out| out.len() == z.len());
        if !sums || [x, y].iter().flatten().any(|run| run.len() != z.len() * terms) {
            return Err(SharingError::Shape("factors of sums of products that end".into()));
        }
        for (c, out) in out.into_iter().enumerate() {
            for (out, z) in out.iter_mut().zip(z.iter()) {
                *out = W::from_u128(wide::low(&z[c]));
                self.z[c].extend(&z[c]);
            }
            self.x[c].extend(x[c]);
            self.y[c].extend(y[c]);
        }
        push_run(&mut self.runs, z.len(), terms);
        Ok(())
    }
}

/// Adds a role's summand of the product of two shared numbers of so many bits.
#[inline(always)]
fn add_summand(sum: &mut Wide, bits: u32, x: [u128; 2], y: [u128; 2]) {
    for (x, y) in [(x[0], y[0]), (x[0], y[1]), (x[1], y[0])] {
        match bits {
            128 => wide::add_times(sum, &wide::product(x, y), 1),
            _ => wide::add_small(sum, x * y),
        }
    }
}

impl<W: Word> Pending for Products<W> {
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
        post::limit(self.proving, W::BITS)
    }

    fn is_settled(&self) -> bool {
        self.begun.is_empty()
    }

    fn prove(
        &mut self,
        channel: &mut ProofChannel<'_, '_, '_>,
        scratch: &mut Scratch,
    ) -> Result<(), SharingError> {
        let limit = self.limit();
        let runs = first_batch(&mut self.runs, limit);
        let results: usize = runs.iter().map(|(results, _)| results).sum();
        let terms = runs.iter().map(|(results, terms)| results * terms).sum();
        let (x, y, z) =
            (first(&self.x, terms), first(&self.y, terms), first(&self.z, results * WORDS));
        let mut challenge = channel.coin()?;
        for _ in 0..super::proofs(self.proving.strength) {
            let field = challenge.prime();
            let claims = Claims {
                runs: &runs,
                factors: |c: usize, at: usize| [x, y].map(|run| field.reduce(run[c][at].to_u128())),
                result: |c: usize, at: usize| wide::cut(&z[c][at * WORDS..], 64 * WORDS as u32),
            };
            integers::prove(channel, scratch, (field, &mut challenge), &claims)?;
        }
        for column in self.x.iter_mut().chain(&mut self.y) {
            column.forget(terms);
        }
        self.z.iter_mut().for_each(|column| column.forget(results * WORDS));
        Ok(())
    }
}

/// Integers on wires.
pub const INTEGERS: Protocol = Protocol::new(&proven(
    "integers",
    [
        "brain.md#integers-on-wires-integers",
        "to compare: products of shares over the integers, proven together",
    ],
    &OfBaseline(Method::Integers),
    (Some("integers@64"), [true, false]),
    Status::Baseline,
));
