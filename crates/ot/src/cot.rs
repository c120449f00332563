//! Correlated OT: the sender holds one Delta, and for every transfer a block `q`; the receiver, for
//! its choice bit `x`, the block `t = q ^ x Delta`. From them one-bit pads: the sender's two, and the
//! one of them that the receiver chose.
//!
//! Source: L. Roy, "SoftSpokenOT" (CRYPTO 2022), after Y. Ishai, J. Kilian, K. Nissim, E. Petrank
//! (CRYPTO 2003), whose protocol is the case of one bit per block. The receiver expands `2^k` seeds
//! `r_e` per block of `k` columns, the sender all but the one at its `k` bits `D` of Delta:
//!
//! ```text
//! receiver    u = sum r_e,  v_p = sum of r_e with bit p of e set;  sends d = u ^ x;  t_p = v_p
//! sender      w_p = sum of r_e with bit p of e ^ D set;  q_p = w_p ^ D_p d
//! ```
//!
//! One message, of `128 / k` bits per transfer. The pads are the lowest bits of
//! `pi(x) ^ x`, for `x = q`, `q ^ Delta` and `t`, under a key of the session ([`Permutation`]): secure
//! against parties that follow the protocol.

#[cfg(test)]
mod tests;
#[cfg(test)]
mod timing;

use crate::seeds::{AllSeeds, SomeSeeds};
use crate::{KAPPA, OtError};
use std::sync::Arc;
use tacit_ring::columns;
use tacit_ring::prg::{FOLD, Folds, Permutation};
use tacit_ring::secret::mask;
use tacit_ring::{Key, StreamIds, hash};
use zeroize::Zeroizing;

/// So many words of transfers are computed in one go: what stays in the second-level cache.
pub const TILE: usize = 64;
/// At least so many words are computed together.
const LANE: usize = 2 * FOLD;

/// The number `k` of bits in the field of SoftSpokenOT: the columns that one block of seeds makes. More of them make
/// messages shorter, `128 / k` bits per transfer, and take more seeds, `2^k` per block.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FieldBits {
    /// One bit: the extension of Ishai, Kilian, Nissim and Petrank.
    One,
    /// Two bits.
    Two,
    /// Four bits.
    Four,
    /// Eight bits.
    Eight,
}

impl FieldBits {
    /// All sizes, smallest first.
    pub const ALL: [FieldBits; 4] =
        [FieldBits::One, FieldBits::Two, FieldBits::Four, FieldBits::Eight];

    /// Gives `k`, the columns per block.
    #[must_use]
    pub const fn bits(self) -> usize {
        match self {
            FieldBits::One => 1,
            FieldBits::Two => 2,
            FieldBits::Four => 4,
            FieldBits::Eight => 8,
        }
    }

    /// Gives the bits that the receiver sends per transfer.
    #[must_use]
    pub const fn message_bits(self) -> usize {
        KAPPA / self.bits()
    }
}

/// The streams from the seeds of one worker, and room to work in.
struct Expansion {
    fan: FieldBits,
    folds: Folds,
    ids: StreamIds,
    pi: Arc<Permutation>,
    total: Zeroizing<[u128; TILE / 2]>,
    columns: Zeroizing<Vec<u128>>,
    rows: Zeroizing<Vec<u128>>,
    /// Blocks that are lent out.
    tile: Zeroizing<Vec<u128>>,
}

impl Expansion {
    /// Makes the streams from the seeds of each block; where number zero is missing, it is not looked at.
    fn new(
        (fan, missing): (FieldBits, bool),
        seeds: &[Zeroizing<Vec<[u8; 16]>>],
        number: u64,
        pi: Arc<Permutation>,
    ) -> Self {
        let key = |block: usize, seed: usize| {
            let parts: [&[u8]; 2] = [&seeds[block][seed], &number.to_le_bytes()];
            let key = Zeroizing::new(hash::derive_key("tacit 2026 OT stream", &parts));
            Key::from_bytes(*key.first_chunk().expect("sixteen of thirty-two bytes"))
        };
        Expansion {
            fan,
            folds: Folds::new((fan.bits(), missing), seeds.len(), key),
            ids: StreamIds::new(),
            pi,
            total: Zeroizing::new([0; TILE / 2]),
            columns: Zeroizing::new(vec![0; KAPPA * TILE / 2]),
            rows: Zeroizing::new(vec![0; 64 * TILE]),
            tile: Zeroizing::new(vec![0; 64 * TILE]),
        }
    }

    /// Computes the sum of a block's streams, and its columns, which are sums of some of them.
    fn fold(&mut self, block: usize, stream: u64, stride: usize) -> (&[u64], &mut [u64]) {
        let blocks = stride / 2;
        let len = self.fan.bits() * blocks;
        let (total, columns) =
            (&mut self.total[..blocks], &mut self.columns[block * len..(block + 1) * len]);
        self.folds.sums(block, stream, total, columns);
        (bytemuck::cast_slice(total), bytemuck::cast_slice_mut(columns))
    }

    /// Writes the blocks of `words` words into `rows`.
    fn transpose(&mut self, words: usize, rows: &mut [u128]) {
        let stride = words.next_multiple_of(LANE);
        let columns = bytemuck::cast_slice(&self.columns[..KAPPA * stride / 2]);
        if words == stride {
            return columns::to_rows(columns, rows);
        }
        columns::to_rows(columns, &mut self.rows[..64 * stride]);
        rows.copy_from_slice(&self.rows[..64 * words]);
    }

    /// Gives the number of the next tile's streams.
    fn next(&mut self) -> Result<u64, OtError> {
        Ok(self.ids.step()?.single().number())
    }
}

impl AllSeeds {
    /// Makes the receiver of the next worker; the sender's workers come in the same order.
    #[must_use]
    pub fn receiver(&mut self, pi: &Arc<Permutation>) -> Receiver {
        let number = self.next_number();
        Receiver(Expansion::new((self.fan, false), &self.leaves, number, pi.clone()))
    }
}

impl SomeSeeds {
    /// Makes the sender of the next worker; the receiver's workers come in the same order.
    #[must_use]
    pub fn sender(&mut self, pi: &Arc<Permutation>) -> Sender {
        let number = self.next_number();
        let expansion = Expansion::new((self.fan, true), &self.leaves, number, pi.clone());
        Sender { expansion, delta: self.delta.clone() }
    }
}

/// The receiver of correlated OT: it chooses the bits `x`, and gets the blocks `t`.
pub struct Receiver(Expansion);

impl Receiver {
    /// Gives the words of the message for `words` words of choices.
    #[must_use]
    pub fn message_words(&self, words: usize) -> usize {
        words * self.0.fan.message_bits()
    }

    /// Takes up to [`TILE`] words of choices, writes the message for the sender, and gives the blocks `t`.
    ///
    /// # Errors
    /// When streams are used up.
    ///
    /// # Panics
    /// When there are more choices, or the message is not of [`Receiver::message_words`].
    pub fn correlate(&mut self, choices: &[u64], message: &mut [u64]) -> Result<&[u128], OtError> {
        let mut rows = std::mem::replace(&mut self.0.tile, Zeroizing::new(Vec::new()));
        rows.resize(64 * TILE, 0);
        let done = self.correlate_into(choices, message, &mut rows[..64 * choices.len()]);
        self.0.tile = rows;
        done?;
        Ok(&self.0.tile[..64 * choices.len()])
    }

    /// Takes up to [`TILE`] words of choices, writes the message for the sender, and the blocks `t` to `rows`.
    ///
    /// # Errors
    /// When streams are used up.
    ///
    /// # Panics
    /// When there are more choices, the message is not of [`Receiver::message_words`], or `rows` has not a block for
    /// each choice.
    pub fn correlate_into(
        &mut self,
        choices: &[u64],
        message: &mut [u64],
        rows: &mut [u128],
    ) -> Result<(), OtError> {
        let words = choices.len();
        assert!(words <= TILE && message.len() == self.message_words(words), "a tile of choices");
        assert_eq!(rows.len(), 64 * words, "a block for each choice");
        let it = &mut self.0;
        let (stream, stride) = (it.next()?, words.next_multiple_of(LANE));
        for (block, message) in message.chunks_exact_mut(words.max(1)).enumerate() {
            let (total, _) = it.fold(block, stream, stride);
            for ((out, total), choice) in message.iter_mut().zip(total).zip(choices) {
                *out = total ^ choice;
            }
        }
        it.transpose(words, rows);
        Ok(())
    }

    /// Takes any number of words of choices, and writes the message for the sender, tile after tile, and the chosen
    /// pads.
    ///
    /// # Errors
    /// When streams are used up.
    ///
    /// # Panics
    /// When lengths do not fit.
    pub fn bits(
        &mut self,
        choices: &[u64],
        message: &mut [u64],
        pads: &mut [u64],
    ) -> Result<(), OtError> {
        assert!(message.len() == self.message_words(choices.len()) && pads.len() == choices.len());
        let (pi, tile) = (self.0.pi.clone(), self.message_words(TILE));
        let tiles = choices.chunks(TILE).zip(message.chunks_mut(tile)).zip(pads.chunks_mut(TILE));
        for ((choices, message), pads) in tiles {
            pi.hash_bits(self.correlate(choices, message)?, 0, pads);
        }
        Ok(())
    }
}

/// The sender of correlated OT: it holds Delta, and gets the blocks `q`.
pub struct Sender {
    expansion: Expansion,
    /// Delta at a place of its own, as in the seeds that it comes from, so that moving this leaves no copy.
    delta: Box<Zeroizing<u128>>,
}

impl Sender {
    /// Gives a copy of Delta, at a place of its own.
    pub(crate) fn delta(&self) -> Box<Zeroizing<u128>> {
        self.delta.clone()
    }

    /// Gives the words of the receiver's message for `words` words of transfers.
    #[must_use]
    pub fn message_words(&self, words: usize) -> usize {
        words * self.expansion.fan.message_bits()
    }

    /// Takes the receiver's message for up to [`TILE`] words of transfers, and gives the blocks `q`.
    ///
    /// # Errors
    /// When streams are used up.
    ///
    /// # Panics
    /// When there are more transfers, or the message is not of [`Sender::message_words`].
    pub fn correlate(&mut self, words: usize, message: &[u64]) -> Result<&[u128], OtError> {
        let mut rows = std::mem::replace(&mut self.expansion.tile, Zeroizing::new(Vec::new()));
        rows.resize(64 * TILE, 0);
        let done = self.correlate_into(message, &mut rows[..64 * words]);
        self.expansion.tile = rows;
        done?;
        Ok(&self.expansion.tile[..64 * words])
    }

    /// Takes the receiver's message for up to [`TILE`] words of transfers, and writes the blocks `q` to `rows`, 64 to
    /// a word.
    ///
    /// # Errors
    /// When streams are used up.
    ///
    /// # Panics
    /// When there are more transfers, or the message is not of [`Sender::message_words`].
    pub fn correlate_into(&mut self, message: &[u64], rows: &mut [u128]) -> Result<(), OtError> {
        let words = rows.len() / 64;
        assert!(words <= TILE && message.len() == self.message_words(words), "a tile of transfers");
        let it = &mut self.expansion;
        let (stream, stride, k) = (it.next()?, words.next_multiple_of(LANE), it.fan.bits());
        for (block, message) in message.chunks_exact(words.max(1)).enumerate() {
            let (_, columns) = it.fold(block, stream, stride);
            for (bit, column) in columns.chunks_exact_mut(stride).enumerate() {
                let mask = mask((**self.delta >> (block * k + bit)) as u8) as u64;
                for (column, message) in column.iter_mut().zip(message) {
                    *column ^= message & mask;
                }
            }
        }
        it.transpose(words, rows);
        Ok(())
    }

    /// Takes the receiver's message for any number of words of transfers, and writes both pads of each.
    ///
    /// # Errors
    /// When streams are used up.
    ///
    /// # Panics
    /// When lengths do not fit.
    pub fn bits(&mut self, message: &[u64], pads: [&mut [u64]; 2]) -> Result<(), OtError> {
        let [zeros, ones] = pads;
        let (pi, delta) = (self.expansion.pi.clone(), **self.delta);
        assert!(message.len() == self.message_words(zeros.len()) && zeros.len() == ones.len());
        let tiles = zeros.chunks_mut(TILE).zip(ones.chunks_mut(TILE));
        for ((zeros, ones), message) in tiles.zip(message.chunks(self.message_words(TILE))) {
            let blocks = self.correlate(zeros.len(), message)?;
            pi.hash_bits(blocks, 0, zeros);
            pi.hash_bits(blocks, delta, ones);
        }
        Ok(())
    }
}
