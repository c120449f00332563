//! Circuits that go on from others: wires that are kept instead of opened.
//!
//! What nobody learns of a circuit's outputs is kept. When the circuit is prepared that is their masks, and a
//! garbler's zero labels ([`Kept`]); when it has been evaluated, and its checks have passed, their public values, and
//! the evaluator's labels ([`Active`]). A further circuit of the session has them as inputs that nobody gives: it is
//! prepared on the one, perhaps before the first circuit is evaluated, and evaluated on the other. Nothing is sent
//! for such inputs. No party goes on before its own checks of a circuit have passed, so nothing that depends on
//! kept wires opens before that.

use super::rows::{Layout, Rows};
use crate::ports::{KEPT, check_kept};
use crate::{Bits, Ports};
use tacit_circuit::schedule::Slot;
use tacit_ring::Buffer;
use tacit_sharing::SharingError;

/// Wires of a circuit that was prepared, for others to go on from. Secret.
pub struct Kept {
    /// Which circuit it is, among all of this worker; 0 for none.
    pub(super) number: u64,
    /// Open sharings of masks, instance after instance.
    pub(super) masks: Rows,
    /// A garbler's zero labels, in the same order.
    pub(super) zeros: Buffer<u128>,
}

impl Kept {
    /// No wires.
    #[must_use]
    pub fn none() -> Self {
        Kept { number: 0, masks: Rows::zeros(0, 0), zeros: Buffer::default() }
    }

    pub(super) fn check(&self, ports: Ports<'_>, instances: usize) -> Result<(), SharingError> {
        check_kept(self.masks.len() == instances * ports.given_by(KEPT))
    }
}

/// Wires that a circuit kept, after its evaluation: their public values, and the evaluator's labels. Secret.
pub struct Active {
    number: u64,
    /// Instance by instance.
    values: Vec<Bits>,
    /// By wire: labels of all garblers, at the evaluator.
    labels: Rows,
}

impl Active {
    /// No wires.
    #[must_use]
    pub fn none() -> Self {
        Active { number: 0, values: Vec::new(), labels: Rows::zeros(0, 0) }
    }

    /// Takes the wires in `slots` from public values by slot, instance by instance, and the evaluator's labels.
    pub(super) fn new(number: u64, slots: &[Slot], all: &[Vec<bool>], labels: Rows) -> Self {
        let values = all.iter().map(|values| {
            let mut bits = Bits::zeros(slots.len());
            (0..).zip(slots).for_each(|(i, slot)| bits.flip_if(i, values[*slot as usize]));
            bits
        });
        Active { number, values: values.collect(), labels }
    }

    /// Whether they are what a circuit of this party was prepared on.
    pub(super) fn check(
        &self,
        number: u64,
        layout: Layout,
        ports: Ports<'_>,
        instances: usize,
    ) -> Result<(), SharingError> {
        let count = ports.given_by(KEPT);
        if count == 0 {
            return Ok(());
        }
        let evaluates = layout.me == super::EVALUATOR;
        check_kept(
            self.number == number
                && self.values.len() == instances
                && self.values.iter().all(|bits| bits.len == count)
                && (!evaluates || self.labels.are(instances * count, layout.parties - 1)),
        )
    }

    pub(super) fn value(&self, instance: usize, i: usize) -> bool {
        self.values[instance].get(i)
    }

    pub(super) fn labels(&self, i: usize) -> &[u128] {
        self.labels.get(i)
    }
}
