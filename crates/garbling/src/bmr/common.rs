//! What parties of BMR know, however they share.

use crate::prf::LabelPrf;
use crate::{Bits, Ports};
use tacit_ring::{Buffer, hash};
use tacit_sharing::RoleId;
use zeroize::Zeroizing;

/// What all instances of a worker have in common.
pub(super) struct Common {
    pub parties: usize,
    /// Parties whose labels hide the rows, the first ones: of these one at least is to be honest.
    pub columns: usize,
    pub me: RoleId,
    /// `R` of this party, if it has labels.
    pub offset: Zeroizing<u128>,
    pub prf: LabelPrf,
}

impl Common {
    /// For the parties of a session.
    pub fn new(
        [parties, columns]: [usize; 2],
        me: RoleId,
        offset: Zeroizing<u128>,
        session: &[u8],
    ) -> Self {
        let key = hash::derive_key("tacit 2026 BMR label function", &[session]);
        let prf = LabelPrf::new(*key.first_chunk().expect("sixteen of thirty-two bytes"));
        Common { parties, columns, me, offset, prf }
    }

    /// Whether this party has labels.
    pub fn is_keeper(&self) -> bool {
        self.me < self.columns
    }
}

/// The sources of wires that a role draws masks for: its inputs, and all ANDs.
pub(super) fn drawn_by(ports: Ports<'_>, role: RoleId) -> Vec<usize> {
    let (inputs, ands) = (ports.schedule.inputs().len(), ports.ands());
    let given = ports.owners().enumerate().filter(|(_, owner)| *owner == role);
    given.map(|(index, _)| index).chain(inputs..inputs + ands).collect()
}

/// A garbled circuit, and this party's secrets for its ports. It is used once: by giving it up.
pub struct Garbled {
    pub(super) first_gate: u64,
    /// Gate after gate four rows, each a block for every column.
    pub(super) table: Buffer<u128>,
    /// Zero labels of all inputs.
    pub(super) labels: Zeroizing<Vec<u128>>,
    /// This party's masks of inputs.
    pub(super) lambdas: Zeroizing<Vec<u128>>,
    /// Masks of the outputs that this party learns.
    pub(super) masks: Bits,
}
