//! Batches of two-factor products over slots: begin (local terms, send) and finish (receive,
//! combine). Between the two a worker may do anything else, such as other blocks.

use crate::SharingError;
use crate::made;
use crate::party::{Draws, Party};
use crate::role::{OUTS, Role, SLOTS, Sink, Source, TAIL};
use crate::runs::{Masks, Outs, Settling, begin_run, cut_mut, finish_run};
use crate::shares::{Shares, split, split_mut};
use std::ops::Range;
use tacit_circuit::schedule::Product;
use tacit_ring::simd::{self, Kernel};
use tacit_ring::{Buffer, Word};

/// Words of a message that are computed and sent in one go: large enough for the network.
pub(crate) const PIECE: usize = 8192;
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
        if let Some(source) = P::EARLY_LESS {
            self.take_off(party, source, words)?;
        }
        for message in self.messages.iter_mut().take(P::OUT.len()) {
            message.sized(words);
        }
        Ok(())
    }

    /// Takes another message off what was sent ahead.
    fn take_off(
        &mut self,
        party: &mut Party<'_>,
        source: Source,
        words: usize,
    ) -> Result<(), SharingError> {
        let [less, _] = &mut self.late;
        let less = less.sized(words);
        party.recv(source.from, source.stream, less)?;
        if let Some(item) = source.log {
            party.log(item, less);
        }
        for (early, less) in self.early.iter_mut().zip(less.iter()) {
            *early = early.sub(*less);
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

/// Products of `words` words each in so many words, at least one.
pub(crate) fn products_in(total: usize, words: usize) -> usize {
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
    if P::MADE {
        return made::begin_gates::<P, W>(party, shares, gates);
    }
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
    if P::MADE {
        return made::finish_gates::<P, W>(party, shares, gates);
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
        if P::PROVEN {
            for gate in gates {
                // A schedule keeps factors until their level is finished.
                let factors = [shares.runs(gate.a), shares.runs(gate.b)];
                P::keep(party, factors, shares.runs(gate.dst), 1)?;
            }
        }
    }
    if P::PROVEN { party.prove_if_many() } else { Ok(()) }
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
