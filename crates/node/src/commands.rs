//! What operators ask, and what they are shown.

use crate::command::{Answer, Command, Dataset, Measures, Problem, Version};
use crate::effect::Table;
use crate::node::{Node, Request};
use crate::safeguard::Safeguard;
use crate::session::{Attempt, Ending, Failure, Session, Stage};
use crate::sign::{Domain, Statements};
use crate::study::{Document, Mark, Study, StudyState, check_name};
use serde_json::{Value, json};

/// Longest key of a request, in bytes.
const MAX_KEY_BYTES: usize = 128;

fn missing(what: &str, name: &str) -> Problem {
    let more = match what {
        "session" => ", or several begin so",
        _ => "",
    };
    let detail = format!("there is no {what} `{name}` here{more}: `tacit {what} list` has them");
    Problem::new(404, &format!("unknown_{what}"), detail)
}

fn conflict(code: &str, detail: impl Into<String>) -> Problem {
    Problem::new(409, code, detail)
}

/// A version of a dataset, for operators: without its digest.
fn version_view(version: &Version) -> Value {
    json!({
        "version": version.version,
        "rows": version.rows,
        "at_ms": version.at_ms,
        "differences": version.differences,
    })
}

impl<S: Statements> Node<S> {
    /// BLAKE3 of the bytes of a dataset's version, as hex digits.
    #[must_use]
    pub fn table_digest(&self, dataset: &str, version: &str) -> Option<&str> {
        let versions = &self.datasets.get(dataset)?.versions;
        let version = versions.iter().find(|it| it.version == version);
        version.map(|it| &it.digest[..])
    }

    pub(crate) fn command(&mut self, operator: &str, command: Command) -> Answer {
        match command {
            Command::ProposeStudy(document) => self.propose_study(operator, *document),
            Command::ApproveStudy(study) => self.approve(operator, &study),
            Command::WithdrawStudy(study) => self.mark(operator, &study, Domain::Withdrawal),
            Command::CloseStudy(study) => self.mark(operator, &study, Domain::Closing),
            Command::ClearStudy(study) => self.clear(operator, &study),
            Command::BindStudy { study, dataset } => self.bind(operator, &study, &dataset),
            Command::ListStudies => {
                let mut all: Vec<(&String, &Study)> = self.studies.iter().collect();
                all.sort_by_key(|(_, study)| study.known_ms);
                Ok(all.into_iter().map(|(id, study)| self.study_view(id, study)).collect())
            }
            Command::ShowStudy(name) => {
                let (id, study) = self.study(&name)?;
                let mut view = self.study_view(&id, study);
                view["terms"] = json!(study.document.terms);
                view["program"] = json!(study.document.program);
                view["program_digest"] = json!(study.document.program_digest);
                view["members"] = json!(study.document.members);
                Ok(view)
            }
            Command::AddDataset { dataset, version } => self.add(operator, &dataset, version),
            Command::ListDatasets => {
                let all = self.datasets.iter();
                let view = |(name, it): (&String, &Dataset)| {
                    let versions: Vec<Value> = it.versions.iter().map(version_view).collect();
                    json!({ "dataset": name, "versions": versions })
                };
                Ok(all.map(view).collect())
            }
            Command::StartSession { study, key } => self.start_session(operator, &study, key),
            Command::ListSessions => {
                let mut all: Vec<(&String, &Session)> = self.all_sessions().collect();
                all.sort_by_key(|(_, session)| session.created_ms);
                Ok(all.into_iter().map(|(id, it)| self.session_view(id, it)).collect())
            }
            Command::ShowSession(name) => {
                let found = self.find_session(&name);
                let (id, session) = found.ok_or_else(|| missing("session", &name))?;
                Ok(self.session_view(id, session))
            }
            Command::CancelSession(name) => {
                let id = self.session(&name)?;
                self.cancel(&id, operator);
                Ok(self.view_of(&id))
            }
            Command::SettleSession(name) => {
                let id = self.session(&name)?;
                self.settle_alone(&id, operator).map_err(|why| conflict("not_settled", why))?;
                Ok(self.view_of(&id))
            }
            Command::Results(name) => self.results(&name),
            Command::Status => Ok(self.status()),
            Command::Measures => Ok(json!(self.measures())),
            Command::Drain => {
                self.draining = true;
                self.audit("draining", json!({ "operator": operator }));
                Ok(self.status())
            }
            Command::Recover(charges) => self.recover(operator, &charges),
            Command::AuditHead => Ok(json!(self.head)),
        }
    }

    /// The study of an id, or the only one of this name or with an id that begins so. A name that is also the beginning of another
    /// study's id is nobody's.
    pub(crate) fn study(&self, name: &str) -> Result<(String, &Study), Problem> {
        if let Some(study) = self.studies.get(name) {
            return Ok((name.to_owned(), study));
        }
        let fits = |(id, study): &(&String, &Study)| {
            study.document.terms.study == name || (name.len() >= 6 && id.starts_with(name))
        };
        let mut found = self.studies.iter().filter(fits);
        match (found.next(), found.next()) {
            (Some((id, study)), None) => Ok((id.clone(), study)),
            (Some(_), Some(_)) => {
                let detail = format!(
                    "`{name}` is the name of several studies here, or an id begins so: list them, and give the whole id"
                );
                Err(conflict("ambiguous_study", detail))
            }
            _ => Err(missing("study", name)),
        }
    }

    fn session(&self, name: &str) -> Result<String, Problem> {
        let found = self.find_session(name).map(|(id, _)| id.clone());
        found.ok_or_else(|| missing("session", name))
    }

    fn propose_study(&mut self, operator: &str, document: Document) -> Answer {
        self.check_document(&document).map_err(|why| Problem::new(422, "invalid_study", why))?;
        let (id, name) = (document.id(), document.terms.study.clone());
        let other = |(known, study): (&String, &Study)| {
            let over = matches!(
                study.state(&self.config.me),
                StudyState::Withdrawn | StudyState::Archived
            );
            *known != id && study.document.terms.study == name && !over
        };
        if self.studies.iter().any(other) {
            let detail = format!(
                "another study is called {name} here: nothing in a study can be changed, so give this one a name of its own, \
                 or withdraw the other; a closed one gives its name back when it is archived"
            );
            return Err(conflict("name_taken", detail));
        }
        if !self.studies.contains_key(&id) {
            self.studies.insert(id.clone(), Study::new(document, self.now.wall_ms));
            self.audit(
                "study_proposed",
                json!({ "study": id, "name": name, "operator": operator }),
            );
            self.study_changed(&id);
        }
        self.show_study(&id)
    }

    fn show_study(&self, id: &str) -> Answer {
        let study = self.studies.get(id).ok_or_else(|| missing("study", id))?;
        Ok(self.study_view(id, study))
    }

    fn approve(&mut self, operator: &str, name: &str) -> Answer {
        let me = self.me();
        let (id, study) = self.study(name)?;
        if study.state(&me) != StudyState::Proposed {
            return self.show_study(&id);
        }
        let protocol = study.document.terms.protocol.clone();
        if !self.config.policy.allows(&protocol) {
            let allowed = self.config.policy.protocols.join(", ");
            let detail =
                format!("the policy of this node allows {allowed}, and the study wants {protocol}");
            return Err(conflict("protocol_not_allowed", detail));
        }
        let wanted = self.config.policy.approvals.max(1) as usize;
        let signature = self.signer.sign(Domain::Approval, id.as_bytes());
        let Some(study) = self.studies.get_mut(&id) else { return Err(missing("study", name)) };
        if !study.operators.iter().any(|known| known == operator) {
            study.operators.push(operator.to_owned());
        }
        if study.operators.len() >= wanted {
            study.approvals.entry(me.clone()).or_insert(signature);
        }
        let body = json!({ "study": id, "party": me, "operator": operator });
        self.audit("study_approved", body);
        self.study_changed(&id);
        self.show_study(&id)
    }

    fn mark(&mut self, operator: &str, name: &str, domain: Domain) -> Answer {
        let me = self.me();
        let (id, study) = self.study(name)?;
        let state = study.state(&me);
        let mark = Mark { party: me, signature: self.signer.sign(domain, id.as_bytes()) };
        match (domain, state) {
            (_, StudyState::Withdrawn | StudyState::Archived) => return self.show_study(&id),
            (Domain::Withdrawal, StudyState::Closed) => {
                return Err(conflict(
                    "closed",
                    "the study is closed: it runs no more sessions, and cannot be withdrawn any more",
                ));
            }
            (Domain::Withdrawal, _) => self.withdraw(&id, mark),
            (_, StudyState::Proposed) => {
                return Err(conflict(
                    "not_approved",
                    "the study is not approved by all: withdraw it instead",
                ));
            }
            _ => self.close(&id, mark),
        }
        let body = json!({ "study": id, "operator": operator, "what": domain.text() });
        self.audit("study_marked", body);
        self.study_changed(&id);
        self.show_study(&id)
    }

    fn clear(&mut self, operator: &str, name: &str) -> Answer {
        let (id, _) = self.study(name)?;
        if let Some(study) = self.studies.get_mut(&id).filter(|study| study.quarantined) {
            study.quarantined = false;
            self.audit("study_cleared", json!({ "study": id, "operator": operator }));
            self.save_study(&id);
        }
        self.show_study(&id)
    }

    fn bind(&mut self, operator: &str, name: &str, dataset: &str) -> Answer {
        let me = self.me();
        let (id, study) = self.study(name)?;
        if !study.wants_table_of(&me) {
            return Err(conflict("no_table", format!("the study asks no table of {me}")));
        }
        if !self.datasets.contains_key(dataset) {
            return Err(missing("dataset", dataset));
        }
        if let Some(study) = self.studies.get_mut(&id) {
            study.bound = Some(dataset.to_owned());
        }
        let body = json!({ "study": id, "dataset": dataset, "operator": operator });
        self.audit("study_bound", body);
        self.save_study(&id);
        self.show_study(&id)
    }

    fn add(&mut self, operator: &str, dataset: &str, version: Version) -> Answer {
        check_name(dataset).map_err(|why| Problem::new(422, "invalid_name", why))?;
        let known = self.datasets.entry(dataset.to_owned()).or_default();
        let (id, rows) = (version.version.clone(), version.rows);
        known.versions.push(version);
        let value = known.clone();
        self.put(Table::Datasets, dataset, &value);
        let body = json!({ "dataset": dataset, "version": id, "rows": rows, "operator": operator });
        self.audit("dataset_added", body.clone());
        Ok(body)
    }

    fn start_session(&mut self, operator: &str, name: &str, key: Option<String>) -> Answer {
        let (study_id, study) = self.study(name)?;
        let terms = &study.document.terms;
        if key.as_ref().is_some_and(|key| key.is_empty() || key.len() > MAX_KEY_BYTES) {
            let detail = format!("an idempotency key has from 1 to {MAX_KEY_BYTES} bytes");
            return Err(Problem::new(422, "invalid_key", detail));
        }
        let known = key.as_ref().and_then(|key| self.requests.get(key));
        if let Some(known) = known.filter(|_| self.holds(Safeguard::Idempotency)) {
            return match known.study == study_id {
                true => Ok(self.view_of(&known.session.clone())),
                false => Err(conflict(
                    "key_reused",
                    "this idempotency key was used for a session of another study",
                )),
            };
        }
        if terms.home != self.config.me {
            let detail = format!("sessions of this study are started at its home, {}", terms.home);
            return Err(conflict("not_home", detail));
        }
        if self.recovery.is_some() {
            return Err(conflict("rolled_back", crate::Code::RolledBack.advice()));
        }
        if self.draining {
            return Err(Problem::new(503, "draining", crate::Code::Draining.advice()));
        }
        let code = match self.state_of(study) {
            StudyState::Open => None,
            StudyState::Proposed => Some(crate::Code::NotApproved),
            _ => Some(crate::Code::NotOpen),
        };
        if let Some(code) = code {
            return Err(conflict(code.name(), code.advice()));
        }
        let expires = terms.expires_seconds;
        let id = self.draw()[..32].to_owned();
        let wall = self.now.wall_ms;
        self.sessions.insert(id.clone(), Session::new(study_id.clone(), wall, expires));
        if let Some(key) = key {
            let (study, session) = (study_id.clone(), id.clone());
            let request = Request { study, session, at_ms: wall };
            self.put(Table::Idempotency, &key, &request);
            self.requests.insert(key, request);
        }
        let body = json!({ "study": study_id, "session": id, "operator": operator });
        self.audit("session_started", body);
        self.save_session(&id);
        self.propose_if_due(&id);
        Ok(self.view_of(&id))
    }

    fn results(&self, name: &str) -> Answer {
        use crate::session::Final::{Cheated, Partial, Succeeded};
        let id = self.session(name)?;
        let no_results =
            || Problem::new(404, "no_results", "this party has no results of the session");
        let session = self.sessions.get(&id).ok_or_else(no_results)?;
        let quarantined = self.studies.get(&session.study).is_some_and(|it| it.quarantined);
        match (&session.end, session.computed(&self.config.me)) {
            (None, _) => Err(conflict("not_ended", "the session has not ended yet")),
            (Some(end), _) if end.state == Cheated && quarantined => Err(conflict(
                "cheated",
                "somebody cheated in this session, or one party says so: find out who, and run `tacit study clear` to read what was computed",
            )),
            _ if session.forgotten => {
                Err(Problem::new(410, "deleted", "the results are deleted, as the study wants it"))
            }
            (Some(end), Some(attempt)) if matches!(end.state, Succeeded | Partial | Cheated) => {
                Ok(json!({ "session": id, "attempt": attempt, "study": session.study }))
            }
            _ => Err(no_results()),
        }
    }

    pub(crate) fn status(&self) -> Value {
        let running = self.sessions.values().filter(|session| session.is_running()).count();
        let queued = self.sessions.values().filter(|session| session.end.is_none()).count();
        let peers = self.config.fingerprints.keys().filter(|peer| **peer != self.config.me);
        let peer = |peer: &String| json!({ "peer": peer, "connected": self.links.contains(peer) });
        json!({
            "party": self.config.me,
            "engine": self.config.engine,
            "statements": self.signer.public(),
            "draining": self.draining,
            "recovery": self.recovery_view(),
            "peers": peers.map(peer).collect::<Vec<_>>(),
            "studies": self.studies.len(),
            "sessions": { "all": self.sessions.len(), "open": queued, "running": running },
            "audit": self.head,
            "policy": self.config.policy,
            "limits": self.config.limits,
        })
    }

    /// Numbers to watch a node by.
    fn measures(&self) -> Measures {
        let mut all = Measures {
            audit_entries: self.head.seq,
            rolled_back: self.recovery.is_some(),
            draining: self.draining,
            ..Measures::default()
        };
        let peers = self.config.fingerprints.keys().filter(|peer| **peer != self.config.me);
        all.peers = peers.map(|peer| (peer.clone(), self.links.contains(peer))).collect();
        for (id, session) in &self.sessions {
            let state = self.state_name(id, session);
            *all.sessions.entry(state).or_default() += 1;
            if session.end.is_none() {
                let age = self.now.wall_ms.saturating_sub(session.created_ms);
                all.oldest_ms = all.oldest_ms.max(age);
            }
            let name = self.terms(&session.study).map(|terms| terms.study.clone());
            for class in session.attempts.values().filter_map(Attempt::class) {
                let key = (name.clone().unwrap_or_default(), json!(class));
                let class = key.1.as_str().unwrap_or_default().to_owned();
                *all.attempts.entry(key.0).or_default().entry(class).or_default() += 1;
            }
        }
        for (id, study) in self.studies.iter().filter(|(_, it)| it.is_backed_by(&self.config.me)) {
            all.quarantined += u64::from(study.quarantined);
            if self.state_of(study) == StudyState::Open {
                let spent = self.ledger.values().filter(|charge| charge.study == *id).count();
                let terms = &study.document.terms;
                let left = u64::from(terms.releases).saturating_sub(spent as u64);
                all.releases_left.insert(terms.study.clone(), left);
            }
        }
        all
    }

    fn study_view(&self, id: &str, study: &Study) -> Value {
        let terms = &study.document.terms;
        let lacks = study.document.members.keys().filter(|it| !study.approvals.contains_key(*it));
        let spent = self.ledger.values().filter(|charge| charge.study == id).count();
        json!({
            "id": id,
            "study": terms.study,
            "purpose": terms.purpose,
            "state": self.state_of(study),
            "protocol": terms.protocol,
            "parties": terms.parties,
            "home": terms.home,
            "approved_by": study.approvals.keys().collect::<Vec<_>>(),
            "not_approved_by": lacks.collect::<Vec<_>>(),
            "withdrawn_by": study.withdrawn.as_ref().map(|mark| &mark.party),
            "closed_by": study.closed.as_ref().map(|mark| &mark.party),
            "asked": study.wants_table_of(&self.config.me),
            "bound": study.bound,
            "quarantined": study.quarantined,
            "releases": { "spent": spent, "agreed": terms.releases },
        })
    }

    fn view_of(&self, id: &str) -> Value {
        self.sessions.get(id).map_or(Value::Null, |session| self.session_view(id, session))
    }

    fn session_view(&self, id: &str, session: &Session) -> Value {
        let end = session.end.as_ref();
        let attempts =
            session.attempts.iter().map(|(number, attempt)| attempt_view(*number, attempt));
        json!({
            "session": id,
            "study": session.study,
            "study_name": self.terms(&session.study).map(|terms| &terms.study),
            "state": self.state_name(id, session),
            "ended": end.is_some(),
            "code": end.and_then(|end| end.code),
            "advice": end.and_then(|end| end.code).map(crate::Code::advice),
            "refused_by": end.and_then(|end| end.party.as_ref()),
            "why": self.why(session),
            "waiting": self.waiting(id, session),
            "created_ms": session.created_ms,
            "expires_ms": session.expires_ms,
            "charged": self.is_charged(id),
            "ended_ms": end.map(|_| session.ended_ms),
            "has_results": session.computed(&self.config.me).is_some() && !session.forgotten,
            "attempts": attempts.collect::<Vec<_>>(),
        })
    }

    /// Why a session has not succeeded, as far as the last attempt's outcomes say it: of those who failed by themselves.
    fn why(&self, session: &Session) -> Option<String> {
        let last = session.attempts.values().next_back()?;
        let failed = last.outcomes.values().filter_map(|it| match it.ending {
            Ending::Failed(failure) => Some((&it.party, failure)),
            _ => None,
        });
        let own = failed.clone().filter(|(_, failure)| !failure.follows());
        let said = |(party, failure): (&String, Failure)| format!("{party} {}", failure.meaning());
        let mut all: Vec<String> = own.map(said).collect();
        if all.is_empty() {
            all = failed.map(said).collect();
        }
        let cheated = last.outcomes.values().filter(|it| it.ending == Ending::Cheated);
        all.extend(cheated.map(|it| format!("{} says that somebody cheated", it.party)));
        if let Some(proof) = &last.proof {
            all.push(format!("{} signed two different ends", proof[0].party));
        }
        let withdrawn = self.studies.get(&session.study).and_then(|it| it.withdrawn.as_ref());
        all.extend(withdrawn.map(|mark| format!("{} withdrew the study", mark.party)));
        (!all.is_empty()).then(|| all.join("; "))
    }

    /// What became of a session, or how far it is.
    fn state_name(&self, id: &str, session: &Session) -> String {
        match &session.end {
            Some(end) => json!(end.state).as_str().unwrap_or_default().to_owned(),
            None => self.stage_name(id, session).to_owned(),
        }
    }

    fn stage_name(&self, id: &str, session: &Session) -> &'static str {
        match session.live().map(|attempt| attempt.stage) {
            Some(Stage::Running) => "running",
            Some(Stage::Released) => "released",
            Some(Stage::Over) => "settling",
            None if self.proposals.contains_key(id) => "proposed",
            None => "queued",
        }
    }

    /// What a session that has not ended waits for.
    fn waiting(&self, id: &str, session: &Session) -> Option<String> {
        if session.end.is_some() {
            return None;
        }
        if let Some(live) = session.live() {
            let silent = live.beginning.nonces.keys().filter(|it| !live.outcomes.contains_key(*it));
            let silent: Vec<&str> = silent.map(String::as_str).collect();
            return Some(match live.stage {
                Stage::Over => format!("{} to say how the attempt ended", silent.join(", ")),
                _ => "its worker".to_owned(),
            });
        }
        let others = self.others_of(&session.study);
        let down: Vec<&str> =
            others.iter().filter(|it| !self.links.contains(*it)).map(String::as_str).collect();
        Some(match () {
            () if !self.is_home(session) => "its home to propose an attempt".to_owned(),
            () if !down.is_empty() => {
                format!("the nodes of {}, which are not connected", down.join(", "))
            }
            () if self.recovery.is_some() => "`tacit node recover` at this node".to_owned(),
            () if self.draining => "this node to start again".to_owned(),
            () if self.proposals.contains_key(id) => "the votes of the other parties".to_owned(),
            () if session.retry_ms > self.now.wall_ms => {
                format!(
                    "its next attempt, in {} s",
                    (session.retry_ms - self.now.wall_ms).div_ceil(1000)
                )
            }
            () => "its turn".to_owned(),
        })
    }
}

fn attempt_view(number: u32, attempt: &Attempt) -> Value {
    let outcomes = attempt.outcomes.values().map(|outcome| {
        json!({ "party": outcome.party, "ending": outcome.ending, "released": outcome.released })
    });
    json!({
        "attempt": number,
        "stage": attempt.stage,
        "class": attempt.class(),
        "began_ms": attempt.began_ms,
        "outcomes": outcomes.collect::<Vec<_>>(),
    })
}
