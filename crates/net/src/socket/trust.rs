//! Wrong keys: which peers came with the right one, and what was shown in place of the others.
//!
//! A wrong key is either a mistake (a party has a new key, or somebody mixed up cards) or somebody
//! on the way who answers in a party's place; nobody here can tell which. One wrong key ends
//! nothing: whoever is on the way for a moment could end every run with it. But a mistake does
//! not mend itself, and waiting until the limit helps nobody. So the same wrong key, shown several
//! times over some time at the peer's own address, ends the set-up, unless the right key was
//! seen there too. An attacker who is there all that time gains nothing that it could not have by
//! dropping all packets.

use crate::error::NetError;
use crate::identity::Fingerprint;
use crate::types::Peer;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// A wrong key counts once it was shown so often.
const LEAST_TIMES: u32 = 3;
/// How long the one who dials tries on. The one who listens waits for half of it, so that it has
/// seen enough when the other gives up.
pub(crate) const DIALER_PATIENCE: Duration = Duration::from_secs(2);
pub(crate) const LISTENER_PATIENCE: Duration = Duration::from_secs(1);

#[derive(Default)]
struct Record {
    met: bool,
    doubt: Option<Doubt>,
}

struct Doubt {
    key: Fingerprint,
    at_home: bool,
    since: Instant,
    times: u32,
    error: NetError,
}

/// What this party knows of the keys of all peers.
pub(crate) struct Trust(Mutex<Vec<Record>>);

impl Trust {
    pub(crate) fn new(parties: usize) -> Trust {
        Trust(Mutex::new((0..parties).map(|_| Record::default()).collect()))
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Record>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The peer proved that it holds the right key.
    pub(crate) fn met(&self, peer: usize) {
        if let Some(record) = self.lock().get_mut(peer) {
            *record = Record { met: true, doubt: None };
        }
    }

    pub(crate) fn is_met(&self, peer: usize) -> bool {
        self.lock().get(peer).is_some_and(|record| record.met)
    }

    /// A wrong key was shown in the peer's place, or it did not know this party's: `error` says
    /// so. `at_home`: at the address that the peer is known to have.
    pub(crate) fn doubt(&self, peer: usize, key: Fingerprint, at_home: bool, error: NetError) {
        let mut records = self.lock();
        let Some(record) = records.get_mut(peer).filter(|record| !record.met) else {
            return;
        };
        match &mut record.doubt {
            Some(doubt) if doubt.at_home && !at_home => {}
            Some(doubt) if doubt.key == key && doubt.at_home == at_home => doubt.times += 1,
            doubt => {
                let since = Instant::now();
                *doubt = Some(Doubt { key, at_home, since, times: 1, error });
            }
        }
    }

    /// The error to end the set-up with, once a wrong key stays.
    pub(crate) fn lasting(&self, peer: usize, patience: Duration) -> Option<NetError> {
        let records = self.lock();
        let doubt = records.get(peer)?.doubt.as_ref()?;
        let lasts =
            doubt.at_home && doubt.times >= LEAST_TIMES && doubt.since.elapsed() >= patience;
        lasts.then(|| doubt.error.clone())
    }

    /// The error of a peer that did not come in time, if a wrong key was shown in its place.
    pub(crate) fn last(&self, peer: usize) -> Option<NetError> {
        Some(self.lock().get(peer)?.doubt.as_ref()?.error.clone())
    }
}

/// Somebody showed another key than the one pinned for `peer`; `who` begins the sentence.
pub(crate) fn wrong_key(
    peer: &Arc<Peer>,
    who: &str,
    shown: Fingerprint,
    owner: Option<&str>,
    pinned: Option<Fingerprint>,
) -> NetError {
    let name = &peer.name;
    let owner = owner.map_or_else(String::new, |owner| format!(", which is {owner}'s"));
    let pinned = pinned.map_or_else(String::new, |f| format!(" {f}"));
    NetError::Unauthorised {
        peer: peer.clone(),
        hint: format!(
            "{who} the key {shown}{owner}; expected from {name} is{pinned}. If {name} has a new key, get \
             its card again and compare the fingerprint by telephone; if not, somebody else answers in \
             its place, or an address is wrong"
        ),
    }
}

/// `peer`, which proved its key, does not know this party's.
pub(crate) fn not_known(peer: &Arc<Peer>, me: &str, mine: Fingerprint) -> NetError {
    let name = &peer.name;
    NetError::Unauthorised {
        peer: peer.clone(),
        hint: format!(
            "it does not know this party's key {mine}: it has another for {me}, or none; give \
             {name} this party's card, and compare the fingerprint by telephone"
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NO_TIME: Duration = Duration::ZERO;
    const KEYS: [Fingerprint; 2] = [Fingerprint([1; 32]), Fingerprint([2; 32])];

    fn doubt(trust: &Trust, key: usize, at_home: bool) {
        trust.doubt(1, KEYS[key], at_home, NetError::Check(format!("key {key}")));
    }

    #[test]
    fn the_same_wrong_key_several_times_at_home_is_lasting() {
        let trust = Trust::new(2);
        doubt(&trust, 0, true);
        doubt(&trust, 0, true);
        assert!(trust.lasting(1, NO_TIME).is_none());
        doubt(&trust, 0, true);
        assert!(trust.lasting(1, NO_TIME).is_some());
        assert!(trust.lasting(1, DIALER_PATIENCE).is_none(), "not so soon");
        assert!(trust.lasting(0, NO_TIME).is_none());
    }

    #[test]
    fn changing_keys_and_claims_from_elsewhere_are_never_lasting() {
        let trust = Trust::new(2);
        for i in 0..10 {
            doubt(&trust, i % 2, true);
            assert!(trust.lasting(1, NO_TIME).is_none());
        }
        let trust = Trust::new(2);
        for _ in 0..10 {
            doubt(&trust, 0, false);
        }
        assert!(trust.lasting(1, NO_TIME).is_none());
        assert!(trust.last(1).is_some(), "but it is said at the end");
    }

    #[test]
    fn who_showed_the_right_key_is_not_doubted() {
        let trust = Trust::new(2);
        (0..3).for_each(|_| doubt(&trust, 0, true));
        trust.met(1);
        (0..3).for_each(|_| doubt(&trust, 0, true));
        assert!(trust.lasting(1, NO_TIME).is_none());
        assert!(trust.last(1).is_none());
    }
}
