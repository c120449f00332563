//! The PRG on AES-NI and VAES. Twin: [`super::portable`].
//!
//! Each kernel keeps several independent vectors of counters in flight, because one AES
//! round has a latency of three to five cycles and two can start per cycle.
#![allow(unsafe_code)]

mod folds;
mod halves;
mod lanes;
mod rekeyed;
mod sums;

pub(super) use folds::fold;
pub(super) use halves::{evaluate, garble};
pub(super) use rekeyed::hash_under;
pub(super) use sums::{add_sums, expand_fours, hash_columns};

use super::{BLOCK, Backend};
use crate::secret::Key;
use std::arch::is_x86_feature_detected as has;
use std::arch::x86_64::*;
use zeroize::{Zeroize, ZeroizeOnDrop};

/// The eleven round keys of AES-128.
#[derive(Zeroize, ZeroizeOnDrop)]
#[repr(C, align(16))]
pub(super) struct RoundKeys([[u8; BLOCK]; 11]);

/// A kernel whose CPU features were found: only [`Kernel::detect`] makes one.
#[derive(Clone, Copy)]
pub(super) struct Kernel(Width);

#[derive(Clone, Copy)]
enum Width {
    W128,
    W256,
    W512,
}

impl Kernel {
    pub(super) fn detect(backend: Backend) -> Option<Kernel> {
        let aes = has!("aes") && has!("sse4.1");
        let vaes = aes && has!("vaes") && has!("avx2");
        let wide = vaes && has!("avx512f") && has!("avx512bw");
        match backend {
            Backend::Portable => None,
            Backend::AesNi => aes.then_some(Kernel(Width::W128)),
            Backend::Vaes256 => vaes.then_some(Kernel(Width::W256)),
            Backend::Vaes512 => wide.then_some(Kernel(Width::W512)),
        }
    }

    pub(super) fn expand(self, key: &Key) -> RoundKeys {
        // SAFETY: every `Kernel` implies AES-NI.
        unsafe { expand(key.expose()) }
    }
}

pub(super) struct Cipher {
    keys: RoundKeys,
    kernel: Kernel,
}

impl Cipher {
    pub(super) fn new(key: &Key, kernel: Kernel) -> Cipher {
        Cipher { keys: kernel.expand(key), kernel }
    }

    #[inline]
    pub(super) fn fill(&self, stream: u64, position: u64, out: &mut [u8]) {
        // SAFETY: `Kernel::detect` found the features of the kernel it names.
        unsafe {
            match self.kernel.0 {
                Width::W128 => fill128(&self.keys, stream, position, out),
                Width::W256 => fill256(&self.keys, stream, position, out),
                Width::W512 => fill512(&self.keys, stream, position, out),
            }
        }
    }

    /// The lowest bits of `pi(x) ^ x` for `x = block ^ offset`, 64 to a word.
    #[inline]
    pub(super) fn hash_bits(&self, blocks: &[[u128; 64]], offset: u128, bits: &mut [u64]) {
        for (blocks, bits) in blocks.iter().zip(bits) {
            // SAFETY: `Kernel::detect` found the features of the kernel it names.
            *bits = unsafe {
                match self.kernel.0 {
                    Width::W128 => hash_bits128(&self.keys, blocks, offset),
                    Width::W256 => hash_bits256(&self.keys, blocks, offset),
                    Width::W512 => hash_bits512(&self.keys, blocks, offset),
                }
            };
        }
    }

    /// Encrypts whole blocks in place.
    #[inline]
    pub(super) fn encrypt(&self, blocks: &mut [[u8; BLOCK]]) {
        let data = blocks.as_flattened_mut();
        // SAFETY: `Kernel::detect` found the features of the kernel it names.
        unsafe {
            match self.kernel.0 {
                Width::W128 => encrypt_all128(&self.keys, data),
                Width::W256 => encrypt_all256(&self.keys, data),
                Width::W512 => encrypt_all512(&self.keys, data),
            }
        }
    }
}

/// The round constants of AES-128.
const RCON: [i32; 10] = [0x01, 0x02, 0x04, 0x08, 0x10, 0x20, 0x40, 0x80, 0x1B, 0x36];

#[target_feature(enable = "aes,sse4.1")]
fn expand(key: &[u8; BLOCK]) -> RoundKeys {
    let mut keys = RoundKeys([[0; BLOCK]; 11]);
    keys.0[0] = *key;
    for (round, rcon) in RCON.into_iter().enumerate() {
        let next = next_key(load(&keys.0[round]), rcon);
        store(&mut keys.0[round + 1], next);
    }
    keys
}

/// The round key after `last` (FIPS 197, 5.2): the running XOR of its words, each with
/// `SubWord(RotWord(w)) ^ rcon` of its last word `w`. With `w` in all columns the last
/// round's row shift does nothing, so that round is the S-box, in constant time.
#[inline]
#[target_feature(enable = "aes,sse4.1")]
fn next_key(last: __m128i, rcon: i32) -> __m128i {
    let w = _mm_shuffle_epi32::<0xFF>(last);
    let rotated = _mm_or_si128(_mm_srli_epi32::<8>(w), _mm_slli_epi32::<24>(w));
    let word = _mm_aesenclast_si128(rotated, _mm_set1_epi32(rcon));
    let mut sum = _mm_xor_si128(last, _mm_slli_si128::<4>(last));
    sum = _mm_xor_si128(sum, _mm_slli_si128::<8>(sum));
    _mm_xor_si128(sum, word)
}

#[inline]
#[target_feature(enable = "sse4.1")]
fn load(block: &[u8; BLOCK]) -> __m128i {
    // SAFETY: sixteen readable bytes at any alignment.
    unsafe { _mm_loadu_si128(block.as_ptr().cast()) }
}

#[inline]
#[target_feature(enable = "sse4.1")]
fn store(block: &mut [u8; BLOCK], value: __m128i) {
    // SAFETY: sixteen writable bytes at any alignment.
    unsafe { _mm_storeu_si128(block.as_mut_ptr().cast(), value) }
}

#[inline]
#[target_feature(enable = "aes,sse4.1")]
fn encrypt128<const N: usize>(keys: &RoundKeys, mut blocks: [__m128i; N]) -> [__m128i; N] {
    let whitening = load(&keys.0[0]);
    for b in &mut blocks {
        *b = _mm_xor_si128(*b, whitening);
    }
    for key in &keys.0[1..10] {
        let key = load(key);
        for b in &mut blocks {
            *b = _mm_aesenc_si128(*b, key);
        }
    }
    let key = load(&keys.0[10]);
    for b in &mut blocks {
        *b = _mm_aesenclast_si128(*b, key);
    }
    blocks
}

/// Blocks one at a time, and a cut last block: for what is left of the wide kernels' work.
#[inline]
#[target_feature(enable = "aes,sse4.1")]
fn fill_tail(keys: &RoundKeys, mut counter: __m128i, out: &mut [u8]) {
    let (blocks, tail) = out.as_chunks_mut::<BLOCK>();
    for block in blocks {
        let [value] = encrypt128(keys, [counter]);
        store(block, value);
        counter = _mm_add_epi64(counter, _mm_set_epi64x(0, 1));
    }
    if !tail.is_empty() {
        let mut block = [0; BLOCK];
        let [value] = encrypt128(keys, [counter]);
        store(&mut block, value);
        tail.copy_from_slice(&block[..tail.len()]);
    }
}

#[target_feature(enable = "aes,sse4.1")]
fn fill128(keys: &RoundKeys, stream: u64, position: u64, out: &mut [u8]) {
    const N: usize = 8;
    let one = _mm_set_epi64x(0, 1);
    let mut counter = _mm_set_epi64x(stream as i64, position as i64);
    let (groups, tail) = out.as_chunks_mut::<{ N * BLOCK }>();
    for group in groups {
        let mut blocks = [counter; N];
        for b in &mut blocks {
            *b = counter;
            counter = _mm_add_epi64(counter, one);
        }
        let blocks = encrypt128(keys, blocks);
        for (out, value) in group.as_chunks_mut::<BLOCK>().0.iter_mut().zip(blocks) {
            store(out, value);
        }
    }
    fill_tail(keys, counter, tail);
}

#[inline]
#[target_feature(enable = "aes,vaes,avx2")]
fn encrypt256<const N: usize>(keys: &RoundKeys, mut blocks: [__m256i; N]) -> [__m256i; N] {
    let whitening = _mm256_broadcastsi128_si256(load(&keys.0[0]));
    for b in &mut blocks {
        *b = _mm256_xor_si256(*b, whitening);
    }
    for key in &keys.0[1..10] {
        let key = _mm256_broadcastsi128_si256(load(key));
        for b in &mut blocks {
            *b = _mm256_aesenc_epi128(*b, key);
        }
    }
    let key = _mm256_broadcastsi128_si256(load(&keys.0[10]));
    for b in &mut blocks {
        *b = _mm256_aesenclast_epi128(*b, key);
    }
    blocks
}

/// Fills whole groups of `N` vectors; returns what is left and the counter of its start.
#[inline]
#[target_feature(enable = "aes,vaes,avx2")]
fn groups256<'a, const N: usize, const BYTES: usize>(
    keys: &RoundKeys,
    mut counter: __m256i,
    out: &'a mut [u8],
) -> (__m256i, &'a mut [u8]) {
    const { assert!(BYTES == N * 32) };
    let two = _mm256_set_epi64x(0, 2, 0, 2);
    let (groups, rest) = out.as_chunks_mut::<BYTES>();
    for group in groups {
        let mut blocks = [counter; N];
        for b in &mut blocks {
            *b = counter;
            counter = _mm256_add_epi64(counter, two);
        }
        let blocks = encrypt256(keys, blocks);
        for (out, value) in group.as_chunks_mut::<32>().0.iter_mut().zip(blocks) {
            // SAFETY: thirty-two writable bytes at any alignment.
            unsafe { _mm256_storeu_si256(out.as_mut_ptr().cast(), value) }
        }
    }
    (counter, rest)
}

#[target_feature(enable = "aes,vaes,avx2")]
fn fill256(keys: &RoundKeys, stream: u64, position: u64, out: &mut [u8]) {
    let (s, p) = (stream as i64, position as i64);
    let counter = _mm256_set_epi64x(s, p.wrapping_add(1), s, p);
    let (counter, rest) = groups256::<8, 256>(keys, counter, out);
    let (counter, rest) = groups256::<1, 32>(keys, counter, rest);
    fill_tail(keys, _mm256_castsi256_si128(counter), rest);
}

#[inline]
#[target_feature(enable = "aes,vaes,avx512f")]
fn encrypt512<const N: usize>(keys: &RoundKeys, mut blocks: [__m512i; N]) -> [__m512i; N] {
    let whitening = _mm512_broadcast_i32x4(load(&keys.0[0]));
    for b in &mut blocks {
        *b = _mm512_xor_si512(*b, whitening);
    }
    for key in &keys.0[1..10] {
        let key = _mm512_broadcast_i32x4(load(key));
        for b in &mut blocks {
            *b = _mm512_aesenc_epi128(*b, key);
        }
    }
    let key = _mm512_broadcast_i32x4(load(&keys.0[10]));
    for b in &mut blocks {
        *b = _mm512_aesenclast_epi128(*b, key);
    }
    blocks
}

/// Fills whole groups of `N` vectors; returns what is left and the counter of its start.
#[inline]
#[target_feature(enable = "aes,vaes,avx512f")]
fn groups512<'a, const N: usize, const BYTES: usize>(
    keys: &RoundKeys,
    mut counter: __m512i,
    out: &'a mut [u8],
) -> (__m512i, &'a mut [u8]) {
    const { assert!(BYTES == N * 64) };
    let four = _mm512_set_epi64(0, 4, 0, 4, 0, 4, 0, 4);
    let (groups, rest) = out.as_chunks_mut::<BYTES>();
    for group in groups {
        let mut blocks = [counter; N];
        for b in &mut blocks {
            *b = counter;
            counter = _mm512_add_epi64(counter, four);
        }
        let blocks = encrypt512(keys, blocks);
        for (out, value) in group.as_chunks_mut::<64>().0.iter_mut().zip(blocks) {
            // SAFETY: sixty-four writable bytes at any alignment.
            unsafe { _mm512_storeu_si512(out.as_mut_ptr().cast(), value) }
        }
    }
    (counter, rest)
}

#[target_feature(enable = "aes,vaes,avx512f")]
fn fill512(keys: &RoundKeys, stream: u64, position: u64, out: &mut [u8]) {
    let s = stream as i64;
    let p = |i: i64| (position as i64).wrapping_add(i);
    let counter = _mm512_set_epi64(s, p(3), s, p(2), s, p(1), s, p(0));
    let (counter, rest) = groups512::<8, 512>(keys, counter, out);
    let (counter, rest) = groups512::<1, 64>(keys, counter, rest);
    fill_tail(keys, _mm512_castsi512_si128(counter), rest);
}

/// Encrypts whole groups of `N` vectors in place; returns what is left.
#[inline]
#[target_feature(enable = "aes,vaes,avx512f")]
fn in_place512<'a, const N: usize, const BYTES: usize>(
    keys: &RoundKeys,
    data: &'a mut [u8],
) -> &'a mut [u8] {
    const { assert!(BYTES == N * 64) };
    let (groups, rest) = data.as_chunks_mut::<BYTES>();
    for group in groups {
        let vectors = group.as_chunks_mut::<64>().0;
        let mut blocks = [_mm512_setzero_si512(); N];
        for (b, from) in blocks.iter_mut().zip(&*vectors) {
            // SAFETY: sixty-four readable bytes at any alignment.
            *b = unsafe { _mm512_loadu_si512(from.as_ptr().cast()) };
        }
        for (to, value) in vectors.iter_mut().zip(encrypt512(keys, blocks)) {
            // SAFETY: sixty-four writable bytes at any alignment.
            unsafe { _mm512_storeu_si512(to.as_mut_ptr().cast(), value) }
        }
    }
    rest
}

/// Encrypts whole groups of `N` vectors of 256 bits in place; returns what is left.
#[inline]
#[target_feature(enable = "aes,vaes,avx2")]
fn in_place256<'a, const N: usize, const BYTES: usize>(
    keys: &RoundKeys,
    data: &'a mut [u8],
) -> &'a mut [u8] {
    const { assert!(BYTES == N * 32) };
    let (groups, rest) = data.as_chunks_mut::<BYTES>();
    for group in groups {
        let vectors = group.as_chunks_mut::<32>().0;
        let mut blocks = [_mm256_setzero_si256(); N];
        for (b, from) in blocks.iter_mut().zip(&*vectors) {
            // SAFETY: thirty-two readable bytes at any alignment.
            *b = unsafe { _mm256_loadu_si256(from.as_ptr().cast()) };
        }
        for (to, value) in vectors.iter_mut().zip(encrypt256(keys, blocks)) {
            // SAFETY: thirty-two writable bytes at any alignment.
            unsafe { _mm256_storeu_si256(to.as_mut_ptr().cast(), value) }
        }
    }
    rest
}

/// Encrypts whole groups of `N` blocks in place; returns what is left.
#[inline]
#[target_feature(enable = "aes,sse4.1")]
fn in_place128<'a, const N: usize, const BYTES: usize>(
    keys: &RoundKeys,
    data: &'a mut [u8],
) -> &'a mut [u8] {
    const { assert!(BYTES == N * BLOCK) };
    let (groups, rest) = data.as_chunks_mut::<BYTES>();
    for group in groups {
        let vectors = group.as_chunks_mut::<BLOCK>().0;
        let mut blocks = [_mm_setzero_si128(); N];
        for (b, from) in blocks.iter_mut().zip(&*vectors) {
            *b = load(from);
        }
        for (to, value) in vectors.iter_mut().zip(encrypt128(keys, blocks)) {
            store(to, value);
        }
    }
    rest
}

#[target_feature(enable = "aes,vaes,avx512f")]
fn encrypt_all512(keys: &RoundKeys, data: &mut [u8]) {
    let rest = in_place512::<8, 512>(keys, data);
    let rest = in_place512::<1, 64>(keys, rest);
    in_place128::<1, BLOCK>(keys, rest);
}

#[target_feature(enable = "aes,vaes,avx2")]
fn encrypt_all256(keys: &RoundKeys, data: &mut [u8]) {
    let rest = in_place256::<8, 256>(keys, data);
    let rest = in_place256::<1, 32>(keys, rest);
    in_place128::<1, BLOCK>(keys, rest);
}

#[target_feature(enable = "aes,sse4.1")]
fn encrypt_all128(keys: &RoundKeys, data: &mut [u8]) {
    let rest = in_place128::<8, 128>(keys, data);
    in_place128::<1, BLOCK>(keys, rest);
}

#[target_feature(enable = "aes,vaes,avx512f")]
fn hash_bits512(keys: &RoundKeys, blocks: &[u128; 64], offset: u128) -> u64 {
    let offset = _mm512_broadcast_i32x4(load(&offset.to_le_bytes()));
    let low_halves = _mm512_set_epi64(14, 12, 10, 8, 6, 4, 2, 0);
    let one = _mm512_set1_epi64(1);
    let mut bits = 0;
    for (i, group) in blocks.as_chunks::<32>().0.iter().enumerate() {
        let mut x = [offset; 8];
        for (x, four) in x.iter_mut().zip(group.as_chunks::<4>().0) {
            // SAFETY: sixty-four readable bytes at any alignment.
            let four = unsafe { _mm512_loadu_si512(four.as_ptr().cast()) };
            *x = _mm512_xor_si512(*x, four);
        }
        let y = encrypt512(keys, x);
        for j in 0..4 {
            let [first, second] = [2 * j, 2 * j + 1].map(|k| _mm512_xor_si512(x[k], y[k]));
            // The low halves of eight blocks, in order.
            let low = _mm512_permutex2var_epi64(first, low_halves, second);
            bits |= u64::from(_mm512_test_epi64_mask(low, one)) << (32 * i + 8 * j);
        }
    }
    bits
}

#[target_feature(enable = "aes,vaes,avx2")]
fn hash_bits256(keys: &RoundKeys, blocks: &[u128; 64], offset: u128) -> u64 {
    let offset = _mm256_broadcastsi128_si256(load(&offset.to_le_bytes()));
    let mut bits = 0;
    for (i, group) in blocks.as_chunks::<16>().0.iter().enumerate() {
        let mut x = [offset; 8];
        for (x, pair) in x.iter_mut().zip(group.as_chunks::<2>().0) {
            // SAFETY: thirty-two readable bytes at any alignment.
            let pair = unsafe { _mm256_loadu_si256(pair.as_ptr().cast()) };
            *x = _mm256_xor_si256(*x, pair);
        }
        let y = encrypt256(keys, x);
        for j in 0..4 {
            let [first, second] = [2 * j, 2 * j + 1].map(|k| _mm256_xor_si256(x[k], y[k]));
            // The low halves of four blocks, in order.
            let low = _mm256_unpacklo_epi64(first, second);
            let low = _mm256_permute4x64_epi64::<0b11_01_10_00>(low);
            let signs = _mm256_castsi256_pd(_mm256_slli_epi64::<63>(low));
            bits |= (_mm256_movemask_pd(signs) as u64) << (16 * i + 4 * j);
        }
    }
    bits
}

#[target_feature(enable = "aes,sse4.1")]
fn hash_bits128(keys: &RoundKeys, blocks: &[u128; 64], offset: u128) -> u64 {
    let offset = load(&offset.to_le_bytes());
    let mut bits = 0;
    for (i, group) in blocks.as_chunks::<8>().0.iter().enumerate() {
        let x = group.map(|block| _mm_xor_si128(load(&block.to_le_bytes()), offset));
        let y = encrypt128(keys, x);
        for j in 0..4 {
            let [first, second] = [2 * j, 2 * j + 1].map(|k| _mm_xor_si128(x[k], y[k]));
            let low = _mm_unpacklo_epi64(first, second);
            let signs = _mm_castsi128_pd(_mm_slli_epi64::<63>(low));
            bits |= (_mm_movemask_pd(signs) as u64) << (8 * i + 2 * j);
        }
    }
    bits
}
