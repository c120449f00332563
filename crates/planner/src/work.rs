//! What protocols compute, in units that take a machine a constant time each.
//!
//! Counts are those of the protocols' specification (`docs/spec/bmr-and-gmw.md` section 10): per AND under BMR
//! `4 (n - 1)` transfers and `4 n` blocks of cipher ahead and `n^2` blocks online, under GMW `2 (n - 1)` transfers
//! ahead. Beside them, what handling a gate takes under BMR, and factors that say so, are measured: with `tacit lab`
//! on links of no delay.

use std::ops::{Add, Mul};
use tacit_sharing::Protocol;
use tacit_sharing::bmr::Products;
use tacit_sharing::gmw::Method;
use tacit_sharing::proof::{self, Source};

/// What one party computes.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Work {
    /// Peers with which base oblivious transfers are made, in both directions.
    pub peers: f64,
    /// Correlated oblivious transfers, at either end.
    pub transfers: f64,
    /// Blocks of cipher with which labels are made or opened.
    pub blocks: f64,
    /// What else is done for a peer and an AND that parties garble together.
    pub gates: f64,
    /// Bits of products of shares with one peer.
    pub bits: f64,
    /// Messages that are taken up one after the other.
    pub steps: f64,
}

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
}

impl Calibration {
    /// Computing takes no time: what the network takes alone.
    pub const FREE: Calibration =
        Calibration { peer: 0.0, transfer: 0.0, block: 0.0, gate: 0.0, bit: 0.0, step: 0.0 };

    /// Seconds of one thread.
    #[must_use]
    pub fn seconds(&self, work: &Work) -> f64 {
        work.peers * self.peer
            + work.transfers * self.transfer
            + work.blocks * self.block
            + work.gates * self.gate
            + work.bits * self.bit
            + work.steps * self.step
    }
}

impl Add for Work {
    type Output = Work;
    fn add(self, other: Work) -> Work {
        Work {
            peers: self.peers + other.peers,
            transfers: self.transfers + other.transfers,
            blocks: self.blocks + other.blocks,
            gates: self.gates + other.gates,
            bits: self.bits + other.bits,
            steps: self.steps + other.steps,
        }
    }
}

impl Mul<f64> for Work {
    type Output = Work;
    fn mul(self, times: f64) -> Work {
        Work {
            peers: self.peers * times,
            transfers: self.transfers * times,
            blocks: self.blocks * times,
            gates: self.gates * times,
            bits: self.bits * times,
            steps: self.steps * times,
        }
    }
}

fn transfers(transfers: f64) -> Work {
    Work { transfers, ..Work::default() }
}

fn blocks(blocks: f64) -> Work {
    Work { blocks, ..Work::default() }
}

fn gates(gates: f64) -> Work {
    Work { gates, ..Work::default() }
}

fn bits(bits: f64) -> Work {
    Work { bits, ..Work::default() }
}

/// Of the party that has most, until keys are exchanged.
#[must_use]
pub fn of_set_up(protocol: Protocol) -> Work {
    let peers = protocol.parties() as f64 - 1.0;
    Work { peers: if protocol.has_transfers() { peers } else { 0.0 }, ..Work::default() }
}

/// Per AND of the party that has most, ahead and online; for protocols on shares per bit of a product.
#[must_use]
pub fn of_an_and(protocol: Protocol) -> [Work; 2] {
    let n = protocol.parties() as f64;
    let [others, keepers] = [n - 1.0, (n / 2.0).ceil()];
    let together = [gates(2.0 * n), gates(2.0)];
    let garbled =
        |ahead: Work| [ahead + blocks(4.0 * n) + together[0], blocks(n * n) + together[1]];
    match protocol {
        Protocol::Bmr(_) => garbled(transfers(4.0 * others)),
        Protocol::BmrSilent(_) => garbled(transfers(4.0 * SILENT * others)),
        Protocol::BmrOt(products, _) => {
            let rows = if products == Products::Basic { 4.0 } else { 3.0 };
            garbled(transfers(2.0 * (1.0 + rows) * others))
        }
        // Those who have labels share bytes, which takes little.
        Protocol::BmrShamir(_) => {
            [blocks(4.0 * keepers) + gates(6.0), blocks(keepers * keepers) + together[1]]
        }
        // Products of whole blocks for sharings of every row.
        Protocol::BmrBlocks(..) => garbled(blocks(4.0 * n * n * keepers)),
        Protocol::BmrReplicated => garbled(Work::default()),
        Protocol::Yao | Protocol::YaoSilent | Protocol::YaoThree => [blocks(4.0), blocks(2.0)],
        Protocol::Authenticated(_) | Protocol::Wrk17(_) => {
            [transfers(AUTHENTICATED * others) + blocks(4.0 * n), blocks(4.0 * n)]
        }
        _ => of_a_bit(protocol),
    }
}

/// Per bit of a product of shares.
fn of_a_bit(protocol: Protocol) -> [Work; 2] {
    let n = protocol.parties() as f64;
    match (protocol.gmw(), protocol.method()) {
        (Some(Method::Silent), _) => [transfers(2.0 * SILENT * (n - 1.0)), bits(n)],
        // Factors under pads in both directions.
        (Some(Method::Transfers), _) => [transfers(2.0 * (n - 1.0)), bits(10.0 * n)],
        (Some(_), _) => [transfers(2.0 * (n - 1.0)), bits(n)],
        (_, Some(proof::Method::Brain(source))) => [bits(made(source)), bits(2.0)],
        (_, Some(method)) => [Work::default(), bits(proven(method))],
        // Shares, and what is compared of them.
        _ if protocol.is_malicious() => [Work::default(), bits(2.0)],
        _ => [Work::default(), bits(1.0)],
    }
}

/// Ordinary transfers that take as long as a silent one (measured with the parameters of version 0.2; those of now compute about
/// a quarter more).
const SILENT: f64 = 3.5;

/// Transfers per AND and peer that take as long as a checked triple, in buckets of three, and what is made of it (measured).
const AUTHENTICATED: f64 = 60.0;

/// Products that take as long as one that is proven (measured).
fn proven(method: proof::Method) -> f64 {
    match method {
        proof::Method::Lift => 25.0,
        proof::Method::Galois => 40.0,
        proof::Method::Integers => 30.0,
        _ => 120.0,
    }
}

/// Products that take as long as a triple that is checked (measured).
fn made(source: Source) -> f64 {
    match source {
        Source::Sacrifice | Source::Buckets => 130.0,
        Source::Integers => 40.0,
        _ => 100.0,
    }
}
