//! AES-128 under a public key, as a permutation that nobody can tell from a random one, and hashes
//! made of it.
//!
//! Sources: C. Guo, J. Katz, X. Wang, Y. Yu, "Efficient and Secure Multiparty Computation from
//! Fixed-Key Block Ciphers" (S&P 2020): `pi(x) ^ x` is correlation robust, and
//! `pi(pi(x) ^ i) ^ pi(x)` tweakable circular correlation robust.

#[cfg(target_arch = "x86_64")]
use super::x86;
use super::{BLOCK, Backend, Cipher, portable};
use crate::secret::Key;

/// Blocks that are hashed in one go: they stay in the first-level cache.
const TILE: usize = 64;

/// `pi`: AES under a key that all parties know, drawn jointly for one session. Blocks are 128-bit
/// words, little-endian.
pub struct Permutation(Cipher);

impl Permutation {
    /// Takes the session's public `key`, for the fastest backend of this CPU.
    #[must_use]
    pub fn new(key: [u8; BLOCK]) -> Self {
        Self::with_backend(key, Backend::best()).unwrap_or_else(|| {
            Permutation(Cipher::Portable(portable::Cipher::new(&Key::from_bytes(key))))
        })
    }

    /// Takes the key for `backend`; `None` when this CPU lacks it. For tests and benchmarks.
    #[must_use]
    pub fn with_backend(key: [u8; BLOCK], backend: Backend) -> Option<Self> {
        let key = Key::from_bytes(key);
        Some(Permutation(match backend {
            Backend::Portable => Cipher::Portable(portable::Cipher::new(&key)),
            #[cfg(target_arch = "x86_64")]
            fast => Cipher::X86(x86::Cipher::new(&key, x86::Kernel::detect(fast)?)),
            #[cfg(not(target_arch = "x86_64"))]
            _ => return None,
        }))
    }

    /// Applies `pi` to every block, in place.
    pub fn apply(&self, blocks: &mut [u128]) {
        let bytes = bytemuck::cast_slice_mut(blocks);
        match &self.0 {
            Cipher::Portable(cipher) => cipher.encrypt(bytes),
            #[cfg(target_arch = "x86_64")]
            Cipher::X86(cipher) => cipher.encrypt(bytes),
            #[cfg(feature = "testing")]
            Cipher::Script(_) => unreachable!("a permutation has a real key"),
        }
    }

    /// Writes the lowest bits of `pi(x) ^ x`, for the blocks `x = block ^ offset`: 64 to a word.
    ///
    /// # Panics
    /// When there are not 64 blocks for each word.
    pub fn hash_bits(&self, blocks: &[u128], offset: u128, bits: &mut [u64]) {
        assert_eq!(blocks.len(), TILE * bits.len(), "64 blocks for each word");
        let (blocks, _) = blocks.as_chunks::<TILE>();
        match &self.0 {
            #[cfg(target_arch = "x86_64")]
            Cipher::X86(cipher) => cipher.hash_bits(blocks, offset, bits),
            _ => blocks.iter().zip(bits).for_each(|(blocks, bits)| {
                *bits = self.hash_bits_portable(blocks, offset);
            }),
        }
    }

    fn hash_bits_portable(&self, blocks: &[u128; TILE], offset: u128) -> u64 {
        let inputs = blocks.map(|block| block ^ offset);
        let mut hashed = inputs;
        self.apply(&mut hashed);
        let low = hashed.iter().zip(&inputs).map(|(hash, input)| (hash ^ input) as u64 & 1);
        (0..).zip(low).fold(0, |bits, (i, bit)| bits | bit << i)
    }

    /// Computes `pi(pi(x) ^ i) ^ pi(x)` for every block, in place; `i` goes up from `tweak` by `step`.
    pub fn hash_tweaked(&self, tweak: u128, step: u128, blocks: &mut [u128]) {
        let mut tweak = tweak;
        for blocks in blocks.chunks_mut(TILE) {
            self.apply(blocks);
            let mut again = [0; TILE];
            for (again, block) in again.iter_mut().zip(&*blocks) {
                *again = block ^ tweak;
                tweak = tweak.wrapping_add(step);
            }
            self.apply(&mut again[..blocks.len()]);
            for (block, again) in blocks.iter_mut().zip(again) {
                *block ^= again;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const KEY: [u8; BLOCK] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15];

    #[test]
    fn it_is_aes() {
        // FIPS 197, appendix C.1.
        let plain: [u8; BLOCK] = std::array::from_fn(|i| (i * 0x11) as u8);
        let mut block = [u128::from_le_bytes(plain)];
        Permutation::new(KEY).apply(&mut block);
        assert_eq!(hex::encode(block[0].to_le_bytes()), "69c4e0d86a7b0430d8cdb78070b4c55a");
    }

    #[test]
    fn the_tweaked_hash_gives_the_known_answer() {
        let mut block = [(1u128 << 127) + 0x1234];
        Permutation::new(KEY).hash_tweaked(9, 1, &mut block);
        assert_eq!(hex::encode(block[0].to_le_bytes()), "59d65bf58ffc7bf6be4aea36ead9d6c8");
    }

    #[test]
    fn the_tweaked_hash_is_that_of_cryprot() {
        // `AesHash::tccr_hash_slice_mut` of cryprot-core 0.3.2, under the same key: block, tweak, hash.
        for (block, tweak, want) in [
            (0x4c1eca7e8e961593f8b611746a11b5b5, 0, 0x33cc4096e9a845a00dd14d462eb3c512),
            (0x364ef2432e12e78feac03978ca056918, 1, 0x2443d27a05e0b7d4ac60b1525ced8297),
            (0x00293a35fcaabf4664ea592444f9e4c7, 9, 0x7299e79c47e294f85a0c24524b2c26aa),
            (0xf7d74e08ff622bac98e03f83982d64f2, 1 << 127, 0x65881b05fd028b8d4fff6f86c0aeec8a),
        ] {
            let mut hashed = [block];
            Permutation::new(KEY).hash_tweaked(tweak, 1, &mut hashed);
            assert_eq!(hashed, [want]);
        }
    }

    #[test]
    fn all_backends_and_all_numbers_of_blocks_agree() {
        let blocks: Vec<u128> = (0..150u128).map(|i| i * 0x9E37_79B9_7F4A_7C15_F39C_C060).collect();
        for len in [0, 1, 3, 4, 63, 64, 150] {
            let want: Vec<u128> = blocks[..len]
                .iter()
                .map(|block| {
                    let mut one = [*block];
                    Permutation::with_backend(KEY, Backend::Portable).unwrap().apply(&mut one);
                    one[0]
                })
                .collect();
            for backend in Backend::available() {
                let mut got = blocks[..len].to_vec();
                Permutation::with_backend(KEY, backend).unwrap().apply(&mut got);
                assert_eq!(got, want, "{backend:?}, {len} blocks");
            }
        }
    }

    #[test]
    fn bits_are_those_of_the_hash() {
        let blocks: Vec<u128> = (0..128u128).map(|i| i << 70 | i).collect();
        for backend in Backend::available() {
            let pi = Permutation::with_backend(KEY, backend).unwrap();
            let mut bits = [0; 2];
            pi.hash_bits(&blocks, 5, &mut bits);
            for (i, block) in blocks.iter().enumerate() {
                let mut hash = [block ^ 5];
                pi.apply(&mut hash);
                assert_eq!(bits[i / 64] >> (i % 64) & 1, ((hash[0] ^ block ^ 5) & 1) as u64);
            }
        }
    }
}
