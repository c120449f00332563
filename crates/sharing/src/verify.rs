//! Checks before openings (after spec 1.5, 1.6): transcripts of what pairs of roles must agree on,
//! and their comparison.
//!
//! A role puts a word that another one could have changed into the transcript of all roles that
//! know it. At the end of an epoch the transcripts of all pairs are compared, and nothing opens
//! before everybody knows that all agree: openings want a [`Pass`], and [`Verifier::end_epoch`] is
//! where one comes from. What an opening itself sends is compared in the same way before the values
//! leave the protocol.
//!
//! Each (kind, members) has its own running hash, fed in circuit order at all members, whatever the
//! order in which different kinds interleave. Workers have transcripts of their own; digests cover
//! them in worker order, so they do not depend on the timing of threads.
//!
//! **The comparison tells one bit only**: whether all pairs agree. Digests must not be shown, not
//! even to the other role of the pair: after a cheat honest roles go on with wrong values, and their
//! transcripts depend on secrets by bits that the cheat can guess and hash. Nor may it show which
//! pair differs. So a role `p` publishes only the sum (exclusive or) over its peers `q` of
//! `F(K_pq, digest_pq)`, `F` a keyed hash and `K_pq` the pair's secret: where a pair agrees its two
//! terms cancel, and where two honest roles differ the total is random to everybody else. A role
//! commits to its sum before it sees others'. Whoever deviates makes some honest pair differ with
//! certainty (a protocol's promise), so the run ends, and all that is seen is a random sum.

use crate::Protocol;
use crate::party::{Party, SharingError};
use crate::role::RoleId;
use tacit_net::{Mesh, PartyId, Phase, Stream};
use tacit_ring::hash::{self, Transcript};
use tacit_ring::{Seed, Word};

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
    /// What opens a value.
    Opening = 5,
    /// A sum of products of masks, which the role that knows all masks can compute.
    Masks = 6,
    /// A cross term of two shares, under a mask, which two roles know.
    Cross = 7,
    /// The same, where a pair of roles compares two.
    OtherCross = 8,
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

    fn has(self, role: RoleId) -> bool {
        self.members >> role & 1 == 1
    }
}

/// One worker's transcripts since the last epoch.
#[derive(Clone, Default)]
pub struct Journal {
    entries: Vec<(Item, Transcript)>,
}

/// Digests of items, in a fixed order.
type Closed = Vec<(Item, Digest)>;

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

    fn close(self) -> Closed {
        let entries = self.entries.into_iter();
        let mut closed: Closed =
            entries.map(|(item, transcript)| (item, transcript.finish())).collect();
        closed.sort_unstable_by_key(|(item, _)| *item);
        closed
    }

    /// The items on which two roles that compare them differ, for tests of what catches what.
    #[cfg(feature = "testing")]
    #[must_use]
    pub fn differences(mine: Journal, me: RoleId, theirs: Journal, peer: RoleId) -> Vec<Item> {
        let shared = |journal: Journal, other: RoleId| -> Closed {
            journal.close().into_iter().filter(|(item, _)| item.has(other)).collect()
        };
        let (mine, theirs) = (shared(mine, peer), shared(theirs, me));
        let here = mine.iter().filter(|entry| !theirs.contains(entry));
        let there = theirs.iter().filter(|entry| !mine.contains(entry));
        let mut items: Vec<Item> = here.chain(there).map(|(item, _)| *item).collect();
        items.sort_unstable();
        items.dedup();
        items
    }
}

/// Leave to open what was computed before it was given out. Where a protocol checks, it comes from
/// [`Verifier::end_epoch`] alone.
pub struct Pass {
    _private: (),
}

impl Pass {
    /// For protocols that check nothing.
    #[must_use]
    pub fn unchecked(protocol: Protocol) -> Option<Pass> {
        (!protocol.is_checked()).then_some(Pass { _private: () })
    }

    /// Leave that nobody gave, for tests of what checks would have caught.
    #[cfg(feature = "testing")]
    #[must_use]
    pub fn insecure() -> Pass {
        Pass { _private: () }
    }
}

/// Bytes of a digest, and of what a role publishes at the end of an epoch.
pub(crate) const DIGEST_BYTES: usize = 32;

type Digest = [u8; DIGEST_BYTES];

/// Ends the epochs of a session.
pub struct Verifier {
    protocol: Protocol,
    places: Vec<PartyId>,
    /// Fresh for each session.
    session: Vec<u8>,
    /// The secret with each other role.
    pairs: Vec<Option<Seed>>,
    epoch: u64,
}

impl Verifier {
    /// `session` must be fresh; `pairs` are those of
    /// [`Secrets::take_pairs`](crate::setup::Secrets::take_pairs).
    #[must_use]
    pub fn new(
        protocol: Protocol,
        places: &[PartyId],
        session: Vec<u8>,
        pairs: Vec<Option<Seed>>,
    ) -> Self {
        Verifier { protocol, places: places.to_vec(), session, pairs, epoch: 0 }
    }

    /// Ends an epoch: leave to open, if the transcripts of all pairs agree. `journals` are those of
    /// all workers, in order. Three rounds, 32 bytes from everybody to everybody in each; nothing
    /// under protocols without checks.
    ///
    /// # Errors
    /// When a check failed or somebody does not answer; the session is over for everybody then.
    pub fn end_epoch(
        &mut self,
        mesh: &mut Mesh,
        journals: Vec<Journal>,
    ) -> Result<Pass, SharingError> {
        if let Some(pass) = Pass::unchecked(self.protocol) {
            return Ok(pass);
        }
        self.epoch += 1;
        mesh.set_phase(Phase::Verify);
        let mut party = Party::new(mesh, &self.places)?;
        let mine = self.sum(party.role(), journals)?;
        let total = self.exchange_sums(&mut party, mine)?;
        if !hash::equal(&total, &[0; DIGEST_BYTES]) {
            let what = "the parties' transcripts differ: somebody deviated from the protocol, or \
                        the network changed a message";
            return Err(party.fail(what.into()));
        }
        self.confirm(&mut party)?;
        Ok(Pass { _private: () })
    }

    /// The sum of this role's keyed digests.
    fn sum(&self, me: RoleId, journals: Vec<Journal>) -> Result<Digest, SharingError> {
        let workers: Vec<Closed> = journals.into_iter().map(Journal::close).collect();
        let mut sum = [0; DIGEST_BYTES];
        for peer in self.peers(me) {
            let key = self.pairs.get(peer).and_then(Option::as_ref).ok_or_else(|| {
                SharingError::Shape("a check without the secret of a pair".into())
            })?;
            let digest = pair_digest(&workers, peer);
            let pair = [me.min(peer) as u8, me.max(peer) as u8];
            let number = self.epoch.to_le_bytes();
            let parts: [&[u8]; 4] = [&self.session, &number, &pair, &digest];
            let term = key.derive("tacit 2026 digest of a pair", &parts);
            sum = xor(&sum, term.expose());
        }
        Ok(sum)
    }

    /// Commits to this role's sum, then shows it: the total of all sums.
    fn exchange_sums(&self, party: &mut Party<'_>, mine: Digest) -> Result<Digest, SharingError> {
        let me = party.role();
        let commitments = self.exchange(party, |to| self.commitment(&mine, [me, to]))?;
        let sums = self.exchange(party, |_| mine)?;
        let mut total = mine;
        for ((from, commitment), (_, sum)) in commitments.iter().zip(&sums) {
            if !hash::equal(commitment, &self.commitment(sum, [*from, me])) {
                let what = format!("party {} did not show what it committed to", self.name(*from));
                return Err(party.fail(what));
            }
            total = xor(&total, sum);
        }
        Ok(total)
    }

    /// Sums are random to everybody else, so their hash hides them.
    fn commitment(&self, sum: &Digest, [from, to]: [RoleId; 2]) -> Digest {
        let (number, link) = (self.epoch.to_le_bytes(), [from as u8, to as u8]);
        let parts: [&[u8]; 4] = [&self.session, &number, &link, sum];
        hash::derive_key("tacit 2026 commitment to a sum", &parts)
    }

    /// Tells all peers that the checks went well, and waits for the same from all: a peer that saw
    /// something else ends the session.
    fn confirm(&self, party: &mut Party<'_>) -> Result<(), SharingError> {
        let token = |from: RoleId| -> Digest {
            let (number, from) = (self.epoch.to_le_bytes(), [from as u8]);
            let parts: [&[u8]; 3] = [&self.session, &number, &from];
            hash::derive_key("tacit 2026 end of an epoch", &parts)
        };
        let me = party.role();
        for (from, theirs) in self.exchange(party, |_| token(me))? {
            if !hash::equal(&theirs, &token(from)) {
                let what = format!("party {} did not confirm its checks", self.name(from));
                return Err(party.fail(what));
            }
        }
        party.flush()
    }

    /// Sends a message to each peer, and receives one from each.
    fn exchange(
        &self,
        party: &mut Party<'_>,
        message: impl Fn(RoleId) -> Digest,
    ) -> Result<Vec<(RoleId, Digest)>, SharingError> {
        party.next_step();
        let peers = self.peers(party.role());
        for peer in peers.clone() {
            party.send(peer, Stream::On, &message(peer))?;
        }
        let receive = |from: RoleId| {
            let mut theirs = [0; DIGEST_BYTES];
            party.recv(from, Stream::On, &mut theirs)?;
            Ok((from, theirs))
        };
        peers.map(receive).collect()
    }

    fn peers(&self, me: RoleId) -> impl Iterator<Item = RoleId> + Clone + use<> {
        (0..self.protocol.parties()).filter(move |peer| *peer != me)
    }

    fn name(&self, role: RoleId) -> u8 {
        self.places.get(role).map_or(u8::MAX, |party| party.0)
    }
}

/// The digest of what all workers share with `peer`.
fn pair_digest(workers: &[Closed], peer: RoleId) -> Digest {
    let summary = |items: &Closed| -> Vec<u8> {
        let shared = items.iter().filter(|(item, _)| item.has(peer));
        let entry = |(item, digest): &(Item, Digest)| {
            [item.kind as u8, item.members].into_iter().chain(*digest)
        };
        shared.flat_map(entry).collect()
    };
    let summaries: Vec<Vec<u8>> = workers.iter().map(summary).collect();
    let parts: Vec<&[u8]> = summaries.iter().map(Vec::as_slice).collect();
    hash::digest(&parts)
}

fn xor(a: &Digest, b: &Digest) -> Digest {
    std::array::from_fn(|i| a[i] ^ b[i])
}
