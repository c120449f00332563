//! Listening: takes in the connections of parties with higher ids, and drops everything else.
//!
//! Strangers reach the port too, and nothing that they do may hold up the parties for long. One
//! thread serves all connections and waits for none of them. A connection that has said nothing
//! yet costs a descriptor, and is dropped after a short time; the others have the time of a
//! handshake. Where there is no room, the oldest connection makes way that has proved no party's
//! key: first of addresses that no party is known to have, and first those that have said
//! nothing. A party that lost its place tries again within a moment, and its first message
//! comes with its connection, while that of a stranger who wants to keep a place does not.

use super::hello::{Answer, HELLO_BYTES, Hello, MAX_REFUSAL_BYTES, MEMBERS, Purpose};
use super::setup::{Event, Setup, purposes, spawn};
use super::sockets::prepare;
use super::tls::Tls;
use super::trust::{LISTENER_PATIENCE, not_known, wrong_key};
use super::wire::{Stall, Wire, timespec};
use crate::error::NetError;
use crate::identity::{Fingerprint, fingerprint_of};
use crate::session::aborted;
use crate::session_state::POLL_INTERVAL;
use crate::types::{PartyId, Peer};
use rustix::event::{PollFd, PollFlags, poll};
use std::net::{IpAddr, SocketAddr, TcpListener, TcpStream};
use std::os::fd::AsFd;
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

/// Connections that may be on their way in at the same time.
const MAX_GUESTS: usize = 128;
/// Of those, unproven ones of one address that no party is known to have.
const STRANGERS_SHARE: usize = 8;
/// Unproven ones of one address that a party has: it dials up to eight at a time, and several
/// parties may share an address.
const KNOWN_SHARE: usize = 96;
/// Time for a client's first message.
const HELLO_PATIENCE: Duration = Duration::from_secs(2);
/// Connections accepted between two looks at those that are there.
const ACCEPTS_AT_ONCE: usize = 32;
/// Connections that the system keeps until they are accepted.
const BACKLOG: i32 = 4096;
/// The least time between two notices about strangers.
const NOTICE_PAUSE: Duration = Duration::from_secs(5);

/// A thread that accepts connections until the set-up is over.
pub(crate) struct Listening {
    /// Wakes it up, by its end.
    waker: UnixStream,
    /// Hears that the port is free again.
    closed: Receiver<()>,
}

impl Listening {
    /// Starts it.
    pub(crate) fn start(setup: &Arc<Setup>, listener: TcpListener) -> Result<Self, NetError> {
        let failed = |e| NetError::Configuration(format!("cannot make a pair of sockets: {e}"));
        let (waker, woken) = UnixStream::pair().map_err(failed)?;
        let (closing, closed) = channel();
        let setup = setup.clone();
        spawn("tacit-listen", move || {
            listen(&setup, &listener, woken);
            drop((listener, closing));
        })?;
        Ok(Listening { waker, closed })
    }

    /// Returns when the port is free for the next run of this party. The set-up is over.
    pub(crate) fn close(self) {
        drop(self.waker);
        // That nobody will say anything is what is waited for.
        let _ = self.closed.recv();
    }
}

/// Accepts connections until the set-up is over.
fn listen(setup: &Arc<Setup>, listener: &TcpListener, woken: UnixStream) {
    let mut woken = Some(woken);
    let looking = setup.clone();
    // Without it a party's address is known once the party has proved its key.
    let _ = spawn("tacit-lookup", move || looking.find_homes());
    // Without it the queue is shorter, and parties may have to knock twice.
    let _ = rustix::net::listen(listener, BACKLOG);
    let mut door = Door { setup, guests: Vec::new(), notices: Notices::default() };
    let mut doubts = false;
    while !setup.is_over() {
        door.wait(listener, &mut woken);
        door.serve();
        door.accept(listener);
        if !doubts && let Some(e) = lasting_doubt(setup) {
            doubts = true;
            setup.report(Event::Failed(e));
        }
    }
}

/// That somebody keeps coming in a party's place, or that a party keeps refusing this one's key.
fn lasting_doubt(setup: &Setup) -> Option<NetError> {
    let dialing = setup.config.me.index() + 1..setup.peers.len();
    dialing.into_iter().find_map(|peer| setup.trust.lasting(peer, LISTENER_PATIENCE))
}

/// How far a connection has come, least first.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Stage {
    Silent,
    Greeting,
    Proven,
}

/// One connection on its way in.
struct Guest {
    /// Without TLS until something arrives: most strangers say nothing.
    wire: Box<Wire>,
    from: SocketAddr,
    since: Instant,
    stage: Stage,
    waits_for: PollFlags,
    ready: bool,
    /// The handshake is over.
    shaken: bool,
    /// The key that it proved to hold, whoever's that is.
    key: Option<Fingerprint>,
    /// What it said after the handshake.
    words: Vec<u8>,
    reply: Option<Reply>,
}

struct Reply {
    bytes: Vec<u8>,
    sent: usize,
    hello: Hello,
    refusal: Option<String>,
    /// What this party is to know of once the answer is out: it may end the process then.
    event: Option<Event>,
}

/// What becomes of a guest that was served.
enum Next {
    Wait(PollFlags),
    Welcome(Hello),
    /// It had something to say, and it is heard.
    Done,
}

struct Door<'a> {
    setup: &'a Setup,
    guests: Vec<Guest>,
    notices: Notices,
}

impl Door<'_> {
    fn wait(&mut self, listener: &TcpListener, woken: &mut Option<UnixStream>) {
        let mut fds = Vec::with_capacity(self.guests.len() + 2);
        fds.push(PollFd::new(listener, PollFlags::IN));
        fds.extend(self.guests.iter().map(|guest| PollFd::new(guest, guest.waits_for)));
        fds.extend(woken.iter().map(|waker| PollFd::new(waker, PollFlags::IN)));
        // Whatever poll says, accept shows what is there, and deadlines pass.
        let _ = poll(&mut fds, Some(&timespec(POLL_INTERVAL)));
        let ready: Vec<bool> = fds[1..].iter().map(|fd| !fd.revents().is_empty()).collect();
        for (guest, ready) in self.guests.iter_mut().zip(&ready) {
            guest.ready = *ready;
        }
        // It wakes this thread once.
        if ready.get(self.guests.len()).is_some_and(|ready| *ready) {
            *woken = None;
        }
    }

    fn serve(&mut self) {
        let mut i = 0;
        while i < self.guests.len() {
            let guest = &mut self.guests[i];
            let next = match guest.ready {
                true => guest.serve(self.setup),
                false => Ok(Next::Wait(guest.waits_for)),
            };
            match next {
                Ok(Next::Wait(_)) if guest.is_late(self.setup) => {
                    let from = self.guests.swap_remove(i).from;
                    self.say(from, "it did not say who it is in time");
                }
                Ok(Next::Wait(flags)) => {
                    (guest.waits_for, guest.ready) = (flags, false);
                    i += 1;
                }
                Err(why) => {
                    let from = self.guests.swap_remove(i).from;
                    self.say(from, &why);
                }
                Ok(Next::Done) => drop(self.guests.swap_remove(i)),
                Ok(Next::Welcome(hello)) => {
                    let guest = self.guests.swap_remove(i);
                    let (peer, purpose) = (hello.from.index(), hello.purpose);
                    self.setup.lives_at(peer, guest.from.ip());
                    self.setup.report(Event::Ready { peer, purpose, wire: guest.wire });
                }
            }
        }
    }

    fn accept(&mut self, listener: &TcpListener) {
        for _ in 0..ACCEPTS_AT_ONCE {
            match listener.accept() {
                Ok((stream, from)) => self.admit(stream, from),
                Err(e) if e.kind() == std::io::ErrorKind::WouldBlock => return,
                Err(_) => {
                    // There may be no descriptor left: the oldest stranger gives its own.
                    if let Some(i) = self.least(|_| true) {
                        self.turn_out(i);
                    }
                    return std::thread::sleep(Duration::from_millis(1));
                }
            }
        }
    }

    /// Takes a new connection in, if there is room or somebody makes way.
    fn admit(&mut self, stream: TcpStream, from: SocketAddr) {
        let share = match self.setup.is_known(from.ip()) {
            true => KNOWN_SHARE,
            false => STRANGERS_SHARE,
        };
        let ip = from.ip();
        let beside = |guest: &&Guest| guest.from.ip() == ip && guest.stage < Stage::Proven;
        let makes_way = if self.guests.iter().filter(beside).count() >= share {
            self.least(|guest| guest.from.ip() == ip)
        } else if self.guests.len() >= MAX_GUESTS {
            match self.least(|_| true) {
                Some(i) => Some(i),
                None => return self.say(from, "there is no room for it now"),
            }
        } else {
            None
        };
        if let Some(i) = makes_way {
            self.turn_out(i);
        }
        match prepare(stream, &self.setup.config.limits) {
            Ok(fd) => self.guests.push(Guest::new(Wire::new(fd, None), from)),
            Err(e) => self.say(from, &e.to_string()),
        }
    }

    /// The first to make way: of addresses that nobody is known to have, and least far; the oldest.
    fn least(&self, of: impl Fn(&Guest) -> bool) -> Option<usize> {
        let unproven = |(_, guest): &(usize, &Guest)| guest.stage < Stage::Proven && of(guest);
        let rank = |(_, guest): &(usize, &Guest)| {
            (self.setup.is_known(guest.from.ip()), guest.stage, guest.since)
        };
        self.guests.iter().enumerate().filter(unproven).min_by_key(rank).map(|(i, _)| i)
    }

    fn turn_out(&mut self, i: usize) {
        let from = self.guests.swap_remove(i).from;
        self.say(from, "others want its place, and it has not said who it is");
    }

    /// Says that a connection was dropped, but not too often.
    fn say(&mut self, from: SocketAddr, why: &str) {
        let what = format!("a connection from {from} was dropped: {why}");
        if let Some(text) = self.notices.next(&what, Instant::now()) {
            self.setup.notice(&text);
        }
        self.setup.trouble(None, what);
    }
}

/// Says little where much happens.
#[derive(Default)]
struct Notices {
    last: Option<Instant>,
    hidden: usize,
}

impl Notices {
    /// What to say about something that happened now, if anything.
    fn next(&mut self, what: &str, now: Instant) -> Option<String> {
        if self.last.is_some_and(|last| now.duration_since(last) < NOTICE_PAUSE) {
            self.hidden += 1;
            return None;
        }
        self.last = Some(now);
        Some(match std::mem::take(&mut self.hidden) {
            0 => what.to_owned(),
            more => format!("{what} (and {more} more since the last such notice)"),
        })
    }
}

impl AsFd for Guest {
    fn as_fd(&self) -> std::os::fd::BorrowedFd<'_> {
        self.wire.socket.read_fd()
    }
}

impl Guest {
    fn new(wire: Wire, from: SocketAddr) -> Guest {
        Guest {
            wire: Box::new(wire),
            from,
            since: Instant::now(),
            stage: Stage::Silent,
            waits_for: PollFlags::IN,
            ready: false,
            shaken: false,
            key: None,
            words: Vec::new(),
            reply: None,
        }
    }

    fn is_late(&self, setup: &Setup) -> bool {
        let most = setup.config.limits.handshake;
        let patience = match self.stage {
            Stage::Silent => HELLO_PATIENCE.min(most),
            Stage::Greeting | Stage::Proven => most,
        };
        self.since.elapsed() >= patience
    }

    /// Does what can be done without waiting; the error says why the connection is dropped.
    fn serve(&mut self, setup: &Setup) -> Result<Next, String> {
        if !self.shaken {
            if let Some(flags) = self.shake_hands(setup)? {
                return Ok(Next::Wait(flags));
            }
            self.shaken = true;
        }
        if self.reply.is_none() {
            match self.listen(setup)? {
                Some(reply) => self.reply = Some(reply),
                None => return Ok(Next::Wait(PollFlags::IN)),
            }
        }
        let event = |guest: &mut Guest| guest.reply.as_mut().and_then(|reply| reply.event.take());
        match self.answer() {
            Ok(Next::Wait(flags)) => Ok(Next::Wait(flags)),
            Ok(next) => Ok(match event(self) {
                None => next,
                Some(event) => {
                    setup.report(event);
                    Next::Done
                }
            }),
            Err(why) => {
                if let Some(event) = event(self) {
                    setup.report(event);
                }
                Err(why)
            }
        }
    }

    /// The answer to what it said; `None` as long as it has not said all of it.
    fn listen(&mut self, setup: &Setup) -> Result<Option<Reply>, String> {
        if !self.has_said(HELLO_BYTES)? {
            return Ok(None);
        }
        let hello = self.words.first_chunk().and_then(Hello::decode);
        let hello = hello.ok_or("it does not speak Tacit's protocol")?;
        let (answer, mut event) = judge(setup, &hello, self.key, self.from.ip());
        if answer == Answer::Welcome && hello.purpose == Purpose::Farewell {
            if !self.has_said(HELLO_BYTES + 2)? {
                return Ok(None);
            }
            let length = [self.words[HELLO_BYTES], self.words[HELLO_BYTES + 1]];
            let length = usize::from(u16::from_le_bytes(length)).min(MAX_REFUSAL_BYTES);
            if !self.has_said(HELLO_BYTES + 2 + length)? {
                return Ok(None);
            }
            let payload = &self.words[HELLO_BYTES + 2..];
            event = Some(Event::Failed(aborted(&setup.peers[hello.from.index()], payload)));
        }
        Ok(Some(Reply::new(hello, &answer, event, self.key)))
    }

    /// Reads until it has said so many bytes; false if it has not yet.
    fn has_said(&mut self, bytes: usize) -> Result<bool, String> {
        let mut buffer = [0; HELLO_BYTES + 2 + MAX_REFUSAL_BYTES];
        while self.words.len() < bytes {
            match self.wire.read(&mut buffer[self.words.len()..bytes]) {
                Ok(n) => {
                    let start = self.words.len();
                    self.words.extend_from_slice(&buffer[start..start + n]);
                }
                Err(Stall::Block) => return Ok(false),
                Err(e) => return Err(e.describe()),
            }
        }
        Ok(true)
    }

    /// Advances the handshake; `None` when it is done.
    fn shake_hands(&mut self, setup: &Setup) -> Result<Option<PollFlags>, String> {
        let Some(ends) = &setup.tls else {
            return Ok(None);
        };
        if self.wire.tls.is_none() {
            let tls = Tls::server(ends.accept().map_err(|e| e.to_string())?);
            self.wire.tls = Some(Box::new(tls));
        }
        let waits = self.wire.advance_handshake().map_err(|stall| {
            if stall == Stall::Refused {
                refused(setup, self.from.ip());
            }
            stall.describe()
        })?;
        let tls = self.wire.tls.as_ref();
        if tls.is_some_and(|tls| tls.spoke()) {
            self.stage = self.stage.max(Stage::Greeting);
        }
        if waits.is_none() {
            self.key = tls.and_then(|tls| tls.peer_certificate()).and_then(fingerprint_of);
            if self.key.is_some_and(|key| setup.owner(key).is_some()) {
                self.stage = Stage::Proven;
            }
        }
        Ok(waits)
    }

    /// Sends the answer to the hello.
    fn answer(&mut self) -> Result<Next, String> {
        let Some(reply) = &mut self.reply else {
            return Ok(Next::Wait(PollFlags::IN));
        };
        loop {
            let rest = &reply.bytes[reply.sent..];
            let result = match rest.is_empty() {
                false => self.wire.write(rest),
                true => self.wire.push().map(|()| 0),
            };
            match result {
                Ok(0) => break,
                Ok(n) => reply.sent += n,
                Err(Stall::Block) => return Ok(Next::Wait(PollFlags::OUT)),
                Err(e) => return Err(e.describe()),
            }
        }
        match reply.refusal.take() {
            None => Ok(Next::Welcome(reply.hello.clone())),
            Some(why) => {
                self.wire.end();
                Err(why)
            }
        }
    }
}

impl Reply {
    fn new(hello: Hello, answer: &Answer, event: Option<Event>, key: Option<Fingerprint>) -> Reply {
        let refusal = match answer {
            Answer::Welcome => None,
            Answer::Differs([what, mine, theirs]) => {
                Some(format!("it differs in {what}: here {mine}, there {theirs}"))
            }
            Answer::Refused(why) => Some(why.clone()),
            Answer::Ended(_) => Some("this party has ended the session".into()),
            Answer::UnknownKey => {
                let key = key.map_or_else(|| "none".to_owned(), |key| key.to_string());
                Some(format!("its key is no party's: {key}"))
            }
        };
        Reply { bytes: answer.encode(), sent: 0, hello, refusal, event }
    }
}

/// Decides about a hello from the holder of `key`. A party of the session that is in another
/// session, or is the first to hear that this one has ended, is an event too.
fn judge(
    setup: &Setup,
    hello: &Hello,
    key: Option<Fingerprint>,
    from: IpAddr,
) -> (Answer, Option<Event>) {
    let me = setup.config.me;
    let party = match &setup.tls {
        None => hello.from.index(),
        Some(_) => match key.and_then(|key| setup.owner(key)) {
            Some(owner) => owner,
            None => {
                unknown(setup, hello, key, from);
                return (Answer::UnknownKey, None);
            }
        },
    };
    let mut expected = setup.hello(hello.from, me, hello.purpose);
    if setup.has_ended() || hello.purpose == Purpose::Farewell {
        // Who ends a session before it begins may not know how many there would have been.
        expected.workers = hello.workers;
    }
    let refused = |why: String| (Answer::Refused(why), None);
    let told = setup.has_ended().then_some(Event::Told(party));
    if let Some((what, mine, theirs)) = hello.difference(&expected) {
        let mine = match what == MEMBERS {
            true => setup.members().join(", "),
            false => mine,
        };
        let answer = Answer::Differs([what.to_owned(), mine.clone(), theirs.clone()]);
        let disagreement = |peer: &Arc<Peer>| {
            let (peer, what) = (peer.clone(), what.to_owned());
            Event::Failed(NetError::Disagreement { peer, what, mine, theirs, setting: true })
        };
        let peer = setup.peers.get(party);
        return (answer, told.or_else(|| peer.map(disagreement)));
    }
    if party != hello.from.index() {
        return refused(format!("{} claims to be {}", PartyId(party as u8), hello.from));
    }
    if !is_to_dial(setup, hello.from) {
        return refused(format!("{} is not to dial {me}", hello.from));
    }
    setup.trust.met(party);
    if told.is_some() {
        return (Answer::Ended(setup.ended().to_vec()), told);
    }
    let mut known = purposes(setup.config.workers);
    match hello.purpose == Purpose::Farewell || known.any(|p| p == hello.purpose) {
        true => (Answer::Welcome, None),
        false => refused("there is no such connection".into()),
    }
}

fn is_to_dial(setup: &Setup, party: PartyId) -> bool {
    party > setup.config.me && party.index() < setup.peers.len()
}

/// Notes whose place the holder of a key that is nobody's wants to have.
fn unknown(setup: &Setup, hello: &Hello, key: Option<Fingerprint>, from: IpAddr) {
    if let (Some(key), true) = (key, is_to_dial(setup, hello.from)) {
        let index = hello.from.index();
        let (peer, pinned) = (&setup.peers[index], setup.config.parties[index].fingerprint);
        let who = format!("somebody at {from} dials in its name and shows");
        let at_home = setup.is_home(from, index);
        setup.trust.doubt(index, key, at_home, wrong_key(peer, &who, key, None, pinned));
    }
}

/// Somebody at this address does not accept the own key: a party that is expected from there.
fn refused(setup: &Setup, from: IpAddr) {
    let expected = |peer: &&Arc<Peer>| {
        is_to_dial(setup, peer.id)
            && setup.is_home(from, peer.id.index())
            && !setup.trust.is_met(peer.id.index())
    };
    if let (Some(peer), Some(ends)) = (setup.peers.iter().find(expected), &setup.tls) {
        let me = &setup.peers[setup.config.me.index()].name;
        let error = not_known(peer, me, ends.fingerprint());
        setup.trust.doubt(peer.id.index(), ends.fingerprint(), true, error);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn notices_are_few() {
        let mut notices = Notices::default();
        let start = Instant::now();
        assert_eq!(notices.next("a", start).as_deref(), Some("a"));
        for i in 0..1000 {
            assert_eq!(notices.next("b", start + NOTICE_PAUSE * i / 1001), None);
        }
        let later = notices.next("c", start + NOTICE_PAUSE).unwrap();
        assert!(later.starts_with("c (and 1000 more"), "{later}");
        assert_eq!(notices.next("d", start + NOTICE_PAUSE), None);
    }
}
