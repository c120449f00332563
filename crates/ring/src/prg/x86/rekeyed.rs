//! The hash under many keys: schedules of several keys are computed side by side, with the rounds of their
//! blocks.

use super::super::BLOCK;
use super::{Kernel, RCON, Width, load, next_key, store};
use std::arch::x86_64::*;

/// Keys whose blocks are hashed side by side: enough to hide the latency of their schedules.
const SIDE_BY_SIDE: usize = 8;
/// Keys whose blocks are hashed side by side with AVX-512.
const SIDE_BY_SIDE_512: usize = 16;

/// See [`hash_under`](crate::prg::hash_under); there is a block for each key.
pub(in crate::prg) fn hash_under<const N: usize>(
    kernel: Kernel,
    keys: &[u128],
    mut blocks: [&mut [u128]; N],
) {
    let mut at = 0;
    while matches!(kernel.0, Width::W512) && at + SIDE_BY_SIDE_512 <= keys.len() {
        // SAFETY: `Kernel::detect` found the features. All lists are as long as the keys.
        unsafe { hash_under512(keys, &mut blocks, at) }
        at += SIDE_BY_SIDE_512;
    }
    while at + SIDE_BY_SIDE <= keys.len() {
        // SAFETY: `Kernel::detect` found the features of the kernel it names, and a CPU with
        // AVX-512 has AVX2 too. All lists are as long as the keys.
        unsafe {
            match kernel.0 {
                Width::W128 => hash_under128::<N, SIDE_BY_SIDE>(keys, &mut blocks, at),
                Width::W256 | Width::W512 => hash_under256(keys, &mut blocks, at),
            }
        }
        at += SIDE_BY_SIDE;
    }
    for at in at..keys.len() {
        // SAFETY: as above.
        unsafe { hash_under128::<N, 1>(keys, &mut blocks, at) }
    }
}

#[target_feature(enable = "aes,sse4.1")]
fn hash_under128<const N: usize, const G: usize>(
    keys: &[u128],
    blocks: &mut [&mut [u128]; N],
    at: usize,
) {
    let zero = _mm_setzero_si128();
    let (mut round, mut inputs) = ([zero; G], [[zero; G]; N]);
    for (round, key) in round.iter_mut().zip(&keys[at..at + G]) {
        *round = load(&key.to_le_bytes());
    }
    for (inputs, list) in inputs.iter_mut().zip(&*blocks) {
        for (input, block) in inputs.iter_mut().zip(&list[at..at + G]) {
            let x = load(&block.to_le_bytes());
            *input = _mm_xor_si128(_mm_shuffle_epi32::<0x4E>(x), high_half(x));
        }
    }
    let mut state = inputs;
    for list in &mut state {
        for (x, key) in list.iter_mut().zip(&round) {
            *x = _mm_xor_si128(*x, *key);
        }
    }
    for (r, rcon) in RCON.into_iter().enumerate() {
        for key in &mut round {
            *key = next_key(*key, rcon);
        }
        for list in &mut state {
            for (x, key) in list.iter_mut().zip(&round) {
                *x =
                    if r < 9 { _mm_aesenc_si128(*x, *key) } else { _mm_aesenclast_si128(*x, *key) };
            }
        }
    }
    for ((list, state), inputs) in blocks.iter_mut().zip(&state).zip(&inputs) {
        for ((block, x), input) in list[at..at + G].iter_mut().zip(state).zip(inputs) {
            let mut bytes = [0; BLOCK];
            store(&mut bytes, _mm_xor_si128(*x, *input));
            *block = u128::from_le_bytes(bytes);
        }
    }
}

/// The high half, moved up to where the swapped low half is added to it.
#[inline]
#[target_feature(enable = "sse4.1")]
fn high_half(x: __m128i) -> __m128i {
    _mm_and_si128(x, _mm_set_epi64x(-1, 0))
}

/// Computes the next round keys of two keys; see [`next_key`].
#[inline]
#[target_feature(enable = "aes,vaes,avx2")]
pub(super) fn next_key256(last: __m256i, rcon: i32) -> __m256i {
    let w = _mm256_shuffle_epi32::<0xFF>(last);
    let rotated = _mm256_or_si256(_mm256_srli_epi32::<8>(w), _mm256_slli_epi32::<24>(w));
    let word = _mm256_aesenclast_epi128(rotated, _mm256_set1_epi32(rcon));
    let mut sum = _mm256_xor_si256(last, _mm256_slli_si256::<4>(last));
    sum = _mm256_xor_si256(sum, _mm256_slli_si256::<8>(sum));
    _mm256_xor_si256(sum, word)
}

#[target_feature(enable = "aes,vaes,avx2")]
fn hash_under256<const N: usize>(keys: &[u128], blocks: &mut [&mut [u128]; N], at: usize) {
    const PAIRS: usize = SIDE_BY_SIDE / 2;
    let top = _mm256_set_epi64x(-1, 0, -1, 0);
    let zero = _mm256_setzero_si256();
    let (mut round, mut inputs) = ([zero; PAIRS], [[zero; PAIRS]; N]);
    load_pairs(&keys[at..at + SIDE_BY_SIDE], &mut round);
    for (inputs, list) in inputs.iter_mut().zip(&*blocks) {
        load_pairs(&list[at..at + SIDE_BY_SIDE], inputs);
        for x in inputs {
            *x = _mm256_xor_si256(_mm256_shuffle_epi32::<0x4E>(*x), _mm256_and_si256(*x, top));
        }
    }
    let mut state = inputs;
    for list in &mut state {
        for (x, key) in list.iter_mut().zip(&round) {
            *x = _mm256_xor_si256(*x, *key);
        }
    }
    for (r, rcon) in RCON.into_iter().enumerate() {
        for key in &mut round {
            *key = next_key256(*key, rcon);
        }
        for list in &mut state {
            for (x, key) in list.iter_mut().zip(&round) {
                *x = if r < 9 {
                    _mm256_aesenc_epi128(*x, *key)
                } else {
                    _mm256_aesenclast_epi128(*x, *key)
                };
            }
        }
    }
    for ((list, state), inputs) in blocks.iter_mut().zip(&state).zip(&inputs) {
        let pairs = list[at..at + SIDE_BY_SIDE].as_chunks_mut::<2>().0;
        for (pair, (x, input)) in pairs.iter_mut().zip(state.iter().zip(inputs)) {
            // SAFETY: thirty-two writable bytes at any alignment.
            unsafe {
                _mm256_storeu_si256(pair.as_mut_ptr().cast(), _mm256_xor_si256(*x, *input));
            }
        }
    }
}

#[inline]
#[target_feature(enable = "avx2")]
fn load_pairs(blocks: &[u128], pairs: &mut [__m256i]) {
    for (pair, blocks) in pairs.iter_mut().zip(blocks.as_chunks::<2>().0) {
        // SAFETY: thirty-two readable bytes at any alignment.
        *pair = unsafe { _mm256_loadu_si256(blocks.as_ptr().cast()) };
    }
}

/// Computes the next round keys of four keys; see [`next_key`].
#[inline]
#[target_feature(enable = "aes,vaes,avx512f,avx512bw")]
pub(super) fn next_key512(last: __m512i, rcon: i32) -> __m512i {
    /// The sum of three.
    const XOR: i32 = 0x96;
    /// The last word of each block everywhere, rotated by a byte.
    const LAST: i32 = 0x0C0F_0E0D;
    let rotated = _mm512_shuffle_epi8(last, _mm512_set1_epi32(LAST));
    let word = _mm512_aesenclast_epi128(rotated, _mm512_set1_epi32(rcon));
    let sum = _mm512_xor_si512(last, _mm512_bslli_epi128::<4>(last));
    _mm512_ternarylogic_epi64::<XOR>(sum, _mm512_bslli_epi128::<8>(sum), word)
}

#[target_feature(enable = "aes,vaes,avx512f,avx512bw")]
fn hash_under512<const N: usize>(keys: &[u128], blocks: &mut [&mut [u128]; N], at: usize) {
    const FOURS: usize = SIDE_BY_SIDE_512 / 4;
    let top = _mm512_set_epi64(-1, 0, -1, 0, -1, 0, -1, 0);
    let zero = _mm512_setzero_si512();
    let (mut round, mut inputs) = ([zero; FOURS], [[zero; FOURS]; N]);
    load_fours(&keys[at..at + SIDE_BY_SIDE_512], &mut round);
    for (inputs, list) in inputs.iter_mut().zip(&*blocks) {
        load_fours(&list[at..at + SIDE_BY_SIDE_512], inputs);
        for x in inputs {
            *x = _mm512_xor_si512(_mm512_shuffle_epi32::<0x4E>(*x), _mm512_and_si512(*x, top));
        }
    }
    let mut state = inputs;
    for list in &mut state {
        for (x, key) in list.iter_mut().zip(&round) {
            *x = _mm512_xor_si512(*x, *key);
        }
    }
    for (r, rcon) in RCON.into_iter().enumerate() {
        for key in &mut round {
            *key = next_key512(*key, rcon);
        }
        for list in &mut state {
            for (x, key) in list.iter_mut().zip(&round) {
                *x = if r < 9 {
                    _mm512_aesenc_epi128(*x, *key)
                } else {
                    _mm512_aesenclast_epi128(*x, *key)
                };
            }
        }
    }
    for ((list, state), inputs) in blocks.iter_mut().zip(&state).zip(&inputs) {
        let fours = list[at..at + SIDE_BY_SIDE_512].as_chunks_mut::<4>().0;
        for (four, (x, input)) in fours.iter_mut().zip(state.iter().zip(inputs)) {
            // SAFETY: sixty-four writable bytes at any alignment.
            unsafe {
                _mm512_storeu_si512(four.as_mut_ptr().cast(), _mm512_xor_si512(*x, *input));
            }
        }
    }
}

#[inline]
#[target_feature(enable = "avx512f")]
fn load_fours(blocks: &[u128], fours: &mut [__m512i]) {
    for (four, blocks) in fours.iter_mut().zip(blocks.as_chunks::<4>().0) {
        // SAFETY: sixty-four readable bytes at any alignment.
        *four = unsafe { _mm512_loadu_si512(blocks.as_ptr().cast()) };
    }
}
