//! Products of what a sender of oblivious transfers holds with bits of the receiver, from pads that both hash:
//! the sender's share and the receiver's add up to the product. On bits in words, and on blocks.

use std::ops::{BitAnd, BitXor};
use tacit_ring::Buffer;
use tacit_ring::Word;

/// What products are made of: many bits in a word, or a block.
pub(super) trait Unit: Word + BitXor<Output = Self> + BitAnd<Output = Self> {}

impl Unit for u64 {}
impl Unit for u128 {}

/// What a sender answers, and its shares. `random` is empty where transfers are corrected: then the share is
/// the first pad, and the answer one unit. Else it is the share, and the answer both units, padded.
pub(super) fn answer<W: Unit>(
    [zeros, ones]: [&[W]; 2],
    random: &[W],
    offset: impl Fn(usize) -> W,
    mut add: impl FnMut(usize, W),
) -> Buffer<W> {
    if random.is_empty() {
        let mut message = Buffer::zeros(zeros.len());
        for (i, out) in message.iter_mut().enumerate() {
            *out = zeros[i] ^ ones[i] ^ offset(i);
            add(i, zeros[i]);
        }
        return message;
    }
    let mut message = Buffer::zeros(2 * zeros.len());
    for (i, out) in message.chunks_exact_mut(2).enumerate() {
        out[0] = random[i] ^ zeros[i];
        out[1] = random[i] ^ offset(i) ^ ones[i];
        add(i, random[i]);
    }
    message
}

/// The receiver's shares, from the pads that it chose: it adds to them what the sender answered. `mask` is one
/// wherever its bit is.
pub(super) fn resolve<W: Unit>(pads: &mut [W], message: &[W], mask: impl Fn(usize) -> W) {
    if message.len() == pads.len() {
        for (i, (pad, correction)) in pads.iter_mut().zip(message).enumerate() {
            *pad = *pad ^ (mask(i) & *correction);
        }
        return;
    }
    for (i, (pad, both)) in pads.iter_mut().zip(message.chunks_exact(2)).enumerate() {
        *pad = *pad ^ both[0] ^ (mask(i) & (both[0] ^ both[1]));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn shares_add_up_to_products(pads: [[u64; 2]; 5], choices: [u64; 5], offsets: [u64; 5], random: [u64; 5]) {
            for random in [&[][..], &random] {
                let [zeros, ones] = [0, 1].map(|which| pads.map(|pair| pair[which]));
                let mut sent = [0; 5];
                let message = answer([&zeros, &ones], random, |i| offsets[i], |i, share| sent[i] ^= share);
                let mut got: [u64; 5] =
                    std::array::from_fn(|i| zeros[i] & !choices[i] | ones[i] & choices[i]);
                resolve(&mut got, &message, |i| choices[i]);
                for i in 0..5 {
                    prop_assert_eq!(sent[i] ^ got[i], choices[i] & offsets[i]);
                }
            }
        }
    }
}
