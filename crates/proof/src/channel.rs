//! What parties say to each other in a proof. All of it is masked by fresh draws, or public.

use super::Two;
use super::field::Algebra;
use super::fold::Column;
use super::redundant::narrowed;
use std::ops::Deref;
use tacit_net::Stream;
use tacit_ring::prime::Prime;
use tacit_ring::{Buffer, Prg, Seed, Word, hash};
use tacit_sharing::SharingError;
use tacit_sharing::party::{Draws, PRIVATE, Party};
use tacit_sharing::verify::{Item, Kind};

/// A replicated sharing of an element: the party's own component, and the next role's.
pub(super) type Pair<E = u64> = [E; 2];

/// What all parties must agree on, and what must be zero.
pub(super) const PROOF: Item = Item::new(Kind::Proof, &[0, 1, 2]);

/// Words of one of the two halves of a coin that a role knows beforehand.
const HALF: usize = 4;

/// What a role says when it has everything that it was owed.
const ARRIVED: u8 = 1;

/// One proof, as a role takes part in it.
pub(super) struct ProofChannel<'t, 'm, 'k> {
    party: &'t mut Party<'m>,
    draws: Draws<'k>,
    coins: u64,
}

impl<'t, 'm, 'k> ProofChannel<'t, 'm, 'k> {
    pub fn new(party: &'t mut Party<'m>, draws: Draws<'k>) -> Self {
        ProofChannel { party, draws, coins: 0 }
    }

    /// The role that this is.
    pub fn role(&self) -> usize {
        self.party.role()
    }

    fn next(&self) -> usize {
        (self.party.role() + 1) % 3
    }

    fn previous(&self) -> usize {
        (self.party.role() + 2) % 3
    }

    /// Sends words to the previous role, and receives as many from the next one: the way of all
    /// messages that a proof covers.
    pub fn pass<W: Word>(&mut self, words: &[W]) -> Result<Buffer<W>, SharingError> {
        let (next, previous) = (self.next(), self.previous());
        self.party.send(previous, Stream::Def, words)?;
        let mut theirs = Buffer::zeros(words.len());
        self.party.recv(next, Stream::Def, &mut theirs)?;
        Ok(theirs)
    }

    /// `n` words known to this role and the next one, and as many known to the previous role and
    /// this one.
    pub fn masks<W: Word>(&mut self, n: usize) -> [Buffer<W>; 2] {
        let mut masks = [Buffer::zeros(n), Buffer::zeros(n)];
        for (slot, masks) in masks.iter_mut().enumerate() {
            self.draws.fill(slot, masks);
        }
        masks
    }

    /// `n` shared words that nobody knows: this role's components, its own and the next role's.
    pub fn shared<W: Word>(&mut self, n: usize) -> [Buffer<W>; 2] {
        // Component i is known to role i and the one before it.
        let [next, previous] = self.masks(n);
        [previous, next]
    }

    /// `n` words that only this role knows.
    pub fn private<W: Word>(&mut self, n: usize) -> Buffer<W> {
        let mut words = Buffer::zeros(n);
        self.draws.fill(PRIVATE, &mut words);
        words
    }

    /// Sharings of values of which each role has a summand.
    pub fn share<A: Algebra>(
        &mut self,
        algebra: A,
        summands: &[A::Element],
    ) -> Result<Column<A::Element>, SharingError> {
        let [previous, next] = self.random(algebra, summands.len());
        let mut own = Buffer::from_slice(summands);
        for (sum, (next, previous)) in own.iter_mut().zip(next.iter().zip(previous.iter())) {
            *sum = algebra.difference(algebra.sum(*sum, *next), *previous);
        }
        let theirs = self.elements(algebra, &own)?;
        Ok([own, theirs])
    }

    /// Sharings of `n` elements that nobody knows.
    pub fn random<A: Algebra>(&mut self, algebra: A, n: usize) -> Column<A::Element> {
        self.shared::<A::Drawn>(n * A::DRAWS).map(|bits| {
            let mut elements = Buffer::zeros(n);
            for (to, bits) in elements.iter_mut().zip(bits.chunks_exact(A::DRAWS)) {
                let drawn = bits.iter().map(|bits| algebra.drawn(*bits));
                *to = drawn.fold(*to, |sum, one| algebra.sum(sum, one));
            }
            elements
        })
    }

    /// Shared values, to all. That all have the same is compared later.
    pub fn open<A: Algebra>(
        &mut self,
        algebra: A,
        [own, next]: &Column<A::Element>,
    ) -> Result<Buffer<A::Element>, SharingError> {
        let mut values = self.elements(algebra, next)?;
        for (value, (own, next)) in values.iter_mut().zip(own.iter().zip(next.iter())) {
            *value = algebra.sum(algebra.sum(*own, *next), *value);
        }
        self.party.log(PROOF, &values);
        Ok(values)
    }

    fn elements<A: Algebra>(
        &mut self,
        algebra: A,
        mine: &[A::Element],
    ) -> Result<Buffer<A::Element>, SharingError> {
        let theirs = self.pass(&algebra.packed(mine))?;
        algebra.unpacked(&theirs).ok_or_else(|| self.out_of_range())
    }

    /// Ends the session because of a message that no honest party sends.
    pub fn out_of_range(&mut self) -> SharingError {
        let next = self.next();
        self.party.fail(format!("role {next} sent a number in a proof that is out of range"))
    }

    /// Claims that shared values of a ring are zero; `minus` gives additive inverses. Compared
    /// later: two honest roles have one component each and derive the other's, so they have the
    /// same three where the sum is zero, and only there.
    pub fn claim_zero<W: Word>(&mut self, values: &[[W; 2]], minus: impl Fn(W, W) -> W) {
        let role = self.party.role();
        let mut words = Vec::with_capacity(3 * values.len());
        for [own, next] in values {
            let mut all = [W::ZERO; 3];
            all[role] = *own;
            all[(role + 1) % 3] = *next;
            all[(role + 2) % 3] = minus(minus(W::ZERO, *own), *next);
            words.extend(all);
        }
        self.party.log(PROOF, &words);
    }

    /// Claims that shared words of a ring are zero, of which the low `each` bytes count: see
    /// [`ProofChannel::claim_zero`].
    pub fn claim_zeros<W: Word>(&mut self, each: usize, [own, next]: Two<'_, W>) {
        let mut derived = Buffer::zeros(own.len());
        for ((derived, own), next) in derived.iter_mut().zip(own).zip(next) {
            *derived = own.add(*next).neg();
        }
        self.claim_all_zero([own, next, &derived].map(|run| narrowed(run, each)));
    }

    /// Claims that shared values are zero, given their encoded components: this role's own, the next role's, and the
    /// derived ones.
    pub fn claim_all_zero<B: Deref<Target = [u8]>>(&mut self, components: [B; 3]) {
        let role = self.party.role();
        for component in 0..3 {
            self.party.log(PROOF, &components[(component + 3 - role) % 3]);
        }
    }

    /// What all roles must have the same of. Compared later.
    pub fn agree(&mut self, bytes: &[u8]) {
        self.party.log(PROOF, bytes);
    }

    /// Ends the session because opened products are not those of their factors.
    pub fn wrong_products(&mut self) -> SharingError {
        self.party.fail("triples that were opened are not products".into())
    }

    /// Tells the others that this role has everything that they owed it, and waits for the same from both: where messages that
    /// a proof covers went to the next role, too, this comes before its first coin. Whoever sends one of them late, fitted to
    /// the coin, waits for its receiver, which says nothing before it came.
    pub fn arrived(&mut self) -> Result<(), SharingError> {
        let (next, previous) = (self.next(), self.previous());
        for peer in [next, previous] {
            self.party.send(peer, Stream::Def, &[ARRIVED])?;
        }
        for peer in [next, previous] {
            let mut said = [0];
            self.party.recv(peer, Stream::Def, &mut said)?;
            if said != [ARRIVED] {
                return Err(self
                    .party
                    .fail(format!("role {peer} does not say that all has arrived")));
            }
        }
        Ok(())
    }

    /// Random bits that nobody knew before all messages passed so far had arrived. That holds because all
    /// of them, inputs and products too, go to the previous role (a test sees to it): who tosses with a
    /// role has received everything from it.
    ///
    /// Each role shows the half that it has with the previous role to the next one, which lacks it,
    /// and which it has received everything from; and a hash of the other half to the previous role.
    /// So whoever waits for a half is committed, and sees that two roles tell the same.
    pub fn coin(&mut self) -> Result<Challenge, SharingError> {
        self.coins += 1;
        let (role, number) = (self.party.role(), self.coins.to_le_bytes());
        let [with_next, with_previous] = self.masks::<u64>(HALF);
        let digest = |half: &[u64]| {
            let words: Vec<u8> = half.iter().flat_map(|word| word.to_le_bytes()).collect();
            hash::derive_key("tacit 2026 half of a coin", &[&number, &words])
        };
        let (next, previous) = (self.next(), self.previous());
        self.party.send(next, Stream::Def, &with_previous)?;
        self.party.send(previous, Stream::Def, &digest(&with_next))?;
        let (mut missing, mut other) = ([0u64; HALF], [0u8; 32]);
        self.party.recv(previous, Stream::Def, &mut missing)?;
        self.party.recv(next, Stream::Def, &mut other)?;
        if !hash::equal(&digest(&missing), &other) {
            return Err(self.party.fail("the other parties do not toss the same coin".into()));
        }
        let mut halves: [&[u64]; 3] = [&missing; 3];
        halves[role] = &with_next;
        halves[previous] = &with_previous;
        let words: Vec<u8> = halves.concat().iter().flat_map(|word| word.to_le_bytes()).collect();
        Ok(Challenge::new(&hash::derive_key("tacit 2026 coin", &[&number, &words])))
    }
}

/// Public random bits.
pub(super) struct Challenge {
    prg: Prg,
    streams: u64,
}

impl Challenge {
    fn new(seed: &[u8; 32]) -> Self {
        let seed = Seed::from_bytes(*seed);
        Challenge { prg: Prg::new(&seed.derive_key("tacit 2026 challenge", &[])), streams: 0 }
    }

    #[cfg(test)]
    pub fn of_test(seed: u64) -> Self {
        Challenge::new(&std::array::from_fn(|i| seed.to_le_bytes()[i % 8]))
    }

    /// `n` fresh words.
    pub fn words<W: Word>(&mut self, n: usize) -> Vec<W> {
        let mut words = vec![W::ZERO; n];
        self.prg.fill(self.streams, 0, tacit_ring::word::bytes_mut(&mut words));
        self.streams += 1;
        words
    }

    /// The field of a prime of one word.
    pub fn prime(&mut self) -> Prime {
        let mut candidates: Vec<u64> = Vec::new();
        Prime::random(|| {
            if candidates.is_empty() {
                candidates = self.words(256);
            }
            candidates.pop().unwrap_or_default()
        })
    }

    /// `n` elements whose differences have inverses.
    pub fn elements<A: Algebra>(&mut self, algebra: A, n: usize) -> Vec<A::Element> {
        self.words::<u128>(n).into_iter().map(|bits| algebra.challenge(bits)).collect()
    }
}
