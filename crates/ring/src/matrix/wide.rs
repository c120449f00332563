//! Kernels of AVX-512 for words of 32 and 64 bits: sums of six rows by four registers of columns stay in 24 registers.

use super::{DEPTH, Product};
use crate::Word;
use std::arch::x86_64::*;

/// Registers of a panel's columns.
pub(super) const VECTORS: usize = 4;
/// Rows at a time.
const ROWS: usize = 6;

/// The words in a register, where there is a kernel for these words and this processor can run it.
pub(super) fn lanes<W: Word>() -> Option<usize> {
    use std::arch::is_x86_feature_detected as has;
    let is_there = matches!(W::BITS, 32 | 64) && has!("avx512f") && has!("avx512dq");
    is_there.then_some(64 / size_of::<W>())
}

/// Adds the product to `out`. The processor has what [`lanes`] looks for.
pub(super) fn run<W: Word>(product: Product<'_, W>, out: &mut [W]) {
    assert!(lanes::<W>().is_some(), "AVX-512, words of 32 or 64 bits");
    let Product { left, inner, right, panel, columns } = product;
    if W::BITS == 64 {
        let (left, right) = (bytemuck::cast_slice(left), bytemuck::cast_slice(right));
        let product = Product { left, inner, right, panel, columns };
        // SAFETY: this processor has the features.
        unsafe { words64::run(product, bytemuck::cast_slice_mut(out)) }
    } else {
        let (left, right) = (bytemuck::cast_slice(left), bytemuck::cast_slice(right));
        let product = Product { left, inner, right, panel, columns };
        // SAFETY: this processor has the features.
        unsafe { words32::run(product, bytemuck::cast_slice_mut(out)) }
    }
}

macro_rules! kernels {
    ($module:ident, $word:ty, $signed:ty, $mask:ty, $mul:ident, $add:ident, $set:ident, $load:ident, $store:ident) => {
        mod $module {
            use super::*;

            const LANES: usize = 64 / size_of::<$word>();

            #[target_feature(enable = "avx512f,avx512dq")]
            pub(super) fn run(product: Product<'_, $word>, out: &mut [$word]) {
                match product.panel.kept / LANES {
                    1 => panel::<1>(product, out),
                    2 => panel::<2>(product, out),
                    3 => panel::<3>(product, out),
                    _ => panel::<VECTORS>(product, out),
                }
            }

            #[target_feature(enable = "avx512f,avx512dq")]
            fn panel<const V: usize>(product: Product<'_, $word>, out: &mut [$word]) {
                let Product { left, inner, right, panel, columns } = product;
                let rows = out.len() / columns;
                assert!(left.len() == rows * inner && right.len() == inner * V * LANES);
                assert!(panel.start + panel.width <= columns);
                assert!(((V - 1) * LANES + 1..=V * LANES).contains(&panel.width));
                let last = panel.width - (V - 1) * LANES;
                let mask = <$mask>::MAX >> (LANES - last);
                for depth in (0..inner).step_by(DEPTH) {
                    let count = DEPTH.min(inner - depth);
                    let right = &right[depth * V * LANES..][..count * V * LANES];
                    let mut row = 0;
                    while row < rows {
                        let left = &left[row * inner + depth..];
                        let out = &mut out[row * columns + panel.start..];
                        let block = Block { left, inner, right, count, columns, mask };
                        // SAFETY: from here on there are at least so many rows, whose words `depth..depth + count` are in
                        // the left factor, and whose columns of this panel are in `out`; of the last register those in
                        // the mask.
                        row += unsafe {
                            match rows - row {
                                ROWS.. => block.add_to::<ROWS, V>(out),
                                3.. => block.add_to::<3, V>(out),
                                _ => block.add_to::<1, V>(out),
                            }
                        };
                    }
                }
            }

            struct Block<'a> {
                left: &'a [$word],
                inner: usize,
                right: &'a [$word],
                count: usize,
                columns: usize,
                mask: $mask,
            }

            impl Block<'_> {
                /// Gives the number of rows.
                ///
                /// # Safety
                /// `left` has `R` rows, `inner` words apart, of `count` words; `right` has `count` rows of `V` registers;
                /// `out` has `R` rows, `columns` words apart, of `V` registers, of the last the words in the mask.
                #[inline]
                #[target_feature(enable = "avx512f,avx512dq")]
                unsafe fn add_to<const R: usize, const V: usize>(
                    &self,
                    out: &mut [$word],
                ) -> usize {
                    let (left, right) = (self.left.as_ptr(), self.right.as_ptr());
                    let mut sums = [[_mm512_setzero_si512(); V]; R];
                    for k in 0..self.count {
                        // SAFETY: as promised.
                        unsafe {
                            let mut terms = [_mm512_setzero_si512(); V];
                            for (v, terms) in terms.iter_mut().enumerate() {
                                *terms = _mm512_loadu_si512(right.add((k * V + v) * LANES).cast());
                            }
                            for (r, sums) in sums.iter_mut().enumerate() {
                                let factor = $set(*left.add(r * self.inner + k) as $signed);
                                for (sum, term) in sums.iter_mut().zip(terms) {
                                    *sum = $add(*sum, $mul(factor, term));
                                }
                            }
                        }
                    }
                    for (r, sums) in sums.into_iter().enumerate() {
                        for (v, sum) in sums.into_iter().enumerate() {
                            let mask = if v + 1 == V { self.mask } else { <$mask>::MAX };
                            // SAFETY: as promised.
                            unsafe {
                                let to = out
                                    .as_mut_ptr()
                                    .add(r * self.columns + v * LANES)
                                    .cast::<$signed>();
                                let before = $load(mask, to.cast_const());
                                $store(to, mask, $add(before, sum));
                            }
                        }
                    }
                    R
                }
            }
        }
    };
}

kernels!(
    words64,
    u64,
    i64,
    __mmask8,
    _mm512_mullo_epi64,
    _mm512_add_epi64,
    _mm512_set1_epi64,
    _mm512_maskz_loadu_epi64,
    _mm512_mask_storeu_epi64
);
kernels!(
    words32,
    u32,
    i32,
    __mmask16,
    _mm512_mullo_epi32,
    _mm512_add_epi32,
    _mm512_set1_epi32,
    _mm512_maskz_loadu_epi32,
    _mm512_mask_storeu_epi32
);
