//! What parties compute, in units that take a machine a constant time each.
//!
//! Counts are those of the protocols' specification (`docs/spec/bmr-and-gmw.md` section 10). Factors that say so are
//! measured: with `tacit lab` on links of no delay.

use std::ops::{Add, Mul};

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
    /// ANDs of circuits that are drawn and laid out before they are garbled.
    pub drawn: f64,
}

impl Work {
    /// No work.
    pub const NONE: Work = Work {
        peers: 0.0,
        transfers: 0.0,
        blocks: 0.0,
        gates: 0.0,
        bits: 0.0,
        steps: 0.0,
        drawn: 0.0,
    };

    /// The work of correlated oblivious transfers alone.
    #[must_use]
    pub fn transfers(transfers: f64) -> Work {
        Work { transfers, ..Work::default() }
    }

    /// The work of blocks of cipher alone.
    #[must_use]
    pub fn blocks(blocks: f64) -> Work {
        Work { blocks, ..Work::default() }
    }

    /// What gates take beside their blocks of cipher.
    #[must_use]
    pub fn gates(gates: f64) -> Work {
        Work { gates, ..Work::default() }
    }

    /// The work of bits of products of shares alone.
    #[must_use]
    pub fn bits(bits: f64) -> Work {
        Work { bits, ..Work::default() }
    }
}

/// Ordinary transfers that take as long as a silent one: 3.5 measured with the parameters of version 0.2, and about a quarter
/// more measured with those of now.
pub const SILENT: f64 = 4.4;

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
            drawn: self.drawn + other.drawn,
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
            drawn: self.drawn * times,
        }
    }
}
