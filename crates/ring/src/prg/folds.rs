//! Sums of the streams of numbered generators: of all of them, and, for every bit of their numbers, of those whose
//! number has it set. Correlated OT is made of such sums.

#[cfg(target_arch = "x86_64")]
use super::x86;
use super::{BLOCK, Backend, portable};
use crate::secret::Key;
use zeroize::Zeroizing;

/// Blocks of streams are summed in multiples of this: the blocks in a vector of the widest backend.
pub const FOLD: usize = 4;

/// Groups of `2^k` generators, numbered from zero in each group. Generator zero may be missing: then its stream counts
/// as zeros. The streams are those of [`Prg`](super::Prg).
pub struct Folds {
    bits: usize,
    missing: bool,
    ciphers: Ciphers,
}

enum Ciphers {
    Portable(Vec<portable::Cipher>),
    #[cfg(target_arch = "x86_64")]
    X86(x86::Kernel, Vec<x86::RoundKeys>),
}

impl Folds {
    /// Makes `blocks` groups of `2^bits` generators, or of one fewer each if generator zero is missing. `key` gives
    /// the key of a generator by group and number. The fastest backend of this CPU computes the streams.
    ///
    /// # Panics
    /// When `bits` is not 1, 2, 4 or 8.
    #[must_use]
    pub fn new(
        (bits, missing): (usize, bool),
        blocks: usize,
        key: impl Fn(usize, usize) -> Key,
    ) -> Self {
        Self::with_backend(Backend::best(), (bits, missing), blocks, key)
    }

    fn with_backend(
        backend: Backend,
        (bits, missing): (usize, bool),
        blocks: usize,
        key: impl Fn(usize, usize) -> Key,
    ) -> Self {
        assert!([1, 2, 4, 8].contains(&bits), "numbers of 1, 2, 4 or 8 bits");
        let _ = backend;
        let numbers = usize::from(missing)..1 << bits;
        let keys = (0..blocks).flat_map(|block| numbers.clone().map(move |number| (block, number)));
        let keys = keys.map(|(block, number)| key(block, number));
        let len = blocks * numbers.len();
        #[cfg(target_arch = "x86_64")]
        if let Some(kernel) = x86::Kernel::detect(backend) {
            let ciphers = Ciphers::X86(kernel, filled(len, keys.map(|key| kernel.expand(&key))));
            return Folds { bits, missing, ciphers };
        }
        let ciphers = Ciphers::Portable(filled(len, keys.map(|key| portable::Cipher::new(&key))));
        Folds { bits, missing, ciphers }
    }

    /// Generators of a block.
    fn present(&self) -> usize {
        (1 << self.bits) - usize::from(self.missing)
    }

    /// Writes sums over the generators of the group `block`, of stream `stream` from its start. `total` is the sum of
    /// all; `sums` holds, for every bit of the numbers from the lowest on, the sum of those that have the bit set, one
    /// after the other.
    ///
    /// This addresses streams freely: nothing stops its caller from using one twice.
    ///
    /// # Panics
    /// When there is no such group, when `total` is not a multiple of [`FOLD`] blocks, or when `sums` is not as long as
    /// `total` times `bits`.
    pub fn sums(&self, block: usize, stream: u64, total: &mut [u128], sums: &mut [u128]) {
        assert!(total.len().is_multiple_of(FOLD), "whole vectors");
        assert_eq!(sums.len(), self.bits * total.len(), "a sum for each bit");
        let range = block * self.present()..(block + 1) * self.present();
        match &self.ciphers {
            #[cfg(target_arch = "x86_64")]
            Ciphers::X86(kernel, keys) => {
                x86::fold(*kernel, (self.bits, &keys[range]), stream, total, sums);
            }
            Ciphers::Portable(ciphers) => self.sums_portable(&ciphers[range], stream, total, sums),
        }
    }

    fn sums_portable(
        &self,
        ciphers: &[portable::Cipher],
        stream: u64,
        total: &mut [u128],
        sums: &mut [u128],
    ) {
        total.fill(0);
        sums.fill(0);
        let mut one = Zeroizing::new(vec![0u8; total.len() * BLOCK]);
        for (number, cipher) in (usize::from(self.missing)..).zip(ciphers) {
            cipher.fill(stream, 0, &mut one);
            add(total, &one);
            let lists = sums.chunks_exact_mut(total.len().max(1)).enumerate();
            lists.filter(|(bit, _)| number >> bit & 1 == 1).for_each(|(_, sum)| add(sum, &one));
        }
    }
}

/// A list that is not moved as it grows, which would leave copies.
fn filled<T>(len: usize, items: impl Iterator<Item = T>) -> Vec<T> {
    let mut list = Vec::with_capacity(len);
    list.extend(items);
    list
}

fn add(to: &mut [u128], bytes: &[u8]) {
    for (to, block) in to.iter_mut().zip(bytes.as_chunks::<BLOCK>().0) {
        *to ^= u128::from_ne_bytes(*block);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Prg;

    fn key(block: usize, number: usize) -> Key {
        Key::from_bytes(std::array::from_fn(|i| (i * 31 + block * 7 + number * 3) as u8))
    }

    /// By definition, from whole streams.
    fn check(backend: Backend, bits: usize, missing: bool, len: usize) {
        let numbers = usize::from(missing)..1 << bits;
        let folds = Folds::with_backend(backend, (bits, missing), 3, key);
        for (block, stream) in [(2, 5), (0, u64::MAX)] {
            let mut want = vec![0u128; (bits + 1) * len];
            for number in numbers.clone() {
                let mut bytes = vec![0; 16 * len];
                Prg::with_backend(&key(block, number), Backend::Portable)
                    .unwrap()
                    .fill(stream, 0, &mut bytes);
                for (list, want) in want.chunks_exact_mut(len.max(1)).enumerate() {
                    if list == bits || number >> list & 1 == 1 {
                        add(want, &bytes);
                    }
                }
            }
            let (mut total, mut sums) = (vec![7; len], vec![7; bits * len]);
            folds.sums(block, stream, &mut total, &mut sums);
            assert!(sums == want[..bits * len], "{backend:?} {bits} {missing} {len}");
            assert!(total == want[bits * len..], "{backend:?} {bits} {missing} {len}");
        }
    }

    #[test]
    fn all_backends_give_the_sums_of_every_shape() {
        for backend in Backend::available() {
            for missing in [false, true] {
                for bits in [1, 2, 4] {
                    [0, 4, 8, 12, 32, 36]
                        .into_iter()
                        .for_each(|n| check(backend, bits, missing, n));
                }
                [4, 12].into_iter().for_each(|n| check(backend, 8, missing, n));
            }
        }
    }

    #[test]
    #[should_panic(expected = "a sum for each bit")]
    fn sums_of_another_length_are_refused() {
        let folds = Folds::new((1, false), 1, key);
        folds.sums(0, 1, &mut [0; 4], &mut [0; 8]);
    }
}
