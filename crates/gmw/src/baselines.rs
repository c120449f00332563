//! Products on shares: the published ways, by random triples and by random transfers.
//!
//! A value is the sum of all parties' shares and of a public part, zero but for negations and public values;
//! role 0 counts the public part to its share. With a share `x`, `y` of each factor:
//!
//! ```text
//! triples     D = sum x + a,  E = sum y + b                    all parties send their parts: two bits
//!             share of the product: c + D b + E a, and D E at role 0
//! transfers   for every ordered pair (S, R), with R's random choice k and the pads p_0, p_1 of S:
//!             R sends d = y + k;  S sends r + p_d and r + x + p_{1+d}, with a fresh r: three bits
//!             shares of x y: r at S;  at R the one at y, and the pad of k
//! ```
//!
//! Sources: D. Beaver (CRYPTO 1991 and 1995) for both; as compared by A. Ben-Efraim, Y. Lindell, E. Omri
//! (CCS 2016), whose baseline are the transfers.

use super::layers::Block;
use super::party::Gmw;
use super::products::KEPT;
use tacit_circuit::schedule::{Product, Slot};
use tacit_net::Stream;
use tacit_protocol::{Descriptor, Family, Parties, Protocol, Security, Status, Transfers};
use tacit_ring::{Buffer, Word, Z2, word};
use tacit_sharing::SharingError;
use tacit_sharing::planes::BitPlanes;
use tacit_sharing::role::RoleId;

impl Block<'_> {
    /// This party's share of a value; role 0's has the public part.
    fn share(&self, slot: Slot, role: RoleId) -> Buffer<Z2> {
        let [share, public, _] = self.shares.runs(slot);
        let mut sum = Buffer::from_slice(share);
        if role == 0 {
            add(&mut sum, public);
        }
        sum
    }
}

fn add(to: &mut [Z2], from: &[Z2]) {
    to.iter_mut().zip(from).for_each(|(to, from)| *to = to.add(*from));
}

/// The words of gate `gate` in runs of words for each.
fn of(run: &[Z2], gate: usize, words: usize) -> &[Z2] {
    &run[gate * words..(gate + 1) * words]
}

impl Gmw<'_> {
    /// Triples, or transfers, for so many words of products: runs of a tape.
    pub(super) fn baseline_runs(&mut self, words: usize) -> Result<Vec<Buffer<Z2>>, SharingError> {
        if let super::Method::Transfers(_) = self.method {
            return self.transfer_runs(words);
        }
        self.products.start(words, None);
        let mut factors = [Buffer::zeros(words), Buffer::zeros(words)];
        for factor in &mut factors {
            self.fresh(factor)?;
        }
        let [a, b] = factors;
        self.products.push(self.mesh, &a, &b)?;
        let products = self.products.finish(self.mesh)?.products;
        Ok(vec![a, b, products])
    }

    fn transfer_runs(&mut self, words: usize) -> Result<Vec<Buffer<Z2>>, SharingError> {
        let mut runs = Vec::new();
        for _ in 1..self.places.len() {
            let mut all = [(); KEPT].map(|()| Buffer::zeros(words));
            let [choices, _, _, _, fresh] = &mut all;
            self.fresh(choices)?;
            self.fresh(fresh)?;
            runs.extend(all);
        }
        self.products.transfers(self.mesh, &mut runs)?;
        Ok(runs)
    }

    /// Sends what the triples hide of a level's factors.
    pub(super) fn begin_triples(
        &mut self,
        gates: &[Product],
        block: &mut Block<'_>,
    ) -> Result<(), SharingError> {
        let words = block.at.len();
        let mut message = Buffer::zeros(2 * gates.len() * words);
        let (firsts, seconds) = message.split_at_mut(gates.len() * words);
        for (i, gate) in gates.iter().enumerate() {
            let factors = [gate.a, gate.b].map(|slot| block.share(slot, self.role()));
            let hidden = [&mut *firsts, &mut *seconds];
            for ((hidden, mut factor), part) in hidden.into_iter().zip(factors).zip(0..) {
                add(&mut factor, of(block.level[part], i, words));
                hidden[i * words..(i + 1) * words].copy_from_slice(&factor);
            }
            let [first, second, _] = block.shares.runs_mut(gate.dst);
            first.copy_from_slice(of(firsts, i, words));
            second.copy_from_slice(of(seconds, i, words));
        }
        self.send_all(&message)
    }

    /// Opens them, and computes shares of the products.
    pub(super) fn finish_triples(
        &mut self,
        gates: &[Product],
        block: &mut Block<'_>,
    ) -> Result<(), SharingError> {
        let (words, first_role) = (block.at.len(), self.role() == 0);
        let received = self.received.sized(2 * gates.len() * words);
        let me = self.mesh.me();
        for peer in self.places.iter().filter(|peer| **peer != me) {
            self.mesh.recv(*peer, Stream::On, word::bytes_mut(received))?;
            let (firsts, seconds) = received.split_at(gates.len() * words);
            for (i, gate) in gates.iter().enumerate() {
                let [first, second, _] = block.shares.runs_mut(gate.dst);
                add(first, of(firsts, i, words));
                add(second, of(seconds, i, words));
            }
        }
        for (i, gate) in gates.iter().enumerate() {
            let [a, b, c] = [0, 1, 2].map(|part| of(block.level[part], i, words));
            let [first, second, _] = block.shares.runs_mut(gate.dst);
            for j in 0..words {
                let (d, e) = (first[j], second[j]);
                let both = if first_role { d.mul(e) } else { Z2::ZERO };
                first[j] = c[j].add(d.mul(b[j])).add(e.mul(a[j])).add(both);
                second[j] = Z2::ZERO;
            }
        }
        Ok(())
    }

    /// Sends to every peer which pads to exchange.
    pub(super) fn begin_transfers(
        &mut self,
        gates: &[Product],
        block: &mut Block<'_>,
    ) -> Result<(), SharingError> {
        let (words, role) = (block.at.len(), self.role());
        let mut factors = Buffer::zeros(gates.len() * words);
        for (gate, factor) in gates.iter().zip(factors.chunks_exact_mut(words)) {
            let [x, y] = [gate.a, gate.b].map(|slot| block.share(slot, role));
            factor.copy_from_slice(&y);
            let [own, public, _] = block.shares.runs_mut(gate.dst);
            for ((own, x), y) in own.iter_mut().zip(&*x).zip(&*y) {
                *own = x.mul(*y);
            }
            public.fill(Z2::ZERO);
        }
        let me = self.mesh.me();
        let peers = self.places.iter().filter(|peer| **peer != me);
        for (peer, kept) in peers.zip(block.level.chunks_exact(KEPT)) {
            let mut message = factors.clone();
            add(&mut message, kept[0]);
            self.mesh.send(*peer, Stream::On, word::bytes(&message))?;
        }
        Ok(())
    }

    /// Answers every peer, with its pads exchanged.
    pub(super) fn answer_transfers(
        &mut self,
        gates: &[Product],
        block: &mut Block<'_>,
    ) -> Result<(), SharingError> {
        let (words, role) = (block.at.len(), self.role());
        let count = gates.len() * words;
        let mut factors = Buffer::zeros(count);
        for (gate, factor) in gates.iter().zip(factors.chunks_exact_mut(words)) {
            factor.copy_from_slice(&block.share(gate.a, role));
        }
        let (me, mut message) = (self.mesh.me(), Buffer::zeros(2 * count));
        let peers = self.places.iter().filter(|peer| **peer != me);
        for (peer, kept) in peers.zip(block.level.chunks_exact(KEPT)) {
            let [_, _, zeros, ones, fresh] = kept else { continue };
            let exchanged = self.received.sized(count);
            self.mesh.recv(*peer, Stream::On, word::bytes_mut(exchanged))?;
            let (firsts, seconds) = message.split_at_mut(count);
            for i in 0..count {
                let differ = zeros[i].add(ones[i]);
                let first = fresh[i].add(zeros[i]).add(exchanged[i].mul(differ));
                firsts[i] = first;
                seconds[i] = first.add(differ).add(factors[i]);
            }
            self.mesh.send(*peer, Stream::On, word::bytes(&message))?;
            for (gate, fresh) in gates.iter().zip(fresh.chunks_exact(words)) {
                add(block.shares.runs_mut(gate.dst)[0], fresh);
            }
        }
        Ok(())
    }

    /// Takes the peers' answers.
    pub(super) fn finish_transfers(
        &mut self,
        gates: &[Product],
        block: &mut Block<'_>,
    ) -> Result<(), SharingError> {
        let (words, role, me) = (block.at.len(), self.role(), self.mesh.me());
        let count = gates.len() * words;
        let factors: Vec<Buffer<Z2>> = gates.iter().map(|gate| block.share(gate.b, role)).collect();
        let peers = self.places.iter().filter(|peer| **peer != me);
        for (peer, kept) in peers.zip(block.level.chunks_exact(KEPT)) {
            let answer = self.received.sized(2 * count);
            self.mesh.recv(*peer, Stream::On, word::bytes_mut(answer))?;
            let (firsts, seconds) = answer.split_at(count);
            for (i, (gate, factor)) in gates.iter().zip(&factors).enumerate() {
                let [zeros, ones, pads] = [firsts, seconds, kept[1]].map(|run| of(run, i, words));
                let own = &mut block.shares.runs_mut(gate.dst)[0];
                for j in 0..words {
                    let chosen = zeros[j].add(factor[j].mul(zeros[j].add(ones[j])));
                    own[j] = own[j].add(chosen).add(pads[j]);
                }
            }
        }
        Ok(())
    }

    /// Sends to every other party.
    fn send_all(&mut self, message: &[Z2]) -> Result<(), SharingError> {
        let me = self.mesh.me();
        for peer in self.places.iter().filter(|peer| **peer != me) {
            self.mesh.send(*peer, Stream::On, word::bytes(message))?;
        }
        Ok(())
    }

    /// Shares of an input that nobody sends: sums of streams that the owner has with the others each.
    pub(super) fn share_input(
        &mut self,
        owner: RoleId,
        input: &mut BitPlanes,
    ) -> Result<(), SharingError> {
        let me = self.role();
        let keys = self.keys()?;
        let number = keys.zero_ids.step()?.single().number();
        let mut stream = Buffer::zeros(input.shares.len());
        for (peer, prg) in keys.zeros.iter().enumerate() {
            // Peers come in the order of their roles, without this party's own.
            let role = if peer < me { peer } else { peer + 1 };
            if me == owner || role == owner {
                prg.fill(number, 0, word::bytes_mut(&mut stream));
                add(&mut input.shares.first, &stream);
            }
        }
        Ok(())
    }

    /// A fresh share of zero.
    pub(super) fn zero(&mut self, words: usize) -> Result<Buffer<Z2>, SharingError> {
        let keys = self.keys()?;
        let number = keys.zero_ids.step()?.single().number();
        let (mut sum, mut zero) = (Buffer::zeros(words), Buffer::zeros(words));
        for prg in &keys.zeros {
            prg.fill(number, 0, word::bytes_mut(&mut zero));
            add(&mut sum, &zero);
        }
        Ok(sum)
    }

    /// Opens values to those who learn them, under fresh shares of zero: what this party learns.
    pub(super) fn open_all(
        &mut self,
        values: &[BitPlanes],
        zeros: &[Option<Buffer<Z2>>],
        receivers: &[Vec<RoleId>],
    ) -> Result<Vec<Option<Buffer<Z2>>>, SharingError> {
        let mut opened = Vec::with_capacity(values.len());
        for ((values, zero), receivers) in values.iter().zip(zeros).zip(receivers) {
            let zero = zero.as_deref().unwrap_or_default();
            opened.push(self.send_shares(values, zero, receivers)?);
        }
        for sum in opened.iter_mut().flatten() {
            self.take_shares(sum)?;
        }
        Ok(opened)
    }

    /// Sends this party's shares of values, under fresh shares `zero` of zero, to those who learn them.
    fn send_shares(
        &mut self,
        values: &BitPlanes,
        zero: &[Z2],
        receivers: &[RoleId],
    ) -> Result<Option<Buffer<Z2>>, SharingError> {
        let (me, mut shares) = (self.role(), Buffer::from_slice(&values.shares.first));
        if me == 0 {
            add(&mut shares, &values.shares.second);
        }
        add(&mut shares, zero);
        for to in receivers.iter().filter(|to| **to != me) {
            self.mesh.send(self.places[*to], Stream::On, word::bytes(&shares))?;
        }
        Ok(receivers.contains(&me).then_some(shares))
    }

    /// Adds the others' shares.
    fn take_shares(&mut self, sum: &mut [Z2]) -> Result<(), SharingError> {
        let me = self.mesh.me();
        let received = self.received.sized(sum.len());
        for peer in self.places.iter().filter(|peer| **peer != me) {
            self.mesh.recv(*peer, Stream::On, word::bytes_mut(received))?;
            add(sum, received);
        }
        Ok(())
    }
}

/// GMW on products from random oblivious transfers.
pub const GMW_OT: Protocol = Protocol::new(&Descriptor {
    name: "gmw-ot",
    page: "gmw.md#the-published-forms",
    best_for: "to compare: GMW on chosen transfers, as published",
    parties: Parties::AtLeast(2),
    security: Security::DishonestMajority,
    status: Status::Baseline,
    fan_in: 2,
    family: Family::Gmw(Transfers::Ordinary),
});

/// GMW on random triples.
pub const GMW_TRIPLES: Protocol = Protocol::new(&Descriptor {
    name: "gmw-triples",
    page: "gmw.md#the-published-forms",
    best_for: "to compare: GMW on random triples, as published",
    parties: Parties::AtLeast(2),
    security: Security::DishonestMajority,
    status: Status::Baseline,
    fan_in: 2,
    family: Family::Gmw(Transfers::Ordinary),
});
