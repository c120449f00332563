//! Sessions until their attempts end: proposals, votes, the start, gates.

use crate::effect::{Effect, Launch, Table};
use crate::message::Message;
use crate::node::{Node, Proposal, REFUSED_MS, Reservation};
use crate::policy::Code;
use crate::safeguard::Safeguard;
use crate::session::{
    Attempt, Beginning, Charge, Ending, Failure, Final, Frozen, Session, Stage, charge_key,
};
use crate::sign::Statements;
use crate::study::{StudyState, Terms};
use serde_json::json;
use std::collections::BTreeMap;

/// How long a reservation holds, in milliseconds.
const RESERVED_MS: u64 = 10_000;
/// How far back a label's releases are counted, in milliseconds.
const LABEL_MS: u64 = 30 * 24 * 3600 * 1000;
/// The clocks of parties differ by so much at most, in milliseconds.
const SKEW_MS: u64 = 10 * 60 * 1000;
/// Longest wait of home for peers that are busy, in milliseconds.
const MOST_BUSY_MS: u64 = 60_000;
/// Sessions that have not ended, of one peer and of one study at most: a peer cannot fill the disk with them.
const MOST_OPEN: usize = 256;
const MOST_OPEN_OF_STUDY: usize = 64;
/// Sessions that are known to have ended and of which nothing else is known, of one peer at most. They are not stored.
const MOST_GONE: usize = 256;

/// A table of this party: the dataset's name, and its version.
type OwnTable = Option<(String, Frozen)>;

/// Whether an earlier release and one of a study tell of the same: they have the label or this party's own dataset in common.
fn is_like(charge: &Charge, terms: &Terms, dataset: Option<&String>) -> bool {
    let theirs = charge.table.as_ref().map(|(dataset, _)| dataset);
    // A table that is forgotten may have been any of this party's.
    let same = theirs.is_some_and(|theirs| theirs.is_empty() || Some(theirs) == dataset);
    charge.label == terms.label || same
}

impl<S: Statements> Node<S> {
    pub(crate) fn terms(&self, study: &str) -> Option<&Terms> {
        self.studies.get(study).map(|study| &study.document.terms)
    }

    /// Whether this party is home to a session's study.
    pub(crate) fn is_home(&self, session: &Session) -> bool {
        self.terms(&session.study).is_some_and(|terms| terms.home == self.config.me)
    }

    /// Parties of a session but this one.
    pub(crate) fn others_of(&self, study: &str) -> Vec<String> {
        let study = self.studies.get(study);
        study.map(|study| study.others(&self.config.me).cloned().collect()).unwrap_or_default()
    }

    /// What is due in sessions.
    pub(crate) fn tick_sessions(&mut self) {
        // Those that were started first have their turn first.
        let created = |id: &String| self.sessions.get(id).map_or(0, |it| it.created_ms);
        let mut open: Vec<String> = self.open.iter().cloned().collect();
        open.sort_by_key(created);
        for id in open {
            self.check_limit(&id);
            self.check_proposal(&id);
            // A state that was put back may lack how it ended.
            if self.recovery.is_none() {
                self.check_expiry(&id);
                self.propose_if_due(&id);
                self.say_start(&id);
            }
            self.say_session(&id);
        }
    }

    /// Ends a worker that has had its time.
    fn check_limit(&mut self, id: &str) {
        let Some(session) = self.sessions.get(id) else { return };
        let limit = self.terms(&session.study).map_or(0, |terms| terms.limit_seconds);
        let running = session.attempts.iter().find(|(_, attempt)| attempt.stage != Stage::Over);
        let Some((&number, _)) = running else { return };
        let key = (id.to_owned(), number);
        let started = self.started.get(&key).copied().unwrap_or(self.now.mono_ms);
        if self.now.mono_ms.saturating_sub(started) >= limit.saturating_mul(1000) {
            self.effect(Effect::Kill { session: id.to_owned(), attempt: number });
            self.own_outcome(id, number, Ending::Failed(Failure::Limit));
        }
    }

    /// Lets a proposal go to which not all have answered.
    fn check_proposal(&mut self, id: &str) {
        let over = |proposal: &Proposal| proposal.until_ms <= self.now.mono_ms;
        if self.proposals.get(id).is_some_and(over) {
            self.back_off(id);
        }
    }

    /// Waits before it proposes again; peers may use what they reserved for others.
    pub(crate) fn back_off(&mut self, id: &str) {
        let Some(proposal) = self.proposals.remove(id) else { return };
        let attempt = proposal.attempt;
        self.reservations.remove(&(id.to_owned(), attempt));
        let jitter = u64::from_str_radix(&self.draw()[..4], 16).unwrap_or(0);
        let wall = self.now.wall_ms;
        let Some(session) = self.sessions.get_mut(id) else { return };
        let wait = (1000u64 << session.waits.min(6)).min(MOST_BUSY_MS);
        session.waits = session.waits.saturating_add(1);
        session.retry_ms = wall.saturating_add(wait / 2 + wait * jitter / 0x20000);
        let study = session.study.clone();
        for peer in self.others_of(&study) {
            self.send(&peer, Message::Release { session: id.to_owned(), attempt });
        }
    }

    /// Ends a session that home has not ended for long.
    fn check_expiry(&mut self, id: &str) {
        let Some(session) = self.sessions.get(id) else { return };
        let over = self.now.wall_ms > session.expires_ms.saturating_add(SKEW_MS);
        let waits = session.end.is_none() && !session.is_running() && session.live().is_none();
        if over && waits && !self.is_home(session) {
            self.end_as(id, Final::Expired, None);
            let Some(session) = self.sessions.get_mut(id) else { return };
            session.assumed = true;
            let home = session.study.clone();
            self.save_session(id);
            let home = self.terms(&home).map(|terms| terms.home.clone()).unwrap_or_default();
            self.forget_unbegun(&home, id);
        }
    }

    /// At home: asks all parties for an attempt, if it is time.
    pub(crate) fn propose_if_due(&mut self, id: &str) {
        let Some(session) = self.sessions.get(id) else { return };
        let idle = session.end.is_none() && session.live().is_none() && !session.is_running();
        if !idle || !self.is_home(session) || self.proposals.contains_key(id) {
            return;
        }
        let study = session.study.clone();
        if session.cancelled {
            return self.end_as(id, Final::Cancelled, None);
        }
        if self.now.wall_ms >= session.expires_ms {
            return self.end_as(id, Final::Expired, None);
        }
        let others = self.others_of(&study);
        let linked = others.iter().all(|peer| self.links.contains(peer));
        let waits = self.draining || !self.is_witnessed();
        if session.retry_ms > self.now.wall_ms || waits || !linked {
            return;
        }
        let engine = self.config.engine.clone();
        let Some(number) = session.number.checked_add(1) else {
            return self.end_as(id, Final::Failed, None);
        };
        let frozen = match self.check(&study, id, &engine) {
            // It waits in the queue, and is looked at again with the next tick.
            Err(Code::Busy) => return,
            Err(code) => return self.end_as(id, Final::Refused, Some((code, self.me()))),
            Ok(frozen) => frozen,
        };
        let nonce = self.reserve(&study, id, number);
        let until_ms = self.now.mono_ms.saturating_add(RESERVED_MS);
        let me = self.me();
        let votes =
            BTreeMap::from([(me, (nonce.clone(), frozen.clone().map(|(_, frozen)| frozen)))]);
        self.proposals.insert(id.to_owned(), Proposal { attempt: number, votes, until_ms });
        if let Some(session) = self.sessions.get_mut(id) {
            session.number = number;
            session.frozen = frozen;
            session.vote = Some((number, nonce));
        }
        self.save_session(id);
        for peer in others {
            let (study, session) = (study.clone(), id.to_owned());
            let engine = engine.clone();
            self.send(&peer, Message::Propose { study, session, attempt: number, engine });
        }
    }

    /// Promises to take part, for some seconds. Gives the nonce, which is the same for all promises of one attempt: who
    /// begins it may have heard of the first one alone.
    fn reserve(&mut self, study: &str, session: &str, attempt: u32) -> String {
        let label = self.terms(study).map(|terms| terms.label.clone()).unwrap_or_default();
        let until_ms = self.now.mono_ms.saturating_add(RESERVED_MS);
        let vote = self.sessions.get(session).and_then(|it| it.vote.clone());
        let known = vote.filter(|(number, _)| *number == attempt).map(|(_, nonce)| nonce);
        let nonce = known.unwrap_or_else(|| self.draw());
        let reservation = Reservation { nonce: nonce.clone(), until_ms, label };
        // Of a session only the last attempt that was proposed may begin.
        self.reservations.retain(|(other, _), _| other != session);
        self.reservations.insert((session.to_owned(), attempt), reservation);
        nonce
    }

    /// Whether this party takes part in an attempt of a session, and with what table.
    fn check(&self, study: &str, session: &str, engine: &str) -> Result<OwnTable, Code> {
        let Some(known) = self.studies.get(study) else { return Err(Code::UnknownStudy) };
        match self.state_of(known) {
            StudyState::Proposed => return Err(Code::NotApproved),
            StudyState::Open => {}
            _ => return Err(Code::NotOpen),
        }
        let (terms, policy) = (&known.document.terms, &self.config.policy);
        if !policy.allows(&terms.protocol) {
            return Err(Code::ProtocolNotAllowed);
        }
        if engine != self.config.engine {
            return Err(Code::EngineDiffers);
        }
        if terms.threads > self.config.limits.threads {
            return Err(Code::TooManyThreads);
        }
        let own = self.sessions.get(session);
        let frozen = own.and_then(|session| session.frozen.clone());
        let table = match frozen.filter(|_| self.holds(Safeguard::SameInputs)) {
            Some(table) => Some(table),
            None => self.newest(study)?,
        };
        if let (Some((_, frozen)), Some(asked)) = (&table, terms.tables.get(&self.config.me))
            && frozen.rows < asked.min_rows.max(policy.min_rows)
        {
            return Err(Code::TooFewRows);
        }
        if own.is_some_and(|own| self.is_spent(own)) {
            return Err(Code::SessionOver);
        }
        let free = !self.holds(Safeguard::ChargeEach) && self.is_charged(session);
        if self.holds(Safeguard::Budget) && !free {
            self.check_release(study, terms, &table)?;
        }
        if known.quarantined {
            return Err(Code::Quarantined);
        }
        if self.recovery.is_some() {
            return Err(Code::RolledBack);
        }
        if self.draining {
            return Err(Code::Draining);
        }
        // Somebody may yet show that this state was put back.
        if !self.is_witnessed() {
            return Err(Code::Busy);
        }
        self.check_slot(session, &terms.label)?;
        Ok(table)
    }

    /// The newest version of this party's table for a study, if it gives one.
    fn newest(&self, study: &str) -> Result<OwnTable, Code> {
        let Some(known) = self.studies.get(study) else { return Err(Code::UnknownStudy) };
        if !known.wants_table_of(&self.config.me) {
            return Ok(None);
        }
        let dataset = known.bound.clone().ok_or(Code::NotBound)?;
        let newest = self.datasets.get(&dataset).and_then(|it| it.versions.last());
        let newest = newest.ok_or(Code::NotBound)?;
        let frozen = Frozen { version: newest.version.clone(), rows: newest.rows };
        Ok(Some((dataset, frozen)))
    }

    /// Whether no attempt of a session may begin any more: every node counts them, and looks at its own clock.
    fn is_spent(&self, session: &Session) -> bool {
        let most = self.terms(&session.study).map_or(0, |terms| terms.attempts) as usize;
        let late = self.now.wall_ms > session.expires_ms.saturating_add(SKEW_MS);
        late || session.attempts.len() >= most && self.holds(Safeguard::Attempts)
    }

    /// Whether an attempt of a session was charged here.
    pub(crate) fn is_charged(&self, session: &str) -> bool {
        let of = format!("{session}/");
        self.ledger.range(of.clone()..).next().is_some_and(|(key, _)| key.starts_with(&of))
    }

    /// Whether another release may be charged.
    fn check_release(&self, study: &str, terms: &Terms, table: &OwnTable) -> Result<(), Code> {
        self.check_budget(study, terms, table)?;
        match table {
            Some((dataset, frozen)) if self.holds(Safeguard::Change) => {
                self.check_change(terms, dataset, frozen)
            }
            _ => Ok(()),
        }
    }

    fn check_budget(&self, study: &str, terms: &Terms, table: &OwnTable) -> Result<(), Code> {
        let of_study = self.ledger.values().filter(|charge| charge.study == study).count();
        if of_study >= terms.releases as usize {
            return Err(Code::BudgetReleases);
        }
        let recent = |charge: &&Charge| {
            let age = self.steady_ms().saturating_sub(charge.at_ms);
            is_like(charge, terms, table.as_ref().map(|(dataset, _)| dataset)) && age < LABEL_MS
        };
        let of_label = self.ledger.values().filter(recent).count();
        match of_label >= self.config.policy.max_releases as usize {
            true => Err(Code::BudgetLabel),
            false => Ok(()),
        }
    }

    /// A table equals those of earlier releases, or differs from them by enough rows.
    fn check_change(&self, terms: &Terms, dataset: &str, frozen: &Frozen) -> Result<(), Code> {
        let versions = self.datasets.get(dataset).map(|it| &it.versions[..]).unwrap_or_default();
        let now = versions.iter().find(|it| it.version == frozen.version);
        let like = |charge: &&Charge| is_like(charge, terms, Some(&dataset.to_owned()));
        for charge in self.ledger.values().filter(like) {
            let Some((_, before)) = &charge.table else { continue };
            // What either of the two studies asks for.
            let theirs = self.terms(&charge.study).map_or(0, |terms| terms.min_change);
            let least = terms.min_change.max(theirs);
            let enough = |rows: u64| rows == 0 || rows >= least;
            if least == 0 || before.version == frozen.version {
                continue;
            }
            // Versions are compared when the later one is added, so one of the two knows.
            let known = now.and_then(|now| now.differences.get(&before.version).copied());
            let known = known.or_else(|| {
                let all = self.datasets.values().flat_map(|it| &it.versions);
                let old = all.clone().find(|it| it.version == before.version)?;
                old.differences.get(&frozen.version).copied()
            });
            if !known.is_some_and(|(new, gone)| enough(new) && enough(gone)) {
                return Err(Code::MinChange);
            }
        }
        Ok(())
    }

    /// Whether there is room for an attempt, and no other one of the label.
    fn check_slot(&self, session: &str, label: &str) -> Result<(), Code> {
        let now = self.now.mono_ms;
        let reserved = self.reservations.iter().filter(|((other, _), it)| {
            let held = it.until_ms > now || !self.holds(Safeguard::Lapse);
            other != session && held
        });
        let running = self.running_beside(session);
        if reserved.clone().count() + running.clone().count() >= self.config.limits.running {
            return Err(Code::Busy);
        }
        let same = reserved.clone().any(|(_, it)| it.label == label);
        match same && self.holds(Safeguard::Label) {
            true => Err(Code::Busy),
            false => self.check_label(session, label),
        }
    }

    /// Sessions but this one whose workers run here.
    fn running_beside<'s>(
        &'s self,
        session: &'s str,
    ) -> impl Iterator<Item = (&'s String, &'s Session)> + Clone {
        let open = self.open.iter().filter_map(|id| Some((id, self.sessions.get(id)?)));
        open.filter(move |(id, it)| *id != session && it.is_running())
    }

    /// Whether no other session of the label runs here.
    fn check_label(&self, session: &str, label: &str) -> Result<(), Code> {
        let of_label = |study: &str| self.terms(study).is_some_and(|terms| terms.label == label);
        let same = self.running_beside(session).any(|(_, it)| of_label(&it.study));
        match same && self.holds(Safeguard::Label) {
            true => Err(Code::Busy),
            false => Ok(()),
        }
    }

    /// Whether there is room for another session that a peer proposes. Those that end without an attempt are forgotten.
    fn has_room(&self, from: &str, study: &str) -> bool {
        let open = self.open.iter().filter_map(|id| self.sessions.get(id));
        let home = |study: &str| self.terms(study).is_some_and(|terms| terms.home == from);
        let theirs = open.filter(|it| it.end.is_none() && home(&it.study));
        theirs.clone().count() < MOST_OPEN
            && theirs.filter(|it| it.study == study).count() < MOST_OPEN_OF_STUDY
    }

    /// Puts a refusal into the audit log, but not all that a peer can cause.
    fn audit_refusal(&mut self, study: &str, session: &str, code: Code) {
        let key = (study.to_owned(), code);
        let last = self.refusals.get(&key).copied();
        let due = last.is_none_or(|at| self.now.mono_ms.saturating_sub(at) >= REFUSED_MS);
        if due && !matches!(code, Code::Busy | Code::UnknownStudy | Code::NotApproved) {
            self.refusals.insert(key, self.now.mono_ms);
            self.audit("refused", json!({ "study": study, "session": session, "code": code }));
        }
    }

    /// A session of which nothing is known has ended, as its home says. Nothing of it is stored.
    pub(crate) fn gone(&mut self, from: &str, id: &str, session: Session) {
        let gone = self.gone.entry(from.to_owned()).or_default();
        if !gone.iter().any(|(known, _)| known == id) {
            gone.truncate(MOST_GONE - 1);
            gone.push_front((id.to_owned(), session));
        }
    }

    /// Forgets a session of another home of which no attempt began here, but for showing it: a peer could end any number of them.
    pub(crate) fn forget_unbegun(&mut self, home: &str, id: &str) {
        let unbegun = |session: &Session| session.end.is_some() && session.attempts.is_empty();
        let Some(session) = self.sessions.get(id).filter(|it| unbegun(it) && !self.is_home(it))
        else {
            return;
        };
        let session = session.clone();
        self.gone(home, id, session);
        self.sessions.remove(id);
        self.open.remove(id);
        self.remove(Table::Sessions, id);
    }

    /// Home asks for an attempt.
    pub(crate) fn proposed(
        &mut self,
        from: &str,
        study: &str,
        id: &str,
        attempt: u32,
        engine: &str,
    ) {
        let refuse = |code| Message::Refuse { session: id.to_owned(), attempt, code };
        let Some(terms) = self.terms(study) else {
            return self.send(from, refuse(Code::UnknownStudy));
        };
        if terms.home != from {
            return;
        }
        if self.gone.get(from).is_some_and(|gone| gone.iter().any(|(it, _)| it == id)) {
            return;
        }
        if let Some(session) = self.sessions.get(id) {
            let over = session.end.is_some() || session.cancelled || session.study != study;
            if over || session.attempts.contains_key(&attempt) || attempt < session.number {
                return;
            }
            // An attempt of which not all is known yet is settled first.
            if session.live().is_some() || session.is_running() {
                return self.send(from, refuse(Code::Busy));
            }
        }
        let key = (id.to_owned(), attempt);
        let held = self.reservations.get(&key).filter(|it| it.until_ms > self.now.mono_ms);
        let known = held.map(|known| known.nonce.clone());
        let table = match known {
            Some(_) => self.sessions.get(id).and_then(|session| session.frozen.clone()),
            None => match self.check(study, id, engine) {
                Ok(table) => table,
                Err(code) => {
                    self.audit_refusal(study, id, code);
                    return self.send(from, refuse(code));
                }
            },
        };
        if !self.sessions.contains_key(id) {
            let expires = self.terms(study).map_or(0, |terms| terms.expires_seconds);
            if !self.has_room(from, study) {
                return self.send(from, refuse(Code::Busy));
            }
            let session = Session::new(study.to_owned(), self.now.wall_ms, expires);
            self.sessions.insert(id.to_owned(), session);
        }
        let nonce = known.unwrap_or_else(|| self.reserve(study, id, attempt));
        let vote = Some((attempt, nonce.clone()));
        let changed =
            |it: &&mut Session| it.number != attempt || it.frozen != table || it.vote != vote;
        if let Some(session) = self.sessions.get_mut(id).filter(changed) {
            (session.number, session.frozen) = (attempt, table.clone());
            session.vote = vote;
            self.save_session(id);
        }
        let frozen = table.map(|(_, frozen)| frozen);
        self.send(from, Message::Accept { session: id.to_owned(), attempt, nonce, frozen });
    }

    /// At home: a party takes part.
    pub(crate) fn accepted(
        &mut self,
        from: &str,
        id: &str,
        attempt: u32,
        nonce: String,
        frozen: Option<Frozen>,
    ) {
        let Some(session) = self.sessions.get(id) else { return };
        let study = session.study.clone();
        let others = self.others_of(&study);
        let Some(proposal) = self.proposals.get_mut(id) else { return };
        if proposal.attempt != attempt || !others.iter().any(|peer| peer == from) {
            return;
        }
        proposal.votes.insert(from.to_owned(), (nonce, frozen));
        if proposal.votes.len() <= others.len() {
            return;
        }
        if let Some(proposal) = self.proposals.remove(id) {
            self.begin(id, &study, proposal);
        }
    }

    /// At home: all take part.
    fn begin(&mut self, id: &str, study: &str, proposal: Proposal) {
        let Proposal { attempt, votes, .. } = proposal;
        let mut beginning = Beginning {
            study: study.to_owned(),
            session: id.to_owned(),
            attempt,
            nonces: BTreeMap::new(),
            inputs: BTreeMap::new(),
        };
        for (party, (nonce, frozen)) in votes {
            beginning.nonces.insert(party.clone(), nonce);
            beginning.inputs.extend(frozen.map(|frozen| (party, frozen)));
        }
        let before = self.sessions.get(id).and_then(|it| it.attempts.values().next_back());
        let same = before.is_none_or(|before| before.beginning.inputs == beginning.inputs);
        let asked = self.terms(study).map(|terms| &terms.tables);
        let given = asked.is_some_and(|tables| tables.keys().eq(beginning.inputs.keys()));
        if !(given && (same || !self.holds(Safeguard::SameInputs))) {
            self.reservations.remove(&(id.to_owned(), attempt));
            return self.end_as(id, Final::Refused, Some((Code::InputsDiffer, self.me())));
        }
        self.run(id, beginning);
        self.say_start(id);
    }

    /// At home: begins an attempt at peers that may not have heard of it. Who was stopped in between says that it has not begun.
    fn say_start(&mut self, id: &str) {
        let Some(session) = self.sessions.get(id).filter(|it| self.is_home(it)) else { return };
        let Some(live) = session.live().filter(|it| it.stage == Stage::Running) else { return };
        let (beginning, number) = (live.beginning.clone(), live.beginning.attempt);
        let silent = beginning.nonces.keys().filter(|it| !live.outcomes.contains_key(*it));
        for peer in silent.filter(|it| self.links.contains(*it)).cloned().collect::<Vec<_>>() {
            if self.may_say(&peer, format!("start {id} {number}")) {
                self.send(&peer, Message::Start { beginning: beginning.clone() });
            }
        }
    }

    /// Begins an attempt: it is stored, and then its worker is started.
    fn run(&mut self, id: &str, beginning: Beginning) {
        let number = beginning.attempt;
        let (attempt_id, study) = (beginning.id(), beginning.study.clone());
        let limit_seconds = self.terms(&study).map_or(0, |terms| terms.limit_seconds);
        let key = (id.to_owned(), number);
        self.reservations.remove(&key);
        self.started.insert(key, self.now.mono_ms);
        let wall = self.now.wall_ms;
        let Some(session) = self.sessions.get_mut(id) else { return };
        let attempt = Attempt {
            id: attempt_id.clone(),
            beginning,
            stage: Stage::Running,
            outcomes: BTreeMap::new(),
            proof: None,
            began_ms: wall,
            settled: false,
        };
        session.attempts.insert(number, attempt);
        (session.waits, session.number) = (0, number);
        let frozen = session.frozen.as_ref();
        let table = frozen.map(|(dataset, frozen)| (dataset.clone(), frozen.version.clone()));
        let body = json!({ "study": study, "session": id, "attempt": number, "id": attempt_id });
        self.audit("attempt_begun", body);
        self.save_session(id);
        self.effect(Effect::Launch(Box::new(Launch {
            session: id.to_owned(),
            attempt: number,
            id: attempt_id,
            study,
            table,
            limit_seconds,
        })));
    }

    /// Whether what home says of an attempt's beginning is about all parties of the study, and no others.
    pub(crate) fn is_whole(&self, beginning: &Beginning) -> bool {
        let Some(study) = self.studies.get(&beginning.study) else { return false };
        study.document.members.keys().eq(beginning.nonces.keys())
            && study.document.terms.tables.keys().eq(beginning.inputs.keys())
            && beginning.attempt > 0
    }

    /// Whether an attempt of which this party has not heard can be one: home says so, and this party's own nonce for it is in
    /// it. Others could know that nonce, too, and make up the rest; home itself has heard of every attempt.
    pub(crate) fn may_be_of(&self, from: &str, session: &Session, beginning: &Beginning) -> bool {
        let home = self.terms(&session.study).is_some_and(|terms| terms.home == from);
        let voted = session.voted(beginning.attempt, beginning.nonces.get(&self.config.me));
        !self.is_home(session) && home && voted || !self.holds(Safeguard::OwnVote)
    }

    /// Home begins an attempt.
    pub(crate) fn start(&mut self, from: &str, beginning: Beginning) {
        let home = self.terms(&beginning.study).map(|terms| terms.home.clone());
        if home.as_deref() != Some(from) || !self.is_whole(&beginning) {
            return;
        }
        let (id, number) = (beginning.session.clone(), beginning.attempt);
        let me = self.me();
        let Some(session) = self.sessions.get(&id) else { return };
        let begun = session.attempts.contains_key(&number);
        if begun || session.study != beginning.study || !self.may_be_of(from, session, &beginning) {
            return;
        }
        let own = session.frozen.as_ref().map(|(_, frozen)| frozen);
        let mut before = session.attempts.values().map(|attempt| &attempt.beginning.inputs);
        let same = own == beginning.inputs.get(&me) && before.all(|it| *it == beginning.inputs);
        let may = session.end.is_none() && !session.cancelled && !session.is_running();
        let may = may && session.live().is_none() && !self.is_spent(session);
        // A promise that has lapsed binds nobody: the slot may be somebody else's by now.
        let holds =
            |it: &Reservation| it.until_ms > self.now.mono_ms || !self.holds(Safeguard::Lapse);
        let reserved = self.reservations.get(&(id.clone(), number)).filter(|it| holds(it));
        let nonce = reserved.is_some_and(|it| beginning.nonces.get(&me) == Some(&it.nonce));
        let nonce = nonce || !self.holds(Safeguard::OwnNonce);
        if may && nonce && (same || !self.holds(Safeguard::SameInputs)) {
            self.run(&id, beginning);
        } else {
            self.not_started(beginning);
        }
    }

    /// A party does not take part.
    pub(crate) fn refused(&mut self, from: &str, id: &str, attempt: u32, code: Code) {
        let Some(session) = self.sessions.get(id) else { return };
        let member = self.others_of(&session.study).iter().any(|peer| peer == from);
        let current = self.proposals.get(id).is_some_and(|it| it.attempt == attempt);
        if !member || !current {
            return;
        }
        self.back_off(id);
        if code != Code::Busy {
            self.end_as(id, Final::Refused, Some((code, from.to_owned())));
        }
        self.save_session(id);
    }

    /// Home lets an attempt go that has not begun.
    pub(crate) fn released_by(&mut self, from: &str, id: &str, attempt: u32) {
        let Some(session) = self.sessions.get(id) else { return };
        if self.terms(&session.study).is_some_and(|terms| terms.home == from) {
            self.reservations.remove(&(id.to_owned(), attempt));
        }
    }

    /// A worker stands before its gate: the release is charged and stored, and only then the gate opens.
    pub(crate) fn gate(&mut self, id: &str, number: u32) {
        let wall = self.now.wall_ms;
        let deny = |why: &str| Effect::Deny {
            session: id.to_owned(),
            attempt: number,
            why: why.to_owned(),
        };
        let study = self.sessions.get(id).and_then(|it| self.studies.get(&it.study));
        let (Some(study), Some(session)) = (study, self.sessions.get(id)) else {
            return self.effect(deny("the session is not known"));
        };
        let terms = &study.document.terms;
        let stage = session.attempts.get(&number).map(|attempt| attempt.stage);
        let why = match stage {
            Some(Stage::Released) => None,
            Some(Stage::Running) if session.cancelled => Some("the session was cancelled"),
            Some(Stage::Running) if study.withdrawn.is_some() => Some("the study was withdrawn"),
            Some(Stage::Running) if study.quarantined => Some("the study is quarantined"),
            Some(Stage::Running) if session.end.is_some() => Some("the session has ended"),
            Some(Stage::Running) if self.recovery.is_some() => {
                Some("the node's state was put back")
            }
            Some(Stage::Running) => None,
            _ => Some("the attempt is over"),
        };
        if let Some(why) = why {
            return self.effect(deny(why));
        }
        // Somebody has to hear of it, in case this state is put back.
        if !self.is_witnessed() {
            self.at_gate.insert((id.to_owned(), number));
            return;
        }
        let key = charge_key(id, number);
        let free = !self.holds(Safeguard::ChargeEach) && self.is_charged(id);
        if !self.ledger.contains_key(&key) && !free {
            // What the vote promised holds: nobody else of the label was let in since. It is looked at again all the same.
            let release = match self.holds(Safeguard::Budget) {
                true => self.check_release(&session.study, terms, &session.frozen),
                false => Ok(()),
            };
            if let Err(code) = release.and_then(|()| self.check_label(id, &terms.label)) {
                return self.effect(deny(code.name()));
            }
            let charge = Charge {
                study: session.study.clone(),
                label: terms.label.clone(),
                at_ms: wall,
                table: session.frozen.clone(),
                claimed: false,
            };
            if self.holds(Safeguard::Charge) {
                let body = json!({ "study": charge.study, "session": id, "attempt": number });
                self.put(Table::Ledger, &key, &charge);
                self.ledger.insert(key, charge);
                self.audit("charged", body);
            }
        }
        if let Some(attempt) = self.sessions.get_mut(id).and_then(|it| it.attempts.get_mut(&number))
        {
            attempt.stage = Stage::Released;
        }
        self.audit("released", json!({ "session": id, "attempt": number }));
        self.save_session(id);
        self.say_witness_to_all();
        self.effect(Effect::Grant { session: id.to_owned(), attempt: number });
    }
}
