//! Bits and circuits of programs under GMW.

use super::bits::Circuits;
use super::operations::Bits;
use super::planes::Planes;
use super::put_off::PutOff;
use super::result::{Result, wrong};
use crate::convert::Layered;
use std::sync::Arc;
use std::time::Duration;
use tacit_gmw::{CircuitOn, Cut, Gmw, OnPlanes};
use tacit_net::AbortKind;
use tacit_ring::{Buffer, Z2};
use tacit_sharing::cost::{Rounds, rounds_of};
use tacit_sharing::planes::BitPlanes;
use tacit_sharing::role::RoleId;

/// A worker of a party of GMW, as programs see it.
pub struct GmwBits<'m> {
    bits: OnPlanes<'m>,
    circuits: Circuits,
}

impl<'m> GmwBits<'m> {
    /// Nothing computed yet.
    #[must_use]
    pub fn new(party: Gmw<'m>) -> Self {
        let bits = OnPlanes::new(party);
        GmwBits { circuits: Circuits::new(bits.protocol()), bits }
    }

    /// Turns this party into one that runs preprocessing alone.
    #[must_use]
    pub fn only_ahead(self) -> Self {
        GmwBits { bits: self.bits.only_ahead(), ..self }
    }

    /// The party.
    #[must_use]
    pub fn leave(self) -> Gmw<'m> {
        self.bits.leave()
    }
}

fn data(planes: &Planes) -> Result<&BitPlanes> {
    planes.data.as_ref().ok_or_else(|| wrong("bit planes of a dry run"))
}

impl Bits for GmwBits<'_> {
    fn input_planes(
        &mut self,
        owner: RoleId,
        values: Option<&[Z2]>,
        planes: usize,
        lanes: usize,
    ) -> Result<Planes> {
        Ok(Planes::new(self.bits.input(owner, values, planes, lanes)?, planes))
    }

    fn public_planes(&mut self, values: &[Z2], planes: usize, lanes: usize) -> Planes {
        let mut bits = BitPlanes::zeros(planes, lanes);
        bits.shares.second.copy_from_slice(values);
        Planes::new(bits, planes)
    }

    fn open_planes(&mut self, planes: &Planes, receivers: &[RoleId]) -> Result<Option<Buffer<Z2>>> {
        self.bits.open(data(planes)?, receivers)
    }

    fn circuit(&mut self, circuit: &Arc<Layered>, inputs: &[&Planes]) -> Result<Vec<Planes>> {
        let inputs = inputs.iter().map(|planes| data(planes)).collect::<Result<Vec<_>>>()?;
        let lanes = inputs.first().map_or(0, |port| port.lanes);
        circuit.check_inputs(&inputs)?;
        let (block, blocks) = circuit.blocking(lanes.div_ceil(64), self.circuits.window());
        let (cut, schedule, widths) =
            (Cut { block, blocks }, circuit.schedule(), circuit.outputs());
        let of = CircuitOn { schedule, cut, inputs: &inputs, widths, lanes };
        let outputs = self.bits.evaluate(of)?.into_iter().zip(widths);
        Ok(outputs.map(|(data, width)| Planes::new(data, *width)).collect())
    }

    fn circuits(&mut self) -> &mut Circuits {
        &mut self.circuits
    }

    fn put_off(&mut self) -> Result<PutOff> {
        Ok(PutOff::of_pieces(self.bits.put_off()?))
    }

    fn resume(&mut self, put_off: PutOff) -> Result<()> {
        self.bits.resume(put_off.into_pieces());
        Ok(())
    }

    fn check_used_up(&mut self) -> Result<()> {
        self.bits.check_used_up()
    }

    fn rounds(&mut self) -> Rounds {
        let role = self.bits.role();
        rounds_of(role, self.bits.mesh().rounds())
    }

    fn now(&mut self) -> Duration {
        self.bits.mesh().begin_work_at(Duration::ZERO);
        self.bits.mesh().now()
    }

    fn begin_at(&mut self, at: Duration) {
        self.bits.mesh().begin_work_at(at);
    }

    fn flush(&mut self) -> Result<()> {
        Ok(self.bits.mesh().flush()?)
    }

    fn abort(&mut self, kind: AbortKind, reason: &str) {
        self.bits.mesh().abort(kind, reason);
    }
}
