//! Pieces that all parties send each other, some of them ahead of those that they take.

use tacit_net::Mesh;

/// What a party does next, with the piece of this number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Turn {
    Send(usize),
    Take(usize),
}

/// The turns of a party. So many pieces are on the way at most; fewer after a send that had to wait, since what
/// peers do not take has to be kept somewhere; more again where pieces have to be waited for.
pub(super) struct Turns {
    pieces: usize,
    most: usize,
    /// Pieces that may be on the way now.
    room: usize,
    sent: usize,
    taken: usize,
    last: Option<Turn>,
}

impl Turns {
    pub fn new(pieces: usize, most: usize) -> Self {
        Turns { pieces, most, room: most, sent: 0, taken: 0, last: None }
    }

    /// The next turn; the last one went over this mesh.
    pub fn next(&mut self, mesh: &mut Mesh) -> Option<Turn> {
        let waited = mesh.has_waited();
        self.after(waited)
    }

    fn after(&mut self, waited: bool) -> Option<Turn> {
        let ahead = self.sent - self.taken;
        match self.last {
            Some(Turn::Send(_)) if waited => self.room = (ahead * 3 / 4).max(1),
            Some(Turn::Take(_)) if waited => self.room = self.most.min(self.room + 1),
            _ => {}
        }
        self.last = if self.sent < self.pieces && ahead < self.room {
            self.sent += 1;
            Some(Turn::Send(self.sent - 1))
        } else if self.taken < self.pieces {
            self.taken += 1;
            Some(Turn::Take(self.taken - 1))
        } else {
            None
        };
        self.last
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All turns, where a turn waits as `waits` says of it and of how many pieces are on the way.
    fn turns(pieces: usize, most: usize, waits: impl Fn(Turn, usize) -> bool) -> Vec<Turn> {
        let mut turns = Turns::new(pieces, most);
        let (mut all, mut waited) = (vec![], false);
        while let Some(turn) = turns.after(waited) {
            waited = waits(turn, turns.sent - turns.taken);
            all.push(turn);
        }
        all
    }

    /// The most pieces on the way after so many turns.
    fn ahead(turns: &[Turn], skipped: usize) -> usize {
        let (mut ahead, mut most) = (0, 0);
        for (i, turn) in turns.iter().enumerate() {
            match turn {
                Turn::Send(_) => ahead += 1,
                Turn::Take(_) => ahead -= 1,
            }
            most = most.max(if i < skipped { 0 } else { ahead });
        }
        most
    }

    #[test]
    fn every_piece_is_sent_and_taken_once_in_order_and_sent_first() {
        for pieces in [0, 1, 2, 7, 50] {
            for most in [1, 3, 100] {
                for wait in [0, 1, 2, 3] {
                    let all = turns(pieces, most, |turn, ahead| match turn {
                        Turn::Send(_) => wait & 1 == 1 && ahead > 2,
                        Turn::Take(_) => wait & 2 == 2,
                    });
                    let numbers = |sends: bool| {
                        let of = all.iter().filter_map(move |turn| match (*turn, sends) {
                            (Turn::Send(i), true) | (Turn::Take(i), false) => Some(i),
                            _ => None,
                        });
                        of.collect::<Vec<_>>()
                    };
                    assert!(numbers(true).into_iter().eq(0..pieces));
                    assert!(numbers(false).into_iter().eq(0..pieces));
                    assert!(ahead(&all, 0) <= most.min(pieces));
                }
            }
        }
    }

    #[test]
    fn a_full_link_is_left_alone_and_an_empty_one_is_filled() {
        let full = turns(500, 100, |turn, ahead| matches!(turn, Turn::Send(_)) && ahead > 20);
        assert_eq!(ahead(&full, 0), 21);
        assert_eq!(ahead(&full, 30), 15, "no send waits any more");
        // A link that was full once, and is waited for then.
        let slow = |turn, ahead| match turn {
            Turn::Send(i) => i < 30 && ahead > 4,
            Turn::Take(_) => true,
        };
        assert_eq!(ahead(&turns(1000, 100, slow), 40), 100);
    }
}
