//! Measures the links of an established session: round-trip time and bandwidth of each directed
//! link, one after the other, so that links do not disturb each other.

use crate::error::NetError;
use crate::mesh::Mesh;
use crate::session::Session;
use crate::types::{PartyId, Stream};
use serde::Serialize;
use std::time::Duration;

/// The effort of a measurement: how long it takes, and how good it is.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Effort {
    /// About a second per directed link.
    Thorough,
    /// Tens of milliseconds per directed link: good enough to choose roles by.
    Brief,
}

impl Effort {
    /// The number of pings of which the median counts.
    fn pings(self) -> usize {
        if self == Effort::Brief { 3 } else { 9 }
    }

    /// The number of bulk transfers of which the median counts.
    fn transfers(self) -> usize {
        if self == Effort::Brief { 1 } else { 3 }
    }

    /// A bulk transfer is long enough when it takes this long.
    fn long_enough(self) -> Duration {
        Duration::from_millis(if self == Effort::Brief { 8 } else { 100 })
    }
}

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
    let (me, n) = (session.me(), session.parties());
    let mut own = Vec::new();
    let saved = session.meshes.first().map(Mesh::meter);
    for from in PartyId::all(n) {
        for to in PartyId::all(n).filter(|&to| to != from) {
            session.barrier()?;
            let mesh = session.meshes.first_mut().ok_or_else(|| {
                NetError::Configuration("the probe needs a mesh of the session".into())
            })?;
            if me == from {
                own.push((to, measure(mesh, to, effort)?));
            } else if me == to && !answer(mesh, from, effort)? {
                let (peer, what) = (session.shared_peer(from), "it measures without end".into());
                return Err(NetError::Misbehaviour { peer, what });
            }
        }
    }
    if let (Some(meter), Some(mesh)) = (saved, session.meshes.first_mut()) {
        mesh.restore_meter(meter);
    }
    let all = session.publish(&encode(&own))?;
    let results = PartyId::all(n).zip(&all).map(|(from, bytes)| {
        decode(from, n, bytes).ok_or_else(|| NetError::Misbehaviour {
            peer: session.shared_peer(from),
            what: "its measurements are malformed".into(),
        })
    });
    results.collect::<Result<Vec<_>, _>>().map(|lists| lists.concat())
}

struct Measured {
    rtt_ns: u64,
    /// Zero stands for no limit.
    bits_per_second: u64,
}

/// The sender's side: pings, then transfers of growing size, whose times the receiver returns.
fn measure(mesh: &mut Mesh, to: PartyId, effort: Effort) -> Result<Measured, NetError> {
    let mut pings = Vec::with_capacity(effort.pings() + 1);
    for _ in 0..=effort.pings() {
        let start = mesh.now();
        mesh.send(to, Stream::On, &[1])?;
        mesh.recv(to, Stream::On, &mut [0])?;
        pings.push((mesh.now() - start).as_nanos() as u64);
    }
    // The first ping warms up.
    let rtt_ns = median(&mut pings[1..]);
    let mut bytes = FIRST_BYTES;
    while transfer(mesh, to, bytes)? < effort.long_enough().as_nanos() as u64 && bytes < MOST_BYTES
    {
        bytes *= 2;
    }
    let mut times = Vec::with_capacity(effort.transfers());
    for _ in 0..effort.transfers() {
        times.push(transfer(mesh, to, bytes)?);
    }
    mesh.send(to, Stream::On, &0u64.to_le_bytes())?;
    mesh.flush()?;
    let ns = u128::from(median(&mut times));
    let bits = u128::from(bytes) * 8 * 1_000_000_000;
    Ok(Measured { rtt_ns, bits_per_second: bits.checked_div(ns).map_or(0, |b| b as u64) })
}

/// Sends `bytes` behind one byte; returns how long they took to arrive after it.
fn transfer(mesh: &mut Mesh, to: PartyId, bytes: u64) -> Result<u64, NetError> {
    mesh.send(to, Stream::On, &bytes.to_le_bytes())?;
    mesh.send(to, Stream::On, &[1])?;
    let piece = vec![0; PIECE_BYTES];
    let mut left = bytes;
    while left > 0 {
        let n = left.min(PIECE_BYTES as u64);
        mesh.send(to, Stream::On, &piece[..n as usize])?;
        left -= n;
    }
    let mut ns = [0; 8];
    mesh.recv(to, Stream::On, &mut ns)?;
    Ok(u64::from_le_bytes(ns))
}

/// Transfers that a sender needs at most: twice as long ones until they take long enough, then the rest.
fn most_transfers(effort: Effort) -> usize {
    (MOST_BYTES / FIRST_BYTES).ilog2() as usize + 1 + effort.transfers()
}

/// The receiver's side: whether the sender came to an end.
fn answer(mesh: &mut Mesh, from: PartyId, effort: Effort) -> Result<bool, NetError> {
    for _ in 0..=effort.pings() {
        mesh.recv(from, Stream::On, &mut [0])?;
        mesh.send(from, Stream::On, &[1])?;
    }
    let mut piece = vec![0; PIECE_BYTES];
    for _ in 0..=most_transfers(effort) {
        let mut bytes = [0; 8];
        mesh.recv(from, Stream::On, &mut bytes)?;
        let mut left = u64::from_le_bytes(bytes).min(MOST_BYTES);
        if left == 0 {
            return Ok(true);
        }
        mesh.recv(from, Stream::On, &mut [0])?;
        let start = mesh.now();
        while left > 0 {
            let n = left.min(PIECE_BYTES as u64);
            mesh.recv(from, Stream::On, &mut piece[..n as usize])?;
            left -= n;
        }
        let ns = (mesh.now() - start).as_nanos() as u64;
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

fn decode(from: PartyId, parties: usize, bytes: &[u8]) -> Option<Vec<LinkProbe>> {
    let mut probes = Vec::new();
    let mut rest = bytes;
    for expected in PartyId::all(parties).filter(|&to| to != from) {
        let (&[to], after) = rest.split_first_chunk()?;
        let (&rtt, after) = after.split_first_chunk()?;
        let (&bits, after) = after.split_first_chunk()?;
        rest = after;
        if to != expected.0 {
            return None;
        }
        probes.push(LinkProbe {
            from,
            to: expected,
            rtt_ns: u64::from_le_bytes(rtt),
            bits_per_second: Some(u64::from_le_bytes(bits)).filter(|&b| b > 0),
        });
    }
    rest.is_empty().then_some(probes)
}
