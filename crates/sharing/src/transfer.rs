//! Inputs and outputs over slots: values enter as shares, and leave to named receivers.

use crate::SharingError;
use crate::party::{Draws, Party};
use crate::role::{Few, Role, RoleId, SLOTS, Timing};
use crate::runs::{components, share_at, write_run};
use crate::shares::{RunsMut, Shares};
use crate::verify::{Item, Kind, Pass};
use tacit_circuit::schedule::Slot;
use tacit_net::{Phase, Stream};
use tacit_ring::{Buffer, Word, simd};

/// Bits or words of one input port that are shared together.
#[derive(Clone, Copy)]
pub struct Input<'a, W> {
    /// Who gives the values.
    pub owner: RoleId,
    /// When the owner knows them.
    pub timing: Timing,
    /// One slot per element.
    pub slots: &'a [Slot],
    /// At the owner: the values, one run of words per slot. Elsewhere ignored.
    pub values: &'a [W],
}

/// Buffers of [`input_begin`] to [`output_finish`].
pub struct TransferScratch<W> {
    draws: [Buffer<W>; SLOTS],
    message: [Buffer<W>; 2],
}

impl<W: Word> TransferScratch<W> {
    /// Draws this role's words for an input; zeros where it draws none.
    fn draw<P: Role>(&mut self, draws: &mut Draws<'_>, input: &Input<'_, W>, total: usize) {
        let drawn = P::input_draws(input.owner, input.timing);
        for (slot, buffer) in self.draws.iter_mut().enumerate() {
            let words = buffer.sized(total);
            if drawn[slot] {
                draws.fill(slot, words);
            } else {
                words.fill(W::ZERO);
            }
        }
    }

    #[inline(always)]
    fn drawn(&self, i: usize) -> [W; SLOTS] {
        cut(&self.draws, 0, i + 1).at(i)
    }
}

/// The draws of a run of words.
struct DrawRuns<'a, W>([&'a [W]; SLOTS]);

impl<W: Word> DrawRuns<'_, W> {
    #[inline(always)]
    fn at(&self, i: usize) -> [W; SLOTS] {
        let DrawRuns([a, b, c, d]) = self;
        [a[i], b[i], c[i], d[i]]
    }
}

/// The draws of `n` words from `at` on.
#[inline(always)]
fn cut<W: Word>([a, b, c, d]: &[Buffer<W>; SLOTS], at: usize, n: usize) -> DrawRuns<'_, W> {
    let run = at..at + n;
    DrawRuns([&a[run.clone()], &b[run.clone()], &c[run.clone()], &d[run]])
}

impl<W: Word> Default for TransferScratch<W> {
    fn default() -> Self {
        TransferScratch { draws: Default::default(), message: Default::default() }
    }
}

/// Draws masks and sends the owner's online messages.
///
/// # Errors
/// When the network fails, or the owner's values do not fill the slots.
pub fn input_begin<P: Role, W: Word>(
    party: &mut Party<'_>,
    draws: &mut Draws<'_>,
    scratch: &mut TransferScratch<W>,
    shares: &mut Shares<W>,
    input: Input<'_, W>,
) -> Result<(), SharingError> {
    if P::ROLE != input.owner {
        input_masks::<P, W>(draws, scratch, shares, input);
        return Ok(());
    }
    input_own::<P, W>(draws, scratch, shares, input)?;
    let total = input.slots.len() * shares.words();
    for (to, stream, word) in P::input_rule(input.owner, input.timing).to {
        if *stream != Stream::Pre {
            party.send(*to, *stream, &scratch.message[*word][..total])?;
        }
    }
    Ok(())
}

/// Repeats [`input_begin`] without sending: the pass of this role that works ahead ([`Role::Ahead`]) has sent the
/// messages.
///
/// # Errors
/// When the owner's values do not fill the slots.
pub fn input_again<P: Role, W: Word>(
    draws: &mut Draws<'_>,
    scratch: &mut TransferScratch<W>,
    shares: &mut Shares<W>,
    input: Input<'_, W>,
) -> Result<(), SharingError> {
    if P::ROLE == input.owner {
        return input_own::<P, W>(draws, scratch, shares, input);
    }
    input_masks::<P, W>(draws, scratch, shares, input);
    Ok(())
}

/// The owner's shares, and its messages in `scratch`.
fn input_own<P: Role, W: Word>(
    draws: &mut Draws<'_>,
    scratch: &mut TransferScratch<W>,
    shares: &mut Shares<W>,
    input: Input<'_, W>,
) -> Result<(), SharingError> {
    let total = input.slots.len() * shares.words();
    if input.values.len() != total {
        return Err(SharingError::Shape(format!(
            "an input of {total} words was given {}",
            input.values.len()
        )));
    }
    scratch.draw::<P>(draws, &input, total);
    for message in &mut scratch.message {
        message.sized(total);
    }
    let (n, timing) = (shares.words(), input.timing);
    for (index, slot) in input.slots.iter().enumerate() {
        let (runs, at) = (shares.runs_mut(*slot), index * n);
        let TransferScratch { draws, message: [first, second] } = &mut *scratch;
        let (first, second) = (&mut first[at..at + n], &mut second[at..at + n]);
        let (drawn, values) = (cut(draws, at, n), &input.values[at..at + n]);
        simd::vectorize(
            #[inline(always)]
            move || {
                let (first, second) = (&mut first[..n], &mut second[..n]);
                write_run::<P, W>(
                    runs,
                    #[inline(always)]
                    |i| {
                        let (share, messages) = P::input_own(timing, values[i], drawn.at(i));
                        [first[i], second[i]] = messages;
                        share
                    },
                );
            },
        );
    }
    Ok(())
}

/// The owner's draws for an input whose values come later.
pub struct KeptDraws<W> {
    scratch: TransferScratch<W>,
    total: usize,
}

/// The preprocessing part of an input of this role with [`Timing::Late`]: fixes the shares, which
/// do not depend on the values, and keeps the draws for [`input_send_kept`].
pub fn input_keep<P: Role, W: Word>(
    draws: &mut Draws<'_>,
    shares: &mut Shares<W>,
    input: Input<'_, W>,
) -> KeptDraws<W> {
    let words = shares.words();
    let total = input.slots.len() * words;
    let mut scratch = TransferScratch::default();
    scratch.draw::<P>(draws, &input, total);
    for (index, slot) in input.slots.iter().enumerate() {
        let drawn = cut(&scratch.draws, index * words, words);
        write_run::<P, W>(
            shares.runs_mut(*slot),
            #[inline(always)]
            |i| P::input_own(Timing::Late, W::ZERO, drawn.at(i)).0,
        );
    }
    KeptDraws { scratch, total }
}

/// The online part of an input of this role with [`Timing::Late`].
///
/// # Errors
/// When the network fails, or the values do not fit.
pub fn input_send_kept<P: Role, W: Word>(
    party: &mut Party<'_>,
    kept: &KeptDraws<W>,
    values: &[W],
) -> Result<(), SharingError> {
    if values.len() != kept.total {
        return Err(SharingError::Shape("a late input has other values than announced".into()));
    }
    let message =
        |(i, value): (usize, &W)| P::input_own(Timing::Late, *value, kept.scratch.drawn(i)).1;
    let messages: Vec<[W; 2]> = values.iter().enumerate().map(message).collect();
    for (to, stream, word) in P::input_rule(P::ROLE, Timing::Late).to {
        let message: Vec<W> = messages.iter().map(|m| m[*word]).collect();
        party.send(*to, *stream, &message)?;
    }
    Ok(())
}

/// The masks of an input alone. A role that is not the owner keeps them in the slots until the
/// message comes; [`Role::Ahead`] needs nothing else.
pub fn input_masks<P: Role, W: Word>(
    draws: &mut Draws<'_>,
    scratch: &mut TransferScratch<W>,
    shares: &mut Shares<W>,
    input: Input<'_, W>,
) {
    let words = shares.words();
    scratch.draw::<P>(draws, &input, input.slots.len() * words);
    let (owner, timing) = (input.owner, input.timing);
    for (index, slot) in input.slots.iter().enumerate() {
        let drawn = cut(&scratch.draws, index * words, words);
        let runs = shares.runs_mut(*slot);
        simd::vectorize(
            #[inline(always)]
            move || {
                write_run::<P, W>(
                    runs,
                    #[inline(always)]
                    |i| P::input_part(owner, timing, drawn.at(i)),
                );
            },
        );
    }
}

/// Sends preprocessing messages, receives, and completes the shares.
///
/// # Errors
/// When the network fails.
pub fn input_finish<P: Role, W: Word>(
    party: &mut Party<'_>,
    scratch: &mut TransferScratch<W>,
    shares: &mut Shares<W>,
    input: Input<'_, W>,
) -> Result<(), SharingError> {
    let words = shares.words();
    let total = input.slots.len() * words;
    let rule = P::input_rule(input.owner, input.timing);
    if P::ROLE == input.owner {
        // What an owner sends ahead is a word of its own share.
        for (to, ..) in rule.to.iter().filter(|(_, stream, _)| *stream == Stream::Pre) {
            let message = scratch.message[0].sized(total);
            for (slot, run) in input.slots.iter().zip(message.chunks_exact_mut(words)) {
                let shares = shares.runs(*slot);
                for (i, word) in run.iter_mut().enumerate() {
                    *word = P::input_ahead(share_at::<P, W>(shares, i));
                }
            }
            party.send(*to, Stream::Pre, message)?;
        }
        return Ok(());
    }
    let received = scratch.message[0].sized(total);
    match rule.to.iter().find(|(to, ..)| *to == P::ROLE) {
        Some((_, stream, _)) => {
            party.recv(input.owner, *stream, received)?;
            if let Some(item) = rule.log {
                party.log(item, received);
            }
        }
        None => received.fill(W::ZERO),
    }
    let (owner, timing) = (input.owner, input.timing);
    for (slot, received) in input.slots.iter().zip(received.chunks_exact(words)) {
        let runs = shares.runs_mut(*slot);
        simd::vectorize(
            #[inline(always)]
            move || complete::<P, W>(owner, timing, runs, received),
        );
    }
    Ok(())
}

/// Completes the shares of one run of an owner's input.
#[inline(always)]
fn complete<P: Role, W: Word>(
    owner: RoleId,
    timing: Timing,
    [d0, d1, d2]: RunsMut<'_, W>,
    received: &[W],
) {
    let n = received.len();
    let (d0, d1) = (&mut d0[..n], &mut d1[..n]);
    for i in 0..n {
        let third = if P::Share::<W>::COUNT > 2 { d2[i] } else { W::ZERO };
        let part = [d0[i], d1[i], third];
        let part = P::Share::<W>::each(
            #[inline(always)]
            |c| part[c],
        );
        let share = P::input_other(owner, timing, part, received[i]);
        (d0[i], d1[i]) = (share[0], share[1]);
        if P::Share::<W>::COUNT > 2 {
            d2[i] = share[2];
        }
    }
}

/// Values of one output port that are opened together.
#[derive(Clone, Copy)]
pub struct Output<'a> {
    /// Who learns them.
    pub receivers: &'a [RoleId],
    /// One slot per element.
    pub slots: &'a [Slot],
}

/// Sends the online messages of an opening.
///
/// # Errors
/// When the network fails, or something was computed since the last checks.
pub fn output_begin<P: Role, W: Word>(
    party: &mut Party<'_>,
    _pass: &Pass,
    scratch: &mut TransferScratch<W>,
    shares: &Shares<W>,
    output: Output<'_>,
) -> Result<(), SharingError> {
    party.check_verified()?;
    opening(party, |party| send_open_words::<P, W>(party, scratch, shares, output, Stream::On))
}

/// Sends what goes ahead, receives, and writes the opened values to `opened` if this role is a
/// receiver: one run of words per slot, exactly. Others pass what they like. Where a protocol
/// checks, the values are not to leave the protocol before another call of
/// [`Verifier::end_epoch`](crate::verify::Verifier::end_epoch) has succeeded.
///
/// # Errors
/// When the network fails, or something was computed since the last checks.
pub fn output_finish<P: Role, W: Word>(
    party: &mut Party<'_>,
    _pass: &Pass,
    scratch: &mut TransferScratch<W>,
    shares: &Shares<W>,
    output: Output<'_>,
    opened: &mut [W],
) -> Result<(), SharingError> {
    opening(party, |party| {
        send_open_words::<P, W>(party, scratch, shares, output, Stream::Pre)?;
        // In the order of receivers: two roles may each check what the other one receives.
        for &receiver in output.receivers {
            if receiver == P::ROLE {
                receive_opened::<P, W>(party, scratch, shares, output, opened)?;
            } else if P::open_checker(receiver) == Some(P::ROLE) {
                let words = scratch.open_words::<P>(shares, output, receiver);
                party.log(opening_item(receiver, P::ROLE), words);
            }
        }
        Ok(())
    })
}

/// Opens values to everybody at once, one run of words per slot: where [`Role::OPENS_AT_ONCE`] says so. Both roles that know what a
/// role lacks send it, and it ends the run unless they sent the same. One of the two is honest, so whoever goes on has the right values,
/// and nothing is left to compare: what is computed with these values may depend on them at once.
///
/// # Errors
/// When the network fails, something was computed since the last checks, or two roles do not send the same.
pub fn open_at_once<P: Role, W: Word>(
    party: &mut Party<'_>,
    _pass: &Pass,
    scratch: &mut TransferScratch<W>,
    shares: &Shares<W>,
    slots: &[Slot],
    opened: &mut [W],
) -> Result<(), SharingError> {
    party.check_verified()?;
    let everybody: Vec<RoleId> = (0..P::PROTOCOL.parties()).collect();
    let output = Output { receivers: &everybody, slots };
    opening(party, |party| {
        for receiver in everybody.iter().copied().filter(|receiver| *receiver != P::ROLE) {
            party.send(receiver, Stream::On, scratch.open_words::<P>(shares, output, receiver))?;
        }
        let checker = P::open_checker(P::ROLE).filter(|_| P::OPENS_AT_ONCE);
        let checker = checker.ok_or_else(|| {
            SharingError::Shape("an opening at once, which this protocol does not have".into())
        })?;
        let words = shares.words();
        let received = scratch.message[0].sized(slots.len() * words);
        party.recv(P::opener(P::ROLE).0, Stream::On, received)?;
        let mut again = Buffer::<W>::zeros(received.len());
        party.recv(checker, Stream::On, &mut again)?;
        if received[..] != again[..] {
            return Err(party.fail("two roles opened different values".into()));
        }
        write_opened::<P, W>(shares, slots, received, opened);
        Ok(())
    })
}

/// Does a part of an opening in the phase of that name, which nothing else is sent in. What goes ahead in a phase of its own, before
/// anything is known that could open, stays in that phase.
fn opening<T>(party: &mut Party<'_>, part: impl FnOnce(&mut Party<'_>) -> T) -> T {
    let phase = party.mesh().place().phase;
    if phase == Phase::Offline {
        return part(party);
    }
    party.mesh().set_phase(Phase::Open);
    let done = part(party);
    party.mesh().set_phase(phase);
    done
}

/// Receives what opens the output to this role.
fn receive_opened<P: Role, W: Word>(
    party: &mut Party<'_>,
    scratch: &mut TransferScratch<W>,
    shares: &Shares<W>,
    output: Output<'_>,
    opened: &mut [W],
) -> Result<(), SharingError> {
    let words = shares.words();
    let received = scratch.message[0].sized(output.slots.len() * words);
    let (opener, stream) = P::opener(P::ROLE);
    if opener == P::ROLE {
        received.fill(W::ZERO);
    } else {
        party.recv(opener, stream, received)?;
    }
    if let Some(checker) = P::open_checker(P::ROLE) {
        party.log(opening_item(P::ROLE, checker), received);
    }
    write_opened::<P, W>(shares, output.slots, received, opened);
    Ok(())
}

/// The values, from this role's shares and what it received.
fn write_opened<P: Role, W: Word>(
    shares: &Shares<W>,
    slots: &[Slot],
    received: &[W],
    opened: &mut [W],
) {
    let words = shares.words();
    let runs = received.chunks_exact(words).zip(opened.chunks_exact_mut(words));
    for (slot, (run, opened)) in slots.iter().zip(runs) {
        let shares = components::<P, W>(shares.runs(*slot), words);
        simd::vectorize(
            #[inline(always)]
            move || {
                for (i, (word, to)) in run.iter().zip(opened).enumerate() {
                    *to = P::opened(share_at::<P, W>(shares, i), *word);
                }
            },
        );
    }
}

fn opening_item(receiver: RoleId, checker: RoleId) -> Item {
    Item::new(Kind::Opening, &[receiver, checker])
}

fn send_open_words<P: Role, W: Word>(
    party: &mut Party<'_>,
    scratch: &mut TransferScratch<W>,
    shares: &Shares<W>,
    output: Output<'_>,
    wanted: Stream,
) -> Result<(), SharingError> {
    for &receiver in output.receivers {
        let (opener, stream) = P::opener(receiver);
        if opener == P::ROLE && receiver != P::ROLE && stream == wanted {
            party.send(receiver, stream, scratch.open_words::<P>(shares, output, receiver))?;
        }
    }
    Ok(())
}

impl<W: Word> TransferScratch<W> {
    /// What opens `output` to `receiver`.
    fn open_words<P: Role>(
        &mut self,
        shares: &Shares<W>,
        output: Output<'_>,
        receiver: RoleId,
    ) -> &[W] {
        let words = shares.words();
        let message = self.message[0].sized(output.slots.len() * words);
        for (slot, run) in output.slots.iter().zip(message.chunks_exact_mut(words)) {
            let shares = components::<P, W>(shares.runs(*slot), words);
            simd::vectorize(
                #[inline(always)]
                move || {
                    for (i, word) in run.iter_mut().enumerate() {
                        *word = P::open_word(receiver, share_at::<P, W>(shares, i));
                    }
                },
            );
        }
        message
    }
}
