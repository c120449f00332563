//! What TLS and the kernel add to a link: measured over this machine's loopback interface.

use crate::error::{Error, ErrorKind, Result};
use crate::loopback;
use crate::meeting::Meeting;
use std::sync::OnceLock;
use std::thread;
use std::time::Duration;
use tacit_net::probe::{Effort, LinkProbe, probe};
use tacit_net::{LinkProfile, Mesh, NetError, PartyId, Session, SessionConfig, Stream};
use tacit_planner::{Crowd, Network};

/// What every message and every byte take beside what the network takes.
#[derive(Clone, Copy, Debug)]
pub struct Wire {
    message_seconds: f64,
    byte_seconds: f64,
    crowd: Crowd,
}

impl Wire {
    /// As it is here, measured once in a process, in some tens of milliseconds: between two parties on the loopback
    /// interface, over TLS.
    ///
    /// # Errors
    /// When this machine has no free port, or lets nobody connect.
    pub fn measured() -> Result<Wire> {
        static MEASURED: OnceLock<Wire> = OnceLock::new();
        if let Some(known) = MEASURED.get() {
            return Ok(*known);
        }
        let Seen { probes, rounds } = seen(2, None)?;
        let wire = Wire::of(&probes);
        // Messages to and from a party on a machine of its own take its cores side by side.
        let crowd = Crowd { message_seconds: 0.0, ..rounds.beside(wire.message_seconds, 2) };
        Ok(*MEASURED.get_or_init(|| Wire { crowd, ..wire }))
    }

    /// As it is where so many parties share this machine, and the links between them are shaped; of more than [`MOST_SHARED`],
    /// as between these.
    ///
    /// # Errors
    /// When this machine has no free port, or lets nobody connect.
    pub fn shared(parties: usize) -> Result<Wire> {
        let parties = parties.min(MOST_SHARED);
        let Seen { probes, rounds } = seen(parties, Some(DELAY))?;
        let wire = Wire::of(&probes);
        let crowd = rounds.beside(wire.message_seconds, parties);
        let message_seconds = (wire.message_seconds - DELAY.as_secs_f64()).max(0.0);
        Ok(Wire { message_seconds, crowd, ..wire })
    }

    /// The faster direction: what disturbs a measurement makes it slower.
    fn of(probes: &[LinkProbe]) -> Wire {
        let messages = probes.iter().map(|it| it.rtt_ns as f64 * 1e-9 / 2.0);
        let rates = probes.iter().filter_map(|it| it.bits_per_second).map(|bits| 8.0 / bits as f64);
        let least = |all: &mut dyn Iterator<Item = f64>| all.reduce(f64::min).unwrap_or(0.0);
        let (message_seconds, byte_seconds) = (least(&mut { messages }), least(&mut { rates }));
        Wire { message_seconds, byte_seconds, crowd: Crowd::default() }
    }

    /// A network whose links take as much longer.
    #[must_use]
    pub fn on(&self, network: Network) -> Network {
        network.slowed(self.message_seconds, self.byte_seconds).crowded(self.crowd)
    }
}

/// Parties that are started at most to measure what they share: every link takes a connection, and a thread.
const MOST_SHARED: usize = 4;
/// The delay of shaped links that are measured: processors that have slept for so long take longer to wake up.
const DELAY: Duration = Duration::from_micros(500);

/// Rounds that are measured, of messages of all parties to all others.
const ROUNDS: usize = 15;

/// What a party sees of the links between parties here.
struct Seen {
    probes: Vec<LinkProbe>,
    rounds: Rounds,
}

/// Seconds of rounds in which all parties send something to all others.
#[derive(Clone, Copy, Debug)]
pub struct Rounds {
    /// As parties do while they compute.
    computing: f64,
    /// As they do before they begin.
    exchange: f64,
}

impl Rounds {
    /// Measures them: all parties of a session do. Of each, the median of some.
    ///
    /// # Errors
    /// When the network fails.
    pub fn measured(session: &mut Session) -> std::result::Result<Rounds, NetError> {
        let peers = PartyId::all(session.parties()).filter(|peer| *peer != session.me());
        let peers: Vec<PartyId> = peers.collect();
        let computing = median(session, |session| {
            for mesh in session.meshes.iter_mut().take(1) {
                peers.iter().try_for_each(|peer| mesh.send(*peer, Stream::On, &[0]))?;
                peers.iter().try_for_each(|peer| mesh.recv(*peer, Stream::On, &mut [0]))?;
            }
            Ok(())
        })?;
        let exchange = median(session, |session| session.publish(&[0]).map(drop))?;
        Ok(Rounds { computing, exchange })
    }

    /// The seconds, in a fixed order.
    #[must_use]
    pub fn to_seconds(self) -> [f64; 2] {
        [self.computing, self.exchange]
    }

    /// What [`Rounds::to_seconds`] gives, read again.
    #[must_use]
    pub fn from_seconds([computing, exchange]: [f64; 2]) -> Rounds {
        Rounds { computing, exchange }
    }

    /// What these take longer between so many parties than a message that takes so many seconds.
    #[must_use]
    pub fn beside(self, message_seconds: f64, parties: usize) -> Crowd {
        let longer = |seconds: f64| (seconds - message_seconds).max(0.0);
        let others = (parties * (parties - 1)).saturating_sub(1).max(1) as f64;
        let message_seconds = longer(self.computing) / others;
        Crowd { message_seconds, exchange_seconds: longer(self.exchange) }
    }
}

/// The median of how long some rounds take.
fn median(
    session: &mut Session,
    mut round: impl FnMut(&mut Session) -> std::result::Result<(), NetError>,
) -> std::result::Result<f64, NetError> {
    // The session's clock, which may be a virtual one.
    let now = |session: &Session| session.meshes.first().map_or(Duration::ZERO, Mesh::now);
    let mut seconds = Vec::with_capacity(ROUNDS);
    for _ in 0..ROUNDS {
        let start = now(session);
        round(session)?;
        seconds.push((now(session) - start).as_secs_f64());
    }
    seconds.sort_by(f64::total_cmp);
    Ok(seconds[ROUNDS / 2])
}

/// What a party sees of the links between so many parties here, which may be shaped to have a delay.
fn seen(parties: usize, delay: Option<Duration>) -> Result<Seen> {
    let names: Vec<String> = (0..parties).map(|party| format!("party{party}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let measured = |mut config: SessionConfig| -> Result<Seen> {
        if let Some(delay) = delay {
            let peers = PartyId::all(parties).filter(|peer| *peer != config.me);
            config.shape = peers.map(|peer| (peer, LinkProfile::delay(delay))).collect();
        }
        let mut session = Meeting::new(config).connect()?;
        let probes = probe(&mut session, Effort::Brief)?;
        let found = Seen { probes, rounds: Rounds::measured(&mut session)? };
        session.finish()?;
        Ok(found)
    };
    thread::scope(|scope| {
        let configs = loopback::sessions(&names)?.into_iter();
        let parties: Vec<_> = configs.map(|config| scope.spawn(|| measured(config))).collect();
        let panicked = |_| Error::new(ErrorKind::Bug, "a thread that measures links panicked");
        let found: Result<Vec<Seen>> =
            parties.into_iter().map(|party| party.join().map_err(panicked)?).collect();
        found?.into_iter().next().ok_or_else(|| Error::new(ErrorKind::Bug, "nobody measures"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As many parties as there may be are not all started for it.
    #[test]
    fn many_parties_are_measured_as_few() {
        let wire = Wire::shared(64).expect("measures");
        assert!(wire.message_seconds < 1.0, "{wire:?}");
    }

    #[test]
    fn loopback_takes_some_time_and_adds_it_to_links() {
        let wire = Wire::measured().expect("measures");
        assert!(wire.message_seconds > 0.0 && wire.message_seconds < 1.0, "{wire:?}");
        assert!(wire.byte_seconds < 1e-6, "{wire:?}");
        let shared = Wire::shared(4).expect("measures");
        assert!(shared.message_seconds > 0.0 && shared.message_seconds < 1.0, "{shared:?}");
        let slow = Wire { message_seconds: 0.5, byte_seconds: 1e-9, crowd: Crowd::default() };
        let network = slow.on(Network::new(2, |_, _| (1e9, 0.25)));
        assert!((network.delay(0, 1) - 0.75).abs() < 1e-9);
        assert!((network.rate(0, 1) - 5e8).abs() < 1.0);
    }
}
