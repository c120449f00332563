//! BLAKE3: transcripts, digests and key derivation.
//!
//! Every encoding is injective: each part goes in behind its length, and each use has its
//! own domain, so that two different lists of parts never hash the same bytes.

use crate::word::{self, Word};
use subtle::ConstantTimeEq;
use zeroize::{Zeroize, ZeroizeOnDrop, Zeroizing};

/// The BLAKE3 context of [`digest`].
const DIGEST_CONTEXT: &str = "tacit 2025 digest v1";
/// The BLAKE3 context of [`Transcript`].
const TRANSCRIPT_CONTEXT: &str = "tacit 2025 transcript v1";

/// Computes the digest of a list of byte strings. It hides nothing of parts that can be guessed.
///
/// ```
/// use tacit_ring::hash::digest;
///
/// assert_ne!(digest(&[b"ab", b"c"]), digest(&[b"a", b"bc"])); // boundaries between parts count
/// ```
#[must_use]
pub fn digest(parts: &[&[u8]]) -> [u8; 32] {
    let mut hasher = blake3::Hasher::new_derive_key(DIGEST_CONTEXT);
    absorb(&mut hasher, parts);
    hasher.finalize().into()
}

/// Derives a 32-byte key for one purpose, from parts of which at least one is secret.
///
/// `context` names the purpose and is unique in the program. The result is a secret:
/// put it into a [`Seed`](crate::Seed) or wipe it.
#[must_use]
pub fn derive_key(context: &'static str, parts: &[&[u8]]) -> [u8; 32] {
    derive(context, None, parts)
}

/// Derives a key from an optional master secret, which is hashed as the first part, and from parts.
pub(crate) fn derive(context: &str, master: Option<&[u8; 32]>, parts: &[&[u8]]) -> [u8; 32] {
    let mut hasher = blake3::Hasher::new_derive_key(context);
    hasher.update(&[u8::from(master.is_some())]);
    if let Some(master) = master {
        hasher.update(master);
    }
    absorb(&mut hasher, parts);
    let key = hasher.finalize().into();
    hasher.zeroize();
    key
}

/// Hashes the number of parts, then each part behind its length.
fn absorb(hasher: &mut blake3::Hasher, parts: &[&[u8]]) {
    hasher.update(&(parts.len() as u64).to_le_bytes());
    for part in parts {
        hasher.update(&(part.len() as u64).to_le_bytes());
        hasher.update(part);
    }
}

/// Says whether two digests are equal, in time that does not depend on their bytes.
#[must_use]
pub fn equal(a: &[u8; 32], b: &[u8; 32]) -> bool {
    a.ct_eq(b).into()
}

/// The header of an item of a [`Transcript`]: where in a run it belongs, and what it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Item {
    /// The verification epoch: what happens between two comparisons of transcripts.
    pub epoch: u32,
    /// The step (gate batch) that the item belongs to.
    pub step: u64,
    /// Which item of the step: message, view, joint send.
    pub tag: u32,
}

/// So many bytes are collected before they are hashed, so that small items are hashed at full speed.
/// It is a power of two, so that the hash tree sees whole subtrees.
const BUFFER: usize = 1 << 14;

/// A running hash over a sequence of items.
///
/// Two transcripts have equal digests only if they have the same domain and the same items
/// in the same order, with the same headers and boundaries between them.
///
/// The items may be masked values, so a transcript is wiped when it is dropped: what it has collected, and the state
/// of the hash, which stays in one place however the transcript is moved.
///
/// ```
/// use tacit_ring::hash::{Item, Transcript, equal};
///
/// let record = |words: &[u64]| {
///     let mut transcript = Transcript::new(&[b"session 7", b"alice and bob"]);
///     transcript.append_words(Item { epoch: 0, step: 1, tag: 0 }, words);
///     transcript.finish()
/// };
/// assert!(equal(&record(&[1, 2]), &record(&[1, 2])));
/// assert!(!equal(&record(&[1, 2]), &record(&[1, 3])));
/// ```
pub struct Transcript {
    hasher: Box<blake3::Hasher>,
    /// Collected bytes. The buffer never grows beyond its first capacity, so that no copy stays behind.
    buffer: Zeroizing<Vec<u8>>,
    items: u64,
}

impl Clone for Transcript {
    fn clone(&self) -> Transcript {
        // As much room as the first: see there.
        let mut buffer = Zeroizing::new(Vec::with_capacity(BUFFER));
        buffer.extend_from_slice(&self.buffer);
        Transcript { hasher: self.hasher.clone(), buffer, items: self.items }
    }
}

impl Drop for Transcript {
    fn drop(&mut self) {
        self.hasher.zeroize();
    }
}

impl ZeroizeOnDrop for Transcript {}

impl Transcript {
    /// Starts an empty transcript. `domain` names what is recorded: session, pair of roles, stream.
    #[must_use]
    pub fn new(domain: &[&[u8]]) -> Transcript {
        let hasher = Box::new(blake3::Hasher::new_derive_key(TRANSCRIPT_CONTEXT));
        let mut buffer = Zeroizing::new(Vec::with_capacity(BUFFER));
        buffer.extend_from_slice(&digest(domain));
        Transcript { hasher, buffer, items: 0 }
    }

    /// Appends an item with the header `item` and the contents `bytes`.
    pub fn append(&mut self, item: Item, bytes: &[u8]) {
        let mut header = [0; 24];
        header[..4].copy_from_slice(&item.epoch.to_le_bytes());
        header[4..12].copy_from_slice(&item.step.to_le_bytes());
        header[12..16].copy_from_slice(&item.tag.to_le_bytes());
        header[16..].copy_from_slice(&(bytes.len() as u64).to_le_bytes());
        self.absorb(&header);
        self.absorb(bytes);
        self.items += 1;
    }

    /// Appends an item with the header `item`, whose contents are `words` in little-endian order.
    pub fn append_words<W: Word>(&mut self, item: Item, words: &[W]) {
        self.append(item, word::bytes(words));
    }

    /// Gives the number of items so far.
    #[must_use]
    pub fn items(&self) -> u64 {
        self.items
    }

    /// Ends the transcript, and gives the digest of all items and of their number.
    #[must_use]
    pub fn finish(mut self) -> [u8; 32] {
        let items = self.items.to_le_bytes();
        self.absorb(&items);
        self.hasher.update(&self.buffer);
        self.hasher.finalize().into()
    }

    fn absorb(&mut self, bytes: &[u8]) {
        let room = BUFFER - self.buffer.len();
        if bytes.len() < room {
            self.buffer.extend_from_slice(bytes);
            return;
        }
        let (head, rest) = bytes.split_at(room);
        self.buffer.extend_from_slice(head);
        self.hasher.update(&self.buffer);
        self.buffer.clear();
        let (whole, tail) = rest.split_at(rest.len() - rest.len() % BUFFER);
        self.hasher.update(whole);
        self.buffer.extend_from_slice(tail);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const ITEM: Item = Item { epoch: 1, step: 2, tag: 3 };

    fn transcript(items: &[(Item, &[u8])]) -> [u8; 32] {
        let mut t = Transcript::new(&[b"test"]);
        for (item, bytes) in items {
            t.append(*item, bytes);
        }
        t.finish()
    }

    #[test]
    fn boundaries_and_domains_matter() {
        assert_ne!(digest(&[b"ab", b"c"]), digest(&[b"a", b"bc"]));
        assert_ne!(digest(&[b"abc"]), digest(&[b"abc", b""]));
        assert_ne!(derive_key("test one", &[b"k"]), derive_key("test two", &[b"k"]));
        assert_ne!(derive("test", Some(&[0; 32]), &[]), derive("test", None, &[&[0; 32]]));
        assert_ne!(Transcript::new(&[b"a"]).finish(), Transcript::new(&[b"b"]).finish());
    }

    #[test]
    fn every_header_field_order_and_boundary_matters() {
        let base = transcript(&[(ITEM, b"ab"), (ITEM, b"c")]);
        let others = [
            transcript(&[(ITEM, b"a"), (ITEM, b"bc")]),
            transcript(&[(ITEM, b"c"), (ITEM, b"ab")]),
            transcript(&[(ITEM, b"abc")]),
            transcript(&[(ITEM, b"ab"), (ITEM, b"c"), (ITEM, b"")]),
            transcript(&[(Item { epoch: 9, ..ITEM }, b"ab"), (ITEM, b"c")]),
            transcript(&[(Item { step: 9, ..ITEM }, b"ab"), (ITEM, b"c")]),
            transcript(&[(Item { tag: 9, ..ITEM }, b"ab"), (ITEM, b"c")]),
        ];
        for other in &others {
            assert!(!equal(&base, other));
        }
        assert!(equal(&base, &transcript(&[(ITEM, b"ab"), (ITEM, b"c")])));
    }

    /// What a transcript hashes, without the buffer.
    fn reference(lens: &[usize], byte: u8) -> [u8; 32] {
        let mut h = blake3::Hasher::new_derive_key(TRANSCRIPT_CONTEXT);
        h.update(&digest(&[b"test"]));
        for (i, len) in lens.iter().enumerate() {
            h.update(&1u32.to_le_bytes()).update(&(i as u64).to_le_bytes());
            h.update(&3u32.to_le_bytes()).update(&(*len as u64).to_le_bytes());
            h.update(&vec![byte; *len]);
        }
        h.update(&(lens.len() as u64).to_le_bytes());
        h.finalize().into()
    }

    proptest! {
        #[test]
        fn buffering_does_not_change_the_digest(
            lens in prop::collection::vec(prop_oneof![0usize..100, 0..3 * BUFFER], 0..12),
            byte: u8,
        ) {
            let mut t = Transcript::new(&[b"test"]);
            for (i, len) in lens.iter().enumerate() {
                t.append(Item { step: i as u64, ..ITEM }, &vec![byte; *len]);
            }
            prop_assert_eq!(t.items(), lens.len() as u64);
            prop_assert_eq!(t.finish(), reference(&lens, byte));
        }
    }

    /// What holds a part of what was hashed: the buffer, which never moves to another place, and the hash's state.
    #[test]
    fn a_transcript_is_wiped() {
        fn wiped<T: ZeroizeOnDrop>(_: &T) {}
        let mut t = Transcript::new(&[b"test"]);
        let copy = t.clone();
        assert_eq!(copy.buffer.capacity(), BUFFER);
        let place = t.buffer.as_ptr();
        for len in [1, 100, BUFFER - 1, BUFFER, 3 * BUFFER + 5, 7] {
            t.append(ITEM, &vec![9; len]);
            assert!(t.buffer.as_ptr() == place && t.buffer.capacity() == BUFFER);
        }
        wiped(&t);
        wiped(&t.buffer);
        assert!(t.hasher.count() > 0);
        t.hasher.zeroize();
        assert_eq!(t.hasher.count(), 0);
    }

    #[test]
    fn words_are_hashed_as_little_endian_bytes() {
        let mut a = Transcript::new(&[b"test"]);
        a.append_words(ITEM, &[0x0102_0304u32, 5]);
        assert_eq!(a.finish(), transcript(&[(ITEM, &[4, 3, 2, 1, 5, 0, 0, 0])]));
    }
}
