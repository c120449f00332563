//! Which trees are grown when: public, and the same at both sides.

use super::Set;

/// How far an end is: what the next message is long, and what it is for, follows from it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Schedule {
    set: Set,
    /// Trees handed out so far, of all rounds.
    given: usize,
    /// Transfers of the last of them that nobody has yet.
    left: usize,
}

impl Schedule {
    /// Nothing yet.
    #[must_use]
    pub fn new(set: Set) -> Self {
        Schedule { set, given: 0, left: 0 }
    }

    /// Takes so many transfers; gives the blocks of the message that they need.
    pub fn take(&mut self, transfers: usize) -> usize {
        let (set, given) = (self.set, self.given);
        let fresh = transfers.saturating_sub(self.left).div_ceil(set.leaves());
        self.given += fresh;
        self.left = self.left + fresh * set.leaves() - transfers;
        // A round begins with each of these many trees, and the first began from elsewhere.
        let begun = |given: usize| given.saturating_sub(1) / set.given();
        let rounds = begun(self.given) - begun(given);
        (fresh + rounds * set.kept()) * set.depth()
    }

    /// Blocks of the message for so many transfers.
    #[must_use]
    pub fn message_blocks(mut self, transfers: usize) -> usize {
        self.take(transfers)
    }

    /// Transfers of a grown tree that nobody has yet.
    pub(super) fn left(&self) -> usize {
        self.left
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_has_the_trees_that_are_missing() {
        let set = Set::B10;
        let mut schedule = Schedule::new(set);
        let tree = set.depth();
        assert_eq!(tree, 10);
        assert_eq!(schedule.take(0), 0);
        assert_eq!(schedule.take(1), tree);
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
            let (mut whole, mut pieces) = (Schedule::new(set), Schedule::new(set));
            let each = 12_345;
            let sum: usize = (0..3000).map(|_| pieces.take(each)).sum();
            assert_eq!(whole.take(3000 * each), sum);
            assert_eq!(whole, pieces);
        }
    }
}
