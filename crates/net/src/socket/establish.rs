//! Bringing up all connections of one party.

use super::channel::Channel;
use super::control::SocketControl;
use super::dial::dial_peer;
use super::ends::Ends;
use super::farewell::{Farewell, farewell_payload};
use super::hello::{Answer, Hello, Purpose, WIRE_VERSION, members_of};
use super::listen::Listening;
use super::lobby::Lobby;
use super::transport::SocketTransport;
use super::trust::Trust;
use super::wire::Wire;
use super::{Security, SessionConfig};
use crate::error::{AbortKind, NetError};
use crate::frame;
use crate::identity::{Fingerprint, TlsEnds};
use crate::mesh::Mesh;
use crate::session::{Kind, Session};
use crate::session_state::POLL_INTERVAL;
use crate::shaper::Pacer;
use crate::types::{PartyId, Peer, Peers, Stream};
use rustix::net::sockopt;
use std::collections::HashMap;
use std::net::{IpAddr, SocketAddr, TcpListener, TcpStream, ToSocketAddrs};
use std::os::fd::{AsFd, OwnedFd};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread;
use std::time::{Duration, Instant};
use tracing::{debug, info, warn};

/// Socket buffers on the loopback interface, where the system's own choice grows until the bytes
/// in flight no longer fit the processor's cache.
const LOOPBACK_BUFFER_BYTES: usize = 1 << 20;

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
        let peer = |(id, p): (PartyId, &super::PartyAddress)| {
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

    fn missing(&self, wires: &HashMap<(usize, Purpose), Box<Wire>>) -> NetError {
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

/// Why a session did not come about, and what the others have not heard of it.
pub struct Missed {
    /// What happened.
    pub error: NetError,
    /// For the parties that still wait, or are about to come.
    pub farewell: Farewell,
}

impl Missed {
    fn alone(error: NetError) -> Missed {
        Missed { error, farewell: Farewell::nobody() }
    }
}

/// How long [`connect`] goes on telling others when it has failed.
const PARTING: Duration = Duration::from_secs(1);

/// Connects this party with all others, for callers that need not be quick when there is no session. It does what
/// [`meet`] does, and if that fails it goes on for up to a second to tell the parties that have not heard why.
///
/// # Errors
/// The configuration is wrong, the port is taken, a peer does not come up in time, is not who it
/// should be, is in another session, leaves, or says that it ends the session.
pub fn connect(config: &SessionConfig) -> Result<Session, NetError> {
    meet(config).map_err(|mut missed| {
        missed.farewell.tell(PARTING);
        missed.error
    })
}

/// Connects this party with all others and returns when every connection is up. Parties may
/// start in any order.
///
/// # Errors
/// The configuration is wrong, the port is taken, a peer does not come up in time, is not who it
/// should be, is in another session, leaves, or says that it ends the session. Peers that are
/// connected are told then; the others wait until they are told by [`Missed::farewell`].
pub fn meet(config: &SessionConfig) -> Result<Session, Missed> {
    let (setup, events) = Setup::new(config).map_err(Missed::alone)?;
    let waiting = Arc::downgrade(&setup);
    config.stopper.attach(move |kind, reason| {
        if let Some(setup) = waiting.upgrade() {
            setup.report(Event::Failed(NetError::Stopped { kind, reason: reason.to_owned() }));
        }
    });
    let (parties, workers) = (config.parties.len(), config.workers);
    info!(parties, workers, tls = setup.tls.is_some(), "meeting the other parties");
    let (mut wires, mut lobby) = (Wires::new(), Lobby::default());
    match gather(&setup, &events, &mut wires, &mut lobby) {
        Ok(listening) => {
            info!("connected with all parties");
            setup.over.store(true, Ordering::Release);
            listening.into_iter().for_each(Listening::close);
            build(&setup, wires, lobby).map_err(Missed::alone)
        }
        Err(error) => {
            warn!(%error, "the parties do not meet");
            setup.end(farewell_payload(AbortKind::of(&error), &said(&error)));
            let told = say_goodbye(&mut wires, setup.ended());
            let untold = untold(&setup, &error, &told);
            // Who ended it tells everybody; others may wait to tell this party, too.
            let known =
                matches!(error, NetError::PeerAborted { .. } | NetError::Unauthorised { .. });
            Err(Missed { error, farewell: Farewell::of(setup, events, untold, known) })
        }
    }
}

/// An error as peers hear it: of another party's abort, its reason.
fn said(error: &NetError) -> String {
    match error {
        NetError::PeerAborted { peer, reason, .. } => format!("{peer} ended it: {reason}"),
        error => error.to_string(),
    }
}

/// Who must still hear that the set-up ended.
fn untold(setup: &Setup, error: &NetError, told: &[usize]) -> Vec<usize> {
    // Who did not come in time may never come.
    if matches!(error, NetError::NotConnected { .. }) {
        return Vec::new();
    }
    let (me, knows) = (setup.config.me.index(), knows(error));
    let others = (0..setup.peers.len()).filter(|peer| *peer != me && Some(*peer) != knows);
    others.filter(|peer| !told.contains(peer)).collect()
}

/// Whom this party need not tell about an error: the peer it is about knows, or cannot be told.
pub(crate) fn knows(error: &NetError) -> Option<usize> {
    match error {
        NetError::PeerAborted { peer, .. }
        | NetError::Disagreement { peer, .. }
        | NetError::Unauthorised { peer, .. }
        | NetError::Misbehaviour { peer, .. }
        | NetError::Network { peer, .. } => Some(peer.id.index()),
        _ => None,
    }
}

pub(crate) type Wires = HashMap<(usize, Purpose), Box<Wire>>;

fn gather(
    setup: &Arc<Setup>,
    events: &Receiver<Event>,
    wires: &mut Wires,
    lobby: &mut Lobby,
) -> Result<Option<Listening>, NetError> {
    let listener = open_listener(&setup.config)?;
    let (me, n) = (setup.config.me.index(), setup.peers.len());
    let mut listening = None;
    if me + 1 < n {
        listening = Some(Listening::start(setup, listener)?);
    }
    for peer in 0..me {
        let setup = setup.clone();
        spawn("tacit-dial", move || dial_peer(&setup, peer))?;
    }
    let wanted = (n - 1) * purposes(setup.config.workers).count();
    while wires.len() < wanted {
        let left = setup.deadline.saturating_duration_since(Instant::now());
        match events.recv_timeout(left.min(POLL_INTERVAL)) {
            Ok(Event::Ready { peer, purpose, wire }) => {
                debug!(peer = %setup.peers[peer], ?purpose, "connected");
                wires.insert((peer, purpose), wire);
                if purpose == Purpose::Control {
                    lobby.enter(peer);
                }
            }
            Ok(Event::Failed(e)) => return Err(e),
            Ok(Event::Told(_)) => {}
            Err(RecvTimeoutError::Timeout) if !left.is_zero() => lobby.look(setup, wires)?,
            Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => {
                return Err(setup.missing(wires));
            }
        }
    }
    Ok(listening)
}

/// Tells the peers that are connected already why this party gives up; returns those.
fn say_goodbye(wires: &mut Wires, payload: &[u8]) -> Vec<usize> {
    let mut told = Vec::new();
    for ((peer, purpose), wire) in wires {
        if *purpose == Purpose::Control {
            send_abort(wire, payload);
            told.push(*peer);
        }
    }
    told
}

/// The last words on a control connection.
pub(crate) fn send_abort(wire: &mut Wire, payload: &[u8]) {
    // A peer that is gone needs no goodbye.
    let _ = wire.write_all(&frame::encode(Kind::Abort, payload), Instant::now() + POLL_INTERVAL);
    wire.end();
}

fn build(setup: &Setup, mut wires: Wires, mut lobby: Lobby) -> Result<Session, NetError> {
    let config = &setup.config;
    let (me, n) = (config.me, setup.peers.len());
    let mut pacers: HashMap<usize, Pacer> = HashMap::new();
    for (&to, profile) in &config.shape {
        pacers.insert(to.index(), Pacer::new(profile));
    }
    for ((peer, _), wire) in &mut wires {
        if let Some(pacer) = pacers.get_mut(peer) {
            pacer.adopt(wire)?;
        }
    }
    let pacings = pacers.into_values().map(Pacer::start).collect::<Result<_, _>>()?;
    let ends = Arc::new(Ends::new(
        me,
        setup.peers.clone(),
        config.limits.clone(),
        config.stopper.clone(),
        config.workers,
    )?);
    let others: Vec<usize> = (0..n).filter(|&p| p != me.index()).collect();
    let line = |&peer: &usize| {
        let wire = wires.remove(&(peer, Purpose::Control))?;
        Some((peer, *wire, lobby.take(peer)))
    };
    let lines = others.iter().filter_map(line).collect();
    let control = SocketControl::start(ends.clone(), lines, pacings)?;
    let ended = Arc::downgrade(&ends);
    config.stopper.attach(move |kind, reason| {
        if let Some(ends) = ended.upgrade() {
            ends.stop(reason, NetError::Stopped { kind, reason: reason.to_owned() });
        }
    });
    let mut meshes = Vec::with_capacity(config.workers);
    for worker in 0..config.workers as u16 {
        let channels = (0..n)
            .flat_map(|p| Stream::ALL.map(|stream| (p, Purpose::Data { worker, stream })))
            .map(|key| wires.remove(&key).map(|wire| Channel::new(*wire)))
            .collect();
        let transport = SocketTransport::new(ends.clone(), channels);
        meshes.push(Mesh::new(me, setup.peers.clone(), Box::new(transport)));
    }
    let mut session = Session::new(me, setup.peers.clone(), meshes, Box::new(control));
    session.share_program = config.share_program;
    Ok(session)
}

/// Sets what every connection needs: no delay of small messages, buffers, close on exec.
pub(crate) fn prepare(stream: TcpStream, setup: &Setup) -> std::io::Result<OwnedFd> {
    stream.set_nodelay(true)?;
    stream.set_nonblocking(true)?;
    let loopback = stream.peer_addr()?.ip().is_loopback();
    let default = loopback.then_some(LOOPBACK_BUFFER_BYTES);
    set_buffers(&stream, setup.config.limits.socket_buffer_bytes.or(default))?;
    Ok(stream.into())
}

fn set_buffers(socket: impl AsFd, bytes: Option<usize>) -> std::io::Result<()> {
    if let Some(bytes) = bytes {
        sockopt::set_socket_send_buffer_size(&socket, bytes)?;
        sockopt::set_socket_recv_buffer_size(&socket, bytes)?;
    }
    Ok(())
}

/// How long the port of a session that is over may still be open: the thread that listens looks up every [`POLL_INTERVAL`].
const CLOSING: Duration = POLL_INTERVAL.saturating_mul(4);

/// This party's listening socket, non-blocking.
pub(crate) fn open_listener(config: &SessionConfig) -> Result<TcpListener, NetError> {
    let address = &config.parties[config.me.index()].address;
    let wrong = |e: std::io::Error| NetError::Listen {
        address: address.clone(),
        hint: match e.kind() {
            std::io::ErrorKind::AddrInUse => {
                "the port is in use; stop what uses it or choose another".into()
            }
            std::io::ErrorKind::AddrNotAvailable => "this machine has no such address".into(),
            std::io::ErrorKind::PermissionDenied => {
                "the port is reserved; choose one above 1023".into()
            }
            _ => e.to_string(),
        },
    };
    let bound = || match &config.listener {
        Some(listener) => listener.try_clone(),
        None => TcpListener::bind(address.as_str()),
    };
    let until = Instant::now() + CLOSING;
    let listener = loop {
        match bound() {
            Err(e) if e.kind() == std::io::ErrorKind::AddrInUse && Instant::now() < until => {
                thread::sleep(CLOSING / 20);
            }
            result => break result.map_err(wrong)?,
        }
    };
    listener.set_nonblocking(true).map_err(wrong)?;
    set_buffers(&listener, config.limits.socket_buffer_bytes).map_err(wrong)?;
    Ok(listener)
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

/// The answer to a hello that differs from what was expected, as both sides see it.
pub(crate) fn differs(what: &str, mine: &str, theirs: &str) -> Answer {
    Answer::Differs([what.to_owned(), mine.to_owned(), theirs.to_owned()])
}
