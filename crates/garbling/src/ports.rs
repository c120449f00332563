//! A circuit to be garbled, and who gives and learns what.

use crate::bits::Bits;
use tacit_circuit::schedule::{Schedule, Slot};
use tacit_sharing::{RoleId, SharingError};

/// In place of who gives an input port: it goes on from a circuit before.
pub const KEPT: RoleId = RoleId::MAX;

/// A circuit, and who gives and learns what.
#[derive(Clone, Copy)]
pub struct Ports<'p> {
    /// The circuit, of ANDs of two inputs.
    pub schedule: &'p Schedule,
    /// Who gives each input port, or [`KEPT`], and its bits.
    pub inputs: &'p [(RoleId, usize)],
    /// Who learns each output port.
    pub outputs: &'p [Vec<RoleId>],
    /// Under authenticated garbling, how many of the first output ports open before the others do.
    pub guards: usize,
}

impl Ports<'_> {
    /// The owner of every input bit, in the order of the schedule's inputs.
    pub(crate) fn owners(&self) -> impl Iterator<Item = RoleId> {
        self.schedule.inputs().iter().map(|input| self.inputs[input.port as usize].0)
    }

    /// One if some input is given by a role that is wanted, zero if none is.
    fn given(&self, wanted: impl Fn(RoleId) -> bool) -> u64 {
        u64::from(self.owners().any(|owner| owner != KEPT && wanted(owner)))
    }

    /// One if somebody gives an input.
    pub(crate) fn somebody_gives(&self) -> u64 {
        self.given(|_| true)
    }

    /// One if a role gives an input.
    pub(crate) fn gives(&self, role: RoleId) -> u64 {
        self.given(|owner| owner == role)
    }

    /// One if another role gives an input.
    pub(crate) fn others_give(&self, me: RoleId) -> u64 {
        self.given(|owner| owner != me)
    }

    /// One if a role learns an output.
    pub(crate) fn learns(&self, role: RoleId) -> u64 {
        u64::from(self.learned_by(role) > 0)
    }

    /// Inputs that do not go on from a circuit before: their labels are sent.
    pub(crate) fn shown(&self) -> usize {
        self.schedule.inputs().len() - self.given_by(KEPT)
    }

    /// Input bits that a role gives.
    pub(crate) fn given_by(&self, role: RoleId) -> usize {
        self.owners().filter(|owner| *owner == role).count()
    }

    /// The slots of output bits that a role learns, port after port.
    pub(crate) fn slots_learned_by(&self, role: RoleId) -> impl Iterator<Item = Slot> {
        let ports = self.outputs.iter().zip(self.schedule.outputs());
        let learned = ports.filter(move |(to, _)| to.contains(&role));
        learned.flat_map(|(_, slots)| slots.iter().copied())
    }

    /// The slots of output bits that a role learns of the ports that open first, or of the others, port after port.
    pub(crate) fn slots_opened_to(&self, role: RoleId, first: bool) -> impl Iterator<Item = Slot> {
        let (from, to) = match first {
            true => (0, self.guards),
            false => (self.guards, self.outputs.len()),
        };
        let ports = self.outputs[from..to].iter().zip(&self.schedule.outputs()[from..to]);
        let learned = ports.filter(move |(to, _)| to.contains(&role));
        learned.flat_map(|(_, slots)| slots.iter().copied())
    }

    /// Whether a role learns something of those.
    pub(crate) fn opens_to(&self, role: RoleId, first: bool) -> bool {
        self.slots_opened_to(role, first).next().is_some()
    }

    /// Output bits that a role learns.
    #[must_use]
    pub fn learned_by(&self, role: RoleId) -> usize {
        self.slots_learned_by(role).count()
    }

    /// The slots of output bits that nobody learns, port after port.
    pub(crate) fn slots_kept(&self) -> impl Iterator<Item = Slot> {
        let ports = self.outputs.iter().zip(self.schedule.outputs());
        let kept = ports.filter(|(to, _)| to.is_empty());
        kept.flat_map(|(_, slots)| slots.iter().copied())
    }

    /// ANDs of the circuit.
    #[must_use]
    pub fn ands(&self) -> usize {
        let schedule = self.schedule;
        (0..schedule.depth()).map(|level| schedule.products(level).len()).sum()
    }
}

/// Refuses what was prepared for another circuit or role.
pub(crate) fn check_fit(fits: bool) -> Result<(), SharingError> {
    let what = "a garbled circuit that was made for another circuit or role";
    if fits { Ok(()) } else { Err(SharingError::Shape(what.into())) }
}

/// Refuses wires to go on from that are not what the circuit before kept.
pub(crate) fn check_kept(fits: bool) -> Result<(), SharingError> {
    let what = "wires that are not kept of the circuit that this one goes on from";
    if fits { Ok(()) } else { Err(SharingError::Shape(what.into())) }
}

/// Checks that there is a bit for everything that a role gives, in every instance.
pub(crate) fn check_values(
    ports: Ports<'_>,
    role: RoleId,
    instances: usize,
    values: &[Bits],
) -> Result<(), SharingError> {
    let given = ports.given_by(role);
    match values.len() == instances && values.iter().all(|bits| bits.len == given) {
        true => Ok(()),
        false => Err(SharingError::Shape("values that are not all of a party's inputs".into())),
    }
}
