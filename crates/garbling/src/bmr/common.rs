//! What parties of BMR know, however they share.

use crate::bmr::{LabelFunction, Opening};
use crate::prf::{Gates, LabelPrf};
use crate::{Bits, Ports};
use serde::{Deserialize, Serialize};
use tacit_ring::{Buffer, Prg, StreamIds, hash, stored};
use tacit_sharing::{RoleId, SharingError};
use zeroize::Zeroizing;

/// What all instances of a worker have in common.
pub(crate) struct Common {
    pub parties: usize,
    /// Parties whose labels hide the rows, the first ones: of these one at least is to be honest.
    pub columns: usize,
    pub me: RoleId,
    pub opening: Opening,
    /// `R` of this party, if it has labels.
    pub offset: Zeroizing<u128>,
    function: LabelFunction,
    /// The key of the function.
    key: [u8; 16],
    pub prf: LabelPrf,
}

impl Common {
    /// For the parties of a session.
    pub fn new(
        [parties, columns]: [usize; 2],
        me: RoleId,
        (offset, opening): (Zeroizing<u128>, Opening),
        session: &[u8],
    ) -> Self {
        let key = hash::derive_key("tacit 2026 BMR label function", &[session]);
        let key = *key.first_chunk().expect("sixteen of thirty-two bytes");
        let function = LabelFunction::default();
        let prf = LabelPrf::new(function, key);
        Common { parties, columns, me, opening, offset, function, key, prf }
    }

    /// Hides rows by a function.
    pub fn set_label_function(&mut self, function: LabelFunction) {
        self.function = function;
        self.prf = LabelPrf::new(function, self.key);
    }

    /// Circuits, with what their evaluation needs.
    pub fn ready(&self, circuits: Vec<Garbled>) -> Ready {
        let Common { columns, opening, ref offset, function, key, .. } = *self;
        Ready { columns, opening, offset: offset.clone(), function, key, circuits }
    }

    /// Hides rows of gates, best of those after each other.
    pub fn hider(&self) -> Hider<'_> {
        Hider { common: self, gates: Gates::new(&self.prf) }
    }

    /// Whether this party has labels.
    pub fn is_keeper(&self) -> bool {
        self.me < self.columns
    }
}

/// Hides rows under one party's labels.
pub(crate) struct Hider<'c> {
    common: &'c Common,
    gates: Gates<'c>,
}

impl Hider<'_> {
    /// The function under this party's labels of a gate's inputs, from their zero labels: row after row of
    /// public values a block for every column.
    pub fn hide(&mut self, gate: u64, [u, v]: [u128; 2], out: &mut [u128]) {
        let r = *self.common.offset;
        let labels = [&[u, u, u ^ r, u ^ r], &[v, v ^ r, v, v ^ r]];
        self.gates.hide(gate, labels, self.common.columns, out);
    }
}

/// Adds shares of zero: a stream with every other party each.
pub(crate) fn add_zeros(
    prgs: &[Prg],
    ids: &mut StreamIds,
    bytes: &mut [u8],
) -> Result<(), SharingError> {
    let number = ids.step()?.single().number();
    let mut part = Buffer::<u8>::zeros(bytes.len());
    for prg in prgs {
        prg.fill(number, 0, &mut part);
        bytes.iter_mut().zip(&*part).for_each(|(byte, part)| *byte ^= part);
    }
    Ok(())
}

/// The sources of wires that a role draws masks for: its inputs, and all ANDs.
pub(crate) fn drawn_by(ports: Ports<'_>, role: RoleId) -> Vec<usize> {
    let (inputs, ands) = (ports.schedule.inputs().len(), ports.ands());
    let given = ports.owners().enumerate().filter(|(_, owner)| *owner == role);
    given.map(|(index, _)| index).chain(inputs..inputs + ands).collect()
}

/// Garbled circuits, and this party's secrets for them. They are used once: by giving them up.
pub struct Ready {
    pub(crate) columns: usize,
    pub(crate) opening: Opening,
    pub(crate) offset: Zeroizing<u128>,
    pub(crate) function: LabelFunction,
    pub(crate) key: [u8; 16],
    pub(crate) circuits: Vec<Garbled>,
}

impl Ready {
    /// What evaluation needs, at a role of so many.
    pub(crate) fn common(&self, parties: usize, me: RoleId) -> Common {
        let Ready { columns, opening, ref offset, function, key, .. } = *self;
        let (offset, prf) = (offset.clone(), LabelPrf::new(function, key));
        Common { parties, columns, me, opening, offset, function, key, prf }
    }
}

/// One garbled circuit, and this party's secrets for its ports.
#[derive(Serialize, Deserialize)]
pub(crate) struct Garbled {
    pub(crate) first_gate: u64,
    /// Gate after gate four rows, each a block for every column, at those who evaluate. No secret: all parties have it.
    #[serde(with = "stored::list")]
    pub(crate) table: Vec<u128>,
    /// Zero labels of all inputs.
    #[serde(with = "stored::list")]
    pub(crate) labels: Zeroizing<Vec<u128>>,
    /// This party's masks of inputs.
    #[serde(with = "stored::list")]
    pub(crate) lambdas: Zeroizing<Vec<u128>>,
    /// Masks of the outputs that this party learns.
    pub(crate) masks: Bits,
}

impl Garbled {
    /// From the opened table and masks of outputs, and this party's zero label and mask of every input.
    pub(crate) fn new(
        first_gate: u64,
        (table, masks): (Vec<u128>, Bits),
        inputs: impl Iterator<Item = (u128, u128)>,
    ) -> Self {
        let (labels, lambdas): (Vec<u128>, Vec<u128>) = inputs.unzip();
        let (labels, lambdas) = (Zeroizing::new(labels), Zeroizing::new(lambdas));
        Garbled { first_gate, table, labels, lambdas, masks }
    }

    pub(crate) fn fits(&self, common: &Common, ports: Ports<'_>) -> bool {
        let inputs = ports.schedule.inputs().len();
        let opened = common.opening.evaluates(common.me);
        let ands = if opened { ports.ands() } else { 0 };
        // Numbers of gates have 64 bits; the last ones are never used.
        self.first_gate < 1 << 63
            && self.table.len() == 4 * common.columns * ands
            && [self.labels.len(), self.lambdas.len()] == [inputs; 2]
            && self.masks.len == ports.learned_by(common.me)
    }
}
