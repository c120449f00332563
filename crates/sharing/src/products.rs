//! Batches of two-factor products over slots: begin (local terms, send) and finish (receive,
//! combine). Between the two a worker may do anything else, such as other blocks.

use crate::party::{Draws, Party, SharingError};
use crate::role::Role;
use crate::shares::Shares;
use tacit_circuit::schedule::Product;
use tacit_net::Stream;
use tacit_ring::Word;
use tacit_ring::simd::{self, Kernel};

/// Words of a message that are computed, drawn and sent in one go: what stays in cache.
const PIECE: usize = 4096;

/// Buffers that a worker reuses from batch to batch.
pub struct Scratch<W> {
    pub(crate) next: Vec<W>,
    pub(crate) prev: Vec<W>,
    pub(crate) early: Vec<W>,
    pub(crate) message: Vec<W>,
    pub(crate) late: [Vec<W>; 2],
}

impl<W: Word> Default for Scratch<W> {
    fn default() -> Self {
        let empty = Vec::new;
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
    /// Draws the masks of `words` product words and fetches what the dealer sent for them.
    pub(crate) fn draw<P: Role>(
        &mut self,
        party: &mut Party<'_>,
        draws: &mut Draws<'_>,
        words: usize,
    ) -> Result<(), SharingError> {
        if P::NEXT > 0 {
            draws.next.fill(sized(&mut self.next, P::NEXT * words));
        }
        if P::PREV > 0 {
            draws.prev.fill(sized(&mut self.prev, P::PREV * words));
        }
        if let Some(from) = P::EARLY {
            party.recv(from, Stream::Pre, sized(&mut self.early, words))?;
        }
        sized(&mut self.message, words);
        Ok(())
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
            party.recv(*from, *stream, sized(buffer, words))?;
        }
        Ok(())
    }
}

/// The first `words` words of a buffer that grows as needed.
pub(crate) fn sized<W: Word>(buffer: &mut Vec<W>, words: usize) -> &mut [W] {
    if buffer.len() < words {
        buffer.resize(words, W::ZERO);
    }
    &mut buffer[..words]
}

/// Products per piece.
fn piece(words: usize) -> usize {
    (PIECE / words.max(1)).max(1)
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
    for gates in gates.chunks(piece(shares.words())) {
        let words = gates.len() * shares.words();
        scratch.draw::<P>(party, draws, words)?;
        simd::run(Begin::<P, W> { scratch, shares, gates, role: std::marker::PhantomData });
        scratch.send::<P>(party, words)?;
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
    for gates in gates.chunks(piece(shares.words())) {
        let words = gates.len() * shares.words();
        if let Some(to) = P::FORWARD {
            let message = sized(&mut scratch.message, words);
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
        let total = self.gates.len() * words;
        let scratch = self.scratch;
        for (index, gate) in self.gates.iter().enumerate() {
            let at = index * words..(index + 1) * words;
            let masks = Masks::<W>::of::<P>(scratch.next.as_slice(), &scratch.prev, &scratch.early, total, at.clone());
            let (dst, a, b) = self.shares.three(gate.dst, gate.a, gate.b);
            let (d0, d1) = dst.split_at_mut(words);
            let (a0, a1) = a.split_at(words);
            let (b0, b1) = b.split_at(words);
            let message = &mut scratch.message[at];
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
    /// Of the words `at` out of `total`: the draws lie one after the other, `total` words each.
    #[inline(always)]
    pub(crate) fn of<P: Role>(
        next: &'a [W],
        prev: &'a [W],
        early: &'a [W],
        total: usize,
        at: std::ops::Range<usize>,
    ) -> Self {
        let shifted = |buffer: &'a [W], count: usize, index: usize| {
            if count > index {
                &buffer[index * total + at.start..index * total + at.end]
            } else {
                &[]
            }
        };
        Masks {
            next: [shifted(next, P::NEXT, 0), shifted(next, P::NEXT, 1)],
            prev: [shifted(prev, P::PREV, 0), shifted(prev, P::PREV, 1)],
            early: shifted(early, usize::from(P::EARLY.is_some()), 0),
        }
    }

    #[inline(always)]
    pub(crate) fn apply<P: Role>(&self, v: W, i: usize) -> (W, [W; 2]) {
        let next = [
            draw!(P::NEXT, 0, self.next[0], i),
            draw!(P::NEXT, 1, self.next[1], i),
        ];
        let prev = [
            draw!(P::PREV, 0, self.prev[0], i),
            draw!(P::PREV, 1, self.prev[1], i),
        ];
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
pub(crate) fn late_run<P: Role, W: Word>(
    late: &[Vec<W>; 2],
    at: std::ops::Range<usize>,
) -> [&[W]; 2] {
    let of = |index: usize| if P::LATE.len() > index { &late[index][at.clone()] } else { &[] };
    [of(0), of(1)]
}

/// Completes the shares of one run.
#[inline(always)]
pub(crate) fn finish_run<P: Role, W: Word>(late: [&[W]; 2], dst: [&mut [W]; 2]) {
    let n = dst[0].len();
    let [d0, d1] = dst.map(|s| &mut s[..n]);
    for i in 0..n {
        let words = [
            draw!(P::LATE.len(), 0, late[0], i),
            draw!(P::LATE.len(), 1, late[1], i),
        ];
        let share = P::settle([d0[i], d1[i]], words);
        d0[i] = share[0];
        d1[i] = share[1];
    }
}
