//! Batches of two-factor products over slots: begin (local terms, send) and finish (receive,
//! combine). Between the two a worker may do anything else, such as other blocks.

use crate::party::{Draws, Party, SharingError};
use crate::role::Role;
use crate::shares::Shares;
use std::ops::Range;
use tacit_circuit::schedule::Product;
use tacit_net::Stream;
use tacit_ring::simd::{self, Kernel};
use tacit_ring::{Buffer, Word};

/// Words of a message that are computed and sent in one go: large enough for the network.
const PIECE: usize = 8192;
/// Words that are drawn and used in one go: few enough for the first-level cache.
pub(crate) const DRAW: usize = 512;

/// Buffers that a worker reuses from batch to batch.
pub struct Scratch<W> {
    pub(crate) next: Buffer<W>,
    pub(crate) prev: Buffer<W>,
    pub(crate) early: Buffer<W>,
    pub(crate) message: Buffer<W>,
    pub(crate) late: [Buffer<W>; 2],
}

impl<W: Word> Default for Scratch<W> {
    fn default() -> Self {
        let empty = Buffer::default;
        Scratch {
            next: empty(),
            prev: empty(),
            early: empty(),
            message: empty(),
            late: [empty(), empty()],
        }
    }
}

impl<W: Word> Scratch<W> {
    /// Makes room for the message of `words` products, and fetches what the dealer sent for
    /// them.
    pub(crate) fn start<P: Role>(
        &mut self,
        party: &mut Party<'_>,
        words: usize,
    ) -> Result<(), SharingError> {
        if let Some(from) = P::EARLY {
            party.recv(from, Stream::Pre, self.early.sized(words))?;
        }
        self.message.sized(words);
        Ok(())
    }

    /// Draws the masks of `words` product words. All roles cut their draws alike.
    pub(crate) fn draw<P: Role>(&mut self, draws: &mut Draws<'_>, words: usize) {
        if P::NEXT > 0 {
            draws.next.fill(self.next.sized(P::NEXT * words));
        }
        if P::PREV > 0 {
            draws.prev.fill(self.prev.sized(P::PREV * words));
        }
    }

    /// The draws and early words of the products at `part` of a message, the masks drawn for
    /// these products alone.
    #[inline(always)]
    pub(crate) fn split<P: Role>(&mut self, part: Range<usize>) -> (Masks<'_, W>, &mut [W]) {
        let masks =
            Masks::of::<P>(&self.next, &self.prev, &self.early, part.clone(), 0..part.len());
        (masks, &mut self.message[part])
    }

    pub(crate) fn send<P: Role>(
        &self,
        party: &mut Party<'_>,
        words: usize,
    ) -> Result<(), SharingError> {
        match P::TO {
            Some((to, stream)) => party.send(to, stream, &self.message[..words]),
            None => Ok(()),
        }
    }

    pub(crate) fn receive_late<P: Role>(
        &mut self,
        party: &mut Party<'_>,
        words: usize,
    ) -> Result<(), SharingError> {
        for ((from, stream), buffer) in P::LATE.iter().zip(&mut self.late) {
            party.recv(*from, *stream, buffer.sized(words))?;
        }
        Ok(())
    }
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
    scratch: &mut Scratch<W>,
    shares: &mut Shares<W>,
    gates: &[Product],
) -> Result<(), SharingError> {
    if P::LATE.is_empty() && P::FORWARD.is_none() {
        return Ok(());
    }
    for gates in gates.chunks(products_in(PIECE, shares.words())) {
        let words = gates.len() * shares.words();
        if let Some(to) = P::FORWARD {
            let message = scratch.message.sized(words);
            for (gate, word) in gates.iter().zip(message.chunks_exact_mut(shares.words())) {
                word.copy_from_slice(shares.get(gate.dst).1);
            }
            party.send(to, Stream::Pre, message)?;
        }
        if !P::LATE.is_empty() {
            scratch.receive_late::<P>(party, words)?;
            simd::run(Finish::<P, W> { scratch, shares, gates, role: std::marker::PhantomData });
        }
    }
    Ok(())
}

struct Begin<'a, P, W> {
    scratch: &'a mut Scratch<W>,
    shares: &'a mut Shares<W>,
    gates: &'a [Product],
    /// Where the gates' words start in the message.
    start: usize,
    role: std::marker::PhantomData<P>,
}

/// The word of draw `index` of a product, or zero where the role draws less.
macro_rules! draw {
    ($count:expr, $index:expr, $slice:expr, $i:expr) => {
        if $count > $index { $slice[$i] } else { W::ZERO }
    };
}

impl<P: Role, W: Word> Kernel for Begin<'_, P, W> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let words = self.shares.words();
        let part = self.start..self.start + self.gates.len() * words;
        let Scratch { next, prev, early, message, .. } = self.scratch;
        for (index, gate) in self.gates.iter().enumerate() {
            let at = index * words..(index + 1) * words;
            let masks = Masks::of::<P>(next, prev, early, part.clone(), at.clone());
            let (dst, a, b) = self.shares.three(gate.dst, gate.a, gate.b);
            let (d0, d1) = dst.split_at_mut(words);
            let (a0, a1) = a.split_at(words);
            let (b0, b1) = b.split_at(words);
            let message = &mut message[self.start + at.start..self.start + at.end];
            begin_run::<P, W>(&masks, [a0, a1], [b0, b1], message, [d0, d1]);
        }
    }
}

/// The draws and early words of one run of product words.
pub(crate) struct Masks<'a, W> {
    next: [&'a [W]; 2],
    prev: [&'a [W]; 2],
    early: &'a [W],
}

impl<'a, W: Word> Masks<'a, W> {
    /// Of the words `at` out of those at `part` of a message. The masks were drawn for `part`:
    /// one draw of all its words after the other; early words came for the whole message.
    #[inline(always)]
    pub(crate) fn of<P: Role>(
        next: &'a [W],
        prev: &'a [W],
        early: &'a [W],
        part: Range<usize>,
        at: Range<usize>,
    ) -> Self {
        let total = part.len();
        let shifted = |buffer: &'a [W], count: usize, index: usize| {
            if count > index {
                &buffer[index * total + at.start..index * total + at.end]
            } else {
                &[]
            }
        };
        let early = if P::EARLY.is_some() {
            &early[part.start + at.start..part.start + at.end]
        } else {
            &[]
        };
        Masks {
            next: [shifted(next, P::NEXT, 0), shifted(next, P::NEXT, 1)],
            prev: [shifted(prev, P::PREV, 0), shifted(prev, P::PREV, 1)],
            early,
        }
    }

    /// Those of the words `at` alone.
    pub(crate) fn part(&self, at: Range<usize>) -> Self {
        let cut = |run: &'a [W]| if run.is_empty() { run } else { &run[at.clone()] };
        Masks { next: self.next.map(cut), prev: self.prev.map(cut), early: cut(self.early) }
    }

    #[inline(always)]
    pub(crate) fn apply<P: Role>(&self, v: W, i: usize) -> (W, [W; 2]) {
        let next = [draw!(P::NEXT, 0, self.next[0], i), draw!(P::NEXT, 1, self.next[1], i)];
        let prev = [draw!(P::PREV, 0, self.prev[0], i), draw!(P::PREV, 1, self.prev[1], i)];
        let early = draw!(usize::from(P::EARLY.is_some()), 0, self.early, i);
        P::mask(v, next, prev, early)
    }
}

/// One run of products: summands, masks, messages, half shares.
#[inline(always)]
pub(crate) fn begin_run<P: Role, W: Word>(
    masks: &Masks<'_, W>,
    a: [&[W]; 2],
    b: [&[W]; 2],
    message: &mut [W],
    dst: [&mut [W]; 2],
) {
    let n = message.len();
    let [a0, a1] = a.map(|s| &s[..n]);
    let [b0, b1] = b.map(|s| &s[..n]);
    let [d0, d1] = dst.map(|s| &mut s[..n]);
    for i in 0..n {
        let v = P::cross([a0[i], a1[i]], [b0[i], b1[i]]);
        let (m, share) = masks.apply::<P>(v, i);
        message[i] = m;
        d0[i] = share[0];
        d1[i] = share[1];
    }
}

struct Finish<'a, P, W> {
    scratch: &'a mut Scratch<W>,
    shares: &'a mut Shares<W>,
    gates: &'a [Product],
    role: std::marker::PhantomData<P>,
}

impl<P: Role, W: Word> Kernel for Finish<'_, P, W> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let words = self.shares.words();
        for (index, gate) in self.gates.iter().enumerate() {
            let at = index * words..(index + 1) * words;
            let late = late_run::<P, W>(&self.scratch.late, at);
            let (d0, d1) = self.shares.get_mut(gate.dst);
            finish_run::<P, W>(late, [d0, d1]);
        }
    }
}

/// The late words of a run; empty where the role gets fewer.
#[inline(always)]
pub(crate) fn late_run<P: Role, W: Word>(late: &[Buffer<W>; 2], at: Range<usize>) -> [&[W]; 2] {
    let of = |index: usize| if P::LATE.len() > index { &late[index][at.clone()] } else { &[] };
    [of(0), of(1)]
}

/// Completes the shares of one run.
#[inline(always)]
pub(crate) fn finish_run<P: Role, W: Word>(late: [&[W]; 2], dst: [&mut [W]; 2]) {
    let n = dst[0].len();
    let [d0, d1] = dst.map(|s| &mut s[..n]);
    for i in 0..n {
        let words = [draw!(P::LATE.len(), 0, late[0], i), draw!(P::LATE.len(), 1, late[1], i)];
        let share = P::settle([d0[i], d1[i]], words);
        d0[i] = share[0];
        d1[i] = share[1];
    }
}
