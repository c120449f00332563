//! Rounds one after the other: what both sides do alike.

use super::{Schedule, Setting};
use crate::OtError;
use std::sync::Arc;
use tacit_ring::Buffer;

/// Correlated OTs that a round takes, in the blocks of one side. They never leave this module but to the
/// code and to trees: who sees one of them learns where the noise is.
pub(super) struct Kept(Buffer<u128>);

impl Kept {
    /// The blocks of a round, or some more.
    pub fn new(setting: &Setting, blocks: Buffer<u128>) -> Self {
        assert!(blocks.len() >= setting.set.base(), "as many blocks as a round takes");
        Kept(blocks)
    }
}

/// A round under way.
struct Round {
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
        let schedule = Schedule::new(setting.set);
        let tree = Buffer::zeros(setting.set.leaves());
        let round = Round { number: 0, kept, grown: 0 };
        Supply { setting, round, schedule, tree }
    }

    /// Blocks of the message for so many transfers.
    pub fn message_blocks(&self, transfers: usize) -> usize {
        self.schedule.message_blocks(transfers)
    }

    /// Fills `out` with the next transfers.
    pub fn take(&mut self, ends: &mut impl Grow, out: &mut [u128]) -> Result<(), OtError> {
        let left = self.schedule.left();
        self.schedule.take(out.len());
        let leaves = self.setting.set.leaves();
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
        let set = self.setting.set;
        if self.round.grown == set.given() {
            let mut next = Buffer::zeros(set.kept() * set.leaves());
            for tree in next.chunks_exact_mut(set.leaves()) {
                self.round.tree(&self.setting, ends, tree)?;
            }
            let kept = Kept::new(&self.setting, next);
            self.round = Round { number: self.round.number + 1, kept, grown: 0 };
        }
        self.round.tree(&self.setting, ends, tree)
    }
}

impl Round {
    fn tree(
        &mut self,
        setting: &Setting,
        ends: &mut impl Grow,
        leaves: &mut [u128],
    ) -> Result<(), OtError> {
        let (set, tree) = (setting.set, self.grown);
        self.grown += 1;
        let (secrets, levels) = self.kept.0[..set.base()].split_at(set.secrets());
        let levels = &levels[tree * set.depth()..][..set.depth()];
        ends.grow(setting, levels, leaves)?;
        setting.code.add((self.number, tree), secrets, leaves);
        Ok(())
    }
}

#[cfg(test)]
impl Supply {
    /// Where the noise of a tree is that was handed out in the present round.
    pub fn noise(&self, tree: usize, given: &[u128]) -> Vec<usize> {
        let mut leaves = given.to_vec();
        let secrets = &self.round.kept.0[..self.setting.set.secrets()];
        self.setting.code.add((self.round.number, tree), secrets, &mut leaves);
        (0..leaves.len()).filter(|i| leaves[*i] & 1 == 1).collect()
    }
}
