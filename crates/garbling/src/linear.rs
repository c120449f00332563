//! Linear gates, on rows of blocks: a row for each slot, of as many blocks as go side by side.

use tacit_circuit::schedule::{Linear, Slot};
use tacit_ring::simd;

/// A block in two words, of which vectors are made.
type Words = [u64; 2];

/// Takes rows through gates that need no others: sums are of rows, negation adds the row `one`, and the constant one is that
/// row. Rows are as long as it.
///
/// Takes rows through gates that need no other rows: XOR adds rows, negation adds the row `one`, and the constant one
/// is that row. Every row is as long as `one`.
pub(crate) fn linear(gates: &[Linear], blocks: &mut [u128], one: &[u128]) {
    let (blocks, one) = (bytemuck::cast_slice_mut(blocks), bytemuck::cast_slice(one));
    match one.len() {
        1 => simd::run(Rows::<1> { gates, blocks, one }),
        2 => simd::run(Rows::<2> { gates, blocks, one }),
        3 => simd::run(Rows::<3> { gates, blocks, one }),
        4 => simd::run(Rows::<4> { gates, blocks, one }),
        5 => simd::run(Rows::<5> { gates, blocks, one }),
        6 => simd::run(Rows::<6> { gates, blocks, one }),
        7 => simd::run(Rows::<7> { gates, blocks, one }),
        8 => simd::run(Rows::<8> { gates, blocks, one }),
        _ => simd::run(LongRows { gates, blocks, one }),
    }
}

/// Takes bits through gates that need no other bits, one bit per slot.
///
/// # Panics
/// When a slot has no bit.
pub(crate) fn linear_bits(gates: &[Linear], bits: &mut [bool]) {
    for gate in gates {
        match *gate {
            Linear::Xor { dst, a, b } => bits[dst as usize] = bits[a as usize] ^ bits[b as usize],
            Linear::Not { dst, a } => bits[dst as usize] = !bits[a as usize],
            Linear::Const { dst, value } => bits[dst as usize] = value,
        }
    }
}

struct Rows<'l, const N: usize> {
    gates: &'l [Linear],
    blocks: &'l mut [Words],
    one: &'l [Words],
}

impl<const N: usize> simd::Kernel for Rows<'_, N> {
    type Output = ();
    const AVX512: bool = true;

    #[inline(always)]
    fn run(self) {
        let (rows, _) = self.blocks.as_chunks_mut::<N>();
        let Some(one) = self.one.first_chunk::<N>() else { return };
        for gate in self.gates {
            match *gate {
                Linear::Xor { dst, a, b } => {
                    let mut sum = rows[a as usize];
                    add(&mut sum, &rows[b as usize]);
                    rows[dst as usize] = sum;
                }
                Linear::Not { dst, a } => {
                    let mut row = rows[a as usize];
                    add(&mut row, one);
                    rows[dst as usize] = row;
                }
                Linear::Const { dst, value } => {
                    rows[dst as usize] = if value { *one } else { [[0; 2]; N] };
                }
            }
        }
    }
}

/// Blocks of a long row that are added in one go.
const PIECE: usize = 8;

struct LongRows<'l> {
    gates: &'l [Linear],
    blocks: &'l mut [Words],
    one: &'l [Words],
}

impl simd::Kernel for LongRows<'_> {
    type Output = ();
    const AVX512: bool = true;

    #[inline(always)]
    fn run(self) {
        let LongRows { gates, blocks, one } = self;
        let width = one.len();
        let row = |slot: Slot| slot as usize * width..(slot as usize + 1) * width;
        for gate in gates {
            match *gate {
                Linear::Xor { dst, a, b } => {
                    let mut at = [dst, a, b].map(|slot| row(slot).start);
                    for _ in 0..width / PIECE {
                        sum::<PIECE>(blocks, at);
                        at = at.map(|at| at + PIECE);
                    }
                    match width % PIECE {
                        1 => sum::<1>(blocks, at),
                        2 => sum::<2>(blocks, at),
                        3 => sum::<3>(blocks, at),
                        4 => sum::<4>(blocks, at),
                        5 => sum::<5>(blocks, at),
                        6 => sum::<6>(blocks, at),
                        7 => sum::<7>(blocks, at),
                        _ => (),
                    }
                }
                Linear::Not { dst, a } => {
                    let dst = row(dst);
                    blocks.copy_within(row(a), dst.start);
                    for (to, one) in blocks[dst].iter_mut().zip(one) {
                        add(std::array::from_mut(to), std::array::from_ref(one));
                    }
                }
                Linear::Const { dst, value: true } => blocks[row(dst)].copy_from_slice(one),
                Linear::Const { dst, value: false } => blocks[row(dst)].fill([0; 2]),
            }
        }
    }
}

/// Sets so many blocks to the sums of others.
#[inline(always)]
fn sum<const N: usize>(blocks: &mut [Words], [dst, a, b]: [usize; 3]) {
    let read = |at: usize| -> [Words; N] { *blocks[at..].first_chunk().expect("rows in range") };
    let mut sum = read(a);
    add(&mut sum, &read(b));
    *blocks[dst..].first_chunk_mut().expect("rows in range") = sum;
}

#[inline(always)]
fn add<const N: usize>(to: &mut [Words; N], from: &[Words; N]) {
    for (to, from) in to.as_flattened_mut().iter_mut().zip(from.as_flattened()) {
        *to ^= from;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_of_any_width_go_through_all_gates() {
        for width in 1..=35 {
            let before: Vec<u128> = (0..7 * width as u128).map(|i| i * i + 1).collect();
            let one: Vec<u128> = (0..width as u128).map(|i| i << 90 | 1).collect();
            let gates = [
                Linear::Xor { dst: 0, a: 1, b: 2 },
                Linear::Xor { dst: 6, a: 0, b: 5 },
                Linear::Xor { dst: 5, a: 3, b: 3 },
                Linear::Not { dst: 1, a: 6 },
                Linear::Const { dst: 2, value: true },
                Linear::Const { dst: 3, value: false },
            ];
            let mut blocks = before.clone();
            linear(&gates, &mut blocks, &one);
            for i in 0..width {
                let old = |slot: usize| before[slot * width + i];
                let first = old(1) ^ old(2);
                let sum = first ^ old(5);
                let want = [first, sum ^ one[i], one[i], 0, old(4), 0, sum];
                for (slot, want) in want.into_iter().enumerate() {
                    assert_eq!(blocks[slot * width + i], want, "width {width}, slot {slot}");
                }
            }
        }
    }

    #[test]
    #[should_panic]
    fn slots_without_rows_are_refused() {
        linear(&[Linear::Xor { dst: 0, a: 1, b: 2 }], &mut [0; 30], &[0; 11]);
    }
}
