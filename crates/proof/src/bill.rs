//! What proofs of products cost, or triples.

use super::batch::{Size, terms_of};
use super::matrices::{self, Mix};
use super::triples::{Batches, How};
use super::{Charge, Class, Method, Proving, Strength, first_batch, moves, post, push_run, tagged};
use std::collections::BTreeMap;
use tacit_sharing::Protocol;
use tacit_sharing::arrays::MatrixShape;

/// What proofs, or triples, cost one role, for products added in order. All roles pay the same.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bill {
    proving: Option<Proving>,
    /// Products that are not proven yet.
    pending: BTreeMap<Class, Kept>,
    /// Triples by ring, and how many were used.
    triples: BTreeMap<u32, (Batches, usize)>,
    /// What a batch cost last, by its size: batches that are alike cost alike, and there may be very many.
    last: BTreeMap<Class, (Size, Charge)>,
    /// Tags that are not checked, and keys that were opened.
    tags: (usize, u64),
    /// Integers that each role sent under a mask, and that masks hide up to a small chance each.
    masked: u64,
    /// Bytes from each role to the previous one.
    pub backward: u64,
    /// Bytes from each role to the next one.
    pub forward: u64,
    /// Rounds.
    pub rounds: u64,
}

/// Products that are not proven yet: results, and the terms of each.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Kept {
    runs: Vec<(usize, usize)>,
    /// The terms of these.
    terms: usize,
    /// Sums that prove matrices.
    sums: Vec<(usize, usize)>,
    /// Words of the matrices.
    words: usize,
}

impl Kept {
    fn is_full(&self, limit: usize) -> bool {
        self.terms + terms_of(&self.sums) >= limit || self.words >= matrices::MOST_WORDS
    }

    /// Puts the sums that prove matrices before the products; gives what their coin costs.
    fn sum_up(&mut self) -> Charge {
        self.words = 0;
        if self.sums.is_empty() {
            return Charge::default();
        }
        self.terms += terms_of(&self.sums);
        let behind = std::mem::replace(&mut self.runs, std::mem::take(&mut self.sums));
        for (results, terms) in behind {
            push_run(&mut self.runs, results, terms);
        }
        Charge { bytes: 0, coins: 1, rounds: 1 }
    }

    /// Takes the first batch, and those that follow and are like it: results and terms of one, and how many they are.
    fn first_batches(&mut self, limit: usize) -> (Size, u64) {
        if let [(results, terms)] = &mut self.runs[..]
            && *terms > 0
        {
            let each = limit.div_ceil(*terms);
            let batches = *results / each;
            if batches > 0 {
                *results %= each;
                let size = Size::of(&[(each, *terms)]);
                self.terms -= batches * size.terms;
                self.runs.retain(|(results, _)| *results > 0);
                return (size, batches as u64);
            }
        }
        let size = Size::of(&first_batch(&mut self.runs, limit));
        self.terms -= size.terms;
        (size, 1)
    }
}

/// Words of products by the bits of a word.
pub type Needs = BTreeMap<u32, usize>;

impl Bill {
    /// An empty count for a protocol. It stays empty where products are neither proven nor checked.
    #[must_use]
    pub fn of(protocol: Protocol) -> Self {
        Bill { proving: crate::Proving::of(protocol), ..Bill::of_nothing() }
    }

    /// A count that stays empty whatever the protocol.
    #[must_use]
    pub fn of_nothing() -> Self {
        let (pending, triples, last) = (BTreeMap::new(), BTreeMap::new(), BTreeMap::new());
        let (proving, tags) = (None, (0, 0));
        let (masked, backward, forward, rounds) = (0, 0, 0, 0);
        Bill { proving, pending, triples, last, tags, masked, backward, forward, rounds }
    }

    /// Whether there is anything to count.
    #[must_use]
    pub fn counts(&self) -> bool {
        self.proving.is_some()
    }

    /// Counts for a given worker, which tags under keys of its own.
    #[must_use]
    pub fn of_worker(self, worker: usize) -> Self {
        Bill { tags: (0, tagged::first_key(worker)), ..self }
    }

    /// The products that were made from triples so far.
    #[must_use]
    pub fn needs(&self) -> Needs {
        self.triples.iter().map(|(bits, (_, used))| (*bits, *used)).collect()
    }

    /// Integers that each role sent under a mask so far: [`Proving::MOST_MASKED`] at most.
    #[must_use]
    pub fn masked(&self) -> u64 {
        self.masked
    }

    /// Says that so many words of products are coming.
    pub fn announce(&mut self, bits: u32, words: usize) {
        self.triples.entry(bits).or_default().0.expected += words;
    }

    /// Adds results over words of `bits` bits, each a sum of so many products, in words.
    pub fn add(&mut self, bits: u32, results: usize, terms: usize) {
        match self.method() {
            None => {}
            // Sums of nothing are known, but are sent like any other where they are proven.
            Some(method) if method.proves_later() => self.keep(bits, results, terms.max(1)),
            Some(_) if terms == 0 => {}
            Some(Method::Brain(..)) => {
                self.triples.entry(bits).or_default().1 += results * terms;
            }
            // Of bits, every product is kept on its own.
            Some(Method::Post | Method::Tagged | Method::Integers(_)) if bits == 1 => {
                self.keep(bits, results * terms, 1);
            }
            Some(_) => self.keep(bits, results, terms),
        }
    }

    /// Adds sums of products of bits: on `words` words of lanes as often as `runs` says, each with its number of terms, one kind behind
    /// the other.
    pub fn add_runs(&mut self, runs: &[(usize, usize)], words: usize) {
        let Some(proving) = self.proving.filter(|it| it.method == Method::WideLift) else {
            return runs.iter().for_each(|(alike, terms)| self.add(1, alike * words, *terms));
        };
        // All are of one class, and there may be very many.
        let class = Class::of(proving.method, 1, 1);
        let limit = class.limit(proving);
        let mut kept = std::mem::take(self.pending.entry(class).or_default());
        for (alike, terms) in runs {
            let (results, terms) = (alike * words, (*terms).max(1));
            push_run(&mut kept.runs, results, terms);
            kept.terms += results * terms;
            if kept.is_full(limit) {
                self.prove_full(proving, class, limit, kept);
                kept = std::mem::take(self.pending.entry(class).or_default());
            }
        }
        self.pending.insert(class, kept);
    }

    /// The number of the key that tags numbers, where the protocol has one, and what it is good for.
    #[must_use]
    pub fn tag_key(&self) -> Option<(u64, Strength)> {
        let Proving { method, strength, .. } = self.proving?;
        (method == Method::Tagged).then_some((self.tags.1, strength))
    }

    /// Adds tags, and those of products.
    pub fn tag(&mut self, n: usize) {
        self.tags.0 += n;
    }

    /// Checks tags, if there are so many.
    fn check_tags(&mut self, least: usize) {
        if self.tags.0 >= least {
            self.tags = (0, self.tags.1 + 1);
            self.pay(tagged::CHECK);
        }
    }

    /// Checks tags, if there are many.
    pub fn check_many_tags(&mut self) {
        if let Some(proving) = self.proving {
            self.check_tags(tagged::limit(proving));
        }
    }

    fn keep(&mut self, bits: u32, results: usize, terms: usize) {
        let Some(proving) = self.proving else { return };
        let (class, limit) = match proving.method.proves_later() {
            true => {
                let class = Class::of(proving.method, bits, terms);
                (class, class.limit(proving))
            }
            false => (Class { bits, sums: false }, post::limit(proving, bits)),
        };
        let kept = self.pending.entry(class).or_default();
        push_run(&mut kept.runs, results, terms);
        kept.terms += results * terms;
        if kept.is_full(limit) {
            let kept = std::mem::take(kept);
            self.prove_full(proving, class, limit, kept);
        }
    }

    /// Adds a product of matrices over words of `bits` bits.
    pub fn add_matrix(&mut self, bits: u32, shape: MatrixShape) {
        let proving = self.proving.filter(|proving| proving.method.proves_later());
        let mix =
            proving.and_then(|proving| Some((proving, Mix::of(bits, proving.strength, shape)?)));
        let class = |proving: Proving| Class::of(proving.method, bits, shape.inner);
        let fits = |proving: Proving| shape.inner <= class(proving).most_terms(proving.method);
        let Some((proving, mix)) = mix.filter(|(proving, _)| fits(*proving)) else {
            return self.add(bits, shape.rows * shape.columns, shape.inner);
        };
        let class = class(proving);
        let mut kept = self.pending.remove(&class).unwrap_or_default();
        push_run(&mut kept.sums, mix.results(shape), shape.inner);
        kept.words += matrices::words(shape);
        self.prove_full(proving, class, class.limit(proving), kept);
    }

    /// Proves whole batches of what is kept.
    fn prove_full(&mut self, proving: Proving, class: Class, limit: usize, mut kept: Kept) {
        while kept.is_full(limit) {
            self.sum_up(proving, &mut kept);
            let (size, batches) = kept.first_batches(limit);
            let charge = match self.last.get(&class) {
                Some((before, charge)) if *before == size => *charge,
                _ => charge(proving, class, size),
            };
            self.last.insert(class, (size, charge));
            self.prove(proving, class, size.results, charge, batches);
        }
        self.pending.insert(class, kept);
    }

    fn method(&self) -> Option<Method> {
        self.proving.map(|proving| proving.method)
    }

    /// Proves so many batches that are alike.
    fn prove(
        &mut self,
        proving: Proving,
        class: Class,
        results: usize,
        charge: Charge,
        batches: u64,
    ) {
        self.masked += batches * proving.masked(class.bits, results);
        self.wait_for_all(proving, batches);
        self.pay(charge.times(batches));
    }

    /// Tosses the coin of sums that prove matrices, if there are any.
    fn sum_up(&mut self, proving: Proving, kept: &mut Kept) {
        let coin = kept.sum_up();
        self.wait_for_all(proving, coin.coins);
        self.pay(coin);
    }

    /// A word from everybody to everybody before a coin, so many times, where messages go both ways.
    fn wait_for_all(&mut self, proving: Proving, times: u64) {
        if proving.method.sends_both_ways() {
            self.arrived(times);
        }
    }

    /// Everybody tells everybody, so many times, that everything has arrived.
    fn arrived(&mut self, times: u64) {
        self.forward += times;
        self.backward += times;
        self.rounds += times;
    }

    fn pay(&mut self, charge: Charge) {
        let Charge { bytes, coins, rounds } = charge;
        self.backward += bytes + 32 * coins;
        self.forward += 32 * coins;
        self.rounds += rounds;
    }

    /// Proves a shuffle of `rows` rows: for words of so many bits, how many columns were moved in all hops together. Words of
    /// bits count as one bit.
    pub fn add_moves(&mut self, columns: &BTreeMap<u32, usize>, rows: usize) {
        let Some(proving) = self.proving else { return };
        self.arrived(1);
        for (bits, columns) in columns {
            self.masked += moves::masked(proving, *bits, [*columns, rows]);
            self.pay(moves::cost(proving, *bits, [*columns, rows]));
        }
    }

    /// Proves what is left, and makes the triples that were used.
    pub fn finish(&mut self) {
        for (class, mut kept) in std::mem::take(&mut self.pending) {
            let Some(proving) = self.proving else { continue };
            self.sum_up(proving, &mut kept);
            let size = Size::of(&kept.runs);
            if size.terms > 0 {
                self.prove(proving, class, size.results, charge(proving, class, size), 1);
            }
        }
        self.check_tags(1);
        if let Some(proving @ Proving { method: Method::Brain(source, _), .. }) = self.proving {
            let how = How { source, proving };
            let mut charge = Charge::default();
            for (bits, (batches, used)) in &mut self.triples {
                let before = batches.made;
                charge += batches.pay(how, *bits, *used);
                self.masked += proving.masked(*bits, batches.made - before);
            }
            self.pay(charge);
        }
    }

    /// Forgets what was paid, but not what is left over.
    pub fn settle(&mut self) {
        (self.backward, self.forward, self.rounds) = (0, 0, 0);
    }
}

/// What it costs to prove a batch.
fn charge(proving: Proving, class: Class, size: Size) -> Charge {
    match proving.method.proves_later() {
        true => class.cost(proving, size),
        false => post::cost(proving, class.bits, size.results, size.terms),
    }
}
