//! Listening: accepts the connections of parties with higher ids, and drops everything else.

use super::establish::{Event, Setup, differs, prepare};
use super::hello::{Answer, HELLO_BYTES, Hello};
use super::tls::Tls;
use super::wire::{Wire, timespec};
use crate::error::NetError;
use crate::fate::GLANCE;
use crate::identity::fingerprint_of;
use crate::types::PartyId;
use rustix::event::{PollFd, PollFlags, poll};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

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
    wire.handshake(deadline).map_err(super::wire::Stall::describe)?;
    let proven = proven_party(setup, &wire);
    let mut bytes = [0; HELLO_BYTES];
    wire.read_all(&mut bytes, deadline).map_err(super::wire::Stall::describe)?;
    let hello = Hello::decode(&bytes).ok_or("it does not speak Tacit's protocol")?;
    let answer = judge(setup, &hello, proven);
    let refused = match &answer {
        Answer::Welcome => None,
        Answer::Differs([what, mine, theirs]) => {
            Some(format!("it differs in {what}: here {mine}, there {theirs}"))
        }
        Answer::Refused(why) => Some(why.clone()),
    };
    wire.write_all(&answer.encode(), deadline).map_err(super::wire::Stall::describe)?;
    match refused {
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

/// Decides about a hello, and ends the set-up if a party of the session is in another session.
fn judge(setup: &Setup, hello: &Hello, proven: Option<PartyId>) -> Answer {
    let me = setup.config.me;
    let expected = setup.hello(hello.from, me, hello.purpose);
    if setup.tls.is_some() && proven != Some(hello.from) {
        let who = proven.map_or_else(|| "a stranger".into(), |p| p.to_string());
        return Answer::Refused(format!("{who} claims to be {}", hello.from));
    }
    if let Some((what, mine, theirs)) = hello.difference(&expected) {
        if let Some(peer) = setup.peers.get(hello.from.index()) {
            setup.report(Event::Failed(NetError::Disagreement {
                peer: peer.clone(),
                what: what.to_owned(),
                mine: mine.clone(),
                theirs: theirs.clone(),
            }));
        }
        return differs(what, &mine, &theirs);
    }
    if hello.from <= me || hello.from.index() >= setup.peers.len() {
        return Answer::Refused(format!("{} is not to dial {me}", hello.from));
    }
    let known = super::establish::purposes(setup.config.workers).any(|p| p == hello.purpose);
    match known {
        true => Answer::Welcome,
        false => Answer::Refused("there is no such connection".into()),
    }
}
