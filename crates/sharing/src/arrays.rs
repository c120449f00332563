//! Products of arrays: element by element, inner products, [matrix products](MatrixShape). Any ring; every
//! output element costs one product, however long its sum.
//!
//! Work is cut into pieces; `window` pieces are under way at once, so that computing overlaps
//! with sending.

mod matrices;

pub use crate::matrix_shape::MatrixShape;
pub use crate::shared_vec::SharedVec;
pub use matrices::{matrix_product, matrix_products};

use crate::RoleVisitor;
use crate::SharingError;
use crate::balance::{self, Balance, Way};
use crate::made;
use crate::party::{Draws, Party};
use crate::products::{DRAW, Scratch, settles};
use crate::role::{Role, TERMS};
use crate::runs::{
    Masks, Outs, PerTerm, begin_run, components, each_term, finish_run, mask_sums, share_at,
};
use crate::shares::{Runs, RunsMut};
use std::ops::Range;
use tacit_ring::simd::{self, Kernel};
use tacit_ring::{Buffer, Word};

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
    if P::MADE {
        return made::results::<P, W>(party, cut, out, 1, |at, [x, y]| {
            a.copy_to(at.clone(), x);
            b.copy_to(at, y);
        });
    }
    let mut ahead = draws.ahead::<P>();
    cut.run::<P>(out.len(), |stage, at| match (stage, &mut ahead) {
        (Stage::Finish, _) => {
            finish::<P, W>(party, draws, scratch, out, at.clone())?;
            if P::PROVEN {
                let factors = [a.runs(at.clone()), b.runs(at.clone())];
                P::keep(party, factors, out.runs(at), 1)?;
                party.prove_if_many()?;
            }
            Ok(())
        }
        (Stage::Ahead, Some(ahead)) => {
            begin_products::<P::Ahead, W>(party, ahead, scratch, [a, b], out, at)
        }
        _ => begin_products::<P, W>(party, draws, scratch, [a, b], out, at),
    })
}

/// Computes `out[i] = a[i] b[i]` with products made in several ways side by side, in the shares that `balance` says.
///
/// # Errors
/// When the network fails or lengths differ.
pub fn multiply_in_ways<P: Role, W: Word>(
    party: &mut Party<'_>,
    draws: &mut Draws<'_>,
    scratch: &mut Scratch<W>,
    (cut, balance): (Cut, &Balance),
    [a, b]: [&SharedVec<W>; 2],
    out: &mut SharedVec<W>,
) -> Result<(), SharingError> {
    check_length(a.len() == out.len() && b.len() == out.len(), "factors and product")?;
    let mut ahead = draws.ahead::<P>();
    let piece = cut.piece.max(1);
    let pieces = balance::pieces(balance, out.len(), piece);
    cut.run::<P>(out.len(), |stage, at| {
        for (way, at) in &pieces[at.start / piece] {
            let (way, factors, at) = (*way, [a, b], at.clone());
            let (party, scratch, out) = (&mut *party, &mut *scratch, &mut *out);
            match (stage, &mut ahead) {
                (Stage::Finish, _) => {
                    P::in_way(way, FinishRun { party, draws: &mut *draws, scratch, out, at })
                }
                (Stage::Ahead, Some(draws)) => {
                    P::Ahead::in_way(way, BeginRun { party, draws, scratch, factors, out, at })
                }
                _ => {
                    let draws = &mut *draws;
                    P::in_way(way, BeginRun { party, draws, scratch, factors, out, at })
                }
            }?;
        }
        Ok(())
    })
}

/// Words of products that [`multiply_in_ways`] makes in each way.
pub fn words_in_ways(
    (cut, balance): (Cut, &Balance),
    words: usize,
) -> impl Iterator<Item = (Way, usize)> {
    let pieces = balance::pieces(balance, words, cut.piece.max(1));
    pieces.into_iter().flatten().map(|(way, run)| (way, run.len()))
}

/// Products that begin in the same way.
struct BeginRun<'a, 'm, 'k, W> {
    party: &'a mut Party<'m>,
    draws: &'a mut Draws<'k>,
    scratch: &'a mut Scratch<W>,
    factors: [&'a SharedVec<W>; 2],
    out: &'a mut SharedVec<W>,
    at: Range<usize>,
}

impl<W: Word> RoleVisitor for BeginRun<'_, '_, '_, W> {
    type Out = Result<(), SharingError>;
    fn visit<P: Role>(self) -> Self::Out {
        let BeginRun { party, draws, scratch, factors, out, at } = self;
        begin_products::<P, W>(party, draws, scratch, factors, out, at)
    }
}

/// Products that are finished in the same way.
struct FinishRun<'a, 'm, 'k, W> {
    party: &'a mut Party<'m>,
    draws: &'a mut Draws<'k>,
    scratch: &'a mut Scratch<W>,
    out: &'a mut SharedVec<W>,
    at: Range<usize>,
}

impl<W: Word> RoleVisitor for FinishRun<'_, '_, '_, W> {
    type Out = Result<(), SharingError>;
    fn visit<P: Role>(self) -> Self::Out {
        let FinishRun { party, draws, scratch, out, at } = self;
        finish::<P, W>(party, draws, scratch, out, at)
    }
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
    a: Runs<'a, W>,
    b: Runs<'a, W>,
    messages: Outs<'a, W>,
    out: RunsMut<'a, W>,
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
    if P::MADE {
        return made::results::<P, W>(party, cut, out, length, |at, [x, y]| {
            let at = at.start * length..at.end * length;
            a.copy_to(at.clone(), x);
            b.copy_to(at, y);
        });
    }
    sums::<P, W>(party, draws, scratch, cut, out, Rows { a, b, length })
}

/// A run of sums per term of a role; those behind its last are not used.
type Sums<'a, W> = [&'a mut [W]; TERMS];

/// What is summed up per result.
trait Summands<W> {
    /// Computes a role's summands of the results `at`.
    fn sum<P: Role>(&mut self, at: Range<usize>, sums: Sums<'_, W>);

    /// Keeps the results `at`, and proves what has become many.
    fn keep<P: Role>(
        &self,
        party: &mut Party<'_>,
        at: Range<usize>,
        out: &SharedVec<W>,
    ) -> Result<(), SharingError>;
}

struct Rows<'a, W> {
    a: &'a SharedVec<W>,
    b: &'a SharedVec<W>,
    length: usize,
}

impl<W: Word> Summands<W> for Rows<'_, W> {
    fn sum<P: Role>(&mut self, at: Range<usize>, sums: Sums<'_, W>) {
        let Rows { a, b, length } = *self;
        simd::run(Dot::<P, W> { a, b, length, at, sums, role: std::marker::PhantomData });
    }

    fn keep<P: Role>(
        &self,
        party: &mut Party<'_>,
        at: Range<usize>,
        out: &SharedVec<W>,
    ) -> Result<(), SharingError> {
        // Row by row: whole pieces of long rows would be much to keep.
        for row in at {
            let terms = row * self.length..(row + 1) * self.length;
            let factors = [self.a.runs(terms.clone()), self.b.runs(terms)];
            P::keep(party, factors, out.runs(row..row + 1), self.length)?;
            party.prove_if_many()?;
        }
        Ok(())
    }
}

struct Dot<'a, P, W> {
    a: &'a SharedVec<W>,
    b: &'a SharedVec<W>,
    length: usize,
    at: Range<usize>,
    sums: Sums<'a, W>,
    role: std::marker::PhantomData<P>,
}

impl<P: Role, W: Word> Kernel for Dot<'_, P, W> {
    type Output = ();
    #[inline(always)]
    fn run(mut self) {
        for (index, row) in self.at.clone().enumerate() {
            let at = row * self.length..(row + 1) * self.length;
            let (a, b) = (self.a.runs(at.clone()), self.b.runs(at));
            let (sums, role) = (&mut self.sums, std::marker::PhantomData);
            each_term::<P>(DotRow::<P, W> { a, b, sums, index, role });
        }
    }
}

struct DotRow<'a, 's, P, W> {
    a: Runs<'a, W>,
    b: Runs<'a, W>,
    sums: &'a mut Sums<'s, W>,
    index: usize,
    role: std::marker::PhantomData<P>,
}

impl<P: Role, W: Word> PerTerm for DotRow<'_, '_, P, W> {
    #[inline(always)]
    fn term<const TERM: usize>(&mut self) {
        let n = self.a[0].len();
        let (a, b) = (components::<P, W>(self.a, n), components::<P, W>(self.b, n));
        let mut sum = W::ZERO;
        for i in 0..n {
            sum = sum.add(P::cross(share_at::<P, W>(a, i), share_at::<P, W>(b, i))[TERM]);
        }
        self.sums[TERM][self.index] = sum;
    }
}

/// Products whose summands are computed piece by piece.
fn sums<P: Role, W: Word>(
    party: &mut Party<'_>,
    draws: &mut Draws<'_>,
    scratch: &mut Scratch<W>,
    cut: Cut,
    out: &mut SharedVec<W>,
    mut summands: impl Summands<W>,
) -> Result<(), SharingError> {
    let mut sums: [Buffer<W>; TERMS] = Default::default();
    let mut ahead = draws.ahead::<P>();
    cut.run::<P>(out.len(), |stage, at| {
        let (terms, mut term) = (P::CROSS.max(P::Ahead::CROSS), 0);
        let summed = sums.each_mut().map(|sums| {
            term += 1;
            sums.sized(if term <= terms { at.len() } else { 0 })
        });
        match (stage, &mut ahead) {
            (Stage::Finish, _) => {
                finish::<P, W>(party, draws, scratch, out, at.clone())?;
                if P::PROVEN {
                    summands.keep::<P>(party, at, out)?;
                }
                Ok(())
            }
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
    sums: &[Buffer<W>; TERMS],
    out: &mut SharedVec<W>,
    at: Range<usize>,
) -> Result<(), SharingError> {
    let words = at.len();
    scratch.start::<P>(party, words)?;
    for part in parts(words) {
        scratch.draw::<P>(draws, part.len());
        let (masks, messages) = scratch.split::<P>(part.clone());
        let dst = out.runs_mut(at.start + part.start..at.start + part.end);
        let mut index = 0;
        let sums = sums.each_ref().map(|sums| -> &[W] {
            index += 1;
            if index <= P::CROSS { &sums[part.clone()] } else { &[] }
        });
        simd::vectorize(
            #[inline(always)]
            || mask_sums::<P, W>(&masks, messages, dst, sums),
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
