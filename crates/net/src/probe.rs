//! Measures the links of an established session: round-trip time and bandwidth of each directed
//! link.

use crate::error::NetError;
use crate::mesh::Mesh;
use crate::session::Session;
use crate::types::{PartyId, Stream};
use serde::Serialize;
use std::time::Duration;

/// The effort of a measurement: how long it takes, and how good it is.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Effort {
    /// About a second per directed link, one after the other, so that links do not disturb each other.
    Thorough,
    /// About two round trips per pair of parties, of which pairs without a common party go at the same time: good
    /// enough to choose protocols and roles by.
    Brief,
}

/// Pings of which the median counts.
const PINGS: usize = 9;
/// Bulk transfers of which the median counts.
const TRANSFERS: usize = 3;
/// A bulk transfer is long enough when it takes this long.
const LONG_ENOUGH: Duration = Duration::from_millis(100);

const FIRST_BYTES: u64 = 32 << 10;
const MOST_BYTES: u64 = 256 << 20;
const PIECE_BYTES: usize = 256 << 10;

/// What was measured on one directed link.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Serialize)]
pub struct LinkProbe {
    /// The sender.
    pub from: PartyId,
    /// The receiver.
    pub to: PartyId,
    /// Median time of a small message there and one back, in nanoseconds.
    pub rtt_ns: u64,
    /// Median rate at which bulk data arrives; `None` if it arrived in no time (memory transport
    /// without a limit).
    pub bits_per_second: Option<u64>,
}

/// Measures every directed link, on the first mesh of each party. All parties must call it;
/// each gets the same results, ordered by sender and receiver. The meter does not count it.
///
/// # Errors
/// A link fails, or the session has no mesh left.
pub fn probe(session: &mut Session, effort: Effort) -> Result<Vec<LinkProbe>, NetError> {
    let saved = session.meshes.first().map(Mesh::meter);
    let probes = match effort {
        Effort::Thorough => thorough(session)?,
        Effort::Brief => brief(session)?,
    };
    if let (Some(meter), Some(mesh)) = (saved, session.meshes.first_mut()) {
        mesh.restore_meter(meter);
    }
    Ok(probes)
}

fn first_mesh(session: &mut Session) -> Result<&mut Mesh, NetError> {
    session
        .meshes
        .first_mut()
        .ok_or_else(|| NetError::Configuration("the probe needs a mesh of the session".into()))
}

/// Publishes what this party measured with each peer, and gives what all did, by party.
fn published(
    session: &mut Session,
    own: &[(PartyId, Measured)],
) -> Result<Vec<Vec<(PartyId, Measured)>>, NetError> {
    let n = session.parties();
    let all = session.publish(&encode(own))?;
    let results = PartyId::all(n).zip(&all).map(|(party, bytes)| {
        decode(party, n, bytes).ok_or_else(|| NetError::Misbehaviour {
            peer: session.shared_peer(party),
            what: "its measurements are malformed".into(),
        })
    });
    results.collect()
}

/// Every directed link by itself: the sender measures.
fn thorough(session: &mut Session) -> Result<Vec<LinkProbe>, NetError> {
    let (me, n) = (session.me(), session.parties());
    let mut own = Vec::new();
    for from in PartyId::all(n) {
        for to in PartyId::all(n).filter(|&to| to != from) {
            session.barrier()?;
            let mesh = first_mesh(session)?;
            if me == from {
                own.push((to, measure(mesh, to)?));
            } else if me == to && !answer(mesh, from)? {
                let (peer, what) = (session.shared_peer(from), "it measures without end".into());
                return Err(NetError::Misbehaviour { peer, what });
            }
        }
    }
    let all = published(session, &own)?;
    let links = PartyId::all(n).zip(&all).flat_map(|(from, measured)| {
        measured.iter().map(move |(to, it)| it.probe(from, *to, it.bits_per_second))
    });
    Ok(links.collect())
}

/// Pair after pair: each measures the round trip, and at what rate data comes in.
fn brief(session: &mut Session) -> Result<Vec<LinkProbe>, NetError> {
    let (me, n) = (session.me(), session.parties());
    let mut own = Vec::new();
    for (first, second) in pairs(n) {
        let mesh = first_mesh(session)?;
        if me == first {
            own.push((second, with_second(mesh, second)?));
        } else if me == second {
            own.push((first, with_first(mesh, first)?));
        }
    }
    own.sort_by_key(|(peer, _)| *peer);
    let all = published(session, &own)?;
    let at = |party: PartyId, peer: PartyId| {
        all[party.index()].iter().find(|(known, _)| *known == peer).map(|(_, it)| it)
    };
    let links = PartyId::all(n).flat_map(|from| PartyId::all(n).map(move |to| (from, to)));
    let probe = |(from, to): (PartyId, PartyId)| {
        // The one that began has timed the round trip.
        let rtt = at(from.min(to), from.max(to))?;
        Some(rtt.probe(from, to, at(to, from)?.bits_per_second))
    };
    Ok(links.filter_map(probe).collect())
}

/// All pairs of parties, in an order in which pairs without a common party stand together: they go at the same time.
fn pairs(n: usize) -> Vec<(PartyId, PartyId)> {
    let all = PartyId::all(n).flat_map(|i| PartyId::all(n).map(move |j| (i, j)));
    let mut pairs: Vec<(PartyId, PartyId)> = all.filter(|(i, j)| i < j).collect();
    pairs.sort_by_key(|(i, j)| (i.index() + j.index()) % n);
    pairs
}

/// Bytes of the second transfer of a brief measurement at most.
const MOST_BRIEF_BYTES: u64 = 4 << 20;
/// How long the second transfer takes about, and how long a first one takes that is enough by itself.
const BRIEF: Duration = Duration::from_millis(30);
const ENOUGH: Duration = Duration::from_millis(8);

/// Measures a link as the side of a pair that begins. Both sides send a first transfer at once; the second ones, whose sizes
/// follow from the first, go one after the other.
fn with_second(mesh: &mut Mesh, peer: PartyId) -> Result<Measured, NetError> {
    // The peer is here: it is not busy with another pair any more.
    mesh.recv(peer, Stream::On, &mut [0])?;
    let start = mesh.now();
    send_timed(mesh, peer, FIRST_BYTES)?;
    mesh.recv(peer, Stream::On, &mut [0])?;
    let rtt_ns = (mesh.now() - start).as_nanos() as u64;
    let came = receive_since(mesh, peer, FIRST_BYTES, start + Duration::from_nanos(rtt_ns))?;
    let (wanted, mine) = (size(mesh, peer)?, second_size(came));
    mesh.send(peer, Stream::On, &mine.to_le_bytes())?;
    send_second(mesh, peer, wanted)?;
    let bits_per_second = receive_second(mesh, peer, mine, came)?;
    Ok(Measured { rtt_ns, bits_per_second })
}

/// Measures a link as the other side.
fn with_first(mesh: &mut Mesh, peer: PartyId) -> Result<Measured, NetError> {
    mesh.send(peer, Stream::On, &[1])?;
    mesh.recv(peer, Stream::On, &mut [0])?;
    let start = mesh.now();
    send_timed(mesh, peer, FIRST_BYTES)?;
    let came = receive_since(mesh, peer, FIRST_BYTES, start)?;
    let mine = second_size(came);
    mesh.send(peer, Stream::On, &mine.to_le_bytes())?;
    let wanted = size(mesh, peer)?;
    let bits_per_second = receive_second(mesh, peer, mine, came)?;
    send_second(mesh, peer, wanted)?;
    Ok(Measured { rtt_ns: 0, bits_per_second })
}

/// Sends one byte, and so many behind it, whose arrival the peer times.
fn send_timed(mesh: &mut Mesh, to: PartyId, bytes: u64) -> Result<(), NetError> {
    mesh.send(to, Stream::On, &[1])?;
    mesh.flush()?;
    send_bulk(mesh, to, bytes)?;
    mesh.flush()
}

fn send_bulk(mesh: &mut Mesh, to: PartyId, bytes: u64) -> Result<(), NetError> {
    let piece = vec![0; PIECE_BYTES.min(bytes as usize)];
    let mut left = bytes;
    while left > 0 {
        let n = left.min(PIECE_BYTES as u64);
        mesh.send(to, Stream::On, &piece[..n as usize])?;
        left -= n;
    }
    Ok(())
}

/// Receives so many bytes; returns the nanoseconds since `start` until they are here.
fn receive_since(
    mesh: &mut Mesh,
    from: PartyId,
    bytes: u64,
    start: Duration,
) -> Result<u64, NetError> {
    let mut piece = vec![0; PIECE_BYTES.min(bytes as usize)];
    let mut left = bytes;
    while left > 0 {
        let n = left.min(PIECE_BYTES as u64);
        mesh.recv(from, Stream::On, &mut piece[..n as usize])?;
        left -= n;
    }
    Ok((mesh.now() - start).as_nanos() as u64)
}

/// The size of the second transfer that a peer asks for.
fn size(mesh: &mut Mesh, peer: PartyId) -> Result<u64, NetError> {
    let mut bytes = [0; 8];
    mesh.recv(peer, Stream::On, &mut bytes)?;
    Ok(u64::from_le_bytes(bytes).min(MOST_BRIEF_BYTES))
}

/// How long a second transfer should be, after a first one that took so long; none if that was long enough.
fn second_size(first_ns: u64) -> u64 {
    match Duration::from_nanos(first_ns) {
        enough if enough >= ENOUGH => 0,
        _ => {
            let wanted = u128::from(FIRST_BYTES) * BRIEF.as_nanos() / u128::from(first_ns.max(1));
            wanted.min(u128::from(MOST_BRIEF_BYTES)) as u64
        }
    }
}

fn send_second(mesh: &mut Mesh, to: PartyId, bytes: u64) -> Result<(), NetError> {
    if bytes > 0 { send_timed(mesh, to, bytes) } else { Ok(()) }
}

/// Receives the second transfer, if there is one; returns the rate in bits per second, or zero where there is no limit.
fn receive_second(
    mesh: &mut Mesh,
    from: PartyId,
    bytes: u64,
    first_ns: u64,
) -> Result<u64, NetError> {
    if bytes == 0 {
        return Ok(rate(FIRST_BYTES, first_ns));
    }
    mesh.recv(from, Stream::On, &mut [0])?;
    let start = mesh.now();
    let ns = receive_since(mesh, from, bytes, start)?;
    Ok(rate(bytes, ns))
}

/// Bits per second, or zero where they took no time.
fn rate(bytes: u64, ns: u64) -> u64 {
    let bits = u128::from(bytes) * 8 * 1_000_000_000;
    bits.checked_div(u128::from(ns)).map_or(0, |rate| u64::try_from(rate).unwrap_or(u64::MAX))
}

struct Measured {
    rtt_ns: u64,
    /// Zero stands for no limit.
    bits_per_second: u64,
}

impl Measured {
    /// As it is reported, with a rate of its own.
    fn probe(&self, from: PartyId, to: PartyId, bits_per_second: u64) -> LinkProbe {
        let bits_per_second = Some(bits_per_second).filter(|bits| *bits > 0);
        LinkProbe { from, to, rtt_ns: self.rtt_ns, bits_per_second }
    }
}

/// The sender's side: pings, then transfers of growing size, whose times the receiver returns.
fn measure(mesh: &mut Mesh, to: PartyId) -> Result<Measured, NetError> {
    let mut pings = Vec::with_capacity(PINGS + 1);
    for _ in 0..=PINGS {
        let start = mesh.now();
        mesh.send(to, Stream::On, &[1])?;
        mesh.recv(to, Stream::On, &mut [0])?;
        pings.push((mesh.now() - start).as_nanos() as u64);
    }
    // The first ping warms up.
    let rtt_ns = median(&mut pings[1..]);
    let mut bytes = FIRST_BYTES;
    while transfer(mesh, to, bytes)? < LONG_ENOUGH.as_nanos() as u64 && bytes < MOST_BYTES {
        bytes *= 2;
    }
    let mut times = Vec::with_capacity(TRANSFERS);
    for _ in 0..TRANSFERS {
        times.push(transfer(mesh, to, bytes)?);
    }
    mesh.send(to, Stream::On, &0u64.to_le_bytes())?;
    mesh.flush()?;
    Ok(Measured { rtt_ns, bits_per_second: rate(bytes, median(&mut times)) })
}

/// Sends `bytes` behind one byte; returns how long they took to arrive after it.
fn transfer(mesh: &mut Mesh, to: PartyId, bytes: u64) -> Result<u64, NetError> {
    mesh.send(to, Stream::On, &bytes.to_le_bytes())?;
    mesh.send(to, Stream::On, &[1])?;
    send_bulk(mesh, to, bytes)?;
    let mut ns = [0; 8];
    mesh.recv(to, Stream::On, &mut ns)?;
    Ok(u64::from_le_bytes(ns))
}

/// Transfers that a sender needs at most: twice as long ones until they take long enough, then the rest.
fn most_transfers() -> usize {
    (MOST_BYTES / FIRST_BYTES).ilog2() as usize + 1 + TRANSFERS
}

/// The receiver's side: whether the sender came to an end.
fn answer(mesh: &mut Mesh, from: PartyId) -> Result<bool, NetError> {
    for _ in 0..=PINGS {
        mesh.recv(from, Stream::On, &mut [0])?;
        mesh.send(from, Stream::On, &[1])?;
    }
    for _ in 0..=most_transfers() {
        let mut bytes = [0; 8];
        mesh.recv(from, Stream::On, &mut bytes)?;
        let bytes = u64::from_le_bytes(bytes).min(MOST_BYTES);
        if bytes == 0 {
            return Ok(true);
        }
        mesh.recv(from, Stream::On, &mut [0])?;
        let start = mesh.now();
        let ns = receive_since(mesh, from, bytes, start)?;
        mesh.send(from, Stream::On, &ns.to_le_bytes())?;
    }
    Ok(false)
}

fn median(values: &mut [u64]) -> u64 {
    values.sort_unstable();
    values.get(values.len() / 2).copied().unwrap_or(0)
}

fn encode(own: &[(PartyId, Measured)]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(own.len() * 17);
    for (to, measured) in own {
        bytes.push(to.0);
        bytes.extend_from_slice(&measured.rtt_ns.to_le_bytes());
        bytes.extend_from_slice(&measured.bits_per_second.to_le_bytes());
    }
    bytes
}

fn decode(from: PartyId, parties: usize, bytes: &[u8]) -> Option<Vec<(PartyId, Measured)>> {
    let mut all = Vec::new();
    let mut rest = bytes;
    for expected in PartyId::all(parties).filter(|&to| to != from) {
        let (&[to], after) = rest.split_first_chunk()?;
        let (&rtt, after) = after.split_first_chunk()?;
        let (&bits, after) = after.split_first_chunk()?;
        rest = after;
        if to != expected.0 {
            return None;
        }
        let (rtt_ns, bits_per_second) = (u64::from_le_bytes(rtt), u64::from_le_bytes(bits));
        all.push((expected, Measured { rtt_ns, bits_per_second }));
    }
    rest.is_empty().then_some(all)
}
