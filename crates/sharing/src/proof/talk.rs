//! What parties say to each other in a proof. All of it is masked by fresh draws, or public.

use super::field::Field;
use crate::party::{Draws, Party, SharingError};
use crate::verify::{Item, Kind};
use tacit_net::Stream;
use tacit_ring::{Buffer, Prg, Seed, Word, hash};

/// A replicated sharing of a word: the party's own component, and the next role's.
pub(super) type Pair = [u64; 2];

/// What all parties must agree on, and what must be zero.
const PROOF: Item = Item::new(Kind::Proof, &[0, 1, 2]);

/// Words of one of the two halves of a coin that a role knows beforehand.
const HALF: usize = 4;

/// One proof, as a role takes part in it.
pub(super) struct Talk<'t, 'm, 'k> {
    party: &'t mut Party<'m>,
    draws: Draws<'k>,
    coins: u64,
}

impl<'t, 'm, 'k> Talk<'t, 'm, 'k> {
    pub fn new(party: &'t mut Party<'m>, draws: Draws<'k>) -> Self {
        Talk { party, draws, coins: 0 }
    }

    fn next(&self) -> usize {
        (self.party.role() + 1) % 3
    }

    fn previous(&self) -> usize {
        (self.party.role() + 2) % 3
    }

    /// Sends words to the previous role, and receives as many from the next one: the way of all
    /// messages that a proof covers.
    pub fn pass<W: Word>(&mut self, words: &[W]) -> Result<Vec<W>, SharingError> {
        let (next, previous) = (self.next(), self.previous());
        self.party.send(previous, Stream::Def, words)?;
        let mut theirs = vec![W::ZERO; words.len()];
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

    /// Sharings of values of which each role has a summand.
    pub fn share<F: Field>(
        &mut self,
        field: F,
        summands: &[u64],
    ) -> Result<Vec<Pair>, SharingError> {
        let [next, previous] = self.masks::<u128>(summands.len());
        let masks = next.iter().zip(previous.iter());
        let masked = |(summand, (next, previous)): (&u64, (&u128, &u128))| {
            let sum = field.add(*summand, field.random(*next));
            field.sub(sum, field.random(*previous))
        };
        let mine: Vec<u64> = summands.iter().zip(masks).map(masked).collect();
        let theirs = self.elements(field, &mine)?;
        Ok(mine.into_iter().zip(theirs).map(|(own, next)| [own, next]).collect())
    }

    /// A sharing of an element that nobody knows.
    pub fn random<F: Field>(&mut self, field: F) -> Pair {
        // Component i is known to role i and the one before it.
        let [next, previous] = self.masks::<u128>(1);
        [previous[0], next[0]].map(|bits| field.random(bits))
    }

    /// A shared value, to all. That all have the same is compared later.
    pub fn open<F: Field>(&mut self, field: F, [own, next]: Pair) -> Result<u64, SharingError> {
        let missing = self.elements(field, &[next])?[0];
        let value = field.add(field.add(own, next), missing);
        self.party.log(PROOF, &[value]);
        Ok(value)
    }

    fn elements<F: Field>(&mut self, field: F, mine: &[u64]) -> Result<Vec<u64>, SharingError> {
        let theirs = self.pass(mine)?;
        match theirs.iter().all(|word| field.has(*word)) {
            true => Ok(theirs),
            false => Err(self.out_of_range()),
        }
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

    /// Random bits that nobody knew before all messages passed so far had arrived.
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

    /// `n` fresh words.
    pub fn words<W: Word>(&mut self, n: usize) -> Vec<W> {
        let mut words = vec![W::ZERO; n];
        self.prg.fill(self.streams, 0, tacit_ring::word::bytes_mut(&mut words));
        self.streams += 1;
        words
    }

    /// `n` elements.
    pub fn elements<F: Field>(&mut self, field: F, n: usize) -> Vec<u64> {
        self.words::<u128>(n).into_iter().map(|bits| field.random(bits)).collect()
    }
}
