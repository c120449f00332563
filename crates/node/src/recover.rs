//! How a node whose state was put back learns again what it had released: from its own signatures, which its peers keep.

use crate::command::{Answer, Problem};
use crate::effect::Table;
use crate::message::{Message, Past};
use crate::node::{Node, Stored};
use crate::safeguard::Safeguard;
use crate::session::{
    Attempt, Beginning, Charge, Ending, Failure, Frozen, Outcome, Session, Stage, charge_key,
};
use crate::sign::{Domain, Statements};
use crate::witness::Witness;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// Attempts of one answer.
const PAGE: usize = 16;
/// The record's key.
pub(crate) const RECOVERY: &str = "recovery";
/// The version of a table of which nothing is known.
const UNKNOWN: &str = "unknown";

/// What a node has to learn again. While there is such a record it takes part in no attempt.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Recovery {
    /// Since when, in milliseconds of Unix time.
    since_ms: u64,
    /// The latest state of its own that it was shown.
    shown: Option<Witness>,
    /// Peers that have said all that they know.
    answered: BTreeSet<String>,
}

/// The record by which a state that is put back from a backup says so: whoever copies a state back adds it.
#[must_use]
pub fn put_back(now_ms: u64) -> Stored {
    let recovery = Recovery { since_ms: now_ms, ..Recovery::default() };
    // There are no numbers or keys in it that JSON lacks.
    let value = serde_json::to_vec(&recovery).unwrap_or_default();
    Stored { table: Table::State, key: RECOVERY.into(), value }
}

impl<S: Statements> Node<S> {
    fn save_recovery(&mut self) {
        match self.recovery.clone() {
            Some(recovery) => self.put(Table::State, RECOVERY, &recovery),
            None => self.remove(Table::State, RECOVERY),
        }
    }

    /// A peer has shown a later state of this node than the one it has.
    pub(crate) fn rolled_back(&mut self, by: &str, later: Witness) {
        let known = self.recovery.as_ref().and_then(|it| it.shown.as_ref());
        if known.is_some_and(|known| known.age() >= later.age()) {
            return;
        }
        self.audit_rolled_back(by, &later);
        let since_ms = self.recovery.as_ref().map_or(self.now.wall_ms, |it| it.since_ms);
        let answered = self.recovery.take().map(|it| it.answered).unwrap_or_default();
        self.recovery = Some(Recovery { since_ms, shown: Some(later), answered });
        self.save_recovery();
        // What was begun before anybody noticed cannot go on.
        self.reservations.clear();
        for id in self.proposals.keys().cloned().collect::<Vec<_>>() {
            self.back_off(&id);
        }
    }

    /// Asks peers for what they know of this node's attempts.
    pub(crate) fn say_recalls(&mut self) {
        let Some(recovery) = &self.recovery else { return };
        let silent = self.links.iter().filter(|peer| !recovery.answered.contains(*peer));
        for peer in silent.cloned().collect::<Vec<_>>() {
            if self.may_say(&peer, "recall".into()) {
                let after = self.recalled_to.get(&peer).cloned();
                self.send(&peer, Message::Recall { after });
            }
        }
    }

    /// A peer whose state was put back asks what is known here of its attempts.
    pub(crate) fn recall(&mut self, from: &str, after: Option<(String, u32)>) {
        if after.is_none() {
            // It may have forgotten studies, too.
            self.studies_known.retain(|(_, peer), _| peer != from);
        }
        let begun = self.sessions.iter().flat_map(|(id, session)| {
            session.attempts.iter().map(move |(number, attempt)| ((id, *number), attempt))
        });
        let behind = |(id, number): &(&String, u32)| {
            after.as_ref().is_none_or(|(session, attempt)| (*id, number) > (session, attempt))
        };
        let theirs = |attempt: &Attempt| attempt.beginning.nonces.contains_key(from);
        let mut found =
            begun.filter(|(key, attempt)| behind(key) && theirs(attempt)).map(|(key, attempt)| {
                let outcomes = attempt.outcomes.values().cloned().collect();
                ((key.0.clone(), key.1), Past { beginning: attempt.beginning.clone(), outcomes })
            });
        let page: Vec<((String, u32), Past)> = found.by_ref().take(PAGE).collect();
        let next = found.next().and_then(|_| page.last().map(|(key, _)| key.clone()));
        drop(found);
        let past = page.into_iter().map(|(_, past)| past).collect();
        self.send(from, Message::Recalled { after, past, next });
    }

    /// A peer says what it knows.
    pub(crate) fn recalled(
        &mut self,
        from: &str,
        after: Option<(String, u32)>,
        past: Vec<Past>,
        next: Option<(String, u32)>,
    ) {
        let asked = self.recalled_to.get(from).cloned();
        let waits = self.recovery.as_ref().is_some_and(|it| !it.answered.contains(from));
        if !waits || asked != after {
            return;
        }
        // Studies that are forgotten are told again first.
        if !past.iter().all(|past| self.studies.contains_key(&past.beginning.study)) {
            return;
        }
        for Past { beginning, outcomes } in past {
            self.remember(beginning, outcomes);
        }
        self.say_anew(from, "recall");
        match next {
            Some(next) => drop(self.recalled_to.insert(from.to_owned(), next)),
            None => {
                self.recalled_to.remove(from);
                if let Some(recovery) = &mut self.recovery {
                    recovery.answered.insert(from.to_owned());
                }
                self.save_recovery();
            }
        }
        self.say_recalls();
    }

    /// Knows an attempt again. What this party said of it counts by its signature. Where nobody knows what it said, the release
    /// counts if another party was let through its gate; and what this party says of it waits until all have answered.
    fn remember(&mut self, beginning: Beginning, outcomes: Vec<Outcome>) {
        if !self.is_whole(&beginning) {
            return;
        }
        let (id, number, me) = (beginning.session.clone(), beginning.attempt, self.me());
        let attempt_id = beginning.id();
        let own = self.signer.public();
        let mine = outcomes.iter().find(|it| {
            let signed =
                || self.signer.verify(&own, Domain::Outcome, &it.statement(), &it.signature);
            it.party == me && it.id == attempt_id && signed()
        });
        let mine = mine.cloned();
        let (wall, key) = (self.now.wall_ms, (id.clone(), number));
        // No other attempt of a session that was begun before may begin.
        let new = || Session::new(beginning.study.clone(), wall, 0);
        let session = self.sessions.entry(id.clone()).or_insert_with(new);
        if session.study != beginning.study {
            return;
        }
        session.expires_ms = session.expires_ms.min(wall);
        session.number = session.number.max(number);
        let table = beginning.inputs.get(&me).cloned();
        let unsaid = |it: &Attempt| it.id != attempt_id && !it.outcomes.contains_key(&me);
        if mine.is_some() && session.attempts.get(&number).is_some_and(unsaid) {
            // Somebody made the other one up.
            session.attempts.remove(&number);
        }
        let attempt = session.attempts.entry(number).or_insert_with(|| Attempt {
            id: attempt_id.clone(),
            beginning: beginning.clone(),
            stage: Stage::Running,
            outcomes: BTreeMap::new(),
            proof: None,
            began_ms: wall,
            settled: false,
        });
        if attempt.id != attempt_id {
            return;
        }
        match &mine {
            Some(mine) => {
                attempt.stage = Stage::Over;
                attempt.outcomes.insert(me.clone(), mine.clone());
                self.stopped.remove(&key);
            }
            None if attempt.stage != Stage::Over => {
                self.stopped.entry(key).or_insert(Ending::Failed(Failure::Restarted));
            }
            None => {}
        }
        for outcome in outcomes {
            self.outcome_heard(&id, number, outcome);
        }
        let Some(session) = self.sessions.get_mut(&id) else { return };
        let Some(attempt) = session.attempts.get_mut(&number) else { return };
        let released = match &mine {
            Some(mine) => mine.released,
            None => attempt.released(),
        };
        if released && attempt.stage == Stage::Running {
            attempt.stage = Stage::Released;
        }
        if released && self.holds(Safeguard::Recall) {
            self.charge_again(charge_key(&id, number), &beginning.study, table);
        }
        self.audit("remembered", json!({ "session": id, "attempt": number, "charged": released }));
        self.save_session(&id);
    }

    /// What follows from attempts that are known again, once all are.
    fn settle_remembered(&mut self) {
        let open = self.sessions.iter().filter(|(_, session)| session.end.is_none());
        let attempts =
            open.flat_map(|(id, it)| it.attempts.keys().map(|number| (id.clone(), *number)));
        for (id, number) in attempts.collect::<Vec<_>>() {
            self.outcomes_changed(&id, number);
        }
    }

    /// Charges a release that was forgotten.
    fn charge_again(&mut self, key: String, study: &str, table: Option<Frozen>) {
        let Some(known) = self.studies.get(study) else { return };
        let of_version = |version: &str| {
            let has = |it: &crate::Dataset| it.versions.iter().any(|it| it.version == version);
            self.datasets.iter().find(|(_, it)| has(it)).map(|(name, _)| name.clone())
        };
        let table = table.map(|frozen| {
            let dataset = of_version(&frozen.version).or_else(|| known.bound.clone());
            (dataset.unwrap_or_default(), frozen)
        });
        let label = known.document.terms.label.clone();
        // When it was is not known: it counts from now on.
        let charge = Charge { study: study.to_owned(), label, at_ms: self.now.wall_ms, table };
        if !self.ledger.contains_key(&key) {
            self.put(Table::Ledger, &key, &charge);
            self.ledger.insert(key, charge);
        }
    }

    /// Releases that are missing in the ledger.
    fn missing(&self) -> u64 {
        let shown = self.recovery.as_ref().and_then(|it| it.shown.as_ref());
        shown.map_or(0, |it| it.charges.saturating_sub(self.ledger.len() as u64))
    }

    /// Peers that have not said what they know.
    fn unanswered(&self) -> Vec<String> {
        let answered = self.recovery.as_ref().map(|it| it.answered.clone()).unwrap_or_default();
        let peers = self.config.fingerprints.keys().filter(|peer| **peer != self.config.me);
        peers.filter(|peer| !answered.contains(*peer)).cloned().collect()
    }

    /// Peers that have not said what they know, or are not connected.
    fn silent(&self) -> Vec<String> {
        let mut silent = self.unanswered();
        let peers = self.config.fingerprints.keys().filter(|peer| **peer != self.config.me);
        let away = peers.filter(|peer| !self.confirmed.contains_key(*peer));
        silent.extend(away.cloned());
        silent.sort();
        silent.dedup();
        silent
    }

    /// What operators are shown of it.
    pub(crate) fn recovery_view(&self) -> Value {
        let Some(recovery) = &self.recovery else { return Value::Null };
        json!({
            "since_ms": recovery.since_ms,
            "commits": self.commits_now(),
            "shown_commits": recovery.shown.as_ref().map(|it| it.commits),
            "waits_for": self.silent(),
            "charges": self.ledger.len(),
            "missing": self.missing(),
        })
    }

    /// The operator has seen that the state was put back, and says what nobody else knows: releases of studies.
    pub(crate) fn recover(&mut self, operator: &str, charges: &BTreeMap<String, u32>) -> Answer {
        let conflict = |code: &str, detail: String| Err(Problem::new(409, code, detail));
        if self.recovery.is_none() {
            return conflict(
                "not_rolled_back",
                "this node's state is the newest that anybody knows of: there is nothing to recover".into(),
            );
        }
        let mut all = Vec::new();
        for (name, count) in charges {
            all.push((self.study(name)?.0, *count));
        }
        for (study, count) in all {
            let table =
                self.studies.get(&study).is_some_and(|it| it.wants_table_of(&self.config.me));
            let table = table.then(|| Frozen { version: UNKNOWN.into(), rows: 0 });
            for _ in 0..count {
                let key = charge_key(&format!("operator-{}", &self.draw()[..16]), 0);
                self.charge_again(key, &study, table.clone());
            }
            let body = json!({ "study": study, "releases": count, "operator": operator });
            self.audit("charged_by_hand", body);
        }
        let silent = self.silent();
        if !silent.is_empty() {
            let detail = format!(
                "{} {} not said yet what they know of this node's releases: see that their nodes are up, and try again",
                silent.join(", "),
                if silent.len() == 1 { "has" } else { "have" }
            );
            return conflict("recovering", detail);
        }
        let missing = self.missing();
        if missing > 0 && self.holds(Safeguard::Recall) {
            let detail = format!(
                "{missing} releases of this node are missing that nobody can tell of: find out of which studies they were, and say \
                 so, as `tacit node recover --charge STUDY={missing}`"
            );
            return conflict("releases_missing", detail);
        }
        let shown = self.recovery.take().and_then(|it| it.shown);
        self.era = shown.map_or(0, |it| it.era).max(self.era) + 1;
        self.save_recovery();
        self.audit("recovered", json!({ "era": self.era, "operator": operator }));
        self.settle_restarted();
        self.settle_remembered();
        self.say_witness_to_all();
        Ok(self.status())
    }
}
