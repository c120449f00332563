//! Vectors of blocks: what kernels that are written once for all widths need of them.

use super::rekeyed::{next_key256, next_key512};
use super::{BLOCK, load, next_key};
use std::arch::x86_64::*;

/// Lanes of the widest vector.
pub(super) const LANES: usize = 4;

/// A register of several blocks. Code that is generic over it is inlined into functions that have its CPU features; it
/// keeps vectors out of closures, which do not have them.
///
/// # Safety
/// All functions may be called only where the vector's CPU features were found.
pub(super) trait Lanes: Copy {
    /// Blocks of a vector.
    const COUNT: usize;

    /// Loads the vector from as many blocks.
    unsafe fn load(from: &[u128]) -> Self;

    /// Stores the vector to as many blocks.
    unsafe fn store(self, to: &mut [u128]);

    /// Loads the blocks at the first places.
    unsafe fn gather(from: *const u128, places: &[usize; LANES]) -> Self;

    /// Stores the blocks to the first places. Where places are the same, the first lane's block stays.
    unsafe fn scatter(self, to: *mut u128, places: &[usize; LANES]);

    /// Fills all lanes with one block.
    unsafe fn splat(block: u128) -> Self;

    /// Fills all lanes with one block from memory.
    unsafe fn broadcast(block: &[u8; BLOCK]) -> Self;

    unsafe fn xor(self, other: Self) -> Self;

    unsafe fn or(self, other: Self) -> Self;

    unsafe fn and(self, other: Self) -> Self;

    /// The lowest bit of every block, from the lowest bit on.
    unsafe fn lowest(self) -> u32;

    /// Twice the elements of GF(2^128); see [`times_x`](crate::gf128::times_x).
    unsafe fn double(self) -> Self;

    /// `f(h, l) = (h ^ l, h)` on halves.
    unsafe fn orthomorphism(self) -> Self;

    /// All ones in blocks whose lowest bit is set.
    unsafe fn mask(self) -> Self;

    /// Sums of 64-bit words.
    unsafe fn add_words(self, other: Self) -> Self;

    /// A round of AES.
    unsafe fn round(self, key: Self) -> Self;

    /// The last round of AES.
    unsafe fn last_round(self, key: Self) -> Self;

    /// The round keys after these; see [`next_key`].
    unsafe fn next_key(self, rcon: i32) -> Self;
}

/// Checks a length before blocks are loaded or stored.
#[inline(always)]
fn check(blocks: usize, lanes: usize) {
    assert!(blocks == lanes, "a block for each lane");
}

impl Lanes for __m128i {
    const COUNT: usize = 1;

    #[inline(always)]
    unsafe fn load(from: &[u128]) -> Self {
        check(from.len(), Self::COUNT);
        // SAFETY: sixteen readable bytes at any alignment; the caller found the features.
        unsafe { _mm_loadu_si128(from.as_ptr().cast()) }
    }

    #[inline(always)]
    unsafe fn store(self, to: &mut [u128]) {
        check(to.len(), Self::COUNT);
        // SAFETY: sixteen writable bytes at any alignment; the caller found the features.
        unsafe { _mm_storeu_si128(to.as_mut_ptr().cast(), self) }
    }

    #[inline(always)]
    unsafe fn gather(from: *const u128, [at, ..]: &[usize; LANES]) -> Self {
        // SAFETY: the caller's places are readable; it found the features.
        unsafe { _mm_loadu_si128(from.add(*at).cast()) }
    }

    #[inline(always)]
    unsafe fn scatter(self, to: *mut u128, [at, ..]: &[usize; LANES]) {
        // SAFETY: the caller's places are writable; it found the features.
        unsafe { _mm_storeu_si128(to.add(*at).cast(), self) }
    }

    #[inline(always)]
    unsafe fn splat(block: u128) -> Self {
        // SAFETY: the caller found the features.
        unsafe { load(&block.to_le_bytes()) }
    }

    #[inline(always)]
    unsafe fn broadcast(block: &[u8; BLOCK]) -> Self {
        // SAFETY: the caller found the features.
        unsafe { load(block) }
    }

    #[inline(always)]
    unsafe fn xor(self, other: Self) -> Self {
        // SAFETY: the caller found the features.
        unsafe { _mm_xor_si128(self, other) }
    }

    #[inline(always)]
    unsafe fn or(self, other: Self) -> Self {
        // SAFETY: the caller found the features.
        unsafe { _mm_or_si128(self, other) }
    }

    #[inline(always)]
    unsafe fn and(self, other: Self) -> Self {
        // SAFETY: the caller found the features.
        unsafe { _mm_and_si128(self, other) }
    }

    #[inline(always)]
    unsafe fn lowest(self) -> u32 {
        // SAFETY: the caller found the features.
        unsafe { _mm_cvtsi128_si32(self) as u32 & 1 }
    }

    #[inline(always)]
    unsafe fn double(self) -> Self {
        // SAFETY: the caller found the features.
        unsafe {
            // The top bits of both halves, each where it is carried to, and the high one times the modulus.
            let tops = _mm_shuffle_epi32::<0x4E>(_mm_srli_epi64::<63>(self));
            let carried = _mm_mul_epu32(tops, _mm_set_epi64x(1, 0x87));
            _mm_xor_si128(_mm_add_epi64(self, self), carried)
        }
    }

    #[inline(always)]
    unsafe fn orthomorphism(self) -> Self {
        // SAFETY: the caller found the features.
        unsafe {
            _mm_xor_si128(
                _mm_shuffle_epi32::<0x4E>(self),
                _mm_and_si128(self, _mm_set_epi64x(-1, 0)),
            )
        }
    }

    #[inline(always)]
    unsafe fn mask(self) -> Self {
        // SAFETY: the caller found the features.
        unsafe { _mm_srai_epi32::<31>(_mm_slli_epi32::<31>(_mm_shuffle_epi32::<0>(self))) }
    }

    #[inline(always)]
    unsafe fn add_words(self, other: Self) -> Self {
        // SAFETY: the caller found the features.
        unsafe { _mm_add_epi64(self, other) }
    }

    #[inline(always)]
    unsafe fn round(self, key: Self) -> Self {
        // SAFETY: the caller found the features.
        unsafe { _mm_aesenc_si128(self, key) }
    }

    #[inline(always)]
    unsafe fn last_round(self, key: Self) -> Self {
        // SAFETY: the caller found the features.
        unsafe { _mm_aesenclast_si128(self, key) }
    }

    #[inline(always)]
    unsafe fn next_key(self, rcon: i32) -> Self {
        // SAFETY: the caller found the features.
        unsafe { next_key(self, rcon) }
    }
}

impl Lanes for __m256i {
    const COUNT: usize = 2;

    #[inline(always)]
    unsafe fn load(from: &[u128]) -> Self {
        check(from.len(), Self::COUNT);
        // SAFETY: thirty-two readable bytes at any alignment; the caller found the features.
        unsafe { _mm256_loadu_si256(from.as_ptr().cast()) }
    }

    #[inline(always)]
    unsafe fn store(self, to: &mut [u128]) {
        check(to.len(), Self::COUNT);
        // SAFETY: thirty-two writable bytes at any alignment; the caller found the features.
        unsafe { _mm256_storeu_si256(to.as_mut_ptr().cast(), self) }
    }

    #[inline(always)]
    unsafe fn gather(from: *const u128, places: &[usize; LANES]) -> Self {
        // SAFETY: the caller's places are readable; it found the features.
        unsafe {
            let [a, b, ..] = *places;
            _mm256_inserti128_si256::<1>(
                _mm256_castsi128_si256(_mm_loadu_si128(from.add(a).cast())),
                _mm_loadu_si128(from.add(b).cast()),
            )
        }
    }

    #[inline(always)]
    unsafe fn scatter(self, to: *mut u128, places: &[usize; LANES]) {
        // SAFETY: the caller's places are writable; it found the features.
        unsafe {
            let [a, b, ..] = *places;
            _mm_storeu_si128(to.add(b).cast(), _mm256_extracti128_si256::<1>(self));
            _mm_storeu_si128(to.add(a).cast(), _mm256_castsi256_si128(self));
        }
    }

    #[inline(always)]
    unsafe fn splat(block: u128) -> Self {
        // SAFETY: the caller found the features.
        unsafe { _mm256_broadcastsi128_si256(load(&block.to_le_bytes())) }
    }

    #[inline(always)]
    unsafe fn broadcast(block: &[u8; BLOCK]) -> Self {
        // SAFETY: the caller found the features.
        unsafe { _mm256_broadcastsi128_si256(load(block)) }
    }

    #[inline(always)]
    unsafe fn xor(self, other: Self) -> Self {
        // SAFETY: the caller found the features.
        unsafe { _mm256_xor_si256(self, other) }
    }

    #[inline(always)]
    unsafe fn or(self, other: Self) -> Self {
        // SAFETY: the caller found the features.
        unsafe { _mm256_or_si256(self, other) }
    }

    #[inline(always)]
    unsafe fn and(self, other: Self) -> Self {
        // SAFETY: the caller found the features.
        unsafe { _mm256_and_si256(self, other) }
    }

    #[inline(always)]
    unsafe fn lowest(self) -> u32 {
        // SAFETY: the caller found the features.
        let halves = unsafe {
            _mm256_movemask_pd(_mm256_castsi256_pd(_mm256_slli_epi64::<63>(self))) as u32
        };
        halves & 1 | halves >> 1 & 2
    }

    #[inline(always)]
    unsafe fn double(self) -> Self {
        // SAFETY: the caller found the features.
        unsafe {
            let tops = _mm256_shuffle_epi32::<0x4E>(_mm256_srli_epi64::<63>(self));
            let carried = _mm256_mul_epu32(tops, _mm256_set_epi64x(1, 0x87, 1, 0x87));
            _mm256_xor_si256(_mm256_add_epi64(self, self), carried)
        }
    }

    #[inline(always)]
    unsafe fn orthomorphism(self) -> Self {
        // SAFETY: the caller found the features.
        unsafe {
            _mm256_xor_si256(
                _mm256_shuffle_epi32::<0x4E>(self),
                _mm256_and_si256(self, _mm256_set_epi64x(-1, 0, -1, 0)),
            )
        }
    }

    #[inline(always)]
    unsafe fn mask(self) -> Self {
        // SAFETY: the caller found the features.
        unsafe { _mm256_srai_epi32::<31>(_mm256_slli_epi32::<31>(_mm256_shuffle_epi32::<0>(self))) }
    }

    #[inline(always)]
    unsafe fn add_words(self, other: Self) -> Self {
        // SAFETY: the caller found the features.
        unsafe { _mm256_add_epi64(self, other) }
    }

    #[inline(always)]
    unsafe fn round(self, key: Self) -> Self {
        // SAFETY: the caller found the features.
        unsafe { _mm256_aesenc_epi128(self, key) }
    }

    #[inline(always)]
    unsafe fn last_round(self, key: Self) -> Self {
        // SAFETY: the caller found the features.
        unsafe { _mm256_aesenclast_epi128(self, key) }
    }

    #[inline(always)]
    unsafe fn next_key(self, rcon: i32) -> Self {
        // SAFETY: the caller found the features.
        unsafe { next_key256(self, rcon) }
    }
}

impl Lanes for __m512i {
    const COUNT: usize = 4;

    #[inline(always)]
    unsafe fn load(from: &[u128]) -> Self {
        check(from.len(), Self::COUNT);
        // SAFETY: sixty-four readable bytes at any alignment; the caller found the features.
        unsafe { _mm512_loadu_si512(from.as_ptr().cast()) }
    }

    #[inline(always)]
    unsafe fn store(self, to: &mut [u128]) {
        check(to.len(), Self::COUNT);
        // SAFETY: sixty-four writable bytes at any alignment; the caller found the features.
        unsafe { _mm512_storeu_si512(to.as_mut_ptr().cast(), self) }
    }

    #[inline(always)]
    unsafe fn gather(from: *const u128, places: &[usize; LANES]) -> Self {
        // SAFETY: the caller's places are readable; it found the features.
        unsafe {
            let [a, b, c, d] = *places;
            let (a, b) = (from.add(a).cast(), _mm_loadu_si128(from.add(b).cast()));
            let (c, d) = (from.add(c).cast(), _mm_loadu_si128(from.add(d).cast()));
            let low = _mm256_inserti128_si256::<1>(_mm256_castsi128_si256(_mm_loadu_si128(a)), b);
            let high = _mm256_inserti128_si256::<1>(_mm256_castsi128_si256(_mm_loadu_si128(c)), d);
            _mm512_inserti64x4::<1>(_mm512_castsi256_si512(low), high)
        }
    }

    #[inline(always)]
    unsafe fn scatter(self, to: *mut u128, places: &[usize; LANES]) {
        // SAFETY: the caller's places are writable; it found the features.
        unsafe {
            let [a, b, c, d] = *places;
            _mm_storeu_si128(to.add(d).cast(), _mm512_extracti32x4_epi32::<3>(self));
            _mm_storeu_si128(to.add(c).cast(), _mm512_extracti32x4_epi32::<2>(self));
            _mm_storeu_si128(to.add(b).cast(), _mm512_extracti32x4_epi32::<1>(self));
            _mm_storeu_si128(to.add(a).cast(), _mm512_castsi512_si128(self));
        }
    }

    #[inline(always)]
    unsafe fn splat(block: u128) -> Self {
        // SAFETY: the caller found the features.
        unsafe { _mm512_broadcast_i32x4(load(&block.to_le_bytes())) }
    }

    #[inline(always)]
    unsafe fn broadcast(block: &[u8; BLOCK]) -> Self {
        // SAFETY: the caller found the features.
        unsafe { _mm512_broadcast_i32x4(load(block)) }
    }

    #[inline(always)]
    unsafe fn xor(self, other: Self) -> Self {
        // SAFETY: the caller found the features.
        unsafe { _mm512_xor_si512(self, other) }
    }

    #[inline(always)]
    unsafe fn or(self, other: Self) -> Self {
        // SAFETY: the caller found the features.
        unsafe { _mm512_or_si512(self, other) }
    }

    #[inline(always)]
    unsafe fn and(self, other: Self) -> Self {
        // SAFETY: the caller found the features.
        unsafe { _mm512_and_si512(self, other) }
    }

    #[inline(always)]
    unsafe fn lowest(self) -> u32 {
        // SAFETY: the caller found the features.
        let halves = unsafe { u32::from(_mm512_test_epi64_mask(self, _mm512_set1_epi64(1))) };
        halves & 1 | halves >> 1 & 2 | halves >> 2 & 4 | halves >> 3 & 8
    }

    #[inline(always)]
    unsafe fn double(self) -> Self {
        // SAFETY: the caller found the features.
        unsafe {
            let tops = _mm512_shuffle_epi32::<0x4E>(_mm512_srli_epi64::<63>(self));
            let carried =
                _mm512_mul_epu32(tops, _mm512_set_epi64(1, 0x87, 1, 0x87, 1, 0x87, 1, 0x87));
            _mm512_xor_si512(_mm512_add_epi64(self, self), carried)
        }
    }

    #[inline(always)]
    unsafe fn orthomorphism(self) -> Self {
        // SAFETY: the caller found the features.
        unsafe {
            _mm512_xor_si512(
                _mm512_shuffle_epi32::<0x4E>(self),
                _mm512_and_si512(self, _mm512_set_epi64(-1, 0, -1, 0, -1, 0, -1, 0)),
            )
        }
    }

    #[inline(always)]
    unsafe fn mask(self) -> Self {
        // SAFETY: the caller found the features.
        unsafe { _mm512_srai_epi32::<31>(_mm512_slli_epi32::<31>(_mm512_shuffle_epi32::<0>(self))) }
    }

    #[inline(always)]
    unsafe fn add_words(self, other: Self) -> Self {
        // SAFETY: the caller found the features.
        unsafe { _mm512_add_epi64(self, other) }
    }

    #[inline(always)]
    unsafe fn round(self, key: Self) -> Self {
        // SAFETY: the caller found the features.
        unsafe { _mm512_aesenc_epi128(self, key) }
    }

    #[inline(always)]
    unsafe fn last_round(self, key: Self) -> Self {
        // SAFETY: the caller found the features.
        unsafe { _mm512_aesenclast_epi128(self, key) }
    }

    #[inline(always)]
    unsafe fn next_key(self, rcon: i32) -> Self {
        // SAFETY: the caller found the features.
        unsafe { next_key512(self, rcon) }
    }
}
