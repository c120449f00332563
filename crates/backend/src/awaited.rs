//! What roles wait for, by the links over which it comes: messages over different links that are waited for come one after the
//! other, so that links are idle in between.

use crate::cost::{Links, Traffic};
use std::ops::AddAssign;
use tacit_sharing::Protocol;

/// Roles up to which links are told apart: where there are more, all wait for each other alike.
const MOST: usize = 4;

/// Online messages by the links that are waited for together. Empty under protocols with more than four roles.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Awaited(Vec<Wait>);

/// Steps in which roles wait for the same links.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wait {
    /// The assignment of roles, by number: what different ones wait for is waited for at the same time.
    pub assignment: usize,
    /// How many there are.
    pub steps: u64,
    /// Bytes that are waited for, of all of them.
    pub bytes: Traffic,
    /// Bytes that roles send for them on all streams, each byte in one wait alone.
    pub sent: Traffic,
    /// Bytes online of the largest step, over its busiest link.
    pub largest: u64,
}

impl Awaited {
    /// One more wait, for the online part of these bytes, in so many steps of equal size.
    pub fn step(&mut self, protocol: Protocol, steps: u64, bytes: &Traffic) {
        if protocol.parties() <= MOST {
            let on = Traffic { on: bytes.on.clone(), ..Traffic::default() };
            let largest = on.busiest() / steps.max(1);
            self.add(Wait { assignment: 0, steps, bytes: on, sent: bytes.clone(), largest });
        }
    }

    /// One more wait, for what another one counts as sent.
    pub fn hear(&mut self, protocol: Protocol, steps: u64, on: Links) {
        if protocol.parties() <= MOST {
            let bytes = Traffic { on, ..Traffic::default() };
            let sent = Traffic::default();
            self.add(Wait { assignment: 0, steps, bytes, sent, largest: 0 });
        }
    }

    /// All waits.
    pub fn iter(&self) -> impl Iterator<Item = &Wait> {
        self.0.iter()
    }

    /// With what another worker, of this assignment of roles, waits for at the same time.
    pub fn beside(&mut self, assignment: usize, other: &Awaited) {
        for wait in other.iter() {
            match self.alike(assignment, &wait.bytes.on) {
                Some(own) => {
                    own.steps = own.steps.max(wait.steps);
                    own.bytes += &wait.bytes;
                    own.sent += &wait.sent;
                    own.largest += wait.largest;
                }
                None => self.0.push(Wait { assignment, ..wait.clone() }),
            }
        }
    }

    fn alike(&mut self, assignment: usize, on: &Links) -> Option<&mut Wait> {
        let used = used(on);
        let alike =
            |wait: &&mut Wait| wait.assignment == assignment && self::used(&wait.bytes.on) == used;
        self.0.iter_mut().find(alike)
    }

    /// The same between other roles.
    #[must_use]
    pub fn between(&self, there: impl Fn(&Traffic) -> Traffic) -> Self {
        let mut out = Awaited::default();
        for wait in self.iter() {
            let (bytes, sent) = (there(&wait.bytes), there(&wait.sent));
            out.add(Wait { bytes, sent, ..*wait });
        }
        out
    }

    fn add(&mut self, more: Wait) {
        if used(&more.bytes.on) == 0 {
            return;
        }
        match self.alike(more.assignment, &more.bytes.on) {
            Some(wait) => {
                wait.steps += more.steps;
                wait.bytes += &more.bytes;
                wait.sent += &more.sent;
                wait.largest = wait.largest.max(more.largest);
            }
            None => self.0.push(more),
        }
    }
}

impl AddAssign<&Awaited> for Awaited {
    /// What comes after it.
    fn add_assign(&mut self, more: &Awaited) {
        more.iter().for_each(|wait| self.add(wait.clone()));
    }
}

/// The links that carry something, a bit each.
fn used(on: &Links) -> u16 {
    let mut used = 0;
    for (from, sent) in on.iter().enumerate().take(MOST) {
        for (to, bytes) in sent.iter().enumerate().take(MOST) {
            used |= u16::from(*bytes > 0) << (MOST * from + to);
        }
    }
    used
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocols::{REPLICATED, TRIO};
    use tacit_net::Stream;

    #[test]
    fn waits_for_the_same_links_are_added_up() {
        let over = |from, to, bytes| Traffic::default().sent(from, to, Stream::On, bytes);
        let mut all = Awaited::default();
        all.step(TRIO, 1, &(over(1, 2, 10) + over(2, 1, 10)));
        all.step(TRIO, 3, &(over(1, 2, 5) + over(2, 1, 7)));
        all.step(TRIO, 1, &over(0, 1, 4));
        all.step(REPLICATED, 1, &Traffic::default().sent(0, 1, Stream::Pre, 4));
        let found: Vec<(u64, u64, u64)> = all
            .iter()
            .map(|wait| (wait.steps, wait.bytes.link(1, 2), wait.bytes.link(0, 1)))
            .collect();
        assert_eq!(found, [(4, 15, 0), (1, 0, 4)]);
        // The largest step is the first of ten bytes; three of seven in all are smaller.
        assert_eq!(all.iter().map(|wait| wait.largest).collect::<Vec<_>>(), [10, 4]);
        let mut heard = all.clone();
        heard.hear(TRIO, 2, (over(1, 2, 3) + over(2, 1, 3)).on);
        let found: Vec<_> =
            heard.iter().map(|it| (it.steps, it.bytes.link(1, 2), it.sent.link(1, 2))).collect();
        assert_eq!(found, [(6, 18, 15), (1, 0, 0)]);
        let mut twice = all.clone();
        twice += &all;
        assert_eq!(twice.iter().map(|wait| wait.steps).collect::<Vec<_>>(), [8, 2]);
        // Two workers of an assignment share its links; another assignment is told apart.
        let mut beside = Awaited::default();
        [0, 0, 1].into_iter().for_each(|assignment| beside.beside(assignment, &all));
        let found: Vec<_> = beside
            .iter()
            .map(|it| (it.assignment, it.steps, it.bytes.link(1, 2) + it.bytes.link(0, 1)))
            .collect();
        assert_eq!(found, [(0, 4, 30), (0, 1, 8), (1, 4, 15), (1, 1, 4)]);
    }
}
