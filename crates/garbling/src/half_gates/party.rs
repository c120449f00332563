//! One worker of one party of half gates of many garblers, and what the protocol says of itself.

use super::cost::bytes;
use super::evaluator::Evaluator;
use super::garbler::Garbler;
use super::online::{Part, Ready};
use super::{EVALUATOR, FIRST_GARBLER, column_blocks};
use crate::chain::{Blocks, ChainOf, GoesOn};
use crate::garbler::{
    self, AnyReady, Counter, Each, Form, Kept, MAX_ANDS, Parties, Seat, Terms, correlations, seats,
};
use crate::links::pairs;
use crate::tweak::{self, Hash};
use crate::worker::{self, Evaluate};
use crate::{Ports, Streaming};
use tacit_gmw::{FAN, WorkerKeys};
use tacit_net::{Mesh, PartyId, Stream};
use tacit_ot::KAPPA;
use tacit_ring::{Buffer, Entropy};
use tacit_sharing::cost::Traffic;
use tacit_sharing::latencies::Latencies;
use tacit_sharing::work::Work;
use tacit_sharing::{RoleId, SharingError};
use zeroize::Zeroizing;

/// A worker of a party.
pub struct HalfGates<'m> {
    pub(super) role: Role<'m>,
    hash: Hash,
}

/// What a party does.
pub(super) enum Role<'m> {
    Evaluator(Box<Evaluator<'m>>),
    Garbler(Box<Garbler<'m>>),
}

impl<'m> HalfGates<'m> {
    /// `places[r]` plays role `r`: role 0 evaluates, the others garble. The keys' Delta has its lowest bit set and is
    /// the same towards everybody.
    ///
    /// # Errors
    /// When this mesh's party plays no role, there are fewer than two, or Delta is not so.
    pub fn new(
        mesh: &'m mut Mesh,
        places: &[PartyId],
        keys: WorkerKeys,
        session: &[u8],
    ) -> Result<Self, SharingError> {
        if places.len() <= FIRST_GARBLER {
            return Err(SharingError::Shape("one party garbles for another".into()));
        }
        let hash = Hash::new(tweak::SUMMED, session, keys.number)?;
        let role = match places[EVALUATOR] == mesh.me() {
            true => Role::Evaluator(Box::new(Evaluator::new(mesh, places, keys)?)),
            false => Role::Garbler(Box::new(Garbler::new(mesh, places, keys, (session, hash))?)),
        };
        Ok(HalfGates { role, hash })
    }
}

impl GoesOn for HalfGates<'_> {
    type Ready = Ready;

    fn mesh(&mut self) -> &mut Mesh {
        match &mut self.role {
            Role::Evaluator(evaluator) => evaluator.mesh(),
            Role::Garbler(garbler) => garbler.mesh(),
        }
    }

    // The evaluator has labels of wires that go on once they are evaluated, and nothing before.
    fn width(&self) -> usize {
        match &self.role {
            Role::Evaluator(_) => 0,
            Role::Garbler(garbler) => garbler.width(),
        }
    }

    fn garble_on(
        &mut self,
        ports: Ports<'_>,
        from: &[Blocks],
    ) -> Result<(Ready, Vec<Blocks>), SharingError> {
        match &mut self.role {
            Role::Evaluator(evaluator) => {
                let circuits = evaluator.take(ports, from.len())?;
                let kept = vec![Zeroizing::default(); from.len()];
                Ok((Ready(Part::Evaluator { hash: self.hash, circuits }), kept))
            }
            Role::Garbler(garbler) => {
                let (circuits, kept) = garbler.garble_on(ports, from)?;
                let offset = garbler.offset();
                Ok((Ready(Part::Garbler { offset, circuits }), kept))
            }
        }
    }
}

impl worker::Garbling for HalfGates<'_> {
    type Ready = Ready;

    fn mesh(&mut self) -> &mut Mesh {
        GoesOn::mesh(self)
    }

    fn prepare(&mut self, ports: Ports<'_>, instances: usize) -> Result<Ready, SharingError> {
        Ok(self.prepare_on(ports, &vec![Zeroizing::default(); instances])?.0)
    }

    fn streaming<'m>(self, places: &[PartyId]) -> Result<Streaming<'m>, SharingError>
    where
        Self: 'm,
    {
        Ok(Streaming::ByCircuits(Box::new(ChainOf::new(self, places)?)))
    }
}

/// ANDs of all parties' circuits together, where a program is garbled circuit by circuit: as of BMR.
const BLOCK_ANDS: usize = 1 << 18;

/// Half gates of many garblers.
struct ByGarblers;

pub(crate) static HALF_GATES: &dyn garbler::Garbler = &ByGarblers;

impl garbler::Garbler for ByGarblers {
    fn and_bits(&self, terms: &Terms) -> Traffic {
        let column = (KAPPA * column_blocks(terms.parties - FIRST_GARBLER)) as u64;
        pairs(terms.parties).fold(Traffic::default(), |sum, (i, j)| {
            let bits = match (i, j) {
                (EVALUATOR, _) => 0,
                (_, EVALUATOR) => column,
                // Choices of masks and products, cross terms.
                _ => 2 * FAN.message_bits() as u64 + 1 + column,
            };
            sum.sent(i, j, Stream::Def, bits)
        })
    }

    fn counter(&self, terms: &Terms) -> Box<dyn Counter> {
        let parties = terms.parties;
        Each::counter(move |ports| bytes(ports, parties))
    }

    fn rounds(&self, _: &Terms, ports: Ports<'_>, me: RoleId) -> u64 {
        match me {
            // Labels.
            EVALUATOR => ports.somebody_gives(),
            // Public values of inputs, and what it learns.
            _ => ports.others_give(me) + ports.learns(me),
        }
    }

    fn latencies(&self, terms: &Terms) -> Latencies {
        // Masks, cross terms, products, blocks for columns, columns. With one garbler choices and the table, at once.
        let ahead = if terms.parties > 2 { 5 } else { 1 };
        Latencies { set_up: 4, ahead, online: 3 }
    }

    fn work(&self, parties: usize) -> [Work; 2] {
        let g = (parties - FIRST_GARBLER) as f64;
        let ahead = Work::transfers(4.0 * (g - 1.0)) + Work::gates(2.0 * g);
        [ahead + Work::blocks(4.0 * g), Work::blocks(2.0 * g * g)]
    }

    fn kept(&self, terms: &Terms) -> Kept {
        let n = terms.parties;
        // The evaluator's columns; a garbler's shares of masks and of products, and its blocks for all columns.
        let table_bytes = 16 * column_blocks(n - FIRST_GARBLER) * (n - FIRST_GARBLER);
        Kept { blocks: 12 * n, table_bytes, most_ands: Some(MAX_ANDS) }
    }

    fn goes_on(&self) -> Option<usize> {
        Some(BLOCK_ANDS)
    }

    fn authenticated(&self) -> Option<Form> {
        None
    }

    fn exchange(
        &self,
        mesh: &mut Mesh,
        parties: Parties<'_>,
        entropy: &mut Entropy,
    ) -> Result<Vec<Seat>, SharingError> {
        let mut all = correlations(mesh, parties, false, entropy)?;
        Ok(seats(
            parties.terms.workers,
            || all.worker(),
            |mesh, at, keys| Ok(Box::new(HalfGates::new(mesh, at.places, keys, at.session)?)),
        ))
    }

    fn ready(&self, bytes: Buffer<u8>) -> Result<Box<dyn AnyReady>, SharingError> {
        Ok(Box::new(Ready::from_bytes(bytes)?))
    }
}
