//! Control links between nodes: for each direction one connection, by mutual TLS with pinned keys.
//!
//! Whoever dials says, first its hello and then messages, each a frame of JSON with its length in front; whoever is called reads.
//! So no end has to do both on one connection. A peer counts as connected when this node has dialed it, and has its hello.

use crate::core::{Event, Events};
use crate::error::Error;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Read, Write};
use std::net::{TcpListener, TcpStream, ToSocketAddrs};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;
use tacit_net::config::PartyConfig;
use tacit_net::{Fingerprint, PinnedEnds};
use tacit_node::{MAX_MESSAGE_BYTES, Message};
use tracing::{info, warn};

/// How often something is said at least.
const HEARTBEAT: Duration = Duration::from_secs(3);
/// How long nothing may be heard.
const SILENCE: Duration = Duration::from_secs(15);
/// How long a connection may take.
const CONNECT: Duration = Duration::from_secs(5);
/// How long it waits before it dials again.
const REDIAL: Duration = Duration::from_millis(500);
/// Messages that wait for a slow peer; more are lost, and said again.
const QUEUE: usize = 256;
/// Connections whose keys are not known yet.
const MOST_GUESTS: usize = 64;

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
}

struct Shared {
    known: Mutex<Known>,
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
        let shared = Arc::new(Shared { known: Mutex::default(), events });
        let spawn = |name: &str, work: Box<dyn FnOnce() + Send>| {
            thread::Builder::new()
                .name(name.to_owned())
                .spawn(work)
                .map(drop)
                .map_err(|e| wrong(&e))
        };
        let mut keys = BTreeMap::new();
        let mut senders = BTreeMap::new();
        for peer in party.parties.iter().filter(|peer| peer.name != party.name) {
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

fn say(end: &mut impl Write, frame: &Frame) -> io::Result<()> {
    let bytes = serde_json::to_vec(frame).map_err(io::Error::other)?;
    let len = u32::try_from(bytes.len()).map_err(io::Error::other)?;
    end.write_all(&[&len.to_be_bytes()[..], &bytes].concat())?;
    end.flush()
}

fn hear(end: &mut impl Read) -> io::Result<Frame> {
    let mut len = [0; 4];
    end.read_exact(&mut len)?;
    let len = u32::from_be_bytes(len) as usize;
    if len > MAX_MESSAGE_BYTES {
        return Err(io::Error::other("a message is too long"));
    }
    let mut bytes = vec![0; len];
    end.read_exact(&mut bytes)?;
    serde_json::from_slice(&bytes).map_err(io::Error::other)
}

fn listen_on(
    listener: &TcpListener,
    ends: &Arc<PinnedEnds>,
    keys: &Arc<BTreeMap<Fingerprint, String>>,
    shared: &Arc<Shared>,
) {
    let guests = Arc::new(AtomicUsize::new(0));
    for stream in listener.incoming() {
        let Ok(stream) = stream else {
            thread::sleep(REDIAL);
            continue;
        };
        if guests.fetch_add(1, Ordering::AcqRel) >= MOST_GUESTS {
            guests.fetch_sub(1, Ordering::AcqRel);
            continue;
        }
        let (ends, keys, shared, guests) =
            (ends.clone(), keys.clone(), shared.clone(), guests.clone());
        let work = move || {
            let known = meet(stream, &ends, &keys);
            guests.fetch_sub(1, Ordering::AcqRel);
            match known {
                Ok((peer, end)) => listen_to(&peer, end, &shared),
                Err(error) => warn!(%error, "somebody called who is no peer"),
            }
        };
        // Without a thread the caller calls again.
        let _ = thread::Builder::new().name("tacit-link".into()).spawn(work);
    }
}

/// Finds out who has called, by the key.
fn meet(
    stream: TcpStream,
    ends: &PinnedEnds,
    keys: &BTreeMap<Fingerprint, String>,
) -> io::Result<(String, tacit_net::Accepted)> {
    stream.set_nodelay(true)?;
    stream.set_read_timeout(Some(SILENCE))?;
    stream.set_write_timeout(Some(CONNECT))?;
    let (end, shown) = ends.accept(stream)?;
    match keys.get(&shown) {
        Some(peer) => Ok((peer.clone(), end)),
        None => Err(io::Error::other(format!("the key {shown} is no peer's"))),
    }
}

/// Reads what a peer says, until it is gone.
fn listen_to(peer: &str, mut end: tacit_net::Accepted, shared: &Shared) {
    let statements = match hear(&mut end) {
        Ok(Frame::Hello { wire: WIRE, statements }) if statements.len() <= 128 => statements,
        Ok(_) => return warn!(peer, "the peer's node speaks another version of the control link"),
        Err(_) => return,
    };
    let mut number = 0;
    shared.change(|known| {
        known.connections += 1;
        number = known.connections;
        // A new connection takes the place of an old one.
        known.heard.insert(peer.to_owned(), (number, statements));
    });
    let error = loop {
        match hear(&mut end) {
            Ok(Frame::Message(message)) => {
                shared.events.send(Event::Message(peer.to_owned(), message))
            }
            Ok(Frame::Heartbeat) => {}
            Ok(Frame::Hello { .. }) => break "it greets twice".to_owned(),
            Err(error) => break error.to_string(),
        }
    };
    info!(peer, error, "the peer's node has hung up");
    shared.change(|known| {
        if known.heard.get(peer).is_some_and(|(known, _)| *known == number) {
            known.heard.remove(peer);
        }
    });
}
