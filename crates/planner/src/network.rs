//! Links between parties, as far as choosing roles wants to know them.

use tacit_net::probe::LinkProbe;
use tacit_net::{LinkProfile, PartyId};

/// What stands for a link without a limit, in bytes per second.
const UNLIMITED: f64 = 1e12;

/// Steps of waiting that are followed one by one; what further ones take is that of these on average.
const STEPS: u64 = 1 << 10;

/// Rate and delay of every directed link.
#[derive(Clone, Debug, PartialEq)]
pub struct Network {
    parties: usize,
    bytes_per_second: Vec<f64>,
    one_way_seconds: Vec<f64>,
    /// What each party sends per second at most, over all links.
    uplinks: Vec<f64>,
    crowd: Crowd,
}

/// What parties take that have several messages to handle at once, beside what one message takes.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Crowd {
    /// Seconds for every message of a step but the first: where parties share a machine's cores.
    pub message_seconds: f64,
    /// Seconds for every exchange of all parties with all others, as before a run.
    pub exchange_seconds: f64,
}

/// Steps, in each of which every party waits for what these directed links bring.
#[derive(Clone, Debug, PartialEq)]
pub struct Waits {
    /// Sender and receiver.
    pub links: Vec<(usize, usize)>,
    /// How many steps there are.
    pub steps: u64,
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
            uplinks: vec![UNLIMITED; parties],
            crowd: Crowd::default(),
        }
    }

    /// Limits what each party sends over all its links together, in bytes per second.
    #[must_use]
    pub fn with_uplinks(self, bytes_per_second: f64) -> Self {
        Network { uplinks: vec![bytes_per_second.clamp(1.0, UNLIMITED); self.parties], ..self }
    }

    /// The links between the first so many parties.
    #[must_use]
    pub fn among(&self, parties: usize) -> Self {
        let link = |from: PartyId, to: PartyId| {
            let (from, to) = (from.index(), to.index());
            (self.rate(from, to), self.delay(from, to))
        };
        let (uplinks, crowd) = (self.uplinks[..parties].to_vec(), self.crowd);
        Network { uplinks, crowd, ..Network::new(parties, link) }
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

    /// With links that take longer: each message by so many seconds, and each byte.
    #[must_use]
    pub fn slowed(self, message_seconds: f64, byte_seconds: f64) -> Self {
        let rate = |rate: &f64| 1.0 / (1.0 / rate + byte_seconds);
        Network {
            bytes_per_second: self.bytes_per_second.iter().map(rate).collect(),
            one_way_seconds: self.one_way_seconds.iter().map(|it| it + message_seconds).collect(),
            ..self
        }
    }

    /// With parties that take so long for several messages at once.
    #[must_use]
    pub fn crowded(self, crowd: Crowd) -> Self {
        Network { crowd, ..self }
    }

    /// What so many exchanges, and so many steps of so many messages each, take longer than with one message at a time.
    #[must_use]
    pub fn handling(&self, exchanges: u64, (steps, messages): (u64, usize)) -> f64 {
        let beside = messages.saturating_sub(1) as f64;
        let Crowd { message_seconds, exchange_seconds } = self.crowd;
        exchanges as f64 * exchange_seconds + steps as f64 * beside * message_seconds
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

    /// Seconds that a byte takes over the longest link.
    #[must_use]
    pub fn longest_delay(&self) -> f64 {
        self.one_way_seconds.iter().copied().fold(0.0, f64::max)
    }

    /// Seconds until all bytes are sent: of the busiest link, or of the party that sends most for its uplink.
    #[must_use]
    pub fn sending(&self, bytes: &[(usize, usize, f64)]) -> f64 {
        let links = bytes.iter().map(|(from, to, bytes)| bytes / self.rate(*from, *to));
        let sent =
            |party: usize| bytes.iter().filter(move |link| link.0 == party).map(|link| link.2);
        let uplinks = self.uplinks.iter().enumerate();
        let uplinks = uplinks.map(|(party, uplink)| sent(party).sum::<f64>() / uplink);
        links.chain(uplinks).fold(0.0, f64::max)
    }

    /// Seconds until the last party has waited for all of these, one after the other. Who is near others does not
    /// wait for those that are far from each other before they have told it something.
    #[must_use]
    pub fn waiting(&self, waits: &[Waits]) -> f64 {
        let mut times = vec![0.0; self.parties];
        waits.iter().for_each(|waits| self.pass(&mut times, waits));
        times.into_iter().fold(0.0, f64::max)
    }

    /// Moves the parties' times by some waits.
    fn pass(&self, times: &mut Vec<f64>, Waits { links, steps }: &Waits) {
        let first = times.clone();
        let followed = (*steps).min(STEPS);
        for step in 1..=followed {
            let mut next = times.clone();
            for (from, to) in links {
                next[*to] = f64::max(next[*to], times[*from] + self.delay(*from, *to));
            }
            let moved = |party: usize| next[party] - times[party];
            let (least, most) = links.iter().fold((f64::INFINITY, 0.0), |(least, most), link| {
                let [from, to] = [moved(link.0), moved(link.1)];
                (f64::min(least, from.min(to)), f64::max(most, from.max(to)))
            });
            *times = next;
            if most - least <= 1e-12 {
                // All who wait move alike, and will go on so.
                return move_by(times, links, most * (steps - step) as f64);
            }
        }
        let left = (steps - followed) as f64 / followed.max(1) as f64;
        times.iter_mut().zip(first).for_each(|(time, first)| *time += (*time - first) * left);
    }
}

/// Moves the times of all parties that links connect.
fn move_by(times: &mut [f64], links: &[(usize, usize)], seconds: f64) {
    for (party, time) in times.iter_mut().enumerate() {
        if links.iter().any(|link| link.0 == party || link.1 == party) {
            *time += seconds;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Seconds of so many steps over links whose delay is that of their parties' numbers together.
    fn waited(links: &[(usize, usize)], steps: u64) -> f64 {
        let network = Network::new(4, |a, b| (1e9, f64::from(a.0 + b.0)));
        network.waiting(&[Waits { links: links.to_vec(), steps }])
    }

    fn near(found: f64, wanted: f64) {
        assert!((found - wanted).abs() <= 1e-6 * wanted, "{found} instead of {wanted}");
    }

    #[test]
    fn who_waits_for_each_other_takes_a_delay_a_step() {
        near(waited(&[(1, 2), (2, 1)], 1000), 3000.0);
        near(waited(&[(0, 1), (1, 0), (1, 2), (2, 1)], 100_000), 300_000.0);
        near(waited(&[(0, 1), (1, 0), (1, 2), (2, 1)], 7), 21.0);
        assert_eq!(waited(&[], 5), 0.0);
        assert_eq!(waited(&[(0, 1)], 0), 0.0);
    }

    /// A message round the ring takes three steps, and the sum of the delays.
    #[test]
    fn rings_take_the_mean_of_their_delays() {
        let ring = [(1, 0), (2, 1), (0, 2)];
        near(waited(&ring, 300), 600.0);
        assert!((waited(&ring, 1_000_000) / 2e6 - 1.0).abs() < 1e-3);
    }

    #[test]
    fn who_is_answered_by_nobody_delays_others_once() {
        near(waited(&[(0, 3)], 50), 3.0);
        near(waited(&[(0, 1), (1, 2)], 50), 4.0);
    }

    #[test]
    fn messages_beside_others_and_exchanges_take_their_time() {
        let crowd = Crowd { message_seconds: 2.0, exchange_seconds: 100.0 };
        let network = Network::uniform(4).crowded(crowd).among(3);
        near(network.handling(0, (5, 4)), 30.0);
        near(network.handling(3, (5, 1)), 300.0);
        assert_eq!(network.handling(0, (5, 0)), 0.0);
        assert_eq!(Network::uniform(4).handling(3, (5, 4)), 0.0);
    }

    #[test]
    fn uplinks_carry_all_links_of_a_party() {
        let network = Network::uniform(4);
        let bytes = [(0, 1, 1e9), (0, 2, 2e9), (0, 3, 1e9), (1, 0, 3e9)];
        near(network.sending(&bytes), 3.0);
        near(network.clone().with_uplinks(1e9).sending(&bytes), 4.0);
        near(network.with_uplinks(1e9).among(2).sending(&bytes[3..]), 3.0);
    }
}
