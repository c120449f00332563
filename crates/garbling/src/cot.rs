//! Correlated OT for any number of bits.

use crate::bits::Bits;
use tacit_ot::cot::TILE;
use tacit_ot::{OtError, Receiver, Sender};

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
