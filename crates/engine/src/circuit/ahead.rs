//! The pass of a worker that works ahead, for roles of two passes ([`Role::TWO_PASSES`]).
//!
//! It takes groups of blocks through the same stages on the component of shares that no message
//! changes, and sends what peers wait for; the role itself follows. It may be ahead by a number of
//! bytes, wherever in a circuit that is: as much as peers, and this role's lagging half, must keep.

use super::predict::level_ahead;
use super::worker::{Block, Group, Worker, port_input};
use std::collections::VecDeque;
use std::ops::Range;
use tacit_ring::Z2;
use tacit_sharing::{Draws, Role, SharingError, transfer};

/// Bytes that the pass may be ahead: what a long fast line holds.
const AHEAD_BYTES: u64 = 32 << 20;
/// Windows that the pass may be ahead, where the job says how large a window is.
const WINDOWS_AHEAD: u64 = 16;

/// How far the pass is.
#[derive(Default)]
pub(super) struct Front<'k> {
    /// Places of groups that it has not begun, last first.
    pending: Vec<Vec<Range<usize>>>,
    /// Groups that it has begun, and the role itself has not.
    begun: VecDeque<Group<'k>>,
    /// The group that it is at, and the next level.
    blocks: Vec<Block<'k>>,
    level: usize,
    /// Bytes that it sent; those of levels that the role itself has come to.
    sent: u64,
    past: u64,
}

impl<'a, P: Role> Worker<'a, '_, P> {
    /// Both passes over all groups.
    pub(super) fn two_passes(&mut self) -> Result<(), SharingError> {
        self.inputs_leave_ahead = true;
        self.front.pending = self.groups();
        self.front.pending.reverse();
        loop {
            self.go_ahead(0)?;
            let Some(group) = self.front.begun.pop_front() else { return Ok(()) };
            self.finish_group(group, &mut Self::owe)?;
        }
    }

    /// Takes all groups through the pass, without this role's inputs: preprocessing.
    pub(super) fn all_groups_ahead(&mut self) -> Result<VecDeque<Group<'a>>, SharingError> {
        self.front.pending = self.groups();
        self.front.pending.reverse();
        while self.step_ahead()? {}
        Ok(std::mem::take(&mut self.front.begun))
    }

    /// The role itself comes to a level, of these bytes: the pass goes on as far as it may.
    pub(super) fn go_ahead(&mut self, bytes: u64) -> Result<(), SharingError> {
        let most = match self.compiled.job.blocking.window_bytes {
            0 => AHEAD_BYTES,
            window => WINDOWS_AHEAD * window as u64,
        };
        while self.front.sent < self.front.past + bytes.max(most) && self.step_ahead()? {}
        self.front.past += bytes;
        Ok(())
    }

    /// Bytes that this role sends ahead in a level, for some words of lanes.
    pub(super) fn bytes_ahead(&self, level: usize, blocks: &[Block<'_>]) -> u64 {
        let words: usize = blocks.iter().map(|block| block.at.len()).sum();
        level_ahead(self.compiled, self.seating, level, P::ROLE) * words as u64 * 8
    }

    /// The pass's next level; false at its end.
    fn step_ahead(&mut self) -> Result<bool, SharingError> {
        if self.front.blocks.is_empty() {
            let Some(places) = self.front.pending.pop() else { return Ok(false) };
            self.begin_ahead(places)?;
        }
        let mut blocks = std::mem::take(&mut self.front.blocks);
        let level = self.front.level;
        self.level::<P::Ahead>(&mut blocks, level)?;
        if level < self.compiled.schedule.depth() {
            self.front.sent += self.bytes_ahead(level, &blocks);
            self.front.level += 1;
            self.front.blocks = blocks;
        } else {
            self.reuse(blocks);
        }
        Ok(true)
    }

    /// Begins a group: the masks of all inputs, and this role's own inputs if nothing is stored.
    fn begin_ahead(&mut self, places: Vec<Range<usize>>) -> Result<(), SharingError> {
        let mut group = self.draw(places)?;
        let again =
            |(at, draws): &mut (_, Draws<'a>)| Some((Clone::clone(at), draws.ahead::<P>()?));
        let ahead: Option<Group<'a>> = group.iter_mut().map(again).collect();
        let mut blocks = self.blocks(ahead.unwrap_or_default());
        self.party.mesh().set_step(0);
        for block in &mut blocks {
            self.inputs_ahead(block)?;
        }
        if self.front.sent == 0 {
            // Peers wait for the first inputs; later ones leave long before they are wanted.
            self.party.flush()?;
        }
        self.front.begun.push_back(group);
        (self.front.blocks, self.front.level) = (blocks, 0);
        Ok(())
    }

    fn inputs_ahead(&mut self, block: &mut Block<'a>) -> Result<(), SharingError> {
        for (index, port) in self.seating.inputs.iter().enumerate() {
            let sends = self.inputs_leave_ahead && port.owner == P::ROLE;
            if sends {
                self.load(index, &block.at)?;
            }
            let Block { shares, draws, .. } = &mut *block;
            let (scratch, input) = (&mut self.transfer, port_input(port, &self.buffer));
            if sends {
                let party = &mut self.party;
                transfer::input_begin::<P::Ahead, Z2>(party, draws, scratch, shares, input)?;
            } else {
                transfer::input_masks::<P::Ahead, Z2>(draws, scratch, shares, input);
            }
        }
        Ok(())
    }
}
