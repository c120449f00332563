//! Seconds of a phase: waiting for links, sending over them, and computing, one after the other.
//!
//! ```text
//! T(phase) = steps x latency + max(bytes of a link / its rate, bytes of a party / its uplink) + work / threads
//! ```
//!
//! Circuits are drawn by one thread, however many there are.
//!
//! What is waited for over different links comes one after the other: the times that it takes to send are added up, unless what
//! goes over all links at once takes longer. What roles send ahead is on its way first: where it takes the same links, as those of
//! several assignments of roles side by side do, the rest waits behind it; where it takes others, the largest step still comes
//! after what was sent ahead for it. But while one assignment waits another sends: of the
//! time that links would be idle a third is left, in virtual time (eleven splits of Trio, Quad and Fantastic Four, within a quarter).
//!
//! Where a protocol sends while it computes this is more than it takes; which of the three parts is the largest stays
//! the same.

use crate::network::{Network, Waits};
use crate::work::Calibration;
use std::fmt;
use tacit_backend::work::Work;

/// What a phase asks of the network and of the party that computes most.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Phase {
    /// Steps in which parties wait, one after the other.
    pub waits: Vec<Waits>,
    /// Bytes over each directed link in use: sender, receiver, bytes.
    pub bytes: Vec<(usize, usize, f64)>,
    /// Those of them that go one after the other, as parties wait for some before they send the next.
    pub serial: Vec<Serial>,
    /// Those of them that roles send ahead.
    pub dealt: Vec<(usize, usize, f64)>,
    /// Those of them that roles send ahead, over the links that serial ones take later.
    pub before: Vec<(usize, usize, f64)>,
    /// Whether several assignments of roles send side by side.
    pub side_by_side: bool,
    /// Messages of a step, over all links and of all assignments of roles.
    pub messages: usize,
    /// Steps that are exchanges of all parties with all others.
    pub exchanges: u64,
    /// What is computed.
    pub work: Work,
}

/// Bytes that go one after the other.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Serial {
    /// Over each directed link: sender, receiver, bytes.
    pub bytes: Vec<(usize, usize, f64)>,
    /// The part of them that goes in the largest step.
    pub step: f64,
}

/// The part of the time in which links are idle under one assignment of roles that is left with several.
const LEFT_IDLE: f64 = 1.0 / 3.0;

/// What a phase takes.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Seconds {
    /// Waiting for messages that are on their way.
    pub latency: f64,
    /// Sending.
    pub bandwidth: f64,
    /// Computing.
    pub computing: f64,
}

/// What takes most of the time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bound {
    /// Rounds.
    Latency,
    /// Bytes.
    Bandwidth,
    /// Processors.
    Computing,
}

impl Bound {
    /// The name in reports.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Bound::Latency => "latency",
            Bound::Bandwidth => "bandwidth",
            Bound::Computing => "computing",
        }
    }
}

impl fmt::Display for Bound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl Phase {
    /// How often somebody waits.
    #[must_use]
    pub fn steps(&self) -> u64 {
        self.waits.iter().map(|waits| waits.steps).sum()
    }

    /// Bytes that all parties send.
    #[must_use]
    pub fn total_bytes(&self) -> f64 {
        self.bytes.iter().map(|link| link.2).sum()
    }

    /// What it takes on a network, with so many threads.
    #[must_use]
    pub fn seconds(&self, network: &Network, calibration: &Calibration, threads: usize) -> Seconds {
        // One thread draws.
        let drawing = self.work.drawn * calibration.drawn;
        let spread = calibration.seconds(&self.work) - drawing;
        let steps = (self.steps() - self.exchanges, self.messages);
        Seconds {
            latency: network.waiting(&self.waits) + network.handling(self.exchanges, steps),
            bandwidth: self.sending(network),
            computing: drawing + spread / threads.max(1) as f64,
        }
    }

    fn sending(&self, network: &Network) -> f64 {
        let serial: f64 = self.serial.iter().map(|it| network.sending(&it.bytes)).sum();
        let step = |it: &Serial| it.step * network.sending(&it.bytes);
        let largest = self.serial.iter().map(step).fold(0.0, f64::max);
        let busy = network.sending(&self.bytes);
        let idle = (network.sending(&self.before) + serial - busy).max(0.0);
        if self.side_by_side {
            return busy + idle * LEFT_IDLE;
        }
        (busy + idle).max(network.sending(&self.dealt) + largest)
    }
}

impl Seconds {
    /// All three.
    #[must_use]
    pub fn total(&self) -> f64 {
        self.latency + self.bandwidth + self.computing
    }

    /// The largest.
    #[must_use]
    pub fn bound(&self) -> Bound {
        let parts = [
            (Bound::Latency, self.latency),
            (Bound::Bandwidth, self.bandwidth),
            (Bound::Computing, self.computing),
        ];
        let larger =
            |most: (Bound, f64), next: (Bound, f64)| if next.1 > most.1 { next } else { most };
        parts.into_iter().reduce(larger).map_or(Bound::Latency, |most| most.0)
    }
}

impl std::ops::Add for Seconds {
    type Output = Seconds;
    fn add(self, other: Seconds) -> Seconds {
        Seconds {
            latency: self.latency + other.latency,
            bandwidth: self.bandwidth + other.bandwidth,
            computing: self.computing + other.computing,
        }
    }
}
