//! Random transfers of bits from silent correlated OT: both sides' pads, 64 transfers to a word.

use super::{Receiver, Sender};
use crate::OtError;
use crate::transfer::{BitChoice, BitOffer};
use tacit_ring::Buffer;
use tacit_ring::prg::Permutation;

/// So many words of transfers are made together.
const TILE: usize = 64;

impl Sender {
    /// Makes words of random transfers of bits, and the message for the receiver. Pads are the lowest
    /// bits of `pi(x) ^ x`, for `x = q` and `q ^ Delta`.
    ///
    /// # Errors
    /// When streams are used up.
    ///
    /// # Panics
    /// When fewer transfers are left of the chain.
    pub fn bits(
        &mut self,
        pi: &Permutation,
        words: usize,
    ) -> Result<(BitOffer, Vec<u128>), OtError> {
        let mut message = vec![0; self.message_blocks(64 * words)];
        let mut pads: [Buffer<u64>; 2] = [Buffer::zeros(words), Buffer::zeros(words)];
        let (mut left, mut blocks) = (&mut message[..], Buffer::zeros(64 * words.min(TILE)));
        let delta = self.delta().clone();
        let [zeros, ones] = &mut pads;
        for (zeros, ones) in zeros.chunks_mut(TILE).zip(ones.chunks_mut(TILE)) {
            let blocks = &mut blocks[..64 * zeros.len()];
            let part = left.split_off_mut(..self.message_blocks(blocks.len()));
            self.correlate(part.expect("room for all trees"), blocks)?;
            pi.hash_bits(blocks, 0, zeros);
            pi.hash_bits(blocks, *delta, ones);
        }
        Ok((BitOffer::new(pads), message))
    }
}

impl Receiver {
    /// Makes words of random transfers of bits, from the sender's message.
    ///
    /// # Errors
    /// When the message has another length; nothing is taken then.
    ///
    /// # Panics
    /// When fewer transfers are left of the chain.
    pub fn bits(
        &mut self,
        pi: &Permutation,
        words: usize,
        message: &[u128],
    ) -> Result<BitChoice, OtError> {
        if message.len() != self.message_blocks(64 * words) {
            return Err(OtError::Malformed("messages of trees"));
        }
        let (mut choices, mut pads): (Buffer<u64>, _) =
            (Buffer::zeros(words), Buffer::zeros(words));
        let (mut left, mut blocks) = (message, Buffer::zeros(64 * words.min(TILE)));
        for (choices, pads) in choices.chunks_mut(TILE).zip(pads.chunks_mut(TILE)) {
            let blocks = &mut blocks[..64 * choices.len()];
            let (part, rest) = left.split_at(self.message_blocks(blocks.len()));
            left = rest;
            self.correlate(part, blocks)?;
            for (choices, blocks) in choices.iter_mut().zip(blocks.as_chunks::<64>().0) {
                let bits = (0..).zip(blocks).map(|(i, block)| (*block as u64 & 1) << i);
                *choices = bits.fold(0, |word, bit| word | bit);
            }
            pi.hash_bits(blocks, 0, pads);
        }
        Ok(BitChoice::new(choices, pads))
    }
}
