//! Rounds one after the other: what both sides do alike.

use super::{Schedule, Set, Setting};
use crate::OtError;
use std::sync::Arc;
use tacit_ring::Buffer;

/// Correlated OTs that a round takes, in the blocks of one side. They never leave this module but to the
/// code and to trees: who sees one of them learns where the noise is.
pub(super) struct Kept(Buffer<u128>);

impl Kept {
    /// The blocks of the first round, or some more.
    pub fn new(setting: &Setting, blocks: Buffer<u128>) -> Self {
        Kept::of(setting.codes[0].set(), blocks)
    }

    fn of(set: Set, blocks: Buffer<u128>) -> Self {
        assert!(blocks.len() >= set.base(), "as many blocks as a round takes");
        Kept(blocks)
    }
}

/// A round under way.
struct Round {
    /// Which of the setting's codes: the last one's transfers are handed out.
    step: usize,
    /// Among those of its code.
    number: u64,
    kept: Kept,
    /// Trees grown so far: each once.
    grown: usize,
}

/// What one end of a pair makes transfers from.
pub(super) struct Supply {
    setting: Arc<Setting>,
    round: Round,
    schedule: Schedule,
    /// The last tree: what nobody has yet is at its end.
    tree: Buffer<u128>,
}

/// Grows a tree from the blocks of its levels.
pub(super) trait Grow {
    fn grow(
        &mut self,
        setting: &Setting,
        levels: &[u128],
        leaves: &mut [u128],
    ) -> Result<(), OtError>;
}

impl Supply {
    pub fn new(setting: Arc<Setting>, kept: Kept) -> Self {
        let schedule = Schedule::new(setting.chain);
        let tree = Buffer::zeros(setting.chain.set.leaves());
        let round = Round { step: 0, number: 0, kept, grown: 0 };
        Supply { setting, round, schedule, tree }
    }

    /// Blocks of the message for so many transfers.
    pub fn message_blocks(&self, transfers: usize) -> usize {
        self.schedule.message_blocks(transfers)
    }

    /// Transfers that are left of the chain.
    pub fn rest(&self) -> usize {
        self.schedule.rest()
    }

    /// Fills `out` with the next transfers.
    pub fn take(&mut self, ends: &mut impl Grow, out: &mut [u128]) -> Result<(), OtError> {
        let left = self.schedule.left();
        self.schedule.take(out.len());
        let leaves = self.setting.chain.set.leaves();
        let (first, rest) = out.split_at_mut(left.min(out.len()));
        first.copy_from_slice(&self.tree[leaves - left..][..first.len()]);
        let (whole, last) = rest.split_at_mut(rest.len() / leaves * leaves);
        for tree in whole.chunks_exact_mut(leaves) {
            self.give(ends, tree)?;
        }
        if !last.is_empty() {
            let mut tree = std::mem::take(&mut self.tree);
            let grown = self.give(ends, &mut tree);
            last.copy_from_slice(&tree[..last.len()]);
            self.tree = tree;
            grown?;
        }
        Ok(())
    }

    /// The next tree of those that are handed out.
    fn give(&mut self, ends: &mut impl Grow, tree: &mut [u128]) -> Result<(), OtError> {
        let (set, last) = (self.setting.chain.set, self.setting.codes.len() - 1);
        while self.round.step < last || self.round.grown == set.given() {
            self.round = self.next_round(ends)?;
        }
        self.round.tree(&self.setting, ends, tree)
    }

    /// The round that starts from what the present one makes, or keeps back.
    fn next_round(&mut self, ends: &mut impl Grow) -> Result<Round, OtError> {
        let (codes, step, number) = (&self.setting.codes, self.round.step, self.round.number);
        let (step, number) =
            if step + 1 < codes.len() { (step + 1, 0) } else { (step, number + 1) };
        let (set, leaves) = (codes[step].set(), codes[self.round.step].set().leaves());
        let mut next = Buffer::zeros(set.base().div_ceil(leaves) * leaves);
        for tree in next.chunks_exact_mut(leaves) {
            self.round.tree(&self.setting, ends, tree)?;
        }
        Ok(Round { step, number, kept: Kept::of(set, next), grown: 0 })
    }
}

impl Round {
    fn tree(
        &mut self,
        setting: &Setting,
        ends: &mut impl Grow,
        leaves: &mut [u128],
    ) -> Result<(), OtError> {
        let (code, tree) = (&setting.codes[self.step], self.grown);
        let set = code.set();
        self.grown += 1;
        let (secrets, levels) = self.kept.0[..set.base()].split_at(set.secrets());
        let levels = &levels[tree * set.depth()..][..set.depth()];
        ends.grow(setting, levels, leaves)?;
        code.add((self.number, tree), secrets, leaves);
        Ok(())
    }
}

#[cfg(test)]
impl Supply {
    /// Where the noise of a tree is that was handed out in the present round.
    pub fn noise(&self, tree: usize, given: &[u128]) -> Vec<usize> {
        let mut leaves = given.to_vec();
        let code = &self.setting.codes[self.round.step];
        let secrets = &self.round.kept.0[..code.set().secrets()];
        code.add((self.round.number, tree), secrets, &mut leaves);
        (0..leaves.len()).filter(|i| leaves[*i] & 1 == 1).collect()
    }
}
