//! Bringing up all connections of one party.

use super::channel::Channel;
use super::control::SocketControl;
use super::dial::dial_peer;
use super::ends::Ends;
use super::hello::{Answer, Hello, Purpose, WIRE_VERSION};
use super::listen::listen;
use super::transport::SocketTransport;
use super::wire::Wire;
use super::{Security, SessionConfig};
use crate::error::NetError;
use crate::fate::GLANCE;
use crate::frame;
use crate::identity::TlsEnds;
use crate::mesh::Mesh;
use crate::session::{Kind, Session, abort_payload};
use crate::shaper::Pacer;
use crate::types::{PartyId, Peer, Peers, Stream};
use rustix::net::sockopt;
use std::collections::HashMap;
use std::net::{SocketAddr, TcpListener, TcpStream, ToSocketAddrs};
use std::os::fd::{AsFd, OwnedFd};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Socket buffers on the loopback interface, where the system's own choice grows until the bytes
/// in flight no longer fit the processor's cache.
const LOOPBACK_BUFFER_BYTES: usize = 1 << 20;

/// What the threads that set up connections report.
pub(crate) enum Event {
    Ready { peer: usize, purpose: Purpose, wire: Box<Wire> },
    Failed(NetError),
}

/// What the threads that set up connections share.
pub(crate) struct Setup {
    pub(crate) config: SessionConfig,
    pub(crate) peers: Peers,
    pub(crate) tls: Option<TlsEnds>,
    pub(crate) deadline: Instant,
    /// Set when nobody waits for connections any more.
    pub(crate) over: AtomicBool,
    /// The latest reason why a connection with a peer (or a stranger) did not come about.
    trouble: Mutex<HashMap<Option<usize>, String>>,
    found: Mutex<Sender<Event>>,
}

impl Setup {
    pub(crate) fn report(&self, event: Event) {
        // Fails only if nobody waits any more.
        let _ = self.found.lock().unwrap_or_else(PoisonError::into_inner).send(event);
    }

    pub(crate) fn is_over(&self) -> bool {
        self.over.load(Ordering::Acquire) || Instant::now() >= self.deadline
    }

    /// Remembers trouble with a peer, or with a stranger, for the error that may follow.
    pub(crate) fn trouble(&self, peer: Option<usize>, what: String) {
        self.trouble.lock().unwrap_or_else(PoisonError::into_inner).insert(peer, what);
    }

    pub(crate) fn notice(&self, text: &str) {
        if let Some(notice) = &self.config.notice {
            notice(text);
        }
    }

    /// The deadline of one handshake that starts now.
    pub(crate) fn handshake_deadline(&self) -> Instant {
        let own = SessionConfig::deadline(self.config.limits.handshake);
        own.min(self.deadline)
    }

    /// The hello of a connection between `from` and `to`.
    pub(crate) fn hello(&self, from: PartyId, to: PartyId, purpose: Purpose) -> Hello {
        Hello {
            version: WIRE_VERSION,
            session: self.config.session,
            parties: self.peers.len() as u8,
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
        NetError::Network { peer: (*first).clone(), hint }
    }
}

/// All connections that one pair of parties has.
pub(crate) fn purposes(workers: usize) -> impl Iterator<Item = Purpose> {
    let data = (0..workers as u16).flat_map(|worker| {
        Stream::ALL.into_iter().map(move |stream| Purpose::Data { worker, stream })
    });
    std::iter::once(Purpose::Control).chain(data)
}

/// Connects this party with all others and returns when every connection is up. Parties may
/// start in any order.
///
/// # Errors
/// The configuration is wrong, the port is taken, a peer does not come up in time, is not who it
/// should be, or is in another session.
pub fn connect(config: &SessionConfig) -> Result<Session, NetError> {
    config.check()?;
    let allowed = config.parties.iter().filter_map(|p| p.fingerprint);
    let tls = match &config.security {
        Security::Tls(identity) => Some(TlsEnds::new(identity, allowed.collect())?),
        Security::InsecurePlaintextOnLoopback => {
            require_loopback(config)?;
            None
        }
        Security::InsecurePlaintextOverAnyNetwork => None,
    };
    let listener = open_listener(config)?;
    let peer = |(id, p): (PartyId, &super::PartyAddress)| {
        Arc::new(Peer { id, name: p.name.clone(), address: p.address.clone() })
    };
    let parties = config.parties.len();
    let peers: Peers = PartyId::all(parties).zip(&config.parties).map(peer).collect();
    let (found, events) = channel();
    let setup = Arc::new(Setup {
        config: config.clone(),
        peers,
        tls,
        deadline: SessionConfig::deadline(config.limits.connect),
        over: AtomicBool::new(false),
        trouble: Mutex::default(),
        found: Mutex::new(found),
    });
    let result = gather(&setup, listener, &events);
    setup.over.store(true, Ordering::Release);
    build(&setup, result?)
}

type Wires = HashMap<(usize, Purpose), Box<Wire>>;

fn gather(
    setup: &Arc<Setup>,
    listener: TcpListener,
    events: &Receiver<Event>,
) -> Result<Wires, NetError> {
    let (me, n) = (setup.config.me.index(), setup.peers.len());
    if me + 1 < n {
        let setup = setup.clone();
        spawn("tacit-listen", move || listen(&setup, &listener))?;
    }
    for peer in 0..me {
        let setup = setup.clone();
        spawn("tacit-dial", move || dial_peer(&setup, peer))?;
    }
    let wanted = (n - 1) * purposes(setup.config.workers).count();
    let mut wires = Wires::new();
    while wires.len() < wanted {
        let left = setup.deadline.saturating_duration_since(Instant::now());
        match events.recv_timeout(left) {
            Ok(Event::Ready { peer, purpose, wire }) => {
                wires.insert((peer, purpose), wire);
            }
            Ok(Event::Failed(e)) => {
                say_goodbye(&mut wires, &e);
                return Err(e);
            }
            Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => {
                let e = setup.missing(&wires);
                say_goodbye(&mut wires, &e);
                return Err(e);
            }
        }
    }
    Ok(wires)
}

/// Tells the peers that are connected already why this party gives up.
fn say_goodbye(wires: &mut Wires, why: &NetError) {
    let frame = frame::encode(Kind::Abort, &abort_payload(&why.to_string(), why));
    for ((_, purpose), wire) in wires {
        if *purpose == Purpose::Control {
            // A peer that is gone needs no goodbye.
            let _ = wire.write_all(&frame, Instant::now() + GLANCE);
            wire.end();
        }
    }
}

fn build(setup: &Setup, mut wires: Wires) -> Result<Session, NetError> {
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
    let ends = Arc::new(Ends::new(me, setup.peers.clone(), config.limits.clone())?);
    let others: Vec<usize> = (0..n).filter(|&p| p != me.index()).collect();
    let lines =
        others.iter().filter_map(|&p| Some((p, *wires.remove(&(p, Purpose::Control))?))).collect();
    let control = SocketControl::start(ends.clone(), lines, pacings)?;
    let mut meshes = Vec::with_capacity(config.workers);
    for worker in 0..config.workers as u16 {
        let channels = (0..n)
            .flat_map(|p| Stream::ALL.map(|stream| (p, Purpose::Data { worker, stream })))
            .map(|key| wires.remove(&key).map(|wire| Channel::new(*wire)))
            .collect();
        let transport = SocketTransport::new(ends.clone(), channels);
        meshes.push(Mesh::new(me, setup.peers.clone(), Box::new(transport)));
    }
    Ok(Session::new(me, setup.peers.clone(), meshes, Box::new(control)))
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
    let listener = match &config.listener {
        Some(listener) => listener.try_clone(),
        None => TcpListener::bind(address.as_str()),
    }
    .map_err(wrong)?;
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
        std::thread::sleep(left.min(GLANCE));
    }
}

/// The answer to a hello that differs from what was expected, as both sides see it.
pub(crate) fn differs(what: &str, mine: &str, theirs: &str) -> Answer {
    Answer::Differs([what.to_owned(), mine.to_owned(), theirs.to_owned()])
}
