//! Inputs and outputs over slots: values enter as shares, and leave to named receivers.

use crate::party::{Draws, Party, SharingError};
use crate::role::{Role, RoleId, Timing};
use crate::shares::Shares;
use tacit_circuit::schedule::Slot;
use tacit_net::Stream;
use tacit_ring::{Buffer, Word};

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
    draws: [Buffer<W>; 2],
    message: [Buffer<W>; 2],
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
    let total = input.slots.len() * shares.words();
    let rule = P::input_rule(input.owner, input.timing);
    if P::ROLE != input.owner {
        return draw_as_other::<P, W>(draws, scratch, shares, input, total);
    }
    if input.values.len() != total {
        return Err(SharingError::Shape(format!(
            "an input of {total} words was given {}",
            input.values.len()
        )));
    }
    let next = scratch.draws[0].sized(total);
    if rule.next {
        draws.next.fill(next);
    }
    let prev = scratch.draws[1].sized(total);
    if rule.prev {
        draws.prev.fill(prev);
    }
    for message in &mut scratch.message {
        message.sized(total);
    }
    for (index, slot) in input.slots.iter().enumerate() {
        let (first, second) = shares.get_mut(*slot);
        let at = index * first.len();
        for i in 0..first.len() {
            let (value, next, prev) =
                (input.values[at + i], scratch.draws[0][at + i], scratch.draws[1][at + i]);
            let (share, messages) = P::input_own(input.timing, value, next, prev);
            [first[i], second[i]] = share;
            [scratch.message[0][at + i], scratch.message[1][at + i]] = messages;
        }
    }
    for ((to, stream), message) in rule.to.iter().zip(&scratch.message) {
        if *stream != Stream::Pre {
            party.send(*to, *stream, &message[..total])?;
        }
    }
    Ok(())
}

/// The owner's draws for an input whose values come later.
pub struct KeptDraws<W> {
    next: Buffer<W>,
    prev: Buffer<W>,
}

/// The preprocessing part of an input of this role with [`Timing::Late`]: fixes the shares, which
/// do not depend on the values, and keeps the draws for [`input_send_kept`].
pub fn input_keep<P: Role, W: Word>(
    draws: &mut Draws<'_>,
    shares: &mut Shares<W>,
    input: Input<'_, W>,
) -> KeptDraws<W> {
    let total = input.slots.len() * shares.words();
    let mut kept = KeptDraws { next: Buffer::zeros(total), prev: Buffer::zeros(total) };
    draws.next.fill(&mut kept.next);
    draws.prev.fill(&mut kept.prev);
    let mut masks = kept.next.iter().zip(kept.prev.iter());
    for slot in input.slots {
        let (first, second) = shares.get_mut(*slot);
        for ((first, second), (next, prev)) in first.iter_mut().zip(second).zip(&mut masks) {
            [*first, *second] = P::input_own(Timing::Late, W::ZERO, *next, *prev).0;
        }
    }
    kept
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
    if values.len() != kept.next.len() {
        return Err(SharingError::Shape("a late input has other values than announced".into()));
    }
    let draws = kept.next.iter().zip(kept.prev.iter());
    let messages: Vec<[W; 2]> = values
        .iter()
        .zip(draws)
        .map(|(value, (next, prev))| P::input_own(Timing::Late, *value, *next, *prev).1)
        .collect();
    for (index, (to, stream)) in P::input_rule(P::ROLE, Timing::Late).to.iter().enumerate() {
        let message: Vec<W> = messages.iter().map(|m| m[index]).collect();
        party.send(*to, *stream, &message)?;
    }
    Ok(())
}

/// A role that is not the owner keeps its draw in the slot until the message comes.
fn draw_as_other<P: Role, W: Word>(
    draws: &mut Draws<'_>,
    scratch: &mut TransferScratch<W>,
    shares: &mut Shares<W>,
    input: Input<'_, W>,
    total: usize,
) -> Result<(), SharingError> {
    let rule = P::input_rule(input.owner, input.timing);
    // The owner's next neighbour has the owner as its previous one.
    let after_owner = P::ROLE == (input.owner + 1) % 3;
    let used = if after_owner { rule.next } else { rule.prev };
    let draw = scratch.draws[0].sized(total);
    if used {
        let stream = if after_owner { &mut draws.prev } else { &mut draws.next };
        stream.fill(draw);
    } else {
        draw.fill(W::ZERO);
    }
    for (slot, run) in input.slots.iter().zip(draw.chunks_exact(shares.words())) {
        shares.get_mut(*slot).1.copy_from_slice(run);
    }
    Ok(())
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
        // What an owner sends ahead is the second component of its own share.
        for (to, _) in rule.to.iter().filter(|(_, stream)| *stream == Stream::Pre) {
            let message = scratch.message[0].sized(total);
            for (slot, run) in input.slots.iter().zip(message.chunks_exact_mut(words)) {
                run.copy_from_slice(shares.get(*slot).1);
            }
            party.send(*to, Stream::Pre, message)?;
        }
        return Ok(());
    }
    let received = scratch.message[0].sized(total);
    match rule.to.iter().find(|(to, _)| *to == P::ROLE) {
        Some((_, stream)) => party.recv(input.owner, *stream, received)?,
        None => received.fill(W::ZERO),
    }
    for (slot, run) in input.slots.iter().zip(received.chunks_exact(words)) {
        let (first, second) = shares.get_mut(*slot);
        for ((first, second), received) in first.iter_mut().zip(second).zip(run) {
            [*first, *second] = P::input_other(input.owner, input.timing, *second, *received);
        }
    }
    Ok(())
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
/// When the network fails.
pub fn output_begin<P: Role, W: Word>(
    party: &mut Party<'_>,
    scratch: &mut TransferScratch<W>,
    shares: &Shares<W>,
    output: Output<'_>,
) -> Result<(), SharingError> {
    send_open_words::<P, W>(party, scratch, shares, output, Stream::On)
}

/// Sends what goes ahead, receives, and writes the opened values to `opened` if this role is a
/// receiver: one run of words per slot, exactly. Others pass what they like.
///
/// # Errors
/// When the network fails.
pub fn output_finish<P: Role, W: Word>(
    party: &mut Party<'_>,
    scratch: &mut TransferScratch<W>,
    shares: &Shares<W>,
    output: Output<'_>,
    opened: &mut [W],
) -> Result<(), SharingError> {
    send_open_words::<P, W>(party, scratch, shares, output, Stream::Pre)?;
    if !output.receivers.contains(&P::ROLE) {
        return Ok(());
    }
    let words = shares.words();
    let received = scratch.message[0].sized(output.slots.len() * words);
    let (opener, stream) = P::opener(P::ROLE);
    if opener == P::ROLE {
        received.fill(W::ZERO);
    } else {
        party.recv(opener, stream, received)?;
    }
    let runs = received.chunks_exact(words).zip(opened.chunks_exact_mut(words));
    for (slot, (run, opened)) in output.slots.iter().zip(runs) {
        let (first, second) = shares.get(*slot);
        let values = first.iter().zip(second).zip(run).zip(opened);
        values.for_each(|(((first, second), word), to)| *to = P::opened([*first, *second], *word));
    }
    Ok(())
}

fn send_open_words<P: Role, W: Word>(
    party: &mut Party<'_>,
    scratch: &mut TransferScratch<W>,
    shares: &Shares<W>,
    output: Output<'_>,
    wanted: Stream,
) -> Result<(), SharingError> {
    let words = shares.words();
    for &receiver in output.receivers {
        let (opener, stream) = P::opener(receiver);
        if opener != P::ROLE || receiver == P::ROLE || stream != wanted {
            continue;
        }
        let message = scratch.message[0].sized(output.slots.len() * words);
        for (slot, run) in output.slots.iter().zip(message.chunks_exact_mut(words)) {
            let (first, second) = shares.get(*slot);
            for ((word, first), second) in run.iter_mut().zip(first).zip(second) {
                *word = P::open_word(receiver, [*first, *second]);
            }
        }
        party.send(receiver, stream, message)?;
    }
    Ok(())
}
