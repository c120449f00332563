//! The hash of labels and keys, with a tweak for every use.

use serde::{Deserialize, Serialize};
use tacit_ring::prg::hash_under;
use tacit_ring::{StreamsExhausted, hash};
use tacit_sharing::{RoleId, SharingError};

/// What is hashed: no two uses have the same tweak for the same owner of Delta.
#[derive(Clone, Copy)]
pub(crate) enum Use {
    /// Leaky triples.
    Triple,
    /// Their products, bit by bit.
    #[cfg(test)]
    Bit,
    /// The first input of a gate.
    First,
    /// The second input of a gate.
    Second,
    /// Both inputs of a gate of four rows, in this row.
    Row(u8),
    /// An input of a gate, the first or the second, whose blocks for a target are added up over all owners.
    Summed(u8),
}

impl Use {
    /// Does the same for both inputs of gates.
    pub fn of_inputs<T>(inputs: [&[u128]; 2], mut f: impl FnMut(Use, &[u128]) -> T) -> [T; 2] {
        [f(Use::First, inputs[0]), f(Use::Second, inputs[1])]
    }
}

/// What the key of the hash is derived for: protocols have keys of their own.
pub(crate) const AUTHENTICATED: &str = "tacit 2026 authenticated garbling hash";
/// See [`AUTHENTICATED`].
pub(crate) const SUMMED: &str = "tacit 2026 half gates of many garblers hash";

/// `H(x, T) = AES_{S + T}(f(x)) + f(x)`, for one worker of one session.
#[derive(Clone, Copy, Serialize, Deserialize)]
pub(crate) struct Hash {
    salt: u128,
    worker: u16,
}

impl Hash {
    /// The hash of a protocol, which a name of the session keys.
    pub fn new(protocol: &'static str, session: &[u8], worker: u64) -> Result<Self, SharingError> {
        let worker = worker.try_into();
        let worker = worker.map_err(|_| SharingError::Streams(StreamsExhausted::Steps))?;
        let salt = hash::derive_key(protocol, &[session]);
        let salt = u128::from_le_bytes(*salt.first_chunk().expect("sixteen of thirty-two bytes"));
        Ok(Hash { salt, worker })
    }

    /// The key for number `index`. `owner`'s Delta separates the two blocks that are hashed under it;
    /// `target` learns from it.
    pub fn key(self, use_: Use, [owner, target]: [RoleId; 2], index: u64) -> u128 {
        let (tag, side) = match use_ {
            Use::Triple => (1, 0),
            #[cfg(test)]
            Use::Bit => (1, 1),
            Use::First => (2, 0),
            Use::Second => (2, 1),
            Use::Row(row) => (3, u128::from(row)),
            Use::Summed(side) => (4, u128::from(side)),
        };
        let tweak = tag
            | side << 8
            | (owner as u128) << 16
            | (target as u128) << 32
            | u128::from(self.worker) << 48
            | u128::from(index) << 64;
        self.salt ^ tweak
    }

    /// The keys for consecutive numbers.
    pub fn keys(self, use_: Use, pair: [RoleId; 2], first: u64, keys: &mut [u128]) {
        let start = self.key(use_, pair, first) ^ u128::from(first) << 64;
        (first..).zip(keys).for_each(|(index, key)| *key = start ^ u128::from(index) << 64);
    }

    /// Hashes in place: block `i` of each list under key `i`.
    pub fn hash<const N: usize>(keys: &[u128], blocks: [&mut [u128]; N]) {
        hash_under(keys, blocks);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    /// No use, pair, worker or number of a session shares a tweak with another: neither do the two inputs of a
    /// gate, the two directions of a pair, or a garbler's own half gates and what it sends for another.
    #[test]
    fn every_use_has_a_tweak_of_its_own() {
        let uses = [Use::Triple, Use::Bit, Use::First, Use::Second];
        let sides = [0, 1].map(Use::Summed);
        let uses: Vec<Use> = uses.into_iter().chain((0..4).map(Use::Row)).chain(sides).collect();
        let ends = [0, 1, 2, 255, 256, 65535];
        let mut keys = BTreeSet::new();
        let mut count = 0;
        for worker in [0, 1, 65535] {
            let hash = Hash::new(AUTHENTICATED, &[7; 32], worker).unwrap();
            for use_ in &uses {
                for pair in ends.iter().flat_map(|owner| ends.map(|target| [*owner, target])) {
                    for index in [0, 1, 1 << 32, u64::MAX] {
                        keys.insert(hash.key(*use_, pair, index));
                        count += 1;
                    }
                }
            }
        }
        assert_eq!(keys.len(), count);
        assert!(
            Hash::new(AUTHENTICATED, &[7; 32], 65536).is_err(),
            "a worker that has no tweaks left"
        );
    }

    #[test]
    fn sessions_have_other_keys_and_lists_are_of_single_keys() {
        let [hash, other] =
            [[7; 32], [8; 32]].map(|sid| Hash::new(AUTHENTICATED, &sid, 3).unwrap());
        let mut keys = [0; 5];
        hash.keys(Use::Second, [2, 1], 1 << 40, &mut keys);
        for (key, index) in keys.into_iter().zip(1 << 40..) {
            assert_eq!(key, hash.key(Use::Second, [2, 1], index));
            assert_ne!(key, other.key(Use::Second, [2, 1], index));
        }
    }
}
