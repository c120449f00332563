//! How attempts and sessions end: outcomes, and what follows from those of all parties.

use crate::effect::Effect;
use crate::message::Message;
use crate::node::{Known, Node};
use crate::policy::Code;
use crate::safeguard::Safeguard;
use crate::session::{
    Attempt, Beginning, Class, End, Ending, Failure, Final, Outcome, Session, Stage, Word, class,
};
use crate::sign::{Domain, Statements};
use serde_json::json;
use std::collections::BTreeMap;

/// Waits before further attempts, in milliseconds.
const RETRY_MS: [u64; 4] = [5_000, 30_000, 120_000, 600_000];

fn words_of(attempt: &Attempt) -> BTreeMap<String, Word> {
    attempt.outcomes.values().map(|it| (it.party.clone(), it.word())).collect()
}

/// Whether a peer lacks something that is known here of an attempt's end. What it knows has to be the same: of a party that says
/// one thing to some and another to others all hear both.
fn lacks(attempt: &Attempt, peer: Option<&Known>) -> bool {
    let Some(peer) = peer else { return true };
    let same = |it: &Outcome| peer.words.get(&it.party) == Some(&it.word());
    !peer.proof && (attempt.proof.is_some() || !attempt.outcomes.values().all(same))
}

/// The same without [`Safeguard::Proofs`].
fn lacks_parties(attempt: &Attempt, peer: Option<&Known>) -> bool {
    !attempt.outcomes.keys().all(|it| peer.is_some_and(|peer| peer.words.contains_key(it)))
}

fn attempt_is_settled(session: Option<&Session>, number: u32) -> bool {
    session.and_then(|it| it.attempts.get(&number)).is_some_and(|attempt| attempt.settled)
}

impl<S: Statements> Node<S> {
    /// What a class is, as far as is known.
    fn class_of(&self, attempt: &Attempt) -> Option<Class> {
        match attempt.outcomes.is_empty() || self.holds(Safeguard::FullVector) {
            true => attempt.class(),
            false => Some(class(attempt.outcomes.values())),
        }
    }

    /// A worker ended.
    pub(crate) fn worker_ended(&mut self, id: &str, number: u32, ending: Ending) {
        let me = self.me();
        let attempt = self.sessions.get(id).and_then(|it| it.attempts.get(&number));
        let Some(attempt) = attempt else { return };
        match (attempt.stage, ending) {
            // It was ended, and had computed at the same moment: what it wrote is nobody's.
            (Stage::Over, Ending::Computed)
                if attempt.ended_here(&me) != Some(Ending::Computed) =>
            {
                self.effect(Effect::Discard { session: id.to_owned(), attempt: number });
            }
            (Stage::Over, _) => {}
            // Nothing computes without its gate.
            (Stage::Running, Ending::Computed) => {
                self.own_outcome(id, number, Ending::Failed(Failure::Bug));
            }
            _ => self.own_outcome(id, number, ending),
        }
        // The others wait for it.
        self.say_session(id);
    }

    /// Says how an attempt ended here, once and for all.
    pub(crate) fn own_outcome(&mut self, id: &str, number: u32, ending: Ending) {
        let (me, key) = (self.me(), (id.to_owned(), number));
        self.started.remove(&key);
        // It ran when the node stopped: what is said of it waits until it is certain that nothing was said before.
        if self.stopped.contains_key(&key) {
            return;
        }
        let attempt = self.sessions.get_mut(id).and_then(|it| it.attempts.get_mut(&number));
        let Some(attempt) = attempt.filter(|it| !it.outcomes.contains_key(&me)) else { return };
        let released = attempt.stage == Stage::Released;
        attempt.stage = Stage::Over;
        let mut outcome = Outcome {
            party: me.clone(),
            id: attempt.id.clone(),
            ending,
            released,
            signature: String::new(),
        };
        outcome.signature = self.signer.sign(Domain::Outcome, &outcome.statement());
        attempt.outcomes.insert(me, outcome);
        let body =
            json!({ "session": id, "attempt": number, "ending": ending, "released": released });
        self.audit("attempt_ended", body);
        self.save_session(id);
        // Before anybody hears of it: what is said of an attempt is said once.
        self.say_witness_to_all();
        self.outcomes_changed(id, number);
    }

    /// Says of an attempt that others began that it did not begin here.
    pub(crate) fn not_started(&mut self, beginning: Beginning) {
        let (id, number) = (beginning.session.clone(), beginning.attempt);
        self.reservations.remove(&(id.clone(), number));
        // If this state was put back, it may have begun here all the same.
        if self.recovery.is_some() || !self.is_witnessed() {
            return;
        }
        let wall = self.now.wall_ms;
        let Some(session) = self.sessions.get_mut(&id) else { return };
        let attempt = Attempt {
            id: beginning.id(),
            beginning,
            stage: Stage::Over,
            outcomes: BTreeMap::new(),
            proof: None,
            began_ms: wall,
            settled: false,
        };
        session.attempts.entry(number).or_insert(attempt);
        session.number = session.number.max(number);
        self.own_outcome(&id, number, Ending::Failed(Failure::NotStarted));
    }

    /// Whether a party takes part in a session's study.
    fn is_party(&self, party: &str, session: &str) -> bool {
        let study = self.sessions.get(session).and_then(|it| self.studies.get(&it.study));
        study.is_some_and(|study| study.document.members.contains_key(party))
    }

    /// A peer says how an attempt ended.
    pub(crate) fn outcomes(&mut self, from: &str, beginning: Beginning, outcomes: Vec<Outcome>) {
        if !self.is_whole(&beginning) || outcomes.len() > beginning.nonces.len() + 1 {
            return;
        }
        let (id, number) = (beginning.session.clone(), beginning.attempt);
        let attempt_id = beginning.id();
        if self.has_forgotten(&beginning, &outcomes) {
            self.rolled_back(from, None);
            return self.remember(from, beginning, &outcomes);
        }
        let Some(session) = self.sessions.get(&id) else {
            if !self.holds(Safeguard::OwnVote) {
                let session = Session::new(beginning.study.clone(), self.now.wall_ms, 0);
                self.sessions.insert(id, session);
                self.outcomes(from, beginning, outcomes);
            }
            return;
        };
        match session.attempts.get(&number) {
            Some(attempt) if attempt.id == attempt_id => {}
            // Another one of this number: nothing that is said of it counts.
            Some(_) if self.holds(Safeguard::OwnVote) => return,
            None if session.study != beginning.study
                || !self.may_be_of(from, session, &beginning) =>
            {
                return;
            }
            _ => self.not_started(beginning),
        }
        let mut theirs = Known::default();
        // What is said of others than the attempt's parties would only fill the memory.
        let of_parties = |it: &&Outcome| it.id == attempt_id && self.is_party(&it.party, &id);
        for outcome in outcomes.iter().filter(of_parties) {
            let before = theirs.words.insert(outcome.party.clone(), outcome.word());
            theirs.proof |= before.is_some_and(|before| before != outcome.word());
        }
        let mut changed = false;
        for outcome in outcomes.into_iter().filter(|outcome| outcome.id == attempt_id) {
            changed |= self.outcome_heard(&id, number, outcome);
        }
        if changed {
            self.save_session(&id);
        }
        let Some(attempt) = self.sessions.get(&id).and_then(|it| it.attempts.get(&number)) else {
            return;
        };
        let failed = attempt.outcomes.values().any(|it| it.ending != Ending::Computed);
        let stopped = attempt.stage == Stage::Running && (failed || attempt.proof.is_some());
        let proof = attempt.proof.is_some() && self.holds(Safeguard::Proofs);
        let (words, session) = (words_of(attempt), id.clone());
        let more = lacks(attempt, Some(&theirs));
        self.send(from, Message::OutcomesKnown { session, attempt: number, words, proof });
        if !attempt_is_settled(self.sessions.get(&id), number) {
            let known = self.known.entry((id.clone(), number, from.to_owned())).or_default();
            known.words.extend(theirs.words);
            known.proof |= theirs.proof && proof;
        }
        if more {
            self.say_anew(from, &format!("outcomes {id} {number}"));
        }
        if stopped {
            // It cannot come to results without the others.
            self.effect(Effect::Kill { session: id.clone(), attempt: number });
            self.own_outcome(&id, number, Ending::Failed(Failure::Peer));
        } else if changed {
            self.outcomes_changed(&id, number);
        }
        self.say_session(&id);
    }

    /// Takes what a party says of its end. Two different words of one party are a proof that it lies.
    pub(crate) fn outcome_heard(&mut self, id: &str, number: u32, outcome: Outcome) -> bool {
        let check = self.holds(Safeguard::Signatures);
        let Some(session) = self.sessions.get_mut(id) else { return false };
        let Some(study) = self.studies.get(&session.study) else { return false };
        let Some(member) = study.document.members.get(&outcome.party) else { return false };
        let statement = outcome.statement();
        let signed =
            self.signer.verify(&member.statements, Domain::Outcome, &statement, &outcome.signature);
        let attempt = session.attempts.get_mut(&number);
        let Some(attempt) = attempt.filter(|it| it.id == outcome.id) else { return false };
        if check && !signed {
            return false;
        }
        match attempt.outcomes.get(&outcome.party) {
            // What this party says of itself it does not hear from others; but that it has said two things counts as for all.
            None if outcome.party == self.config.me => false,
            None => {
                attempt.outcomes.insert(outcome.party.clone(), outcome);
                true
            }
            Some(known) if known.statement() == statement || attempt.proof.is_some() => false,
            Some(known) => {
                attempt.proof = Some(Box::new([known.clone(), outcome.clone()]));
                // All have to hear of it, whatever they have heard before.
                attempt.settled = false;
                let body = json!({ "session": id, "attempt": number, "party": outcome.party });
                self.audit("two_outcomes", body);
                true
            }
        }
    }

    /// What follows from outcomes.
    pub(crate) fn outcomes_changed(&mut self, id: &str, number: u32) {
        let Some(session) = self.sessions.get(id) else { return };
        let Some(attempt) = session.attempts.get(&number) else { return };
        let cheated = attempt.outcomes.values().any(|it| it.ending == Ending::Cheated);
        let (class, study) = (self.class_of(attempt), session.study.clone());
        if cheated || class == Some(Class::Cheated) {
            self.quarantine(&study);
        }
        match class {
            Some(Class::Cheated | Class::Succeeded) => self.end_as(id, Final::Failed, None),
            Some(Class::Partial | Class::Failed) => self.try_again(id),
            None => {}
        }
    }

    fn quarantine(&mut self, id: &str) {
        let Some(study) = self.studies.get_mut(id) else { return };
        if !study.quarantined {
            study.quarantined = true;
            self.audit("quarantined", json!({ "study": id }));
            self.save_study(id);
        }
    }

    /// At home: another attempt, or the end.
    fn try_again(&mut self, id: &str) {
        let wall = self.now.wall_ms;
        let Some(session) = self.sessions.get(id) else { return };
        if session.end.is_some() || !self.is_home(session) || self.recovery.is_some() {
            return;
        }
        let most = self.terms(&session.study).map_or(0, |terms| terms.attempts) as usize;
        let begun = session.attempts.len();
        let outcomes = session.attempts.values().flat_map(|attempt| attempt.outcomes.values());
        let hopeful = outcomes.clone().all(|outcome| match outcome.ending {
            Ending::Failed(failure) => failure.is_retried(),
            _ => true,
        });
        let left = begun < most || !self.holds(Safeguard::Attempts);
        let again = hopeful && left && !session.cancelled && wall < session.expires_ms;
        if !again {
            let cancelled = session.cancelled;
            let state = if cancelled { Final::Cancelled } else { Final::Failed };
            return self.end_as(id, state, None);
        }
        let wait = RETRY_MS[begun.clamp(1, RETRY_MS.len()) - 1];
        if let Some(session) = self.sessions.get_mut(id) {
            session.retry_ms = wall.saturating_add(wait);
        }
        self.save_session(id);
    }

    /// Ends a session: by what its attempts say where results may have opened or it matters, and else as `state` says.
    pub(crate) fn end_as(&mut self, id: &str, state: Final, why: Option<(Code, String)>) {
        let wall = self.now.wall_ms;
        let full = self.holds(Safeguard::FullVector);
        let home = self.sessions.get(id).is_some_and(|session| self.is_home(session));
        let Some(session) = self.sessions.get_mut(id) else { return };
        let begun = !session.attempts.is_empty();
        let classes = session.attempts.values().filter_map(|attempt| match full {
            true => attempt.class(),
            false => Some(class(attempt.outcomes.values())),
        });
        let has = |wanted| classes.clone().any(|class| class == wanted);
        let state = match () {
            () if has(Class::Cheated) => Final::Cheated,
            () if has(Class::Succeeded) => Final::Succeeded,
            () if has(Class::Partial) => Final::Partial,
            () if session.released() => Final::Failed,
            () => state,
        };
        match &session.end {
            Some(end) if end.state == state => return,
            // A lie that comes out later is the only thing that changes an end, unless the end was only assumed.
            Some(_) if state != Final::Cheated && !session.assumed => return,
            _ => {}
        }
        let (code, party) = why.unzip();
        session.end = Some(End { state, code, party: party.clone() });
        (session.ended_ms, session.assumed) = (wall, false);
        session.told.clear();
        let study = session.study.clone();
        let body =
            json!({ "study": study, "session": id, "state": state, "code": code, "party": party });
        self.proposals.remove(id);
        // Of what never began elsewhere a peer could cause any number of entries.
        if home || begun {
            self.audit("session_ended", body);
        }
        self.save_session(id);
        self.say_session(id);
    }

    /// Tells peers what they have yet to hear of a session.
    pub(crate) fn say_session(&mut self, id: &str) {
        if !self.holds(Safeguard::Resend)
            && self.sessions.get(id).is_some_and(|it| it.end.is_none())
        {
            return;
        }
        let Some(session) = self.sessions.get(id) else { return };
        let (study, home) = (session.study.clone(), self.is_home(session));
        let others = self.others_of(&study);
        let mut left = session.end.is_none();
        let numbers: Vec<u32> = session.attempts.keys().copied().collect();
        for number in numbers {
            left |= !self.say_outcomes(id, number, &others);
        }
        let Some(session) = self.sessions.get(id) else { return };
        match session.end.clone() {
            Some(end) if home => {
                let told = session.told.clone();
                for peer in others.into_iter().filter(|peer| !told.contains(peer)) {
                    left = true;
                    if self.links.contains(&peer) && self.may_say(&peer, format!("end {id}")) {
                        let (session, study, end) = (id.to_owned(), study.clone(), end.clone());
                        self.send(&peer, Message::Ended { session, study, end });
                    }
                }
            }
            None if session.cancelled && !home => {
                let home = self.terms(&study).map(|terms| terms.home.clone()).unwrap_or_default();
                if self.links.contains(&home) && self.may_say(&home, format!("cancel {id}")) {
                    self.send(&home, Message::Cancel { session: id.to_owned() });
                }
            }
            _ => {}
        }
        if !left {
            self.open.remove(id);
        }
    }

    /// Tells peers the outcomes that they lack; gives whether all have all.
    fn say_outcomes(&mut self, id: &str, number: u32, others: &[String]) -> bool {
        let Some(attempt) = self.sessions.get(id).and_then(|it| it.attempts.get(&number)) else {
            return true;
        };
        if attempt.settled {
            return true;
        }
        let mine = attempt.outcomes.contains_key(&self.config.me);
        let proven = attempt.proof.is_some() && self.holds(Safeguard::Proofs);
        let whole = mine && (proven || attempt.outcomes.len() > others.len());
        let mut lacking = Vec::new();
        for peer in others {
            let key = (id.to_owned(), number, peer.clone());
            let lacks = match self.holds(Safeguard::Proofs) {
                true => lacks(attempt, self.known.get(&key)),
                false => lacks_parties(attempt, self.known.get(&key)),
            };
            if lacks {
                lacking.push(peer.clone());
            }
        }
        if whole && lacking.is_empty() {
            let attempt = self.sessions.get_mut(id).and_then(|it| it.attempts.get_mut(&number));
            if let Some(attempt) = attempt {
                attempt.settled = true;
            }
            self.save_session(id);
            self.known.retain(|(session, attempt, _), _| session != id || *attempt != number);
            return true;
        }
        let beginning = attempt.beginning.clone();
        let mut outcomes: Vec<Outcome> = attempt.outcomes.values().cloned().collect();
        if let Some(proof) = attempt.proof.as_ref().filter(|_| proven) {
            outcomes.push(proof[1].clone());
        }
        // Who has ended says so; others only answer.
        if !mine {
            return false;
        }
        for peer in lacking.into_iter().filter(|peer| self.links.contains(peer)).collect::<Vec<_>>()
        {
            if self.may_say(&peer, format!("outcomes {id} {number}")) {
                let (beginning, outcomes) = (beginning.clone(), outcomes.clone());
                self.send(&peer, Message::Outcomes { beginning, outcomes });
            }
        }
        false
    }

    /// A peer has outcomes.
    pub(crate) fn outcomes_known(&mut self, from: &str, id: &str, number: u32, theirs: Known) {
        let Some(attempt) = self.sessions.get(id).and_then(|it| it.attempts.get(&number)) else {
            return;
        };
        let members = &attempt.beginning.nonces;
        let all = theirs.words.keys().all(|party| members.contains_key(party));
        if attempt.settled || !members.contains_key(from) || !all {
            return;
        }
        let lacks = lacks(attempt, Some(&theirs));
        self.known.insert((id.to_owned(), number, from.to_owned()), theirs);
        if !lacks {
            self.say_session(id);
        }
    }

    /// Home says what became of a session.
    pub(crate) fn ended_heard(&mut self, from: &str, id: &str, study: &str, end: End) {
        if self.terms(study).is_none_or(|terms| terms.home != from) {
            return;
        }
        let known = Message::EndKnown { session: id.to_owned() };
        let Some(session) = self.sessions.get(id) else {
            let session = Session::new(study.to_owned(), self.now.wall_ms, 0);
            self.gone(from, id, Session { end: Some(end), ended_ms: self.now.wall_ms, ..session });
            return self.send(from, known);
        };
        if session.study != study {
            return;
        }
        if session.live().is_none() && !session.is_running() {
            let fits = match end.state {
                // These follow from outcomes.
                Final::Succeeded | Final::Partial | Final::Cheated => false,
                Final::Failed => !session.attempts.is_empty(),
                Final::Cancelled | Final::Refused | Final::Expired => !session.released(),
            };
            if session.end.is_none() || session.assumed {
                let why = end.code.zip(end.party);
                match end.state {
                    Final::Partial if session.class() == Some(Class::Partial) => {
                        self.end_as(id, Final::Partial, why);
                    }
                    state if fits => self.end_as(id, state, why),
                    _ => {}
                }
            }
            self.reservations.retain(|(session, _), _| session != id);
        }
        if self.sessions.get(id).is_some_and(|session| session.end.is_some()) {
            self.send(from, known);
            self.forget_unbegun(from, id);
        }
    }

    /// At home: a peer knows the end.
    pub(crate) fn end_known(&mut self, from: &str, id: &str) {
        let Some(session) = self.sessions.get(id) else { return };
        let member = self.others_of(&session.study).iter().any(|peer| peer == from);
        let Some(session) = self.sessions.get_mut(id) else { return };
        if member && session.end.is_some() && !session.told.iter().any(|peer| peer == from) {
            session.told.push(from.to_owned());
            self.save_session(id);
            self.say_session(id);
        }
    }

    /// Somebody at a peer does not want a session any more.
    pub(crate) fn cancel_heard(&mut self, from: &str, id: &str) {
        let Some(session) = self.sessions.get(id) else { return };
        if self.others_of(&session.study).iter().any(|peer| peer == from) {
            self.cancel(id, from);
        }
    }

    /// From here on a session is not wanted: what has not passed its gate is ended.
    pub(crate) fn cancel(&mut self, id: &str, by: &str) {
        let Some(session) = self.sessions.get_mut(id) else { return };
        if session.end.is_some() || session.cancelled {
            return;
        }
        session.cancelled = true;
        let running: Vec<u32> = session
            .attempts
            .iter()
            .filter(|(_, attempt)| attempt.stage == Stage::Running)
            .map(|(number, _)| *number)
            .collect();
        self.audit("session_cancelled", json!({ "session": id, "by": by }));
        self.save_session(id);
        for number in running {
            self.effect(Effect::Kill { session: id.to_owned(), attempt: number });
            self.own_outcome(id, number, Ending::Failed(Failure::Cancelled));
        }
        let Some(session) = self.sessions.get(id) else { return };
        if self.is_home(session) && session.live().is_none() {
            self.proposals.remove(id);
            self.reservations.retain(|(session, _), _| session != id);
            self.end_as(id, Final::Cancelled, None);
        }
        self.say_session(id);
    }

    /// Deletes results whose time is over, and archives closed studies without any.
    pub(crate) fn sweep_results(&mut self) {
        let (me, wall) = (self.me(), self.steady_ms());
        let mut kept: BTreeMap<String, usize> = BTreeMap::new();
        let mut old = Vec::new();
        for (id, session) in &self.sessions {
            let seconds = self.terms(&session.study).map_or(0, |terms| terms.results_seconds);
            let over = session.ended_ms.saturating_add(seconds.saturating_mul(1000)) <= wall;
            let has = session.computed(&me).is_some() && !session.forgotten;
            if session.end.is_some() && has && over {
                old.push(id.clone());
            } else if has || session.end.is_none() {
                *kept.entry(session.study.clone()).or_default() += 1;
            }
        }
        for id in old {
            if let Some(session) = self.sessions.get_mut(&id) {
                session.forgotten = true;
            }
            self.audit("results_deleted", json!({ "session": id }));
            self.save_session(&id);
            self.effect(Effect::Forget { session: id });
        }
        let closed: Vec<String> = self
            .studies
            .iter()
            .filter(|(id, study)| {
                study.closed.is_some() && !study.archived && !kept.contains_key(*id)
            })
            .filter(|(_, study)| study.withdrawn.is_none())
            .map(|(id, _)| id.clone())
            .collect();
        for id in closed {
            if let Some(study) = self.studies.get_mut(&id) {
                study.archived = true;
            }
            self.audit("study_archived", json!({ "study": id }));
            self.save_study(&id);
        }
    }

    /// The session of a name or the beginning of an id.
    pub(crate) fn find_session(&self, name: &str) -> Option<(&String, &Session)> {
        let mut found = self.all_sessions().filter(|it| !name.is_empty() && it.0.starts_with(name));
        let first = found.next()?;
        (found.next().is_none() || first.0 == name).then_some(first)
    }

    /// Sessions that are known here, also those of which nothing ever began here.
    pub(crate) fn all_sessions(&self) -> impl Iterator<Item = (&String, &Session)> {
        let gone = self.gone.values().flatten().map(|(id, session)| (id, session));
        self.sessions.iter().chain(gone)
    }

    /// Whether an operator may end a session that waits for outcomes: after a day.
    pub(crate) fn settle_alone(&mut self, id: &str, operator: &str) -> Result<(), String> {
        let wall = self.now.wall_ms;
        let Some(session) = self.sessions.get(id) else { return Err("it is not known".into()) };
        let day = 24 * 3600 * 1000;
        // How it ended here may wait until a peer is back that never comes.
        let unsaid = |number: u32| {
            let key = (id.to_owned(), number);
            self.recovery.is_none() && self.stopped.contains_key(&key)
        };
        let live = session.live().filter(|live| wall.saturating_sub(live.began_ms) >= day);
        let live =
            live.map(|live| (live.beginning.attempt, live.outcomes.contains_key(&self.config.me)));
        let waits = live.filter(|(number, mine)| *mine || unsaid(*number));
        let Some((number, _)) = waits.filter(|_| session.end.is_none()) else {
            return Err(
                "only a session that has waited for other parties' outcomes for 24 hours is ended by hand"
                    .into(),
            );
        };
        if let Some(ending) = self.stopped.remove(&(id.to_owned(), number)) {
            self.own_outcome(id, number, ending);
        }
        if let Some(session) = self.sessions.get_mut(id) {
            session.end = Some(End { state: Final::Partial, code: None, party: None });
            session.ended_ms = wall;
        }
        self.audit("session_settled_alone", json!({ "session": id, "operator": operator }));
        self.save_session(id);
        Ok(())
    }
}
