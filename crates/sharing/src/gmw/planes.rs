//! Bits and circuits of programs under GMW: every circuit is prepared just before it runs.

use super::layers::{Cut, Tape, products_of};
use super::party::Gmw;
use super::products::Made;
use crate::backend::{Bits, Circuits, Planes};
use crate::convert::{BitPlanes, Layered};
use crate::cost::{Rounds, rounds_of};
use crate::party::SharingError;
use crate::role::RoleId;
use std::sync::Arc;
use std::time::Duration;
use tacit_net::Phase;
use tacit_ring::{Buffer, Word, Z2};

type Result<T> = std::result::Result<T, SharingError>;

/// A worker of a party, as programs see it.
pub struct GmwBits<'m> {
    party: Gmw<'m>,
    circuits: Circuits,
    step: u32,
}

impl<'m> GmwBits<'m> {
    /// Nothing computed yet.
    #[must_use]
    pub fn new(party: Gmw<'m>) -> Self {
        let protocol = party.method.protocol(party.places.len());
        GmwBits { party, circuits: Circuits::new(protocol), step: 0 }
    }

    /// The party.
    #[must_use]
    pub fn leave(self) -> Gmw<'m> {
        self.party
    }

    fn next_step(&mut self) {
        self.step += 1;
        self.party.mesh.set_step(self.step);
    }
}

fn bits(planes: &Planes) -> Result<&BitPlanes> {
    planes.data.as_ref().ok_or_else(|| shape("bit planes of a dry run"))
}

fn shape(what: &str) -> SharingError {
    SharingError::Shape(format!("a program's operation does not fit: {what}"))
}

impl Bits for GmwBits<'_> {
    fn input_planes(
        &mut self,
        owner: RoleId,
        values: Option<&[Z2]>,
        planes: usize,
        lanes: usize,
    ) -> Result<Planes> {
        self.next_step();
        let mut input = self.party.input_masks(owner, planes, lanes)?;
        if owner == self.party.role() {
            self.party.give(&mut input, values.ok_or_else(|| shape("an input's values"))?)?;
        } else {
            self.party.take(owner, &mut input)?;
        }
        Ok(Planes::new(input, planes))
    }

    fn public_planes(&mut self, values: &[Z2], planes: usize, lanes: usize) -> Planes {
        let mut bits = BitPlanes::zeros(planes, lanes);
        bits.shares.second.copy_from_slice(values);
        Planes::new(bits, planes)
    }

    fn open_planes(&mut self, planes: &Planes, receivers: &[RoleId]) -> Result<Option<Buffer<Z2>>> {
        self.next_step();
        // Lanes beyond the last may be anything: they stay closed.
        let planes = bits(planes)?.only_lanes();
        let party = &mut self.party;
        if !party.method.is_masked() {
            let zero = party.zero(planes.shares.len())?;
            let opened = party.open_all(&[planes], &[Some(zero)], &[receivers.to_vec()])?;
            return Ok(opened.into_iter().flatten().next());
        }
        party.products.start(0);
        party.open_masks(&planes.shares.first, receivers)?;
        let Made { mut masks, .. } = party.products.finish(party.mesh)?;
        let Some(mut opened) = masks.pop_front() else { return Ok(None) };
        opened.iter_mut().zip(&*planes.shares.second).for_each(|(m, x)| *m = m.add(*x));
        Ok(Some(opened))
    }

    fn circuit(&mut self, circuit: &Arc<Layered>, inputs: &[&Planes]) -> Result<Vec<Planes>> {
        let ports = inputs.iter().map(|planes| bits(planes)).collect::<Result<Vec<_>>>()?;
        let lanes = ports.first().map_or(0, |port| port.lanes);
        circuit.check_inputs(&ports)?;
        let words = lanes.div_ceil(64);
        let (block, blocks) = circuit.blocking(words);
        let (schedule, cut) = (circuit.schedule(), Cut { block, blocks });
        let party = &mut self.party;
        party.mesh.set_phase(Phase::Offline);
        let runs = if party.method.is_masked() {
            party.start(schedule, words);
            let (masks, _) = party.mask(schedule, cut, &ports, words)?;
            let Made { products, .. } = party.products.finish(party.mesh)?;
            vec![masks, products]
        } else {
            party.baseline_runs(products_of(schedule) * words)?
        };
        party.mesh.set_phase(Phase::Online);
        let (tape, step) = (Tape::new(party.method, runs), &mut self.step);
        let next = &mut |party: &mut Gmw<'_>, _: usize| {
            *step += 1;
            party.mesh.set_step(*step);
        };
        let outputs = party.evaluate(schedule, cut, tape, &ports, lanes, next)?;
        let widths = circuit.outputs().iter();
        Ok(outputs.into_iter().zip(widths).map(|(data, width)| Planes::new(data, *width)).collect())
    }

    fn circuits(&mut self) -> &mut Circuits {
        &mut self.circuits
    }

    fn rounds(&mut self) -> Rounds {
        rounds_of(self.party.role(), self.party.mesh.rounds())
    }

    fn now(&mut self) -> Duration {
        self.party.mesh.begin_work_at(Duration::ZERO);
        self.party.mesh.now()
    }

    fn begin_at(&mut self, at: Duration) {
        self.party.mesh.begin_work_at(at);
    }

    fn flush(&mut self) -> Result<()> {
        Ok(self.party.mesh.flush()?)
    }

    fn abort(&mut self, reason: &str) {
        self.party.mesh.abort(reason);
    }
}
