//! What all forms of BMR have in common for who asks, and in what they differ.

use super::common::Ready;
use crate::bmr::Opening;
use crate::garbler;
use crate::garbler::{AnyReady, Counter, Garbler, Kept, Parties, Seat, Terms};
use crate::links::pairs;
use crate::ports::Ports;
use crate::worker::Evaluate;
use tacit_net::{Mesh, Stream};
use tacit_ot::KAPPA;
use tacit_ring::{Buffer, Entropy};
use tacit_sharing::cost::Traffic;
use tacit_sharing::latencies::Latencies;
use tacit_sharing::work::Work;
use tacit_sharing::{RoleId, SharingError};

/// ANDs of all parties' circuits together, where a program is garbled circuit by circuit: with few, what is drawn and
/// garbled stays in caches; with many, it takes fewer rounds.
const BLOCK_ANDS: usize = 1 << 18;

/// A form of BMR: how what is garbled is shared and multiplied. Nothing is answered by default.
pub(super) trait Form: Sync {
    /// Parties that have labels, of so many: tables have as many columns.
    fn columns(&self, parties: usize) -> usize;

    /// Bits for an AND from a role to another until tables open.
    fn and_bits(&self, parties: usize, link: [RoleId; 2]) -> u64;

    /// Counts what circuits send: see [`Garbler::counter`].
    fn counter(&self, terms: &Terms) -> Box<dyn Counter>;

    /// Latencies of set-up, and ahead until tables open.
    fn latencies(&self) -> [u64; 2];

    /// Ahead per AND, beside blocks that hide rows.
    fn work(&self, parties: usize) -> Work;

    /// Blocks that a party keeps for an AND while it is garbled, beside columns under way.
    fn blocks(&self, parties: usize) -> usize;

    /// ANDs of a circuit that is kept are fewer.
    fn most_ands(&self, parties: usize) -> usize;

    /// Agrees on keys with all others: see [`Garbler::exchange`].
    fn exchange(
        &self,
        mesh: &mut Mesh,
        parties: Parties<'_>,
        entropy: &mut Entropy,
    ) -> Result<Vec<Seat>, SharingError>;
}

impl<F: Form> Garbler for F {
    fn and_bits(&self, terms: &Terms) -> Traffic {
        let Terms { parties, opening, .. } = *terms;
        let columns = self.columns(parties);
        pairs(parties).fold(Traffic::default(), |sum, (i, j)| {
            let opened = (KAPPA * opening.blocks(columns, [i, j])) as u64;
            sum.sent(i, j, Stream::Def, Form::and_bits(self, parties, [i, j]) + opened)
        })
    }

    fn counter(&self, terms: &Terms) -> Box<dyn Counter> {
        Form::counter(self, terms)
    }

    // For public values of inputs, then for labels, or, if the role does not evaluate, for public values of outputs.
    fn rounds(&self, terms: &Terms, ports: Ports<'_>, me: RoleId) -> u64 {
        let evaluates = terms.opening.evaluates(me);
        ports.others_give(me) + if evaluates { ports.somebody_gives() } else { ports.learns(me) }
    }

    fn latencies(&self, terms: &Terms) -> Latencies {
        let [set_up, ahead] = Form::latencies(self);
        let (opened, told) = match terms.opening {
            // By everybody to everybody.
            Opening::All => (1, 0),
            // By way of those who add up columns.
            Opening::Collector => (2, 0),
            // The one who evaluates tells the others.
            Opening::Single => (1, 2),
        };
        Latencies { set_up, ahead: ahead + opened, online: 2 + told }
    }

    fn work(&self, parties: usize) -> [Work; 2] {
        let columns = self.columns(parties) as f64;
        let ahead = Form::work(self, parties) + Work::blocks(4.0 * columns);
        // What a gate takes online beside its blocks is measured.
        [ahead, Work::blocks(columns * columns) + Work::gates(2.0)]
    }

    fn kept(&self, terms: &Terms) -> Kept {
        let parties = terms.parties;
        // From everybody all columns, perhaps.
        let under_way = match terms.opening {
            Opening::All => 4 * parties * parties,
            Opening::Collector | Opening::Single => 0,
        };
        Kept {
            blocks: self.blocks(parties) + under_way,
            table_bytes: 64 * self.columns(parties),
            most_ands: Some(self.most_ands(parties)),
        }
    }

    fn goes_on(&self) -> Option<usize> {
        Some(BLOCK_ANDS)
    }

    fn authenticated(&self) -> Option<garbler::Form> {
        None
    }

    fn exchange(
        &self,
        mesh: &mut Mesh,
        parties: Parties<'_>,
        entropy: &mut Entropy,
    ) -> Result<Vec<Seat>, SharingError> {
        Form::exchange(self, mesh, parties, entropy)
    }

    fn ready(&self, bytes: Buffer<u8>) -> Result<Box<dyn AnyReady>, SharingError> {
        Ok(Box::new(Ready::from_bytes(bytes)?))
    }
}
