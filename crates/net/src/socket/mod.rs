//! Sessions over TCP: TLS 1.3 by default, plaintext by a loud name.
//!
//! All connections of a party go through its one listening port. The party with the higher id
//! dials. Each pair of parties has a control connection and, per worker and stream, one data
//! connection without any framing: flow control is the kernel's, and streams never hold each
//! other up.

mod channel;
mod control;
mod dial;
mod ends;
mod establish;
mod farewell;
mod hello;
mod kept;
mod listen;
mod lobby;
mod setup;
mod sockets;
mod stopper;
mod tls;
mod transport;
mod trust;
pub(crate) mod wire;

pub use establish::{Missed, connect, meet};
pub use farewell::Farewell;
pub(crate) use setup::spawn;
pub(crate) use sockets::open_listener;
pub use stopper::Stopper;

use crate::error::NetError;
use crate::identity::{Fingerprint, Identity};
use crate::link::LinkProfile;
use crate::types::PartyId;
use sha2::{Digest, Sha256};
use std::collections::HashMap;
use std::fmt;
use std::net::TcpListener;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Names one session, so that connections of different sessions never mix.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub struct SessionId(pub [u8; 16]);

impl SessionId {
    /// Gives the id that stands for a name: the first half of its SHA-256 digest.
    #[must_use]
    pub fn named(name: &str) -> SessionId {
        let digest: [u8; 32] = Sha256::digest(name.as_bytes()).into();
        let mut id = [0; 16];
        id.copy_from_slice(&digest[..16]);
        SessionId(id)
    }
}

impl fmt::Display for SessionId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|b| write!(f, "{b:02x}"))
    }
}

/// The address of a party, and the name and key by which it is known.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PartyAddress {
    /// The party's name, the same at all parties: they compare the names by id before anything else.
    pub name: String,
    /// The address, as `host:port`. For this party: where it listens.
    pub address: String,
    /// The pinned fingerprint of its public key; only plaintext does without.
    pub fingerprint: Option<Fingerprint>,
}

/// The protection of connections.
#[derive(Clone, Debug)]
pub enum Security {
    /// TLS 1.3 with mutual authentication, under this identity.
    Tls(Box<Identity>),
    /// No protection at all, on the loopback interface of this machine only.
    InsecurePlaintextOnLoopback,
    /// No protection at all, over any network: everything can be read and changed by others.
    InsecurePlaintextOverAnyNetwork,
}

/// Deadlines and bounds.
#[derive(Clone, Debug)]
pub struct Limits {
    /// The time for all parties to come up and connect.
    pub connect: Duration,
    /// The time for one connection's handshake and hello. A listener waits 2 s at most for a first word.
    pub handshake: Duration,
    /// The time without progress after which a wait for data fails. A peer that shows no sign of life
    /// at all for twice this time (and at least 10 s) is given up too.
    pub progress: Duration,
    /// The time that a party waits in a control operation (agree, barrier, finish) for a peer that is
    /// alive but busy.
    pub meeting: Duration,
    /// Bytes that the meshes of a session may keep for later, together: received ahead of their `recv` so that a peer
    /// is not blocked, or sent on `Pre` to a peer that does not take them.
    pub kept_bytes: usize,
    /// Socket buffers in bytes; `None` leaves them to the system (on loopback: 1 MiB).
    pub socket_buffer_bytes: Option<usize>,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            connect: Duration::from_secs(30),
            handshake: Duration::from_secs(10),
            progress: Duration::from_secs(30),
            meeting: Duration::from_secs(3600),
            kept_bytes: 1 << 30,
            socket_buffer_bytes: None,
        }
    }
}

/// Takes messages for the user while a session is being set up ("waiting for peer bob ...").
pub type Notice = Arc<dyn Fn(&str) + Send + Sync>;

/// All that [`connect`] needs to know of a session.
#[derive(Clone)]
pub struct SessionConfig {
    /// This party.
    pub me: PartyId,
    /// The session; the same for all parties.
    pub session: SessionId,
    /// Meshes per party; the same for all parties.
    pub workers: usize,
    /// All parties by id, this one included.
    pub parties: Vec<PartyAddress>,
    /// How connections are protected.
    pub security: Security,
    /// An open listening socket to use instead of this party's address.
    pub listener: Option<Arc<TcpListener>>,
    /// Links from this party that are to be slowed down.
    pub shape: HashMap<PartyId, LinkProfile>,
    /// Deadlines and bounds.
    pub limits: Limits,
    /// Where messages go; `None` is silent.
    pub notice: Option<Notice>,
    /// What ends the session from another thread.
    pub stopper: Stopper,
    /// Whether this party shows the others the text of its program, if all do, where their programs differ.
    pub share_program: bool,
}

impl SessionConfig {
    /// A configuration with one worker, default limits and no shaping.
    #[must_use]
    pub fn new(
        me: PartyId,
        session: SessionId,
        parties: Vec<PartyAddress>,
        security: Security,
    ) -> SessionConfig {
        SessionConfig {
            me,
            session,
            workers: 1,
            parties,
            security,
            listener: None,
            shape: HashMap::new(),
            limits: Limits::default(),
            notice: None,
            stopper: Stopper::default(),
            share_program: true,
        }
    }

    /// When a wait of `time` from now ends.
    pub(crate) fn deadline(time: Duration) -> Instant {
        const LONG: Duration = Duration::from_secs(30 * 86400);
        Instant::now() + time.min(LONG)
    }

    pub(crate) fn check(&self) -> Result<(), NetError> {
        let wrong = |why: String| Err(NetError::Configuration(why));
        let n = self.parties.len();
        if n == 1 {
            return wrong(
                "this party knows no other yet; add their cards with `tacit party add`".into(),
            );
        }
        if !(2..=255).contains(&n) {
            return wrong(format!("a session has 2 to 255 parties, not {n}"));
        }
        if self.me.index() >= n {
            return wrong(format!("{} does not exist in a session of {n}", self.me));
        }
        if self.workers == 0 || self.workers > usize::from(u16::MAX) {
            return wrong(format!("a session has 1 to 65535 workers, not {}", self.workers));
        }
        if let Security::Tls(identity) = &self.security {
            let mine = self.parties[self.me.index()].fingerprint;
            if mine.is_some_and(|pinned| pinned != identity.fingerprint()) {
                return wrong(format!(
                    "the own certificate has fingerprint {}, but the list of parties says otherwise",
                    identity.fingerprint()
                ));
            }
            if let Some(p) = self.parties.iter().find(|p| p.fingerprint.is_none()) {
                return wrong(format!("party {} has no fingerprint to check", p.name));
            }
            let mut seen = HashMap::new();
            for p in &self.parties {
                if let Some(other) = p.fingerprint.and_then(|f| seen.insert(f, &p.name)) {
                    return wrong(format!("{other} and {} have the same fingerprint", p.name));
                }
            }
        }
        Ok(())
    }
}
