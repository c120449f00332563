//! Control links between nodes: for each direction one connection, by mutual TLS with pinned keys.
//!
//! Whoever dials says, first its hello and then messages, each a frame of JSON with its length in front; whoever is called reads.
//! So no end has to do both on one connection. A peer counts as connected when this node has dialed it, and has its hello.
//!
//! Strangers are [`Guests`] until they have proven whose key they have, and said hello, for which there is a time. A peer that is
//! known has one connection: a new one ends the old one.

use crate::core::{Event, Events};
use crate::error::Error;
use crate::guests::{Guest, Guests, hang_up};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Read, Write};
use std::net::{TcpListener, TcpStream, ToSocketAddrs};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;
use tacit_net::config::PartyConfig;
use tacit_net::{Fingerprint, PinnedEnds};
use tacit_node::{MAX_MESSAGE_BYTES, Message};
use tracing::{debug, info, warn};

/// How often something is said at least.
const HEARTBEAT: Duration = Duration::from_secs(3);
/// How long nothing may be heard.
const SILENCE: Duration = Duration::from_secs(15);
/// How long a connection may take, with all that is said until both ends know each other.
const CONNECT: Duration = Duration::from_secs(5);
/// How long it waits before it dials again.
const REDIAL: Duration = Duration::from_millis(500);
/// Messages that wait for a slow peer; more are lost, and said again.
const QUEUE: usize = 256;
/// Longest frame: a message, and what says that it is one.
const MAX_FRAME_BYTES: usize = MAX_MESSAGE_BYTES + 64;
/// Longest frame that is passed over, as a node of another version may say it. Whoever says a longer one is hung up on.
const MAX_SKIPPED_BYTES: usize = 4 * MAX_FRAME_BYTES;
/// Longest hello.
const MAX_HELLO_BYTES: usize = 1024;

/// The wire of the control link: a node talks to this one only.
const WIRE: u32 = 1;

/// A frame. Unknown kinds are an error.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Frame {
    Hello { wire: u32, statements: String },
    Message(Box<Message>),
    Heartbeat,
}

/// Who is connected, by direction.
#[derive(Default)]
struct Known {
    dialed: BTreeSet<String>,
    /// With their statement keys. The number tells connections of one peer apart.
    heard: BTreeMap<String, (u64, String)>,
    linked: BTreeSet<String>,
    connections: u64,
    /// The newest connection of each peer that has called.
    newest: BTreeMap<String, (u64, Arc<TcpStream>)>,
}

struct Shared {
    known: Mutex<Known>,
    guests: Arc<Guests>,
    /// Held by whoever reads what a peer says.
    seats: BTreeMap<String, Mutex<()>>,
    events: Events,
}

impl Shared {
    /// Changes who is connected, and tells the node what follows.
    fn change(&self, change: impl FnOnce(&mut Known)) {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        change(&mut known);
        let up: BTreeMap<String, String> = known
            .heard
            .iter()
            .filter(|(peer, _)| known.dialed.contains(*peer))
            .map(|(peer, (_, statements))| (peer.clone(), statements.clone()))
            .collect();
        let gone: Vec<String> =
            known.linked.iter().filter(|peer| !up.contains_key(*peer)).cloned().collect();
        for peer in gone {
            info!(peer, "not connected any more");
            known.linked.remove(&peer);
            self.events.send(Event::Unlinked(peer));
        }
        for (peer, statements) in up {
            if known.linked.insert(peer.clone()) {
                info!(peer, "connected");
                self.events.send(Event::Linked(peer, statements));
            }
        }
    }
}

/// The sending ends of all links.
pub struct Links(BTreeMap<String, SyncSender<Message>>);

impl Links {
    /// Listens for the other nodes and dials them, from here on.
    ///
    /// # Errors
    /// The address cannot be listened on, or there are no threads.
    pub fn start(
        party: &PartyConfig,
        (listen, addresses): (&str, &BTreeMap<String, String>),
        statements: &str,
        events: Events,
    ) -> Result<Links, Error> {
        let wrong = |e: &dyn std::fmt::Display| Error::system(e.to_string());
        let listener = TcpListener::bind(listen).map_err(|e| {
            Error::config(format!(
                "cannot listen on {listen} for the other nodes: {e}; is another daemon running?"
            ))
        })?;
        let ends =
            Arc::new(PinnedEnds::new(&party.identity).map_err(|e| Error::config(e.to_string()))?);
        let others = || party.parties.iter().filter(|peer| peer.name != party.name);
        let seats = others().map(|peer| (peer.name.clone(), Mutex::default())).collect();
        let guests: Arc<Guests> = Arc::default();
        guests.watch().map_err(|e| wrong(&e))?;
        let shared = Arc::new(Shared { known: Mutex::default(), guests, seats, events });
        let spawn = |name: &str, work: Box<dyn FnOnce() + Send>| {
            thread::Builder::new()
                .name(name.to_owned())
                .spawn(work)
                .map(drop)
                .map_err(|e| wrong(&e))
        };
        let mut keys = BTreeMap::new();
        let mut senders = BTreeMap::new();
        for peer in others() {
            let (Some(fingerprint), Some(address)) = (peer.fingerprint, addresses.get(&peer.name))
            else {
                return Err(Error::config(format!(
                    "no key or address of {}'s node is known",
                    peer.name
                )));
            };
            keys.insert(fingerprint, peer.name.clone());
            let (sender, receiver) = sync_channel(QUEUE);
            senders.insert(peer.name.clone(), sender);
            let dialer = Dialer {
                peer: peer.name.clone(),
                address: address.clone(),
                fingerprint,
                statements: statements.to_owned(),
                ends: ends.clone(),
                shared: shared.clone(),
            };
            spawn("tacit-dial", Box::new(move || dialer.run(&receiver)))?;
        }
        spawn(
            "tacit-listen",
            Box::new(move || listen_on(&listener, &ends, &Arc::new(keys), &shared)),
        )?;
        Ok(Links(senders))
    }

    /// Says something to a peer, if it is there and not too slow. What is lost is said again by the node.
    pub fn send(&self, to: &str, message: Message) {
        if let Some(sender) = self.0.get(to) {
            // A full queue is a slow peer.
            let _ = sender.try_send(message);
        }
    }
}

struct Dialer {
    peer: String,
    address: String,
    fingerprint: Fingerprint,
    statements: String,
    ends: Arc<PinnedEnds>,
    shared: Arc<Shared>,
}

impl Dialer {
    fn run(&self, messages: &Receiver<Message>) {
        let mut said = String::new();
        loop {
            let error = match self.connection(messages) {
                Ok(()) => return,
                Err(error) => error.to_string(),
            };
            self.shared.change(|known| {
                known.dialed.remove(&self.peer);
            });
            if error != said {
                warn!(
                    peer = self.peer,
                    address = self.address,
                    error,
                    "the peer's node cannot be reached"
                );
                said = error;
            }
            // What waited is old: the node says it again.
            while messages.try_recv().is_ok() {}
            thread::sleep(REDIAL);
        }
    }

    fn connection(&self, messages: &Receiver<Message>) -> io::Result<()> {
        let mut addresses = self.address.to_socket_addrs()?;
        let address = addresses.next().ok_or_else(|| io::Error::other("no such host"))?;
        self.shared.guests.found(&self.peer, address.ip());
        let stream = TcpStream::connect_timeout(&address, CONNECT)?;
        stream.set_nodelay(true)?;
        stream.set_read_timeout(Some(CONNECT))?;
        stream.set_write_timeout(Some(SILENCE))?;
        let mut end = self.ends.dial(stream, self.fingerprint)?;
        let statements = self.statements.clone();
        say(&mut end, &Frame::Hello { wire: WIRE, statements })?;
        self.shared.change(|known| {
            known.dialed.insert(self.peer.clone());
        });
        loop {
            match messages.recv_timeout(HEARTBEAT) {
                Ok(message) => say(&mut end, &Frame::Message(Box::new(message)))?,
                Err(RecvTimeoutError::Timeout) => say(&mut end, &Frame::Heartbeat)?,
                Err(RecvTimeoutError::Disconnected) => return Ok(()),
            }
        }
    }
}

/// Says a frame, unless it is longer than any may be: nobody would hear it, and the others are to be heard.
fn say(end: &mut impl Write, frame: &Frame) -> io::Result<()> {
    let bytes = serde_json::to_vec(frame).map_err(io::Error::other)?;
    if bytes.len() > MAX_FRAME_BYTES {
        warn!(
            bytes = bytes.len(),
            most = MAX_FRAME_BYTES,
            "a message is too long, and is not sent"
        );
        return Ok(());
    }
    let len = u32::try_from(bytes.len()).map_err(io::Error::other)?;
    end.write_all(&[&len.to_be_bytes()[..], &bytes].concat())?;
    end.flush()
}

/// Hears a frame; none, if it was too long and is passed over.
fn hear(end: &mut impl Read, most: usize) -> io::Result<Option<Frame>> {
    let mut len = [0; 4];
    end.read_exact(&mut len)?;
    let len = u32::from_be_bytes(len) as usize;
    if len > MAX_SKIPPED_BYTES {
        return Err(io::Error::other("a message is far too long"));
    }
    if len > most {
        let skipped = io::copy(&mut end.take(len as u64), &mut io::sink())?;
        return match skipped == len as u64 {
            true => Ok(None),
            false => Err(io::ErrorKind::UnexpectedEof.into()),
        };
    }
    let mut bytes = vec![0; len];
    end.read_exact(&mut bytes)?;
    // What is wrong with it would show what a peer wrote.
    let wrong = |_| io::Error::other("what is said is none of the control link's messages");
    serde_json::from_slice(&bytes).map_err(wrong).map(Some)
}

fn listen_on(
    listener: &TcpListener,
    ends: &Arc<PinnedEnds>,
    keys: &Arc<BTreeMap<Fingerprint, String>>,
    shared: &Arc<Shared>,
) {
    loop {
        let Ok((stream, address)) = listener.accept() else {
            thread::sleep(REDIAL);
            continue;
        };
        let address = address.ip();
        let Some(guest) = shared.guests.welcome((&stream, address), CONNECT) else {
            if shared.guests.worth_saying(address) {
                warn!(%address, "too many have called who are not known: this call is not taken");
            }
            continue;
        };
        let (ends, keys, shared) = (ends.clone(), keys.clone(), shared.clone());
        let work = move || match meet(stream, &ends, &keys) {
            Ok(met) => listen_to(met, guest, &shared),
            Err(error) => match shared.guests.worth_saying(address) {
                true => warn!(%address, %error, "somebody called who is no peer"),
                false => debug!(%address, %error, "somebody called who is no peer"),
            },
        };
        // Without a thread the caller calls again.
        let _ = thread::Builder::new().name("tacit-link".into()).spawn(work);
    }
}

/// A peer that has called.
struct Met {
    peer: String,
    statements: String,
    end: tacit_net::Accepted,
}

/// Finds out who has called, by the key, and hears its hello: all of that while it is a guest.
fn meet(
    stream: TcpStream,
    ends: &PinnedEnds,
    keys: &BTreeMap<Fingerprint, String>,
) -> io::Result<Met> {
    stream.set_nodelay(true)?;
    stream.set_read_timeout(Some(SILENCE))?;
    stream.set_write_timeout(Some(CONNECT))?;
    let (mut end, shown) = ends.accept(stream)?;
    let Some(peer) = keys.get(&shown) else {
        return Err(io::Error::other(format!("the key {shown} is no peer's")));
    };
    match hear(&mut end, MAX_HELLO_BYTES)? {
        Some(Frame::Hello { wire: WIRE, statements }) if statements.len() <= 128 => {
            Ok(Met { peer: peer.clone(), statements, end })
        }
        _ => Err(io::Error::other(format!(
            "{peer}'s node speaks another version of the control link"
        ))),
    }
}

/// Reads what a peer says, until it is gone, or calls anew.
fn listen_to(Met { peer, statements, mut end }: Met, guest: Guest, shared: &Shared) {
    let Some(seat) = shared.seats.get(&peer) else { return };
    let number = {
        let mut known = shared.known.lock().unwrap_or_else(PoisonError::into_inner);
        known.connections += 1;
        let number = known.connections;
        // It takes the place of an older one.
        if let Some((_, older)) = known.newest.insert(peer.clone(), (number, guest.is_known())) {
            hang_up(&older);
        }
        number
    };
    // Until whoever has read so far has ended, this is a guest.
    let seat = seat.lock().unwrap_or_else(PoisonError::into_inner);
    drop(guest);
    let mut is_newest = false;
    shared.change(|known| {
        is_newest = known.newest.get(&peer).is_some_and(|(newest, _)| *newest == number);
        if is_newest {
            known.heard.insert(peer.clone(), (number, statements));
        }
    });
    if !is_newest {
        return;
    }
    let error = loop {
        match hear(&mut end, MAX_FRAME_BYTES) {
            // What no honest node says is not kept until the node has time for it.
            Ok(Some(Frame::Message(message))) if message.fits() => {
                shared.events.say(&peer, message)
            }
            Ok(Some(Frame::Message(_))) => {}
            Ok(Some(Frame::Heartbeat)) => {}
            Ok(Some(Frame::Hello { .. })) => break "it greets twice".to_owned(),
            Ok(None) => {
                debug!(peer, "the peer's node said something too long, which is passed over")
            }
            Err(error) => break error.to_string(),
        }
    };
    info!(peer, error, "the peer's node has hung up");
    shared.change(|known| {
        if known.heard.get(&peer).is_some_and(|(known, _)| *known == number) {
            known.heard.remove(&peer);
        }
        if known.newest.get(&peer).is_some_and(|(newest, _)| *newest == number) {
            known.newest.remove(&peer);
        }
    });
    drop(seat);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn heard(mut bytes: &[u8]) -> io::Result<Vec<bool>> {
        let mut all = Vec::new();
        while !bytes.is_empty() {
            all.push(hear(&mut bytes, MAX_FRAME_BYTES)?.is_some());
        }
        Ok(all)
    }

    /// A frame of so many bytes, which may be a heartbeat.
    fn frame(len: usize) -> Vec<u8> {
        let mut bytes = serde_json::to_vec(&Frame::Heartbeat).expect("a frame");
        bytes.resize(len, b' ');
        [&(len as u32).to_be_bytes()[..], &bytes].concat()
    }

    #[test]
    fn what_is_too_long_is_not_said_and_passed_over() {
        let session = "x".repeat(MAX_FRAME_BYTES);
        let long = Frame::Message(Box::new(Message::Cancel { session }));
        let mut said = Vec::new();
        say(&mut said, &long).expect("the link goes on");
        assert!(said.is_empty());
        // The longest message is said and heard.
        let message = |len| Message::Cancel { session: "x".repeat(len) };
        let rest = serde_json::to_vec(&message(0)).expect("JSON").len();
        let longest = message(MAX_MESSAGE_BYTES - rest);
        say(&mut said, &Frame::Message(Box::new(longest))).expect("the link goes on");
        assert_eq!(heard(&said).expect("a frame"), [true]);
        let all = [MAX_FRAME_BYTES, MAX_FRAME_BYTES + 1, MAX_SKIPPED_BYTES, 20].map(frame).concat();
        assert_eq!(heard(&all).expect("frames"), [true, false, false, true]);
        assert!(heard(&frame(MAX_SKIPPED_BYTES + 1)).is_err());
        let cut = frame(MAX_SKIPPED_BYTES);
        assert!(heard(&cut[..cut.len() - 1]).is_err());
    }
}
