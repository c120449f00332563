//! Witnesses: how far a node's state was, as its peers keep it. A node that is shown a later state of its own was put back to an
//! older one, by a backup, a disk snapshot or a copy of a machine.

use crate::effect::{Effect, Table};
use crate::message::Message;
use crate::node::Node;
use crate::safeguard::Safeguard;
use crate::session::{Ending, Failure, Stage};
use crate::sign::{Domain, Statements};
use crate::state::{Witness, begins};
use serde_json::json;

impl<S: Statements> Node<S> {
    /// How far this node's state is.
    fn own_witness(&self) -> Witness {
        let life = self.lives.last().map(|life| life.hash.clone()).unwrap_or_default();
        let mut witness = Witness {
            party: self.me(),
            era: self.era,
            life,
            commits: self.commits_now(),
            seq: self.head.seq,
            hash: self.head.hash.clone(),
            charges: self.charges_known(),
            signature: String::new(),
        };
        witness.signature = self.signer.sign(Domain::Witness, &witness.statement(&self.group));
        witness
    }

    /// Tells a peer how far this node's state is, and what it keeps of the peer's.
    pub(crate) fn say_witness(&mut self, peer: &str) {
        let mine = self.own_witness();
        let yours = self.witnesses.get(peer).cloned();
        let heard = self.confirmed.contains_key(peer);
        self.send(peer, Message::Witness { mine, yours, heard });
    }

    /// Tells all peers, as a result is about to open.
    pub(crate) fn say_witness_to_all(&mut self) {
        for peer in self.links.clone() {
            self.say_witness(&peer);
        }
    }

    /// Tells peers that have not shown that they know.
    pub(crate) fn say_witnesses(&mut self) {
        let now = (self.era, self.commits_now());
        let behind = |peer: &&String| self.confirmed.get(*peer) != Some(&now);
        for peer in self.links.iter().filter(behind).cloned().collect::<Vec<_>>() {
            if self.may_say(&peer, "witness".into()) {
                self.say_witness(&peer);
            }
        }
    }

    /// Whether all peers have shown what they keep of this node's state, since they are connected.
    pub(crate) fn is_witnessed(&self) -> bool {
        let peers = self.config.fingerprints.keys().filter(|peer| **peer != self.config.me);
        peers.clone().all(|peer| self.confirmed.contains_key(peer) && self.links.contains(peer))
            || !self.holds(Safeguard::Witness)
    }

    /// A peer says how far its state is, and shows what it keeps of this node's.
    pub(crate) fn witness_heard(
        &mut self,
        from: &str,
        mine: Witness,
        (yours, heard): (Option<Witness>, bool),
    ) {
        let signed = |key: Option<&String>, it: &Witness| {
            let verify = |key: &String| {
                let statement = it.statement(&self.group);
                self.signer.verify(key, Domain::Witness, &statement, &it.signature)
            };
            key.is_some_and(verify)
        };
        let newer = self.witnesses.get(from).is_none_or(|known| known.age() < mine.age());
        // Who has not heard yet what is kept of it may have forgotten that.
        let news = heard && mine.party == from && newer && signed(self.keys.get(from), &mine);
        let own = self.signer.public();
        let yours = yours.filter(|it| it.party == self.config.me && signed(Some(&own), it));
        let shown = yours.as_ref().map_or((0, 0), Witness::age);
        self.confirmed.insert(from.to_owned(), shown);
        if let Some(later) = yours.filter(|it| self.is_later(it)) {
            self.rolled_back(from, Some(later));
        }
        if news {
            self.put(Table::Witnesses, from, &mine);
            self.witnesses.insert(from.to_owned(), mine);
        }
        if news || !heard {
            self.say_witness(from);
        }
        self.settle_restarted();
    }

    /// Whether what this node once signed is of a state that the one it has does not come from.
    fn is_later(&self, witness: &Witness) -> bool {
        if !self.holds(Safeguard::Witness) {
            return false;
        }
        if witness.era != self.era {
            return witness.era > self.era;
        }
        // Another entry of the same number: the state went on from a copy.
        let known = witness.seq.checked_sub(1).and_then(|at| self.entries.get(at as usize));
        if *known.unwrap_or(&0) != begins(&witness.hash) {
            return true;
        }
        let Some(life) = self.lives.iter().position(|life| life.hash == witness.life) else {
            return true;
        };
        // What was written in that life, as far as it is known here.
        let next = self.lives.get(life + 1);
        let end = next.map_or(self.commits_now(), |next| next.commit.saturating_sub(1));
        witness.commits > end
    }

    /// After a restart: attempts that ran have ended, and how. It is said once all peers have shown that the state is the newest
    /// one: it would be another word than the one that was said of them, if that is forgotten.
    pub(crate) fn restarted(&mut self, has_results: &dyn Fn(&str, u32) -> bool) {
        if !self.holds(Safeguard::Restart) {
            return;
        }
        for (id, session) in &self.sessions {
            for (number, attempt) in &session.attempts {
                let ending = match attempt.stage {
                    Stage::Over => continue,
                    Stage::Released if has_results(id, *number) => Ending::Computed,
                    _ => Ending::Failed(Failure::Restarted),
                };
                self.stopped.insert((id.clone(), *number), ending);
            }
        }
    }

    /// Says how attempts ended that ran when the node stopped, once that is certain, and lets the shell delete what is left of an
    /// earlier time.
    pub(crate) fn settle_restarted(&mut self) {
        if self.recovery.is_none() && self.is_witnessed() {
            if !std::mem::replace(&mut self.swept, true) {
                self.effect(Effect::Sweep);
            }
            for ((id, number), ending) in std::mem::take(&mut self.stopped) {
                self.own_outcome(&id, number, ending);
            }
        }
    }

    pub(crate) fn audit_rolled_back(&mut self, by: &str, later: Option<&Witness>) {
        let own = json!({ "era": self.era, "commits": self.commits_now() });
        let shown =
            later.map(|it| json!({ "era": it.era, "commits": it.commits, "hash": it.hash }));
        self.audit("rolled_back", json!({ "own": own, "shown": shown, "by": by }));
    }
}
