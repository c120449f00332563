//! Rows under way, and where each belongs by some bits of its key.

use super::{Column, DIGIT_BITS, Shuffles, side_by_side};
use crate::convert::{BitPlanes, shuffle};
use crate::{Kind, Planes, Result, Secret};
use std::ops::Range;
use tacit_ring::{Buffer, Word, Z2, simd};
use tacit_sharing::arrays::SharedVec;

const DIGITS: usize = 1 << DIGIT_BITS;
/// Key bits that share a word with the row's number.
const LOW_BITS: usize = 32;

/// Rows as words: the key's low 32 bits and the row number above them; further key bits in a
/// second column.
pub(super) struct Rows {
    pub n: usize,
    pub columns: Vec<Column>,
}

impl Rows {
    pub fn of(on: &mut dyn Shuffles, key: &Planes) -> Result<Self> {
        let n = key.lanes;
        let further = key.planes > LOW_BITS;
        let Some(bits) = &key.data else {
            let columns = (0..1 + usize::from(further)).map(|_| Column::Dry { rows: n, bits: 1 });
            return Ok(Rows { n, columns: columns.collect() });
        };
        let [Column::Words(mut low), _] = on.numbers(n) else {
            return Err(crate::wrong("numbers of rows"));
        };
        let keys = words_of(bits, 0..key.planes.min(LOW_BITS));
        for (to, from) in [(&mut low.first, &keys.first), (&mut low.second, &keys.second)] {
            to.iter_mut().zip(from.iter()).for_each(|(to, from)| *to = to.add(*from));
        }
        let mut columns = vec![Column::Words(low)];
        if further {
            columns.push(Column::Words(words_of(bits, LOW_BITS..key.planes)));
        }
        Ok(Rows { n, columns })
    }

    /// Some bits of every row's key, each as an array.
    pub fn key_bits(&self, on: &mut dyn Shuffles, bits: Range<usize>) -> Result<Vec<Secret>> {
        bits.map(|bit| self.key_bit(on, bit)).collect()
    }

    fn key_bit(&self, on: &mut dyn Shuffles, bit: usize) -> Result<Secret> {
        let (column, shift) = if bit < LOW_BITS { (0, bit) } else { (1, bit - LOW_BITS) };
        let Column::Words(words) = &self.columns[column] else {
            return Ok(Secret::dry(Kind::Bits, self.n));
        };
        let [first, second] = side_by_side(on, |c| plane_of(words.components()[c], shift))?;
        Ok(Secret::bits(BitPlanes::shared(SharedVec::pair(first, second), self.n)))
    }

    /// The rows' numbers.
    pub fn into_numbers(self) -> Column {
        let Some(Column::Words(low)) = self.columns.into_iter().next() else {
            return Column::Dry { rows: self.n, bits: 1 };
        };
        Column::Words(low.map(|run| {
            let mut numbers = run.clone();
            numbers.iter_mut().for_each(|word| *word = Z2(word.0 >> LOW_BITS));
            numbers
        }))
    }
}

/// Planes of a key as a word per row.
pub(super) fn words_of(key: &BitPlanes, at: Range<usize>) -> SharedVec<Z2> {
    let (n, words) = (key.lanes, key.words());
    let part = |run: &Buffer<Z2>| {
        let run = &run[(at.start * words).min(run.len())..(at.end * words).min(run.len())];
        if run.is_empty() {
            return Buffer::zeros(n);
        }
        shuffle::rows_of(run, run.len() / words.max(1), n)
    };
    SharedVec::pair(part(&key.shares.first), part(&key.shares.second))
}

/// One bit of every word.
fn plane_of(words: &[Z2], shift: usize) -> Buffer<Z2> {
    let mut plane = Buffer::<Z2>::zeros(words.len().div_ceil(64));
    let to = &mut plane;
    simd::vectorize(
        #[inline(always)]
        || {
            for (to, rows) in to.iter_mut().zip(words.chunks(64)) {
                let bits = rows.iter().enumerate();
                to.0 = bits.fold(0, |bits, (i, row)| bits | (row.0 >> shift & 1) << i);
            }
        },
    );
    plane
}

/// `place = s_0 + sum_d f_d (s_d - s_0)`, componentwise: `f_d` flags the digit `d`, and `s_d` is
/// the place of a row if its digit is `d`.
pub(super) struct Terms {
    /// `f_1..`, row by row.
    pub factors: Buffer<u32>,
    /// `s_d - s_0`, row by row.
    pub steps: Buffer<u32>,
    /// `s_0`.
    pub base: Buffer<u32>,
}

/// Which digit row `i` has, as flags: of one bit a `1 - a, a`, of two
/// `1 - a - b + ab, a - ab, b - ab, ab`.
#[inline(always)]
fn digit_flags(products: &[u32], step: usize, count: usize, i: usize, one: u32) -> [u32; DIGITS] {
    let a = products[i];
    if count == 2 {
        return [one.wrapping_sub(a), a, 0, 0];
    }
    let (b, both) = (products[step + i], products[2 * step + i]);
    let high = b.wrapping_sub(both);
    [one.wrapping_sub(a).wrapping_sub(high), a.wrapping_sub(both), high, both]
}

impl Terms {
    /// Out of the bits of a digit and their product, one after the other, and the share of one.
    pub fn new(products: &[u32], n: usize, digits: usize, one: u32) -> Self {
        let (count, step) = (1 << digits, n.next_multiple_of(64));
        let width = count - 1;
        let mut totals = [0u32; DIGITS];
        for i in 0..n {
            for (total, flag) in totals.iter_mut().zip(digit_flags(products, step, count, i, one)) {
                *total = total.wrapping_add(flag);
            }
        }
        // Rows of smaller digits come first.
        let mut next = [0u32; DIGITS];
        for d in 1..count {
            next[d] = next[d - 1].wrapping_add(totals[d - 1]);
        }
        let mut out = Terms {
            factors: Buffer::zeros(n * width),
            steps: Buffer::zeros(n * width),
            base: Buffer::zeros(n),
        };
        let rows = out.factors.chunks_exact_mut(width).zip(out.steps.chunks_exact_mut(width));
        for (i, ((factors, steps), base)) in rows.zip(out.base.iter_mut()).enumerate() {
            let flags = digit_flags(products, step, count, i, one);
            *base = next[0];
            for d in 1..count {
                factors[d - 1] = flags[d];
                steps[d - 1] = next[d].wrapping_sub(next[0]);
            }
            for (next, flag) in next.iter_mut().zip(flags) {
                *next = next.wrapping_add(flag);
            }
        }
        out
    }
}
