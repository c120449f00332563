//! The PRG on the `aes` crate: the twin that the kernels are tested against.

use super::BLOCK;
use crate::secret::Key;
use aes::cipher::{Array, BlockCipherEncrypt, KeyInit};
use aes::{Aes128, Block};

pub(super) struct Cipher(Aes128);

impl Cipher {
    pub(super) fn new(key: &Key) -> Cipher {
        Cipher(Aes128::new(&Array(*key.expose())))
    }

    /// Encrypts whole blocks in place.
    pub(super) fn encrypt(&self, blocks: &mut [[u8; BLOCK]]) {
        self.0.encrypt_blocks(Block::cast_slice_from_core_mut(blocks));
    }

    pub(super) fn fill(&self, stream: u64, position: u64, out: &mut [u8]) {
        let (blocks, tail) = Block::slice_as_chunks_mut(out);
        let tail_position = position.wrapping_add(blocks.len() as u64);
        for (i, group) in blocks.chunks_mut(32).enumerate() {
            for (j, block) in group.iter_mut().enumerate() {
                *block = counter(stream, position + (i * 32 + j) as u64);
            }
            self.0.encrypt_blocks(group);
        }
        if !tail.is_empty() {
            let mut block = counter(stream, tail_position);
            self.0.encrypt_block(&mut block);
            tail.copy_from_slice(&block[..tail.len()]);
        }
    }
}

fn counter(stream: u64, position: u64) -> Block {
    let mut block = [0; BLOCK];
    block[..8].copy_from_slice(&position.to_le_bytes());
    block[8..].copy_from_slice(&stream.to_le_bytes());
    Array(block)
}
