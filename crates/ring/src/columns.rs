//! From 128 columns of bits to 128-bit rows: the transpose that correlated OT is made of.
//!
//! The AVX2 kernel takes 256 rows at a time: Eklundh's exchanges between eight columns leave in each
//! register the bits of eight columns for every eighth row, byte by byte; four rounds of interleaving
//! sixteen such registers put the bytes of a row side by side. With AVX-512 and GFNI it takes 512. The portable twin
//! of both is [`transpose`].
#![allow(unsafe_code)]

#[cfg(target_arch = "x86_64")]
mod wide;

use crate::transpose::transpose;

/// The number of columns, and of bits in a row.
pub const COLUMNS: usize = 128;
/// The kernel takes so many words of a column at a time.
pub const WORDS: usize = 4;

/// Writes rows: bit `c` of row `i` is bit `i` of column `c`. The columns lie one after the other,
/// 64 bits to a word.
///
/// ```
/// use tacit_ring::columns::{COLUMNS, to_rows};
///
/// let mut columns = [0u64; COLUMNS]; // 64 rows: a word for each column
/// columns[3] = 1 << 5;
/// let mut rows = [0u128; 64];
/// to_rows(&columns, &mut rows);
/// assert_eq!(rows[5], 1 << 3);
/// ```
///
/// # Panics
/// When `columns` are not 128 columns of one bit for each row, a multiple of 64 rows.
pub fn to_rows(columns: &[u64], rows: &mut [u128]) {
    assert_eq!(columns.len() * 64, rows.len() * COLUMNS, "128 columns of one bit for each row");
    assert!(rows.len().is_multiple_of(64), "whole words of rows");
    #[cfg(target_arch = "x86_64")]
    if rows.len().is_multiple_of(64 * wide::WORDS) && wide::is_available() {
        // SAFETY: this CPU has the features.
        unsafe { wide::to_rows(columns, rows) };
        return;
    }
    #[cfg(target_arch = "x86_64")]
    if rows.len().is_multiple_of(64 * WORDS) && std::arch::is_x86_feature_detected!("avx2") {
        // SAFETY: this CPU has AVX2.
        unsafe { x86::to_rows(columns, rows) };
        return;
    }
    to_rows_portable(columns, rows);
}

fn to_rows_portable(columns: &[u64], rows: &mut [u128]) {
    let count = rows.len();
    transpose(COLUMNS, count, columns, bytemuck::cast_slice_mut(rows));
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use super::{COLUMNS, WORDS};
    use std::arch::x86_64::*;

    /// Columns whose bits make a byte.
    const BYTE: usize = 8;
    /// Bytes of a row.
    const GROUPS: usize = COLUMNS / BYTE;

    #[target_feature(enable = "avx2")]
    pub(super) fn to_rows(columns: &[u64], rows: &mut [u128]) {
        let stride = rows.len() / 64;
        // By place in the byte, and group of eight columns.
        let mut bytes = [[_mm256_setzero_si256(); GROUPS]; BYTE];
        for (part, rows) in rows.as_chunks_mut::<{ 64 * WORDS }>().0.iter_mut().enumerate() {
            for group in 0..GROUPS {
                let column = |c: usize| {
                    let start = (group * BYTE + c) * stride + part * WORDS;
                    load(&columns[start..start + WORDS])
                };
                for (row, bits) in bytes.iter_mut().zip(exchange(std::array::from_fn(column))) {
                    row[group] = bits;
                }
            }
            for (place, groups) in bytes.iter().enumerate() {
                for (j, pair) in interleave(*groups).into_iter().enumerate() {
                    rows[BYTE * j + place] = low(pair);
                    rows[BYTE * (j + 16) + place] = high(pair);
                }
            }
        }
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    fn load(words: &[u64]) -> __m256i {
        let words: &[u64; WORDS] = words.try_into().expect("four words");
        // SAFETY: thirty-two readable bytes at any alignment.
        unsafe { _mm256_loadu_si256(words.as_ptr().cast()) }
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    fn low(pair: __m256i) -> u128 {
        // SAFETY: both are sixteen bytes of plain data.
        unsafe { std::mem::transmute(_mm256_castsi256_si128(pair)) }
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    fn high(pair: __m256i) -> u128 {
        // SAFETY: both are sixteen bytes of plain data.
        unsafe { std::mem::transmute(_mm256_extracti128_si256::<1>(pair)) }
    }

    /// Transposes each 8 x 8 bit matrix whose rows are the same byte of eight registers.
    #[inline]
    #[target_feature(enable = "avx2")]
    fn exchange(mut x: [__m256i; BYTE]) -> [__m256i; BYTE] {
        let masks = [0x0f, 0x33, 0x55].map(|mask: i8| _mm256_set1_epi8(mask));
        for k in 0..4 {
            (x[k], x[k + 4]) = swap::<4>(x[k], x[k + 4], masks[0]);
        }
        for k in [0, 1, 4, 5] {
            (x[k], x[k + 2]) = swap::<2>(x[k], x[k + 2], masks[1]);
        }
        for k in [0, 2, 4, 6] {
            (x[k], x[k + 1]) = swap::<1>(x[k], x[k + 1], masks[2]);
        }
        x
    }

    /// Swaps the high bits of each 2S bits of `a` with the low bits of `b`.
    #[inline]
    #[target_feature(enable = "avx2")]
    fn swap<const S: i32>(a: __m256i, b: __m256i, low: __m256i) -> (__m256i, __m256i) {
        let t = _mm256_and_si256(_mm256_xor_si256(_mm256_srli_epi64::<S>(a), b), low);
        (_mm256_xor_si256(a, _mm256_slli_epi64::<S>(t)), _mm256_xor_si256(b, t))
    }

    /// In both halves: byte `b` of register `r` becomes byte `r` of register `b`.
    #[inline]
    #[target_feature(enable = "avx2")]
    fn interleave(mut x: [__m256i; GROUPS]) -> [__m256i; GROUPS] {
        for _ in 0..4 {
            let mut next = x;
            for k in 0..GROUPS / 2 {
                next[2 * k] = _mm256_unpacklo_epi8(x[k], x[k + GROUPS / 2]);
                next[2 * k + 1] = _mm256_unpackhi_epi8(x[k], x[k + GROUPS / 2]);
            }
            x = next;
        }
        x
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::entropy::{Rng, test_seed};

    #[test]
    fn every_bit_finds_its_place() {
        let mut rng = Rng(test_seed());
        // Among them 128, 8192 and 8320 rows.
        for words in [1, 2, 4, 5, 8, 12, 128, 130, 132] {
            let columns = rng.words(COLUMNS * words);
            let mut rows = vec![0; 64 * words];
            to_rows(&columns, &mut rows);
            for (i, row) in rows.iter().enumerate() {
                for c in 0..COLUMNS {
                    let bit = columns[c * words + i / 64] >> (i % 64) & 1;
                    assert_eq!((row >> c) as u64 & 1, bit, "row {i}, column {c}, {words} words");
                }
            }
            let mut twin = vec![0; 64 * words];
            to_rows_portable(&columns, &mut twin);
            assert!(rows == twin);
            #[cfg(target_arch = "x86_64")]
            if words.is_multiple_of(WORDS) && std::arch::is_x86_feature_detected!("avx2") {
                // SAFETY: this CPU has AVX2.
                unsafe { x86::to_rows(&columns, &mut twin) };
                assert!(rows == twin);
            }
        }
    }
}
