//! AES-256, under keys that are used for a few blocks each.

use super::BLOCK;
use aes::cipher::{Array, BlockCipherEncrypt, KeyInit};
use aes::{Aes256, Block};
use zeroize::Zeroizing;

/// AES-256 of every block, in place, under the key of two blocks, the first one first. Blocks are 128-bit words,
/// little-endian.
pub fn encrypt_under([first, second]: [u128; 2], blocks: &mut [u128]) {
    let mut key = Zeroizing::new([0; 2 * BLOCK]);
    key[..BLOCK].copy_from_slice(&first.to_le_bytes());
    key[BLOCK..].copy_from_slice(&second.to_le_bytes());
    let cipher = Aes256::new(Array::cast_from_core(&key));
    let bytes: &mut [[u8; BLOCK]] = bytemuck::cast_slice_mut(blocks);
    cipher.encrypt_blocks(Block::cast_slice_from_core_mut(bytes));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_aes_256() {
        // FIPS 197, appendix C.3.
        let key: [u8; 32] = std::array::from_fn(|i| i as u8);
        let halves = key.as_chunks::<16>().0;
        let mut block = [u128::from_le_bytes(std::array::from_fn(|i| (i * 0x11) as u8))];
        encrypt_under([0, 1].map(|i| u128::from_le_bytes(halves[i])), &mut block);
        assert_eq!(hex::encode(block[0].to_le_bytes()), "8ea2b7ca516745bfeafc49904b496089");
    }
}
