//! What the threads that bring up a party's connections share, and what they report.

use super::hello::{Hello, Purpose, WIRE_VERSION, members_of};
use super::trust::Trust;
use super::wire::Wire;
use super::{PartyAddress, Security, SessionConfig};
use crate::error::NetError;
use crate::identity::{Fingerprint, TlsEnds};
use crate::session_state::POLL_INTERVAL;
use crate::types::{PartyId, Peer, Peers, Stream};
use std::collections::HashMap;
use std::net::{IpAddr, SocketAddr, ToSocketAddrs};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};

/// What the threads that set up connections report.
pub(crate) enum Event {
    Ready {
        peer: usize,
        purpose: Purpose,
        wire: Box<Wire>,
    },
    Failed(NetError),
    /// After the end of the set-up: a peer knows of it.
    Told(usize),
}

/// The connections that are up, by peer and purpose.
pub(crate) type Wires = HashMap<(usize, Purpose), Box<Wire>>;

/// What the threads that set up connections share.
pub(crate) struct Setup {
    pub(crate) config: SessionConfig,
    pub(crate) peers: Peers,
    pub(crate) tls: Option<TlsEnds>,
    pub(crate) deadline: Instant,
    /// Set when nobody waits for connections any more.
    pub(crate) over: AtomicBool,
    /// Set when there will be no session: the payload of the abort that peers get.
    ended: OnceLock<Vec<u8>>,
    /// Who showed the right key, and who another.
    pub(crate) trust: Trust,
    /// Addresses that parties are known to have.
    homes: Mutex<HashMap<IpAddr, Vec<usize>>>,
    /// The latest reason why a connection with a peer (or a stranger) did not come about.
    trouble: Mutex<HashMap<Option<usize>, String>>,
    found: Mutex<Sender<Event>>,
}

impl Setup {
    /// The set-up of a session, and what its threads report.
    pub(crate) fn new(config: &SessionConfig) -> Result<(Arc<Setup>, Receiver<Event>), NetError> {
        config.check()?;
        let tls = match &config.security {
            Security::Tls(identity) => Some(TlsEnds::new(identity)?),
            Security::InsecurePlaintextOnLoopback => {
                require_loopback(config)?;
                None
            }
            Security::InsecurePlaintextOverAnyNetwork => None,
        };
        let peer = |(id, p): (PartyId, &PartyAddress)| {
            Arc::new(Peer { id, name: p.name.clone(), address: p.address.clone() })
        };
        let parties = config.parties.len();
        let peers: Peers = PartyId::all(parties).zip(&config.parties).map(peer).collect();
        let (found, events) = channel();
        let setup = Setup {
            config: config.clone(),
            peers,
            tls,
            deadline: SessionConfig::deadline(config.limits.connect),
            over: AtomicBool::new(false),
            ended: OnceLock::new(),
            trust: Trust::new(parties),
            homes: Mutex::default(),
            trouble: Mutex::default(),
            found: Mutex::new(found),
        };
        Ok((Arc::new(setup), events))
    }

    pub(crate) fn report(&self, event: Event) {
        // Fails only if nobody waits any more.
        let _ = self.found.lock().unwrap_or_else(PoisonError::into_inner).send(event);
    }

    /// There will be no session: from here on peers that come get `payload`.
    pub(crate) fn end(&self, payload: Vec<u8>) {
        // The first reason stays.
        let _ = self.ended.set(payload);
    }

    /// What peers are told when there will be no session; empty as long as there may be one.
    pub(crate) fn ended(&self) -> &[u8] {
        self.ended.get().map_or(&[], Vec::as_slice)
    }

    pub(crate) fn has_ended(&self) -> bool {
        self.ended.get().is_some()
    }

    /// Whether nobody waits for connections any more, not even to refuse them.
    pub(crate) fn is_over(&self) -> bool {
        let late = || !self.has_ended() && Instant::now() >= self.deadline;
        self.over.load(Ordering::Acquire) || late()
    }

    /// Remembers trouble with a peer, or with a stranger, for the error that may follow.
    pub(crate) fn trouble(&self, peer: Option<usize>, what: String) {
        self.trouble.lock().unwrap_or_else(PoisonError::into_inner).insert(peer, what);
    }

    /// The party whose key this is.
    pub(crate) fn owner(&self, key: Fingerprint) -> Option<usize> {
        self.config.parties.iter().position(|party| party.fingerprint == Some(key))
    }

    fn homes(&self) -> MutexGuard<'_, HashMap<IpAddr, Vec<usize>>> {
        self.homes.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Remembers that a party has this address.
    pub(crate) fn lives_at(&self, peer: usize, ip: IpAddr) {
        let mut homes = self.homes();
        let peers = homes.entry(ip.to_canonical()).or_default();
        if !peers.contains(&peer) {
            peers.push(peer);
        }
    }

    /// Whether some party is known to have this address.
    pub(crate) fn is_known(&self, ip: IpAddr) -> bool {
        self.homes().contains_key(&ip.to_canonical())
    }

    /// Whether this party is known to have this address.
    pub(crate) fn is_home(&self, ip: IpAddr, peer: usize) -> bool {
        self.homes().get(&ip.to_canonical()).is_some_and(|peers| peers.contains(&peer))
    }

    /// Looks up the addresses of the parties that dial this one.
    pub(crate) fn find_homes(&self) {
        for peer in self.config.me.index() + 1..self.peers.len() {
            // Where there is no answer, the party is known once it has proved its key.
            let found = self.config.parties[peer].address.to_socket_addrs();
            for address in found.into_iter().flatten() {
                self.lives_at(peer, address.ip());
            }
        }
    }

    /// The names of all parties by id.
    pub(crate) fn members(&self) -> Vec<&str> {
        self.config.parties.iter().map(|party| party.name.as_str()).collect()
    }

    pub(crate) fn notice(&self, text: &str) {
        if let Some(notice) = &self.config.notice {
            notice(text);
        }
    }

    /// The deadline of one handshake that starts now.
    pub(crate) fn handshake_deadline(&self) -> Instant {
        let own = SessionConfig::deadline(self.config.limits.handshake);
        if self.has_ended() { own } else { own.min(self.deadline) }
    }

    /// The hello of a connection between `from` and `to`.
    pub(crate) fn hello(&self, from: PartyId, to: PartyId, purpose: Purpose) -> Hello {
        Hello {
            version: WIRE_VERSION,
            session: self.config.session,
            members: members_of(self.members().into_iter()),
            workers: self.config.workers as u16,
            from,
            to,
            purpose,
        }
    }

    /// That connections are missing when the time is over, and what is known about why.
    pub(crate) fn missing(&self, wires: &Wires) -> NetError {
        let me = self.config.me.index();
        let lacking = |p: &&Arc<Peer>| {
            let has = |purpose| wires.contains_key(&(p.id.index(), purpose));
            p.id.index() != me && !purposes(self.config.workers).all(has)
        };
        let missing: Vec<&Arc<Peer>> = self.peers.iter().filter(lacking).collect();
        if let Some(e) = missing.iter().find_map(|peer| self.trust.last(peer.id.index())) {
            return e;
        }
        let Some(first) = missing.first() else {
            return NetError::Configuration("no connection is missing".into());
        };
        let trouble = self.trouble.lock().unwrap_or_else(PoisonError::into_inner);
        let index = first.id.index();
        let mut hint = format!("not connected within {:.0?}", self.config.limits.connect);
        match index < me {
            true => hint += "; is it started, and is this its address?",
            false => {
                hint += "; it is the one to dial; is it started, and does it know this address?"
            }
        }
        for why in [Some(index), None].iter().filter_map(|k| trouble.get(k)) {
            hint += &format!(" Last trouble: {why}.");
        }
        if let [_, others @ ..] = &missing[..]
            && !others.is_empty()
        {
            let names: Vec<String> = others.iter().map(|p| p.to_string()).collect();
            hint += &format!(" Also missing: {}.", names.join(", "));
        }
        NetError::NotConnected { peer: (*first).clone(), hint }
    }
}

/// All connections that one pair of parties has.
pub(crate) fn purposes(workers: usize) -> impl Iterator<Item = Purpose> {
    let data = (0..workers as u16).flat_map(|worker| {
        Stream::ALL.into_iter().map(move |stream| Purpose::Data { worker, stream })
    });
    std::iter::once(Purpose::Control).chain(data)
}

fn require_loopback(config: &SessionConfig) -> Result<(), NetError> {
    for party in &config.parties {
        let addresses: Vec<SocketAddr> = party
            .address
            .to_socket_addrs()
            .map_err(|e| {
                NetError::Configuration(format!("address {} of {}: {e}", party.address, party.name))
            })?
            .collect();
        if !addresses.iter().all(|a| a.ip().is_loopback()) {
            return Err(NetError::Configuration(format!(
                "plaintext is refused: {} of {} is not on this machine's loopback interface, so \
                 anyone on the way could read and change everything; use TLS, or ask for \
                 plaintext over any network by its own name",
                party.address, party.name
            )));
        }
    }
    Ok(())
}

/// A thread of the set-up.
pub(crate) fn spawn(name: &str, run: impl FnOnce() + Send + 'static) -> Result<(), NetError> {
    std::thread::Builder::new()
        .name(name.into())
        .spawn(run)
        .map(drop)
        .map_err(|e| NetError::Configuration(format!("cannot start a thread: {e}")))
}

/// Sleeps, but not much longer than someone waits for the result.
pub(crate) fn pause(setup: &Setup, time: Duration) {
    let until = Instant::now() + time;
    while Instant::now() < until && !setup.is_over() {
        let left = until.saturating_duration_since(Instant::now());
        std::thread::sleep(left.min(POLL_INTERVAL));
    }
}
