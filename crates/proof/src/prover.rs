//! What a party has for proofs: products that are not proven yet, or what products are made from, and keys for both.

use super::channel::ProofChannel;
use super::class::Class;
use super::columns::{Scratch, Triples, Two};
use super::kept::Products;
use super::matrices::{self, KeptMatrix, Matrix, Mix};
use super::method::Method;
use super::moves::{self, Moves};
use super::pending::{Pending, push_run};
use super::redundant::U192;
use super::strength::Proving;
use super::tagged::{self, Factors, Tagging};
use super::triples::{How, Pool};
use super::{beaver, post, wires};
use std::any::Any;
use tacit_net::Phase;
use tacit_protocol::{Protocol, Strength};
use tacit_ring::{Buffer, Word};
use tacit_sharing::SharingError;
use tacit_sharing::arrays::MatrixShape;
use tacit_sharing::party::{Keys, Party, ProductCheck, ProofKeys, no_check};
use tacit_sharing::shares::Runs;
use tacit_sharing::stored;

/// Terms at most of a sum that is made as a whole.
pub(super) const MOST_TERMS: usize = 1 << 20;

/// Triples for another session: secret.
pub struct Stock<W: Word>(Triples<W>);

impl<W: Word> Stock<W> {
    /// Encodes this for storage between two sessions. The bytes are as secret as what they encode.
    ///
    /// # Errors
    /// When it cannot be encoded.
    pub fn into_bytes(self) -> Result<Buffer<u8>, SharingError> {
        stored::encode(&self.0)
    }

    /// Decodes what `into_bytes` gave in another session, and consumes the bytes.
    ///
    /// # Errors
    /// When the bytes are not such an encoding.
    pub fn from_bytes(bytes: Buffer<u8>) -> Result<Self, SharingError> {
        Ok(Stock(stored::decode(&bytes)?))
    }
}

/// A party's products that are not proven yet, or what products are made from; and its keys for both.
pub struct Proofs {
    pub(super) proving: Proving,
    pub(super) keys: Keys,
    /// Products that are not proven, one per class.
    pending: Vec<Box<dyn Pending>>,
    /// Triples, one per ring.
    pools: Vec<Box<dyn Reserve>>,
    tagging: Tagging,
    scratch: Scratch,
    /// Whether rows were moved that are not proven to be the same.
    moved: bool,
}

/// Triples of some ring.
trait Reserve: Send {
    fn as_any_mut(&mut self) -> &mut dyn Any;
    fn bits(&self) -> u32;
    fn is_settled(&self) -> bool;
    fn grow(
        &mut self,
        channel: &mut ProofChannel<'_, '_, '_>,
        scratch: &mut Scratch,
        how: How,
    ) -> Result<(), SharingError>;
    /// Whether all that is expected is there.
    fn is_filled(&self) -> bool;
}

impl<W: Word> Reserve for Pool<W> {
    fn as_any_mut(&mut self) -> &mut dyn Any {
        self
    }

    fn bits(&self) -> u32 {
        W::BITS
    }

    fn is_settled(&self) -> bool {
        Pool::is_settled(self)
    }

    fn grow(
        &mut self,
        channel: &mut ProofChannel<'_, '_, '_>,
        scratch: &mut Scratch,
        how: How,
    ) -> Result<(), SharingError> {
        Pool::grow(self, channel, scratch, how)
    }

    fn is_filled(&self) -> bool {
        self.batches.made >= self.batches.expected
    }
}

impl Proofs {
    /// What a party needs to prove products, from the keys of a worker: `None` where the keys' protocol proves none, or
    /// where they gave what they have for this before.
    pub fn of(keys: &mut Keys) -> Option<Proofs> {
        let ProofKeys { protocol, keys, worker } = keys.proofs()?;
        let known = Method::all().map(|method| method.protocol().descriptor());
        let known: Vec<_> = known.collect();
        let proving = Proving::of(Protocol::named(&protocol, &known).ok()?)?;
        let (pending, pools) = (Vec::new(), Vec::new());
        let (tagging, scratch) = (Tagging::of_worker(worker), Scratch::default());
        Some(Proofs { proving, keys, pending, pools, tagging, scratch, moved: false })
    }

    /// The proofs of a party, which has such and no others.
    pub(super) fn of_check(check: &mut dyn ProductCheck) -> Result<&mut Proofs, SharingError> {
        (check as &mut dyn Any).downcast_mut().ok_or_else(no_check)
    }

    /// Where the triples of a ring are.
    fn pool<W: Word>(&mut self) -> usize {
        let known = self.pools.iter().position(|pool| pool.bits() == W::BITS);
        known.unwrap_or_else(|| {
            self.pools.push(Box::new(Pool::<W>::default()));
            self.pools.len() - 1
        })
    }

    /// Says that so many words of products are coming, more than were said before: triples are then made
    /// in as few batches as can be. Elsewhere without effect.
    pub(crate) fn expect<W: Word>(&mut self, words: usize) {
        if let Method::Brain(..) = self.proving.method {
            let at = self.pool::<W>();
            triples_of::<W>(&mut self.pools[at]).batches.expected += words;
        }
    }

    /// Makes all triples that are expected.
    pub(crate) fn prepare(&mut self, party: &mut Party<'_>) -> Result<(), SharingError> {
        for at in 0..self.pools.len() {
            while !self.pools[at].is_filled() {
                self.grow(party, at)?;
            }
        }
        Ok(())
    }

    /// Hands out all triples of a ring, for another session. Nothing where products are made otherwise.
    pub(crate) fn take_triples<W: Word>(&mut self) -> Stock<W> {
        match self.proving.method {
            Method::Brain(..) => {
                let at = self.pool::<W>();
                Stock(triples_of::<W>(&mut self.pools[at]).take_all())
            }
            _ => Stock(Default::default()),
        }
    }

    /// Takes triples of another session, before any others are made.
    pub(crate) fn hold_triples<W: Word>(&mut self, stock: Stock<W>) -> Result<(), SharingError> {
        match self.proving.method {
            Method::Brain(..) => {
                let at = self.pool::<W>();
                triples_of::<W>(&mut self.pools[at]).hold(stock.0)
            }
            _ => Ok(()),
        }
    }

    fn grow(&mut self, party: &mut Party<'_>, at: usize) -> Result<(), SharingError> {
        let Method::Brain(source, _) = self.proving.method else { return Ok(()) };
        let place = party.mesh().place();
        party.mesh().set_phase(Phase::Offline);
        let draws = self.keys.streams().draws()?;
        let how = How { source, proving: self.proving };
        self.pools[at].grow(&mut ProofChannel::new(party, draws), &mut self.scratch, how)?;
        party.mesh().set_phase(place.phase);
        Ok(())
    }

    /// Begins results, each the sum of the products of `terms` factors.
    pub(crate) fn begin<W: Word>(
        &mut self,
        party: &mut Party<'_>,
        factors: [Two<'_, W>; 2],
        terms: usize,
    ) -> Result<(), SharingError> {
        if !(1..=MOST_TERMS).contains(&terms) {
            return Err(SharingError::Shape(format!(
                "a sum of {terms} products, where one to {MOST_TERMS} are made as a whole"
            )));
        }
        match self.proving.method {
            Method::Lift | Method::Galois(_) | Method::WideLift => {
                Err(SharingError::Shape("products that are proven later".into()))
            }
            Method::Brain(..) => {
                let at = self.pool::<W>();
                let words = factors[0][0].len();
                while !triples_of::<W>(&mut self.pools[at]).has(words) {
                    self.grow(party, at)?;
                }
                beaver::begin(party, triples_of(&mut self.pools[at]), factors)
            }
            Method::Post | Method::Tagged | Method::Integers(_) => {
                let Proofs { keys, pending, proving, .. } = self;
                let (draws, proving) = (keys.streams().draws()?, *proving);
                let to = (pending, proving);
                match W::BITS {
                    1 => checked_later::<W, W>(to).begin(party, draws, factors, terms),
                    _ if matches!(proving.method, Method::Integers(_)) => {
                        on_wires::<W>(to).begin(party, draws, factors, terms)
                    }
                    128 => checked_later::<W, U192>(to).begin(party, draws, factors, terms),
                    _ => checked_later::<W, u128>(to).begin(party, draws, factors, terms),
                }
            }
        }
    }

    /// Finishes the results that began first.
    pub(crate) fn finish<W: Word>(
        &mut self,
        party: &mut Party<'_>,
        factors: [Two<'_, W>; 2],
        terms: usize,
        out: [&mut [W]; 2],
    ) -> Result<(), SharingError> {
        match self.proving.method {
            Method::Lift | Method::Galois(_) | Method::WideLift => {
                Err(SharingError::Shape("products that are proven later".into()))
            }
            Method::Brain(..) => {
                let at = self.pool::<W>();
                beaver::finish(party, triples_of(&mut self.pools[at]), factors, terms, out)
            }
            Method::Post | Method::Tagged | Method::Integers(_) => {
                let proving = self.proving;
                let of = (&mut self.pending, proving);
                match W::BITS {
                    1 => checked_later::<W, W>(of).finish(party, factors, terms, out),
                    _ if matches!(proving.method, Method::Integers(_)) => {
                        on_wires::<W>(of).finish(party, factors, terms, out)
                    }
                    128 => checked_later::<W, U192>(of).finish(party, factors, terms, out),
                    _ => checked_later::<W, u128>(of).finish(party, factors, terms, out),
                }
            }
        }
    }

    /// Keeps results, each the sum of the products of `terms` factors.
    pub(crate) fn keep<W: Word>(
        &mut self,
        [x, y]: [Runs<'_, W>; 2],
        z: Runs<'_, W>,
        terms: usize,
    ) -> Result<(), SharingError> {
        if x[0].len() != z[0].len() * terms || y[0].len() != x[0].len() {
            return Err(SharingError::Shape("a proof of products that do not fit".into()));
        }
        let class = Class::of(self.proving.method, W::BITS, terms);
        let most = class.most_terms(self.proving.method);
        if terms > most {
            return Err(SharingError::Shape(format!(
                "a sum of {terms} products is proven as a whole, and that is more than {most}"
            )));
        }
        if terms == 0 {
            // A sum of no products is one of zeros: its result was sent like any other.
            let zeros = vec![W::ZERO; z[0].len()];
            let zeros: Runs<'_, W> = [&zeros, &zeros, &[]];
            return self.keep([zeros, zeros], z, 1);
        }
        let proving = self.proving;
        let new = || Products::<W>::new(class, proving);
        let products = kept(&mut self.pending, class, new);
        for c in 0..2 {
            products.x[c].extend(x[c]);
            products.y[c].extend(y[c]);
            products.z[c].extend(z[c]);
        }
        push_run(&mut products.runs, z[0].len(), terms);
        Ok(())
    }

    /// Keeps a product of matrices, if proving random sums of its rows and columns takes less than proving every entry; says
    /// whether it has.
    ///
    /// # Errors
    /// When the sizes do not fit; and as a proof has them, since a large one is proven at once.
    pub(crate) fn keep_matrix<W: Word>(
        &mut self,
        party: &mut Party<'_>,
        shape: MatrixShape,
        [x, y]: [Runs<'_, W>; 2],
        z: Runs<'_, W>,
    ) -> Result<bool, SharingError> {
        let MatrixShape { rows, inner, columns } = shape;
        let lengths = [rows * inner, inner * columns, rows * columns];
        if [x, y, z].map(|runs| runs[0].len()) != lengths {
            return Err(SharingError::Shape("a proof of matrices that do not fit".into()));
        }
        let Some(mix) = Mix::of(W::BITS, self.proving.strength, shape) else { return Ok(false) };
        let class = Class::of(self.proving.method, W::BITS, inner);
        if inner > class.most_terms(self.proving.method) {
            return Ok(false);
        }
        let proving = self.proving;
        let products = kept(&mut self.pending, class, || Products::<W>::new(class, proving));
        let [x, y, z] = [x, y, z].map(|runs| [runs[0], runs[1]]);
        let matrix = Matrix { mix, shape, x, y, z };
        if matrices::words(shape) < matrices::MOST_WORDS {
            products.matrices.push(KeptMatrix::new(matrix));
            return Ok(true);
        }
        let place = party.mesh().place();
        party.mesh().set_phase(Phase::Verify);
        let channel = &mut ProofChannel::new(party, self.keys.streams().draws()?);
        products.prove_matrix(channel, &mut self.scratch, matrix)?;
        party.mesh().set_phase(place.phase);
        Ok(true)
    }

    /// Says that rows are moved: nothing opens before [`Proofs::prove_moves`].
    pub fn expect_moves(&mut self) {
        self.moved = true;
    }

    /// Proves that the columns of a shuffle, in all its hops, are what they were: whatever one role sent, before anything that
    /// depends on it opens. All roles must have received all of it, at all workers.
    ///
    /// # Errors
    /// When keys are used up, the network fails, or a peer sends what no honest party does.
    pub fn prove_moves(
        &mut self,
        party: &mut Party<'_>,
        moves: &Moves<'_>,
    ) -> Result<(), SharingError> {
        let place = party.mesh().place();
        party.mesh().set_phase(Phase::Verify);
        let draws = self.keys.streams().draws()?;
        let channel = &mut ProofChannel::new(party, draws);
        moves::prove(channel, &mut self.scratch, self.proving.strength, moves)?;
        party.mesh().set_phase(place.phase);
        self.moved = false;
        Ok(())
    }

    /// The number of the key that tags numbers, where the protocol has one, and what it is good for.
    pub(crate) fn tag_key(&self) -> Option<(u64, Strength)> {
        let Proving { method, strength, .. } = self.proving;
        (method == Method::Tagged).then_some((self.tagging.number, strength))
    }

    /// This role's shares of the present key, for tags of public numbers.
    ///
    /// # Errors
    /// When keys are used up, the network fails, or a peer sends what no honest party does.
    pub fn tag_shares(&mut self, party: &mut Party<'_>) -> Result<[u128; 2], SharingError> {
        if let Some(key) = self.tagging.drawn() {
            return Ok(key);
        }
        let draws = self.keys.streams().draws()?;
        Ok(self.tagging.key(&mut ProofChannel::new(party, draws)))
    }

    /// Tags of redundant words of so many bytes.
    ///
    /// # Errors
    /// When keys are used up, the network fails, or a peer sends what no honest party does.
    pub fn tag(
        &mut self,
        party: &mut Party<'_>,
        each: usize,
        values: Two<'_, u128>,
    ) -> Result<[Buffer<u128>; 2], SharingError> {
        let draws = self.keys.streams().draws()?;
        self.tagging.tag(party, draws, each, values)
    }

    /// Products of redundant words of so many bytes, and their tags: of two factors, and of the same with one
    /// of them tagged.
    ///
    /// # Errors
    /// When keys are used up, the network fails, or a peer sends what no honest party does.
    pub fn tagged_products(
        &mut self,
        party: &mut Party<'_>,
        what: (usize, Factors),
        factors: [[Two<'_, u128>; 2]; 2],
    ) -> Result<[[Buffer<u128>; 2]; 2], SharingError> {
        let draws = self.keys.streams().draws()?;
        self.tagging.results(party, draws, what, factors)
    }
}

impl ProductCheck for Proofs {
    fn is_done(&self) -> bool {
        self.pending.iter().all(|products| products.terms() == 0 && products.is_settled())
            && self.pools.iter().all(|pool| pool.is_settled())
            && self.tagging.pending() == 0
            && !self.moved
    }

    fn is_full(&self) -> bool {
        self.pending.iter().any(|products| products.is_full())
            || self.tagging.pending() >= tagged::limit(self.proving)
    }

    fn prove(&mut self, party: &mut Party<'_>, all: bool) -> Result<(), SharingError> {
        let place = party.mesh().place();
        party.mesh().set_phase(Phase::Verify);
        for products in &mut self.pending {
            while products.is_full() || (all && products.terms() > 0) {
                let draws = self.keys.streams().draws()?;
                products.prove(&mut ProofChannel::new(party, draws), &mut self.scratch)?;
            }
        }
        let tagged = self.tagging.pending();
        if tagged >= tagged::limit(self.proving) || (all && tagged > 0) {
            let draws = self.keys.streams().draws()?;
            self.tagging.check(&mut ProofChannel::new(party, draws))?;
        }
        party.mesh().set_phase(place.phase);
        Ok(())
    }
}

fn triples_of<W: Word>(pool: &mut Box<dyn Reserve>) -> &mut Pool<W> {
    pool.as_any_mut().downcast_mut().expect("of this ring")
}

/// The products of a class that are kept, in a `T`.
fn kept<T: Pending + 'static>(
    pending: &mut Vec<Box<dyn Pending>>,
    class: Class,
    new: impl Fn() -> T,
) -> &mut T {
    let known = pending.iter().position(|products| products.is_of(class));
    let at = known.unwrap_or_else(|| {
        pending.push(Box::new(new()));
        pending.len() - 1
    });
    pending[at].as_any_mut().downcast_mut().expect("of this type")
}

/// Products of words `W` that are checked afterwards, on words `E`.
fn checked_later<W: Word, E: Word>(
    (pending, proving): (&mut Vec<Box<dyn Pending>>, Proving),
) -> &mut post::Products<W, E> {
    let class = Class { bits: W::BITS, sums: false };
    kept(pending, class, || post::Products::new(proving))
}

/// Products of words that are numbers, proven afterwards.
fn on_wires<W: Word>(
    (pending, proving): (&mut Vec<Box<dyn Pending>>, Proving),
) -> &mut wires::Products<W> {
    let class = Class { bits: W::BITS, sums: false };
    kept(pending, class, || wires::Products::new(proving))
}
