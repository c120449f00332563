//! Bilinear forms of upper and lower values, row by row: what gadgets make sharings of.

use super::desk::Split;
use super::{Desk, Masked, Seat};
use crate::party::{Draws, SharingError};
use tacit_ring::simd;
use tacit_ring::{Buffer, Word};

/// A sum `upper[0] + terms` per row: what is known to whom, and how it is put together.
pub(super) struct Form<U, L, F> {
    upper: U,
    lower: L,
    terms: F,
}

impl<U, L, F> Form<U, L, F> {
    /// `upper` gives the upper values of a row, at the pair; `lower` the lower ones, elsewhere.
    /// `terms` adds up products with a lower value each: from the row's upper values, its lower
    /// ones as factors of upper values, and its lower ones as factors of public values.
    pub fn new(upper: U, lower: L, terms: F) -> Self {
        Form { upper, lower, terms }
    }

    /// A fresh sharing of the form, `n` rows. One deal per lower value and, of four parties, one
    /// raise per upper value; one gadget.
    ///
    /// # Errors
    /// When the network fails.
    #[inline(always)]
    pub fn share<W: Word, const A: usize, const B: usize>(
        &self,
        desk: &mut Desk<'_, '_>,
        draws: &mut Draws<'_>,
        n: usize,
    ) -> Result<Masked<W>, SharingError>
    where
        U: Fn(usize) -> [W; A],
        L: Fn(usize) -> [W; B],
        F: Fn(usize, [W; A], [W; B], [W; B]) -> W,
    {
        let (mut sum, mut c) = (Buffer::zeros(n), Buffer::zeros(n));
        let (to, upper) = (&mut sum[..n], &mut c[..n]);
        self.each(
            desk,
            draws,
            n,
            #[inline(always)]
            |i, terms, first| {
                to[i] = terms;
                upper[i] = first;
            },
        )?;
        desk.gadget(draws, sum, Some(&c))
    }

    /// Deals and raises, and calls `each` with every row's number, terms and first upper value, as
    /// [`Desk::gadget`] wants them.
    ///
    /// # Errors
    /// When the network fails.
    #[inline(always)]
    pub fn each<W: Word, const A: usize, const B: usize>(
        &self,
        desk: &mut Desk<'_, '_>,
        draws: &mut Draws<'_>,
        n: usize,
        each: impl FnMut(usize, W, W),
    ) -> Result<(), SharingError>
    where
        U: Fn(usize) -> [W; A],
        L: Fn(usize) -> [W; B],
        F: Fn(usize, [W; A], [W; B], [W; B]) -> W,
    {
        let pair = desk.seat().is_pair();
        let dealt =
            if pair { columns(0, false, &self.lower) } else { columns(n, true, &self.lower) };
        let split = deal_all(desk, draws, n, dealt)?;
        if desk.seat() == Seat::Dealer {
            return Ok(());
        }
        if !desk.raises() {
            rows(n, &split, &self.upper, &self.terms, each);
            return Ok(());
        }
        let mut uppers = columns(n, pair, &self.upper);
        for upper in &mut uppers {
            *upper = desk.raise(draws, std::mem::take(upper))?;
        }
        let uppers = uppers.each_ref().map(|upper| &upper[..n]);
        rows(
            n,
            &split,
            #[inline(always)]
            |i| uppers.map(|upper| upper[i]),
            &self.terms,
            each,
        );
        Ok(())
    }
}

/// Values of all rows, one buffer each; zeros where they are not known.
#[inline(always)]
fn columns<W: Word, const N: usize>(
    n: usize,
    known: bool,
    row: impl Fn(usize) -> [W; N],
) -> [Buffer<W>; N] {
    let mut columns: [Buffer<W>; N] = std::array::from_fn(|_| Buffer::zeros(n));
    if known {
        let mut to = columns.each_mut().map(|column| &mut column[..n]);
        simd::vectorize(
            #[inline(always)]
            || {
                for i in 0..n {
                    let row = row(i);
                    for (to, value) in to.iter_mut().zip(row) {
                        to[i] = value;
                    }
                }
            },
        );
    }
    columns
}

fn deal_all<W: Word, const N: usize>(
    desk: &mut Desk<'_, '_>,
    draws: &mut Draws<'_>,
    n: usize,
    values: [Buffer<W>; N],
) -> Result<[Split<W>; N], SharingError> {
    let mut split: [Option<Split<W>>; N] = std::array::from_fn(|_| None);
    for (split, t) in split.iter_mut().zip(values) {
        *split = Some(desk.deal(draws, &t, n)?);
    }
    Ok(split.map(|split| split.expect("all are dealt")))
}

/// Calls `each` with the terms and the first upper value of every row.
#[inline(always)]
fn rows<W: Word, const A: usize, const B: usize>(
    n: usize,
    split: &[Split<W>; B],
    upper: impl Fn(usize) -> [W; A],
    terms: impl Fn(usize, [W; A], [W; B], [W; B]) -> W,
    mut each: impl FnMut(usize, W, W),
) {
    let part = split.each_ref().map(|split| &split.part()[..n]);
    let plain = split.each_ref().map(|split| &split.plain()[..n]);
    simd::vectorize(
        #[inline(always)]
        || {
            for i in 0..n {
                let (part, plain) = (part.map(|t| t[i]), plain.map(|t| t[i]));
                let upper = upper(i);
                each(i, terms(i, upper, part, plain), upper[0]);
            }
        },
    );
}
