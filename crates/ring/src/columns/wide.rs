//! The transpose on AVX-512 with GFNI, 512 rows at a time. Eight words of eight columns are exchanged, so that a
//! register has a word of each; its bytes are then put side by side for every eight rows, and the product of an 8 x 8
//! bit matrix with all unit vectors is its transpose. Interleaving as with AVX2 makes rows of bytes.

use super::COLUMNS;
use std::arch::x86_64::*;

/// Words of a column that the kernel takes at a time.
pub(super) const WORDS: usize = 8;
/// Columns whose bits make a byte.
const BYTE: usize = 8;
/// Bytes of a row.
const GROUPS: usize = COLUMNS / BYTE;
/// Rows in a register.
const FOUR: usize = 4;

pub(super) fn is_available() -> bool {
    use std::arch::is_x86_feature_detected as has;
    has!("avx512f") && has!("avx512bw") && has!("avx512vbmi") && has!("gfni")
}

#[target_feature(enable = "avx512f,avx512bw,avx512vbmi,gfni")]
pub(super) fn to_rows(columns: &[u64], rows: &mut [u128]) {
    let stride = rows.len() / 64;
    let zero = _mm512_setzero_si512();
    // By word, and group of eight columns: every byte has eight bits of a row.
    let mut bytes = [[zero; GROUPS]; WORDS];
    for (part, rows) in rows.as_chunks_mut::<{ 64 * WORDS }>().0.iter_mut().enumerate() {
        for group in 0..GROUPS {
            let mut words = [zero; BYTE];
            for (c, word) in words.iter_mut().enumerate() {
                let start = (group * BYTE + c) * stride + part * WORDS;
                *word = load(&columns[start..start + WORDS]);
            }
            for (row, word) in bytes.iter_mut().zip(exchange(words)) {
                row[group] = transpose_bits(word);
            }
        }
        for (groups, rows) in bytes.iter().zip(rows.as_chunks_mut::<64>().0) {
            // Register `b` has rows `b`, `16 + b` and so on.
            let spread = interleave(*groups);
            for (first, four) in spread.as_chunks::<FOUR>().0.iter().enumerate() {
                for (lane, four) in transpose_lanes(*four).into_iter().enumerate() {
                    let at = GROUPS * lane + FOUR * first;
                    store(&mut rows[at..at + FOUR], four);
                }
            }
        }
    }
}

#[inline]
#[target_feature(enable = "avx512f")]
fn load(words: &[u64]) -> __m512i {
    let words: &[u64; WORDS] = words.try_into().expect("eight words");
    // SAFETY: sixty-four readable bytes at any alignment.
    unsafe { _mm512_loadu_si512(words.as_ptr().cast()) }
}

#[inline]
#[target_feature(enable = "avx512f")]
fn store(rows: &mut [u128], value: __m512i) {
    let rows: &mut [u128; FOUR] = rows.try_into().expect("four rows");
    // SAFETY: sixty-four writable bytes at any alignment.
    unsafe { _mm512_storeu_si512(rows.as_mut_ptr().cast(), value) }
}

/// Word `w` of register `c` becomes word `c` of register `w`.
#[inline]
#[target_feature(enable = "avx512f")]
fn exchange(x: [__m512i; BYTE]) -> [__m512i; BYTE] {
    /// Lanes 0 and 2 of both, and 1 and 3.
    const EVEN: i32 = 0x88;
    const ODD: i32 = 0xDD;
    let mut y = [x[0]; BYTE];
    for i in 0..BYTE / 2 {
        y[i] = _mm512_unpacklo_epi64(x[2 * i], x[2 * i + 1]);
        y[i + 4] = _mm512_unpackhi_epi64(x[2 * i], x[2 * i + 1]);
    }
    // Even words of columns in the first half, odd ones in the second; of each pair of registers, four columns.
    let mut z = y;
    for (i, first) in [0, 1, 4, 5].into_iter().enumerate() {
        z[first] = _mm512_shuffle_i64x2::<EVEN>(y[2 * i], y[2 * i + 1]);
        z[first + 2] = _mm512_shuffle_i64x2::<ODD>(y[2 * i], y[2 * i + 1]);
    }
    // Now pairs of registers have words 0 and 4, 2 and 6, 1 and 5, 3 and 7 of all columns.
    let mut words = z;
    for (i, word) in [0, 2, 1, 3].into_iter().enumerate() {
        words[word] = _mm512_shuffle_i64x2::<EVEN>(z[2 * i], z[2 * i + 1]);
        words[word + 4] = _mm512_shuffle_i64x2::<ODD>(z[2 * i], z[2 * i + 1]);
    }
    words
}

/// From a word of each of eight columns: every byte has the bits of a row, in order.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi,gfni")]
fn transpose_bits(words: __m512i) -> __m512i {
    // Byte `r` of word `c` becomes byte `7 - c` of word `r`: the product takes rows of a matrix from its last byte on.
    const PLACES: [u8; 64] = {
        let mut places = [0; 64];
        let mut at = 0;
        while at < 64 {
            places[at] = (BYTE * (7 - at % BYTE) + at / BYTE) as u8;
            at += 1;
        }
        places
    };
    const UNITS: i64 = 0x8040_2010_0804_0201_u64 as i64;
    // SAFETY: sixty-four readable bytes at any alignment.
    let places = unsafe { _mm512_loadu_si512(PLACES.as_ptr().cast()) };
    let matrices = _mm512_permutexvar_epi8(places, words);
    _mm512_gf2p8affine_epi64_epi8::<0>(_mm512_set1_epi64(UNITS), matrices)
}

/// In every lane: byte `b` of register `r` becomes byte `r` of register `b`.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn interleave(mut x: [__m512i; GROUPS]) -> [__m512i; GROUPS] {
    for _ in 0..4 {
        let mut next = x;
        for k in 0..GROUPS / 2 {
            next[2 * k] = _mm512_unpacklo_epi8(x[k], x[k + GROUPS / 2]);
            next[2 * k + 1] = _mm512_unpackhi_epi8(x[k], x[k + GROUPS / 2]);
        }
        x = next;
    }
    x
}

/// Lane `l` of register `r` becomes lane `r` of register `l`.
#[inline]
#[target_feature(enable = "avx512f")]
fn transpose_lanes([a, b, c, d]: [__m512i; FOUR]) -> [__m512i; FOUR] {
    let (low, high) = (_mm512_shuffle_i32x4::<0x44>(a, b), _mm512_shuffle_i32x4::<0xEE>(a, b));
    let (low2, high2) = (_mm512_shuffle_i32x4::<0x44>(c, d), _mm512_shuffle_i32x4::<0xEE>(c, d));
    [
        _mm512_shuffle_i32x4::<0x88>(low, low2),
        _mm512_shuffle_i32x4::<0xDD>(low, low2),
        _mm512_shuffle_i32x4::<0x88>(high, high2),
        _mm512_shuffle_i32x4::<0xDD>(high, high2),
    ]
}
