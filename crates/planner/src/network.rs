//! Links between parties, as far as choosing roles wants to know them.

use tacit_net::probe::LinkProbe;
use tacit_net::{LinkProfile, PartyId};

/// What stands for a link without a limit, in bytes per second.
const UNLIMITED: f64 = 1e12;

/// Rate and delay of every directed link.
#[derive(Clone, Debug, PartialEq)]
pub struct Network {
    parties: usize,
    bytes_per_second: Vec<f64>,
    one_way_seconds: Vec<f64>,
}

impl Network {
    /// Links that `link` describes by sender and receiver: bytes per second, and seconds that a
    /// byte takes.
    #[must_use]
    pub fn new(parties: usize, link: impl Fn(PartyId, PartyId) -> (f64, f64)) -> Self {
        let pairs =
            || PartyId::all(parties).flat_map(|a| PartyId::all(parties).map(move |b| (a, b)));
        let rate = |(from, to)| link(from, to).0.clamp(1.0, UNLIMITED);
        let delay = |(from, to)| link(from, to).1.clamp(0.0, 1e6);
        Network {
            parties,
            bytes_per_second: pairs().map(rate).collect(),
            one_way_seconds: pairs().map(delay).collect(),
        }
    }

    /// Links that are all alike.
    #[must_use]
    pub fn uniform(parties: usize) -> Self {
        Network::new(parties, |_, _| (1e9, 0.0))
    }

    /// As measured on an open session.
    #[must_use]
    pub fn measured(parties: usize, probes: &[LinkProbe]) -> Self {
        Network::new(parties, |from, to| {
            let probe = probes.iter().find(|probe| (probe.from, probe.to) == (from, to));
            let rate = probe.and_then(|probe| probe.bits_per_second);
            let rtt = probe.map_or(0, |probe| probe.rtt_ns);
            (rate.map_or(UNLIMITED, |bits| bits as f64 / 8.0), rtt as f64 * 1e-9 / 2.0)
        })
    }

    /// As described.
    #[must_use]
    pub fn described(parties: usize, link: impl Fn(PartyId, PartyId) -> LinkProfile) -> Self {
        Network::new(parties, |from, to| {
            let LinkProfile { delay, bits_per_second } = link(from, to);
            let rate = bits_per_second.map_or(UNLIMITED, |bits| bits as f64 / 8.0);
            (rate, delay.as_secs_f64())
        })
    }

    /// Number of parties.
    #[must_use]
    pub fn parties(&self) -> usize {
        self.parties
    }

    /// Bytes per second that a link carries.
    #[must_use]
    pub fn rate(&self, from: usize, to: usize) -> f64 {
        self.bytes_per_second[from * self.parties + to]
    }

    /// Seconds that a byte takes.
    #[must_use]
    pub fn delay(&self, from: usize, to: usize) -> f64 {
        self.one_way_seconds[from * self.parties + to]
    }
}
