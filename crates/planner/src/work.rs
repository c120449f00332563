//! How long it takes to compute what protocols do.

use tacit_backend::work::{self, Work};
use tacit_garbling::garbler;
use tacit_sharing::Protocol;

/// Units of [`Work`].
pub const UNITS: usize = 7;

/// Seconds that a unit of [`Work`] takes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Calibration {
    /// Base transfers with a peer.
    pub peer: f64,
    /// A correlated oblivious transfer.
    pub transfer: f64,
    /// A block of cipher.
    pub block: f64,
    /// What else is done for an AND.
    pub gate: f64,
    /// A bit of a product.
    pub bit: f64,
    /// A step.
    pub step: f64,
    /// An AND of a circuit that is drawn and laid out.
    pub drawn: f64,
}

impl Calibration {
    /// The slower of two machines, in each unit: parties wait for the slowest.
    #[must_use]
    pub fn slower(self, other: Calibration) -> Calibration {
        let (one, other) = (self.to_seconds(), other.to_seconds());
        Calibration::from_seconds(std::array::from_fn(|unit| one[unit].max(other[unit])))
    }

    /// The seconds of all units, in the order of the fields.
    #[must_use]
    pub fn to_seconds(self) -> [f64; UNITS] {
        let Calibration { peer, transfer, block, gate, bit, step, drawn } = self;
        [peer, transfer, block, gate, bit, step, drawn]
    }

    /// What [`Calibration::to_seconds`] gives, read again.
    #[must_use]
    pub fn from_seconds(seconds: [f64; UNITS]) -> Calibration {
        let [peer, transfer, block, gate, bit, step, drawn] = seconds;
        Calibration { peer, transfer, block, gate, bit, step, drawn }
    }

    /// Computing takes no time: what the network takes alone.
    pub const FREE: Calibration = Calibration {
        peer: 0.0,
        transfer: 0.0,
        block: 0.0,
        gate: 0.0,
        bit: 0.0,
        step: 0.0,
        drawn: 0.0,
    };

    /// A machine that takes so many times as long.
    #[must_use]
    pub fn times(self, factor: f64) -> Calibration {
        Calibration::from_seconds(self.to_seconds().map(|seconds| factor * seconds))
    }

    /// Seconds of one thread.
    #[must_use]
    pub fn seconds(&self, work: &Work) -> f64 {
        work.peers * self.peer
            + work.transfers * self.transfer
            + work.blocks * self.block
            + work.gates * self.gate
            + work.bits * self.bit
            + work.steps * self.step
            + work.drawn * self.drawn
    }
}

/// Work of set-up, until keys are exchanged, for the party that has most of it.
#[must_use]
pub fn of_set_up(protocol: Protocol) -> Work {
    let peers = protocol.parties() as f64 - 1.0;
    Work { peers: if protocol.has_transfers() { peers } else { 0.0 }, ..Work::default() }
}

/// Work per AND, in preprocessing and online, for the party that has most of it. For protocols on shares, work per bit
/// of a product.
#[must_use]
pub fn of_an_and(protocol: Protocol) -> [Work; 2] {
    match garbler(protocol) {
        Some(garbler) => garbler.work(protocol.parties()),
        None => work::of_a_product(protocol),
    }
}
