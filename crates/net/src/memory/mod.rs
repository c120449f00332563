//! The memory transport: every party a thread of this process, with virtual time.
//!
//! Each mesh has its own virtual clock. A message leaves at the later of its sender's clock and
//! the time at which the directed link is free, occupies the link for its length divided by the
//! bandwidth, and arrives a delay later; the streams (and workers) of a party share the link. A worker
//! whose clock is behind those of others takes what they left free.
//! Receiving moves the clock to the arrival of the last byte taken. Sending does not move it.
//! Control operations (agree, barrier, finish) take one delay of each link and no bandwidth:
//! they leave at the latest clock of the party's meshes and move all of them to the latest
//! arrival; call them while no other thread uses the meshes.
//!
//! With [`Compute::Nothing`] and one worker per party a run is deterministic to the nanosecond:
//! neither the scheduler nor the load of the machine can be seen in its times.

mod channel;
mod clock;
mod control;
mod transport;

use crate::link::LinkProfile;
use crate::mesh::Mesh;
use crate::session::Session;
use crate::socket::Stopper;
use crate::types::{PartyId, Peer, Peers, Stream};
use channel::Channel;
use clock::{Clock, DirectedLink};
use control::{Hub, MemoryControl};
use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;
use transport::MemoryTransport;

/// How computing moves a virtual clock.
#[derive(Copy, Clone, PartialEq, Debug, Default)]
pub enum Compute {
    /// Computing takes no time.
    #[default]
    Nothing,
    /// The CPU time that the mesh's thread uses between calls of its mesh, times this factor.
    /// It counts from the first call that the thread makes on the mesh.
    ThreadCpuTime(f64),
}

/// The network that the memory transport plays.
#[derive(Clone, Debug)]
pub struct MemoryNetwork {
    /// Links that are not named in `links`.
    pub default_link: LinkProfile,
    /// Directed links by (from, to).
    pub links: HashMap<(PartyId, PartyId), LinkProfile>,
    /// How computing is charged.
    pub compute: Compute,
    /// Real time without progress after which a wait for data fails.
    pub deadline: Duration,
    /// Real time that a party waits in a control operation for a peer that is busy.
    pub meeting_deadline: Duration,
    /// Bytes that may wait unread on a `Pre` stream before its sender blocks (in real time only;
    /// virtual time does not notice).
    pub pre_window_bytes: usize,
    /// Ends the session for all parties from another thread.
    pub stopper: Stopper,
}

impl Default for MemoryNetwork {
    fn default() -> MemoryNetwork {
        MemoryNetwork {
            default_link: LinkProfile::default(),
            links: HashMap::new(),
            compute: Compute::Nothing,
            deadline: Duration::from_secs(30),
            meeting_deadline: Duration::from_secs(3600),
            pre_window_bytes: 4 << 20,
            stopper: Stopper::default(),
        }
    }
}

impl MemoryNetwork {
    /// Makes a network where all links are alike and computing takes no time.
    #[must_use]
    pub fn uniform(link: LinkProfile) -> MemoryNetwork {
        MemoryNetwork { default_link: link, ..MemoryNetwork::default() }
    }

    /// Sets the directed link `from -> to`.
    #[must_use]
    pub fn with_link(mut self, from: PartyId, to: PartyId, link: LinkProfile) -> MemoryNetwork {
        self.links.insert((from, to), link);
        self
    }

    /// Sets how computing is charged.
    #[must_use]
    pub fn with_compute(mut self, compute: Compute) -> MemoryNetwork {
        self.compute = compute;
        self
    }

    /// Gives the profile of the directed link `from -> to`.
    #[must_use]
    pub fn link(&self, from: PartyId, to: PartyId) -> LinkProfile {
        self.links.get(&(from, to)).copied().unwrap_or(self.default_link)
    }
}

/// Makes the sessions of all parties, by id, connected with each other. Each goes into its own thread.
///
/// # Panics
/// If `parties` exceeds 256.
#[must_use]
pub fn sessions(parties: usize, workers: usize, network: &MemoryNetwork) -> Vec<Session> {
    assert!(parties <= 256, "at most 256 parties");
    let peers: Peers = PartyId::all(parties)
        .map(|id| Arc::new(Peer { id, name: format!("party{}", id.0), address: "memory".into() }))
        .collect();
    let links: Vec<Arc<DirectedLink>> = pairs(parties)
        .map(|(from, to)| Arc::new(DirectedLink::new(&network.link(from, to))))
        .collect();
    let hub = Arc::new(Hub::new(peers.clone(), network));
    let stopped = hub.clone();
    network.stopper.attach(move |kind, reason| stopped.stop_all(kind, reason));
    let workers: Vec<Vec<Arc<Channel>>> =
        (0..workers).map(|_| channels(parties, network)).collect();
    let session = |id: PartyId| {
        let clocks: Vec<Clock> = workers.iter().map(|_| Clock::default()).collect();
        let mesh = |(clock, channels): (&Clock, &Vec<Arc<Channel>>)| {
            let clock = clock.clone();
            let transport =
                MemoryTransport::new(id, &hub, clock, &links, channels, network.compute);
            Mesh::new(id, peers.clone(), Box::new(transport))
        };
        let meshes = clocks.iter().zip(&workers).map(mesh).collect();
        let control = MemoryControl::new(id, hub.clone(), clocks, &links);
        Session::new(id, peers.clone(), meshes, Box::new(control))
    };
    PartyId::all(parties).map(session).collect()
}

/// The channels between the meshes of one worker, by sender, receiver and stream.
fn channels(parties: usize, network: &MemoryNetwork) -> Vec<Arc<Channel>> {
    pairs(parties)
        .flat_map(|_| Stream::ALL)
        .map(|stream| {
            let window = (stream == Stream::Pre).then_some(network.pre_window_bytes);
            Arc::new(Channel::new(window))
        })
        .collect()
}

/// Runs `party` once per party, each in its own thread, and returns the results by party.
///
/// # Panics
/// Passes on the first panic of a party.
pub fn run<R: Send>(
    parties: usize,
    workers: usize,
    network: &MemoryNetwork,
    party: impl Fn(Session) -> R + Sync,
) -> Vec<R> {
    std::thread::scope(|scope| {
        let threads: Vec<_> = sessions(parties, workers, network)
            .into_iter()
            .map(|session| {
                let party = &party;
                scope.spawn(move || party(session))
            })
            .collect();
        threads
            .into_iter()
            .map(|t| t.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
            .collect()
    })
}

fn pairs(parties: usize) -> impl Iterator<Item = (PartyId, PartyId)> {
    PartyId::all(parties).flat_map(move |from| PartyId::all(parties).map(move |to| (from, to)))
}
