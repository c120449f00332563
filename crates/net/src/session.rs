//! One party's side of a session: agreeing, meeting, finishing, aborting.

use crate::error::{AbortKind, MAX_REASON_BYTES, NetError, clean_text};
use crate::facts;
use crate::frame::{Kind, MAX_CONTROL_BYTES};
use crate::mesh::Mesh;
use crate::meter::Meter;
use crate::types::{PartyId, Peer, Peers};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tracing::{debug, info, trace, warn};

/// The control connections of one party.
pub(crate) trait Control: Send {
    /// Sends `payload` to every peer and returns what each party sent in the same operation,
    /// by id (the own payload included).
    fn exchange(&mut self, kind: Kind, payload: &[u8]) -> Result<Vec<Vec<u8>>, NetError>;
    /// Ends the session and tells every peer, if it had not ended yet.
    fn stop(&mut self, reason: &str, cause: NetError);
    /// Closes the connections after a `Done` exchange.
    fn close(&mut self);
}

/// One party's side of a session: a control channel to every peer and one [`Mesh`] per worker.
///
/// Take the meshes out (`std::mem::take(&mut session.meshes)`) to move them into threads.
/// Dropping a session that was not [finished](Session::finish) aborts it for everybody.
pub struct Session {
    /// One mesh per worker thread; worker `i` talks to worker `i` of every peer.
    pub meshes: Vec<Mesh>,
    /// Whether this party shows the others the text of its program, if all do, where their programs differ.
    pub share_program: bool,
    me: PartyId,
    peers: Peers,
    control: Line,
    over: bool,
}

/// The control connections, which a [`MeetingPoint`] may use too.
type Line = Arc<Mutex<Box<dyn Control>>>;

fn locked(line: &Line) -> MutexGuard<'_, Box<dyn Control>> {
    line.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Where all parties of a session meet while its meshes are at work elsewhere. See [`Session::meeting_point`].
pub struct MeetingPoint(Line);

impl MeetingPoint {
    /// Returns once every party has called it, or [`Session::barrier`], in the same place of its order of control operations.
    /// What the others wait for has to be flushed before, by whoever has the meshes.
    ///
    /// # Errors
    /// A peer is gone, aborted, or does not come within the deadline. The session is over then.
    pub fn barrier(&self) -> Result<(), NetError> {
        trace!(operation = Kind::Barrier.name(), "control");
        let mut control = locked(&self.0);
        let result = control.exchange(Kind::Barrier, &[]);
        if let Err(error) = &result {
            control.stop(&error.to_string(), error.clone());
        }
        result.map(drop)
    }
}

impl Session {
    pub(crate) fn new(
        me: PartyId,
        peers: Peers,
        meshes: Vec<Mesh>,
        control: Box<dyn Control>,
    ) -> Session {
        let control = Arc::new(Mutex::new(control));
        Session { meshes, share_program: true, me, peers, control, over: false }
    }

    /// Gives the id of this party.
    #[must_use]
    pub fn me(&self) -> PartyId {
        self.me
    }

    /// Gives the number of parties.
    #[must_use]
    pub fn parties(&self) -> usize {
        self.peers.len()
    }

    /// Gives name and address of a party.
    #[must_use]
    pub fn peer(&self, id: PartyId) -> Option<&Peer> {
        self.peers.get(id.index()).map(Arc::as_ref)
    }

    pub(crate) fn shared_peer(&self, id: PartyId) -> Arc<Peer> {
        self.peers[id.index()].clone()
    }

    /// Gives the sum of the meters of the meshes that are still here.
    #[must_use]
    pub fn meter(&self) -> Meter {
        let mut sum = Meter::new(self.parties());
        for mesh in &self.meshes {
            sum.merge(&mesh.meter());
        }
        sum
    }

    /// Compares (name, value) lists with every peer; all parties must call it with equal lists.
    ///
    /// # Errors
    /// [`NetError::Disagreement`] names the first fact that differs, with both values, at every
    /// party that differs from another.
    pub fn agree(&mut self, facts: &[(&str, String)]) -> Result<(), NetError> {
        match self.compare(facts)? {
            None => Ok(()),
            Some(error) => {
                self.refuse(&error);
                Err(error)
            }
        }
    }

    /// Compares lists as [`Session::agree`] does, and gives the difference, if there is one. The session goes on, so that parties
    /// can tell each other more before they [refuse](Session::refuse).
    ///
    /// # Errors
    /// A peer is gone, aborted, does not come within the deadline, or sends what is no list.
    pub fn compare(&mut self, facts: &[(&str, String)]) -> Result<Option<NetError>, NetError> {
        let names: Vec<&str> = facts.iter().map(|(name, _)| *name).collect();
        debug!(facts = names.join(", "), "comparing with all parties");
        let mine = facts::encode(facts)?;
        let all = self.exchange(Kind::Facts, &mine)?;
        for (peer, theirs) in self.peers.clone().iter().zip(&all) {
            if peer.id != self.me
                && let Err(e) = facts::compare(facts, theirs, peer)
            {
                if matches!(e, NetError::Disagreement { .. }) {
                    return Ok(Some(e));
                }
                self.refuse(&e);
                return Err(e);
            }
        }
        Ok(None)
    }

    /// Ends the session for everybody because of an error, which peers are told of and which must hold nothing secret.
    pub fn refuse(&mut self, error: &NetError) {
        warn!(%error, "the session has ended");
        self.over = true;
        locked(&self.control).stop(&error.to_string(), error.clone());
    }

    /// Returns once every party has called it.
    ///
    /// # Errors
    /// A peer is gone, aborted, or does not come within the deadline.
    pub fn barrier(&mut self) -> Result<(), NetError> {
        self.exchange(Kind::Barrier, &[]).map(drop)
    }

    /// Where all parties meet while the meshes are lent out: one barrier at a time, and no other control operation beside it.
    #[must_use]
    pub fn meeting_point(&self) -> MeetingPoint {
        MeetingPoint(self.control.clone())
    }

    /// Publishes one message of at most [`MAX_CONTROL_BYTES`] and waits for that of every peer; returns all of them
    /// by party. What peers sent is untrusted.
    ///
    /// # Errors
    /// A peer is gone, aborted, or does not come within the deadline; [`NetError::Configuration`] if the own message
    /// is too long.
    pub fn publish(&mut self, message: &[u8]) -> Result<Vec<Vec<u8>>, NetError> {
        self.exchange(Kind::Publish, message)
    }

    /// Ends the session for everybody, if nothing has ended it before. `reason` goes to the peers
    /// and must hold nothing secret.
    pub fn abort(&mut self, kind: AbortKind, reason: &str) {
        warn!(reason, "ending the session for all parties");
        self.over = true;
        locked(&self.control).stop(reason, NetError::Stopped { kind, reason: reason.to_owned() });
    }

    /// Ends the session because this party and another one bring different numbers of what `what` says, and gives the
    /// error to return. `mine` must hold nothing secret.
    #[must_use]
    pub fn disagree(
        &mut self,
        with: PartyId,
        what: &str,
        mine: String,
        theirs: String,
    ) -> NetError {
        let peer = self.shared_peer(with);
        let what = what.into();
        let error = NetError::Disagreement { peer, what, mine, theirs, setting: false };
        self.refuse(&error);
        error
    }

    /// Ends the session well: returns when every party has finished too, so that nobody loses
    /// bytes that are still on their way. The meshes must be here or dropped.
    ///
    /// # Errors
    /// A peer is gone, aborted, or does not finish within the deadline.
    pub fn finish(mut self) -> Result<(), NetError> {
        for mesh in &mut self.meshes {
            mesh.flush()?;
        }
        self.meshes.clear();
        self.exchange(Kind::Done, &[])?;
        self.over = true;
        locked(&self.control).close();
        info!("all parties have finished");
        Ok(())
    }

    fn exchange(&mut self, kind: Kind, payload: &[u8]) -> Result<Vec<Vec<u8>>, NetError> {
        if payload.len() > MAX_CONTROL_BYTES {
            return Err(NetError::Configuration(format!(
                "a control message of {} bytes exceeds the limit of {MAX_CONTROL_BYTES}",
                payload.len()
            )));
        }
        for mesh in &mut self.meshes {
            mesh.flush()?;
        }
        trace!(operation = kind.name(), bytes = payload.len(), "control");
        let result = locked(&self.control).exchange(kind, payload);
        if let Err(error) = &result {
            self.refuse(error);
        }
        result
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        if !self.over {
            let why = "it left the session before finishing";
            locked(&self.control)
                .stop(why, NetError::Stopped { kind: AbortKind::Failure, reason: why.to_owned() });
        }
    }
}

/// Says that a peer was in another control operation than this party.
pub(crate) fn out_of_step(peer: &Arc<Peer>, mine: Kind, theirs: Kind) -> NetError {
    NetError::Disagreement {
        peer: peer.clone(),
        what: "what to do next".into(),
        mine: mine.name().into(),
        theirs: theirs.name().into(),
        setting: true,
    }
}

/// Gives the payload of an abort: the kind of its cause, then the reason.
pub(crate) fn abort_payload(reason: &str, cause: &NetError) -> Vec<u8> {
    abort_words(AbortKind::of(cause), reason)
}

/// Gives the payload of an abort of a known kind: the kind, then the reason.
pub(crate) fn abort_words(kind: AbortKind, reason: &str) -> Vec<u8> {
    let reason = reason.as_bytes();
    let mut payload = vec![kind as u8];
    payload.extend_from_slice(&reason[..reason.len().min(MAX_REASON_BYTES)]);
    payload
}

/// A peer's abort as an error: its reason is bounded and cleaned.
pub(crate) fn aborted(peer: &Arc<Peer>, payload: &[u8]) -> NetError {
    let (kind, reason) = payload.split_first().unwrap_or((&0, &[]));
    NetError::PeerAborted {
        peer: peer.clone(),
        kind: AbortKind::from_byte(*kind),
        reason: clean_text(reason, MAX_REASON_BYTES),
    }
}
