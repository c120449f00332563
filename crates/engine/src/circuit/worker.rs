//! One worker of one party: blocks of lanes, stage by stage.
//!
//! Stages are: inputs, one per level, outputs. A group of blocks goes through the stages
//! together; within a stage each block first finishes the previous stage and then begins this
//! one. So up to a group's worth of messages is under way while a block computes. All messages
//! of the role that works ahead are sent in the half-stage in which their receiver takes them,
//! which keeps both sides in the same order without tags.
//!
//! Outputs are all that the role that works ahead waits for. It takes them some groups late, so
//! that its messages for the next groups are at its peers before those need them; how late is
//! bounded, and with it what peers must keep for each other. Under a protocol that checks before it
//! opens, all roles keep shares of all outputs until the checks of the whole run.

use super::ahead::Front;
use super::compile::{Compiled, InputPort, Seating};
use super::opening::{Kept, Opened, Opener};
use super::task::Computed;
use crate::values::Lanes;
use std::collections::VecDeque;
use std::marker::PhantomData;
use std::ops::Range;
use std::time::Duration;
use tacit_net::Phase;
use tacit_ring::Z2;
use tacit_sharing::level::LevelScratch;
use tacit_sharing::party::{Fetched, Streams};
use tacit_sharing::transfer::{self, Input, Output, TransferScratch};
use tacit_sharing::verify::Pass;
use tacit_sharing::{Draws, Party, Role, Shares, SharingError, Timing};
use zeroize::Zeroizing;

pub(super) struct Block<'k> {
    pub at: Range<usize>,
    pub shares: Shares<Z2>,
    pub draws: Draws<'k>,
}

/// What is left of preprocessing: what is kept of groups, and groups that have begun.
type Begun<'k> = (Vec<Vec<Kept>>, VecDeque<Group<'k>>);

/// The places of a group's blocks, and their draws.
pub(super) type Group<'k> = Vec<(Range<usize>, Draws<'k>)>;

pub(super) struct Worker<'a, 'm, P> {
    pub(super) compiled: &'a Compiled,
    pub(super) seating: &'a Seating,
    pub(super) party: Party<'m>,
    streams: Streams<'a>,
    values: &'a [Option<Lanes>],
    at: Range<usize>,
    progress: &'a (dyn Fn(u64) + Sync),
    products: LevelScratch,
    pub(super) transfer: TransferScratch<Z2>,
    /// Values on their way in.
    pub(super) buffer: Zeroizing<Vec<Z2>>,
    /// Shares of blocks that are done, for blocks to come: every slot is written before it is read.
    spare: Vec<Shares<Z2>>,
    /// Groups of blocks whose outputs are still to be taken, oldest first: at the ahead role, and
    /// everywhere under a protocol that checks before it opens.
    owed: VecDeque<Vec<Kept>>,
    opener: Opener,
    /// Leave to open at once.
    pass: Option<Pass>,
    /// The pass that works ahead sends this role's inputs.
    pub(super) inputs_leave_ahead: bool,
    pub(super) front: Front<'a>,
    role: PhantomData<P>,
}

impl<'a, 'm, P: Role> Worker<'a, 'm, P> {
    pub fn new(
        compiled: &'a Compiled,
        party: Party<'m>,
        streams: Streams<'a>,
        values: &'a [Option<Lanes>],
        worker: usize,
        progress: &'a (dyn Fn(u64) + Sync),
    ) -> Self {
        let (seating, at) = (compiled.seating_of(worker), compiled.share_of(worker));
        let words = compiled.block_words.min(at.len());
        Worker {
            opener: Opener::new(compiled, seating, Opened::new(seating, P::ROLE, at.clone())),
            pass: Pass::unchecked(P::PROTOCOL),
            compiled,
            seating,
            party,
            streams,
            values,
            at,
            progress,
            products: LevelScratch::default(),
            transfer: TransferScratch::default(),
            buffer: Zeroizing::new(Vec::with_capacity(seating.widest_port() * words)),
            spare: Vec::new(),
            owed: VecDeque::new(),
            inputs_leave_ahead: false,
            front: Front::default(),
            role: PhantomData,
        }
    }

    fn works_ahead() -> bool {
        P::PROTOCOL.ahead() == Some(P::ROLE)
    }

    /// Preprocessing and evaluation in one go.
    pub fn interleaved(mut self) -> Result<Computed, SharingError> {
        self.party.mesh().set_phase(Phase::Online);
        if P::TWO_PASSES {
            self.two_passes()?;
        } else {
            self.all_groups(Self::owe)?;
        }
        self.take_owed(0)?;
        self.end(None)
    }

    /// First all preprocessing, then evaluation. `expected[r]` is the number of bytes that role
    /// `r` sends to this one ahead; none where preprocessing was exchanged in another session.
    pub fn separate(mut self, expected: &[usize]) -> Result<Computed, SharingError> {
        let (kept, begun) = self.preprocess(expected)?;
        self.party.preprocessed();
        let began = self.party.mesh().now();
        self.party.mesh().set_phase(Phase::Online);
        if Self::works_ahead() {
            self.online_of_ahead(kept)?;
        } else if P::TWO_PASSES {
            begun.into_iter().try_for_each(|group| self.finish_group(group, &mut Self::owe))?;
        } else {
            self.all_groups(Self::owe)?;
        }
        self.party.check_used_up()?;
        self.end(Some(began))
    }

    /// Preprocessing for evaluation in another session.
    pub fn ahead(mut self, expected: &[usize]) -> Result<Fetched, SharingError> {
        if P::PROVEN && Self::works_ahead() {
            // What is proven of it is kept, and proven, in that session.
            self = Worker { party: self.party.only_ahead(), ..self };
        }
        self.preprocess(expected)?;
        Ok(self.party.put_off())
    }

    /// Exchanges what does not depend on inputs: what is kept of each group at the role that works
    /// ahead, and groups that a role of two passes has begun.
    fn preprocess(&mut self, expected: &[usize]) -> Result<Begun<'a>, SharingError> {
        self.party.mesh().set_phase(Phase::Offline);
        self.party.prepares();
        let (mut kept, mut begun) = (Vec::new(), VecDeque::new());
        if P::TWO_PASSES {
            begun = self.all_groups_ahead()?;
        }
        if Self::works_ahead() {
            self.all_groups(|_, group| {
                kept.push(group);
                Ok(())
            })?;
        } else {
            for (role, bytes) in expected.iter().enumerate().filter(|(_, bytes)| **bytes > 0) {
                self.party.fetch_ahead(role, *bytes)?;
            }
        }
        self.party.flush()?;
        Ok((kept, begun))
    }

    fn end(mut self, began: Option<Duration>) -> Result<Computed, SharingError> {
        self.party.flush()?;
        let journal = self.party.take_journal()?;
        let computed = Computed::unchecked(self.opener.opened);
        Ok(Computed { kept: self.owed, journal, began, ..computed })
    }

    /// Takes all blocks through all stages, and tells `done` what is kept of each group.
    fn all_groups(
        &mut self,
        mut done: impl FnMut(&mut Self, Vec<Kept>) -> Result<(), SharingError>,
    ) -> Result<(), SharingError> {
        for places in self.groups() {
            let group = self.draw(places)?;
            self.finish_group(group, &mut done)?;
        }
        Ok(())
    }

    /// The places of all blocks, by group.
    pub(super) fn groups(&self) -> Vec<Vec<Range<usize>>> {
        let words = self.compiled.block_words;
        let blocks = self.at.clone().step_by(words);
        let blocks: Vec<Range<usize>> =
            blocks.map(|start| start..(start + words).min(self.at.end)).collect();
        blocks.chunks(self.compiled.blocks.max(1)).map(<[_]>::to_vec).collect()
    }

    /// Takes the next step: the draws of a group.
    pub(super) fn draw(&mut self, places: Vec<Range<usize>>) -> Result<Group<'a>, SharingError> {
        let draws = self.streams.step(places.len() as u32)?;
        Ok(places.into_iter().zip(draws).collect())
    }

    /// Takes a group through all stages.
    pub(super) fn finish_group(
        &mut self,
        group: Group<'a>,
        done: &mut impl FnMut(&mut Self, Vec<Kept>) -> Result<(), SharingError>,
    ) -> Result<(), SharingError> {
        let mut blocks = self.blocks(group);
        let words = blocks.iter().map(|block| block.at.len() as u64).sum();
        let kept = self.group(&mut blocks)?;
        self.reuse(blocks);
        done(self, kept)?;
        (self.progress)(words);
        Ok(())
    }

    /// Makes room for the shares of a group.
    pub(super) fn blocks(&mut self, group: Group<'a>) -> Vec<Block<'a>> {
        let block = |(at, draws): (Range<usize>, Draws<'a>)| {
            let shares = self.shares(at.len());
            Block { at, shares, draws }
        };
        group.into_iter().map(block).collect()
    }

    /// Keeps the room for blocks to come.
    pub(super) fn reuse(&mut self, blocks: Vec<Block<'a>>) {
        self.spare.extend(blocks.into_iter().map(|block| block.shares));
    }

    /// Shares for a block of `words` words, with any content.
    fn shares(&mut self, words: usize) -> Shares<Z2> {
        let spare = self.spare.pop().filter(|shares| shares.words() == words);
        spare.unwrap_or_else(|| Shares::of::<P>(self.compiled.schedule.slots(), words))
    }

    /// Takes a group of blocks through all stages.
    fn group(&mut self, group: &mut [Block<'a>]) -> Result<Vec<Kept>, SharingError> {
        let depth = self.compiled.schedule.depth();
        let mut kept: Vec<Kept> = group.iter().map(|b| Kept::new(b.at.clone())).collect();
        self.party.mesh().set_step(0);
        for (block, kept) in group.iter_mut().zip(&mut kept) {
            self.begin_inputs(block, kept)?;
        }
        for level in 0..=depth {
            if P::TWO_PASSES {
                self.go_ahead(self.bytes_ahead(level, group))?;
            }
            self.level::<P>(group, level)?;
        }
        self.party.mesh().set_step(depth as u32 + 1);
        for (block, kept) in group.iter_mut().zip(&mut kept) {
            self.finish_outputs(block, kept)?;
        }
        Ok(kept)
    }

    /// Takes a group of blocks through a level, as a pass of this role.
    pub(super) fn level<Q: Role>(
        &mut self,
        group: &mut [Block<'a>],
        level: usize,
    ) -> Result<(), SharingError> {
        self.party.mesh().set_step(level as u32);
        let depth = self.compiled.schedule.depth();
        for block in group.iter_mut() {
            if level == 0 {
                self.finish_inputs::<Q>(block)?;
            } else {
                self.finish_level::<Q>(block, level - 1)?;
            }
            block.shares.linear::<Q>(self.compiled.schedule.linear(level));
            if level < depth {
                self.begin_level::<Q>(block, level)?;
            } else if Q::TWO_PASSES == P::TWO_PASSES {
                self.begin_outputs(block)?;
            }
        }
        Ok(())
    }

    fn begin_inputs(&mut self, block: &mut Block<'a>, kept: &mut Kept) -> Result<(), SharingError> {
        let seating = self.seating;
        for (index, port) in seating.inputs.iter().enumerate() {
            if is_late::<P>(port) {
                let draws = transfer::input_keep::<P, Z2>(
                    &mut block.draws,
                    &mut block.shares,
                    port_input(port, &[]),
                );
                kept.inputs.push(draws);
                continue;
            }
            if port.owner == P::ROLE {
                self.load(index, &block.at)?;
            }
            let Block { shares, draws, .. } = &mut *block;
            let (scratch, input) = (&mut self.transfer, port_input(port, &self.buffer));
            if self.inputs_leave_ahead {
                transfer::input_again::<P, Z2>(draws, scratch, shares, input)?;
            } else {
                transfer::input_begin::<P, Z2>(&mut self.party, draws, scratch, shares, input)?;
            }
        }
        Ok(())
    }

    /// Copies the values of an input port, one run of words per bit, to the buffer.
    pub(super) fn load(&mut self, port: usize, at: &Range<usize>) -> Result<(), SharingError> {
        let lanes = self.values[port]
            .as_ref()
            .ok_or_else(|| SharingError::Shape(format!("input {port} has no values")))?;
        self.buffer.clear();
        for bit in lanes.bits() {
            self.buffer.extend(bit[at.clone()].iter().map(|word| Z2(*word)));
        }
        Ok(())
    }

    fn finish_inputs<Q: Role>(&mut self, block: &mut Block<'a>) -> Result<(), SharingError> {
        let seating = self.seating;
        for port in seating.inputs.iter().filter(|port| !is_late::<P>(port)) {
            let input = port_input(port, &[]);
            transfer::input_finish::<Q, Z2>(
                &mut self.party,
                &mut self.transfer,
                &mut block.shares,
                input,
            )?;
        }
        Ok(())
    }

    fn begin_level<Q: Role>(
        &mut self,
        block: &mut Block<'a>,
        level: usize,
    ) -> Result<(), SharingError> {
        let Block { shares, draws, .. } = block;
        let level = self.compiled.level(self.seating, level);
        level.begin::<Q>(&mut self.party, draws, &mut self.products, shares)
    }

    fn finish_level<Q: Role>(
        &mut self,
        block: &mut Block<'a>,
        level: usize,
    ) -> Result<(), SharingError> {
        let Block { shares, draws, .. } = block;
        let level = self.compiled.level(self.seating, level);
        level.finish::<Q>(&mut self.party, draws, &mut self.products, shares)
    }

    /// Sends what opens the outputs, where that needs no checks first.
    fn begin_outputs(&mut self, block: &mut Block<'a>) -> Result<(), SharingError> {
        let Some(pass) = &self.pass else { return Ok(()) };
        for port in &self.seating.outputs {
            let output = Output { receivers: &port.receivers, slots: &port.slots };
            self.opener.begin::<P>(&mut self.party, pass, &block.shares, output)?;
        }
        Ok(())
    }

    fn finish_outputs(
        &mut self,
        block: &mut Block<'a>,
        kept: &mut Kept,
    ) -> Result<(), SharingError> {
        for (index, port) in self.seating.outputs.iter().enumerate() {
            let mut receivers = port.receivers.clone();
            let Some(pass) = &self.pass else {
                kept.outputs.push(block.shares.subset(&port.slots));
                continue;
            };
            if Self::works_ahead() && receivers.contains(&P::ROLE) {
                kept.outputs.push(block.shares.subset(&port.slots));
                receivers.retain(|receiver| *receiver != P::ROLE);
            }
            let output = Output { receivers: &receivers, slots: &port.slots };
            let (party, at) = (&mut self.party, (index, &block.at));
            self.opener.take::<P>(party, pass, at, &block.shares, output)?;
        }
        Ok(())
    }

    /// The ahead role's online part after stored preprocessing: its late inputs, and the outputs
    /// that it learns. A group's inputs leave before its outputs are waited for.
    fn online_of_ahead(&mut self, kept: Vec<Vec<Kept>>) -> Result<(), SharingError> {
        for mut group in kept {
            self.party.mesh().set_step(0);
            for block in &mut group {
                self.send_late_inputs(block)?;
            }
            self.party.flush()?;
            self.owe(group)?;
        }
        self.take_owed(0)
    }

    fn send_late_inputs(&mut self, block: &mut Kept) -> Result<(), SharingError> {
        let late = self.seating.inputs.iter().enumerate().filter(|(_, port)| is_late::<P>(port));
        for ((index, _), draws) in late.zip(block.inputs.drain(..)) {
            self.load(index, &block.at)?;
            transfer::input_send_kept::<P, Z2>(&mut self.party, &draws, &self.buffer)?;
        }
        Ok(())
    }

    /// Puts off the outputs of a group; takes those that were put off for long enough.
    pub(super) fn owe(&mut self, group: Vec<Kept>) -> Result<(), SharingError> {
        if group.iter().any(|block| !block.outputs.is_empty()) {
            self.owed.push_back(group);
        }
        self.take_owed(self.compiled.groups_late)
    }

    /// Takes the outputs that were put off, except those of the latest `keep` groups. Without leave
    /// to open they stay.
    fn take_owed(&mut self, keep: usize) -> Result<(), SharingError> {
        let Some(pass) = &self.pass else { return Ok(()) };
        self.party.mesh().set_step(self.compiled.schedule.depth() as u32 + 1);
        while self.owed.len() > keep {
            for block in self.owed.pop_front().into_iter().flatten() {
                let mine = self.seating.outputs.iter().enumerate();
                let mine = mine.filter(|(_, port)| port.receivers.contains(&P::ROLE));
                for ((index, port), shares) in mine.zip(&block.outputs) {
                    let slots: Vec<u32> = (0..port.slots.len() as u32).collect();
                    let output = Output { receivers: &[P::ROLE], slots: &slots };
                    let at = (index, &block.at);
                    self.opener.take::<P>(&mut self.party, pass, at, shares, output)?;
                }
            }
        }
        Ok(())
    }
}

/// Whether this role gives the input, and only once preprocessing is stored.
fn is_late<P: Role>(port: &InputPort) -> bool {
    port.owner == P::ROLE && port.timing == Timing::Late
}

pub(super) fn port_input<'v>(port: &'v InputPort, values: &'v [Z2]) -> Input<'v, Z2> {
    Input { owner: port.owner, timing: port.timing, slots: &port.slots, values }
}
