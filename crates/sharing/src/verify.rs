//! Checks before openings (`docs/spec/honest-majority-rings.md` sections 1.5 and 1.6): transcripts of what
//! pairs of roles must agree on, and their comparison.
//!
//! A role puts a word that another one could have changed into the transcript of all roles that
//! know it. At the end of an epoch the transcripts of all pairs are compared, and no role opens anything
//! before it knows that its own agree: openings want a [`Pass`], and [`Verifier::end_epoch`] is
//! where one comes from, which also waits until all say so, or [`Verifier::settle`], which does not. What an opening itself sends is compared in the same way before the values
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
//!
//! Published protocols that compare digests in the clear, or once for several layers, are broken that way (ePrint
//! 2026/234); `verify/replay.rs` replays the attack.

use crate::Protocol;
use crate::SharingError;
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
    /// A second cross term of two shares, under a mask, where a pair of roles compares two.
    OtherCross = 8,
    /// What a proof opened, and what it found to be zero.
    Proof = 9,
    /// A component of shuffled rows, under a mask, which two roles know.
    Move = 10,
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
    pub const fn kind(self) -> Kind {
        self.kind
    }

    /// Whether a role is among those that compare it.
    #[must_use]
    pub const fn has(self, role: RoleId) -> bool {
        self.members >> role & 1 == 1
    }
}

/// One worker's transcripts since the last epoch.
#[derive(Clone, Default)]
pub struct Journal {
    /// The party that plays each role, at this worker.
    places: Vec<PartyId>,
    entries: Vec<(Item, Transcript)>,
    /// All that went into the transcripts, in order.
    #[cfg(any(test, feature = "testing"))]
    words: Vec<(Item, Vec<u8>)>,
}

/// Digests of items, in a fixed order.
type Closed = Vec<(Item, Digest)>;

impl Journal {
    /// An empty journal of a worker in which party `places[r]` plays role `r`.
    pub(crate) fn new(places: &[PartyId]) -> Self {
        Journal { places: places.to_vec(), ..Journal::default() }
    }

    /// Appends what this role knows of an item.
    pub(crate) fn log<W: Word>(&mut self, item: Item, words: &[W]) {
        let at = match self.entries.iter().position(|(other, _)| *other == item) {
            Some(at) => at,
            None => {
                self.entries.push((item, Transcript::new(&[&[item.kind as u8, item.members]])));
                self.entries.len() - 1
            }
        };
        #[cfg(any(test, feature = "testing"))]
        self.words.push((item, tacit_ring::word::bytes(words).to_vec()));
        let transcript = &mut self.entries[at].1;
        let batch = transcript.items();
        let header = hash::Item { epoch: 0, step: batch, tag: item.kind as u32 };
        transcript.append_words(header, words);
    }

    /// What was logged, in order.
    #[cfg(any(test, feature = "testing"))]
    #[must_use]
    pub fn words(&self) -> &[(Item, Vec<u8>)] {
        &self.words
    }

    /// Whether nothing waits to be compared.
    pub(crate) fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Whether nothing but words of `kind` waits to be compared.
    pub(crate) fn has_only(&self, kind: Kind) -> bool {
        self.entries.iter().all(|(item, _)| item.kind == kind)
    }

    /// Hands the transcripts out, and begins new ones.
    pub(crate) fn take(&mut self) -> Journal {
        let next = Journal::new(&self.places);
        std::mem::replace(self, next)
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
/// [`Verifier::end_epoch`] or [`Verifier::settle`] alone.
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
pub const DIGEST_BYTES: usize = 32;

/// A digest, and what a role publishes at the end of an epoch.
pub type Digest = [u8; DIGEST_BYTES];

/// Ends the epochs of a session.
pub struct Verifier {
    protocol: Protocol,
    /// Fresh for each session.
    session: Vec<u8>,
    /// The parties that play a role; others of the session compare nothing.
    members: Vec<PartyId>,
    /// The secret with each other party, by party.
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
        let members = places.to_vec();
        Verifier { protocol, session, members, pairs: by_party(places, pairs), epoch: 0 }
    }

    /// Adds the pairs' secrets of another assignment of the roles to the same parties. All epochs then cover that
    /// assignment too.
    #[must_use]
    pub fn and(mut self, places: &[PartyId], pairs: Vec<Option<Seed>>) -> Self {
        for (secret, other) in self.pairs.iter_mut().zip(by_party(places, pairs)) {
            *secret = secret.take().zip(other).map(|(secret, other)| {
                secret.derive("tacit 2026 secrets of a pair", &[&other.expose()[..]])
            });
        }
        self
    }

    /// Ends an epoch: leave to open, if the transcripts of all pairs agree. `journals` are those of
    /// all workers, in order; a party may play another role in each. Three rounds, 32 bytes from
    /// everybody to everybody in each; nothing under protocols without checks.
    ///
    /// # Errors
    /// When a check failed or somebody does not answer; the session is over for everybody then.
    pub fn end_epoch(
        &mut self,
        mesh: &mut Mesh,
        journals: Vec<Journal>,
    ) -> Result<Pass, SharingError> {
        let pass = self.settle(mesh, journals)?;
        if self.protocol.is_checked() {
            self.confirm(mesh)?;
        }
        Ok(pass)
    }

    /// Ends an epoch that is not the last of a run, without the third round, in which all tell that they saw no difference: a party
    /// that did ends the run, but another one may have opened something before it knows. That is right: transcripts of two honest
    /// parties that differ are noticed by both, whatever the others send, and whose own transcripts agree may open.
    ///
    /// # Errors
    /// When a check failed or somebody does not answer; the session is over for everybody then.
    pub fn settle(
        &mut self,
        mesh: &mut Mesh,
        journals: Vec<Journal>,
    ) -> Result<Pass, SharingError> {
        if let Some(pass) = Pass::unchecked(self.protocol) {
            return Ok(pass);
        }
        self.epoch += 1;
        mesh.set_phase(Phase::Verify);
        let mine = self.sum(mesh.me().index(), journals)?;
        let total = self.exchange_sums(mesh, mine)?;
        if !hash::equal(&total, &[0; DIGEST_BYTES]) {
            let what = "the parties' transcripts differ: somebody deviated from the protocol, or \
                        the network changed a message";
            return Err(mesh.check_failed(what.into()).into());
        }
        Ok(Pass { _private: () })
    }

    /// The sum of this party's keyed digests.
    fn sum(&self, me: usize, journals: Vec<Journal>) -> Result<Digest, SharingError> {
        let close = |mut journal: Journal| (std::mem::take(&mut journal.places), journal.close());
        let workers: Vec<(Vec<PartyId>, Closed)> = journals.into_iter().map(close).collect();
        let mut sum = [0; DIGEST_BYTES];
        for peer in self.peers(me) {
            let key = self.pairs.get(peer).and_then(Option::as_ref).ok_or_else(|| {
                SharingError::Shape("a check without the secret of a pair".into())
            })?;
            sum = xor(&sum, &self.term(key, [me, peer], &pair_digest(&workers, peer)));
        }
        Ok(sum)
    }

    /// What a pair adds to the sum of each of the two.
    fn term(&self, key: &Seed, [me, peer]: [usize; 2], digest: &Digest) -> Digest {
        let pair = [me.min(peer) as u8, me.max(peer) as u8];
        let number = self.epoch.to_le_bytes();
        let parts: [&[u8]; 4] = [&self.session, &number, &pair, digest];
        *key.derive("tacit 2026 digest of a pair", &parts).expose()
    }

    /// Commits to this role's sum, then shows it: the total of all sums.
    fn exchange_sums(&self, mesh: &mut Mesh, mine: Digest) -> Result<Digest, SharingError> {
        let me = mesh.me().index();
        let commitments = self.exchange(mesh, 1, |to| self.commitment(&mine, [me, to]))?;
        let sums = self.exchange(mesh, 2, |_| mine)?;
        let mut total = mine;
        for ((from, commitment), (_, sum)) in commitments.iter().zip(&sums) {
            if !hash::equal(commitment, &self.commitment(sum, [*from, me])) {
                let what = format!("party {from} did not show what it committed to");
                return Err(mesh.check_failed(what).into());
            }
            total = xor(&total, sum);
        }
        Ok(total)
    }

    /// Sums are random to everybody else, so their hash hides them.
    fn commitment(&self, sum: &Digest, [from, to]: [usize; 2]) -> Digest {
        let (number, link) = (self.epoch.to_le_bytes(), [from as u8, to as u8]);
        let parts: [&[u8]; 4] = [&self.session, &number, &link, sum];
        hash::derive_key("tacit 2026 commitment to a sum", &parts)
    }

    /// Tells all peers that the checks went well, and waits for the same from all: a peer that saw
    /// something else ends the session.
    fn confirm(&self, mesh: &mut Mesh) -> Result<(), SharingError> {
        let token = |from: usize| -> Digest {
            let (number, from) = (self.epoch.to_le_bytes(), [from as u8]);
            let parts: [&[u8]; 3] = [&self.session, &number, &from];
            hash::derive_key("tacit 2026 end of an epoch", &parts)
        };
        let me = mesh.me().index();
        for (from, theirs) in self.exchange(mesh, 3, |_| token(me))? {
            if !hash::equal(&theirs, &token(from)) {
                let what = format!("party {from} did not confirm its checks");
                return Err(mesh.check_failed(what).into());
            }
        }
        Ok(mesh.flush()?)
    }

    /// Sends a message to each peer, and receives one from each.
    fn exchange(
        &self,
        mesh: &mut Mesh,
        step: u32,
        message: impl Fn(usize) -> Digest,
    ) -> Result<Vec<(usize, Digest)>, SharingError> {
        mesh.set_step(step);
        let peers = self.peers(mesh.me().index());
        for peer in peers.clone() {
            mesh.send(PartyId(peer as u8), Stream::On, &message(peer))?;
        }
        let receive = |from: usize| {
            let mut theirs = [0; DIGEST_BYTES];
            mesh.recv(PartyId(from as u8), Stream::On, &mut theirs)?;
            Ok((from, theirs))
        };
        peers.map(receive).collect()
    }

    fn peers(&self, me: usize) -> impl Iterator<Item = usize> + Clone + use<> {
        let mut members: Vec<usize> = self.members.iter().map(|party| party.index()).collect();
        members.sort_unstable();
        members.into_iter().filter(move |peer| *peer != me)
    }
}

fn by_party(places: &[PartyId], pairs: Vec<Option<Seed>>) -> Vec<Option<Seed>> {
    let count = places.iter().map(|party| party.index() + 1).max().unwrap_or(0);
    let mut by_party: Vec<Option<Seed>> = (0..count).map(|_| None).collect();
    for (party, secret) in places.iter().zip(pairs) {
        by_party[party.index()] = secret;
    }
    by_party
}

/// The digest of what all workers share with party `peer`.
fn pair_digest(workers: &[(Vec<PartyId>, Closed)], peer: usize) -> Digest {
    let summary = |(places, items): &(Vec<PartyId>, Closed)| -> Vec<u8> {
        let role = places.iter().position(|party| party.index() == peer);
        let shared = items.iter().filter(|(item, _)| role.is_some_and(|role| item.has(role)));
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

#[cfg(feature = "testing")]
pub mod inside;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::quad::QUAD;
    use crate::replicated::REPLICATED;
    use tacit_protocol::{Descriptor, Security};

    /// A protocol of three parties that checks.
    const CHECKED: Protocol = {
        static OF: Descriptor =
            Descriptor { security: Security::MaliciousWithAbort, ..*REPLICATED.descriptor() };
        Protocol::new(&OF)
    };
    use std::sync::{Arc, Mutex};
    use tacit_net::memory::{self, MemoryNetwork};
    use tacit_net::testing::{Tamper, Verdict};
    use tacit_net::{AbortKind, NetError};
    use tacit_ring::Z2;

    const RESULT: Item = Item::new(Kind::Result, &[0, 1, 2]);
    /// In two workers parties play different roles.
    const PLACES: [[u8; 4]; 2] = [[0, 1, 2, 3], [3, 1, 0, 2]];

    /// Every party logs a word per worker, and ends an epoch. `word` gives worker and role.
    fn epoch(word: impl Fn(PartyId, usize, RoleId) -> u64 + Sync) -> Vec<Result<(), SharingError>> {
        memory::run(4, 1, &MemoryNetwork::default(), |mut session| {
            let me = session.me();
            let everybody: Vec<PartyId> = PartyId::all(4).collect();
            let pairs = (0..4).map(|peer| pair(me.index(), peer)).collect();
            let mut verifier = Verifier::new(QUAD, &everybody, vec![7], pairs);
            let journal = |(worker, places): (usize, &[u8; 4])| {
                let places = places.map(PartyId);
                let mut journal = Journal::new(&places);
                let role = places.iter().position(|party| *party == me).unwrap();
                if RESULT.has(role) {
                    journal.log(RESULT, &[Z2(word(me, worker, role))]);
                }
                journal
            };
            let journals = PLACES.iter().enumerate().map(journal).collect();
            verifier.end_epoch(&mut session.meshes[0], journals)?;
            Ok(session.finish()?)
        })
    }

    #[test]
    fn parties_that_agree_may_open() {
        assert!(epoch(|_, worker, _| worker as u64).iter().all(Result::is_ok));
    }

    #[test]
    fn one_word_that_differs_is_seen_by_everybody() {
        for worker in 0..2 {
            for role in 0..3 {
                let other = |_, w, r| u64::from((w, r) == (worker, role));
                for result in epoch(other) {
                    let Err(SharingError::Net(error)) = result else { panic!("{result:?}") };
                    let told = matches!(
                        error,
                        NetError::Check(_)
                            | NetError::PeerAborted { kind: AbortKind::Misbehaviour, .. }
                    );
                    assert!(told, "{error}");
                }
            }
        }
    }

    /// Three parties, of which party 1 opened something wrong to party 0, so that what that one finds is off
    /// by a multiple of a secret. `seen` gets what is sent to party 1.
    fn epoch_after_a_cheat(secret: u64, seen: &Arc<Mutex<Vec<Vec<u8>>>>) {
        memory::run(3, 1, &MemoryNetwork::default(), |mut session| {
            let me = session.me().index();
            let everybody: Vec<PartyId> = PartyId::all(3).collect();
            let mut verifier =
                Verifier::new(CHECKED, &everybody, vec![7], (0..3).map(|p| pair(me, p)).collect());
            let log = seen.clone();
            session.meshes[0].set_tamper(Tamper::new(move |m| {
                if m.to == PartyId(1) {
                    log.lock().unwrap().push(m.bytes.to_vec());
                }
                Verdict::Keep
            }));
            let journals = vec![journal_after_a_cheat(&everybody, me, secret)];
            verifier.end_epoch(&mut session.meshes[0], journals).map(drop).unwrap_err();
            session.abort(AbortKind::Failure, "the end of the test");
        });
    }

    fn pair(me: usize, peer: usize) -> Option<Seed> {
        let pair = [me.min(peer) as u8, me.max(peer) as u8];
        (peer != me).then(|| Seed::from_bytes([pair[0] * 16 + pair[1]; 32]))
    }

    fn journal_after_a_cheat(places: &[PartyId], me: usize, secret: u64) -> Journal {
        let (opened, off) = (1000, 5 * u64::from(me == 0));
        let mut journal = Journal::new(places);
        let item = Item::new(Kind::Proof, &[0, 1, 2]);
        journal.log(item, &[opened + off]);
        journal.log(item, &[0u64.wrapping_sub(off * secret)]);
        journal
    }

    /// What opened and what must be zero are compared together, so digests must not be shown: with one of
    /// a party that was deceived, a cheat could go through all values of a secret.
    #[test]
    fn what_a_cheat_is_shown_fits_no_guess_of_a_secret() {
        let seen = Arc::default();
        epoch_after_a_cheat(77, &seen);
        let seen = seen.lock().unwrap();
        assert!(!seen.is_empty());
        let everybody: Vec<PartyId> = PartyId::all(3).collect();
        let verifier = |me: usize| {
            let pairs = (0..3).map(|peer| pair(me, peer)).collect();
            let mut verifier = Verifier::new(CHECKED, &everybody, vec![7], pairs);
            verifier.epoch = 1;
            verifier
        };
        for guess in 0..256 {
            let mut computed: Vec<Digest> = Vec::new();
            for role in [0, 2] {
                let journal = || journal_after_a_cheat(&everybody, role, guess);
                let digest = pair_digest(&[(everybody.clone(), journal().close())], 1);
                // With the key that the cheat has, of the terms of a sum.
                let mut known = verifier(role);
                known.pairs.iter_mut().enumerate().for_each(|(peer, key)| {
                    if peer != 1 && peer != role {
                        *key = Some(Seed::from_bytes([0; 32]));
                    }
                });
                let sum = known.sum(role, vec![journal()]).unwrap();
                computed.extend([digest, sum, known.commitment(&digest, [role, 1])]);
                computed.push(known.commitment(&sum, [role, 1]));
            }
            let shown = |digest: &Digest| seen.iter().any(|message| message[..] == digest[..]);
            assert!(!computed.iter().any(shown), "a cheat can test whether the secret is {guess}");
        }
        // With all keys, which no cheat has, the test would see it.
        let sum = verifier(0).sum(0, vec![journal_after_a_cheat(&everybody, 0, 77)]).unwrap();
        assert!(seen.iter().any(|message| message[..] == verifier(0).commitment(&sum, [0, 1])));
    }

    /// Messages of an epoch are worth nothing in the next one.
    #[test]
    fn digests_of_another_epoch_are_refused() {
        // By round of an epoch: a commitment, a sum, and a confirmation.
        for replayed in 0..3 {
            let results = memory::run(3, 1, &MemoryNetwork::default(), |mut session| {
                let me = session.me().index();
                let everybody: Vec<PartyId> = PartyId::all(3).collect();
                let pairs = (0..3).map(|peer| pair(me, peer)).collect();
                let mut verifier = Verifier::new(CHECKED, &everybody, vec![7], pairs);
                let mut old: Vec<Vec<u8>> = Vec::new();
                if me == 1 {
                    session.meshes[0].set_tamper(Tamper::new(move |m| {
                        old.push(m.bytes.to_vec());
                        // Two messages a round, six an epoch.
                        match (old.len() - 1).checked_sub(6).filter(|i| i / 2 == replayed) {
                            Some(i) => Verdict::Replace(old[i].clone()),
                            None => Verdict::Keep,
                        }
                    }));
                }
                let mut epoch = || {
                    let mut journal = Journal::new(&everybody);
                    journal.log(Item::new(Kind::Proof, &[0, 1, 2]), &[9u64]);
                    verifier.end_epoch(&mut session.meshes[0], vec![journal]).map(drop)
                };
                epoch().unwrap();
                let second = epoch();
                if second.is_err() {
                    session.abort(AbortKind::Failure, "the end of the test");
                }
                second
            });
            for party in [0, 2] {
                assert!(
                    results[party].is_err(),
                    "round {replayed} of an epoch is taken from another"
                );
            }
        }
    }

    #[test]
    fn words_after_the_checks_close_what_a_pass_opened() {
        let mut journal = Journal::new(&PLACES[0].map(PartyId));
        assert!(journal.is_empty() && journal.has_only(Kind::Opening));
        journal.log(Item::new(Kind::Opening, &[0, 1]), &[Z2(1)]);
        assert!(journal.has_only(Kind::Opening));
        journal.log(RESULT, &[Z2(1)]);
        assert!(!journal.has_only(Kind::Opening));
        let taken = journal.take();
        assert!(!taken.is_empty() && journal.is_empty());
        assert_eq!(journal.places, taken.places);
    }
}
