//! The parts of a comparison, for tests that play a cheat who knows all of them.

use super::{Closed, Digest, Item, Journal, Verifier};
use tacit_net::PartyId;
use tacit_ring::Seed;

/// The journal of these words.
#[must_use]
pub fn journal(places: &[PartyId], words: &[(Item, Vec<u8>)]) -> Journal {
    let mut journal = Journal::new(places);
    words.iter().for_each(|(item, bytes)| journal.log(*item, &bytes[..]));
    journal
}

/// The digests of a journal's items.
#[must_use]
pub fn closed(journal: Journal) -> Vec<(Item, Digest)> {
    journal.close()
}

/// The digest of what all workers share with party `peer`.
#[must_use]
pub fn pair_digest(workers: &[(Vec<PartyId>, Closed)], peer: usize) -> Digest {
    super::pair_digest(workers, peer)
}

/// How many epochs there were.
#[must_use]
pub fn epoch(verifier: &Verifier) -> u64 {
    verifier.epoch
}

/// The secret with another party.
#[must_use]
pub fn key(verifier: &Verifier, party: usize) -> Option<&Seed> {
    verifier.pairs[party].as_ref()
}

/// What a pair adds to the sum of each of the two.
#[must_use]
pub fn term(verifier: &Verifier, key: &Seed, pair: [usize; 2], digest: &Digest) -> Digest {
    verifier.term(key, pair, digest)
}

/// What commits to a sum, from a party to another.
#[must_use]
pub fn commitment(verifier: &Verifier, sum: &Digest, link: [usize; 2]) -> Digest {
    verifier.commitment(sum, link)
}
