//! Bit matrices against naive definitions.

use proptest::prelude::*;
use tacit_ring::transpose::{
    lane_words, pack, pack_limbs, transpose, transpose64, unpack, unpack_limbs,
};
use tacit_ring::{Key, Prg, Word, Z2};

fn random_words(seed: u64, len: usize) -> Vec<u64> {
    let mut words = vec![0u64; len];
    Prg::new(&Key::from_bytes([1; 16])).fill(seed, 0, bytemuck::cast_slice_mut(&mut words));
    words
}

fn bit(matrix: &[u64], stride: usize, row: usize, col: usize) -> bool {
    matrix[row * stride + col / 64] >> (col % 64) & 1 == 1
}

/// The transpose bit by bit, of a matrix with rows of `stride` words.
fn naive(rows: usize, cols: usize, stride: usize, input: &[u64]) -> Vec<u64> {
    let out_stride = lane_words(rows);
    let mut output = vec![0; cols * out_stride];
    for r in 0..rows {
        for c in 0..cols {
            if bit(input, stride, r, c) {
                output[c * out_stride + r / 64] |= 1 << (r % 64);
            }
        }
    }
    output
}

#[test]
fn sixty_four_squared() {
    let mut matrix: [u64; 64] = random_words(0, 64).try_into().unwrap();
    let want = naive(64, 64, 1, &matrix);
    let original = matrix;
    transpose64(&mut matrix);
    assert_eq!(matrix[..], want);
    transpose64(&mut matrix);
    assert_eq!(matrix, original);
}

fn check_transpose(rows: usize, cols: usize, seed: u64) {
    let input = random_words(seed, rows * lane_words(cols));
    let mut output = vec![!0; cols * lane_words(rows)];
    transpose(rows, cols, &input, &mut output);
    assert!(output == naive(rows, cols, lane_words(cols), &input), "{rows} x {cols}");
}

#[test]
fn edge_shapes() {
    let sizes = [0, 1, 2, 63, 64, 65, 127, 128, 129, 511, 512, 513, 1100];
    for rows in sizes {
        for cols in sizes {
            check_transpose(rows, cols, 1);
        }
    }
}

/// Packs and unpacks `lanes` values of every width of `W` against the definition.
fn check_words<W: Word + std::fmt::Debug>(lanes: usize, seed: u64) {
    let raw = random_words(seed, 2 * lanes);
    let wide = |i: usize| u128::from(raw[2 * i]) | u128::from(raw[2 * i + 1]) << 64;
    let values: Vec<W> = (0..lanes).map(|i| W::from_u128(wide(i))).collect();
    for bits in 1..=8 * size_of::<W>() {
        let words = lane_words(lanes);
        let mut slices = vec![!0u64; bits * words];
        pack(&values, bits, &mut slices);
        for b in 0..bits {
            for lane in 0..words * 64 {
                let want = lane < lanes && wide(lane) >> b & 1 == 1;
                assert_eq!(bit(&slices, words, b, lane), want, "bit {b} of lane {lane}");
            }
        }
        // Garbage in the padding of the last words must not matter.
        if !lanes.is_multiple_of(64) {
            slices.chunks_mut(words).for_each(|s| s[words - 1] |= !0 << (lanes % 64));
        }
        let mut back = vec![W::from_u128(u128::MAX); lanes];
        unpack(&slices, bits, &mut back);
        let mask = u128::MAX >> (128 - bits);
        for (i, value) in back.iter().enumerate() {
            assert_eq!(value.to_u128(), wide(i) & mask);
        }
    }
}

fn check_all_words(lanes: usize, seed: u64) {
    check_words::<u8>(lanes, seed);
    check_words::<u16>(lanes, seed);
    check_words::<u32>(lanes, seed);
    check_words::<u64>(lanes, seed);
    check_words::<u128>(lanes, seed);
}

#[test]
fn words_at_edge_sizes() {
    for lanes in [0, 1, 3, 63, 64, 65, 511, 512, 513, 1000] {
        check_all_words(lanes, 2);
    }
}

#[test]
fn big_groups_of_narrow_words() {
    for lanes in [4095, 4096, 4097, 9000] {
        check_words::<u8>(lanes, 3);
        check_words::<u16>(lanes, 3);
    }
}

#[test]
fn slices_of_z2_words() {
    let mut slices = vec![Z2(0); 8];
    pack(&[1u8, 2, 255], 8, tacit_ring::word::lanes_mut(&mut slices));
    assert_eq!(slices[..3], [Z2(0b101), Z2(0b110), Z2(0b100)]);
    assert_eq!(tacit_ring::word::lanes(&slices)[7], 0b100);
}

proptest! {
    #[test]
    fn any_shape(rows in 0usize..700, cols in 0usize..700, seed: u64) {
        check_transpose(rows, cols, seed);
    }

    #[test]
    fn any_width_of_limbs(
        lanes in 0usize..300, per_value in 1usize..5, width in 1usize..257, seed: u64,
    ) {
        let bits = width.min(64 * per_value);
        let limbs = random_words(seed, lanes * per_value);
        let mut slices = vec![!0; bits * lane_words(lanes)];
        pack_limbs(&limbs, per_value, bits, &mut slices);
        prop_assert_eq!(&slices, &naive(lanes, bits, per_value, &limbs));
        let mut back = vec![!0; limbs.len()];
        unpack_limbs(&slices, per_value, bits, &mut back);
        for (i, limb) in back.iter().enumerate() {
            let low = bits.saturating_sub(i % per_value * 64).min(64);
            let mask = if low == 0 { 0 } else { !0 >> (64 - low) };
            prop_assert_eq!(*limb, limbs[i] & mask);
        }
    }
}

#[test]
#[should_panic(expected = "words of the slices")]
fn wrong_sizes_are_refused() {
    pack(&[1u32; 65], 32, &mut [0; 32]);
}

#[test]
#[should_panic(expected = "9 bits")]
fn wrong_widths_are_refused() {
    pack(&[1u8], 9, &mut [0; 9]);
}
