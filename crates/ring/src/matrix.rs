//! Products of plain matrices of words: what a party computes for a product of shared matrices.
//!
//! The right factor is [`Packed`] once: its columns in panels, whose rows lie one after the other. A kernel then keeps a
//! block of some rows by a panel's columns in registers while it runs through what the factors share. With AVX-512 there
//! are kernels for words of 32 and 64 bits; a portable one is the twin of both, and computes with all other words.
#![allow(unsafe_code)]

#[cfg(target_arch = "x86_64")]
mod wide;

use crate::simd::{self, Kernel};
use crate::{Buffer, Word};

/// Rows of the right factor that kernels take at a time: as many as stay in the first-level cache with a panel's columns.
const DEPTH: usize = 128;
/// Factors of so few columns are kept column by column: a product is then a sum along the rows of the left factor.
const FEW_COLUMNS: usize = 4;

/// Where a panel's columns begin, how many they are, and how many are kept.
#[derive(Clone, Copy)]
struct Panel {
    start: usize,
    width: usize,
    kept: usize,
}

/// How the columns of a right factor are cut into panels.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Layout {
    /// Columns of a panel.
    panel: usize,
    /// The last panel is filled with columns of zeros up to a multiple of this.
    lanes: usize,
}

impl Layout {
    fn of<W: Word>() -> Layout {
        #[cfg(target_arch = "x86_64")]
        if let Some(lanes) = wide::lanes::<W>() {
            return Layout { panel: wide::VECTORS * lanes, lanes };
        }
        Portable::<W>::LAYOUT
    }

    fn panels(self, columns: usize) -> impl Iterator<Item = Panel> {
        (0..columns).step_by(self.panel).map(move |start| {
            let width = self.panel.min(columns - start);
            Panel { start, width, kept: width.next_multiple_of(self.lanes) }
        })
    }
}

/// A right factor, laid out as kernels read it. It is wiped when it is dropped.
pub struct Packed<W> {
    words: Buffer<W>,
    inner: usize,
    columns: usize,
    layout: Layout,
}

impl<W: Word> Packed<W> {
    /// Packs the sum of the factors, each `inner x columns` words row by row, each times its coefficient.
    ///
    /// # Panics
    /// When a factor has another size.
    #[must_use]
    pub fn of_sum(inner: usize, columns: usize, factors: &[(W, &[W])]) -> Packed<W> {
        assert!(
            factors.iter().all(|(_, words)| words.len() == inner * columns),
            "sizes of factors"
        );
        let layout = Layout::of::<W>();
        let kept: usize = match columns {
            0..=FEW_COLUMNS => columns,
            _ => layout.panels(columns).map(|panel| panel.kept).sum(),
        };
        let mut packed = Packed { words: Buffer::zeros(inner * kept), inner, columns, layout };
        for &(times, words) in factors {
            simd::vectorize(
                #[inline(always)]
                || packed.add(times, words),
            );
        }
        packed
    }

    #[inline(always)]
    fn add(&mut self, times: W, factor: &[W]) {
        let Packed { words, inner, columns, layout } = self;
        let (inner, columns) = (*inner, *columns);
        if columns <= FEW_COLUMNS {
            for (column, to) in words.chunks_exact_mut(inner.max(1)).enumerate() {
                add_times(times, to, factor.iter().skip(column).step_by(columns));
            }
            return;
        }
        let mut rest = &mut words[..];
        for Panel { start, width, kept } in layout.panels(columns) {
            let (panel, behind) = rest.split_at_mut(inner * kept);
            for (to, from) in panel.chunks_exact_mut(kept).zip(factor.chunks_exact(columns)) {
                add_times(times, &mut to[..width], from[start..start + width].iter());
            }
            rest = behind;
        }
    }

    /// Adds `left` times this factor to `out`. `left` has `inner` words a row, `out` as many rows of `columns` words.
    ///
    /// ```
    /// use tacit_ring::matrix::Packed;
    ///
    /// let right = Packed::of_sum(3, 2, &[(1, &[1, 2, 3, 4, 5, 6])]);
    /// let mut out = [100u64, 0];
    /// right.add_product(&[1, 10, 100], &mut out);
    /// assert_eq!(out, [631, 642]);
    /// ```
    ///
    /// # Panics
    /// When the sizes do not fit.
    pub fn add_product(&self, left: &[W], out: &mut [W]) {
        let rows = match out.len().checked_div(self.columns) {
            None if out.is_empty() => return,
            rows => rows.unwrap_or(0),
        };
        let fits = out.len() == rows * self.columns && left.len() == rows * self.inner;
        assert!(fits, "sizes of a product of matrices");
        if self.columns <= FEW_COLUMNS {
            simd::run(Narrow { left, right: self, out });
            return;
        }
        let mut words = &self.words[..];
        for panel in self.layout.panels(self.columns) {
            let (right, behind) = words.split_at(self.inner * panel.kept);
            let product = Product { left, inner: self.inner, right, panel, columns: self.columns };
            product.add_to(self.layout, out);
            words = behind;
        }
    }
}

#[inline(always)]
fn add_times<'a, W: Word>(times: W, to: &mut [W], from: impl Iterator<Item = &'a W>) {
    let both = to.iter_mut().zip(from);
    // Most coefficients are one, or its negative.
    if times == W::ONE {
        both.for_each(|(to, from)| *to = to.add(*from));
    } else if times == W::ONE.neg() {
        both.for_each(|(to, from)| *to = to.sub(*from));
    } else {
        both.for_each(|(to, from)| *to = to.add(times.mul(*from)));
    }
}

/// A left factor and one panel of the right one.
struct Product<'a, W> {
    left: &'a [W],
    /// Words of a row of the left factor, rows of the right one.
    inner: usize,
    right: &'a [W],
    panel: Panel,
    /// Words of a row of the results.
    columns: usize,
}

impl<W: Word> Product<'_, W> {
    fn add_to(self, layout: Layout, out: &mut [W]) {
        #[cfg(target_arch = "x86_64")]
        if layout != Portable::<W>::LAYOUT {
            return wide::run(self, out);
        }
        debug_assert!(layout == Portable::<W>::LAYOUT);
        simd::run(Portable { product: self, out });
    }
}

/// The kernel for all words and processors.
struct Portable<'a, W> {
    product: Product<'a, W>,
    out: &'a mut [W],
}

impl<W: Word> Portable<'_, W> {
    const LAYOUT: Layout = Layout { panel: PANEL, lanes: PANEL };
}

/// Columns of a panel of the portable kernel.
const PANEL: usize = 16;
/// Rows that it takes at a time: sums of so many rows by a panel's columns stay in AVX2's registers with 32 bits.
const ROWS: usize = 4;

impl<W: Word> Kernel for Portable<'_, W> {
    type Output = ();
    #[inline(always)]
    fn run(self) {
        let Product { left, inner, right, panel, columns } = self.product;
        let right = right.as_chunks::<PANEL>().0;
        for depth in (0..inner).step_by(DEPTH) {
            let right = &right[depth..inner.min(depth + DEPTH)];
            let mut lefts = left.chunks_exact(inner);
            for out in self.out.chunks_mut(ROWS * columns) {
                let mut next = || lefts.next().map_or(&[][..], |row| &row[depth..][..right.len()]);
                if out.len() == ROWS * columns {
                    let rows: [&[W]; ROWS] = std::array::from_fn(|_| next());
                    add_sums(panel, columns, sums(rows, right), out);
                } else {
                    for out in out.chunks_exact_mut(columns) {
                        add_sums(panel, columns, sums([next()], right), out);
                    }
                }
            }
        }
    }
}

#[inline(always)]
fn sums<W: Word, const R: usize>(left: [&[W]; R], right: &[[W; PANEL]]) -> [[W; PANEL]; R] {
    let left = left.map(|row| &row[..right.len()]);
    let mut sums = [[W::ZERO; PANEL]; R];
    for (k, right) in right.iter().enumerate() {
        for (sums, left) in sums.iter_mut().zip(left) {
            for (sum, right) in sums.iter_mut().zip(right) {
                *sum = sum.add(left[k].mul(*right));
            }
        }
    }
    sums
}

#[inline(always)]
fn add_sums<W: Word, const R: usize>(
    Panel { start, width, .. }: Panel,
    columns: usize,
    sums: [[W; PANEL]; R],
    out: &mut [W],
) {
    for (out, sums) in out.chunks_exact_mut(columns).zip(sums) {
        for (out, sum) in out[start..start + width].iter_mut().zip(sums) {
            *out = out.add(sum);
        }
    }
}

/// Products with few columns.
struct Narrow<'a, W> {
    left: &'a [W],
    right: &'a Packed<W>,
    out: &'a mut [W],
}

impl<W: Word> Kernel for Narrow<'_, W> {
    type Output = ();
    // It has an instruction for products of 64 bits.
    const AVX512: bool = W::BITS == 64;
    #[inline(always)]
    fn run(self) {
        let Packed { words, inner, columns, .. } = self.right;
        if *inner == 0 || *columns == 0 {
            return;
        }
        for (row, out) in self.left.chunks_exact(*inner).zip(self.out.chunks_exact_mut(*columns)) {
            for (column, out) in words.chunks_exact(*inner).zip(out) {
                let terms = row.iter().zip(column).map(|(a, b)| a.mul(*b));
                *out = terms.fold(*out, |sum, term| sum.add(term));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Z2;
    use crate::entropy::{Rng, test_seed};

    fn words<W: Word>(rng: &mut Rng, count: usize) -> Vec<W> {
        let mut word =
            || W::from_u128(u128::from(rng.words(1)[0]) << 64 | u128::from(rng.words(1)[0]));
        (0..count).map(|_| word()).collect()
    }

    /// Row by row and term by term.
    fn product<W: Word>([rows, inner, columns]: [usize; 3], left: &[W], right: &[W]) -> Vec<W> {
        let entry = |row: usize, column: usize| {
            let terms = (0..inner).map(|k| left[row * inner + k].mul(right[k * columns + column]));
            terms.fold(W::ZERO, W::add)
        };
        (0..rows * columns).map(|at| entry(at / columns, at % columns)).collect()
    }

    fn equals_the_definition<W: Word + std::fmt::Debug>(sizes: [usize; 3], rng: &mut Rng) {
        let [rows, inner, columns] = sizes;
        let left = words::<W>(rng, rows * inner);
        let (x, y) = (words::<W>(rng, inner * columns), words::<W>(rng, inner * columns));
        let times = words::<W>(rng, 1)[0];
        let sum: Vec<W> = x.iter().zip(&y).map(|(x, y)| x.add(times.mul(*y))).collect();
        let before = words::<W>(rng, rows * columns);
        let plus = |product: Vec<W>| -> Vec<W> {
            before.iter().zip(product).map(|(before, sum)| before.add(sum)).collect()
        };
        let expected = plus(product(sizes, &left, &sum));
        let packed = Packed::of_sum(inner, columns, &[(W::ONE, &x), (times, &y)]);
        let mut out = before.clone();
        packed.add_product(&left, &mut out);
        assert_eq!(out, expected, "{sizes:?} of {} bits", W::BITS);
        // The portable twin, whatever this processor has.
        let layout = Portable::<W>::LAYOUT;
        let kept: usize = layout.panels(columns).map(|panel| panel.kept).sum();
        let mut packed = Packed { words: Buffer::zeros(inner * kept), inner, columns, layout };
        if columns > FEW_COLUMNS {
            packed.add(W::ONE, &sum);
            let mut out = before.clone();
            packed.add_product(&left, &mut out);
            assert_eq!(out, expected, "{sizes:?} of {} bits, portable", W::BITS);
        }
    }

    #[test]
    fn products_are_sums_of_products() {
        let mut rng = Rng(test_seed());
        let mut sizes =
            vec![[0, 3, 5], [3, 0, 5], [3, 5, 0], [1, 1, 1], [7, 300, 4], [13, 129, 37]];
        for columns in [5, 8, 16, 24, 31, 32, 33, 63, 64, 65, 100] {
            sizes.push([
                rng.words(1)[0] as usize % 15 + 1,
                rng.words(1)[0] as usize % 200 + 1,
                columns,
            ]);
        }
        for sizes in sizes {
            equals_the_definition::<u64>(sizes, &mut rng);
            equals_the_definition::<u32>(sizes, &mut rng);
            equals_the_definition::<u128>(sizes, &mut rng);
            equals_the_definition::<u8>(sizes, &mut rng);
            equals_the_definition::<Z2>(sizes, &mut rng);
        }
    }
}
