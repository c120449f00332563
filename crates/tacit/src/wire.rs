//! What TLS and the kernel add to a link: measured over this machine's loopback interface.

use crate::error::{Error, ErrorKind, Result};
use crate::loopback;
use crate::meeting::Meeting;
use std::sync::OnceLock;
use std::thread;
use std::time::Duration;
use tacit_net::probe::{Effort, LinkProbe, probe};
use tacit_net::{LinkProfile, PartyId, SessionConfig};
use tacit_planner::Network;

/// What every message and every byte take beside what the network takes.
#[derive(Clone, Copy, Debug)]
pub struct Wire {
    message_seconds: f64,
    byte_seconds: f64,
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
        let wire = Wire::of(&probes(2, None)?);
        Ok(*MEASURED.get_or_init(|| wire))
    }

    /// As it is where so many parties share this machine, and the links between them are shaped; of more than [`MOST_SHARED`],
    /// as between these.
    ///
    /// # Errors
    /// When this machine has no free port, or lets nobody connect.
    pub fn shared(parties: usize) -> Result<Wire> {
        let wire = Wire::of(&probes(parties.min(MOST_SHARED), Some(DELAY))?);
        let message_seconds = (wire.message_seconds - DELAY.as_secs_f64()).max(0.0);
        Ok(Wire { message_seconds, ..wire })
    }

    /// The faster direction: what disturbs a measurement makes it slower.
    fn of(probes: &[LinkProbe]) -> Wire {
        let messages = probes.iter().map(|it| it.rtt_ns as f64 * 1e-9 / 2.0);
        let rates = probes.iter().filter_map(|it| it.bits_per_second).map(|bits| 8.0 / bits as f64);
        let least = |all: &mut dyn Iterator<Item = f64>| all.reduce(f64::min).unwrap_or(0.0);
        Wire { message_seconds: least(&mut { messages }), byte_seconds: least(&mut { rates }) }
    }

    /// A network whose links take as much longer.
    #[must_use]
    pub fn on(&self, network: Network) -> Network {
        network.slowed(self.message_seconds, self.byte_seconds)
    }
}

/// Parties that are started at most to measure what they share: every link takes a connection, and a thread.
const MOST_SHARED: usize = 4;
/// The delay of shaped links that are measured: processors that have slept for so long take longer to wake up.
const DELAY: Duration = Duration::from_micros(500);

/// What a party measures of the links between so many parties here, which may be shaped to have a delay.
fn probes(parties: usize, delay: Option<Duration>) -> Result<Vec<LinkProbe>> {
    let names: Vec<String> = (0..parties).map(|party| format!("party{party}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let measured = |mut config: SessionConfig| -> Result<Vec<LinkProbe>> {
        if let Some(delay) = delay {
            let peers = PartyId::all(parties).filter(|peer| *peer != config.me);
            config.shape = peers.map(|peer| (peer, LinkProfile::delay(delay))).collect();
        }
        let mut session = Meeting::new(config).connect()?;
        let found = probe(&mut session, Effort::Brief)?;
        session.finish()?;
        Ok(found)
    };
    thread::scope(|scope| {
        let configs = loopback::sessions(&names)?.into_iter();
        let parties: Vec<_> = configs.map(|config| scope.spawn(|| measured(config))).collect();
        let panicked = |_| Error::new(ErrorKind::Bug, "a thread that measures links panicked");
        let found: Result<Vec<_>> =
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
        let slow = Wire { message_seconds: 0.5, byte_seconds: 1e-9 };
        let network = slow.on(Network::new(2, |_, _| (1e9, 0.25)));
        assert!((network.delay(0, 1) - 0.75).abs() < 1e-9);
        assert!((network.rate(0, 1) - 5e8).abs() < 1.0);
    }
}
