//! Eight elements at a time: products of polynomials in registers of 512 bits (VPCLMULQDQ), and products of matrices of bits
//! (GFNI).

use super::{BLOCKS, GRID, times_x};
use std::arch::x86_64::*;

/// Elements of a register.
const LANES: usize = 8;
/// Blocks whose bits are a byte.
const BYTE: usize = 8;

/// What computes on many elements at once. A value of this type exists only where the CPU has the instructions.
#[derive(Clone, Copy, Debug)]
pub struct Wide {
    _found: (),
}

impl Wide {
    /// Gives it if this CPU has the instructions.
    #[must_use]
    pub fn detect() -> Option<Self> {
        use std::arch::is_x86_feature_detected as has;
        let registers = has!("avx512f") && has!("avx512bw") && has!("avx512dq") && has!("avx512vl");
        let found = registers && has!("avx512vbmi") && has!("gfni") && has!("vpclmulqdq");
        found.then_some(Wide { _found: () })
    }

    /// Gives the sum of the products of two runs, not reduced.
    ///
    /// # Panics
    /// When the runs are not of one length.
    #[must_use]
    pub fn dot(self, a: &[u64], b: &[u64]) -> u128 {
        assert_eq!(a.len(), b.len(), "runs of one length");
        // SAFETY: where there is a `Wide`, this CPU has the features.
        unsafe { dot(a, b) }
    }

    /// Adds to `out` the sum of the runs, each times its weight.
    ///
    /// # Panics
    /// When a run is not as long as `out`.
    pub fn add_weighted<const N: usize>(
        self,
        runs: [&[u64]; N],
        weights: [u64; N],
        out: &mut [u64],
    ) {
        assert!(runs.iter().all(|run| run.len() == out.len()), "runs of one length");
        // SAFETY: where there is a `Wide`, this CPU has the features.
        unsafe { add_weighted(runs, weights, out) }
    }

    /// Gives, for two polynomials in two variables for each place in the runs, by their values at 0 and 1 with the first variable
    /// first, the sums of the products at the nine points where each variable is 0, 1 or "infinity" (the
    /// difference), not reduced: of `f[0]` and `g[0] + g[1]`, and of `f[1]` and `g[0]`.
    ///
    /// # Panics
    /// When the runs are not of one length.
    #[must_use]
    pub fn squares(self, f: [[&[u64]; 4]; 2], g: [[&[u64]; 4]; 2]) -> [u128; 9] {
        let len = f[0][0].len();
        let mut all = f.iter().chain(&g).flatten();
        assert!(all.all(|run| run.len() == len), "runs of one length");
        // SAFETY: where there is a `Wide`, this CPU has the features.
        unsafe { squares(f, g) }
    }

    /// Writes for each word of a block 64 elements, for its bits: the sum of the weights of those blocks that have the bit.
    /// With factors, one per word, the element of bit `i` is taken times the factor and `X^i`. Words that `run` lacks are zero.
    ///
    /// # Panics
    /// When `out` has not 64 elements for each word of a block, or there is not a factor for each.
    pub fn spread(
        self,
        run: &[u64],
        weights: &[u64; BLOCKS],
        factors: Option<&[u64]>,
        out: &mut [u64],
    ) {
        let words = out.len() / 64;
        assert!(
            out.len() == 64 * words && run.len() <= BLOCKS * words,
            "64 elements for each word"
        );
        assert!(factors.is_none_or(|factors| factors.len() == words), "a factor for each word");
        // SAFETY: where there is a `Wide`, this CPU has the features.
        unsafe { spread(run, weights, factors, out) }
    }

    /// Gives sums of products of bits, with 64 of a word as one element that is taken times its factor: at all points of the grid
    /// where each of five variables is 0, 1 or "infinity", of polynomials whose values at 0 and 1 are the words of the blocks. The
    /// products are those of `x[0]` and `y[0] + y[1]`, and of `x[1]` and `y[0]`. Where no variable is "infinity" it gives
    /// zero. The sums are not reduced. Words that the runs lack are zero.
    ///
    /// # Panics
    /// When the runs are not of one length, or longer than the blocks.
    #[must_use]
    pub fn grid(self, x: [&[u64]; 2], y: [&[u64]; 2], factors: &[u64]) -> Box<[u128; GRID]> {
        let len = x[0].len();
        assert!([x[1], y[0], y[1]].iter().all(|run| run.len() == len), "runs of one length");
        assert!(len <= BLOCKS * factors.len(), "a factor for each word of a block");
        // SAFETY: where there is a `Wide`, this CPU has the features.
        unsafe { grid(x, y, factors) }
    }
}

/// The words at `at`, at most eight; zeros behind the end.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
fn load(words: &[u64], at: usize) -> __m512i {
    if let Some(eight) = words.get(at..at + LANES) {
        // SAFETY: eight words are readable.
        return unsafe { _mm512_loadu_si512(eight.as_ptr().cast()) };
    }
    let rest = words.get(at..).unwrap_or(&[]);
    let mask = mask(rest.len());
    // SAFETY: the words in the mask are readable.
    unsafe { _mm512_maskz_loadu_epi64(mask, rest.as_ptr().cast()) }
}

/// Words `at`, at most eight of them that are before `end`.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
fn load_until(words: &[u64], at: usize, end: usize) -> __m512i {
    load(&words[..end.min(words.len())], at)
}

fn mask(len: usize) -> __mmask8 {
    if len >= LANES { !0 } else { !(!0 << len) }
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
fn store(words: &mut [u64], from: __m512i) {
    if let Some(eight) = words.get_mut(..LANES) {
        // SAFETY: eight words are writable.
        return unsafe { _mm512_storeu_si512(eight.as_mut_ptr().cast(), from) };
    }
    // SAFETY: the words in the mask are writable.
    unsafe { _mm512_mask_storeu_epi64(words.as_mut_ptr().cast(), mask(words.len()), from) }
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
fn broadcast(word: u64) -> __m512i {
    _mm512_set1_epi64(word.cast_signed())
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
fn xor(a: __m512i, b: __m512i, c: __m512i) -> __m512i {
    _mm512_ternarylogic_epi64::<0b1001_0110>(a, b, c)
}

/// Adds the products of eight elements each: those at even places, and those at odd ones.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,vpclmulqdq")]
fn plus(sums: [__m512i; 2], a: __m512i, b: __m512i) -> [__m512i; 2] {
    let (even, odd) =
        (_mm512_clmulepi64_epi128::<0x00>(a, b), _mm512_clmulepi64_epi128::<0x11>(a, b));
    [_mm512_xor_si512(sums[0], even), _mm512_xor_si512(sums[1], odd)]
}

/// Adds the sum of the products of eight elements to four sums.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,vpclmulqdq")]
fn plus_all(sum: __m512i, a: __m512i, b: __m512i) -> __m512i {
    xor(sum, _mm512_clmulepi64_epi128::<0x00>(a, b), _mm512_clmulepi64_epi128::<0x11>(a, b))
}

/// The total of four sums.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
fn total(sum: __m512i) -> u128 {
    // SAFETY: both are sixty-four bytes of plain data.
    let sums: [u128; 4] = unsafe { std::mem::transmute(sum) };
    sums[0] ^ sums[1] ^ sums[2] ^ sums[3]
}

/// The elements that eight sums of products are.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
fn reduce([even, odd]: [__m512i; 2]) -> __m512i {
    let (low, high) = (_mm512_unpacklo_epi64(even, odd), _mm512_unpackhi_epi64(even, odd));
    let out = xor(
        _mm512_srli_epi64::<63>(high),
        _mm512_srli_epi64::<61>(high),
        _mm512_srli_epi64::<60>(high),
    );
    let high = _mm512_xor_si512(high, out);
    let near = xor(low, high, _mm512_slli_epi64::<1>(high));
    xor(near, _mm512_slli_epi64::<3>(high), _mm512_slli_epi64::<4>(high))
}

#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,vpclmulqdq")]
fn dot(a: &[u64], b: &[u64]) -> u128 {
    let mut sums = [_mm512_setzero_si512(); 4];
    for at in (0..a.len()).step_by(4 * LANES) {
        for (i, sum) in sums.iter_mut().enumerate() {
            let at = at + i * LANES;
            *sum = plus_all(*sum, load(a, at), load(b, at));
        }
    }
    sums.into_iter().fold(0, |sum, lanes| sum ^ total(lanes))
}

#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,vpclmulqdq")]
fn add_weighted<const N: usize>(runs: [&[u64]; N], weights: [u64; N], out: &mut [u64]) {
    let mut factors = [_mm512_setzero_si512(); N];
    for (factor, weight) in factors.iter_mut().zip(weights) {
        *factor = broadcast(weight);
    }
    for at in (0..out.len()).step_by(LANES) {
        let mut sums = [_mm512_setzero_si512(); 2];
        for (run, factor) in runs.iter().zip(factors) {
            sums = plus(sums, load(run, at), factor);
        }
        let sum = _mm512_xor_si512(load(out, at), reduce(sums));
        store(&mut out[at..], sum);
    }
}

/// The values of a polynomial in two variables at all points, from those at 0 and 1.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
fn square([a, b, c, d]: [__m512i; 4]) -> [__m512i; 9] {
    let (low, high) = (_mm512_xor_si512(a, b), _mm512_xor_si512(c, d));
    let (first, second) = (_mm512_xor_si512(a, c), _mm512_xor_si512(b, d));
    [a, b, low, c, d, high, first, second, _mm512_xor_si512(low, high)]
}

#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,vpclmulqdq")]
fn squares([f0, f1]: [[&[u64]; 4]; 2], [g0, g1]: [[&[u64]; 4]; 2]) -> [u128; 9] {
    let mut sums = [_mm512_setzero_si512(); 9];
    for at in (0..f0[0].len()).step_by(LANES) {
        let mut values = [[_mm512_setzero_si512(); 4]; 4];
        for (values, runs) in values.iter_mut().zip([f0, f1, g0, g1]) {
            for (value, run) in values.iter_mut().zip(runs) {
                *value = load(run, at);
            }
        }
        let [x0, x1, y0, mut both] = values;
        for (both, y0) in both.iter_mut().zip(y0) {
            *both = _mm512_xor_si512(*both, y0);
        }
        let ([x0, x1], [y0, both]) = ([square(x0), square(x1)], [square(y0), square(both)]);
        for point in 0..9 {
            let sum = plus_all(sums[point], x0[point], both[point]);
            sums[point] = plus_all(sum, x1[point], y0[point]);
        }
    }
    let mut totals = [0; 9];
    for (total_of, sum) in totals.iter_mut().zip(sums) {
        *total_of = total(sum);
    }
    totals
}

/// The rows of eight registers become columns.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
fn transpose_words(r: [__m512i; LANES]) -> [__m512i; LANES] {
    let mut pairs = r;
    for i in 0..4 {
        pairs[2 * i] = _mm512_unpacklo_epi64(r[2 * i], r[2 * i + 1]);
        pairs[2 * i + 1] = _mm512_unpackhi_epi64(r[2 * i], r[2 * i + 1]);
    }
    let mut out = pairs;
    for odd in 0..2 {
        // Parts of 128 bits: row pairs 0, 2, 4 and 6 of one parity make a matrix of four by four.
        let [a, b, c, d] = [pairs[odd], pairs[2 + odd], pairs[4 + odd], pairs[6 + odd]];
        let (ab, cd) = (_mm512_shuffle_i64x2::<0x88>(a, b), _mm512_shuffle_i64x2::<0x88>(c, d));
        let (ab2, cd2) = (_mm512_shuffle_i64x2::<0xdd>(a, b), _mm512_shuffle_i64x2::<0xdd>(c, d));
        out[odd] = _mm512_shuffle_i64x2::<0x88>(ab, cd);
        out[4 + odd] = _mm512_shuffle_i64x2::<0xdd>(ab, cd);
        out[2 + odd] = _mm512_shuffle_i64x2::<0x88>(ab2, cd2);
        out[6 + odd] = _mm512_shuffle_i64x2::<0xdd>(ab2, cd2);
    }
    out
}

/// The matrices that take eight blocks' bits to eight bits of the sum of their weights: by group of blocks, and byte of the sum.
fn matrices(weights: &[u64; BLOCKS]) -> [[u64; 8]; BLOCKS / BYTE] {
    let mut matrices = [[0u64; 8]; BLOCKS / BYTE];
    for (group, matrices) in matrices.iter_mut().enumerate() {
        for (byte, matrix) in matrices.iter_mut().enumerate() {
            // Byte `7 - i` of a matrix makes bit `i`.
            for i in 0..8 {
                for j in 0..BYTE {
                    let bit = weights[group * BYTE + j] >> (8 * byte + i) & 1;
                    *matrix |= bit << (8 * (7 - i) + j);
                }
            }
        }
    }
    matrices
}

/// Which bytes go where, as an index for a permutation.
fn bytes(source: impl Fn(usize) -> usize) -> [u8; 64] {
    std::array::from_fn(|to| source(to) as u8)
}

#[inline]
#[target_feature(enable = "avx512f")]
fn index(bytes: [u8; 64]) -> __m512i {
    // SAFETY: sixty-four readable bytes.
    unsafe { _mm512_loadu_si512(bytes.as_ptr().cast()) }
}

#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi,gfni,vpclmulqdq")]
fn spread(run: &[u64], weights: &[u64; BLOCKS], factors: Option<&[u64]>, out: &mut [u64]) {
    const GROUPS: usize = BLOCKS / BYTE;
    let words = out.len() / 64;
    let matrices = matrices(weights);
    // Byte j of all eight words, the last word's first; then the transpose of these 8 x 8 bits has for each bit a byte.
    let gather = index(bytes(|to| 8 * (7 - to % 8) + to / 8));
    let units = broadcast(0x8040_2010_0804_0201);
    // So that eight elements that follow each other end up in one register.
    let order = index(bytes(|p| 8 * (p % 16 / 2) + 2 * (p / 16) + p % 2));
    for first in (0..words).step_by(LANES) {
        let mut rows = [[_mm512_setzero_si512(); LANES]; GROUPS];
        for (group, rows) in rows.iter_mut().enumerate() {
            let mut blocks = [_mm512_setzero_si512(); BYTE];
            for (j, block) in blocks.iter_mut().enumerate() {
                let start = (group * BYTE + j) * words;
                *block = load_until(run, start + first, start + words);
            }
            *rows = transpose_words(blocks);
        }
        for k in first..words.min(first + LANES) {
            let mut bits = [_mm512_setzero_si512(); GROUPS];
            for (bits, rows) in bits.iter_mut().zip(&rows) {
                let gathered = _mm512_permutexvar_epi8(gather, rows[k - first]);
                let transposed = _mm512_gf2p8affine_epi64_epi8::<0>(units, gathered);
                *bits = _mm512_permutexvar_epi8(order, transposed);
            }
            let mut parts = [_mm512_setzero_si512(); 8];
            for (byte, part) in parts.iter_mut().enumerate() {
                for (bits, matrices) in bits.iter().zip(&matrices) {
                    let matrix = broadcast(matrices[byte]);
                    *part =
                        _mm512_xor_si512(*part, _mm512_gf2p8affine_epi64_epi8::<0>(*bits, matrix));
                }
            }
            let out = &mut out[64 * k..64 * (k + 1)];
            let elements = interleave(parts);
            match factors {
                None => {
                    for (out, eight) in out.chunks_exact_mut(LANES).zip(elements) {
                        store(out, eight);
                    }
                }
                Some(factors) => {
                    let mut times = [factors[k]; LANES];
                    for i in 1..LANES {
                        times[i] = times_x(times[i - 1]);
                    }
                    let mut times = load(&times, 0);
                    for (out, eight) in out.chunks_exact_mut(LANES).zip(elements) {
                        store(out, reduce(plus([_mm512_setzero_si512(); 2], eight, times)));
                        times = times_x8(times);
                    }
                }
            }
        }
    }
}

/// Elements times `X^8`.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
fn times_x8(a: __m512i) -> __m512i {
    let high = _mm512_srli_epi64::<56>(a);
    let near = xor(_mm512_slli_epi64::<8>(a), high, _mm512_slli_epi64::<1>(high));
    xor(near, _mm512_slli_epi64::<3>(high), _mm512_slli_epi64::<4>(high))
}

/// Bytes of elements, register `c` with byte `c` of each, put side by side.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
fn interleave(parts: [__m512i; 8]) -> [__m512i; 8] {
    let mut pairs = parts;
    for i in 0..4 {
        pairs[i] = _mm512_unpacklo_epi8(parts[2 * i], parts[2 * i + 1]);
        pairs[4 + i] = _mm512_unpackhi_epi8(parts[2 * i], parts[2 * i + 1]);
    }
    let mut fours = pairs;
    for half in 0..2 {
        for i in 0..2 {
            let (a, b) = (pairs[4 * half + 2 * i], pairs[4 * half + 2 * i + 1]);
            fours[4 * half + i] = _mm512_unpacklo_epi16(a, b);
            fours[4 * half + 2 + i] = _mm512_unpackhi_epi16(a, b);
        }
    }
    let mut out = fours;
    for i in 0..4 {
        out[2 * i] = _mm512_unpacklo_epi32(fours[2 * i], fours[2 * i + 1]);
        out[2 * i + 1] = _mm512_unpackhi_epi32(fours[2 * i], fours[2 * i + 1]);
    }
    out
}

/// Both components of the first factor, one of the second, and the sum of its two.
type Values = [__m512i; 4];

#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,vpclmulqdq")]
fn grid(x: [&[u64]; 2], y: [&[u64]; 2], factors: &[u64]) -> Box<[u128; GRID]> {
    let zero = _mm512_setzero_si512();
    let words = factors.len();
    let mut sums = [zero; GRID];
    let (mut values, mut scratch) = ([[zero; 4]; BLOCKS], [[zero; 4]; BLOCKS]);
    for first in (0..words).step_by(LANES) {
        for (block, values) in values.iter_mut().enumerate() {
            let (at, end) = (block * words + first, (block + 1) * words);
            let y0 = load_until(y[0], at, end);
            let both = _mm512_xor_si512(y0, load_until(y[1], at, end));
            *values = [load_until(x[0], at, end), load_until(x[1], at, end), y0, both];
        }
        let points = Points { first: 0, stride: GRID / 3, differ: false };
        descend(&values, points, load(factors, first), &mut sums, &mut scratch);
    }
    let mut totals = Box::new([0; GRID]);
    for (total_of, sum) in totals.iter_mut().zip(sums) {
        *total_of = total(sum);
    }
    totals
}

/// Points whose last digits are known.
#[derive(Clone, Copy)]
struct Points {
    first: usize,
    /// What the next digit counts for.
    stride: usize,
    /// A digit is "infinity".
    differ: bool,
}

/// Adds the products at all points of a polynomial to their sums, the last variable first. `scratch` is as long as the values.
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,vpclmulqdq")]
fn descend(
    values: &[Values],
    points: Points,
    factor: __m512i,
    sums: &mut [__m512i; GRID],
    scratch: &mut [Values],
) {
    let Points { first, stride, differ } = points;
    let (low, high) = values.split_at(values.len() / 2);
    let (differences, scratch) = scratch.split_at_mut(low.len());
    for (difference, (low, high)) in differences.iter_mut().zip(low.iter().zip(high)) {
        for (difference, (low, high)) in difference.iter_mut().zip(low.iter().zip(high)) {
            *difference = _mm512_xor_si512(*low, *high);
        }
    }
    if let ([low], [high], [difference]) = (low, high, &*differences) {
        for (digit, values) in [low, high, difference].into_iter().enumerate() {
            if differ || digit == 2 {
                let sum = &mut sums[first + digit * stride];
                *sum = plus_all(*sum, products(values), factor);
            }
        }
        return;
    }
    for (digit, values) in [low, high, &*differences].into_iter().enumerate() {
        let (first, differ) = (first + digit * stride, differ || digit == 2);
        descend(values, Points { first, stride: stride / 3, differ }, factor, sums, scratch);
    }
}

/// A role's summand of products of bits.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
fn products(values: &Values) -> __m512i {
    let [x0, x1, y0, both] = *values;
    // (x0 & both) ^ (x1 & y0)
    _mm512_ternarylogic_epi64::<0b0111_1000>(_mm512_and_si512(x0, both), x1, y0)
}
