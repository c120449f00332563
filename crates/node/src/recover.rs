//! How a node whose state was put back learns again what it had released: from its own signatures, which its peers keep.

use crate::command::{Answer, Dataset, Problem};
use crate::effect::{Stored, Table};
use crate::message::{Message, Past};
use crate::node::Node;
use crate::safeguard::Safeguard;
use crate::session::{
    Attempt, Beginning, Charge, Ending, Failure, Frozen, Outcome, Session, Stage, charge_key,
};
use crate::sign::{Domain, Statements};
use crate::state::{RECOVERY, Recovery, Witness};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// Attempts of one answer.
const PAGE: usize = 16;
/// Attempts of which this party has signed nothing, that are taken of one peer at most.
const MOST_CLAIMED: usize = 1000;
/// The version of a table of which nothing is known.
const UNKNOWN: &str = "unknown";

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

    /// A peer has shown a later state of this node than the one it has, or a word of it that it has forgotten.
    pub(crate) fn rolled_back(&mut self, by: &str, later: Option<Witness>) {
        let known = self.recovery.as_ref().and_then(|it| it.shown.as_ref()).map(Witness::age);
        if self.recovery.is_some() && known >= later.as_ref().map(Witness::age) {
            return;
        }
        self.audit_rolled_back(by, later.as_ref());
        let mut recovery = self.recovery.take().unwrap_or_default();
        if recovery.since_ms == 0 {
            recovery.since_ms = self.now.wall_ms;
        }
        // Who has answered before may know more since.
        recovery.answered.clear();
        self.recalled_to.clear();
        recovery.charges = recovery.charges.max(later.as_ref().map_or(0, |it| it.charges));
        recovery.shown = later.or(recovery.shown);
        self.recovery = Some(recovery);
        self.save_recovery();
        // What was begun before anybody noticed cannot go on.
        self.reservations.clear();
        for id in self.proposals.keys().cloned().collect::<Vec<_>>() {
            self.back_off(&id);
        }
    }

    /// Releases that are charged by what this party knows itself, or was told that it had signed.
    fn charges_here(&self) -> u64 {
        self.ledger.values().filter(|charge| !charge.claimed).count() as u64
    }

    /// Releases of which this party has known.
    pub(crate) fn charges_known(&self) -> u64 {
        let shown = self.recovery.as_ref().map_or(0, |it| it.charges);
        self.charges_here().max(shown)
    }

    /// Whether there is a word of this party on how an attempt ended that it does not know.
    pub(crate) fn has_forgotten(&self, beginning: &Beginning, outcomes: &[Outcome]) -> bool {
        let session = self.sessions.get(&beginning.session);
        let known = session.and_then(|it| it.attempts.get(&beginning.attempt));
        let said = known.is_some_and(|it| it.outcomes.contains_key(&self.config.me));
        !said
            && self.own_word(&beginning.id(), outcomes).is_some()
            && self.holds(Safeguard::Witness)
    }

    /// What this party said of an attempt, by its signature.
    fn own_word<'o>(&self, id: &str, outcomes: &'o [Outcome]) -> Option<&'o Outcome> {
        let own = self.signer.public();
        outcomes.iter().find(|it| {
            let statement = || it.statement();
            it.party == self.config.me
                && it.id == id
                && self.signer.verify(&own, Domain::Outcome, &statement(), &it.signature)
        })
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
                let mut outcomes: Vec<Outcome> = attempt.outcomes.values().cloned().collect();
                outcomes.extend(attempt.proof.as_ref().map(|proof| proof[1].clone()));
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
        // In order, each once, and not for ever.
        let places = past.iter().map(|it| (it.beginning.session.clone(), it.beginning.attempt));
        let places: Vec<(String, u32)> = places.collect();
        let grows = places.iter().zip(after.iter().chain(&places)).all(|(at, before)| at > before);
        let grows = grows || after.is_none() && places.windows(2).all(|pair| pair[0] < pair[1]);
        if !grows || next.is_some() && next.as_ref() != places.last() {
            return;
        }
        // Studies that are forgotten are told again first.
        if !past.iter().all(|past| self.studies.contains_key(&past.beginning.study)) {
            return;
        }
        for Past { beginning, outcomes } in past {
            self.remember(from, beginning, &outcomes);
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

    /// Knows an attempt again. What this party said of it counts by its signature, whatever else was told before. Where nobody shows
    /// what it said, the release counts, too, if another party was let through its gate.
    pub(crate) fn remember(&mut self, from: &str, beginning: Beginning, outcomes: &[Outcome]) {
        if !self.is_whole(&beginning) {
            return;
        }
        let (id, number, me) = (beginning.session.clone(), beginning.attempt, self.me());
        let attempt_id = beginning.id();
        let mine = self.own_word(&attempt_id, outcomes).cloned();
        let known = self.sessions.get(&id).and_then(|it| it.attempts.get(&number));
        if known.is_some_and(|it| it.outcomes.contains_key(&me) && it.id != attempt_id) {
            // It has signed another one of this number, and signs one alone.
            return;
        }
        let table = beginning.inputs.get(&me).cloned();
        let study = beginning.study.clone();
        if mine.is_none() {
            let told = self.claimed.entry(from.to_owned()).or_default();
            *told += 1;
            if *told > MOST_CLAIMED {
                return;
            }
            let let_in = |it: &&Outcome| it.released && it.party != me && it.id == attempt_id;
            let claims: Vec<Outcome> = outcomes.iter().filter(let_in).cloned().collect();
            if claims.iter().any(|claim| self.is_signed(&study, claim)) {
                self.charge_claim(&beginning);
            }
        }
        // What somebody made up gives way to what this party signed.
        let unsaid = |it: &Session| it.attempts.values().all(|it| !it.outcomes.contains_key(&me));
        let session = self.sessions.get(&id);
        if mine.is_some() && session.is_some_and(|it| it.study != study && unsaid(it)) {
            self.sessions.remove(&id);
        }
        let wall = self.now.wall_ms;
        // No other attempt of a session that was begun before may begin.
        let new = || Session::new(study.clone(), wall, 0);
        let session = self.sessions.entry(id.clone()).or_insert_with(new);
        if session.study != study {
            return;
        }
        session.expires_ms = session.expires_ms.min(wall);
        session.number = session.number.max(number);
        if mine.is_some() && session.attempts.get(&number).is_some_and(|it| it.id != attempt_id) {
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
        let key = (id.clone(), number);
        let mut charged = false;
        match &mine {
            Some(mine) => {
                attempt.stage = Stage::Over;
                attempt.outcomes.insert(me.clone(), mine.clone());
                self.stopped.remove(&key);
                self.drop_claims(&id, number);
                if mine.released && self.holds(Safeguard::Recall) {
                    charged = true;
                    self.charge_again(charge_key(&id, number), &study, (table, false));
                }
            }
            None if attempt.stage != Stage::Over => {
                self.stopped.entry(key).or_insert(Ending::Failed(Failure::Restarted));
            }
            None => {}
        }
        for outcome in outcomes {
            self.outcome_heard(&id, number, outcome.clone());
        }
        self.audit("remembered", json!({ "session": id, "attempt": number, "charged": charged }));
        self.save_session(&id);
    }

    /// Whether a party of a study has signed an outcome.
    fn is_signed(&self, study: &str, outcome: &Outcome) -> bool {
        let study = self.studies.get(study);
        let member = study.and_then(|it| it.document.members.get(&outcome.party));
        let key = member.map(|it| &it.statements);
        let statement = outcome.statement();
        key.is_some_and(|it| {
            self.signer.verify(it, Domain::Outcome, &statement, &outcome.signature)
        })
    }

    /// Charges what others say of an attempt, by a key of its own: whatever anybody makes up takes the place of nothing.
    fn charge_claim(&mut self, beginning: &Beginning) {
        let key =
            format!("{}/{}", charge_key(&beginning.session, beginning.attempt), beginning.id());
        let table = beginning.inputs.get(&self.config.me).cloned();
        if self.holds(Safeguard::Recall) {
            self.charge_again(key, &beginning.study, (table, true));
        }
    }

    /// Others have said something of an attempt whose own word is there now.
    fn drop_claims(&mut self, session: &str, number: u32) {
        let of = format!("{}/", charge_key(session, number));
        let claims = self.ledger.range(of.clone()..).take_while(|(key, _)| key.starts_with(&of));
        for key in claims.map(|(key, _)| key.clone()).collect::<Vec<_>>() {
            self.ledger.remove(&key);
            self.remove(Table::Ledger, &key);
        }
    }

    /// Charges a release that was forgotten.
    fn charge_again(&mut self, key: String, study: &str, (table, claimed): (Option<Frozen>, bool)) {
        let Some(known) = self.studies.get(study) else { return };
        let table = table.map(|frozen| {
            let has = |it: &Dataset| it.versions.iter().any(|it| it.version == frozen.version);
            let dataset = self.datasets.iter().find(|(_, it)| has(it));
            (dataset.map(|(name, _)| name.clone()).unwrap_or_default(), frozen)
        });
        let label = known.document.terms.label.clone();
        // When it was is not known: it counts from now on.
        let at_ms = self.now.wall_ms;
        let charge = Charge { study: study.to_owned(), label, at_ms, table, claimed };
        if !self.ledger.contains_key(&key) {
            self.put(Table::Ledger, &key, &charge);
            self.ledger.insert(key, charge);
        }
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

    /// Releases that are missing in the ledger.
    fn missing(&self) -> u64 {
        let shown = self.recovery.as_ref().map_or(0, |it| it.charges);
        shown.saturating_sub(self.charges_here())
    }

    /// Charges what may have been released of attempts of which nobody has this party's word: all, but where all others say that
    /// they were not let through their gates.
    fn charge_unsaid(&mut self) {
        for (id, number) in self.stopped.keys().cloned().collect::<Vec<_>>() {
            let Some(session) = self.sessions.get_mut(&id) else { continue };
            let Some(attempt) = session.attempts.get_mut(&number) else { continue };
            let beginning = attempt.beginning.clone();
            let others = beginning.nonces.keys().filter(|it| **it != self.config.me);
            let said = |it: &String| attempt.outcomes.get(it).is_some_and(|it| !it.released);
            if others.clone().all(said) && attempt.stage != Stage::Released {
                continue;
            }
            attempt.stage = Stage::Released;
            let own = self.ledger.contains_key(&charge_key(&id, number));
            if !own {
                self.charge_claim(&beginning);
            }
            self.save_session(&id);
        }
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
            "charges": self.charges_here(),
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
        let silent = self.silent();
        if !silent.is_empty() {
            let detail = format!(
                "{} {} to be connected and to say what is known there of this node's releases: see that their nodes are up, and \
                 try again; nothing was charged",
                silent.join(", "),
                if silent.len() == 1 { "has" } else { "have" }
            );
            return conflict("recovering", detail);
        }
        let missing = self.missing();
        let given: u64 = all.iter().map(|(_, count)| u64::from(*count)).sum();
        if missing > given && self.holds(Safeguard::Recall) {
            let detail = format!(
                "{missing} releases of this node are missing of which nobody has its word, and {given} are given; nothing was charged: \
                 find out of which studies they were, and say so for all of them, as `tacit node recover --charge STUDY={missing}`"
            );
            return conflict("releases_missing", detail);
        }
        for (study, count) in all {
            let table =
                self.studies.get(&study).is_some_and(|it| it.wants_table_of(&self.config.me));
            let table = table.then(|| Frozen { version: UNKNOWN.into(), rows: 0 });
            for _ in 0..count {
                let key = charge_key(&format!("operator-{}", &self.draw()[..16]), 0);
                self.charge_again(key, &study, (table.clone(), false));
            }
            let body = json!({ "study": study, "releases": count, "operator": operator });
            self.audit("charged_by_hand", body);
        }
        self.charge_unsaid();
        // Promises of the older state bind nobody.
        let voted = self.sessions.iter_mut().filter(|(_, session)| session.vote.is_some());
        let voted: Vec<String> = voted.map(|(id, it)| (id.clone(), it.vote = None).0).collect();
        voted.iter().for_each(|id| self.save_session(id));
        self.claimed.clear();
        let shown = self.recovery.take().and_then(|it| it.shown);
        self.era = shown.map_or(0, |it| it.era).max(self.era) + 1;
        self.save_recovery();
        self.audit("recovered", json!({ "era": self.era, "operator": operator }));
        // What this state does not know may be wanted all the same.
        self.swept = true;
        self.settle_restarted();
        self.settle_remembered();
        self.say_witness_to_all();
        Ok(self.status())
    }
}
