//! Bringing up all connections of one party.

use super::SessionConfig;
use super::channel::Channel;
use super::control::SocketControl;
use super::dial::dial_peer;
use super::ends::Ends;
use super::farewell::{Farewell, farewell_payload, knows, send_abort};
use super::hello::Purpose;
use super::listen::Listening;
use super::lobby::Lobby;
use super::setup::{Event, Setup, Wires, purposes, spawn};
use super::sockets::open_listener;
use super::transport::SocketTransport;
use crate::error::{AbortKind, NetError};
use crate::mesh::Mesh;
use crate::session::Session;
use crate::session_state::POLL_INTERVAL;
use crate::shaper::Pacer;
use crate::types::Stream;
use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};
use tracing::{debug, info, warn};

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
