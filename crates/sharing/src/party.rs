//! One worker of one party, as the protocols see it: roles instead of parties, ring words instead
//! of bytes, keys with each neighbour.

use crate::role::RoleId;
use tacit_net::{Mesh, NetError, PartyId, Stream};
use tacit_ring::{Prg, PrgStream, Step, StreamId, StreamIds, StreamsExhausted, Word, word};

/// Why a protocol stopped.
#[derive(Debug, thiserror::Error)]
pub enum SharingError {
    /// The network or a peer failed.
    #[error(transparent)]
    Net(#[from] NetError),
    /// A key's streams are used up.
    #[error(transparent)]
    Streams(#[from] StreamsExhausted),
    /// Shapes do not fit.
    #[error("{0}")]
    Shape(String),
}

/// The generators of a role: one under the key with each neighbour.
pub struct Keys {
    pub(crate) next: Prg,
    pub(crate) prev: Prg,
}

/// Stream numbers under [`Keys`]. All holders of a key take the same steps in the same order.
#[derive(Debug, Default)]
pub struct Ids {
    next: StreamIds,
    prev: StreamIds,
}

impl Ids {
    /// The next step under both keys.
    ///
    /// # Errors
    /// When a key's streams are used up.
    pub fn step(&mut self) -> Result<Steps, StreamsExhausted> {
        Ok(Steps { next: self.next.step()?, prev: self.prev.step()? })
    }
}

/// One step under both keys.
#[derive(Debug)]
pub struct Steps {
    next: Step,
    prev: Step,
}

impl Steps {
    /// The draws of blocks `0..n`, in order.
    ///
    /// # Errors
    /// When a step has not that many blocks.
    pub fn draws(self, keys: &Keys, n: u32) -> Result<Vec<Draws<'_>>, StreamsExhausted> {
        let ids = self.next.blocks(n)?.zip(self.prev.blocks(n)?);
        Ok(ids.map(|(next, prev)| Draws::new(keys, next, prev)).collect())
    }
}

/// The draws of one lane block: a cursor under each key that only moves forward.
pub struct Draws<'k> {
    /// Under the key with role `ROLE + 1`.
    pub next: PrgStream<'k>,
    /// Under the key with role `ROLE + 2`.
    pub prev: PrgStream<'k>,
}

impl<'k> Draws<'k> {
    fn new(keys: &'k Keys, next: StreamId, prev: StreamId) -> Self {
        Draws { next: keys.next.stream(next), prev: keys.prev.stream(prev) }
    }
}

/// Preprocessing messages that came ahead of the online phase.
#[derive(Default)]
struct Stored {
    bytes: Vec<u8>,
    used: usize,
}

/// One worker's channels in terms of roles.
pub struct Party<'m> {
    mesh: &'m mut Mesh,
    role: RoleId,
    places: [PartyId; 3],
    stored: [Option<Stored>; 3],
}

impl<'m> Party<'m> {
    /// `places[r]` is the party that plays role `r`; one of them is this mesh's party.
    ///
    /// # Errors
    /// When this mesh's party plays no role.
    pub fn new(mesh: &'m mut Mesh, places: [PartyId; 3]) -> Result<Self, SharingError> {
        let me = mesh.me();
        let role = places.iter().position(|p| *p == me).ok_or_else(|| {
            SharingError::Shape(format!("party {} plays no role in this plan", me.0))
        })?;
        Ok(Party { mesh, role, places, stored: [None, None, None] })
    }

    /// The role this party plays.
    #[must_use]
    pub fn role(&self) -> RoleId {
        self.role
    }

    /// The underlying channels.
    pub fn mesh(&mut self) -> &mut Mesh {
        self.mesh
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
        Ok(self.mesh.recv(self.places[from], stream, bytes)?)
    }

    /// Fetches all preprocessing messages of `from`, `bytes` in number, into memory; from now on
    /// [`Party::recv`] on [`Stream::Pre`] takes them from there, each once.
    ///
    /// # Errors
    /// When the network fails.
    pub fn fetch_ahead(&mut self, from: RoleId, bytes: usize) -> Result<(), SharingError> {
        const PIECE: usize = 1 << 20;
        let mut stored = Stored::default();
        while stored.bytes.len() < bytes {
            let start = stored.bytes.len();
            stored.bytes.resize(bytes.min(start + PIECE), 0);
            self.mesh.recv(self.places[from], Stream::Pre, &mut stored.bytes[start..])?;
        }
        self.stored[from] = Some(stored);
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
