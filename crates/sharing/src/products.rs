//! Batches of two-factor products over slots: begin (local terms, send) and finish (receive,
//! combine). Between the two a worker may do anything else, such as other blocks.

use crate::party::{Draws, Party, SharingError};
use crate::role::{Drawn, Few, OUTS, Role, SLOTS, Sink, TAIL, TERMS};
use crate::shares::{Runs, RunsMut, Shares, split, split_mut};
use std::ops::Range;
use tacit_circuit::schedule::Product;
use tacit_ring::simd::{self, Kernel};
use tacit_ring::{Buffer, Word};

/// Words of a message that are computed and sent in one go: large enough for the network.
const PIECE: usize = 8192;
/// Words that are drawn and used in one go: few enough for the first-level cache.
pub(crate) const DRAW: usize = 512;

/// Buffers that a worker reuses from batch to batch.
pub struct Scratch<W> {
    draws: [Buffer<W>; SLOTS],
    early: Buffer<W>,
    messages: [Buffer<W>; OUTS],
    pub(crate) late: [Buffer<W>; 2],
}

impl<W: Word> Default for Scratch<W> {
    fn default() -> Self {
        Scratch {
            draws: Default::default(),
            early: Buffer::default(),
            messages: Default::default(),
            late: Default::default(),
        }
    }
}

impl<W: Word> Scratch<W> {
    /// Makes room for the messages of `words` products, and fetches what was sent ahead for them.
    pub(crate) fn start<P: Role>(
        &mut self,
        party: &mut Party<'_>,
        words: usize,
    ) -> Result<(), SharingError> {
        if let Some(source) = P::EARLY {
            let early = self.early.sized(words);
            party.recv(source.from, source.stream, early)?;
            if let Some(item) = source.log {
                party.log(item, early);
            }
        }
        for message in self.messages.iter_mut().take(P::OUT.len()) {
            message.sized(words);
        }
        Ok(())
    }

    /// Draws the masks of `words` product words. All roles cut their draws alike.
    pub(crate) fn draw<P: Role>(&mut self, draws: &mut Draws<'_>, words: usize) {
        for (slot, buffer) in self.draws.iter_mut().enumerate() {
            if P::DRAWS[slot] > 0 {
                draws.fill(slot, buffer.sized(P::DRAWS[slot] * words));
            }
        }
    }

    /// The draws and early words of the products at `part` of a message, the masks drawn for
    /// these products alone.
    #[inline(always)]
    pub(crate) fn split<P: Role>(&mut self, part: Range<usize>) -> (Masks<'_, W>, Outs<'_, W>) {
        let masks = Masks::of::<P>(&self.draws, &self.early, part.clone(), 0..part.len());
        (masks, runs_of(&mut self.messages, P::OUT, part))
    }

    /// Sends, or logs, the messages of `words` products.
    pub(crate) fn send<P: Role>(
        &self,
        party: &mut Party<'_>,
        words: usize,
    ) -> Result<(), SharingError> {
        emit(party, P::OUT, &self.messages, words)
    }

    /// Receives what `words` products need to be settled.
    pub(crate) fn receive_late<P: Role>(
        &mut self,
        party: &mut Party<'_>,
        words: usize,
    ) -> Result<(), SharingError> {
        for (source, buffer) in P::LATE.iter().zip(&mut self.late) {
            let late = buffer.sized(words);
            party.recv(source.from, source.stream, late)?;
            if let Some(item) = source.log {
                party.log(item, late);
            }
        }
        for message in self.messages.iter_mut().take(P::RESULT.len()) {
            message.sized(words);
        }
        Ok(())
    }

    /// What settles the products at `part` of a message: late words, fresh draws, room for results.
    pub(crate) fn settling<P: Role>(
        &mut self,
        draws: &mut Draws<'_>,
        part: Range<usize>,
    ) -> Settling<'_, W> {
        let draw = self.draws[TAIL].sized(P::SETTLE_DRAWS * part.len());
        if P::SETTLE_DRAWS > 0 {
            draws.fill(TAIL, draw);
        }
        let late = &self.late;
        let late = [0, 1].map(|i| if P::LATE.len() > i { &late[i][part.clone()] } else { &[] });
        let [first, second, _] = runs_of(&mut self.messages, P::RESULT, part);
        Settling { late, draw, results: [first, second] }
    }

    /// Sends, or logs, the results of `words` products.
    pub(crate) fn send_results<P: Role>(
        &self,
        party: &mut Party<'_>,
        words: usize,
    ) -> Result<(), SharingError> {
        emit(party, P::RESULT, &self.messages, words)
    }
}

/// A run of words per sink; those behind the last are empty.
pub(crate) type Outs<'a, W> = [&'a mut [W]; OUTS];

/// The runs of words for as many sinks as there are.
#[inline(always)]
fn runs_of<'b, W: Word>(
    buffers: &'b mut [Buffer<W>; OUTS],
    sinks: &[Sink],
    part: Range<usize>,
) -> Outs<'b, W> {
    let [first, second, third] = buffers;
    let first = if sinks.is_empty() { &mut [] } else { &mut first[part.clone()] };
    let second = if sinks.len() > 1 { &mut second[part.clone()] } else { &mut [] };
    let third = if sinks.len() > 2 { &mut third[part] } else { &mut [] };
    [first, second, third]
}

fn emit<W: Word>(
    party: &mut Party<'_>,
    sinks: &[Sink],
    messages: &[Buffer<W>; OUTS],
    words: usize,
) -> Result<(), SharingError> {
    for (sink, message) in sinks.iter().zip(messages) {
        match sink {
            Sink::Send(to, stream) => party.send(*to, *stream, &message[..words])?,
            Sink::Log(item) => party.log(*item, &message[..words]),
        }
    }
    Ok(())
}

/// Whether a role has anything to do once a product has begun.
pub(crate) const fn settles<P: Role>() -> bool {
    !P::LATE.is_empty() || !P::RESULT.is_empty()
}

/// What settles one run of products.
pub(crate) struct Settling<'a, W> {
    late: [&'a [W]; 2],
    draw: &'a [W],
    results: [&'a mut [W]; 2],
}

impl<W> Settling<'_, W> {
    /// Those of the words `at` alone.
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

/// Those of the words `at` of a run that may be none.
#[inline(always)]
pub(crate) fn cut_mut<W>(run: &mut [W], at: Range<usize>) -> &mut [W] {
    if run.is_empty() { run } else { &mut run[at] }
}

/// Products of `words` words each in so many words, at least one.
fn products_in(total: usize, words: usize) -> usize {
    (total / words.max(1)).max(1)
}

/// Computes and sends the messages of a batch of products; writes half shares to the results.
///
/// # Errors
/// When the network fails.
pub fn begin<P: Role, W: Word>(
    party: &mut Party<'_>,
    draws: &mut Draws<'_>,
    scratch: &mut Scratch<W>,
    shares: &mut Shares<W>,
    gates: &[Product],
) -> Result<(), SharingError> {
    let words = shares.words();
    for gates in gates.chunks(products_in(PIECE, words)) {
        scratch.start::<P>(party, gates.len() * words)?;
        let mut start = 0;
        for gates in gates.chunks(products_in(DRAW, words)) {
            scratch.draw::<P>(draws, gates.len() * words);
            let role = std::marker::PhantomData;
            simd::run(Begin::<P, W> { scratch, shares, gates, start, role });
            start += gates.len() * words;
        }
        scratch.send::<P>(party, gates.len() * words)?;
    }
    Ok(())
}

/// Receives the peers' messages for a batch of products and completes the shares.
///
/// # Errors
/// When the network fails.
pub fn finish<P: Role, W: Word>(
    party: &mut Party<'_>,
    draws: &mut Draws<'_>,
    scratch: &mut Scratch<W>,
    shares: &mut Shares<W>,
    gates: &[Product],
) -> Result<(), SharingError> {
    if !settles::<P>() {
        return Ok(());
    }
    let words = shares.words();
    for gates in gates.chunks(products_in(PIECE, words)) {
        scratch.receive_late::<P>(party, gates.len() * words)?;
        let mut start = 0;
        for gates in gates.chunks(products_in(DRAW, words)) {
            let part = start..start + gates.len() * words;
            start = part.end;
            let settling = scratch.settling::<P>(draws, part);
            simd::run(Finish::<P, W> { settling, shares, gates, role: std::marker::PhantomData });
        }
        scratch.send_results::<P>(party, gates.len() * words)?;
    }
    Ok(())
}

struct Begin<'a, P, W> {
    scratch: &'a mut Scratch<W>,
    shares: &'a mut Shares<W>,
    gates: &'a [Product],
    /// Where the gates' words start in the messages.
    start: usize,
    role: std::marker::PhantomData<P>,
}

impl<P: Role, W: Word> Kernel for Begin<'_, P, W> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let words = self.shares.words();
        let part = self.start..self.start + self.gates.len() * words;
        let (masks, [m0, m1, m2]) = self.scratch.split::<P>(part);
        for (index, gate) in self.gates.iter().enumerate() {
            let at = index * words..(index + 1) * words;
            let (dst, a, b) = self.shares.three(gate.dst, gate.a, gate.b);
            let (dst, a, b) = (split_mut(dst, words), split(a, words), split(b, words));
            let messages = [&mut *m0, &mut *m1, &mut *m2].map(|m| cut_mut(m, at.clone()));
            begin_run::<P, W>(&masks.part(at), a, b, messages, dst);
        }
    }
}

/// The draws and early words of one run of product words.
pub(crate) struct Masks<'a, W> {
    draws: [[&'a [W]; 2]; SLOTS],
    early: &'a [W],
}

impl<'a, W: Word> Masks<'a, W> {
    /// Of the words `at` out of those at `part` of a message. The masks were drawn for `part`:
    /// one draw of all its words after the other; early words came for the whole message.
    #[inline(always)]
    fn of<P: Role>(
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

    /// Those of the words `at` alone.
    #[inline(always)]
    pub(crate) fn part(&self, at: Range<usize>) -> Self {
        let cut = |run: &'a [W]| if run.is_empty() { run } else { &run[at.clone()] };
        Masks { draws: self.draws.map(|slot| slot.map(cut)), early: cut(self.early) }
    }

    /// Those of the first `n` words, cut where the compiler sees it: no bounds checks stand in loops.
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

/// The first `n` words of as many runs as there are of `N`.
#[inline(always)]
fn first_of<W, const N: usize>(runs: [&mut [W]; N], count: usize, n: usize) -> [&mut [W]; N] {
    let mut index = 0;
    runs.map(|run| {
        index += 1;
        if index <= count { &mut run[..n] } else { run }
    })
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
    /// Does it.
    fn term<const TERM: usize>(&mut self);
}

/// Does it for all terms of a role.
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

/// As [`mask_run`], of sums that were added up before: a run per term.
#[inline(always)]
pub(crate) fn mask_sums<P: Role, W: Word>(
    masks: &Masks<'_, W>,
    messages: Outs<'_, W>,
    dst: RunsMut<'_, W>,
    sums: [&[W]; TERMS],
) {
    let n = dst[0].len();
    let mut index = 0;
    let sums = sums.map(|sums| {
        index += 1;
        if index <= P::CROSS { &sums[..n] } else { sums }
    });
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

/// The share at a place of a run.
#[inline(always)]
pub(crate) fn share_at<P: Role, W: Word>(runs: Runs<'_, W>, i: usize) -> P::Share<W> {
    P::Share::<W>::each(
        #[inline(always)]
        |c| runs[c][i],
    )
}

struct Finish<'a, P, W> {
    settling: Settling<'a, W>,
    shares: &'a mut Shares<W>,
    gates: &'a [Product],
    role: std::marker::PhantomData<P>,
}

impl<P: Role, W: Word> Kernel for Finish<'_, P, W> {
    type Output = ();

    #[inline(always)]
    fn run(mut self) {
        let words = self.shares.words();
        for (index, gate) in self.gates.iter().enumerate() {
            let settling = self.settling.part(index * words..(index + 1) * words);
            finish_run::<P, W>(settling, self.shares.runs_mut(gate.dst));
        }
    }
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
    let [r0, r1] = first_of(results, P::RESULT.len(), n);
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
