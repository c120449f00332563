//! One worker of one party, as the protocols see it: roles instead of parties, ring words instead
//! of bytes, keys with each neighbour.

use crate::SharingError;
use crate::proof::{Growing, Proofs, Proving, Stock, Strength};
use crate::role::{Role, RoleId, SLOTS, TAIL, Timing};
use crate::shares::Runs;
use crate::stored;
use crate::verify::{Item, Journal, Kind};
use tacit_net::{Mesh, PartyId, Stream};
use tacit_ring::{Buffer, Prg, PrgStream, StreamIds, StreamsExhausted, Word, word};

/// The generators of a role, one under each key that it holds, and with them the only source of
/// their stream numbers. With three parties the first key is that with role `ROLE + 1`, the second
/// that with `ROLE + 2` (modulo 3); with four they are those of the other three roles but one, in
/// the order of the role that lacks them. Not `Clone`: whoever holds it is alone in drawing under these keys, and
/// no stream is drawn twice however often [`Keys::streams`] is called. Two sources at a time do not
/// compile:
///
/// ```compile_fail,E0499
/// # use tacit_sharing::party::Keys;
/// fn twice(keys: &mut Keys) {
///     let (mut one, mut other) = (keys.streams(), keys.streams());
///     let _ = (one.draws(), other.draws());
/// }
/// ```
pub struct Keys {
    generators: Vec<Generator>,
    /// The first key gives a second stream per step.
    tail: bool,
    /// Keys for proofs, where the protocol has any, until a party takes them; and whose, by worker.
    proofs: Option<(Proving, Box<Keys>, usize)>,
}

struct Generator {
    prg: Prg,
    ids: StreamIds,
}

impl Keys {
    /// Keys must be fresh: [`Secrets`](crate::setup::Secrets) gives each out once.
    pub(crate) fn new(generators: impl IntoIterator<Item = Prg>, tail: bool) -> Self {
        let generator = |prg| Generator { prg, ids: StreamIds::new() };
        Keys { generators: generators.into_iter().map(generator).collect(), tail, proofs: None }
    }

    /// With keys for the proofs of one worker of a party.
    pub(crate) fn with_proofs(self, proofs: Option<(Proving, Keys)>, worker: usize) -> Self {
        Keys { proofs: proofs.map(|(how, keys)| (how, Box::new(keys), worker)), ..self }
    }

    /// What a party needs to prove products, under protocols that do. These keys give it once.
    pub fn proofs(&mut self) -> Option<Proofs> {
        self.proofs.take().map(|(how, keys, worker)| Proofs::new(how, *keys, worker))
    }

    /// Generators that give these bytes, in the order of the keys, for tests of what a party sees:
    /// **not random**. None gives a second stream.
    #[cfg(feature = "testing")]
    #[must_use]
    pub fn insecure_scripted(scripts: impl IntoIterator<Item = Vec<u8>>) -> Self {
        Keys::new(scripts.into_iter().map(Prg::insecure_scripted), false)
    }

    /// By key, how many streams are left: the same at all holders of a key, at all times.
    #[cfg(feature = "testing")]
    #[must_use]
    pub fn streams_left(&self) -> Vec<u64> {
        self.generators.iter().map(|generator| generator.ids.remaining()).collect()
    }

    /// The streams that are not used yet.
    pub fn streams(&mut self) -> Streams<'_> {
        let generators = self.generators.iter_mut().map(Generator::streams).collect();
        Streams { generators, tail: self.tail }
    }
}

impl Generator {
    fn streams(&mut self) -> GeneratorStreams<'_> {
        GeneratorStreams { prg: &self.prg, ids: &mut self.ids }
    }
}

/// The unused streams under [`Keys`]. All holders of a key take the same steps in the same order.
pub struct Streams<'k> {
    generators: Vec<GeneratorStreams<'k>>,
    tail: bool,
}

struct GeneratorStreams<'k> {
    prg: &'k Prg,
    ids: &'k mut StreamIds,
}

impl<'k> Streams<'k> {
    /// The next step: the draws of lane blocks `0..n`, in order.
    ///
    /// # Errors
    /// When a key's streams are used up, or a step has not that many blocks.
    pub fn step(&mut self, n: u32) -> Result<Vec<Draws<'k>>, StreamsExhausted> {
        let mut blocks: Vec<Draws<'k>> = (0..n).map(|_| Draws::default()).collect();
        for (slot, generator) in self.generators.iter_mut().enumerate() {
            let slots = [slot, TAIL];
            for slot in &slots[..1 + usize::from(slot == 0 && self.tail)] {
                for (block, stream) in blocks.iter_mut().zip(generator.step(n)?) {
                    block.streams[*slot] = Some(stream);
                }
            }
        }
        Ok(blocks)
    }

    /// The next step, of one lane block.
    ///
    /// # Errors
    /// When a key's streams are used up.
    pub fn draws(&mut self) -> Result<Draws<'k>, StreamsExhausted> {
        let mut draws = Draws::default();
        for (slot, generator) in self.generators.iter_mut().enumerate() {
            draws.streams[slot] = Some(generator.single()?);
            if slot == 0 && self.tail {
                draws.streams[TAIL] = Some(generator.single()?);
            }
        }
        Ok(draws)
    }
}

impl<'k> GeneratorStreams<'k> {
    fn step(
        &mut self,
        n: u32,
    ) -> Result<impl Iterator<Item = PrgStream<'k>> + use<'k>, StreamsExhausted> {
        let prg = self.prg;
        Ok(self.ids.step()?.blocks(n)?.map(|id| prg.stream(id)))
    }

    fn single(&mut self) -> Result<PrgStream<'k>, StreamsExhausted> {
        Ok(self.prg.stream(self.ids.step()?.single()))
    }
}

/// The draws of one lane block: a cursor in each slot that only moves forward.
#[derive(Default)]
pub struct Draws<'k> {
    streams: [Option<PrgStream<'k>>; SLOTS],
    /// There is a pass ahead with the same randomness, or this is it.
    shared: bool,
}

impl<'k> Draws<'k> {
    /// The draws from here on, for the pass of a role that works ahead ([`Role::Ahead`]); `None` for
    /// roles of one pass. It is the same randomness, used for the same step once: what the role
    /// itself then computes from it is what one pass would have computed.
    ///
    /// # Panics
    /// When there was such a pass before: a third use of the same randomness.
    #[must_use]
    pub fn ahead<P: Role>(&mut self) -> Option<Draws<'k>> {
        if !P::TWO_PASSES {
            return None;
        }
        assert!(!self.shared, "randomness for two passes is wanted for a third one");
        self.shared = true;
        let again = |stream: &Option<PrgStream<'k>>| Some(stream.as_ref()?.for_second_pass());
        Some(Draws { streams: self.streams.each_ref().map(again), shared: true })
    }

    /// The cursor of a slot.
    ///
    /// # Panics
    /// When the role holds no such key: roles draw under their own keys only.
    #[must_use]
    pub fn slot(&mut self, slot: usize) -> &mut PrgStream<'k> {
        self.streams[slot].as_mut().expect("a role draws under the keys that it holds")
    }

    /// The cursor under the key that this role has in common with role `ROLE + 1`, among three parties.
    #[must_use]
    pub fn with_next(&mut self) -> &mut PrgStream<'k> {
        self.slot(0)
    }

    /// The cursor under the key that this role has in common with role `ROLE + 2`, among three parties.
    #[must_use]
    pub fn with_prev(&mut self) -> &mut PrgStream<'k> {
        self.slot(1)
    }

    /// Fills `out` with the next words of a slot.
    pub(crate) fn fill<W: Word>(&mut self, slot: usize, out: &mut [W]) {
        self.slot(slot).fill(out);
    }
}

/// The slot of the key that no other role has, in keys for proofs.
pub(crate) const PRIVATE: usize = 2;

/// Preprocessing messages that came ahead of the online phase.
#[derive(Default)]
struct Stored {
    bytes: Buffer<u8>,
    used: usize,
}

/// Preprocessing messages of every role that sends any, for another session.
#[derive(Default)]
pub struct Fetched(Vec<Option<Buffer<u8>>>);

impl Fetched {
    /// Encodes these for storage between two sessions. The bytes are as secret as what they encode.
    ///
    /// # Errors
    /// When they cannot be encoded.
    pub fn into_bytes(self) -> Result<Buffer<u8>, SharingError> {
        stored::encode(&self.0)
    }

    /// Decodes what `into_bytes` gave in another session, and consumes the bytes.
    ///
    /// # Errors
    /// When the bytes are not such an encoding.
    pub fn from_bytes(bytes: Buffer<u8>) -> Result<Self, SharingError> {
        Ok(Fetched(stored::decode(&bytes)?))
    }
}

/// One worker's channels in terms of roles.
pub struct Party<'m> {
    mesh: &'m mut Mesh,
    role: RoleId,
    places: Vec<PartyId>,
    stored: Vec<Option<Stored>>,
    /// What goes ahead was sent in another session.
    sent_ahead: bool,
    /// Nothing but what goes ahead is exchanged: by role, what came of it so far.
    only_ahead: Option<Vec<Growing<u8>>>,
    step: u32,
    journal: Journal,
    proofs: Option<Proofs>,
}

impl<'m> Party<'m> {
    /// `places[r]` is the party that plays role `r`; one of them is this mesh's party.
    ///
    /// # Errors
    /// When this mesh's party plays no role.
    pub fn new(mesh: &'m mut Mesh, places: &[PartyId]) -> Result<Self, SharingError> {
        let role = role_in(places, mesh.me())?;
        let stored = places.iter().map(|_| None).collect();
        Ok(Party {
            mesh,
            role,
            places: places.to_vec(),
            stored,
            sent_ahead: false,
            only_ahead: None,
            step: 0,
            journal: Journal::new(places),
            proofs: None,
        })
    }

    /// Takes preprocessing that was exchanged in another session, by a party with the same keys: what
    /// [`Party::put_off`] gave there. What this party would send ahead is sent, until
    /// [`Party::preprocessed`].
    pub fn resume(&mut self, fetched: Fetched) {
        let stored = |bytes: Option<Buffer<u8>>| bytes.map(|bytes| Stored { bytes, used: 0 });
        self.stored = fetched.0.into_iter().map(stored).collect();
        self.stored.resize_with(self.places.len(), || None);
        self.sent_ahead = true;
    }

    /// Ends preprocessing: all messages that do not depend on inputs have been sent.
    pub fn preprocessed(&mut self) {
        self.sent_ahead = false;
    }

    /// Turns this party into one that runs preprocessing alone. Of a whole computation it sends, receives and keeps
    /// (for [`Party::put_off`]) only what does not depend on inputs. It sends no other messages, and reads zeros in
    /// place of those it would receive; preprocessing depends on neither.
    #[must_use]
    pub fn only_ahead(mut self) -> Self {
        self.only_ahead = Some(self.places.iter().map(|_| Growing::default()).collect());
        self
    }

    /// Whether this is preprocessing alone: there are no inputs.
    #[must_use]
    pub fn is_only_ahead(&self) -> bool {
        self.only_ahead.is_some()
    }

    /// Whether all preprocessing comes before inputs are known.
    pub(crate) fn is_separate(&self) -> bool {
        self.sent_ahead || self.only_ahead.is_some()
    }

    /// When inputs are known.
    pub(crate) fn timing(&self) -> Timing {
        if self.is_separate() { Timing::Late } else { Timing::Early }
    }

    /// Ends preprocessing. A party of another session does all of it again from the same keys and this,
    /// and what its transcripts say is compared then.
    #[must_use]
    pub fn put_off(&mut self) -> Fetched {
        drop(self.journal.take());
        if let Some(came) = self.only_ahead.take() {
            let bytes = |bytes: Growing<u8>| (bytes.len > 0).then(|| bytes.into_buffer());
            return Fetched(came.into_iter().map(bytes).collect());
        }
        let bytes = |stored: Option<Stored>| stored.map(|stored| stored.bytes);
        Fetched(std::mem::take(&mut self.stored).into_iter().map(bytes).collect())
    }

    /// Gives this party what it needs to prove products: what [`Keys::proofs`] returns.
    #[must_use]
    pub fn proving(mut self, proofs: Option<Proofs>) -> Self {
        self.proofs = proofs;
        self
    }

    /// Hands out what it was given for proofs, for another party of this worker to go on with.
    pub fn take_proofs(&mut self) -> Option<Proofs> {
        self.proofs.take_if(|proofs| proofs.is_done())
    }

    /// The role this party plays.
    #[must_use]
    pub fn role(&self) -> RoleId {
        self.role
    }

    /// Begins the next step of a program: what is waited for online until the next one is one
    /// round.
    pub fn next_step(&mut self) {
        self.step += 1;
        self.mesh.set_step(self.step);
    }

    /// The underlying channels.
    pub fn mesh(&mut self) -> &mut Mesh {
        self.mesh
    }

    /// Puts words into the transcript of all that must agree on them.
    pub(crate) fn log<W: Word>(&mut self, item: Item, words: &[W]) {
        self.journal.log(item, words);
    }

    /// What this role logged since its journal was last taken.
    #[cfg(test)]
    pub(crate) fn logged(&self) -> &[(Item, Vec<u8>)] {
        self.journal.words()
    }

    /// Keeps results, each the sum of the products of so many factors, until they are proven. Call
    /// [`Party::prove_if_many`] when nothing of them is under way any more.
    pub(crate) fn keep_products<W: Word>(
        &mut self,
        factors: [Runs<'_, W>; 2],
        results: Runs<'_, W>,
        terms: usize,
    ) -> Result<(), SharingError> {
        let proofs = self.proofs.as_mut().ok_or_else(no_keys)?;
        proofs.keep(factors, results, terms)
    }

    /// Says that so many words of products of `W` are coming: triples, where products are made from
    /// such, come in as few batches as can be.
    pub fn expect_products<W: Word>(&mut self, words: usize) {
        if let Some(proofs) = &mut self.proofs {
            proofs.expect::<W>(words);
        }
    }

    /// Makes all triples that are expected.
    ///
    /// # Errors
    /// When the network fails, or a peer sends what no honest party does.
    pub fn prepare_products(&mut self) -> Result<(), SharingError> {
        match self.proofs {
            Some(_) => self.with_proofs(|proofs, party| proofs.prepare(party)),
            None => Ok(()),
        }
    }

    /// Hands out all triples of `W`, for a party of another session: nothing where products are made
    /// otherwise. What made them is in the transcripts, which are compared in this session.
    pub fn store_products<W: Word>(&mut self) -> Option<Stock<W>> {
        self.proofs.as_mut().map(Proofs::take_triples)
    }

    /// Takes what a party of another session stored, before it makes anything itself.
    ///
    /// # Errors
    /// When parts are missing.
    pub fn hold_products<W: Word>(&mut self, stock: Option<Stock<W>>) -> Result<(), SharingError> {
        match (&mut self.proofs, stock) {
            (Some(proofs), Some(stock)) => proofs.hold_triples(stock),
            _ => Ok(()),
        }
    }

    /// The number of the key that tags numbers, where the protocol has one, and what it is good for.
    pub(crate) fn tag_key(&self) -> Option<(u64, Strength)> {
        self.proofs.as_ref().and_then(Proofs::tag_key)
    }

    /// Begins results over words that are made by the protocol's method, each the sum of `terms`
    /// products.
    pub(crate) fn begin_made<W: Word>(
        &mut self,
        factors: [[&[W]; 2]; 2],
        terms: usize,
    ) -> Result<(), SharingError> {
        self.with_proofs(|proofs, party| proofs.begin(party, factors, terms))
    }

    /// Finishes the results that began first.
    pub(crate) fn finish_made<W: Word>(
        &mut self,
        factors: [[&[W]; 2]; 2],
        terms: usize,
        out: [&mut [W]; 2],
    ) -> Result<(), SharingError> {
        self.with_proofs(|proofs, party| proofs.finish(party, factors, terms, out))
    }

    /// What proves products, for something that it does with this party.
    pub(crate) fn with_proofs<T>(
        &mut self,
        work: impl FnOnce(&mut Proofs, &mut Self) -> Result<T, SharingError>,
    ) -> Result<T, SharingError> {
        let Some(mut proofs) = self.proofs.take() else { return Err(no_keys()) };
        let result = work(&mut proofs, self);
        self.proofs = Some(proofs);
        result
    }

    /// Proves all products that were kept, if there are many.
    pub(crate) fn prove_if_many(&mut self) -> Result<(), SharingError> {
        match self.proofs.as_ref().is_some_and(|proofs| proofs.is_full()) {
            true => self.prove(false),
            false => Ok(()),
        }
    }

    fn prove(&mut self, all: bool) -> Result<(), SharingError> {
        if let Some(mut proofs) = self.proofs.take_if(|proofs| !proofs.is_done()) {
            let result = proofs.prove(self, all);
            self.proofs = Some(proofs);
            result?;
        }
        Ok(())
    }

    /// The transcripts since they were taken last. Under protocols that prove products, those are
    /// proven first.
    ///
    /// # Errors
    /// When the network fails, or a peer sends what no honest party does.
    pub fn take_journal(&mut self) -> Result<Journal, SharingError> {
        self.prove(true)?;
        if self.proofs.is_some() {
            // This thread may wait next for others, which prove with peers that wait for its words.
            self.flush()?;
        }
        Ok(self.journal.take())
    }

    fn is_proven(&self) -> bool {
        self.proofs.as_ref().is_none_or(|proofs| proofs.is_done())
    }

    /// Checks that nothing was computed since the transcripts were taken last.
    pub(crate) fn check_verified(&self) -> Result<(), SharingError> {
        match self.is_proven() && self.journal.has_only(Kind::Opening) {
            true => Ok(()),
            false => Err(SharingError::Shape("an opening of values that are not verified".into())),
        }
    }

    /// Ends the session for everybody because a check failed, and gives the error to return.
    #[must_use]
    pub fn fail(&mut self, what: String) -> SharingError {
        self.mesh.check_failed(what).into()
    }

    /// Sends ring words to a role.
    ///
    /// # Errors
    /// When the network fails.
    pub fn send<W: Word>(
        &mut self,
        to: RoleId,
        stream: Stream,
        words: &[W],
    ) -> Result<(), SharingError> {
        let sent = match stream {
            Stream::Pre => !self.sent_ahead,
            _ => self.only_ahead.is_none(),
        };
        if !sent {
            return Ok(());
        }
        Ok(self.mesh.send(self.places[to], stream, word::bytes(words))?)
    }

    /// Receives exactly as many words as fit. Preprocessing that was fetched ahead comes from
    /// memory.
    ///
    /// # Errors
    /// When the network fails or preprocessing runs out.
    pub fn recv<W: Word>(
        &mut self,
        from: RoleId,
        stream: Stream,
        words: &mut [W],
    ) -> Result<(), SharingError> {
        let bytes = word::bytes_mut(words);
        if let (Stream::Pre, Some(stored)) = (stream, &mut self.stored[from]) {
            let end = stored.used + bytes.len();
            let ready = stored.bytes.get(stored.used..end).ok_or_else(|| {
                SharingError::Shape("preprocessing is used up: it was made for less".into())
            })?;
            bytes.copy_from_slice(ready);
            stored.used = end;
            return Ok(());
        }
        match (stream, &mut self.only_ahead) {
            (Stream::Pre, Some(came)) => {
                self.mesh.recv(self.places[from], stream, bytes)?;
                came[from].extend(bytes);
            }
            (_, Some(_)) => bytes.fill(0),
            (_, None) => self.mesh.recv(self.places[from], stream, bytes)?,
        }
        Ok(())
    }

    /// Fetches all preprocessing messages of `from`, `bytes` in number, into memory; from now on
    /// [`Party::recv`] on [`Stream::Pre`] takes them from there, each once.
    ///
    /// # Errors
    /// When the network fails.
    pub fn fetch_ahead(&mut self, from: RoleId, bytes: usize) -> Result<(), SharingError> {
        const PIECE: usize = 1 << 20;
        let mut stored = Stored { bytes: Buffer::zeros(bytes), used: 0 };
        for piece in stored.bytes.chunks_mut(PIECE) {
            self.mesh.recv(self.places[from], Stream::Pre, piece)?;
        }
        self.stored[from] = Some(stored);
        Ok(())
    }

    /// Checks that preprocessing fetched ahead was used completely: exactly what was made for this
    /// run.
    ///
    /// # Errors
    /// Says how much of whose preprocessing is left over.
    pub fn check_used_up(&self) -> Result<(), SharingError> {
        for (role, stored) in self.stored.iter().enumerate() {
            let left = stored.as_ref().map_or(0, |stored| stored.bytes.len() - stored.used);
            if left > 0 {
                return Err(SharingError::Shape(format!(
                    "{left} bytes of stored preprocessing from role {role} were not used: it was \
                     made for more"
                )));
            }
        }
        Ok(())
    }

    /// Pushes out what is still buffered.
    ///
    /// # Errors
    /// When the network fails.
    pub fn flush(&mut self) -> Result<(), SharingError> {
        Ok(self.mesh.flush()?)
    }
}

impl Drop for Party<'_> {
    /// Transcripts that nobody compares are checks left out: this mesh carries nothing more. Where
    /// the reason is another error, that one is what peers are told.
    fn drop(&mut self) {
        if !(self.is_proven() && self.journal.is_empty()) {
            self.mesh.retire("a party's transcripts were not compared");
        }
    }
}

fn no_keys() -> SharingError {
    SharingError::Shape("products that must be proven, but no keys for proofs".into())
}

/// The role that `party` plays.
///
/// # Errors
/// When it plays none.
pub(crate) fn role_in(places: &[PartyId], party: PartyId) -> Result<RoleId, SharingError> {
    let role = places.iter().position(|p| *p == party);
    role.ok_or_else(|| SharingError::Shape(format!("party {} plays no role in this plan", party.0)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use tacit_ring::Key;

    fn drawn(mut draws: Draws<'_>) -> [u64; 4] {
        let mut words = [0; 4];
        draws.with_next().fill(&mut words[..2]);
        draws.with_prev().fill(&mut words[2..]);
        words
    }

    #[test]
    fn both_passes_draw_the_same_words_and_only_roles_of_two_passes_may() {
        use crate::quad::{A, B, Quad};
        let prg = |byte| Prg::new(&Key::from_bytes([byte; Key::LEN]));
        let mut keys = Keys::new([prg(1), prg(2)], false);
        let mut draws = keys.streams().draws().unwrap();
        assert!(draws.ahead::<Quad<B, 0>>().is_none() && draws.ahead::<Quad<A, 1>>().is_none());
        let ahead = draws.ahead::<Quad<A, 0>>().unwrap();
        assert_eq!(drawn(ahead), drawn(draws));
    }

    #[test]
    #[should_panic(expected = "a third one")]
    fn there_is_no_third_pass() {
        use crate::quad::{A, Quad};
        let prg = |byte| Prg::new(&Key::from_bytes([byte; Key::LEN]));
        let mut keys = Keys::new([prg(1), prg(2)], false);
        let mut draws = keys.streams().draws().unwrap();
        let mut ahead = draws.ahead::<Quad<A, 0>>().unwrap();
        drop(ahead.ahead::<Quad<A, 0>>());
    }

    #[test]
    fn streams_taken_again_go_on_where_they_were() {
        let prg = |byte| Prg::new(&Key::from_bytes([byte; Key::LEN]));
        let mut keys = Keys::new([prg(1), prg(2)], false);
        let mut seen: Vec<u64> = Vec::new();
        for _ in 0..3 {
            let mut streams = keys.streams();
            seen.extend(drawn(streams.draws().unwrap()));
            seen.extend(streams.step(3).unwrap().into_iter().flat_map(drawn));
        }
        let all = seen.len();
        seen.sort_unstable();
        seen.dedup();
        assert_eq!((seen.len(), all), (48, 48), "a word came twice");
    }
}
