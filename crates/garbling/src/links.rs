//! Channels between roles.

use tacit_gmw::malformed;
use tacit_net::{Mesh, PartyId, Stream};
use tacit_ot::OtError;
use tacit_ring::{Buffer, StreamsExhausted, Word, word};
use tacit_sharing::{RoleId, SharingError};

/// Bits of a worker's gate numbers.
const GATE_BITS: u32 = 48;

/// Blocks that are taken at a time where they are added up, or moved.
pub(crate) const PIECE: usize = 1 << 10;

/// Numbers of gates: no two of a session's workers have the same.
pub(crate) struct GateNumbers {
    next: u64,
    end: u64,
}

impl GateNumbers {
    /// The numbers of a worker's gates.
    pub fn new(worker: u64) -> Result<Self, SharingError> {
        match worker < 1 << (64 - GATE_BITS) {
            true => Ok(GateNumbers {
                next: worker << GATE_BITS,
                end: (worker << GATE_BITS) + (1 << GATE_BITS) - 1,
            }),
            false => Err(SharingError::Streams(StreamsExhausted::Steps)),
        }
    }

    /// The first of `count` consecutive ones, which are not given again.
    pub fn take(&mut self, count: usize) -> Result<u64, SharingError> {
        let first = self.next;
        let next = first.checked_add(count as u64).filter(|next| *next <= self.end);
        self.next = next.ok_or(SharingError::Streams(StreamsExhausted::Steps))?;
        Ok(first)
    }
}

/// All pairs of different roles.
pub(crate) fn pairs(parties: usize) -> impl Iterator<Item = (RoleId, RoleId)> {
    let all = (0..parties).flat_map(move |from| (0..parties).map(move |to| (from, to)));
    all.filter(|(from, to)| from != to)
}

/// A party's channels to the other roles.
pub(crate) struct Links<'m> {
    pub mesh: &'m mut Mesh,
    places: Vec<PartyId>,
    pub me: RoleId,
}

impl<'m> Links<'m> {
    /// `places[r]` plays role `r`.
    pub fn new(mesh: &'m mut Mesh, places: &[PartyId]) -> Result<Self, SharingError> {
        let me = places.iter().position(|place| *place == mesh.me());
        let me = me.ok_or_else(|| SharingError::Shape("this party plays no role".into()))?;
        Ok(Links { mesh, places: places.to_vec(), me })
    }

    pub fn parties(&self) -> usize {
        self.places.len()
    }

    pub fn peers(&self) -> impl Iterator<Item = RoleId> + use<> {
        let (parties, me) = (self.parties(), self.me);
        (0..parties).filter(move |role| *role != me)
    }

    pub fn send<W: Word>(
        &mut self,
        to: RoleId,
        stream: Stream,
        words: &[W],
    ) -> Result<(), SharingError> {
        Ok(self.mesh.send(self.places[to], stream, word::bytes(words))?)
    }

    pub fn recv<W: Word>(
        &mut self,
        from: RoleId,
        stream: Stream,
        count: usize,
    ) -> Result<Buffer<W>, SharingError> {
        let mut words = Buffer::zeros(count);
        self.recv_into(from, stream, &mut words)?;
        Ok(words)
    }

    pub fn recv_into<W: Word>(
        &mut self,
        from: RoleId,
        stream: Stream,
        words: &mut [W],
    ) -> Result<(), SharingError> {
        Ok(self.mesh.recv(self.places[from], stream, word::bytes_mut(words))?)
    }

    /// Adds what a peer sends to blocks, as many.
    pub fn recv_sum(
        &mut self,
        from: RoleId,
        stream: Stream,
        blocks: &mut [u128],
    ) -> Result<(), SharingError> {
        let mut part = Buffer::<u128>::zeros(PIECE.min(blocks.len()));
        for sum in blocks.chunks_mut(PIECE) {
            let part = &mut part[..sum.len()];
            self.recv_into(from, stream, part)?;
            sum.iter_mut().zip(part).for_each(|(sum, part)| *sum ^= *part);
        }
        Ok(())
    }

    /// The party that plays a role.
    pub fn party(&self, role: RoleId) -> PartyId {
        self.places[role]
    }

    /// What is wrong with what a peer sent.
    pub fn checked<T>(
        &mut self,
        peer: RoleId,
        result: Result<T, OtError>,
    ) -> Result<T, SharingError> {
        result.map_err(|error| malformed(self.mesh, self.places[peer], error))
    }
}
