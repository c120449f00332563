//! Runs of products: summands, masks, messages and half shares, then whole shares. The inner loops
//! of everything; the lengths of all runs are fixed before them, so that they are vectorised.

use crate::role::{Drawn, Few, OUTS, Role, SLOTS, TERMS};
use crate::shares::{Runs, RunsMut};
use std::ops::Range;
use tacit_ring::{Buffer, Word};

/// A run of words per sink; those behind the last are empty.
pub(crate) type Outs<'a, W> = [&'a mut [W]; OUTS];

/// The draws and early words of one run of product words.
pub(crate) struct Masks<'a, W> {
    draws: [[&'a [W]; 2]; SLOTS],
    early: &'a [W],
}

impl<'a, W: Word> Masks<'a, W> {
    /// Takes the masks of the words `at` out of those at `part` of a message. The masks were drawn for all of `part`,
    /// one key after the other; the words that were received early are those of the whole message.
    #[inline(always)]
    pub(crate) fn of<P: Role>(
        draws: &'a [Buffer<W>; SLOTS],
        early: &'a [W],
        part: Range<usize>,
        at: Range<usize>,
    ) -> Self {
        let total = part.len();
        let drawn = |slot: usize, index: usize| -> &'a [W] {
            if P::DRAWS[slot] > index {
                &draws[slot][index * total + at.start..index * total + at.end]
            } else {
                &[]
            }
        };
        let early = if P::EARLY.is_some() {
            &early[part.start + at.start..part.start + at.end]
        } else {
            &[]
        };
        Masks { draws: [0, 1, 2, 3].map(|slot| [drawn(slot, 0), drawn(slot, 1)]), early }
    }

    /// The masks of the words `at` alone.
    #[inline(always)]
    pub(crate) fn part(&self, at: Range<usize>) -> Self {
        let cut = |run: &'a [W]| if run.is_empty() { run } else { &run[at.clone()] };
        Masks { draws: self.draws.map(|slot| slot.map(cut)), early: cut(self.early) }
    }

    /// The masks of the first `n` words, cut where the compiler sees it: no bounds checks stand in loops.
    #[inline(always)]
    fn first<P: Role>(&self, n: usize) -> Self {
        let mut cut = Masks { draws: [[&[]; 2]; SLOTS], early: &[] };
        macro_rules! cut {
            ($slot:literal, $index:literal) => {
                if P::DRAWS[$slot] > $index {
                    cut.draws[$slot][$index] = &self.draws[$slot][$index][..n];
                }
            };
        }
        cut!(0, 0);
        cut!(0, 1);
        cut!(1, 0);
        cut!(1, 1);
        cut!(2, 0);
        cut!(2, 1);
        cut!(3, 0);
        cut!(3, 1);
        if P::EARLY.is_some() {
            cut.early = &self.early[..n];
        }
        cut
    }

    #[inline(always)]
    fn apply<P: Role>(&self, v: P::Terms<W>, i: usize) -> (P::Out<W>, P::Share<W>) {
        let mut draws: Drawn<W> = [[W::ZERO; 2]; SLOTS];
        macro_rules! draw {
            ($slot:literal, $index:literal) => {
                if P::DRAWS[$slot] > $index {
                    draws[$slot][$index] = self.draws[$slot][$index][i];
                }
            };
        }
        draw!(0, 0);
        draw!(0, 1);
        draw!(1, 0);
        draw!(1, 1);
        draw!(2, 0);
        draw!(2, 1);
        draw!(3, 0);
        draw!(3, 1);
        let early = if P::EARLY.is_some() { self.early[i] } else { W::ZERO };
        P::mask(v, draws, early)
    }
}

/// The first `n` words of the first `count` runs.
#[inline(always)]
fn first_of<W>(runs: [&mut [W]; 3], count: usize, n: usize) -> [&mut [W]; 3] {
    let [first, second, third] = runs;
    let first = if count > 0 { &mut first[..n] } else { first };
    let second = if count > 1 { &mut second[..n] } else { second };
    let third = if count > 2 { &mut third[..n] } else { third };
    [first, second, third]
}

/// The first `n` words of each component of a role's shares.
#[inline(always)]
pub(crate) fn components<P: Role, W: Word>(runs: Runs<'_, W>, n: usize) -> Runs<'_, W> {
    let [first, second, third] = runs;
    let third = if P::Share::<W>::COUNT > 2 { &third[..n] } else { third };
    [&first[..n], &second[..n], third]
}

/// Masks summands that `v` gives: messages, half shares.
#[inline(always)]
pub(crate) fn mask_run<P: Role, W: Word>(
    masks: &Masks<'_, W>,
    messages: Outs<'_, W>,
    dst: RunsMut<'_, W>,
    v: impl Fn(usize) -> P::Terms<W>,
) {
    let n = dst[0].len();
    let masks = masks.first::<P>(n);
    let [m0, m1, m2] = first_of(messages, P::OUT.len(), n);
    let [d0, d1, d2] = first_of(dst, P::Share::<W>::COUNT, n);
    for i in 0..n {
        let (m, share) = masks.apply::<P>(v(i), i);
        if !P::OUT.is_empty() {
            m0[i] = m[0];
        }
        if P::OUT.len() > 1 {
            m1[i] = m[1];
        }
        if P::OUT.len() > 2 {
            m2[i] = m[2];
        }
        d0[i] = share[0];
        d1[i] = share[1];
        if P::Share::<W>::COUNT > 2 {
            d2[i] = share[2];
        }
    }
}

/// One run of products: summands, masks, messages, half shares.
#[inline(always)]
pub(crate) fn begin_run<P: Role, W: Word>(
    masks: &Masks<'_, W>,
    a: Runs<'_, W>,
    b: Runs<'_, W>,
    messages: Outs<'_, W>,
    dst: RunsMut<'_, W>,
) {
    let n = dst[0].len();
    let (a, b) = (components::<P, W>(a, n), components::<P, W>(b, n));
    mask_run::<P, W>(
        masks,
        messages,
        dst,
        #[inline(always)]
        |i| P::cross(share_at::<P, W>(a, i), share_at::<P, W>(b, i)),
    );
}

/// Something to do for one of the terms of a role, known when the code is built: a loop that may be
/// any term's is not vectorised, and neither is one that keeps several sums.
pub(crate) trait PerTerm {
    /// Does it for term number `TERM`.
    fn term<const TERM: usize>(&mut self);
}

/// Does the work for every term of a role.
#[inline(always)]
pub(crate) fn each_term<P: Role>(mut work: impl PerTerm) {
    const { assert!(P::CROSS <= TERMS) };
    if P::CROSS > 0 {
        work.term::<0>();
    }
    if P::CROSS > 1 {
        work.term::<1>();
    }
    if P::CROSS > 2 {
        work.term::<2>();
    }
    if P::CROSS > 3 {
        work.term::<3>();
    }
    if P::CROSS > 4 {
        work.term::<4>();
    }
    if P::CROSS > 5 {
        work.term::<5>();
    }
}

/// Adds a product of runs of shares to the sums of each term.
pub(crate) struct AddProducts<'a, 's, P, W> {
    pub a: Runs<'a, W>,
    pub b: Runs<'a, W>,
    pub sums: &'a mut [&'s mut [W]; TERMS],
    /// Where in the sums.
    pub at: usize,
    pub role: std::marker::PhantomData<P>,
}

impl<P: Role, W: Word> PerTerm for AddProducts<'_, '_, P, W> {
    #[inline(always)]
    fn term<const TERM: usize>(&mut self) {
        let n = self.b[0].len();
        let (a, b) = (components::<P, W>(self.a, n), components::<P, W>(self.b, n));
        let sums = &mut self.sums[TERM][self.at..self.at + n];
        for (i, sum) in sums.iter_mut().enumerate() {
            *sum = sum.add(P::cross(share_at::<P, W>(a, i), share_at::<P, W>(b, i))[TERM]);
        }
    }
}

/// Masks cross terms that were added up before, one run of sums per term; [`mask_run`] computes the cross terms itself.
#[inline(always)]
pub(crate) fn mask_sums<'s, P: Role, W: Word>(
    masks: &Masks<'_, W>,
    messages: Outs<'_, W>,
    dst: RunsMut<'_, W>,
    sums: [&'s [W]; TERMS],
) {
    let n = dst[0].len();
    let [s0, s1, s2, s3, s4, s5] = sums;
    let first = |term: usize, sums: &'s [W]| if term < P::CROSS { &sums[..n] } else { sums };
    let sums = [first(0, s0), first(1, s1), first(2, s2), first(3, s3), first(4, s4), first(5, s5)];
    mask_run::<P, W>(
        masks,
        messages,
        dst,
        #[inline(always)]
        |i| {
            P::Terms::<W>::each(
                #[inline(always)]
                |term| if term < P::CROSS { sums[term][i] } else { W::ZERO },
            )
        },
    );
}

/// Writes one run of shares.
#[inline(always)]
pub(crate) fn write_run<P: Role, W: Word>(
    dst: RunsMut<'_, W>,
    mut share: impl FnMut(usize) -> P::Share<W>,
) {
    let n = dst[0].len();
    let [d0, d1, d2] = first_of(dst, P::Share::<W>::COUNT, n);
    for i in 0..n {
        let share = share(i);
        d0[i] = share[0];
        d1[i] = share[1];
        if P::Share::<W>::COUNT > 2 {
            d2[i] = share[2];
        }
    }
}

/// The share at a place of a run.
#[inline(always)]
pub(crate) fn share_at<P: Role, W: Word>(runs: Runs<'_, W>, i: usize) -> P::Share<W> {
    P::Share::<W>::each(
        #[inline(always)]
        |c| runs[c][i],
    )
}

/// Completes the shares of one run.
#[inline(always)]
pub(crate) fn finish_run<P: Role, W: Word>(settling: Settling<'_, W>, dst: RunsMut<'_, W>) {
    let n = dst[0].len();
    let [d0, d1, d2] = first_of(dst, P::Share::<W>::COUNT, n);
    let Settling { late: [late0, late1], draw, results } = settling;
    let late0 = if P::LATE.is_empty() { late0 } else { &late0[..n] };
    let late1 = if P::LATE.len() > 1 { &late1[..n] } else { late1 };
    let draw = if P::SETTLE_DRAWS > 0 { &draw[..n] } else { draw };
    let [r0, r1] = results;
    let [r0, r1, _] = first_of([r0, r1, &mut []], P::RESULT.len(), n);
    for i in 0..n {
        let mut late = [W::ZERO; 2];
        if !P::LATE.is_empty() {
            late[0] = late0[i];
        }
        if P::LATE.len() > 1 {
            late[1] = late1[i];
        }
        let draw = if P::SETTLE_DRAWS > 0 { draw[i] } else { W::ZERO };
        let partial = share_at::<P, W>([&*d0, &*d1, &*d2], i);
        let (share, result) = P::settle(partial, late, draw);
        if !P::RESULT.is_empty() {
            r0[i] = result[0];
        }
        if P::RESULT.len() > 1 {
            r1[i] = result[1];
        }
        d0[i] = share[0];
        d1[i] = share[1];
        if P::Share::<W>::COUNT > 2 {
            d2[i] = share[2];
        }
    }
}

/// What settles one run of products.
pub(crate) struct Settling<'a, W> {
    pub late: [&'a [W]; 2],
    pub draw: &'a [W],
    pub results: [&'a mut [W]; 2],
}

impl<W> Settling<'_, W> {
    /// What settles the words `at` alone.
    #[inline(always)]
    pub(crate) fn part(&mut self, at: Range<usize>) -> Settling<'_, W> {
        let [first, second] = &mut self.results;
        Settling {
            late: self.late.map(|run| if run.is_empty() { run } else { &run[at.clone()] }),
            draw: if self.draw.is_empty() { self.draw } else { &self.draw[at.clone()] },
            results: [cut_mut(first, at.clone()), cut_mut(second, at)],
        }
    }
}

/// Cuts the words `at` out of a run, which may be empty.
#[inline(always)]
pub(crate) fn cut_mut<W>(run: &mut [W], at: Range<usize>) -> &mut [W] {
    if run.is_empty() { run } else { &mut run[at] }
}
