//! A hash of blocks under many keys, each used for a few blocks.
//!
//! Source: C. Guo, J. Katz, X. Wang, C. Weng, Y. Yu, "Better Concrete Security for Half-Gates Garbling"
//! (CRYPTO 2020): `AES_k(f(x)) ^ f(x)` with `f(h, l) = (h ^ l, h)` on halves, circular correlation robust
//! in the ideal-cipher model, and tweakable by the key.

#[cfg(target_arch = "x86_64")]
use super::x86;
use super::{Backend, portable};
use crate::secret::Key;

/// The linear map `f(h, l) = (h ^ l, h)` on halves.
#[inline(always)]
fn orthomorphism(x: u128) -> u128 {
    let high = x >> 64;
    (x ^ high) << 64 | high
}

/// Hashes in place: block `i` of each list under key `i`.
///
/// # Panics
/// When a list has not a block for each key.
pub fn hash_under<const N: usize>(keys: &[u128], blocks: [&mut [u128]; N]) {
    hash_with(Backend::best(), keys, blocks);
}

pub(super) fn hash_with<const N: usize>(
    backend: Backend,
    keys: &[u128],
    mut blocks: [&mut [u128]; N],
) {
    assert!(blocks.iter().all(|list| list.len() == keys.len()), "a block for each key");
    #[cfg(target_arch = "x86_64")]
    if let Some(kernel) = x86::Kernel::detect(backend) {
        return x86::hash_under(kernel, keys, blocks);
    }
    let _ = backend;
    for (i, key) in keys.iter().enumerate() {
        let cipher = portable::Cipher::new(&Key::from_bytes(key.to_le_bytes()));
        for list in &mut blocks {
            let input = orthomorphism(list[i]);
            let mut block = [input.to_le_bytes()];
            cipher.encrypt(&mut block);
            list[i] = u128::from_le_bytes(block[0]) ^ input;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_answers() {
        let mut block = [0xffeeddccbbaa99887766554433221100, 0];
        let key = u128::from_le_bytes(std::array::from_fn(|i| i as u8));
        hash_under(&[key, 0], [&mut block]);
        let want = [0xb6d3af0a40e5cd56377cac1e15f22c24, 0x2e2b34ca59fa4c883b2c8aefd44be966];
        assert_eq!(block, want);
    }

    #[test]
    fn all_backends_and_all_numbers_of_blocks_agree() {
        let blocks: Vec<u128> = (0..90u128).map(|i| i * 0x9E37_79B9_7F4A_7C15_F39C_C060).collect();
        for len in [0, 1, 3, 7, 8, 9, 16, 19, 25, 30] {
            let keys = &blocks[60..60 + len];
            let run = |backend| {
                let (mut a, mut b) = (blocks[..len].to_vec(), blocks[30..30 + len].to_vec());
                hash_with(backend, keys, [&mut a, &mut b]);
                let mut c = blocks[..len].to_vec();
                hash_with(backend, keys, [&mut c]);
                assert_eq!(a, c);
                (a, b)
            };
            for backend in Backend::available() {
                assert!(run(backend) == run(Backend::Portable), "{backend:?}, {len} blocks");
            }
        }
    }
}
