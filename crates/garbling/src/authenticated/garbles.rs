//! What authenticated garbling says of itself.

use super::cost::CostOfChain;
use super::{Authenticated, EVALUATOR, FIRST_GARBLER, Ready, Sizes, set_up};
use crate::garbler::{
    self, AnyReady, Counter, Form, Garbler, MAX_ANDS, Parties, Seat, Terms, seats,
};
use crate::links::pairs;
use crate::{Evaluate, Ports};
use tacit_gmw::{Correlations, Delta};
use tacit_net::{Mesh, Stream};
use tacit_ring::{Buffer, Entropy};
use tacit_sharing::cost::Traffic;
use tacit_sharing::latencies::Latencies;
use tacit_sharing::work::Work;
use tacit_sharing::{RoleId, SharingError};

/// Authenticated garbling.
struct Garbles(Form);

/// With half gates.
pub(crate) static AUTHENTICATED: &dyn Garbler = &Garbles(Form::HalfGates);

/// With gates of four rows.
pub(crate) static WRK17: &dyn Garbler = &Garbles(Form::FourRows);

/// ANDs of all parties' circuits together, where a program is garbled circuit by circuit: buckets of triples are smaller in
/// large batches.
const BLOCK_ANDS: usize = 1 << 21;

/// Transfers per AND and peer that take as long as a checked triple, in buckets of three, and what is made of it (measured).
const TRANSFERS: f64 = 60.0;

impl Garbler for Garbles {
    // Authenticated bits, products and openings of buckets of three; garbled gates; public values.
    fn and_bits(&self, terms: &Terms) -> Traffic {
        let (n, buckets) = (terms.parties as u64, 3);
        let ahead = 128 * (4 * buckets + 1) + 2 * buckets + 1;
        pairs(terms.parties).fold(Traffic::default(), |sum, (i, j)| {
            let [table, shown] = match self.0 {
                Form::HalfGates => [128 * (2 + 3 * (n - 2)) + u64::from(i == FIRST_GARBLER), 1],
                Form::FourRows => [4 * (128 * (n - 1) + 64), 0],
            };
            let table = if j == EVALUATOR { table } else { 0 };
            let shown = if i == EVALUATOR { shown } else { 0 };
            sum.sent(i, j, Stream::Def, ahead + table).sent(i, j, Stream::On, shown)
        })
    }

    fn counter(&self, terms: &Terms) -> Box<dyn Counter> {
        Box::new(CostOfChain::new(self.0, terms.parties, Sizes::of(terms.workers)))
    }

    fn rounds(&self, terms: &Terms, ports: Ports<'_>, me: RoleId) -> u64 {
        let many = u64::from(terms.parties > 2);
        // What opens first, and what opens after it in steps of its own.
        let first = u64::from(ports.opens_to(me, ports.guards > 0));
        let later = u64::from(ports.guards > 0 && ports.opens_to(me, false));
        // Public values of inputs, and what others heard of them.
        let inputs = ports.others_give(me) + many;
        inputs
            + match (self.0, me) {
                // Labels, sums of MACs.
                (Form::HalfGates, EVALUATOR) => ports.somebody_gives() + 1 + later,
                // Public values; masks of outputs from garblers and the evaluator.
                (Form::HalfGates, _) => 1 + (first + later) * (many + 1),
                // Labels; masks of outputs, if it learns any.
                (Form::FourRows, EVALUATOR) => ports.somebody_gives() + first + later,
                // Public values come to who learns something.
                (Form::FourRows, _) => ports.learns(me) + (first + later) * (many + 1),
            }
    }

    fn latencies(&self, terms: &Terms) -> Latencies {
        match terms.parties {
            2 => Latencies { set_up: 6, ahead: 12, online: 6 },
            // Offsets are compared, too, and what was heard.
            _ => Latencies { set_up: 14, ahead: 13, online: 7 },
        }
    }

    fn work(&self, parties: usize) -> [Work; 2] {
        let n = parties as f64;
        let ahead = Work::transfers(TRANSFERS * (n - 1.0)) + Work::blocks(4.0 * n);
        [ahead, Work::blocks(4.0 * n)]
    }

    fn kept(&self, terms: &Terms) -> garbler::Kept {
        let n = terms.parties;
        // Sharings of both inputs, the output, a triple and what opens it; of five leaky triples three
        // sharings each, and what they are made from; tables of garblers and at the evaluator.
        let tables = match self.0 {
            Form::HalfGates => 3 * n * n,
            Form::FourRows => 4 * n * n,
        };
        garbler::Kept { blocks: 50 * n + tables, table_bytes: 64 * n, most_ands: Some(MAX_ANDS) }
    }

    fn goes_on(&self) -> Option<usize> {
        match self.0 {
            Form::HalfGates => Some(BLOCK_ANDS),
            Form::FourRows => None,
        }
    }

    fn authenticated(&self) -> Option<Form> {
        Some(self.0)
    }

    fn exchange(
        &self,
        mesh: &mut Mesh,
        parties: Parties<'_>,
        entropy: &mut Entropy,
    ) -> Result<Vec<Seat>, SharingError> {
        let Parties { terms, places, session } = parties;
        let kind = Delta::Authenticating;
        let mut all = Correlations::exchange(mesh, session, places, kind, entropy)?;
        let sid = set_up(mesh, places, all.worker(), session)?;
        let (form, sizes) = (self.0, Sizes::of(terms.workers));
        Ok(seats(
            terms.workers,
            || all.worker(),
            move |mesh, at, keys| {
                let party = Authenticated::new(mesh, at.places, keys, &sid, sizes)?;
                Ok(Box::new(party.in_form(form)))
            },
        ))
    }

    fn ready(&self, bytes: Buffer<u8>) -> Result<Box<dyn AnyReady>, SharingError> {
        Ok(Box::new(Ready::from_bytes(bytes)?))
    }
}
