//! One worker of one party, as the protocols see it: roles instead of parties, ring words instead
//! of bytes, keys with each neighbour.

pub use crate::keys::{Draws, Keys, PRIVATE, ProofKeys, Streams};

use crate::SharingError;
use crate::growing::Growing;
use crate::role::{RoleId, Timing};
use crate::stored;
use crate::verify::{Item, Journal, Kind};
use std::any::Any;
use tacit_net::{Mesh, PartyId, Stream};
use tacit_ring::{Buffer, Word, word};

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

/// What a party has to prove its products with, under protocols that do. It keeps the products that are not proven yet:
/// a [`Party`] hands out no transcript, and opens nothing, before all of them are.
pub trait ProductCheck: Any + Send {
    /// Whether all products are proven, and none is under way.
    fn is_done(&self) -> bool;

    /// Whether there are so many products that they should be proven now.
    fn is_full(&self) -> bool;

    /// Proves all whole batches of products, and what is left over if `all` is set.
    ///
    /// # Errors
    /// When the network fails, or a peer sends what no honest party does.
    fn prove(&mut self, party: &mut Party<'_>, all: bool) -> Result<(), SharingError>;
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
    check: Option<Box<dyn ProductCheck>>,
    /// What does not depend on inputs comes before everything else: proofs wait until then.
    preparing: bool,
    /// The check is at work with this party, or lent to somebody who works with it.
    lent: bool,
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
            check: None,
            preparing: false,
            lent: false,
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

    /// Begins preprocessing that comes before all else. A role that works ahead makes all of it without waiting for others, so it
    /// proves none of its products before [`Party::preprocessed`].
    pub fn prepares(&mut self) {
        self.preparing = true;
    }

    /// Ends preprocessing: all messages that do not depend on inputs have been sent.
    pub fn preprocessed(&mut self) {
        self.preparing = false;
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
    #[must_use]
    pub fn is_separate(&self) -> bool {
        self.sent_ahead || self.only_ahead.is_some()
    }

    /// When inputs are known.
    #[must_use]
    pub fn timing(&self) -> Timing {
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

    /// Gives this party what proves its products, under protocols that do.
    #[must_use]
    pub fn proving(mut self, check: Option<Box<dyn ProductCheck>>) -> Self {
        self.check = check;
        self
    }

    /// Hands out what it was given for proofs, for another party of this worker to go on with.
    pub fn take_check(&mut self) -> Option<Box<dyn ProductCheck>> {
        self.check.take_if(|check| check.is_done())
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
    pub fn log<W: Word>(&mut self, item: Item, words: &[W]) {
        self.journal.log(item, words);
    }

    /// What this role logged since its journal was last taken.
    #[cfg(any(test, feature = "testing"))]
    #[must_use]
    pub fn logged(&self) -> &[(Item, Vec<u8>)] {
        self.journal.words()
    }

    /// What proves products.
    ///
    /// # Errors
    /// When there is nothing.
    pub fn check(&mut self) -> Result<&mut dyn ProductCheck, SharingError> {
        self.check.as_deref_mut().ok_or_else(no_check)
    }

    /// What proves products, for something that it does with this party. Meanwhile the party hands out no transcript, and
    /// opens nothing.
    ///
    /// # Errors
    /// When there is nothing, or the work fails.
    pub fn with_check<T>(
        &mut self,
        work: impl FnOnce(&mut dyn ProductCheck, &mut Self) -> Result<T, SharingError>,
    ) -> Result<T, SharingError> {
        let Some(mut check) = self.check.take() else { return Err(no_check()) };
        self.lent = true;
        let result = work(&mut *check, self);
        self.lent = false;
        self.check = Some(check);
        result
    }

    /// Whether this party has what proves products.
    #[must_use]
    pub fn proves(&self) -> bool {
        self.check.is_some()
    }

    /// Proves all products that were kept, if there are many.
    ///
    /// # Errors
    /// When the network fails, or a peer sends what no honest party does.
    pub fn prove_if_many(&mut self) -> Result<(), SharingError> {
        match !self.preparing && self.check.as_ref().is_some_and(|check| check.is_full()) {
            true => self.prove(false),
            false => Ok(()),
        }
    }

    fn prove(&mut self, all: bool) -> Result<(), SharingError> {
        if let Some(mut check) = self.check.take_if(|check| !check.is_done()) {
            // Unless it comes back, nothing opens any more.
            self.lent = true;
            let result = check.prove(self, all);
            self.lent = false;
            self.check = Some(check);
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
        if self.lent {
            return Err(no_check());
        }
        self.prove(true)?;
        if self.check.is_some() {
            // This thread may wait next for others, which prove with peers that wait for its words.
            self.flush()?;
        }
        Ok(self.journal.take())
    }

    fn is_proven(&self) -> bool {
        !self.lent && self.check.as_ref().is_none_or(|check| check.is_done())
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

/// Why products are refused that must be proven, where a party has nothing to prove them with.
#[must_use]
pub fn no_check() -> SharingError {
    SharingError::Shape("products that must be proven, but no keys for proofs".into())
}

/// The role that `party` plays.
///
/// # Errors
/// When it plays none.
pub fn role_in(places: &[PartyId], party: PartyId) -> Result<RoleId, SharingError> {
    let role = places.iter().position(|p| *p == party);
    role.ok_or_else(|| SharingError::Shape(format!("party {} plays no role in this plan", party.0)))
}
