//! What the machine itself can do: bare sockets and bare TLS, without any of this crate's mesh.
//!
//! Every party calls the same function with its own configuration; the times are the yardstick
//! for what a mesh reaches in the same run. Unlike sessions, these measurements are not hardened:
//! run them between parties that trust each other's machines.

use crate::copy::Buffer;
use crate::error::NetError;
use crate::identity::TlsEnds;
use crate::socket::{Security, SessionConfig, open_listener};
use crate::types::{PartyId, Peer};
use rustix::net::sockopt;
use rustls::{ClientConnection, ConnectionCommon, ServerConnection, StreamOwned};
use std::io::{Error, Read, Write};
use std::net::TcpStream;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// The largest piece that is written before reading. The buffers of a connection hold it, so nobody blocks.
const PIECE_BYTES: usize = 256 << 10;
const SOCKET_BUFFER_BYTES: usize = 1 << 20;

/// Sends `messages` messages of `message_bytes` over every directed link of `links`, in step with
/// receiving as many, over bare blocking sockets: one connection per pair of parties. Returns the
/// time from the moment at which all connections were up.
///
/// # Errors
/// A peer does not come up or a connection breaks.
pub fn bare_exchange(
    config: &SessionConfig,
    links: &[(PartyId, PartyId)],
    message_bytes: usize,
    messages: usize,
) -> Result<Duration, NetError> {
    let me = config.me;
    let pair = |p: PartyId| links.contains(&(me, p)) || links.contains(&(p, me));
    let wanted: Vec<PartyId> = PartyId::all(config.parties.len()).filter(|&p| pair(p)).collect();
    let mut sockets = open_all(config, &wanted)?;
    let mut buffer = Buffer::new(PIECE_BYTES);
    meet(config, &mut sockets)?;
    let start = Instant::now();
    for _ in 0..messages {
        let mut left = message_bytes;
        while left > 0 {
            let n = left.min(PIECE_BYTES);
            for (peer, socket) in &mut sockets {
                if links.contains(&(me, *peer)) {
                    let sent = socket.write_all(&buffer.room()[..n]);
                    sent.map_err(|e| broke(config, *peer, &e))?;
                }
            }
            for (peer, socket) in &mut sockets {
                if links.contains(&(*peer, me)) {
                    let read = socket.read_exact(&mut buffer.room()[..n]);
                    read.map_err(|e| broke(config, *peer, &e))?;
                }
            }
            left -= n;
        }
    }
    let time = start.elapsed();
    meet(config, &mut sockets)?;
    Ok(time)
}

/// Plays `rounds` rounds with `peer` on a bare connection (TLS or plain, as the configuration
/// says): both send `message_bytes` and wait for as many. Returns the time of all rounds.
///
/// # Errors
/// The peer does not come up or the connection breaks.
pub fn bare_rounds(
    config: &SessionConfig,
    peer: PartyId,
    message_bytes: usize,
    rounds: usize,
) -> Result<Duration, NetError> {
    let mut sockets = open_all(config, &[peer])?;
    let Some((_, socket)) = sockets.pop() else {
        return Err(NetError::Configuration(format!("no connection to {peer}")));
    };
    match &config.security {
        Security::Tls(identity) => {
            let ends = TlsEnds::new(identity)?;
            let wrong = |e: rustls::Error| NetError::Configuration(e.to_string());
            let pinned = config.parties.get(peer.index()).and_then(|p| p.fingerprint);
            if config.me > peer
                && let Some(pinned) = pinned
            {
                let client = ends.caller(pinned)?.config;
                let connection = ClientConnection::new(client, TlsEnds::name()?).map_err(wrong)?;
                play(config, peer, StreamOwned::new(connection, socket), message_bytes, rounds)
            } else {
                let connection = ServerConnection::new(ends.server()).map_err(wrong)?;
                play(config, peer, StreamOwned::new(connection, socket), message_bytes, rounds)
            }
        }
        _ => play_on(config, peer, socket, message_bytes, rounds),
    }
}

fn play<C, D>(
    config: &SessionConfig,
    peer: PartyId,
    stream: StreamOwned<C, TcpStream>,
    bytes: usize,
    rounds: usize,
) -> Result<Duration, NetError>
where
    C: std::ops::DerefMut<Target = ConnectionCommon<D>>,
    D: rustls::SideData,
{
    play_on(config, peer, stream, bytes, rounds)
}

fn play_on(
    config: &SessionConfig,
    peer: PartyId,
    mut stream: impl Read + Write,
    bytes: usize,
    rounds: usize,
) -> Result<Duration, NetError> {
    let mut buf = vec![0; bytes];
    let mut round = || {
        stream.write_all(&buf)?;
        stream.flush()?;
        stream.read_exact(&mut buf)
    };
    let mut all = || {
        for _ in 0..rounds.min(20) {
            round()?;
        }
        let start = Instant::now();
        for _ in 0..rounds {
            round()?;
        }
        Ok(start.elapsed())
    };
    all().map_err(|e: Error| broke(config, peer, &e))
}

/// One bare connection to each of `wanted`; the higher id dials.
fn open_all(
    config: &SessionConfig,
    wanted: &[PartyId],
) -> Result<Vec<(PartyId, TcpStream)>, NetError> {
    let deadline = SessionConfig::deadline(config.limits.connect);
    let listener = open_listener(config)?;
    let mut sockets = Vec::new();
    for &peer in wanted.iter().filter(|&&p| p < config.me) {
        let mut socket = dial(config, peer, deadline)?;
        let hello = socket.write_all(&[config.me.0]);
        hello.map_err(|e| broke(config, peer, &e))?;
        sockets.push((peer, socket));
    }
    let mut missing: Vec<PartyId> = wanted.iter().copied().filter(|&p| p > config.me).collect();
    while let Some(&next) = missing.first() {
        if Instant::now() >= deadline {
            return Err(broke(config, next, &std::io::ErrorKind::TimedOut.into()));
        }
        let Ok((mut socket, _)) = listener.accept() else {
            std::thread::sleep(Duration::from_millis(2));
            continue;
        };
        let mut hello = [0];
        let greeted = prepare(&socket, config).and_then(|()| socket.read_exact(&mut hello));
        if greeted.is_ok() && missing.contains(&PartyId(hello[0])) {
            missing.retain(|p| p.0 != hello[0]);
            sockets.push((PartyId(hello[0]), socket));
        }
    }
    sockets.sort_by_key(|(peer, _)| *peer);
    Ok(sockets)
}

fn dial(config: &SessionConfig, peer: PartyId, deadline: Instant) -> Result<TcpStream, NetError> {
    let address = config.parties.get(peer.index()).map_or("", |p| p.address.as_str());
    loop {
        let dialed = TcpStream::connect(address);
        match dialed.and_then(|s| prepare(&s, config).map(|()| s)) {
            Ok(socket) => return Ok(socket),
            Err(e) if Instant::now() >= deadline => return Err(broke(config, peer, &e)),
            Err(_) => std::thread::sleep(Duration::from_millis(10)),
        }
    }
}

fn prepare(socket: &TcpStream, config: &SessionConfig) -> Result<(), Error> {
    socket.set_nonblocking(false)?;
    socket.set_nodelay(true)?;
    sockopt::set_socket_send_buffer_size(socket, SOCKET_BUFFER_BYTES)?;
    sockopt::set_socket_recv_buffer_size(socket, SOCKET_BUFFER_BYTES)?;
    socket.set_read_timeout(Some(config.limits.progress))?;
    socket.set_write_timeout(Some(config.limits.progress))
}

/// Exchanges one byte with everybody.
fn meet(config: &SessionConfig, sockets: &mut [(PartyId, TcpStream)]) -> Result<(), NetError> {
    for (peer, socket) in &mut *sockets {
        socket.write_all(&[1]).map_err(|e| broke(config, *peer, &e))?;
    }
    for (peer, socket) in sockets {
        let read = socket.read_exact(&mut [0]);
        read.map_err(|e| broke(config, *peer, &e))?;
    }
    Ok(())
}

fn broke(config: &SessionConfig, peer: PartyId, e: &Error) -> NetError {
    let party = config.parties.get(peer.index());
    NetError::Network {
        peer: Arc::new(Peer {
            id: peer,
            name: party.map_or_else(String::new, |p| p.name.clone()),
            address: party.map_or_else(String::new, |p| p.address.clone()),
        }),
        hint: format!("calibrating: {e}"),
    }
}
