//! Listening: accepts the connections of parties with higher ids, and drops everything else.

use super::establish::{Event, Setup, differs, prepare};
use super::hello::{Answer, HELLO_BYTES, Hello, MAX_REFUSAL_BYTES, Purpose};
use super::tls::Tls;
use super::wire::{Stall, Wire, timespec};
use crate::error::NetError;
use crate::fate::GLANCE;
use crate::identity::fingerprint_of;
use crate::session::aborted;
use crate::types::{PartyId, Peer};
use rustix::event::{PollFd, PollFlags, poll};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

/// Handshakes that may be going on at the same time. A party that finds no room tries again.
const MAX_PENDING: usize = 64;

/// Accepts connections until the set-up is over.
pub(crate) fn listen(setup: &Arc<Setup>, listener: &TcpListener) {
    let pending = Arc::new(AtomicUsize::new(0));
    while !setup.is_over() {
        let mut fds = [PollFd::new(listener, PollFlags::IN)];
        // Whatever poll says, accept shows what is there.
        let _ = poll(&mut fds, Some(&timespec(GLANCE)));
        while let Ok((stream, from)) = listener.accept() {
            if pending.fetch_add(1, Ordering::AcqRel) >= MAX_PENDING {
                pending.fetch_sub(1, Ordering::AcqRel);
                continue;
            }
            let (setup, pending) = (setup.clone(), pending.clone());
            let count = pending.clone();
            let spawned = super::establish::spawn("tacit-greet", move || {
                greet(&setup, stream, from);
                pending.fetch_sub(1, Ordering::AcqRel);
            });
            if spawned.is_err() {
                count.fetch_sub(1, Ordering::AcqRel);
            }
        }
    }
}

fn greet(setup: &Setup, stream: TcpStream, from: SocketAddr) {
    if let Err(why) = receive(setup, stream) {
        let what = format!("a connection from {from} was dropped: {why}");
        setup.notice(&what);
        setup.trouble(None, what);
    }
}

/// Handles one connection; the error says why it was dropped.
fn receive(setup: &Setup, stream: TcpStream) -> Result<(), String> {
    let fd = prepare(stream, setup).map_err(|e| e.to_string())?;
    let tls = match &setup.tls {
        None => None,
        Some(ends) => Some(Tls::server(ends.accept().map_err(|e| e.to_string())?)),
    };
    let mut wire = Wire::new(fd, tls);
    let deadline = setup.handshake_deadline();
    wire.handshake(deadline).map_err(Stall::describe)?;
    let proven = proven_party(setup, &wire);
    let mut bytes = [0; HELLO_BYTES];
    wire.read_all(&mut bytes, deadline).map_err(Stall::describe)?;
    let hello = Hello::decode(&bytes).ok_or("it does not speak Tacit's protocol")?;
    let (answer, event) = match judge(setup, &hello, proven) {
        (Answer::Welcome, None) if hello.purpose == Purpose::Farewell => {
            let payload = read_farewell(&mut wire, deadline).map_err(Stall::describe)?;
            let ended = aborted(&setup.peers[hello.from.index()], &payload);
            (Answer::Welcome, Some(Event::Failed(ended)))
        }
        judged => judged,
    };
    let refused = match &answer {
        Answer::Welcome => None,
        Answer::Differs([what, mine, theirs]) => {
            Some(format!("it differs in {what}: here {mine}, there {theirs}"))
        }
        Answer::Refused(why) => Some(why.clone()),
        Answer::Ended(_) => Some("this party has ended the session".into()),
    };
    let answered = wire.write_all(&answer.encode(), deadline);
    // Whoever waits for events may end the process: only after the answer.
    let is_farewell = event.is_some();
    if let Some(event) = event {
        setup.report(event);
    }
    answered.map_err(Stall::describe)?;
    match refused {
        None if is_farewell => {
            wire.end();
            Ok(())
        }
        None => {
            setup.report(Event::Ready {
                peer: hello.from.index(),
                purpose: hello.purpose,
                wire: Box::new(wire),
            });
            Ok(())
        }
        Some(why) => {
            wire.end();
            Err(why)
        }
    }
}

/// The party whose identity the connection proved; `None` in plaintext.
fn proven_party(setup: &Setup, wire: &Wire) -> Option<PartyId> {
    let certificate = wire.tls.as_ref()?.peer_certificate()?;
    let fingerprint = fingerprint_of(certificate)?;
    let pinned = |i: &PartyId| setup.config.parties[i.index()].fingerprint == Some(fingerprint);
    PartyId::all(setup.peers.len()).find(pinned)
}

/// What follows the hello of a party that ends the session: the payload of an abort.
fn read_farewell(wire: &mut Wire, deadline: Instant) -> Result<Vec<u8>, Stall> {
    let mut length = [0; 2];
    wire.read_all(&mut length, deadline)?;
    let length = usize::from(u16::from_le_bytes(length)).min(MAX_REFUSAL_BYTES);
    let mut payload = vec![0; length];
    wire.read_all(&mut payload, deadline)?;
    Ok(payload)
}

/// Decides about a hello. A party of the session that is in another session, or is the first to
/// hear that this one has ended, is an event too.
fn judge(setup: &Setup, hello: &Hello, proven: Option<PartyId>) -> (Answer, Option<Event>) {
    let me = setup.config.me;
    let mut expected = setup.hello(hello.from, me, hello.purpose);
    if setup.has_ended() || hello.purpose == Purpose::Farewell {
        // Who ends a session before it begins may not know how many there would have been.
        expected.workers = hello.workers;
    }
    let refused = |why: String| (Answer::Refused(why), None);
    if setup.tls.is_some() && proven != Some(hello.from) {
        let who = proven.map_or_else(|| "a stranger".into(), |p| p.to_string());
        return refused(format!("{who} claims to be {}", hello.from));
    }
    let told = setup.has_ended().then_some(Event::Told(hello.from.index()));
    if let Some((what, mine, theirs)) = hello.difference(&expected) {
        let answer = differs(what, &mine, &theirs);
        let disagreement = |peer: &Arc<Peer>| {
            let (peer, what) = (peer.clone(), what.to_owned());
            Event::Failed(NetError::Disagreement { peer, what, mine, theirs })
        };
        let peer = setup.peers.get(hello.from.index());
        return (answer, told.or_else(|| peer.map(disagreement)));
    }
    if hello.from <= me || hello.from.index() >= setup.peers.len() {
        return refused(format!("{} is not to dial {me}", hello.from));
    }
    if told.is_some() {
        return (Answer::Ended(setup.ended().to_vec()), told);
    }
    let mut known = super::establish::purposes(setup.config.workers);
    match hello.purpose == Purpose::Farewell || known.any(|p| p == hello.purpose) {
        true => (Answer::Welcome, None),
        false => refused("there is no such connection".into()),
    }
}
