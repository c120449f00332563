//! The evaluator ahead of inputs: random choices for its own ones, columns of all garblers, masks of what it learns.

use super::online::Evaluator as Done;
use super::{EVALUATOR, FIRST_GARBLER, column_blocks};
use crate::bmr::add_zeros;
use crate::cot::choose;
use crate::links::{GateNumbers, Links};
use crate::{Bits, Ports};
use tacit_gmw::WorkerKeys;
use tacit_net::{Mesh, PartyId, Phase, Stream};
use tacit_ring::{Buffer, word};
use tacit_sharing::SharingError;

/// A worker of the party that evaluates.
pub(super) struct Evaluator<'m> {
    links: Links<'m>,
    pub(super) keys: WorkerKeys,
    gates: GateNumbers,
}

impl<'m> Evaluator<'m> {
    /// `places[r]` plays role `r`.
    pub fn new(
        mesh: &'m mut Mesh,
        places: &[PartyId],
        keys: WorkerKeys,
    ) -> Result<Self, SharingError> {
        let gates = GateNumbers::new(keys.number)?;
        Ok(Evaluator { links: Links::new(mesh, places)?, keys, gates })
    }

    /// The underlying channels.
    pub fn mesh(&mut self) -> &mut Mesh {
        self.links.mesh
    }

    fn garblers(&self) -> usize {
        self.links.parties() - FIRST_GARBLER
    }

    /// Takes a circuit garbled for so many instances.
    pub fn take(&mut self, ports: Ports<'_>, instances: usize) -> Result<Vec<Done>, SharingError> {
        self.mesh().set_phase(Phase::Offline);
        let mut all = Vec::with_capacity(instances);
        for _ in 0..instances {
            all.push(self.begin(ports)?);
        }
        for it in &mut all {
            self.take_columns(ports, it)?;
        }
        self.mesh().flush()?;
        Ok(all)
    }

    /// Chooses at random for its inputs, towards all garblers the same; draws shares of zero for what others learn.
    fn begin(&mut self, ports: Ports<'_>) -> Result<Done, SharingError> {
        let (first_gate, count) = (self.gates.take(ports.ands())?, ports.given_by(EVALUATOR));
        let choices = Bits::random(count, &self.keys.own, &mut self.keys.ids)?;
        let garblers = self.garblers();
        let mut blocks = Buffer::<u128>::zeros(garblers * count);
        for (garbler, blocks) in blocks.chunks_exact_mut(count.max(1)).enumerate() {
            let peer = FIRST_GARBLER + garbler;
            let (receiver, _) = self.keys.ends(peer)?;
            let message = choose(receiver, &choices, |i, block| blocks[i] = block);
            let message = self.links.checked(peer, message)?;
            self.links.send(peer, Stream::Def, &message)?;
        }
        // What this party learns has shares of zero among the others alone.
        let mut masks = vec![Bits::zeros(ports.learned_by(EVALUATOR))];
        for garbler in FIRST_GARBLER..self.links.parties() {
            let mut zeros = Bits::zeros(ports.learned_by(garbler));
            let words = word::bytes_mut(&mut zeros.words);
            add_zeros(&self.keys.zeros, &mut self.keys.zero_ids, words)?;
            masks.push(zeros);
        }
        Ok(Done { first_gate, columns: Vec::new(), choices, blocks, masks })
    }

    /// Takes all columns, and the garblers' shares of the masks that this party learns.
    fn take_columns(&mut self, ports: Ports<'_>, it: &mut Done) -> Result<(), SharingError> {
        let blocks = column_blocks(self.garblers()) * ports.ands();
        for garbler in FIRST_GARBLER..self.links.parties() {
            it.columns.push(self.links.recv(garbler, Stream::Def, blocks)?);
            let masks = &mut it.masks[EVALUATOR];
            let shares = self.links.recv::<u64>(garbler, Stream::Pre, masks.words.len())?;
            masks.add(&shares);
        }
        Ok(())
    }
}
