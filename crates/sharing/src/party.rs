//! One worker of one party, as the protocols see it: roles instead of parties, ring words instead
//! of bytes, keys with each neighbour.

use crate::role::RoleId;
use tacit_net::{Mesh, NetError, PartyId, Stream};
use tacit_ring::{NoEntropy, Prg, PrgStream, StreamIds, StreamsExhausted, Word, word};

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
    /// This machine has no more of something, such as randomness.
    #[error("{0}")]
    System(String),
}

impl From<NoEntropy> for SharingError {
    fn from(error: NoEntropy) -> Self {
        SharingError::System(error.to_string())
    }
}

/// The generators of a role, one under the key with each neighbour, and with them the only source
/// of their stream numbers. Not `Clone`: whoever holds it is alone in drawing under these keys, and
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
    next: Generator,
    prev: Generator,
}

struct Generator {
    prg: Prg,
    ids: StreamIds,
}

impl Keys {
    /// Keys must be fresh: [`Secrets`](crate::setup::Secrets) gives each out once.
    pub(crate) fn new(next: Prg, prev: Prg) -> Self {
        let generator = |prg| Generator { prg, ids: StreamIds::new() };
        Keys { next: generator(next), prev: generator(prev) }
    }

    /// Generators that give these bytes, for tests of what a party sees: **not random**.
    #[cfg(feature = "testing")]
    #[must_use]
    pub fn insecure_scripted(next: Vec<u8>, prev: Vec<u8>) -> Self {
        Keys::new(Prg::insecure_scripted(next), Prg::insecure_scripted(prev))
    }

    /// The streams that are not used yet.
    pub fn streams(&mut self) -> Streams<'_> {
        let Keys { next, prev } = self;
        Streams { next: next.streams(), prev: prev.streams() }
    }
}

impl Generator {
    fn streams(&mut self) -> GeneratorStreams<'_> {
        GeneratorStreams { prg: &self.prg, ids: &mut self.ids }
    }
}

/// The unused streams under [`Keys`]. All holders of a key take the same steps in the same order.
pub struct Streams<'k> {
    next: GeneratorStreams<'k>,
    prev: GeneratorStreams<'k>,
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
        let (next, prev) = (self.next.step(n)?, self.prev.step(n)?);
        Ok(next.zip(prev).map(|(next, prev)| Draws { next, prev }).collect())
    }

    /// The next step, of one lane block.
    ///
    /// # Errors
    /// When a key's streams are used up.
    pub fn draws(&mut self) -> Result<Draws<'k>, StreamsExhausted> {
        Ok(Draws { next: self.next.single()?, prev: self.prev.single()? })
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

/// The draws of one lane block: a cursor under each key that only moves forward.
pub struct Draws<'k> {
    /// Under the key with role `ROLE + 1`.
    pub next: PrgStream<'k>,
    /// Under the key with role `ROLE + 2`.
    pub prev: PrgStream<'k>,
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
    step: u32,
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
        Ok(Party { mesh, role, places, stored: [None, None, None], step: 0 })
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

#[cfg(test)]
mod tests {
    use super::*;
    use tacit_ring::Key;

    fn drawn(mut draws: Draws<'_>) -> [u64; 4] {
        let mut words = [0; 4];
        draws.next.fill(&mut words[..2]);
        draws.prev.fill(&mut words[2..]);
        words
    }

    #[test]
    fn streams_taken_again_go_on_where_they_were() {
        let prg = |byte| Prg::new(&Key::from_bytes([byte; Key::LEN]));
        let mut keys = Keys::new(prg(1), prg(2));
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
