//! Triples and bits for masks, made before the function is known: piece by piece, so that neither who makes
//! them nor who uses them ever holds all.

use super::bits::AuthBits;
use super::channel::Domain;
use super::packed::Packed;
use super::rows::Layout;
use super::triples::Sizes;
use crate::tweak::Hash;
use std::collections::VecDeque;
use std::ops::Range;
use tacit_ring::stored::Block;
use tacit_ring::{Buffer, Seed};
use tacit_sharing::{RoleId, SharingError, stored};
use zeroize::Zeroizing;

/// Triples of a piece, and bits of every party, at most.
pub const PIECE: usize = 1 << 16;
/// Bits of every party that are made at once, at most.
const MOST_BITS: usize = 1 << 20;

/// What one worker of a party made for functions to come, but for the pieces, which hold its triples and bits: it
/// is used once, by [`Authenticated::with_stock`](super::Authenticated::with_stock). It may be stored in
/// between, as the secret that it is.
pub struct Stock {
    /// Names what is made of it.
    pub(super) voice: Domain,
    pub(super) hash: Hash,
    pub(super) delta: Zeroizing<u128>,
    /// Seed of this party's further randomness.
    pub(super) seed: Seed,
}

impl Stock {
    /// Encodes this for storage between two sessions. The bytes are as secret as what they encode.
    ///
    /// # Errors
    /// When it cannot be encoded.
    pub fn into_bytes(self) -> Result<Buffer<u8>, SharingError> {
        let Stock { voice, hash, delta, seed } = self;
        stored::encode(&(voice, hash, Block(delta), seed))
    }

    /// Decodes what `into_bytes` gave in another session, and consumes the bytes.
    ///
    /// # Errors
    /// When the bytes are not such an encoding.
    pub fn from_bytes(bytes: Buffer<u8>) -> Result<Self, SharingError> {
        let (voice, hash, Block(delta), seed) = stored::decode(&bytes)?;
        Ok(Stock { voice, hash, delta, seed })
    }
}

/// Up to [`PIECE`] triples, and as many bits of every party for masks. The checks of all have passed. Secret;
/// used once, in the order in which pieces were made.
pub struct Piece {
    triples: Packed,
    bits: AuthBits,
    count: usize,
}

impl Piece {
    /// Encodes this for storage between two sessions. The bytes are as secret as what they encode.
    ///
    /// # Errors
    /// When it cannot be encoded.
    pub fn into_bytes(self) -> Result<Buffer<u8>, SharingError> {
        let Piece { triples, bits, count } = self;
        stored::encode(&(triples, bits, count))
    }

    /// Decodes what `into_bytes` gave in another session, and consumes the bytes.
    ///
    /// # Errors
    /// When the bytes are not such an encoding.
    pub fn from_bytes(bytes: Buffer<u8>) -> Result<Self, SharingError> {
        let (triples, bits, count) = stored::decode(&bytes)?;
        Ok(Piece { triples, bits, count })
    }

    /// Triples, and bits of every party.
    #[must_use]
    pub fn size(&self) -> [usize; 2] {
        [self.triples.len(), self.count]
    }

    /// Whether it is of this role among so many parties, and as long as it says.
    #[must_use]
    pub fn is_for(&self, parties: usize, role: RoleId) -> bool {
        let layout = Layout { parties, me: role };
        role < parties
            && parties > 1
            && self.triples.are_whole(layout)
            && self.bits.are(layout, self.count)
    }
}

/// Where pieces come from, in order; none at the end.
pub type Pieces<'p> = Box<dyn FnMut() -> Result<Option<Piece>, SharingError> + Send + 'p>;

/// Triples and bits for masks out of a stock: pieces that are still to come, and the bits that are left of the last
/// ones.
pub(super) struct Supply<'p> {
    layout: Layout,
    pieces: Pieces<'p>,
    bits: VecDeque<AuthBits>,
    /// How many bits of the first list are used.
    used: usize,
    left: usize,
}

impl<'p> Supply<'p> {
    pub fn new(layout: Layout, pieces: Pieces<'p>) -> Self {
        Supply { layout, pieces, bits: VecDeque::new(), used: 0, left: 0 }
    }

    /// Bits that are there.
    pub fn left(&self) -> usize {
        self.left
    }

    /// The next piece: its bits are kept here, its triples given.
    pub fn more(&mut self) -> Result<Packed, SharingError> {
        let piece = (self.pieces)()?;
        let piece = piece
            .ok_or_else(|| SharingError::Shape("a stock of too few triples or bits".into()))?;
        if !piece.is_for(self.layout.parties, self.layout.me) {
            return Err(SharingError::Shape("a stock of triples of another party".into()));
        }
        self.left += piece.count;
        self.bits.push_back(piece.bits);
        Ok(piece.triples)
    }

    /// The next bits, of those that are there. They are not given again.
    pub fn take(&mut self, count: usize) -> AuthBits {
        let mut taken = AuthBits::zeros(self.layout, count);
        let mut done = 0;
        while let Some(bits) = self.bits.front().filter(|_| done < count) {
            let len = (bits.len() - self.used).min(count - done);
            taken.copy_from(done, bits, self.used, len);
            done += len;
            self.used += len;
            if self.used == bits.len() {
                self.bits.pop_front();
                self.used = 0;
            }
        }
        self.left -= done;
        taken
    }
}

/// What is made at once of a stock: triples, and bits of every party.
pub(super) fn stock_batches(
    sizes: Sizes,
    triples: usize,
    bits: usize,
) -> impl Iterator<Item = [usize; 2]> {
    let all: Vec<usize> = sizes.batches(triples).collect();
    let count = all.len().max(bits.div_ceil(MOST_BITS));
    (0..count).map(move |i| [all.get(i).copied().unwrap_or(0), shares(bits, count, i).len()])
}

/// Cuts what was made at once into pieces: so many triples, of which `packed` gives some, and bits, where some come
/// before so many that are for masks.
pub(super) fn cut(
    (triples, packed): (usize, impl Fn(Range<usize>) -> Packed),
    (bits, skipped, count): (&AuthBits, usize, usize),
) -> impl Iterator<Item = Piece> {
    let pieces = triples.max(count).div_ceil(PIECE);
    (0..pieces).map(move |i| {
        let at = shares(count, pieces, i);
        Piece {
            triples: packed(shares(triples, pieces, i)),
            bits: bits.part(skipped + at.start, at.len()),
            count: at.len(),
        }
    })
}

/// The `i`-th of so many nearly equal shares.
fn shares(all: usize, count: usize, i: usize) -> Range<usize> {
    let start = |i: usize| i * (all / count) + i.min(all % count);
    start(i)..start(i + 1)
}

/// Triples, and bits of every party, that instances of a circuit take.
#[must_use]
pub fn needs(ports: crate::Ports<'_>, parties: usize, instances: usize) -> [usize; 2] {
    let bits = super::masks::extra_bits(ports, parties, instances);
    [instances * ports.ands(), bits.into_iter().max().unwrap_or(0)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_grows_with_a_stock() {
        let made = |workers, triples, bits| {
            let all: Vec<_> = stock_batches(Sizes::of(workers), triples, bits).collect();
            let sum = |i: usize| all.iter().map(|batch| batch[i]).sum::<usize>();
            assert_eq!(sum(1), bits);
            assert!(sum(0) >= triples);
            all.into_iter().map(|[triples, bits]| triples.max(bits)).max().unwrap_or(0)
        };
        for (workers, count) in [1, 431, 70_000, 1 << 20, 1 << 22, 1 << 26]
            .into_iter()
            .flat_map(|count| [1, 2, 4, 16].map(|workers| (workers, count)))
        {
            let most = [[count, count + 8192], [0, count], [count, 0]]
                .map(|[triples, bits]| made(workers, triples, bits));
            assert!(most.into_iter().all(|most| most <= MOST_BITS), "{count}: {most:?}");
        }
        assert_eq!(stock_batches(Sizes::of(1), 0, 0).count(), 0);
    }

    /// Something else for every triple.
    fn packed(layout: Layout, range: Range<usize>) -> Packed {
        let mut packed = Packed::zeros(layout, range.len());
        for (i, k) in range.enumerate() {
            packed.blocks.get_mut(i).fill((k as u128) << 64 | 5);
            (0..3).for_each(|factor| packed.add_shares(factor, i, k as u64 >> factor & 1));
        }
        packed
    }

    #[test]
    fn pieces_are_small_and_all_there() {
        let layout = Layout { parties: 2, me: 0 };
        for (triples, bits) in [(0, 3), (432, 100), (PIECE + 1, 9), (3 * PIECE, 3 * PIECE + 5)] {
            let packed = |range| packed(layout, range);
            let all = AuthBits::zeros(layout, bits + 7);
            let mut supply = Supply::new(layout, Box::new(|| Ok(None)));
            let mut next = 0;
            for piece in cut((triples, packed), (&all, 7, bits)) {
                assert!(
                    piece.size().iter().all(|size| *size <= PIECE)
                        && piece.is_for(layout.parties, layout.me)
                );
                let rows = piece.triples.rows(layout);
                (0..rows.len()).for_each(|i| {
                    let mut wanted = [(next as u128) << 64 | 5; 9];
                    (0..3).for_each(|factor| wanted[3 * factor] = (next >> factor & 1) as u128);
                    assert_eq!(rows.get(i), wanted);
                    next += 1;
                });
                supply.left += piece.count;
                supply.bits.push_back(piece.bits);
            }
            assert_eq!((next, supply.left()), (triples, bits));
            assert_eq!(supply.take(bits / 2).len() + supply.take(bits - bits / 2).len(), bits);
            assert!(supply.bits.is_empty() && supply.more().is_err());
        }
    }

    /// Whatever a file says, what is taken from it is a whole piece of this party, or an error.
    #[test]
    fn damaged_pieces_are_refused_or_whole() {
        let layout = Layout { parties: 3, me: 1 };
        let packed = |range: Range<usize>| Packed::zeros(layout, range.len());
        let all = AuthBits::zeros(layout, 70);
        let piece = cut((5, packed), (&all, 0, 70)).next().expect("a piece");
        let bytes = piece.into_bytes().unwrap();
        let take = |bytes: &[u8]| {
            let mut copy = Buffer::zeros(bytes.len());
            copy.copy_from_slice(bytes);
            let piece = Piece::from_bytes(copy).ok()?;
            let mut piece = Some(piece);
            let mut supply = Supply::new(layout, Box::new(move || Ok(piece.take())));
            let triples = supply.more().ok()?;
            let len = triples.len();
            assert_eq!(triples.rows(layout).len(), len);
            assert_eq!(supply.take(supply.left()).len() + len, 75);
            Some(())
        };
        assert!(take(&bytes).is_some());
        assert!((0..bytes.len()).all(|len| take(&bytes[..len]).is_none()), "cut short");
        // Shares, MACs and keys may be any.
        let taken = (0..bytes.len()).filter(|at| {
            let mut damaged = bytes.to_vec();
            [1, 0x80].into_iter().any(|bit| {
                damaged[*at] = bytes[*at] ^ bit;
                take(&damaged).is_some()
            })
        });
        let blocks = 8 * (1 + 2) + 16 * (5 * 3 * 4 + 70 * 4);
        assert_eq!(taken.count(), blocks);
    }
}
