//! Circuits that go on from each other, however their parts are shared and multiplied: a wire that goes on has the
//! same zero labels, and the same shares of its mask, under the same offsets; gates have further numbers.

use super::common::Ready;
use crate::bmr::LabelFunction;
use crate::garbler::{AnyWorker, Terms};
use crate::links::Links;
use crate::ports::{self, KEPT, check_kept};
use crate::{Bits, Chain, Ports, Streaming};
use tacit_net::{Mesh, PartyId};
use tacit_ring::Buffer;
use tacit_sharing::{RoleId, SharingError};
use zeroize::Zeroizing;

/// Blocks of wires while a circuit is garbled. Secret.
pub type Blocks = Zeroizing<Vec<u128>>;

/// A worker of a party, in one of the forms of BMR.
pub trait Worker {
    /// Blocks of a wire.
    fn width(&self) -> usize;

    /// The underlying channels.
    fn mesh(&mut self) -> &mut Mesh;

    /// Hides rows by a function of labels, which all parties agree on; where this is not called, by the default one.
    fn set_label_function(&mut self, function: LabelFunction);

    /// Garbles a circuit for some instances, each of which goes on from wires that are as many as it takes; gives those
    /// that it keeps.
    ///
    /// # Errors
    /// When the network fails, or a peer sends what no honest party does.
    fn garble_on(
        &mut self,
        ports: Ports<'_>,
        from: &[Blocks],
    ) -> Result<(Ready, Vec<Blocks>), SharingError>;
}

/// Any worker of a party.
pub type AnyBmr<'m> = Box<dyn Worker + Send + 'm>;

/// Garbles a circuit for instances that go on from wires.
fn prepare(
    party: &mut (dyn Worker + Send + '_),
    ports: Ports<'_>,
    from: &[Blocks],
) -> Result<(Ready, Vec<Blocks>), SharingError> {
    let blocks = ports.given_by(KEPT) * party.width();
    check_kept(from.iter().all(|from| from.len() == blocks))?;
    party.garble_on(ports, from)
}

/// The wires of inputs that go on, set to what a circuit before kept; `sources` are those of all inputs, and more.
pub(super) fn go_on(ports: Ports<'_>, width: usize, sources: &mut [u128], from: &[u128]) {
    let kept = sources.chunks_exact_mut(width).zip(ports.owners()).filter(|(_, it)| *it == KEPT);
    kept.zip(from.chunks_exact(width)).for_each(|((wire, _), from)| wire.copy_from_slice(from));
}

/// What further circuits go on from: wires that nobody learned. Secret.
#[derive(Default)]
struct Kept {
    wires: Blocks,
    /// Their labels, if this party evaluates.
    labels: Buffer<u128>,
}

/// A worker of a party, evaluating circuits each of which goes on from the one before.
pub struct BmrChain<'m> {
    party: AnyBmr<'m>,
    places: Vec<PartyId>,
    me: RoleId,
    kept: Kept,
}

impl<'m> BmrChain<'m> {
    /// A worker, for circuits that go on from each other. `places[r]` plays role `r`, as before.
    ///
    /// # Errors
    /// When its party plays no role.
    pub fn new(mut party: AnyBmr<'m>, places: &[PartyId]) -> Result<Self, SharingError> {
        let me = Links::new(party.mesh(), places)?.me;
        Ok(BmrChain { party, places: places.to_vec(), me, kept: Kept::default() })
    }
}

impl Chain for BmrChain<'_> {
    fn mesh(&mut self) -> &mut Mesh {
        self.party.mesh()
    }

    fn me(&self) -> RoleId {
        self.me
    }

    fn evaluate_next(&mut self, ports: Ports<'_>, values: Bits) -> Result<Bits, SharingError> {
        let Kept { wires, labels } = std::mem::take(&mut self.kept);
        let (ready, mut next) = prepare(&mut *self.party, ports, &[wires])?;
        let mut links = Links::new(self.party.mesh(), &self.places)?;
        let (mut learned, mut active) = ready.run_on(&mut links, ports, &[values], &[labels])?;
        let wires = next.pop().unwrap_or_default();
        self.kept = Kept { wires, labels: active.pop().unwrap_or_default() };
        Ok(learned.pop().unwrap_or_else(|| Bits::zeros(0)))
    }
}

impl ports::Garbling for AnyBmr<'_> {
    type Ready = Ready;

    fn mesh(&mut self) -> &mut Mesh {
        Worker::mesh(&mut **self)
    }

    fn prepare(&mut self, ports: Ports<'_>, instances: usize) -> Result<Ready, SharingError> {
        Ok(prepare(&mut **self, ports, &vec![Zeroizing::default(); instances])?.0)
    }

    fn streaming<'m>(self, places: &[PartyId]) -> Result<Streaming<'m>, SharingError>
    where
        Self: 'm,
    {
        Ok(Streaming::ByCircuits(Box::new(BmrChain::new(self, places)?)))
    }
}

/// A worker that hides rows as parties have agreed.
pub(super) fn agreed<'m>(
    mut worker: impl Worker + Send + 'm,
    terms: &Terms,
) -> Box<dyn AnyWorker<'m> + 'm> {
    worker.set_label_function(terms.label_function);
    let worker: AnyBmr<'m> = Box::new(worker);
    Box::new(worker)
}
