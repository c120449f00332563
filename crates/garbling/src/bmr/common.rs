//! What parties of BMR know, however they share.

use crate::prf::LabelPrf;
use crate::{Bits, Ports};
use serde::{Deserialize, Serialize};
use tacit_ring::{Buffer, hash, stored};
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
    /// Of the function under labels.
    key: [u8; 16],
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
        let key = *key.first_chunk().expect("sixteen of thirty-two bytes");
        Common { parties, columns, me, offset, key, prf: LabelPrf::new(key) }
    }

    /// Circuits, with what their evaluation needs.
    pub fn ready(&self, circuits: Vec<Garbled>) -> Ready {
        Ready { columns: self.columns, offset: self.offset.clone(), key: self.key, circuits }
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

/// Garbled circuits, and this party's secrets for them. They are used once: by giving them up.
#[derive(Serialize, Deserialize)]
pub struct Ready {
    pub(super) columns: usize,
    #[serde(with = "stored::block")]
    offset: Zeroizing<u128>,
    key: [u8; 16],
    pub(super) circuits: Vec<Garbled>,
}

impl Ready {
    /// What evaluation needs, at a role of so many.
    pub(super) fn common(&self, parties: usize, me: RoleId) -> Common {
        let Ready { columns, ref offset, key, .. } = *self;
        Common { parties, columns, me, offset: offset.clone(), key, prf: LabelPrf::new(key) }
    }
}

/// One garbled circuit, and this party's secrets for its ports.
#[derive(Serialize, Deserialize)]
pub(super) struct Garbled {
    pub(super) first_gate: u64,
    /// Gate after gate four rows, each a block for every column.
    pub(super) table: Buffer<u128>,
    /// Zero labels of all inputs.
    #[serde(with = "stored::list")]
    pub(super) labels: Zeroizing<Vec<u128>>,
    /// This party's masks of inputs.
    #[serde(with = "stored::list")]
    pub(super) lambdas: Zeroizing<Vec<u128>>,
    /// Masks of the outputs that this party learns.
    pub(super) masks: Bits,
}

impl Garbled {
    pub(super) fn fits(&self, common: &Common, ports: Ports<'_>) -> bool {
        let inputs = ports.schedule.inputs().len();
        // Numbers of gates have 64 bits; the last ones are never used.
        self.first_gate < 1 << 63
            && self.table.len() == 4 * common.columns * ports.ands()
            && [self.labels.len(), self.lambdas.len()] == [inputs; 2]
            && self.masks.len == ports.learned_by(common.me)
    }
}
