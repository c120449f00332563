//! Bit matrices: general transposes, integers to bit slices and back.
//!
//! A bit matrix is a slice of 64-bit words, row by row; column `c` of a row is bit `c % 64`
//! of its word `c / 64`. The last word of a row is padded: padding is ignored on reading and
//! zero on writing.
//!
//! A bitsliced array of `n` integers of `bits` bits is the transpose of the matrix that has
//! one integer per row: `bits` slices of [`lane_words`]`(n)` words, slice after slice, least
//! significant bit first. Use [`crate::word::lanes_mut`] to fill words of
//! [`Z2`](crate::Z2).
//!
//! ```
//! use tacit_ring::transpose::{lane_words, pack, unpack};
//!
//! let values = [5u8, 3];
//! let mut slices = vec![0; 4 * lane_words(values.len())];
//! pack(&values, 4, &mut slices);
//! assert_eq!(slices, [0b11, 0b10, 0b01, 0]); // the lowest bits of both, then the next ones
//! let mut back = [0u8; 2];
//! unpack(&slices, 4, &mut back);
//! assert_eq!(back, values);
//! ```

use crate::simd::{self, Kernel};
use crate::word::Word;

/// So many matrices are moved together, so that whole cache lines are read and written.
const WIDE: usize = 8;

/// A 64 x 64 bit matrix. It fits the registers of AVX2 and later.
type Square = [u64; 64];

/// Matrices on cache lines of their own: vectors that cross lines cost twice.
#[repr(align(64))]
struct Tile<const B: usize>([Square; B]);

/// Gives the number of words in one slice of `lanes` lanes.
#[inline]
#[must_use]
pub const fn lane_words(lanes: usize) -> usize {
    lanes.div_ceil(64)
}

/// Transposes a 64 x 64 bit matrix in place.
pub fn transpose64(matrix: &mut [u64; 64]) {
    simd::vectorize(
        #[inline(always)]
        || square(matrix),
    );
}

/// Writes the transpose of `input`, `rows` x `cols`, into `output`, `cols` x `rows`.
///
/// # Panics
/// When a slice does not have exactly the words of its matrix.
pub fn transpose(rows: usize, cols: usize, input: &[u64], output: &mut [u64]) {
    assert_eq!(Some(input.len()), rows.checked_mul(lane_words(cols)), "words of the input");
    assert_eq!(Some(output.len()), cols.checked_mul(lane_words(rows)), "words of the output");
    let shape = Shape { rows, cols, in_stride: lane_words(cols), out_stride: lane_words(rows) };
    simd::run(Transpose { shape, input, output });
}

/// Bitslices integers of any width: value `i` is the low `bits` bits of the words
/// `limbs[i * per_value..][..per_value]`, least significant first.
///
/// # Panics
/// When `bits` is more than a value has, or a slice has the wrong length.
pub fn pack_limbs(limbs: &[u64], per_value: usize, bits: usize, slices: &mut [u64]) {
    let rows = values_of(limbs.len(), per_value, bits);
    assert_eq!(slices.len(), bits * lane_words(rows), "words of the slices");
    let shape = Shape { rows, cols: bits, in_stride: per_value, out_stride: lane_words(rows) };
    simd::run(Transpose { shape, input: limbs, output: slices });
}

/// Writes the integers of which [`pack_limbs`] made `slices`; bits of a value beyond `bits` become zero.
///
/// # Panics
/// When `bits` is more than a value has, or a slice has the wrong length.
pub fn unpack_limbs(slices: &[u64], per_value: usize, bits: usize, limbs: &mut [u64]) {
    let cols = values_of(limbs.len(), per_value, bits);
    assert_eq!(slices.len(), bits * lane_words(cols), "words of the slices");
    if lane_words(bits) < per_value {
        limbs.fill(0);
    }
    let shape = Shape { rows: bits, cols, in_stride: lane_words(cols), out_stride: per_value };
    simd::run(Transpose { shape, input: slices, output: limbs });
}

/// Bitslices the low `bits` bits of each of `values`.
///
/// # Panics
/// When `bits` is more than a value has, or `slices` is not `bits * lane_words(values.len())`
/// words.
pub fn pack<W: Word>(values: &[W], bits: usize, slices: &mut [u64]) {
    let limbs = size_of::<W>() / 8;
    if limbs > 0 {
        return pack_limbs(bytemuck::cast_slice(values), limbs, bits, slices);
    }
    check_narrow::<W>(bits, values.len(), slices.len());
    simd::run(PackNarrow { values, bits, slices });
}

/// Writes the integers of which [`pack`] made `slices`; bits of a value beyond `bits` become zero.
///
/// # Panics
/// When `bits` is more than a value has, or `slices` is not `bits * lane_words(values.len())` words.
pub fn unpack<W: Word>(slices: &[u64], bits: usize, values: &mut [W]) {
    let limbs = size_of::<W>() / 8;
    if limbs > 0 {
        return unpack_limbs(slices, limbs, bits, bytemuck::cast_slice_mut(values));
    }
    check_narrow::<W>(bits, values.len(), slices.len());
    simd::run(UnpackNarrow { slices, bits, values });
}

fn check_narrow<W: Word>(bits: usize, lanes: usize, slices: usize) {
    assert!((1..=8 * size_of::<W>()).contains(&bits), "{bits} bits of a word");
    assert_eq!(slices, bits * lane_words(lanes), "words of the slices");
}

fn values_of(limbs: usize, per_value: usize, bits: usize) -> usize {
    assert!((1..=64 * per_value).contains(&bits), "{bits} bits of {per_value} words");
    assert!(limbs.is_multiple_of(per_value), "a whole number of values");
    limbs / per_value
}

/// Transposes in place: swaps off-diagonal blocks of 32, 16, .. 1 bits.
#[inline(always)]
fn square(matrix: &mut Square) {
    swap_blocks::<32>(matrix, 0x0000_0000_FFFF_FFFF);
    swap_blocks::<16>(matrix, 0x0000_FFFF_0000_FFFF);
    swap_blocks::<8>(matrix, 0x00FF_00FF_00FF_00FF);
    swap_blocks::<4>(matrix, 0x0F0F_0F0F_0F0F_0F0F);
    swap_blocks::<2>(matrix, 0x3333_3333_3333_3333);
    swap_blocks::<1>(matrix, 0x5555_5555_5555_5555);
}

/// In each block of `2 * J` rows, swaps the high `J` columns of the upper rows with the low
/// `J` columns of the lower rows. `low` marks the low columns.
#[inline(always)]
fn swap_blocks<const J: usize>(matrix: &mut Square, low: u64) {
    for block in matrix.chunks_exact_mut(2 * J) {
        let (upper, lower) = block.split_at_mut(J);
        for (u, l) in upper.iter_mut().zip(lower) {
            let swap = (*u >> J ^ *l) & low;
            *u ^= swap << J;
            *l ^= swap;
        }
    }
}

/// A transpose between matrices whose rows may be longer than their columns need.
#[derive(Clone, Copy)]
struct Shape {
    rows: usize,
    cols: usize,
    in_stride: usize,
    out_stride: usize,
}

struct Transpose<'a> {
    shape: Shape,
    input: &'a [u64],
    output: &'a mut [u64],
}

impl Kernel for Transpose<'_> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let Transpose { shape, input, output } = self;
        let (row_blocks, col_blocks) = (lane_words(shape.rows), lane_words(shape.cols));
        if row_blocks > col_blocks {
            for (row, wide) in runs(row_blocks) {
                for col in 0..col_blocks {
                    match wide {
                        WIDE => by_rows::<WIDE>(shape, row, col, input, output),
                        _ => by_rows::<1>(shape, row, col, input, output),
                    }
                }
            }
        } else {
            for (col, wide) in runs(col_blocks) {
                for row in 0..row_blocks {
                    match wide {
                        WIDE => by_cols::<WIDE>(shape, row, col, input, output),
                        _ => by_cols::<1>(shape, row, col, input, output),
                    }
                }
            }
        }
    }
}

/// Cuts `0..blocks` into runs of `WIDE` and single ones: (start, length).
#[inline(always)]
fn runs(blocks: usize) -> impl Iterator<Item = (usize, usize)> {
    let whole = blocks - blocks % WIDE;
    (0..whole).step_by(WIDE).map(|b| (b, WIDE)).chain((whole..blocks).map(|b| (b, 1)))
}

/// One block of columns of `B` blocks of rows: writes runs of words.
#[inline(always)]
fn by_rows<const B: usize>(s: Shape, row: usize, col: usize, input: &[u64], output: &mut [u64]) {
    let mut tile = Tile([[0; 64]; B]);
    let tile = &mut tile.0;
    for (b, matrix) in tile.iter_mut().enumerate() {
        let first = (row + b) * 64;
        let column = input[first * s.in_stride + col..].iter().step_by(s.in_stride);
        for (line, word) in matrix.iter_mut().zip(column).take(s.rows - first) {
            *line = *word;
        }
        square(matrix);
    }
    for c in 0..64.min(s.cols - col * 64) {
        let start = (col * 64 + c) * s.out_stride + row;
        for (word, matrix) in output[start..start + B].iter_mut().zip(&*tile) {
            *word = matrix[c];
        }
    }
}

/// One block of rows of `B` blocks of columns: reads runs of words.
#[inline(always)]
fn by_cols<const B: usize>(s: Shape, row: usize, col: usize, input: &[u64], output: &mut [u64]) {
    let mut tile = Tile([[0; 64]; B]);
    let tile = &mut tile.0;
    for r in 0..64.min(s.rows - row * 64) {
        let start = (row * 64 + r) * s.in_stride + col;
        for (word, matrix) in input[start..start + B].iter().zip(&mut *tile) {
            matrix[r] = *word;
        }
    }
    for (b, matrix) in tile.iter_mut().enumerate() {
        square(matrix);
        let first = (col + b) * 64;
        let column = output[first * s.out_stride + row..].iter_mut().step_by(s.out_stride);
        for (word, line) in column.zip(matrix).take(s.cols - first) {
            *word = *line;
        }
    }
}

/// Slices of integers shorter than a word. One matrix takes several blocks of 64 integers:
/// block `g` has the columns from `g * width` on.
struct PackNarrow<'a, W> {
    values: &'a [W],
    bits: usize,
    slices: &'a mut [u64],
}

impl<W: Word> Kernel for PackNarrow<'_, W> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let (width, blocks) = (8 * size_of::<W>(), 8 / size_of::<W>());
        let words = lane_words(self.values.len());
        for (i, group) in self.values.chunks(64 * blocks).enumerate() {
            let mut tile = Tile([[0; 64]]);
            let [matrix] = &mut tile.0;
            for (g, block) in group.chunks(64).enumerate() {
                for (line, value) in matrix.iter_mut().zip(block) {
                    *line |= (value.to_u128() as u64) << (g * width);
                }
            }
            square(matrix);
            for bit in 0..self.bits {
                let slice = &mut self.slices[bit * words..][..words];
                for (g, word) in slice[i * blocks..].iter_mut().take(blocks).enumerate() {
                    *word = matrix[g * width + bit];
                }
            }
        }
    }
}

/// Integers shorter than a word from their slices, several blocks of 64 at a time.
struct UnpackNarrow<'a, W> {
    slices: &'a [u64],
    bits: usize,
    values: &'a mut [W],
}

impl<W: Word> Kernel for UnpackNarrow<'_, W> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let (width, blocks) = (8 * size_of::<W>(), 8 / size_of::<W>());
        let words = lane_words(self.values.len());
        for (i, group) in self.values.chunks_mut(64 * blocks).enumerate() {
            let mut tile = Tile([[0; 64]]);
            let [matrix] = &mut tile.0;
            for bit in 0..self.bits {
                let slice = &self.slices[bit * words..][..words];
                for (g, word) in slice[i * blocks..].iter().take(blocks).enumerate() {
                    matrix[g * width + bit] = *word;
                }
            }
            square(matrix);
            for (g, block) in group.chunks_mut(64).enumerate() {
                for (value, line) in block.iter_mut().zip(&*matrix) {
                    *value = W::from_u128(u128::from(line >> (g * width)));
                }
            }
        }
    }
}
