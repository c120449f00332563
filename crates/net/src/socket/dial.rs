//! Dialing: the party with the higher id opens all connections of a pair.

use super::hello::{Answer, MEMBERS, Purpose};
use super::setup::{Event, Setup, pause, purposes};
use super::sockets::prepare;
use super::tls::Tls;
use super::trust::{DIALER_PATIENCE, not_known, wrong_key};
use super::wire::{Stall, Wire};
use crate::error::{AbortKind, NetError};
use crate::identity::{Caller, Fingerprint};
use crate::session::aborted;
use crate::types::PartyId;
use std::net::{TcpStream, ToSocketAddrs};
use std::time::{Duration, Instant};

const FIRST_PAUSE: Duration = Duration::from_millis(20);
/// While nobody is there.
const LONGEST_PAUSE: Duration = Duration::from_secs(1);
/// While somebody is there: a listener with many guests drops some.
const SHORT_PAUSE: Duration = Duration::from_millis(200);
const LONGEST_TRY: Duration = Duration::from_secs(5);
/// Connections to one peer that are set up at the same time.
const AT_ONCE: usize = 8;

/// Why one attempt came to nothing.
enum Miss {
    /// Nobody is there.
    Away(String),
    /// The connection was opened, and ended too early.
    Dropped(String),
    /// Another key than the pinned one was shown, or this party's was not known.
    Key(Fingerprint, NetError),
    Never(NetError),
}

/// Opens all connections to `peer`: first the control connection, which shows whether the peer is
/// there and right, then the others side by side.
pub(crate) fn dial_peer(setup: &Setup, peer: usize) {
    let result = caller(setup, peer).and_then(|tls| {
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

fn caller(setup: &Setup, peer: usize) -> Result<Option<Caller>, NetError> {
    let pinned = setup.config.parties[peer].fingerprint;
    match (&setup.tls, pinned) {
        (Some(ends), Some(pinned)) => ends.caller(pinned).map(Some),
        _ => Ok(None),
    }
}

/// Tells `peer` that there will be no session, trying again until somebody hears it.
pub(crate) fn say_farewell(setup: &Setup, peer: usize) {
    let mut wait = FIRST_PAUSE;
    let Ok(tls) = caller(setup, peer) else { return };
    while !setup.is_over() {
        // What is no answer of a party that may be told is no use either.
        match attempt(setup, peer, Purpose::Farewell, tls.as_ref()) {
            Ok(_) | Err(Miss::Never(_) | Miss::Key(..)) => return setup.report(Event::Told(peer)),
            Err(Miss::Away(_) | Miss::Dropped(_)) => {}
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
    tls: Option<&Caller>,
) -> Result<(), NetError> {
    let mut wait = FIRST_PAUSE;
    let started = Instant::now();
    let mut said = false;
    while !setup.is_over() && !setup.has_ended() {
        let longest = match attempt(setup, peer, purpose, tls) {
            Ok(wire) => {
                setup.trust.met(peer);
                setup.report(Event::Ready { peer, purpose, wire: Box::new(wire) });
                return Ok(());
            }
            Err(Miss::Never(e)) => return Err(e),
            Err(Miss::Key(shown, e)) => {
                setup.trouble(Some(peer), e.to_string());
                setup.trust.doubt(peer, shown, true, e);
                SHORT_PAUSE
            }
            Err(Miss::Dropped(why)) => {
                setup.trouble(Some(peer), why);
                SHORT_PAUSE
            }
            Err(Miss::Away(why)) => {
                setup.trouble(Some(peer), why);
                LONGEST_PAUSE
            }
        };
        if let Some(e) = setup.trust.lasting(peer, DIALER_PATIENCE) {
            return Err(e);
        }
        if !said && started.elapsed() > LONGEST_PAUSE {
            said = true;
            setup.notice(&format!("waiting for {} ...", setup.peers[peer]));
        }
        wait = wait.min(longest);
        pause(setup, wait);
        wait *= 2;
    }
    Ok(())
}

fn attempt(
    setup: &Setup,
    peer: usize,
    purpose: Purpose,
    tls: Option<&Caller>,
) -> Result<Wire, Miss> {
    let stream = open(setup, &setup.config.parties[peer].address)?;
    let fd = prepare(stream, &setup.config.limits).map_err(|e| Miss::Dropped(e.to_string()))?;
    let end = match tls {
        None => None,
        Some(caller) => Some(Tls::client(caller.dial().map_err(Miss::Never)?)),
    };
    let mut wire = Wire::new(fd, end);
    let deadline = setup.handshake_deadline();
    let missed = |stall| miss(setup, peer, tls, stall);
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
            let mine = match what == MEMBERS {
                true => setup.members().join(", "),
                false => mine,
            };
            Err(Miss::Never(NetError::Disagreement { peer, what, mine, theirs, setting: true }))
        }
        Answer::Ended(payload) => Err(Miss::Never(aborted(&peer, &payload))),
        Answer::Refused(reason) => {
            let kind = AbortKind::Failure;
            Err(Miss::Never(NetError::PeerAborted { peer, kind, reason }))
        }
        Answer::UnknownKey => Err(match &setup.tls {
            Some(ends) => {
                let me = &setup.peers[setup.config.me.index()].name;
                let mine = ends.fingerprint();
                Miss::Key(mine, not_known(&peer, me, mine))
            }
            None => Miss::Dropped("it asks for a key, but the session is in plaintext".into()),
        }),
    }
}

fn open(setup: &Setup, address: &str) -> Result<TcpStream, Miss> {
    let again = |e: std::io::Error| Miss::Away(format!("{address}: {e}"));
    let mut last = Miss::Away(format!("{address} has no address"));
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

fn miss(setup: &Setup, peer: usize, tls: Option<&Caller>, stall: Stall) -> Miss {
    match (&stall, tls.and_then(Caller::wrong_key)) {
        (Stall::WrongKey, Some(shown)) => {
            let owner = setup.owner(shown).map(|owner| setup.peers[owner].name.as_str());
            let (peer, pinned) = (&setup.peers[peer], setup.config.parties[peer].fingerprint);
            Miss::Key(shown, wrong_key(peer, "what answers there shows", shown, owner, pinned))
        }
        _ => Miss::Dropped(stall.describe()),
    }
}
