//! Which trees are grown when: public, and the same at both sides.

use super::{NAMES, Set};
use std::fmt;

/// Rounds that follow on each other at most.
const ROUNDS: usize = 1 << 10;

/// A chain of rounds that follow on each other, from one start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Chain {
    /// The parameters of its rounds.
    pub set: Set,
    /// The number of rounds, at most.
    pub rounds: usize,
}

/// All that two ends have to have in common.
impl fmt::Display for Chain {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let steps: Vec<String> = self.set.steps().iter().map(|set| format!("{set:?}")).collect();
        write!(f, "{}, {NAMES} names, {} rounds", steps.join(" then "), self.rounds)
    }
}

impl Chain {
    /// Makes a chain of as many rounds as are good: 2^10.
    #[must_use]
    pub const fn new(set: Set) -> Self {
        Chain { set, rounds: ROUNDS }
    }

    /// Gives the number of transfers of the chain: a multiple of 64.
    #[must_use]
    pub const fn transfers(self) -> usize {
        self.rounds * self.set.given() * self.set.leaves()
    }

    /// Gives what goes between the two ends for `transfers` transfers in all, by as many chains as that takes: words of
    /// choices that start the chains, and blocks about trees.
    #[must_use]
    pub fn messages(self, transfers: usize) -> [usize; 2] {
        let blocks = |transfers| Schedule::new(self).take(transfers);
        let (whole, rest) = (transfers / self.transfers(), transfers % self.transfers());
        let starts = whole + usize::from(rest > 0);
        let whole = if whole > 0 { whole * blocks(self.transfers()) } else { 0 };
        [starts * self.set.start_words(), whole + blocks(rest)]
    }
}

/// The progress of an end. The length of the next message, and what it is for, follow from it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Schedule {
    chain: Chain,
    /// The number of trees handed out so far, of all rounds.
    given: usize,
    /// The number of transfers of the last tree that nobody has yet.
    left: usize,
}

impl Schedule {
    /// Makes the schedule of an end that has handed out nothing yet.
    #[must_use]
    pub fn new(chain: Chain) -> Self {
        Schedule { chain, given: 0, left: 0 }
    }

    /// Takes `transfers` transfers; gives the blocks of the message that they need.
    ///
    /// # Panics
    /// When there are fewer left.
    pub fn take(&mut self, transfers: usize) -> usize {
        assert!(transfers <= self.rest(), "no more transfers than a chain has");
        let (set, given) = (self.chain.set, self.given);
        let fresh = transfers.saturating_sub(self.left).div_ceil(set.leaves());
        self.given += fresh;
        self.left = self.left + fresh * set.leaves() - transfers;
        // A round begins with each of these many trees, and the first began from elsewhere.
        let begun = |given: usize| given.saturating_sub(1) / set.given();
        let rounds = begun(self.given) - begun(given);
        let start = if given == 0 && fresh > 0 { set.start_blocks() } else { 0 };
        start + (fresh + rounds * set.kept()) * set.depth()
    }

    /// Gives the blocks of the message for `transfers` transfers, without taking them.
    ///
    /// # Panics
    /// When there are fewer left.
    #[must_use]
    pub fn message_blocks(mut self, transfers: usize) -> usize {
        self.take(transfers)
    }

    /// Gives the number of transfers that are left of the chain.
    #[must_use]
    pub fn rest(&self) -> usize {
        let set = self.chain.set;
        self.left + (self.chain.rounds * set.given() - self.given) * set.leaves()
    }

    /// Gives the number of transfers of a grown tree that nobody has yet.
    pub(super) fn left(&self) -> usize {
        self.left
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_has_the_trees_that_are_missing() {
        let set = Set::L19;
        let mut schedule = Schedule::new(Chain::new(set));
        let (tree, start) = (set.depth(), set.start_blocks());
        assert_eq!((tree, start), (10, 538 * 8));
        assert_eq!(schedule.take(0), 0);
        assert_eq!(schedule.take(1), start + tree);
        assert_eq!(schedule.left(), 1023);
        assert_eq!(schedule.take(1023), 0);
        assert_eq!(schedule.message_blocks(1025), 2 * tree);
        assert_eq!(schedule.take(1025), 2 * tree);
        // All of the round, and one more transfer.
        assert_eq!(schedule.take(set.given() * 1024 - 2049), (set.given() - 3) * tree);
        assert_eq!(schedule.left(), 0);
        assert_eq!(schedule.take(1), (set.kept() + 1) * tree);
        assert_eq!(
            schedule.take(2 * set.given() * 1024 - 1),
            (2 * set.trees() - 1 - set.kept()) * tree
        );
    }

    #[test]
    fn pieces_take_as_much_as_the_whole() {
        for set in Set::ALL {
            let chain = Chain::new(set);
            let (mut whole, mut pieces) = (Schedule::new(chain), Schedule::new(chain));
            let each = 12_345;
            let sum: usize = (0..3000).map(|_| pieces.take(each)).sum();
            assert_eq!(whole.take(3000 * each), sum);
            assert_eq!(whole, pieces);
            assert_eq!(whole.rest(), chain.transfers() - 3000 * each);
        }
    }

    #[test]
    fn chains_end_and_others_start_anew() {
        let set = Set::S16;
        let chain = Chain { set, rounds: 3 };
        let [words, depth] = [set.start_words(), set.depth()];
        // Three rounds, two of which keep trees back.
        let all = 3 * set.given() + 2 * set.kept();
        assert_eq!(chain.messages(0), [0, 0]);
        assert_eq!(chain.messages(1), [words, depth]);
        assert_eq!(chain.messages(chain.transfers()), [words, all * depth]);
        assert_eq!(chain.messages(chain.transfers() + 1), [2 * words, (all + 1) * depth]);
        assert_eq!(chain.messages(3 * chain.transfers()), [3 * words, 3 * all * depth]);
        // As the product uses them: 2^31 transfers, of which starts are a hundredth of a percent.
        let chain = Chain::new(Set::L21);
        assert_eq!(chain.transfers(), 2_170_552_320);
        let [words, _] = chain.messages(chain.transfers());
        let start = 32 * words + 16 * 8 * Set::L21.start_blocks();
        assert!((start as f64) < 0.001 * chain.transfers() as f64);
    }

    #[test]
    #[should_panic(expected = "no more transfers")]
    fn a_chain_gives_no_more_than_it_has() {
        let chain = Chain { set: Set::S16, rounds: 1 };
        let mut schedule = Schedule::new(chain);
        schedule.take(chain.transfers());
        schedule.take(1);
    }
}
