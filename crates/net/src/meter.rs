//! What a mesh sent, received and waited for: by peer, stream and phase, and by step on request.
//!
//! Counting costs a few additions per message, so it is always on. Bytes are those that the
//! protocol handed over (TLS and TCP overhead is not in them), messages are calls of `send`.

use crate::types::{PartyId, Phase, Place, Stream};
use serde::Serialize;
use std::collections::{BTreeMap, HashSet};
use std::ops::AddAssign;

/// Counters of one thing that the meter distinguishes.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default, Serialize)]
pub struct Count {
    /// Payload bytes handed to `send`.
    pub bytes_sent: u64,
    /// Calls of `send` with at least one byte.
    pub messages_sent: u64,
    /// Payload bytes taken by `recv`.
    pub bytes_received: u64,
    /// Calls of `recv` with at least one byte.
    pub messages_received: u64,
    /// Nanoseconds spent waiting for the peer (virtual time on the memory transport).
    pub waited_ns: u64,
}

impl AddAssign for Count {
    fn add_assign(&mut self, o: Count) {
        self.bytes_sent += o.bytes_sent;
        self.messages_sent += o.messages_sent;
        self.bytes_received += o.bytes_received;
        self.messages_received += o.messages_received;
        self.waited_ns += o.waited_ns;
    }
}

/// The counters of one mesh, or the sum over several meshes of one party.
#[derive(Clone, Debug, Default)]
pub struct Meter {
    parties: usize,
    counts: Vec<Count>,
    online_steps: HashSet<u32>,
    last_online_step: Option<u32>,
    steps: Option<BTreeMap<(Phase, u32), Count>>,
}

impl Meter {
    pub(crate) fn new(parties: usize) -> Meter {
        Meter {
            parties,
            counts: vec![Count::default(); parties * Stream::COUNT * Phase::COUNT],
            ..Meter::default()
        }
    }

    /// Gives the counters of one peer, stream and phase (zero for a peer that does not exist).
    #[must_use]
    pub fn count(&self, peer: PartyId, stream: Stream, phase: Phase) -> Count {
        self.counts.get(slot(peer.index(), stream, phase)).copied().unwrap_or_default()
    }

    /// Gives the sum of the counters that `wanted` picks.
    pub fn total(&self, wanted: impl Fn(PartyId, Stream, Phase) -> bool) -> Count {
        let mut sum = Count::default();
        for (peer, stream, phase, count) in self.entries() {
            if wanted(peer, stream, phase) {
                sum += count;
            }
        }
        sum
    }

    /// Gives every non-zero counter.
    pub fn entries(&self) -> impl Iterator<Item = (PartyId, Stream, Phase, Count)> + '_ {
        PartyId::all(self.parties)
            .flat_map(|peer| Stream::ALL.map(|stream| (peer, stream)))
            .flat_map(|(peer, stream)| Phase::ALL.map(|phase| (peer, stream, phase)))
            .map(|(p, s, ph)| (p, s, ph, self.count(p, s, ph)))
            .filter(|(.., count)| *count != Count::default())
    }

    /// Gives the number of rounds: of distinct steps of the online phase, and of openings, in which this party
    /// received on the stream `On`.
    #[must_use]
    pub fn rounds(&self) -> u64 {
        self.online_steps.len() as u64
    }

    /// Gives the counters by phase and step; empty unless [`crate::Mesh::meter_steps`] switched them on.
    pub fn steps(&self) -> impl Iterator<Item = (Phase, u32, Count)> + '_ {
        self.steps.iter().flatten().map(|(&(phase, step), &count)| (phase, step, count))
    }

    /// Adds what another mesh of the same party counted. Equal steps count as one round.
    pub fn merge(&mut self, other: &Meter) {
        if self.counts.len() < other.counts.len() {
            self.counts.resize(other.counts.len(), Count::default());
            self.parties = other.parties;
        }
        for (mine, &theirs) in self.counts.iter_mut().zip(&other.counts) {
            *mine += theirs;
        }
        self.online_steps.extend(&other.online_steps);
        if let Some(theirs) = &other.steps {
            let mine = self.steps.get_or_insert_default();
            for (&key, &count) in theirs {
                *mine.entry(key).or_default() += count;
            }
        }
    }

    pub(crate) fn keep_steps(&mut self, on: bool) {
        self.steps = on.then(BTreeMap::new);
    }

    pub(crate) fn reset(&mut self) {
        let by_step = self.steps.is_some();
        *self = Meter::new(self.parties);
        self.keep_steps(by_step);
    }

    #[inline]
    pub(crate) fn sent(&mut self, to: usize, stream: Stream, place: Place, bytes: usize, ns: u64) {
        self.add(
            to,
            stream,
            place,
            Count { bytes_sent: bytes as u64, messages_sent: 1, waited_ns: ns, ..Count::default() },
        );
    }

    #[inline]
    pub(crate) fn received(
        &mut self,
        from: usize,
        stream: Stream,
        place: Place,
        bytes: usize,
        ns: u64,
    ) {
        self.add(
            from,
            stream,
            place,
            Count {
                bytes_received: bytes as u64,
                messages_received: 1,
                waited_ns: ns,
                ..Count::default()
            },
        );
        let round = stream == Stream::On && matches!(place.phase, Phase::Online | Phase::Open);
        if round && self.last_online_step != Some(place.step) {
            self.last_online_step = Some(place.step);
            self.online_steps.insert(place.step);
        }
    }

    #[inline]
    fn add(&mut self, peer: usize, stream: Stream, place: Place, count: Count) {
        self.counts[slot(peer, stream, place.phase)] += count;
        if let Some(steps) = &mut self.steps {
            *steps.entry((place.phase, place.step)).or_default() += count;
        }
    }
}

fn slot(peer: usize, stream: Stream, phase: Phase) -> usize {
    (peer * Stream::COUNT + stream.index()) * Phase::COUNT + phase.index()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_by_peer_stream_phase_and_rounds_by_step() {
        let mut meter = Meter::new(3);
        let at = |step| Place { phase: Phase::Online, step };
        meter.sent(1, Stream::On, at(0), 10, 0);
        for step in [0, 0, 1, 0, 2] {
            meter.received(2, Stream::On, at(step), 5, 7);
        }
        meter.received(1, Stream::Def, at(9), 1, 0);
        assert_eq!(meter.rounds(), 3);
        // What opens in a step is waited for with the rest of it.
        for (phase, step) in [(Phase::Open, 2), (Phase::Open, 3), (Phase::Verify, 4)] {
            meter.received(2, Stream::Def, Place { phase, step }, 5, 0);
            meter.received(2, Stream::On, Place { phase, step }, 5, 0);
        }
        assert_eq!(meter.rounds(), 4);
        let on = meter.count(PartyId(2), Stream::On, Phase::Online);
        assert_eq!((on.bytes_received, on.messages_received, on.waited_ns), (25, 5, 35));
        assert_eq!(meter.total(|_, _, _| true).bytes_sent, 10);

        let mut sum = Meter::default();
        sum.merge(&meter);
        sum.merge(&meter);
        assert_eq!(sum.rounds(), 4);
        assert_eq!(sum.total(|_, s, _| s == Stream::On).bytes_received, 80);
    }
}
