//! Checks before openings (spec 1.5, 1.6): transcripts of what pairs of roles must agree on, and
//! the exchange of their digests.
//!
//! A role puts a word that another one could have changed into the transcript of all roles that
//! know it. At the end of an epoch each pair compares digests, and each role tells all others
//! that its comparisons went well. Only with that of everybody there is a [`Pass`], and nothing
//! opens without one. What an opening itself sends is compared in the same way before the values
//! leave the protocol.
//!
//! Each (kind, members) has its own running hash, fed in circuit order at all members, whatever the
//! order in which different kinds interleave. Workers have transcripts of their own; digests cover
//! them in worker order, so they do not depend on the timing of threads.

use crate::Protocol;
use crate::party::{Party, SharingError};
use crate::role::RoleId;
use tacit_net::{Mesh, PartyId, Phase, Stream};
use tacit_ring::Word;
use tacit_ring::hash::{self, Transcript};

/// What a word in a transcript is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum Kind {
    /// A masked input, as its receivers have it.
    Input = 1,
    /// A dealt word: sent ahead, known to both that know the masks.
    Deal = 2,
    /// An upper value under a mask, sent to the role that lags.
    Raise = 3,
    /// The result under masks, which every evaluator can compute.
    Result = 4,
    /// What only the mask holder and the role that lags can compute.
    Masks = 5,
    /// What opens a value.
    Opening = 6,
}

/// A kind of word and the roles that compare it, as bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Item {
    kind: Kind,
    members: u8,
}

impl Item {
    /// Words of `kind` that `members` must agree on.
    #[must_use]
    pub const fn new(kind: Kind, members: &[RoleId]) -> Self {
        let (mut bits, mut i) = (0, 0);
        while i < members.len() {
            bits |= 1 << members[i];
            i += 1;
        }
        Item { kind, members: bits }
    }

    /// The kind.
    #[must_use]
    pub fn kind(self) -> Kind {
        self.kind
    }

    /// Whether `role` compares it.
    #[must_use]
    pub fn has(self, role: RoleId) -> bool {
        self.members >> role & 1 == 1
    }
}

/// One worker's transcripts since the last epoch.
#[derive(Default)]
pub struct Journal {
    entries: Vec<(Item, Transcript)>,
}

impl Journal {
    /// Appends what this role knows of an item.
    pub(crate) fn log<W: Word>(&mut self, item: Item, words: &[W]) {
        let at = match self.entries.iter().position(|(other, _)| *other == item) {
            Some(at) => at,
            None => {
                self.entries.push((item, Transcript::new(&[&[item.kind as u8, item.members]])));
                self.entries.len() - 1
            }
        };
        let transcript = &mut self.entries[at].1;
        let batch = transcript.items();
        let header = hash::Item { epoch: 0, step: batch, tag: item.kind as u32 };
        transcript.append_words(header, words);
    }

    /// Whether nothing waits to be compared.
    pub(crate) fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Whether nothing but words of `kind` waits to be compared.
    pub(crate) fn has_only(&self, kind: Kind) -> bool {
        self.entries.iter().all(|(item, _)| item.kind == kind)
    }

    /// The digests of all items, in a fixed order.
    fn close(self) -> Vec<(Item, [u8; DIGEST_BYTES])> {
        let mut closed: Vec<_> = self
            .entries
            .into_iter()
            .map(|(item, transcript)| (item, transcript.finish()))
            .collect();
        closed.sort_unstable_by_key(|(item, _)| *item);
        closed
    }
}

/// Leave to open what was computed before it was given out. It comes from [`verify`] alone where a
/// protocol checks, and is used up by one opening.
pub struct Pass {
    _private: (),
}

impl Pass {
    /// For protocols that check nothing.
    #[must_use]
    pub fn unchecked(protocol: Protocol) -> Option<Pass> {
        (!protocol.is_checked()).then_some(Pass { _private: () })
    }
}

/// What an epoch's digests and tokens are bound to.
pub struct Epoch<'e> {
    /// Fresh for each session.
    pub session: &'e [u8],
    /// Number of the epoch in the session.
    pub number: u64,
}

/// Bytes of a digest, and of a token.
pub(crate) const DIGEST_BYTES: usize = 32;

/// Ends an epoch: compares the transcripts of all workers with every peer, then waits for the word
/// of all peers that theirs agree too. `journals` are those of all workers, in order; they start
/// afresh.
///
/// # Errors
/// [`SharingError::Check`] when a digest differs; the session is over then for everybody. Network
/// errors when a digest or a word is missing.
pub fn verify(
    mesh: &mut Mesh,
    protocol: Protocol,
    places: &[PartyId],
    epoch: &Epoch<'_>,
    journals: Vec<Journal>,
) -> Result<Pass, SharingError> {
    mesh.set_phase(Phase::Verify);
    let mut party = Party::new(mesh, places)?;
    let me = party.role();
    let peers: Vec<RoleId> = (0..protocol.parties()).filter(|peer| *peer != me).collect();
    let closed: Vec<_> = journals.into_iter().map(Journal::close).collect();
    let mine: Vec<[u8; DIGEST_BYTES]> =
        peers.iter().map(|peer| digest(protocol, epoch, [me, *peer], &closed)).collect();
    for (peer, digest) in peers.iter().zip(&mine) {
        party.send(*peer, Stream::On, digest)?;
    }
    party.next_step();
    let mut failed = None;
    for (peer, digest) in peers.iter().zip(&mine) {
        let mut theirs = [0u8; DIGEST_BYTES];
        party.recv(*peer, Stream::On, &mut theirs)?;
        if !hash::equal(digest, &theirs) {
            failed.get_or_insert(*peer);
        }
    }
    if let Some(peer) = failed {
        return Err(party.fail(differs(places, peer)));
    }
    agree(&mut party, protocol, epoch, &peers)?;
    Ok(Pass { _private: () })
}

/// Tells all peers that every comparison went well, and waits for the same from all.
fn agree(
    party: &mut Party<'_>,
    protocol: Protocol,
    epoch: &Epoch<'_>,
    peers: &[RoleId],
) -> Result<(), SharingError> {
    let token = |from: RoleId| -> [u8; DIGEST_BYTES] {
        let parts: [&[u8]; 4] =
            [epoch.session, protocol.name().as_bytes(), &epoch.number.to_le_bytes(), &[from as u8]];
        hash::derive_key("tacit 2026 end of an epoch", &parts)
    };
    for peer in peers {
        party.send(*peer, Stream::On, &token(party.role()))?;
    }
    party.next_step();
    for peer in peers {
        let mut theirs = [0u8; DIGEST_BYTES];
        party.recv(*peer, Stream::On, &mut theirs)?;
        if theirs != token(*peer) {
            let what = format!("role {peer} did not confirm its checks; nothing was opened");
            return Err(party.fail(what));
        }
    }
    party.flush()
}

fn differs(places: &[PartyId], peer: RoleId) -> String {
    let party = places.get(peer).map_or(u8::MAX, |party| party.0);
    format!(
        "the transcripts of this party and party {party} differ: a party deviated from the \
         protocol, or the network changed a message; nothing was opened"
    )
}

/// The digest of a pair: the same at both.
fn digest(
    protocol: Protocol,
    epoch: &Epoch<'_>,
    [me, peer]: [RoleId; 2],
    workers: &[Vec<(Item, [u8; DIGEST_BYTES])>],
) -> [u8; DIGEST_BYTES] {
    let summary = |items: &Vec<(Item, [u8; DIGEST_BYTES])>| -> Vec<u8> {
        let shared = items.iter().filter(|(item, _)| item.has(peer));
        shared
            .flat_map(|(item, hash)| [item.kind as u8, item.members].into_iter().chain(*hash))
            .collect()
    };
    let summaries: Vec<Vec<u8>> = workers.iter().map(summary).collect();
    let pair = [me.min(peer) as u8, me.max(peer) as u8];
    let number = epoch.number.to_le_bytes();
    let mut parts: Vec<&[u8]> = vec![epoch.session, protocol.name().as_bytes(), &number, &pair];
    parts.extend(summaries.iter().map(Vec::as_slice));
    hash::derive_key("tacit 2026 digest of a pair", &parts)
}
