//! Dialing: the party with the higher id opens all connections of a pair.

use super::establish::{Event, Setup, pause, prepare, purposes};
use super::hello::{Answer, Purpose};
use super::tls::Tls;
use super::wire::{Stall, Wire};
use crate::error::{AbortKind, NetError};
use crate::identity::TlsEnds;
use crate::session::aborted;
use crate::types::PartyId;
use rustls::ClientConfig;
use std::net::{TcpStream, ToSocketAddrs};
use std::sync::Arc;
use std::time::{Duration, Instant};

const FIRST_PAUSE: Duration = Duration::from_millis(20);
const LONGEST_PAUSE: Duration = Duration::from_secs(1);
const LONGEST_TRY: Duration = Duration::from_secs(5);
/// Connections to one peer that are set up at the same time.
const AT_ONCE: usize = 8;

/// Why one attempt came to nothing.
enum Miss {
    Again(String),
    Never(NetError),
}

/// Opens all connections to `peer`: first the control connection, which shows whether the peer is
/// there and right, then the others side by side.
pub(crate) fn dial_peer(setup: &Setup, peer: usize) {
    let result = tls_config(setup, peer).and_then(|tls| {
        let tls = tls.as_ref();
        dial(setup, peer, Purpose::Control, tls)?;
        let rest: Vec<Purpose> = purposes(setup.config.workers).skip(1).collect();
        let each = rest.len().div_ceil(AT_ONCE).max(1);
        std::thread::scope(|scope| {
            for purposes in rest.chunks(each) {
                scope.spawn(move || {
                    for &purpose in purposes {
                        if let Err(e) = dial(setup, peer, purpose, tls) {
                            return setup.report(Event::Failed(e));
                        }
                    }
                });
            }
        });
        Ok(())
    });
    if let Err(e) = result {
        setup.report(Event::Failed(e));
    }
}

fn tls_config(setup: &Setup, peer: usize) -> Result<Option<Arc<ClientConfig>>, NetError> {
    let pinned = setup.config.parties[peer].fingerprint;
    match (&setup.tls, pinned) {
        (Some(ends), Some(pinned)) => ends.client_config(pinned).map(Some),
        _ => Ok(None),
    }
}

/// Tells `peer` that there will be no session, trying again until somebody hears it.
pub(crate) fn say_farewell(setup: &Setup, peer: usize) {
    let mut wait = FIRST_PAUSE;
    let Ok(tls) = tls_config(setup, peer) else { return };
    while !setup.is_over() {
        // What is no answer of a party that may be told is no use either.
        match attempt(setup, peer, Purpose::Farewell, tls.as_ref()) {
            Ok(_) | Err(Miss::Never(_)) => return setup.report(Event::Told(peer)),
            Err(Miss::Again(_)) => {}
        }
        pause(setup, wait);
        wait = (wait * 2).min(LONGEST_PAUSE);
    }
}

/// Opens one connection, trying again until the set-up is over.
fn dial(
    setup: &Setup,
    peer: usize,
    purpose: Purpose,
    tls: Option<&Arc<ClientConfig>>,
) -> Result<(), NetError> {
    let mut wait = FIRST_PAUSE;
    let started = Instant::now();
    let mut said = false;
    while !setup.is_over() && !setup.has_ended() {
        match attempt(setup, peer, purpose, tls) {
            Ok(wire) => {
                setup.report(Event::Ready { peer, purpose, wire: Box::new(wire) });
                return Ok(());
            }
            Err(Miss::Never(e)) => return Err(e),
            Err(Miss::Again(why)) => {
                setup.trouble(Some(peer), why);
                if !said && started.elapsed() > LONGEST_PAUSE {
                    said = true;
                    setup.notice(&format!("waiting for {} ...", setup.peers[peer]));
                }
            }
        }
        pause(setup, wait);
        wait = (wait * 2).min(LONGEST_PAUSE);
    }
    Ok(())
}

fn attempt(
    setup: &Setup,
    peer: usize,
    purpose: Purpose,
    tls: Option<&Arc<ClientConfig>>,
) -> Result<Wire, Miss> {
    let stream = open(setup, &setup.config.parties[peer].address)?;
    let again = |e: std::io::Error| Miss::Again(e.to_string());
    let fd = prepare(stream, setup).map_err(again)?;
    let tls = match tls {
        None => None,
        Some(config) => Some(Tls::client(TlsEnds::dial(config).map_err(Miss::Never)?)),
    };
    let mut wire = Wire::new(fd, tls);
    let deadline = setup.handshake_deadline();
    let missed = |stall| miss(setup, peer, stall);
    wire.handshake(deadline).map_err(missed)?;
    let hello = setup.hello(setup.config.me, PartyId(peer as u8), purpose);
    let mut words = hello.encode();
    if purpose == Purpose::Farewell {
        words.extend_from_slice(&(setup.ended().len() as u16).to_le_bytes());
        words.extend_from_slice(setup.ended());
    }
    wire.write_all(&words, deadline).map_err(missed)?;
    let mut header = [0; 3];
    wire.read_all(&mut header, deadline).map_err(missed)?;
    let len = Answer::text_len(header).ok_or_else(|| {
        Miss::Never(NetError::Misbehaviour {
            peer: setup.peers[peer].clone(),
            what: "what answers at its address is not a Tacit party".into(),
        })
    })?;
    let mut text = vec![0; len];
    wire.read_all(&mut text, deadline).map_err(missed)?;
    let peer = setup.peers[peer].clone();
    match Answer::decode(header[0], &text) {
        Answer::Welcome => Ok(wire),
        Answer::Differs([what, theirs, mine]) => {
            Err(Miss::Never(NetError::Disagreement { peer, what, mine, theirs }))
        }
        Answer::Ended(payload) => Err(Miss::Never(aborted(&peer, &payload))),
        Answer::Refused(reason) => {
            let kind = AbortKind::Failure;
            Err(Miss::Never(NetError::PeerAborted { peer, kind, reason }))
        }
    }
}

fn open(setup: &Setup, address: &str) -> Result<TcpStream, Miss> {
    let again = |e: std::io::Error| Miss::Again(format!("{address}: {e}"));
    let mut last = Miss::Again(format!("{address} has no address"));
    for socket_address in address.to_socket_addrs().map_err(again)? {
        let left = setup.deadline.saturating_duration_since(Instant::now());
        if left.is_zero() {
            break;
        }
        match TcpStream::connect_timeout(&socket_address, left.min(LONGEST_TRY)) {
            Ok(stream) => return Ok(stream),
            Err(e) => last = again(e),
        }
    }
    Err(last)
}

fn miss(setup: &Setup, peer: usize, stall: Stall) -> Miss {
    match stall {
        Stall::Unauthorised(why) => {
            let pinned = setup.config.parties[peer].fingerprint;
            let pinned = pinned.map_or_else(String::new, |f| format!(" (expected there: {f})"));
            let own = &setup.config.parties[setup.config.me.index()];
            let mine = own.fingerprint.map_or_else(String::new, |f| f.to_string());
            Miss::Never(NetError::Unauthorised {
                peer: setup.peers[peer].clone(),
                hint: format!(
                    "{why}{pinned}; this party is {} {mine}; compare the fingerprints in both \
                     configurations",
                    own.name
                ),
            })
        }
        other => Miss::Again(other.describe()),
    }
}
