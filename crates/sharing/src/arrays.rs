//! Products of arrays: element by element, inner products, matrix products. Any ring; every
//! output element costs one product, however long its sum.
//!
//! Work is cut into pieces; `window` pieces are under way at once, so that computing overlaps
//! with sending.

use crate::party::{Draws, Party, SharingError};
use crate::products::{DRAW, Masks, Scratch, begin_run, finish_run, mask_run, settles};
use crate::role::{Role, Share};
use std::ops::Range;
use tacit_ring::simd::{self, Kernel};
use tacit_ring::{Buffer, Word};

/// A shared array: first and second components.
pub struct SharedVec<W> {
    /// First components.
    pub first: Buffer<W>,
    /// Second components.
    pub second: Buffer<W>,
}

impl<W: Word> SharedVec<W> {
    /// `n` zero shares.
    #[must_use]
    pub fn zeros(n: usize) -> Self {
        SharedVec { first: Buffer::zeros(n), second: Buffer::zeros(n) }
    }

    /// Number of elements.
    #[must_use]
    pub fn len(&self) -> usize {
        self.first.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.first.is_empty()
    }

    /// The share at `i`.
    #[inline(always)]
    #[must_use]
    pub fn at(&self, i: usize) -> Share<W> {
        [self.first[i], self.second[i]]
    }

    fn runs(&self, at: Range<usize>) -> [&[W]; 2] {
        [&self.first[at.clone()], &self.second[at]]
    }

    fn runs_mut(&mut self, at: Range<usize>) -> [&mut [W]; 2] {
        [&mut self.first[at.clone()], &mut self.second[at]]
    }
}

/// How work on arrays is cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cut {
    /// Output words per piece.
    pub piece: usize,
    /// Pieces under way at once.
    pub window: usize,
}

impl Default for Cut {
    fn default() -> Self {
        Cut { piece: 8192, window: 16 }
    }
}

impl Cut {
    /// Takes all pieces through their stages: a role of two passes is some windows ahead of itself.
    fn run<P: Role>(
        self,
        total: usize,
        mut step: impl FnMut(Stage, Range<usize>) -> Result<(), SharingError>,
    ) -> Result<(), SharingError> {
        let piece = self.piece.max(1);
        let pieces = total.div_ceil(piece);
        let window = self.window.max(1);
        let lead = if P::TWO_PASSES { WINDOWS_AHEAD * window } else { 0 };
        let stages = [(Stage::Ahead, 0), (Stage::Finish, lead + window), (Stage::Begin, lead)];
        for i in 0..pieces + window + lead {
            for (stage, late) in stages {
                if let Some(i) = i.checked_sub(late).filter(|i| *i < pieces)
                    && (P::TWO_PASSES || stage != Stage::Ahead)
                {
                    step(stage, i * piece..((i + 1) * piece).min(total))?;
                }
            }
        }
        Ok(())
    }
}

/// Windows of pieces that the pass that works ahead is ahead.
const WINDOWS_AHEAD: usize = 4;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Stage {
    /// The pass of a role that works ahead.
    Ahead,
    Begin,
    Finish,
}

/// `out[i] = a[i] b[i]`.
///
/// # Errors
/// When the network fails or lengths differ.
pub fn multiply<P: Role, W: Word>(
    party: &mut Party<'_>,
    draws: &mut Draws<'_>,
    scratch: &mut Scratch<W>,
    cut: Cut,
    [a, b]: [&SharedVec<W>; 2],
    out: &mut SharedVec<W>,
) -> Result<(), SharingError> {
    check_length(a.len() == out.len() && b.len() == out.len(), "factors and product")?;
    let mut ahead = draws.ahead::<P>();
    cut.run::<P>(out.len(), |stage, at| match (stage, &mut ahead) {
        (Stage::Finish, _) => finish::<P, W>(party, draws, scratch, out, at),
        (Stage::Ahead, Some(ahead)) => {
            begin_products::<P::Ahead, W>(party, ahead, scratch, [a, b], out, at)
        }
        _ => begin_products::<P, W>(party, draws, scratch, [a, b], out, at),
    })
}

fn begin_products<P: Role, W: Word>(
    party: &mut Party<'_>,
    draws: &mut Draws<'_>,
    scratch: &mut Scratch<W>,
    [a, b]: [&SharedVec<W>; 2],
    out: &mut SharedVec<W>,
    at: Range<usize>,
) -> Result<(), SharingError> {
    scratch.start::<P>(party, at.len())?;
    for part in parts(at.len()) {
        scratch.draw::<P>(draws, part.len());
        let (masks, messages) = scratch.split::<P>(part.clone());
        let at = at.start + part.start..at.start + part.end;
        let (a, b, out) = (a.runs(at.clone()), b.runs(at.clone()), out.runs_mut(at));
        let role = std::marker::PhantomData;
        simd::run(Elementwise::<P, W> { masks, a, b, messages, out, role });
    }
    scratch.send::<P>(party, at.len())
}

/// Runs of words that are drawn together.
fn parts(words: usize) -> impl Iterator<Item = Range<usize>> {
    (0..words).step_by(DRAW).map(move |start| start..(start + DRAW).min(words))
}

struct Elementwise<'a, P, W> {
    masks: Masks<'a, W>,
    a: [&'a [W]; 2],
    b: [&'a [W]; 2],
    messages: [&'a mut [W]; 2],
    out: [&'a mut [W]; 2],
    role: std::marker::PhantomData<P>,
}

impl<P: Role, W: Word> Kernel for Elementwise<'_, P, W> {
    type Output = ();
    #[inline(always)]
    fn run(self) {
        begin_run::<P, W>(&self.masks, self.a, self.b, self.messages, self.out);
    }
}

/// `out[i] = sum_j a[i L + j] b[i L + j]` for rows of length L.
///
/// # Errors
/// When the network fails or lengths do not fit.
pub fn dot<P: Role, W: Word>(
    party: &mut Party<'_>,
    draws: &mut Draws<'_>,
    scratch: &mut Scratch<W>,
    cut: Cut,
    [a, b]: [&SharedVec<W>; 2],
    out: &mut SharedVec<W>,
) -> Result<(), SharingError> {
    let fits = a.len() == b.len() && a.len().checked_rem(out.len()).is_none_or(|rest| rest == 0);
    check_length(fits, "rows of an inner product")?;
    let length = a.len().checked_div(out.len()).unwrap_or(0);
    sums::<P, W>(party, draws, scratch, cut, out, Rows { a, b, length })
}

/// What is summed up per result.
trait Summands<W> {
    /// Computes a role's summands of the results `at`.
    fn sum<P: Role>(&mut self, at: Range<usize>, sums: [&mut [W]; 2]);
}

struct Rows<'a, W> {
    a: &'a SharedVec<W>,
    b: &'a SharedVec<W>,
    length: usize,
}

impl<W: Word> Summands<W> for Rows<'_, W> {
    fn sum<P: Role>(&mut self, at: Range<usize>, sums: [&mut [W]; 2]) {
        let Rows { a, b, length } = *self;
        simd::run(Dot::<P, W> { a, b, length, at, sums, role: std::marker::PhantomData });
    }
}

struct Dot<'a, P, W> {
    a: &'a SharedVec<W>,
    b: &'a SharedVec<W>,
    length: usize,
    at: Range<usize>,
    sums: [&'a mut [W]; 2],
    role: std::marker::PhantomData<P>,
}

impl<P: Role, W: Word> Kernel for Dot<'_, P, W> {
    type Output = ();
    #[inline(always)]
    fn run(self) {
        let [first, second] = self.sums;
        for (row, (first, second)) in self.at.zip(first.iter_mut().zip(second)) {
            let at = row * self.length..(row + 1) * self.length;
            let ([a0, a1], [b0, b1]) = (self.a.runs(at.clone()), self.b.runs(at));
            let (a, b) = (a0.iter().zip(a1), b0.iter().zip(b1));
            let terms = a.zip(b).map(
                #[inline(always)]
                |((a0, a1), (b0, b1))| P::cross([*a0, *a1], [*b0, *b1]),
            );
            // One sum at a time: a loop that keeps two is not vectorised.
            *first = terms.clone().fold(W::ZERO, |sum, term| sum.add(term[0]));
            if P::CROSS > 1 {
                *second = terms.fold(W::ZERO, |sum, term| sum.add(term[1]));
            }
        }
    }
}

/// Sizes of a matrix product: `rows x inner` times `inner x columns`, row-major.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MatrixShape {
    /// Rows of the left factor.
    pub rows: usize,
    /// Columns of the left factor, rows of the right one.
    pub inner: usize,
    /// Columns of the right factor.
    pub columns: usize,
}

/// `out = a b`, row-major.
///
/// # Errors
/// When the network fails or sizes do not fit.
pub fn matrix_product<P: Role, W: Word>(
    party: &mut Party<'_>,
    draws: &mut Draws<'_>,
    scratch: &mut Scratch<W>,
    cut: Cut,
    shape: MatrixShape,
    [a, b]: [&SharedVec<W>; 2],
    out: &mut SharedVec<W>,
) -> Result<(), SharingError> {
    let MatrixShape { rows, inner, columns } = shape;
    let sizes = [rows.checked_mul(inner), inner.checked_mul(columns), rows.checked_mul(columns)];
    let fits = sizes == [a.len(), b.len(), out.len()].map(Some);
    check_length(fits, "a matrix product")?;
    // Whole blocks of rows, so that packing the right factor pays.
    let block = (cut.piece / columns.max(1)).max(ROW_BLOCK);
    let cut = Cut { piece: block * columns.max(1), ..cut };
    let panel = [Buffer::default(), Buffer::default()];
    sums::<P, W>(party, draws, scratch, cut, out, Entries { a, b, shape, panel })
}

struct Entries<'a, W> {
    a: &'a SharedVec<W>,
    b: &'a SharedVec<W>,
    shape: MatrixShape,
    /// Some columns of `b`, next to each other.
    panel: [Buffer<W>; 2],
}

impl<W: Word> Summands<W> for Entries<'_, W> {
    fn sum<P: Role>(&mut self, at: Range<usize>, mut sums: [&mut [W]; 2]) {
        let Entries { a, b, shape, panel } = self;
        let (columns, tile) = (shape.columns, TILE_BYTES / size_of::<W>());
        sums.iter_mut().for_each(|sums| sums.fill(W::ZERO));
        for start in (0..columns).step_by(tile) {
            let width = tile.min(columns - start);
            pack(b, *shape, start, width, panel);
            simd::run(Tile::<P, W> {
                a,
                panel,
                shape: *shape,
                start,
                width,
                rows: at.start / columns..at.end / columns,
                sums: sums.each_mut().map(|sums| &mut sums[..]),
                role: std::marker::PhantomData,
            });
        }
    }
}

/// Rows that share one packing of the right factor.
const ROW_BLOCK: usize = 64;
/// Columns computed together: a few vectors per component.
const TILE_BYTES: usize = 512;

/// Copies columns `start..start + width` of `b`, both components, row after row.
fn pack<W: Word>(
    b: &SharedVec<W>,
    shape: MatrixShape,
    start: usize,
    width: usize,
    panel: &mut [Buffer<W>; 2],
) {
    for (panel, from) in panel.iter_mut().zip([&b.first, &b.second]) {
        let rows = panel.sized(shape.inner * width).chunks_exact_mut(width);
        for (k, row) in rows.enumerate() {
            row.copy_from_slice(&from[k * shape.columns + start..][..width]);
        }
    }
}

struct Tile<'a, P, W> {
    a: &'a SharedVec<W>,
    panel: &'a [Buffer<W>; 2],
    shape: MatrixShape,
    start: usize,
    width: usize,
    rows: Range<usize>,
    sums: [&'a mut [W]; 2],
    role: std::marker::PhantomData<P>,
}

impl<P: Role, W: Word> Kernel for Tile<'_, P, W> {
    type Output = ();
    #[inline(always)]
    fn run(mut self) {
        let MatrixShape { inner, columns, .. } = self.shape;
        let [b0, b1] = self.panel;
        for (index, row) in self.rows.enumerate() {
            let [a0, a1] = self.a.runs(row * inner..(row + 1) * inner);
            let at = index * columns + self.start;
            let [first, second] = self.sums.each_mut().map(|sums| &mut sums[at..at + self.width]);
            let b = b0.chunks_exact(self.width).zip(b1.chunks_exact(self.width));
            for ((a0, a1), (b0, b1)) in a0.iter().zip(a1).zip(b) {
                for ((sum, b0), b1) in first.iter_mut().zip(b0).zip(b1) {
                    *sum = sum.add(P::cross([*a0, *a1], [*b0, *b1])[0]);
                }
                if P::CROSS > 1 {
                    for ((sum, b0), b1) in second.iter_mut().zip(b0).zip(b1) {
                        *sum = sum.add(P::cross([*a0, *a1], [*b0, *b1])[1]);
                    }
                }
            }
        }
    }
}

/// Products whose summands `summand` computes piece by piece.
fn sums<P: Role, W: Word>(
    party: &mut Party<'_>,
    draws: &mut Draws<'_>,
    scratch: &mut Scratch<W>,
    cut: Cut,
    out: &mut SharedVec<W>,
    mut summands: impl Summands<W>,
) -> Result<(), SharingError> {
    let mut sums = [Buffer::default(), Buffer::default()];
    let mut ahead = draws.ahead::<P>();
    cut.run::<P>(out.len(), |stage, at| {
        let summed = sums.each_mut().map(|sums| sums.sized(at.len()));
        match (stage, &mut ahead) {
            (Stage::Finish, _) => finish::<P, W>(party, draws, scratch, out, at),
            (Stage::Ahead, Some(ahead)) => {
                summands.sum::<P::Ahead>(at.clone(), summed);
                begin_sums::<P::Ahead, W>(party, ahead, scratch, &sums, out, at)
            }
            _ => {
                summands.sum::<P>(at.clone(), summed);
                begin_sums::<P, W>(party, draws, scratch, &sums, out, at)
            }
        }
    })
}

fn begin_sums<P: Role, W: Word>(
    party: &mut Party<'_>,
    draws: &mut Draws<'_>,
    scratch: &mut Scratch<W>,
    sums: &[Buffer<W>; 2],
    out: &mut SharedVec<W>,
    at: Range<usize>,
) -> Result<(), SharingError> {
    let words = at.len();
    scratch.start::<P>(party, words)?;
    for part in parts(words) {
        scratch.draw::<P>(draws, part.len());
        let (masks, messages) = scratch.split::<P>(part.clone());
        let [first, second] = out.runs_mut(at.start + part.start..at.start + part.end);
        let sums = sums.each_ref().map(|sums| &sums[part.clone()]);
        simd::vectorize(
            #[inline(always)]
            || {
                let [s0, s1] = sums.map(|sums| &sums[..first.len()]);
                let dst = [&mut first[..], &mut second[..]];
                mask_run::<P, W>(
                    &masks,
                    messages,
                    dst,
                    #[inline(always)]
                    |i| [s0[i], s1[i]],
                );
            },
        );
    }
    scratch.send::<P>(party, words)
}

fn finish<P: Role, W: Word>(
    party: &mut Party<'_>,
    draws: &mut Draws<'_>,
    scratch: &mut Scratch<W>,
    out: &mut SharedVec<W>,
    at: Range<usize>,
) -> Result<(), SharingError> {
    if !settles::<P>() {
        return Ok(());
    }
    scratch.receive_late::<P>(party, at.len())?;
    for part in parts(at.len()) {
        let settling = scratch.settling::<P>(draws, part.clone());
        let out = out.runs_mut(at.start + part.start..at.start + part.end);
        simd::vectorize(
            #[inline(always)]
            || finish_run::<P, W>(settling, out),
        );
    }
    scratch.send_results::<P>(party, at.len())
}

fn check_length(fits: bool, what: &str) -> Result<(), SharingError> {
    if fits { Ok(()) } else { Err(SharingError::Shape(format!("sizes do not fit: {what}"))) }
}
