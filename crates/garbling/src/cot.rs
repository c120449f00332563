//! Correlated OT for any number of bits, and pads from it.

use crate::bits::Bits;
use crate::silent::Made;
use tacit_ot::cot::TILE;
use tacit_ot::{OtError, Receiver, Sender};
use tacit_ring::prg::Permutation;
use zeroize::Zeroizing;

/// Chooses by `bits`; gives the message, and every block to `put`.
pub(crate) fn choose(
    receiver: &mut Receiver,
    bits: &Bits,
    mut put: impl FnMut(usize, u128),
) -> Result<Vec<u64>, OtError> {
    let mut message = vec![0; receiver.message_words(bits.words.len())];
    let tile = receiver.message_words(TILE);
    for ((tile, words), message) in
        bits.words.chunks(TILE).enumerate().zip(message.chunks_mut(tile))
    {
        let blocks = receiver.correlate(words, message)?;
        let start = tile * TILE * 64;
        for (i, block) in blocks.iter().enumerate().take(bits.len - start) {
            put(start + i, *block);
        }
    }
    Ok(message)
}

/// Takes `count` choices; gives every block to `put`.
pub(crate) fn take(
    sender: &mut Sender,
    count: usize,
    message: &[u64],
    mut put: impl FnMut(usize, u128),
) -> Result<(), OtError> {
    let words = count.div_ceil(64);
    for (tile, message) in message.chunks(sender.message_words(TILE)).enumerate() {
        let start = tile * TILE;
        let blocks = sender.correlate((words - start).min(TILE), message)?;
        for (i, block) in blocks.iter().enumerate().take(count - start * 64) {
            put(start * 64 + i, *block);
        }
    }
    Ok(())
}

/// The end of transfers with a peer that chooses.
pub(crate) enum Chooser<'a> {
    /// Transfers are made with the choices.
    Extending(&'a mut Receiver),
    /// They were made before, with random choices.
    Silent(&'a mut Made),
}

impl Chooser<'_> {
    /// Chooses by `bits`; gives the message, and every block to `put`.
    pub fn choose(
        self,
        bits: &Bits,
        mut put: impl FnMut(usize, u128),
    ) -> Result<Vec<u64>, OtError> {
        let made = match self {
            Chooser::Extending(receiver) => return choose(receiver, bits, put),
            Chooser::Silent(made) => made,
        };
        let mut message = bits.words.clone();
        for (i, block) in made.next(bits.len).iter().enumerate() {
            message[i / 64] ^= (*block as u64 & 1) << (i % 64);
            put(i, *block);
        }
        Ok(message)
    }
}

/// The end of transfers with a peer that offers.
pub(crate) enum Offerer<'a> {
    /// Transfers are made with the choices.
    Extending(&'a mut Sender),
    /// They were made before, with this offset.
    Silent(&'a mut Made, Zeroizing<u128>),
}

impl Offerer<'_> {
    /// Takes `count` choices; gives every block to `put`.
    pub fn take(
        self,
        count: usize,
        message: &[u64],
        mut put: impl FnMut(usize, u128),
    ) -> Result<(), OtError> {
        let (made, delta) = match self {
            Offerer::Extending(sender) => return take(sender, count, message, put),
            Offerer::Silent(made, delta) => (made, delta),
        };
        for (i, block) in made.next(count).iter().enumerate() {
            let other = u128::from(message[i / 64] >> (i % 64) & 1);
            put(i, block ^ (other * *delta));
        }
        Ok(())
    }
}

/// Where pads of consecutive gates begin that are hashed from what two roles have: the sender first. No two
/// purposes, gates of a session or directions have the same.
pub(crate) fn tweak(purpose: u8, first_gate: u64, [sender, receiver]: [usize; 2]) -> u128 {
    1 << 127
        | u128::from(purpose) << 120
        | u128::from(first_gate) << 32
        | (sender as u128) << 16
        | receiver as u128
}

/// Pads of consecutive gates from `tweak` on, hashed from blocks plus an offset.
pub(crate) fn pads(
    pi: &Permutation,
    tweak: u128,
    blocks: &[u128],
    offset: u128,
) -> Zeroizing<Vec<u128>> {
    let mut pads: Zeroizing<Vec<u128>> =
        Zeroizing::new(blocks.iter().map(|block| block ^ offset).collect());
    pi.hash_tweaked(tweak, 1 << 32, &mut pads);
    pads
}

/// The lowest bits of blocks.
pub(crate) fn lowest(blocks: &[u128]) -> Bits {
    let mut bits = Bits::zeros(blocks.len());
    blocks.iter().enumerate().for_each(|(i, block)| bits.flip_if(i, block & 1 == 1));
    bits
}
