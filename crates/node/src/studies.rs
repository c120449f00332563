//! Studies: who knows them, who has approved them, and what the others hear of that.

use crate::effect::Table;
use crate::message::Message;
use crate::node::Node;
use crate::safeguard::Safeguard;
use crate::sign::{Domain, Statements};
use crate::study::{Document, Mark, Study, StudyState, canonical};
use serde_json::json;
use std::collections::BTreeMap;

/// Studies that a node knows, at most: a peer cannot fill the disk with them.
const MOST_STUDIES: usize = 10_000;

/// How often a study of a peer may take the place of a withdrawn one, in milliseconds.
const REPLACED_MS: u64 = 60_000;
/// Studies that are not approved here, of one peer at most: nobody takes the place of others.
const MOST_PROPOSED: usize = 64;

/// What peers compare of a study.
pub(crate) fn digest(study: &Study) -> String {
    let marks = |mark: &Option<Mark>| mark.as_ref().map(|mark| mark.party.clone());
    // Who signed is what counts: a party can sign the same in several ways.
    let approvals: Vec<&String> = study.approvals.keys().collect();
    let all = json!([approvals, marks(&study.withdrawn), marks(&study.closed)]);
    blake3::hash(canonical(&all).as_bytes()).to_hex().to_string()
}

impl<S: Statements> Node<S> {
    /// How far a study is here.
    pub(crate) fn state_of(&self, study: &Study) -> StudyState {
        let state = study.state(&self.config.me);
        match state {
            StudyState::Proposed
                if !self.holds(Safeguard::Unanimity) && study.approvals.len() > 1 =>
            {
                StudyState::Open
            }
            state => state,
        }
    }

    /// Whether a document is of this party and of those that it knows.
    pub(crate) fn check_document(&self, document: &Document) -> Result<(), String> {
        document.check()?;
        let known: Vec<&String> = self.config.fingerprints.keys().collect();
        if !document.members.keys().eq(known) {
            return Err(
                "not supported: a study of other parties than those of the party's file".into()
            );
        }
        for (party, member) in &document.members {
            if self.config.fingerprints.get(party) != Some(&member.fingerprint) {
                return Err(format!(
                    "the fingerprint of {party} is not the one in the party's file"
                ));
            }
            let known = match *party == self.config.me {
                true => Some(self.signer.public()),
                false => self.keys.get(party).cloned(),
            };
            match known {
                Some(known) if known == member.statements => {}
                Some(_) => {
                    return Err(format!("the statement key of {party} is not the known one"));
                }
                None => {
                    return Err(format!(
                        "the statement key of {party} is not known yet: its node has to be connected once"
                    ));
                }
            }
        }
        Ok(())
    }

    /// Takes what a peer knows of a study.
    pub(crate) fn study_heard(
        &mut self,
        from: &str,
        document: Document,
        approvals: BTreeMap<String, String>,
        (withdrawn, closed): (Option<Mark>, Option<Mark>),
    ) {
        let id = document.id();
        if !self.studies.contains_key(&id) {
            // What this party approved it may have forgotten, and its parties may have changed since.
            let own = self.recovery.is_some() && self.has_approved(&document, &approvals);
            let known = own || self.check_document(&document).is_ok();
            if !known || !self.makes_room(from) {
                return;
            }
            let name = document.terms.study.clone();
            let study = Study::new(document, self.now.wall_ms);
            self.studies.insert(id.clone(), Study { from: Some(from.to_owned()), ..study });
            self.audit("study_known", json!({ "study": id, "name": name, "from": from }));
            self.save_study(&id);
        }
        let Some(study) = self.studies.get(&id) else { return };
        let before = digest(study);
        let valid = |party: &str, domain, signature: &str| {
            let member = study.document.members.get(party);
            member.is_some_and(|it| {
                self.signer.verify(&it.statements, domain, id.as_bytes(), signature)
            })
        };
        let new: Vec<(String, String)> = approvals
            .into_iter()
            .filter(|(party, _)| !study.approvals.contains_key(party))
            .filter(|(party, signature)| valid(party, Domain::Approval, signature))
            .collect();
        let mark = |mark: Option<Mark>, domain| {
            mark.filter(|mark| valid(&mark.party, domain, &mark.signature))
        };
        let (withdrawn, closed) =
            (mark(withdrawn, Domain::Withdrawal), mark(closed, Domain::Closing));
        for (party, signature) in new {
            self.audit("study_approved", json!({ "study": id, "party": party }));
            if let Some(study) = self.studies.get_mut(&id) {
                study.approvals.insert(party, signature);
            }
        }
        if let Some(mark) = withdrawn {
            self.withdraw(&id, mark);
        }
        if let Some(mark) = closed {
            self.close(&id, mark);
        }
        let Some(study) = self.studies.get(&id) else { return };
        let digest = digest(study);
        if digest != before {
            self.save_study(&id);
        }
        self.send(from, Message::StudyKnown { study: id, digest });
    }

    /// Whether this party approved a study, by its signature.
    fn has_approved(&self, document: &Document, approvals: &BTreeMap<String, String>) -> bool {
        let own = self.signer.public();
        let member = document.members.get(&self.config.me).filter(|it| it.statements == own);
        let signature = member.and_then(|_| approvals.get(&self.config.me));
        let id = document.id();
        signature.is_some_and(|it| self.signer.verify(&own, Domain::Approval, id.as_bytes(), it))
    }

    /// Whether there is room for another study of a peer. A withdrawn one of the same peer makes some, if nobody here had a hand in it.
    fn makes_room(&mut self, peer: &str) -> bool {
        let me = self.me();
        let theirs = self
            .studies
            .iter()
            .filter(|(_, study)| study.from.as_deref() == Some(peer) && !study.is_backed_by(&me));
        let (count, withdrawn) = (
            theirs.clone().count(),
            theirs.filter(|(_, study)| study.withdrawn.is_some()).min_by_key(|it| it.1.known_ms),
        );
        let withdrawn = withdrawn.map(|(id, _)| id.clone());
        if count >= MOST_PROPOSED {
            let now = self.now.mono_ms;
            let last = self.replaced.get(peer).copied();
            let due = last.is_none_or(|at| now.saturating_sub(at) >= REPLACED_MS);
            let Some(id) = withdrawn.filter(|_| due) else { return false };
            self.replaced.insert(peer.to_owned(), now);
            self.studies.remove(&id);
            self.digests.remove(&id);
            self.studies_known.retain(|(study, _), _| *study != id);
            self.remove(Table::Studies, &id);
        }
        self.studies.len() < MOST_STUDIES
    }

    /// Of several parties that withdraw, all nodes keep the first by name.
    pub(crate) fn withdraw(&mut self, id: &str, mark: Mark) {
        let Some(study) = self.studies.get_mut(id) else { return };
        if study.withdrawn.as_ref().is_none_or(|known| mark.party < known.party) {
            let party = mark.party.clone();
            study.withdrawn = Some(mark);
            self.audit("study_withdrawn", json!({ "study": id, "party": party }));
            self.save_study(id);
        }
    }

    /// Of several parties that close, all nodes keep the first by name.
    pub(crate) fn close(&mut self, id: &str, mark: Mark) {
        let wall = self.now.wall_ms;
        let Some(study) = self.studies.get_mut(id) else { return };
        if study.closed.as_ref().is_none_or(|known| mark.party < known.party) {
            if study.closed.is_none() {
                study.closed_ms = wall;
            }
            let party = mark.party.clone();
            study.closed = Some(mark);
            self.audit("study_closed", json!({ "study": id, "party": party }));
            self.save_study(id);
        }
    }

    /// Tells peers what they do not know of studies.
    pub(crate) fn say_studies(&mut self) {
        let me = self.me();
        let mut news = Vec::new();
        for (id, study) in self.studies.iter().filter(|(_, study)| study.is_backed_by(&me)) {
            let digest = self.digests.get(id);
            for peer in study.others(&me).filter(|peer| self.links.contains(*peer)) {
                if self.studies_known.get(&(id.clone(), peer.clone())) != digest {
                    news.push((peer.clone(), id.clone()));
                }
            }
        }
        for (peer, id) in news {
            if self.may_say(&peer, format!("study {id}")) {
                self.say_study(&peer, &id);
            }
        }
    }

    /// Tells a peer all of a study.
    fn say_study(&mut self, peer: &str, id: &str) {
        let Some(study) = self.studies.get(id) else { return };
        let message = Message::Study {
            document: Box::new(study.document.clone()),
            approvals: study.approvals.clone(),
            withdrawn: study.withdrawn.clone(),
            closed: study.closed.clone(),
        };
        self.send(peer, message);
    }

    /// From here on all peers hear of a study at once.
    pub(crate) fn study_changed(&mut self, id: &str) {
        self.save_study(id);
        for peer in self.config.fingerprints.keys().cloned().collect::<Vec<_>>() {
            self.say_anew(&peer, &format!("study {id}"));
        }
        self.say_studies();
    }
}
